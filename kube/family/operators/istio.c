/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Istio's configuration: proxies read it and nobody has to report on it; what
 * the analysis finds wrong stands in the status.
 */
#include "kube/family/generic/generic.h"

/* "mesh" is every sidecar; "edge/main" has a namespace of its own. */
static void gateway(struct verdict *v, struct json value, struct str via, const void *arg)
{
	struct str name = json_str(value, "");
	size_t slash = str_find(name, '/');
	bool far = slash < name.len;

	(void)arg;
	if (str_is(name, "mesh"))
		return;
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_EXISTS,
				     .group = STR("networking.istio.io"),
				     .kind = STR("Gateway"),
				     .ns = far ? str_head(name, slash) : STR_NONE,
				     .name = far ? str_from(name, slash + 1) : name,
				     .via = via });
}

static void service_more(struct verdict *v)
{
	verdict_each(v, "spec.gateways[]", gateway, NULL);
}

/* The worst message of the analysis. */
static void analysis_more(struct verdict *v)
{
	json_foreach(m, json_at(verdict_object(v), "status.validationMessages"))
	{
		bool error = str_eq_nocase(json_str(m, "level"), STR("ERROR"));

		if (!error && (!str_eq_nocase(json_str(m, "level"), STR("WARNING")) ||
			       verdict_phase(v) == PHASE_FAILED))
			continue;
		verdict_set(v, error ? PHASE_FAILED : PHASE_DEGRADED,
			    error ? SEVERITY_ERROR : SEVERITY_WARNING, json_str(m, "type.name"),
			    json_str(m, "documentationUrl"));
		verdict_word(v, json_str(m, "type.code"));
		verdict_rule(v, STR("field status.validationMessages"));
	}
}

static const struct generic_kind rows[] = {
	{ .static_kind = true, .more = analysis_more },
	{ .kind = "VirtualService", .more = service_more },
	{ 0 },
};

static const char *const groups[] = { "networking.istio.io", "security.istio.io",
				      "telemetry.istio.io", "extensions.istio.io", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

const struct family family_istio = {
	.name = "generic",
	.id = "istio",
	.title = "Istio",
	.groups = groups,
	.inspect = inspect,
};

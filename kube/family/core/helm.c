/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets in which Helm keeps its releases, judged by their labels alone (helm.sh/helm pkg/storage/driver/secrets.go,
 * pkg/release/status.go).  All other Secrets are Ready when they exist.
 */
#include "kube/family/core/core.h"

static const struct {
	const char *status;
	enum phase phase;
	enum severity severity;
} rows[] = {
	{ "deployed", PHASE_READY, SEVERITY_NONE },
	{ "superseded", PHASE_READY, SEVERITY_NONE },
	{ "uninstalled", PHASE_READY, SEVERITY_NONE },
	{ "failed", PHASE_FAILED, SEVERITY_ERROR },
	{ "pending-install", PHASE_PROVISIONING, SEVERITY_INFO },
	{ "pending-upgrade", PHASE_UPDATING, SEVERITY_INFO },
	{ "pending-rollback", PHASE_UPDATING, SEVERITY_INFO },
	{ "uninstalling", PHASE_DELETING, SEVERITY_INFO },
};

static void release(struct verdict *v, struct json labels)
{
	struct str status = json_str(labels, "status"), number = json_str(labels, "version");
	int64_t modified = 0, n = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (str_is(status, rows[i].status))
			verdict_set(v, rows[i].phase, rows[i].severity, STR_NONE, STR_NONE);
	if (str_to_int(json_str(labels, "modifiedAt"), &modified) && modified > 0 &&
	    modified < INT32_MAX)
		verdict_since(v, modified * 1000);
	else
		verdict_since(v, verdict_created(v));
	verdict_word(v, status);
	verdict_rule(v, STR("label status of the release"));
	if (str_to_int(number, &n) && number.len < verdict_name(v).len)
		verdict_version(v,
				verdict_phase(v) == PHASE_UPDATING && n > 1
					? arena_printf(verdict_arena(v), "%lld", (long long)n - 1)
					: STR_NONE,
				number);
	if (n > 1)
		verdict_ref(v, (struct ref){
				       .relation = RELATION_REPLACES,
				       .kind = STR("Secret"),
				       .name = ARENA_JOIN(verdict_arena(v),
							  str_head(verdict_name(v), verdict_name(v).len - number.len),
							  arena_printf(verdict_arena(v), "%lld", (long long)n - 1)),
				       .via = STR("metadata.labels[version]"),
			       });
	if (str_is(status, "superseded") || str_is(status, "uninstalled"))
		verdict_complete(v);
}

static void secret(struct verdict *v)
{
	struct json labels = json_at(verdict_object(v), "metadata.labels");

	core_data(v);
	if (str_is(json_str(labels, "owner"), "helm") &&
	    str_starts(verdict_name(v), "sh.helm.release.v1."))
		release(v, labels);
}

void core_helm_assess(struct assessment *d)
{
	struct neighbour n;

	if (assess_status(d)->phase == PHASE_READY || assess_status(d)->phase == PHASE_DELETING)
		return;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (n.relation == RELATION_REPLACES && n.presence == PRESENCE_FOUND) {
			assess_set(d, PHASE_READY, SEVERITY_NONE, STR_NONE, STR_NONE);
			assess_version(d, STR_NONE, assess_status(d)->version_to);
			assess_rule(d, STR("a later revision of the release is there"));
			return;
		}
}

const struct core_kind core_helm_kinds[] = { { "Secret", secret }, { 0 } };

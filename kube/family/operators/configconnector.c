/* SPDX-License-Identifier: Apache-2.0 */
/* Config Connector: the message names what a resource waits for. */
#include "kube/family/generic/generic.h"

static const struct cond_rule resource[] = {
	{ "Ready", "False", "DependencyNotReady", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Ready", "False", "ManagementConflict", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Ready", "False", "DependencyInvalid", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ 0 },
};

/* "reference ComputeNetwork prod/net is not ready": a kind of any service, a namespace, a name. */
static void wait_more(struct verdict *v)
{
	static const char intro[] = "reference ";
	const struct condition *c = verdict_condition(v, "Ready");
	struct str rest, kind, id;
	size_t at, slash;
	bool absent;

	if (!condition_is(c, "False") || !str_starts(c->reason, "DependencyNot"))
		return;
	at = str_find_str(c->message, intro);
	rest = str_from(c->message, at + sizeof(intro) - 1);
	if (verdict_phase(v) == PHASE_SUSPENDED || at >= c->message.len ||
	    !str_split(&rest, ' ', &kind) || !str_split(&rest, ' ', &id))
		return;
	slash = str_find(id, '/');
	absent = str_is(c->reason, "DependencyNotFound");
	verdict_set(v, PHASE_PROVISIONING, absent ? SEVERITY_WARNING : SEVERITY_INFO, c->reason,
		    c->message);
	verdict_waits_for(
		v, (struct ref){ .relation = RELATION_NEEDS,
				 .flags = REF_ANY_GROUP |
					  (unsigned)(absent ? REF_SAYS_MISSING : REF_BLOCKS),
				 .kind = kind,
				 .ns = slash < id.len ? str_head(id, slash) : STR_NONE,
				 .name = slash < id.len ? str_from(id, slash + 1) : id,
				 .via = STR("status.conditions"),
				 .message = c->message });
}

static const struct generic_kind rows[] = {
	{ .conditions = resource, .more = wait_more },
	{ 0 },
};

static const char *const groups[] = { "*.cnrm.cloud.google.com", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

const struct family family_configconnector = {
	.name = "generic",
	.id = "configconnector",
	.title = "Config Connector",
	.groups = groups,
	.inspect = inspect,
};

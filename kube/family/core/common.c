/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for several of Kubernetes' own kinds. */
#include "kube/family/core/core.h"

#include "kube/status/thresholds.h"

void core_by_condition(struct verdict *v, const struct condition *c, enum phase phase,
		       enum severity severity)
{
	if (!c) {
		verdict_set(v, phase, severity, STR_NONE, STR_NONE);
		return;
	}
	verdict_set(v, phase, severity, c->reason, c->message);
	verdict_since(v, c->since);
	verdict_word(v, c->reason);
	verdict_rule(v, arena_printf(verdict_arena(v), STR_FMT "=" STR_FMT "%s" STR_FMT,
				     STR_ARG(c->type), STR_ARG(c->status), c->reason.len ? " " : "",
				     STR_ARG(c->reason)));
}

void core_ready(struct verdict *v, const char *rule)
{
	verdict_set(v, PHASE_READY, SEVERITY_NONE, STR_NONE, STR_NONE);
	verdict_rule(v, str_of(rule));
	verdict_ever_ready(v);
}

bool core_older_than(struct verdict *v, int64_t time, int64_t age)
{
	if (time == 0)
		return false;
	verdict_revisit(v, time + age);
	return verdict_now(v) - time >= age;
}

void core_never_reconciled(struct verdict *v)
{
	bool long_ago = core_older_than(v, verdict_created(v), thresholds.young);

	verdict_set(v, PHASE_PROVISIONING, long_ago ? SEVERITY_WARNING : SEVERITY_INFO, STR_NONE,
		    STR_NONE);
	verdict_since(v, verdict_created(v));
	verdict_rule(v, STR("no status: never reconciled"));
}

bool core_is_outdated(struct verdict *v)
{
	int64_t observed = json_int(verdict_object(v), "status.observedGeneration", -1);

	return observed >= 0 && observed < verdict_generation(v);
}

/* For kinds of which only the metadata is read. */
void core_data(struct verdict *v)
{
	core_ready(v, "a kind without status");
	verdict_edited_by(v, json_str(verdict_object(v), "metadata.resourceVersion"));
}

bool core_is_kind(const struct neighbour *n, const char *kind)
{
	return n->kind && str_is(n->kind->kind, kind);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for several of Kubernetes' own kinds. */
#include "kube/family/core/core.h"
#include "kube/evidence/pod_template.h"

#include "kube/base/crypto.h"
#include "kube/base/time.h"

static const struct row rows[] = {
	{ "it is there, and its kind reports no health", .then = OUTCOME_READY, .rule = "a kind without status" },
	{ 0 }
};

void core_is_there(struct verdict *v, const char *rule)
{
	struct reading r = { .v = v, .rule = str_of(rule ? rule : "") };

	row_decides(&r, rows);
}

bool core_older_than(struct verdict *v, int64_t time, int64_t age)
{
	return time && verdict_past(v, time + age);
}

bool core_is_outdated(struct verdict *v)
{
	int64_t observed = json_int(verdict_object(v), "status.observedGeneration", -1);

	return observed >= 0 && observed < verdict_generation(v);
}

/* For kinds of which only the metadata is read. */
void core_data(struct verdict *v)
{
	core_is_there(v, NULL);
	verdict_edited_by(v, json_str(verdict_object(v), "metadata.resourceVersion"));
	if (str_is(verdict_kind(v)->kind, "ConfigMap"))
		pod_template_note_entries(v);
}

bool core_is_kind(const struct neighbour *n, const char *kind)
{
	return n->kind && str_is(n->kind->kind, kind);
}

bool core_ca_has_expired(struct reading *r, struct str bundle)
{
	int64_t ends = bundle.len ? pem_valid_until(bundle) : 0;
	char text[TIME_TEXT];

	if (!core_older_than(r->v, ends, 0))
		return false;
	r->word = r->condition ? r->condition->reason : STR_NONE;
	r->condition = NULL;
	r->since = ends;
	r->message = arena_printf(verdict_arena(r->v), "the CA certificate of caBundle expired at %s", time_format(ends, text));
	return true;
}

void core_may_use(struct verdict *v, const char *resource, double amount)
{
	struct arena *a = verdict_arena(v);

	if (amount > 0)
		verdict_particular(v, arena_printf(a, "may-use-%s", resource).ptr, arena_printf(a, "%.15g", amount));
}

void core_note_scaler(struct reading *r)
{
	json_foreach(entry, json_at(verdict_object(r->v), "metadata.managedFields"))
	{
		struct json spec = json_member(json_at(entry, "fieldsV1"), STR("f:spec"));

		if (json_type(json_member(spec, STR("f:replicas"))) == JSON_ABSENT)
			continue;
		verdict_particular(r->v, "scaled", ARENA_JOIN(verdict_arena(r->v), json_str(entry, "manager"), STR(" at "), json_str(entry, "time")));
		r->since = json_time(entry, "time");
	}
}

bool core_is_slice(const struct neighbour *n)
{
	return (core_is_kind(n, "EndpointSlice") || core_is_kind(n, "Endpoints")) &&
	       n->relation == RELATION_OWNS && n->presence == PRESENCE_FOUND;
}

bool core_is_in_trouble(const struct neighbour *n)
{
	return phase_is_bad(n->status.phase) || n->status.phase == PHASE_WAITING || n->status.severity >= SEVERITY_WARNING;
}

void core_waits_for_broken(struct assessment *d, const char *kind)
{
	struct neighbour n;

	for (size_t at = 0; phase_is_bad(assess_status(d)->phase) && assess_next_target(d, kind, &at, &n);)
		if (n.presence == PRESENCE_FOUND && phase_is_bad(n.status.phase))
			assess_wait_for(d, &n);
}

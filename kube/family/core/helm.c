/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets in which Helm keeps its releases, judged by their labels alone (helm.sh/helm pkg/storage/driver/secrets.go,
 * pkg/release/status.go).  All other Secrets are Ready when they exist.
 */
#include "kube/evidence/leads.h"
#include "kube/family/core/core.h"

static const struct row rows[] = {
	{ "the release is deployed, or a later one is", .word = "deployed superseded uninstalled", .then = OUTCOME_READY },
	{ "the release has failed", .word = "failed", .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "the release is being installed", .word = "pending-install", .then = OUTCOME_MOVEMENT },
	{ "the release is being changed", .word = "pending-upgrade pending-rollback", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	{ "the release is being uninstalled", .word = "uninstalling", .then = OUTCOME_DELETION },
	{ "the state of the release is not known here", .then = OUTCOME_READY },
	{ 0 }
};

static const struct row later_rows[] = { { "a later revision of the release is there", .then = OUTCOME_READY }, { 0 } };

static void release(struct verdict *v, struct json labels)
{
	struct str status = json_str(labels, "status"), number = json_str(labels, "version");
	int64_t modified = 0, n = 0;

	struct reading r = { .v = v, .word = status, .rule = STR("label status of the release"), .since = verdict_created(v) };

	if (str_to_int(json_str(labels, "modifiedAt"), &modified) && modified > 0 && modified < INT32_MAX)
		r.since = modified * 1000;
	table_decide(&r, rows);
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
	leads_note_secret(v);
	if (str_is(json_str(labels, "owner"), "helm") &&
	    str_starts(verdict_name(v), "sh.helm.release.v1."))
		release(v, labels);
}

/* A release that failed and has a successor is history. */
static void assess(struct assessment *d)
{
	struct neighbour n;

	if (assess_status(d)->phase == PHASE_READY || assess_status(d)->phase == PHASE_DELETING)
		return;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (n.relation == RELATION_REPLACES && n.presence == PRESENCE_FOUND) {
			table_assess(d, later_rows, STR_NONE, STR_NONE);
			assess_version(d, STR_NONE, assess_status(d)->version_to);
			return;
		}
}

const struct core_kind core_helm_kinds[] = {
	{ .kind = "Secret", .inspect = secret, .assess = assess },
	{ 0 }
};

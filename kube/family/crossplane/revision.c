/* SPDX-License-Identifier: Apache-2.0 */
/* Compositions have revisions; a composite follows the newest one, or the one that somebody chose for it. */
#include "kube/family/crossplane/crossplane.h"

#include "kube/status/thresholds.h"

/*
 * The newest revision is looked for among that many objects that refer to a composition; with more of them it is not
 * told.
 */
#define LOOKED_AT 256

static bool is_composition(const struct kind *kind, const char *which)
{
	return str_is(kind->group, "apiextensions.crossplane.io") && str_is(kind->kind, which);
}

/* Returns 0 when there is no number to compare. */
static int64_t number(struct str revision)
{
	int64_t n;

	return str_to_int(revision, &n) && n > 0 ? n : 0;
}

void crossplane_inspect_revision(struct verdict *v)
{
	int64_t n = json_int(verdict_object(v), "spec.revision", 0);

	if (n > 0)
		verdict_version(v, STR_NONE, arena_printf(verdict_arena(v), "%lld", (long long)n));
}

void crossplane_revision_policy(struct verdict *v)
{
	struct json spec = json_at(verdict_object(v), "spec");

	if (str_is(json_str(spec, "compositionUpdatePolicy"), "Manual") ||
	    str_is(json_str(spec, "crossplane.compositionUpdatePolicy"), "Manual"))
		verdict_flag(v, "manual-revision");
	if (json_has(spec, "compositionRevisionSelector") || json_has(spec, "crossplane.compositionRevisionSelector"))
		verdict_flag(v, "selected-revision");
}

/* The version of a composition is its newest revision. */
static void assess_composition(struct assessment *d)
{
	struct neighbour n, newest = { 0 };
	size_t i = 0;

	while (assess_referrer(d, i, &n)) {
		if (++i > LOOKED_AT)
			return;
		if (n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND &&
		    is_composition(n.kind, "CompositionRevision") &&
		    number(n.status.version_to) > number(newest.status.version_to))
			newest = n;
	}
	if (number(newest.status.version_to) == 0)
		return;
	assess_version(d, STR_NONE, newest.status.version_to);
	if (assess_status(d)->phase == PHASE_READY)
		assess_since(d, newest.created);
}

/* The name of a revision is that of its composition, with a hash. */
static bool belongs(const struct neighbour *revision, const struct neighbour *composition)
{
	return revision->name.len > composition->name.len &&
	       str_eq(str_head(revision->name, composition->name.len), composition->name) &&
	       revision->name.ptr[composition->name.len] == '-';
}

/* Returns when the newest revision of a composition was made. */
static int64_t newest_since(struct assessment *d, const struct neighbour *composition)
{
	struct neighbour n;

	for (size_t i = 0; i < LOOKED_AT && assess_referrer_of(d, composition, i, &n); i++)
		if (n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND && is_composition(n.kind, "CompositionRevision") &&
		    str_eq(n.status.version_to, composition->status.version_to))
			return n.created;
	return composition->status.since;
}

static const struct row rows[] = {
	{ "its composition has a newer revision", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING }, { 0 }
};

static void assess_composite(struct assessment *d, const struct neighbour *revision, const struct neighbour *composition)
{
	struct str has = revision->status.version_to, newest = composition->status.version_to;
	int64_t since;
	bool behind = number(has) && number(has) < number(newest) && belongs(revision, composition);

	if (!behind || status_has_flag(assess_status(d), "selected-revision")) {
		assess_version(d, STR_NONE, has);
	} else if (status_has_flag(assess_status(d), "manual-revision")) {
		assess_version(d, STR_NONE, has);
		assess_flag(d, "newer-revision");
	} else {
		assess_version(d, has, newest);
		since = newest_since(d, composition);
		assess_revisit(d, since + thresholds.young);
		/* the controller follows within moments, and then the composite tells how it goes */
		if (assess_status(d)->phase != PHASE_READY || assess_now(d) < since + thresholds.young)
			return;
		table_assess(d, rows, STR_NONE, STR_NONE);
		assess_since(d, since);
	}
}

void crossplane_assess_revision(struct assessment *d)
{
	struct neighbour n, revision = { 0 }, composition = { 0 };

	if (is_composition(assess_kind(d), "Composition")) {
		assess_composition(d);
		return;
	}
	for (size_t i = 0; assess_target(d, i, &n); i++) {
		if (n.relation != RELATION_NEEDS || n.presence != PRESENCE_FOUND)
			continue;
		if (is_composition(n.kind, "CompositionRevision"))
			revision = n;
		else if (is_composition(n.kind, "Composition"))
			composition = n;
	}
	if (revision.name.len && revision.status.version_to.len)
		assess_composite(d, &revision, &composition);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of one resource in words: versions, generations, pace, finalizers. */
#include "tui/view/words.h"

#include "kube/base/time.h"

/* So few others are no measure. */
enum { SIBLINGS = 2 };
/* Made, updated, ready: that much is nothing to speak of. */
enum { FLAPS = 4 };
/* A second look at a failure may be the same one, told better. */
enum { FAILURES = 3 };
#define SLOW_LEAST MINUTES(2)

struct str words_version(const struct item *item, struct arena *a)
{
	const struct status *s = &item->status;
	const struct replicas *r = &item->s.replicas;
	struct str out;

	if (s->version_from.len == 0 || s->version_to.len == 0)
		return s->version_to.len ? s->version_to : s->version_from;
	out = arena_printf(a, STR_FMT " → " STR_FMT, STR_ARG(s->version_from),
			   STR_ARG(s->version_to));
	if (r->wanted > 0 && r->updated >= 0)
		out = arena_printf(a, STR_FMT ", %d of %d updated", STR_ARG(out), r->updated,
				   r->wanted);
	return out;
}

struct str words_generation(const struct store *store, const struct item *item, struct arena *a)
{
	int64_t generation = store_meta(store, item->s.id.handle).generation, observed = -1;

	for (size_t i = 0; i < item->status.nconditions; i++)
		if (item->status.conditions[i].generation > observed)
			observed = item->status.conditions[i].generation;
	if (generation <= 0)
		return STR_NONE;
	if (observed < 0)
		return arena_printf(a, "%lld", (long long)generation);
	return arena_printf(a, "%lld, observed %lld%s", (long long)generation, (long long)observed,
			    observed < generation ? ": the operator has not seen the latest spec"
						  : "");
}

struct str words_pace(struct graph *g, const struct item *item, int64_t now, struct arena *a)
{
	struct pace pace;
	int64_t so_far = now - item->s.created;

	if ((item->s.phase != PHASE_PROVISIONING && item->s.phase != PHASE_WAITING) ||
	    item->status.ever_ready || item->s.created == 0 || so_far < SLOW_LEAST)
		return STR_NONE;
	pace = graph_pace(g, item->s.id.handle);
	if (pace.siblings < SIBLINGS)
		return STR_NONE;
	return arena_printf(a,
			    STR_FMT " since it was made; %zu others of its kind took " STR_FMT "%s",
			    STR_ARG(words_age(item->s.created, now, a)), pace.siblings,
			    STR_ARG(words_age(now - pace.usual, now, a)),
			    so_far > 2 * pace.usual ? ": slow" : "");
}

struct str words_turns(const struct store *store, const struct item *item, struct arena *a)
{
	unsigned turns = store_turns(store, item->s.id.handle), failures = store_failures(store, item->s.id.handle);
	struct str failed = failures < FAILURES ? STR_NONE :
				    arena_printf(a, "%s failed %u times", turns < FLAPS ? "it" : ", and it", failures);

	if (turns < FLAPS && failures < FAILURES)
		return STR_NONE;
	if (turns < FLAPS)
		return arena_printf(a, STR_FMT " while it was watched", STR_ARG(failed));
	return arena_printf(a, "its phase changed %u times while it was watched" STR_FMT, turns, STR_ARG(failed));
}

struct str words_controllers(struct graph *g, const struct kinds *kinds, const struct item *item,
			     struct arena *a)
{
	size_t n;
	const struct controller *all = graph_controllers(g, item->s.id.handle, a, &n);
	struct str out = STR_NONE;

	for (size_t i = 0; i < n; i++) {
		if (!all[i].workload || !all[i].id.handle.slot)
			continue;
		out = arena_printf(a, STR_FMT "%s" STR_FMT " · " STR_FMT ", %s", STR_ARG(out),
				   out.len ? "; " : "", STR_ARG(words_id(kinds, &all[i].id, a)),
				   STR_ARG(all[i].id.ns),
				   all[i].down ? "which does not work" : "which runs");
	}
	return out;
}

/* What the state of a finalizer means. */
const char *words_finalizer(struct str state)
{
	static const struct {
		const char *state, *words;
	} rows[] = {
		{ "in-use", "something still refers to it" },
		{ "releasing", "the last user is being deleted" },
		{ "waiting", "waits for the other finalizers" },
		{ "cleanup", "its controller cleans up first" },
		{ "foreground", "what it owns is deleted first" },
		{ "orphaning", "what it owns is let go first, and stays" },
		{ "stuck", "nobody is working on it" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (str_is(state, rows[i].state))
			return rows[i].words;
	return "nobody knows who holds it";
}

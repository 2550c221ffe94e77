/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/calm.h"

#include "kube/base/time.h"
#include "tui/state/observe.h"
#include "tui/words/words.h"

#include <string.h>

#define WELL "nothing has failed, nothing waits"

void calm_add(struct calm *c, const struct summary *s, int64_t now)
{
	if (phase_is_leftover(s->phase, s->severity))
		return;
	if (s->phase == PHASE_FAILED || s->severity == SEVERITY_ERROR)
		c->failed++;
	else if (s->phase == PHASE_UNKNOWN)
		c->unknown++;
	else if (words_overdue(s, now))
		c->overdue++;
	else if (s->phase == PHASE_WAITING)
		c->waiting++;
	else if (s->phase == PHASE_DEGRADED)
		c->degraded++;
	else if (s->severity == SEVERITY_WARNING)
		c->warned++;
}

struct calm calm_observed(const struct observer *o, int64_t now)
{
	struct calm c = { 0 };

	for (uint32_t i = 0; i < o->nslots; i++) {
		const struct snapshot *snapshot = &o->slots[i];
		struct summary s = { .phase = (enum phase)snapshot->phase, .severity = (enum severity)snapshot->severity, .since = snapshot->since };

		if (snapshot->known)
			calm_add(&c, &s, now);
	}
	return c;
}

/* Returns "3h 10m", "12m". */
static struct str long_age(int64_t ms, struct arena *a)
{
	long long minutes = ms / 60000;

	return minutes >= 60 ? arena_printf(a, "%lldh %lldm", minutes / 60, minutes % 60) : arena_printf(a, "%lldm", minutes);
}

struct str calm_since(const struct observer *o, const struct scene *scene, struct arena *a)
{
	enum { CLOCK_AT = 11, CLOCK = 5 };
	size_t oldest = observe_oldest(o, scene), i = o->count;
	const struct journal_entry *last = i > oldest ? observe_transition(o, scene, i - 1) : NULL, *trouble = NULL;
	char time[TIME_TEXT];
	struct str words;

	while (!trouble && i-- > oldest)
		trouble = o->transitions[i].kind == TRANSITION_OTHER ? NULL : observe_transition(o, scene, i);
	if (!last || scene->past)
		return STR_NONE;
	words = trouble ? ARENA_JOIN(a, STR("all is well since "), long_age(scene->now - trouble->time, a)) : STR("all is well");
	return ARENA_JOIN(a, words, STR(" · last: "), observe_name(last, scene, a), STR(" "), observe_words(last, a), STR(" "),
			  arena_str(a, str_head(str_from(str_of(time_format(last->time, time)), CLOCK_AT), CLOCK)));
}

struct str calm_forbidden(unsigned kinds, struct arena *a)
{
	return kinds ? arena_printf(a, "%u kind%s may not be read", kinds, words_plural(kinds)) : STR_NONE;
}

/* Returns a number with its verb: "3 are overdue"; "" for 0. */
static struct str counted(size_t n, const char *one, const char *several, struct arena *a)
{
	return n ? ARENA_JOIN(a, words_count(n, a), STR(" "), str_of(n == 1 ? one : several)) : STR_NONE;
}

static struct str joined(struct str before, const char *with, struct str more, struct arena *a)
{
	return before.len && more.len ? arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(before), with, STR_ARG(more)) :
	       before.len	      ? before :
					more;
}

static struct str rest_words(const struct calm *c, struct arena *a)
{
	const struct str parts[] = {
		counted(c->failed, "has failed", "have failed", a),
		counted(c->waiting, "waits", "wait", a),
		counted(c->overdue, "is overdue", "are overdue", a),
		counted(c->degraded, "is degraded", "are degraded", a),
		counted(c->unknown, "is unknown", "are unknown", a),
		counted(c->warned, "has a warning", "have a warning", a),
	};
	struct str out = STR_NONE;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		out = joined(out, ", ", parts[i], a);
	return out;
}

/*
 * What must be true of all selected objects, also of the kinds that were never read, for each claim:
 *
 * "nothing has failed": none is Failed or has an error, and none is Unknown; every kind that was asked for has been
 * read, may be read, and is watched (or the objects come from files).
 *
 * "nothing that may be read ...": the same is true of the kinds that may be read.
 *
 * "nothing is known to have failed": none was Failed or had an error when it was last seen.
 *
 * "no root cause is known": nothing is claimed; an object is Failed, and why is not known.
 *
 * "nothing waits": none is Waiting, overdue, Degraded or Unknown, none has a warning, and there is no doubt.
 */
struct str calm_words(const struct calm *c, const struct doubt *doubt, struct arena *a)
{
	bool unsure = doubt->unsure.len || c->unknown;
	struct str rest = joined(joined(doubt->unsure, "; ", doubt->unread, a), "; ", rest_words(c, a), a);
	struct str claim = c->failed	      ? STR("no root cause is known") :
			   unsure	      ? STR("nothing is known to have failed") :
			   doubt->unread.len ? STR("nothing that may be read has failed") :
						STR("nothing has failed");

	return rest.len ? joined(ARENA_JOIN(a, claim, doubt->selection), "; ", rest, a) : ARENA_JOIN(a, STR(WELL), doubt->selection);
}

bool calm_is_well(struct str words)
{
	return str_starts(words, WELL);
}

struct str calm_sentence(const struct calm *c, const struct doubt *doubt, struct arena *a)
{
	struct str words = calm_words(c, doubt, a), rest = str_from(words, 1);

	if (str_starts(words, WELL))
		return ARENA_JOIN(a, STR("Nothing has failed, and nothing waits"), str_from(words, strlen(WELL)), STR("."));
	return arena_printf(a, "%c" STR_FMT ".", words.ptr[0] - 'a' + 'A', STR_ARG(rest));
}

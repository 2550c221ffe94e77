/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/well.h"

#include "kube/base/time.h"
#include "tui/state/observe.h"
#include "tui/view/cause_facts.h"
#include "tui/words/words.h"

#include <string.h>

#define WELL "nothing has failed, nothing waits"

void well_count(struct not_well *c, const struct summary *s, int64_t now)
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

struct not_well well_observed(const struct observer *o, int64_t now)
{
	struct not_well c = { 0 };

	for (uint32_t i = 0; i < o->nslots; i++) {
		const struct snapshot *snapshot = &o->slots[i];
		struct summary s = { .phase = (enum phase)snapshot->phase, .severity = (enum severity)snapshot->severity, .since = snapshot->since };

		if (snapshot->known)
			well_count(&c, &s, now);
	}
	return c;
}

bool well_counts_nothing(const struct not_well *c)
{
	return !(c->failed || c->waiting || c->overdue || c->degraded || c->unknown || c->warned);
}

/* ---- since when ------------------------------------------------------------------- */

/* Returns the object that became Ready last, and sets *out_since to when that was; HANDLE_NONE: of no object that is known. */
static struct handle youngest(const struct observer *o, const struct scene *scene, int64_t *out_since)
{
	uint32_t found = 0;

	*out_since = 0;
	for (uint32_t slot = 1; slot < o->nslots; slot++) {
		const struct snapshot *s = &o->slots[slot];

		if (!s->known || s->phase != PHASE_READY || s->since <= *out_since || s->since > scene->now)
			continue;
		*out_since = s->since;
		found = slot;
	}
	return store_node_handle(scene->store, found);
}

/* Returns when trouble was last seen to begin or to end, ms; 0: never. */
static int64_t last_trouble(const struct observer *o, const struct scene *scene)
{
	size_t oldest = observe_oldest(o, scene);

	for (size_t i = o->count; i-- > oldest;)
		if (o->transitions[i].kind != TRANSITION_OTHER)
			return observe_transition(o, scene, i)->time;
	return 0;
}

void well_note(struct well *w, const struct observer *o, const struct scene *scene, bool well)
{
	int64_t proved, trouble;

	if (!o->settled) {	/* another selection is being read */
		*w = (struct well){ .from = 0 };
	} else if (!well) {
		*w = (struct well){ .troubled = true };
	} else if (!w->from || w->from > scene->now) {
		youngest(o, scene, &proved);
		trouble = last_trouble(o, scene);
		w->watched = !w->troubled && !proved && !trouble;
		w->from = w->troubled || w->watched ? scene->now : proved > trouble ? proved : trouble;
	}
}

/* Returns "45s", "12m", "3h 10m", "5d 2h". */
static struct str long_age(int64_t ms, struct arena *a)
{
	enum { DAYS_FROM = 48 };	/* hours */
	long long s = ms / 1000, minutes = s / 60, hours = minutes / 60;

	if (minutes < 1)
		return arena_printf(a, "%llds", s);
	if (hours < 1)
		return arena_printf(a, "%lldm", minutes);
	return hours < DAYS_FROM ? arena_printf(a, "%lldh %lldm", hours, minutes % 60) : arena_printf(a, "%lldd %lldh", hours / 24, hours % 24);
}

/* ---- what was last ------------------------------------------------------------------ */

/* Returns the time of day, or the day of what is longer ago: "14:02", "2026-11-18". */
static struct str clock_words(int64_t time, int64_t now, struct arena *a)
{
	enum { MINUTE = 5 };	/* in "09:00:00" */

	return now - time < HOURS(24) ? str_head(words_clock(time, a), MINUTE) : words_day(time, a);
}

static struct str change_words(const struct change_before *c, const struct scene *scene, struct arena *a)
{
	struct str by = facts_by(&c->by, a);

	return ARENA_JOIN(a, words_id(store_kinds(scene->store), &c->id, a), str_of(c->what == CHANGED_CREATED ? " created " : " updated "),
			  clock_words(c->time, scene->now, a), str_of(by.len ? " " : ""), by);
}

/* Returns what somebody changed last; else what was last seen to happen; else which object became Ready last. */
static struct str last_words(const struct observer *o, const struct scene *scene, struct arena *a)
{
	struct change_asked asked = { scene->selected, scene->selected_ctx, scene->header->link == LINK_FILES };
	const struct journal_entry *e = NULL;
	struct change_before last;
	int64_t since;
	struct summary s;

	if (graph_last_change(scene->graph, &asked, a, &last)) {
		scene_look_at_change(scene, &last);
		return change_words(&last, scene, a);
	}
	for (size_t i = o->count, oldest = observe_oldest(o, scene); i-- > oldest && !e;) {
		e = observe_transition(o, scene, i);
		e = scene_selects(scene, e->object) ? e : NULL;
	}
	if (e)
		return ARENA_JOIN(a, observe_name(e, scene, a), STR(" "), e->what == JOURNAL_WENT && !e->deselected ? STR("deleted") : observe_words(e, a), STR(" "), clock_words(e->time, scene->now, a));
	if (!graph_summary(scene->graph, youngest(o, scene, &since), &s))
		return STR_NONE;
	return ARENA_JOIN(a, words_id(store_kinds(scene->store), &s.id, a), STR(" became Ready "), clock_words(since, scene->now, a));
}

struct str well_since(const struct well *w, struct str selection, const struct observer *o, const struct scene *scene, struct arena *a)
{
	struct str what = str_of(scene->header->forbidden ? "all that may be read is well" : "all is well"), last = last_words(o, scene, a);
	struct str age = long_age(scene->now - w->from, a);

	if (!w->watched)
		what = ARENA_JOIN(a, what, STR(" since "), age);
	else if (scene->header->link != LINK_FILES)
		what = ARENA_JOIN(a, what, STR(", watched for "), age);
	what = ARENA_JOIN(a, what, selection);
	return last.len ? ARENA_JOIN(a, what, STR(" · last: "), last) : what;
}

/* ---- what may be claimed -------------------------------------------------------------- */

struct str well_forbidden(unsigned kinds, struct arena *a)
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

static struct str rest_words(const struct not_well *c, struct arena *a)
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
struct str well_words(const struct not_well *c, const struct doubt *doubt, struct arena *a)
{
	bool unsure = doubt->unsure.len || c->unknown;
	struct str rest = joined(joined(doubt->unsure, "; ", doubt->unread, a), "; ", rest_words(c, a), a);
	struct str claim = c->failed	      ? STR("no root cause is known") :
			   unsure	      ? STR("nothing is known to have failed") :
			   doubt->unread.len ? STR("nothing that may be read has failed") :
						STR("nothing has failed");

	return rest.len ? joined(ARENA_JOIN(a, claim, doubt->selection), "; ", rest, a) : ARENA_JOIN(a, STR(WELL), doubt->selection);
}

struct str well_sentence(const struct not_well *c, const struct doubt *doubt, struct arena *a)
{
	struct str words = well_words(c, doubt, a), rest = str_from(words, 1);

	if (str_starts(words, WELL))
		return ARENA_JOIN(a, STR("Nothing has failed, and nothing waits"), str_from(words, strlen(WELL)), STR("."));
	return arena_printf(a, "%c" STR_FMT ".", words.ptr[0] - 'a' + 'A', STR_ARG(rest));
}

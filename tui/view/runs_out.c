/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/runs_out.h"

#include "kube/status/thresholds.h"
#include "tui/words/words.h"

#include <stdlib.h>

struct life {
	int64_t at, from, renewal;	/* as verdict_expires() has them */
};

static int64_t next_number(struct str *rest)
{
	struct str word;
	int64_t n = 0;

	return str_split(rest, ' ', &word) && str_to_int(word, &n) ? n : 0;
}

/* Of a short life the same time is a large part: a certificate of a day is renewed every day. */
static bool ends_soon(const struct life *l, int64_t now)
{
	int64_t left = l->at - now, whole = l->from ? l->at - l->from : 0;

	if (left <= 0)
		return false;
	if (whole > 0 && left < whole / 10)
		return true;
	return left < thresholds.expires_soon && l->renewal < now && !(whole > 0 && whole < 2 * thresholds.expires_soon);
}

static struct str end_words(const struct life *l, int64_t now, struct arena *a)
{
	struct str words = ARENA_JOIN(a, STR("expires in "), words_age(now, l->at, a), STR(", "), words_day(l->at, a));

	if (!l->renewal)
		return words;
	return ARENA_JOIN(a, words, str_of(l->renewal < now ? "; its renewal was due " : "; its renewal is due "), words_day(l->renewal, a));
}

/* Tells of a run that has taken nine tenths of the time until the next one, which is not begun while it goes on. */
static struct str run_words(const struct life *l, const struct summary *s, int64_t now, struct arena *a)
{
	bool late = l->at <= now;
	struct str due = late ? words_age(l->at, now, a) : words_age(now, l->at, a);

	if (s->phase != PHASE_READY || now - l->from <= (l->at - l->from) / 10 * 9)
		return STR_NONE;
	return ARENA_JOIN(a, STR("its run goes on for "), words_age(l->from, now, a), str_of(late ? "; the next one, due " : "; the next one, due in "), due,
			  str_of(late ? " ago, waits for its end (Forbid)" : ", is not begun while it does (Forbid)"));
}

bool runs_out_of_room(const struct used *used)
{
	return used->filled > used->room * 0.85;
}

/* Returns "9.1Gi of 10.0Gi used", "637 000 of 655 360 inodes used"; "" when there is room. */
static struct str room_words(const struct used *used, struct arena *a)
{
	if (!runs_out_of_room(used))
		return STR_NONE;
	if (used->inodes)
		return ARENA_JOIN(a, words_count((uint64_t)used->filled, a), STR(" of "), words_count((uint64_t)used->room, a), STR(" inodes used"));
	return ARENA_JOIN(a, words_size(used->filled, a), STR(" of "), words_size(used->room, a), STR(" used"));
}

/* Returns "pods 19 of 20, services 5 of 5 used"; "" when not nearly all of anything is used. */
static struct str use_words(const struct status *st, struct arena *a)
{
	struct str words = STR_NONE, one;
	size_t at = 0;

	while ((one = status_particular(st, "nearly-used", &at)).len)
		words = ARENA_JOIN(a, words, str_of(words.len ? ", " : ""), one);
	return words.len ? ARENA_JOIN(a, words, STR(" used")) : STR_NONE;
}

/* Sets at and words; returns false for what does not run out soon, has ended, or is told of as a root cause. */
static bool look(struct graph *g, struct running_out *out, int64_t now, struct arena *a)
{
	struct status st = store_status(graph_store(g), out->s.id.handle, a);
	struct str expires = status_first_particular(&st, "expires");
	struct life life;
	struct used used;

	if (out->s.phase == PHASE_FAILED || out->s.phase == PHASE_DELETING)
		return false;
	life.at = next_number(&expires);
	life.from = next_number(&expires);
	life.renewal = next_number(&expires);
	out->at = life.at;
	if (life.at && str_is(out->s.id.kind, "CronJob"))
		out->words = run_words(&life, &out->s, now, a);
	else if (life.at)
		out->words = ends_soon(&life, now) ? end_words(&life, now, a) : STR_NONE;
	else if (!graph_root(g, out->s.id.handle))
		out->words = graph_used(g, out->s.id.handle.slot, &used) ? room_words(&used, a) : use_words(&st, a);
	return out->words.len > 0;
}

static int compare(const void *x, const void *y)
{
	const struct running_out *p = x, *q = y;

	if (p->at != q->at)
		return !p->at ? 1 : !q->at || p->at < q->at ? -1 : 1;
	return summary_compare(&p->s, &q->s);
}

const struct running_out *runs_out_soon(struct graph *g, const struct handle *all, size_t n, int64_t now, struct arena *a, size_t *out_n)
{
	struct running_out *found = NULL;
	size_t cap = 0;

	*out_n = 0;
	for (size_t i = 0; i < n; i++) {
		struct running_out one = { .at = 0 };

		if (!graph_summary(g, all[i], &one.s) || !one.s.runs_out || !look(g, &one, now, a))
			continue;
		found = arena_grow(a, found, *out_n, &cap, sizeof(*found));
		found[(*out_n)++] = one;
	}
	if (*out_n)
		qsort(found, *out_n, sizeof(*found), compare);
	return found;
}

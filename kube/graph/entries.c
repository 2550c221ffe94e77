/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/graph/entries.h"

#include "kube/base/time.h"
#include "kube/graph/graph_private.h"
#include "kube/graph/observed.h"

#include "kube/base/assert.h"

enum {
	EVIDENCE = 1 << 14,	/* entries that are searched for evidence */
	PERCENT_STEP = 10	/* percent; smaller steps of a progress are not worth an entry */
};

/* ---- writing -------------------------------------------------------------- */

static uint32_t hash_of(const struct status *st)
{
	return (uint32_t)str_hash(st->reason);
}

static int8_t percent_of(const struct graph *g, struct handle h)
{
	double percent = store_percent(g->store, h);

	return percent >= 0 && percent <= 100 ? (int8_t)percent : -1;
}

static uint64_t add(struct graph *g, struct journal_entry *e, struct str reason, struct str message)
{
	struct object_id id = store_node_id(g->store, e->object.slot);
	struct journal_texts texts = { id.ns, id.name, reason, message };

	assert(e->object.slot != 0);
	e->time = e->time ? e->time : g->now;
	e->kind = id.kind->id;
	e->cluster = id.cluster;
	return journal_add(g->journal, e, g->journal_has_texts && e->what != JOURNAL_SPEC ? &texts : NULL);
}

/* Returns true when the object was made at that time (ms) or later; times of creation are in whole seconds. */
static bool is_made_since(const struct graph *g, struct handle h, int64_t time)
{
	int64_t created = h.slot ? store_meta(g->store, h).created : 0;

	return created && created + SECONDS(1) > time;
}

/* Returns true when the object was made while the journal was kept. */
static bool is_made(const struct graph *g, struct handle h)
{
	return store_meta(g->store, h).created ? is_made_since(g, h, g->journal_began) : g->now > g->journal_began;
}

static struct journal_verdict shown_verdict(const struct graph_node *n)
{
	return (struct journal_verdict){ n->phase, n->severity, n->percent };
}

/* The object that was shown does not exist any more. */
static void write_went(struct graph *g, uint32_t slot, bool replaced)
{
	struct graph_node *n = &g->nodes[slot];
	struct journal_entry e = { .what = JOURNAL_WENT, .object = { slot, n->shown_gen - 1 }, .from = shown_verdict(n),
				   .to = { PHASE_UNKNOWN, SEVERITY_NONE, -1 }, .watched = !replaced, .replaced = replaced,
				   .deselected = store_was_deselected(g->store, slot) };

	if (!replaced || g->journal_has_texts)
		add(g, &e, STR_NONE, STR_NONE);
	n->went = true;
}

static void write_came(struct graph *g, struct handle h, const struct status *now, struct journal_entry e)
{
	struct graph_node *n = &g->nodes[h.slot];

	e.what = JOURNAL_CAME;
	e.object = h;
	e.to = (struct journal_verdict){ (uint8_t)now->phase, (uint8_t)now->severity, g->journal_has_texts ? percent_of(g, h) : -1 };
	n->percent = e.to.percent;
	e.news = g->journal_has_texts && !store_is_met(g->store, h) && (n->went || is_made(g, h));
	if (e.watched || e.news)
		add(g, &e, now->reason, now->message);
}

static bool is_step(int8_t from, int8_t to)
{
	return to >= 0 && (to >= from + PERCENT_STEP || to < from);
}

static void write_verdict(struct graph *g, struct handle h, const struct status *now)
{
	struct graph_node *n = &g->nodes[h.slot];
	struct journal_entry e = { .object = h, .from = shown_verdict(n), .to = { (uint8_t)now->phase, (uint8_t)now->severity, -1 },
				   .watched = true };

	e.to.percent = g->journal_has_texts ? percent_of(g, h) : -1;
	if (n->phase != e.to.phase)
		e.what = JOURNAL_PHASE;
	else if (!g->journal_has_texts)
		return;
	else if (n->reason != hash_of(now))
		e.what = JOURNAL_REASON;
	else if (n->severity != e.to.severity)
		e.what = JOURNAL_SEVERITY;
	else if (is_step(n->percent, e.to.percent))
		e.what = JOURNAL_PROGRESS;
	else
		return;
	if (e.what == JOURNAL_PHASE || e.what == JOURNAL_PROGRESS)
		n->percent = e.to.percent;
	add(g, &e, now->reason, now->message);
}

static void write_spec(struct graph *g, struct handle h)
{
	struct journal_entry e = { .what = JOURNAL_SPEC, .object = h, .watched = true };

	add(g, &e, STR_NONE, STR_NONE);
}

/* Notes the present state for the next comparison. */
static void note_words(struct graph *g, struct handle h, const struct status *now)
{
	struct graph_node *n = &g->nodes[h.slot];

	if (!g->journal_has_texts)
		return;
	n->severity = (uint8_t)now->severity;
	n->reason = hash_of(now);
}

void entries_write(struct graph *g, uint32_t slot, const struct status *now, bool by_change)
{
	struct graph_node *n = &g->nodes[slot];
	struct handle h = store_node_handle(g->store, slot);
	bool edited = h.slot && n->edits != (uint16_t)store_edits(g->store, h);
	bool same = h.slot && n->shown_gen == h.gen + 1, met = store_is_met(g->store, h);
	struct journal_entry came = { .from = { PHASE_UNKNOWN, SEVERITY_NONE, -1 },
				      .watched = !met && (g->settled ? by_change : is_made_since(g, h, g->now)) };
	uint16_t generation = n->generation;

	if (edited || !same)
		n->generation = (uint16_t)store_meta(g->store, h).generation;
	if (g->copied)
		return;
	if (store_was_let_go(g->store, slot) || (!same && met)) {
		n->went = false;	/* what was not looked at in between has neither gone nor come */
	} else if (g->settled && n->shown_gen && !same) {
		came.replaced = h.slot != 0;
		if (came.replaced)
			came.from = shown_verdict(n);
		write_went(g, slot, came.replaced);
	}
	if (!h.slot)
		return;
	if (same && g->settled)
		write_verdict(g, h, now);
	note_words(g, h, now);
	if (!same)
		write_came(g, h, now, came);
	else if (edited && g->settled && n->generation != generation)
		write_spec(g, h);
}

uint64_t graph_write_selected(struct graph *g, const struct journal_entry *e)
{
	struct status st = { .phase = PHASE_UNKNOWN };
	struct journal_entry selected = *e;

	assert((e->what == JOURNAL_SELECTED || e->what == JOURNAL_DESELECTED) && !g->copied);
	if (store_alive(g->store, e->object))
		st = graph_status(g, e->object.slot, NULL);
	return add(g, &selected, st.reason, st.message);
}

void graph_keep_journal(struct graph *g, size_t ceiling, int64_t began)
{
	g->journal_has_texts = true;
	g->journal_began = began;
	journal_limit(g->journal, ceiling);
	for (uint32_t slot = 1; slot < g->nnodes; slot++) {
		struct handle h = store_node_handle(g->store, slot);
		struct status st = graph_status(g, slot, NULL);

		if (!h.slot || g->nodes[slot].shown_gen != h.gen + 1)
			continue;
		note_words(g, h, &st);
		g->nodes[slot].percent = percent_of(g, h);
	}
}

bool graph_add_earlier(struct graph *g, const struct journal_entry *e, const struct journal_texts *texts)
{
	assert(!g->copied);
	return journal_add_before(g->journal, e, texts);
}

void graph_note_watched(struct graph *g, const struct object_id *scope, bool is_watched, int64_t time)
{
	(is_watched ? watched_begin : watched_end)(journal_watched(g->journal),
						   &(struct watch_scope){ scope->cluster, scope->kind->id, scope->ns }, time);
}

const struct journal *graph_journal(const struct graph *g)
{
	return g->journal;
}

/* ---- evidence ------------------------------------------------------------- */

static bool is_evidence(const struct journal_entry *e)
{
	return e->watched && !e->deselected && (e->what == JOURNAL_CAME || e->what == JOURNAL_WENT || e->what == JOURNAL_PHASE || e->what == JOURNAL_SPEC);
}

struct evidence evidence_newest(const struct graph *g)
{
	return (struct evidence){ g->journal, journal_end(g->journal), EVIDENCE };
}

const struct journal_entry *evidence_before(struct evidence *e)
{
	while (e->left && e->number > journal_first(e->journal)) {
		const struct journal_entry *found = journal_at(e->journal, --e->number);

		if (!is_evidence(found))
			continue;
		e->left--;
		return found;
	}
	return NULL;
}

enum changed evidence_word(const struct journal_entry *e)
{
	switch ((enum journal_what)e->what) {
	case JOURNAL_CAME:
		return CHANGED_CREATED;
	case JOURNAL_WENT:
		return CHANGED_DELETED;
	case JOURNAL_SPEC:
		return CHANGED_SPEC;
	default:
		return CHANGED_PHASE;
	}
}

/* ---- what a recording holds of them ---------------------------------------- */

/* Returns the number of the oldest entry that counts. */
static uint64_t oldest_evidence(const struct graph *g)
{
	struct evidence e = evidence_newest(g);

	while (evidence_before(&e))
		;
	return e.number;
}

bool graph_recent(const struct graph *g, uint64_t *at, struct change_seen *out)
{
	const struct journal_entry *e;

	if (*at == 0)
		*at = oldest_evidence(g);
	while (*at < journal_end(g->journal) && !is_evidence(journal_at(g->journal, *at)))
		++*at;
	if (*at >= journal_end(g->journal))
		return false;
	e = journal_at(g->journal, (*at)++);
	*out = (struct change_seen){ e->time, 0, evidence_word(e), (enum phase)e->from.phase, (enum phase)e->to.phase, false };
	if (store_knows(g->store, e->object)) {
		out->slot = e->object.slot;
		out->gone = store_node_named(g->store, e->object.slot).gen != e->object.gen;
	}
	return true;
}

void graph_set_recent(struct graph *g, const struct change_seen *c)
{
	static const uint8_t whats[] = { [CHANGED_PHASE] = JOURNAL_PHASE, [CHANGED_SPEC] = JOURNAL_SPEC,
					 [CHANGED_CREATED] = JOURNAL_CAME, [CHANGED_DELETED] = JOURNAL_WENT };
	struct journal_entry e = { .time = c->time, .object = { c->slot, 0 }, .watched = true };

	assert(c->what < sizeof(whats) && c->from < PHASE_COUNT && c->to < PHASE_COUNT);
	e.what = whats[c->what];
	e.from.phase = (uint8_t)c->from;
	e.to.phase = (uint8_t)c->to;
	if (c->slot)
		e.object.gen = store_node_named(g->store, c->slot).gen - c->gone;
	journal_add(g->journal, &e, NULL);
}

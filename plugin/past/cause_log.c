/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/past/cause_log.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/time.h"
#include "kube/journal/journal.h"
#include "tui/words/words.h"

#include <stdlib.h>

enum {
	HELD = 20000,		/* the most objects that are noted as held up by one cause */
	CAPTURES = 64,		/* how often it is told anew what one cause is */
	CAUSE_COST = 4,		/* a root cause takes as long as so many objects that wait for one */
	OVERHEAD = 16,		/* the bytes that malloc() needs for an allocation, and an arena at most for a text */
	MAP_FIRST = 640,	/* the bytes of a map with one entry, besides that */
	FACTS = 100		/* of so many causes at a time the facts are made, which takes long */
};
#define BRIEF MINUTES(1)	/* a wait without a warning that ended sooner is no incident */
#define FOLLOWS MINUTES(10)	/* for so long after a failed object of an owner another one goes on with the same cause */
#define NO_LANE UINT32_MAX

/* Objects in the order in which they were met, each once. */
struct objects {
	struct map by_name;
	struct logged_object *all;
	size_t n, cap;
};

/* A cause over time. */
struct lane {
	uint32_t into;		/* the lane that this one became a part of; itself: none */
	uint64_t noted;		/* the number of the last note in which there was the cause */
	int64_t changed;	/* when the verdict of a member last changed, ms, if that was since the note before */
	struct logged_cause told;	/* without members, held and spans */
	size_t size;		/* how many objects were root causes when told was made */
	uint64_t said;		/* a hash of what was said then */
	unsigned captures;
	bool facts;		/* told has the facts */
	struct cause_span *spans;
	size_t nspans, spans_cap;
	bool recovers;		/* when it was last noted, it was merely under way */
	struct objects members, held;
	struct handle owner;	/* the top owner of the members, and their kind, while all have the same */
	const struct kind *kind;
};

struct cause_log {
	struct arena texts;
	struct lane *lanes;
	size_t nlanes, lanes_cap;
	struct map lane_of;	/* by the name of a root cause: 1 + the number of its lane, as a pointer */
	uint32_t *held_by;	/* by slot: 1 + the lane that noted the object last, to note it sooner */
	uint32_t *held_gen;	/* by slot: the generation of that object */
	uint32_t nslots;
	size_t ceiling, bytes;	/* what is noted, with what malloc() needs for it */
	int64_t full_since;	/* the moment when that reached the ceiling, ms; 0: it has not */
	uint64_t notes, read;	/* how many notes there were, and the number of the next entry of the journal to read */
};

struct cause_log *cause_log_new(size_t ceiling)
{
	struct cause_log *log = xcalloc(1, sizeof(*log));

	log->ceiling = ceiling;
	return log;
}

int64_t cause_log_full_since(const struct cause_log *log)
{
	return log->full_since;
}

static bool is_full(const struct cause_log *log)
{
	return log->bytes >= log->ceiling;
}

static struct str keep(struct cause_log *log, struct str text)
{
	log->bytes += text.len + OVERHEAD;
	return arena_str(&log->texts, text);
}

void cause_log_free(struct cause_log *log)
{
	if (!log)
		return;
	for (size_t i = 0; i < log->nlanes; i++) {
		xfree(log->lanes[i].spans);
		map_release(&log->lanes[i].members.by_name);
		map_release(&log->lanes[i].held.by_name);
		xfree(log->lanes[i].members.all);
		xfree(log->lanes[i].held.all);
	}
	xfree(log->lanes);
	xfree(log->held_by);
	xfree(log->held_gen);
	map_release(&log->lane_of);
	arena_release(&log->texts);
	xfree(log);
}

/* ---- objects ---------------------------------------------------------------------- */

struct str logged_name(uint16_t cluster, uint32_t kind, struct str ns, struct str name, struct arena *a)
{
	uint32_t head[3] = { cluster, kind, (uint32_t)ns.len };

	return ARENA_JOIN(a, ((struct str){ (const char *)head, sizeof(head) }), ns, name);
}

static struct str name_key(const struct object_id *id, struct arena *a)
{
	return logged_name(id->cluster, id->kind->id, id->ns, id->name, a);
}

static void objects_add(struct cause_log *log, struct objects *to, const struct logged_object *o, struct arena *scratch)
{
	struct str key = name_key(&o->id, scratch);

	if (to->n == HELD || is_full(log) || map_get(&to->by_name, key))
		return;
	log->bytes += 2 * sizeof(*o) + map_entry_size(key.len) + OVERHEAD + (to->n ? 0 : MAP_FIRST);
	to->all = xgrow(to->all, to->n, &to->cap, sizeof(*to->all));
	map_set(&to->by_name, key, to);
	to->all[to->n] = *o;
	to->all[to->n].id.ns = keep(log, o->id.ns);
	to->all[to->n].id.name = keep(log, o->id.name);
	to->all[to->n].cluster = keep(log, o->cluster);
	to->n++;
}

static struct logged_object object_at(const struct world *w, uint32_t slot)
{
	struct object_id id = store_node_id(w->store, slot);

	return (struct logged_object){ id, graph_cluster_name(w->graph, id.cluster) };
}

/* ---- lanes ------------------------------------------------------------------------ */

static uint32_t lane_find(const struct cause_log *log, uint32_t lane)
{
	while (log->lanes[lane].into != lane)
		lane = log->lanes[lane].into;
	return lane;
}

static uint32_t lane_add(struct cause_log *log)
{
	uint32_t n = (uint32_t)log->nlanes;

	log->lanes = xgrow(log->lanes, log->nlanes++, &log->lanes_cap, sizeof(*log->lanes));
	log->lanes[n] = (struct lane){ .into = n };
	log->bytes += 2 * sizeof(*log->lanes);
	return n;
}

static uint32_t lane_of(const struct cause_log *log, const struct world *w, uint32_t slot, struct arena *scratch)
{
	struct object_id id = store_node_id(w->store, slot);
	uintptr_t found = (uintptr_t)map_get(&log->lane_of, name_key(&id, scratch));

	return found ? lane_find(log, (uint32_t)found - 1) : NO_LANE;
}

static void set_lane(struct cause_log *log, const struct world *w, uint32_t slot, uint32_t lane, struct arena *scratch)
{
	struct object_id id = store_node_id(w->store, slot);

	struct str key = name_key(&id, scratch);

	if (!map_get(&log->lane_of, key)) {
		if (is_full(log))
			return;
		log->bytes += map_entry_size(key.len) + OVERHEAD;
	}
	map_set(&log->lane_of, key, (void *)((uintptr_t)lane + 1));
}

static bool is_on(const struct lane *l)
{
	return l->nspans && !l->spans[l->nspans - 1].to;
}

static void span_add(struct cause_log *log, struct lane *l, struct cause_span span)
{
	log->bytes += 2 * sizeof(span);
	l->spans = xgrow(l->spans, l->nspans, &l->spans_cap, sizeof(*l->spans));
	l->spans[l->nspans++] = span;
}

static int compare_spans(const void *x, const void *y)
{
	const struct cause_span *a = x, *b = y;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* Sorts the spans, and makes one of those that overlap. */
static void spans_unite(struct lane *l)
{
	size_t kept = 0;

	qsort(l->spans, l->nspans, sizeof(*l->spans), compare_spans);
	for (size_t i = 1; i < l->nspans; i++) {
		struct cause_span *last = &l->spans[kept], *next = &l->spans[i];

		if (next->from <= last->to && (!next->to || next->to >= last->to))
			last->lost = next->lost;
		if (!last->to || next->from <= last->to)
			last->to = last->to && next->to ? (last->to > next->to ? last->to : next->to) : 0;
		else
			l->spans[++kept] = *next;
	}
	l->nspans = l->nspans ? kept + 1 : 0;
}

/* Makes one lane of two, because their objects are equal root causes now. */
static void lane_join(struct cause_log *log, uint32_t to, uint32_t from, struct arena *scratch)
{
	struct lane *t = &log->lanes[to], *f = &log->lanes[from];

	for (size_t i = 0; i < f->nspans; i++)
		span_add(log, t, f->spans[i]);
	spans_unite(t);
	for (size_t i = 0; i < f->members.n; i++)
		objects_add(log, &t->members, &f->members.all[i], scratch);
	for (size_t i = 0; i < f->held.n; i++)
		objects_add(log, &t->held, &f->held.all[i], scratch);
	if (f->told.severity > t->told.severity)
		t->told = f->told;
	f->into = to;
	f->nspans = 0;
}

static struct handle owner_of(const struct world *w, const struct cause_group *c)
{
	struct summary s;

	if (!graph_summary(w->graph, c->what.id.handle, &s) || !s.owner.slot)
		return HANDLE_NONE;
	return words_top_owner(w->graph, s.owner);
}

/* Returns the lane of an object of the same owner and kind that was a root cause until a moment ago; pods are replaced. */
static uint32_t lane_before(const struct cause_log *log, const struct world *w, const struct cause_group *c)
{
	struct handle owner = owner_of(w, c);
	const struct kind *kind = store_node_kind(w->store, c->slots[0]);

	for (size_t i = 0; owner.slot && i < log->nlanes; i++) {
		const struct lane *l = &log->lanes[i];
		int64_t ended = l->nspans ? l->spans[l->nspans - 1].to : 0;

		if (l->into == i && l->noted != log->notes && l->kind == kind && handle_eq(l->owner, owner) &&
		    (!ended || w->now - ended <= FOLLOWS))
			return (uint32_t)i;
	}
	return NO_LANE;
}

/* Returns true for a root cause that is on its happy path: others wait for it, and nothing is wrong. */
static bool is_under_way(const struct root_cause *r)
{
	return r->cause == WAIT_NOT_READY && r->severity < SEVERITY_WARNING && phase_under_way(r->phase);
}

/*
 * Returns the lane of a group of equal root causes: that of its members.  When they had several, these become one.  When
 * another group of this note has the lane, this group has left it and gets a lane of its own.  What is merely under way
 * goes on with a lane that did not end, and begins none: NO_LANE.
 */
static uint32_t lane_of_group(struct cause_log *log, const struct world *w, const struct cause_group *c, struct arena *scratch)
{
	uint32_t lane = NO_LANE;

	for (size_t i = 0; i < c->n; i++) {
		uint32_t one = lane_of(log, w, c->slots[i], scratch);

		if (one == NO_LANE || one == lane || log->lanes[one].noted == log->notes)
			continue;
		if (lane != NO_LANE)
			lane_join(log, one < lane ? one : lane, one < lane ? lane : one, scratch);
		lane = one < lane ? one : lane;
	}
	if (lane == NO_LANE)
		lane = lane_before(log, w, c);
	if ((is_under_way(&c->what) || is_full(log)) && (lane == NO_LANE || !is_on(&log->lanes[lane])))
		return NO_LANE;
	if (lane == NO_LANE)
		lane = lane_add(log);
	for (size_t i = 0; i < c->n; i++)
		set_lane(log, w, c->slots[i], lane, scratch);
	return lane;
}

/* ---- what is told of a cause -------------------------------------------------------- */

static uint64_t said_key(const struct root_cause *r)
{
	return key_mix_str(key_mix((uint64_t)r->cause, (uint64_t)r->phase << 8 | (uint64_t)r->severity), r->reason);
}

/*
 * Returns true when the cause is worse than it was told, as bad and larger, or as bad and something else.  last: what is
 * told of a cause that goes on is how it is in the end.
 */
static bool tells_more(const struct lane *l, const struct cause_group *c, bool last)
{
	if (!l->captures || c->what.severity > l->told.severity)
		return true;
	if (c->what.severity < l->told.severity || (l->captures >= CAPTURES && !last))
		return false;
	return last || c->n > l->size + l->size / 8 || (c->n >= l->size && said_key(&c->what) != l->said);
}

static void copy_facts(struct cause_log *log, struct world *w, const struct cause_group *c, struct logged_cause *out, struct arena *scratch)
{
	size_t n;
	const struct cause_fact *facts = cause_facts(w->graph, w->store, c, FACT_IN_REPORT, scratch, &n);
	struct cause_fact *copy = arena_array(&log->texts, n, sizeof(*copy));

	log->bytes += n * sizeof(*copy);
	for (size_t i = 0; i < n; i++)
		copy[i] = (struct cause_fact){ keep(log, str_of(facts[i].label)).ptr, keep(log, facts[i].text) };
	out->facts = copy;
	out->nfacts = n;
}

static void copy_changed(struct world *w, const struct cause_group *c, struct logged_cause *out, struct arena *scratch)
{
	size_t n;
	int64_t began;
	const struct change_before *changes = changes_before_trouble(w->graph, cause_changed(w->graph, w->store, &c->what), scratch, &began, &n);

	for (size_t i = 0; i < n && i < FACTS_BEFORE; i++)
		out->changed[i] = changes[i].time;
}

static void capture(struct cause_log *log, struct lane *l, struct world *w, const struct cause_group *c, struct arena *scratch)
{
	const struct root_cause *r = &c->what;
	bool exists = r->id.handle.slot != 0;
	struct logged_cause before = l->told;

	l->told = (struct logged_cause){
		.title = keep(log, cause_title(&w->kinds, c, TITLE_WHOLE, scratch)),
		.where = keep(log, cause_where(c, scratch)),
		.cluster = keep(log, r->id.cluster),
		.owner = keep(log, cause_owner(w->graph, c)),
		.state = keep(log, str_of(exists && r->phase != PHASE_READY ? phase_name(r->phase) : wait_state_name(r->cause))),
		.words = keep(log, cause_words(r, scratch)),
		.whole = keep(log, cause_words_whole(r, scratch)),
		.command = keep(log, cause_command(w->graph, r, READER_ELSEWHERE, scratch)),
		.facts = before.facts,
		.nfacts = before.nfacts,
		.cause = r->cause,
		.phase = r->phase,
		.severity = r->severity,
		.exists = exists,
	};
	memcpy(l->told.changed, before.changed, sizeof(before.changed));
	l->size = c->n;
	l->said = said_key(r);
	l->captures++;
}

/* ---- a note ------------------------------------------------------------------------- */

static void reserve_slots(struct cause_log *log, const struct world *w)
{
	uint32_t n = store_slots(w->store) + 1;

	if (n <= log->nslots)
		return;
	n += n / 2;
	log->held_by = xreallocarray(log->held_by, n, sizeof(*log->held_by));
	log->held_gen = xreallocarray(log->held_gen, n, sizeof(*log->held_gen));
	memset(log->held_by + log->nslots, 0, (n - log->nslots) * sizeof(*log->held_by));
	memset(log->held_gen + log->nslots, 0, (n - log->nslots) * sizeof(*log->held_gen));
	log->nslots = n;
}

static void note_held(struct cause_log *log, uint32_t lane, const struct world *w, const struct cause_group *c, struct arena *scratch)
{
	size_t n;
	const uint32_t *slots = graph_blocked(w->graph, c->slots, c->n, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t slot = slots[i], gen = store_node_handle(w->store, slot).gen;
		struct logged_object o;

		if (log->held_by[slot] == lane + 1 && log->held_gen[slot] == gen)
			continue;
		log->held_by[slot] = lane + 1;
		log->held_gen[slot] = gen;
		o = object_at(w, slot);
		objects_add(log, &log->lanes[lane].held, &o, scratch);
	}
}

/* Begins a span, when the last one has ended.  It began when the state began that makes it a root cause.  first: nobody looked before. */
static void note_span(struct cause_log *log, struct lane *l, const struct root_cause *r, int64_t now, bool first)
{
	int64_t before = l->nspans ? l->spans[l->nspans - 1].to : 0, from = r->since && r->since < now ? r->since : now;

	if (!is_on(l))
		span_add(log, l, (struct cause_span){ .from = from > before ? from : before, .began_before = first && !r->since });
}

/*
 * Returns when a cause ended that is over now: when a member last changed, which may be sooner than now, because not every
 * moment is noted; where nobody watched, since when its members are Ready, as their status tells.
 */
static int64_t end_of(const struct lane *l, int64_t from, const struct world *w)
{
	int64_t end = l->changed > from ? l->changed : 0;

	for (size_t i = 0; !l->changed && i < l->members.n; i++) {
		struct summary s;

		if (graph_summary(w->graph, store_find(w->store, &l->members.all[i].id), &s) && s.phase == PHASE_READY && s.since > from &&
		    s.since > end && s.since <= w->now)
			end = s.since;
	}
	return end ? end : w->now;
}

/* True when a member is not there because nobody looks at it any more. */
static bool is_lost(const struct lane *l, const struct world *w)
{
	for (size_t i = 0; i < l->members.n; i++)
		if (store_was_let_go(w->store, store_find_node(w->store, &l->members.all[i].id)))
			return true;
	return false;
}

/* Ends the spans of the causes that were not noted now. */
static void end_others(struct cause_log *log, const struct world *w, struct arena *scratch)
{
	const struct journal *j = graph_journal(w->graph);

	for (uint64_t i = log->read > journal_first(j) ? log->read : journal_first(j); i < journal_end(j); i++) {
		const struct journal_entry *e = journal_at(j, i);
		struct journal_texts texts = journal_texts(e);
		uintptr_t lane = e->texts ? (uintptr_t)map_get(&log->lane_of, logged_name(e->cluster, e->kind, texts.ns, texts.name, scratch)) : 0;

		if (lane)
			log->lanes[lane_find(log, (uint32_t)lane - 1)].changed = e->time;
		arena_reset(scratch);
	}
	log->read = journal_end(j);
	for (size_t i = 0; i < log->nlanes; i++) {
		struct lane *l = &log->lanes[i];

		if (l->noted != log->notes && is_on(l)) {
			struct cause_span *span = &l->spans[l->nspans - 1];

			span->lost = is_lost(l, w);
			span->to = span->lost ? w->now : end_of(l, span->from, w);
		}
		l->changed = 0;
	}
}

/* How a root cause is noted: for the last time, and with its facts. */
struct how {
	bool last, facts;
};

static void note_group(struct cause_log *log, struct world *w, const struct cause_group *c, struct how how, struct arena *scratch)
{
	uint32_t lane = lane_of_group(log, w, c, scratch);
	struct lane *l;
	bool tells;

	if (lane == NO_LANE)
		return;
	l = &log->lanes[lane];
	for (size_t i = 0; i < c->n; i++) {
		struct logged_object o = object_at(w, c->slots[i]);

		objects_add(log, &l->members, &o, scratch);
	}
	l->noted = log->notes;
	l->recovers = is_under_way(&c->what);
	l->owner = owner_of(w, c);
	l->kind = store_node_kind(w->store, c->slots[0]);
	note_span(log, l, &c->what, w->now, log->notes == 1);
	note_held(log, lane, w, c, scratch);
	tells = tells_more(l, c, how.last) && (!is_full(log) || !l->captures);
	if (tells)
		capture(log, l, w, c, scratch);
	if (how.facts && (tells || !l->facts) && !is_full(log)) {
		copy_facts(log, w, c, &l->told, scratch);
		copy_changed(w, c, &l->told, scratch);
		l->facts = true;
	}
}

/* What q selects, for graph_concerned(). */
struct selection_in {
	const struct query *q;
	const struct world *w;
};

static bool is_selected(const void *ctx, struct handle h)
{
	const struct selection_in *in = ctx;

	return query_selects(in->q, in->w, h);
}

size_t cause_log_note(struct cause_log *log, struct world *w, const struct query *q, bool last)
{
	struct arena arena = { 0 }, scratch = { 0 };
	const struct selection_in in = { q, w };
	size_t n, looked = 0, facts = 0;
	const struct cause_group *groups = cause_groups(w->graph, &n);
	const uint8_t *concerned = n ? graph_concerned(w->graph, is_selected, &in, &arena) : NULL;

	log->notes++;
	reserve_slots(log, w);
	for (size_t i = 0; i < n; i++) {
		if (cause_group_concerned(&groups[i], concerned))
			note_group(log, w, &groups[i], (struct how){ last, facts++ < FACTS }, &scratch);
		looked += groups[i].n * CAUSE_COST + groups[i].what.nblocked;
		arena_reset(&scratch);
	}
	end_others(log, w, &scratch);
	if (is_full(log) && !log->full_since)
		log->full_since = w->now;
	arena_release(&scratch);
	arena_release(&arena);
	return looked;
}

/* ---- another world -------------------------------------------------------------------- */

/* What the ids of one world are in another one. */
struct exchange {
	const struct world *from;
	struct world *to;
	struct arena scratch;
};

static const struct kind *kind_in(const struct exchange *x, const struct kind *kind)
{
	return kind ? kinds_put(&x->to->kinds, kind->group, kind->kind) : NULL;
}

/* Returns the cluster with the same name; the same number where there is none, as of one without a name. */
static uint16_t cluster_in(const struct exchange *x, uint16_t cluster)
{
	struct str name = graph_cluster_name(x->from->graph, cluster);

	for (uint16_t i = 0; name.len && graph_cluster_name(x->to->graph, i).len; i++)
		if (str_eq(graph_cluster_name(x->to->graph, i), name))
			return i;
	return cluster;
}

static void exchange_objects(struct exchange *x, struct objects *o)
{
	map_release(&o->by_name);
	for (size_t i = 0; i < o->n; i++) {
		struct object_id *id = &o->all[i].id;

		id->kind = kind_in(x, id->kind);
		id->cluster = cluster_in(x, id->cluster);
		map_set(&o->by_name, name_key(id, &x->scratch), o);
		arena_reset(&x->scratch);
	}
}

/* The members of a lane, of which each was in the last one that has it, are found by their names in the other world. */
static void exchange_names(struct exchange *x, struct cause_log *log, size_t lane)
{
	const struct objects *members = &log->lanes[lane].members;

	for (size_t i = 0; i < members->n; i++) {
		map_set(&log->lane_of, name_key(&members->all[i].id, &x->scratch), (void *)((uintptr_t)lane + 1));
		arena_reset(&x->scratch);
	}
}

void cause_log_go_on(struct cause_log *log, const struct world *from, struct world *to)
{
	struct exchange x = { .from = from, .to = to };

	map_release(&log->lane_of);
	for (size_t i = 0; i < log->nlanes; i++) {
		struct lane *l = &log->lanes[i];

		exchange_objects(&x, &l->members);
		exchange_objects(&x, &l->held);
		l->kind = kind_in(&x, l->kind);
		l->owner = HANDLE_NONE;
		exchange_names(&x, log, i);
	}
	memset(log->held_by, 0, log->nslots * sizeof(*log->held_by));
	log->read = journal_end(graph_journal(to->graph));
	arena_release(&x.scratch);
}

/* ---- all causes ---------------------------------------------------------------------- */

static int compare_causes(const void *x, const void *y)
{
	const struct logged_cause *a = x, *b = y;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->held.n != b->held.n)
		return a->held.n > b->held.n ? -1 : 1;
	if (a->spans[0].from != b->spans[0].from)
		return a->spans[0].from < b->spans[0].from ? -1 : 1;
	return str_cmp(a->title, b->title);
}

const struct logged_cause *cause_log_causes(struct cause_log *log, struct arena *a, size_t *out_n)
{
	struct logged_cause *out = arena_array(a, log->nlanes, sizeof(*out));
	size_t n = 0;

	for (size_t i = 0; i < log->nlanes; i++) {
		const struct lane *l = &log->lanes[i];

		if (l->into != i || !l->nspans)
			continue;
		assert(l->captures);
		out[n] = l->told;
		out[n].members = (struct logged_objects){ l->members.all, l->members.n };
		out[n].held = (struct logged_objects){ l->held.all, l->held.n };
		out[n].spans = l->spans;
		out[n].nspans = l->nspans;
		out[n].recovers = is_on(l) && l->recovers;
		out[n].lost = l->spans[l->nspans - 1].lost;
		out[n++].goes_on = is_on(l);
	}
	if (n)
		qsort(out, n, sizeof(*out), compare_causes);
	*out_n = n;
	return out;
}

bool cause_is_brief(const struct logged_cause *c)
{
	int64_t lasted = 0;

	for (size_t i = 0; i < c->nspans; i++)
		lasted += c->spans[i].to - c->spans[i].from;
	return !c->goes_on && c->severity < SEVERITY_WARNING && lasted < BRIEF;
}

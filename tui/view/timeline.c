/* SPDX-License-Identifier: Apache-2.0 */
/* What happened and when: observed transitions, conditions, histories and Events in the order of time. */
#include <stdlib.h>
#include <string.h>

#include "kube/base/assert.h"
#include "kube/base/time.h"
#include "tui/state/filter.h"
#include "tui/view/density.h"
#include "tui/view/detail.h"
#include "tui/view/markdown.h"
#include "tui/view/place.h"
#include "tui/view/timeline.h"
#include "tui/view/views.h"
#include "tui/words/words.h"

enum {
	ENTRIES = 20000,
	OBSERVED = ENTRIES / 2, /* so many entries are observed transitions at most */
	OBJECTS = 1000, /* so many objects are shown with their history: those that changed last */
	FIELDS = 8,
	WIDE = 160, /* columns: on narrower screens times have no date */
	NAME = 1,	/* the cell of the name */
	CLOCK = 8,
	DATE_AND_CLOCK = 19
};

/* An entry by its index, with its time.  It is small because there may be thousands to sort. */
struct place_in_time {
	int64_t time;
	uint32_t entry;
};

/* The state of the view. */
struct timeline {
	/* what the lines show; in the arena of the lines */
	struct shown_timeline {
		const struct timeline_entry *entries;
		const struct place_in_time *order; /* the entries by time, the oldest first */
		size_t n;			   /* the number of elements in order */
		bool namespaces;		   /* of the entries: not where all are in that of the object that they are about */
	} shown;
};

struct collect {
	const struct ui *ui;
	struct ui *building;	/* the user interface, when a key may interrupt the work; NULL: nothing may */
	const struct scene *scene;
	struct arena *a;	/* the arena of the entries */
	struct arena *scratch;	/* the arena of what is only needed to collect them */
	const struct filter *filter;
	struct timeline_entry *all; /* the entries in the order in which they were found */
	size_t n, cap;
	struct place_in_time *order;
	size_t norder;	 /* how many entries pass the filter, in order */
	size_t left_out; /* how many entries were left out beyond the largest number */
	size_t unwell;	 /* how many objects are not well and pass the filter */
};

/* True when a key has come in; a loop asks it once in many turns. */
static bool is_stopped(const struct collect *c, size_t i, size_t many)
{
	return c->building && i % many == 0 && ui_interrupted(c->building, c->scene);
}

static void reserve(struct collect *c, size_t n)
{
	struct timeline_entry *grown;

	if (n <= c->cap)
		return;
	grown = arena_array(c->a, n, sizeof(*grown));
	if (c->n)
		memcpy(grown, c->all, c->n * sizeof(*grown));
	c->all = grown;
	c->cap = n;
}

static void add(struct collect *c, struct timeline_entry entry)
{
	if (!entry.time)
		return;
	if (c->n == ENTRIES) {
		c->left_out++;
		return;
	}
	c->all = arena_grow(c->a, c->all, c->n, &c->cap, sizeof(*c->all));
	c->all[c->n++] = entry;
}

/* Copies an id: the store may forget the object while the entry is shown. */
static struct id copy_id(struct collect *c, const struct id *id)
{
	struct id copy = *id;

	copy.group = arena_str(c->a, id->group);
	copy.kind = arena_str(c->a, id->kind);
	copy.ns = arena_str(c->a, id->ns);
	copy.name = arena_str(c->a, id->name);
	copy.cluster = arena_str(c->a, id->cluster);
	return copy;
}

/* Returns what a condition or history says: "Ready=False  Unhealthy: the first line of the message". */
static struct str said(struct collect *c, struct str type, struct str status, struct str reason, struct str message)
{
	const struct str first = words_first_line(message), none = STR_NONE;
	const struct str parts[] = { type, status.len ? STR("=") : none, status, reason.len || first.len ? STR("  ") : none,
				     reason, reason.len && first.len ? STR(": ") : none, first };

	return arena_join(c->a, parts, sizeof(parts) / sizeof(parts[0]));
}

static void add_observed(struct collect *c, struct handle only)
{
	const struct observer *o = &c->ui->observer;

	/* Of very many transitions the last ones are shown. */
	size_t oldest = observe_oldest(o, c->scene), n = o->count - oldest;

	if (only.slot)
		only = scene_to_journal(c->scene, only);

	c->left_out = n > OBSERVED ? n - OBSERVED : 0;
	if (!only.slot)
		reserve(c, n - c->left_out);
	for (size_t i = oldest + c->left_out; i < o->count && !is_stopped(c, i, 1024); i++) {
		const struct journal_entry *m = observe_transition(o, c->scene, i);
		const struct kind *kind = scene_journal_kinds(c->scene)->all[m->kind - 1];

		if (c->scene->past && m->time > c->scene->now)
			break;
		if (only.slot && (m->object.slot != only.slot || m->object.gen != only.gen))
			continue;
		add(c, (struct timeline_entry){ .time = m->time,
				       .key = key_mix(17, o->transitions[i].entry),
				       .id = { .group = arena_str(c->a, kind->group),
					       .kind = arena_str(c->a, kind->kind),
					       .ns = arena_str(c->a, journal_texts(m).ns),
					       .name = arena_str(c->a, journal_texts(m).name),
					       .cluster = arena_str(c->a, scene_journal_cluster(c->scene, m->cluster)),
					       .handle = scene_from_journal(c->scene, m->object) },
				       .name = observe_name(m, c->scene, c->a),
				       .what = observe_words(m, c->a),
				       .style = phase_appearance(observe_phase(m))->style,
				       .source = "observed" });
	}
}

/* Adds a line at the beginning of each time in which nobody watched. */
static void add_gaps(struct collect *c, struct handle only)
{
	size_t n;
	const struct gap *gaps = scene_gaps(c->scene, only, 0, c->a, &n);

	for (size_t i = 0; i < n; i++)
		add(c, (struct timeline_entry){ .time = gaps[i].from,
				       .key = key_mix(19, (uint64_t)gaps[i].from),
				       .name = STR("not watched"),
				       .what = gap_words(&gaps[i], c->scene, c->a),
				       .style = STYLE_DIM,
				       .source = "gap" });
}

/* True when a condition has the same time, reason and message. */
static bool repeats_condition(const struct item *item, const struct transition *t)
{
	for (size_t i = 0; i < item->status.nconditions; i++) {
		const struct condition *cond = &item->status.conditions[i];

		if (cond->since == t->time && str_eq(cond->reason, t->reason) && str_eq(cond->message, t->message))
			return true;
	}
	return false;
}

/* Returns the key of an entry, which stays the same when the entries are collected again. */
static uint64_t key_of(uint64_t source, int64_t time, const struct id *id, struct str what)
{
	return key_mix_str(key_mix(key_mix(source, (uint64_t)time), key_of_handle(id->handle)), what);
}

static void add_conditions(struct collect *c, const struct item *item, const struct id *id, struct str name)
{
	for (size_t i = 0; i < item->status.nconditions; i++) {
		const struct condition *cond = &item->status.conditions[i];
		bool bad = condition_normality(item, cond) == NORMALITY_ABNORMAL;

		add(c, (struct timeline_entry){ .time = cond->since,
				       .key = key_of(18, cond->since, id, cond->type),
				       .id = *id,
				       .name = name,
				       .what = said(c, cond->type, cond->status, cond->reason, cond->message),
				       .style = bad ? STYLE_BAD : STYLE_NORMAL,
				       .source = "condition" });
	}
	for (size_t i = 0; i < item->status.nhistory; i++) {
		const struct transition *t = &item->status.history[i];

		if (repeats_condition(item, t))
			continue;
		add(c, (struct timeline_entry){ .time = t->time,
				       .key = key_of(19, t->time, id, t->what),
				       .id = *id,
				       .name = name,
				       .what = said(c, t->what, STR_NONE, t->reason, t->message),
				       .style = STYLE_NORMAL,
				       .source = "history" });
	}
}

static void add_object(struct collect *c, struct handle h)
{
	struct arena arena = { 0 };
	struct item item;
	struct str name;
	struct id id;

	if (!graph_item_brief(c->scene->graph, h, 0, &arena, &item)) {
		arena_release(&arena);
		return;
	}
	id = copy_id(c, &item.s.id);
	name = words_id(store_kinds(c->scene->store), &id, c->a);
	add(c, (struct timeline_entry){ .time = item.s.created,
			       .key = key_of(20, item.s.created, &id, STR_NONE),
			       .id = id,
			       .name = name,
			       .what = STR("created"),
			       .style = STYLE_DIM,
			       .source = "object" });
	add(c, (struct timeline_entry){ .time = store_meta(c->scene->store, h).deleting,
			       .key = key_of(21, item.s.created, &id, STR_NONE),
			       .id = id,
			       .name = name,
			       .what = STR("deletion asked for"),
			       .style = STYLE_LEAVING,
			       .source = "object" });
	add_conditions(c, &item, &id, name);
	arena_release(&arena);
}

/* Adds the Events of one object and its parts, or of all objects. */
static void add_events(struct collect *c, struct handle h)
{
	const struct fetched *f = scene_fetched(c->scene, h, WANT_EVENTS);
	const struct kinds *kinds = store_kinds(c->scene->store);

	if (!f || f->state != FETCH_OK)
		return;
	for (size_t i = 0; i < f->nevents; i++) {
		const struct event_row *e = &f->events[i];
		const struct str what[] = { e->reason, STR(": "), words_first_line(e->message) };
		struct summary s = { .id = e->about };

		if (h.slot && !e->about.name.len)
			graph_summary(c->scene->graph, h, &s);
		s.id = copy_id(c, &s.id);
		add(c, (struct timeline_entry){ .time = e->time,
				       .key = key_mix_str(key_of(22, e->time, &s.id, e->message), s.id.name),
				       .id = s.id,
				       .name = words_id(kinds, &s.id, c->a),
				       .what = arena_join(c->a, what, sizeof(what) / sizeof(what[0])),
				       .style = str_is(e->type, "Warning") ? STYLE_WARN : STYLE_NORMAL,
				       .source = "event" });
	}
}

static int compare_newest(const void *pa, const void *pb)
{
	const struct summary *a = pa, *b = pb;

	if (a->since != b->since)
		return a->since > b->since ? -1 : 1;
	return a->id.handle.slot < b->id.handle.slot ? -1 : a->id.handle.slot > b->id.handle.slot;
}

/*
 * True when the last scan found the object well.  That is known sooner than the graph can tell, and most objects are
 * well.
 */
static bool is_well(const struct collect *c, struct handle h)
{
	const struct snapshot *snapshot = observe_snapshot(ui_shown(c->ui, c->scene), h);

	return snapshot && snapshot->severity == SEVERITY_NONE;
}

/* Returns the selected objects that are not well. */
static struct summary *find_unwell(struct collect *c)
{
	struct summary *unwell = NULL, s;
	size_t cap = 0;

	for (struct handle h = store_next(c->scene->store, 0); h.slot; h = store_next(c->scene->store, h.slot + 1)) {
		if (is_well(c, h) || !scene_selects(c->scene, h) || !graph_summary(c->scene->graph, h, &s) ||
		    s.severity == SEVERITY_NONE)
			continue;
		unwell = arena_grow(c->scratch, unwell, c->unwell, &cap, sizeof(*unwell));
		unwell[c->unwell++] = s;
	}
	return unwell;
}

/*
 * Adds the entries of all objects: the history of those that are not well; of the others only what was observed, which
 * is there already.
 */
static void add_all(struct collect *c)
{
	struct summary *unwell = find_unwell(c);
	bool filtered = ui_filter(c->ui).len > 0;

	/*
	 * When there are too many objects, those that match the filter themselves are shown, and not those whose
	 * history may match.
	 */
	if (filtered && c->unwell > OBJECTS) {
		size_t n = 0;

		for (size_t i = 0; i < c->unwell; i++)
			if (filter_summary(c->filter, &unwell[i]))
				unwell[n++] = unwell[i];
		c->unwell = n;
	}
	if (c->unwell)
		qsort(unwell, c->unwell, sizeof(*unwell), compare_newest);
	for (size_t i = 0; i < c->unwell && i < OBJECTS && !is_stopped(c, i, 64); i++)
		add_object(c, unwell[i].id.handle);
}

static int compare_times(const void *pa, const void *pb)
{
	const struct place_in_time *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static bool entry_matches(struct collect *c, const struct timeline_entry *e)
{
	struct summary s = { .id = e->id, .phase = PHASE_UNKNOWN, .since = e->time };
	struct str fields[FIELDS] = { e->name, e->what, str_of(e->source), e->id.ns, e->id.cluster };

	graph_summary(c->scene->graph, e->id.handle, &s);
	fields[5] = str_of(phase_name(s.phase));
	fields[6] = s.reason;
	fields[7] = s.message;
	s.since = e->time;
	return filter_line(c->filter, &s, fields, FIELDS);
}

/* The widths of the widest cells.  Cells that nobody sees are not made, only measured. */
struct widest {
	int time, name, ns, cluster, what, source;
	bool several_ns;	/* not all are in one namespace */
};

static struct widest measure(const struct collect *c)
{
	struct widest w = { .time = c->norder ? DATE_AND_CLOCK : 0 };

	for (size_t i = 0; i < c->norder; i++) {
		const struct timeline_entry *e = &c->all[c->order[i].entry];

		w.name = text_widest(e->name, w.name);
		w.ns = text_widest(e->id.ns, w.ns);
		w.several_ns |= !str_eq(e->id.ns, c->all[c->order[0].entry].id.ns);
		w.cluster = text_widest(e->id.cluster, w.cluster);
		w.what = text_widest(e->what, w.what);
		w.source = text_widest(str_of(e->source), w.source);
	}
	return w;
}

static void add_column(struct ui *ui, struct column column, int widest)
{
	assert(ui->ncolumns < LINE_CELLS);
	column_fit(&column, widest);
	ui->columns[ui->ncolumns++] = column;
}

/* Adds a column with at most so many columns of the terminal, so that what happened has room. */
static void add_narrowed(struct ui *ui, struct column column, int most, int widest)
{
	most = most > column.min ? most : column.min;
	column.max = most < column.max ? (uint16_t)most : column.max;
	add_column(ui, column, widest);
}

static struct timeline *own(const struct ui *ui)
{
	return ui_own(ui, VIEW_TIMELINE);
}

static void set_columns(struct ui *ui, const struct widest *w)
{
	static const struct column time = { .title = "TIME (UTC)", .min = 8, .want = 8, .max = DATE_AND_CLOCK, .right = true };
	static const struct column clock = { .title = "UTC", .min = 8, .want = 8, .max = CLOCK, .right = true };
	static const struct column resource = {
		.title = "RESOURCE", .min = 14, .want = 32, .max = 60, .grow = 1, .clip = CLIP_MIDDLE
	};
	static const struct column ns = { .title = "NAMESPACE", .min = 9, .want = 9, .max = 24, .clip = CLIP_MIDDLE };
	static const struct column cluster = { .title = "CLUSTER", .min = 7, .want = 7, .max = 20, .clip = CLIP_MIDDLE };
	static const struct column what = { .title = "WHAT", .min = 30, .want = 60, .grow = 3 };
	static const struct column source = { .title = "SOURCE", .min = 9, .want = 9, .max = 9, .rank = 1 };

	bool narrow_screen = ui->cols < WIDE;

	ui->ncolumns = 0;
	add_column(ui, narrow_screen ? clock : time, w->time);
	add_narrowed(ui, resource, narrow_screen ? ui->cols * 3 / 10 : resource.max, w->name);
	if (ui->observer.many_clusters)
		add_narrowed(ui, cluster, narrow_screen ? 10 : cluster.max, w->cluster);
	if (own(ui)->shown.namespaces)
		add_narrowed(ui, ns, narrow_screen ? (ui->cols > 96 ? ui->cols / 6 : 12) : ns.max, w->ns);
	add_column(ui, what, w->what);
	add_column(ui, source, w->source);
}

/*
 * Adds the date as a heading on narrow screens, when it differs from the entry above, or of the first entry from today.
 */
static void add_date(struct collect *c, struct lines *lines, int64_t time, int64_t before)
{
	enum { DATE = 10 };
	char text[TIME_TEXT];

	if (c->ui->cols < WIDE && time / HOURS(24) != (before ? before : c->scene->now) / HOURS(24))
		lines_heading(lines, arena_printf(c->a, "  %.*s", DATE, time_format(time, text)).ptr);
}

static void add_line(struct lines *lines, const struct timeline_entry *e, size_t index)
{
	struct line *line = lines_add(lines);

	line->object = e->id.handle;
	line->key = e->key;
	line->flags = LINE_LAZY;
	line->index = (uint32_t)index;
}

static struct line timeline_fill(const struct ui *ui, const struct scene *scene, struct line line, struct arena *a)
{
	const struct shown_timeline *shown = &own(ui)->shown;
	const struct timeline_entry *e;
	struct lines filled = { .arena = a };
	struct str when;

	if (line.index >= shown->n)
		return line;
	e = &shown->entries[shown->order[line.index].entry];
	/* The date stands only in the first line of each day. */
	when = words_moment(e->time, line.index ? shown->order[line.index - 1].time : 0, a);
	*lines_add(&filled) = line;
	lines_cell_brief(&filled, when, str_from(when, when.len > CLOCK ? when.len - CLOCK : 0), STYLE_DIM);
	lines_cell(&filled, e->id.kind.len ? name_on_screen(ui, store_kinds(scene->store), &e->id, a) : e->name, STYLE_NORMAL);
	if (ui->observer.many_clusters)
		lines_cell(&filled, e->id.cluster, STYLE_DIM);
	if (shown->namespaces)
		lines_cell(&filled, e->id.ns, STYLE_DIM);
	lines_cell(&filled, e->what, e->style);
	lines_cell(&filled, str_of(e->source), STYLE_DIM);
	return filled.all[0];
}

/* Notes beside the title what is left out, because the list is read from its end. */
static void note_left_out(struct ui *ui, const struct collect *c)
{
	const struct fetched *f = scene_fetched(c->scene, ui_place(ui)->subject, WANT_EVENTS);

	ui->note = STR_NONE;
	if (c->unwell > OBJECTS)
		ui->note = ARENA_JOIN(&ui->arena, STR("shown: the "), arena_printf(&ui->arena, "%d", OBJECTS),
				      STR(" that changed last of "), words_count(c->unwell, c->a), STR(" that are not well"));
	else if (c->left_out)
		ui->note = ARENA_JOIN(&ui->arena, words_count(c->left_out, c->a), STR(" entries are left out"));
	else if (f && f->state == FETCH_ERROR)
		ui->note = arena_printf(&ui->arena, "without Events: " STR_FMT, STR_ARG(f->error));
	else if (f && f->more)
		ui->note = arena_printf(&ui->arena, "%zu Events, there are more", f->nevents);
}

/* ---- what is told twice --------------------------------------------------- */

/*
 * Returns the rank of the source of an entry; 0 is the source that says most: an observed transition names the phase
 * before, an Event only has a message.
 */
static size_t rank(const struct timeline_entry *e)
{
	static const char *const sources[] = { "observed", "condition", "history", "event" };
	size_t i = 0;

	while (i < sizeof(sources) / sizeof(sources[0]) && strcmp(sources[i], e->source) != 0)
		i++;
	return i;
}

/* Returns the reason and the message of an entry, without what its source puts before them; "": there are none. */
static struct str words_of(const struct timeline_entry *e)
{
	struct str lead = STR("appeared  "), what = str_starts(e->what, lead.ptr) ? str_from(e->what, lead.len) : e->what;

	if (strcmp(e->source, "event") == 0)
		return what;
	return str_from(str_from(what, str_find_str(what, "  ")), 2);
}

/*
 * True when the text of an observed transition is only the beginning of a longer text.  Up to a whole character less
 * than the limit may be kept.
 */
static bool is_cut(const struct timeline_entry *e)
{
	return rank(e) == 0 && e->what.len > TRANSITION_WORDS - 4;
}

static bool same_words(const struct timeline_entry *a, const struct timeline_entry *b)
{
	struct str x = words_of(a), y = words_of(b);

	return x.len && y.len && (str_eq(x, is_cut(a) ? str_head(y, x.len) : y) || (is_cut(b) && str_eq(str_head(x, y.len), y)));
}

/*
 * True when two entries say the same.  Several conditions may share a reason and are separate facts, unless they share
 * the message, too.
 */
static bool repeats(const struct timeline_entry *a, const struct timeline_entry *b)
{
	bool alike = rank(a) == rank(b);

	return handle_eq(a->id.handle, b->id.handle) && !(alike && (rank(a) == 0 || !str_contains(a->what, ": "))) &&
	       same_words(a, b);
}

/*
 * True when a says more than b.  Of two conditions it is the one with the shorter name: Ready and not ContainersReady.
 */
static bool says_more(const struct timeline_entry *a, const struct timeline_entry *b)
{
	return rank(a) != rank(b) ? rank(a) < rank(b) : a->what.len < b->what.len;
}

/*
 * Keeps one of the entries about one object that use the same words within a second: the one that says most.  The times
 * to compare are those in order, which stay as they are; an entry that is left out gets the time 0 and cannot cause
 * another one to be left out.
 */
static void leave_out_repeats(struct collect *c)
{
	uint32_t slots = store_slots(c->scene->store) + 1, n = (uint32_t)c->norder, nleft = 0;
	uint32_t *last = arena_array(c->scratch, slots, sizeof(*last)), *before = arena_array(c->scratch, n, sizeof(*before));

	memset(last, 0, slots * sizeof(*last));	/* by slot: 1 + the index of the last entry about the object */
	for (uint32_t i = 0; i < n; i++) {
		struct timeline_entry *e = &c->all[c->order[i].entry];
		uint32_t slot = e->id.handle.slot;

		if (!slot || slot >= slots)
			continue;
		before[i] = last[slot];
		last[slot] = i + 1;
		for (uint32_t k = before[i]; k && e->time && c->order[i].time - c->order[k - 1].time <= SECONDS(1); k = before[k - 1]) {
			struct timeline_entry *other = &c->all[c->order[k - 1].entry];

			if (other->time && repeats(e, other))
				(says_more(e, other) ? other : e)->time = 0;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		if (c->all[c->order[i].entry].time)
			c->order[nleft++] = c->order[i];
	c->norder = nleft;
}

/* Collects the entries that pass the filter, in the order of time. */
static void collect(struct collect *c, struct handle only)
{
	struct arena scratch = { 0 };
	bool filtered = ui_filter(c->ui).len > 0;

	c->scratch = &scratch;
	c->filter = filter_compile(ui_filter(c->ui), c->scene, &scratch);
	add_observed(c, only);
	add_gaps(c, only);
	add_events(c, only);
	if (only.slot)
		add_object(c, only);
	else
		add_all(c);
	c->order = arena_array(c->a, c->n, sizeof(*c->order));
	for (uint32_t i = 0; i < c->n && !is_stopped(c, i, 1024); i++)
		if (!filtered || entry_matches(c, &c->all[i]))
			c->order[c->norder++] = (struct place_in_time){ c->all[i].time, i };
	if (c->norder)
		qsort(c->order, c->norder, sizeof(*c->order), compare_times);
	leave_out_repeats(c);
	arena_release(&scratch);
}

const struct timeline_entry *ui_timeline(const struct ui *ui, const struct scene *scene, struct arena *a, size_t *out_n)
{
	struct collect c = { .ui = ui, .scene = scene, .a = a };
	struct timeline_entry *sorted;

	collect(&c, ui_place_const(ui)->subject);
	sorted = arena_array(a, c.norder, sizeof(*sorted));
	for (size_t i = 0; i < c.norder; i++)
		sorted[i] = c.all[c.order[i].entry];
	*out_n = c.norder;
	return sorted;
}

static void timeline_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct collect c = { .ui = ui, .building = ui, .scene = scene, .a = lines->arena };
	struct widest widest;
	int64_t before = 0;

	collect(&c, ui_place(ui)->subject);
	if (ui_interrupted(ui, scene))
		return;
	widest = measure(&c);
	own(ui)->shown = (struct shown_timeline){ c.all, c.order, c.norder,
						  ui->observer.many_namespaces && (widest.several_ns || !ui_place(ui)->subject.slot) };
	set_columns(ui, &widest);
	ui->matching = c.norder;
	lines_reserve(lines, c.norder);
	for (size_t i = 0; i < c.norder; i++) {
		const struct timeline_entry *e = &c.all[c.order[i].entry];

		add_date(&c, lines, e->time, before);
		add_line(lines, e, i);
		before = e->time;
	}
	note_left_out(ui, &c);
}

/* ---- keys ------------------------------------------------------------------- */

/* Opens the timeline of the object that was chosen or is open, else of all objects. */
static unsigned timeline_open(struct ui *ui, const struct scene *scene)
{
	struct handle of = ui_chosen(ui);
	uint32_t alike = of.slot && handle_eq(of, ui_subject(ui)) ? ui_alike(ui) : 0;
	unsigned effects = act_go(ui, VIEW_TIMELINE, of);

	(void)scene;
	ui_place(ui)->alike = alike;
	return effects;
}

/* Switches between one object and all. */
static unsigned show_other(struct ui *ui, const struct scene *scene)
{
	struct place *place = ui_place(ui);
	struct handle h = ui_subject(ui);

	if (!place->subject.slot && !h.slot)
		return act_say(ui, scene, "select an entry of a resource first");
	place->subject = place->subject.slot ? HANDLE_NONE : h;
	place->alike = 0;
	return act_moved(ui);
}

/* Copies as many of the newest entries as fit, each as a line with the whole name. */
static unsigned copy_timeline(struct ui *ui, const struct scene *scene)
{
	const struct shown_timeline *shown = &own(ui)->shown;
	struct arena a = { 0 };
	size_t first = ui->lines.n, bytes = 0;

	buf_reset(&ui->copy);
	ui->copy.max = 2 * COPY_BYTES;
	while (first > 0) {
		struct line line = ui_line_filled(ui, scene, first - 1, &a);

		for (size_t k = 0; k < line.ncells; k++)
			bytes += line.cells[k].str.len + 2;
		if (bytes > COPY_BYTES)
			break;
		first--;
	}
	for (size_t i = first; i < ui->lines.n; i++) {
		struct line line = ui_line_filled(ui, scene, i, &a);

		for (size_t k = 0; k < line.ncells; k++) {
			if (k)
				buf_add_cstr(&ui->copy, "  ");
			clean_text(&ui->copy, k == NAME ? shown->entries[shown->order[line.index].entry].name : line.cells[k].str);
		}
		buf_add_char(&ui->copy, '\n');
	}
	arena_release(&a);
	return EFFECT_COPY | act_say(ui, scene, "copied the timeline");
}

static unsigned export(struct ui *ui)
{
	if (!ui->file[0])
		ui_copy_str(ui->file, sizeof(ui->file), STR("timeline.txt"));
	ui->prompt = PROMPT_FILE;
	return EFFECT_REPAINT;
}

static bool timeline_act(struct ui *ui, const struct scene *scene, enum action action, unsigned *out_effects)
{
	if (action == ACTION_TIMELINE)
		*out_effects = show_other(ui, scene);
	else if (action == ACTION_COPY)
		*out_effects = copy_timeline(ui, scene);
	else if (action == ACTION_EXPORT)
		*out_effects = export(ui);
	else
		return false;
	return true;
}

/* ---- the view ---------------------------------------------------------------- */

static struct str timeline_empty(const struct ui *ui, const struct scene *scene, struct arena *a)
{
	(void)ui;
	(void)scene;
	(void)a;
	return STR("Nothing has happened yet");
}

static struct str timeline_matches(const struct ui *ui, struct arena *a)
{
	return ARENA_JOIN(a, words_count(ui->matching, a), str_of(ui->matching == 1 ? " entry matches" : " entries match"));
}

static enum want timeline_wants(const struct ui *ui, struct handle *out_handle)
{
	(void)ui;
	(void)out_handle;
	return WANT_EVENTS;
}

static void timeline_forget(void *state)
{
	*(struct timeline *)state = (struct timeline){ .shown = { .n = 0 } };
}

const struct view view_timeline = {
	.title = "timeline",
	.of_all = " of all",
	.resumes = "timeline",
	.build = timeline_build,
	.fill = timeline_fill,
	.lists = true,
	.follows = true,
	.stops = true,
	.empty = timeline_empty,
	.matches = timeline_matches,
	.opens_by = ACTION_TIMELINE,
	.open = timeline_open,
	.act = timeline_act,
	.wants = timeline_wants,
	.state = sizeof(struct timeline),
	.forget = timeline_forget,
};

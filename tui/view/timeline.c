/* SPDX-License-Identifier: Apache-2.0 */
/* What happened and when: observed changes, conditions, histories and events on one axis. */
#include <stdlib.h>
#include <string.h>

#include "kube/base/time.h"
#include "tui/view/act.h"
#include "tui/view/detail.h"
#include "tui/view/filter.h"
#include "tui/view/timeline.h"
#include "tui/view/words.h"

enum {
	ENTRIES = 20000,
	OBSERVED = ENTRIES / 2, /* of these at most */
	OBJECTS = 1000, /* shown with their history; of more, those that changed last */
	FIELDS = 8,
	WIDE = 110, /* columns: below, the day is left out of times */
	CLOCK = 8
};

struct collect {
	const struct ui *ui;
	const struct scene *scene;
	struct arena *a;
	const struct filter *filter;
	struct timeline_entry *all;
	size_t n;
	size_t left_out; /* entries beyond ENTRIES */
	size_t unwell;	 /* objects that are not well and pass the filter */
};

static void add(struct collect *c, struct timeline_entry entry)
{
	if (!entry.time)
		return;
	if (c->n == ENTRIES) {
		c->left_out++;
		return;
	}
	entry.order = c->n;
	c->all[c->n++] = entry;
}

static struct str said(struct collect *c, struct str reason, struct str message)
{
	message = words_first_line(message);
	return arena_printf(c->a, "%s" STR_FMT "%s" STR_FMT, reason.len || message.len ? "  " : "",
			    STR_ARG(reason), reason.len && message.len ? ": " : "",
			    STR_ARG(message));
}

static void add_observed(struct collect *c, struct handle only)
{
	const struct observer *o = &c->ui->seen;

	/* of very many the last ones */
	c->left_out = o->count > OBSERVED ? o->count - OBSERVED : 0;
	for (size_t i = c->left_out; i < o->count; i++) {
		const struct moment *m = observe_moment(o, i);

		if (c->scene->past && m->time > c->scene->now)
			break;
		if (only.slot && (m->object.slot != only.slot || m->object.gen != only.gen))
			continue;
		add(c, (struct timeline_entry){ .time = m->time,
				       .id = { .ns = str_of(m->ns),
					       .cluster = str_of(m->cluster),
					       .handle = m->object },
				       .name = str_of(m->name),
				       .what = str_of(m->what),
				       .style = phase_look(m->phase)->style,
				       .source = "observed" });
	}
}

/* A condition has the same time, reason and message. */
static bool repeats_condition(const struct item *item, const struct transition *t)
{
	for (size_t i = 0; i < item->status.nconditions; i++) {
		const struct condition *cond = &item->status.conditions[i];

		if (cond->since == t->time && str_eq(cond->reason, t->reason) && str_eq(cond->message, t->message))
			return true;
	}
	return false;
}

static void add_conditions(struct collect *c, const struct item *item, struct str name)
{
	for (size_t i = 0; i < item->status.nconditions; i++) {
		const struct condition *cond = &item->status.conditions[i];
		bool bad = condition_normality(item, cond) == NORMALITY_ABNORMAL;

		add(c, (struct timeline_entry){ .time = cond->since,
				       .id = item->s.id,
				       .name = name,
				       .what = arena_printf(c->a, STR_FMT "=" STR_FMT STR_FMT, STR_ARG(cond->type),
							    STR_ARG(cond->status),
							    STR_ARG(said(c, cond->reason, cond->message))),
				       .style = bad ? STYLE_BAD : STYLE_NORMAL,
				       .source = "condition" });
	}
	for (size_t i = 0; i < item->status.nhistory; i++) {
		const struct transition *t = &item->status.history[i];

		if (repeats_condition(item, t))
			continue;
		add(c, (struct timeline_entry){ .time = t->time,
				       .id = item->s.id,
				       .name = name,
				       .what = arena_printf(c->a, STR_FMT STR_FMT, STR_ARG(t->what),
							    STR_ARG(said(c, t->reason, t->message))),
				       .style = STYLE_NORMAL,
				       .source = "history" });
	}
}

static void add_object(struct collect *c, struct handle h)
{
	struct item item;
	struct str name;

	if (!graph_item(c->scene->graph, h, c->a, &item))
		return;
	name = words_id(store_kinds(c->scene->store), &item.s.id, c->a);
	add(c, (struct timeline_entry){ .time = item.s.created,
			       .id = item.s.id,
			       .name = name,
			       .what = STR("created"),
			       .style = STYLE_DIM,
			       .source = "object" });
	add(c, (struct timeline_entry){ .time = store_meta(c->scene->store, h).deleting,
			       .id = item.s.id,
			       .name = name,
			       .what = STR("deletion asked for"),
			       .style = STYLE_LEAVING,
			       .source = "object" });
	add_conditions(c, &item, name);
}

/* Those of one object and its parts, or of all. */
static void add_events(struct collect *c, struct handle h)
{
	const struct fetched *f = detail_fetched(c->scene, h, WANT_EVENTS);
	const struct kinds *kinds = store_kinds(c->scene->store);

	if (!f || f->state != FETCH_OK)
		return;
	for (size_t i = 0; i < f->nevents; i++) {
		const struct event_row *e = &f->events[i];
		struct summary s = { .id = e->about };

		if (h.slot && !e->about.name.len)
			graph_summary(c->scene->graph, h, &s);
		add(c, (struct timeline_entry){ .time = e->time,
				       .id = s.id,
				       .name = words_id(kinds, &s.id, c->a),
				       .what = arena_printf(c->a, STR_FMT ": " STR_FMT, STR_ARG(e->reason),
							    STR_ARG(words_first_line(e->message))),
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

/* As the last scan saw it, which is asked sooner than the graph: most are well. */
static bool is_well(const struct collect *c, struct handle h)
{
	const struct seen *seen = observe_seen(&c->ui->seen, h);

	return seen && seen->severity == SEVERITY_NONE;
}

/* Those that are not well. */
static struct summary *find_unwell(struct collect *c)
{
	struct summary *unwell = NULL, s;
	size_t cap = 0;

	for (struct handle h = store_next(c->scene->store, 0); h.slot; h = store_next(c->scene->store, h.slot + 1)) {
		if (is_well(c, h) || !scene_selects(c->scene, h) || !graph_summary(c->scene->graph, h, &s) ||
		    s.severity == SEVERITY_NONE)
			continue;
		if (c->unwell == cap) {
			struct summary *grown = arena_array(c->a, cap = cap ? cap * 2 : 256, sizeof(*grown));

			if (c->unwell)
				memcpy(grown, unwell, c->unwell * sizeof(*grown));
			unwell = grown;
		}
		unwell[c->unwell++] = s;
	}
	return unwell;
}

/* Of all: what is not well tells its story, the rest only what was observed. */
static void add_all(struct collect *c)
{
	struct summary *unwell = find_unwell(c);
	bool filtered = ui_filter(c->ui).len > 0;

	/* Objects that match the filter themselves come before those whose history may match. */
	if (filtered && c->unwell > OBJECTS) {
		size_t n = 0;

		for (size_t i = 0; i < c->unwell; i++)
			if (filter_summary(c->filter, &unwell[i]))
				unwell[n++] = unwell[i];
		c->unwell = n;
	}
	if (c->unwell)
		qsort(unwell, c->unwell, sizeof(*unwell), compare_newest);
	for (size_t i = 0; i < c->unwell && i < OBJECTS; i++)
		add_object(c, unwell[i].id.handle);
}

static int compare_entries(const void *pa, const void *pb)
{
	const struct timeline_entry *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static struct str clock_words(struct collect *c, int64_t time, int64_t before)
{
	char text[TIME_TEXT];
	struct str full = str_of(time_format(time, text));

	/* The day is said once: when it is another than that of the line above. */
	if (before && time / HOURS(24) == before / HOURS(24))
		return arena_str(c->a, str_head(str_from(full, 11), 8));
	return arena_printf(c->a, STR_FMT " " STR_FMT, STR_ARG(str_head(full, 10)),
			    STR_ARG(str_head(str_from(full, 11), 8)));
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

/* What happened must have room: of the rest so many columns at most. */
static void add_column(struct ui *ui, struct column column, int most)
{
	most = most > column.min ? most : column.min;
	column.max = most < column.max ? (uint16_t)most : column.max;
	ui->columns[ui->ncolumns++] = column;
}

static void set_columns(struct ui *ui)
{
	static const struct column time = { .title = "TIME (UTC)", .min = 8, .want = 8, .max = 19, .right = true };
	static const struct column clock = { .title = "UTC", .min = 8, .want = 8, .max = 8, .right = true };
	static const struct column resource = {
		.title = "RESOURCE", .min = 14, .want = 32, .max = 60, .grow = 1, .clip = CLIP_MIDDLE
	};
	static const struct column ns = { .title = "NAMESPACE", .min = 9, .want = 9, .max = 24, .clip = CLIP_MIDDLE };
	static const struct column cluster = { .title = "CLUSTER", .min = 7, .want = 7, .max = 20, .clip = CLIP_MIDDLE };
	static const struct column what = { .title = "WHAT", .min = 30, .want = 60, .grow = 3 };
	static const struct column source = { .title = "SOURCE", .min = 9, .want = 9, .max = 9, .rank = 1 };

	bool narrow = ui->cols < WIDE;

	ui->ncolumns = 0;
	add_column(ui, narrow ? clock : time, time.max);
	add_column(ui, resource, narrow ? ui->cols * 3 / 10 : resource.max);
	if (ui->seen.many_clusters)
		add_column(ui, cluster, narrow ? 10 : cluster.max);
	if (ui->seen.many_namespaces)
		add_column(ui, ns, narrow ? 12 : ns.max);
	ui->columns[ui->ncolumns++] = what;
	ui->columns[ui->ncolumns++] = source;
}

/* Where the times have no room for it: the date, when it is not today's or that of the entry above. */
static void add_date(struct collect *c, struct lines *lines, int64_t time, int64_t before)
{
	enum { DATE = 10 };
	char text[TIME_TEXT];

	if (c->ui->cols < WIDE && time / HOURS(24) != (before ? before : c->scene->now) / HOURS(24))
		lines_heading(lines, arena_printf(c->a, "  %.*s", DATE, time_format(time, text)).ptr);
}

static void add_line(struct collect *c, struct lines *lines, const struct timeline_entry *e, int64_t before)
{
	struct line *line = lines_add(lines);
	struct str when;

	line->object = e->id.handle;
	line->key = key_mix_str(key_mix_str(key_mix(17, (uint64_t)e->time), e->name), e->what);
	line->key = key_mix_str(line->key, e->id.ns);
	when = clock_words(c, e->time, before);
	lines_cell_brief(lines, when, str_from(when, when.len > CLOCK ? when.len - CLOCK : 0), STYLE_DIM);
	lines_cell(lines, e->name, STYLE_NORMAL);
	if (c->ui->seen.many_clusters)
		lines_cell(lines, e->id.cluster, STYLE_DIM);
	if (c->ui->seen.many_namespaces)
		lines_cell(lines, e->id.ns, STYLE_DIM);
	lines_cell(lines, e->what, e->style);
	lines_cell(lines, str_of(e->source), STYLE_DIM);
}

/* What is left out is said in the title: the list is read from its end. */
static void note_left_out(struct ui *ui, const struct collect *c)
{
	const struct fetched *f = detail_fetched(c->scene, ui_place(ui)->subject, WANT_EVENTS);

	ui->note = STR_NONE;
	if (c->unwell > OBJECTS)
		ui->note = arena_printf(&ui->arena, "shown: the %d that changed last of " STR_FMT " that are not well",
					OBJECTS, STR_ARG(words_count(c->unwell, c->a)));
	else if (c->left_out)
		ui->note = arena_printf(&ui->arena, STR_FMT " entries are left out",
					STR_ARG(words_count(c->left_out, c->a)));
	else if (f && f->state == FETCH_ERROR)
		ui->note = arena_printf(&ui->arena, "without Events: " STR_FMT, STR_ARG(f->error));
	else if (f && f->more)
		ui->note = arena_printf(&ui->arena, "%zu Events, there are more", f->nevents);
}

/* What passes the filter, in its order. */
static void collect(struct collect *c, struct handle only)
{
	size_t n = 0;

	c->filter = filter_compile(ui_filter(c->ui), c->scene, c->a);
	c->all = arena_array(c->a, ENTRIES, sizeof(*c->all));
	add_observed(c, only);
	add_events(c, only);
	if (only.slot)
		add_object(c, only);
	else
		add_all(c);
	qsort(c->all, c->n, sizeof(*c->all), compare_entries);
	for (size_t i = 0; i < c->n; i++)
		if (entry_matches(c, &c->all[i]))
			c->all[n++] = c->all[i];
	c->n = n;
}

const struct timeline_entry *ui_timeline(const struct ui *ui, const struct scene *scene, struct arena *a, size_t *out_n)
{
	struct collect c = { .ui = ui, .scene = scene, .a = a };

	collect(&c, ui_place_const(ui)->subject);
	*out_n = c.n;
	return c.all;
}

void timeline_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	struct collect c = { .ui = ui, .scene = scene, .a = &arena };
	int64_t before = 0;

	set_columns(ui);
	collect(&c, ui_place(ui)->subject);
	ui->matching = c.n;
	for (size_t i = 0; i < c.n; i++) {
		add_date(&c, lines, c.all[i].time, before);
		add_line(&c, lines, &c.all[i], before);
		before = c.all[i].time;
	}
	note_left_out(ui, &c);
	arena_release(&arena);
}

/* ---- into a file --------------------------------------------------------------------- */

unsigned act_export(struct ui *ui, const struct scene *scene, enum action action)
{
	(void)action;
	(void)scene;
	if (!ui->file[0])
		ui_copy_str(ui->file, sizeof(ui->file), STR("timeline.md"));
	ui->prompt = PROMPT_FILE;
	return EFFECT_REPAINT;
}

struct str ui_export_file(const struct ui *ui)
{
	return str_of(ui->file);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What happened and when: observed changes, conditions, histories and events on one axis. */
#include <stdlib.h>
#include <string.h>

#include "kube/base/time.h"
#include "tui/view/detail.h"
#include "tui/view/filter.h"
#include "tui/view/words.h"

enum { ENTRIES = 4000, OBJECTS = 400 };

struct entry {
	int64_t time;
	size_t order; /* of entries of the same time */
	struct handle object;
	struct str name, what;
	enum style style;
	const char *source;
};

struct collect {
	const struct ui *ui;
	const struct scene *scene;
	struct arena *a;
	struct entry *all;
	size_t n;
};

static void add(struct collect *c, struct entry entry)
{
	if (c->n == ENTRIES || !entry.time)
		return;
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

	for (size_t i = 0; i < o->count; i++) {
		const struct moment *m = observe_moment(o, i);

		if (only.slot && m->object.slot != only.slot)
			continue;
		add(c, (struct entry){ .time = m->time,
				       .object = m->object,
				       .name = str_of(m->name),
				       .what = str_of(m->what),
				       .style = phase_look(m->phase)->style,
				       .source = "observed" });
	}
}

static void add_conditions(struct collect *c, const struct item *item, struct str name)
{
	for (size_t i = 0; i < item->status.nconditions; i++) {
		const struct condition *cond = &item->status.conditions[i];
		bool bad = condition_normality(cond) == NORMALITY_ABNORMAL;

		add(c, (struct entry){
			       .time = cond->since,
			       .object = item->s.id.handle,
			       .name = name,
			       .what = arena_printf(c->a, STR_FMT "=" STR_FMT STR_FMT,
						    STR_ARG(cond->type), STR_ARG(cond->status),
						    STR_ARG(said(c, cond->reason, cond->message))),
			       .style = bad ? STYLE_BAD : STYLE_NORMAL,
			       .source = "condition" });
	}
	for (size_t i = 0; i < item->status.nhistory; i++) {
		const struct transition *t = &item->status.history[i];

		add(c,
		    (struct entry){ .time = t->time,
				    .object = item->s.id.handle,
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
	add(c, (struct entry){ .time = item.s.created,
			       .object = h,
			       .name = name,
			       .what = STR("created"),
			       .style = STYLE_DIM,
			       .source = "object" });
	add(c, (struct entry){ .time = store_meta(c->scene->store, h).deleting,
			       .object = h,
			       .name = name,
			       .what = STR("deletion asked for"),
			       .style = STYLE_LEAVING,
			       .source = "object" });
	add_conditions(c, &item, name);
}

static void add_events(struct collect *c, struct handle h)
{
	const struct fetched *f = detail_fetched(c->scene, h, WANT_EVENTS);
	struct summary s = { 0 };
	struct str name = STR_NONE;

	if (!f || f->state != FETCH_OK)
		return;
	if (graph_summary(c->scene->graph, h, &s))
		name = words_id(store_kinds(c->scene->store), &s.id, c->a);
	for (size_t i = 0; i < f->nevents; i++) {
		const struct event_row *e = &f->events[i];

		add(c, (struct entry){
			       .time = e->time,
			       .object = h,
			       .name = name,
			       .what = arena_printf(c->a, STR_FMT ": " STR_FMT, STR_ARG(e->reason),
						    STR_ARG(words_first_line(e->message))),
			       .style = str_is(e->type, "Warning") ? STYLE_WARN : STYLE_NORMAL,
			       .source = "event" });
	}
}

/* Of all: what is not well tells its story, the rest only what was observed. */
static void add_all(struct collect *c)
{
	size_t objects = 0;
	struct summary s;

	for (struct handle h = store_next(c->scene->store, 0); h.slot && objects < OBJECTS;
	     h = store_next(c->scene->store, h.slot + 1)) {
		if (!scene_selects(c->scene, h) || !graph_summary(c->scene->graph, h, &s) ||
		    s.severity == SEVERITY_NONE || !filter_summary(ui_filter(c->ui), &s))
			continue;
		add_object(c, h);
		objects++;
	}
}

static int compare_entries(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

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

static bool entry_matches(struct collect *c, const struct entry *e)
{
	struct str fields[] = { e->name, e->what, str_of(e->source) };

	return filter_matches(ui_filter(c->ui), fields, 3);
}

static void set_columns(struct ui *ui)
{
	static const struct column columns[] = {
		{ .title = "TIME (UTC)", .min = 8, .want = 19, .max = 19, .right = true },
		{ .title = "RESOURCE",
		  .min = 14,
		  .want = 32,
		  .max = 60,
		  .grow = 1,
		  .clip = CLIP_MIDDLE },
		{ .title = "WHAT", .min = 48, .want = 60, .grow = 3 },
		{ .title = "SOURCE", .min = 9, .want = 9, .max = 9, .rank = 1 },
	};

	ui->ncolumns = sizeof(columns) / sizeof(columns[0]);
	for (size_t i = 0; i < ui->ncolumns; i++)
		ui->columns[i] = columns[i];
}

void timeline_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	struct collect c = { .ui = ui, .scene = scene, .a = &arena };
	struct handle only = ui_place(ui)->subject;
	int64_t before = 0;

	set_columns(ui);
	c.all = arena_array(&arena, ENTRIES, sizeof(*c.all));
	add_observed(&c, only);
	if (only.slot) {
		add_object(&c, only);
		add_events(&c, only);
	} else {
		add_all(&c);
	}
	qsort(c.all, c.n, sizeof(*c.all), compare_entries);
	ui->matching = 0;
	for (size_t i = 0; i < c.n; i++) {
		const struct entry *e = &c.all[i];

		if (!entry_matches(&c, e))
			continue;
		ui->matching++;
		lines_add(lines)->object = e->object;
		lines->all[lines->n - 1].key =
			key_mix_str(key_mix_str(key_mix(17, (uint64_t)e->time), e->name), e->what);
		lines_cell(lines, clock_words(&c, e->time, before), STYLE_DIM);
		lines_cell(lines, e->name, STYLE_NORMAL);
		lines_cell(lines, e->what, e->style);
		lines_cell(lines, str_of(e->source), STYLE_DIM);
		before = e->time;
	}
	arena_release(&arena);
}

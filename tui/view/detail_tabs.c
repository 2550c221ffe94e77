/* SPDX-License-Identifier: Apache-2.0 */
/* The tabs beside the overview. */
#include "kube/base/time.h"
#include "tui/view/detail.h"
#include "tui/view/words.h"

static void set_columns(struct ui *ui, const struct column *columns, size_t n)
{
	ui->ncolumns = n;
	for (size_t i = 0; i < n; i++)
		ui->columns[i] = columns[i];
}

/* Under a row: what is too long for a column. */
static void below(struct detail *d, struct str text, enum style style)
{
	size_t first = d->lines->n;

	if (text.len)
		lines_wrap(d->lines, text, (struct text){ STR("      "), STR("      "), style },
			   d->width);
	for (size_t i = first; i < d->lines->n; i++)
		d->lines->all[i].flags |= LINE_HEADING;
}

/* ---- conditions ------------------------------------------------------------- */

enum normality condition_normality(const struct condition *c)
{
	bool yes = str_is(c->status, "True"), no = str_is(c->status, "False");

	if (c->polarity == POLARITY_UNKNOWN || (!yes && !no))
		return NORMALITY_UNKNOWN;
	if (c->polarity == POLARITY_POSITIVE)
		return yes ? NORMALITY_NORMAL : NORMALITY_ABNORMAL;
	if (c->polarity == POLARITY_NEGATIVE)
		return no ? NORMALITY_NORMAL : NORMALITY_ABNORMAL;
	return no ? NORMALITY_NORMAL : NORMALITY_UNKNOWN;
}

static const struct {
	const char *glyph;
	enum style style, text;
} normalities[] = {
	[NORMALITY_UNKNOWN] = { "·", STYLE_NORMAL, STYLE_NORMAL },
	[NORMALITY_NORMAL] = { "✔", STYLE_DIM, STYLE_DIM },
	[NORMALITY_ABNORMAL] = { "✖", STYLE_BAD, STYLE_NORMAL },
};

void detail_conditions(struct detail *d)
{
	static const struct column columns[] = {
		{ .title = "TYPE", .min = 16, .want = 30, .max = 48, .grow = 1 },
		{ .title = "STATUS", .min = 7, .want = 7, .max = 12 },
		{ .title = "SINCE", .min = 5, .want = 5, .max = 5, .rank = 1, .right = true },
		{ .title = "SEVERITY", .min = 8, .want = 8, .max = 12, .rank = 3 },
		{ .title = "REASON", .min = 12, .want = 30, .rank = 2, .grow = 2 },
	};
	const struct status *s = &d->item.status;

	set_columns(d->ui, columns, sizeof(columns) / sizeof(columns[0]));
	if (s->nconditions == 0)
		lines_note(d->lines, STR(" It has no conditions."));
	for (size_t i = 0; i < s->nconditions; i++) {
		const struct condition *c = &s->conditions[i];
		enum normality normality = condition_normality(c);
		enum style text = normalities[normality].text, style = normalities[normality].style;

		if (style == STYLE_BAD && d->item.s.severity != SEVERITY_ERROR)
			style = STYLE_WARN;

		lines_add(d->lines)->key = key_mix_str(key_mix(11, i), c->type);
		lines_cell(d->lines,
			   arena_printf(d->a, "%s " STR_FMT, normalities[normality].glyph,
					STR_ARG(c->type)),
			   style);
		lines_cell(d->lines, c->status, style);
		lines_cell(d->lines, words_age(c->since, d->scene->now, d->a), text);
		lines_cell(d->lines, c->severity, text);
		lines_cell(d->lines, c->reason, text);
		below(d, c->message, text);
	}
}

/* ---- async ------------------------------------------------------------------ */

void detail_async(struct detail *d)
{
	const struct async *async = d->item.status.async;
	struct str state = STR_NONE;

	if (!async) {
		lines_note(d->lines, STR(" No asynchronous operation is known."));
		return;
	}
	if (async->percent >= 0)
		detail_fact(d, "done", words_bar(async->percent, d->a), STYLE_PROGRESS);
	if (async->class.len || async->phase.len)
		state = arena_printf(d->a, STR_FMT "%s" STR_FMT, STR_ARG(async->phase),
				     async->phase.len && async->class.len ? " · " : "",
				     STR_ARG(async->class));
	detail_fact(d, "operation", state, STYLE_STRONG);
	detail_fact(d, "source", async->source, STYLE_NORMAL);
	detail_fact(d, "updated", detail_time(d, async->updated), STYLE_NORMAL);
	detail_fact(d, "raw",
		    async->raw_operation.len
			    ? arena_printf(d->a, STR_FMT " / " STR_FMT, STR_ARG(async->raw_status),
					   STR_ARG(async->raw_operation))
			    : async->raw_status,
		    STYLE_NORMAL);
	detail_fact(d, "message", async->message, STYLE_NORMAL);
	detail_fact(d, "work req", async->work_request_id, STYLE_NORMAL);
	detail_fact(d, "request", async->request_id, STYLE_NORMAL);
	if (async->work_request_id.len || async->request_id.len)
		detail_fact(d, "",
			    STR("y copies the id for the cloud's console or a support ticket"),
			    STYLE_DIM);
}

/* ---- dependencies ----------------------------------------------------------- */

static const struct column dependency_columns[] = {
	{ .title = "RESOURCE", .min = 16, .want = 40, .max = 70, .grow = 1, .clip = CLIP_MIDDLE },
	{ .title = "PHASE", .min = 14, .want = 14, .max = 14 },
	{ .title = "RELATION", .min = 10, .want = 12, .max = 14 },
	{ .title = "FIELD", .min = 16, .want = 40, .rank = 1, .grow = 1 },
};

static void add_dependency(struct detail *d, const struct dependency *dep, bool refers)
{
	const struct look *look = phase_look(dep->phase);
	struct line *line = lines_add(d->lines);
	bool well = dep->found && dep->phase == PHASE_READY;
	struct str name = words_id(d->kinds, &dep->on, d->a);

	line->key = key_mix_str(key_mix_str(key_mix_str(key_mix(12, refers), dep->on.kind),
					    dep->on.name),
				dep->via);
	line->object = dep->found ? dep->on.handle : HANDLE_NONE;
	if (dep->on.ns.len && !str_eq(dep->on.ns, d->item.s.id.ns))
		name = arena_printf(d->a, STR_FMT " · " STR_FMT, STR_ARG(name),
				    STR_ARG(dep->on.ns));
	lines_cell(d->lines, name, well ? STYLE_DIM : STYLE_NORMAL);
	if (dep->found)
		lines_cell(d->lines,
			   arena_printf(d->a, "%s %s", look->glyph, phase_name(dep->phase)),
			   look->style);
	else
		lines_cell(d->lines, STR("? not here"), STYLE_UNKNOWN);
	lines_cell(d->lines, str_of(words_relation(dep->relation, refers)), STYLE_DIM);
	lines_cell(d->lines, dep->via, STYLE_DIM);
}

static void add_waits(struct detail *d)
{
	if (d->item.nwaits == 0)
		return;
	lines_heading(d->lines, "  waits on");
	for (size_t i = 0; i < d->item.nwaits; i++) {
		const struct wait *w = &d->item.waits[i];
		struct line *line = lines_add(d->lines);

		line->key = key_mix_str(key_mix(13, i), w->on.name);
		line->object = w->on.handle;
		lines_cell(d->lines, words_id(d->kinds, &w->on, d->a), STYLE_STRONG);
		lines_cell(d->lines, str_of(wait_state_name(w->state)), STYLE_WAIT);
		lines_cell(d->lines, STR("needs"), STYLE_DIM);
		lines_cell(d->lines, w->via, STYLE_DIM);
		below(d, w->message, STYLE_DIM);
	}
	lines_blank(d->lines);
}

void detail_dependencies(struct detail *d)
{
	const struct item *item = &d->item;

	set_columns(d->ui, dependency_columns,
		    sizeof(dependency_columns) / sizeof(dependency_columns[0]));
	add_waits(d);
	lines_heading(d->lines, "  refers to");
	for (size_t i = 0; i < item->ndependencies; i++)
		add_dependency(d, &item->dependencies[i], true);
	if (item->ndependencies == 0)
		lines_note(d->lines, STR("  nothing"));
	lines_blank(d->lines);
	lines_heading(d->lines, "  referred to by");
	for (size_t i = 0; i < item->ndependents; i++)
		add_dependency(d, &item->dependents[i], false);
	if (item->ndependents == 0)
		lines_note(d->lines, STR("  nothing"));
}

/* ---- deletion --------------------------------------------------------------- */

static void add_finalizers(struct detail *d, const struct deletion *deletion)
{
	struct str served = words_controllers(d->scene->graph, d->kinds, &d->item, d->a);

	for (size_t i = 0; i < deletion->nfinalizers; i++) {
		const struct finalizer *f = &deletion->finalizers[i];
		bool stuck = str_is(f->state, "stuck");

		lines_add(d->lines)->flags = LINE_HEADING;
		lines_cell(d->lines, f->name, STYLE_NORMAL);
		lines_cell(d->lines, f->state, stuck ? STYLE_BAD : STYLE_LEAVING);
		lines_cell(d->lines, f->held_for, STYLE_NORMAL);
		lines_cell(d->lines, str_of(words_finalizer(f->state)), STYLE_DIM);
	}
	if (served.len) {
		lines_add(d->lines)->flags = LINE_SPAN | LINE_HEADING;
		lines_cell(d->lines, arena_printf(d->a, "  Served by " STR_FMT, STR_ARG(served)),
			   STYLE_DIM);
	}
	if (deletion->nblocked_by) {
		lines_blank(d->lines);
		lines_heading(d->lines, "  cannot go while these are there");
	}
	for (size_t i = 0; i < deletion->nblocked_by; i++) {
		lines_add(d->lines)->object = deletion->blocked_by[i].handle;
		d->lines->all[d->lines->n - 1].key =
			key_mix_str(key_mix(15, i), deletion->blocked_by[i].name);
		lines_cell(d->lines, words_id(d->kinds, &deletion->blocked_by[i], d->a),
			   STYLE_NORMAL);
	}
}

void detail_deletion(struct detail *d)
{
	static const struct column columns[] = {
		{ .title = "FINALIZER", .min = 20, .want = 44, .max = 70, .grow = 1 },
		{ .title = "STATE", .min = 10, .want = 10, .max = 12 },
		{ .title = "HELD FOR", .min = 10, .want = 16, .max = 24, .rank = 1 },
		{ .title = "MEANS", .min = 16, .want = 40, .rank = 2, .grow = 1 },
	};
	const struct deletion *deletion = d->item.deletion;
	const struct status *s = &d->item.status;

	if (deletion) {
		set_columns(d->ui, columns, sizeof(columns) / sizeof(columns[0]));
		lines_add(d->lines)->flags = LINE_SPAN | LINE_HEADING;
		lines_cell(d->lines,
			   arena_printf(d->a, "  Being deleted for " STR_FMT ".%s",
					STR_ARG(words_age(deletion->since, d->scene->now, d->a)),
					deletion->nfinalizers ? " Held by:" : ""),
			   STYLE_LEAVING);
		add_finalizers(d, deletion);
		return;
	}
	lines_note(d->lines, STR(" It is not being deleted."));
	if (s->nfinalizers)
		lines_heading(d->lines, " When it is, it waits for these finalizers:");
	for (size_t i = 0; i < s->nfinalizers; i++)
		lines_note(d->lines, arena_printf(d->a, "   " STR_FMT, STR_ARG(s->finalizers[i])));
}

/* ---- what is fetched ---------------------------------------------------------- */

/* False, and a line that says so, when there is nothing to show yet. */
static bool is_fetched(struct detail *d, const struct fetched *f)
{
	if (!f || f->state == FETCH_LOADING)
		lines_note(d->lines, STR(" Reading …"));
	else if (f->state == FETCH_ERROR)
		detail_fact(d, "not known", f->error, STYLE_WARN);
	else
		return true;
	return false;
}

void detail_events(struct detail *d)
{
	static const struct column columns[] = {
		{ .title = "SINCE", .min = 5, .want = 5, .max = 5, .right = true },
		{ .title = "TYPE", .min = 8, .want = 8, .max = 10, .rank = 2 },
		{ .title = "REASON", .min = 12, .want = 24, .max = 32 },
		{ .title = "TIMES", .min = 5, .want = 5, .max = 6, .rank = 1, .right = true },
		{ .title = "FROM", .min = 8, .want = 24, .max = 40, .rank = 3, .grow = 1 },
	};
	const struct fetched *f = detail_fetched(d->scene, d->item.s.id.handle, WANT_EVENTS);

	if (!is_fetched(d, f))
		return;
	set_columns(d->ui, columns, sizeof(columns) / sizeof(columns[0]));
	if (f->nevents == 0)
		lines_note(d->lines, STR(" No events (they are kept for an hour)."));
	for (size_t i = f->nevents; i-- > 0;) {
		const struct event_row *e = &f->events[i];
		bool warning = str_is(e->type, "Warning");

		lines_add(d->lines)->key = key_mix_str(key_mix(16, (uint64_t)e->time), e->reason);
		lines_cell(d->lines, words_age(e->time, d->scene->now, d->a), STYLE_NORMAL);
		lines_cell(d->lines, e->type, warning ? STYLE_WARN : STYLE_DIM);
		lines_cell(d->lines, e->reason, STYLE_NORMAL);
		lines_cell(d->lines, e->count > 1 ? arena_printf(d->a, "×%u", e->count) : STR_NONE,
			   STYLE_DIM);
		lines_cell(d->lines, e->source, STYLE_DIM);
		below(d, e->message, warning ? STYLE_NORMAL : STYLE_DIM);
	}
}

void detail_yaml(struct detail *d)
{
	const struct fetched *f = detail_fetched(d->scene, d->item.s.id.handle, d->want);

	if (!is_fetched(d, f))
		return;
	if (f->text.len == 0)
		lines_note(d->lines, STR(" Nothing."));
	else
		lines_wrap(d->lines, f->text, (struct text){ STR(" "), STR(" "), STYLE_NORMAL },
			   d->width);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The start view: a row per resource, worst first, the healthy ones folded. */
#include "tui/view/rows.h"
#include "tui/view/words.h"

enum {
	PHASE_WIDTH = 14, /* glyph, blank, "Provisioning" */
	SINCE_WIDTH = 4,
	WHY_BELOW = 110, /* columns: waits and message share one column on narrower screens */
	REASON_FROM = 150,
	NAMESPACE_FROM = 64,
	WORDS_FROM = 40 /* below, a phase is its glyph */
};

/* Which cells a row has, in this order. */
struct shape {
	bool cluster, ns, why, reason;
};

static struct shape table_shape(const struct ui *ui)
{
	return (struct shape){
		.cluster = ui->seen.many_clusters,
		.ns = ui->seen.many_namespaces && ui->cols >= NAMESPACE_FROM,
		.why = ui->cols < WHY_BELOW,
		.reason = ui->cols >= REASON_FROM,
	};
}

static void add_column(struct ui *ui, struct column column)
{
	if (ui->ncolumns < LINE_CELLS)
		ui->columns[ui->ncolumns++] = column;
}

static void table_columns(struct ui *ui, uint16_t resource, uint16_t ns)
{
	struct shape shape = table_shape(ui);
	uint16_t phase;

	ui->ncolumns = 0;
	phase = ui->cols < WORDS_FROM ? 1 : PHASE_WIDTH;
	add_column(ui, (struct column){ .title = "PHASE", .min = 1, .want = phase, .max = phase });
	add_column(ui, (struct column){ .title = "RESOURCE",
					.min = 12,
					.want = resource,
					.max = 60,
					.clip = CLIP_MIDDLE });
	if (shape.cluster)
		add_column(ui, (struct column){ .title = "CLUSTER",
						.min = 6,
						.want = 14,
						.max = 24,
						.rank = 3,
						.clip = CLIP_MIDDLE });
	if (shape.ns)
		add_column(ui, (struct column){ .title = "NAMESPACE",
						.min = 9,
						.want = ns,
						.max = 30,
						.rank = 2,
						.clip = CLIP_MIDDLE });
	add_column(ui, (struct column){ .title = "SINCE",
					.min = SINCE_WIDTH + 1,
					.want = SINCE_WIDTH + 1,
					.max = SINCE_WIDTH + 1,
					.rank = 1,
					.right = true });
	if (shape.why) {
		add_column(ui,
			   (struct column){
				   .title = "WHY", .min = 10, .want = 30, .rank = 4, .grow = 1 });
		return;
	}
	add_column(ui, (struct column){ .title = "WAITS ON → ROOT CAUSE",
					.min = 21,
					.want = 30,
					.max = 64,
					.rank = 5,
					.grow = 1 });
	if (shape.reason)
		add_column(
			ui,
			(struct column){
				.title = "REASON", .min = 12, .want = 22, .max = 40, .rank = 6 });
	add_column(ui, (struct column){
			       .title = "MESSAGE", .min = 16, .want = 30, .rank = 4, .grow = 2 });
}

/* ---- lines ---------------------------------------------------------------- */

struct building {
	struct ui *ui;
	struct lines *lines;
	const struct kinds *kinds;
	uint16_t *kind_width; /* by kind id, 0: not measured yet */
	struct arena *a;
	uint16_t resource, ns; /* widest so far */
};

static uint16_t limit(int width)
{
	return (uint16_t)(width > 250 ? 250 : width);
}

static void measure(struct building *b, const struct row *row)
{
	const struct kind *kind = row->s.kind;
	uint16_t width;

	if (!b->kind_width[kind->id])
		b->kind_width[kind->id] =
			limit(text_width(words_kind(b->kinds, kind->group, kind->kind, b->a)));
	width = limit(b->kind_width[kind->id] + 1 + text_width(row->s.id.name));
	if (width > b->resource)
		b->resource = width;
	width = limit(text_width(row->s.id.ns));
	if (width > b->ns)
		b->ns = width;
}

/* Remembers in which line the selected object is now. */
static void note_holder(struct building *b, const struct row *row, uint64_t key)
{
	struct place *place = ui_place(b->ui);

	if (place->object.slot && row->s.id.handle.slot == place->object.slot &&
	    row->s.id.handle.gen == place->object.gen)
		b->ui->holder = key;
}

static void add_row(struct building *b, const struct row *row, unsigned depth)
{
	struct line *line = lines_add(b->lines);

	line->key = rows_key(row);
	line->object = row->s.id.handle;
	line->flags = LINE_LAZY;
	line->depth = (uint8_t)depth;
	if (row->gone)
		line->flags |= LINE_GONE;
	if (row->children)
		line->fold = row->child ? FOLD_OPEN : FOLD_CLOSED;
	measure(b, row);
	note_holder(b, row, line->key);
	for (const struct row *child = row->child; child; child = child->next)
		add_row(b, child, depth + 1);
}

static void add_group(struct building *b, const struct row *row)
{
	uint64_t key = rows_group_key(row->group);
	bool open = ui_toggled(b->ui, key);
	struct line *line = lines_add(b->lines);

	line->key = key;
	line->object = row->s.id.handle;
	line->count = row->members;
	line->flags = LINE_LAZY;
	line->fold = open ? FOLD_OPEN : FOLD_CLOSED;
	measure(b, row);
	for (const struct row *member = row; member; member = member->next) {
		if (open)
			add_row(b, member, 1);
		else
			note_holder(b, member, key);
	}
}

static void add_ready(struct building *b, const struct rows *rows)
{
	struct line *line = lines_add(b->lines);
	struct str count = words_count(rows->ready_total, b->a),
		   kinds = words_count(rows->ready_kinds, b->a);

	line->key = rows_ready_key();
	line->count = (uint32_t)rows->ready_total;
	line->fold = ui_toggled(b->ui, line->key) ? FOLD_OPEN : FOLD_CLOSED;
	lines_cell_brief(b->lines, STR("✔ Ready"), STR("✔"), STYLE_GOOD);
	lines_cell(b->lines,
		   arena_printf(b->a, STR_FMT " resource%s of " STR_FMT " kind%s", STR_ARG(count),
				words_plural(rows->ready_total), STR_ARG(kinds),
				words_plural(rows->ready_kinds)),
		   STYLE_DIM);
	for (size_t i = 0; i < rows->nready; i++)
		add_row(b, rows->ready[i], 1);
}

void table_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	const struct kinds *kinds = store_kinds(scene->store);
	struct rows rows = rows_collect(ui, scene, &arena);
	struct building b = {
		.ui = ui, .lines = lines, .kinds = kinds, .a = &arena, .resource = 12, .ns = 9
	};

	b.kind_width = arena_array(&arena, (size_t)kinds->count + 1, sizeof(*b.kind_width));
	for (size_t i = 0; i < rows.n; i++) {
		if (rows.all[i]->members >= GROUP_LEAST)
			add_group(&b, rows.all[i]);
		else
			add_row(&b, rows.all[i], 0);
	}
	if (rows.ready_total && !ui_filter(ui).len)
		add_ready(&b, &rows);
	ui->matching = rows.matching;
	table_columns(ui, b.resource, b.ns);
	arena_release(&arena);
}

/* ---- cells of the lines on the screen --------------------------------------- */

struct filling {
	const struct ui *ui;
	const struct scene *scene;
	const struct summary *s;
	const struct line *line;
	struct arena *a;
	struct text *cells;
	uint8_t n;
};

static void fill_cell(struct filling *f, struct text text)
{
	f->cells[f->n++] = text;
}

static void fill_plain(struct filling *f, struct str str, enum style style)
{
	fill_cell(f, (struct text){ str, STR_NONE, style });
}

static struct str resource_words(struct filling *f)
{
	const struct kinds *kinds = store_kinds(f->scene->store);
	const struct id *id = &f->s->id;

	if (f->line->count)
		return arena_printf(f->a, STR_FMT " ×%u",
				    STR_ARG(words_kind(kinds, id->group, id->kind, f->a)),
				    f->line->count);
	return words_id(kinds, id, f->a);
}

static struct str since_words(struct filling *f)
{
	struct str age = words_age(f->s->since, f->scene->now, f->a);

	/* The column keeps one place for the mark, so that the numbers stay aligned. */
	return arena_printf(f->a, STR_FMT "%s", STR_ARG(age),
			    age.len == 0			 ? ""
			    : words_overdue(f->s, f->scene->now) ? "!"
								 : " ");
}

static struct text waits_text(struct filling *f)
{
	struct text chain =
		words_chain(f->scene->graph, store_kinds(f->scene->store), f->s->id.handle, f->a);

	if (chain.str.len == 0 && f->s->percent >= 0 && f->s->phase != PHASE_READY)
		return (struct text){ words_bar(f->s->percent, f->a), STR_NONE, STYLE_PROGRESS };
	return chain;
}

/* "1.0.0 → 2.0.0" while it changes, or "". */
static struct str version_words(struct filling *f)
{
	struct item item;

	if (!phase_under_way(f->s->phase) ||
	    !graph_item(f->scene->graph, f->s->id.handle, f->a, &item) ||
	    !item.status.version_from.len || !item.status.version_to.len)
		return STR_NONE;
	return arena_printf(f->a, STR_FMT " → " STR_FMT, STR_ARG(item.status.version_from),
			    STR_ARG(item.status.version_to));
}

static struct str message_words(struct filling *f, bool with_reason)
{
	const struct summary *s = f->s;
	struct str message = words_first_line(s->message), version = version_words(f);

	if (message.len == 0)
		message = with_reason ? s->reason : STR_NONE;
	if (message.len == 0 && with_reason && s->phase != PHASE_READY)
		message = s->operator_phase;
	if (version.len)
		message = arena_printf(f->a, STR_FMT "%s" STR_FMT, STR_ARG(version),
				       message.len ? "  " : "", STR_ARG(message));
	if (s->stale)
		message = arena_printf(f->a, "stale: " STR_FMT, STR_ARG(message));
	return message;
}

static void fill_gone(struct filling *f, const struct tombstone *t)
{
	struct shape shape = table_shape(f->ui);
	struct str was = arena_printf(f->a, "gone, was %s", phase_name(t->phase));

	fill_cell(f, (struct text){ STR("⊖ Gone"), STR("⊖"), STYLE_DIM });
	fill_plain(f, resource_words(f), STYLE_DIM);
	if (shape.cluster)
		fill_plain(f, f->s->id.cluster, STYLE_DIM);
	if (shape.ns)
		fill_plain(f, f->s->id.ns, STYLE_DIM);
	fill_plain(f,
		   arena_printf(f->a, STR_FMT " ",
				STR_ARG(words_age(t->time, f->scene->now, f->a))),
		   STYLE_DIM);
	fill_plain(f, was, STYLE_DIM);
}

static void fill_row(struct filling *f)
{
	const struct look *look = phase_look(f->s->phase);
	struct shape shape = table_shape(f->ui);
	struct text waits = waits_text(f);
	bool overdue = words_overdue(f->s, f->scene->now);
	enum style calm = f->s->severity == SEVERITY_NONE ? STYLE_DIM : STYLE_NORMAL;

	fill_cell(f,
		  (struct text){ arena_printf(f->a, "%s %s", look->glyph, phase_name(f->s->phase)),
				 str_of(look->glyph), look->style });
	fill_plain(f, resource_words(f), calm);
	if (shape.cluster)
		fill_plain(f, f->s->id.cluster, STYLE_DIM);
	if (shape.ns)
		fill_plain(f, f->s->id.ns, STYLE_DIM);
	fill_plain(f, since_words(f), overdue ? STYLE_WARN : calm);
	if (shape.why) {
		if (waits.str.len == 0)
			waits = (struct text){ message_words(f, true), STR_NONE, STYLE_DIM };
		fill_cell(f, waits);
		return;
	}
	fill_cell(f, waits);
	if (shape.reason)
		fill_plain(f, f->s->reason, STYLE_NORMAL);
	fill_plain(f, message_words(f, !shape.reason), STYLE_DIM);
}

struct line table_fill(const struct ui *ui, const struct scene *scene, struct line line,
		       struct arena *a)
{
	struct summary s = { 0 };
	struct filling f = { .ui = ui, .scene = scene, .s = &s, .line = &line, .a = a };
	const struct tombstone *tomb = observe_tombstone(&ui->seen, line.object);

	f.cells = arena_array(a, LINE_CELLS, sizeof(*f.cells));
	if (graph_summary(scene->graph, line.object, &s)) {
		fill_row(&f);
		if (observe_flashes(&ui->seen, line.object, scene->now))
			line.flags |= LINE_FLASH;
	} else if (tomb) {
		s.id = observe_gone_id(&ui->seen, scene->store, tomb);
		fill_gone(&f, tomb);
		line.flags |= LINE_GONE;
	} else {
		fill_plain(&f, STR("⊖ Gone"), STYLE_DIM);
	}
	line.cells = f.cells;
	line.ncells = f.n;
	return line;
}

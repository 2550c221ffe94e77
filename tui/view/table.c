/* SPDX-License-Identifier: Apache-2.0 */
/* The table of resources, which is the first view: a row for each object, the worst first, healthy objects folded. */
#include "tui/view/columns.h"
#include "tui/view/layout.h"
#include "tui/view/rows.h"
#include "tui/view/views.h"
#include "tui/view/well_lines.h"
#include "tui/words/words.h"

#include <limits.h>

enum {
	WIDTHS = 256,	 /* wider cells are counted as this wide */
	ROOMY = 100,	 /* columns: from this width on two blanks stand between columns */
	SAID_SHARE = 50, /* percent of the list that waits, reasons and messages should have */
	MESSAGE_SHARE = 35, /* percent of the list that messages have before the columns beside them are whole */
	NAME_SHARE = 24, /* percent of the list, without the words of phases, that names have at most while those have less */
	PHASE_WORD = 10, /* columns that the word of a phase and wider gaps take where there is room for them */
	PHASE_LEAST = 10, /* columns of "✖ Failed" and of most phases */
	SHORT_NAME = COLUMN_COUNT, /* where the widths of names with short kinds are */
	MEASURED
};

/* Returns the columns of the list, which has less than the screen when the preview stands beside it. */
static int list_cols(const struct ui *ui)
{
	return ui_layout(ui).list_cols;
}

/*
 * What a row is told by: in one column why it is so; or, when that leaves nothing cut, in columns of their own what it waits
 * for and its message; or also its reason.
 */
enum form { FORM_WHY, FORM_MESSAGE, FORM_REASON, FORMS };

/* Returns the width by which the columns of a form are chosen, and their cells made, on a list of so many columns. */
static int cols_of_form(int cols, int form)
{
	static const int most[FORMS] = { [FORM_WHY] = WHY_BELOW - 1, [FORM_MESSAGE] = REASON_FROM - 1, [FORM_REASON] = INT_MAX };

	cols = cols < most[form] ? cols : most[form];
	return cols > 0 ? cols : 1;
}

static struct columns_shown columns_for(const struct ui *ui, const struct scene *scene, int cols)
{
	return columns_choose(&(struct columns_wanted){ .names = scene->columns,
							.nlabels = scene->nlabels,
							.clusters = ui->observer.many_clusters,
							.namespaces = ui->observer.many_namespaces,
							.cols = cols });
}

/* True for a column that explains the phase and has said nothing of any row: the others have its room. */
static bool is_silent(const struct ui *ui, const struct scene *scene, size_t id)
{
	return !scene->columns && ui->group == GROUP_NONE && (id == COLUMN_WAITS_ON || id == COLUMN_REASON) &&
	       !ui->steady_widths.said[id];
}

static struct columns_shown shown_columns(const struct ui *ui, const struct scene *scene)
{
	struct columns_shown all = columns_for(ui, scene, cols_of_form(list_cols(ui), ui->table_form)), shown = { .n = 0 };

	for (size_t i = 0; i < all.n; i++)
		if (!is_silent(ui, scene, all.at[i]))
			shown.at[shown.n++] = all.at[i];
	return shown;
}

/*
 * Returns the largest width of a column.  On a narrow screen names are cut in their middle so that reasons have room.
 */
static int most_wanted(const struct ui *ui, size_t id)
{
	bool narrow_screen = list_cols(ui) < WHY_BELOW;
	int share = narrow_screen ? list_cols(ui) * 34 / 100 : list_cols(ui) * 30 / 100, most;

	if (id >= COLUMN_LABEL)
		return UINT16_MAX;
	if (id == COLUMN_NAME)
		return share > column_row(id)->screen_column.min ? share : column_row(id)->screen_column.min;
	most = narrow_screen ? column_row(id)->narrow_max : column_row(id)->screen_column.max;
	return most ? most : UINT16_MAX;
}

/*
 * Returns the width of a column, which never shrinks while rows come and go, and does not change while a filter is
 * typed, so that the columns do not move.
 */
static uint16_t steady_width(const struct ui *ui, uint16_t *steady, uint16_t now)
{
	if (now > *steady && (!ui_filter(ui).len || !*steady))
		*steady = now;
	return *steady;
}

/*
 * The widths of the measured columns, by column id: what nearly all rows need, what most rows need, and what the widest
 * needs; 0: as columns.def says.
 */
struct widths {
	uint16_t usual[MEASURED], most[MEASURED], widest[MEASURED];
};
_Static_assert((int)MEASURED <= (int)LINE_CELLS, "the steady widths have room for them");

/* Returns where the widths of a column are. */
static size_t width_of(const struct ui *ui, size_t id)
{
	return id == COLUMN_NAME && ui->table_short ? SHORT_NAME : id;
}

/* Returns the columns that are left for those that explain the phase. */
static int left_to_explain(const struct ui *ui, const struct columns_shown *shown)
{
	int left = list_cols(ui) - 2, gap = list_cols(ui) < ROOMY ? 1 : 2;

	for (size_t i = 0; i < shown->n; i++)
		left -= gap + (shown->at[i] < COLUMN_LABEL && column_row(shown->at[i])->explains ? 0 : ui->columns[i].want);
	return left;
}

/* Returns how many columns the first rows need to explain their phases. */
static int needed_to_explain(const struct ui *ui, const struct columns_shown *shown)
{
	int needed = 0;

	for (size_t i = 0; i < shown->n; i++) {
		size_t id = shown->at[i];
		uint16_t said, least;

		if (id >= COLUMN_LABEL || !column_row(id)->explains)
			continue;
		least = column_row(id)->screen_column.min;
		said = ui->steady_widths.said[id];
		needed += said > least ? said : least;
	}
	return needed;
}

/* Gives the columns of names what the columns that explain the phase do not need, so that fewer names are cut. */
static void give_spare(struct ui *ui, const struct columns_shown *shown, const struct widths *widths, int spare)
{
	for (size_t i = 0; i < shown->n && spare > 0; i++) {
		size_t id = shown->at[i];
		int more;

		if (id >= COLUMN_LABEL || !column_row(id)->gives_room)
			continue;
		more = steady_width(ui, &ui->steady_widths.widest[width_of(ui, id)], widths->widest[width_of(ui, id)]);
		if (column_row(id)->screen_column.max && more > column_row(id)->screen_column.max)
			more = column_row(id)->screen_column.max;
		more -= ui->columns[i].want;
		more = more < spare ? more : spare;
		if (more > 0) {
			ui->columns[i].want = (uint16_t)(ui->columns[i].want + more);
			spare -= more;
		}
	}
}

/*
 * Makes room for the columns that explain the phase.  When the names leave them too little, the columns of names become
 * as wide as most names need, and the few long names are cut.
 */
static void leave_room(struct ui *ui, const struct columns_shown *shown, const struct widths *widths)
{
	int needed = needed_to_explain(ui, shown), share_of_said = list_cols(ui) * SAID_SHARE / 100,
	    lacking = (needed < share_of_said ? needed : share_of_said) - left_to_explain(ui, shown);

	for (size_t i = 0; i < shown->n && lacking > 0; i++) {
		size_t id = shown->at[i];
		uint16_t most, share = (uint16_t)((list_cols(ui) - (list_cols(ui) < GLYPH_BELOW ? 0 : PHASE_WORD)) * NAME_SHARE / 100);

		if (id >= COLUMN_LABEL || !column_row(id)->gives_room)
			continue;
		most = steady_width(ui, &ui->steady_widths.most[width_of(ui, id)], widths->most[width_of(ui, id)]);
		if (id == COLUMN_NAME && most > share)
			most = share;
		if (most < column_row(id)->screen_column.min)
			most = column_row(id)->screen_column.min;
		if (most < ui->columns[i].want - lacking)
			most = (uint16_t)(ui->columns[i].want - lacking);
		if (most < ui->columns[i].want) {
			lacking -= ui->columns[i].want - most;
			ui->columns[i].want = most;
		}
	}
	give_spare(ui, shown, widths, left_to_explain(ui, shown) - needed);
}

/* Returns how many columns the rows need in a form when nothing of them is cut. */
static int needed_in_form(struct ui *ui, const struct scene *scene, const struct widths *widths, int form)
{
	struct columns_shown all = columns_for(ui, scene, cols_of_form(ui->cols, form));
	int needed = 2 - (ui->cols < ROOMY ? 1 : 2);

	for (size_t i = 0; i < all.n; i++) {
		size_t id = all.at[i];
		bool label = id >= COLUMN_LABEL;
		struct column column = label ? label_column(scene->labels[id - COLUMN_LABEL], &ui->arena) : column_on_screen(id);
		int most = column.want;

		if (!label && column_row(id)->explains && !ui->steady_widths.said[id] && id != COLUMN_WHY)
			continue;	/* it is silent, and not shown */
		if (!label && (column_row(id)->explains || id == COLUMN_PHASE) && ui->steady_widths.said[id])
			most = id == COLUMN_PHASE && ui->steady_widths.said[id] < PHASE_LEAST ? PHASE_LEAST : ui->steady_widths.said[id];
		else if (!label && steady_width(ui, &ui->steady_widths.widest[id], widths->widest[id]) > most)
			most = ui->steady_widths.widest[id];
		needed += most + (ui->cols < ROOMY ? 1 : 2);
	}
	return needed;
}

/* Chooses the form, and tells whether the preview may stand beside the rows (ui_layout()). */
static void choose_form(struct ui *ui, const struct scene *scene, const struct widths *widths)
{
	ui->table_form = FORMS;
	do
		ui->list_needs = needed_in_form(ui, scene, widths, --ui->table_form);
	while (ui->table_form > FORM_WHY && ui->list_needs > ui->cols);
	ui->table_short = list_cols(ui) < GLYPH_BELOW || (list_cols(ui) < SHORT_BELOW && ui->list_needs > list_cols(ui));
}

/* Makes a column that explains the phase as wide as what it says. */
static void fit_to_said(const struct ui *ui, struct column *column, size_t id)
{
	uint16_t said = ui->steady_widths.said[id];

	column->want = said > column->min ? said : column->min;
	/* Few messages are long: what is waited for and the reasons are shown whole before those are. */
	if (id == COLUMN_MESSAGE && column->want > list_cols(ui) * MESSAGE_SHARE / 100)
		column->want = (uint16_t)(list_cols(ui) * MESSAGE_SHARE / 100);
	if (column->max && column->want > column->max)
		column->want = column->max;
}

static void table_columns(struct ui *ui, const struct scene *scene, const struct widths *widths)
{
	struct columns_shown shown = shown_columns(ui, scene);

	ui->ncolumns = 0;
	for (size_t i = 0; i < shown.n; i++) {
		size_t id = shown.at[i];
		bool label = id >= COLUMN_LABEL;
		struct column column = label ? label_column(scene->labels[id - COLUMN_LABEL], &ui->arena) : column_on_screen(id);

		if (!label && steady_width(ui, &ui->steady_widths.usual[width_of(ui, id)], widths->usual[width_of(ui, id)]) > column.want)
			column.want = ui->steady_widths.usual[width_of(ui, id)];
		if (column.want > most_wanted(ui, id))
			column.want = (uint16_t)most_wanted(ui, id);
		if (!label && column_row(id)->is_time && scene->absolute_time)
			column.want = column.max = TIME_CELL;
		if (!label && column_row(id)->explains && ui->steady_widths.said[id] && !scene->columns)
			fit_to_said(ui, &column, id);
		if (id == COLUMN_PHASE && list_cols(ui) < GLYPH_BELOW) {
			column.title = " ";
			column.want = column.max = 1;
		} else if (id == COLUMN_PHASE && ui->steady_widths.said[id]) {
			column.want = ui->steady_widths.said[id] > PHASE_LEAST ? ui->steady_widths.said[id] : PHASE_LEAST;
		}
		ui->columns[ui->ncolumns++] = column;
	}
	if (!scene->columns)
		leave_room(ui, &shown, widths);
}

/* ---- lines ---------------------------------------------------------------- */

struct building {
	struct ui *ui;
	const struct scene *scene;
	struct lines *lines;
	const struct kinds *kinds;
	/* the widths of the name of each kind, and of its short name, by kind id; 0: not measured yet */
	uint16_t *kind_width, *short_width;
	struct arena *a;
	uint32_t holds_selected; /* as in struct rows */
	uint32_t (*widths)[WIDTHS]; /* by column and width: how many rows need that width */
	size_t rows;
};

static void note_width(struct building *b, size_t id, int width)
{
	b->widths[id][width < WIDTHS ? width : WIDTHS - 1]++;
}

/* True for the rows that are measured: of very many rows a part is enough. */
static bool is_measured(const struct building *b)
{
	enum { ALL = 2000, ONE_IN = 32 };

	return b->lines->n <= ALL || b->lines->n % ONE_IN == 0;
}

static void measure(struct building *b, const struct table_row *row, const struct line *line)
{
	struct object_id id;
	struct summary owner;
	int width;

	if (!is_measured(b))
		return;
	id = store_node_id(b->scene->store, row->object.slot);
	if (!b->kind_width[id.kind->id])
		b->kind_width[id.kind->id] =
			(uint16_t)text_width(words_kind(b->kinds, id.kind->group, id.kind->kind, b->a));
	if (!b->short_width[id.kind->id])
		b->short_width[id.kind->id] = (uint16_t)text_width(words_kind_short(b->kinds, id.kind->group, id.kind->kind, b->a));
	width = b->kind_width[id.kind->id] + 2 * line->depth;
	if (!line->count)
		width += 1 + text_width(id.name);
	else if (graph_summary(b->scene->graph, line->of, &owner))
		width += text_width(ARENA_JOIN(b->a, STR(" × of "), words_count(line->count, b->a))) + text_width(owner.id.name);
	else
		width += text_width(ARENA_JOIN(b->a, STR(" ×"), words_count(line->count, b->a)));
	if (!line->count && line->index)
		width += text_width(words_parts(b->scene->graph, line->of, line->index, b->a));
	b->rows++;
	note_width(b, COLUMN_NAME, width);
	note_width(b, SHORT_NAME, width - b->kind_width[id.kind->id] + b->short_width[id.kind->id]);
	note_width(b, COLUMN_NAMESPACE, text_width(id.ns));
	if (b->ui->observer.many_clusters)
		note_width(b, COLUMN_CLUSTER, text_width(graph_id(b->scene->graph, row->object.slot).cluster));
}

/* Returns the width that is enough for all rows with that many exceptions, which are cut in their middle. */
static uint16_t width_of_all_but(const struct building *b, size_t id, size_t exceptions)
{
	size_t beyond = 0;

	for (int width = WIDTHS - 1; width > 0; width--) {
		beyond += b->widths[id][width];
		if (beyond > exceptions)
			return (uint16_t)width;
	}
	return 0;
}

static void measured(const struct building *b, size_t id, struct widths *out)
{
	out->usual[id] = width_of_all_but(b, id, b->rows / 20);
	out->most[id] = width_of_all_but(b, id, (b->rows + 2) / 5);
	out->widest[id] = width_of_all_but(b, id, 0);
}

/* Notes the line in which the selected object is now. */
static void note_folded_into(struct building *b, const struct table_row *row, uint64_t key)
{
	struct place *place = ui_place(b->ui);

	if (place->object.slot && (handle_eq(row->object, place->object) || (b->holds_selected && row->object.slot == b->holds_selected)))
		b->ui->folded_into = key;
}

/* Sets how many of an owner are gone: "pod ×146 of deployment/farm". */
static void set_gone(const struct building *b, const struct table_row *row, struct line *line)
{
	const struct tombstone *t = observe_tombstone(&b->ui->observer, row->object);

	line->flags |= LINE_GONE;
	if (!t || t->alike < 2)
		return;
	line->count = t->alike;
	line->of = words_top_owner(b->scene->graph, store_node_handle(b->scene->store, t->owner));
}

static void add_row(struct building *b, const struct table_row *row, uint64_t under, unsigned depth)
{
	struct line *line = lines_add(b->lines);
	uint64_t line_key;

	/* A part that is not well has a line of its own and a second one under its owner, with another key. */
	line->key = under ? key_mix(under, rows_key(row)) : rows_key(row);
	line->object = row->object;
	line->flags = LINE_LAZY;
	line->depth = (uint8_t)depth;
	line_key = line->key;
	line->index = row->parts;
	line->of = row->part;
	if (row->gone)
		set_gone(b, row, line);
	if (row->children)
		line->fold = row->child ? FOLD_OPEN : FOLD_CLOSED;
	measure(b, row, line);
	note_folded_into(b, row, line_key);
	for (const struct table_row *child = row->child; child; child = child->next)
		add_row(b, child, line_key, depth + 1);
}

static struct handle top_owner(const struct building *b, const struct table_row *row)
{
	struct summary s = { .percent = -1 };

	graph_summary(b->scene->graph, row->object, &s);
	return words_top_owner(b->scene->graph, s.owner);
}

/* Returns the workload that owns all members of a group, whose name the row shows; else HANDLE_NONE. */
static struct handle common_owner(const struct building *b, const struct table_row *row)
{
	struct handle owner = top_owner(b, row);

	for (row = row->next; row && owner.slot; row = row->next) {
		struct handle other = top_owner(b, row);

		if (other.slot != owner.slot)
			return HANDLE_NONE;
	}
	return owner;
}

/*
 * Returns the members that the preview shows for a row that stands for several objects; NULL when there is no preview.
 */
static const struct line_texts *preview_texts(struct building *b, const struct table_row *row)
{
	struct line_texts *texts;
	struct handle *handles;

	if (!ui_previews(b->ui))
		return NULL;
	texts = arena_alloc(b->lines->arena, sizeof(*texts));
	handles = arena_array(b->lines->arena, PREVIEW_MEMBERS, sizeof(*handles));
	for (; row && texts->nmembers < PREVIEW_MEMBERS; row = row->next)
		handles[texts->nmembers++] = row->object;
	texts->members = handles;
	return texts;
}

static void add_group(struct building *b, const struct table_row *row)
{
	uint64_t key = rows_group_key(row->group);
	bool open = ui_toggled(b->ui, key);
	struct line *line = lines_add(b->lines);

	line->key = key;
	line->object = row->object;
	line->count = row->members;
	line->of = common_owner(b, row);
	line->texts = preview_texts(b, row);
	line->flags = LINE_LAZY;
	line->fold = open ? FOLD_OPEN : FOLD_CLOSED;
	measure(b, row, line);
	for (const struct table_row *member = row; member; member = member->next) {
		if (open)
			add_row(b, member, 0, 1);
		else
			note_folded_into(b, member, key);
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
}

/* True when a key has come in: what is built so far is not shown then. */
static bool is_stopped(const struct building *b, size_t i)
{
	enum { MANY = 1024 };

	return i % MANY == 0 && ui_interrupted(b->ui, b->scene);
}

/* ---- cells of the lines on the screen --------------------------------------- */

/* cols: the width by which the form of the columns was chosen. */
static struct line fill(const struct ui *ui, const struct scene *scene, const struct columns_shown *shown, int cols, struct line line,
			struct arena *a)
{
	struct summary s = { .percent = -1 };
	struct cell_screen screen = { .cols = cols, .count = line.count, .of = line.of, .parts = line.index, .short_names = ui->table_short, .forbidden = scene->header->forbidden };
	struct cell_facts facts = { .graph = scene->graph,
				    .kinds = store_kinds(scene->store),
				    .s = &s,
				    .now = scene->now,
				    .absolute_time = scene->absolute_time,
				    .screen = &screen,
				    .a = a };
	struct text *cells = arena_array(a, shown->n, sizeof(*cells));
	const struct tombstone buried = { .handle = line.object, .phase = PHASE_UNKNOWN }, *tomb = NULL;
	const struct recent_change *healed;

	if (!graph_summary(scene->graph, line.object, &s)) {
		tomb = observe_tombstone(&ui->observer, line.object);
		if (!tomb) /* the object was deleted after the last scan */
			tomb = &buried;
		if (tomb != &buried || store_knows(scene->store, line.object))
			s.id = observe_gone_id(&ui->observer, scene->store, tomb);
		s.phase = tomb->phase;
		s.since = tomb->time;
		line.flags |= LINE_GONE;
	} else if (observe_flashes(&ui->observer, line.object, scene->clock)) {
		line.flags |= LINE_FLASH;
	}
	healed = tomb ? NULL : observe_healed(&ui->observer, line.object);
	screen.gone = tomb != NULL;
	screen.deselected = tomb && (store_was_deselected(scene->store, tomb->handle.slot) || store_alive(scene->store, tomb->handle));
	screen.healed = healed ? observe_healed_words(healed, a) : STR_NONE;
	facts.style = tomb || s.severity == SEVERITY_NONE ? STYLE_DIM : STYLE_NORMAL;
	line.ncells = 0;
	for (size_t i = 0; i < shown->n; i++) {
		size_t id = shown->at[i];

		cells[line.ncells++] = id < COLUMN_LABEL ? column_cell(id, &facts) :
							   (struct text){ label_value(scene, s.id.handle, id - COLUMN_LABEL),
									  STR_NONE, facts.style };
	}
	line.cells = cells;
	return line;
}

static struct line table_fill(const struct ui *ui, const struct scene *scene, struct line line, struct arena *a)
{
	struct columns_shown shown = shown_columns(ui, scene);

	return fill(ui, scene, &shown, cols_of_form(list_cols(ui), ui->table_form), line, a);
}

/* ---- the whole table ---------------------------------------------------- */

/* Measures what the first rows say, as many as a screen may show, in each form for which the screen is wide enough. */
static void measure_said(struct building *b)
{
	enum { FIRST = 100 };
	uint16_t said[COLUMN_COUNT] = { 0 };

	for (int form = FORM_WHY; form < FORMS && (!form || cols_of_form(b->ui->cols, form) > cols_of_form(b->ui->cols, form - 1)); form++) {
		int cols = cols_of_form(b->ui->cols, form);
		struct columns_shown shown = columns_for(b->ui, b->scene, cols);

		for (size_t i = 0; i < b->lines->n && i < FIRST; i++) {
			struct line line = b->lines->all[i];

			if (!(line.flags & LINE_LAZY))
				continue;
			line = fill(b->ui, b->scene, &shown, cols, line, b->a);
			for (size_t k = 0; k < shown.n; k++)
				if (shown.at[k] < COLUMN_COUNT && (column_row(shown.at[k])->explains || shown.at[k] == COLUMN_PHASE))
					said[shown.at[k]] = (uint16_t)text_widest(text_head(line.cells[k].str, WIDTHS), said[shown.at[k]]);
		}
	}
	for (size_t id = 0; id < COLUMN_COUNT; id++)
		steady_width(b->ui, &b->ui->steady_widths.said[id], said[id]);
}

static void build_rows(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	const struct kinds *kinds = store_kinds(scene->store);
	struct rows rows;
	bool well;
	struct building b = { .ui = ui, .scene = scene, .lines = lines, .kinds = kinds, .a = &arena };

	struct widths widths = { .usual = { 0 } };

	if (!rows_collect(ui, scene, &arena, &rows)) {
		arena_release(&arena);
		return;
	}
	b.holds_selected = rows.holds_selected;
	lines_reserve(lines, rows.n + rows.nready + 1);
	well = well_add(ui, scene, lines);
	b.widths = arena_array(&arena, MEASURED, sizeof(*b.widths));
	b.kind_width = arena_array(&arena, (size_t)kinds->count + 1, sizeof(*b.kind_width));
	b.short_width = arena_array(&arena, (size_t)kinds->count + 1, sizeof(*b.short_width));
	for (size_t i = 0; i < rows.n && !is_stopped(&b, i); i++) {
		if (rows.all[i]->members > 1)
			add_group(&b, rows.all[i]);
		else
			add_row(&b, rows.all[i], 0, 0);
	}
	if (well && rows.n)
		lines_blank(lines);
	if (well)
		well_add_running_out(ui, scene, lines);
	if (rows.fold_ready)
		add_ready(&b, &rows);
	for (size_t i = 0; i < rows.nready && !is_stopped(&b, i); i++) {
		struct table_row row = rows_ready(&rows, scene->store, i);

		add_row(&b, &row, 0, rows.fold_ready ? 1 : 0);
	}
	ui->matching = rows.matching;
	for (size_t id = 0; id < MEASURED; id++)
		measured(&b, id, &widths);
	measure_said(&b);
	choose_form(ui, scene, &widths);
	table_columns(ui, scene, &widths);
	arena_release(&arena);
}

static void table_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	static const struct widths unknown = { .usual = { 0 } };

	if (ui->group == GROUP_NONE) {
		build_rows(ui, scene, lines);
		return;
	}
	groups_build(ui, scene, lines);
	table_columns(ui, scene, &unknown);
}

const struct view view_table = {
	.title = "table", .resumes = "table", .build = table_build, .fill = table_fill, .lists = true, .stops = true,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The start view: a row per resource, worst first, the healthy ones folded. */
#include "tui/state/filter.h"
#include "tui/view/layout.h"
#include "tui/view/rows.h"
#include "tui/view/views.h"
#include "tui/words/words.h"

enum {
	GLYPH_BELOW = 64,    /* columns: a phase is its glyph on narrower screens, */
	NAMESPACE_FROM = 48, /* namespaces are shown from here on, */
	WHY_BELOW = 130,     /* waits and messages share a column, */
	REASON_FROM = 150,   /* reasons have one of their own */
	WIDTHS = 128,	     /* wider cells count as this wide */
	ROOMY = 100,	     /* columns have two blanks between them from here on */
	SAID_SHARE = 50,     /* percent of the columns that waits, reasons and messages should have, */
	NAME_SHARE = 28	     /* and that names have at most where these have less */
};

/* The cells of a row in their order. */
enum cell_id {
	CELL_PHASE,
	CELL_RESOURCE,
	CELL_CLUSTER,
	CELL_NAMESPACE,
	CELL_SINCE,
	CELL_WHY,
	CELL_WAITS,
	CELL_REASON,
	CELL_MESSAGE,
	/* only when they are asked for, by --columns and -L */
	CELL_OPERATOR,
	CELL_SEVERITY,
	CELL_FAMILY,
	CELL_ASYNC,
	CELL_AGE,
	CELL_LABEL, /* the first of LABELS */
	CELL_COUNT = CELL_LABEL + 8
};

/* As --columns names them; the words are those of plain output. */
static const char *const cell_names[CELL_LABEL] = {
	[CELL_PHASE] = "phase",	      [CELL_RESOURCE] = "name",	      [CELL_CLUSTER] = "cluster",
	[CELL_NAMESPACE] = "namespace", [CELL_SINCE] = "since",	      [CELL_WAITS] = "waits-on",
	[CELL_REASON] = "reason",     [CELL_MESSAGE] = "message",     [CELL_OPERATOR] = "operator-phase",
	[CELL_SEVERITY] = "severity", [CELL_FAMILY] = "family",	      [CELL_ASYNC] = "async",
	[CELL_AGE] = "age",
};

/* clang-format off */
static const struct column columns[CELL_LABEL] = {
	/*		       title	    min want max rank grow right  clip	sort */
	[CELL_PHASE]	 = { "PHASE",	      1,  14,  14, 0, 0, false, CLIP_END, 1 + SORT_PHASE },
	[CELL_RESOURCE]	 = { "RESOURCE",     12,  12,  60, 0, 0, false, CLIP_MIDDLE, 1 + SORT_NAME },
	[CELL_CLUSTER]	 = { "CLUSTER",	      7,   7,  24, 3, 0, false, CLIP_MIDDLE, 0 },
	[CELL_NAMESPACE] = { "NAMESPACE",     9,   9,  30, 2, 0, false, CLIP_MIDDLE, 1 + SORT_NAMESPACE },
	[CELL_SINCE]	 = { "SINCE",	      5,   5,   5, 1, 0, true,	CLIP_END, 1 + SORT_SINCE },
	[CELL_WHY]	 = { "WHY",	     10,  30,   0, 4, 1, false, CLIP_END, 0 },
	[CELL_WAITS]	 = { "WAITS ON → ROOT CAUSE", 21, 30, 64, 5, 1, false, CLIP_END, 0 },
	[CELL_REASON]	 = { "REASON",	     12,  22,  40, 6, 0, false, CLIP_END, 0 },
	[CELL_MESSAGE]	 = { "MESSAGE",	     16,  30,   0, 4, 2, false, CLIP_END, 0 },
	[CELL_OPERATOR]	 = { "OPERATOR PHASE", 14, 16, 24, 4, 0, false, CLIP_END, 0 },
	[CELL_SEVERITY]	 = { "SEVERITY",      8,   8,   8, 4, 0, false, CLIP_END, 1 + SORT_WORST },
	[CELL_FAMILY]	 = { "FAMILY",	      6,  10,  12, 5, 0, false, CLIP_END, 0 },
	[CELL_ASYNC]	 = { "ASYNC",	      5,   5,   5, 5, 0, true,	CLIP_END, 0 },
	[CELL_AGE]	 = { "AGE",	      5,   5,   5, 4, 0, true,	CLIP_END, 1 + SORT_AGE },
};
/* clang-format on */

/* Columns of the list: beside a preview it has not the whole screen. */
static int list_cols(const struct ui *ui)
{
	return ui_layout(ui).list_cols;
}

static bool is_shown(const struct ui *ui, enum cell_id id)
{
	switch (id) {
	case CELL_CLUSTER:
		return ui->seen.many_clusters;
	case CELL_NAMESPACE:
		return ui->seen.many_namespaces && list_cols(ui) >= NAMESPACE_FROM;
	case CELL_WHY:
		return list_cols(ui) < WHY_BELOW;
	case CELL_WAITS:
	case CELL_MESSAGE:
		return list_cols(ui) >= WHY_BELOW;
	case CELL_REASON:
		return list_cols(ui) >= REASON_FROM;
	case CELL_PHASE:
	case CELL_RESOURCE:
	case CELL_SINCE:
		return true;
	case CELL_OPERATOR:
	case CELL_SEVERITY:
	case CELL_FAMILY:
	case CELL_ASYNC:
	case CELL_AGE:
	case CELL_LABEL:
	case CELL_COUNT:
		break;
	}
	return false;
}

struct shown {
	enum cell_id at[LINE_CELLS];
	size_t n;
};

static void show_named(const char *names, struct shown *out)
{
	struct str rest = str_of(names), name;

	while (str_split(&rest, ',', &name))
		for (int id = 0; id < CELL_LABEL && out->n < LINE_CELLS; id++)
			if (cell_names[id] && str_eq_nocase(str_trim(name), str_of(cell_names[id])))
				out->at[out->n++] = (enum cell_id)id;
}

/* Those of --columns in their order, or what there is room for; and a column for each -L. */
static struct shown shown_cells(const struct ui *ui, const struct scene *scene)
{
	struct shown out = { .n = 0 };

	if (scene->columns)
		show_named(scene->columns, &out);
	for (int id = 0; !scene->columns && id < CELL_LABEL; id++) {
		/* Who looks after it stands before what is said, which takes the rest of the row. */
		if (id == CELL_WHY)
			for (size_t i = 0; i < scene->nlabels && out.n < LINE_CELLS / 2; i++)
				out.at[out.n++] = (enum cell_id)(CELL_LABEL + i);
		if (is_shown(ui, (enum cell_id)id))
			out.at[out.n++] = (enum cell_id)id;
	}
	return out;
}

struct column label_column(const char *key, struct arena *a)
{
	struct str name = str_from(str_of(key), str_rfind(str_of(key), '/') + 1);
	struct column column = { .min = 6, .want = 10, .max = 24, .rank = 3, .clip = CLIP_MIDDLE };
	char *title;

	if (name.len == 0 || str_rfind(str_of(key), '/') == str_of(key).len)
		name = str_of(key);
	title = arena_alloc(a, name.len + 1);
	for (size_t i = 0; i < name.len; i++)
		title[i] = name.ptr[i] >= 'a' && name.ptr[i] <= 'z' ? (char)(name.ptr[i] - 'a' + 'A') : name.ptr[i];
	column.title = title;
	return column;
}

/* On a narrow screen names are cut in their middle before the reason has no room. */
static int most_wanted(const struct ui *ui, enum cell_id id)
{
	int share = list_cols(ui) >= WHY_BELOW ? list_cols(ui) * 30 / 100 : list_cols(ui) * 34 / 100;

	if (id == CELL_RESOURCE)
		return share > columns[id].min ? share : columns[id].min;
	if (list_cols(ui) < WHY_BELOW)
		return id == CELL_NAMESPACE ? 14 : UINT16_MAX;
	if (id >= CELL_LABEL)
		return UINT16_MAX;
	return columns[id].max ? columns[id].max : UINT16_MAX;
}

/*
 * Columns keep their width while rows come and go, and while a filter is typed: what
 * has no room anyway is no reason to move everything else.
 */
static uint16_t steady_width(const struct ui *ui, uint16_t *steady, uint16_t now)
{
	if (now > *steady && (!ui_filter(ui).len || !*steady))
		*steady = now;
	return *steady;
}

/* By cell, for the columns that are measured: what nearly all rows need, and what most do; 0: as the table says. */
struct widths {
	uint16_t usual[CELL_COUNT], most[CELL_COUNT];
};

/*
 * Why it is so must have room, on every row: where the names leave it less, they are as wide as most of them
 * need, and a few long ones are cut.
 */
static void leave_room(struct ui *ui, const struct shown *shown, const struct widths *widths)
{
	int left = list_cols(ui) - 2, gap = list_cols(ui) < ROOMY ? 1 : 2, lacking;

	for (size_t i = 0; i < shown->n; i++)
		left -= gap + (shown->at[i] >= CELL_WHY && shown->at[i] <= CELL_MESSAGE ? 0 : ui->columns[i].want);
	lacking = list_cols(ui) * SAID_SHARE / 100 - left;
	for (size_t i = 0; i < shown->n && lacking > 0; i++) {
		enum cell_id id = shown->at[i];
		uint16_t most, share = (uint16_t)(list_cols(ui) * NAME_SHARE / 100);

		if (id != CELL_RESOURCE && id != CELL_NAMESPACE)
			continue;
		most = steady_width(ui, &ui->steady.most[id], widths->most[id]);
		if (id == CELL_RESOURCE && most > share)
			most = share;
		if (most < columns[id].min)
			most = columns[id].min;
		if (most < ui->columns[i].want - lacking)
			most = (uint16_t)(ui->columns[i].want - lacking);
		if (most < ui->columns[i].want) {
			lacking -= ui->columns[i].want - most;
			ui->columns[i].want = most;
		}
	}
}

static void table_columns(struct ui *ui, const struct scene *scene, const struct widths *widths)
{
	struct shown shown = shown_cells(ui, scene);

	ui->ncolumns = 0;
	for (size_t i = 0; i < shown.n; i++) {
		enum cell_id id = shown.at[i];
		struct column column = id >= CELL_LABEL ? label_column(scene->labels[id - CELL_LABEL], &ui->arena) :
							  columns[id];

		if (id < CELL_LABEL && steady_width(ui, &ui->steady.usual[id], widths->usual[id]) > column.want)
			column.want = ui->steady.usual[id];
		if (column.want > most_wanted(ui, id))
			column.want = (uint16_t)most_wanted(ui, id);
		if ((id == CELL_SINCE || id == CELL_AGE) && scene->absolute_time)
			column.want = column.max = TIME_CELL;
		if (id == CELL_PHASE && list_cols(ui) < GLYPH_BELOW) {
			column.title = " ";
			column.want = column.max = 1;
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
	uint16_t *kind_width; /* by kind id, 0: not measured yet */
	struct arena *a;
	uint32_t (*widths)[WIDTHS]; /* by cell: how many rows need so much */
	size_t rows;
};

static void note_width(struct building *b, enum cell_id id, int width)
{
	b->widths[id][width < WIDTHS ? width : WIDTHS - 1]++;
}

/* Of very many rows a part tells how wide they are. */
static bool is_measured(const struct building *b)
{
	enum { ALL = 2000, ONE_IN = 32 };

	return b->lines->n <= ALL || b->lines->n % ONE_IN == 0;
}

static void measure(struct building *b, const struct row *row, const struct line *line)
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
	width = b->kind_width[id.kind->id] + 2 * line->depth;
	if (!line->count)
		width += 1 + text_width(id.name);
	else if (graph_summary(b->scene->graph, line->of, &owner))
		width += text_width(arena_printf(b->a, " ×%u of ", line->count)) + text_width(owner.id.name);
	else
		width += text_width(arena_printf(b->a, " ×%u", line->count));
	b->rows++;
	note_width(b, CELL_RESOURCE, width);
	note_width(b, CELL_NAMESPACE, text_width(id.ns));
	if (b->ui->seen.many_clusters)
		note_width(b, CELL_CLUSTER, text_width(graph_id(b->scene->graph, row->object.slot).cluster));
}

/* What all rows need but so few: their names are cut in their middle. */
static uint16_t width_but(const struct building *b, enum cell_id id, size_t few)
{
	size_t beyond = 0;

	for (int width = WIDTHS - 1; width > 0; width--) {
		beyond += b->widths[id][width];
		if (beyond > few)
			return (uint16_t)width;
	}
	return 0;
}

static void measured(const struct building *b, enum cell_id id, struct widths *out)
{
	out->usual[id] = width_but(b, id, b->rows / 20);
	out->most[id] = width_but(b, id, (b->rows + 2) / 5);
}

/* Remembers in which line the selected object is now. */
static void note_holder(struct building *b, const struct row *row, uint64_t key)
{
	struct place *place = ui_place(b->ui);

	if (place->object.slot && row->object.slot == place->object.slot &&
	    row->object.gen == place->object.gen)
		b->ui->holder = key;
}

static void add_row(struct building *b, const struct row *row, uint64_t under, unsigned depth)
{
	struct line *line = lines_add(b->lines);
	uint64_t line_key;

	/* Under its owner a part is a second line: what is not well has one of its own. */
	line->key = under ? key_mix(under, rows_key(row)) : rows_key(row);
	line->object = row->object;
	line->flags = LINE_LAZY;
	line->depth = (uint8_t)depth;
	line_key = line->key;
	if (row->gone)
		line->flags |= LINE_GONE;
	if (row->children)
		line->fold = row->child ? FOLD_OPEN : FOLD_CLOSED;
	measure(b, row, line);
	note_holder(b, row, line_key);
	for (const struct row *child = row->child; child; child = child->next)
		add_row(b, child, line_key, depth + 1);
}

static struct handle top_owner(const struct building *b, const struct row *row)
{
	struct summary s = { .percent = -1 };

	graph_summary(b->scene->graph, row->object, &s);
	return words_top_owner(b->scene->graph, s.owner);
}

/* The workload that all members belong to: its name is theirs. */
static struct handle common_owner(const struct building *b, const struct row *row)
{
	struct handle owner = top_owner(b, row);

	for (row = row->next; row && owner.slot; row = row->next) {
		struct handle other = top_owner(b, row);

		if (other.slot != owner.slot)
			return HANDLE_NONE;
	}
	return owner;
}

/* What the preview shows of a row that stands for several. */
static const struct line_texts *preview_texts(struct building *b, const struct row *row)
{
	struct line_texts *texts;
	struct handle *handles;

	if (!b->ui->preview)
		return NULL;
	texts = arena_alloc(b->lines->arena, sizeof(*texts));
	handles = arena_array(b->lines->arena, PREVIEW_MEMBERS, sizeof(*handles));
	for (; row && texts->nmembers < PREVIEW_MEMBERS; row = row->next)
		handles[texts->nmembers++] = row->object;
	texts->members = handles;
	return texts;
}

static void add_group(struct building *b, const struct row *row)
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
	for (const struct row *member = row; member; member = member->next) {
		if (open)
			add_row(b, member, 0, 1);
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
}

/* Has a key come in?  What is built so far is not shown then. */
static bool is_stopped(const struct building *b, size_t i)
{
	enum { MANY = 1024 };

	return i % MANY == 0 && ui_interrupted(b->ui, b->scene);
}

static void build_rows(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	const struct kinds *kinds = store_kinds(scene->store);
	struct rows rows;
	struct building b = { .ui = ui, .scene = scene, .lines = lines, .kinds = kinds, .a = &arena };

	struct widths widths = { .usual = { 0 } };

	if (!rows_collect(ui, scene, &arena, &rows)) {
		arena_release(&arena);
		return;
	}
	lines_reserve(lines, rows.n + rows.nready + 1);
	b.widths = arena_array(&arena, CELL_COUNT, sizeof(*b.widths));
	b.kind_width = arena_array(&arena, (size_t)kinds->count + 1, sizeof(*b.kind_width));
	for (size_t i = 0; i < rows.n && !is_stopped(&b, i); i++) {
		if (rows.all[i]->members >= GROUP_LEAST)
			add_group(&b, rows.all[i]);
		else
			add_row(&b, rows.all[i], 0, 0);
	}
	if (rows.fold_ready)
		add_ready(&b, &rows);
	for (size_t i = 0; i < rows.nready && !is_stopped(&b, i); i++) {
		struct row row = rows_ready(&rows, scene->store, i);

		add_row(&b, &row, 0, rows.fold_ready ? 1 : 0);
	}
	ui->matching = rows.matching;
	for (int id = 0; id < CELL_LABEL; id++)
		measured(&b, (enum cell_id)id, &widths);
	table_columns(ui, scene, &widths);
	arena_release(&arena);
}

void table_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	static const struct widths unknown = { .usual = { 0 } };

	if (ui->group == GROUP_NONE) {
		build_rows(ui, scene, lines);
		return;
	}
	groups_build(ui, scene, lines);
	table_columns(ui, scene, &unknown);
}

/* ---- cells of the lines on the screen --------------------------------------- */

struct filling {
	const struct ui *ui;
	const struct scene *scene;
	const struct summary *s;
	const struct line *line;
	struct arena *a;
	const struct lately *healed;  /* NULL: it is not just healed */
	const struct tombstone *tomb; /* NULL: the object lives */
	enum style calm;	      /* of what needs no attention in this row */
};

static struct text plain(struct str str, enum style style)
{
	return (struct text){ str, STR_NONE, style };
}

static struct text fill_phase(struct filling *f)
{
	const struct look *look = phase_look(f->s->phase);

	if (f->tomb)
		return (struct text){ STR("⊖ Gone"), STR("⊖"), STYLE_DIM };
	return (struct text){ arena_printf(f->a, "%s %s", look->glyph, phase_name(f->s->phase)),
			      str_of(look->glyph), look->style };
}

/* "subnet.openstack": of a long group its first word, where the whole name has no room; "" when it has no other one. */
static struct str short_kind(struct str kind)
{
	size_t dot = str_find(kind, '.'), next = dot < kind.len ? dot + 1 + str_find(str_from(kind, dot + 1), '.') : kind.len;

	return next < kind.len ? str_head(kind, next) : STR_NONE;
}

static struct text name_of_one(struct filling *f, struct str kind)
{
	const struct id *id = &f->s->id;
	struct text name = plain(words_id(store_kinds(f->scene->store), id, f->a), f->calm);
	struct str brief = short_kind(kind);

	if (brief.len && id->name.len)
		name.brief = arena_printf(f->a, STR_FMT "/" STR_FMT, STR_ARG(brief), STR_ARG(id->name));
	return name;
}

static struct text fill_resource(struct filling *f)
{
	const struct kinds *kinds = store_kinds(f->scene->store);
	const struct id *id = &f->s->id;
	struct summary owner;
	struct str kind = words_kind(kinds, id->group, id->kind, f->a), brief = short_kind(kind);

	if (f->line->count == 0)
		return name_of_one(f, kind);
	if (brief.len)
		brief = arena_printf(f->a, STR_FMT " ×%u", STR_ARG(brief), f->line->count);
	kind = arena_printf(f->a, STR_FMT " ×%u", STR_ARG(kind), f->line->count);
	if (list_cols(f->ui) < GLYPH_BELOW || !f->line->of.slot || !graph_summary(f->scene->graph, f->line->of, &owner))
		return (struct text){ kind, brief, f->calm };
	return (struct text){ ARENA_JOIN(f->a, kind, STR(" of "), words_id(kinds, &owner.id, f->a)),
			      arena_printf(f->a, STR_FMT " of " STR_FMT, STR_ARG(kind), STR_ARG(owner.id.name)),
			      f->calm };
}

static struct text fill_cluster(struct filling *f)
{
	return plain(f->s->id.cluster, STYLE_DIM);
}

static struct text fill_namespace(struct filling *f)
{
	return plain(f->s->id.ns, STYLE_DIM);
}

/* Without a time of its own: at least since what it waits for is in its state. */
static struct str since_of_cause(struct filling *f)
{
	struct str age;

	if (f->tomb || f->s->phase == PHASE_READY || f->scene->absolute_time)
		return STR_NONE;
	age = words_age(words_since_of_cause(f->scene->graph, f->s->id.handle, f->a), f->scene->now, f->a);
	return age.len ? arena_printf(f->a, "~" STR_FMT " ", STR_ARG(age)) : STR_NONE;
}

static struct text fill_since(struct filling *f)
{
	struct str age = words_when(f->s->since, f->scene->now, f->scene->absolute_time, f->a);
	bool overdue = !f->tomb && words_overdue(f->s, f->scene->now);

	if (age.len == 0)
		return plain(since_of_cause(f), f->calm);
	/* The column keeps one place for the mark, so that the numbers stay aligned. */
	return plain(arena_printf(f->a, STR_FMT "%s", STR_ARG(age), overdue ? "!" : " "),
		     overdue ? STYLE_WARN : f->calm);
}

static struct text fill_waits(struct filling *f)
{
	const struct summary *s = f->s;
	struct text chain = { STR_NONE, STR_NONE, STYLE_NORMAL };

	if (f->tomb)
		return chain;
	chain = words_chain(f->scene->graph, store_kinds(f->scene->store), s->id.handle, f->a);
	/* How far something came that failed is not what a narrow screen has room for. */
	if (chain.str.len == 0 && s->percent >= 0 && s->phase != PHASE_READY &&
	    (s->phase != PHASE_FAILED || list_cols(f->ui) >= WHY_BELOW))
		return plain(words_bar(s->percent, f->a), STYLE_PROGRESS);
	return chain;
}

static struct text fill_reason(struct filling *f)
{
	return plain(f->s->phase == PHASE_READY ? f->s->reason : words_reason(f->s), f->calm);
}

/* "1.0.0 → 2.0.0" while it changes, or "". */
static struct str version_words(struct filling *f)
{
	struct item item;

	if (!phase_under_way(f->s->phase) ||
	    !graph_item_brief(f->scene->graph, f->s->id.handle, 0, f->a, &item) ||
	    !item.status.version_from.len || !item.status.version_to.len)
		return STR_NONE;
	return arena_printf(f->a, STR_FMT " → " STR_FMT, STR_ARG(item.status.version_from),
			    STR_ARG(item.status.version_to));
}

/* "CrashLoopBackOff: back-off 5m0s ...": of a pod the reason says more than the message does. */
static struct str reason_and_message(struct filling *f)
{
	const struct summary *s = f->s;
	struct str message = words_first_line(s->message);

	if (message.len == 0)
		return s->phase == PHASE_READY ? s->reason : words_reason(s);
	if (!str_is(s->id.kind, "Pod") || s->severity < SEVERITY_WARNING || !s->reason.len ||
	    text_contains(message, s->reason))
		return message;
	return arena_printf(f->a, STR_FMT ": " STR_FMT, STR_ARG(s->reason), STR_ARG(message));
}

/* Of "0/3 nodes are available: 3 Insufficient cpu." the end: where there is no room, that is what counts. */
static struct str what_is_lacking(struct str message)
{
	static const char before[] = "nodes are available: ";

	for (size_t i = 0; i + sizeof(before) <= message.len; i++)
		if (str_starts(str_from(message, i), before))
			return str_from(message, i + sizeof(before) - 1);
	return STR_NONE;
}

static struct text fill_message(struct filling *f)
{
	const struct summary *s = f->s;
	struct str message, version;

	if (f->tomb)
		return plain(arena_printf(f->a, "gone, was %s", phase_name(s->phase)), STYLE_DIM);
	if (f->healed)
		return plain(observe_healed_words(f->healed, f->a), STYLE_GOOD);
	message = is_shown(f->ui, CELL_REASON) ? words_first_line(s->message) : reason_and_message(f);
	version = version_words(f);
	if (version.len)
		message = arena_printf(f->a, STR_FMT "%s" STR_FMT, STR_ARG(version),
				       message.len ? "  " : "", STR_ARG(message));
	if (s->stale)
		message = arena_printf(f->a, "stale: " STR_FMT, STR_ARG(message));
	if (f->scene->header->forbidden && graph_unreadable(f->scene->graph, s->id.handle))
		message = arena_printf(f->a, "unreadable now: " STR_FMT, STR_ARG(message));
	return (struct text){ message, what_is_lacking(message), STYLE_DIM };
}

/* Nothing that can be opened is waited for, and the object itself says more: "Insufficient cpu". */
static bool message_says_more(struct filling *f)
{
	struct item_wait w = graph_first_wait(f->scene->graph, f->s->id.handle);

	return w.state == WAIT_EXTERNAL && f->s->message.len;
}

/* What it waits for; where it waits for nothing, what is said about it. */
static struct text fill_why(struct filling *f)
{
	struct text waits = fill_waits(f);

	return waits.str.len && !message_says_more(f) && !f->healed ? waits : fill_message(f);
}

static struct text fill_operator(struct filling *f)
{
	return plain(f->s->operator_phase, f->calm);
}

static struct text fill_severity(struct filling *f)
{
	return plain(str_of(severity_name(f->s->severity)), severity_style(f->s->severity));
}

static struct text fill_family(struct filling *f)
{
	return plain(str_of(f->s->family), STYLE_DIM);
}

static struct text fill_async(struct filling *f)
{
	if (f->s->percent < 0 || f->s->percent > 100)
		return plain(STR_NONE, f->calm);
	return plain(arena_printf(f->a, "%d%%", (int)f->s->percent), STYLE_PROGRESS);
}

static struct text fill_age(struct filling *f)
{
	return plain(words_when(f->s->created, f->scene->now, f->scene->absolute_time, f->a), STYLE_DIM);
}

static struct text fill_label(struct filling *f, size_t label)
{
	return plain(label_value(f->scene, f->s->id.handle, label), f->calm);
}

static struct text (*const fills[CELL_LABEL])(struct filling *f) = {
	[CELL_PHASE] = fill_phase,     [CELL_RESOURCE] = fill_resource,
	[CELL_CLUSTER] = fill_cluster, [CELL_NAMESPACE] = fill_namespace,
	[CELL_SINCE] = fill_since,     [CELL_WHY] = fill_why,
	[CELL_WAITS] = fill_waits,     [CELL_REASON] = fill_reason,
	[CELL_MESSAGE] = fill_message, [CELL_OPERATOR] = fill_operator,
	[CELL_SEVERITY] = fill_severity, [CELL_FAMILY] = fill_family,
	[CELL_ASYNC] = fill_async,     [CELL_AGE] = fill_age,
};

struct line table_fill(const struct ui *ui, const struct scene *scene, struct line line,
		       struct arena *a)
{
	struct summary s = { .percent = -1 };
	struct filling f = { .ui = ui, .scene = scene, .s = &s, .line = &line, .a = a };
	struct shown shown = shown_cells(ui, scene);
	struct text *cells = arena_array(a, shown.n, sizeof(*cells));
	const struct tombstone buried = { .handle = line.object, .phase = PHASE_UNKNOWN };

	if (!graph_summary(scene->graph, line.object, &s)) {
		f.tomb = observe_tombstone(&ui->seen, line.object);
		if (!f.tomb) /* since the last scan */
			f.tomb = &buried;
		if (f.tomb != &buried || store_knows(scene->store, line.object))
			s.id = observe_gone_id(&ui->seen, scene->store, f.tomb);
		s.phase = f.tomb->phase;
		s.since = f.tomb->time;
		line.flags |= LINE_GONE;
	} else if (observe_flashes(&ui->seen, line.object, scene->clock)) {
		line.flags |= LINE_FLASH;
	}
	f.healed = f.tomb ? NULL : observe_healed(&ui->seen, line.object);
	f.calm = f.tomb || s.severity == SEVERITY_NONE ? STYLE_DIM : STYLE_NORMAL;
	line.ncells = 0;
	for (size_t i = 0; i < shown.n; i++)
		cells[line.ncells++] = shown.at[i] >= CELL_LABEL ?
					       fill_label(&f, (size_t)(shown.at[i] - CELL_LABEL)) :
					       fills[shown.at[i]](&f);
	line.cells = cells;
	return line;
}

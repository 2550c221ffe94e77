/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/changes.h"

#include <string.h>

#include "kube/base/time.h"
#include "tui/state/filter.h"
#include "tui/view/cause_facts.h"
#include "tui/view/place.h"
#include "tui/view/views.h"
#include "tui/words/words.h"

/* The state of the view. */
struct changes_state {
	int64_t window;	/* how far back it compares, ms */
	const struct changes *shown;	/* what the lines show; in the arena of the lines */
};

static struct changes_state *own(const struct ui *ui)
{
	return ui_own(ui, VIEW_CHANGES);
}

const char *change_word(enum change_word word)
{
	static const char *const words[CHANGE_WORDS] = { "changed", "new", "gone", "healed" };

	return words[word];
}

struct str changed_words(const struct changed_object *c, struct arena *a)
{
	const char *from = c->from_known ? phase_name(c->from) : "?", *to = phase_name(c->to);

	switch (c->word) {
	case CHANGE_WORD_NEW:
		return arena_printf(a, "new, %s", to);
	case CHANGE_WORD_GONE:
		to = c->deselected ? "not in the selection" : "gone";
		return c->from_known ? arena_printf(a, "%s → %s", from, to) : str_of(to);
	case CHANGE_WORD_HEALED:
		return arena_printf(a, "healed, was %s", from);
	case CHANGE_WORD_CHANGED:
	case CHANGE_WORDS:
		break;
	}
	return c->from == c->to ? str_of(to) : arena_printf(a, "%s → %s", from, to);
}

struct str changed_field_words(const struct changed_field *f, struct arena *a)
{
	if (f->added)
		return arena_printf(a, STR_FMT "  + " STR_FMT, STR_ARG(f->path), STR_ARG(f->after));
	if (f->removed)
		return arena_printf(a, STR_FMT "  - " STR_FMT, STR_ARG(f->path), STR_ARG(f->before));
	return arena_printf(a, STR_FMT "  " STR_FMT " → " STR_FMT, STR_ARG(f->path), STR_ARG(f->before), STR_ARG(f->after));
}

/* Returns the phase after a change, for columns in which both phases have no room: "→ Failed". */
static struct str changed_words_brief(const struct changed_object *c, struct arena *a)
{
	if (c->word == CHANGE_WORD_CHANGED)
		return c->from == c->to ? STR_NONE : arena_printf(a, "→ %s", phase_name(c->to));
	return str_of(change_word(c->word));
}

struct str changes_summary(const struct changes *c, struct arena *a)
{
	size_t changed = c->by_word[CHANGE_WORD_CHANGED] + c->by_word[CHANGE_WORD_HEALED];
	size_t healed = c->by_word[CHANGE_WORD_HEALED];
	struct str out = ARENA_JOIN(a, words_count(changed, a), str_of(changed == 1 ? " object changed" : " objects changed"));

	if (healed)
		out = ARENA_JOIN(a, out, STR(" ("), words_count(healed, a), STR(" of them healed)"));
	for (enum change_word word = CHANGE_WORD_NEW; word < CHANGE_WORD_HEALED; word++)
		if (c->by_word[word])
			out = ARENA_JOIN(a, out, STR(", "), words_count(c->by_word[word], a), STR(" "), str_of(change_word(word)));
	return out;
}

/* ---- the view ---------------------------------------------------------------------- */

/* CLUSTER is there only when there are several clusters */
enum { WHEN, RESOURCE, CLUSTER, NAMESPACE, WHAT, FIELD, CELLS };
enum { GROUP_FROM = 3 };

struct changes_building {
	struct ui *ui;
	const struct scene *scene;
	struct lines *lines;
	struct arena *a;	/* the arena of the lines */
	const struct filter *filter;
	bool *passes;		/* by object: it passes the filter */
	/*
	 * by object: how many objects share its row, which is that of the newest; 0: it is in the row of another object, or
	 * does not pass the filter
	 */
	uint32_t *same;
	uint32_t *newest;	/* by object: 1 + the index of the newest object that came, went or changed like it */
};

static struct str clock_of(const struct scene *scene, int64_t time, struct arena *a)
{
	char text[TIME_TEXT];

	return scene->absolute_time ? arena_str(a, str_of(time_format(time, text))) : words_moment(time, scene->now, a);
}

/*
 * True when two objects of one kind and namespace came, went or changed their phase in the same way: they share a row.
 */
static bool is_alike(const struct changed_object *a, const struct changed_object *b)
{
	return a->word == b->word && a->from == b->from && a->to == b->to && a->cluster == b->cluster &&
	       str_eq(a->id.kind, b->id.kind) && str_eq(a->id.group, b->id.group) && str_eq(a->id.ns, b->id.ns);
}

static uint64_t hash_of_alike(const struct changed_object *c)
{
	uint64_t h = key_mix(key_mix((uint64_t)c->word, (uint64_t)c->from), (uint64_t)c->to);

	return key_mix_str(key_mix_str(key_mix(h, c->cluster), c->id.kind), c->id.ns);
}

static bool passes_filter(struct changes_building *b, const struct changed_object *c)
{
	struct summary s = { .id = c->id, .phase = c->to, .since = c->time, .reason = c->reason, .message = c->message };
	struct str fields[] = { words_id(store_kinds(b->scene->store), &c->id, b->a), c->id.ns, c->id.cluster,
				changed_words(c, b->a), c->reason, c->message };

	if (c->id.handle.slot)
		graph_summary(b->scene->graph, c->id.handle, &s);
	s.since = c->time;
	return filter_line(b->filter, &s, fields, sizeof(fields) / sizeof(fields[0]));
}

static void filter_changes(struct changes_building *b, const struct changes *c)
{
	bool all = !ui_filter(b->ui).len;

	b->passes = arena_array(b->a, c->n, sizeof(*b->passes));
	for (size_t i = 0; i < c->n; i++) {
		b->passes[i] = all || passes_filter(b, &c->objects[i]);
		b->ui->matching += b->passes[i];
	}
	b->ui->unfiltered_rows = c->n;
}

/* Gives objects a row of their own where there are too few for a row that they share. */
static void part_few(struct changes_building *b, const struct changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (b->newest[i] && !b->same[i] && b->same[b->newest[i] - 1] < GROUP_FROM)
			b->same[i] = 1;
	for (size_t i = 0; i < c->n; i++)
		if (b->same[i] && b->same[i] < GROUP_FROM)
			b->same[i] = 1;
}

/*
 * Finds the objects that share a row by a hash table of the newest object of each row.  Its size is a power of two and
 * at least twice the number of objects, which are in the order of their times.
 */
static void find_alike(struct changes_building *b, const struct changes *c)
{
	size_t places = 64;
	uint32_t *rows;

	while (places < c->n * 2)
		places *= 2;
	rows = arena_array(b->a, places, sizeof(*rows));
	b->same = arena_array(b->a, c->n, sizeof(*b->same));
	b->newest = arena_array(b->a, c->n, sizeof(*b->newest));
	for (size_t i = c->n; i-- > 0;) {
		size_t at = hash_of_alike(&c->objects[i]) & (places - 1);

		b->same[i] = b->passes[i];
		if (!b->passes[i])
			continue;
		if (c->objects[i].word == CHANGE_WORD_CHANGED && c->objects[i].from == c->objects[i].to)
			/* of an object whose phase did not change the changed fields matter, so it has its own row */
			continue;
		while (rows[at] && !is_alike(&c->objects[rows[at] - 1], &c->objects[i]))
			at = (at + 1) & (places - 1);
		if (!rows[at]) {
			rows[at] = (uint32_t)i + 1;
		} else {
			b->same[rows[at] - 1]++;
			b->same[i] = 0;
		}
		b->newest[i] = rows[at];
	}
	part_few(b, c);
}

static uint64_t key_of(const struct changed_object *c, uint64_t seed)
{
	return key_mix_str(key_mix_str(key_mix_str(key_mix(seed, c->cluster), c->id.kind), c->id.ns), c->id.name);
}

/* Returns the key of a row that several objects share, which stays the same while objects join it. */
static uint64_t fold_key(const struct changed_object *c)
{
	return key_mix_str(key_mix(hash_of_alike(c), 41), c->id.group);
}

/* Adds a row.  at: the index of its object in own(ui)->shown; n: how many objects the row stands for. */
static void add_change(struct changes_building *b, size_t at, uint32_t n, unsigned depth)
{
	const struct changed_object *c = &own(b->ui)->shown->objects[at];
	const struct kinds *kinds = store_kinds(b->scene->store);
	struct line *line = lines_add(b->lines);

	line->key = n > 1 ? fold_key(c) : key_of(c, 40);
	line->object = n > 1 ? HANDLE_NONE : c->id.handle;
	line->count = (uint32_t)at + 1;
	line->depth = (uint8_t)depth;
	line->fold = ui_toggled(b->ui, line->key) ? FOLD_OPEN : FOLD_CLOSED;
	line->flags = n > 1 ? 0 : LINE_LAZY;
	lines_cell(b->lines, clock_of(b->scene, c->time, b->a), STYLE_DIM);
	lines_cell(b->lines,
		   n > 1 ? ARENA_JOIN(b->a, words_kind(kinds, c->id.group, c->id.kind, b->a), STR(" ×"),
				      words_count(n, b->a)) :
			   name_on_screen(b->ui, kinds, &c->id, b->a),
		   STYLE_NORMAL);
	if (b->ui->observer.many_clusters)
		lines_cell(b->lines, c->id.cluster, STYLE_DIM);
	lines_cell(b->lines, c->id.ns, STYLE_DIM);
	lines_cell_brief(b->lines, changed_words(c, b->a), changed_words_brief(c, b->a),
			 c->word == CHANGE_WORD_GONE ? STYLE_LEAVING : phase_appearance(c->to)->style);
	if (n > 1)
		lines_cell(b->lines, c->word == CHANGE_WORD_GONE ? STR_NONE : c->reason, STYLE_NORMAL);
}

/* ---- who wrote it --------------------------------------------------------------- */

/* True when one of the paths is the other one, or leads to a field in it. */
static bool is_same_field(struct str a, struct str b)
{
	struct str longer = a.len > b.len ? a : b, shorter = a.len > b.len ? b : a, rest = str_from(longer, shorter.len);

	return str_eq(str_head(longer, shorter.len), shorter) && (!rest.len || rest.ptr[0] == '.' || rest.ptr[0] == '[');
}

/* Returns who last wrote that field: "   (argocd 09:02:41)"; "" when that is not known. */
static struct str written_by(const struct changes_building *b, const struct changed_object *c, struct str path)
{
	struct object_id id = store_node_id(b->scene->store, c->id.handle.slot);
	const struct edit *edits;
	size_t n = c->id.handle.slot ? graph_edits(b->scene->graph, &id, b->a, &edits) : 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < edits[i].nfields; k++)
			if (is_same_field(edits[i].fields[k], path))
				return ARENA_JOIN(b->a, STR("   ("), edits[i].by.manager, STR(" "), clock_of(b->scene, edits[i].time, b->a), STR(")"));
	return STR_NONE;
}

/* Adds below a row each field that differs, with its values before and after. */
static void add_changed_fields(struct changes_building *b, size_t at, unsigned depth)
{
	struct changed_object c = own(b->ui)->shown->objects[at];
	const struct changes_source *source = b->scene->changes;

	source->fields(source->ctx, &c, own(b->ui)->shown->from, own(b->ui)->shown->to, b->a);
	if (handle_eq(c.id.handle, ui_place(b->ui)->object))
		scene_look_at_change(b->scene, &(struct change_before){ .id = c.id, .time = c.time, .what = CHANGED_SPEC });
	for (size_t i = 0; i < c.nfields; i++) {
		const struct changed_field *f = &c.fields[i];
		struct line *line = lines_add(b->lines);

		line->key = key_mix_str(key_of(&c, 42), f->path);
		line->object = c.id.handle;
		line->depth = (uint8_t)(depth + 1);
		line->flags = LINE_SPAN;
		lines_cell(b->lines, f->path, STYLE_DIM);
		if (f->added || f->removed) {
			lines_cell(b->lines, f->added ? STR("  + ") : STR("  - "), f->added ? STYLE_GOOD : STYLE_BAD);
			lines_cell(b->lines, f->added ? f->after : f->before, STYLE_NORMAL);
		} else {
			lines_cell(b->lines, STR("  "), STYLE_DIM);
			lines_cell(b->lines, f->before, STYLE_NORMAL);
			lines_cell(b->lines, STR(" → "), STYLE_DIM);
			lines_cell(b->lines, f->after, STYLE_STRONG);
		}
		lines_cell(b->lines, written_by(b, &c, f->path), STYLE_DIM);
	}
	if (c.fields_unknown)
		lines_note(b->lines, STR("      which fields: not known, it was not kept before this change"));
	else if (!c.nfields && c.word == CHANGE_WORD_CHANGED)
		lines_note(b->lines, STR("      none of its own fields differ: what it depends on does, or it changed and came back"));
	else if (!c.nfields && (c.reason.len || c.message.len))
		lines_note(b->lines, ARENA_JOIN(b->a, STR("      "), c.reason, str_of(c.reason.len && c.message.len ? ": " : ""),
						words_first_line(c.message)));
	else if (!c.nfields)
		lines_note(b->lines, arena_printf(b->a, "      it is %s: no fields to compare", change_word(c.word)));
}

static void add_alike(struct changes_building *b, size_t newest)
{
	const struct changes *c = own(b->ui)->shown;

	for (size_t i = 0; i <= newest; i++) {
		if (b->newest[i] != newest + 1)
			continue;
		add_change(b, i, 1, 1);
		if (ui_toggled(b->ui, key_of(&c->objects[i], 40)))
			add_changed_fields(b, i, 1);
	}
}

static void add_changes(struct changes_building *b)
{
	const struct changes *c = own(b->ui)->shown;

	for (size_t i = 0; i < c->n; i++) {
		bool folded = b->same[i] >= GROUP_FROM;

		if (b->same[i] == 0)
			continue;
		add_change(b, i, b->same[i], 0);
		if (folded && ui_toggled(b->ui, fold_key(&c->objects[i])))
			add_alike(b, i);
		else if (!folded && ui_toggled(b->ui, key_of(&c->objects[i], 40)))
			add_changed_fields(b, i, 0);
	}
}

static int64_t window_start(const struct ui *ui, const struct scene *scene)
{
	return scene->now - own(ui)->window;
}

/* Returns the moment from which on changes are known, as a clock shows it, where that is within the window; "": all of it is known. */
static struct str seen_from(const struct ui *ui, const struct scene *scene, struct arena *a)
{
	const struct changes *c = own(ui)->shown;
	int64_t from = !c ? 0 : c->known_from > c->from ? c->known_from : c->from;

	return from > window_start(ui, scene) ? clock_of(scene, from, a) : STR_NONE;
}

static struct str changes_empty(const struct ui *ui, const struct scene *scene, struct arena *a)
{
	struct str seen = seen_from(ui, scene, a);
	size_t ngaps;

	scene_gaps(scene, HANDLE_NONE, window_start(ui, scene), a, &ngaps);
	return ARENA_JOIN(a, str_of(ngaps ? "Nothing was seen to change" : "Nothing changed"), str_of(seen.len ? " since " : ""), seen);
}

/* Returns the time that the list covers, and how much has changed. */
static struct str changes_note(const struct ui *ui, const struct scene *scene, struct arena *a)
{
	const struct changes *c = own(ui)->shown;
	size_t ngaps;
	const struct gap *gaps = scene_gaps(scene, HANDLE_NONE, window_start(ui, scene), a, &ngaps);
	struct str seen = seen_from(ui, scene, a);
	struct str span = arena_printf(a, "in the last %lld min", (long long)(own(ui)->window / MINUTES(1)));
	struct str out = ARENA_JOIN(a, span, STR(" · "), changes_summary(c, a));

	if (seen.len)
		out = ARENA_JOIN(a, out, STR(" · known from "), seen, STR(" on"));
	if (ngaps)
		out = ARENA_JOIN(a, out, STR(" · not watched "), clock_of(scene, gaps[ngaps - 1].from, a), STR("–"), clock_of(scene, gaps[ngaps - 1].to, a));
	if (ngaps > 1)
		out = arena_printf(a, STR_FMT " and %zu more", STR_ARG(out), ngaps - 1);
	return out;
}

/* Adds a column that is as wide as its widest cell, within the limits of the column. */
static void add_column(struct ui *ui, struct column column, size_t cell)
{
	for (size_t k = 0; k < ui->lines.n; k++) {
		const struct line *line = &ui->lines.all[k];
		int width = line->flags & LINE_SPAN || cell >= line->ncells ? 0 : text_width(line->cells[cell].str);

		if (width > column.want)
			column.want = (uint16_t)(width < column.max ? width : column.max);
	}
	ui->columns[ui->ncolumns++] = column;
}

static void set_columns(struct ui *ui)
{
	static const struct column all[CELLS] = {
		[WHEN] = { .title = "UTC", .min = 8, .want = 8, .max = 20 },
		[RESOURCE] = { .title = "RESOURCE", .min = 14, .want = 14, .max = 40, .clip = CLIP_MIDDLE },
		[CLUSTER] = { .title = "CLUSTER", .min = 7, .want = 7, .max = 20, .rank = 3, .clip = CLIP_MIDDLE },
		[NAMESPACE] = { .title = "NAMESPACE", .min = 9, .want = 9, .max = 24, .rank = 2, .clip = CLIP_MIDDLE },
		[WHAT] = { .title = "WHAT", .min = 10, .want = 10, .max = 32 },
	};
	static const struct column field = { .title = "FIELD OR REASON", .min = 8, .want = 30, .rank = 1, .grow = 1, .clip = CLIP_LATE };
	enum { NARROW_SCREEN = 110, WHAT_WHOLE = 140, WHAT_BRIEF = 14 };
	size_t cell = 0;

	/*
	 * On a narrow screen names are cut: the namespace must be told, and the fields are below the row when it is
	 * unfolded.
	 */
	for (size_t i = 0; i < FIELD; i++) {
		struct column column = all[i];

		if (i == RESOURCE)
			column.max = (uint16_t)(ui->cols < NARROW_SCREEN ? column.min + 10 : ui->cols * 3 / 10);
		if (ui->cols < NARROW_SCREEN && i == NAMESPACE)
			column.max = column.min + 3;
		if (ui->cols < WHAT_WHOLE && i == WHAT)
			column.max = WHAT_BRIEF;
		if (i != CLUSTER || ui->observer.many_clusters)
			add_column(ui, column, cell++);
	}
	ui->columns[ui->ncolumns++] = field;
}

/* ---- of one object --------------------------------------------------------------- */

enum { OWNERS = 8, PARTS = 2000, CHAIN = 32 };

/*
 * Returns by slot what belongs to an object: itself, what owns it, what it refers to, what it waits for, and all that belongs to it or
 * to its topmost owner.
 */
static uint8_t *what_belongs(const struct scene *scene, struct handle h, struct arena *a)
{
	uint8_t *belongs = arena_alloc(a, (size_t)store_slots(scene->store) + 1);
	struct handle *parts = arena_array(a, PARTS, sizeof(*parts));
	struct item_wait chain[CHAIN];
	uint32_t at = h.slot, top = at;
	size_t n;

	for (unsigned i = 0; i < OWNERS && at; i++, at = graph_controller(scene->store, at)) {
		belongs[at] = 1;
		top = at;
	}
	for (size_t i = 0; i < store_edge_count(scene->store, h.slot); i++)
		belongs[store_edge_target(scene->store, h.slot, i)] = 1;
	n = graph_chain(scene->graph, h, chain, CHAIN);
	for (size_t i = 0; i < n && i < CHAIN; i++)
		belongs[chain[i].on.handle.slot] = 1;
	n = graph_parts(scene->graph, store_node_handle(scene->store, top), NULL, parts, PARTS);
	for (size_t i = 0; i < n && i < PARTS; i++)
		belongs[parts[i].slot] = 1;
	belongs[0] = 0;
	return belongs;
}

/* Leaves of the changes those of what belongs to an object. */
static void keep_those_of(const struct scene *scene, struct handle h, struct changes *c, struct arena *a)
{
	const uint8_t *belongs = what_belongs(scene, h, a);
	struct changed_object *kept = arena_array(a, c->n, sizeof(*kept));
	size_t n = 0;

	memset(c->by_word, 0, sizeof(c->by_word));
	for (size_t i = 0; i < c->n; i++) {
		if (!belongs[scene_find(scene, &c->objects[i].id).slot])
			continue;
		kept[n++] = c->objects[i];
		c->by_word[kept[n - 1].word]++;
	}
	c->objects = kept;
	c->n = n;
}

static void changes_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct changes_building b = { .ui = ui, .scene = scene, .lines = lines, .a = &ui->arena };
	struct changes *changes;

	ui->matching = 0;
	own(ui)->shown = NULL;
	if (!scene->changes)
		return;
	b.filter = filter_compile(ui_filter(ui), scene, b.a);
	changes = arena_alloc(b.a, sizeof(*changes));
	*changes = scene->changes->between(scene->changes->ctx, window_start(ui, scene), scene->now, b.a);
	if (ui_place(ui)->subject.slot)
		keep_those_of(scene, ui_place(ui)->subject, changes, b.a);
	filter_changes(&b, changes);
	find_alike(&b, changes);
	own(ui)->shown = changes;
	add_changes(&b);
	set_columns(ui);
	ui->note = changes_note(ui, scene, b.a);
}

/*
 * Returns what the row shows behind the phases: why the phase changed, when only the status differs; else the first
 * field that differs, which is the most important one, and how many more do.
 */
static struct text why_words(const struct changed_object *c, struct arena *a)
{
	struct str said = words_with_reason(c->reason, words_message(SEVERITY_WARNING, c->message, a), a);
	bool status_only = c->nfields && (str_starts(c->fields[0].path, "status.") || str_starts(c->fields[0].path, "metadata.deletion"));
	struct text field = { STR_NONE, STR_NONE, STYLE_NORMAL };
	struct changed_field first;

	if (!c->nfields || (status_only && c->from != c->to && said.len && c->word != CHANGE_WORD_GONE))
		return (struct text){ c->word == CHANGE_WORD_GONE ? STR_NONE : said, STR_NONE, c->nfields ? STYLE_NORMAL : STYLE_DIM };
	first = c->fields[0];
	first.path = facts_field_name(first.path, a);
	field.str = changed_field_words(&first, a);
	if (c->nfields > 1) {
		field.brief = field.str;
		field.str = arena_printf(a, STR_FMT "   and %zu more", STR_ARG(field.str), c->nfields - 1);
	}
	return field;
}

/* Adds what is told of the change behind the phases, when the row is shown. */
static struct line changes_fill(const struct ui *ui, const struct scene *scene, struct line line, struct arena *a)
{
	const struct changes *shown = own(ui)->shown;
	struct changed_object c;
	struct text *cells = arena_array(a, CELLS, sizeof(*cells));

	if (!scene->changes || !shown || line.count == 0 || line.count > shown->n || line.ncells >= CELLS)
		return line;
	c = shown->objects[line.count - 1];
	scene->changes->fields(scene->changes->ctx, &c, shown->from, shown->to, a);
	memcpy(cells, line.cells, line.ncells * sizeof(*cells));
	cells[line.ncells++] = why_words(&c, a);
	line.cells = cells;
	return line;
}

/* ---- keys ----------------------------------------------------------------------- */

/* From a view of one object it opens those of what is selected there; else all, at what is selected. */
static unsigned changes_open(struct ui *ui, const struct scene *scene)
{
	struct handle h = ui_chosen(ui);
	unsigned effects;

	if (!scene->changes)
		return act_say(ui, scene, "files do not change");
	if (h.slot && 1u << ui_view(ui) & IN_OF_ONE)
		return act_go(ui, VIEW_CHANGES, h);
	effects = act_go(ui, VIEW_CHANGES, HANDLE_NONE);
	if (h.slot)
		ui_choose(ui, 0, h);
	return effects;
}

static bool changes_act(struct ui *ui, const struct scene *scene, enum action action, unsigned *out_effects)
{
	static const int64_t windows[] = { MINUTES(5), MINUTES(15), MINUTES(60) };

	(void)scene;
	if (action < ACTION_CHANGES_5 || action > ACTION_CHANGES_60)
		return false;
	own(ui)->window = windows[action - ACTION_CHANGES_5];
	*out_effects = act_moved(ui);
	return true;
}

/* ---- the view ------------------------------------------------------------------- */

static void changes_begin(void *state)
{
	((struct changes_state *)state)->window = MINUTES(5);
}

static void changes_describe(const void *state, struct document out)
{
	document_add_int(out, "changesWindow", ((const struct changes_state *)state)->window / 1000);
}

static void changes_resume(void *state, struct json screen)
{
	int64_t window = json_int(screen, "changesWindow", -1);

	if (window > 0 && window <= HOURS(1) / 1000)
		((struct changes_state *)state)->window = SECONDS(window);
}

const struct view view_changes = {
	.title = "changes",
	.resumes = "changes",
	.build = changes_build,
	.fill = changes_fill,
	.ticks = true,
	.lists = true,
	.follows = true,
	.counts_own = true,
	.notes_plainly = true,
	.empty = changes_empty,
	.opens_by = ACTION_CHANGES,
	.open = changes_open,
	.act = changes_act,
	.state = sizeof(struct changes_state),
	.begin = changes_begin,
	.describe = changes_describe,
	.resume = changes_resume,
};

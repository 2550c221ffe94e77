/* SPDX-License-Identifier: Apache-2.0 */
/* The view Problems: a row for each root cause, the worst first, that unfolds to the objects that wait for it. */
#include "tui/state/filter.h"
#include "tui/view/absent.h"

#include "kube/base/assert.h"
#include "tui/view/blocked.h"
#include "tui/view/columns.h"
#include "tui/view/cause_facts.h"
#include "tui/view/layout.h"
#include "tui/view/place.h"
#include "tui/view/views.h"
#include "tui/view/well_lines.h"
#include "tui/words/explain.h"
#include "tui/words/words.h"


enum {
	CLUSTER = 1,
	SINCE = 3,
	WHAT = 4,
	NAME_SHARE = 34, /* percent of the screen that names have at least when there is no room for everything */
	NAME_LEAST = 24,   /* columns that names have at least */
	CLUSTER_BRIEF = 14, /* columns of the cluster on a narrow screen */
	SAID_LEAST = 72, /* columns that the message has before long names are whole */
	OWNERS_FROM = 120, /* columns: from this width on there is a column of owners */
	ROOMY = 100,	 /* columns: from this width on two blanks stand between columns */
	MEASURED = 200	 /* so many lines have cells at once, by which the widths of the columns are chosen */
};

/* The rows of the view as they were last shown, the first of them: a problem that heals keeps its row for a while. */
enum { LISTED = 128 };

struct listing {
	struct listed_cause {
		uint64_t key;
		struct handle object;
	} rows[LISTED];
	size_t n;
	/* the root causes of lines with LINE_LAZY, and how the others look; they are in the arena of the lines */
	struct cause_group *lazy;
	size_t nlazy, lazy_cap;
	bool owners, short_names;
	int name_width;
};

static struct listing *shown(const struct ui *ui)
{
	return ui_own(ui, VIEW_PROBLEMS);
}

/* Tell the keys of what rows are about from each other. */
enum { ABOUT_CAUSE = 24, ABOUT_BLOCKED, ABOUT_REST, ABOUT_END };

static const struct column columns[] = {
	{ .title = "CAUSE", .min = 16, .want = 38, .max = 64, .clip = CLIP_MIDDLE },
	{ .title = "CLUSTER", .min = 7, .want = 7, .max = 20, .clip = CLIP_MIDDLE },
	{ .title = "BLOCKS", .min = 6, .want = 6, .max = 6, .rank = 1, .right = true },
	{ .title = "SINCE", .min = 5, .want = 5, .max = 6, .rank = 2, .right = true },
	{ .title = "WHAT", .min = 20, .want = 44, .rank = 3, .grow = 3, .clip = CLIP_LATE },
	{ .title = "NEXT STEP", .min = 16, .want = 60, .max = 110, .rank = 4, .grow = 1 },
};

/* The parts of the name in the first cell of a line: "✖", "network/net", "edge"; and of what it is, for the name with the short kind. */
struct name {
	size_t line;
	struct str glyph, name, where;
	const struct cause_group *cause;	/* NULL: it is the name of an object */
	struct id id;	/* where its kind is "", the name stays */
};

struct building {
	struct ui *ui;
	const struct scene *scene;
	const struct kinds *kinds;
	struct lines *lines;
	struct arena *a;
	const struct filter *filter;
	struct name *names;
	size_t nnames, cap;
	bool owners;		/* there is a column of owners */
	bool clusters;		/* there is a column of clusters */
	bool well;		/* nothing is in trouble */
	int longest;		/* columns of the longest name so far */
};

/* A column that would be empty is not there. */
static bool has_owners(const struct building *b, const struct cause_group *causes, size_t n)
{
	if (ui_layout(b->ui).list_cols < OWNERS_FROM)
		return false;
	for (size_t i = 0; i < n; i++)
		if (cause_owner(b->scene->graph, &causes[i]).len)
			return true;
	return false;
}

/* Adds the cells of the owner and of the -L labels. */
static void add_whose(struct building *b, const struct id *id, const struct cause_group *c)
{
	const struct root_cause *r = c ? &c->what : NULL;

	if (b->owners)
		lines_cell(b->lines, words_first_line(c ? cause_owner(b->scene->graph, c) : graph_owner(b->scene->graph, id->handle)), STYLE_NORMAL);
	for (size_t i = 0; i < b->scene->nlabels; i++)
		lines_cell(b->lines, r ? cause_label(b->scene, r, i) : label_value(b->scene, id->handle, i), STYLE_STRONG);
}

static struct str name_cell(struct str glyph, struct str name, struct str where, struct arena *a)
{
	return ARENA_JOIN(a, glyph, STR(" "), name, str_of(where.len ? " · " : ""), where);
}

/* Adds the cell "✖ network/net · edge", and when there are several clusters the cell of the cluster. */
static void add_name(struct building *b, const struct appearance *appearance, enum style style, struct name name, const struct id *id)
{
	name.line = b->lines->n - 1;
	name.glyph = str_of(appearance->glyph);
	name.where = id->ns;
	b->names = arena_grow(b->a, b->names, b->nnames, &b->cap, sizeof(*b->names));
	b->names[b->nnames++] = name;
	lines_cell(b->lines, name_cell(name.glyph, name.name, name.where, b->a), style);
	if (b->clusters)
		lines_cell(b->lines, id->cluster, STYLE_DIM);
}

static struct name name_of(const struct building *b, const struct id *id)
{
	return (struct name){ .name = words_id(b->kinds, id, b->a), .id = *id };
}

static struct text *cell_of(const struct building *b, const struct name *n)
{
	assert(n->line < b->lines->n && b->lines->all[n->line].ncells > 0);
	return (struct text *)(uintptr_t)b->lines->all[n->line].cells;
}

/* Gives kinds their short names. */
static void shorten_names(struct building *b)
{
	for (size_t i = 0; i < b->nnames; i++) {
		struct name *n = &b->names[i];

		if (n->cause)
			n->name = cause_title(b->kinds, n->cause, TITLE_SHORT, b->a);
		else if (n->id.kind.len)
			n->name = words_id_short(b->kinds, &n->id, b->a);
		cell_of(b, n)->str = name_cell(n->glyph, n->name, n->where, b->lines->arena);
	}
}

/*
 * Shortens names that do not fit into width columns: the namespace alone where that leaves something of it, else both are cut in their
 * middle.  On screens whose table has no namespaces it is left out.
 */
static void cut_names(struct building *b, const struct ui *ui, int width)
{
	enum { WHERE_LEAST = 8 };
	bool tells_where = ui_layout(ui).list_cols >= NAMESPACE_FROM;

	for (size_t i = 0; i < b->nnames; i++) {
		const struct name *n = &b->names[i];
		struct str where = tells_where ? n->where : STR_NONE;
		int room = width - 2 - (where.len ? 3 : 0), spare = room - text_width(n->name);

		where = text_middle(where, spare >= WHERE_LEAST ? spare : room / 2, b->a);
		cell_of(b, n)->brief = name_cell(n->glyph, text_middle(n->name, room - text_width(where), b->a), where, b->lines->arena);
	}
}

/* Shortens a command to what it does, such as "describe queue orders", for narrow screens. */
static struct str brief_step(struct str command, struct arena *a)
{
	struct str rest = command, word;
	struct buf out = { 0 };
	bool skips = false, quoted = false;

	while (str_split(&rest, ' ', &word)) {
		bool opens = skips && !quoted && str_starts(word, "'"), value = skips;

		if (opens || quoted)
			quoted = !str_ends(word, "'") || (opens && word.len == 1);
		skips = quoted || str_is(word, "--context") || str_is(word, "-n");
		if (!skips && !value && !str_is(word, "kubectl"))
			buf_printf(&out, "%s" STR_FMT, out.len ? " " : "", STR_ARG(word));
	}
	return arena_take(a, &out);
}

/* True when the next step is only to describe the object of the row, which the keys w and Enter show, too. */
static bool repeats_row(struct building *b, const struct id *id, struct str command)
{
	return id && id->handle.slot && str_eq(command, words_command(b->scene->graph, id, WAIT_NONE, STR_NONE, READER_HERE, b->a));
}

/* Adds the cell of the next step, which is empty when it would repeat the row.  id: the object of the row; NULL: several. */
static void add_step(struct building *b, const struct id *id, struct str command)
{
	if (!command.len || repeats_row(b, id, command))
		lines_cell(b->lines, STR_NONE, STYLE_DIM);
	else
		lines_cell_brief(b->lines, command, brief_step(command, b->a), STYLE_DIM);
}

/*
 * Returns the texts for the keys y, Y, w and t on a root cause that does not exist, or that has several members; else
 * NULL.
 */
static const struct line_texts *cause_texts(struct building *b, const struct cause_group *c)
{
	const struct root_cause *r = &c->what;
	struct line_texts *texts;

	if (r->id.handle.slot && c->n == 1)
		return NULL;
	texts = arena_alloc(b->lines->arena, sizeof(*texts));
	texts->name = arena_str(b->lines->arena, r->id.name);
	for (int reader = 0; reader < 2; reader++)
		texts->command[reader] = arena_str(b->lines->arena, cause_command(b->scene->graph, r, (enum command_reader)reader, b->a));
	texts->waiter = cause_nearest(b->scene->graph, r).handle;
	if (!r->id.handle.slot)
		texts->absent = absent_handle(b->scene, texts->waiter, &r->id);
	return texts;
}

/* Adds the cell of what is said of a root cause.  Half a command cannot be pasted: without room for all of it there is none. */
static void add_what(struct building *b, const struct root_cause *r, bool acknowledged)
{
	struct str lead = str_of(acknowledged ? "acknowledged: " : ""), words = cause_words(r, b->a), brief = STR_NONE;
	struct item_wait w = { .state = WAIT_NONE };

	/* What no object stands for, such as an address from outside, is named where no message does. */
	if (r->cause == WAIT_EXTERNAL && r->id.handle.slot && !r->message.len)
		w = graph_first_wait(b->scene->graph, r->id.handle);
	if (w.state == WAIT_EXTERNAL && w.on.name.len && !handle_eq(w.on.handle, r->id.handle))
		words = ARENA_JOIN(b->a, STR("waits for "), words_on(b->kinds, &w, b->a));
	if (r->cause == WAIT_APPROVAL && str_starts(r->message, "kubectl "))
		brief = ARENA_JOIN(b->a, lead, str_of(explain_cause(r->cause)));
	lines_cell_brief(b->lines, ARENA_JOIN(b->a, lead, words), brief, acknowledged ? STYLE_DIM : STYLE_NORMAL);
}

/* Remembers by what the objects in a row have in common whether it is unfolded.  Returns whether it is. */
static bool is_open(const struct building *b, struct line *line, uint64_t under, uint64_t what)
{
	line->about = key_mix(under, what);
	return ui_line_toggled(b->ui, line);
}

static void add_cause_cells(struct building *b, const struct cause_group *c, bool acknowledged)
{
	const struct root_cause *r = &c->what;
	const struct appearance *appearance = phase_appearance(root_cause_phase(r));
	struct id where = { .ns = cause_where(c, b->a), .cluster = r->id.cluster };

	add_name(b, appearance, acknowledged ? STYLE_DIM : appearance->style,
		 (struct name){ .name = cause_title(b->kinds, c, TITLE_WHOLE, b->a), .cause = c },
		 &where);
	lines_cell(b->lines, words_count(r->nblocked, b->a),
		   r->nblocked ? STYLE_NORMAL : STYLE_DIM);
	lines_cell(b->lines, words_when(r->since, b->scene->now, b->scene->absolute_time, b->a), STYLE_NORMAL);
	add_whose(b, &r->id, c);
	add_what(b, r, acknowledged);
	add_step(b, c->n == 1 ? &r->id : NULL, cause_command(b->scene->graph, r, READER_HERE, b->a));
}

/* True for a line that neither the first screens show nor the widths of the columns need. */
static bool is_lazy(struct building *b, const struct cause_group *c)
{
	const struct id *id = c->of.handle.slot ? &c->of : &c->what.id;
	int width = text_width(id->name) + text_width(c->what.id.ns);
	bool longer = width > b->longest;

	if (longer)
		b->longest = width;
	return b->lines->n > MEASURED && !longer && c->n == 1 && c->what.id.handle.slot;
}

static struct id keep_id(const struct id *id, struct arena *a)
{
	struct id kept = *id;

	kept.group = arena_str(a, id->group);
	kept.kind = arena_str(a, id->kind);
	kept.ns = arena_str(a, id->ns);
	kept.name = arena_str(a, id->name);
	kept.cluster = arena_str(a, id->cluster);
	return kept;
}

/* Keeps a root cause of one object as long as the lines, of which some are shown after later changes. */
static void keep_cause(struct building *b, const struct cause_group *c, struct listing *listing)
{
	struct arena *a = b->lines->arena;
	struct cause_group kept = *c;

	kept.slots = NULL;
	kept.what.id = keep_id(&c->what.id, a);
	kept.of = keep_id(&c->of, a);
	kept.what.reason = arena_str(a, c->what.reason);
	kept.what.message = arena_str(a, c->what.message);
	listing->lazy = arena_grow(a, listing->lazy, listing->nlazy, &listing->lazy_cap, sizeof(*listing->lazy));
	listing->lazy[listing->nlazy++] = kept;
}

static bool add_cause(struct building *b, const struct cause_group *c, uint64_t key, struct listing *listing)
{
	const struct root_cause *r = &c->what;
	struct line *line = lines_add(b->lines);
	bool open;

	line->key = key;
	open = is_open(b, line, ABOUT_CAUSE, c->key);
	line->object = r->id.handle;
	line->texts = cause_texts(b, c);
	line->fold = open ? FOLD_OPEN : FOLD_CLOSED;
	line->count = c->n > 1 || c->of.handle.slot ? (uint32_t)c->n : 0;
	line->of = c->of.handle;
	if (observe_flashes(&b->ui->observer, line->object, b->scene->clock))
		line->flags |= LINE_FLASH;
	if (is_lazy(b, c)) {
		line->flags |= LINE_LAZY;
		line->index = (uint32_t)listing->nlazy;
		keep_cause(b, c, listing);
	} else {
		add_cause_cells(b, c, ui_acknowledged(b->ui, key, cause_state(c)));
	}
	return open;
}

/* Makes the cells of a root cause as those of the lines that were measured. */
static struct line problems_fill(const struct ui *ui, const struct scene *scene, struct line line, struct arena *a)
{
	const struct listing *listing = shown(ui);
	struct lines one = { .arena = a };
	struct building b = { .scene = scene, .kinds = store_kinds(scene->store), .lines = &one, .a = a, .owners = listing->owners,
			      .clusters = ui->observer.many_clusters };
	const struct cause_group *c;

	if (line.index >= listing->nlazy)
		return line;
	c = &listing->lazy[line.index];
	*lines_add(&one) = line;
	add_cause_cells(&b, c, ui_acknowledged(ui, line.key, cause_state(c)));
	if (listing->short_names)
		shorten_names(&b);
	cut_names(&b, ui, listing->name_width);
	return one.all[0];
}

/* Adds a row for a member.  ns: show its namespace, because the row above does not. */
static void add_member(struct building *b, struct handle h, uint64_t parent, unsigned depth, bool ns)
{
	struct summary s;
	struct line *line;

	if (!graph_summary(b->scene->graph, h, &s))
		return;
	line = lines_add(b->lines);
	line->key = key_mix(parent, key_of_handle(h));
	line->object = h;
	line->depth = (uint8_t)depth;
	line->flags = LINE_SPAN;
	lines_cell(b->lines, arena_printf(b->a, "%s ", phase_appearance(s.phase)->glyph),
		   phase_appearance(s.phase)->style);
	lines_cell(b->lines, words_place(b->kinds, &s.id, ns, b->a), STYLE_NORMAL);
}

/* Returns a key for a row of equal objects: by the name of the first one, so that it is the same in another store. */
static uint64_t group_row_key(const struct building *b, uint64_t under, const struct blocked *group)
{
	struct object_id id = store_node_id(b->scene->store, group->members[0].slot);

	return key_mix(under, key_of_name(&id));
}

static void add_blocked(struct building *b, const struct blocked *group, const struct cause_group *c, uint64_t parent)
{
	uint64_t key = group_row_key(b, parent, group);
	const struct appearance *appearance = phase_appearance(group->first.phase);
	struct line *line = lines_add(b->lines);
	struct str ns = c->namespaces > 1 ? STR_NONE : c->what.id.ns;
	bool open;

	line->key = key;
	open = is_open(b, line, key_mix(ABOUT_BLOCKED, c->key), group->key) && group->n > 1;
	line->object = group->members[0];
	line->depth = 1;
	line->flags = LINE_SPAN;
	line->fold = group->n == 1 ? FOLD_NONE : open ? FOLD_OPEN : FOLD_CLOSED;
	line->count = group->n == 1 ? 0 : (uint32_t)group->n;
	lines_cell(b->lines, arena_printf(b->a, "%s ", appearance->glyph), appearance->style);
	lines_cell(b->lines, blocked_names(b->scene->store, b->kinds, group, b->a), STYLE_NORMAL);
	if (group->first.id.ns.len && !str_eq(group->first.id.ns, ns))
		lines_cell(b->lines, arena_printf(b->a, " · " STR_FMT, STR_ARG(group->first.id.ns)), STYLE_DIM);
	if (group->on.state != WAIT_NONE)
		lines_cell(b->lines,
			   ARENA_JOIN(b->a, STR("   wait"), str_of(group->n == 1 ? "s" : ""), STR(" on "),
				      words_wait(b->kinds, &group->on, b->a)),
			   STYLE_DIM);
	for (size_t i = 0; open && i < group->n; i++)
		add_member(b, group->members[i], key, 2, false);
}

/*
 * Adds a row for objects that are not Ready, are no root cause and wait for none.  Equal objects share a row that
 * unfolds.
 */
static void add_rest_row(struct building *b, const struct blocked *group)
{
	const struct summary *s = &group->first;
	uint64_t key = group_row_key(b, 20, group);
	bool several = group->n > 1, open;
	const struct appearance *appearance = phase_appearance(s->phase);
	struct line *line = lines_add(b->lines);
	struct name name = name_of(b, &s->id);

	if (several)
		name = (struct name){ .name = ARENA_JOIN(b->a, words_kind(b->kinds, s->id.group, s->id.kind, b->a), STR(" ×"),
							 words_count(group->n, b->a)) };
	line->key = key;
	open = is_open(b, line, ABOUT_REST, group->key) && several;
	line->object = s->id.handle;
	line->count = several ? (uint32_t)group->n : 0;
	line->fold = !several ? FOLD_NONE : open ? FOLD_OPEN : FOLD_CLOSED;
	add_name(b, appearance, appearance->style, name, &s->id);
	lines_cell(b->lines, STR_NONE, STYLE_DIM);
	lines_cell(b->lines,
		   ARENA_JOIN(b->a, words_when(s->since, b->scene->now, b->scene->absolute_time, b->a),
			      str_of(words_overdue(s, b->scene->now) ? "!" : "")),
		   words_overdue(s, b->scene->now) ? STYLE_WARN : STYLE_NORMAL);
	add_whose(b, &s->id, NULL);
	lines_cell(b->lines, words_said(s, b->a), STYLE_NORMAL);
	add_step(b, several ? NULL : &s->id, words_command(b->scene->graph, &s->id, WAIT_NONE, s->reason, READER_HERE, b->a));
	for (size_t i = 0; open && i < group->n; i++)
		add_member(b, group->members[i], key, 1, false);
}

static bool rest_matches(struct building *b, const struct blocked *group)
{
	struct summary s;

	for (size_t i = 0; i < group->n; i++)
		if (graph_summary(b->scene->graph, group->members[i], &s) && filter_summary(b->filter, &s))
			return true;
	return false;
}

static void add_rest(struct building *b, const struct cause_group *causes, size_t ncauses)
{
	size_t n, shown = 0;
	const struct blocked *groups = blocked_rest(b->scene, ui_shown(b->ui, b->scene), causes, ncauses, b->a, &n);

	b->ui->unfiltered_rows = ncauses + n;
	for (size_t i = 0; i < n && !ui_interrupted(b->ui, b->scene); i++) {
		if (!rest_matches(b, &groups[i]))
			continue;
		if (!shown++ && b->lines->n && !b->well)
			lines_blank(b->lines);
		if (shown == 1)
			lines_heading(b->lines, b->well ? "  Under way" : "  Also not ready");
		b->ui->matching++;
		add_rest_row(b, &groups[i]);
	}
}

static void add_leftovers(struct building *b)
{
	struct handle *all = arena_array(b->a, store_count(b->scene->store), sizeof(*all));
	struct summary s;
	struct str words;
	size_t n = 0;

	for (struct handle h = store_next(b->scene->store, 0); h.slot; h = store_next(b->scene->store, h.slot + 1))
		if (scene_selects(b->scene, h) && graph_summary(b->scene->graph, h, &s) && phase_is_leftover(s.phase, s.severity) &&
		    filter_summary(b->filter, &s))
			all[n++] = h;
	words = blocked_leftovers(b->scene->graph, all, n, b->a);
	if (words.len)
		lines_note(b->lines, words);
}

static void add_running_out(struct building *b)
{
	size_t n, shown = 0;
	const struct running_out *all = well_running_out(b->ui, b->scene, b->a, &n);

	b->ui->unfiltered_rows += n;
	for (size_t i = 0; i < n; i++) {
		const struct summary *s = &all[i].s;
		const struct appearance *appearance = phase_appearance(s->phase);
		struct object_id id = store_node_id(b->scene->store, s->id.handle.slot);
		struct line *line;

		if (!filter_summary(b->filter, s))
			continue;
		if (!shown++ && b->lines->n && b->lines->all[b->lines->n - 1].ncells)
			lines_blank(b->lines);
		if (shown == 1)
			lines_heading(b->lines, "  " RUNS_OUT);
		b->ui->matching++;
		line = lines_add(b->lines);
		line->key = key_mix(ABOUT_END, key_of_name(&id));
		line->object = s->id.handle;
		add_name(b, appearance, appearance->style, name_of(b, &s->id), &s->id);
		lines_cell(b->lines, STR_NONE, STYLE_DIM);
		lines_cell(b->lines, STR_NONE, STYLE_DIM);
		add_whose(b, &s->id, NULL);
		lines_cell(b->lines, all[i].words, STYLE_NORMAL);
		add_step(b, &s->id, STR_NONE);
	}
}

static void add_notices(struct building *b)
{
	const struct header *h = b->scene->header;

	if (h->nnotices == 0)
		return;
	lines_blank(b->lines);
	lines_heading(b->lines, "  Not known");
	for (size_t i = 0; i < h->nnotices; i++) {
		size_t first = b->lines->n;

		lines_wrap(b->lines, h->notices[i], (struct text){ STR("  "), STR("    "), STYLE_DIM }, b->ui->cols - 1);
		for (size_t k = first; k < b->lines->n; k++)
			b->lines->all[k].key = key_mix_str(key_mix(5, k - first), h->notices[i]);
	}
	if (h->more_notices)
		lines_note(b->lines, arena_printf(b->a, "and %zu more", h->more_notices));
}

/* True when the filter matches the root cause, one of its members, or an object that waits for it. */
static bool matches_filter(struct building *b, const struct cause_group *c)
{
	const struct root_cause *r = &c->what;
	struct str fields[] = {
		words_id(b->kinds, &r->id, b->a), r->id.ns, r->id.cluster, r->reason, r->message,
		str_of(phase_name(r->phase)),
	};
	struct summary s = { .id = r->id, .phase = r->phase, .severity = r->severity, .since = r->since };
	const uint32_t *blocked;
	size_t n;

	graph_summary(b->scene->graph, r->id.handle, &s);
	if (filter_line(b->filter, &s, fields, sizeof(fields) / sizeof(fields[0])))
		return true;
	for (size_t i = 0; c->n > 1 && i < c->n; i++)
		if (graph_summary(b->scene->graph, c->members[i], &s) && filter_summary(b->filter, &s))
			return true;
	blocked = graph_blocked(b->scene->graph, c->slots, c->n, &n);
	for (size_t i = 0; i < n; i++)
		if (graph_summary(b->scene->graph, store_node_handle(b->scene->store, blocked[i]), &s) &&
		    filter_summary(b->filter, &s))
			return true;
	return false;
}

static bool cause_matches(struct building *b, const struct cause_group *c)
{
	return !ui_filter(b->ui).len || matches_filter(b, c);
}

/* Adds a whole text below the row that shows only its beginning. */
static void add_said(struct building *b, struct str text)
{
	size_t first = b->lines->n;

	if (text.len)
		lines_wrap(b->lines, text, (struct text){ STR("    "), STR("    "), STYLE_DIM },
			   b->ui->cols - 1);
	for (size_t i = first; i < b->lines->n; i++)
		b->lines->all[i].flags |= LINE_HEADING;
}

static void add_unfolded(struct building *b, const struct cause_group *c, uint64_t key)
{
	size_t n, nfacts;
	const struct blocked *groups = blocked_groups(b->scene->graph, c, b->a, &n);
	const struct cause_fact *facts = cause_facts(b->scene->graph, b->scene->store, c, FACT_IN_PROBLEMS, b->a, &nfacts);

	scene_look(b->scene, cause_changed(b->scene->graph, b->scene->store, &c->what));
	for (size_t i = 0; i < nfacts; i++)
		add_said(b, ARENA_JOIN(b->a, str_of(facts[i].label), facts[i].text));
	for (size_t i = 0; c->n > 1 && i < c->n; i++)
		add_member(b, c->members[i], key, 1, c->namespaces > 1);
	for (size_t i = 0; i < n; i++)
		add_blocked(b, &groups[i], c, key);
}

/* ---- what healed ------------------------------------------------------------------ */

static void list_row(struct listing *listing, uint64_t key, struct handle object)
{
	if (listing->n < LISTED)
		listing->rows[listing->n++] = (struct listed_cause){ key, object };
}

/*
 * True when the object already has a row: an object that recovers may still be the root cause of those that wait for
 * it.
 */
static bool is_listed(const struct listing *listing, struct handle object)
{
	for (size_t i = 0; i < listing->n; i++)
		if (handle_eq(listing->rows[i].object, object))
			return true;
	return false;
}

static void add_healed(struct building *b, const struct summary *s, const struct recent_change *healed, uint64_t key)
{
	const struct appearance *appearance = phase_appearance(s->phase);
	struct line *line = lines_add(b->lines);

	line->key = key;
	line->object = s->id.handle;
	add_name(b, appearance, appearance->style, name_of(b, &s->id), &s->id);
	lines_cell(b->lines, STR_NONE, STYLE_NORMAL);
	lines_cell(b->lines, words_when(s->since, b->scene->now, b->scene->absolute_time, b->a), STYLE_NORMAL);
	add_whose(b, &s->id, NULL);
	lines_cell(b->lines, observe_healed_words(healed, b->a), STYLE_GOOD);
}

/*
 * Adds the rows that stood at this place before and healed a moment ago; from_end: all rows that are left.  A place is
 * also kept for an object that is being created or changed once more after trouble: it heals when it becomes Ready.
 */
static void add_healed_here(struct building *b, struct listing *listing, size_t *at, bool from_end)
{
	struct ui *ui = b->ui;

	for (; *at < shown(ui)->n && (from_end || *at <= listing->n); ++*at) {
		const struct listed_cause *was = &shown(ui)->rows[*at];
		const struct recent_change *healed = was->object.slot ? observe_healed(&ui->observer, was->object) : NULL;
		struct summary s;

		if (was->object.slot && is_listed(listing, was->object))
			continue;
		if (was->object.slot && observe_recovers(&ui->observer, was->object)) {
			list_row(listing, was->key, was->object);
			continue;
		}
		if (!healed || !graph_summary(b->scene->graph, was->object, &s) || s.phase != PHASE_READY ||
		    !filter_summary(b->filter, &s))
			continue;
		add_healed(b, &s, healed, was->key);
		list_row(listing, was->key, was->object);
	}
}

/* Returns the width of the widest cell in a column. */
static int widest(const struct lines *lines, size_t column)
{
	int widest = 0;

	for (size_t i = 0; i < lines->n; i++)
		if (!(lines->all[i].flags & LINE_SPAN) && lines->all[i].ncells > column)
			widest = text_widest(lines->all[i].cells[column].str, widest);
	return widest;
}

/*
 * Sets the widths of the columns.  The message has room before a long name is shown whole, and the next step has what both
 * leave.  Returns the width of the column of names; out_short: whether kinds have their short names in it.
 */
static int leave_room(struct building *b, bool *out_short)
{
	struct ui *ui = b->ui;
	const struct lines *lines = b->lines;
	int cols = ui_layout(ui).list_cols, gap = cols < ROOMY ? 1 : 2, share, least;
	struct column *name = ui->columns, *what = &ui->columns[ui->ncolumns - 2], *step = what + 1;
	int room = cols - 2 - gap * (int)(ui->ncolumns - 1), spare;

	for (size_t i = 0; i < ui->ncolumns; i++)
		column_fit(&ui->columns[i], widest(lines, i));
	for (struct column *column = name + 1; column < what; column++)
		room -= column->want;
	ui->list_needs = cols - room + name->want + what->want;
	share = cols * NAME_SHARE / 100 > NAME_LEAST ? cols * NAME_SHARE / 100 : NAME_LEAST;
	least = what->want < SAID_LEAST ? what->want : SAID_LEAST;
	what->min = what->min < what->want ? what->min : what->want;
	step->min = step->min < step->want ? step->min : step->want;
	spare = room - name->want - what->want;
	if (spare + gap < 0 || cols < GLYPH_BELOW) {
		*out_short = true;
		shorten_names(b);
		column_fit(name, widest(lines, 0));
		spare = room - name->want - what->want;
	}
	if (!widest(lines, ui->ncolumns - 1) || spare < step->min) {
		ui->ncolumns--;
		room += gap;
		if (room - what->want > name->max || spare + gap < 0)
			name->max = (uint16_t)(room - least > share && room - what->want > share ? room - what->want : share);
	} else {
		what->min = what->want;
	}
	column_fit(name, widest(lines, 0));
	return name->want;
}

static void problems_columns(struct building *b, struct listing *listing)
{
	struct ui *ui = b->ui;
	const struct scene *scene = b->scene;

	ui->ncolumns = 0;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (i == WHAT && b->owners)
			ui->columns[ui->ncolumns++] = column_on_screen(COLUMN_OWNER);
		for (size_t k = 0; i == WHAT && k < scene->nlabels && ui->ncolumns < LINE_CELLS - 2; k++)
			ui->columns[ui->ncolumns++] = label_column(scene->labels[k], &ui->arena);
		if (i == CLUSTER && !b->clusters)
			continue;
		ui->columns[ui->ncolumns] = columns[i];
		if (i == CLUSTER && ui_layout(ui).list_cols < ROOMY)
			ui->columns[ui->ncolumns].max = CLUSTER_BRIEF;
		if (i == SINCE && scene->absolute_time)
			ui->columns[ui->ncolumns].min = ui->columns[ui->ncolumns].want = ui->columns[ui->ncolumns].max = TIME_CELL;
		ui->ncolumns++;
	}
	listing->name_width = leave_room(b, &listing->short_names);
	cut_names(b, b->ui, listing->name_width);
}

static void problems_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	struct building b = { .ui = ui, .scene = scene, .kinds = store_kinds(scene->store), .lines = lines, .a = &arena };
	struct listing listing = { .n = 0 };
	size_t n, was = 0;
	const struct cause_group *causes = cause_groups_selected(scene, &arena, &n);

	b.filter = filter_compile(ui_filter(ui), scene, &arena);
	b.clusters = ui->observer.many_clusters;
	listing.owners = b.owners = has_owners(&b, causes, n);
	ui->matching = 0;
	b.well = well_add(ui, scene, lines);
	for (enum cause_place at = 0; at < CAUSE_PLACES; at++)
		for (size_t i = 0; i < n && !ui_interrupted(ui, scene); i++) {
			uint64_t key = cause_key(&causes[i]);

			if (cause_place(ui, scene->store, &causes[i]) != at || !cause_matches(&b, &causes[i]))
				continue;
			ui->matching++;
			add_healed_here(&b, &listing, &was, false);
			list_row(&listing, key, causes[i].n > 1 ? HANDLE_NONE : causes[i].what.id.handle);
			if (add_cause(&b, &causes[i], key, &listing))
				add_unfolded(&b, &causes[i], key);
		}
	add_healed_here(&b, &listing, &was, true);
	if (!ui_interrupted(ui, scene))
		add_rest(&b, causes, n);
	if (!ui_interrupted(ui, scene) && ui->observer.leftovers + ui->past_observer.leftovers)
		add_leftovers(&b);
	if (!ui_interrupted(ui, scene))
		add_running_out(&b);
	if (ui_interrupted(ui, scene)) {
		arena_release(&arena);
		return;
	}
	add_notices(&b);
	problems_columns(&b, &listing);
	*shown(ui) = listing;
	arena_release(&arena);
}

/* ---- the view ------------------------------------------------------------------- */

/* Selects the root cause that the chosen object is or waits for. */
static unsigned problems_open(struct ui *ui, const struct scene *scene)
{
	struct handle h = ui_chosen(ui);
	unsigned effects = act_go(ui, VIEW_PROBLEMS, HANDLE_NONE);
	struct arena a = { 0 };
	size_t n;
	const struct cause_group *causes = h.slot ? cause_groups_selected(scene, &a, &n) : NULL;
	const struct cause_group *c = causes ? cause_concerning(scene->graph, causes, n, h) : NULL;

	if (c)
		ui_choose(ui, cause_key(c), c->what.id.handle);
	arena_release(&a);
	return effects;
}

static struct str problems_matches(const struct ui *ui, struct arena *a)
{
	return ARENA_JOIN(a, words_count(ui->matching, a), STR(" of "), words_count(ui->unfiltered_rows, a), STR(" rows match"));
}

static void problems_forget(void *state)
{
	((struct listing *)state)->n = ((struct listing *)state)->nlazy = 0;
}

const struct view view_problems = {
	.title = "problems",
	.resumes = "problems",
	.build = problems_build,
	.fill = problems_fill,
	.ticks = true,
	.lists = true,
	.stops = true,
	.tells_well = true,
	.matches = problems_matches,
	.opens_by = ACTION_PROBLEMS,
	.open = problems_open,
	.state = sizeof(struct listing),
	.forget = problems_forget,
};

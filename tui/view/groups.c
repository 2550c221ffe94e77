/* SPDX-License-Identifier: Apache-2.0 */
/* The table in groups: by root cause, namespace, application, node, label or owner, the worst group first. */
#include "kube/base/map.h"
#include "tui/state/filter.h"
#include "tui/view/blocked.h"
#include "tui/view/columns.h"
#include "tui/view/layout.h"
#include "tui/view/views.h"
#include "tui/words/words.h"

#include <stdlib.h>

enum {
	NAME = 30, /* the columns of the name of a group, where names are not longer */
	MEMBERS = 2000 /* so many members of an unfolded group are shown */
};

/* An object of a group that is not well. */
struct member {
	struct summary s;
	struct member *next;
};

struct bucket {
	struct str name;
	uint64_t key;
	size_t n, unwell, by_phase[PHASE_COUNT];
	struct summary worst; /* the worst of the objects that are not well */
	uint32_t cause; /* GROUP_CAUSE: 1 + the index of the root cause in grouping.causes; 0: none */
	struct str ns, cluster; /* with GROUP_NAMESPACE */
	bool pinned;
	struct member *first; /* the objects that are not well, as a list */
	struct bucket *next;
};

struct grouping {
	struct ui *ui;
	const struct scene *scene;
	const struct kinds *kinds;
	struct arena *a;
	const struct filter *filter;
	const struct cause_group *causes;
	uint32_t *cause_of; /* by slot: 1 + the index of the root cause of the object in causes; 0: none */
	struct map by_name;
	struct bucket *first;
	size_t n;
};

static void mark_causes(struct grouping *g)
{
	size_t n;

	g->causes = cause_groups_selected(g->scene, g->a, &n);
	g->cause_of = arena_array(g->a, store_slots(g->scene->store) + 1, sizeof(*g->cause_of));
	for (size_t i = n; i-- > 0;) {
		const struct cause_group *c = &g->causes[i];
		size_t nblocked;
		const uint32_t *blocked = graph_blocked(g->scene->graph, c->slots, c->n, &nblocked);

		for (size_t k = 0; k < nblocked; k++)
			g->cause_of[blocked[k]] = (uint32_t)i + 1;
		g->cause_of[c->what.id.handle.slot] = (uint32_t)i + 1;
		for (size_t k = 0; c->n > 1 && k < c->n; k++)
			g->cause_of[c->members[k].slot] = (uint32_t)i + 1;
	}
	g->cause_of[0] = 0;
}

static struct str name_of_cause(struct grouping *g, const struct summary *s)
{
	uint32_t at = g->cause_of[s->id.handle.slot];
	struct str where;

	if (!at)
		return STR("no known root cause");
	where = cause_where(&g->causes[at - 1], g->a);
	return ARENA_JOIN(g->a, cause_title(g->kinds, &g->causes[at - 1], TITLE_SHORT, g->a), str_of(where.len ? " · " : ""), where);
}

/* Returns the name of the node that a Pod runs on, which is the Node it refers to. */
static struct str name_of_application(struct grouping *g, const struct summary *s)
{
	struct summary top = *s;

	graph_summary(g->scene->graph, words_top_owner(g->scene->graph, s->id.handle), &top);
	return words_place(g->kinds, &top.id, g->ui->observer.many_namespaces, g->a);
}

static struct str name_of(struct grouping *g, const struct summary *s)
{
	struct str value;

	switch (g->ui->group) {
	case GROUP_CAUSE:
		return name_of_cause(g, s);
	case GROUP_NAMESPACE:
		if (s->id.cluster.len)
			return arena_printf(g->a, STR_FMT " · " STR_FMT, STR_ARG(s->id.ns), STR_ARG(s->id.cluster));
		return s->id.ns.len ? s->id.ns : STR("in no namespace");
	case GROUP_APPLICATION:
		return name_of_application(g, s);
	case GROUP_NODE:
		value = words_node(g->scene->store, s->id.handle.slot);
		return value.len ? value : STR("not on a node");
	case GROUP_OWNER:
		value = words_first_line(graph_owner(g->scene->graph, s->id.handle));
		return value.len ? value : STR("without an owner");
	case GROUP_LABEL:
		value = label_value(g->scene, s->id.handle, g->ui->label);
		return value.len ? value : STR("without that label");
	case GROUP_NONE:
	case GROUP_COUNT:
		break;
	}
	return STR_NONE;
}

static struct bucket *bucket_named(struct grouping *g, struct str name)
{
	struct bucket *b = map_get(&g->by_name, name);

	if (b)
		return b;
	b = arena_alloc(g->a, sizeof(*b));
	b->name = name;
	b->key = key_mix_str(key_mix(23, (uint64_t)g->ui->group), name);
	b->next = g->first;
	g->first = b;
	g->n++;
	map_set(&g->by_name, name, b);
	return b;
}

static void add_to_group(struct grouping *g, const struct summary *s)
{
	struct bucket *b = bucket_named(g, name_of(g, s));
	struct member *m;

	if (g->cause_of)
		b->cause = g->cause_of[s->id.handle.slot];
	if (g->ui->group == GROUP_NAMESPACE && !b->n) {
		b->ns = s->id.ns;
		b->cluster = s->id.cluster;
		b->pinned = pins_of_namespace(&g->ui->pins, b->cluster, b->ns) < g->ui->pins.n;
	}
	b->n++;
	b->by_phase[s->phase]++;
	if (s->phase == PHASE_READY && s->severity == SEVERITY_NONE)
		return;
	if (!b->unwell++ || summary_compare(s, &b->worst) < 0)
		b->worst = *s;
	m = arena_alloc(g->a, sizeof(*m));
	m->s = *s;
	m->next = b->first;
	b->first = m;
}

/*
 * Sorts the groups that are not well, pinned namespaces first and the worst first: those of root causes as in Problems, and behind them what has
 * none; others by graph_rank() of their worst object, with how many are as it is, and by how many are not well.
 */
static int compare_buckets(const void *x, const void *y)
{
	const struct bucket *a = *(const struct bucket *const *)x, *b = *(const struct bucket *const *)y;
	uint32_t x_rank = graph_rank(a->worst.phase, a->worst.severity, a->by_phase[a->worst.phase]),
		 y_rank = graph_rank(b->worst.phase, b->worst.severity, b->by_phase[b->worst.phase]);

	if (a->pinned != b->pinned)
		return a->pinned ? -1 : 1;
	if (a->cause != b->cause)
		return b->cause == 0 || (a->cause && a->cause < b->cause) ? -1 : 1;
	if (x_rank != y_rank)
		return x_rank < y_rank ? -1 : 1;
	if (a->unwell != b->unwell)
		return a->unwell > b->unwell ? -1 : 1;
	return str_cmp(a->name, b->name);
}

static int compare_members(const void *x, const void *y)
{
	const struct member *a = *(const struct member *const *)x, *b = *(const struct member *const *)y;

	return summary_compare(&a->s, &b->s);
}

/* Returns the b->unwell members that are not well, the worst first. */
static struct member **members(struct grouping *g, const struct bucket *b)
{
	struct member **all = arena_array(g->a, b->unwell, sizeof(struct member *));
	size_t n = 0;

	for (struct member *m = b->first; m; m = m->next)
		all[n++] = m;
	qsort(all, n, sizeof(struct member *), compare_members);
	return all;
}

/* Sets the members of a group that the preview shows. */
static void add_preview(const struct bucket *b, struct member *const *all, struct lines *lines, struct line_texts *texts)
{
	size_t n = b->unwell < PREVIEW_MEMBERS ? b->unwell : PREVIEW_MEMBERS;
	struct handle *handles = arena_array(lines->arena, n, sizeof(*handles));
	for (size_t i = 0; i < n; i++)
		handles[i] = all[i]->s.id.handle;
	texts->members = handles;
	texts->nmembers = n;
}

/* Returns the texts of the row of a group.  Those of a root cause are copied as in Problems; of a namespace it is its name. */
static const struct line_texts *bucket_texts(struct grouping *g, const struct bucket *b, struct member *const *all,
					     struct lines *lines)
{
	struct line_texts *texts;

	if (!b->cause && !b->ns.len && !ui_previews(g->ui))
		return NULL;
	texts = arena_alloc(lines->arena, sizeof(*texts));
	texts->name = arena_str(lines->arena, b->ns);
	texts->cluster = arena_str(lines->arena, b->cluster);
	if (b->cause) {
		const struct root_cause *r = &g->causes[b->cause - 1].what;

		texts->name = arena_str(lines->arena, r->id.name);
		texts->cause = cause_key(&g->causes[b->cause - 1]);
		for (int reader = 0; reader < 2; reader++)
			texts->command[reader] = arena_str(lines->arena, cause_command(g->scene->graph, r, (enum command_reader)reader, g->a));
	}
	if (ui_previews(g->ui))
		add_preview(b, all, lines, texts);
	return texts;
}

static void add_members(struct grouping *g, const struct bucket *b, struct member *const *all, struct lines *lines)
{
	size_t n = b->unwell;

	if (n)
		lines_add(lines)->flags = LINE_HEADING | LINE_TITLES;
	for (size_t i = 0; i < n && i < MEMBERS; i++) {
		struct line *line = lines_add(lines);

		line->object = all[i]->s.id.handle;
		line->key = key_mix(b->key, key_of_handle(line->object));
		line->flags = LINE_LAZY;
		line->depth = 1;
	}
	if (n > MEMBERS)
		lines_note(lines, ARENA_JOIN(g->a, STR("    "), words_count(n - MEMBERS, g->a), STR(" more are not well")));
	if (b->n > n)
		lines_note(lines, ARENA_JOIN(g->a, STR("    ✔ "), words_count(b->n - n, g->a), STR(" ready")));
}

static struct str padded(const struct ui *ui, struct str name, struct arena *a)
{
	int width = ui->group_width ? ui->group_width : NAME;
	struct str shown = text_middle(name, width, a);

	return arena_printf(a, STR_FMT "%*s", STR_ARG(shown), width - text_width(shown), "");
}

/* Returns the columns for the names: as many as the longest one needs, but at most 2 of 5. */
static int name_width(const struct grouping *g, struct bucket *const *all, size_t n)
{
	int width = NAME, most = g->ui->cols * 2 / 5;

	for (size_t i = 0; i < n; i++)
		width = text_widest(all[i]->name, width);
	return width > NAME && width > most ? (most > NAME ? most : NAME) : width;
}

struct str groups_titles(const struct ui *ui, const struct scene *scene, struct arena *a)
{
	static const char *const titles[GROUP_COUNT] = { "", "ROOT CAUSE", "NAMESPACE", "APPLICATION", "NODE", "", "OWNER" };
	struct str title = str_of(titles[ui->group]);

	if (ui->group == GROUP_LABEL && ui->label < scene->nlabels)
		title = str_of(label_column(scene->labels[ui->label], a).title);
	return ARENA_JOIN(a, padded(ui, title, a), str_of(ui->group == GROUP_CAUSE ? "  PHASES   WHAT" : "  PHASES   WORST"));
}

/* Returns what the worst object of a group says.  Behind the name of a root cause it is what is said of that. */
static struct str worst_words(struct grouping *g, const struct bucket *b)
{
	struct summary part, *said = words_telling_part(g->scene->graph, b->worst.id.handle, g->a, &part) ? &part : NULL;

	if (b->cause)
		return cause_words(&g->causes[b->cause - 1].what, g->a);
	return ARENA_JOIN(g->a, name_on_screen(g->ui, g->kinds, &b->worst.id, g->a), STR("  "),
			  words_said(said && said->message.len ? said : &b->worst, g->a));
}

static void add_bucket(struct grouping *g, const struct bucket *b, struct lines *lines)
{
	static const enum phase order[] = { PHASE_FAILED,   PHASE_DELETING, PHASE_WAITING, PHASE_DEGRADED,
					    PHASE_UPDATING, PHASE_UNKNOWN,  PHASE_SUSPENDED, PHASE_READY };
	struct line *line = lines_add(lines);
	bool open = ui_toggled(g->ui, b->key);
	struct member **all = open || ui_previews(g->ui) ? members(g, b) : NULL;

	line->key = b->key;
	line->count = (uint32_t)b->n;
	line->fold = open ? FOLD_OPEN : FOLD_CLOSED;
	line->flags = LINE_SPAN;
	line->texts = bucket_texts(g, b, all, lines);
	lines_cell(lines, padded(g->ui, b->name, g->a), STYLE_STRONG);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		size_t n = b->by_phase[order[i]];

		if (order[i] == PHASE_UPDATING)
			n += b->by_phase[PHASE_PROVISIONING] + b->by_phase[PHASE_SCALING] +
			     b->by_phase[PHASE_MAINTENANCE];
		if (n)
			lines_cell(lines, ARENA_JOIN(g->a, STR("  "), str_of(phase_appearance(order[i])->glyph), STR(" "), words_count(n, g->a)),
				   phase_appearance(order[i])->style);
	}
	lines_cell(lines, ARENA_JOIN(g->a, STR("   "), worst_words(g, b)), STYLE_NORMAL);
	if (open)
		add_members(g, b, all, lines);
}

/* Returns the phase that stands for a group. */
static enum phase phase_of(const struct bucket *b)
{
	return b->unwell ? b->worst.phase : PHASE_READY;
}

/* Adds the glyph of the worst phase of each group, the worst first, so that the proportion is seen at a glance. */
static void add_heat_map(struct grouping *g, struct bucket *const *all, struct lines *lines)
{
	size_t room = (size_t)(g->ui->cols > 40 ? g->ui->cols - 30 : 10), shown = g->n < room ? g->n : room;

	lines_blank(lines);
	lines_cell(lines, ARENA_JOIN(g->a, STR("  "), words_count(g->n, g->a), STR(" groups  ")), STYLE_DIM);
	for (size_t i = 0, run; i < shown; i += run) {
		const struct appearance *appearance = phase_appearance(phase_of(all[i]));
		struct buf glyphs = { 0 };

		for (run = 0; i + run < shown && phase_of(all[i + run]) == phase_of(all[i]); run++)
			buf_add_cstr(&glyphs, appearance->glyph);
		lines_cell(lines, buf_str(&glyphs), appearance->style);
		buf_release(&glyphs);
	}
	if (shown < g->n)
		lines_cell(lines, ARENA_JOIN(g->a, STR(" and "), words_count(g->n - shown, g->a), STR(" more")), STYLE_DIM);
}

static void add_well(struct grouping *g, size_t well, struct lines *lines)
{
	if (well)
		lines_note(lines, ARENA_JOIN(g->a, STR("  ✔ "), words_count(well, g->a), str_of(well == 1 ? " group" : " groups"), STR(" with nothing to do")));
}

void groups_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	enum { HEAT_FROM = 12 };
	struct arena arena = { 0 };
	struct grouping g = { .ui = ui, .scene = scene, .kinds = store_kinds(scene->store), .a = &arena };
	struct bucket **all;
	struct summary s;
	size_t n = 0, unwell;

	g.filter = filter_compile(ui_filter(ui), scene, &arena);
	if (ui->group == GROUP_CAUSE)
		mark_causes(&g);
	ui->matching = 0;
	for (struct handle h = store_next(scene->store, 0); h.slot; h = store_next(scene->store, h.slot + 1)) {
		if (!scene_selects(scene, h) || !graph_summary(scene->graph, h, &s) || !filter_summary(g.filter, &s))
			continue;
		/* What is found so far is not shown when a key comes in. */
		if (ui->matching++ % 512 == 0 && ui_interrupted(ui, scene))
			break;
		add_to_group(&g, &s);
	}
	all = arena_array(&arena, g.n, sizeof(struct bucket *));
	/* Groups in which everything is well are only counted, so they are not sorted. */
	for (struct bucket *b = g.first; b; b = b->next)
		if (b->unwell)
			all[n++] = b;
	unwell = n;
	for (struct bucket *b = g.first; b; b = b->next)
		if (!b->unwell)
			all[n++] = b;
	if (unwell)
		qsort(all, unwell, sizeof(struct bucket *), compare_buckets);
	ui->group_width = name_width(&g, all, unwell);
	if (n >= HEAT_FROM)
		add_heat_map(&g, all, lines);
	for (size_t i = 0; i < unwell; i++)
		add_bucket(&g, all[i], lines);
	add_well(&g, n - unwell, lines);
	map_release(&g.by_name);
	arena_release(&arena);
}

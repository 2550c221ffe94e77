/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses which objects plain output has, and in what order.  The lines are made by the views of the dashboard. */
#include "plugin/output/listing.h"

#include <string.h>

#include "tui/view/blocked.h"
#include "tui/view/cause_facts.h"
#include "tui/view/runs_out.h"
#include "tui/view/tree.h"
#include "tui/view/why.h"
#include "tui/words/words.h"

/* ---- the table ------------------------------------------------------------------- */

/* Returns an array by slot with 1 for each object of the list, in the arena. */
static uint8_t *list_set(const struct listing *r, const struct handle *handles, size_t n,
			 struct arena *a)
{
	uint8_t *in = arena_alloc(a, store_slots(r->store) + 1);

	for (size_t i = 0; i < n; i++)
		in[handles[i].slot] = store_alive(r->store, handles[i]);
	return in;
}

static bool is_folded(const struct listing *r, const struct summary *s, const uint8_t *in)
{
	return r->fold_children && s->phase == PHASE_READY && s->severity == SEVERITY_NONE &&
	       s->owner.slot && in[s->owner.slot];
}

/* Fills in the summary of an object.  For an object that does not exist any more it has only the id. */
static bool summary_of(const struct listing *r, struct handle h, struct summary *out)
{
	if (graph_summary(r->graph, h, out))
		return true;
	if (r->gone)
		*out = (struct summary){ .id = graph_id(r->graph, h.slot), .percent = -1 };
	return r->gone != NULL;
}

/* Finds out whether the objects are in several namespaces or clusters, so that these columns are shown. */
static void look_around(const struct listing *r, const struct handle *handles, size_t n,
			bool *out_ns, bool *out_cluster)
{
	struct str first = STR_NONE;
	struct summary s;

	*out_ns = r->ns;
	*out_cluster = r->cluster;
	for (size_t i = 0; i < n; i++) {
		if (!summary_of(r, handles[i], &s))
			continue;
		*out_cluster |= s.id.cluster.len > 0;
		if (s.id.ns.len && (r->all_namespaces || (first.len && !str_eq(s.id.ns, first))))
			*out_ns = true;
		if (s.id.ns.len)
			first = s.id.ns;
	}
}

static size_t count_label_columns(const struct listing *r)
{
	size_t n = 0;

	while (r->labels && r->label_columns && r->label_columns[n])
		n++;
	return n;
}

/* Returns true for the column with all labels, which follows the columns of -L. */
static bool is_all_labels(const struct listing *r, size_t id)
{
	return id == COLUMN_LABEL + count_label_columns(r);
}

static struct str label_cell(const struct listing *r, struct handle h, size_t id, struct arena *a)
{
	struct str text = STR_NONE;
	bool has;

	if (is_all_labels(r, id)) {
		text = labels_text(r->labels, h, a);
		has = text.len;
	} else {
		has = labels_get(r->labels, h, str_of(r->label_columns[id - COLUMN_LABEL]), &text);
	}
	return has ? text : STR("<none>");
}

static const char *title_of(const struct listing *r, size_t id, struct arena *a)
{
	if (id < COLUMN_LABEL)
		return column_row(id)->title;
	return is_all_labels(r, id) ? "LABELS" : label_column(r->label_columns[id - COLUMN_LABEL], a).title;
}

static void choose_columns(const struct listing *r, const struct handle *handles, size_t n, struct listing_out *out)
{
	struct columns_wanted wanted = { .names = r->columns,
					 .nlabels = count_label_columns(r),
					 .all_labels = r->labels && r->show_labels,
					 .wide = r->wide };

	look_around(r, handles, n, &wanted.namespaces, &wanted.clusters);
	out->shown = columns_choose(&wanted);
	out->table.ncolumns = out->shown.n;
	for (size_t k = 0; k < out->table.ncolumns; k++)
		out->table.columns[k] = (struct column){ .title = title_of(r, out->shown.at[k], out->table.lines->arena) };
}

void listing_list(const struct listing *r, const struct handle *handles, size_t n,
		 struct listing_out *out)
{
	struct arena cells = { 0 }, arena = { 0 };
	const uint8_t *in = list_set(r, handles, n, &arena);
	struct summary s;
	struct cell_facts facts = { .graph = r->graph,
				    .kinds = store_kinds(r->store),
				    .s = &s,
				    .now = r->now,
				    .absolute_time = r->absolute_time,
				    .style = STYLE_NORMAL,
				    .gone = r->gone,
				    .a = &cells };

	choose_columns(r, handles, n, out);
	for (size_t i = 0; i < n; i++) {
		if (!summary_of(r, handles[i], &s) || is_folded(r, &s, in))
			continue;
		lines_add(out->table.lines)->object = handles[i];
		for (size_t k = 0; k < out->shown.n; k++) {
			size_t id = out->shown.at[k];
			struct text text = { STR_NONE, STR_NONE, STYLE_NORMAL };

			if (id < COLUMN_LABEL)
				text = column_cell(id, &facts);
			else
				text.str = label_cell(r, s.id.handle, id, &cells);
			lines_cell(out->table.lines, text.str, text.style);
		}
		arena_reset(&cells);
	}
	arena_release(&cells);
	arena_release(&arena);
}

/* ---- tree ---------------------------------------------------------------------- */

/* Marks the objects that the tree of h has below h. */
static void mark_below(const struct listing *r, struct handle h, uint8_t *below, struct arena *a)
{
	struct item item;

	if (!graph_item(r->graph, h, a, &item))
		return;
	for (size_t i = 0; i < item.ndependencies; i++)
		if (item.dependencies[i].relation != RELATION_OWNS &&
		    item.dependencies[i].on.handle.slot != h.slot)
			below[item.dependencies[i].on.handle.slot] = 1;
	for (size_t i = 0; i < item.ndependents; i++)
		if (item.dependents[i].relation == RELATION_OWNS &&
		    item.dependents[i].on.handle.slot != h.slot)
			below[item.dependents[i].on.handle.slot] = 1;
}

/* Adds the objects that need or own a single resource. */
static void add_above(struct tree *t, struct handle h)
{
	size_t before = t->lines->n;

	if (!store_alive(t->store, h))
		return;
	lines_blank(t->lines);
	lines_add(t->lines);
	lines_cell(t->lines, STR("is needed and owned by"), STYLE_DIM);
	t->number++;
	if (tree_branches(t, h, TREE_UP) == 0)
		t->lines->n = before;
}

void listing_tree(const struct listing *r, const struct handle *handles, size_t n,
		 struct listing_out *out)
{
	struct arena arena = { 0 }, items = { 0 };
	struct tree t = {
		.graph = r->graph,
		.store = r->store,
		.now = r->now,
		.lines = out->table.lines,
		.number = 1,
		.limit = SIZE_MAX,
		.absolute_time = r->absolute_time,
		.all_namespaces = r->all_namespaces,
	};
	uint8_t *below = arena_alloc(&arena, store_slots(r->store) + 1);

	out->table.ncolumns = TREE_COLUMNS;
	memcpy(out->table.columns, tree_columns, sizeof(tree_columns));
	t.shown = arena_array(&arena, store_slots(r->store) + 1, sizeof(*t.shown));
	for (size_t i = 0; i < n; i++) {
		mark_below(r, handles[i], below, &items);
		arena_reset(&items);
	}
	/* First print the objects that no other tree has, then those that are only in circles. */
	for (int circles = 0; circles < 2; circles++)
		for (size_t i = 0; i < n; i++) {
			if ((circles ? t.shown[handles[i].slot] != 0 : below[handles[i].slot]) ||
			    !store_alive(r->store, handles[i]))
				continue;
			tree_root(&t, handles[i]);
			tree_branches(&t, handles[i], TREE_DOWN);
		}
	if (n == 1)
		add_above(&t, handles[0]);
	arena_release(&items);
	arena_release(&arena);
}

/* ---- why ----------------------------------------------------------------------- */

void listing_why(const struct listing *r, const struct handle *handles, size_t n,
		struct listing_out *out)
{
	int width = r->width ? r->width : UNWRAPPED;
	struct why w = { r->graph, r->store, r->now, out->table.lines, width, r->absolute_time, false, 0 };
	struct not_well not_well = { 0 };
	bool left_out = false, one;
	struct summary s;

	for (size_t i = 0; i < n; i++) {
		if (!graph_summary(r->graph, handles[i], &s))
			continue;
		well_count(&not_well, &s, r->now);
		one = n == 1 || r->named || s.severity != SEVERITY_NONE;
		left_out |= !one;
		if (!one)
			continue;
		if (out->table.lines->n)
			lines_blank(out->table.lines);
		why_lines(&w, handles[i]);
	}
	if (left_out && !out->table.lines->n) {
		lines_add(out->table.lines);
		lines_cell(out->table.lines, well_sentence(&not_well, &r->doubt, out->table.lines->arena), STYLE_NORMAL);
	}
}

/* ---- root causes ----------------------------------------------------------------- */

struct problems {
	const struct listing *r;
	struct lines *lines;
	struct arena *a;
	uint8_t *asked, *printed; /* by slot: the object is one of the handles; the object is in a paragraph */
	size_t causes, concerned;
	struct not_well not_well;
	bool ns;
};

static bool is_asked(const void *asked, struct handle h)
{
	return ((const uint8_t *)asked)[h.slot];
}

static void note_printed(struct problems *p, uint32_t slot)
{
	if (p->printed[slot])
		return;
	p->printed[slot] = 1;
	p->concerned += p->asked[slot];
}

static void count(struct problems *p, const struct cause_group *c)
{
	size_t n;
	const uint32_t *blocked = graph_blocked(p->r->graph, c->slots, c->n, &n);

	p->causes++;
	for (size_t i = 0; i < c->n; i++)
		note_printed(p, c->slots[i]);
	for (size_t i = 0; i < n; i++)
		note_printed(p, blocked[i]);
}

static void add_paragraph(struct problems *p, const struct cause_group *c)
{
	const struct root_cause *cause = &c->what;
	const struct kinds *kinds = store_kinds(p->r->store);
	struct str where = STR_NONE;
	size_t n;
	const struct cause_fact *facts = cause_facts(p->r->graph, p->r->store, c, FACT_IN_PRINT, p->a, &n);

	lines_blank(p->lines);
	lines_add(p->lines);
	if ((p->ns || c->namespaces > 1) && cause->id.ns.len)
		where = ARENA_JOIN(p->a, STR(" in "), cause_where(c, p->a));
	if (cause->id.cluster.len)
		where = arena_printf(p->a, STR_FMT " (" STR_FMT ")", STR_ARG(where),
				     STR_ARG(cause->id.cluster));
	lines_cell(p->lines, c->n > 1 || c->of_says ? cause_title(kinds, c, TITLE_WHOLE, p->a) : cause_name(kinds, c, p->a), STYLE_STRONG);
	lines_cell(p->lines, where, STYLE_NORMAL);
	lines_cell(p->lines,
		   ARENA_JOIN(p->a, STR("  "),
			      cause->id.handle.slot ? cause_state_words(cause) : str_of(wait_state_name(cause->cause))),
		   phase_appearance(root_cause_phase(cause))->style);
	lines_cell(p->lines,
		   ARENA_JOIN(p->a, str_of(cause->since ? " " : ""),
			      words_when(cause->since, p->r->now, p->r->absolute_time, p->a), STR("  ")),
		   STYLE_NORMAL);
	lines_cell(p->lines, cause_words_whole(cause, p->a), STYLE_NORMAL);
	for (size_t i = 0; i < n; i++) {
		lines_add(p->lines);
		lines_cell(p->lines, ARENA_JOIN(p->a, STR("   "), str_of(facts[i].label), facts[i].text), STYLE_NORMAL);
	}
}

static void count_not_well(struct problems *p, const struct handle *handles, size_t n)
{
	struct summary s;

	for (size_t i = 0; i < n; i++)
		if (graph_summary(p->r->graph, handles[i], &s))
			well_count(&p->not_well, &s, p->r->now);
}

static void add_sum(struct problems *p)
{
	lines_add(p->lines);
	if (p->causes == 0)
		lines_cell(p->lines, well_sentence(&p->not_well, &p->r->doubt, p->a), STYLE_NORMAL);
	else
		lines_cell(p->lines,
			   arena_printf(p->a, "%zu failed or blocked by %zu root cause%s",
					p->concerned, p->causes, words_plural(p->causes)),
			   STYLE_STRONG);
}

static bool many_namespaces(const struct listing *r, const struct cause_group *causes, size_t n)
{
	struct str first = STR_NONE;

	for (size_t i = 0; i < n; i++) {
		struct str ns = causes[i].what.id.ns;

		if (ns.len && first.len && !str_eq(first, ns))
			return true;
		if (ns.len)
			first = ns;
	}
	return r->ns || r->all_namespaces;
}

/* Adds a line for each of the objects that run out soon. */
static void add_running_out(const struct problems *p, struct lines *lines)
{
	size_t n;
	const struct running_out *all = runs_out_soon(p->r->graph, p->r->selected, p->r->nselected, p->r->now, p->a, &n);

	if (n) {
		lines_blank(lines);
		lines_add(lines);
		lines_cell(lines, STR(RUNS_OUT ":"), STYLE_NORMAL);
	}
	for (size_t i = 0; i < n; i++) {
		const struct id *id = &all[i].s.id;
		struct str where = id->ns.len ? ARENA_JOIN(p->a, STR(" in "), id->ns) : STR_NONE;

		if (id->cluster.len)
			where = ARENA_JOIN(p->a, where, STR(" ("), id->cluster, STR(")"));
		lines_add(lines);
		lines_cell(lines, words_id(store_kinds(p->r->store), id, p->a), STYLE_STRONG);
		lines_cell(lines, ARENA_JOIN(p->a, where, STR("  "), all[i].words), STYLE_NORMAL);
	}
}

static void add_leftovers(const struct problems *p, const struct handle *handles, size_t n, struct lines *lines)
{
	struct str words = blocked_leftovers(p->r->graph, handles, n, p->a);

	if (!words.len)
		return;
	lines_blank(lines);
	lines_add(lines);
	lines_cell(lines, words, STYLE_NORMAL);
}

/* Finds the objects that are not Ready and in no paragraph. */
static void find_rest(const struct problems *p, const struct handle *handles, size_t n,
		      struct listing_out *out)
{
	struct summary s;

	out->nrest = 0;
	for (size_t i = 0; i < n; i++)
		if (graph_summary(p->r->graph, handles[i], &s) && s.phase != PHASE_READY &&
		    !phase_is_leftover(s.phase, s.severity) && !p->printed[handles[i].slot])
			out->rest[out->nrest++] = handles[i];
}

void listing_problems(const struct listing *r, const struct handle *handles, size_t n,
		     struct listing_out *out)
{
	struct arena arena = { 0 };
	struct problems p = { .r = r, .lines = out->table.lines, .a = &arena };
	size_t ncauses;
	const struct cause_group *causes = cause_groups(r->graph, &ncauses);
	const uint8_t *concerned;

	p.asked = arena_alloc(&arena, store_slots(r->store) + 1);
	p.printed = arena_alloc(&arena, store_slots(r->store) + 1);
	p.ns = many_namespaces(r, causes, ncauses);
	for (size_t i = 0; i < n; i++)
		p.asked[handles[i].slot] = store_alive(r->store, handles[i]);
	concerned = graph_concerned(r->graph, is_asked, p.asked, &arena);
	for (size_t i = 0; i < ncauses; i++)
		if (cause_group_concerned(&causes[i], concerned))
			count(&p, &causes[i]);
	count_not_well(&p, handles, n);
	add_sum(&p);
	for (size_t i = 0; i < ncauses; i++)
		if (cause_group_concerned(&causes[i], concerned))
			add_paragraph(&p, &causes[i]);
	find_rest(&p, handles, n, out);
	add_leftovers(&p, handles, n, out->after);
	add_running_out(&p, out->after);
	arena_release(&arena);
}

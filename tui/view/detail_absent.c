/* SPDX-License-Identifier: Apache-2.0 */
/* The details of an object that does not exist: what refers to it, by which field, and the next step. */
#include "tui/view/absent.h"
#include "tui/view/blocked.h"
#include "tui/view/detail.h"
#include "tui/words/explain.h"
#include "tui/words/words.h"

enum { NAMED_BY = 500 };

/* Adds a row for a field by which an object refers to the absent one. */
static void add_reference(struct detail *d, uint32_t from, const struct edge *e)
{
	struct handle h = store_node_handle(d->scene->store, from);
	struct summary s;
	struct line *line;
	struct str name;

	if (!graph_summary(d->scene->graph, h, &s))
		return;
	line = lines_add(d->lines);
	line->key = key_mix_str(key_mix(31, key_of_handle(h)), e->via);
	line->object = h;
	name = words_id(d->kinds, &s.id, d->a);
	if (s.id.ns.len && !str_eq(s.id.ns, store_node_id(d->scene->store, e->target).ns))
		name = arena_printf(d->a, STR_FMT " · " STR_FMT, STR_ARG(name), STR_ARG(s.id.ns));
	lines_cell(d->lines, name, STYLE_NORMAL);
	lines_cell(d->lines, words_phase(s.phase, d->a).str, phase_appearance(s.phase)->style);
	lines_cell(d->lines, str_of(words_relation(e->relation, true)), STYLE_DIM);
	lines_cell(d->lines, e->via, STYLE_NORMAL);
}

/* Adds the objects that would create the absent one (makers), or those that only refer to it.  Returns their number. */
static size_t add_references(struct detail *d, uint32_t slot, bool makers)
{
	const struct store *store = d->scene->store;
	size_t n, count = 0;
	const uint32_t *from = store_referrers(store, slot, &n);

	for (size_t i = 0; i < n; i++) {
		if (i && from[i] == from[i - 1])
			continue;
		for (size_t k = 0; k < store_edge_count(store, from[i]); k++) {
			struct edge e = store_edge(store, from[i], k);

			if (e.target != slot || (e.relation == RELATION_MANAGES) != makers)
				continue;
			if (!count++)
				lines_heading(d->lines, makers ? "  would be created by" : "  named by");
			if (count <= NAMED_BY)
				add_reference(d, from[i], &e);
		}
	}
	if (count > NAMED_BY)
		lines_note(d->lines, ARENA_JOIN(d->a, STR("    and "), words_count(count - NAMED_BY, d->a), STR(" more")));
	return count;
}

static void add_fact(struct detail *d, const char *label, struct str text, enum style style)
{
	size_t first = d->lines->n;

	why_fact(d->lines, label, text, style, d->width);
	for (size_t i = first; i < d->lines->n; i++)
		d->lines->all[i].flags |= LINE_HEADING;
}

/*
 * Returns what is known about the absence.  It is ABSENCE_MISSING ("It does not exist") when all objects of the kind
 * are known, or when the status of an object that waits says that it is missing.
 */
static enum absence absence_of(struct detail *d, struct handle h, const struct root_cause *root)
{
	struct object_id id = store_node_id(d->scene->store, h.slot);
	enum coverage coverage = store_coverage(d->scene->store, id.cluster, id.kind, id.ns);

	if (observe_tombstone(&d->ui->observer, h) || observe_was_there(&d->ui->observer, d->scene, h, d->scene->now))
		return ABSENCE_GONE;
	if (coverage == COVERAGE_FORBIDDEN)
		return ABSENCE_UNREADABLE;
	return coverage == COVERAGE_COMPLETE || (root && root->cause == WAIT_MISSING) ? ABSENCE_MISSING : ABSENCE_UNKNOWN;
}

static const char *const absences[] = {
	[ABSENCE_UNKNOWN] = " It was not looked up: whether it exists is not known.",
	[ABSENCE_MISSING] = " It does not exist.",
	[ABSENCE_UNREADABLE] = " Whether it exists is not known: its kind may not be read here.",
};

static struct str blocked_words(struct detail *d, struct handle h, size_t n)
{
	struct cause_group c = { .slots = &h.slot, .n = 1 };

	if (!n)
		return STR_NONE;
	return ARENA_JOIN(d->a, words_count(n, d->a), STR(": "), cause_blocked_kinds(d->scene->graph, d->kinds, &c, d->a));
}

/* Returns the root cause that the object is; NULL: nothing waits for it. */
static const struct root_cause *root_of(struct detail *d, struct handle h)
{
	size_t n;
	const struct root_cause *roots = graph_roots(d->scene->graph, d->a, &n);

	for (size_t i = 0; i < n; i++)
		if (roots[i].slot == h.slot)
			return &roots[i];
	return NULL;
}

void detail_absent(struct detail *d, struct handle h)
{
	const struct root_cause *root = root_of(d, h);
	size_t makers, names, nblocked = root ? root->nblocked : 0;

	d->ui->absence = absence_of(d, h, root);
	lines_note(d->lines, d->ui->absence == ABSENCE_GONE ? absent_words(d->scene, h) : str_of(absences[d->ui->absence]));
	add_fact(d, LABEL_NEXT, absent_command(d->scene, h, READER_HERE, d->a), STYLE_KEY);
	add_fact(d, "blocks", blocked_words(d, h, nblocked), STYLE_NORMAL);
	lines_blank(d->lines);
	makers = add_references(d, h.slot, true);
	if (makers)
		lines_blank(d->lines);
	names = add_references(d, h.slot, false);
	if (!names && !makers)
		lines_note(d->lines, STR("  Nothing here names it."));
	else if (!makers)
		lines_note(d->lines, STR("  Nothing here would create it: a person or a controller has to."));
}

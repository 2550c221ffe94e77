/* SPDX-License-Identifier: Apache-2.0 */
/* The table of plain output: its columns and rows. */
#include "tui/view/report.h"

/* By slot: is it in the list? */
static uint8_t *list_set(const struct report *r, const struct handle *handles, size_t n,
			 struct arena *a)
{
	uint8_t *in = arena_alloc(a, store_slots(r->store) + 1);

	for (size_t i = 0; i < n; i++)
		in[handles[i].slot] = store_alive(r->store, handles[i]);
	return in;
}

static bool is_folded(const struct report *r, const struct summary *s, const uint8_t *in)
{
	return r->fold_children && s->phase == PHASE_READY && s->severity == SEVERITY_NONE &&
	       s->owner.slot && in[s->owner.slot];
}

/* For objects that are gone, only the id. */
static bool summary_of(const struct report *r, struct handle h, struct summary *out)
{
	if (graph_summary(r->graph, h, out))
		return true;
	if (r->gone)
		*out = (struct summary){ .id = graph_id(r->graph, h.slot), .percent = -1 };
	return r->gone != NULL;
}

/* Several namespaces, or clusters, among the objects? */
static void look_around(const struct report *r, const struct handle *handles, size_t n,
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

static size_t count_label_columns(const struct report *r)
{
	size_t n = 0;

	while (r->labels && r->label_columns && r->label_columns[n])
		n++;
	return n;
}

/* Behind the columns of -L one with all labels. */
static bool is_all_labels(const struct report *r, size_t id)
{
	return id == COLUMN_LABEL + count_label_columns(r);
}

static struct str label_cell(const struct report *r, struct handle h, size_t id, struct arena *a)
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

static const char *title_of(const struct report *r, size_t id, struct arena *a)
{
	if (id < COLUMN_LABEL)
		return column_row(id)->title;
	return is_all_labels(r, id) ? "LABELS" : label_column(r->label_columns[id - COLUMN_LABEL], a).title;
}

static void choose_columns(const struct report *r, const struct handle *handles, size_t n, struct report_out *out)
{
	struct columns_wanted wanted = { .names = r->columns,
					 .nlabels = count_label_columns(r),
					 .all_labels = r->labels && r->show_labels,
					 .wide = r->wide };

	look_around(r, handles, n, &wanted.namespaces, &wanted.clusters);
	out->shown = columns_choose(&wanted);
	out->ncolumns = out->shown.n;
	for (size_t k = 0; k < out->ncolumns; k++)
		out->columns[k] = (struct column){ .title = title_of(r, out->shown.at[k], out->lines->arena) };
}

void report_list(const struct report *r, const struct handle *handles, size_t n,
		 struct report_out *out)
{
	struct arena cells = { 0 }, arena = { 0 };
	const uint8_t *in = list_set(r, handles, n, &arena);
	struct summary s;
	struct cell_facts facts = { .graph = r->graph,
				    .kinds = store_kinds(r->store),
				    .s = &s,
				    .now = r->now,
				    .absolute_time = r->absolute_time,
				    .calm = STYLE_NORMAL,
				    .gone = r->gone,
				    .a = &cells };

	choose_columns(r, handles, n, out);
	for (size_t i = 0; i < n; i++) {
		if (!summary_of(r, handles[i], &s) || is_folded(r, &s, in))
			continue;
		lines_add(out->lines)->object = handles[i];
		for (size_t k = 0; k < out->shown.n; k++) {
			size_t id = out->shown.at[k];
			struct text text = { STR_NONE, STR_NONE, STYLE_NORMAL };

			if (id < COLUMN_LABEL)
				text = column_cell(id, &facts);
			else
				text.str = label_cell(r, s.id.handle, id, &cells);
			lines_cell(out->lines, text.str, text.style);
		}
		arena_reset(&cells);
	}
	arena_release(&cells);
	arena_release(&arena);
}

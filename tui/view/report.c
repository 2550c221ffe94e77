/* SPDX-License-Identifier: Apache-2.0 */
/* The table of plain output: its columns and rows. */
#include "tui/view/report.h"

#include <ctype.h>
#include <string.h>

#include "kube/base/time.h"
#include "tui/words/words.h"

/* A row under construction. */
struct cells {
	const struct report *r;
	const struct kinds *kinds;
	const struct summary *s;
	struct lines *lines;
	struct arena *a;
};

static struct str time_words(const struct cells *c, int64_t ms)
{
	char text[TIME_TEXT];

	if (!ms)
		return STR_NONE;
	if (c->r->absolute_time)
		return arena_str(c->a, str_of(time_format(ms, text)));
	return arena_str(c->a, str_of(time_age(c->r->now - ms, text)));
}

static void cell_namespace(const struct cells *c)
{
	lines_cell(c->lines, c->s->id.ns, STYLE_NORMAL);
}

static void cell_cluster(const struct cells *c)
{
	lines_cell(c->lines, c->s->id.cluster, STYLE_NORMAL);
}

static void cell_name(const struct cells *c)
{
	lines_cell(c->lines, words_id(c->kinds, &c->s->id, c->a), STYLE_NORMAL);
}

static void cell_phase(const struct cells *c)
{
	lines_cell(c->lines, str_of(phase_name(c->s->phase)), phase_look(c->s->phase)->style);
}

static void cell_since(const struct cells *c)
{
	lines_cell(c->lines, time_words(c, c->s->since),
		   words_overdue(c->s, c->r->now) ? STYLE_WARN : STYLE_NORMAL);
}

static void cell_waits(const struct cells *c)
{
	lines_cell(c->lines, words_chain(c->r->graph, c->kinds, c->s->id.handle, c->a).str,
		   STYLE_NORMAL);
}

static void cell_reason(const struct cells *c)
{
	lines_cell(c->lines, c->s->reason, STYLE_NORMAL);
}

static void cell_message(const struct cells *c)
{
	lines_cell(c->lines, words_first_line(c->s->message), STYLE_NORMAL);
}

static void cell_operator_phase(const struct cells *c)
{
	lines_cell(c->lines, c->s->operator_phase, STYLE_NORMAL);
}

static void cell_severity(const struct cells *c)
{
	enum style style = severity_style(c->s->severity);

	lines_cell(c->lines, str_of(severity_name(c->s->severity)),
		   style == STYLE_DIM ? STYLE_NORMAL : style);
}

static void cell_family(const struct cells *c)
{
	lines_cell(c->lines, str_of(c->s->family), STYLE_NORMAL);
}

static void cell_async(const struct cells *c)
{
	struct str text = STR_NONE;

	if (c->s->percent >= 0 && c->s->percent <= 100)
		text = arena_printf(c->a, "%d%%", (int)c->s->percent);
	lines_cell(c->lines, text, STYLE_NORMAL);
}

static void cell_age(const struct cells *c)
{
	lines_cell(c->lines, time_words(c, c->s->created), STYLE_NORMAL);
}

enum shown { SHOWN_ALWAYS, SHOWN_WIDE, SHOWN_CLUSTER, SHOWN_NAMESPACE };

static const struct {
	const char *name, *title;
	enum shown shown;
	void (*cell)(const struct cells *c);
} columns[] = {
	{ "cluster", "CLUSTER", SHOWN_CLUSTER, cell_cluster },
	{ "namespace", "NAMESPACE", SHOWN_NAMESPACE, cell_namespace },
	{ "name", "NAME", SHOWN_ALWAYS, cell_name },
	{ "phase", "PHASE", SHOWN_ALWAYS, cell_phase },
	{ "operator-phase", "OPERATOR PHASE", SHOWN_WIDE, cell_operator_phase },
	{ "severity", "SEVERITY", SHOWN_WIDE, cell_severity },
	{ "since", "SINCE", SHOWN_ALWAYS, cell_since },
	{ "family", "FAMILY", SHOWN_WIDE, cell_family },
	{ "async", "ASYNC", SHOWN_WIDE, cell_async },
	{ "age", "AGE", SHOWN_WIDE, cell_age },
	{ "waits-on", "WAITS ON", SHOWN_ALWAYS, cell_waits },
	{ "reason", "REASON", SHOWN_ALWAYS, cell_reason },
	{ "message", "MESSAGE", SHOWN_ALWAYS, cell_message },
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

const char *report_column_name(size_t i)
{
	return i < COLUMNS ? columns[i].name : NULL;
}

/* Indexes of the columns to show; past COLUMNS those of labels: each of report.label_columns, then all. */
struct chosen {
	size_t at[LINE_CELLS], n;
};

static size_t count_label_columns(const struct report *r)
{
	size_t n = 0;

	while (r->labels && r->label_columns && r->label_columns[n])
		n++;
	return n;
}

static void choose_at(struct chosen *out, size_t at)
{
	if (out->n < LINE_CELLS)
		out->at[out->n++] = at;
}

static void choose_labels(const struct report *r, struct chosen *out)
{
	for (size_t i = 0; i < count_label_columns(r); i++)
		choose_at(out, COLUMNS + i);
}

static void choose_named(const char *names, struct chosen *out)
{
	struct str rest = str_of(names), name;

	while (str_split(&rest, ',', &name))
		for (size_t i = 0; i < COLUMNS; i++)
			if (str_eq_nocase(str_trim(name), str_of(columns[i].name)))
				choose_at(out, i);
}

static void choose_usual(const struct report *r, bool ns, bool cluster, struct chosen *out)
{
	const bool shown[] = {
		[SHOWN_ALWAYS] = true,
		[SHOWN_WIDE] = r->wide,
		[SHOWN_CLUSTER] = cluster,
		[SHOWN_NAMESPACE] = ns,
	};

	for (size_t i = 0; i < COLUMNS; i++) {
		if (columns[i].cell == cell_waits)	/* what follows is long */
			choose_labels(r, out);
		if (shown[columns[i].shown])
			choose_at(out, i);
	}
}

static struct chosen choose(const struct report *r, bool ns, bool cluster)
{
	struct chosen out = { .n = 0 };

	if (r->columns) {
		choose_named(r->columns, &out);
		choose_labels(r, &out);
	} else {
		choose_usual(r, ns, cluster, &out);
	}
	if (r->labels && r->show_labels)
		choose_at(&out, COLUMNS + count_label_columns(r));
	return out;
}

/* "NAME" of "app.kubernetes.io/name", as kubectl's. */
static const char *label_title(const char *key, struct arena *a)
{
	size_t slash = str_rfind(str_of(key), '/');
	struct str name = slash == strlen(key) ? str_of(key) : str_from(str_of(key), slash + 1);
	char *title = arena_alloc(a, name.len + 1);

	for (size_t i = 0; i < name.len; i++)
		title[i] = (char)toupper((unsigned char)name.ptr[i]);
	return title;
}

static const char *title_of(const struct report *r, size_t at, struct arena *a)
{
	if (at < COLUMNS)
		return columns[at].title;
	return at - COLUMNS < count_label_columns(r) ? label_title(r->label_columns[at - COLUMNS], a) : "LABELS";
}

static void cell_labels(const struct cells *c, size_t i)
{
	struct str text = labels_text(c->r->labels, c->s->id.handle, c->a);
	bool has = text.len;

	if (i < count_label_columns(c->r))
		has = labels_get(c->r->labels, c->s->id.handle, str_of(c->r->label_columns[i]), &text);
	lines_cell(c->lines, has ? text : STR("<none>"), STYLE_NORMAL);
}

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

static void gone_cell(const struct cells *c, size_t column)
{
	void (*cell)(const struct cells *) = columns[column].cell;

	if (cell == cell_name || cell == cell_namespace || cell == cell_cluster)
		cell(c);
	else
		lines_cell(c->lines, cell == cell_phase ? str_of(c->r->gone) : STR_NONE, STYLE_NORMAL);
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

void report_list(const struct report *r, const struct handle *handles, size_t n,
		 struct report_out *out)
{
	struct arena rows = { 0 }, arena = { 0 };
	const uint8_t *in = list_set(r, handles, n, &arena);
	struct summary s;
	struct cells c = { r, store_kinds(r->store), &s, out->lines, &rows };
	struct chosen chosen;
	bool ns, cluster;

	look_around(r, handles, n, &ns, &cluster);
	chosen = choose(r, ns, cluster);
	for (size_t k = 0; k < chosen.n; k++)
		out->columns[k] = (struct column){ .title = title_of(r, chosen.at[k], out->lines->arena) };
	out->ncolumns = chosen.n;
	for (size_t i = 0; i < n; i++) {
		if (!summary_of(r, handles[i], &s) || is_folded(r, &s, in))
			continue;
		lines_add(out->lines)->object = handles[i];
		for (size_t k = 0; k < chosen.n; k++)
			if (chosen.at[k] >= COLUMNS)
				cell_labels(&c, chosen.at[k] - COLUMNS);
			else if (r->gone)
				gone_cell(&c, chosen.at[k]);
			else
				columns[chosen.at[k]].cell(&c);
		arena_reset(&rows);
	}
	arena_release(&rows);
	arena_release(&arena);
}

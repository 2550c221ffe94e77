/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/notices.h"

#include "kube/base/alloc.h"

/* From this number of forbidden kinds on one line stands for all of them, and names the first ones. */
enum { FORBIDDEN_LINES = 4 };

/* Compares by kind, except that the warnings of one answer keep the server's order. */
static int compare_notices(const struct notice *a, const struct notice *b)
{
	int order = str_cmp(a->kind, b->kind);

	order = order ? order : str_cmp(a->resource, b->resource);
	order = order ? order : str_cmp(a->ns, b->ns);
	return order || str_is(a->kind, "warning") ? order : str_cmp(a->message, b->message);
}

void notices_sort(struct world *w)
{
	/* Insertion sort: it is stable, and there are few notices. */
	for (size_t i = 1; i < w->nnotices; i++) {
		struct notice notice = w->notices[i];
		size_t at = i;

		for (; at > 0 && compare_notices(&w->notices[at - 1], &notice) > 0; at--)
			w->notices[at] = w->notices[at - 1];
		w->notices[at] = notice;
	}
}

static bool is_forbidden(const struct notice *n)
{
	return str_is(n->kind, "forbidden");
}

static bool is_told_before(const struct world *w, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_forbidden(&w->notices[i]) && str_eq(w->notices[i].resource, w->notices[at].resource))
			return true;
	return false;
}

struct forbidden_kinds {
	struct str ns;		/* as in struct query */
	uint8_t *seen;		/* indexed by the kind's id: 1 for a kind that was counted */
	unsigned n;
};

static void add_forbidden(void *ctx, const struct object_id *id, enum coverage coverage)
{
	struct forbidden_kinds *f = ctx;
	bool here = id->name.len == 0 && (id->ns.len == 0 || str_in_scope(id->ns, f->ns));

	if (coverage != COVERAGE_FORBIDDEN || !here || !id->kind || f->seen[id->kind->id])
		return;
	f->seen[id->kind->id] = 1;
	f->n++;
}

/*
 * Returns the number of kinds that the recorder was not allowed to read.  A recording has no notices of them, but their
 * coverage.
 */
static unsigned recorded_as_forbidden(const struct world *w, struct str ns)
{
	struct forbidden_kinds f = { .ns = ns, .seen = xcalloc(w->kinds.count + 1, 1) };

	store_each_coverage(w->store, add_forbidden, &f);
	xfree(f.seen);
	return f.n;
}

unsigned notices_forbidden(const struct world *w, const struct query *q)
{
	unsigned n = q->offline ? recorded_as_forbidden(w, q->ns) : 0;

	for (size_t i = 0; i < w->nnotices; i++)
		n += is_forbidden(&w->notices[i]) && !is_told_before(w, i);
	return n;
}

bool notices_unread(const struct world *w)
{
	for (size_t i = 0; i < w->nnotices; i++)
		if (str_is(w->notices[i].kind, "unavailable") || str_is(w->notices[i].kind, "unreadable"))
			return true;
	return false;
}

struct doubt notices_doubt(const struct world *w, const struct query *q, struct arena *a)
{
	return (struct doubt){ .unread = well_forbidden(notices_forbidden(w, q), a),
			       .unsure = notices_unread(w) ? STR("not everything could be read") : STR_NONE };
}

/*
 * Returns the line for all forbidden kinds, "forbidden: you may not read 12 kinds in 3 namespaces: a, b and 10 more";
 * "" when so few are forbidden that each has a line.  The notices must be sorted.
 */
static struct str forbidden_words(const struct world *w, size_t names, const char *more, struct arena *a)
{
	struct str list = STR_NONE, kind = STR_NONE, *namespaces = arena_array(a, w->nnotices, sizeof(*namespaces));
	size_t n = 0, kinds = 0, nnamespaces = 0, k;

	for (size_t i = 0; i < w->nnotices; i++) {
		const struct notice *notice = &w->notices[i];

		if (!is_forbidden(notice) || notice->said)
			continue;
		n++;
		for (k = 0; k < nnamespaces && !str_eq(namespaces[k], notice->ns); k++)
			;
		if (k == nnamespaces)
			namespaces[nnamespaces++] = notice->ns;
		if (kinds && str_eq(kind, notice->resource))
			continue;
		kind = notice->resource;
		if (kinds++ < names)
			list = arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(list), kinds == 1 ? "" : ", ", STR_ARG(kind));
	}
	if (n < FORBIDDEN_LINES)
		return STR_NONE;
	if (kinds > names)
		list = arena_printf(a, STR_FMT " and %zu more%s", STR_ARG(list), kinds - names, more);
	return arena_printf(a, "forbidden: you may not read %zu kind%s%s: " STR_FMT, kinds, kinds == 1 ? "" : "s",
			    nnamespaces < 2 ? "" : arena_printf(a, " in %zu namespaces", nnamespaces).ptr, STR_ARG(list));
}

/* Returns the message of a notice, with the kind before it when a failing server did not name it. */
static struct str name_kind(const struct notice *notice, struct arena *a)
{
	struct str plural = str_head(notice->resource, str_find(notice->resource, '.'));

	if (!str_is(notice->kind, "unavailable") || plural.len == 0 ||
	    str_contains(notice->message, arena_str(a, plural).ptr))
		return notice->message;
	return arena_printf(a, STR_FMT ": " STR_FMT, STR_ARG(notice->resource), STR_ARG(notice->message));
}

/*
 * Returns the line of a notice.  Of notices with the same message only the first has a line, which says how many they
 * are and what they are about; "" for the others.
 */
static struct str equal_words(const struct world *w, size_t at, size_t names, struct arena *a)
{
	const struct notice *notice = &w->notices[at];
	struct str list = STR_NONE;
	size_t n = 0;

	for (size_t i = 0; i < w->nnotices; i++) {
		const struct notice *other = &w->notices[i];

		if (other->said || !str_eq(other->message, notice->message) || !str_eq(other->kind, notice->kind))
			continue;
		if (i < at)
			return STR_NONE;
		if (n++ < names && other->resource.len)
			list = arena_printf(a, STR_FMT "%s" STR_FMT "%s" STR_FMT, STR_ARG(list), list.len ? ", " : ": ",
					    STR_ARG(other->resource), other->ns.len ? " in " : "", STR_ARG(other->ns));
	}
	if (n == 1)
		return name_kind(notice, a);
	return arena_printf(a, STR_FMT " (×%zu" STR_FMT "%s)", STR_ARG(notice->message), n, STR_ARG(list),
			    n > names && list.len ? ", …" : "");
}

const struct notice_line *notices_lines(struct world *w, size_t names, const char *more, struct arena *a, size_t *out_n)
{
	struct notice_line *lines = arena_array(a, w->nnotices + 1, sizeof(*lines));
	struct str forbidden;
	size_t n = 0;

	notices_sort(w);
	forbidden = forbidden_words(w, names, more, a);
	if (forbidden.len)
		lines[n++] = (struct notice_line){ STR("forbidden"), forbidden };
	for (size_t i = 0; i < w->nnotices; i++) {
		const struct notice *notice = &w->notices[i];
		bool told = notice->said || (forbidden.len && is_forbidden(notice));
		struct str text = told ? STR_NONE : equal_words(w, i, names, a);

		if (text.len)
			lines[n++] = (struct notice_line){ notice->kind, text };
	}
	*out_n = n;
	return lines;
}

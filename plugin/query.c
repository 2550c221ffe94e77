/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/query.h"

#include "kube/base/alloc.h"
#include "plugin/label_selector.h"
#include "tui/state/sort.h"

#include <string.h>
#include <unistd.h>

static int resolve(struct query *q, struct world *w, struct err *err)
{
	const struct options *o = q->options;
	struct resolve_request request = {
		.kinds = &w->kinds,
		.args = o->args,
		.nargs = o->nargs,
		.all_namespaces = o->all_namespaces,
		.has_selector = o->selector || o->field_selector,
		.source = o->filename.n ? "the files don't" : o->replay ? "the recording doesn't" : NULL,
	};

	if (o->nargs == 0)
		return 0;
	if (resolve_args(&request, &q->arena, &q->what, err) < 0)
		return -1;
	if (q->what.warning.len)
		world_notice(w, (struct notice){ .kind = STR("warning"), .message = q->what.warning });
	return 0;
}

int query_init(struct query *q, const struct options *o, struct world *w, struct err *err)
{
	q->options = o;
	q->labels = str_of(o->selector);
	q->fields = str_of(o->field_selector);
	if (selector_check_labels(q->labels, err) < 0 || selector_check_fields(q->fields, err) < 0)
		return -1;
	return resolve(q, w, err);
}

void query_release(struct query *q)
{
	arena_release(&q->arena);
	query_restart(q);
}

/* Says whether the object in a slot matches the selectors, from a moment on. */
struct match {
	int64_t since;
	uint32_t gen;
	uint32_t before;	/* 1 + the number of the slot's previous match; 0: there is none */
	bool matches;
};

static void grow_slots(struct query *q, uint32_t slot)
{
	uint32_t n = slot * 2 + 64;

	if (slot < q->nslots)
		return;
	q->match_of = xreallocarray(q->match_of, n, sizeof(*q->match_of));
	memset(q->match_of + q->nslots, 0, (n - q->nslots) * sizeof(*q->match_of));
	q->nslots = n;
}

/* Returns the match that held at a moment, ms; NULL: none is known. */
static const struct match *match_at(const struct query *q, struct handle h, int64_t time)
{
	uint32_t at = h.slot < q->nslots ? q->match_of[h.slot] : 0;

	while (at && (q->matches[at - 1].since > time || q->matches[at - 1].gen > h.gen))
		at = q->matches[at - 1].before;
	return at && q->matches[at - 1].gen == h.gen ? &q->matches[at - 1] : NULL;
}

void query_note(struct query *q, struct handle h, struct json object, int64_t now)
{
	const struct match *last;
	bool matches;

	if (!h.slot || (q->labels.len == 0 && q->fields.len == 0))
		return;
	grow_slots(q, h.slot);
	matches = selector_matches_labels(q->labels, object) && (!q->offline || selector_matches_fields(q->fields, object));
	last = match_at(q, h, INT64_MAX);
	if (last && last->matches == matches)
		return;
	if (q->nmatches == q->matches_cap) {
		q->matches_cap = q->matches_cap ? q->matches_cap * 2 : 64;
		q->matches = xreallocarray(q->matches, q->matches_cap, sizeof(*q->matches));
	}
	/* The first match has no beginning: before the object was first read, no world has it. */
	q->matches[q->nmatches++] = (struct match){ last ? now : 0, h.gen, q->match_of[h.slot], matches };
	q->match_of[h.slot] = q->nmatches;
}

void query_restart(struct query *q)
{
	xfree(q->matches);
	xfree(q->match_of);
	q->matches = NULL;
	q->match_of = NULL;
	q->nmatches = q->matches_cap = q->nslots = 0;
}

static bool matches_at(const struct query *q, struct handle h, int64_t time)
{
	const struct match *m = match_at(q, h, time);

	return m && m->matches;
}

bool query_default_kind(const struct kind *kind)
{
	if (kind->flags & KIND_CUSTOM)
		return true;
	return (kind->flags & KIND_HAS_STATUS) && (kind->flags & KIND_NAMESPACED);
}

/*
 * Returns true when the object's kind and name were asked for.  Without a TYPE, Events are not selected: they only tell
 * about other objects.
 */
static bool kind_asked(const struct query *q, const struct object_id *id)
{
	if (q->what.n == 0)
		return q->files ? !str_is(id->kind->kind, "Event") : query_default_kind(id->kind);
	for (size_t i = 0; i < q->what.n; i++)
		if (q->what.list[i].kind == id->kind &&
		    (q->what.list[i].name.len == 0 || str_eq(q->what.list[i].name, id->name)))
			return true;
	return false;
}

bool query_has_names(const struct query *q)
{
	for (size_t i = 0; i < q->what.n; i++)
		if (q->what.list[i].name.len)
			return true;
	return false;
}

bool query_has_namespaced(const struct query *q)
{
	for (size_t i = 0; i < q->what.n; i++)
		if (q->what.list[i].kind->flags & KIND_NAMESPACED)
			return true;
	return q->what.n == 0;
}

bool query_selects(const struct query *q, const struct world *w, struct handle h)
{
	struct object_id id = store_node_id(w->store, h.slot);

	if (q->ns.len && !str_eq(id.ns, q->ns) && (id.ns.len || q->what.n == 0))
		return false;
	if ((q->labels.len || (q->fields.len && q->offline)) && !matches_at(q, h, w->now))
		return false;
	return kind_asked(q, &id);
}

const struct handle *query_collect(const struct query *q, struct world *w, struct arena *arena, size_t *out_n)
{
	struct handle *out = arena_array(arena, store_count(w->store), sizeof(*out));
	enum sort sort = SORT_WORST;
	size_t n = 0;

	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1))
		if (query_selects(q, w, h))
			out[n++] = h;
	sort_parse(str_of(q->options->sort_by), &sort);
	sort_handles(w->graph, w->store, out, n, sort);
	*out_n = n;
	return out;
}

bool query_tells_changes(const struct query *q)
{
	if (q->options->report)
		return true;
	switch (q->options->format) {
	case FORMAT_JSON:
	case FORMAT_YAML:
	case FORMAT_WHY:
		return true;
	case FORMAT_NONE:	/* the dashboard, or the spoken summary; in a pipe it is a table */
		return q->options->problems || q->options->plain || q->options->screen;
	case FORMAT_NAME:
	case FORMAT_TABLE:
	case FORMAT_WIDE:
	case FORMAT_TREE:
	case FORMAT_MARKDOWN:
	case FORMAT_CSV:
		break;
	}
	return q->options->problems;
}

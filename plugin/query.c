/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/query.h"

#include "kube/base/alloc.h"
#include "plugin/alert.h"
#include "plugin/label_selector.h"
#include "tui/state/sort.h"


/* Selects the objects that the alert names.  A type that there is not, or a name that no object can have, names nothing. */
static void resolve_alert(struct query *q, const struct resolve_request *request, struct graph *graph)
{
	struct selection *list = arena_array(&q->arena, q->alert->n, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < q->alert->n; i++) {
		const struct alert_object *o = &q->alert->objects[i];
		const char *args[] = { ARENA_JOIN(&q->arena, o->type, STR("/"), o->name).ptr, NULL };
		struct resolve_request one = *request;
		struct resolution found;

		one.args = args;
		one.nargs = 1;
		one.all_namespaces = request->all_namespaces && !o->ns.len;
		if (resolve_args(&one, &q->arena, &found, &(struct err){ 0 }) < 0 || found.n != 1)
			continue;
		list[n] = found.list[0];
		list[n].ns = list[n].kind->flags & KIND_NAMESPACED ? o->ns : STR_NONE;
		graph_give_runbook(graph, &(struct id){ .group = list[n].kind->group, .kind = list[n].kind->kind, .ns = list[n].ns,
							.name = list[n].name }, o->runbook);
		n++;
	}
	q->what = (struct resolution){ list, n, STR_NONE };
}

const char *query_lacks(const struct options *o)
{
	return o->filename.n ? "the files don't" : o->replay ? "the recording doesn't" : NULL;
}

static int resolve(struct query *q, struct world *w, struct err *err)
{
	const struct options *o = q->options;
	struct resolve_request request = {
		.kinds = &w->kinds,
		.args = o->args,
		.nargs = o->nargs,
		.all_namespaces = o->all_namespaces,
		.has_selector = o->selector || o->field_selector,
		.source = query_lacks(o),
	};

	if (q->alert)
		resolve_alert(q, &request, w->graph);
	if (q->alert || o->nargs == 0)
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
	if (selectors_check(q->labels, q->fields, err) < 0)
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

/* Returns the match that held at a moment, ms; NULL: none is known. */
static const struct match *match_at(const struct query *q, struct handle h, int64_t time)
{
	uint32_t at = h.slot < q->nslots ? q->match_of[h.slot] : 0;

	while (at && (q->matches[at - 1].since > time || q->matches[at - 1].gen > h.gen))
		at = q->matches[at - 1].before;
	return at && q->matches[at - 1].gen == h.gen ? &q->matches[at - 1] : NULL;
}

bool query_note(struct query *q, struct handle h, struct json object, int64_t now)
{
	const struct match *last;
	bool matches;

	if (!h.slot || (q->labels.len == 0 && q->fields.len == 0))
		return false;
	q->match_of = xgrow_zeroed(q->match_of, &q->nslots, h.slot, sizeof(*q->match_of));
	matches = selectors_match(q->labels, q->offline ? q->fields : STR_NONE, object);
	last = match_at(q, h, INT64_MAX);
	if (last && last->matches == matches)
		return false;
	q->matches = xgrow(q->matches, q->nmatches, &q->matches_cap, sizeof(*q->matches));
	/* The first match has no beginning: before the object was first read, no world has it. */
	q->matches[q->nmatches++] = (struct match){ last ? now : 0, h.gen, q->match_of[h.slot], matches };
	q->match_of[h.slot] = q->nmatches;
	return true;
}

void query_restart(struct query *q)
{
	xfree(q->matches);
	xfree(q->match_of);
	q->matches = NULL;
	q->match_of = NULL;
	q->nmatches = q->nslots = 0;
	q->matches_cap = 0;
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

/* Kubernetes' own kinds without a namespace of which all namespaces show what is in trouble. */
static bool is_of_cluster(const struct kind *kind)
{
	static const char *const kinds[] = { "Node", "Namespace", "PersistentVolume", "MutatingWebhookConfiguration",
					     "ValidatingWebhookConfiguration", "APIService" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !(kind->flags & (KIND_NAMESPACED | KIND_CUSTOM)); i++)
		if (str_is(kind->kind, kinds[i]))
			return true;
	return false;
}

bool query_shown_kind(const struct kind *kind)
{
	return query_default_kind(kind) || is_of_cluster(kind);
}

static bool is_in_trouble(const struct world *w, struct handle h)
{
	struct summary s;

	return graph_summary(w->graph, h, &s) && s.phase != PHASE_READY && s.severity >= SEVERITY_WARNING;
}

/*
 * Returns true when the object's kind and name were asked for.  Without a TYPE, Events and metrics are not selected: they only
 * tell about other objects.
 */
static bool kind_asked(const struct query *q, const struct object_id *id)
{
	if (q->what.n == 0)
		return q->files ? !str_is(id->kind->kind, "Event") && !usage_tells(id->kind) : query_default_kind(id->kind);
	for (size_t i = 0; i < q->what.n; i++)
		if (q->what.list[i].kind == id->kind && (q->what.list[i].name.len == 0 || str_eq(q->what.list[i].name, id->name)) &&
		    (q->what.list[i].ns.len == 0 || str_eq(q->what.list[i].ns, id->ns)))
			return true;
	return false;
}

static bool wants_kind(const void *in, uint16_t cluster, uint32_t id)
{
	const struct query_in *of = in;
	const struct query *q = of->query;
	const struct kind *kind = of->world->kinds.all[id - 1];

	(void)cluster;
	for (size_t i = 0; i < q->what.n; i++)
		if (q->what.list[i].kind == kind)
			return true;
	return q->what.n == 0 && query_default_kind(kind);
}

struct watch_question query_watched(const struct query_in *in)
{
	return (struct watch_question){ in->query->ns, wants_kind, in };
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

	if (!str_in_scope(id.ns, q->ns) && (id.ns.len || q->what.n == 0))
		return false;
	if ((q->labels.len || (q->fields.len && q->offline)) && !matches_at(q, h, w->now))
		return false;
	if (!q->files && q->what.n == 0 && !id.ns.len && !q->ns.len && is_of_cluster(id.kind))
		return is_in_trouble(w, h);
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
	case FORMAT_KYAML:
	case FORMAT_WHY:
	case FORMAT_BRIEF:
		return true;
	case FORMAT_NONE:	/* the dashboard; in a pipe it is a table */
		return q->options->problems || q->options->screen;
	case FORMAT_NAME:
	case FORMAT_TABLE:
	case FORMAT_WIDE:
	case FORMAT_TREE:
	case FORMAT_OPENMETRICS:
		break;
	}
	return q->options->problems;
}

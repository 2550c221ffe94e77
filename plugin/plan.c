/* SPDX-License-Identifier: Apache-2.0 */
/* Which lists and watches answer the question, and no more than that. */
#include "kube/base/time.h"
#include "kube/status/family.h"
#include "plugin/clock.h"
#include "plugin/live_private.h"

/* Neighbours are looked up so many steps away, in so many lists at most. */
#define ROUNDS 12
#define NEIGHBOUR_FEEDS 120
/* From so many names of one kind on, one list of the kind costs less. */
#define NAMES_BEFORE_LIST 6
#define NAMESPACES 50
/* Events are many: they are read in so few namespaces, and only of what is silent for a while. */
#define EVENT_NAMESPACES 6
#define SILENT SECONDS(30)
/* With more kinds than this (an API server's streams per connection, and some room), empty ones are not watched. */
#define WATCHED_KINDS 80

static struct str scope_of(const struct kind *kind, struct str ns)
{
	return kind->flags & KIND_NAMESPACED ? ns : STR_NONE;
}

static void open_kind(struct live *l, struct cluster *c, const struct kind *kind, struct str name, bool context)
{
	const struct query *q = l->o.query;
	struct subscribe what = {
		.kind = kind,
		.ns = scope_of(kind, q->ns),
		.name = name,
		.label_selector = context ? STR_NONE : q->labels,
		.field_selector = context ? STR_NONE : q->fields,
		.once = l->o.once,
		.unless_empty = l->many_kinds && name.len == 0,
	};

	if ((kind->flags & KIND_LIST) && !session_lacks(c->session, kind))
		feed_open(c, &what, context);
}

static const struct kind *served(const struct live *l, const char *group, const char *name)
{
	const struct kind *kind = kinds_find(&l->o.world->kinds, str_of(group), str_of(name));

	return kind && (kind->flags & KIND_DISCOVERED) && (kind->flags & KIND_LIST) ? kind : NULL;
}

/* The parts of a workload are found by listing them: they name it, not it them. */
static void open_parts(struct live *l, struct cluster *c, const struct kind *kind)
{
	static const struct {
		const char *group, *kind, *part_group, *part;
	} parts[] = {
		{ "apps", "Deployment", "apps", "ReplicaSet" }, { "apps", "Deployment", "", "Pod" },
		{ "apps", "ReplicaSet", "", "Pod" },		{ "apps", "StatefulSet", "", "Pod" },
		{ "apps", "DaemonSet", "", "Pod" },		{ "batch", "Job", "", "Pod" },
		{ "batch", "CronJob", "batch", "Job" },		{ "batch", "CronJob", "", "Pod" },
		{ "", "Service", "discovery.k8s.io", "EndpointSlice" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct kind *part = served(l, parts[i].part_group, parts[i].part);

		if (part && str_is(kind->group, parts[i].group) && str_is(kind->kind, parts[i].kind))
			open_kind(l, c, part, STR_NONE, true);
	}
}

static size_t times_named(const struct resolution *what, const struct kind *kind)
{
	size_t n = 0;

	for (size_t i = 0; i < what->n; i++)
		n += what->list[i].kind == kind;
	return n;
}

/* Where several clusters are asked, one of them may not know the type. */
static void tell_lacking(struct live *l, struct cluster *c, const struct kind *kind)
{
	struct buf text = { 0 };

	if (!session_lacks(c->session, kind))
		return;
	buf_printf(&text, STR_FMT ": the server doesn't have a resource type \"" STR_FMT "\"",
		   STR_ARG(c->config.context), STR_ARG(kind->plural));
	world_notice(l->o.world, (struct notice){ .kind = STR("unavailable"), .resource = kind->plural,
						  .message = buf_str(&text) });
	buf_release(&text);
}

static void start_named(struct live *l, struct cluster *c)
{
	const struct resolution *what = &l->o.query->what;

	for (size_t i = 0; i < what->n; i++)
		tell_lacking(l, c, what->list[i].kind);
	for (size_t i = 0; i < what->n; i++) {
		bool many = times_named(what, what->list[i].kind) >= NAMES_BEFORE_LIST;

		open_kind(l, c, what->list[i].kind, many ? STR_NONE : what->list[i].name, false);
	}
	for (size_t i = 0; i < what->n && l->o.options->format != FORMAT_NAME; i++)
		open_parts(l, c, what->list[i].kind);
}

static bool is_default(const struct kind *k)
{
	unsigned needed = KIND_DISCOVERED | KIND_LIST | KIND_WATCH;

	return (k->flags & needed) == needed && query_default_kind(k);
}

static void start_everything(struct live *l, struct cluster *c)
{
	const struct kind *slices = served(l, "discovery.k8s.io", "EndpointSlice");
	const struct kinds *kinds = &l->o.world->kinds;
	bool all = l->o.query->ns.len == 0;
	unsigned n = 0;

	for (uint32_t i = 0; i < kinds->count; i++)
		n += is_default(kinds->all[i]);
	l->many_kinds = n > WATCHED_KINDS;
	for (uint32_t i = 0; i < kinds->count; i++)
		if (is_default(kinds->all[i]))
			open_kind(l, c, kinds->all[i], STR_NONE, !(kinds->all[i]->flags & KIND_NAMESPACED) && !all);
	/* They carry no status themselves; whether a Service has endpoints only they know. */
	if (slices)
		open_kind(l, c, slices, STR_NONE, true);
}

void plan_start(struct live *l)
{
	for (size_t i = 0; i < l->nclusters; i++)
		if (l->clusters[i].discovered) {
			if (l->o.query->what.n)
				start_named(l, &l->clusters[i]);
			else
				start_everything(l, &l->clusters[i]);
		}
}

/* ---- less than all namespaces -------------------------------------------- */

static void narrow_to(struct feed *f, struct str ns)
{
	struct live *l = f->cluster->live;
	struct subscribe what = *subscription_what(f->sub);

	what.ns = ns;
	what.once = l->o.once;
	feed_open(f->cluster, &what, f->context);
}

/* Namespaces that are known from what may be read; else the context's own. */
void plan_narrow(struct feed *f)
{
	struct live *l = f->cluster->live;
	const struct kind *namespaces = served(l, "", "Namespace");
	size_t n = 0;

	if (f->ns.len || f->name.len || !(f->kind->flags & KIND_NAMESPACED))
		return;
	narrow_to(f, f->cluster->config.namespace);
	for (struct handle h = store_next(l->o.world->store, 0); h.slot && n < NAMESPACES;
	     h = store_next(l->o.world->store, h.slot + 1)) {
		struct object_id id = store_node_id(l->o.world->store, h.slot);

		if (id.kind == namespaces && id.cluster == f->cluster->index) {
			narrow_to(f, id.name);
			n++;
		}
	}
}

/* ---- neighbours ---------------------------------------------------------- */

struct lookup {
	struct live *l;
	size_t opened;
	bool quiet;
};

static size_t neighbour_feeds(const struct live *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->nfeeds; i++)
		n += l->feeds[i]->context;
	return n;
}

/* Of these only that they exist is needed; their contents are nobody's business. */
static bool is_opaque(const struct kind *kind)
{
	return kind->group.len == 0 && (str_is(kind->kind, "Secret") || str_is(kind->kind, "ConfigMap"));
}

static void look_up(struct lookup *u, const struct object_id *id)
{
	struct live *l = u->l;
	struct cluster *c = &l->clusters[id->cluster];
	struct subscribe what = { .kind = id->kind, .ns = scope_of(id->kind, id->ns), .name = id->name,
				  .once = l->o.once, .metadata_only = is_opaque(id->kind) };
	struct feed *feed;
	size_t same = 0;

	if (!(id->kind->flags & KIND_DISCOVERED) || !(id->kind->flags & KIND_LIST) ||
	    session_lacks(c->session, id->kind) ||
	    neighbour_feeds(l) >= NEIGHBOUR_FEEDS)
		return;
	for (size_t i = 0; i < l->nfeeds; i++)
		same += l->feeds[i]->cluster == c && l->feeds[i]->kind == id->kind && l->feeds[i]->name.len &&
			str_eq(l->feeds[i]->ns, what.ns);
	if (same >= NAMES_BEFORE_LIST)
		what.name = STR_NONE;
	feed = feed_open(c, &what, true);
	if (feed)
		feed->quiet = u->quiet;
	u->opened += feed != NULL;
}

/* An object that may be needed to judge another, and of which nothing is known. */
static void look_up_target(struct lookup *u, const struct edge *e)
{
	struct store *store = u->l->o.world->store;
	struct object_id id = store_node_id(store, e->target);
	enum coverage known = store_name_coverage(store, &id);

	if (e->flags & (REF_TELLS | REF_IF_FOUND | REF_HIDDEN))
		return;
	if (store_node_handle(store, e->target).slot || known != COVERAGE_NONE)
		return;
	known = store_coverage(store, id.cluster, id.kind, id.ns);
	if (known == COVERAGE_NONE)
		look_up(u, &id);
}

/* A namespace that goes says what is left in it: "widgets.example.com has 2 resource instances". */
static void look_up_remaining(struct lookup *u, struct handle h, struct arena *arena)
{
	struct world *w = u->l->o.world;
	struct object_id id = store_node_id(w->store, h.slot);
	struct status st = store_status(w->store, h, arena);

	for (size_t i = 0; str_is(id.kind->kind, "Namespace") && i < st.nconditions; i++) {
		struct str rest = st.conditions[i].message, word, before = STR_NONE;

		while (str_split(&rest, ' ', &word)) {
			for (uint32_t k = 0; str_is(word, "has") && k < w->kinds.count; k++) {
				const struct kind *kind = w->kinds.all[k];
				size_t dot = str_find(before, '.');

				if (str_eq(kind->plural, str_head(before, dot)) &&
				    str_eq(kind->group, str_from(before, dot + 1)))
					look_up(u, &(struct object_id){ id.cluster, kind, id.name, STR_NONE });
			}
			before = word;
		}
	}
}

static void look_up_contents(struct lookup *u, uint16_t cluster, struct str ns)
{
	static const char *const kinds[][2] = { { "", "Pod" }, { "apps", "StatefulSet" }, { "batch", "Job" } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct kind *kind = served(u->l, kinds[i][0], kinds[i][1]);
		struct object_id id = { cluster, kind, ns, STR_NONE };

		if (kind)
			look_up(u, &id);
	}
}

/* Who might still hold a deleting object: the kinds that its finalizers speak for. */
static void look_up_holders(struct lookup *u, struct handle h, struct arena *arena)
{
	struct world *w = u->l->o.world;
	struct item item;

	if (!graph_item(w->graph, h, arena, &item) || !item.deletion)
		return;
	for (size_t i = 0; i < item.deletion->nfinalizers; i++) {
		struct object_id id = { store_node_id(w->store, h.slot).cluster,
					kinds_find(&w->kinds, item.s.id.group, item.deletion->finalizers[i].held_for),
					item.s.id.ns, STR_NONE };

		if (id.kind && item.deletion->finalizers[i].held_for.len)
			look_up(u, &id);
	}
}

/* The pods tell why a controller does not run. */
static void look_up_pods(struct lookup *u, uint16_t cluster, struct str ns)
{
	static const char *const kinds[][2] = { { "apps", "ReplicaSet" }, { "", "Pod" } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct kind *kind = served(u->l, kinds[i][0], kinds[i][1]);

		if (kind)
			look_up(u, &(struct object_id){ cluster, kind, ns, STR_NONE });
	}
}

/*
 * Does the controller of what gets nowhere run?  Definitions lead to it, too,
 * but are asked for only when it takes too long.
 */
static void look_up_controllers(struct lookup *u, struct handle h, struct arena *arena)
{
	struct world *w = u->l->o.world;
	uint16_t cluster = store_node_id(w->store, h.slot).cluster;
	const struct controller *all;
	struct summary s;
	size_t n;

	if (!graph_summary(w->graph, h, &s) || (!phase_under_way(s.phase) && s.phase != PHASE_DELETING))
		return;
	all = graph_controllers(w->graph, h, arena, &n);
	u->quiet = true;
	for (size_t i = 0; i < n; i++) {
		struct object_id id = { cluster, kinds_find(&w->kinds, all[i].id.group, all[i].id.kind), all[i].id.ns,
					all[i].id.name };

		if (all[i].id.handle.slot && all[i].workload && all[i].down)
			look_up_pods(u, cluster, id.ns);
		else if (!all[i].id.handle.slot && id.kind && store_name_coverage(w->store, &id) == COVERAGE_NONE &&
			 (all[i].workload || s.severity >= SEVERITY_WARNING) &&
			 store_coverage(w->store, cluster, id.kind, id.ns) == COVERAGE_NONE)
			look_up(u, &id);
	}
	u->quiet = false;
}

/* What has just begun is silent for good reason. */
static bool is_silent(struct lookup *u, struct handle h)
{
	struct live *l = u->l;
	struct summary s;
	int64_t since;

	if (!graph_wants_events(l->o.world->graph, h) || !graph_summary(l->o.world->graph, h, &s))
		return false;
	since = s.since ? s.since : store_meta(l->o.world->store, h).created;
	if (s.severity >= SEVERITY_WARNING || clock_now() - since >= SILENT)
		return true;
	if (!l->look_again || since + SILENT < l->look_again)
		l->look_again = since + SILENT;
	return false;
}

static void look_up_events(struct lookup *u, struct handle h)
{
	struct live *l = u->l;
	struct object_meta meta = store_meta(l->o.world->store, h);
	struct cluster *c = &l->clusters[meta.id.cluster];
	struct subscribe what = { .kind = served(l, "", "Event"), .ns = meta.id.ns, .once = l->o.once };
	bool silent = is_silent(u, h);
	struct feed *feed;
	size_t namespaces = 0;

	if (!what.kind || (!silent && !(meta.deleting && meta.family->deletion_events)) ||
	    neighbour_feeds(l) >= NEIGHBOUR_FEEDS)
		return;
	for (size_t i = 0; i < l->nfeeds; i++) {
		const struct feed *f = l->feeds[i];

		if (f->cluster == c && f->kind == what.kind && str_eq(f->ns, what.ns))
			return;
		namespaces += f->kind == what.kind;
	}
	if (namespaces >= EVENT_NAMESPACES)
		return;
	if (!silent)
		what.field_selector = str_of(meta.family->deletion_events);
	feed = feed_open(c, &what, true);
	if (feed)
		feed->quiet = silent;
	u->opened += feed != NULL;
}

static void look_around(struct lookup *u, struct handle h, struct arena *arena)
{
	struct store *store = u->l->o.world->store;

	for (size_t i = 0; i < store_edge_count(store, h.slot); i++) {
		struct edge e = store_edge(store, h.slot, i);

		look_up_target(u, &e);
		if (e.flags & REF_CONTENTS && e.target == h.slot)
			look_up_remaining(u, h, arena);
		else if (e.flags & REF_CONTENTS)
			look_up_contents(u, store_node_id(store, h.slot).cluster, store_node_id(store, e.target).name);
	}
	look_up_holders(u, h, arena);
	look_up_controllers(u, h, arena);
	look_up_events(u, h);
	arena_reset(arena);
}

/* What is well need not be explained, unless it is looked at closely. */
static bool is_interesting(const struct live *l, struct handle h, bool few)
{
	struct summary s;

	if (!graph_summary(l->o.world->graph, h, &s))
		return false;
	if (s.phase != PHASE_READY || store_meta(l->o.world->store, h).family->judged_by_neighbours)
		return true;
	return few && query_selects(l->o.query, l->o.world, h);
}

size_t plan_neighbours(struct live *l)
{
	struct lookup u = { l, 0, false };
	struct arena arena = { 0 };
	bool few = store_count(l->o.world->store) <= 200;

	if (l->rounds >= ROUNDS || l->o.options->format == FORMAT_NAME)
		return 0;
	l->look_again = 0;
	for (struct handle h = store_next(l->o.world->store, 0); h.slot;
	     h = store_next(l->o.world->store, h.slot + 1))
		if (is_interesting(l, h, few))
			look_around(&u, h, &arena);
	arena_release(&arena);
	if (u.opened && l->o.once)
		l->rounds++;
	return u.opened;
}

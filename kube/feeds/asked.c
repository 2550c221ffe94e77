/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which lists and watches answer the query, and requests no others. */
#include "kube/feeds/feeds_private.h"

#include "kube/base/assert.h"

/* From that many names of one kind on, one list of the kind costs less. */
#define NAMES_BEFORE_LIST 6
/*
 * Where all namespaces may not be listed: that many single namespaces are tried, and that many are read when one of
 * them may be read.
 */
#define PROBES 4
#define NAMESPACES 50

struct str scope_of(const struct kind *kind, struct str ns)
{
	return kind->flags & KIND_NAMESPACED ? ns : STR_NONE;
}

const struct kind *served_kind(const struct feeds *o, const char *group, const char *name)
{
	const struct kind *kind = kinds_find(o->o.kinds, str_of(group), str_of(name));

	return kind && (kind->flags & KIND_DISCOVERED) && (kind->flags & KIND_LIST) ? kind : NULL;
}

/* The query asks for a feed, which is opened unless it is open. */
static struct feed *ask_for(struct cluster *c, const struct subscribe *what, unsigned asked)
{
	struct feed *f = feed_covering(c, what);

	/* A list that a lookup has opened may lack fields that the query needs. */
	if (!f)
		return feed_open(c, what, asked);
	assert(f->asked || c->lookups > 0);
	if (!f->asked)
		c->lookups--;
	f->asked |= asked;
	f->round = c->feeds->round;
	feed_rank(f);
	return f;
}

/* Opens the feeds of a selection: one for each namespace of the query.  quiet: that it may not be read is no news. */
static void open_selection(struct cluster *c, const struct selection *s, unsigned asked, bool quiet)
{
	const struct feeds_query *q = &c->feeds->query;
	struct str rest = scope_of(s->kind, s->ns.len ? s->ns : q->ns);
	struct subscribe what = {
		.kind = s->kind,
		.name = s->name,
		/* the version is the server's choice, unless the query names one */
		.version = str_eq(s->version, s->kind->version) ? STR_NONE : s->version,
		.label_selector = asked == ASKED_QUERY ? q->labels : STR_NONE,
		.field_selector = asked == ASKED_QUERY ? q->fields : STR_NONE,
		/* the content is not read */
		.metadata_only = kind_is_secret(s->kind),
	};

	if (!(s->kind->flags & KIND_LIST) || c->feeds->o.api->lacks(c->session, s->kind))
		return;
	do {
		struct feed *f;

		what.ns = rest;
		str_split(&rest, ',', &what.ns);
		f = ask_for(c, &what, asked);
		if (quiet && f->asked == ASKED_PARTS)
			f->without_notice = true;
	} while (rest.len);
}

static void open_kind(struct cluster *c, const struct kind *kind, unsigned asked, bool quiet)
{
	open_selection(c, &(struct selection){ .kind = kind, .version = STR_NONE, .name = STR_NONE, .ns = STR_NONE }, asked, quiet);
}

/* The parts of a workload are found by listing them, because they name the workload, and not the other way round. */
static void open_parts(struct cluster *c, const struct kind *kind)
{
	static const struct {
		const char *group, *kind, *part_group, *part;
		bool quiet;	/* it is no part: what has to be known of all of them, and is no news where it may not be read */
	} parts[] = {
		{ "apps", "Deployment", "apps", "ReplicaSet", false },
		{ "apps", "Deployment", "", "Pod", false },
		{ "apps", "ReplicaSet", "", "Pod", false },
		{ "apps", "StatefulSet", "", "Pod", false },
		{ "apps", "DaemonSet", "", "Pod", false },
		{ "batch", "Job", "", "Pod", false },
		{ "batch", "CronJob", "batch", "Job", false },
		{ "batch", "CronJob", "", "Pod", false },
		{ "", "Service", "discovery.k8s.io", "EndpointSlice", false },
		{ "", "Service", "apps", "Deployment", true },
		{ "", "Service", "apps", "StatefulSet", true },
		{ "", "Service", "apps", "DaemonSet", true },
		{ "apps", "Deployment", "", "Service", true },
		{ "apps", "StatefulSet", "", "Service", true },
		{ "apps", "DaemonSet", "", "Service", true },
		{ "networking.k8s.io", "Ingress", "", "Service", true },
		{ "networking.k8s.io", "Ingress", "discovery.k8s.io", "EndpointSlice", true },
		{ "", "PersistentVolumeClaim", "", "Pod", true },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct kind *part = served_kind(c->feeds, parts[i].part_group, parts[i].part);

		if (part && str_is(kind->group, parts[i].group) && str_is(kind->kind, parts[i].kind) &&
		    (c->feeds->query.pods_of_claims || !str_is(kind->kind, "PersistentVolumeClaim")))
			open_kind(c, part, ASKED_PARTS, parts[i].quiet);
	}
}

static size_t times_named(const struct feeds_query *q, const struct kind *kind)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++)
		n += q->what[i].kind == kind;
	return n;
}

/* When several clusters are queried, one of them may not know the type. */
static void report_lacking(struct cluster *c, const struct kind *kind)
{
	const struct feeds *o = c->feeds;
	struct buf text = { 0 };

	if (!o->o.api->lacks(c->session, kind))
		return;
	buf_printf(&text, STR_FMT ": the server doesn't have a resource type \"" STR_FMT "\"", STR_ARG(c->context),
		   STR_ARG(kind->plural));
	o->o.ops->notice(o->o.ctx, "unavailable", kind->plural, STR_NONE, buf_str(&text));
	buf_release(&text);
}

static void open_named(struct cluster *c)
{
	const struct feeds_query *q = &c->feeds->query;

	for (size_t i = 0; i < q->n; i++)
		report_lacking(c, q->what[i].kind);
	for (size_t i = 0; i < q->n; i++) {
		struct selection one = q->what[i];

		if (times_named(q, one.kind) >= NAMES_BEFORE_LIST)
			one.name = STR_NONE;
		open_selection(c, &one, ASKED_QUERY, false);
	}
	for (size_t i = 0; i < q->n && !q->names_only; i++)
		open_parts(c, q->what[i].kind);
}

static bool is_shown(const struct feeds *o, const struct kind *k)
{
	unsigned needed = KIND_DISCOVERED | KIND_LIST | KIND_WATCH;

	return (k->flags & needed) == needed && o->o.ops->shows(k);
}

static void open_everything(struct cluster *c)
{
	const struct feeds *o = c->feeds;
	const struct kind *slices = served_kind(o, "discovery.k8s.io", "EndpointSlice");
	bool all = o->query.ns.len == 0;

	/* EndpointSlices have no status; but only they tell whether a Service has endpoints.  Hundreds of kinds may follow. */
	if (slices)
		open_kind(c, slices, ASKED_PARTS, false);
	for (uint32_t i = 0; i < o->o.kinds->count; i++) {
		const struct kind *kind = o->o.kinds->all[i];

		bool own = kind->flags & (KIND_NAMESPACED | KIND_CUSTOM);

		/* Kubernetes' own kinds without a namespace only concern who looks at all namespaces */
		if (is_shown(o, kind) && (all || own))
			open_kind(c, kind, own && (all || kind->flags & KIND_NAMESPACED) ? ASKED_QUERY : ASKED_PARTS, false);
	}
}

void query_open(struct feeds *o, struct cluster *c)
{
	if (o->query.n)
		open_named(c);
	else
		open_everything(c);
}

/* ---- the namespace of the query -------------------------------------------- */

static bool asks_for_namespaced(const struct feeds_query *q)
{
	bool namespaced = q->n == 0;

	for (size_t i = 0; i < q->n; i++)
		namespaced |= (q->what[i].kind->flags & KIND_NAMESPACED) != 0;
	return namespaced;
}

static bool has_found(const struct feeds *o, uint16_t cluster, struct str ns)
{
	const struct store *store = o->o.store;

	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1)) {
		struct object_id id = store_node_id(store, h.slot);

		if (id.cluster == cluster && str_eq(id.ns, ns) && o->o.ops->selects(o->o.ctx, h))
			return true;
	}
	return false;
}

/* The namespace "default" always exists: the API server makes it, and refuses to delete it (admission plugin NamespaceLifecycle). */
static void look_for_namespace(struct feeds *o, const struct kind *kind, struct str ns)
{
	struct subscribe what = { .kind = kind, .name = ns };

	for (size_t i = 0; i < o->o.clusters && !str_is(ns, "default"); i++) {
		struct cluster *c = &o->clusters[i];
		bool known;

		if (!c->discovered || o->o.api->lacks(c->session, what.kind) || has_found(o, c->index, ns))
			continue;
		known = feed_covering(c, &what) != NULL;
		ask_for(c, &what, ASKED_NAMESPACE)->without_notice |= !known;
	}
}

/*
 * Lists of a mistyped namespace are as empty as those of one in which there is nothing; only the Namespace object tells
 * which it is.  That it may not be read is no news for somebody who has not asked for it.
 */
void query_look_for_namespaces(struct feeds *o)
{
	const struct kind *kind = served_kind(o, "", "Namespace");
	struct str rest = o->query.ns, ns;

	while (kind && asks_for_namespaced(&o->query) && str_split(&rest, ',', &ns))
		look_for_namespace(o, kind, ns);
}

/* ---- less than all namespaces ---------------------------------------------- */

/* Asks for the list of one namespace instead; one that is read for the query before need not be read again. */
static void narrow_to(struct feed *f, struct str ns)
{
	struct subscribe what = f->what;
	struct feed *one;

	what.ns = ns;
	one = feed_covering(f->cluster, &what);
	if (one && one->asked & f->asked)
		return;
	one = ask_for(f->cluster, &what, f->asked);
	one->narrowed = f;
	f->probed++;
	if (one->done && !one->why) {
		f->readable++;
		query_narrowed(one);
	}
}

/* Finds namespaces in objects that may be read, as many as are still wanted. */
static void narrow_further(struct feed *f)
{
	struct feeds *o = f->cluster->feeds;
	const struct kind *namespaces = served_kind(o, "", "Namespace");
	const uint32_t *slots;
	size_t n;

	if (!namespaces)
		return;
	slots = store_in_namespace(o->o.store, f->cluster->index, STR_NONE, &n);
	for (size_t i = 0; i < n && f->probed < f->probes; i++) {
		struct object_id id = store_node_id(o->o.store, slots[i]);

		if (id.kind == namespaces)
			narrow_to(f, id.name);
	}
}

/* Kinds that the query does not name are not tried: they follow the namespaces that may be read. */
void query_narrow(struct feed *f)
{
	struct str rest = f->cluster->default_ns, ns;

	if (f->what.ns.len || f->what.name.len || !(f->what.kind->flags & KIND_NAMESPACED) || !f->asked)
		return;
	f->probes = f->asked & ASKED_QUERY ? PROBES : 1;
	while (str_split(&rest, ',', &ns))
		narrow_to(f, ns);
	narrow_further(f);
}

void query_narrowed(struct feed *f)
{
	struct feed *all = f->narrowed;
	struct feeds *o = f->cluster->feeds;

	if (all->readable == 0)
		return;
	if (all->probes < NAMESPACES) {
		all->probes = NAMESPACES;
		narrow_further(all);
	}
	if (!(all->asked & ASKED_QUERY) || f->forbidden)
		return;
	for (size_t i = 0; i < o->nfeeds; i++) {
		struct feed *part = o->feeds[i];

		if (part->cluster == f->cluster && part->asked == ASKED_PARTS && part->forbidden &&
		    part->what.ns.len == 0 && part->what.name.len == 0 && (part->what.kind->flags & KIND_NAMESPACED))
			narrow_to(part, f->what.ns);
	}
}

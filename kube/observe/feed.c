/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds: opened, shared, closed with the last who asks; what they tell goes into the store. */
#include "kube/observe/observe_private.h"

#include "kube/base/alloc.h"

#include <assert.h>
#include <string.h>

static struct str pointer_key(const void *const *ptr)
{
	return (struct str){ (const char *)ptr, sizeof(*ptr) };
}

static struct feed *feed_of(const struct cluster *c, const struct subscription *sub)
{
	const void *key = sub;

	return map_get(&c->observe->by_sub, pointer_key(&key));
}

/* A selector left objects out. */
static bool is_partial(const struct feed *f)
{
	return f->what.label_selector.len || f->what.field_selector.len;
}

static struct object_id feed_id(const struct feed *f)
{
	return (struct object_id){ f->cluster->index, f->what.kind, f->what.ns, f->what.name };
}

/* ---- groups: the feeds of one kind in one namespace ----------------------- */

static struct str group_key(const struct kind *kind, struct str ns, struct buf *key)
{
	buf_add(key, (struct str){ (const char *)&kind->id, sizeof(kind->id) });
	buf_add(key, ns);
	return buf_str(key);
}

struct group *group_find(const struct cluster *c, const struct kind *kind, struct str ns)
{
	struct buf key = { 0 };
	struct group *g = map_get(&c->groups, group_key(kind, ns, &key));

	buf_release(&key);
	return g;
}

static void group_enter(struct feed *f)
{
	struct group *g = group_find(f->cluster, f->what.kind, f->what.ns);
	struct buf key = { 0 };

	if (!g) {
		g = xcalloc(1, sizeof(*g));
		map_set(&f->cluster->groups, group_key(f->what.kind, f->what.ns, &key), g);
		buf_release(&key);
	}
	if (f->what.name.len == 0) {
		assert(!g->list);
		g->list = f;
		return;
	}
	if (g->n == g->cap) {
		g->cap = g->cap ? g->cap * 2 : 4;
		g->named = xreallocarray(g->named, g->cap, sizeof(*g->named));
	}
	g->named[g->n++] = f;
}

static void group_leave(struct feed *f)
{
	struct group *g = group_find(f->cluster, f->what.kind, f->what.ns);
	struct buf key = { 0 };

	if (g->list == f)
		g->list = NULL;
	for (size_t i = 0; i < g->n; i++)
		if (g->named[i] == f)
			g->named[i] = g->named[--g->n];
	if (g->list || g->n)
		return;
	map_remove(&f->cluster->groups, group_key(f->what.kind, f->what.ns, &key));
	buf_release(&key);
	xfree(g->named);
	xfree(g);
}

static struct feed *named_feed(const struct group *g, struct str name)
{
	for (size_t i = 0; g && i < g->n; i++)
		if (str_eq(g->named[i]->what.name, name))
			return g->named[i];
	return NULL;
}

struct feed *feed_named(const struct cluster *c, const struct kind *kind, struct str ns, struct str name)
{
	return named_feed(group_find(c, kind, ns), name);
}

/* A list that has all there is of the kind in that namespace. */
static struct feed *whole_list(const struct cluster *c, const struct kind *kind, struct str ns)
{
	const struct group *here = group_find(c, kind, ns);
	const struct group *all = ns.len ? group_find(c, kind, STR_NONE) : NULL;

	if (here && here->list && !is_partial(here->list) && !here->list->forbidden)
		return here->list;
	if (all && all->list && !is_partial(all->list) && !all->list->forbidden)
		return all->list;
	return NULL;
}

struct feed *feed_covering(const struct cluster *c, const struct kind *kind, struct str ns, struct str name)
{
	const struct group *g = group_find(c, kind, ns);
	struct feed *list = whole_list(c, kind, ns), *named;

	if (name.len == 0)
		return list ? list : g ? g->list : NULL;
	if (list && list->done)
		return list;
	named = named_feed(g, name);
	return named ? named : list;
}

struct feed *feed_refused(const struct cluster *c, const struct kind *kind, struct str ns)
{
	const struct group *here = group_find(c, kind, ns);
	const struct group *all = ns.len ? group_find(c, kind, STR_NONE) : NULL;

	if (here && here->list && here->list->forbidden)
		return here->list;
	return all && all->list && all->list->forbidden ? all->list : NULL;
}

/* ---- urgency --------------------------------------------------------------- */

static enum urgency urgency_of(const struct feed *f)
{
	const struct observe *o = f->cluster->observe;
	uint32_t kind = f->what.kind->id;

	if ((f->asked & ASKED_KINDS) || (kind < o->non_screen && o->on_screen[kind]))
		return URGENCY_ON_SCREEN;
	if (!f->asked)
		return URGENCY_NEIGHBOUR;
	if (f->seen)
		return URGENCY_LISTED;
	return f->asked & ASKED_QUERY ? URGENCY_ASKED : URGENCY_PART;
}

void feed_rank(struct feed *f)
{
	f->cluster->observe->o.api->urgency(f->sub, urgency_of(f));
}

void observe_on_screen(struct observe *o, const struct handle *objects, size_t n)
{
	size_t kinds = o->o.kinds->count + 1;
	uint8_t *now = xcalloc(kinds, 1), *before = o->on_screen;
	bool same;

	for (size_t i = 0; i < n; i++)
		if (objects[i].slot && store_knows(o->o.store, objects[i]))
			now[store_node_id(o->o.store, objects[i].slot).kind->id] = 1;
	same = kinds == o->non_screen && memcmp(now, before, kinds) == 0;
	o->on_screen = now;
	o->non_screen = kinds;
	xfree(before);
	for (size_t i = 0; i < o->nfeeds && !same; i++)
		feed_rank(o->feeds[i]);
}

/* ---- open and close -------------------------------------------------------- */

struct feed *feed_open(struct cluster *c, const struct subscribe *what, unsigned asked)
{
	struct observe *o = c->observe;
	struct feed *f = xcalloc(1, sizeof(*f));
	const void *key;

	if (o->nfeeds == o->feeds_cap) {
		o->feeds_cap = o->feeds_cap ? o->feeds_cap * 2 : 32;
		o->feeds = xreallocarray(o->feeds, o->feeds_cap, sizeof(*o->feeds));
	}
	f->at = o->nfeeds;
	o->feeds[o->nfeeds++] = f;
	o->undone++;
	f->cluster = c;
	f->asked = asked;
	f->round = o->round;
	f->what = *what;
	f->what.ns = arena_str(&f->arena, what->ns);
	f->what.name = arena_str(&f->arena, what->name);
	f->what.version = arena_str(&f->arena, what->version);
	f->what.label_selector = arena_str(&f->arena, what->label_selector);
	f->what.field_selector = arena_str(&f->arena, what->field_selector);
	f->what.once = o->o.once;
	c->lookups += asked == 0;
	group_enter(f);
	f->sub = o->o.api->subscribe(c->session, &f->what);
	key = f->sub;
	map_set(&o->by_sub, pointer_key(&key), f);
	feed_rank(f);
	return f;
}

static bool is_needed(const struct feed *f)
{
	return f->asked || f->waiters;
}

static void note_idle(struct feed *f)
{
	struct observe *o = f->cluster->observe;

	if (is_needed(f))
		return;
	if (o->nidle == o->idle_cap) {
		o->idle_cap = o->idle_cap ? o->idle_cap * 2 : 16;
		o->idle = xreallocarray(o->idle, o->idle_cap, sizeof(*o->idle));
	}
	o->idle[o->nidle++] = f;
}

void feed_release(struct feed *f)
{
	assert(f->waiters > 0);
	f->waiters--;
	note_idle(f);
}

void feed_unask(struct feed *f, unsigned asked)
{
	bool was = f->asked != 0;

	f->asked &= ~asked;
	f->cluster->lookups += was && !f->asked;
	feed_rank(f);
	note_idle(f);
}

static void set_done(struct feed *f)
{
	assert(f->done || f->cluster->observe->undone > 0);
	if (!f->done)
		f->cluster->observe->undone--;
	f->done = true;
}

/* Another feed has that object, or may have it. */
static bool is_covered(const struct cluster *c, const struct object_id *id)
{
	const struct group *here = group_find(c, id->kind, id->ns);
	const struct group *all = id->ns.len ? group_find(c, id->kind, STR_NONE) : NULL;

	return named_feed(here, id->name) || (here && here->list && !here->list->forbidden) ||
	       (all && all->list && !all->list->forbidden);
}

/* What only this feed brought is no longer kept up to date, so it is not kept. */
static void drop_objects(struct feed *f)
{
	struct store *store = f->cluster->observe->o.store;
	struct object_id id = feed_id(f);
	const uint32_t *slots;
	size_t n;

	if (f->what.name.len) {
		store_set_name_coverage(store, &id, COVERAGE_NONE);
		if (!is_covered(f->cluster, &id))
			store_remove(store, store_find(store, &id));
		return;
	}
	store_set_coverage(store, id.cluster, id.kind, id.ns, COVERAGE_NONE);
	if (id.ns.len || !(id.kind->flags & KIND_NAMESPACED)) {
		slots = store_in_namespace(store, id.cluster, id.ns, &n);
		while (n--) {
			struct object_id one = store_node_id(store, slots[n]);

			if (one.kind == id.kind && !is_covered(f->cluster, &one))
				store_remove(store, store_node_handle(store, slots[n]));
		}
		return;
	}
	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1)) {
		struct object_id one = store_node_id(store, h.slot);

		if (one.kind == id.kind && one.cluster == id.cluster && !is_covered(f->cluster, &one))
			store_remove(store, h);
	}
}

static void close_feed(struct feed *f)
{
	struct cluster *c = f->cluster;
	struct observe *o = c->observe;
	const void *key = f->sub;

	assert(!is_needed(f) && c->lookups > 0 && o->feeds[f->at] == f);
	o->o.api->unsubscribe(f->sub);
	map_remove(&o->by_sub, pointer_key(&key));
	group_leave(f);
	set_done(f);
	drop_objects(f);
	c->lookups--;
	o->feeds[f->at] = o->feeds[--o->nfeeds];
	o->feeds[f->at]->at = f->at;
	for (size_t i = 0; f->probed && i < o->nfeeds; i++)
		if (o->feeds[i]->narrowed == f)
			o->feeds[i]->narrowed = NULL;
	xfree(f->waiting.all);
	xfree(f->why);
	arena_release(&f->arena);
	xfree(f);
}

void feeds_close_idle(struct observe *o)
{
	size_t closed = 0;

	for (size_t i = 0; i < o->nidle; i++) {
		struct feed *f = o->idle[i];

		if (is_needed(f))
			continue;
		for (size_t k = i + 1; k < o->nidle; k++)
			if (o->idle[k] == f)
				o->idle[k--] = o->idle[--o->nidle];
		close_feed(f);
		closed++;
	}
	o->nidle = 0;
	if (closed)
		lookup_queue_refused(o);
}

/* ---- objects ---------------------------------------------------------------- */

static void count_selected(const struct feed *f, enum change change)
{
	struct observe *o = f->cluster->observe;

	if (!(f->asked & ASKED_QUERY))
		return;
	if (change == CHANGE_ADDED)
		o->selected++;
	else if (change == CHANGE_REMOVED && o->selected)
		o->selected--;
}

/* Of an object that is asked for in full by its name this feed knows less. */
static bool knows_less(const struct feed *f, struct json object)
{
	const struct feed *other;

	if (!f->what.metadata_only || f->what.name.len)
		return false;
	other = named_feed(group_find(f->cluster, f->what.kind, json_str(object, "metadata.namespace")),
			   json_str(object, "metadata.name"));
	return other && !other->what.metadata_only;
}

static void feed_notice(struct feed *f, const char *kind, const struct err *why)
{
	const struct observe *o = f->cluster->observe;
	const struct kind *k = f->what.kind;
	struct buf resource = { 0 };

	if (f->quiet)
		return;
	buf_printf(&resource, STR_FMT "%s" STR_FMT, STR_ARG(k->plural), k->group.len ? "." : "", STR_ARG(k->group));
	o->o.ops->notice(o->o.ctx, kind, buf_str(&resource), f->what.ns, str_of(why ? why->msg : ""));
	buf_release(&resource);
}

static void report_odd(struct feed *f)
{
	struct err why = { 0 };

	err_set(&why, ERR_PROTO, "%zu item%s of the server's answer %s without a name, or no object at all, and %s not shown", f->odd,
		f->odd == 1 ? "" : "s", f->odd == 1 ? "is" : "are", f->odd == 1 ? "is" : "are");
	feed_notice(f, "unreadable", &why);
}

/* An item that is no object, or has no name, is nothing that could be shown; a watch's are told with the first. */
static void note_odd(struct feed *f, enum object_event event)
{
	if (f->odd++ == 0 && event != OBJECT_LISTED)
		report_odd(f);
}

static enum change put_object(struct feed *f, enum object_event event, struct json object)
{
	struct observe *o = f->cluster->observe;
	struct engine_source from = { .cluster = f->cluster->index, .kind = f->what.kind };
	struct handle h;
	enum change change;

	if (knows_less(f, object))
		return CHANGE_NONE;
	change = engine_put(o->o.engine, &from, object, judged_at(o), &h);
	if (!h.slot) {
		note_odd(f, event);
		return CHANGE_NONE;
	}
	if (o->o.ops->seen)
		o->o.ops->seen(o->o.ctx, h, object);
	if (o->o.ops->touched && event != OBJECT_LISTED)
		o->o.ops->touched(o->o.ctx, h);
	/* whoever records it may compare what is not kept here; a Lease only tells that its holder lives */
	if (change != CHANGE_NONE || event == OBJECT_ADDED ||
	    (event == OBJECT_MODIFIED && !str_is(f->what.kind->kind, "Lease")))
		o->o.ops->event(o->o.ctx, change == CHANGE_UPDATED ? CHANGE_UPDATED : CHANGE_ADDED, f->cluster->index,
				f->what.kind, object);
	return change;
}

static enum change remove_object(struct feed *f, struct json object)
{
	struct observe *o = f->cluster->observe;
	struct object_id id = { f->cluster->index, f->what.kind, json_str(object, "metadata.namespace"),
				json_str(object, "metadata.name") };
	struct handle h = store_find(o->o.store, &id);
	enum change change;

	if (o->o.ops->seen)
		o->o.ops->seen(o->o.ctx, h, JSON_NONE);
	change = store_remove(o->o.store, h);
	if (change != CHANGE_NONE)
		o->o.ops->event(o->o.ctx, CHANGE_REMOVED, f->cluster->index, f->what.kind, object);
	if (f->what.name.len)
		store_set_name_coverage(o->o.store, &id, COVERAGE_COMPLETE);
	return change;
}

static void on_object(void *ctx, struct subscription *sub, enum object_event event, struct json object,
		      struct str raw)
{
	struct cluster *c = ctx;
	struct feed *f = feed_of(c, sub);
	enum change change;

	(void)raw;
	if (!f)
		return;
	if (!f->seen) {
		f->seen = true;
		feed_rank(f);
	}
	c->observe->objects++;
	c->observe->last_event = judged_at(c->observe);
	change = event == OBJECT_DELETED ? remove_object(f, object) : put_object(f, event, object);
	count_selected(f, change);
	if (f->controls && change != CHANGE_NONE)
		lookup_queue_waiters(f);
	if ((f->asked & ASKED_KINDS) && event != OBJECT_LISTED)
		definitions_changed(c);
}

/* ---- lists ------------------------------------------------------------------- */

static void list_begin(struct feed *f)
{
	f->seen = false;
	f->odd = 0;
	if (f->what.name.len == 0)
		store_list_begin(f->cluster->observe->o.store, f->cluster->index, f->what.kind, f->what.ns);
}

static void on_list_begin(void *ctx, struct subscription *sub)
{
	struct feed *f = feed_of(ctx, sub);

	if (f)
		list_begin(f);
}

static void on_vanished(void *ctx, struct handle h)
{
	const struct feed *f = ctx;
	struct observe *o = f->cluster->observe;
	struct object_id id = store_node_id(o->o.store, h.slot);

	count_selected(f, CHANGE_REMOVED);
	if (o->o.ops->seen)
		o->o.ops->seen(o->o.ctx, h, JSON_NONE);
	o->o.ops->vanished(o->o.ctx, &id);
}

static void end_named(struct feed *f)
{
	struct store *store = f->cluster->observe->o.store;
	struct object_id id = feed_id(f);

	if (f->seen)
		return;
	if (store_remove(store, store_find(store, &id)) == CHANGE_REMOVED)
		count_selected(f, CHANGE_REMOVED);
	store_set_name_coverage(store, &id, COVERAGE_COMPLETE);
}

/* From now on the list covers what is asked for by name, too. */
static void look_at_named(struct feed *f)
{
	struct group *g = group_find(f->cluster, f->what.kind, f->what.ns);

	for (size_t i = 0; i < g->n; i++)
		lookup_queue_waiters(g->named[i]);
}

static void list_end(struct feed *f)
{
	struct observe *o = f->cluster->observe;
	bool first = !f->done;

	if (f->odd)
		report_odd(f);
	if (f->what.name.len) {
		end_named(f);
	} else {
		store_list_end(o->o.store, f->cluster->index, f->what.kind, f->what.ns, on_vanished, f);
		if (!is_partial(f))
			store_set_coverage(o->o.store, f->cluster->index, f->what.kind, f->what.ns,
					   COVERAGE_COMPLETE);
	}
	set_done(f);
	feed_rank(f);
	f->forbidden = false;
	if (first && f->what.name.len == 0)
		look_at_named(f);
	if (f->controls)
		lookup_queue_waiters(f);
	if (first && f->narrowed) {
		f->narrowed->readable++;
		query_narrowed(f);
	}
}

static void on_list_end(void *ctx, struct subscription *sub)
{
	struct feed *f = feed_of(ctx, sub);

	if (f)
		list_end(f);
}

/* ---- states ------------------------------------------------------------------- */

static void on_forbidden(struct feed *f, const struct err *why)
{
	struct store *store = f->cluster->observe->o.store;
	struct object_id id = feed_id(f);
	bool again = f->forbidden;

	f->forbidden = true;
	/* A kind whose list was refused, too, has its notice. */
	if (f->asked || !f->what.name.len ||
	    store_coverage(store, id.cluster, id.kind, id.ns) != COVERAGE_FORBIDDEN)
		feed_notice(f, "forbidden", why);
	if (f->what.name.len)
		store_set_name_coverage(store, &id, COVERAGE_FORBIDDEN);
	else
		store_set_coverage(store, f->cluster->index, f->what.kind, f->what.ns, COVERAGE_FORBIDDEN);
	/* A server that has just begun may refuse everything for a moment. */
	if (again || !f->done)
		query_narrow(f);
}

static void set_why(struct feed *f, const struct err *why)
{
	if (why && !f->why)
		f->why = xcalloc(1, sizeof(*f->why));
	if (why)
		*f->why = *why;
}

static void clear_why(struct feed *f)
{
	xfree(f->why);
	f->why = NULL;
}

/* A long wait gets a notice with its time, a short one none. */
static void report_throttled(struct feed *f, const struct err *why)
{
	enum { LONG = 5 };	/* seconds */
	const struct observe *o = f->cluster->observe;
	struct buf text = { 0 };

	if (!why || why->retry_after <= LONG)
		return;
	buf_printf(&text, "the server asks to wait %d s before the next try (Retry-After): %s",
		   why->retry_after, why->msg);
	o->o.ops->notice(o->o.ctx, "throttled", f->what.kind->plural, STR_NONE, buf_str(&text));
	buf_release(&text);
}

/* Nothing more can be said of it for now. */
static void end_for_now(struct feed *f)
{
	bool first = !f->done;

	set_done(f);
	if (first && f->narrowed)
		query_narrowed(f);
}

static bool lacks(const struct feed *f)
{
	return f->cluster->observe->o.api->lacks(f->cluster->session, f->what.kind);
}

static void on_subscription(void *ctx, struct subscription *sub, enum subscription_state state,
			    const struct err *why)
{
	struct cluster *c = ctx;
	struct feed *f = feed_of(c, sub);

	if (!f)
		return;
	set_why(f, why);
	switch (state) {
	case SUBSCRIPTION_FORBIDDEN:
		on_forbidden(f, why);
		end_for_now(f);
		break;
	case SUBSCRIPTION_NOT_SERVED:
	case SUBSCRIPTION_FAILED:
		/* no notice on a kind that the user did not name and the server does not serve */
		if (state == SUBSCRIPTION_FAILED || ((f->asked & ASKED_QUERY) && (c->observe->query.n || !lacks(f))))
			feed_notice(f, "unavailable", why);
		end_for_now(f);
		if (state == SUBSCRIPTION_NOT_SERVED && !f->gone)
			definitions_changed(c);
		break;
	case SUBSCRIPTION_LIVE:
		f->forbidden = false;
		clear_why(f);
		return;
	case SUBSCRIPTION_BACKOFF:
		report_throttled(f, why);
		return;
	case SUBSCRIPTION_IDLE:
	case SUBSCRIPTION_LISTING:
		return;
	}
	if (f->asked & ASKED_KINDS)
		definitions_refused(c);
}

static void on_session(void *ctx, struct session *s, enum session_state state, const struct err *why)
{
	const struct cluster *c = ctx;

	(void)s;
	c->observe->o.ops->session_changed(c->observe->o.ctx, c->index, state, why);
}

/* Of a kind that is not served there is nothing: its list is an empty one. */
static void follow_kind(struct feed *f)
{
	struct cluster *c = f->cluster;
	bool gone = lacks(f);

	if (gone && !f->gone) {
		list_begin(f);
		list_end(f);
	}
	f->gone = gone;
	c->lost_kinds |= gone;
}

static uint32_t served_kinds(const struct observe *o)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->o.kinds->count; i++)
		n += (o->o.kinds->all[i]->flags & KIND_DISCOVERED) != 0;
	return n;
}

static void on_discovered(void *ctx, struct session *s, const struct err *partial)
{
	struct cluster *c = ctx;
	struct observe *o = c->observe;

	(void)s;
	c->discovered = true;
	for (size_t i = 0; i < o->nfeeds; i++)
		if (o->feeds[i]->cluster == c)
			follow_kind(o->feeds[i]);
	if (o->started) {
		query_open(o, c);	/* kinds may have come */
		definitions_start(c);
		o->rescan |= served_kinds(o) != o->nserved;
	}
	o->nserved = served_kinds(o);
	o->o.ops->discovered(o->o.ctx, c->index, partial);
	if (partial)
		o->o.ops->notice(o->o.ctx, "unavailable", STR("discovery"), STR_NONE, str_of(partial->msg));
}

static void on_notice(void *ctx, struct session *s, struct str text)
{
	const struct observe *o = ((const struct cluster *)ctx)->observe;

	(void)s;
	o->o.ops->notice(o->o.ctx, "warning", STR_NONE, STR_NONE, text);
}

const struct session_ops observe_session_ops = {
	.discovered = on_discovered,
	.list_begin = on_list_begin,
	.list_end = on_list_end,
	.object = on_object,
	.subscription_changed = on_subscription,
	.session_changed = on_session,
	.notice = on_notice,
};

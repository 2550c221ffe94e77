/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds: they are opened, shared, and closed with the last that asks for them; what they report goes into the store. */
#include "kube/base/assert.h"
#include "kube/feeds/feeds_private.h"

#include "kube/base/alloc.h"

#include <string.h>

static struct str pointer_key(const void *const *ptr)
{
	return (struct str){ (const char *)ptr, sizeof(*ptr) };
}

struct feed *feed_of(const struct cluster *c, const struct subscription *sub)
{
	const void *key = sub;

	return map_get(&c->feeds->by_sub, pointer_key(&key));
}

bool feed_is_partial(const struct feed *f)
{
	return f->what.label_selector.len || f->what.field_selector.len;
}

static struct object_id feed_id(const struct feed *f)
{
	return (struct object_id){ f->cluster->index, f->what.kind, f->what.ns, f->what.name };
}

int64_t judged_at(const struct feeds *o)
{
	return o->o.as_of ? o->o.as_of : o->now;
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

/* Returns the feed for exactly this. */
static struct feed *same_feed(const struct group *g, const struct subscribe *what)
{
	for (size_t i = 0; g && i < g->n; i++) {
		const struct subscribe *other = &g->feeds[i]->what;

		if (str_eq(other->name, what->name) && str_eq(other->label_selector, what->label_selector) &&
		    str_eq(other->field_selector, what->field_selector))
			return g->feeds[i];
	}
	return NULL;
}

static void group_enter(struct feed *f)
{
	struct group *g = group_find(f->cluster, f->what.kind, f->what.ns);
	struct buf key = { 0 };

	assert_costly(!same_feed(g, &f->what));
	if (!g) {
		g = xcalloc(1, sizeof(*g));
		map_set(&f->cluster->groups, group_key(f->what.kind, f->what.ns, &key), g);
		buf_release(&key);
	}
	g->feeds = xgrow(g->feeds, g->n, &g->cap, sizeof(*g->feeds));
	g->feeds[g->n++] = f;
}

static void group_leave(struct feed *f)
{
	struct group *g = group_find(f->cluster, f->what.kind, f->what.ns);
	struct buf key = { 0 };
	size_t at = 0;

	while (at < g->n && g->feeds[at] != f)
		at++;
	assert(at < g->n);
	g->feeds[at] = g->feeds[--g->n];
	if (g->n)
		return;
	map_remove(&f->cluster->groups, group_key(f->what.kind, f->what.ns, &key));
	buf_release(&key);
	xfree(g->feeds);
	xfree(g);
}

struct feed *feed_named(const struct cluster *c, const struct kind *kind, struct str ns, struct str name)
{
	const struct group *g = group_find(c, kind, ns);

	for (size_t i = 0; g && i < g->n; i++)
		if (name.len && str_eq(g->feeds[i]->what.name, name))
			return g->feeds[i];
	return NULL;
}

/* Returns the list of a group without a selector, when it may be read. */
static struct feed *list_of_all(const struct group *g)
{
	struct feed *list = same_feed(g, &(struct subscribe){ .name = STR_NONE });

	return list && !list->forbidden ? list : NULL;
}

/* Returns a list of all objects of the kind in that namespace. */
static struct feed *whole_list(const struct cluster *c, const struct kind *kind, struct str ns)
{
	struct feed *here = list_of_all(group_find(c, kind, ns));

	return here || ns.len == 0 ? here : list_of_all(group_find(c, kind, STR_NONE));
}

struct feed *feed_covering(const struct cluster *c, const struct subscribe *what)
{
	struct feed *list = whole_list(c, what->kind, what->ns), *same;

	if (list && (list->done || what->name.len == 0))
		return list;
	same = same_feed(group_find(c, what->kind, what->ns), &(struct subscribe){
		.name = what->name,
		.label_selector = what->name.len ? STR_NONE : what->label_selector,
		.field_selector = what->name.len ? STR_NONE : what->field_selector,
	});
	return same ? same : list;
}

static struct feed *forbidden_list(const struct group *g)
{
	for (size_t i = 0; g && i < g->n; i++)
		if (g->feeds[i]->what.name.len == 0 && g->feeds[i]->forbidden)
			return g->feeds[i];
	return NULL;
}

struct feed *feed_forbidden(const struct cluster *c, const struct kind *kind, struct str ns)
{
	struct feed *here = forbidden_list(group_find(c, kind, ns));

	return here || ns.len == 0 ? here : forbidden_list(group_find(c, kind, STR_NONE));
}

/* ---- urgency --------------------------------------------------------------- */

static enum urgency urgency_of(const struct feed *f)
{
	const struct feeds *o = f->cluster->feeds;
	uint32_t kind = f->what.kind->id;

	if ((f->asked & ASKED_KINDS) || (kind < o->non_screen && o->on_screen[kind]))
		return URGENCY_ON_SCREEN;
	if (!f->asked)
		return URGENCY_NEIGHBOUR;
	if (f->has.n)
		return URGENCY_LISTED;
	return f->asked & ASKED_QUERY ? URGENCY_ASKED : URGENCY_PART;
}

void feed_rank(struct feed *f)
{
	f->cluster->feeds->o.api->urgency(f->sub, urgency_of(f));
}

void feeds_on_screen(struct feeds *o, const struct handle *objects, size_t n)
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
	struct feeds *o = c->feeds;
	struct feed *f = xcalloc(1, sizeof(*f));
	const void *key;

	o->feeds = xgrow(o->feeds, o->nfeeds, &o->feeds_cap, sizeof(*o->feeds));
	f->at = o->nfeeds;
	o->feeds[o->nfeeds++] = f;
	o->undone++;
	f->cluster = c;
	f->asked = asked;
	f->round = o->round;
	f->new_kind = o->opens_new_kinds;
	f->what = *what;
	f->what.ns = arena_str(&f->arena, what->ns);
	f->what.name = arena_str(&f->arena, what->name);
	f->what.version = arena_str(&f->arena, what->version);
	f->what.label_selector = arena_str(&f->arena, what->label_selector);
	f->what.field_selector = arena_str(&f->arena, what->field_selector);
	f->what.once = o->o.once;
	f->opened_at = o->now;
	c->lookups += asked == 0;
	group_enter(f);
	f->sub = o->o.api->subscribe(c->session, &f->what);
	assert(!feed_of(c, f->sub));
	key = f->sub;
	map_set(&o->by_sub, pointer_key(&key), f);
	feed_rank(f);
	return f;
}

/* ---- notices -------------------------------------------------------------------- */

/* the form of the name is widgets.example.org */
static struct str resource_name(const struct feed *f, struct buf *out)
{
	const struct kind *k = f->what.kind;

	buf_printf(out, STR_FMT "%s" STR_FMT, STR_ARG(k->plural), k->group.len ? "." : "", STR_ARG(k->group));
	return buf_str(out);
}

static void feed_notice(struct feed *f, const char *kind, struct str message)
{
	const struct feeds *o = f->cluster->feeds;
	struct buf resource = { 0 };

	if (!f->without_notice)
		o->o.ops->notice(o->o.ctx, kind, resource_name(f, &resource), f->what.ns, message);
	buf_release(&resource);
}

void feed_end_notice(struct feed *f)
{
	const struct feeds *o = f->cluster->feeds;
	struct buf resource = { 0 };

	if (f->told)
		o->o.ops->notice_over(o->o.ctx, f->told, resource_name(f, &resource), f->what.ns, buf_str(&f->told_text));
	f->told = NULL;
	buf_reset(&f->told_text);
	buf_release(&resource);
}

void feed_begin_notice(struct feed *f, const char *kind, struct str message)
{
	if (f->without_notice || (f->told && strcmp(f->told, kind) == 0))
		return;
	feed_end_notice(f);
	f->told = kind;
	buf_add(&f->told_text, message);
	feed_notice(f, kind, message);
}

/* ---- who asks -------------------------------------------------------------------- */

static bool is_needed(const struct feed *f)
{
	return f->asked || f->waiters;
}

static void note_idle(struct feed *f)
{
	struct feeds *o = f->cluster->feeds;

	if (is_needed(f))
		return;
	o->idle = xgrow(o->idle, o->nidle, &o->idle_cap, sizeof(*o->idle));
	o->idle[o->nidle++] = f;
}

void feed_release(struct feed *f)
{
	assert(f->waiters > 0);
	f->waiters--;
	note_idle(f);
}

bool feed_is_asked(const struct feed *f)
{
	return (f->asked & ~(unsigned)ASKED_BEFORE) != 0;
}

void feed_unask(struct feed *f, unsigned asked)
{
	bool was = f->asked != 0;

	assert(f->cluster->lookups <= f->cluster->feeds->nfeeds);
	f->asked &= ~asked;
	f->cluster->lookups += was && !f->asked;
	feed_rank(f);
	note_idle(f);
}

void feed_set_done(struct feed *f)
{
	assert(f->done || f->cluster->feeds->undone > 0);
	if (!f->done)
		f->cluster->feeds->undone--;
	f->done = true;
}

/* ---- what feeds have --------------------------------------------------------- */

/*
 * An object is in the store exactly while at least one open feed has it.  A feed has what its list names and its events
 * report, until an event says that the object is gone (deleted, or no longer selected), a later list does not name it,
 * or the feed is closed.  In each of these cases the object leaves the store only when no other feed has it.  What only
 * the answer of another feed can tell is never removed by this one: each feed reports its changes in order, and one
 * feed may be far behind another.
 */

static bool group_has(const struct group *g, uint32_t slot)
{
	for (size_t i = 0; g && i < g->n; i++)
		if (slot_set_has(&g->feeds[i]->has, slot))
			return true;
	return false;
}

static bool group_reaches(const struct group *g, uint32_t slot)
{
	for (size_t i = 0; g && i < g->n; i++)
		if (g->feeds[i]->reached && slot_set_has(&g->feeds[i]->has, slot))
			return true;
	return false;
}

bool feed_reaches(const struct feeds *o, uint32_t slot)
{
	struct object_id id = store_node_id(o->o.store, slot);
	const struct cluster *c = &o->clusters[id.cluster];

	return group_reaches(group_find(c, id.kind, id.ns), slot) ||
	       (id.ns.len && group_reaches(group_find(c, id.kind, STR_NONE), slot));
}

static bool is_had(const struct cluster *c, uint32_t slot)
{
	struct object_id id = store_node_id(c->feeds->o.store, slot);

	return group_has(group_find(c, id.kind, id.ns), slot) ||
	       (id.ns.len && group_has(group_find(c, id.kind, STR_NONE), slot));
}

/* Some servers do not know field selectors, and list other objects beside the one that was asked for by its name. */
static bool is_another(const struct feed *f, struct json object)
{
	struct str name = json_str(object, "metadata.name");

	return f->what.name.len && name.len && !str_eq(name, f->what.name);
}

static bool is_misplaced(const struct feed *f, struct json object)
{
	return !kind_fits(f->what.kind, object) || (f->what.ns.len && !str_eq(json_str(object, "metadata.namespace"), f->what.ns));
}

static void gain(struct feed *f, struct handle h)
{
	assert(store_alive(f->cluster->feeds->o.store, h));
	slot_set_add(&f->has, h.slot);
	if (f->listing)
		slot_set_add(&f->listed, h.slot);
}

/*
 * The feed does not have the object any more.  Returns the object when no other feed has it: then the caller removes it
 * from the store.
 */
static struct handle lose(struct feed *f, uint32_t slot)
{
	struct handle h = store_node_handle(f->cluster->feeds->o.store, slot);

	assert(h.slot && slot_set_has(&f->has, slot));
	slot_set_remove(&f->has, slot);
	slot_set_remove(&f->listed, slot);
	return is_had(f->cluster, slot) ? HANDLE_NONE : h;
}

/*
 * Notes in the journal whether all that the feed selects is watched.  A kind that is served only now had no objects before,
 * so that nothing was missed.
 */
static void note_watched(struct feed *f, bool is_watched)
{
	const struct feeds *o = f->cluster->feeds;
	struct object_id scope = feed_id(f);

	graph_note_watched(o->o.graph, &scope, is_watched, is_watched && f->new_kind ? o->started_at : judged_at(o));
	f->new_kind &= !is_watched;
}

void feed_set_coverage(struct feed *f, enum coverage coverage)
{
	struct store *store = f->cluster->feeds->o.store;
	struct object_id id = feed_id(f);

	if (f->what.name.len) {
		store_set_name_coverage(store, &id, coverage);
		return;
	}
	if (feed_is_partial(f) && list_of_all(group_find(f->cluster, id.kind, id.ns)))
		return;
	note_watched(f, coverage == COVERAGE_COMPLETE);
	if (feed_is_partial(f) && coverage == COVERAGE_COMPLETE)
		coverage = COVERAGE_NONE;
	store_set_coverage(store, id.cluster, id.kind, id.ns, coverage);
}

void feed_let_go(struct feed *f)
{
	const struct feeds_options *o = &f->cluster->feeds->o;
	uint32_t slot;

	feed_set_coverage(f, COVERAGE_NONE);
	while ((slot = slot_set_next(&f->has, 1)) != 0) {
		struct handle h = lose(f, slot);

		store_let_go(o->store, h);
		if (h.slot && o->ops->seen)
			o->ops->seen(o->ctx, h, JSON_NONE);
	}
	assert(f->has.n == 0 && f->listed.n == 0);
}

void feed_free(struct feed *f)
{
	slot_set_release(&f->has);
	slot_set_release(&f->listed);
	xfree(f->waiting.all);
	xfree(f->why);
	buf_release(&f->told_text);
	arena_release(&f->arena);
	xfree(f);
}

static void close_feed(struct feed *f)
{
	struct cluster *c = f->cluster;
	struct feeds *o = c->feeds;
	const void *key = f->sub;

	feed_end_notice(f);
	assert(!is_needed(f) && c->lookups > 0 && o->feeds[f->at] == f);
	o->o.api->unsubscribe(f->sub);
	assert(feed_of(c, f->sub) == f);
	map_remove(&o->by_sub, pointer_key(&key));
	group_leave(f);
	feed_set_done(f);
	feed_let_go(f);
	c->lookups--;
	o->feeds[f->at] = o->feeds[--o->nfeeds];
	o->feeds[f->at]->at = f->at;
	for (size_t i = 0; f->probed && i < o->nfeeds; i++)
		if (o->feeds[i]->narrowed == f)
			o->feeds[i]->narrowed = NULL;
	feed_free(f);
}

size_t feeds_close_idle(struct feeds *o)
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
	return closed;
}

/* ---- objects ---------------------------------------------------------------- */

/* Another feed reads this object in full by its name, so this feed knows less of it. */
static bool knows_less(const struct feed *f, struct json object, struct handle *out_h)
{
	const struct feed *other;
	struct object_id id = { f->cluster->index, f->what.kind, json_str(object, "metadata.namespace"),
				json_str(object, "metadata.name") };

	if (!f->what.metadata_only || f->what.name.len)
		return false;
	other = feed_named(f->cluster, id.kind, id.ns, id.name);
	if (!other || other->what.metadata_only)
		return false;
	*out_h = store_find(f->cluster->feeds->o.store, &id);
	return slot_set_has(&other->has, out_h->slot);
}

static void report_odd(struct feed *f)
{
	struct err why = { 0 };

	err_set(&why, ERR_PROTO, "%zu item%s of the server's answer %s without a name, or no object at all, or of another "
		"kind or namespace than was asked for, and %s not shown", f->unusable, f->unusable == 1 ? "" : "s", f->unusable == 1 ? "is" : "are",
		f->unusable == 1 ? "is" : "are");
	feed_notice(f, "unreadable", str_of(why.msg));
}

/* True for what the first list of a feed brings, unless all objects of its kind were looked at before. */
static bool is_met(const struct feed *f, enum object_event event, struct json object)
{
	const struct feed *whole = whole_list(f->cluster, f->what.kind, json_str(object, "metadata.namespace"));

	return event == OBJECT_LISTED && !f->read && (!whole || !whole->read);
}

static enum change put_object(struct feed *f, enum object_event event, struct json object)
{
	struct feeds *o = f->cluster->feeds;
	struct engine_source from = { .cluster = f->cluster->index, .kind = f->what.kind, .met = is_met(f, event, object) };
	struct handle h = HANDLE_NONE;
	enum change change;

	if (is_another(f, object))
		return CHANGE_NONE;
	if (knows_less(f, object, &h)) {
		gain(f, h);
		return CHANGE_NONE;
	}
	change = is_misplaced(f, object) ? CHANGE_NONE : engine_put(o->o.engine, &from, object, judged_at(o), &h);
	if (!h.slot) {
		/* An item that is no object, or has no name, cannot be shown. Such items of a watch are reported with the first. */
		if (f->unusable++ == 0 && event != OBJECT_LISTED)
			report_odd(f);
		return CHANGE_NONE;
	}
	gain(f, h);
	for (struct recheck *r = o->in_flight; r; r = r->next)
		r->overtaken |= handle_eq(r->handle, h);
	if (o->o.ops->seen)
		o->o.ops->seen(o->o.ctx, h, object);
	if (o->o.ops->touched && event != OBJECT_LISTED)
		o->o.ops->touched(o->o.ctx, h);
	/* a recorder may compare fields that are not kept here; a Lease tells only that its holder runs */
	if (change != CHANGE_NONE || event == OBJECT_ADDED ||
	    (event == OBJECT_MODIFIED && !str_is(f->what.kind->kind, "Lease")))
		o->o.ops->event(o->o.ctx, change == CHANGE_ADDED ? CHANGE_ADDED : CHANGE_UPDATED, f->cluster->index, f->what.kind, object);
	return change;
}

/*
 * A watch with a selector says of an object that does not match it any more what it says of one that was deleted (kubernetes,
 * staging/src/k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go).
 */
static void remove_from_store(const struct feed *f, struct handle h)
{
	(feed_is_partial(f) ? store_deselect : store_remove)(f->cluster->feeds->o.store, h);
}

static enum change remove_object(struct feed *f, struct json object)
{
	struct feeds *o = f->cluster->feeds;
	struct object_id id = { f->cluster->index, f->what.kind, json_str(object, "metadata.namespace"),
				json_str(object, "metadata.name") };
	uint32_t slot = store_find_node(o->o.store, &id);
	struct handle h = HANDLE_NONE;

	if (is_another(f, object) || !kind_fits(f->what.kind, object))
		return CHANGE_NONE;
	if (slot_set_has(&f->has, slot))
		h = lose(f, slot);
	if (f->what.name.len)
		feed_set_coverage(f, COVERAGE_COMPLETE);
	if (!h.slot)
		return CHANGE_NONE;
	if (o->o.ops->seen)
		o->o.ops->seen(o->o.ctx, h, JSON_NONE);
	remove_from_store(f, h);
	o->o.ops->event(o->o.ctx, CHANGE_REMOVED, f->cluster->index, f->what.kind, object);
	return CHANGE_REMOVED;
}

enum change feed_object(struct feed *f, enum object_event event, struct json object)
{
	return event == OBJECT_DELETED ? remove_object(f, object) : put_object(f, event, object);
}

/* ---- lists ------------------------------------------------------------------- */

void feed_list_begin(struct feed *f)
{
	slot_set_release(&f->listed);
	f->listing = true;
	f->unusable = 0;
}

/* The last state of such an object is not known. */
static void vanish(struct feed *f, uint32_t slot)
{
	struct feeds *o = f->cluster->feeds;
	struct handle h = lose(f, slot);
	struct object_id id = store_node_id(o->o.store, slot);

	if (!h.slot)
		return;
	if (o->o.ops->seen)
		o->o.ops->seen(o->o.ctx, h, JSON_NONE);
	remove_from_store(f, h);
	o->o.ops->vanished(o->o.ctx, &id);
}

/*
 * The feed does not have objects that the list has not named.  Where no list has begun there is nothing to compare
 * with.
 */
static void drop_unlisted(struct feed *f)
{
	if (!f->listing)
		return;
	for (uint32_t slot = slot_set_next(&f->has, 1); slot; slot = slot_set_next(&f->has, slot + 1))
		if (!slot_set_has(&f->listed, slot))
			vanish(f, slot);
	assert(f->has.n == f->listed.n);
	slot_set_release(&f->listed);
	f->listing = false;
}

bool feed_list_end(struct feed *f)
{
	bool first = !f->done || f->unread;

	if (f->unusable)
		report_odd(f);
	drop_unlisted(f);
	feed_set_done(f);
	feed_rank(f);
	f->forbidden = false;
	feed_set_coverage(f, f->what.name.len && f->has.n ? COVERAGE_NONE : COVERAGE_COMPLETE);
	return first;
}

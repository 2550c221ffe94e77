/* SPDX-License-Identifier: Apache-2.0 */
/* What the lists and watches tell goes into the world here. */
#include "kube/base/alloc.h"
#include "plugin/live_private.h"

#include <string.h>

static struct str pointer_key(const void *const *ptr)
{
	return (struct str){ (const char *)ptr, sizeof(*ptr) };
}

static struct feed *feed_of(const struct cluster *c, const struct subscription *sub)
{
	const void *key = sub;

	return map_get(&c->live->by_sub, pointer_key(&key));
}

bool feed_exists(const struct live *l, const struct cluster *c, const struct kind *kind, struct str ns,
		 struct str name)
{
	for (size_t i = 0; i < l->nfeeds; i++) {
		const struct feed *f = l->feeds[i];

		if (f->cluster != c || f->kind != kind)
			continue;
		if (str_eq(f->name, name) && str_eq(f->ns, ns))
			return true;
		if (f->name.len == 0 && !f->partial && !f->forbidden && (f->ns.len == 0 || str_eq(f->ns, ns)))
			return true;
	}
	return false;
}

struct feed *feed_open(struct cluster *c, const struct subscribe *what, bool context)
{
	struct live *l = c->live;
	struct feed *f;
	const void *key;

	if (feed_exists(l, c, what->kind, what->ns, what->name))
		return NULL;
	if (l->nfeeds == l->feeds_cap) {
		l->feeds_cap = l->feeds_cap ? l->feeds_cap * 2 : 32;
		l->feeds = xreallocarray(l->feeds, l->feeds_cap, sizeof(*l->feeds));
	}
	f = xcalloc(1, sizeof(*f));
	l->feeds[l->nfeeds++] = f;
	f->cluster = c;
	f->kind = what->kind;
	f->ns = arena_str(&l->arena, what->ns);
	f->name = arena_str(&l->arena, what->name);
	f->context = context;
	f->partial = what->label_selector.len || what->field_selector.len;
	f->sub = session_subscribe(c->session, what);
	key = f->sub;
	map_set(&l->by_sub, pointer_key(&key), f);
	return f;
}

/* ---- objects ------------------------------------------------------------- */

static void record(struct live *l, const char *type, const struct feed *f, struct json object)
{
	if (l->recorder)
		recorder_write(l->recorder, l->o.world->now, type, f->kind, object);
}

static void put_object(struct feed *f, enum object_event event, struct json object)
{
	struct live *l = f->cluster->live;
	struct engine_source from = { .cluster = f->cluster->index, .kind = f->kind };
	struct handle h;
	enum change change = engine_put(l->o.world->engine, &from, object, l->o.world->now, &h);

	if (change != CHANGE_NONE || event == OBJECT_ADDED)
		record(l, change == CHANGE_UPDATED ? "MODIFIED" : "ADDED", f, object);
}

static void remove_object(struct feed *f, struct json object)
{
	struct live *l = f->cluster->live;
	struct object_id id = { f->cluster->index, f->kind, json_str(object, "metadata.namespace"),
				json_str(object, "metadata.name") };

	if (store_remove(l->o.world->store, store_find(l->o.world->store, &id)) != CHANGE_NONE)
		record(l, "DELETED", f, object);
}

static void on_object(void *ctx, struct subscription *sub, enum object_event event, struct json object,
		      struct str raw)
{
	struct cluster *c = ctx;
	struct feed *f = feed_of(c, sub);

	(void)raw;
	if (!f) {
		if (event != OBJECT_LISTED)
			plan_kinds_changed(c);
		return;
	}
	f->seen = true;
	c->live->objects++;
	c->live->last_event = c->live->o.world->now;
	if (event == OBJECT_DELETED)
		remove_object(f, object);
	else
		put_object(f, event, object);
	if (event != OBJECT_LISTED)
		c->live->looked_up = false;
}

/* ---- lists --------------------------------------------------------------- */

static void on_list_begin(void *ctx, struct subscription *sub)
{
	struct cluster *c = ctx;
	struct feed *f = feed_of(c, sub);

	if (!f)
		return;
	f->seen = false;
	if (f->name.len == 0)
		store_list_begin(c->live->o.world->store, c->index, f->kind, f->ns);
}

struct removal {
	struct feed *feed;
};

/* What vanished while nobody watched has no last words. */
static void on_vanished(void *ctx, struct handle h)
{
	struct removal *r = ctx;
	struct live *l = r->feed->cluster->live;
	struct object_id id = store_node_id(l->o.world->store, h.slot);
	struct buf text = { 0 };
	struct json doc;

	if (!l->recorder)
		return;
	buf_printf(&text, "{\"metadata\":{\"name\":\"" STR_FMT "\"", STR_ARG(id.name));
	if (id.ns.len)
		buf_printf(&text, ",\"namespace\":\"" STR_FMT "\"", STR_ARG(id.ns));
	buf_add_cstr(&text, "}}");
	if (json_parse(buf_str(&text), &doc, &(struct err){ 0 }) == 0) {
		record(l, "DELETED", r->feed, doc);
		json_free(doc);
	}
	buf_release(&text);
}

static void end_named(struct feed *f)
{
	struct store *store = f->cluster->live->o.world->store;
	struct object_id id = { f->cluster->index, f->kind, f->ns, f->name };

	if (!f->seen) {
		store_remove(store, store_find(store, &id));
		store_set_name_coverage(store, &id, COVERAGE_COMPLETE);
	}
}

static void on_list_end(void *ctx, struct subscription *sub)
{
	struct cluster *c = ctx;
	struct feed *f = feed_of(c, sub);
	struct removal removal = { f };

	if (!f)
		return;
	if (f->name.len) {
		end_named(f);
	} else {
		store_list_end(c->live->o.world->store, c->index, f->kind, f->ns, on_vanished, &removal);
		if (!f->partial)
			store_set_coverage(c->live->o.world->store, c->index, f->kind, f->ns, COVERAGE_COMPLETE);
	}
	f->done = true;
	c->live->looked_up = false;
}

/* ---- states -------------------------------------------------------------- */

static struct str resource_name(struct live *l, const struct kind *kind)
{
	if (kind->group.len == 0)
		return kind->plural;
	return arena_printf(&l->arena, STR_FMT "." STR_FMT, STR_ARG(kind->plural), STR_ARG(kind->group));
}

static void tell(struct feed *f, struct str kind, const struct err *why)
{
	struct live *l = f->cluster->live;

	if (f->quiet)
		return;
	world_notice(l->o.world, (struct notice){ kind, resource_name(l, f->kind), f->ns,
						  str_of(why ? why->msg : "") });
}

static void on_forbidden(struct feed *f, const struct err *why)
{
	struct store *store = f->cluster->live->o.world->store;
	struct object_id id = { f->cluster->index, f->kind, f->ns, f->name };
	bool again = f->forbidden;

	f->forbidden = true;
	if (f->name.len)
		store_set_name_coverage(store, &id, COVERAGE_FORBIDDEN);
	else
		store_set_coverage(store, f->cluster->index, f->kind, f->ns, COVERAGE_FORBIDDEN);
	tell(f, STR("forbidden"), why);
	/* A server that has just begun may refuse everything for a moment. */
	if (again || !f->done)
		plan_narrow(f);
}

static void on_subscription(void *ctx, struct subscription *sub, enum subscription_state state,
			    const struct err *why)
{
	struct cluster *c = ctx;
	struct feed *f = feed_of(c, sub);

	if (!f) {
		if (state == SUBSCRIPTION_FORBIDDEN || state == SUBSCRIPTION_NOT_SERVED)
			plan_kinds_refused(c, sub);
		return;
	}
	if (why)
		f->why = *why;
	switch (state) {
	case SUBSCRIPTION_FORBIDDEN:
		on_forbidden(f, why);
		f->done = true;
		break;
	case SUBSCRIPTION_NOT_SERVED:
	case SUBSCRIPTION_FAILED:
		if (!f->context || state == SUBSCRIPTION_FAILED)
			tell(f, STR("unavailable"), why);
		f->done = true;
		if (state == SUBSCRIPTION_NOT_SERVED && !f->gone)
			plan_kinds_changed(c);
		break;
	case SUBSCRIPTION_LIVE:
		f->forbidden = false;
		f->why.code = ERR_NONE;
		break;
	case SUBSCRIPTION_IDLE:
	case SUBSCRIPTION_LISTING:
	case SUBSCRIPTION_BACKOFF:
		break;
	}
}

static void on_session(void *ctx, struct session *s, enum session_state state, const struct err *why)
{
	struct cluster *c = ctx;
	struct live *l = c->live;

	(void)s;
	if (state == SESSION_LIVE || state == SESSION_CONNECTING || !why)
		return;
	c->why = *why;
	/* One answer for everybody who prints once: what is not there now is an error. */
	if (state == SESSION_FAILED || l->o.once || !c->discovered) {
		if (l->fatal.code == ERR_NONE && l->nclusters == 1)
			l->fatal = *why;
		else
			world_notice(l->o.world, (struct notice){ .kind = STR("unavailable"),
								  .resource = c->config.context,
								  .message = str_of(why->msg) });
	}
}

/* Of a kind that is not served there is nothing: its list is an empty one. */
static void follow_kind(struct feed *f)
{
	struct cluster *c = f->cluster;
	bool gone = session_lacks(c->session, f->kind);

	if (gone && !f->gone) {
		on_list_begin(c, f->sub);
		on_list_end(c, f->sub);
	}
	f->gone = gone;
	c->lost_kinds |= gone;
}

static void on_discovered(void *ctx, struct session *s, const struct err *partial)
{
	struct cluster *c = ctx;
	struct live *l = c->live;

	(void)s;
	c->discovered = true;
	c->partial = partial ? *partial : (struct err){ 0 };
	for (size_t i = 0; i < l->nfeeds; i++)
		if (l->feeds[i]->cluster == c)
			follow_kind(l->feeds[i]);
	if (l->started) {
		plan_start(l);	/* kinds may have come */
		plan_kinds_start(l);
	}
	if (!partial)
		return;
	world_notice(c->live->o.world, (struct notice){ .kind = STR("unavailable"), .resource = STR("discovery"),
							.message = str_of(partial->msg) });
}

static void on_notice(void *ctx, struct session *s, struct str text)
{
	struct cluster *c = ctx;

	(void)s;
	world_notice(c->live->o.world, (struct notice){ .kind = STR("warning"), .message = text });
}

const struct session_ops feed_ops = {
	.discovered = on_discovered,
	.list_begin = on_list_begin,
	.list_end = on_list_end,
	.object = on_object,
	.subscription_changed = on_subscription,
	.session_changed = on_session,
	.notice = on_notice,
};

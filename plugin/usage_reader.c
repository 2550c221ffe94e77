/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/usage_reader.h"

#include "kube/api/resource_path.h"
#include "kube/api/session.h"
#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/base/unanswered.h"
#include "kube/model/document.h"
#include "kube/model/framer.h"

#define EVERY MINUTES(1)
#define PATIENCE SECONDS(5)	/* how long what is printed waits for the first answers */

enum { SLICE = 512 * 1024 };	/* bytes of an answer that are read at a time, so that a key does not wait */

static const char group[] = "metrics.k8s.io";
static const struct {
	const char *kind, *of;
} lists[] = { { "PodMetrics", "Pod" }, { "NodeMetrics", "Node" } };

/* The list of a kind in a namespace, until all of it was read. */
struct list {
	struct unanswered unanswered;
	struct usage_reader *reader;
	struct object_id scope;	/* its namespace is in the arena of the reader */
	int64_t began;		/* ms */
	bool first_version;	/* it asked for v1, which this cluster may not serve */
	struct framer *framer;	/* NULL: there is no answer yet */
	struct buf body;
	size_t at;		/* where in it to read on */
};

struct usage_reader {
	const struct usage_cluster *clusters;
	size_t nclusters;
	struct world *world;
	const struct query *query;
	struct arena arena;	/* for the lists that are under way */
	struct unanswered *lists;
	int64_t now, next;	/* when lists are requested next, ms; 0: never */
	int64_t asked_at;	/* when they were first requested, ms; 0: they were not */
	bool once, hidden, came;
	bool read;		/* the first lists have ended, or are late */
};

struct usage_reader *usage_reader_new(const struct usage_cluster *clusters, size_t n, struct world *w, const struct query *q, bool once)
{
	struct usage_reader *r = xcalloc(1, sizeof(*r));

	*r = (struct usage_reader){ .clusters = clusters, .nclusters = n, .world = w, .query = q, .once = once, .next = 1 };
	return r;
}

static void end_list(struct list *list)
{
	framer_free(list->framer);
	buf_release(&list->body);
	unanswered_end(&list->reader->lists, list);
}

void usage_reader_free(struct usage_reader *r)
{
	if (!r)
		return;
	while (r->lists)
		end_list((struct list *)r->lists);
	arena_release(&r->arena);
	xfree(r);
}

void usage_reader_show(struct usage_reader *r, bool shown)
{
	if (r)
		r->hidden = !shown;
}

bool usage_reader_came(struct usage_reader *r)
{
	bool came = r && r->came;

	if (came)
		r->came = false;
	return came;
}

/* ---- what cannot be read --------------------------------------------------------- */

/* What a notice is about: one of the kinds, and of several clusters its cluster; kind NULL: the whole API. */
static struct str subject(const struct usage_reader *r, uint16_t cluster, const struct kind *kind, struct arena *a)
{
	struct str context = r->clusters[cluster].context, where = context.len ? ARENA_JOIN(a, context, STR(": ")) : STR_NONE;

	return kind ? ARENA_JOIN(a, where, kind->plural, STR("."), str_of(group)) : ARENA_JOIN(a, where, str_of(group));
}

/* Replaces the notice about a list, or about the whole API of a cluster (scope.kind is NULL); why "": there is none any more. */
static void tell(struct usage_reader *r, const struct object_id *scope, struct str why)
{
	struct arena a = { 0 };
	struct str about = subject(r, scope->cluster, scope->kind, &a);
	struct notice n = { .kind = STR("metrics"), .resource = about, .ns = scope->ns };

	world_unnotice(r->world, n);
	n.message = ARENA_JOIN(&a, STR("the columns mem and cpu have no values: "), why);
	if (why.len)
		world_notice(r->world, n);
	arena_release(&a);
}

/* Nothing is known any more of what a list would tell. */
static void lack(struct usage_reader *r, const struct object_id *scope, struct str why)
{
	struct arena a = { 0 };
	struct str about = subject(r, scope->cluster, scope->kind, &a);

	usage_forget(r->world->usage, scope, r->now + 1);
	tell(r, scope, str_contains(why, group) ? why : ARENA_JOIN(&a, about, STR(": "), why));
	r->came = true;
	arena_release(&a);
}

static void fail(struct list *list, struct str why)
{
	lack(list->reader, &list->scope, why);
	end_list(list);
}

/* ---- lists ------------------------------------------------------------------------- */

static int on_item(void *ctx, struct str text, struct err *err)
{
	const struct list *list = ctx;
	struct usage_reader *r = list->reader;
	struct json object;

	if (json_parse(text, &object, err) < 0)
		return -1;
	if (kind_fits(list->scope.kind, object))
		usage_note(r->world->usage, list->scope.cluster, list->scope.kind, object, r->now);
	json_free(object);
	return 0;
}

/* Reads some of an answer.  When that was the rest of it, the list is over. */
static void read_some(struct list *list)
{
	struct usage_reader *r = list->reader;
	struct str some = str_head(str_from(buf_str(&list->body), list->at), SLICE);
	struct err err;

	list->at += some.len;
	if (framer_feed(list->framer, some, &err) < 0 || (list->at == list->body.len && framer_end(list->framer, &err) < 0)) {
		fail(list, str_of(err.msg));
	} else if (list->at == list->body.len) {
		usage_forget(r->world->usage, &list->scope, list->began);
		tell(r, &list->scope, STR_NONE);
		r->came = true;
		end_list(list);
	}
}

static void send(struct list *list);

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	static const struct framer_ops ops = { .piece = on_item };
	enum { OK = 200, NOT_FOUND = 404 };
	struct list *list = ctx;
	struct json refusal = JSON_NONE;

	if (!err && http_status == OK) {
		buf_add(&list->body, body);
		list->framer = framer_new(FRAMER_LIST, &ops, list);
	} else if (!err && http_status == NOT_FOUND && list->first_version) {
		list->first_version = false;
		send(list);
	} else if (err) {
		fail(list, str_of(err->msg));
	} else {
		bool told = document_read(body, &refusal, &(struct err){ 0 }) == 0 && json_str(refusal, "message").len;

		fail(list, told ? json_str(refusal, "message") : STR("the server refused the list"));
		json_free(refusal);
	}
}

static void send(struct list *list)
{
	struct session *session = list->reader->clusters[list->scope.cluster].session;
	struct buf path = { 0 };

	if (list->first_version)
		resource_path_add(&path, &(struct resource_path){ list->scope.kind, STR("v1"), list->scope.ns, STR_NONE });
	else
		session_path(session, list->scope.kind, list->scope.ns, STR_NONE, &path);
	session_get(session, buf_cstr(&path), on_answer, list);
	buf_release(&path);
}

static bool serves_first_version(const struct kind *kind)
{
	struct str rest = kind->versions, version;

	while (str_split(&rest, ',', &version))
		if (str_is(version, "v1"))
			return true;
	return false;
}

static void ask(struct usage_reader *r, uint16_t cluster, const struct kind *kind)
{
	struct str rest = kind->flags & KIND_NAMESPACED ? r->query->ns : STR_NONE;

	do {
		struct list *list = unanswered_add(&r->lists, sizeof(*list));
		struct str ns = rest;

		str_split(&rest, ',', &ns);
		list->reader = r;
		list->scope = (struct object_id){ .cluster = cluster, .kind = kind, .ns = arena_str(&r->arena, ns) };
		list->began = r->now;
		list->first_version = serves_first_version(kind);
		send(list);
	} while (rest.len);
}

/* Returns true when objects of that kind are shown. */
static bool is_shown(const struct query *q, const char *kind)
{
	for (size_t i = 0; i < q->what.n; i++)
		if (q->what.list[i].kind->group.len == 0 && str_is(q->what.list[i].kind->kind, kind))
			return true;
	return q->what.n == 0 && (q->ns.len == 0 || str_is(str_of(kind), "Pod"));
}

static void ask_cluster(struct usage_reader *r, uint16_t cluster)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct kind *kind = kinds_find(&r->world->kinds, str_of(group), str_of(lists[i].kind));
		bool served = kind && (kind->flags & KIND_DISCOVERED) && (kind->flags & KIND_LIST) && !session_lacks(r->clusters[cluster].session, kind);

		if (!is_shown(r->query, lists[i].of))
			continue;
		tell(r, &(struct object_id){ .cluster = cluster }, served ? STR_NONE : STR("the server has no metrics API (metrics.k8s.io)"));
		if (served)
			ask(r, cluster, kind);
		else if (kind)
			usage_forget(r->world->usage, &(struct object_id){ .cluster = cluster, .kind = kind }, r->now);
	}
}

static bool is_due(const struct usage_reader *r)
{
	return r->next && r->now >= r->next && !r->hidden;
}

/* Returns true when what is printed has waited long enough for the first lists. */
static bool is_late(const struct usage_reader *r)
{
	return !r->read && r->asked_at && r->now >= r->asked_at + PATIENCE;
}

void usage_reader_run(struct usage_reader *r, int64_t now)
{
	struct unanswered *next;

	if (!r)
		return;
	r->now = now;
	if (!r->lists && is_due(r)) {
		arena_reset(&r->arena);
		for (uint16_t i = 0; i < r->nclusters; i++)
			if (session_discovered(r->clusters[i].session))
				ask_cluster(r, i);
		r->asked_at = r->asked_at ? r->asked_at : r->now;
		r->next = r->once ? 0 : r->now + EVERY;
	}
	for (struct unanswered *u = r->lists; u; u = next) {
		next = u->next;
		if (((struct list *)u)->framer)
			read_some((struct list *)u);
	}
	if (r->lists && (is_due(r) || is_late(r))) {
		for (const struct unanswered *u = r->lists; u; u = u->next)
			if (!((const struct list *)u)->framer)
				lack(r, &((const struct list *)u)->scope, STR("the server has not answered its list"));
		r->next = r->next ? now + EVERY : 0;
	}
	r->read |= r->asked_at && (!r->lists || is_late(r));
}

int64_t usage_reader_deadline(const struct usage_reader *r)
{
	if (!r)
		return 0;
	for (const struct unanswered *u = r->lists; u; u = u->next)
		if (((const struct list *)u)->framer)
			return r->now;
	return time_earlier(r->hidden ? 0 : r->next, r->read || !r->asked_at ? 0 : r->asked_at + PATIENCE);
}

bool usage_reader_awaited(const struct usage_reader *r)
{
	return r && !r->read;
}

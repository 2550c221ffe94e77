/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/usage_reader.h"

#include "kube/api/resource_path.h"
#include "kube/api/session.h"
#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/base/unanswered.h"
#include "kube/model/document.h"
#include "kube/model/framer.h"
#include "tui/words/words.h"

#include <stdlib.h>

#define EVERY MINUTES(1)
#define PATIENCE SECONDS(5)	/* how long what is printed waits for the first answers */

enum { SLICE = 512 * 1024 };	/* bytes of a list that are read at a time, so that a key does not wait */
enum { NODES_A_MINUTE = 20 };	/* whose kubelets are asked, of each cluster */

static const char group[] = "metrics.k8s.io", kubelet[] = "nodes/proxy";
static const struct {
	const char *kind, *of;
} lists[] = { { "PodMetrics", "Pod" }, { "NodeMetrics", "Node" } };

/* The list of a kind in a namespace, or what a kubelet tells of claims, until all of it was read. */
struct list {
	struct unanswered unanswered;
	struct usage_reader *reader;
	struct object_id scope;	/* its namespace, or the node's name, is in the arena of the reader */
	int64_t began;		/* ms */
	bool first_version;	/* it asked for v1, which this cluster may not serve */
	bool answered;
	struct framer *framer;	/* NULL: there is no answer yet, or it is no list */
	struct buf body;
	size_t at;		/* where in it to read on */
};

struct usage_reader {
	struct usage_reader_options o;
	struct arena arena;	/* for the lists that are under way */
	struct unanswered *lists;
	int64_t now, next;	/* when lists are requested next, ms; 0: never */
	int64_t asked_at;	/* when they were first requested, ms; 0: they were not */
	int64_t asked;		/* when they were last requested, ms */
	bool hidden, came;
	bool read;		/* the first lists have ended, or are late */
	/* of claims: */
	size_t turn, turns;	/* how often kubelets were asked; how many turns it takes to ask all of them, 0: none is under way */
	bool failed, forbidden;	/* of those asked last one could not be read, or none may be */
};

struct usage_reader *usage_reader_new(const struct usage_reader_options *options)
{
	struct usage_reader *r = xcalloc(1, sizeof(*r));

	*r = (struct usage_reader){ .o = *options, .next = 1 };
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
	struct str context = r->o.clusters[cluster].context, where = context.len ? ARENA_JOIN(a, context, STR(": ")) : STR_NONE;

	if (r->o.of_claims)
		return ARENA_JOIN(a, where, str_of(kubelet));
	return kind ? ARENA_JOIN(a, where, kind->plural, STR("."), str_of(group)) : ARENA_JOIN(a, where, str_of(group));
}

/* Replaces the notice about a list, or about the whole API of a cluster (scope.kind is NULL); why "": there is none any more. */
static void tell(struct usage_reader *r, const struct object_id *scope, struct str why)
{
	struct arena a = { 0 };
	struct str about = subject(r, scope->cluster, scope->kind, &a);
	struct notice n = { .kind = STR("metrics"), .resource = about, .ns = scope->ns };

	world_unnotice(r->o.world, n);
	n.message = r->o.of_claims ? ARENA_JOIN(&a, STR("the column used has no values of node "), scope->name, STR(": "), why) :
				     ARENA_JOIN(&a, STR("the columns mem and cpu have no values: "), why);
	if (why.len)
		world_notice(r->o.world, n);
	arena_release(&a);
}

/* Nothing is known any more of what a list would tell. */
static void lack(struct usage_reader *r, const struct object_id *scope, struct str why)
{
	struct arena a = { 0 };
	struct str about = subject(r, scope->cluster, scope->kind, &a);

	if (!r->o.of_claims)
		usage_forget(r->o.world->usage, scope, r->now + 1);
	tell(r, scope, str_contains(why, r->o.of_claims ? kubelet : group) ? why : ARENA_JOIN(&a, about, STR(": "), why));
	r->came = r->failed = true;
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
		usage_note(r->o.world->usage, list->scope.cluster, list->scope.kind, object, r->now);
	json_free(object);
	return 0;
}

static void read_summary(struct list *list)
{
	struct usage_reader *r = list->reader;
	struct json summary;
	struct err err;

	if (document_read(buf_str(&list->body), &summary, &err) < 0) {
		fail(list, str_of(err.msg));
		return;
	}
	usage_note_claims(r->o.world->usage, &(struct object_id){ .cluster = list->scope.cluster, .kind = list->scope.kind }, summary, r->now);
	json_free(summary);
	r->came = true;
	end_list(list);
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
		usage_forget(r->o.world->usage, &list->scope, list->began);
		tell(r, &list->scope, STR_NONE);
		r->came = true;
		end_list(list);
	}
}

static void send(struct list *list);

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	static const struct framer_ops ops = { .piece = on_item };
	enum { OK = 200, FORBIDDEN = 403, NOT_FOUND = 404 };
	struct list *list = ctx;
	struct json refusal = JSON_NONE;

	list->reader->forbidden = !err && http_status == FORBIDDEN;
	if (!err && http_status == OK) {
		buf_add(&list->body, body);
		list->answered = true;
		list->framer = list->reader->o.of_claims ? NULL : framer_new(FRAMER_LIST, &ops, list);
	} else if (!err && http_status == NOT_FOUND && list->first_version) {
		list->first_version = false;
		send(list);
	} else if (err) {
		fail(list, str_of(err->msg));
	} else {
		bool told = document_read(body, &refusal, &(struct err){ 0 }) == 0 && json_str(refusal, "message").len;

		fail(list, told			     ? json_str(refusal, "message") :
			   list->reader->o.of_claims ? STR("its kubelet does not tell it (stats/summary)") :
						       STR("the server refused the list"));
		json_free(refusal);
	}
}

static void send(struct list *list)
{
	const struct usage_reader *r = list->reader;
	struct session *session = r->o.clusters[list->scope.cluster].session;
	struct buf path = { 0 };

	if (r->o.of_claims) {
		session_path(session, kinds_find(&r->o.world->kinds, STR_NONE, STR("Node")), STR_NONE, list->scope.name, &path);
		buf_add(&path, STR("/proxy/stats/summary"));
	} else if (list->first_version)
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
	struct str rest = kind->flags & KIND_NAMESPACED ? r->o.query->ns : STR_NONE;

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
		const struct kind *kind = kinds_find(&r->o.world->kinds, str_of(group), str_of(lists[i].kind));
		bool served = kind && (kind->flags & KIND_DISCOVERED) && (kind->flags & KIND_LIST) && !session_lacks(r->o.clusters[cluster].session, kind);

		if (!is_shown(r->o.query, lists[i].of))
			continue;
		tell(r, &(struct object_id){ .cluster = cluster }, served ? STR_NONE : STR("the server has no metrics API (metrics.k8s.io)"));
		if (served)
			ask(r, cluster, kind);
		else if (kind)
			usage_forget(r->o.world->usage, &(struct object_id){ .cluster = cluster, .kind = kind }, r->now);
	}
}

/* ---- claims ------------------------------------------------------------------------ */

static int by_text(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

static bool is_core(const struct kind *kind, const char *name)
{
	return !kind->group.len && str_is(kind->kind, name);
}

/* Returns the nodes of the pods that use claims which are shown: names in order, each once. */
static struct str *nodes_of_claims(struct usage_reader *r, uint16_t cluster, size_t *out_n)
{
	struct store *store = r->o.world->store;
	struct str *nodes = NULL;
	size_t n = 0, cap = 0, nin;

	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1)) {
		struct object_id id = store_node_id(store, h.slot);
		const uint32_t *in = store_referrers(store, h.slot, &nin);

		if (id.cluster != cluster || !is_core(id.kind, "PersistentVolumeClaim") || !query_selects(r->o.query, r->o.world, h))
			continue;
		for (size_t i = 0; i < nin; i++) {
			struct str node = is_core(store_node_kind(store, in[i]), "Pod") ? words_node(store, in[i]) : STR_NONE;

			if (!node.len)
				continue;
			nodes = arena_grow(&r->arena, nodes, n, &cap, sizeof(*nodes));
			nodes[n++] = arena_str(&r->arena, node);
		}
	}
	if (n)
		qsort(nodes, n, sizeof(*nodes), by_text);
	*out_n = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || !str_eq(nodes[i], nodes[*out_n - 1]))
			nodes[(*out_n)++] = nodes[i];
	return nodes;
}

/* Asks some kubelets, in another turn the next ones. */
static void ask_kubelets(struct usage_reader *r, uint16_t cluster)
{
	const struct kind *kind = kinds_find(&r->o.world->kinds, STR_NONE, STR("PersistentVolumeClaim"));
	size_t n, most = r->forbidden ? 1 : NODES_A_MINUTE;
	struct str *nodes = nodes_of_claims(r, cluster, &n);

	for (size_t i = 0; i < n && i < most; i++) {
		struct list *list = unanswered_add(&r->lists, sizeof(*list));

		list->reader = r;
		list->scope = (struct object_id){ .cluster = cluster, .kind = kind, .name = nodes[(r->turn * most + i) % n] };
		send(list);
	}
	if (r->o.once && n > most)
		world_notice(r->o.world, (struct notice){ .kind = STR("metrics"), .resource = str_of(kubelet),
							  .message = arena_printf(&r->arena, "the column used has values of %zu of %zu nodes", most, n) });
	r->turns = n > r->turns * most ? (n + most - 1) / most : r->turns;
}

/* Of what no kubelet has told since each was asked nothing is known any more. */
static void forget_claims(struct usage_reader *r)
{
	const struct kind *kind = kinds_find(&r->o.world->kinds, STR_NONE, STR("PersistentVolumeClaim"));

	for (uint16_t i = 0; kind && i < r->o.n; i++)
		usage_forget(r->o.world->usage, &(struct object_id){ .cluster = i, .kind = kind }, r->asked - (int64_t)(r->turns - 1) * EVERY);
	r->turns = 0;
	r->came = true;
}

static void ask_all(struct usage_reader *r)
{
	arena_reset(&r->arena);
	r->turns = r->o.of_claims;
	for (uint16_t i = 0; r->o.of_claims && !r->failed && i < r->o.n; i++)
		tell(r, &(struct object_id){ .cluster = i }, STR_NONE);
	r->failed = false;
	for (uint16_t i = 0; i < r->o.n; i++)
		if (session_discovered(r->o.clusters[i].session)) {
			if (r->o.of_claims)
				ask_kubelets(r, i);
			else
				ask_cluster(r, i);
		}
	r->turn++;
	r->asked = r->now;
	r->asked_at = r->asked_at ? r->asked_at : r->now;
	r->next = r->o.once ? 0 : r->now + EVERY;
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
	if (!r->lists && is_due(r))
		ask_all(r);
	for (struct unanswered *u = r->lists; u; u = next) {
		next = ((struct list *)u)->answered ? NULL : u->next;
		if (((struct list *)u)->framer)
			read_some((struct list *)u);
		else if (((struct list *)u)->answered)
			read_summary((struct list *)u);
	}
	if (r->turns && !r->lists)
		forget_claims(r);
	if (r->lists && (is_due(r) || is_late(r))) {
		for (const struct unanswered *u = r->lists; u; u = u->next)
			if (!((const struct list *)u)->answered)
				lack(r, &((const struct list *)u)->scope, r->o.of_claims ? STR("its kubelet has not answered") : STR("the server has not answered its list"));
		r->next = r->next ? now + EVERY : 0;
	}
	r->read |= r->asked_at && (!r->lists || is_late(r));
}

int64_t usage_reader_deadline(const struct usage_reader *r)
{
	if (!r)
		return 0;
	for (const struct unanswered *u = r->lists; u; u = u->next)
		if (((const struct list *)u)->answered)
			return r->now;
	return time_earlier(r->hidden ? 0 : r->next, r->read || !r->asked_at ? 0 : r->asked_at + PATIENCE);
}

bool usage_reader_awaited(const struct usage_reader *r)
{
	return r && !r->read;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of clusters and for how long: the test plays the server. */
#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/family/families.h"
#include "kube/feeds/feeds_private.h"
#include "kube/status/labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NINE ((int64_t)1795165200000)	/* 2026-11-20T09:00:00Z */
#define NOW "2026-11-20T09:00:00Z"

/* ---- the server ----------------------------------------------------------------- */

enum { SUBSCRIPTIONS = 512, GETS = 512 };

struct subscription {
	struct session *session;
	struct subscribe what;
	struct arena arena;
	bool open, answered, silent;
	struct subscription_freshness fresh;
	enum urgency urgency;
	int64_t remaining;
};

struct pending {
	char path[256];
	session_done done;
	void *ctx;
};

struct session {
	struct subscription subs[SUBSCRIPTIONS];	/* those that are closed are used again */
	size_t used, n, open, most;	/* of subs; ever subscribed; open now; at the same time */
	struct pending gets[GETS];
	size_t ngets, lacks_asked, discoveries;
	struct feeds *observe;
	struct kinds kinds;
	struct store *store;
	struct engine *engine;
	struct graph *graph;
	struct arena arena, texts;
	void *ctx;		/* of the callbacks */
	int64_t now;
	int64_t last_received, login_since;
	size_t limits, events, vanished;	/* notices of a ceiling; what the owner was told */
	struct buf told;	/* notices as they come and go */
	bool away;		/* the session is not live */
};

static void server_run(struct session *s, int64_t now)
{
	(void)s, (void)now;
}

static int64_t server_deadline(const struct session *s)
{
	(void)s;
	return 0;
}

static void server_discover(struct session *s, bool cache_is_enough)
{
	(void)cache_is_enough;
	s->discoveries++;
	feeds_session_ops.discovered(s->ctx, s, NULL);
}

static bool server_lacks(const struct session *s, const struct kind *kind)
{
	((struct session *)(uintptr_t)s)->lacks_asked++;
	return !(kind->flags & KIND_DISCOVERED);
}

static struct subscription *server_subscribe(struct session *s, const struct subscribe *what)
{
	struct subscription *sub = s->subs;

	while (sub->open)
		sub++;
	s->used = (size_t)(sub - s->subs) < s->used ? s->used : (size_t)(sub - s->subs) + 1;
	assert_in_range(s->used, 1, SUBSCRIPTIONS);
	arena_release(&sub->arena);
	*sub = (struct subscription){ .session = s, .what = *what, .open = true };
	sub->what.ns = arena_str(&sub->arena, what->ns);
	sub->what.name = arena_str(&sub->arena, what->name);
	s->n++;
	s->open++;
	s->most = s->open > s->most ? s->open : s->most;
	return sub;
}

static void server_unsubscribe(struct subscription *sub)
{
	assert_true(sub->open);
	sub->open = false;
	sub->session->open--;
}

static void server_urgency(struct subscription *sub, enum urgency urgency)
{
	sub->urgency = urgency;
}

static void server_get(struct session *s, const char *path, session_done done, void *ctx)
{
	struct pending *p = &s->gets[s->ngets++];

	assert_in_range(s->ngets, 1, GETS);
	snprintf(p->path, sizeof(p->path), "%s", path);
	p->done = done;
	p->ctx = ctx;
}

static void server_path(const struct session *s, const struct kind *kind, struct str ns, struct str name,
			struct buf *out)
{
	(void)s;
	buf_printf(out, STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(kind->kind), STR_ARG(ns), STR_ARG(name));
}

static void server_progress(const struct subscription *sub, int64_t *out_have, int64_t *out_total)
{
	*out_have = sub->silent ? 0 : 10;
	*out_total = sub->remaining ? 10 + sub->remaining : -1;
}

static struct subscription_freshness server_freshness(const struct subscription *sub, int64_t now)
{
	(void)now;
	return sub->fresh;
}

static int64_t server_last_received(const struct session *s)
{
	return s->last_received;
}

static int64_t server_login_since(const struct session *s)
{
	return s->login_since;
}

static enum session_state server_state(const struct session *s)
{
	return s->away ? SESSION_RECONNECTING : SESSION_LIVE;
}

static int64_t server_retry_at(const struct session *s)
{
	(void)s;
	return 0;
}

static const struct feeds_api server = {
	.run = server_run,
	.deadline = server_deadline,
	.discover = server_discover,
	.lacks = server_lacks,
	.subscribe = server_subscribe,
	.unsubscribe = server_unsubscribe,
	.get = server_get,
	.path = server_path,
	.progress = server_progress,
	.freshness = server_freshness,
	.urgency = server_urgency,
	.last_received = server_last_received,
	.login_since = server_login_since,
	.state = server_state,
	.retry_at = server_retry_at,
};

/* ---- the owner -------------------------------------------------------------------- */

static bool owner_selects(void *ctx, struct handle h)
{
	const struct session *s = ctx;
	struct object_id id = store_node_id(s->store, h.slot);

	return str_is(id.kind->kind, "Pod") || str_is(id.kind->group, "example.org");
}

static bool owner_shows(const struct kind *kind)
{
	return str_is(kind->kind, "Pod") || (kind->flags & KIND_CUSTOM);
}

static void owner_event(void *ctx, enum change change, uint16_t cluster, const struct kind *kind, struct json object)
{
	struct session *s = ctx;

	(void)change, (void)cluster, (void)kind, (void)object;
	s->events++;
}

static void owner_vanished(void *ctx, const struct object_id *id)
{
	struct session *s = ctx;

	(void)id;
	s->vanished++;
}

static void owner_notice(void *ctx, const char *kind, struct str resource, struct str ns, struct str message)
{
	struct session *s = ctx;

	(void)ns;
	buf_printf(&s->told, "%s " STR_FMT ": " STR_FMT "\n", kind, STR_ARG(resource), STR_ARG(message));
	s->limits += strcmp(kind, "limit") == 0;
}

static void owner_notice_over(void *ctx, const char *kind, struct str resource, struct str ns, struct str message)
{
	struct session *s = ctx;

	(void)ns, (void)message;
	buf_printf(&s->told, "over %s " STR_FMT "\n", kind, STR_ARG(resource));
}

static void owner_discovered(void *ctx, uint16_t cluster, const struct err *partial)
{
	(void)ctx, (void)cluster, (void)partial;
}

static void owner_session(void *ctx, uint16_t cluster, enum session_state state, const struct err *why)
{
	(void)ctx, (void)cluster, (void)state, (void)why;
}

static const struct feeds_ops owner = {
	.selects = owner_selects,
	.shows = owner_shows,
	.event = owner_event,
	.vanished = owner_vanished,
	.notice = owner_notice,
	.notice_over = owner_notice_over,
	.discovered = owner_discovered,
	.session_changed = owner_session,
};

/* ---- the world --------------------------------------------------------------------- */

static void serve(struct session *s, const char *group, const char *kind, unsigned more)
{
	kinds_put(&s->kinds, str_of(group), str_of(kind))->flags |= KIND_DISCOVERED | KIND_LIST | KIND_WATCH | more;
}

static int setup(void **state)
{
	struct session *s = xcalloc(1, sizeof(*s));
	struct feeds_options options;

	kinds_add_builtin(&s->kinds);
	serve(s, "", "Pod", KIND_NAMESPACED);
	serve(s, "", "Secret", KIND_NAMESPACED);
	serve(s, "", "Namespace", 0);
	serve(s, "example.org", "Widget", KIND_NAMESPACED | KIND_CUSTOM);
	serve(s, "apiextensions.k8s.io", "CustomResourceDefinition", 0);
	s->store = store_new(&s->kinds);
	s->engine = engine_new(families_all, s->store);
	s->graph = graph_new(s->store, families_all);
	s->now = NINE;
	options = (struct feeds_options){ .kinds = &s->kinds, .store = s->store, .engine = s->engine,
					    .graph = s->graph, .api = &server, .ops = &owner, .ctx = s,
					    .clusters = 1, .now = s->now };
	s->observe = feeds_new(&options);
	s->ctx = feeds_session_ctx(s->observe, 0);
	feeds_session(s->observe, 0, s, STR("c"), STR("a"));
	feeds_discover(s->observe, false);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct session *s = *state;

	feeds_free(s->observe);
	graph_free(s->graph);
	engine_free(s->engine);
	store_free(s->store);
	kinds_release(&s->kinds);
	for (size_t i = 0; i < s->used; i++)
		arena_release(&s->subs[i].arena);
	arena_release(&s->arena);
	arena_release(&s->texts);
	buf_release(&s->told);
	xfree(s);
	return 0;
}

static const struct kind *kind_of(struct session *s, const char *kind)
{
	static const char *const groups[] = { "", "example.org", "apiextensions.k8s.io" };
	const struct kind *k = NULL;

	for (size_t i = 0; i < 3 && !k; i++)
		k = kinds_find(&s->kinds, str_of(groups[i]), str_of(kind));
	assert_non_null(k);
	return k;
}

static void ask(struct session *s, const char *kind, const char *ns)
{
	struct selection what = { .kind = kind ? kind_of(s, kind) : NULL };
	struct selection *kept = arena_alloc(&s->arena, sizeof(*kept));
	struct feeds_query q = { .what = kept, .n = kind ? 1 : 0, .ns = str_of(ns) };

	*kept = what;
	feeds_ask(s->observe, &q, s->now);
}

/* The open subscription to that; NULL when there is none. */
static struct subscription *find(struct session *s, const char *kind, const char *ns, const char *name)
{
	for (size_t i = 0; i < s->used; i++) {
		struct subscription *sub = &s->subs[i];

		if (sub->open && str_is(sub->what.kind->kind, kind) && str_is(sub->what.ns, ns) &&
		    str_is(sub->what.name, name))
			return sub;
	}
	return NULL;
}

static void tell(struct subscription *sub, enum object_event event, const char *json)
{
	struct err err;
	struct json object;

	assert_int_equal(json_parse(str_of(json), &object, &err), 0);
	feeds_session_ops.object(sub->session->ctx, sub, event, object, STR_NONE);
	json_free(object);
}

static void list_begin(struct subscription *sub)
{
	assert_non_null(sub);
	feeds_session_ops.list_begin(sub->session->ctx, sub);
}

static void list_end(struct subscription *sub)
{
	feeds_session_ops.list_end(sub->session->ctx, sub);
	feeds_session_ops.subscription_changed(sub->session->ctx, sub, SUBSCRIPTION_LIVE, NULL);
	sub->answered = true;
}

static void list_empty(struct subscription *sub)
{
	list_begin(sub);
	list_end(sub);
}

static void forbid(struct subscription *sub)
{
	struct err err;

	err_set(&err, ERR_FORBIDDEN, "forbidden");
	feeds_session_ops.subscription_changed(sub->session->ctx, sub, SUBSCRIPTION_FORBIDDEN, &err);
	sub->answered = true;
}

/* What nobody has answered yet is empty. */
static void answer_all(struct session *s)
{
	for (size_t i = 0; i < s->used; i++)
		if (s->subs[i].open && !s->subs[i].answered)
			list_empty(&s->subs[i]);
}

static void turn(struct session *s)
{
	feeds_turn(s->observe, s->now);
}

static const char *pod(struct session *s, const char *ns, unsigned i, const char *phase)
{
	return arena_printf(&s->texts,
			    "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"p%u\",\"uid\":\"u%s%u\","
			    "\"creationTimestamp\":\"" NOW "\"},"
			    "\"spec\":{\"containers\":[{\"name\":\"c\",\"envFrom\":[{\"secretRef\":{\"name\":\"s%u\"}}]}]},"
			    "\"status\":{\"phase\":\"%s\"}}", ns, i, ns, i, i, phase).ptr;
}

static const char *widget(struct session *s, unsigned i, const char *created)
{
	return arena_printf(&s->texts, "{\"apiVersion\":\"example.org/v1\",\"kind\":\"Widget\",\"metadata\":{"
			    "\"namespace\":\"a\",\"name\":\"w%u\",\"creationTimestamp\":\"%s\"},"
			    "\"spec\":{\"colour\":\"red\"},\"status\":{\"colour\":\"blue\"}}", i, created).ptr;
}

static struct handle handle_of(struct session *s, const char *kind, const char *ns, const char *name)
{
	struct object_id id = { 0, kind_of(s, kind), str_of(ns), str_of(name) };

	return store_find(s->store, &id);
}

static enum phase phase_of(struct session *s, const char *kind, const char *ns, const char *name)
{
	struct summary sum;

	assert_true(graph_summary(s->graph, handle_of(s, kind, ns, name), &sum));
	return sum.phase;
}

static const char *name_of(struct session *s, const char *prefix, unsigned i)
{
	return arena_printf(&s->texts, "%s%u", prefix, i).ptr;
}

/* ---- lookups ------------------------------------------------------------------------ */

/* A rollout that never ends: a lookup ends with its pod, so that the next one can be made. */
static void test_lookups_end_with_who_asks(void **state)
{
	struct session *s = *state;
	struct subscription *pods;

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	list_empty(pods);
	turn(s);
	for (unsigned i = 0; i < 400; i++) {
		const char *name = name_of(s, "p", i);

		tell(pods, OBJECT_ADDED, pod(s, "a", i, "Pending"));
		turn(s);
		assert_non_null(find(s, "Secret", "a", name_of(s, "s", i)));
		/* what the query asked for is there: the first lookups are awaited, later ones are not */
		assert_int_equal(feeds_facts(s->observe).lists_done == feeds_facts(s->observe).lists_total, i > 0);
		answer_all(s);
		turn(s);
		assert_int_equal(phase_of(s, "Pod", "a", name), PHASE_WAITING);
		if (i >= 3) {
			tell(pods, OBJECT_DELETED, pod(s, "a", i - 3, "Pending"));
			turn(s);
			assert_null(find(s, "Secret", "a", name_of(s, "s", i - 3)));
		}
		assert_in_range(s->open, 1, 6);
	}
	assert_int_equal(s->limits, 0);
}

/* The namespace of an object in trouble may say whose it is; that it may not be read is no news. */
static void test_a_namespace_tells_the_owner(void **state)
{
	struct session *s = *state;
	struct labels *labels = labels_new();
	const struct selection what = { .kind = kind_of(s, "Pod") };
	struct feeds_query q = { .what = &what, .n = 1, .ns = STR("a"), .owners = true };
	struct subscription *pods;

	labels_want(labels, STR("team"));
	engine_note_labels(s->engine, labels);
	graph_use_labels(s->graph, labels);
	feeds_ask(s->observe, &q, s->now);
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	tell(pods, OBJECT_LISTED, pod(s, "a", 1, "Failed"));
	list_end(pods);
	turn(s);
	assert_null(find(s, "Namespace", "", "a"));	/* nobody wants to know owners */
	graph_use_owner_keys(s->graph, STR("team"));
	tell(pods, OBJECT_ADDED, pod(s, "a", 2, "Pending"));
	turn(s);
	assert_null(find(s, "Namespace", "", "a"));	/* all is well so far */
	tell(pods, OBJECT_ADDED, pod(s, "a", 3, "Failed"));
	turn(s);
	assert_non_null(find(s, "Namespace", "", "a"));
	buf_reset(&s->told);
	forbid(find(s, "Namespace", "", "a"));
	turn(s);
	assert_int_equal(s->told.len, 0);
	engine_note_labels(s->engine, NULL);
	graph_use_labels(s->graph, NULL);
	labels_free(labels);
}

/* What a lookup found and saw go does not exist: whoever names it next has to hear that. */
static void test_what_went_is_missing(void **state)
{
	struct session *s = *state;
	struct subscription *pods, *secret;
	struct object_id id = { 0, kind_of(s, "Secret"), STR("a"), STR("s1") };

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	tell(pods, OBJECT_LISTED, pod(s, "a", 1, "Pending"));
	list_end(pods);
	turn(s);
	secret = find(s, "Secret", "a", "s1");
	list_begin(secret);
	tell(secret, OBJECT_LISTED, "{\"metadata\":{\"namespace\":\"a\",\"name\":\"s1\"}}");
	list_end(secret);
	turn(s);
	assert_int_equal(store_name_coverage(s->store, &id), COVERAGE_NONE);
	tell(secret, OBJECT_DELETED, "{\"metadata\":{\"namespace\":\"a\",\"name\":\"s1\"}}");
	turn(s);
	assert_int_equal(store_name_coverage(s->store, &id), COVERAGE_COMPLETE);
}

/* What a lookup brought goes with it; what another feed has stays. */
static void test_what_it_brought_goes(void **state)
{
	struct session *s = *state;
	struct subscription *pods, *secret;
	struct object_id id = { 0, kind_of(s, "Secret"), STR("a"), STR("s1") };

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	tell(pods, OBJECT_LISTED, pod(s, "a", 1, "Pending"));
	list_end(pods);
	turn(s);
	secret = find(s, "Secret", "a", "s1");
	list_begin(secret);
	tell(secret, OBJECT_LISTED, "{\"metadata\":{\"namespace\":\"a\",\"name\":\"s1\"}}");
	list_end(secret);
	turn(s);
	assert_true(store_find(s->store, &id).slot != 0);
	tell(pods, OBJECT_DELETED, pod(s, "a", 1, "Pending"));
	turn(s);
	assert_false(secret->open);
	assert_true(store_find(s->store, &id).slot == 0);
	assert_int_equal(store_name_coverage(s->store, &id), COVERAGE_NONE);
	assert_int_equal(s->open, 1);
}

/* Many names of one kind are one list, and no single one beside it. */
static void test_many_names_are_one_list(void **state)
{
	struct session *s = *state;
	struct subscription *pods;

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	for (unsigned i = 0; i < 6; i++)
		tell(pods, OBJECT_LISTED, pod(s, "a", i, "Pending"));
	list_end(pods);
	turn(s);
	assert_non_null(find(s, "Secret", "a", "s5"));
	assert_null(find(s, "Secret", "a", ""));
	answer_all(s);
	turn(s);
	tell(pods, OBJECT_ADDED, pod(s, "a", 6, "Pending"));
	turn(s);
	assert_non_null(find(s, "Secret", "a", ""));
	assert_null(find(s, "Secret", "a", "s6"));
	assert_int_equal(phase_of(s, "Pod", "a", "p5"), PHASE_WAITING);
	answer_all(s);
	turn(s);
	turn(s);
	for (unsigned i = 0; i <= 6; i++) {
		assert_null(find(s, "Secret", "a", name_of(s, "s", i)));
		assert_int_equal(phase_of(s, "Pod", "a", name_of(s, "p", i)), PHASE_WAITING);
	}
	assert_int_equal(s->open, 2);
}

/* Where a kind may not be listed its objects are not tried one by one. */
static void test_forbidden_is_not_looked_up(void **state)
{
	struct session *s = *state;
	const struct selection what[] = { { .kind = kind_of(s, "Secret") }, { .kind = kind_of(s, "Pod") } };
	struct feeds_query q = { .what = what, .n = 2, .ns = STR("a") };
	struct subscription *pods;

	feeds_ask(s->observe, &q, s->now);
	forbid(find(s, "Secret", "a", ""));
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	tell(pods, OBJECT_LISTED, pod(s, "a", 1, "Pending"));
	list_end(pods);
	turn(s);
	turn(s);
	assert_int_equal(s->n, 2);
}

/* At once, no list by name is sent when there are many. */
static void test_many_at_once(void **state)
{
	struct session *s = *state;
	struct subscription *pods;

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	for (unsigned i = 0; i < 50; i++)
		tell(pods, OBJECT_LISTED, pod(s, "a", i, "Pending"));
	list_end(pods);
	turn(s);
	assert_int_equal(s->n, 2);
	assert_non_null(find(s, "Secret", "a", ""));
}

/* The ceiling counts what is open now, is told of, and gives way when there is room. */
static void test_ceiling(void **state)
{
	struct session *s = *state;
	struct subscription *pods;
	char ns[16];

	ask(s, "Pod", "");
	pods = find(s, "Pod", "", "");
	list_begin(pods);
	for (unsigned i = 0; i < FEEDS_LOOKUPS + 5; i++) {
		snprintf(ns, sizeof(ns), "n%u", i);
		tell(pods, OBJECT_LISTED, pod(s, ns, i, "Pending"));
	}
	list_end(pods);
	assert_int_equal(s->limits, 0);
	turn(s);
	assert_int_equal(s->open, 1 + FEEDS_LOOKUPS);
	assert_true(s->limits > 0);
	answer_all(s);
	turn(s);
	for (unsigned i = 0; i < FEEDS_LOOKUPS; i++) {
		snprintf(ns, sizeof(ns), "n%u", i);
		tell(pods, OBJECT_DELETED, pod(s, ns, i, "Pending"));
	}
	for (unsigned i = 0; i < 4; i++)
		turn(s);
	assert_int_equal(s->most, 1 + FEEDS_LOOKUPS);
	answer_all(s);
	turn(s);
	for (unsigned i = 0; i < FEEDS_LOOKUPS + 5; i++) {
		snprintf(ns, sizeof(ns), "n%u", i);
		if (handle_of(s, "Pod", ns, name_of(s, "p", i)).slot)
			assert_int_equal(phase_of(s, "Pod", ns, name_of(s, "p", i)), PHASE_WAITING);
	}
}

/* What became well lets go of what explained it. */
static void test_what_is_well_asks_for_nothing(void **state)
{
	struct session *s = *state;
	struct subscription *pods;

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	for (unsigned i = 0; i < 450; i++)
		tell(pods, OBJECT_LISTED, pod(s, "a", i, i ? "Succeeded" : "Pending"));
	list_end(pods);
	turn(s);
	answer_all(s);
	turn(s);
	assert_int_equal(s->open, 2);
	tell(pods, OBJECT_MODIFIED, pod(s, "a", 0, "Succeeded"));
	turn(s);
	assert_int_equal(s->open, 1);
}

/* An event is looked at, not the world: of five thousand pods that are not well one is asked about. */
static void test_event_costs_what_it_touches(void **state)
{
	struct session *s = *state;
	struct subscription *pods;
	size_t before;

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	for (unsigned i = 0; i < 5000; i++)
		tell(pods, OBJECT_LISTED, pod(s, "a", i, "Pending"));
	list_end(pods);
	turn(s);
	answer_all(s);
	for (unsigned i = 0; i < 4; i++)
		turn(s);
	before = s->lacks_asked;
	tell(pods, OBJECT_MODIFIED, pod(s, "a", 7, "Failed"));
	turn(s);
	assert_in_range(s->lacks_asked - before, 1, 20);
}

/* Bytes of the heap in use, with the large blocks that malloc() maps; 0 where the C library does not say. */
static size_t heap_in_use(void)
{
#if !defined(__GLIBC__)
	return 0;
#elif __GLIBC_PREREQ(2, 33)
	return mallinfo2().uordblks + mallinfo2().hblkhd;	/* large blocks are counted apart */
#else
	return (size_t)mallinfo().uordblks + (size_t)mallinfo().hblkhd;
#endif
}

/*
 * Pods and what they wait for come and go: nothing is kept of what is gone.
 * KUBECTL_STATUS_CHURN: how many; 20,000 by default, a million in make soak.
 */
static void test_churn(void **state)
{
	struct session *s = *state;
	const char *wanted = getenv("KUBECTL_STATUS_CHURN");
	unsigned n = wanted ? (unsigned)strtoul(wanted, NULL, 10) : 20000;
	struct subscription *pods;
	size_t before = 0, after;

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	list_empty(pods);
	turn(s);
	for (unsigned i = 0; i < n; i++) {
		tell(pods, OBJECT_ADDED, pod(s, "a", i, "Pending"));
		turn(s);
		answer_all(s);
		turn(s);
		if (i >= 3)
			tell(pods, OBJECT_DELETED, pod(s, "a", i - 3, "Pending"));
		turn(s);
		graph_forget(s->graph);
		arena_reset(&s->texts);
		if (i == n / 2) /* by then the journal has reached its ceiling */
			before = heap_in_use();
	}
	after = heap_in_use();
	if (wanted)
		printf("after %u: %zu KiB, after %u: %zu KiB\n", n / 2, before / 1024, n, after / 1024);
	assert_int_equal(store_count(s->store), 3);
	assert_in_range(after, 0, before + 64 * 1024);
}

static void add_pending(struct session *s, struct subscription *pods, unsigned from, unsigned to)
{
	char ns[16];

	for (unsigned i = from; i < to; i++) {
		snprintf(ns, sizeof(ns), "n%u", i);
		tell(pods, OBJECT_ADDED, pod(s, ns, i, "Pending"));
	}
	turn(s);
	answer_all(s);
	turn(s);
}

/* Of so many turns in which one object changes. */
static clock_t cost_of_turns(struct session *s, struct subscription *pods)
{
	enum { TURNS = 4000 };
	clock_t began = clock();

	for (unsigned i = 0; i < TURNS; i++) {
		tell(pods, OBJECT_MODIFIED, pod(s, "n7", 7, i % 2 ? "Pending" : "Failed"));
		turn(s);
		arena_reset(&s->texts);
	}
	return clock() - began;
}

/*
 * Where thousands were deferred, a turn looks at none of them while there is no room; nothing is kept of those that
 * went; those that are left have their turn when there is room.
 */
static void test_deferred(void **state)
{
	enum { DEFERRED = 5000, COMES = 100, LEFT = 300 };
	struct session *s = *state;
	struct subscription *pods;
	clock_t alone, among_many;
	size_t before = 0;
	char ns[16];

	ask(s, "Pod", "");
	pods = find(s, "Pod", "", "");
	list_empty(pods);
	add_pending(s, pods, 0, FEEDS_LOOKUPS);
	assert_int_equal(s->limits, 0);
	alone = cost_of_turns(s, pods);
	add_pending(s, pods, FEEDS_LOOKUPS, FEEDS_LOOKUPS + DEFERRED);
	assert_int_equal(s->open, 1 + FEEDS_LOOKUPS);
	assert_true(s->limits > 0);
	among_many = cost_of_turns(s, pods);
	if (getenv("KUBECTL_STATUS_CHURN"))
		printf("a turn: %.1f us; with %d deferred: %.1f us\n", (double)alone * 1e6 / CLOCKS_PER_SEC / 4000, DEFERRED,
		       (double)among_many * 1e6 / CLOCKS_PER_SEC / 4000);
	assert_true(among_many < 5 * alone + CLOCKS_PER_SEC / 20);	/* walking all of them takes twenty times as long */
	/* one of those that wait goes and comes back, again and again */
	for (unsigned i = 0; i < COMES; i++) {
		snprintf(ns, sizeof(ns), "n%u", FEEDS_LOOKUPS + DEFERRED - 1);
		tell(pods, i % 2 ? OBJECT_ADDED : OBJECT_DELETED, pod(s, ns, FEEDS_LOOKUPS + DEFERRED - 1, "Pending"));
		turn(s);
		graph_forget(s->graph);
		arena_reset(&s->texts);
		if (i == COMES / 4)
			before = heap_in_use();
	}
	assert_in_range(heap_in_use(), 0, before + 64 * 1024);
	for (unsigned i = 0; i < FEEDS_LOOKUPS + DEFERRED - LEFT; i++) {
		snprintf(ns, sizeof(ns), "n%u", i);
		tell(pods, OBJECT_DELETED, pod(s, ns, i, "Pending"));
	}
	for (unsigned i = 0; i < 40; i++) {
		turn(s);
		answer_all(s);
	}
	assert_int_equal(s->open, 1 + FEEDS_LOOKUPS);
	for (unsigned i = FEEDS_LOOKUPS + DEFERRED - LEFT; i < FEEDS_LOOKUPS + DEFERRED - LEFT / 2; i++) {
		snprintf(ns, sizeof(ns), "n%u", i);
		tell(pods, OBJECT_DELETED, pod(s, ns, i, "Pending"));
	}
	for (unsigned i = 0; i < 40; i++) {
		turn(s);
		answer_all(s);
	}
	assert_int_equal(s->open, 1 + FEEDS_LOOKUPS);
	assert_int_equal(store_count(s->store), LEFT / 2);
}

/* ---- rechecks ------------------------------------------------------------------------- */

static void give_widgets(struct session *s, unsigned n)
{
	struct subscription *sub;

	ask(s, "Widget", "a");
	sub = find(s, "Widget", "a", "");
	list_begin(sub);
	for (unsigned i = 0; i < n; i++)
		tell(sub, OBJECT_LISTED, widget(s, i, NOW));
	list_end(sub);
	turn(s);
	answer_all(s);
	turn(s);
}

static void answer_gets(struct session *s, size_t from, int status, const char *body)
{
	for (size_t i = from, n = s->ngets; i < n; i++)
		s->gets[i].done(s->gets[i].ctx, status, str_of(body), NULL);
}

static size_t times_asked(const struct session *s, const char *path)
{
	size_t n = 0;

	for (size_t i = 0; i < s->ngets; i++)
		n += strcmp(s->gets[i].path, path) == 0;
	return n;
}

/* Refused again and again: each gets its turn, none is asked at every chance. */
static void test_rechecks_do_not_starve(void **state)
{
	struct session *s = *state;
	size_t seen = 0;

	give_widgets(s, 30);
	assert_int_equal(s->ngets, 0);
	for (unsigned i = 0; i < 60; i++) {
		s->now += SECONDS(5);
		turn(s);
		answer_gets(s, seen, 403, "{}");
		seen = s->ngets;
	}
	for (unsigned i = 0; i < 30; i++)
		assert_in_range(times_asked(s, arena_printf(&s->arena, "Widget/a/w%u", i).ptr), 1, 6);
}

/* Nothing is answered: a bounded number waits, and no object twice. */
static void test_rechecks_that_stall(void **state)
{
	struct session *s = *state;

	give_widgets(s, 100);
	for (unsigned i = 0; i < 200; i++) {
		s->now += SECONDS(5);
		turn(s);
	}
	assert_in_range(s->ngets, 8, 32);
	for (size_t i = 0; i < s->ngets; i++)
		assert_int_equal(times_asked(s, s->gets[i].path), 1);
	answer_gets(s, 0, 200, "");
}

/* An answer that comes after its object went, or after one of the same name came, is not used. */
static void test_recheck_of_what_is_gone(void **state)
{
	struct session *s = *state;
	struct subscription *sub;

	give_widgets(s, 1);
	sub = find(s, "Widget", "a", "");
	s->now += MINUTES(3);
	turn(s);
	assert_int_equal(s->ngets, 1);
	tell(sub, OBJECT_DELETED, widget(s, 0, NOW));
	turn(s);
	answer_gets(s, 0, 200, widget(s, 0, NOW));
	turn(s);
	assert_int_equal(handle_of(s, "Widget", "a", "w0").slot, 0);
	s->now += HOURS(1);
	turn(s);
	assert_int_equal(s->ngets, 1);
}

/* While an answer is on its way the watch brings what is newer: the object does not go back to what it was. */
static void test_recheck_is_overtaken(void **state)
{
	struct session *s = *state;
	const char *ready = "{\"apiVersion\":\"example.org/v1\",\"kind\":\"Widget\",\"metadata\":{\"namespace\":\"a\",\"name\":\"w0\"},"
			    "\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}";

	give_widgets(s, 1);
	assert_int_not_equal(phase_of(s, "Widget", "a", "w0"), PHASE_READY);
	s->now += MINUTES(3);
	turn(s);
	assert_int_equal(s->ngets, 1);
	tell(find(s, "Widget", "a", ""), OBJECT_MODIFIED, ready);
	turn(s);
	assert_int_equal(phase_of(s, "Widget", "a", "w0"), PHASE_READY);
	answer_gets(s, 0, 200, widget(s, 0, NOW));
	turn(s);
	assert_int_equal(phase_of(s, "Widget", "a", "w0"), PHASE_READY);
}

/* A verdict that expired is made anew. */
static void test_recheck(void **state)
{
	struct session *s = *state;

	give_widgets(s, 1);
	s->now += MINUTES(2) - 1;
	turn(s);
	assert_int_equal(s->ngets, 0);
	assert_true(feeds_deadline(s->observe) <= s->now + 1);
	s->now++;
	turn(s);
	assert_int_equal(s->ngets, 1);
	answer_gets(s, 0, 200, widget(s, 0, NOW));
	turn(s);
	s->now += HOURS(1);
	turn(s);
	assert_int_equal(s->ngets, 1);
}

/* ---- the query -------------------------------------------------------------------------- */

static void test_another_query(void **state)
{
	struct session *s = *state;
	struct subscription *pods;
	size_t asked;

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	tell(pods, OBJECT_LISTED, pod(s, "a", 1, "Pending"));
	list_end(pods);
	turn(s);
	answer_all(s);
	turn(s);
	ask(s, "Pod", "b");
	assert_non_null(find(s, "Pod", "b", ""));
	answer_all(s);
	turn(s);
	assert_int_equal(s->open, 3 + 1);	/* and the namespace, because it has no pods */
	answer_all(s);
	turn(s);
	assert_null(find(s, "Pod", "a", ""));
	assert_int_equal(s->open, 1 + 1);
	assert_int_equal(store_count(s->store), 0);
	asked = s->n;
	ask(s, "Pod", "b");
	turn(s);
	assert_int_equal(s->n, asked);
}

/* What was read for the query before is not read again as a neighbour, and is there all the time; the rest is closed. */
static void test_another_query_has_its_neighbours(void **state)
{
	struct session *s = *state;
	const struct selection all[] = { { .kind = kind_of(s, "Pod") }, { .kind = kind_of(s, "Secret") }, { .kind = kind_of(s, "Widget") } };
	struct feeds_query q = { .what = all, .n = 3, .ns = STR("a") };
	struct subscription *pods, *secrets;
	size_t asked;

	feeds_ask(s->observe, &q, s->now);
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	tell(pods, OBJECT_LISTED, pod(s, "a", 1, "Pending"));
	list_end(pods);
	secrets = find(s, "Secret", "a", "");
	list_begin(secrets);
	tell(secrets, OBJECT_LISTED, "{\"metadata\":{\"namespace\":\"a\",\"name\":\"s1\"}}");
	list_end(secrets);
	answer_all(s);
	turn(s);
	answer_all(s);
	turn(s);
	asked = s->n;
	ask(s, "Pod", "a");
	assert_true(handle_of(s, "Secret", "a", "s1").slot != 0);
	turn(s);
	turn(s);
	assert_int_equal(s->n, asked);
	assert_ptr_equal(find(s, "Secret", "a", ""), secrets);
	assert_int_equal(phase_of(s, "Pod", "a", "p1"), PHASE_PROVISIONING);
	assert_null(find(s, "Widget", "a", ""));
	tell(pods, OBJECT_DELETED, pod(s, "a", 1, "Pending"));
	turn(s);
	assert_null(find(s, "Secret", "a", ""));
}

/* Nothing was found in a namespace: does it exist?  The namespace "default" always does. */
static void test_namespace_without_objects(void **state)
{
	struct session *s = *state;
	struct object_id id = { .kind = kind_of(s, "Namespace"), .name = STR("b") };

	ask(s, "Pod", "a");
	list_begin(find(s, "Pod", "a", ""));
	tell(find(s, "Pod", "a", ""), OBJECT_LISTED, pod(s, "a", 1, "Running"));
	list_end(find(s, "Pod", "a", ""));
	turn(s);
	assert_null(find(s, "Namespace", "", "a"));
	for (int round = 0; round < 2; round++) {
		ask(s, "Pod", "default");
		answer_all(s);
		turn(s);
		assert_null(find(s, "Namespace", "", "default"));
		ask(s, "Pod", "b");
		assert_null(find(s, "Namespace", "", "b"));
		answer_all(s);
		turn(s);
		assert_non_null(find(s, "Namespace", "", "b"));
		assert_false(feeds_settled(s->observe));
		answer_all(s);
		turn(s);
		assert_true(feeds_settled(s->observe));
		assert_int_equal(store_name_coverage(s->store, &id), COVERAGE_COMPLETE);
	}
	tell(find(s, "Namespace", "", "b"), OBJECT_ADDED, "{\"metadata\":{\"name\":\"b\"}}");
	assert_true(store_find(s->store, &id).slot);
	assert_string_equal(buf_cstr(&s->told), "");
}

/* Of definitions there is one list, whoever asks; it tells when kinds come. */
static void test_definitions_are_listed_once(void **state)
{
	struct session *s = *state;
	struct subscription *sub;
	size_t before;

	ask(s, NULL, "a");
	assert_int_equal(s->n, 3);	/* pods, widgets, definitions */
	sub = find(s, "CustomResourceDefinition", "", "");
	assert_true(sub->what.metadata_only);
	list_begin(sub);
	tell(sub, OBJECT_LISTED, "{\"metadata\":{\"name\":\"widgets.example.org\"}}");
	list_end(sub);
	answer_all(s);
	turn(s);
	assert_int_equal(phase_of(s, "CustomResourceDefinition", "", "widgets.example.org"), PHASE_READY);
	before = s->discoveries;
	tell(sub, OBJECT_ADDED, "{\"metadata\":{\"name\":\"gadgets.example.org\"}}");
	assert_in_range(feeds_deadline(s->observe), s->now, s->now + SECONDS(1));
	serve(s, "example.org", "Gadget", KIND_NAMESPACED | KIND_CUSTOM);
	s->now += SECONDS(1);
	turn(s);
	assert_int_equal(s->discoveries, before + 1);
	assert_non_null(find(s, "Gadget", "a", ""));
	ask(s, "CustomResourceDefinition", "");
	assert_ptr_equal(find(s, "CustomResourceDefinition", "", ""), sub);
}

/* Asks for Widgets, of which one has no status, and returns who asks for their definition. */
static struct subscription *ask_for_silent_widget(struct session *s)
{
	struct subscription *widgets, *sub;

	ask(s, "Widget", "a");
	widgets = find(s, "Widget", "a", "");
	list_begin(widgets);
	tell(widgets, OBJECT_LISTED,
	     "{\"metadata\":{\"namespace\":\"a\",\"name\":\"w\",\"creationTimestamp\":\"2026-11-20T08:00:00Z\"},\"spec\":{\"size\":1}}");
	list_end(widgets);
	turn(s);
	assert_int_equal(phase_of(s, "Widget", "a", "w"), PHASE_UNKNOWN);
	sub = find(s, "CustomResourceDefinition", "", "widgets.example.org");
	assert_non_null(sub);
	assert_false(sub->what.metadata_only);
	return sub;
}

static void give_schema(struct session *s, struct subscription *sub, const char *properties)
{
	list_begin(sub);
	tell(sub, OBJECT_LISTED,
	     arena_printf(&s->texts,
			  "{\"metadata\":{\"name\":\"widgets.example.org\"},\"spec\":{\"group\":\"example.org\",\"names\":{\"kind\":\"Widget\","
			  "\"plural\":\"widgets\"},\"versions\":[{\"name\":\"v1\",\"schema\":{\"openAPIV3Schema\":{\"properties\":{%s}}}}]},"
			  "\"status\":{\"conditions\":[{\"type\":\"Established\",\"status\":\"True\"}]}}",
			  properties)
		     .ptr);
	list_end(sub);
	turn(s);
}

/* There is no status subresource: the schema tells whether the objects have a status. */
static void test_schema_without_status(void **state)
{
	struct session *s = *state;
	struct subscription *sub = ask_for_silent_widget(s);

	give_schema(s, sub, "\"spec\":{}");
	assert_int_equal(phase_of(s, "Widget", "a", "w"), PHASE_READY);
}

static void test_schema_with_status(void **state)
{
	struct session *s = *state;
	struct subscription *sub = ask_for_silent_widget(s);
	struct summary sum;

	give_schema(s, sub, "\"spec\":{},\"status\":{\"properties\":{\"phase\":{}}}");
	assert_int_equal(phase_of(s, "Widget", "a", "w"), PHASE_UNKNOWN);
	assert_true(graph_summary(s->graph, handle_of(s, "Widget", "a", "w"), &sum));
	assert_int_equal(sum.severity, SEVERITY_WARNING);
}

/* The list of definitions has only their metadata: that the definition is there does not tell what is in it. */
static void test_schema_behind_metadata(void **state)
{
	struct session *s = *state;
	struct subscription *sub;

	ask(s, "CustomResourceDefinition", "");
	sub = find(s, "CustomResourceDefinition", "", "");
	list_begin(sub);
	tell(sub, OBJECT_LISTED, "{\"metadata\":{\"name\":\"widgets.example.org\"}}");
	list_end(sub);
	turn(s);
	sub = ask_for_silent_widget(s);
	give_schema(s, sub, "\"spec\":{}");
	assert_int_equal(phase_of(s, "Widget", "a", "w"), PHASE_READY);
}

/* Nobody may read it: the kind is taken for one without status. */
static void test_schema_that_may_not_be_read(void **state)
{
	struct session *s = *state;
	struct subscription *sub = ask_for_silent_widget(s);

	forbid(sub);
	turn(s);
	assert_int_equal(phase_of(s, "Widget", "a", "w"), PHASE_READY);
}

/* ---- what feeds have ----------------------------------------------------------------------- */

static const char *labelled(struct session *s, const char *ns, const char *name)
{
	return arena_printf(&s->texts, "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\"}}", ns, name).ptr;
}

/* A Pod that waits for a Secret, where Secrets with a label are asked for, too; the list has what the label chose. */
static struct subscription *ask_with_label(struct session *s)
{
	struct selection *what = arena_array(&s->arena, 2, sizeof(*what));
	struct feeds_query q = { .what = what, .n = 2, .ns = STR("a"), .labels = STR("app=x") };
	struct subscription *pods, *secrets;

	what[0].kind = kind_of(s, "Pod");
	what[1].kind = kind_of(s, "Secret");
	feeds_ask(s->observe, &q, s->now);
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	tell(pods, OBJECT_LISTED, pod(s, "a", 1, "Pending"));
	list_end(pods);
	secrets = find(s, "Secret", "a", "");
	list_begin(secrets);
	tell(secrets, OBJECT_LISTED, labelled(s, "a", "chosen"));
	list_end(secrets);
	turn(s);
	return secrets;
}

/* The version of a list with a selector has expired: what was looked up beside it is still looked at, and stays. */
static void test_list_with_selector_removes_its_own_only(void **state)
{
	struct session *s = *state;
	struct subscription *secrets = ask_with_label(s), *secret = find(s, "Secret", "a", "s1");

	list_begin(secret);
	tell(secret, OBJECT_LISTED, labelled(s, "a", "s1"));
	list_end(secret);
	turn(s);
	list_begin(secrets);
	tell(secrets, OBJECT_LISTED, labelled(s, "a", "other"));
	list_end(secrets);
	turn(s);
	assert_true(handle_of(s, "Secret", "a", "s1").slot != 0);
	assert_true(handle_of(s, "Secret", "a", "other").slot != 0);
	assert_int_equal(handle_of(s, "Secret", "a", "chosen").slot, 0);
	assert_int_equal(s->vanished, 1);
	/* it gets the label, and loses it: that is an event DELETED of the list alone */
	tell(secrets, OBJECT_ADDED, labelled(s, "a", "s1"));
	tell(secrets, OBJECT_DELETED, labelled(s, "a", "s1"));
	assert_true(handle_of(s, "Secret", "a", "s1").slot != 0);
	tell(secret, OBJECT_DELETED, labelled(s, "a", "s1"));
	assert_int_equal(handle_of(s, "Secret", "a", "s1").slot, 0);
}

/* A list with a selector does not answer who needs the whole kind. */
static void test_list_with_selector_covers_no_other(void **state)
{
	struct session *s = *state;
	struct subscription *secrets = ask_with_label(s), *all = NULL;

	for (unsigned i = 2; i < 12; i++)
		tell(find(s, "Pod", "a", ""), OBJECT_ADDED, pod(s, "a", i, "Pending"));
	turn(s);
	for (size_t i = 0; i < s->used; i++)
		if (s->subs[i].open && &s->subs[i] != secrets && str_is(s->subs[i].what.kind->kind, "Secret") &&
		    s->subs[i].what.name.len == 0)
			all = &s->subs[i];
	assert_non_null(all);
	assert_int_equal(all->what.label_selector.len, 0);
	list_begin(all);
	tell(all, OBJECT_LISTED, labelled(s, "a", "s7"));
	tell(all, OBJECT_LISTED, labelled(s, "a", "chosen"));
	list_end(all);
	turn(s);
	assert_int_equal(store_coverage(s->store, 0, secrets->what.kind, STR("a")), COVERAGE_COMPLETE);
	assert_true(handle_of(s, "Secret", "a", "s7").slot != 0);
	/* nobody needs them any more: what the label chose stays, and the kind is not known as a whole */
	for (unsigned i = 1; i < 12; i++)
		tell(find(s, "Pod", "a", ""), OBJECT_DELETED, pod(s, "a", i, "Pending"));
	turn(s);
	assert_false(all->open);
	assert_int_equal(handle_of(s, "Secret", "a", "s7").slot, 0);
	assert_true(handle_of(s, "Secret", "a", "chosen").slot != 0);
	assert_int_equal(store_coverage(s->store, 0, secrets->what.kind, STR("a")), COVERAGE_NONE);
}

/* What was not asked for: a server that does not know the selector of a name, another namespace. */
static void test_what_was_not_asked_for(void **state)
{
	struct session *s = *state;
	struct subscription *secrets = ask_with_label(s), *secret = find(s, "Secret", "a", "s1");

	list_begin(secret);
	tell(secret, OBJECT_LISTED, labelled(s, "a", "s0"));
	tell(secret, OBJECT_LISTED, labelled(s, "a", "s1"));
	list_end(secret);
	tell(secrets, OBJECT_ADDED, labelled(s, "b", "elsewhere"));
	assert_true(handle_of(s, "Secret", "a", "s1").slot != 0);
	assert_int_equal(handle_of(s, "Secret", "a", "s0").slot, 0);
	assert_int_equal(handle_of(s, "Secret", "b", "elsewhere").slot, 0);
	tell(secret, OBJECT_DELETED, labelled(s, "a", "chosen"));
	tell(secrets, OBJECT_DELETED, labelled(s, "a", "s1"));
	assert_true(handle_of(s, "Secret", "a", "chosen").slot != 0);
	assert_true(handle_of(s, "Secret", "a", "s1").slot != 0);
}

/* A list that begins twice, and one without a beginning. */
static void test_list_begun_twice(void **state)
{
	struct session *s = *state;
	struct subscription *pods;

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	list_begin(pods);
	tell(pods, OBJECT_LISTED, pod(s, "a", 1, "Running"));
	list_begin(pods);
	tell(pods, OBJECT_LISTED, pod(s, "a", 2, "Running"));
	assert_int_equal(store_count(s->store), 2);
	list_end(pods);
	assert_int_equal(handle_of(s, "Pod", "a", "p1").slot, 0);
	assert_true(handle_of(s, "Pod", "a", "p2").slot != 0);
	tell(pods, OBJECT_ADDED, pod(s, "a", 3, "Running"));
	list_end(pods);
	assert_int_equal(store_count(s->store), 2);
}

enum { RANDOM_NAMES = 4, RANDOM_OBJECTS = 2 * RANDOM_NAMES };

/* A feed as it should be: bits of objects, the first half in namespace a, the others in b. */
struct modelled {
	struct subscribe what;
	struct feed *feed;
	unsigned scope, has, listed;
	bool listing;
};

static unsigned below(uint64_t *random, unsigned n)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*random >> 33) % n;
}

static const char *random_pod(struct session *s, unsigned object)
{
	return pod(s, object < RANDOM_NAMES ? "a" : "b", object % RANDOM_NAMES, object % 2 ? "Running" : "Pending");
}

static void model_list(struct session *s, struct modelled *m, unsigned step, unsigned object)
{
	struct subscription *sub = m->feed->sub;

	if (step == 0) {
		list_begin(sub);
		m->listing = true;
		m->listed = 0;
	} else if (m->listing && step == 1) {
		list_end(sub);
		m->has = m->listed;
		m->listing = false;
	} else if (m->listing) {
		tell(sub, OBJECT_LISTED, random_pod(s, object));
		m->listed |= 1u << object & m->scope;
		m->has |= 1u << object & m->scope;
	}
}

static void model_event(struct session *s, struct modelled *m, bool gone, unsigned object)
{
	tell(m->feed->sub, gone ? OBJECT_DELETED : OBJECT_MODIFIED, random_pod(s, object));
	if (gone) {
		m->has &= ~(1u << object);
		m->listed &= ~(1u << object);
		return;
	}
	m->has |= 1u << object & m->scope;
	m->listed |= m->listing ? 1u << object & m->scope : 0;
}

static void model_step(struct session *s, struct modelled *m, uint64_t *random)
{
	unsigned step = below(random, 16), object = below(random, RANDOM_OBJECTS);

	if (!m->feed) {
		m->feed = feed_open(s->ctx, &m->what, 0);
		m->feed->waiters = 1;
	} else if (step == 0) {
		feed_release(m->feed);
		feeds_close_idle(s->observe);
		*m = (struct modelled){ .what = m->what, .scope = m->scope };
	} else if (step == 1) {
		forbid(m->feed->sub);
	} else if (step < 10) {
		model_list(s, m, step - 2, object);
	} else {
		model_event(s, m, step < 12, object);
	}
}

/* Feeds of all kinds over one kind of objects, each with its own view: the store is what at least one of them has. */
static void test_store_is_what_feeds_have(void **state)
{
	enum { A = (1 << RANDOM_NAMES) - 1, B = A << RANDOM_NAMES, STEPS = 20000 };
	struct session *s = *state;
	struct modelled feeds[] = {
		{ .scope = A | B },
		{ .what.label_selector = STR("x=1"), .scope = A | B },
		{ .what.ns = STR("a"), .scope = A },
		{ .what = { .ns = STR("a"), .label_selector = STR("x=1") }, .scope = A },
		{ .what = { .ns = STR("a"), .field_selector = STR("x=1") }, .scope = A },
		{ .what.ns = STR("b"), .scope = B },
		{ .what = { .ns = STR("a"), .name = STR("p0") }, .scope = 1 },
		{ .what = { .ns = STR("a"), .name = STR("p1"), .metadata_only = true }, .scope = 2 },
		{ .what = { .ns = STR("b"), .name = STR("p0") }, .scope = 1 << RANDOM_NAMES },
	};
	uint64_t random = 7;

	for (unsigned step = 0; step < STEPS; step++) {
		unsigned all = 0;

		for (size_t i = 0; i < COUNT(feeds); i++)
			feeds[i].what.kind = kind_of(s, "Pod");
		model_step(s, &feeds[below(&random, COUNT(feeds))], &random);
		for (size_t i = 0; i < COUNT(feeds); i++)
			all |= feeds[i].has;
		for (unsigned object = 0; object < RANDOM_OBJECTS; object++)
			assert_int_equal(handle_of(s, "Pod", object < RANDOM_NAMES ? "a" : "b",
						   name_of(s, "p", object % RANDOM_NAMES)).slot != 0, all >> object & 1);
		if (step % 50 == 0) {
			turn(s);
			graph_forget(s->graph);
			arena_reset(&s->texts);
		}
	}
}

/* ---- how old it is ---------------------------------------------------------------------- */

static bool is_fresh(struct session *s, struct feeds_freshness *out)
{
	*out = feeds_freshness(s->observe, s->now);
	return feeds_is_fresh(out);
}

/* Who gets a watch where there is no room for all. */
static void test_urgency(void **state)
{
	struct session *s = *state;
	struct subscription *pods, *widgets, *secret;
	struct handle shown;

	ask(s, NULL, "a");
	pods = find(s, "Pod", "a", "");
	widgets = find(s, "Widget", "a", "");
	list_begin(pods);
	tell(pods, OBJECT_LISTED, pod(s, "a", 1, "Pending"));
	list_end(pods);
	answer_all(s);
	turn(s);
	secret = find(s, "Secret", "a", "s1");
	assert_non_null(secret);
	assert_int_equal(pods->urgency, URGENCY_LISTED);
	assert_int_equal(widgets->urgency, URGENCY_ASKED);
	assert_int_equal(secret->urgency, URGENCY_NEIGHBOUR);
	assert_int_equal(find(s, "CustomResourceDefinition", "", "")->urgency, URGENCY_ON_SCREEN);
	shown = handle_of(s, "Pod", "a", "p1");
	feeds_on_screen(s->observe, &shown, 1);
	assert_int_equal(pods->urgency, URGENCY_ON_SCREEN);
	assert_int_equal(widgets->urgency, URGENCY_ASKED);
	feeds_on_screen(s->observe, NULL, 0);
	assert_int_equal(pods->urgency, URGENCY_LISTED);
	list_empty(pods);
	assert_int_equal(pods->urgency, URGENCY_ASKED);
}

static void test_freshness(void **state)
{
	struct session *s = *state;
	struct feeds_freshness f;
	struct subscription *pods, *widgets;

	ask(s, NULL, "a");
	pods = find(s, "Pod", "a", "");
	widgets = find(s, "Widget", "a", "");
	answer_all(s);
	turn(s);
	s->last_received = s->now;
	assert_true(is_fresh(s, &f));
	pods->fresh = (struct subscription_freshness){ FRESH_RECONNECTING, s->now - MINUTES(4) };
	widgets->fresh = (struct subscription_freshness){ FRESH_RECONNECTING, s->now - MINUTES(3) };
	assert_false(is_fresh(s, &f));
	assert_int_equal(f.kinds_old, 2);
	assert_int_equal(f.old_since, s->now - MINUTES(4));
	pods->fresh = widgets->fresh = (struct subscription_freshness){ FRESH_WATCHED, 0 };
	/* Nobody sees the definitions. */
	find(s, "CustomResourceDefinition", "", "")->fresh.state = FRESH_RECONNECTING;
	assert_true(is_fresh(s, &f));
	widgets->fresh = (struct subscription_freshness){ FRESH_POLLED, s->now - SECONDS(20) };
	assert_false(is_fresh(s, &f));
	assert_int_equal(f.kinds_polled, 1);
	widgets->fresh.state = FRESH_REFUSED;
	assert_true(is_fresh(s, &f));
	s->now += FEEDS_SILENCE + 1;
	assert_false(is_fresh(s, &f));
	assert_int_equal(f.silent_since, s->last_received);
	s->last_received = s->now;
	s->login_since = s->now - SECONDS(15);
	assert_false(is_fresh(s, &f));
	assert_int_equal(f.login_since, s->login_since);
}

static void fails(struct subscription *sub, enum errc code, const char *words)
{
	struct err err;

	err_set(&err, code, "%s", words);
	feeds_session_ops.subscription_changed(sub->session->ctx, sub, SUBSCRIPTION_BACKOFF, &err);
}

static void told(struct session *s, const char *expected)
{
	assert_string_equal(buf_cstr(&s->told), expected);
	buf_reset(&s->told);
}

/* One kind fails from the start: it is named at the second time, blocks nobody, and is forgotten when it answers. */
static void test_a_kind_that_fails(void **state)
{
	struct session *s = *state;
	struct feeds_freshness f;
	struct subscription *pods, *widgets;

	ask(s, NULL, "a");
	pods = find(s, "Pod", "a", "");
	widgets = find(s, "Widget", "a", "");
	widgets->fresh.state = FRESH_LISTING;
	list_empty(pods);
	list_empty(find(s, "CustomResourceDefinition", "", ""));
	fails(widgets, ERR_SERVER, "webhook");
	told(s, "");
	turn(s);
	assert_false(feeds_settled(s->observe));
	fails(widgets, ERR_SERVER, "webhook");
	fails(widgets, ERR_SERVER, "webhook, later");
	told(s, "unavailable widgets.example.org: webhook\n");
	turn(s);
	list_empty(find(s, "Namespace", "", "a"));
	turn(s);
	assert_true(feeds_settled(s->observe));
	assert_int_equal(feeds_facts(s->observe).lists_done, feeds_facts(s->observe).lists_total);
	assert_int_equal(feeds_facts(s->observe).unread, 1);
	assert_false(is_fresh(s, &f));
	assert_int_equal(f.kinds_unread, 1);
	assert_int_equal(f.kinds_old, 0);
	assert_null(feeds_unreadable(s->observe, NULL, false));
	assert_int_equal(store_coverage(s->store, 0, kind_of(s, "Widget"), STR("a")), COVERAGE_NONE);
	list_empty(widgets);
	widgets->fresh.state = FRESH_WATCHED;
	told(s, "over unavailable widgets.example.org\n");
	assert_true(is_fresh(s, &f));
	assert_int_equal(store_coverage(s->store, 0, kind_of(s, "Widget"), STR("a")), COVERAGE_COMPLETE);
	/* again, and nobody asks for it any more: the notice goes with it */
	fails(widgets, ERR_PROTO, "no list");
	fails(widgets, ERR_PROTO, "no list");
	ask(s, "Pod", "a");
	told(s, "unavailable widgets.example.org: no list\nover unavailable widgets.example.org\n");
}

/* A server that is away, or asks to wait, is no matter of one kind at first. */
static void test_an_outage_names_no_kind(void **state)
{
	struct session *s = *state;
	struct subscription *widgets;

	ask(s, NULL, "a");
	widgets = find(s, "Widget", "a", "");
	list_empty(find(s, "Pod", "a", ""));
	s->away = true;
	for (int i = 0; i < 10; i++)
		fails(widgets, ERR_NET, "refused");
	for (int i = 0; i < 10; i++)
		fails(widgets, ERR_AUTH, "who are you");
	told(s, "");
	s->away = false;
	for (int i = 0; i < 3; i++)
		fails(widgets, ERR_THROTTLED, "too many");
	told(s, "");
	fails(widgets, ERR_NET, "reset");
	told(s, "unavailable widgets.example.org: reset\n");
}

/* No answer at all, while others are answered. */
static void test_a_kind_that_is_silent(void **state)
{
	struct session *s = *state;
	struct subscription *widgets;

	ask(s, NULL, "a");
	widgets = find(s, "Widget", "a", "");
	list_empty(find(s, "Pod", "a", ""));
	list_empty(find(s, "CustomResourceDefinition", "", ""));
	s->now += SECONDS(9);
	widgets->silent = true;
	turn(s);
	told(s, "");
	assert_false(feeds_settled(s->observe));
	assert_int_equal(feeds_deadline(s->observe), s->now + SECONDS(1));
	s->now += SECONDS(1);
	turn(s);
	told(s, "unavailable widgets.example.org: the server has not answered its list for 10 s\n");
	list_empty(find(s, "Namespace", "", "a"));
	turn(s);
	assert_true(feeds_settled(s->observe));
	list_empty(widgets);
	told(s, "over unavailable widgets.example.org\n");
}

/* The progress counts what the server says is left, until the list is complete. */
static void test_progress(void **state)
{
	struct session *s = *state;
	struct subscription *pods;

	ask(s, "Pod", "a");
	pods = find(s, "Pod", "a", "");
	pods->remaining = 1000;
	assert_int_equal(feeds_facts(s->observe).remaining, 1000);
	list_empty(pods);
	assert_int_equal(feeds_facts(s->observe).remaining, 0);
}

/* May not be read anywhere: a few namespaces are tried, and that is it. */
static void test_forbidden_everywhere(void **state)
{
	struct session *s = *state;
	const struct selection what[] = { { .kind = kind_of(s, "Namespace") }, { .kind = kind_of(s, "Pod") } };
	struct feeds_query q = { .what = what, .n = 2 };
	struct subscription *namespaces;
	char text[64];

	feeds_ask(s->observe, &q, s->now);
	namespaces = find(s, "Namespace", "", "");
	list_begin(namespaces);
	for (unsigned i = 0; i < 40; i++) {
		snprintf(text, sizeof(text), "{\"metadata\":{\"name\":\"n%u\"}}", i);
		tell(namespaces, OBJECT_LISTED, text);
	}
	list_end(namespaces);
	for (size_t i = 0; i < s->used; i++)
		if (!s->subs[i].answered)
			forbid(&s->subs[i]);
	turn(s);
	assert_true(feeds_settled(s->observe));
	assert_int_equal(feeds_facts(s->observe).forbidden, 1); /* one kind, however many namespaces were tried */
	assert_int_equal(s->n, 1 + 1 + 4);
	q = (struct feeds_query){ .what = what + 1, .n = 1 };
	feeds_ask(s->observe, &q, s->now);
	turn(s);
	assert_int_equal(feeds_unreadable(s->observe, NULL, false)->code, ERR_FORBIDDEN);
}

/* One of those that are tried may be read: then so may be others. */
static void test_forbidden_in_some(void **state)
{
	struct session *s = *state;
	const struct selection what[] = { { .kind = kind_of(s, "Namespace") }, { .kind = kind_of(s, "Pod") } };
	struct feeds_query q = { .what = what, .n = 2 };
	struct subscription *namespaces;
	char text[64];

	feeds_ask(s->observe, &q, s->now);
	namespaces = find(s, "Namespace", "", "");
	list_begin(namespaces);
	for (unsigned i = 0; i < 30; i++) {
		snprintf(text, sizeof(text), "{\"metadata\":{\"name\":\"n%u\"}}", i);
		tell(namespaces, OBJECT_LISTED, text);
	}
	list_end(namespaces);
	forbid(find(s, "Pod", "", ""));
	forbid(find(s, "Pod", "a", ""));
	assert_int_equal(s->n, 1 + 1 + 4);
	list_empty(find(s, "Pod", "n1", ""));
	assert_non_null(find(s, "Pod", "n29", ""));
	assert_int_equal(s->n, 1 + 1 + 1 + 30);
	feeds_ask(s->observe, &q, s->now);
	assert_int_equal(s->open, 1 + 1 + 1 + 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(test_lookups_end_with_who_asks),
		TEST(test_a_namespace_tells_the_owner),
		TEST(test_what_went_is_missing),
		TEST(test_what_it_brought_goes),
		TEST(test_many_names_are_one_list),
		TEST(test_many_at_once),
		TEST(test_forbidden_is_not_looked_up),
		TEST(test_ceiling),
		TEST(test_what_is_well_asks_for_nothing),
		TEST(test_event_costs_what_it_touches),
		TEST(test_churn),
		TEST(test_deferred),
		TEST(test_rechecks_do_not_starve),
		TEST(test_rechecks_that_stall),
		TEST(test_recheck_of_what_is_gone),
		TEST(test_recheck_is_overtaken),
		TEST(test_recheck),
		TEST(test_another_query),
		TEST(test_another_query_has_its_neighbours),
		TEST(test_namespace_without_objects),
		TEST(test_definitions_are_listed_once),
		TEST(test_schema_without_status),
		TEST(test_schema_with_status),
		TEST(test_schema_behind_metadata),
		TEST(test_schema_that_may_not_be_read),
		TEST(test_urgency),
		TEST(test_list_with_selector_removes_its_own_only),
		TEST(test_list_with_selector_covers_no_other),
		TEST(test_what_was_not_asked_for),
		TEST(test_list_begun_twice),
		TEST(test_store_is_what_feeds_have),
		TEST(test_freshness),
		TEST(test_a_kind_that_fails),
		TEST(test_an_outage_names_no_kind),
		TEST(test_a_kind_that_is_silent),
		TEST(test_progress),
		TEST(test_forbidden_everywhere),
		TEST(test_forbidden_in_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

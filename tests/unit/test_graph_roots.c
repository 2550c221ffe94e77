/* SPDX-License-Identifier: Apache-2.0 */
/* Waits followed to their end: root causes, cycles, deletion, and what large worlds cost. */
#include "tests/unit/toy.h"

#include "kube/status/thresholds.h"

#define REFS(list) MORE(NULL, "'refs':[" list "]", NULL)
#define NEEDS(kind, name) "{'kind':'" kind "','name':'" name "','flags':'blocks'}"
#define OWNED(kind, name)                                                                   \
	"'ownerReferences':[{'apiVersion':'toy.example/v1','kind':'" kind "','name':'" name \
	"','controller':true}]"
#define BLOCKS_ITS_OWNER(kind, name)                                                        \
	"'ownerReferences':[{'apiVersion':'toy.example/v1','kind':'" kind "','name':'" name \
	"','blockOwnerDeletion':true}]"

/* "failed Net/a/n error: Sub/a/s Sub/a/t" for each root cause, in their order. */
static void check_roots(struct toy_world *w, const char *expected)
{
	struct buf b = { 0 };
	const struct root_cause *r;
	size_t n;

	graph_settle(w->graph, w->now);
	r = graph_roots(w->graph, &w->arena, &n);
	for (size_t i = 0; i < n; i++) {
		buf_printf(&b, "%s " STR_FMT "/" STR_FMT "/" STR_FMT " %s:",
			   wait_state_name(r[i].cause), STR_ARG(r[i].id.kind), STR_ARG(r[i].id.ns),
			   STR_ARG(r[i].id.name), severity_name(r[i].severity));
		for (size_t k = 0; k < r[i].nblocked; k++) {
			struct id id = toy_blocked(w, &r[i], k);

			buf_printf(&b, " " STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(id.kind),
				   STR_ARG(id.ns), STR_ARG(id.name));
		}
		buf_add_char(&b, '\n');
	}
	assert_string_equal(buf_cstr(&b), expected);
	buf_release(&b);
}

/* The root causes that an object names, sorted by nothing. */
static void check_own_roots(struct toy_world *w, const char *id, const char *expected)
{
	struct item it = toy_item(w, id);
	struct buf b = { 0 };

	for (size_t i = 0; i < it.nroots; i++)
		buf_printf(&b, "%s" STR_FMT "/" STR_FMT, i ? " " : "", STR_ARG(it.roots[i].kind),
			   STR_ARG(it.roots[i].name));
	assert_string_equal(buf_cstr(&b), expected);
	buf_release(&b);
}

/* ---- roots ---------------------------------------------------------------- */

/* Who asks for the chain of no object first gets none, and leaves the root causes to be found. */
static void test_chain_of_nothing(void **state)
{
	struct toy_world *w = *state;
	struct item_wait chain[4];

	toy_put(w, "Net/a/n", "Failed", NULL);
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NEEDS("Net", "n")));
	graph_settle(w->graph, w->now);
	assert_int_equal(graph_chain(w->graph, HANDLE_NONE, chain, 4), 0);
	assert_non_null(graph_root(w->graph, toy_find(w, "Net/a/n")));
	assert_int_equal(graph_chain_tail(w->graph, HANDLE_NONE, chain), 0);
	check_roots(w, "failed Net/a/n error: Sub/a/s\n");
}

static void test_failed_and_missing(void **state)
{
	struct toy_world *w = *state;

	toy_complete(w, "Net");
	check_roots(w, "");
	toy_put(w, "Net/a/n", "Failed", NULL);
	check_roots(w, "failed Net/a/n error:\n"); /* blocks nothing, and is one all the same */
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NEEDS("Net", "n")));
	toy_put(w, "Port/a/p", "Provisioning", REFS(NEEDS("Sub", "s")));
	toy_put(w, "Sub/a/t", "Provisioning", REFS(NEEDS("Net", "gone")));
	check_roots(w, "failed Net/a/n error: Sub/a/s Port/a/p\nmissing Net/a/gone warning: "
		       "Sub/a/t\n");
	check_own_roots(w, "Port/a/p", "Net/n");
	check_own_roots(w, "Net/a/n", "");
	check_own_roots(w, "Sub/a/t", "Net/gone");
	toy_put(w, "Net/a/n", "Ready", NULL);
	toy_put(w, "Net/a/gone", "Provisioning", NULL);
	check_roots(w, "not-ready Net/a/gone info: Sub/a/t\nnot-ready Sub/a/s info: Port/a/p\n");
	toy_put(w, "Net/a/gone", "Ready", NULL);
	toy_put(w, "Sub/a/s", "Ready", NULL);
	check_roots(w, "");
}

static void test_two_roots_under_one(void **state)
{
	struct toy_world *w = *state;
	struct item it;

	toy_complete(w, "Net");
	toy_put(w, "Net/a/n", "Failed",
		MORE("'reason':'Quota','message':'over','word':'ERR'", NULL, NULL));
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NEEDS("Net", "n") "," NEEDS("Net", "gone")));
	toy_put(w, "Port/a/p", "Provisioning", REFS(NEEDS("Sub", "s")));
	check_roots(w, "failed Net/a/n error: Sub/a/s Port/a/p\nmissing Net/a/gone warning: "
		       "Sub/a/s Port/a/p\n");
	check_own_roots(w, "Port/a/p", "Net/n Net/gone");
	it = toy_item(w, "Net/a/n");
	assert_true(str_is(it.s.reason, "Quota") && str_is(it.s.message, "over") &&
		    str_is(it.s.operator_phase, "ERR"));
	assert_int_equal(it.ndependents, 1);
}

/* One leaf, many ways to it: every waiter once. */
static void test_diamond(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "Net/a/n", "Failed", NULL);
	toy_put(w, "Sub/a/l", "Provisioning", REFS(NEEDS("Net", "n")));
	toy_put(w, "Sub/a/r", "Provisioning", REFS(NEEDS("Net", "n")));
	toy_put(w, "Port/a/p", "Provisioning", REFS(NEEDS("Sub", "l") "," NEEDS("Sub", "r")));
	check_own_roots(w, "Port/a/p", "Net/n");
	graph_settle(w->graph, w->now);
	check_roots(w, "failed Net/a/n error: Sub/a/l Sub/a/r Port/a/p\n");
}

static void test_not_known_is_not_missing(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "Sub/a/s", "Provisioning",
		REFS("{'kind':'Net','name':'n','flags':'blocks named'}"));
	check_roots(w, "not-ready Net/a/n info: Sub/a/s\n");
	toy_put(w, "Sub/a/s", "Provisioning",
		REFS("{'kind':'Net','name':'n','flags':'blocks named missing'}"));
	check_roots(w, "missing Net/a/n warning: Sub/a/s\n");
}

static void test_external_waits(void **state)
{
	struct toy_world *w = *state;
	struct item_wait first;

	toy_put(w, "Plan/a/p", "Waiting",
		MORE("'external':[{'state':'approval','kind':'Plan','name':'p','message':'approve'}"
		     "]",
		     NULL, NULL));
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NEEDS("Plan", "p")));
	toy_put(w, "Net/a/n", "Provisioning",
		MORE("'external':[{'state':'controller','kind':'Deployment','name':'c'}]", NULL,
		     NULL));
	check_roots(w, "approval Plan/a/p info: Sub/a/s\ncontroller Net/a/n info:\n");
	check_own_roots(w, "Sub/a/s", "Plan/p");
	first = graph_first_wait(w->graph, toy_find(w, "Plan/a/p"));
	assert_true(first.state == WAIT_APPROVAL && str_is(first.on.name, "p") &&
		    str_is(first.on.ns, "a"));
	first = graph_first_wait(w->graph, toy_find(w, "Net/a/n"));
	assert_true(first.state == WAIT_CONTROLLER && str_is(first.on.kind, "Deployment") &&
		    !first.on.handle.slot);
}

static void test_copies(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "Csv/a/c", "Failed", NULL);
	toy_put(w, "Csv/b/c", "Failed", REFS("{'kind':'Csv','name':'c','ns':'a','flags':'copy'}"));
	toy_put(w, "Csv/c/c", "Failed", REFS("{'kind':'Csv','name':'c','ns':'a','flags':'copy'}"));
	check_roots(w, "failed Csv/a/c error: Csv/b/c Csv/c/c\n");
	assert_true(toy_item(w, "Csv/b/c").s.copied && !toy_item(w, "Csv/a/c").s.copied);
	toy_remove(w, "Csv/a/c");
	toy_remove(w, "Csv/c/c");
	check_roots(w, "failed Csv/b/c error:\n");
}

/* A failure that is the namespace's goes by its name, whether the namespace can be seen or not. */
static void test_namespace_wide(void **state)
{
	static const char wide[] = "'flags':['namespace-wide'],'reason':'ResolutionFailed'";
	static const char home[] = "'refs':[{'kind':'Namespace','group':'','name':'a'}]";
	struct toy_world *w = *state;
	const struct root_cause *r;
	size_t n;

	toy_put(w, "Subscription/a/x", "Failed", MORE(wide, home, NULL));
	toy_put(w, "Subscription/a/y", "Failed", MORE(wide, home, NULL));
	toy_put(w, "Subscription/b/z", "Provisioning", NULL);
	for (int i = 0; i < 2; i++) {
		graph_settle(w->graph, w->now);
		r = graph_roots(w->graph, &w->arena, &n);
		assert_int_equal(n, 1);
		assert_true(str_is(r[0].id.kind, "Namespace") && str_is(r[0].id.name, "a"));
		assert_true(r[0].severity == SEVERITY_ERROR && str_is(r[0].reason, "ResolutionFaile"
										   "d"));
		assert_int_equal(r[0].nblocked, 2);
		toy_put_json(w, "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'a'},'"
				"status':{'phase':'Ready'}}");
	}
}

/* ---- several causes --------------------------------------------------------- */

static void check_blocked(struct toy_world *w, const char *causes, const char *expected)
{
	struct buf b = { 0 };
	uint32_t slots[4];
	struct str rest = str_of(causes), id;
	const uint32_t *blocked;
	size_t n = 0;

	while (str_split(&rest, ' ', &id)) {
		char name[64];

		snprintf(name, sizeof(name), STR_FMT, STR_ARG(id));
		slots[n++] = toy_find(w, name).slot;
	}
	graph_settle(w->graph, w->now);
	blocked = graph_blocked(w->graph, slots, n, &n);
	for (size_t i = 0; i < n; i++) {
		struct item it; /* what is asked of one of them leaves the list as it is */

		assert_true(graph_item(w->graph, store_node_handle(w->store, blocked[i]), &w->arena, &it));
		BUF_JOIN(&b, it.s.id.name, STR(" "));
	}
	assert_string_equal(buf_cstr(&b), expected);
	buf_release(&b);
}

/* Each once, those of the first cause first, also where one cause waits for the other. */
static void test_blocked_by_several(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "N/a/x", "Failed", NULL);
	toy_put(w, "N/a/y", "Failed", NULL);
	toy_put(w, "Sub/a/of-x", "Provisioning", REFS(NEEDS("N", "x")));
	toy_put(w, "Sub/a/of-y", "Provisioning", REFS(NEEDS("N", "y")));
	toy_put(w, "Sub/a/of-both", "Provisioning", REFS(NEEDS("N", "x") "," NEEDS("N", "y")));
	toy_put(w, "Sub/a/far", "Provisioning", REFS(NEEDS("Sub", "of-y")));
	check_blocked(w, "N/a/x", "of-x of-both ");
	check_blocked(w, "N/a/y", "of-y of-both far ");
	check_blocked(w, "N/a/x N/a/y", "of-x of-both of-y far ");
	check_blocked(w, "N/a/y N/a/x", "of-y of-both far of-x ");
	check_blocked(w, "Sub/a/of-y N/a/y N/a/x", "far of-y of-both of-x ");
	check_blocked(w, "N/a/y Sub/a/of-y", "of-y of-both far ");
}

static bool is_named(const void *world, struct handle h)
{
	const struct toy_world *w = world;

	return str_is(store_meta(w->store, h).id.name, "far");
}

static void test_concerned(void **state)
{
	struct toy_world *w = *state;
	const uint8_t *concerned;

	toy_put(w, "N/a/x", "Failed", NULL);
	toy_put(w, "N/a/y", "Failed", NULL);
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NEEDS("N", "y")));
	toy_put(w, "Sub/a/far", "Provisioning", REFS(NEEDS("Sub", "s")));
	graph_settle(w->graph, w->now);
	concerned = graph_concerned(w->graph, is_named, w, &w->arena);
	assert_true(concerned[toy_find(w, "N/a/y").slot] && !concerned[toy_find(w, "N/a/x").slot]);
	toy_put(w, "N/a/far", "Failed", NULL);
	graph_settle(w->graph, w->now);
	concerned = graph_concerned(w->graph, is_named, w, &w->arena);
	assert_true(concerned[toy_find(w, "N/a/far").slot] && !concerned[toy_find(w, "N/a/x").slot]);
}

/* ---- cycles ---------------------------------------------------------------- */

static void check_cycle(struct toy_world *w, size_t blocked)
{
	const struct root_cause *r;
	size_t n;

	graph_settle(w->graph, w->now);
	r = graph_roots(w->graph, &w->arena, &n);
	assert_int_equal(n, 1);
	assert_int_equal(r[0].cause, WAIT_CYCLE);
	assert_int_equal(r[0].severity, SEVERITY_ERROR);
	assert_int_equal(r[0].nblocked, blocked);
	assert_true(str_contains(r[0].message, "waits for"));
}

static void test_cycles(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "N/a/x", "Provisioning", REFS(NEEDS("N", "y")));
	toy_put(w, "N/a/y", "Provisioning", REFS(NEEDS("N", "z")));
	toy_put(w, "N/a/z", "Provisioning", REFS(NEEDS("N", "x")));
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NEEDS("N", "x")));
	toy_put(w, "Sub/a/t", "Provisioning", REFS(NEEDS("Sub", "s")));
	check_cycle(w, 4); /* two members and two who wait outside */
	assert_int_equal(toy_item(w, "N/a/y").waits[0].state, WAIT_CYCLE);
	assert_int_equal(toy_item(w, "Sub/a/s").waits[0].state, WAIT_NOT_READY);
	assert_int_equal(toy_item(w, "Sub/a/t").nroots, 1);
	toy_put(w, "N/a/z", "Ready", REFS(NEEDS("N", "x")));
	check_roots(w, "not-ready N/a/y info: N/a/x Sub/a/s Sub/a/t\n");
}

static void test_no_cycles(void **state)
{
	struct toy_world *w = *state;
	struct item_wait chain[4];

	toy_put(w, "N/a/self", "Provisioning", REFS(NEEDS("N", "self")));
	check_roots(w, "");
	toy_put(w, "N/a/x", "Provisioning", REFS(NEEDS("N", "y")));
	toy_put(w, "N/a/y", "Provisioning", REFS(NEEDS("N", "x")));
	assert_int_equal(graph_settle(w->graph, w->now) > 0, 1);
	assert_in_range(graph_chain(w->graph, toy_find(w, "N/a/x"), chain, 4), 1, 3);
	toy_remove(w, "N/a/y");
	check_roots(w, "");
	toy_complete(w, "N");
	check_roots(w, "missing N/a/y warning: N/a/x\n");
}

static void check_tail(struct toy_world *w, const char *id, const char *expected)
{
	struct item_wait tail[CHAIN_TAIL];
	struct buf b = { 0 };
	size_t n = graph_chain_tail(w->graph, toy_find(w, id), tail);

	buf_printf(&b, "%zu:", n);
	for (size_t i = 0; i < n && i < CHAIN_TAIL; i++)
		buf_printf(&b, " " STR_FMT, STR_ARG(tail[i].on.name));
	assert_string_equal(buf_cstr(&b), expected);
	buf_release(&b);
}

/* Whoever is asked first: a chain ends once around its circle. */
static void test_chains_into_a_circle(void **state)
{
	static const char *const orders[][2] = { { "N/a/in2", "N/a/c1" }, { "N/a/c2", "N/a/in2" } };
	struct toy_world *w = *state;

	toy_put(w, "N/a/in2", "Provisioning", REFS(NEEDS("N", "in1")));
	toy_put(w, "N/a/in1", "Provisioning", REFS(NEEDS("N", "c0")));
	toy_put(w, "N/a/c0", "Provisioning", REFS(NEEDS("N", "c1")));
	toy_put(w, "N/a/c1", "Provisioning", REFS(NEEDS("N", "c2")));
	toy_put(w, "N/a/c2", "Provisioning", REFS(NEEDS("N", "c3")));
	toy_put(w, "N/a/c3", "Provisioning", REFS(NEEDS("N", "c0")));
	for (size_t i = 0; i < 2; i++) {
		toy_put(w, "N/a/in2", i ? "Degraded" : "Provisioning", REFS(NEEDS("N", "in1")));
		graph_settle(w->graph, w->now);
		for (size_t k = 0; k < 2; k++)
			graph_chain(w->graph, toy_find(w, orders[i][k]), NULL, 0);
		check_tail(w, "N/a/in2", "6: c2 c3 c0");
		check_tail(w, "N/a/in1", "5: c2 c3 c0");
		check_tail(w, "N/a/c0", "4: c2 c3 c0");
		check_tail(w, "N/a/c2", "4: c0 c1 c2");
	}
}

/* Owners in a circle: hostile, and of no consequence. */
static void test_circle_of_owners(void **state)
{
	struct toy_world *w = *state;
	struct item it;

	toy_put(w, "N/a/x", "Degraded", MORE(NULL, NULL, OWNED("N", "y")));
	toy_put(w, "N/a/y", "Degraded", MORE(NULL, NULL, OWNED("N", "x")));
	toy_put(w, "N/a/z", "Degraded", MORE(NULL, NULL, OWNED("N", "z")));
	it = toy_item(w, "N/a/z");
	assert_int_equal(it.s.phase, PHASE_DEGRADED);
	assert_int_equal(toy_item(w, "N/a/x").s.owner.slot, toy_find(w, "N/a/y").slot);
}

/* ---- deletion -------------------------------------------------------------- */

#define GOING(finalizers) \
	MORE(NULL, NULL, "'deletionTimestamp':'2026-11-20T08:40:00Z','finalizers':[" finalizers "]")

/* "name=state(held for) ...; blocked by Kind/name ..." */
static void check_deletion(struct toy_world *w, const char *id, const char *expected)
{
	struct item it = toy_item(w, id);
	struct buf b = { 0 };

	assert_non_null(it.deletion);
	for (size_t i = 0; i < it.deletion->nfinalizers; i++)
		buf_printf(&b, STR_FMT "=" STR_FMT "(" STR_FMT ") ",
			   STR_ARG(it.deletion->finalizers[i].name),
			   STR_ARG(it.deletion->finalizers[i].state),
			   STR_ARG(it.deletion->finalizers[i].held_for));
	buf_add_char(&b, ';');
	for (size_t i = 0; i < it.deletion->nblocked_by; i++)
		buf_printf(&b, " " STR_FMT "/" STR_FMT, STR_ARG(it.deletion->blocked_by[i].kind),
			   STR_ARG(it.deletion->blocked_by[i].name));
	assert_string_equal(buf_cstr(&b), expected);
	buf_release(&b);
}

static void test_guards(void **state)
{
	static const char guarded[] = "'refs':[{'kind':'K','name':'k','relation':'needs','guard':'"
				      "toy.example/net'}]";
	struct toy_world *w = *state;

	toy_complete(w, "Net");
	toy_put(w, "K/a/k", "Ready", GOING("'toy.example/net'"));
	toy_put(w, "Net/a/n", "Ready", MORE(NULL, guarded, NULL));
	toy_put(w, "Net/a/m", "Ready", MORE(NULL, guarded, NULL));
	check_deletion(w, "K/a/k", "toy.example/net=in-use(Net) ; Net/m Net/n");
	assert_int_equal(toy_item(w, "K/a/k").deletion->since, NINE - MINUTES(20));
	assert_int_equal(toy_item(w, "K/a/k").waits[0].state, WAIT_FINALIZER);
	check_roots(w, "finalizer K/a/k info:\n");
	toy_remove(w, "Net/a/m");
	toy_put(w, "Net/a/n", "Deleting", MORE(NULL, guarded, NULL));
	check_deletion(w, "K/a/k", "toy.example/net=releasing(Net) ; Net/n");
	toy_remove(w, "Net/a/n");
	check_deletion(w, "K/a/k", "toy.example/net=stuck(Net) ;");
	toy_put(w, "K/a/k", "Ready",
		MORE(NULL, NULL,
		     "'deletionTimestamp':'2026-11-20T08:59:50Z','finalizers':['toy.example/"
		     "net']"));
	check_deletion(w, "K/a/k", "toy.example/net=releasing(Net) ;");
	w->now += SECONDS(21); /* half a minute of patience is over */
	check_deletion(w, "K/a/k", "toy.example/net=stuck(Net) ;");
	assert_int_equal(toy_item(w, "K/a/k").nwaits, 1);
	assert_int_equal(toy_item(w, "K/a/k").waits[0].state, WAIT_FINALIZER);
}

/* Where nobody may see the Subs, a guard for them is not known to be stuck. */
static void test_guards_that_cannot_be_seen(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "K/a/k", "Ready", GOING("'toy.example/sub','toy.example/own'"));
	check_deletion(w, "K/a/k", "toy.example/sub=unknown(Sub) toy.example/own=waiting(K) ;");
	/* what it owns goes with it and holds nothing */
	toy_put(w, "Sub/a/s", "Ready",
		MORE(NULL, "'refs':[{'kind':'K','name':'k','guard':'toy.example/sub'}]",
		     OWNED("K", "k")));
	check_deletion(w, "K/a/k", "toy.example/sub=unknown(Sub) toy.example/own=waiting(K) ;");
}

static void test_other_finalizers(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "K/a/k", "Ready", GOING("'toy.example/own'"));
	toy_put(w, "K/a/f", "Ready", GOING("'foregroundDeletion'"));
	toy_put(w, "Pod/a/p", "Ready", MORE(NULL, NULL, BLOCKS_ITS_OWNER("K", "f")));
	toy_put(w, "Pod/a/q", "Ready", MORE(NULL, NULL, OWNED("K", "f")));
	toy_put(w, "K/a/u", "Ready", GOING("'who.example/knows'"));
	toy_put(w, "K/a/none", "Ready", GOING(""));
	check_deletion(w, "K/a/k", "toy.example/own=cleanup(K) ;");
	check_deletion(w, "K/a/f", "foregroundDeletion=foreground() ; Pod/p");
	check_deletion(w, "K/a/u", "who.example/knows=unknown() ;");
	check_deletion(w, "K/a/none", ";");
	assert_true(str_contains(toy_item(w, "K/a/u").s.message, "who.example/knows"));
	w->now = NINE + MINUTES(10);
	check_deletion(w, "K/a/k", "toy.example/own=stuck(K) ;");
	check_deletion(w, "K/a/u", "who.example/knows=stuck() ;");
	assert_int_equal(toy_item(w, "K/a/u").s.severity, SEVERITY_WARNING);
	assert_int_equal(toy_item(w, "K/a/u").nwaits, 1);
	assert_null(toy_item(w, "Pod/a/p").deletion);
}

/* ---- views ------------------------------------------------------------------ */

static void test_summary(void **state)
{
	struct toy_world *w = *state;
	struct summary s;
	struct handle h = toy_put(w, "K/a/k", "Ready", NULL);

	graph_settle(w->graph, w->now);
	assert_true(graph_summary(w->graph, h, &s));
	assert_true(str_is(s.id.group, "toy.example") && str_is(s.id.name, "k") &&
		    s.id.cluster.len == 0);
	assert_string_equal(s.family, "toy");
	assert_true(s.created == NINE - MINUTES(10) && s.since == NINE - MINUTES(5) &&
		    s.percent < 0 && !s.owner.slot);
	graph_name_cluster(w->graph, 0, STR("one"));
	graph_name_cluster(w->graph, 0, STR("prod"));
	assert_true(graph_summary(w->graph, h, &s) && str_is(s.id.cluster, "prod"));
	assert_true(str_is(toy_item(w, "K/a/k").api_version, "toy.example/v1"));
	store_remove(w->store, h);
	assert_false(graph_summary(w->graph, h, &s) || graph_summary(w->graph, HANDLE_NONE, &s));
	graph_settle(w->graph, w->now);
	assert_int_equal(graph_first_wait(w->graph, h).state, WAIT_NONE);
	assert_int_equal(graph_chain(w->graph, h, NULL, 0), 0);
	graph_free(NULL);
}

static void test_order(void **state)
{
	static const struct summary sorted[] = {
		{ .phase = PHASE_FAILED, .severity = SEVERITY_ERROR },
		{ .phase = PHASE_FAILED, .severity = SEVERITY_WARNING },
		{ .phase = PHASE_DELETING, .severity = SEVERITY_WARNING },
		{ .phase = PHASE_DEGRADED, .severity = SEVERITY_ERROR },
		{ .phase = PHASE_DEGRADED, .severity = SEVERITY_WARNING },
		{ .phase = PHASE_UNKNOWN },
		{ .phase = PHASE_WAITING, .severity = SEVERITY_INFO },
		{ .phase = PHASE_PROVISIONING, .severity = SEVERITY_INFO },
		{ .phase = PHASE_READY,
		  .id = { .ns = { "a", 1 }, .kind = { "A", 1 }, .name = { "a", 1 } } },
		{ .phase = PHASE_READY,
		  .id = { .ns = { "a", 1 }, .kind = { "A", 1 }, .name = { "b", 1 } } },
		{ .phase = PHASE_READY,
		  .id = { .ns = { "a", 1 }, .kind = { "B", 1 }, .name = { "a", 1 } } },
		{ .phase = PHASE_READY,
		  .id = { .ns = { "b", 1 }, .kind = { "A", 1 }, .name = { "a", 1 } } },
		{ .phase = PHASE_READY,
		  .id = { .ns = { "b", 1 },
			  .kind = { "A", 1 },
			  .name = { "a", 1 },
			  .group = { "g", 1 } } },
		{ .phase = PHASE_READY, .id = { .cluster = { "z", 1 } } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(sorted); i++)
		for (size_t k = 0; k < COUNT(sorted); k++) {
			int c = summary_compare(&sorted[i], &sorted[k]);

			assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
		}
}

/* However many parts are on their way, the one that failed is the cause. */
static void test_failed_part_among_many(void **state)
{
	struct toy_world *w = *state;
	struct item it;
	char id[32];

	toy_put(w, "N/a/whole", "Provisioning", NULL);
	for (int i = 0; i < 100; i++) {
		snprintf(id, sizeof(id), "N/a/p%d", i);
		toy_put(w, id, i == 99 ? "Failed" : "Provisioning", MORE(NULL, NULL, OWNED("N", "whole")));
	}
	graph_settle(w->graph, w->now);
	it = toy_item(w, "N/a/whole");
	assert_true(it.nwaits && it.waits[0].state == WAIT_FAILED && str_is(it.waits[0].on.name, "p99"));
	assert_true(it.nroots && str_is(it.roots[0].name, "p99"));
}

/* What a cause held up a moment ago counts for its place, but not for the place of another object that has its slot now. */
static void test_places_are_of_objects(void **state)
{
	struct toy_world *w = *state;
	uint32_t slot;

	graph_keep_places(w->graph);
	toy_put(w, "Net/a/n", "Failed", NULL);
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NEEDS("Net", "n")));
	toy_put(w, "Sub/a/t", "Provisioning", REFS(NEEDS("Net", "n")));
	check_roots(w, "failed Net/a/n error: Sub/a/s Sub/a/t\n");
	slot = toy_find(w, "Net/a/n").slot;
	toy_remove(w, "Sub/a/s");
	toy_remove(w, "Sub/a/t");
	toy_remove(w, "Net/a/n");
	graph_settle(w->graph, w->now);
	graph_forget(w->graph);
	toy_put(w, "Net/b/z", "Failed", NULL);
	assert_int_equal(toy_find(w, "Net/b/z").slot, slot);
	toy_put(w, "Net/a/m", "Failed", NULL);
	toy_put(w, "Sub/a/u", "Provisioning", REFS(NEEDS("Net", "m")));
	check_roots(w, "failed Net/a/m error: Sub/a/u\nfailed Net/b/z error:\n");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, toy_setup, toy_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_failed_and_missing),
		TEST(test_two_roots_under_one),
		TEST(test_blocked_by_several),
		TEST(test_concerned),
		TEST(test_diamond),
		TEST(test_not_known_is_not_missing),
		TEST(test_external_waits),
		TEST(test_copies),
		TEST(test_namespace_wide),
		TEST(test_cycles),
		TEST(test_no_cycles),
		TEST(test_chains_into_a_circle),
		TEST(test_circle_of_owners),
		TEST(test_failed_part_among_many),
		TEST(test_places_are_of_objects),
		TEST(test_chain_of_nothing),
		TEST(test_guards),
		TEST(test_guards_that_cannot_be_seen),
		TEST(test_other_finalizers),
		TEST(test_summary),
		TEST(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

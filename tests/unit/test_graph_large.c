/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds of the size of an incident: deep chains, one thing that ten thousand wait for. */
#include "tests/unit/toy.h"

#include <time.h>

#define DEPTH 1000
#define MANY 10000
/* Far above what it takes, far below what a square of MANY takes under a sanitizer. */
#define SECONDS_AT_MOST 20

/* Of the processor: what else the machine does is not counted. */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* N/a/n<i> needs N/a/n<i+1>; the last one is alone. */
static void put_link(struct toy_world *w, int i, const char *phase)
{
	char id[32], refs[96];

	snprintf(id, sizeof(id), "N/a/n%d", i);
	snprintf(refs, sizeof(refs), "'refs':[{'kind':'N','name':'n%d','flags':'blocks'}]", i + 1);
	toy_put(w, id, phase, MORE(NULL, i < DEPTH ? refs : NULL, NULL));
}

static void check_chain(struct toy_world *w, enum wait_state cause)
{
	struct item_wait *chain = arena_array(&w->arena, DEPTH + 10, sizeof(*chain));
	const struct root_cause *r;
	struct item it;
	size_t n;

	graph_settle(w->graph, w->now);
	r = graph_roots(w->graph, &w->arena, &n);
	assert_int_equal(n, 1);
	assert_int_equal(r[0].cause, cause);
	assert_true(str_is(r[0].id.name, "n1000"));
	assert_int_equal(r[0].nblocked, DEPTH);
	assert_true(str_is(toy_blocked(w, &r[0], 0).name, "n999") &&
		    str_is(toy_blocked(w, &r[0], DEPTH - 1).name, "n0"));
	it = toy_item(w, "N/a/n0");
	assert_int_equal(it.s.phase, PHASE_WAITING);
	assert_int_equal(it.nroots, 1);
	assert_true(str_is(it.roots[0].name, "n1000"));
	assert_int_equal(graph_chain(w->graph, toy_find(w, "N/a/n0"), chain, DEPTH + 10),
			 DEPTH);
	assert_true(str_is(chain[0].on.name, "n1") && str_is(chain[DEPTH - 1].on.name, "n1000"));
	assert_int_equal(graph_chain(w->graph, toy_find(w, "N/a/n0"), chain, 7), 7);
	assert_int_equal(graph_chain_tail(w->graph, toy_find(w, "N/a/n0"), chain), DEPTH);
	assert_true(str_is(chain[0].on.name, "n998") && str_is(chain[CHAIN_TAIL - 1].on.name, "n1000"));
	assert_int_equal(graph_chain_tail(w->graph, toy_find(w, "N/a/n998"), chain), 2);
	assert_true(str_is(chain[0].on.name, "n999") && str_is(chain[1].on.name, "n1000"));
	assert_int_equal(graph_chain_tail(w->graph, toy_find(w, "N/a/n1000"), chain), 0);
}

static void test_deep_chain(void **state)
{
	struct toy_world *w = *state;
	double start = seconds();
	size_t n;

	for (int i = 0; i <= DEPTH; i++)
		put_link(w, i, i < DEPTH ? "Provisioning" : "Failed");
	check_chain(w, WAIT_FAILED);
	put_link(w, DEPTH, "Provisioning");
	check_chain(w, WAIT_NOT_READY);
	for (int i = DEPTH; i >= 0; i--) /* it heals from the end */
		put_link(w, i, "Ready");
	graph_settle(w->graph, w->now);
	graph_roots(w->graph, &w->arena, &n);
	assert_int_equal(n, 0);
	assert_true(seconds() - start < SECONDS_AT_MOST);
}

/* One event at a time, from the end that nobody waits for. */
static void test_deep_chain_step_by_step(void **state)
{
	struct toy_world *w = *state;
	double start = seconds();

	for (int i = DEPTH; i >= 0; i--) {
		put_link(w, i, i < DEPTH ? "Provisioning" : "Failed");
		graph_settle(w->graph, w->now);
	}
	check_chain(w, WAIT_FAILED);
	assert_true(seconds() - start < SECONDS_AT_MOST);
}

static void test_deep_cycle(void **state)
{
	struct toy_world *w = *state;
	const struct root_cause *r;
	size_t n;

	for (int i = 0; i < DEPTH; i++)
		put_link(w, i, "Provisioning");
	toy_put(w, "N/a/n1000", "Provisioning",
		MORE(NULL, "'refs':[{'kind':'N','name':'n0','flags':'blocks'}]", NULL));
	graph_settle(w->graph, w->now);
	r = graph_roots(w->graph, &w->arena, &n);
	assert_int_equal(n, 1);
	assert_int_equal(r[0].cause, WAIT_CYCLE);
	assert_int_equal(r[0].nblocked, DEPTH);
}

static void put_many(struct toy_world *w, int n, const char *phase, const char *spec)
{
	char id[32];

	for (int i = 0; i < n; i++) {
		snprintf(id, sizeof(id), "Pod/a/p%d", i);
		toy_put(w, id, phase, MORE(NULL, spec, NULL));
	}
}

static void test_many_wait_for_one(void **state)
{
	struct toy_world *w = *state;
	double start = seconds();
	const struct root_cause *r;
	struct item it;
	size_t n;

	toy_complete(w, "Secret");
	put_many(w, MANY, "Provisioning",
		 "'refs':[{'kind':'Secret','name':'s','flags':'blocks exists'}]");
	graph_settle(w->graph, w->now);
	r = graph_roots(w->graph, &w->arena, &n);
	assert_int_equal(n, 1);
	assert_int_equal(r[0].cause, WAIT_MISSING);
	assert_int_equal(r[0].nblocked, MANY);
	toy_put(w, "Secret/a/s", "Ready", NULL);
	assert_true(graph_settle(w->graph, w->now) >= MANY);
	graph_roots(w->graph, &w->arena, &n);
	assert_int_equal(n, 0);
	it = toy_item(w, "Secret/a/s");
	assert_in_range(it.ndependents, 1000, MANY);
	assert_int_equal(toy_item(w, "Pod/a/p9999").s.phase, PHASE_PROVISIONING);
	for (struct handle h = store_next(w->store, 0); h.slot;
	     h = store_next(w->store, h.slot + 1))
		store_remove(w->store, h);
	graph_settle(w->graph, w->now);
	store_referrers(w->store, it.s.id.handle.slot, &n);
	assert_int_equal(n, 0);
	assert_true(seconds() - start < SECONDS_AT_MOST);
}

/* Each event of one of many siblings must not cost all of them. */
static void test_events_of_one_among_many(void **state)
{
	struct toy_world *w = *state;
	double start;

	toy_put(w, "Set/a/set", "Ready", NULL);
	put_many(w, MANY, "Provisioning",
		 "'refs':[{'kind':'Set','name':'set','relation':'owns','flags':'controller'}]");
	graph_settle(w->graph, w->now);
	start = seconds();
	for (int i = 0; i < 1000; i++) {
		char id[32];

		snprintf(id, sizeof(id), "Pod/a/p%d", i * 7);
		toy_put(w, id, "Ready",
			MORE(NULL,
			     "'refs':[{'kind':'Set','name':'set','relation':'owns','flags':'"
			     "controller'}]",
			     NULL));
		assert_in_range(graph_settle(w->graph, w->now), 1, 10);
	}
	assert_true(seconds() - start < SECONDS_AT_MOST);
}

/* Seconds for a change of each of many pods, one after the other, which all carry a name that nobody has, or somebody. */
static double seconds_of_changes(struct toy_world *w, const char *refs)
{
	double start;

	put_many(w, MANY, "Provisioning", refs);
	graph_settle(w->graph, w->now);
	start = seconds();
	for (int i = 0; i < MANY; i++) {
		char id[32];

		snprintf(id, sizeof(id), "Pod/a/p%d", i);
		toy_put(w, id, "Ready", MORE(NULL, refs, NULL));
		graph_settle(w->graph, w->now);
	}
	return seconds() - start;
}

/* Who merely carries a label, as thousands of pods do one, does not make everybody be asked who manages it. */
static void test_changes_of_many_with_one_label(void **state)
{
	struct toy_world *w = *state;
	double plain = seconds_of_changes(w, "'refs':[{'kind':'Node','name':'n'}]");
	double label = seconds_of_changes(w, "'refs':[{'kind':'Ocid','group':'','name':'a=b'}]"), managed;

	toy_put(w, "Set/a/set", "Ready", MORE(NULL, "'refs':[{'kind':'Ocid','group':'','name':'a=b','relation':'manages'}]", NULL));
	managed = seconds_of_changes(w, "'refs':[{'kind':'Ocid','group':'','name':'a=b'}]");
	print_message("%d changes: %.3f s, with a label %.3f s, with one that is managed %.3f s\n", MANY, plain, label, managed);
	assert_true(label < 10 * plain + 0.5 && managed < 10 * plain + 0.5);
}

/* Everything is listed again, and somebody looks two steps far: not every sibling looks at every
 * other. */
static void test_all_change_at_once(void **state)
{
	static const char shared[] = "'refs':[{'kind':'Secret','name':'s','flags':'blocks "
				     "exists'},{'kind':'Node','name':'n'},"
				     "{'kind':'Set','name':'set','relation':'owns'}]";
	struct toy_world *w = *state;
	double start, plain, far;

	toy_put(w, "Set/a/set", "Ready", NULL);
	put_many(w, 3 * MANY, "Provisioning", shared);
	start = seconds();
	graph_settle(w->graph, w->now);
	plain = seconds() - start;
	toy_put(w, "Looker/a/l", "Ready",
		MORE("'flags':['looks']", "'refs':[{'kind':'Set','name':'set'}]", NULL));
	graph_settle(w->graph, w->now);
	put_many(w, 3 * MANY, "Degraded", shared);
	start = seconds();
	graph_settle(w->graph, w->now);
	far = seconds() - start;
	print_message("%d at once: %.3f s, with a far looker %.3f s\n", 3 * MANY, plain, far);
	assert_true(far < 10 * plain + 0.5);
}

/* Many failures, each of which blocks the same many: what is listed stays within bounds. */
static void test_many_roots_of_many(void **state)
{
	struct toy_world *w = *state;
	double start = seconds();
	const struct root_cause *r;
	struct buf spec = { 0 };
	char id[32];
	size_t n;

	buf_add_cstr(&spec, "'refs':[");
	for (int i = 0; i < 100; i++) {
		snprintf(id, sizeof(id), "Net/a/n%d", i);
		toy_put(w, id, "Failed", NULL);
		buf_printf(&spec, "%s{'kind':'Net','name':'n%d','flags':'blocks'}", i ? "," : "",
			   i);
	}
	buf_add_char(&spec, ']');
	for (int i = 0; i < 2000; i++) {
		snprintf(id, sizeof(id), "Pod/a/p%d", i);
		toy_put(w, id, "Provisioning", MORE(NULL, buf_cstr(&spec), NULL));
	}
	graph_settle(w->graph, w->now);
	r = graph_roots(w->graph, &w->arena, &n);
	assert_in_range(n, 64, 100); /* waits kept of one object are bounded */
	assert_int_equal(r[0].nblocked, 2000);
	assert_true(seconds() - start < SECONDS_AT_MOST);
	buf_release(&spec);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, toy_setup, toy_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_deep_chain),
		TEST(test_deep_chain_step_by_step),
		TEST(test_deep_cycle),
		TEST(test_many_wait_for_one),
		TEST(test_events_of_one_among_many),
		TEST(test_changes_of_many_with_one_label),
		TEST(test_all_change_at_once),
		TEST(test_many_roots_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

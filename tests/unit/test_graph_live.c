/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts keep up with what happens: events, and time alone. */
#include "tests/unit/toy_check.h"

#include "kube/status/thresholds.h"

/* ---- time ------------------------------------------------------------------ */

static void test_overdue(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "Sub/a/s", "Provisioning", NULL); /* since five minutes */
	toy_put(w, "Sub/a/new", "Unknown",
		MORE(NULL, NULL, "'creationTimestamp':'2026-11-20T08:59:00Z'"));
	check_phase(w, "Sub/a/s", "Provisioning info");
	assert_int_equal(graph_next_revisit(w->graph), NINE + MINUTES(1));
	w->now = NINE + MINUTES(1);
	assert_true(graph_settle(w->graph, w->now) > 0);
	check_phase(w, "Sub/a/new", "Unknown warning");
	assert_int_equal(graph_next_revisit(w->graph), NINE - MINUTES(5) + thresholds.overdue);
	w->now = NINE - MINUTES(5) + thresholds.overdue - 1;
	assert_int_equal(graph_settle(w->graph, w->now), 0);
	check_phase(w, "Sub/a/s", "Provisioning info");
	w->now++;
	check_phase(w, "Sub/a/s", "Provisioning warning");
	assert_int_equal(graph_next_revisit(w->graph), 0);
	toy_put(w, "Sub/a/s", "Ready", NULL);
	check_phase(w, "Sub/a/s", "Ready none");
}

static void test_overdue_of_what_waits(void **state)
{
	struct toy_world *w = *state;

	toy_complete(w, "Net");
	w->now = NINE + HOURS(1);
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NET("blocks")));
	check_phase(w, "Sub/a/s", "Waiting warning");
	toy_put(w, "Sub/a/s2", "Provisioning", MORE("'since':''", NULL, NULL));
	check_phase(w, "Sub/a/s2", "Provisioning warning"); /* since it was made */
	toy_put(w, "Sub/a/s3", "Updating", NULL);
	check_phase(w, "Sub/a/s3", "Updating warning");
	toy_put(w, "Sub/a/s4", "Updating", MORE("'since':''", NULL, NULL));
	check_phase(w, "Sub/a/s4", "Updating info"); /* nobody told when that began */
	toy_put(w, "Sub/a/s5", "Suspended", NULL);
	check_phase(w, "Sub/a/s5", "Suspended warning"); /* only a person can end it */
	toy_put(w, "Sub/a/s6", "Suspended", MORE("'severity':'none'", NULL, NULL));
	check_phase(w, "Sub/a/s6", "Suspended none");
}

/* ---- keeping up with changes ------------------------------------------------ */

static void test_changed(void **state)
{
	struct toy_world *w = *state;
	struct handle s, n, far;
	const uint32_t *slots;
	size_t count;
	bool seen_s = false;

	toy_complete(w, "Net");
	s = toy_put(w, "Sub/a/s", "Provisioning", REFS(NET("blocks")));
	far = toy_put(w, "Sub/a/far", "Ready", NULL);
	assert_true(graph_settle(w->graph, w->now) >= 2);
	assert_int_equal(graph_settle(w->graph, w->now), 0);
	n = toy_put(w, "Net/a/n", "Ready", NULL);
	graph_settle(w->graph, w->now);
	slots = graph_changed(w->graph, &count);
	for (size_t i = 0; i < count; i++) {
		assert_int_not_equal(slots[i], far.slot);
		assert_true(slots[i] == s.slot || slots[i] == n.slot);
		seen_s |= slots[i] == s.slot;
	}
	assert_true(seen_s);
	toy_put(w, "Net/a/n", "Ready", NULL);
	assert_int_equal(graph_settle(w->graph, w->now), 0);
}

/* The outcome of phase 2 is replaced also where only its words differ, not their number. */
static void test_same_number_other_words(void **state)
{
	struct toy_world *w = *state;
	struct item it;

	toy_put(w, "Net/a/n", "Ready", NULL);
	toy_put(w, "Sub/a/s", "Ready", MORE("'flags':['echo']", "'refs':[" NET("") "]", NULL));
	it = toy_item(w, "Sub/a/s");
	assert_true(it.status.nflags == 2 && toy_has(&it.status, "Ready"));
	toy_put(w, "Net/a/n", "Degraded", NULL);
	it = toy_item(w, "Sub/a/s");
	assert_true(toy_has(&it.status, "Degraded"));
	toy_put(w, "Sub/a/t", "Provisioning",
		MORE("'external':[{'state':'external','kind':'Job','name':'j'}]", NULL, NULL));
	check_waits(w, "Sub/a/t", "external Job//j");
	toy_put(w, "Sub/a/t", "Provisioning",
		MORE("'external':[{'state':'external','kind':'Task','name':'j'}]", NULL, NULL));
	check_waits(w, "Sub/a/t", "external Task//j");
}

/* family.h lets a family look at the neighbours of its neighbours, and into namespaces. */
static void test_two_steps_away(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "Sub/a/s", "Ready",
		MORE("'flags':['looks']",
		     "'refs':[" NET("") ",{'kind':'Namespace','group':'','name':'in','flags':'"
					"contents'}]",
		     NULL));
	toy_put(w, "Net/a/n", "Ready", REFS("{'kind':'Far','name':'f'}"));
	toy_put(w, "Far/a/f", "Ready", NULL);
	assert_true(str_is(toy_item(w, "Sub/a/s").s.message, "0 down, 0 up, 0 inside"));
	toy_put(w, "Thing/in/t", "Failed", NULL);
	assert_true(str_is(toy_item(w, "Sub/a/s").s.message, "0 down, 0 up, 1 inside"));
	toy_put(w, "Far/a/f", "Failed", NULL);
	assert_true(str_is(toy_item(w, "Sub/a/s").s.message, "1 down, 0 up, 1 inside"));
	toy_put(w, "User/a/u", "Ready", REFS("{'kind':'Sub','name':'s'}"));
	toy_put(w, "User/a/v", "Failed", REFS("{'kind':'User','name':'u'}"));
	assert_true(str_is(toy_item(w, "Sub/a/s").s.message, "1 down, 1 up, 1 inside"));
	toy_put(w, "User/a/v", "Ready", REFS("{'kind':'User','name':'u'}"));
	toy_remove(w, "Thing/in/t");
	assert_true(str_is(toy_item(w, "Sub/a/s").s.message, "1 down, 0 up, 0 inside"));
}

/* Two who serve while they change block nobody, whatever happened before. */
static void test_no_memory_of_old_waits(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "Net/a/n", "Failed", REFS("{'kind':'Sub','name':'s','flags':'blocks'}"));
	toy_put(w, "Sub/a/s", "Updating", REFS(NET("blocks")));
	check_phase(w, "Sub/a/s", "Waiting info");
	toy_put(w, "Net/a/n", "Updating", REFS("{'kind':'Sub','name':'s','flags':'blocks'}"));
	check_waits(w, "Sub/a/s", "");
	check_waits(w, "Net/a/n", "");
	check_phase(w, "Sub/a/s", "Updating info");
}

/* What was there before all began is only met, though it is young: nobody saw a wait begin with it. */
static void test_young_and_only_met(void **state)
{
	struct toy_world *w = *state;

	graph_settle(w->graph, w->now);
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NET("blocks"))); /* since five minutes */
	toy_put(w, "Sub/b/s", "Provisioning", REFS(NET("blocks")));
	graph_settle(w->graph, w->now);
	w->now += SECONDS(5);
	toy_put(w, "Net/a/n", "Provisioning", MORE(NULL, NULL, "'creationTimestamp':'2026-11-20T08:59:40Z'"));
	toy_put(w, "Net/b/n", "Provisioning", MORE(NULL, NULL, "'creationTimestamp':'2026-11-20T09:00:05Z'"));
	check_phase(w, "Sub/a/s", "Waiting info");
	assert_int_equal(toy_item(w, "Sub/a/s").s.since, NINE - MINUTES(5));
	check_phase(w, "Sub/b/s", "Waiting info");
	assert_int_equal(toy_item(w, "Sub/b/s").s.since, w->now);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, toy_setup, toy_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_overdue),	   TEST(test_overdue_of_what_waits),
		TEST(test_changed),	   TEST(test_same_number_other_words),
		TEST(test_two_steps_away), TEST(test_no_memory_of_old_waits),
		TEST(test_young_and_only_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

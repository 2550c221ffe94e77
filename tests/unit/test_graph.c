/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2: who waits for whom, and what becomes of that when the world changes. */
#include "tests/unit/toy.h"

#include "kube/status/thresholds.h"

#define REFS(list) MORE(NULL, "'refs':[" list "]", NULL)
#define NET(flags) "{'kind':'Net','name':'n','flags':'" flags "'}"

/* "missing Net/a/n; failed Net/a/m" */
static void check_waits(struct toy_world *w, const char *id, const char *expected)
{
	struct item it = toy_item(w, id);
	struct buf b = { 0 };

	for (size_t i = 0; i < it.nwaits; i++)
		buf_printf(&b, "%s%s " STR_FMT "/" STR_FMT "/" STR_FMT, i ? "; " : "", wait_state_name(it.waits[i].state),
			   STR_ARG(it.waits[i].on.kind), STR_ARG(it.waits[i].on.ns), STR_ARG(it.waits[i].on.name));
	assert_string_equal(buf_cstr(&b), expected);
	buf_release(&b);
}

static void check_phase(struct toy_world *w, const char *id, const char *expected)
{
	struct item it = toy_item(w, id);
	char got[64];

	snprintf(got, sizeof(got), "%s %s", phase_name(it.s.phase), severity_name(it.s.severity));
	assert_string_equal(got, expected);
}

/* ---- what is waited for --------------------------------------------------- */

/* A Sub whose reference has these flags, and a Net in every phase. */
struct wait_row {
	const char *flags, *own, *target, *waits;
};

static void check_rows(struct toy_world *w, const struct wait_row *rows, size_t n)
{
	toy_complete(w, "Net");
	for (size_t i = 0; i < n; i++) {
		char refs[128];

		snprintf(refs, sizeof(refs), "'refs':[{'kind':'Net','name':'n','flags':'%s'}]", rows[i].flags);
		toy_put(w, "Sub/a/s", rows[i].own, MORE(NULL, refs, NULL));
		if (rows[i].target)
			toy_put(w, "Net/a/n", rows[i].target, NULL);
		else if (toy_find(w, "Net/a/n").slot)
			toy_remove(w, "Net/a/n");
		print_message("%s, %s on %s\n", rows[i].flags, rows[i].own, rows[i].target ? rows[i].target : "nothing");
		check_waits(w, "Sub/a/s", rows[i].waits);
	}
}

static void test_blocks(void **state)
{
	static const struct wait_row rows[] = {
		{ "blocks", "Provisioning", NULL, "missing Net/a/n" },
		{ "blocks", "Provisioning", "Provisioning", "not-ready Net/a/n" },
		{ "blocks", "Provisioning", "Failed", "failed Net/a/n" },
		{ "blocks", "Provisioning", "Deleting", "deleting Net/a/n" },
		{ "blocks", "Provisioning", "Ready", "" },
		{ "blocks", "Provisioning", "Degraded", "" },	/* it serves */
		{ "blocks", "Provisioning", "Updating", "" },
		{ "blocks", "Provisioning", "Suspended", "" },
		{ "blocks", "Provisioning", "Unknown", "" },	/* never by guess */
		{ "blocks", "Degraded", NULL, "missing Net/a/n" },
		{ "blocks", "Failed", "Failed", "failed Net/a/n" },
		{ "blocks", "Ready", NULL, "" },
		{ "blocks", "Suspended", NULL, "" },
		{ "blocks", "Deleting", NULL, "" },
		{ "blocks always", "Ready", "Failed", "failed Net/a/n" },
		{ "", "Provisioning", NULL, "" },
	};

	check_rows(*state, rows, COUNT(rows));
}

static void test_exists(void **state)
{
	static const struct wait_row rows[] = {
		{ "blocks exists", "Provisioning", NULL, "missing Net/a/n" },
		{ "blocks exists", "Provisioning", "Failed", "" },
		{ "blocks exists", "Provisioning", "Provisioning", "" },
		{ "blocks exists", "Provisioning", "Deleting", "" },
		{ "blocks exists", "Ready", NULL, "" },
		{ "blocks exists always", "Ready", NULL, "missing Net/a/n" },
		{ "blocks exists named", "Provisioning", "Deleting", "deleting Net/a/n" },
	};

	check_rows(*state, rows, COUNT(rows));
}

/* What the status says is true only as long as it can be. */
static void test_named(void **state)
{
	static const struct wait_row rows[] = {
		{ "named", "Provisioning", NULL, "missing Net/a/n" },
		{ "named", "Provisioning", "Ready", "" },
		{ "named", "Provisioning", "Degraded", "not-ready Net/a/n" },
		{ "named", "Provisioning", "Unknown", "not-ready Net/a/n" },
		{ "named", "Provisioning", "Failed", "failed Net/a/n" },
		{ "named exists", "Provisioning", "Failed", "" },
		{ "named", "Ready", "Failed", "" },
		{ "named missing", "Provisioning", "Ready", "" },
		{ "named", "Deleting", "Failed", "failed Net/a/n" },
	};

	check_rows(*state, rows, COUNT(rows));
}

static void test_only_some_relations_block(void **state)
{
	struct toy_world *w = *state;

	toy_complete(w, "Net");
	toy_put(w, "Sub/a/s", "Provisioning", REFS("{'kind':'Net','name':'n','flags':'blocks','relation':'owns'},"
						   "{'kind':'Net','name':'m','flags':'blocks','relation':'guards'}"));
	check_waits(w, "Sub/a/s", "");
	toy_put(w, "Sub/a/s", "Provisioning", REFS("{'kind':'Net','name':'n','flags':'blocks','relation':'manages'},"
						   "{'kind':'Net','name':'m','flags':'blocks','relation':'replaces'}"));
	check_waits(w, "Sub/a/s", "missing Net/a/n; missing Net/a/m");
}

/* Two fields, one Net: one wait, with the words of whoever has some. */
static void test_one_wait_for_one_object(void **state)
{
	struct toy_world *w = *state;
	struct item it;

	toy_complete(w, "Net");
	toy_put(w, "Sub/a/s", "Provisioning", REFS("{'kind':'Net','name':'n','flags':'blocks','via':'spec.one'},"
						   "{'kind':'Net','name':'n','flags':'blocks','via':'spec.two','message':'waiting'}"));
	it = toy_item(w, "Sub/a/s");
	assert_int_equal(it.nwaits, 1);
	assert_true(str_is(it.waits[0].via, "spec.one") && str_is(it.waits[0].message, "waiting"));
	assert_true(str_is(it.s.message, "waiting") && it.ndependencies == 2);
}

static void test_becoming_waiting(void **state)
{
	static const char *const rows[][2] = {
		{ "Provisioning", "Waiting info" }, { "Updating", "Waiting info" }, { "Unknown", "Waiting info" },
		{ "Degraded", "Degraded warning" }, { "Failed", "Failed error" },   { "Ready", "Ready none" },
		{ "Scaling", "Scaling info" },	    { "Waiting", "Waiting info" },
	};
	struct toy_world *w = *state;

	toy_complete(w, "Net");
	for (size_t i = 0; i < COUNT(rows); i++) {
		toy_put(w, "Sub/a/s", rows[i][0], REFS(NET("blocks")));
		print_message("%s\n", rows[i][0]);
		check_phase(w, "Sub/a/s", rows[i][1]);
	}
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NET("blocks exists")));
	check_phase(w, "Sub/a/s", "Waiting info");
	toy_put(w, "Net/a/n", "Failed", NULL);
	check_phase(w, "Sub/a/s", "Provisioning info");
	toy_put(w, "Sub/a/s", "Provisioning", MORE("'external':[{'state':'approval','kind':'Plan','name':'p','message':'approve'}]", NULL, NULL));
	check_phase(w, "Sub/a/s", "Waiting info");
	check_waits(w, "Sub/a/s", "approval Plan//p");
	assert_true(str_is(toy_item(w, "Sub/a/s").s.message, "approve"));
}

/* ---- missing, or only not seen --------------------------------------------- */

static void test_presence(void **state)
{
	struct toy_world *w = *state;
	struct object_id id = { 0, kinds_put(&w->kinds, STR("toy.example"), STR("Net")), STR("a"), STR("n") };

	toy_put(w, "Sub/a/s", "Provisioning", REFS(NET("blocks")));
	toy_put(w, "Sub/a/named", "Provisioning", REFS(NET("blocks named")));
	toy_put(w, "Sub/a/says", "Provisioning", REFS(NET("blocks named missing")));
	check_waits(w, "Sub/a/s", "");
	check_waits(w, "Sub/a/named", "not-ready Net/a/n");
	check_waits(w, "Sub/a/says", "missing Net/a/n");
	assert_false(toy_item(w, "Sub/a/s").dependencies[0].found);
	store_set_name_coverage(w->store, &id, COVERAGE_COMPLETE);	/* asked for, not there */
	check_waits(w, "Sub/a/s", "missing Net/a/n");
	check_waits(w, "Sub/a/named", "missing Net/a/n");
	store_set_name_coverage(w->store, &id, COVERAGE_FORBIDDEN);
	check_waits(w, "Sub/a/s", "");
	toy_put(w, "Net/a/n", "Ready", NULL);
	check_waits(w, "Sub/a/named", "");
	check_waits(w, "Sub/a/says", "");
}

/* With files: other objects of that kind in that namespace mean that this one is missing. */
static void test_partial_worlds(void **state)
{
	struct toy_world *w = *state;

	store_set_coverage(w->store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	toy_put(w, "Net/b/other", "Ready", NULL);
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NET("blocks")));
	check_waits(w, "Sub/a/s", "");
	toy_put(w, "Net/a/other", "Ready", NULL);
	check_waits(w, "Sub/a/s", "missing Net/a/n");
	toy_remove(w, "Net/a/other");
	check_waits(w, "Sub/a/s", "");
}

/* A list that comes later tells that the Net is missing, also to a Sub that was judged before. */
static void test_coverage_comes_later(void **state)
{
	struct toy_world *w = *state;
	const struct kind *net = kinds_put(&w->kinds, STR("toy.example"), STR("Net"));

	toy_put(w, "Sub/a/s", "Provisioning", REFS(NET("blocks")));
	check_waits(w, "Sub/a/s", "");
	store_list_begin(w->store, 0, net, STR_NONE);
	store_list_end(w->store, 0, net, STR_NONE, NULL, NULL);
	store_set_coverage(w->store, 0, net, STR_NONE, COVERAGE_COMPLETE);
	check_waits(w, "Sub/a/s", "missing Net/a/n");
	store_set_coverage(w->store, 0, net, STR_NONE, COVERAGE_FORBIDDEN);
	check_waits(w, "Sub/a/s", "");
}

/* ---- parts ---------------------------------------------------------------- */

#define OWNED(owner) MORE(NULL, NULL, "'ownerReferences':[{'apiVersion':'toy.example/v1','kind':'Set','name':'" owner "','controller':true}]")

static void test_parts(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "Set/a/set", "Degraded", REFS("{'kind':'Net','name':'n','relation':'manages'}"));
	toy_put(w, "Pod/a/p1", "Ready", OWNED("set"));
	toy_put(w, "Pod/a/p2", "Failed", OWNED("set"));
	toy_put(w, "Pod/a/p3", "Unknown", OWNED("set"));
	toy_put(w, "Net/a/n", "Provisioning", NULL);
	check_waits(w, "Set/a/set", "not-ready Net/a/n; failed Pod/a/p2");
	check_phase(w, "Set/a/set", "Degraded warning");	/* parts are shown, they do not block */
	assert_int_equal(toy_item(w, "Pod/a/p2").s.owner.slot, toy_find(w, "Set/a/set").slot);
	toy_put(w, "Set/a/set", "Ready", NULL);
	check_waits(w, "Set/a/set", "");
	toy_put(w, "Set/a/set", "Provisioning", NULL);
	check_phase(w, "Set/a/set", "Provisioning info");
	/* a part that waits for the whole is no reason for the whole to wait */
	toy_put(w, "Pod/a/p2", "Provisioning", MORE(NULL, "'refs':[{'kind':'Set','name':'set','flags':'blocks'}]",
		"'ownerReferences':[{'apiVersion':'toy.example/v1','kind':'Set','name':'set'}]"));
	check_waits(w, "Set/a/set", "");
	check_waits(w, "Pod/a/p2", "not-ready Set/a/set");
}

static void test_many_parts_are_bounded(void **state)
{
	struct toy_world *w = *state;
	char id[16];

	toy_put(w, "Set/a/set", "Provisioning", NULL);
	for (int i = 0; i < 1000; i++) {
		snprintf(id, sizeof(id), "Pod/a/p%d", i);
		toy_put(w, id, "Failed", OWNED("set"));
	}
	assert_in_range(toy_item(w, "Set/a/set").nwaits, 1, 100);
	assert_int_equal(toy_item(w, "Set/a/set").ndependents, 1000);
}

/* ---- names of another kind ------------------------------------------------- */

static void test_alias(void **state)
{
	struct toy_world *w = *state;
	struct item it;

	toy_put(w, "Sub/a/s", "Provisioning", REFS("{'kind':'Ocid','group':'','name':'ocid1.n','flags':'blocks'}"));
	check_waits(w, "Sub/a/s", "");
	assert_false(toy_item(w, "Sub/a/s").dependencies[0].found);
	toy_put(w, "Net/b/n", "Failed", REFS("{'kind':'Ocid','group':'','name':'ocid1.n','relation':'manages'}"));
	check_waits(w, "Sub/a/s", "failed Net/b/n");
	it = toy_item(w, "Net/b/n");
	assert_true(it.ndependencies == 0 && it.ndependents == 1);	/* its own alias is bookkeeping */
	toy_put(w, "Net/b/n", "Ready", REFS("{'kind':'Ocid','group':'','name':'ocid1.n','relation':'manages'}"));
	check_waits(w, "Sub/a/s", "");
	toy_put(w, "Net/b/n", "Failed", NULL);	/* it is another one now */
	check_waits(w, "Sub/a/s", "");
}

static void test_untold_kind(void **state)
{
	struct toy_world *w = *state;
	struct item it;

	toy_put(w, "Sub/a/s", "Provisioning", REFS("{'kind':'Any','name':'n','flags':'blocks named any-kind'}"));
	check_waits(w, "Sub/a/s", "not-ready Object/a/n");
	assert_true(str_is(toy_item(w, "Sub/a/s").dependencies[0].on.kind, "Object"));
	toy_put(w, "Net/b/n", "Failed", NULL);
	check_waits(w, "Sub/a/s", "not-ready Object/a/n");
	toy_put(w, "Net/a/n", "Failed", NULL);
	check_waits(w, "Sub/a/s", "failed Net/a/n");
	toy_put(w, "Net/a/n", "Ready", NULL);
	check_waits(w, "Sub/a/s", "");
	it = toy_item(w, "Sub/a/s");
	assert_true(it.dependencies[0].found && it.dependencies[0].phase == PHASE_READY);
	toy_remove(w, "Net/a/n");
	check_waits(w, "Sub/a/s", "not-ready Object/a/n");
}

/* ---- time ------------------------------------------------------------------ */

static void test_overdue(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "Sub/a/s", "Provisioning", NULL);	/* since five minutes */
	toy_put(w, "Sub/a/new", "Unknown", MORE(NULL, NULL, "'creationTimestamp':'2026-11-20T08:59:00Z'"));
	check_phase(w, "Sub/a/s", "Provisioning info");
	assert_int_equal(graph_next_revisit(w->graph), NINE + MINUTES(1));
	w->now = NINE + MINUTES(1);
	assert_true(graph_settle(w->graph, w->now) > 0);
	check_phase(w, "Sub/a/new", "Unknown warning");
	assert_int_equal(graph_next_revisit(w->graph), NINE - MINUTES(5) + OVERDUE);
	w->now = NINE - MINUTES(5) + OVERDUE - 1;
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
	toy_put(w, "Sub/a/s", "Provisioning", MORE("'since':''", NULL, NULL));
	check_phase(w, "Sub/a/s", "Provisioning warning");	/* since it was made */
	toy_put(w, "Sub/a/s", "Updating", NULL);
	check_phase(w, "Sub/a/s", "Updating warning");
	toy_put(w, "Sub/a/s", "Updating", MORE("'since':''", NULL, NULL));
	check_phase(w, "Sub/a/s", "Updating info");	/* nobody told when that began */
	toy_put(w, "Sub/a/s", "Suspended", NULL);
	check_phase(w, "Sub/a/s", "Suspended warning");	/* only a person can end it */
	toy_put(w, "Sub/a/s", "Suspended", MORE("'severity':'none'", NULL, NULL));
	check_phase(w, "Sub/a/s", "Suspended none");
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

/* What was derived is replaced also where only its words differ, not their number. */
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
	toy_put(w, "Sub/a/t", "Provisioning", MORE("'external':[{'state':'external','kind':'Job','name':'j'}]", NULL, NULL));
	check_waits(w, "Sub/a/t", "external Job//j");
	toy_put(w, "Sub/a/t", "Provisioning", MORE("'external':[{'state':'external','kind':'Task','name':'j'}]", NULL, NULL));
	check_waits(w, "Sub/a/t", "external Task//j");
}

/* family.h lets a family look at the neighbours of its neighbours, and into namespaces. */
static void test_two_steps_away(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "Sub/a/s", "Ready", MORE("'flags':['looks']", "'refs':[" NET("") ",{'kind':'Namespace','group':'','name':'in','flags':'contents'}]", NULL));
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

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, toy_setup, toy_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_blocks), TEST(test_exists), TEST(test_named), TEST(test_only_some_relations_block),
		TEST(test_one_wait_for_one_object), TEST(test_becoming_waiting), TEST(test_presence),
		TEST(test_partial_worlds), TEST(test_coverage_comes_later), TEST(test_parts),
		TEST(test_many_parts_are_bounded), TEST(test_alias), TEST(test_untold_kind), TEST(test_overdue),
		TEST(test_overdue_of_what_waits), TEST(test_changed), TEST(test_same_number_other_words),
		TEST(test_two_steps_away), TEST(test_no_memory_of_old_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

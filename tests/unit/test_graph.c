/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2: who waits for whom, and what becomes of that when the world changes. */
#include "tests/unit/toy_check.h"

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

		snprintf(refs, sizeof(refs), "'refs':[{'kind':'Net','name':'n','flags':'%s'}]",
			 rows[i].flags);
		toy_put(w, "Sub/a/s", rows[i].own, MORE(NULL, refs, NULL));
		if (rows[i].target)
			toy_put(w, "Net/a/n", rows[i].target, NULL);
		else if (toy_find(w, "Net/a/n").slot)
			toy_remove(w, "Net/a/n");
		print_message("%s, %s on %s\n", rows[i].flags, rows[i].own,
			      rows[i].target ? rows[i].target : "nothing");
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
		{ "blocks", "Provisioning", "Degraded", "" }, /* it serves */
		{ "blocks", "Provisioning", "Updating", "" },
		{ "blocks", "Provisioning", "Suspended", "" },
		{ "blocks", "Provisioning", "Unknown", "" }, /* never by guess */
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
	toy_put(w, "Sub/a/s", "Provisioning",
		REFS("{'kind':'Net','name':'n','flags':'blocks','relation':'owns'},"
		     "{'kind':'Net','name':'m','flags':'blocks','relation':'guards'}"));
	check_waits(w, "Sub/a/s", "");
	toy_put(w, "Sub/a/s", "Provisioning",
		REFS("{'kind':'Net','name':'n','flags':'blocks','relation':'manages'},"
		     "{'kind':'Net','name':'m','flags':'blocks','relation':'replaces'}"));
	check_waits(w, "Sub/a/s", "missing Net/a/n; missing Net/a/m");
}

/* Two fields, one Net: one wait, with the words of whoever has some. */
static void test_one_wait_for_one_object(void **state)
{
	struct toy_world *w = *state;
	struct item it;

	toy_complete(w, "Net");
	toy_put(w, "Sub/a/s", "Provisioning",
		REFS("{'kind':'Net','name':'n','flags':'blocks','via':'spec.one'},"
		     "{'kind':'Net','name':'n','flags':'blocks','via':'spec.two','message':'"
		     "waiting'}"));
	it = toy_item(w, "Sub/a/s");
	assert_int_equal(it.nwaits, 1);
	assert_true(str_is(it.waits[0].via, "spec.one") && str_is(it.waits[0].message, "waiting"));
	assert_true(str_is(it.s.message, "waiting") && it.ndependencies == 2);
}

static void test_becoming_waiting(void **state)
{
	static const char *const rows[][2] = {
		{ "Provisioning", "Waiting info" }, { "Updating", "Waiting info" },
		{ "Unknown", "Waiting info" },	    { "Degraded", "Degraded warning" },
		{ "Failed", "Failed error" },	    { "Ready", "Ready none" },
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
	toy_put(w, "Sub/a/s", "Provisioning",
		MORE("'external':[{'state':'approval','kind':'Plan','name':'p','message':'approve'}"
		     "]",
		     NULL, NULL));
	check_phase(w, "Sub/a/s", "Waiting info");
	check_waits(w, "Sub/a/s", "approval Plan//p");
	assert_true(str_is(toy_item(w, "Sub/a/s").s.message, "approve"));
}

/* ---- missing, or only not seen --------------------------------------------- */

static void test_presence(void **state)
{
	struct toy_world *w = *state;
	struct object_id id = { 0, kinds_put(&w->kinds, STR("toy.example"), STR("Net")), STR("a"),
				STR("n") };

	toy_put(w, "Sub/a/s", "Provisioning", REFS(NET("blocks")));
	toy_put(w, "Sub/a/named", "Provisioning", REFS(NET("blocks named")));
	toy_put(w, "Sub/a/says", "Provisioning", REFS(NET("blocks named missing")));
	check_waits(w, "Sub/a/s", "");
	check_waits(w, "Sub/a/named", "not-ready Net/a/n");
	check_waits(w, "Sub/a/says", "missing Net/a/n");
	assert_false(toy_item(w, "Sub/a/s").dependencies[0].found);
	store_set_name_coverage(w->store, &id, COVERAGE_COMPLETE); /* asked for, not there */
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
	store_set_coverage(w->store, 0, net, STR_NONE, COVERAGE_COMPLETE);
	check_waits(w, "Sub/a/s", "missing Net/a/n");
	store_set_coverage(w->store, 0, net, STR_NONE, COVERAGE_FORBIDDEN);
	check_waits(w, "Sub/a/s", "");
}

/* ---- parts ---------------------------------------------------------------- */

#define OWNED(owner)                                                                         \
	MORE(NULL, NULL,                                                                     \
	     "'ownerReferences':[{'apiVersion':'toy.example/v1','kind':'Set','name':'" owner \
	     "','controller':true}]")

static void test_parts(void **state)
{
	struct toy_world *w = *state;

	toy_put(w, "Set/a/set", "Degraded", REFS("{'kind':'Net','name':'n','relation':'manages'}"));
	toy_put(w, "Pod/a/p1", "Ready", OWNED("set"));
	toy_put(w, "Pod/a/p2", "Failed", OWNED("set"));
	toy_put(w, "Pod/a/p3", "Unknown", OWNED("set"));
	toy_put(w, "Net/a/n", "Provisioning", NULL);
	check_waits(w, "Set/a/set", "failed Pod/a/p2"); /* the Net is on its way: own work */
	check_phase(w, "Set/a/set", "Degraded warning"); /* parts are shown, they do not block */
	assert_int_equal(toy_item(w, "Pod/a/p2").s.owner.slot, toy_find(w, "Set/a/set").slot);
	toy_put(w, "Set/a/set", "Ready", NULL);
	check_waits(w, "Set/a/set", "");
	toy_put(w, "Set/a/set", "Provisioning", NULL);
	check_phase(w, "Set/a/set", "Waiting info"); /* for the part that failed */
	/* a part that waits for the whole is no reason for the whole to wait */
	toy_put(w, "Pod/a/p2", "Provisioning",
		MORE(NULL, "'refs':[{'kind':'Set','name':'set','flags':'blocks'}]",
		     "'ownerReferences':[{'apiVersion':'toy.example/"
		     "v1','kind':'Set','name':'set'}]"));
	check_waits(w, "Set/a/set", "");
	check_waits(w, "Pod/a/p2", "not-ready Set/a/set");
}

static void test_many_parts_are_bounded(void **state)
{
	struct toy_world *w = *state;
	char id[32];

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

	toy_put(w, "Sub/a/s", "Provisioning",
		REFS("{'kind':'Ocid','group':'','name':'ocid1.n','flags':'blocks'}"));
	check_waits(w, "Sub/a/s", "");
	assert_false(toy_item(w, "Sub/a/s").dependencies[0].found);
	toy_put(w, "Net/b/n", "Failed",
		REFS("{'kind':'Ocid','group':'','name':'ocid1.n','relation':'manages'}"));
	check_waits(w, "Sub/a/s", "failed Net/b/n");
	it = toy_item(w, "Net/b/n");
	assert_true(it.ndependencies == 0 &&
		    it.ndependents == 1); /* its own alias is bookkeeping */
	toy_put(w, "Net/b/n", "Ready",
		REFS("{'kind':'Ocid','group':'','name':'ocid1.n','relation':'manages'}"));
	check_waits(w, "Sub/a/s", "");
	toy_put(w, "Net/b/n", "Failed", NULL); /* it is another one now */
	check_waits(w, "Sub/a/s", "");
}

static void test_untold_kind(void **state)
{
	struct toy_world *w = *state;
	struct item it;

	toy_put(w, "Sub/a/s", "Provisioning",
		REFS("{'kind':'Any','name':'n','flags':'blocks named any-kind'}"));
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

static void test_clusters_are_apart(void **state)
{
	struct toy_world *w = *state;
	struct engine_source there = { .cluster = 1 };
	struct json net = toy_json("{'apiVersion':'toy.example/"
				   "v1','kind':'Net','metadata':{'name':'n','namespace':'a'},"
				   "'status':{'phase':'Failed'}}");
	struct handle h;

	graph_name_cluster(w->graph, 0, STR("here"));
	graph_name_cluster(w->graph, 1, STR("there"));
	toy_complete(w, "Net");
	toy_put(w, "Sub/a/s", "Provisioning", REFS(NET("blocks")));
	engine_put(w->engine, &there, net, w->now, &h);
	check_waits(w, "Sub/a/s", "missing Net/a/n");
	assert_true(str_is(toy_item(w, "Sub/a/s").waits[0].on.cluster, "here"));
	json_free(net);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, toy_setup, toy_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_blocks),
		TEST(test_exists),
		TEST(test_named),
		TEST(test_only_some_relations_block),
		TEST(test_one_wait_for_one_object),
		TEST(test_becoming_waiting),
		TEST(test_presence),
		TEST(test_partial_worlds),
		TEST(test_coverage_comes_later),
		TEST(test_parts),
		TEST(test_many_parts_are_bounded),
		TEST(test_alias),
		TEST(test_untold_kind),
		TEST(test_clusters_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

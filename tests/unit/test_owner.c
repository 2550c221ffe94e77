/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/toy.h"

#include "kube/graph/past.h"
#include "kube/status/labels.h"

struct teams {
	struct toy_world w;
	struct labels *labels;
};

static int setup(void **state)
{
	struct teams *t = xmalloc(sizeof(*t));

	toy_open(&t->w);
	t->labels = labels_new();
	labels_want(t->labels, STR("owner"));
	labels_want(t->labels, STR("team"));
	engine_note_labels(t->w.engine, t->labels);
	graph_use_labels(t->w.graph, t->labels);
	graph_use_owner_keys(t->w.graph, STR("owner,team"));
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct teams *t = *state;

	toy_close(&t->w);
	labels_free(t->labels);
	xfree(t);
	return 0;
}

static struct handle put(struct teams *t, const char *id, const char *metadata)
{
	struct handle h = toy_put(&t->w, id, "Ready", MORE(NULL, NULL, metadata));

	graph_settle(t->w.graph, t->w.now);
	return h;
}

static void expect(struct teams *t, const char *id, const char *owner)
{
	struct str is = graph_owner(t->w.graph, toy_find(&t->w, id));

	if (!str_is(is, owner))
		fail_msg("%s is owned by \"" STR_FMT "\", not by \"%s\"", id, STR_ARG(is), owner);
}

static void put_namespace(struct teams *t, const char *name, const char *metadata)
{
	struct buf b = { 0 };

	buf_printf(&b, "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'%s',%s},'status':{'phase':'Ready'}}", name, metadata);
	toy_put_json(&t->w, buf_cstr(&b));
	graph_settle(t->w.graph, t->w.now);
	buf_release(&b);
}

static void the_first_key_that_there_is(void **state)
{
	struct teams *t = *state;

	put(t, "A/shop/both", "'labels':{'team':'blue','owner':'ada'}");
	put(t, "A/shop/team", "'labels':{'team':'blue','tier':'web'}");
	put(t, "A/shop/empty", "'labels':{'owner':'','team':'blue'}");
	put(t, "A/shop/annotation", "'annotations':{'owner':'eve','other':'x'},'labels':{'team':'blue'}");
	put(t, "A/shop/none", "'labels':{'app':'web'}");
	expect(t, "A/shop/both", "ada");
	expect(t, "A/shop/team", "blue");
	expect(t, "A/shop/empty", "blue");
	expect(t, "A/shop/annotation", "eve");
	expect(t, "A/shop/none", "");
	graph_use_owner_keys(t->w.graph, STR("team"));
	expect(t, "A/shop/both", "blue");
	graph_use_owner_keys(t->w.graph, STR_NONE);
	expect(t, "A/shop/both", "");
}

#define OWNED_BY(name) "'ownerReferences':[{'apiVersion':'toy.example/v1','kind':'A','name':'" name "','uid':'1','controller':true}]"

static void what_owns_it_and_then_its_namespace(void **state)
{
	struct teams *t = *state;

	put(t, "A/shop/top", "'labels':{'team':'blue'}");
	put(t, "A/shop/middle", OWNED_BY("top"));
	put(t, "A/shop/end", OWNED_BY("middle"));
	put(t, "A/shop/alone", NULL);
	expect(t, "A/shop/end", "blue");
	expect(t, "A/shop/alone", "");
	assert_true(graph_namespace_may_own(t->w.graph, toy_find(&t->w, "A/shop/alone")));
	assert_false(graph_namespace_may_own(t->w.graph, toy_find(&t->w, "A/shop/end")));
	put_namespace(t, "shop", "'annotations':{'owner':'mall'}");
	put_namespace(t, "other", "'labels':{'owner':'nobody'}");
	expect(t, "A/shop/alone", "mall");
	expect(t, "A/shop/end", "blue");
	/* it was not known before, and is still what the namespace says */
	assert_true(graph_namespace_may_own(t->w.graph, toy_find(&t->w, "A/shop/alone")));
}

static void owners_in_a_circle(void **state)
{
	struct teams *t = *state;

	put(t, "A/shop/a", OWNED_BY("b"));
	put(t, "A/shop/b", OWNED_BY("a"));
	expect(t, "A/shop/a", "");
}

/* Annotations of Secrets are never kept. */
static void a_secret_tells_nothing(void **state)
{
	struct teams *t = *state;
	struct handle h = toy_put_json(&t->w, "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'s','namespace':'shop',"
					      "'annotations':{'owner':'hidden'}}}");

	graph_settle(t->w.graph, t->w.now);
	assert_int_equal(graph_owner(t->w.graph, h).len, 0);
}

static void a_long_value_is_cut(void **state)
{
	struct teams *t = *state;
	struct buf b = { 0 };
	struct str owner;

	buf_add_cstr(&b, "'annotations':{'owner':'");
	for (int i = 0; i < 100000; i++)
		buf_add_cstr(&b, "\xC3\xA4");
	buf_add_cstr(&b, "'}");
	put(t, "A/shop/long", buf_cstr(&b));
	owner = graph_owner(t->w.graph, toy_find(&t->w, "A/shop/long"));
	assert_int_equal(owner.len, 4096);
	assert_memory_equal(owner.ptr + 4094, "\xC3\xA4", 2);
	buf_release(&b);
}

static void a_cause_that_does_not_exist(void **state)
{
	struct teams *t = *state;
	const struct root_cause *roots;
	size_t n;

	toy_complete(&t->w, "S");
	toy_put(&t->w, "A/shop/waits", "Provisioning",
		MORE(NULL, "'refs':[{'kind':'S','name':'s','ns':'shop','flags':'blocks exists'}]", "'labels':{'team':'blue'}"));
	graph_settle(t->w.graph, t->w.now);
	roots = graph_roots(t->w.graph, &t->w.arena, &n);
	assert_int_equal(n, 1);
	assert_int_equal(roots[0].id.handle.slot, 0);
	assert_true(str_is(graph_owner_of_root(t->w.graph, &roots[0]), "blue"));
}

static void as_it_was_then(void **state)
{
	struct teams *t = *state;
	struct past *p;
	int64_t then;

	graph_keep_history(t->w.graph, 1 << 20);
	put(t, "A/shop/a", "'labels':{'team':'blue'}");
	then = t->w.now += SECONDS(1);
	graph_settle(t->w.graph, then);
	t->w.now += SECONDS(60);
	put(t, "A/shop/a", "'labels':{'team':'red'},'generation':2");
	expect(t, "A/shop/a", "red");
	p = past_new(t->w.graph);
	past_move(p, then);
	graph_settle(past_graph(p), then);
	assert_true(str_is(graph_owner(past_graph(p), toy_find(&t->w, "A/shop/a")), "blue"));
	past_free(p);
	expect(t, "A/shop/a", "red");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_first_key_that_there_is, setup, teardown),
		cmocka_unit_test_setup_teardown(what_owns_it_and_then_its_namespace, setup, teardown),
		cmocka_unit_test_setup_teardown(owners_in_a_circle, setup, teardown),
		cmocka_unit_test_setup_teardown(a_secret_tells_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(a_long_value_is_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cause_that_does_not_exist, setup, teardown),
		cmocka_unit_test_setup_teardown(as_it_was_then, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/toy.h"

#include "kube/graph/shared.h"
#include "kube/status/labels.h"

struct shop {
	struct toy_world w;
	struct labels *labels;
};

static int setup(void **state)
{
	struct shop *s = xmalloc(sizeof(*s));

	toy_open(&s->w);
	s->labels = labels_new();
	engine_note_labels(s->w.engine, s->labels);
	graph_use_labels(s->w.graph, s->labels);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct shop *s = *state;

	toy_close(&s->w);
	labels_free(s->labels);
	xfree(s);
	return 0;
}

/* Puts objects "Kind/shop/NAME0" and so on; %d in spec and metadata is the number of each. */
static void put(struct shop *s, const char *id, int n, const char *phase, const char *spec, const char *metadata)
{
	for (int i = 0; i < n; i++) {
		struct buf name = { 0 }, more[2] = { { 0 }, { 0 } };
		const char *texts[] = { spec, metadata };

		buf_printf(&name, "%s%d", id, i);
		for (int k = 0; k < 2; k++)
			for (const char *c = texts[k]; c && *c; c++) {
				if (*c == '%')
					buf_printf(&more[k], "%d", i);
				else
					buf_add_char(&more[k], *c);
			}
		toy_put(&s->w, buf_cstr(&name), phase, MORE(NULL, spec ? buf_cstr(&more[0]) : NULL, metadata ? buf_cstr(&more[1]) : NULL));
		buf_release(&name);
		buf_release(&more[0]);
		buf_release(&more[1]);
	}
}

static const struct shared *shared_by(struct shop *s, const char *id, size_t *out_n)
{
	struct handle h = toy_find(&s->w, id);
	const struct shared *all;

	graph_settle(s->w.graph, s->w.now);
	assert_true(h.slot);
	all = graph_shared(s->w.graph, &h.slot, 1, &s->w.arena, out_n);
	return all;
}

/* "Node/rack-7 6/6 0/46", one after the other with commas. */
static const char *told(struct shop *s, const char *id)
{
	size_t n;
	const struct shared *all = shared_by(s, id, &n);
	struct str out = STR_NONE;

	for (size_t i = 0; i < n; i++)
		out = arena_printf(&s->w.arena, "%s%s" STR_FMT "%s" STR_FMT STR_FMT "%s" STR_FMT " %zu/%zu %zu/%zu", out.len ? out.ptr : "",
				   out.len ? ", " : "", STR_ARG(all[i].on.kind), all[i].on.name.len ? "/" : "", STR_ARG(all[i].on.name),
				   STR_ARG(all[i].text), all[i].reason.len ? " of " : "", STR_ARG(all[i].reason), all[i].broken, all[i].of,
				   all[i].healthy, all[i].of_healthy);
	return out.len ? out.ptr : "";
}

#define NODE(name) "'refs':[{'kind':'Node','group':'','name':'" name "','via':'spec.nodeName','flags':'cluster'}]"

static void the_node_of_the_broken_ones(void **state)
{
	struct shop *s = *state;

	put(s, "Pod/shop/bad", 6, "Failed", NODE("rack-7"), NULL);
	put(s, "Pod/shop/ok", 46, "Ready", NODE("rack-%"), NULL);
	put(s, "Pod/shop/new", 9, "Provisioning", NODE("rack-7"), NULL);
	assert_string_equal(told(s, "Pod/shop/bad0"), "Node/rack-7 6/6 1/46");
	toy_remove(&s->w, "Pod/shop/ok7");
	assert_string_equal(told(s, "Pod/shop/bad0"), "Node/rack-7 6/6 0/45");
	/* what is healthy, or is on its way, shares nothing */
	assert_string_equal(told(s, "Pod/shop/ok3"), "");
	assert_string_equal(told(s, "Pod/shop/new3"), "");
}

static void one_that_differs_is_not_said_to_share_it(void **state)
{
	struct shop *s = *state;

	put(s, "Pod/shop/bad", 5, "Failed", "'containers':[{'image':'shop.example/search:8.1.0'}]", NULL);
	put(s, "Pod/shop/other", 1, "Failed", "'containers':[{'image':'shop.example/cart:1'}]", NULL);
	put(s, "Pod/shop/ok", 11, "Ready", "'containers':[{'image':'shop.example/search:8.0.3'}]", NULL);
	assert_string_equal(told(s, "Pod/shop/bad0"), "shop.example/search:8.1.0 5/6 0/11");
	assert_string_equal(told(s, "Pod/shop/other0"), "");
}

static void what_all_share_is_not_told(void **state)
{
	struct shop *s = *state;

	put(s, "Pod/shop/bad", 5, "Failed", NODE("rack-1"), "'labels':{'app':'search'}");
	assert_string_equal(told(s, "Pod/shop/bad0"), "");	/* nothing is healthy */
	put(s, "Pod/shop/ok", 20, "Ready", NODE("rack-1"), "'labels':{'app':'search'}");
	assert_string_equal(told(s, "Pod/shop/bad0"), "");
}

static void fewer_than_three_share_nothing(void **state)
{
	struct shop *s = *state;

	put(s, "Pod/shop/bad", 2, "Failed", NODE("rack-1"), NULL);
	put(s, "Pod/shop/ok", 20, "Ready", NODE("rack-2"), NULL);
	assert_string_equal(told(s, "Pod/shop/bad0"), "");
	put(s, "Job/shop/bad", 7, "Failed", NODE("rack-1"), NULL);	/* they are of another kind */
	assert_string_equal(told(s, "Pod/shop/bad0"), "");
	put(s, "Pod/shop/more", 1, "Failed", NODE("rack-1"), NULL);
	assert_string_equal(told(s, "Pod/shop/bad0"), "Node/rack-1 3/3 0/20");
}

/* Of what the same objects have, the order is that of enum shared_what. */
static void the_most_telling_first(void **state)
{
	struct shop *s = *state;
	size_t n;
	const struct shared *all;

	put(s, "Pod/shop/bad", 4, "Failed",
	    "'containers':[{'image':'a:2'}],'serviceAccountName':'robot','refs':[{'kind':'Cfg','name':'two','ns':'shop','via':'spec.cfg'}]",
	    "'labels':{'a':'b','tier':'x%'}");
	put(s, "Pod/shop/ok", 10, "Ready",
	    "'containers':[{'image':'a:1'}],'refs':[{'kind':'Cfg','name':'one','ns':'shop','via':'spec.cfg'}]", NULL);
	put(s, "Pod/shop/odd", 1, "Failed", NULL, "'labels':{'a':'b'}");
	assert_string_equal(told(s, "Pod/shop/bad0"),
			    "a=b 5/5 0/10, a:2 4/5 0/10, ServiceAccount/robot 4/5 0/10, Cfg/two 4/5 0/10");
	all = shared_by(s, "Pod/shop/bad0", &n);
	assert_int_equal(n, 4);
	assert_false(all[0].same);
	assert_false(all[1].same);
	assert_true(all[2].same);
	assert_true(all[3].same);
	assert_true(str_is(all[2].on.ns, "shop"));
}

/* Some fields are read only of objects that are not healthy: that healthy ones lack the reference says nothing. */
static void a_field_that_is_not_read_of_healthy_ones(void **state)
{
	struct shop *s = *state;

	put(s, "Pod/shop/bad", 4, "Failed", "'refs':[{'kind':'S','name':'pull','ns':'shop','via':'spec.pull'}]", NULL);
	put(s, "Pod/shop/ok", 10, "Ready", NULL, NULL);
	assert_string_equal(told(s, "Pod/shop/bad0"), "");
	put(s, "Pod/shop/also", 1, "Ready", "'refs':[{'kind':'S','name':'other','ns':'shop','via':'spec.pull'}]", NULL);
	assert_string_equal(told(s, "Pod/shop/bad0"), "S/pull 4/4 0/11");
}

#define OWNER(kind, name) "'ownerReferences':[{'apiVersion':'toy.example/v1','kind':'" kind "','name':'" name "','uid':'1','controller':true}]"

static void an_owner_of_their_owners(void **state)
{
	struct shop *s = *state;

	put(s, "App/shop/a", 2, "Ready", NULL, NULL);
	put(s, "Set/shop/b", 4, "Ready", NULL, OWNER("App", "a0"));
	put(s, "Set/shop/g", 4, "Ready", NULL, OWNER("App", "a1"));
	put(s, "Pod/shop/bad", 4, "Failed", NULL, OWNER("Set", "b%"));
	put(s, "Pod/shop/ok", 20, "Ready", NULL, OWNER("Set", "g1"));
	assert_string_equal(told(s, "Pod/shop/bad0"), "App/a0 4/4 0/20");
}

static void the_class_of_what_they_need(void **state)
{
	struct shop *s = *state;

	put(s, "Claim/shop/slow", 4, "Ready", "'refs':[{'kind':'DiskClass','name':'slow','ns':'','flags':'cluster'}]", NULL);
	put(s, "Claim/shop/fast", 20, "Ready", "'refs':[{'kind':'DiskClass','name':'fast','ns':'','flags':'cluster'}]", NULL);
	put(s, "Pod/shop/bad", 4, "Failed", "'refs':[{'kind':'Claim','name':'slow%','ns':'shop'}]", NULL);
	put(s, "Pod/shop/ok", 20, "Ready", "'refs':[{'kind':'Claim','name':'fast%','ns':'shop'}]", NULL);
	assert_string_equal(told(s, "Pod/shop/bad0"), "DiskClass/slow 4/4 0/20");
}

static void the_zone_of_their_nodes(void **state)
{
	struct shop *s = *state;

	for (int i = 0; i < 20; i++) {
		struct buf node = { 0 };

		buf_printf(&node, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'rack-%d','labels':{'topology.kubernetes.io/zone':'%s'}},"
				  "'status':{'phase':'Ready'}}", i, i < 4 ? "b" : "a");
		toy_put_json(&s->w, buf_cstr(&node));
		buf_release(&node);
	}
	put(s, "Pod/shop/bad", 4, "Failed", NODE("rack-%"), NULL);
	put(s, "Pod/shop/ok", 20, "Ready", NODE("rack-1%"), NULL);
	assert_string_equal(told(s, "Pod/shop/bad0"), "topology.kubernetes.io/zone=b 4/4 0/20");
}

/* Where the broken ones of a kind share nothing, those with the same reason may. */
static void those_with_the_same_reason(void **state)
{
	struct shop *s = *state;

	for (int i = 0; i < 10; i++) {
		struct buf name = { 0 };

		buf_printf(&name, "Pod/shop/bad%d", i);
		toy_put(&s->w, buf_cstr(&name), "Failed",
			i < 4 ? MORE("'reason':'NoDisk'", NODE("rack-1"), NULL) : MORE("'reason':'Other'", NODE("rack-2"), NULL));
		buf_release(&name);
	}
	put(s, "Pod/shop/also", 4, "Failed", NODE("rack-3"), NULL);
	put(s, "Pod/shop/ok", 20, "Ready", NODE("rack-4%"), NULL);
	assert_string_equal(told(s, "Pod/shop/bad0"), "Node/rack-1 of NoDisk 4/4 0/20");
	assert_string_equal(told(s, "Pod/shop/bad9"), "Node/rack-2 of Other 6/6 0/20");
	assert_string_equal(told(s, "Pod/shop/also1"), "");	/* they have no reason */
}

/* A label that changes on healthy objects alone changes what is told. */
static void labels_that_change(void **state)
{
	struct shop *s = *state;

	put(s, "Pod/shop/bad", 4, "Failed", NULL, "'labels':{'track':'canary'}");
	put(s, "Pod/shop/ok", 20, "Ready", NULL, "'labels':{'track':'stable'}");
	assert_string_equal(told(s, "Pod/shop/bad0"), "track=canary 4/4 0/20");
	put(s, "Pod/shop/ok", 20, "Ready", NULL, "'labels':{'track':'canary'}");
	assert_string_equal(told(s, "Pod/shop/bad0"), "");
}

/* What all of a kind have is counted once; who of them is healthy follows each verdict, and who comes and goes. */
static void verdicts_that_change(void **state)
{
	static const char canary[] = "'labels':{'track':'canary'}", stable[] = "'labels':{'track':'stable'}";
	struct shop *s = *state;

	put(s, "Pod/shop/bad", 4, "Failed", NULL, canary);
	put(s, "Pod/shop/odd", 1, "Ready", NULL, canary);
	put(s, "Pod/shop/ok", 40, "Ready", NULL, stable);
	assert_string_equal(told(s, "Pod/shop/bad0"), "track=canary 4/4 1/41");
	put(s, "Pod/shop/odd", 1, "Failed", NULL, canary);
	assert_string_equal(told(s, "Pod/shop/bad0"), "track=canary 5/5 0/40");
	put(s, "Pod/shop/ok", 3, "Provisioning", NULL, stable);
	assert_string_equal(told(s, "Pod/shop/bad0"), "track=canary 5/5 0/37");
	toy_remove(&s->w, "Pod/shop/ok1");
	toy_remove(&s->w, "Pod/shop/ok30");
	put(s, "Pod/shop/ok", 1, "Ready", NULL, stable);
	assert_string_equal(told(s, "Pod/shop/bad0"), "track=canary 5/5 0/37");
	put(s, "Pod/shop/late", 1, "Ready", NULL, canary);
	assert_string_equal(told(s, "Pod/shop/bad0"), "track=canary 5/5 1/38");
	put(s, "Cfg/shop/none", 3, "Ready", NULL, canary);
	put(s, "Pod/shop/odd", 1, "Ready", NULL, canary);
	toy_remove(&s->w, "Pod/shop/late0");
	assert_string_equal(told(s, "Pod/shop/bad0"), "track=canary 4/4 1/38");
}

static void many_broken_ones_are_counted_one_by_one(void **state)
{
	struct shop *s = *state;

	put(s, "Pod/shop/bad", 3000, "Failed", NODE("rack-1"), "'labels':{'app':'search'}");
	put(s, "Pod/shop/rest", 7, "Failed", NODE("rack-2"), NULL);
	put(s, "Pod/shop/ok", 500, "Ready", NODE("rack-3"), "'labels':{'app':'cart'}");
	assert_string_equal(told(s, "Pod/shop/bad0"), "Node/rack-1 3000/3007 0/500, app=search 3000/3007 0/500");
}

/* Ten thousand labels on each, one of a megabyte, and a separator within a value. */
static void hostile_labels(void **state)
{
	struct shop *s = *state;
	struct buf metadata = { 0 };

	buf_add_cstr(&metadata, "'labels':{'first':'same','evil':'a\\u001fb','long':'");
	for (int i = 0; i < 1000000; i++)
		buf_add_char(&metadata, 'x');
	buf_add_char(&metadata, '\'');
	for (int i = 0; i < 10000; i++)
		buf_printf(&metadata, ",'l%d':'v'", i);
	buf_add_char(&metadata, '}');
	put(s, "Pod/shop/bad", 4, "Failed", NULL, buf_cstr(&metadata));
	put(s, "Pod/shop/ok", 20, "Ready", NULL, "'labels':{'first':'other'}");
	assert_non_null(strstr(told(s, "Pod/shop/bad0"), "first=same 4/4 0/20"));
	assert_null(strstr(told(s, "Pod/shop/bad0"), "xxxx"));
	buf_release(&metadata);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_node_of_the_broken_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_differs_is_not_said_to_share_it, setup, teardown),
		cmocka_unit_test_setup_teardown(what_all_share_is_not_told, setup, teardown),
		cmocka_unit_test_setup_teardown(fewer_than_three_share_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(the_most_telling_first, setup, teardown),
		cmocka_unit_test_setup_teardown(a_field_that_is_not_read_of_healthy_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(an_owner_of_their_owners, setup, teardown),
		cmocka_unit_test_setup_teardown(the_class_of_what_they_need, setup, teardown),
		cmocka_unit_test_setup_teardown(the_zone_of_their_nodes, setup, teardown),
		cmocka_unit_test_setup_teardown(those_with_the_same_reason, setup, teardown),
		cmocka_unit_test_setup_teardown(labels_that_change, setup, teardown),
		cmocka_unit_test_setup_teardown(verdicts_that_change, setup, teardown),
		cmocka_unit_test_setup_teardown(many_broken_ones_are_counted_one_by_one, setup, teardown),
		cmocka_unit_test_setup_teardown(hostile_labels, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

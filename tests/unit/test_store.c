/* SPDX-License-Identifier: Apache-2.0 */
/* Handles, lists, coverage and referrers; what is packed is looked at in test_pack.c. */
#include "kube/base/buf.h"
#include "kube/base/limits.h"
#include "kube/model/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct world {
	struct kinds kinds;
	struct store *store;
	const struct kind *net, *sub; /* kinds */
};

static int setup(void **state)
{
	static struct world w;

	w = (struct world){ 0 };
	w.store = store_new(&w.kinds);
	w.net = kinds_put(&w.kinds, STR("x.example"), STR("Network"));
	w.sub = kinds_put(&w.kinds, STR("x.example"), STR("Subnet"));
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	store_free(w->store);
	kinds_release(&w->kinds);
	return 0;
}

static struct object_id id_of(const struct kind *kind, const char *ns, const char *name)
{
	return (struct object_id){ 0, kind, str_of(ns), str_of(name) };
}

static enum change put_status(struct world *w, struct object_id id, const struct status *st,
			      struct handle *h)
{
	struct object_meta meta = { .id = id, .uid = STR("u") };

	return store_put(w->store, &meta, st, h);
}

static struct handle put(struct world *w, const struct kind *kind, const char *ns, const char *name)
{
	struct status st = { .phase = PHASE_READY, .replicas = REPLICAS_NONE };
	struct handle h;

	put_status(w, id_of(kind, ns, name), &st, &h);
	return h;
}

/* A Subnet in "a" that refers to Networks in "a". */
static struct handle put_subnet(struct world *w, const char *name, const char *const *networks,
				size_t n)
{
	struct ref refs[LIMIT_REFS + 10];
	struct status st = {
		.phase = PHASE_READY, .replicas = REPLICAS_NONE, .refs = refs, .nrefs = (uint16_t)n
	};
	struct handle h;

	for (size_t i = 0; i < n; i++)
		refs[i] = (struct ref){ .relation = RELATION_NEEDS,
					.group = STR("x.example"),
					.kind = STR("Network"),
					.ns = STR("a"),
					.name = str_of(networks[i]),
					.via = STR("spec.networkRef") };
	put_status(w, id_of(w->sub, "a", name), &st, &h);
	return h;
}

/* ---- put, remove, handles ------------------------------------------------ */

static void test_changes(void **state)
{
	struct world *w = *state;
	struct status st = { .phase = PHASE_READY, .replicas = REPLICAS_NONE };
	struct object_id id = id_of(w->net, "a", "n");
	struct handle h, again;

	assert_true(handle_eq(store_find(w->store, &id), HANDLE_NONE));
	assert_int_equal(put_status(w, id, &st, &h), CHANGE_ADDED);
	assert_int_equal(put_status(w, id, &st, &again), CHANGE_NONE);
	assert_true(handle_eq(h, again) && handle_eq(store_find(w->store, &id), h) &&
		    store_alive(w->store, h));
	st.phase = PHASE_FAILED;
	assert_int_equal(put_status(w, id, &st, &again), CHANGE_UPDATED);
	assert_true(handle_eq(h, again));
	assert_int_equal(store_brief(w->store, h).phase, PHASE_FAILED);
	assert_int_equal(store_count(w->store), 1);
	assert_int_equal(store_remove(w->store, h), CHANGE_REMOVED);
	assert_int_equal(store_remove(w->store, h), CHANGE_NONE);
	assert_int_equal(store_remove(w->store, HANDLE_NONE), CHANGE_NONE);
	assert_int_equal(store_remove(w->store, (struct handle){ 9999, 0 }), CHANGE_NONE);
	assert_int_equal(store_count(w->store), 0);
}

static void test_handles_after_removal(void **state)
{
	struct world *w = *state;
	struct handle old = put(w, w->net, "a", "n"), new;
	struct arena arena = { 0 };

	store_remove(w->store, old);
	assert_false(store_alive(w->store, old));
	assert_int_equal(store_brief(w->store, old).phase, PHASE_UNKNOWN);
	assert_int_equal(store_status(w->store, old, &arena).nrefs, 0);
	assert_null(store_meta(w->store, old).id.kind);
	assert_true(store_percent(w->store, old) < 0);
	new = put(w, w->net, "a", "n");
	assert_int_equal(new.slot, old.slot);
	assert_int_not_equal(new.gen, old.gen);
	assert_true(store_alive(w->store, new) && !store_alive(w->store, old));
	assert_int_equal(store_remove(w->store, old), CHANGE_NONE); /* the new one stays */
	assert_int_equal(store_count(w->store), 1);
	assert_false(store_alive(w->store, HANDLE_NONE) ||
		     store_alive(w->store, (struct handle){ 1u << 30, 0 }));
	arena_release(&arena);
}

static void test_identity(void **state)
{
	struct world *w = *state;
	struct handle a = put(w, w->net, "a", "n"), b = put(w, w->net, "b", "n"),
		      c = put(w, w->sub, "a", "n"), d = put(w, w->net, "", "n"), e, f, g;
	struct object_id other = { 1, w->net, STR("a"), STR("n") };
	struct status st = { .phase = PHASE_READY };

	put_status(w, other, &st, &e);
	assert_int_equal(store_count(w->store), 5);
	assert_false(handle_eq(a, b) || handle_eq(a, c) || handle_eq(a, d) || handle_eq(a, e));
	assert_int_equal(store_meta(w->store, e).id.cluster, 1);
	assert_true(str_is(store_meta(w->store, b).id.ns, "b") &&
		    str_is(store_meta(w->store, b).id.name, "n"));
	assert_ptr_equal(store_meta(w->store, c).id.kind, w->sub);
	/* names in references are foreign text */
	f = put(w, w->net, "x/y", "z");
	g = put(w, w->net, "x", "y/z");
	assert_false(handle_eq(f, g));
	assert_int_equal(store_count(w->store), 7);
}

static void test_iteration(void **state)
{
	struct world *w = *state;
	struct handle h[100];
	char name[8];
	size_t n = 0;

	for (size_t i = 0; i < COUNT(h); i++) {
		snprintf(name, sizeof(name), "n%zu", i);
		h[i] = put(w, w->net, i % 2 ? "a" : "b", name);
	}
	for (size_t i = 0; i < COUNT(h); i += 3)
		store_remove(w->store, h[i]);
	for (struct handle it = store_next(w->store, 0); it.slot;
	     it = store_next(w->store, it.slot + 1)) {
		assert_true(store_alive(w->store, it));
		assert_true(it.slot < store_slots(w->store));
		n++;
	}
	assert_int_equal(n, 66);
	assert_int_equal(store_count(w->store), 66);
	for (size_t i = 0; i < COUNT(h); i++)
		assert_int_equal(store_alive(w->store, h[i]), i % 3 != 0);
	assert_true(handle_eq(store_next(w->store, store_slots(w->store)), HANDLE_NONE));
	assert_ptr_equal(store_kinds(w->store), &w->kinds);
}

/* ---- coverage ------------------------------------------------------------ */

static void test_coverage(void **state)
{
	struct world *w = *state;
	struct store *s = w->store;

	assert_int_equal(store_coverage(s, 0, w->net, STR("a")), COVERAGE_NONE);
	store_set_coverage(s, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	assert_int_equal(store_coverage(s, 0, w->net, STR("a")), COVERAGE_PARTIAL);
	assert_int_equal(store_coverage(s, 0, w->sub, STR_NONE), COVERAGE_PARTIAL);
	assert_int_equal(store_coverage(s, 1, w->net, STR("a")), COVERAGE_NONE);
	store_set_coverage(s, 0, w->net, STR("a"), COVERAGE_COMPLETE);
	assert_int_equal(store_coverage(s, 0, w->net, STR("a")), COVERAGE_COMPLETE);
	assert_int_equal(store_coverage(s, 0, w->net, STR("b")), COVERAGE_PARTIAL);
	assert_int_equal(store_coverage(s, 0, w->net, STR_NONE), COVERAGE_PARTIAL);
	store_set_coverage(s, 0, w->net, STR_NONE, COVERAGE_FORBIDDEN);
	assert_int_equal(store_coverage(s, 0, w->net, STR("a")), COVERAGE_COMPLETE); /* says more */
	assert_int_equal(store_coverage(s, 0, w->net, STR("b")), COVERAGE_FORBIDDEN);
	store_set_coverage(s, 0, w->net, STR("b"), COVERAGE_FORBIDDEN);
	store_set_coverage(s, 0, w->net, STR_NONE, COVERAGE_COMPLETE);
	assert_int_equal(store_coverage(s, 0, w->net, STR("b")), COVERAGE_COMPLETE);
	assert_int_equal(store_coverage(s, 0, w->sub, STR("b")), COVERAGE_PARTIAL);
}

static void test_name_coverage(void **state)
{
	struct world *w = *state;
	struct object_id id = id_of(w->net, "a", "n");
	struct object_id other = id_of(w->net, "a", "m");
	size_t n;

	assert_int_equal(store_name_coverage(w->store, &id), COVERAGE_NONE);
	assert_int_equal(store_find_node(w->store, &id), 0);
	store_touched_clear(w->store);
	store_set_name_coverage(w->store, &id, COVERAGE_COMPLETE);
	assert_int_equal(store_name_coverage(w->store, &id), COVERAGE_COMPLETE);
	assert_int_equal(store_name_coverage(w->store, &other), COVERAGE_NONE);
	assert_int_equal(store_coverage(w->store, 0, w->net, STR("a")), COVERAGE_NONE);
	assert_true(handle_eq(store_find(w->store, &id), HANDLE_NONE));
	assert_int_equal(store_touched(w->store, &n)[0], store_find_node(w->store, &id));
	assert_int_equal(n, 1);
}

/* ---- names, referrers, namespaces ---------------------------------------- */

static size_t referrers(struct world *w, const char *network)
{
	struct object_id id = id_of(w->net, "a", network);
	uint32_t slot = store_find_node(w->store, &id);
	size_t n = 0;

	if (slot)
		store_referrers(w->store, slot, &n);
	return n;
}

static void test_referrers(void **state)
{
	static const char *const one[] = { "n" }, *const two[] = { "n", "m", "n" };
	struct world *w = *state;
	struct handle s = put_subnet(w, "s", one, 1), t;
	struct object_id id = id_of(w->net, "a", "n");
	uint32_t node = store_find_node(w->store, &id);
	struct edge e;
	size_t n;

	assert_int_not_equal(node, 0); /* a name without an object */
	assert_true(handle_eq(store_node_handle(w->store, node), HANDLE_NONE));
	assert_true(str_is(store_node_id(w->store, node).name, "n"));
	assert_int_equal(store_count(w->store), 1);
	assert_int_equal(store_referrers(w->store, node, &n)[0], s.slot);
	assert_int_equal(n, 1);
	e = store_edge(w->store, s.slot, 0);
	assert_int_equal(e.target, node);
	assert_int_equal(e.relation, RELATION_NEEDS);
	assert_true(str_is(e.via, "spec.networkRef"));
	t = put_subnet(w, "t", two, 3);
	assert_int_equal(store_edge_count(w->store, t.slot), 3);
	assert_int_equal(referrers(w, "n"), 3); /* once per reference */
	assert_int_equal(referrers(w, "m"), 1);
	assert_int_equal(put(w, w->net, "a", "n").slot, node);
	assert_int_equal(referrers(w, "n"), 3);
	put_subnet(w, "t", two + 1, 1);
	assert_int_equal(referrers(w, "n"), 1);
	assert_int_equal(referrers(w, "m"), 1);
	store_remove(w->store, s);
	assert_int_equal(referrers(w, "n"), 0);
	assert_int_equal(store_edge_count(w->store, s.slot), 0);
	store_remove(w->store, store_find(w->store, &id));
	assert_int_equal(store_find_node(w->store, &id), node);
}

static void test_too_many_references(void **state)
{
	struct world *w = *state;
	const char *names[LIMIT_REFS + 10];
	struct arena arena = { 0 };
	struct handle s;

	for (size_t i = 0; i < COUNT(names); i++)
		names[i] = i % 2 ? "n" : "m";
	s = put_subnet(w, "s", names, COUNT(names));
	assert_int_equal(store_edge_count(w->store, s.slot), LIMIT_REFS);
	assert_int_equal(store_status(w->store, s, &arena).nrefs, LIMIT_REFS);
	assert_int_equal(referrers(w, "n") + referrers(w, "m"), LIMIT_REFS);
	store_remove(w->store, s);
	assert_int_equal(referrers(w, "n") + referrers(w, "m"), 0);
	arena_release(&arena);
}

static bool in_list(const uint32_t *slots, size_t n, uint32_t slot)
{
	for (size_t i = 0; i < n; i++)
		if (slots[i] == slot)
			return true;
	return false;
}

static void test_touched(void **state)
{
	static const char *const n_only[] = { "n" }, *const m_only[] = { "m" };
	struct world *w = *state;
	struct object_id id = id_of(w->net, "a", "n"), id_m = id_of(w->net, "a", "m");
	struct handle s = put_subnet(w, "s", n_only, 1);
	const uint32_t *slots;
	size_t n;

	slots = store_touched(w->store, &n);
	assert_true(in_list(slots, n, s.slot));
	store_touched_clear(w->store);
	put_subnet(w, "s", n_only, 1);
	store_touched(w->store, &n);
	assert_int_equal(n, 0); /* nothing changed */
	put_subnet(w, "s", m_only, 1);
	slots = store_touched(w->store, &n);
	assert_true(in_list(slots, n, s.slot) && in_list(slots, n, store_find_node(w->store, &id)));
	store_touched_clear(w->store);
	store_remove(w->store, s);
	slots = store_touched(w->store, &n);
	assert_true(in_list(slots, n, s.slot) &&
		    in_list(slots, n, store_find_node(w->store, &id_m)));
}

static void test_namespaces(void **state)
{
	struct world *w = *state;
	struct handle h[30];
	const uint32_t *slots;
	char name[8];
	size_t n;

	for (size_t i = 0; i < COUNT(h); i++) {
		snprintf(name, sizeof(name), "n%zu", i);
		h[i] = put(w, i % 2 ? w->net : w->sub, i % 3 ? "a" : "b", name);
	}
	assert_int_equal(store_kind_count(w->store, 0, w->net, STR("a")), 10);
	assert_int_equal(store_kind_count(w->store, 0, w->net, STR("c")), 0);
	assert_int_equal(store_kind_count(w->store, 1, w->net, STR("a")), 0);
	for (size_t i = 0; i < COUNT(h); i += 2)
		store_remove(w->store, h[i]);
	assert_int_equal(store_kind_count(w->store, 0, w->sub, STR("a")), 0);
	slots = store_in_namespace(w->store, 0, STR("a"), &n);
	assert_int_equal(n, 10);
	for (size_t i = 0; i < COUNT(h); i++)
		assert_int_equal(in_list(slots, n, h[i].slot), i % 2 && i % 3);
	store_in_namespace(w->store, 0, STR("nowhere"), &n);
	assert_int_equal(n, 0);
	store_in_namespace(w->store, 1, STR("a"), &n);
	assert_int_equal(n, 0);
}

/* ---- what is gone --------------------------------------------------------------- */

static size_t forget(struct world *w)
{
	size_t n;

	store_touched_clear(w->store);
	store_forget(w->store, &n);
	return n;
}

static void test_forgets_what_nobody_refers_to(void **state)
{
	static const char *const nets[] = { "there", "absent" };
	struct world *w = *state;
	struct handle net = put(w, w->net, "a", "there"), sub = put_subnet(w, "s", nets, 2), again;
	struct object_id absent = id_of(w->net, "a", "absent"), there = id_of(w->net, "a", "there");

	store_remove(w->store, net);
	assert_int_equal(forget(w), 0); /* the subnet refers to both */
	assert_int_equal(store_find_node(w->store, &there), net.slot);
	store_remove(w->store, sub);
	store_forget(w->store, &(size_t){ 0 });
	assert_true(store_knows(w->store, sub)); /* nobody has seen that it went */
	assert_int_equal(forget(w), 3);
	assert_int_equal(store_find_node(w->store, &absent), 0);
	assert_int_equal(store_find_node(w->store, &there), 0);
	assert_false(store_knows(w->store, sub) || store_knows(w->store, net));
	assert_int_equal(store_node_id(w->store, sub.slot).name.len, 0);
	again = put(w, w->sub, "b", "another");
	assert_true(again.slot == net.slot || again.slot == sub.slot || again.slot <= 3);
	assert_false(store_alive(w->store, net) || store_alive(w->store, sub));
	assert_true(store_alive(w->store, again));
}

static void test_holds_what_is_shown(void **state)
{
	struct world *w = *state;
	struct handle h = put(w, w->net, "a", "shown");

	store_remove(w->store, h);
	for (int i = 0; i < 3; i++) {
		store_hold(w->store, h.slot);
		assert_int_equal(forget(w), 0);
		assert_true(store_knows(w->store, h));
		assert_true(str_is(store_node_id(w->store, h.slot).name, "shown"));
	}
	assert_int_equal(forget(w), 1);
	assert_false(store_knows(w->store, h));
}

/* What an answer said of a name holds as long as somebody refers to it. */
static void test_forgets_what_is_known_of_a_name(void **state)
{
	static const char *const nets[] = { "absent" };
	struct world *w = *state;
	struct handle sub = put_subnet(w, "s", nets, 1);
	struct object_id absent = id_of(w->net, "a", "absent"), asked = id_of(w->net, "a", "asked");

	store_set_name_coverage(w->store, &absent, COVERAGE_COMPLETE);
	store_set_name_coverage(w->store, &asked, COVERAGE_COMPLETE);
	assert_int_equal(forget(w), 0);
	store_remove(w->store, sub);
	assert_int_equal(forget(w), 2);
	assert_int_equal(store_name_coverage(w->store, &absent), COVERAGE_NONE);
	assert_int_equal(store_name_coverage(w->store, &asked), COVERAGE_COMPLETE);
	store_set_name_coverage(w->store, &asked, COVERAGE_NONE);
	assert_int_equal(forget(w), 1);
	assert_int_equal(store_find_node(w->store, &asked), 0);
}

/* Slots at the end are cut off, and those that come again there are of another generation. */
static void test_many_come_and_go(void **state)
{
	enum { MANY = 5000 };
	static struct handle all[MANY], more[MANY];
	struct world *w = *state;
	char name[16];

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < MANY; i++) {
			snprintf(name, sizeof(name), "n%u-%u", round, i);
			more[i] = put(w, i % 2 ? w->net : w->sub, i % 3 ? "a" : "b", name);
			assert_true(round == 0 || !store_alive(w->store, all[i]));
		}
		assert_int_equal(store_count(w->store), MANY);
		for (unsigned i = 0; i < MANY; i++) {
			unsigned k = (i * 7919 + round) % MANY;

			assert_int_equal(store_remove(w->store, more[k]), CHANGE_REMOVED);
			all[k] = more[k];
		}
		assert_int_equal(forget(w), MANY);
		assert_in_range(store_slots(w->store), 1, 1025);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_changes),
		TEST(test_handles_after_removal),
		TEST(test_identity),
		TEST(test_iteration),
		TEST(test_coverage),
		TEST(test_name_coverage),
		TEST(test_referrers),
		TEST(test_too_many_references),
		TEST(test_touched),
		TEST(test_namespaces),
		TEST(test_forgets_what_nobody_refers_to),
		TEST(test_holds_what_is_shown),
		TEST(test_forgets_what_is_known_of_a_name),
		TEST(test_many_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A verdict is a function of the world, not of how the world came about: after
 * random events every object must look as it does in a new store and graph
 * that got the same living objects at once.  A seed of one's own: TEST_SEED=n.
 */
#include "tests/unit/look.h"
#include "tests/unit/random_world.h"

#include <stdlib.h>

#define EVERY 100

/* Where its waits lead, in words. */
static struct str roots_text(struct model *m, struct handle h)
{
	struct str text = STR_NONE;
	struct item it;

	if (!graph_item(m->w.graph, h, &m->w.arena, &it))
		return text;
	for (size_t i = 0; i < it.nwaits; i++)
		text = arena_printf(&m->w.arena, STR_FMT " %s", STR_ARG(text), wait_state_name(it.waits[i].state));
	for (size_t i = 0; i < it.nroots; i++)
		text = arena_printf(&m->w.arena, STR_FMT " " STR_FMT "/" STR_FMT, STR_ARG(text),
				    STR_ARG(it.roots[i].ns), STR_ARG(it.roots[i].name));
	return text;
}

/* What is found for one object alone is what is found for all. */
static void check_roots(struct model *m)
{
	struct handle handles[8];
	struct str alone[8];
	size_t n;

	for (unsigned i = 0; i < COUNT(handles); i++) {
		handles[i] = find(&m->w, below(m, NAMES));
		alone[i] = roots_text(m, handles[i]);
	}
	graph_roots(m->w.graph, &m->w.arena, &n);
	for (unsigned i = 0; i < COUNT(handles); i++) {
		struct str all = roots_text(m, handles[i]);

		if (!str_eq(alone[i], all))
			fail_msg("alone: " STR_FMT ", among all: " STR_FMT, STR_ARG(alone[i]), STR_ARG(all));
	}
}

/* How many wait for a cause is counted in another way than they are listed, and by kind in a third. */
static void check_counts(struct model *m)
{
	const struct root_cause *r;
	size_t n;

	r = graph_roots(m->w.graph, &m->w.arena, &n);
	for (size_t i = 0; i < n; i++) {
		struct kind_count kinds[2];
		size_t listed, others, sum = 0, nkinds;

		graph_blocked(m->w.graph, &r[i].slot, 1, &listed);
		assert_int_equal(r[i].nblocked, listed);
		nkinds = graph_blocked_kinds(m->w.graph, &r[i].slot, 1, kinds, COUNT(kinds), &others);
		for (size_t k = 0; k < nkinds; k++)
			sum += kinds[k].n;
		assert_int_equal(sum + others, listed);
	}
}

/* ---- what is told after each settle --------------------------------------------- */

static struct str deletion_text(struct model *m, const struct item *it, struct str text)
{
	struct arena *a = &m->w.arena;
	const struct deletion *d = it->deletion;

	for (size_t i = 0; d && i < d->nfinalizers; i++)
		text = ARENA_JOIN(a, text, STR("\n"), d->finalizers[i].name, STR(" "), d->finalizers[i].held_for, STR(" "),
				  d->finalizers[i].state);
	for (size_t i = 0; d && i < d->nblocked_by; i++)
		text = ARENA_JOIN(a, text, STR("\nblocked by "), d->blocked_by[i].kind, STR("/"), d->blocked_by[i].name);
	return text;
}

/* All that is told of an object itself; "": it does not exist. */
static struct str told_text(struct model *m, struct handle h)
{
	struct arena *a = &m->w.arena;
	struct str text, roots;
	struct item it;

	if (!graph_item(m->w.graph, h, a, &it))
		return STR_NONE;
	roots = roots_text(m, h);
	text = arena_printf(a, "%s %s " STR_FMT " " STR_FMT " %lld" STR_FMT, phase_name(it.s.phase), severity_name(it.s.severity),
			    STR_ARG(it.s.reason), STR_ARG(it.s.message), (long long)it.s.since, STR_ARG(roots));
	for (size_t i = 0; i < it.nwaits; i++)
		text = ARENA_JOIN(a, text, STR("\nwaits "), it.waits[i].on.kind, STR("/"), it.waits[i].on.name, STR(" "),
				  it.waits[i].via, STR(" "), it.waits[i].message);
	for (size_t i = 0; i < it.ndependencies; i++) {
		const struct dependency *d = &it.dependencies[i];

		text = ARENA_JOIN(a, text, STR("\n"), str_of(relation_name(d->relation)), STR(" "), d->on.kind, STR("/"),
				  d->on.name, STR(" "), d->via, str_of(d->found ? " found" : d->missing ? " missing" : ""));
	}
	return deletion_text(m, &it, text);
}

/* Whoever asks again only for what graph_affected() names knows what is told of every object. */
static void check_told(struct model *m)
{
	bool *affected = xcalloc(store_slots(m->w.store), sizeof(*affected));
	size_t n;
	const uint32_t *slots = graph_affected(m->w.graph, &n);

	for (size_t i = 0; i < n; i++)
		affected[slots[i]] = true;
	for (unsigned i = 0; i < NAMES; i++) {
		char name[8];
		struct object_id id = id_of(&m->w, i, name);
		uint32_t slot = store_find_node(m->w.store, &id);
		struct str now = told_text(m, store_node_handle(m->w.store, slot));

		if (affected[slot] && slot) {
			xfree(m->told[i]);
			m->told[i] = xstrndup(now.ptr, now.len);
		} else if (!str_eq(now, str_of(m->told[i]))) {
			fail_msg("event %u: of %s is told\n%s\nand not\n" STR_FMT, m->event, name, m->told[i] ? m->told[i] : "",
				 STR_ARG(now));
		}
	}
	xfree(affected);
	arena_reset(&m->w.arena);
}

static void event(struct model *m)
{
	size_t roots;

	change_random(m);
	if (chance(m, 70)) {
		settle_anew(&m->w);
		check_told(m);
		check_roots(m);
		check_counts(m);
	}
	if (has(m, FORGET) && chance(m, 30))
		forget(m);
	if (chance(m, 20)) /* causes that may have to be forgotten */
		graph_roots(m->w.graph, &m->w.arena, &roots);
}

/* ---- the comparison ------------------------------------------------------------ */

/* Judges the objects of a new world a few at a time: what comes of it is the same. */
static void settle_in_slices(struct model *m, struct toy_world *w)
{
	size_t slice = 1 + below(m, 7), slices = 1;

	graph_settle_begin(w->graph, w->now);
	while (!graph_settle_some(w->graph, slice))
		slices++;
	assert_true(slices >= store_count(w->store) / slice);
}

static bool compare(struct model *m)
{
	static struct lines got, fresh;
	struct toy_world w;
	bool same;

	rebuild(m, &w);
	look(&m->w, &got);
	check_told(m);
	settle_in_slices(m, &w);
	look(&w, &fresh);
	same = !lines_differ(&got, &fresh);
	if (!same)
		print_error("  after event %u\n", m->event);
	lines_clear(&got);
	lines_clear(&fresh);
	toy_close(&w);
	return same;
}

static void run(unsigned features, uint64_t seed, unsigned events)
{
	struct model m = { .random = seed, .features = features };
	bool same = true;

	rebuild(&m, &m.w);
	for (unsigned k = 0; k < KINDS; k++) {
		m.coverage[k][SPACES] = COVERAGE_COMPLETE;
		toy_complete(&m.w, kind_names[k]);
	}
	for (m.event = 1; m.event <= events && same; m.event++) {
		event(&m);
		if (m.event % EVERY == 0)
			same = compare(&m);
	}
	if (has(&m, FORGET))
		assert_true(m.reused > events / 100);
	model_close(&m);
	if (!same)
		fail_msg("features 0x%x, seed %llu", features, (unsigned long long)seed);
}

static void test_plain(void **state)
{
	(void)state;
	run(0, 1, 3000);
}

static void test_serving(void **state)
{
	(void)state;
	run(SERVING, 2, 3000);
}

static void test_coverage(void **state)
{
	(void)state;
	run(COVERAGE, 63, 13000);
}

static void test_time(void **state)
{
	(void)state;
	run(TIME, 4, 3000);
}

static void test_aliases(void **state)
{
	(void)state;
	run(ALIASES, 5, 3000);
}

static void test_copies(void **state)
{
	(void)state;
	run(COPIES | SERVING, 36, 6000);
}

static void test_far(void **state)
{
	(void)state;
	run(FAR, 7, 3000);
}

static void test_forget(void **state)
{
	(void)state;
	run(FORGET, 8, 6000);
	run(FORGET | COVERAGE | ALIASES, 9, 6000);
}

static void test_everything(void **state)
{
	const char *seed = getenv("TEST_SEED");
	int64_t own = 0;

	(void)state;
	run(EVERYTHING, 20261120, 10000);
	if (seed && str_to_int(str_of(seed), &own))
		run(EVERYTHING, (uint64_t)own, 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	 cmocka_unit_test(test_serving),
		cmocka_unit_test(test_coverage), cmocka_unit_test(test_time),
		cmocka_unit_test(test_aliases),	 cmocka_unit_test(test_copies),
		cmocka_unit_test(test_far),	 cmocka_unit_test(test_forget),
		cmocka_unit_test(test_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

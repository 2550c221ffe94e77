/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever happened, the world at any moment of it is the one that was there then: its JSON document is, byte for
 * byte, the one of a world that got the same events up to that moment.  A seed of one's own: TEST_SEED=n.
 */
#include "tests/unit/random_world.h"

#include "kube/graph/past.h"
#include "plugin/output/status_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOMENTS 200
#define LOOKS 120
#define CEILING (32u << 20)

/* The document of a store and its graph. */
static char *document(const struct kinds *kinds, struct store *store, struct graph *graph, int64_t now)
{
	struct world w = { .kinds = *kinds, .store = store, .graph = graph, .now = now };
	struct output out = { .fd = -1, .collect = true };
	struct handle *handles = xcalloc(store_count(store) + 1, sizeof(*handles));
	struct selected all = { handles, 0 };
	char *text;

	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1))
		handles[all.n++] = h;
	status_list_print(&w, &all, &out);
	text = xstrdup(buf_cstr(&out.buf));
	buf_release(&out.buf);
	xfree(handles);
	return text;
}

/* A world, with what it looked like after each settle. */
struct story {
	struct model m;
	int64_t times[MOMENTS];
	char *documents[MOMENTS];
	unsigned n;
};

static void story_open(struct story *s, unsigned features, uint64_t seed)
{
	memset(s, 0, sizeof(*s));
	s->m = (struct model){ .random = seed, .features = features };
	rebuild(&s->m, &s->m.w);
	for (unsigned k = 0; k < KINDS; k++) {
		s->m.coverage[k][SPACES] = COVERAGE_COMPLETE;
		toy_complete(&s->m.w, kind_names[k]);
	}
	for (unsigned i = 0; i < NAMES / 2; i++)
		put_random(&s->m, i);
	graph_settle(s->m.w.graph, s->m.w.now);
}

static void story_close(struct story *s)
{
	for (unsigned i = 0; i < s->n; i++)
		xfree(s->documents[i]);
	model_close(&s->m);
}

/* A few changes, a settle, perhaps what is gone is forgotten. */
static void go_on(struct story *s)
{
	struct model *m = &s->m;

	m->w.now += SECONDS(1 + below(m, 30));
	for (unsigned k = 1 + below(m, 3); k > 0; k--)
		change_random(m);
	graph_settle(m->w.graph, m->w.now);
	s->times[s->n] = m->w.now;
	s->documents[s->n++] = document(&m->w.kinds, m->w.store, m->w.graph, m->w.now);
	if (has(m, FORGET) && chance(m, 30))
		forget(m);
}

/* Where they begin to differ. */
static void fail_with(const char *is, const char *should_be, const struct story *s, unsigned moment)
{
	size_t i = 0;

	while (is[i] && is[i] == should_be[i])
		i++;
	i = i > 300 ? i - 300 : 0;
	fail_msg("moment %u of %u (%lld):\nis:        %.600s\n\nshould be: %.600s", moment, s->n,
		 (long long)s->times[moment], is + i, should_be + i);
}

/* What a list shows of each slot. */
struct facts {
	uint32_t gen;
	enum phase phase;
	enum severity severity;
	int64_t since;
	uint64_t reason;
};

/* A zero at the end; the caller frees it. */
static struct facts *facts_of(const struct store *store, struct graph *graph, uint32_t nslots)
{
	struct facts *out = xcalloc((size_t)nslots + 1, sizeof(*out));
	struct summary s;

	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1))
		if (h.slot < nslots && graph_summary(graph, h, &s))
			out[h.slot] = (struct facts){ h.gen, s.phase, s.severity, s.since, str_hash(s.reason) };
	return out;
}

static bool is_told(const struct past *p, uint32_t slot)
{
	bool copied;
	size_t n, nsettled;
	const uint32_t *moved = past_moved(p, &n, &copied), *settled = graph_changed(past_graph(p), &nsettled);

	for (size_t i = 0; i < n; i++)
		if (moved[i] == slot)
			return true;
	for (size_t i = 0; i < nsettled; i++)
		if (settled[i] == slot)
			return true;
	return false;
}

/* Who looks only at what a move tells of sees what is there. */
static void expect_told(const struct past *p, const struct story *s, const struct facts *before, uint32_t nslots)
{
	bool copied;
	size_t n;
	struct facts *is = facts_of(past_store(p), past_graph(p), nslots), *live = NULL;

	past_moved(p, &n, &copied);
	if (copied)
		before = live = facts_of(s->m.w.store, s->m.w.graph, nslots);
	for (uint32_t slot = 1; slot < nslots; slot++)
		if (memcmp(&is[slot], &before[slot], sizeof(is[slot])) != 0 && !is_told(p, slot))
			fail_msg("slot %u has changed, and nothing tells it", slot);
	xfree(is);
	xfree(live);
}

static void look_back(struct past *p, const struct story *s, unsigned moment)
{
	uint32_t nslots = store_slots(s->m.w.store) + 1;
	struct facts *before = facts_of(past_store(p), past_graph(p), nslots);
	char *is;

	assert_int_equal(past_move(p, s->times[moment]), s->times[moment]);
	graph_settle(past_graph(p), s->times[moment]);
	expect_told(p, s, before, nslots);
	xfree(before);
	is = document(&s->m.w.kinds, past_store(p), past_graph(p), s->times[moment]);
	if (strcmp(is, s->documents[moment]) != 0)
		fail_with(is, s->documents[moment], s, moment);
	xfree(is);
}

/* Backwards step by step, at random while things go on, and forward again. */
static void tell(unsigned features, uint64_t seed)
{
	struct story *s = xmalloc(sizeof(*s));
	struct past *p;

	story_open(s, features, seed);
	graph_keep_history(s->m.w.graph, CEILING);
	while (s->n < MOMENTS / 2)
		go_on(s);
	p = past_new(s->m.w.graph);
	for (unsigned i = s->n; i-- > 0;)
		look_back(p, s, i);
	for (unsigned i = 0; i < LOOKS; i++) {
		if (s->n < MOMENTS && chance(&s->m, 60))
			go_on(s);
		look_back(p, s, below(&s->m, s->n));
	}
	for (unsigned i = 0; i < s->n; i += 1 + below(&s->m, 3))
		look_back(p, s, i);
	past_free(p);
	story_close(s);
	xfree(s);
}

static void test_plain(void **state)
{
	(void)state;
	tell(0, 1);
}

static void test_forget(void **state)
{
	(void)state;
	tell(FORGET, 2);
	tell(FORGET | COVERAGE, 3);
}

static void test_everything(void **state)
{
	const char *seed = getenv("TEST_SEED");
	int64_t own = 0;

	(void)state;
	for (uint64_t i = 10; i < 12; i++)
		tell(EVERYTHING, i);
	if (seed && str_to_int(str_of(seed), &own))
		tell(EVERYTHING, (uint64_t)own);
}

/* Between two changes only time passes: the verdicts are those that time made. */
static void test_between(void **state)
{
	struct story *live = xmalloc(sizeof(*live)), *scratch = xmalloc(sizeof(*scratch));
	struct past *p;

	(void)state;
	story_open(live, EVERYTHING, 77);
	graph_keep_history(live->m.w.graph, CEILING);
	while (live->n < 100)
		go_on(live);
	p = past_new(live->m.w.graph);
	for (unsigned i = 0; i + 1 < live->n; i += 7) {
		int64_t at = (live->times[i] + live->times[i + 1]) / 2;
		char *is, *should_be;

		story_open(scratch, EVERYTHING, 77);
		while (scratch->n <= i)
			go_on(scratch);
		graph_settle(scratch->m.w.graph, at);
		should_be = document(&scratch->m.w.kinds, scratch->m.w.store, scratch->m.w.graph, at);
		past_move(p, at);
		graph_settle(past_graph(p), at);
		is = document(&live->m.w.kinds, past_store(p), past_graph(p), at);
		if (strcmp(is, should_be) != 0)
			fail_with(is, should_be, live, i);
		xfree(is);
		xfree(should_be);
		story_close(scratch);
	}
	past_free(p);
	story_close(live);
	xfree(live);
	xfree(scratch);
}

/* The oldest goes first, and what is left is exact. */
static void test_ceiling(void **state)
{
	enum { SMALL = 100 * 1024 };
	struct story *s = xmalloc(sizeof(*s));
	struct past *p;
	int64_t from;

	(void)state;
	story_open(s, EVERYTHING, 5);
	graph_keep_history(s->m.w.graph, SMALL);
	while (s->n < MOMENTS) {
		go_on(s);
		assert_true(graph_history_size(s->m.w.graph) <= SMALL);
	}
	from = graph_history_from(s->m.w.graph);
	assert_true(from > s->times[0] && from < s->times[s->n - 1]);
	p = past_new(s->m.w.graph);
	assert_int_equal(past_move(p, s->times[0]), from);
	for (unsigned i = s->n; i-- > 0 && s->times[i] >= from;)
		look_back(p, s, i);
	past_free(p);
	story_close(s);
	xfree(s);
}

#ifdef __SANITIZE_ADDRESS__
/* The sanitizer keeps what was freed for a while: what is allocated, MiB. */
size_t __sanitizer_get_current_allocated_bytes(void);

static double memory(void)
{
	return (double)__sanitizer_get_current_allocated_bytes() / (1 << 20);
}
#else
static double memory(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (f && fscanf(f, "%*s %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}
#endif

/* An hour of 20 changes a second, or a tenth of it: once the ceiling is reached memory grows no more. */
static void test_an_hour(void **state)
{
	enum { HOUR = 72000, SMALL = 2 << 20 };
	const char *soak = getenv("KUBECTL_STATUS_SOAK");
	unsigned changes = soak && *soak ? HOUR : HOUR / 10;
	struct story *s = xmalloc(sizeof(*s));
	size_t highest = 0;
	double half = 0;

	(void)state;
	story_open(s, FORGET | TIME, 8);
	graph_keep_history(s->m.w.graph, SMALL);
	for (unsigned i = 0; i < changes; i++) {
		struct graph *g = s->m.w.graph;

		s->m.w.now += 50;
		change_random(&s->m);
		arena_reset(&s->m.w.arena);
		graph_settle(g, s->m.w.now);
		if (i % 100 == 0)
			forget(&s->m);
		assert_true(graph_history_size(g) <= SMALL);
		highest = graph_history_size(g) > highest ? graph_history_size(g) : highest;
		half = i == changes / 2 ? memory() : half;
	}
	assert_true(highest > SMALL / 2);
	if (soak && *soak)
		printf("%u changes: %.1f MB in the middle, %.1f MB at the end\n", changes, half, memory());
	assert_true(memory() < half + 4);
	story_close(s);
	xfree(s);
}

/* When nothing changes nothing is written. */
static void test_nothing(void **state)
{
	struct story *s = xmalloc(sizeof(*s));
	size_t size;

	(void)state;
	story_open(s, 0, 6);
	graph_keep_history(s->m.w.graph, CEILING);
	size = graph_history_size(s->m.w.graph);
	for (unsigned i = 0; i < NAMES; i++)
		if (s->m.objects[i])
			put_again(&s->m, i);
	graph_settle(s->m.w.graph, s->m.w.now);
	assert_int_equal(graph_history_size(s->m.w.graph), size);
	put_random(&s->m, 0);
	graph_settle(s->m.w.graph, s->m.w.now);
	assert_true(graph_history_size(s->m.w.graph) > size);
	story_close(s);
	xfree(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	  cmocka_unit_test(test_forget),  cmocka_unit_test(test_everything),
		cmocka_unit_test(test_between), cmocka_unit_test(test_ceiling), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_an_hour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

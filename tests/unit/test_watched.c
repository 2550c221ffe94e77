/* SPDX-License-Identifier: Apache-2.0 */
/* When each kind was watched: gaps, against a model that keeps everything, and the ceiling. */
#include "kube/journal/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 64, KINDS = 3, SCOPES = 3, STEP = 3000 };

static const struct str namespaces[SCOPES] = { { "", 0 }, { "shop", 4 }, { "edge", 4 } };

static bool is_kind(const void *ctx, uint16_t cluster, uint32_t kind)
{
	return cluster == 0 && (*(const unsigned *)ctx & 1u << kind);
}

static const struct gap *gaps(const struct watched *w, struct str ns, const unsigned *kinds, struct gap within, struct arena *a, size_t *out_n)
{
	return watched_gaps(w, &(struct watch_question){ ns, is_kind, kinds }, within, a, out_n);
}

static void gaps_are_told(void **state)
{
	struct watched *w = watched_new(1 << 20);
	struct watch_scope all = { 0, 1, STR_NONE }, shop = { 0, 1, STR("shop") };
	struct arena a = { 0 };
	unsigned kinds = 1u << 1;
	const struct gap *found;
	size_t n;

	(void)state;
	gaps(w, STR_NONE, &kinds, (struct gap){ 0, 90000 }, &a, &n);
	assert_int_equal(n, 0);	/* nobody ever watched it */
	watched_begin(w, &shop, 10000);
	watched_end(w, &shop, 20000);
	watched_begin(w, &shop, 20000 + GAP_SHORTEST - 1);	/* it came back at once */
	watched_end(w, &shop, 40000);
	watched_end(w, &shop, 45000);
	watched_begin(w, &all, 50000);
	found = gaps(w, STR("shop"), &kinds, (struct gap){ 0, 90000 }, &a, &n);
	assert_int_equal(n, 2);
	assert_true(found[0].from == 0 && found[0].to == 10000 && found[1].from == 40000 && found[1].to == 50000);
	found = gaps(w, STR_NONE, &kinds, (struct gap){ 0, 90000 }, &a, &n);
	assert_true(n == 1 && found[0].from == 0 && found[0].to == 50000);
	watched_miss(w, (struct gap){ 60000, 70000 }, true);
	found = gaps(w, STR_NONE, &kinds, (struct gap){ 50000, 90000 }, &a, &n);
	assert_true(n == 1 && found[0].from == 60000 && found[0].to == 70000);
	watched_miss(w, (struct gap){ 80000, 90000 }, false);
	watched_add(w, &all, (struct gap){ 60000, 69000 });
	found = gaps(w, STR_NONE, &kinds, (struct gap){ 50000, 95000 }, &a, &n);
	assert_true(n == 1 && found[0].from == 80000 && found[0].to == 95000);
	arena_release(&a);
	watched_free(w);
}

/* What the model says of one step of a kind: 1 watched, 0 not, -1 the kind does not count. */
static int watched_in(bool model[KINDS][SCOPES][STEPS], unsigned kind, unsigned scope, unsigned step)
{
	bool ever = false, now = false, everywhere = false;

	for (unsigned i = 0; i < STEPS; i++)
		everywhere |= model[kind][0][i];
	for (unsigned s = 0; s < SCOPES; s++) {
		if (s != 0 && s != scope && (scope != 0 || everywhere))
			continue;
		now |= model[kind][s][step];
		for (unsigned i = 0; i < STEPS; i++)
			ever |= model[kind][s][i];
	}
	return ever ? now : -1;
}

static void check(const struct watched *w, bool model[KINDS][SCOPES][STEPS], unsigned scope, unsigned kinds)
{
	bool missing[STEPS] = { false }, told[STEPS] = { false };
	struct arena a = { 0 };
	const struct gap *found;
	size_t n;

	for (unsigned i = 0; i < STEPS; i++)
		for (unsigned k = 0; k < KINDS; k++)
			missing[i] |= (kinds & 1u << k) && watched_in(model, k, scope, i) == 0;
	found = gaps(w, namespaces[scope], &kinds, (struct gap){ 0, STEPS * STEP }, &a, &n);
	for (size_t i = 0; i < n; i++) {
		assert_true(found[i].from < found[i].to && (i == 0 || found[i - 1].to < found[i].from));
		for (int64_t t = found[i].from; t < found[i].to; t += STEP)
			told[t / STEP] = true;
	}
	assert_memory_equal(missing, told, sizeof(told));
	arena_release(&a);
}

static void it_is_as_the_model_says(void **state)
{
	uint32_t random = 12345;

	(void)state;
	for (int round = 0; round < 300; round++) {
		static bool model[KINDS][SCOPES][STEPS];
		struct watched *w = watched_new(1 << 20);

		memset(model, 0, sizeof(model));
		for (int i = 0; i < 25; i++) {
			uint32_t r = random = random * 1664525u + 1013904223u;
			unsigned kind = (r >> 28) % KINDS, scope = (r >> 24) % SCOPES, from = (r >> 16) % STEPS, many = 1 + (r >> 8) % 12;
			struct watch_scope of = { 0, kind, namespaces[scope] };
			unsigned to = from + many < STEPS ? from + many : STEPS;

			watched_add(w, &of, (struct gap){ (int64_t)from * STEP, (int64_t)to * STEP });
			memset(&model[kind][scope][from], 1, to - from);
			check(w, model, (r >> 4) % SCOPES, 1 + r % 7);
		}
		watched_free(w);
	}
}

static void count(void *ctx, const struct watch_scope *scope, struct gap time)
{
	(void)scope, (void)time;
	++*(size_t *)ctx;
}

/* Many namespaces, and back and forth between them: the oldest times become gaps, what goes on never does. */
static void there_is_a_ceiling(void **state)
{
	enum { CEILING = 20000, TIMES = 30000 };
	struct watched *w = watched_new(CEILING);
	struct watch_scope open = { 0, 1, STR_NONE };
	struct arena a = { 0 };
	unsigned kinds = 1u << 1;
	char name[8];
	size_t n = 0;

	(void)state;
	watched_begin(w, &open, 1);
	for (int64_t i = 0; i < TIMES; i++) {
		struct watch_scope scope = { 0, 2 + (uint32_t)(i % 5), { name, (size_t)snprintf(name, sizeof(name), "ns%d", (int)(i / 7 % 900)) } };

		watched_add(w, &scope, (struct gap){ i * 10000, i * 10000 + 5000 });
		assert_true(watched_size(w) <= CEILING);
	}
	watched_each(w, count, &n);
	assert_in_range(n, 50, 500);
	gaps(w, STR_NONE, &kinds, (struct gap){ 1, TIMES * 10000 }, &a, &n);
	assert_int_equal(n, 0);
	arena_release(&a);
	watched_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_are_told),
		cmocka_unit_test(it_is_as_the_model_says),
		cmocka_unit_test(there_is_a_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

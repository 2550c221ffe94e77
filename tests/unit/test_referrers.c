/* SPDX-License-Identifier: Apache-2.0 */
/* Who refers to a node: any order of coming and going, and what a hundred thousand cost. */
#include "kube/model/referrers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define RANGE 40
#define MANY 100000

static uint32_t below(uint64_t *random, uint32_t n)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % n;
}

static void check(const struct referrers *r, const unsigned *count)
{
	uint32_t at = 0, n = r ? r->n : 0;

	for (uint32_t slot = 0; slot < RANGE; slot++)
		for (unsigned k = 0; k < count[slot]; k++)
			assert_true(at < n && r->slots[r->first + at++] == slot);
	assert_int_equal(at, n);
	assert_true(!r || (n > 0 && r->first + n <= r->cap));
}

static void test_against_counts(void **state)
{
	struct referrers *r = NULL;
	unsigned count[RANGE] = { 0 };
	uint64_t random = 7;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		uint32_t slot = below(&random, RANGE);
		/* long stretches of growing and of shrinking */
		bool add = below(&random, 100) < (i / 500 % 2 ? 30u : 70u);

		if (add) {
			referrers_add(&r, slot);
			count[slot]++;
		} else {
			referrers_remove(&r, slot);
			count[slot] -= count[slot] > 0;
		}
		check(r, count);
	}
	for (uint32_t slot = 0; slot < RANGE; slot++)
		while (count[slot]-- > 0)
			referrers_remove(&r, slot);
	assert_null(r);
}

static double removed_after(const uint32_t *order)
{
	struct referrers *r = NULL;
	clock_t start;
	double took;

	for (uint32_t i = 0; i < MANY; i++)
		referrers_add(&r, i);
	start = clock();
	for (uint32_t i = 0; i < MANY; i++)
		referrers_remove(&r, order[i]);
	took = (double)(clock() - start) / CLOCKS_PER_SEC;
	assert_null(r);
	return took;
}

static void test_many_go(void **state)
{
	uint32_t *order = calloc(MANY, sizeof(*order));
	uint64_t random = 11;
	double forth, back, mixed;

	(void)state;
	assert_non_null(order);
	for (uint32_t i = 0; i < MANY; i++)
		order[i] = i;
	forth = removed_after(order);
	for (uint32_t i = 0; i < MANY; i++)
		order[i] = MANY - 1 - i;
	back = removed_after(order);
	for (uint32_t i = MANY; i-- > 1;) {
		uint32_t other = below(&random, i + 1), slot = order[i];

		order[i] = order[other];
		order[other] = slot;
	}
	mixed = removed_after(order);
	print_message("%d gone: first to last %.3f s, last to first %.3f s, mixed %.3f s\n", MANY,
		      forth, back, mixed);
	assert_true(forth < 5 && back < 5 && mixed < 10);
	free(order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_counts),
		cmocka_unit_test(test_many_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

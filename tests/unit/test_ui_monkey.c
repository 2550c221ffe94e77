/* SPDX-License-Identifier: Apache-2.0 */
/* Random keys, changes, sizes and times: nothing crashes, nothing leaves its cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <locale.h>

#include "tests/screen/monkey.h"

enum { RUNS = 40, STEPS = 400 };

/* xorshift64: the same run for the same seed, everywhere. */
static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void run(uint64_t seed)
{
	struct stage s;
	uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;

	stage_init(&s);
	s.canvas.ascii = seed % 5 == 0;
	s.header.link = (enum link)(seed % (LINK_REPLAY + 1));
	for (int step = 0; step < STEPS; step++) {
		uint64_t random = next(&state);
		const char *wrong;

		monkey_step(&s, (uint8_t)random, (uint8_t)(random >> 8));
		stage_paint(&s);
		wrong = monkey_wrong(&s);
		if (wrong)
			fail_msg("seed %u, step %d: %s", (unsigned)seed, step, wrong);
	}
	stage_release(&s);
}

static int64_t number_wanted(const char *name, int64_t usual)
{
	const char *wanted = getenv(name);

	if (wanted && !str_to_int(str_of(wanted), &usual))
		fail_msg("%s is no number", name);
	return usual;
}

static void the_monkey_finds_nothing(void **state)
{
	/* UI_MONKEY_RUNS=250 are 100,000 steps, UI_MONKEY_SEED=1000 others than those. */
	int64_t runs = number_wanted("UI_MONKEY_RUNS", RUNS), first = number_wanted("UI_MONKEY_SEED", 1);

	(void)state;
	for (uint64_t seed = (uint64_t)first; seed < (uint64_t)(first + runs); seed++)
		run(seed);
}

/* The same with the best known worlds, and only keys. */
static void keys_alone(void **state)
{
	static const char *const worlds[] = { "night", "deleting", "cycle", "hostile", "recovery" };

	(void)state;
	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		struct err err = { 0 };
		struct buf path = { 0 };
		uint64_t random = i + 1;
		struct stage s;

		stage_init(&s);
		buf_printf(&path, "tests/screen/worlds/%s.yaml", worlds[i]);
		assert_int_equal(stage_load(&s, buf_cstr(&path), &err), 0);
		for (int step = 0; step < 2 * STEPS; step++) {
			monkey_key(&s, (uint8_t)next(&random));
			stage_paint(&s);
			assert_null(monkey_wrong(&s));
		}
		buf_release(&path);
		stage_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_monkey_finds_nothing),
		cmocka_unit_test(keys_alone),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The journal: what it keeps within its ceiling, and what it says of the rest. */
#include "kube/journal/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t add(struct journal *j, int64_t time, const char *name, const char *message)
{
	struct journal_texts texts = { STR("shop"), str_of(name), STR("Quota"), str_of(message) };

	return journal_add(j, &(struct journal_entry){ .time = time, .object = { 7, 1 }, .kind = 3, .what = JOURNAL_PHASE }, &texts);
}

static void entries_are_as_they_were_added(void **state)
{
	struct journal *j = journal_new(0);
	struct journal_texts texts;

	(void)state;
	assert_true(journal_first(j) == journal_end(j) && journal_from(j) == 0);
	assert_int_equal(add(j, 100, "cart", "exceeded"), journal_first(j));
	assert_int_equal(journal_add(j, &(struct journal_entry){ .time = 200, .what = JOURNAL_SPEC }, NULL), journal_first(j) + 1);
	assert_int_equal(journal_end(j), journal_first(j) + 2);
	assert_int_equal(journal_at(j, journal_first(j))->time, 100);
	texts = journal_texts(journal_at(j, journal_first(j)));
	assert_true(str_is(texts.ns, "shop") && str_is(texts.name, "cart") && str_is(texts.reason, "Quota") &&
		    str_is(texts.message, "exceeded"));
	assert_null(journal_at(j, journal_first(j) + 1)->texts);
	assert_int_equal(journal_texts(journal_at(j, journal_first(j) + 1)).name.len, 0);
	journal_free(j);
}

static void the_oldest_are_dropped(void **state)
{
	enum { ENTRIES = 50000, CEILING = 100000 };
	struct journal *j = journal_new(CEILING);
	uint64_t first = journal_first(j);

	(void)state;
	for (int64_t time = 1; time <= ENTRIES; time++) {
		add(j, time, "cart", "exceeded");
		assert_true(journal_size(j) <= CEILING);
	}
	assert_int_equal(journal_end(j), first + ENTRIES);
	assert_in_range(journal_end(j) - journal_first(j), 400, 1000);
	assert_int_equal(journal_from(j) + 1, journal_at(j, journal_first(j))->time);
	for (uint64_t i = journal_first(j); i < journal_end(j); i++)
		assert_int_equal(journal_at(j, i)->time, (int64_t)(i - first) + 1);
	journal_limit(j, CEILING / 10);
	assert_true(journal_size(j) <= CEILING / 10 && journal_end(j) > journal_first(j));
	assert_int_equal(journal_at(j, journal_end(j) - 1)->time, ENTRIES);
	journal_free(j);
}

/* A recording may hold names and messages of any length. */
static void long_texts_are_cut_between_characters(void **state)
{
	struct journal *j = journal_new(0);
	struct journal_texts texts;
	static char name[5001], message[5001];

	(void)state;
	for (size_t i = 0; i + 3 < sizeof(name); i += 3) {
		memcpy(name + i, "a\303\244", 3);
		memcpy(message + i, "a\303\244", 3);
	}
	add(j, 1, name, message);
	texts = journal_texts(journal_at(j, journal_first(j)));
	assert_in_range(texts.name.len, 1000, 1024);
	assert_in_range(texts.message.len, 290, 300);
	assert_int_not_equal((unsigned char)texts.name.ptr[texts.name.len - 1], 0xC3);
	assert_int_not_equal((unsigned char)texts.message.ptr[texts.message.len - 1], 0xC3);
	assert_true(journal_size(j) < 2000);
	journal_free(j);
}

/* A clock that is set back leaves journal_from() where it was. */
static void it_is_complete_since_the_latest_that_was_dropped(void **state)
{
	struct journal *j = journal_new(0);

	(void)state;
	add(j, 500, "cart", "");
	add(j, 300, "cart", "");
	add(j, 400, "cart", "");
	journal_limit(j, 1);
	assert_int_equal(journal_from(j), 500);
	assert_true(journal_first(j) == journal_end(j) && journal_size(j) == 0);
	journal_free(j);
}

/* What happened earlier and is read later takes only the room that is left, and drops nothing. */
static void earlier_entries_take_the_room_that_is_left(void **state)
{
	enum { CEILING = 20000 };
	struct journal *j = journal_new(CEILING);
	struct journal_entry e = { .object = { 7, 1 }, .kind = 3, .what = JOURNAL_PHASE };
	struct journal_texts texts = { STR("shop"), STR("cart"), STR("Quota"), STR("exceeded") };
	uint64_t last = add(j, 1000, "cart", "exceeded");

	(void)state;
	for (e.time = 999; journal_add_before(j, &e, &texts); e.time--)
		assert_int_equal(journal_at(j, journal_first(j))->time, e.time);
	assert_in_range(e.time, 0, 950);
	assert_true(journal_from(j) == 0 && journal_end(j) == last + 1 && journal_size(j) <= CEILING);
	for (uint64_t i = journal_first(j); i < last; i++)
		assert_true(journal_at(j, i)->time + 1 == journal_at(j, i + 1)->time &&
			    str_is(journal_texts(journal_at(j, i)).name, "cart"));
	add(j, 1001, "cart", "exceeded");
	assert_int_equal(journal_from(j), e.time + 1);
	journal_limit(j, 2 * CEILING);
	assert_false(journal_add_before(j, &e, &texts));
	journal_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_as_they_were_added),
		cmocka_unit_test(earlier_entries_take_the_room_that_is_left),
		cmocka_unit_test(the_oldest_are_dropped),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(it_is_complete_since_the_latest_that_was_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of columns: the screen and what is printed read the same rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "tui/view/columns.h"
#include "tui/state/sort.h"

static void expect_ids(struct columns_wanted wanted, const size_t *ids, size_t n)
{
	struct columns_shown shown = columns_choose(&wanted);

	assert_int_equal(shown.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(shown.at[i], ids[i]);
}

#define EXPECT(wanted, ...)                                                                     \
	do {                                                                                    \
		const size_t ids[] = { __VA_ARGS__ };                                           \
		expect_ids((struct columns_wanted)wanted, ids, sizeof(ids) / sizeof(ids[0]));   \
	} while (0)
#define WANTED(...) { __VA_ARGS__ }

static void each_row_is_whole(void **state)
{
	size_t places = 0, names = 0;

	(void)state;
	for (size_t id = 0; id < COLUMN_COUNT; id++) {
		const struct column_row *row = column_row(id);

		assert_non_null(row->title);
		assert_non_null(column_on_screen(id).title);
		/* What can be asked for is printed, too. */
		assert_true(row->name ? row->cell != NULL : row->screen_cell && row->shown == SHOWN_ON_SCREEN);
		assert_true(row->sort <= SORT_COUNT);
		if (row->sort)
			assert_string_equal(sort_name(row->sort - 1), row->name);
		assert_true(row->screen_column.min && row->screen_column.want >= row->screen_column.min);
		names += row->name != NULL;
		places += row->screen_place != 0;
		for (size_t other = 0; other < id; other++) {
			assert_true(!row->name || !column_row(other)->name || strcmp(row->name, column_row(other)->name) != 0);
			assert_true(!row->screen_place || row->screen_place != column_row(other)->screen_place);
		}
	}
	for (size_t id = 0; id < COLUMN_COUNT; id++)
		assert_true(column_row(id)->screen_place <= places);
	assert_non_null(column_name(names - 1));
	assert_null(column_name(names));
	for (size_t i = 0; i < SORT_COUNT; i++)
		assert_non_null(sort_name(i));
}

static void what_is_shown_where_there_is_reason_and_room(void **state)
{
	(void)state;
	EXPECT(WANTED(0), COLUMN_NAME, COLUMN_PHASE, COLUMN_SINCE, COLUMN_WAITS_ON, COLUMN_REASON, COLUMN_MESSAGE);
	EXPECT(WANTED(.wide = true, .namespaces = true, .clusters = true), COLUMN_CLUSTER, COLUMN_NAMESPACE, COLUMN_NAME, COLUMN_PHASE,
	       COLUMN_OPERATOR_PHASE, COLUMN_SEVERITY, COLUMN_SINCE, COLUMN_FAMILY, COLUMN_ASYNC, COLUMN_AGE, COLUMN_OWNER, COLUMN_READY, COLUMN_RESTARTS, COLUMN_NODE, COLUMN_IMAGE, COLUMN_WAITS_ON,
	       COLUMN_REASON, COLUMN_MESSAGE);
	EXPECT(WANTED(.cols = 47, .namespaces = true), COLUMN_PHASE, COLUMN_NAME, COLUMN_SINCE, COLUMN_WHY);
	EXPECT(WANTED(.cols = 80, .namespaces = true, .clusters = true), COLUMN_PHASE, COLUMN_NAME, COLUMN_CLUSTER, COLUMN_NAMESPACE,
	       COLUMN_SINCE, COLUMN_WHY);
	EXPECT(WANTED(.cols = 179), COLUMN_PHASE, COLUMN_NAME, COLUMN_SINCE, COLUMN_MESSAGE, COLUMN_WAITS_ON);
	EXPECT(WANTED(.cols = 180), COLUMN_PHASE, COLUMN_NAME, COLUMN_SINCE, COLUMN_REASON, COLUMN_MESSAGE, COLUMN_WAITS_ON);
}

static void labels_stand_before_what_is_said(void **state)
{
	(void)state;
	EXPECT(WANTED(.nlabels = 2, .all_labels = true), COLUMN_NAME, COLUMN_PHASE, COLUMN_SINCE, COLUMN_LABEL, COLUMN_LABEL + 1,
	       COLUMN_WAITS_ON, COLUMN_REASON, COLUMN_MESSAGE, COLUMN_LABEL + 2);
	EXPECT(WANTED(.cols = 80, .nlabels = 1), COLUMN_PHASE, COLUMN_NAME, COLUMN_SINCE, COLUMN_LABEL, COLUMN_WHY);
}

static void named_columns_are_in_their_order_and_labels_behind_them(void **state)
{
	(void)state;
	EXPECT(WANTED(.names = "message, NAME,age", .nlabels = 1), COLUMN_MESSAGE, COLUMN_NAME, COLUMN_AGE, COLUMN_LABEL);
	EXPECT(WANTED(.names = "message, NAME,age", .nlabels = 1, .cols = 80), COLUMN_MESSAGE, COLUMN_NAME, COLUMN_AGE, COLUMN_LABEL);
}

/* What --help, the manual and the completions say of --sort-by names every order. */
static void the_help_names_every_order(void **state)
{
	static const struct {
		const char *name, *help;
	} options[] = {
#define GROUP(...)
#define OPTION(field, name, letter, type, arg, help) { name, help },
#include "plugin/options.def"
#undef OPTION
#undef GROUP
	};
	const char *help = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(options[i].name, "sort-by") == 0)
			help = options[i].help;
	assert_non_null(help);
	for (size_t i = 0; i < SORT_COUNT; i++)
		assert_non_null(strstr(help, sort_name(i)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_whole),
		cmocka_unit_test(what_is_shown_where_there_is_reason_and_room),
		cmocka_unit_test(labels_stand_before_what_is_said),
		cmocka_unit_test(named_columns_are_in_their_order_and_labels_behind_them),
		cmocka_unit_test(the_help_names_every_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

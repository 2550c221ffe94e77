/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of a command line that cannot be used: nothing. */
#include "plugin/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define WORDS 5

static void nothing_is_left_of_what_is_wrong(void **state)
{
	static const char *const lines[][WORDS + 1] = {
		{ "kubectl-status", "pods", "--sort-by", "nothing" },	/* a value that is none */
		{ "kubectl-status", "pods", "-f", "a.yaml", "--record=b" },	/* flags that contradict each other */
		{ "kubectl-status", "--history=a", "-f", "a.yaml" },
		{ "kubectl-status", "--report=a.md", "--from=5m", "--replay=a", "-w" },
		{ "kubectl-status", "--all-contexts", "--context=a" },
		{ "kubectl-status", "--to=5m", "--replay=a", "--as-of=1m" },
		{ "kubectl-status", "--diff=2m,1m", "--replay=a", "--problems" },
		{ "kubectl-status", "pods", "--as-group", "a", "--no-such-flag" },
		{ "kubectl-status", "-L", "app", "pods", "-o" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct options o;
		struct err err = { 0 };
		int n = 0;

		while (lines[i][n])
			n++;
		assert_int_equal(options_parse(n, (char **)(uintptr_t)lines[i], &o, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_null(o.args);
		assert_null(o.filename.values);
		assert_null(o.as_group.values);
		assert_null(o.label_columns.values);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_left_of_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

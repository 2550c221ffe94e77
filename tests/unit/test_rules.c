/* SPDX-License-Identifier: Apache-2.0 */
/* Rule files: those that are built in are without a problem, and what is wrong in others is told with its place. */
#include "kube/family/rules/registry.h"
#include "kube/base/file.h"
#include "kube/base/limits.h"
#include "tests/unit/toy.h"

#include <glob.h>

#define HEAD "apiVersion: kubectl-status/v1\nkind: Rules\ngroups: [widgets.example.org]\n"

static void test_builtin(void **state)
{
	struct kinds kinds = { 0 };
	glob_t names;

	(void)state;
	assert_int_equal(glob("kube/rules/*.yaml", 0, NULL, &names), 0);
	for (size_t i = 0; i < names.gl_pathc; i++) {
		struct rules_report report = { 0 };
		struct buf text = BUF_MAX(LIMIT_ENVELOPE);
		struct err err;

		assert_int_equal(file_read(str_of(names.gl_pathv[i]), &text, NULL, &err), 0);
		if (rules_read(str_of(names.gl_pathv[i]), buf_str(&text), false, &report) < 0)
			print_error("%.*s\n", STR_ARG(report.problems[0]));
		assert_int_equal(report.nproblems, 0);
		for (size_t g = 0; g < report.ngroups; g++) {
			struct str group = report.groups[g];

			if (str_starts(group, "*"))	/* any group that ends so */
				group = ARENA_JOIN(&report.arena, STR("any"), str_from(group, 1));
			assert_non_null(rules_family(kinds_put(&kinds, group, STR("Anything"))));
		}
		buf_release(&text);
		rules_report_release(&report);
	}
	assert_true(names.gl_pathc >= 18);
	globfree(&names);
	kinds_release(&kinds);
}

static void test_problems(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "kinds: [", "f.yaml:5:" },
		{ "kinds:\n- {kind: Widget, stati: true}", "f.yaml:5:18: unknown key \"stati\"; known: kind, group," },
		{ "kinds:\n- {kind: Widget, static: perhaps}", "f.yaml:5:26: true or false" },
		{ "kinds:\n- {kind: 3, static: true}", "f.yaml:5:10: a text is wanted here; quote it: \"3\"" },
		{ "kinds:\n- {kind: Widget}", "f.yaml:5:3: nothing is said of this kind" },
		{ "kinds:\n- {kind: Widget, word: status.state}", "\"word\" and \"words\" belong together" },
		{ "kinds:\n- {word: status.state, words: {A: Reddy}}", "f.yaml:5:35: \"Reddy\" is not a phase; phases are: Deleting," },
		{ "kinds:\n- {word: status.state, words: {A: Ready, A: Failed}}", "f.yaml:5:42: the word \"A\" stands here twice" },
		{ "kinds:\n- {static: true, static: true}", "f.yaml:5:18: \"static\" stands here twice" },
		{ "kinds:\n- conditions:\n  - {type: A, phase: Ready}\n  - {type: A, status: \"True\", phase: Failed}",
		  "f.yaml:7:5: nothing gets here" },
		{ "kinds:\n- {word: s.a, words: {X: Ready}}\n- {kind: W, word: s.a, words: {X: Failed}}",
		  "f.yaml:6:3: nothing gets here: line 5" },
		{ "kinds:\n- {word: \"status.a[\", words: {X: Ready}}", "f.yaml:5:10: the brackets" },
		{ "kinds:\n- {word: .status.a, words: {X: Ready}}", "is not a field" },
		{ "kinds:\n- {references: [{path: spec.a}]}", "f.yaml:5:17: \"kind\" is missing" },
		{ "kinds:\n- {waits: [{for: luck, kind: X}]}", "\"luck\" is nothing to wait for" },
		{ "kinds: []", "f.yaml:4:8: this list is empty" },
		{ "kinds: 7", "f.yaml:4:8: a list is wanted here" },
		{ "groups: [b]", "f.yaml:4:1: \"groups\" stands here twice" },
		{ "controllers: [{namespace: a}]", "\"deployment\" is missing" },
		{ "examples:\n- {phase: Ready}", "f.yaml:5:3: \"object\" is missing" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rules_report report = { 0 };
		struct buf text = { 0 };

		buf_printf(&text, HEAD "%s\n", cases[i].text);
		assert_int_equal(rules_read(STR("f.yaml"), buf_str(&text), true, &report), -1);
		assert_true(report.nproblems > 0);
		if (!str_contains(report.problems[0], cases[i].problem))
			print_error("%s: %.*s\n", cases[i].problem, STR_ARG(report.problems[0]));
		assert_true(str_contains(report.problems[0], cases[i].problem));
		buf_release(&text);
		rules_report_release(&report);
	}
}

/* What has a problem is not used, what has none is, over what is built in. */
static void test_own(void **state)
{
	struct kinds kinds = { 0 };
	const struct kind *widget = kinds_put(&kinds, STR("widgets.example.org"), STR("Widget"));
	struct rules_report report = { 0 };

	(void)state;
	assert_null(rules_family(widget));
	assert_int_equal(rules_read(STR("own.yaml"), STR(HEAD "kinds: [{static: true}]\n"), false, &report), 0);
	assert_null(rules_family(widget));
	assert_int_equal(rules_read(STR("own.yaml"), STR(HEAD "title: Widgets\nkinds: [{static: true}]\n"), true, &report), 0);
	assert_string_equal(rules_family(widget)->title, "Widgets");
	rules_report_release(&report);
	kinds_release(&kinds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtin),
		cmocka_unit_test(test_problems),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

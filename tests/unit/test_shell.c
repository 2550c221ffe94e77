/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that are made of a cluster's names: real shells take exactly these names from them, and run nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "kube/base/shell.h"
#include "tests/screen/stage.h"
#include "tests/unit/hostile.h"
#include "tui/words/words.h"

enum { WORDS = 400, OBJECTS = 60, MOST = 12 };

static const char *const parts[] = { "'", "'", "\\", "\\", "\"", "`", "$", "$(id)", "${HOME}", "!", "!!", "~", "*", "?", "[a]", "{a,b}", "#", "&", "|", ";",
				     "<", ">", "(", ")", "^", "=", ":", ",", "%", "+", "-", "--", " ", "  ", "a", "b", "Z", "0", ".", "/", "@", "_",
				     "\xC3\xA4", "\xE5\x90\x8D", NULL };

#define KUBECTL "kubectl() { printf '%s\\0' \"$@\"; }"

static const struct {
	const char *name, *kubectl;
} shells[] = { { "sh", KUBECTL }, { "bash", KUBECTL }, { "zsh", KUBECTL }, { "fish", "function kubectl; printf '%s\\0' $argv; end" } };

static bool is_installed(const char *shell)
{
	struct buf command = { 0 };
	int status;

	buf_printf(&command, "command -v %s >/dev/null 2>&1", shell);
	status = system(buf_cstr(&command));
	buf_release(&command);
	return status == 0;
}

/* The shell reads it from a file. */
static void run_script(const char *shell, struct str script, struct buf *out)
{
	char name[] = "/tmp/kubectl-status-test-XXXXXX", chunk[4096];
	struct buf command = { 0 };
	int fd = mkstemp(name);
	FILE *from;
	size_t n;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, script.ptr, script.len), script.len);
	close(fd);
	buf_printf(&command, "LC_ALL=C.UTF-8 exec %s %s", shell, name);
	from = popen(buf_cstr(&command), "r");
	assert_non_null(from);
	buf_reset(out);
	while ((n = fread(chunk, 1, sizeof(chunk), from)) > 0)
		buf_add(out, (struct str){ chunk, n });
	assert_int_equal(pclose(from), 0);
	unlink(name);
	buf_release(&command);
}

static void expect_word(struct buf *expected, struct str word)
{
	buf_add(expected, word);
	buf_add_char(expected, 0);
}

/* In every shell of this machine: "kubectl" prints the words that it gets, a NUL behind each. */
static void check_script(struct buf *script, struct buf *expected)
{
	struct buf printed = { 0 }, whole = { 0 };

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (!is_installed(shells[i].name))
			continue;
		buf_reset(&whole);
		BUF_JOIN(&whole, str_of(shells[i].kubectl), STR("\n"), buf_str(script));
		run_script(shells[i].name, buf_str(&whole), &printed);
		if (!str_eq(buf_str(&printed), buf_str(expected)))
			fail_msg("%s: printed %zu bytes, not %zu, of:\n%s", shells[i].name, printed.len, expected->len, buf_cstr(script));
	}
	buf_release(&printed);
	buf_release(&whole);
	buf_release(script);
	buf_release(expected);
}

static void a_word_stays_what_it_is(void **state)
{
	struct buf script = { 0 }, expected = { 0 }, text = { 0 };
	struct arena a = { 0 };
	uint64_t random = 1;

	(void)state;
	for (size_t i = 0; i < WORDS; i++) {
		hostile_text(&random, parts, MOST, &text);
		BUF_JOIN(&script, STR("kubectl "), shell_word(buf_str(&text), &a), STR("\n"));
		expect_word(&expected, buf_str(&text));
	}
	assert_true(str_is(shell_word(STR_NONE, &a), "''"));
	check_script(&script, &expected);
	buf_release(&text);
	arena_release(&a);
}

static void plain_is_what_no_shell_changes(void **state)
{
	(void)state;
	assert_true(shell_is_plain(STR("system:node-1/a.b_c@d%e+f,G0")));
	assert_false(shell_is_plain(STR("")));
	for (const char *c = "\\'\"`$!~*?[]{}#&|;<>()^= \t\n\x7F\xC3"; *c; c++)
		assert_false(shell_is_plain((struct str){ c, 1 }));
}

static struct str lower_case(struct str s, struct arena *a)
{
	struct str out = arena_str(a, s);

	for (size_t i = 0; i < out.len; i++)
		if (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z')
			((char *)(uintptr_t)out.ptr)[i] = (char)(s.ptr[i] - 'A' + 'a');
	return out;
}

static struct str random_name(uint64_t *random, struct buf *text, struct arena *a)
{
	hostile_text(random, parts, MOST, text);
	return arena_str(a, buf_str(text));
}

/* The command that is shown, copied and run for an object, of whatever name, kind, namespace and context. */
static void a_look_command_names_the_object(void **state)
{
	struct buf script = { 0 }, expected = { 0 }, text = { 0 };
	struct arena a = { 0 };
	uint64_t random = 2;
	struct stage s;

	(void)state;
	stage_init(&s);
	for (size_t i = 0; i < OBJECTS; i++) {
		struct id id = { .group = STR("example.org"), .kind = random_name(&random, &text, &a), .ns = random_name(&random, &text, &a),
				 .name = random_name(&random, &text, &a) };
		struct str context = random_name(&random, &text, &a), config = random_name(&random, &text, &a),
			   type = ARENA_JOIN(&a, lower_case(id.kind, &a), STR(".example.org"));
		bool flag = str_starts(id.kind, "-") || str_starts(id.name, "-");
		const struct str flags[] = { STR("-n"), id.ns, STR("--context"), context, STR("--kubeconfig"), config };

		graph_name_target(s.graph, context, false, config);
		BUF_JOIN(&script, words_command(s.graph, &id, WAIT_NONE, STR_NONE, READER_HERE, &a), STR("\n"));
		expect_word(&expected, STR("describe"));
		for (size_t k = flag ? 0 : 8; k < 6; k++)
			expect_word(&expected, flags[k]);
		if (flag)
			expect_word(&expected, STR("--"));
		expect_word(&expected, type);
		expect_word(&expected, id.name);
		for (size_t k = flag ? 8 : 0; k < 6; k++)
			expect_word(&expected, flags[k]);
	}
	check_script(&script, &expected);
	stage_release(&s);
	buf_release(&text);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_stays_what_it_is),
		cmocka_unit_test(plain_is_what_no_shell_changes),
		cmocka_unit_test(a_look_command_names_the_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The base has no tests of its own in any layer above: its edges are looked at here. */
#include "kube/base/alloc.h"
#include "kube/base/arena.h"
#include "kube/base/assert.h"
#include "kube/base/buf.h"
#include "kube/base/intern.h"
#include "kube/base/system.h"
#include "kube/base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_str(struct str got, const char *expected)
{
	char text[512];

	snprintf(text, sizeof(text), STR_FMT, STR_ARG(got));
	assert_string_equal(text, expected);
}

/* ---- str ----------------------------------------------------------------- */

static void test_str_compare(void **state)
{
	struct str zero = { NULL, 0 };

	(void)state;
	assert_true(str_empty(str_of(NULL)) && str_empty(str_of("")) && !str_empty(STR("a")));
	assert_true(str_eq(zero, STR_NONE) && str_eq(STR("ab"), str_of("ab")));
	assert_false(str_eq(STR("ab"), STR("abc")) || str_eq(STR("ab"), STR("aB")));
	assert_true(str_eq((struct str){ "a\0b", 3 }, (struct str){ "a\0b", 3 }));
	assert_false(str_eq((struct str){ "a\0b", 3 }, (struct str){ "a\0c", 3 }));
	assert_true(str_is(zero, "") && str_is(STR("x"), "x") && !str_is(STR("x"), "xy"));
	assert_true(str_eq_nocase(STR("ReAdY"), STR("rEaDy")) && str_eq_nocase(zero, STR_NONE));
	assert_false(str_eq_nocase(STR("a"), STR("ab")));
	assert_true(str_cmp(STR("a"), STR("b")) < 0 && str_cmp(STR("b"), STR("a")) > 0);
	assert_true(str_cmp(STR("a"), STR("ab")) < 0 && str_cmp(STR("ab"), STR("a")) > 0);
	assert_true(str_cmp(zero, STR_NONE) == 0 && str_cmp(zero, STR("a")) < 0);
	assert_true(str_cmp(STR("\xff"), STR("a")) > 0); /* bytes, not chars */
	/* the examples of FNV-1a's authors */
	assert_true(str_hash(zero) == 0xcbf29ce484222325u && str_hash(STR_NONE) == 0xcbf29ce484222325u);
	assert_true(str_hash(STR("a")) == 0xaf63dc4c8601ec8cu);
	assert_true(str_hash(STR("foobar")) == 0x85944171f73967e8u);
}

static void test_str_search(void **state)
{
	struct str s = STR("spec.ports[].port"), zero = { NULL, 0 };

	(void)state;
	assert_true(str_starts(s, "spec.") && str_starts(s, "") && str_starts(zero, ""));
	assert_false(str_starts(s, "spec.ports[].port.") || str_starts(zero, "a"));
	assert_true(str_ends(s, ".port") && str_ends(s, "") && str_ends(zero, ""));
	assert_false(str_ends(STR("ort"), "port"));
	assert_true(str_contains(s, "[]") && str_contains(s, "") && str_contains(zero, ""));
	assert_false(str_contains(s, "]["));
	assert_true(str_contains(STR("abc"), "c") && !str_contains(STR("abc"), "abcd"));
	assert_true(str_contains_nocase(STR("CrashLoopBackOff"), "backoff"));
	assert_true(str_contains_nocase(zero, "") && !str_contains_nocase(STR("ab"), "abc"));
	assert_int_equal(str_find(s, '.'), 4);
	assert_int_equal(str_rfind(s, '.'), 12);
	assert_int_equal(str_find(s, '!'), s.len);
	assert_int_equal(str_rfind(s, '!'), s.len);
	assert_int_equal(str_find(zero, 'a'), 0);
	assert_int_equal(str_rfind(zero, 'a'), 0);
	assert_int_equal(str_find_str(s, "port"), 5);
	assert_int_equal(str_find_str(s, "nothing"), s.len);
	assert_int_equal(str_find_str(STR("a"), "aa"), 1);
	assert_int_equal(str_find_str((struct str){ "a\0b", 3 }, "b"), 2);
}

static void test_str_lists(void **state)
{
	static const char *const words[] = { "Ready", "*Run", NULL }, *const none[] = { NULL };
	struct str zero = { NULL, 0 };

	(void)state;
	assert_true(str_is_any(STR("Ready"), words) && !str_is_any(STR("ready"), words) && !str_is_any(zero, words));
	assert_true(str_is_any_nocase(STR("READY"), words) && !str_is_any_nocase(STR("NotReady"), words));
	assert_true(str_starts_any(STR("ReadyToUse"), words) && !str_starts_any(STR("NotReady"), words));
	assert_true(str_ends_any(STR("NotReady"), words) && !str_ends_any(STR("Notready"), words));
	assert_true(str_ends_any_nocase(STR("Notready"), words) && !str_ends_any_nocase(STR("eady"), words));
	assert_true(str_contains_any(STR("NotReadyYet"), words) && !str_contains_any(STR("readyYet"), words));
	assert_true(str_contains_any_nocase(STR("readyYet"), words) && !str_contains_any_nocase(zero, words));
	assert_true(str_matches_any(STR("PipelineRun"), words) && str_matches_any(STR("Ready"), words));
	assert_false(str_matches_any(STR("NotReady"), words) || str_matches_any(STR("Runner"), words));
	assert_false(str_is_any(STR("Ready"), none) || str_contains_any(STR("Ready"), none) || str_matches_any(zero, none));
}

static void test_str_parts(void **state)
{
	struct str rest = STR("a,,b,"), part;

	(void)state;
	assert_str(str_from(STR("abc"), 1), "bc");
	assert_str(str_from(STR("abc"), 3), "");
	assert_str(str_from(STR("abc"), 99), "");
	assert_str(str_head(STR("abc"), 2), "ab");
	assert_str(str_head(STR("abc"), 99), "abc");
	assert_str(str_trim(STR(" \t\r\n a b \n")), "a b");
	assert_str(str_trim(STR(" \n ")), "");
	assert_str(str_trim((struct str){ NULL, 0 }), "");
	assert_true(str_split(&rest, ',', &part) && str_is(part, "a"));
	assert_true(str_split(&rest, ',', &part) && str_is(part, ""));
	assert_true(str_split(&rest, ',', &part) && str_is(part, "b"));
	assert_false(str_split(&rest, ',', &part));
	rest = STR_NONE;
	assert_false(str_split(&rest, ',', &part));
	rest = STR("alone");
	assert_true(str_split(&rest, ',', &part) && str_is(part, "alone") &&
		    !str_split(&rest, ',', &part));
}

static void test_str_to_int(void **state)
{
	static const char *const wrong[] = { "",
					     "-1",
					     "+1",
					     " 1",
					     "1 ",
					     "1x",
					     "0x1",
					     "1.0",
					     "99999999999999999999",
					     "18446744073709551616" };
	int64_t n = 7;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_false(str_to_int(str_of(wrong[i]), &n));
	assert_int_equal(n, 7); /* left alone */
	assert_true(str_to_int(STR("0"), &n) && n == 0);
	assert_true(str_to_int(STR("007"), &n) && n == 7);
	assert_true(str_to_int(STR("999999999999999999"), &n) && n == 999999999999999999);
}

/* ---- buf ----------------------------------------------------------------- */

static void test_buf_grows(void **state)
{
	struct buf b = { 0 };

	(void)state;
	assert_string_equal(buf_cstr(&b), "");
	assert_int_equal(buf_str(&b).len, 0);
	buf_add(&b, STR_NONE);
	buf_add_cstr(&b, NULL);
	assert_int_equal(b.len, 0);
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%03d", i);
	assert_int_equal(b.len, 3000);
	assert_memory_equal(b.ptr + 2997, "999", 4); /* with the NUL */
	buf_consume(&b, 2997);
	assert_string_equal(buf_cstr(&b), "999");
	buf_add_char(&b, 'x');
	assert_string_equal(buf_cstr(&b), "999x");
	buf_consume(&b, 100);
	assert_string_equal(buf_cstr(&b), "");
	assert_int_equal(b.ptr[b.len], 0);
	buf_add_char(&b, '\0');
	assert_int_equal(buf_str(&b).len, 1);
	buf_release(&b);
	buf_release(&b);
	assert_null(b.ptr);
}

static void test_buf_ceiling_sticks(void **state)
{
	struct buf b = BUF_MAX(8);

	(void)state;
	buf_add(&b, STR("12345678"));
	assert_false(b.failed);
	buf_add(&b, STR_NONE);
	assert_false(b.failed);
	buf_add_char(&b, '9');
	assert_true(b.failed);
	assert_string_equal(buf_cstr(&b), "12345678");
	buf_consume(&b, 4);
	buf_add_char(&b, '9');
	assert_string_equal(buf_cstr(&b), "5678"); /* sticks */
	buf_reset(&b);
	assert_false(b.failed);
	buf_printf(&b, "%d", 123456789);
	assert_true(b.failed && b.len == 0);
	buf_reset(&b);
	buf_printf(&b, "%d", 12345678);
	assert_string_equal(buf_cstr(&b), "12345678");
	buf_release(&b);
	assert_int_equal(b.max, 8);
	buf_add(&b, STR("123456789"));
	assert_true(b.failed);
	buf_release(&b);
}

/* ---- arena, alloc -------------------------------------------------------- */

static void test_arena_alignment(void **state)
{
	struct arena a = { 0 };
	unsigned char *all[300];

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		size_t size = i * 37 % 1009;

		all[i] = arena_alloc(&a, size);
		assert_int_equal((uintptr_t)all[i] % alignof(max_align_t), 0);
		for (size_t k = 0; k < size; k++)
			assert_int_equal(all[i][k], 0);
		memset(all[i], (int)(i & 0xFF), size);
	}
	for (size_t i = 0; i < COUNT(all); i++)
		for (size_t k = 0; k < i * 37 % 1009; k++)
			assert_int_equal(all[i][k], i & 0xFF);
	arena_release(&a);
}

static void test_arena_reset(void **state)
{
	struct arena a = { 0 };
	unsigned char *big, *small;

	(void)state;
	arena_reset(&a);
	arena_release(&a);
	for (int round = 0; round < 50; round++) {
		small = arena_alloc(&a, 10);
		memset(small, 0xFF, 10);
		big = arena_array(&a, 1000, 1000);
		memset(big, 0xFF, 1000000);
		assert_int_equal(small[9], 0xFF);
		arena_reset(&a);
		small = arena_alloc(&a, 60000);
		for (size_t i = 0; i < 60000; i++)
			assert_int_equal(small[i], 0); /* zeroed again */
		memset(small, 0xFF, 60000);
		if (round % 2)
			arena_reset(&a);
	}
	arena_release(&a);
	assert_null(a.blocks);
}

static void test_arena_text(void **state)
{
	struct arena a = { 0 };
	char source[] = "abc";
	struct str copy = arena_str(&a, str_of(source)), printed;

	(void)state;
	source[0] = 'x';
	assert_str(copy, "abc");
	assert_int_equal(copy.ptr[3], '\0');
	assert_int_equal(arena_str(&a, STR_NONE).len, 0);
	assert_int_equal(arena_str(&a, (struct str){ "a\0b", 3 }).len, 3);
	printed = arena_printf(&a, "%s-%d", "n", 5);
	assert_str(printed, "n-5");
	assert_int_equal(printed.ptr[printed.len], '\0');
	assert_int_equal(arena_printf(&a, "%s", "").len, 0);
	arena_release(&a);
}

static void test_alloc(void **state)
{
	char *s = xstrndup("abcdef", 3), *t = xstrdup("");
	int *numbers = xcalloc(4, sizeof(*numbers));

	(void)state;
	assert_string_equal(s, "abc");
	assert_string_equal(t, "");
	numbers = xreallocarray(numbers, 1000, sizeof(*numbers));
	assert_int_equal(numbers[0] | numbers[1] | numbers[2] | numbers[3], 0);
	xfree(numbers);
	xfree(s);
	xfree(t);
	xfree(xmalloc(0));
	xfree(xcalloc(0, 8));
	xfree(xstrndup(NULL, 0));
	xfree(NULL);
}

/* ---- the end of a program that cannot go on -------------------------------- */

static void restore_terminal(void)
{
	static const char told[] = "restored\n";

	assert_int_equal(write(STDERR_FILENO, told, sizeof(told) - 1), sizeof(told) - 1);
}

static void fail_an_assertion(void)
{
	int percent = 100;

	assert(percent % 7 == 0);
}

/* What a process that does only this writes to its standard error; its wait status in *out_status. */
static struct str last_words(void (*end)(void), int *out_status, char *text, size_t size)
{
	static const struct rlimit no_core = { 0, 0 };
	int fds[2];
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		dup2(fds[1], STDERR_FILENO);
		fatal_on_end(restore_terminal);
		end();
		_exit(0);
	}
	close(fds[1]);
	while ((got = read(fds[0], text + n, size - n)) > 0)
		n += (size_t)got;
	close(fds[0]);
	assert_int_equal(waitpid(pid, out_status, 0), pid);
	return (struct str){ text, n };
}

/* First the terminal, then one line that names the place; SIGABRT. */
static void test_assertion_that_fails(void **state)
{
	char text[1024];
	int status;
	struct str told = last_words(fail_an_assertion, &status, text, sizeof(text));

	(void)state;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_true(str_starts(told, "restored\nerror: a fault of kubectl-status " VERSION ", please report it: "));
	assert_true(str_ends(told, ": percent % 7 == 0\n"));
	assert_true(str_contains(told, "tests/unit/test_base.c:"));
}

static void test_no_memory(void **state)
{
	char text[1024];
	int status;
	struct str told = last_words(fatal_no_memory, &status, text, sizeof(text));

	(void)state;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_str(told, "restored\nerror: out of memory\n");
}

/* ---- err ----------------------------------------------------------------- */

static void test_err(void **state)
{
	struct err e = { .http_status = 403, .retry_after = 5 };
	char huge[2000];

	(void)state;
	assert_int_equal(err_set(NULL, ERR_NET, "x"), -1);
	assert_int_equal(err_context(NULL, "x"), -1);
	assert_int_equal(err_hint(NULL, "x"), -1);
	assert_int_equal(err_set(&e, ERR_INPUT, "line %d", 3), -1);
	assert_int_equal(e.code, ERR_INPUT);
	assert_int_equal(e.http_status | e.retry_after, 0);
	assert_int_equal(err_context(&e, "file %s", "x.yaml"), -1);
	assert_string_equal(e.msg, "file x.yaml: line 3");
	assert_int_equal(err_hint(&e, "try %s", "this"), -1);
	assert_string_equal(e.hint, "try this");
	memset(huge, 'a', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	err_context(&e, "%s", huge);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	err_hint(&e, "%s", huge);
	assert_int_equal(strlen(e.hint), sizeof(e.hint) - 1);
	err_set(&e, ERR_NET, "again");
	assert_string_equal(e.msg, "again");
	assert_string_equal(e.hint, "");
}

/* ---- map, intern --------------------------------------------------------- */

static void test_map(void **state)
{
	struct map m = { 0 };
	int values[3];
	struct map_entry *e;

	(void)state;
	assert_null(map_get(&m, STR("a")));
	assert_null(map_remove(&m, STR("a")));
	assert_null(map_next(&m, NULL));
	assert_int_equal(map_count(&m), 0);
	assert_null(map_set(&m, STR("b"), &values[0]));
	assert_null(map_set(&m, (struct str){ "a\0b", 3 }, &values[1]));
	assert_null(map_set(&m, STR_NONE, &values[2]));
	assert_ptr_equal(map_get(&m, (struct str){ NULL, 0 }), &values[2]);
	assert_null(map_get(&m, STR("a")));
	assert_ptr_equal(map_set(&m, STR("b"), &values[1]), &values[0]);
	assert_int_equal(map_count(&m), 3);
	e = map_next(&m, NULL); /* order of insertion, also after a replacement */
	assert_str(map_key(e), "b");
	assert_ptr_equal(map_value(e), &values[1]);
	assert_ptr_equal(map_entry_of(&m, STR("b")), e);
	e = map_next(&m, e);
	assert_int_equal(map_key(e).len, 3);
	e = map_next(&m, e);
	assert_int_equal(map_key(e).len, 0);
	assert_null(map_next(&m, e));
	assert_ptr_equal(map_remove(&m, STR("b")), &values[1]);
	assert_null(map_entry_of(&m, STR("b")));
	assert_int_equal(map_count(&m), 2);
	map_release(&m);
	map_release(&m);
	assert_int_equal(map_count(&m), 0);
}

static void test_map_many(void **state)
{
	struct map m = { 0 };
	char key[16];
	uintptr_t n = 0;

	(void)state;
	for (uintptr_t i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "%lu", (unsigned long)i);
		map_set(&m, str_of(key), (void *)(i + 1));
	}
	for (uintptr_t i = 0; i < 5000; i += 2) {
		snprintf(key, sizeof(key), "%lu", (unsigned long)i);
		assert_ptr_equal(map_remove(&m, str_of(key)), (void *)(i + 1));
	}
	for (struct map_entry *e = map_next(&m, NULL); e; e = map_next(&m, e)) {
		assert_ptr_equal(map_value(e), (void *)(n + 2));
		n += 2;
	}
	assert_int_equal(n, 5000);
	map_release(&m);
}

static void test_intern(void **state)
{
	struct intern t = { 0 };
	char key[16];
	struct str first;
	uint32_t id;

	(void)state;
	assert_int_equal(intern_id(&t, STR_NONE), 0);
	assert_int_equal(intern_find(&t, STR("x")), 0);
	assert_int_equal(intern_str(&t, 0).len, 0);
	assert_int_equal(intern_str(&t, 99).len, 0);
	assert_int_equal(intern_id(&t, STR("x")), 1);
	assert_int_equal(intern_id(&t, STR("x")), 1);
	first = intern_str(&t, 1);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(key, sizeof(key), "w%u", i);
		assert_int_equal(intern_id(&t, str_of(key)), i + 2);
	}
	assert_ptr_equal(intern_str(&t, 1).ptr, first.ptr);
	assert_int_equal(intern_find(&t, STR("w1999")), 2001);
	assert_str(intern_str(&t, 2001), "w1999");
	assert_int_equal(intern_str(&t, 2002).len, 0);
	assert_int_equal(intern_count(&t), 2001);
	/* what is counted goes with its last use, what is not stays */
	first = STR("counted");
	id = intern_use(&t, first);
	assert_int_equal(intern_use(&t, first), id);
	assert_int_equal(intern_use(&t, STR("x")), 1);
	intern_drop(&t, 1);
	intern_drop(&t, id);
	assert_str(intern_str(&t, id), "counted");
	intern_drop(&t, id);
	assert_int_equal(intern_find(&t, first), 0);
	assert_int_equal(intern_str(&t, id).len, 0);
	assert_str(intern_str(&t, 1), "x");
	assert_int_equal(intern_use(&t, STR("another")), id);
	intern_release(&t);
	assert_int_equal(intern_find(&t, STR("x")), 0);
}

/* What was dropped before the copy was made is unused in the copy, too. */
static void test_intern_copy(void **state)
{
	struct intern t = { 0 }, copy = { 0 };
	uint32_t a = intern_use(&t, STR("a")), b = intern_use(&t, STR("b")), c = intern_use(&t, STR("c"));

	(void)state;
	intern_drop(&t, a);
	intern_drop(&t, b);
	intern_copy(&t, &copy);
	assert_int_equal(intern_count(&copy), 1);
	assert_int_equal(intern_find(&copy, STR("c")), c);
	assert_int_equal(intern_use(&copy, STR("d")), b);
	assert_int_equal(intern_use(&copy, STR("e")), a);
	assert_int_equal(intern_use(&copy, STR("f")), c + 1);
	assert_str(intern_str(&copy, b), "d");
	intern_release(&t);
	intern_release(&copy);
}

/* ---- system -------------------------------------------------------------- */

/* What a system without files in memory gets: a file that nobody else can open, and that leaves nothing behind. */
static void test_temporary_file(void **state)
{
	char folder[] = "/tmp/temporary-XXXXXX", text[8] = "";
	struct stat st;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("TMPDIR", folder, 1);
	fd = system_temporary_file();
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_nlink, 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(rmdir(folder), 0); /* it is empty */
	assert_int_equal(pwrite(fd, "part", 4, 100), 4);
	assert_int_equal(pread(fd, text, sizeof(text), 100), 4);
	assert_string_equal(text, "part");
	close(fd);
	assert_int_equal(system_temporary_file(), -1);
	assert_int_equal(errno, ENOENT);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_str_compare),
		cmocka_unit_test(test_str_search),
		cmocka_unit_test(test_str_lists),
		cmocka_unit_test(test_str_parts),
		cmocka_unit_test(test_str_to_int),
		cmocka_unit_test(test_buf_grows),
		cmocka_unit_test(test_buf_ceiling_sticks),
		cmocka_unit_test(test_arena_alignment),
		cmocka_unit_test(test_arena_reset),
		cmocka_unit_test(test_arena_text),
		cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_assertion_that_fails),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_err),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_map_many),
		cmocka_unit_test(test_intern),
		cmocka_unit_test(test_intern_copy),
		cmocka_unit_test(test_temporary_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

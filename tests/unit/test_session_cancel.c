/* SPDX-License-Identifier: Apache-2.0 */
/* Who drops a cluster that does not answer has it back at once, whatever is waited for there. */
#include "session_bench.h"

#include "kube/base/child.h"

#include <dlfcn.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { AT_ONCE = 50 };	/* ms */

#define SLOW_NAME "slow.invalid"

static volatile int names_asked;

/* In place of the C library's: a name server that answers after 5 s. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
	union {
		void *found;
		int (*call)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	} next = { dlsym(RTLD_NEXT, "getaddrinfo") };

	if (!node || strcmp(node, SLOW_NAME) != 0)
		return next.call(node, service, hints, out);
	names_asked = 1;
	poll(NULL, 0, 5000);
	return EAI_AGAIN;
}

static void ask(struct bench *b, const char *url)
{
	static const struct session_ops ops = { on_kinds, on_list, on_list, on_object, on_subscription, on_session, on_notice };

	b->config.server = str_of(url);
	b->config.insecure = true;
	b->config.exec.interactive_mode = STR("Never");
	b->http = http_new();
	b->now = ALWAYS;
	b->options.user_agent = "test";
	b->options.now = b->now;
	b->session = session_new(b->http, &b->config, &b->kinds, &b->options, &ops, b);
	session_discover(b->session, false);
}

static void run_until(struct bench *b, bool (*what)(void *ctx), void *ctx)
{
	int64_t limit = real_ms() + 10000;

	while (!what(ctx)) {
		assert_true(real_ms() < limit);
		session_run(b->session, b->now++);
		http_wait(b->http, NULL, 0, 2);
	}
}

static void drop(struct bench *b)
{
	int64_t began = real_ms();

	session_free(b->session);
	http_free(b->http);
	assert_in_range(real_ms() - began, 0, AT_ONCE - 1);
	kinds_release(&b->kinds);
	buf_release(&b->told);
}

static bool has_sent(void *ctx)
{
	struct bench *b = ctx;
	char byte;

	if (b->npeers == 0) {
		int fd = accept(b->listening, NULL, NULL);

		if (fd >= 0)
			b->peers[b->npeers++] = (struct peer){ .fd = fd };
	}
	return b->npeers && recv(b->peers[0].fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 1;
}

static void silent(const char *scheme)
{
	struct bench b = { 0 };
	char url[64];

	bench_listen(&b);
	snprintf(url, sizeof(url), "%s://127.0.0.1:%d", scheme, b.port);
	ask(&b, url);
	run_until(&b, has_sent, &b);
	drop(&b);
	bench_down(&b);
}

static void test_no_answer(void **state)
{
	(void)state;
	silent("http");
}

static void test_no_handshake(void **state)
{
	(void)state;
	silent("https");
}

static bool has_tried(void *ctx)
{
	return --*(int *)ctx < 0;
}

/* Its queue of connections is full, so that one more is not answered at all. */
static void test_no_connection(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	int full[8], tries = 20;
	struct bench b = { 0 };
	char url[64];

	(void)state;
	bench_listen(&b);
	assert_int_equal(listen(b.listening, 0), 0);
	at.sin_port = htons((uint16_t)b.port);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (size_t i = 0; i < sizeof(full) / sizeof(full[0]); i++) {
		full[i] = socket(AF_INET, SOCK_STREAM, 0);
		fcntl(full[i], F_SETFL, O_NONBLOCK);
		(void)!connect(full[i], (struct sockaddr *)&at, sizeof(at));
	}
	snprintf(url, sizeof(url), "https://127.0.0.1:%d", b.port);
	ask(&b, url);
	run_until(&b, has_tried, &tries);
	assert_int_equal(session_state(b.session), SESSION_CONNECTING);
	drop(&b);
	for (size_t i = 0; i < sizeof(full) / sizeof(full[0]); i++)
		close(full[i]);
	bench_down(&b);
}

static bool name_is_asked(void *ctx)
{
	(void)ctx;
	return names_asked;
}

static void test_no_name_server(void **state)
{
	struct bench b = { 0 };

	(void)state;
	ask(&b, "https://" SLOW_NAME ":6443");
	run_until(&b, name_is_asked, NULL);
	drop(&b);
}

static bool is_there(void *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

/* Deaf to polite requests. */
static void test_login_that_hangs(void **state)
{
	char folder[] = "/tmp/kubectl-status-XXXXXX", mark[64], line[512];
	int64_t limit = real_ms() + 10000;
	struct bench b = { 0 };
	struct str args[] = { STR("-c"), STR_NONE };
	FILE *f;
	long pid = 0;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(mark, sizeof(mark), "%s/pid", folder);
	snprintf(line, sizeof(line), "trap '' TERM; echo $$ >%s.new; mv %s.new %s; sleep 600", mark, mark, mark);
	args[1] = str_of(line);
	b.config.exec.command = STR("/bin/sh");
	b.config.exec.api_version = STR("client.authentication.k8s.io/v1");
	b.config.exec.args = (struct config_strings){ args, 2 };
	ask(&b, "https://127.0.0.1:1");
	run_until(&b, is_there, mark);
	f = fopen(mark, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld", &pid), 1);
	fclose(f);
	drop(&b);
	while (kill((pid_t)pid, 0) == 0) {
		assert_true(real_ms() < limit);
		child_see_off(real_ms());
		poll(NULL, 0, 5);
	}
	unlink(mark);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_answer),      cmocka_unit_test(test_no_handshake),
		cmocka_unit_test(test_no_connection),  cmocka_unit_test(test_no_name_server),
		cmocka_unit_test(test_login_that_hangs),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("session_cancel", tests, NULL, NULL);
}

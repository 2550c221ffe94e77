/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session and a server on loopback that says what the test has it say.  The time is the
 * test's own: minutes pass between two calls.
 */
#ifndef TESTS_UNIT_SESSION_BENCH_H
#define TESTS_UNIT_SESSION_BENCH_H

#include "kube/api/session.h"
#include "kube/base/alloc.h"
#include "kube/base/time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef __linux__
#include <linux/sockios.h>
#include <sys/ioctl.h>
#endif

#define ALWAYS 4000000000000	/* ms: the time when a test begins */

enum { PEERS = 256 };

/* A connection, and what was asked on it and not answered yet. */
struct peer {
	int fd;
	char path[512];		/* "": nothing is asked */
	struct buf in;
};

struct bench {
	int listening;
	int port;
	struct peer peers[PEERS];
	size_t npeers;
	unsigned asked;		/* requests, ever */
	uint64_t lost;		/* that were sent and never came */
	struct http *http;
	struct session *session;
	struct client_config config;
	struct session_options options;
	struct kinds kinds;
	char server[64];
	int64_t now;
	struct buf told;	/* states and notices */
};

static inline void bench_listen(struct bench *b)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)b->port) };
	socklen_t len = sizeof(at);
	int on = 1;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	b->listening = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(b->listening >= 0);
	setsockopt(b->listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	assert_int_equal(bind(b->listening, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(b->listening, 128), 0);
	fcntl(b->listening, F_SETFL, O_NONBLOCK);
	assert_int_equal(getsockname(b->listening, (struct sockaddr *)&at, &len), 0);
	b->port = ntohs(at.sin_port);
}

static inline void peer_close(struct peer *p)
{
	close(p->fd);
	buf_release(&p->in);
	p->fd = -1;
	p->path[0] = '\0';
}

/* The server is gone, with its connections. */
static inline void bench_down(struct bench *b)
{
	close(b->listening);
	b->listening = -1;
	for (size_t i = 0; i < b->npeers; i++)
		if (b->peers[i].fd >= 0)
			peer_close(&b->peers[i]);
	b->npeers = 0;
}

static inline void on_kinds(void *ctx, struct session *s, const struct err *partial)
{
	(void)ctx;
	(void)s;
	(void)partial;
}

static inline void on_list(void *ctx, struct subscription *sub)
{
	(void)ctx;
	(void)sub;
}

static inline void on_object(void *ctx, struct subscription *sub, enum object_event event, struct json object,
			     struct str raw)
{
	(void)ctx;
	(void)sub;
	(void)event;
	(void)object;
	(void)raw;
}

static inline void on_subscription(void *ctx, struct subscription *sub, enum subscription_state state,
				   const struct err *why)
{
	(void)ctx;
	(void)sub;
	(void)state;
	(void)why;
}

static inline void on_session(void *ctx, struct session *s, enum session_state state, const struct err *why)
{
	static const char *const names[] = { "connecting", "live", "reconnecting", "unauthenticated", "failed" };
	struct bench *b = ctx;

	(void)s;
	buf_printf(&b->told, "%s%s%s\n", names[state], why ? ": " : "", why ? why->msg : "");
}

static inline void on_notice(void *ctx, struct session *s, struct str text)
{
	struct bench *b = ctx;

	(void)s;
	buf_printf(&b->told, "notice: " STR_FMT "\n", STR_ARG(text));
}

static inline void bench_start(struct bench *b)
{
	static const struct session_ops ops = { on_kinds, on_list, on_list, on_object, on_subscription, on_session, on_notice };

	bench_listen(b);
	snprintf(b->server, sizeof(b->server), "http://127.0.0.1:%d", b->port);
	b->config.server = str_of(b->server);
	b->now = ALWAYS;
	b->options.user_agent = "test";
	b->options.now = b->now;
	b->http = http_new();
	b->session = session_new(b->http, &b->config, &b->kinds, &b->options, &ops, b);
}

static inline void bench_end(struct bench *b)
{
	session_free(b->session);
	http_free(b->http);
	bench_down(b);
	kinds_release(&b->kinds);
	buf_release(&b->told);
}

static inline void take_requests(struct bench *b, struct peer *p)
{
	char chunk[4096];
	ssize_t n;

	while ((n = recv(p->fd, chunk, sizeof(chunk), MSG_DONTWAIT)) > 0)
		buf_add(&p->in, (struct str){ chunk, (size_t)n });
	if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
		peer_close(p);
		return;
	}
	if (!str_contains(buf_str(&p->in), "\r\n\r\n"))
		return;
	assert_int_equal(sscanf(buf_cstr(&p->in), "GET %500s", p->path), 1);
	buf_reset(&p->in);
	b->asked++;
}

/* Something is on its way in either direction: a busy machine takes its time. */
static inline bool is_under_way(const struct bench *b)
{
	if (b->listening >= 0 && http_requests(b->http) > b->asked + b->lost)
		return true;
	for (size_t i = 0; i < b->npeers; i++) {
#ifdef SIOCOUTQ
		int bytes = 0;

		if (b->peers[i].fd >= 0 && ioctl(b->peers[i].fd, SIOCOUTQ, &bytes) == 0 && bytes > 0)
			return true;
#endif
	}
	return false;
}

static inline int64_t real_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Both do what they can now, some ms of real time long, more on a busy machine; the test's own time stands still. */
static inline void settle(struct bench *b)
{
	int64_t limit = real_ms() + 1000;

	for (int quiet = 0; quiet < 6; quiet++) {
		unsigned before = b->asked;
		int fd;

		session_run(b->session, b->now);
		while (b->listening >= 0 && b->npeers < PEERS && (fd = accept(b->listening, NULL, NULL)) >= 0)
			b->peers[b->npeers++] = (struct peer){ .fd = fd };
		for (size_t i = 0; i < b->npeers; i++)
			if (b->peers[i].fd >= 0)
				take_requests(b, &b->peers[i]);
		http_wait(b->http, NULL, 0, 2);
		if (b->asked != before || (is_under_way(b) && real_ms() < limit))
			quiet = 0;
	}
	if (http_requests(b->http) > b->asked)
		b->lost = http_requests(b->http) - b->asked;
}

static inline struct peer *find_request(struct bench *b, const char *part)
{
	for (size_t i = 0; i < b->npeers; i++)
		if (b->peers[i].fd >= 0 && b->peers[i].path[0] && strstr(b->peers[i].path, part))
			return &b->peers[i];
	return NULL;
}

static inline size_t count_requests(struct bench *b, const char *part)
{
	size_t n = 0;

	for (size_t i = 0; i < b->npeers; i++)
		n += b->peers[i].fd >= 0 && b->peers[i].path[0] && strstr(b->peers[i].path, part);
	return n;
}

/* What comes is a watch that begins: more of it may follow. */
static inline void begin_watch(struct bench *b, const char *part)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
	struct peer *p = find_request(b, part);

	assert_non_null(p);
	assert_true(send(p->fd, head, sizeof(head) - 1, MSG_NOSIGNAL) > 0);
	p->path[0] = '\0';
	settle(b);
}

static inline void reply(struct bench *b, const char *part, const char *status, const char *body)
{
	struct peer *p = find_request(b, part);
	struct buf text = { 0 };

	assert_non_null(p);
	buf_printf(&text, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", status,
		   strlen(body), body);
	assert_true(send(p->fd, text.ptr, text.len, MSG_NOSIGNAL) == (ssize_t)text.len);
	buf_release(&text);
	p->path[0] = '\0';
	settle(b);
}

#define EMPTY_LIST "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[]}"

/* The time goes on to what the session waits for next; returns how long that was, in ms. */
static inline int64_t pass(struct bench *b, int64_t at_most)
{
	int64_t before = b->now, deadline = session_deadline(b->session);

	b->now += at_most;
	if (deadline && deadline < b->now)
		b->now = deadline > before ? deadline : before;
	settle(b);
	return b->now - before;
}

#endif

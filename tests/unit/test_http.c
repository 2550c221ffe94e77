/* SPDX-License-Identifier: Apache-2.0 */
/* What is sent, logged and said of a request, as far as no socket is needed. */
#include "kube/http/http_error.h"
#include "kube/http/http_log.h"
#include "kube/http/http_request.h"
#include "kube/base/file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct http_server server_at(const char *url)
{
	struct http_server s = { .proxy = "" };
	struct err err;

	assert_int_equal(url_parse(str_of(url), &s.url, &err), 0);
	return s;
}

static void urls(void **state)
{
	struct http_server s = server_at("https://10.0.0.1:6443/base/");
	struct http_request r = { .server = &s, .path = STR("/api?x=y") };
	struct buf b = { 0 };

	(void)state;
	http_add_url(&r, &b);
	assert_string_equal(buf_cstr(&b), "https://10.0.0.1:6443/base/api?x=y");
	assert_false(http_has_name(&s));
	s.tls_server_name = STR("kubernetes");
	buf_reset(&b);
	http_add_url(&r, &b);
	assert_string_equal(buf_cstr(&b), "https://kubernetes:6443/base/api?x=y");
	buf_reset(&b);
	http_add_connect_to(&s, &b);
	assert_string_equal(buf_cstr(&b), "kubernetes:6443:10.0.0.1:6443");
	s.tls_server_name = STR("fd00::1");
	buf_reset(&b);
	http_add_url(&r, &b);
	assert_string_equal(buf_cstr(&b), "https://[fd00::1]:6443/base/api?x=y");
	buf_reset(&b);
	http_add_connect_to(&s, &b);
	assert_string_equal(buf_cstr(&b), "[fd00::1]:6443:10.0.0.1:6443");
	buf_release(&b);
}

static void test_headers(void **state)
{
	(void)state;
	assert_true(http_header_ok("A: b\tc \xc3\xa9"));
	assert_false(http_header_ok("A: b\r\nEvil: yes"));
	assert_false(http_header_ok("A: b\nEvil: yes"));
	assert_false(http_header_ok("A: \x01"));
}

static void keep(void *ctx, const char *line)
{
	buf_add_cstr(ctx, line);
	buf_add_char(ctx, '\n');
}

static void log_is_masked(void **state)
{
	static const char *const lines[] = { "Authorization: Bearer hush", "AUTHORIZATION:Basic hush==", "authorization: hush",
					     "Proxy-Authorization: Basic hush", "Cookie: a=hush", "Set-Cookie: a=hush; Path=/",
					     "Authorization:", "X" };
	struct buf got = { 0 };
	struct http_log log = { 7, keep, &got };

	(void)state;
	assert_true(http_log_wants(&log, 7) && !http_log_wants(&log, 8));
	for (size_t i = 0; i < COUNT(lines); i++)
		http_log_header(&log, ">", str_of(lines[i]));
	http_log_header(&log, "<", STR("Content-Type:  application/json "));
	assert_null(strstr(buf_cstr(&got), "hush"));
	assert_non_null(strstr(buf_cstr(&got), "  > Authorization: Bearer <masked>\n"));
	assert_non_null(strstr(buf_cstr(&got), "  < Content-Type: application/json\n"));
	buf_release(&got);
}

/* However many there are: each cluster may have a login under way. */
static void test_fds(void **state)
{
	enum { MANY = 70 };
	struct http *h = http_new();
	int owners[MANY], fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	for (int i = 0; i < MANY; i++)
		http_watch_fd(h, &owners[i], fds[0]);
	for (int i = 0; i < MANY - 1; i++)
		http_watch_fd(h, &owners[i], -1);
	http_watch_fd(h, &owners[0], -1);
	assert_int_equal(write(fds[1], "x", 1), 1);
	alarm(20);
	http_wait(h, NULL, 0, -1);
	http_wait(h, &fds[0], 1, -1);
	alarm(0);
	http_free(h);
	close(fds[0]);
	close(fds[1]);
}

/* Whoever wrote the text. */
static void urls_in_the_log(void **state)
{
	struct http_end end = { .failure = HTTP_NO_PROXY,
				.text = "Unsupported proxy syntax in 'http://me:hu/sh@proxy:x': Port number was not a decimal number" };
	struct buf got = { 0 };
	struct http_log log = { 9, keep, &got };

	(void)state;
	http_log_end(&log, "https://host/api", &end, 3, 4);
	http_log_header(&log, "<", STR("Location: https://me:hush@elsewhere.example/"));
	assert_null(strstr(buf_cstr(&got), "hush"));
	assert_null(strstr(buf_cstr(&got), "hu/sh"));
	assert_non_null(strstr(buf_cstr(&got), "GET https://host/api (Unsupported proxy syntax"));
	assert_non_null(strstr(buf_cstr(&got), "@elsewhere.example/"));
	buf_release(&got);
}

static void test_names(void **state)
{
	struct buf b = { 0 };

	(void)state;
	http_add_names(STR("Subject:CN = x"), &b);
	assert_int_equal(b.len, 0);
	http_add_names(STR("X509v3 Subject Alternative Name:DNS:a, IP Address:10.0.0.1"), &b);
	assert_string_equal(buf_cstr(&b), "a, 10.0.0.1");
	buf_release(&b);
}

static void test_failures_apart(void **state)
{
	struct http_end refused = { .os_error = ECONNREFUSED, .text = "" }, alert = { .text = "tlsv13 alert certificate required" };
	struct http_end unknown = { .verify = 20, .text = "" }, plain = { .text = "" };

	(void)state;
	assert_int_equal(http_refine(HTTP_UNREACHABLE, &refused), HTTP_REFUSED);
	assert_int_equal(http_refine(HTTP_UNREACHABLE, &plain), HTTP_UNREACHABLE);
	assert_int_equal(http_refine(HTTP_UNTRUSTED, &unknown), HTTP_UNTRUSTED);
	assert_int_equal(http_refine(HTTP_UNTRUSTED, &plain), HTTP_WRONG_NAME);
	assert_int_equal(http_refine(HTTP_LOST, &alert), HTTP_TLS);
	assert_int_equal(http_refine(HTTP_LOST, &plain), HTTP_LOST);
}

static void sentences(void **state)
{
	static const struct {
		struct http_end end;
		const char *proxy, *msg;
	} cases[] = {
		{ { .failure = HTTP_REFUSED, .os_error = ECONNREFUSED }, "",
		  "The connection to the server h:6443 was refused - did you specify the right host or port?" },
		{ { .failure = HTTP_REFUSED, .os_error = ECONNREFUSED }, "http://me:hush@p:1",
		  "Unable to connect to the server: proxyconnect tcp: dial tcp p:1: connect: connection refused" },
		{ { .failure = HTTP_UNREACHABLE, .os_error = EHOSTUNREACH }, "",
		  "Unable to connect to the server: dial tcp h:6443: connect: no route to host" },
		{ { .failure = HTTP_NO_HOST }, "", "Unable to connect to the server: dial tcp: lookup h: no such host" },
		{ { .failure = HTTP_TIMEOUT_CONNECT }, "", "Unable to connect to the server: dial tcp h:6443: i/o timeout" },
		{ { .failure = HTTP_TIMEOUT_CONNECT }, "http://p:1",
		  "Unable to connect to the server: proxyconnect tcp: dial tcp p:1: i/o timeout" },
		{ { .failure = HTTP_TIMEOUT_TLS }, "", "Unable to connect to the server: net/http: TLS handshake timeout" },
		{ { .failure = HTTP_UNTRUSTED, .verify = 10 }, "",
		  "Unable to connect to the server: tls: failed to verify certificate: x509: certificate has expired or is not yet valid" },
		{ { .failure = HTTP_UNTRUSTED, .verify = 19 }, "",
		  "Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority" },
		{ { .failure = HTTP_CLIENT_CERT, .text = "Private key does not match the certificate public key" }, "",
		  "tls: private key does not match public key" },
		{ { .failure = HTTP_LOST, .text = "Connection reset by peer" }, "",
		  "Unable to connect to the server: read: connection reset by peer" },
		{ { .failure = HTTP_TLS, .text = "error: tlsv13 alert certificate required" }, "",
		  "Unable to connect to the server: remote error: tls: certificate required" },
		{ { .failure = HTTP_FAILED }, "", "Unable to connect to the server: the connection was lost" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct http_server s = server_at("https://h:6443");
		struct http_end end = cases[i].end;
		struct err err = { 0 };

		s.proxy = cases[i].proxy;
		end.text = end.text ? end.text : "";
		assert_int_equal(http_error(&end, &s, &err), -1);
		assert_string_equal(err.msg, cases[i].msg);
	}
}

/* Who has named no authority has not named the wrong one. */
static void unknown_authority(void **state)
{
	struct http_server s = server_at("https://h");
	struct http_end end = { .failure = HTTP_UNTRUSTED, .verify = 20, .text = "" };
	struct err err = { 0 };

	(void)state;
	http_error(&end, &s, &err);
	assert_non_null(strstr(err.hint, "no certificate-authority is configured"));
	s.ca_given = true;
	http_error(&end, &s, &err);
	assert_non_null(strstr(err.hint, "certificate-authority in the kubeconfig is not the one"));
}

static void wrong_name(void **state)
{
	struct http_server s = server_at("https://10.0.0.1");
	struct http_end end = { .failure = HTTP_WRONG_NAME, .text = "", .names = STR("a, b") };
	struct err err = { 0 };

	(void)state;
	http_error(&end, &s, &err);
	assert_non_null(strstr(err.msg, "x509: certificate is valid for a, b, not 10.0.0.1"));
	s.tls_server_name = STR("c");
	http_error(&end, &s, &err);
	assert_non_null(strstr(err.msg, "not c"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(log_is_masked), cmocka_unit_test(urls_in_the_log),
		cmocka_unit_test(test_fds),
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_failures_apart),
		cmocka_unit_test(sentences), cmocka_unit_test(unknown_authority),
		cmocka_unit_test(wrong_name),
	};

	return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}

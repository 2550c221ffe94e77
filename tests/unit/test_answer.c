/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals must read as kubectl's; what a server says is never trusted. */
#include "kube/api/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define STATUS(code, reason, message) \
	"{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":" code ",\"reason\":\"" reason "\",\"message\":\"" message "\"}"

static void refusals(void **state)
{
	static const struct {
		int status;
		const char *body, *listed;
		enum errc code;
		const char *msg;
	} cases[] = {
		{ 403, STATUS("403", "Forbidden", "no pods"), "", ERR_FORBIDDEN, "Error from server (Forbidden): no pods" },
		{ 403, "go away", "", ERR_FORBIDDEN, "Error from server (Forbidden): go away (get pods)" },
		{ 401, STATUS("401", "Unauthorized", "Unauthorized"), "", ERR_AUTH,
		  "You must be logged in to the server (Unauthorized)" },
		{ 401, "", "", ERR_AUTH, "You must be logged in to the server (the server has asked for the client to provide "
					 "credentials (get pods))" },
		{ 404, STATUS("404", "NotFound", "nothing"), "v1, Resource=pods", ERR_NOT_SERVED,
		  "Error from server (NotFound): Unable to list \"v1, Resource=pods\": nothing" },
		{ 410, STATUS("410", "Expired", "too old"), "", ERR_GONE, "Error from server (Expired): too old" },
		{ 500, STATUS("500", "Gone", "too old"), "", ERR_GONE, "Error from server (Gone): too old" },
		{ 429, "slow", "", ERR_THROTTLED, "Error from server (TooManyRequests): the server has received too many requests "
						  "and has asked us to try again later (get pods)" },
		{ 500, "", "", ERR_SERVER, "Error from server (InternalError): an error on the server (\"unknown\") has prevented "
					   "the request from succeeding (get pods)" },
		{ 503, "<html>", "", ERR_SERVER,
		  "Error from server (ServiceUnavailable): the server is currently unable to handle the request (get pods)" },
		{ 418, STATUS("0", "", "tea"), "", ERR_SERVER, "Error from server: tea" },
		{ 500, STATUS("500", "Odd", ""), "", ERR_SERVER, "Error from server (Odd): Odd" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer a = { cases[i].status, STR_NONE, str_of(cases[i].body), STR_NONE, STR("get pods"),
				    str_of(cases[i].listed) };
		struct err err = { 0 };

		assert_int_equal(answer_error(&a, &err), -1);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(err.code, cases[i].code);
	}
}

/* Wrong types are as good as absent. */
static void test_hostile_status(void **state)
{
	static const char *const bodies[] = {
		"{\"kind\":\"Status\",\"status\":7,\"code\":\"x\",\"reason\":[],\"message\":{},\"details\":3}",
		"{\"kind\":\"Status\",\"code\":1e300,\"details\":{\"retryAfterSeconds\":-5}}", "[]", "null", "{", "\xff",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct answer a = { .status = 500, .body = str_of(bodies[i]) };
		struct err err = { 0 };

		assert_int_equal(answer_error(&a, &err), -1);
		assert_int_equal(err.code, ERR_SERVER);
		assert_int_equal(err.http_status, 500);
		assert_true(err.retry_after >= 0 && err.msg[0]);
	}
}

static void test_long_message_is_cut(void **state)
{
	struct buf body = { 0 };
	struct err err = { 0 };

	(void)state;
	buf_add_cstr(&body, "{\"kind\":\"Status\",\"message\":\"");
	for (int i = 0; i < 5000; i++)
		buf_add_char(&body, 'x');
	buf_add_cstr(&body, "\"}");
	answer_error(&(struct answer){ .status = 500, .body = buf_str(&body) }, &err);
	assert_true(strlen(err.msg) < sizeof(err.msg));
	buf_release(&body);
}

static void test_redirect(void **state)
{
	struct err err = { 0 };

	(void)state;
	answer_error(&(struct answer){ .status = 302, .body = STR("{\"kind\":\"Status\"}") }, &err);
	assert_int_equal(err.code, ERR_PROTO);
	assert_non_null(strstr(err.msg, "unexpected redirect (HTTP 302)"));
}

static void test_retry_after(void **state)
{
	static const struct {
		const char *header;
		int seconds;
	} cases[] = { { "", -1 }, { "0", 0 }, { " 7 ", 7 }, { "99999", 99999 }, { "2000000000", 1000000000 }, { "-1", -1 }, { "1.5", -1 },
		      { "Wed, 21 Oct 2026 07:28:00 GMT", -1 }, { "99999999999999999999", -1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(answer_retry_after(str_of(cases[i].header)), cases[i].seconds);
}

static void content_type(void **state)
{
	static const char *const good[] = { "", "application/json", "application/json; charset=utf-8",
					    "application/json;g=apidiscovery.k8s.io;v=v2", "application/apply+json" };
	static const char *const bad[] = { "text/html", "TEXT/HTML; charset=x", "text/plain", "application/vnd.kubernetes.protobuf" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(answer_check_type(str_of(good[i]), &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(answer_check_type(str_of(bad[i]), &err), -1);
}

static void warnings(void **state)
{
	static const struct {
		const char *header, *texts;
	} cases[] = {
		{ "299 - \"a\"", "a|" },
		{ "299 - \"a\", 299 host \"b \\\"q\\\" \\\\\" \"Wed, 21 Oct 2026 07:28:00 GMT\",299 - \"c\"", "a|b \"q\" \\|c|" },
		{ "199 - \"no\", 299 - \"yes\"", "yes|" },
		{ "299 - \"esc \x1b[2J\"", "esc [2J|" },
		{ "299 - \"open", "" },
		{ "299", "" },
		{ "299 -", "" },
		{ "299 - no", "" },
		{ ", ,", "" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str rest = str_of(cases[i].header);
		struct buf all = { 0 }, one = { 0 };

		for (int n = 0; n < 10 && answer_warning(&rest, &one); n++) {
			buf_add(&all, buf_str(&one));
			buf_add_char(&all, '|');
			buf_reset(&one);
		}
		assert_string_equal(buf_cstr(&all), cases[i].texts);
		buf_release(&all);
		buf_release(&one);
	}
}

/* Only the bytes that were asked for are believed: fewer only at the end, the whole only where that is asked for. */
static void parts_of_a_file(void **state)
{
	static const struct {
		int status;
		const char *type, *range, *encoding;
		size_t len;
		uint64_t from, n;
		bool good;
	} cases[] = {
		{ 206, "application/gzip", "bytes 100-149/1000", "", 50, 100, 50, true },
		{ 206, "", "bytes 100-149/*", "identity", 50, 100, 50, true },
		{ 206, "", "Bytes 100-119/120", "", 20, 100, 50, true },
		{ 206, "", "bytes 100-119/*", "", 20, 100, 50, true },
		{ 200, "text/plain", "", "", 50, 0, 50, true },
		{ 206, "", "", "", 50, 100, 50, false },			/* it does not say which */
		{ 206, "", "bytes 0-49/1000", "", 50, 100, 50, false },		/* the beginning */
		{ 206, "", "bytes 100-119/1000", "", 20, 100, 50, false },	/* less, and it does not end there */
		{ 206, "", "bytes 100-150/1000", "", 51, 100, 50, false },	/* more */
		{ 206, "", "bytes 100-149/1000", "", 49, 100, 50, false },	/* cut off */
		{ 206, "", "bytes 100-149/149", "", 50, 100, 50, false },	/* beyond its end */
		{ 206, "", "bytes 100-149", "", 50, 100, 50, false },
		{ 206, "", "bytes -149/1000", "", 50, 100, 50, false },
		{ 206, "", "bytes 149-100/1000", "", 50, 100, 50, false },
		{ 206, "", "lines 100-149/1000", "", 50, 100, 50, false },
		{ 206, "", "bytes 99999999999999999999-149/1000", "", 50, 100, 50, false },
		{ 206, "", "bytes 100-149/1000bytes 100-149/1000", "", 50, 100, 50, false },	/* two of them */
		{ 206, "", "bytes 100-149/1000", "gzip", 50, 100, 50, false },
		{ 206, "text/html; charset=utf-8", "bytes 100-149/1000", "", 50, 100, 50, false },
		{ 206, "multipart/byteranges; boundary=x", "bytes 100-149/1000", "", 50, 100, 50, false },
		{ 204, "", "", "", 0, 100, 50, false },
		{ 200, "text/html", "", "", 50, 0, 50, false },
		{ 200, "", "", "", 51, 0, 50, false },
		{ 200, "", "", "", 50, 100, 50, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_part a = { cases[i].status, str_of(cases[i].type), str_of(cases[i].range), str_of(cases[i].encoding), cases[i].len };
		struct err err = { 0 };

		if ((answer_check_part(&a, cases[i].from, cases[i].n, &err) == 0) != cases[i].good)
			fail_msg("case %zu: %s", i, err.msg);
		assert_int_equal(err.code, cases[i].good ? ERR_NONE : ERR_PROTO);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals),	 cmocka_unit_test(test_hostile_status),
		cmocka_unit_test(test_long_message_is_cut), cmocka_unit_test(test_redirect),
		cmocka_unit_test(test_retry_after),	 cmocka_unit_test(content_type),
		cmocka_unit_test(warnings),		 cmocka_unit_test(parts_of_a_file),
	};

	return cmocka_run_group_tests_name("answer", tests, NULL, NULL);
}

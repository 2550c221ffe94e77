/* SPDX-License-Identifier: Apache-2.0 */
/* Who is asked, for what, and through which proxy: Go's rules. */
#include "kube/api/resource_path.h"
#include "kube/http/proxy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct url parsed(const char *text)
{
	struct err err = { 0 };
	struct url u;

	if (url_parse(str_of(text), &u, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return u;
}

static void test_parse(void **state)
{
	static const struct {
		const char *text, *authority, *path;
		bool https;
	} cases[] = {
		{ "https://h", "h:443", "", true },
		{ "HTTPS://h:6443/", "h:6443", "", true },
		{ "http://h", "h:80", "", false },
		{ "h:8080", "h:8080", "", false },
		{ "https://h/k8s/clusters/c//?a=b#c", "h:443", "/k8s/clusters/c", true },
		{ "https://[::1]", "[::1]:443", "", true },
		{ "https://u:p@[fe80::1]:1/x", "[fe80::1]:1", "/x", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct url u = parsed(cases[i].text);
		struct buf authority = { 0 };

		url_authority(&u, &authority);
		assert_string_equal(buf_cstr(&authority), cases[i].authority);
		assert_true(str_is(u.path, cases[i].path) && u.https == cases[i].https);
		buf_release(&authority);
	}
}

static void test_no_url(void **state)
{
	static const char *const texts[] = { "", "https://", "https://h:0", "https://h:65536", "https://h:x", "https://a b",
					     "https://[::1", "https://[::1]x", "https://a\"b", "https://u:hush@a b" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct err err = { 0 };
		struct url u;

		assert_int_equal(url_parse(str_of(texts[i]), &u, &err), -1);
		assert_int_equal(err.code, ERR_INPUT);
		assert_null(strstr(err.msg, "hush"));
	}
}

static void test_segments_and_queries(void **state)
{
	struct buf b = { 0 };

	(void)state;
	url_add_segment(&b, STR("system:node/a?b%#c .\xc3\xa9"));
	assert_string_equal(buf_cstr(&b), "system:node%2Fa%3Fb%25%23c%20.%C3%A9");
	buf_reset(&b);
	url_add_segment(&b, STR("a:b@&=+$,;(d)"));
	assert_string_equal(buf_cstr(&b), "a:b@&=+$,;%28d%29");
	buf_reset(&b);
	url_add_segment(&b, STR(".."));
	assert_string_equal(buf_cstr(&b), "%2E%2E");
	buf_reset(&b);
	buf_add_cstr(&b, "/x");
	url_add_query(&b, "a", STR("b=c,d e&f"));
	url_add_query(&b, "empty", STR_NONE);
	url_add_query(&b, "z", STR("\n"));
	assert_string_equal(buf_cstr(&b), "/x?a=b%3Dc%2Cd+e%26f&z=%0A");
	buf_reset(&b);
	url_decode(STR("a%2Fb%zz%4"), &b);
	assert_string_equal(buf_cstr(&b), "a/b%zz%4");
	buf_release(&b);
}

static void objects(void **state)
{
	struct kind pod = { .version = STR("v1"), .plural = STR("pods"), .flags = KIND_NAMESPACED };
	struct kind crd = { .group = STR("g.x"), .version = STR("v2"), .plural = STR("things") };
	struct buf b = { 0 };

	(void)state;
	resource_path_add(&b, &(struct resource_path){ &pod, STR_NONE, STR("a/b"), STR("p") });
	assert_string_equal(buf_cstr(&b), "/api/v1/namespaces/a%2Fb/pods/p");
	buf_reset(&b);
	resource_path_add(&b, &(struct resource_path){ &pod, STR_NONE, STR_NONE, STR_NONE });
	assert_string_equal(buf_cstr(&b), "/api/v1/pods");
	buf_reset(&b);
	resource_path_add(&b, &(struct resource_path){ &crd, STR("v1"), STR("ignored"), STR("..") });
	assert_string_equal(buf_cstr(&b), "/apis/g.x/v1/things/%2E%2E");
	buf_release(&b);
}

static void clear_environment(void)
{
	static const char *const names[] = { "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy",
					     "ALL_PROXY" };

	for (size_t i = 0; i < COUNT(names); i++)
		unsetenv(names[i]);
}

static void test_no_proxy(void **state)
{
	static const struct {
		const char *list, *server;
		bool excepted;
	} cases[] = {
		{ "*", "https://any", true },
		{ "example.com", "https://example.com", true },
		{ "example.com", "https://a.EXAMPLE.com", true },
		{ "example.com", "https://notexample.com", false },
		{ ".example.com", "https://example.com", false },
		{ ".example.com", "https://a.example.com", true },
		{ "*.example.com", "https://a.example.com", true },
		{ "*.example.com", "https://example.com", false },
		{ " a , example.com:6443", "https://example.com:6443", true },
		{ "example.com:6443", "https://example.com", false },
		{ "10.0.0.0/8", "https://10.1.2.3", true },
		{ "10.0.0.0/8", "https://11.1.2.3", false },
		{ "10.0.0.0/33", "https://10.0.0.0", false },
		{ "10.0.0.0/x,10.0.0.0/", "https://10.0.0.0", false },
		{ "10.1.2.3", "https://10.1.2.3:1", true },
		{ "10.1.2.3:2", "https://10.1.2.3:1", false },
		{ "fd00::/8", "https://[fd12::1]", true },
		{ "[fd12::1]:443", "https://[fd12::1]", true },
		{ "", "https://any", false },
		{ ",,", "https://any", false },
	};

	(void)state;
	clear_environment();
	setenv("HTTPS_PROXY", "http://p:1", 1);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct url u = parsed(cases[i].server);
		struct buf out = { 0 };

		setenv("NO_PROXY", cases[i].list, 1);
		assert_int_equal(proxy_choose(STR_NONE, &u, &out, &(struct err){ 0 }), 0);
		if ((out.len == 0) != cases[i].excepted)
			fail_msg("%s %s", cases[i].list, cases[i].server);
		buf_release(&out);
	}
	clear_environment();
}

static void choice(void **state)
{
	static const struct {
		const char *configured, *name, *value, *no_proxy, *server, *proxy;
	} cases[] = {
		{ "", "HTTPS_PROXY", "http://p:1", "", "https://far", "http://p:1" },
		{ "", "https_proxy", "p:1", "", "https://far", "http://p:1" },
		{ "", "HTTPS_PROXY", "HTTP://p:1", "", "https://far", "http://p:1" },
		{ "", "HTTPS_PROXY", "Socks5://p:1", "", "https://far", "socks5h://p:1" },
		{ "", "HTTP_PROXY", "http://p:1", "", "https://far", "" },
		{ "", "HTTP_PROXY", "http://p:1", "", "http://far", "http://p:1" },
		{ "", "ALL_PROXY", "http://p:1", "", "https://far", "" },
		{ "", "HTTPS_PROXY", "http://p:1", "far", "https://far", "" },
		{ "", "HTTPS_PROXY", "http://p:1", "", "https://127.0.0.1", "" },
		{ "", "HTTPS_PROXY", "http://p:1", "", "https://127.9.9.9", "" },
		{ "", "HTTPS_PROXY", "http://p:1", "", "https://[::1]", "" },
		{ "", "HTTPS_PROXY", "http://p:1", "", "https://LOCALHOST", "" },
		{ "socks5://p:1", "HTTPS_PROXY", "http://q:1", "*", "https://127.0.0.1", "socks5h://p:1" },
		{ "https://p", "NO_PROXY", "*", "*", "https://far", "https://p" },
	};
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct url u = parsed(cases[i].server);
		struct buf out = { 0 };

		clear_environment();
		setenv(cases[i].name, cases[i].value, 1);
		if (cases[i].no_proxy[0])
			setenv("NO_PROXY", cases[i].no_proxy, 1);
		assert_int_equal(proxy_choose(str_of(cases[i].configured), &u, &out, &err), 0);
		if (strcmp(buf_cstr(&out), cases[i].proxy) != 0)
			fail_msg("%zu: %s", i, buf_cstr(&out));
		buf_release(&out);
	}
	clear_environment();
}

static void unusable_proxy(void **state)
{
	struct url u = parsed("https://far");
	struct buf out = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(proxy_choose(STR("ftp://me:hush@p"), &u, &out, &err), -1);
	assert_string_equal(err.msg, "the proxy of proxy-url in the kubeconfig cannot be used: "
			    "unsupported scheme \"ftp\", must be http, https, or socks5");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),	 cmocka_unit_test(test_no_url),
		cmocka_unit_test(test_segments_and_queries), cmocka_unit_test(objects),
		cmocka_unit_test(test_no_proxy), cmocka_unit_test(choice),
		cmocka_unit_test(unusable_proxy),
	};

	return cmocka_run_group_tests_name("url_proxy", tests, NULL, NULL);
}

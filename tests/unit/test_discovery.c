/* SPDX-License-Identifier: Apache-2.0 */
/* What a server serves, in both forms, and the cache of it. */
#include "folder.h"

#include "kube/api/discovery.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define RESOURCE(plural, kind, more) \
	"{\"resource\":\"" plural "\",\"responseKind\":{\"kind\":\"" kind "\"},\"scope\":\"Namespaced\",\"singularResource\":\"one\"," \
	"\"verbs\":[\"get\",\"list\",\"watch\"]" more "}"
#define VERSION_OF(version, resources) "{\"version\":\"" version "\",\"resources\":[" resources "]}"
#define GROUP(name, versions) "{\"metadata\":{\"name\":\"" name "\"},\"versions\":[" versions "]}"
#define DOC(groups) "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[" groups "]}"

struct reading {
	struct kinds kinds;
	struct discovery d;
};

static void begin(struct reading *r)
{
	*r = (struct reading){ 0 };
	discovery_begin(&r->d, &r->kinds);
}

static void end(struct reading *r)
{
	discovery_release(&r->d);
	kinds_release(&r->kinds);
}

static void read_aggregated(struct reading *r, const char *text)
{
	struct err err = { 0 };

	if (discovery_read_aggregated(&r->d, str_of(text), &err) < 0)
		fail_msg("%s: %s", err.msg, text);
}

static void read_resources(struct reading *r, const char *gv, const char *text)
{
	struct json doc;
	struct err err = { 0 };

	if (document_read(str_of(text), &doc, &err) < 0)
		fail_msg("%s: %s", err.msg, text);
	discovery_read_resources(&r->d, str_of(gv), doc);
	json_free(doc);
}

static const struct kind *kind_of(const struct reading *r, const char *group, const char *name)
{
	const struct kind *k = kinds_find(&r->kinds, str_of(group), str_of(name));

	assert_non_null(k);
	return k;
}

static void content_types(void **state)
{
	(void)state;
	assert_true(discovery_is_aggregated(STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")));
	assert_true(discovery_is_aggregated(
		STR("application/json; charset=utf-8; as=APIGroupDiscoveryList ;v=v2beta1; g=apidiscovery.k8s.io")));
	assert_false(discovery_is_aggregated(STR("application/json")));
	assert_false(discovery_is_aggregated(STR("application/json;g=apidiscovery.k8s.io")));
	assert_false(discovery_is_aggregated(STR_NONE));
}

static void test_aggregated(void **state)
{
	struct reading r;
	const struct kind *k;

	(void)state;
	begin(&r);
	read_aggregated(&r, DOC(GROUP("g.x", VERSION_OF("v2", RESOURCE("things", "Thing", ",\"shortNames\":[\"th\",7],\"categories\":[\"all\"],"
			"\"subresources\":[{\"subresource\":\"status\"}]"))
			"," VERSION_OF("v1", RESOURCE("things", "Thing", "") ","
			RESOURCE("others", "Other", "")))));
	k = kind_of(&r, "g.x", "Thing");
	assert_true(str_is(k->version, "v2") && str_is(k->versions, "v2,v1") && str_is(k->short_names[0], "th"));
	assert_int_equal(k->flags & ~(unsigned)KIND_CUSTOM,
			 KIND_NAMESPACED | KIND_LIST | KIND_WATCH | KIND_GET | KIND_HAS_STATUS | KIND_DISCOVERED);
	assert_int_equal(k->short_names[1].len, 0);
	assert_true(kind_in_category(k, "all"));
	assert_true(str_is(kind_of(&r, "g.x", "Other")->version, "v1"));	/* whatever the group prefers */
	assert_int_equal(r.d.partial.len, 0);
	end(&r);
}

static void test_stale(void **state)
{
	struct reading r;

	(void)state;
	begin(&r);
	read_aggregated(&r, DOC(GROUP("m.x", "{\"version\":\"v1\",\"freshness\":\"Stale\",\"resources\":[" RESOURCE("as", "A", "") "]}"
			"," VERSION_OF("v1beta1", RESOURCE("as", "A", "")))));
	assert_true(str_is(kind_of(&r, "m.x", "A")->versions, "v1beta1"));
	assert_string_equal(buf_cstr(&r.d.partial), "m.x/v1: stale GroupVersion discovery");
	discovery_failed(&r.d, STR("n.x/v1"), STR("down"));
	assert_string_equal(buf_cstr(&r.d.partial), "m.x/v1: stale GroupVersion discovery, n.x/v1: down");
	end(&r);
}

/* One group that cannot be read does not hide the others; a document that is no JSON is an error. */
static void test_damaged(void **state)
{
	static const char *const broken[] = { "", "{\"items\":[", "{\"items\":[{}", "hello", "{\"items\":[]}{}" };
	struct reading r;
	struct err err;

	(void)state;
	begin(&r);
	read_aggregated(&r, DOC("{\"metadata\":{\"name\":\"a\\u0000b\"}}," GROUP("g.x", VERSION_OF("v1", RESOURCE("bs", "B", "")))
				",{\"a\":01}"));
	assert_true(str_is(kind_of(&r, "g.x", "B")->version, "v1"));
	assert_string_equal(buf_cstr(&r.d.partial), "a\xC0\x80" "b: it has no list of versions, one of the groups: not JSON at byte 6");
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		assert_int_equal(discovery_read_aggregated(&r.d, str_of(broken[i]), &err), -1);
	assert_int_equal(r.kinds.count, 1);
	end(&r);
}

static void legacy(void **state)
{
	struct reading r;
	const struct kind *k;

	(void)state;
	begin(&r);
	read_resources(&r, "v1", "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":["
		 "{\"name\":\"pods/status\",\"kind\":\"Pod\"},"
		 "{\"name\":\"pods\",\"kind\":\"Pod\",\"singularName\":\"pod\",\"namespaced\":true,\"verbs\":[\"list\"]}]}");
	read_resources(&r, "g.x/v3", "{\"kind\":\"APIResourceList\",\"groupVersion\":\"g.x/v3\",\"resources\":[{\"name\":\"cs\",\"kind\":\"C\",\"verbs\":[]}]}");
	k = kind_of(&r, "", "Pod");
	assert_true(str_is(k->plural, "pods") && str_is(k->version, "v1"));
	assert_int_equal(k->flags & (KIND_NAMESPACED | KIND_LIST | KIND_WATCH | KIND_HAS_STATUS),
			 KIND_NAMESPACED | KIND_LIST | KIND_HAS_STATUS);
	assert_int_equal(kind_of(&r, "g.x", "C")->flags & (KIND_NAMESPACED | KIND_LIST), 0);
	end(&r);
}

/* Every wrong type, in the place of every value. */
static void test_hostile(void **state)
{
	static const char *const wrong[] = { "null", "7", "\"x\"", "[]", "{}", "[[],{},null]", "true" };
	static const char *const shapes[] = {
		"{\"kind\":\"APIGroupDiscoveryList\",\"items\":%s,\"resources\":%s,\"groupVersion\":%s,\"versions\":%s,\"groups\":%s}",
		"{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":%s,\"versions\":%s}]}",
		"{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"versions\":[{\"version\":%s,\"freshness\":%s,\"resources\":%s}]}]}",
		("{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"versions\":[{\"resources\":[{\"resource\":\"a\",\"responseKind\":{\"kind\":\"A\"},\"verbs\":%s,"
		 "\"shortNames\":%s,\"categories\":%s,\"subresources\":%s,\"scope\":%s}]}]}]}"),
		"{\"kind\":\"APIResourceList\",\"groupVersion\":\"a/b/c\",\"resources\":[%s,{\"name\":%s,\"kind\":%s},{\"name\":\"/\",\"kind\":\"K\",\"verbs\":%s}]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (size_t w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++) {
			struct buf text = { 0 };
			struct reading r;
			struct err err;

			for (const char *p = shapes[i]; *p; p++) {
				if (p[0] == '%' && p[1] == 's') {
					buf_add_cstr(&text, wrong[w]);
					p++;
				} else {
					buf_add_char(&text, *p);
				}
			}
			begin(&r);
			if (discovery_read_aggregated(&r.d, buf_str(&text), &err) == 0)
				assert_true(str_contains(buf_str(&text), "APIGroupDiscoveryList"));
			read_resources(&r, "a/b/c", buf_cstr(&text));
			assert_true(r.kinds.count <= 2);
			end(&r);
			buf_release(&text);
		}
}

/* Each of these was taken for a server that has no kinds. */
static void test_something_else(void **state)
{
	static const char *const others[] = {
		"null", "{}", "[]", "7", "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\"}", "{\"items\":[]}", "{\"kind\":\"PodList\",\"items\":[]}",
		"{\"kind\":\"APIGroupDiscoveryList\",\"items\":\"many\"}", "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"v1\",\"items\":[]}",
	};
	struct reading r;
	struct err err;

	(void)state;
	begin(&r);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct json doc;

		if (discovery_read_aggregated(&r.d, str_of(others[i]), &err) == 0)
			fail_msg("accepted: %s", others[i]);
		assert_int_equal(document_read(str_of(others[i]), &doc, &err), 0);
		assert_int_equal(discovery_check(doc, "APIGroupList", &err), -1);
		buf_reset(&r.d.partial);
		discovery_read_resources(&r.d, STR("g.x/v1"), doc);
		assert_true(str_starts(buf_str(&r.d.partial), "g.x/v1: "));
		json_free(doc);
	}
	buf_reset(&r.d.partial);
	read_resources(&r, "g.x/v1", "{\"kind\":\"APIResourceList\",\"groupVersion\":\"h.x/v1\",\"resources\":[{\"name\":\"as\",\"kind\":\"A\"}]}");
	assert_string_equal(buf_cstr(&r.d.partial), "g.x/v1: the answer is of another group or version");
	buf_reset(&r.d.partial);
	read_aggregated(&r, DOC("{\"metadata\":{\"name\":\"g.x\"}},{\"kind\":\"Status\",\"metadata\":{}},7," GROUP("h.x", "{\"version\":\"v1\",\"resources\":{}}")));
	assert_string_equal(buf_cstr(&r.d.partial), "g.x: it has no list of versions, one of the groups: it has no list of versions, "
			    "h.x/v1: its kinds are no list, one of the groups: it is no object");
	assert_int_equal(r.kinds.count, 0);
	end(&r);
}

static void keep_path(void *ctx, struct str path)
{
	buf_add(ctx, path);
	buf_add_char(ctx, ' ');
}

static void has_paths(const char *text, const char *wanted)
{
	struct json doc;
	struct err err;
	struct buf got = { 0 };

	assert_int_equal(document_read(str_of(text), &doc, &err), 0);
	discovery_paths(doc, keep_path, &got);
	assert_string_equal(buf_cstr(&got), wanted);
	json_free(doc);
	buf_release(&got);
}

/* The aggregated half of a server whose other half is not. */
static void paths_of_one_aggregated_half(void **state)
{
	(void)state;
	has_paths("{\"items\":[{\"metadata\":{\"name\":\"\"},\"versions\":[{\"version\":\"v1\"}]},"
		  "{\"metadata\":{\"name\":\"g\"},\"versions\":[{\"version\":\"v2\"},{\"version\":\"v1\"}]}]}",
		  "/api/v1 /apis/g/v2 /apis/g/v1 ");
}

static void paths(void **state)
{
	(void)state;
	has_paths("{\"versions\":[\"v1\"],\"groups\":[{\"name\":\"g\",\"versions\":[{\"groupVersion\":\"g/v1\"},"
		  "{\"groupVersion\":\"g/v2\"}],\"preferredVersion\":{\"groupVersion\":\"g/v2\"}}]}",
		  "/api/v1 /apis/g/v2 /apis/g/v1 ");
}

static void test_cache(void **state)
{
	static const char server[] = "https://host:6443/k8s/../../x";
	struct folder f;
	struct cached c = { .fetched = 1234 }, got;

	(void)state;
	assert_int_equal(folder_make(&f), 0);
	assert_false(discovery_cache_read(f.path, str_of(server), "api", &got));
	cached_release(&got);
	buf_add_cstr(&c.etag, "\"a\\b\"\n");
	buf_add_cstr(&c.content_type, "application/json");
	buf_add_cstr(&c.body, "{\n\"x\":1}\n");
	discovery_cache_write(f.path, str_of(server), "api", &c);
	assert_true(discovery_cache_read(f.path, str_of(server), "api", &got));
	assert_string_equal(buf_cstr(&got.etag), "\"a\\b\"");
	assert_string_equal(buf_cstr(&got.content_type), "application/json");
	assert_string_equal(buf_cstr(&got.body), "{\n\"x\":1}\n");
	assert_int_equal(got.fetched, 1234);
	cached_release(&got);
	assert_false(discovery_cache_read(f.path, STR("https://host:6444"), "api", &got));
	cached_release(&got);
	assert_false(discovery_cache_read(NULL, str_of(server), "api", &got));
	discovery_cache_write(NULL, str_of(server), "api", &c);
	discovery_cache_write("/dev/null/x", str_of(server), "api", &c);
	cached_release(&c);
	folder_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_types), cmocka_unit_test(test_aggregated), cmocka_unit_test(test_stale), cmocka_unit_test(test_damaged),
		cmocka_unit_test(legacy),	      cmocka_unit_test(test_hostile), cmocka_unit_test(test_something_else),	 cmocka_unit_test(paths),
		cmocka_unit_test(paths_of_one_aggregated_half),
		cmocka_unit_test(test_cache),
	};

	return cmocka_run_group_tests_name("discovery", tests, NULL, NULL);
}

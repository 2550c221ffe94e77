/* SPDX-License-Identifier: Apache-2.0 */
/* What must not be shown or written down, and that the rest is as it was. */
#include "kube/base/url.h"
#include "kube/model/json_diff.h"
#include "plugin/redact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CANARY "c4nary"

static void redacted(const char *text, const struct kind *kind, struct buf *out)
{
	struct json doc;
	struct err err;

	if (json_parse(str_of(text), &doc, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	redact_object(doc, kind, out);
	json_free(doc);
}

/* ---- secrets by their structure ------------------------------------------ */

#define SECRET "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\",\"annotations\":{" \
	       "\"kapp.k14s.io/original\":\"" CANARY "\",\"mine\":\"" CANARY "\"}}," \
	       "\"data\":{\"key\":\"" CANARY "\",\"deep\":{\"x\":[\"" CANARY "\"]}},\"stringData\":{\"key\":\"" CANARY "\"}}"

static const char *const secrets[] = {
	SECRET,
	"{\"kind\":\"Secret\",\"data\":\"" CANARY "\",\"stringData\":[\"" CANARY "\"]}",
	/* the last kind, or the first: whichever a reader takes */
	"{\"kind\":\"Secret\",\"kind\":\"X\",\"data\":{\"a\":\"" CANARY "\"}}",
	"{\"kind\":\"X\",\"data\":{\"a\":\"" CANARY "\"},\"kind\":\"Secret\"}",
	"{\"kind\":\"List\",\"items\":[" SECRET "]}",
	"{\"kind\":\"SecretList\",\"items\":[{\"metadata\":{\"annotations\":{\"a\":\"" CANARY "\"}},\"data\":{\"k\":\"" CANARY "\"}}]}",
	"{\"kind\":\"Object\",\"spec\":{\"forProvider\":{\"manifest\":" SECRET "}},\"status\":{\"atProvider\":{\"manifest\":" SECRET "}}}",
	"{\"kind\":\"ManifestWork\",\"spec\":{\"workload\":{\"manifests\":[[{\"deep\":" SECRET "}]]}}}",
	/* a map is one whatever it is called */
	"{\"kind\":\"X\",\"metadata\":" SECRET "}",
	"{\"kind\":\"X\",\"metadata\":{\"annotations\":" SECRET "}}",
	/* in a text, as JSON, JSON once more, and YAML */
	"{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"{\\\"kind\\\":\\\"Secret\\\",\\\"data\\\":{\\\"k\\\":\\\"" CANARY "\\\"}}\"}}",
	"{\"kind\":\"X\",\"spec\":\"\\\"{\\\\\\\"kind\\\\\\\": \\\\\\\"Secret\\\\\\\",\\\\\\\"stringData\\\\\\\":{\\\\\\\"k\\\\\\\":\\\\\\\"" CANARY "\\\\\\\"}}\\\"\"}",
	"{\"kind\":\"X\",\"metadata\":{\"annotations\":{\"kapp.k14s.io/original\":\"apiVersion: v1\\nkind:  'Secret'\\ndata:\\n  k: " CANARY "\\n\"}}}",
	/* annotations that hold tokens, also of a template */
	"{\"kind\":\"X\",\"metadata\":{\"annotations\":{\"a/API-Key\":\"" CANARY "\",\"kubectl.kubernetes.io/last-applied-configuration\":\"" CANARY "\"}}}",
	"{\"kind\":\"Deployment\",\"spec\":{\"template\":{\"metadata\":{\"annotations\":{\"vault-token\":\"" CANARY "\","
	"\"kubectl.kubernetes.io/last-applied-configuration\":\"" CANARY "\"},\"managedFields\":[\"" CANARY "\"]}}}}",
	"{\"kind\":\"X\",\"metadata\":{\"managedFields\":[{\"manager\":\"" CANARY "\"}]}}",
	/* annotations that are no map, or no texts */
	"{\"kind\":\"Secret\",\"metadata\":{\"annotations\":\"" CANARY "\"}}",
	"{\"kind\":\"Secret\",\"metadata\":{\"annotations\":[{\"a\":\"" CANARY "\"}]}}",
	"{\"kind\":\"X\",\"metadata\":{\"annotations\":{\"metadata\":{\"managedFields\":[\"" CANARY "\"]},\"annotations\":{\"vault-token\":\"" CANARY "\"}}}}",
	/* URLs */
	"{\"kind\":\"X\",\"status\":{\"message\":\"cannot clone https://me:" CANARY "@git.example.org/x: denied\"}}",
	"{\"kind\":\"X\",\"spec\":{\"" "https://" CANARY "@host\":[\"http:\\/\\/u:" CANARY "@h\",\"postgres://u:a/b" CANARY "@h:5432/db\"]}}",
};

static void test_no_canary(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(secrets); i++) {
		struct buf out = { 0 };
		struct json doc;

		redacted(secrets[i], NULL, &out);
		if (str_contains(buf_str(&out), CANARY))
			fail_msg("%s\ngives\n%s", secrets[i], buf_cstr(&out));
		assert_int_equal(json_parse(buf_str(&out), &doc, NULL), 0);
		json_free(doc);
		buf_release(&out);
	}
}

/* Of what redact_hides() does not name nothing but managedFields is left out. */
static void test_what_hides(void **state)
{
	size_t hiding = 0;
	struct json doc;

	(void)state;
	for (size_t i = 0; i < COUNT(secrets); i++) {
		struct buf out = { 0 }, whole = { 0 };

		assert_int_equal(json_parse(str_of(secrets[i]), &doc, &(struct err){ 0 }), 0);
		redact_object(doc, NULL, &out);
		json_write(doc, &whole);
		if (redact_hides(doc, NULL))
			hiding++;
		else if (!str_contains(buf_str(&whole), "managedFields"))
			assert_string_equal(buf_cstr(&out), buf_cstr(&whole));
		if (!redact_hides(doc, NULL)) {
			buf_reset(&whole);
			redact_plain(doc, NULL, &whole);
			assert_string_equal(buf_cstr(&out), buf_cstr(&whole));
		}
		json_free(doc);
		buf_release(&out);
		buf_release(&whole);
	}
	assert_int_equal(hiding, COUNT(secrets) - 3);	/* managedFields, and URLs, which are hidden as they are read */
	assert_int_equal(json_parse(STR("{\"kind\":\"X\",\"metadata\":{\"annotations\":{\"a\":\"b\"}}}"), &doc, &(struct err){ 0 }), 0);
	assert_false(redact_hides(doc, NULL));
	assert_true(redact_hides(doc, &(struct kind){ .kind = STR("Secret"), .version = STR("v1") }));
	json_free(doc);
}

/* Items of a list and metadata alone do not say what they are: the list does. */
static void test_kind_from_outside(void **state)
{
	struct kind secret = { .kind = STR("Secret"), .version = STR("v1") };
	struct buf out = { 0 };

	(void)state;
	redacted("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":\"s\","
		 "\"annotations\":{\"a\":\"" CANARY "\"}},\"data\":{\"k\":\"" CANARY "\"}}", &secret, &out);
	assert_string_equal(buf_cstr(&out), "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\","
					    "\"annotations\":{}},\"data\":{\"k\":\"\"}}");
	buf_release(&out);
}

/* ---- the rest ------------------------------------------------------------ */

static void test_all_else_stays(void **state)
{
	static const char *const rows[] = {
		"{\"kind\":\"X\",\"n\":[1763629200123456789,9007199254740993,1e999,-0,1.50,true,false,null],\"t\":\"a\\u0000z\\u001b\\\"\\\\\"}",
		"{\"kind\":\"ConfigMap\",\"data\":{\"Secret\":\"kind of data\",\"kind\":\"Secret\"},\"metadata\":{\"annotations\":{\"a\":\"b\"}}}",
		"{\"kind\":\"X\",\"ref\":{\"kind\":\"Secret\",\"name\":\"n\",\"key\":\"k\"},\"data\":{\"a\":\"b\"}}",
		("{\"kind\":\"Pod\",\"status\":{\"imageID\":\"docker-pullable://nginx@sha256:0a1b\",\"url\":\"ssh://git@github.com/x\","
		 "\"at\":\"https://host:8443/@me\",\"mail\":\"see https://example.org or me@example.org\"}}"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf out = { 0 };

		redacted(rows[i], NULL, &out);
		assert_string_equal(buf_cstr(&out), rows[i]);
		buf_release(&out);
	}
}

static void test_urls(void **state)
{
	static const char *const rows[][2] = {
		{ "http://u:p@h", "http://***@h" },
		{ "https://token@h/p", "https://*****@h/p" },
		{ "a http://u:p@ss@h b", "a http://******@h b" },
		{ "ftp://u:p@h ftp://u@h", "ftp://***@h ftp://u@h" },
		{ "http://u:p", "http://u:p" },
		{ "http://[::1]:80/a@b", "http://[::1]:80/a@b" },
		{ "http://", "http://" },
		{ "://@", "://@" },
		{ "\"http://u:p@h\",\"a@b\"", "\"http://***@h\",\"a@b\"" },
		{ "dial u:p@h: refused", "dial ***@h: refused" },
		{ "user:pass@tcp(h:3306)/db", "*********@tcp(h:3306)/db" },
		{ "url=u:p,w@h a=b:c@[::1]", "url=*****@h a=***@[::1]" },
		{ "(u:p@h),x:y@h", "(***@h),***@h" },
		{ "\"k\":\"a@b\" c: d@e", "\"k\":\"a@b\" c: d@e" },
		{ "git@h:x/y img:1@sha256:ab h:5000/i@x", "git@h:x/y img:1@sha256:ab h:5000/i@x" },
		{ "serviceAccount:a@b mailto:c@d at 9:00@home", "serviceAccount:a@b mailto:c@d at 9:00@home" },
		{ "u:p@ @ :@h u:@h", "u:p@ @ :@h u:@h" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s", rows[i][0]);
		url_hide_credentials(text, strlen(text));
		assert_string_equal(text, rows[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_canary),
		cmocka_unit_test(test_what_hides),
		cmocka_unit_test(test_kind_from_outside),
		cmocka_unit_test(test_all_else_stays),
		cmocka_unit_test(test_urls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

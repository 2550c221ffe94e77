/* SPDX-License-Identifier: Apache-2.0 */
/* What must not be shown or written down, and that the rest is as it was. */
#include "kube/base/redact.h"
#include "kube/model/json_diff.h"
#include "plugin/record/redact_object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
	"{\"kind\":\"X\",\"spec\":{\"repository\":[\"http:\\/\\/u:" CANARY "@h\",\"postgres://u:a/b" CANARY "@h:5432/db\"]}}",
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
	assert_int_equal(hiding, COUNT(secrets) - 6);	/* managedFields; and texts, which are redacted as they are read */
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

static void check_texts(const char *const (*rows)[2], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct arena arena = { 0 };
		struct buf out = { 0 };

		buf_add(&out, redact_copy(&arena, str_of(rows[i][0])));
		assert_string_equal(buf_cstr(&out), rows[i][1]);
		assert_int_equal(redact_may_hide(str_of(rows[i][0])) || strcmp(rows[i][0], rows[i][1]) == 0, true);
		arena_release(&arena);
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
	check_texts(rows, COUNT(rows));
}

/* ---- parameters ------------------------------------------------------------ */

static void test_parameters(void **state)
{
	static const char *const rows[][2] = {
		{ "https://h/b?sv=2024&sig=aB%2Fc%3D&se=1", "https://h/b?sv=2024&sig=*********&se=1" },
		{ "https://h/?X-Amz-Credential=AK%2F1&X-Amz-Signature=0aff&X-Amz-Security-Token=I==&a=b",
		  "https://h/?X-Amz-Credential=******&X-Amz-Signature=****&X-Amz-Security-Token=***&a=b" },
		{ "https://h/o?x-goog-signature=ab \"?TOKEN=c\"", "https://h/o?x-goog-signature=** \"?TOKEN=*\"" },
		{ "/cb#access_token=ab&token_type=bearer", "/cb#access_token=**&token_type=bearer" },
		{ "https://h/p;Password=ab;v=1?client_secret=cd", "https://h/p;Password=**;v=1?client_secret=**" },
		{ "?a=1\\u0026token=ab\\u0026b=2\\\"", "?a=1\\u0026token=**\\u0026b=2\\\"" },
		{ "?a=1\\u0026token\\u003dab\\\\u0026b=2", "?a=1\\u0026token\\u003d**\\\\u0026b=2" },
		{ "?next=https%3A%2F%2Fh%3Fsecret%3Dab%26c%3Dd&e=f", "?next=https%3A%2F%2Fh%3Fsecret%3D**%26c%3Dd&e=f" },
		{ "?a=b&amp;signature=ab&amp;c=d", "?a=b&amp;signature=**&amp;c=d" },
		{ "?user[password]=ab&key=cd&sort_key=e", "?user[password]=**&key=**&sort_key=e" },
		{ "Https://TOKEN@h HTTPS://t@h hTTp://u:p@h", "Https://*****@h HTTPS://*@h hTTp://***@h" },
		{ "https:\\/\\/u:p@h https:\\\\/\\\\/u:p@h", "https:\\/\\/***@h https:\\\\/\\\\/***@h" },
		/* nothing of these is a credential */
		{ "?token= &sig&=x #sig =a token=ab password=cd design?config=a", "?token= &sig&=x #sig =a token=ab password=cd design?config=a" },
		{ "?continue=ab&page_tokens=1&limit=500;fieldSelector=a", "?continue=ab&page_tokens=1&limit=500;fieldSelector=a" },
	};

	(void)state;
	check_texts(rows, COUNT(rows));
}

/* ---- manifests --------------------------------------------------------------- */

#define GONE "(left out: it holds a Secret)"

static void test_manifests(void **state)
{
	static const char *const rows[][2] = {
		{ "denied: {\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"k\":\"YQ==\"}}", GONE },
		{ "denied: {\"data\":{\"k\":\"YQ==\"},\"kind\":\"Secret\"}", GONE },
		{ "\"{\\\"kind\\\": \\\"Secret\\\", \\\"stringData\\\": {}}\"", GONE },
		{ "\"{\\\\\\\"kind\\\\\\\": \\\\\\\"Secret\\\\\\\", \\\\\\\"data\\\\\\\": {}}\"", GONE },
		{ "apiVersion: v1\nkind:   'Secret'\ndata:\n  k: YQ==\n", GONE },
		{ "manifest: \"apiVersion: v1\\nkind: Secret\\nstringData:\\n  k: a\"", GONE },
		{ "{kind: SecretList, items: [{data: {k: v}}]}", GONE },
		{ "{kind: Secret, metadata: {annotations: {a: b}}}", GONE },
		/* no manifest, or nothing in it */
		{ "kind: Secret metadata: {name: a}", "kind: Secret metadata: {name: a}" },
		{ "kind: SecretStore data: {}", "kind: SecretStore data: {}" },
		{ "Secret \"a\" has no data: the kind is ConfigMap", "Secret \"a\" has no data: the kind is ConfigMap" },
		{ "mankind: Secret data: x", "mankind: Secret data: x" },
		{ "{\"kind\":\"Secret\",\"mydata\":1,\"database\":2}", "{\"kind\":\"Secret\",\"mydata\":1,\"database\":2}" },
	};

	(void)state;
	check_texts(rows, COUNT(rows));
}

static void test_logs(void **state)
{
	static const char *const rows[][2] = {
		{ "start\nput {\"kind\":\"Secret\",\"data\":{\"k\":\"v\"}}\n\nget https://u:p@h\n", "start\nput {\"kind\":\"Secret\",\"data\":{\"k\":\"v\"}}\n\nget https://u:p@h\n" },
		{ "ref {\"kind\":\"Secret\",\"name\":\"a\"}\nx {\"data\":1}", "ref {\"kind\":\"Secret\",\"name\":\"a\"}\nx {\"data\":1}" },
		{ "applying\n  kind: Secret\n  data:\n    k: v\n", GONE },
		{ "{\n  \"data\": {},\n  \"kind\": \"Secret\"\n}", GONE },
	};
	static const char *const first = "start\n" GONE "\n\nget https://***@h\n";

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf log = { 0 };

		buf_add_cstr(&log, "== api ==\n");
		buf_add_cstr(&log, rows[i][0]);
		redact_log(&log, 10);
		assert_memory_equal(log.ptr, "== api ==\n", 10);
		assert_string_equal(buf_cstr(&log) + 10, i ? rows[i][1] : first);
		buf_release(&log);
	}
}

/* ---- what identifies ------------------------------------------------------------ */

/* By where it stands: the same text is hidden in a message, and is a name where names stand. */
static void test_identities(void **state)
{
	static const char *const same[] = {
		"{\"kind\":\"Identity\",\"metadata\":{\"name\":\"okta:alice@example.com\",\"namespace\":\"a:b@c\",\"uid\":\"a:b@c\",\"generateName\":\"a:b@c\","
		"\"ownerReferences\":[{\"kind\":\"X\",\"name\":\"okta:bobby@example.com\",\"uid\":\"a:b@c\"}],\"finalizers\":[\"a:b@c\"]},\"user\":{\"name\":\"a:b@c\"}}",
		"{\"kind\":\"User\",\"identities\":[\"okta:alice@example.com\",\"okta:bobby@example.com\"]}",
		"{\"kind\":\"Group\",\"users\":[\"okta:alice@example.com\"]}",
		"{\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"admin:carol@example.com\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"admin:carol@example.com\"}],\"userNames\":[\"a:b@c\"]}",
		"{\"spec\":{\"identityRef\":\"a:b@c\",\"secretName\":\"a:b@c\",\"configRefs\":[\"a:b@c\"],\"https://u:p@h?token=a\":{\"a:b@c\":1}}}",
		"{\"t\":1,\"type\":\"BOOKMARK\",\"object\":{},\"names\":[[\"\",\"X\",\"a:b@c\",\"a:b@c\"]],\"recent\":[1,2,\"a:b@c\"],\"cluster\":\"a:b@c\"}",
	};
	static const char *const hidden[][2] = {
		{ "{\"status\":{\"message\":\"a:b@c\",\"conditions\":[{\"message\":\"a:b@c\",\"reason\":\"a:b@c\"}],\"list\":[\"a:b@c\"]}}",
		  "{\"status\":{\"message\":\"***@c\",\"conditions\":[{\"message\":\"***@c\",\"reason\":\"***@c\"}],\"list\":[\"***@c\"]}}" },
		/* keys of the writer's choice say nothing of the values */
		{ "{\"metadata\":{\"name\":\"a:b@c\",\"annotations\":{\"name\":\"a:b@c\",\"x/uid\":\"a:b@c\"}},\"data\":{\"namespace\":\"a:b@c\"}}",
		  "{\"metadata\":{\"name\":\"a:b@c\",\"annotations\":{\"name\":\"***@c\",\"x/uid\":\"***@c\"}},\"data\":{\"namespace\":\"***@c\"}}" },
		{ "{\"env\":[{\"name\":\"DSN\",\"value\":\"u:p@tcp(h)\"}],\"n\":{\"name\":{\"text\":\"a:b@c\"}}}",
		  "{\"env\":[{\"name\":\"DSN\",\"value\":\"***@tcp(h)\"}],\"n\":{\"name\":{\"text\":\"***@c\"}}}" },
	};
	struct json doc;

	(void)state;
	for (size_t i = 0; i < COUNT(same) + COUNT(hidden); i++) {
		const char *text = i < COUNT(same) ? same[i] : hidden[i - COUNT(same)][0];
		struct buf out = { 0 };

		assert_int_equal(json_parse(str_of(text), &doc, &(struct err){ 0 }), 0);
		json_write(doc, &out);
		assert_string_equal(buf_cstr(&out), i < COUNT(same) ? text : hidden[i - COUNT(same)][1]);
		json_free(doc);
		buf_reset(&out);
		assert_int_equal(json_parse_verbatim(str_of(text), &doc, &(struct err){ 0 }), 0);
		json_write(doc, &out);
		assert_string_equal(buf_cstr(&out), text);
		json_free(doc);
		buf_release(&out);
	}
}

/* ---- errors -------------------------------------------------------------------------- */

/* A password of which only the beginning had room is not known for one any more: it is not kept. */
static void test_errors_that_are_cut(void **state)
{
	struct err err = { 0 };

	(void)state;
	for (int blanks = 1; blanks < 520; blanks++) {
		err_set(&err, ERR_NET, "%*s https://me:" CANARY "-" CANARY "@h.example.org", blanks, "x");
		assert_true(!strstr(err.msg, CANARY) || strstr(err.msg, CANARY "@h.example.org"));
		err_hint(&err, "%*s https://me:" CANARY "-" CANARY "@h.example.org", blanks, "x");
		assert_true(!strstr(err.hint, CANARY) || strstr(err.hint, CANARY "@h.example.org"));
		err_set(&err, ERR_NET, "https://me:" CANARY "-" CANARY "@h.example.org");
		err_context(&err, "%*s", blanks, "x");
		assert_true(!strstr(err.msg, CANARY) || strstr(err.msg, CANARY "@h.example.org"));
	}
}

/* ---- work -------------------------------------------------------------------------- */

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A text of that length: first once, then the other over and over, then last once. */
static void fill(char *text, size_t len, const char *const parts[3])
{
	size_t first = strlen(parts[0]), each = strlen(parts[1]), last = strlen(parts[2]);

	for (size_t i = 0; i < len; i++)
		text[i] = i < first ? parts[0][i] : i + last >= len ? parts[2][i + last - len] : parts[1][(i - first) % each];
}

/*
 * What is not linear takes minutes for a text of half a megabyte, what is some milliseconds: between them there is room
 * for every sanitizer and for a busy machine.  Each of three pieces of a text is any of these.
 */
static void test_linear(void **state)
{
	enum { LEN = 512 * 1024 };
	static const char *const pieces[] = {
		"", "@", "://", ":\\/\\/", ":", "a:", "a:b@", "x@", "/", "\\", "?", "#", "&", "=", "?sig=", "%26", "%3D", "\\u0026", "\\u003d",
		"sig", ";token=a", "http://u:p@", "https://a", "kind", "kind: ", "kind: Secret", "kind:\\", "data", "data:", "Secret", " ", "\n", "(", "]",
		"@sha256:", "serviceAccount:", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};
	char *text = malloc(LEN);

	(void)state;
	assert_non_null(text);
	for (size_t a = 0; a < COUNT(pieces); a++)
		for (size_t b = 1; b < COUNT(pieces); b++) {
			const char *const parts[] = { pieces[a], pieces[b], pieces[(a * 7 + b * 3) % COUNT(pieces)] };
			struct buf log = { 0 };
			double start;

			/* all pairs are tried with a short text, some with a long one */
			size_t len = (a + b) % 16 ? LEN / 64 : LEN;

			fill(text, len, parts);
			buf_add(&log, (struct str){ text, len });
			start = cpu();
			redact_text(text, len);
			redact_log(&log, 0);
			if (cpu() - start > 2)
				fail_msg("\"%s\", then \"%s\", then \"%s\": %.1f s for %zu bytes", parts[0], parts[1], parts[2], cpu() - start, len);
			buf_release(&log);
		}
	free(text);
}

/* The quick look is never wrong: wherever a credential stands, whatever is its neighbour, it is found. */
static void test_quick_look(void **state)
{
	static const char *const found[] = { "u:p@h", "?sig=a", "\\u0026sig=a", "%3Fsig=a", "Secret" };
	static const char *const lost[] = { "@sha256:", "? sig=a", "#a=b", "\\u002", "Secre", ";x", "%", "@sha512:0" };
	char text[300];

	(void)state;
	for (size_t at = 0; at < 260; at++)
		for (size_t i = 0; i < COUNT(found) + COUNT(lost); i++) {
			const char *piece = i < COUNT(found) ? found[i] : lost[i - COUNT(found)];

			memset(text, 'x', sizeof(text));
			memcpy(text + at, piece, strlen(piece));
			for (size_t len = at + strlen(piece); len < sizeof(text); len += 13)
				assert_int_equal(redact_may_hide((struct str){ text, len }), i < COUNT(found));
		}
}

/* ---- by the names of fields ------------------------------------------------- */

static void test_names_of_credentials(void **state)
{
	static const char *const are[] = {
		"password", "adminPassword", "DB_PASSWORD", "MYSQL_PWD", "dbPass", "db.pass", "passwd", "secret", "clientSecret",
		"CLIENT_SECRET", "AUTH_SECRET", "token", "--token", "GITHUB_TOKEN", "apiKey", "API-KEY", "AWS_SECRET_ACCESS_KEY",
		"privateKey", "ssh-privatekey", "credentials", "connectionString", "CONNECTION_STRING", "Authorization", "PSK"
	};
	static const char *const are_not[] = {
		"", "s", "secretName", "secretRef", "passwordSecretRef", "passwordSecret", "existingSecret", "imagePullSecret",
		"tokenExpirationSeconds", "maxTokens", "key", "keyName", "bypass", "compass", "accessKeyId", "secretKeyRef", "credentialsRef",
		"automount", "passwordLength", "image", "tokenPath"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(are); i++)
		if (!redact_names_credential(str_of(are[i])))
			fail_msg("%s names a credential", are[i]);
	for (size_t i = 0; i < COUNT(are_not); i++)
		if (redact_names_credential(str_of(are_not[i])))
			fail_msg("%s names none", are_not[i]);
}

static void test_what_is_assigned(void **state)
{
	static const struct {
		const char *text, *told;
	} cases[] = {
		{ "", "" },
		{ "--level=2", "--level=2" },
		{ "--password=" CANARY, "--password=(hidden)" },
		{ "mysql -u a --password " CANARY " db", "mysql -u a --password (hidden) db" },
		{ "--token --verbose", "--token --verbose" },
		{ "the password " CANARY, "the password " CANARY },	/* words, and no flag */
		{ "PGPASSWORD=" CANARY " psql -h db", "PGPASSWORD=(hidden) psql -h db" },
		{ "PGPASSWORD='" CANARY " " CANARY "' psql\nexit", "PGPASSWORD=(hidden)\nexit" },
		{ "host=db password = " CANARY " port=1", "host=db password = (hidden) port=1" },
		{ "user: a\npassword: " CANARY " " CANARY "\nport: 1", "user: a\npassword: (hidden)\nport: 1" },
		{ "password: |\n  " CANARY "\nport: 1", "password: (hidden)" },
		{ "{\"user\":\"a\",\"password\":\"" CANARY "\"}", "{\"user\":\"a\",\"password\":(hidden)" },
		{ "{\\\"token\\\" : \\\"" CANARY "\\\"}\nx", "{\\\"token\\\" : (hidden)\nx" },
		{ "--password=$(DB_PASSWORD) TOKEN=${TOKEN}", "--password=$(DB_PASSWORD) TOKEN=${TOKEN}" },
		{ "password=", "password=" },
		{ "secretName: a\npasswordSecretRef: b", "secretName: a\npasswordSecretRef: b" },
	};
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		buf_reset(&out);
		redact_assigned(str_of(cases[i].text), &out);
		assert_string_equal(buf_cstr(&out), cases[i].told);
	}
	buf_release(&out);
}

/* The keys of two elements, an array's key, a key of a Secret, a private key: all that tells it but the name of the field. */
static void test_where_a_value_stands(void **state)
{
	static const char before[] =
		"{\"env\":[{\"name\":\"A\",\"value\":\"a\"},{\"name\":\"API_TOKEN\",\"value\":\"" CANARY "1\"}],"
		"\"tokens\":[\"" CANARY "1\"],\"password\":{\"value\":\"" CANARY "1\"},\"pin\":{\"password\":11111},\"mountToken\":true,"
		"\"data\":[{\"secretKey\":\"k1\",\"remoteRef\":{\"key\":\"r1\"}}],\"pem\":\"-----BEGIN RSA PRIVATE KEY-----1\"}";
	static const char after[] =
		"{\"env\":[{\"name\":\"A\",\"value\":\"b\"},{\"name\":\"API_TOKEN\",\"value\":\"" CANARY "2\"}],"
		"\"tokens\":[\"" CANARY "2\"],\"password\":{\"value\":\"" CANARY "2\"},\"pin\":{\"password\":22222},\"mountToken\":false,"
		"\"data\":[{\"secretKey\":\"k2\",\"remoteRef\":{\"key\":\"r2\"}}],\"pem\":\"-----BEGIN RSA PRIVATE KEY-----2\"}";
	struct arena arena = { 0 };
	struct buf told = { 0 };
	const struct changed_field *fields;
	size_t n;

	(void)state;
	n = json_changed_fields(str_of(before), str_of(after), JSON_BY_POSITION, &arena, &fields);
	for (size_t i = 0; i < n; i++)
		buf_printf(&told, STR_FMT " " STR_FMT " " STR_FMT "\n", STR_ARG(fields[i].path), STR_ARG(fields[i].before),
			   STR_ARG(fields[i].after));
	assert_string_equal(buf_cstr(&told),
			    "env[0].value a b\nenv[1].value (hidden) (hidden)\ntokens (hidden) (hidden)\npassword.value (hidden) (hidden)\n"
			    "pin.password (hidden) (hidden)\nmountToken true false\ndata[0].secretKey k1 k2\ndata[0].remoteRef.key r1 r2\n"
			    "pem (hidden) (hidden)\n");
	arena_release(&arena);
	buf_release(&told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_canary),
		cmocka_unit_test(test_what_hides),
		cmocka_unit_test(test_kind_from_outside),
		cmocka_unit_test(test_all_else_stays),
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_manifests),
		cmocka_unit_test(test_logs),
		cmocka_unit_test(test_identities),
		cmocka_unit_test(test_errors_that_are_cut),
		cmocka_unit_test(test_names_of_credentials),
		cmocka_unit_test(test_what_is_assigned),
		cmocka_unit_test(test_where_a_value_stands),
		cmocka_unit_test(test_linear),
		cmocka_unit_test(test_quick_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

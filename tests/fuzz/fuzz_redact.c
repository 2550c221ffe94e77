/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever its structure, no value of a Secret survives: every text at its leaves
 * below a map of that kind is one canary, and none may be in what comes out.
 * Whatever stands before and behind it, no credential within a text survives.
 */
#include "kube/base/redact.h"
#include "plugin/record/redact_object.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Not the beginning of a digit: what is written as \u061c is none. */
#define CANARY "k4n4ry"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_secret(struct json object)
{
	json_foreach(it, object)
		if (str_is(json_key(it), "kind") && str_is(json_str(it, ""), "Secret"))
			return true;
	return false;
}

static bool is_hidden(struct str key)
{
	return str_is(key, "data") || str_is(key, "stringData") || str_is(key, "annotations");
}

/* The same structure, with the canary for each value that must not come out. */
static void plant(struct buf *out, struct json value, bool hidden)
{
	bool object = json_is_object(value), secret = object && is_secret(value);

	if (object || json_is_array(value)) {
		buf_add_char(out, object ? '{' : '[');
		json_foreach(it, value) {
			struct str name = json_key(it);
			bool metadata = secret && str_is(name, "metadata") && json_is_object(it);

			json_begin(out, object ? name.ptr : NULL);
			if (metadata && json_is_object(json_at(it, "annotations"))) {
				buf_add_cstr(out, "{\"annotations\":");
				plant(out, json_at(it, "annotations"), true);
				buf_add_char(out, '}');
			} else {
				plant(out, it, hidden || (secret && is_hidden(name)));
			}
		}
		buf_add_char(out, object ? '}' : ']');
	} else if (json_type(value) == JSON_STRING) {
		json_quote(out, hidden ? STR(CANARY) : json_str(value, ""), JSON_QUOTE_TERMINAL);
	} else {
		buf_add(out, json_type(value) == JSON_NUMBER ? json_digits(value) : STR("null"));
	}
}

static void check(struct json doc)
{
	struct buf out = { 0 }, again = { 0 };
	struct json back;

	redact_object(doc, NULL, &out);
	if (str_contains(buf_str(&out), CANARY) || json_parse(buf_str(&out), &back, NULL) < 0)
		abort();
	/* and there is nothing left to take away */
	redact_object(back, NULL, &again);
	if (!str_eq(buf_str(&out), buf_str(&again)))
		abort();
	json_free(back);
	/* where nothing is hidden, the shorter way writes the same */
	buf_reset(&again);
	if (!redact_hides(doc, NULL))
		redact_plain(doc, NULL, &again);
	if (again.len && !str_eq(buf_str(&out), buf_str(&again)))
		abort();
	buf_release(&out);
	buf_release(&again);
}

/* ---- texts ------------------------------------------------------------------- */

/* Redacted in a copy of its own size, so that a sanitizer sees every step beyond it. */
static void redacted(struct str text, struct buf *out)
{
	char *copy = malloc(text.len ? text.len : 1);

	if (!copy)
		abort();
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	buf_reset(out);
	buf_add(out, redact_text(copy, text.len));
	free(copy);
}

static void plant_in_text(struct str text)
{
	static const char *const forms[] = {
		"https://u:" CANARY "@h", "Https://" CANARY "@h/?a=b", "u:" CANARY "@h", "x:\\/\\/u:" CANARY "@h", "/?sig=" CANARY,
		"?a=b\\u0026TOKEN=" CANARY, "https://h/p;password=" CANARY "&a=b", "#access_token=" CANARY, "%3Fsecret%3D" CANARY "%26a",
		"?x-Amz-Signature\\u003d" CANARY "\\u0026", "{\"kind\":\"Secret\",\"data\":{\"k\":\"" CANARY "\"}}",
		"\"{\\\"kind\\\":\\\"Secret\\\",\\\"stringData\\\":{\\\"k\\\":\\\"" CANARY "\\\"}}\"",
		"\nkind: Secret\ndata:\n  k: " CANARY,
	};
	struct buf all = { 0 }, out = { 0 };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		buf_reset(&all);
		buf_add(&all, str_head(text, text.len / 2));
		buf_printf(&all, "\n%s\n", forms[i]);
		buf_add(&all, str_from(text, text.len / 2));
		redacted(buf_str(&all), &out);
		if (str_contains(buf_str(&out), CANARY))
			abort();
		redact_log(&all, 0);
		if (str_contains(buf_str(&all), CANARY))
			abort();
	}
	buf_release(&all);
	buf_release(&out);
}

/* Whatever stands before and behind it, what is given to a name of a credential does not come out. */
static void plant_assigned(struct str text)
{
	static const char *const forms[] = {
		"--password=" CANARY, "--db-token " CANARY " x", "a PGPASSWORD=" CANARY " b", "password: " CANARY " " CANARY,
		"{\"a\":1,\"apiKey\":\"x" CANARY "\",\"b\":2}", "\\\"secret\\\":\\\"" CANARY "\\\"", "token='a " CANARY "'",
	};
	struct buf all = { 0 }, out = { 0 };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		buf_reset(&all);
		buf_reset(&out);
		buf_add(&all, str_head(text, text.len / 2));
		buf_printf(&all, "\n%s\n", forms[i]);
		buf_add(&all, str_from(text, text.len / 2));
		redact_assigned(buf_str(&all), &out);
		if (str_contains(buf_str(&out), CANARY))
			abort();
	}
	buf_release(&all);
	buf_release(&out);
}

/*
 * What is redacted has nothing more to hide, and is as long, unless it is left out as a whole.  A text is redacted as it is
 * where the next line makes sure of a closer look: the quick look has missed nothing.
 */
static void check_text(struct str text)
{
	struct buf once = { 0 }, again = { 0 }, longer = { 0 };

	redacted(text, &once);
	redacted(buf_str(&once), &again);
	if (!str_eq(buf_str(&once), buf_str(&again)) || (!redact_may_hide(text) && !str_eq(text, buf_str(&once))))
		abort();
	buf_add(&longer, text);
	buf_add_cstr(&longer, "\n?sig=a");
	redacted(buf_str(&longer), &again);
	/* data: at its end has no value but the next line */
	if (!str_starts(buf_str(&again), "(left out: ")) {
		if (once.len != text.len || !str_eq(str_head(buf_str(&again), text.len), buf_str(&once)) || !str_ends(buf_str(&again), "\n?sig=*"))
			abort();
	}
	buf_release(&once);
	buf_release(&again);
	buf_release(&longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf planted = { 0 };
	struct json doc;

	check_text((struct str){ (const char *)data, size });
	if (!str_contains((struct str){ (const char *)data, size }, "k4")) {
		plant_in_text((struct str){ (const char *)data, size });
		plant_assigned((struct str){ (const char *)data, size });
	}
	if (json_parse((struct str){ (const char *)data, size }, &doc, NULL) < 0)
		return 0;
	if (json_is_object(doc) && !str_contains((struct str){ (const char *)data, size }, "k4")) {
		plant(&planted, doc, false);
		json_free(doc);
		if (json_parse(buf_str(&planted), &doc, NULL) < 0)
			abort();
		check(doc);
	}
	json_free(doc);
	buf_release(&planted);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A document is taken where json.h takes it, says the same, and what is written of it is read again. */
#include "kube/base/limits.h"
#include "kube/model/document.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void compare(struct document document, struct json json)
{
	struct document d = document_first(document);
	struct json j = json_first(json);

	must(document_type(document) == json_type(json));
	must(str_eq(document_str(document, ""), json_str(json, "")));
	must(str_eq(document_key(document), json_key(json)));
	must(document_int(document, "", -1) == json_int(json, "", -1));
	must(document_bool(document, "", false) == json_bool(json, "", false));
	must(document_has(document, "") == json_has(json, ""));
	for (; d.node && j.node; d = document_next(d), j = json_next(j))
		compare(d, j);
	must(!d.node && !j.node);
}

/* Members are looked up by name as they are in json.h. */
static void look_up(struct document document, struct json json)
{
	struct json j = json_first(json);

	if (json_count(json) > 32)	/* more of them json_member() may find otherwise */
		return;
	for (; j.node; j = json_next(j))
		if (json_is_object(json))
			compare(document_member(document, json_key(j)), json_member(json, json_key(j)));
}

/* As a value of a document of ours, with its texts. */
static void add(struct document to, const char *key, struct document value)
{
	struct document inner;

	switch (document_type(value)) {
	case JSON_OBJECT:	/* keys of others are no keys of ours */
	case JSON_ARRAY:
		inner = document_add_array(to, key);
		document_foreach(it, value)
			add(inner, NULL, it);
		break;
	case JSON_STRING:
		document_add_string(to, key, document_str(value, ""));
		break;
	case JSON_NUMBER:
		document_add_int(to, key, document_int(value, "", 0));
		break;
	default:
		document_add_bool(to, key, document_bool(value, "", false));
		break;
	}
}

/* One level deeper than it was, which may be one too many. */
static bool read_back(const struct buf *text, struct document *out)
{
	struct err why;

	if (document_read_verbatim(buf_str(text), out, &why) == 0)
		return true;
	must(str_starts(str_of(why.msg), "nested too deep"));
	return false;
}

static void write_again(struct document document)
{
	struct document ours = document_object(), back;
	struct buf line = { 0 }, printed = { 0 };
	struct json json;

	add(ours, "value", document);
	document_write(ours, &line);
	document_print(ours, &printed);
	document_free(ours);
	must(json_parse_verbatim(buf_str(&line), &json, NULL) == 0);
	if (read_back(&printed, &back)) {
		compare(back, json);
		document_free(back);
	}
	json_free(json);
	buf_release(&line);
	buf_release(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct document document;
	struct err why = { 0 };
	struct json json;
	bool good = json_parse_verbatim(text, &json, NULL) == 0;

	if (document_read_verbatim(text, &document, &why) == 0) {
		must(good);
		compare(document, json);
		look_up(document, json);
		write_again(document);
		document_free(document);
		must(document_read(text, &document, NULL) == 0);
		document_free(document);
	} else if (good) {
		must(!str_starts(str_of(why.msg), "not JSON"));	/* but a ceiling, or a NUL */
		if (document_read(text, &document, NULL) == 0)
			document_free(document);
	}
	if (good)
		json_free(json);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A document is taken where json.h takes it, and what is written of it, on one line and indented, is read again as the same. */
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

static void compare(struct json a, struct json b)
{
	struct json x = json_first(a), y = json_first(b);

	must(json_type(a) == json_type(b) && json_int(a, "", -1) == json_int(b, "", -1) && json_bool(a, "", false) == json_bool(b, "", false));
	must(str_eq(json_str(a, ""), json_str(b, "")) && str_eq(json_key(a), json_key(b)));
	for (; x.node && y.node; x = json_next(x), y = json_next(y))
		compare(x, y);
	must(!x.node && !y.node);
}

/* As a value of a document of ours, with its texts. */
static void add(struct document to, const char *key, struct json value)
{
	struct document inner;

	switch (json_type(value)) {
	case JSON_OBJECT:	/* keys of others are no keys of ours */
	case JSON_ARRAY:
		inner = document_add_array(to, key);
		json_foreach(it, value)
			add(inner, NULL, it);
		break;
	case JSON_STRING:
		document_add_string(to, key, json_str(value, ""));
		break;
	case JSON_NUMBER:
		document_add_int(to, key, json_int(value, "", 0));
		break;
	default:
		document_add_bool(to, key, json_bool(value, "", false));
		break;
	}
}

/* One level deeper than it was, which may be one too many. */
static bool read_back(const struct buf *text, struct json *out)
{
	struct err why;

	if (json_parse_verbatim(buf_str(text), out, &why) == 0)
		return true;
	must(str_starts(str_of(why.msg), "it is nested deeper"));
	return false;
}

static void write_again(struct json document)
{
	struct document ours = document_object();
	struct buf line = { 0 }, printed = { 0 };
	struct json one, other;

	add(ours, "value", document);
	document_write(ours, &line);
	document_print(ours, &printed);
	document_free(ours);
	if (read_back(&line, &one)) {
		must(read_back(&printed, &other));
		compare(one, other);
		json_free(one);
		json_free(other);
	}
	buf_release(&line);
	buf_release(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct json document, json;
	struct err why = { 0 };
	bool good = json_parse_verbatim(text, &json, NULL) == 0;

	if (document_read_verbatim(text, &document, &why) == 0) {
		must(good);
		compare(document, json);
		write_again(document);
		json_free(document);
		must(document_read(text, &document, NULL) == 0);
		json_free(document);
	} else if (good) {
		must(!str_starts(str_of(why.msg), "not JSON"));	/* but a ceiling, or a NUL */
		if (document_read(text, &document, NULL) == 0)
			json_free(document);
	}
	if (good)
		json_free(json);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config/gojson.h"

#include "kube/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

/* Whole numbers as they are written, others in as few digits as they need. */
static void add_number(struct buf *out, struct json value)
{
	struct str digits = json_digits(value);
	double number = json_number(value, "", 0);
	size_t i = str_starts(digits, "-");
	char text[32];
	int n = 15;

	while (i < digits.len && digits.ptr[i] >= '0' && digits.ptr[i] <= '9')
		i++;
	if (i == digits.len) {
		buf_add(out, digits);
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*g", n, number);
	while (n++ < 17 && strtod(text, NULL) != number);
	buf_add_cstr(out, text);
}

static void add_array(struct buf *out, struct json value)
{
	bool first = true;

	buf_add_char(out, '[');
	json_foreach(it, value) {
		if (!first)
			buf_add_char(out, ',');
		first = false;
		gojson_value(out, it);
	}
	buf_add_char(out, ']');
}

static int by_key(const void *a, const void *b)
{
	return str_cmp(json_key(*(const struct json *)a), json_key(*(const struct json *)b));
}

static void add_object(struct buf *out, struct json value)
{
	size_t n = json_count(value), i = 0;
	struct json *members = xcalloc(n, sizeof(*members));

	json_foreach(it, value)
		members[i++] = it;
	qsort(members, n, sizeof(*members), by_key);
	buf_add_char(out, '{');
	for (i = 0; i < n; i++) {
		if (i)
			buf_add_char(out, ',');
		json_quote(out, json_key(members[i]), JSON_QUOTE_GO);
		buf_add_char(out, ':');
		gojson_value(out, members[i]);
	}
	buf_add_char(out, '}');
	xfree(members);
}

void gojson_value(struct buf *out, struct json value)
{
	switch (json_type(value)) {
	case JSON_ABSENT:
	case JSON_NULL:
		buf_add_cstr(out, "null");
		break;
	case JSON_BOOL:
		buf_add_cstr(out, json_bool(value, "", false) ? "true" : "false");
		break;
	case JSON_NUMBER:
		add_number(out, value);
		break;
	case JSON_STRING:
		json_quote(out, json_str(value, ""), JSON_QUOTE_GO);
		break;
	case JSON_ARRAY:
		add_array(out, value);
		break;
	case JSON_OBJECT:
		add_object(out, value);
		break;
	}
}

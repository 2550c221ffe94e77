/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/model/kyaml.h"

#include "kube/base/utf8.h"
#include "kube/model/yaml_scalar.h"


#define FOLD "\\\n"	/* in a text: the line ends here, and the text does not */

static void put_indent(struct buf *out, unsigned level)
{
	for (unsigned i = 0; i < level; i++)
		buf_add_cstr(out, "  ");
}

/* ---- texts ----------------------------------------------------------------- */

/* Words that some reader takes for a boolean or a number, beside those that YAML 1.1 knows. */
static bool is_guessed(struct str s)
{
	static const char *const words[] = { "t", "f", "inf", "infinity", "nan" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_eq_nocase(s, str_of(words[i])))
			return true;
	return scalar_needs_quotes(s);
}

static bool key_needs_quotes(struct str key)
{
	for (size_t i = 0; i < key.len; i++) {
		char c = key.ptr[i];
		bool word = is_alnum(c) || c == '_';

		if (!word && (i == 0 || i + 1 == key.len || (c != '-' && c != '.' && c != '/')))
			return true;
	}
	return key.len == 0 || is_guessed(key);
}

/* Returns what stands behind the backslash for a character that has a letter of its own; 0: it has none. */
static char letter_of(uint32_t rune)
{
	static const struct {
		uint32_t rune;
		char letter;
	} letters[] = { { 0, '0' }, { 7, 'a' }, { 8, 'b' }, { 9, 't' }, { 10, 'n' }, { 11, 'v' }, { 12, 'f' }, { 13, 'r' },
			{ 27, 'e' }, { '"', '"' }, { '\\', '\\' }, { 0x85, 'N' }, { 0xA0, '_' }, { 0x2028, 'L' }, { 0x2029, 'P' } };

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].rune == rune)
			return letters[i].letter;
	return 0;
}

static void put_rune(struct buf *out, uint32_t rune)
{
	char utf8[4], letter = letter_of(rune);

	if (letter)
		buf_printf(out, "\\%c", letter);
	else if (!utf8_hostile(rune))
		buf_add(out, (struct str){ utf8, utf8_put(rune, utf8) });
	else if (rune < 0x80)
		buf_printf(out, "\\x%02x", (unsigned)rune);
	else
		buf_printf(out, rune < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)rune);
}

/* Text of several lines has each on a line of its own, one blank further in: white space before it would be skipped. */
static void put_lines(struct buf *out, struct str text, unsigned level)
{
	bool begins = true;

	buf_add_cstr(out, "\"" FOLD);
	for (size_t at = 0; at < text.len;) {
		uint32_t rune = json_rune(text, &at);

		if (begins)
			put_indent(out, level);
		if (begins)
			buf_add_char(out, rune == ' ' ? '\\' : ' ');
		put_rune(out, rune);
		begins = rune == '\n';
		if (begins)
			buf_add_cstr(out, FOLD);
	}
	if (!begins)
		buf_add_cstr(out, FOLD);
	put_indent(out, level);
	buf_add_char(out, '"');
}

static void put_quoted(struct buf *out, struct str text)
{
	buf_add_char(out, '"');
	for (size_t at = 0; at < text.len;)
		put_rune(out, json_rune(text, &at));
	buf_add_char(out, '"');
}

static void put_text(struct buf *out, struct str text, unsigned level)
{
	if (str_find(text, '\n') < text.len)
		put_lines(out, text, level);
	else
		put_quoted(out, text);
}

/* ---- values ---------------------------------------------------------------- */

static void put_value(struct buf *out, struct json value, unsigned level);

static void put_object(struct buf *out, struct json value, unsigned level)
{
	if (!json_first(value).node) {
		buf_add_cstr(out, "{}");
		return;
	}
	buf_add_cstr(out, "{\n");
	json_foreach(member, value) {
		put_indent(out, level + 1);
		if (key_needs_quotes(json_key(member)))
			put_quoted(out, json_key(member));
		else
			buf_add(out, json_key(member));
		buf_add_cstr(out, ": ");
		put_value(out, member, level + 1);
		buf_add_cstr(out, ",\n");
	}
	put_indent(out, level);
	buf_add_char(out, '}');
}

/* An array of nothing but objects and arrays has its brackets beside theirs, and no line for itself. */
static bool is_cuddled(struct json value)
{
	json_foreach(it, value)
		if (!json_is_object(it) && !json_is_array(it))
			return false;
	return true;
}

static void put_array(struct buf *out, struct json value, unsigned level)
{
	bool cuddled = is_cuddled(value);

	buf_add_cstr(out, cuddled ? "[" : "[\n");
	json_foreach(it, value) {
		if (!cuddled)
			put_indent(out, level + 1);
		put_value(out, it, cuddled ? level : level + 1);
		if (!cuddled || json_next(it).node)
			buf_add_cstr(out, cuddled ? ", " : ",\n");
	}
	if (!cuddled)
		put_indent(out, level);
	buf_add_char(out, ']');
}

static void put_value(struct buf *out, struct json value, unsigned level)
{
	switch (json_type(value)) {
	case JSON_OBJECT:
		put_object(out, value, level);
		break;
	case JSON_ARRAY:
		put_array(out, value, level);
		break;
	case JSON_STRING:
		put_text(out, json_str(value, ""), level + 1);
		break;
	case JSON_NUMBER:
		buf_add(out, json_digits(value));
		break;
	case JSON_BOOL:
		buf_add_cstr(out, json_bool(value, "", false) ? "true" : "false");
		break;
	case JSON_NULL:
	case JSON_ABSENT:
		buf_add_cstr(out, "null");
		break;
	}
}

void kyaml_from_json(struct json value, struct buf *out)
{
	buf_add_cstr(out, "---\n");
	put_value(out, value, 0);
	buf_add_char(out, '\n');
}

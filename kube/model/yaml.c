/* SPDX-License-Identifier: Apache-2.0 */
/* The one file that knows libyaml. */
#include "kube/model/yaml.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/map.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* Aliases may repeat what stands once: this many nodes are written at most. */
#define NODE_BUDGET 20000000u

struct writer {
	yaml_document_t *document;
	struct buf *out;
	uint32_t budget;
	int depth;
	struct err *err;
};

enum scalar { SCALAR_STRING, SCALAR_NULL, SCALAR_TRUE, SCALAR_FALSE, SCALAR_INT, SCALAR_FLOAT };

static bool one_of(struct str s, const char *const *words)
{
	for (; *words; words++)
		if (str_is(s, *words))
			return true;
	return false;
}

static bool all_in(struct str s, const char *set)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == '\0' || !strchr(set, s.ptr[i]))
			return false;
	return s.len > 0;
}

static struct str without_sign(struct str s)
{
	return s.len && (s.ptr[0] == '-' || s.ptr[0] == '+') ? str_from(s, 1) : s;
}

static bool is_int(struct str s)
{
	s = without_sign(s);
	if (str_starts(s, "0x"))
		return all_in(str_from(s, 2), "0123456789abcdefABCDEF_");
	if (str_starts(s, "0b"))
		return all_in(str_from(s, 2), "01_");
	if (str_starts(s, "0o"))
		return all_in(str_from(s, 2), "01234567_");
	return s.len && isdigit((unsigned char)s.ptr[0]) && all_in(s, "0123456789_");
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool is_float(struct str s)
{
	size_t i = 0, whole = 0, part = 0, exponent = 0;

	s = without_sign(s);
	for (; i < s.len && isdigit((unsigned char)s.ptr[i]); i++)
		whole++;
	if (i < s.len && s.ptr[i] == '.')
		for (i++; i < s.len && isdigit((unsigned char)s.ptr[i]); i++)
			part++;
	if (whole + part == 0)
		return false;
	if (i == s.len)
		return true;
	if (s.ptr[i] != 'e' && s.ptr[i] != 'E')
		return false;
	i++;
	if (i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+'))
		i++;
	for (; i < s.len && isdigit((unsigned char)s.ptr[i]); i++)
		exponent++;
	return i == s.len && exponent > 0;
}

/* resolve.go of go-yaml v2: what a plain scalar means. */
static enum scalar resolve(struct str s)
{
	static const char *const yes[] = { "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE",
					   "on", "On", "ON", NULL };
	static const char *const no[] = { "n", "N", "no", "No", "NO", "false", "False", "FALSE",
					  "off", "Off", "OFF", NULL };
	static const char *const null[] = { "", "~", "null", "Null", "NULL", NULL };

	if (one_of(s, null))
		return SCALAR_NULL;
	if (one_of(s, yes))
		return SCALAR_TRUE;
	if (one_of(s, no))
		return SCALAR_FALSE;
	if (is_int(s))
		return SCALAR_INT;
	return is_float(s) ? SCALAR_FLOAT : SCALAR_STRING;
}

static void write_string(struct buf *out, struct str s)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < 0x20)
			buf_printf(out, "\\u%04x", c);
		else
			buf_add_char(out, (char)c);
	}
	buf_add_char(out, '"');
}

/* Any of YAML's integers as JSON's decimal. */
static void write_int(struct buf *out, struct str s)
{
	struct str rest = without_sign(s);
	unsigned base = 10;
	uint64_t value = 0;

	if (rest.len > 1 && rest.ptr[0] == '0') {
		base = rest.ptr[1] == 'x' ? 16 : rest.ptr[1] == 'b' ? 2 : 8;
		rest = str_from(rest, isdigit((unsigned char)rest.ptr[1]) ? 1 : 2);
	}
	if (s.ptr[0] == '-')
		buf_add_char(out, '-');
	for (size_t i = 0; i < rest.len; i++) {
		unsigned char c = (unsigned char)rest.ptr[i];

		if (base == 10 && c != '_')
			buf_add_char(out, (char)c);
		else if (c != '_')
			value = value * base + (unsigned)(isdigit(c) ? c - '0' : (tolower(c) - 'a') + 10);
	}
	if (base != 10)
		buf_printf(out, "%llu", (unsigned long long)value);
}

static void write_float(struct buf *out, struct str s)
{
	struct str rest = without_sign(s);

	if (s.ptr[0] == '-')
		buf_add_char(out, '-');
	if (rest.ptr[0] == '.')
		buf_add_char(out, '0');
	for (size_t i = 0; i < rest.len; i++) {
		bool bare_dot = rest.ptr[i] == '.' &&
				(i + 1 == rest.len || !isdigit((unsigned char)rest.ptr[i + 1]));

		if (!bare_dot)
			buf_add_char(out, rest.ptr[i]);
	}
}

static struct str scalar_text(const yaml_node_t *node)
{
	return (struct str){ (const char *)node->data.scalar.value, node->data.scalar.length };
}

static enum scalar scalar_of(const yaml_node_t *node)
{
	const char *tag = (const char *)node->tag;

	if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return SCALAR_STRING;
	if (tag && strcmp(tag, YAML_STR_TAG) == 0 && str_empty(scalar_text(node)))
		return SCALAR_NULL;
	return resolve(scalar_text(node));
}

static void write_scalar(struct buf *out, const yaml_node_t *node)
{
	struct str text = scalar_text(node);

	switch (scalar_of(node)) {
	case SCALAR_NULL:
		buf_add_cstr(out, "null");
		break;
	case SCALAR_TRUE:
		buf_add_cstr(out, "true");
		break;
	case SCALAR_FALSE:
		buf_add_cstr(out, "false");
		break;
	case SCALAR_INT:
		write_int(out, text);
		break;
	case SCALAR_FLOAT:
		write_float(out, text);
		break;
	case SCALAR_STRING:
		write_string(out, text);
		break;
	}
}

static int write_node(struct writer *w, const yaml_node_t *node);

static int write_sequence(struct writer *w, const yaml_node_t *node)
{
	const yaml_node_item_t *item = node->data.sequence.items.start;

	buf_add_char(w->out, '[');
	for (; item < node->data.sequence.items.top; item++) {
		if (item > node->data.sequence.items.start)
			buf_add_char(w->out, ',');
		if (write_node(w, yaml_document_get_node(w->document, *item)) < 0)
			return -1;
	}
	buf_add_char(w->out, ']');
	return 0;
}

static int collect(struct writer *w, const yaml_node_t *mapping, bool merged, struct map *members);

/* The value of "<<": a mapping, or a sequence of them; the first one that has a key wins. */
static int collect_merged(struct writer *w, const yaml_node_t *from, struct map *members)
{
	if (from->type == YAML_MAPPING_NODE)
		return collect(w, from, true, members);
	if (from->type != YAML_SEQUENCE_NODE)
		return err_set(w->err, ERR_INPUT, "yaml: line %zu: map merge requires map or sequence of maps as the value",
			       from->start_mark.line + 1);
	for (const yaml_node_item_t *it = from->data.sequence.items.start;
	     it < from->data.sequence.items.top; it++) {
		const yaml_node_t *one = yaml_document_get_node(w->document, *it);

		if (one->type == YAML_MAPPING_NODE && collect(w, one, true, members) < 0)
			return -1;
	}
	return 0;
}

/* Key to node; a mapping's own keys win over merged ones, the last of equal ones wins. */
static int collect(struct writer *w, const yaml_node_t *mapping, bool merged, struct map *members)
{
	if (++w->depth > LIMIT_DEPTH)
		return err_set(w->err, ERR_INPUT, "yaml: nested deeper than %d levels", LIMIT_DEPTH);
	for (yaml_node_pair_t *p = mapping->data.mapping.pairs.start;
	     p < mapping->data.mapping.pairs.top; p++) {
		yaml_node_t *key = yaml_document_get_node(w->document, p->key);
		yaml_node_t *value = yaml_document_get_node(w->document, p->value);

		if (w->budget == 0)
			return err_set(w->err, ERR_INPUT, "yaml: document contains excessive aliasing");
		w->budget--;
		if (key->type != YAML_SCALAR_NODE)
			return err_set(w->err, ERR_INPUT, "yaml: line %zu: a key is no scalar",
				       key->start_mark.line + 1);
		if (key->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && str_is(scalar_text(key), "<<")) {
			if (collect_merged(w, value, members) < 0)
				return -1;
		} else if (!merged || !map_get(members, scalar_text(key))) {
			map_set(members, scalar_text(key), value);
		}
	}
	w->depth--;
	return 0;
}

static int write_mapping(struct writer *w, const yaml_node_t *node)
{
	struct map members = { 0 };
	int result = collect(w, node, false, &members);
	bool first = true;

	buf_add_char(w->out, '{');
	for (struct map_entry *e = map_next(&members, NULL); e && result == 0; e = map_next(&members, e)) {
		if (!first)
			buf_add_char(w->out, ',');
		first = false;
		write_string(w->out, map_key(e));
		buf_add_char(w->out, ':');
		result = write_node(w, map_value(e));
	}
	buf_add_char(w->out, '}');
	map_release(&members);
	return result;
}

static int write_node(struct writer *w, const yaml_node_t *node)
{
	int result = 0;

	if (w->budget == 0)
		return err_set(w->err, ERR_INPUT, "yaml: document contains excessive aliasing");
	w->budget--;
	if (++w->depth > LIMIT_DEPTH)
		return err_set(w->err, ERR_INPUT, "yaml: nested deeper than %d levels", LIMIT_DEPTH);
	if (node->type == YAML_SCALAR_NODE)
		write_scalar(w->out, node);
	else if (node->type == YAML_SEQUENCE_NODE)
		result = write_sequence(w, node);
	else
		result = write_mapping(w, node);
	w->depth--;
	if (result == 0 && w->out->failed)
		return err_set(w->err, ERR_INPUT, "yaml: document is larger than %zu MiB", w->out->max / MIB(1));
	return result;
}

static int parser_error(const yaml_parser_t *parser, struct err *err)
{
	size_t line = parser->problem_mark.line ? parser->problem_mark.line : parser->context_mark.line;

	return err_set(err, ERR_INPUT, "yaml: line %zu: %s", line + 1,
		       parser->problem ? parser->problem : "cannot be read");
}

/* One document to text; *out_more is false at the end of the stream. */
static int next_document(yaml_parser_t *parser, struct buf *text, bool *out_more, struct err *err)
{
	yaml_document_t document;
	struct writer w = { &document, text, NODE_BUDGET, 0, err };
	yaml_node_t *root;
	int result = 0;

	if (!yaml_parser_load(parser, &document))
		return parser_error(parser, err);
	root = yaml_document_get_root_node(&document);
	*out_more = root != NULL;
	if (root)
		result = write_node(&w, root);
	yaml_document_delete(&document);
	return result;
}

int yaml_each(struct str text, const struct yaml_ops *ops, void *ctx, struct err *err)
{
	struct buf json = BUF_MAX(LIMIT_FILE);
	yaml_parser_t parser;
	bool more = true;
	int result = 0;

	if (!yaml_parser_initialize(&parser))
		return err_set(err, ERR_SYSTEM, "yaml: cannot start");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr, text.len);
	while (more && result == 0) {
		uint64_t offset = parser.mark.index;

		buf_reset(&json);
		result = next_document(&parser, &json, &more, err);
		if (result == 0 && more && !str_is(buf_str(&json), "null"))
			result = ops->document(ctx, buf_str(&json), offset, err);
	}
	yaml_parser_delete(&parser);
	buf_release(&json);
	return result;
}

int yaml_first_to_json(struct str text, struct buf *out_json, struct err *err)
{
	yaml_parser_t parser;
	bool more;
	int result;

	if (!yaml_parser_initialize(&parser))
		return err_set(err, ERR_SYSTEM, "yaml: cannot start");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr, text.len);
	result = next_document(&parser, out_json, &more, err);
	yaml_parser_delete(&parser);
	return result;
}

/* ---- out ----------------------------------------------------------------- */

static int emit_to_buf(void *ctx, unsigned char *bytes, size_t size)
{
	buf_add(ctx, (struct str){ (const char *)bytes, size });
	return 1;
}

static void emit_scalar(yaml_emitter_t *em, struct str s, bool is_string)
{
	yaml_scalar_style_t style = YAML_PLAIN_SCALAR_STYLE;
	bool multi_line = str_find(s, '\n') < s.len;
	yaml_event_t event;

	if (is_string && multi_line)
		style = YAML_LITERAL_SCALAR_STYLE;
	else if (is_string && resolve(s) != SCALAR_STRING)
		style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)s.ptr, (int)s.len, 1, 1, style);
	yaml_emitter_emit(em, &event);
}

static void emit_number(yaml_emitter_t *em, struct json value)
{
	char text[40];
	double number = json_number(value, "", 0);
	int64_t whole = json_int(value, "", INT64_MIN);

	if (whole != INT64_MIN)
		snprintf(text, sizeof(text), "%lld", (long long)whole);
	else
		snprintf(text, sizeof(text), "%.17g", number);
	emit_scalar(em, str_of(text), false);
}

static void emit(yaml_emitter_t *em, struct json value);

static void emit_collection(yaml_emitter_t *em, struct json value)
{
	bool map = json_is_object(value), empty = !json_first(value).node;
	yaml_event_t event;

	if (map)
		yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
						    empty ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE);
	else
		yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
						     empty ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE);
	yaml_emitter_emit(em, &event);
	json_foreach(it, value) {
		if (map)
			emit_scalar(em, json_key(it), true);
		emit(em, it);
	}
	if (map)
		yaml_mapping_end_event_initialize(&event);
	else
		yaml_sequence_end_event_initialize(&event);
	yaml_emitter_emit(em, &event);
}

static void emit(yaml_emitter_t *em, struct json value)
{
	switch (json_type(value)) {
	case JSON_OBJECT:
	case JSON_ARRAY:
		emit_collection(em, value);
		break;
	case JSON_STRING:
		emit_scalar(em, json_str(value, ""), true);
		break;
	case JSON_NUMBER:
		emit_number(em, value);
		break;
	case JSON_BOOL:
		emit_scalar(em, json_bool(value, "", false) ? STR("true") : STR("false"), false);
		break;
	case JSON_NULL:
	case JSON_ABSENT:
		emit_scalar(em, STR("null"), false);
		break;
	}
}

void yaml_from_json(struct json value, struct buf *out)
{
	yaml_emitter_t em;
	yaml_event_t event;

	if (!yaml_emitter_initialize(&em))
		return;
	yaml_emitter_set_output(&em, emit_to_buf, out);
	yaml_emitter_set_unicode(&em, 1);
	yaml_emitter_set_width(&em, -1);
	yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
	yaml_emitter_emit(&em, &event);
	yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1);
	yaml_emitter_emit(&em, &event);
	emit(&em, value);
	yaml_document_end_event_initialize(&event, 1);
	yaml_emitter_emit(&em, &event);
	yaml_stream_end_event_initialize(&event);
	yaml_emitter_emit(&em, &event);
	yaml_emitter_flush(&em);
	yaml_emitter_delete(&em);
}

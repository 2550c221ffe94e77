/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that calls libyaml. */
#include "kube/model/yaml.h"

#include "kube/base/arena.h"
#include "kube/base/limits.h"
#include "kube/base/map.h"
#include "kube/base/utf8.h"
#include "kube/model/yaml_scalar.h"
#include "kube/model/yaml_tree.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <yaml.h>

/* ---- in ------------------------------------------------------------------- */

struct reader {
	yaml_parser_t parser;
	struct str text;
	struct arena arena;	/* holds one document */
	struct map anchors;	/* from the name of an anchor to its struct yaml_tree */
	int depth;
	struct err *err;
};

static int reader_start(struct reader *r, struct str text, struct err *err)
{
	*r = (struct reader){ .text = text, .err = err };
	if (!yaml_parser_initialize(&r->parser))
		return err_set(err, ERR_SYSTEM, "yaml: cannot start");
	yaml_parser_set_input_string(&r->parser, (const unsigned char *)text.ptr, text.len);
	return 0;
}

static void reader_end(struct reader *r)
{
	map_release(&r->anchors);
	arena_release(&r->arena);
	yaml_parser_delete(&r->parser);
}

static size_t lines_in(struct str s)
{
	size_t lines = 0;

	for (size_t at = str_find(s, '\n'); at < s.len; at = str_find(s, '\n')) {
		s = str_from(s, at + 1);
		lines++;
	}
	return lines;
}

/* For bytes that are no text libyaml tells only an offset. */
static int parser_error(const struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	const yaml_mark_t *mark = p->problem_mark.line ? &p->problem_mark : &p->context_mark;
	const char *problem = p->problem ? p->problem : "cannot be read";

	if (p->error == YAML_READER_ERROR) {
		struct str before = str_head(r->text, p->problem_offset);
		size_t newline = str_rfind(before, '\n'), begins = newline < before.len ? newline + 1 : 0;

		return err_set(r->err, ERR_INPUT, "yaml: line %zu: %s at column %zu", lines_in(before) + 1, problem,
			       before.len - begins + 1);
	}
	return err_set(r->err, ERR_INPUT, "yaml: line %zu: %s at column %zu", mark->line + 1, problem, mark->column + 1);
}

static int next_event(struct reader *r, yaml_event_t *out)
{
	return yaml_parser_parse(&r->parser, out) ? 0 : parser_error(r);
}

static struct str text_of(const yaml_char_t *s)
{
	return str_of((const char *)s);
}

static struct yaml_tree *new_node(struct reader *r, const yaml_event_t *event, enum tree_type type)
{
	struct yaml_tree *node = arena_alloc(&r->arena, sizeof(*node));

	node->type = type;
	node->line = (uint32_t)event->start_mark.line + 1;
	node->column = (uint32_t)event->start_mark.column + 1;
	return node;
}

static void keep_anchor(struct reader *r, const yaml_char_t *anchor, struct yaml_tree *node)
{
	if (anchor)
		map_set(&r->anchors, text_of(anchor), node);
}

/*
 * libyaml does not tell the tag "!", which makes a plain scalar a string.  Only the width of the scalar tells that it
 * was there (for scalars that are not strings by themselves, which hence are ASCII).
 */
static bool is_quoted(const yaml_event_t *event)
{
	size_t width = event->end_mark.index - event->start_mark.index;

	if (event->data.scalar.tag)
		return false;
	return event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
	       (!event->data.scalar.anchor && width != event->data.scalar.length);
}

static struct yaml_tree *read_scalar(struct reader *r, const yaml_event_t *event)
{
	struct yaml_tree *node = new_node(r, event, TREE_SCALAR);
	struct str text = { (const char *)event->data.scalar.value, event->data.scalar.length };

	node->text = arena_str(&r->arena, text);
	node->tag = arena_str(&r->arena, text_of(event->data.scalar.tag));
	node->quoted = is_quoted(event);
	keep_anchor(r, event->data.scalar.anchor, node);
	return node;
}

/* Returns NULL for an alias whose anchor was not seen before. */
static struct yaml_tree *read_alias(struct reader *r, const yaml_event_t *event)
{
	struct yaml_tree *node = new_node(r, event, TREE_ALIAS);
	struct str name = text_of(event->data.alias.anchor);

	node->first = map_get(&r->anchors, name);
	if (node->first)
		return node;
	err_set(r->err, ERR_INPUT, "yaml: line %u: unknown anchor '" STR_FMT "' referenced",
		node->line, STR_ARG(name));
	return NULL;
}

static struct yaml_tree *read_node(struct reader *r, const yaml_event_t *event);

static bool ends_collection(const yaml_event_t *event)
{
	return event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
}

static int read_children(struct reader *r, struct yaml_tree *parent)
{
	struct yaml_tree **end = &parent->first;
	yaml_event_t event;
	bool more = true;

	while (more) {
		if (next_event(r, &event) < 0)
			return -1;
		more = !ends_collection(&event);
		*end = more ? read_node(r, &event) : NULL;
		yaml_event_delete(&event);
		if (more && !*end)
			return -1;
		if (more)
			end = &(*end)->next;
	}
	return 0;
}

static struct yaml_tree *read_collection(struct reader *r, const yaml_event_t *event)
{
	bool sequence = event->type == YAML_SEQUENCE_START_EVENT;
	struct yaml_tree *node = new_node(r, event, sequence ? TREE_SEQUENCE : TREE_MAPPING);
	int result;

	if (sequence)
		keep_anchor(r, event->data.sequence_start.anchor, node);
	else
		keep_anchor(r, event->data.mapping_start.anchor, node);
	if (r->depth >= LIMIT_JSON_DEPTH) {
		err_set(r->err, ERR_INPUT, "yaml: line %u: nested deeper than %d levels",
			node->line, LIMIT_JSON_DEPTH);
		return NULL;
	}
	r->depth++;
	result = read_children(r, node);
	r->depth--;
	return result < 0 ? NULL : node;
}

/* Returns the tree that starts with that event; NULL after an error. */
static struct yaml_tree *read_node(struct reader *r, const yaml_event_t *event)
{
	if (event->type == YAML_SCALAR_EVENT)
		return read_scalar(r, event);
	return event->type == YAML_ALIAS_EVENT ? read_alias(r, event) : read_collection(r, event);
}

static int skip_event(struct reader *r, yaml_event_type_t *out_type)
{
	yaml_event_t event;

	if (next_event(r, &event) < 0)
		return -1;
	*out_type = event.type;
	yaml_event_delete(&event);
	return 0;
}

/* Returns the root of the next document; NULL at the end of the stream. */
static int read_document(struct reader *r, struct yaml_tree **out_root)
{
	yaml_event_type_t type;
	yaml_event_t event;

	*out_root = NULL;
	map_release(&r->anchors);
	arena_reset(&r->arena);
	do {
		if (skip_event(r, &type) < 0)
			return -1;
	} while (type == YAML_STREAM_START_EVENT);
	if (type == YAML_STREAM_END_EVENT)
		return 0;
	if (next_event(r, &event) < 0)
		return -1;
	*out_root = read_node(r, &event);
	yaml_event_delete(&event);
	return *out_root ? skip_event(r, &type) : -1;
}

int yaml_each(struct str text, const struct yaml_ops *ops, void *ctx, struct err *err)
{
	struct buf json = BUF_MAX(LIMIT_FILE);
	struct yaml_tree *root = NULL;
	struct reader r;
	int result = reader_start(&r, text, err);

	if (result < 0)
		return -1;
	do {
		buf_reset(&json);
		result = read_document(&r, &root);
		if (result == 0 && root)
			result = tree_to_json(root, &json, err);
		if (result == 0 && root && !str_is(buf_str(&json), "null"))
			result = ops->document(ctx, buf_str(&json), err);
	} while (result == 0 && root);
	reader_end(&r);
	buf_release(&json);
	return result;
}

int yaml_each_tree(struct str text, int (*document)(void *ctx, struct yaml_tree *root, struct err *err), void *ctx,
		   struct err *err)
{
	struct yaml_tree *root = NULL;
	struct reader r;
	int result = reader_start(&r, text, err);

	if (result < 0)
		return -1;
	do {
		result = read_document(&r, &root);
		if (result == 0 && root)
			result = document(ctx, root, err);
	} while (result == 0 && root);
	reader_end(&r);
	return result;
}

int yaml_first_to_json(struct str text, struct buf *out_json, struct err *err)
{
	struct yaml_tree *root;
	struct reader r;
	int result = reader_start(&r, text, err);

	if (result < 0)
		return -1;
	result = read_document(&r, &root);
	if (result == 0 && root)
		result = tree_to_json(root, out_json, err);
	reader_end(&r);
	return result;
}

/* ---- out ------------------------------------------------------------------ */

struct printer {
	yaml_emitter_t emitter;
	struct buf text;	/* of a scalar */
	bool failed;		/* memory ran out in libyaml: nothing more is written */
};

static int emit_to_buf(void *ctx, unsigned char *bytes, size_t size)
{
	buf_add(ctx, (struct str){ (const char *)bytes, size });
	return 1;
}

/* made: what the initializer of the event returned; when it is 0, *event is no event.  Takes over the event. */
static void emit(struct printer *p, int made, yaml_event_t *event)
{
	if (made && p->failed)
		yaml_event_delete(event);
	else if (!made || !yaml_emitter_emit(&p->emitter, event))
		p->failed = true;
}

/* libyaml accepts only UTF-8. */
static void clean(struct buf *out, struct str s)
{
	buf_reset(out);
	for (size_t at = 0; at < s.len;) {
		char bytes[4];
		size_t n = utf8_put(json_rune(s, &at), bytes);

		buf_add(out, (struct str){ bytes, n });
	}
}

static void emit_scalar(struct printer *p, struct str s, yaml_scalar_style_t style)
{
	yaml_char_t *text = (yaml_char_t *)(uintptr_t)s.ptr;	/* the parameter is not const in libyaml before 0.2.3 */
	yaml_event_t event;

	emit(p, yaml_scalar_event_initialize(&event, NULL, NULL, text, (int)s.len, 1, 1, style),
	     &event);
}

static void emit_string(struct printer *p, struct str s)
{
	yaml_scalar_style_t style = YAML_PLAIN_SCALAR_STYLE;

	clean(&p->text, s);
	s = buf_str(&p->text);
	if (str_find(s, '\n') < s.len)
		style = YAML_LITERAL_SCALAR_STYLE;
	else if (scalar_needs_quotes(s))
		style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	emit_scalar(p, s, style);
}

/* Writes a number with its own digits; with an exponent as kubectl spells it, unless a double would lose digits. */
static void emit_number(struct printer *p, struct json value)
{
	struct str digits = json_digits(value);
	size_t mantissa = strcspn(digits.ptr, "eE");
	double number = json_number(value, "", INFINITY);

	buf_reset(&p->text);
	if (mantissa < digits.len && mantissa <= DBL_DIG && isfinite(number))
		scalar_put_number(&p->text, number);
	else
		buf_add(&p->text, digits);
	emit_scalar(p, buf_str(&p->text), YAML_PLAIN_SCALAR_STYLE);
}

static void emit_value(struct printer *p, struct json value);

static void emit_object(struct printer *p, struct json value)
{
	yaml_mapping_style_t style = json_first(value).node ? YAML_BLOCK_MAPPING_STYLE :
							      YAML_FLOW_MAPPING_STYLE;
	yaml_event_t event;

	emit(p, yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, style), &event);
	json_foreach(member, value) {
		emit_string(p, json_key(member));
		emit_value(p, member);
	}
	emit(p, yaml_mapping_end_event_initialize(&event), &event);
}

static void emit_array(struct printer *p, struct json value)
{
	yaml_sequence_style_t style = json_first(value).node ? YAML_BLOCK_SEQUENCE_STYLE :
							       YAML_FLOW_SEQUENCE_STYLE;
	yaml_event_t event;

	emit(p, yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, style), &event);
	json_foreach(element, value)
		emit_value(p, element);
	emit(p, yaml_sequence_end_event_initialize(&event), &event);
}

static void emit_value(struct printer *p, struct json value)
{
	switch (json_type(value)) {
	case JSON_OBJECT:
		emit_object(p, value);
		break;
	case JSON_ARRAY:
		emit_array(p, value);
		break;
	case JSON_STRING:
		emit_string(p, json_str(value, ""));
		break;
	case JSON_NUMBER:
		emit_number(p, value);
		break;
	case JSON_BOOL:
		emit_scalar(p, json_bool(value, "", false) ? STR("true") : STR("false"),
			    YAML_PLAIN_SCALAR_STYLE);
		break;
	case JSON_NULL:
	case JSON_ABSENT:
		emit_scalar(p, STR("null"), YAML_PLAIN_SCALAR_STYLE);
		break;
	}
}

/* libyaml would print these characters as they are. */
static bool holds_hidden(struct str s)
{
	for (size_t at = 0; at < s.len;) {
		uint32_t rune = utf8_next(s, &at);

		if (rune > 0x9F && utf8_hostile(rune))
			return true;
	}
	return false;
}

static bool has_hidden(struct json value)
{
	if (holds_hidden(json_key(value)) || holds_hidden(json_str(value, "")))
		return true;
	json_foreach(it, value)
		if (has_hidden(it))
			return true;
	return false;
}

void yaml_from_json(struct json value, struct buf *out)
{
	struct printer p = { .failed = false };
	yaml_event_t event;

	if (!yaml_emitter_initialize(&p.emitter))
		return;
	yaml_emitter_set_output(&p.emitter, emit_to_buf, out);
	yaml_emitter_set_unicode(&p.emitter, !has_hidden(value));
	yaml_emitter_set_width(&p.emitter, -1);
	emit(&p, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), &event);
	emit(&p, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1), &event);
	emit_value(&p, value);
	emit(&p, yaml_document_end_event_initialize(&event, 1), &event);
	emit(&p, yaml_stream_end_event_initialize(&event), &event);
	yaml_emitter_delete(&p.emitter);
	buf_release(&p.text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The one file that knows cJSON. */
#include "kube/model/document.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define INDENT 4

/* So that cJSON's NULL never means that there is no memory. */
static void use_our_memory(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){ xmalloc, xfree });
}

/* ---- reading ------------------------------------------------------------- */

/* Returns at least as many as there are values: each but the first stands behind one of these. */
static size_t most_values(struct str text)
{
	size_t n = 1;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == ',' || text.ptr[i] == '[' || text.ptr[i] == '{';
	return n;
}

/* Returns the place of the first escaped NUL; the length of the text when there is none. */
static size_t find_nul(struct str text)
{
	size_t at = 0;

	while (at < text.len && !str_starts(str_from(text, at), "\\u0000"))
		at += text.ptr[at] == '\\' ? 2 : 1;
	return at < text.len ? at : text.len;
}

static int read_text(struct str text, bool hide, struct json *out, struct err *err)
{
	size_t nul = hide ? text.len : find_nul(text);
	struct json doc;

	if (text.len > LIMIT_DOCUMENT)
		return err_set(err, ERR_PROTO, "too large");
	if (most_values(text) > LIMIT_DOCUMENT_VALUES)
		return err_set(err, ERR_PROTO, "too many values");
	if ((hide ? json_parse : json_parse_verbatim)(text, &doc, err) < 0)
		return -1;
	if (nul < text.len) {
		json_free(doc);
		return err_set(err, ERR_PROTO, "a text with a NUL at byte %zu", nul + strlen("\\u0000"));
	}
	*out = doc;
	return 0;
}

int document_read(struct str text, struct json *out, struct err *err)
{
	return read_text(text, true, out, err);
}

int document_read_verbatim(struct str text, struct json *out, struct err *err)
{
	return read_text(text, false, out, err);
}

/* ---- writing ------------------------------------------------------------- */

void document_free(struct document doc)
{
	cJSON_Delete(doc.node);
}

struct document document_object(void)
{
	use_our_memory();
	return (struct document){ cJSON_CreateObject() };
}

struct document document_array(void)
{
	use_our_memory();
	return (struct document){ cJSON_CreateArray() };
}

void document_add(struct document to, const char *key, struct document value)
{
	if (key)
		cJSON_AddItemToObjectCS(to.node, key, value.node);
	else
		cJSON_AddItemToArray(to.node, value.node);
}

struct document document_add_object(struct document to, const char *key)
{
	struct document value = document_object();

	document_add(to, key, value);
	return value;
}

struct document document_add_array(struct document to, const char *key)
{
	struct document value = document_array();

	document_add(to, key, value);
	return value;
}

struct document document_add_list(struct document to, const char *key, size_t n)
{
	return n ? document_add_array(to, key) : DOCUMENT_NONE;
}

/* A value that is written as the text in json, whose memory it takes over. */
static void add_raw(struct document to, const char *key, struct buf *json)
{
	cJSON *node = cJSON_CreateNull();

	node->type = cJSON_Raw;
	node->valuestring = json->ptr;
	document_add(to, key, (struct document){ node });
}

/* cJSON would escape less. */
void document_add_string(struct document to, const char *key, struct str text)
{
	struct buf quoted = { 0 };

	json_quote(&quoted, text, JSON_QUOTE_TERMINAL);
	add_raw(to, key, &quoted);
}

void document_add_text(struct document to, const char *key, struct str text)
{
	if (text.len)
		document_add_string(to, key, text);
}

/* cJSON knows only doubles. */
void document_add_int(struct document to, const char *key, int64_t value)
{
	struct buf digits = { 0 };

	buf_printf(&digits, "%lld", (long long)value);
	add_raw(to, key, &digits);
}

void document_add_number(struct document to, const char *key, double value)
{
	bool whole = value == floor(value) && fabs(value) < 1e15;
	struct buf digits = { 0 };

	buf_printf(&digits, whole ? "%.0f" : "%.6g", value);
	add_raw(to, key, &digits);
}

void document_add_bool(struct document to, const char *key, bool value)
{
	document_add_raw(to, key, value ? STR("true") : STR("false"));
}

void document_add_time(struct document to, const char *key, int64_t ms)
{
	char text[TIME_TEXT];

	if (ms)
		document_add_string(to, key, str_of(time_format(ms, text)));
}

void document_add_raw(struct document to, const char *key, struct str json)
{
	struct buf copy = { 0 };

	buf_add(&copy, json);
	add_raw(to, key, &copy);
}

void document_write(struct document doc, struct buf *out)
{
	char *text = cJSON_PrintUnformatted(doc.node);

	buf_add_cstr(out, text);
	xfree(text);
}

/* ---- indented ------------------------------------------------------------ */

/* cJSON would indent by tabs. */
static void new_line(struct buf *out, unsigned depth)
{
	const struct str some = STR("\n                                ");
	size_t blanks = (size_t)depth * INDENT;

	buf_add(out, str_head(some, 1 + blanks));
	for (size_t done = some.len - 1; done < blanks; done++)
		buf_add_char(out, ' ');
}

/* What stands before a value. */
static void begin(struct buf *out, unsigned depth, bool first, const char *key)
{
	if (!first)
		buf_add_char(out, ',');
	if (depth)
		new_line(out, depth);
	if (key)
		BUF_JOIN(out, STR("\""), str_of(key), STR("\": "));
}

static void print_at(struct document value, unsigned depth, struct buf *out)
{
	bool object = cJSON_IsObject(value.node);

	if (!object && !cJSON_IsArray(value.node)) {
		buf_add_cstr(out, value.node->valuestring);
		return;
	}
	buf_add_char(out, object ? '{' : '[');
	for (cJSON *it = value.node->child; it; it = it->next) {
		begin(out, depth + 1, it == value.node->child, it->string);
		print_at((struct document){ it }, depth + 1, out);
	}
	if (value.node->child)
		new_line(out, depth);
	buf_add_char(out, object ? '}' : ']');
}

void document_print(struct document doc, struct buf *out)
{
	print_at(doc, 0, out);
}

/* ---- value by value ------------------------------------------------------- */

static void begin_next(struct document_stream *s, const char *key)
{
	begin(s->out, s->depth, !s->started, key);
	s->started = true;
}

void document_open(struct document_stream *s, const char *key, char bracket)
{
	begin_next(s, key);
	buf_add_char(s->out, bracket);
	s->depth++;
	s->started = false;
}

void document_close(struct document_stream *s, char bracket)
{
	s->depth--;
	if (s->started)
		new_line(s->out, s->depth);
	buf_add_char(s->out, bracket);
	s->started = true;
}

void document_put(struct document_stream *s, struct document value)
{
	begin_next(s, NULL);
	print_at(value, s->depth, s->out);
	document_free(value);
}

void document_put_members(struct document_stream *s, struct document object)
{
	for (cJSON *it = object.node->child; it; it = it->next) {
		begin_next(s, it->string);
		print_at((struct document){ it }, s->depth, s->out);
	}
	document_free(object);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The one file that knows cJSON. */
#include "kube/model/document.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define MAX_WHOLE 9007199254740992.0	/* 2^53: beyond it doubles skip numbers */
#define INDENT 4

/* So that cJSON's NULL never means that there is no memory. */
static void use_our_memory(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){ xmalloc, xfree });
}

/* ---- reading ------------------------------------------------------------- */

static enum json_type type_of(const cJSON *node)
{
	switch (node ? node->type & 0xFF : cJSON_Invalid) {
	case cJSON_NULL:
		return JSON_NULL;
	case cJSON_False:
	case cJSON_True:
		return JSON_BOOL;
	case cJSON_Number:
	case cJSON_Raw:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	case cJSON_Object:
		return JSON_OBJECT;
	default:
		return JSON_ABSENT;
	}
}

/*
 * The text is read by json.h, which is strict where cJSON is not, and redacts; what it says is taken over into nodes of
 * cJSON, which hold what the program writes, too.
 */
struct reading {
	struct buf text;
	unsigned depth;
	bool has_nul, too_deep;	/* has_nul: there is a NUL in a text */
};

/* Returns a text without NULs, which json.h keeps as two bytes; it is borrowed until the next one. */
static const char *text_of(struct reading *r, struct str text)
{
	buf_reset(&r->text);
	while (text.len) {
		size_t n = str_find_str(text, "\xC0\x80");

		buf_add(&r->text, str_head(text, n));
		if (n < text.len) {
			buf_add_cstr(&r->text, "\xEF\xBF\xBD");
			r->has_nul = true;
		}
		text = str_from(text, n + 2);
	}
	return buf_cstr(&r->text);
}

/* Returns the number as it is written, beside its double, so that a document that is read and written keeps all its digits. */
static cJSON *number_of(struct json value)
{
	struct str digits = json_digits(value);
	cJSON *node = cJSON_CreateNull();

	node->type = cJSON_Raw;
	node->valuestring = xstrndup(digits.ptr, digits.len);
	node->valuedouble = json_number(value, "", NAN);
	return node;
}

static cJSON *value_of(struct reading *r, struct json value);

static cJSON *add_members(struct reading *r, struct json from, cJSON *to)
{
	bool named = cJSON_IsObject(to);

	if (++r->depth > LIMIT_DEPTH)
		r->too_deep = true;
	for (struct json it = json_first(from); it.node && !r->too_deep; it = json_next(it)) {
		cJSON *member = value_of(r, it);

		if (named)
			cJSON_AddItemToObject(to, text_of(r, json_key(it)), member);
		else
			cJSON_AddItemToArray(to, member);
	}
	r->depth--;
	return to;
}

static cJSON *value_of(struct reading *r, struct json value)
{
	switch (json_type(value)) {
	case JSON_OBJECT:
		return add_members(r, value, cJSON_CreateObject());
	case JSON_ARRAY:
		return add_members(r, value, cJSON_CreateArray());
	case JSON_STRING:
		return cJSON_CreateString(text_of(r, json_str(value, "")));
	case JSON_NUMBER:
		return number_of(value);
	case JSON_BOOL:
		return cJSON_CreateBool(json_bool(value, "", false));
	case JSON_NULL:
	case JSON_ABSENT:
		break;
	}
	return cJSON_CreateNull();
}

/* Returns at least as many as there are values: each but the first stands behind one of these. */
static size_t most_values(struct str text)
{
	size_t n = 1;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == ',' || text.ptr[i] == '[' || text.ptr[i] == '{';
	return n;
}

static int read_text(struct str text, bool hide, struct document *out, struct err *err)
{
	struct reading r = { .depth = 0 };
	struct document read;
	struct json json;

	if (text.len > LIMIT_DOCUMENT)
		return err_set(err, ERR_PROTO, "too large");
	if (most_values(text) > LIMIT_DOCUMENT_VALUES)
		return err_set(err, ERR_PROTO, "too many values");
	if ((hide ? json_parse : json_parse_verbatim)(text, &json, err) < 0)
		return -1;
	use_our_memory();
	read.node = value_of(&r, json);
	json_free(json);
	buf_release(&r.text);
	if (!r.too_deep && (hide || !r.has_nul)) {
		*out = read;
		return 0;
	}
	document_free(read);
	if (r.too_deep)
		return err_set(err, ERR_PROTO, "nested too deep");
	return err_set(err, ERR_PROTO, "a text with a NUL at byte %zu", str_find_str(text, "\\u0000") + strlen("\\u0000"));
}

int document_read(struct str text, struct document *out, struct err *err)
{
	return read_text(text, true, out, err);
}

int document_read_verbatim(struct str text, struct document *out, struct err *err)
{
	return read_text(text, false, out, err);
}

void document_free(struct document doc)
{
	cJSON_Delete(doc.node);
}

struct document document_first(struct document array)
{
	return array.node ? (struct document){ array.node->child } : DOCUMENT_NONE;
}

struct document document_next(struct document element)
{
	return element.node ? (struct document){ element.node->next } : DOCUMENT_NONE;
}

size_t document_count(struct document array)
{
	size_t n = 0;

	document_foreach(it, array)
		n++;
	return n;
}

struct str document_key(struct document member)
{
	return member.node && member.node->string ? str_of(member.node->string) : STR_NONE;
}

struct document document_member(struct document from, struct str name)
{
	struct document found = DOCUMENT_NONE;

	document_foreach(it, from)
		if (it.node->string && str_eq(document_key(it), name))
			found = it;
	return found;
}

struct document document_at(struct document from, const char *path)
{
	struct str rest = str_of(path), name;

	while (from.node && str_split(&rest, '.', &name))
		from = document_member(from, name);
	return from;
}

enum json_type document_type(struct document value)
{
	return type_of(value.node);
}

struct str document_str(struct document from, const char *path)
{
	struct document value = document_at(from, path);

	return document_type(value) == JSON_STRING ? str_of(value.node->valuestring) : STR_NONE;
}

double document_number(struct document from, const char *path, double absent)
{
	struct document value = document_at(from, path);

	return document_type(value) == JSON_NUMBER && isfinite(value.node->valuedouble) ? value.node->valuedouble : absent;
}

int64_t document_int(struct document from, const char *path, int64_t absent)
{
	double value = document_number(from, path, NAN);

	if (isnan(value) || fabs(value) > MAX_WHOLE || value != floor(value))
		return absent;
	return (int64_t)value;
}

bool document_bool(struct document from, const char *path, bool absent)
{
	struct document value = document_at(from, path);

	return document_type(value) == JSON_BOOL ? cJSON_IsTrue(value.node) : absent;
}

int64_t document_time(struct document from, const char *path)
{
	return time_parse(document_str(from, path));
}

bool document_has(struct document from, const char *path)
{
	enum json_type type = document_type(document_at(from, path));

	return type != JSON_ABSENT && type != JSON_NULL;
}

/* ---- writing ------------------------------------------------------------- */

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
	document_foreach(it, value) {
		begin(out, depth + 1, it.node == value.node->child, it.node->string);
		print_at(it, depth + 1, out);
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
	document_foreach(it, object) {
		begin_next(s, it.node->string);
		print_at(it, s->depth, s->out);
	}
	document_free(object);
}

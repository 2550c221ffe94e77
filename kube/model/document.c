/* SPDX-License-Identifier: Apache-2.0 */
/* The one file that knows cJSON. */
#include "kube/model/document.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/redact.h"
#include "kube/base/time.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define MAX_WHOLE 9007199254740992.0	/* 2^53: beyond it doubles skip numbers */
#define INDENT 4
#define NUMBER_CHARACTERS 63		/* that cJSON reads of a number */
#define SAFE_CHARACTERS 15		/* of a number that cJSON writes as it has read it, or as a shorter equal one */

/* So that cJSON's NULL never means that there is no memory. */
static void use_our_memory(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){ xmalloc, xfree });
}

/* ---- what cJSON is not given ----------------------------------------------- */

/*
 * cJSON calls itself for each level, ends texts at a NUL, and takes what is no JSON: control characters anywhere, any
 * digits behind \u, numbers such as 01 and 1., a byte order mark.  So the text is looked through before.
 */
struct scan {
	struct str text;
	size_t at;
	size_t depth, values;
	bool long_number;	/* one of more than SAFE_CHARACTERS */
	bool takes_nul, nul;	/* a NUL in a text is no fault; there was one */
	const char *wrong;	/* why the text is refused at that place */
};

static bool refuse(struct scan *s, const char *why)
{
	s->wrong = why;
	return false;
}

/* '\0' behind the end: it is refused wherever it stands. */
static char here(const struct scan *s)
{
	return s->at < s->text.len ? s->text.ptr[s->at] : '\0';
}

static bool is_hex_digit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* At the backslash.  Which letters may follow it, cJSON knows. */
static bool scan_escape(struct scan *s)
{
	bool nul = true;

	s->at++;
	if (here(s) != 'u') {
		s->at += s->at < s->text.len;
		return true;
	}
	s->at++;
	for (int i = 0; i < 4; i++, s->at++) {
		if (!is_hex_digit(here(s)))
			return refuse(s, "not JSON");
		nul = nul && here(s) == '0';
	}
	s->nul = s->nul || nul;
	return nul && !s->takes_nul ? refuse(s, "a text with a NUL") : true;
}

static bool scan_string(struct scan *s)
{
	s->at++;
	while (here(s) != '"') {
		if ((unsigned char)here(s) < ' ')
			return refuse(s, "not JSON");
		if (here(s) != '\\')
			s->at++;
		else if (!scan_escape(s))
			return false;
	}
	s->at++;
	return true;
}

static bool scan_digits(struct scan *s)
{
	size_t start = s->at;

	while (is_digit(here(s)))
		s->at++;
	return s->at > start;
}

static bool scan_number(struct scan *s)
{
	size_t start = s->at;
	bool good;

	s->at += here(s) == '-';
	if (here(s) == '0')
		s->at++, good = true;
	else
		good = scan_digits(s);
	if (good && here(s) == '.')
		s->at++, good = scan_digits(s);
	if (good && (here(s) == 'e' || here(s) == 'E')) {
		s->at++;
		s->at += here(s) == '+' || here(s) == '-';
		good = scan_digits(s);
	}
	if (!good || is_digit(here(s)))
		return refuse(s, "not JSON");
	s->long_number = s->long_number || s->at - start > SAFE_CHARACTERS;
	return s->at - start <= NUMBER_CHARACTERS ? true : refuse(s, "too long a number");
}

static bool scan_bracket(struct scan *s)
{
	bool opens = here(s) == '{' || here(s) == '[';

	if (opens && s->depth == LIMIT_DEPTH)
		return refuse(s, "nested too deep");
	if (!opens && s->depth == 0)
		return refuse(s, "not JSON");
	if (opens)
		s->depth++, s->values++;
	else
		s->depth--;
	s->at++;
	return true;
}

static bool scan_token(struct scan *s)
{
	char c = here(s);

	switch (c) {
	case '"':
		return scan_string(s);
	case '{':
	case '[':
	case '}':
	case ']':
		return scan_bracket(s);
	case ',':
		s->values++;
		s->at++;
		return s->values <= LIMIT_DOCUMENT_VALUES ? true : refuse(s, "too many values");
	case ':':
	case ' ':
	case '\n':
	case '\r':
	case '\t':
		s->at++;
		return true;
	default:
		if (c == '-' || is_digit(c))
			return scan_number(s);
		s->at += c >= 'a' && c <= 'z';	/* of true, false and null, which cJSON compares */
		return c >= 'a' && c <= 'z' ? true : refuse(s, "not JSON");
	}
}

static bool scan_all(struct scan *s)
{
	if (s->text.len > LIMIT_DOCUMENT)
		return refuse(s, "too large");
	while (s->at < s->text.len)
		if (!scan_token(s))
			return false;
	return s->depth == 0 && s->at ? true : refuse(s, "not JSON");
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
	case cJSON_Raw:	/* what keep_digits() has made of it */
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

/* As json.c does it: not keys, and not what identifies an object, which the key says or that of the array. */
static void redact_values(cJSON *node, bool identifies)
{
	bool free_map;

	if (type_of(node) == JSON_STRING && !identifies) {
		struct str text = redact_text(node->valuestring, strlen(node->valuestring));

		if (text.ptr != node->valuestring)
			cJSON_SetValuestring(node, text.ptr);
	}
	free_map = type_of(node) == JSON_OBJECT && node->string && redact_is_free_map(str_of(node->string));
	for (cJSON *it = node->child; it; it = it->next)
		redact_values(it, it->string ? !free_map && redact_identifies(str_of(it->string)) : identifies);
}

/* The next number of a text that has been scanned without a fault. */
static struct str next_number(struct scan *s)
{
	size_t start;

	while (here(s) != '-' && !is_digit(here(s)))
		scan_token(s);
	start = s->at;
	scan_number(s);
	return str_head(str_from(s->text, start), s->at - start);
}

/*
 * cJSON would write the double that it has made of a number.  So that a document that is read and written keeps all its
 * digits, each number becomes the text that it was, beside its double.
 */
static void keep_digits(cJSON *node, struct scan *s)
{
	if (type_of(node) == JSON_NUMBER) {
		struct str digits = next_number(s);

		node->valuestring = xstrndup(digits.ptr, digits.len);
		node->type = cJSON_Raw;
	}
	for (cJSON *it = node->child; it; it = it->next)
		keep_digits(it, s);
}

/* Adds text with U+FFFD for each NUL; a backslash stands only in its strings, where it escapes what follows. */
static void replace_nuls(struct buf *out, struct str text)
{
	buf_add(out, text);
	for (size_t i = 0; i < out->len; i++)
		if (out->ptr[i] == '\\') {
			if (str_starts(str_from(buf_str(out), i), "\\u0000"))
				memcpy(out->ptr + i, "\\ufffd", 6);
			i++;
		}
}

/* text has been scanned. */
static int parse(struct str text, bool hide, bool long_number, struct document *out, struct err *err)
{
	struct scan s = { .text = text };
	const char *end = text.ptr;
	cJSON *root;

	use_our_memory();
	root = cJSON_ParseWithLengthOpts(text.ptr, text.len, &end, false);
	s.at = (size_t)(end - text.ptr);
	while (root && (here(&s) == ' ' || here(&s) == '\n' || here(&s) == '\r' || here(&s) == '\t'))
		s.at++;
	if (!root || s.at < text.len) {
		cJSON_Delete(root);
		return err_set(err, ERR_PROTO, "not JSON at byte %zu", s.at);
	}
	if (hide && redact_may_hide(text))
		redact_values(root, false);
	if (long_number)
		keep_digits(root, &(struct scan){ .text = text });
	out->node = root;
	return 0;
}

static int read_text(struct str text, bool hide, struct document *out, struct err *err)
{
	struct scan s = { .text = text, .takes_nul = hide };
	struct buf copy = { 0 };
	int result;

	if (!scan_all(&s))
		return err_set(err, ERR_PROTO, "%s at byte %zu", s.wrong, s.at);
	if (s.nul)
		replace_nuls(&copy, text);
	result = parse(s.nul ? buf_str(&copy) : text, hide, s.long_number, out, err);
	buf_release(&copy);
	return result;
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

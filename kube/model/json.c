/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strict reader of RFC 8259.  Numbers are kept as their digits and texts know their length, so that what is written
 * again is what was read.
 */
#include "kube/model/json.h"

#include "kube/base/alloc.h"
#include "kube/base/arena.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"
#include "kube/base/redact.h"
#include "kube/base/time.h"
#include "kube/base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WHOLE 9007199254740992.0	/* 2^53: beyond it a double cannot hold every whole number */
#define NODES 64			/* nodes that are taken from the arena at once */
/* up to that many keys of an object are compared each with each other; more keys are compared by their hashes */
#define KEYS_COMPARED 32
/* places that are tried for one key, so that keys made to have the same hash do not cost the square of their number */
#define PROBES 16
#define NUL_BYTES "\xC0\x80"		/* how U+0000 is kept in memory */

struct json_node {
	const char *key;		/* NULL: the node is an element, or the root */
	struct json_node *next;
	union {
		const char *text;	/* the text of a string; the digits of a number */
		struct json_node *first;
	};
	uint32_t key_len, text_len;
	uint8_t type;
	bool truth;
	bool repeated;			/* some object of the document has two members of one name */
};

/* The root must be the first member: json_free() finds the rest of the document by it. */
struct document {
	struct json_node root;
	struct arena arena;
};

/* ---- reading ------------------------------------------------------------- */

/* The reader works on a copy that ends with a NUL, which is no character of JSON: no read can pass it. */
struct reader {
	struct arena *arena;
	char *at;
	struct json_node *spare;
	size_t nspare;
	unsigned depth;
	bool too_deep;
};

static struct json_node *new_node(struct reader *r)
{
	if (r->nspare == 0) {
		r->spare = arena_array(r->arena, NODES, sizeof(*r->spare));
		r->nspare = NODES;
	}
	r->nspare--;
	return r->spare++;
}

static void skip_space(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')
		r->at++;
}

static bool take(struct reader *r, char c)
{
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static bool take_word(struct reader *r, const char *word)
{
	while (*word && *r->at == *word)
		r->at++, word++;
	return *word == '\0';
}

static bool take_digits(struct reader *r)
{
	const char *start = r->at;

	while (*r->at >= '0' && *r->at <= '9')
		r->at++;
	return r->at > start;
}

static bool read_number(struct reader *r, struct json_node *node)
{
	char *start = r->at;

	take(r, '-');
	if (!take(r, '0') && !take_digits(r))
		return false;
	if (take(r, '.') && !take_digits(r))
		return false;
	if (take(r, 'e') || take(r, 'E')) {
		if (!take(r, '+'))
			take(r, '-');
		if (!take_digits(r))
			return false;
	}
	node->type = JSON_NUMBER;
	node->text = start;
	node->text_len = (uint32_t)(r->at - start);
	return true;
}

static bool read_hex(struct reader *r, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(*r->at);

		if (digit < 0)
			return false;
		*out = *out << 4 | (uint32_t)digit;
		r->at++;
	}
	return true;
}

/* Reads the digits behind "\u". */
static bool read_rune(struct reader *r, uint32_t *out)
{
	uint32_t low;

	if (!read_hex(r, out))
		return false;
	if (*out < 0xD800 || *out > 0xDFFF)
		return true;
	if (*out > 0xDBFF || !take(r, '\\') || !take(r, 'u') || !read_hex(r, &low) || low < 0xDC00 || low > 0xDFFF)
		return false;
	*out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
	return true;
}

/* Reads what stands behind a backslash.  Its meaning is never longer than its spelling. */
static bool read_escape(struct reader *r, char **to)
{
	static const char written[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *found;
	uint32_t rune;

	if (take(r, 'u')) {
		if (!read_rune(r, &rune))
			return false;
		if (rune) {
			*to += utf8_put(rune, *to);
		} else {
			*(*to)++ = NUL_BYTES[0];
			*(*to)++ = NUL_BYTES[1];
		}
		return true;
	}
	found = *r->at ? strchr(written, *r->at) : NULL;
	if (!found)
		return false;
	*(*to)++ = meant[found - written];
	r->at++;
	return true;
}

/* Decodes a string in its place; a NUL is put behind it. */
static bool read_string(struct reader *r, const char **out, uint32_t *out_len)
{
	char *start, *to;

	if (!take(r, '"'))
		return false;
	start = r->at;
	while (*r->at != '"' && *r->at != '\\' && (unsigned char)*r->at >= ' ')
		r->at++;
	to = r->at;
	while (*r->at != '"') {
		if ((unsigned char)*r->at < ' ')
			return false;
		if (*r->at != '\\')
			*to++ = *r->at++;
		else if (r->at++, !read_escape(r, &to))
			return false;
	}
	r->at++;
	*to = '\0';
	*out = start;
	*out_len = (uint32_t)(to - start);
	return true;
}

static bool read_value(struct reader *r, struct json_node *node);

static bool read_member(struct reader *r, bool named, struct json_node *member)
{
	skip_space(r);
	if (named) {
		if (!read_string(r, &member->key, &member->key_len))
			return false;
		skip_space(r);
		if (!take(r, ':'))
			return false;
		skip_space(r);
	}
	if (!read_value(r, member))
		return false;
	skip_space(r);
	return true;
}

static bool same_key(const struct json_node *a, const struct json_node *b)
{
	return a->key_len == b->key_len && memcmp(a->key, b->key, a->key_len) == 0;
}

/* Returns true when an earlier member has that name. */
static bool is_repeated(const struct json_node *first, const struct json_node *member)
{
	for (; first != member; first = first->next)
		if (same_key(first, member))
			return true;
	return false;
}

/* Returns true when any of n members has the name of an earlier one. */
static bool any_repeated(const struct json_node *first, size_t n)
{
	const struct json_node **table;
	size_t cap = 4 * KEYS_COMPARED;
	bool found = false;

	while (cap < 2 * n)
		cap *= 2;
	table = xcalloc(cap, sizeof(struct json_node *));
	for (; first && !found; first = first->next) {
		size_t at = (size_t)str_hash((struct str){ first->key, first->key_len }) & (cap - 1);

		for (int i = 0; i < PROBES && !found; i++, at = (at + 1) & (cap - 1)) {
			found = table[at] && same_key(table[at], first);
			if (table[at])
				continue;
			table[at] = first;
			break;
		}
	}
	xfree(table);
	return found;
}

/* Chooses one of 64 bits by the key: in most objects no two keys share a bit, and no keys need to be compared. */
static uint64_t key_bit(const struct json_node *member)
{
	uint32_t n = member->key_len;

	return n ? UINT64_C(1) << ((n * 5 + (uint8_t)member->key[0] * 3 + (uint8_t)member->key[n - 1]) & 63) : 1;
}

static bool read_members(struct reader *r, struct json_node *node, char close)
{
	struct json_node **end = &node->first;
	uint64_t seen = 0;
	size_t n = 0;

	r->at++;
	skip_space(r);
	if (take(r, close))
		return true;
	do {
		struct json_node *member = new_node(r);

		*end = member;
		end = &member->next;
		if (!read_member(r, close == '}', member))
			return false;
		if (close == '}' && n++ < KEYS_COMPARED) {
			uint64_t bit = key_bit(member);

			if ((seen & bit) && !node->repeated)
				node->repeated = is_repeated(node->first, member);
			seen |= bit;
		}
	} while (take(r, ','));
	if (n > KEYS_COMPARED && !node->repeated)
		node->repeated = any_repeated(node->first, n);
	return take(r, close);
}

static bool read_collection(struct reader *r, struct json_node *node, enum json_type type, char close)
{
	bool good;

	r->too_deep = r->depth >= LIMIT_JSON_DEPTH;
	if (r->too_deep)
		return false;
	r->depth++;
	node->type = (uint8_t)type;
	good = read_members(r, node, close);
	r->depth--;
	return good;
}

static bool read_value(struct reader *r, struct json_node *node)
{
	switch (*r->at) {
	case '{':
		return read_collection(r, node, JSON_OBJECT, '}');
	case '[':
		return read_collection(r, node, JSON_ARRAY, ']');
	case '"':
		node->type = JSON_STRING;
		return read_string(r, &node->text, &node->text_len);
	case 't':
	case 'f':
		node->type = JSON_BOOL;
		node->truth = *r->at == 't';
		return take_word(r, node->truth ? "true" : "false");
	case 'n':
		node->type = JSON_NULL;
		return take_word(r, "null");
	default:
		return read_number(r, node);
	}
}

/* ---- what is hidden ------------------------------------------------------ */

/*
 * Redacts every text, except keys and texts that identify an object: the key of the member that holds a text tells
 * which it is, and for the elements of an array the key of the array.  all: where the texts lie, to be overwritten.
 */
static void redact_values(struct json_node *node, bool identifies, char *all)
{
	bool free_map;

	if (node->type == JSON_STRING && !identifies) {
		struct str text = redact_text(all + (node->text - all), node->text_len);

		node->text = text.ptr;
		node->text_len = (uint32_t)text.len;
	}
	if (node->type != JSON_OBJECT && node->type != JSON_ARRAY)
		return;
	free_map = node->type == JSON_OBJECT && node->key && redact_is_free_map((struct str){ node->key, node->key_len });
	for (struct json_node *it = node->first; it; it = it->next)
		redact_values(it, it->key ? !free_map && redact_identifies((struct str){ it->key, it->key_len }) : identifies, all);
}

static int parse(struct str bytes, bool hide, struct json *out, struct err *err)
{
	struct arena arena = { 0 };
	struct document *doc = arena_alloc(&arena, sizeof(*doc));
	struct reader r = { .arena = &arena };
	char *text = arena_alloc(&arena, bytes.len + 1);
	bool good = bytes.len < UINT32_MAX;

	if (bytes.len)
		memcpy(text, bytes.ptr, bytes.len);
	r.at = text;
	good = good && read_member(&r, false, &doc->root);
	if (!good || r.at != text + bytes.len) {
		size_t at = (size_t)(r.at - text);

		arena_release(&arena);
		if (r.too_deep)
			return err_set(err, ERR_PROTO, "it is nested deeper than %d", LIMIT_JSON_DEPTH);
		return err_set(err, ERR_PROTO, "not JSON at byte %zu", at);
	}
	if (hide && redact_may_hide((struct str){ text, bytes.len }))
		redact_values(&doc->root, false, text);
	doc->arena = arena;
	out->node = &doc->root;
	return 0;
}

int json_parse(struct str bytes, struct json *out, struct err *err)
{
	return parse(bytes, true, out, err);
}

int json_parse_verbatim(struct str bytes, struct json *out, struct err *err)
{
	return parse(bytes, false, out, err);
}

void json_free(struct json doc)
{
	struct arena arena;

	if (!doc.node)
		return;
	arena = ((const struct document *)(const void *)doc.node)->arena;
	arena_release(&arena);
}

void json_add_text(struct json doc, struct json object, const char *key, struct str text)
{
	struct arena *arena = &((struct document *)(void *)doc.node)->arena;
	struct json_node *to = (struct json_node *)object.node, *member = arena_alloc(arena, sizeof(*member));

	assert(to->type == JSON_OBJECT);
	text = arena_str(arena, text);
	*member = (struct json_node){ .key = key, .key_len = (uint32_t)strlen(key), .next = to->first, .text = text.ptr,
				      .text_len = (uint32_t)text.len, .type = JSON_STRING };
	to->first = member;
}

/* ---- paths --------------------------------------------------------------- */

static bool is_type(struct json value, enum json_type type)
{
	return value.node && value.node->type == type;
}

static struct str string_of(struct json value)
{
	return is_type(value, JSON_STRING) ? (struct str){ value.node->text, value.node->text_len } : STR_NONE;
}

struct json json_member(struct json from, struct str name)
{
	struct json found = JSON_NONE;

	if (!is_type(from, JSON_OBJECT))
		return JSON_NONE;
	for (const struct json_node *it = from.node->first; it; it = it->next)
		if (it->key_len == name.len && (name.len == 0 || it->key[0] == name.ptr[0]) && memcmp(it->key, name.ptr, name.len) == 0) {
			found.node = it;
			if (!from.node->repeated)
				break;
		}
	return found;
}

/* Returns the first element of an array whose member key has that text. */
static struct json element_where(struct json array, struct str key, struct str value)
{
	json_foreach(it, array)
		if (str_eq(string_of(json_member(it, key)), value))
			return it;
	return JSON_NONE;
}

/* Reads what stands between brackets in a path: 0, 'a.b/c', type=Ready. */
static struct json step_bracket(struct json at, struct str inside)
{
	size_t eq = str_find(inside, '=');
	int64_t index;

	if (inside.len >= 2 && inside.ptr[0] == '\'')
		return json_member(at, str_head(str_from(inside, 1), inside.len - 2));
	if (!is_type(at, JSON_ARRAY))
		return JSON_NONE;
	if (str_to_int(inside, &index)) {
		struct json it = json_first(at);

		while (it.node && index-- > 0)
			it = json_next(it);
		return it;
	}
	if (eq < inside.len)
		return element_where(at, str_head(inside, eq), str_from(inside, eq + 1));
	return JSON_NONE;
}

static size_t name_length(struct str rest)
{
	size_t n = 0;

	while (n < rest.len && rest.ptr[n] != '.' && rest.ptr[n] != '[')
		n++;
	return n;
}

struct json json_at(struct json from, const char *path)
{
	struct str rest;

	if (!*path || !from.node)
		return from;
	rest = str_of(path);
	while (rest.len && from.node) {
		size_t n;

		if (rest.ptr[0] == '.') {
			rest = str_from(rest, 1);
		} else if (rest.ptr[0] == '[') {
			n = str_find(rest, ']');
			from = step_bracket(from, str_head(str_from(rest, 1), n - 1));
			rest = str_from(rest, n + 1);
		} else {
			n = name_length(rest);
			from = json_member(from, str_head(rest, n));
			rest = str_from(rest, n);
		}
	}
	return from;
}

/* ---- values -------------------------------------------------------------- */

enum json_type json_type(struct json value)
{
	return value.node ? (enum json_type)value.node->type : JSON_ABSENT;
}

const char *json_type_name(enum json_type type)
{
	static const char *const names[] = {
		[JSON_ABSENT] = "nothing", [JSON_NULL] = "null", [JSON_BOOL] = "bool", [JSON_NUMBER] = "number", [JSON_STRING] = "string", [JSON_ARRAY] = "array", [JSON_OBJECT] = "object"
	};

	return names[type];
}

bool json_is_object(struct json value)
{
	return json_type(value) == JSON_OBJECT;
}

bool json_is_array(struct json value)
{
	return json_type(value) == JSON_ARRAY;
}

struct str json_str(struct json from, const char *path)
{
	return string_of(json_at(from, path));
}

struct str json_digits(struct json value)
{
	return is_type(value, JSON_NUMBER) ? (struct str){ value.node->text, value.node->text_len } : STR_NONE;
}

/* Returns true when a character that no number may have stands behind the digits. */
double json_number(struct json from, const char *path, double absent)
{
	struct str digits = json_digits(json_at(from, path));
	double value = digits.len ? strtod(digits.ptr, NULL) : NAN;

	return isfinite(value) ? value : absent;
}

int64_t json_int(struct json from, const char *path, int64_t absent)
{
	double value = json_number(from, path, NAN);

	if (isnan(value) || fabs(value) > MAX_WHOLE || value != floor(value))
		return absent;
	return (int64_t)value;
}

bool json_bool(struct json from, const char *path, bool absent)
{
	struct json value = json_at(from, path);

	return is_type(value, JSON_BOOL) ? value.node->truth : absent;
}

int64_t json_time(struct json from, const char *path)
{
	return time_parse(json_str(from, path));
}

bool json_has(struct json from, const char *path)
{
	enum json_type type = json_type(json_at(from, path));

	return type != JSON_ABSENT && type != JSON_NULL;
}

struct json json_first(struct json array)
{
	if (!is_type(array, JSON_ARRAY) && !is_type(array, JSON_OBJECT))
		return JSON_NONE;
	return (struct json){ array.node->first };
}

struct json json_next(struct json element)
{
	return element.node ? (struct json){ element.node->next } : JSON_NONE;
}

size_t json_count(struct json array)
{
	size_t n = 0;

	json_foreach(it, array)
		n++;
	return n;
}

struct str json_key(struct json member)
{
	return member.node && member.node->key ? (struct str){ member.node->key, member.node->key_len } : STR_NONE;
}

uint32_t json_rune(struct str text, size_t *at)
{
	if (text.len - *at >= 2 && memcmp(text.ptr + *at, NUL_BYTES, 2) == 0) {
		*at += 2;
		return 0;
	}
	return utf8_next(text, at);
}

static bool is_escaped(uint32_t rune, enum json_quoting quoting)
{
	if (rune < 0x20 || rune == '"' || rune == '\\')
		return true;
	return quoting == JSON_QUOTE_TERMINAL && utf8_hostile(rune);
}

static void put_escaped(struct buf *out, uint32_t rune, enum json_quoting quoting)
{
	static const char shorts[] = "\"\\\n\t", names[] = "\"\\nt";
	static const size_t used[] = { [JSON_QUOTE_BYTES] = 2, [JSON_QUOTE_TERMINAL] = 4 };
	const char *at = rune < 0x80 ? memchr(shorts, (int)rune, used[quoting]) : NULL;

	if (at) {
		buf_printf(out, "\\%c", names[at - shorts]);
		return;
	}
	if (rune >= 0x10000) {
		buf_printf(out, "\\u%04x", 0xD800 + ((rune - 0x10000) >> 10));
		rune = 0xDC00 + (rune & 0x3FF);
	}
	buf_printf(out, "\\u%04x", rune);
}

/* Returns true for a character that is written as it is in every kind of quoting. */
static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
}

/* Writes a text of such characters in one step, as most texts are.  Returns false for other texts. */
static bool quote_plain(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!is_plain(text.ptr[i]))
			return false;
	buf_reserve(out, text.len + 2);
	if (out->failed)
		return true;
	out->ptr[out->len++] = '"';
	if (text.len)
		memcpy(out->ptr + out->len, text.ptr, text.len);
	out->len += text.len;
	out->ptr[out->len++] = '"';
	out->ptr[out->len] = '\0';
	return true;
}

void json_quote(struct buf *out, struct str text, enum json_quoting quoting)
{
	size_t at = 0, done = 0;

	if (quote_plain(out, text))
		return;
	buf_add_char(out, '"');
	while (at < text.len) {
		size_t start = at;
		uint32_t rune;
		bool escaped;

		if (is_plain(text.ptr[at])) {
			at++;
			continue;
		}
		rune = json_rune(text, &at);
		escaped = is_escaped(rune, quoting);
		if (!escaped && (rune != 0xFFFD || quoting == JSON_QUOTE_BYTES))
			continue;
		buf_add(out, str_head(str_from(text, done), start - done));
		if (escaped)
			put_escaped(out, rune, quoting);
		else
			buf_add_cstr(out, "\xEF\xBF\xBD");
		done = at;
	}
	buf_add(out, str_from(text, done));
	buf_add_char(out, '"');
}

void json_begin(struct buf *out, const char *key)
{
	char last = out->len ? out->ptr[out->len - 1] : '[';

	if (last != '{' && last != '[')
		buf_add_char(out, ',');
	if (key) {
		json_quote(out, str_of(key), JSON_QUOTE_TERMINAL);
		buf_add_char(out, ':');
	}
}

static void write_elements(struct json value, bool named, struct buf *out)
{
	json_foreach(it, value) {
		json_begin(out, named ? json_key(it).ptr : NULL);
		json_write(it, out);
	}
}

void json_write(struct json value, struct buf *out)
{
	switch (json_type(value)) {
	case JSON_ABSENT:
		break;
	case JSON_NULL:
		buf_add_cstr(out, "null");
		break;
	case JSON_BOOL:
		buf_add_cstr(out, json_bool(value, "", false) ? "true" : "false");
		break;
	case JSON_NUMBER:
		buf_add(out, json_digits(value));
		break;
	case JSON_STRING:
		json_quote(out, json_str(value, ""), JSON_QUOTE_TERMINAL);
		break;
	case JSON_ARRAY:
		buf_add_char(out, '[');
		write_elements(value, false, out);
		buf_add_char(out, ']');
		break;
	case JSON_OBJECT:
		buf_add_char(out, '{');
		write_elements(value, true, out);
		buf_add_char(out, '}');
		break;
	}
}

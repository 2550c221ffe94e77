/* SPDX-License-Identifier: Apache-2.0 */
/* The only way to read an object of a cluster. */
#ifndef KUBE_MODEL_JSON_H
#define KUBE_MODEL_JSON_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/base/str.h"

struct json_node;

/* A value in a parsed document.  {NULL} means absent and may be passed to every function. */
struct json {
	const struct json_node *node;
};

#define JSON_NONE ((struct json){ NULL })

enum json_type { JSON_ABSENT, JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/*
 * Parses one document; only white space may follow it.  Free it with json_free().  json_parse() redacts the texts
 * (kube/base/redact.h), because whatever is read may be shown or recorded, but neither keys nor texts that identify an
 * object.  The second function redacts nothing: it is for configuration, and for documents of this program.
 */
int json_parse(struct str bytes, struct json *out, struct err *err) MUST_USE;
int json_parse_verbatim(struct str bytes, struct json *out, struct err *err) MUST_USE;
void json_free(struct json doc);
/* Adds a copy of text, which identifies something, as the first member of an object in doc that has no member of that name.  key is borrowed. */
void json_add_text(struct json doc, struct json object, const char *key, struct str text);

/*
 * A path is a literal such as "status.conditions[type=Ready].reason"; a segment with dots is quoted:
 * "metadata.annotations['a.b/c']"; "items[0]" counts from 0; "" is the value itself.  A value of the wrong type is as
 * good as an absent one: an object of a cluster is foreign data, so an accessor cannot fail, it can only find nothing.
 */
struct json json_at(struct json from, const char *path);
/*
 * Returns a member by its exact name, which may contain every character.  Of several members with that name the last
 * counts, as in Go; in an object of more than 32 members whose names were made to have the same hash it may be the
 * first.
 */
struct json json_member(struct json from, struct str name);

enum json_type json_type(struct json value);
/*
 * Returns the name of a type as encoding/json of Go has it in errors: "string", "object", ...; "nothing" when a value
 * is absent.
 */
const char *json_type_name(enum json_type type);
bool json_is_object(struct json value);
bool json_is_array(struct json value);

/*
 * Returns the text of a string, "" for everything else.  It is borrowed from the document, and a NUL follows it.
 * U+0000 within a text is kept as the two bytes 0xC0 0x80, so that no function of C takes it for the end.
 */
struct str json_str(struct json from, const char *path);
/* Returns false for everything but whole numbers within 2^53. */
int64_t json_int(struct json from, const char *path, int64_t absent);
double json_number(struct json from, const char *path, double absent);
/* Returns a number as it is written, whether a double could hold it or not; "" for everything else. */
struct str json_digits(struct json value);
bool json_bool(struct json from, const char *path, bool absent);
/* Returns a time of RFC 3339 in ms; 0 for everything else. */
int64_t json_time(struct json from, const char *path);
/* Returns true when there is a value and it is not null. */
bool json_has(struct json from, const char *path);

/* Goes through the elements of an array, or the members of an object, in their order. */
struct json json_first(struct json array);
struct json json_next(struct json element);
size_t json_count(struct json array);
/* The name of a member of an object; "" for an element of an array. */
struct str json_key(struct json member);
#define json_foreach(it, array) \
	for (struct json it = json_first(array); it.node; it = json_next(it))

/* Does what utf8_next() does, for a text that is written again: 0xC0 0x80 gives U+0000. */
uint32_t json_rune(struct str text, size_t *at);

/*
 * Which characters are escaped beside those that JSON demands.  Bytes that are no UTF-8 become U+FFFD, except with
 * JSON_QUOTE_BYTES.
 */
enum json_quoting {
	JSON_QUOTE_BYTES,	/* no others: every other byte stays as it is */
	JSON_QUOTE_TERMINAL,	/* those that must never reach a terminal (utf8_hostile()) */
};
/* Appends text as a JSON string, with its quotes. */
void json_quote(struct buf *out, struct str text, enum json_quoting quoting);

/*
 * Begins a member of an object that is written down, or an element of an array, whose key is NULL: a comma unless out
 * is empty or ends with an opening bracket, the key as JSON_QUOTE_TERMINAL has it, and a colon.  The value is added behind it.
 */
void json_begin(struct buf *out, const char *key);
/* Appends value on one line, its texts as JSON_QUOTE_TERMINAL has them; nothing of what is absent. */
void json_write(struct json value, struct buf *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The only way to read a cluster object. */
#ifndef KUBE_MODEL_JSON_H
#define KUBE_MODEL_JSON_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/base/str.h"

struct json_node;

/* A value in a parsed document.  {NULL} means absent and may be passed anywhere. */
struct json {
	const struct json_node *node;
};

#define JSON_NONE ((struct json){ NULL })

enum json_type { JSON_ABSENT, JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/*
 * One document; nothing but white space may follow.  Free with json_free().
 * Its texts are redacted (kube/base/redact.h), as whatever is read is shown or recorded; not so keys, and texts that
 * identify an object.  The second one redacts nothing: for configurations, and for documents of our own.
 */
int json_parse(struct str bytes, struct json *out, struct err *err) MUST_USE;
int json_parse_verbatim(struct str bytes, struct json *out, struct err *err) MUST_USE;
void json_free(struct json doc);

/*
 * Paths are literals such as "status.conditions[type=Ready].reason"; a segment
 * with dots is quoted: "metadata.annotations['a.b/c']"; "items[0]" counts from 0.
 * "" is the value itself.  Wrong type and absent are the same answer: a cluster
 * object is foreign data, so no accessor can fail, only find nothing.
 */
struct json json_at(struct json from, const char *path);
/*
 * A member by its exact name, which may hold any character.  Of several the last, as in Go, unless the object
 * has more than 32 members and their names were made to have one hash: then it may be the first.
 */
struct json json_member(struct json from, struct str name);

enum json_type json_type(struct json value);
/* "string", "object", ...: as Go's encoding/json names them in errors; "nothing" when absent. */
const char *json_type_name(struct json value);
bool json_is_object(struct json value);
bool json_is_array(struct json value);

/*
 * Strings only; "" otherwise.  Borrowed from the document; a NUL follows.  A NUL
 * within a text is the two bytes 0xC0 0x80, at which no function of C cuts it.
 */
struct str json_str(struct json from, const char *path);
/* Whole numbers within 2^53 only. */
int64_t json_int(struct json from, const char *path, int64_t absent);
double json_number(struct json from, const char *path, double absent);
/* The number as it is written, whatever a double could hold; "" for all else. */
struct str json_digits(struct json value);
bool json_bool(struct json from, const char *path, bool absent);
/* RFC 3339, in ms; 0 otherwise. */
int64_t json_time(struct json from, const char *path);
/* True when there is a value that is not null. */
bool json_has(struct json from, const char *path);

/* Elements of an array, or members of an object, in their order. */
struct json json_first(struct json array);
struct json json_next(struct json element);
size_t json_count(struct json array);
/* The name of a member of an object, "" of an element. */
struct str json_key(struct json member);
#define json_foreach(it, array) \
	for (struct json it = json_first(array); it.node; it = json_next(it))

/* As utf8_next(), of a text that is written down again: 0xC0 0x80 gives U+0000. */
uint32_t json_rune(struct str text, size_t *at);

/* What is escaped beside what JSON demands; bytes that are no UTF-8 become U+FFFD but with JSON_QUOTE_BYTES. */
enum json_quoting {
	JSON_QUOTE_BYTES,	/* nothing: every other byte stays as it is */
	JSON_QUOTE_GO,		/* as encoding/json: also <, >, &, U+2028 and U+2029 */
	JSON_QUOTE_TERMINAL,	/* what must never reach a terminal (utf8_hostile) */
};
/* Appends text as a JSON string, with its quotes. */
void json_quote(struct buf *out, struct str text, enum json_quoting quoting);

#endif

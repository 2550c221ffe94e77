/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON documents that are no objects of a cluster: what credential plugins and token endpoints answer, lists of kinds,
 * preferences, and all that the program writes.  document.c owns cJSON.  Objects of a cluster are read by json.h.
 */
#ifndef KUBE_MODEL_DOCUMENT_H
#define KUBE_MODEL_DOCUMENT_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/model/json.h"

struct cJSON;

/* ---- reading ------------------------------------------------------------- */

/*
 * Do what json_parse() and json_parse_verbatim() do, for a document that a person or a server could make too large: ERR_PROTO, too,
 * where it is larger than LIMIT_DOCUMENT or has more than LIMIT_DOCUMENT_VALUES values.  The second function refuses a NUL: it is for
 * configurations, credentials, and documents of our own.
 */
int document_read(struct str text, struct json *out, struct err *err) MUST_USE;
int document_read_verbatim(struct str text, struct json *out, struct err *err) MUST_USE;

/* ---- writing ------------------------------------------------------------- */

/* A document, or a value in one.  {NULL} means absent and may be passed anywhere. */
struct document {
	struct cJSON *node;
};

#define DOCUMENT_NONE ((struct document){ NULL })

/* Empty ones, to be filled.  Free with document_free() unless they are added to another one. */
struct document document_object(void);
struct document document_array(void);
void document_free(struct document doc);
/*
 * Adds a member, or to an array an element, of which key is NULL.  The key is borrowed and must live as long as the
 * document: a word of the program, of letters and digits.
 * document_add() takes value over.  document_add_object() and document_add_array() return what they added.
 */
void document_add(struct document to, const char *key, struct document value);
struct document document_add_object(struct document to, const char *key);
struct document document_add_array(struct document to, const char *key);
/* Adds an array for n elements; returns DOCUMENT_NONE and adds nothing when n is 0. */
struct document document_add_list(struct document to, const char *key, size_t n);
/* The text may be foreign: what must never reach a terminal is escaped, bytes that are no UTF-8 become U+FFFD. */
void document_add_string(struct document to, const char *key, struct str text);
/* The same, but nothing when the text is empty. */
void document_add_text(struct document to, const char *key, struct str text);
void document_add_int(struct document to, const char *key, int64_t value);
/* Finite; at most six digits of what is not whole. */
void document_add_number(struct document to, const char *key, double value);
void document_add_bool(struct document to, const char *key, bool value);
/* RFC 3339 in UTC; nothing when 0. */
void document_add_time(struct document to, const char *key, int64_t ms);
/* Text that is JSON already, such as an object of a cluster: copied, and written as it is, also where all else is indented. */
void document_add_raw(struct document to, const char *key, struct str json);

/* Appends the document on one line, without a line's end. */
void document_write(struct document doc, struct buf *out);
/* Appends it indented by four blanks a level, as kubectl prints JSON, without a line's end. */
void document_print(struct document doc, struct buf *out);

/*
 * An indented document that is too long to be held: what it holds is made, written and freed value by value.
 * {.out = buf} is one of which nothing is written yet.
 */
struct document_stream {
	struct buf *out;
	unsigned depth;
	bool started;	/* the open object or array is not empty */
};

/* bracket: '{' or '['; and '}' or ']'.  key is NULL in an array, and for the document itself. */
void document_open(struct document_stream *s, const char *key, char bracket);
void document_close(struct document_stream *s, char bracket);
/* Writes value as an element of the open array and frees it. */
void document_put(struct document_stream *s, struct document value);
/* Writes the members of an object as members of the open object and frees it. */
void document_put_members(struct document_stream *s, struct document object);

#endif

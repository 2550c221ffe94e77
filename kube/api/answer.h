/* SPDX-License-Identifier: Apache-2.0 */
/* Error answers of an API server in kubectl's words, and its warnings. */
#ifndef KUBE_API_ANSWER_H
#define KUBE_API_ANSWER_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/model/document.h"

/* An answer that is no success.  Everything is borrowed. */
struct answer {
	int status;		/* the HTTP status */
	struct str content_type, body;
	struct str retry_after;	/* the header's value, "" when absent */
	struct str what;	/* "get pods", for answers without words */
	struct str listed;	/* "apps/v1, Resource=deployments" when it was a list, else "" */
};

/*
 * Fills in *out and returns -1, always.  Messages that begin with "Error from server" or "Unable to" are whole
 * sentences: kubectl prints nothing before them.
 */
int answer_error(const struct answer *a, struct err *out);
/* Returns true when value is a Status object of a failure. */
bool answer_is_failure(struct json value);
/* Reads a Status object, as in the body of an error or in an ERROR event.  Returns -1. */
int answer_status(struct json status, const struct answer *a, struct err *out);
/* Returns ERR_PROTO for a success whose body is certainly no JSON; 0 when it may be JSON. */
int answer_check_type(struct str content_type, struct err *out) MUST_USE;

/* A successful answer to a request for a range of bytes: its headers, "" where it has none, and the length of its body. */
struct answer_part {
	int status;
	struct str content_type, content_range, content_encoding;
	size_t len;
};

/*
 * Returns 0 when the answer is the n bytes from from on, fewer only where what it is a part of ends; or with status 200 the
 * whole.  Else ERR_PROTO: a cache, a proxy or a login page may answer with something else.
 */
int answer_check_part(const struct answer_part *a, uint64_t from, uint64_t n, struct err *out) MUST_USE;

/* Reads Retry-After: whole seconds, at most 30; -1 when the header is absent or a date. */
int answer_retry_after(struct str header);

/*
 * Takes the next warning off *rest, which is the value of a Warning header, and writes its text to out, without control
 * characters.  Only warnings with code 299 count.  Returns false at the end.
 */
bool answer_warning(struct str *rest, struct buf *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What a scalar of YAML means, and how values are spelled, independent of any parser. */
#ifndef KUBE_MODEL_YAML_SCALAR_H
#define KUBE_MODEL_YAML_SCALAR_H

#include "kube/base/buf.h"
#include "kube/base/str.h"

enum scalar_type {
	SCALAR_STRING,
	SCALAR_NULL,
	SCALAR_BOOL,
	SCALAR_INT,	/* -2^63 .. 2^64 - 1 */
	SCALAR_FLOAT,
	SCALAR_TIME,	/* it is written into JSON as the string that it is */
	SCALAR_MERGE	/* "<<": written as a string, too, unless it is a key */
};

struct scalar {
	enum scalar_type type;
	bool negative;	/* for an int: it has a minus sign */
	uint64_t whole;	/* for an int its absolute value; for a bool 0 or 1 */
	double real;	/* for a float; may be infinite or NaN */
};

/*
 * Tells what text means with that tag: without a tag ("") as go-yaml v2 resolves a plain scalar; with !!str, "!" and
 * unknown tags it is a string.  Returns false when text is not what the tag says, such as !!int x.
 */
bool scalar_resolve(struct str tag, struct str text, struct scalar *out) MUST_USE;

/* Returns true when text needs quotes, because a reader of YAML 1.1 could take it for something else than a string. */
bool scalar_needs_quotes(struct str text);

/* Appends the JSON value.  Returns false for numbers that JSON does not have: .inf, .nan. */
bool scalar_put_json(struct buf *out, struct scalar value, struct str text) MUST_USE;

/*
 * Appends the name, without quotes, that a key has as a member of an object.  Returns false for what cannot be a name:
 * null, numbers over 2^63.
 */
bool scalar_put_key(struct buf *out, struct scalar value, struct str text) MUST_USE;

/* Appends a finite number in its shortest spelling, as kubectl does: 3, 0.1, 1e+20. */
void scalar_put_number(struct buf *out, double value);

#endif

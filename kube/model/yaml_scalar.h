/* SPDX-License-Identifier: Apache-2.0 */
/* What a scalar of YAML means, and how values are spelled; knows no parser. */
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
	SCALAR_TIME,	/* goes into JSON as the string that it is */
	SCALAR_MERGE	/* "<<": likewise, unless it is a key */
};

struct scalar {
	enum scalar_type type;
	bool negative;	/* of an int */
	uint64_t whole;	/* of an int: its amount; of a bool: 0 or 1 */
	double real;	/* of a float; may be infinite or no number */
};

/*
 * What text means with that tag: as go-yaml v2 resolves a plain scalar when it
 * is "", a string with !!str, "!" and unknown ones.  False when text is not
 * what the tag says, such as !!int x.
 */
bool scalar_resolve(struct str tag, struct str text, struct scalar *out) MUST_USE;

/* True when text must not stand unquoted: a reader of YAML 1.1 could take it for no string. */
bool scalar_needs_quotes(struct str text);

/* Appends the JSON value.  False for what JSON has no number for: .inf, .nan. */
bool scalar_put_json(struct buf *out, struct scalar value, struct str text) MUST_USE;

/*
 * Appends the name that a key has as member of an object, not quoted.  False
 * when it can be none: null, over 2^63.
 */
bool scalar_put_key(struct buf *out, struct scalar value, struct str text) MUST_USE;

/* Appends a finite number in its shortest form, as kubectl does: 3, 0.1, 1e+20. */
void scalar_put_number(struct buf *out, double value);

#endif

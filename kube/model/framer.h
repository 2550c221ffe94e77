/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a stream of JSON into the pieces that are worth parsing, as the bytes
 * arrive and at any split: the items of a list, or the events of a watch.
 * metadata.managedFields (and other heavy members) are left out on the way.
 */
#ifndef KUBE_MODEL_FRAMER_H
#define KUBE_MODEL_FRAMER_H

#include "kube/base/buf.h"
#include "kube/base/err.h"

enum framer_mode {
	FRAMER_LIST,	/* one document; each element of its member "items" is a piece */
	FRAMER_STREAM	/* values one after the other; each is a piece */
};

struct framer_ops {
	/* One complete JSON value.  Returns -1 to stop; framer_feed() passes that on. */
	int (*piece)(void *ctx, struct str piece, struct err *err);
};

struct framer;

struct framer *framer_new(enum framer_mode mode, const struct framer_ops *ops, void *ctx);
/*
 * ERR_PROTO at the first token that cannot stand where it does (the text within items and within what is left out is
 * judged as far as its strings, brackets, commas and colons go), too deep (LIMIT_DEPTH) or too large (LIMIT_OBJECT).
 */
int framer_feed(struct framer *f, struct str bytes, struct err *err) MUST_USE;
/* A value has begun and not ended. */
bool framer_within(const struct framer *f);
/* At the end of input: ERR_PROTO when it ended within a value. */
int framer_end(struct framer *f, struct err *err) MUST_USE;
/* FRAMER_LIST: the document around the items ("items":[] stays), valid after framer_end(). */
struct str framer_envelope(const struct framer *f);
/* FRAMER_LIST: items that are neither object nor array, which are no pieces. */
size_t framer_scalars(const struct framer *f);
void framer_reset(struct framer *f);
void framer_free(struct framer *f);

#endif

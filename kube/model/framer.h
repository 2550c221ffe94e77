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
#include "kube/model/json.h"

/*
 * The member of an object that cannot be read as a whole, with the reason: it is too deep (LIMIT_DEPTH), too large
 * (LIMIT_OBJECT), or no JSON.  Beside it such an object has only what tells which it is: apiVersion, kind, and of its
 * metadata name, namespace, uid, resourceVersion, generation and when it was created and deleted.  No API has a field of that name.
 */
#define FRAMER_UNREAD "kubectl-status/unread"

enum framer_mode {
	FRAMER_LIST,	/* one document; each element of its member "items" is a piece */
	FRAMER_STREAM	/* values one after the other; each is a piece */
};

struct framer_ops {
	/* Takes one complete JSON value.  It returns -1 to stop, which framer_feed() returns in turn. */
	int (*piece)(void *ctx, struct str piece, struct err *err);
};

struct framer;

struct framer *framer_new(enum framer_mode mode, const struct framer_ops *ops, void *ctx);
/* Makes the pieces have their managedFields. */
void framer_keep_managed(struct framer *f);
/*
 * Returns ERR_PROTO at the first token that cannot stand where it does.  Of the text within items, and of what is left
 * out, only strings, brackets, commas and colons are checked.  A piece that is too deep or too large ends nothing: it is
 * reduced to an object with FRAMER_UNREAD, within its event in a stream; where not even its name can be kept, to
 * FRAMER_UNREAD alone.
 */
int framer_feed(struct framer *f, struct str bytes, struct err *err) MUST_USE;
/*
 * Parses a piece.  One that is no JSON is reduced in the same way: then *piece is what was kept of it, in *reduced, which
 * the caller releases.  Returns -1 when nothing of it can be read.
 */
int framer_read(struct str *piece, struct buf *reduced, struct json *out) MUST_USE;
/* Returns true when a value has begun and not ended. */
bool framer_within(const struct framer *f);
/* Call it at the end of the input: ERR_PROTO when the input ended within a value. */
int framer_end(struct framer *f, struct err *err) MUST_USE;
/* For FRAMER_LIST: the document around the items ("items":[] stays), valid after framer_end(). */
struct str framer_envelope(const struct framer *f);
/* For FRAMER_LIST: the number of items that are neither object nor array, and hence no pieces. */
size_t framer_scalars(const struct framer *f);
void framer_reset(struct framer *f);
void framer_free(struct framer *f);

#endif

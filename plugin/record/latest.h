/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the last version of each object as JSON text, compressed.  The texts are read from a recording, or written to a
 * new one.
 */
#ifndef PLUGIN_RECORD_LATEST_H
#define PLUGIN_RECORD_LATEST_H

#include "kube/base/buf.h"
#include "kube/model/store.h"

struct latest;

/* Returns an empty store of texts.  Free with latest_free(). */
struct latest *latest_new(void);
/* NULL is allowed. */
void latest_free(struct latest *l);
/*
 * Stores the text of an object; kind is the id of its kind, now is in ms.  Texts of one kind are stored as differences
 * from each other, except for the last 4 MiB.
 */
void latest_put(struct latest *l, struct handle h, uint32_t kind, struct str text, int64_t now);
/* Notes when the last verdict on the object was computed, ms. */
void latest_judged(struct latest *l, struct handle h, int64_t now);
/* Appends the text; *out_judged is the time of the last verdict, ms.  Returns false when there is no text. */
bool latest_get(const struct latest *l, struct handle h, struct buf *out, int64_t *out_judged);
/* Returns the bytes of all texts, not compressed. */
size_t latest_size(const struct latest *l);
/*
 * Appends the text as it is stored, which is quick.  latest_paste() appends the text of the first of such copies, and
 * returns the bytes of that copy.
 */
bool latest_copy(const struct latest *l, struct handle h, struct buf *out, int64_t *out_judged);
size_t latest_paste(const struct latest *l, struct str copies, struct buf *out);

#endif

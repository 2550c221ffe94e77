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
 * Stores the text of an object, which is not empty; kind is the id of its kind, now is in ms.  Texts of one kind are stored
 * as differences from each other, except for the newest ones, of at most 8 MiB.
 */
void latest_put(struct latest *l, struct handle h, uint32_t kind, struct str text, int64_t now);
/* Forgets the text of the object in that slot, if there is one. */
void latest_drop(struct latest *l, uint32_t slot);
/* Notes when the last verdict on the object was computed, ms. */
void latest_judged(struct latest *l, struct handle h, int64_t now);
/* Appends the text; *out_judged is the time of the last verdict, ms.  Returns false when there is no text. */
bool latest_get(const struct latest *l, struct handle h, struct buf *out, int64_t *out_judged);
/* Does the same without the text. */
bool latest_has(const struct latest *l, struct handle h, int64_t *out_judged);
/* Returns the bytes of all texts, not compressed. */
size_t latest_size(const struct latest *l);

/*
 * A view of all texts as they were when it was made, while latest_put() goes on.  It takes memory only for the texts that
 * are replaced before they were read.
 */
struct latest_view;

/* l is borrowed until latest_view_free(). */
struct latest_view *latest_view_new(struct latest *l);
/* NULL is allowed. */
void latest_view_free(struct latest_view *v);
/*
 * Appends the text that the object had.  Objects are read in the order of their slots, each once.  Returns false when
 * there was no text.
 */
bool latest_view_get(struct latest_view *v, struct handle h, struct buf *out);

#endif

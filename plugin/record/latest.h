/* SPDX-License-Identifier: Apache-2.0 */
/* The last version of each object as JSON text, compressed: read from a recording, or to begin a new one with. */
#ifndef PLUGIN_RECORD_LATEST_H
#define PLUGIN_RECORD_LATEST_H

#include "kube/base/buf.h"
#include "kube/model/store.h"

struct latest;

struct latest *latest_new(void);
/* NULL is allowed. */
void latest_free(struct latest *l);
/* kind: its id.  Texts of one kind are stored as differences from each other, but for the last 4 MiB.  now: ms. */
void latest_put(struct latest *l, struct handle h, uint32_t kind, struct str text, int64_t now);
/* Notes the time of the last verdict on it, ms. */
void latest_judged(struct latest *l, struct handle h, int64_t now);
/* Appends the text; *out_judged is the time of the last verdict.  False when there is none. */
bool latest_get(const struct latest *l, struct handle h, struct buf *out, int64_t *out_judged);
/* The bytes of all texts. */
size_t latest_size(const struct latest *l);
/*
 * Appends the text as it is stored, which takes no time; latest_paste() appends the text of such a copy, which others may follow,
 * and returns the copy's bytes.
 */
bool latest_copy(const struct latest *l, struct handle h, struct buf *out, int64_t *out_judged);
size_t latest_paste(const struct latest *l, struct str copies, struct buf *out);

#endif

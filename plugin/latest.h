/* SPDX-License-Identifier: Apache-2.0 */
/* The last text of each object, packed: as read from a recording, or to begin a new one with. */
#ifndef PLUGIN_LATEST_H
#define PLUGIN_LATEST_H

#include "kube/base/buf.h"
#include "kube/model/store.h"

struct latest;

struct latest *latest_new(void);
/* NULL is allowed. */
void latest_free(struct latest *l);
/* Texts of one kind are packed together: the more they have in common the less they take. */
void latest_put(struct latest *l, struct handle h, uint32_t kind, struct str text, int64_t now);
/* It was judged again. */
void latest_judged(struct latest *l, struct handle h, int64_t now);
/* Appends it, with when it was judged last; false when there is none. */
bool latest_get(const struct latest *l, struct handle h, struct buf *out, int64_t *out_judged);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The undo log: every record that the store or the graph replaced, newest last, with a mark at the end of each
 * settle.  Replaced records move here instead of being freed, so that writing costs next to nothing.  Above the
 * ceiling the oldest settles are freed, each as a whole.  kube/graph/past.h goes back in time with it.
 */
#ifndef KUBE_JOURNAL_UNDO_H
#define KUBE_JOURNAL_UNDO_H

#include "kube/base/intern.h"
#include "kube/model/undo_entry.h"

#include <stddef.h>

struct undo_log;

/* ceiling: bytes, 0: no limit.  words: the interned strings of packed objects; they are borrowed. */
struct undo_log *undo_new(struct intern *words, size_t ceiling);
/* log may be NULL. */
void undo_free(struct undo_log *h);
/* Takes over the allocations of the entry. */
void undo_add(struct undo_log *h, const struct undo_entry *e);
/* Adds a mark at that time (ms), unless nothing was written since the last one. */
void undo_mark(struct undo_log *h, int64_t time);
/* Removes the newest entry, which the caller then owns; returns false when there is none. */
bool undo_take(struct undo_log *h, struct undo_entry *out);
/* Entries are numbered from 0; those from undo_first() to undo_end() - 1 can be undone. */
uint64_t undo_first(const struct undo_log *h);
uint64_t undo_end(const struct undo_log *h);
const struct undo_entry *undo_at(const struct undo_log *h, uint64_t number);
/* The time of the oldest mark, ms; 0: there is none. */
int64_t undo_from(const struct undo_log *h);
/* Bytes in use. */
size_t undo_size(const struct undo_log *h);
/* Frees the allocations of the entry. */
void undo_drop(const struct undo_log *h, struct undo_entry *e);

#endif

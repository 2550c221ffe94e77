/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An undo log: every record that the store or the graph replaced, newest last, with a mark at the end of each
 * settle.  Replaced records move here instead of being freed, so that writing costs next to nothing.  Above the
 * ceiling the oldest entries are freed.  kube/graph/past.h goes back in time with it.
 */
#ifndef KUBE_MODEL_HISTORY_H
#define KUBE_MODEL_HISTORY_H

#include "kube/base/intern.h"

#include <stdint.h>

enum history_what {
	HISTORY_NODE,		/* a node of the store; record is a packed object */
	HISTORY_COVERAGE,	/* of the store */
	HISTORY_HEALTH,		/* of the graph; record is a health */
	HISTORY_SETTLED		/* the mark: the world was settled at that time */
};

struct history_entry {
	int64_t time;		/* HISTORY_SETTLED: ms */
	void *state, *record;	/* before the change; one allocation each, NULL: none */
	char *name;		/* HISTORY_NODE: of a node that was freed; else NULL */
	uint32_t ns;		/* its interned namespace */
	uint32_t slot;
	uint32_t state_size, size;	/* bytes: of state; of record and name */
	uint8_t what;
	bool same;		/* the record did not change and is not here */
};

struct history;

/* ceiling: bytes, 0: no limit.  words: the interned strings of packed objects; borrowed. */
struct history *history_new(struct intern *words, size_t ceiling);
/* NULL is allowed. */
void history_free(struct history *h);
/* Takes over the allocations of the entry. */
void history_add(struct history *h, const struct history_entry *e);
/* Adds a mark at that time (ms), unless nothing was written since the last one. */
void history_settled(struct history *h, int64_t time);
/* Removes the newest entry, which the caller then owns; false when there is none. */
bool history_take(struct history *h, struct history_entry *out);
/* Entries are numbered from 0; those from history_first() to history_end() - 1 can be undone. */
uint64_t history_first(const struct history *h);
uint64_t history_end(const struct history *h);
const struct history_entry *history_at(const struct history *h, uint64_t number);
/* The time of the oldest mark, ms; 0: there is none. */
int64_t history_from(const struct history *h);
/* Bytes in use. */
size_t history_size(const struct history *h);
/* Frees the allocations of the entry. */
void history_drop(const struct history *h, struct history_entry *e);

#endif

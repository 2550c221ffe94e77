/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An undo log: each state that the store or the graph replaced, newest last, with a mark at the end of each
 * settle.  What was replaced moves here instead of being freed, so that writing costs next to nothing, and
 * when nothing changes nothing is written.  Over the ceiling the oldest goes first.  kube/graph/past.h goes back with it.
 */
#ifndef KUBE_MODEL_HISTORY_H
#define KUBE_MODEL_HISTORY_H

#include "kube/base/intern.h"

#include <stdint.h>

enum history_what {
	HISTORY_NODE,		/* of the store: state is its own, record a packed object */
	HISTORY_COVERAGE,	/* of the store */
	HISTORY_HEALTH,		/* of the graph: record is a health */
	HISTORY_SETTLED		/* all before is how it looked from that time on */
};

struct history_entry {
	int64_t time;		/* HISTORY_SETTLED: ms */
	void *state, *record;	/* as they were; one allocation each, NULL: there was none */
	char *name;		/* HISTORY_NODE: of one that was freed; else NULL */
	uint32_t ns;		/* and the word that it used */
	uint32_t slot;
	uint32_t state_size, size;	/* bytes: of state; of record and name */
	uint8_t what;
	bool same;		/* the record was not replaced, and is not here */
};

struct history;

/* ceiling: bytes, 0: none.  words: what packed objects use; borrowed. */
struct history *history_new(struct intern *words, size_t ceiling);
/* NULL is allowed. */
void history_free(struct history *h);
/* Takes what the entry has. */
void history_add(struct history *h, const struct history_entry *e);
/* Whoever goes by the time has settled: a mark, unless nothing was written since the one before. */
void history_settled(struct history *h, int64_t time);
/* The newest entry, which is the caller's from now on; false: there is none. */
bool history_take(struct history *h, struct history_entry *out);
/* Entries are numbered from 0 on; those from history_first() to below history_end() can be undone. */
uint64_t history_first(const struct history *h);
uint64_t history_end(const struct history *h);
const struct history_entry *history_at(const struct history *h, uint64_t number);
/* How far back it reaches: the time of the oldest mark; 0: there is none. */
int64_t history_from(const struct history *h);
/* All that it holds, in bytes. */
size_t history_size(const struct history *h);
/* Frees what the entry has. */
void history_drop(const struct history *h, struct history_entry *e);

#endif

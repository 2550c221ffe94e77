/* SPDX-License-Identifier: Apache-2.0 */
/* How the store keeps a status: one allocation, words interned, text once. */
#ifndef KUBE_MODEL_PACK_H
#define KUBE_MODEL_PACK_H

#include "kube/base/limits.h"
#include "kube/model/store.h"

/* A text is a number: 0 empty; top bit: interned; else an offset into the record's text. */

/* What many edges have in common is one word: an interned struct edge_shape. */
struct packed_edge {
	uint32_t target, shape, message;
};

/* How a uid is kept: as its 16 bytes where it is a UUID as an API server writes it. */
enum uid_form { UID_NONE, UID_BYTES, UID_TEXT };
enum { UID_SIZE = 16 };

/*
 * Most are pods that are well, a hundred thousand of them: what these do not need stands in struct packed_rare.
 * Arrays follow in the order of pack.c's struct layout, then the text.
 */
struct packed {
	const struct family *family;
	int64_t created, generation, since;
	uint32_t size;
	uint32_t text;		/* where the text starts, from the record's start */
	uint32_t operator_phase, reason, message, rule;
	uint8_t uid[UID_SIZE];	/* UID_TEXT: a number as the other texts */
	uint8_t phase, severity;
	uint8_t nedges, nconditions, nexternal, nhistory, nflags, nfinalizers;
	bool stale : 1, ever_ready : 1, complete : 1, untouched : 1, own_failure : 1, by_time : 1;
	uint8_t uid_form : 2, nasync : 1, nrare : 1;
};

/* Owned by the caller: packed_free().  Uses the words that it has. */
struct packed *pack(struct intern *words, const struct object_meta *meta, const struct status *status,
		    const uint32_t *targets);
/* For a store whose words are a copy of those of p's; NULL is allowed. */
struct packed *packed_copy(const struct packed *p);
/* NULL is allowed. */
void packed_free(struct intern *words, struct packed *p);
bool packed_equal(const struct packed *a, const struct packed *b);
const struct packed_edge *packed_edges(const struct packed *p);

/* All but the uid. */
void unpack_meta(const struct intern *words, const struct packed *p, struct object_meta *out);
/* Borrowed from the record or made in the arena. */
struct str unpack_uid(const struct intern *words, const struct packed *p, struct arena *arena);
void unpack_brief(const struct intern *words, const struct packed *p, struct status *out);
void unpack_arrays(const struct intern *words, const struct packed *p, struct arena *arena, struct status *out);
double packed_percent(const struct packed *p);
struct edge unpack_edge(const struct intern *words, const struct packed *p, size_t i);
/* Without its texts. */
struct edge unpack_edge_ends(const struct intern *words, const struct packed *p, size_t i);

#endif

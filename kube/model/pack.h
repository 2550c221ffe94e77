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

/* Arrays follow in the order of the counts, then the text. */
struct packed {
	const struct family *family;
	int64_t created, deleting, generation, since, revisit;
	uint32_t size;
	uint32_t file;
	struct replicas replicas;
	uint32_t uid, version, operator_phase, reason, message, rule, version_from, version_to;
	uint32_t text;		/* where the text starts, from the record's start */
	uint8_t phase, severity;
	bool stale, ever_ready, complete, untouched, own_failure, by_time;
	uint8_t nasync;		/* 0 or 1 */
	uint16_t nedges, nconditions, nexternal, nhistory, nflags, nfinalizers;
};

/* Owned by the caller: packed_free().  Uses the words that it has. */
struct packed *pack(struct intern *words, const struct object_meta *meta, const struct status *status,
		    const uint32_t *targets);
/* NULL is allowed. */
void packed_free(struct intern *words, struct packed *p);
bool packed_equal(const struct packed *a, const struct packed *b);
const struct packed_edge *packed_edges(const struct packed *p);

void unpack_meta(const struct intern *words, const struct packed *p, struct object_meta *out);
void unpack_brief(const struct intern *words, const struct packed *p, struct status *out);
void unpack_arrays(const struct intern *words, const struct packed *p, struct arena *arena, struct status *out);
double packed_percent(const struct packed *p);
struct edge unpack_edge(const struct intern *words, const struct packed *p, size_t i);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The form in which the store keeps a status: one allocation, in which words are interned and each text stands once. */
#ifndef KUBE_MODEL_PACK_H
#define KUBE_MODEL_PACK_H

#include "kube/base/limits.h"
#include "kube/model/store.h"

/*
 * A text as a number: 0 is the empty text; with the top bit it is interned; else it is an offset into the text of the
 * record.
 */

/* What many edges have in common is one interned word: a struct edge_shape. */
struct packed_edge {
	uint32_t target, shape, message;
};

/* How a uid is kept: as 16 bytes when it is a UUID in the spelling of the API server. */
enum uid_form { UID_NONE, UID_BYTES, UID_TEXT };
enum { UID_SIZE = 16, PACKED_SECTIONS = 8 };

/*
 * Most records are of healthy pods, perhaps a hundred thousand of them: what these do not need stands in struct
 * packed_rare.  The arrays follow in the order of struct layout in pack.c, and then the text.
 */
struct packed {
	const struct family *family;
	int64_t created, generation, since;
	uint32_t size;
	uint32_t text;		/* offset of the text from the start of the record */
	uint32_t operator_phase, reason, message, rule;
	uint8_t uid[UID_SIZE];	/* with UID_TEXT: the number of a text */
	uint8_t phase, severity;
	uint8_t nedges, nconditions;
	uint8_t counts[PACKED_SECTIONS - 2];	/* of the sections in pack.c behind these of async and earlier */
	bool stale : 1, ever_ready : 1, complete : 1, untouched : 1, manifest : 1, own_failure : 1, by_time : 1, retried : 1;
	uint8_t uid_form : 2, nrare : 1, nasync : 1, nearlier : 1, blames : 2, runs_out : 1;
	uint32_t row;
};

/*
 * Packs a status.  The caller owns the record: packed_free().  The record uses interned words, which packed_free()
 * gives back.
 */
struct packed *pack(struct intern *words, const struct object_meta *meta, const struct status *status,
		    const uint32_t *targets);
/* Copies a record for a store whose words are a copy of the words of p's store; p may be NULL. */
struct packed *packed_copy(const struct packed *p);
/* p may be NULL. */
void packed_free(struct intern *words, struct packed *p);
/* Returns the bytes of the words that the record uses; of a word that has other uses, too, its share.  p may be NULL. */
size_t packed_words_size(const struct intern *words, const struct packed *p);
bool packed_equal(const struct packed *a, const struct packed *b);
const struct packed_edge *packed_edges(const struct packed *p);

/* Compares everything except the uid. */
void unpack_meta(const struct intern *words, const struct packed *p, struct object_meta *out);
/* The text is borrowed from the record or made in the arena. */
struct str unpack_uid(const struct intern *words, const struct packed *p, struct arena *arena);
void unpack_brief(const struct intern *words, const struct packed *p, struct status *out);
void unpack_arrays(const struct intern *words, const struct packed *p, struct arena *arena, struct status *out);
double packed_percent(const struct packed *p);
struct edge unpack_edge(const struct intern *words, const struct packed *p, size_t i);
/* Unpacks without the texts. */
struct edge unpack_edge_ends(const struct intern *words, const struct packed *p, size_t i);

#endif

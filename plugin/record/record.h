/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes single lines of a recording after its header (docs/recordings.md). */
#ifndef PLUGIN_RECORD_RECORD_H
#define PLUGIN_RECORD_RECORD_H

#include "kube/base/buf.h"
#include "kube/model/json.h"
#include "kube/model/kind.h"
#include "kube/model/managed_fields.h"

/* What discovery tells of a kind; the rest of its flags is learned from objects, which are in the recording. */
#define RECORD_KIND_FLAGS (KIND_NAMESPACED | KIND_LIST | KIND_WATCH | KIND_GET | KIND_HAS_STATUS | KIND_DISCOVERED | KIND_CUSTOM)
/* The annotation with which a server marks the end of the list in a watch that begins with one, and a recorder that of its first lists. */
#define RECORD_LOADED "k8s.io/initial-events-end"

/*
 * Returns true when the record has only words and numbers that a recorder writes: its type, its time, the identity of
 * the object, and its other members (phases, counts, coverage, names).  Any other line is damaged.
 */
bool record_is_valid(struct json record);
/* Returns true for a mark, which has a time and nothing else: nothing happened until then, or a state is complete. */
bool record_is_mark(struct json record);

/*
 * Appends the object as it is recorded: redacted (redact.h), and of the schemas in a CustomResourceDefinition only the
 * fields of the status, their types and enumerations.  kind is that of redact_object().
 */
void record_object(struct json object, const struct kind *kind, struct buf *out);

/*
 * Appends who changed an object, as an array: at most EDITS edits, the newest first.  Credentials are left out, and of a
 * Secret what its annotations and labels tell.
 */
void record_edits(const struct edit *all, size_t n, const struct kind *kind, struct buf *out);
/* Reads that array back.  Returns the number of edits, whose texts are borrowed from it and whose arrays are in the arena. */
size_t record_read_edits(struct json edits, struct arena *arena, struct edit out[EDITS]);

#endif

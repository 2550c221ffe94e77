/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 1 of a verdict: from a parsed object to a packed record in the store. */
#ifndef KUBE_STATUS_ENGINE_H
#define KUBE_STATUS_ENGINE_H

#include "kube/model/json.h"
#include "kube/model/store.h"

struct engine;
struct family;
struct labels;
struct usage;

/*
 * families ends with NULL.  The family that has neither groups nor claims() takes the objects that no other family
 * takes.
 */
struct engine *engine_new(const struct family *const *families, struct store *store);
void engine_free(struct engine *e);
/* From now on the labels of every object that is put are noted in labels, too, which is borrowed.  NULL ends that. */
void engine_note_labels(struct engine *e, struct labels *labels);
/* Does the same with what pods and nodes use, as the objects of metrics.k8s.io tell. */
void engine_note_usage(struct engine *e, struct usage *usage);

/*
 * Judges an object and puts it into the store.  kind may be NULL: then it is
 * taken from apiVersion and kind.  file as in struct object_meta.
 * name stands in for a missing metadata.name, and what has none is never Ready;
 * CHANGE_NONE when both are empty.
 * With another uid it is another object of that name: CHANGE_ADDED, the old handle is dead.
 */
struct engine_source {
	uint16_t cluster;
	const struct kind *kind;
	struct str name;
	uint32_t file;
	bool again;	/* the object is judged once more because its verdict expired */
	bool met;	/* it existed before somebody looked, as struct object_meta says */
	/* earlier, retried and ever_ready, as a recording that begins later tells of the object; NULL: it tells nothing */
	const struct status *before;
};
enum change engine_put(struct engine *e, const struct engine_source *from, struct json object, int64_t now,
		       struct handle *out_handle);

/*
 * The flag of an object that cannot be read (FRAMER_UNREAD in kube/model/framer.h): it is Unknown, and only its name and
 * its deletion are known.
 */
#define ENGINE_UNREAD "unread"
/* Returns such objects, those that are there now, in the arena; NULL when there is none. */
const struct handle *engine_unread(const struct engine *e, struct arena *arena, size_t *out_n);

/* Registers the kind of an object by its apiVersion and kind; returns NULL when the object has none. */
const struct kind *engine_kind(struct engine *e, struct json object);

/* Returns the family that judges objects of that kind and shape. */
const struct family *engine_family(const struct engine *e, const struct kind *kind, struct json object);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What changed between two moments, object by object: the view Changes and --diff show it. */
#ifndef TUI_VIEW_CHANGES_H
#define TUI_VIEW_CHANGES_H

#include "kube/graph/graph.h"

struct scene;

/* How an object differs between two moments. */
enum change_word { CHANGE_WORD_CHANGED, CHANGE_WORD_NEW, CHANGE_WORD_GONE, CHANGE_WORD_HEALED, CHANGE_WORDS };

/* "changed", "new", "gone", "healed" */
const char *change_word(enum change_word word);

/* One field, its values as text on one line: strings as they are, all else as JSON; "" where it is not there. */
struct changed_field {
	struct str path, before, after;
	bool added, removed;	/* the field is new; the field is gone */
};

struct changed_object {
	struct id id;		/* its handle is HANDLE_NONE when it is gone */
	uint16_t cluster;	/* index of its context */
	enum change_word word;
	enum phase from, to;	/* PHASE_UNKNOWN when it did not exist, or not known */
	bool from_known;
	int64_t time;		/* ms: of the last change */
	struct str reason, message;	/* of the present phase */
	const struct changed_field *fields;	/* spec first, then metadata, status */
	size_t nfields;
	bool fields_unknown;	/* the earlier version was not kept */
};

struct changes {
	const struct changed_object *objects;	/* by time */
	size_t n, by_word[CHANGE_WORDS];
	int64_t from, to;
	int64_t known_from;	/* ms: versions before that were not kept; 0: all were */
};

/* Where earlier versions of objects are kept (plugin/record/changelog.h).  Results are in the arena. */
struct changes_source {
	/* The objects that changed after from and up to to (ms), without fields. */
	struct changes (*between)(void *ctx, int64_t from, int64_t to, struct arena *a);
	/* Fills in the fields of one of them that differ. */
	void (*fields)(void *ctx, struct changed_object *object, int64_t from, int64_t to, struct arena *a);
	void *ctx;
};

/* "Ready → Updating", "new, Failed", "Ready → gone", "healed, was Failed". */
struct str changed_words(const struct changed_object *c, struct arena *a);
/* "spec.replicas  2 → 3", "spec.paused  + true", "spec.paused  - true" */
struct str changed_field_words(const struct changed_field *f, struct arena *a);
/* "7 objects changed, 2 new, 1 gone, 1 healed" */
struct str changes_summary(const struct changes *c, struct arena *a);

#endif

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
	bool added, removed;	/* it was not, it is not there */
};

struct changed_object {
	struct id id;		/* without a handle when it is gone */
	uint16_t cluster;	/* index of its context */
	enum change_word word;
	enum phase from, to;	/* PHASE_UNKNOWN where it is not there, or not known */
	bool from_known;
	int64_t time;		/* of the last change */
	struct str reason, message;	/* of the phase that it has now */
	const struct changed_field *fields;	/* those that say most first: spec, metadata, status */
	size_t nfields;
	bool fields_unknown;	/* what it was before was not kept */
};

struct changes {
	const struct changed_object *objects;	/* by time */
	size_t n, by_word[CHANGE_WORDS];
	int64_t from, to;
	int64_t known_from;	/* before that nothing is known; 0: all is */
};

/* Who keeps what objects were; all in the arena. */
struct changes_source {
	/* What changed after from and up to to; the fields are not looked at. */
	struct changes (*between)(void *ctx, int64_t from, int64_t to, struct arena *a);
	/* The fields of one of these that differ. */
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

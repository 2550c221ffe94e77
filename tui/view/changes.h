/* SPDX-License-Identifier: Apache-2.0 */
/* What changed between two moments, object by object.  The view Changes and --diff show it. */
#ifndef TUI_VIEW_CHANGES_H
#define TUI_VIEW_CHANGES_H

#include "kube/graph/graph.h"
#include "kube/model/json_diff.h"

struct scene;

/* How an object differs between two moments. */
enum change_word { CHANGE_WORD_CHANGED, CHANGE_WORD_NEW, CHANGE_WORD_GONE, CHANGE_WORD_HEALED, CHANGE_WORDS };

/* Returns the word for it: "changed", "new", "gone", "healed". */
const char *change_word(enum change_word word);

struct changed_object {
	struct id id;		/* the handle in it is HANDLE_NONE when the object is gone */
	uint16_t cluster;	/* the index of its context */
	enum change_word word;
	enum phase from, to;	/* PHASE_UNKNOWN when the object did not exist or its phase is not known */
	bool from_known;
	bool deselected;	/* it is gone from the selection by which it was watched, and may exist */
	int64_t time;		/* when the object last changed, ms */
	struct str reason, message;	/* the reason and the message of the present phase */
	/* the fields that differ: those of spec first, then metadata, then status */
	const struct changed_field *fields;
	size_t nfields;
	bool fields_unknown;	/* the earlier version was not kept, so the fields are not known */
};

struct changes {
	const struct changed_object *objects;	/* the objects that changed, sorted by time */
	size_t n, by_word[CHANGE_WORDS];
	int64_t from, to;
	int64_t known_from;	/* ms: earlier versions were not kept; 0: all were */
};

/* Where earlier versions of objects are kept (plugin/past/changelog.h).  Results are in the arena. */
struct changes_source {
	/* Returns the objects that changed after from and not after to (ms), without their fields. */
	struct changes (*between)(void *ctx, int64_t from, int64_t to, struct arena *a);
	/* Fills in the fields of such an object that differ. */
	void (*fields)(void *ctx, struct changed_object *object, int64_t from, int64_t to, struct arena *a);
	void *ctx;
};

/* Returns how the phase changed: "Ready → Updating", "new, Failed", "Ready → gone", "healed, was Failed". */
struct str changed_words(const struct changed_object *c, struct arena *a);
/* Returns how a field changed: "spec.replicas  2 → 3", "spec.paused  + true", "spec.paused  - true". */
struct str changed_field_words(const struct changed_field *f, struct arena *a);
/* Returns the numbers of objects by change: "7 objects changed, 2 new, 1 gone, 1 healed". */
struct str changes_summary(const struct changes *c, struct arena *a);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Earlier versions of objects, redacted and compressed, within a ceiling.  Above it the oldest versions are
 * dropped; versions_from() says since when they are complete.
 */
#ifndef KUBE_JOURNAL_VERSIONS_H
#define KUBE_JOURNAL_VERSIONS_H

#include "kube/base/arena.h"
#include "kube/base/buf.h"
#include "kube/model/json.h"
#include "kube/model/store.h"

struct versions;

/* Removes from an object what must not be kept. */
struct version_redactor {
	/*
	 * Returns true when something of the object is hidden, so that the whole object does not tell whether it has
	 * changed.
	 */
	bool (*hides)(struct json object, const struct kind *kind);
	/* Appends what may be kept of the object, as JSON on one line.  hides: the result of the function above. */
	void (*write)(struct json object, const struct kind *kind, bool hides, struct buf *out);
};

/*
 * ceiling: bytes, 0: no limit.  Present versions count, too, and are dropped last: when they alone reach the ceiling,
 * new objects are not kept, and where those that are kept grow, the one that was met first goes.  redactor is borrowed.
 */
struct versions *versions_new(size_t ceiling, const struct version_redactor *redactor);
void versions_free(struct versions *v);

/* What the first version of an object means for the time before it. */
enum version_first {
	FIRST_NEW,	/* the object did not exist */
	FIRST_KNOWN,	/* the object was the same before (it came with a list), unless it was looked at before that */
	FIRST_LATE	/* the object existed before, with unknown content */
};
/*
 * Adds a version as of now (ms), which may not be before the time of an earlier call.  Returns false when json_diff()
 * finds no difference.
 */
bool versions_put(struct versions *v, const struct object_id *id, struct json object, int64_t now,
		  enum version_first first);
/* The object does not exist as of now. */
void versions_gone(struct versions *v, const struct object_id *id, int64_t now);
/* Nobody looks at the object any more: from now on it is not known, until the next version. */
void versions_let_go(struct versions *v, const struct object_id *id, int64_t now);

enum version_state {
	VERSION_UNKNOWN,	/* it was not observed at that time, or was dropped since */
	VERSION_ABSENT,		/* it did not exist */
	VERSION_THERE
};
/* Returns the object at that time (ms); with VERSION_THERE its JSON is in *out, owned by the arena. */
enum version_state versions_at(struct versions *v, const struct object_id *id, int64_t time, struct arena *arena,
			       struct str *out);
/* A version of an object, or that it was gone from then on, or not looked at any more. */
struct version_text {
	int64_t time;		/* ms */
	bool gone, let_go;
	bool met;		/* it was there before it was looked at, or looked at again */
	struct str text;	/* its JSON; "" when it was gone or not looked at */
};
/* Returns the versions that are kept of an object and began after from and up to to (ms), the oldest first; in the arena. */
const struct version_text *versions_between(struct versions *v, const struct object_id *id, int64_t from, int64_t to,
					    struct arena *arena, size_t *out_n);
/* Returns true when versions_gone() was called for that time (ms), and that is still kept. */
bool versions_went(struct versions *v, const struct object_id *id, int64_t time);

/* An object of which versions are kept. */
struct version_id {
	uint16_t cluster;
	uint32_t kind;	/* its id */
	struct str ns, name;
	int64_t changed;	/* the time of its last change, ms */
};
/* The objects that changed after from and up to to (ms), unordered; owned by the arena, texts borrowed. */
const struct version_id *versions_changed(struct versions *v, int64_t from, int64_t to, struct arena *arena,
					  size_t *out_n);
/* The time since which nothing was dropped, ms; 0: nothing was dropped. */
int64_t versions_from(const struct versions *v);
/* Returns true when some version of the object is kept. */
bool versions_has(struct versions *v, const struct object_id *id);
/* Returns the number of objects of that kind (NULL: of all kinds) whose present version is kept. */
size_t versions_count(const struct versions *v, const struct kind *kind);
/* Returns true when there is no room for another object, even without the earlier versions. */
bool versions_full(const struct versions *v);
/* Bytes in use. */
size_t versions_bytes(const struct versions *v);
/* Number of versions that were examined so far to drop old ones: the cost of an event beside its own text. */
size_t versions_looked_at(const struct versions *v);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes single lines of a recording after its header (docs/recordings.md). */
#ifndef PLUGIN_RECORD_RECORD_H
#define PLUGIN_RECORD_RECORD_H

#include "kube/base/buf.h"
#include "kube/graph/observed.h"
#include "kube/model/json.h"
#include "kube/model/managed_fields.h"

/* What discovery tells of a kind; the rest of its flags is learned from objects, which are in the recording. */
#define RECORD_KIND_FLAGS (KIND_NAMESPACED | KIND_LIST | KIND_WATCH | KIND_GET | KIND_HAS_STATUS | KIND_DISCOVERED | KIND_CUSTOM)
/* The annotation with which a server marks the end of the list in a watch that begins with one, and a recorder that of its first lists. */
#define RECORD_LOADED "k8s.io/initial-events-end"

enum record_type { RECORD_BOOKMARK, RECORD_ADDED, RECORD_MODIFIED, RECORD_DELETED };

/* Which of its members a BOOKMARK has. */
enum record_says { RECORD_COVERAGE = 1, RECORD_LOOKUP = 2, RECORD_SCHEMA = 4, RECORD_WATCHED = 8 };

struct record_name {
	struct str group, kind, ns, name;
};

/* A change that came before a state. */
struct record_change {
	struct change_seen is;	/* without its slot */
	struct record_name of;		/* its name is "": the object is not known any more */
};

/* A record, as docs/recordings.md describes its members.  Texts are borrowed from its JSON, arrays are in the arena. */
struct record {
	struct json whole, object;
	enum record_type type;
	int64_t time;		/* ms */
	uint16_t cluster;	/* the index of its context in the header */
	struct str ns, name;	/* of the object */
	/* of an object: */
	bool met, deselected;
	bool is_stated;		/* it belongs to a state */
	bool was_observed;	/* the state has observed */
	struct observed observed;
	int64_t judged;		/* when the verdict was made, ms; 0: it does not say */
	const struct status *before;	/* earlier, retried and ever_ready; NULL: nothing is known */
	/* of a BOOKMARK: */
	bool is_mark;		/* it has a time and nothing else: nothing happened until then, or a state is complete */
	bool loaded;		/* the first lists are complete */
	unsigned says;		/* enum record_says */
	enum coverage coverage, lookup;
	bool schema_has_status, watched, unwatched;
	const struct record_name *names;
	const struct record_change *changes;
	const struct edit *edits;	/* the newest first, at most EDITS */
	size_t nnames, nchanges, nedits;
	struct json kinds;
};

/* The contexts that the header names; none: there is one cluster. */
struct record_contexts {
	struct str *all;
	size_t n;
};

/* Returns the time of a line, ms; 0: it has none. */
int64_t record_time(struct str line);
/*
 * Reads a record.  Returns false when it says something that no recorder writes, or is of a context that the header does not
 * name: then it is damaged.
 */
bool record_read(struct json record, const struct record_contexts *contexts, struct arena *arena, struct record *out) MUST_USE;

/*
 * Appends the object as it is recorded: redacted (redact.h), and of the schemas in a CustomResourceDefinition only the
 * fields of the status, their types and enumerations.  kind is that of redact_object().
 */
void record_object(struct json object, const struct kind *kind, struct buf *out);

/*
 * Appends the text of an object, as record_object() wrote it, without metadata.uid, which no compression makes smaller: for a MODIFIED of
 * a segment that has said the uid.  record_add_uid() gives such a record, which was read, the uid of the object's record before it; it
 * returns false and does nothing when the record has its own, or there is none.
 */
void record_without_uid(struct str object, struct str uid, struct buf *out);
bool record_add_uid(struct record *record, struct str uid);

/*
 * Appends who changed an object, as an array: at most EDITS edits, the newest first.  Credentials are left out, and of a
 * Secret what its annotations and labels tell.
 */
void record_edits(const struct edit *all, size_t n, const struct kind *kind, struct buf *out);

#endif

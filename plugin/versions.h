/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects as they were: each version of each object that is put here, redacted and packed, within
 * a ceiling.  What is too much goes oldest first, and it is known since when all is there.
 */
#ifndef PLUGIN_VERSIONS_H
#define PLUGIN_VERSIONS_H

#include "kube/base/arena.h"
#include "kube/model/json.h"
#include "kube/model/store.h"

struct versions;

/* ceiling: bytes; present versions count, and go last: an object that is new when these alone reach it is not kept.  0: none. */
struct versions *versions_new(size_t ceiling);
void versions_free(struct versions *v);

/* What the first version of an object means for the time before it. */
enum version_first {
	FIRST_NEW,	/* there was no object */
	FIRST_KNOWN,	/* it was so (a list) */
	FIRST_LATE	/* it was there, nobody knows how */
};
/*
 * The object is so from now on.  False when nothing differs but what is no difference (json_diff()).
 * Times may not go back.
 */
bool versions_put(struct versions *v, const struct object_id *id, struct json object, int64_t now,
		  enum version_first first);
/* Its verdict is so from now on. */
struct verdict_was {
	enum phase phase;
	enum severity severity;
	struct str why;		/* borrowed */
};
void versions_verdict(struct versions *v, const struct object_id *id, struct verdict_was verdict, int64_t now,
		      enum version_first first);
/* It is gone from now on. */
void versions_gone(struct versions *v, const struct object_id *id, int64_t now);

enum version_state {
	VERSION_UNKNOWN,	/* nobody looked at that time, or it was dropped */
	VERSION_ABSENT,		/* it did not exist */
	VERSION_THERE
};
/* What it was at that time: as JSON in *out, owned by the arena, when it was there. */
enum version_state versions_at(struct versions *v, const struct object_id *id, int64_t time, struct arena *arena,
			       struct str *out);
enum version_state versions_verdict_at(struct versions *v, const struct object_id *id, int64_t time,
				       struct verdict_was *out);

/* One of them that became another, or the object gone. */
struct verdict_step {
	uint16_t cluster;
	uint32_t kind;
	struct str ns, name;
	int64_t time;
	struct verdict_was before, after;
	bool was_there, is_there;
};
/* All of a time after from and up to to, in no order; owned by the arena, texts borrowed. */
const struct verdict_step *versions_steps(struct versions *v, int64_t from, int64_t to, struct arena *arena, size_t *out_n);

/* One object of which versions are there. */
struct version_id {
	uint16_t cluster;
	uint32_t kind;	/* its id */
	struct str ns, name;
	int64_t changed;	/* when last */
};
/* Those that changed after from and up to to, in no order; owned by the arena, texts borrowed. */
const struct version_id *versions_changed(struct versions *v, int64_t from, int64_t to, struct arena *arena,
					  size_t *out_n);
/* The earliest time of which all is known that was ever put here; 0: from the beginning. */
int64_t versions_from(const struct versions *v);
/* Is some version of it kept? */
bool versions_has(struct versions *v, const struct object_id *id);
/* How many objects' present version is kept, of that kind; 0: of all. */
size_t versions_count(const struct versions *v, const struct kind *kind);
/* The ceiling is reached. */
bool versions_full(const struct versions *v);
/* Bytes in use. */
size_t versions_bytes(const struct versions *v);

#endif

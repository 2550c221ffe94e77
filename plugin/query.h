/* SPDX-License-Identifier: Apache-2.0 */
/* What the user asked for: TYPE and NAME arguments, namespace, selectors; and the objects that match. */
#ifndef PLUGIN_QUERY_H
#define PLUGIN_QUERY_H

#include "kube/api/resolve.h"
#include "plugin/options.h"
#include "plugin/world.h"

struct query {
	const struct options *options;
	struct arena arena;
	struct resolution what;		/* n == 0: everything with a status */
	struct str ns;			/* "": all */
	struct str labels, fields;
	bool offline;			/* no server: the program applies field selectors, too, itself */
	bool files;			/* -f: without a TYPE everything in the files is selected */
	struct match *matches;		/* whether objects match the selectors */
	uint32_t *match_of;		/* by slot: 1 + the number of its last one; 0: none */
	uint32_t nmatches, matches_cap, nslots;
};

/* Resolves the arguments with the kinds of the world.  Release with query_release(). */
int query_init(struct query *q, const struct options *o, struct world *w, struct err *err) MUST_USE;
void query_release(struct query *q);
/* True when the object was asked for, at the time of that world. */
bool query_selects(const struct query *q, const struct world *w, struct handle h);
/*
 * Records whether an object that was read matches the selectors from that time on (ms).  Of a server's objects only the
 * labels are looked at: neighbours without them are read as well, and of some kinds nothing but metadata.
 */
void query_note(struct query *q, struct handle h, struct json object, int64_t now);
/* Forgets all objects. */
void query_restart(struct query *q);
/* Everything that was asked for, in the order of --sort-by.  Owned by the arena. */
const struct handle *query_collect(const struct query *q, struct world *w, struct arena *arena, size_t *out_n);
/* True for kinds that have a status and so are shown when no TYPE is given. */
bool query_default_kind(const struct kind *kind);

#endif

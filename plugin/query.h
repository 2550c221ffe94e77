/* SPDX-License-Identifier: Apache-2.0 */
/* What the user asked for (TYPE and NAME arguments, namespace, selectors), and the objects that match. */
#ifndef PLUGIN_QUERY_H
#define PLUGIN_QUERY_H

#include "kube/api/resolve.h"
#include "kube/journal/watched.h"
#include "plugin/options.h"
#include "plugin/world.h"

struct alert;

struct query {
	const struct options *options;
	const struct alert *alert;	/* what --alert says, borrowed; NULL: it was not given */
	struct arena arena;
	struct resolution what;		/* the types and names; n == 0: all kinds that have a status */
	struct str ns;			/* names with commas between them; "": all namespaces */
	struct str labels, fields;
	bool offline;			/* there is no server, so the program applies field selectors itself */
	bool files;			/* with -f: without a TYPE everything in the files is selected */
	struct match *matches;		/* whether objects match the selectors */
	uint32_t *match_of;		/* by slot: 1 + the number of the slot's last match; 0: there is none */
	uint32_t nmatches, nslots;
	size_t matches_cap;
};

/*
 * Resolves the arguments with the kinds of the world; o is borrowed.  Returns -1 with err.  Release with
 * query_release().
 */
int query_init(struct query *q, const struct options *o, struct world *w, struct err *err) MUST_USE;
void query_release(struct query *q);
/* Returns who does not have a type, in the words of an error, where no server is asked: "the files don't"; NULL: a server. */
const char *query_lacks(const struct options *o);
/* Returns true when the object was asked for and matches the selectors at the present time of the world. */
bool query_selects(const struct query *q, const struct world *w, struct handle h);
/*
 * Records whether an object that was read matches the selectors from that time on (ms).  Of a server's objects only the
 * labels are looked at: neighbours without them are read as well, and of some kinds nothing but metadata.
 * Returns true when it did not match before and does now, or the other way round.
 */
bool query_note(struct query *q, struct handle h, struct json object, int64_t now);
/* Forgets which objects match. */
void query_restart(struct query *q);
/* Returns all objects that were asked for, in the order of --sort-by; the array is in the arena. */
const struct handle *query_collect(const struct query *q, struct world *w, struct arena *arena, size_t *out_n);
/*
 * Returns true when the arguments have names.  For each name that does not exist an error is printed, which makes other
 * messages unnecessary.
 */
bool query_has_names(const struct query *q);
/* Returns true when objects that are in a namespace are asked for. */
bool query_has_namespaced(const struct query *q);
/* Returns true when what is shown tells who changed what. */
bool query_tells_changes(const struct query *q);
/* Returns true for kinds that are shown when no TYPE is given, because they have a status. */
bool query_default_kind(const struct kind *kind);
/* Returns true for these, and for kinds without a namespace of which all namespaces show what is in trouble. */
bool query_shown_kind(const struct kind *kind);

/* What was asked for, as a question to kube/journal/watched.h; in is borrowed. */
struct query_in {
	const struct query *query;
	const struct world *world;
};
struct watch_question query_watched(const struct query_in *in);

#endif

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
	bool offline;			/* no server: the program applies the selectors itself */
	bool files;			/* -f: without a TYPE everything in the files is selected */
	uint8_t *matches;		/* by slot: the object matches the selectors; only offline */
	uint32_t nmatches;
};

/* Resolves the arguments with the kinds of the world.  Release with query_release(). */
int query_init(struct query *q, const struct options *o, struct world *w, struct err *err) MUST_USE;
void query_release(struct query *q);
/* True when the object was asked for. */
bool query_selects(const struct query *q, const struct world *w, struct handle h);
/* Offline: records whether an object that was read matches the selectors. */
void query_note(struct query *q, struct handle h, struct json object);
/* Offline: forgets all objects. */
void query_restart(struct query *q);
/* Everything that was asked for, in the order of --sort-by.  Owned by the arena. */
const struct handle *query_collect(const struct query *q, struct world *w, struct arena *arena, size_t *out_n);
/* True for kinds that have a status and so are shown when no TYPE is given. */
bool query_default_kind(const struct kind *kind);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the user asked for, and the objects that it is. */
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
	bool offline;			/* selectors are ours to apply */
	bool files;			/* without a TYPE everything in them was meant */
	uint8_t *matches;		/* by slot: the selectors hold; only offline with a selector */
	uint32_t nmatches;
};

/* Resolves the arguments by the world's kinds. */
int query_init(struct query *q, const struct options *o, struct world *w, struct err *err) MUST_USE;
void query_release(struct query *q);
/* Was it asked for? */
bool query_selects(const struct query *q, const struct world *w, struct handle h);
/* An object came from a file: does it match the selectors? */
void query_note(struct query *q, struct handle h, struct json object);
/* No object came yet. */
void query_restart(struct query *q);
/* Everything that was asked for, in the order of --sort-by.  Owned by the arena. */
const struct handle *query_collect(const struct query *q, struct world *w, struct arena *arena, size_t *out_n);
/* Kinds that carry a status and so are shown when no TYPE is given. */
bool query_default_kind(const struct kind *kind);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the lines of plain output; plain.c lays them out. */
#ifndef PLUGIN_OUTPUT_LISTING_H
#define PLUGIN_OUTPUT_LISTING_H

#include "kube/base/buf.h"
#include "kube/graph/graph.h"
#include "kube/status/labels.h"
#include "tui/view/well.h"
#include "tui/view/columns.h"
#include "tui/words/text.h"

struct listing {
	struct graph *graph;
	const struct store *store;
	int64_t now;
	bool wide; /* -o wide was given */
	bool absolute_time;
	bool all_namespaces; /* -A was given, or a list of namespaces */
	/* No TYPE was given: healthy children of workloads that are in the list are left out. */
	bool fold_children;
	const struct labels *labels;	      /* the labels of the objects; NULL: the next two members are not used */
	const char *const *label_columns; /* the keys of the label columns, ends with NULL; may be NULL */
	bool show_labels;		      /* a last column shows all labels */
	const char *columns; /* the value of --columns, "name,phase,..."; NULL: the columns of the format */
	int width;	     /* the width of the terminal, columns; 0: there is none, nothing is wrapped or cut */
	bool ns, cluster;    /* show these columns even when all objects have the same value */
	struct doubt doubt;  /* for listing_problems() and listing_why(): what could not be read, */
	const struct handle *selected; /* and all that was asked for, of which some may run out soon */
	size_t nselected;
	bool named;	     /* for listing_why(): objects were named, and each of them is told, also what is well */
	const char *gone;    /* the phase shown for objects that do not exist any more; NULL: they are left out */
};

/* The results of a listing. */
struct listing_out {
	struct table table;
	struct columns_shown shown; /* the columns that listing_list() chose */
	struct handle *rest; /* filled by listing_problems(); the caller provides room for n handles */
	size_t nrest;
	struct lines *after; /* listing_problems() adds what stands behind all else: what is left over, and what runs out soon */
};

/* Make -o table, wide and tree: lines of cells in columns. */
void listing_list(const struct listing *r, const struct handle *handles, size_t n,
		 struct listing_out *out);
void listing_tree(const struct listing *r, const struct handle *handles, size_t n,
		 struct listing_out *out);
/* Makes -o why: lines of text; of several objects that nobody has named what is well is left out. */
void listing_why(const struct listing *r, const struct handle *handles, size_t n,
		struct listing_out *out);
/*
 * Makes --problems: a paragraph for each root cause of one of the handles.  out->rest gets those that are not Ready and
 * have none of these causes.
 */
void listing_problems(const struct listing *r, const struct handle *handles, size_t n,
		     struct listing_out *out);

#endif

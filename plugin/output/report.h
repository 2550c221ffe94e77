/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of plain output; plain.c lays them out. */
#ifndef PLUGIN_OUTPUT_REPORT_H
#define PLUGIN_OUTPUT_REPORT_H

#include "kube/base/buf.h"
#include "kube/graph/graph.h"
#include "kube/status/labels.h"
#include "tui/view/calm.h"
#include "tui/view/columns.h"
#include "tui/words/text.h"

struct report {
	struct graph *graph;
	const struct store *store;
	int64_t now;
	bool wide; /* -o wide */
	bool absolute_time;
	bool all_namespaces; /* -A */
	/* Healthy children of workloads that are in the list are left out (no TYPE was asked for).
	 */
	bool fold_children;
	size_t depth;	     /* levels of a tree; 0: the default */
	const struct labels *labels;	      /* NULL: neither of the next two */
	const char *const *label_columns; /* their keys, ends with NULL; or NULL */
	bool show_labels;		      /* all of them, in a last column */
	const char *columns; /* --columns "name,phase,..."; NULL: those of the format */
	int width;	     /* of the terminal, columns; 0: no terminal, nothing is wrapped or cut */
	bool ns, cluster;    /* show these columns also when all objects have the same */
	unsigned forbidden;  /* report_problems(): kinds that may not be read */
	bool unread;	     /* the same: something else could not be read; a notice says what */
	const char *gone;    /* the phase shown for objects that are gone; NULL: they are left out */
};

/* What a report fills. */
struct report_out {
	struct table table;
	struct columns_shown shown; /* report_list(): the ids of its columns */
	struct handle *rest; /* report_problems(): room for n */
	size_t nrest;
};

/* -o table, wide and tree: lines of cells in columns. */
void report_list(const struct report *r, const struct handle *handles, size_t n,
		 struct report_out *out);
void report_tree(const struct report *r, const struct handle *handles, size_t n,
		 struct report_out *out);
/* -o why: lines of text. */
void report_why(const struct report *r, const struct handle *handles, size_t n,
		struct report_out *out);
/*
 * --problems: a paragraph per root cause of one of the handles; out->rest gets those that are not
 * Ready and have none of these causes.
 */
void report_problems(const struct report *r, const struct handle *handles, size_t n,
		     struct report_out *out);

#endif

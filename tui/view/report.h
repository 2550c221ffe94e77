/* SPDX-License-Identifier: Apache-2.0 */
/* What plain output says, as lines; how it is set out is tui/draw/plain.c's business. */
#ifndef TUI_VIEW_REPORT_H
#define TUI_VIEW_REPORT_H

#include "kube/base/buf.h"
#include "kube/status/graph.h"
#include "tui/view/text.h"

struct report {
	struct graph *graph;
	const struct store *store;
	int64_t now;
	bool wide; /* -o wide */
	bool absolute_time;
	/* Healthy children of workloads that are in the list are left out (no TYPE was asked for).
	 */
	bool fold_children;
	const char *columns; /* --columns "name,phase,..."; NULL: those of the format */
	int width;	     /* texts of several lines are wrapped at it */
	bool ns, cluster;    /* these columns even if only one is met */
};

/* Lines of cells, and the columns that they are in (room for LINE_CELLS). */
void report_list(const struct report *r, const struct handle *handles, size_t n,
		 struct lines *lines, struct column *out_columns, size_t *out_ncolumns);
void report_tree(const struct report *r, const struct handle *handles, size_t n,
		 struct lines *lines, struct column *out_columns, size_t *out_ncolumns);
/* Lines of texts that follow each other. */
void report_why(const struct report *r, const struct handle *handles, size_t n,
		struct lines *lines);
/*
 * A paragraph per root cause that concerns one of the handles.  out_rest (room
 * for n) gets those that are not Ready and in none of them.
 */
void report_problems(const struct report *r, const struct handle *handles, size_t n,
		     struct lines *lines, struct handle *out_rest, size_t *out_nrest);

/* The i-th name that --columns takes; NULL at the end. */
const char *report_column_name(size_t i);

#endif

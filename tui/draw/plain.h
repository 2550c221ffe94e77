/* SPDX-License-Identifier: Apache-2.0 */
/* Plain output: what is printed once, to a terminal, a pipe or a chat. */
#ifndef TUI_DRAW_PLAIN_H
#define TUI_DRAW_PLAIN_H

#include "kube/base/buf.h"

struct graph;
struct store;
struct handle;
struct labels;

enum { PLAIN_COLUMNS = 24 };

/*
 * Between the calls of one --watch: columns keep their width, and the namespace
 * and cluster columns stay once they were there.  {0} at first.
 */
struct plain_memory {
	int widths[PLAIN_COLUMNS];
	size_t ncolumns;
	bool ns, cluster;
};

struct plain {
	struct graph *graph;
	const struct store *store;
	int64_t now;
	bool wide; /* -o wide */
	bool no_headers, color, absolute_time;
	bool all_namespaces; /* -A: the namespace is shown, also when there is only one */
	int width;	     /* of the terminal; 0: it is none, nothing is cut */
	size_t depth;	     /* levels of a tree; 0: as usual */
	const struct labels *labels;	  /* NULL: neither of the next two */
	const char *const *label_columns; /* their keys, ends with NULL; or NULL */
	bool show_labels;		  /* all of them, in a last column */
	const char *columns; /* --columns "name,phase,..."; NULL: those of the format */
	/* Healthy children of workloads that are in the list are left out (no TYPE was asked for).
	 */
	bool fold_children;
	struct plain_memory *memory; /* NULL: every list for itself */
	const char *gone; /* plain_list(): of what is gone its name, and this as its phase; NULL: nothing */
};

/* Handles that are gone are left out, but for plain.gone.  Every function appends to out. */

/* -o table, wide: a row per object, in the given order. */
void plain_list(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);
/* --problems: a paragraph per root cause that concerns one of the handles, then what else is not
 * Ready. */
void plain_problems(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);
/*
 * -o tree: a forest; what stands below another one of the list is not printed
 * again.  Of a single one also what stands above it.
 */
void plain_tree(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);
/* -o why: a paragraph for each one that is not well; also for a healthy one when it is the only
 * one. */
void plain_why(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);

/*
 * One text of foreign origin for a terminal or a log, on one line: the only way to
 * plain output, also of messages on stderr.
 */
void plain_safe(struct str s, struct buf *out);

#endif

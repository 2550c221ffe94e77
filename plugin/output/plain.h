/* SPDX-License-Identifier: Apache-2.0 */
/* Plain output: text that is printed once, to a terminal or a pipe. */
#ifndef PLUGIN_OUTPUT_PLAIN_H
#define PLUGIN_OUTPUT_PLAIN_H

#include "kube/base/buf.h"
#include "plugin/output/listing.h"

/*
 * What one --watch remembers between its calls: columns keep their width, and the columns of the namespace and the
 * cluster stay once they were shown.  Starts as {0}.
 */
struct plain_memory {
	int widths[LINE_CELLS];
	size_t ncolumns;
	bool ns, cluster;
};

struct plain {
	struct listing listing; /* what is printed */
	bool no_headers, color;
	struct plain_memory *memory; /* the memory of a --watch; NULL: nothing is remembered */
};

/* Every function appends to out.  Objects that do not exist any more are left out, unless listing.gone is set. */

/* Prints -o table and wide: a row for each object, in the given order. */
void plain_list(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);
/*
 * Prints --problems: a paragraph for each root cause that concerns one of the handles, then the other objects that are
 * not Ready.
 */
void plain_problems(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);
/*
 * Prints -o tree: a tree for each handle, unless it is part of another one's tree.  For a single handle also the
 * objects that depend on it.
 */
void plain_tree(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);
/* Prints -o why: a paragraph for each object that is not Ready, and for a Ready one when it is the only one. */
void plain_why(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);

/* Prints the rows of any table below its titles, each column as wide as its widest cell. */
void plain_table(const struct plain *p, const struct table *table, struct buf *out);

/*
 * Appends text from a cluster or a file, sanitized, on one line.  All such text in plain output and on standard error
 * goes through here.
 */
void plain_safe(struct str s, struct buf *out);

#endif

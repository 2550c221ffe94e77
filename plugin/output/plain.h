/* SPDX-License-Identifier: Apache-2.0 */
/* Plain output: texts that are printed once, to a terminal or a pipe. */
#ifndef PLUGIN_OUTPUT_PLAIN_H
#define PLUGIN_OUTPUT_PLAIN_H

#include "kube/base/buf.h"
#include "plugin/output/report.h"

/*
 * State between the calls of one --watch: columns keep their width, and the namespace
 * and cluster columns stay once they were shown.  {0} at first.
 */
struct plain_memory {
	int widths[LINE_CELLS];
	size_t ncolumns;
	bool ns, cluster;
};

struct plain {
	struct report report; /* what is printed */
	bool no_headers, color;
	bool spoken; /* to be read aloud: a row is a sentence, nothing is aligned or cut */
	bool timeless; /* a sentence without ages: it is the same while nothing changes */
	const char *was; /* of a sentence: the phase before; NULL: it is not told */
	struct plain_memory *memory; /* NULL: no state is kept */
};

/* Every function appends to out.  Objects that are gone are left out, unless report.gone is set. */

/* -o table, wide: a row per object, in the given order. */
void plain_list(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);
/* --problems: a paragraph per root cause that concerns one of the handles, then what else is not
 * Ready. */
void plain_problems(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);
/*
 * -o tree: a tree for each handle; one that is part of another tree is not printed
 * again.  For a single handle also what depends on it.
 */
void plain_tree(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);
/* -o why: a paragraph for each object that is not Ready; also for a Ready one when it is the only
 * one. */
void plain_why(const struct plain *p, const struct handle *handles, size_t n, struct buf *out);

/* Rows of any table below its titles, each column as wide as its widest cell. */
void plain_table(const struct plain *p, const struct table *table, struct buf *out);

/*
 * Appends text from a cluster or a file, sanitized, on one line.  All such text in plain output and on stderr
 * goes through here.
 */
void plain_safe(struct str s, struct buf *out);

#endif

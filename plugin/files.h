/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds from files: -f. */
#ifndef PLUGIN_FILES_H
#define PLUGIN_FILES_H

#include "plugin/query.h"
#include "plugin/world.h"

struct files {
	const char *const *names;	/* of files, folders, or "-"; ends with NULL */
	bool recursive;
};

/* Reads all of them into the world.  ERR_INPUT names the file and the line. */
int files_load(const struct files *f, struct world *w, struct query *q, struct err *err) MUST_USE;

/* Reads a whole file, or standard input ("-").  ERR_SYSTEM; ERR_INPUT above LIMIT_FILE. */
int files_read(const char *name, struct buf *out, struct err *err) MUST_USE;
/* The same of a regular file, or of standard input, up to the ceiling of out. */
int files_read_regular(const char *name, struct buf *out, struct err *err) MUST_USE;

/* list_kind: the kind of the items of a typed list such as PodList, else "". */
struct object_ops {
	int (*object)(void *ctx, struct json object, struct str list_kind, struct err *err);
};
/*
 * Calls ops->object() for each object of all files and for each item of lists.  Standard input and unreadable files
 * are skipped.
 */
void files_each(const struct files *f, const struct object_ops *ops, void *ctx);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the objects in the files of -f into a world. */
#ifndef PLUGIN_FILES_H
#define PLUGIN_FILES_H

#include "plugin/query.h"
#include "plugin/world.h"

struct files {
	const char *const *names;	/* paths of files and folders, "-" is standard input; ends with NULL */
	bool recursive;
};

/* Reads all files into the world.  Returns -1 with err; ERR_INPUT names the file and the line. */
int files_load(const struct files *f, struct world *w, struct query *q, struct err *err) MUST_USE;

/*
 * Appends the content of a file, or of standard input ("-"), to out.  Returns -1 with err: ERR_SYSTEM, or ERR_INPUT
 * above LIMIT_FILE.
 */
int files_read(const char *name, struct buf *out, struct err *err) MUST_USE;
/* Does the same for a regular file or standard input only, up to the maximum size of out. */
int files_read_regular(const char *name, struct buf *out, struct err *err) MUST_USE;

/* Called with each object; list_kind is the kind of the items of a typed list such as PodList, else "". */
struct object_ops {
	int (*object)(void *ctx, struct json object, struct str list_kind, struct err *err);
};
/*
 * Calls ops->object() for each object of all files and for each item of lists.  Standard input and unreadable files
 * are skipped.
 */
void files_each(const struct files *f, const struct object_ops *ops, void *ctx);

#endif

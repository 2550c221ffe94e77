/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the objects in the files of -f into a world. */
#ifndef PLUGIN_FILES_H
#define PLUGIN_FILES_H

#include "plugin/query.h"
#include "plugin/world.h"

struct files {
	const char *const *names;	/* paths of files, folders and archives, "-" is standard input; ends with NULL */
	bool recursive;
};

/*
 * Reads all files into the world.  Returns -1 with err; ERR_INPUT names the file and the line.  out_newest: of objects of a cluster the newest
 * time that they hold, when that is more than FILES_OLD before w->now: it is the present of the world then (w->now); else 0.  NULL: that
 * is not looked for.
 */
#define FILES_OLD (60 * 60 * 1000)
int files_load(const struct files *f, struct world *w, struct query *q, int64_t *out_newest, struct err *err) MUST_USE;

/*
 * Returns the path of the recording that an archive holds, in the arena: in memory, as long as the program runs.  NULL: it holds none, or several.
 */
const char *files_recording(const char *archive, struct arena *arena);
/* Adds one notice for all selected objects that were never in a cluster; nothing tells how they are. */
void files_tell_manifests(struct world *w, const struct query *q);

/*
 * Appends the content of a regular file, or of standard input ("-"), to out, up to its maximum size.  Returns -1 with err: ERR_SYSTEM,
 * or ERR_INPUT for what is larger.
 */
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

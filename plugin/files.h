/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the objects in the files of -f into a world. */
#ifndef PLUGIN_FILES_H
#define PLUGIN_FILES_H

#include "plugin/query.h"
#include "plugin/world.h"

struct files {
	const char *const *names;	/* paths of files, folders and archives, "-" is standard input; ends with NULL */
	bool recursive;
	bool dates;		/* the newest time that they hold may be the present */
};

/* What was found beside the objects. */
struct files_found {
	int64_t newest;	/* of objects of a cluster the newest time, when it is the present of the world (w->now) now; else 0 */
	bool logs;	/* there are logs of containers: plugin/file_logs.h reads them */
	struct buf events;	/* the Events, as files_each_event() reads them, up to LIMIT_FILE_EVENTS bytes; the caller releases it */
};

/*
 * Reads all files into the world.  Returns -1 with err; ERR_INPUT names the file and the line.  With dates the newest time of objects of a
 * cluster is the present, when it is more than FILES_OLD before w->now.
 */
#define FILES_OLD (60 * 60 * 1000)
int files_load(const struct files *f, struct world *w, struct query *q, struct files_found *out, struct err *err) MUST_USE;

struct parts;
/*
 * Opens the recordings that the arguments name, are in the folders or in the archives that they name, in the order of their beginnings.
 * out->n is 0 where an argument has none.  Returns -1 with err: ERR_INPUT when they cannot be played together, ERR_SYSTEM.
 */
int files_recordings(const struct files *f, struct parts *out, struct err *err) MUST_USE;
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
/*
 * Calls ops->object() with the Events of whose subject's name wants() wants to know: of text that files_load() has made, so that nothing
 * is read again when the user goes from row to row.
 */
void files_each_event(struct str events, bool (*wants)(void *ctx, struct str name), const struct object_ops *ops, void *ctx);
/* Does the same as files_each() with a text.  Returns -1 with err for a text that cannot be read, or when ops->object() has stopped. */
int files_text_each(struct str text, const struct object_ops *ops, void *ctx, struct err *err) MUST_USE;

/*
 * Calls file() with each file, also in archives, of which wants() wants something: the members of struct archive_ops.  It is asked of
 * files in archives and in the folders of dumps; a file that was named by itself is read as a whole.
 */
void files_each_file(const struct files *f, size_t (*wants)(void *ctx, struct str name),
		     int (*file)(void *ctx, struct str name, struct str text, struct err *err), void *ctx);
/* How lines begin that stand around the log of a container in what kubectl cluster-info dump writes. */
#define FILES_LOG_STARTS "==== START logs for container "
#define FILES_LOG_ENDS "==== END logs for container "

#endif

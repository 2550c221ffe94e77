/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the files that the arguments of -f name. */
#ifndef PLUGIN_FILES_PATHS_H
#define PLUGIN_FILES_PATHS_H

#include "kube/base/err.h"
#include "kube/base/str.h"

struct path_entry {
	char *path;
	bool dump;	/* found in the folder of a dump: a file without objects is no error */
	bool log;	/* the log of a container, with no objects */
};

struct path_list {
	struct path_entry *all;
	size_t n, cap;
};

/* Whose log a file in a dump is. */
struct log_place {
	struct str ns, pod, container;	/* container "": the logs of all stand in it, between lines that name them */
	bool previous;
};
/* Returns false for the path of another file.  The texts are parts of it. */
bool log_place(struct str path, struct log_place *out);
bool path_is_log(struct str path);

/*
 * Adds a file, or the .json, .yaml and .yml files (also with .gz) of a folder, and logs.  The folders below it are read
 * with recursive, and in a dump of must-gather or kubectl cluster-info dump.  Returns -1 with ERR_INPUT when there are
 * no objects to read.
 */
int path_list_add(struct path_list *list, const char *name, bool recursive, struct err *err) MUST_USE;
/* Returns true for the name of a file that is read of a folder or an archive. */
bool path_is_known(struct str name);
/* Adds what may be recordings in a folder: files that end in .jsonl or .jsonl.gz.  Returns -1 when it cannot be read. */
int path_list_recordings(struct path_list *list, const char *folder) MUST_USE;
bool path_is_recording(struct str name);
/* Adds the segments of the flight recording in a folder, oldest first.  Returns -1 when the folder cannot be read. */
int path_list_segments(struct path_list *list, const char *folder) MUST_USE;
void path_list_release(struct path_list *list);

#endif

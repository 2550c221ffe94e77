/* SPDX-License-Identifier: Apache-2.0 */
/* Which files the arguments of -f name. */
#ifndef PLUGIN_FILES_PATHS_H
#define PLUGIN_FILES_PATHS_H

#include "kube/base/err.h"
#include "kube/base/str.h"

struct path_entry {
	char *path;
	bool dump;	/* from a folder that was walked through: not all of it need be objects */
};

struct path_list {
	struct path_entry *all;
	size_t n, cap;
};

/*
 * A folder gives its .json, .yaml and .yml files, also with .gz behind.  Those of folders below it count
 * with recursive, and when it is a dump: of must-gather, or kubectl cluster-info dump.
 */
int path_list_add(struct path_list *list, const char *name, bool recursive, struct err *err) MUST_USE;
/* The segments of a flight recording in that folder, in the order in which they were begun.  -1: it cannot be read. */
int path_list_segments(struct path_list *list, const char *folder) MUST_USE;
void path_list_release(struct path_list *list);

#endif

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

/* Reads them all into the world; ERR_INPUT names the file and the line. */
int files_load(const struct files *f, struct world *w, struct query *q, struct err *err) MUST_USE;

/* A whole file or standard input; ERR_SYSTEM, ERR_INPUT past LIMIT_FILE. */
int files_read(const char *name, struct buf *out, struct err *err) MUST_USE;

/* list_kind: the kind that the items of a typed list have, or "". */
struct object_ops {
	int (*object)(void *ctx, struct json object, struct str list_kind, struct err *err);
};
/* Each object of all files, lists taken apart; standard input and what cannot be read are left out. */
void files_each(const struct files *f, const struct object_ops *ops, void *ctx);

#endif

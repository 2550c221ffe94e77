/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the files in an archive as a stream: tar (also compressed by gzip), zip, and archives in these.  Nothing is ever
 * written; names
 * are only shown, and links, devices and folders are passed over.  Ceilings: LIMIT_ARCHIVE_* in kube/base/limits.h.
 */
#ifndef PLUGIN_ARCHIVE_H
#define PLUGIN_ARCHIVE_H

#include "kube/base/buf.h"
#include "kube/base/err.h"

#define ARCHIVE_WHOLE SIZE_MAX

struct archive_ops {
	/*
	 * Returns how many of the last bytes of that file are wanted: ARCHIVE_WHOLE, or 0 for a file that is passed over.  name
	 * is as the archive has it, of an archive in it with both names.
	 */
	size_t (*wants)(void *ctx, struct str name);
	/* Takes the content, of a whole file unpacked where the name ends in .gz.  Returns -1 to stop. */
	int (*file)(void *ctx, struct str name, struct str text, struct err *err);
	/* That file, or what follows it, cannot be read; the rest is. */
	void (*flaw)(void *ctx, struct str name, const struct err *why);
};

/* Returns true for the name of an archive: .tar, .tar.gz, .tgz, .zip. */
bool archive_is_name(struct str name);
/* Returns true when the bytes, which are not compressed by gzip, begin as an archive does. */
bool archive_begins(struct str bytes);
/* Returns the name of the program that has compressed bytes in a way that is not read, "xz"; NULL: none has. */
const char *archive_foreign(struct str bytes);
/* Goes through an archive.  Returns -1 with err when nothing of it can be read, or file() has stopped. */
int archive_each(const char *path, const struct archive_ops *ops, void *ctx, struct err *err) MUST_USE;
/* Does the same for one in memory. */
int archive_each_in(struct str bytes, const struct archive_ops *ops, void *ctx, struct err *err) MUST_USE;

#endif

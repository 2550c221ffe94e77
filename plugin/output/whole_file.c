/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/whole_file.h"

#include "kube/base/buf.h"
#include "kube/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Gives the new file the mode of the one that it replaces. */
static void keep_mode(int fd, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && fchmod(fd, st.st_mode & 0777) < 0)
		errno = 0;	/* it stays 0600 */
}

/* Returns 0 or an errno. */
static int replace(const char *path, struct str text, bool lasting)
{
	struct buf fresh = { 0 };
	const char *name;
	int fd, why = 0;

	buf_printf(&fresh, "%s.%d", path, (int)getpid());
	name = buf_cstr(&fresh);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		why = errno;
	} else {
		keep_mode(fd, path);
		why = file_write_all(fd, text);
		if (!why && lasting && fsync(fd) < 0)
			why = errno;
		if (close(fd) < 0 && !why)
			why = errno;
		if (!why && rename(name, path) < 0)
			why = errno;
		if (why)
			unlink(name);
	}
	buf_release(&fresh);
	return why;
}

void whole_file_replace(const char *path, struct str text)
{
	replace(path, text, false);
}

int whole_file_write(const char *path, struct str text, struct err *err)
{
	int why = replace(path, text, true);

	return why ? err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(why)) : 0;
}

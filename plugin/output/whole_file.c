/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/whole_file.h"

#include "kube/base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, struct str text)
{
	size_t done = 0;

	while (done < text.len) {
		ssize_t n = write(fd, text.ptr + done, text.len - done);

		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Gives the new file the mode of the one that it replaces. */
static void keep_mode(int fd, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && fchmod(fd, st.st_mode & 0777) < 0)
		errno = 0;	/* it stays 0600 */
}

int whole_file_write(const char *path, struct str text, struct err *err)
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
		why = write_all(fd, text) && fsync(fd) == 0 ? 0 : errno;
		if (close(fd) < 0 && !why)
			why = errno;
		if (!why && rename(name, path) < 0)
			why = errno;
		if (why)
			unlink(name);
	}
	buf_release(&fresh);
	return why ? err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(why)) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/file.h"

#include "kube/base/alloc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Overwrites byte by byte, because compilers leave out a memset() whose result nobody reads. */
static void wipe(volatile char *bytes, size_t n)
{
	while (n--)
		*bytes++ = 0;
}

void file_wipe(struct buf *b)
{
	if (b->ptr)
		wipe(b->ptr, b->cap);
	buf_release(b);
}

static int read_all(int fd, struct buf *out)
{
	char chunk[16384];
	ssize_t n;

	do {
		n = read(fd, chunk, sizeof(chunk));
		if (n > 0)
			buf_add(out, (struct str){ chunk, (size_t)n });
	} while (n > 0 ? !out->failed : n < 0 && errno == EINTR);
	wipe(chunk, sizeof(chunk));
	if (out->failed)
		return EFBIG;
	return n < 0 ? errno : 0;
}

struct str file_error_text(struct arena *arena, int code)
{
	const char *text = strerror(code);

	return arena_printf(arena, "%c%s", tolower((unsigned char)text[0]), text + 1);
}

static int fail(const char *op, const char *path, int code, struct err *err)
{
	struct arena arena = { 0 };

	err_set(err, ERR_INPUT, "%s %s: %s", op, path, file_error_text(&arena, code).ptr);
	arena_release(&arena);
	return -1;
}

static bool is_null_device(const struct stat *st)
{
	struct stat null;

	return S_ISCHR(st->st_mode) && stat("/dev/null", &null) == 0 && null.st_rdev == st->st_rdev;
}

/*
 * Returns what the path is when it is not a file ("a named pipe"); NULL when it is a file, the empty /dev/null, or a
 * directory, which read() refuses.
 */
static const char *no_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || is_null_device(&st))
		return NULL;
	return S_ISFIFO(st.st_mode) ? "a pipe" : "a device";
}

int file_open(const char *name, int *out_errno, struct err *err)
{
	/* without it, open() would wait for somebody who writes into a named pipe */
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *what = fd >= 0 ? no_file(fd) : NULL;

	*out_errno = fd < 0 ? errno : what ? EINVAL : 0;
	if (fd < 0)
		return fail("open", name, *out_errno, err);
	if (!what)
		return fd;
	close(fd);
	return err_set(err, ERR_INPUT, "read %s: it is %s, and must be a regular file", name, what);
}

static int read_and_close(int fd, const char *name, struct buf *out, int *out_errno, struct err *err)
{
	*out_errno = read_all(fd, out);
	close(fd);
	return *out_errno ? fail("read", name, *out_errno, err) : 0;
}

int file_read(struct str path, struct buf *out, int *out_errno, struct err *err)
{
	char *name = xstrndup(path.ptr, path.len);
	int code, fd = file_open(name, &code, err);
	int result = fd < 0 ? -1 : read_and_close(fd, name, out, &code, err);

	if (out_errno)
		*out_errno = code;
	xfree(name);
	return result;
}

int file_read_any(struct str path, struct buf *out, int *out_errno, struct err *err)
{
	char *name = xstrndup(path.ptr, path.len);
	int fd = open(name, O_RDONLY | O_CLOEXEC), code = fd < 0 ? errno : 0;
	int result = fd < 0 ? fail("open", name, code, err) : read_and_close(fd, name, out, &code, err);

	if (out_errno)
		*out_errno = code;
	xfree(name);
	return result;
}

int file_write_all(int fd, struct str text)
{
	while (text.len) {
		ssize_t n = write(fd, text.ptr, text.len);

		if (n < 0 && errno != EINTR)
			return errno;
		text = n > 0 ? str_from(text, (size_t)n) : text;
	}
	return 0;
}

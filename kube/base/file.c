/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/file.h"

#include "kube/base/alloc.h"
#include "kube/base/gotext.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Byte by byte, as compilers leave out a memset() that nobody reads after. */
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

static int fail(const char *op, const char *path, int code, struct err *err)
{
	struct arena arena = { 0 };

	err_set(err, ERR_INPUT, "%s %s: %s", op, path, gotext_errno(&arena, code).ptr);
	arena_release(&arena);
	return -1;
}

int file_read(struct str path, struct buf *out, int *out_errno, struct err *err)
{
	char *name = xstrndup(path.ptr, path.len);
	int fd = open(name, O_RDONLY | O_CLOEXEC), code = fd < 0 ? errno : 0, result = 0;

	if (fd < 0) {
		result = fail("open", name, code, err);
	} else {
		code = read_all(fd, out);
		close(fd);
		if (code)
			result = fail("read", name, code, err);
	}
	if (out_errno)
		*out_errno = code;
	xfree(name);
	return result;
}

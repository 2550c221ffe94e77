/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/http/pem_files.h"

#include "kube/base/alloc.h"
#include "kube/base/file.h"
#include "kube/base/system.h"

#include <unistd.h>

/* None is dropped before the end: another file would get its path. */
struct pem_files {
	struct pem_files *next;
	struct buf pem, path;
	int fd;
};

static bool write_all(int fd, struct str bytes)
{
	while (bytes.len) {
		ssize_t n = write(fd, bytes.ptr, bytes.len);

		if (n <= 0)
			return false;
		bytes = str_from(bytes, (size_t)n);
	}
	return true;
}

const char *pem_files_path(struct pem_files **all, struct str pem)
{
	struct pem_files *f;
	int fd;

	for (f = *all; f; f = f->next)
		if (str_eq(buf_str(&f->pem), pem))
			return buf_cstr(&f->path);
	fd = system_memory_file();
	if (fd >= 0 && !write_all(fd, pem)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->fd = fd;
	buf_add(&f->pem, pem);
	buf_printf(&f->path, "/proc/self/fd/%d", fd);
	f->next = *all;
	*all = f;
	return buf_cstr(&f->path);
}

void pem_files_free(struct pem_files *all)
{
	while (all) {
		struct pem_files *next = all->next;

		close(all->fd);
		file_wipe(&all->pem);
		buf_release(&all->path);
		xfree(all);
		all = next;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/export.h"

#include "kube/base/buf.h"
#include "kube/base/file.h"
#include "kube/base/time.h"
#include "plugin/output/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_text(const struct timeline_entry *e, size_t n, struct buf *out)
{
	char text[TIME_TEXT];

	for (size_t i = 0; i < n; i++) {
		const struct str cells[] = { str_of(time_format(e[i].time, text)), e[i].name, e[i].id.ns, e[i].id.cluster, e[i].what,
					     str_of(e[i].source) };

		for (size_t k = 0; k < sizeof(cells) / sizeof(cells[0]); k++) {
			if (!cells[k].len)
				continue;
			buf_add_cstr(out, k ? "  " : "");
			plain_safe(cells[k], out);
		}
		buf_add_char(out, '\n');
	}
}

static int write_file(const char *path, struct str text, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int code;

	if (fd < 0)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, errno == EEXIST ? "it exists already, choose another name" : strerror(errno));
	code = file_write_all(fd, text);
	if (code)
		unlink(path);
	if (close(fd) < 0 && !code)
		code = errno;
	return code ? err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(code)) : 0;
}

int export_timeline(struct str name, const struct timeline_entry *entries, size_t n, struct err *err)
{
	const char *home = getenv("HOME");
	struct buf path = { 0 }, text = { 0 };
	int result;

	if (home && str_starts(name, "~/"))
		BUF_JOIN(&path, str_of(home), str_from(name, 1));
	else
		buf_add(&path, name);
	write_text(entries, n, &text);
	result = write_file(buf_cstr(&path), buf_str(&text), err);
	buf_release(&path);
	buf_release(&text);
	return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/source.h"

#include "kube/base/alloc.h"
#include "kube/base/deflate.h"
#include "kube/base/file.h"
#include "kube/base/limits.h"
#include "kube/base/system.h"
#include "plugin/files_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK KIB(64)

/* ---- files --------------------------------------------------------------- */

/* Copies a pipe to a file.  Returns 0, the errno, or -1 when there is more than LIMIT_PIPE. */
static int copy_pipe(int from, int to)
{
	char *chunk = xmalloc(CHUNK);
	size_t total = 0;
	ssize_t n;
	int code = 0;

	do {
		n = read(from, chunk, CHUNK);
		total += n > 0 ? (size_t)n : 0;
		if (total > LIMIT_PIPE)
			code = -1;
		else if (n < 0 && errno != EINTR)
			code = errno;
		else if (n > 0 && file_write_all(to, (struct str){ chunk, (size_t)n }))
			code = errno;
	} while (n != 0 && !code);
	xfree(chunk);
	return code;
}

/* Copies a pipe to a file, because it can be read only once. */
static int keep_pipe(int from, const char *name, struct err *err)
{
	int fd = system_unnamed_file(), code = fd < 0 ? errno : copy_pipe(from, fd);

	close(from);
	if (!code)
		return fd;
	if (fd >= 0)
		close(fd);
	if (code < 0)
		err_set(err, ERR_INPUT, "a recording of more than %zu MiB cannot be read from a pipe (%s)", LIMIT_PIPE / MIB(1), name);
	else
		err_set(err, ERR_SYSTEM, "read %s: %s", name, strerror(code));
	return err_hint(err, "write it to a file, and replay that");
}

/* Opens a file; SOURCE_DESCRIPTOR also where the system has no such paths. */
static int open_path(const char *name)
{
	struct str number = str_of(name);
	int64_t fd;

	if (!str_starts(number, SOURCE_DESCRIPTOR))
		return open(name, O_RDONLY | O_CLOEXEC);
	number = str_from(number, strlen(SOURCE_DESCRIPTOR));
	if (str_to_int(number, &fd) && fd >= 0 && fd <= INT_MAX)
		return fcntl((int)fd, F_DUPFD_CLOEXEC, 0);
	errno = ENOENT;
	return -1;
}

static int open_file(const char *name, struct err *err)
{
	int fd = open_path(name);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? err_set(err, ERR_INPUT, "the path \"%s\" does not exist", name) :
					 err_set(err, ERR_SYSTEM, "open %s: %s", name, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return err_set(err, ERR_SYSTEM, "open %s: %s", name, strerror(EISDIR));
	}
	return S_ISREG(st.st_mode) ? fd : keep_pipe(fd, name, err);
}

static void add_part(struct parts *parts, int fd)
{
	parts->fds = xreallocarray(parts->fds, parts->n + 1, sizeof(*parts->fds));
	parts->fds[parts->n++] = fd;
}

void parts_leave_out(struct parts *parts, size_t n, const char *name, const char *why)
{
	struct buf text = { 0 };

	if (n && !parts->nleft_out) {
		buf_printf(&text, "%s (%s)", name, why);
		parts->left_out = xstrdup(buf_cstr(&text));
	}
	parts->nleft_out += n;
	buf_release(&text);
}

/*
 * Opens a segment.  Without O_NONBLOCK, open() would wait for somebody who writes into a named pipe.  One that is removed
 * meanwhile was the oldest.
 */
static void open_segment(struct parts *parts, const char *path)
{
	const char *slash = strrchr(path, '/'), *why = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return;
	if (fd < 0 || fstat(fd, &st) < 0)
		why = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		why = "it is no regular file";
	else if (!source_is_recording(&(struct parts){ .fds = &fd, .n = 1 }))
		why = "it is no recording";
	if (!why) {
		add_part(parts, fd);
		return;
	}
	parts_leave_out(parts, 1, slash ? slash + 1 : path, why);
	if (fd >= 0)
		close(fd);
}

/* Opens the segments in a folder; those that cannot be read are left out, and noted. */
static int open_segments(struct parts *parts, const char *folder, struct err *err)
{
	struct path_list list = { 0 };
	int result = path_list_segments(&list, folder), code = errno;

	for (size_t i = 0; i < list.n; i++)
		open_segment(parts, list.all[i].path);
	path_list_release(&list);
	if (result < 0)
		return err_set(err, ERR_SYSTEM, "open %s: %s", folder, strerror(code));
	if (parts->n)
		return 0;
	if (parts->nleft_out)
		return err_set(err, ERR_SYSTEM, "no segment in %s can be read, such as %s", folder, parts->left_out);
	err_set(err, ERR_INPUT, "%s has no recording of kubectl status", folder);
	return err_hint(err, "a directory to replay is one that --flight wrote: flight-*.jsonl.gz");
}

int parts_open(struct parts *parts, const char *name, struct err *err)
{
	struct stat st;
	int fd;

	if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
		return open_segments(parts, name, err);
	fd = open_file(name, err);
	if (fd < 0)
		return -1;
	add_part(parts, fd);
	return 0;
}

int parts_add(struct parts *parts, const char *name, struct err *err)
{
	int fd = open_file(name, err);

	if (fd < 0)
		return -1;
	add_part(parts, fd);
	return 0;
}

void parts_release(struct parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		close(parts->fds[i]);
	xfree(parts->fds);
	xfree(parts->left_out);
	*parts = (struct parts){ 0 };
}

void parts_read(const struct parts *parts, size_t part, off_t at, size_t n, struct buf *out)
{
	ssize_t done = 1;

	buf_reserve(out, n);
	while (n > 0 && done > 0) {
		char chunk[KIB(16)];

		done = pread(parts->fds[part], chunk, n < sizeof(chunk) ? n : sizeof(chunk), at);
		if (done <= 0)
			break;
		buf_add(out, (struct str){ chunk, (size_t)done });
		at += done;
		n -= (size_t)done;
	}
}

off_t parts_size(const struct parts *parts, size_t part)
{
	struct stat st;

	return fstat(parts->fds[part], &st) == 0 ? st.st_size : 0;
}

/* ---- lines --------------------------------------------------------------- */

void source_open(struct source *s, const struct parts *parts)
{
	unsigned char magic[2] = { 0 };

	*s = (struct source){ .parts = parts };
	if (pread(parts->fds[0], magic, 2, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B)
		s->gzip = gzip_reader_new();
}

void source_close(struct source *s)
{
	gzip_reader_free(s->gzip);
	buf_release(&s->bytes);
	buf_release(&s->text);
}

/*
 * Goes on with the next segment, which begins with the whole state, so it does not matter whether the previous one is
 * cut off.
 */
static bool next_part(struct source *s)
{
	if (s->part + 1 >= s->parts->n)
		return false;
	s->part++;
	s->offset = 0;
	buf_add_char(&s->text, '\n');
	if (s->gzip)
		gzip_reader_restart(s->gzip);
	return true;
}

/* Appends the next bytes of the files.  Returns their number; 0 at the end. */
static size_t read_more(struct source *s, struct buf *out)
{
	size_t before = out->len;

	do {
		parts_read(s->parts, s->part, s->offset, CHUNK, out);
	} while (out->len == before && next_part(s));
	s->offset += (off_t)(out->len - before);
	return out->len - before;
}

/* Makes sure that bytes has some that were not taken.  Returns false at the end. */
static bool fill_bytes(struct source *s)
{
	if (s->used < s->bytes.len)
		return true;
	buf_reset(&s->bytes);
	s->used = 0;
	return read_more(s, &s->bytes) > 0;
}

/* Skips damaged data up to a place where decompression can go on.  The line that is torn apart becomes two lines. */
static void skip_damage(struct source *s)
{
	bool found = false;

	s->damaged = true;
	buf_add_char(&s->text, '\n');
	while (!found && fill_bytes(s)) {
		struct str bytes = str_from(buf_str(&s->bytes), s->used);

		found = gzip_read_on(s->gzip, &bytes);
		s->used = s->bytes.len - bytes.len;
	}
	s->ended = !found;
}

static void decompress_more(struct source *s)
{
	bool more = fill_bytes(s);
	size_t before = s->text.len;
	struct str bytes = str_from(buf_str(&s->bytes), s->used);
	enum gzip_read result = gzip_read(s->gzip, &bytes, &s->text);

	s->used = s->bytes.len - bytes.len;
	s->whole = result == GZIP_ENDED || (s->whole && !more);
	if (result == GZIP_DAMAGED)
		skip_damage(s);
	else
		s->ended = !more && s->text.len == before;
}

static void source_fill(struct source *s)
{
	if (s->at > 0) {
		buf_consume(&s->text, s->at);
		s->searched -= s->at;
		s->at = 0;
	}
	if (s->gzip)
		decompress_more(s);
	else
		s->ended = read_more(s, &s->text) == 0;
}

/* Returns the first bytes of the text without taking them.  Borrowed until the next call. */
static struct str source_beginning(struct source *s)
{
	while (s->text.len == 0 && !s->ended)
		source_fill(s);
	return buf_str(&s->text);
}

bool source_is_recording(const struct parts *parts)
{
	struct source s;
	struct str line;
	bool is;

	source_open(&s, parts);
	line = str_head(source_beginning(&s), 1024);
	line = str_head(line, str_find(line, '\n'));
	is = str_starts(line, "{") && str_contains(line, "\"Recording\"") && str_contains(line, "\"kubectl-status/");
	source_close(&s);
	return is;
}

bool source_line(struct source *s, struct str *out)
{
	for (;;) {
		struct str rest = str_from(buf_str(&s->text), s->searched);
		size_t newline = s->searched + str_find(rest, '\n');
		bool found = newline < s->text.len;

		if (found || s->text.len - s->at > LIMIT_OBJECT || (s->ended && s->text.len > s->at)) {
			*out = str_from(str_head(buf_str(&s->text), newline), s->at);
			s->at = s->searched = found ? newline + 1 : newline;
			s->number++;
			s->last_is_cut = !found;
			return true;
		}
		s->searched = newline;
		if (s->ended)
			return false;
		source_fill(s);
	}
}

void source_go(struct source *s, size_t part, off_t at, size_t line)
{
	buf_reset(&s->text);
	buf_reset(&s->bytes);
	s->at = s->searched = s->used = 0;
	s->ended = s->whole = s->last_is_cut = false;
	s->part = part;
	s->offset = at;
	s->number = line;
	if (s->gzip)
		gzip_reader_restart(s->gzip);
}

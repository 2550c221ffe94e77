/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/archive.h"

#include "kube/base/arena.h"
#include "kube/base/limits.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct reading {
	const struct archive_ops *ops;
	void *ctx;
	size_t files;		/* number of files in all archives so far */
	uint64_t bytes;		/* what was unpacked so far */
	unsigned depth;		/* archives in archives */
};

/* A file of an archive. */
struct inner {
	struct archive *in;
	struct str name;	/* as the archive has it, of an archive in it with both names */
	int64_t size;		/* what the archive says, -1: it does not */
};

static int each_in(struct reading *r, struct str bytes, struct str outer, struct err *err);

bool archive_is_name(struct str name)
{
	static const char *const endings[] = { ".tar", ".tar.gz", ".tgz", ".zip", NULL };

	return str_ends_any_nocase(name, endings);
}

const char *archive_foreign(struct str bytes)
{
	static const char *const marks[][2] = { { "\xFD" "7zXZ", "xz" }, { "BZh", "bzip2" }, { "\x28\xB5\x2F\xFD", "zstd" }, { "7z\xBC\xAF", "7z" } };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (str_starts(bytes, marks[i][0]))
			return marks[i][1];
	return NULL;
}

bool archive_begins(struct str bytes)
{
	enum { TAR_MAGIC_AT = 257 };

	return str_starts(bytes, "PK\3\4") || str_starts(bytes, "PK\5\6") || str_starts(str_from(bytes, TAR_MAGIC_AT), "ustar");
}

/* ---- content ------------------------------------------------------------------- */

static int too_large(struct err *err)
{
	return err_set(err, ERR_INPUT, "more than %zu MiB in one file", LIMIT_ARCHIVE_FILE / MIB(1));
}

/* Counts what is unpacked.  Returns -1 when that is too much, which ends all reading. */
static int count(struct reading *r, int64_t bytes, struct err *err)
{
	r->bytes += bytes > 0 ? (uint64_t)bytes : 0;
	if (r->bytes <= LIMIT_ARCHIVE)
		return 0;
	return err_set(err, ERR_INPUT, "the archive holds more than %llu MiB", (unsigned long long)(LIMIT_ARCHIVE / MIB(1)));
}

/* What libarchive has not read. */
static int unread(struct archive *a, struct err *err)
{
	const char *why = archive_error_string(a);

	return err_set(err, ERR_INPUT, "%s", why ? why : "damaged");
}

/* Appends the last bytes of a file to out; all of it when its size is not known.  Returns -1 with err. */
static int read_last(const struct inner *i, size_t last, struct buf *out, struct err *err)
{
	uint64_t over = i->size > 0 && (uint64_t)i->size > last ? (uint64_t)i->size - last : 0;
	char chunk[KIB(16)];
	la_ssize_t n;

	if (over == 0 && i->size > (int64_t)LIMIT_ARCHIVE_FILE)
		return too_large(err);
	while ((n = archive_read_data(i->in, chunk, sizeof(chunk))) > 0 && !out->failed) {
		size_t passed = over < (uint64_t)n ? (size_t)over : (size_t)n;

		buf_add(out, (struct str){ chunk + passed, (size_t)n - passed });
		over -= passed;
	}
	if (out->failed)
		return too_large(err);
	return n < 0 ? unread(i->in, err) : 0;
}

/* ---- files --------------------------------------------------------------------- */

static struct archive *open_formats(bool raw)
{
	struct archive *a = archive_read_new();

	archive_read_support_filter_gzip(a);
	if (raw) {
		archive_read_support_format_raw(a);
		archive_read_support_format_empty(a);
		return a;
	}
	archive_read_support_format_tar(a);
	archive_read_support_format_zip_seekable(a);
	return a;
}

/* Appends what gzip has compressed.  Returns -1 with err. */
static int unpack(struct str bytes, struct buf *out, struct err *err)
{
	struct archive *a = open_formats(true);
	struct archive_entry *entry;
	int result = 0;

	if (archive_read_open_memory(a, bytes.ptr, bytes.len) != ARCHIVE_OK)
		result = unread(a, err);
	else if (archive_read_next_header(a, &entry) >= ARCHIVE_WARN)
		result = read_last(&(struct inner){ .in = a, .size = -1 }, ARCHIVE_WHOLE, out, err);
	archive_read_free(a);
	return result;
}

/* Hands over the content of a file.  Returns -1 with why, which is a flaw of that file; -2 with err: reading has to stop. */
static int take(struct reading *r, struct str name, struct str bytes, struct err *why, struct err *err)
{
	struct buf plain = BUF_MAX(LIMIT_ARCHIVE_FILE);
	int result = 0;

	if (archive_is_name(name)) {
		if (r->depth == LIMIT_ARCHIVE_DEPTH)
			return err_set(why, ERR_INPUT, "archives in archives, more than %d of them", LIMIT_ARCHIVE_DEPTH);
		r->depth++;
		result = each_in(r, bytes, name, why);
		r->depth--;
		return result;
	}
	if (str_ends(name, ".gz"))
		result = unpack(bytes, &plain, why);
	if (result == 0 && count(r, (int64_t)plain.len, err) < 0)
		result = -2;
	if (result == 0 && r->ops->file(r->ctx, name, str_ends(name, ".gz") ? buf_str(&plain) : bytes, err) < 0)
		result = -2;
	buf_release(&plain);
	return result;
}

/* Reads a file, if it is wanted.  Returns -1 with err when reading has to stop. */
static int read_file(struct reading *r, const struct inner *i, struct err *err)
{
	size_t wanted = archive_is_name(i->name) ? ARCHIVE_WHOLE : r->ops->wants(r->ctx, i->name);
	struct buf text = BUF_MAX(LIMIT_ARCHIVE_FILE);
	struct err why;
	int result;

	if (++r->files > LIMIT_ARCHIVE_FILES)
		return err_set(err, ERR_INPUT, "the archive holds more than %d files", LIMIT_ARCHIVE_FILES);
	if (count(r, i->size, err) < 0)	/* also of what is too large to be read: to pass over it, it has to be unpacked */
		return -1;
	if (!wanted)
		return 0;
	result = read_last(i, wanted, &text, &why);
	if (result == 0 && i->size <= 0 && count(r, (int64_t)text.len, err) < 0)
		result = -2;
	if (result == 0)
		result = take(r, i->name, buf_str(&text), &why, err);
	if (result == -1)
		r->ops->flaw(r->ctx, i->name, &why);
	buf_release(&text);
	return result == -2 ? -1 : 0;
}

/* Returns the name in UTF-8 where libarchive knows how it is written, else its bytes. */
static struct str name_of(struct archive_entry *entry)
{
	const char *utf8 = archive_entry_pathname_utf8(entry), *bytes = utf8 ? utf8 : archive_entry_pathname(entry);

	return str_of(bytes ? bytes : "");
}

/* Goes through what was opened.  What is damaged ends it, and is a flaw when something was read before. */
static int each_file(struct reading *r, struct archive *a, struct str outer, struct err *err)
{
	struct arena arena = { 0 };
	struct inner i = { .in = a };
	struct archive_entry *entry;
	int header, result = 0;

	while (result == 0 && (header = archive_read_next_header(a, &entry)) != ARCHIVE_EOF) {
		if (header < ARCHIVE_WARN && i.name.len) {
			unread(a, err);
			r->ops->flaw(r->ctx, i.name, err);
			break;
		}
		if (header < ARCHIVE_WARN) {
			result = unread(a, err);
			break;
		}
		arena_reset(&arena);
		i.name = ARENA_JOIN(&arena, outer, str_of(outer.len ? "/" : ""), name_of(entry));
		i.size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;
		if (archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry))
			result = read_file(r, &i, err);
	}
	arena_release(&arena);
	return result;
}

/* ---- archives ------------------------------------------------------------------ */

static int each_in(struct reading *r, struct str bytes, struct str outer, struct err *err)
{
	struct archive *a = open_formats(false);
	int result = archive_read_open_memory(a, bytes.ptr, bytes.len) == ARCHIVE_OK ? each_file(r, a, outer, err) : unread(a, err);

	archive_read_free(a);
	return result;
}

int archive_each_in(struct str bytes, const struct archive_ops *ops, void *ctx, struct err *err)
{
	return each_in(&(struct reading){ .ops = ops, .ctx = ctx }, bytes, STR_NONE, err);
}

int archive_each(const char *path, const struct archive_ops *ops, void *ctx, struct err *err)
{
	struct reading r = { .ops = ops, .ctx = ctx };
	int fd = open(path, O_RDONLY | O_CLOEXEC), result;
	char magic[8];
	ssize_t n = fd < 0 ? 0 : pread(fd, magic, sizeof(magic), 0);
	const char *foreign = archive_foreign((struct str){ magic, n > 0 ? (size_t)n : 0 });
	struct archive *a;

	if (fd < 0 && errno == ENOENT)
		return err_set(err, ERR_INPUT, "the path \"%s\" does not exist", path);
	if (fd < 0)
		return err_set(err, ERR_SYSTEM, "open %s: %s", path, strerror(errno));
	a = open_formats(false);
	if (foreign)
		result = err_set(err, ERR_INPUT, "it is compressed by %s, which is not read: unpack it first", foreign);
	else
		result = archive_read_open_fd(a, fd, KIB(64)) == ARCHIVE_OK ? each_file(&r, a, STR_NONE, err) : unread(a, err);
	archive_read_free(a);
	close(fd);
	return result;
}

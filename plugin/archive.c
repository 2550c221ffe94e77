/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/archive.h"

#include "kube/base/alloc.h"
#include "kube/base/arena.h"
#include "kube/base/deflate.h"
#include "kube/base/limits.h"

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
	bool any;		/* something of the outermost archive was read */
};

static int each_in(struct reading *r, struct str bytes, struct str name, struct err *err);

bool archive_is_name(struct str name)
{
	static const char *const endings[] = { ".tar", ".tar.gz", ".tgz", ".zip", NULL };

	return str_ends_any_nocase(name, endings);
}

static int too_large(struct err *err)
{
	return err_set(err, ERR_INPUT, "more than %zu MiB in one file", LIMIT_ARCHIVE_FILE / MIB(1));
}

/* Counts what is unpacked.  Returns -1 when that is too much, which ends all reading. */
static int count(struct reading *r, uint64_t bytes, struct err *err)
{
	r->bytes += bytes;
	if (r->bytes <= LIMIT_ARCHIVE)
		return 0;
	return err_set(err, ERR_INPUT, "the archive holds more than %llu MiB", (unsigned long long)(LIMIT_ARCHIVE / MIB(1)));
}

static int count_file(struct reading *r, struct err *err)
{
	if (++r->files <= LIMIT_ARCHIVE_FILES)
		return 0;
	return err_set(err, ERR_INPUT, "the archive holds more than %d files", LIMIT_ARCHIVE_FILES);
}

/* ---- one file ------------------------------------------------------------------ */

static size_t wants(const struct reading *r, struct str name)
{
	return archive_is_name(name) ? ARCHIVE_WHOLE : r->ops->wants(r->ctx, name);
}

/* Hands over the content of a file, or what the archive that it is holds.  Returns -1 when reading has to stop. */
static int take(struct reading *r, struct str name, struct str bytes, struct err *err)
{
	struct buf plain = BUF_MAX(LIMIT_ARCHIVE_FILE);
	struct err why = { 0 };
	int result = 0;

	r->any = true;
	if (archive_is_name(name)) {
		r->depth++;
		result = r->depth > LIMIT_ARCHIVE_DEPTH ? err_set(&why, ERR_INPUT, "archives in archives, more than %d of them", LIMIT_ARCHIVE_DEPTH) :
							  each_in(r, bytes, name, &why);
		r->depth--;
	} else if (str_ends(name, ".gz")) {
		result = gzip_unpack(bytes, &plain, &why);
		if (result == 0 && count(r, plain.len, err) < 0)
			result = -2;
		else if (result == 0)
			result = r->ops->file(r->ctx, name, buf_str(&plain), err) < 0 ? -2 : 0;
	} else if (r->ops->file(r->ctx, name, bytes, err) < 0) {
		result = -2;
	}
	buf_release(&plain);
	if (result == -1)
		r->ops->flaw(r->ctx, name, &why);
	return result == -2 ? -1 : 0;
}

/* ---- tar ------------------------------------------------------------------------ */
/* POSIX.1-2017, pax: ustar and extended headers; "GNU tar manual", Basic Tar Format: long names, numbers in base 256. */

enum {
	BLOCK = 512,
	TAR_NAME = 100,
	TAR_SIZE_AT = 124,
	TAR_SUM_AT = 148,
	TAR_TYPE_AT = 156,
	TAR_MAGIC_AT = 257,
	TAR_PREFIX_AT = 345,
	TAR_PREFIX = 155,
	LONG_NAME = 4096 * 4	/* bytes of an extended header that is read */
};

struct tar {
	struct reading *r;
	struct gzip_file *file;	/* NULL: it is in memory */
	struct str rest;	/* of what is in memory */
	struct str outer;	/* "" or the name of the archive that this one is in, with a slash */
	struct str name;	/* of the file that is read, in the arena */
	struct buf long_name;	/* what an extended header has said */
	struct arena arena;
};

/* Reads at most n bytes.  Returns how many, fewer only at the end; -1 with err. */
static ssize_t tar_read(struct tar *t, char *out, size_t n, struct err *err)
{
	if (t->file)
		return gzip_file_read(t->file, out, n, err);
	n = n < t->rest.len ? n : t->rest.len;
	memcpy(out, t->rest.ptr, n);
	t->rest = str_from(t->rest, n);
	return (ssize_t)n;
}

/* Returns a number in octal, or in base 256 where the first bit is set; UINT64_MAX: it is none. */
static uint64_t tar_number(const char *field, size_t width)
{
	const unsigned char *p = (const unsigned char *)field;
	uint64_t n = p[0] & 0x3F;

	if (p[0] & 0x80) {
		for (size_t i = 1; i < width; i++)
			n = n >> 55 ? UINT64_MAX >> 8 : n << 8 | p[i];
		return n;
	}
	n = 0;
	for (size_t i = 0; i < width && p[i] && p[i] != ' '; i++) {
		if (p[i] < '0' || p[i] > '7')
			return UINT64_MAX;
		n = n << 3 | (p[i] - '0');
	}
	return n;
}

/* Returns true for the header of a file: its checksum is right. */
static bool tar_is_header(const char *block)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= TAR_SUM_AT && i < TAR_TYPE_AT ? ' ' : (unsigned char)block[i];
	return tar_number(block + TAR_SUM_AT + strspn(block + TAR_SUM_AT, " "), 6) == sum;
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
	return str_starts(bytes, "PK\3\4") || str_starts(bytes, "PK\5\6") ||
	       (bytes.len >= BLOCK && tar_is_header(bytes.ptr) && memcmp(bytes.ptr + TAR_MAGIC_AT, "ustar", 5) == 0);
}

/* Reads the last bytes of n into out, and passes over those before; then over those up to the next block.  Returns -1 with err. */
static int tar_content(struct tar *t, uint64_t n, uint64_t last, struct buf *out, struct err *err)
{
	uint64_t over = n > last ? n - last : 0;
	uint64_t left = n + (BLOCK - n % BLOCK) % BLOCK;
	char *chunk = xmalloc(KIB(64));
	int result = count(t->r, n, err) < 0 ? -1 : 0;

	while (left && result == 0) {
		size_t most = left < KIB(64) ? (size_t)left : KIB(64);
		ssize_t got = tar_read(t, chunk, most, err);

		if (got >= 0 && (size_t)got < most && n > (uint64_t)got)
			result = err_set(err, ERR_INPUT, "the archive ends within it");
		else if (got < 0)
			result = -1;
		if (result == 0) {
			struct str read = { chunk, n < (uint64_t)got ? (size_t)n : (size_t)got };
			size_t passed = over < read.len ? (size_t)over : read.len;

			buf_add(out, str_from(read, passed));
			over -= passed;
		}
		n -= n < most ? n : most;
		left = got < (ssize_t)most ? 0 : left - most;
	}
	xfree(chunk);
	return result;
}

/* Returns the value of "path" in an extended header, whose lines are "LENGTH KEY=VALUE"; "": there is none. */
static struct str pax_path(struct str text)
{
	struct str line, found = STR_NONE;

	while (str_split(&text, '\n', &line)) {
		struct str pair = str_from(line, str_find(line, ' ') + 1);

		if (str_starts(pair, "path="))
			found = str_from(pair, strlen("path="));
	}
	return found;
}

static struct str until_nul(const char *field, size_t width)
{
	return (struct str){ field, strnlen(field, width) };
}

static void tar_name(struct tar *t, const char *block)
{
	struct str name = until_nul(block, TAR_NAME), prefix = until_nul(block + TAR_PREFIX_AT, TAR_PREFIX);

	if (memcmp(block + TAR_MAGIC_AT, "ustar\0", 6) != 0)	/* GNU has other fields there */
		prefix = STR_NONE;
	if (t->long_name.len)
		t->name = ARENA_JOIN(&t->arena, t->outer, buf_str(&t->long_name));
	else
		t->name = ARENA_JOIN(&t->arena, t->outer, prefix, str_of(prefix.len ? "/" : ""), name);
	buf_reset(&t->long_name);
}

/* Reads the name of the next file from the content of a header of its own. */
static int tar_long_name(struct tar *t, char type, uint64_t size, struct err *err)
{
	struct buf text = { 0 };
	struct str name;
	int result = tar_content(t, size, size <= LONG_NAME ? size : 0, &text, err);

	name = type == 'x' ? pax_path(buf_str(&text)) : until_nul(text.len ? text.ptr : "", text.len);
	if (result == 0 && name.len) {
		buf_reset(&t->long_name);
		buf_add(&t->long_name, name);
	}
	buf_release(&text);
	return result;
}

static int tar_file(struct tar *t, char type, uint64_t size, struct err *err)
{
	struct buf text = { 0 };
	struct err why;
	bool regular = type == '0' || type == '\0' || type == '7';
	size_t wanted = regular ? wants(t->r, t->name) : 0;
	int result;

	if (wanted == ARCHIVE_WHOLE && size > LIMIT_ARCHIVE_FILE) {
		too_large(&why);
		t->r->ops->flaw(t->r->ctx, t->name, &why);
		wanted = 0;
	}
	result = count_file(t->r, err) < 0 ? -1 : tar_content(t, size, wanted, &text, err);
	if (result == 0 && wanted)
		result = take(t->r, t->name, buf_str(&text), err) < 0 ? -2 : 0;
	buf_release(&text);
	return result;
}

/*
 * Reads the next header and what belongs to it.  Returns 1; 0 at the end; -1 with err: nothing more can be read; -2: so
 * much that reading stops.
 */
static int tar_next(struct tar *t, struct err *err)
{
	char block[BLOCK];
	ssize_t got = tar_read(t, block, BLOCK, err);
	const char *foreign;
	uint64_t size;
	char type;
	int result;

	if (got < 0)
		return -1;
	if (got == 0 || (got == BLOCK && block[0] == '\0'))
		return 0;
	foreign = t->r->any || t->name.len ? NULL : archive_foreign((struct str){ block, (size_t)got });
	if (foreign)
		return err_set(err, ERR_INPUT, "it is compressed by %s, which is not read: unpack it first", foreign);
	if (got < BLOCK || !tar_is_header(block))
		return err_set(err, ERR_INPUT, t->r->any || t->name.len ? "damaged behind it" : "it is no archive (tar or zip)");
	type = block[TAR_TYPE_AT];
	size = tar_number(block + TAR_SIZE_AT, 12);
	if (size == UINT64_MAX)
		return err_set(err, ERR_INPUT, "damaged behind it");
	if (type == 'L' || type == 'x')
		return tar_long_name(t, type, size, err) < 0 ? -1 : 1;
	if (type == 'g' || type == 'K')
		return tar_content(t, size, 0, &(struct buf){ .max = 1 }, err) < 0 ? -1 : 1;
	arena_reset(&t->arena);
	tar_name(t, block);
	result = tar_file(t, type, size, err);
	return result < 0 ? result : 1;
}

/* Goes through a tar.  What is damaged ends it, and is a flaw when something was read before. */
static int tar_each(struct tar *t, struct err *err)
{
	struct err why = { 0 };
	int result;

	do
		result = tar_next(t, &why);
	while (result == 1);
	if (result == -2) {
		*err = why;
		result = -1;
	} else if (result == -1 && t->name.len) {
		t->r->ops->flaw(t->r->ctx, t->name, &why);
		result = 0;
	} else if (result == -1) {
		*err = why;
	}
	buf_release(&t->long_name);
	arena_release(&t->arena);
	return result;
}

/* ---- zip ------------------------------------------------------------------------ */
/* APPNOTE.TXT of PKWARE, 6.3.9: the central directory at the end of the file says where each file is. */

enum { ZIP_END = 22, ZIP_COMMENT = 65535, ZIP_ENTRY = 46, ZIP_LOCAL = 30, ZIP_STORED = 0, ZIP_DEFLATED = 8, ZIP_ENCRYPTED = 1 };
enum { ZIP64_LOCATOR = 20, ZIP64_END = 56, ZIP64_EXTRA = 1, ZIP64 = 0xFFFF };	/* a field whose bits are all set stands in a ZIP64 record */

struct zip {
	struct reading *r;
	int fd;			/* -1: it is in memory */
	struct str memory;
	uint64_t size;
	uint64_t packed;	/* what the files that were read have there */
	struct str outer;
};

/* One file of the central directory. */
struct zip_file {
	struct str name;
	unsigned flags, method;
	uint32_t sum;
	uint64_t packed, size, at;
};

static uint64_t little(const char *p, size_t n)
{
	uint64_t value = 0;

	while (n-- > 0)
		value = value << 8 | (unsigned char)p[n];
	return value;
}

/* Reads exactly n bytes at a place.  Returns false when they are not there. */
static bool zip_read(const struct zip *z, uint64_t at, char *out, size_t n)
{
	if (at > z->size || n > z->size - at)
		return false;
	if (z->fd < 0) {
		memcpy(out, z->memory.ptr + at, n);
		return true;
	}
	while (n) {
		ssize_t got = pread(z->fd, out, n, (off_t)at);

		if (got <= 0)
			return false;
		out += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

/* Reads where the central directory is from the records of ZIP64 before the end of a zip.  Returns false when there are none. */
static bool zip64_end(const struct zip *z, uint64_t end, uint64_t *out_from, uint64_t *out_len)
{
	char locator[ZIP64_LOCATOR], record[ZIP64_END];

	if (end < ZIP64_LOCATOR || !zip_read(z, end - ZIP64_LOCATOR, locator, ZIP64_LOCATOR) || memcmp(locator, "PK\6\7", 4) != 0 ||
	    !zip_read(z, little(locator + 8, 8), record, ZIP64_END) || memcmp(record, "PK\6\6", 4) != 0)
		return false;
	*out_len = little(record + 40, 8);
	*out_from = little(record + 48, 8);
	return true;
}

/* Returns the central directory, which the caller frees; NULL with err. */
static char *zip_directory(const struct zip *z, size_t *out_len, struct err *err)
{
	size_t n = z->size < ZIP_END + ZIP_COMMENT ? (size_t)z->size : ZIP_END + ZIP_COMMENT;
	char *tail = xmalloc(n + 1), *directory = NULL;
	ssize_t at = (ssize_t)n - ZIP_END;
	uint64_t len, from;

	if (!zip_read(z, z->size - n, tail, n))
		at = -1;
	while (at >= 0 && memcmp(tail + at, "PK\5\6", 4) != 0)
		at--;
	len = at < 0 ? 0 : little(tail + at + 12, 4);
	from = at < 0 ? 0 : little(tail + at + 16, 4);
	xfree(tail);
	if (at >= 0 && (from == UINT32_MAX || len == UINT32_MAX) && !zip64_end(z, z->size - n + (uint64_t)at, &from, &len))
		at = -1;
	*out_len = (size_t)len;
	if (at < 0)
		err_set(err, ERR_INPUT, "it is no archive (zip), or its end is missing");
	else if (len > LIMIT_ARCHIVE_FILE)
		too_large(err);
	else
		directory = xmalloc((size_t)len + 1);
	if (directory && !zip_read(z, from, directory, (size_t)len)) {
		err_set(err, ERR_INPUT, "its list of files is damaged");
		xfree(directory);
		directory = NULL;
	}
	return directory;
}

/* Replaces what has no room in the entry by the numbers of ZIP64 behind its name. */
static void zip64_file(struct zip_file *f, struct str extra)
{
	uint64_t *const fields[] = { &f->size, &f->packed, &f->at };
	size_t len = 0;

	for (; extra.len >= 4; extra = str_from(extra, 4 + len)) {
		len = (size_t)little(extra.ptr + 2, 2);
		if (little(extra.ptr, 2) == ZIP64_EXTRA)
			break;
	}
	extra = str_head(str_from(extra, 4), len);
	for (size_t i = 0; i < 3; i++) {
		if (*fields[i] != UINT32_MAX || extra.len < 8)
			continue;
		*fields[i] = little(extra.ptr, 8);
		extra = str_from(extra, 8);
	}
}

/* Takes the next file off the central directory; false: there is none, or it is damaged. */
static bool zip_next(struct str *directory, struct zip_file *out)
{
	const char *p = directory->ptr;
	size_t names, all;

	if (directory->len < ZIP_ENTRY || memcmp(p, "PK\1\2", 4) != 0)
		return false;
	names = (size_t)little(p + 28, 2);
	all = ZIP_ENTRY + names + (size_t)little(p + 30, 2) + (size_t)little(p + 32, 2);
	if (all > directory->len)
		return false;
	*out = (struct zip_file){ { p + ZIP_ENTRY, names }, (unsigned)little(p + 8, 2), (unsigned)little(p + 10, 2), (uint32_t)little(p + 16, 4),
				  little(p + 20, 4), little(p + 24, 4), little(p + 42, 4) };
	zip64_file(out, (struct str){ p + ZIP_ENTRY + names, (size_t)little(p + 30, 2) });
	*directory = str_from(*directory, all);
	return true;
}

/* Appends the content of a file. */
static int zip_content(struct zip *z, const struct zip_file *f, struct buf *out, struct err *err)
{
	char local[ZIP_LOCAL], *bytes;
	uint64_t at;
	int result = 0;

	if (f->flags & ZIP_ENCRYPTED)
		return err_set(err, ERR_INPUT, "it is encrypted");
	if (f->method != ZIP_STORED && f->method != ZIP_DEFLATED)
		return err_set(err, ERR_INPUT, "its compression (method %u) is not read", f->method);
	if (f->size > LIMIT_ARCHIVE_FILE || f->packed > LIMIT_ARCHIVE_FILE)
		return too_large(err);
	z->packed += f->packed;
	if (z->packed > z->size)
		return err_set(err, ERR_INPUT, "its files lie over each other");
	if (!zip_read(z, f->at, local, ZIP_LOCAL) || memcmp(local, "PK\3\4", 4) != 0)
		return err_set(err, ERR_INPUT, "it is not where the archive says");
	at = f->at + ZIP_LOCAL + little(local + 26, 2) + little(local + 28, 2);
	if (at > z->size || f->packed > z->size - at)
		return err_set(err, ERR_INPUT, "the archive ends within it");
	bytes = xmalloc((size_t)f->packed + 1);
	if (!zip_read(z, at, bytes, (size_t)f->packed))
		result = err_set(err, ERR_INPUT, "the archive ends within it");
	else if (f->method == ZIP_STORED)
		buf_add(out, (struct str){ bytes, (size_t)f->packed });
	else
		result = deflate_unpack((struct str){ bytes, (size_t)f->packed }, out, err);
	xfree(bytes);
	if (result == 0 && deflate_checksum(buf_str(out)) != f->sum)
		result = err_set(err, ERR_INPUT, "it is damaged: its checksum is another one");
	return result;
}

/* Returns -1 with err when reading has to stop. */
static int zip_file(struct zip *z, const struct zip_file *f, struct err *err)
{
	struct arena arena = { 0 };
	struct str name = ARENA_JOIN(&arena, z->outer, f->name);
	struct buf text = BUF_MAX(LIMIT_ARCHIVE_FILE);
	struct err why = { 0 };
	size_t wanted = str_ends(name, "/") ? 0 : wants(z->r, name);
	int result = count_file(z->r, err);

	if (result == 0 && wanted) {
		z->r->any = true;
		if (zip_content(z, f, &text, &why) < 0)
			z->r->ops->flaw(z->r->ctx, name, &why);
		else if (count(z->r, text.len, err) < 0 || take(z->r, name, str_from(buf_str(&text), text.len > wanted ? text.len - wanted : 0), err) < 0)
			result = -1;
	}
	buf_release(&text);
	arena_release(&arena);
	return result;
}

static int zip_each(struct zip *z, struct err *err)
{
	size_t len;
	char *directory = zip_directory(z, &len, err);
	struct str rest = { directory, len };
	struct zip_file f;
	int result = 0;

	if (!directory)
		return -1;
	while (result == 0 && zip_next(&rest, &f))
		result = zip_file(z, &f, err);
	if (result == 0 && rest.len) {
		struct err why;

		err_set(&why, ERR_INPUT, "its list of files is damaged");
		z->r->ops->flaw(z->r->ctx, z->outer.len ? z->outer : STR("the archive"), &why);
	}
	xfree(directory);
	return result;
}

/* ---- both ------------------------------------------------------------------------ */

/* Returns "name/", or "" for "". */
static struct str as_folder(struct str name, struct arena *a)
{
	return name.len ? ARENA_JOIN(a, name, STR("/")) : name;
}

static int each_in(struct reading *r, struct str bytes, struct str name, struct err *err)
{
	struct arena arena = { 0 };
	struct buf plain = BUF_MAX(LIMIT_ARCHIVE_FILE);
	int result = 0;

	if (str_starts(bytes, "\x1F\x8B")) {
		result = gzip_unpack(bytes, &plain, err);
		bytes = buf_str(&plain);
		if (result == 0)
			result = count(r, plain.len, err);
	}
	if (result == 0 && str_starts(bytes, "PK"))
		result = zip_each(&(struct zip){ .r = r, .fd = -1, .memory = bytes, .size = bytes.len, .outer = as_folder(name, &arena) }, err);
	else if (result == 0)
		result = tar_each(&(struct tar){ .r = r, .rest = bytes, .outer = as_folder(name, &arena), .name = STR_NONE }, err);
	buf_release(&plain);
	arena_release(&arena);
	return result;
}

int archive_each_in(struct str bytes, const struct archive_ops *ops, void *ctx, struct err *err)
{
	return each_in(&(struct reading){ .ops = ops, .ctx = ctx }, bytes, STR_NONE, err);
}

/* Returns the size of a file that can be read at any place and begins as a zip does; 0: it is none. */
static uint64_t zip_size(int fd)
{
	char magic[2];
	off_t size = pread(fd, magic, 2, 0) == 2 && memcmp(magic, "PK", 2) == 0 ? lseek(fd, 0, SEEK_END) : 0;

	return size > 0 ? (uint64_t)size : 0;
}

int archive_each(const char *path, const struct archive_ops *ops, void *ctx, struct err *err)
{
	struct reading r = { .ops = ops, .ctx = ctx };
	struct zip zip = { .r = &r, .fd = open(path, O_RDONLY | O_CLOEXEC), .outer = STR_NONE };
	struct tar tar = { .r = &r, .outer = STR_NONE, .name = STR_NONE };
	int result;

	if (zip.fd < 0 && errno == ENOENT)
		return err_set(err, ERR_INPUT, "the path \"%s\" does not exist", path);
	if (zip.fd < 0)
		return err_set(err, ERR_SYSTEM, "open %s: %s", path, strerror(errno));
	zip.size = zip_size(zip.fd);
	if (zip.size) {
		result = zip_each(&zip, err);
		close(zip.fd);
	} else {
		tar.file = gzip_file_open(zip.fd);
		result = tar_each(&tar, err);
		gzip_file_close(tar.file);
	}
	return result;
}

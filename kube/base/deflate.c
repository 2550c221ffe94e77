/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/deflate.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#define ZLIB_CONST /* input is only read */
#include <zlib.h>

#define CHUNK KIB(4)
#define COMPARED KIB(32)	/* the bytes at the end of a dictionary that zlib uses */

/* Running out of memory ends the program, as everywhere. */
static void *take_memory(void *ctx, unsigned n, unsigned size)
{
	(void)ctx;
	return xreallocarray(NULL, n, size);
}

static void give_memory(void *ctx, void *memory)
{
	(void)ctx;
	xfree(memory);
}

static void give_input(z_stream *z, struct str bytes)
{
	z->next_in = (const unsigned char *)bytes.ptr;
	z->avail_in = (unsigned)bytes.len;
}

/* Appends all that step, which is deflate() or inflate(), makes of the input.  Returns what it returned last. */
static int run(z_stream *z, int (*step)(z_stream *z, int flush), int flush, struct buf *out)
{
	unsigned char chunk[CHUNK];
	int result;

	do {
		z->next_out = chunk;
		z->avail_out = sizeof(chunk);
		result = step(z, flush);
		buf_add(out, (struct str){ (const char *)chunk, sizeof(chunk) - z->avail_out });
	} while (result == Z_OK && z->avail_out == 0);
	return result;
}

/* ---- differences --------------------------------------------------------- */

/*
 * Measured with Pods of 1.5 to 2 KB.  A higher level makes nothing smaller, a lower one makes it larger and is not quicker.
 * Objects repeat their own words: with more candidates than the level looks at, and any length being worth the search, the
 * same place in the base is found.
 */
enum { DELTA_LEVEL = 3, DELTA_MEMORY = 5, DELTA_WINDOW = -MAX_WBITS /* negative: without a header and a checksum */ };
enum { DELTA_GOOD = 4, DELTA_LAZY = 6, DELTA_NICE = 258, DELTA_CANDIDATES = 128 };

struct delta_coder {
	z_stream packing, unpacking;
};

struct delta_coder *delta_coder_new(void)
{
	struct delta_coder *c = xcalloc(1, sizeof(*c));
	int packing, unpacking;

	c->packing = c->unpacking = (z_stream){ .zalloc = take_memory, .zfree = give_memory };
	packing = deflateInit2(&c->packing, DELTA_LEVEL, Z_DEFLATED, DELTA_WINDOW, DELTA_MEMORY, Z_DEFAULT_STRATEGY);
	unpacking = inflateInit2(&c->unpacking, DELTA_WINDOW);
	assert(packing == Z_OK && unpacking == Z_OK);
	(void)packing, (void)unpacking;
	return c;
}

void delta_coder_free(struct delta_coder *c)
{
	if (!c)
		return;
	deflateEnd(&c->packing);
	inflateEnd(&c->unpacking);
	xfree(c);
}

struct str delta_base(struct str text)
{
	return str_from(text, text.len > COMPARED ? text.len - COMPARED : 0);
}

void delta_encode(struct delta_coder *c, struct str base, struct str text, struct buf *out)
{
	z_stream *z = &c->packing;
	int result;

	deflateReset(z);
	deflateTune(z, DELTA_GOOD, DELTA_LAZY, DELTA_NICE, DELTA_CANDIDATES);
	deflateSetDictionary(z, (const unsigned char *)base.ptr, (unsigned)base.len);
	give_input(z, text);
	result = run(z, deflate, Z_FINISH, out);
	assert(result == Z_STREAM_END);
}

void delta_decode(struct delta_coder *c, struct str base, struct str delta, struct buf *out)
{
	z_stream *z = &c->unpacking;
	int result;

	inflateReset(z);
	inflateSetDictionary(z, (const unsigned char *)base.ptr, (unsigned)base.len);
	give_input(z, delta);
	result = run(z, inflate, Z_NO_FLUSH, out);
	assert(result == Z_STREAM_END);
}

/* ---- gzip, written ------------------------------------------------------- */

/* Measured with changes of Pods: level 6 makes them a twentieth larger, level 9 not smaller. */
enum { GZIP = 16 /* added to the window's bits */, GZIP_LEVEL = 8, GZIP_MEMORY = 8, MARK_MAX = 64 };
/* A member's header: ten bytes, of which these are the first, the length of the extra field, and the subfield in it. */
enum { MEMBER_HEAD = 10, EXTRA_HEAD = 2, SUBFIELD_HEAD = 4 };
static const char member_with_extra[4] = { 0x1F, (char)0x8B, Z_DEFLATED, 4 };

struct gzip_writer {
	z_stream stream;
	gz_header header;
	unsigned char extra[SUBFIELD_HEAD + MARK_MAX];
};

/* The extra field: one subfield, named KS. */
static size_t make_extra(struct str mark, unsigned char *out)
{
	assert(mark.len <= MARK_MAX);
	memcpy(out, "KS", 2);
	out[2] = (unsigned char)mark.len;
	out[3] = 0;
	memcpy(out + SUBFIELD_HEAD, mark.ptr, mark.len);
	return SUBFIELD_HEAD + mark.len;
}

struct gzip_writer *gzip_writer_new(void)
{
	struct gzip_writer *w = xcalloc(1, sizeof(*w));
	int result;

	w->stream = (z_stream){ .zalloc = take_memory, .zfree = give_memory };
	result = deflateInit2(&w->stream, GZIP_LEVEL, Z_DEFLATED, MAX_WBITS + GZIP, GZIP_MEMORY, Z_DEFAULT_STRATEGY);
	assert(result == Z_OK);
	(void)result;
	return w;
}

void gzip_writer_free(struct gzip_writer *w)
{
	if (!w)
		return;
	deflateEnd(&w->stream);
	xfree(w);
}

void gzip_write_mark(struct gzip_writer *w, struct str mark)
{
	w->header = (gz_header){ .os = 255, .extra = w->extra, .extra_len = (unsigned)make_extra(mark, w->extra) };
	deflateSetHeader(&w->stream, &w->header);
}

void gzip_write(struct gzip_writer *w, struct str text, enum gzip_flush flush, struct buf *out)
{
	static const int zlib[] = {
		[GZIP_LATER] = Z_NO_FLUSH,
		[GZIP_FLUSH] = Z_SYNC_FLUSH,
		[GZIP_RESTART] = Z_FULL_FLUSH,
		[GZIP_END] = Z_FINISH,
	};

	give_input(&w->stream, text);
	(void)run(&w->stream, deflate, zlib[flush], out);
	if (flush == GZIP_END) {
		deflateReset(&w->stream);
		deflateSetHeader(&w->stream, NULL);
	}
}

size_t gzip_find_mark(struct str bytes, struct str mark)
{
	unsigned char extra[EXTRA_HEAD + SUBFIELD_HEAD + MARK_MAX];
	size_t n = make_extra(mark, extra + EXTRA_HEAD), from = 0;

	extra[0] = (unsigned char)n;
	extra[1] = 0;
	for (;;) {
		struct str rest = str_from(bytes, from);
		const char *at = memmem(rest.ptr, rest.len, extra, EXTRA_HEAD + n);

		if (!at)
			return bytes.len;
		from = (size_t)(at - bytes.ptr) + 1;
		if (at - bytes.ptr >= MEMBER_HEAD && memcmp(at - MEMBER_HEAD, member_with_extra, sizeof(member_with_extra)) == 0)
			return (size_t)(at - bytes.ptr) - MEMBER_HEAD;
	}
}

/* ---- gzip, read ---------------------------------------------------------- */

struct gzip_reader {
	z_stream stream;
	unsigned char chunk[KIB(64)];
};

struct gzip_reader *gzip_reader_new(void)
{
	struct gzip_reader *r = xcalloc(1, sizeof(*r));
	int result;

	r->stream = (z_stream){ .zalloc = take_memory, .zfree = give_memory };
	result = inflateInit2(&r->stream, MAX_WBITS + GZIP);
	assert(result == Z_OK);
	(void)result;
	return r;
}

void gzip_reader_free(struct gzip_reader *r)
{
	if (!r)
		return;
	inflateEnd(&r->stream);
	xfree(r);
}

/* Checksums are compared again, which they are not in what follows damage. */
void gzip_reader_restart(struct gzip_reader *r)
{
	inflateReset2(&r->stream, MAX_WBITS + GZIP);
}

static void take_input(z_stream *z, struct str *bytes)
{
	*bytes = str_from(*bytes, bytes->len - z->avail_in);
}

enum gzip_read gzip_read(struct gzip_reader *r, struct str *bytes, struct buf *out)
{
	int result;

	give_input(&r->stream, *bytes);
	r->stream.next_out = r->chunk;
	r->stream.avail_out = sizeof(r->chunk);
	result = inflate(&r->stream, Z_NO_FLUSH);
	buf_add(out, (struct str){ (const char *)r->chunk, sizeof(r->chunk) - r->stream.avail_out });
	take_input(&r->stream, bytes);
	if (result == Z_STREAM_END)
		gzip_reader_restart(r);
	return result == Z_STREAM_END ? GZIP_ENDED : result == Z_OK || result == Z_BUF_ERROR ? GZIP_READ : GZIP_DAMAGED;
}

bool gzip_read_on(struct gzip_reader *r, struct str *bytes)
{
	int result;

	give_input(&r->stream, *bytes);
	result = inflateSync(&r->stream);
	take_input(&r->stream, bytes);
	return result == Z_OK;
}

/* ---- a file as a whole --------------------------------------------------- */

static bool is_gzip(struct str bytes)
{
	return bytes.len > 1 && memcmp(bytes.ptr, member_with_extra, 2) == 0;
}

/* Unpacks the next bytes of a file, and returns what came last; what follows the last member belongs to nothing, as for gzip(1). */
static enum gzip_read unpack(struct gzip_reader *gzip, enum gzip_read last, struct str bytes, struct buf *out)
{
	size_t before;

	do {
		if (last == GZIP_ENDED && !is_gzip(bytes))
			return last;
		before = out->len;
		last = gzip_read(gzip, &bytes, out);
	} while (last != GZIP_DAMAGED && !out->failed && (bytes.len || last == GZIP_ENDED || out->len > before));
	return last;
}

/* Reads until the chunk is full or the file ends.  Returns how many bytes that are; -1: errno. */
static ssize_t fill(int fd, char *chunk, size_t size)
{
	size_t got = 0;
	ssize_t n;

	do {
		n = read(fd, chunk + got, size - got);
		got += n > 0 ? (size_t)n : 0;
	} while (n > 0 ? got < size : n < 0 && errno == EINTR);
	return n < 0 ? -1 : (ssize_t)got;
}

/* What is not compressed comes as it is. */
static int read_all(int fd, const char *name, struct buf *out, struct err *err)
{
	char *chunk = xmalloc(MIB(1));
	struct gzip_reader *gzip = NULL;
	enum gzip_read last = GZIP_ENDED;
	bool first = true;
	int reason;
	ssize_t n;

	while ((n = fill(fd, chunk, MIB(1))) > 0 && last != GZIP_DAMAGED && !out->failed) {
		struct str bytes = { chunk, (size_t)n };

		if (first && is_gzip(bytes))
			gzip = gzip_reader_new();
		if (gzip)
			last = unpack(gzip, last, bytes, out);
		else
			buf_add(out, bytes);
		first = false;
	}
	reason = errno;
	xfree(chunk);
	gzip_reader_free(gzip);
	if (out->failed)
		return err_set(err, ERR_INPUT, "%s is larger than %zu MiB", name, out->max / MIB(1));
	if (n < 0)
		return err_set(err, ERR_SYSTEM, "read %s: %s", name, strerror(reason));
	if (last == GZIP_ENDED)
		return 0;
	return err_set(err, ERR_INPUT, "error reading %s: gzip: %s", name, last == GZIP_DAMAGED ? "damaged" : "unexpected end of file");
}

int gzip_read_file(int fd, const char *name, struct buf *out, struct err *err)
{
	int result = read_all(fd, name, out, err);

	close(fd);
	return result;
}

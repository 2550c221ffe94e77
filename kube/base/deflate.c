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

static void give_input(z_stream *z, struct str bytes)
{
	z->next_in = (const unsigned char *)bytes.ptr;
	z->avail_in = (unsigned)bytes.len;
}

void delta_encode(struct delta_coder *c, struct str base, struct str text, struct buf *out)
{
	unsigned char chunk[CHUNK];
	z_stream *z = &c->packing;
	int result;

	deflateReset(z);
	deflateTune(z, DELTA_GOOD, DELTA_LAZY, DELTA_NICE, DELTA_CANDIDATES);
	deflateSetDictionary(z, (const unsigned char *)base.ptr, (unsigned)base.len);
	give_input(z, text);
	do {
		z->next_out = chunk;
		z->avail_out = sizeof(chunk);
		result = deflate(z, Z_FINISH);
		buf_add(out, (struct str){ (const char *)chunk, sizeof(chunk) - z->avail_out });
	} while (result == Z_OK);
	assert(result == Z_STREAM_END);
}

void delta_decode(struct delta_coder *c, struct str base, struct str delta, struct buf *out)
{
	unsigned char chunk[CHUNK];
	z_stream *z = &c->unpacking;
	int result;

	inflateReset(z);
	inflateSetDictionary(z, (const unsigned char *)base.ptr, (unsigned)base.len);
	give_input(z, delta);
	do {
		z->next_out = chunk;
		z->avail_out = sizeof(chunk);
		result = inflate(z, Z_NO_FLUSH);
		buf_add(out, (struct str){ (const char *)chunk, sizeof(chunk) - z->avail_out });
	} while (result == Z_OK);
	assert(result == Z_STREAM_END);
}

/* ---- a file as a whole --------------------------------------------------- */

static int read_failed(gzFile file, const char *name, struct err *err)
{
	int code, reason = errno;
	const char *text = gzerror(file, &code);

	if (code == Z_ERRNO)
		return err_set(err, ERR_SYSTEM, "read %s: %s", name, strerror(reason));
	return err_set(err, ERR_INPUT, "error reading %s: gzip: %s", name,
		       code == Z_BUF_ERROR ? "unexpected end of file" : code == Z_DATA_ERROR ? "damaged" : text);
}

/* What is not compressed comes as it is. */
static int read_all(gzFile file, const char *name, struct buf *out, struct err *err)
{
	char *chunk = xmalloc(MIB(1));
	int n, code;

	while ((n = gzread(file, chunk, MIB(1))) > 0 && !out->failed)
		buf_add(out, (struct str){ chunk, (size_t)n });
	xfree(chunk);
	gzerror(file, &code);
	if (out->failed)
		return err_set(err, ERR_INPUT, "%s is larger than %zu MiB", name, out->max / MIB(1));
	return n < 0 || code < 0 ? read_failed(file, name, err) : 0;
}

int gzip_read_file(int fd, const char *name, struct buf *out, struct err *err)
{
	gzFile file = gzdopen(fd, "rb");
	int result;

	if (!file) {
		close(fd);
		return err_set(err, ERR_SYSTEM, "open %s: %s", name, strerror(ENOMEM));
	}
	gzbuffer(file, KIB(128));
	result = read_all(file, name, out, err);
	gzclose_r(file);
	return result;
}

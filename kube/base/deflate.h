/* SPDX-License-Identifier: Apache-2.0 */
/* Compression, by zlib. */
#ifndef KUBE_BASE_DEFLATE_H
#define KUBE_BASE_DEFLATE_H

#include "kube/base/buf.h"

#include <sys/types.h>

/*
 * Stores a text as its difference from a base text: compressed with the base as zlib's dictionary.  Of both at most 32 KiB
 * are compared.  It has about 200 KiB, so one is used for many texts.
 */
struct delta_coder;

struct delta_coder *delta_coder_new(void);
/* NULL is allowed. */
void delta_coder_free(struct delta_coder *c);
/* Returns the part of a text that is compared when it is a base: it can be kept in place of the whole. */
struct str delta_base(struct str text);
/* Appends the difference of text from base to out.  base may be "". */
void delta_encode(struct delta_coder *c, struct str base, struct str text, struct buf *out);
/* Appends the text that delta was made of; base must be the same as for delta_encode(). */
void delta_decode(struct delta_coder *c, struct str base, struct str delta, struct buf *out);

/*
 * Appends what the file, plain or compressed by gzip, holds, and closes fd.  name is for errors: ERR_SYSTEM when it cannot be
 * read; ERR_INPUT when it is damaged, or larger than out->max.
 */
int gzip_read_file(int fd, const char *name, struct buf *out, struct err *err) MUST_USE;

/*
 * Writes gzip: one member, or several one after the other, which is one file of gzip, too.  The header of a member can have a
 * mark, by which the member is found in a file without reading what is before it.
 */
struct gzip_writer;
enum gzip_flush {
	GZIP_LATER,	/* some of the text may be kept back */
	GZIP_FLUSH,	/* nothing is kept back */
	GZIP_RESTART,	/* the same, and a reader of a damaged file can begin behind it, which takes more bytes */
	GZIP_END	/* the member ends; what is written next begins another one */
};

struct gzip_writer *gzip_writer_new(void);
/* NULL is allowed. */
void gzip_writer_free(struct gzip_writer *w);
/* Appends to out what the text becomes. */
void gzip_write(struct gzip_writer *w, struct str text, enum gzip_flush flush, struct buf *out);
/* The member that begins next has this mark, of at most 64 bytes. */
void gzip_write_mark(struct gzip_writer *w, struct str mark);
/* Where in bytes a member with that mark begins; bytes.len when none does.  It may be a coincidence. */
size_t gzip_find_mark(struct str bytes, struct str mark);

/* Reads gzip piece by piece. */
struct gzip_reader;
enum gzip_read { GZIP_READ, GZIP_ENDED /* a member did */, GZIP_DAMAGED };

struct gzip_reader *gzip_reader_new(void);
/* NULL is allowed. */
void gzip_reader_free(struct gzip_reader *r);
/* The next byte is the first of a member. */
void gzip_reader_restart(struct gzip_reader *r);
/* Takes some bytes from the front of *bytes and appends what they become, at most 64 KiB. */
enum gzip_read gzip_read(struct gzip_reader *r, struct str *bytes, struct buf *out);
/* After damage: takes bytes up to the next flush, where reading can go on.  False: all were taken, and there is none. */
bool gzip_read_on(struct gzip_reader *r, struct str *bytes);

#endif

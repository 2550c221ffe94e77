/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a recording: of one file, plain or compressed, or of the segments of a flight recording one after the other. */
#ifndef PLUGIN_RECORD_SOURCE_H
#define PLUGIN_RECORD_SOURCE_H

#include "kube/base/buf.h"

#include <sys/types.h>

struct gzip_reader;

/* The file, or the segments. */
struct parts {
	int *fds;
	size_t n;
};

/* A directory has segments.  What cannot be read twice, a pipe, is copied to memory.  ERR_INPUT, ERR_SYSTEM. */
int parts_open(struct parts *parts, const char *name, struct err *err) MUST_USE;
void parts_release(struct parts *parts);
/* Appends up to n bytes of a part from there on: fewer at its end, or when they cannot be read. */
void parts_read(const struct parts *parts, size_t part, off_t at, size_t n, struct buf *out);
off_t parts_size(const struct parts *parts, size_t part);

/* One way through a recording: what was read is let go. */
struct source {
	const struct parts *parts;	/* shared */
	size_t part;		/* that is read */
	off_t offset;
	struct gzip_reader *gzip;	/* NULL: it is not compressed */
	bool ended;
	bool damaged;		/* something did not decompress, or not to its checksum */
	bool whole;		/* the compressed file came to its end */
	struct buf bytes;	/* of the file, from used on: not taken yet */
	size_t used;
	struct buf text;	/* from at on: not taken yet, without a newline up to searched */
	size_t at, searched;
	size_t number;		/* of the line that was taken last, from 1 */
	bool last_is_cut;	/* the one that was taken last has no newline */
};

void source_open(struct source *s, const struct parts *parts);
void source_close(struct source *s);
/* What is read first, without taking it.  Borrowed until the next call. */
struct str source_beginning(struct source *s);
/* False at the end.  A line that is longer than any record comes in pieces.  Borrowed until the next call. */
bool source_line(struct source *s, struct str *out);
/*
 * Goes on at that byte of a part: the beginning of a line, in a compressed one of a member of gzip.  line: the number of lines
 * before it.
 */
void source_go(struct source *s, size_t part, off_t at, size_t line);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the lines of a recording: of one file, plain or compressed, or of the segments of a flight recording one after
 * the other.
 */
#ifndef PLUGIN_RECORD_SOURCE_H
#define PLUGIN_RECORD_SOURCE_H

#include "kube/base/buf.h"

#include <sys/types.h>

struct gzip_reader;

/* The open file of a recording, or its segments. */
struct parts {
	int *fds;
	size_t n;
	char *left_out;		/* the first segment that cannot be read, and why; NULL: none is left out */
	size_t nleft_out;
};

/* The path of an open descriptor is this and its number. */
#define SOURCE_DESCRIPTOR "/dev/fd/"

/*
 * Opens a file, or the segments in a directory, without those that cannot be read.  A pipe, which can be read only once, is
 * copied to memory.  Returns -1 with err: ERR_INPUT, ERR_SYSTEM.
 */
int parts_open(struct parts *parts, const char *name, struct err *err) MUST_USE;
/* Adds a file behind the others, of which each begins with the whole state.  Returns -1 with err: ERR_INPUT, ERR_SYSTEM. */
int parts_add(struct parts *parts, const char *name, struct err *err) MUST_USE;
/* Notes that segments are left out, of which this is the first, and why. */
void parts_leave_out(struct parts *parts, size_t n, const char *name, const char *why);
void parts_release(struct parts *parts);
/* Appends up to n bytes of a part from offset at on: fewer at its end, or when they cannot be read. */
void parts_read(const struct parts *parts, size_t part, off_t at, size_t n, struct buf *out);
off_t parts_size(const struct parts *parts, size_t part);

/* One pass through the lines of a recording; only what is being read is in memory. */
struct source {
	const struct parts *parts;	/* borrowed; several passes may share them */
	size_t part;		/* the part that is being read */
	off_t offset;
	struct gzip_reader *gzip;	/* NULL: the part is not compressed */
	bool ended;
	bool damaged;		/* some bytes could not be decompressed, or had another checksum */
	bool whole;		/* the end of the compressed data was read */
	struct buf bytes;	/* bytes of the file; those before used were taken */
	size_t used;
	/* decompressed text; what is before at was taken, and there is no newline between at and searched */
	struct buf text;
	size_t at, searched;
	size_t number;		/* the number of the line that was taken last, from 1 */
	bool last_is_cut;	/* the line that was taken last has no newline */
};

/* Begins a pass at the first line.  parts are borrowed until source_close(). */
void source_open(struct source *s, const struct parts *parts);
void source_close(struct source *s);
/* Returns true when the first part begins with the header of a recording. */
bool source_is_recording(const struct parts *parts);
/*
 * Takes the next line.  Returns false at the end.  A line that is longer than any record comes in pieces.  Borrowed
 * until the next call.
 */
bool source_line(struct source *s, struct str *out);
/*
 * Goes on at a byte of a part: the beginning of a line, which in a compressed part is also that of a gzip member.  line
 * is the number of lines before it.
 */
void source_go(struct source *s, size_t part, off_t at, size_t line);

#endif

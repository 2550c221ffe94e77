/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keyframes of a recording: states of the world within it, so that a moment can be reached from the keyframe before
 * it.  Each line of a keyframe is a BOOKMARK whose only content is its member "keyframe"; a reader that plays from
 * before it skips these lines.
 */
#ifndef PLUGIN_RECORD_KEYFRAME_H
#define PLUGIN_RECORD_KEYFRAME_H

#include "plugin/record/source.h"

#include <stdint.h>

/* The mark of a gzip member that begins with a keyframe (gzip_write_mark()). */
#define KEYFRAME_MARK "kubectl-status/keyframe"

/*
 * Recorders of older versions do not say when the first lists of a segment are complete: they are after this time.
 */
#define LISTS_LAST SECONDS(10)

enum keyframe_line { KEYFRAME_NONE, KEYFRAME_BEGIN, KEYFRAME_RECORD, KEYFRAME_END };

/*
 * Returns what the line is.  *out_content becomes the record in it, or the other content of the member "keyframe", as
 * JSON.
 */
enum keyframe_line keyframe_line(struct str line, struct str *out_content);
/* Appends what comes before that content, without a newline; time: ms. */
void keyframe_write_head(struct buf *out, int64_t time);
/*
 * Append the first and the last line of a keyframe: line is the number of the first one; records is the number of lines
 * between the two.
 */
void keyframe_write_begin(struct buf *out, int64_t time, size_t line);
void keyframe_write_end(struct buf *out, int64_t time, size_t records);
/* Returns the number of records that the content of the last line has; SIZE_MAX: it has none. */
size_t keyframe_records(struct str content);

/* The place where a keyframe begins, or a later part, which begins with the whole state. */
struct keyframe {
	size_t part;
	off_t at;	/* 0: of a part */
	int64_t time;	/* ms */
	size_t line;	/* the number of its first line */
};

/*
 * Finds the last keyframe at or before time (ms), or the beginning of a later part if no keyframe of that part is before it,
 * by bisection: it reads a small part of the files, and nothing twice.  Returns false when there is none.  The keyframe may
 * be incomplete.
 */
bool keyframe_find(const struct parts *parts, int64_t time, struct keyframe *out);

#endif

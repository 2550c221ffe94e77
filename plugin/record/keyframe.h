/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keyframes of a recording: states of the world that stand in it here and there, so that a moment is read from the one before
 * it.  Each line of one is a BOOKMARK that tells nothing but by its member "keyframe": whoever plays on passes it over.
 */
#ifndef PLUGIN_RECORD_KEYFRAME_H
#define PLUGIN_RECORD_KEYFRAME_H

#include "plugin/record/source.h"

#include <stdint.h>

/* Of the header of the member of gzip that begins with a keyframe. */
#define KEYFRAME_MARK "kubectl-status/keyframe"

enum keyframe_line { KEYFRAME_NONE, KEYFRAME_BEGIN, KEYFRAME_RECORD, KEYFRAME_END };

/* What the line is; *out_content is the record, or what else the member says, as JSON. */
enum keyframe_line keyframe_line(struct str line, struct str *out_content);
/* Appends what comes before that content, without a newline; time: ms. */
void keyframe_write_head(struct buf *out, int64_t time);
/* Append the whole lines: line is the number of the first one; records is the number of those between the two. */
void keyframe_write_begin(struct buf *out, int64_t time, size_t line);
void keyframe_write_end(struct buf *out, int64_t time, size_t records);
/* The number of records that the content of the last line tells; SIZE_MAX: none. */
size_t keyframe_records(struct str content);

/* Where a keyframe begins. */
struct keyframe {
	size_t part;
	off_t at;
	int64_t time;	/* ms */
	size_t line;	/* the number of its first line */
};

/*
 * Finds the last keyframe at or before time (ms), by bisection: of the files much less is read than there is, and nothing twice.
 * Whether the keyframe is whole is not looked at.  False: there is none.
 */
bool keyframe_find(const struct parts *parts, int64_t time, struct keyframe *out);

#endif

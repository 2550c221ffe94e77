/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the segments in the directory of a flight recorder without playing them: when each begins and ends,
 * how large it is, and where its keyframes are.  The recorder writes the same to index.json in that directory, for who
 * cannot look into it.  docs/recordings.md describes the file.
 */
#ifndef PLUGIN_RECORD_SEGMENTS_H
#define PLUGIN_RECORD_SEGMENTS_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "plugin/record/gaps.h"

#include <sys/types.h>

#define SEGMENTS_INDEX "index.json"
/* The most keyframes, times and gaps of a segment that the index names. */
enum { SEGMENT_PLACES = 512, SEGMENT_GAPS = 64 };

/* A place in a segment: what was recorded up to the time, ms, stands before the byte at. */
struct segment_place {
	int64_t time;
	off_t at;
	size_t line;	/* there begins a gzip member with a keyframe, of which this is the number of the first line; 0: none does */
};

/* Some places, oldest first, evenly over the segment where there are more than SEGMENT_PLACES. */
struct segment_places {
	struct segment_place *all;
	size_t n;
	off_t apart;	/* the least bytes between two of them */
};

struct segment {
	char *name;		/* the file in the directory */
	int64_t first, last;	/* the times of its beginning and of its last record, ms */
	off_t size;
	struct segment_places keyframes, times;	/* from the index alone */
	struct gaps gaps;	/* within the segment; from the index alone */
};

/* The segments of one directory, oldest first. */
struct segments {
	struct segment *all;
	size_t n;
	char *bad;		/* the name of the first file that looks like a segment and cannot be read; NULL: none */
	char *why;		/* why it cannot; NULL: it is no recording */
	size_t nbad;
	struct gaps lost;	/* the times that segments tell of which were left out */
};

/* Returns 0 when there is such a directory; -1 with ERR_INPUT or ERR_SYSTEM. */
int segments_directory(const char *dir, struct err *err) MUST_USE;
/*
 * Reads the beginning and the end of each segment in a directory, and what the index there says of keyframes and gaps.
 * A segment that vanishes meanwhile is left out.  Returns -1 with ERR_INPUT when there is no such directory, ERR_SYSTEM when it cannot be read.
 */
int segments_scan(struct segments *out, const char *dir, struct err *err) MUST_USE;
/* Reads an index.  Returns -1 with ERR_INPUT when it is none. */
int segments_read_index(struct segments *out, struct str json, struct err *err) MUST_USE;
/* Appends the index as JSON; time is when it is written, ms. */
void segments_write_index(const struct segments *s, int64_t time, struct buf *out);
/* s may be all zero. */
void segments_release(struct segments *s);

/* Adds a segment behind the others.  Returns it, borrowed until the next call; its name is copied. */
struct segment *segments_add(struct segments *s, struct str name);
/* Removes segment i. */
void segments_remove(struct segments *s, size_t i);
/* Removes segment i because it cannot be read: its time is a gap then. */
void segments_leave_out(struct segments *s, size_t i, const char *why);
/*
 * Adds a place behind the others, if it is as far from the last one as they are apart.  When there is no room, every second
 * one goes, and they are twice as far apart from then on.
 */
void segment_places_add(struct segment_places *p, const struct segment_place *place);

/* Returns the index of the segment that shows the moment, ms: the last that begins at or before it; -1: none does. */
ssize_t segments_at(const struct segments *s, int64_t time);
/* Returns the number that its recorder gave the segment, from 1 on; 0: its name has none. */
unsigned segment_number(const struct segment *s);
/* Appends the gaps in and between the segments that begin at or before a time, ms. */
void segments_gaps(const struct segments *s, int64_t until, struct gaps *out);
/* Returns true when a recorder was started after one time, at the latest at the other one, ms. */
bool segments_begun_anew(const struct segments *s, int64_t after, int64_t until);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world beside the live one that shows what a recording says of an earlier time: it plays one segment of a flight
 * recorder, from its newest keyframe before a moment, a slice at a time.
 */
#ifndef PLUGIN_DASHBOARD_EARLIER_H
#define PLUGIN_DASHBOARD_EARLIER_H

#include "plugin/program.h"

struct earlier;

enum earlier_for {
	EARLIER_TO_SHOW,	/* moments of it are shown: it keeps an undo log */
	EARLIER_TO_READ		/* what happened in it is read: it keeps versions of objects */
};

/*
 * Opens the segment for the moment, ms, and selects in it what live, which is borrowed, shows at present.  Where live has
 * several clusters and the recording has one, that is the one of context, borrowed; "": of the context that the recording
 * names.  Returns NULL with err when it is no recording.
 */
struct earlier *earlier_new(struct program *live, const char *segment, int64_t time, enum earlier_for why, struct str context,
			    struct err *err);
/* NULL is allowed. */
void earlier_free(struct earlier *e);
/*
 * Plays on to a time, ms, or to the end of the segment if that is earlier.  Returns true when it is there; false when
 * clock_now() is past until before: call it again.
 */
bool earlier_play(struct earlier *e, int64_t time, int64_t until);
/* Returns the program that shows this world, owned by e. */
struct program *earlier_program(struct earlier *e);
/* Returns since when the recording is played, ms.  Its journal has what happened since. */
int64_t earlier_from(const struct earlier *e);
/* Returns true when the moment, ms, is reached by playing on, or is no earlier than what the undo log has. */
bool earlier_reaches(const struct earlier *e, int64_t time);
/* Frees all but the earlier versions of objects and the kinds. */
void earlier_keep_versions(struct earlier *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements --history: what a flight recorder has seen of the cluster before this session.
 *
 * What happened then is put before the entries of the live journal, newest segment first and a slice at a time, so that
 * Timeline, Changes and [ go on there.  A moment from before this session is shown by playing the recording to it, as
 * --replay does, in a world of its own beside the live one.
 */
#ifndef PLUGIN_DASHBOARD_HISTORY_H
#define PLUGIN_DASHBOARD_HISTORY_H

#include "plugin/program.h"
#include "tui/state/scene.h"

struct history;
struct earlier;

/*
 * Begins to look at the recordings in that directory or service (history_source.h) for p, which is borrowed.  Nothing is
 * read before the lists of p are complete.  Returns NULL with ERR_INPUT when it is neither.  It must outlive p->live,
 * whose answers may still come.
 */
struct history *history_new(struct program *p, const char *name, struct err *err);
/* NULL is allowed, here and below. */
void history_free(struct history *h);
/* Returns when to call history_step() without an event, ms: a time that has passed means at once; 0: never. */
int64_t history_deadline(const struct history *h);
/* What history_step() has changed. */
enum history_news {
	HISTORY_SAYS = 1 << 0,		/* what the header or the notices say */
	HISTORY_ENTRIES = 1 << 1	/* entries were added before the others: history_entries() */
};
/* Reads on for some milliseconds; call it in each turn of the event loop.  Returns a set of enum history_news. */
unsigned history_step(struct history *h);
/* Returns the notice that the last step has added, borrowed until the next one; "": it added none. */
struct str history_said(const struct history *h);
/* Returns the numbers of the added entries that tell of selected objects, in order; borrowed until the next step. */
const uint64_t *history_entries(const struct history *h, size_t *out_n);
/*
 * Makes history_step() read one more segment into the journal, until HISTORY_ENTRIES.  Returns false when there is none,
 * or no room.
 */
bool history_read_before(struct history *h);
/*
 * For what prints once: reads the newest hour now, and puts it into the world of p, whose lists are complete.  Answers of
 * a service are waited for for some seconds, and not after until (ms; 0: no limit).  Returns false when nothing of it can be
 * used; a notice in the world of p tells why.
 */
bool history_read_now(struct history *h, int64_t until);
/* Returns the name that people read, borrowed. */
struct str history_name(const struct history *h);
/*
 * After history_read_now(): opens the recording that tells of a time, ms, once more, to be played from there on.  Sets
 * *out_next to the beginning of the recording behind it, 0: there is none.  Free it with earlier_free().  Returns NULL with
 * err when it cannot be read.
 */
struct earlier *history_open(struct history *h, int64_t time, int64_t *out_next, struct err *err);
/* Return the earliest moment that can be shown, ms, and since when the journal is complete; 0: nothing is known. */
int64_t history_from(const struct history *h);
int64_t history_entries_from(const struct history *h);
/* Returns the segments of a history that was read, borrowed until the next call for h. */
const struct segments *history_segments(const struct history *h);
/* Returns true while a recorder writes the history, so that it goes on after this session. */
bool history_goes_on(const struct history *h);
/* Sets what the header says of it, in the arena, as of now, while a moment of it is shown; 0: none is.  ms. */
void history_header(const struct history *h, int64_t now, int64_t moment, struct header *out, struct arena *a);
/*
 * Goes to a moment, ms.  Returns 0 with the program whose world shows it, or a later moment, with an undo log for what is
 * earlier; it is borrowed until history_drop_former().  Returns 1 when clock_now() is past until before, or an answer is
 * waited for: call it again; -1 with err when that part of the history cannot be read.
 */
int history_go(struct history *h, int64_t time, int64_t until, struct program **out, struct err *err) MUST_USE;
/* Returns the notice that the history cannot be reached at present, borrowed until the next step; "": it can. */
struct str history_away(const struct history *h);
/* Returns true when history_step() has nothing to do, or waits until it tries again to reach the history. */
bool history_rests(const struct history *h);
/* Returns true while history_go() waits for an answer. */
bool history_waits(const struct history *h);
/* Frees the world that was shown before history_go() has returned another one. */
void history_drop_former(struct history *h);
/* Frees the world of the moment that is shown. */
void history_leave(struct history *h);

#endif

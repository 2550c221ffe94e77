/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements --flight DIR: a recording that is always on, in segments.  Each segment is a complete recording that
 * begins with the whole state; the oldest ones are deleted when all together exceed --flight-size.
 */
#ifndef PLUGIN_RECORD_FLIGHT_H
#define PLUGIN_RECORD_FLIGHT_H

#include "plugin/record/recorder.h"

struct flight;

/* The default of --flight-size, bytes. */
#define FLIGHT_SIZE MIB(256)

struct flight_options {
	const char *dir;
	size_t size;			/* the most bytes of all segments together */
	const struct str *contexts;	/* contexts and ns are those of recorder_open() */
	size_t ncontexts;
	struct str ns;
	struct latest *latest;	/* has all objects of the world; borrowed until flight_close() */
};

/*
 * Creates the directory (mode 0700) when it does not exist, and the first segment in it.  Returns NULL with err when
 * that fails, ERR_INPUT when another recorder writes to it.
 */
struct flight *flight_open(const struct flight_options *o, const struct world *w, struct err *err);
/* Returns the recorder of the present segment, borrowed until flight_settled() or flight_clock(); NULL when f is NULL. */
struct recorder *flight_recorder(struct flight *f);
/*
 * Begins a new segment when the clock was set back: call it when w->now has changed, before anything of that time is
 * recorded.  f may be NULL.
 */
void flight_clock(struct flight *f, const struct world *w);
/* Begins a new segment when the present one is full.  Call it after each settle.  f may be NULL. */
void flight_settled(struct flight *f, const struct world *w);
/* Returns true, with the reason in err, when nothing can be written any more.  f may be NULL here and below. */
bool flight_failed(const struct flight *f, struct err *err);
/* Closes the segment and frees f.  Returns -1 with ERR_SYSTEM when something could not be written. */
int flight_close(struct flight *f, struct err *err);

#endif

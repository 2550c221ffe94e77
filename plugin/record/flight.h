/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --flight DIR: a recording that is always on, in segments.  Each segment is a complete recording that begins with
 * the whole state; the oldest ones are deleted when all together exceed --flight-size.
 */
#ifndef PLUGIN_RECORD_FLIGHT_H
#define PLUGIN_RECORD_FLIGHT_H

#include "plugin/record/recording.h"

struct flight;

/* Default of --flight-size. */
#define FLIGHT_SIZE MIB(256)

struct flight_options {
	const char *dir;
	size_t size;			/* ceiling in bytes for all segments together */
	const struct str *contexts;	/* these and ns are as for recorder_open() */
	size_t ncontexts;
	struct str ns;
	const struct latest *latest;	/* has all objects of the world; borrowed until flight_close() */
};

/* Creates the directory (mode 0700) when it does not exist, and the first segment in it.  NULL with err when that fails. */
struct flight *flight_open(const struct flight_options *o, const struct world *w, struct err *err);
/* What writes the present segment, borrowed until flight_settled(); NULL without a flight. */
struct recorder *flight_recorder(struct flight *f);
/* Call it after each settle: begins a new segment when this one is full.  NULL is allowed. */
void flight_settled(struct flight *f, const struct world *w);
/* True, with the reason, when nothing can be written any more.  NULL is allowed here and below. */
bool flight_failed(const struct flight *f, struct err *err);
int flight_close(struct flight *f, struct err *err);

#endif

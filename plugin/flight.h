/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --flight DIR: a recording that is always on.  It is kept in segments, the oldest of which go when they are
 * too much together; each is a recording of its own that begins with the state.
 */
#ifndef PLUGIN_FLIGHT_H
#define PLUGIN_FLIGHT_H

#include "plugin/recording.h"

struct flight;

/* What all segments may take when nothing is said. */
#define FLIGHT_SIZE MIB(256)

/*
 * Makes the directory (0700) where there is none, and in it the first segment.  contexts and ns as of
 * recorder_open(); size: bytes of all segments together.
 */
struct flight *flight_open(const char *dir, size_t size, const struct world *w, const struct str *contexts,
			   size_t ncontexts, struct str ns, struct err *err);
/* As recorder_write(), of what the world has now. */
void flight_write(struct flight *f, const struct world *w, const char *type, uint16_t cluster, const struct kind *kind,
		  struct json object);
/* After each settle: what was written can be read within a second, and a segment that is full is ended. */
void flight_run(struct flight *f, const struct world *w);
int64_t flight_deadline(const struct flight *f);
/* Nothing can be written any more: true, with the reason. */
bool flight_failed(const struct flight *f, struct err *err);
/* All of it can be read from now on.  Each with NULL, too. */
void flight_flush(struct flight *f);
int flight_close(struct flight *f, struct err *err);

#endif

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

/*
 * Creates the directory (mode 0700) when it does not exist, and the first segment in it.  contexts and ns as for
 * recorder_open(); size: ceiling in bytes for all segments together.  NULL with err when that fails.
 */
struct flight *flight_open(const char *dir, size_t size, const struct world *w, const struct str *contexts,
			   size_t ncontexts, struct str ns, struct err *err);
/* As recorder_write(), at the time of the world. */
void flight_write(struct flight *f, const struct world *w, const char *type, uint16_t cluster, const struct kind *kind,
		  struct json object);
/* As recorder_write_coverage(), at the time of the world. */
void flight_write_coverage(struct flight *f, const struct world *w, const struct object_id *id, enum coverage coverage);
/* As recorder_write_mark() and recorder_mark_quiet().  NULL is allowed. */
void flight_write_mark(struct flight *f, int64_t now);
void flight_mark_quiet(struct flight *f, int64_t now, bool sees);
/* Call it after each settle: flushes at least once a second, and begins a new segment when this one is full. */
void flight_run(struct flight *f, const struct world *w);
int64_t flight_deadline(const struct flight *f);
/* True, with the reason, when nothing can be written any more. */
bool flight_failed(const struct flight *f, struct err *err);
/* Flushes everything.  NULL is allowed here and in flight_close(). */
void flight_flush(struct flight *f);
int flight_close(struct flight *f, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key that writes a capsule: what it is about is noted at once; objects of which no text is kept are read from the
 * cluster first, for a short time.
 */
#ifndef PLUGIN_DASHBOARD_HAND_OVER_H
#define PLUGIN_DASHBOARD_HAND_OVER_H

#include "plugin/dashboard/capsule.h"
#include "plugin/program.h"

struct hand_over;

/* p is borrowed.  Free with hand_over_free() after live_free(), because answers may still come until then. */
struct hand_over *hand_over_new(struct program *p);
/* NULL is allowed. */
void hand_over_free(struct hand_over *h);
/*
 * Begins a capsule about these objects, in place of one that was begun before; screen is what is on the screen as JSON,
 * which is copied.  Returns the incident, empty, for incident_add(); call hand_over_read() then.
 */
struct incident *hand_over_begin(struct hand_over *h, struct str screen);
/* Gives the present capsule up. */
void hand_over_drop(struct hand_over *h);
/* Requests the objects of which no text is kept.  Returns the number of requests. */
size_t hand_over_read(struct hand_over *h);
/* Returns when the capsule is to be written at the latest, ms; 0: none was begun. */
int64_t hand_over_deadline(const struct hand_over *h);
/* Returns true when a capsule was begun and everything for it was read, or the deadline has passed. */
bool hand_over_is_due(const struct hand_over *h);
/*
 * Does a step of writing it, as capsule_step() does.  From the first one on until the last one p->world must not become another one,
 * unless the capsule is given up.
 */
int hand_over_step(struct hand_over *h, struct capsule_file *out, struct err *err) MUST_USE;

#endif

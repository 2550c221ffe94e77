/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key that writes a capsule: what it is about is noted at once; objects of which no text is kept are read from the
 * cluster first, for a short time.
 */
#ifndef PLUGIN_DASHBOARD_HAND_OVER_H
#define PLUGIN_DASHBOARD_HAND_OVER_H

#include "plugin/dashboard/dashboard.h"

struct hand_over *hand_over_new(void);
/* Says once more what has become of a capsule if that was still on the screen; NULL is allowed. */
void hand_over_free(struct hand_over *h);
/* Begins a capsule of what is on the screen. */
void hand_over_begin(struct dashboard *d);
/* Returns when the capsule is to be written at the latest, ms; 0: none was begun. */
int64_t hand_over_deadline(const struct hand_over *h);
/* Does a step of writing the capsule that was begun, once everything for it is there. */
void hand_over_go_on(struct dashboard *d);
/* Writes a capsule, or the rest of it, before the world that it is about ends. */
void hand_over_finish(struct dashboard *d);
/*
 * Lets what ends the view that a capsule is about wait until that is written, which its deadline bounds.  Who quits twice
 * gets it without what was not answered so far.
 */
void hand_over_put_off(struct dashboard *d);
/* Gives the present capsule up, with what was asked for it.  Call it when the source has been closed, because answers may come until then. */
void hand_over_leave(struct hand_over *h);

#endif

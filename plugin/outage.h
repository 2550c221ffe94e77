/* SPDX-License-Identifier: Apache-2.0 */
/* Without a screen: one line when what is shown may be old, and one when it is not any more. */
#ifndef PLUGIN_OUTAGE_H
#define PLUGIN_OUTAGE_H

#include "plugin/live.h"

/* {0}: all is well. */
struct outage {
	int64_t began;	/* ms, 0: there is none */
	int64_t ended;	/* everything is fresh since then, 0: it is not */
	bool reported;
	bool login_reported; /* while nothing was watched yet */
};

/* Calls say() with the line, if one is due; returns when to call it again without an event, ms; 0: not by time. */
int64_t outage_report(struct outage *o, const struct live *l, int64_t now, void (*say)(struct str line));

#endif

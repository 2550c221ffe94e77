/* SPDX-License-Identifier: Apache-2.0 */
/* Without a screen: one line when what is shown may be old, and one when it is not any more. */
#ifndef PLUGIN_OUTAGE_H
#define PLUGIN_OUTAGE_H

#include "plugin/live.h"

/* {0}: all is well. */
struct outage {
	int64_t began;	/* ms, 0: there is none */
	int64_t ended;	/* everything is fresh since then, 0: it is not */
	bool told;
};

/* Writes to standard error what changed; returns how long until it wants to look again, ms; -1: at the next event. */
int64_t outage_tell(struct outage *o, const struct live *l);
/* The earlier of two timeouts, of which -1 is none. */
int64_t timeout_min(int64_t a, int64_t b);

#endif

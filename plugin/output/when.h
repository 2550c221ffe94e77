/* SPDX-License-Identifier: Apache-2.0 */
/* Times and durations as a report writes them.  All times are UTC. */
#ifndef PLUGIN_OUTPUT_WHEN_H
#define PLUGIN_OUTPUT_WHEN_H

#include "kube/base/arena.h"

/* Returns "21 Nov 2026". */
struct str when_day(int64_t time, struct arena *a);
/* Returns a duration in its two largest units: "21 min 26 s", "2 h 5 min", "3 d 4 h"; less than a second is "0 s". */
struct str when_lasted(int64_t ms, struct arena *a);

#endif

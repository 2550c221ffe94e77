/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps: times in which nobody recorded.  docs/recordings.md says what is one; this is its only definition. */
#ifndef PLUGIN_RECORD_GAPS_H
#define PLUGIN_RECORD_GAPS_H

#include "kube/journal/watched.h"

/* A gap is from the last record before it to the first one after it. */
/* Gaps in the order of time.  {0} is empty. */
struct gaps {
	struct gap *all;
	size_t n, cap;
};

/*
 * Returns true when nobody recorded between two records, of which next follows last, ms.  anew: the second one is by a
 * recorder that was started in between.
 */
bool is_gap(int64_t last, int64_t next, bool anew);
/* Adds the time between two records if it is a gap; last is 0 when nothing was recorded before. */
void gaps_note(struct gaps *g, int64_t last, int64_t next, bool anew);
void gaps_add(struct gaps *g, struct gap gap);
/* Returns the first gap that the time from one moment to another, or to the same, ms, has a part of; NULL: there is none. */
const struct gap *gaps_within(const struct gaps *g, int64_t from, int64_t to);
void gaps_release(struct gaps *g);

#endif

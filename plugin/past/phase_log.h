/* SPDX-License-Identifier: Apache-2.0 */
/* Which phases objects had, and when: from the journal, and from what is known of them now. */
#ifndef PLUGIN_PAST_PHASE_LOG_H
#define PLUGIN_PAST_PHASE_LOG_H

#include "plugin/past/cause_log.h"

/* From that time (ms) on the phase holds; PHASE_COUNT: the object does not exist, or nothing is known of it. */
struct phase_step {
	int64_t time;		/* 0: before anything that is known */
	enum phase phase;
	bool unsure;		/* nobody knows since when it holds, only that it does at the end */
};

/* The steps are in the order of time; before the first one nothing is known. */
struct phase_course {
	const struct phase_step *steps;
	size_t n;
};

/*
 * Returns the course of each of n objects up to w->now, in the arena.  An object of which the journal says nothing has
 * its present phase, since the time that its status tells.
 */
const struct phase_course *phase_courses(struct world *w, const struct logged_object *objects, size_t n, struct arena *a);
/* Returns one course of n: at each time it has the worst phase that one of them had.  It is in the arena. */
struct phase_course phase_course_worst(const struct phase_course *courses, size_t n, struct arena *a);
/* Returns how bad a phase looks beside another one of equal objects: the higher, the worse; 0 for PHASE_COUNT. */
unsigned phase_badness(enum phase phase);

#endif

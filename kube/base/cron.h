/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules as a CronJob has them (robfig/cron, ParseStandard): five fields, names of months and days, "@daily", "@every 1h". */
#ifndef KUBE_BASE_CRON_H
#define KUBE_BASE_CRON_H

#include "kube/base/str.h"

struct cron {
	uint64_t minutes, hours, days, months, weekdays;	/* bit n: the n-th one counts; weekday 0 is Sunday */
	bool any_day, any_weekday;	/* "*": the other one decides alone */
	bool any_hour;
	int64_t every;			/* ms, of "@every"; 0: the fields count */
};

/* Returns false for a text that is no schedule, or has a time zone of its own ("TZ=..."). */
bool cron_parse(struct str text, struct cron *out);
/* Returns the first time (ms, in UTC) of the schedule after that one; 0: there is none within five years. */
int64_t cron_next(const struct cron *c, int64_t after);

#endif

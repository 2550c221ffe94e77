/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/status/thresholds.h"

#include <stddef.h>
#include <stdio.h>

/* A year: longer than anybody waits, and no sum of times overflows. */
#define LONGEST HOURS(24 * 365)
#define MOST 1000

struct thresholds thresholds = {
#define THRESHOLD(member, name, value, what) .member = (value),
#define THRESHOLD_COUNT(member, name, value, what) .member = (value),
#include "kube/status/thresholds.def"
#undef THRESHOLD
#undef THRESHOLD_COUNT
};

static const struct {
	const char *name, *what;
	bool count;
	size_t offset;
} rows[] = {
#define THRESHOLD(member, name, value, what) { name, what, false, offsetof(struct thresholds, member) },
#define THRESHOLD_COUNT(member, name, value, what) { name, what, true, offsetof(struct thresholds, member) },
#include "kube/status/thresholds.def"
#undef THRESHOLD
#undef THRESHOLD_COUNT
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static int64_t *place(size_t i)
{
	return (int64_t *)((char *)&thresholds + rows[i].offset);
}

bool thresholds_row(size_t i, struct threshold_row *out)
{
	if (i >= ROWS)
		return false;
	*out = (struct threshold_row){ rows[i].name, rows[i].what, rows[i].count, *place(i) };
	return true;
}

static int unknown(struct str name, struct err *err)
{
	char known[sizeof(err->hint)] = "";
	size_t n = 0;

	for (size_t i = 0; i < ROWS && n < sizeof(known); i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", i ? ", " : "", rows[i].name);
	err_set(err, ERR_INPUT, "unknown threshold \"" STR_FMT "\"", STR_ARG(name));
	return err_hint(err, "known: %s", known);
}

int thresholds_set(struct str name, struct str value, struct err *err)
{
	size_t i = 0;
	int64_t wanted = -1;

	while (i < ROWS && !str_is(name, rows[i].name))
		i++;
	if (i == ROWS)
		return unknown(name, err);
	if (!rows[i].count)
		wanted = time_duration(value);
	else if (!str_to_int(value, &wanted))
		wanted = -1;
	if (wanted <= 0 || wanted > (rows[i].count ? MOST : LONGEST)) {
		err_set(err, ERR_INPUT, "threshold %s: \"" STR_FMT "\" is %s", rows[i].name, STR_ARG(value),
			rows[i].count ? "no count" : "no duration");
		return rows[i].count ? err_hint(err, "a number from 1 to %d", MOST)
				     : err_hint(err, "such as 90s, 45m or 2h; a year at most");
	}
	*place(i) = wanted;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/status/thresholds.h"

#include "kube/status/family.h"

#include <stddef.h>
#include <stdio.h>

/* A year is longer than anybody waits, and sums of such times do not overflow. */
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

/* Returns where the value of row i of all tables is; NULL after the last row. */
static int64_t *row_at(const struct family *const *families, size_t i, struct threshold_row *out)
{
	if (i < ROWS) {
		int64_t *value = (int64_t *)((char *)&thresholds + rows[i].offset);

		*out = (struct threshold_row){ rows[i].name, rows[i].what, rows[i].count, *value };
		return value;
	}
	i -= ROWS;
	for (size_t f = 0; families[f]; f++)
		for (struct threshold *t = families[f]->thresholds; t && t->name; t++)
			if (i-- == 0) {
				*out = (struct threshold_row){ t->name, t->what, false, t->value };
				return &t->value;
			}
	return NULL;
}

bool thresholds_row(const struct family *const *families, size_t i, struct threshold_row *out)
{
	return row_at(families, i, out) != NULL;
}

static int unknown(const struct family *const *families, struct str name, struct err *err)
{
	char known[sizeof(err->hint)] = "";
	struct threshold_row row;
	size_t n = 0;

	for (size_t i = 0; thresholds_row(families, i, &row) && n < sizeof(known); i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", i ? ", " : "", row.name);
	err_set(err, ERR_INPUT, "unknown threshold \"" STR_FMT "\"", STR_ARG(name));
	return err_hint(err, "known: %s", known);
}

int thresholds_set(const struct family *const *families, struct str name, struct str value, struct err *err)
{
	struct threshold_row row;
	int64_t wanted = -1, *place = NULL;

	for (size_t i = 0; (place = row_at(families, i, &row)) != NULL; i++)
		if (str_is(name, row.name))
			break;
	if (!place)
		return unknown(families, name, err);
	if (!row.count)
		wanted = time_duration(value);
	else if (!str_to_int(value, &wanted))
		wanted = -1;
	if (wanted <= 0 || wanted > (row.count ? MOST : LONGEST)) {
		err_set(err, ERR_INPUT, "threshold %s: \"" STR_FMT "\" is %s", row.name, STR_ARG(value),
			row.count ? "not a count" : "not a duration");
		return row.count ? err_hint(err, "a number from 1 to %d", MOST)
				 : err_hint(err, "such as 90s, 45m or 2h; a year at most");
	}
	*place = wanted;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/when.h"

#include "kube/base/time.h"

enum { DAY = 10 };	/* in "2026-11-20T09:00:00Z" */

struct str when_day(int64_t time, struct arena *a)
{
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	char text[TIME_TEXT];
	struct str full = str_of(time_format(time, text)), year = str_head(full, 4);
	int64_t month = 0, day = 0;

	if (!str_to_int(str_head(str_from(full, 5), 2), &month) || !str_to_int(str_head(str_from(full, 8), 2), &day) || month < 1 || month > 12)
		return arena_str(a, str_head(full, DAY));
	return arena_printf(a, "%d %s " STR_FMT, (int)day, months[month - 1], STR_ARG(year));
}

struct str when_lasted(int64_t ms, struct arena *a)
{
	static const struct {
		int64_t ms;
		const char *word;
	} units[] = { { HOURS(24), "d" }, { HOURS(1), "h" }, { MINUTES(1), "min" }, { SECONDS(1), "s" } };
	enum { UNITS = sizeof(units) / sizeof(units[0]) };
	int64_t left = ms < 0 ? 0 : ms, many, less;
	size_t i = 0;

	while (i + 1 < UNITS && left < units[i].ms)
		i++;
	many = left / units[i].ms;
	less = i + 1 < UNITS ? left % units[i].ms / units[i + 1].ms : 0;
	if (!less)
		return arena_printf(a, "%lld %s", (long long)many, units[i].word);
	return arena_printf(a, "%lld %s %lld %s", (long long)many, units[i].word, (long long)less, units[i + 1].word);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/cron.h"

#include "kube/base/time.h"

#define DAY HOURS(24)
enum { FIVE_YEARS = 5 * 366 };	/* days; February 29 comes back within them, but around the year 2100 */

struct field {
	int first, last;	/* the values that it may have */
	const char *names;	/* three letters each, from the first value on; NULL: it has no names */
};

static const struct field fields[] = {
	{ 0, 59, NULL },
	{ 0, 23, NULL },
	{ 1, 31, NULL },
	{ 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
	{ 0, 6, "sunmontuewedthufrisat" },
};

static bool read_value(struct str s, const struct field *f, int64_t *out)
{
	for (int i = 0; f->names && s.len == 3 && i <= f->last - f->first; i++)
		if (str_eq_nocase(s, (struct str){ f->names + (size_t)i * 3, 3 })) {
			*out = f->first + i;
			return true;
		}
	return str_to_int(s, out) && *out >= f->first && *out <= f->last;
}

/* Reads "*", "5", "1-5", each perhaps with "/2" behind it, and adds its values. */
static bool read_part(struct str part, const struct field *f, uint64_t *bits, bool *any)
{
	size_t slash = str_find(part, '/'), dash;
	struct str range = str_head(part, slash);
	int64_t first = f->first, last = f->last, step = 1;

	if (slash < part.len && (!str_to_int(str_from(part, slash + 1), &step) || step < 1 || step > 60))
		return false;
	dash = str_find(range, '-');
	if (str_is(range, "*") || str_is(range, "?")) {
		*any |= step == 1;
	} else {
		if (!read_value(str_head(range, dash), f, &first))
			return false;
		last = slash < part.len ? f->last : first;
		if (dash < range.len && !read_value(str_from(range, dash + 1), f, &last))
			return false;
	}
	for (int64_t n = first; n <= last; n += step)
		*bits |= (uint64_t)1 << n;
	return first <= last;
}

static bool read_field(struct str text, const struct field *f, uint64_t *bits, bool *any)
{
	struct str part;

	*bits = 0;
	*any = false;
	while (str_split(&text, ',', &part))
		if (!read_part(part, f, bits, any))
			return false;
	return *bits != 0;
}

static struct str written_out(struct str text)
{
	static const char *const words[][2] = {
		{ "@yearly", "0 0 1 1 *" }, { "@annually", "0 0 1 1 *" }, { "@monthly", "0 0 1 * *" },	{ "@weekly", "0 0 * * 0" },
		{ "@daily", "0 0 * * *" },  { "@midnight", "0 0 * * *" }, { "@hourly", "0 * * * *" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_is(text, words[i][0]))
			return str_of(words[i][1]);
	return text;
}

bool cron_parse(struct str text, struct cron *out)
{
	struct cron c = { 0 };
	uint64_t *const bits[] = { &c.minutes, &c.hours, &c.days, &c.months, &c.weekdays };
	bool any[5];
	struct str rest = written_out(str_trim(text)), word;
	size_t n = 0;

	if (str_starts(rest, "@every ")) {
		c.every = time_duration(str_trim(str_from(rest, 7)));
		if (c.every <= 0)
			return false;
		*out = c;
		return true;
	}
	while (str_split(&rest, ' ', &word)) {
		if (word.len == 0)
			continue;
		if (n >= 5 || !read_field(word, &fields[n], bits[n], &any[n]))
			return false;
		n++;
	}
	if (n != 5)
		return false;
	c.any_hour = any[1];
	c.any_day = any[2];
	c.any_weekday = any[4];
	*out = c;
	return true;
}

static bool has(uint64_t bits, int64_t n)
{
	return bits >> n & 1;
}

/* Returns true when something is scheduled on the day that begins at that time. */
static bool is_on(const struct cron *c, int64_t day)
{
	char text[TIME_TEXT];
	int64_t month = 0, date = 0, weekday = (day / DAY + 4) % 7;	/* 1970 began with a Thursday */
	bool on_date, on_weekday;

	time_format(day, text);	/* 2026-11-20T... */
	str_to_int((struct str){ text + 5, 2 }, &month);
	str_to_int((struct str){ text + 8, 2 }, &date);
	if (!has(c->months, month))
		return false;
	on_date = has(c->days, date);
	on_weekday = has(c->weekdays, weekday);
	return c->any_day || c->any_weekday ? on_date && on_weekday : on_date || on_weekday;
}

int64_t cron_next(const struct cron *c, int64_t after)
{
	int64_t minute = after / MINUTES(1) + 1, day = minute / (24 * 60);

	if (after < 0 || c->every > FIVE_YEARS * DAY)
		return 0;
	if (c->every)
		return after + c->every;
	for (int i = 0; i < FIVE_YEARS; i++, day++, minute = day * 24 * 60) {
		if (!is_on(c, day * DAY))
			continue;
		for (; minute < (day + 1) * 24 * 60; minute++)
			if (has(c->hours, minute / 60 % 24) && has(c->minutes, minute % 60))
				return MINUTES(minute);
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/time.h"

#include <stdio.h>

/* Days since 1970-01-01 of a civil date (H. Hinnant's algorithm). */
static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
	int64_t era, yoe, doy;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	yoe = y - era * 400;
	doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static void date_of(int64_t days, int *out_y, int *out_m, int *out_d)
{
	int64_t era, doe, yoe, doy, mp;

	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	doe = days - era * 146097;
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	*out_d = (int)(doy - (153 * mp + 2) / 5 + 1);
	*out_m = (int)(mp < 10 ? mp + 3 : mp - 9);
	*out_y = (int)(yoe + era * 400 + (*out_m <= 2));
}

/* Reads exactly n digits at s[*at]; returns -1 when there are fewer. */
static int64_t digits(struct str s, size_t *at, int n)
{
	int64_t value = 0;

	for (int i = 0; i < n; i++, (*at)++) {
		if (*at >= s.len || s.ptr[*at] < '0' || s.ptr[*at] > '9')
			return -1;
		value = value * 10 + (s.ptr[*at] - '0');
	}
	return value;
}

static bool literal(struct str s, size_t *at, const char *any)
{
	if (*at >= s.len || str_find(str_of(any), s.ptr[*at]) == str_of(any).len)
		return false;
	(*at)++;
	return true;
}

static bool digit_at(struct str s, size_t at)
{
	return at < s.len && s.ptr[at] >= '0' && s.ptr[at] <= '9';
}

/* Returns -1 for a dot without a digit behind it. */
static int64_t fraction_ms(struct str s, size_t *at)
{
	int64_t ms = 0, unit = 100;

	if (!literal(s, at, "."))
		return 0;
	if (!digit_at(s, *at))
		return -1;
	for (; *at < s.len && s.ptr[*at] >= '0' && s.ptr[*at] <= '9'; (*at)++) {
		ms += (s.ptr[*at] - '0') * unit;
		unit /= 10;
	}
	return ms;
}

/* Reads minutes east of UTC; returns false when the text is no zone. */
static bool zone(struct str s, size_t *at, int64_t *out_minutes)
{
	int64_t h, m;
	bool west;

	*out_minutes = 0;
	if (literal(s, at, "Zz"))
		return *at == s.len;
	west = *at < s.len && s.ptr[*at] == '-';
	if (!literal(s, at, "+-"))
		return false;
	h = digits(s, at, 2);
	if (h < 0 || !literal(s, at, ":"))
		return false;
	m = digits(s, at, 2);
	*out_minutes = west ? -(h * 60 + m) : h * 60 + m;
	return m >= 0 && *at == s.len;
}

static bool is_day(int64_t y, int64_t m, int64_t d)
{
	static const int8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

	return m >= 1 && m <= 12 && d >= 1 && d <= days[m - 1] + (m == 2 && leap);
}

int64_t time_parse(struct str s)
{
	int64_t y, mo, d, h, mi, sec, ms, east;
	size_t at = 0;

	y = digits(s, &at, 4);
	if (y < 0 || !literal(s, &at, "-"))
		return 0;
	mo = digits(s, &at, 2);
	if (!literal(s, &at, "-"))
		return 0;
	d = digits(s, &at, 2);
	if (!is_day(y, mo, d) || !literal(s, &at, "Tt "))
		return 0;
	h = digits(s, &at, 2);
	if (h < 0 || h > 23 || !literal(s, &at, ":"))
		return 0;
	mi = digits(s, &at, 2);
	if (mi < 0 || mi > 59 || !literal(s, &at, ":"))
		return 0;
	sec = digits(s, &at, 2);
	if (sec < 0 || sec > 60)
		return 0;
	ms = fraction_ms(s, &at);
	if (ms < 0 || !zone(s, &at, &east))
		return 0;
	return ((days_of(y, mo, d) * 24 + h) * 60 + mi - east) * 60000 + sec * 1000 + ms;
}

static char *put_number(char *out, int number, int digits, char before)
{
	if (before)
		*out++ = before;
	for (int i = digits; i-- > 0; number /= 10)
		out[i] = (char)('0' + number % 10);
	return out + digits;
}

/* By hand: a list of many objects has many times, and printf() takes ten times as long. */
static const char *format(int64_t ms, bool with_ms, char *out)
{
	int64_t days = ms / 86400000, rest = ms % 86400000;
	char *at = out;
	int y, m, d, s;

	if (rest < 0) {
		rest += 86400000;
		days--;
	}
	date_of(days, &y, &m, &d);
	s = (int)(rest / 1000);
	if (y >= 0 && y <= 9999)
		at = put_number(at, y, 4, '\0');
	else
		at += snprintf(out, TIME_TEXT, "%04d", y);
	at = put_number(at, m, 2, '-');
	at = put_number(at, d, 2, '-');
	at = put_number(at, s / 3600, 2, 'T');
	at = put_number(at, s / 60 % 60, 2, ':');
	at = put_number(at, s % 60, 2, ':');
	if (with_ms)
		at = put_number(at, (int)(rest % 1000), 3, '.');
	*at++ = 'Z';
	*at = '\0';
	return out;
}

const char *time_format(int64_t ms, char *out)
{
	return format(ms, false, out);
}

const char *time_format_ms(int64_t ms, char *out)
{
	return format(ms, true, out);
}

static const char *two(char *out, int64_t a, const char *ua, int64_t b, const char *ub)
{
	if (b > 0)
		snprintf(out, TIME_TEXT, "%lld%s%lld%s", (long long)a, ua, (long long)b, ub);
	else
		snprintf(out, TIME_TEXT, "%lld%s", (long long)a, ua);
	return out;
}

/* The steps of HumanDuration in k8s.io/apimachinery/pkg/util/duration. */
const char *time_age(int64_t ms, char *out)
{
	int64_t s = ms / 1000, m = s / 60, h = m / 60, d = h / 24;

	if (s < 0)
		return two(out, 0, "s", 0, "");
	if (s < 120)
		return two(out, s, "s", 0, "");
	if (m < 10)
		return two(out, m, "m", s % 60, "s");
	if (m < 180)
		return two(out, m, "m", 0, "");
	if (h < 8)
		return two(out, h, "h", m % 60, "m");
	if (h < 48)
		return two(out, h, "h", 0, "");
	if (d < 8)
		return two(out, d, "d", h % 24, "h");
	if (d < 365 * 2)
		return two(out, d, "d", 0, "");
	if (d < 365 * 8)
		return two(out, d / 365, "y", d % 365, "d");
	return two(out, d / 365, "y", 0, "");
}

/* Units in nanoseconds, so that all units of Go are whole numbers. */
static int64_t unit_ns(struct str rest, size_t *at)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "ns", 1 },	   { "us", 1000 },	{ "\xC2\xB5s", 1000 }, { "\xCE\xBCs", 1000 },
		      { "ms", 1000000 },   { "s", 1000000000 }, { "m", 60000000000 },  { "h", 3600000000000 } };
	struct str tail = str_from(rest, *at);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (str_starts(tail, units[i].name)) {
			*at += str_of(units[i].name).len;
			return units[i].ns;
		}
	return -1;
}

/* Reads one part, such as "1.5h", of a duration, in ms; returns -1 when the text is no duration. */
static double duration_part(struct str s, size_t *at)
{
	double value = 0, place = 0.1;
	size_t ndigits = 0;
	int64_t unit;

	for (; digit_at(s, *at); (*at)++, ndigits++)
		value = value * 10 + (s.ptr[*at] - '0');
	if (literal(s, at, "."))
		for (; digit_at(s, *at); (*at)++, ndigits++, place /= 10)
			value += (s.ptr[*at] - '0') * place;
	unit = ndigits ? unit_ns(s, at) : -1;
	return unit < 0 ? -1 : value * (double)unit / 1e6;
}

int64_t time_duration(struct str s)
{
	const double most = 292.0 * 365 * 24 * 3600 * 1000;	/* the longest duration of Go, about 292 years */
	double total = 0;
	int64_t seconds;
	size_t at = 0;

	if (str_to_int(s, &seconds))
		return seconds < INT32_MAX ? seconds * 1000 : -1;
	while (at < s.len) {
		double part = duration_part(s, &at);

		if (part < 0)
			return -1;
		total += part;
		if (total > most)
			return -1;
	}
	return s.len ? (int64_t)(total + 1e-6) : -1;	/* whole ms, cut off as Go does */
}

int64_t time_earlier(int64_t a, int64_t b)
{
	return !a ? b : !b ? a : a < b ? a : b;
}

int time_compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

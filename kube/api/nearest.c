/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/api/nearest.h"

#include "kube/base/buf.h"

#include <ctype.h>

enum { LONGEST = 64, SHOWN = 3 };

struct candidate {
	struct str name;
	unsigned distance;
};

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static char lower(struct str s, size_t i)
{
	return (char)tolower((unsigned char)s.ptr[i]);
}

/*
 * Letters to insert, drop, change or swap with their neighbour (optimal string
 * alignment), case aside.
 */
static unsigned distance(struct str a, struct str b)
{
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];

	for (unsigned j = 0; j <= b.len; j++)
		before[j] = last[j] = j;
	for (unsigned i = 1; i <= a.len; i++) {
		unsigned *reuse = before;

		row[0] = i;
		for (unsigned j = 1; j <= b.len; j++) {
			bool same = lower(a, i - 1) == lower(b, j - 1);

			row[j] = least(last[j] + 1, row[j - 1] + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && lower(a, i - 1) == lower(b, j - 2) &&
			    lower(a, i - 2) == lower(b, j - 1) && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = last;
		last = row;
		row = reuse;
	}
	return last[b.len];
}

/* A third of the letters may be wrong, or two; of short names one. */
static unsigned tolerance(struct str typed)
{
	if (typed.len <= 3)
		return 1;
	return typed.len < 9 ? 2 : (unsigned)typed.len / 3;
}

/* Keeps the best, in order; of equal ones the first. */
static void offer(struct candidate *best, size_t *n, struct str name, unsigned d)
{
	size_t at = *n;

	for (size_t i = 0; i < *n; i++)
		if (str_eq(best[i].name, name))
			return;
	while (at > 0 && d < best[at - 1].distance)
		at--;
	if (at == SHOWN)
		return;
	if (*n < SHOWN)
		(*n)++;
	for (size_t i = *n - 1; i > at; i--)
		best[i] = best[i - 1];
	best[at] = (struct candidate){ name, d };
}

static void consider(struct candidate *best, size_t *n, struct str name, struct str typed)
{
	unsigned d;

	if (name.len == 0 || name.len > LONGEST)
		return;
	d = distance(typed, name);
	if (d <= tolerance(typed) && d < name.len)
		offer(best, n, name, d);
}

struct str nearest_types(const struct kinds *kinds, bool discovered, struct str typed,
			 struct arena *arena)
{
	struct candidate best[SHOWN];
	struct buf out = { 0 };
	struct str result;
	size_t n = 0;

	if (typed.len == 0 || typed.len > LONGEST)
		return STR_NONE;
	for (uint32_t i = 0; i < kinds->count; i++) {
		const struct kind *kind = kinds->all[i];

		if (discovered && !(kind->flags & KIND_DISCOVERED))
			continue;
		consider(best, &n, kind->plural, typed);
		for (size_t j = 0; j < KIND_NAMES; j++)
			consider(best, &n, kind->short_names[j], typed);
	}
	for (size_t i = 0; i < n; i++)
		buf_printf(&out, "%s\"" STR_FMT "\"", i == 0 ? "" : i + 1 == n ? " or " : ", ",
			   STR_ARG(best[i].name));
	result = arena_str(arena, buf_str(&out));
	buf_release(&out);
	return result;
}

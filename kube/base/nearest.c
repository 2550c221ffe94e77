/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/nearest.h"

#include "kube/base/assert.h"

#include <ctype.h>
#include <stdio.h>

enum { LONGEST = 64 };

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static char lower(struct str s, size_t i)
{
	return (char)tolower((unsigned char)s.ptr[i]);
}

/* Counts the letters to insert, drop, change or swap with their neighbour (optimal string alignment), ignoring case. */
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

/* A third of the letters may be wrong, or two of them; in short names one. */
static unsigned tolerance(struct str typed)
{
	if (typed.len <= 3)
		return 1;
	return typed.len < 9 ? 2 : (unsigned)typed.len / 3;
}

/* The word that was typed may be a shorter form of the other one. */
static bool begins(struct str word, struct str typed)
{
	return typed.len >= 3 && typed.len < word.len && str_eq_nocase(str_head(word, typed.len), typed);
}

/* Among words that are equally near, the order of addition is kept. */
static void keep(struct nearest *near, struct str word, unsigned d)
{
	size_t at = near->n;

	for (size_t i = 0; i < near->n; i++)
		if (str_eq(near->best[i].word, word))
			return;
	assert(at <= NEAREST_SHOWN);
	while (at > 0 && d < near->best[at - 1].distance)
		at--;
	if (at == NEAREST_SHOWN)
		return;
	if (near->n < NEAREST_SHOWN)
		near->n++;
	for (size_t i = near->n - 1; i > at; i--)
		near->best[i] = near->best[i - 1];
	near->best[at].word = word;
	near->best[at].distance = d;
}

void nearest_offer(struct nearest *near, struct str word)
{
	unsigned d;

	if (near->typed.len == 0 || near->typed.len > LONGEST || word.len == 0 || word.len > LONGEST)
		return;
	d = begins(word, near->typed) ? 1 : distance(near->typed, word);
	if (!str_eq(near->typed, word) && d <= tolerance(near->typed) && d < word.len)
		keep(near, word, d);
}

int nearest_hint(const struct nearest *near, struct err *err, const char *otherwise)
{
	char text[sizeof(err->hint)] = "";
	size_t n = 0;

	if (!near->n)
		return err_hint(err, "%s", otherwise);
	for (size_t i = 0; i < near->n && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\"" STR_FMT "\"",
				      i == 0 ? "" : i + 1 == near->n ? " or " : ", ", STR_ARG(near->best[i].word));
	return err_hint(err, "did you mean %s?", text);
}

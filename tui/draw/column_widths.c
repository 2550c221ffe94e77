/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/draw/column_widths.h"

#include "kube/base/assert.h"

static int total(const int *widths, size_t n, int gap)
{
	int sum = 0, shown = 0;

	for (size_t i = 0; i < n; i++) {
		sum += widths[i];
		shown += widths[i] > 0;
	}
	return shown ? sum + (shown - 1) * gap : 0;
}

static size_t highest_rank(const struct column *columns, const int *widths, size_t n)
{
	size_t found = n;

	for (size_t i = 0; i < n; i++)
		if (widths[i] && columns[i].rank &&
		    (found == n || columns[i].rank > columns[found].rank))
			found = i;
	return found;
}

/*
 * Returns the least width of a column.  A column without a rank is never dropped: others are dropped before it gets
 * less than it wants, up to 2/5 of the width.
 */
static int least(const struct column *column, int width)
{
	int fair = column->want < width * 2 / 5 ? column->want : width * 2 / 5;

	return column->rank || fair < column->min ? column->min : fair;
}

/* Gives each column its least width; when that is too much, drops columns by rank, then clips the last ones. */
static void shrink(const struct column *columns, size_t n, int width, int gap, int *widths)
{
	for (size_t i = 0; i < n; i++)
		widths[i] = least(&columns[i], width);
	while (total(widths, n, gap) > width) {
		size_t drop = highest_rank(columns, widths, n);

		if (drop == n)
			break;
		widths[drop] = 0;
	}
	for (size_t i = n; i-- > 0 && total(widths, n, gap) > width;) {
		int over = total(widths, n, gap) - width;

		if (widths[i] > 0)
			widths[i] = widths[i] - over > 1 ? widths[i] - over : 0;
	}
}

/*
 * Widens columns up to the width they want, in the order of their ranks, those without a rank first.  Returns the
 * columns that are left.
 */
static int give_wanted(const struct column *columns, size_t n, int left, int *widths)
{
	for (int rank = 0; rank < 256 && left > 0; rank++)
		for (size_t i = 0; i < n && left > 0; i++) {
			int more = columns[i].want - widths[i];

			if (columns[i].rank != rank || widths[i] == 0 || more <= 0)
				continue;
			more = more < left ? more : left;
			widths[i] += more;
			left -= more;
		}
	return left;
}

static bool may_grow(const struct column *column, int width)
{
	return width > 0 && column->grow && (!column->max || width < column->max);
}

static void give_rest(const struct column *columns, size_t n, int left, int *widths)
{
	bool given = true;

	while (left > 0 && given) {
		given = false;
		for (size_t i = 0; i < n; i++)
			for (int k = 0;
			     k < columns[i].grow && left > 0 && may_grow(&columns[i], widths[i]);
			     k++) {
				widths[i]++;
				left--;
				given = true;
			}
	}
}

void layout_columns(const struct column *columns, size_t n, int width, int gap, int *out_widths)
{
	int left;

	shrink(columns, n, width, gap, out_widths);
	left = width - total(out_widths, n, gap);
	assert(left >= 0 || width < 0);
	left = give_wanted(columns, n, left, out_widths);
	give_rest(columns, n, left, out_widths);
	assert(total(out_widths, n, gap) <= width || width < 0);
}

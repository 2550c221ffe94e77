/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/chips.h"

void bar_left(struct bar *bar, struct chip chip)
{
	if (bar->nleft < BAR_CHIPS)
		bar->left[bar->nleft++] = chip;
}

void bar_right(struct bar *bar, struct chip chip)
{
	if (bar->nright < BAR_CHIPS)
		bar->right[bar->nright++] = chip;
}

void bar_left_text(struct bar *bar, struct str str, enum style style, uint8_t rank)
{
	bar_left(bar, (struct chip){ .text = { str, STR_NONE, style }, .rank = rank });
}

void bar_right_text(struct bar *bar, struct str str, enum style style, uint8_t rank)
{
	bar_right(bar, (struct chip){ .text = { str, STR_NONE, style }, .rank = rank });
}

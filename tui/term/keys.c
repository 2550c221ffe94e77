/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/term/keys.h"

struct key key_of_rune(uint32_t rune)
{
	switch (rune) {
	case 0:
		return (struct key){ .input = INPUT_OTHER };
	case 8:
	case 127:
		return (struct key){ .input = INPUT_BACKSPACE };
	case 9:
		return (struct key){ .input = INPUT_TAB };
	case 10:
	case 13:
		return (struct key){ .input = INPUT_ENTER };
	case 27:
		return (struct key){ .input = INPUT_ESCAPE };
	default:
		break;
	}
	if (rune < 27)
		return (struct key){ .input = INPUT_RUNE, .rune = rune + 'a' - 1, .ctrl = true };
	if (rune < 32)
		return (struct key){ .input = INPUT_OTHER };
	return (struct key){ .input = INPUT_RUNE, .rune = rune };
}

enum { BUTTON_LEFT = 0, BUTTON_WHEEL_UP = 64, BUTTON_WHEEL_DOWN = 65, BUTTON_SHIFTS = 4 | 8 | 16 };

/* Makes a key of a mouse event.  col and row count from 1. */
static bool mouse_key(int64_t button, int64_t col, int64_t row, struct key *out)
{
	struct key key = { .input = INPUT_NONE, .row = (int)row - 1, .col = (int)col - 1 };

	switch (button & ~BUTTON_SHIFTS) {
	case BUTTON_LEFT:
		key.input = INPUT_CLICK;
		break;
	case BUTTON_WHEEL_UP:
		key.input = INPUT_WHEEL_UP;
		break;
	case BUTTON_WHEEL_DOWN:
		key.input = INPUT_WHEEL_DOWN;
		break;
	default:
		return false;
	}
	if (col < 1 || row < 1 || col > UINT16_MAX || row > UINT16_MAX)
		return false;
	*out = key;
	return true;
}

bool mouse_parse(struct str report, struct key *out)
{
	struct str button, col, row = report;
	int64_t n[3];

	if (!report.len || report.ptr[report.len - 1] != 'M') /* "m" reports that the button was released */
		return false;
	row.len--;
	if (!str_split(&row, ';', &button) || !str_split(&row, ';', &col))
		return false;
	return str_to_int(button, &n[0]) && str_to_int(col, &n[1]) && str_to_int(row, &n[2]) &&
	       mouse_key(n[0], n[1], n[2], out);
}

bool mouse_parse_old(struct str report, struct key *out)
{
	const unsigned char *at = (const unsigned char *)report.ptr;

	return report.len == 3 && at[0] >= 32 && mouse_key(at[0] - 32, at[1] - 32, at[2] - 32, out);
}

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

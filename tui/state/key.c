/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/state/key.h"

#include "kube/base/utf8.h"

static const struct {
	const char *name;
	enum input input;
} names[] = {
	{ "Enter", INPUT_ENTER },
	{ "Esc", INPUT_ESCAPE },
	{ "Tab", INPUT_TAB },
	{ "S-Tab", INPUT_BACKTAB },
	{ "Backspace", INPUT_BACKSPACE },
	{ "Del", INPUT_DELETE },
	{ "Up", INPUT_UP },
	{ "Down", INPUT_DOWN },
	{ "Left", INPUT_LEFT },
	{ "Right", INPUT_RIGHT },
	{ "PgUp", INPUT_PAGE_UP },
	{ "PgDn", INPUT_PAGE_DOWN },
	{ "Home", INPUT_HOME },
	{ "End", INPUT_END },
	{ "WheelUp", INPUT_WHEEL_UP },
	{ "WheelDown", INPUT_WHEEL_DOWN },
};

struct key key_parse(struct str name)
{
	struct key key = { .input = INPUT_NONE };
	int64_t number;
	size_t at = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_is(name, names[i].name))
			return (struct key){ .input = names[i].input };
	if (str_starts(name, "F") && str_to_int(str_from(name, 1), &number) && number >= 1 && number <= 12)
		return (struct key){ .input = INPUT_FUNCTION, .rune = (uint32_t)number };
	if (str_is(name, "Space"))
		return (struct key){ .input = INPUT_RUNE, .rune = ' ' };
	if (str_starts(name, "C-") && name.len > 2) {
		key.ctrl = true;
		at = 2;
	}
	if (at >= name.len)
		return key;
	key.rune = utf8_next(name, &at);
	if (at == name.len)
		key.input = INPUT_RUNE;
	return key;
}

bool key_same(const struct key *a, const struct key *b)
{
	if (a->input != b->input)
		return false;
	return (a->input != INPUT_RUNE && a->input != INPUT_FUNCTION) || (a->rune == b->rune && a->ctrl == b->ctrl);
}

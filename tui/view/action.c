/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/action.h"

static const struct action_row rows[] = {
#define GROUP(title) { ACTION_NONE, 0, "", NULL, title },
#define ACTION(id, where, keys, hint, help) { ACTION_##id, where, keys, hint, help },
#include "tui/view/actions.def"
#undef ACTION
#undef GROUP
};

const struct action_row *action_rows(size_t *out_n)
{
	*out_n = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

static bool row_has_key(const struct action_row *row, const struct key *key)
{
	struct str rest = str_of(row->keys), name;

	while (str_split(&rest, ' ', &name)) {
		struct key bound = key_parse(name);

		if (bound.input != INPUT_NONE && key_same(&bound, key))
			return true;
	}
	return false;
}

enum action action_of_key(unsigned where, const struct key *key)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((rows[i].where & where) && row_has_key(&rows[i], key))
			return rows[i].action;
	return ACTION_NONE;
}

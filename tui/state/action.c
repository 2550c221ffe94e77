/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/state/action.h"

#include "kube/base/nearest.h"

static const struct action_row rows[] = {
#define GROUP(title) { ACTION_NONE, 0, "", NULL, title },
#define ACTION(id, where, keys, hint, help) { ACTION_##id, where, keys, hint, help },
#include "tui/state/actions.def"
#undef ACTION
#undef GROUP
};

const struct action_row *action_rows(size_t *out_n)
{
	*out_n = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

static const char *const names[ACTION_COUNT] = {
#define GROUP(title)
#define ACTION(id, where, keys, hint, help) [ACTION_##id] = #id,
#include "tui/state/actions.def"
#undef ACTION
#undef GROUP
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Writes the name of an action as the preferences have it: "NEXT_PROBLEM" becomes "next-problem". */
const char *action_name(enum action action, char out[ACTION_NAME])
{
	const char *id = names[action];
	size_t n = 0;

	for (; id && id[n] && n + 1 < ACTION_NAME; n++)
		out[n] = id[n] == '_' ? '-' : id[n] >= 'A' && id[n] <= 'Z' ? (char)(id[n] - 'A' + 'a') : id[n];
	out[n] = '\0';
	return out;
}

static bool keys_have(struct str keys, const struct key *key)
{
	struct str name;

	while (str_split(&keys, ' ', &name)) {
		struct key bound = key_parse(name);

		if (bound.input != INPUT_NONE && key_same(&bound, key))
			return true;
	}
	return false;
}

struct str bindings_keys(const struct bindings *b, enum action action)
{
	if (b && b->keys[action][0])
		return str_of(b->keys[action]);
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].action == action)
			return str_of(rows[i].keys);
	return STR_NONE;
}

static const struct action_row *row_named(struct str name)
{
	char text[ACTION_NAME];

	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].action != ACTION_NONE && str_is(name, action_name(rows[i].action, text)))
			return &rows[i];
	return NULL;
}

/* Returns another action that has the same key in at least one of the views of row; NULL when there is none. */
static const struct action_row *taken_by(const struct bindings *b, const struct action_row *row, const struct key *key)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].action != ACTION_NONE && rows[i].action != row->action && rows[i].where & row->where &&
		    keys_have(bindings_keys(b, rows[i].action), key))
			return &rows[i];
	return NULL;
}

int bindings_set(struct bindings *b, struct str action, struct str keys, struct err *err)
{
	const struct action_row *row = row_named(action);
	struct str rest = keys, name;

	if (!row) {
		char text[ROWS][ACTION_NAME];
		struct nearest near = { .typed = action };

		for (size_t i = 0; i < ROWS; i++)
			if (rows[i].action != ACTION_NONE)
				nearest_offer(&near, str_of(action_name(rows[i].action, text[i])));
		err_set(err, ERR_INPUT, "unknown action \"" STR_FMT "\"", STR_ARG(action));
		return nearest_hint(&near, err, "the manual names them under KEYS: next-problem, filter, copy ...");
	}
	if (keys.len == 0 || keys.len >= sizeof(b->keys[0]))
		return err_set(err, ERR_INPUT, "one key or several, separated by blanks: \"n F8\"");
	while (str_split(&rest, ' ', &name)) {
		struct key key = key_parse(name);

		if (name.len == 0)
			continue;
		if (key.input == INPUT_NONE)
			return err_set(err, ERR_INPUT, "unknown key \"" STR_FMT "\"", STR_ARG(name));
	}
	for (size_t i = 0; i < keys.len; i++)
		b->keys[row->action][i] = keys.ptr[i];
	b->keys[row->action][keys.len] = '\0';
	return 0;
}

int bindings_check(const struct bindings *b, struct str action, struct err *err)
{
	const struct action_row *row = row_named(action), *other;
	struct str rest = row ? bindings_keys(b, row->action) : STR_NONE, name;

	while (rest.len && str_split(&rest, ' ', &name)) {
		struct key key = key_parse(name);

		other = name.len ? taken_by(b, row, &key) : NULL;
		if (other)
			return err_set(err, ERR_INPUT, "the key \"" STR_FMT "\" does something else: %s",
				       STR_ARG(name), other->text);
	}
	return 0;
}

enum action action_of_key(const struct bindings *b, unsigned where, const struct key *key)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].where & where && keys_have(bindings_keys(b, rows[i].action), key))
			return rows[i].action;
	return ACTION_NONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Actions: their views, keys and help, from one table, actions.def. */
#ifndef TUI_STATE_ACTION_H
#define TUI_STATE_ACTION_H

#include "kube/base/err.h"
#include "tui/state/key.h"

enum view_id {
	VIEW_TABLE,
	VIEW_PROBLEMS,
	VIEW_TREE,
	VIEW_WHY,
	VIEW_TIMELINE,
	VIEW_CHANGES,
	VIEW_DETAIL,
	VIEW_HELP,
	VIEW_PALETTE,
	VIEW_TEXT, /* the copied text, to be selected with the mouse */
	VIEW_OUTPUT, /* what the command of the next step printed */
	VIEW_COUNT
};

enum where {
	IN_TABLE = 1 << VIEW_TABLE,
	IN_PROBLEMS = 1 << VIEW_PROBLEMS,
	IN_TREE = 1 << VIEW_TREE,
	IN_WHY = 1 << VIEW_WHY,
	IN_TIMELINE = 1 << VIEW_TIMELINE,
	IN_CHANGES = 1 << VIEW_CHANGES,
	IN_DETAIL = 1 << VIEW_DETAIL,
	IN_HELP = 1 << VIEW_HELP,
	IN_OUTPUT = 1 << VIEW_OUTPUT,
	IN_OPENABLE = IN_TABLE | IN_PROBLEMS | IN_TREE | IN_WHY | IN_TIMELINE | IN_CHANGES | IN_DETAIL,
	IN_SUBJECT = IN_OPENABLE,
	IN_FILTER = IN_TABLE | IN_PROBLEMS | IN_TIMELINE | IN_CHANGES, /* "/" filters rows */
	IN_SEARCH = IN_FILTER | IN_DETAIL | IN_OUTPUT,	  /* "/" filters, or searches in a text */
	IN_WALK = IN_TABLE | IN_PROBLEMS | IN_TREE | IN_DETAIL | IN_OUTPUT,
	IN_LISTS = IN_TABLE | IN_PROBLEMS,
	IN_ROWS = IN_TABLE | IN_PROBLEMS | IN_TREE | IN_TIMELINE | IN_CHANGES,
	IN_FOLDS = IN_TABLE | IN_PROBLEMS | IN_TREE | IN_CHANGES | IN_DETAIL,
	IN_MARKED = IN_TABLE | IN_PROBLEMS | IN_TREE | IN_WHY | IN_TIMELINE | IN_CHANGES, /* a moment can be marked */
	IN_ANY = (1 << VIEW_COUNT) - 1
};

enum action {
	ACTION_NONE,
#define GROUP(title)
#define ACTION(id, where, keys, hint, help) ACTION_##id,
#include "tui/state/actions.def"
#undef ACTION
#undef GROUP
	ACTION_COUNT
};

/* A row of the table; ACTION_NONE with a title starts a group. */
struct action_row {
	enum action action;
	unsigned where;
	const char *keys; /* names for key_parse(), separated by blanks */
	const char *hint; /* text at the foot; NULL: none */
	const char *text; /* help, or the title of a group */
};

/* The user's own keys; {0}: the default keys. */
struct bindings {
	char keys[ACTION_COUNT][32]; /* "": the default */
};

/* Sets the keys ("n F8") of an action.  ERR_INPUT: no such action or key. */
int bindings_set(struct bindings *b, struct str action, struct str keys, struct err *err);
/* ERR_INPUT: one of its keys has another action, too. */
int bindings_check(const struct bindings *b, struct str action, struct err *err);
/* The keys of an action, separated by blanks. */
struct str bindings_keys(const struct bindings *b, enum action action);

/* Its name in the preferences, such as next-problem; returns out. */
enum { ACTION_NAME = 32 }; /* bytes */
const char *action_name(enum action action, char out[ACTION_NAME]);

/* All rows, in the order of the help and the manual. */
const struct action_row *action_rows(size_t *out_n);
/* The action of a key in the views where (enum where); b may be NULL. */
enum action action_of_key(const struct bindings *b, unsigned where, const struct key *key);

#endif

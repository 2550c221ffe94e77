/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of the user.  One table, actions.def, says in which views each is available, its keys and its help. */
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
	VIEW_TEXT, /* shows the copied text, so that the user can select it with the mouse */
	VIEW_OUTPUT, /* shows what the command of the next step printed */
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
	IN_FILTER = IN_TABLE | IN_PROBLEMS | IN_TIMELINE | IN_CHANGES, /* "/" filters the rows of these views */
	IN_SEARCH = IN_FILTER | IN_DETAIL | IN_OUTPUT,	  /* "/" filters rows or searches in a text in these views */
	IN_WALK = IN_TABLE | IN_PROBLEMS | IN_TREE | IN_DETAIL | IN_OUTPUT,
	IN_LISTS = IN_TABLE | IN_PROBLEMS,
	IN_ROWS = IN_TABLE | IN_PROBLEMS | IN_TREE | IN_TIMELINE | IN_CHANGES,
	/* Space folds a row in these views, and where no row can be selected it scrolls one page */
	IN_FOLDS = IN_TABLE | IN_PROBLEMS | IN_TREE | IN_CHANGES | IN_DETAIL | IN_WHY | IN_HELP | IN_OUTPUT | 1 << VIEW_TEXT,
	/* in these views the user can mark a moment */
	IN_MARKED = IN_TABLE | IN_PROBLEMS | IN_TREE | IN_WHY | IN_TIMELINE | IN_CHANGES,
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

/* A row of the table of actions.  A row with ACTION_NONE and a title begins a group of the help. */
struct action_row {
	enum action action;
	unsigned where;
	const char *keys; /* the names of its keys for key_parse(), separated by blanks */
	const char *hint; /* the text at the foot of the screen; NULL: none */
	const char *text; /* the text in the help, or the title of a group */
};

/* The keys that the user has set; {0}: every action has its default keys. */
struct bindings {
	char keys[ACTION_COUNT][32]; /* the keys of each action; "": its default keys */
};

/* Sets the keys of an action, such as "n F8".  Fails with ERR_INPUT when the action or a key does not exist. */
int bindings_set(struct bindings *b, struct str action, struct str keys, struct err *err);
/* Fails with ERR_INPUT when a key of the action belongs to another action, too. */
int bindings_check(const struct bindings *b, struct str action, struct err *err);
/* Returns the keys of an action, separated by blanks. */
struct str bindings_keys(const struct bindings *b, enum action action);

/* Writes the name of an action in the preferences, such as next-problem, into out, and returns out. */
enum { ACTION_NAME = 32 }; /* bytes of such a name, with its NUL */
const char *action_name(enum action action, char out[ACTION_NAME]);

/* Returns all rows of the table, in the order of the help and the manual. */
const struct action_row *action_rows(size_t *out_n);
/* Returns the action of a key in the views of where (a set of enum where), or ACTION_NONE; b may be NULL. */
enum action action_of_key(const struct bindings *b, unsigned where, const struct key *key);

#endif

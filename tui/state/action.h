/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of the user.  One table, actions.def, says in which views each is available, its keys and its help. */
#ifndef TUI_STATE_ACTION_H
#define TUI_STATE_ACTION_H

#include "kube/base/err.h"
#include "tui/state/key.h"

/*
 * The table of views, in which each has one row.  The rest of a view is in the file that defines view_NAME: struct view.
 *
 * ROW(x, ID, NAME, what it takes part in)
 */
#define VIEWS(ROW, x) \
	ROW(x, TABLE, table, VIEW_OPENS | VIEW_FILTERS | VIEW_WALKS | VIEW_PREVIEWS | VIEW_SCROLLS | VIEW_FOLDS) \
	ROW(x, PROBLEMS, problems, VIEW_OPENS | VIEW_FILTERS | VIEW_WALKS | VIEW_PREVIEWS | VIEW_SCROLLS | VIEW_FOLDS) \
	ROW(x, TREE, tree, VIEW_OPENS | VIEW_WALKS | VIEW_SCROLLS | VIEW_FOLDS | VIEW_OF_ONE) \
	ROW(x, WHY, why, VIEW_OPENS | VIEW_WALKS | VIEW_FOLDS | VIEW_OF_ONE) \
	ROW(x, TIMELINE, timeline, VIEW_OPENS | VIEW_FILTERS | VIEW_SCROLLS | VIEW_OF_ONE) \
	ROW(x, CHANGES, changes, VIEW_OPENS | VIEW_FILTERS | VIEW_SCROLLS | VIEW_FOLDS | VIEW_OF_ONE) \
	ROW(x, DETAIL, detail, VIEW_OPENS | VIEW_SEARCHES | VIEW_WALKS | VIEW_FOLDS | VIEW_OF_ONE) \
	ROW(x, HELP, help, VIEW_FOLDS) \
	ROW(x, PALETTE, palette, VIEW_NOTHING) \
	ROW(x, TEXT, text, VIEW_FOLDS) /* shows the copied text, so that the user can select it with the mouse */ \
	ROW(x, OUTPUT, output, VIEW_SEARCHES | VIEW_WALKS | VIEW_FOLDS) /* shows what the command of the next step printed */

/* What a view takes part in. */
enum takes_part {
	VIEW_NOTHING = 0,
	VIEW_OPENS = 1 << 0,		/* its rows, or what it shows, are resources: they are opened, explained, marked, acknowledged */
	VIEW_FILTERS = 1 << 1,	/* "/" filters its rows */
	VIEW_SEARCHES = 1 << 2,	/* "/" searches in its text */
	VIEW_WALKS = 1 << 3,		/* n and N go to the next problem or match */
	VIEW_PREVIEWS = 1 << 4,	/* a list of resources beside which there may be a preview */
	VIEW_SCROLLS = 1 << 5,	/* its rows may be wider than the screen */
	VIEW_FOLDS = 1 << 6,		/* Space folds a row in it, and where no row can be selected it scrolls one page */
	VIEW_OF_ONE = 1 << 7		/* it may be about one object */
};

#define VIEW_ID(x, id, name, takes) VIEW_##id,
enum view_id { VIEWS(VIEW_ID, VIEW_NOTHING) VIEW_COUNT };
#undef VIEW_ID

#define VIEW_IN(x, id, name, takes) IN_##id = 1 << VIEW_##id,
#define VIEW_WITH(takes_all, id, name, takes) | ((takes) & (takes_all) ? 1 << VIEW_##id : 0)
enum where {
	VIEWS(VIEW_IN, VIEW_NOTHING)
	IN_OPENABLE = 0 VIEWS(VIEW_WITH, VIEW_OPENS),
	IN_SUBJECT = IN_OPENABLE,
	IN_FILTER = 0 VIEWS(VIEW_WITH, VIEW_FILTERS),
	IN_SEARCH = 0 VIEWS(VIEW_WITH, VIEW_FILTERS | VIEW_SEARCHES),
	IN_WALK = 0 VIEWS(VIEW_WITH, VIEW_WALKS),
	IN_LISTS = 0 VIEWS(VIEW_WITH, VIEW_PREVIEWS),
	IN_ROWS = 0 VIEWS(VIEW_WITH, VIEW_SCROLLS),
	IN_FOLDS = 0 VIEWS(VIEW_WITH, VIEW_FOLDS),
	IN_OF_ONE = 0 VIEWS(VIEW_WITH, VIEW_OF_ONE),
	IN_ANY = (1 << VIEW_COUNT) - 1
};
#undef VIEW_IN
#undef VIEW_WITH

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

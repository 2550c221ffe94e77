/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user interface as a state machine: keys and changes go in, effects come
 * out, and page.h turns the state into a picture.  No I/O, no clock.
 *
 * Each turn the program calls, in this order: ui_key() for every key,
 * ui_changed() when anything in the store or the graph differs, ui_refresh()
 * and page_build() when it paints.
 */
#ifndef TUI_VIEW_UI_H
#define TUI_VIEW_UI_H

#include "kube/base/buf.h"
#include "tui/view/action.h"
#include "tui/view/key.h"
#include "tui/view/scene.h"

struct ui;

/* What the program must do next. */
enum effect {
	EFFECT_REPAINT = 1 << 0,
	EFFECT_REINDEX = 1 << 1, /* order, filter or view changed; ui_refresh() does the work */
	EFFECT_FETCH = 1 << 2,	 /* look at ui_wants() */
	EFFECT_QUIT = 1 << 3,
	EFFECT_SUSPEND = 1 << 4,
	EFFECT_COPY = 1 << 5,  /* ui_copy_text() to the clipboard */
	EFFECT_REDRAW = 1 << 6, /* the terminal may be garbled: draw every cell */
	EFFECT_SCOPE = 1 << 8,	/* another namespace or kind: ui_scope() */
	EFFECT_CONTEXT = 1 << 9, /* another cluster: ui_scope() */
	EFFECT_RUN = 1 << 10,	/* ui_copy_text() is a command: run it, show what it prints */
	EFFECT_EDIT = 1 << 11,	/* what was fetched, in an editor */
	EFFECT_TIME = 1 << 12,	/* ui_stands_at() is another */
	EFFECT_NEXT = 1 << 13,	/* a recording plays until something changes, and stands there */
	EFFECT_BEFORE = 1 << 14, /* the same backwards, to before what was observed */
	EFFECT_EXPORT = 1 << 15	/* the timeline into ui_export_file(): timeline.h */
};

/* What the user wants to look at from now on. */
struct scope {
	enum { SCOPE_NAMESPACE, SCOPE_KIND, SCOPE_CONTEXT } what;
	struct str name;	 /* of the namespace ("": all) or context */
	const struct kind *kind; /* NULL: all */
};

struct ui *ui_new(void);
void ui_free(struct ui *ui);

/* The user's own keys; borrowed. */
void ui_bind(struct ui *ui, const struct bindings *bindings);
/* As --sort-by names it (sort.h); another name changes nothing. */
void ui_sort_by(struct ui *ui, struct str name);
/* Order, groups, preview as words, "sort=newest reverse group=2 preview", and from them; unknown words are left out. */
void ui_settings(const struct ui *ui, struct buf *out);
void ui_set_settings(struct ui *ui, struct str settings);
/* The size of the screen in cells; anything is allowed. */
void ui_resize(struct ui *ui, int rows, int cols);
/* Returns a set of enum effect. */
unsigned ui_key(struct ui *ui, const struct scene *scene, const struct key *key);
unsigned ui_act(struct ui *ui, const struct scene *scene, enum action action);

/* Anything in the store or the graph may differ.  Cheap: the work is done by ui_refresh(). */
void ui_changed(struct ui *ui);
/* Only these changed: the slots of graph_changed() after each graph_settle(). */
void ui_changed_slots(struct ui *ui, const uint32_t *slots, size_t n);
/* Notes at once what differs, for who lets time pass in leaps. */
void ui_observe(struct ui *ui, const struct scene *scene);
/* The moment that is to be shown, which the program may correct; 0: now. */
int64_t ui_stands_at(const struct ui *ui);
void ui_stand(struct ui *ui, int64_t at);
/* The world goes on while another moment is shown: notes what changed in it.  Call it in place of ui_observe(). */
void ui_observe_live(struct ui *ui, const struct scene *live);
/* How many transitions were observed since the start. */
uint64_t ui_observed(const struct ui *ui);
/* Brings the lines up to date: what changed is noted for the timeline, the selection is kept. */
void ui_refresh(struct ui *ui, const struct scene *scene);
/*
 * Holds those of whom the views show something although they are gone.  False: what changed was not yet looked
 * at, nothing may be forgotten.  Call it before graph_forget().
 */
bool ui_hold(const struct ui *ui, struct store *store);
/* When the picture changes although nothing happens (ages, flashes); perhaps in the past. */
/* What was typed is shown, the lines follow: paint again as soon as no key waits. */
bool ui_lags(const struct ui *ui);
int64_t ui_deadline(const struct ui *ui, int64_t now);

/* When the message ends, by the clock of the person; 0: there is none.  Then the foot must be painted again. */
int64_t ui_say_deadline(const struct ui *ui);

/* What the open view shows that only the program can get; WANT_NOTHING: nothing. */
enum want ui_wants(const struct ui *ui, struct handle *out_handle);
/* One line of plain text without control characters, or several of the timeline. */
struct str ui_copy_text(const struct ui *ui);
/* What EFFECT_SCOPE and EFFECT_CONTEXT ask for. */
struct scope ui_scope(const struct ui *ui);
/* The world is another one: handles mean nothing any more. */
void ui_reset(struct ui *ui);
/* The same, but of the same objects: places and marks stay, and mean nothing until ui_find_again(). */
void ui_restart(struct ui *ui);
void ui_find_again(struct ui *ui, const struct store *was, const struct store *is);
/* Shows ui_copy_text(), where a terminal has no clipboard. */
void ui_show_copy(struct ui *ui);
/* A root cause that was not there before, for the bell and the title; "" when there is none since the last call. */
struct str ui_alarm(struct ui *ui);
/* The end of a log is looked at, and it is to be followed. */
bool ui_follows(const struct ui *ui);
/* Something the user should see for a few seconds: "copied", "no such terminal feature". */
void ui_say(struct ui *ui, struct str text, int64_t now);

/* For tests and the status line of the program. */
enum view_id ui_view(const struct ui *ui);
struct handle ui_selected(const struct ui *ui);
/* What contradicts itself in the state; NULL: nothing. */
const char *ui_wrong(const struct ui *ui);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user interface as a state machine: keys and changes go in, effects come
 * out; page.h makes a page of the state.  No I/O, no clock.
 *
 * Each turn the program calls, in this order: ui_key() for every key,
 * ui_changed() when anything in the store or the graph differs, ui_refresh()
 * and page_build() when it paints.
 */
#ifndef TUI_UI_UI_H
#define TUI_UI_UI_H

#include "kube/base/buf.h"
#include "tui/state/action.h"
#include "tui/state/choice.h"
#include "tui/state/key.h"
#include "tui/state/scene.h"

struct ui;

/* What the program must do next. */
enum effect {
	EFFECT_REPAINT = 1 << 0,
	EFFECT_REINDEX = 1 << 1, /* order, filter or view changed; ui_refresh() does the work */
	EFFECT_FETCH = 1 << 2,	 /* ui_wants() may have changed */
	EFFECT_QUIT = 1 << 3,
	EFFECT_SUSPEND = 1 << 4,
	EFFECT_COPY = 1 << 5,  /* ui_copy_text() to the clipboard */
	EFFECT_REDRAW = 1 << 6, /* the terminal may be garbled: draw every cell */
	EFFECT_SCOPE = 1 << 8,	/* another namespace or kind: ui_scope() */
	EFFECT_CONTEXT = 1 << 9, /* another cluster: ui_scope().  What is shown stays until that has answered: ui_reset() */
	EFFECT_RUN = 1 << 10,	/* ui_copy_text() is a command: run it, show what it prints */
	EFFECT_EDIT = 1 << 11,	/* open the fetched text in an editor */
	EFFECT_SEEK = 1 << 12,	/* ui_seek_time() has changed */
	EFFECT_NEXT = 1 << 13,	/* play the recording until something changes, and stop there */
	EFFECT_BEFORE = 1 << 14, /* the same backwards, to before the first observed change */
	EFFECT_EXPORT = 1 << 15, /* write the timeline to ui_export_file(): timeline.h */
	EFFECT_CANCEL = 1 << 16	/* header.opening is not waited for any longer */
};

struct ui *ui_new(void);
void ui_free(struct ui *ui);

/* The user's own keys; borrowed. */
void ui_bind(struct ui *ui, const struct bindings *bindings);
/* As --sort-by names it (sort.h); another name changes nothing. */
void ui_sort_by(struct ui *ui, struct str name);
/* Write and read order, groups and preview as words: "sort=newest reverse group=2 preview".  Unknown words are ignored. */
void ui_settings(const struct ui *ui, struct buf *out);
void ui_set_settings(struct ui *ui, struct str settings);
/* The size of the screen in cells; anything is allowed. */
void ui_resize(struct ui *ui, int rows, int cols);
/* Handle a key or an action; return a set of enum effect. */
unsigned ui_key(struct ui *ui, const struct scene *scene, const struct key *key);
unsigned ui_act(struct ui *ui, const struct scene *scene, enum action action);

/* Anything in the store or the graph may have changed.  Cheap: the work is done by ui_refresh(). */
void ui_changed(struct ui *ui);
/* Only these changed: the slots of graph_changed() after each graph_settle(). */
void ui_changed_slots(struct ui *ui, const uint32_t *slots, size_t n);
/* Records at once what has changed: for a replay, which moves in steps. */
void ui_observe(struct ui *ui, const struct scene *scene);
/* After such steps: finds the root causes again, and an alarm among them, and has the lines built again. */
void ui_arrange(struct ui *ui, const struct scene *scene);
/*
 * Before an earlier moment is made of the live world: what has changed there is seen.  Afterwards, with the scene of that
 * moment: these slots differ from those of the moment before, or from_now, from those of the live world.
 */
void ui_before_seek(struct ui *ui, const struct scene *live);
void ui_after_seek(struct ui *ui, const struct scene *scene, const uint32_t *slots, size_t n, bool from_now);
/* While an earlier moment is shown: records what has changed in the live world.  Call it in place of ui_observe(). */
void ui_observe_live(struct ui *ui, const struct scene *live);
/* Brings the lines up to date: records changes for the timeline, keeps the selection. */
void ui_refresh(struct ui *ui, const struct scene *scene);
/*
 * Call it before graph_forget(): calls store_hold() for the objects that are gone but still shown.  False when changes
 * are not recorded yet: nothing may be forgotten.
 */
bool ui_hold(const struct ui *ui, struct store *store);
/* True when typed text is shown but the lines are old: paint again as soon as no key waits. */
bool ui_lags(const struct ui *ui);
/* When to paint again without an event (ages, flashes), ms; may be in the past. */
int64_t ui_deadline(const struct ui *ui, int64_t now);

/* When the message at the foot ends, by the clock of the user, ms; 0: there is none.  Then paint again. */
int64_t ui_say_deadline(const struct ui *ui);

/* The choice of EFFECT_SCOPE and EFFECT_CONTEXT. */
struct scope ui_scope(const struct ui *ui);
/* Another world is shown: all handles are invalid. */
void ui_reset(struct ui *ui);
/* That context is left for another one: "::" goes back to it. */
void ui_leave_context(struct ui *ui, struct str context);
/* The same, for a new store with the same objects: places and marks stay, but are invalid until ui_find_again(). */
void ui_restart(struct ui *ui);
void ui_find_again(struct ui *ui, const struct store *was, const struct store *is);
/* Opens a view of what that command printed (copied); remark: beside the title, such as that something is left out. */
void ui_show_output(struct ui *ui, struct str command, struct str printed, struct str remark);
/* Shows ui_copy_text(), where a terminal has no clipboard. */
void ui_show_copy(struct ui *ui);
/* A watch brought or changed that object: what it causes is new, also while other kinds are still read. */
void ui_arrived(struct ui *ui, struct handle h);
/*
 * The title since the last call: how many root causes there are, and the new one; "" when it is as before.  rings: that
 * one is new, for the bell; else only their number is another one.
 */
struct str ui_alarm(struct ui *ui, bool *out_rings);
/* What ui_alarm() would say is not said. */
void ui_drop_alarm(struct ui *ui);
/* True once when the root cause of the last alarm is there no more. */
bool ui_alarm_is_over(struct ui *ui);

/* For tests: a contradiction in the state, as text; NULL when there is none. */
const char *ui_wrong(const struct ui *ui);

#endif

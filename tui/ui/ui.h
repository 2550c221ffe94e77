/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user interface as a state machine: keys and changes go in, effects come out, and page.h makes a page of the
 * state.  It does no I/O and reads no clock.
 *
 * In each round of its event loop the program calls, in this order: ui_key() for every key, ui_changed() when anything
 * in the store or the graph differs, and when it paints, ui_refresh() and page_build().
 */
#ifndef TUI_UI_UI_H
#define TUI_UI_UI_H

#include "kube/base/buf.h"
#include "tui/state/action.h"
#include "tui/state/choice.h"
#include "tui/state/effect.h"
#include "tui/state/key.h"
#include "tui/state/scene.h"

struct ui;

struct ui *ui_new(void);
void ui_free(struct ui *ui);

/* Sets the user's own keys; bindings is borrowed for the life of ui. */
void ui_bind(struct ui *ui, const struct bindings *bindings);
/* Sets the order that --sort-by calls so (sort.h); an unknown name changes nothing. */
void ui_sort_by(struct ui *ui, struct str name);
/* Sets the size of the screen in cells; any number is allowed, and less than 1 counts as 1. */
void ui_resize(struct ui *ui, int rows, int cols);
/* Handle a key or an action, and return a set of enum effect. */
unsigned ui_key(struct ui *ui, const struct scene *scene, const struct key *key);
unsigned ui_act(struct ui *ui, const struct scene *scene, enum action action);

/* Notes that anything in the store or the graph may have changed.  The call is cheap: ui_refresh() does the work. */
void ui_changed(struct ui *ui);
/* Notes that only these slots have changed: those of graph_changed() after each graph_settle(). */
void ui_changed_slots(struct ui *ui, const uint32_t *slots, size_t n);
/* Notes that more is known of what changed before a failure, or of what is used, while the objects are the same. */
void ui_more_known(struct ui *ui);
/* Returns true while the table is open. */
bool ui_shows_table(const struct ui *ui);
/* Records at once what has changed, for a replay, which advances in steps. */
void ui_observe(struct ui *ui, const struct scene *scene);
/*
 * Call it after such steps: finds the root causes again, sets the alarm when one is new, and has the lines built again.
 */
void ui_arrange(struct ui *ui, const struct scene *scene);
/*
 * Call ui_before_seek() before the store is taken from now to an earlier moment: changes that were not recorded yet
 * are.  Call ui_after_seek() afterwards with the scene of that moment; slots are those that differ from the moment
 * shown before, or with from_now, from now.
 */
void ui_before_seek(struct ui *ui, const struct scene *live);
void ui_after_seek(struct ui *ui, const struct scene *scene, const uint32_t *slots, size_t n, bool from_now);
/*
 * Call it in place of ui_after_seek() when another world is shown than before, whose graph was: that of a recording of the
 * cluster, or again that of the cluster.
 */
void ui_after_exchange(struct ui *ui, const struct scene *scene, const struct graph *was);
/* Notes transitions from before this session, as observe_earlier() takes them. */
void ui_observe_earlier(struct ui *ui, const struct scene *live, const uint64_t *entries, size_t n);
/* Records what has changed in the cluster while an earlier moment is shown.  Call it in place of ui_observe(). */
void ui_observe_live(struct ui *ui, const struct scene *live);
/* Brings the lines up to date: records changes for the timeline, and keeps the selection. */
void ui_refresh(struct ui *ui, const struct scene *scene);
/*
 * Call it before graph_forget(): calls store_hold() for the objects that are gone but still shown.  Returns false when
 * changes are not recorded yet, so that nothing may be forgotten.
 */
bool ui_hold(const struct ui *ui, struct store *store);
/* Returns true when typed text is shown with lines that are old: paint again as soon as no key waits. */
bool ui_lags(const struct ui *ui);
/* Returns when to paint again without an event (for ages and flashes), ms, in the time of now; it may be past.  clock: the user's clock. */
int64_t ui_deadline(const struct ui *ui, int64_t now, int64_t clock);

/* Returns when the message at the foot ends, by the clock of the user, ms; 0: there is none.  Paint again then. */
int64_t ui_say_deadline(const struct ui *ui);

/* Returns the choice of the user for EFFECT_SCOPE and EFFECT_CONTEXT. */
struct scope ui_scope(const struct ui *ui);
/* Call it when another cluster is shown, so that all handles are invalid: forgets all that refers to objects. */
void ui_reset(struct ui *ui);
/*
 * ui_restart() does the same for a new store with the same objects: places and marks stay, but are invalid until
 * ui_find_again() has found their objects of the graph was in the graph is.
 */
void ui_restart(struct ui *ui);
void ui_find_again(struct ui *ui, const struct graph *was, const struct graph *is);
/*
 * Notes that a watch brought or changed that object: a root cause that it belongs to is new, also while other kinds are
 * still being listed.
 */
void ui_arrived(struct ui *ui, struct handle h);
/*
 * Returns the window title when it has changed since the last call: how many root causes there are, and the new one; ""
 * when it has not.  *out_rings: the root cause is new, so that the bell rings; else only the number of causes has
 * changed.
 */
struct str ui_alarm(struct ui *ui, bool *out_rings);
/* Drops the text that ui_alarm() would return next. */
void ui_drop_alarm(struct ui *ui);
/* Returns true once when the root cause of the last alarm has gone. */
bool ui_alarm_is_over(struct ui *ui);
/* Returns once that a marked object is not under way any more: "job/migrate is Ready"; "" when none has ended.  It is in the arena. */
struct str ui_ended(struct ui *ui, const struct scene *scene, struct arena *a);

#endif

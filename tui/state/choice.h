/* SPDX-License-Identifier: Apache-2.0 */
/* What the user has chosen to see, and what the rest of the program must know of it. */
#ifndef TUI_STATE_CHOICE_H
#define TUI_STATE_CHOICE_H

#include "tui/state/action.h"
#include "tui/state/scene.h"

struct ui;

enum which_kinds { KINDS_ASKED /* the kinds that the command line names */, KINDS_ONE, KINDS_ALL };

/* What the user has chosen to see: another context, or a namespace and kinds. */
struct scope {
	enum { SCOPE_OBJECTS, SCOPE_CONTEXT } what;
	struct str name;	 /* the name of the context, or of the namespace ("": all namespaces) */
	enum which_kinds kinds;
	const struct kind *kind; /* the chosen kind, for KINDS_ONE */
};

/* Return the open view, and the object of the selected line (HANDLE_NONE: there is none). */
enum view_id ui_view(const struct ui *ui);
struct handle ui_selected(const struct ui *ui);
/* Returns what the program must fetch for the open view, and of which object; WANT_NOTHING: nothing. */
enum want ui_wants(const struct ui *ui, struct handle *out_handle);
/*
 * Returns the text to copy: one line of plain text without control characters; of the timeline and of Markdown several.
 */
struct str ui_copy_text(const struct ui *ui);
/* Returns the name of the file for EFFECT_EXPORT, as the user typed it. */
struct str ui_export_file(const struct ui *ui);
/*
 * Returns how many objects the selected row stands for when copied text and commands name only the first of them; 1 or
 * less: they name all.
 */
uint32_t ui_alike(const struct ui *ui);
/* ui_seek_time() returns the moment that the user wants to see, in ms; 0: now.  ui_seek() sets it, to correct it. */
int64_t ui_seek_time(const struct ui *ui);
void ui_seek(struct ui *ui, int64_t at);
/* Returns the action that goes to another moment as soon as what it needs of the history is read. */
enum action ui_later(const struct ui *ui);
/* Returns how many transitions were observed since the start. */
uint64_t ui_observed(const struct ui *ui);
/* Returns true when the open view shows the end of a log and shall follow it. */
bool ui_follows(const struct ui *ui);
/*
 * Opens a view of what the command printed; the texts are copied.  remark: shown beside the title, such as that
 * something was left out.
 */
void ui_show_output(struct ui *ui, struct str command, struct str printed, struct str remark);
/* Shows ui_copy_text() in a view, for terminals without a clipboard. */
void ui_show_copy(struct ui *ui);
/* Shows a text in place of the first line until a key is pressed. */
void ui_warn(struct ui *ui, struct str text);
/* Shows a message such as "copied" at the foot of the screen for a few seconds. */
void ui_say(struct ui *ui, struct str text, int64_t now);
/* Does the same for longer, for what has to be read twice: the name of a file, an answer that nobody waits for. */
void ui_say_longer(struct ui *ui, struct str text, int64_t now);

#endif

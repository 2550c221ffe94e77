/* SPDX-License-Identifier: Apache-2.0 */
/* What the user has chosen to see, and what the program must know of it. */
#ifndef TUI_STATE_CHOICE_H
#define TUI_STATE_CHOICE_H

#include "tui/state/action.h"
#include "tui/state/scene.h"

struct ui;

enum which_kinds { KINDS_ASKED /* on the command line */, KINDS_ONE, KINDS_ALL };

/* What the user has chosen: another context, or namespace and kinds. */
struct scope {
	enum { SCOPE_OBJECTS, SCOPE_CONTEXT } what;
	struct str name;	 /* of the namespace ("": all) or context */
	enum which_kinds kinds;
	const struct kind *kind; /* KINDS_ONE */
};

/* The open view, and the object of its selected line. */
enum view_id ui_view(const struct ui *ui);
struct handle ui_selected(const struct ui *ui);
/* What the program must fetch for the open view; WANT_NOTHING: nothing. */
enum want ui_wants(const struct ui *ui, struct handle *out_handle);
/* One line of plain text without control characters, or several of the timeline. */
struct str ui_copy_text(const struct ui *ui);
/* EFFECT_EXPORT: the name of the file, as typed by the user. */
struct str ui_export_file(const struct ui *ui);
/* Objects that the row stands for of which copied text and commands name the first; 1 or less: they name all there is. */
uint32_t ui_alike(const struct ui *ui);
/* The moment that the user wants to see, ms; 0: now.  ui_seek() sets it, to correct it. */
int64_t ui_seek_time(const struct ui *ui);
void ui_seek(struct ui *ui, int64_t at);
/* Number of transitions observed since the start. */
uint64_t ui_observed(const struct ui *ui);
/* True when the end of a log is shown and shall be followed. */
bool ui_follows(const struct ui *ui);
/* Shows a message at the foot for a few seconds: "copied". */
void ui_say(struct ui *ui, struct str text, int64_t now);

#endif

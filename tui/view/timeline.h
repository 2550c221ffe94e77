/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the timeline, for the screen and for a file. */
#ifndef TUI_VIEW_TIMELINE_H
#define TUI_VIEW_TIMELINE_H

#include "tui/view/scene.h"
#include "tui/view/style.h"

struct ui;

struct timeline_entry {
	int64_t time;		/* ms */
	size_t order;		/* among entries of the same time */
	struct id id;		/* without a kind when only the name is known */
	struct str name, what;	/* "network/net", "Ready → Failed  OverQuota: ..." */
	enum style style;
	const char *source;	/* "observed", "condition", "history", "event", "object" */
};

/* The entries of the open timeline that pass its filter, oldest first; in the arena, some texts borrowed. */
const struct timeline_entry *ui_timeline(const struct ui *ui, const struct scene *scene, struct arena *a, size_t *out_n);
/* EFFECT_EXPORT: the name of the file, as typed by the user. */
struct str ui_export_file(const struct ui *ui);

#endif

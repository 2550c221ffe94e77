/* SPDX-License-Identifier: Apache-2.0 */
/* What happened when, as the timeline shows it: for the screen and for a file. */
#ifndef TUI_VIEW_TIMELINE_H
#define TUI_VIEW_TIMELINE_H

#include "tui/view/scene.h"
#include "tui/view/style.h"

struct ui;

struct timeline_entry {
	int64_t time;
	size_t order;		/* of entries of the same time */
	struct id id;		/* without a kind when only its name is known any more */
	struct str name, what;	/* "network/net", "Ready → Failed  OverQuota: ..." */
	enum style style;
	const char *source;	/* "observed", "condition", "history", "event", "object" */
};

/* Those of the open timeline that pass its filter, oldest first; in the arena, some texts borrowed. */
const struct timeline_entry *ui_timeline(const struct ui *ui, const struct scene *scene, struct arena *a, size_t *out_n);
/* EFFECT_EXPORT: the file that the user named for it. */
struct str ui_export_file(const struct ui *ui);

#endif

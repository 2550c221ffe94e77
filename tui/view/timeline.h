/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the timeline, for the screen and for a file. */
#ifndef TUI_VIEW_TIMELINE_H
#define TUI_VIEW_TIMELINE_H

#include "tui/state/scene.h"
#include "tui/words/style.h"

struct ui;

struct timeline_entry {
	int64_t time;		/* ms */
	uint64_t key;		/* identifies the entry, also when the entries are collected again */
	struct id id;		/* has no kind when only the name is known */
	struct str name, what;	/* such as "network/net" and "Ready → Failed  OverQuota: ..." */
	enum style style;
	const char *source;	/* where the entry comes from: "observed", "condition", "history", "event", "object" */
};

/* Returns the entries of the open timeline that pass its filter, the oldest first.  All of it is in the arena. */
const struct timeline_entry *ui_timeline(const struct ui *ui, const struct scene *scene, struct arena *a, size_t *out_n);

#endif

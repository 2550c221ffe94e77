/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the timeline, for the screen and for a file. */
#ifndef TUI_VIEW_TIMELINE_H
#define TUI_VIEW_TIMELINE_H

#include "tui/state/scene.h"
#include "tui/words/style.h"

struct ui;

struct timeline_entry {
	int64_t time;		/* ms */
	uint64_t key;		/* the same entry has the same one when it is collected again */
	struct id id;		/* without a kind when only the name is known */
	struct str name, what;	/* "network/net", "Ready → Failed  OverQuota: ..." */
	enum style style;
	const char *source;	/* "observed", "condition", "history", "event", "object" */
};

/* An entry in the order of time: small, because there may be thousands. */
struct place_in_time {
	int64_t time;
	uint32_t entry;
};

/* What the lines of the open timeline show. */
struct shown_timeline {
	const struct timeline_entry *entries;
	const struct place_in_time *order; /* oldest first */
	size_t n;			   /* of order */
};

/* The entries of the open timeline that pass its filter, oldest first; all of it is in the arena. */
const struct timeline_entry *ui_timeline(const struct ui *ui, const struct scene *scene, struct arena *a, size_t *out_n);

#endif

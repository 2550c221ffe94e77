/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/views.h"

const struct view views[VIEW_COUNT] = {
	[VIEW_TABLE] = { .title = "table", .build = table_build, .fill = table_fill, .lists = true, .stops = true },
	[VIEW_PROBLEMS] = { .title = "problems", .build = problems_build, .ticks = true, .lists = true, .stops = true },
	[VIEW_TREE] = { .title = "tree", .build = tree_build, .ticks = true, .lists = true },
	[VIEW_WHY] = { .title = "why", .build = why_build, .ticks = true },
	[VIEW_TIMELINE] = { .title = "timeline", .build = timeline_build, .fill = timeline_fill, .lists = true, .follows = true, .stops = true },
	[VIEW_CHANGES] = { .title = "changes", .build = changes_build, .fill = changes_fill, .ticks = true, .lists = true, .follows = true },
	[VIEW_DETAIL] = { .title = "details", .build = detail_build, .ticks = true },
	[VIEW_HELP] = { .title = "keys", .build = help_build },
	[VIEW_PALETTE] = { .title = "go to", .build = palette_build, .lists = true },
	[VIEW_TEXT] = { .title = "to select and copy", .build = text_build },
	[VIEW_OUTPUT] = { .title = "output", .build = output_build },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of the selected resource on the screen. */
#include <string.h>

#include "tui/view/state.h"
#include "tui/view/tree.h"

enum { TREE_LINES = 4000 };

static const struct column columns[] = {
	{ .title = "RESOURCE", .min = 16, .want = 44, .max = 80, .grow = 1 },
	{ .title = "PHASE", .min = 14, .want = 14, .max = 14 },
	{ .title = "SINCE", .min = 5, .want = 5, .max = 5, .rank = 1, .right = true },
	{ .title = "RELATION", .min = 10, .want = 12, .max = 12, .rank = 3 },
	{ .title = "FIELD", .min = 30, .want = 30, .max = 50, .rank = 4, .grow = 1 },
	{ .title = "MESSAGE", .min = 16, .want = 30, .rank = 2, .grow = 2 },
};

static bool is_toggled(const void *ctx, uint64_t key)
{
	return ui_toggled(ctx, key);
}

static void add_direction(struct tree *t, struct handle h, enum tree_direction direction,
			  const char *title)
{
	lines_blank(t->lines);
	lines_heading(t->lines, title);
	memset(t->shown, 0, store_slots(t->store));
	if (tree_branches(t, h, direction) == 0)
		lines_note(t->lines, STR("  nothing that is known"));
}

void tree_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	struct handle h = ui_place(ui)->subject;
	struct tree t = {
		.graph = scene->graph,
		.store = scene->store,
		.now = scene->now,
		.lines = lines,
		.toggled = is_toggled,
		.ctx = ui,
		.limit = TREE_LINES,
	};

	ui->ncolumns = sizeof(columns) / sizeof(columns[0]);
	for (size_t i = 0; i < ui->ncolumns; i++)
		ui->columns[i] = columns[i];
	if (!store_alive(scene->store, h)) {
		lines_note(lines, STR(" It does not exist any more."));
		return;
	}
	t.shown = arena_alloc(&arena, store_slots(scene->store) + 1);
	tree_root(&t, h);
	add_direction(&t, h, TREE_DOWN, "  needs and owns");
	add_direction(&t, h, TREE_UP, "  is needed and owned by");
	arena_release(&arena);
}

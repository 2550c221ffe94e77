/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of the selected object, as a view. */
#include <string.h>

#include "tui/view/absent.h"
#include "tui/view/blocked.h"
#include "tui/view/views.h"
#include "tui/view/tree.h"

enum {
	TREE_LINES = 4000,
	NAME_SHARE = 42 /* percent of the screen that names have at most: what is said of them has the rest */
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
	t->number++;
	if (tree_branches(t, h, direction) == 0)
		lines_note(t->lines, STR("  nothing that is known"));
}

/*
 * Adds each root cause with the objects that wait for it; of a root cause that does not exist, an object that waits for
 * it.
 */
static void add_causes(struct tree *t, const struct scene *scene, struct arena *a)
{
	size_t n;
	const struct cause_group *causes = cause_groups_selected(scene, a, &n);

	for (size_t i = 0; i < n && t->lines->n < TREE_LINES; i++) {
		struct handle h = cause_example(t->graph, &causes[i]);
		bool is_cause = causes[i].what.id.handle.slot != 0;

		if (!store_alive(t->store, h))
			continue;
		if (t->lines->n)
			lines_blank(t->lines);
		t->number++;
		t->alike = causes[i].n;
		tree_root(t, h);
		tree_branches(t, h, is_cause ? TREE_UP : TREE_DOWN);
	}
}

static void tree_build(struct ui *ui, const struct scene *scene, struct lines *lines)
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

	ui->ncolumns = TREE_COLUMNS;
	memcpy(ui->columns, tree_columns, sizeof(tree_columns));
	ui->columns[0].max = (uint16_t)(ui->cols * NAME_SHARE / 100);
	if (ui->columns[0].max < ui->columns[0].min)
		ui->columns[0].max = ui->columns[0].min;
	if (h.slot && !store_alive(scene->store, h)) {
		lines_note(lines, absent_words(scene, ui_place(ui)->subject));
		return;
	}
	t.shown = arena_array(&arena, store_slots(scene->store) + 1, sizeof(*t.shown));
	if (h.slot) {
		tree_root(&t, h);
		add_direction(&t, h, TREE_DOWN, "  needs and owns");
		add_direction(&t, h, TREE_UP, "  is needed and owned by");
	} else {
		add_causes(&t, scene, &arena);
	}
	arena_release(&arena);
}

const struct view view_tree = {
	.title = "tree", .of_all = " of all root causes", .resumes = "tree", .build = tree_build, .ticks = true, .lists = true, .tells_well = true,
	.opens_by = ACTION_TREE, .of_subject = true,
};

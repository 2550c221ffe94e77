/* SPDX-License-Identifier: Apache-2.0 */
/* The keys, from the one table. */
#include "tui/view/state.h"

static void add_legend(struct lines *lines, struct arena *a)
{
	static const struct {
		enum phase phase;
		const char *text;
	} rows[] = {
		{ PHASE_FAILED, "stopped, or cannot reach its goal without a change: see why (w)" },
		{ PHASE_WAITING, "cannot go on until something else is there; that is named" },
		{ PHASE_PROVISIONING, "under way (also Updating, Maintenance, Scaling)" },
		{ PHASE_DEGRADED, "usable, but not as promised" },
		{ PHASE_DELETING, "is being deleted" },
		{ PHASE_SUSPENDED, "paused by a person or a policy" },
		{ PHASE_READY, "at its goal" },
		{ PHASE_UNKNOWN, "not enough information to say" },
	};

	lines_heading(lines, "Words");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct look *look = phase_look(rows[i].phase);

		lines_add(lines);
		lines_cell(lines, arena_printf(a, "%s %s", look->glyph, phase_name(rows[i].phase)),
			   look->style);
		lines_cell(lines, str_of(rows[i].text), STYLE_NORMAL);
	}
	lines_add(lines);
	lines_cell(lines, STR("!"), STYLE_WARN);
	lines_cell(lines, STR("behind an age: overdue, it has taken more than half an hour"),
		   STYLE_NORMAL);
}

void help_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	size_t n;
	const struct action_row *rows = action_rows(&n);

	(void)scene;
	ui->ncolumns = 2;
	ui->columns[0] = (struct column){ .title = "", .min = 14, .want = 18, .max = 18 };
	ui->columns[1] = (struct column){ .title = "", .min = 10, .want = 60, .grow = 1 };
	for (size_t i = 0; i < n; i++) {
		if (rows[i].action == ACTION_NONE) {
			if (i)
				lines_blank(lines);
			lines_heading(lines, rows[i].text);
			continue;
		}
		lines_add(lines);
		lines_cell(lines, bindings_keys(ui->bindings, rows[i].action), STYLE_KEY);
		lines_cell(lines, str_of(rows[i].text), STYLE_NORMAL);
	}
	lines_blank(lines);
	add_legend(lines, &arena);
	arena_release(&arena);
}

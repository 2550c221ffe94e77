/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/well_lines.h"

#include "tui/view/bars.h"
#include "tui/view/columns.h"
#include "tui/view/layout.h"
#include "tui/words/words.h"

bool well_add(const struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena a = { 0 };
	bool well = bar_is_well(ui, scene);

	if (well) {
		lines_wrap(lines, well_since(&ui->noted_causes->well, selection_words(scene->header, &a), &ui->observer, scene, &a), (struct text){ STR("  "), STR("  "), STYLE_GOOD },
			   ui_layout(ui).list_cols - 1);
		lines_blank(lines);
		for (size_t i = 0; i < lines->n; i++)
			lines->all[i].flags |= LINE_SPAN | LINE_HEADING;
	}
	arena_release(&a);
	return well;
}

const struct running_out *well_running_out(const struct ui *ui, const struct scene *scene, struct arena *a, size_t *out_n)
{
	const struct observer *o = ui_shown(ui, scene);
	struct handle *all = arena_array(a, o->run_out + 1, sizeof(*all));
	size_t n = 0;

	for (uint32_t slot = 1; slot < o->nslots && n < o->run_out; slot++)
		if (o->slots[slot].known && o->slots[slot].runs_out)
			all[n++] = store_node_handle(scene->store, slot);
	return runs_out_soon(scene->graph, all, n, scene->now, a, out_n);
}

void well_add_running_out(const struct ui *ui, const struct scene *scene, struct lines *lines)
{
	const struct kinds *kinds = store_kinds(scene->store);
	struct arena a = { 0 };
	size_t n;
	const struct running_out *all = well_running_out(ui, scene, &a, &n);

	for (size_t i = 0; i < n; i++) {
		const struct summary *s = &all[i].s;
		struct object_id id = store_node_id(scene->store, s->id.handle.slot);
		struct line *line;

		if (!i)
			lines_heading(lines, "  " RUNS_OUT);
		line = lines_add(lines);
		line->key = key_mix_str(key_of_name(&id), STR(RUNS_OUT));
		line->object = s->id.handle;
		line->flags = LINE_SPAN;
		lines_cell(lines, ARENA_JOIN(&a, STR("  "), str_of(phase_appearance(s->phase)->glyph), STR(" ")), phase_appearance(s->phase)->style);
		lines_cell(lines, name_on_screen(ui, kinds, &s->id, &a), STYLE_NORMAL);
		if (ui->observer.many_namespaces && s->id.ns.len)
			lines_cell(lines, ARENA_JOIN(&a, STR(" · "), s->id.ns), STYLE_DIM);
		lines_cell(lines, ARENA_JOIN(&a, STR("   "), all[i].words), STYLE_DIM);
	}
	if (n)
		lines_blank(lines);
	arena_release(&a);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The bars above the views of one resource: its name and verdict, its tabs. */
#include "tui/view/bars.h"
#include "tui/view/detail.h"
#include "tui/view/words.h"

static void add_part(struct bar *bar, struct str part, enum style style, uint8_t rank)
{
	struct chip chip = {
		.mark = { STR("·"), STR_NONE, STYLE_DIM },
		.text = { part, STR_NONE, style },
		.rank = rank,
	};

	if (part.len)
		bar_left(bar, chip);
}

static void add_name(const struct scene *scene, const struct id *id, struct bar *bar,
		     struct arena *a)
{
	bar_left_text(bar, words_id(store_kinds(scene->store), id, a), STYLE_STRONG, 0);
	add_part(bar, id->ns, STYLE_NORMAL, 5);
	add_part(bar, id->cluster, STYLE_NORMAL, 6);
}

static void add_verdict(const struct scene *scene, const struct summary *s, struct bar *bar,
			struct arena *a)
{
	const struct look *look = phase_look(s->phase);
	struct str age = words_age(s->since, scene->now, a);

	bar_right_text(bar, arena_printf(a, "%s %s", look->glyph, phase_name(s->phase)),
		       look->style, 1);
	if (age.len)
		bar_right_text(bar,
			       arena_printf(a, STR_FMT "%s", STR_ARG(age),
					    words_overdue(s, scene->now) ? "!" : ""),
			       STYLE_NORMAL, 2);
	bar_right_text(bar, str_of(severity_name(s->severity)), severity_style(s->severity), 8);
}

static void title_of_object(const struct scene *scene, struct handle h, struct bar *bar,
			    struct arena *a)
{
	struct object_id gone = store_node_id(scene->store, h.slot);
	struct id id = {
		.group = gone.kind->group, .kind = gone.kind->kind, .ns = gone.ns, .name = gone.name
	};
	struct item item;

	if (graph_item(scene->graph, h, a, &item)) {
		add_name(scene, &item.s.id, bar, a);
		add_part(bar, item.api_version, STYLE_DIM, 9);
		add_verdict(scene, &item.s, bar, a);
		return;
	}
	add_name(scene, &id, bar, a);
	bar_right_text(bar, STR("⊖ Gone"), STYLE_LEAVING, 1);
}

void bar_title(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	const char *of = place->subject.slot ? " of" : place->view == VIEW_HELP ? "" : " of all";

	bar->gap = 1;
	if (place->view != VIEW_DETAIL)
		bar_left_text(bar, arena_printf(a, "%s%s", view_of(place->view)->title, of),
			      STYLE_HEADING, 4);
	if (place->subject.slot)
		title_of_object(scene, place->subject, bar, a);
}

/* ---- tabs ------------------------------------------------------------------------ */

/* "1!" behind a tab where something is wrong. */
static size_t tab_alarms(const struct item *item, enum tab tab)
{
	size_t n = 0;

	switch ((int)tab) {
	case TAB_CONDITIONS:
		for (size_t i = 0; i < item->status.nconditions; i++)
			n += condition_normality(&item->status.conditions[i]) == NORMALITY_ABNORMAL;
		return n;
	case TAB_ASYNC:
		return item->status.async && str_is(item->status.async->class, "failed");
	case TAB_DEPENDENCIES:
		return item->nwaits;
	case TAB_DELETION:
		return item->deletion ? item->deletion->nfinalizers : 0;
	default:
		return 0;
	}
}

/* "[Dependencies 1!]"; what stands far from the open one goes first where room is scarce. */
static struct chip tab_chip(enum tab tab, enum tab open, size_t alarms, struct arena *a)
{
	const char *before = tab == open ? "[" : " ", *after = tab == open ? "]" : " ";
	struct chip chip = { .rank = (uint8_t)(tab > open ? tab - open : open - tab) };
	struct str alarm = alarms ? arena_printf(a, " %zu!", alarms) : STR_NONE;

	chip.text.style = tab == open ? STYLE_TAB : alarms ? STYLE_WARN : STYLE_NORMAL;
	chip.text.str = arena_printf(a, "%s%s" STR_FMT "%s", before, tab_title(tab, false),
				     STR_ARG(alarm), after);
	chip.text.brief =
		arena_printf(a, "%s%s%s%s", before, tab_title(tab, true), alarms ? "!" : "", after);
	return chip;
}

void bar_tabs(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	struct item item;
	bool known;

	bar->gap = 0;
	if (place->view != VIEW_DETAIL)
		return;
	known = graph_item(scene->graph, place->subject, a, &item);
	for (int i = 0; i < TAB_COUNT; i++) {
		enum tab tab = (enum tab)i;

		if (tab_exists(ui, scene, tab))
			bar_left(bar,
				 tab_chip(tab, place->tab, known ? tab_alarms(&item, tab) : 0, a));
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What each action does to the state of the user interface. */
#include <stdio.h>

#include "kube/base/time.h"
#include "tui/ui/act.h"
#include "tui/ui/alarm.h"
#include "tui/view/absent.h"
#include "tui/view/columns.h"
#include "tui/view/views.h"
#include "tui/words/words.h"

/* ---- moving ------------------------------------------------------------------- */

static long page(const struct ui *ui)
{
	long rows = ui_layout(ui).list_rows;

	return rows > 2 ? rows - 1 : 1;
}

static unsigned act_move(struct ui *ui, const struct scene *scene, enum action action)
{
	long n = page(ui), half = n > 1 ? (n + 1) / 2 : 1;

	(void)scene;
	switch ((int)action) {
	case ACTION_MOVE_DOWN:
		ui_move(ui, 1);
		break;
	case ACTION_MOVE_UP:
		ui_move(ui, -1);
		break;
	case ACTION_PAGE_DOWN:
		ui_move(ui, n);
		break;
	case ACTION_PAGE_UP:
		ui_move(ui, -n);
		break;
	case ACTION_HALF_DOWN:
		ui_move(ui, half);
		break;
	case ACTION_HALF_UP:
		ui_move(ui, -half);
		break;
	case ACTION_FIRST:
		ui_move_to(ui, 0);
		break;
	default:
		ui_move_to(ui, ui->lines.n);
		break;
	}
	return EFFECT_REPAINT;
}

/* ---- looking ------------------------------------------------------------------ */

static unsigned act_fold(struct ui *ui, const struct scene *scene, enum action action)
{
	struct place *place = ui_place(ui);
	size_t at = place->selected;

	if (!ui_selects(ui))
		return act_move(ui, scene, ACTION_PAGE_DOWN);
	(void)action;
	if (!ui_line(ui))
		return act_say(ui, scene, "nothing to fold here");
	/* Within an unfolded group, fold the group. */
	while (ui->lines.all[at].fold == FOLD_NONE && at > 0 &&
	       ui->lines.all[at].depth >= ui->lines.all[place->selected].depth &&
	       ui->lines.all[place->selected].depth)
		at--;
	if (ui->lines.all[at].fold == FOLD_NONE)
		return act_say(ui, scene, "nothing to fold here");
	ui_toggle_line(ui, &ui->lines.all[at]);
	ui_move_to(ui, at);
	ui_rearrange(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX;
}

static unsigned act_open(struct ui *ui, const struct scene *scene, enum action action)
{
	const struct line *line = ui_line(ui);
	struct handle next = absent_successor(scene, ui_place(ui)->subject);

	if (next.slot && !ui_reads_text(ui)) {
		ui_place(ui)->subject = next;
		return act_moved(ui);
	}
	/* The object that VIEW_WHY explains has details, too. */
	if (ui_view(ui) == VIEW_WHY && ui_place(ui)->subject.slot)
		return act_go(ui, VIEW_DETAIL, ui_place(ui)->subject);
	if (ui_unfolds(ui))
		return act_fold(ui, scene, action);
	if (ui_named(ui).slot || (line && line->object.slot))
		return act_go(ui, VIEW_DETAIL, ui_named(ui).slot ? ui_named(ui) : line->object);
	if (ui_absent(ui).slot)
		return act_go(ui, VIEW_DETAIL, ui_absent(ui));
	return act_say(ui, scene, "there is nothing to open");
}

static unsigned group_by(struct ui *ui, const struct scene *scene, enum group_by group, size_t label)
{
	static const char *const groups[GROUP_COUNT] = { "not grouped", "grouped by root cause",
							 "grouped by namespace", "grouped by application",
							 "grouped by node", "grouped by label", "grouped by owner" };

	ui->group = group;
	ui->label = label;
	ui_rearrange(ui);
	return act_say(ui, scene, groups[group]) | EFFECT_REINDEX;
}

static unsigned act_back(struct ui *ui, const struct scene *scene, enum action action)
{
	struct place *place = ui_place(ui);

	(void)action;
	/*
	 * While a context is connected to, Esc gives it up.  For the first context there is nothing to go back to and
	 * the program ends, so within another view Esc then only leaves that view.
	 */
	if (scene->header->opening.len && (!ui->depth || !str_eq(scene->header->opening, scene->header->context)))
		return EFFECT_CANCEL | EFFECT_REPAINT;
	if (place->filter[0] && (place->filtered || !ui->depth) && (1u << ui_view(ui) & IN_FILTER)) {
		ui_drop_filter(ui);
		return act_moved(ui);
	}
	if (place->search[0] && ui_reads_text(ui)) {
		place->search[0] = '\0';
		return act_moved(ui);
	}
	if (place->view == VIEW_TABLE && ui->depth == 0 && ui->group != GROUP_NONE)
		return group_by(ui, scene, GROUP_NONE, 0);
	if (ui->depth == 0 && ui->nformer)
		return palette_former_scope(ui);
	if (ui->depth == 0)
		return act_say(ui, scene, "q quits");
	return act_leave(ui);
}

/* A shorter history is not worth a question. */
#define HISTORY_LEAST MINUTES(5)

/* Returns how long changes of a cluster were observed that nothing but this session has kept, ms; 0: there are none. */
static int64_t lost_history(const struct ui *ui, const struct scene *scene)
{
	enum link link = scene->header->link;
	int64_t now = scene->latest ? scene->latest : scene->now;

	if (link == LINK_FILES || link == LINK_REPLAY || scene->recorded || !scene->history_from ||
	    observe_oldest(&ui->observer, scene) >= ui->observer.count || now - scene->history_from < HISTORY_LEAST)
		return 0;
	return now - scene->history_from;
}

static unsigned act_close(struct ui *ui, const struct scene *scene, enum action action)
{
	int64_t lost = ui->depth || ui->asked_to_quit ? 0 : lost_history(ui, scene);
	char text[80];

	(void)action;
	if (ui->depth)
		return act_leave(ui);
	if (!lost)
		return EFFECT_QUIT;
	ui->asked_to_quit = true;
	snprintf(text, sizeof(text), "q again quits; %lld %s of history are lost",
		 (long long)(lost < HOURS(2) ? lost / MINUTES(1) : lost / HOURS(1)), lost < HOURS(2) ? "min" : "hours");
	return act_say(ui, scene, text);
}

/* ---- pins ----------------------------------------------------------------------- */

static unsigned take_pin_back(struct ui *ui, const struct scene *scene, size_t at)
{
	struct arena a = { 0 };
	struct str name = words_id(store_kinds(scene->store), &ui->pins.all[at].id, &a);

	ui_say(ui, ARENA_JOIN(&a, name, STR(" is not pinned any more")), scene->clock);
	arena_release(&a);
	pins_remove(&ui->pins, at);
	ui_note_causes(ui, scene);
	ui_rearrange(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX | EFFECT_PINS;
}

static unsigned add_pin(struct ui *ui, const struct scene *scene, const struct id *id)
{
	if (!pins_add(&ui->pins, id))
		return act_say(ui, scene, "there is no room for more pins: press * on a pinned resource to take its pin back");
	pins_find(&ui->pins, scene);
	ui_note_causes(ui, scene);
	ui_rearrange(ui);
	act_say(ui, scene, "pinned to the top, marked with *: * takes it back");
	return EFFECT_REPAINT | EFFECT_REINDEX | EFFECT_PINS;
}

/* Pins what the row stands for: an object, what owns all objects of the row, or a namespace. */
static unsigned act_pin(struct ui *ui, const struct scene *scene, enum action action)
{
	const struct line *line = ui_line(ui);
	struct str ns = line ? ui_group_namespace(ui, line) : STR_NONE;
	size_t at = line ? ui_pin_of(ui, scene, line) : pins_of(&ui->pins, ui_subject(ui));
	struct handle h = line && line->count > 1 && line->of.slot ? line->of : ui_subject(ui);
	struct id id;

	(void)action;
	if (at < ui->pins.n)
		return take_pin_back(ui, scene, at);
	if (ns.len) {
		id = (struct id){ .kind = STR("Namespace"), .name = ns, .cluster = line->texts->cluster };
		return add_pin(ui, scene, &id);
	}
	/* An object that does not exist cannot be pinned, and its row must not pin the object that refers to it. */
	if (ui_absent(ui).slot)
		return act_say(ui, scene, "it does not exist: there is nothing to pin");
	if (!store_alive(scene->store, h))
		return act_say(ui, scene, "select a resource first");
	if (handle_eq(h, ui_subject(ui)) && ui_alike(ui) > 1 && ui_unfolds(ui))
		return act_say(ui, scene, "a pin is for one resource: unfold the row");
	id = graph_id(scene->graph, h.slot);
	return add_pin(ui, scene, &id);
}

static unsigned act_sort(struct ui *ui, const struct scene *scene, enum action action)
{
	char text[64];

	(void)action;
	do
		ui->sort = (enum sort)((ui->sort + 1) % SORT_COUNT);
	while (sort_by_use(ui->sort) && !columns_have(scene->columns, sort_name(ui->sort)));
	snprintf(text, sizeof(text), "sorted by: %s", sort_name(ui->sort));
	ui_rearrange(ui);
	return act_say(ui, scene, text) | EFFECT_REINDEX;
}

unsigned act_sort_by(struct ui *ui, const struct scene *scene, enum sort sort)
{
	char text[64];

	if (ui->sort != sort) {
		ui->sort = sort;
		ui->reverse = false;
	} else if (!ui->reverse) {
		ui->reverse = true;
	} else {
		ui->sort = SORT_WORST;
		ui->reverse = false;
	}
	snprintf(text, sizeof(text), "sorted by: %s%s", sort_name(ui->sort), ui->reverse ? ", reversed" : "");
	ui_rearrange(ui);
	return act_say(ui, scene, text) | EFFECT_REINDEX;
}

static unsigned act_filter(struct ui *ui, const struct scene *scene, enum action action)
{
	const struct place *place = ui_place(ui);

	(void)action;
	if (place->view == VIEW_DETAIL && !ui_reads_text(ui))
		return act_say(ui, scene, "/ searches in YAML and Logs");
	ui->prompt = ui_reads_text(ui) ? PROMPT_SEARCH : PROMPT_FILTER;
	if (ui->prompt == PROMPT_FILTER)
		ui_begin_filter(ui);
	if (!ui_is_large(ui))
		ui_dirty(ui);
	return EFFECT_REPAINT;
}

/* The owner is the last one, after the labels of -L. */
unsigned act_group(struct ui *ui, const struct scene *scene, size_t n)
{
	size_t label = n < GROUP_LABEL ? 0 : n - GROUP_LABEL;
	enum group_by group = n < GROUP_LABEL ? (enum group_by)n : label < scene->nlabels ? GROUP_LABEL : GROUP_OWNER;

	if (group == GROUP_OWNER && label > scene->nlabels)
		return act_say(ui, scene, "-L KEY makes a column to group by");
	if (group == GROUP_OWNER && !scene_has_owners(scene))
		return act_say(ui, scene, "nothing names an owner: the preference owner says which labels do");
	if (group == GROUP_OWNER)
		label = 0;
	if (ui->group == group && ui->label == label)
		return group_by(ui, scene, GROUP_NONE, 0);
	return group_by(ui, scene, group, label);
}

static unsigned act_order(struct ui *ui, const struct scene *scene, enum action action)
{
	enum group_by next = (enum group_by)((ui->group + 1) % GROUP_COUNT);

	if (action == ACTION_REVERSE) {
		ui->reverse = !ui->reverse;
		ui_rearrange(ui);
		return act_say(ui, scene, ui->reverse ? "order reversed" : "usual order") | EFFECT_REINDEX;
	}
	if (ui->group == GROUP_LABEL && ui->label + 1 < scene->nlabels)
		return group_by(ui, scene, GROUP_LABEL, ui->label + 1);
	if (next == GROUP_LABEL && !scene->nlabels)
		next = GROUP_OWNER;
	if (next == GROUP_OWNER && !scene_has_owners(scene))
		next = GROUP_NONE;
	return group_by(ui, scene, next, 0);
}

static unsigned act_preview(struct ui *ui, const struct scene *scene, enum action action)
{
	(void)action;
	ui->preview = ui_previews(ui) ? PREVIEW_OFF : PREVIEW_ON;
	memset(&ui->steady_widths, 0, sizeof(ui->steady_widths));
	if (ui_previews(ui) && ui_layout(ui).preview_rows == 0)
		act_say(ui, scene, "there is no room for a preview");
	return act_moved(ui);
}

static unsigned act_scroll(struct ui *ui, const struct scene *scene, enum action action)
{
	enum { STEP = 16, MOST = 512 };

	(void)scene;
	ui->scroll += action == ACTION_SCROLL_RIGHT ? STEP : -STEP;
	if (ui->scroll < 0)
		ui->scroll = 0;
	if (ui->scroll > MOST)
		ui->scroll = MOST;
	return EFFECT_REPAINT;
}

/* ---- the program ------------------------------------------------------------------ */

static unsigned act_program(struct ui *ui, const struct scene *scene, enum action action)
{
	(void)scene;
	switch ((int)action) {
	case ACTION_REDRAW:
		return act_moved(ui) | EFFECT_REDRAW;
	case ACTION_SUSPEND:
		return EFFECT_SUSPEND | EFFECT_REDRAW | EFFECT_REPAINT;
	default:
		return EFFECT_QUIT;
	}
}

static act_function *const acts[ACTION_COUNT] = {
	[ACTION_OPEN] = act_open,
	[ACTION_LOG] = act_log,
	[ACTION_BACK] = act_back,
	[ACTION_FILTER] = act_filter,
	[ACTION_NEXT_PROBLEM] = act_walk,
	[ACTION_PREVIOUS_PROBLEM] = act_walk,
	[ACTION_PIN] = act_pin,
	[ACTION_SORT] = act_sort,
	[ACTION_FOLD] = act_fold,
	[ACTION_MOVE_DOWN] = act_move,
	[ACTION_MOVE_UP] = act_move,
	[ACTION_PAGE_DOWN] = act_move,
	[ACTION_PAGE_UP] = act_move,
	[ACTION_HALF_DOWN] = act_move,
	[ACTION_HALF_UP] = act_move,
	[ACTION_FIRST] = act_move,
	[ACTION_LAST] = act_move,
	[ACTION_COPY] = act_copy,
	[ACTION_COPY_COMMAND] = act_copy,
	[ACTION_PAUSE] = act_seek,
	[ACTION_STEP_BACK] = act_seek,
	[ACTION_STEP_FORWARD] = act_seek,
	[ACTION_MINUTE_BACK] = act_seek,
	[ACTION_MINUTE_FORWARD] = act_seek,
	[ACTION_REDRAW] = act_program,
	[ACTION_SUSPEND] = act_program,
	[ACTION_QUIT] = act_program,
	[ACTION_CLOSE] = act_close,
	[ACTION_PALETTE] = act_palette,
	[ACTION_ALL_NAMESPACES] = act_palette,
	[ACTION_COPY_MARKDOWN] = act_markdown,
	[ACTION_HAND_OVER] = act_hand_over,
	[ACTION_RUN] = act_run,
	[ACTION_ACKNOWLEDGE] = act_acknowledge,
	[ACTION_REVERSE] = act_order,
	[ACTION_GROUP] = act_order,
	[ACTION_PREVIEW] = act_preview,
	[ACTION_SCROLL_RIGHT] = act_scroll,
	[ACTION_SCROLL_LEFT] = act_scroll,
};

/* Opens a view for the subject; of all objects that are not well when the row stands for no object. */
static unsigned open_subject(struct ui *ui, const struct scene *scene, enum view_id id)
{
	if (ui_view(ui) == id && ui_place(ui)->subject.slot == ui_subject(ui).slot)
		return act_say(ui, scene, "it is shown already");
	ui_go_subject(ui, id);
	return act_moved(ui);
}

/* Opens the view with that key, and from it goes back.  Returns false when the key opens none. */
static bool open_view(struct ui *ui, const struct scene *scene, enum action action, unsigned *out_effects)
{
	int id = 0;

	while (id < VIEW_COUNT && ui->views[id]->opens_by != action)
		id++;
	if (id == VIEW_COUNT)
		return false;
	if (ui->views[id]->of_subject)
		*out_effects = open_subject(ui, scene, (enum view_id)id);
	else if ((int)ui_view(ui) == id)
		*out_effects = act_back(ui, scene, action);
	else if (ui->views[id]->open)
		*out_effects = ui->views[id]->open(ui, scene);
	else
		*out_effects = act_go(ui, (enum view_id)id, HANDLE_NONE);
	return true;
}

unsigned ui_act(struct ui *ui, const struct scene *scene, enum action action)
{
	const struct view *view = ui_open_view(ui);
	unsigned effects = 0;

	if (action == ACTION_NONE || action >= ACTION_COUNT)
		return 0;
	ui->asked_to_quit &= action == ACTION_CLOSE;
	if ((view->act && view->act(ui, scene, action, &effects)) || open_view(ui, scene, action, &effects))
		return effects;
	return acts[action] ? acts[action](ui, scene, action) : 0;
}

unsigned ui_set_tab(struct ui *ui, const struct scene *scene, size_t n)
{
	for (int tab = 0; tab < TAB_COUNT; tab++)
		if (tab_exists(scene, ui_place(ui)->subject, (enum tab)tab) && n-- == 0)
			return act_set_tab(ui, (enum tab)tab);
	return act_say(ui, scene, "there are not so many tabs");
}

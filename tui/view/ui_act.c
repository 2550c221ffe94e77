/* SPDX-License-Identifier: Apache-2.0 */
/* What each action does. */
#include <stdio.h>
#include <string.h>

#include "kube/base/utf8.h"
#include "tui/view/state.h"
#include "tui/view/words.h"

enum { CHAIN = 32 };

/* After a change of place or tab: perhaps something must be read. */
static unsigned moved(struct ui *ui)
{
	struct handle h;

	ui_dirty(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX |
	       (ui_wants(ui, &h) != WANT_NOTHING ? EFFECT_FETCH : 0);
}

static unsigned go(struct ui *ui, enum view_id view, struct handle subject)
{
	ui_go(ui, view, subject);
	return moved(ui);
}

static unsigned say(struct ui *ui, const struct scene *scene, const char *text)
{
	ui_say(ui, str_of(text), scene->now);
	return EFFECT_REPAINT;
}

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

	(void)action;
	if (!ui_line(ui))
		return 0;
	/* Within an open fold: that one. */
	while (ui->lines.all[at].fold == FOLD_NONE && at > 0 &&
	       ui->lines.all[at].depth >= ui->lines.all[place->selected].depth &&
	       ui->lines.all[place->selected].depth)
		at--;
	if (ui->lines.all[at].fold == FOLD_NONE)
		return say(ui, scene, "nothing to fold here");
	ui_toggle(ui, ui->lines.all[at].key);
	ui_move_to(ui, at);
	ui_dirty(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX;
}

static unsigned act_open(struct ui *ui, const struct scene *scene, enum action action)
{
	const struct line *line = ui_line(ui);
	bool folded = line && line->fold != FOLD_NONE;

	if (!line)
		return 0;
	/* A row that stands for many, or for nothing that exists, unfolds. */
	if (folded && (line->count || !line->object.slot))
		return act_fold(ui, scene, action);
	if (!line->object.slot)
		return say(ui, scene, "there is nothing to open");
	if (ui_view(ui) == VIEW_DETAIL)
		ui_place(ui)->tab = TAB_OVERVIEW;
	return go(ui, VIEW_DETAIL, line->object);
}

static unsigned act_subject(struct ui *ui, const struct scene *scene, enum action action)
{
	struct handle h = ui_subject(ui);
	enum view_id view = action == ACTION_WHY ? VIEW_WHY : VIEW_TREE;

	if (!h.slot)
		return say(ui, scene, "select a resource first");
	if (ui_view(ui) == view && ui_place(ui)->subject.slot == h.slot)
		return say(ui, scene, "this is it");
	return go(ui, view, h);
}

static unsigned act_back(struct ui *ui, const struct scene *scene, enum action action)
{
	(void)action;
	if (ui->filter[0] && (1u << ui_view(ui) & IN_FILTER)) {
		ui->filter[0] = '\0';
		return moved(ui);
	}
	if (ui->depth == 0)
		return say(ui, scene, "q quits");
	ui->depth--;
	return moved(ui);
}

static unsigned act_problems(struct ui *ui, const struct scene *scene, enum action action)
{
	if (ui_view(ui) == VIEW_PROBLEMS)
		return act_back(ui, scene, action);
	return go(ui, VIEW_PROBLEMS, HANDLE_NONE);
}

/* Of all from the lists, of the open resource from its views; again: the other one. */
static unsigned act_timeline(struct ui *ui, const struct scene *scene, enum action action)
{
	struct place *place = ui_place(ui);
	struct handle h = ui_subject(ui);

	(void)action;
	if (place->view != VIEW_TIMELINE)
		return go(ui, VIEW_TIMELINE, place->subject);
	if (!place->subject.slot && !h.slot)
		return say(ui, scene, "select an entry of a resource first");
	place->subject = place->subject.slot ? HANDLE_NONE : h;
	return moved(ui);
}

static unsigned act_help(struct ui *ui, const struct scene *scene, enum action action)
{
	if (ui_view(ui) == VIEW_HELP)
		return act_back(ui, scene, action);
	return go(ui, VIEW_HELP, HANDLE_NONE);
}

/* ---- tabs --------------------------------------------------------------------- */

static unsigned set_tab(struct ui *ui, enum tab tab)
{
	struct place *place = ui_place(ui);

	if (place->tab == tab)
		return 0;
	place->tab = tab;
	place->selected = place->top = 0;
	place->key = 0;
	place->object = HANDLE_NONE;
	place->moved = false;
	return moved(ui);
}

static unsigned act_tab(struct ui *ui, const struct scene *scene, enum action action)
{
	int tab = (int)ui_place(ui)->tab, step = action == ACTION_TAB_NEXT ? 1 : TAB_COUNT - 1;

	do {
		tab = (tab + step) % TAB_COUNT;
	} while (!tab_exists(ui, scene, (enum tab)tab));
	return set_tab(ui, (enum tab)tab);
}

/* ---- finding -------------------------------------------------------------------- */

static bool is_problem(const struct scene *scene, struct handle h)
{
	struct summary s;

	return graph_summary(scene->graph, h, &s) && s.severity != SEVERITY_NONE;
}

/* The next line that stands for another problem; lines.n when there is none. */
static size_t next_problem(const struct ui *ui, const struct scene *scene,
			   const struct place *place, bool down)
{
	size_t n = ui->lines.n;

	for (size_t i = 1; i <= n; i++) {
		size_t at = (place->selected + (down ? i : n - i)) % n;
		const struct line *line = &ui->lines.all[at];

		if (!(line->flags & LINE_HEADING) && at != place->selected &&
		    is_problem(scene, line->object))
			return at;
	}
	return n;
}

static unsigned act_walk(struct ui *ui, const struct scene *scene, enum action action)
{
	bool detail = ui_view(ui) == VIEW_DETAIL && ui->depth > 0;
	enum tab tab = ui_place(ui)->tab;
	size_t at;

	/* From details on to the details of the next one in the list they were opened from. */
	if (detail) {
		ui->depth--;
		ui_dirty(ui);
		ui_refresh(ui, scene);
	}
	at = ui->lines.n ? next_problem(ui, scene, ui_place(ui), action == ACTION_NEXT_PROBLEM) : 0;
	if (at < ui->lines.n)
		ui_move_to(ui, at);
	if (detail) {
		ui_go(ui, VIEW_DETAIL, ui_subject(ui));
		ui_place(ui)->tab = tab;
	}
	if (at >= ui->lines.n)
		say(ui, scene, "no other problem");
	return detail ? moved(ui) : EFFECT_REPAINT;
}

/* The first line that stands for an object; lines.n when it has none. */
static size_t line_of(const struct ui *ui, struct handle h)
{
	for (size_t i = 0; i < ui->lines.n; i++)
		if (ui->lines.all[i].object.slot == h.slot &&
		    ui->lines.all[i].object.gen == h.gen &&
		    !(ui->lines.all[i].flags & LINE_HEADING))
			return i;
	return ui->lines.n;
}

static unsigned act_cause(struct ui *ui, const struct scene *scene, enum action action)
{
	struct arena arena = { 0 };
	struct wait *chain = arena_array(&arena, CHAIN, sizeof(*chain));
	struct handle from = ui_subject(ui), to = HANDLE_NONE;
	size_t n = from.slot ? graph_chain(scene->graph, from, chain, CHAIN) : 0, at;
	unsigned effects;

	(void)action;
	if (n > CHAIN)
		n = CHAIN;
	for (size_t i = n; i-- > 0 && !to.slot;)
		to = chain[i].on.handle;
	if (n)
		ui_say(ui,
		       arena_printf(&arena, "root cause: " STR_FMT,
				    STR_ARG(words_wait(store_kinds(scene->store), &chain[n - 1],
						       &arena))),
		       scene->now);
	else
		ui_say(ui, STR("it waits for nothing"), scene->now);
	arena_release(&arena);
	if (!to.slot || (to.slot == from.slot && to.gen == from.gen))
		return EFFECT_REPAINT;
	at = line_of(ui, to);
	effects = EFFECT_REPAINT;
	if (at < ui->lines.n && ui_view(ui) != VIEW_DETAIL)
		ui_move_to(ui, at);
	else
		effects = go(ui, VIEW_DETAIL, to);
	return effects;
}

static unsigned act_sort(struct ui *ui, const struct scene *scene, enum action action)
{
	char text[64];

	(void)action;
	ui->sort = (enum sort)((ui->sort + 1) % SORT_COUNT);
	snprintf(text, sizeof(text), "sorted by: %s", sort_name(ui->sort));
	ui_dirty(ui);
	return say(ui, scene, text) | EFFECT_REINDEX;
}

static unsigned act_filter(struct ui *ui, const struct scene *scene, enum action action)
{
	(void)scene;
	(void)action;
	ui->prompt = true;
	ui_dirty(ui);
	return EFFECT_REPAINT;
}

/* ---- copying -------------------------------------------------------------------- */

/* What is pasted into a shell must not press Enter there. */
static void copy_clean(struct buf *out, struct str s)
{
	char bytes[4];

	for (size_t at = 0; at < s.len;) {
		uint32_t rune = utf8_next(s, &at);

		buf_add(out, utf8_hostile(rune) ? STR(" ")
						: (struct str){ bytes, utf8_put(rune, bytes) });
	}
}

/* The newest entries that fit, a line each. */
static void copy_timeline(struct ui *ui)
{
	size_t first = ui->lines.n, bytes = 0;

	while (first > 0) {
		const struct line *line = &ui->lines.all[first - 1];

		for (size_t k = 0; k < line->ncells; k++)
			bytes += line->cells[k].str.len + 2;
		if (bytes > COPY_BYTES)
			break;
		first--;
	}
	for (size_t i = first; i < ui->lines.n; i++) {
		const struct line *line = &ui->lines.all[i];

		for (size_t k = 0; k < line->ncells; k++) {
			if (k)
				buf_add_cstr(&ui->copy, "  ");
			copy_clean(&ui->copy, line->cells[k].str);
		}
		buf_add_char(&ui->copy, '\n');
	}
}

static struct str copy_words(struct ui *ui, const struct item *item, enum action action,
			     struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	const struct async *async = item->status.async;

	if (action == ACTION_COPY_COMMAND)
		return words_look(&item->s.id, WAIT_NONE, item->s.reason, a);
	if (place->view == VIEW_DETAIL && place->tab == TAB_ASYNC && async)
		return async->work_request_id.len ? async->work_request_id : async->request_id;
	return item->s.id.name;
}

static unsigned act_copy(struct ui *ui, const struct scene *scene, enum action action)
{
	struct arena a = { 0 };
	struct item item;
	unsigned effects = EFFECT_COPY | EFFECT_REPAINT;

	buf_reset(&ui->copy);
	ui->copy.max = 2 * COPY_BYTES;
	if (ui_view(ui) == VIEW_TIMELINE && action == ACTION_COPY) {
		copy_timeline(ui);
		say(ui, scene, "copied the timeline");
	} else if (!graph_item(scene->graph, ui_subject(ui), &a, &item)) {
		effects = say(ui, scene, "nothing to copy here");
	} else {
		struct str words = copy_words(ui, &item, action, &a);

		copy_clean(&ui->copy, words);
		ui_say(ui, arena_printf(&a, "copied: " STR_FMT, STR_ARG(words)), scene->now);
		if (words.len == 0)
			effects = say(ui, scene, "nothing to copy here");
	}
	arena_release(&a);
	return effects;
}

/* ---- the program ------------------------------------------------------------------ */

static unsigned act_program(struct ui *ui, const struct scene *scene, enum action action)
{
	(void)scene;
	switch ((int)action) {
	case ACTION_REDRAW:
		return moved(ui) | EFFECT_REDRAW;
	case ACTION_SUSPEND:
		return EFFECT_SUSPEND | EFFECT_REDRAW | EFFECT_REPAINT;
	default:
		return EFFECT_QUIT;
	}
}

typedef unsigned act_function(struct ui *ui, const struct scene *scene, enum action action);

static act_function *const acts[ACTION_COUNT] = {
	[ACTION_OPEN] = act_open,
	[ACTION_WHY] = act_subject,
	[ACTION_TREE] = act_subject,
	[ACTION_PROBLEMS] = act_problems,
	[ACTION_TIMELINE] = act_timeline,
	[ACTION_BACK] = act_back,
	[ACTION_TAB_NEXT] = act_tab,
	[ACTION_TAB_PREVIOUS] = act_tab,
	[ACTION_FILTER] = act_filter,
	[ACTION_NEXT_PROBLEM] = act_walk,
	[ACTION_PREVIOUS_PROBLEM] = act_walk,
	[ACTION_CAUSE] = act_cause,
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
	[ACTION_REDRAW] = act_program,
	[ACTION_HELP] = act_help,
	[ACTION_SUSPEND] = act_program,
	[ACTION_QUIT] = act_program,
};

unsigned ui_act(struct ui *ui, const struct scene *scene, enum action action)
{
	if (action >= ACTION_COUNT || !acts[action])
		return 0;
	return acts[action](ui, scene, action);
}

unsigned ui_set_tab(struct ui *ui, const struct scene *scene, size_t n)
{
	for (int tab = 0; tab < TAB_COUNT; tab++)
		if (tab_exists(ui, scene, (enum tab)tab) && n-- == 0)
			return set_tab(ui, (enum tab)tab);
	return 0;
}

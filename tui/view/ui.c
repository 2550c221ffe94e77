/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state: places, folds, keeping the selection while the world changes; what each
 * action does; and which key or click means which.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/base/utf8.h"
#include "tui/view/blocked.h"
#include "tui/view/filter.h"
#include "tui/view/markdown.h"
#include "tui/view/state.h"
#include "tui/view/words.h"

#define SAY SECONDS(4)
/* A scan costs a microsecond per object; it may take a tenth of the time. */
#define SCAN_PER_MS 100
#define TICK SECONDS(1)

static const struct view views[VIEW_COUNT] = {
	[VIEW_TABLE] = { "table", table_build, table_fill, false, true, false },
	[VIEW_PROBLEMS] = { "problems", problems_build, NULL, true, true, false },
	[VIEW_TREE] = { "tree", tree_build, NULL, true, true, false },
	[VIEW_WHY] = { "why", why_build, NULL, true, false, false },
	[VIEW_TIMELINE] = { "timeline", timeline_build, NULL, false, true, true },
	[VIEW_DETAIL] = { "details", detail_build, NULL, true, false, false },
	[VIEW_HELP] = { "keys", help_build, NULL, false, false, false },
	[VIEW_PALETTE] = { "go to", palette_build, NULL, false, true, false },
	[VIEW_TEXT] = { "to select and copy", text_build, NULL, false, false, false },
};

const struct view *view_of(enum view_id id)
{
	return &views[id];
}

struct ui *ui_new(void)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));

	ui->rows = 24;
	ui->cols = 80;
	ui->changed = true;
	ui->dirty = true;
	return ui;
}

void ui_free(struct ui *ui)
{
	if (!ui)
		return;
	observer_release(&ui->seen);
	arena_release(&ui->arena);
	buf_release(&ui->copy);
	xfree(ui->causes);
	xfree(ui->passed.slots);
	arena_release(&ui->noted.arena);
	xfree(ui);
}

void ui_reset(struct ui *ui)
{
	observer_release(&ui->seen);
	arena_reset(&ui->arena);
	ui->lines = (struct lines){ .arena = &ui->arena };
	ui->places[0] = (struct place){ .view = VIEW_TABLE };
	ui->depth = 0;
	ui->prompt = PROMPT_NONE;
	ui->matches = NULL;
	ui->nmatches = ui->ntoggled = ui->ncauses = 0;
	ui->causes_known = false;
	ui->passed.text[0] = '\0';
	ui->answer = 0;
	memset(ui->steady, 0, sizeof(ui->steady));
	ui->changed = ui->dirty = true;
}

struct place *ui_place(struct ui *ui)
{
	return &ui->places[ui->depth];
}

const struct place *ui_place_const(const struct ui *ui)
{
	return &ui->places[ui->depth];
}

enum view_id ui_view(const struct ui *ui)
{
	return ui_place_const(ui)->view;
}

struct str ui_filter(const struct ui *ui)
{
	return str_of(ui->filter);
}

void ui_dirty(struct ui *ui)
{
	ui->dirty = true;
}

void ui_changed(struct ui *ui)
{
	ui->passed.text[0] = '\0';
	ui->changed = true;
}

void ui_bind(struct ui *ui, const struct bindings *bindings)
{
	ui->bindings = bindings;
}

void ui_sort_by(struct ui *ui, struct str name)
{
	sort_parse(name, &ui->sort);
}

void ui_settings(const struct ui *ui, struct buf *out)
{
	buf_printf(out, "sort=%s group=%d%s%s", sort_name(ui->sort), (int)ui->group, ui->reverse ? " reverse" : "",
		   ui->preview ? " preview" : "");
}

void ui_set_settings(struct ui *ui, struct str settings)
{
	struct str word;
	int64_t n;

	while (str_split(&settings, ' ', &word)) {
		if (str_starts(word, "sort="))
			sort_parse(str_from(word, 5), &ui->sort);
		else if (str_starts(word, "group=") && str_to_int(str_from(word, 6), &n) && n > 0 && n < GROUP_LABEL)
			ui->group = (enum group_by)n;
		else if (str_is(word, "reverse"))
			ui->reverse = true;
		else if (str_is(word, "preview"))
			ui->preview = true;
	}
}

void ui_resize(struct ui *ui, int rows, int cols)
{
	ui->rows = rows < 1 ? 1 : rows;
	ui->cols = cols < 1 ? 1 : cols;
	memset(ui->steady, 0, sizeof(ui->steady));
	ui->dirty = true;
	ui->echo = false;
}

void ui_say(struct ui *ui, struct str text, int64_t now)
{
	size_t n = text.len;

	/* Not within a character. */
	for (n = n < SAY_BYTES ? n : SAY_BYTES - 1;
	     n > 0 && n < text.len && ((unsigned char)text.ptr[n] & 0xC0) == 0x80;)
		n--;
	if (n)
		memcpy(ui->say, text.ptr, n);
	ui->say[n] = '\0';
	ui->say_until = now + SAY;
}

struct str ui_copy_text(const struct ui *ui)
{
	return buf_str(&ui->copy);
}

/* ---- folds -------------------------------------------------------------------- */

bool ui_toggled(const struct ui *ui, uint64_t key)
{
	for (size_t i = 0; i < ui->ntoggled; i++)
		if (ui->toggled[i] == key)
			return true;
	return false;
}

void ui_toggle(struct ui *ui, uint64_t key)
{
	for (size_t i = 0; i < ui->ntoggled; i++)
		if (ui->toggled[i] == key) {
			ui->toggled[i] = ui->toggled[--ui->ntoggled];
			return;
		}
	if (ui->ntoggled == TOGGLED) { /* the oldest is forgotten */
		memmove(ui->toggled, ui->toggled + 1, (TOGGLED - 1) * sizeof(ui->toggled[0]));
		ui->ntoggled--;
	}
	ui->toggled[ui->ntoggled++] = key;
}

/* ---- places ------------------------------------------------------------------- */

void ui_go(struct ui *ui, enum view_id view, struct handle subject)
{
	if (ui->depth + 1 == PLACES) { /* the start stays, the oldest step is forgotten */
		memmove(ui->places + 1, ui->places + 2, (PLACES - 2) * sizeof(ui->places[0]));
		ui->depth--;
	}
	ui_place(ui)->left = true;
	ui_place(ui)->left_top = ui_place(ui)->top;
	ui_place(ui)->left_selected = ui_place(ui)->selected;
	ui->depth++;
	*ui_place(ui) = (struct place){ .view = view, .subject = subject };
	ui->dirty = true;
	ui->echo = false;
}

/* ---- the selection ------------------------------------------------------------- */

static bool ui_selects(const struct ui *ui)
{
	const struct place *place = ui_place_const(ui);

	return views[place->view].lists || (place->view == VIEW_DETAIL && tab_lists(place->tab));
}

const struct line *ui_line(const struct ui *ui)
{
	const struct place *place = ui_place_const(ui);

	if (!ui_selects(ui) || place->selected >= ui->lines.n ||
	    (ui->lines.all[place->selected].flags & LINE_HEADING))
		return NULL;
	return &ui->lines.all[place->selected];
}

struct handle ui_selected(const struct ui *ui)
{
	const struct line *line = ui_line(ui);

	return line ? line->object : HANDLE_NONE;
}

struct handle ui_subject(const struct ui *ui)
{
	const struct line *line = ui_line(ui);

	if (line && line->object.slot)
		return line->object;
	if (line && line->texts && line->texts->waiter.slot)
		return line->texts->waiter;
	return ui_place_const(ui)->subject;
}

static size_t list_rows(const struct ui *ui)
{
	struct layout layout = ui_layout(ui);

	return layout.list_rows > 0 ? (size_t)layout.list_rows : 1;
}

/* The next line from at in the direction of step that can be selected; at when there is none. */
static size_t selectable(const struct ui *ui, size_t at, int step)
{
	size_t i = at;

	while (i < ui->lines.n && (ui->lines.all[i].flags & LINE_HEADING)) {
		if (step < 0 && i == 0)
			return at;
		i += step < 0 ? (size_t)-1 : 1;
	}
	return i < ui->lines.n ? i : at;
}

static void note_selection(struct ui *ui)
{
	struct place *place = ui_place(ui);
	const struct line *line = ui_line(ui);

	place->key = line ? line->key : 0;
	place->object = line ? line->object : HANDLE_NONE;
}

/* Scrolls so that the selection is on the screen, with what is above a first line (its heading). */
static void scroll_to_selection(struct ui *ui)
{
	struct place *place = ui_place(ui);
	size_t rows = list_rows(ui);

	if (place->selected < place->top)
		place->top = place->selected;
	if (place->selected >= place->top + rows)
		place->top = place->selected - rows + 1;
	if (selectable(ui, 0, 1) == place->selected && place->selected < rows)
		place->top = 0;
}

/* Keeps selection and scroll position inside. */
static void ui_clamp(struct ui *ui)
{
	struct place *place = ui_place(ui);
	size_t rows = list_rows(ui), last = ui->lines.n > rows ? ui->lines.n - rows : 0;

	if (place->selected >= ui->lines.n)
		place->selected = ui->lines.n ? ui->lines.n - 1 : 0;
	if (ui_selects(ui)) {
		size_t down = selectable(ui, place->selected, 1);

		place->selected = down == place->selected ? selectable(ui, down, -1) : down;
		scroll_to_selection(ui);
	}
	if (place->top > last)
		place->top = last;
	if (!ui_selects(ui))
		place->selected = place->top;
	note_selection(ui);
}

void ui_move_to(struct ui *ui, size_t line)
{
	struct place *place = ui_place(ui);

	place->moved = !views[place->view].follows || line + 1 < ui->lines.n;
	if (!ui_selects(ui)) {
		place->top = line;
	} else {
		int step = line < place->selected ? -1 : 1;

		place->selected = selectable(ui,
					     line < ui->lines.n ? line
					     : ui->lines.n	? ui->lines.n - 1
								: 0,
					     step);
	}
	ui_clamp(ui);
	/* A log is followed from its end on. */
	if (place->view == VIEW_DETAIL && place->tab == TAB_LOGS)
		place->moved = place->top + list_rows(ui) < ui->lines.n;
}

void ui_move(struct ui *ui, long n)
{
	size_t at = ui_place(ui)->selected, to;

	if (n < 0)
		to = at < (size_t)-n ? 0 : at - (size_t)-n;
	else
		to = at + (size_t)n;
	ui_move_to(ui, to);
}

/* The line with that key, or of that object; lines.n when there is none. */
static size_t find_line(const struct ui *ui, uint64_t key, struct handle object)
{
	size_t found = ui->lines.n;

	for (size_t i = 0; i < ui->lines.n; i++) {
		const struct line *line = &ui->lines.all[i];

		if (line->flags & LINE_HEADING)
			continue;
		if (key && line->key == key)
			return i;
		if (found == ui->lines.n && object.slot && line->object.slot == object.slot &&
		    line->object.gen == object.gen)
			found = i;
	}
	return found;
}

static bool is_log(const struct place *place)
{
	return place->view == VIEW_DETAIL && place->tab == TAB_LOGS;
}

bool ui_follows(const struct ui *ui)
{
	return is_log(ui_place_const(ui)) && !ui->no_follow && !ui_place_const(ui)->moved;
}

/* Finds the place's line again after a rebuild. */
static void ui_restore(struct ui *ui, size_t row_before)
{
	struct place *place = ui_place(ui);
	size_t found = ui->lines.n;

	if (place->left && !ui->loading) {
		place->left = false;
		place->top = place->left_top;
		place->selected = place->left_selected;
		row_before = place->selected > place->top ? place->selected - place->top : 0;
	}
	if (!ui_selects(ui) || !place->moved) {
		if (ui_selects(ui))
			place->selected =
				views[place->view].follows && ui->lines.n ? ui->lines.n - 1 : 0;
		else if (is_log(place) && !place->moved)
			place->top = ui->log_end > list_rows(ui) ? ui->log_end - list_rows(ui) : 0;
		ui_clamp(ui);
		return;
	}
	found = find_line(ui, place->key, place->object);
	if (found == ui->lines.n && ui->holder)
		found = find_line(ui, ui->holder, HANDLE_NONE);
	if (found < ui->lines.n) {
		place->selected = found;
		/* The line stays where the eye is, unless the list stands at its top. */
		if (place->top > 0)
			place->top = found > row_before ? found - row_before : 0;
	}
	ui_clamp(ui);
}

/* ---- refresh ------------------------------------------------------------------- */

static bool scan_is_due(const struct ui *ui, int64_t now)
{
	int64_t pause = (int64_t)ui->seen.total / SCAN_PER_MS;

	return ui->changed && (now >= ui->scanned + pause || now < ui->scanned);
}

static int compare_keys(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

/* A root cause that was not there before is an alarm; what the first lists brought is none. */
static void note_new_causes(struct ui *ui, const struct scene *scene, const struct cause_group *causes, size_t n)
{
	struct arena a = { 0 };
	uint64_t *keys = xreallocarray(NULL, n + 1, sizeof(*keys));

	for (size_t i = 0; i < n; i++) {
		keys[i] = cause_key(&causes[i]);
		if (ui->causes_known && causes[i].what.severity >= SEVERITY_WARNING && !ui->alarm[0] &&
		    !bsearch(&keys[i], ui->causes, ui->ncauses, sizeof(*keys), compare_keys))
			snprintf(ui->alarm, sizeof(ui->alarm), "%zu root cause%s, new: " STR_FMT, n, words_plural(n),
				 STR_ARG(str_head(cause_title(store_kinds(scene->store), &causes[i], true, &a), 80)));
	}
	qsort(keys, n, sizeof(*keys), compare_keys);
	xfree(ui->causes);
	ui->causes = keys;
	ui->ncauses = n;
	ui->causes_known = true;
	arena_release(&a);
}

static void look_at_causes(struct ui *ui, const struct scene *scene)
{
	struct arena a = { 0 };
	size_t n;
	const struct cause_group *causes = cause_groups_selected(scene, &a, &n);

	if (ui->seen.settled)
		note_new_causes(ui, scene, causes, n);
	note_causes(ui, scene, causes, n);
	arena_release(&a);
}

void ui_observe(struct ui *ui, const struct scene *scene)
{
	observe_scan(&ui->seen, scene);
	look_at_causes(ui, scene);
	ui->changed = ui->echo = false;
	ui->passed.text[0] = '\0';
	ui->scanned = scene->now;
	ui->dirty = true;
}

bool ui_hold(const struct ui *ui, struct store *store)
{
	if (ui->changed)
		return false;
	for (size_t i = 0; i <= ui->depth; i++) {
		store_hold(store, ui->places[i].subject.slot);
		store_hold(store, ui->places[i].object.slot);
	}
	for (size_t i = 0; i < ui->seen.ntombs; i++)
		store_hold(store, ui->seen.tombs[i].handle.slot);
	return true;
}

/* Where all cells are known, columns want to be as wide as their widest. */
static void measure_columns(struct ui *ui)
{
	for (size_t k = 0; k < ui->ncolumns; k++) {
		struct column *column = &ui->columns[k];
		int widest = text_width(str_of(column->title));

		for (size_t i = 0; i < ui->lines.n; i++) {
			const struct line *line = &ui->lines.all[i];

			/* The last of too few cells goes over several columns. */
			if (line->flags & LINE_SPAN || line->ncells <= k ||
			    (line->ncells == k + 1 && k + 1 < ui->ncolumns))
				continue;
			if (text_width(line->cells[k].str) > widest)
				widest = text_width(line->cells[k].str);
		}
		if (column->max && widest > column->max)
			widest = column->max;
		column->want = (uint16_t)(widest < 1000 ? widest : 1000);
		if (column->want < column->min && !column->rank)
			column->min = column->want;
	}
}

static void build(struct ui *ui, const struct scene *scene)
{
	struct place *place = ui_place(ui);
	size_t row_before = place->selected > place->top ? place->selected - place->top : 0;

	arena_reset(&ui->arena);
	ui->lines = (struct lines){ .arena = &ui->arena };
	ui->holder = 0;
	ui->ncolumns = 0;
	ui->note = STR_NONE;
	views[place->view].build(ui, scene, &ui->lines);
	if (!views[place->view].fill)
		measure_columns(ui);
	ui->dirty = false;
	ui->built = scene->now;
	ui_restore(ui, row_before);
}

/* Differs when the program has fetched something else. */
static uint64_t answer_key(const struct fetched *f)
{
	if (!f)
		return 0;
	return key_mix(key_mix(key_mix(key_of_handle(f->handle),
				       (uint64_t)f->want << 8 | (uint64_t)f->state),
			       f->text.len),
		       f->nevents);
}

void ui_refresh(struct ui *ui, const struct scene *scene)
{
	const struct view *view = &views[ui_view(ui)];

	ui->refreshed = scene->now;
	if (scene->clock >= ui->say_until)
		ui->say_until = 0;
	if (scan_is_due(ui, scene->now))
		ui_observe(ui, scene);
	if (ui->answer != answer_key(scene->fetched)) {
		ui->answer = answer_key(scene->fetched);
		ui->dirty = true;
	}
	if (observe_expire(&ui->seen, scene->clock))
		ui->dirty = true;
	if (view->ticks && (scene->now >= ui->built + TICK || scene->now < ui->built))
		ui->dirty = true;
	if (ui->dirty && !ui->echo)
		build(ui, scene);
	ui->echo = false;
}

bool ui_lags(const struct ui *ui)
{
	return ui->dirty;
}

int64_t ui_deadline(const struct ui *ui, int64_t now)
{
	int64_t next = ui->refreshed + TICK,
		scan = ui->scanned + (int64_t)ui->seen.total / SCAN_PER_MS;

	if (ui->changed && scan < next)
		next = scan;
	/* A clock that was set back: at once. */
	return next > now + TICK ? now : next;
}

int64_t ui_say_deadline(const struct ui *ui)
{
	return ui->say_until;
}

const char *ui_wrong(const struct ui *ui)
{
	const struct place *place = ui_place_const(ui);

	if (ui->depth >= PLACES || ui->places[0].view != VIEW_TABLE)
		return "places";
	if (ui->lines.n ? place->selected >= ui->lines.n : place->selected)
		return "selected";
	if (ui_selects(ui) && ui->lines.n &&
	    (place->selected < place->top || place->selected >= place->top + list_rows(ui)))
		return "scroll";
	if (ui->ntoggled > TOGGLED || ui->ncolumns > LINE_CELLS ||
	    strlen(ui->filter) >= FILTER_BYTES)
		return "sizes";
	return NULL;
}

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
	ui_say(ui, str_of(text), scene->clock);
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

bool ui_unfolds(const struct ui *ui)
{
	const struct line *line = ui_line(ui);

	return line && line->fold != FOLD_NONE && (line->count || !line->object.slot);
}

static unsigned act_open(struct ui *ui, const struct scene *scene, enum action action)
{
	const struct line *line = ui_line(ui);

	if (!line)
		return 0;
	if (ui_unfolds(ui))
		return act_fold(ui, scene, action);
	if (!line->object.slot)
		return say(ui, scene, "there is nothing to open");
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

static unsigned leave(struct ui *ui)
{
	ui->depth--;
	ui->prompt = PROMPT_NONE;
	ui->scroll = 0;
	return moved(ui);
}

static unsigned act_back(struct ui *ui, const struct scene *scene, enum action action)
{
	struct place *place = ui_place(ui);

	(void)action;
	if (place->jump && ui->depth)
		return leave(ui);
	if (ui->filter[0] && (1u << ui_view(ui) & IN_FILTER)) {
		ui->filter[0] = '\0';
		return moved(ui);
	}
	if (ui->search[0] && place->view == VIEW_DETAIL && tab_is_text(place->tab)) {
		ui->search[0] = '\0';
		return moved(ui);
	}
	if (ui->depth == 0)
		return say(ui, scene, "q quits");
	return leave(ui);
}

static unsigned act_close(struct ui *ui, const struct scene *scene, enum action action)
{
	(void)scene;
	(void)action;
	return ui->depth ? leave(ui) : EFFECT_QUIT;
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

static bool line_has(const struct line *line, struct str word)
{
	for (size_t i = 0; i < line->ncells; i++)
		if (line->cells[i].style == STYLE_MATCH && text_contains(line->cells[i].str, word))
			return true;
	return false;
}

/* The next line, from what is at the top of the screen on, that has what was searched for. */
static unsigned find_next(struct ui *ui, const struct scene *scene, bool down)
{
	size_t n, from;

	ui_dirty(ui);
	ui_refresh(ui, scene);
	n = ui->lines.n;
	from = ui_place(ui)->top;
	for (size_t i = 1; i <= n; i++) {
		size_t at = (from + (down ? i : n - i)) % n;

		if (line_has(&ui->lines.all[at], str_of(ui->search))) {
			ui_move_to(ui, at);
			return EFFECT_REPAINT;
		}
	}
	return say(ui, scene, "not found");
}

static unsigned act_walk(struct ui *ui, const struct scene *scene, enum action action)
{
	bool detail = ui_view(ui) == VIEW_DETAIL && ui->depth > 0;
	enum tab tab = ui_place(ui)->tab;
	size_t at;

	if (ui_view(ui) == VIEW_DETAIL && tab_is_text(tab) && ui->search[0])
		return find_next(ui, scene, action == ACTION_NEXT_PROBLEM);
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

/* To another row of the same list, from where back returns to this one. */
static void jump(struct ui *ui, size_t line)
{
	struct place here = *ui_place(ui);

	ui_go(ui, here.view, here.subject);
	*ui_place(ui) = here;
	ui_place(ui)->jump = true;
	ui_move_to(ui, line);
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
						       &arena))), scene->clock);
	else
		ui_say(ui, STR("it waits for nothing"), scene->clock);
	arena_release(&arena);
	if (!to.slot || (to.slot == from.slot && to.gen == from.gen))
		return EFFECT_REPAINT;
	at = line_of(ui, to);
	effects = EFFECT_REPAINT;
	if (at < ui->lines.n && ui_view(ui) != VIEW_DETAIL)
		jump(ui, at);
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
	const struct place *place = ui_place(ui);

	(void)action;
	if (place->view == VIEW_DETAIL && !tab_is_text(place->tab))
		return say(ui, scene, "/ searches in YAML and Logs");
	ui->prompt = place->view == VIEW_DETAIL ? PROMPT_SEARCH : PROMPT_FILTER;
	ui->remembered = 0;
	ui_dirty(ui);
	return EFFECT_REPAINT;
}

static unsigned act_order(struct ui *ui, const struct scene *scene, enum action action)
{
	static const char *const groups[GROUP_COUNT] = { "not grouped", "grouped by root cause",
							 "grouped by namespace", "grouped by application",
							 "grouped by node", "grouped by label" };

	if (action == ACTION_REVERSE) {
		ui->reverse = !ui->reverse;
		ui_dirty(ui);
		return say(ui, scene, ui->reverse ? "order reversed" : "order as usual") | EFFECT_REINDEX;
	}
	if (ui->group == GROUP_LABEL && ui->label + 1 < scene->nlabels) {
		ui->label++;
	} else {
		ui->group = (enum group_by)((ui->group + 1) % GROUP_COUNT);
		ui->label = 0;
	}
	if (ui->group == GROUP_LABEL && !scene->nlabels)
		ui->group = GROUP_NONE;
	ui_dirty(ui);
	return say(ui, scene, groups[ui->group]) | EFFECT_REINDEX;
}

static unsigned act_toggle(struct ui *ui, const struct scene *scene, enum action action)
{
	enum tab tab = ui_place(ui)->tab;

	if (action == ACTION_PREVIEW) {
		ui->preview = !ui->preview;
		if (ui->preview && ui_layout(ui).preview_rows == 0)
			say(ui, scene, "there is no room for a preview");
	} else if (action == ACTION_FOLLOW && tab == TAB_LOGS) {
		ui->no_follow = !ui->no_follow;
		if (!ui->no_follow)
			ui_move_to(ui, ui->lines.n);
		say(ui, scene, ui->no_follow ? "not following" : "following");
	} else if (action == ACTION_MANAGED_FIELDS && tab == TAB_YAML) {
		ui->managed_fields = !ui->managed_fields;
	} else {
		return say(ui, scene, action == ACTION_FOLLOW ? "f follows in Logs" : "m is for YAML");
	}
	return moved(ui);
}

static unsigned act_container(struct ui *ui, const struct scene *scene, enum action action)
{
	size_t n = logs_containers(scene->fetched);

	if (ui_place(ui)->tab != TAB_LOGS)
		return say(ui, scene, "< and > choose the container in Logs");
	if (n < 2)
		return say(ui, scene, "there is but one container");
	ui->container = (ui->container + (action == ACTION_CONTAINER_NEXT ? 1 : n)) % (n + 1);
	ui_place(ui)->moved = false;
	return moved(ui);
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

/* ---- the palette ------------------------------------------------------------------ */

/* What is shown is another world: its rows, widths and causes are new, and no news. */
static void begin_scope(struct ui *ui)
{
	observer_begin(&ui->seen);
	memset(ui->steady, 0, sizeof(ui->steady));
	ui->causes_known = false;
	ui->changed = true;
	ui_dirty(ui);
}

static unsigned act_palette(struct ui *ui, const struct scene *scene, enum action action)
{
	if (action == ACTION_ALL_NAMESPACES) {
		ui->scope = (struct scope){ .what = SCOPE_NAMESPACE, .name = STR_NONE };
		begin_scope(ui);
		say(ui, scene, "all namespaces");
		return EFFECT_SCOPE | EFFECT_REPAINT;
	}
	if (ui_view(ui) == VIEW_PALETTE)
		return 0;
	ui->wanted[0] = '\0';
	ui->prompt = PROMPT_PALETTE;
	return go(ui, VIEW_PALETTE, HANDLE_NONE);
}

static void copy_str(char *out, size_t size, struct str s)
{
	size_t n = s.len < size ? s.len : size - 1;

	if (n)
		memcpy(out, s.ptr, n);
	out[n] = '\0';
}

static unsigned choose_scope(struct ui *ui, struct scope scope)
{
	/* The list starts at its top: rows are others. */
	ui->depth = 0;
	ui->places[0] = (struct place){ .view = ui->places[0].view };
	copy_str(ui->scope_name, sizeof(ui->scope_name), scope.name);
	scope.name = str_of(ui->scope_name);
	ui->scope = scope;
	begin_scope(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX | (scope.what == SCOPE_CONTEXT ? EFFECT_CONTEXT : EFFECT_SCOPE);
}

static unsigned choose_match(struct ui *ui, const struct scene *scene)
{
	size_t at = ui_place(ui)->selected;
	struct match m;

	if (at >= ui->nmatches)
		return say(ui, scene, "nothing is found");
	m = ui->matches[at];
	leave(ui);
	switch (m.what) {
	case FOUND_ACTION:
		ui_refresh(ui, scene);
		return ui_act(ui, scene, m.action) | EFFECT_REPAINT;
	case FOUND_NAMESPACE:
		return choose_scope(ui, (struct scope){ .what = SCOPE_NAMESPACE, .name = m.name });
	case FOUND_CONTEXT:
		return choose_scope(ui, (struct scope){ .what = SCOPE_CONTEXT, .name = m.name });
	case FOUND_KIND:
		return choose_scope(ui, (struct scope){ .what = SCOPE_KIND, .kind = m.kind });
	case FOUND_OBJECT:
		break;
	}
	return go(ui, VIEW_DETAIL, m.object);
}

struct scope ui_scope(const struct ui *ui)
{
	return ui->scope;
}

/* ---- copying -------------------------------------------------------------------- */

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
			clean_text(&ui->copy, line->cells[k].str);
		}
		buf_add_char(&ui->copy, '\n');
	}
}

static struct str copy_words(struct ui *ui, const struct scene *scene, enum action action, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	const struct line *line = ui_line(ui);
	const struct async *async;
	struct item item;

	if (line && line->texts)
		return action == ACTION_COPY ? line->texts->name : line->texts->look;
	if (!graph_item(scene->graph, ui_subject(ui), a, &item))
		return STR_NONE;
	async = item.status.async;
	if (action == ACTION_COPY_COMMAND)
		return words_look(scene->graph, &item.s.id, WAIT_NONE, item.s.reason, a);
	if (place->view == VIEW_DETAIL && place->tab == TAB_ASYNC && async)
		return async->work_request_id.len ? async->work_request_id : async->request_id;
	return item.s.id.name;
}

static unsigned act_copy(struct ui *ui, const struct scene *scene, enum action action)
{
	struct arena a = { 0 };
	struct str words;

	buf_reset(&ui->copy);
	ui->copy.max = 2 * COPY_BYTES;
	if (ui_view(ui) == VIEW_TIMELINE && action == ACTION_COPY) {
		copy_timeline(ui);
		say(ui, scene, "copied the timeline");
		return EFFECT_COPY | EFFECT_REPAINT;
	}
	words = copy_words(ui, scene, action, &a);
	if (words.len) {
		clean_text(&ui->copy, words);
		ui_say(ui, arena_printf(&a, "copied: " STR_FMT, STR_ARG(words)), scene->clock);
	} else {
		say(ui, scene, "nothing to copy here");
	}
	arena_release(&a);
	return ui->copy.len ? EFFECT_COPY | EFFECT_REPAINT : EFFECT_REPAINT;
}

static unsigned act_markdown(struct ui *ui, const struct scene *scene, enum action action)
{
	bool one = ui_view(ui) == VIEW_DETAIL || ui_view(ui) == VIEW_WHY || ui_view(ui) == VIEW_TREE;

	(void)action;
	buf_reset(&ui->copy);
	ui->copy.max = 2 * COPY_BYTES;
	if (!one)
		markdown_incident(scene, &ui->copy);
	else if (!markdown_object(scene, ui_place(ui)->subject, &ui->copy))
		return say(ui, scene, "nothing to copy here");
	say(ui, scene, one ? "copied as Markdown: this cause" : "copied as Markdown: the incident");
	return EFFECT_COPY | EFFECT_REPAINT;
}

static unsigned act_run(struct ui *ui, const struct scene *scene, enum action action)
{
	enum link link = scene->header->link;
	struct arena a = { 0 };
	struct str command;

	(void)action;
	if (link == LINK_FILES || link == LINK_REPLAY)
		return say(ui, scene, "there is no cluster to ask: files and recordings only show");
	command = copy_words(ui, scene, ACTION_COPY_COMMAND, &a);
	buf_reset(&ui->copy);
	ui->copy.max = 2 * COPY_BYTES;
	clean_text(&ui->copy, command);
	arena_release(&a);
	if (!ui->copy.len)
		return say(ui, scene, "there is no command for this row");
	return EFFECT_RUN | EFFECT_REPAINT;
}

static unsigned act_editor(struct ui *ui, const struct scene *scene, enum action action)
{
	const struct fetched *f = scene->fetched;

	(void)action;
	if (!tab_is_text(ui_place(ui)->tab) || !f || f->state != FETCH_OK || !f->text.len)
		return say(ui, scene, "e opens YAML and Logs in $EDITOR");
	return EFFECT_EDIT | EFFECT_REPAINT;
}

void ui_show_copy(struct ui *ui)
{
	ui_go(ui, VIEW_TEXT, HANDLE_NONE);
}

void text_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	(void)scene;
	lines_wrap(lines, buf_str(&ui->copy), (struct text){ STR(" "), STR(" "), STYLE_NORMAL }, ui->cols - 1);
}

/* ---- root causes: new ones, and those that somebody looks after ----------------------- */

bool ui_acknowledged(const struct ui *ui, uint64_t cause, uint64_t state)
{
	for (size_t i = 0; i < ui->nacked; i++)
		if (ui->acked[i].cause == cause && ui->acked[i].state == state)
			return true;
	return false;
}

static void acknowledge(struct ui *ui, uint64_t cause, uint64_t state)
{
	for (size_t i = 0; i < ui->nacked; i++)
		if (ui->acked[i].cause == cause) {
			if (ui->acked[i].state == state)
				ui->acked[i] = ui->acked[--ui->nacked];
			else
				ui->acked[i].state = state;
			return;
		}
	if (ui->nacked == ACKNOWLEDGED)
		memmove(ui->acked, ui->acked + 1, --ui->nacked * sizeof(ui->acked[0]));
	ui->acked[ui->nacked++] = (struct acknowledged){ cause, state };
}

/* The cause in the selected row, or the one that the selected object waits for or is. */
static unsigned act_acknowledge(struct ui *ui, const struct scene *scene, enum action action)
{
	struct arena a = { 0 };
	const struct line *line = ui_line(ui);
	size_t n, found;
	const struct cause_group *causes = cause_groups_selected(scene, &a, &n);
	struct handle h = ui_subject(ui);

	(void)action;
	for (found = 0; found < n; found++)
		if (line && ui_view(ui) == VIEW_PROBLEMS && line->key == cause_key(&causes[found]))
			break;
	for (size_t i = 0; found == n && h.slot && i < n; i++)
		if (cause_concerns(scene->graph, &causes[i], h)) {
			found = i;
			break;
		}
	if (found < n)
		acknowledge(ui, cause_key(&causes[found]), cause_state(&causes[found]));
	say(ui, scene,
	    found == n ? "select a root cause, or what waits for one" :
	    ui_acknowledged(ui, cause_key(&causes[found]), cause_state(&causes[found])) ?
			 "acknowledged: it stands at the end of Problems until it changes" :
			 "not acknowledged any more");
	arena_release(&a);
	ui_dirty(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX;
}

struct str ui_alarm(struct ui *ui)
{
	/* The text stays for the caller; it is told once. */
	struct str alarm = str_of(ui->alarm);

	if (!alarm.len)
		return STR_NONE;
	copy_str(ui->alarm_told, sizeof(ui->alarm_told), alarm);
	ui->alarm[0] = '\0';
	return str_of(ui->alarm_told);
}

/* ---- the program ------------------------------------------------------------------ */

static unsigned act_program(struct ui *ui, const struct scene *scene, enum action action)
{
	switch ((int)action) {
	case ACTION_PAUSE:
		if (scene->header->link != LINK_REPLAY)
			return say(ui, scene, "only a recording can be stopped");
		return EFFECT_PAUSE | EFFECT_REPAINT;
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
	[ACTION_PAUSE] = act_program,
	[ACTION_REDRAW] = act_program,
	[ACTION_HELP] = act_help,
	[ACTION_SUSPEND] = act_program,
	[ACTION_QUIT] = act_program,
	[ACTION_CLOSE] = act_close,
	[ACTION_PALETTE] = act_palette,
	[ACTION_ALL_NAMESPACES] = act_palette,
	[ACTION_COPY_MARKDOWN] = act_markdown,
	[ACTION_RUN] = act_run,
	[ACTION_ACKNOWLEDGE] = act_acknowledge,
	[ACTION_REVERSE] = act_order,
	[ACTION_GROUP] = act_order,
	[ACTION_PREVIEW] = act_toggle,
	[ACTION_FOLLOW] = act_toggle,
	[ACTION_MANAGED_FIELDS] = act_toggle,
	[ACTION_CONTAINER_NEXT] = act_container,
	[ACTION_CONTAINER_PREVIOUS] = act_container,
	[ACTION_EDITOR] = act_editor,
	[ACTION_SCROLL_RIGHT] = act_scroll,
	[ACTION_SCROLL_LEFT] = act_scroll,
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

enum { WHEEL = 3 };

/* ---- the prompt ------------------------------------------------------------------ */

enum { MANY = 5000 }; /* objects; among fewer the lines are there as soon as what was typed */

/* What is being typed; NULL: nothing. */
static char *typed(struct ui *ui)
{
	switch (ui->prompt) {
	case PROMPT_FILTER:
		return ui->filter;
	case PROMPT_SEARCH:
		return ui->search;
	case PROMPT_PALETTE:
		return ui->wanted;
	case PROMPT_NONE:
		break;
	}
	return NULL;
}

static unsigned edited(struct ui *ui)
{
	struct place *place = ui_place(ui);

	/* The best match is at the top; of a text the first one behind what is shown. */
	if (ui->prompt != PROMPT_SEARCH) {
		place->moved = false;
		place->selected = place->top = 0;
	}
	ui_dirty(ui);
	ui->echo = ui->prompt != PROMPT_SEARCH && ui->seen.total >= MANY;
	return EFFECT_REPAINT | EFFECT_REINDEX;
}

static void erase_rune(char *text)
{
	size_t n = strlen(text);

	while (n > 0 && ((unsigned char)text[n - 1] & 0xC0) == 0x80)
		n--;
	text[n ? n - 1 : 0] = '\0';
}

static void erase_word(char *text)
{
	size_t n = strlen(text);

	while (n > 0 && text[n - 1] == ' ')
		n--;
	while (n > 0 && text[n - 1] != ' ')
		n--;
	text[n] = '\0';
}

/* One filter back (older) or forward in what was typed before. */
static unsigned recall(struct ui *ui, int step)
{
	size_t to = ui->remembered + (step > 0 ? 1 : (size_t)-1);

	if (ui->prompt != PROMPT_FILTER || (step < 0 && ui->remembered == 0) || to > ui->nhistory)
		return 0;
	ui->remembered = to;
	copy_str(ui->filter, sizeof(ui->filter), to ? str_of(ui->history[to - 1]) : STR_NONE);
	return edited(ui);
}

static void remember_filter(struct ui *ui)
{
	size_t at = 0;

	if (!ui->filter[0])
		return;
	while (at < ui->nhistory && strcmp(ui->history[at], ui->filter) != 0)
		at++;
	if (at == ui->nhistory && ui->nhistory < HISTORY)
		ui->nhistory++;
	if (at == HISTORY)
		at--;
	memmove(ui->history[1], ui->history[0], at * sizeof(ui->history[0]));
	copy_str(ui->history[0], sizeof(ui->history[0]), str_of(ui->filter));
}

static unsigned prompt_rune(struct ui *ui, char *text, const struct key *key)
{
	size_t n = strlen(text), bytes;
	char utf8[4];

	if (key->ctrl) {
		if (key->rune == 'u')
			text[0] = '\0';
		else if (key->rune == 'w')
			erase_word(text);
		else if (key->rune == 'h')
			erase_rune(text);
		else if (key->rune == 'p' || key->rune == 'n')
			return recall(ui, key->rune == 'p' ? 1 : -1);
		else
			return 0;
		return edited(ui);
	}
	bytes = utf8_put(key->rune, utf8);
	if (utf8_hostile(key->rune) || n + bytes >= FILTER_BYTES)
		return 0;
	memcpy(text + n, utf8, bytes);
	text[n + bytes] = '\0';
	return edited(ui);
}

static unsigned end_prompt(struct ui *ui, const struct scene *scene, bool keep)
{
	enum prompt prompt = ui->prompt;
	char *text = typed(ui);

	if (prompt == PROMPT_PALETTE)
		return keep ? choose_match(ui, scene) : leave(ui);
	ui->prompt = PROMPT_NONE;
	if (!keep)
		text[0] = '\0';
	else if (prompt == PROMPT_FILTER)
		remember_filter(ui);
	if (prompt == PROMPT_SEARCH && keep)
		return find_next(ui, scene, true);
	return edited(ui);
}

/* Arrows move the selection; upwards in an empty filter they find the one before. */
static bool prompt_arrow(struct ui *ui, const struct key *key, unsigned *out_effects)
{
	if (key->input == INPUT_TAB && ui->prompt == PROMPT_PALETTE) {
		ui_move(ui, 1);
		return true;
	}
	if (key->input == INPUT_UP && ui->prompt == PROMPT_FILTER && (!ui->filter[0] || ui->remembered)) {
		*out_effects = recall(ui, 1);
		return true;
	}
	if (key->input == INPUT_DOWN && ui->remembered) {
		*out_effects = recall(ui, -1);
		return true;
	}
	return false;
}

/* True when the prompt used the key. */
static bool prompt_key(struct ui *ui, const struct scene *scene, const struct key *key, unsigned *out_effects)
{
	char *text = typed(ui);

	*out_effects = EFFECT_REPAINT;
	switch ((int)key->input) {
	case INPUT_RUNE:
		/* ^C and ^Z are for the program also here. */
		if (key->ctrl && (key->rune == 'c' || key->rune == 'z' || key->rune == 'l'))
			return false;
		*out_effects = prompt_rune(ui, text, key);
		return true;
	case INPUT_BACKSPACE:
		if (text[0] == '\0') {
			*out_effects = end_prompt(ui, scene, false);
			return true;
		}
		erase_rune(text);
		*out_effects = edited(ui);
		return true;
	case INPUT_ENTER:
	case INPUT_ESCAPE:
		*out_effects = end_prompt(ui, scene, key->input == INPUT_ENTER);
		return true;
	default:
		return prompt_arrow(ui, key, out_effects); /* others move the selection */
	}
}

/* ---- the mouse -------------------------------------------------------------------- */

static unsigned click(struct ui *ui, const struct scene *scene, const struct key *key)
{
	struct layout layout = ui_layout(ui);
	size_t line = ui_place(ui)->top + (size_t)(key->row - layout.list);
	bool same;

	for (size_t i = 0; i < ui->hits.n; i++) {
		const struct hit *hit = &ui->hits.all[i];

		if (key->row != hit->row || key->col < hit->col || key->col >= hit->col + hit->width)
			continue;
		return hit->tab ? set_tab(ui, (enum tab)(hit->tab - 1)) : ui_act(ui, scene, hit->action);
	}
	if (layout.list_cols <= key->col)
		return 0;

	if (key->row < layout.list || key->row >= layout.list + layout.list_rows ||
	    line >= ui->lines.n)
		return 0;
	same = line == ui_place(ui)->selected;
	if (!view_of(ui_view(ui))->lists &&
	    !(ui_view(ui) == VIEW_DETAIL && tab_lists(ui_place(ui)->tab)))
		return 0;
	ui_move_to(ui, line);
	if (key->col < 2 && ui->lines.all[line].fold != FOLD_NONE)
		return ui_act(ui, scene, ACTION_FOLD);
	if (key->input == INPUT_DOUBLE_CLICK || same)
		return ui_act(ui, scene, ACTION_OPEN);
	return EFFECT_REPAINT;
}

/* True when the mouse, or the terminal itself, had something to say. */
static bool mouse_key(struct ui *ui, const struct scene *scene, const struct key *key,
		      unsigned *out_effects)
{
	*out_effects = EFFECT_REPAINT;
	switch ((int)key->input) {
	case INPUT_WHEEL_UP:
		ui_move(ui, -WHEEL);
		return true;
	case INPUT_WHEEL_DOWN:
		ui_move(ui, WHEEL);
		return true;
	case INPUT_CLICK:
	case INPUT_DOUBLE_CLICK:
		*out_effects = click(ui, scene, key);
		return true;
	case INPUT_RESIZE:
		return true;
	default:
		return false;
	}
}

/* ---- all ---------------------------------------------------------------------------- */

static bool is_digit(const struct key *key)
{
	return key->input == INPUT_RUNE && !key->ctrl && key->rune >= '1' && key->rune <= '9';
}

/* It only changes what stands at the prompt. */
static bool types(struct ui *ui, const struct key *key)
{
	const char *text = typed(ui);

	if (!text)
		return false;
	return (key->input == INPUT_RUNE && !key->ctrl) || (key->input == INPUT_BACKSPACE && text[0]);
}

unsigned ui_key(struct ui *ui, const struct scene *scene, const struct key *key)
{
	unsigned effects = 0, where = 1u << ui_view(ui);
	enum action action;

	if (key->input == INPUT_NONE)
		return 0;
	/* Keys act on what is on the screen: lines must not be older than the store.  Typing needs none of them. */
	if (!types(ui, key)) {
		ui->echo = false;
		ui_refresh(ui, scene);
	}
	if (ui->prompt && prompt_key(ui, scene, key, &effects))
		return effects;
	if (mouse_key(ui, scene, key, &effects))
		return effects;
	if (where == IN_DETAIL && is_digit(key))
		return ui_set_tab(ui, scene, key->rune - '1');
	action = action_of_key(ui->bindings, where, key);
	if (action == ACTION_NONE && key->input != INPUT_OTHER) {
		ui_say(ui, STR("? shows the keys"), scene->clock);
		return EFFECT_REPAINT;
	}
	return ui_act(ui, scene, action);
}

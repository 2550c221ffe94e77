/* SPDX-License-Identifier: Apache-2.0 */
/* The state: places, folds, and keeping the selection while the world changes. */
#include <stdio.h>
#include <string.h>

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "tui/view/state.h"
#include "kube/base/utf8.h"
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
	xfree(ui);
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
	ui->changed = true;
}

void ui_sort_by(struct ui *ui, struct str name)
{
	sort_parse(name, &ui->sort);
}

void ui_resize(struct ui *ui, int rows, int cols)
{
	ui->rows = rows < 1 ? 1 : rows;
	ui->cols = cols < 1 ? 1 : cols;
	memset(ui->steady, 0, sizeof(ui->steady));
	ui->dirty = true;
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
	ui->depth++;
	*ui_place(ui) = (struct place){ .view = view, .subject = subject };
	ui->dirty = true;
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

/* Finds the place's line again after a rebuild. */
static void ui_restore(struct ui *ui, size_t row_before)
{
	struct place *place = ui_place(ui);
	size_t found = ui->lines.n;

	if (!ui_selects(ui) || !place->moved) {
		if (ui_selects(ui))
			place->selected =
				views[place->view].follows && ui->lines.n ? ui->lines.n - 1 : 0;
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

void ui_observe(struct ui *ui, const struct scene *scene)
{
	observe_scan(&ui->seen, scene);
	ui->changed = false;
	ui->scanned = scene->now;
	ui->dirty = true;
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
	if (ui->dirty)
		build(ui, scene);
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
						       &arena))), scene->clock);
	else
		ui_say(ui, STR("it waits for nothing"), scene->clock);
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
		copy_clean(&ui->copy, words);
		ui_say(ui, arena_printf(&a, "copied: " STR_FMT, STR_ARG(words)), scene->clock);
	} else {
		say(ui, scene, "nothing to copy here");
	}
	arena_release(&a);
	return ui->copy.len ? EFFECT_COPY | EFFECT_REPAINT : EFFECT_REPAINT;
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

static unsigned edited(struct ui *ui)
{
	struct place *place = ui_place(ui);

	/* The best match is at the top. */
	place->moved = false;
	place->selected = place->top = 0;
	ui_dirty(ui);
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

static unsigned prompt_rune(struct ui *ui, const struct key *key)
{
	size_t n = strlen(ui->filter), bytes;
	char utf8[4];

	if (key->ctrl) {
		if (key->rune == 'u')
			ui->filter[0] = '\0';
		else if (key->rune == 'w')
			erase_word(ui->filter);
		else if (key->rune == 'h')
			erase_rune(ui->filter);
		else
			return 0;
		return edited(ui);
	}
	bytes = utf8_put(key->rune, utf8);
	if (utf8_hostile(key->rune) || n + bytes >= FILTER_BYTES)
		return 0;
	memcpy(ui->filter + n, utf8, bytes);
	ui->filter[n + bytes] = '\0';
	return edited(ui);
}

/* True when the prompt used the key. */
static bool prompt_key(struct ui *ui, const struct key *key, unsigned *out_effects)
{
	*out_effects = EFFECT_REPAINT;
	switch ((int)key->input) {
	case INPUT_RUNE:
		/* ^C and ^Z are for the program also here. */
		if (key->ctrl && (key->rune == 'c' || key->rune == 'z' || key->rune == 'l'))
			return false;
		*out_effects = prompt_rune(ui, key);
		return true;
	case INPUT_BACKSPACE:
		if (ui->filter[0] == '\0')
			ui->prompt = false;
		erase_rune(ui->filter);
		*out_effects = edited(ui);
		return true;
	case INPUT_ENTER:
		ui->prompt = false;
		ui_dirty(ui);
		return true;
	case INPUT_ESCAPE:
		ui->prompt = false;
		ui->filter[0] = '\0';
		*out_effects = edited(ui);
		return true;
	default:
		return false; /* arrows and pages move the selection */
	}
}

/* ---- the mouse -------------------------------------------------------------------- */

static unsigned click(struct ui *ui, const struct scene *scene, const struct key *key)
{
	struct layout layout = ui_layout(ui);
	size_t line = ui_place(ui)->top + (size_t)(key->row - layout.list);
	bool same;

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

unsigned ui_key(struct ui *ui, const struct scene *scene, const struct key *key)
{
	unsigned effects = 0, where = 1u << ui_view(ui);
	enum action action;

	if (key->input == INPUT_NONE)
		return 0;
	/* Keys act on what is on the screen: lines must not be older than the store. */
	ui_refresh(ui, scene);
	if (ui->prompt && prompt_key(ui, key, &effects))
		return effects;
	if (mouse_key(ui, scene, key, &effects))
		return effects;
	if (where == IN_DETAIL && is_digit(key))
		return ui_set_tab(ui, scene, key->rune - '1');
	action = action_of_key(where, key);
	if (action == ACTION_NONE && key->input != INPUT_OTHER) {
		ui_say(ui, STR("? shows the keys"), scene->clock);
		return EFFECT_REPAINT;
	}
	return ui_act(ui, scene, action);
}

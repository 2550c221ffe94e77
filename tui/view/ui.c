/* SPDX-License-Identifier: Apache-2.0 */
/* The state: places, folds, the selection that is kept while the world changes. */
#include <stdio.h>
#include <string.h>

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/time.h"
#include "tui/view/state.h"
#include "tui/view/still.h"

#define SAY SECONDS(4)
/* A scan costs a microsecond per object; it may take a tenth of the time. */
#define SCAN_PER_MS 100
#define TICK SECONDS(1)
#define CHANGES_OF MINUTES(5)

static const struct view views[VIEW_COUNT] = {
	[VIEW_TABLE] = { .title = "table", .build = table_build, .fill = table_fill, .lists = true, .stops = true },
	[VIEW_PROBLEMS] = { .title = "problems", .build = problems_build, .ticks = true, .lists = true, .stops = true },
	[VIEW_TREE] = { .title = "tree", .build = tree_build, .ticks = true, .lists = true },
	[VIEW_WHY] = { .title = "why", .build = why_build, .ticks = true },
	[VIEW_TIMELINE] = { .title = "timeline", .build = timeline_build, .fill = timeline_fill, .lists = true, .follows = true, .stops = true },
	[VIEW_CHANGES] = { .title = "changes", .build = changes_build, .fill = changes_fill, .ticks = true, .lists = true },
	[VIEW_DETAIL] = { .title = "details", .build = detail_build, .ticks = true },
	[VIEW_HELP] = { .title = "keys", .build = help_build },
	[VIEW_PALETTE] = { .title = "go to", .build = palette_build, .lists = true },
	[VIEW_TEXT] = { .title = "to select and copy", .build = text_build },
	[VIEW_OUTPUT] = { .title = "output", .build = output_build },
};

const struct view *view_of(enum view_id id)
{
	assert(id < VIEW_COUNT && views[id].build);
	return &views[id];
}

struct ui *ui_new(void)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));

	ui->rows = 24;
	ui->cols = 80;
	ui->changes_window = CHANGES_OF;
	ui->changed = true;
	ui->dirty = true;
	return ui;
}

void ui_free(struct ui *ui)
{
	if (!ui)
		return;
	observer_release(&ui->seen);
	observer_release(&ui->then);
	arena_release(&ui->arena);
	arena_release(&ui->kept.arena);
	xfree(ui->pending);
	buf_release(&ui->copy);
	buf_release(&ui->command);
	buf_release(&ui->output);
	xfree(ui->causes);
	xfree(ui->passed.slots);
	sort_ranks_release(&ui->ranks);
	arena_release(&ui->noted.arena);
	xfree(ui);
}

/* All that was made of objects: lines, what was observed. */
static void forget_world(struct ui *ui)
{
	observer_release(&ui->seen);
	observer_release(&ui->then);
	ui->then_at = 0;
	arena_reset(&ui->arena);
	arena_release(&ui->kept.arena);
	ui->kept = (struct built){ .ncolumns = 0 };
	ui->nlisted = 0;
	ui->lines = (struct lines){ .arena = &ui->arena };
	ui->npending = 0;
	ui->foreign = true;
	ui->ncauses = 0;
	ui->causes_known = false;
	ui->nlately = 0;
	ui->narrived = 0;
	ui->passed.text[0] = '\0';
	sort_ranks_release(&ui->ranks);
	ui->shown_at = 0;
	ui->answer = 0;
	ui->changed = ui->dirty = true;
}

void ui_reset(struct ui *ui)
{
	char filter[FILTER_BYTES];

	forget_world(ui);
	ui->depth = 0;
	memcpy(filter, ui->places[0].filter, sizeof(filter));
	ui->places[0] = (struct place){ .view = VIEW_TABLE };
	memcpy(ui->places[0].filter, filter, sizeof(filter));
	ui->prompt = PROMPT_NONE;
	ui->matches = NULL;
	ui->nmatches = ui->ntoggled = ui->nmarked = ui->nformer = 0;
	ui->returning = RETURNS_NOT;
	ui->kinds = KINDS_ASKED;
	ui->kind = NULL;
	ui->stands_at = 0;
	memset(&ui->steady, 0, sizeof(ui->steady));
}

void ui_restart(struct ui *ui)
{
	forget_world(ui);
	ui->unordered = true;
}

static struct handle same_object(struct handle h, const struct store *was, const struct store *is)
{
	struct object_id id = { .name = STR_NONE };

	if (!store_knows(was, h))
		return HANDLE_NONE;
	id = store_node_id(was, h.slot);
	return store_find(is, &id);
}

static void find_places_again(struct place *places, size_t *depth, const struct store *was, const struct store *is)
{
	for (size_t i = 0; i <= *depth; i++) {
		struct place *place = &places[i];
		bool of_all = !place->subject.slot;

		place->subject = same_object(place->subject, was, is);
		place->object = same_object(place->object, was, is);
		if (!of_all && !place->subject.slot)
			*depth = i - 1;	/* it is not there: back to where it was opened */
	}
}

void ui_find_again(struct ui *ui, const struct store *was, const struct store *is)
{
	size_t n = 0;

	find_places_again(ui->places, &ui->depth, was, is);
	for (size_t i = 0; i < ui->nformer; i++)
		find_places_again(ui->former[i].places, &ui->former[i].depth, was, is);
	for (size_t i = 0; i < ui->nmarked; i++) {
		struct handle h = same_object(ui->marked[i], was, is);

		if (h.slot)
			ui->marked[n++] = h;
	}
	ui->nmarked = n;
}

struct place *ui_place(struct ui *ui)
{
	assert(ui->depth < PLACES);
	return &ui->places[ui->depth];
}

const struct place *ui_place_const(const struct ui *ui)
{
	assert(ui->depth < PLACES);
	return &ui->places[ui->depth];
}

enum view_id ui_view(const struct ui *ui)
{
	return ui_place_const(ui)->view;
}

struct str ui_filter(const struct ui *ui)
{
	return str_of(ui_place_const(ui)->filter);
}

void ui_dirty(struct ui *ui)
{
	ui->dirty = true;
}

bool ui_is_large(const struct ui *ui)
{
	return ui->seen.total >= MANY_OBJECTS;
}

void ui_rearrange(struct ui *ui)
{
	ui->dirty = ui->rearranged = true;
	ui->echo = ui_is_large(ui);
}

bool ui_interrupted(struct ui *ui, const struct scene *scene)
{
	if (!ui->interrupted && ui->interruptible && scene->interrupted)
		ui->interrupted = scene->interrupted(scene->interrupted_ctx);
	return ui->interrupted;
}

void ui_changed(struct ui *ui)
{
	if (ui->returning == RETURNS_SOON)
		ui->returning = RETURN_READS;
	ui->changed = true;
	ui->seen.scan_from = 0;
	ui->npending = 0;
}

void ui_changed_slots(struct ui *ui, const uint32_t *slots, size_t n)
{
	/* a scan comes to all of them, but not again to those that it has left behind */
	if ((ui->changed && !ui->seen.scan_from) || n == 0)
		return;
	/* So many are met faster in their order. */
	if (ui->npending + n > ui->seen.nslots) {
		ui_changed(ui);
		return;
	}
	if (ui->npending + n > ui->pending_cap) {
		ui->pending_cap = 2 * (ui->npending + n);
		ui->pending = xreallocarray(ui->pending, ui->pending_cap, sizeof(*ui->pending));
	}
	assert(ui->npending + n <= ui->pending_cap);
	memcpy(ui->pending + ui->npending, slots, n * sizeof(*slots));
	ui->npending += n;
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
	memset(&ui->steady, 0, sizeof(ui->steady));
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

void ui_copy_str(char *out, size_t size, struct str s)
{
	size_t n = s.len < size ? s.len : size - 1;

	if (n)
		memcpy(out, s.ptr, n);
	out[n] = '\0';
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
	assert(ui->ntoggled <= TOGGLED);
	if (ui->ntoggled == TOGGLED) { /* the oldest is forgotten */
		memmove(ui->toggled, ui->toggled + 1, (TOGGLED - 1) * sizeof(ui->toggled[0]));
		ui->ntoggled--;
	}
	ui->toggled[ui->ntoggled++] = key;
}

/* ---- lines ---------------------------------------------------------------------- */

/* Moves them out: there are none afterwards. */
static void take_lines(struct ui *ui, struct built *out)
{
	*out = (struct built){ ui->arena, ui->lines, .ncolumns = ui->ncolumns, .holder = ui->holder,
			       .note = ui->note, .matching = ui->matching, .of = ui->of };
	memcpy(out->columns, ui->columns, sizeof(out->columns));
	ui->arena = (struct arena){ 0 };
	ui->lines = (struct lines){ .arena = &ui->arena };
	ui->holder = 0;
	ui->ncolumns = 0;
	ui->note = STR_NONE;
}

static void give_lines(struct ui *ui, const struct built *in)
{
	assert(in->ncolumns <= LINE_CELLS);
	arena_release(&ui->arena);
	ui->arena = in->arena;
	ui->lines = in->lines;
	ui->lines.arena = &ui->arena;
	memcpy(ui->columns, in->columns, sizeof(ui->columns));
	ui->ncolumns = in->ncolumns;
	ui->holder = in->holder;
	ui->note = in->note;
	ui->matching = in->matching;
	ui->of = in->of;
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
	if (ui_view(ui) == VIEW_TABLE && view != VIEW_TABLE && ui_is_large(ui) && !ui->foreign) {
		arena_release(&ui->kept.arena);
		take_lines(ui, &ui->kept);
	}
	ui->depth++;
	*ui_place(ui) = (struct place){ .view = view, .subject = subject };
	/* Who filters looks for the same in another list of all. */
	if (!subject.slot && (1u << view & IN_FILTER))
		memcpy(ui_place(ui)->filter, ui->places[ui->depth - 1].filter, FILTER_BYTES);
	ui->dirty = true;
	ui->echo = false;
	ui->foreign = true;
}

void ui_go_subject(struct ui *ui, enum view_id view)
{
	uint32_t alike = ui_alike(ui);

	ui_go(ui, view, ui_subject(ui));
	ui_place(ui)->alike = alike;
}

void ui_choose(struct ui *ui, uint64_t key, struct handle object)
{
	ui_place(ui)->key = key;
	ui_place(ui)->object = object;
	ui_place(ui)->moved = true;
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

uint32_t ui_alike(const struct ui *ui)
{
	const struct line *line = ui_line(ui);

	/* Changes counts otherwise; its rows for several have no first one. */
	if (line && line->object.slot)
		return line->count && ui_view(ui) != VIEW_CHANGES ? line->count : 1;
	return line && line->texts && line->texts->waiter.slot ? 1 : ui_place_const(ui)->alike;
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
	assert(place->selected < ui->lines.n || (ui->lines.n == 0 && place->selected == 0));
	assert(!ui_selects(ui) || (place->top <= place->selected && place->selected < place->top + rows));
	note_selection(ui);
}

void ui_arrive(struct ui *ui)
{
	struct built before;

	ui->dirty = ui->foreign = true;
	if (ui_view(ui) != VIEW_TABLE || !ui->kept.lines.n)
		return;
	/* Who chose a line of the view before still needs what it is made of. */
	take_lines(ui, &before);
	give_lines(ui, &ui->kept);
	ui->kept = (struct built){ .arena = before.arena };
	ui->foreign = false;
	ui->echo = true;
	ui_clamp(ui);
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

void ui_begin_filter(struct ui *ui)
{
	struct place *place = ui_place(ui);

	if (place->filter[0])
		return;
	place->unfiltered.key = place->key;
	place->unfiltered.object = place->object;
	place->unfiltered.selected = place->selected;
	place->unfiltered.top = place->top;
	place->unfiltered.moved = place->moved;
}

void ui_drop_filter(struct ui *ui)
{
	struct place *place = ui_place(ui);

	place->filter[0] = '\0';
	if (place->moved || !place->unfiltered.moved)
		return;
	place->key = place->unfiltered.key;
	place->object = place->unfiltered.object;
	place->left_selected = place->unfiltered.selected;
	place->left_top = place->unfiltered.top;
	place->left = place->moved = true;
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
size_t ui_find_line(const struct ui *ui, uint64_t key, struct handle object)
{
	size_t found = ui->lines.n;

	for (size_t i = 0; i < ui->lines.n; i++) {
		const struct line *line = &ui->lines.all[i];

		if (line->flags & LINE_HEADING)
			continue;
		if (key && line->key == key)
			return i;
		if (found == ui->lines.n && object.slot && handle_eq(line->object, object))
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

/* Finds the place's line again after a rebuild; holds_row: it stays in its row also in a list that stands at its top. */
static void ui_restore(struct ui *ui, size_t row_before, bool holds_row)
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
	found = ui_find_line(ui, place->key, place->object);
	if (found == ui->lines.n && ui->holder)
		found = ui_find_line(ui, ui->holder, HANDLE_NONE);
	if (found < ui->lines.n) {
		place->selected = found;
		if (place->top > 0 || holds_row)
			place->top = found > row_before ? found - row_before : 0;
	}
	ui_clamp(ui);
}

/* ---- refresh ------------------------------------------------------------------- */

static bool scan_is_due(const struct ui *ui, int64_t now)
{
	int64_t pause = (int64_t)ui->seen.total / SCAN_PER_MS;

	return now >= ui->scanned + pause || now < ui->scanned;
}

/* What was observed gets into the lines. */
static void order_anew(struct ui *ui, const struct scene *scene)
{
	ui_note_causes(ui, scene);
	ui->unordered = false;
	ui->scanned = scene->now;
	ui->dirty = true;
}

static void observe_pending(struct ui *ui, const struct scene *scene, bool interruptible)
{
	if (ui->changed && !observe_scan(&ui->seen, scene, interruptible))
		return;
	if (ui->changed)
		ui->echo = false;
	observe_slots(&ui->seen, scene, ui->pending, ui->npending);
	observe_settle(&ui->seen, scene->header);
	ui->changed = false;
	ui->npending = 0;
	ui->unordered = true;
	ui->passed.text[0] = '\0';
}

/* Changes of the world that is shown, and what ends by time alone. */
static void observe_now(struct ui *ui, const struct scene *scene)
{
	if (ui->changed ? !ui->echo && (ui->seen.scan_from || scan_is_due(ui, scene->now)) : ui->npending > 0)
		observe_pending(ui, scene, true);
	if (!ui->changed)	/* else what is there already would be new */
		ui->unordered |= observe_settle(&ui->seen, scene->header);
	ui->unordered |= observe_expire(&ui->seen, scene->clock);
	if (ui->unordered && !ui->echo && !ui->seen.scan_from && scan_is_due(ui, scene->now))
		order_anew(ui, scene);
}

void ui_observe_live(struct ui *ui, const struct scene *live)
{
	if (ui->changed ? !scan_is_due(ui, live->now) : !ui->npending)
		return;
	observe_pending(ui, live, false);
	ui_note_causes(ui, live);
	ui->unordered = false;
	ui->scanned = live->now;
}

void ui_observe(struct ui *ui, const struct scene *scene)
{
	observe_pending(ui, scene, false);
}

void ui_arrange(struct ui *ui, const struct scene *scene)
{
	if (ui->unordered)
		order_anew(ui, scene);
}

static void hold_places(const struct place *places, size_t depth, struct store *store)
{
	for (size_t i = 0; i <= depth; i++) {
		store_hold(store, places[i].subject.slot);
		store_hold(store, places[i].object.slot);
	}
}

bool ui_hold(const struct ui *ui, struct store *store)
{
	if (ui->changed || ui->npending || ui->unordered || ui->dirty)
		return false;
	hold_places(ui->places, ui->depth, store);
	for (size_t i = 0; i < ui->nformer + (ui->returning != RETURNS_NOT); i++)
		hold_places(ui->former[i].places, ui->former[i].depth, store);
	for (size_t i = 0; i < ui->nmarked; i++)
		store_hold(store, ui->marked[i].slot);
	for (size_t i = 0; i < ui->seen.ntombs; i++)
		store_hold(store, ui->seen.tombs[i].handle.slot);
	return true;
}

/* Where all cells are known, columns want to be as wide as their widest. */
static void measure_columns(struct ui *ui)
{
	for (size_t k = 0; k < ui->ncolumns; k++) {
		struct column *column = &ui->columns[k];
		int widest = 0;

		for (size_t i = 0; i < ui->lines.n; i++) {
			const struct line *line = &ui->lines.all[i];

			/* The last of too few cells goes over several columns. */
			if (line->flags & LINE_SPAN || line->ncells <= k ||
			    (line->ncells == k + 1 && k + 1 < ui->ncolumns))
				continue;
			widest = text_widest(line->cells[k].str, widest);
		}
		column_fit(column, widest);
	}
}

static void build(struct ui *ui, const struct scene *scene)
{
	struct place *place = ui_place(ui);
	size_t row_before = place->selected > place->top ? place->selected - place->top : 0;
	/* The line stays where the eye is, but who looks at the first one, sorts, or waits for lists sees what comes first. */
	bool holds_row = row_before > 0 && !ui->rearranged && scene->header->kinds_done == scene->header->kinds_total;
	struct built before;

	take_lines(ui, &before);
	ui->interrupted = false;
	ui->interruptible = views[place->view].stops && !ui->foreign && ui_is_large(ui);
	views[place->view].build(ui, scene, &ui->lines);
	ui->interruptible = false;
	if (ui->interrupted) {
		give_lines(ui, &before);
		return;
	}
	arena_release(&before.arena);
	ui->foreign = ui->rearranged = false;
	if (!views[place->view].fill)
		measure_columns(ui);
	ui->dirty = false;
	ui->built = scene->now;
	ui_restore(ui, row_before, holds_row);
}

/* Differs when the program has fetched something else. */
static uint64_t answer_key(const struct fetched *f)
{
	if (!f)
		return 0;
	return key_mix(key_mix(key_mix(key_mix(key_of_handle(f->handle),
					       (uint64_t)f->want << 8 | (uint64_t)f->state),
				       f->text.len),
			       f->nevents << 1 | f->more),
		       f->nevents ? (uint64_t)f->events[f->nevents - 1].time : (uint64_t)f->read);
}

static struct handle alive_again(struct handle h, const struct store *store)
{
	struct handle again = store_alive(store, h) ? h : same_object(h, store, store);

	return again.slot ? again : h;
}

/* What was dropped with the former scope is read again, and known by its name. */
static void return_to_place(struct ui *ui, const struct scene *scene)
{
	struct former_scope *former = &ui->former[ui->nformer];

	if (ui->returning != RETURN_READS)
		return;
	for (size_t i = 0; i <= former->depth; i++) {
		struct place *place = &former->places[i];

		place->subject = alive_again(place->subject, scene->store);
		place->object = alive_again(place->object, scene->store);
		place->key = 0;
	}
	memcpy(ui->places, former->places, sizeof(ui->places));
	ui->dirty = true;
	if (scene->header->kinds_done >= scene->header->kinds_total)
		ui->returning = RETURNS_NOT;
}

void ui_refresh(struct ui *ui, const struct scene *scene)
{
	const struct view *view;

	return_to_place(ui, scene);
	view = &views[ui_view(ui)];
	ui->refreshed = scene->latest ? scene->latest : scene->now;
	still_refresh(ui, scene);
	if (scene->clock >= ui->say_until)
		ui->say_until = 0;
	if (!scene->past)
		observe_now(ui, scene);
	if (ui->answer != answer_key(scene->fetched)) {
		ui->answer = answer_key(scene->fetched);
		ui->dirty = true;
	}
	if (view->ticks && (scene->now >= ui->built + TICK || scene->now < ui->built))
		ui->dirty = true;
	/* a table of half of the objects is not shown; nor are rows of another scope */
	if (ui->dirty && ((!ui->echo && !ui->seen.scan_from) || ui->foreign))
		build(ui, scene);
	ui->echo = false;
}

bool ui_lags(const struct ui *ui)
{
	return ui->dirty || ui->seen.scan_from;
}

int64_t ui_deadline(const struct ui *ui, int64_t now)
{
	int64_t next = ui->refreshed + TICK,
		scan = ui->scanned + (int64_t)ui->seen.total / SCAN_PER_MS;

	if ((ui->changed || ui->unordered) && scan < next)
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
	    strlen(place->filter) >= FILTER_BYTES)
		return "sizes";
	return NULL;
}

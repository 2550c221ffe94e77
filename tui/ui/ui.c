/* SPDX-License-Identifier: Apache-2.0 */
/* Brings what is shown up to date with the store: the observed changes, the root causes and the lines. */
#include <string.h>

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/time.h"
#include "tui/ui/alarm.h"
#include "tui/ui/ui.h"
#include "tui/view/place.h"
#include "tui/view/bars.h"
#include "tui/view/rows.h"
#include "tui/view/views.h"

/* Objects that a scan visits in 1 ms.  A scan costs a microsecond per object, and may take a tenth of the time. */
#define SCAN_PER_MS 100
#define TICK SECONDS(1)

struct ui *ui_new(void)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));

	ui->views = views;
	for (int i = 0; i < VIEW_COUNT; i++) {
		ui->own[i] = views[i]->state ? xcalloc(1, views[i]->state) : NULL;
		if (views[i]->begin)
			views[i]->begin(ui->own[i]);
	}
	ui->noted_causes = xcalloc(1, sizeof(*ui->noted_causes));
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
	observer_release(&ui->observer);
	observer_release(&ui->past_observer);
	arena_release(&ui->arena);
	arena_release(&ui->saved_table.arena);
	pins_release(&ui->pins);
	xfree(ui->pending);
	buf_release(&ui->copy);
	for (int i = 0; i < VIEW_COUNT; i++) {
		if (ui->views[i]->end)
			ui->views[i]->end(ui->own[i]);
		xfree(ui->own[i]);
	}
	xfree(ui->causes);
	xfree(ui->filter_cache.slots);
	sort_ranks_release(&ui->ranks);
	arena_release(&ui->noted_causes->arena);
	xfree(ui->noted_causes);
	xfree(ui);
}

/* Forgets all that refers to objects of the store: lines, observed changes, root causes. */
static void forget_world(struct ui *ui)
{
	observer_release(&ui->observer);
	observer_release(&ui->past_observer);
	ui->past_observed = 0;
	arena_reset(&ui->arena);
	arena_release(&ui->saved_table.arena);
	ui->saved_table = (struct built){ .ncolumns = 0 };
	for (int i = 0; i < VIEW_COUNT; i++)
		if (ui->views[i]->forget)
			ui->views[i]->forget(ui->own[i]);
	ui->lines = (struct lines){ .arena = &ui->arena };
	ui->npending = 0;
	ui->must_build = true;
	ui->ncauses = 0;
	ui->causes_known = false;
	ui->ngone_causes = 0;
	ui->narrived = 0;
	ui->filter_cache.text[0] = '\0';
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
	ui->nmatches = ui->ntoggled = ui->nformer = 0;
	pins_release(&ui->pins);
	ui->returning = RETURN_NONE;
	ui->kinds = KINDS_ASKED;
	ui->kind = NULL;
	ui->seek_time = 0;
	memset(&ui->steady_widths, 0, sizeof(ui->steady_widths));
}

void ui_restart(struct ui *ui)
{
	forget_world(ui);
	ui->unordered = true;
}

static void find_places_again(struct place *places, size_t *depth, const struct graph *was, const struct graph *is)
{
	for (size_t i = 0; i <= *depth; i++) {
		struct place *place = &places[i];
		bool of_all = !place->subject.slot;

		place->subject = graph_same_object(was, place->subject, is);
		place->object = graph_same_object(was, place->object, is);
		if (!of_all && !place->subject.slot)
			/* the object does not exist: go back to the place from which its view was opened */
			*depth = i - 1;
	}
}

static void replace_fold(struct ui *ui, uint64_t key, uint64_t by)
{
	for (size_t i = 0; i < ui->ntoggled; i++)
		if (ui->toggled[i] == key)
			ui->toggled[i] = by;
}

/*
 * Keeps the folds of rows, whose keys are made of handles, by the names of the objects while the store is another one: first
 * all get keys by name, which no line has, then those that exist in the other store get its keys.  The others wait until they
 * exist again.
 */
static void find_folds_again(struct ui *ui, const struct store *was, const struct store *is)
{
	enum { BY_NAME = 51 };

	for (struct handle h = store_next(was, 0); ui->ntoggled && h.slot; h = store_next(was, h.slot + 1)) {
		struct object_id id = store_node_id(was, h.slot);

		if (ui_toggled(ui, rows_key_of(h)))
			replace_fold(ui, rows_key_of(h), key_mix(BY_NAME, key_of_name(&id)));
	}
	for (struct handle h = store_next(is, 0); ui->ntoggled && h.slot; h = store_next(is, h.slot + 1)) {
		struct object_id id = store_node_id(is, h.slot);

		replace_fold(ui, key_mix(BY_NAME, key_of_name(&id)), rows_key_of(h));
	}
}

void ui_find_again(struct ui *ui, const struct graph *was, const struct graph *is)
{
	find_folds_again(ui, graph_store(was), graph_store(is));
	find_places_again(ui->places, &ui->depth, was, is);
	for (size_t i = 0; i < ui->nformer; i++)
		find_places_again(ui->former[i].places, &ui->former[i].depth, was, is);
}

void ui_changed(struct ui *ui)
{
	if (ui->returning == RETURN_PENDING)
		ui->returning = RETURN_READING;
	ui->changed = true;
	ui->observer.scan_from = 0;
	ui->npending = 0;
}

void ui_changed_slots(struct ui *ui, const uint32_t *slots, size_t n)
{
	/*
	 * A scan that has not begun will visit these slots.  A scan that was interrupted does not return to the slots
	 * behind it.
	 */
	if ((ui->changed && !ui->observer.scan_from) || n == 0)
		return;
	/* So many slots are scanned faster in the order of the store. */
	if (ui->npending + n > ui->observer.nslots) {
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

void ui_more_known(struct ui *ui)
{
	ui_dirty(ui);
}

bool ui_shows_table(const struct ui *ui)
{
	return ui_place_const(ui)->view == VIEW_TABLE;
}

void ui_bind(struct ui *ui, const struct bindings *bindings)
{
	ui->bindings = bindings;
}

void ui_sort_by(struct ui *ui, struct str name)
{
	sort_parse(name, &ui->sort);
}

void ui_resize(struct ui *ui, int rows, int cols)
{
	ui->rows = rows < 1 ? 1 : rows;
	ui->cols = cols < 1 ? 1 : cols;
	memset(&ui->steady_widths, 0, sizeof(ui->steady_widths));
	ui->dirty = true;
	ui->build_later = false;
}

/* ---- refresh ------------------------------------------------------------------- */

/* By the user's clock: with --as-of the time that is shown stands still, and what was read last is scanned all the same. */
static bool scan_is_due(const struct ui *ui, int64_t clock)
{
	int64_t pause = (int64_t)ui->observer.total / SCAN_PER_MS;

	return clock >= ui->scanned + pause || clock < ui->scanned;
}

/* Has observed changes shown: finds the root causes and has the lines built again. */
static void order_anew(struct ui *ui, const struct scene *scene)
{
	ui_note_causes(ui, scene);
	ui->unordered = false;
	ui->scanned = scene->clock;
	ui->dirty = true;
}

static void observe_pending(struct ui *ui, const struct scene *scene, bool interruptible)
{
	if (ui->changed && !observe_scan(&ui->observer, scene, interruptible))
		return;
	if (ui->changed)
		ui->build_later = false;
	observe_slots(&ui->observer, scene, ui->pending, ui->npending);
	observe_settle(&ui->observer, scene->header);
	ui->changed = false;
	ui->npending = 0;
	ui->unordered = true;
	ui->filter_cache.text[0] = '\0';
}

/* Observes the changes of the objects that are shown, and what ends by time alone, such as flashes. */
static void observe_now(struct ui *ui, const struct scene *scene)
{
	if (ui->changed ? !ui->build_later && (ui->observer.scan_from || scan_is_due(ui, scene->clock)) : ui->npending > 0)
		observe_pending(ui, scene, true);
	if (!ui->changed)	/* before the first scan the objects that exist already would count as new */
		ui->unordered |= observe_settle(&ui->observer, scene->header);
	ui->unordered |= observe_expire(&ui->observer, scene->clock);
	if (ui->unordered && !ui->build_later && !ui->observer.scan_from && scan_is_due(ui, scene->clock))
		order_anew(ui, scene);
}

void ui_observe_live(struct ui *ui, const struct scene *live)
{
	if (ui->changed || (ui->unordered && !ui->npending) ? !scan_is_due(ui, live->clock) : !ui->npending)
		return;
	observe_pending(ui, live, false);
	ui_note_causes(ui, live);
	ui->unordered = false;
	ui->scanned = live->clock;
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
	for (size_t i = 0; i < ui->nformer + (ui->returning != RETURN_NONE); i++)
		hold_places(ui->former[i].places, ui->former[i].depth, store);
	for (size_t i = 0; i < ui->pins.n; i++)
		store_hold(store, ui->pins.all[i].id.handle.slot);
	for (size_t i = 0; i < ui->observer.ntombs; i++)
		store_hold(store, ui->observer.tombs[i].handle.slot);
	return true;
}

/* Sets the widths of the columns to the widest of their cells, where all cells are known. */
static void measure_columns(struct ui *ui)
{
	for (size_t k = 0; k < ui->ncolumns; k++) {
		struct column *column = &ui->columns[k];
		int widest = 0;

		for (size_t i = 0; i < ui->lines.n; i++) {
			const struct line *line = &ui->lines.all[i];

			/* The last cell of a line that has too few cells extends over several columns. */
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
	/*
	 * The selected line keeps its row on the screen.  But when it is the first row, after sorting, and while lists
	 * are still read, the list stays at its top.
	 */
	bool holds_row = row_before > 0 && !ui->rearranged && scene->header->lists_done == scene->header->lists_total;
	struct built before;

	place_take_lines(ui, &before);
	ui->interrupted = false;
	ui->interruptible = ui_open_view(ui)->stops && !ui->must_build && ui_is_large(ui);
	ui_open_view(ui)->build(ui, scene, &ui->lines);
	ui->interruptible = false;
	if (ui->interrupted) {
		place_give_lines(ui, &before);
		return;
	}
	arena_release(&before.arena);
	ui->must_build = ui->rearranged = false;
	if (!ui_open_view(ui)->fill)
		measure_columns(ui);
	ui->dirty = false;
	ui->well = bar_is_well(ui, scene);
	ui->built = scene->now;
	place_restore(ui, row_before, holds_row);
}

/* Returns a number that differs when the program has fetched something else. */
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

/* ---- the moment that is shown ----------------------------------------------------- */

static void look_at_all(struct ui *ui, const struct scene *scene)
{
	observer_release(&ui->past_observer);
	ui->past_observer.silent = true;
	observe_scan(&ui->past_observer, scene, false);
	ui->past_observed = scene->now;
}

void ui_before_seek(struct ui *ui, const struct scene *live)
{
	if (ui->npending && !ui->changed)
		ui_observe(ui, live);
}

void ui_after_seek(struct ui *ui, const struct scene *scene, const uint32_t *slots, size_t n, bool from_now)
{
	if (from_now ? ui->changed : !ui->past_observed) {
		look_at_all(ui, scene);
		return;
	}
	if (from_now) {
		observer_release(&ui->past_observer);
		observer_copy(&ui->observer, &ui->past_observer);
	}
	observe_slots(&ui->past_observer, scene, slots, n);
	ui->past_observed = scene->now;
}

/* Notes when another moment is shown than at the last refresh. */
static void refresh_shown_moment(struct ui *ui, const struct scene *scene)
{
	int64_t shown = scene->past ? scene->now : 0;

	/* past_observed is 0 when another scope was chosen */
	if (ui->shown_at == shown && (!scene->past || ui->build_later || ui->past_observed == scene->now))
		return;
	ui->shown_at = shown;
	ui->observer.hidden = scene->past;
	ui->filter_cache.text[0] = '\0';
	ui->dirty = true;
	if (scene->past) {
		if (ui->past_observed != scene->now)
			look_at_all(ui, scene);
		ui_note_causes(ui, scene);
	} else {
		ui->unordered = true;
		ui->scanned = 0;
	}
}

void ui_after_exchange(struct ui *ui, const struct scene *scene, const struct graph *was)
{
	ui_find_again(ui, was, scene->graph);
	arena_release(&ui->saved_table.arena);
	ui->saved_table = (struct built){ .ncolumns = 0 };
	sort_ranks_release(&ui->ranks);
	ui->filter_cache.text[0] = '\0';
	ui->must_build = ui->dirty = true;
	ui->shown_at = -1;	/* what is shown is another world, also at the same moment */
	if (scene->past)
		look_at_all(ui, scene);
}

void ui_observe_earlier(struct ui *ui, const struct scene *live, const uint64_t *entries, size_t n)
{
	observe_earlier(&ui->observer, live, entries, n);
	ui->dirty = true;
}

/* ---- refresh ------------------------------------------------------------------- */

static struct handle alive_again(struct handle h, const struct graph *g)
{
	struct handle again = graph_same_object(g, h, g);

	return again.slot ? again : h;
}

/*
 * Finds the objects of a former place again by their names: they left the store with the former scope and are read
 * again.
 */
static void return_to_place(struct ui *ui, const struct scene *scene)
{
	struct former_scope *former = &ui->former[ui->nformer];

	if (ui->returning != RETURN_READING)
		return;
	for (size_t i = 0; i <= former->depth; i++) {
		struct place *place = &former->places[i];

		place->subject = alive_again(place->subject, scene->graph);
		place->object = alive_again(place->object, scene->graph);
		place->key = 0;
	}
	memcpy(ui->places, former->places, sizeof(ui->places));
	ui->dirty = true;
	if (scene->header->lists_done >= scene->header->lists_total)
		ui->returning = RETURN_NONE;
}

void ui_refresh(struct ui *ui, const struct scene *scene)
{
	const struct view *view;

	return_to_place(ui, scene);
	view = ui_open_view(ui);
	ui->refreshed = scene->latest ? scene->latest : scene->now;
	pins_find(&ui->pins, scene);
	refresh_shown_moment(ui, scene);
	if (scene->clock >= ui->say_until)
		ui->say_until = 0;
	if (!scene->past)
		observe_now(ui, scene);
	if (ui->answer != answer_key(scene->fetched)) {
		ui->answer = answer_key(scene->fetched);
		ui->dirty = true;
	}
	if (bar_is_well(ui, scene) != ui->well || (ui->well && scene->now >= ui->built + MINUTES(1)))
		ui->dirty = true;	/* since when it is well grows by itself */
	if (view->ticks && (scene->now >= ui->built + TICK || scene->now < ui->built))
		ui->dirty = true;
	/* a table is not shown while only half of the objects are scanned, nor are rows of another scope */
	if (ui->dirty && ((!ui->build_later && !ui->observer.scan_from) || ui->must_build))
		build(ui, scene);
	ui->build_later = false;
}

bool ui_lags(const struct ui *ui)
{
	return ui->dirty || ui->observer.scan_from;
}

int64_t ui_deadline(const struct ui *ui, int64_t now, int64_t clock)
{
	int64_t next = ui->refreshed + TICK,
		scan = now + ui->scanned + (int64_t)ui->observer.total / SCAN_PER_MS - clock;

	if ((ui->changed || ui->unordered) && scan < next)
		next = scan;
	/* When the clock was set back, paint at once. */
	return next > now + TICK ? now : next;
}

int64_t ui_say_deadline(const struct ui *ui)
{
	return ui->say_until;
}

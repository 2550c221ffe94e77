/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a picture, and with it what a picture asks for: the bell, who changed what, a copy of that. */
#include "plugin/dashboard/dashboard.h"

#include "plugin/changed.h"
#include "plugin/clock.h"
#include "tui/draw/draw.h"

#define FRAME 33	/* the least time between two pictures, ms */
/*
 * While lists are read, painting takes at most one tenth of the time: after a picture nine times its duration must
 * pass.
 */
#define LOADING_SHARE 9
#define PATIENCE 1500	/* how long a copy waits for answers, ms */

/* ---- what changed, and copies ----------------------------------------------------- */

/* Requests who changed what, for the failures that a view or a copy tells of. */
static void ask_changed(struct dashboard *d)
{
	if (d->looked.n && d->p->source->facts(d->p).watches)
		changed_ask(d->p, d->looked.failed, d->looked.n);
	if (d->looked.changed.slot && d->p->source->facts(d->p).watches)
		changed_ask_of(d->p, d->looked.changed, d->looked.changed_at);
	d->looked.n = 0;
	d->looked.changed = HANDLE_NONE;
}

/* On a terminal without a clipboard the text is shown, so that the user can select it. */
void picture_copy(struct dashboard *d)
{
	d->copies_at = 0;
	if (!term_copy(d->term, ui_copy_text(d->ui)))
		ui_show_copy(d->ui);
}

void picture_copy_when_known(struct dashboard *d)
{
	bool tells = d->looked.n > 0;

	ask_changed(d);
	if (tells && changed_pending(d->p))
		d->copies_at = clock_now() + PATIENCE;
	else
		picture_copy(d);
}

void picture_answer_changed(struct dashboard *d)
{
	bool known = !changed_pending(d->p);

	if (known && changed_came(d->p)) {
		ui_more_known(d->ui);
		d->effects |= EFFECT_REPAINT;
	}
	if (d->copies_at && (known || clock_now() >= d->copies_at)) {
		struct scene scene = shown_scene(d);

		ui_act(d->ui, &scene, ACTION_COPY_MARKDOWN);
		d->looked.n = 0;
		picture_copy(d);
		d->effects |= EFFECT_REPAINT;
	}
}

/* ---- a picture ------------------------------------------------------------------------ */

/* Rings the bell and sets the terminal's title for a new root cause; restores the title when it is over. */
static void alarm_user(struct dashboard *d)
{
	bool rings;
	struct str alarm = ui_alarm(d->ui, &rings);

	if (d->p->preferences.notify && rings)
		term_notify(d->term, alarm);
	if (ui_alarm_is_over(d->ui))
		term_title_before(d->term);
	if (!alarm.len)
		return;
	if (rings && !d->p->preferences.silent)
		term_bell(d->term);
	term_title(d->term, arena_printf(&d->frame, STR_FMT " · kubectl status", STR_ARG(alarm)));
}

/* Notifies the user when what a marked object is doing has ended. */
static void tell_ended(struct dashboard *d, const struct scene *scene)
{
	struct str ended = ui_ended(d->ui, scene, &d->frame);

	if (ended.len && d->p->preferences.notify)
		term_notify(d->term, ended);
}

/* Brings what is shown up to date. */
static struct scene refresh(struct dashboard *d)
{
	struct scene scene;
	struct handle h;

	shown_header(d);
	while (d->p->source->asks && d->p->source->arrived(d->p, &h))
		ui_arrived(d->ui, h);
	if (d->p->source->asks)	/* a user who sees the live state may later go back to this moment */
		moments_keep_past(d);
	if (d->p->shown) {
		scene = shown_live(d);
		ui_observe_live(d->ui, &scene);
	}
	scene = shown_scene(d);
	ui_refresh(d->ui, &scene);
	tell_ended(d, &scene);
	d->refreshed = clock_now();
	return scene;
}

/* Frees what is not needed for the next picture. */
static void forget(struct dashboard *d)
{
	arena_reset(&d->frame);
	if (!shown_is_history(d) && ui_hold(d->ui, d->p->world.store))
		world_forget(&d->p->world);
}

void picture_refresh(struct dashboard *d)
{
	refresh(d);
	forget(d);
}

static void note_on_screen(struct dashboard *d, const struct page *page)
{
	struct handle *objects = arena_array(&d->frame, page->nlines + 1, sizeof(*objects));

	for (size_t i = 0; i < page->nlines; i++)
		objects[i] = page->lines[i].object;
	if (d->p->source->asks && !d->p->shown)
		d->p->source->on_screen(d->p, objects, page->nlines);
}

/* A picture for a key is not delayed by one that was painted because of data; pictures for data are delayed instead. */
static void time_next(struct dashboard *d, int64_t began, bool asked)
{
	int64_t done = clock_now(), cost = LOADING_SHARE * (done - began);

	d->next_frame = asked && !d->urgent ? done + FRAME : done;
	d->next_data_frame = done + (asked ? 2 * FRAME : FRAME);
	if (d->header.lists_done < d->header.lists_total && cost > FRAME)
		d->next_data_frame = began + cost;
}

void picture_paint(struct dashboard *d)
{
	int64_t began = clock_now();
	bool asked = d->urgent;
	struct scene scene = refresh(d);
	struct page page;

	alarm_user(d);
	page_build(d->ui, &scene, &page, &d->frame);
	note_on_screen(d, &page);
	canvas_clear(&d->canvas);
	draw_page(&d->canvas, &page);
	term_flush(d->term, &d->canvas);
	ask_changed(d);
	forget(d);
	d->urgent = ui_lags(d->ui);
	d->effects = d->urgent ? EFFECT_REPAINT : 0;
	if (d->moments.seeking)
		d->moments.seeking = SEEK_NEXT;
	time_next(d, began, asked);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about the state of the user interface, and its simplest changes.  Nothing in this file builds lines. */
#include "tui/state/state.h"

#include <string.h>

#include "kube/base/assert.h"
#include "kube/base/time.h"
#include "kube/base/utf8.h"

#define SAY SECONDS(4)
#define SAY_LONGER SECONDS(15)

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

const struct view *ui_open_view(const struct ui *ui)
{
	return ui->views[ui_view(ui)];
}

void *ui_own(const struct ui *ui, enum view_id view)
{
	return ui->own[view];
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
	return ui->observer.total >= MANY_OBJECTS;
}

void ui_rearrange(struct ui *ui)
{
	ui->dirty = ui->rearranged = true;
	ui->build_later = ui_is_large(ui);
}

bool ui_interrupted(struct ui *ui, const struct scene *scene)
{
	if (!ui->interrupted && ui->interruptible && scene->interrupted)
		ui->interrupted = scene->interrupted(scene->interrupted_ctx);
	return ui->interrupted;
}

void ui_say(struct ui *ui, struct str text, int64_t now)
{
	text = utf8_head(text, SAY_BYTES - 1);
	if (text.len)
		memcpy(ui->say, text.ptr, text.len);
	ui->say[text.len] = '\0';
	ui->say_until = now + SAY;
}

void ui_warn(struct ui *ui, struct str text)
{
	ui_copy_str(ui->warning, sizeof(ui->warning), text);
}

void ui_say_longer(struct ui *ui, struct str text, int64_t now)
{
	ui_say(ui, text, now);
	ui->say_until = now + SAY_LONGER;
}

struct str ui_copy_text(const struct ui *ui)
{
	return buf_str(&ui->copy);
}

struct str ui_export_file(const struct ui *ui)
{
	return str_of(ui->file);
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

bool ui_line_toggled(const struct ui *ui, const struct line *line)
{
	return ui_toggled(ui, line->key) || (line->about && ui_toggled(ui, line->about));
}

static void toggle(struct ui *ui, uint64_t key)
{
	for (size_t i = 0; i < ui->ntoggled; i++)
		if (ui->toggled[i] == key) {
			ui->toggled[i] = ui->toggled[--ui->ntoggled];
			return;
		}
	assert(ui->ntoggled <= TOGGLED);
	if (ui->ntoggled == TOGGLED) { /* forget the oldest */
		memmove(ui->toggled, ui->toggled + 1, (TOGGLED - 1) * sizeof(ui->toggled[0]));
		ui->ntoggled--;
	}
	ui->toggled[ui->ntoggled++] = key;
}

void ui_toggle_line(struct ui *ui, const struct line *line)
{
	bool was = ui_line_toggled(ui, line);

	if (ui_toggled(ui, line->key) == was)
		toggle(ui, line->key);
	if (line->about && ui_toggled(ui, line->about) == was)
		toggle(ui, line->about);
}

/* ---- the selection ------------------------------------------------------------- */

bool ui_selects(const struct ui *ui)
{
	const struct place *place = ui_place_const(ui);

	return ui_open_view(ui)->lists || (place->view == VIEW_DETAIL && tab_lists(place->tab));
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

struct handle ui_chosen(const struct ui *ui)
{
	const struct place *place = ui_place_const(ui);

	return place->moved || place->filter[0] ? ui_subject(ui) : place->subject;
}

uint32_t ui_alike(const struct ui *ui)
{
	const struct line *line = ui_line(ui);

	/* A row of Changes that stands for several objects has no first object, and its count is another one. */
	if (line && line->object.slot)
		return line->count && !ui_open_view(ui)->counts_own ? line->count : 1;
	return line && line->texts && line->texts->waiter.slot ? 1 : ui_place_const(ui)->alike;
}

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

struct handle ui_named(const struct ui *ui)
{
	const struct line *line = ui_line(ui);

	return !line ? HANDLE_NONE : line->count ? line->of : line->object;
}

bool ui_unfolds(const struct ui *ui)
{
	const struct line *line = ui_line(ui);

	return line && line->fold != FOLD_NONE && !ui_named(ui).slot && (line->count || !ui_absent(ui).slot);
}

struct handle ui_absent(const struct ui *ui)
{
	const struct line *line = ui_line(ui);

	return line && line->texts ? line->texts->absent : HANDLE_NONE;
}

struct str ui_group_namespace(const struct ui *ui, const struct line *line)
{
	bool group = ui_view(ui) == VIEW_TABLE && ui->group == GROUP_NAMESPACE && line->count && !line->object.slot;

	return group && line->texts ? line->texts->name : STR_NONE;
}

size_t ui_pin_of(const struct ui *ui, const struct scene *scene, const struct line *line)
{
	struct str ns = ui_group_namespace(ui, line);

	if (ns.len)
		return pins_of_namespace(&ui->pins, line->texts->cluster, ns);
	if (!line->object.slot || line->depth || !(1u << ui_view(ui) & IN_LISTS))
		return line->count ? ui->pins.n : pins_of(&ui->pins, line->object);
	return pins_over(&ui->pins, scene->store, line->count && line->of.slot ? line->of.slot : line->object.slot);
}

/* ---- texts that are read --------------------------------------------------------- */

bool ui_reads_text(const struct ui *ui)
{
	const struct place *place = ui_place_const(ui);

	return ui_open_view(ui)->reads || (place->view == VIEW_DETAIL && tab_is_text(place->tab));
}

bool place_is_log(const struct place *place)
{
	return place->view == VIEW_DETAIL && place->tab == TAB_LOGS;
}

/* ---- the moment that is shown ----------------------------------------------------- */

int64_t ui_seek_time(const struct ui *ui)
{
	return ui->seek_time;
}

enum action ui_later(const struct ui *ui)
{
	return ui->later;
}

void ui_seek(struct ui *ui, int64_t at)
{
	ui->seek_time = at;
}

uint64_t ui_observed(const struct ui *ui)
{
	return ui->observer.added;
}

const struct observer *ui_shown(const struct ui *ui, const struct scene *scene)
{
	return scene->past ? &ui->past_observer : &ui->observer;
}

/*
 * Returns true when the user acknowledged this cause in this state.  Problems then says "acknowledged: ..." and
 * Markdown ", acknowledged".
 */
bool ui_acknowledged(const struct ui *ui, uint64_t cause, uint64_t state)
{
	for (size_t i = 0; i < ui->nacked; i++)
		if (ui->acked[i].cause == cause && ui->acked[i].state == state)
			return true;
	return false;
}

/* ---- what the program must fetch ----------------------------------------------------- */

bool ui_previews(const struct ui *ui)
{
	return ui->preview == PREVIEW_ON || (ui->preview == PREVIEW_BY_WIDTH && ui->cols >= PREVIEW_BESIDE);
}

enum want ui_wants(const struct ui *ui, struct handle *out_handle)
{
	const struct place *place = ui_place_const(ui);

	*out_handle = place->subject;
	if (ui_open_view(ui)->wants)
		return ui_open_view(ui)->wants(ui, out_handle);
	if (ui_previews(ui) && (1u << place->view & IN_LISTS)) {
		*out_handle = ui_subject(ui);
		return out_handle->slot ? WANT_OWN_EVENTS : WANT_NOTHING;
	}
	return WANT_NOTHING;
}

const struct journal_entry *ui_transition_before(const struct ui *ui, const struct scene *scene, int64_t time)
{
	const struct observer *o = &ui->observer;

	for (size_t i = o->count; i-- > 0;) {
		const struct journal_entry *m = observe_transition(o, scene, i);

		if (!m || m->time < scene->history_from)
			return NULL;
		if (m->time < time)
			return m;
	}
	return NULL;
}

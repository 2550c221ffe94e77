/* SPDX-License-Identifier: Apache-2.0 */
/* Root causes that are new, and root causes that the user acknowledged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/base/alloc.h"
#include "tui/ui/act.h"
#include "tui/ui/alarm.h"
#include "tui/view/bars.h"
#include "tui/view/blocked.h"
#include "tui/words/words.h"

#define FLAPPING (5 * 60000) /* ms: a root cause that comes back within this time is not new */

static int compare_keys(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

void ui_arrived(struct ui *ui, struct handle h)
{
	if (!ui->observer.settled)
		ui->arrived[ui->narrived++ % ARRIVED] = h;
}

/*
 * True when an object that a watch brought belongs to the cause: then the cause is new, although some kinds are still
 * being listed for the first time.
 */
static bool has_arrived(const struct ui *ui, const struct scene *scene, const struct cause_group *cause)
{
	for (size_t i = 0; i < ui->narrived && i < ARRIVED; i++)
		if (cause_concerns(scene->graph, cause, ui->arrived[i]))
			return true;
	return false;
}

static bool is_among(const uint64_t *keys, size_t n, uint64_t key)
{
	return n && bsearch(&key, keys, n, sizeof(key), compare_keys);
}

static bool was_there(const struct ui *ui, uint64_t key, int64_t now)
{
	for (size_t i = 0; i < ui->ngone_causes && i < GONE_CAUSES; i++)
		if (ui->gone_causes[i].cause == key && now - ui->gone_causes[i].at < FLAPPING)
			return true;
	return is_among(ui->causes, ui->ncauses, key);
}

static bool rings(const struct ui *ui, const struct scene *scene, const struct cause_group *cause)
{
	uint64_t key = cause_key(cause);

	return cause->what.severity >= SEVERITY_WARNING && !was_there(ui, key, scene->now) &&
	       !ui_acknowledged(ui, key, cause_state(cause)) && (ui->causes_known || has_arrived(ui, scene, cause));
}

/*
 * Sets the text "3 root causes, new: network/net".  It is true while that cause exists, and is set once more when the
 * number of causes changes.
 */
static void set_alarm(struct ui *ui, size_t n)
{
	struct arena a = { 0 };

	ui->alarm_count = n;
	ui_copy_str(ui->alarm, sizeof(ui->alarm), ARENA_JOIN(&a, words_causes(n, &a), STR(", new: "), str_of(ui->alarm_name)));
	arena_release(&a);
}

/*
 * Forgets that the cause was acknowledged.  A cause that was gone for longer than FLAPPING had healed, so that its
 * return is a change.
 */
static void forget_acknowledged(struct ui *ui, uint64_t cause)
{
	for (size_t i = 0; i < ui->nacked; i++)
		if (ui->acked[i].cause == cause)
			ui->acked[i--] = ui->acked[--ui->nacked];
}

/* Raises the alarm for a root cause that did not exist before; the causes that the first lists bring raise none. */
static void note_new_causes(struct ui *ui, const struct scene *scene, const struct cause_group *causes, size_t n)
{
	struct arena a = { 0 };
	uint64_t *keys = xreallocarray(NULL, n + 1, sizeof(*keys));

	for (size_t i = 0; i < n; i++) {
		keys[i] = cause_key(&causes[i]);
		if (ui->causes_known && !was_there(ui, keys[i], scene->now))
			forget_acknowledged(ui, keys[i]);
		if (!ui->alarm[0] && rings(ui, scene, &causes[i])) {
			struct str title = str_head(cause_title(store_kinds(scene->store), &causes[i], TITLE_ALONE, &a), 80);

			ui->alarming = keys[i];
			ui->alarm_rings = true;
			ui->alarm_told = false;
			ui_copy_str(ui->alarm_name, sizeof(ui->alarm_name), title);
			set_alarm(ui, n);
		}
	}
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < ui->ncauses; i++)
		if (!is_among(keys, n, ui->causes[i]))
			ui->gone_causes[ui->ngone_causes++ % GONE_CAUSES] = (struct gone_cause){ ui->causes[i], scene->now };
	xfree(ui->causes);
	ui->causes = keys;
	if (ui->alarming && !is_among(keys, n, ui->alarming)) {
		ui->alarming = 0;
		ui->alarm_over = true;
	}
	if (ui->alarming && ui->alarm_told && ui->alarm_count != n)
		set_alarm(ui, n);
	ui->ncauses = n;
	ui->causes_known = ui->observer.settled;
	ui->narrived = 0;
	arena_release(&a);
}

void ui_note_causes(struct ui *ui, const struct scene *scene)
{
	struct arena a = { 0 };
	size_t n;
	const struct cause_group *causes = cause_groups_selected(scene, &a, &n);

	if (!scene->past)
		note_new_causes(ui, scene, causes, n);
	if (scene->past || !ui->shown_at)
		note_causes(ui, scene, causes, n);
	arena_release(&a);
}

void ui_acknowledge(struct ui *ui, uint64_t cause, uint64_t state)
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

/* True for the row of a root cause, in Problems and in the table that is grouped by cause. */
static bool is_row_of(const struct ui *ui, const struct line *line, uint64_t cause)
{
	return line && ((ui_view(ui) == VIEW_PROBLEMS && line->key == cause) || (line->texts && line->texts->cause == cause));
}

/*
 * Acknowledges the cause in the selected row, or the cause that the selected object is or waits for; a second time
 * undoes it.
 */
unsigned act_acknowledge(struct ui *ui, const struct scene *scene, enum action action)
{
	struct arena a = { 0 };
	const struct line *line = ui_line(ui);
	size_t n, found;
	const struct cause_group *concerning;
	const struct cause_group *causes = cause_groups_selected(scene, &a, &n);
	struct handle h = ui_subject(ui);

	(void)action;
	for (found = 0; found < n; found++)
		if (is_row_of(ui, line, cause_key(&causes[found])))
			break;
	concerning = found == n && h.slot ? cause_concerning(scene->graph, causes, n, h) : NULL;
	if (concerning)
		found = (size_t)(concerning - causes);
	/*
	 * The row moves to the end of Problems.  The selection must not follow it there, but stay for the row after it.
	 */
	if (found < n && ui_view(ui) == VIEW_PROBLEMS) {
		ui_place(ui)->key = 0;
		ui_place(ui)->object = HANDLE_NONE;
	}
	if (found < n)
		ui_acknowledge(ui, cause_key(&causes[found]), cause_state(&causes[found]));
	note_causes(ui, scene, causes, n);
	act_say(ui, scene,
	    found == n ? line && line->count ? "a is for one root cause: unfold the row, or group by cause (z)" :
						      "select a root cause, or what waits for one" :
	    ui_acknowledged(ui, cause_key(&causes[found]), cause_state(&causes[found])) ?
			 "acknowledged: last in Problems until it changes; a on it takes it back" :
			 "not acknowledged any more");
	arena_release(&a);
	ui_dirty(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX;
}

bool ui_alarm_is_over(struct ui *ui)
{
	bool over = ui->alarm_over;

	ui->alarm_over = false;
	return over;
}

struct str ui_alarm(struct ui *ui, bool *out_rings)
{
	/* The text is returned once; alarm_text keeps a copy of it for the caller. */
	struct str alarm = str_of(ui->alarm);

	*out_rings = false;
	if (!alarm.len)
		return STR_NONE;
	ui_copy_str(ui->alarm_text, sizeof(ui->alarm_text), alarm);
	ui->alarm[0] = '\0';
	*out_rings = ui->alarm_rings;
	ui->alarm_rings = false;
	ui->alarm_told = true;
	return str_of(ui->alarm_text);
}

struct str ui_ended(struct ui *ui, const struct scene *scene, struct arena *a)
{
	struct str ended = STR_NONE;
	struct handle moving[PINS];
	size_t n = 0;

	for (size_t i = 0; i < ui->pins.n && !scene->past; i++) {
		struct handle h = ui->pins.all[i].id.handle;
		struct summary s = { .phase = PHASE_UNKNOWN };
		bool there = graph_summary(scene->graph, h, &s), was = false;

		for (size_t k = 0; k < ui->nmoving; k++)
			was |= handle_eq(ui->moving[k], h);
		if (there && (phase_under_way(s.phase) || s.phase == PHASE_DELETING))
			moving[n++] = h;
		else if (was && there)
			ended = ARENA_JOIN(a, words_id(store_kinds(scene->store), &s.id, a), STR(" is "), str_of(phase_name(s.phase)));
		else if (was && store_knows(scene->store, h))
			ended = ARENA_JOIN(a, store_node_id(scene->store, h.slot).name, STR(" is gone"));
	}
	if (scene->past)
		return STR_NONE;
	memcpy(ui->moving, moving, n * sizeof(*moving));
	ui->nmoving = n;
	return ended;
}

void ui_drop_alarm(struct ui *ui)
{
	ui->alarm[0] = '\0';
}

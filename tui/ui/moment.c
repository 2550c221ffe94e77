/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys that pause and that go to an earlier or later moment.  The program then shows the cluster as it was at that
 * moment.
 */
#include "kube/base/time.h"
#include "tui/ui/act.h"
#include "tui/view/density.h"
#include "tui/words/words.h"

static unsigned seek(struct ui *ui, int64_t at)
{
	ui->seek_time = at;
	return EFFECT_SEEK | EFFECT_REPAINT;
}

/* Returns the first transition that was observed after a time; NULL: there is none. */
static const struct journal_entry *transition_after(const struct ui *ui, const struct scene *scene, int64_t time)
{
	const struct observer *o = &ui->observer;

	for (size_t i = observe_oldest(o, scene); i < o->count; i++)
		if (observe_transition(o, scene, i)->time > time)
			return observe_transition(o, scene, i);
	return NULL;
}

static unsigned say_reach(struct ui *ui, const struct scene *scene, const char *what)
{
	struct arena a = { 0 };

	ui_say(ui, ARENA_JOIN(&a, str_of(what), STR(": what was observed reaches back to "), words_clock(scene->from, &a)), scene->clock);
	arena_release(&a);
	return EFFECT_REPAINT;
}

static unsigned later(struct ui *ui, enum action action)
{
	ui->later = action;
	return EFFECT_LATER | EFFECT_REPAINT;
}

/* Returns the moment that is shown, or that the program is on its way to: keys that come meanwhile add up; INT64_MAX: now. */
static int64_t moment(const struct ui *ui, const struct scene *scene)
{
	int64_t at = scene->seeking ? ui->seek_time : scene->past ? scene->now : 0;

	return at ? at : INT64_MAX;
}

/* Returns the same as a time: now is the latest one. */
static int64_t moment_time(const struct ui *ui, const struct scene *scene)
{
	int64_t at = moment(ui, scene);

	return at < INT64_MAX ? at : scene->latest ? scene->latest : scene->now;
}

static unsigned step_back(struct ui *ui, const struct scene *scene)
{
	const struct journal_entry *m = ui_transition_before(ui, scene, moment(ui, scene));

	if (m)
		return seek(ui, m->time);
	if (scene->reading || (scene->history_from > scene->from && !scene_is_replay(scene)))
		return later(ui, ACTION_STEP_BACK);
	return scene->history_from > scene->from ? EFFECT_BEFORE | EFFECT_REPAINT : say_reach(ui, scene, "nothing changed before");
}

static unsigned step_forward(struct ui *ui, const struct scene *scene)
{
	int64_t at = moment(ui, scene);
	const struct journal_entry *m = transition_after(ui, scene, at);

	if (!scene_is_replay(scene) && at < scene->history_from)
		return later(ui, ACTION_STEP_FORWARD);	/* the next change may be one that is not read yet */
	if (m)
		return seek(ui, m->time);
	if (!scene_is_replay(scene))
		return ui->seek_time ? seek(ui, 0) : act_say(ui, scene, "it is now; [ goes back");
	if (scene->header->ended)
		return act_say(ui, scene, "nothing changes any more: the recording ends");
	return EFFECT_NEXT | EFFECT_REPAINT;
}

static unsigned minute_back(struct ui *ui, const struct scene *scene)
{
	int64_t at = moment_time(ui, scene) - MINUTES(1);

	if (scene->from && at >= scene->from)
		return seek(ui, at);
	if (scene->reading)
		return later(ui, ACTION_MINUTE_BACK);
	say_reach(ui, scene, "no further back");
	return seek(ui, scene->from);
}

static unsigned minute_forward(struct ui *ui, const struct scene *scene)
{
	int64_t at = moment_time(ui, scene) + MINUTES(1);

	if (scene_is_replay(scene))
		return seek(ui, at < scene->until ? at : scene->until);
	if (!ui->seek_time)
		return act_say(ui, scene, "it is now; { goes back");
	return seek(ui, at < scene->latest ? at : 0);
}

unsigned act_seek(struct ui *ui, const struct scene *scene, enum action action)
{
	if (scene->waiting && action != ACTION_PAUSE)
		return later(ui, action);
	if (!scene->from && !scene->reading)
		return act_say(ui, scene, scene_is_replay(scene) || scene->header->link == LINK_LIVE ?
						  "nothing was observed yet" : "there is no other time to look at");
	switch ((int)action) {
	case ACTION_STEP_BACK:
		return step_back(ui, scene);
	case ACTION_STEP_FORWARD:
		return step_forward(ui, scene);
	case ACTION_MINUTE_BACK:
		return minute_back(ui, scene);
	case ACTION_MINUTE_FORWARD:
		return minute_forward(ui, scene);
	default:
		return seek(ui, ui->seek_time ? 0 : scene->now);
	}
}

unsigned seek_click(struct ui *ui, const struct scene *scene, int col, int cols)
{
	return seek(ui, density_time(scene, col, cols));
}

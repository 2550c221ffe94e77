/* SPDX-License-Identifier: Apache-2.0 */
/* The actions that copy texts, write a capsule, run a command and open the editor. */
#include "tui/ui/act.h"
#include "tui/view/absent.h"
#include "tui/view/markdown.h"
#include "tui/view/output_view.h"
#include "tui/view/why.h"
#include "tui/words/words.h"

/* Returns the command of the selected row or of the open view; "": it has none. */
static struct str look_command(struct ui *ui, const struct scene *scene, enum command_reader reader, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	const struct line *line = ui_line(ui);
	struct summary s;

	if (ui_open_view(ui)->command)
		return ui_open_view(ui)->command(ui, reader);
	/*
	 * The details of an object that does not exist show one command, whichever of the objects that refer to it is
	 * selected.
	 */
	if (place->view == VIEW_DETAIL && is_absent(scene, place->subject))
		return absent_command(scene, place->subject, reader, a);
	if (line && line->texts && line->texts->name.len)
		return line->texts->command[reader];
	if (!graph_summary(scene->graph, ui_subject(ui), &s))
		return STR_NONE;
	if (place->view == VIEW_DETAIL || place->view == VIEW_WHY)
		return why_next_step(scene->graph, &s, reader, a); /* the command that these views show */
	return words_command(scene->graph, &s.id, WAIT_NONE, s.reason, reader, a);
}

/* Returns the name of the selected row or of the object that is shown; of an asynchronous operation its identifier. */
static struct str name_words(struct ui *ui, const struct scene *scene, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	const struct line *line = ui_line(ui);
	const struct async *async;
	struct item item;

	if (place->view == VIEW_DETAIL && is_absent(scene, place->subject))
		return absent_id(scene, place->subject).name;
	if (line && line->texts && line->texts->name.len)
		return line->texts->name;
	if (!graph_item(scene->graph, ui_subject(ui), a, &item))
		return STR_NONE;
	async = item.status.async;
	if (place->view == VIEW_DETAIL && place->tab == TAB_ASYNC && async)
		return async->work_request_id.len ? async->work_request_id : async->request_id;
	return item.s.id.name;
}

unsigned act_copy(struct ui *ui, const struct scene *scene, enum action action)
{
	struct arena a = { 0 };
	struct str words;

	buf_reset(&ui->copy);
	ui->copy.max = 2 * COPY_BYTES;
	words = action == ACTION_COPY_COMMAND ? look_command(ui, scene, READER_ELSEWHERE, &a) : name_words(ui, scene, &a);
	if (words.len) {
		clean_text(&ui->copy, words);
		ui_say(ui, ARENA_JOIN(&a, STR("copied"), words_alike(ui_alike(ui), &a), STR(": "), words),
		       scene->clock);
	} else {
		act_say(ui, scene, "nothing to copy here");
	}
	arena_release(&a);
	return ui->copy.len ? EFFECT_COPY | EFFECT_REPAINT : EFFECT_REPAINT;
}

unsigned act_markdown(struct ui *ui, const struct scene *scene, enum action action)
{
	bool one = ui_view(ui) == VIEW_DETAIL || ui_view(ui) == VIEW_WHY || ui_view(ui) == VIEW_TREE;

	(void)action;
	buf_reset(&ui->copy);
	ui->copy.max = 2 * COPY_BYTES;
	if (!one)
		markdown_incident(ui, scene, &ui->copy);
	else if (!markdown_object(ui, scene, ui_place(ui)->subject, &ui->copy))
		return act_say(ui, scene, "nothing to copy here");
	act_say(ui, scene, one ? "copied as Markdown: this cause" : "copied as Markdown: the incident");
	return EFFECT_COPY | EFFECT_REPAINT;
}

unsigned act_run(struct ui *ui, const struct scene *scene, enum action action)
{
	enum link link = scene->header->link;
	struct arena a = { 0 };
	struct str command;

	(void)action;
	if (link == LINK_FILES || link == LINK_REPLAY)
		return act_say(ui, scene, "there is no cluster to ask: files and recordings only show");
	command = look_command(ui, scene, READER_HERE, &a);
	buf_reset(&ui->copy);
	ui->copy.max = 2 * COPY_BYTES;
	clean_text(&ui->copy, command);
	if (!ui_open_view(ui)->command)
		output_note_elsewhere(ui, look_command(ui, scene, READER_ELSEWHERE, &a));
	arena_release(&a);
	if (!ui->copy.len || ui->copy.failed)
		return act_say(ui, scene, ui->copy.len ? "its command is too long" : "there is no command for this row");
	return EFFECT_RUN | EFFECT_REPAINT;
}

unsigned act_hand_over(struct ui *ui, const struct scene *scene, enum action action)
{
	(void)action;
	if (!scene->changes)
		return act_say(ui, scene, "files are handed over as they are: there is nothing more to record");
	return EFFECT_HAND_OVER | EFFECT_REPAINT;
}


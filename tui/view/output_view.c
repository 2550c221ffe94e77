/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/output_view.h"
#include "tui/view/markdown.h"
#include "tui/view/place.h"
#include "tui/view/read_text.h"

/* The state of the view. */
struct output {
	struct buf command, elsewhere, printed;	/* elsewhere: the command for READER_ELSEWHERE */
	char remark[SAY_BYTES];
};

static struct output *own(const struct ui *ui)
{
	return ui_own(ui, VIEW_OUTPUT);
}

void output_note_elsewhere(struct ui *ui, struct str command)
{
	buf_reset(&own(ui)->elsewhere);
	clean_text(&own(ui)->elsewhere, command);
}

void ui_show_output(struct ui *ui, struct str command, struct str printed, struct str remark)
{
	struct output *o = own(ui);

	/* When the view is open already, the new output replaces the old one in the same place. */
	if (ui_view(ui) != VIEW_OUTPUT)
		ui_go(ui, VIEW_OUTPUT, HANDLE_NONE);
	buf_reset(&o->command);
	buf_add(&o->command, command);
	buf_reset(&o->printed);
	buf_add(&o->printed, printed);
	ui_copy_str(o->remark, sizeof(o->remark), remark);
	ui->found = 0;
	ui_dirty(ui);
}

static void output_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct str rest = buf_str(&own(ui)->printed), line;

	(void)scene;
	ui->note = str_of(own(ui)->remark);
	while (rest.len && str_split(&rest, '\n', &line)) {
		if (str_ends(line, "\r"))
			line.len--;
		add_read_line(ui, lines, READ_LEAD, without_colours(line, lines->arena), 2);
	}
	if (lines->n == 0)
		lines_note(lines, STR(" It printed nothing."));
}

static struct str output_heading(const struct ui *ui, struct arena *a)
{
	return ARENA_JOIN(a, STR("$ "), buf_str(&own(ui)->command));
}

static struct str output_command(const struct ui *ui, enum command_reader reader)
{
	return buf_str(reader == READER_HERE ? &own(ui)->command : &own(ui)->elsewhere);
}

static bool output_act(struct ui *ui, const struct scene *scene, enum action action, unsigned *out_effects)
{
	bool walks = action == ACTION_NEXT_PROBLEM || action == ACTION_PREVIOUS_PROBLEM;

	if (action != ACTION_COPY && (!walks || ui_place(ui)->search[0]))
		return false;
	*out_effects = act_say(ui, scene, walks ? "/ searches, then n and N go on" : "nothing to copy here");
	return true;
}

static void output_end(void *state)
{
	struct output *o = state;

	buf_release(&o->command);
	buf_release(&o->elsewhere);
	buf_release(&o->printed);
}

const struct view view_output = {
	.title = "output",
	.build = output_build,
	.reads = true,
	.heading = output_heading,
	.act = output_act,
	.command = output_command,
	.state = sizeof(struct output),
	.end = output_end,
};

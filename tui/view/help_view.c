/* SPDX-License-Identifier: Apache-2.0 */
/* The view of the keys and what they do.  Its texts are those of actions.def. */
#include "tui/view/views.h"
#include "tui/words/words.h"

enum { KEYS = 18 }; /* the columns of the first cell, with the blank behind it */

/* Adds a key and its text.  A text that is too long continues on the next line. */
static void add_row(struct lines *lines, struct text name, struct str text, int cols, struct arena *a)
{
	struct lines wrapped = { .arena = a };

	lines_wrap(&wrapped, text, (struct text){ STR_NONE, STR_NONE, STYLE_NORMAL }, cols - KEYS - 2);
	for (size_t i = 0; i < wrapped.n; i++) {
		lines_add(lines);
		lines_cell(lines, i ? STR_NONE : name.str, name.style);
		lines_cell(lines, wrapped.all[i].cells[1].str, STYLE_NORMAL);
	}
}

static void add_legend(struct lines *lines, int cols, struct arena *a)
{
	static const struct {
		enum phase phase;
		const char *text;
	} rows[] = {
		{ PHASE_FAILED, "stopped, or cannot reach its goal without a change: see why (w)" },
		{ PHASE_WAITING, "cannot go on until something else is there; that is named" },
		{ PHASE_PROVISIONING, "under way (also Updating, Maintenance, Scaling)" },
		{ PHASE_DEGRADED, "usable, but not as promised" },
		{ PHASE_DELETING, "is being deleted" },
		{ PHASE_SUSPENDED, "paused by a person or a policy" },
		{ PHASE_READY, "at its goal" },
		{ PHASE_UNKNOWN, "not enough information to say" },
	};

	static const struct {
		const char *word;
		enum style style;
		const char *text;
	} words[] = {
		{ "!", STYLE_WARN, "behind an age: overdue, it has taken more than half an hour" },
		{ "+", STYLE_NORMAL, "behind an age: at least; what it waits for has this age" },
		{ "root cause", STYLE_NORMAL, "what is left when waits are followed to their end; it blocks all that waits for it" },
		{ "newly broken", STYLE_WARN, "was well, and for at most 5 minutes has failed, is degraded or waits" },
		{ "healed", STYLE_GOOD, "was not well, and for at most 5 minutes has been ready again" },
		{ "not looked up", STYLE_UNKNOWN, "something refers to it, and whether it exists is not known" },
		{ "not watched", STYLE_WARN, "kinds that the server does not report changes of: they are read again and again" },
		{ "decided by", STYLE_NORMAL, "what in the object decided its phase" },
	};

	lines_heading(lines, "Words");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add_row(lines, words_phase(rows[i].phase, a), str_of(rows[i].text), cols, a);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		add_row(lines, (struct text){ str_of(words[i].word), STR_NONE, words[i].style }, str_of(words[i].text), cols, a);
}

static void help_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	size_t n;
	const struct action_row *rows = action_rows(&n);

	(void)scene;
	ui->ncolumns = 2;
	ui->columns[0] = (struct column){ .title = "", .min = 14, .want = 18, .max = 18 };
	ui->columns[1] = (struct column){ .title = "", .min = 10, .want = 60, .grow = 1 };
	for (size_t i = 0; i < n; i++) {
		if (rows[i].action == ACTION_NONE) {
			if (i)
				lines_blank(lines);
			lines_heading(lines, rows[i].text);
			continue;
		}
		add_row(lines, (struct text){ bindings_keys(ui->bindings, rows[i].action), STR_NONE, STYLE_KEY },
			str_of(rows[i].text), ui->cols, &arena);
	}
	lines_blank(lines);
	add_legend(lines, ui->cols, &arena);
	arena_release(&arena);
}

const struct view view_help = { .title = "keys", .build = help_build, .opens_by = ACTION_HELP };

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the manual page in roff: the text of manual.roff, and the tables of options, commands, keys, columns and thresholds. */
#include "plugin/help/help.h"

#include "kube/base/time.h"
#include "kube/family/families.h"
#include "kube/status/thresholds.h"
#include "plugin/options.h"
#include "tui/state/action.h"
#include "tui/view/columns.h"

#include <string.h>

/* Appends text with the characters escaped that roff would interpret. */
static void roff(struct buf *out, const char *text)
{
	for (const char *p = text; *p; p++)
		buf_printf(out, *p == '-' ? "\\-" : *p == '\\' ? "\\e" : "%c", *p);
}

static void manual_options(struct buf *out)
{
	size_t n;
	const struct option_row *r = options_rows(&n);

	for (size_t i = 0; i < n; i++) {
		if (r[i].group) {
			buf_printf(out, ".SS %s\n", r[i].group);
			continue;
		}
		buf_add_cstr(out, ".TP\n.B ");
		if (r[i].letter)
			buf_printf(out, "\\-%c", r[i].letter);
		if (strlen(r[i].name) > 1) {
			buf_add_cstr(out, r[i].letter ? ", \\-\\-" : "\\-\\-");
			roff(out, r[i].name);
		}
		if (r[i].takes_value)
			buf_printf(out, " \\fI%s\\fR", r[i].arg);
		buf_add_char(out, '\n');
		roff(out, r[i].help);
		buf_add_char(out, '\n');
	}
}

/* Appends each action of the keyboard with its name in the preferences. */
static void manual_keys(struct buf *out)
{
	char name[ACTION_NAME];
	size_t n;
	const struct action_row *r = action_rows(&n);

	for (size_t i = 0; i < n; i++) {
		if (r[i].action == ACTION_NONE) {
			buf_printf(out, ".SS %s\n", r[i].text);
			continue;
		}
		buf_add_cstr(out, ".TP\n.B ");
		roff(out, r[i].keys);
		buf_add_cstr(out, " \\fR(");
		roff(out, action_name(r[i].action, name));
		buf_add_cstr(out, ")\n");
		roff(out, r[i].text);
		buf_add_char(out, '\n');
	}
}

/* Appends the thresholds with their defaults, as a preferences file has them. */
static void manual_thresholds(struct buf *out)
{
	struct threshold_row r;
	char text[TIME_TEXT];

	for (size_t i = 0; thresholds_row(families_all, i, &r); i++) {
		struct buf line = { 0 };

		if (r.count)
			buf_printf(&line, "%s: %lld", r.name, (long long)r.value);
		else if (r.value % HOURS(1) == 0)
			buf_printf(&line, "%s: %lldh", r.name, (long long)(r.value / HOURS(1)));	/* a duration knows no days */
		else
			buf_printf(&line, "%s: %s", r.name, time_age(r.value, text));
		buf_printf(out, "  %-30s # %s\n", buf_cstr(&line), r.what);
		buf_release(&line);
	}
}

static void manual_commands(struct buf *out, const char *command)
{
	for (const struct command_row *r = help_commands; r->command; r++) {
		buf_add_cstr(out, ".TP\n.B ");
		roff(out, command);
		buf_add_char(out, ' ');
		roff(out, r->command);
		if (*r->args)
			buf_add_char(out, ' ');
		roff(out, r->args);
		buf_add_char(out, '\n');
		roff(out, r->what);
		buf_add_char(out, '\n');
	}
}

static void manual_columns(struct buf *out)
{
	for (size_t i = 0; column_name(i); i++) {
		buf_add_cstr(out, i ? ", " : "");
		roff(out, column_name(i));
	}
	buf_add_cstr(out, ".\n");
}

static const char *const lines[] = {
#include "manual.roff.def"
};

/* Appends what stands for a line that begins with "@". */
static void add_part(struct buf *out, const char *name, const char *command)
{
	static const struct {
		const char *name;
		void (*add)(struct buf *out);
	} parts[] = {
		{ "@options\n", manual_options },
		{ "@keys\n", manual_keys },
		{ "@columns\n", manual_columns },
		{ "@thresholds\n", manual_thresholds },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcmp(name, parts[i].name) == 0)
			parts[i].add(out);
	if (strcmp(name, "@commands\n") == 0)
		manual_commands(out, command);
}

/* Appends a line with the names of the program in it. */
static void add_line(struct buf *out, struct str line, const char *file, const char *command)
{
	size_t at = str_find(line, '@');

	buf_add(out, str_head(line, at));
	line = str_from(line, at);
	if (str_starts(line, "@file"))
		roff(out, file);
	else if (line.len)
		roff(out, command);
	buf_add(out, str_from(line, str_starts(line, "@file") ? strlen("@file") : strlen("@command")));
}

void manual_print(struct buf *out, const char *file)
{
	struct command_name command = options_command(file);

	buf_add_cstr(out, ".TH ");
	roff(out, file);
	buf_add_cstr(out, " 1 " RELEASED " \"kubectl status " VERSION "\"\n");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (lines[i][0] == '@' && !str_starts(str_of(lines[i]), "@file"))
			add_part(out, lines[i], command.text);
		else if (!str_starts(str_of(lines[i]), ".\\\""))
			add_line(out, str_of(lines[i]), file, command.text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the help, the options and the version, in lines no wider than the terminal.  The help screen is made from
 * options.def.
 */
#include "plugin/help/help.h"

#include "kube/base/nearest.h"
#include "kube/model/document.h"
#include "plugin/output/document_form.h"

#include "commit.h" /* defines COMMIT; written by make */

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- lines ----------------------------------------------------------------- */

/* The width of the text where there is no terminal, and the least that it is wrapped to, columns. */
enum { WIDTH = 80, NARROWEST = 40 };

/* A text that is being written: where its lines go, and how wide they may be. */
struct help {
	struct buf *out;
	size_t width;
};

static struct help help_begin(struct output *out)
{
	struct winsize size;
	bool terminal = isatty(out->fd) && ioctl(out->fd, TIOCGWINSZ, &size) == 0 && size.ws_col;
	size_t width = terminal ? size.ws_col : WIDTH;

	return (struct help){ &out->buf, width < NARROWEST ? NARROWEST : width };
}

static void pad(struct buf *out, size_t n)
{
	while (n--)
		buf_add_char(out, ' ');
}

/*
 * Adds the words of a text and ends the line.  The line has at columns already; those that follow begin at indent.  The
 * texts are ASCII: a byte is a column.
 */
static void add_words(const struct help *h, size_t at, size_t indent, struct str text)
{
	struct str word;
	bool first = true;

	while (str_split(&text, ' ', &word)) {
		if (!first && at + 1 + word.len > h->width) {
			buf_add_char(h->out, '\n');
			pad(h->out, indent);
			at = indent;
		} else if (!first) {
			buf_add_char(h->out, ' ');
			at++;
		}
		buf_add(h->out, word);
		at += word.len;
		first = false;
	}
	buf_add_char(h->out, '\n');
}

static void add_line(const struct help *h, size_t indent, const char *text)
{
	pad(h->out, indent);
	add_words(h, indent, indent ? indent + 2 : 0, str_of(text));
}

/* Adds what something is called and what it is, which begins at that column, or in the next line for a long name. */
static void add_row(const struct help *h, size_t column, struct str name, const char *what)
{
	size_t least = NARROWEST / 5, at = 2 + name.len;

	if (h->width < 2 * column)
		column = least;
	buf_add_cstr(h->out, "  ");
	if (at + 2 > column) {
		add_words(h, 2, 4, name);
		at = 0;
	} else {
		buf_add(h->out, name);
	}
	pad(h->out, column - at);
	add_words(h, column, column, str_of(what));
}

/* ---- options ----------------------------------------------------------------- */

/* Where the descriptions begin: most options are shorter, and half of a usual line is left. */
enum { OPTION_COLUMN = 34, COMMAND_COLUMN = 40 };

static void add_option(const struct help *h, const struct option_row *r)
{
	struct buf flag = { 0 };

	if (r->letter)
		buf_printf(&flag, "-%c", r->letter);
	if (strlen(r->name) > 1)
		buf_printf(&flag, "%s--%s", r->letter ? ", " : "    ", r->name);
	if (r->takes_value)
		buf_printf(&flag, "%s%s", strlen(r->name) > 1 ? "=" : " ", r->arg);
	add_row(h, OPTION_COLUMN, buf_str(&flag), r->help);
	buf_release(&flag);
}

static void add_options(const struct help *h)
{
	size_t n;
	const struct option_row *r = options_rows(&n);

	for (size_t i = 0; i < n; i++)
		if (r[i].group)
			buf_printf(h->out, "%s%s:\n", i ? "\n" : "", r[i].group);
		else
			add_option(h, &r[i]);
}

/* ---- the help -------------------------------------------------------------------- */

/* Adds a line of the usage or an example, which begins with the command. */
static void add_command(const struct help *h, const char *command, const char *args)
{
	struct buf line = { 0 };

	buf_printf(&line, "%s%s%s", command, *args ? " " : "", args);
	add_line(h, 2, buf_cstr(&line));
	buf_release(&line);
}

/* Adds a line for each command, with all that may follow it. */
static void add_usages(const struct help *h, const char *command)
{
	for (const struct command_row *r = help_commands; r->command;) {
		const struct command_row *first = r;
		struct buf usage = { 0 };

		buf_add_cstr(&usage, first->command);
		for (; r->command && strcmp(r->command, first->command) == 0; r++)
			buf_printf(&usage, "%s%s", r > first ? "|" : *r->args ? " " : "", r->args);
		add_command(h, command, buf_cstr(&usage));
		buf_release(&usage);
	}
}

static void add_help(const struct help *h, const char *command)
{
	static const struct {
		const char *args, *what;
	} examples[] = {
		{ "", "# The dashboard of this namespace" },
		{ "-A --problems", "# What is broken anywhere, by root cause" },
		{ "deploy,pods -o wide", "# A table of these kinds" },
		{ "server/web-0 -o why", "# Why this one is not ready" },
		{ "deploy/web --for Ready --timeout 5m", "# Wait until it is ready" },
		{ "-f dump.yaml -o json", "# Read a dump, without a cluster" },
	};

	add_line(h, 0, "Show what is broken, what waits for it, and since when.");
	buf_add_cstr(h->out, "\nUsage:\n");
	add_command(h, command, "[TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME...]... [flags]");
	add_usages(h, command);
	buf_add_char(h->out, '\n');
	add_line(h, 0, "Without a TYPE: everything in the namespace that carries status. On a terminal it opens the dashboard, else it "
		       "prints a table. It only reads: get, list and watch.");
	buf_add_cstr(h->out, "\nExamples:\n");
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		add_line(h, 2, examples[i].what);
		add_command(h, command, examples[i].args);
	}
	buf_add_char(h->out, '\n');
	add_options(h);
	buf_add_char(h->out, '\n');
	add_line(h, 0, "Exit status: 0 done; 1 it could not be done, or what was asked for may not be read; 2 usage; with --exit-code or "
		       "--for: 3 something waits or is under way, 4 something is Failed or Degraded.");
}

/* The system and the processor in Go's words, as kubectl prints them; "" where these are not known. */
#if defined(__APPLE__)
#define SYSTEM "darwin"
#else
#define SYSTEM "linux"
#endif
#if defined(__x86_64__)
#define PLATFORM SYSTEM "/amd64"
#elif defined(__aarch64__)
#define PLATFORM SYSTEM "/arm64"
#else
#define PLATFORM ""
#endif

/* Takes the next number of a version: "0", then "1" of "0.1.0". */
static struct str next_number(struct str *version)
{
	struct str number = STR_NONE;

	str_split(version, '.', &number);
	return number;
}

/* Appends the version in the form of "kubectl version -o json", so that a script can read both. */
static void version_json(struct buf *out)
{
	struct document d = document_object(), client = document_add_object(d, "clientVersion");
	struct str rest = STR(VERSION);

	document_add_string(client, "major", next_number(&rest));
	document_add_string(client, "minor", next_number(&rest));
	document_add_string(client, "gitVersion", STR("v" VERSION));
	document_add_text(client, "gitCommit", STR(COMMIT));
	document_add_text(client, "platform", STR(PLATFORM));
	document_print(d, out);
	document_free(d);
	buf_add_char(out, '\n');
}

static int add_version(const struct options *o, struct buf *out, struct err *err)
{
	struct buf json = { 0 };

	if (o->format == FORMAT_NONE) {
		buf_printf(out, "kubectl-status v%s%s%s\n", VERSION, *COMMIT ? " commit " : "", COMMIT);
		return 0;
	}
	if (!options_is_document(o->format))
		return err_set(err, ERR_USAGE, "the version is printed as text, or with -o json, yaml or kyaml");
	version_json(&json);
	document_form(o->format, buf_str(&json), out);
	buf_release(&json);
	return 0;
}

static void add_manual_line(const struct help *h, const struct options *o)
{
	struct buf line = { 0 };

	buf_printf(&line, "'%s options' lists the flags, %s(1) is the manual.", o->command, o->file);
	buf_add_char(h->out, '\n');
	add_line(h, 0, buf_cstr(&line));
	buf_release(&line);
}

/* Appends the help of one command.  Returns false when there is no such command. */
static bool add_command_help(const struct help *h, const struct options *o, const char *name)
{
	bool found = false;

	for (const struct command_row *r = help_commands; r->command; r++) {
		struct buf line = { 0 };

		if (strcmp(r->command, name) != 0)
			continue;
		buf_printf(&line, "%s %s%s%s", o->command, name, *r->args ? " " : "", r->args);
		buf_add_cstr(h->out, found ? "" : "Usage:\n");
		add_row(h, COMMAND_COLUMN, buf_str(&line), r->what);
		buf_release(&line);
		found = true;
	}
	if (found)
		add_manual_line(h, o);
	return found;
}

static int help_on(const struct help *h, const struct options *o, const char *name, struct err *err)
{
	struct nearest near = { .typed = str_of(name) };

	if (add_command_help(h, o, name))
		return 0;
	for (const struct command_row *r = help_commands; r->command; r++)
		nearest_offer(&near, str_of(r->command));
	err_set(err, ERR_USAGE, "unknown command \"%s\"", name);
	return nearest_hint(&near, err, "the commands are completion, rules, mcp, options, version and help");
}

static bool is_word(const struct options *o, const char *word)
{
	return o->nargs == 1 && strcmp(o->args[0], word) == 0;
}

int help_run(const struct options *o, const char *program, struct output *out, struct err *err)
{
	struct help h = help_begin(out);
	int result = 0;

	if (o->nargs == 2 && strcmp(o->args[0], "help") == 0)
		result = help_on(&h, o, o->args[1], err);
	else if (o->help && o->nargs && add_command_help(&h, o, o->args[0]))
		;
	else if (o->help || is_word(o, "help"))
		add_help(&h, o->command);
	else if (o->version || is_word(o, "version"))
		result = add_version(o, &out->buf, err);
	else if (is_word(o, "options"))
		add_options(&h);
	else if (o->nargs && strcmp(o->args[0], "completion") == 0)
		result = completion_run(o, program, out, err);
	else
		return 0;
	output_flush(out);
	return result < 0 ? -1 : 1;
}

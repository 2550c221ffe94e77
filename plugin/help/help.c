/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the help, the options and the version.  The help screen is made from options.def. */
#include "plugin/help/help.h"

#include "kube/base/nearest.h"
#include "kube/model/document.h"
#include "kube/model/yaml.h"
#include "plugin/help/commands.h"
#include "plugin/help/completion.h"

#include "commit.h" /* defines COMMIT; written by make */

#include <string.h>

enum { HELP_COLUMN = 36, COMMAND_COLUMN = 40 };

static void add_option(const struct option_row *r, struct buf *out)
{
	struct buf flag = { 0 };

	if (r->letter)
		buf_printf(&flag, "-%c", r->letter);
	if (strlen(r->name) > 1)
		buf_printf(&flag, "%s--%s", r->letter ? ", " : "    ", r->name);
	if (r->takes_value)
		buf_printf(&flag, "%s%s", strlen(r->name) > 1 ? "=" : " ", r->arg);
	buf_printf(out, "  %-*s %s\n", HELP_COLUMN, buf_cstr(&flag), r->help);
	buf_release(&flag);
}

static void add_options(struct buf *out)
{
	size_t n;
	const struct option_row *r = options_rows(&n);

	for (size_t i = 0; i < n; i++)
		if (r[i].group)
			buf_printf(out, "%s%s:\n", i ? "\n" : "", r[i].group);
		else
			add_option(&r[i], out);
}

static void add_help(const char *command, struct buf *out)
{
	static const struct {
		const char *args, *what;
	} examples[] = {
		{ "", "open the dashboard of this namespace" },
		{ "-A --problems", "print what is broken anywhere, by root cause" },
		{ "deploy,pods -o wide", "print a table of these kinds" },
		{ "server/web-0 -o why", "print why it is not ready" },
		{ "deploy/web --for Ready --timeout 5m", "wait until it is ready" },
		{ "-f dump.yaml -o json", "read a dump, without a cluster" },
	};

	buf_printf(out,
		   "Show what is broken, what waits for it, and since when.\n\n"
		   "Usage:\n"
		   "  %s [TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME...]... [flags]\n"
		   "  %s completion bash|zsh|fish|man|install|uninstall\n"
		   "  %s rules check FILE...|list|show GROUP|new TYPE\n\n"
		   "Without a TYPE: everything in the namespace that carries status. On a terminal it\n"
		   "opens the dashboard, else it prints a table. It only reads: get, list and watch.\n\n"
		   "Examples:\n", command, command, command);
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		buf_printf(out, "  %s %-*s  # %s\n", command, HELP_COLUMN, examples[i].args, examples[i].what);
	buf_add_char(out, '\n');
	add_options(out);
	buf_add_cstr(out, "\nExit status: 0 done; 1 it could not be done; 2 usage; with --exit-code or --for: 3 something waits\n"
			  "or is under way, 4 something is Failed or Degraded.\n");
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

static void version_yaml(struct buf *out)
{
	struct buf text = { 0 };
	struct json doc;

	version_json(&text);
	if (json_parse_verbatim(buf_str(&text), &doc, &(struct err){ 0 }) == 0) {
		yaml_from_json(doc, out);
		json_free(doc);
	}
	buf_release(&text);
}

static int add_version(const struct options *o, struct buf *out, struct err *err)
{
	switch (o->format) {
	case FORMAT_JSON:
		version_json(out);
		return 0;
	case FORMAT_YAML:
		version_yaml(out);
		return 0;
	case FORMAT_NONE:
		buf_printf(out, "kubectl-status v%s%s%s\n", VERSION, *COMMIT ? " commit " : "", COMMIT);
		return 0;
	default:
		return err_set(err, ERR_USAGE, "the version is printed as text, or with -o json or yaml");
	}
}

/* Appends the help of one command.  Returns false when there is no such command. */
static bool add_command_help(const struct options *o, const char *name, struct buf *out)
{
	bool found = false;

	for (const struct command_row *r = help_commands; r->command; r++) {
		struct buf line = { 0 };

		if (strcmp(r->command, name) != 0)
			continue;
		buf_printf(&line, "%s %s%s%s", o->command, name, *r->args ? " " : "", r->args);
		buf_printf(out, "%s  %-*s  %s\n", found ? "" : "Usage:\n", COMMAND_COLUMN, buf_cstr(&line), r->what);
		buf_release(&line);
		found = true;
	}
	if (found)
		buf_printf(out, "\n'%s options' lists the flags, %s(1) is the manual.\n", o->command, o->file);
	return found;
}

static int help_on(const struct options *o, const char *name, struct buf *out, struct err *err)
{
	struct nearest near = { .typed = str_of(name) };

	if (add_command_help(o, name, out))
		return 0;
	for (const struct command_row *r = help_commands; r->command; r++)
		nearest_offer(&near, str_of(r->command));
	err_set(err, ERR_USAGE, "unknown command \"%s\"", name);
	return nearest_hint(&near, err, "the commands are completion, rules, options and version");
}

static bool is_word(const struct options *o, const char *word)
{
	return o->nargs == 1 && strcmp(o->args[0], word) == 0;
}

int help_run(const struct options *o, const char *program, struct output *out, struct err *err)
{
	int result = 0;

	if (o->nargs == 2 && strcmp(o->args[0], "help") == 0)
		result = help_on(o, o->args[1], &out->buf, err);
	else if (o->help && o->nargs && add_command_help(o, o->args[0], &out->buf))
		;
	else if (o->help || is_word(o, "help"))
		add_help(o->command, &out->buf);
	else if (o->version || is_word(o, "version"))
		result = add_version(o, &out->buf, err);
	else if (is_word(o, "options"))
		add_options(&out->buf);
	else if (o->nargs && strcmp(o->args[0], "completion") == 0)
		result = completion_run(o, program, out, err);
	else
		return 0;
	output_flush(out);
	return result < 0 ? -1 : 1;
}

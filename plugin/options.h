/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, parsed by the table options.def. */
#ifndef PLUGIN_OPTIONS_H
#define PLUGIN_OPTIONS_H

#include "kube/base/buf.h"
#include "kube/base/err.h"

enum format {
	FORMAT_NONE,
	FORMAT_TABLE,
	FORMAT_WIDE,
	FORMAT_TREE,
	FORMAT_WHY,
	FORMAT_JSON,
	FORMAT_YAML,
	FORMAT_KYAML,
	FORMAT_NAME,
	FORMAT_BRIEF,
	FORMAT_OPENMETRICS
};

/* A moment as --as-of takes it. */
struct moment_option {
	int64_t time, back;	/* a moment, or a duration before the end, ms; both 0: not given */
	int64_t clock;		/* with by_clock: ms since midnight, UTC, which means the last such moment */
	bool by_clock;
};

/* The values of a flag that may be repeated; values ends with NULL. */
struct option_list {
	const char **values;
	size_t n;
};

#define OPTION_SWITCH bool
#define OPTION_TEXT const char *
#define OPTION_LIST struct option_list
#define OPTION_LEVEL int

/* What --for waits for. */
enum goal { GOAL_NONE, GOAL_PHASE, GOAL_CONDITION, GOAL_DELETE, GOAL_CREATE };

/* The parsed command line.  NULL, false, 0: not given.  Texts are borrowed from argv. */
struct options {
#define GROUP(title)
#define OPTION(field, name, letter, type, arg, help) OPTION_##type field;
#include "plugin/options.def"
#undef OPTION
#undef GROUP
	const char *file;	/* the program's file name: "kubectl-status" */
	char command[64];	/* the command that the user types: "kubectl status" */
	const char **args;	/* the arguments that are no flags; ends with NULL */
	size_t nargs;
	/* standard output is a terminal that can show the dashboard; set by run_program() */
	bool screen;
	enum format format;	/* the value of --output */
	enum goal goal;		/* the value of --for */
	/* with GOAL_CONDITION: the type and the status, "True" when none is named */
	struct str condition, condition_status;
	struct moment_option as_of_moment, diff_moments[2], from_moment, to_moment;
	int64_t timeout_ms, request_timeout_ms;	/* 0: no limit */
	double speed;		/* the value of --speed; 1: real time */
	size_t flight_bytes;	/* the value of --flight-size; 0: not given */
};

/*
 * Reads the command line.  Release with options_release().  Returns -1 with ERR_USAGE, in kubectl's words; then there is nothing
 * to release.
 */
int options_parse(int argc, char **argv, struct options *out, struct err *err) MUST_USE;
void options_release(struct options *o);
struct arena;
/*
 * Returns the directory of the discovery cache, kubectl's unless --cache-dir is given; NULL: there is none.  The text
 * is in the arena, or borrowed from o.
 */
const char *options_cache_dir(const struct options *o, struct arena *arena);
/*
 * Returns the moment to show, ms: that of --as-of, where a duration counts back from otherwise; without the flag
 * otherwise.
 */
int64_t options_moment(const struct options *o, int64_t otherwise);
/* Sets the error that a flag needs a recording, ERR_USAGE.  Returns -1. */
int options_need_recording(const struct options *o, struct err *err);
/* Returns the moment that any such option names, ms; a duration counts back from end. */
int64_t moment_of(struct moment_option m, int64_t end);
/* Returns true for a format that is a document for programs: json, yaml, kyaml. */
bool options_is_document(enum format format);
/* Returns true for a format that tells of one moment as a whole, and of no change: brief, openmetrics. */
bool options_is_moment(enum format format);
/* Returns true when that column is shown of how much is used: "mem". */
bool options_show_use(const struct options *o, const char *column);
/* Returns ERR_USAGE when the order of --sort-by is that of a column which must be shown, and is not.  Columns may come from the preferences. */
int options_check_sort(const struct options *o, struct err *err) MUST_USE;
/* Returns the file name of a path, "kubectl-status" for "/usr/bin/kubectl-status"; borrowed. */
const char *options_file_name(const char *program);

/* Returns the command that runs a program with that file name: "kubectl why-blocked" for "kubectl-why_blocked". */
struct command_name {
	char text[64];
};
struct command_name options_command(const char *file);

/* Return the i-th value of -o, --color, --for and --sort-by, for completions; NULL after the last. */
const char *options_format(size_t i);
const char *options_color(size_t i);
const char *options_phase(size_t i);
const char *options_sort_key(size_t i);

/* One row of the table, for the help, the manual and the completions that are generated from it. */
struct option_row {
	const char *group;	/* the title of the group in its first row, NULL in the others */
	const char *name;
	char letter;
	bool takes_value;
	const char *arg, *help;
};
const struct option_row *options_rows(size_t *out_n);

#endif

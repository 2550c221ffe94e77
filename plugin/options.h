/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, from one table: options.def. */
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
	FORMAT_NAME,
	FORMAT_MARKDOWN,	/* with --diff, --from, --to */
	FORMAT_CSV
};

/* A time as --as-of takes it, ms. */
struct moment_option {
	int64_t time, back;	/* a moment, or a duration before the end; both 0: not given */
	int64_t clock;		/* by_clock: ms since midnight, UTC; the last such moment */
	bool by_clock;
};

/* A list that ends with NULL. */
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

/* NULL, false, 0: not given.  Texts are borrowed from argv. */
struct options {
#define GROUP(title)
#define OPTION(field, name, letter, type, arg, help) OPTION_##type field;
#include "plugin/options.def"
#undef OPTION
#undef GROUP
	const char *file;	/* the program's own name: "kubectl-status" */
	char command[64];	/* as it is called: "kubectl status" */
	const char **args;	/* arguments that are no flags, ends with NULL */
	size_t nargs;
	enum format format;	/* of output */
	enum goal goal;		/* of --for */
	struct str condition, condition_status;	/* of GOAL_CONDITION; "True" when no status is named */
	struct moment_option as_of_moment, diff_moments[2], from_moment, to_moment;
	int64_t timeout_ms, request_timeout_ms;	/* 0: none */
	double speed;		/* 1: real time */
	size_t flight_bytes;	/* of --flight-size; 0: not given */
	int64_t depth;		/* of a tree; 0: as usual */
};

/* Reads the command line.  ERR_USAGE in kubectl's words.  Release with options_release(). */
int options_parse(int argc, char **argv, struct options *out, struct err *err) MUST_USE;
void options_release(struct options *o);
struct arena;
/* The directory of the discovery cache, kubectl's unless --cache-dir is given; NULL: none.  In the arena, or borrowed. */
const char *options_cache_dir(const struct options *o, struct arena *arena);
/* The moment to show, ms: that of --as-of (a duration counts back from otherwise), else otherwise. */
int64_t options_moment(const struct options *o, int64_t otherwise);
/* The same for any option: a duration counts back from end. */
int64_t moment_of(struct moment_option m, int64_t end);
/* "kubectl-status" for "/usr/bin/kubectl-status"; borrowed. */
const char *options_file_name(const char *program);

/* How a program with that file name is called: "kubectl why-blocked" for "kubectl-why_blocked". */
struct command_name {
	char text[64];
};
struct command_name options_command(const char *file);

/* The i-th value of -o, --color, --for, --sort-by, for completions; NULL after the last. */
const char *options_format(size_t i);
const char *options_color(size_t i);
const char *options_phase(size_t i);
const char *options_sort_key(size_t i);

/* One row of the table, for what is generated from it. */
struct option_row {
	const char *group;	/* only in the first row of a group */
	const char *name;
	char letter;
	bool takes_value;
	const char *arg, *help;
};
const struct option_row *options_rows(size_t *out_n);

#endif

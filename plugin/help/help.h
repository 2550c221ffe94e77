/* SPDX-License-Identifier: Apache-2.0 */
/* What the program says of itself: its help, its manual, and what completes its command lines. */
#ifndef PLUGIN_HELP_HELP_H
#define PLUGIN_HELP_HELP_H

#include "plugin/options.h"
#include "plugin/output/output.h"

/*
 * Runs --help, --version and the commands help [COMMAND], options, version and completion.  Returns 1 when one of them
 * was given and done, 0 when none was given, -1 with err.
 */
int help_run(const struct options *o, const char *program, struct output *out, struct err *err) MUST_USE;

/* One form of a command: "rules" with the arguments "show GROUP", and what it does. */
struct command_row {
	const char *command, *args, *what;
};
/* All forms in the order of the help; a row without a command ends them. */
extern const struct command_row help_commands[];

/* Appends the manual page, in roff, of a program with that file name (kubectl-status). */
void manual_print(struct buf *out, const char *file);

/*
 * Runs "completion SHELL", "completion man", "completion install" and "completion uninstall".  The scripts ask complete_run() for
 * candidates.  Returns -1 with ERR_USAGE for other words.
 */
int completion_run(const struct options *o, const char *program, struct output *out, struct err *err) MUST_USE;
/*
 * Returns true when the program was called as kubectl_complete-status (kubectl's protocol,
 * pkg/cmd/plugin/plugin_completion.go) or with __complete as its first word (the scripts of completion_run()).
 */
bool complete_is_asked(int argc, char **argv);
/*
 * Prints a line for each candidate of the last word, from the option table, the kubeconfig and the cluster, optionally with a tab and a
 * description, then ":4", or ":0" where the shell shall complete file names.  For "--flag=value" only the value is printed.  Always
 * returns 0.
 */
int complete_run(int argc, char **argv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Help, version, manual and completions: all made from the option table. */
#ifndef PLUGIN_COMPLETE_H
#define PLUGIN_COMPLETE_H

#include "plugin/options.h"
#include "plugin/output.h"

/* Are we called as kubectl_complete-status?  kubectl's protocol (pkg/cmd/plugin/plugin_completion.go). */
bool complete_is_asked(int argc, char **argv);
/* Prints candidates for the last word and a directive; always 0. */
int complete_run(int argc, char **argv);

/* --help, --version, "completion SHELL": 1 when it was printed, 0 when none was asked for, -1 and ERR_USAGE. */
int complete_helps(const struct options *o, const char *program, struct output *out,
		   struct err *err) MUST_USE;

#endif

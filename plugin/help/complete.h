/* SPDX-License-Identifier: Apache-2.0 */
/* Completes command lines for the shells, from the option table, the kubeconfig and the cluster. */
#ifndef PLUGIN_HELP_COMPLETE_H
#define PLUGIN_HELP_COMPLETE_H

#include "plugin/options.h"
#include "plugin/output/output.h"

/*
 * Returns true when the program was called as kubectl_complete-status (kubectl's protocol,
 * pkg/cmd/plugin/plugin_completion.go) or with __complete as its first word (the scripts of completion.h).
 */
bool complete_is_asked(int argc, char **argv);
/*
 * Prints a line for each candidate of the last word, optionally with a tab and a description, then ":4", or ":0" where
 * the shell shall complete file names.  For "--flag=value" only the value is printed.  Always returns 0.
 */
int complete_run(int argc, char **argv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The commands "completion bash", "completion install" and so on: their scripts ask complete_run() for candidates. */
#ifndef PLUGIN_HELP_COMPLETION_H
#define PLUGIN_HELP_COMPLETION_H

#include "plugin/options.h"
#include "plugin/output/output.h"

/*
 * Runs "completion SHELL", "completion man", "completion install" and "completion uninstall".  Returns -1 with
 * ERR_USAGE for other words.
 */
int completion_run(const struct options *o, const char *program, struct output *out, struct err *err) MUST_USE;

#endif

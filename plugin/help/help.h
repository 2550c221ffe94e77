/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_HELP_HELP_H
#define PLUGIN_HELP_HELP_H

#include "plugin/options.h"
#include "plugin/output/output.h"

/*
 * Runs --help, --version and the commands help [COMMAND], options, version and completion.  Returns 1 when one of them
 * was given and done, 0 when none was given, -1 with err.
 */
int help_run(const struct options *o, const char *program, struct output *out, struct err *err) MUST_USE;

#endif

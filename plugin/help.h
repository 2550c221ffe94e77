/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_HELP_H
#define PLUGIN_HELP_H

#include "plugin/options.h"
#include "plugin/output.h"

/*
 * --help, --version and the words help, options, version and completion: 1 when that was asked for and done, 0 when
 * it was not, -1 with err.
 */
int help_run(const struct options *o, const char *program, struct output *out, struct err *err) MUST_USE;

#endif

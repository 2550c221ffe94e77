/* SPDX-License-Identifier: Apache-2.0 */
/* The user's own rules for operators, and the command "rules" that helps to write them. */
#ifndef PLUGIN_USER_RULES_H
#define PLUGIN_USER_RULES_H

#include "kube/family/rules/registry.h"
#include "plugin/program.h"

/*
 * Reads the files in ~/.kube/kubectl-status.d/, then those that --rules names; later rules replace earlier ones.  A
 * file with a problem is left out, and a notice says so.  Returns -1 with ERR_INPUT when a file that --rules names does
 * not exist.
 */
int rules_load(struct program *p, struct err *err) MUST_USE;

/* Returns true when the arguments are "rules check FILE...". */
bool rules_asked(const struct options *o);
/* Runs the command "rules".  Returns an exit status, or -1 with err. */
int rules_command(struct program *p, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The user's own rules for operators, and the command "rules" that helps to write them. */
#ifndef PLUGIN_RULES_H
#define PLUGIN_RULES_H

#include "kube/family/rules/rules.h"
#include "plugin/program.h"

/*
 * Reads ~/.kube/kubectl-status.d/ and what --rules names, in that order, later ones over earlier ones.  A file
 * with a problem is left out, and a notice says so.  ERR_INPUT: --rules names what is not there.
 */
int rules_load(struct program *p, struct err *err) MUST_USE;

/* True for "rules check|list|show|new ...". */
bool rules_asked(const struct options *o);
/* Runs that command; an exit status, or -1 with err. */
int rules_command(struct program *p, struct err *err);

/*
 * Calls back with each API group that has rules and the file they are in, the user's own first.  A group may come more
 * than once.
 */
typedef void rules_group_fn(void *to, struct str group, bool builtin, const char *file);
void rules_groups(rules_group_fn *each, void *to);

/* "rules new TYPE" (rules_draft.c): prints a draft made from the existing objects and their definition. */
int rules_draft(struct program *p, const char *type, struct err *err);

#endif

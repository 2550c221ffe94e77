/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for operators of one's own, and the subcommand that helps to write them. */
#ifndef PLUGIN_RULES_H
#define PLUGIN_RULES_H

#include "kube/family/rules/rules.h"
#include "plugin/program.h"

/*
 * Reads ~/.kube/kubectl-status.d/ and what --rules names, in that order, later ones over earlier ones.  A file
 * with a problem is left out, and a notice says so.  ERR_INPUT: --rules names what is not there.
 */
int rules_load(struct program *p, struct err *err) MUST_USE;

/* "rules check|list|show|new ...": is it that? */
bool rules_asked(const struct options *o);
/* Does it; an exit status, or -1. */
int rules_command(struct program *p, struct err *err);

/* Each group that has rules, one's own first, with the file that has them. A group may come more than once. */
typedef void rules_group_fn(void *to, struct str group, bool builtin, const char *file);
void rules_groups(rules_group_fn *tell, void *to);

/* rules_draft.c: "rules new TYPE", a first draft from the objects that are there and their definition. */
int rules_draft(struct program *p, const char *type, struct err *err);

#endif

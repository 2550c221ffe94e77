/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of kube/family/rules: one document of a rules file that was read. */
#ifndef KUBE_FAMILY_RULES_SET_H
#define KUBE_FAMILY_RULES_SET_H

#include "kube/evidence/file_rows.h"
#include "kube/family/rules/registry.h"

/* family comes first, so that inspect() gets from it to the rows. */
struct rule_set {
	struct family family;
	const char *const *groups;
	const struct kind_row *rows;
	const struct controller_rule *controllers;
	size_t nrows, ncontrollers;
	struct rule_set *next;
};

/* read.c: calls back with each document that has no problem.  The document is in the arena, which has to stay. */
int rules_parse(struct arena *arena, struct str file, struct str text, struct rules_report *report,
		void (*document)(void *ctx, struct rule_set set), void *ctx) MUST_USE;

#endif

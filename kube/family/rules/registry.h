/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators as data: rules files, built-in ones and the user's own.  docs/rules.md describes the format.  What was read
 * stays until the program ends.
 */
#ifndef KUBE_FAMILY_RULES_REGISTRY_H
#define KUBE_FAMILY_RULES_REGISTRY_H

#include "kube/base/arena.h"
#include "kube/base/buf.h"
#include "kube/status/family.h"

/* An example in a rules file: an object, and the verdict that is expected. */
struct rules_example {
	struct str file;
	uint32_t line;
	struct str name, object;	/* object is JSON text */
	struct str reason, wait, flag;	/* "": not checked */
	enum phase phase;
	bool has_severity;
	enum severity severity;
	int64_t as_of;			/* ms */
};

/* A problem in a file: "file:line:column: what". */
struct rules_report {
	struct arena arena;
	struct str *problems;
	struct rules_example *examples;
	size_t nproblems, nexamples;
	struct str *groups;		/* all groups of the file */
	size_t ngroups;
};
void rules_report_release(struct rules_report *r);

/*
 * Reads a file; its rules are tried before those of files that were read earlier.  Returns -1 when the file has a
 * problem; then nothing of it is used.  *report starts as {0} and gets every problem, example and group.  keep: false
 * only checks the file.
 */
int rules_read(struct str file, struct str text, bool keep, struct rules_report *report) MUST_USE;

/* Returns the family for objects of that kind, NULL when no file has its group. */
const struct family *rules_family(const struct kind *kind);

#endif

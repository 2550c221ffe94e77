/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the general rules cannot know of an operator, as rows that a rule file holds (kube/family/rules reads
 * it, docs/rules.md describes it).  All arrays end with an entry of zeroes, all lists of texts with NULL, and
 * NULL in place of one means that nothing is said.
 */
#ifndef KUBE_EVIDENCE_FILE_ROWS_H
#define KUBE_EVIDENCE_FILE_ROWS_H

#include "kube/status/family.h"

/* Paths are those of json_at(); "a[status.index]" takes the index from another field, "[]" goes over a list. */
struct row_guard {
	const char *path;
	const char *const *values; /* NULL: any text, a number but 0, true, a list or map that is not empty */
};

struct row_outcome {
	enum phase phase;
	enum severity severity;
	const char *runbook; /* the address of what to do then */
};

struct row_condition {
	const char *type, *status, *reason; /* NULL: any */
	struct row_outcome outcome;
	bool decides;	       /* false: the row only gives the polarity */
	enum polarity polarity; /* of the type, in place of what its words say */
	bool ignored;	       /* the type is no sign of health */
	int64_t after;	       /* ms that it must have lasted; 0: at once */
	const int64_t *after_threshold; /* the same as a user's threshold, or NULL */
};

struct row_word {
	const char *word;
	struct row_outcome outcome;
};

/* Parts with a word each.  some, all: phases when so many are broken; without them the worst part decides. */
struct row_each {
	const char *path, *word, *reason, *message, *operator_phase;
	const struct row_word *words;
	const struct row_outcome *some, *all;
};

struct row_counts {
	const char *const *want, *const *have; /* the first field that is there; each may be a sum over "[]" */
};

/* Holds for entries with that condition; type NULL: always. */
struct row_when {
	const char *type, *status, *reason;
};

/* How a name is written where it is more than a name. */
enum row_form {
	FORM_NAME,
	FORM_NAMESPACED, /* "namespace/name" */
	FORM_INVENTORY	 /* "namespace_name_group_kind", of Flux and others that apply sets of objects */
};

struct row_ref {
	struct ref_rule rule;
	struct row_guard *where, *unless;
	const char *const *except; /* names that are none */
	const char *ns;		   /* the field with the namespace; NULL: beside the name, else the object's own */
	enum row_form form;
	struct row_when when;
	const char *says; /* waited for while the condition's message says so: "dependency '{namespace}/{name}'" */
};

struct row_wait {
	enum wait_state state; /* WAIT_NONE: an object that the message names, by says */
	unsigned phases;       /* bits; 0: any */
	struct row_guard *where, *unless;
	struct row_when when;
	const char *without; /* a condition type that must not be there, moments after the creation */
	const char *kind, *kind_from, *name_from, *via, *message_from, *says;
	bool missing; /* the message says that it does not exist */
};

struct row_flag {
	const char *flag;
	struct row_guard *where, *unless;
};

/* All that the fields say together: "so many of them are updated, the rest is held back". */
struct row_partition {
	const char *const *hold, *const *want, *const *updated;
};

struct kind_row {
	uint32_t line;		   /* in its file; 0 ends the array */
	const char *file;	   /* to name it by */
	const char *const *kinds;  /* "Widget", "*Template" */
	const char *const *groups; /* "" is the core group */
	struct row_guard *where, *unless;
	const struct row_outcome *phase; /* that is all: where its guards hold */
	const char *word;
	const struct row_word *words;
	const struct row_condition *conditions;
	const struct row_each *each;
	const struct row_counts *counts;
	const struct row_guard *suspended;
	bool static_kind; /* nobody is bound to write a status into it */
	const char *const *ignored; /* fields that the general rules leave out */
	bool serves;	  /* what it made before goes on serving */
	int runs_once;	  /* 1: it ends when all goes well; -1: it does not; 0: by its name */
	const struct row_ref *refs;
	const struct row_wait *waits;
	const struct row_flag *flags;
	const char *version_wanted, *version_runs;
	const char *generation_wanted, *generation_observed;
	const char *expires_at, *expires_from, *expires_renewal;
	const struct row_partition *partition;
	const char *runbook; /* the address of what to do where no row that decides has one */
};

/* ---- what the extractors ask --------------------------------------------- */

/* Those of an operator that hold for an object, in their order; ends with NULL; NULL when none does. */
const struct kind_row *const *rows_for(struct verdict *v, const struct kind_row *rows);

struct fact;
/* Returns true when a row decides; the fact has its words, and the phase and severity that it names. */
bool rows_decide(struct verdict *v, const struct kind_row *const *rows, struct fact *out);
/* The fields that the general rules leave out: what rows ignore, and the words of parts that are well by them. */
struct ignored {
	const struct json_node **nodes; /* ascending */
	size_t n;
};
struct ignored rows_ignored(struct verdict *v, const struct kind_row *const *rows);
bool ignored_has(const struct ignored *ignored, struct json field);
/* All parts that a row knows are well: when nothing else is said. */
bool rows_parts_well(struct verdict *v, const struct kind_row *const *rows, struct fact *out);
bool rows_static(const struct kind_row *const *rows);
bool rows_serve(const struct kind_row *const *rows);
bool rows_suspended(struct verdict *v, const struct kind_row *const *rows, struct str *out_rule);
int rows_runs_once(const struct kind_row *const *rows);
/* False: nothing is said of that type. */
bool rows_polarity(const struct kind_row *const *rows, struct str type, enum polarity *out, bool *out_ignored);
/* The counts that rows name; false: none. */
bool rows_counts(struct verdict *v, const struct kind_row *const *rows, int *out_want, int *out_have);
/* The controller has not observed the latest version of what the object runs. */
bool rows_lag(struct verdict *v, const struct kind_row *const *rows, struct str *out_where);
/* Everything that the partition allows is updated, and the rest stays at the old version. */
bool rows_hold_back(struct verdict *v, const struct kind_row *const *rows, struct str *out_where);
/* References, before the verdict. */
void rows_refs(struct verdict *v, const struct kind_row *const *rows);
/* From which version to which, where rows name the fields. */
void rows_version(struct verdict *v, const struct kind_row *const *rows);
/* Waits and flags, when it expires, and the runbook, after it. */
void rows_after(struct verdict *v, const struct kind_row *const *rows);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The general rules: facts are collected from the whole of an object, and one table decides what they mean. */
#ifndef KUBE_EVIDENCE_EVIDENCE_H
#define KUBE_EVIDENCE_EVIDENCE_H

#include "kube/evidence/file_rows.h"

/* family.inspect() of an operator with rows; NULL: none. */
void evidence_inspect(struct verdict *v, const struct kind_row *rows);
/* family.assess() of the same. */
void evidence_assess(struct assessment *d);

/*
 * For another family whose rows do not know a word: the whole verdict is that of the general rules, and its rule says
 * so (verdict_unknown_word()).  A Ready of the general rules becomes Unknown, because the rows of the family know what
 * Ready looks like.
 */
void evidence_decides(struct verdict *v, const char *what, struct str word);

/* What an object says it waits for. */
enum awaited {
	AWAITED_NOTHING,   /* its own work, or its words do not say that it waits */
	AWAITED_OF_ANYONE, /* something that it may make itself: "WaitingForCertificate" */
	AWAITED_OF_OTHERS  /* something that only others give: "WaitingForDependency" */
};
/* telling is a reason or the word of a phase. */
enum awaited evidence_awaits(struct str telling, struct str message);
/* Makes what waits for anything of that kind Provisioning while one of its own parts is in progress. */
void evidence_own_part_is_awaited(struct assessment *d);

/*
 * field_refs.c: adds references by the convention of their names.  The object waits for those that message names: message says
 * why the object has not reached its goal, or is "".  Returns true when the message says that one of them does not exist.
 */
bool evidence_refs(struct verdict *v, struct str message);
/* Returns true for "could not get secret data from provider". */
bool evidence_could_not_get(struct str message);

/*
 * mentions.c: adds waits for the objects that the message, or else the reason, calls missing or not ready.  Returns true
 * when there is one.
 */
bool evidence_mentions(struct verdict *v, struct str reason, struct str message);
/*
 * Returns "Depot" of 'Depot "main" not found', where the name is at that position; "": another word stands before it,
 * or one that is no kind.
 */
struct str mentions_kind_before(struct str message, size_t at);

#endif

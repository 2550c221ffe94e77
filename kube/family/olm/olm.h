/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operator Lifecycle Manager, v0 (operators.coreos.com) and v1
 * (olm.operatorframework.io): what the files of the family share.
 */
#ifndef KUBE_FAMILY_OLM_OLM_H
#define KUBE_FAMILY_OLM_OLM_H

#include "kube/evidence/decision_table.h"

/* The general rules, for kinds that have no function here. */
extern const struct family family_generic;

#define OLM_GROUP "operators.coreos.com"
#define OLM_V1_GROUP "olm.operatorframework.io"

/* Flags that one kind sets and another one reads, and fields that several files name. */
#define OLM_FAIL_FORWARD "fail-forward"		/* a flag of an OperatorGroup */
#define OLM_UNHEALTHY_CATALOG "status.catalogHealth"	/* the field of a Subscription's reference */
#define OLM_REQUIREMENT "status.requirementStatus"	/* the field of a CSV's reference */
#define OLM_INSTALL_PLAN_REF "status.installPlanRef"
#define OLM_CURRENT_CSV "status.currentCSV"
/* Set on each of several objects when one fact of their namespace concerns them all. */
#define OLM_NAMESPACE_WIDE "namespace-wide"
#define OLM_CLEANUP "status.cleanup.pendingDeletion"	/* the field of a CSV's reference */
/* In the message of a CSV that is replaced, the words before the name of its successor. */
#define OLM_SUCCESSOR "replaced by csv"

/* ---- olm_text.c ---------------------------------------------------------- */

/* Returns a version without the "v" that some write before it. */
struct str olm_bare_version(struct str version);
/* Returns "1.5.1" for "web-terminal.v1.5.1"; "" when the name has no version. */
struct str olm_version_in_name(struct str name);
/* Returns "web-terminal" for that name. */
struct str olm_package_in_name(struct str name);
/* Returns the word behind lead, without quotes and punctuation; "" when lead is not in text. */
struct str olm_word_after(struct str text, const char *lead);
/* Returns the first condition of that type with that status, or NULL. */
const struct condition *olm_condition_with(const struct verdict *v, const char *type,
					   const char *status);
/* Sets a flag for the conditions Deprecated, PackageDeprecated, ... */
void olm_show_deprecation(struct verdict *v);
/*
 * For kinds whose conditions are all bad when True: the first condition with a type that is not in known (which ends
 * with NULL) makes the object Degraded, and the rule says that this type is unknown.
 */
void olm_unknown_condition(struct verdict *v, const char *const *known);
/* Raises the severity to a warning when nothing else is wrong; call it last. */
void olm_assess_deprecation(struct assessment *d);
/* Finds the first target whose field begins so; returns false when there is none. */
bool olm_target_via(struct assessment *d, const char *via, struct neighbour *out);
/* The object waits for this one: a phase in progress becomes Waiting, with at least that severity. */
void olm_assess_waiting(struct assessment *d, const struct neighbour *on, enum severity severity);

/* ---- group.c: the other OLM objects of a namespace ----------------------- */

/* Adds a hidden reference, with that message, by which the other objects of its namespace find it. */
void olm_meet(struct verdict *v, struct str message);
/*
 * Finds the next object of that kind in the namespace, and the message with which it was added.  *at begins with 0;
 * returns false after the last.
 */
bool olm_next_peer(struct assessment *d, const char *kind, size_t *at, struct neighbour *out);
/* Counts the OperatorGroups that are not being deleted; *out is the first of them.  One is right. */
size_t olm_count_groups(struct assessment *d, struct neighbour *out);
/* Returns true when it is certain that there is no OperatorGroup. */
bool olm_has_no_group(struct assessment *d);
/*
 * The condition of the object is about the whole namespace: sets a flag, so that several objects with this condition
 * have one cause.
 */
void olm_share(struct assessment *d);
/* The object waits for each of the OperatorGroups, of which there are too many. */
void olm_wait_for_groups(struct assessment *d);
/* Returns true for a CSV that says that it replaces another one. */
bool olm_replaces_any(const struct status *st);
/* Returns true when TechPreviewUnsafeFailForward lets an upgrade go on over a failed version. */
bool olm_fails_forward(struct assessment *d);

/* ---- ClusterServiceVersion ----------------------------------------------- */

/* The status of a CSV, in either form. */
struct olm_csv {
	struct reading r;
	struct json status;
	struct str word, reason, message;
	int64_t since;
	size_t failures;	/* number of failures in the history */
	bool succeeded;		/* the history has a success */
	bool retried;		/* by the history, what is in progress follows a failure */
};

/* Adds references and waits; a copy only refers to its original. */
void olm_csv_refer(struct verdict *v, const struct olm_csv *csv);

/* The words in a message that say so. */
struct str olm_how_to_approve(struct assessment *d, struct str ns, struct str plan);

/* ---- one pair for each kind that has more than rows ---------------------- */

void olm_csv_inspect(struct verdict *v);
void olm_csv_assess(struct assessment *d);
void olm_subscription_inspect(struct verdict *v);
void olm_subscription_assess(struct assessment *d);
void olm_install_plan_inspect(struct verdict *v);
void olm_install_plan_assess(struct assessment *d);
void olm_catalog_source_inspect(struct verdict *v);
void olm_catalog_source_assess(struct assessment *d);
void olm_operator_group_inspect(struct verdict *v);
void olm_operator_group_assess(struct assessment *d);
void olm_operator_condition_inspect(struct verdict *v);
void olm_operator_condition_assess(struct assessment *d);
void olm_operator_inspect(struct verdict *v);
void olm_operator_assess(struct assessment *d);
void olm_config_inspect(struct verdict *v);
void olm_package_manifest_inspect(struct verdict *v);
void olm_cluster_extension_inspect(struct verdict *v);
void olm_cluster_extension_assess(struct assessment *d);
void olm_cluster_catalog_inspect(struct verdict *v);
void olm_cluster_object_set_inspect(struct verdict *v);

#endif

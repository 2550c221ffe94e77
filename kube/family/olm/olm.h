/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operator Lifecycle Manager, v0 (operators.coreos.com) and v1
 * (olm.operatorframework.io): what the files of the family share.
 */
#ifndef KUBE_FAMILY_OLM_OLM_H
#define KUBE_FAMILY_OLM_OLM_H

#include "kube/status/family.h"

/* The rules for everything else, used for kinds that have no function here. */
extern const struct family family_generic;

#define OLM_GROUP "operators.coreos.com"
#define OLM_V1_GROUP "olm.operatorframework.io"

/* Flags that one kind sets and another one reads. */
#define OLM_FAIL_FORWARD "fail-forward"		/* of an OperatorGroup */
#define OLM_UNHEALTHY_CATALOG "status.catalogHealth"	/* via, of a Subscription's reference */
#define OLM_REQUIREMENT "status.requirementStatus"	/* via, of a CSV's reference */
#define OLM_INSTALL_PLAN_REF "status.installPlanRef"
#define OLM_CURRENT_CSV "status.currentCSV"
/* On each of several, when it is one fact of their namespace. */
#define OLM_NAMESPACE_WIDE "namespace-wide"
#define OLM_CLEANUP "status.cleanup.pendingDeletion"	/* via, of a CSV's reference */
/* Before the name of the one that replaces a CSV, in its message. */
#define OLM_SUCCESSOR "replaced by csv"

/* ---- text.c -------------------------------------------------------------- */

/* Without the "v" that some write before a version. */
struct str olm_bare_version(struct str version);
/* "1.5.1" of "web-terminal.v1.5.1"; "" when the name has none. */
struct str olm_version_in_name(struct str name);
/* "web-terminal" of it. */
struct str olm_package_in_name(struct str name);
/* The word after lead, without quotes and punctuation; "" when lead is not in text. */
struct str olm_word_after(struct str text, const char *lead);
/* The first condition of that type with that status, else NULL. */
const struct condition *olm_condition_with(const struct verdict *v, const char *type,
					   const char *status);
/* A condition decides, in words and time. */
void olm_decide(struct verdict *v, const struct condition *c, enum phase phase,
		enum severity severity);
/* No status yet: Provisioning, and a warning when it is not young any more. */
void olm_never_reconciled(struct verdict *v);
/* Deprecated, PackageDeprecated, ...: a flag. */
void olm_show_deprecation(struct verdict *v);
/*
 * For kinds whose conditions are all bad when True: the first of a type that is not among
 * the known ones (NULL at the end) makes it Degraded, and the rule says that nobody knows it.
 */
void olm_unknown_condition(struct verdict *v, const char *const *known);
/* A warning where all else is well: only at the end is that known. */
void olm_assess_deprecation(struct assessment *d);
/* The first target whose field begins so; false when there is none. */
bool olm_target_via(struct assessment *d, const char *via, struct neighbour *out);
/* It waits for this one; a phase that is under way becomes Waiting, severity is at least that. */
void olm_assess_waiting(struct assessment *d, const struct neighbour *on, enum severity severity);

/* ---- group.c: the other OLM objects of a namespace ----------------------- */

/* Adds a hidden reference by which the others of its namespace find it, with that message. */
void olm_meet(struct verdict *v, struct str message);
/*
 * The next one of that kind in the namespace, with what it tells as message.  *at begins
 * with 0, false past the end.
 */
bool olm_next_peer(struct assessment *d, const char *kind, size_t *at, struct neighbour *out);
/* OperatorGroups that stay; *out is the first of them.  One is as it should be. */
size_t olm_count_groups(struct assessment *d, struct neighbour *out);
/* None is there, and that is certain. */
bool olm_has_no_group(struct assessment *d);
/* Its condition is true of the whole namespace: flags it, so that several objects with it have one cause. */
void olm_share(struct assessment *d);
/* It waits for each of the OperatorGroups, of which there are too many. */
void olm_wait_for_groups(struct assessment *d);
/* TechPreviewUnsafeFailForward lets an upgrade go on over a failed version. */
bool olm_fails_forward(struct assessment *d);

/* ---- ClusterServiceVersion ----------------------------------------------- */

/* Its status, whichever shape it has. */
struct olm_csv {
	struct json status;
	struct str word, reason, message;
	int64_t since;
	size_t failures;	/* in the history */
	bool succeeded;		/* in the history */
	bool retried;		/* by the history what is under way comes after a failure */
};

/* References and waits; of a copy the one to its origin. */
void olm_csv_refer(struct verdict *v, const struct olm_csv *csv);

/* The words that do it. */
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
void olm_config_inspect(struct verdict *v);
void olm_package_manifest_inspect(struct verdict *v);
void olm_cluster_extension_inspect(struct verdict *v);
void olm_cluster_extension_assess(struct assessment *d);
void olm_cluster_catalog_inspect(struct verdict *v);
void olm_cluster_object_set_inspect(struct verdict *v);

#endif

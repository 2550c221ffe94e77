/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Azure service operator's family share. */
#ifndef KUBE_FAMILY_ASO_ASO_H
#define KUBE_FAMILY_ASO_ASO_H

#include "kube/evidence/decision_table.h"

#define ASO_OURS "serviceoperator.azure.com/"
#define ASO_ANNOTATION(name) "metadata.annotations['" ASO_OURS name "']"
#define ASO_V1_GROUP "azure.microsoft.com"

/* What a reason of Ready=False says. */
enum aso_reading {
	ASO_OTHER,
	ASO_DELETING,
	ASO_AZURE,
	ASO_DEGRADED,
	ASO_APPROVAL,	/* a person has to approve it, in Azure */
	/* something in the cluster is missing, or blocks */
	ASO_OWNER,
	ASO_REFERENCE,
	ASO_SECRET,
	ASO_CONFIGMAP,
	ASO_BLOCKED
};

/*
 * Adds the references of annotations and spec, at every depth.  waiting is the condition that says what is missing, or
 * NULL.  Returns true when the references tell whether the object still waits, so that the condition need not.
 */
bool aso_refer(struct verdict *v, const struct condition *waiting, enum aso_reading reading);

/* Returns true for a Secret or ConfigMap, which may exist without the key that is needed. */
bool aso_names_key(struct str message);

/* Judges an object of v1, with its three booleans. */
bool aso_v1_claims(struct json object);
void aso_v1_inspect(struct verdict *v);
extern const struct ref_rule aso_v1_refs[];

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Azure service operator's family share. */
#ifndef KUBE_FAMILY_ASO_ASO_H
#define KUBE_FAMILY_ASO_ASO_H

#include "kube/status/family.h"

#define ASO_OURS "serviceoperator.azure.com/"
#define ASO_ANNOTATION(name) "metadata.annotations['" ASO_OURS name "']"
#define ASO_V1_GROUP "azure.microsoft.com"

/* What a reason of Ready=False is about. */
enum aso_reading {
	ASO_OTHER,
	ASO_DELETING,
	ASO_AZURE,
	ASO_DEGRADED,
	ASO_APPROVAL,	/* by a person, in Azure */
	/* something in the cluster is absent, or in the way */
	ASO_OWNER,
	ASO_REFERENCE,
	ASO_SECRET,
	ASO_CONFIGMAP,
	ASO_BLOCKED
};

/*
 * References of annotations and spec, at any depth.  waiting is the condition
 * that says what is absent, or NULL.  True when the references tell whether it
 * still waits, so that its own word need not.
 */
bool aso_refer(struct verdict *v, const struct condition *waiting, enum aso_reading reading);

/* A Secret or ConfigMap may be there without the key that is looked for. */
bool aso_names_key(struct str message);

/* v1: three booleans. */
bool aso_v1_claims(struct json object);
void aso_v1_inspect(struct verdict *v);
extern const struct ref_rule aso_v1_refs[];

#endif

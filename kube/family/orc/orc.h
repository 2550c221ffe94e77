/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the OpenStack resource controller's family share. */
#ifndef KUBE_FAMILY_ORC_ORC_H
#define KUBE_FAMILY_ORC_ORC_H

#include "kube/evidence/decision_table.h"

#define ORC_GROUP "openstack.k-orc.cloud"
#define ORC_FINALIZER ORC_GROUP "/"
#define ORC_CREDENTIALS "spec.cloudCredentialsRef.secretName"
#define ORC_SUBNET_OF_INTERFACE "spec.subnetRef"
#define ORC_ROUTER_OF_INTERFACE "spec.routerRef"
#define ORC_SAME_HOST "spec.resource.schedulerHints.sameHostServerRefs"
#define ORC_OTHER_HOST "spec.resource.schedulerHints.differentHostServerRefs"
#define ORC_TO_BE_DELETED " to be deleted"

/* What one object says. */
struct orc {
	struct reading r;
	struct json object;
	const struct condition *available, *progressing;	/* NULL: the condition does not exist */
	struct str os;		/* status.resource.status: the word of OpenStack */
	bool created;		/* it has an id, or its status shows the resource of OpenStack */
	bool unmanaged;		/* somebody else makes the resource in OpenStack */
	bool fresh;		/* the conditions are about the present generation */
	size_t foreign;		/* the number of finalizers that are not its own controller's */
	bool left;		/* it is being deleted, and its status is older than that */
	bool stopped;		/* the controller does nothing until something changes */
};

/* Adds all references of the object; those that the controller still reads block it. */
void orc_refs(struct verdict *v, const struct orc *o);
/* Returns the kind of that name in the spelling of the API; name itself when there is no such kind. */
struct str orc_kind(struct str name);
bool orc_finalizer(struct str finalizer, struct str *out_kind);
bool orc_own_finalizer(const struct kind *kind, struct str finalizer);

/* Adds what the lines of the message of Progressing wait for. */
void orc_waits(struct verdict *v, const struct orc *o);
/* Takes the next line of a message, which is one wait, off *rest. */
bool orc_next_line(struct str *rest, struct str *out);
/* Phase 2: what the status does not tell. */
void orc_assess(struct assessment *d);

#endif

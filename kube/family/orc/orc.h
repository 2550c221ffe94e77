/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the OpenStack resource controller's family share. */
#ifndef KUBE_FAMILY_ORC_ORC_H
#define KUBE_FAMILY_ORC_ORC_H

#include "kube/status/family.h"

#define ORC_GROUP "openstack.k-orc.cloud"
#define ORC_FINALIZER ORC_GROUP "/"
#define ORC_CREDENTIALS "spec.cloudCredentialsRef.secretName"
#define ORC_SUBNET_OF_INTERFACE "spec.subnetRef"
#define ORC_ROUTER_OF_INTERFACE "spec.routerRef"
#define ORC_SAME_HOST "spec.resource.schedulerHints.sameHostServerRefs"
#define ORC_OTHER_HOST "spec.resource.schedulerHints.differentHostServerRefs"
#define ORC_TO_BE_DELETED " to be deleted"

/* What stands in one object. */
struct orc {
	struct json object;
	const struct condition *available, *progressing;	/* NULL: not written */
	struct str os;		/* status.resource.status: OpenStack's own word */
	bool created;		/* it has an id, or shows what the cloud has */
	bool unmanaged;		/* somebody else makes it in OpenStack */
	bool fresh;		/* the conditions are about this generation */
	size_t foreign;		/* finalizers that are not its own controller's */
	bool left;		/* being deleted, and the status is from before that */
	bool stopped;		/* the controller does nothing more until something changes */
};

/* All references of the object; those that are still consulted block. */
void orc_refs(struct verdict *v, const struct orc *o);
/* The kind of that name, in the spelling of the API; name itself when unknown. */
struct str orc_kind(struct str name);
bool orc_finalizer(struct str finalizer, struct str *out_kind);
bool orc_own_finalizer(const struct kind *kind, struct str finalizer);

/* What the lines of a Progressing message wait for. */
void orc_waits(struct verdict *v, const struct orc *o);
/* Takes the next wait off *rest. */
bool orc_next_line(struct str *rest, struct str *out);
/* Phase 2: what the status does not contain. */
void orc_assess(struct assessment *d);

#endif

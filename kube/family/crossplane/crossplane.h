/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Crossplane's own resources have in common.  The AppCat family uses the references, too: its services are
 * Crossplane claims and composites.
 */
#ifndef KUBE_FAMILY_CROSSPLANE_CROSSPLANE_H
#define KUBE_FAMILY_CROSSPLANE_CROSSPLANE_H

#include "kube/base/time.h"
#include "kube/evidence/decision_table.h"
#include "kube/evidence/evidence.h"

/* How long is too long for a claim, a composite or a managed resource: the family's own thresholds. */
enum {
	CROSSPLANE_ERROR_YOUNG,	/* usually a conflict, which the next attempt resolves */
	CROSSPLANE_ERROR_OLD,	/* the time of AppCat's alert for resources that are not synced */
	CROSSPLANE_CREATING_OLD,	/* the time of AppCat's alert for resources that are not ready */
	CROSSPLANE_DELETE_OLD,
	CROSSPLANE_THRESHOLDS
};
extern struct threshold crossplane_thresholds[CROSSPLANE_THRESHOLDS + 1];

/* Returns the external name of a managed resource where it differs from the object's own name. */
#define CROSSPLANE_EXTERNAL_NAME "metadata.annotations['crossplane.io/external-name']"

/* Reads a count from foreign data; a value that is not a fitting number counts as absent. */
int crossplane_count(struct json from, const char *path, int absent);

/* Adds references: for claims and composites their composition, for compositions their functions. */
extern const struct ref_rule crossplane_ref_rows[];

/* Adds references down to the composite and to what it composes, and up to the claim. */
void crossplane_links(struct verdict *v);
/* Adds references to the provider configuration, and those in the provider's own fields. */
void crossplane_managed_refs(struct verdict *v);

/* Returns true when it is paused: by the annotation, an empty list of management policies, or the controller's word. */
bool crossplane_paused(const struct verdict *v);
/* The controller does not know whether the external resource exists: a person has to find out. */
bool crossplane_create_unknown(const struct condition *synced);

/* Returns the severity of an error that exists since that time: info, warning, error as it gets older. */
enum severity crossplane_severity_by_age(struct verdict *v, int64_t since);

/* Judges claims, composites and managed resources by Ready and Synced. */
void crossplane_inspect_resource(struct verdict *v);
/* Judges a Release of provider-helm; returns false when its state is not known yet. */
bool crossplane_inspect_release(struct verdict *v);
/* Judges by the wrapped object of provider-kubernetes, when that says more than Ready does. */
void crossplane_inspect_object(struct verdict *v);
/* Reports the operation of a provider: creation, or asynchronous calls of upjet. */
void crossplane_async(struct verdict *v);
/* Judges definitions, packages, operations and usages; returns false for every other kind. */
bool crossplane_inspect_system(struct verdict *v);
/* Reports the versions of a package: from the revision before to the one that is not healthy yet. */
void crossplane_assess_package(struct assessment *d);
/* Returns true for a package that has another revision than its current one. */
bool crossplane_has_revision_before(struct assessment *d);
/* Returns the number of a CompositionRevision. */
void crossplane_inspect_revision(struct verdict *v);
/* Returns who chooses the revision that a claim or composite follows, when it is not the controller. */
void crossplane_revision_policy(struct verdict *v);
/*
 * Reports the versions: from the composition's revision that is followed to the newest.  The phase is Updating while
 * the controller has yet to follow the newest (compositionUpdatePolicy Automatic, the default).
 */
void crossplane_assess_revision(struct assessment *d);
/* Returns true for a Job with a running pod that has neither completed nor failed and is not suspended. */
bool crossplane_running_job(const struct neighbour *n);

/* Judges an Operation beside later ones, and what makes Operations by the last of them. */
void crossplane_assess_operation(struct assessment *d);

/* An object that is being deleted waits for those of its parts that are being deleted. */
void crossplane_wait_for_deletion(struct assessment *d);

/* Returns true for the finalizers that Crossplane's controllers put on their own objects. */
bool crossplane_own_finalizer(const struct kind *kind, struct str finalizer);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Crossplane's own resources have in common.  The AppCat family uses the
 * links too: its services are Crossplane claims and composites.
 */
#ifndef KUBE_FAMILY_CROSSPLANE_RULES_H
#define KUBE_FAMILY_CROSSPLANE_RULES_H

#include "kube/base/time.h"
#include "kube/status/family.h"

/* How long is too long for a claim, a composite, a managed resource: the family's own thresholds. */
enum {
	CROSSPLANE_ERROR_YOUNG,	/* a conflict, usually, that the next attempt settles */
	CROSSPLANE_ERROR_OLD,	/* AppCat's alert on unsynced resources */
	CROSSPLANE_CREATING_OLD,	/* AppCat's alert on resources that are not ready */
	CROSSPLANE_DELETE_OLD,
	CROSSPLANE_THRESHOLDS
};
extern struct threshold crossplane_thresholds[CROSSPLANE_THRESHOLDS + 1];

/* The name of what a managed resource stands for, where that differs from its own. */
#define CROSSPLANE_EXTERNAL_NAME "metadata.annotations['crossplane.io/external-name']"

/* "apps" of "apps/v1"; "" of "v1". */
struct str crossplane_group_of(struct str api_version);
/* A count in foreign data: absent when it is none that fits. */
int crossplane_count(struct json from, const char *path, int absent);

/* Claims and composites: their composition; compositions: their functions. */
extern const struct ref_rule crossplane_ref_rows[];

/* Down to the composite and to what it composes, up to the claim. */
void crossplane_links(struct verdict *v);
/* The provider configuration, and what a provider's own fields refer to. */
void crossplane_managed_refs(struct verdict *v);
/*
 * Marks the object that a condition's message calls missing ("Secret "x" not
 * found") as waited for; false when the message names none.
 */
bool crossplane_names_missing(struct verdict *v, const struct condition *c);

/* The annotation, an empty list of management policies, or the controller's word. */
bool crossplane_paused(const struct verdict *v);
/* The controller does not know whether the external resource exists: a person must look. */
bool crossplane_create_unknown(const struct condition *synced);

/* A condition decides: phase and severity with its reason, message, time and word. */
void crossplane_decide(struct verdict *v, const struct condition *c, enum phase phase,
		       enum severity severity);
/* Of an error that is there since then: info, warning, error as it gets older. */
enum severity crossplane_severity_by_age(struct verdict *v, int64_t since);

/* Claims, composites and managed resources, by Ready and Synced. */
void crossplane_inspect_resource(struct verdict *v);
/* The chart of provider-helm; false when no state is known yet. */
bool crossplane_inspect_release(struct verdict *v);
/* The wrapped object of provider-kubernetes, when it says more than Ready does. */
void crossplane_inspect_object(struct verdict *v);
/* What a provider tells of the operation that it runs: creation, upjet's async calls. */
void crossplane_async(struct verdict *v);
/* Definitions, packages, operations, usages; false when it is none of these. */
bool crossplane_inspect_system(struct verdict *v);
/* From the package revision before to the one that is not healthy yet. */
void crossplane_assess_package(struct assessment *d);
/* The number of a CompositionRevision. */
void crossplane_inspect_revision(struct verdict *v);
/* Who chooses the revision that a claim or composite follows, when it is not the controller. */
void crossplane_revision_policy(struct verdict *v);
/*
 * From the composition's revision that is followed to the newest; Updating while the
 * controller has yet to take that up (compositionUpdatePolicy Automatic, the default).
 */
void crossplane_assess_revision(struct assessment *d);
/* A Job with a pod that runs, neither completed nor failed nor suspended. */
bool crossplane_running_job(const struct neighbour *n);

/* An object that is being deleted waits for its parts that are being deleted. */
void crossplane_wait_for_deletion(struct assessment *d);

/* The finalizers of Crossplane's controllers, on their own objects. */
bool crossplane_own_finalizer(const struct kind *kind, struct str finalizer);

#endif

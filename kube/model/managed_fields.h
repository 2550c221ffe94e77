/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who wrote which fields of an object, and when: metadata.managedFields
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/).
 */
#ifndef KUBE_MODEL_MANAGED_FIELDS_H
#define KUBE_MODEL_MANAGED_FIELDS_H

#include "kube/base/arena.h"
#include "kube/model/json.h"

enum {
	EDITS = 8,		/* the most edits of one object, the newest ones */
	EDIT_FIELDS = 32	/* the most fields of one edit */
};

/* Who made an edit; "" where it is not known. */
struct editor {
	struct str manager;	/* as the client calls itself: "argocd-controller", "kubectl-edit" */
	struct str person;	/* whom an annotation of the object names */
	struct str source;	/* what a delivery tool was told to deliver: "application/shop", "release/redis" */
};

/* The last time that a manager wrote to the object. */
struct edit {
	int64_t time;		/* ms, of whole seconds */
	struct editor by;
	/*
	 * The fields that the manager owns, with the elements of lists by their keys; metadata comes last.  Which of
	 * several it changed then is not known.  Both are 0 when they could not be read, and when it made the object.
	 */
	const struct str *fields;
	size_t nfields, more;	/* more: how many other fields it owns */
	bool made;		/* it made the object */
};

/*
 * Returns the edits of an object, the newest first, in the arena.  What was only written to the status, or to
 * annotations that mean no change, does not count.  Entries that are damaged or too large are left out.
 */
size_t managed_edits(struct json object, struct arena *arena, const struct edit **out);

/* Returns the tool that writes as that manager: "Argo CD", "Flux", "Helm", "kubectl", ...; NULL when it is not known. */
const char *manager_tool(struct str manager);
/* Returns true for a program that acts by itself: whom an annotation names did not write this. */
bool manager_is_controller(struct str manager);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What broken objects of a kind have in common and healthy ones of that kind have not: a node, a zone, an image, a
 * class, an account, something that they refer to, an owner, a label.
 *
 * It is found by counting and knows no kind: it is evidence for a cause and does not prove one.  Compared are, of one
 * cluster, the root causes of a kind that are not healthy (warning or error) with the objects of that kind that are
 * Ready; what is neither, such as what is being created, does not count.  A reference is only compared where healthy
 * objects have references of the same field, because some fields are read only of objects that are not healthy.  Labels,
 * images and accounts are known where labels are kept (graph_use_labels()).  What is too much to count is left out, and
 * never estimated.
 */
#ifndef KUBE_GRAPH_SHARED_H
#define KUBE_GRAPH_SHARED_H

#include "kube/graph/graph.h"

/* What it is that objects have; of things that the same objects have, the first here tells most. */
enum shared_what {
	SHARED_NODE,
	SHARED_ZONE,
	SHARED_IMAGE,
	SHARED_CLASS,
	SHARED_ACCOUNT,
	SHARED_REFERENCE,
	SHARED_OWNER,
	SHARED_LABEL
};

struct shared {
	enum shared_what what;
	struct id on;		/* of an image, a zone and a label without a name */
	struct str text;	/* of an image its name with the version, of a zone and a label "key=value"; else "" */
	bool of_node;		/* the label is that of the objects' nodes */
	bool same;		/* the same broken objects have something that is listed before */
	struct str reason;	/* the broken objects that were compared are those with that reason; "": all of the kind */
	size_t broken, of;	/* so many of so many broken objects have it */
	size_t healthy, of_healthy;
};

enum { SHARED_LEAST = 3, SHARED_MOST = 8 };
/*
 * Returns what the root causes at n slots, which are objects of one kind, share with other broken objects of the kind:
 * at most SHARED_MOST, what tells most first.  At least SHARED_LEAST broken objects, and two thirds of those that were
 * compared, have it, and hardly any healthy one (a tenth of them, and a quarter as many as broken ones).  The list is in the arena, its texts are borrowed until the next
 * settle.  What was counted is kept until then.
 */
const struct shared *graph_shared(struct graph *g, const uint32_t *slots, size_t n, struct arena *arena, size_t *out_n);
/*
 * Returns what all objects at n slots have that can be the reason for the same failure of all: a node, a class, a Secret, a
 * quota, a volume or another object that they need, when healthy objects do not have it, too; with pulled the registry of
 * their images, as the text.  Returns false when there is no such thing.
 */
bool graph_common(struct graph *g, const uint32_t *slots, size_t n, bool pulled, struct shared *out);
/* Returns the first image of a pod, or of a pod template; "": there is none, or labels are not kept.  Borrowed as those. */
struct str graph_image(const struct graph *g, uint32_t slot);

#endif

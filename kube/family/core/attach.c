/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The volumes of a pod that has a node and does not start: its claim that is not bound, the volume that cannot be attached,
 * the pod that still has it on another node.
 */
#include "kube/family/core/core.h"

#include "kube/status/thresholds.h"

enum { REFERRERS_LOOKED_AT = 64 };	/* of one volume or claim */

/* ---- the volume --------------------------------------------------------------- */

/* An operator of a storage system has an object of its own for each volume, which knows more of its health. */
static bool is_trouble(const struct neighbour *n)
{
	bool attachment = core_is_kind(n, "VolumeAttachment");

	return n->presence == PRESENCE_FOUND && n->status.phase == PHASE_FAILED &&
	       (attachment || n->relation == RELATION_MANAGES);
}

enum { NOT_ATTACHED, STORAGE_FAILED, NO_VOLUMES };

static const struct row rows[] = {
	[NOT_ATTACHED] = { "it cannot be attached", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[STORAGE_FAILED] = { "the storage system's own object of it has failed", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[NO_VOLUMES] = { "its volumes are not there yet", .then = OUTCOME_WAIT, .flags = AT_LEAST },
	{ 0 }
};

/* Returns "longhorn.io" for "driver.longhorn.io". */
static struct str domain_of(struct str name)
{
	size_t dot = str_rfind(name, '.'), before = str_rfind(str_head(name, dot), '.');

	return dot == name.len || before == dot ? name : str_from(name, before + 1);
}

/* The storage system's own object of the volume, by the handle that its driver gave it. */
static bool is_behind(struct assessment *d, const struct neighbour *n)
{
	struct str driver = status_first_particular(assess_status(d), "driver");

	return n->presence == PRESENCE_FOUND && n->status.phase == PHASE_FAILED && str_is(n->via, "spec.csi.volumeHandle") &&
	       str_eq(domain_of(n->kind->group), domain_of(driver));
}

void core_volume_and_storage(struct assessment *d)
{
	struct neighbour n, worst = { .name = STR_NONE };

	if (assess_status(d)->phase != PHASE_READY)
		return;
	for (size_t at = 0; assess_next_target(d, CORE_HANDLE, &at, &n);)
		if (is_behind(d, &n))
			worst = n;
	for (size_t i = 0; i < REFERRERS_LOOKED_AT && assess_referrer(d, i, &n); i++)
		if (is_trouble(&n) && (worst.name.len == 0 || str_cmp(n.name, worst.name) < 0))
			worst = n;
	if (worst.name.len == 0)
		return;
	table_assess(d, &rows[core_is_kind(&worst, "VolumeAttachment") ? NOT_ATTACHED : STORAGE_FAILED], worst.status.reason, worst.status.message);
	assess_since(d, worst.status.since);
	assess_wait(d, &worst, WAIT_FAILED, worst.status.message);
}

void core_attachments_ref(struct verdict *v)
{
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_HIDDEN,
				     .kind = STR("Attachments"),
				     .name = STR("all"),
				     .via = STR("spec.volumes[]") });
}

/* ---- the pod ------------------------------------------------------------------ */

/* A pod, the node that it is on, and what it was found to wait for. */
struct attaching {
	struct assessment *d;
	struct str node;
	struct str first, reason, message;	/* of the first by name */
};

static void wait_for(struct attaching *p, const struct neighbour *on, struct str message)
{
	enum phase phase = on->status.phase;
	struct neighbour target = *on;

	target.via = STR("spec.volumes[].persistentVolumeClaim.claimName");
	assess_wait(p->d, &target, phase == PHASE_FAILED ? WAIT_FAILED : phase == PHASE_DELETING ? WAIT_DELETING : WAIT_NOT_READY,
		    message);
	if (p->first.len && str_cmp(p->first, on->name) <= 0)
		return;
	p->first = on->name;
	p->reason = on->status.reason;
	p->message = message;
}

/* Returns the node of another pod, "" when it has none. */
static struct str node_of(struct assessment *d, const struct neighbour *pod)
{
	struct neighbour n;

	for (size_t i = 0; assess_target_of(d, pod, i, &n); i++)
		if (core_is_kind(&n, "Node") && n.relation == RELATION_NEEDS)
			return n.name;
	return STR_NONE;
}

/* Nobody uses it there any more, and it is attached to another node all the same: who attaches it has to let go. */
static void wait_for_attachment(struct attaching *p, const struct neighbour *claim)
{
	struct neighbour volume, n;

	for (size_t i = 0; assess_target_of(p->d, claim, i, &volume); i++)
		for (size_t k = 0; core_is_kind(&volume, "PersistentVolume") && k < REFERRERS_LOOKED_AT && assess_referrer_of(p->d, &volume, k, &n); k++) {
			struct str node = core_is_kind(&n, "VolumeAttachment") && n.presence == PRESENCE_FOUND ? node_of(p->d, &n) : STR_NONE;

			if (!node.len || str_eq(node, p->node))
				continue;
			wait_for(p, &n, ARENA_JOIN(assess_arena(p->d), STR("persistentvolume/"), volume.name, STR(" is still attached to node/"), node,
						   str_of(n.status.message.len ? ": " : ""), n.status.message));
		}
}

/* kubernetes pkg/controller/volume/attachdetach/reconciler/reconciler.go: "Multi-Attach error for volume" */
static void wait_for_holder(struct attaching *p, const struct neighbour *claim)
{
	struct neighbour pod;
	bool held = false;

	if (!str_contains(assess_message(p->d), "Multi-Attach"))
		return;
	for (size_t i = 0; i < REFERRERS_LOOKED_AT && assess_referrer_of(p->d, claim, i, &pod); i++) {
		struct str node;

		if (!core_is_kind(&pod, "Pod") || pod.presence != PRESENCE_FOUND || pod.status.complete)
			continue;
		node = node_of(p->d, &pod);
		if (!node.len || str_eq(node, p->node))
			continue;
		wait_for(p, &pod, ARENA_JOIN(assess_arena(p->d), STR("claim "), claim->name, STR(" is still used on node/"), node));
		held = true;
	}
	if (!held)
		wait_for_attachment(p, claim);
}

/* A volume that is being made is a part of the pod's start while it is young. */
static bool is_unbound(struct attaching *p, const struct neighbour *claim)
{
	enum phase phase = claim->status.phase;

	if (phase != PHASE_PROVISIONING && phase != PHASE_WAITING && phase != PHASE_FAILED)
		return false;
	assess_revisit(p->d, claim->created + thresholds.young);
	return assess_now(p->d) - claim->created >= thresholds.young;
}

/*
 * kubernetes pkg/volume/csi/csi_plugin.go: "driver name disk.example not found in the list of registered CSI drivers"; csi_attacher.go and
 * pkg/volume/util: "CSINode n1 does not contain driver disk.example".
 */
static struct str driver_that_lacks(struct str message)
{
	static const char before[] = "driver name ", after[] = " not found in the list of registered CSI drivers";
	static const char lacks[] = " does not contain driver ";
	struct str rest = str_from(message, str_find_str(message, before) + sizeof(before) - 1);
	size_t end = str_find_str(rest, after);

	if (end < rest.len)
		return str_head(rest, end);
	rest = str_from(message, str_find_str(message, lacks) + sizeof(lacks) - 1);
	return str_head(rest, str_find(rest, ' '));
}

/* Its pod on that node does not run. */
static void wait_for_driver(struct attaching *p)
{
	struct str name = driver_that_lacks(assess_message(p->d));
	struct neighbour driver, pod;

	if (!name.len)
		return;
	/* an Event has said it: nothing tells of what the driver's pods do after it */
	assess_revisit(p->d, assess_now(p->d) + MINUTES(1));
	if (!assess_find(p->d, "", CORE_NODE_DRIVER, STR_NONE, name, &driver))
		return;
	for (size_t i = 0; i < REFERRERS_LOOKED_AT && assess_referrer_of(p->d, &driver, i, &pod); i++)
		if (core_is_kind(&pod, "Pod") && pod.presence == PRESENCE_FOUND && core_is_in_trouble(&pod) && str_eq(node_of(p->d, &pod), p->node))
			wait_for(p, &pod, pod.status.message);
}

bool core_wait_for_store(struct assessment *d, const struct neighbour *claim, struct str via, struct str *out_message)
{
	struct neighbour class, store;
	bool any = false;

	for (size_t i = 0; claim ? assess_target_of(d, claim, i, &class) : assess_target(d, i, &class); i++)
		for (size_t k = 0; core_is_kind(&class, "StorageClass") && assess_target_of(d, &class, k, &store); k++) {
			/* it gives volumes in spite of a warning */
			if (store.relation != RELATION_NEEDS || store.presence != PRESENCE_FOUND || !phase_is_bad(store.status.phase) ||
			    (store.status.phase == PHASE_DEGRADED && store.status.severity < SEVERITY_ERROR))
				continue;
			store.via = via;
			assess_wait_for(d, &store);
			*out_message = store.status.message;
			any = true;
		}
	return any;
}

static void look_at_claim(struct attaching *p, const struct neighbour *claim)
{
	struct str said = STR_NONE;
	struct neighbour volume;

	if (is_unbound(p, claim))
		wait_for(p, claim, claim->status.message);
	for (size_t i = 0; assess_target_of(p->d, claim, i, &volume); i++)
		if (core_is_kind(&volume, "PersistentVolume") && volume.presence == PRESENCE_FOUND &&
		    phase_is_bad(volume.status.phase))
			wait_for(p, &volume, volume.status.message);
	wait_for_holder(p, claim);
	/* a store that is not well is no reason while a pod starts as fast as others do */
	assess_revisit(p->d, assess_created(p->d) + thresholds.young);
	if (!assess_waits(p->d) && assess_now(p->d) - assess_created(p->d) >= thresholds.young &&
	    core_wait_for_store(p->d, claim, STR("spec.volumes[].persistentVolumeClaim.claimName"), &said) && p->message.len == 0)
		p->message = said;
}

/* Words that only repeat that the pod is not ready. */
static bool says_nothing(struct str reason)
{
	return reason.len == 0 || str_is(reason, "ContainersNotReady");
}

void core_pod_and_its_volumes(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct attaching p = { .d = d, .first = STR_NONE };
	bool waits = assess_waits(d), says_more;
	struct neighbour n;

	if (st->phase != PHASE_PROVISIONING || st->ever_ready)
		return;
	for (size_t at = 0; assess_next_target(d, "Node", &at, &n);)
		if (n.relation == RELATION_NEEDS)
			p.node = n.name;
	for (size_t at = 0; p.node.len && assess_next_target(d, "PersistentVolumeClaim", &at, &n);)
		if (n.presence == PRESENCE_FOUND)
			look_at_claim(&p, &n);
	if (p.node.len)
		wait_for_driver(&p);
	if (waits || !assess_waits(d))
		return;
	says_more = !says_nothing(assess_reason(d));
	table_assess(d, &rows[NO_VOLUMES], says_more ? assess_reason(d) : p.reason, says_more ? assess_message(d) : p.message);
}

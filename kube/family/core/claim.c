/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of volumes: who makes the volume, or which of those that are there could be the claim's, and why none is. */
#include "kube/family/core/core.h"

#include "kube/base/quantity.h"
#include "kube/status/thresholds.h"

/* ---- what others find it by ------------------------------------------------ */

void core_tell_volume(struct verdict *v, const char *size, const char *labels)
{
	struct json object = verdict_object(v), spec = json_at(object, "spec");
	struct str mode = json_str(spec, "volumeMode");

	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_HIDDEN,
				     .kind = STR("VolumePool"),
				     .name = STR("unbound"),
				     .via = STR("status.phase") });
	verdict_particular(v, "class", json_str(spec, "storageClassName"));
	verdict_particular(v, "size", json_str(object, size));
	verdict_particular(v, "volume-mode", mode.len ? mode : STR("Filesystem"));
	json_foreach(one, json_at(spec, "accessModes"))
		verdict_particular(v, "mode", json_str(one, ""));
	json_foreach(label, json_at(object, labels))
		verdict_particular(v, "label", ARENA_JOIN(verdict_arena(v), json_key(label), STR("="), json_str(label, "")));
}

static void provides(struct verdict *v, struct str name)
{
	if (str_find(name, '.') < name.len && str_find(name, ' ') == name.len)
		verdict_ref(v, (struct ref){ .relation = RELATION_MANAGES,
					     .flags = REF_HIDDEN,
					     .kind = STR("Provisioner"),
					     .name = name,
					     .via = STR("spec.template.spec.containers[]") });
}

/* Storage drivers are told their name by an argument or in the environment; there is no common name for either. */
static void provides_by(struct verdict *v, struct str key, struct str value)
{
	static const char *const keys[] = { "provisioner", "provisioner-name", "provisioner_name", "drivername", "driver-name",
					    "driver_name", "driver", "csi-driver-name", "csi_driver_name", "csi_drivername", NULL };

	while (str_starts(key, "-"))
		key = str_from(key, 1);
	if (str_is_any_nocase(key, keys))
		provides(v, value);
}

static void provides_by_list(struct verdict *v, struct json list)
{
	struct str before = STR_NONE;

	json_foreach(arg, list)
	{
		struct str text = json_str(arg, "");
		size_t at = str_find(text, '=');

		if (at < text.len)
			provides_by(v, str_head(text, at), str_from(text, at + 1));
		else if (str_starts(before, "-"))
			provides_by(v, before, text);
		before = text;
	}
}

void core_provides_volumes(struct verdict *v)
{
	json_foreach(container, json_at(verdict_object(v), "spec.template.spec.containers"))
	{
		provides_by_list(v, json_at(container, "command"));
		provides_by_list(v, json_at(container, "args"));
		json_foreach(e, json_at(container, "env"))
			provides_by(v, json_str(e, "name"), json_str(e, "value"));
	}
}

/* ---- PersistentVolumeClaim ----------------------------------------------- */

/* The conditions tell why the storage refuses a size. */
static struct str resize_error(struct verdict *v)
{
	static const char *const types[] = { "ControllerResizeError", "NodeResizeError", "ModifyVolumeError" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (condition_is(verdict_condition(v, types[i]), "True"))
			return verdict_condition(v, types[i])->message;
	return STR_NONE;
}

/* A size that the storage cannot provide is not tried again. */
static bool size_is_infeasible(struct reading *r)
{
	struct json object = verdict_object(r->v);
	struct str modify = json_str(object, "status.modifyVolumeStatus.status");

	r->message = resize_error(r->v);
	json_foreach(state, json_at(object, "status.allocatedResourceStatuses"))
		if (str_ends(json_str(state, ""), "Infeasible")) {
			r->reason = json_str(state, "");
			r->rule = STR("status.allocatedResourceStatuses");
			return true;
		}
	r->reason = modify;
	r->rule = STR("status.modifyVolumeStatus");
	return str_is(modify, "Infeasible");
}

enum { UNTOLD = 1 };

static const struct row rows[] = {
	{ "the storage cannot give it the size", .word = "Bound", .holds = size_is_infeasible, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .flags = FINAL },
	{ "its volume cannot be made larger", .word = "Bound", .type = "ControllerResizeError", .status = "True", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED },
	{ "its file system cannot be made larger", .word = "Bound", .type = "NodeResizeError", .status = "True", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED },
	{ "its volume cannot be changed", .word = "Bound", .type = "ModifyVolumeError", .status = "True", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED },
	{ "its volume is made larger", .word = "Bound", .type = "Resizing", .status = "True", .then = OUTCOME_MOVEMENT, .phase = PHASE_SCALING },
	{ "its file system is to be made larger", .word = "Bound", .type = "FileSystemResizePending", .status = "True", .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_SCALING },
	{ "its volume is changed", .word = "Bound", .type = "ModifyingVolume", .status = "True", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	{ "it has its volume", .word = "Bound", .then = OUTCOME_READY, .rule = "status.phase Bound" },
	/* another volume of that name has not its data */
	{ "its volume is lost", .word = "Lost", .then = OUTCOME_TROUBLE, .flags = FINAL | BY_ITSELF, .rule = "status.phase Lost" },
	{ "it has no volume yet", .word = "Pending", .then = OUTCOME_MOVEMENT, .flags = SINCE_CREATED, .rule = "status.phase Pending" },
	{ "nobody has looked at it", .is = UNTOLD, .then = OUTCOME_SILENCE },
	{ "its phase is not known", .then = OUTCOME_UNKNOWN, .flags = QUIET, .rule = "status.phase" },
	{ 0 }
};

/*
 * A class makes volumes.  A claim that names its volume needs no volume made, and its class may be just a name that the
 * volume has, too (kubernetes.io/docs: persistent-volumes, "Class").
 */
static void claim_class(struct verdict *v)
{
	bool has_volume = json_str(verdict_object(v), "spec.volumeName").len > 0;

	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_EXISTS | REF_CLUSTER | (has_volume ? 0 : REF_BLOCKS),
				     .group = STR("storage.k8s.io"),
				     .kind = STR("StorageClass"),
				     .name = json_str(verdict_object(v), "spec.storageClassName"),
				     .via = STR("spec.storageClassName") });
}

/* kubernetes pkg/controller/volume/persistentvolume/pv_controller.go writes who is to make the volume into an annotation. */
static void needs_provisioner(struct verdict *v)
{
	static const char now[] = "metadata.annotations['volume.kubernetes.io/storage-provisioner']",
			  before[] = "metadata.annotations['volume.beta.kubernetes.io/storage-provisioner']";
	struct str name = json_str(verdict_object(v), now);

	name = name.len ? name : json_str(verdict_object(v), before);
	verdict_particular(v, "provisioner", name);
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_BLOCKS | REF_IF_FOUND,
				     .kind = STR("Provisioner"),
				     .name = name,
				     .via = STR("spec.storageClassName") });
}

static void claim(struct verdict *v)
{
	struct str phase = json_str(verdict_object(v), "status.phase");

	claim_class(v);
	/* to what is only read nothing is added */
	json_foreach(mode, json_at(verdict_object(v), "spec.accessModes"))
		if (str_is(phase, "Bound") && !str_is(json_str(mode, ""), "ReadOnlyMany"))
			verdict_may_fill(v);
	if (str_is(phase, "Pending")) {
		core_tell_volume(v, "spec.resources.requests.storage", "spec.selector.matchLabels");
		needs_provisioner(v);
	}
	table_decide(&(struct reading){ .v = v, .word = phase, .is = phase.len ? 0 : UNTOLD }, rows);
	verdict_word(v, phase);
}

/* ---- claims that wait for a pod ------------------------------------------ */

static bool class_binds_late(struct assessment *d)
{
	struct neighbour n;

	for (size_t at = 0; assess_next_target(d, "StorageClass", &at, &n);)
		if (n.presence == PRESENCE_FOUND)
			return status_has_flag(&n.status, "WaitForFirstConsumer");
	return core_assess_find_event(d, "WaitForFirstConsumer", &n); /* the class is not seen */
}

/* Returns whether a pod uses the claim; scheduled: a pod that has a node. */
static bool has_pod(struct assessment *d, bool scheduled)
{
	struct neighbour n, target;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		bool is_pod = core_is_kind(&n, "Pod");

		if (is_pod && n.presence == PRESENCE_FOUND && !scheduled)
			return true;
		for (size_t k = 0; is_pod && assess_target_of(d, &n, k, &target); k++)
			if (core_is_kind(&target, "Node"))
				return true;
	}
	return false;
}

/* ---- volumes that could be the claim's -------------------------------------- */

enum { MAX_DRIVER = 63 };	/* bytes of the name of a storage driver */
enum { VOLUMES_LOOKED_AT = 256 };	/* free volumes that one claim is compared with */

/* A volume beside a claim. */
struct fit {
	struct arena *arena;
	struct neighbour volume;
	int wrong;	/* the wishes that it does not fulfil */
	struct str asks, has;
};

static void differs(struct fit *f, struct str asked, struct str found)
{
	f->wrong++;
	f->asks = ARENA_JOIN(f->arena, f->asks, str_of(f->asks.len ? " and " : ""), asked);
	f->has = ARENA_JOIN(f->arena, f->has, str_of(f->has.len ? " and " : ""), found);
}

/* Returns the label with that key, which may have another value: "tier=silver" for "tier=gold". */
static struct str like_label(struct arena *a, const struct status *volume, struct str asked)
{
	struct str key = str_head(asked, str_find(asked, '=') + 1), one;
	size_t at = 0;

	while ((one = status_particular(volume, "label", &at)).len)
		if (str_eq(str_head(one, key.len), key))
			return one;
	return ARENA_JOIN(a, STR("no label "), str_head(key, key.len - 1));
}

/* Of sizes the larger fits; kubernetes pkg/controller/volume/persistentvolume/index.go compares the same wishes. */
static void compare_wishes(struct fit *f, const struct status *claim)
{
	const struct status *volume = &f->volume.status;
	struct str size = status_first_particular(claim, "size"), room = status_first_particular(volume, "size"), one;
	struct str class = status_first_particular(claim, "class"), other = status_first_particular(volume, "class");
	size_t at = 0;

	if (quantity_read(room) >= 0 && quantity_read(room) < quantity_read(size))
		differs(f, size, room);
	while ((one = status_particular(claim, "mode", &at)).len)
		if (!status_has_particular(volume, "mode", one))
			differs(f, one, status_first_particular(volume, "mode"));
	if (!str_eq(status_first_particular(claim, "volume-mode"), status_first_particular(volume, "volume-mode")))
		differs(f, status_first_particular(claim, "volume-mode"), status_first_particular(volume, "volume-mode"));
	if (!str_eq(class, other))
		differs(f, class.len ? ARENA_JOIN(f->arena, STR("class "), class) : STR("no class"),
			ARENA_JOIN(f->arena, STR("class "), other.len ? other : STR("\"\"")));
	at = 0;
	while ((one = status_particular(claim, "label", &at)).len)
		if (!status_has_particular(volume, "label", one))
			differs(f, one, like_label(f->arena, volume, one));
}

/* Its claim was deleted: no other claim gets it, not even one of the same name (pkg/controller/volume/persistentvolume/pv_controller.go). */
static bool is_released(const struct status *volume)
{
	return str_is(volume->operator_phase, "Released");
}

static bool is_of_my_name(struct assessment *d, struct str claim)
{
	return str_eq(claim, ARENA_JOIN(assess_arena(d), assess_namespace(d), STR("/"), assess_name(d)));
}

/* Returns the claim to which the volume belongs when it is another one than this: "shop/old"; "" when it is free. */
static struct str taken_by(struct assessment *d, const struct status *volume)
{
	struct str owner = status_first_particular(volume, "claim");

	return is_of_my_name(d, owner) && !is_released(volume) ? STR_NONE : owner;
}

static bool is_bound(const struct neighbour *volume)
{
	return str_is(volume->status.operator_phase, "Bound");
}

static struct fit fit_of(struct assessment *d, const struct neighbour *volume)
{
	struct fit f = { .arena = assess_arena(d), .volume = *volume };

	if (!is_bound(volume))	/* what a bound one has is not noted */
		compare_wishes(&f, assess_status(d));
	return f;
}

static struct str words_of(struct assessment *d, const struct fit *f)
{
	struct str owner = taken_by(d, &f->volume.status), name = ARENA_JOIN(f->arena, STR("persistentvolume/"), f->volume.name);
	bool released = is_released(&f->volume.status);

	if (f->wrong == 0 && owner.len)
		return ARENA_JOIN(f->arena, name, str_of(is_of_my_name(d, owner) ? " is taken by an earlier persistentvolumeclaim/" : " is taken by persistentvolumeclaim/"),
				  str_from(owner, str_find(owner, '/') + 1), STR(" of namespace "),
				  str_head(owner, str_find(owner, '/')), str_of(released ? ", and Released: a person has to free it" : ""));
	return ARENA_JOIN(f->arena, STR("it asks "), f->asks, STR(", "), name, STR(" has "), f->has);
}

/* Finds the free volume that fulfils the most wishes; of equal ones the first by name. */
static bool nearest_volume(struct assessment *d, struct fit *out)
{
	struct neighbour pool, n;
	bool any = false;

	for (size_t at = 0; assess_next_target(d, "VolumePool", &at, &pool);)
		for (size_t k = 0; k < VOLUMES_LOOKED_AT && assess_referrer_of(d, &pool, k, &n); k++) {
			struct fit f;

			if (!core_is_kind(&n, "PersistentVolume") || n.presence != PRESENCE_FOUND || n.deleting)
				continue;
			f = fit_of(d, &n);
			if (any && (f.wrong > out->wrong || (f.wrong == out->wrong && str_cmp(n.name, out->volume.name) > 0)))
				continue;
			*out = f;
			any = true;
		}
	return any;
}

enum { NONE_FITS_FOR_LONG, NONE_FITS, REFUSED, NOT_LARGER, NO_ANSWER_FOR_LONG, NO_ANSWER, SILENT, NO_STORE, NO_CONSUMER };

static const struct row volume_rows[] = {
	[NONE_FITS_FOR_LONG] = { "no volume fits the claim, and that for longer than a start takes", .then = OUTCOME_TROUBLE,
				 .phase = PHASE_FAILED, .flags = FINAL | SINCE_CREATED, .flag = "contradiction" },
	[NONE_FITS] = { "no volume fits the claim", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = SINCE_CREATED,
			.flag = "contradiction" },
	[REFUSED] = { "its driver fails to make the volume, again and again", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED },
	[NOT_LARGER] = { "an Event tells that it cannot be made larger", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[NO_ANSWER_FOR_LONG] = { "who is to make its volume has not answered for long", .then = OUTCOME_WAIT, .flags = RETRIED | SINCE_CREATED },
	[NO_ANSWER] = { "who is to make its volume is scaled to zero", .then = OUTCOME_WAIT, .flags = AT_LEAST | SINCE_CREATED },
	[SILENT] = { "who is to make its volume does not renew its lease", .then = OUTCOME_WAIT, .flags = RETRIED | SINCE_CREATED },
	[NO_STORE] = { "what the storage system has behind its class is not well", .then = OUTCOME_WAIT, .flags = RETRIED | SINCE_CREATED },
	[NO_CONSUMER] = { "its class binds when a pod that uses it is scheduled", .then = OUTCOME_WAIT, .flags = AT_LEAST },
	{ 0 }
};

/* The binder tries again and again, and binds what fits in a moment: only another volume, or another claim, helps. */
static void none_fits(struct assessment *d, const struct fit *f)
{
	struct str words = words_of(d, f), message = assess_message(d);
	int64_t age = assess_now(d) - assess_created(d);

	assess_revisit(d, assess_created(d) + thresholds.young);
	assess_revisit(d, assess_created(d) + thresholds.pod_start_grace);
	if (age < thresholds.young || assess_waits(d))
		return;
	message = str_ends(message, ".") ? str_head(message, message.len - 1) : message;
	message = message.len ? ARENA_JOIN(assess_arena(d), message, STR(": "), words) : words;
	table_assess(d, &volume_rows[age >= thresholds.pod_start_grace ? NONE_FITS_FOR_LONG : NONE_FITS], assess_reason(d), message);
	assess_because(d, words, STR_NONE, ARENA_JOIN(assess_arena(d), STR("PersistentVolume/"), f->volume.name));
}

/* The claim names its volume. */
static bool named_volume(struct assessment *d, struct neighbour *out)
{
	size_t at = 0;

	return assess_next_target(d, "PersistentVolume", &at, out);
}

/* ---- who makes the volume ---------------------------------------------------- */

/*
 * kubernetes pkg/controller/volume/persistentvolume/pv_controller.go: "Waiting for a volume to be created either by the external
 * provisioner 'block.example' or manually by the system administrator."
 */
static struct str provisioner_named(struct str message)
{
	static const char before[] = "external provisioner '";
	struct str rest = str_from(message, str_find_str(message, before));

	rest = str_from(rest, sizeof(before) - 1);
	return str_head(rest, str_find(rest, '\''));
}

/*
 * Returns who makes volumes for the claim, as it says or its class does; "" when people make them.  A class that is not there may
 * be just a name that volumes have, too.
 */
static struct str provisioner(struct assessment *d, bool *out_known)
{
	struct str name = status_first_particular(assess_status(d), "provisioner");
	struct neighbour n;

	if (name.len == 0 && core_assess_find_event(d, "ExternalProvisioning", &n))
		name = provisioner_named(n.status.message);
	*out_known = name.len || status_first_particular(assess_status(d), "class").len == 0;
	for (size_t at = 0; name.len == 0 && assess_next_target(d, "StorageClass", &at, &n);) {
		*out_known |= n.presence != PRESENCE_UNKNOWN;
		if (n.presence == PRESENCE_FOUND)
			name = status_first_particular(&n.status, "provisioner");
	}
	return str_is(name, "kubernetes.io/no-provisioner") ? STR_NONE : name;
}

static bool is_scaled_to_zero(struct assessment *d, struct neighbour *out)
{
	for (size_t i = 0; assess_target(d, i, out); i++)
		if (out->presence == PRESENCE_FOUND && status_has_flag(&out->status, "scaled-to-zero"))
			return true;
	return false;
}

/*
 * kubernetes-csi/external-provisioner cmd/csi-provisioner/csi-provisioner.go, csi-lib-utils leaderelection/leader_election.go: the lease has
 * the driver's name, of which all but letters, digits and - are -.
 */
static struct str lock_of_driver(struct assessment *d, struct str driver)
{
	struct str lock = STR_NONE;

	for (size_t i = 0; i < driver.len; i++)
		lock = ARENA_JOIN(assess_arena(d), lock, is_alnum(driver.ptr[i]) ? str_head(str_from(driver, i), 1) : STR("-"));
	return lock;
}

static bool silent_lease(struct assessment *d, struct str driver, struct neighbour *out)
{
	struct neighbour lock;

	/* no field names the lease: nothing tells of what becomes of it */
	assess_revisit(d, assess_now(d) + MINUTES(1));
	if (driver.len > MAX_DRIVER || !assess_find(d, "", CORE_LOCK, STR_NONE, lock_of_driver(d, driver), &lock))
		return false;
	for (size_t i = 0; assess_referrer_of(d, &lock, i, out); i++)
		if (core_is_kind(out, "Lease") && out->presence == PRESENCE_FOUND && status_has_flag(&out->status, "expired"))
			return true;
	return false;
}

/* Returns "csi-provisioner" for its pod "csi-provisioner-5d8f-x2". */
static struct str workload_of(struct str pod, int parts)
{
	while (parts-- > 0)
		pod = str_head(pod, str_rfind(pod, '-'));
	return pod;
}

static bool is_not_up(const struct neighbour *n)
{
	return n->presence == PRESENCE_FOUND && (n->status.phase != PHASE_READY || status_has_flag(&n->status, "scaled-to-zero"));
}

/* Who held the lease and does not run: the pod, or the workload that makes such pods; else nothing is known but the lease. */
static struct neighbour silent_worker(struct assessment *d, const struct neighbour *lease)
{
	struct neighbour pod, found;

	for (size_t i = 0; assess_target_of(d, lease, i, &pod); i++) {
		if (!core_is_kind(&pod, "Pod"))
			continue;
		if (is_not_up(&pod))
			return pod;
		if ((assess_find(d, "apps", "Deployment", lease->ns, workload_of(pod.name, 2), &found) ||
		     assess_find(d, "apps", "StatefulSet", lease->ns, workload_of(pod.name, 1), &found)) && is_not_up(&found))
			return found;
	}
	return *lease;
}

/* A volume is made within seconds; until somebody answers, the claim waits for who makes it. */
static void wait_for_provisioner(struct assessment *d, struct str name)
{
	const struct status *st = assess_status(d);
	int64_t age = assess_now(d) - assess_created(d);
	struct str message = ARENA_JOIN(assess_arena(d), name, STR(" has not answered yet, it is to make the volume"));
	struct neighbour n;

	assess_revisit(d, assess_created(d) + thresholds.young);
	assess_revisit(d, assess_created(d) + thresholds.pod_start_grace);
	if (is_scaled_to_zero(d, &n)) {
		assess_wait(d, &n, WAIT_NOT_READY, STR("makes the volume, and is scaled to 0"));
	} else if (silent_lease(d, name, &n)) {
		message = ARENA_JOIN(assess_arena(d), name, STR(" is to make the volume, and does not renew lease/"), n.name);
		n = silent_worker(d, &n);
		n.via = STR("spec.storageClassName");
		assess_wait(d, &n, WAIT_CONTROLLER, message);
		table_assess(d, &volume_rows[SILENT], st->reason, message);
		return;
	} else if (age >= thresholds.young && core_wait_for_store(d, NULL, STR("spec.storageClassName"), &message)) {
		table_assess(d, &volume_rows[NO_STORE], assess_reason(d), assess_message(d).len ? assess_message(d) : message);
		return;
	} else if (age < thresholds.pod_start_grace || assess_message(d).len || assess_waits(d)) {
		return;
	} else {
		assess_wait_external(d, (struct external_wait){ .state = WAIT_EXTERNAL,
								.kind = STR("Provisioner"),
								.name = name,
								.via = STR("spec.storageClassName"),
								.message = message });
	}
	table_assess(d, &volume_rows[age >= thresholds.pod_start_grace ? NO_ANSWER_FOR_LONG : NO_ANSWER], st->reason, message);
	assess_rule(d, ARENA_JOIN(assess_arena(d), STR("status.phase Pending, provisioner "), name));
}

/* ---- phase 2 ------------------------------------------------------------------ */

/* Finds the first by name of its pods that the scheduler gives no node, for another reason than claims: the claim follows from it. */
static bool unscheduled_pod(struct assessment *d, struct neighbour *out)
{
	struct neighbour n;
	bool any = false;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		bool held = core_is_kind(&n, "Pod") && n.presence == PRESENCE_FOUND && n.status.phase == PHASE_WAITING &&
			    n.status.severity >= SEVERITY_WARNING && str_is(n.status.reason, "Unschedulable") &&
			    !str_contains(n.status.message, "ersistentVolumeClaim") && !str_contains(n.status.message, "persistentvolumeclaim");

		if (held && (!any || str_cmp(n.name, out->name) < 0)) {
			*out = n;
			any = true;
		}
	}
	return any;
}

static void wait_for_consumer(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour pod;

	if (unscheduled_pod(d, &pod)) {
		assess_wait(d, &pod, WAIT_NOT_READY, pod.status.message);
		table_assess(d, &volume_rows[NO_CONSUMER], STR("WaitForFirstConsumer"), pod.status.message);
		return;
	}
	table_assess(d, &volume_rows[NO_CONSUMER], STR("WaitForFirstConsumer"), st->message);
	if (!has_pod(d, false))
		assess_flag(d, "nobody-waits");
	assess_wait_external(d, (struct external_wait){ .state = WAIT_EXTERNAL,
							.kind = STR("Pod"),
							.name = STR("first consumer"),
							.via = STR("spec.storageClassName") });
}

/* A volume may have the class as just a name. */
static void drop_class(struct assessment *d)
{
	struct neighbour n;

	for (size_t at = 0; assess_next_target(d, "StorageClass", &at, &n);)
		if (n.presence == PRESENCE_MISSING)
			assess_drop_wait(d, &n);
}

/* People make the volumes of the claim's class. */
static void look_for_volume(struct assessment *d, bool class_known)
{
	struct neighbour named;
	bool same_class;
	struct fit f;

	if (named_volume(d, &named)) {
		if (named.presence != PRESENCE_FOUND)
			return;
		f = fit_of(d, &named);
	} else if (!nearest_volume(d, &f)) {
		return;
	}
	if (f.wrong == 0 && taken_by(d, &f.volume.status).len == 0)
		return;
	same_class = is_bound(&f.volume) || str_eq(status_first_particular(assess_status(d), "class"), status_first_particular(&f.volume.status, "class"));
	if (same_class)
		drop_class(d);
	if (same_class || class_known)
		none_fits(d, &f);
}

/* Where no Event tells it. */
static void tell_lost(struct assessment *d)
{
	struct neighbour volume;

	if (assess_message(d).len == 0 && named_volume(d, &volume))
		assess_tell(d, assess_reason(d),
			    ARENA_JOIN(assess_arena(d), STR("persistentvolume/"), volume.name, STR(" is lost, to which it was bound")));
}

/*
 * The answer of the driver, or of the controller where nobody makes volumes (pv_controller.go): it is asked for again and again, and is
 * the same until somebody changes what may be had.
 */
static void told_no(struct assessment *d)
{
	static const char *const refusals[] = { "nauthorized", "not authorized", "orbidden", "AccessDenied", "PermissionDenied", "ermission denied",
						"Unauthenticated", "InvalidArgument", "InvalidParameter", "no storage class is set", NULL };
	static const char *const reasons[] = { "ProvisioningFailed", "FailedBinding", NULL };
	/* kubernetes-csi/external-resizer pkg/util/util.go, kubernetes pkg/kubelet/events/event.go */
	static const char *const resizing[] = { "VolumeResizeFailed", "FileSystemResizeFailed", NULL };
	bool refused = str_contains_any(assess_message(d), refusals);
	int64_t end = assess_created(d) + (refused ? thresholds.pod_start_grace : thresholds.overdue);

	if (assess_status(d)->phase == PHASE_SCALING && str_is_any(assess_reason(d), resizing))
		table_assess(d, &volume_rows[NOT_LARGER], assess_reason(d), assess_message(d));
	if (assess_status(d)->phase != PHASE_PROVISIONING || !str_is_any(assess_reason(d), reasons))
		return;
	if (refused)
		assess_flag(d, "refused");
	assess_revisit(d, end);
	if (assess_now(d) >= end)
		table_assess(d, &volume_rows[REFUSED], assess_reason(d), assess_message(d));
}

static void claim_and_its_volume(struct assessment *d)
{
	const struct status *st = assess_status(d);
	bool late = class_binds_late(d), class_known;
	struct str maker = provisioner(d, &class_known);
	struct neighbour n;

	if (str_is(st->operator_phase, "Lost"))
		tell_lost(d);
	if (st->phase == PHASE_SCALING)
		told_no(d);
	if (!str_is(st->operator_phase, "Pending") || st->phase == PHASE_DELETING)
		return;
	/* of a class that binds late nothing is to be done before a pod comes */
	if (!late || has_pod(d, maker.len)) {
		if (maker.len && !named_volume(d, &n))
			wait_for_provisioner(d, maker);
		else
			look_for_volume(d, class_known);
	}
	if (late && assess_status(d)->phase == PHASE_PROVISIONING && !has_pod(d, true))
		wait_for_consumer(d);
	told_no(d);
}

const struct core_kind core_claim_kinds[] = {
	{ .kind = "PersistentVolumeClaim", .inspect = claim, .assess = claim_and_its_volume, .events = true, .warned = true },
	{ 0 }
};

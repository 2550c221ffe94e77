/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenStack resource controller.
 *
 * Two conditions: Progressing says whether the controller still does anything
 * and why, Available whether the resource can be used.  What it waits for is
 * prose in the message of Progressing, one wait a line (waits.c).
 */
#include "kube/family/orc/orc.h"

#include "kube/evidence/evidence.h"
#include "kube/evidence/decision_table.h"

static const char *const groups[] = { ORC_GROUP, NULL };

/* Messages of an OpenStack client that got no answer: it takes that for a mistake in the spec and gives up. */
static const char *const no_answer[] = { "connection refused", "dial tcp", "no such host",
					 "i/o timeout",	       "EOF",	   NULL };

static bool is_terminal(const struct condition *progressing)
{
	return condition_is(progressing, "False") &&
	       (str_is(progressing->reason, "InvalidConfiguration") ||
		str_is(progressing->reason, "UnrecoverableError"));
}

/* Words of OpenStack for what is broken; the last ones mean that somebody else deleted it. */
#define BROKEN "error error_* killed failed"
#define DELETED "deleted soft_deleted pending_delete"

/* In a deletion it is no failure that OpenStack has deleted the resource. */
static bool is_os_failed(const struct verdict *v, struct str word)
{
	return table_has_word(BROKEN, word) || (!verdict_deleting(v) && table_has_word(DELETED, word));
}

static size_t count_finalizers(const struct verdict *v, struct json object, bool *out_own)
{
	size_t foreign = 0;

	*out_own = false;
	json_foreach(f, json_at(object, "metadata.finalizers")) {
		if (orc_own_finalizer(verdict_kind(v), json_str(f, "")))
			*out_own = true;
		else
			foreign++;
	}
	return foreign;
}

/* ---- the rules, in order -------------------------------------------------- */

/* The reasons of api/v1alpha1/conditions.go; older releases write conditions without a reason. */
static bool is_known_reason(struct str reason)
{
	static const char *const reasons[] = { "Progressing",	 "InvalidConfiguration", "UnrecoverableError",
					       "TransientError", "Success",		 NULL };

	return reason.len == 0 || str_is_any_nocase(reason, reasons);
}

/* What the rows ask for. */
enum {
	BEGUN = 1 << 0,		/* there is a condition Progressing */
	OLDER = 1 << 1,		/* which is about an older spec */
	GIVEN_UP = 1 << 2,	/* its controller has stopped because of an error */
	NO_ANSWER = 1 << 3,	/* the error is that of a network */
	FAILS = 1 << 4,		/* an error that is tried again */
	MADE = 1 << 5,		/* the resource is there, as far as is known */
	USABLE = 1 << 6,	/* Available=True */
	NOT_USABLE = 1 << 7,	/* Available=False */
	STOPPED = 1 << 8,	/* Progressing=False */
	MOVES = 1 << 9,		/* Progressing=True */
	OTHER_REASON = 1 << 10, /* of a newer release */
	GOES = 1 << 11,		/* its status is about its deletion */
	LAST = 1 << 12		/* no finalizer of others holds it */
};

static unsigned facts_of(const struct orc *o)
{
	const struct condition *p = o->progressing;

	if (!p)
		return 0;
	return BEGUN | (o->fresh ? 0 : OLDER) | (is_terminal(p) ? GIVEN_UP : 0) | (str_contains_any(p->message, no_answer) ? NO_ANSWER : 0) |
	       (str_is(p->reason, "TransientError") ? FAILS : 0) | (o->created ? MADE : 0) |
	       (condition_is(o->available, "True") ? USABLE : 0) | (condition_is(o->available, "False") ? NOT_USABLE : 0) |
	       (condition_is(p, "False") ? STOPPED : 0) | (condition_is(p, "True") ? MOVES : 0) |
	       (is_known_reason(p->reason) ? 0 : OTHER_REASON) | (o->left ? 0 : GOES) | (o->foreign ? 0 : LAST);
}

static struct orc read_object(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct orc o = {
		.object = object,
		.available = verdict_condition(v, "Available"),
		.progressing = verdict_condition(v, "Progressing"),
		.os = json_str(object, "status.resource.status"),
		.unmanaged = str_is(json_str(object, "spec.managementPolicy"), "unmanaged"),
		.fresh = true,
	};
	bool own;

	/* a RoleAssignment has no id */
	o.created = json_str(object, "status.id").len ||
		    (str_is(verdict_kind(v)->kind, "RoleAssignment") &&
		     json_count(json_at(object, "status.resource"))) ||
		    condition_is(o.available, "True");
	if (o.progressing && o.progressing->generation >= 0 && verdict_generation(v))
		o.fresh = o.progressing->generation == verdict_generation(v);
	/* the status is written only while the controller's own finalizer is there */
	o.foreign = count_finalizers(v, object, &own);
	o.left = verdict_deleting(v) && (!o.fresh || !own);
	o.stopped = o.fresh && condition_is(o.progressing, "False");
	o.r = (struct reading){ .v = v, .is = facts_of(&o), .usable = condition_is(o.available, "True"), .word = o.os, .condition = o.progressing };
	return o;
}

/* The status does not say when the spec changed: since is when this program saw it first, and only check_wake_up() uses it. */
static void unobserved(struct reading *r)
{
	r->since = verdict_now(r->v);
	r->rule = arena_printf(verdict_arena(r->v), "generation %lld is not observed yet, only %lld", (long long)verdict_generation(r->v),
			       (long long)r->condition->generation);
}

static void rejected(struct reading *r)
{
	if (r->usable)
		verdict_flag(r->v, "update-rejected");
}

/* Takes the verdict from OpenStack's word. */
static void in_its_word(struct reading *r)
{
	struct orc *o = (struct orc *)r;

	r->condition = NULL;
	r->word = r->reason = o->os;
	r->message = o->progressing->message;
	r->since = o->progressing->since;
	r->rule = arena_printf(verdict_arena(r->v), "status.resource.status " STR_FMT, STR_ARG(o->os));
	if (!r->usable && is_os_failed(r->v, o->os))
		r->flags |= BY_ITSELF;
}

static void outside(struct reading *r, enum wait_state state)
{
	struct orc *o = (struct orc *)r;
	struct str id = json_str(o->object, "status.id");

	in_its_word(r);
	verdict_waits_external(r->v, (struct external_wait){ .state = state,
							     .kind = STR("OpenStack"),
							     .name = id.len ? id : verdict_name(r->v),
							     .via = STR("status.resource.status"),
							     .message = o->progressing->message });
}

static void for_a_person(struct reading *r)
{
	outside(r, WAIT_APPROVAL);
}

static void for_others(struct reading *r)
{
	outside(r, WAIT_EXTERNAL);
}

static void others_delete(struct reading *r)
{
	in_its_word(r);
	if (!verdict_deleting(r->v))
		verdict_flag(r->v, "external-delete");
}

static void well(struct reading *r)
{
	struct orc *o = (struct orc *)r;
	int64_t a = o->available->since, p = o->progressing->since;

	r->condition = o->available;
	r->since = a > p ? a : p;
}

static void not_usable(struct reading *r)
{
	struct orc *o = (struct orc *)r;

	if (o->available && (r->is & STOPPED))
		r->condition = o->available;
	if (o->os.len && (r->is & NOT_USABLE))
		in_its_word(r);
}

/*
 * The words of OpenStack are from its API references: Compute "Server status", Block Storage "Volume status", Image "Image status",
 * Networking v2.  In some of these states the controller waits for ever.
 */
static const struct row rows[] = {
	{ "its controller has not begun", .not = BEGUN, .then = OUTCOME_UNKNOWN, .flags = QUIET | SINCE_CREATED, .rule = "no condition Progressing" },
	{ "its controller has not seen the present spec", .is = OLDER, .then = OUTCOME_MOVEMENT, .flag = "spec-not-observed", .tell = unobserved },
	{ "its controller took a network failure for a mistake in the spec", .is = GIVEN_UP | NO_ANSWER, .then = OUTCOME_TROUBLE,
	  .flags = FINAL_IF_DOWN, .flag = "latched", .tell = rejected,
	  .rule = "looks like a network failure that was taken for a mistake in the spec: any change of the spec tries again" },
	{ "its controller has given up on this spec", .is = GIVEN_UP, .then = OUTCOME_TROUBLE, .flags = FINAL_IF_DOWN, .tell = rejected },
	{ "its state cannot be read", .is = FAILS | MADE, .not = NOT_USABLE, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "an error is tried again", .is = FAILS, .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING, .flags = RETRIED },
	{ "OpenStack calls it broken", .word = BROKEN, .then = OUTCOME_TROUBLE, .flags = FINAL_IF_DOWN, .tell = in_its_word },
	{ "somebody else has deleted it in OpenStack", .word = DELETED, .then = OUTCOME_TROUBLE, .flags = FINAL_IF_DOWN, .tell = in_its_word },
	{ "the server does not run", .kind = "Server", .word = "SHUTOFF SUSPENDED PAUSED SHELVED* RESCUE", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED, .tell = in_its_word },
	{ "the server is restarted or moved", .kind = "Server", .word = "REBOOT HARD_REBOOT MIGRATING", .not = USABLE, .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_MAINTENANCE, .tell = in_its_word },
	{ "the server is changed", .kind = "Server", .word = "PASSWORD REBUILD RESIZE REVERT_RESIZE", .not = USABLE, .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_UPDATING, .tell = in_its_word },
	{ "a person has to confirm the new size, or to revert it", .kind = "Server", .word = "VERIFY_RESIZE", .not = USABLE, .then = OUTCOME_WAIT,
	  .tell = for_a_person },
	{ "OpenStack does not know how the server is", .kind = "Server", .word = "UNKNOWN", .not = USABLE, .then = OUTCOME_UNKNOWN,
	  .tell = in_its_word },
	{ "the volume is changed", .kind = "Volume", .word = "reserved attaching detaching retyping", .not = USABLE, .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_UPDATING, .tell = in_its_word },
	{ "the volume becomes larger", .kind = "Volume", .word = "extending", .not = USABLE, .then = OUTCOME_MOVEMENT, .phase = PHASE_SCALING,
	  .tell = in_its_word },
	{ "the volume is copied or restored", .kind = "Volume", .word = "uploading maintenance backing-up restoring-backup", .not = USABLE,
	  .then = OUTCOME_MOVEMENT, .phase = PHASE_MAINTENANCE, .tell = in_its_word },
	{ "somebody else is deleting the volume", .kind = "Volume", .word = "deleting", .then = OUTCOME_DELETION, .flags = RETRIED,
	  .tell = others_delete },
	{ "another project has to accept the volume", .kind = "Volume", .word = "awaiting-transfer", .not = USABLE, .then = OUTCOME_WAIT,
	  .tell = for_others },
	{ "an administrator has blocked the image", .kind = "Image", .word = "deactivated", .then = OUTCOME_PAUSE, .tell = in_its_word },
	{ "some of its subports do not work", .kind = "Trunk", .word = "DEGRADED", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .tell = in_its_word },
	{ 0 }
};

/* Behind these the general rules judge a controller that has stopped for a reason that only a newer release has. */
static const struct row last_rows[] = {
	{ "it is available, and nothing is in progress", .is = STOPPED | USABLE, .then = OUTCOME_READY, .tell = well },
	/* nothing will make it better, because nobody polls */
	{ "it is not available, and nothing is in progress", .is = STOPPED | NOT_USABLE, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .tell = not_usable },
	{ "its controller is at work", .is = MOVES, .then = OUTCOME_MOVEMENT },
	{ "nothing tells whether it is available", .then = OUTCOME_UNKNOWN, .flags = QUIET, .tell = not_usable },
	{ 0 }
};

static void judge(struct orc *o)
{
	struct reading *r = &o->r;
	const struct condition *p = o->progressing;

	if (table_decide(r, rows))
		return;
	if ((r->is & OTHER_REASON) && !(r->is & MOVES)) {
		evidence_decides(r->v, "reason", p->reason);
		verdict_word(r->v, p->reason);
		return;
	}
	table_decide(r, last_rows);
}

/* ---- deletion ------------------------------------------------------------ */

static const struct row deletion_rows[] = {
	{ "its deletion cannot succeed", .is = GOES | GIVEN_UP | LAST, .then = OUTCOME_DELETION, .flags = FINAL },
	{ "its deletion is tried again", .is = GOES | MOVES | FAILS | LAST, .then = OUTCOME_DELETION, .flags = RETRIED },
	{ "it is being deleted, and its controller is at work", .is = GOES | MOVES, .then = OUTCOME_DELETION },
	{ "it is being deleted, and its controller has given up", .is = GOES | GIVEN_UP, .then = OUTCOME_DELETION },
	{ 0 }
};

/* ---- the operation in OpenStack ------------------------------------------ */

static void operation(struct verdict *v, const struct orc *o, struct str class, struct str message)
{
	struct async *a = verdict_async(v);

	a->source = STR("openstack");
	a->phase = verdict_deleting(v) ? STR("delete") :
		   condition_is(o->available, "True") ? STR("update") :
							STR("create");
	a->class = class;
	a->raw_status = o->os;
	a->message = message;
}

/* Reads "Downloaded 120MB/400MB"; returns -1 when the total is not known. */
static double downloaded(struct str message)
{
	struct str text = str_from(message, sizeof("Downloaded ") - 1);
	size_t slash = str_find_str(text, "MB/");
	struct str total = str_from(text, slash + 3);
	int64_t done, all;

	if (!str_starts(message, "Downloaded ") || !str_ends(total, "MB"))
		return -1;
	if (!str_to_int(str_head(text, slash), &done) ||
	    !str_to_int(str_head(total, total.len - 2), &all) || all <= 0)
		return -1;
	return done >= all ? 100 : 100.0 * (double)done / (double)all;
}

static void show_operation(struct verdict *v, const struct orc *o)
{
	const struct condition *download = verdict_condition(v, "Downloading"), *p = o->progressing;
	bool moving = condition_is(p, "True") && str_is(p->reason, "Progressing");

	if (o->left)
		return;
	if (moving && is_os_failed(v, o->os)) {
		operation(v, o, STR("failed"), p->message);
	} else if (condition_is(download, "True") && !condition_is(p, "False") &&
		   !verdict_deleting(v)) {
		operation(v, o, STR("pending"), download->message);
		verdict_async(v)->percent = downloaded(download->message);
	} else if (moving && (str_contains(p->message, "OpenStack resource to be ready") ||
			      str_contains(p->message, "OpenStack resource to be deleted") ||
			      str_contains(p->message, "OpenStack resource to be updated") ||
			      str_starts(p->message, "Glance is downloading") ||
			      str_starts(p->message, "Starting image upload"))) {
		operation(v, o, STR("pending"), p->message);
	}
}

static void show_flags(struct verdict *v, const struct orc *o)
{
	if (o->unmanaged)
		verdict_flag(v, "unmanaged");
	if (json_is_object(json_at(o->object, "spec.import")))
		verdict_flag(v, "import");
	if (str_is(json_str(o->object, "spec.managedOptions.onDelete"), "detach"))
		verdict_flag(v, "detach");
}

/*
 * An object that is available may still lack what another one waits for, and the other way round: orc_neighbours.c reads these
 * flags.
 */
static void show_shortcomings(struct verdict *v, const struct orc *o)
{
	const struct kind *kind = verdict_kind(v);
	struct json resource = json_at(o->object, "status.resource");

	if (!condition_is(o->available, "True")) {
		if (str_is(kind->kind, "Server") && o->created && str_is(o->os, "ACTIVE"))
			verdict_flag(v, "active");
		return;
	}
	if (str_is(kind->kind, "KeyPair") && !json_is_object(resource))
		verdict_flag(v, "no-resource");
	if (!str_is(kind->kind, "Server") || !json_is_object(resource))
		return;
	if (json_str(resource, "hostID").len == 0)
		verdict_flag(v, "no-host-id");
	if (json_str(resource, "status").len && !str_is(json_str(resource, "status"), "ACTIVE"))
		verdict_flag(v, "not-active");
}

static void orc_inspect(struct verdict *v)
{
	struct orc o = read_object(v);

	if (o.created)
		verdict_ever_ready(v);
	judge(&o);
	if (verdict_deleting(v))
		table_decide(&o.r, deletion_rows);
	if ((o.r.is & OTHER_REASON) && (o.r.is & (MOVES | OLDER)))
		verdict_unknown_word(v, "reason", o.progressing->reason);
	orc_refs(v, &o);
	orc_waits(v, &o);
	show_operation(v, &o);
	show_flags(v, &o);
	show_shortcomings(v, &o);
	verdict_polarity(v, "Available", POLARITY_POSITIVE);
	verdict_polarity(v, "Progressing", POLARITY_TRANSITIONAL);
	verdict_polarity(v, "Downloading", POLARITY_TRANSITIONAL);
}

static const struct controller_rule controllers[] = {
	{ NULL, NULL, "orc-system", "orc-controller-manager", NULL },
	{ 0 }
};

const struct family family_orc = {
	.name = "orc",
	.title = "OpenStack resource controller",
	.groups = groups,
	.inspect = orc_inspect,
	.assess = orc_assess,
	.finalizer = orc_finalizer,
	.own_finalizer = orc_own_finalizer,
	.controllers = controllers,
};

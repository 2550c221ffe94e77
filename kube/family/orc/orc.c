/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenStack resource controller.
 *
 * Two conditions: Progressing says whether the controller still does anything
 * and why, Available whether the resource can be used.  What it waits for is
 * prose in the message of Progressing, one wait a line (waits.c).
 */
#include "kube/family/orc/orc.h"

#include "kube/family/generic/generic.h"

#include <string.h>

static const char *const groups[] = { ORC_GROUP, NULL };

/*
 * What OpenStack says of a resource, where that says more than the conditions: in some of these states the controller
 * waits for ever.  The words are from the API references of OpenStack: Compute "Server status", Block Storage "Volume
 * status", Image "Image status", Networking v2.
 */
static const struct os_rule {
	const char *kind;	/* NULL: every kind */
	const char *word;	/* compared without case; with "*" at its end it is a prefix */
	enum phase phase;	/* the phase while the object is not available */
	enum severity level;
	enum phase usable;	/* the phase with Available=True; PHASE_READY: the word decides nothing then */
	enum wait_state wait;
} os_rules[] = {
	{ NULL, "error", PHASE_FAILED, SEVERITY_ERROR, PHASE_DEGRADED, WAIT_NONE },
	{ NULL, "error_*", PHASE_FAILED, SEVERITY_ERROR, PHASE_DEGRADED, WAIT_NONE },
	{ NULL, "killed", PHASE_FAILED, SEVERITY_ERROR, PHASE_DEGRADED, WAIT_NONE },
	{ NULL, "failed", PHASE_FAILED, SEVERITY_ERROR, PHASE_DEGRADED, WAIT_NONE },
	/* somebody else deleted it */
	{ NULL, "deleted", PHASE_FAILED, SEVERITY_ERROR, PHASE_DEGRADED, WAIT_NONE },
	{ NULL, "soft_deleted", PHASE_FAILED, SEVERITY_ERROR, PHASE_DEGRADED, WAIT_NONE },
	{ NULL, "pending_delete", PHASE_FAILED, SEVERITY_ERROR, PHASE_DEGRADED, WAIT_NONE },
	/* the server exists and does not run */
	{ "Server", "SHUTOFF", PHASE_DEGRADED, SEVERITY_WARNING, PHASE_DEGRADED, WAIT_NONE },
	{ "Server", "SUSPENDED", PHASE_DEGRADED, SEVERITY_WARNING, PHASE_DEGRADED, WAIT_NONE },
	{ "Server", "PAUSED", PHASE_DEGRADED, SEVERITY_WARNING, PHASE_DEGRADED, WAIT_NONE },
	{ "Server", "SHELVED*", PHASE_DEGRADED, SEVERITY_WARNING, PHASE_DEGRADED, WAIT_NONE },
	{ "Server", "RESCUE", PHASE_DEGRADED, SEVERITY_WARNING, PHASE_DEGRADED, WAIT_NONE },
	{ "Server", "REBOOT", PHASE_MAINTENANCE, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Server", "HARD_REBOOT", PHASE_MAINTENANCE, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Server", "MIGRATING", PHASE_MAINTENANCE, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Server", "PASSWORD", PHASE_UPDATING, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Server", "REBUILD", PHASE_UPDATING, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Server", "RESIZE", PHASE_UPDATING, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Server", "REVERT_RESIZE", PHASE_UPDATING, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	/* the server runs in its new size; a person has to confirm the size, or to revert it */
	{ "Server", "VERIFY_RESIZE", PHASE_WAITING, SEVERITY_INFO, PHASE_READY, WAIT_APPROVAL },
	{ "Server", "UNKNOWN", PHASE_UNKNOWN, SEVERITY_WARNING, PHASE_READY, WAIT_NONE },
	{ "Volume", "reserved", PHASE_UPDATING, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Volume", "attaching", PHASE_UPDATING, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Volume", "detaching", PHASE_UPDATING, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Volume", "extending", PHASE_SCALING, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Volume", "retyping", PHASE_UPDATING, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Volume", "uploading", PHASE_MAINTENANCE, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Volume", "maintenance", PHASE_MAINTENANCE, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Volume", "backing-up", PHASE_MAINTENANCE, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	{ "Volume", "restoring-backup", PHASE_MAINTENANCE, SEVERITY_INFO, PHASE_READY, WAIT_NONE },
	/* somebody else is deleting it */
	{ "Volume", "deleting", PHASE_DELETING, SEVERITY_WARNING, PHASE_DELETING, WAIT_NONE },
	/* another project has to accept it */
	{ "Volume", "awaiting-transfer", PHASE_WAITING, SEVERITY_INFO, PHASE_READY, WAIT_EXTERNAL },
	/* an administrator has blocked its data until he activates it again */
	{ "Image", "deactivated", PHASE_SUSPENDED, SEVERITY_INFO, PHASE_SUSPENDED, WAIT_NONE },
	/* some of its subports do not work */
	{ "Trunk", "DEGRADED", PHASE_DEGRADED, SEVERITY_WARNING, PHASE_DEGRADED, WAIT_NONE },
	{ 0 }
};

/* Messages of an OpenStack client that got no answer: it takes that for a mistake in the spec and gives up. */
static const char *const no_answer[] = { "connection refused", "dial tcp", "no such host",
					 "i/o timeout",	       "EOF",	   NULL };

static bool is_terminal(const struct condition *progressing)
{
	return condition_is(progressing, "False") &&
	       (str_is(progressing->reason, "InvalidConfiguration") ||
		str_is(progressing->reason, "UnrecoverableError"));
}

static bool is_word(struct str word, const char *pattern)
{
	struct str wanted = str_of(pattern);

	if (str_ends(wanted, "*")) {
		wanted = str_head(wanted, wanted.len - 1);
		word = str_head(word, wanted.len);
	}
	return str_eq_nocase(word, wanted);
}

/* Returns NULL when the word says nothing beyond the conditions. */
static const struct os_rule *os_rule(const struct verdict *v, struct str word)
{
	for (const struct os_rule *r = os_rules; r->word; r++)
		if ((!r->kind || str_is(verdict_kind(v)->kind, r->kind)) && is_word(word, r->word))
			return r;
	return NULL;
}

/* In a deletion it is no failure that OpenStack has deleted the resource. */
static bool is_os_failed(const struct verdict *v, struct str word)
{
	const struct os_rule *r = os_rule(v, word);

	return r && r->phase == PHASE_FAILED && !(verdict_deleting(v) && strstr(r->word, "delete"));
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

static struct orc read_object(const struct verdict *v)
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
	return o;
}

/* ---- the rules, in order -------------------------------------------------- */

/* The reasons of api/v1alpha1/conditions.go; older releases write conditions without a reason. */
static bool is_known_reason(struct str reason)
{
	static const char *const reasons[] = { "Progressing",	 "InvalidConfiguration", "UnrecoverableError",
					       "TransientError", "Success",		 NULL };

	return reason.len == 0 || str_is_any_nocase(reason, reasons);
}

static void say(struct verdict *v, enum phase phase, enum severity severity,
		const struct condition *c)
{
	verdict_set(v, phase, severity, c->reason, c->message);
	verdict_word(v, c->reason);
	verdict_since(v, c->since);
	verdict_rule(v, arena_printf(verdict_arena(v), STR_FMT "=" STR_FMT " " STR_FMT,
				     STR_ARG(c->type), STR_ARG(c->status), STR_ARG(c->reason)));
	if (!is_known_reason(c->reason))
		verdict_unknown_word(v, "reason", c->reason);
}

/* Takes the verdict from OpenStack's word. */
static void say_os(struct verdict *v, const struct orc *o, enum phase phase, enum severity severity)
{
	verdict_set(v, phase, severity, o->os, o->progressing->message);
	verdict_word(v, o->os);
	verdict_since(v, o->progressing->since);
	verdict_rule(v, arena_printf(verdict_arena(v), "status.resource.status " STR_FMT,
				     STR_ARG(o->os)));
}

/* An object that was usable before is changed; any other is still being made. */
static enum phase under_way(const struct orc *o)
{
	return condition_is(o->available, "True") ? PHASE_UPDATING : PHASE_PROVISIONING;
}

/* The controller has not handled this spec yet: its conditions are about an older one. */
static bool judge_unobserved(struct verdict *v, const struct orc *o)
{
	if (o->fresh)
		return false;
	say(v, under_way(o), SEVERITY_INFO, o->progressing);
	/*
	 * the status does not say when the spec changed: since is when this program saw it first, and only
	 * check_wake_up() uses it
	 */
	verdict_since(v, verdict_now(v));
	verdict_flag(v, "spec-not-observed");
	verdict_rule(v, arena_printf(verdict_arena(v),
				     "generation %lld is not observed yet, only %lld",
				     (long long)verdict_generation(v),
				     (long long)o->progressing->generation));
	return true;
}

static bool judge_terminal(struct verdict *v, const struct orc *o)
{
	const struct condition *p = o->progressing;

	if (!is_terminal(p))
		return false;
	if (condition_is(o->available, "True")) {
		say(v, PHASE_DEGRADED, SEVERITY_WARNING, p);
		verdict_flag(v, "update-rejected");
	} else {
		say(v, PHASE_FAILED, SEVERITY_ERROR, p);
	}
	if (str_contains_any(p->message, no_answer)) {
		verdict_flag(v, "latched");
		verdict_rule(v, STR("looks like a network failure that was taken for a mistake "
				    "in the spec: any change of the spec tries again"));
	}
	return true;
}

static bool judge_transient(struct verdict *v, const struct orc *o)
{
	/* the resource was made before, and now its state cannot be read */
	bool unreadable = o->created && !condition_is(o->available, "False");

	if (!str_is(o->progressing->reason, "TransientError"))
		return false;
	say(v, unreadable ? PHASE_DEGRADED : PHASE_PROVISIONING, SEVERITY_WARNING, o->progressing);
	return true;
}

static void wait_outside(struct verdict *v, const struct orc *o, enum wait_state state)
{
	struct str id = json_str(o->object, "status.id");

	verdict_waits_external(v, (struct external_wait){ .state = state,
							  .kind = STR("OpenStack"),
							  .name = id.len ? id : verdict_name(v),
							  .via = STR("status.resource.status"),
							  .message = o->progressing->message });
}

static bool judge_os(struct verdict *v, const struct orc *o)
{
	bool available = condition_is(o->available, "True");
	const struct os_rule *r = os_rule(v, o->os);

	if (!r || (available && r->usable == PHASE_READY))
		return false;
	say_os(v, o, available ? r->usable : r->phase,
	       available && r->phase == PHASE_FAILED ? SEVERITY_WARNING : r->level);
	if (!available && is_os_failed(v, o->os))
		verdict_own_failure(v);
	if (r->phase == PHASE_DELETING && !verdict_deleting(v))
		verdict_flag(v, "external-delete");
	if (r->wait != WAIT_NONE)
		wait_outside(v, o, r->wait);
	return true;
}

static void say_ready(struct verdict *v, const struct orc *o)
{
	int64_t a = o->available->since, p = o->progressing->since;

	say(v, PHASE_READY, SEVERITY_NONE, o->available);
	verdict_since(v, a > p ? a : p);
}

/* Nothing is in progress.  Without Available=True nothing will make it better either, because nobody polls. */
static bool judge_done(struct verdict *v, const struct orc *o)
{
	if (!condition_is(o->progressing, "False"))
		return false;
	if (condition_is(o->available, "True"))
		say_ready(v, o);
	else if (!condition_is(o->available, "False"))
		say(v, PHASE_UNKNOWN, SEVERITY_NONE, o->available ? o->available : o->progressing);
	else if (o->os.len)
		say_os(v, o, PHASE_DEGRADED, SEVERITY_WARNING);
	else
		say(v, PHASE_DEGRADED, SEVERITY_WARNING, o->available);
	return true;
}

/*
 * The controller has stopped for a reason that only a newer release has: the general rules decide whether it has
 * reached its goal or given up.
 */
static bool judge_unknown_reason(struct verdict *v, const struct orc *o)
{
	const struct condition *p = o->progressing;

	if (condition_is(p, "True") || is_known_reason(p->reason))
		return false;
	generic_decides(v, "reason", p->reason);
	verdict_word(v, p->reason);
	return true;
}

static void judge_progressing(struct verdict *v, const struct orc *o)
{
	if (condition_is(o->progressing, "True"))
		say(v, under_way(o), SEVERITY_INFO, o->progressing);
	else
		say(v, PHASE_UNKNOWN, SEVERITY_NONE, o->progressing);
}

static bool (*const rules[])(struct verdict *v, const struct orc *o) = {
	judge_unobserved, judge_terminal, judge_transient, judge_os, judge_unknown_reason, judge_done,
};

static void judge(struct verdict *v, const struct orc *o)
{
	if (!o->progressing) {
		verdict_since(v, verdict_created(v));
		verdict_rule(v, STR("no condition Progressing"));
		return;
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i](v, o))
			return;
	judge_progressing(v, o);
}

/* ---- deletion ------------------------------------------------------------ */

static void judge_deletion(struct verdict *v, const struct orc *o)
{
	const struct condition *p = o->progressing;
	enum severity severity = SEVERITY_INFO;

	if (!o->left && p && (condition_is(p, "True") || is_terminal(p))) {
		if (o->foreign == 0 && is_terminal(p))
			severity = SEVERITY_ERROR;
		else if (o->foreign == 0 && str_is(p->reason, "TransientError"))
			severity = SEVERITY_WARNING;
		say(v, PHASE_DELETING, severity, p);
		return;
	}
	verdict_set(v, PHASE_DELETING, severity, STR_NONE, STR_NONE);
	verdict_rule(v, STR("metadata.deletionTimestamp"));
}

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
 * An object that is available may still lack what another one waits for, and the other way round: assess.c reads these
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
	judge(v, &o);
	if (verdict_deleting(v))
		judge_deletion(v, &o);
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

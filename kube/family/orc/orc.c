/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenStack resource controller.
 *
 * Two conditions: Progressing says whether the controller still does anything
 * and why, Available whether the resource can be used.  What it waits for is
 * prose in the message of Progressing, one wait a line (orc_waits.c).
 */
#include "kube/family/orc/orc.h"

#include "kube/family/generic/generic.h"

static const char *const groups[] = { ORC_GROUP, NULL };

/* OpenStack's words for what has failed; the controller goes on waiting for some of them. */
static const char *const os_failed[] = { "error", "killed", "failed", NULL };
/* Somebody else has deleted it there; in a deletion it is what is wanted. */
static const char *const os_gone[] = { "deleted", "pending_delete", NULL };
/* A server that is there and does not run. */
static const char *const os_stopped[] = { "SHUTOFF", "SUSPENDED", "PAUSED",
					  "SHELVED", "RESCUE",	  NULL };
/* An image whose data an administrator withholds until he activates it again. */
static const char os_deactivated[] = "deactivated";
/* A client that got no answer takes that for a mistake in the spec and gives up. */
static const char *const no_answer[] = { "connection refused", "dial tcp", "no such host",
					 "i/o timeout",	       "EOF",	   NULL };

static bool is_one_of(struct str word, const char *const *list)
{
	for (size_t i = 0; list[i]; i++)
		if (str_eq_nocase(word, str_of(list[i])))
			return true;
	return false;
}

static bool starts_with_one_of(struct str word, const char *const *list)
{
	for (size_t i = 0; list[i]; i++)
		if (str_starts(word, list[i]))
			return true;
	return false;
}

static bool contains_one_of(struct str text, const char *const *list)
{
	for (size_t i = 0; list[i]; i++)
		if (str_contains(text, list[i]))
			return true;
	return false;
}

static bool is_terminal(const struct condition *progressing)
{
	return condition_is(progressing, "False") &&
	       (str_is(progressing->reason, "InvalidConfiguration") ||
		str_is(progressing->reason, "UnrecoverableError"));
}

static bool is_os_failed(const struct verdict *v, struct str os)
{
	return is_one_of(os, os_failed) || (is_one_of(os, os_gone) && !verdict_deleting(v)) ||
	       (os.len > 6 && str_eq_nocase(str_head(os, 6), STR("error_")));
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

static void say(struct verdict *v, enum phase phase, enum severity severity,
		const struct condition *c)
{
	verdict_set(v, phase, severity, c->reason, c->message);
	verdict_word(v, c->reason);
	verdict_since(v, c->since);
	verdict_rule(v, arena_printf(verdict_arena(v), STR_FMT "=" STR_FMT " " STR_FMT,
				     STR_ARG(c->type), STR_ARG(c->status), STR_ARG(c->reason)));
}

/* OpenStack's word decides. */
static void say_os(struct verdict *v, const struct orc *o, enum phase phase, enum severity severity)
{
	verdict_set(v, phase, severity, o->os, o->progressing->message);
	verdict_word(v, o->os);
	verdict_since(v, o->progressing->since);
	verdict_rule(v, arena_printf(verdict_arena(v), "status.resource.status " STR_FMT,
				     STR_ARG(o->os)));
}

/* Usable before and to be changed, or still to be made. */
static enum phase under_way(const struct orc *o)
{
	return condition_is(o->available, "True") ? PHASE_UPDATING : PHASE_PROVISIONING;
}

/* The controller has not looked at this spec: what it said is about another one. */
static bool judge_unobserved(struct verdict *v, const struct orc *o)
{
	if (o->fresh)
		return false;
	say(v, under_way(o), SEVERITY_INFO, o->progressing);
	/* when the spec changed is not told: first seen now */
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
	if (contains_one_of(p->message, no_answer)) {
		verdict_flag(v, "latched");
		verdict_rule(v, STR("looks like a network failure that was taken for a mistake "
				    "in the spec: any change of the spec tries again"));
	}
	return true;
}

static bool judge_transient(struct verdict *v, const struct orc *o)
{
	/* made long ago, and now its state cannot be read */
	bool unreadable = o->created && !condition_is(o->available, "False");

	if (!str_is(o->progressing->reason, "TransientError"))
		return false;
	say(v, unreadable ? PHASE_DEGRADED : PHASE_PROVISIONING, SEVERITY_WARNING, o->progressing);
	return true;
}

static bool judge_os(struct verdict *v, const struct orc *o)
{
	bool available = condition_is(o->available, "True");

	if (is_os_failed(v, o->os)) {
		say_os(v, o, available ? PHASE_DEGRADED : PHASE_FAILED,
		       available ? SEVERITY_WARNING : SEVERITY_ERROR);
		if (!available)
			verdict_own_failure(v);
		return true;
	}
	if (str_is(verdict_kind(v)->kind, "Image") && str_is(o->os, os_deactivated)) {
		say_os(v, o, PHASE_SUSPENDED, SEVERITY_INFO);
		return true;
	}
	if (str_is(verdict_kind(v)->kind, "Server") && starts_with_one_of(o->os, os_stopped)) {
		say_os(v, o, PHASE_DEGRADED, SEVERITY_WARNING);
		return true;
	}
	return false;
}

static void say_ready(struct verdict *v, const struct orc *o)
{
	int64_t a = o->available->since, p = o->progressing->since;

	say(v, PHASE_READY, SEVERITY_NONE, o->available);
	verdict_since(v, a > p ? a : p);
}

/* Nothing is under way; without Available=True nothing will make it better either: nobody polls. */
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

/* api/v1alpha1/conditions.go; a condition without a reason is an older release's. */
static bool is_known_reason(struct str reason)
{
	static const char *const reasons[] = { "Progressing",	 "InvalidConfiguration", "UnrecoverableError",
					       "TransientError", "Success",		 NULL };

	return reason.len == 0 || is_one_of(reason, reasons);
}

/* It has stopped for a reason that only a newer release has: at its goal, or given up? */
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
	const struct condition *p = o->progressing;

	if (condition_is(p, "True"))
		say(v, under_way(o), SEVERITY_INFO, p);
	else
		say(v, PHASE_UNKNOWN, SEVERITY_NONE, p);
	if (!is_known_reason(p->reason))
		verdict_unknown_word(v, "reason", p->reason);
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

/* "Downloaded 120MB/400MB"; -1 when the total is not told. */
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

/* What is available may still not be what somebody waits for, and the reverse: orc_assess.c. */
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out which state an OCI service operator object is in.  The conditions are a history to which entries are mostly
 * appended: an entry that repeats the first entry of its type is not written, so the last entry (which kubectl get
 * shows) is often not the current one.  What decides, in this order: the tracker of the operation,
 * status.status.reason, the condition that has status.status.message, the last condition.
 */
#include "kube/base/limits.h"
#include "kube/family/osok/osok.h"

static const struct {
	const char *word, *class;
	bool requeued;	/* the controller polls again */
} states[] = {
	[OSOK_NONE] = { "", "", false },
	[OSOK_PROVISIONING] = { "Provisioning", "pending", true },
	[OSOK_UPDATING] = { "Updating", "pending", true },
	[OSOK_TERMINATING] = { "Terminating", "pending", true },
	[OSOK_ACTIVE] = { "Active", "succeeded", false },
	[OSOK_FAILED] = { "Failed", "failed", false },
};

/* Maps the class and phase of the tracker to the condition and its message, "OCI <phase><words>". */
static const struct projection {
	const char *class, *phase;
	enum osok_state state;
	const char *words;
} projections[] = {
	{ "pending", "create", OSOK_PROVISIONING, " is in progress" },
	{ "pending", "update", OSOK_UPDATING, " is in progress" },
	{ "pending", "delete", OSOK_TERMINATING, " is in progress" },
	{ "pending", NULL, OSOK_PROVISIONING, " is in progress" },
	{ "succeeded", "delete", OSOK_TERMINATING, " completed; waiting for final confirmation" },
	{ "succeeded", NULL, OSOK_ACTIVE, " completed" },
	{ "canceled", NULL, OSOK_FAILED, " was canceled" },
	{ "attention", NULL, OSOK_FAILED, " requires attention" },
	{ "unknown", NULL, OSOK_FAILED, " status is unknown" },
	{ "failed", NULL, OSOK_FAILED, " failed" },
	{ NULL, NULL, OSOK_FAILED, " failed" },
};

/* Versions without a tracker keep work requests in fields of their own. */
static const struct {
	const char *path, *phase;
} mirrors[] = {
	{ "deleteWorkRequestId", "delete" },
	{ "updateWorkRequestId", "update" },
	{ "createWorkRequestId", "create" },
};

const char *osok_word(enum osok_state state)
{
	return states[state].word;
}

const char *osok_class(enum osok_state state)
{
	return states[state].class;
}

bool osok_requeued(enum osok_state state)
{
	return states[state].requeued;
}

bool osok_has_finalizer(struct json object)
{
	json_foreach(f, json_at(object, "metadata.finalizers"))
		if (str_is(json_str(f, ""), OSOK_FINALIZER))
			return true;
	return false;
}

static enum osok_state state_of(struct str word)
{
	for (int s = OSOK_PROVISIONING; s <= OSOK_FAILED; s++)
		if (str_is(word, states[s].word))
			return (enum osok_state)s;
	return OSOK_NONE;
}

static struct str either(struct str a, struct str b)
{
	return a.len ? a : b;
}

/* ---- the tracker --------------------------------------------------------- */

static bool row_is(const char *pattern, struct str value)
{
	return !pattern || str_is(value, pattern);
}

static const struct projection *project(const struct osok_tracker *t)
{
	const struct projection *p = projections;

	while (!row_is(p->class, t->class) || !row_is(p->phase, t->phase))
		p++;
	return p;
}

enum osok_state osok_projected(const struct osok_tracker *t, bool *out_modelled)
{
	*out_modelled = project(t)->class != NULL;
	return project(t)->state;
}

/* Returns the operator's words for a tracker without a message. */
static struct str default_words(struct verdict *v, const struct osok_tracker *t)
{
	struct str phase = STR("reconcile");

	for (size_t i = 0; i < sizeof(mirrors) / sizeof(mirrors[0]); i++)
		if (str_is(t->phase, mirrors[i].phase))
			phase = t->phase;
	return arena_printf(verdict_arena(v), "OCI " STR_FMT "%s", STR_ARG(phase),
			    project(t)->words);
}

static void read_mirrors(struct verdict *v, struct osok *o)
{
	struct osok_tracker *t = &o->cur;

	for (size_t i = 0; i < sizeof(mirrors) / sizeof(mirrors[0]); i++) {
		struct str id = json_str(o->outer, mirrors[i].path);

		if (id.len == 0)
			continue;
		if (!t->known) {
			*t = (struct osok_tracker){ .known = true,
						    .timeless = true,
						    .source = STR("workrequest"),
						    .phase = str_of(mirrors[i].phase),
						    .class = STR("pending") };
			verdict_flag(v, "legacy-bridge");
		}
		if (t->work_request.len == 0 && str_is(t->source, "workrequest") &&
		    str_is(t->phase, mirrors[i].phase))
			t->work_request = id;
	}
}

static void read_tracker(struct verdict *v, struct osok *o)
{
	struct json cur = json_at(o->inner, "async.current");

	if (json_is_object(cur) && json_count(cur)) {
		o->cur = (struct osok_tracker){
			.known = true,
			.source = json_str(cur, "source"),
			.phase = json_str(cur, "phase"),
			.class = json_str(cur, "normalizedClass"),
			.work_request = json_str(cur, "workRequestId"),
			.message = json_str(cur, "message"),
			.updated = json_time(cur, "updatedAt"),
		};
		o->cur.timeless = o->cur.updated == 0;
	}
	read_mirrors(v, o);
}

/* ---- the history --------------------------------------------------------- */

/* Some kinds keep fingerprints of secret input in the reason of a condition; those are not shown. */
static struct str shown_reason(struct json entry)
{
	struct str reason = json_str(entry, "reason");

	return str_contains(reason, ":v1:") ? STR_NONE : reason;
}

static struct condition entry_of(struct json c)
{
	struct condition e = {
		.type = json_str(c, "type"),
		.status = json_str(c, "status"),
		.reason = shown_reason(c),
		.message = json_str(c, "message"),
		.since = json_time(c, "lastTransitionTime"),
		.generation = -1,
		.polarity = POLARITY_TRANSITIONAL,
	};

	/* the condition Failed is False after a failure, so its False has to stand out */
	if (state_of(e.type) == OSOK_ACTIVE || state_of(e.type) == OSOK_FAILED)
		e.polarity = POLARITY_POSITIVE;
	return e;
}

static void read_entry(struct osok *o, struct condition e)
{
	enum osok_state s = state_of(e.type);

	if (!str_eq(e.type, o->last.type))
		o->run_since = e.since;
	if (e.since > o->newest)
		o->newest = e.since;
	o->last = e;
	o->last_state = s;
	o->was_active = o->was_active || s == OSOK_ACTIVE;
	o->words[s] = e.message;
	if (s == OSOK_NONE || o->message.len == 0 || !str_eq(e.message, o->message))
		return;
	o->joined_many = o->joined_many || (o->joined && o->joined != s);
	o->joined = s;
}

static bool same_entry(struct json a, struct json b)
{
	return str_eq(json_str(a, "type"), json_str(b, "type")) &&
	       str_eq(json_str(a, "status"), json_str(b, "status")) &&
	       str_eq(json_str(a, "message"), json_str(b, "message"));
}

/* Of a run of equal entries (one for each poll) only the first and the last are kept. */
static bool is_shown(struct json before, struct json entry)
{
	struct json after = json_next(entry);

	if (json_str(entry, "type").len == 0)
		return false;
	if (!before.node || !after.node)
		return true;
	return !same_entry(before, entry) || !same_entry(entry, after);
}

void osok_show_history(struct verdict *v, const struct osok *o)
{
	struct json all = json_at(o->inner, "conditions"), before = JSON_NONE;
	size_t left = 0;

	json_foreach(c, all) {
		left += is_shown(before, c);
		before = c;
	}
	before = JSON_NONE;
	verdict_clear_conditions(v);
	json_foreach(c, all) {
		struct condition e = entry_of(c);

		/* the newest entries, where there are more than are kept */
		if (is_shown(before, c) && left-- <= LIMIT_CONDITIONS) {
			verdict_add_condition(v, e);
			verdict_history(v, (struct transition){ e.since, e.type, e.reason,
								e.message });
		}
		before = c;
	}
}

/* ---- which state --------------------------------------------------------- */

static void conclude(struct osok *o, enum osok_state state, struct str reason, struct str message)
{
	o->state = state;
	o->say_reason = either(reason, str_of(states[state].word));
	o->say_message = either(message, o->words[state]);
}

/* One version of the operator notes a failure and leaves the tracker as it was: the younger of both counts. */
static bool failed_since(const struct osok *o)
{
	if (o->cur.timeless && o->reason.len)
		return state_of(o->reason) == OSOK_FAILED;
	return o->last_state == OSOK_FAILED && (o->cur.timeless || o->last.since > o->cur.updated);
}

static void resolve_tracked(struct verdict *v, struct osok *o)
{
	enum osok_state projected = project(&o->cur)->state, said = state_of(o->reason);
	struct str tracked = either(o->cur.message, default_words(v, &o->cur));
	bool last_differs = o->last.type.len && o->last_state != projected;

	if (said == projected) {
		conclude(o, projected, o->reason, either(o->message, tracked));
		if (last_differs)
			verdict_flag(v, "cond-lag");
	} else if (failed_since(o)) {
		conclude(o, OSOK_FAILED, said ? STR_NONE : o->reason,
			 either(o->last.message, o->message));
		verdict_flag(v, "tracker-stale");
	} else if (said && !o->cur.timeless && o->updated > o->cur.updated) {
		conclude(o, said, o->reason, o->message);
		verdict_flag(v, "tracker-stale");
	} else if (!said && o->reason.len) {
		conclude(o, OSOK_FAILED, o->reason, either(o->message, o->last.message));
		verdict_flag(v, "tracker-stale");
	} else {
		conclude(o, projected, STR_NONE, tracked);
		if (said || last_differs)
			verdict_flag(v, "reason-lag");
	}
}

static void resolve_untracked(struct verdict *v, struct osok *o)
{
	enum osok_state said = state_of(o->reason);

	if (said) {
		conclude(o, said, o->reason, o->message);
	} else if (o->reason.len) {
		conclude(o, OSOK_FAILED, o->reason, either(o->message, o->last.message));
	} else if (o->joined && !o->joined_many) {
		conclude(o, o->joined, STR_NONE, o->message);
	} else {
		conclude(o, o->last_state, o->last.reason, either(o->last.message, o->message));
		/* the object may have returned to Active without an entry */
		if (o->last.type.len && o->last_state != OSOK_ACTIVE && o->was_active)
			verdict_flag(v, "ambiguous");
	}
}

/* A failure that is older than the deletion was not a failure of the deletion. */
static bool is_of_delete(const struct verdict *v, const struct osok *o)
{
	int64_t deleting = verdict_deleting(v);

	if (!deleting || o->state != OSOK_FAILED || !osok_has_finalizer(verdict_object(v)))
		return false;
	return str_is(o->cur.phase, "delete") || o->updated >= deleting ||
	       o->cur.updated >= deleting || (o->last_state == OSOK_FAILED && o->last.since >= deleting);
}

void osok_read(struct verdict *v, struct osok *out)
{
	*out = (struct osok){ .outer = json_at(verdict_object(v), "status") };
	out->inner = json_at(out->outer, "status");
	out->reason = json_str(out->inner, "reason");
	out->message = json_str(out->inner, "message");
	out->updated = json_time(out->inner, "updatedAt");
	json_foreach(c, json_at(out->inner, "conditions"))
		if (json_str(c, "type").len)
			read_entry(out, entry_of(c));
	read_tracker(v, out);
	if (out->cur.known)
		resolve_tracked(v, out);
	else
		resolve_untracked(v, out);
	out->delete_failed = is_of_delete(v, out);
	/* one kind writes the error code of the cloud where the other kinds write the type */
	if (out->reason.len && !state_of(out->reason) && out->state == OSOK_FAILED)
		verdict_flag(v, "reason-code");
}

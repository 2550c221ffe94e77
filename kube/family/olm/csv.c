/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ClusterServiceVersion, one object alone.  The same kind is found in two forms: today's, where status.conditions is a
 * history of phases, and that of the proposal "Improve OLM status", with the conditions Available and Progressing.
 * Each element tells its form.  Reasons say less than they seem to: Installing with InstallSucceeded is the normal
 * first state of an installation.  The phase decides.
 */
#include "kube/family/olm/olm.h"

#include "kube/base/time.h"

/* After this time operator-lifecycle-manager gives up an installation and says "install timeout". */
#define INSTALL_TIMEOUT MINUTES(5)

/* ---- reading both shapes ------------------------------------------------- */

/* The examples of the proposal have capital letters. */
static struct json either(struct json c, const char *name, const char *capital)
{
	struct json value = json_at(c, name);

	return value.node ? value : json_at(c, capital);
}

static struct str text(struct json c, const char *name, const char *capital)
{
	struct json value = either(c, name, capital);

	if (json_type(value) == JSON_BOOL)
		return json_bool(value, "", false) ? STR("True") : STR("False");
	return json_str(value, "");
}

/* The proposal writes the names of the constants in Go, some of which differ from their values. */
static struct str plain_reason(struct str reason)
{
	static const char *const values[][2] = {
		{ "RequirementsMet", "AllRequirementsMet" },
		{ "ComponentFailed", "InstallComponentFailed" },
		{ "ComponentFailedNoRetry", "InstallComponentFailedNoRetry" },
		{ "Waiting", "InstallWaiting" },
		{ "InstallSuccessful", "InstallSucceeded" },
	};

	if (!str_starts(reason, "CSVReason"))
		return reason;
	reason = str_from(reason, sizeof("CSVReason") - 1);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (str_is(reason, values[i][0]))
			return str_of(values[i][1]);
	return reason;
}

static void read_transition(struct verdict *v, struct olm_csv *csv, struct json t)
{
	int64_t time = time_parse(text(t, "lastTransitionTime", "LastTransitionTime"));
	struct str phase = text(t, "phase", "Phase");

	if (phase.len == 0)
		return;
	csv->failures += str_is(phase, "Failed");
	csv->succeeded |= str_is(phase, "Succeeded");
	if (str_is(phase, "Failed"))
		csv->retried = true;
	/* the installation begins again when the cause is removed: InstallModes, OperatorGroups */
	else if (str_is(phase, "Succeeded") || str_is(plain_reason(text(t, "reason", "Reason")), "RequirementsUnknown"))
		csv->retried = false;
	verdict_history(v, (struct transition){
		.time = time ? time : time_parse(text(t, "lastUpdateTime", "LastUpdateTime")),
		.what = phase,
		.reason = plain_reason(text(t, "reason", "Reason")),
		.message = text(t, "message", "Message"),
	});
}

static void read_conditions(struct verdict *v, struct olm_csv *csv)
{
	verdict_clear_conditions(v);
	json_foreach(c, json_at(csv->status, "conditions")) {
		struct str type = text(c, "type", "Type");

		if (type.len == 0) {
			read_transition(v, csv, c);
			continue;
		}
		verdict_add_condition(v, (struct condition){
			.type = type,
			.status = text(c, "status", "Status"),
			.reason = plain_reason(text(c, "reason", "Reason")),
			.message = text(c, "message", "Message"),
			.since = time_parse(text(c, "lastTransitionTime", "LastTransitionTime")),
			.generation = json_int(c, "observedGeneration", -1),
			.polarity = str_is(type, "Available") ? POLARITY_POSITIVE :
								POLARITY_TRANSITIONAL,
		});
	}
	json_foreach(t, json_at(csv->status, "lastTransitions"))
		read_transition(v, csv, t);
}

/* status.phase is a word, or an object with reason and message of the last transition. */
static void read_phase(struct olm_csv *csv)
{
	struct json at = json_at(csv->status, "phase");
	struct json from = json_is_object(at) ? at : csv->status;

	csv->word = json_is_object(at) ? text(at, "phase", "Phase") : json_str(at, "");
	csv->reason = plain_reason(text(from, "reason", "Reason"));
	csv->message = text(from, "message", "Message");
	csv->since = time_parse(text(from, "lastTransitionTime", "LastTransitionTime"));
}

/* Words that the status has only in its conditions. */
static void read_words(const struct verdict *v, struct olm_csv *csv)
{
	const struct condition *available = verdict_condition(v, "Available");
	const struct condition *progressing = verdict_condition(v, "Progressing");
	bool telling = available && (available->reason.len || available->message.len);
	const struct condition *c = telling ? available : progressing;

	if (!c || csv->reason.len || csv->message.len)
		return;
	csv->reason = c->reason;
	csv->message = c->message;
	if (!csv->since)
		csv->since = c->since;
}

/* Without a phase both conditions together stand for one. */
static const char *implied_phase(const struct verdict *v)
{
	const struct condition *available = verdict_condition(v, "Available");
	const struct condition *progressing = verdict_condition(v, "Progressing");

	if (condition_is(progressing, "True"))
		return "Installing";
	if (condition_is(available, "True"))
		return "Succeeded";
	if (condition_is(available, "False") && str_is(available->reason, "BeingReplaced"))
		return "Replacing";
	if (condition_is(available, "False") && condition_is(progressing, "False"))
		return "Failed";
	return NULL;
}

/* ---- versions ------------------------------------------------------------ */

/* Reads the message of Progressing: "Working towards v2.0.0", "Deployed version v1.0.0". */
static struct str version_in_message(const struct condition *progressing)
{
	static const char *const leads[] = { "orking towards ", "orking toward ",
					     "Deployed version ", NULL };
	struct str version = STR_NONE;

	for (size_t i = 0; progressing && version.len == 0 && leads[i]; i++)
		version = olm_word_after(progressing->message, leads[i]);
	return olm_bare_version(version);
}

static struct str own_version(const struct verdict *v)
{
	struct str version = version_in_message(verdict_condition(v, "Progressing"));

	if (version.len == 0)
		version = olm_bare_version(json_str(verdict_object(v), "spec.version"));
	return version.len ? version : olm_version_in_name(verdict_name(v));
}

/* Returns the version that runs, by the proposal's form. */
static struct str running_version(const struct olm_csv *csv)
{
	struct json version = json_at(csv->status, "version");

	return olm_bare_version(json_is_object(version) ? json_str(version, "version") : json_str(version, ""));
}

static bool is_upgrade(const struct verdict *v, const struct olm_csv *csv)
{
	struct str runs = running_version(csv);

	return !csv->succeeded && runs.len && !str_eq(runs, own_version(v));
}

/* A version that is being replaced is the one that runs; its successor tells which version comes. */
static void show_version(struct verdict *v, const struct olm_csv *csv)
{
	struct str own = own_version(v);
	struct str runs = running_version(csv);
	struct str next = olm_version_in_name(olm_word_after(csv->message, OLM_SUCCESSOR));

	if (str_is(csv->word, "Replacing") || str_is(csv->word, "Deleting"))
		verdict_version(v, runs.len ? runs : own, next);
	else if (verdict_phase(v) == PHASE_UPDATING && is_upgrade(v, csv))
		verdict_version(v, runs, own);
	else
		verdict_version(v, STR_NONE, own);
}

/* ---- the verdict --------------------------------------------------------- */

/* The word is about the installation; the operator that is installed may still say that it does not serve. */
static bool is_not_replaced(struct reading *r)
{
	if (str_is(r->condition->reason, "BeingReplaced"))
		return false;
	r->reason = r->message = r->rule = STR_NONE;
	r->since = 0;
	return true;
}

/* The installation is retried after it has failed: only the history shows it. */
static void after_failures(struct reading *r)
{
	r->flags |= ((struct olm_csv *)r)->retried ? RETRIED : 0;
}

/* After the time at which olm-operator would have given up, it evidently does not run. */
static void until_timeout(struct reading *r)
{
	struct olm_csv *csv = (struct olm_csv *)r;
	char when[TIME_TEXT];

	after_failures(r);
	if (!csv->since)
		return;
	time_format(csv->since + INSTALL_TIMEOUT, when);
	r->rule = arena_printf(verdict_arena(r->v), "status.phase " STR_FMT ", install timeout at %s", STR_ARG(csv->word), when);
	verdict_revisit(r->v, csv->since + INSTALL_TIMEOUT);
	if (verdict_now(r->v) - csv->since > INSTALL_TIMEOUT)
		r->flags |= RETRIED;
}

/* "Webhook install failed: …" (pkg/controller/operators/olm/operator.go, updateInstallStatus). */
static bool has_failed_step(struct reading *r)
{
	return str_contains(r->message, " install failed: ");
}

enum { UNTOLD = 1 };

/* What was installed before is installed again, or another version of it is. */
static const struct row rows[] = {
	{ "it is installed, and its operator says that it does not serve", .word = "Succeeded", .type = "Available", .status = "False",
	  .holds = is_not_replaced, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "what it requires is not there yet", .word = "Pending", .then = OUTCOME_MOVEMENT, .tell = after_failures },
	{ "a step of its installation fails, and is tried again", .word = "InstallReady Installing", .holds = has_failed_step,
	  .then = OUTCOME_MOVEMENT, .flags = RETRIED, .tell = until_timeout },
	{ "it is being installed", .word = "InstallReady Installing", .then = OUTCOME_MOVEMENT, .tell = until_timeout },
	{ "it is installed", .word = "Succeeded", .then = OUTCOME_READY },
	{ "its installation has failed", .word = "Failed", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = FINAL },
	{ "another version replaces it", .word = "Replacing", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	{ "it is being removed", .word = "Deleting", .then = OUTCOME_DELETION },
	{ "its operator says that it does not know", .word = "Unknown", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ "its controller has not begun", .is = UNTOLD, .then = OUTCOME_SILENCE },
	{ "its phase is not known here", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ 0 }
};

static void judge(struct verdict *v, struct olm_csv *csv)
{
	const struct row *row;
	bool installing;

	csv->r = (struct reading){ .v = v, .word = csv->word, .is = csv->word.len ? 0 : UNTOLD, .usable = csv->succeeded || is_upgrade(v, csv),
				   .reason = csv->reason, .message = csv->message, .since = csv->since, .flags = NAMES_ONLY };
	if (csv->word.len)
		csv->r.rule = ARENA_JOIN(verdict_arena(v), STR("status.phase "), csv->word);
	row = table_decide(&csv->r, rows);
	if (row && row->then == OUTCOME_UNKNOWN && !row->word)
		verdict_unknown_word(v, "status.phase", csv->word);
	if (str_is(csv->word, "Succeeded") || csv->succeeded)
		verdict_ever_ready(v);
	installing = row && row->then == OUTCOME_MOVEMENT && !row->phase;
	/* the installation fails again and again */
	if (csv->failures >= 2 && (installing || verdict_phase(v) == PHASE_FAILED))
		verdict_flag(v, "flapping");
	if (str_is(csv->reason, "InstallComponentFailedNoRetry"))
		verdict_flag(v, "terminal");
}

void olm_csv_inspect(struct verdict *v)
{
	struct olm_csv csv = { .status = json_at(verdict_object(v), "status") };

	read_phase(&csv);
	read_conditions(v, &csv);
	read_words(v, &csv);
	verdict_word(v, csv.word);
	if (csv.word.len == 0 && implied_phase(v)) {
		verdict_word(v, csv.reason);
		csv.word = str_of(implied_phase(v));
	}
	judge(v, &csv);
	show_version(v, &csv);
	olm_csv_refer(v, &csv);
}

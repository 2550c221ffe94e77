/* SPDX-License-Identifier: Apache-2.0 */
/* What the conditions of an unknown kind say: the words of a type tell its polarity and its weight. */
#include "kube/evidence/field_name.h"
#include "kube/evidence/fact.h"
#include "kube/evidence/word_lists.h"

#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/status/thresholds.h"

/* For so long a False without a reason counts as "not yet". */
#define SILENCE_GRACE MINUTES(5)

/* ---- types: their polarity, and their weight against others -------------------- */

enum type_role {
	ROLE_OTHER,	     /* a detail: only a False with a bad reason counts */
	ROLE_NEGATIVE,     /* True is trouble */
	ROLE_TRANSITIONAL, /* True is movement */
	ROLE_SUSPENDING,   /* True is a pause */
	ROLE_GOAL,	     /* True: the object has reached its goal, whatever its parts say */
	ROLE_GATE,	     /* True: the object has come so far, and perhaps need not go further */
	ROLE_PART,	     /* True: a part of it is fine */
	ROLE_MILESTONE,    /* True: a step was made */
	ROLE_HINT,	     /* True is trouble unless the object has reached its goal */
	ROLE_ADVICE	     /* it says nothing about health */
};

/*
 * What a type means.  weight orders conditions that are bad at the same time: the one that explains most wins.
 * not_yet: False without a telling reason is a start and not trouble.
 */
struct type_row {
	const char *type;
	enum type_role role;
	int weight;
	bool not_yet;
};

/* Types that mean more than their words, or something else.  "*Foo" stands for every type that ends so. */
static const struct type_row types[] = {
	{ "Terminal", ROLE_NEGATIVE, 90, false },
	{ "Stalled", ROLE_NEGATIVE, 80, false },
	{ "Failed", ROLE_NEGATIVE, 70, false },
	{ "Synced", ROLE_GATE, 60, false },
	{ "Degraded", ROLE_NEGATIVE, 50, false },
	{ "*NotReady", ROLE_NEGATIVE, 30, false },
	{ "Recoverable", ROLE_NEGATIVE, 40, false },
	{ "Ready", ROLE_GOAL, 40, false },
	{ "Healthy", ROLE_GOAL, 35, false },
	{ "Succeeded", ROLE_GOAL, 30, false },
	{ "Successful", ROLE_GOAL, 30, false },
	{ "Available", ROLE_GATE, 30, true },
	{ "Accepted", ROLE_GATE, 30, false },
	{ "Valid", ROLE_GATE, 30, false },
	{ "Admitted", ROLE_GATE, 30, false },
	{ "Reconciled", ROLE_GATE, 30, false },
	{ "Deployed", ROLE_GATE, 30, false },
	{ "Compliant", ROLE_GATE, 30, false },
	{ "ResolvedRefs", ROLE_PART, 25, true }, /* it tells why a listener is not Programmed */
	{ "Complete", ROLE_GOAL, 20, true },
	{ "Completed", ROLE_GOAL, 20, true },
	{ "Programmed", ROLE_GATE, 20, true },
	{ "Established", ROLE_GATE, 20, true },
	{ "Provisioned", ROLE_GATE, 20, true },
	{ "Installed", ROLE_GATE, 20, true },
	{ "Applied", ROLE_GATE, 20, true },
	{ "Bound", ROLE_GATE, 20, true },
	{ "Online", ROLE_GATE, 20, true },
	{ "ResourceSynced", ROLE_GATE, 20, true },
	{ "*UpToDate", ROLE_GATE, 15, true },
	{ "Running", ROLE_TRANSITIONAL, 10, true },
	{ "Created", ROLE_MILESTONE, 10, true },
	{ "Planned", ROLE_MILESTONE, 10, true },
	{ "Launched", ROLE_MILESTONE, 10, true },
	{ "Initialized", ROLE_MILESTONE, 10, true },
	{ "Registered", ROLE_MILESTONE, 10, true },
	{ "Scheduled", ROLE_MILESTONE, 10, true },
	{ "*Started", ROLE_MILESTONE, 10, true },
	{ "*Submitted", ROLE_MILESTONE, 10, true },
	{ "Queued", ROLE_MILESTONE, 10, true },
	{ "Approved", ROLE_MILESTONE, 10, true },
	{ "Requested", ROLE_MILESTONE, 10, true },
	{ "Warning", ROLE_HINT, 5, false },
	{ "*Issue", ROLE_NEGATIVE, 20, false },
	{ "Active", ROLE_OTHER, 5, false },
	{ "*Provided", ROLE_PART, 10, true },
	{ "Deprecated", ROLE_ADVICE, 0, false },
	{ "Advisory", ROLE_ADVICE, 0, false },
	{ "UpgradeAvailable", ROLE_ADVICE, 0, false },
	{ "UpdateAvailable", ROLE_ADVICE, 0, false },
};

/* For "BackingNamespaceCreated" and "SystemNamespacesAssigned" the participle at the end tells the meaning. */
static bool ends_in_done(struct str type)
{
	size_t at = type.len;

	while (at > 0 && is_lower(type.ptr[at - 1]))
		at--;
	return at > 1 && str_ends(type, "ed") && word_class(str_from(type, at - 1)) == WORD_OK;
}

/* "LiveMigratable" and "Upgradeable" tell what could be done with the object, and not how it is. */
static bool is_ability(struct str type)
{
	return str_ends(type, "able") && !str_ends_any(type, list_ability);
}

struct str facts_last_part(struct str type)
{
	size_t dot = str_rfind(type, '.'), slash = str_rfind(type, '/');

	if (slash < type.len)
		return str_from(type, slash + 1);
	return dot < type.len ? str_from(type, dot + 1) : type;
}

/* Returns the row of a type that is listed; NULL: its meaning follows from its words. */
static const struct type_row *type_listed(struct str type)
{
	struct str last = facts_last_part(type);

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const char *t = types[i].type;

		if (t[0] == '*' ? str_ends(last, t + 1) : str_eq_nocase(last, str_of(t)))
			return &types[i];
	}
	return NULL;
}

/* Returns the row of the list, or one that is made from the words of the type. */
static struct type_row type_row_of(struct str type)
{
	const struct type_row *row = type_listed(type);
	struct str last = facts_last_part(type);

	if (row)
		return *row;
	if (is_ability(last) && word_class_of_name(last) != WORD_BAD)
		return (struct type_row){ NULL, ROLE_ADVICE, 0, false };
	if (word_class_of_name(last) == WORD_PROGRESS && (ends_in_done(last) || field_should_be_true(last)))
		return (struct type_row){ NULL, ROLE_PART, 10, true };
	if (word_class_of_name(last) == WORD_BAD && (str_ends(last, "Warning") || str_ends(last, "Warnings")))
		return (struct type_row){ NULL, ROLE_HINT, 5, false };
	switch (word_class_of_name(last)) {
	case WORD_BAD: return (struct type_row){ NULL, ROLE_NEGATIVE, 20, false };
	case WORD_PROGRESS: return (struct type_row){ NULL, ROLE_TRANSITIONAL, 10, false };
	case WORD_SUSPENDED: return (struct type_row){ NULL, ROLE_SUSPENDING, 10, false };
	case WORD_OK: return (struct type_row){ NULL, ROLE_PART, 10, true };
	default: return (struct type_row){ NULL, ROLE_OTHER, 0, true };
	}
}

static enum polarity type_polarity(enum type_role role)
{
	switch (role) {
	case ROLE_HINT:
	case ROLE_NEGATIVE: return POLARITY_NEGATIVE;
	case ROLE_TRANSITIONAL:
	case ROLE_SUSPENDING: return POLARITY_TRANSITIONAL;
	case ROLE_OTHER:
	case ROLE_ADVICE: return POLARITY_UNKNOWN;
	default: return POLARITY_POSITIVE;
	}
}

/* ---- one condition ------------------------------------------------------------ */

/* The condition that is judged. */
struct look {
	struct facts *f;
	const struct condition *c;
	struct type_row row;
	enum fact_about about;
};

/* Some controllers write the status in lower case. */
static bool status_is(const struct condition *c, const char *status)
{
	return str_eq_nocase(c->status, str_of(status));
}

static bool is_truth(const struct condition *c)
{
	return status_is(c, "True") || status_is(c, "False") || status_is(c, "Unknown");
}

/* Returns true when the reason repeats the status: "NotReady" for Ready, "Unavailable" for Available, or nothing. */
static bool has_no_own_reason(const struct condition *c)
{
	struct str type = facts_last_part(c->type), reason = c->reason;

	if (reason.len == 0 || str_eq_nocase(reason, type) || str_is(reason, "Unknown"))
		return true;
	/* this includes "NotConfigured" for BackupConfigured */
	if (str_starts(reason, "Not") && reason.len > 3 && type.len >= reason.len - 3)
		return str_eq_nocase(str_from(type, type.len - (reason.len - 3)),
				     str_from(reason, 3));
	return str_starts(reason, "Un") && str_eq_nocase(str_from(reason, 2), type);
}

/* "NotReplicating": what it does for ever is not done; that is no movement. */
static bool has_ceased(struct str reason)
{
	return str_starts(reason, "Not") && str_ends(reason, "ing");
}

static struct fact fact_of(const struct look *l, enum word_class class)
{
	const struct condition *c = l->c;

	bool lost = status_is(c, "False") && !c->severity.len && (l->row.role != ROLE_GATE || str_is(c->type, "Available")) &&
		    (has_no_own_reason(c) || word_class(c->reason) != WORD_PROGRESS || has_ceased(c->reason));

	return (struct fact){
		.of = FACT_CONDITION,
		.says = class,
		.weight = l->row.weight,
		.flags = (lost ? LOST : 0) | (l->row.role == ROLE_OTHER && !phrase_has(c->reason, "failed failure error") ? HINT : 0),
		.word = c->type,
		.reason = c->reason,
		.message = c->message,
		.since = c->since,
	};
}

static bool str_ends_nocase(struct str s, struct str end)
{
	return s.len >= end.len && str_eq_nocase(str_from(s, s.len - end.len), end);
}

/* For "MinimumReplicasUnavailable" of Available: another condition tells of the movement that explains it. */
static bool is_opposite(struct str reason, struct str type)
{
	size_t n = type.len;

	/* "StatefulSetUnavailable" of "statefulset-available" */
	for (const char *const *word = list_all; *word; word++)
		if (str_ends_nocase(type, str_of(*word)))
			n = str_of(*word).len;
	return reason.len > n + 2 && str_ends_nocase(reason, str_from(type, type.len - n)) &&
	       str_eq(str_head(str_from(reason, reason.len - n - 2), 2), STR("Un"));
}

static bool is_absence(struct str reason)
{
	return str_contains_nocase(reason, "notfound") || str_contains_nocase(reason, "notexist") ||
	       str_contains_nocase(reason, "missing");
}

/* Returns true when the message repeats the status, as "NodePool is not ready" of Ready does. */
static bool repeats_status(const struct condition *c)
{
	struct str type = facts_last_part(c->type), end = c->message;

	while (end.len && (end.ptr[end.len - 1] == '.' || end.ptr[end.len - 1] == ' '))
		end.len--;
	if (end.len < type.len + 4 || !str_eq_nocase(str_from(end, end.len - type.len), type))
		return false;
	return str_eq_nocase(str_head(str_from(end, end.len - type.len - 4), 4), STR("not "));
}

/* Returns true for the words with which programs report an error. */
static bool reports_error(struct str message)
{
	if (being_is_surely_error(message))
		return true;
	if (str_starts(message, "failed to ") || str_contains(message, ": failed to "))
		return word_class(message) == WORD_BAD;
	return str_contains_any_nocase(message, list_reports_error) && word_class(message) == WORD_BAD;
}

/* For "ProgressingWithRetry": the operator tries again what did not work. */
static bool is_retry(struct str reason)
{
	return str_ends(reason, "WithRetry");
}

/* Returns what a type means: by a row of the operator, else by its words. */
static struct type_row row_of(const struct facts *f, struct str type)
{
	static const enum type_role roles[] = { [POLARITY_POSITIVE] = ROLE_GATE,
					       [POLARITY_NEGATIVE] = ROLE_NEGATIVE,
					       [POLARITY_TRANSITIONAL] = ROLE_TRANSITIONAL };
	struct type_row row = type_row_of(type);
	enum polarity polarity;
	bool ignored;

	if (!rows_polarity(f->rows, type, &polarity, &ignored))
		return row;
	if (ignored)
		row.role = ROLE_ADVICE;
	else if (type_polarity(row.role) != polarity)
		row = (struct type_row){ NULL, roles[polarity], 30, false };
	return row;
}

/* "DeploymentFailed" of DeploymentReady, "ProbeFailed" of Probe: no more than that it is False. */
static bool repeats_type_as_failed(const struct condition *c)
{
	struct str type = facts_last_part(c->type);

	for (const char *const *end = list_repeats_type_as_failed; *end; end++) {
		struct str stem = str_head(c->reason, c->reason.len - strlen(*end));

		if (str_ends(c->reason, *end) && stem.len && str_eq(str_head(type, stem.len), stem))
			return true;
	}
	return false;
}

/* Returns true for reasons that tell no more than "False" does: "Failed", "ProbeFailed" with a message that says "yet". */
static bool means_not_yet(const struct condition *c)
{
	return (str_is_any_nocase(c->reason, list_repeats_type_as_failed) || (phrase_has(c->message, "yet") && phrase_has(c->reason, "fail*"))) &&
	       word_class(c->message) == WORD_PROGRESS;
}

/*
 * The reason says that it is in progress, and the message has an error: it is tried again.  But the object would be
 * "Initializing" for ever.
 */
static bool is_still_tried(const struct look *l)
{
	return l->c->since && !verdict_past(l->f->v, l->c->since + thresholds.overdue);
}

/* The condition is about the whole object: "Ready", "Available". */
static bool is_whole(const struct look *l)
{
	return l->row.role == ROLE_GOAL || l->row.role == ROLE_GATE;
}

/* "[Widget Operator] is not installed": nobody but a person does that. */
static bool asks_to_install(struct str message)
{
	return str_contains_any_nocase(message, list_asks_to_install);
}

/* "Capacity is not found, and will be looked for later", "TemporaryError": the operator says itself that it tries again. */
static bool says_it_tries_again(const struct condition *c)
{
	return phrase_has(c->reason, "temporary temporarily transient retriable retryable") ||
	       (is_absence(c->reason) && str_contains_any_nocase(c->message, list_it_tries_again));
}

/* The object was just made. */
static bool is_new(const struct look *l)
{
	int64_t created = verdict_created(l->f->v);

	return created && !verdict_past(l->f->v, created + thresholds.pod_start_grace);
}

/* "Error: no store configured": what is not there yet is there soon, or it takes a person. */
static bool is_not_yet(const struct look *l)
{
	if (repeats_type_as_failed(l->c) && word_class(l->c->message) == WORD_PROGRESS && is_new(l))
		return true;
	return means_not_yet(l->c) && (!l->c->since || phrase_has(l->c->message, "yet") || is_still_tried(l));
}

/* It was available before, and another condition says that nothing changes: "WaitingForQuorum" is an outage then. */
static bool is_lost_at_rest(const struct look *l)
{
	const struct condition *moving = str_is(l->c->type, "Available") ? verdict_condition(l->f->v, "Progressing") : NULL;

	return moving && condition_is(moving, "False") && word_class(moving->reason) != WORD_PROGRESS && !(l->f->is & RUNS_ONCE) &&
	       being_lost_it_late(l->f);
}

/* Returns the class of the reason, or where it has none, of the message. */
static enum word_class class_of(const struct look *l)
{
	const struct condition *c = l->c;
	enum word_class class = has_no_own_reason(c) ? WORD_NONE : word_class(c->reason);

	if (is_retry(c->reason))
		return word_class(c->message) == WORD_PROGRESS ? WORD_PROGRESS : WORD_BAD;
	/* "DoesNotExist: Issuing certificate as Secret does not exist" */
	if (class == WORD_BAD && (is_not_yet(l) || (is_absence(c->reason) && word_class(c->message) == WORD_PROGRESS && !asks_to_install(c->message))))
		return WORD_PROGRESS;
	if (class == WORD_BAD && says_it_tries_again(c) && is_still_tried(l))
		return WORD_PROGRESS;
	/* "ObjectDeleted": what it stands on is gone, and it is not being deleted itself */
	if (class == WORD_NONE && str_ends(c->reason, "Deleted") && !verdict_deleting(l->f->v))
		return WORD_BAD;
	if (class == WORD_PROGRESS && is_lost_at_rest(l))
		return WORD_BAD;
	if (class == WORD_PROGRESS && reports_error(c->message))
		return is_still_tried(l) ? WORD_PROGRESS : WORD_BAD;
	/* "NoPodReady" tells no more than the status does; the message tells why */
	if (class == WORD_PROGRESS && is_whole(l) && c->since && !phrase_moves(c->reason) && word_class(c->message) == WORD_BAD && !is_still_tried(l))
		return WORD_BAD;
	if (class != WORD_NONE)
		return class;
	if (being_is_surely_error(c->message))
		return WORD_BAD;
	return repeats_status(c) ? WORD_NONE : word_class(c->message);
}

/* What only a message tells is as good as told when it has been told for so long. */
static bool has_lasted(const struct look *l)
{
	bool error = being_tells_error(l->c->message) || str_contains_nocase(l->c->message, "backoff");

	return l->c->since && error && verdict_past(l->f->v, l->c->since + thresholds.overdue);
}

/* Returns the fact of a condition that is not as it should be, by its words. */
static struct fact fact_by_words(const struct look *l)
{
	struct fact fact = fact_of(l, class_of(l));

	if (has_no_own_reason(l->c) || word_class(l->c->reason) == WORD_NONE)
		fact.flags |= BY_MESSAGE | (has_lasted(l) ? OVERDUE : 0);
	if (fact.says == WORD_PROGRESS && (reports_error(l->c->message) || says_it_tries_again(l->c)))
		fact.level = SEVERITY_WARNING;
	return fact;
}

/* The rule is written only for a condition that decides something, because there may be ten thousand conditions. */
static void add(const struct look *l, enum fact_about about, struct fact c)
{
	c.about = about;
	if (about == ABOUT_BESIDE)
		c.flags &= ~(unsigned)BY_DEFAULT;
	if (!facts_want(l->f, &c))
		return;
	c.where = facts_where_condition(verdict_arena(l->f->v), l->c);
	facts_add(l->f, c);
}

/* "TunnelUp=False" without a time, of an object that is older than it takes to come up. */
static bool is_down_for_long(const struct look *l)
{
	int64_t created = verdict_created(l->f->v);

	return !l->c->since && created && str_ends_any(l->c->type, list_down_for_long) && verdict_past(l->f->v, created + thresholds.overdue);
}

/* The status is False, and neither reason nor message tells why. */
static void false_by_default(const struct look *l)
{
	const struct condition *c = l->c;
	int64_t now = verdict_now(l->f->v);
	bool young = c->since && now - c->since < SILENCE_GRACE;
	bool start = (l->row.not_yet && !is_down_for_long(l)) || young || (l->f->is & DENIES_FAILURE);
	struct fact fact = fact_of(l, start ? WORD_PROGRESS : WORD_BAD);

	if (young && !l->row.not_yet && !(l->f->is & DENIES_FAILURE))
		verdict_revisit(l->f->v, c->since + SILENCE_GRACE);
	fact.flags |= BY_DEFAULT;
	add(l, l->about, fact);
}

/* A severity field of the condition counts more than its words (Azure, Cluster API). */
static bool by_severity(const struct look *l)
{
	struct str severity = l->c->severity;
	struct fact fact;

	if (str_is(severity, "Error") || str_is(severity, "Critical")) {
		fact = fact_of(l, WORD_BAD);
		fact.level = SEVERITY_ERROR;
	} else if (str_is(severity, "Info")) {
		fact = fact_of(l, WORD_PROGRESS);
	} else if (str_is(severity, "Warning") || str_is(severity, "Warn")) {
		fact = fact_of(l, class_of(l) == WORD_BAD ? WORD_BAD : WORD_PROGRESS);
		fact.level = SEVERITY_WARNING;
	} else {
		return false;
	}
	add(l, l->about, fact);
	return true;
}

/* Nobody wants that part: "MonitoringReady=False, reason NotConfigured". */
static bool is_unwanted(struct str reason)
{
	return str_is_any_nocase(reason, list_unwanted) || word_class(reason) == WORD_SUSPENDED;
}

static void look_at_false(const struct look *l)
{
	struct fact fact;

	if (by_severity(l))
		return;
	fact = fact_by_words(l);
	if (l->row.role == ROLE_PART && is_unwanted(l->c->reason))
		fact.says = WORD_SUSPENDED;
	switch (fact.says) {
	case WORD_BAD:
		if (is_absence(l->c->reason) || is_opposite(l->c->reason, facts_last_part(l->c->type)))
			fact.flags |= BY_DEFAULT;
		/* fallthrough */
	case WORD_PROGRESS: add(l, l->about, fact); break;
	/*
	 * "MonitoringReady=False, reason MonitoringDisabled": a part that nobody wants does not hold up the whole, but
	 * "ReconciliationActive=False, reason Paused" is about the whole
	 */
	case WORD_SUSPENDED:
		add(l, str_contains_nocase(l->c->type, "reconcil") ? ABOUT_WHOLE : l->row.role == ROLE_PART ? ABOUT_DETAIL : l->about, fact);
		break;
	default:
		/* "DeploymentAvailable=False, reason DeploymentAvailable": the operator has done it in another way */
		if (l->row.role == ROLE_MILESTONE ||
		    (l->row.role == ROLE_PART && fact.says == WORD_OK))
			return;
		/* "Successful=False, reason Successful: Last reconciliation succeeded" contradicts itself */
		if (fact.says == WORD_OK && str_eq_nocase(l->c->reason, facts_last_part(l->c->type)))
			return;
		/* "ReconcileStarted": the object has come so far */
		if (fact.says == WORD_OK && !has_no_own_reason(l->c) && str_ends(l->c->reason, "ed")) {
			fact.says = WORD_PROGRESS;
			add(l, l->about, fact);
			return;
		}
		false_by_default(l);
	}
}

/* "The agent stopped updating its lease": nobody has stopped the object, and nobody hears of it. */
static bool has_gone_silent(struct str message)
{
	return str_contains_any_nocase(message, list_gone_silent);
}

static void look_at_unknown(const struct look *l)
{
	enum word_class class = has_no_own_reason(l->c) ? WORD_NONE : word_class(l->c->reason);
	struct fact fact;

	if (has_gone_silent(l->c->message)) {
		/* who reported before was at work; that nobody reports any more does not tell that it has ceased */
		if (is_whole(l) && !(l->f->is & RUNS_ONCE))
			l->f->is |= IS_USABLE;
		add(l, l->about, fact_of(l, WORD_BAD));
		return;
	}
	if (class == WORD_SUSPENDED) {
		add(l, l->about, fact_of(l, class));
		return;
	}
	if (reports_error(l->c->message) && !(class == WORD_PROGRESS && is_still_tried(l)))
		class = WORD_BAD;
	/* "IngressNotConfigured: Ingress has not yet been reconciled" */
	else if (word_class(l->c->message) == WORD_PROGRESS)
		class = WORD_PROGRESS;
	/* for a part or a step this is no trouble yet; for the whole it is trouble when the reason says so */
	if (class != WORD_BAD || l->row.role == ROLE_PART ||
	    l->row.role == ROLE_MILESTONE || is_absence(l->c->reason))
		class = WORD_PROGRESS;
	fact = fact_of(l, class);
	fact.flags |= UNDECIDED;
	if (class == WORD_PROGRESS && reports_error(l->c->message))
		fact.level = SEVERITY_WARNING;
	add(l, l->about, fact);
}

/* An end of what was done, and not a state: "Completed" of a Rollout whose pods are not there any more. */
static bool ends_only(const struct condition *c)
{
	return str_starts(c->type, "Complete") || str_starts(c->type, "Succe");
}

/* "BootstrapCompleted=True, reason BootstrapFailed": it has come to its end, and a bad one. */
static bool says_it_failed(const struct condition *c)
{
	return !has_no_own_reason(c) && phrase_has(c->reason, "failed failure error") && word_class(c->reason) == WORD_BAD &&
	       word_class(c->message) != WORD_OK;
}

/* "1/3 replicas available", beside a condition that calls the object well. */
static bool tells_of_a_lack(struct str message)
{
	size_t slash = str_find(message, '/'), from = slash, to = slash + 1;
	int64_t have, want;

	while (from > 0 && is_digit(message.ptr[from - 1]))
		from--;
	while (to < message.len && is_digit(message.ptr[to]))
		to++;
	if (slash == message.len || !str_to_int(str_from(str_head(message, slash), from), &have) ||
	    !str_to_int(str_from(str_head(message, to), slash + 1), &want) || have >= want)
		return false;
	message = str_from(message, to);
	return str_starts(message, " ") && str_contains_any_nocase(message, list_counted) && phrase_has(message, "ready available running healthy up");
}

/* Some operators write a word of their own as status, as Liqo does "Established" and, with the reason "NetworkConfigNotFound", "None". */
static void say_own_word(const struct look *l)
{
	struct fact fact = fact_of(l, word_class(l->c->status));
	bool absent = fact.says == WORD_NONE && is_absence(l->c->reason);

	fact.says = absent ? WORD_BAD : fact.says;
	fact.word = l->c->status;
	add(l, absent ? ABOUT_PART : l->about, fact);
}

static void look_at_positive(const struct look *l)
{
	struct fact fact;

	if (status_is(l->c, "False")) {
		look_at_false(l);
	} else if (status_is(l->c, "Unknown")) {
		look_at_unknown(l);
	} else if (!status_is(l->c, "True")) {
		say_own_word(l);
	} else if (l->row.role == ROLE_MILESTONE) {
		fact = fact_of(l, WORD_PROGRESS);
		fact.weight = 0;
		fact.flags = 0;
		add(l, ABOUT_STEP, fact);
	} else if (l->row.role != ROLE_PART && word_class(l->c->reason) == WORD_BAD &&
		   !is_absence(l->c->reason) && word_class(l->c->message) != WORD_OK) {
		/* an example is "Complete=True, reason JobFailed" */
		add(l, l->about, fact_of(l, WORD_BAD));
	} else if (l->row.role == ROLE_PART && says_it_failed(l->c)) {
		add(l, ABOUT_PART, fact_of(l, WORD_BAD));
	} else if (l->row.role == ROLE_PART && (l->f->is & RUNS_ONCE) && str_ends(l->c->type, "Running")) {
		add(l, l->about, fact_of(l, WORD_PROGRESS));
	} else if (phrase_has(facts_last_part(l->c->type), "proposal")) {
		/* "ProposalReady": somebody has to accept it */
		add(l, l->about, fact_of(l, WORD_PROGRESS));
	} else {
		bool goal = l->row.role == ROLE_GOAL && !(ends_only(l->c) && condition_is(verdict_condition(l->f->v, "Available"), "False"));

		l->f->is |= (goal ? IS_AT_GOAL | IS_USABLE : 0) | (str_is(l->c->type, "Available") ? IS_USABLE : 0);
		if (tells_of_a_lack(l->c->message))
			add(l, ABOUT_MEMBER, fact_of(l, WORD_BAD));
		add(l, l->about, fact_of(l, WORD_OK));
	}
}

/* "PlacementOverridden=True, reason NoOverrideSpecified": the reason says that there was nothing of the kind. */
static bool denies_its_type(const struct condition *c)
{
	struct str type = facts_last_part(c->type), reason = c->reason, stem;
	size_t at = type.len;

	while (at > 0 && !is_upper(type.ptr[at - 1]))
		at--;
	if (at == 0 || !str_starts(reason, "No"))
		return false;
	stem = str_head(str_from(type, at - 1), 6);
	reason = str_from(reason, str_starts(reason, "Not") ? 3 : 2);
	return str_eq_nocase(str_head(reason, stem.len), stem);
}

/* The message tells that something is down, and not only that it may come to that. */
static bool tells_down(struct str message)
{
	return phrase_has(message, "unavailab* unreach* offline crashed crashing dead lost failed failing unhealth* degrad* disconnect*") ||
	       str_contains_any_nocase(message, list_down);
}

static bool is_bare_warning(const struct look *l)
{
	return str_eq_nocase(facts_last_part(l->c->type), STR("warning"));
}

/* "DiskWarning=True": the object is as it ought to be, and a person should know that it may not stay so. */
static bool is_caution(const struct look *l)
{
	return l->row.role == ROLE_HINT && (is_bare_warning(l) || !tells_down(l->c->message));
}

/* "Warning=True, reason DeprecatedFields": some operators write all that they have to remark into one condition. */
static bool is_note(const struct look *l)
{
	return is_bare_warning(l) && !tells_down(l->c->message);
}

/* "Eviction=True, reason EvictComplete": what sounds like trouble was the task, and is done. */
static bool is_done_on_purpose(const struct condition *c)
{
	return phrase_has(facts_last_part(c->type), "eviction preemption termination cancellation") &&
	       (phrase_has(c->reason, list_done_on_purpose) || phrase_has(c->message, list_done_on_purpose)) && !being_tells_error(c->reason) &&
	       !being_tells_error(c->message);
}

/* "Error=Unknown" with an error in its message: there is one, and the operator does not know whether it lasts. */
static bool is_error_all_the_same(const struct condition *c)
{
	struct str type = facts_last_part(c->type);

	return status_is(c, "Unknown") && (str_starts(type, "Error") || str_starts(type, "Fail")) && being_tells_error(c->message);
}

/*
 * "ReconcileFailed=False, reason LastReconcileCycleFailed" with an error in its message, or "Failure=False" with a message that begins
 * with one: the operator means by False that it did not succeed.
 */
static bool admits_its_type(const struct condition *c)
{
	if (!status_is(c, "False") || !phrase_has(facts_last_part(c->type), "failed failure error"))
		return false;
	if (has_no_own_reason(c))
		return str_starts_any(c->message, list_error_sentences);
	return phrase_has(c->reason, "failed failure error") && word_class(c->reason) == WORD_BAD && being_tells_error(c->message);
}

/* No condition became True at that time or later. */
static bool is_newest(const struct look *l)
{
	for (size_t i = 0; i < verdict_condition_count(l->f->v); i++) {
		const struct condition *other = verdict_condition_at(l->f->v, i);

		if (status_is(other, "True") && other->since >= l->c->since)
			return false;
	}
	return true;
}

/* "Degraded=True" in the same words as "Progressing=True": it is not there yet, and nothing is wrong with it. */
static bool is_only_movement(const struct look *l)
{
	const struct condition *moving = verdict_condition(l->f->v, "Progressing");

	return status_is(l->c, "True") && str_is(facts_last_part(l->c->type), "Degraded") && has_no_own_reason(l->c) && l->c->message.len &&
	       condition_is(moving, "True") && str_eq(moving->message, l->c->message) && word_class(l->c->message) == WORD_PROGRESS && is_still_tried(l);
}

/* Returns "ReconcileSuccess=True", or its like, of "ReconcileError": when it last went well; NULL: nothing tells. */
static const struct condition *success_beside(const struct look *l)
{
	enum { LOOKED_AT = 32 };	/* of the conditions: no operator writes more, and all of them are compared with each */
	struct str type = facts_last_part(l->c->type);
	size_t stem = type.len, n = verdict_condition_count(l->f->v);

	while (stem > 0 && !is_upper(type.ptr[stem - 1]))
		stem--;
	for (size_t i = 0; stem > 1 && l->c->since && i < n && i < LOOKED_AT; i++) {
		const struct condition *other = verdict_condition_at(l->f->v, i);
		struct str name = condition_is(other, "True") ? facts_last_part(other->type) : STR_NONE;

		if (name.len && str_eq(str_head(name, stem - 1), str_head(type, stem - 1)) &&
		    phrase_has(str_from(name, stem - 1), "success successful succeeded"))
			return other;
	}
	return NULL;
}

/*
 * "ReconcileError=True" before "ReconcileSuccess=True": an operator that takes no condition back has written that the next attempt
 * went well (redhat-cop/operator-utils, pkg/util/reconciler.go).
 */
static bool is_made_good(const struct look *l)
{
	const struct condition *success = success_beside(l);

	return success && success->since > l->c->since;
}

/* The last attempt failed, and an earlier one may have gone well.  What is older than another condition may be left over. */
static void add_admitted(const struct look *l)
{
	struct fact fact = fact_of(l, WORD_BAD);

	if (is_newest(l)) {
		l->f->is |= success_beside(l) ? IS_USABLE : 0;
		add(l, ABOUT_WHOLE, fact);
		return;
	}
	fact.flags |= BY_DEFAULT | CAUTION;
	add(l, ABOUT_DETAIL, fact);
}

static void look_at_negative(const struct look *l)
{
	struct fact fact = fact_of(l, WORD_BAD);

	if (is_only_movement(l))
		return;
	if (admits_its_type(l->c)) {
		add_admitted(l);
		return;
	}
	if (status_is(l->c, "True") && is_done_on_purpose(l->c)) {
		add(l, ABOUT_DETAIL, fact_of(l, WORD_OK));
		return;
	}
	if (is_error_all_the_same(l->c)) {
		add(l, ABOUT_WHOLE, fact);
		return;
	}
	/* it came to its end well after that */
	if (l->c->since && l->c->since < l->f->ended_at)
		return;
	if (status_is(l->c, "True") && (denies_its_type(l->c) || is_made_good(l)))
		return;
	/* "NotReady=True, reason Creating" says what "Ready=False, reason Creating" does */
	if (status_is(l->c, "True") && str_ends(l->c->type, "NotReady") && class_of(l) == WORD_PROGRESS) {
		add(l, l->about, fact_by_words(l));
		return;
	}
	if (status_is(l->c, "True")) {
		if (str_is(l->c->severity, "Error"))
			fact.level = SEVERITY_ERROR;
		if (!is_caution(l)) {
			add(l, ABOUT_WHOLE, fact);
			return;
		}
		fact.flags |= BY_DEFAULT | CAUTION;
		if (!is_note(l))
			add(l, ABOUT_BESIDE, fact);
		add(l, ABOUT_DETAIL, fact);
	} else if (status_is(l->c, "False")) {
		add(l, ABOUT_DETAIL, fact_of(l, WORD_OK));
	}
}

/* The reason repeats the type ("Sync" for Syncing), or is empty. */
static bool repeats_its_type(const struct condition *c)
{
	struct str type = facts_last_part(c->type);

	return c->reason.len <= type.len && str_eq_nocase(str_head(type, c->reason.len), c->reason);
}

/* The type tells of the first time: "Creating". */
static bool makes_it(struct str type)
{
	return str_is_any_nocase(facts_last_part(type), list_makes_it);
}

/* The object has reached its goal after the change that this condition tells of, and says nothing more about it. */
static bool is_history(const struct look *l)
{
	const struct condition *ready = being_ready_condition(l->f->v);

	if (l->f->ended_at && l->c->since <= l->f->ended_at)
		return true;
	/* what made it has ended when it became ready */
	if (condition_is(ready, "True") && l->c->since && l->c->since < ready->since && makes_it(l->c->type))
		return true;
	/* "ClusterConnecting" of Connecting */
	if (!repeats_its_type(l->c) && !str_ends_nocase(l->c->reason, facts_last_part(l->c->type)))
		return false;
	/* what waited at its beginning became ready in the same second, or later */
	if (condition_is(ready, "True") && l->c->since && l->c->since <= ready->since &&
	    (str_is(l->c->type, "Pending") || str_is(l->c->type, "Waiting")))
		return true;
	/* "Running" beside "Ready" means that the object runs, and not that a change is in progress */
	return ready && status_is(ready, "True") && ((l->c->since && l->c->since < ready->since) ||
						str_is(l->c->type, "Running"));
}

/* "Progressing=False, reason Waiting": it goes on when something else has come; what waits for its next time is at rest. */
static bool halts(const struct look *l)
{
	return !l->f->ended_at && !condition_is(being_ready_condition(l->f->v), "True") && phrase_has(l->c->reason, "waiting waits awaiting") &&
	       !phrase_has(l->c->reason, list_halts) && !phrase_has(l->c->message, "next");
}

/* "Maintenance=True, reason MaintenanceEnabled": the maintenance goes on, and only an end of it is over. */
static bool is_maintained(const struct look *l)
{
	return phrase_has(facts_last_part(l->c->type), "maintenance") && being_lasts(l->c->reason);
}

/* "UpgradeInProgress=True, reason UpgradeStarted": it has begun, and says nothing of its end. */
static bool has_only_begun(const struct condition *c)
{
	return !str_is(facts_last_part(c->type), "Running") && str_ends_any(c->reason, list_only_begun);
}

/*
 * The reason sounds like an end, and the change goes on: "MigrationJobRunning", "MaintenanceEnabled", "UpgradeStarted", and
 * "UpdatingVersion=True, reason AsExpected: Updating version in progress".
 */
static bool goes_on_all_the_same(const struct look *l, bool is_any_change)
{
	/* an object that ends when all goes well has not ended while it runs */
	bool runs_on = (l->f->is & RUNS_ONCE) && being_lasts(l->c->reason);

	return (!is_any_change && (phrase_has(l->c->reason, "running") || phrase_moves(l->c->message))) || is_maintained(l) || has_only_begun(l->c) || runs_on;
}

/* "Progressing=False": the change has ended, cannot go on, or waits. */
static void look_at_change_that_rests(const struct look *l, enum word_class class)
{
	bool runs_once = l->f->is & RUNS_ONCE;
	/* what ought to run for ever does not run yet */
	bool starts = str_is(facts_last_part(l->c->type), "Running") && !runs_once && !l->f->ended_at;

	if (class == WORD_PROGRESS && (starts || halts(l)))
		add(l, ABOUT_WHOLE, fact_of(l, WORD_PROGRESS));
	else if (class == WORD_BAD)
		add(l, ABOUT_WHOLE, fact_of(l, WORD_BAD));
	/* of a run it tells that it does not move, and not that it has come to its end */
	else if (!runs_once || class == WORD_OK || repeats_its_type(l->c))
		add(l, ABOUT_DETAIL, fact_of(l, WORD_OK));
}

/* What the words of a change that is True say of it, against the class of its reason. */
static enum word_class class_of_change(const struct look *l, enum word_class class)
{
	struct str type = facts_last_part(l->c->type);
	bool runs = str_is(type, "Running");

	if (is_retry(l->c->reason) && word_class(l->c->message) == WORD_BAD)
		class = WORD_BAD;
	if (class == WORD_NONE && !repeats_its_type(l->c) && word_class(l->c->message) == WORD_OK)
		class = WORD_OK;
	/*
	 * What does not end when all goes well is at its goal when it runs; for operators in Ansible their playbook runs,
	 * and the message says what it does.
	 */
	if (class == WORD_NONE && runs && !(l->f->is & RUNS_ONCE) && word_class(l->c->message) != WORD_PROGRESS) {
		l->f->is |= IS_USABLE;
		return WORD_OK;
	}
	return class == WORD_OK && goes_on_all_the_same(l, runs || str_is(type, "Progressing")) ? WORD_PROGRESS : class;
}

/* Judges a change that is in progress, has ended, or is stuck. */
static void look_at_transitional(const struct look *l)
{
	enum word_class class = repeats_its_type(l->c) ? WORD_NONE : word_class(l->c->reason);
	bool again = class == WORD_BAD && says_it_tries_again(l->c) && is_still_tried(l);
	struct fact moving = fact_of(l, WORD_PROGRESS);

	if (again) {
		class = WORD_PROGRESS;
		moving.level = SEVERITY_WARNING;
	}
	if (status_is(l->c, "False"))
		look_at_change_that_rests(l, class);
	if (status_is(l->c, "Unknown") && (class == WORD_SUSPENDED || class == WORD_BAD))
		add(l, ABOUT_WHOLE, fact_of(l, class));
	/* nothing tells when it will end; or its own reason tells what it still waits for: "Running=Unknown, reason DeploymentWaiting" */
	else if (status_is(l->c, "Unknown") && (str_is(facts_last_part(l->c->type), "Progressing") || class == WORD_PROGRESS))
		add(l, ABOUT_WHOLE, fact_of(l, WORD_PROGRESS));
	if (!status_is(l->c, "True") || is_history(l))
		return;
	class = class_of_change(l, class);
	if (class == WORD_OK) {
		add(l, ABOUT_DETAIL, fact_of(l, WORD_OK));
	} else if (class == WORD_SUSPENDED || (class == WORD_BAD && !is_absence(l->c->reason))) {
		add(l, ABOUT_WHOLE, fact_of(l, class));
	} else {
		l->f->is |= IS_MOVING;
		moving.flags |= IS_CHANGE;
		if (!is_retry(l->c->reason) && l->c->since > l->f->moving_since)
			l->f->moving_since = l->c->since;
		add(l, ABOUT_WHOLE, moving);
	}
}

/* The object is stopped, perhaps not because somebody wanted it. */
static void look_at_suspending(const struct look *l)
{
	enum word_class class = has_no_own_reason(l->c) ? WORD_NONE : word_class(l->c->reason);

	if (!status_is(l->c, "True"))
		return;
	/* "Stopped=True, reason InstallationCompleted": it has run to its end */
	if (class == WORD_OK && !being_lasts(l->c->reason))
		add(l, ABOUT_DETAIL, fact_of(l, WORD_OK));
	else
		add(l, ABOUT_WHOLE, fact_of(l, class == WORD_BAD ? WORD_BAD : WORD_SUSPENDED));
}

static void look_at_other(const struct look *l)
{
	struct fact fact;

	if (!is_truth(l->c)) {
		say_own_word(l);
		return;
	}
	/* "Active=True" is good news, but many objects are healthy without it */
	if (status_is(l->c, "True") && word_class_of_name(facts_last_part(l->c->type)) == WORD_OK)
		add(l, ABOUT_DETAIL, fact_of(l, WORD_OK));
	else if (status_is(l->c, "False") && word_class(l->c->reason) == WORD_SUSPENDED)
		add(l, ABOUT_DETAIL, fact_of(l, WORD_SUSPENDED));
	if (status_is(l->c, "False") && !l->c->severity.len && reports_error(l->c->message) && !is_still_tried(l)) {
		fact = fact_of(l, WORD_BAD);
		fact.flags |= BY_MESSAGE | (has_lasted(l) ? OVERDUE : 0);
		add(l, ABOUT_DETAIL, fact);
		return;
	}
	if (status_is(l->c, "False") && (by_severity(l) || word_class(l->c->reason) != WORD_BAD || means_not_yet(l->c) || is_not_yet(l)))
		return;
	if (status_is(l->c, "False"))
		add(l, ABOUT_DETAIL, fact_of(l, WORD_BAD));
}

/* A part of the whole reports trouble: the words mean the same, but they are never more than a hint. */
static void look_at_nested(const struct look *l)
{
	bool positive = l->row.role == ROLE_GOAL || l->row.role == ROLE_GATE ||
			l->row.role == ROLE_PART;
	enum word_class class = class_of(l);

	if (positive && (class == WORD_BAD || class == WORD_PROGRESS))
		add(l, ABOUT_DETAIL, fact_of(l, class));
}

/* The condition of a part has a word of its own as its status: "Error", "SomeNotReady". */
static void look_at_nested_word(const struct look *l)
{
	struct fact fact = fact_of(l, word_class(l->c->status));

	if (fact.says != WORD_BAD && fact.says != WORD_PROGRESS)
		return;
	fact.word = l->c->status;
	add(l, ABOUT_PART, fact);
}

/*
 * A category tells how much a condition that is True counts: "Critical" and "Error" keep the object from its goal, "Warn"
 * does not, and "Advisory" is trouble only where the type says so by itself.
 */
static bool by_category(const struct look *l)
{
	struct str category = l->c->severity;
	struct fact fact = fact_of(l, WORD_BAD);

	if (!status_is(l->c, "True") || l->row.role == ROLE_GOAL)
		return false;
	if (str_is(category, "Advisory"))
		return (l->row.role == ROLE_NEGATIVE || l->row.role == ROLE_HINT) && !l->row.type;
	if (str_is(category, "Warn")) {
		fact.flags |= BY_DEFAULT;
		fact.level = SEVERITY_WARNING;
		add(l, ABOUT_DETAIL, fact);
		return true;
	}
	if (!str_is(category, "Critical") && !str_is(category, "Error"))
		return false;
	fact.level = SEVERITY_ERROR;
	add(l, ABOUT_WHOLE, fact);
	return true;
}

/* "LastAsyncOperation=False", "LastSyncFailed=True", of an operation before the object reached its goal. */
static bool is_earlier_attempt(const struct look *l)
{
	const struct condition *ready = verdict_condition(l->f->v, "Ready");

	return status_is(l->c, l->row.role == ROLE_NEGATIVE ? "True" : "False") && str_starts(facts_last_part(l->c->type), "Last") && l->c->since &&
	       condition_is(ready, "True") && l->c->since < ready->since && phrase_has(l->c->type, "operation* sync* reconcil* appl* deploy* update*");
}

/* "IPsAvailable=Unknown" with the message "250" is a number, and no state. */
static bool is_number(const struct condition *c)
{
	int64_t n;

	return status_is(c, "Unknown") && str_to_int(c->message, &n);
}

/* "Invalid=False, reason Accepted: filter was not accepted": whatever the status is, the message takes the good word back. */
static bool takes_reason_back(const struct condition *c)
{
	enum { LONGEST = 40 };
	char denied[LONGEST + 5] = "not ";
	struct str phrase = { denied, c->reason.len + 4 };

	if (c->reason.len < 4 || c->reason.len > LONGEST || word_class(c->reason) != WORD_OK)
		return false;
	memcpy(denied + 4, c->reason.ptr, c->reason.len);
	return word_class(phrase) == WORD_BAD && str_contains_nocase(c->message, denied);
}

static void look(const struct look *l)
{
	int64_t generation = verdict_generation(l->f->v);

	l->f->is |= HAS_SPOKEN;
	/* the condition is about an older spec; trouble is believed until it is denied */
	if (!(l->f->is & GOAL_IS_CURRENT) && l->c->generation >= 0 && l->c->generation < generation && !status_is(l->c, "False"))
		l->f->is |= LAGS;
	if (by_category(l) || is_earlier_attempt(l) || is_number(l->c))
		return;
	if (takes_reason_back(l->c)) {
		add(l, l->about, fact_of(l, WORD_BAD));
		return;
	}
	switch (l->row.role) {
	case ROLE_HINT:
	case ROLE_NEGATIVE: look_at_negative(l); break;
	case ROLE_TRANSITIONAL: look_at_transitional(l); break;
	case ROLE_SUSPENDING: look_at_suspending(l); break;
	case ROLE_GOAL:
	case ROLE_GATE:
	case ROLE_PART:
	case ROLE_MILESTONE: look_at_positive(l); break;
	case ROLE_OTHER: look_at_other(l); break;
	case ROLE_ADVICE: break;
	}
}

static struct condition read_condition(struct json c)
{
	return (struct condition){
		.type = json_str(c, "type"),
		.status = json_str(c, "status"),
		.reason = json_str(c, "reason"),
		.message = json_str(c, "message"),
		.severity = json_has(c, "severity") ? json_str(c, "severity") : json_str(c, "category"),
		.since = json_time(c, "lastTransitionTime"),
		.generation = json_int(c, "observedGeneration", -1),
	};
}

static bool keeps(const struct verdict *v)
{
	return verdict_condition_count(v) < LIMIT_CONDITIONS;
}

/* There are more conditions than are kept; all of them are judged. */
static void look_beyond(struct facts *f, const struct condition *c)
{
	struct look l = { .f = f, .c = c, .row = row_of(f, c->type), .about = ABOUT_WHOLE };

	look(&l);
}

/* Reads the end of a list of conditions that is too long to be kept. */
static void rest_of_conditions(struct facts *f)
{
	size_t i = 0;

	if (keeps(f->v))
		return;
	json_foreach(from, json_at(verdict_object(f->v), "status.conditions"))
	{
		struct condition c = read_condition(from);

		if (i++ >= LIMIT_CONDITIONS && c.type.len && c.status.len)
			look_beyond(f, &c);
	}
}

/* "conditions", "agentConditions" */
static bool is_list_of_conditions(struct json it)
{
	return json_is_array(it) && str_ends(json_key(it), "onditions") && !str_starts(json_key(it), "last") &&
	       !str_starts(json_key(it), "previous");
}

/* Takes a condition from a nested list: it is kept and judged, or is a hint beside the conditions of the status. */
static void take_nested(struct facts *f, struct condition c, bool keep)
{
	struct look l = { .f = f, .c = &c, .row = row_of(f, c.type), .about = ABOUT_DETAIL };

	if (c.type.len == 0 || c.status.len == 0)
		return;
	if (status_is(&c, "True") && str_is(c.type, "Programmed"))
		f->is |= PART_IS_USABLE;
	if (keep && keeps(f->v))
		verdict_add_condition(f->v, c);
	else if (keep)
		look_beyond(f, &c);
	else if (status_is(&c, "False") && l.row.role != ROLE_MILESTONE)
		look_at_nested(&l);
	else if (!is_truth(&c))
		look_at_nested_word(&l);
}

static void nested_condition(struct facts *f, struct json from, bool keep)
{
	take_nested(f, read_condition(from), keep);
}

/* Reads nodeConditionType: NodeError and nodeConditionStatus: "True", a condition without a list around it. */
static void flat_condition(struct facts *f, struct json map, bool keep)
{
	struct condition c = read_condition(map);
	bool flat = false;

	if (!json_is_object(map))
		return;
	json_foreach(field, map)
	{
		if (str_ends(json_key(field), "onditionType")) {
			c.type = json_str(field, "");
			flat = true;
		} else if (str_ends(json_key(field), "onditionStatus")) {
			c.status = json_str(field, "");
		}
	}
	if (flat)
		take_nested(f, c, keep);
}

static void no_conditions_yet(struct facts *f, struct json list)
{
	if (json_is_array(list) && json_count(list) == 0)
		facts_add(f, (struct fact){ .of = FACT_SPEC, .about = ABOUT_STEP, .says = WORD_PROGRESS, .weight = -1,
					    .where = STR("the list of conditions is empty") });
}

/* An entry of several, of which each has a list of conditions: that part is at its goal, whatever another one says. */
static bool is_well(const struct facts *f, struct json list)
{
	bool well = false;

	json_foreach(it, list)
	{
		struct condition c = read_condition(it);
		enum type_role role = row_of(f, c.type).role;
		bool whole = role == ROLE_GOAL || role == ROLE_GATE;

		if (status_is(&c, role == ROLE_NEGATIVE ? "True" : "False") && (whole || role == ROLE_PART || role == ROLE_NEGATIVE))
			return false;
		well |= whole && status_is(&c, "True");
	}
	return well;
}

/* Reads the lists with the name conditions below at: status.parents[].conditions, status.ingress[].conditions. */
static void find_nested(struct facts *f, struct json at, int depth, bool keep)
{
	/* nobody wants that part */
	if (!keep && !json_bool(at, "enabled", true))
		return;
	json_foreach(it, at)
	{
		if (ignored_has(&f->ignored, it))
			continue;
		if (is_list_of_conditions(it)) {
			no_conditions_yet(f, it);
			f->is |= !json_key(at).len && is_well(f, it) ? PART_IS_USABLE : 0;
			json_foreach(c, it) nested_condition(f, c, keep);
		} else if (depth > 0) {
			flat_condition(f, it, keep);
			find_nested(f, it, depth - 1, keep);
		}
	}
}

/* Conditions beside the metadata of an object without a status: agentConditions. */
static void find_at_top(struct facts *f)
{
	json_foreach(it, verdict_object(f->v))
		if (is_list_of_conditions(it))
			json_foreach(c, it) nested_condition(f, c, true);
}

/* Reads conditions: {Ready: {status: "False", reason: ...}}, where the types are the keys. */
static void conditions_by_type(struct facts *f, struct json map)
{
	json_foreach(it, map)
	{
		struct condition c = read_condition(it);

		c.type = c.type.len ? c.type : json_key(it);
		if (json_is_object(it) && is_truth(&c))
			take_nested(f, c, true);
	}
}

static void find_in_field(struct facts *f, struct json field, bool keep)
{
	if (is_list_of_conditions(field)) {
		json_foreach(c, field) nested_condition(f, c, keep);
		return;
	}
	flat_condition(f, field, keep);
	find_nested(f, field, 2, keep);
}

bool facts_top_conditions(struct json object)
{
	json_foreach(it, object)
		if (is_list_of_conditions(it) && json_str(json_first(it), "type").len && json_str(json_first(it), "status").len)
			return true;
	return false;
}

/* Conditions deeper than status.conditions speak for the object when there are no others, else they are hints. */
static void find_all_nested(struct facts *f)
{
	bool keep = verdict_condition_count(f->v) == 0;

	if (!json_has(verdict_object(f->v), "status"))
		find_at_top(f);
	json_foreach(it, json_at(verdict_object(f->v), "status"))
	{
		if (str_is(json_key(it), "conditions") && json_is_object(it))
			conditions_by_type(f, it);
		else if (str_is(json_key(it), "conditions"))
			no_conditions_yet(f, it);
		else if (!ignored_has(&f->ignored, it))
			find_in_field(f, it, keep);
	}
}

/* Some operators append to status.conditions as to a log: of one type the last entry counts. */
static bool is_logged_over(const struct verdict *v, const struct condition *c)
{
	if (!json_is_array(json_at(verdict_object(v), "status.conditions")))
		return false;
	for (size_t i = verdict_condition_count(v); i-- > 0;) {
		const struct condition *other = verdict_condition_at(v, i);

		if (other == c)
			return false;
		if (str_eq(other->type, c->type) && other->since >= c->since)
			return true;
	}
	return false;
}

/* Of several conditions with one type (one for each parent), those of an older generation are history. */
static bool is_superseded(const struct verdict *v, const struct condition *c)
{
	/* each ancestor of a policy has a controller of its own, so none of its conditions is history */
	if (json_has(verdict_object(v), "status.ancestors"))
		return false;
	if (is_logged_over(v, c))
		return true;
	for (size_t i = 0; c->generation >= 0 && i < verdict_condition_count(v); i++) {
		const struct condition *other = verdict_condition_at(v, i);

		if (other->generation > c->generation && str_eq(other->type, c->type))
			return true;
	}
	return false;
}

/* "Failed=False" means that a condition which is not ready and does not say why is in progress. */
static bool denies_failure(const struct verdict *v)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);
		struct str type = facts_last_part(c->type);

		if (status_is(c, "False") && !admits_its_type(c) && (str_starts(type, "Fail") || str_starts(type, "Error") ||
					 str_is(type, "Stalled")))
			return true;
	}
	return false;
}

/* The object itself says how it is as a whole, so its parts are only hints. */
static bool speaks_for_itself(const struct verdict *v)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct type_row *row = type_listed(verdict_condition_at(v, i)->type);

		if (row && (row->role == ROLE_GOAL || str_is(str_of(row->type), "Available")))
			return true;
	}
	return false;
}

/* Returns the last time at which a condition that tells of the end, such as "Completed", became True; 0: never. */
static int64_t came_to_its_end(const struct facts *f)
{
	const struct verdict *v = f->v;
	int64_t last = (f->is & RUNS_ONCE) ? being_ended_well(v) : 0;

	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);
		struct str type = facts_last_part(c->type), word = str_from(type, str_rfind(type, '_') < type.len ? str_rfind(type, '_') + 1 : 0);

		if (status_is(c, "True") && c->since >= last && str_is_any_nocase(word, list_came_to_its_end))
			last = c->since ? c->since : 1;
	}
	return last;
}

static void set_polarity(struct verdict *v, const struct look *l)
{
	struct str type = arena_str(verdict_arena(v), l->c->type);

	verdict_polarity(v, type.ptr, type_polarity(l->row.role));
}

bool facts_denies_health(const struct facts *f, const struct condition *c)
{
	struct str type = facts_last_part(c->type);
	enum polarity polarity;
	bool ignored = false;

	if (!str_eq_nocase(c->status, STR("False")) || !field_should_be_true(type) || str_is(c->severity, "Info") || is_unwanted(c->reason))
		return false;
	if (rows_polarity(f->rows, c->type, &polarity, &ignored) && (ignored || polarity != POLARITY_POSITIVE))
		return false;
	/* "DeploymentAvailable=False, reason DeploymentAvailable": the operator has done it in another way */
	return word_class(c->reason) != WORD_OK;
}

/* Keeps the condition that contradicts every fact of health: one with a reason rather than one without. */
static void deny(const struct look *l)
{
	struct fact fact = fact_of(l, WORD_BAD);

	if (!facts_denies_health(l->f, l->c))
		return;
	fact.weight = 40 + (l->c->reason.len > 0);
	add(l, ABOUT_MEMBER, fact);
}

/* Returns true when the condition is True of the present generation. */
static bool is_current(const struct verdict *v, const char *type)
{
	const struct condition *c = verdict_condition(v, type);

	return condition_is(c, "True") && c->generation > 0 && c->generation == verdict_generation(v);
}

void facts_of_conditions(struct facts *f)
{
	struct verdict *v = f->v;
	bool whole;

	find_all_nested(f);
	whole = speaks_for_itself(v);
	f->is |= denies_failure(v) ? DENIES_FAILURE : 0;
	f->ended_at = came_to_its_end(f);
	f->is |= is_current(v, "Ready") || is_current(v, "Available") ? GOAL_IS_CURRENT : 0;
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);
		struct look l = { .f = f, .c = c, .row = row_of(f, c->type), .about = ABOUT_WHOLE };

		if (whole && l.row.role != ROLE_GOAL && l.row.role != ROLE_GATE)
			l.about = ABOUT_DETAIL;
		if (!is_superseded(v, c)) {
			look(&l);
			deny(&l);
		}
		set_polarity(v, &l);
	}
	rest_of_conditions(f);
}

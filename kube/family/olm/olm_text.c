/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for several kinds of the Operator Lifecycle Manager: versions, words in messages, common verdicts. */
#include "kube/family/olm/olm.h"

/* ---- versions ------------------------------------------------------------ */

static size_t digits(struct str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.len && s.ptr[at + n] >= '0' && s.ptr[at + n] <= '9')
		n++;
	return n;
}

/* Returns true for "1.2...", with or without a "v" before it. */
static bool is_version(struct str s)
{
	size_t at = str_starts(s, "v") ? 1 : 0, n = digits(s, at);

	return n && at + n < s.len && s.ptr[at + n] == '.' && digits(s, at + n + 1);
}

struct str olm_bare_version(struct str version)
{
	return str_starts(version, "v") ? str_from(version, 1) : version;
}

/*
 * Returns where the version begins in a name.  By custom the name is <package>.v<version>; older packages have a dash,
 * or no v.
 */
static size_t version_at(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (str_starts(str_from(name, i), ".v") && is_version(str_from(name, i + 1)))
			return i;
	for (size_t i = 0; i < name.len; i++)
		if ((name.ptr[i] == '.' || name.ptr[i] == '-') && is_version(str_from(name, i + 1)))
			return i;
	return name.len;
}

struct str olm_version_in_name(struct str name)
{
	size_t at = version_at(name);

	return at < name.len ? olm_bare_version(str_from(name, at + 1)) : STR_NONE;
}

struct str olm_package_in_name(struct str name)
{
	size_t at = version_at(name);

	return at < name.len ? str_head(name, at) : STR_NONE;
}

/* ---- words --------------------------------------------------------------- */

static bool ends_word(char c)
{
	const struct str ends = STR(" \t\n\"',;:()[]");

	return str_find(ends, c) < ends.len;
}

struct str olm_word_after(struct str text, const char *lead)
{
	size_t at = str_find_str(text, lead), n = 0;
	struct str rest;

	if (at >= text.len)
		return STR_NONE;
	rest = str_from(text, at + str_of(lead).len);
	while (rest.len && ends_word(rest.ptr[0]))
		rest = str_from(rest, 1);
	while (n < rest.len && !ends_word(rest.ptr[n]))
		n++;
	rest = str_head(rest, n);
	return str_ends(rest, ".") ? str_head(rest, n - 1) : rest;
}

const struct condition *olm_condition_with(const struct verdict *v, const char *type,
					   const char *status)
{
	const struct condition *c = verdict_condition(v, type);

	return condition_is(c, status) ? c : NULL;
}

/* ---- verdicts ------------------------------------------------------------ */

static const char *const deprecations[] = { "Deprecated", "PackageDeprecated",
					     "ChannelDeprecated", "BundleDeprecated", NULL };

enum { UNKNOWN_CONDITION, DEPRECATED, AWAITS, AWAITS_AS_IT_IS };

static const struct row rows[] = {
	[UNKNOWN_CONDITION] = { "a condition of a type that is not known here is True", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
				.flags = NAMES_ONLY },
	[DEPRECATED] = { "what is installed is deprecated", .then = OUTCOME_READY_BUT },
	[AWAITS] = { "another object of its operator is awaited", .then = OUTCOME_WAIT },
	[AWAITS_AS_IT_IS] = { "what has failed or stopped waits for another object", .then = OUTCOME_WAIT, .flags = STAYS | AT_LEAST },
	{ 0 }
};

void olm_unknown_condition(struct verdict *v, const char *const *known)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (!condition_is(c, "True") || family_lists(deprecations, c->type) || family_lists(known, c->type))
			continue;
		row_decides(&(struct reading){ .v = v, .condition = c }, &rows[UNKNOWN_CONDITION]);
		verdict_unknown_word(v, "condition", c->type);
		return;
	}
}

void olm_show_deprecation(struct verdict *v)
{
	bool deprecated = false;

	for (const char *const *type = deprecations; *type; type++) {
		deprecated |= olm_condition_with(v, *type, "True") != NULL;
		verdict_polarity(v, *type, POLARITY_NEGATIVE);
	}
	if (deprecated)
		verdict_flag(v, "deprecated");
}

void olm_assess_deprecation(struct assessment *d)
{
	const struct status *st = assess_status(d);
	const struct condition *c = NULL;

	/* the first condition summarizes the others */
	for (const char *const *type = deprecations; *type && (!c || c->message.len == 0); type++) {
		const struct condition *one = status_condition(st, *type);

		if (condition_is(one, "True"))
			c = one;
	}
	if (!c || st->phase != PHASE_READY || st->severity != SEVERITY_NONE)
		return;
	row_decides(&(struct reading){ .d = d, .condition = c }, &rows[DEPRECATED]);
}

/* ---- neighbours ---------------------------------------------------------- */

bool olm_target_via(struct assessment *d, const char *via, struct neighbour *out)
{
	for (size_t i = 0; assess_target(d, i, out); i++)
		if (str_starts(out->via, via))
			return true;
	return false;
}

static enum wait_state wait_state_of(const struct neighbour *on)
{
	bool missing = on->presence == PRESENCE_MISSING || (on->flags & REF_REPORTED_MISSING);

	if (on->presence != PRESENCE_FOUND)
		return missing ? WAIT_MISSING : WAIT_NOT_READY;
	if (on->status.phase == PHASE_DELETING)
		return WAIT_DELETING;
	return on->status.phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY;
}

void olm_assess_waiting(struct assessment *d, const struct neighbour *on, enum severity severity)
{
	const struct status *st = assess_status(d);
	bool moves = phase_under_way(st->phase) || st->phase == PHASE_READY;

	assess_wait(d, on, wait_state_of(on), on->message.len ? on->message : on->status.message);
	row_decides(&(struct reading){ .d = d, .reason = st->reason, .message = st->message.len ? st->message : on->status.message,
				       .level = severity > st->severity ? severity : st->severity }, &rows[moves ? AWAITS : AWAITS_AS_IT_IS]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for several kinds of the Operator Lifecycle Manager: versions, words in messages, common verdicts. */
#include "kube/family/olm/olm.h"

#include "kube/status/thresholds.h"

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

static struct str condition_text(struct arena *arena, const struct condition *c)
{
	return arena_printf(arena, STR_FMT "=" STR_FMT "%s" STR_FMT, STR_ARG(c->type),
			    STR_ARG(c->status), c->reason.len ? " " : "", STR_ARG(c->reason));
}

void olm_decide(struct verdict *v, const struct condition *c, enum phase phase,
		enum severity severity)
{
	verdict_set(v, phase, severity, c->reason, c->message);
	verdict_since(v, c->since);
	verdict_rule(v, condition_text(verdict_arena(v), c));
}

void olm_never_reconciled(struct verdict *v)
{
	int64_t created = verdict_created(v);
	bool young = created == 0 || verdict_now(v) - created < thresholds.young;

	verdict_set(v, PHASE_PROVISIONING, young ? SEVERITY_INFO : SEVERITY_WARNING, STR_NONE,
		    STR_NONE);
	verdict_since(v, created);
	verdict_revisit(v, created + thresholds.young);
	verdict_rule(v, STR("no status yet"));
}

static const char *const deprecations[] = { "Deprecated", "PackageDeprecated",
					     "ChannelDeprecated", "BundleDeprecated", NULL };

void olm_unknown_condition(struct verdict *v, const char *const *known)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (!condition_is(c, "True") || family_lists(deprecations, c->type) || family_lists(known, c->type))
			continue;
		olm_decide(v, c, PHASE_DEGRADED, SEVERITY_WARNING);
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
	assess_set(d, PHASE_READY, SEVERITY_WARNING, c->reason, c->message);
	assess_since(d, c->since);
	assess_rule(d, condition_text(assess_arena(d), c));
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
	if (severity < st->severity)
		severity = st->severity;
	assess_set(d, moves ? PHASE_WAITING : st->phase, severity, st->reason,
		   st->message.len ? st->message : on->status.message);
}

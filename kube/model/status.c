/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/model/status.h"

static const char *const phases[PHASE_COUNT] = {
	[PHASE_DELETING] = "Deleting",	 [PHASE_FAILED] = "Failed",
	[PHASE_WAITING] = "Waiting",	 [PHASE_PROVISIONING] = "Provisioning",
	[PHASE_UPDATING] = "Updating",	 [PHASE_MAINTENANCE] = "Maintenance",
	[PHASE_SCALING] = "Scaling",	 [PHASE_DEGRADED] = "Degraded",
	[PHASE_SUSPENDED] = "Suspended", [PHASE_READY] = "Ready",
	[PHASE_UNKNOWN] = "Unknown",
};

static const char *const severities[SEVERITY_COUNT] = {
	[SEVERITY_NONE] = "none",
	[SEVERITY_INFO] = "info",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_ERROR] = "error",
};

static const char *const relations[RELATION_COUNT] = {
	[RELATION_NEEDS] = "needs",	[RELATION_OWNS] = "owns",
	[RELATION_MANAGES] = "manages", [RELATION_GUARDS] = "guards",
	[RELATION_REPLACES] = "replaces",
};

static const char *const wait_states[WAIT_COUNT] = {
	[WAIT_NONE] = "",	      [WAIT_MISSING] = "missing",
	[WAIT_NOT_READY] = "not-ready", [WAIT_FAILED] = "failed",
	[WAIT_DELETING] = "deleting", [WAIT_CYCLE] = "cycle",
	[WAIT_FINALIZER] = "finalizer", [WAIT_APPROVAL] = "approval",
	[WAIT_EXTERNAL] = "external", [WAIT_CONTROLLER] = "controller",
};

const char *phase_name(enum phase phase)
{
	return phases[phase];
}

const char *severity_name(enum severity severity)
{
	return severities[severity];
}

const char *relation_name(enum relation relation)
{
	return relations[relation];
}

const char *wait_state_name(enum wait_state state)
{
	return wait_states[state];
}

bool phase_parse(struct str name, enum phase *out)
{
	for (int i = 0; i < PHASE_COUNT; i++)
		if (str_eq_nocase(name, str_of(phases[i]))) {
			*out = (enum phase)i;
			return true;
		}
	return false;
}

bool phase_under_way(enum phase phase)
{
	return phase >= PHASE_WAITING && phase <= PHASE_SCALING;
}

bool phase_is_leftover(enum phase phase, enum severity severity)
{
	return phase == PHASE_FAILED && severity == SEVERITY_NONE;
}

struct str status_particular(const struct status *st, const char *what, size_t *at)
{
	while (*at < st->nparticulars) {
		struct str one = st->particulars[(*at)++], name;

		if (str_split(&one, ' ', &name) && str_is(name, what))
			return one;
	}
	return STR_NONE;
}

struct str status_first_particular(const struct status *st, const char *what)
{
	size_t at = 0;

	return status_particular(st, what, &at);
}

bool status_has_particular(const struct status *st, const char *what, struct str value)
{
	struct str one;
	size_t at = 0;

	while ((one = status_particular(st, what, &at)).len)
		if (str_eq(one, value))
			return true;
	return false;
}

bool status_has_flag(const struct status *st, const char *flag)
{
	for (size_t i = 0; st && i < st->nflags; i++)
		if (str_is(st->flags[i], flag))
			return true;
	return false;
}

bool status_has_finalizer(const struct status *st, struct str finalizer)
{
	for (size_t i = 0; i < st->nfinalizers; i++)
		if (str_eq(st->finalizers[i], finalizer))
			return true;
	return false;
}

const struct condition *status_condition(const struct status *st, const char *type)
{
	for (size_t i = 0; i < st->nconditions; i++)
		if (str_is(st->conditions[i].type, type))
			return &st->conditions[i];
	return NULL;
}

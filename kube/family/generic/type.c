/* SPDX-License-Identifier: Apache-2.0 */
/* The types of conditions that operators share, and how to read those that nobody listed. */
#include "kube/family/generic/type.h"

/* Types that are more, or something else, than their words.  "*Foo": any that ends so. */
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
	{ "ResolvedRefs", ROLE_PART, 25, true }, /* why a listener is not Programmed */
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
	{ "Running", ROLE_TRANSITIONAL, 10, true },
	{ "Created", ROLE_MILESTONE, 10, true },
	{ "Launched", ROLE_MILESTONE, 10, true },
	{ "Initialized", ROLE_MILESTONE, 10, true },
	{ "Registered", ROLE_MILESTONE, 10, true },
	{ "Scheduled", ROLE_MILESTONE, 10, true },
	{ "*Started", ROLE_MILESTONE, 10, true },
	{ "Submitted", ROLE_MILESTONE, 10, true },
	{ "Queued", ROLE_MILESTONE, 10, true },
	{ "Approved", ROLE_MILESTONE, 10, true },
	{ "Requested", ROLE_MILESTONE, 10, true },
	{ "Warning", ROLE_HINT, 5, false },
	{ "Active", ROLE_OTHER, 5, false },
	{ "Deprecated", ROLE_ADVICE, 0, false },
	{ "Advisory", ROLE_ADVICE, 0, false },
	{ "UpgradeAvailable", ROLE_ADVICE, 0, false },
	{ "UpdateAvailable", ROLE_ADVICE, 0, false },
};

/* "BackingNamespaceCreated", "SystemNamespacesAssigned": the participle at the end is what it says. */
static bool ends_in_done(struct str type)
{
	size_t at = type.len;

	while (at > 0 && type.ptr[at - 1] >= 'a' && type.ptr[at - 1] <= 'z')
		at--;
	return at > 1 && str_ends(type, "ed") && word_class(str_from(type, at - 1)) == WORD_OK;
}

/* "LiveMigratable", "Upgradeable": what could be done with it, not how it is. */
static bool is_ability(struct str type)
{
	static const char *const states[] = { "vailable", "eachable",	"Stable", "nstable",
					      "sable",	  "chedulable", NULL };

	return str_ends(type, "able") && !str_ends_any(type, states);
}

struct str generic_last_part(struct str type)
{
	size_t dot = str_rfind(type, '.'), slash = str_rfind(type, '/');

	if (slash < type.len)
		return str_from(type, slash + 1);
	return dot < type.len ? str_from(type, dot + 1) : type;
}

const struct type_row *type_listed(struct str type)
{
	struct str last = generic_last_part(type);

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const char *t = types[i].type;

		if (t[0] == '*' ? str_ends(last, t + 1) : str_is(last, t))
			return &types[i];
	}
	return NULL;
}

struct type_row type_row_of(struct str type)
{
	const struct type_row *row = type_listed(type);
	struct str last = generic_last_part(type);

	if (row)
		return *row;
	if (is_ability(last) && word_class(last) != WORD_BAD)
		return (struct type_row){ NULL, ROLE_ADVICE, 0, false };
	if (word_class(last) == WORD_PROGRESS && ends_in_done(last))
		return (struct type_row){ NULL, ROLE_PART, 10, true };
	switch (word_class(last)) {
	case WORD_BAD: return (struct type_row){ NULL, ROLE_NEGATIVE, 20, false };
	case WORD_PROGRESS: return (struct type_row){ NULL, ROLE_TRANSITIONAL, 10, false };
	case WORD_SUSPENDED: return (struct type_row){ NULL, ROLE_SUSPENDING, 10, false };
	case WORD_OK: return (struct type_row){ NULL, ROLE_PART, 10, true };
	default: return (struct type_row){ NULL, ROLE_OTHER, 0, true };
	}
}

enum polarity type_polarity(enum type_role role)
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

/* SPDX-License-Identifier: Apache-2.0 */
/* The types of conditions that operators share, and how to read those that nobody listed. */
#include "kube/family/generic/type.h"

/* Types that are more, or something else, than their words.  "*Foo": any that ends so. */
static const struct type_row types[] = {
	{ "Terminal", NATURE_NEGATIVE, 90, false },
	{ "Stalled", NATURE_NEGATIVE, 80, false },
	{ "Failed", NATURE_NEGATIVE, 70, false },
	{ "Synced", NATURE_GATE, 60, false },
	{ "Degraded", NATURE_NEGATIVE, 50, false },
	{ "*NotReady", NATURE_NEGATIVE, 30, false },
	{ "Recoverable", NATURE_NEGATIVE, 40, false },
	{ "Ready", NATURE_GOAL, 40, false },
	{ "Healthy", NATURE_GOAL, 35, false },
	{ "Succeeded", NATURE_GOAL, 30, false },
	{ "Successful", NATURE_GOAL, 30, false },
	{ "Available", NATURE_GATE, 30, true },
	{ "Accepted", NATURE_GATE, 30, false },
	{ "Valid", NATURE_GATE, 30, false },
	{ "Admitted", NATURE_GATE, 30, false },
	{ "Reconciled", NATURE_GATE, 30, false },
	{ "Deployed", NATURE_GATE, 30, false },
	{ "Compliant", NATURE_GATE, 30, false },
	{ "ResolvedRefs", NATURE_PART, 25, true }, /* why a listener is not Programmed */
	{ "Complete", NATURE_GOAL, 20, true },
	{ "Completed", NATURE_GOAL, 20, true },
	{ "Programmed", NATURE_GATE, 20, true },
	{ "Established", NATURE_GATE, 20, true },
	{ "Provisioned", NATURE_GATE, 20, true },
	{ "Installed", NATURE_GATE, 20, true },
	{ "Applied", NATURE_GATE, 20, true },
	{ "Bound", NATURE_GATE, 20, true },
	{ "Online", NATURE_GATE, 20, true },
	{ "ResourceSynced", NATURE_GATE, 20, true },
	{ "Running", NATURE_TRANSITIONAL, 10, true },
	{ "Created", NATURE_MILESTONE, 10, true },
	{ "Launched", NATURE_MILESTONE, 10, true },
	{ "Registered", NATURE_MILESTONE, 10, true },
	{ "Scheduled", NATURE_MILESTONE, 10, true },
	{ "Started", NATURE_MILESTONE, 10, true },
	{ "Submitted", NATURE_MILESTONE, 10, true },
	{ "Queued", NATURE_MILESTONE, 10, true },
	{ "Approved", NATURE_MILESTONE, 10, true },
	{ "Requested", NATURE_MILESTONE, 10, true },
	{ "Warning", NATURE_HINT, 5, false },
	{ "Active", NATURE_OTHER, 5, false },
	{ "Deprecated", NATURE_ADVICE, 0, false },
	{ "Advisory", NATURE_ADVICE, 0, false },
	{ "UpgradeAvailable", NATURE_ADVICE, 0, false },
	{ "UpdateAvailable", NATURE_ADVICE, 0, false },
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
		return (struct type_row){ NULL, NATURE_ADVICE, 0, false };
	if (word_class(last) == WORD_PROGRESS && ends_in_done(last))
		return (struct type_row){ NULL, NATURE_PART, 10, true };
	switch (word_class(last)) {
	case WORD_BAD: return (struct type_row){ NULL, NATURE_NEGATIVE, 20, false };
	case WORD_PROGRESS: return (struct type_row){ NULL, NATURE_TRANSITIONAL, 10, false };
	case WORD_SUSPENDED: return (struct type_row){ NULL, NATURE_SUSPENDING, 10, false };
	case WORD_OK: return (struct type_row){ NULL, NATURE_PART, 10, true };
	default: return (struct type_row){ NULL, NATURE_OTHER, 0, true };
	}
}

enum polarity type_polarity(enum nature nature)
{
	switch (nature) {
	case NATURE_HINT:
	case NATURE_NEGATIVE: return POLARITY_NEGATIVE;
	case NATURE_TRANSITIONAL:
	case NATURE_SUSPENDING: return POLARITY_TRANSITIONAL;
	case NATURE_OTHER:
	case NATURE_ADVICE: return POLARITY_UNKNOWN;
	default: return POLARITY_POSITIVE;
	}
}

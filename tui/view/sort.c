/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/sort.h"

#include <stdlib.h>

/* Equal ones are ordered as every list is. */
static int or_worst(int order, const struct summary *a, const struct summary *b)
{
	return order ? order : summary_compare(a, b);
}

/* Times that are not known come last, whichever way the others are ordered. */
static int compare_times(int64_t a, int64_t b, bool newest_first)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return a ? -1 : 1;
	return (a < b) != newest_first ? -1 : 1;
}

static int compare_newest(const struct summary *a, const struct summary *b)
{
	return or_worst(compare_times(a->since, b->since, true), a, b);
}

static int compare_since(const struct summary *a, const struct summary *b)
{
	return or_worst(compare_times(a->since, b->since, false), a, b);
}

static int compare_age(const struct summary *a, const struct summary *b)
{
	return or_worst(compare_times(a->created, b->created, false), a, b);
}

static int compare_phase(const struct summary *a, const struct summary *b)
{
	return or_worst((int)a->phase - (int)b->phase, a, b);
}

static int compare_name(const struct summary *a, const struct summary *b)
{
	return or_worst(str_cmp(a->id.name, b->id.name), a, b);
}

static int compare_namespace(const struct summary *a, const struct summary *b)
{
	int order = str_cmp(a->id.cluster, b->id.cluster);

	return or_worst(order ? order : str_cmp(a->id.ns, b->id.ns), a, b);
}

static int compare_kind(const struct summary *a, const struct summary *b)
{
	int order = str_cmp(a->id.kind, b->id.kind);

	return or_worst(order ? order : str_cmp(a->id.group, b->id.group), a, b);
}

static const struct {
	const char *name;
	const char *path;	/* what kubectl's --sort-by calls it */
	sort_compare *compare;
} sorts[SORT_COUNT] = {
	[SORT_WORST] = { "severity", NULL, summary_compare },
	[SORT_NEWEST] = { "newest", NULL, compare_newest },
	[SORT_SINCE] = { "since", NULL, compare_since },
	[SORT_NAME] = { "name", "metadata.name", compare_name },
	[SORT_NAMESPACE] = { "namespace", "metadata.namespace", compare_namespace },
	[SORT_KIND] = { "kind", "kind", compare_kind },
	[SORT_PHASE] = { "phase", "status.phase", compare_phase },
	[SORT_AGE] = { "age", "metadata.creationTimestamp", compare_age },
};

const char *sort_name(enum sort sort)
{
	return sorts[sort < SORT_COUNT ? sort : SORT_WORST].name;
}

/* "metadata.name" of ".metadata.name" and "{.metadata.name}" */
static struct str plain_path(struct str path)
{
	if (str_starts(path, "{") && str_ends(path, "}"))
		path = str_head(str_from(path, 1), path.len - 2);
	return str_starts(path, ".") ? str_from(path, 1) : path;
}

bool sort_parse(struct str name, enum sort *out)
{
	struct str path = plain_path(name);

	for (size_t i = 0; i < SORT_COUNT; i++)
		if (str_eq_nocase(name, str_of(sorts[i].name)) || (sorts[i].path && str_is(path, sorts[i].path))) {
			*out = (enum sort)i;
			return true;
		}
	return false;
}

sort_compare *sort_order(enum sort sort)
{
	return sorts[sort < SORT_COUNT ? sort : SORT_WORST].compare;
}

/* qsort() passes no context, so each element carries the order. */
struct keyed {
	struct summary summary;
	struct handle handle;
	sort_compare *compare;
	bool gone;
};

static int compare_keyed(const void *pa, const void *pb)
{
	const struct keyed *a = *(const struct keyed *const *)pa,
			   *b = *(const struct keyed *const *)pb;

	if (a->gone || b->gone)
		return a->gone - b->gone;
	return a->compare(&a->summary, &b->summary);
}

void sort_handles(struct graph *g, struct handle *handles, size_t n, enum sort sort)
{
	struct arena arena = { 0 };
	struct keyed *all = arena_array(&arena, n, sizeof(*all));
	struct keyed **order = arena_array(&arena, n, sizeof(struct keyed *));

	for (size_t i = 0; i < n; i++) {
		all[i].handle = handles[i];
		all[i].compare = sort_order(sort);
		all[i].gone = !graph_summary(g, handles[i], &all[i].summary);
		order[i] = &all[i];
	}
	if (n)
		qsort(order, n, sizeof(struct keyed *), compare_keyed);
	for (size_t i = 0; i < n; i++)
		handles[i] = order[i]->handle;
	arena_release(&arena);
}

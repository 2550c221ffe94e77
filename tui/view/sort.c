/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/sort.h"

#include <stdlib.h>

static int compare_newest(const struct summary *a, const struct summary *b)
{
	if (a->since != b->since)
		return a->since > b->since ? -1 : 1;
	return summary_compare(a, b);
}

/* Times that are not known come last. */
static int compare_oldest(const struct summary *a, const struct summary *b)
{
	if (a->since == b->since)
		return summary_compare(a, b);
	if (!a->since || !b->since)
		return a->since ? -1 : 1;
	return a->since < b->since ? -1 : 1;
}

static int compare_name(const struct summary *a, const struct summary *b)
{
	int order = str_cmp(a->id.name, b->id.name);

	return order ? order : summary_compare(a, b);
}

static int compare_namespace(const struct summary *a, const struct summary *b)
{
	int order = str_cmp(a->id.cluster, b->id.cluster);

	if (order == 0)
		order = str_cmp(a->id.ns, b->id.ns);
	return order ? order : summary_compare(a, b);
}

static int compare_kind(const struct summary *a, const struct summary *b)
{
	int order = str_cmp(a->id.kind, b->id.kind);

	if (order == 0)
		order = str_cmp(a->id.group, b->id.group);
	return order ? order : summary_compare(a, b);
}

static const struct {
	const char *name;
	sort_compare *compare;
} sorts[SORT_COUNT] = {
	[SORT_WORST] = { "worst", summary_compare },
	[SORT_NEWEST] = { "newest", compare_newest },
	[SORT_OLDEST] = { "oldest", compare_oldest },
	[SORT_NAME] = { "name", compare_name },
	[SORT_NAMESPACE] = { "namespace", compare_namespace },
	[SORT_KIND] = { "kind", compare_kind },
};

const char *sort_name(enum sort sort)
{
	return sorts[sort < SORT_COUNT ? sort : SORT_WORST].name;
}

bool sort_parse(struct str name, enum sort *out)
{
	for (size_t i = 0; i < SORT_COUNT; i++)
		if (str_eq_nocase(name, str_of(sorts[i].name))) {
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/state/sort.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"

#include <string.h>

/* An order that belongs to a column has the name of the column. */
static const struct {
	const char *name;
	uint8_t sort;
} columns[] = {
#define COLUMN(id, name, sort, ...) { name, sort },
#include "tui/state/columns.def"
#undef COLUMN
};

static const struct {
	const char *name;	/* the name of an order that belongs to no column */
	const char *path;	/* the path by which kubectl's --sort-by calls the order */
} sorts[SORT_COUNT] = {
	[SORT_NEWEST] = { "newest", NULL },
	[SORT_NAME] = { NULL, "metadata.name" },
	[SORT_NAMESPACE] = { NULL, "metadata.namespace" },
	[SORT_KIND] = { "kind", "kind" },
	[SORT_PHASE] = { NULL, "status.phase" },
	[SORT_AGE] = { NULL, "metadata.creationTimestamp" },
};

const char *sort_name(enum sort sort)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (columns[i].sort == 1 + sort)
			return columns[i].name;
	return sorts[sort].name;
}

/* Returns the path without decoration: "metadata.name" for ".metadata.name" and for "{.metadata.name}". */
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
		if (str_eq_nocase(name, str_of(sort_name((enum sort)i))) || (sorts[i].path && str_is(path, sorts[i].path))) {
			*out = (enum sort)i;
			return true;
		}
	return false;
}

bool sort_by_use(enum sort sort)
{
	return sort == SORT_MEM || sort == SORT_CPU || sort == SORT_USED;
}

bool sort_by_facts(enum sort sort)
{
	return sort == SORT_NEWEST || sort == SORT_SINCE || sort == SORT_AGE || sort_by_use(sort);
}

/* Returns a sort key for a time.  Unknown times come last, in both directions. */
static uint64_t time_first(int64_t time, bool newest_first)
{
	if (!time)
		return UINT64_MAX;
	return newest_first ? (uint64_t)INT64_MAX - (uint64_t)time : (uint64_t)time ^ (uint64_t)1 << 63;
}

/* Returns a sort key for what an object uses: bytes, thousandths of a processor, or millionths of a volume. */
static uint64_t most_first(const struct graph *g, enum sort sort, uint32_t slot)
{
	struct used used;
	double share;

	if (!graph_used(g, slot, &used))
		return UINT64_MAX;
	share = used.room > 0 ? used.filled / used.room : 0;
	return UINT64_MAX - 1 - (uint64_t)(sort == SORT_MEM ? used.memory : sort == SORT_CPU ? used.cpu * 1000 : share * 1e6);
}

struct sort_item sort_item_of(const struct graph *g, enum sort sort, const struct summary *s)
{
	struct sort_item item = { .worst = graph_rank(s->phase, s->severity, 0), .slot = s->id.handle.slot };

	if (sort == SORT_WORST)
		sort_item_place(&item, item.worst, 0, false);
	else if (sort == SORT_NEWEST || sort == SORT_SINCE)
		item.first = time_first(s->since, sort == SORT_NEWEST);
	else if (sort == SORT_AGE)
		item.first = time_first(s->created, false);
	else if (sort_by_use(sort))
		item.first = most_first(g, sort, s->id.handle.slot);
	else if (sort == SORT_PHASE)
		item.first = s->phase;
	return item;
}

struct sort_item sort_item_ready(enum sort sort, uint32_t slot)
{
	struct summary s = { .phase = PHASE_READY, .severity = SEVERITY_NONE };

	s.id.handle.slot = slot;
	return sort_item_of(NULL, sort, &s);
}

void sort_item_place(struct sort_item *item, uint32_t rank, uint32_t position, bool acknowledged)
{
	item->worst = rank;
	item->first = (uint64_t)rank << 32 | (position ? position : UINT32_MAX);
	if (acknowledged)
		item->first |= (uint64_t)1 << 63;
}

static int compare_clusters(const struct sort_order *o, const struct sort_item *a, const struct sort_item *b)
{
	return str_cmp(graph_id(o->graph, a->slot).cluster, graph_id(o->graph, b->slot).cluster);
}

/* Compares by cluster, namespace, kind and name, as summary_compare() does for every list. */
static int compare_names(const struct sort_order *o, const struct sort_item *a, const struct sort_item *b)
{
	struct object_id x, y;
	int c = 0;

	if (a->rank && b->rank)
		return a->rank < b->rank ? -1 : a->rank > b->rank;
	x = store_node_id(o->store, a->slot);
	y = store_node_id(o->store, b->slot);
	if (x.cluster != y.cluster)
		c = compare_clusters(o, a, b);
	c = c ? c : str_cmp(x.ns, y.ns);
	if (!c && x.kind != y.kind)
		c = str_cmp(x.kind->kind, y.kind->kind);
	c = c ? c : str_cmp(x.name, y.name);
	return c || x.kind == y.kind ? c : str_cmp(x.kind->group, y.kind->group);
}

/* Compares by the text of the order (name, namespace or kind), which comes before the severity. */
static int compare_texts(const struct sort_order *o, const struct sort_item *a, const struct sort_item *b)
{
	struct object_id x = store_node_id(o->store, a->slot), y = store_node_id(o->store, b->slot);
	int c = 0;

	if (o->sort == SORT_NAME)
		return str_cmp(x.name, y.name);
	if (o->sort == SORT_NAMESPACE) {
		c = x.cluster != y.cluster ? compare_clusters(o, a, b) : 0;
		return c ? c : str_cmp(x.ns, y.ns);
	}
	if (x.kind != y.kind)
		c = str_cmp(x.kind->kind, y.kind->kind);
	return c || x.kind == y.kind ? c : str_cmp(x.kind->group, y.kind->group);
}

static int compare_items(const struct sort_order *o, const struct sort_item *a, const struct sort_item *b)
{
	int c = 0;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (o->sort == SORT_NAME || o->sort == SORT_NAMESPACE || o->sort == SORT_KIND)
		c = compare_texts(o, a, b);
	if (!c && a->worst != b->worst)
		c = a->worst < b->worst ? -1 : 1;
	return c ? c : compare_names(o, a, b);
}

static bool in_order(const struct sort_order *o, const struct sort_item *a, const struct sort_item *b)
{
	if (a->pinned != b->pinned)
		return a->pinned;
	return o->reverse ? compare_items(o, b, a) <= 0 : compare_items(o, a, b) <= 0;
}

static void merge(const struct sort_order *o, struct sort_item *items, size_t half, size_t n, struct sort_item *left)
{
	size_t i = 0, k = half;

	memcpy(left, items, half * sizeof(*left));
	for (size_t at = 0; i < half; at++) {
		assert(at < k);
		items[at] = k < n && !in_order(o, &left[i], &items[k]) ? items[k++] : left[i++];
	}
}

/* Sorts by merging.  Parts that are in order already, as the lists of an API server mostly are, are not merged. */
static bool sort_part(const struct sort_order *o, struct sort_item *items, size_t n, struct sort_item *left)
{
	enum { STEP = 2048 };
	size_t half = n / 2;

	if (n < 2)
		return true;
	if (n >= STEP && o->stop && o->stop(o->stop_ctx))
		return false;
	if (!sort_part(o, items, half, left) || !sort_part(o, items + half, n - half, left))
		return false;
	if (!in_order(o, &items[half - 1], &items[half]))
		merge(o, items, half, n, left);
	return true;
}

static bool is_sorted(const struct sort_order *o, const struct sort_item *items, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!in_order(o, &items[i - 1], &items[i]))
			return false;
	return true;
}

bool sort_items(const struct sort_order *order, struct sort_item *items, size_t n)
{
	struct sort_item *left = xmalloc((n / 2 + 1) * sizeof(*left));
	bool whole = sort_part(order, items, n, left);

	assert_costly(!whole || is_sorted(order, items, n));
	xfree(left);
	return whole;
}

uint32_t sort_rank(struct sort_ranks *r, struct handle h)
{
	if (h.slot < r->n && r->slots[h.slot].rank && r->slots[h.slot].gen == h.gen)
		return r->slots[h.slot].rank;
	r->unknown++;
	return 0;
}

void sort_ranks_renew(struct sort_ranks *r, const struct sort_order *order)
{
	enum { UNKNOWN_LEAST = 1000 };
	struct sort_order by_name = { .graph = order->graph, .store = order->store, .stop = order->stop, .stop_ctx = order->stop_ctx };
	uint32_t n = store_slots(order->store), count = 0;
	struct sort_item *items;

	if (r->unknown < UNKNOWN_LEAST || r->unknown < r->known / 16)
		return;
	items = xmalloc((n + 1) * sizeof(*items));
	for (struct handle h = store_next(order->store, 0); h.slot; h = store_next(order->store, h.slot + 1))
		items[count++] = (struct sort_item){ .slot = h.slot };
	assert(count == store_count(order->store) && count < n + 1);
	if (sort_items(&by_name, items, count)) {
		sort_ranks_release(r);
		r->slots = xcalloc(n + 1, sizeof(*r->slots));
		r->n = n;
		r->known = count;
		for (uint32_t i = 0; i < count; i++)
			r->slots[items[i].slot] = (struct sort_ranked){ i + 1, store_node_handle(order->store, items[i].slot).gen };
	}
	xfree(items);
}

void sort_ranks_release(struct sort_ranks *r)
{
	xfree(r->slots);
	*r = (struct sort_ranks){ .n = 0 };
}

void sort_handles(struct graph *g, const struct store *store, struct handle *handles, size_t n, enum sort sort)
{
	struct sort_order order = { .graph = g, .store = store, .sort = sort };
	struct sort_item *items = xmalloc((n + 1) * sizeof(*items));
	struct handle *gone = xmalloc((n + 1) * sizeof(*gone));
	size_t alive = 0, ngone = 0;
	struct summary s;

	for (size_t i = 0; i < n; i++) {
		const struct root_cause *root;

		if (!graph_summary(g, handles[i], &s)) {
			gone[ngone++] = handles[i];
			continue;
		}
		items[alive] = sort_item_of(g, sort, &s);
		root = sort == SORT_WORST && s.phase != PHASE_READY ? graph_root(g, handles[i]) : NULL;
		if (root)
			sort_item_place(&items[alive], root_cause_rank(root), 0, false);
		alive++;
	}
	assert(alive + ngone == n);
	sort_items(&order, items, alive);
	for (size_t i = 0; i < alive; i++)
		handles[i] = store_node_handle(store, items[i].slot);
	for (size_t i = 0; i < ngone; i++)
		handles[alive + i] = gone[i];
	xfree(items);
	xfree(gone);
}

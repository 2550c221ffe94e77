/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects come from anybody who may write to a cluster: judging them, alone
 * and together, must end and must not crash.  The input is one object, or an
 * array of them.
 */
#include "kube/family/families.h"
#include "kube/base/buf.h"
#include "kube/model/yaml.h"
#include "kube/status/engine.h"
#include "kube/graph/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW 1795165200000 /* 2026-11-20T09:00:00Z */
#define CHAIN 20

struct world {
	struct kinds kinds;
	struct store *store;
	struct engine *engine;
	struct graph *graph;
	struct arena arena;
	uint64_t sum; /* of every byte that a view could show */
};

static void touch(struct world *w, struct str s)
{
	w->sum += str_hash(s);
}

static void touch_id(struct world *w, const struct id *id)
{
	touch(w, id->group);
	touch(w, id->kind);
	touch(w, id->ns);
	touch(w, id->name);
	touch(w, id->cluster);
}

static void touch_wait(struct world *w, const struct item_wait *wait)
{
	touch_id(w, &wait->on);
	touch(w, str_of(wait_state_name(wait->state)));
	touch(w, wait->via);
	touch(w, wait->message);
}

static void touch_status(struct world *w, const struct status *st)
{
	for (size_t i = 0; i < st->nconditions; i++) {
		touch(w, st->conditions[i].type);
		touch(w, st->conditions[i].status);
		touch(w, st->conditions[i].reason);
		touch(w, st->conditions[i].message);
		touch(w, st->conditions[i].severity);
	}
	for (size_t i = 0; i < st->nhistory; i++)
		touch(w, st->history[i].message);
	for (size_t i = 0; i < st->nflags; i++)
		touch(w, st->flags[i]);
	for (size_t i = 0; i < st->nfinalizers; i++)
		touch(w, st->finalizers[i]);
	if (st->async)
		touch(w, st->async->message);
	touch(w, st->version_from);
	touch(w, st->version_to);
}

static void touch_item(struct world *w, struct handle h)
{
	struct item_wait chain[CHAIN];
	struct item it;
	size_t n;

	if (!graph_item(w->graph, h, &w->arena, &it))
		return;
	touch_id(w, &it.s.id);
	touch(w, str_of(phase_name(it.s.phase)));
	touch(w, str_of(severity_name(it.s.severity)));
	touch(w, it.s.operator_phase);
	touch(w, it.s.reason);
	touch(w, it.s.message);
	touch(w, it.uid);
	touch(w, it.rule);
	touch_status(w, &it.status);
	for (size_t i = 0; i < it.nwaits; i++)
		touch_wait(w, &it.waits[i]);
	for (size_t i = 0; i < it.nroots; i++)
		touch_id(w, &it.roots[i]);
	for (size_t i = 0; i < it.ndependencies; i++)
		touch_id(w, &it.dependencies[i].on);
	for (size_t i = 0; i < it.ndependents; i++)
		touch_id(w, &it.dependents[i].on);
	for (size_t i = 0; it.deletion && i < it.deletion->nfinalizers; i++)
		touch(w, it.deletion->finalizers[i].held_for);
	for (size_t i = 0; it.deletion && i < it.deletion->nblocked_by; i++)
		touch_id(w, &it.deletion->blocked_by[i]);
	n = graph_chain(w->graph, h, chain, CHAIN);
	for (size_t i = 0; i < n; i++)
		touch_wait(w, &chain[i]);
}

static void touch_blocked(struct world *w, const struct root_cause *r)
{
	size_t n;
	const uint32_t *slots = graph_blocked(w->graph, &r->slot, 1, &n);

	for (size_t i = 0; i < n; i++) {
		struct id id = graph_id(w->graph, slots[i]);

		touch_id(w, &id);
	}
}

static void look(struct world *w, int64_t now)
{
	const struct root_cause *roots;
	size_t n;

	graph_settle(w->graph, now);
	for (struct handle h = store_next(w->store, 0); h.slot;
	     h = store_next(w->store, h.slot + 1))
		touch_item(w, h);
	roots = graph_roots(w->graph, &w->arena, &n);
	for (size_t i = 0; i < n; i++) {
		touch_id(w, &roots[i].id);
		touch(w, roots[i].message);
		touch_blocked(w, &roots[i]);
	}
	arena_reset(&w->arena);
}

static void put(struct world *w, struct json object, int64_t now)
{
	struct engine_source from = { .name = STR("nameless"), .file = 1 };
	struct handle h;

	engine_put(w->engine, &from, object, now, &h);
}

static void put_all(struct world *w, struct json doc, int64_t now)
{
	if (!json_is_array(doc))
		put(w, doc, now);
	else
		json_foreach (it, doc)
			put(w, it, now);
}

/* All of it, what time does to it, then one after the other gone. */
static void live(struct world *w, struct json doc)
{
	int64_t now = NOW;

	put_all(w, doc, now);
	look(w, now);
	for (int i = 0; i < 4 && graph_next_revisit(w->graph) > now; i++) {
		now = graph_next_revisit(w->graph);
		put_all(w, doc, now);
		look(w, now);
	}
	store_set_coverage(w->store, 0, NULL, STR_NONE, COVERAGE_COMPLETE);
	look(w, now);
	for (struct handle h = store_next(w->store, 0); h.slot;
	     h = store_next(w->store, h.slot + 2)) {
		store_remove(w->store, h);
		look(w, now);
	}
}

static void discover(struct kinds *kinds, struct json object, unsigned flags)
{
	struct str api = json_str(object, "apiVersion");
	size_t slash = str_find(api, '/');

	if (json_str(object, "kind").len)
		kinds_put(kinds, slash < api.len ? str_head(api, slash) : STR_NONE,
			  json_str(object, "kind"))
			->flags |= flags;
}

/* What a server tells of the kinds decides what a missing status means. */
static void live_among(struct json doc, unsigned flags)
{
	struct world w = { 0 };

	kinds_add_builtin(&w.kinds);
	if (flags && !json_is_array(doc))
		discover(&w.kinds, doc, flags);
	else if (flags)
		json_foreach (it, doc)
			discover(&w.kinds, it, flags);
	w.store = store_new(&w.kinds);
	w.engine = engine_new(families_all, w.store);
	w.graph = graph_new(w.store, families_all);
	store_set_coverage(w.store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	live(&w, doc);
	graph_free(w.graph);
	engine_free(w.engine);
	store_free(w.store);
	kinds_release(&w.kinds);
	arena_release(&w.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf yaml = BUF_MAX(1 << 20);
	struct json doc;

	if (json_parse((struct str){ (const char *)data, size }, &doc, NULL) < 0)
		return 0;
	live_among(doc, 0);
	live_among(doc, KIND_DISCOVERED);
	live_among(doc, KIND_DISCOVERED | KIND_HAS_STATUS);
	yaml_from_json(doc, &yaml);
	buf_release(&yaml);
	json_free(doc);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/world.h"

#include "plugin/preferences.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/redact.h"
#include "kube/family/families.h"
#include "kube/journal/edits.h"


#define NOTICES 1000	/* more than clusters have kinds, each of which may be forbidden */

static void open_store(struct world *w)
{
	w->store = store_new(&w->kinds);
	w->engine = engine_new(families_all, w->store);
	w->graph = graph_new(w->store, families_all);
	w->labels = NULL;
	w->usage = usage_new();
	engine_note_usage(w->engine, w->usage);
	graph_use_usage(w->graph, w->usage);
	graph_tell_changes(w->graph, &w->changes);
}

void world_init(struct world *w, bool builtin)
{
	*w = (struct world){ .changes = { .edits = edits_new(EDITS_CEILING) } };
	if (builtin)
		kinds_add_builtin(&w->kinds);
	open_store(w);
}

struct world world_restart(struct world *w)
{
	struct world was = *w;

	open_store(w);
	graph_take_runbooks(w->graph, was.graph);
	return was;
}

void world_discard(struct world *was)
{
	graph_free(was->graph);
	engine_free(was->engine);
	labels_free(was->labels);
	usage_free(was->usage);
	store_free(was->store);
}

void world_release(struct world *w)
{
	world_discard(w);
	edits_free(w->changes.edits);
	kinds_release(&w->kinds);
	arena_release(&w->texts);
	xfree(w->notices);
}

static void want_keys(struct world *w, struct str keys)
{
	struct str key;

	while (str_split(&keys, ',', &key))
		labels_want(w->labels, key);
}

void world_keep_labels(struct world *w, const char *const *annotations, size_t n, const struct preferences *preferred)
{
	if (!w->labels)
		w->labels = labels_new();
	for (size_t i = 0; i < n; i++)
		labels_want(w->labels, str_of(annotations[i]));
	want_keys(w, str_of(preferred->owner));
	want_keys(w, str_of(preferred->runbook));
	engine_note_labels(w->engine, w->labels);
	graph_use_labels(w->graph, w->labels);
	graph_use_owner_keys(w->graph, str_of(preferred->owner));
	graph_use_runbook_keys(w->graph, str_of(preferred->runbook));
}

void world_tell_fields(struct world *w, changed_fields_between *fields, void *ctx)
{
	w->changes.fields = fields;
	w->changes.ctx = ctx;
	graph_tell_changes(w->graph, &w->changes);
}

void world_note_edits(struct world *w, struct handle h, struct json object)
{
	struct object_id id = store_node_id(w->store, h.slot);

	if (h.slot && json_has(object, "metadata.managedFields"))
		edits_note(w->changes.edits, &id, object);
}

static bool same_notice(const struct notice *a, const struct notice *b)
{
	return str_eq(a->kind, b->kind) && str_eq(a->resource, b->resource) && str_eq(a->ns, b->ns) &&
	       str_eq(a->message, b->message);
}

void world_notice(struct world *w, struct notice n)
{
	for (size_t i = 0; i < w->nnotices; i++)
		if (same_notice(&w->notices[i], &n))
			return;
	if (w->nnotices >= NOTICES)
		return;
	w->notices = xgrow(w->notices, w->nnotices, &w->notices_cap, sizeof(*w->notices));
	w->notices[w->nnotices++] = (struct notice){ arena_str(&w->texts, n.kind), arena_str(&w->texts, n.resource),
						     arena_str(&w->texts, n.ns), redact_copy(&w->texts, n.message), n.said };
}

void world_unnotice(struct world *w, struct notice over)
{
	struct arena texts = { 0 };
	struct str message = redact_copy(&texts, over.message);
	size_t n = 0;

	for (size_t i = 0; i < w->nnotices; i++) {
		const struct notice *one = &w->notices[i];

		if (!str_eq(one->kind, over.kind) || !str_eq(one->resource, over.resource) || !str_eq(one->ns, over.ns) ||
		    (message.len && !str_eq(one->message, message)))
			w->notices[n++] = *one;
	}
	w->nnotices = n;
	arena_release(&texts);
}

size_t world_settle(struct world *w)
{
	return graph_settle(w->graph, w->now);
}

void world_forget(struct world *w)
{
	enum { UNREFERENCED_MIN = 256 };

	/* Going through the store takes time by its size, so wait until a share of it can be freed. */
	if (store_unreferenced(w->store) >= UNREFERENCED_MIN + store_slots(w->store) / 16)
		graph_forget(w->graph);
}

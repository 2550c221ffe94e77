/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/show.h"

#include "kube/model/yaml.h"
#include "plugin/document.h"

static bool is_problem(struct world *w, struct handle h)
{
	struct summary s;

	return graph_summary(w->graph, h, &s) && s.phase != PHASE_READY;
}

/* --problems leaves out what is Ready. */
static struct selected select_items(struct world *w, const struct query *q, struct arena *arena)
{
	struct selected items;
	const struct handle *all = query_collect(q, w, arena, &items.n);
	struct handle *kept;
	size_t n = 0;

	items.handles = all;
	if (!q->options->problems)
		return items;
	kept = arena_array(arena, items.n, sizeof(*kept));
	for (size_t i = 0; i < items.n; i++)
		if (is_problem(w, all[i]))
			kept[n++] = all[i];
	return (struct selected){ kept, n };
}

/* As kubectl: "pod/x", "deployment.apps/x". */
static void show_names(struct world *w, const struct selected *items, struct output *out)
{
	for (size_t i = 0; i < items->n && !out->broken; i++) {
		struct object_id id = store_node_id(w->store, items->handles[i].slot);

		buf_add(&out->buf, id.kind->singular);
		if (id.kind->group.len)
			buf_printf(&out->buf, "." STR_FMT, STR_ARG(id.kind->group));
		buf_printf(&out->buf, "/" STR_FMT "\n", STR_ARG(id.name));
		output_drain(out);
	}
}

static void show_yaml(struct world *w, const struct selected *items, struct output *out)
{
	struct output whole = { .fd = -1, .collect = true };
	struct json doc;
	struct err err;

	document_list(w, items, &whole);
	if (json_parse(buf_str(&whole.buf), &doc, &err) == 0) {
		yaml_from_json(doc, &out->buf);
		json_free(doc);
	}
	buf_release(&whole.buf);
}

void show(struct world *w, const struct query *q, struct output *out)
{
	struct arena arena = { 0 };
	struct selected items = select_items(w, q, &arena);

	switch (q->options->format) {
	case FORMAT_JSON:
		document_list(w, &items, out);
		break;
	case FORMAT_YAML:
		show_yaml(w, &items, out);
		break;
	case FORMAT_NAME:
		show_names(w, &items, out);
		break;
	case FORMAT_NONE:
	case FORMAT_TABLE:
	case FORMAT_WIDE:
	case FORMAT_TREE:
	case FORMAT_WHY:
		break;
	}
	output_flush(out);
	arena_release(&arena);
}

int show_health(struct world *w, const struct query *q)
{
	bool open = false;

	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1)) {
		struct summary s;

		if (!query_selects(q, w, h) || !graph_summary(w->graph, h, &s))
			continue;
		if (s.phase == PHASE_FAILED || s.phase == PHASE_DEGRADED)
			return 4;
		open |= s.phase != PHASE_READY && s.phase != PHASE_SUSPENDED;
	}
	return open ? 3 : 0;
}

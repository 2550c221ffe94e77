/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world without a cluster and a screen without a terminal, for tests: YAML
 * goes in through the engine, keys through ui_key(), and a canvas comes out.
 */
#ifndef TESTS_SCREEN_STAGE_H
#define TESTS_SCREEN_STAGE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/family/families.h"
#include "kube/base/time.h"
#include "kube/model/yaml.h"
#include "kube/status/engine.h"
#include "kube/status/labels.h"
#include "kube/graph/graph.h"
#include "kube/graph/past.h"
#include "kube/journal/journal.h"
#include "tests/screen/rows.h"
#include "tests/screen/wrong.h"
#include "tui/draw/draw.h"
#include "tui/ui/ui.h"
#include "tui/view/changes.h"
#include "tui/view/page.h"

struct stage {
	struct kinds kinds;
	struct store *store;
	struct engine *engine;
	struct graph *graph;
	struct labels *labels;
	struct ui *ui;
	struct header header;
	struct fetched fetched;
	struct buf text; /* of fetched */
	struct event_row events[16];
	struct arena texts, frame;
	struct canvas canvas;
	int64_t now;
	uint16_t cluster; /* of what is loaded */
	unsigned effects; /* of all keys so far */
	struct changes_source changes; /* of what follows */
	struct changed_object changed[16];
	struct changed_field fields[16]; /* of each the one that differs; without a path: none */
	size_t nchanged;
	struct past *past; /* an earlier moment is shown; NULL: now */
	int64_t past_at;
	bool recorded;
};

static inline struct scene stage_scene(struct stage *s)
{
	return (struct scene){
		.store = s->past ? past_store(s->past) : s->store,
		.graph = s->past ? past_graph(s->past) : s->graph,
		.header = &s->header,
		.fetched = &s->fetched,
		.now = s->past ? s->past_at : s->now,
		.clock = s->now,
		.past = s->past != NULL,
		.latest = s->now,
		.from = graph_history_from(s->graph),
		.history_from = graph_history_from(s->graph),
		.logs = true,
		.recorded = s->recorded,
		.changes = s->nchanged ? &s->changes : NULL,
	};
}

static inline struct changes stage_between(void *ctx, int64_t from, int64_t to, struct arena *a)
{
	struct stage *s = ctx;
	struct changed_object *objects = arena_array(a, s->nchanged, sizeof(*objects));
	struct changes out = { .objects = objects, .from = from, .to = to };

	for (size_t i = 0; i < s->nchanged; i++)
		if (s->changed[i].time > from && s->changed[i].time <= to) {
			objects[out.n++] = s->changed[i];
			out.by_word[s->changed[i].word]++;
		}
	return out;
}

static inline void stage_fields(void *ctx, struct changed_object *object, int64_t from, int64_t to, struct arena *a)
{
	struct stage *s = ctx;

	(void)from;
	(void)to;
	(void)a;
	for (size_t i = 0; i < s->nchanged; i++)
		if (str_eq(s->changed[i].id.name, object->id.name) && s->fields[i].path.len) {
			object->fields = &s->fields[i];
			object->nfields = 1;
		}
}

static inline void stage_init(struct stage *s)
{
	*s = (struct stage){ 0 };
	kinds_add_builtin(&s->kinds);
	s->store = store_new(&s->kinds);
	s->engine = engine_new(families_all, s->store);
	s->graph = graph_new(s->store, families_all);
	s->labels = labels_new();
	labels_want(s->labels, STR("contact"));
	engine_note_labels(s->engine, s->labels);
	graph_use_labels(s->graph, s->labels);
	graph_use_owner_keys(s->graph, STR("owner,team,contact"));
	s->ui = ui_new();
	s->now = time_parse(STR("2026-11-20T09:00:00Z"));
	graph_keep_journal(s->graph, JOURNAL_CEILING, s->now);
	graph_keep_places(s->graph);
	s->header = (struct header){
		.context = STR("prod-eu"),
		.link = LINK_LIVE,
		.requests = 412,
		.lists_done = 31,
		.lists_total = 31,
	};
	s->header.last_event = s->now - SECONDS(2);
	canvas_resize(&s->canvas, 24, 80);
}

static inline void stage_release(struct stage *s)
{
	ui_free(s->ui);
	past_free(s->past);
	graph_free(s->graph);
	engine_free(s->engine);
	labels_free(s->labels);
	store_free(s->store);
	kinds_release(&s->kinds);
	arena_release(&s->texts);
	arena_release(&s->frame);
	buf_release(&s->text);
	canvas_release(&s->canvas);
}

static inline int stage_document(void *ctx, struct str json, struct err *err)
{
	struct stage *s = ctx;
	struct engine_source from = { .cluster = s->cluster };
	struct json object;
	struct handle h;

	if (json_parse(json, &object, err) < 0)
		return -1;
	engine_put(s->engine, &from, object, s->now, &h);
	json_free(object);
	return 0;
}

static inline int stage_put_text(struct stage *s, struct str yaml, struct err *err)
{
	static const struct yaml_ops ops = { stage_document };

	if (yaml_each(yaml, &ops, s, err) < 0)
		return -1;
	store_set_coverage(s->store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	graph_settle(s->graph, s->now);
	ui_changed(s->ui);
	return 0;
}

static inline int stage_read(const char *path, struct buf *out, struct err *err)
{
	FILE *f = fopen(path, "rb");
	char chunk[4096];
	size_t n;

	if (!f)
		return err_set(err, ERR_INPUT, "%s: %s", path, strerror(errno));
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(out, (struct str){ chunk, n });
	fclose(f);
	return 0;
}

static inline int stage_load(struct stage *s, const char *path, struct err *err)
{
	struct buf yaml = { 0 };
	int result = stage_read(path, &yaml, err);

	if (result == 0)
		result = stage_put_text(s, buf_str(&yaml), err);
	buf_release(&yaml);
	return result;
}

/* "Kind/name": any namespace. */
static inline struct handle stage_find(struct stage *s, struct str id)
{
	size_t slash = str_find(id, '/');

	for (struct handle h = store_next(s->store, 0); h.slot;
	     h = store_next(s->store, h.slot + 1)) {
		struct object_id node = store_node_id(s->store, h.slot);

		if (str_eq(node.kind->kind, str_head(id, slash)) &&
		    str_eq(node.name, str_from(id, slash + 1)))
			return h;
	}
	return HANDLE_NONE;
}

static inline bool stage_delete(struct stage *s, struct str id)
{
	struct handle h = stage_find(s, id);

	if (!h.slot)
		return false;
	store_remove(s->store, h);
	graph_settle(s->graph, s->now);
	ui_changed(s->ui);
	return true;
}

static inline void stage_size(struct stage *s, int rows, int cols)
{
	canvas_resize(&s->canvas, rows, cols);
	ui_resize(s->ui, rows, cols);
}

/* As the dashboard does for EFFECT_SEEK. */
static inline void stage_change_time(struct stage *s)
{
	int64_t at = ui_seek_time(s->ui);

	past_free(s->past);
	s->past = at ? past_new(s->graph) : NULL;
	if (s->past) {
		s->past_at = past_move(s->past, at);
		graph_settle(past_graph(s->past), s->past_at);
		ui_seek(s->ui, s->past_at);
	}
	ui_changed(s->ui);
}

static inline void stage_key(struct stage *s, const struct key *key)
{
	struct scene scene = stage_scene(s);
	unsigned effects = ui_key(s->ui, &scene, key);

	if (effects & EFFECT_SEEK)
		stage_change_time(s);
	s->effects |= effects;
}

static inline void stage_paint(struct stage *s)
{
	struct scene scene = stage_scene(s);
	struct page page;

	ui_refresh(s->ui, &scene);
	page_build(s->ui, &scene, &page, &s->frame);
	draw_page(&s->canvas, &page);
	if (ui_hold(s->ui, s->store))
		graph_forget(s->graph);	/* at once, where the dashboard waits until it pays */
	arena_reset(&s->frame);
}

#endif

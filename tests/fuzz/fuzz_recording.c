/* SPDX-License-Identifier: Apache-2.0 */
/* A recording is sent around by mail: playing it must end and must not crash. */
#include "kube/graph/observed.h"
#include "plugin/record/record.h"
#include "plugin/record/recorder.h"
#include "plugin/record/replay.h"
#include "tests/screen/wrong.h"
#include "tui/ui/resume.h"
#include "tui/ui/ui.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a state tells of changes is shown by name. */
static void look_at_changes(const struct world *w)
{
	struct change_seen c;

	for (uint64_t at = 0; graph_recent(w->graph, &at, &c);) {
		str_hash(str_of(phase_name(c.from)));
		str_hash(str_of(phase_name(c.to)));
	}
}

/* What is copied to another recording, and what a flight keeps. */
static void look_at_object(struct str text)
{
	struct buf out = { 0 };
	struct json object;

	if (json_parse(text, &object, &(struct err){ 0 }) == 0) {
		record_object(object, NULL, &out);
		json_free(object);
	}
	buf_release(&out);
}

/* What was on the screen, of a capsule; then as the user goes back from there. */
static void look_at_screen(const struct replay *r, const struct world *w)
{
	struct header header = { .link = LINK_REPLAY };
	struct scene scene = { .store = w->store, .graph = w->graph, .header = &header, .now = w->now, .clock = w->now };
	struct ui *ui = ui_new();

	ui_refresh(ui, &scene);
	ui_resume(ui, &scene, replay_screen(r));
	for (int i = 0; i < 20; i++) {
		struct document screen = document_object();

		ui_refresh(ui, &scene);
		if (ui_wrong(ui))
			abort();
		ui_describe(ui, &scene, screen);
		document_free(screen);
		ui_act(ui, &scene, i % 3 ? ACTION_MOVE_DOWN : ACTION_BACK);
	}
	ui_free(ui);
}

/* To its end in some steps, then each object is looked up in it. */
static void play(struct replay *r, struct world *w)
{
	struct arena arena = { 0 };
	struct query q = { .labels = STR("a=b") };
	struct buf flaws = { 0 };

	replay_kinds(r, &w->kinds);
	replay_clusters(r, w);
	kinds_add_builtin(&w->kinds);
	str_hash(replay_context(r));
	w->now = replay_start(r);
	for (int i = 0; i < 50 && replay_next(r); i++) {
		w->now = replay_next(r);
		replay_some(r, w, &q, w->now, SIZE_MAX);
		world_settle(w);
	}
	w->now = replay_end(r);
	replay_some(r, w, &q, w->now, SIZE_MAX);
	world_settle(w);
	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1)) {
		look_at_object(replay_object(r, h, INT64_MAX, &arena));
		arena_reset(&arena);
	}
	look_at_changes(w);
	look_at_screen(r, w);
	replay_flaws(r, &flaws);
	buf_release(&flaws);
	query_release(&q);
	arena_release(&arena);
}

/* Loads a keyframe; returns false when there is none, or it is not whole. */
static bool load(struct replay *r, struct world *w, struct query *q, int64_t time)
{
	enum replay_load result = REPLAY_LOADING;

	if (!replay_load_begin(r, w, time))
		return false;
	while (result == REPLAY_LOADING)
		result = replay_load_some(r, w, q, 10);
	return result == REPLAY_LOADED;
}

/* From a keyframe on, where it has one; and what an object was like then. */
static void skip(struct replay *r)
{
	const int64_t start = replay_start(r), end = replay_end(r), times[] = { 1, start, start + (end - start) / 2, end, INT64_MAX };
	struct arena arena = { 0 };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct query q = { 0 };
		struct world w;

		world_init(&w, false);
		replay_restart(r);
		replay_kinds(r, &w.kinds);
		replay_clusters(r, &w);
		(void)replay_is_nearer(r, 0, times[i]);
		if (load(r, &w, &q, times[i])) {
			struct handle h = store_next(w.store, 0);
			struct object_id id = h.slot ? store_node_id(w.store, h.slot) : (struct object_id){ 0 };

			world_settle(&w);
			if (h.slot)
				replay_object_at(r, &id, times[i], &arena);
			replay_some(r, &w, &q, replay_end(r), SIZE_MAX);
			world_settle(&w);
		}
		query_release(&q);
		world_release(&w);
		arena_reset(&arena);
	}
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct err err = { 0 };
	struct replay *r;
	struct world w;
	char name[64];

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		return 0;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	r = replay_open(name, &err);
	if (r) {
		world_init(&w, false);
		play(r, &w);
		world_release(&w);
		skip(r);
		replay_free(r);
	}
	close(fd);
	return 0;
}

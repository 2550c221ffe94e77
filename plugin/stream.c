/* SPDX-License-Identifier: Apache-2.0 */
/* --watch: first all that is there, then a row or a document for each change. */
#include "plugin/document.h"
#include "plugin/program.h"
#include "plugin/name_line.h"
#include "plugin/show.h"
#include "plugin/signals.h"

#include "kube/base/alloc.h"
#include "kube/model/yaml.h"

#include <string.h>

/* What was last printed of a slot. */
struct printed {
	uint32_t gen;
	struct buf text;	/* the document, without its event */
	bool gone;
};

struct stream {
	struct program *p;
	struct printed *by_slot;
	uint32_t n;
	struct plain plain;
	struct plain_memory memory;
	bool table_follows;	/* the rows of now are printed together, aligned */
	bool silent;		/* --watch-only: what is there at first is only noted */
};

static struct printed *printed_at(struct stream *s, uint32_t slot)
{
	if (slot >= s->n) {
		uint32_t n = slot * 2 + 64;

		s->by_slot = xreallocarray(s->by_slot, n, sizeof(*s->by_slot));
		memset(s->by_slot + s->n, 0, (n - s->n) * sizeof(*s->by_slot));
		s->n = n;
	}
	return &s->by_slot[slot];
}

/* The document with its event put in front of the other members; of YAML one document of many. */
static void print_document(struct stream *s, const char *event, const struct buf *document)
{
	bool yaml = s->p->options.format == FORMAT_YAML;
	struct buf text = { 0 }, *out = yaml ? &text : &s->p->out.buf;
	struct json doc;
	struct err err;

	buf_printf(out, "{\"event\":\"%s\",", event);
	buf_add(out, str_from(buf_str(document), 1));
	if (yaml && json_parse(buf_str(&text), &doc, &err) == 0) {
		buf_add_cstr(&s->p->out.buf, "---\n");
		yaml_from_json(doc, &s->p->out.buf);
		json_free(doc);
	}
	buf_release(&text);
}

/* A tree or a chain of causes is of one moment: its changes are rows, too. */
static bool prints_rows(const struct stream *s)
{
	enum format format = s->p->options.format;

	return format != FORMAT_JSON && format != FORMAT_YAML && format != FORMAT_NAME;
}

static void print_change(struct stream *s, struct handle h, const char *event, struct printed *old)
{
	struct program *p = s->p;

	if (s->silent)
		return;
	if (p->options.format == FORMAT_NAME) {
		rows_name(&p->world, h.slot, &p->out.buf);
	} else if (!prints_rows(s)) {
		print_document(s, event, &old->text);
	} else if (!s->table_follows) {
		s->plain.gone = old->gone ? event : NULL;
		plain_list(&s->plain, &h, 1, &p->out.buf);
		s->plain.no_headers = true;
	}
}

static void on_gone(struct stream *s, uint32_t slot, struct printed *old)
{
	if (!old->text.len)
		return;
	old->gone = true;
	print_change(s, (struct handle){ slot, old->gen }, "DELETED", old);
	buf_release(&old->text);
}

static void on_changed(struct stream *s, uint32_t slot)
{
	struct handle h = store_node_handle(s->p->world.store, slot);
	struct printed *old = printed_at(s, slot);
	struct buf text = { 0 };
	bool was = old->text.len > 0;

	if (was && (!h.slot || h.gen != old->gen))
		on_gone(s, slot, old);
	if (!h.slot || !query_selects(&s->p->query, &s->p->world, h))
		return;
	was = old->text.len > 0;
	/* what heals is reported, what was Ready all along is not */
	if (!was && !show_wants(&s->p->world, &s->p->query, h))
		return;
	document_item(&s->p->world, h, NULL, &text);
	if (was && str_eq(buf_str(&text), buf_str(&old->text))) {
		buf_release(&text);
		return;
	}
	buf_release(&old->text);
	*old = (struct printed){ h.gen, text, false };
	print_change(s, h, was ? "MODIFIED" : "ADDED", old);
}

/* How many are selected. */
static size_t print_all(struct stream *s)
{
	struct arena arena = { 0 };
	size_t n;
	const struct handle *all = show_collect(&s->p->world, &s->p->query, &arena, &n);

	s->silent = s->p->options.watch_only;
	s->table_follows = prints_rows(s);
	for (size_t i = 0; i < n; i++) {
		on_changed(s, all[i].slot);
		output_drain(&s->p->out);
	}
	if (!s->silent && s->table_follows && n) {
		struct buf rows = { 0 };

		plain_list(&s->plain, all, n, &rows);
		if (s->plain.spoken) /* who listens hears first what is wrong, not every row */
			plain_problems(&s->plain, all, n, &s->p->out.buf);
		else
			buf_add(&s->p->out.buf, buf_str(&rows));
		buf_release(&rows);
		s->plain.no_headers = true;
	}
	s->table_follows = s->silent = false;
	output_flush(&s->p->out);
	arena_release(&arena);
	return n;
}

static void print_changed(struct stream *s)
{
	size_t n, nblocked = 0;
	const uint32_t *changed = graph_changed(s->p->world.graph, &n), *blocked;

	for (size_t i = 0; i < n; i++)
		on_changed(s, changed[i]);
	/* whoever waits for these may have other root causes now */
	blocked = graph_blocked(s->p->world.graph, changed, n, &nblocked);
	for (size_t i = 0; i < nblocked; i++)
		on_changed(s, blocked[i]);
	output_flush(&s->p->out);
	world_forget(&s->p->world);
}

static int finish(struct stream *s, int status)
{
	for (uint32_t i = 0; i < s->n; i++)
		buf_release(&s->by_slot[i].text);
	xfree(s->by_slot);
	return status;
}

/* A recording from its first moment to its last, as fast as it can be read. */
static void stream_replay(struct stream *s)
{
	struct program *p = s->p;
	int64_t end = options_moment(&p->options, replay_end(p->replay));

	for (int64_t t = replay_start(p->replay); t && t <= end && !p->out.broken; t = replay_next(p->replay)) {
		bool first = t == replay_start(p->replay);

		p->world.now = s->plain.now = t;
		replay_until(p->replay, &p->world, &p->query, t);
		world_settle(&p->world);
		if (first)
			print_all(s);
		else
			print_changed(s);
	}
}

int run_stream(struct program *p, struct err *err)
{
	struct stream s = { .p = p, .plain = show_plain(&p->world, &p->query, &p->out) };
	bool quiet = !p->options.watch;	/* --record alone: nothing but the file */
	int fd = signals_fd();

	s.plain.memory = &s.memory;
	s.plain.fold_children = false;
	if (p->replay) {
		stream_replay(&s);
		return finish(&s, 0);
	}
	while (!live_settled(p->live) && !program_interrupted(p)) {
		live_wait(p->live, &fd, 1, -1);
		live_turn(p->live);
		if (live_failed(p->live, err) || (quiet && (recorder_failed(p->recorder, err) || flight_failed(p->flight, err))))
			return finish(&s, -1);
	}
	if (!p->signal)
		program_say_notices(p);
	if (!quiet && !p->signal && print_all(&s) == 0 && !p->options.ignore_not_found && program_say_missing(p))
		return finish(&s, 1);	/* as kubectl get -w */
	while (!program_interrupted(p) && !p->out.broken) {
		live_wait(p->live, &fd, 1, -1);
		if (live_turn(p->live) && !quiet) {
			s.plain.now = p->world.now;
			print_changed(&s);
		} else {
			world_forget(&p->world);
		}
		if (quiet && (recorder_failed(p->recorder, err) || flight_failed(p->flight, err)))
			return finish(&s, -1);
	}
	return finish(&s, 0);
}

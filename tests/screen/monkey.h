/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A monkey at the keyboard: each pair of bytes is a key, a change of the world,
 * a new size or a step of the clock.  Whatever it does, the state must not
 * contradict itself and no text may reach past its cell.
 */
#ifndef TESTS_SCREEN_MONKEY_H
#define TESTS_SCREEN_MONKEY_H

#include "tests/screen/stage.h"

enum { MONKEY_OBJECTS = 12 };

static const char *const monkey_kinds[] = { "Network", "Subnet", "Port", "Server" };

/* An object of some kind that refers to another one; byte says which, and in what state. */
static inline void monkey_put(struct stage *s, uint8_t byte)
{
	static const char *const reasons[] = { "Progressing", "InvalidConfiguration", "Success",
					       "\\e[31m\\u202E失敗" };
	static const char *const fields[] = { "qosPolicyRef: x", "networkRef: o",
					      "addresses: [{subnetRef: o", "ports: [{portRef: o" };
	static const char *const ends[] = { "", "", "}]", "}]" };
	static const char deleting[] =
		", deletionTimestamp: \"2026-11-20T08:30:00Z\", finalizers: [openstack.k-orc.cloud/port]";
	unsigned kind = byte % 4, n = byte / 4 % MONKEY_OBJECTS, state = byte / 64;
	unsigned other = (n + byte % 3) % MONKEY_OBJECTS;
	struct buf yaml = { 0 };
	struct err err = { 0 };

	buf_printf(
		&yaml,
		"apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: %s\nmetadata: {name: o%u, namespace: ns%u, "
		"generation: 1, creationTimestamp: \"2026-11-20T08:00:00Z\"%s}\n",
		monkey_kinds[kind], n, n % 2, byte % 7 == 0 ? deleting : "");
	buf_printf(&yaml, "spec: {resource: {%s%u%s}}\n", fields[kind], other, ends[kind]);
	buf_printf(
		&yaml,
		"status:\n  conditions:\n  - {type: Available, status: \"%s\", reason: \"%s\", "
		"message: \"Waiting for %s/o%u to be ready\", lastTransitionTime: \"2026-11-20T08:50:00Z\", "
		"observedGeneration: 1}\n",
		state == 2 ? "True" : "False", reasons[state], monkey_kinds[(kind + 3) % 4], other);
	if (stage_put_text(s, buf_str(&yaml), &err) < 0)
		abort();
	buf_release(&yaml);
}

/* A pod has Logs; its state changes. */
static inline void monkey_put_pod(struct stage *s, uint8_t byte)
{
	static const char *const states[] = { "running: {}", "waiting: {reason: CrashLoopBackOff}", "terminated: {exitCode: 1, reason: Error}" };
	struct buf yaml = { 0 };
	struct err err = { 0 };

	buf_printf(&yaml,
		   "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u, namespace: ns%u, creationTimestamp: \"2026-11-20T08:00:00Z\", "
		   "labels: {team: t%u}}\nspec: {nodeName: n%u, containers: [{name: app, image: a}]}\nstatus:\n  phase: Running\n"
		   "  conditions: [{type: Ready, status: \"%s\", lastTransitionTime: \"2026-11-20T08:40:00Z\"}]\n"
		   "  containerStatuses: [{name: app, image: a, ready: %s, restartCount: %u, state: {%s}}]\n",
		   byte % 4, byte % 2, byte % 3, byte % 2, byte % 3 ? "False" : "True", byte % 3 ? "false" : "true", byte % 5,
		   states[byte % 3]);
	if (stage_put_text(s, buf_str(&yaml), &err) < 0)
		abort();
	buf_release(&yaml);
}

/* The connection is lost and comes back, lists are read, kinds may not be. */
static inline void monkey_head(struct stage *s, uint8_t byte)
{
	struct header *h = &s->header;

	h->link = (enum link)(byte % (LINK_REPLAY + 1));
	h->forbidden = byte % 5 ? 0 : byte % 7;
	h->lists_total = 3;
	h->lists_done = byte % 4 ? 3 : 1;
	h->kinds_old = byte % 6 ? 0 : 2;
	h->old_since = byte % 3 ? 0 : s->now - SECONDS(byte);
}

static inline void monkey_delete(struct stage *s, uint8_t byte)
{
	struct buf id = { 0 };

	if (byte % 16 == 15)
		buf_printf(&id, "Pod/p%u", byte / 16 % 4);
	else
		buf_printf(&id, "%s/o%u", monkey_kinds[byte % 4], byte / 4 % MONKEY_OBJECTS);
	stage_delete(s, buf_str(&id));
	buf_release(&id);
}

static inline void monkey_fetch(struct stage *s, uint8_t byte)
{
	struct fetched *f = &s->fetched;

	*f = (struct fetched){ .text = STR("kind: X\n\033[2J\nlast"),
			       .error = byte % 2 ? STR("no\nway") : STR_NONE,
			       .read = s->now,
			       .events = s->events };
	f->want = ui_wants(s->ui, &f->handle);
	f->running = f->want == WANT_LOGS ? byte & 3u : 0;
	if (f->want == WANT_LOGS)
		f->text = STR("==> app (the run that ended) <==\n2026-11-19T08:00:00.5Z \033[1;31mred\033[0m\033[\n2026-11-20T08:00:00Z\n"
			      "2026-11-20T08:00:01Z \xE6\x97\xA5\xE6\x9C\xAC\t\r\xFF\n==> b <==\nlast");
	if (f->want == WANT_LOGS && byte & 64) {
		struct log_pod *pods = arena_array(&s->texts, 2, sizeof(*pods));

		pods[0] = (struct log_pod){ STR("a"), true };
		pods[1] = (struct log_pod){ STR("\xE6\x97\xA5"), false };
		f->pods = pods;
		f->npods = f->pods_followed = f->pods_there = 2;
		f->stream = byte & 32 ? (size_t)0 : 73;
		f->pods_there += byte & 16;
	}
	f->state = byte % 3 == 0 ? FETCH_LOADING : byte % 3 == 1 ? FETCH_OK : FETCH_ERROR;
	f->nevents = byte % 4;
	for (size_t i = 0; i < f->nevents; i++)
		s->events[i] = (struct event_row){ .time = s->now,
						   .type = STR("Warning"),
						   .reason = STR("Bad"),
						   .message = STR("m\tm"),
						   .source = STR("x"),
						   .count = 2 };
}

static inline void monkey_key(struct stage *s, uint8_t byte)
{
	size_t n;
	const struct action_row *rows = action_rows(&n);
	struct key key = { .input = INPUT_RUNE, .rune = byte };
	struct str keys;

	if (byte < 64) { /* a key that means something */
		keys = str_of(rows[byte % n].keys);
		if (str_split(&keys, ' ', &keys))
			key = key_parse(keys);
	} else if (byte < 96) {
		key.input = (enum input)(byte % (INPUT_OTHER + 1));
		key.row = byte % 30;
		key.col = byte % 11;
	}
	if (key.input != INPUT_NONE)
		stage_key(s, &key);
}

static inline void monkey_step(struct stage *s, uint8_t what, uint8_t byte)
{
	switch (what % 8) {
	case 0:
		if (byte % 8 == 7)
			monkey_head(s, byte / 8);
		else if (byte % 8 == 6)
			monkey_put_pod(s, byte / 8);
		else
			monkey_put(s, byte);
		break;
	case 1:
		monkey_delete(s, byte);
		break;
	case 2:
		stage_size(s, 1 + byte % 50, 1 + byte * 3 / 2);
		break;
	case 3:
		s->now += SECONDS(byte);
		graph_settle(s->graph, s->now);
		ui_changed(s->ui);
		break;
	case 4:
		monkey_fetch(s, byte);
		break;
	default:
		monkey_key(s, byte);
	}
}

/* What is wrong with the picture or the state; NULL: nothing. */
static inline const char *monkey_wrong(const struct stage *s)
{
	for (int row = 0; row < s->canvas.rows; row++)
		for (int col = 0; col < s->canvas.cols; col++) {
			const struct cell *cell = canvas_cell(&s->canvas, row, col);
			struct str text = { cell->utf8, strnlen(cell->utf8, CELL_BYTES) };

			if (text.len == CELL_BYTES)
				return "a cell without an end";
			if (cell->width == 2 && (col + 1 == s->canvas.cols ||
						 canvas_cell(&s->canvas, row, col + 1)->width))
				return "half of a wide character";
			if (cell->width == 0 &&
			    (col == 0 || canvas_cell(&s->canvas, row, col - 1)->width != 2))
				return "the second half alone";
			for (size_t i = 0; i < text.len; i++)
				if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7F)
					return "a control character";
		}
	if (s->canvas.cursor_row >= s->canvas.rows || s->canvas.cursor_col >= s->canvas.cols)
		return "the cursor is outside";
	return ui_wrong(s->ui);
}

#endif

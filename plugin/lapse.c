/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some verdicts of phase 1 change without an event: an operator that has not
 * touched its status for too long.  The object is not kept, so it is asked for.
 */
#include "plugin/live_private.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"

/* At most so many at once, and so often. */
#define BATCH 20
#define PAUSE SECONDS(5)

struct question {
	struct live *l;
	struct question *next;
	struct object_id id;
};

static void question_free(struct question *q)
{
	struct question **at = &q->l->lapsed;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	xfree(q);
}

void lapse_release(struct live *l)
{
	while (l->lapsed)
		question_free(l->lapsed);
}

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	struct question *q = ctx;
	struct engine_source from = { .cluster = q->id.cluster, .kind = q->id.kind };
	struct err ignored;
	struct json object;
	struct handle h;

	if (!err && http_status == 200 && json_parse(body, &object, &ignored) == 0) {
		engine_put(q->l->o.world->engine, &from, object, q->l->o.world->now, &h);
		json_free(object);
	}
	question_free(q);
}

static void ask(struct live *l, struct handle h)
{
	struct object_id id = store_node_id(l->o.world->store, h.slot);
	struct question *q = xcalloc(1, sizeof(*q));
	struct buf path = { 0 };

	*q = (struct question){ l, l->lapsed, id };
	l->lapsed = q;
	session_path(live_session(l, id.cluster), id.kind, id.ns, id.name, &path);
	session_get(live_session(l, id.cluster), buf_cstr(&path), on_answer, q);
	buf_release(&path);
}

void lapse_refresh(struct live *l, int64_t now)
{
	struct store *store = l->o.world->store;
	int64_t next = 0;
	size_t asked = 0;

	if (l->o.once || l->o.options->as_of || (l->next_lapse && now < l->next_lapse))
		return;
	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1)) {
		int64_t when = store_brief(store, h).revisit;

		if (when && when <= now && asked < BATCH) {
			ask(l, h);
			asked++;
		} else if (when > now && (!next || when < next)) {
			next = when;
		}
	}
	l->next_lapse = next > now + PAUSE ? next : now + PAUSE;
	/* New objects may lapse earlier than those that are known. */
	if (l->next_lapse > now + MINUTES(1))
		l->next_lapse = now + MINUTES(1);
}

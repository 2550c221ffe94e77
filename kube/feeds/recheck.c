/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some verdicts of phase 1 expire without an event: when an operator has not written a status for too long.  The object
 * is not kept, so it is requested again: in the order of time, with one request for each object at a time, few at the
 * same time, and less and less often while the answer is no object.
 */
#include "kube/feeds/feeds_private.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/time.h"

/* Requests at the same time; one that is not answered for so long makes room for another one, up to the ceiling. */
#define AT_ONCE 8
#define STALLED SECONDS(30)
#define CEILING 32
/* The time between two requests for one object, and the longest one when they fail. */
#define PAUSE SECONDS(5)
#define LONGEST MINUTES(10)

static void recheck_free(struct recheck *r)
{
	struct recheck **at = &r->o->in_flight;

	while (*at && *at != r)
		at = &(*at)->next;
	assert(*at == r && r->o->nin_flight > 0);
	*at = r->next;
	r->o->nin_flight--;
	xfree(r);
}

void recheck_release(struct feeds *o)
{
	while (o->in_flight)
		recheck_free(o->in_flight);
	due_release(&o->rechecks);
}

void recheck_note(struct feeds *o, struct handle h)
{
	int64_t when = store_brief(o->o.store, h).revisit;
	struct tracked *t = tracked_of(o, h.slot);

	if (o->o.once || o->o.as_of || (!when && !t))
		return;
	t = t ? t : tracked_put(o, h);
	/* what is being requested, or has just been requested, keeps its time */
	if (t->asking || (when && t->recheck.at && t->failures))
		return;
	due_set(&o->rechecks, &t->recheck, when);
}

static void again_later(struct feeds *o, struct tracked *t, bool answered)
{
	int64_t pause = PAUSE, when = store_brief(o->o.store, (struct handle){ t->slot, t->gen }).revisit;

	t->failures = answered ? 0 : t->failures + 1;
	for (unsigned i = 1; i < t->failures && pause < LONGEST; i++)
		pause *= 2;
	if (when)
		due_set(&o->rechecks, &t->recheck, when > o->now + pause ? when : o->now + pause);
}

/* What a server answers need not be what it was asked for. */
static bool is_asked_object(const struct feeds *o, const struct recheck *r, struct json object)
{
	struct object_id id = store_node_id(o->o.store, r->handle.slot);

	return kind_fits(r->from.kind, object) && str_eq(json_str(object, "metadata.name"), id.name) &&
	       str_eq(json_str(object, "metadata.namespace"), id.ns);
}

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	struct recheck *r = ctx;
	struct feeds *o = r->o;
	struct tracked *t = tracked_of(o, r->handle.slot);
	struct json object;
	struct handle h;
	bool answered = !err && http_status == 200;

	/* The object may be gone, or be another one of that name. */
	if (!t || t->gen != r->handle.gen || !store_alive(o->o.store, r->handle)) {
		recheck_free(r);
		return;
	}
	t->asking = false;
	if (answered && !r->overtaken && json_parse(body, &object, &(struct err){ 0 }) == 0) {
		if (is_asked_object(o, r, object))
			engine_put(o->o.engine, &r->from, object, judged_at(o), &h);
		json_free(object);
	}
	if (store_alive(o->o.store, r->handle))
		again_later(o, t, answered);
	recheck_free(r);
}

static void ask(struct feeds *o, struct tracked *t)
{
	struct object_id id = store_node_id(o->o.store, t->slot);
	const struct cluster *c = &o->clusters[id.cluster];
	struct recheck *r = xcalloc(1, sizeof(*r));
	struct buf path = { 0 };

	assert(!t->asking && o->nin_flight < CEILING && id.cluster < o->o.clusters);
	*r = (struct recheck){ o, o->in_flight, { .cluster = id.cluster, .kind = id.kind, .again = true }, { t->slot, t->gen }, o->now, false };
	o->in_flight = r;
	o->nin_flight++;
	t->asking = true;
	due_set(&o->rechecks, &t->recheck, 0);
	o->o.api->path(c->session, id.kind, id.ns, id.name, &path);
	o->o.api->get(c->session, buf_cstr(&path), on_answer, r);
	buf_release(&path);
}

static bool has_room(const struct feeds *o)
{
	unsigned busy = 0;

	if (o->nin_flight >= CEILING)
		return false;
	for (const struct recheck *r = o->in_flight; r; r = r->next)
		busy += o->now - r->sent < STALLED;
	return busy < AT_ONCE;
}

/* Objects of the query come first. */
void recheck_run(struct feeds *o)
{
	struct due *first;

	while ((first = due_first(&o->rechecks)) && first->when <= o->now && has_room(o)) {
		struct tracked *t = (struct tracked *)(void *)((char *)first - offsetof(struct tracked, recheck));

		if (store_alive(o->o.store, (struct handle){ t->slot, t->gen }))
			ask(o, t);
		else
			due_set(&o->rechecks, first, 0);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/hand_over.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/journal/versions.h"
#include "plugin/changed.h"
#include "plugin/clock.h"
#include "plugin/record/latest.h"
#include "plugin/record/record.h"

enum { REQUESTS = 100 };	/* the most requests for one capsule */
#define PATIENCE 1500		/* how long their answers are waited for, ms */

struct request {
	struct hand_over *of;
	struct request *next;
	unsigned number;	/* that of the capsule; the answer to an earlier one is not needed any more */
	size_t object;		/* its index in the incident */
};

struct hand_over {
	struct program *p;
	struct incident *incident;	/* NULL: none was begun */
	struct capsule capsule;
	struct capsule_writing *writing;	/* of capsule; NULL: it is not written so far */
	struct buf screen;
	struct arena texts;
	struct str read[INCIDENT_OBJECTS];	/* the texts that were read, by the index in the incident */
	struct request *requests;		/* all that have not been answered */
	unsigned number;
	size_t npending;			/* the requests for the present capsule */
	int64_t deadline;
};

struct hand_over *hand_over_new(struct program *p)
{
	struct hand_over *h = xcalloc(1, sizeof(*h));

	h->p = p;
	return h;
}

void hand_over_drop(struct hand_over *h)
{
	capsule_free(h->writing);
	h->writing = NULL;
	if (h->incident)
		incident_release(h->incident);
	xfree(h->incident);
	h->incident = NULL;
	h->npending = 0;
	h->deadline = 0;
	for (size_t i = 0; i < INCIDENT_OBJECTS; i++)
		h->read[i] = STR_NONE;
	arena_reset(&h->texts);
}

void hand_over_free(struct hand_over *h)
{
	if (!h)
		return;
	while (h->requests) {
		struct request *next = h->requests->next;

		xfree(h->requests);
		h->requests = next;
	}
	hand_over_drop(h);
	arena_release(&h->texts);
	buf_release(&h->screen);
	xfree(h);
}

struct incident *hand_over_begin(struct hand_over *h, struct str screen)
{
	hand_over_drop(h);
	h->number++;
	h->deadline = clock_now() + PATIENCE;
	buf_reset(&h->screen);
	buf_add(&h->screen, screen);
	h->incident = xcalloc(1, sizeof(*h->incident));
	return h->incident;
}

/* ---- texts that are kept ------------------------------------------------------ */

/* Returns the text of the last record of an object that the program keeps for its keyframes. */
static struct str kept_text(struct hand_over *h, struct handle object)
{
	struct buf record = { 0 }, text = { 0 };
	struct json doc;
	struct str copy = STR_NONE;
	int64_t judged;

	if (h->p->latest && latest_get(h->p->latest, object, &record, &judged) &&
	    json_parse(buf_str(&record), &doc, &(struct err){ 0 }) == 0) {
		json_write(json_at(doc, "object"), &text);
		copy = arena_str(&h->texts, buf_str(&text));
		json_free(doc);
	}
	buf_release(&record);
	buf_release(&text);
	return copy;
}

static struct str text_of(void *ctx, const struct object_id *id)
{
	struct hand_over *h = ctx;
	struct handle object = store_find(h->p->world.store, id);
	size_t i = (size_t)(id - h->incident->all);

	if (!object.slot)
		return STR_NONE;
	if (h->p->replay)
		return replay_object(h->p->replay, object, INT64_MAX, &h->texts);
	return i < INCIDENT_OBJECTS && h->read[i].len ? h->read[i] : kept_text(h, object);
}

/* ---- texts that are read ------------------------------------------------------ */

static void request_free(struct request *q)
{
	struct request **at = &q->of->requests;

	while (*at && *at != q)
		at = &(*at)->next;
	if (*at)
		*at = q->next;
	xfree(q);
}

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	struct request *q = ctx;
	struct hand_over *h = q->of;
	struct buf text = { 0 };
	struct json doc;

	if (h->incident && q->number == h->number) {
		h->npending--;
		if (!err && http_status == 200 && json_parse(body, &doc, &(struct err){ 0 }) == 0) {
			record_object(doc, h->incident->all[q->object].kind, &text);
			h->read[q->object] = arena_str(&h->texts, buf_str(&text));
			json_free(doc);
		}
	}
	buf_release(&text);
	request_free(q);
}

static bool is_secret(const struct kind *kind)
{
	return kind->group.len == 0 && str_is(kind->kind, "Secret");
}

static void send(struct hand_over *h, struct session *session, size_t object)
{
	const struct object_id *id = &h->incident->all[object];
	struct request *q = xcalloc(1, sizeof(*q));
	struct buf path = { 0 };

	*q = (struct request){ h, h->requests, h->number, object };
	h->requests = q;
	h->npending++;
	session_path(session, id->kind, id->ns, id->name, &path);
	if (is_secret(id->kind))
		session_get_metadata(session, buf_cstr(&path), false, on_answer, q);
	else
		session_get(session, buf_cstr(&path), on_answer, q);
	buf_release(&path);
}

size_t hand_over_read(struct hand_over *h)
{
	struct versions *versions = changelog_versions(h->p->changelog);
	size_t sent = 0;

	for (size_t i = 0; h->p->live && i < h->incident->n && sent < REQUESTS; i++) {
		const struct object_id *id = &h->incident->all[i];
		struct session *session = live_session(h->p->live, id->cluster);
		struct handle object = store_find(h->p->world.store, id);

		if (!session || !object.slot || versions_has(versions, id) || kept_text(h, object).len ||
		    !(id->kind->flags & KIND_DISCOVERED))
			continue;
		send(h, session, i);
		sent++;
	}
	return sent;
}

/* ---- when it is written ------------------------------------------------------- */

int64_t hand_over_deadline(const struct hand_over *h)
{
	return h && h->writing ? clock_now() : h && h->incident ? h->deadline : 0;
}

bool hand_over_is_due(const struct hand_over *h)
{
	return h && h->incident && (h->writing || (h->npending == 0 && !changed_pending(h->p)) || clock_now() >= h->deadline);
}

/* Returns the context that was observed; with several, all of them. */
static struct str context_of(const struct hand_over *h)
{
	return h->p->replay ? replay_context(h->p->replay) : live_context(h->p->live);
}

int hand_over_step(struct hand_over *h, struct capsule_file *out, struct err *err)
{
	int result;

	if (!h->writing) {
		h->capsule = (struct capsule){ .incident = h->incident, .screen = buf_str(&h->screen), .context = context_of(h),
					       .clock = clock_now(), .text_of = text_of, .ctx = h };
		h->writing = capsule_begin(h->p, &h->capsule);
		return 1;
	}
	result = capsule_step(h->writing, out, err);
	if (result <= 0)
		hand_over_drop(h);
	return result;
}

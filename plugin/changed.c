/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/changed.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/base/unanswered.h"
#include "kube/base/url.h"
#include "kube/journal/edits.h"
#include "plugin/clock.h"
#include "tui/view/cause_facts.h"

enum {
	NEAR_REQUESTS = 15,	/* of CHANGED_REQUESTS for the objects around failures; the others are for what concerns all */
	READ_AGAIN = 8		/* changes of a recording whose fields are searched for in it */
};
#define PATIENCE SECONDS(5)	/* how long the answers are waited for by what prints once */

struct request {
	struct unanswered unanswered;
	struct changed_reader *reader;
	struct object_id id;	/* its texts are in the arena of the reader; without a name: it is a list */
};

/* The fields of a change that were searched for in a recording. */
struct found_fields {
	const struct changed_field *fields;
	size_t n;
};

struct changed_reader {
	struct program *p;
	struct arena arena;
	/* by object, and by failure that was looked at: when that was, ms, as a pointer to an int64_t in the arena */
	struct map asked;
	struct unanswered *requests;
	size_t npending;
	bool came;
	struct map found;	/* by object and time: struct found_fields */
};

static struct changed_reader *reader_of(struct program *p)
{
	if (!p->changed) {
		p->changed = xcalloc(1, sizeof(*p->changed));
		p->changed->p = p;
	}
	return p->changed;
}

void changed_free(struct changed_reader *r)
{
	if (!r)
		return;
	unanswered_free(&r->requests);
	map_release(&r->asked);
	map_release(&r->found);
	arena_release(&r->arena);
	xfree(r);
}

size_t changed_pending(const struct program *p)
{
	return p->changed ? p->changed->npending : 0;
}

bool changed_came(struct program *p)
{
	bool came = p->changed && p->changed->came;

	if (came)
		p->changed->came = false;
	return came;
}

/* ---- which fields -------------------------------------------------------------- */

static struct str key_of(const struct object_id *id, int64_t time, struct arena *a)
{
	return arena_printf(a, "%u %u %lld " STR_FMT "/" STR_FMT, id->cluster, id->kind->id, (long long)time, STR_ARG(id->ns),
			    STR_ARG(id->name));
}

/* Searches a recording that is not shown in the dashboard, and of which no versions are kept. */
static size_t fields_in_recording(struct program *p, const struct object_id *id, int64_t from, int64_t to,
				  const struct changed_field **out)
{
	struct changed_reader *r = reader_of(p);
	struct arena keys = { 0 };
	struct str key = key_of(id, to, &keys);
	struct found_fields *known = map_get(&r->found, key);

	if (!known && map_count(&r->found) < READ_AGAIN) {
		struct str texts[2];

		known = arena_alloc(&r->arena, sizeof(*known));
		p->source->texts(p, id, (const int64_t[]){ from, to }, &r->arena, texts);
		known->n = json_changed_fields(texts[0], texts[1], JSON_BY_KEY, &r->arena, &known->fields);
		map_set(&r->found, key, known);
	}
	arena_release(&keys);
	*out = known ? known->fields : NULL;
	return known ? known->n : 0;
}

static size_t fields_between(void *program, const struct object_id *id, int64_t from, int64_t to, struct arena *arena,
			     const struct changed_field **out)
{
	struct program *p = program;

	if (p->changelog)
		return changelog_fields_of(p->changelog, id, from, to, arena, out);
	return p->source->plays ? fields_in_recording(p, id, from, to, out) : 0;
}

void changed_begin(struct program *p)
{
	world_tell_fields(&p->world, fields_between, p);
}

/* ---- who ----------------------------------------------------------------------- */

static void note(struct request *q, struct json object)
{
	struct object_id id = q->id;

	if (!id.name.len) {
		id.ns = json_str(object, "metadata.namespace");
		id.name = json_str(object, "metadata.name");
	}
	if (id.name.len && kind_fits(id.kind, object) && str_eq(json_str(object, "metadata.name"), id.name))
		edits_note(q->reader->p->world.changes.edits, &id, object);
}

/* What may not be read, or does not exist, is left out: the rest stands. */
static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	struct request *q = ctx;
	struct json doc = JSON_NONE;

	q->reader->npending--;
	q->reader->came = true;
	if (!err && http_status == 200 && json_parse(body, &doc, &(struct err){ 0 }) == 0) {
		if (q->id.name.len)
			note(q, doc);
		else
			json_foreach(it, json_at(doc, "items"))
				note(q, it);
		json_free(doc);
	}
	unanswered_end(&q->reader->requests, q);
}

static void send(struct changed_reader *r, const struct object_id *id)
{
	struct session *session = r->p->source->session(r->p, id->cluster);
	struct request *q;
	struct buf path = { 0 };

	if (!session)
		return;
	q = unanswered_add(&r->requests, sizeof(*q));
	q->reader = r;
	q->id = (struct object_id){ id->cluster, id->kind, arena_str(&r->arena, id->ns), arena_str(&r->arena, id->name) };
	r->npending++;
	session_path(session, id->kind, id->ns, id->name, &path);
	if (!id->name.len)
		url_add_query(&path, "limit", STR("100"));
	/* of webhooks the rules matter, too */
	if (str_ends(id->kind->kind, "WebhookConfiguration"))
		session_get(session, buf_cstr(&path), on_answer, q);
	else
		session_get_metadata(session, buf_cstr(&path), !id->name.len, on_answer, q);
	buf_release(&path);
}

/* Keys of objects have their texts behind this number, and keys of failures behind the other one. */
enum { KEY_OBJECT, KEY_FAILURE };

/* Returns true when that was done after since (ms). */
static bool was_asked(const struct changed_reader *r, const struct object_id *id, int64_t key, int64_t since)
{
	struct arena keys = { 0 };
	const int64_t *asked = map_get(&r->asked, key_of(id, key, &keys));

	arena_release(&keys);
	return asked && *asked > since;
}

static void note_asked(struct changed_reader *r, const struct object_id *id, int64_t key)
{
	struct arena keys = { 0 };
	struct str text = key_of(id, key, &keys);
	int64_t *asked = map_get(&r->asked, text);

	if (!asked) {
		asked = arena_alloc(&r->arena, sizeof(*asked));
		map_set(&r->asked, text, asked);
	}
	*asked = clock_now();
	arena_release(&keys);
}

/* Requests an object unless it was requested since that time (ms).  Returns the number of requests. */
static size_t ask(struct changed_reader *r, const struct object_id *id, int64_t since)
{
	if (!(id->kind->flags & KIND_DISCOVERED) || was_asked(r, id, KEY_OBJECT, since))
		return 0;
	note_asked(r, id, KEY_OBJECT);
	send(r, id);
	return 1;
}

struct look {
	const uint32_t *near;
	size_t n;
	int64_t since;
};

/* Requests the objects around each failure, the nearest of all first. */
static size_t ask_near(struct changed_reader *r, const struct handle *failed, size_t n)
{
	struct world *w = &r->p->world;
	struct arena a = { 0 };
	struct look looks[CHANGED_CAUSES];
	size_t sent = 0, deepest = 0;

	for (size_t i = 0; i < n; i++) {
		struct summary s = { .since = 0 };

		graph_summary(w->graph, failed[i], &s);
		looks[i] = (struct look){ .since = s.since };
		looks[i].near = graph_near(w->graph, failed[i], s.since, NEAR_REQUESTS, &a, &looks[i].n);
		deepest = looks[i].n > deepest ? looks[i].n : deepest;
	}
	for (size_t depth = 0; depth < deepest; depth++)
		for (size_t i = 0; i < n && sent < NEAR_REQUESTS; i++)
			if (depth < looks[i].n) {
				struct object_id id = store_node_id(w->store, looks[i].near[depth]);

				sent += ask(r, &id, looks[i].since);
			}
	arena_release(&a);
	return sent;
}

/* Requests what concerns a failed object without being named by it. */
static void ask_concerning(struct changed_reader *r, struct handle failed)
{
	static const struct {
		const char *group, *kind;
	} lists[] = {
		{ "", "ResourceQuota" },
		{ "", "LimitRange" },
		{ "admissionregistration.k8s.io", "ValidatingWebhookConfiguration" },
		{ "admissionregistration.k8s.io", "MutatingWebhookConfiguration" },
	};
	struct world *w = &r->p->world;
	struct object_id of = store_node_id(w->store, failed.slot), id = { .cluster = of.cluster };
	struct summary s = { .since = 0 };
	struct arena a = { 0 };

	graph_summary(w->graph, failed, &s);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		id.kind = kinds_find(&w->kinds, str_of(lists[i].group), str_of(lists[i].kind));
		id.ns = id.kind && id.kind->flags & KIND_NAMESPACED ? of.ns : STR_NONE;
		if (id.kind && id.kind->flags & KIND_DISCOVERED && (of.ns.len || !(id.kind->flags & KIND_NAMESPACED)))
			ask(r, &id, s.since);
	}
	id = (struct object_id){ of.cluster, kinds_find(&w->kinds, STR("apiextensions.k8s.io"), STR("CustomResourceDefinition")),
				 STR_NONE, ARENA_JOIN(&a, of.kind->plural, STR("."), of.kind->group) };
	if (id.kind && of.kind->flags & KIND_CUSTOM)
		ask(r, &id, s.since);
	arena_release(&a);
}

/* Returns true for a failure of which something may be told and that was not looked at since it began. */
static bool is_new(const struct changed_reader *r, struct handle failed)
{
	const struct world *w = &r->p->world;
	struct object_id id;
	struct summary s;

	if (!has_changes_before(w->graph, failed) || !graph_summary(w->graph, failed, &s))
		return false;
	id = store_node_id(w->store, failed.slot);
	return !was_asked(r, &id, KEY_FAILURE, s.since);
}

void changed_ask(struct program *p, const struct handle *failed, size_t n)
{
	struct changed_reader *r = reader_of(p);
	struct handle chosen[CHANGED_CAUSES];
	size_t nchosen = 0, sent;

	for (size_t i = 0; p->source->asks && i < n && nchosen < CHANGED_CAUSES; i++)
		if (is_new(r, failed[i]))
			chosen[nchosen++] = failed[i];
	if (!nchosen)
		return;
	sent = ask_near(r, chosen, nchosen);
	if (sent)
		ask_concerning(r, chosen[0]);
	for (size_t i = 0; sent < NEAR_REQUESTS && i < nchosen; i++) {
		struct object_id id = store_node_id(p->world.store, chosen[i].slot);

		note_asked(r, &id, KEY_FAILURE);
	}
}

void changed_ask_of(struct program *p, struct handle changed, int64_t at)
{
	struct object_id id = store_node_id(p->world.store, changed.slot);

	if (p->source->asks && store_alive(p->world.store, changed))
		ask(reader_of(p), &id, at - 1);	/* a request in the millisecond of the change tells of it */
}

/* Adds a failure, if there is room for it. */
static void add_failed(const struct world *w, struct handle h, struct handle *failed, size_t *n)
{
	if (*n < CHANGED_CAUSES && has_changes_before(w->graph, h))
		failed[(*n)++] = h;
}

/* Fills failed with the root causes, one of each group of equal ones first.  Returns their number. */
static size_t causes_of(const struct world *w, struct handle *failed)
{
	size_t n = 0, ncauses;
	const struct cause_group *causes = cause_groups(w->graph, &ncauses);

	for (size_t i = 0; i < ncauses; i++)
		add_failed(w, cause_changed(w->graph, w->store, &causes[i].what), failed, &n);
	for (size_t i = 0; i < ncauses && n < CHANGED_CAUSES; i++)
		for (size_t k = 1; causes[i].members && k < causes[i].n; k++)
			add_failed(w, causes[i].members[k], failed, &n);
	return n;
}

void changed_ask_all(struct program *p)
{
	struct handle failed[CHANGED_CAUSES];

	if (p->source->asks)
		changed_ask(p, failed, causes_of(&p->world, failed));
}

void changed_await(struct program *p, int64_t until)
{
	int64_t limit = time_earlier(clock_now() + PATIENCE, until);

	if (!p->source->asks || !query_tells_changes(&p->query))
		return;
	changed_ask_all(p);
	while (changed_pending(p) && clock_now() < limit)
		p->source->turn(p, NULL, 0, limit - clock_now());
}

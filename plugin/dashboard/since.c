/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/since.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/model/json_diff.h"
#include "plugin/clock.h"
#include "plugin/record/record.h"

enum { REQUESTS = 200 };	/* the most objects that are read */
#define PATIENCE SECONDS(10)	/* how long the answers are waited for */

enum outcome { OUTCOME_NONE, OUTCOME_SAME, OUTCOME_CHANGED, OUTCOME_GONE, OUTCOME_REPLACED };

/* An object of the capsule. */
struct reading {
	struct since *of;
	struct object_id id;	/* its kind is that of the capsule; the texts are in the arena of since */
	struct str uid, version;	/* as recorded: its uid and resourceVersion */
	uint64_t digest;	/* of what was recorded */
	enum phase phase;	/* at the end of the capsule */
	enum outcome outcome;
};

struct since {
	struct program *p;
	struct options options;
	struct arena arena;
	struct str context;
	struct world world;	/* what was read */
	struct query query;
	struct live *live;
	struct reading *all;
	size_t n, pending, left_out;
	int64_t until;
};

/* ---- what is asked ------------------------------------------------------------ */

/* Events and leases come and go by themselves. */
static bool is_noise(const struct kind *kind)
{
	return str_is(kind->kind, "Event") || str_is(kind->kind, "Lease");
}

static bool is_secret(const struct kind *kind)
{
	return kind->group.len == 0 && str_is(kind->kind, "Secret");
}

static bool note_recorded(struct since *s, struct handle h, struct reading *out)
{
	struct object_id id = store_node_id(s->p->world.store, h.slot);
	struct str text = replay_object(s->p->replay, h, INT64_MAX, &s->arena);
	struct summary summary;
	struct json doc;

	if (is_noise(id.kind) || !id.kind->version.len || !graph_summary(s->p->world.graph, h, &summary) ||
	    json_parse(text, &doc, &(struct err){ 0 }) < 0)
		return false;
	*out = (struct reading){
		.of = s,
		.id = { id.cluster, id.kind, arena_str(&s->arena, id.ns), arena_str(&s->arena, id.name) },
		.uid = arena_str(&s->arena, json_str(doc, "metadata.uid")),
		.version = arena_str(&s->arena, json_str(doc, "metadata.resourceVersion")),
		.digest = json_digest(doc),
		.phase = summary.phase,
	};
	json_free(doc);
	return true;
}

static void list_objects(struct since *s)
{
	const struct store *store = s->p->world.store;

	s->all = arena_array(&s->arena, REQUESTS, sizeof(*s->all));
	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1)) {
		struct reading one;

		if (s->n == REQUESTS)
			s->left_out++;
		else if (note_recorded(s, h, &one))
			s->all[s->n++] = one;
	}
}

/* Judges what was read, so that its phase can be compared. */
static void judge(struct since *s, const struct reading *r, struct json object)
{
	struct engine_source from = { .cluster = r->id.cluster };
	struct handle h;

	engine_put(s->world.engine, &from, object, s->world.now, &h);
}

static void compare(struct reading *r, struct json object)
{
	struct buf text = { 0 };
	struct json redacted;

	record_object(object, r->id.kind, &text);
	if (json_parse(buf_str(&text), &redacted, &(struct err){ 0 }) == 0) {
		bool same = str_eq(json_str(redacted, "metadata.resourceVersion"), r->version) || json_digest(redacted) == r->digest;

		r->outcome = !str_eq(json_str(redacted, "metadata.uid"), r->uid) ? OUTCOME_REPLACED : same ? OUTCOME_SAME : OUTCOME_CHANGED;
		judge(r->of, r, redacted);
		json_free(redacted);
	}
	buf_release(&text);
}

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	enum { OK = 200, NOT_FOUND = 404 };
	struct reading *r = ctx;
	struct json doc;

	r->of->pending--;
	if (http_status == NOT_FOUND)
		r->outcome = OUTCOME_GONE;
	else if (!err && http_status == OK && json_parse(body, &doc, &(struct err){ 0 }) == 0) {
		compare(r, doc);
		json_free(doc);
	}
}

static void send_all(struct since *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct reading *r = &s->all[i];
		struct session *session = live_session(s->live, r->id.cluster);
		struct buf path = { 0 };

		if (!session)
			continue;
		s->pending++;
		session_path(session, r->id.kind, r->id.ns, r->id.name, &path);
		if (is_secret(r->id.kind))
			session_get_metadata(session, buf_cstr(&path), false, on_answer, r);
		else
			session_get(session, buf_cstr(&path), on_answer, r);
		buf_release(&path);
	}
}

struct since *since_new(struct program *p)
{
	struct str context = replay_context(p->replay);
	struct since *s;

	if (!context.len)
		return NULL;
	s = xcalloc(1, sizeof(*s));
	s->p = p;
	s->context = arena_str(&s->arena, context);
	s->options = p->options;
	s->options.as_of = NULL;
	s->options.context = str_contains(context, ",") ? NULL : s->context.ptr;
	s->options.contexts = s->options.context ? NULL : s->context.ptr;
	s->options.all_contexts = false;
	world_init(&s->world, true);
	s->world.now = clock_now();
	s->until = s->world.now + PATIENCE;
	replay_kinds(p->replay, &s->world.kinds);
	s->live = live_new(&(struct live_options){ .options = &s->options, .world = &s->world, .query = &s->query, .once = true },
			   &(struct err){ 0 });
	if (!s->live) {
		since_free(s);
		return NULL;
	}
	list_objects(s);
	send_all(s);
	return s;
}

void since_free(struct since *s)
{
	if (!s)
		return;
	live_free(s->live);
	query_release(&s->query);
	world_release(&s->world);
	arena_release(&s->arena);
	xfree(s);
}

/* ---- what is told ------------------------------------------------------------- */

static bool is_ready_now(struct since *s, const struct reading *r)
{
	struct object_id id = r->id;
	struct summary now;
	struct handle h;

	id.kind = kinds_find(&s->world.kinds, r->id.kind->group, r->id.kind->kind);
	if (r->phase == PHASE_READY || !id.kind)
		return false;
	h = store_find(s->world.store, &id);
	return graph_summary(s->world.graph, h, &now) && now.phase == PHASE_READY;
}

static struct str part(struct arena *a, struct str before, size_t n, const char *what)
{
	return n ? arena_printf(a, STR_FMT "%s%zu %s", STR_ARG(before), before.len ? ", " : "", n, what) : before;
}

/* Returns what has changed; "" when nobody answered. */
static struct str words(struct since *s, struct arena *a)
{
	size_t n[OUTCOME_REPLACED + 1] = { 0 }, answered, changed, ready = 0;
	struct str parts = STR_NONE, of;

	world_settle(&s->world);
	for (size_t i = 0; i < s->n; i++) {
		n[s->all[i].outcome]++;
		ready += is_ready_now(s, &s->all[i]);
	}
	answered = s->n - n[OUTCOME_NONE];
	changed = answered - n[OUTCOME_SAME];
	if (!answered)
		return STR_NONE;
	if (n[OUTCOME_GONE] == answered)
		return arena_printf(a, "capsule: " STR_FMT " has none of its %zu objects any more, or is another cluster", STR_ARG(s->context), answered);
	of = answered < s->n + s->left_out ? arena_printf(a, "%zu of its %zu", answered, s->n + s->left_out) : arena_printf(a, "its %zu", answered);
	if (!changed)
		return arena_printf(a, "capsule: none of " STR_FMT " objects has changed in " STR_FMT " since", STR_ARG(of), STR_ARG(s->context));
	parts = part(a, parts, n[OUTCOME_GONE], "gone");
	parts = part(a, parts, n[OUTCOME_REPLACED], "replaced");
	parts = part(a, parts, ready, "Ready now");
	return arena_printf(a, "capsule: %zu of " STR_FMT " objects ha%s changed in " STR_FMT " since%s" STR_FMT, changed, STR_ARG(of),
			    changed == 1 ? "s" : "ve", STR_ARG(s->context), parts.len ? ": " : "", STR_ARG(parts));
}

/* ---- turns -------------------------------------------------------------------- */

void since_sleep(struct since *s, const int *fds, size_t nfds, int64_t timeout_ms)
{
	live_sleep(s->live, fds, nfds, timeout_ms);
}

int64_t since_deadline(const struct since *s)
{
	return time_earlier(live_deadline(s->live), s->until);
}

bool since_step(struct since *s, struct arena *arena, struct str *out)
{
	live_dispatch(s->live);
	if (s->pending && clock_now() < s->until)
		return false;
	*out = words(s, arena);
	return true;
}

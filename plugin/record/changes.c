/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/changes.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/model/json_diff.h"
#include "plugin/record/versions.h"

#include <stdlib.h>
#include <string.h>

/*
 * Of a list so many objects are kept as they were: what is watched in great numbers (pods) is
 * known from its first change on.
 */
enum { LISTED = 4000, LISTED_OF_A_KIND = 1000 };
enum { WHY = 300 };	/* bytes of a message that are kept with a verdict */

/* The verdict of a slot after the last settle. */
struct shown {
	uint32_t gen;
	uint8_t phase, severity;
	bool there;
};

struct changelog {
	struct versions *versions;
	bool all;		/* there is no ceiling */
	int64_t began;
	struct buf why;
	struct shown *shown;	/* by slot */
	uint32_t nshown;
};

struct changelog *changelog_new(size_t ceiling, int64_t began)
{
	struct changelog *c = xcalloc(1, sizeof(*c));

	c->versions = versions_new(ceiling);
	c->all = ceiling == 0;
	c->began = began;
	return c;
}

void changelog_free(struct changelog *c)
{
	if (!c)
		return;
	versions_free(c->versions);
	buf_release(&c->why);
	xfree(c->shown);
	xfree(c);
}

/* ---- what is seen ----------------------------------------------------------------- */

/* They come and go by themselves, and tell of others. */
static bool is_noise(const struct kind *kind)
{
	return str_is(kind->kind, "Event") || str_is(kind->kind, "Lease");
}

/* It was there before, and is only met now. */
static bool is_known(const struct changelog *c, const struct world *w, struct handle h)
{
	int64_t created = store_meta(w->store, h).created;

	return created ? created + SECONDS(1) <= c->began : w->now <= c->began;	/* creationTimestamp has whole seconds */
}

static struct shown *shown_at(struct changelog *c, uint32_t slot)
{
	if (slot >= c->nshown) {
		uint32_t n = slot + slot / 4 + 64;

		c->shown = xreallocarray(c->shown, n, sizeof(*c->shown));
		memset(c->shown + c->nshown, 0, (n - c->nshown) * sizeof(*c->shown));
		c->nshown = n;
	}
	return &c->shown[slot];
}

/* Of an object whose first change is noted now: what it was before. */
static void note_before(struct changelog *c, const struct object_id *id, struct shown was)
{
	struct verdict_was before;

	if (was.there && versions_verdict_at(c->versions, id, INT64_MAX, &before) != VERSION_THERE)
		versions_verdict(c->versions, id,
				 (struct verdict_was){ (enum phase)was.phase, (enum severity)was.severity, STR_NONE }, 0, FIRST_KNOWN);
}

static void note_gone(struct changelog *c, const struct world *w, struct handle h)
{
	struct object_id id = store_node_id(w->store, h.slot);

	note_before(c, &id, *shown_at(c, h.slot));
	versions_gone(c->versions, &id, w->now);
	*shown_at(c, h.slot) = (struct shown){ .there = false };
}

void changelog_note(struct changelog *c, const struct world *w, struct handle h, struct json object)
{
	struct object_id id = store_node_id(w->store, h.slot);
	const struct shown *was;
	enum version_first first;

	if (!h.slot || is_noise(id.kind))
		return;
	if (!object.node) {
		note_gone(c, w, h);
		return;
	}
	was = shown_at(c, h.slot);
	first = was->there && was->gen == h.gen ? FIRST_LATE : is_known(c, w, h) ? FIRST_KNOWN : FIRST_NEW;
	if (first == FIRST_KNOWN && !c->all && !versions_has(c->versions, &id) &&
	    (versions_count(c->versions, NULL) >= LISTED || versions_count(c->versions, id.kind) >= LISTED_OF_A_KIND))
		return;
	versions_put(c->versions, &id, object, w->now, first);
}

static void note_verdict(struct changelog *c, const struct world *w, uint32_t slot, struct shown was,
			 const struct summary *s)
{
	struct object_id id = store_node_id(w->store, slot);
	struct verdict_was before;

	if (is_noise(id.kind))
		return;
	note_before(c, &id, was);
	if (!was.there && is_known(c, w, s->id.handle) &&
	    versions_verdict_at(c->versions, &id, INT64_MAX, &before) == VERSION_UNKNOWN)
		return;
	buf_reset(&c->why);
	BUF_JOIN(&c->why, s->reason, str_of(s->reason.len && s->message.len ? ": " : ""), str_head(s->message, WHY));
	versions_verdict(c->versions, &id, (struct verdict_was){ s->phase, s->severity, buf_str(&c->why) }, w->now, FIRST_NEW);
}

static void note_settled(struct changelog *c, const struct world *w, uint32_t slot)
{
	struct handle h = store_node_handle(w->store, slot);
	struct shown was = *shown_at(c, slot), now = { .gen = h.gen };
	struct summary s;

	now.there = h.slot && graph_summary(w->graph, h, &s);
	if (now.there) {
		now.phase = (uint8_t)s.phase;
		now.severity = (uint8_t)s.severity;
		if (!was.there || was.gen != now.gen || was.phase != now.phase || was.severity != now.severity)
			note_verdict(c, w, slot, was, &s);
	}
	*shown_at(c, slot) = now;
}

void changelog_settled(struct changelog *c, const struct world *w)
{
	size_t n;
	const uint32_t *changed = graph_changed(w->graph, &n);

	for (size_t i = 0; i < n; i++)
		note_settled(c, w, changed[i]);
}

void changelog_begin(struct changelog *c, const struct world *w)
{
	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1))
		note_settled(c, w, h.slot);
}

/* ---- between two moments ------------------------------------------------------------ */

static struct str value_text(struct json value, struct arena *arena)
{
	struct buf text = { 0 };
	struct str copy;

	if (json_type(value) == JSON_STRING)
		return arena_str(arena, json_str(value, ""));
	json_write(value, &text);
	copy = arena_str(arena, buf_str(&text));
	buf_release(&text);
	return copy;
}

/* The spec comes before the status that a controller wrote. */
static int rank_of(struct str path)
{
	return str_starts(path, "status") ? 2 : str_starts(path, "metadata") ? 1 : 0;
}

static void add_fields(struct changed_object *o, struct json before, struct json after, struct arena *arena)
{
	const struct json_difference *found;
	size_t n = json_diff(before, after, arena, &found);
	struct changed_field *fields = arena_array(arena, n, sizeof(*fields));

	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < n; i++)
			if (rank_of(found[i].path) == rank)
				fields[o->nfields++] = (struct changed_field){
					found[i].path, value_text(found[i].before, arena),
					value_text(found[i].after, arena), !found[i].before.node, !found[i].after.node
				};
	o->fields = fields;
}

void changelog_fields(struct changelog *c, const struct world *w, struct changed_object *o, int64_t from, int64_t to,
		      struct arena *arena)
{
	struct object_id id = { o->cluster, kinds_find(&w->kinds, o->id.group, o->id.kind), o->id.ns, o->id.name };
	struct str texts[2];
	enum version_state was = versions_at(c->versions, &id, from, arena, &texts[0]);
	enum version_state is = versions_at(c->versions, &id, to, arena, &texts[1]);
	struct json before, after;

	o->nfields = 0;
	o->fields_unknown = was == VERSION_UNKNOWN || is == VERSION_UNKNOWN;
	if (was != VERSION_THERE || is != VERSION_THERE ||
	    json_parse_verbatim(texts[0], &before, &(struct err){ 0 }) < 0)
		return;
	if (json_parse_verbatim(texts[1], &after, &(struct err){ 0 }) == 0) {
		add_fields(o, before, after, arena);
		json_free(after);
	}
	json_free(before);
}

static bool is_healed(struct verdict_was was, struct verdict_was is)
{
	bool trouble = was.phase == PHASE_FAILED || was.phase == PHASE_DEGRADED || was.severity >= SEVERITY_WARNING;

	return trouble && is.phase == PHASE_READY && is.severity == SEVERITY_NONE;
}

static bool is_asked_for(const struct world *w, const struct query *q, const struct object_id *id)
{
	if (q->ns.len && id->ns.len && !str_eq(id->ns, q->ns))
		return false;
	for (size_t i = 0; i < q->what.n; i++) {
		const struct selection *s = &q->what.list[i];

		if (s->kind == id->kind && (!s->name.len || str_eq(s->name, id->name)))
			return true;
	}
	return q->what.n == 0 || query_selects(q, w, store_find(w->store, id));
}

/* Its present state (NULL: it is gone) where no change of it was noted: it was always so. */
static enum version_state verdict_at(struct changelog *c, const struct object_id *id, int64_t time, const struct summary *s,
				     struct verdict_was *out)
{
	enum version_state state = versions_verdict_at(c->versions, id, time, out);

	if (s && state == VERSION_UNKNOWN && !versions_from(c->versions)) {
		*out = (struct verdict_was){ s->phase, s->severity, STR_NONE };
		return VERSION_THERE;
	}
	return state;
}

/* False when there is nothing to tell of it. */
static bool compare(struct changelog *c, const struct world *w, const struct version_id *v, const struct changes *between,
		    struct changed_object *o, struct arena *arena)
{
	struct object_id id = { v->cluster, w->kinds.all[v->kind - 1], v->ns, v->name };
	struct summary s = { .phase = PHASE_UNKNOWN };
	struct handle h = store_find(w->store, &id);
	const struct summary *now = graph_summary(w->graph, h, &s) ? &s : NULL;
	struct verdict_was was, is;
	enum version_state before = verdict_at(c, &id, between->from, now, &was);
	enum version_state after = verdict_at(c, &id, between->to, now, &is);

	*o = (struct changed_object){
		.id = { id.kind->group, id.kind->kind, id.ns, id.name, graph_cluster_name(w->graph, id.cluster), h, false },
		.cluster = id.cluster,
		.time = v->changed,
		.from = was.phase,
		.to = is.phase,
		.from_known = before == VERSION_THERE,
		.reason = arena_str(arena, s.reason),
		.message = arena_str(arena, s.message),
	};
	if (after == VERSION_ABSENT)
		o->word = CHANGE_WORD_GONE;
	else if (before == VERSION_ABSENT)
		o->word = CHANGE_WORD_NEW;
	else if (is_healed(was, is))
		o->word = CHANGE_WORD_HEALED;
	return before != VERSION_ABSENT || after != VERSION_ABSENT;	/* else it came and went */
}

static int by_time(const void *pa, const void *pb)
{
	const struct changed_object *a = pa, *b = pb;
	int order = a->time < b->time ? -1 : a->time > b->time;

	order = order ? order : str_cmp(a->id.cluster, b->id.cluster);
	order = order ? order : str_cmp(a->id.ns, b->id.ns);
	order = order ? order : str_cmp(a->id.kind, b->id.kind);
	return order ? order : str_cmp(a->id.name, b->id.name);
}

struct changes changelog_between(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				 int64_t to, struct arena *arena)
{
	struct changes out = { .from = from, .to = to, .known_from = versions_from(c->versions) };
	size_t n;
	const struct version_id *changed = versions_changed(c->versions, from, to, arena, &n);
	struct changed_object *objects = arena_array(arena, n, sizeof(*objects));

	for (size_t i = 0; i < n; i++) {
		struct object_id id = { changed[i].cluster, w->kinds.all[changed[i].kind - 1], changed[i].ns,
					changed[i].name };

		if (!is_asked_for(w, q, &id) || !compare(c, w, &changed[i], &out, &objects[out.n], arena))
			continue;
		out.by_word[objects[out.n].word]++;
		out.n++;
	}
	if (out.n)
		qsort(objects, out.n, sizeof(*objects), by_time);
	out.objects = objects;
	return out;
}

struct changes changelog_compare(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				 int64_t to, struct arena *arena)
{
	struct changes all = changelog_between(c, w, q, from, to, arena);
	struct changed_object *kept = arena_array(arena, all.n, sizeof(*kept));
	size_t n = 0;

	memset(all.by_word, 0, sizeof(all.by_word));
	for (size_t i = 0; i < all.n; i++) {
		struct changed_object o = all.objects[i];

		changelog_fields(c, w, &o, from, to, arena);
		if (o.word == CHANGE_WORD_CHANGED && !o.nfields && !o.fields_unknown && o.from == o.to)
			continue;
		all.by_word[o.word]++;
		kept[n++] = o;
	}
	all.objects = kept;
	all.n = n;
	return all;
}

struct changes changelog_timeline(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				  int64_t to, struct arena *arena)
{
	struct changes out = { .from = from, .to = to, .known_from = versions_from(c->versions) };
	size_t n;
	const struct verdict_step *steps = versions_steps(c->versions, from, to, arena, &n);
	struct changed_object *objects = arena_array(arena, n, sizeof(*objects));

	for (size_t i = 0; i < n; i++) {
		const struct verdict_step *s = &steps[i];
		struct object_id id = { s->cluster, w->kinds.all[s->kind - 1], s->ns, s->name };

		if (!is_asked_for(w, q, &id))
			continue;
		objects[out.n] = (struct changed_object){
			.id = { id.kind->group, id.kind->kind, id.ns, id.name, graph_cluster_name(w->graph, id.cluster),
				store_find(w->store, &id), false },
			.cluster = id.cluster,
			.word = !s->is_there			       ? CHANGE_WORD_GONE :
				!s->was_there			       ? CHANGE_WORD_NEW :
				is_healed(s->before, s->after)	       ? CHANGE_WORD_HEALED :
									 CHANGE_WORD_CHANGED,
			.from = s->before.phase,
			.to = s->after.phase,
			.from_known = s->was_there,
			.time = s->time,
			.message = s->after.why,
		};
		out.by_word[objects[out.n++].word]++;
	}
	if (out.n)
		qsort(objects, out.n, sizeof(*objects), by_time);
	out.objects = objects;
	return out;
}

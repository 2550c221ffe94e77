/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/past/changelog.h"

#include "kube/base/alloc.h"
#include "kube/base/map.h"
#include "kube/base/time.h"
#include "kube/journal/journal.h"
#include "kube/journal/versions.h"
#include "kube/model/json_diff.h"
#include "plugin/record/redact_object.h"

#include "kube/base/assert.h"
#include <stdlib.h>
#include <string.h>

/*
 * The most objects whose first listed version is kept, in all and of one kind.  Of a kind that has more (pods) an
 * object is known only from its first change on.
 */
enum { LISTED = 4000, LISTED_OF_A_KIND = 1000 };
struct changelog {
	struct versions *versions;
	size_t ceiling;		/* bytes; 0: there is no limit, and every object is kept */
	struct changelog *earlier;	/* what was seen before since, with the kinds of its world; NULL: nothing was */
	const struct kinds *earlier_kinds;
	int64_t since;
	int64_t began;
};

static void write_redacted(struct json object, const struct kind *kind, bool hides, struct buf *out)
{
	(hides ? redact_object : redact_plain)(object, kind, out);
}

static const struct version_redactor redactor = { redact_hides, write_redacted };

struct changelog *changelog_new(struct graph *g, size_t ceiling, int64_t began)
{
	struct changelog *c = xcalloc(1, sizeof(*c));

	c->ceiling = ceiling;
	c->began = began;
	changelog_restart(c, g);
	return c;
}

void changelog_restart(struct changelog *c, struct graph *g)
{
	versions_free(c->versions);
	c->versions = versions_new(c->ceiling, &redactor);
	graph_keep_journal(g, c->ceiling ? JOURNAL_CEILING : 0, c->began);
}

void changelog_free(struct changelog *c)
{
	if (!c)
		return;
	versions_free(c->versions);
	xfree(c);
}

struct versions *changelog_versions(struct changelog *c)
{
	return c->versions;
}

void changelog_go_on_from(struct changelog *c, struct changelog *earlier, const struct kinds *kinds, int64_t since)
{
	c->earlier = earlier;
	c->earlier_kinds = kinds;
	c->since = since;
}

/* ---- what is seen ----------------------------------------------------------------- */

/* Returns true for kinds whose objects come and go by themselves and only tell about other objects. */
static bool is_noise(const struct kind *kind)
{
	return str_is(kind->kind, "Event") || str_is(kind->kind, "Lease");
}

/* Returns true when the object existed before the changelog began, or before it was looked at, and is only now seen for the first time. */
static bool is_known(const struct changelog *c, const struct world *w, struct handle h)
{
	int64_t created = store_meta(w->store, h).created;

	if (store_is_met(w->store, h))
		return true;
	return created ? created + SECONDS(1) <= c->began : w->now <= c->began;	/* creationTimestamp has whole seconds */
}

void changelog_note(struct changelog *c, const struct world *w, struct handle h, struct json object)
{
	struct object_id id = store_node_id(w->store, h.slot);
	enum version_first first;

	if (!h.slot || is_noise(id.kind))
		return;
	if (!object.node) {
		(store_was_let_go(w->store, h.slot) ? versions_let_go : versions_gone)(c->versions, &id, w->now);
		return;
	}
	first = graph_was_shown(w->graph, h) ? FIRST_LATE : is_known(c, w, h) ? FIRST_KNOWN : FIRST_NEW;
	if (first == FIRST_KNOWN && c->ceiling && !versions_has(c->versions, &id) &&
	    (versions_count(c->versions, NULL) >= LISTED || versions_count(c->versions, id.kind) >= LISTED_OF_A_KIND))
		return;
	versions_put(c->versions, &id, object, w->now, first);
}

/* ---- verdicts in the journal ---------------------------------------------------------- */

/* A verdict as --diff and the view Changes compare it. */
struct verdict_was {
	enum phase phase;
	enum severity severity;
};

static struct verdict_was verdict_of(struct journal_verdict v)
{
	return (struct verdict_was){ (enum phase)v.phase, (enum severity)v.severity };
}

/*
 * Returns true when an object took the place of another one whose removal was not seen: that counts as a change of the
 * former.
 */
static bool is_exchange(struct changelog *c, const struct world *w, const struct journal_entry *e)
{
	struct journal_texts texts = journal_texts(e);

	return e->replaced &&
	       !versions_went(c->versions, &(struct object_id){ e->cluster, w->kinds.all[e->kind - 1], texts.ns, texts.name }, e->time);
}

/* Returns true when the entry says that an object was created, was removed, or got another phase or severity. */
static bool is_change(struct changelog *c, const struct world *w, const struct journal_entry *e)
{
	if (!e->texts || is_noise(w->kinds.all[e->kind - 1]))
		return false;
	if (e->what == JOURNAL_CAME)
		return e->news;
	if (e->what == JOURNAL_WENT)
		return !is_exchange(c, w, e);
	if (e->what == JOURNAL_SELECTED || e->what == JOURNAL_DESELECTED)
		return false;
	return e->from.phase != e->to.phase || e->from.severity != e->to.severity;
}

/* Returns since when both the journal and the versions are complete, ms; 0: nothing was dropped. */
static int64_t known_from(const struct changelog *c, const struct world *w)
{
	int64_t journal = journal_from(graph_journal(w->graph)), versions = versions_from(c->versions);

	if (!versions && c->earlier)
		versions = versions_from(c->earlier->versions);
	return journal > versions ? journal : versions;
}

/* What the journal and the versions have of one object between two moments. */
struct course {
	/* id.changed: the time of the last change until the second moment; 0: the object only changed after it */
	struct version_id id;
	/*
	 * The next entry after the first moment, the last one until the second, and the next one after that; NULL:
	 * none.
	 */
	const struct journal_entry *after_first, *until_second, *after_second;
	bool until_now;		/* the second moment is now */
};

struct courses {
	struct map by_name;
	struct buf key;
	struct course *all;	/* in the arena */
	size_t n, cap;
	struct arena *arena;
};

static struct course *course_of(struct courses *all, const struct version_id *id)
{
	uint32_t head[3] = { id->cluster, id->kind, (uint32_t)id->ns.len };
	struct course *course;

	buf_reset(&all->key);
	buf_add(&all->key, (struct str){ (const char *)head, sizeof(head) });
	buf_add(&all->key, id->ns);
	buf_add(&all->key, id->name);
	course = map_get(&all->by_name, buf_str(&all->key));
	if (course)
		return course;
	assert(all->n < all->cap);
	course = &all->all[all->n++];
	*course = (struct course){ .id = *id };
	course->id.changed = 0;
	map_set(&all->by_name, buf_str(&all->key), course);
	return course;
}

static void add_entry(struct courses *all, const struct journal_entry *e, int64_t to)
{
	struct journal_texts texts = journal_texts(e);
	struct course *course = course_of(all, &(struct version_id){ e->cluster, e->kind, texts.ns, texts.name, 0 });

	if (!course->after_first)
		course->after_first = e;
	if (e->time <= to) {
		course->until_second = e;
		course->id.changed = e->time > course->id.changed ? e->time : course->id.changed;
	} else if (!course->after_second) {
		course->after_second = e;
	}
}

static void add_versions(struct courses *all, const struct version_id *id)
{
	struct course *course = course_of(all, id);

	course->id.changed = id->changed > course->id.changed ? id->changed : course->id.changed;
}

/* Returns the objects that changed before c began, with the kinds of the present world. */
static const struct version_id *changed_earlier(const struct changelog *c, const struct world *w, int64_t from, int64_t to,
						struct arena *arena, size_t *out_n)
{
	const struct version_id *found;
	struct version_id *out;
	size_t n, kept = 0;

	*out_n = 0;
	if (!c->earlier || from >= c->since)
		return NULL;
	found = versions_changed(c->earlier->versions, from, to < c->since ? to : c->since, arena, &n);
	out = arena_array(arena, n, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		const struct kind *was = c->earlier_kinds->all[found[i].kind - 1], *kind = kinds_find(&w->kinds, was->group, was->kind);

		if (!kind)
			continue;
		out[kept] = found[i];
		out[kept++].kind = kind->id;
	}
	*out_n = kept;
	return out;
}

static struct courses find_courses(struct changelog *c, const struct world *w, int64_t from, int64_t to, struct arena *arena)
{
	const struct journal *j = graph_journal(w->graph);
	struct courses all = { .arena = arena };
	size_t n, nearlier;
	const struct version_id *changed = versions_changed(c->versions, from, to, arena, &n);
	const struct version_id *earlier = changed_earlier(c, w, from, to, arena, &nearlier);

	for (uint64_t i = journal_first(j); i < journal_end(j); i++)
		all.cap += journal_at(j, i)->time > from && is_change(c, w, journal_at(j, i));
	all.cap += n + nearlier;
	all.all = arena_array(arena, all.cap, sizeof(*all.all));
	for (uint64_t i = journal_first(j); i < journal_end(j); i++)
		if (journal_at(j, i)->time > from && is_change(c, w, journal_at(j, i)))
			add_entry(&all, journal_at(j, i), to);
	for (size_t i = 0; i < nearlier; i++)
		add_versions(&all, &earlier[i]);
	for (size_t i = 0; i < n; i++)
		add_versions(&all, &changed[i]);
	for (size_t i = 0; i < all.n; i++)
		all.all[i].until_now = to >= w->now;
	map_release(&all.by_name);
	buf_release(&all.key);
	return all;
}

/*
 * Finds the verdict at the first moment: the one that the next entry says was before; without an entry the present one
 * (now is NULL when the object does not exist).  Returns false when the object did not exist.
 */
static bool was_there(struct changelog *c, const struct world *w, const struct journal_entry *next, const struct summary *now,
		      struct verdict_was *out)
{
	*out = (struct verdict_was){ PHASE_UNKNOWN, SEVERITY_NONE };
	if (next ? next->what == JOURNAL_CAME && !is_exchange(c, w, next) : !now)
		return false;
	*out = next ? verdict_of(next->from) : (struct verdict_was){ now->phase, now->severity };
	return true;
}

/* Finds the verdict at the second moment.  Returns false when the object did not exist. */
static bool is_there(struct changelog *c, const struct world *w, const struct course *course, const struct summary *now,
		     struct verdict_was *out)
{
	const struct journal_entry *last = course->until_second;

	/* what is there now is known, also where it has become so while nobody watched */
	if (course->after_second || !last || (now && course->until_now))
		return was_there(c, w, course->after_second, now, out);
	*out = verdict_of(last->to);
	return last->what != JOURNAL_WENT;
}

/* ---- between two moments ------------------------------------------------------------ */

static enum version_state version_at(struct changelog *c, const struct object_id *id, int64_t time, struct arena *arena, struct str *out)
{
	struct object_id was = *id;

	if (!c->earlier || time >= c->since)
		return versions_at(c->versions, id, time, arena, out);
	was.kind = kinds_find(c->earlier_kinds, id->kind->group, id->kind->kind);
	return was.kind ? versions_at(c->earlier->versions, &was, time, arena, out) : VERSION_UNKNOWN;
}

/* Returns the fields that differ between two moments; *out_unknown: the object is not known at one of them. */
static size_t fields_between(struct changelog *c, const struct object_id *id, int64_t from, int64_t to, enum json_naming naming,
			     struct arena *arena, const struct changed_field **out, bool *out_unknown)
{
	struct str texts[2];
	enum version_state was = version_at(c, id, from, arena, &texts[0]);
	enum version_state is = version_at(c, id, to, arena, &texts[1]);

	*out_unknown = was == VERSION_UNKNOWN || is == VERSION_UNKNOWN;
	return was == VERSION_THERE && is == VERSION_THERE ? json_changed_fields(texts[0], texts[1], naming, arena, out) : 0;
}

size_t changelog_fields_of(struct changelog *c, const struct object_id *id, int64_t from, int64_t to, struct arena *arena,
			   const struct changed_field **out)
{
	bool unknown;

	return fields_between(c, id, from, to, JSON_BY_KEY, arena, out, &unknown);
}

void changelog_fields(struct changelog *c, const struct world *w, struct changed_object *o, int64_t from, int64_t to,
		      struct arena *arena)
{
	struct object_id id = { o->cluster, kinds_find(&w->kinds, o->id.group, o->id.kind), o->id.ns, o->id.name };

	o->nfields = fields_between(c, &id, from, to, JSON_BY_POSITION, arena, &o->fields, &o->fields_unknown);
}

static bool is_healed(struct verdict_was was, struct verdict_was is)
{
	bool trouble = was.phase == PHASE_FAILED || was.phase == PHASE_DEGRADED || was.severity >= SEVERITY_WARNING;

	return trouble && is.phase == PHASE_READY && is.severity == SEVERITY_NONE;
}

static bool is_asked_for(const struct world *w, const struct query *q, const struct object_id *id)
{
	if (id->ns.len && !str_in_scope(id->ns, q->ns))
		return false;
	for (size_t i = 0; i < q->what.n; i++) {
		const struct selection *s = &q->what.list[i];

		if (s->kind == id->kind && (!s->name.len || str_eq(s->name, id->name)))
			return true;
	}
	return q->what.n == 0 || query_selects(q, w, store_find(w->store, id));
}

/* True when the last that was seen to happen to the object led to another verdict: it changed while nobody watched. */
static bool is_missed(const struct course *course, struct verdict_was is)
{
	const struct journal_entry *last = course->until_second;

	return last && (last->to.phase != (uint8_t)is.phase || last->to.severity != (uint8_t)is.severity);
}

/*
 * Compares an object at both moments.  Returns false when it did not exist at either, so that there is nothing to show.
 */
static bool compare(struct changelog *c, const struct world *w, const struct course *course, struct changed_object *o, struct arena *arena)
{
	const struct version_id *v = &course->id;
	struct object_id id = { v->cluster, w->kinds.all[v->kind - 1], arena_str(arena, v->ns), arena_str(arena, v->name) };
	struct summary s = { .phase = PHASE_UNKNOWN };
	struct handle h = store_find(w->store, &id);
	const struct summary *now = graph_summary(w->graph, h, &s) ? &s : NULL;
	struct verdict_was was, is;
	bool before = was_there(c, w, course->after_first, now, &was), after = is_there(c, w, course, now, &is);

	*o = (struct changed_object){
		.id = { id.kind->group, id.kind->kind, id.ns, id.name, graph_cluster_name(w->graph, id.cluster), h, false },
		.cluster = id.cluster,
		.time = v->changed,
		.from = was.phase,
		.to = is.phase,
		.from_known = before,
		.deselected = !after && course->until_second && course->until_second->deselected,
		.reason = arena_str(arena, s.reason),
		.message = arena_str(arena, s.message),
	};
	if (!after)
		o->word = CHANGE_WORD_GONE;
	else if (!before)
		o->word = CHANGE_WORD_NEW;
	else if (is_healed(was, is) && !is_missed(course, is))
		o->word = CHANGE_WORD_HEALED;
	return before || after;	/* otherwise it was created and removed between them */
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
	struct changes out = { .from = from, .to = to, .known_from = known_from(c, w) };
	struct courses all = find_courses(c, w, from, to, arena);
	struct changed_object *objects = arena_array(arena, all.n, sizeof(*objects));

	for (size_t i = 0; i < all.n; i++) {
		const struct version_id *v = &all.all[i].id;
		struct object_id id = { v->cluster, w->kinds.all[v->kind - 1], v->ns, v->name };

		if (!v->changed || !is_asked_for(w, q, &id) || !compare(c, w, &all.all[i], &objects[out.n], arena))
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

static enum change_word step_word(const struct journal_entry *e, bool is_new)
{
	if (e->what == JOURNAL_WENT)
		return CHANGE_WORD_GONE;
	if (is_new)
		return CHANGE_WORD_NEW;
	return is_healed(verdict_of(e->from), verdict_of(e->to)) ? CHANGE_WORD_HEALED : CHANGE_WORD_CHANGED;
}

static struct changed_object step_of(struct changelog *c, const struct world *w, const struct journal_entry *e,
				     struct arena *arena)
{
	struct journal_texts texts = journal_texts(e);
	const struct kind *kind = w->kinds.all[e->kind - 1];
	bool is_new = e->what == JOURNAL_CAME && !is_exchange(c, w, e);

	return (struct changed_object){
		.id = { kind->group, kind->kind, arena_str(arena, texts.ns), arena_str(arena, texts.name),
			graph_cluster_name(w->graph, e->cluster),
			store_find(w->store, &(struct object_id){ e->cluster, kind, texts.ns, texts.name }), false },
		.cluster = e->cluster,
		.word = step_word(e, is_new),
		.from = is_new ? PHASE_UNKNOWN : (enum phase)e->from.phase,
		.to = (enum phase)e->to.phase,
		.from_known = !is_new,
		.deselected = e->deselected,
		.time = e->time,
		.message = ARENA_JOIN(arena, texts.reason, str_of(texts.reason.len && texts.message.len ? ": " : ""), texts.message),
	};
}

struct changes changelog_timeline(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				  int64_t to, struct arena *arena)
{
	struct changes out = { .from = from, .to = to, .known_from = known_from(c, w) };
	const struct journal *j = graph_journal(w->graph);
	struct changed_object *objects = arena_array(arena, (size_t)(journal_end(j) - journal_first(j)), sizeof(*objects));

	for (uint64_t i = journal_first(j); i < journal_end(j); i++) {
		const struct journal_entry *e = journal_at(j, i);
		struct journal_texts texts = journal_texts(e);
		struct object_id id;

		if (e->time <= from || e->time > to || !is_change(c, w, e))
			continue;
		id = (struct object_id){ e->cluster, w->kinds.all[e->kind - 1], texts.ns, texts.name };
		if (!is_asked_for(w, q, &id))
			continue;
		objects[out.n] = step_of(c, w, e, arena);
		out.by_word[objects[out.n++].word]++;
	}
	if (out.n)
		qsort(objects, out.n, sizeof(*objects), by_time);
	out.objects = objects;
	return out;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/capsule.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/journal/edits.h"
#include "kube/journal/versions.h"
#include "plugin/dashboard/seek.h"
#include "plugin/record/latest.h"
#include "plugin/record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BEFORE MINUTES(1)	/* how long before the first root cause it begins */
/* The most bytes of a capsule with up to FEW objects; each further one may add BYTES_EACH. */
enum { FEW = 100, BYTES_FEW = 1000000, BYTES_EACH = 10000 };
/* When it is too large, the most versions of an object that are kept, the first and the last ones, and the bytes of the largest object. */
enum { VERSIONS = 32, OBJECT_BYTES = 256 * 1024 };
enum { NAMESPACES = 16 };	/* the most namespaces of which it is told which lists were complete */
enum { CONTEXT = 64 };		/* the most bytes of the context in the name of the file */

/* An object of the capsule. */
struct member {
	const struct object_id *id;
	bool is_there;		/* at the end */
	struct str first;	/* its text in the state at the beginning; "": it is not in it */
	const struct version_text *versions;	/* what it was after the beginning */
	size_t n;
};

struct capsule_writing {
	struct program *p;
	const struct capsule *c;	/* borrowed */
	enum { GOES_BACK, COLLECTS, TAKES_TEXTS, WRITES, WRITTEN } state;	/* what the next step does */
	struct arena arena;
	int64_t until;			/* when it ends, ms */
	struct seek *seek;		/* NULL: nothing is known of an earlier moment */
	const struct world *then;	/* the world at the beginning */
	struct member *members;
	size_t n;
	struct capsule_file file;
	struct recorder *r;
};

/* ---- its name ---------------------------------------------------------------- */

/* The name has the context, with a dash for each character that a file's name should not have, and the time. */
static void make_name(const struct capsule *c, char *out, size_t size)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	struct str context = c->context.len ? str_head(c->context, CONTEXT) : STR("recording");
	char time[TIME_TEXT];
	size_t before = strlen("kubectl-status-");

	snprintf(out, size, "kubectl-status-" STR_FMT "-%s.jsonl.gz", STR_ARG(context), time_format(c->clock, time));
	for (char *at = out + before; *at; at++)
		*at = *at && strchr(safe, *at) ? *at : '-';
}

/* ---- what is in it ------------------------------------------------------------ */

static struct versions *versions_of(const struct capsule_writing *w)
{
	return changelog_versions(w->p->changelog);
}

static struct str text_then(struct capsule_writing *w, const struct object_id *id)
{
	struct handle then = store_find(w->then->store, id), now = store_find(w->p->world.store, id);
	bool is_unchanged = now.slot && store_edits(w->then->store, then) == store_edits(w->p->world.store, now);
	struct str text;

	if (!then.slot)
		return STR_NONE;
	if (versions_at(versions_of(w), id, w->then->now, &w->arena, &text) == VERSION_THERE)
		return text;
	return is_unchanged ? w->c->text_of(w->c->ctx, id) : STR_NONE;
}

static void take_member(struct capsule_writing *w, struct member *m)
{
	struct version_text *only;

	m->is_there = store_find(w->p->world.store, m->id).slot != 0;
	m->first = text_then(w, m->id);
	m->versions = versions_between(versions_of(w), m->id, w->then->now, w->until, &w->arena, &m->n);
	if (!m->is_there || m->n || m->first.len)
		return;
	/* of an object of which nothing is kept, what it is now is told at the end */
	only = arena_alloc(&w->arena, sizeof(*only));
	*only = (struct version_text){ .time = w->until, .text = w->c->text_of(w->c->ctx, m->id) };
	m->versions = only;
	m->n = only->text.len > 0;
}

static void take_members(struct capsule_writing *w)
{
	const struct explaining *in = w->c->incident;

	w->members = arena_array(&w->arena, in->n, sizeof(*w->members));
	for (w->n = 0; w->n < in->n; w->n++) {
		w->members[w->n].id = &in->all[w->n];
		take_member(w, &w->members[w->n]);
	}
}

/* Removes objects that are larger than bytes, and versions in the middle of the others. */
static void thin(struct capsule_writing *w, size_t versions, size_t bytes)
{
	for (size_t i = 0; i < w->n; i++) {
		struct member *m = &w->members[i];
		size_t largest = m->first.len;
		struct version_text *kept;

		for (size_t k = 0; k < m->n; k++)
			largest = m->versions[k].text.len > largest ? m->versions[k].text.len : largest;
		if (largest > bytes) {
			m->first = STR_NONE;
			m->n = 0;
		}
		if (m->n <= versions)
			continue;
		kept = arena_array(&w->arena, versions, sizeof(*kept));
		memcpy(kept, m->versions, versions / 2 * sizeof(*kept));
		memcpy(kept + versions / 2, m->versions + m->n - (versions - versions / 2), (versions - versions / 2) * sizeof(*kept));
		m->versions = kept;
		m->n = versions;
	}
}

/* ---- writing it --------------------------------------------------------------- */

static void write_state(struct capsule_writing *w)
{
	struct latest *latest = latest_new();
	struct buf text = { 0 };
	uint32_t nslots;
	const uint8_t *slots = explaining_slots(w->c->incident, w->then, &w->arena, &nslots);

	for (size_t i = 0; i < w->n; i++) {
		struct handle h = store_find(w->then->store, w->members[i].id);

		if (!h.slot || !w->members[i].first.len)
			continue;
		buf_reset(&text);
		BUF_JOIN(&text, STR("{\"object\":"), w->members[i].first, STR("}"));
		latest_put(latest, h, w->members[i].id->kind->id, buf_str(&text), 0);
	}
	recorder_limit(w->r, slots, nslots);
	recorder_write_state(w->r, w->then, latest);
	latest_free(latest);
	buf_release(&text);
}

/* Returns what is known of the name of an object that does not exist now. */
static enum coverage known_of(const struct capsule_writing *w, const struct object_id *id)
{
	const struct store *store = w->p->world.store;
	enum coverage name = store_name_coverage(store, id), list = store_coverage(store, id->cluster, id->kind, id->ns);

	if (name == COVERAGE_COMPLETE || list == COVERAGE_COMPLETE ||
	    (list == COVERAGE_PARTIAL && store_kind_count(store, id->cluster, id->kind, id->ns)))
		return COVERAGE_COMPLETE;
	return name == COVERAGE_FORBIDDEN || list == COVERAGE_FORBIDDEN ? COVERAGE_FORBIDDEN : COVERAGE_NONE;
}

/* Writes which names of the capsule do not exist, or may not be read. */
static void write_known_names(struct capsule_writing *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct member *m = &w->members[i];
		enum coverage known = known_of(w, m->id);

		if (!m->is_there && !m->first.len && !m->n && known != COVERAGE_NONE)
			recorder_write_coverage(w->r, w->then->now, m->id, known);
	}
}

static size_t members_in(const struct capsule_writing *w, const struct object_id *of, const struct world *world)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct member *m = &w->members[i];

		n += m->id->kind == of->kind && m->id->cluster == of->cluster && str_eq(m->id->ns, of->ns) &&
		     (m->first.len || m->n) && store_find(world->store, m->id).slot;
	}
	return n;
}

/* Writes that the capsule has all objects of a kind in a namespace, if that is so. */
static void write_if_whole(struct capsule_writing *w, const struct object_id *of)
{
	const struct world *worlds[] = { w->then, &w->p->world };

	for (size_t i = 0; i < 2; i++)
		if (members_in(w, of, worlds[i]) != store_kind_count(worlds[i]->store, of->cluster, of->kind, of->ns))
			return;
	recorder_write_coverage(w->r, w->then->now, of, COVERAGE_COMPLETE);
}

/* Writes of which lists the capsule has all in a namespace; "": of which that have none. */
static void write_lists_in(struct capsule_writing *w, uint16_t cluster, struct str ns)
{
	const struct kinds *kinds = &w->p->world.kinds;

	for (uint32_t i = 0; i < kinds->count; i++) {
		struct object_id of = { cluster, kinds->all[i], ns, STR_NONE };
		bool fits = !!(of.kind->flags & KIND_NAMESPACED) == (ns.len > 0) && of.kind->version.len;
		enum coverage coverage = fits ? store_coverage(w->p->world.store, cluster, of.kind, ns) : COVERAGE_NONE;

		if (coverage == COVERAGE_FORBIDDEN)
			recorder_write_coverage(w->r, w->then->now, &of, coverage);
		else if (coverage == COVERAGE_COMPLETE)
			write_if_whole(w, &of);
	}
}

/* Returns true when one of the first n members is in the namespace of that object. */
static bool is_beside(const struct capsule_writing *w, size_t n, const struct object_id *id)
{
	for (size_t i = 0; i < n; i++)
		if (w->members[i].id->cluster == id->cluster && str_eq(w->members[i].id->ns, id->ns))
			return true;
	return false;
}

static void write_known_lists(struct capsule_writing *w)
{
	size_t clusters, namespaces = 0;

	w->p->source->contexts(w->p, &w->arena, &clusters);
	for (size_t i = 0; i < clusters; i++)
		write_lists_in(w, (uint16_t)i, STR_NONE);
	for (size_t i = 0; i < w->n && namespaces < NAMESPACES; i++) {
		if (!w->members[i].id->ns.len || is_beside(w, i, w->members[i].id))
			continue;
		write_lists_in(w, w->members[i].id->cluster, w->members[i].id->ns);
		namespaces++;
	}
}

/* So long before the first root cause a change of an object may have led to it. */
#define EDITED_BEFORE MINUTES(11)

/* Writes who changed an object shortly before the first root cause, or since. */
static void write_edits_of(struct capsule_writing *w, const struct object_id *id)
{
	const struct edits *edits = w->p->world.changes.edits;
	int64_t began = w->c->incident->began, from = (began ? began : w->until) - EDITED_BEFORE;
	const struct edit *all;
	size_t n = edits_of(edits, id, &w->arena, &all), kept = 0;

	while (kept < n && all[kept].time >= from)
		kept++;
	if (kept)
		recorder_write_edits(w->r, w->then->now, id, all, kept);
}

/* Does so for the objects of the capsule, and for those that concern others in their namespaces without being named by them. */
static void write_edits(struct capsule_writing *w)
{
	struct object_id id;

	for (size_t i = 0; i < w->n; i++)
		write_edits_of(w, w->members[i].id);
	for (size_t i = 0; edits_concerning(w->p->world.changes.edits, i, &id); i++)
		if (!explaining_has(w->c->incident, &id) && (!id.ns.len || is_beside(w, w->n, &id)))
			write_edits_of(w, &id);
}

struct step {
	int64_t time;
	const struct member *of;
	const struct version_text *version;	/* NULL: whether the kind of that object is watched in its namespace */
	enum recorded_as what;
	bool is_watched;
	size_t order;
};

struct steps {
	struct arena *arena;
	struct step *all;
	size_t n, cap;
};

static void add_step(struct steps *s, struct step step)
{
	s->all = arena_grow(s->arena, s->all, s->n, &s->cap, sizeof(*s->all));
	step.order = s->n;
	s->all[s->n++] = step;
}

static int compare_steps(const void *x, const void *y)
{
	const struct step *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void write_gone(struct capsule_writing *w, const struct step *step)
{
	const struct object_id *id = step->of->id;
	enum coverage known = known_of(w, id);

	recorder_write_gone(w->r, step->time, id, false);
	if (!step->of->is_there && known != COVERAGE_NONE)
		recorder_write_coverage(w->r, step->time, id, known);
}

static void write_step(struct capsule_writing *w, const struct step *step)
{
	struct json object;
	struct buf text = { 0 };

	if (!step->version) {
		recorder_write_watched(w->r, step->time, step->of->id, step->is_watched);
	} else if (step->version->gone) {
		write_gone(w, step);
	} else if (step->version->let_go) {
		recorder_write_let_go(w->r, step->time, step->of->id);
	} else if (json_parse(step->version->text, &object, &(struct err){ 0 }) == 0) {
		record_object(object, NULL, &text);
		json_free(object);
		recorder_write(w->r, step->time, step->what, step->of->id->cluster, buf_str(&text));
	}
	buf_release(&text);
}

static bool is_kind_of(const void *id, uint16_t cluster, uint32_t kind)
{
	const struct object_id *of = id;

	return of->cluster == cluster && of->kind->id == kind;
}

/* Adds when the kind of a member was not watched in its namespace, unless another one of them has come before. */
static void add_gaps(struct capsule_writing *w, size_t member, struct steps *s)
{
	const struct member *m = &w->members[member];
	struct watch_question q = { m->id->ns, is_kind_of, m->id };
	const struct gap *gaps;
	size_t n;

	for (size_t i = 0; i < member; i++)
		if (is_kind_of(m->id, w->members[i].id->cluster, w->members[i].id->kind->id) && str_eq(w->members[i].id->ns, m->id->ns))
			return;
	gaps = watched_gaps(journal_watched(graph_journal(w->p->world.graph)), &q, (struct gap){ w->then->now, w->until }, &w->arena, &n);
	if (n)
		add_step(s, (struct step){ .time = w->then->now, .of = m, .is_watched = true });
	for (size_t i = 0; i < n; i++) {
		add_step(s, (struct step){ .time = gaps[i].from, .of = m });
		add_step(s, (struct step){ .time = gaps[i].to, .of = m, .is_watched = true });
	}
}

static void add_versions(const struct member *m, struct steps *s)
{
	bool there = m->first.len > 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct version_text *v = &m->versions[i];
		bool leaves = v->gone || v->let_go;

		if (there || !leaves)
			add_step(s, (struct step){ .time = v->time, .of = m, .version = v,
						   .what = there ? RECORDED_MODIFIED : v->met ? RECORDED_MET : RECORDED_ADDED });
		there = !leaves;
	}
}

/* Writes what happened after the beginning, in the order of time. */
static void write_steps(struct capsule_writing *w)
{
	struct steps s = { .arena = &w->arena };

	for (size_t i = 0; i < w->n; i++) {
		add_gaps(w, i, &s);
		add_versions(&w->members[i], &s);
	}
	if (s.n)
		qsort(s.all, s.n, sizeof(*s.all), compare_steps);
	for (size_t i = 0; i < s.n; i++)
		write_step(w, &s.all[i]);
}

/* Puts the reason first, because a line of the screen may have no room for what follows it. */
static int reason_first(const char *name, struct err *err)
{
	struct err was = *err;
	struct str msg = str_of(was.msg);
	size_t at = str_find_str(msg, name);
	struct str reason = str_from(msg, at < msg.len ? at + strlen(name) + 2 : 0);

	return err_set(err, ERR_SYSTEM, STR_FMT ": %s", STR_ARG(reason), name);
}

static int write_file(struct capsule_writing *w, const char *name, struct err *err)
{
	size_t n;
	const struct str *contexts = w->p->source->contexts(w->p, &w->arena, &n);

	w->r = recorder_open(name, w->then, contexts, n, w->p->query.ns, err);
	if (!w->r)
		return reason_first(name, err);
	recorder_write_screen(w->r, w->then->now, w->c->screen);
	write_state(w);
	write_known_names(w);
	write_known_lists(w);
	write_edits(w);
	write_steps(w);
	recorder_write_mark(w->r, w->until);
	recorder_flush(w->r);
	w->file.bytes = recorder_written(w->r);
	if (recorder_close(w->r, err) == 0)
		return 0;
	unlink(name);
	return reason_first(name, err);
}

/* Returns when the capsule begins, ms. */
static int64_t beginning(const struct capsule_writing *w)
{
	const struct program *p = w->p;
	int64_t began = w->c->incident->began, from = (began && began < w->until ? began : w->until) - BEFORE;
	int64_t kept = versions_from(changelog_versions(p->changelog)), loaded = program_changes_from(p, from);

	from = kept > from ? kept : from;
	return loaded > from ? loaded < w->until ? loaded : w->until : from;
}

/* Writes it again with ever fewer versions and smaller objects, until it is small enough. */
static int write_small_enough(struct capsule_writing *w, struct err *err)
{
	struct capsule_file *out = &w->file;

	for (size_t versions = VERSIONS, bytes = OBJECT_BYTES;; versions /= 4, bytes /= 4) {
		if (write_file(w, out->name, err) < 0)
			return -1;
		if (out->bytes <= BYTES_FEW + (w->n > FEW ? (w->n - FEW) * BYTES_EACH : 0) || versions < 2)
			break;
		unlink(out->name);
		thin(w, versions, bytes);
	}
	for (size_t i = 0; i < w->n; i++)
		out->objects += w->members[i].first.len || w->members[i].n;
	return 0;
}

/* Returns true when the text names an object of the incident as an owner. */
static bool is_owned(const struct capsule_writing *w, const struct object_id *id, struct str text)
{
	struct json object;
	bool owned = false;

	if (json_parse(text, &object, &(struct err){ 0 }) < 0)
		return false;
	json_foreach(it, json_at(object, "metadata.ownerReferences")) {
		struct str api = json_str(it, "apiVersion"), group = str_head(api, str_find(api, '/') < api.len ? str_find(api, '/') : 0);
		struct object_id owner = { id->cluster, kinds_find(&w->p->world.kinds, group, json_str(it, "kind")), id->ns, json_str(it, "name") };

		owned |= owner.kind && explaining_has(w->c->incident, &owner);
	}
	json_free(object);
	return owned;
}

/* Adds a part of the incident that came and went since the beginning, such as a pod that was replaced. */
static void add_passed(struct capsule_writing *w, const struct version_id *v)
{
	struct object_id id = { v->cluster, w->p->world.kinds.all[v->kind - 1], v->ns, v->name };
	struct arena a = { 0 };
	const struct version_text *all;
	size_t n;

	if (store_find(w->p->world.store, &id).slot || store_find(w->then->store, &id).slot || explaining_has(w->c->incident, &id))
		return;
	all = versions_between(versions_of(w), &id, w->then->now, w->until, &a, &n);
	while (n > 0 && (all[n - 1].gone || all[n - 1].let_go))
		n--;
	if (n && is_owned(w, &id, all[n - 1].text))
		explaining_add_object(w->c->incident, &id);
	arena_release(&a);
}

/* Adds such parts, and their parts. */
static void add_all_passed(struct capsule_writing *w)
{
	enum { GENERATIONS = 2 };
	size_t n;
	const struct version_id *changed = versions_changed(versions_of(w), w->then->now, w->until, &w->arena, &n);

	for (int i = 0; i < GENERATIONS; i++)
		for (size_t k = 0; k < n; k++)
			add_passed(w, &changed[k]);
}

static bool is_selected_then(const void *ctx, struct handle h)
{
	const struct capsule_writing *w = ctx;

	return query_selects(&w->p->query, w->then, h);
}

/* ---- step by step --------------------------------------------------------------- */

struct capsule_writing *capsule_begin(struct program *p, const struct capsule *c)
{
	struct capsule_writing *w = xcalloc(1, sizeof(*w));

	w->p = p;
	w->c = c;
	w->until = p->world.now;
	w->then = &p->world;
	if (graph_history_from(p->world.graph))
		w->seek = seek_new(p);
	return w;
}

int capsule_step(struct capsule_writing *w, struct capsule_file *out, struct err *err)
{
	switch (w->state++) {
	case GOES_BACK:
		if (w->seek) {
			seek_to(w->seek, beginning(w));
			w->then = seek_world(w->seek);
		}
		return 1;
	case COLLECTS:
		explaining_add(w->c->incident, w->then, &(struct explaining_shown){ .selects = is_selected_then, .ctx = w });
		add_all_passed(w);
		return 1;
	case TAKES_TEXTS:
		take_members(w);
		return 1;
	case WRITES:
		make_name(w->c, w->file.name, sizeof(w->file.name));
		return write_small_enough(w, err) < 0 ? -1 : 1;
	case WRITTEN:
		seek_free(w->seek);
		w->seek = NULL;
		*out = w->file;
		return 0;
	}
	return -1;
}

void capsule_free(struct capsule_writing *w)
{
	if (!w)
		return;
	seek_free(w->seek);
	arena_release(&w->arena);
	xfree(w);
}

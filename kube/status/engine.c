/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the family of an object, lets it judge, and packs the result. */
#include "kube/status/engine.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/time.h"
#include "kube/model/framer.h"
#include "kube/status/labels.h"
#include "kube/status/usage.h"
#include "kube/status/retry.h"
#include "kube/status/verdict.h"

#include <string.h>

struct engine {
	const struct family *const *families;
	const struct family *fallback;
	struct store *store;
	struct labels *labels;	/* NULL: labels are not noted */
	struct usage *usage;	/* NULL: what pods and nodes use is not noted */
	struct arena arena;
	/* "Kind.group/namespace" of objects that have a status, of kinds of which no definition tells */
	struct map reporting;
	size_t unread_room;	/* when there are more of these, those that are not so any more are forgotten */
	struct map unread;	/* handles of objects that could not be read when they were put; some may be gone, or read, by now */
};

enum { UNREAD_ROOM = 256 };
enum { REPORTING = 4096 }; /* entries; of the rest it is not known whether somebody writes a status there */

static bool is_alias(const struct kind *kind)
{
	return kind && (kind->flags & KIND_ALIAS);
}

struct engine *engine_new(const struct family *const *families, struct store *store)
{
	struct engine *e = xcalloc(1, sizeof(*e));

	e->families = families;
	e->store = store;
	for (size_t i = 0; families[i]; i++) {
		for (const struct alias_rule *r = families[i]->aliases; r && r->kind; r++)
			kinds_put(store_kinds(store), STR_NONE, str_of(r->kind))->flags |=
				KIND_ALIAS | (r->namespaced ? (unsigned)KIND_NAMESPACED : 0);
		if (!families[i]->groups && !families[i]->claims && !families[i]->stands_for)
			e->fallback = families[i];
	}
	assert(e->fallback);
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	map_release(&e->reporting);
	map_release(&e->unread);
	arena_release(&e->arena);
	xfree(e);
}

void engine_note_labels(struct engine *e, struct labels *labels)
{
	e->labels = labels;
}

void engine_note_usage(struct engine *e, struct usage *usage)
{
	e->usage = usage;
}

/* Returns 2 when the pattern is exactly the group, 1 when it is a suffix of it, 0 when it does not fit. */
static int group_match(const struct family *f, struct str group)
{
	int best = 0;

	for (size_t i = 0; f->groups && f->groups[i]; i++) {
		if (str_is(group, f->groups[i]))
			return 2;
		if (f->groups[i][0] == '*' && str_ends(group, f->groups[i] + 1))
			best = 1;
	}
	return best;
}

const struct family *engine_family(const struct engine *e, const struct kind *kind, struct json object)
{
	const struct family *best = NULL;
	int best_match = 0;

	for (size_t i = 0; e->families[i]; i++) {
		const struct family *f = e->families[i];
		int match = group_match(f, kind->group);

		if (match > best_match && (!f->claims || f->claims(kind, object))) {
			best = f;
			best_match = match;
		}
	}
	for (size_t i = 0; !best && e->families[i]; i++)
		if (e->families[i]->stands_for)
			best = e->families[i]->stands_for(kind);
	for (size_t i = 0; !best && e->families[i]; i++)
		if (!e->families[i]->groups && e->families[i]->claims && e->families[i]->claims(kind, object))
			best = e->families[i];
	return best ? best : e->fallback;
}

/* ---- where references point ---------------------------------------------- */

/* Returns ".aws.example" for "iam.aws.example". */
static struct str domain_of(struct str group)
{
	return str_from(group, str_find(group, '.'));
}

/* Finds a kind of that name in any group, or in one of the same domain; the same group is tried first. */
static const struct kind *kind_called(const struct kinds *kinds, struct str group, struct str name, bool near)
{
	const struct kind *found = NULL;

	for (uint32_t i = 0; i < kinds->count && !(near && domain_of(group).len == 0); i++) {
		const struct kind *k = kinds->all[i];

		if (!k->version.len || !str_eq_nocase(k->kind, name))
			continue;
		if (str_eq(k->group, group))
			return k;
		if (!found && (!near || str_eq(domain_of(k->group), domain_of(group))))
			found = k;
	}
	return found;
}

/* Some references write a kind in lower case, and leave its group out. */
static void settle_kind(const struct kinds *kinds, const struct kind *own, struct ref *ref)
{
	const struct kind *kind;

	if (ref->flags & REF_ANY_KIND) {
		ref->group = STR_NONE;
		if (!is_alias(kinds_find(kinds, STR_NONE, ref->kind)))
			ref->kind = STR("?");
		return;
	}
	kind = kinds_find(kinds, ref->group, ref->kind);
	if (kind && kind->version.len && !(ref->flags & REF_ANY_GROUP))
		return;
	if (ref->flags & REF_NEAR_GROUP) {
		kind = kind_called(kinds, own->group, ref->kind, true);
		ref->group = kind ? kind->group : ref->group;
		ref->kind = kind ? kind->kind : ref->kind;
		return;
	}
	kind = kind_called(kinds, ref->flags & REF_ANY_GROUP ? own->group : ref->group, ref->kind, false);
	if (!kind && (ref->flags & REF_ANY_GROUP) && ref->group.len == 0)
		ref->group = own->group;
	if (!kind || (!(ref->flags & REF_ANY_GROUP) && !str_eq(kind->group, ref->group)))
		return;
	ref->group = kind->group;
	ref->kind = kind->kind;
	/*
	 * a kind of that name in the object's own group or in Kubernetes is surely meant; a kind of another group
	 * perhaps
	 */
	if (str_eq(kind->group, own->group) || kind->group.len == 0)
		ref->flags &= ~(unsigned)REF_ANY_GROUP;
}

static void settle_namespace(struct kinds *kinds, const struct verdict *v, struct ref *ref)
{
	const struct kind *kind = kinds_find(kinds, ref->group, ref->kind);
	bool known = kind && (kind->version.len || is_alias(kind)), namespaced = kind && (kind->flags & KIND_NAMESPACED);

	if ((ref->flags & REF_CLUSTER) || ((known || (ref->flags & REF_CLUSTER_TWIN)) && !namespaced))
		ref->ns = STR_NONE;
	else if (ref->ns.len == 0)
		ref->ns = v->ns;
}

static void settle_refs(struct engine *e, struct verdict *v)
{
	struct kinds *kinds = store_kinds(e->store);
	struct ref *refs = v->refs.items;

	for (size_t i = 0; i < v->refs.n; i++) {
		settle_kind(kinds, v->kind, &refs[i]);
		settle_namespace(kinds, v, &refs[i]);
	}
}

/* ---- one object ---------------------------------------------------------- */

/* Returns "v1" for "apps/v1". */
static struct str version_of(struct json object)
{
	struct str api = json_str(object, "apiVersion");
	size_t slash = str_find(api, '/');

	return slash < api.len ? str_from(api, slash + 1) : api;
}

static const struct kind *kind_of(struct kinds *kinds, struct json object)
{
	struct str api = json_str(object, "apiVersion"), name = json_str(object, "kind"), version = version_of(object);
	struct kind *kind;

	if (name.len == 0)
		return NULL;
	kind = kinds_put(kinds, verdict_group_of(api), name);
	if (kind->version.len == 0) {
		kind->version = kinds_name(kinds, version);
		kind->versions = kind->version;
	}
	if (kind->flags & KIND_DISCOVERED)
		return kind;
	if (version.len)
		kinds_add_version(kinds, kind, version);
	if (json_str(object, "metadata.namespace").len)
		kind->flags |= KIND_NAMESPACED;
	return kind;
}

static void reporting_key(struct buf *key, const struct kind *kind, struct str ns)
{
	buf_printf(key, "%u/" STR_FMT, kind->id, STR_ARG(ns));
}

/* What the object tells of kinds: a definition of that which it defines, any other of its own. */
static void learn(struct engine *e, const struct kind *kind, struct json object)
{
	struct kinds *kinds = store_kinds(e->store);
	struct buf key = { 0 };

	if (str_is(kind->kind, "CustomResourceDefinition"))
		kinds_define(kinds, object);
	if (!kinds_note_status(kinds, kind, object) || (kind->flags & (KIND_HAS_STATUS | KIND_SCHEMA_READ)) ||
	    !(kind->flags & KIND_CUSTOM) || map_count(&e->reporting) >= REPORTING)
		return;
	reporting_key(&key, kind, json_str(object, "metadata.namespace"));
	map_set(&e->reporting, buf_str(&key), e);
	buf_release(&key);
}

/* The object has none, but another one of the kind in the same namespace has: the controller handles that namespace. */
static bool sibling_reports(const struct engine *e, const struct verdict *v)
{
	struct buf key = { 0 };
	bool reports;

	if (json_has(v->object, "status"))
		return false;
	reporting_key(&key, v->kind, v->ns);
	reports = map_get(&e->reporting, buf_str(&key)) != NULL;
	buf_release(&key);
	return reports;
}

const struct kind *engine_kind(struct engine *e, struct json object)
{
	const struct kind *kind = kind_of(store_kinds(e->store), object);

	if (kind)
		learn(e, kind, object);
	return kind;
}

/*
 * The object was deleted and created again while nobody watched: a handle names one object for ever, so this one gets
 * another handle.
 */
static void bury_namesake(struct store *s, const struct object_meta *meta, struct arena *arena)
{
	struct handle old = store_find(s, &meta->id);
	struct str uid = store_uid(s, old, arena);

	if (uid.len && meta->uid.len && !str_eq(uid, meta->uid))
		store_remove(s, old);
}

/* No server has this object (it comes from a manifest), so nobody can say whether it has reached its desired state. */
static void inspect_nameless(struct verdict *v, struct str stand_in)
{
	v->name = stand_in;
	v->family->inspect(v);
	if (v->status.phase == PHASE_READY)
		verdict_set(v, PHASE_UNKNOWN, SEVERITY_WARNING, STR_NONE, STR("the object has no metadata.name"));
}

/* ---- objects that cannot be read ------------------------------------------- */

static struct str unread_why(struct json object)
{
	return json_str(json_member(object, STR(FRAMER_UNREAD)), "");
}

/* Nothing else is known of it: whatever it was before, it is not Ready now. */
static void inspect_unread(struct verdict *v)
{
	verdict_set(v, PHASE_UNKNOWN, SEVERITY_WARNING, STR_NONE,
		    ARENA_JOIN(v->arena, STR("the object cannot be read: "), unread_why(v->object)));
	v->status.rule = STR("the object cannot be read");
	verdict_flag(v, ENGINE_UNREAD);
}

static bool is_unread(const struct engine *e, struct handle h)
{
	struct arena arena = { 0 };
	bool is = false;

	if (store_alive(e->store, h)) {
		struct status st = store_status(e->store, h, &arena);

		is = status_has_flag(&st, ENGINE_UNREAD);
	}
	arena_release(&arena);
	return is;
}

static struct handle noted_handle(const struct map_entry *entry)
{
	struct handle h;

	memcpy(&h, map_key(entry).ptr, sizeof(h));
	return h;
}

const struct handle *engine_unread(const struct engine *e, struct arena *arena, size_t *out_n)
{
	size_t all = map_count(&e->unread);
	struct handle *found = all ? arena_array(arena, all, sizeof(*found)) : NULL;

	*out_n = 0;
	for (struct map_entry *it = map_next(&e->unread, NULL); it; it = map_next(&e->unread, it))
		if (is_unread(e, noted_handle(it)))
			found[(*out_n)++] = noted_handle(it);
	return *out_n ? found : NULL;
}

static void forget_read(struct engine *e)
{
	struct map_entry *next, *it = map_next(&e->unread, NULL);

	for (; it; it = next) {
		struct handle h = noted_handle(it);

		next = map_next(&e->unread, it);
		if (!is_unread(e, h))
			map_remove(&e->unread, (struct str){ (const char *)&h, sizeof(h) });
	}
	e->unread_room = 2 * map_count(&e->unread) + UNREAD_ROOM;
}

static void note_unread(struct engine *e, struct handle h)
{
	if (map_count(&e->unread) >= e->unread_room)
		forget_read(e);
	map_set(&e->unread, (struct str){ (const char *)&h, sizeof(h) }, e);
}

/* ---- before and after the family -------------------------------------------- */

/*
 * What True means for a condition of these types, for the list of conditions: trouble or movement; for all other types
 * it is good.  A family may say otherwise (verdict_polarity()).  It does not decide the phase:
 * kube/evidence/conditions.c weighs conditions of unknown kinds, and phrase.c tells what a reason or a message means.
 */
static enum polarity usual_polarity(struct str type)
{
	static const char *const bad[] = { "Failed",   "Failure",  "Error",	"Degraded", "Stalled",
					   "Pressure", "Unavailable", "Unhealthy", "Deprecated", "Conflict",
					   "Terminal", "Invalid",  "NotReady",	"Missing",  "Blocked",  NULL };
	static const char *const moving[] = { "Progressing", "Reconciling", "Pending",	"Updating",
					      "Provisioning", "Terminating", "Unpacking", "Downloading",
					      "Paused",	     "Suspended", NULL };

	if (str_ends_any(type, bad))
		return POLARITY_NEGATIVE;
	if (str_ends_any(type, moving))
		return POLARITY_TRANSITIONAL;
	return POLARITY_POSITIVE;
}

/* status may be a boolean of YAML where somebody wrote it by hand */
static struct str status_text(struct json c)
{
	if (json_type(json_at(c, "status")) == JSON_BOOL)
		return json_bool(c, "status", false) ? STR("True") : STR("False");
	return json_str(c, "status");
}

/* The conditions of Forklift and Crane have a category in place of a severity (kubev2v/forklift pkg/lib/condition). */
static struct str severity_text(struct json c)
{
	struct str severity = json_str(c, "severity");

	return severity.len ? severity : json_str(c, "category");
}

static void read_conditions(struct verdict *v)
{
	const char *path = v->family->conditions_path ? v->family->conditions_path : "status.conditions";

	json_foreach(c, json_at(v->object, path)) {
		if (!json_is_object(c) || json_str(c, "type").len == 0)
			continue;
		verdict_add_condition(v, (struct condition){
			.type = json_str(c, "type"),
			.status = status_text(c),
			.reason = json_str(c, "reason"),
			.message = json_str(c, "message"),
			.severity = severity_text(c),
			.since = json_time(c, "lastTransitionTime"),
			.generation = json_int(c, "observedGeneration", -1),
			.polarity = usual_polarity(json_str(c, "type")),
		});
	}
}

static void read_owners(struct verdict *v)
{
	json_foreach(o, json_at(v->object, "metadata.ownerReferences")) {
		struct ref ref = {
			.relation = RELATION_OWNS,
			.flags = (json_bool(o, "controller", false) ? REF_CONTROLLER : 0) |
				 (json_bool(o, "blockOwnerDeletion", false) ? REF_STANDS : 0),
			.group = verdict_group_of(json_str(o, "apiVersion")),
			.kind = json_str(o, "kind"),
			.name = json_str(o, "name"),
			.via = STR("metadata.ownerReferences"),
		};

		if (ref.kind.len)
			verdict_ref(v, ref);
	}
}

static struct str label_of(struct verdict *v, struct json labels, struct str lead, const char *word)
{
	return json_str(json_member(labels, ARENA_JOIN(v->arena, lead, str_of(word))), "");
}

/*
 * Where an object has no owner references, because its owner is in another namespace or its operator does not use them,
 * labels with one beginning may tell the owner's kind and name: "kro.run/instance-kind", "kro.run/instance-name",
 * "olm.owner.kind", "olm.owner".
 */
static void read_owner_labels(struct verdict *v)
{
	struct json labels = json_at(v->object, "metadata.labels");

	json_foreach(l, labels) {
		struct str key = json_key(l), lead = str_head(key, key.len - 4);
		struct ref ref = { .relation = RELATION_OWNS, .kind = json_str(l, ""), .via = STR("metadata.labels") };

		if (!str_ends(key, "kind") || lead.len < 2 || !strchr("-./", lead.ptr[lead.len - 1]) || ref.kind.len == 0)
			continue;
		ref.name = label_of(v, labels, lead, "name");
		ref.ns = label_of(v, labels, lead, "namespace");
		ref.group = label_of(v, labels, lead, "group");
		if (ref.name.len == 0)
			ref.name = json_str(json_member(labels, str_head(lead, lead.len - 1)), "");
		if (ref.group.len == 0)
			ref.flags |= REF_ANY_GROUP;
		verdict_ref(v, ref);
		return;
	}
}

/* Reads metadata, conditions, owners, finalizers, and the rows of references. */
static void begin(struct verdict *v)
{
	v->name = json_str(v->object, "metadata.name");
	v->ns = json_str(v->object, "metadata.namespace");
	v->created = json_time(v->object, "metadata.creationTimestamp");
	v->deleting = json_time(v->object, "metadata.deletionTimestamp");
	v->generation = json_int(v->object, "metadata.generation", 0);
	v->status = (struct status){ .phase = PHASE_UNKNOWN, .replicas = REPLICAS_NONE };
	read_conditions(v);
	read_owners(v);
	if (v->refs.n == 0)
		read_owner_labels(v);
	json_foreach(f, json_at(v->object, "metadata.finalizers"))
		verdict_finalizer(v, json_str(f, ""));
	verdict_apply_ref_rows(v);
}

/* A deletionTimestamp is the end of the grace period, not the time of the request. */
static int64_t deletion_began(const struct verdict *v)
{
	int64_t grace = json_int(v->object, "metadata.deletionGracePeriodSeconds", 0);

	return grace > 0 && grace < (v->deleting - v->created) / SECONDS(1) ? v->deleting - SECONDS(grace) : v->deleting;
}

/* "DeleteFailed": the operator tries again to delete it. */
static bool says_deletion_fails(struct str words)
{
	return phrase_has(words, "fail* error*") && phrase_has(words, "delet* deprovision* destroy* terminat* uninstall* finaliz* cleanup");
}

/* Also a condition says so by its type, "DeleteFailed=True", while the reason of the whole says nothing of it. */
static bool deletion_fails(struct verdict *v, struct str *out_reason, struct str *out_message)
{
	*out_reason = v->status.reason;
	*out_message = v->status.message;
	if (says_deletion_fails(*out_reason))
		return true;
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (!condition_is(c, "True") || !says_deletion_fails(c->type))
			continue;
		*out_reason = c->reason.len ? c->reason : c->type;
		*out_message = verdict_pointed_at(v, c->message);
		verdict_rule(v, ARENA_JOIN(v->arena, STR("condition "), c->type, STR("=True")));
		return true;
	}
	return false;
}

static void finish_deletion(struct verdict *v)
{
	struct status *st = &v->status;
	struct str reason, message;

	if (!v->deleting)
		return;
	if (st->phase != PHASE_DELETING && deletion_fails(v, &reason, &message)) {
		/* its own words tell why it is still there */
		verdict_set(v, PHASE_DELETING, st->severity < SEVERITY_WARNING ? SEVERITY_WARNING : st->severity, reason, message);
	} else if (st->phase != PHASE_DELETING) {
		enum severity severity = st->severity;

		verdict_set(v, PHASE_DELETING, severity == SEVERITY_ERROR ? severity : SEVERITY_INFO,
			    STR_NONE, STR_NONE);
		verdict_rule(v, STR("metadata.deletionTimestamp"));
	}
	if (st->severity == SEVERITY_NONE)
		st->severity = SEVERITY_INFO;
	st->since = deletion_began(v);
}

/*
 * Nothing is in a state for longer than it exists: the clock of a controller may be behind the clock of the API server.
 * When both differ by more than clocks do, the object was restored from a backup, and its status was in that state for
 * so long.
 */
#define CLOCKS_DIFFER MINUTES(5)

static void correct_clock(const struct verdict *v, int64_t *since)
{
	if (*since < v->created && *since + CLOCKS_DIFFER >= v->created)
		*since = v->created;
}

/* Each of these is what a server writes into every object, or into every one of its kind. */
static bool is_from_server(struct json object)
{
	static const char *const marks[] = { "uid", "resourceVersion", "creationTimestamp", "generation", "deletionTimestamp", NULL };
	struct json metadata = json_at(object, "metadata");

	for (size_t i = 0; marks[i]; i++)
		if (json_has(metadata, marks[i]))
			return true;
	return false;
}

/* Adds the deletion, and the lists, to the status. */
static void finish(struct verdict *v)
{
	struct status *st = &v->status;

	st->untouched = json_count(json_at(v->object, "status")) == 0 && !unread_why(v->object).len;
	verdict_read_messages(v);
	/* what is made for the first time has been in progress since it was created, if nobody knows better */
	if (st->phase == PHASE_PROVISIONING && !st->since)
		st->since = v->created;
	correct_clock(v, &st->since);
	finish_deletion(v);
	st->conditions = v->conditions.items;
	st->refs = v->refs.items;
	st->external = v->external.items;
	st->history = v->history.items;
	st->because = v->because.items;
	st->flags = v->flags.items;
	st->finalizers = v->finalizers.items;
	st->particulars = v->particulars.items;
	st->nconditions = v->conditions.n;
	st->nrefs = v->refs.n;
	st->nexternal = v->external.n;
	st->nhistory = v->history.n;
	st->nbecause = v->because.n;
	st->nflags = v->flags.n;
	st->nfinalizers = v->finalizers.n;
	st->nparticulars = v->particulars.n;
}

/* Compares with what is known of the same object from before. */
static void compare_before(struct engine *e, struct verdict *v, const struct object_meta *meta, const struct status *known)
{
	struct handle old = store_find(e->store, &meta->id);
	struct status before = { .phase = PHASE_UNKNOWN };
	bool same;

	if (v->deleting || meta->file || v->status.phase == PHASE_READY || (!old.slot && !known))
		return;
	before = old.slot ? store_status(e->store, old, v->arena) : *known;
	if (!old.slot) {	/* the recording tells of the attempt that is in progress now */
		before.async = v->status.async;
		before.replicas = v->status.replicas;
		before.version_to = v->status.version_to;
	}
	same = v->generation && (!old.slot || store_meta(e->store, old).generation == v->generation);
	if (same)
		retry_compare(v, &before);
	if (!v->family->assess || v->family->provisions_once)
		retry_was_ready(v, &before, same);
}

enum change engine_put(struct engine *e, const struct engine_source *from, struct json object, int64_t now,
		       struct handle *out_handle)
{
	const struct kind *kind = from->kind ? from->kind : kind_of(store_kinds(e->store), object);
	struct verdict v = { .arena = &e->arena, .object = object, .kind = kind, .now = now,
			     .kinds = store_kinds(e->store) };
	struct object_meta meta;
	enum change change;
	bool unread;

	*out_handle = HANDLE_NONE;
	if (!kind || (json_str(object, "metadata.name").len == 0 && from->name.len == 0))
		return CHANGE_NONE;
	learn(e, kind, object);
	v.family = engine_family(e, kind, object);
	begin(&v);
	v.sibling_reports = sibling_reports(e, &v);
	unread = unread_why(object).len > 0;
	if (unread && v.name.len)
		inspect_unread(&v);
	else if (v.name.len)
		v.family->inspect(&v);
	else
		inspect_nameless(&v, from->name);
	finish(&v);
	v.status.manifest = from->file && v.status.untouched && from->name.len == 0 && !is_from_server(object);
	settle_refs(e, &v);
	meta = (struct object_meta){
		.id = { from->cluster, kind, v.ns, v.name },
		.version = version_of(object),
		.uid = json_str(object, "metadata.uid"),
		.created = v.created,
		.deleting = v.deleting,
		.generation = v.generation,
		.family = v.family,
		.file = from->file,
		.again = from->again,
		.met = from->met,
	};
	bury_namesake(e->store, &meta, &e->arena);
	if (!unread)
		compare_before(e, &v, &meta, from->before);
	change = store_put(e->store, &meta, &v.status, out_handle);
	if (unread)
		note_unread(e, *out_handle);
	if (e->labels && labels_note(e->labels, *out_handle, kind, object, now))
		store_touch(e->store, *out_handle);
	if (e->usage && usage_tells(kind))
		usage_note(e->usage, from->cluster, kind, object, now);
	arena_reset(&e->arena);
	return change;
}

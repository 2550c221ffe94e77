/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/unread.h"

#include "kube/base/nearest.h"
#include "plugin/notices.h"
#include "tui/view/well.h"

#define NAMESPACES STR("namespaces")
#define OBJECTS STR("objects")	/* the resource of the notice about objects that cannot be read */

/* Whoever asks for an exit status wants to know of each cluster that it is well. */
static bool is_strict(const struct program *p)
{
	return p->options.exit_code || p->options.wait_for;
}

/*
 * Who waits for what will be created may begin before the namespace is there; what is waited for to be deleted may have
 * been deleted together with it.
 */
static bool needs_namespace(const struct program *p)
{
	const struct options *o = &p->options;

	if (query_has_names(&p->query))
		return false;
	if (o->wait_for)
		return o->goal != GOAL_CREATE && o->goal != GOAL_DELETE && !o->ignore_not_found;
	return !o->ignore_not_found;
}

/* ---- what the store knows ------------------------------------------------- */

/* Returns why a cluster did not tell a kind, as world_source.unreadable() does; NULL: it did, or no cluster was asked. */
static const struct err *unreadable(const struct program *p, const struct kind *kind, bool anywhere)
{
	return p->source->asks ? p->source->unreadable(p, kind, anywhere) : NULL;
}

/* Returns true when an object was found in these namespaces: of that kind, or with NULL of any kind that has namespaces. */
static bool is_found(const struct program *p, const struct kind *kind, struct str scope)
{
	const struct store *store = p->world.store;

	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1)) {
		struct object_id id = store_node_id(store, h.slot);

		if ((kind ? id.kind == kind : id.ns.len > 0) && (str_in_scope(id.ns, scope) || !id.ns.len) && query_selects(&p->query, &p->world, h))
			return true;
	}
	return false;
}

static bool is_namespace(const struct object_id *id)
{
	return id->kind && id->kind->group.len == 0 && str_is(id->kind->kind, "Namespace");
}

struct namespace_seen {
	struct str ns;
	bool missing, maybe;	/* a cluster has told all that it has; another may have it and not tell */
};

static void see_namespace(void *ctx, const struct object_id *told, enum coverage coverage)
{
	struct namespace_seen *seen = ctx;

	if (!is_namespace(told) || (told->name.len && !str_eq(told->name, seen->ns)))
		return;
	seen->missing |= coverage == COVERAGE_COMPLETE;
	seen->maybe |= coverage != COVERAGE_COMPLETE;
}

/* Returns true when there is that namespace; with inside also when something is in it. */
static bool is_there(const struct program *p, struct str ns, bool inside)
{
	const struct store *store = p->world.store;

	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1)) {
		struct object_id id = store_node_id(store, h.slot);

		if ((is_namespace(&id) && str_eq(id.name, ns)) || (inside && str_eq(id.ns, ns)))
			return true;
	}
	return false;
}

/* What was recorded of one namespace alone was looked for there. */
static void see_scope(void *ctx, const struct object_id *told, enum coverage coverage)
{
	struct namespace_seen *seen = ctx;

	(void)coverage;
	seen->maybe |= str_in_scope(seen->ns, told->ns) && told->ns.len;
}

/*
 * Returns true when a recording that has ended, and shows something, has nothing of that namespace.  Whether there was one is not known: it
 * is told as what could not be read.  --diff claims no health: nothing has changed there.
 */
static bool is_unrecorded(const struct program *p, struct str ns)
{
	struct namespace_seen seen = { .ns = ns };

	if (!p->source->plays || p->options.diff || p->source->facts(p).next || !store_next(p->world.store, 0).slot || !query_has_namespaced(&p->query))
		return false;
	store_each_coverage(p->world.store, see_scope, &seen);
	return !seen.maybe && !is_there(p, ns, true);
}

static bool lacks_namespace(const struct program *p, struct str ns)
{
	struct namespace_seen seen = { .ns = ns };

	if (p->source->whole)
		return !is_there(p, ns, true) && query_has_namespaced(&p->query);
	store_each_coverage(p->world.store, see_namespace, &seen);
	if (is_unrecorded(p, ns))
		return true;
	/* a cluster that does not answer may have it */
	return seen.missing && !seen.maybe && !p->source->facts(p).lost.len && !is_there(p, ns, false) && !is_found(p, NULL, ns);
}

struct str unread_namespaces(const struct program *p, struct arena *arena)
{
	struct str rest = p->query.ns, ns, absent = STR_NONE;

	while (str_split(&rest, ',', &ns))
		if (lacks_namespace(p, ns))
			absent = ARENA_JOIN(arena, absent, str_of(absent.len ? "," : ""), ns);
	return absent;
}

bool unread_no_namespace(const struct program *p)
{
	struct arena arena = { 0 };
	bool none = p->query.ns.len && str_eq(unread_namespaces(p, &arena), p->query.ns);

	arena_release(&arena);
	return none;
}

/* ---- what may not be read ---------------------------------------------------- */

struct recorded {
	const struct kind *kind;	/* NULL: every kind that the query asks for */
	struct str ns;
	bool refused, read;
};

static void see_recorded(void *ctx, const struct object_id *id, enum coverage coverage)
{
	struct recorded *r = ctx;

	if (!id->kind || id->name.len || (id->ns.len && !str_in_scope(id->ns, r->ns)))
		return;
	if (r->kind ? id->kind != r->kind : !query_default_kind(id->kind))
		return;
	r->refused |= coverage == COVERAGE_FORBIDDEN;
	r->read |= coverage != COVERAGE_FORBIDDEN;
}

static bool is_refused(const struct program *p, const struct kind *kind, struct str ns)
{
	struct recorded r = { .kind = kind, .ns = ns };

	store_each_coverage(p->world.store, see_recorded, &r);
	return r.refused && !r.read && !is_found(p, kind, ns);
}

/* A recording has no notices and no errors, but says which kinds its recorder was not allowed to read. */
static bool is_refused_in_recording(const struct program *p, const struct kind *kind)
{
	return !p->query.files && p->source->plays && is_refused(p, kind, p->query.ns);
}

/* Returns the first of several namespaces that were named in which this may not be read; "": there is none. */
static struct str refused_namespace(const struct program *p, const struct kind *kind)
{
	struct str rest = p->query.ns, ns;

	if (query_has_names(&p->query) || str_find(rest, ',') == rest.len)
		return STR_NONE;
	while (str_split(&rest, ',', &ns))
		if (is_refused(p, kind, ns))
			return ns;
	return STR_NONE;
}

/* ---- both -------------------------------------------------------------------- */

static void count_coverage(void *n, const struct object_id *id, enum coverage coverage)
{
	(void)id;
	(void)coverage;
	++*(size_t *)n;
}

bool unread_yet(const struct program *p)
{
	size_t n = 0;

	if (p->query.files || !p->source->facts(p).empty || store_next(p->world.store, 0).slot)
		return false;
	store_each_coverage(p->world.store, count_coverage, &n);
	return n == 0;
}

static bool is_unread(const struct program *p, const struct kind *kind)
{
	return unreadable(p, kind, is_strict(p)) || is_refused_in_recording(p, kind) || refused_namespace(p, kind).len;
}

bool unread_everything(const struct program *p)
{
	if (p->source->asks)
		return unreadable(p, NULL, is_strict(p) && p->query.what.n == 0) != NULL;
	if (p->query.what.n == 0)
		return is_refused_in_recording(p, NULL);
	for (size_t i = 0; i < p->query.what.n; i++)
		if (!is_refused_in_recording(p, p->query.what.list[i].kind))
			return false;
	return true;
}

static struct notice missing_namespace(const struct program *p, struct str ns, struct arena *a)
{
	static const char *const unrecorded[2] = { "the recording has nothing of namespace", "" };
	const char *const *words = is_unrecorded(p, ns) ? unrecorded : p->source->no_namespace;

	return (struct notice){ .kind = STR("missing"), .resource = NAMESPACES, .ns = ns,
				.message = arena_printf(a, "%s \"" STR_FMT "\"%s", words[0], STR_ARG(ns), words[1]) };
}

/* ---- objects that cannot be read ------------------------------------------- */

static struct notice unread_objects(const struct program *p, struct arena *a)
{
	size_t n;
	const struct handle *all = engine_unread(p->world.engine, a, &n);
	struct notice notice = { .kind = STR("unreadable"), .resource = OBJECTS };
	struct object_id id;
	struct str name;

	if (!all)
		return notice;
	id = store_node_id(p->world.store, all[0].slot);
	name = ARENA_JOIN(a, id.kind->kind, STR("/"), id.name, str_of(id.ns.len ? " in namespace " : ""), id.ns);
	notice.message = arena_printf(a, n == 1 ? "%zu object is Unknown%s" : "%zu objects are Unknown%s", n, n == 1 ? ": " : ", the first: ");
	notice.message = ARENA_JOIN(a, notice.message, name, STR(": "), store_brief(p->world.store, all[0]).message);
	return notice;
}

static void note_objects(struct program *p)
{
	struct arena arena = { 0 };
	struct notice now = unread_objects(p, &arena);
	bool told = false;

	for (size_t i = 0; i < p->world.nnotices; i++)
		told |= str_eq(p->world.notices[i].resource, now.resource) && str_eq(p->world.notices[i].message, now.message);
	if (!told)
		world_unnotice(&p->world, (struct notice){ .kind = now.kind, .resource = now.resource });
	if (!told && now.message.len)
		world_notice(&p->world, now);
	arena_release(&arena);
}

void unread_note(struct program *p)
{
	struct arena arena = { 0 };
	struct str absent = unread_namespaces(p, &arena), rest = p->query.ns, ns;

	note_objects(p);
	while (str_split(&rest, ',', &ns)) {
		struct notice n = missing_namespace(p, ns, &arena);

		if (str_is_listed(ns, absent))
			world_notice(&p->world, n);
		else
			world_unnotice(&p->world, (struct notice){ .kind = n.kind, .resource = n.resource, .ns = n.ns });
	}
	arena_release(&arena);
}

/* ---- lines ---------------------------------------------------------------------- */

/* Marks the notices with that resource and any of these kinds, which are separated by commas, as printed. */
static void mark_said(struct program *p, struct str resource, const char *kinds)
{
	for (size_t i = 0; i < p->world.nnotices; i++) {
		struct notice *n = &p->world.notices[i];
		struct str rest = str_of(kinds), kind;

		while ((resource.len == 0 || str_eq(n->resource, resource)) && str_split(&rest, ',', &kind))
			n->said |= str_eq(n->kind, kind);
	}
}

static void offer_namespaces(const struct program *p, struct nearest *near)
{
	const struct store *store = p->world.store;

	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1))
		nearest_offer(near, store_node_id(store, h.slot).ns);
}

static void say_namespace(const struct program *p, struct str ns)
{
	struct arena arena = { 0 };
	struct nearest near = { .typed = ns };
	struct str message = missing_namespace(p, ns, &arena).message;
	struct err err;

	err_set(&err, ERR_INPUT, STR_FMT, STR_ARG(message));
	if (p->source->asks)
		err_hint(&err, "kubectl get namespaces lists those that exist");
	else
		offer_namespaces(p, &near);
	if (near.n)
		nearest_hint(&near, &err, "");
	say_error(&err);
	arena_release(&arena);
}

/* Returns "in namespace shop" or "in any namespace", and " of one of the clusters" where others could be read. */
static struct str place_words(const struct program *p, struct arena *a)
{
	struct str place = p->query.ns.len ? arena_printf(a, "in namespace%s " STR_FMT, str_find(p->query.ns, ',') < p->query.ns.len ? "s" : "", STR_ARG(p->query.ns)) : STR("in any namespace");

	return p->source->asks && !unreadable(p, NULL, false) ? ARENA_JOIN(a, place, STR(" of one of the clusters")) : place;
}

/* Prints one line for all kinds of a query that names none. */
static void say_everything(struct program *p)
{
	struct arena arena = { 0 };
	const struct err *why = unreadable(p, NULL, is_strict(p));
	struct str kinds = well_forbidden(notices_forbidden(&p->world, &p->query), &arena), place = place_words(p, &arena);
	struct str ns = str_head(p->query.ns, str_find(p->query.ns, ','));

	if (!why)
		say_redacted(arena_printf(&arena, "error: nothing was read " STR_FMT ": " STR_FMT ", the recording says", STR_ARG(place), STR_ARG(kinds)));
	else if (why->code == ERR_FORBIDDEN)
		say_line(arena_printf(&arena, "error: nothing may be read " STR_FMT ": " STR_FMT ": %s (kubectl auth can-i --list%s" STR_FMT
				      " lists what you may do)", STR_ARG(place), STR_ARG(kinds), why->msg, ns.len ? " -n " : "", STR_ARG(ns)));
	else
		say_error(why);
	mark_said(p, STR_NONE, "forbidden,unavailable");
	arena_release(&arena);
}

/* Prints the notices of a kind: of each name, or of the list of the query, as kubectl prints such errors. */
static bool say_notices_of(struct program *p, struct str resource, bool by_name)
{
	struct str before = STR_NONE;

	for (size_t i = 0; i < p->world.nnotices; i++) {
		const struct notice *n = &p->world.notices[i];

		if (!str_eq(n->resource, resource) || n->said || (!str_is(n->kind, "forbidden") && !str_is(n->kind, "unavailable")) ||
		    str_eq(n->message, before))
			continue;
		say_redacted(n->message);
		before = n->message;
		if (!by_name)
			break;
	}
	mark_said(p, resource, "forbidden,unavailable");
	return before.len > 0;
}

static void say_kind(struct program *p, const struct selection *s)
{
	struct arena arena = { 0 };
	struct str resource = arena_printf(&arena, STR_FMT "%s" STR_FMT, STR_ARG(s->kind->plural), s->kind->group.len ? "." : "",
					   STR_ARG(s->kind->group));

	const struct err *why = unreadable(p, s->kind, is_strict(p));

	if (p->source->plays)
		say_redacted(ARENA_JOIN(&arena, STR("error: "), resource, STR(" may not be read, the recording says")));
	else if (!say_notices_of(p, resource, s->name.len > 0) && why)
		say_error(why);
	arena_release(&arena);
}

static bool is_named_before(const struct program *p, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (p->query.what.list[i].kind == p->query.what.list[at].kind)
			return true;
	return false;
}

/* Prints a line for each TYPE that was named and could not be read. */
static bool say_kinds(struct program *p)
{
	bool said = false;

	for (size_t i = 0; i < p->query.what.n; i++)
		if (!is_named_before(p, i) && is_unread(p, p->query.what.list[i].kind)) {
			say_kind(p, &p->query.what.list[i]);
			said = true;
		}
	return said;
}

/* Of several clusters one that does not answer is a notice, unless an exit status was asked for. */
static bool say_lost(struct program *p)
{
	struct arena arena = { 0 };
	struct str lost = p->options.exit_code ? p->source->facts(p).lost : STR_NONE;

	if (lost.len)
		say_redacted(ARENA_JOIN(&arena, STR("error: not every cluster could be read: "), lost));
	arena_release(&arena);
	return lost.len > 0;
}

/* Returns true when an exit status is asked for, and a recording lacks something, of which its notice tells. */
static bool is_not_recorded(const struct program *p)
{
	for (size_t i = 0; is_strict(p) && i < p->world.nnotices; i++)
		if (str_is(p->world.notices[i].kind, "unreadable") && str_is(p->world.notices[i].resource, "recording"))
			return true;
	return false;
}

/* Prints an error for each namespace that does not exist.  Returns true when there was one. */
static bool say_namespaces(struct program *p)
{
	struct arena arena = { 0 };
	struct str rest = unread_namespaces(p, &arena), ns;
	bool said = rest.len > 0;

	while (str_split(&rest, ',', &ns))
		say_namespace(p, ns);
	if (said)
		mark_said(p, NAMESPACES, "missing");
	arena_release(&arena);
	return said;
}

/* Of several namespaces that were named one that may not be read is as little healthy as it is alone. */
static bool say_refused_namespace(const struct program *p)
{
	struct arena arena = { 0 };
	struct str ns = p->query.what.n ? STR_NONE : refused_namespace(p, NULL);

	if (ns.len)
		say_redacted(ARENA_JOIN(&arena, STR("error: nothing may be read in namespace "), ns));
	arena_release(&arena);
	return ns.len > 0;
}

bool unread_say(struct program *p)
{
	bool nowhere = unread_no_namespace(p), said, absent = false;

	if (unread_yet(p) && (p->options.problems || p->options.exit_code || p->options.report)) {
		say_line(STR("error: at that moment the recorder had not read anything yet (--as-of, --diff and --from take a later one)"));
		return true;
	}
	if (needs_namespace(p))
		absent = say_namespaces(p);
	if (nowhere && absent) {
		mark_said(p, STR_NONE, "missing,forbidden,unavailable");
		return true;
	}
	if (nowhere && query_has_names(&p->query))
		mark_said(p, NAMESPACES, "missing");
	if (p->query.what.n == 0 && unread_everything(p)) {
		say_everything(p);
		return true;
	}
	said = say_refused_namespace(p) || say_kinds(p);
	if (said && unread_everything(p))	/* what would have explained it is no news then */
		mark_said(p, STR_NONE, "forbidden,unavailable");
	return say_lost(p) || is_not_recorded(p) || said || absent;
}

/* ---- some of what was asked for --------------------------------------------- */

static bool selects_unread_object(const struct program *p)
{
	struct arena arena = { 0 };
	size_t n;
	const struct handle *all = engine_unread(p->world.engine, &arena, &n);
	bool selects = false;

	for (size_t i = 0; i < n && !selects; i++)
		selects = query_selects(&p->query, &p->world, all[i]);
	arena_release(&arena);
	return selects;
}

static bool is_resource(const struct kind *k, struct str resource)
{
	size_t dot = str_find(resource, '.');

	return str_eq(k->plural, str_head(resource, dot)) && str_eq(k->group, str_from(resource, dot < resource.len ? dot + 1 : dot));
}

/* Returns true when the notice tells of something that was asked for, and not only of what would have explained it. */
static bool is_asked(const struct program *p, const struct notice *n)
{
	const struct kinds *kinds = &p->world.kinds;

	if (!str_is(n->kind, "unavailable") && !str_is(n->kind, "unreadable"))
		return false;
	if (str_is(n->resource, "files"))
		return str_is(n->kind, "unreadable");
	if (str_eq(n->resource, OBJECTS))
		return selects_unread_object(p);
	if (str_is(n->resource, "discovery"))
		return p->query.what.n == 0;
	for (size_t i = 0; i < p->query.what.n; i++)
		if (is_resource(p->query.what.list[i].kind, n->resource))
			return true;
	for (uint32_t i = 0; i < kinds->count && p->query.what.n == 0; i++)
		if (query_default_kind(kinds->all[i]) && is_resource(kinds->all[i], n->resource))
			return true;
	return false;
}

bool unread_some(const struct program *p)
{
	for (size_t i = 0; i < p->world.nnotices; i++)
		if (is_asked(p, &p->world.notices[i]))
			return true;
	return false;
}

bool unread_say_some(struct program *p)
{
	struct arena arena = { 0 };
	bool said = false;

	for (size_t i = 0; i < p->world.nnotices && (is_strict(p) || p->options.problems); i++) {
		struct notice *n = &p->world.notices[i];
		struct str kind = STR_NONE;

		if (n->said || !is_asked(p, n))
			continue;
		if (!str_eq(n->resource, OBJECTS) && !str_contains(n->message, n->resource.ptr))
			kind = n->resource;
		say_redacted(ARENA_JOIN(&arena, STR("error: not everything could be read: "), kind, str_of(kind.len ? ": " : ""), n->message));
		n->said = said = true;
	}
	arena_release(&arena);
	return said;
}

void unread_say_rest(struct program *p)
{
	struct arena arena = { 0 };
	struct doubt doubt = notices_doubt(&p->world, &p->query, &arena);

	if (p->query.what.n == 0 && (doubt.unread.len || doubt.unsure.len))
		say_redacted(well_words(&(struct not_well){ 0 }, &doubt, &arena));
	arena_release(&arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/unread.h"

#include "kube/base/nearest.h"
#include "plugin/notices.h"
#include "tui/view/calm.h"

#define NAMESPACES STR("namespaces")

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

/* Returns true when an object was found: of that kind, or with NULL of any kind that has namespaces. */
static bool is_found(const struct program *p, const struct kind *kind)
{
	const struct store *store = p->world.store;

	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1)) {
		struct object_id id = store_node_id(store, h.slot);

		if ((kind ? id.kind == kind : id.ns.len > 0) && query_selects(&p->query, &p->world, h))
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

/* Returns true when one of the clusters has the namespace of the query. */
static bool is_there(const struct program *p)
{
	const struct store *store = p->world.store;

	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1)) {
		struct object_id id = store_node_id(store, h.slot);

		if (is_namespace(&id) && str_eq(id.name, p->query.ns))
			return true;
	}
	return false;
}

/* Files are the world: a namespace in which they have nothing does not exist there. */
static bool is_absent_in_files(const struct program *p)
{
	const struct store *store = p->world.store;

	for (struct handle h = store_next(store, 0); h.slot; h = store_next(store, h.slot + 1)) {
		struct object_id id = store_node_id(store, h.slot);

		if (str_eq(is_namespace(&id) ? id.name : id.ns, p->query.ns))
			return false;
	}
	return query_has_namespaced(&p->query);
}

bool unread_namespace(const struct program *p)
{
	struct namespace_seen seen = { .ns = p->query.ns };

	if (p->query.ns.len == 0)
		return false;
	if (!p->live && !p->replay)
		return is_absent_in_files(p);
	store_each_coverage(p->world.store, see_namespace, &seen);
	/* a cluster that does not answer may have it */
	return seen.missing && !seen.maybe && !(p->live && live_lost(p->live).len) && !is_there(p) && !is_found(p, NULL);
}

/* ---- recordings ------------------------------------------------------------ */

struct recorded {
	const struct program *p;
	const struct kind *kind;	/* NULL: every kind that the query asks for */
	bool refused, read;
};

static void see_recorded(void *ctx, const struct object_id *id, enum coverage coverage)
{
	struct recorded *r = ctx;
	struct str ns = r->p->query.ns;

	if (!id->kind || id->name.len || (id->ns.len && ns.len && !str_eq(id->ns, ns)))
		return;
	if (r->kind ? id->kind != r->kind : !query_default_kind(id->kind))
		return;
	r->refused |= coverage == COVERAGE_FORBIDDEN;
	r->read |= coverage != COVERAGE_FORBIDDEN;
}

/* A recording has no notices and no errors, but says which kinds its recorder was not allowed to read. */
static bool is_refused_in_recording(const struct program *p, const struct kind *kind)
{
	struct recorded r = { .p = p, .kind = kind };

	if (p->query.files || !p->replay)
		return false;
	store_each_coverage(p->world.store, see_recorded, &r);
	return r.refused && !r.read && !is_found(p, kind);
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

	if (!p->replay || p->query.files || replay_met_something(p->replay) || store_next(p->world.store, 0).slot)
		return false;
	store_each_coverage(p->world.store, count_coverage, &n);
	return n == 0;
}

static bool is_unread(const struct program *p, const struct kind *kind)
{
	if (p->live)
		return live_unreadable(p->live, kind, is_strict(p)) != NULL;
	return is_refused_in_recording(p, kind);
}

bool unread_everything(const struct program *p)
{
	if (p->live)
		return live_unreadable(p->live, NULL, is_strict(p) && p->query.what.n == 0) != NULL;
	if (p->query.what.n == 0)
		return is_refused_in_recording(p, NULL);
	for (size_t i = 0; i < p->query.what.n; i++)
		if (!is_refused_in_recording(p, p->query.what.list[i].kind))
			return false;
	return true;
}

static struct notice missing_namespace(const struct program *p, struct arena *a)
{
	const char *before = p->live || p->replay ? "Error from server (NotFound): namespaces" : "the files have no namespace",
		   *after = p->live || p->replay ? " not found" : "";

	return (struct notice){ .kind = STR("missing"), .resource = NAMESPACES, .ns = p->query.ns,
				.message = arena_printf(a, "%s \"" STR_FMT "\"%s", before, STR_ARG(p->query.ns), after) };
}

void unread_note(struct program *p)
{
	struct arena arena = { 0 };
	struct notice n = missing_namespace(p, &arena);

	if (unread_namespace(p))
		world_notice(&p->world, n);
	else
		world_unnotice(&p->world, (struct notice){ .kind = n.kind, .resource = n.resource, .ns = n.ns });
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

static void say_namespace(struct program *p)
{
	struct arena arena = { 0 };
	struct nearest near = { .typed = p->query.ns };
	struct str message = missing_namespace(p, &arena).message;
	struct err err;

	err_set(&err, ERR_INPUT, STR_FMT, STR_ARG(message));
	if (p->live)
		err_hint(&err, "kubectl get namespaces lists those that exist");
	else if (!p->replay)
		offer_namespaces(p, &near);
	if (near.n)
		nearest_hint(&near, &err, "");
	say_error(&err);
	arena_release(&arena);
}

/* Returns "in namespace shop" or "in any namespace", and " of one of the clusters" where others could be read. */
static struct str place_words(const struct program *p, struct arena *a)
{
	struct str place = p->query.ns.len ? arena_printf(a, "in namespace " STR_FMT, STR_ARG(p->query.ns)) : STR("in any namespace");

	return p->live && !live_unreadable(p->live, NULL, false) ? ARENA_JOIN(a, place, STR(" of one of the clusters")) : place;
}

/* Prints one line for all kinds of a query that names none. */
static void say_everything(struct program *p)
{
	struct arena arena = { 0 };
	const struct err *why = p->live ? live_unreadable(p->live, NULL, is_strict(p)) : NULL;
	struct str kinds = calm_forbidden(notices_forbidden(&p->world, &p->query), &arena), place = place_words(p, &arena);

	if (!p->live)
		say_redacted(arena_printf(&arena, "error: nothing was read " STR_FMT ": " STR_FMT ", the recording says", STR_ARG(place), STR_ARG(kinds)));
	else if (why->code == ERR_FORBIDDEN)
		say_line(arena_printf(&arena, "error: nothing may be read " STR_FMT ": " STR_FMT ": %s (kubectl auth can-i --list%s" STR_FMT
				      " lists what you may do)", STR_ARG(place), STR_ARG(kinds), why->msg, p->query.ns.len ? " -n " : "", STR_ARG(p->query.ns)));
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

	if (!p->live)
		say_redacted(ARENA_JOIN(&arena, STR("error: "), resource, STR(" may not be read, the recording says")));
	else if (!say_notices_of(p, resource, s->name.len > 0))
		say_error(live_unreadable(p->live, s->kind, is_strict(p)));
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
	struct str lost = p->live && p->options.exit_code ? live_lost(p->live) : STR_NONE;

	if (lost.len)
		say_redacted(ARENA_JOIN(&arena, STR("error: not every cluster could be read: "), lost));
	arena_release(&arena);
	return lost.len > 0;
}

bool unread_say(struct program *p)
{
	bool nowhere = unread_namespace(p), said;

	if (unread_yet(p) && (p->options.problems || p->options.exit_code || p->options.report)) {
		say_line(STR("error: at that moment the recorder had not read anything yet (--as-of, --diff and --from take a later one)"));
		return true;
	}
	if (nowhere && needs_namespace(p)) {
		say_namespace(p);
		mark_said(p, STR_NONE, "missing,forbidden,unavailable");
		return true;
	}
	if (nowhere && query_has_names(&p->query))
		mark_said(p, NAMESPACES, "missing");
	if (p->query.what.n == 0 && unread_everything(p)) {
		say_everything(p);
		return true;
	}
	said = say_kinds(p);
	if (said && unread_everything(p))	/* what would have explained it is no news then */
		mark_said(p, STR_NONE, "forbidden,unavailable");
	return say_lost(p) || said;
}

void unread_say_rest(struct program *p)
{
	struct arena arena = { 0 };
	struct doubt doubt = notices_doubt(&p->world, &p->query, &arena);

	if (p->query.what.n == 0 && (doubt.unread.len || doubt.unsure.len))
		say_redacted(calm_words(&(struct calm){ 0 }, &doubt, &arena));
	arena_release(&arena);
}

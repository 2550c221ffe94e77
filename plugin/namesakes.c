/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/namesakes.h"

#include "kube/base/alloc.h"

enum { MOST = 16 };

struct namesakes {
	struct world *world;
	size_t n, pending;
	struct asked {
		struct namesakes *all;
		const struct kind *shown, *other;
	} asked[MOST];
};

/* Returns true for API groups that serve other views of the same objects rather than objects of their own. */
static bool is_view(const struct kind *kind)
{
	return str_is(kind->group, "events.k8s.io") || str_ends(kind->group, "metrics.k8s.io");
}

/* Returns true when an argument names the kind without a group: "subnets" in "subnets,ports" or in "subnets/a". */
static bool is_typed_plain(const struct query *q, const struct kind *kind)
{
	for (size_t i = 0; i < q->options->nargs; i++) {
		struct str arg = str_of(q->options->args[i]), rest = str_head(arg, str_find(arg, '/')), type;

		while (str_split(&rest, ',', &type)) {
			bool same = str_eq_nocase(type, kind->plural) || str_eq_nocase(type, kind->singular);

			for (size_t k = 0; k < KIND_NAMES; k++)
				same |= kind->short_names[k].len && str_eq(type, kind->short_names[k]);
			if (same)
				return true;
		}
		if (str_find(arg, '/') == arg.len)
			break;	/* all arguments after a plain type are names */
	}
	return false;
}

static void each(const struct query *q, struct world *w, void (*found)(void *ctx, const struct kind *shown, const struct kind *other),
		 void *ctx)
{
	for (size_t i = 0; i < q->what.n; i++) {
		const struct kind *shown = q->what.list[i].kind;

		if ((i && shown == q->what.list[i - 1].kind) || !is_typed_plain(q, shown))
			continue;
		for (uint32_t k = 0; k < w->kinds.count; k++) {
			const struct kind *other = w->kinds.all[k];

			if (other != shown && other->version.len && str_eq(other->plural, shown->plural) &&
			    !is_view(other))
				found(ctx, shown, other);
		}
	}
}

static void note(struct world *w, const struct kind *shown, const struct kind *other)
{
	struct arena arena = { 0 };
	struct str group = shown->group.len ? shown->group : STR("the core group");

	world_notice(w, (struct notice){
		.kind = STR("ambiguous"), .resource = other->plural,
		.message = arena_printf(&arena, STR_FMT " of " STR_FMT " are shown; other groups have that type, too: " STR_FMT "." STR_FMT,
					STR_ARG(shown->plural), STR_ARG(group), STR_ARG(other->plural), STR_ARG(other->group)) });
	arena_release(&arena);
}

static void note_known(void *ctx, const struct kind *shown, const struct kind *other)
{
	struct world *w = ctx;

	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1))
		if (store_node_id(w->store, h.slot).kind == other) {
			note(w, shown, other);
			return;
		}
}

void namesakes_note(const struct query *q, struct world *w)
{
	each(q, w, note_known, w);
}

/* ---- a cluster ----------------------------------------------------------- */

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	struct asked *a = ctx;
	struct json list = JSON_NONE;
	struct err ignored;

	a->all->pending--;
	if (err || http_status != 200 || json_parse(body, &list, &ignored) < 0)
		return;	/* the user did not ask for this kind, so a failure is not reported */
	if (json_count(json_at(list, "items")))
		note(a->all->world, a->shown, a->other);
	json_free(list);
}

static void remember(void *ctx, const struct kind *shown, const struct kind *other)
{
	struct namesakes *n = ctx;

	if (n->n < MOST && (other->flags & KIND_LIST) && (other->flags & KIND_DISCOVERED))
		n->asked[n->n++] = (struct asked){ n, shown, other };
}

struct namesakes *namesakes_ask(const struct query *q, struct world *w, struct live *l)
{
	struct namesakes *n = xcalloc(1, sizeof(*n));
	struct session *s = live_session(l, 0);
	struct buf path = { 0 };

	n->world = w;
	each(q, w, remember, n);
	for (size_t i = 0; i < n->n; i++) {
		struct str rest = n->asked[i].other->flags & KIND_NAMESPACED ? q->ns : STR_NONE, ns = STR_NONE;

		do {
			str_split(&rest, ',', &ns);
			buf_reset(&path);
			session_path(s, n->asked[i].other, ns, STR_NONE, &path);
			buf_add_cstr(&path, "?limit=1");
			n->pending++;
			session_get(s, buf_cstr(&path), on_answer, &n->asked[i]);
		} while (rest.len);
	}
	buf_release(&path);
	return n;
}

size_t namesakes_pending(const struct namesakes *n)
{
	return n ? n->pending : 0;
}

void namesakes_free(struct namesakes *n)
{
	xfree(n);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* References: those that the rows of a family give, and those that its code adds. */
#include "kube/base/buf.h"
#include "kube/base/limits.h"
#include "kube/status/verdict.h"

static bool same_target(const struct ref *a, const struct ref *b)
{
	bool group = str_eq(a->group, b->group) || ((a->flags | b->flags) & REF_ANY_GROUP);
	bool kind = str_eq_nocase(a->kind, b->kind) || ((a->flags | b->flags) & REF_ANY_KIND);
	bool ns = str_eq(a->ns, b->ns) || a->ns.len == 0 || b->ns.len == 0;

	return group && kind && ns && str_eq(a->name, b->name);
}

bool verdict_is_full(const struct verdict *v)
{
	return v->refs.n >= LIMIT_REFS;
}

void verdict_ref(struct verdict *v, struct ref ref)
{
	struct ref *refs = v->refs.items, *slot;

	if (ref.name.len == 0 || verdict_is_full(v))
		return;
	for (size_t i = 0; i < v->refs.n; i++)
		if (refs[i].relation == ref.relation && str_eq(refs[i].via, ref.via) &&
		    same_target(&refs[i], &ref))
			return;
	slot = arena_list_add(&v->refs, v->arena, sizeof(ref), LIMIT_REFS);
	if (slot)
		*slot = ref;
}

const struct ref *verdict_ref_at(const struct verdict *v, size_t i)
{
	return i < v->refs.n ? (const struct ref *)v->refs.items + i : NULL;
}

bool verdict_has_ref_via(const struct verdict *v, struct str via)
{
	const struct ref *refs = v->refs.items;

	for (size_t i = 0; i < v->refs.n; i++)
		if (str_eq(refs[i].via, via))
			return true;
	return false;
}

struct str verdict_group_of(struct str api_version)
{
	size_t slash = str_find(api_version, '/');

	return slash < api_version.len ? str_head(api_version, slash) : STR_NONE;
}

/* finds "ClusterIssuer" where a row has "Issuer" */
static bool is_cluster_twin(struct str kind, const char *of)
{
	static const struct str prefix = { "Cluster", 7 };

	return str_eq_nocase(str_head(kind, prefix.len), prefix) &&
	       str_eq_nocase(str_from(kind, prefix.len), str_of(of));
}

void verdict_ref_value(struct verdict *v, struct json value, struct str via, const void *of)
{
	const struct ref_rule *rule = of;
	struct ref ref = {
		.relation = rule->relation,
		.flags = rule->flags,
		.group = rule->group ? str_of(rule->group) : v->kind->group,
		.kind = str_of(rule->target),
		.name = json_str(value, ""),
		.via = via,
		.guard = str_of(rule->guard),
	};

	if (json_is_object(value)) {
		ref.name = json_str(value, "name");
		ref.ns = json_str(value, "namespace");
		if (json_str(value, "kind").len)
			ref.kind = json_str(value, "kind");
		/* the group is given and empty: the core group of Kubernetes */
		if (json_type(json_at(value, "group")) == JSON_STRING)
			ref.group = json_str(value, "group");
		if (json_str(value, "apiGroup").len)
			ref.group = json_str(value, "apiGroup");
		if (json_str(value, "apiVersion").len)
			ref.group = verdict_group_of(json_str(value, "apiVersion"));
	}
	if (!is_cluster_twin(ref.kind, rule->target))
		ref.flags &= ~(unsigned)REF_CLUSTER_TWIN;
	verdict_ref(v, ref);
}

/* Bytes of a map's key in via, which is copied for each value below it; no label or annotation has a longer key. */
enum { VIA_KEY = 317 };

struct walk {
	struct verdict *v;
	void (*value)(struct verdict *v, struct json value, struct str via, const void *arg);
	const void *arg;
	bool refers;	/* the path is told in via, and the walk ends when no further reference can be added */
	struct buf via;
};

static void walk(struct walk *w, struct json at, struct str rest);

static void walk_elements(struct walk *w, struct json at, struct str rest, bool members)
{
	size_t mark = w->via.len, i = 0;

	json_foreach(it, at) {
		if (w->refers && verdict_is_full(w->v))
			return;
		if (w->refers && members)
			BUF_JOIN(&w->via, STR("["), str_head(json_key(it), VIA_KEY), STR("]"));
		else if (w->refers)
			buf_printf(&w->via, "[%zu]", i++);
		walk(w, it, rest);
		w->via.len = mark;
	}
}

static void walk(struct walk *w, struct json at, struct str rest)
{
	size_t n = 0, mark = w->via.len;

	if (!at.node)
		return;
	if (rest.len == 0) {
		w->value(w->v, at, arena_str(w->v->arena, buf_str(&w->via)), w->arg);
		return;
	}
	if (str_starts(rest, "[]") && json_is_array(at)) {
		walk_elements(w, at, str_from(rest, 2), false);
		return;
	}
	if (str_starts(rest, "[*]") && json_is_object(at)) {
		walk_elements(w, at, str_from(rest, 3), true);
		return;
	}
	if (rest.ptr[0] == '.')
		rest = str_from(rest, 1);
	while (n < rest.len && rest.ptr[n] != '.' && rest.ptr[n] != '[')
		n++;
	if (n == 0)
		return;
	if (mark)
		buf_add_char(&w->via, '.');
	if (w->refers)
		buf_add(&w->via, str_head(rest, n));
	walk(w, json_member(at, str_head(rest, n)), str_from(rest, n));
	w->via.len = mark;
}

void verdict_each(struct verdict *v, const char *path,
		  void (*value)(struct verdict *v, struct json value, struct str via, const void *arg), const void *arg)
{
	struct walk w = { v, value, arg, true, { 0 } };

	walk(&w, v->object, str_of(path));
	buf_release(&w.via);
}

void verdict_each_value(struct verdict *v, const char *path,
			void (*value)(struct verdict *v, struct json value, struct str via, const void *arg), const void *arg)
{
	struct walk w = { v, value, arg, false, { 0 } };

	walk(&w, v->object, str_of(path));
}

void verdict_apply_ref_rows(struct verdict *v)
{
	for (const struct ref_rule *r = v->family->refs; r && r->path; r++)
		if (!r->kind || str_is(v->kind->kind, r->kind))
			verdict_each(v, r->path, verdict_ref_value, r);
}

void verdict_waits_for(struct verdict *v, struct ref on)
{
	struct ref *refs = v->refs.items;
	bool found = false;

	for (size_t i = 0; i < v->refs.n; i++) {
		if (!same_target(&refs[i], &on) || refs[i].relation == RELATION_GUARDS)
			continue;
		if (refs[i].flags & REF_GUESSED)
			refs[i].flags &= ~(unsigned)(REF_IF_FOUND | REF_EXISTS);
		refs[i].flags |= (on.flags & ~(unsigned)(REF_ANY_GROUP | REF_ANY_KIND)) | REF_NAMED;
		if (on.message.len)
			refs[i].message = on.message;
		found = true;
	}
	on.flags |= REF_NAMED | REF_BLOCKS;
	if (!found)
		verdict_ref(v, on);
}

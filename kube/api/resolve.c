/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/api/resolve.h"

#include "kube/base/nearest.h"
#include "kube/base/url.h"
#include "kube/api/type_map.h"

#include <stdio.h>

struct resolver {
	const struct resolve_request *request;
	struct arena *arena;
	struct type_map types;
	struct err *err;
	struct selection *list;
	size_t n, cap;
};

static bool has_name(const struct kind *kind, struct str name)
{
	bool found = str_eq_nocase(kind->plural, name) || str_eq_nocase(kind->singular, name) ||
		     str_eq_nocase(kind->kind, name);

	for (size_t i = 0; i < KIND_NAMES; i++)
		found |= kind->short_names[i].len && str_eq(kind->short_names[i], name);
	return found;
}

/* For "subnets.ec2": the type exists, but its group is spelled otherwise. */
static bool offer_groups(const struct resolver *r, struct str resource, struct str group, struct nearest *near)
{
	const struct kinds *kinds = r->request->kinds;
	char prefix[64];

	snprintf(prefix, sizeof(prefix), STR_FMT, STR_ARG(group));
	for (uint32_t i = 0; i < kinds->count && near->n < NEAREST_SHOWN; i++) {
		const struct kind *kind = kinds->all[i];

		if (type_map_knows(&r->types, kind) && has_name(kind, resource) && str_starts(kind->group, prefix))
			near->best[near->n++].word = arena_printf(r->arena, STR_FMT "%s" STR_FMT, STR_ARG(kind->plural), kind->group.len ? "." : "",
								  STR_ARG(kind->group));
	}
	return near->n > 0;
}

static void offer_types(const struct resolver *r, struct nearest *near)
{
	const struct kinds *kinds = r->request->kinds;

	for (uint32_t i = 0; i < kinds->count; i++) {
		const struct kind *kind = kinds->all[i];

		if (!type_map_knows(&r->types, kind))
			continue;
		nearest_offer(near, kind->plural);
		for (size_t j = 0; j < KIND_NAMES; j++)
			nearest_offer(near, kind->short_names[j]);
	}
}

/* For "kubectl status get pods", which people type out of habit. */
static bool is_verb(const struct resolver *r, struct str text)
{
	return r->request->nargs > 1 && str_eq(text, str_of(r->request->args[0])) &&
	       (str_is(text, "get") || str_is(text, "describe"));
}

static int no_such_type(const struct resolver *r, struct str text)
{
	size_t dot = str_find(text, '.');
	struct str resource = str_head(text, dot), group = str_from(text, dot + 1);
	struct nearest near = { .typed = resource };
	const char *source = r->request->source;

	err_set(r->err, ERR_NOT_SERVED, "%s have a resource type \"" STR_FMT "\"",
		source ? source : "the server doesn't", STR_ARG(resource));
	if (is_verb(r, text))
		return err_hint(r->err, "leave out \"" STR_FMT "\": kubectl status %s", STR_ARG(text), r->request->args[1]);
	if (dot == text.len || (!offer_groups(r, resource, group, &near) && !offer_groups(r, resource, STR_NONE, &near)))
		offer_types(r, &near);
	return nearest_hint(&near, r->err, source ? "nothing there is of that type" : "\"kubectl api-resources\" lists the types");
}

static void add(struct resolver *r, const struct selection *s)
{
	r->list = arena_grow(r->arena, r->list, r->n, &r->cap, sizeof(*r->list));
	r->list[r->n++] = *s;
}

static void add_once(struct resolver *r, const struct selection *s)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->list[i].kind == s->kind && str_eq(r->list[i].version, s->version))
			return;
	add(r, s);
}

static int check_scope(const struct resolver *r, const struct kind *kind)
{
	if (!r->request->all_namespaces || !(kind->flags & KIND_NAMESPACED))
		return 0;
	return err_set(r->err, ERR_USAGE,
		       "a resource cannot be retrieved by name across all namespaces");
}

static int add_name(struct resolver *r, const struct selection *s)
{
	if (check_scope(r, s->kind) < 0 || url_check_segment("resource name", s->name, r->err) < 0)
		return -1;
	add(r, s);
	return 0;
}

/* Some kinds, for example Binding, can only be created. */
static bool can_be_listed(const struct kind *kind)
{
	return !(kind->flags & KIND_DISCOVERED) || (kind->flags & KIND_LIST);
}

/* Resolves one type; with name "" it is listed. */
static int add_type(struct resolver *r, struct str type, struct str name)
{
	struct selection s = { .name = name };

	s.kind = type_map_find(&r->types, type, &s.version);
	if (!s.kind)
		return no_such_type(r, type);
	if (!can_be_listed(s.kind))
		return err_set(r->err, ERR_SERVER, "Error from server (MethodNotAllowed): the server does not allow "
			       "this method on the requested resource: " STR_FMT " cannot be listed",
			       STR_ARG(s.kind->plural));
	if (str_empty(s.version))
		s.version = s.kind->version;
	if (!str_empty(name))
		return add_name(r, &s);
	add_once(r, &s);
	return 0;
}

static bool add_category(struct resolver *r, struct str category)
{
	const struct kinds *kinds = r->request->kinds;
	struct str name = arena_str(r->arena, category);
	bool any = false;

	for (uint32_t i = 0; i < kinds->count; i++) {
		struct selection s = { kinds->all[i], kinds->all[i]->version, STR_NONE, STR_NONE };

		if (str_empty(name) || !type_map_knows(&r->types, s.kind) ||
		    !kind_in_category(s.kind, name.ptr))
			continue;
		add_once(r, &s);
		any = true;
	}
	return any;
}

struct names {
	const struct str *at;
	size_t n;
};

/* Splits at commas, and takes each part once. */
static struct names split_commas(struct arena *arena, struct str text)
{
	struct str *list = arena_array(arena, text.len + 1, sizeof(*list));
	size_t n = 0, i;

	for (bool more = true; more; text = str_from(text, str_find(text, ',') + 1)) {
		more = str_find(text, ',') < text.len;
		list[n] = str_head(text, str_find(text, ','));
		for (i = 0; i < n && !str_eq(list[i], list[n]); i++)
			;
		n += i == n;
	}
	return (struct names){ list, n };
}

/* Takes every type once, and the types of a category in place of the category. */
static int list_types(struct resolver *r, const struct names *types)
{
	for (size_t i = 0; i < types->n; i++)
		if (!add_category(r, types->at[i]) && add_type(r, types->at[i], STR_NONE) < 0)
			return -1;
	return 0;
}

static int check_pair(const struct resolver *r, struct str pair)
{
	size_t slash = str_find(pair, '/');
	struct str type = str_head(pair, slash), name = str_from(pair, slash + 1);

	if (str_contains(name, "/"))
		return err_set(r->err, ERR_USAGE,
			       "arguments in resource/name form may not have more than one slash");
	if (str_empty(type) || str_empty(name) || str_contains(type, ","))
		return err_set(r->err, ERR_USAGE, "arguments in resource/name form must have a "
			       "single resource and name");
	if (r->request->has_selector)
		return err_set(r->err, ERR_USAGE,
			       "selectors and the all flag cannot be used when passing "
			       "resource/name arguments");
	return 0;
}

/* Reads "TYPE/NAME", any number of them. */
static int add_pairs(struct resolver *r, const struct names *pairs)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (check_pair(r, pairs->at[i]) < 0)
			return -1;
	for (size_t i = 0; i < pairs->n; i++) {
		size_t slash = str_find(pairs->at[i], '/');

		if (add_type(r, str_head(pairs->at[i], slash),
			     str_from(pairs->at[i], slash + 1)) < 0)
			return -1;
	}
	return 0;
}

/* Reads "T1,T2 N1 N2", which means each name with each type. */
static int add_product(struct resolver *r, const struct names *types, const struct names *args)
{
	struct str *pairs = arena_array(r->arena, types->n * args->n, sizeof(*pairs));
	struct names all = { pairs, 0 };

	for (size_t t = 0; t < types->n; t++)
		for (size_t i = 1; i < args->n; i++)
			pairs[all.n++] = arena_printf(r->arena, STR_FMT "/" STR_FMT,
						      STR_ARG(types->at[t]), STR_ARG(args->at[i]));
	return add_pairs(r, &all);
}

/* Reads "TYPE NAME NAME". */
static int add_named(struct resolver *r, const struct names *types, const struct names *args)
{
	struct selection s;

	if (r->request->has_selector)
		return err_set(r->err, ERR_USAGE,
			       "name cannot be provided when a selector is specified");
	if (list_types(r, types) < 0)
		return -1;
	if (r->n != 1)
		return err_set(r->err, ERR_USAGE, "you must specify only one resource");
	s = r->list[0];
	r->n = 0;
	for (size_t i = 1; i < args->n; i++) {
		s.name = args->at[i];
		if (str_empty(s.name))
			return err_set(r->err, ERR_USAGE, "resource name may not be empty");
		if (add_name(r, &s) < 0)
			return -1;
	}
	return 0;
}

static size_t count_slashed(const struct names *args)
{
	size_t n = 0;

	for (size_t i = 0; i < args->n; i++)
		n += str_contains(args->at[i], "/");
	return n;
}

static int resolve(struct resolver *r, const struct names *args)
{
	size_t slashed = count_slashed(args);
	struct names types;

	if (args->n == 0)
		return 0;
	types = split_commas(r->arena, args->at[0]);
	if (args->n > 1 && types.n > 1)
		return add_product(r, &types, args);
	if (slashed && slashed < args->n)
		return err_set(r->err, ERR_USAGE,
			       "there is no need to specify a resource type as a separate argument "
			       "when passing arguments in resource/name form (e.g. 'kubectl get "
			       "resource/<resource_name>' instead of 'kubectl get resource "
			       "resource/<resource_name>'");
	if (slashed)
		return add_pairs(r, args);
	return args->n > 1 ? add_named(r, &types, args) : list_types(r, &types);
}

int resolve_args(const struct resolve_request *request, struct arena *arena, struct resolution *out,
		 struct err *err)
{
	struct resolver r = { .request = request, .arena = arena, .err = err };
	struct str *list = arena_array(arena, request->nargs, sizeof(*list));
	struct names args = { list, request->nargs };

	for (size_t i = 0; i < request->nargs; i++)
		list[i] = arena_str(arena, str_of(request->args[i]));
	r.types = type_map_of(request->kinds, arena);
	if (resolve(&r, &args) < 0)
		return -1;
	*out = (struct resolution){ r.list, r.n, r.types.warning };
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/api/type_map.h"

#include <ctype.h>

/* One reading of TYPE[.VERSION][.GROUP]. */
struct type_arg {
	struct str resource, version, group;
};

typedef bool match(const struct kind *kind, const struct type_arg *arg);

bool type_map_knows(const struct type_map *m, const struct kind *kind)
{
	return !m->discovered || (kind->flags & KIND_DISCOVERED);
}

/* Position of the kind's group in discovery, which is its priority; core is always first. */
static uint32_t group_rank(const struct kinds *kinds, const struct kind *kind)
{
	if (str_empty(kind->group))
		return 0;
	for (uint32_t i = 0; i < kinds->count; i++)
		if (str_eq(kinds->all[i]->group, kind->group))
			return kinds->all[i]->id;
	return kind->id;
}

static bool serves_version(const struct kind *kind, struct str version)
{
	return str_eq(kind->version, version) || str_is_listed(version, kind->versions);
}

static bool group_is(const struct kind *kind, const struct type_arg *arg)
{
	return str_eq(kind->group, arg->group);
}

static bool group_begins(const struct kind *kind, const struct type_arg *arg)
{
	return str_eq(str_head(kind->group, arg->group.len), arg->group);
}

/* The mapper ignores case, but only on the argument's side, as names are lower case. */
static bool named(const struct kind *kind, const struct type_arg *arg)
{
	if (!str_empty(arg->version) && !serves_version(kind, arg->version))
		return false;
	return str_eq_nocase(kind->plural, arg->resource) ||
	       str_eq_nocase(kind->singular, arg->resource);
}

static bool named_in_group(const struct kind *kind, const struct type_arg *arg)
{
	return group_is(kind, arg) && named(kind, arg);
}

static bool named_in_group_prefix(const struct kind *kind, const struct type_arg *arg)
{
	return str_empty(arg->version) && group_begins(kind, arg) && named(kind, arg);
}

static bool named_exactly(const struct kind *kind, const struct type_arg *arg)
{
	return (str_empty(arg->group) || group_is(kind, arg)) &&
	       (str_eq(kind->plural, arg->resource) || str_eq(kind->singular, arg->resource));
}

static bool has_short_name(const struct kind *kind, const struct type_arg *arg)
{
	for (size_t i = 0; i < KIND_NAMES && kind->short_names[i].len; i++)
		if (str_eq(kind->short_names[i], arg->resource))
			return true;
	return false;
}

static bool short_in_group(const struct kind *kind, const struct type_arg *arg)
{
	return (str_empty(arg->group) || group_is(kind, arg)) && has_short_name(kind, arg);
}

static bool short_in_group_prefix(const struct kind *kind, const struct type_arg *arg)
{
	return !str_empty(arg->group) && group_begins(kind, arg) && has_short_name(kind, arg);
}

static bool is_lower_of(struct str lower, struct str s)
{
	for (size_t i = 0; i < lower.len; i++)
		if (isupper((unsigned char)lower.ptr[i]))
			return false;
	return str_eq_nocase(lower, s);
}

/* The kind as it is written, or all in lower case. */
static bool kind_named(const struct kind *kind, const struct type_arg *arg)
{
	if (!str_empty(arg->version) && !serves_version(kind, arg->version))
		return false;
	return str_eq(kind->kind, arg->resource) || is_lower_of(arg->resource, kind->kind);
}

static bool kind_in_group(const struct kind *kind, const struct type_arg *arg)
{
	return group_is(kind, arg) && kind_named(kind, arg);
}

/* kubectl asks for the group here; a kind of its own name is clear enough without. */
static bool kind_anywhere(const struct kind *kind, const struct type_arg *arg)
{
	return str_empty(arg->group) && kind_named(kind, arg);
}

static const struct kind *best(const struct type_map *m, const struct type_arg *arg, match *matches)
{
	const struct kinds *kinds = m->kinds;
	const struct kind *found = NULL;
	uint32_t found_rank = 0;

	for (uint32_t i = 0; i < kinds->count; i++) {
		const struct kind *kind = kinds->all[i];
		uint32_t rank;

		if (!type_map_knows(m, kind) || !matches(kind, arg))
			continue;
		rank = group_rank(kinds, kind);
		if (!found || rank < found_rank) {
			found = kind;
			found_rank = rank;
		}
	}
	return found;
}

static void warn_of_others(struct type_map *m, const struct type_arg *arg,
			   const struct kind *chosen)
{
	const struct kinds *kinds = m->kinds;

	for (uint32_t i = 0; i < kinds->count; i++) {
		const struct kind *kind = kinds->all[i];

		if (kind == chosen || !type_map_knows(m, kind) || !short_in_group(kind, arg))
			continue;
		m->warning = arena_printf(m->arena,
					  "short name \"" STR_FMT "\" could also match lower priority resource "
					  STR_FMT "." STR_FMT, STR_ARG(arg->resource), STR_ARG(kind->plural),
					  STR_ARG(kind->group));
		return;
	}
}

/* A short name becomes the plural and group of its kind; any other argument stays. */
static struct type_arg expand_short_name(struct type_map *m, const struct type_arg *arg)
{
	const struct kind *kind;

	if (best(m, arg, named_exactly))
		return *arg;
	kind = best(m, arg, short_in_group);
	if (kind)
		warn_of_others(m, arg, kind);
	else
		kind = best(m, arg, short_in_group_prefix);
	if (!kind)
		return *arg;
	return (struct type_arg){ kind->plural, STR_NONE, kind->group };
}

static const struct kind *map_resource(struct type_map *m, const struct type_arg *arg)
{
	struct type_arg full = expand_short_name(m, arg);
	const struct kind *kind;

	if (str_empty(full.resource))
		return NULL;
	if (str_empty(full.group))
		return best(m, &full, named);
	kind = best(m, &full, named_in_group);
	return kind ? kind : best(m, &full, named_in_group_prefix);
}

/* "resource.version.group"; false with less than two dots. */
static bool split_version(struct str arg, struct type_arg *out)
{
	size_t first = str_find(arg, '.');
	struct str rest = str_from(arg, first + 1);
	size_t second = str_find(rest, '.');

	if (second == rest.len)
		return false;
	*out = (struct type_arg){ str_head(arg, first), str_head(rest, second),
				  str_from(rest, second + 1) };
	return true;
}

/* "resource.group" */
static struct type_arg split_group(struct str arg)
{
	size_t dot = str_find(arg, '.');

	return (struct type_arg){ str_head(arg, dot), STR_NONE, str_from(arg, dot + 1) };
}

/*
 * cli-runtime/pkg/resource/builder.go, mappingFor: as a resource with and
 * without a version, then as a kind.  *out_version is "" unless one was given.
 */
const struct kind *type_map_find(struct type_map *m, struct str text, struct str *out_version)
{
	struct type_arg with_version = { .version = STR_NONE }, arg = split_group(text);
	bool versioned = split_version(text, &with_version);
	const struct kind *kind = NULL;

	*out_version = STR_NONE;
	if (versioned)
		kind = map_resource(m, &with_version);
	if (!kind)
		kind = map_resource(m, &arg);
	if (!kind && versioned)
		kind = best(m, &with_version, kind_in_group);
	if (!kind)
		kind = best(m, &arg, kind_in_group);
	if (!kind)
		kind = best(m, &arg, kind_anywhere);
	if (kind && versioned && serves_version(kind, with_version.version))
		*out_version = with_version.version;
	return kind;
}

struct type_map type_map_of(const struct kinds *kinds, struct arena *arena)
{
	struct type_map m = { .kinds = kinds, .arena = arena, .warning = STR_NONE };

	for (uint32_t i = 0; i < kinds->count && !m.discovered; i++)
		m.discovered = kinds->all[i]->flags & KIND_DISCOVERED;
	return m;
}

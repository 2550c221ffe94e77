/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the rows of a family's tables to an object. */
#include "kube/status/family.h"

#include <string.h>

static const char *id_of(const struct family *f)
{
	return f->id ? f->id : f->name;
}

bool family_same(const struct family *a, const struct family *b)
{
	return a == b || (a && b && strcmp(id_of(a), id_of(b)) == 0);
}

bool family_lists(const char *const *kinds, struct str kind)
{
	return kinds && str_is_any(kind, kinds);
}

bool controller_rule_matches(const struct controller_rule *r, const struct kind *kind)
{
	if (r->kind && !str_is(kind->kind, r->kind))
		return false;
	if (!r->group)
		return true;
	return r->group[0] == '*' ? str_ends(kind->group, r->group + 1)
				  : str_is(kind->group, r->group);
}

struct str controller_rule_name(const char *name, const struct kind *kind, struct arena *arena)
{
	struct str text = str_of(name);
	size_t star = str_find(text, '*');

	if (star == text.len)
		return text;
	return ARENA_JOIN(arena, str_head(text, star), str_head(kind->group, str_find(kind->group, '.')),
			  str_from(text, star + 1));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/family/common/field.h"

static bool is_plain(struct str key)
{
	return !str_contains(key, ".") && !str_contains(key, "/") && !str_contains(key, "[");
}

struct str field_text(struct arena *arena, const struct field *f)
{
	struct str up;

	if (!f->up)
		return f->key;
	up = field_text(arena, f->up);
	if (f->key.len == 0)
		return arena_printf(arena, STR_FMT "[%zu]", STR_ARG(up), f->index);
	if (is_plain(f->key))
		return arena_printf(arena, STR_FMT "." STR_FMT, STR_ARG(up), STR_ARG(f->key));
	return arena_printf(arena, STR_FMT "['" STR_FMT "']", STR_ARG(up), STR_ARG(f->key));
}

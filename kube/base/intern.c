/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/intern.h"

#include "kube/base/alloc.h"

uint32_t intern_find(const struct intern *t, struct str s)
{
	return s.len ? (uint32_t)(uintptr_t)map_get(&t->map, s) : 0;
}

uint32_t intern_id(struct intern *t, struct str s)
{
	uint32_t id = intern_find(t, s);

	if (id || s.len == 0)
		return id;
	if (t->count + 1 >= t->cap) {
		t->cap = t->cap ? t->cap * 2 : 256;
		t->strings = xreallocarray(t->strings, t->cap, sizeof(*t->strings));
	}
	id = ++t->count;
	t->strings[id] = (struct str){ xstrndup(s.ptr, s.len), s.len };
	map_set(&t->map, s, (void *)(uintptr_t)id);
	return id;
}

struct str intern_str(const struct intern *t, uint32_t id)
{
	return id && id <= t->count ? t->strings[id] : STR_NONE;
}

void intern_release(struct intern *t)
{
	for (uint32_t id = 1; id <= t->count; id++)
		xfree((char *)(uintptr_t)t->strings[id].ptr);
	xfree(t->strings);
	map_release(&t->map);
	*t = (struct intern){ 0 };
}

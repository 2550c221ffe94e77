/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/intern.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"

struct interned {
	struct str str;		/* the key in the map; NULL for an unused id */
	uint32_t uses;		/* FOR_EVER: the uses are not counted; for an unused id this is the next unused id */
};

#define FOR_EVER UINT32_MAX

uint32_t intern_find(const struct intern *t, struct str s)
{
	return s.len ? (uint32_t)(uintptr_t)map_get(&t->map, s) : 0;
}

static uint32_t new_id(struct intern *t)
{
	uint32_t id = t->unused;

	if (id) {
		assert(id <= t->count && !t->strings[id].str.ptr);
		t->unused = t->strings[id].uses;
		return id;
	}
	t->strings = xgrow(t->strings, t->count + 1, &t->cap, sizeof(*t->strings));
	return ++t->count;
}

static size_t size_of(struct str s)
{
	return map_entry_size(s.len) + ALLOC_OVERHEAD;
}

static uint32_t find_or_add(struct intern *t, struct str s)
{
	uint32_t id = intern_find(t, s);

	assert(id <= t->count && (!id || t->strings[id].str.len == s.len));
	if (id || s.len == 0)
		return id;
	id = new_id(t);
	map_set(&t->map, s, (void *)(uintptr_t)id);
	t->strings[id] = (struct interned){ map_key(map_entry_of(&t->map, s)), 0 };
	t->size += size_of(s);
	return id;
}

uint32_t intern_id(struct intern *t, struct str s)
{
	uint32_t id = find_or_add(t, s);

	if (id)
		t->strings[id].uses = FOR_EVER;
	return id;
}

uint32_t intern_use(struct intern *t, struct str s)
{
	uint32_t id = find_or_add(t, s);

	if (id && t->strings[id].uses != FOR_EVER) {
		assert(t->strings[id].uses < FOR_EVER - 1);
		t->strings[id].uses++;
	}
	return id;
}

void intern_drop(struct intern *t, uint32_t id)
{
	struct interned *i;

	if (id == 0)
		return;
	assert(id <= t->count && t->strings[id].str.ptr);
	i = &t->strings[id];
	if (i->uses == FOR_EVER)
		return;
	assert(i->uses > 0);
	if (--i->uses)
		return;
	t->size -= size_of(i->str);
	map_remove(&t->map, i->str);
	*i = (struct interned){ { NULL, 0 }, t->unused };
	t->unused = id;
}

size_t intern_count(const struct intern *t)
{
	return map_count(&t->map);
}

size_t intern_size(const struct intern *t)
{
	return t->size + t->cap * sizeof(*t->strings);
}

size_t intern_share(const struct intern *t, uint32_t id)
{
	assert(id <= t->count);
	return id ? size_of(t->strings[id].str) / t->strings[id].uses : 0;
}

struct str intern_str(const struct intern *t, uint32_t id)
{
	return id && id <= t->count && t->strings[id].str.len ? t->strings[id].str : STR_NONE;
}

void intern_copy(const struct intern *from, struct intern *out)
{
	*out = (struct intern){ .count = from->count, .cap = from->count + 2, .unused = from->unused, .size = from->size };
	out->strings = xcalloc(out->cap, sizeof(*out->strings));
	for (uint32_t id = 1; id <= from->count; id++) {
		struct str str = from->strings[id].str;

		if (!str.ptr) {
			out->strings[id] = from->strings[id];
			continue;
		}
		map_set(&out->map, str, (void *)(uintptr_t)id);
		out->strings[id] = (struct interned){ map_key(map_entry_of(&out->map, str)), FOR_EVER };
	}
}

void intern_release(struct intern *t)
{
	xfree(t->strings);
	map_release(&t->map);
	*t = (struct intern){ 0 };
}

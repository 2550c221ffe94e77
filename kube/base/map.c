/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/map.h"

#include "kube/base/alloc.h"

#include <string.h>

#define uthash_malloc(size) xmalloc(size)
#define uthash_free(ptr, size) xfree(ptr)
#define uthash_fatal(msg) ((void)0)	/* xmalloc() never returns NULL */
#include <uthash.h>

struct map_entry {
	UT_hash_handle hh;
	void *value;
	char key[];
};

struct map_entry *map_entry_of(const struct map *m, struct str key)
{
	struct map_entry *e = NULL;

	if (key.len == 0)
		key = STR_NONE;	/* memcmp() needs a pointer even for no bytes */
	HASH_FIND(hh, m->entries, key.ptr, key.len, e);
	return e;
}

void *map_get(const struct map *m, struct str key)
{
	struct map_entry *e = map_entry_of(m, key);

	return e ? e->value : NULL;
}

void *map_set(struct map *m, struct str key, void *value)
{
	struct map_entry *e = map_entry_of(m, key);
	void *old = NULL;

	if (e) {
		old = e->value;
	} else {
		e = xmalloc(sizeof(*e) + key.len + 1);
		if (key.len)
			memcpy(e->key, key.ptr, key.len);
		e->key[key.len] = '\0';
		HASH_ADD_KEYPTR(hh, m->entries, e->key, key.len, e);
	}
	e->value = value;
	return old;
}

void *map_remove(struct map *m, struct str key)
{
	struct map_entry *e = map_entry_of(m, key);
	void *old;

	if (!e)
		return NULL;
	old = e->value;
	HASH_DEL(m->entries, e);
	xfree(e);
	return old;
}

size_t map_entry_size(size_t key_len)
{
	return sizeof(struct map_entry) + sizeof(UT_hash_bucket) + key_len + 1;
}

size_t map_count(const struct map *m)
{
	return HASH_COUNT(m->entries);
}

struct map_entry *map_next(const struct map *m, const struct map_entry *after)
{
	return after ? after->hh.next : m->entries;
}

struct str map_key(const struct map_entry *e)
{
	return (struct str){ e->key, e->hh.keylen };
}

void *map_value(const struct map_entry *e)
{
	return e->value;
}

void map_release(struct map *m)
{
	struct map_entry *e, *next;

	HASH_ITER(hh, m->entries, e, next) {
		HASH_DEL(m->entries, e);
		xfree(e);
	}
}

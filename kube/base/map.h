/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from strings to pointers, made with uthash. */
#ifndef KUBE_BASE_MAP_H
#define KUBE_BASE_MAP_H

#include "kube/base/str.h"

struct map_entry;

/* {0} is an empty map.  Keys are copied; values belong to the caller. */
struct map {
	struct map_entry *entries;
};

/* Returns NULL when the key is absent. */
void *map_get(const struct map *m, struct str key);
/* Returns the value that the key had before, or NULL. */
void *map_set(struct map *m, struct str key, void *value);
/* Removes the key.  Returns its value, or NULL. */
void *map_remove(struct map *m, struct str key);
/* Returns the entry with that key, or NULL.  The entry stays where it is until it is removed. */
struct map_entry *map_entry_of(const struct map *m, struct str key);
size_t map_count(const struct map *m);
/* About the number of bytes that an entry with a key of that length takes. */
size_t map_entry_size(size_t key_len);
/* Goes through the entries in the order of insertion: start with NULL; the end is NULL. */
struct map_entry *map_next(const struct map *m, const struct map_entry *after);
struct str map_key(const struct map_entry *e);
void *map_value(const struct map_entry *e);
void map_release(struct map *m);

#endif

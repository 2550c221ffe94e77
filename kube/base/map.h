/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from strings to pointers (uthash inside). */
#ifndef KUBE_BASE_MAP_H
#define KUBE_BASE_MAP_H

#include "kube/base/str.h"

struct map_entry;

/* {0} is an empty map.  Keys are copied, values are the caller's. */
struct map {
	struct map_entry *entries;
};

/* NULL when absent. */
void *map_get(const struct map *m, struct str key);
/* Returns the value that was there before, or NULL. */
void *map_set(struct map *m, struct str key, void *value);
/* Returns the value that was taken out, or NULL. */
void *map_remove(struct map *m, struct str key);
/* The entry with that key, NULL when absent; stays until it is removed. */
struct map_entry *map_entry_of(const struct map *m, struct str key);
size_t map_count(const struct map *m);
/* Bytes that an entry with a key of that length takes, about. */
size_t map_entry_size(size_t key_len);
/* In order of insertion; start with NULL; NULL at the end. */
struct map_entry *map_next(const struct map *m, const struct map_entry *after);
struct str map_key(const struct map_entry *e);
void *map_value(const struct map_entry *e);
void map_release(struct map *m);

#endif

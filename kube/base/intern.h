/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps one copy of each frequent string (kinds, reasons, namespaces) under a number, its id.  A counted string is
 * freed with its last use.
 */
#ifndef KUBE_BASE_INTERN_H
#define KUBE_BASE_INTERN_H

#include "kube/base/map.h"
#include "kube/base/str.h"

struct interned;

/* {0} is an empty table.  Ids start at 1; 0 is the id of the empty string. */
struct intern {
	struct map map;
	struct interned *strings;	/* by their ids */
	uint32_t count;		/* ids that were given out */
	size_t cap;		/* the ids that there is room for */
	uint32_t unused;		/* the first unused id; 0: there is none */
	size_t size;			/* bytes of all strings, with what stands around them */
};

/* Returns the id of s, which is valid for as long as the table lives. */
uint32_t intern_id(struct intern *t, struct str s);
/*
 * Returns the id of s and counts one use, which intern_drop() ends.  With the last use the string is freed, and its id
 * may be given to another string.
 */
uint32_t intern_use(struct intern *t, struct str s);
void intern_drop(struct intern *t, uint32_t id);
/* The number of strings in the table. */
size_t intern_count(const struct intern *t);
/* Returns the bytes in use. */
size_t intern_size(const struct intern *t);
/* Returns the bytes of a string by the number of its uses. */
size_t intern_share(const struct intern *t, uint32_t id);
/* Returns the id of s, or 0 when s was never interned. */
uint32_t intern_find(const struct intern *t, struct str s);
/* Returns the string of an id.  It lives as long as the id is used. */
struct str intern_str(const struct intern *t, uint32_t id);
/* Makes a copy with the same strings under the same ids, which live as long as the copy. */
void intern_copy(const struct intern *from, struct intern *out);
void intern_release(struct intern *t);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One copy of each frequent string (kinds, reasons, namespaces), by a number; counted ones are freed with their last
 * use.
 */
#ifndef KUBE_BASE_INTERN_H
#define KUBE_BASE_INTERN_H

#include "kube/base/map.h"
#include "kube/base/str.h"

struct interned;

/* {0} is empty.  Ids start at 1; 0 is the empty string. */
struct intern {
	struct map map;
	struct interned *strings;	/* by id */
	uint32_t count, cap;		/* ids that were given; room for them */
	uint32_t unused;		/* the first free id; 0: none */
};

/* The id of s, for as long as the table lives. */
uint32_t intern_id(struct intern *t, struct str s);
/* The id of s, counted: intern_drop() ends the use.  After the last one the string is freed and its id is used again. */
uint32_t intern_use(struct intern *t, struct str s);
void intern_drop(struct intern *t, uint32_t id);
/* How many strings there are. */
size_t intern_count(const struct intern *t);
/* 0 when s was never interned. */
uint32_t intern_find(const struct intern *t, struct str s);
/* Lives as long as the id is used. */
struct str intern_str(const struct intern *t, uint32_t id);
/* The same strings under the same ids, for as long as the copy lives. */
void intern_copy(const struct intern *from, struct intern *out);
void intern_release(struct intern *t);

#endif

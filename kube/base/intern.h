/* SPDX-License-Identifier: Apache-2.0 */
/* One copy of each frequent string (kinds, reasons, namespaces), for ever. */
#ifndef KUBE_BASE_INTERN_H
#define KUBE_BASE_INTERN_H

#include "kube/base/map.h"
#include "kube/base/str.h"

/* {0} is empty.  Ids start at 1; 0 is the empty string. */
struct intern {
	struct map map;
	struct str *strings;
	uint32_t count, cap;
};

uint32_t intern_id(struct intern *t, struct str s);
/* 0 when s was never interned. */
uint32_t intern_find(const struct intern *t, struct str s);
/* Lives as long as the table. */
struct str intern_str(const struct intern *t, uint32_t id);
void intern_release(struct intern *t);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that refer to a node: slots in ascending order, one for each reference. */
#ifndef KUBE_MODEL_REFERRERS_H
#define KUBE_MODEL_REFERRERS_H

#include <stdint.h>

/* NULL is the empty list, which most nodes have.  The list is slots[first] to slots[first + n - 1]. */
struct referrers {
	uint32_t first, n, cap;
	uint32_t slots[];
};

void referrers_add(struct referrers **r, uint32_t slot);
/* Removes one reference of that slot, if there is one.  With the last reference all memory is freed. */
void referrers_remove(struct referrers **r, uint32_t slot);

/* r may be NULL. */
struct referrers *referrers_copy(const struct referrers *r);

#endif

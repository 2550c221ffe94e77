/* SPDX-License-Identifier: Apache-2.0 */
/* Who refers to a node: slots, ascending, once per reference. */
#ifndef KUBE_MODEL_REFERRERS_H
#define KUBE_MODEL_REFERRERS_H

#include <stdint.h>

/* NULL is empty: most have none.  slots[first] to slots[first + n - 1] count. */
struct referrers {
	uint32_t first, n, cap;
	uint32_t slots[];
};

void referrers_add(struct referrers **r, uint32_t slot);
/* One of the references of that slot; none: nothing happens.  With the last one all memory is freed. */
void referrers_remove(struct referrers **r, uint32_t slot);

/* NULL is allowed. */
struct referrers *referrers_copy(const struct referrers *r);

#endif

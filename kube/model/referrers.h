/* SPDX-License-Identifier: Apache-2.0 */
/* Who refers to a node: slots, ascending, once per reference. */
#ifndef KUBE_MODEL_REFERRERS_H
#define KUBE_MODEL_REFERRERS_H

#include <stdint.h>

/* {0} is empty; slots[first] to slots[first + n - 1] count. */
struct referrers {
	uint32_t *slots;
	uint32_t first, n, cap;
};

void referrers_add(struct referrers *r, uint32_t slot);
/* One of the references of that slot; none: nothing happens. */
void referrers_remove(struct referrers *r, uint32_t slot);
void referrers_release(struct referrers *r);

#endif

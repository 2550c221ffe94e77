/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/unanswered.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"

void *unanswered_add(struct unanswered **all, size_t size)
{
	struct unanswered *one = xcalloc(1, size);

	assert(size >= sizeof(*one));
	one->next = *all;
	*all = one;
	return one;
}

void unanswered_end(struct unanswered **all, void *request)
{
	struct unanswered *one = request;

	while (*all && *all != one)
		all = &(*all)->next;
	assert(*all == one);
	*all = one->next;
	xfree(one);
}

void unanswered_free(struct unanswered **all)
{
	while (*all)
		unanswered_end(all, *all);
}

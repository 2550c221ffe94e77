/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that have no answer yet.  Their owner frees those that are never answered, because what would have answered has
 * been closed.  A request is a block from xcalloc() that begins with a struct unanswered.
 */
#ifndef KUBE_BASE_UNANSWERED_H
#define KUBE_BASE_UNANSWERED_H

#include <stddef.h>

struct unanswered {
	struct unanswered *next;
};

/* Returns a new request of that size, zero but for its place in the list. */
void *unanswered_add(struct unanswered **all, size_t size);
/* Frees a request, when it is answered. */
void unanswered_end(struct unanswered **all, void *request);
/* Frees all of them. */
void unanswered_free(struct unanswered **all);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean": the words that look most like what was typed. */
#ifndef KUBE_BASE_NEAREST_H
#define KUBE_BASE_NEAREST_H

#include "kube/base/err.h"
#include "kube/base/str.h"

enum { NEAREST_SHOWN = 3 };

/* { .typed = word } has no words yet.  Words are borrowed. */
struct nearest {
	struct str typed;
	struct {
		struct str word;
		unsigned distance;
	} best[NEAREST_SHOWN];
	size_t n;
};

/* Keeps word when it is near enough to the typed word and among the nearest; the typed word itself is never kept. */
void nearest_offer(struct nearest *near, struct str word);
/*
 * Sets the hint of err to the words that were kept: did you mean "pods", "podtemplates" or "po"?  Without any word the
 * hint is otherwise.  Returns -1.
 */
int nearest_hint(const struct nearest *near, struct err *err, const char *otherwise);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean": the words that look most like what was typed. */
#ifndef KUBE_BASE_NEAREST_H
#define KUBE_BASE_NEAREST_H

#include "kube/base/err.h"
#include "kube/base/str.h"

enum { NEAREST_SHOWN = 3 };

/* { .typed = word } is empty.  Words are borrowed. */
struct nearest {
	struct str typed;
	struct {
		struct str word;
		unsigned distance;
	} best[NEAREST_SHOWN];
	size_t n;
};

/* Keeps word when it is near enough and among the best; never the typed word itself. */
void nearest_offer(struct nearest *near, struct str word);
/* Hints at them: did you mean "pods", "podtemplates" or "po"?  Without any at otherwise.  Returns -1. */
int nearest_hint(const struct nearest *near, struct err *err, const char *otherwise);

#endif

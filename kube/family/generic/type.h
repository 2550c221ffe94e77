/* SPDX-License-Identifier: Apache-2.0 */
/* What the type of a condition means: its polarity and how much it says. */
#ifndef KUBE_FAMILY_GENERIC_TYPE_H
#define KUBE_FAMILY_GENERIC_TYPE_H

#include "kube/family/generic/generic.h"

enum nature {
	NATURE_OTHER,	     /* a detail: only a False with a bad reason counts */
	NATURE_NEGATIVE,     /* True is trouble */
	NATURE_TRANSITIONAL, /* True is movement */
	NATURE_SUSPENDING,   /* True is a pause */
	NATURE_GOAL,	     /* True: the object is at its goal, whatever its parts say */
	NATURE_GATE,	     /* True: it got so far, and perhaps need go no further */
	NATURE_PART,	     /* True: a part of it is fine */
	NATURE_MILESTONE,    /* True: a step was made */
	NATURE_HINT,	     /* True is trouble unless the object is at its goal */
	NATURE_ADVICE	     /* says nothing of health */
};

/*
 * What a type means.  weight orders those that are bad at once: the one that
 * explains most wins.  not_yet: False without a telling reason is a start, not
 * trouble.
 */
struct type_row {
	const char *type;
	enum nature nature;
	int weight;
	bool not_yet;
};

/* The row of a type that is listed; NULL when only its words can tell. */
const struct type_row *type_listed(struct str type);
/* By the list, else by the words of the type. */
struct type_row type_row_of(struct str type);
enum polarity type_polarity(enum nature nature);

#endif

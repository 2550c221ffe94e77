/* SPDX-License-Identifier: Apache-2.0 */
/* What the type of a condition means: its polarity and its weight against others. */
#ifndef KUBE_FAMILY_GENERIC_TYPE_H
#define KUBE_FAMILY_GENERIC_TYPE_H

#include "kube/family/generic/generic.h"

enum type_role {
	ROLE_OTHER,	     /* a detail: only a False with a bad reason counts */
	ROLE_NEGATIVE,     /* True is trouble */
	ROLE_TRANSITIONAL, /* True is movement */
	ROLE_SUSPENDING,   /* True is a pause */
	ROLE_GOAL,	     /* True: the object is at its goal, whatever its parts say */
	ROLE_GATE,	     /* True: it got so far, and perhaps need go no further */
	ROLE_PART,	     /* True: a part of it is fine */
	ROLE_MILESTONE,    /* True: a step was made */
	ROLE_HINT,	     /* True is trouble unless the object is at its goal */
	ROLE_ADVICE	     /* no sign of health */
};

/*
 * What a type means.  weight orders those that are bad at once: the one that
 * explains most wins.  not_yet: False without a telling reason is a start, not
 * trouble.
 */
struct type_row {
	const char *type;
	enum type_role role;
	int weight;
	bool not_yet;
};

/* The row of a type that is listed; NULL: its meaning follows from its words. */
const struct type_row *type_listed(struct str type);
/* By the list, else by the words of the type. */
struct type_row type_row_of(struct str type);
enum polarity type_polarity(enum type_role role);

#endif

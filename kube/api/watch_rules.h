/* SPDX-License-Identifier: Apache-2.0 */
/* What the failure of a list or a watch leads to: the table behind watch.c. */
#ifndef KUBE_API_WATCH_RULES_H
#define KUBE_API_WATCH_RULES_H

#include "kube/api/session.h"

enum step {
	STEP_LIST = 1,
	STEP_WATCH = 2,
	STEP_GET = 4,
	STEP_DONE = 8,
	STEP_STREAM = 16	/* a watch that begins with what there is: the streaming list */
};

enum then {
	THEN_SAME,	/* the same request again */
	THEN_LIST,	/* list anew */
	THEN_WHOLE,	/* list anew, in one page: a page's token expired */
	THEN_POLL,	/* list now and then: it cannot be watched */
	THEN_GET	/* the one object, by its name */
};

enum wait {
	WAIT_NOT,	/* but after the first of several failures */
	WAIT_BACKOFF,
	WAIT_LONG	/* until something changed that we are not told of */
};

/* code ERR_NONE and status 0 fit all; the last row of the table does. */
struct watch_rule {
	unsigned steps;
	enum errc code;
	int status;
	bool named;		/* only when one object is asked for by name */
	enum then then;
	enum wait wait;
	enum subscription_state state;
};

/* The first row that fits; there is always one.  named: one object is asked for. */
const struct watch_rule *watch_rule_for(enum step step, const struct err *why, bool named);

#endif

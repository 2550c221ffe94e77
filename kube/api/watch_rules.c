/* SPDX-License-Identifier: Apache-2.0 */
/* The rules are those of client-go's reflector, where a dashboard has no reason to differ. */
#include "kube/api/watch_rules.h"

enum { STEP_ANY = STEP_LIST | STEP_WATCH | STEP_GET | STEP_STREAM };

static const struct watch_rule after[] = {
	{ STEP_ANY,   ERR_THROTTLED,  0,   false, THEN_SAME,  WAIT_BACKOFF, SUBSCRIPTION_BACKOFF },
	{ STEP_ANY,   ERR_AUTH,       0,   false, THEN_SAME,  WAIT_LONG,    SUBSCRIPTION_BACKOFF },
	{ STEP_LIST,  ERR_GONE,       0,   false, THEN_WHOLE, WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_LIST,  ERR_FORBIDDEN,  0,   true,  THEN_GET,   WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_LIST,  ERR_SERVER,     400, true,  THEN_GET,   WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_LIST,  ERR_SERVER,     405, true,  THEN_GET,   WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_LIST,  ERR_FORBIDDEN,  0,   false, THEN_LIST,  WAIT_LONG,    SUBSCRIPTION_FORBIDDEN },
	{ STEP_GET,   ERR_FORBIDDEN,  0,   false, THEN_LIST,  WAIT_LONG,    SUBSCRIPTION_FORBIDDEN },
	{ STEP_LIST,  ERR_NOT_SERVED, 0,   false, THEN_LIST,  WAIT_LONG,    SUBSCRIPTION_NOT_SERVED },
	{ STEP_LIST,  ERR_SERVER,     405, false, THEN_LIST,  WAIT_LONG,    SUBSCRIPTION_NOT_SERVED },
	{ STEP_WATCH, ERR_GONE,       0,   false, THEN_LIST,  WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_WATCH, ERR_FORBIDDEN,  0,   false, THEN_POLL,  WAIT_NOT,     SUBSCRIPTION_LIVE },
	{ STEP_WATCH, ERR_NOT_SERVED, 0,   false, THEN_POLL,  WAIT_NOT,     SUBSCRIPTION_LIVE },
	{ STEP_WATCH, ERR_SERVER,     400, false, THEN_POLL,  WAIT_NOT,     SUBSCRIPTION_LIVE },
	{ STEP_WATCH, ERR_SERVER,     405, false, THEN_POLL,  WAIT_NOT,     SUBSCRIPTION_LIVE },
	{ STEP_WATCH, ERR_SERVER,     422, false, THEN_POLL,  WAIT_NOT,     SUBSCRIPTION_LIVE },
	/* Whatever is wrong with a streaming list: pages work everywhere. */
	{ STEP_STREAM, ERR_NONE,      0,   false, THEN_LIST,  WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_ANY,   ERR_NONE,       0,   false, THEN_SAME,  WAIT_BACKOFF, SUBSCRIPTION_BACKOFF },
};

static bool fits(const struct watch_rule *r, enum step step, const struct err *why, bool named)
{
	return (r->steps & step) && (r->code == ERR_NONE || r->code == why->code) &&
	       (!r->status || r->status == why->http_status) && (!r->named || named);
}

const struct watch_rule *watch_rule_for(enum step step, const struct err *why, bool named)
{
	const struct watch_rule *r = after;

	while (!fits(r, step, why, named))
		r++;
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports outages where there is no screen: one line when an outage begins, because what is shown may be out of date,
 * and one when it ends.
 */
#ifndef PLUGIN_OUTAGE_H
#define PLUGIN_OUTAGE_H

#include "kube/feeds/feeds.h"

/* The state of the reports; {0}: there is no outage. */
struct outage {
	int64_t began;	/* when the outage began, ms; 0: there is none */
	int64_t ended;	/* since when everything is up to date again, ms; 0: it is not */
	bool reported;
	bool login_reported; /* a login was reported that takes long before anything is watched */
};

/* The state of the connections. */
struct connections {
	bool watched;	/* the lists are opened, and their changes are watched */
	struct feeds_freshness fresh;
	struct feeds_facts facts;
	/* the credential plugin that requests wait for; "": they wait for none, or its name is not known */
	struct str login;
	struct str refusal;	/* why the credentials are not valid; "": they are valid, or the reason is not known */
};

/*
 * Calls say() with a line when an outage must be reported.  Returns when to call it again without an event, ms; 0: not
 * needed.
 */
int64_t outage_report(struct outage *o, const struct connections *c, int64_t now, void (*say)(struct str line));

#endif

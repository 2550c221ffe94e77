/* SPDX-License-Identifier: Apache-2.0 */
/* Without a screen: one line when an outage begins (what is shown may be old), and one when it ends. */
#ifndef PLUGIN_OUTAGE_H
#define PLUGIN_OUTAGE_H

#include "kube/feeds/feeds.h"

/* {0}: all is well. */
struct outage {
	int64_t began;	/* ms; 0: no outage */
	int64_t ended;	/* ms: fresh again since then; 0: not fresh */
	bool reported;
	bool login_reported; /* a login was waited for before anything was watched */
};

/* How the connections are. */
struct connections {
	bool watched;	/* lists are open, and their changes are awaited */
	struct feeds_freshness fresh;
	struct feeds_facts facts;
	struct str login;	/* the credential plugin that requests wait for; "": none, or it has no name */
	struct str refusal;	/* why the credentials are not valid; "": they are, or it is not known */
};

/* Calls say() with the line if one is due.  Returns when to call it again without an event, ms; 0: not needed. */
int64_t outage_report(struct outage *o, const struct connections *c, int64_t now, void (*say)(struct str line));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What live.c, plan.c and feed.c share. */
#ifndef PLUGIN_LIVE_PRIVATE_H
#define PLUGIN_LIVE_PRIVATE_H

#include "plugin/live.h"

struct cluster {
	struct live *live;
	struct client_config config;
	struct session *session;
	uint16_t index;
	bool discovered;
	struct err why;		/* of the last bad state of the session */
	struct err partial;	/* of the last discovery, when it failed or was incomplete */
	struct subscription *definitions;	/* CustomResourceDefinitions: when to ask for the kinds again */
	int64_t rediscover_at;
	bool definitions_refused, follow_up, lost_kinds;
};

/* A list, and perhaps its watch. */
struct feed {
	struct cluster *cluster;
	struct subscription *sub;
	const struct kind *kind;
	struct str ns, name;
	bool context;	/* not asked for: neighbours of what was */
	bool partial;	/* a selector left objects out */
	bool done;	/* the first list has ended, or never will */
	bool quiet;	/* a guess (a well-known name): that it may not be read is no news */
	bool seen;	/* with a name: it was in the list under way */
	bool forbidden;
	bool gone;	/* its kind is not served any more */
	struct err why;
};

struct live {
	struct live_options o;
	struct http *http;
	struct arena arena;
	struct cluster *clusters;
	size_t nclusters;
	struct feed **feeds;
	size_t nfeeds, feeds_cap;
	struct map by_sub;	/* subscription pointer to feed */
	struct recorder *recorder;
	struct err fatal;
	uint64_t objects;
	int64_t last_event, started_at;
	unsigned rounds;	/* of looking up neighbours */
	bool started, many_kinds;
	bool looked_up;		/* nothing more to look up, until then (ms; 0: until something changes) */
	int64_t look_again;
	struct question *lapsed;	/* asked by lapse_refresh(), not answered yet */
	int64_t next_lapse;	/* when a verdict of phase 1 has to be made again, 0: none */
};

extern const struct session_ops feed_ops;	/* ctx is a struct cluster */

/* NULL when there is one already. */
struct feed *feed_open(struct cluster *c, const struct subscribe *what, bool context);
bool feed_exists(const struct live *l, const struct cluster *c, const struct kind *kind, struct str ns,
		 struct str name);

/* Opens what the query asks for. */
void plan_start(struct live *l);
/* A kind may not be listed in all namespaces: tries those that may be. */
void plan_narrow(struct feed *f);
/* Asks again for objects whose own verdict lapses by time alone (silence, patience). */
void lapse_refresh(struct live *l, int64_t now);
void lapse_release(struct live *l);
/* Kinds that come and go: from now on; something hints at a change; asks for them when it is time. */
void plan_kinds_start(struct live *l);
void plan_kinds_changed(struct cluster *c);
void plan_kinds_refused(struct cluster *c, struct subscription *sub);
void plan_kinds_refresh(struct live *l, int64_t now);
/* Looks up neighbours that are not known yet; returns how many lists that opened. */
size_t plan_neighbours(struct live *l);

#endif

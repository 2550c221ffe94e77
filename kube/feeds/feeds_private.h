/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share. */
#ifndef KUBE_FEEDS_FEEDS_PRIVATE_H
#define KUBE_FEEDS_FEEDS_PRIVATE_H

#include "kube/feeds/due.h"
#include "kube/feeds/feeds.h"
#include "kube/feeds/slot_set.h"

#include "kube/base/map.h"

struct slot_list {
	uint32_t *all;
	size_t n, cap;
};

struct cluster {
	struct feeds *feeds;
	struct session *session;
	struct str context, default_ns;
	uint16_t index;
	bool discovered;
	size_t lookups;			/* feeds that only objects ask for */
	struct slot_list deferred;		/* for whom there was no room, who waits longest first; */
	size_t deferred_next;		/* those before this one had their turn */
	struct map groups;		/* feeds by kind and namespace: struct group */
	struct feed *definitions;	/* CustomResourceDefinitions: when to ask for the kinds again */
	int64_t rediscover_at;
	bool definitions_refused, follow_up, lost_kinds;
};

/*
 * The feeds of one kind in one namespace ("": all, or a cluster-scoped kind): a list of all there is, lists with a
 * selector, single objects.  Each is open once.
 */
struct group {
	struct feed **feeds;
	size_t n, cap;
};

/* Who asks for a feed, beside objects. */
enum asked {
	ASKED_QUERY = 1,	/* the user */
	ASKED_PARTS = 2,	/* neighbours that the query needs in any case */
	ASKED_KINDS = 4		/* CustomResourceDefinitions: kinds come and go with them */
};

/* A list, and perhaps its watch. */
struct feed {
	struct cluster *cluster;
	struct subscription *sub;
	struct subscribe what;		/* its texts are in arena */
	struct arena arena;
	size_t at;			/* in feeds.feeds */
	unsigned asked;			/* bits of enum asked */
	unsigned round;			/* of feeds_ask() */
	unsigned waiters;		/* objects that ask for it */
	struct slot_list waiting;		/* who they are or were, where that is needed */
	struct feed *narrowed;		/* it stands for a list of all namespaces that may not be read */
	unsigned probes, probed, readable;	/* of a list of all namespaces: those that stand for it */
	bool done;		/* the first list has ended, or never will */
	bool controls;		/* its objects lead from their waiters to further lookups */
	bool quiet;		/* a guess (a well-known name): no notice when it may not be read */
	struct slot_set has;	/* the objects that it told of, and that are not gone by what it told */
	struct slot_set listed;	/* those that the list under way named */
	bool listing;		/* a list has begun and not ended */
	bool forbidden;
	bool gone;		/* its kind is not served any more */
	bool unread;		/* the server answers for others, but not as it should for this one, again and again */
	unsigned failures;	/* in a row */
	int64_t opened_at;
	const char *told;	/* the kind of its notice, which goes when all is well; NULL: there is none */
	struct buf told_text;
	size_t odd;		/* items since the list began that cannot be shown */
	struct err *why;	/* NULL: all is well */
};

/* An object for which something else is asked. */
struct tracked {
	uint32_t slot, gen;
	struct feed **feeds, **before;	/* it asks for; asked for until it was examined */
	size_t n, cap, nbefore;
	bool examined, deferred, noted;
	struct due look;	/* when to examine it again */
	struct due recheck;	/* when its own verdict expires */
	unsigned failures;	/* rechecks in a row that were not answered as hoped */
	bool asking;		/* a recheck is in flight */
};

struct feeds {
	struct feeds_options o;
	struct arena arena;
	struct cluster *clusters;
	struct feed **feeds;
	size_t nfeeds, feeds_cap, undone;
	struct map by_sub;	/* subscription pointer to feed */
	struct feeds_query query;
	int64_t now, started_at, last_event;
	bool started;
	unsigned round;		/* of feeds_ask() */
	uint32_t nserved;	/* kinds, as of the last discovery */
	uint64_t objects;	/* events received */
	/* lookups */
	struct map tracked;	/* by slot: struct tracked */
	struct slot_list queue;	/* to be examined */
	size_t ndeferred;	/* objects for which there was no room */
	uint8_t *queued;	/* by slot */
	uint32_t nqueued;
	bool rescan;		/* every object has to be examined */
	uint32_t rescan_from;	/* the slot from which on they are examined next; 0: that is done */
	bool lists_ended;	/* the query's first lists */
	uint8_t *on_screen;	/* by the kind's id: 1 where one of it stands there; */
	size_t non_screen;	/* for so many kinds, 0: nothing is known of a screen */
	bool few;		/* so few objects that healthy ones are explained, too */
	struct feed **idle;	/* closed soon, unless somebody asks for them again */
	size_t nidle, idle_cap;
	unsigned rounds;	/* of opening lookups, with once */
	int64_t opened_at;	/* when a lookup was opened last */
	struct due_heap looks, rechecks;
	struct recheck *in_flight;
	unsigned nin_flight;
};

/* Is it a kind that the servers have and list?  NULL if not. */
const struct kind *served_kind(const struct feeds *o, const char *group, const char *name);
/* The namespace to ask for: none for what is cluster-scoped. */
struct str scope_of(const struct kind *kind, struct str ns);
/* ---- feed.c: lists and watches that are open ------------------------------- */

/* The moment that is judged. */
int64_t judged_at(const struct feeds *o);
/* NULL when there is none. */
struct group *group_find(const struct cluster *c, const struct kind *kind, struct str ns);

/* The feed of that subscription; NULL when it is closed. */
struct feed *feed_of(const struct cluster *c, const struct subscription *sub);
/*
 * An open feed that has or will have that object, or all objects that the selectors choose; else NULL.  A list with
 * a selector covers nothing but the same list.
 */
struct feed *feed_covering(const struct cluster *c, const struct subscribe *what);
/* A list of that kind there, or everywhere, that may not be read: single objects are not tried. */
struct feed *feed_forbidden(const struct cluster *c, const struct kind *kind, struct str ns);
/* The feed of that object alone; NULL when there is none. */
struct feed *feed_named(const struct cluster *c, const struct kind *kind, struct str ns, struct str name);
/* Opens one more; what->kind, ns and name must not be open. */
struct feed *feed_open(struct cluster *c, const struct subscribe *what, unsigned asked);
void feed_free(struct feed *f);
/* One referrer less; closed by feeds_close_idle() when there is none left. */
void feed_release(struct feed *f);
/* Returns how many were closed. */
size_t feeds_close_idle(struct feeds *o);
void feed_unask(struct feed *f, unsigned asked);
/* Who asks for it, or what it has, is different now. */
void feed_rank(struct feed *f);
/* A selector left objects out. */
bool feed_is_partial(const struct feed *f);
/* Takes what its list or its watch told of an object into the store, or out of it. */
enum change feed_object(struct feed *f, enum object_event event, struct json object);
/* A list begins; also where one began before and did not end. */
void feed_list_begin(struct feed *f);
/* It ended: what it did not name goes.  True: for the first time, or after it had been given up. */
bool feed_list_end(struct feed *f);
/* Nobody waits for its first list any more. */
void feed_set_done(struct feed *f);
/* What the store may conclude from what it lacks; only the list without a selector knows the whole kind. */
void feed_set_coverage(struct feed *f, enum coverage coverage);
/* A notice that goes when the server answers as it should.  There is one at a time, in the words of its beginning. */
void feed_begin_notice(struct feed *f, const char *kind, struct str message);
void feed_end_notice(struct feed *f);

/* ---- tracked.c: objects for which something else is asked ----------------------- */

/* NULL when there is none. */
struct tracked *tracked_of(struct feeds *o, uint32_t slot);
/* Makes it unless it is there. */
struct tracked *tracked_put(struct feeds *o, struct handle h);
/* Lets go of the feeds that it asked for until it was examined. */
void tracked_let_go(struct tracked *t);
/* Lets go of all feeds. */
void tracked_free(struct feeds *o, struct tracked *t);
/* Frees all; their feeds are freed by their owner. */
void tracked_release(struct feeds *o);

/* ---- query.c: what the query needs ------------------------------------------ */

void query_open(struct feeds *o, struct cluster *c);
/* A list of all namespaces may not be read: tries single ones. */
void query_narrow(struct feed *f);
/* One of those that were tried has ended. */
void query_narrowed(struct feed *f);

/* ---- lookup.c: neighbours ----------------------------------------------------- */

/* Those that graph_changed() names. */
void lookup_queue_changed(struct feeds *o);
/* Who asked for the feed looks again. */
void lookup_queue_waiters(struct feed *f);
/* Closes the feeds that nobody asks for; those for whom there was no room may look once more. */
void lookup_close_idle(struct feeds *o);
/* Examines what is queued; returns how many feeds that opened. */
size_t lookup_run(struct feeds *o);
bool lookup_pending(const struct feeds *o);
void lookup_release(struct feeds *o);

/* ---- recheck.c: verdicts that expire ------------------------------------ */

/* The object is as it is now: when has it to be asked for again? */
void recheck_note(struct feeds *o, struct handle h);
void recheck_run(struct feeds *o);
void recheck_release(struct feeds *o);

/* ---- answers.c: what the sessions tell ------------------------------------------ */

/* Of lists that get no answer: they hold up nobody for long.  When to look again, ms; 0: there is none. */
void feeds_note_silent(struct feeds *o);
int64_t feeds_silent_at(const struct feeds *o);

/* ---- definitions.c: kinds that come and go ------------------------------------- */

void definitions_start(struct cluster *c);
void definitions_changed(struct cluster *c);
void definitions_refused(struct cluster *c);
void definitions_run(struct cluster *c);

#endif

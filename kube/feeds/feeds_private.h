/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of kube/feeds share. */
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
	struct buf partial;		/* the notice about kinds that the last discovery could not read; "": there is none */
	size_t lookups;			/* feeds that only objects ask for */
	/* objects for whose neighbours there was no room; the longest wait comes first, */
	struct slot_list deferred;
	size_t deferred_next;		/* and the entries before this one were examined again */
	struct map groups;		/* feeds by kind and namespace: struct group */
	/* the feed of CustomResourceDefinitions, which tells when to ask for the kinds again */
	struct feed *definitions;
	int64_t rediscover_at;
	bool definitions_refused, follow_up, lost_kinds;
};

/*
 * The feeds of one kind in one namespace ("": all namespaces, or a cluster-scoped kind): a list of all objects, lists
 * with a selector, single objects.  Each of these is open once.
 */
struct group {
	struct feed **feeds;
	size_t n, cap;
};

/* Who asks for a feed, beside objects. */
enum asked {
	ASKED_QUERY = 1,	/* the user */
	ASKED_PARTS = 2,	/* the query, for neighbours that it needs in any case */
	ASKED_KINDS = 4,	/* the feeds themselves, for CustomResourceDefinitions: kinds come and go with them */
	ASKED_NAMESPACE = 8,	/* the query, for its own namespace, because nothing was found in it */
	ASKED_BEFORE = 16	/* the query before, until it is known which neighbours this one needs */
};

/* A list, and its watch where there is one. */
struct feed {
	struct cluster *cluster;
	struct subscription *sub;
	struct subscribe what;		/* its texts are in the feed's arena */
	struct arena arena;
	size_t at;			/* its index in feeds.feeds */
	unsigned asked;			/* bits of enum asked */
	unsigned round;			/* the number of the last feeds_ask() that asked for it */
	unsigned waiters;		/* how many objects ask for it */
	/* the objects that ask or have asked for it, where they have to be known */
	struct slot_list waiting;
	/* the list of all namespaces in whose place this one is read, because that may not be read */
	struct feed *narrowed;
	/*
	 * of a list of all namespaces that may not be read: lists of single namespaces that were tried, have ended, may
	 * be read
	 */
	unsigned probes, probed, readable;
	bool reached;		/* while what only the query before needed is closed: it is needed */
	bool done;		/* its first list has ended, or never will */
	bool read;		/* a list of it has come to its end */
	bool controls;		/* its objects lead the objects that ask for it to further lookups */
	/* there is no notice when it may not be read, for example because it was opened for a guess (a well-known name) */
	bool without_notice;
	struct slot_set has;	/* the objects that the feed has (see feed.c) */
	struct slot_set listed;	/* the objects that the present list has named */
	bool listing;		/* a list has begun and not ended */
	bool forbidden;
	bool gone;		/* its kind is not served any more */
	bool new_kind;		/* its kind was not served when the query was asked, and its list has not ended since */
	bool unread;		/* the server answers other requests, but repeatedly not this one */
	unsigned failures;	/* failures in a row */
	int64_t opened_at;
	/* the kind of its notice, which is removed when the server answers as expected; NULL: there is no notice */
	const char *told;
	struct buf told_text;
	size_t unusable;	/* items since the list began that cannot be shown */
	struct err *why;	/* NULL: there is no error */
};

/* An object for which other objects are looked up, or which is read again. */
struct tracked {
	uint32_t slot, gen;
	struct feed **feeds, **before;	/* the feeds that it asks for; those that it asked for before it was examined */
	size_t n, cap, nbefore;
	bool examined, deferred, noted;
	bool reached;		/* as in struct feed: a feed that is needed has it */
	struct due examination; /* when it is examined again */
	struct due recheck;	/* when its verdict expires, so that the object is read again */
	unsigned failures;	/* rechecks in a row whose answer was no object */
	bool asking;		/* a recheck is in flight */
};

/* A request for an object whose verdict has expired. */
struct recheck {
	struct feeds *o;
	struct recheck *next;
	struct engine_source from;
	struct handle handle;
	int64_t sent;
	bool overtaken;		/* since it was sent, a feed has brought the object: the answer may be older, and is not used */
};

struct feeds {
	struct feeds_options o;
	struct arena arena;
	struct cluster *clusters;
	struct feed **feeds;
	size_t nfeeds, feeds_cap, undone;
	struct map by_sub;	/* from the pointer of a subscription to its feed */
	struct feeds_query query;
	int64_t now, started_at, last_event;
	bool opens_new_kinds;	/* what is opened now is of kinds that were not served before */
	bool started;
	bool keeps_before;	/* some are kept with ASKED_BEFORE */
	unsigned round;		/* the number of the last feeds_ask() */
	uint32_t nserved;	/* number of kinds at the last discovery */
	uint64_t objects;	/* number of events that were received */
	/* Lookups of neighbours: */
	struct map tracked;	/* from a slot to its struct tracked */
	struct slot_list queue;	/* slots that have to be examined */
	size_t ndeferred;	/* objects for which there was no room */
	uint8_t *queued;	/* by slot: it is in queue */
	uint32_t nqueued;
	bool rescan;		/* every object has to be examined */
	uint32_t rescan_from;	/* the slot at which the examination of all objects goes on; 0: it has ended */
	bool lists_ended;	/* the first lists of the query have ended */
	bool was_settled;	/* feeds_settled() held since the query was asked: what is looked up now explains what has happened since */
	uint8_t *on_screen;	/* by the kind's id: 1 when an object of it is on the screen */
	size_t non_screen;	/* length of on_screen, 0: there is no screen */
	bool explains_healthy;		/* there are so few objects that healthy ones are explained, too */
	struct feed **idle;	/* feeds that are closed soon, unless somebody asks for them again */
	size_t nidle, idle_cap;
	unsigned rounds;	/* rounds of lookups that were opened, with once */
	int64_t opened_at;	/* when the last lookup was opened */
	struct due_heap examinations, rechecks;
	struct recheck *in_flight;
	unsigned nin_flight;
};

/* Returns the kind when the servers serve and list it, else NULL. */
const struct kind *served_kind(const struct feeds *o, const char *group, const char *name);
/* Returns the namespace to request: none for a cluster-scoped kind. */
struct str scope_of(const struct kind *kind, struct str ns);
/* ---- feed.c: lists and watches that are open ------------------------------- */

/* The moment for which objects are judged, ms. */
int64_t judged_at(const struct feeds *o);
/* NULL when there is none. */
struct group *group_find(const struct cluster *c, const struct kind *kind, struct str ns);

/* Returns the feed of that subscription; NULL when it is closed. */
struct feed *feed_of(const struct cluster *c, const struct subscription *sub);
/*
 * Returns an open feed that has, or will have, that object, or all objects that the selectors choose; else NULL.  A
 * list with a selector covers only the same list.
 */
struct feed *feed_covering(const struct cluster *c, const struct subscribe *what);
/* Returns a list of that kind there, or in all namespaces, that may not be read: then single objects are not tried. */
struct feed *feed_forbidden(const struct cluster *c, const struct kind *kind, struct str ns);
/* Returns the feed of that object alone; NULL when there is none. */
struct feed *feed_named(const struct cluster *c, const struct kind *kind, struct str ns, struct str name);
/* Opens a feed; none for the same kind, namespace and name may be open. */
struct feed *feed_open(struct cluster *c, const struct subscribe *what, unsigned asked);
void feed_free(struct feed *f);
/* Removes one referrer; feeds_close_idle() closes a feed without referrers. */
void feed_release(struct feed *f);
/* Closes feeds that nobody asks for; returns how many. */
size_t feeds_close_idle(struct feeds *o);
void feed_unask(struct feed *f, unsigned asked);
/* Returns true when it is asked for, and not only by the query before. */
bool feed_is_asked(const struct feed *f);
/* Returns true when a feed that is reached has the object. */
bool feed_reaches(const struct feeds *o, uint32_t slot);
/* Call it when who asks for the feed, or what it has, has changed: the urgency of its watch follows. */
void feed_rank(struct feed *f);
/* Returns true when a selector leaves objects out. */
bool feed_is_partial(const struct feed *f);
/* Takes a report of its list or watch on an object into the store, or out of it. */
enum change feed_object(struct feed *f, enum object_event event, struct json object);
/*
 * Objects that only this feed has are not kept up to date any more, so they leave the store: they may well exist, and
 * nobody may say that they were deleted.
 */
void feed_let_go(struct feed *f);
/* A list begins; the one before may not have ended. */
void feed_list_begin(struct feed *f);
/*
 * The list has ended: objects that it has not named are removed.  Returns true for the first list, or when the feed had
 * been given up.
 */
bool feed_list_end(struct feed *f);
/* From now on nobody waits for its first list. */
void feed_set_done(struct feed *f);
/* Sets what the store may conclude from an absent object; only a list without a selector knows the whole kind. */
void feed_set_coverage(struct feed *f, enum coverage coverage);
/* Gives a notice that is removed when the server answers as expected.  There is one at a time, with its first words. */
void feed_begin_notice(struct feed *f, const char *kind, struct str message);
void feed_end_notice(struct feed *f);

/* ---- tracked.c: objects for which something else is asked ----------------------- */

/* NULL when there is none. */
struct tracked *tracked_of(struct feeds *o, uint32_t slot);
/* Makes the entry unless there is one. */
struct tracked *tracked_put(struct feeds *o, struct handle h);
/* Releases the feeds that the object asked for before it was examined. */
void tracked_let_go(struct tracked *t);
/* Releases all feeds of the object. */
void tracked_free(struct feeds *o, struct tracked *t);
/* Frees the entries of the objects that no feed has which is asked for, or which an object that is itself reached asks for. */
void tracked_free_unreached(struct feeds *o);
/* Frees all entries; the owner of their feeds frees these. */
void tracked_release(struct feeds *o);

/* ---- query.c: what the query needs ------------------------------------------ */

void query_open(struct feeds *o, struct cluster *c);
/* A list of all namespaces may not be read: tries lists of single namespaces. */
void query_narrow(struct feed *f);
/* One of the lists that were tried has ended. */
void query_narrowed(struct feed *f);
/* The first lists have ended: where nothing was found, reads the Namespace object of the query. */
void query_look_for_namespaces(struct feeds *o);

/* ---- lookup.c: neighbours ----------------------------------------------------- */

/* Queues the objects that graph_changed() names. */
void lookup_queue_changed(struct feeds *o);
/* Queues the objects that have asked for the feed. */
void lookup_queue_waiters(struct feed *f);
/* Closes the feeds that nobody asks for, and queues objects for whose neighbours there was no room. */
void lookup_close_idle(struct feeds *o);
/* Examines the queued objects; returns how many feeds that has opened. */
size_t lookup_run(struct feeds *o);
bool lookup_pending(const struct feeds *o);
void lookup_release(struct feeds *o);

/* ---- recheck.c: verdicts that expire ------------------------------------ */

/* The object has changed: decides when it has to be read again. */
void recheck_note(struct feeds *o, struct handle h);
void recheck_run(struct feeds *o);
void recheck_release(struct feeds *o);

/* ---- answers.c: what the sessions tell ------------------------------------------ */

/*
 * Watches lists that get no answer, so that they delay nobody for long.  Returns when to check again, ms; 0: there are
 * none.
 */
void feeds_note_silent(struct feeds *o);
int64_t feeds_silent_at(const struct feeds *o);

/* ---- definitions.c: kinds that come and go ------------------------------------- */

void definitions_start(struct cluster *c);
void definitions_changed(struct cluster *c);
void definitions_refused(struct cluster *c);
void definitions_run(struct cluster *c);

#endif

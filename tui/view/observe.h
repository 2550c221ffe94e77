/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changed while the program looked on.  A verdict can change without an
 * event of its own object (its neighbour failed, a recheck was due), so changes
 * are found by comparing each object with what was seen of it before.
 */
#ifndef TUI_VIEW_OBSERVE_H
#define TUI_VIEW_OBSERVE_H

#include "kube/base/intern.h"
#include "kube/base/limits.h"
#include "tui/view/scene.h"

/* How an object became what it is now: for the counts of the last minutes. */
enum turn { TURN_OTHER, TURN_HEALED, TURN_BROKE };

enum { TOMBSTONES = 64, MOMENT_WHAT = 160 };
#define MOMENTS_SIZE MIB(16) /* of all moments: as far back as the history of 32 MB reaches, and some more */

/* One observed transition. */
struct moment {
	int64_t time;
	struct handle object;
	enum phase phase; /* after it */
	enum turn turn;
	uint32_t size; /* bytes, with its texts */
	const char *name, *ns, *cluster, *what;
};

/* An object that vanished.  The store keeps its name as long as ui_hold() tells it to. */
struct tombstone {
	struct handle handle;
	int64_t time;	  /* of the world */
	int64_t clock;	  /* of the person who looks: how long it is shown */
	enum phase phase; /* the last one */
	enum severity severity;
	uint32_t cluster; /* interned */
};

/* What was last seen in a slot of the store.  There are as many as objects, so what few have is in struct lately. */
struct seen {
	int64_t since;	 /* of the phase */
	uint32_t reason; /* hash */
	uint32_t gen, scan, cluster;
	uint32_t owner;	 /* slot, 0: none */
	uint32_t lately; /* 1 + its place in observer.lately; 0: nothing happened lately */
	uint8_t phase, severity;
	int8_t percent; /* as last written into the timeline, -1 */
	bool known;	/* there is an object */
	bool minor;	/* a healthy child of a workload: leaves no tombstone */
};

/* Of an object that changed or healed lately. */
struct lately {
	uint32_t slot;	 /* 0: nobody's, the place is free */
	uint32_t next;	 /* 1 + the next free place */
	int64_t changed; /* by the clock of the person; 0: longer ago */
	int64_t healed;	 /* the same */
	int64_t was_for; /* what it is healed from lasted so long, ms; 0: not known */
	uint8_t was, was_severity; /* what it is healed from */
};

struct observer {
	struct seen *slots;
	uint32_t nslots;
	struct lately *lately;
	uint32_t nlately, lately_cap, free_lately; /* 1 + the first free place */
	uint32_t scan; /* number of the current one */
	struct intern clusters;
	struct moment **ring; /* a power of two */
	size_t cap, first, count, bytes;
	uint64_t added; /* moments since the start */
	struct tombstone tombs[TOMBSTONES];
	size_t ntombs;
	int64_t expires; /* when the first of what happened lately is shown no more; 0: nothing did */
	bool settled; /* the first lists are complete: what appears from now on is new */
	bool many_namespaces, many_clusters;
	uint64_t a_namespace; /* hash of the first one met */
	bool hidden; /* another time is shown: nothing has just changed, healed or gone there */
	size_t total, by_phase[PHASE_COUNT], by_severity[SEVERITY_COUNT];
};

void observer_release(struct observer *o);
/* Something else is selected from now on: what comes and goes by that is not noted.  The moments stay. */
void observer_begin(struct observer *o);
/* Compares everything with what was seen of it.  Costs about a microsecond per object. */
void observe_scan(struct observer *o, const struct scene *scene);
/* The same of these slots, when nothing else changed since; one may be named twice. */
void observe_slots(struct observer *o, const struct scene *scene, const uint32_t *slots, size_t n);
/* Notes that the first lists are complete: what appears from then on is new.  True when that is now. */
bool observe_settle(struct observer *o, const struct header *header);
/* Forgets tombstones, and what happened lately, when they are old; true when rows go or move by that. */
bool observe_expire(struct observer *o, int64_t clock);
/* Newest last; i < observer.count. */
const struct moment *observe_moment(const struct observer *o, size_t i);
/* It changed a moment ago. */
bool observe_flashes(const struct observer *o, struct handle h, int64_t clock);
/* What the last scan saw of it; NULL: nothing, it is younger or not selected. */
const struct seen *observe_seen(const struct observer *o, struct handle h);
/* It became Ready a moment ago, and stands where it stood: what it was.  NULL: it did not. */
const struct lately *observe_healed(const struct observer *o, struct handle h);
/* How many healed and how many broke in the last five minutes. */
struct recent {
	size_t healed, broke;
};
struct recent observe_recent(const struct observer *o, int64_t now);
/* Who it was; strings are borrowed from the store. */
struct id observe_gone_id(const struct observer *o, const struct store *store,
			  const struct tombstone *t);
/* NULL when it did not vanish lately. */
const struct tombstone *observe_tombstone(const struct observer *o, struct handle h);

#endif

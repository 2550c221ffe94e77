/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the screen remembers of the selection: how each object was at the last look, for counts, flashes, tombstones and
 * rows that healed; and which entries of the journal are observed transitions, for the timeline and for stepping.
 * Changes of verdicts are read from the journal.  What comes and goes is found by looking at the objects, because an
 * object also comes into the selection, and leaves it, by its labels or by another list that is read.
 */
#ifndef TUI_STATE_OBSERVE_H
#define TUI_STATE_OBSERVE_H

#include "kube/base/intern.h"
#include "kube/journal/journal.h"
#include "tui/state/scene.h"

/* The kind of a transition, for the counts of the last five minutes. */
enum turn { TURN_OTHER, TURN_HEALED, TURN_BROKE };

enum { TOMBSTONES = 64, MOMENT_WHAT = 160, MOMENT_NAME = 1024 }; /* bytes of a text of a transition that are shown */

/* An entry of the journal that is an observed transition of the selection. */
struct moment {
	uint64_t entry; /* its number */
	enum turn turn;
};

/* An object that vanished.  ui_hold() makes the store keep its name. */
struct tombstone {
	struct handle handle;
	int64_t time;	  /* of the world, ms */
	int64_t clock;	  /* of the user, ms: how long it is shown */
	enum phase phase; /* the last one */
	enum severity severity;
	uint32_t cluster; /* interned */
};

/* The last scan of a slot of the store.  One for each object: rare facts are in struct lately. */
struct seen {
	int64_t since;	 /* of the phase */
	uint32_t looked; /* the journal's end when it was looked at, its low bits: what is written from there on is new */
	uint32_t gen, scan, cluster;
	uint32_t owner;	 /* slot, 0: none */
	uint32_t lately; /* 1 + its index in observer.lately; 0: none */
	uint8_t phase, severity;
	bool known;	/* there is an object */
	bool minor;	/* a healthy child of a workload: leaves no tombstone */
};

/* An object that changed or healed a moment ago. */
struct lately {
	uint32_t slot;	 /* 0: unused */
	uint32_t next;	 /* of an unused one: 1 + the index of the next unused one */
	int64_t changed; /* by the clock of the user, ms; 0: longer ago */
	int64_t healed;	 /* the same */
	int64_t was_for; /* how long the bad phase lasted, ms; 0: not known */
	uint8_t was, was_severity; /* the bad phase before it healed, and its severity */
	bool recovers; /* it left that phase and is not well yet: healed comes when it is */
};

struct observer {
	struct seen *slots;
	uint32_t nslots;
	struct lately *lately;
	uint32_t nlately, lately_cap, free_lately; /* 1 + the index of the first unused one */
	uint32_t scan; /* number of the current one */
	uint32_t scan_from; /* the slot from which on it goes on; 0: it is complete */
	struct intern clusters;
	uint64_t read; /* the number of the next entry of the journal to look at */
	struct moment *moments; /* in the order of the journal */
	size_t count, cap;
	uint64_t added; /* moments since the start */
	struct tombstone tombs[TOMBSTONES];
	size_t ntombs;
	int64_t expires; /* when the first flash, tombstone or healed row ends, ms; 0: there is none */
	bool settled; /* the first lists are complete: what appears from now on is new */
	bool many_namespaces, many_clusters;
	uint64_t a_namespace; /* hash of the first one seen */
	bool hidden; /* an earlier moment is shown: no flashes, tombstones or healed rows */
	bool silent; /* it is of an earlier moment: nothing is noted of how it came to that */
	size_t total, by_phase[PHASE_COUNT], by_severity[SEVERITY_COUNT];
};

void observer_release(struct observer *o);
/* Makes out, which was released or is all zero, a silent one that has seen the same. */
void observer_copy(const struct observer *o, struct observer *out);
/* Another selection is shown from now on: objects that come and go with it are not noted.  The moments stay. */
void observer_begin(struct observer *o);
/*
 * Compares all objects with the last scan.  Costs about a microsecond per object; interruptible: false when a key has
 * come in, the next call goes on from there.
 */
bool observe_scan(struct observer *o, const struct scene *scene, bool interruptible);
/* The same for these slots, when nothing else has changed; a slot may be there twice. */
void observe_slots(struct observer *o, const struct scene *scene, const uint32_t *slots, size_t n);
/* Notes that the first lists are complete: what appears from then on is new.  True when that is now. */
bool observe_settle(struct observer *o, const struct header *header);
/* Ends old tombstones, flashes and healed rows; true when rows go or move. */
bool observe_expire(struct observer *o, int64_t clock);
/*
 * The entry of an observed transition, newest last; i < observer.count.  NULL: the journal has dropped it since, with all
 * before it.
 */
const struct journal_entry *observe_moment(const struct observer *o, const struct scene *scene, size_t i);
/* The index of the first of them that the journal still has. */
size_t observe_oldest(const struct observer *o, const struct scene *scene);
/* The object's name in an entry ("widget/w1"), and what happened ("Ready → Failed  Quota: exceeded"). */
struct str observe_name(const struct journal_entry *e, const struct scene *scene, struct arena *a);
struct str observe_words(const struct journal_entry *e, struct arena *a);
/* The phase after it; of what is gone the last one. */
enum phase observe_phase(const struct journal_entry *e);
/* True when it changed a moment ago. */
bool observe_flashes(const struct observer *o, struct handle h, int64_t clock);
/* Its state at the last scan; NULL when it is newer or not selected. */
const struct seen *observe_seen(const struct observer *o, struct handle h);
/* Its state before, when it became Ready a moment ago and keeps its place in the list; else NULL. */
const struct lately *observe_healed(const struct observer *o, struct handle h);
/* "✔ Ready, was Failed 14m" */
struct str observe_healed_words(const struct lately *healed, struct arena *a);
/*
 * True when it was in trouble and is neither that nor well now: it is made or changed once more, and has healed when it
 * is well.
 */
bool observe_recovers(const struct observer *o, struct handle h);
/*
 * How many objects healed and how many broke in the last five minutes, each counted once, by the last that happened to
 * it.  shown: who saw the state that is on the screen, which is o but for an earlier moment.  Scratch is in the arena.
 */
struct turn_counts {
	size_t healed, broke;
};
struct turn_counts observe_turns(const struct observer *o, const struct observer *shown, const struct scene *scene, struct arena *a);
/* Its identity; strings are borrowed from the store. */
struct id observe_gone_id(const struct observer *o, const struct store *store,
			  const struct tombstone *t);
/* True when something of it was observed until then, ms: if it is not there, it is gone. */
bool observe_was_there(const struct observer *o, const struct scene *scene, struct handle h, int64_t until);
/* NULL when it did not vanish a moment ago. */
const struct tombstone *observe_tombstone(const struct observer *o, struct handle h);

#endif

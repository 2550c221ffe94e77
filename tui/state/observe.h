/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the dashboard remembers of the selected objects: the state of each at the last scan, for counts, flashes,
 * tombstones and healed rows; and which entries of the journal are observed transitions, for the timeline and for
 * stepping.  Changes of verdicts are read from the journal.  Objects that come and go are found by a scan of all
 * objects, because an object also comes into the selection, and leaves it, by its labels or by another list that is
 * read.
 */
#ifndef TUI_STATE_OBSERVE_H
#define TUI_STATE_OBSERVE_H

#include "kube/base/intern.h"
#include "kube/journal/journal.h"
#include "tui/state/scene.h"

/* The kind of a transition, for the counts of the last five minutes. */
enum transition_kind { TRANSITION_OTHER, TRANSITION_HEALED, TRANSITION_BROKE };

/* TRANSITION_WORDS and TRANSITION_NAME: the largest texts about a transition that are shown, in bytes */
enum { TOMBSTONES = 64, TRANSITION_WORDS = 160, TRANSITION_NAME = 1024 };

/* An entry of the journal that is an observed transition of a selected object. */
struct observed_transition {
	uint64_t entry; /* the number of the entry */
	enum transition_kind kind;
};

/* An object that is gone.  ui_hold() makes the store keep its name. */
struct tombstone {
	struct handle handle;
	int64_t time;	  /* when it was gone, ms by the clock of the cluster or recording */
	int64_t clock;	  /* when it was gone, ms by the clock of the user, for how long it is shown */
	enum phase phase; /* the last phase of the object */
	enum severity severity;
	uint32_t cluster; /* the name of the cluster, as a number of observer.clusters */
	uint32_t owner;	  /* the slot of its owner; 0: it has none */
	uint32_t alike;	  /* how many objects of that owner and kind are gone, of which this is the last */
};

/*
 * The state of a slot of the store at the last scan.  There is one for each object, so facts that few objects have are
 * in struct recent_change.
 */
struct snapshot {
	int64_t since;	 /* since when the phase holds */
	/* the low bits of the end of the journal when the object was looked at: later entries about it are new */
	uint32_t journal_end;
	uint32_t gen, scan, cluster;
	uint32_t owner;	 /* the slot of the owner; 0: it has none */
	uint32_t recent; /* 1 + the index of its entry in observer.recent; 0: it has none */
	uint8_t phase, severity;
	bool known;	/* the slot has an object */
	bool minor;	/* the object is a healthy child of a workload and leaves no tombstone */
	bool runs_out;	/* as in struct summary */
};

/* An object that changed or healed a moment ago. */
struct recent_change {
	uint32_t slot;	 /* the slot of the object; 0: the entry is unused */
	uint32_t next;	 /* in an unused entry: 1 + the index of the next unused entry; 0: there is none */
	int64_t changed; /* when the object changed, ms by the clock of the user; 0: its flash is over */
	/* when the object healed, ms by the clock of the user; 0: it did not, or its row is back in its usual place */
	int64_t healed;
	int64_t bad_for; /* how long the bad phase lasted, ms; 0: not known */
	uint8_t bad_phase, bad_severity; /* the bad phase before the object healed, and its severity */
	bool recovers; /* the object left the bad phase and is not well yet: it heals when it becomes well */
};

struct observer {
	struct snapshot *slots;
	uint32_t nslots;
	struct recent_change *recent;
	/* free_recent: 1 + the index of the first unused entry; 0: there is none */
	uint32_t nrecent, free_recent;
	size_t recent_cap;
	uint32_t scan; /* the number of the present scan */
	uint32_t scan_from; /* the slot at which an interrupted scan continues; 0: the last scan is complete */
	struct intern clusters;
	uint64_t read; /* the number of the next journal entry to read */
	struct observed_transition *transitions; /* the observed transitions, in the order of the journal */
	size_t count, cap;
	uint64_t added; /* how many transitions were observed since the start */
	struct tombstone tombs[TOMBSTONES];
	size_t ntombs;
	/* when the first flash, tombstone or healed row ends, ms by the clock of the user; 0: there is none */
	int64_t expires;
	bool settled; /* the first lists are complete: an object that appears from now on is new */
	bool many_namespaces, many_clusters;
	uint64_t a_namespace; /* a hash of the first namespace that was seen */
	bool hidden; /* an earlier moment is shown: there are no flashes, tombstones or healed rows */
	bool silent; /* the observer is one of an earlier moment, and notes no transitions */
	/* leftovers (phase_is_leftover()) count in no phase */
	size_t total, leftovers, run_out, by_phase[PHASE_COUNT], by_severity[SEVERITY_COUNT];
};

void observer_release(struct observer *o);
/* Makes out a silent observer that knows the same states.  out must be zero or released. */
void observer_copy(const struct observer *o, struct observer *out);
/* Begins with another selection: objects that come and go with it are not transitions.  Earlier transitions stay. */
void observer_begin(struct observer *o);
/*
 * Compares all objects with the last scan, which costs about a microsecond for each object.  interruptible: returns
 * false when a key has come in, and the next call continues there.
 */
bool observe_scan(struct observer *o, const struct scene *scene, bool interruptible);
/* Does the same for these slots only, when nothing else has changed; a slot may be given twice. */
void observe_slots(struct observer *o, const struct scene *scene, const uint32_t *slots, size_t n);
/*
 * Notes when the first lists are complete, so that what appears later is new.  Returns true when they have just become
 * complete.
 */
bool observe_settle(struct observer *o, const struct header *header);
/*
 * Ends tombstones, flashes and healed rows whose time is over; clock is the clock of the user in ms.  Returns true when
 * a row disappears or moves.
 */
bool observe_expire(struct observer *o, int64_t clock);
/*
 * Returns the journal entry of the observed transition i, the newest last; i < observer.count.  NULL: the journal has
 * dropped it since, and all before it.
 */
const struct journal_entry *observe_transition(const struct observer *o, const struct scene *scene, size_t i);
/* Returns the index of the first observed transition that the journal still has. */
size_t observe_oldest(const struct observer *o, const struct scene *scene);
/*
 * Notes transitions from before this observer began: entries that journal_add_before() has added since, by their numbers
 * in their order, all before those that were observed.
 */
void observe_earlier(struct observer *o, const struct scene *scene, const uint64_t *entries, size_t n);
/* Return the name of the object in an entry ("widget/w1"), and what happened ("Ready → Failed  Quota: exceeded"). */
struct str observe_name(const struct journal_entry *e, const struct scene *scene, struct arena *a);
struct str observe_words(const struct journal_entry *e, struct arena *a);
/* Returns the phase after the transition; of an object that is gone, its last phase. */
enum phase observe_phase(const struct journal_entry *e);
/* Returns true when the object changed a moment ago. */
bool observe_flashes(const struct observer *o, struct handle h, int64_t clock);
/* Returns the state of an object at the last scan; NULL when the object is newer or not selected. */
const struct snapshot *observe_snapshot(const struct observer *o, struct handle h);
/*
 * Returns the bad state before an object became Ready a moment ago, while its row keeps its place in the list; else
 * NULL.
 */
const struct recent_change *observe_healed(const struct observer *o, struct handle h);
/* Returns what is said about an object that healed: "✔ Ready, was Failed 14m". */
struct str observe_healed_words(const struct recent_change *healed, struct arena *a);
/*
 * Returns true when an object was in trouble, is not any more, and is not well yet: it is being created or changed once
 * more, and will have healed when it is well.
 */
bool observe_recovers(const struct observer *o, struct handle h);
/*
 * Counts the objects that healed and those that came into trouble in the last five minutes, each object once, by the
 * last that happened to it.  shown: the observer of the moment that is on the screen, which is o unless that is an
 * earlier moment.  a is used for scratch memory.
 */
struct transition_counts {
	size_t healed, broke;
};
struct transition_counts observe_counts(const struct observer *o, const struct observer *shown, const struct scene *scene, struct arena *a);
/* Returns the identity of an object that is gone; its texts are borrowed from the store and the observer. */
struct id observe_gone_id(const struct observer *o, const struct store *store,
			  const struct tombstone *t);
/* Returns true when a transition of the object was observed not after until (ms): when it is not there, it is gone. */
bool observe_was_there(const struct observer *o, const struct scene *scene, struct handle h, int64_t until);
/* Returns the tombstone of an object; NULL when it was not gone a moment ago. */
const struct tombstone *observe_tombstone(const struct observer *o, struct handle h);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal: what happened to objects, oldest first.  The graph writes an entry at the end of a settle for each
 * object that came, went, was edited, or whose verdict is another one; whoever tells of the past reads these entries.
 * Above the ceiling the oldest entries are dropped; journal_from() says since when it is complete.
 *
 * An entry holds the name of its object, because the store forgets the names of objects that are gone.
 */
#ifndef KUBE_JOURNAL_JOURNAL_H
#define KUBE_JOURNAL_JOURNAL_H

#include "kube/base/limits.h"
#include "kube/journal/watched.h"
#include "kube/model/store.h"

enum journal_what {
	JOURNAL_CAME,
	JOURNAL_WENT,
	JOURNAL_PHASE,		/* the phase changed, and what else of the verdict changed with it */
	JOURNAL_REASON,		/* the reason changed, and perhaps the severity */
	JOURNAL_SEVERITY,	/* the severity alone changed */
	JOURNAL_PROGRESS,	/* the percentage alone changed by a step that is worth telling */
	JOURNAL_SPEC,		/* the spec was edited; the entry has neither verdicts nor texts */
	/* The user interface writes these two, where no entry above tells why: */
	JOURNAL_SELECTED,	/* the object is in the user's selection from then on */
	JOURNAL_DESELECTED	/* the object is not in the user's selection any more */
};

/*
 * The verdict before and after an entry.  An object that came has none before (PHASE_UNKNOWN) unless it replaced
 * another one, and an object that went has none after.
 */
struct journal_verdict {
	uint8_t phase, severity;
	int8_t percent;		/* of the async operation; -1: not known */
};

struct journal_entry {
	int64_t time;		/* ms, of the settle */
	struct handle object;	/* HANDLE_NONE: a recording tells of the object, and the store does not know it */
	char *texts;		/* read by journal_texts(); owned by the journal, NULL: there are none */
	uint32_t kind;		/* its id */
	uint16_t cluster;
	uint16_t ns_len, name_len, reason_len, message_len;
	uint8_t what;		/* enum journal_what */
	struct journal_verdict from, to;
	/* it happened while the object was watched, so it may be evidence for what came after */
	bool watched : 1;
	/* for JOURNAL_CAME: the object was made or came back; else it existed and is only met now */
	bool news : 1;
	/* for JOURNAL_WENT: it left the selection by which it was watched, and may exist */
	bool deselected : 1;
	/* one object went and another of the same name came within one settle; both entries have this */
	bool replaced : 1;
};

/*
 * The name of the object, and the words of the verdict after the entry.  They are borrowed until the entry is dropped.
 */
struct journal_texts {
	struct str ns, name, reason, message;
};

struct journal;

/* ceiling: bytes, 0: no limit. */
struct journal *journal_new(size_t ceiling);
/* j may be NULL. */
void journal_free(struct journal *j);
/* Sets another ceiling, from now on. */
void journal_limit(struct journal *j, size_t ceiling);
/* Adds an entry, with copies of the texts (NULL: it has none), whose length is limited.  Returns its number. */
uint64_t journal_add(struct journal *j, const struct journal_entry *e, const struct journal_texts *texts);
/*
 * Adds an entry before all others, for what happened before the journal was kept and is read from elsewhere; its texts are
 * copied.  Such entries take only the room that is left below the ceiling: returns false, and adds nothing, when there is none, and once entries were dropped (journal_from() is not 0), because what they told would be missing in between.
 */
bool journal_add_before(struct journal *j, const struct journal_entry *e, const struct journal_texts *texts);
/* Entries are numbered in their order; those from journal_first() to journal_end() - 1 are kept. */
uint64_t journal_first(const struct journal *j);
uint64_t journal_end(const struct journal *j);
/* The entry is borrowed until the next journal_add(). */
const struct journal_entry *journal_at(const struct journal *j, uint64_t number);
struct journal_texts journal_texts(const struct journal_entry *e);
/* When each kind was watched: an object that nobody looked at has no entry that says so. */
struct watched *journal_watched(const struct journal *j);
/* The time since which no entry was dropped, ms: everything that happened later is there; 0: none was dropped. */
int64_t journal_from(const struct journal *j);
/* Bytes in use. */
size_t journal_size(const struct journal *j);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the graph writes into the journal, and which of these entries are evidence for what came after. */
#ifndef KUBE_GRAPH_ENTRIES_H
#define KUBE_GRAPH_ENTRIES_H

#include "kube/graph/graph.h"
#include "kube/journal/journal.h"

/*
 * Compares the object with what was shown of it at the end of the last settle, and writes the differences into the
 * journal, before that is replaced by now.  by_change: in this settle the object, or something that it may depend on,
 * was seen to change.
 */
void entries_write(struct graph *g, uint32_t slot, const struct status *now, bool by_change);

/*
 * Goes through the entries that are evidence: changes of phases and specs, and objects that were seen to come and go.
 */
struct evidence {
	const struct journal *journal;
	uint64_t number;	/* the number behind the next entry */
	uint32_t left;		/* how many more entries are read, so that a long journal does not make a search slow */
};
struct evidence evidence_newest(const struct graph *g);
/* Returns the next entry towards the oldest; NULL after the last. */
const struct journal_entry *evidence_before(struct evidence *e);
/* Returns what happened, according to the entry. */
enum changed evidence_word(const struct journal_entry *e);

#endif

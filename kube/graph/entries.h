/* SPDX-License-Identifier: Apache-2.0 */
/* What the graph writes into the journal, and which of these entries are evidence for what came after. */
#ifndef KUBE_GRAPH_ENTRIES_H
#define KUBE_GRAPH_ENTRIES_H

#include "kube/graph/graph.h"
#include "kube/journal/journal.h"

/*
 * Writes what is different from what was shown of the object at the end of the last settle, before that is replaced
 * by now.  by_change: in this settle the object, or something that it may depend on, was seen to change.
 */
void entries_write(struct graph *g, uint32_t slot, const struct status *now, bool by_change);

/* The entries that are evidence: changes of phases and specs, and what was seen to come and go. */
struct evidence {
	const struct journal *journal;
	uint64_t number;	/* after the next one */
	uint32_t left;		/* so many more are read: a long journal does not make a search slow */
};
struct evidence evidence_newest(const struct graph *g);
/* The next one towards the oldest; NULL: there is none. */
const struct journal_entry *evidence_before(struct evidence *e);
/* What the entry says happened. */
enum changed evidence_word(const struct journal_entry *e);

#endif

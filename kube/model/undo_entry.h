/* SPDX-License-Identifier: Apache-2.0 */
/* What a change of the store or the graph replaced: enough to undo that change.  kube/journal/undo.h keeps them. */
#ifndef KUBE_MODEL_UNDO_ENTRY_H
#define KUBE_MODEL_UNDO_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

enum undo_what {
	UNDO_NODE,	/* a node of the store; record is a packed object */
	UNDO_COVERAGE,	/* of the store */
	UNDO_HEALTH,	/* of the graph; record is a health */
	UNDO_MARK	/* the end of a settle: the world was settled at that time */
};

struct undo_entry {
	int64_t time;		/* UNDO_MARK: ms */
	void *state, *record;	/* before the change; one allocation each, NULL: none */
	char *name;		/* UNDO_NODE: of a node that was freed; else NULL */
	uint32_t ns;		/* its interned namespace */
	uint32_t slot;
	uint32_t state_size, size;	/* bytes: of state; of record and name */
	uint8_t what;
	bool same;		/* the record did not change and is not here */
};

/* Takes over the allocations of the entry. */
typedef void undo_write(void *log, const struct undo_entry *e);

#endif

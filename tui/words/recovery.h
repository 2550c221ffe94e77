/* SPDX-License-Identifier: Apache-2.0 */
/* What has to happen until an object is at its goal, and who has to do it: what is known, never what is hoped. */
#ifndef TUI_WORDS_RECOVERY_H
#define TUI_WORDS_RECOVERY_H

#include "kube/graph/graph.h"

enum recovery {
	RECOVERY_NOTHING,	/* the object is at its goal */
	RECOVERY_SELF,		/* it moves, and nothing that it needs or is made of is broken */
	RECOVERY_RETRIED,	/* its controller or the kubelet tries again */
	RECOVERY_PERSON,	/* a person must change or allow something */
	RECOVERY_OTHER,		/* another object that is named has to come, to go or to work */
	RECOVERY_UNKNOWN
};

/* Returns "nothing", "self", "retried", "person", "other" or "unknown", as in the JSON output. */
const char *recovery_name(enum recovery recovery);
/* Returns the same for a row: "retried", "needs a person"; "" for nothing. */
const char *recovery_brief(enum recovery recovery);
/*
 * Returns how an object recovers, and in *out_words the same as a sentence, which is a constant or in the arena: "a person must fix
 * it".  now: ms.  item comes from graph_item() or graph_item_brief().
 */
enum recovery recovery_of(struct graph *g, const struct item *item, int64_t now, struct arena *a, struct str *out_words);
/* Returns the same of a root cause, which may be an object that does not exist. */
enum recovery recovery_of_root(struct graph *g, const struct root_cause *root, int64_t now, struct arena *a, struct str *out_words);

#endif

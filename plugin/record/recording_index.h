/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a long recording, in the cache directory: states of the world at some of its moments.  Any other moment
 * is played from the state before it.  An index that is damaged or outdated is ignored.
 */
#ifndef PLUGIN_RECORD_RECORDING_INDEX_H
#define PLUGIN_RECORD_RECORDING_INDEX_H

#include "plugin/program.h"

struct recording_index;

/*
 * Opens the recording into p->replay as replay_open() does, quickly where there is an index.  to_go: recording_index_go()
 * will follow, so that an index that has to be made is made at once.
 */
int recording_index_open(struct program *p, const char *name, bool to_go, struct err *err) MUST_USE;
/*
 * Call it before anything is played: loads the newest state at or before time (ms) and sets the replay to go on there.
 * Makes the index when there is none.  Not for callers that need every change since the beginning.
 */
void recording_index_go(struct program *p, int64_t time);
/* True when going there from a state of the index is quicker than playing on. */
bool recording_index_is_nearer(const struct program *p, int64_t time);
/* The object at that time as JSON, in the arena; "" when it did not exist. */
struct str recording_index_object(const struct program *p, const struct object_id *id, int64_t time, struct arena *arena);
/* NULL is allowed. */
void recording_index_free(struct recording_index *x);

#endif

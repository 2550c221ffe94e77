/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beside a long recording, in the cache: states of the world at some of its moments, so that any other is reached
 * from the one before it.  Whatever is wrong with an index, it is as if there were none.
 */
#ifndef PLUGIN_RECORDING_INDEX_H
#define PLUGIN_RECORDING_INDEX_H

#include "plugin/program.h"

struct recording_index;

/* replay_open() into p->replay; it reads little when there is an index. */
int recording_index_open(struct program *p, const char *name, struct err *err) MUST_USE;
/*
 * Before anything is played: the world of the newest state at or before that time, where the replay goes on.
 * Makes the index when there is none.  Of no use to whoever wants every change since the beginning.
 */
void recording_index_go(struct program *p, int64_t time);
/* Is more than one of its states between where the world is and that time: is it nearer from there than to play on? */
bool recording_index_is_nearer(const struct program *p, int64_t time);
/* The object as it was at that time, as JSON in the arena; "": it was not there. */
struct str recording_index_object(const struct program *p, const struct object_id *id, int64_t time, struct arena *arena);
/* NULL is allowed. */
void recording_index_free(struct recording_index *x);

#endif

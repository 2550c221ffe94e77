/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world at an earlier time, from the undo log that the graph and its store write.  It is a copy of both, with the
 * same handles; the originals go on meanwhile.
 */
#ifndef KUBE_GRAPH_PAST_H
#define KUBE_GRAPH_PAST_H

#include "kube/graph/graph.h"

struct past;

/*
 * Makes a copy, which takes as much memory as the world.  live is borrowed and must keep an undo log
 * (graph_keep_history()).
 */
struct past *past_new(const struct graph *live);
/* p may be NULL. */
void past_free(struct past *p);
/*
 * Goes to that time (ms), or as near to it as the undo log reaches; returns the time.  Verdicts that change by time
 * alone are those of the last change before: call graph_settle() with the time before it is shown.
 */
int64_t past_move(struct past *p, int64_t time);
/*
 * Returns the slots that the last past_move() has changed; a slot may be there twice.  *out_copied: since then
 * everything was copied from live as it is now.  Borrowed until the next past_move().
 */
const uint32_t *past_moved(const struct past *p, size_t *out_n, bool *out_copied);
/* The world at that time, borrowed until the next past_move(). */
struct store *past_store(const struct past *p);
struct graph *past_graph(const struct past *p);

#endif

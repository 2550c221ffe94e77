/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world at an earlier time, from the undo log that the graph and its store write.  It is a copy of both, with the
 * same handles; the originals go on meanwhile.
 */
#ifndef KUBE_GRAPH_PAST_H
#define KUBE_GRAPH_PAST_H

#include "kube/graph/graph.h"

struct past;

/* Copies everything: takes as much memory as the world.  live is borrowed and must keep a history (graph_keep_history()). */
struct past *past_new(const struct graph *live);
/* NULL is allowed. */
void past_free(struct past *p);
/*
 * Goes to that time (ms), or as near as the undo log reaches; returns the time.  Verdicts that change by time alone are
 * those of the last change before: call graph_settle() with the time before showing it.
 */
int64_t past_move(struct past *p, int64_t time);
/*
 * The slots that the last past_move() changed; one may be there twice.  *out_copied: since everything was copied from
 * live as it is now.  Borrowed until the next past_move().
 */
const uint32_t *past_moved(const struct past *p, size_t *out_n, bool *out_copied);
/* Borrowed until the next past_move(). */
struct store *past_store(const struct past *p);
struct graph *past_graph(const struct past *p);

#endif

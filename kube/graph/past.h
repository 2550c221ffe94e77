/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world as it was at another time, by the history that the graph and its store write.  It is a store and a graph
 * like those it was copied from, with the same handles; these go on meanwhile.
 */
#ifndef KUBE_GRAPH_PAST_H
#define KUBE_GRAPH_PAST_H

#include "kube/graph/graph.h"

struct past;

/* A copy of everything; the graph is borrowed and keeps a history.  Its memory is that of the world once more. */
struct past *past_new(const struct graph *live);
/* NULL is allowed. */
void past_free(struct past *p);
/*
 * To that time, or as near as the history reaches; returns the time.  Verdicts that time alone changes are those of
 * the last change before: whoever shows it calls graph_settle() with the time.
 */
int64_t past_move(struct past *p, int64_t time);
/* Until the next past_move(). */
struct store *past_store(const struct past *p);
struct graph *past_graph(const struct past *p);

#endif

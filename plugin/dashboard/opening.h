/* SPDX-License-Identifier: Apache-2.0 */
/* Another context, opened beside the one that is shown: that one goes on until the other has answered. */
#ifndef PLUGIN_DASHBOARD_OPENING_H
#define PLUGIN_DASHBOARD_OPENING_H

#include "plugin/program.h"

struct opening;

/* Reads its configuration.  NULL with err: the kubeconfig, as it is now, does not have all of it. */
struct opening *opening_new(const struct program *beside, struct str context, struct err *err);
/* Drops it, and what was asked. */
void opening_free(struct opening *o);
/* Borrowed. */
struct str opening_context(const struct opening *o);
/* When it began, ms. */
int64_t opening_since(const struct opening *o);
/* As live_login(). */
struct str opening_login(const struct opening *o);
/* When opening_turn() wants to be called without an event, ms; 0: never. */
int64_t opening_deadline(const struct opening *o);
/* Does what can be done without waiting.  1: go on; 0: it has answered, take it; -1 with err: it failed. */
int opening_turn(struct opening *o, struct err *err) MUST_USE;
/* The program that shows that context; o is gone.  Release with opening_leave(). */
struct program *opening_take(struct opening *o);
/* Drops cluster and world of a program that is shown no longer; frees what opening_take() returned. */
void opening_leave(struct program *p);

#endif

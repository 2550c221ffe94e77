/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has become of the objects of a capsule since it was written: they are read from the cluster of the recorded
 * context, where the kubeconfig has that, beside what is shown.  Nothing is told when the cluster does not answer.
 */
#ifndef PLUGIN_DASHBOARD_SINCE_H
#define PLUGIN_DASHBOARD_SINCE_H

#include "plugin/program.h"

struct since;

/*
 * Begins to read the objects of the world of p, which shows the end of the recording; p is borrowed.  Returns NULL when
 * the kubeconfig does not have the context.
 */
struct since *since_new(struct program *p);
/* NULL is allowed. */
void since_free(struct since *s);
/* Waits as live_sleep() does. */
void since_sleep(struct since *s, const int *fds, size_t nfds, int64_t timeout_ms);
/* Returns when since_step() must be called without an event, ms. */
int64_t since_deadline(const struct since *s);
/*
 * Does what can be done without waiting.  Returns true once, at the end; *out is then what has changed, in one line in
 * the arena: "" when nobody answered.
 */
bool since_step(struct since *s, struct arena *arena, struct str *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logs of the Pods of a workload, for the Logs tab: of each Pod the container that tells most, merged by the times that
 * the server writes before lines.  Pods are known from the store, the worst ones are followed first; a Pod that comes takes
 * a free place, and the lines of one that goes stay.  A further reading requests only what was written since the last line.
 * The ceilings are LIMIT_LOG_... in kube/base/limits.h.
 */
#ifndef PLUGIN_DASHBOARD_WORKLOAD_LOGS_H
#define PLUGIN_DASHBOARD_WORKLOAD_LOGS_H

#include "plugin/program.h"
#include "tui/state/scene.h"

struct workload_logs;

/* Begins to read; out has its handle and is borrowed, as p is.  Free with workload_logs_free(). */
struct workload_logs *workload_logs_new(struct program *p, struct fetched *out);
void workload_logs_free(struct workload_logs *w);
/* Requests what is new, unless answers to the requests before are still to come. */
void workload_logs_read(struct workload_logs *w);
/* Returns true when something came since the last call; out is then filled in, with texts that are borrowed until the next call. */
bool workload_logs_changed(struct workload_logs *w);

#endif

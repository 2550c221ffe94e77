/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Logs tab: of which containers of a pod, and where they are served.  Only
 * what tells of an incident: containers that completed are left out while others
 * have not.  Of one that is between two starts it is the run that ended; of one that
 * runs again it is both runs, the one that ended first while it is not ready.
 */
#ifndef PLUGIN_FETCH_LOGS_H
#define PLUGIN_FETCH_LOGS_H

#include "kube/base/arena.h"
#include "kube/base/buf.h"
#include "kube/api/session.h"
#include "kube/model/json.h"
#include "kube/model/store.h"

struct log_source {
	struct str container;
	bool previous; /* the run before this one */
	struct str ended; /* when that one ended, as the pod has it; "": it runs, or that is not known */
};

/* Troubled ones first, at most LOG_SOURCES; none while nothing has started.  In arena. */
#define LOG_SOURCES 16
size_t log_sources(struct json pod, struct arena *arena, struct log_source out[LOG_SOURCES]);
/* The path of its last lines. */
void log_path(const struct session *s, const struct object_id *pod, const struct log_source *source,
	      struct buf *out);
/* A line above the text of each, as `tail` has it. */
void log_heading(const struct log_source *source, struct buf *out);

#endif

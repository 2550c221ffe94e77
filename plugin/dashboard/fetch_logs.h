/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Logs tab: which containers of a pod to read, and the path of each log.  Containers that completed are
 * left out while others have not.  Of a container that waits to be restarted the previous run is read; of one that
 * was restarted both runs, the previous one first while the container is not ready.
 */
#ifndef PLUGIN_DASHBOARD_FETCH_LOGS_H
#define PLUGIN_DASHBOARD_FETCH_LOGS_H

#include "kube/base/arena.h"
#include "kube/base/buf.h"
#include "kube/api/session.h"
#include "kube/model/json.h"
#include "kube/model/store.h"

struct log_source {
	struct str container;
	bool previous; /* the run before this one */
	bool runs;     /* this run goes on */
	struct str ended; /* when the run ended, as written in the pod; "": it runs, or not known */
};

/* Fills out, containers in trouble first, and returns their number; 0 while nothing has started.  Texts in the arena. */
#define LOG_SOURCES 16
size_t log_sources(struct json pod, struct arena *arena, struct log_source out[LOG_SOURCES]);
/* So many lines are asked for first: a few screens. */
#define LOG_LINES 200
/* Appends the path from which that many last lines of the log are read, each with the time at which it was written. */
void log_path(const struct session *s, const struct object_id *pod, const struct log_source *source,
	      unsigned lines, struct buf *out);
/*
 * How many lines to ask for instead when an answer of that length is cut off; 0: it is as good as it gets.  limitBytes
 * counts from the first of the lines asked for (kubelet, ReadLogs): what it cuts off are the newest.
 */
unsigned log_fewer_lines(unsigned lines, size_t len);
/* Appends the heading above each log, in the form of tail(1); failed: what follows is the server's reason. */
void log_heading(const struct log_source *source, unsigned lines, bool failed, struct buf *out);
/* Appends a log; a line of it that looks like a heading of ours is indented. */
void log_text(struct str text, struct buf *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the containers of a pod whose logs the Logs tab shows, and makes the path of each.  Containers that completed
 * are left out while others have not.  Of a container that waits to be restarted the previous run is read; of one that
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
	bool previous; /* the log is that of the container's previous run */
	bool runs;     /* the run goes on */
	bool troubled; /* the container is not as it should be */
	struct str since; /* only lines from that time on are requested, RFC 3339; "": all */
	struct str ended; /* when the run ended, as written in the pod; "": it goes on, or the time is not known */
};

/*
 * Fills out, containers in trouble first.  Returns their number; 0 while nothing has started.  The texts are in the
 * arena.
 */
#define LOG_SOURCES 16
size_t log_sources(struct json pod, struct arena *arena, struct log_source out[LOG_SOURCES]);
/* Returns the index of the container that tells most: one in trouble, else the one that kubectl logs shows.  n > 0. */
size_t log_telling(struct json pod, const struct log_source *sources, size_t n);
/* Appends the path that reads the last lines of a log. */
void log_path(const struct session *s, const struct object_id *pod, const struct log_source *source,
	      unsigned lines, struct buf *out);
/*
 * Returns how many lines to request instead, when an answer of len bytes was cut off; 0: the answer is good enough.
 * limitBytes counts from the first of the requested lines (kubelet, ReadLogs), so it cuts off the newest.
 */
unsigned log_fewer_lines(unsigned lines, size_t len);
/* Appends the heading above a log, of which the last lines are shown (0: all), in the form of tail(1); failed: the text below is the server's reason. */
void log_heading(const struct log_source *source, unsigned lines, bool failed, struct buf *out);
/* Appends a log; a line that looks like one of these headings is indented. */
void log_text(struct str text, struct buf *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the segments of a flight recorder are: a directory, or a web server in the cluster that serves one, which is
 * reached through the API server (services/proxy).  Of the service only the index is read, and the parts of segments
 * that are needed, with range requests.
 */
#ifndef PLUGIN_HISTORY_SOURCE_H
#define PLUGIN_HISTORY_SOURCE_H

#include "plugin/live.h"
#include "plugin/record/segments.h"

struct history_source;

/*
 * Opens what the user calls so: a directory, or NAMESPACE/SERVICE[:PORT].  Returns NULL with ERR_INPUT when it is
 * neither.
 */
struct history_source *history_source_new(const char *name, struct err *err);
/* Frees it.  Answers of the session may not come any more.  NULL is allowed. */
void history_source_free(struct history_source *s);
bool history_source_is_service(const struct history_source *s);
/*
 * From now on a service is asked for in the clusters of live, which is borrowed: in one after the other until it answers,
 * then there alone.
 */
void history_source_ask(struct history_source *s, struct live *live);
/* Returns the context in whose cluster the service has answered; "": none has, or it is a directory.  Borrowed from live. */
struct str history_source_context(const struct history_source *s);
/* Returns false when the contexts of live are others than the one that a recording names, which may be "". */
bool history_source_may_have(const struct history_source *s, struct live *live, struct str recorded);
/* Returns the name that people read: that of the service, or the last part of the directory's path. */
struct str history_source_name(const struct history_source *s);
/* Returns what the user calls it. */
const char *history_source_called(const struct history_source *s);

/* Read the list of segments again, next time. */
void history_source_look_again(struct history_source *s);
/* Leaves the segment with this index out of the list, and of later ones as long as it does not grow, because it cannot be read. */
void history_source_leave_out(struct history_source *s, size_t i, const char *why);
/* Returns true when an error of history_source_read() is about that segment, and not about the history. */
bool history_source_lacks(const struct err *err);
/*
 * Returns 0 with the segments, borrowed until history_source_look_again(); 1: the service was asked, call it again;
 * -1 with err, as below.
 */
int history_source_list(struct history_source *s, const struct segments **out, struct err *err) MUST_USE;
/*
 * Makes a part of a segment readable: from its newest keyframe at or before from, or its beginning, up to what was recorded
 * at to (ms), or somewhat more.  Returns 0 with the path of a file that can be opened now, and is borrowed until the next
 * call; *out_until is the time before which it tells all, INT64_MAX: it goes up to the end of the segment.  1: the service
 * was asked, call it again; -1 with err: ERR_INPUT, ERR_PROTO or ERR_SYSTEM when that would be no other later, else because
 * the service could not be reached or has refused.
 */
int history_source_read(struct history_source *s, const struct segment *segment, int64_t from, int64_t to, const char **out_path,
			int64_t *out_until, struct err *err) MUST_USE;

/* Returns the bytes that were read of a service. */
uint64_t history_source_taken(const struct history_source *s);

#endif

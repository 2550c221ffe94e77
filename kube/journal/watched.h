/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When each kind was watched, in all namespaces or in one: from the end of a list until its watch was closed.  What
 * happened at other times is not known, so whoever tells of the past asks here for the gaps.
 *
 * Above the ceiling the oldest times are dropped, and count as gaps from then on.
 */
#ifndef KUBE_JOURNAL_WATCHED_H
#define KUBE_JOURNAL_WATCHED_H

#include "kube/base/arena.h"
#include "kube/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A time in which nobody watched, ms. */
struct gap {
	int64_t from, to;
};
/* Where a list was complete for a moment only, or came back at once, nobody needs to be told. */
#define GAP_SHORTEST 2000

/* The objects of a kind (its id) in one namespace; ns "": in all namespaces. */
struct watch_scope {
	uint16_t cluster;
	uint32_t kind;
	struct str ns;
};

struct watched;

/* ceiling: bytes.  Free with watched_free(). */
struct watched *watched_new(size_t ceiling);
/* w may be NULL. */
void watched_free(struct watched *w);
/* The scope is watched from that time (ms) on, also when it is already. */
void watched_begin(struct watched *w, const struct watch_scope *scope, int64_t time);
/* The scope is not watched any more; when it was not, nothing changes. */
void watched_end(struct watched *w, const struct watch_scope *scope, int64_t time);
/* Nobody watched in this time, whatever is watched; what was watched until then goes on behind it if goes_on is true. */
void watched_miss(struct watched *w, struct gap time, bool goes_on);
/* Somebody watched the scope from from until to, ms. */
void watched_add(struct watched *w, const struct watch_scope *scope, struct gap time);
/* Calls visit() with each time in which somebody watched; to is INT64_MAX where it goes on. */
void watched_each(const struct watched *w, void (*visit)(void *ctx, const struct watch_scope *scope, struct gap time), void *ctx);

/* What is asked for: kinds for which wants() is true, in the namespaces ns, names with commas between them ("": in all). */
struct watch_question {
	struct str ns;
	bool (*wants)(const void *ctx, uint16_t cluster, uint32_t kind);
	const void *ctx;
};
/*
 * Returns the times within from and to (ms) in which one of these kinds was not watched, of at least GAP_SHORTEST, in
 * their order; in the arena.  Kinds that nobody ever watched do not count.
 */
const struct gap *watched_gaps(const struct watched *w, const struct watch_question *q, struct gap within, struct arena *arena,
			       size_t *out_n);
/* Returns a number that is another one after each change. */
uint64_t watched_changes(const struct watched *w);
/* Returns true when it is known of some time that the kind was watched then, in any namespace. */
bool watched_knows(const struct watched *w, uint16_t cluster, uint32_t kind);
/* Bytes in use. */
size_t watched_size(const struct watched *w);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what changed before failures: who wrote to the objects around them, from the metadata of these objects on the
 * cluster, and which fields differ, from earlier versions.
 */
#ifndef PLUGIN_CHANGED_H
#define PLUGIN_CHANGED_H

#include "plugin/program.h"

/* The most requests of one look, and the most failures that are looked at. */
enum { CHANGED_REQUESTS = 20, CHANGED_CAUSES = 20 };

/* Makes the world of p tell which fields have changed, as far as p keeps versions or plays a recording. */
void changed_begin(struct program *p);
/*
 * Requests from the cluster the metadata of objects around these failures, at most CHANGED_REQUESTS, those that were
 * not requested since the failure began.  Does nothing without a cluster.
 */
void changed_ask(struct program *p, const struct handle *failed, size_t n);
/* Requests who has changed an object at that time (ms), unless it was requested since. */
void changed_ask_of(struct program *p, struct handle changed, int64_t at);
/* Does so for all root causes. */
void changed_ask_all(struct program *p);
/* Returns the number of requests without an answer. */
size_t changed_pending(const struct program *p);
/* Returns true when an answer came since the last call. */
bool changed_came(struct program *p);
/*
 * Asks for all root causes, and waits for the answers for some seconds, for what is printed once; not after until (ms;
 * 0: no limit).
 */
void changed_await(struct program *p, int64_t until);
/* Call it after live_free(), because answers may still come until then.  NULL is allowed. */
void changed_free(struct changed_reader *r);

#endif

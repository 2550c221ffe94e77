/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles a TYPE that several API groups serve: the first group is shown, and a notice names the others that have
 * objects.
 */
#ifndef PLUGIN_NAMESAKES_H
#define PLUGIN_NAMESAKES_H

#include "plugin/live.h"

/* Adds the notices for a world that is complete: that of files or of a recording. */
void namesakes_note(const struct query *q, struct world *w);

struct namesakes;
/*
 * Requests one object of each other group from the first cluster, and adds a notice to w for each group that has one.
 * All arguments are borrowed.
 */
struct namesakes *namesakes_ask(const struct query *q, struct world *w, struct live *l);
/* Returns the number of requests that are not answered yet. */
size_t namesakes_pending(const struct namesakes *n);
/* Frees n.  Call it after live_free(), because answers may come until then. */
void namesakes_free(struct namesakes *n);

#endif

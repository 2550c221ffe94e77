/* SPDX-License-Identifier: Apache-2.0 */
/* A TYPE that several API groups serve: the first one is shown, a notice names the others that have objects. */
#ifndef PLUGIN_NAMESAKES_H
#define PLUGIN_NAMESAKES_H

#include "plugin/live.h"

/* Adds the notices for a world that is complete: files, a recording. */
void namesakes_note(const struct query *q, struct world *w);

struct namesakes;
/*
 * Requests one object of each other group from the first cluster; answers become notices of w.  All arguments are
 * borrowed.
 */
struct namesakes *namesakes_ask(const struct query *q, struct world *w, struct live *l);
/* Number of requests that are not answered yet. */
size_t namesakes_pending(const struct namesakes *n);
/* Call it after live_free(): until then answers may come. */
void namesakes_free(struct namesakes *n);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A TYPE that several API groups have: the first one is shown, a notice names the others. */
#ifndef PLUGIN_NAMESAKES_H
#define PLUGIN_NAMESAKES_H

#include "plugin/live.h"

/* Of a world that is complete: files, a recording. */
void namesakes_note(const struct query *q, struct world *w);

struct namesakes;
/* Asks the first cluster for one object of each other group; answers become notices of w.  All are borrowed. */
struct namesakes *namesakes_ask(const struct query *q, struct world *w, struct live *l);
/* How many answers are missing. */
size_t namesakes_pending(const struct namesakes *n);
/* Only after live_free(): answers may still be on their way. */
void namesakes_free(struct namesakes *n);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the details view shows and the store does not have: the whole object, its Events, its logs. */
#ifndef PLUGIN_DASHBOARD_FETCH_H
#define PLUGIN_DASHBOARD_FETCH_H

#include "plugin/program.h"
#include "tui/state/scene.h"

struct fetch;

/* Returns a fetch for the details view of p, which is borrowed.  Free with fetch_free(). */
struct fetch *fetch_new(struct program *p);
void fetch_free(struct fetch *f);
/* Sets what the user looks at, and requests it unless the last request was the same. */
void fetch_want(struct fetch *f, struct handle h, enum want want);
/* Requests the same again from the cluster; the last answer stays until the new one has come. */
void fetch_again(struct fetch *f);
/* Returns true when an answer came since the last call. */
bool fetch_changed(struct fetch *f);
/* Returns the answer for the scene; NULL when nothing is wanted.  Borrowed until the next call of a function here. */
const struct fetched *fetch_result(const struct fetch *f);

#endif

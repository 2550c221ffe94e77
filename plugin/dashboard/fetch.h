/* SPDX-License-Identifier: Apache-2.0 */
/* What the details view shows beyond the store: the object itself, its events. */
#ifndef PLUGIN_DASHBOARD_FETCH_H
#define PLUGIN_DASHBOARD_FETCH_H

#include "plugin/program.h"
#include "tui/state/scene.h"

struct fetch;

struct fetch *fetch_new(struct program *p);
void fetch_free(struct fetch *f);
/* Sets what the user looks at, and requests it unless that was requested last. */
void fetch_want(struct fetch *f, struct handle h, enum want want);
/* Requests the same again from the cluster; the last answer stays until the new one is there. */
void fetch_again(struct fetch *f);
/* True when an answer came since the last call. */
bool fetch_changed(struct fetch *f);
/* For the scene; NULL when nothing is wanted.  Borrowed until the next call of a function here. */
const struct fetched *fetch_result(const struct fetch *f);

#endif

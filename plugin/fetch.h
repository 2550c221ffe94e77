/* SPDX-License-Identifier: Apache-2.0 */
/* What the details view shows beyond the store: the object itself, its events. */
#ifndef PLUGIN_FETCH_H
#define PLUGIN_FETCH_H

#include "plugin/program.h"
#include "tui/view/scene.h"

struct fetch;

struct fetch *fetch_new(struct program *p);
void fetch_free(struct fetch *f);
/* The user looks at something else; asks for it unless that was the last question. */
void fetch_want(struct fetch *f, struct handle h, enum want want);
/* Reads the same once more, from a cluster; what is shown stays until the answer is there. */
void fetch_again(struct fetch *f);
/* Something came since the last call. */
bool fetch_changed(struct fetch *f);
/* For the scene; NULL when nothing is wanted. */
const struct fetched *fetch_result(const struct fetch *f);

#endif

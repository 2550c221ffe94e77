/* SPDX-License-Identifier: Apache-2.0 */
/* Opens another context beside the one that is shown, which stays on the screen until the other has answered. */
#ifndef PLUGIN_DASHBOARD_OPENING_H
#define PLUGIN_DASHBOARD_OPENING_H

#include "plugin/program.h"

struct opening;

/*
 * Reads the configuration of the context; with several, which are borrowed, that of all contexts that these options
 * name, and context is what they are called together.  Returns NULL with err, when the kubeconfig, as it is now, lacks a
 * part of it.
 */
struct opening *opening_new(const struct program *beside, struct str context, const struct options *several, struct err *err);
/* Ends the opening and its requests.  NULL is allowed. */
void opening_free(struct opening *o);
/* Returns the name of the context, borrowed. */
struct str opening_context(const struct opening *o);
/* Returns when the opening began, ms. */
int64_t opening_since(const struct opening *o);
/* Returns what live_login() returns for this context. */
struct str opening_login(const struct opening *o);
/* Returns when opening_step() must be called without an event, ms; 0: never. */
int64_t opening_deadline(const struct opening *o);
/*
 * Does what can be done without waiting.  Returns 1: call it again; 0: the context has answered, take it; -1 with err:
 * it failed.
 */
int opening_step(struct opening *o, struct err *err) MUST_USE;
/* Returns the program that shows the context, and frees o.  Release the program with opening_leave(). */
struct program *opening_take(struct opening *o);
/*
 * Frees the connection and the world of a program that is not shown any more, and the program itself when it came from
 * opening_take().
 */
void opening_leave(struct program *p);

#endif

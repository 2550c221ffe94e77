/* SPDX-License-Identifier: Apache-2.0 */
/* Opens another context beside the one that is shown, which stays on the screen until the other has answered. */
#ifndef PLUGIN_DASHBOARD_OPENING_H
#define PLUGIN_DASHBOARD_OPENING_H

#include "plugin/program.h"

/*
 * Reads the configuration of the context; with several, which are borrowed, that of all contexts that these options
 * name, and context is what they are called together.  Returns the program that will show it, to be released with
 * opening_leave(); NULL with err, when the kubeconfig, as it is now, lacks a part of it.
 */
struct program *opening_new(const struct program *beside, struct str context, const struct options *several, struct err *err);
/*
 * Does what can be done without waiting.  Returns 1: call it again; 0: the context has answered, and can be shown; -1 with
 * err: it failed.
 */
int opening_step(struct program *p, struct err *err) MUST_USE;
/*
 * Ends the requests of a program that is not shown any more, or was never, and frees its connection and its world, and the
 * program itself when opening_new() made it.  NULL is allowed.
 */
void opening_leave(struct program *p);

#endif

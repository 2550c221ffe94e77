/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the timeline of the dashboard to a file, for a post-mortem. */
#ifndef PLUGIN_OUTPUT_EXPORT_H
#define PLUGIN_OUTPUT_EXPORT_H

#include "kube/base/err.h"
#include "kube/base/str.h"
#include "tui/view/timeline.h"

/*
 * Creates the file with mode 0600: a line for each entry.  A leading "~/" is the user's home.  Returns -1 with ERR_SYSTEM
 * when the file exists or cannot be created.
 */
int export_timeline(struct str name, const struct timeline_entry *entries, size_t n, struct err *err) MUST_USE;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline as a file, for the post-mortem. */
#ifndef PLUGIN_OUTPUT_EXPORT_H
#define PLUGIN_OUTPUT_EXPORT_H

#include "kube/base/err.h"
#include "kube/base/str.h"
#include "tui/view/timeline.h"

/*
 * Creates the file with mode 0600: Markdown, JSON or CSV when its name ends in .md, .json or .csv, else text.
 * A leading "~/" is the user's home.  ERR_SYSTEM when the file exists or cannot be created.
 */
int export_timeline(struct str name, const struct timeline_entry *entries, size_t n, struct err *err) MUST_USE;

#endif

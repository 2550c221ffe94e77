/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_OUTPUT_WHOLE_FILE_H
#define PLUGIN_OUTPUT_WHOLE_FILE_H

#include "kube/base/err.h"
#include "kube/base/str.h"

/*
 * Writes a file as a whole or not at all, in place of an older one, of which it keeps the mode; a new one gets 0600.  A
 * reader sees the old or the new text.  Returns -1 with ERR_SYSTEM.
 */
int whole_file_write(const char *path, struct str text, struct err *err) MUST_USE;
/* Does the same for a text that is soon replaced again: it need not be on the disk yet, and a failure is no news. */
void whole_file_replace(const char *path, struct str text);

#endif

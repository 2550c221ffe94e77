/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_OUTPUT_HTML_H
#define PLUGIN_OUTPUT_HTML_H

#include "kube/base/buf.h"

/*
 * Appends a text as HTML, also within an attribute in double quotes: it can neither end the element nor begin another one,
 * and is no reference.  What must not reach a terminal (utf8_hostile()) becomes U+FFFD, but a newline and a tab stay.
 */
void html_text(struct str s, struct buf *out);

#endif

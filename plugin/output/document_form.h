/* SPDX-License-Identifier: Apache-2.0 */
/* The forms in which a document is printed: -o json, yaml and kyaml. */
#ifndef PLUGIN_OUTPUT_DOCUMENT_FORM_H
#define PLUGIN_OUTPUT_DOCUMENT_FORM_H

#include "plugin/options.h"

/* Appends a document, whose JSON is given, in the form of that format; for one that is no document, as JSON. */
void document_form(enum format format, struct str json, struct buf *out);
/* Does the same for one of several documents, one after the other. */
void document_form_next(enum format format, struct str json, struct buf *out);

#endif

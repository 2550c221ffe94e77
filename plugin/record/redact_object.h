/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out of an object what must not be shown or recorded. */
#ifndef PLUGIN_RECORD_REDACT_OBJECT_H
#define PLUGIN_RECORD_REDACT_OBJECT_H

#include "kube/base/buf.h"
#include "kube/model/json.h"
#include "kube/model/kind.h"

/*
 * Appends the object as JSON on one line.  It leaves out managedFields and annotations that hold tokens or a copy of
 * the object, wherever metadata stands in it; and of every map whose kind is Secret, however deep, all annotations and
 * the values of data and stringData.  Texts were redacted when they were read (json_parse()).  kind gives apiVersion
 * and kind, which items of lists and objects with metadata alone lack; it may be NULL.
 */
void redact_object(struct json object, const struct kind *kind, struct buf *out);

/* Returns true when redact_object() leaves out more than managedFields. */
bool redact_hides(struct json object, const struct kind *kind);

/* Does what redact_object() does, but sooner, for objects of which redact_hides() returned false. */
void redact_plain(struct json object, const struct kind *kind, struct buf *out);

#endif

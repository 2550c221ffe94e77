/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out of an object what must not be shown or recorded. */
#ifndef PLUGIN_RECORD_REDACT_H
#define PLUGIN_RECORD_REDACT_H

#include "kube/base/buf.h"
#include "kube/model/json.h"
#include "kube/model/kind.h"

/*
 * Adds the object as JSON on one line.  Left out are managedFields and annotations
 * that hold tokens or a copy of the object, wherever metadata stands in it; of
 * every map whose kind is Secret, however deep, all annotations and the values of
 * data and stringData.  Its texts are redacted since they were read (json_parse()).
 * kind gives apiVersion and kind, which are missing in items of lists and others in
 * metadata alone; may be NULL.
 */
void redact_object(struct json object, const struct kind *kind, struct buf *out);

/* True when redact_object() leaves out more than managedFields. */
bool redact_hides(struct json object, const struct kind *kind);

/* What redact_object() writes of an object that redact_hides() says no of, sooner. */
void redact_plain(struct json object, const struct kind *kind, struct buf *out);

#endif

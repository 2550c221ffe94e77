/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a recording behind its header (docs/recordings.md). */
#ifndef PLUGIN_RECORD_RECORD_H
#define PLUGIN_RECORD_RECORD_H

#include "kube/base/buf.h"
#include "kube/model/json.h"
#include "kube/model/kind.h"

/*
 * True when each word and each number in it is one that a recorder writes: its type, its time, who the object is, and
 * what else it tells (phases, counts, coverage, names).  A line that says anything else is damaged.
 */
bool record_is_valid(struct json record);
/* True when it tells the time and nothing else: so long nothing happened, or a state is complete. */
bool record_is_mark(struct json record);

/*
 * Adds the object as it is recorded: redacted (redact.h), and of a CustomResourceDefinition the schemas only with the
 * fields of status, their types and enumerations.  kind: as for redact_object().
 */
void record_object(struct json object, const struct kind *kind, struct buf *out);

#endif

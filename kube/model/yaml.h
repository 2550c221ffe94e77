/* SPDX-License-Identifier: Apache-2.0 */
/* YAML in and out, by way of JSON.  yaml.c owns libyaml. */
#ifndef KUBE_MODEL_YAML_H
#define KUBE_MODEL_YAML_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/model/json.h"

/*
 * Turns each document of a YAML (or JSON) stream into JSON text and calls back with it; empty and null documents are
 * left out.  Everything means what it means to kubectl (go-yaml v2): scalars are those of YAML 1.1 (yes, on, 0x1f, ~),
 * also as keys; anchors, aliases and merge keys are followed within a budget; of equal keys the last counts, including
 * keys that were merged.  !!binary stays text.  ERR_INPUT names the line.  It stops when document() returns -1.
 */
struct yaml_ops {
	int (*document)(void *ctx, struct str json, struct err *err);
};
int yaml_each(struct str text, const struct yaml_ops *ops, void *ctx, struct err *err) MUST_USE;

/* Reads only the first document, as kubectl reads a kubeconfig; appends nothing for an empty text. */
int yaml_first_to_json(struct str text, struct buf *out_json, struct err *err) MUST_USE;

/*
 * Appends value as YAML, as `kubectl get -o yaml` prints it, but in its own order, with long lines, and with numbers as
 * they are written.  Bytes that are no UTF-8 become U+FFFD, and control characters are escaped; in a text with an
 * invisible character (utf8_hostile()) everything that is not ASCII is escaped.
 */
void yaml_from_json(struct json value, struct buf *out);

#endif

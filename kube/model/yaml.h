/* SPDX-License-Identifier: Apache-2.0 */
/* YAML in and out, by way of JSON.  yaml.c owns libyaml. */
#ifndef KUBE_MODEL_YAML_H
#define KUBE_MODEL_YAML_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/model/json.h"

/*
 * Turns each document of a YAML (or JSON) stream into JSON text and calls back
 * with it; empty and null documents are left out.  Everything means what it
 * means to kubectl (go-yaml v2): scalars are those of YAML 1.1 (yes, on, 0x1f,
 * ~), also as keys; anchors, aliases and merge keys work within a budget; of
 * equal keys the last wins, merged ones included.  !!binary stays text.
 * ERR_INPUT names the line.  Stops when document() returns -1.
 */
struct yaml_ops {
	int (*document)(void *ctx, struct str json, struct err *err);
};
int yaml_each(struct str text, const struct yaml_ops *ops, void *ctx, struct err *err) MUST_USE;

/* Only the first document, as kubectl reads a kubeconfig; nothing added for an empty text. */
int yaml_first_to_json(struct str text, struct buf *out_json, struct err *err) MUST_USE;

/*
 * Appends value as YAML, as `kubectl get -o yaml` prints it, but in its own order
 * and with long lines; numbers as they are written.  Bytes that are no UTF-8 become
 * U+FFFD, control characters are escaped, and where a text holds an invisible one
 * (utf8_hostile()) all that is not ASCII is.
 */
void yaml_from_json(struct json value, struct buf *out);

#endif

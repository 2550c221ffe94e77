/* SPDX-License-Identifier: Apache-2.0 */
/* KYAML out: the strict dialect of YAML that kubectl prints for -o kyaml (KEP-5295). */
#ifndef KUBE_MODEL_KYAML_H
#define KUBE_MODEL_KYAML_H

#include "kube/base/buf.h"
#include "kube/model/json.h"

/*
 * Appends value as a document of KYAML with its first line "---", laid out as kubectl does (sigs.k8s.io/yaml/kyaml/kyaml.go), in
 * its own order and with numbers as they are written: braces and brackets, texts in double quotes, keys without them
 * where no reader could take them for something else, a comma after each value.  Characters that must never reach a
 * terminal are escaped, and bytes that are no UTF-8 become U+FFFD.
 */
void kyaml_from_json(struct json value, struct buf *out);

#endif

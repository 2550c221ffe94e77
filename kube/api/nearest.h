/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_API_NEAREST_H
#define KUBE_API_NEAREST_H

#include "kube/base/arena.h"
#include "kube/model/kind.h"

/*
 * The type names that look most like what was typed, for "did you mean": at
 * most three, quoted, "\"pods\", \"podtemplates\" or \"po\""; "" when nothing is near.
 * discovered: only kinds with KIND_DISCOVERED.
 */
struct str nearest_types(const struct kinds *kinds, bool discovered, struct str typed,
			 struct arena *arena);

#endif

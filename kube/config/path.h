/* SPDX-License-Identifier: Apache-2.0 */
/* File names, by their letters alone: as Go's path/filepath. */
#ifndef KUBE_CONFIG_PATH_H
#define KUBE_CONFIG_PATH_H

#include "kube/base/arena.h"
#include "kube/base/str.h"

/* Without "//", "." and ".."; "." when nothing is left. */
struct str path_clean(struct arena *arena, struct str path);
/* path below base, unless it is absolute or empty; cleaned. */
struct str path_below(struct arena *arena, struct str base, struct str path);
/* The absolute folder that a file is in. */
struct str path_folder(struct arena *arena, struct str file);

#endif

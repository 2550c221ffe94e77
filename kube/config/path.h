/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of files, by their letters alone, as path/filepath of Go treats them. */
#ifndef KUBE_CONFIG_PATH_H
#define KUBE_CONFIG_PATH_H

#include "kube/base/arena.h"
#include "kube/base/str.h"

/* Returns the path without "//", "." and ".."; "." when nothing is left. */
struct str path_clean(struct arena *arena, struct str path);
/* Returns path below base, cleaned; path itself when it is absolute or empty. */
struct str path_below(struct arena *arena, struct str base, struct str path);
/* Returns the absolute folder of a file. */
struct str path_folder(struct arena *arena, struct str file);

#endif

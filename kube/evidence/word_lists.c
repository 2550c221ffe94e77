/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the lists of word_lists.def. */
#include "kube/evidence/word_lists.h"

#include <stddef.h>

#define LIST(name, ...) const char *const list_##name[] = { __VA_ARGS__, NULL };
#define PHRASE(name, text) const char list_##name[] = text;
#include "kube/evidence/word_lists.def"

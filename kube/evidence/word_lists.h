/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of word_lists.def, as list_NAME. */
#ifndef KUBE_EVIDENCE_WORD_LISTS_H
#define KUBE_EVIDENCE_WORD_LISTS_H

#define LIST(name, ...) extern const char *const list_##name[];
#define PHRASE(name, text) extern const char list_##name[];
#include "kube/evidence/word_lists.def"
#undef LIST
#undef PHRASE

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of words.def, as list_NAME. */
#ifndef KUBE_EVIDENCE_WORDS_H
#define KUBE_EVIDENCE_WORDS_H

#define LIST(name, ...) extern const char *const list_##name[];
#define PHRASE(name, text) extern const char list_##name[];
#include "kube/evidence/words.def"
#undef LIST
#undef PHRASE

#endif

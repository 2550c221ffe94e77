/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as kubectl, a Go program, writes them: people search for those words. */
#ifndef KUBE_BASE_GOTEXT_H
#define KUBE_BASE_GOTEXT_H

#include "kube/base/arena.h"
#include "kube/base/err.h"
#include "kube/base/str.h"

/* As %q: "a\"b". */
struct str gotext_quote(struct arena *arena, struct str s);
/* "no such file or directory": strerror() without the capital. */
struct str gotext_errno(struct arena *arena, int code);
/*
 * Text of a plugin or a kubeconfig for people: control, format and private
 * characters become "U+001B", white space stays.
 */
struct str gotext_clean(struct arena *arena, struct str s);
/*
 * ERR_INPUT when name cannot be a segment of a path: "invalid namespace "a/b":
 * [may not contain '/']"; what is "namespace" or "resource name".
 */
int gotext_check_name(const char *what, struct str name, struct err *err) MUST_USE;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must not be shown, logged or recorded of a text, whoever wrote it.  Every way out of the program hides by these
 * functions: an object's texts as they are read (json_parse()), all others where they are printed.  Each takes time
 * in proportion to the length of the text, whatever is in it.
 */
#ifndef KUBE_BASE_REDACT_H
#define KUBE_BASE_REDACT_H

#include "kube/base/arena.h"
#include "kube/base/buf.h"
#include "kube/base/str.h"

/*
 * Overwrites credentials with stars, each as long as it was, and returns the text; or another text, which says so, in
 * place of one that holds the manifest of a Secret.
 *
 * Credentials are: user and password of a URL, also without its scheme ("user:password@host"); a user without a
 * password where that may be a token (http, not ssh://git@); the values of parameters of a query, a fragment or a path
 * whose name says that they are (token, sig, X-Amz-Signature and their like), also where '&' and '=' are written as
 * %26 and %3D, or as \u0026 and \u003d.
 *
 * A manifest is JSON or YAML, perhaps quoted once more, that has kind: Secret and data, stringData or annotations.
 */
struct str redact_text(char *text, size_t len);
/* The same of a copy. */
struct str redact_copy(struct arena *arena, struct str text);
/* The same of what a buffer holds from there on. */
void redact_buf(struct buf *b, size_t from);
/*
 * The same of the lines of a log: a manifest on one line takes only this line's place; one whose kind and data begin
 * lines of their own takes all of them.
 */
void redact_log(struct buf *b, size_t from);

/* False: nothing in the text needs to be hidden.  Most texts are answered at the speed of memchr(). */
bool redact_may_hide(struct str text);

/*
 * Does the member of an object with that key hold what identifies an object: a name, a namespace, a uid, a reference?
 * That is never rewritten, whatever it looks like: two users "okta:alice@example.com" and "okta:bobby@example.com" are two.
 */
bool redact_identifies(struct str key);
/* Does it hold a map whose keys are of its writer's choice, so that they say nothing of the values: annotations, data? */
bool redact_is_free_map(struct str key);

#endif

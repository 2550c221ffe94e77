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
/* Returns a redacted copy. */
struct str redact_copy(struct arena *arena, struct str text);
/* Redacts what a buffer holds from that position on. */
void redact_buf(struct buf *b, size_t from);
/*
 * Redacts the lines of a log: a manifest on one line is replaced by a text on this line alone; a manifest whose kind
 * and data begin lines of their own replaces all of the text.
 */
void redact_log(struct buf *b, size_t from);

/* Returns false when nothing in the text needs to be hidden.  Most texts are answered at the speed of memchr(). */
bool redact_may_hide(struct str text);

/*
 * Returns true for the name of a field, a variable or a flag whose value is a credential: "password", "DB_PASSWORD",
 * "apiKey"; false for what only refers to one: "secretName", "passwordSecretRef", "pullSecret".
 */
bool redact_names_credential(struct str name);
/*
 * Appends the text, with "(hidden)" for each value that it gives to such a name: "--password=a", "PGPASSWORD=a psql",
 * "password: a".  That is for commands and settings; other texts may use the same signs for something else.
 */
void redact_assigned(struct str text, struct buf *out);

/*
 * Returns true when the member of an object with that key identifies an object: a name, a namespace, a uid, a
 * reference.  Such a value is never rewritten, whatever it looks like: the two users "okta:alice@example.com" and
 * "okta:bobby@example.com" must stay two.
 */
bool redact_identifies(struct str key);
/*
 * Returns true when the member with that key is a map whose keys are chosen by the writer of the object, so that a key
 * says nothing of its value: annotations, data.
 */
bool redact_is_free_map(struct str key);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes parts of an object for somebody to read, without the passwords, tokens and keys in them.  What a value is is
 * told by the name of its field, by the name of the entry that it stands in ({name: DB_PASSWORD, value: ...}), or by the
 * text around it ("--password=...").
 */
#ifndef KUBE_MODEL_CONCEAL_H
#define KUBE_MODEL_CONCEAL_H

#include "kube/model/json.h"

/* Where a value stands.  All is borrowed from the document. */
struct conceal_place {
	struct str key;		/* of the value; of an element of an array that of the array */
	struct json owner;	/* the object that has the value */
	struct str owner_key;	/* the key of that object */
	bool names_only;	/* a credential is a text whose name says so, and nothing else: no number, no part of a text */
};

/* Returns true when the whole value is a credential. */
bool conceal_hides(const struct conceal_place *place, struct json value);
/* Returns true when conceal_write() hides something of the value. */
bool conceal_finds(const struct conceal_place *place, struct json value);
/* Appends the value as json_write() does, with "(hidden)" for each credential. */
void conceal_write(const struct conceal_place *place, struct json value, struct buf *out);

/* What stands in the place of a credential. */
#define CONCEALED STR("(hidden)")

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds: there is one struct for each group and kind, compared by its pointer and kept for ever. */
#ifndef KUBE_MODEL_KIND_H
#define KUBE_MODEL_KIND_H

#include "kube/base/intern.h"
#include "kube/base/map.h"
#include "kube/base/str.h"
#include "kube/model/json.h"

struct family;

enum kind_flags {
	KIND_NAMESPACED = 1 << 0,
	KIND_LIST = 1 << 1,	    /* verbs that the server offers */
	KIND_WATCH = 1 << 2,
	KIND_GET = 1 << 3,
	KIND_HAS_STATUS = 1 << 4,   /* there is a status subresource */
	/* the discovery of a server listed it; else it was seen in a file, or is built in */
	KIND_DISCOVERED = 1 << 5,
	KIND_CUSTOM = 1 << 6,	    /* its group is not one of Kubernetes itself */
	KIND_ALIAS = 1 << 7,	    /* its names are no objects; each name stands for the object that manages it */
	KIND_REPORTS = 1 << 8,	    /* an object of the kind has a status, or the schema of its definition */
	KIND_SCHEMA_READ = 1 << 9,  /* its definition was read: without KIND_REPORTS nobody writes a status */
	KIND_LEARNED = KIND_REPORTS | KIND_SCHEMA_READ, /* what discovery does not tell */
	KIND_FLAGS = (1 << 10) - 1  /* all flags */
};

enum { KIND_NAMES = 8 };

struct kind {
	uint32_t id;		    /* a small number from 1, in the order of registration */
	struct str group;	    /* "" for the core group */
	struct str version;	    /* the version that is requested */
	struct str kind, plural, singular;
	struct str short_names[KIND_NAMES], categories[KIND_NAMES];
	unsigned flags;
	const struct family *family; /* the family of its group; NULL until an engine has looked for it */
	/* all versions that are served, the preferred one first, with commas between them */
	struct str versions;
};

/* All kinds that are known.  {0} is empty; kinds_add_builtin() adds those of Kubernetes. */
struct kinds {
	struct intern names;
	struct map by_name;	/* "group/Kind" */
	struct kind **all;	/* count elements, in the order of registration */
	uint32_t count;
	uint32_t referred;	/* how many of them were registered by kinds_referred() */
	size_t cap;
};

/* Finds or registers a kind.  For a new kind the plural is guessed; the caller may set fields that it knows better. */
struct kind *kinds_put(struct kinds *k, struct str group, struct str kind);
/*
 * Does the same for a kind that a reference names.  Anyone who may write an object may name any: beyond LIMIT_KINDS_REFERRED
 * kinds that nothing else tells of, and for a name that is too long for a kind, it is the kind "?", as of an unknown one.
 */
struct kind *kinds_referred(struct kinds *k, struct str group, struct str kind);
/* Returns NULL when the kind was never registered. */
struct kind *kinds_find(const struct kinds *k, struct str group, struct str kind);
/* Does the same for a name that may be in lower case: a kind that was seen or discovered comes first. */
const struct kind *kinds_find_nocase(const struct kinds *k, struct str group, struct str kind);
/*
 * Finds a kind that was seen or discovered by what people and messages call it: its kind, singular or plural, in any
 * case.  group "": any; then a kind of the group near comes first, then one of Kubernetes itself, one of the same
 * domain, and the others by their group.  NULL: there is none.
 */
const struct kind *kinds_called(const struct kinds *k, struct str name, struct str group, struct str near);
/*
 * Finds the only kind of the group near whose name ends with a word of several: "Class" for "ClusterClass"; else the
 * only one of the same domain.  NULL: there is none, or there are several.
 */
const struct kind *kinds_ending(const struct kinds *k, struct str end, struct str near);
/* The API groups of Kubernetes itself; ends with NULL. */
extern const char *const kinds_builtin_groups[];
/* The kinds that every cluster serves, with scope, plural and short names. */
void kinds_add_builtin(struct kinds *k);
/* Returns true when Kubernetes' own kind of that name has a status, and false for every other kind. */
bool kinds_builtin_has_status(struct str group, struct str kind);
/* Returns a text that is interned in the table and lives as long as the table. */
struct str kinds_name(struct kinds *k, struct str name);
/* Adds one more version that is served, unless it is known, or no version, or the kind has LIMIT_KIND_VERSIONS. */
void kinds_add_version(struct kinds *k, struct kind *kind, struct str version);
/* Takes over what a CustomResourceDefinition says of its kind: its names unless discovery has listed the kind. */
void kinds_define(struct kinds *k, struct json definition);
/* Takes over whether the schema of the kind's definition has a status. */
void kinds_learn_status(struct kinds *k, const struct kind *kind, bool has_status);
/* Notes that an object of the kind has a status that is not empty.  Returns true when it has. */
bool kinds_note_status(struct kinds *k, const struct kind *kind, struct json object);
/* Returns true for the core group's Secret, whose values are never read. */
bool kind_is_secret(const struct kind *kind);
bool kind_in_category(const struct kind *kind, const char *category);
/* "apps/v1", "v1" */
void kind_api_version(const struct kind *kind, char *out, size_t size);
/* Returns true when it is an apiVersion of the kind's group, with any version. */
bool kind_in_api(const struct kind *kind, struct str api_version);
/* Returns "queue", or "queue.queue.oracle.com" when another registered kind has the name "queue". */
void kind_display(const struct kinds *k, const struct kind *kind, char *out, size_t size);
/*
 * Returns the name that kubectl has for short: "pvc", "cr.cert-manager.io" where another kind is called "cr", too; without a
 * shorter one what kind_display() returns.
 */
void kind_display_short(const struct kinds *k, const struct kind *kind, char *out, size_t size);
void kinds_release(struct kinds *k);

/*
 * Returns false for an object that says of itself that it is of another kind or group: what a server answers need not be what
 * it was asked for.  The metadata of any object (PartialObjectMetadata) fits, and what says nothing.
 */
bool kind_fits(const struct kind *kind, struct json object);

#endif

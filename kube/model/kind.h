/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds: one struct per group and kind, compared by pointer, kept for ever. */
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
	KIND_DISCOVERED = 1 << 5,   /* listed by a server's discovery; else seen in a file or built in */
	KIND_CUSTOM = 1 << 6,	    /* group is not one of Kubernetes itself */
	KIND_ALIAS = 1 << 7,	    /* its names are no objects, each stands for the one that manages it */
	KIND_FLAGS = (1 << 8) - 1   /* all of them */
};

enum { KIND_NAMES = 8 };

struct kind {
	uint32_t id;		    /* small, from 1, in order of registration */
	struct str group;	    /* "" for core */
	struct str version;	    /* the one to ask for */
	struct str kind, plural, singular;
	struct str short_names[KIND_NAMES], categories[KIND_NAMES];
	unsigned flags;
	const struct family *family; /* by group; NULL until an engine looked */
	struct str versions;	    /* all served ones, the preferred first, comma-separated */
};

/* All kinds known.  {0} is empty; kinds_add_builtin() gives those of Kubernetes. */
struct kinds {
	struct intern names;
	struct map by_name;	/* "group/Kind" */
	struct kind **all;	/* [0..count) in order of registration */
	uint32_t count, cap;
};

/*
 * Finds or registers.  For a new kind the plural is guessed; the
 * caller may set better fields.
 */
struct kind *kinds_put(struct kinds *k, struct str group, struct str kind);
/* NULL when never registered. */
struct kind *kinds_find(const struct kinds *k, struct str group, struct str kind);
/* The same for a name that may be in lower case: one that was seen or discovered comes first. */
const struct kind *kinds_find_nocase(const struct kinds *k, struct str group, struct str kind);
/* The kinds that every cluster serves, with scope, plural and short names. */
void kinds_add_builtin(struct kinds *k);
/* Does Kubernetes' own kind of that name have a status?  False for all others. */
bool kinds_builtin_has_status(struct str group, struct str kind);
/* Interned in the table, lives as long. */
struct str kinds_name(struct kinds *k, struct str name);
/* The strings of a list, interned, into KIND_NAMES places; those that are not used are empty. */
void kinds_names(struct kinds *k, struct json list, struct str *out);
/* One more that is served, unless it is known. */
void kinds_add_version(struct kinds *k, struct kind *kind, struct str version);
/* What a CustomResourceDefinition says of its kind, unless discovery has listed it. */
void kinds_define(struct kinds *k, struct json definition);
bool kind_in_category(const struct kind *kind, const char *category);
/* "apps/v1", "v1" */
void kind_api_version(const struct kind *kind, char *out, size_t size);
/* Is it an apiVersion of the kind's group, whichever version? */
bool kind_in_api(const struct kind *kind, struct str api_version);
/* "queue" or "queue.queue.oracle.com" when another registered kind has that name. */
void kind_display(const struct kinds *k, const struct kind *kind, char *out, size_t size);
void kinds_release(struct kinds *k);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves TYPE and NAME arguments as kubectl does. */
#ifndef KUBE_API_RESOLVE_H
#define KUBE_API_RESOLVE_H

#include "kube/base/arena.h"
#include "kube/base/err.h"
#include "kube/model/kind.h"

struct selection {
	const struct kind *kind;
	struct str version;	/* the version that was asked for (TYPE.VERSION.GROUP), else kind->version */
	struct str name;	/* "": all */
	struct str ns;		/* "": in all that are asked for */
};

struct resolve_request {
	/* in the order of discovery; as soon as one of them is KIND_DISCOVERED, only such kinds count */
	const struct kinds *kinds;
	const char *const *args;
	size_t nargs;
	bool all_namespaces;		/* -A */
	bool has_selector;		/* -l or --field-selector */
	/* what has the types, when it is no server: "the files don't"; NULL: a server */
	const char *source;
};

struct resolution {
	const struct selection *list;
	size_t n;		/* 0: there was no argument */
	struct str warning;	/* "short name ... could also match ...", or "" */
};

/*
 * Uses the grammar and the mapping of kubectl (cli-runtime/pkg/resource/builder.go, client-go/restmapper).  Categories
 * are expanded in the first argument.  A type that is listed is there once; a name as often as it was given.
 * ERR_NOT_SERVED: there is no such type, with the nearest ones as hint; ERR_USAGE: the grammar is wrong; ERR_INPUT: no
 * object can have that name.
 */
int resolve_args(const struct resolve_request *request, struct arena *arena, struct resolution *out,
		 struct err *err) MUST_USE;

#endif

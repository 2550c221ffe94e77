/* SPDX-License-Identifier: Apache-2.0 */
/* TYPE and NAME arguments, understood as kubectl does. */
#ifndef KUBE_API_RESOLVE_H
#define KUBE_API_RESOLVE_H

#include "kube/base/arena.h"
#include "kube/base/err.h"
#include "kube/model/kind.h"

struct selection {
	const struct kind *kind;
	struct str version;	/* the one asked for (TYPE.VERSION.GROUP), else kind->version */
	struct str name;	/* "": all */
};

struct resolve_request {
	/* in order of discovery; once one is KIND_DISCOVERED, only such count */
	const struct kinds *kinds;
	const char *const *args;
	size_t nargs;
	bool all_namespaces;		/* -A */
	bool has_selector;		/* -l or --field-selector */
	const char *source;		/* whose types they are when it is no server: "the files don't"; NULL: a server's */
};

struct resolution {
	const struct selection *list;
	size_t n;		/* 0: no argument was given */
	struct str warning;	/* "short name ... could also match ...", or "" */
};

/*
 * Grammar and mapping of kubectl (cli-runtime/pkg/resource/builder.go,
 * client-go/restmapper).  Categories are expanded in the first argument.  Types
 * that are listed come once each; named ones as often as they were named.
 *
 * ERR_NOT_SERVED: no such type, with the nearest ones as hint; ERR_USAGE: the
 * grammar; ERR_INPUT: a name that no object can have.
 */
int resolve_args(const struct resolve_request *request, struct arena *arena, struct resolution *out,
		 struct err *err) MUST_USE;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A document of YAML as it stands in the text, before aliases and merge keys are followed. */
#ifndef KUBE_MODEL_YAML_TREE_H
#define KUBE_MODEL_YAML_TREE_H

#include "kube/base/buf.h"
#include "kube/base/err.h"

enum tree_type { TREE_SCALAR, TREE_SEQUENCE, TREE_MAPPING, TREE_ALIAS };

/* Lives in the arena of its document. */
struct tree {
	enum tree_type type;
	bool quoted;		/* a scalar in quotes: a string, also where the text looks like a number */
	bool open;		/* for tree_to_json() */
	uint32_t line, column;	/* from 1 */
	struct str tag, text;	/* of a scalar; "" is no tag */
	/* child, or what an alias means; those of a mapping are key, value, key, ... */
	struct tree *first;
	struct tree *next;
};

/*
 * Calls back with the root of each document, which is gone afterwards.  ERR_INPUT names the line.  Stops when
 * document() returns -1.
 */
int yaml_each_tree(struct str text, int (*document)(void *ctx, struct tree *root, struct err *err), void *ctx,
		   struct err *err) MUST_USE;

/*
 * Appends root as JSON text.  ERR_INPUT names the line of what JSON cannot say
 * and of an alias that holds itself or too much.
 */
int tree_to_json(struct tree *root, struct buf *out, struct err *err) MUST_USE;

#endif

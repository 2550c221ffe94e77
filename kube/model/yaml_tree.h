/* SPDX-License-Identifier: Apache-2.0 */
/* A document of YAML as it stands in the text, before aliases and merge keys are followed. */
#ifndef KUBE_MODEL_YAML_TREE_H
#define KUBE_MODEL_YAML_TREE_H

#include "kube/base/buf.h"
#include "kube/base/err.h"

enum tree_type { TREE_SCALAR, TREE_SEQUENCE, TREE_MAPPING, TREE_ALIAS };

/* A node; it lives in the arena of its document. */
struct yaml_tree {
	enum tree_type type;
	bool quoted;		/* the scalar has quotes: it is a string, even when the text looks like a number */
	bool open;		/* used by tree_to_json() to find aliases that contain themselves */
	uint32_t line, column;	/* both count from 1 */
	struct str tag, text;	/* those of a scalar; "" is no tag */
	/* the first child, or the node that an alias stands for; the children of a mapping are key, value, key, ... */
	struct yaml_tree *first;
	struct yaml_tree *next;
};

/*
 * Calls back with the root of each document, which is freed afterwards.  ERR_INPUT names the line.  It stops when
 * document() returns -1.
 */
int yaml_each_tree(struct str text, int (*document)(void *ctx, struct yaml_tree *root, struct err *err), void *ctx,
		   struct err *err) MUST_USE;

/*
 * Appends root as JSON text.  ERR_INPUT names the line of what JSON cannot say, of an alias that contains itself, and
 * of aliases that exceed the budget.
 */
int tree_to_json(struct yaml_tree *root, struct buf *out, struct err *err) MUST_USE;

#endif

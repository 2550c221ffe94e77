/* SPDX-License-Identifier: Apache-2.0 */
/* Follows aliases and merge keys within a budget, as go-yaml v2 does. */
#include "kube/model/yaml_tree.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/map.h"
#include "kube/model/json.h"
#include "kube/model/yaml_scalar.h"

#include <string.h>

/* Nodes that may be written because of aliases: about as many as go-yaml v2 allows in one document. */
#define ALIAS_BUDGET 400000

#define TAG_PREFIX "tag:yaml.org,2002:"

struct writer {
	struct buf *out;
	struct err *err;
	int depth, aliases, budget;
};

/* text: the end of the message. */
static int refuse(const struct writer *w, const struct yaml_tree *node, const char *what,
		  struct str text)
{
	text = str_head(text, 100);
	return err_set(w->err, ERR_INPUT, "yaml: line %u: %s" STR_FMT, node->line, what, STR_ARG(text));
}

/* Takes the cost of one node from the budget. */
static int charge(struct writer *w, const struct yaml_tree *node)
{
	if (w->aliases > 0 && w->budget-- <= 0)
		return refuse(w, node, "document contains excessive aliasing", STR_NONE);
	return 0;
}

static struct yaml_tree *meant_by(struct yaml_tree *node)
{
	return node->type == TREE_ALIAS ? node->first : node;
}

/* Enters the node that node stands for; leave() with the same node leaves it. */
static int enter(struct writer *w, struct yaml_tree *node)
{
	if (meant_by(node)->open)
		return refuse(w, node, "an anchor's value contains itself", STR_NONE);
	if (w->depth >= LIMIT_JSON_DEPTH)
		return refuse(w, node, "nested too deep", STR_NONE);
	meant_by(node)->open = true;
	w->aliases += node->type == TREE_ALIAS;
	w->depth++;
	return charge(w, node);
}

static void leave(struct writer *w, struct yaml_tree *node)
{
	meant_by(node)->open = false;
	w->aliases -= node->type == TREE_ALIAS;
	w->depth--;
}

/* ---- scalars -------------------------------------------------------------- */

static struct str short_tag(struct str tag)
{
	return str_starts(tag, TAG_PREFIX) ? str_from(tag, strlen(TAG_PREFIX)) : tag;
}

static int resolve(struct writer *w, const struct yaml_tree *node, struct scalar *out)
{
	struct str text = str_head(node->text, 100), tag = short_tag(node->tag);

	*out = (struct scalar){ .type = SCALAR_STRING };
	if (node->quoted || scalar_resolve(node->tag, node->text, out))
		return 0;
	return err_set(w->err, ERR_INPUT,
		       "yaml: line %u: cannot decode `" STR_FMT "` as a !!" STR_FMT, node->line,
		       STR_ARG(text), STR_ARG(tag));
}

static int write_scalar(struct writer *w, const struct yaml_tree *node)
{
	struct scalar value;

	if (resolve(w, node, &value) < 0)
		return -1;
	if (!scalar_put_json(w->out, value, node->text))
		return refuse(w, node, "unsupported value: ", node->text);
	return 0;
}

/* ---- members of a mapping ------------------------------------------------- */

static int collect(struct writer *w, const struct yaml_tree *mapping, struct map *members);

static int merge_one(struct writer *w, struct yaml_tree *from, struct map *members)
{
	int result;

	if (meant_by(from)->type != TREE_MAPPING)
		return refuse(w, from, "map merge requires map or sequence of maps as the value",
			      STR_NONE);
	result = enter(w, from);
	if (result == 0)
		result = collect(w, meant_by(from), members);
	leave(w, from);
	return result;
}

/*
 * Reads the value of "<<": of several mappings the first one that has a key counts, so the last mapping is read first.
 */
static int merge(struct writer *w, struct yaml_tree *from, struct map *members)
{
	struct yaml_tree **each = NULL;
	size_t n = 0;
	int result = 0;

	if (from->type != TREE_SEQUENCE)
		return merge_one(w, from, members);
	for (struct yaml_tree *it = from->first; it; it = it->next)
		n++;
	each = xreallocarray(NULL, n, sizeof(struct yaml_tree *));
	n = 0;
	for (struct yaml_tree *it = from->first; it; it = it->next)
		each[n++] = it;
	while (n > 0 && result == 0)
		result = merge_one(w, each[--n], members);
	xfree(each);
	return result;
}

static bool is_merge(const struct yaml_tree *key)
{
	return key->type == TREE_SCALAR && !key->quoted && str_is(key->text, "<<") &&
	       (str_empty(key->tag) || str_is(key->tag, TAG_PREFIX "merge"));
}

static int put_name(struct writer *w, struct yaml_tree *key, struct buf *out)
{
	const struct yaml_tree *scalar = meant_by(key);
	struct scalar value;

	buf_reset(out);
	if (scalar->type != TREE_SCALAR)
		return refuse(w, key, "invalid map key: no scalar", STR_NONE);
	if (resolve(w, scalar, &value) < 0)
		return -1;
	if (!scalar_put_key(out, value, scalar->text))
		return refuse(w, key, "unsupported map key: ", scalar->text);
	return 0;
}

/* Maps names to values in the order of the text: a later value counts, merged or not. */
static int collect(struct writer *w, const struct yaml_tree *mapping, struct map *members)
{
	struct buf name = { 0 };
	int result = 0;

	for (struct yaml_tree *key = mapping->first; key && result == 0; key = key->next->next) {
		result = charge(w, key);
		if (result == 0 && is_merge(key)) {
			result = merge(w, key->next, members);
		} else if (result == 0) {
			result = put_name(w, key, &name);
			if (result == 0)
				map_set(members, buf_str(&name), key->next);
		}
	}
	buf_release(&name);
	return result;
}

/* ---- values --------------------------------------------------------------- */

static int write_node(struct writer *w, struct yaml_tree *node);

static int write_sequence(struct writer *w, const struct yaml_tree *node)
{
	buf_add_char(w->out, '[');
	for (struct yaml_tree *it = node->first; it; it = it->next) {
		if (it != node->first)
			buf_add_char(w->out, ',');
		if (write_node(w, it) < 0)
			return -1;
	}
	buf_add_char(w->out, ']');
	return 0;
}

static int write_mapping(struct writer *w, const struct yaml_tree *node)
{
	struct map members = { 0 };
	int result = collect(w, node, &members);
	char before = '{';

	for (struct map_entry *e = map_next(&members, NULL); e && result == 0;
	     e = map_next(&members, e)) {
		buf_add_char(w->out, before);
		before = ',';
		json_quote(w->out, map_key(e), JSON_QUOTE_BYTES);
		buf_add_char(w->out, ':');
		result = write_node(w, map_value(e));
	}
	buf_add_cstr(w->out, before == '{' ? "{}" : "}");
	map_release(&members);
	return result;
}

static int write_meant(struct writer *w, const struct yaml_tree *node)
{
	if (node->type == TREE_SCALAR)
		return write_scalar(w, node);
	return node->type == TREE_SEQUENCE ? write_sequence(w, node) : write_mapping(w, node);
}

static int write_node(struct writer *w, struct yaml_tree *node)
{
	int result = enter(w, node);

	if (result == 0)
		result = write_meant(w, meant_by(node));
	leave(w, node);
	if (result == 0 && w->out->failed)
		return err_set(w->err, ERR_INPUT, "yaml: document is larger than %zu MiB",
			       w->out->max / MIB(1));
	return result;
}

int tree_to_json(struct yaml_tree *root, struct buf *out, struct err *err)
{
	struct writer w = { .out = out, .err = err, .budget = ALIAS_BUDGET };

	return write_node(&w, root);
}

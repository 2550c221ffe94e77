/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/preferences.h"

#include "kube/base/limits.h"
#include "kube/base/file.h"
#include "kube/base/nearest.h"
#include "kube/family/families.h"
#include "kube/model/document.h"
#include "kube/model/yaml_tree.h"
#include "kube/status/thresholds.h"
#include "tui/view/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The value that is read, and its place in the file. */
struct reading {
	struct preferences *out;
	const struct yaml_tree *at, *value;
	struct str name;	/* its key, or the key of a member of a map */
	struct json json;	/* the value again */
	bool done;
	int result;
};

/* Reads one value. */
typedef int read_function(struct reading *r, struct err *err);

static int read_theme(struct reading *r, struct err *err)
{
	struct str theme = json_str(r->json, "");

	if (theme_parse(theme, &r->out->theme))
		return 0;
	if (!theme.len)
		return err_set(err, ERR_INPUT, "theme must be one of: %s", theme_names());
	return err_set(err, ERR_INPUT, "unknown theme \"" STR_FMT "\"; known: %s", STR_ARG(theme), theme_names());
}

/* bell and notify. */
static int read_yes_or_no(struct reading *r, struct err *err)
{
	bool yes = json_bool(r->json, "", false);

	if (json_bool(r->json, "", true) != yes)
		return err_set(err, ERR_INPUT, STR_FMT " must be true or false", STR_ARG(r->name));
	if (str_is(r->name, "bell"))
		r->out->silent = !yes;
	else
		r->out->notify = yes;
	return 0;
}

static int read_history(struct reading *r, struct err *err)
{
	int64_t mb = json_int(r->json, "", 0);

	if (mb < 1 || mb > 4096)
		return err_set(err, ERR_INPUT, "history must be a number of MB, 1 to 4096");
	r->out->history = (unsigned)mb;
	return 0;
}

static int add_column(struct preferences *out, struct str name, struct err *err)
{
	size_t had = strlen(out->columns), i = 0;

	while (column_name(i) && !str_eq_nocase(name, str_of(column_name(i))))
		i++;
	if (!column_name(i)) {
		struct nearest near = { .typed = name };

		for (i = 0; column_name(i); i++)
			nearest_offer(&near, str_of(column_name(i)));
		err_set(err, ERR_INPUT, "unknown column \"" STR_FMT "\"", STR_ARG(name));
		return nearest_hint(&near, err, "the manual names them under COLUMNS");
	}
	if (had + name.len + 2 > sizeof(out->columns))
		return err_set(err, ERR_INPUT, "too many columns");
	if (had)
		out->columns[had++] = ',';
	memcpy(out->columns + had, name.ptr, name.len);
	out->columns[had + name.len] = '\0';
	return 0;
}

static int read_column(struct reading *r, struct err *err)
{
	return add_column(r->out, json_str(r->json, ""), err);
}

/* Reads columns that are written as one text, as --columns takes it. */
static int read_columns(struct reading *r, struct err *err)
{
	struct str rest = json_str(r->json, ""), column;

	while (str_split(&rest, ',', &column))
		if (add_column(r->out, str_trim(column), err) < 0)
			return -1;
	return r->out->columns[0] ? 0 : err_set(err, ERR_INPUT, "columns must be a list of names, such as [name, phase, message]");
}

static bool is_name_part(struct str s, size_t most)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_alnum(s.ptr[i]) && s.ptr[i] != '-' && s.ptr[i] != '.' && s.ptr[i] != '_')
			return false;
	return s.len && s.len <= most && is_alnum(s.ptr[0]) && is_alnum(s.ptr[s.len - 1]);
}

/* What the API server takes as the key of a label: a name, with a domain and a slash before it or without. */
static bool is_label_key(struct str key)
{
	enum { NAME = 63, DOMAIN = 253 };
	size_t slash = str_find(key, '/');

	if (slash == key.len)
		return is_name_part(key, NAME);
	return is_name_part(str_head(key, slash), DOMAIN) && is_name_part(str_from(key, slash + 1), NAME);
}

/* Appends the key of a label or an annotation to a list with commas, which has room for PREFERRED_KEYS bytes. */
static int add_key(const struct reading *r, char *list, const char *what, struct err *err)
{
	size_t had = strlen(list);
	struct str key = r->value->text;

	if (r->value->type != TREE_SCALAR || !is_label_key(key))
		return err_set(err, ERR_INPUT, "\"" STR_FMT "\" cannot be a label or an annotation", STR_ARG(key));
	if (had + key.len + 2 > PREFERRED_KEYS)
		return err_set(err, ERR_INPUT, "too many labels that tell the %s", what);
	if (had)
		list[had++] = ',';
	memcpy(list + had, key.ptr, key.len);
	list[had + key.len] = '\0';
	return 0;
}

static int read_owner_key(struct reading *r, struct err *err)
{
	r->out->owner_read = true;
	return add_key(r, r->out->owner, "owner", err);
}

static int read_runbook_key(struct reading *r, struct err *err)
{
	return add_key(r, r->out->runbook, "runbook", err);
}

/* Reads the list as a whole: one key may stand without brackets. */
static int read_runbook(struct reading *r, struct err *err)
{
	if (r->value->type != TREE_SCALAR)
		return err_set(err, ERR_INPUT, "runbook must be a list of annotations, such as [runbook_url]");
	return read_runbook_key(r, err);
}

/* Reads the list as a whole: an empty one means that nobody is told, and one key may stand without brackets. */
static int read_owner(struct reading *r, struct err *err)
{
	if (r->value->type == TREE_MAPPING)
		return err_set(err, ERR_INPUT, "owner must be a list of labels or annotations, such as [team, contact]");
	r->out->owner_read = true;
	return r->value->type == TREE_SCALAR ? read_owner_key(r, err) : 0;
}

/* Sets the keys of an action.  The text is taken as it is written, because to YAML 7 is a number and n is a boolean. */
static int read_binding(struct reading *r, struct err *err)
{
	return bindings_set(&r->out->keys, r->name, r->value->text, err);
}

/* Checks the keys of an action when all actions are read, because two actions may swap their keys. */
static int check_binding(struct reading *r, struct err *err)
{
	return bindings_check(&r->out->keys, r->name, err);
}

/* Reads a threshold: a duration is a string; a bare number is a number of seconds, or a count. */
static int read_threshold(struct reading *r, struct err *err)
{
	struct buf number = { 0 };
	int64_t n = json_int(r->json, "", -1);
	int result;

	if (n >= 0)
		buf_printf(&number, "%lld", (long long)n);
	result = thresholds_set(families_all, r->name, n >= 0 ? buf_str(&number) : json_str(r->json, ""), err);
	buf_release(&number);
	return result;
}

/* Appends a line to pairs, which have room for PREFERRED_PAIRS bytes: a key, a tab, and a value.  words: what must be there. */
static int add_pair(char *pairs, struct str key, struct str value, const char *words, struct err *err)
{
	struct buf line = { 0 };
	size_t had = strlen(pairs);
	int result = 0;

	BUF_JOIN(&line, key, STR("\t"), value, STR("\n"));
	if (!value.len || !key.len || str_find(key, '\t') < key.len || str_find(value, '\n') < value.len)
		result = err_set(err, ERR_INPUT, "%s", words);
	else if (had + line.len + 1 > PREFERRED_PAIRS)
		result = err_set(err, ERR_INPUT, "too many of these");
	else
		memcpy(pairs + had, buf_cstr(&line), line.len + 1);
	buf_release(&line);
	return result;
}

/* Reads where the history of a context is.  A path may begin with "~/", which no shell expands here. */
static int read_flight(struct reading *r, struct err *err)
{
	struct str source = json_str(r->json, "");
	const char *home = getenv("HOME");
	struct buf path = { 0 };
	int result;

	BUF_JOIN(&path, str_of(str_starts(source, "~/") ? home : NULL), str_from(source, str_starts(source, "~/") && home ? 1 : 0));
	result = add_pair(r->out->flights, r->name, buf_str(&path), "flights must name a directory or NAMESPACE/SERVICE for a context", err);
	buf_release(&path);
	return result;
}

/* Reads which context is meant by the label "cluster" of an alert. */
static int read_cluster(struct reading *r, struct err *err)
{
	return add_pair(r->out->clusters, r->name, json_str(r->json, ""), "clusters must name a context for the label of a cluster", err);
}

static const char *pair_value(const char *pairs, struct str key, struct arena *arena)
{
	struct str rest = str_of(pairs), line;

	while (str_split(&rest, '\n', &line)) {
		size_t tab = str_find(line, '\t');

		if (tab < line.len && str_eq(str_head(line, tab), key))
			return arena_str(arena, str_from(line, tab + 1)).ptr;
	}
	return NULL;
}

const char *preferences_flight(const struct preferences *p, struct str context, struct arena *arena)
{
	return pair_value(p->flights, context, arena);
}

const char *preferences_cluster(const struct preferences *p, struct str label, struct arena *arena)
{
	return pair_value(p->clusters, label, arena);
}

static int read_no_map(struct reading *r, struct err *err)
{
	return err_set(err, ERR_INPUT, STR_FMT " must be a map", STR_ARG(r->name));
}

static int read_nothing(struct reading *r, struct err *err)
{
	(void)r, (void)err;
	return 0;
}

static const struct member {
	const char *name;
	read_function *read;	/* reads the value itself */
	enum tree_type holds;
	read_function *each;	/* reads each member of the value; NULL: the value is read as a whole */
	read_function *check;	/* called with each member when all are read; may be NULL */
} members[] = {
	{ "apiVersion", read_nothing, TREE_SCALAR, NULL, NULL },
	{ "kind", read_nothing, TREE_SCALAR, NULL, NULL },
	{ "theme", read_theme, TREE_SCALAR, NULL, NULL },
	{ "bell", read_yes_or_no, TREE_SCALAR, NULL, NULL },
	{ "notify", read_yes_or_no, TREE_SCALAR, NULL, NULL },
	{ "history", read_history, TREE_SCALAR, NULL, NULL },
	{ "columns", read_columns, TREE_SEQUENCE, read_column, NULL },
	{ "owner", read_owner, TREE_SEQUENCE, read_owner_key, NULL },
	{ "runbook", read_runbook, TREE_SEQUENCE, read_runbook_key, NULL },
	{ "flights", read_no_map, TREE_MAPPING, read_flight, NULL },
	{ "clusters", read_no_map, TREE_MAPPING, read_cluster, NULL },
	{ "keys", read_no_map, TREE_MAPPING, read_binding, check_binding },
	{ "thresholds", read_no_map, TREE_MAPPING, read_threshold, NULL },
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

/* Reads a value.  A key without a value counts as absent, because everything below it may be commented out. */
static int read_value(struct reading *r, const struct yaml_tree *at, struct yaml_tree *value, read_function *read, struct err *err)
{
	struct buf bytes = { 0 };
	int result = tree_to_json(value, &bytes, err);

	r->at = at;
	r->name = at->text;
	r->value = value;
	r->json = JSON_NONE;
	if (result == 0 && !str_is(buf_str(&bytes), "null")) {
		result = document_read(buf_str(&bytes), &r->json, err);
		if (result == 0)
			result = read(r, err);
	}
	json_free(r->json);
	buf_release(&bytes);
	return result;
}

static int check_once(struct reading *r, const struct yaml_tree *map, const struct yaml_tree *key, struct err *err)
{
	for (const struct yaml_tree *before = map->first; before != key; before = before->next->next)
		if (str_eq(before->text, key->text)) {
			r->at = key;
			return err_set(err, ERR_INPUT, "\"" STR_FMT "\" stands here twice", STR_ARG(key->text));
		}
	return 0;
}

static int read_each(struct reading *r, const struct yaml_tree *map_or_list, read_function *read, struct err *err)
{
	bool map = map_or_list->type == TREE_MAPPING;

	for (struct yaml_tree *it = map_or_list->first; it; it = map ? it->next->next : it->next)
		if ((map && check_once(r, map_or_list, it, err) < 0) || read_value(r, it, map ? it->next : it, read, err) < 0)
			return -1;
	return 0;
}

static int read_member(struct reading *r, const struct yaml_tree *key, struct yaml_tree *value, struct err *err)
{
	struct nearest near = { .typed = key->text };
	const struct member *m = members;

	while (m < members + MEMBERS && !str_is(key->text, m->name))
		m++;
	if (m == members + MEMBERS) {
		r->at = key;
		for (size_t i = 0; i < MEMBERS; i++)
			nearest_offer(&near, str_of(members[i].name));
		err_set(err, ERR_INPUT, "unknown field \"" STR_FMT "\"", STR_ARG(key->text));
		return nearest_hint(&near, err, "known: theme, bell, notify, history, columns, owner, runbook, flights, clusters, keys, thresholds");
	}
	if (!m->each || value->type != m->holds || (!value->first && m->holds == TREE_SEQUENCE))
		return read_value(r, key, value, m->read, err);
	if (read_each(r, value, m->each, err) < 0)
		return -1;
	return m->check ? read_each(r, value, m->check, err) : 0;
}

static int check_head(struct reading *r, const struct yaml_tree *root, const char *name, const char *wanted, struct err *err)
{
	for (const struct yaml_tree *key = root->first; key; key = key->next->next)
		if (str_is(key->text, name)) {
			r->at = key;
			if (str_is(key->next->text, wanted))
				return 0;
		}
	err_set(err, ERR_INPUT, "this version of Preferences is not known");
	return err_hint(err, "begin it with apiVersion: kubectl-status/v1 and kind: Preferences");
}

static int read_preferences(struct reading *r, const struct yaml_tree *root, struct err *err)
{
	r->at = root;
	if (root->type != TREE_MAPPING)
		return err_set(err, ERR_INPUT, "the file must be a map");
	if (check_head(r, root, "apiVersion", "kubectl-status/v1", err) < 0 || check_head(r, root, "kind", "Preferences", err) < 0)
		return -1;
	for (const struct yaml_tree *key = root->first; key; key = key->next->next)
		if (check_once(r, root, key, err) < 0 || read_member(r, key, key->next, err) < 0)
			return -1;
	return 0;
}

/* Reads the first document that is not empty and ignores the others. */
static int read_document(void *reading, struct yaml_tree *root, struct err *err)
{
	struct reading *r = reading;

	if (root->type == TREE_SCALAR && !root->quoted && !root->text.len)
		return 0;
	r->result = read_preferences(r, root, err);
	if (r->result < 0)
		err_context(err, "line %u, column %u", r->at->line, r->at->column);
	r->done = true;
	return -1;
}

static int read_text(const char *name, struct str text, struct preferences *out, struct err *err)
{
	struct reading r = { .out = out };
	int result = yaml_each_tree(text, read_document, &r, err);

	if (r.done)
		result = r.result;
	return result < 0 ? err_context(err, "%s", name) : 0;
}

static int read_file(const char *name, bool wanted, struct preferences *out, struct err *err)
{
	struct buf text = BUF_MAX(LIMIT_ENVELOPE);
	int why = 0, result = file_read(str_of(name), &text, &why, err);

	if (result < 0 && !wanted && (why == ENOENT || why == ENOTDIR))
		result = 0;
	else if (result < 0)
		result = err_hint(err, "your preferences%s", wanted ? ": $KUBECTL_STATUS_CONFIG names that file" : "");
	else if (result == 0)
		result = read_text(name, buf_str(&text), out, err);
	buf_release(&text);
	return result;
}

static int load(struct preferences *out, struct err *err)
{
	const char *named = getenv("KUBECTL_STATUS_CONFIG"), *home = getenv("HOME");
	struct buf name = { 0 };
	int result;

	if (named && *named)
		return read_file(named, true, out, err);
	if (!home || !*home)
		return 0;
	buf_printf(&name, "%s/.kube/kubectl-status.yaml", home);
	result = read_file(buf_cstr(&name), false, out, err);
	buf_release(&name);
	return result;
}

static void set_defaults(struct preferences *out)
{
	static const char owner[] = PREFERRED_OWNER, runbook[] = PREFERRED_RUNBOOK;

	_Static_assert(sizeof(owner) <= sizeof(out->owner), "the default has room");
	if (!out->owner_read)
		memcpy(out->owner, owner, sizeof(owner));
	if (!out->runbook[0])
		memcpy(out->runbook, runbook, sizeof(runbook));
}

int preferences_load(struct preferences *out, struct err *err)
{
	int result = load(out, err);

	if (result < 0)
		*out = (struct preferences){ .owner_read = false };
	set_defaults(out);
	return result;
}

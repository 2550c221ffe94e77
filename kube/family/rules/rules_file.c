/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a rules file from its YAML: every key has a row in a table, and what fits no row is a problem that is reported
 * with its place.
 */
#include "kube/family/rules/set.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/model/yaml_scalar.h"
#include "kube/model/yaml_tree.h"
#include "kube/status/thresholds.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PROBLEMS = 50, MOST_ROWS = 500 };

struct reader {
	struct arena *arena;
	struct str file;
	struct rules_report *report;
	void (*document)(void *ctx, struct rule_set set);
	void *ctx;
	size_t problems;
	const char *const *groups;	/* the groups of the document that is read */
	size_t first_example;
};

/* ---- problems --------------------------------------------------------------- */

static void problem(struct reader *r, const struct yaml_tree *at, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void problem(struct reader *r, const struct yaml_tree *at, const char *fmt, ...)
{
	struct rules_report *p = r->report;
	char text[400];
	va_list args;

	r->problems++;
	if (p->nproblems >= MOST_PROBLEMS)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	p->problems = xreallocarray(p->problems, p->nproblems + 1, sizeof(*p->problems));
	p->problems[p->nproblems++] = arena_printf(&p->arena, STR_FMT ":%u:%u: %s", STR_ARG(r->file), at->line, at->column, text);
}

/* ---- values ----------------------------------------------------------------- */

static const struct yaml_tree *meant(const struct yaml_tree *node)
{
	return node->type == TREE_ALIAS ? node->first : node;
}

static const char *kept(struct reader *r, struct str s)
{
	return arena_str(r->arena, s).ptr;
}

/* Reads a text; what YAML takes for a boolean or a number must be quoted, unless every scalar is allowed. */
static const char *read_text(struct reader *r, const struct yaml_tree *node, bool any)
{
	const struct yaml_tree *n = meant(node);
	struct scalar s = { 0 };

	if (n->type != TREE_SCALAR) {
		problem(r, node, "a text is wanted here, not a %s", n->type == TREE_MAPPING ? "map" : "list");
		return NULL;
	}
	if (!n->quoted && scalar_resolve(n->tag, n->text, &s) && s.type != SCALAR_STRING && s.type != SCALAR_TIME &&
	    (!any || s.type == SCALAR_NULL)) {
		problem(r, node, "a text is wanted here; quote it: \"" STR_FMT "\"", STR_ARG(n->text));
		return NULL;
	}
	if (n->text.len == 0) {
		problem(r, node, "this text is empty");
		return NULL;
	}
	return kept(r, n->text);
}

static bool read_bool(struct reader *r, const struct yaml_tree *node)
{
	const struct yaml_tree *n = meant(node);
	struct scalar s = { 0 };

	if (n->type == TREE_SCALAR && !n->quoted && scalar_resolve(n->tag, n->text, &s) && s.type == SCALAR_BOOL)
		return s.whole != 0;
	problem(r, node, "true or false is wanted here");
	return false;
}

static void address_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	const char *text = read_text(r, node, false);

	if (text && !str_is_address(str_of(text)))
		problem(r, node, "\"%s\" is no address; write it as https://wiki.example.org/widget", text);
	*(const char **)member = text;
}

/* Reads the path of a field: "spec.a['b.c/d'].e[].f". */
static const char *read_path(struct reader *r, const struct yaml_tree *node)
{
	const char *path = read_text(r, node, false);
	int depth = 0;

	if (!path)
		return NULL;
	for (const char *c = path; *c; c++) {
		depth += (*c == '[') - (*c == ']');
		if (depth < 0 || depth > 1)
			break;
	}
	if (depth != 0)
		problem(r, node, "the brackets of the field \"%s\" do not match", path);
	else if (path[0] == '.' || path[0] == '$' || strstr(path, "..") || path[strlen(path) - 1] == '.')
		problem(r, node, "\"%s\" is not a field; write it as spec.size or status.members[].state", path);
	return path;
}

static size_t children(const struct yaml_tree *node)
{
	size_t n = 0;

	for (const struct yaml_tree *c = node->first; c; c = c->next)
		n++;
	return n;
}

/* Reads one text or a list of texts. */
static const char *const *read_list(struct reader *r, const struct yaml_tree *node,
				    const char *(*one)(struct reader *r, const struct yaml_tree *node))
{
	const struct yaml_tree *n = meant(node);
	const char **list = arena_array(r->arena, n->type == TREE_SEQUENCE ? children(n) + 1 : 2, sizeof(*list));
	size_t count = 0;

	if (n->type == TREE_MAPPING) {
		problem(r, node, "a text or a list of texts is wanted here");
	} else if (n->type == TREE_SEQUENCE) {
		for (const struct yaml_tree *c = n->first; c; c = c->next) {
			list[count] = one(r, c);
			count += list[count] != NULL;
		}
		if (!n->first)
			problem(r, node, "this list is empty");
	} else {
		list[0] = one(r, node);
	}
	return list;
}

static const char *any_text(struct reader *r, const struct yaml_tree *node)
{
	return read_text(r, node, true);
}

static const char *plain_text(struct reader *r, const struct yaml_tree *node)
{
	return read_text(r, node, false);
}

/* ---- maps by a table --------------------------------------------------------- */

enum value {
	VALUE_TEXT,	/* into a const char * */
	VALUE_ANY,	/* into a const char *; every scalar is allowed */
	VALUE_PATH,
	VALUE_TEXTS,	/* into a const char *const * */
	VALUE_PATHS,
	VALUE_BOOL,
	VALUE_OTHER	/* the function read() of the row reads it */
};

struct key {
	const char *name;
	enum value value;
	size_t offset;
	void (*read)(struct reader *r, const struct yaml_tree *value, void *member);
	bool required;
};

static void read_value(struct reader *r, const struct key *key, const struct yaml_tree *node, char *member)
{
	switch (key->value) {
	case VALUE_TEXT: *(const char **)(void *)member = read_text(r, node, false); break;
	case VALUE_ANY: *(const char **)(void *)member = read_text(r, node, true); break;
	case VALUE_PATH: *(const char **)(void *)member = read_path(r, node); break;
	case VALUE_TEXTS: *(const char *const **)(void *)member = read_list(r, node, plain_text); break;
	case VALUE_PATHS: *(const char *const **)(void *)member = read_list(r, node, read_path); break;
	case VALUE_BOOL: *(bool *)(void *)member = read_bool(r, node); break;
	case VALUE_OTHER: key->read(r, node, member); break;
	}
}

static void unknown_key(struct reader *r, const struct yaml_tree *key, const struct key *keys)
{
	struct str text = str_head(key->text, 60);
	char known[300] = "";
	size_t n = 0;

	for (; keys->name && n < sizeof(known); keys++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", n ? ", " : "", keys->name);
	problem(r, key, "unknown key \"" STR_FMT "\"; known: %s", STR_ARG(text), known);
}

static bool is_repeated(const struct yaml_tree *map, const struct yaml_tree *key)
{
	for (const struct yaml_tree *k = map->first; k && k != key; k = k->next->next)
		if (str_eq(k->text, key->text))
			return true;
	return false;
}

/* Returns false when the value is no map. */
static bool is_map(struct reader *r, const struct yaml_tree *node)
{
	if (meant(node)->type == TREE_MAPPING)
		return true;
	problem(r, node, "a map is wanted here");
	return false;
}

/* Returns the value of a key of a map, NULL when it is absent. */
static const struct yaml_tree *value_of(const struct yaml_tree *map, const char *key)
{
	map = meant(map);
	for (const struct yaml_tree *k = map->type == TREE_MAPPING ? map->first : NULL; k; k = k->next->next)
		if (k->type == TREE_SCALAR && str_is(k->text, key))
			return k->next;
	return NULL;
}

static void wants(struct reader *r, const struct yaml_tree *map, const char *key)
{
	if (!value_of(map, key))
		problem(r, map, "\"%s\" is missing here", key);
}

static bool read_map(struct reader *r, const struct yaml_tree *node, const struct key *keys, void *out)
{
	const struct yaml_tree *map = meant(node);

	if (!is_map(r, node))
		return false;
	for (const struct yaml_tree *k = map->first; k; k = k->next->next) {
		const struct key *key = keys;

		while (key->name && !(k->type == TREE_SCALAR && str_is(k->text, key->name)))
			key++;
		if (!key->name)
			unknown_key(r, k, keys);
		else if (is_repeated(map, k))
			problem(r, k, "\"%s\" stands here twice", key->name);
		else
			read_value(r, key, k->next, (char *)out + key->offset);
	}
	for (const struct key *key = keys; key->name; key++)
		if (key->required)
			wants(r, node, key->name);
	return true;
}

/* Reads the elements of a list of maps with one(); *out gets one zeroed element more. */
static size_t read_rows(struct reader *r, const struct yaml_tree *node, size_t size, void **out,
			void (*one)(struct reader *r, const struct yaml_tree *node, void *row))
{
	const struct yaml_tree *list = meant(node);
	size_t n = 0;
	char *rows;

	if (list->type != TREE_SEQUENCE) {
		problem(r, node, "a list is wanted here");
		*out = arena_array(r->arena, 1, size);
		return 0;
	}
	n = children(list);
	if (n == 0)
		problem(r, node, "this list is empty");
	rows = arena_array(r->arena, n + 1, size);
	*out = rows;
	n = 0;
	for (const struct yaml_tree *c = list->first; c; c = c->next) {
		if (n == MOST_ROWS) {
			problem(r, c, "a list has %d entries at most; give the rest a document of their own", MOST_ROWS);
			break;
		}
		one(r, c, rows + size * n++);
	}
	return n;
}

#define KEY(what, name, type, member) { name, what, offsetof(type, member), NULL, false }
#define OTHER(name, type, member, read) { name, VALUE_OTHER, offsetof(type, member), read, false }
#define REQUIRED_KEY(what, name, type, member) { name, what, offsetof(type, member), NULL, true }
#define REQUIRED_OTHER(name, type, member, read) { name, VALUE_OTHER, offsetof(type, member), read, true }

/* ---- phases ------------------------------------------------------------------ */

static bool read_phase(struct reader *r, const struct yaml_tree *node, enum phase *out)
{
	const char *text = read_text(r, node, false);
	char known[200] = "";
	size_t n = 0;

	if (!text)
		return false;
	if (phase_parse(str_of(text), out) && strcmp(text, phase_name(*out)) == 0)
		return true;
	for (int p = 0; p < PHASE_COUNT; p++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", p ? ", " : "", phase_name((enum phase)p));
	problem(r, node, "\"%s\" is not a phase; phases are: %s", text, known);
	return false;
}

static bool read_severity(struct reader *r, const struct yaml_tree *node, enum severity *out)
{
	const char *text = read_text(r, node, false);

	for (int s = 0; text && s < SEVERITY_COUNT; s++)
		if (strcmp(text, severity_name((enum severity)s)) == 0) {
			*out = (enum severity)s;
			return true;
		}
	if (text)
		problem(r, node, "\"%s\" is not a severity; severities are: none, info, warning, error", text);
	return false;
}

static enum severity usual_severity(enum phase phase)
{
	switch (phase) {
	case PHASE_FAILED: return SEVERITY_ERROR;
	case PHASE_DEGRADED: return SEVERITY_WARNING;
	case PHASE_READY:
	case PHASE_UNKNOWN: return SEVERITY_NONE;
	default: return SEVERITY_INFO;
	}
}

static void phase_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	read_phase(r, node, member);
}

static void severity_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	read_severity(r, node, member);
}

static const struct key outcome_keys[] = { REQUIRED_OTHER("phase", struct row_outcome, phase, phase_key),
					   OTHER("severity", struct row_outcome, severity, severity_key),
					   OTHER("runbook", struct row_outcome, runbook, address_key),
					   { NULL, VALUE_OTHER, 0, NULL, false } };

/* Reads "Failed", or {phase: Failed, severity: warning}. */
static void read_outcome(struct reader *r, const struct yaml_tree *node, struct row_outcome *out)
{
	if (meant(node)->type == TREE_SCALAR) {
		if (read_phase(r, node, &out->phase))
			out->severity = usual_severity(out->phase);
		return;
	}
	if (read_map(r, node, outcome_keys, out) && !value_of(node, "severity"))
		out->severity = usual_severity(out->phase);
}

static void outcome_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	struct row_outcome *o = arena_alloc(r->arena, sizeof(*o));

	read_outcome(r, node, o);
	*(const struct row_outcome **)member = o;
}

static void words_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	const struct yaml_tree *map = meant(node);
	struct row_word *words;
	size_t n = 0;

	if (!is_map(r, node))
		return;
	if (!map->first)
		problem(r, node, "no word is named here");
	words = arena_array(r->arena, children(map) / 2 + 1, sizeof(*words));
	for (const struct yaml_tree *k = map->first; k; k = k->next->next) {
		words[n].word = read_text(r, k, true);
		if (is_repeated(map, k))
			problem(r, k, "the word \"" STR_FMT "\" stands here twice", STR_ARG(k->text));
		read_outcome(r, k->next, &words[n].outcome);
		n += words[n].word != NULL;
	}
	*(const struct row_word **)member = words;
}

/* ---- guards ------------------------------------------------------------------ */

/* Reads {field: value}, {field: [value, value]}, {field: "*"}. */
static void guards_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	const struct yaml_tree *map = meant(node);
	struct row_guard *guards;
	size_t n = 0;

	if (!is_map(r, node))
		return;
	if (!map->first)
		problem(r, node, "no field is named here");
	guards = arena_array(r->arena, children(map) / 2 + 1, sizeof(*guards));
	for (const struct yaml_tree *k = map->first; k; k = k->next->next) {
		guards[n].path = read_path(r, k);
		if (is_repeated(map, k))
			problem(r, k, "\"" STR_FMT "\" stands here twice", STR_ARG(k->text));
		if (!(meant(k->next)->type == TREE_SCALAR && str_is(meant(k->next)->text, "*")))
			guards[n].values = read_list(r, k->next, any_text);
		n += guards[n].path != NULL;
	}
	*(const struct row_guard **)member = guards;
}

static const char *const truths[] = { "true", "True", NULL };

/* Reads a field that is true, or a map of fields and the values that count. */
static void suspended_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	const char *const *paths;
	struct row_guard *guards;
	size_t n = 0;

	if (meant(node)->type == TREE_MAPPING) {
		guards_key(r, node, member);
		return;
	}
	paths = read_list(r, node, read_path);
	while (paths[n])
		n++;
	guards = arena_array(r->arena, n + 1, sizeof(*guards));
	for (size_t i = 0; i < n; i++)
		guards[i] = (struct row_guard){ paths[i], truths };
	*(const struct row_guard **)member = guards;
}

/* ---- conditions --------------------------------------------------------------- */

struct condition_draft {
	struct row_condition row;
	const char *polarity, *after;
};

static const struct key condition_keys[] = {
	REQUIRED_KEY(VALUE_TEXT, "type", struct condition_draft, row.type),
	KEY(VALUE_ANY, "status", struct condition_draft, row.status),
	KEY(VALUE_TEXT, "reason", struct condition_draft, row.reason),
	OTHER("phase", struct condition_draft, row.outcome.phase, phase_key),
	OTHER("severity", struct condition_draft, row.outcome.severity, severity_key),
	OTHER("runbook", struct condition_draft, row.outcome.runbook, address_key),
	KEY(VALUE_TEXT, "polarity", struct condition_draft, polarity),
	KEY(VALUE_TEXT, "after", struct condition_draft, after),
	{ NULL, VALUE_OTHER, 0, NULL, false }
};

static void read_polarity(struct reader *r, const struct yaml_tree *node, const char *text, struct row_condition *out)
{
	if (strcmp(text, "positive") == 0)
		out->polarity = POLARITY_POSITIVE;
	else if (strcmp(text, "negative") == 0)
		out->polarity = POLARITY_NEGATIVE;
	else if (strcmp(text, "transitional") == 0)
		out->polarity = POLARITY_TRANSITIONAL;
	else if (strcmp(text, "ignored") == 0)
		out->ignored = true;
	else
		problem(r, node, "\"%s\" is not a polarity; polarities are: positive, negative, transitional, ignored", text);
}

static void read_after(struct reader *r, const struct yaml_tree *node, const char *text, struct row_condition *out)
{
	if (strcmp(text, "podStartGrace") == 0)
		out->after_threshold = &thresholds.pod_start_grace;
	else if (strcmp(text, "overdue") == 0)
		out->after_threshold = &thresholds.overdue;
	else if ((out->after = time_duration(str_of(text))) <= 0)
		problem(r, node, "\"%s\" is not a time; write 90s, 10m, podStartGrace or overdue", text);
}

static void read_condition(struct reader *r, const struct yaml_tree *node, void *row)
{
	struct condition_draft d = { 0 };
	bool says_phase = value_of(node, "phase") != NULL;

	if (!read_map(r, node, condition_keys, &d))
		return;
	if (!says_phase && !value_of(node, "polarity"))
		problem(r, node, "a condition needs a phase, or a polarity");
	if (!says_phase && (value_of(node, "severity") || value_of(node, "after") || value_of(node, "status") || value_of(node, "reason") ||
			    value_of(node, "runbook")))
		problem(r, node, "status, reason, severity, after and runbook belong to a phase, which is missing here");
	if (d.row.status && strcmp(d.row.status, "true") == 0)
		d.row.status = "True";
	if (d.row.status && strcmp(d.row.status, "false") == 0)
		d.row.status = "False";
	d.row.decides = says_phase;
	if (says_phase && !value_of(node, "severity"))
		d.row.outcome.severity = usual_severity(d.row.outcome.phase);
	if (d.polarity)
		read_polarity(r, value_of(node, "polarity"), d.polarity, &d.row);
	if (d.after)
		read_after(r, value_of(node, "after"), d.after, &d.row);
	*(struct row_condition *)row = d.row;
}

static bool covers(const char *a, const char *b)
{
	return !a || (b && strcmp(a, b) == 0);
}

/* Reports a row that is never reached, because a row before it takes everything. */
static void conditions_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	void *rows;
	size_t n = read_rows(r, node, sizeof(struct row_condition), &rows, read_condition);
	const struct row_condition *c = rows;
	const struct yaml_tree *at = meant(node)->type == TREE_SEQUENCE ? meant(node)->first : NULL;

	for (size_t i = 0; i < n; i++, at = at->next)
		for (size_t k = 0; k < i; k++)
			if (c[k].type && c[i].type && strcmp(c[k].type, c[i].type) == 0 && c[k].decides && c[i].decides &&
			    covers(c[k].status, c[i].status) && covers(c[k].reason, c[i].reason) && !c[k].after &&
			    !c[k].after_threshold) {
				problem(r, at, "nothing gets here: the condition %s before it takes it all", c[k].type);
				break;
			}
	*(const struct row_condition **)member = c;
}

/* ---- parts, counts, partitions ------------------------------------------------- */

static const struct key each_keys[] = { REQUIRED_KEY(VALUE_PATH, "path", struct row_each, path),
					REQUIRED_KEY(VALUE_PATH, "word", struct row_each, word),
					REQUIRED_OTHER("words", struct row_each, words, words_key),
					OTHER("some", struct row_each, some, outcome_key),
					OTHER("all", struct row_each, all, outcome_key),
					KEY(VALUE_PATH, "reason", struct row_each, reason),
					KEY(VALUE_PATH, "message", struct row_each, message),
					KEY(VALUE_PATH, "operatorPhase", struct row_each, operator_phase),
					{ NULL, VALUE_OTHER, 0, NULL, false } };

static void each_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	struct row_each *each = arena_alloc(r->arena, sizeof(*each));

	read_map(r, node, each_keys, each);
	*(const struct row_each **)member = each->path && each->word && each->words ? each : NULL;
}

static const struct key counts_keys[] = { REQUIRED_KEY(VALUE_PATHS, "want", struct row_counts, want),
					  REQUIRED_KEY(VALUE_PATHS, "have", struct row_counts, have),
					  { NULL, VALUE_OTHER, 0, NULL, false } };

static void counts_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	struct row_counts *counts = arena_alloc(r->arena, sizeof(*counts));

	read_map(r, node, counts_keys, counts);
	*(const struct row_counts **)member = counts->want && counts->have ? counts : NULL;
}

static const struct key partition_keys[] = { REQUIRED_KEY(VALUE_PATHS, "hold", struct row_partition, hold),
					     REQUIRED_KEY(VALUE_PATHS, "want", struct row_partition, want),
					     REQUIRED_KEY(VALUE_PATHS, "updated", struct row_partition, updated),
					     { NULL, VALUE_OTHER, 0, NULL, false } };

static void partition_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	struct row_partition *p = arena_alloc(r->arena, sizeof(*p));

	read_map(r, node, partition_keys, p);
	*(const struct row_partition **)member = p->hold && p->want && p->updated ? p : NULL;
}

/* ---- references and waits ------------------------------------------------------ */

static const struct key when_keys[] = { REQUIRED_KEY(VALUE_TEXT, "type", struct row_when, type),
					KEY(VALUE_ANY, "status", struct row_when, status),
					KEY(VALUE_TEXT, "reason", struct row_when, reason),
					{ NULL, VALUE_OTHER, 0, NULL, false } };

static void when_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	read_map(r, node, when_keys, member);
}

/* Reads a pattern: "dependency '{namespace}/{name}' is not ready". */
static void check_says(struct reader *r, const struct yaml_tree *node, const char *says)
{
	if (!strstr(says, "{name}"))
		problem(r, node, "{name} is missing: it stands where the message names the object");
	for (const char *open = strchr(says, '{'); open; open = strchr(open + 1, '{'))
		if (strncmp(open, "{name}", 6) != 0 && strncmp(open, "{namespace}", 11) != 0 && strncmp(open, "{kind}", 6) != 0) {
			problem(r, node, "only {kind}, {namespace} and {name} may stand in braces");
			return;
		}
}

struct ref_draft {
	struct row_ref row;
	const char *relation, *form, *group;
	bool waits, exists, always, health, cluster, twin;
};

static void group_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	const struct yaml_tree *n = meant(node);

	/* "" is the core group */
	if (n->type == TREE_SCALAR && n->text.len == 0 && n->quoted)
		*(const char **)member = "";
	else
		*(const char **)member = read_text(r, node, false);
}

static const struct key ref_keys[] = { REQUIRED_KEY(VALUE_PATH, "path", struct ref_draft, row.rule.path),
				       REQUIRED_KEY(VALUE_TEXT, "kind", struct ref_draft, row.rule.target),
				       OTHER("group", struct ref_draft, group, group_key),
				       KEY(VALUE_TEXT, "relation", struct ref_draft, relation),
				       KEY(VALUE_BOOL, "waits", struct ref_draft, waits),
				       KEY(VALUE_BOOL, "exists", struct ref_draft, exists),
				       KEY(VALUE_BOOL, "always", struct ref_draft, always),
				       KEY(VALUE_BOOL, "health", struct ref_draft, health),
				       KEY(VALUE_BOOL, "cluster", struct ref_draft, cluster),
				       KEY(VALUE_BOOL, "clusterTwin", struct ref_draft, twin),
				       KEY(VALUE_PATH, "namespace", struct ref_draft, row.ns),
				       KEY(VALUE_TEXT, "guard", struct ref_draft, row.rule.guard),
				       KEY(VALUE_TEXT, "form", struct ref_draft, form),
				       KEY(VALUE_TEXTS, "except", struct ref_draft, row.except),
				       OTHER("where", struct ref_draft, row.where, guards_key),
				       OTHER("unless", struct ref_draft, row.unless, guards_key),
				       OTHER("condition", struct ref_draft, row.when, when_key),
				       KEY(VALUE_TEXT, "says", struct ref_draft, row.says),
				       { NULL, VALUE_OTHER, 0, NULL, false } };

static void read_relation(struct reader *r, const struct yaml_tree *node, const char *text, enum relation *out)
{
	for (int i = 0; i < RELATION_COUNT; i++)
		if (strcmp(text, relation_name((enum relation)i)) == 0) {
			*out = (enum relation)i;
			return;
		}
	problem(r, node, "\"%s\" is not a relation; relations are: needs, owns, manages, guards, replaces", text);
}

static void read_ref(struct reader *r, const struct yaml_tree *node, void *row)
{
	struct ref_draft d = { .row.rule.relation = RELATION_NEEDS };

	if (!read_map(r, node, ref_keys, &d))
		return;
	d.row.rule.group = d.group;
	d.row.rule.flags = (d.waits ? REF_BLOCKS : 0u) | (d.exists ? REF_EXISTS : 0u) | (d.always ? REF_ALWAYS | REF_BLOCKS : 0u) |
			   (d.health ? REF_HEALTH : 0u) | (d.cluster ? REF_CLUSTER : 0u) | (d.twin ? (unsigned)REF_CLUSTER_TWIN : 0u);
	if (d.relation)
		read_relation(r, value_of(node, "relation"), d.relation, &d.row.rule.relation);
	if (d.form && strcmp(d.form, "namespace/name") == 0)
		d.row.form = FORM_NAMESPACED;
	else if (d.form && strcmp(d.form, "namespace_name_group_kind") == 0)
		d.row.form = FORM_INVENTORY;
	else if (d.form)
		problem(r, value_of(node, "form"), "there are two forms: namespace/name, namespace_name_group_kind");
	if (d.row.says)
		check_says(r, value_of(node, "says"), d.row.says);
	if ((d.row.says != NULL) != (d.row.when.type != NULL))
		problem(r, node, "\"says\" and \"condition\" belong together: the condition whose message it is");
	*(struct row_ref *)row = d.row.rule.path ? d.row : (struct row_ref){ .rule.path = "" };
}

static void refs_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	void *rows;

	read_rows(r, node, sizeof(struct row_ref), &rows, read_ref);
	*(const struct row_ref **)member = rows;
}

struct wait_draft {
	struct row_wait row;
	const char *for_what;
};

static void phases_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	const struct yaml_tree *n = meant(node);
	enum phase phase = PHASE_UNKNOWN;

	if (n->type != TREE_SEQUENCE) {
		if (read_phase(r, node, &phase))
			*(unsigned *)member |= 1u << phase;
		return;
	}
	for (const struct yaml_tree *c = n->first; c; c = c->next)
		if (read_phase(r, c, &phase))
			*(unsigned *)member |= 1u << phase;
}

static const struct key wait_keys[] = { REQUIRED_KEY(VALUE_TEXT, "for", struct wait_draft, for_what),
					OTHER("phase", struct wait_draft, row.phases, phases_key),
					OTHER("where", struct wait_draft, row.where, guards_key),
					OTHER("unless", struct wait_draft, row.unless, guards_key),
					OTHER("condition", struct wait_draft, row.when, when_key),
					KEY(VALUE_TEXT, "without", struct wait_draft, row.without),
					KEY(VALUE_TEXT, "kind", struct wait_draft, row.kind),
					KEY(VALUE_PATH, "kindFrom", struct wait_draft, row.kind_from),
					KEY(VALUE_PATH, "nameFrom", struct wait_draft, row.name_from),
					KEY(VALUE_PATH, "via", struct wait_draft, row.via),
					KEY(VALUE_PATH, "messageFrom", struct wait_draft, row.message_from),
					KEY(VALUE_TEXT, "says", struct wait_draft, row.says),
					KEY(VALUE_BOOL, "missing", struct wait_draft, row.missing),
					{ NULL, VALUE_OTHER, 0, NULL, false } };

static void read_wait(struct reader *r, const struct yaml_tree *node, void *row)
{
	struct wait_draft d = { 0 };

	if (!read_map(r, node, wait_keys, &d))
		return;
	if (d.for_what && strcmp(d.for_what, "approval") == 0)
		d.row.state = WAIT_APPROVAL;
	else if (d.for_what && strcmp(d.for_what, "external") == 0)
		d.row.state = WAIT_EXTERNAL;
	else if (d.for_what && strcmp(d.for_what, "object") != 0)
		problem(r, value_of(node, "for"), "\"%s\" is nothing to wait for; known: approval, external, object", d.for_what);
	if (d.row.state != WAIT_NONE && !d.row.kind && !d.row.kind_from)
		problem(r, node, "\"kind\" is missing: what to call that which is waited for");
	if (d.row.state == WAIT_NONE && (!d.row.says || !d.row.when.type))
		problem(r, node, "a wait for an object needs \"condition\", and \"says\": how its message names the object");
	if (d.row.says)
		check_says(r, value_of(node, "says"), d.row.says);
	*(struct row_wait *)row = d.row;
}

static void waits_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	void *rows;

	read_rows(r, node, sizeof(struct row_wait), &rows, read_wait);
	*(const struct row_wait **)member = rows;
}

static const struct key flag_keys[] = { REQUIRED_KEY(VALUE_TEXT, "flag", struct row_flag, flag),
					OTHER("where", struct row_flag, where, guards_key),
					OTHER("unless", struct row_flag, unless, guards_key),
					{ NULL, VALUE_OTHER, 0, NULL, false } };

static void read_flag(struct reader *r, const struct yaml_tree *node, void *row)
{
	read_map(r, node, flag_keys, row);
}

static void flags_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	void *rows;

	read_rows(r, node, sizeof(struct row_flag), &rows, read_flag);
	*(const struct row_flag **)member = rows;
}

/* ---- kinds --------------------------------------------------------------------- */

struct pair {
	const char *wanted, *is;
};

static const struct key version_keys[] = { REQUIRED_KEY(VALUE_PATH, "wanted", struct pair, wanted),
					   KEY(VALUE_PATH, "runs", struct pair, is),
					   { NULL, VALUE_OTHER, 0, NULL, false } };
static const struct key generation_keys[] = { REQUIRED_KEY(VALUE_PATH, "wanted", struct pair, wanted),
					      REQUIRED_KEY(VALUE_PATH, "observed", struct pair, is),
					      { NULL, VALUE_OTHER, 0, NULL, false } };

static const struct key expires_keys[] = { REQUIRED_KEY(VALUE_PATH, "at", struct kind_row, expires_at),
					   KEY(VALUE_PATH, "from", struct kind_row, expires_from),
					   KEY(VALUE_PATH, "renewal", struct kind_row, expires_renewal),
					   { NULL, VALUE_OTHER, 0, NULL, false } };

struct kind_draft {
	struct kind_row row;
	struct pair version, generation;
	bool runs_once;
};

static void version_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	read_map(r, node, version_keys, member);
}

static void generation_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	read_map(r, node, generation_keys, member);
}

static void expires_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	read_map(r, node, expires_keys, member);
}

static const struct key kind_keys[] = { KEY(VALUE_TEXTS, "kind", struct kind_draft, row.kinds),
					KEY(VALUE_TEXTS, "group", struct kind_draft, row.groups),
					OTHER("where", struct kind_draft, row.where, guards_key),
					OTHER("unless", struct kind_draft, row.unless, guards_key),
					OTHER("phase", struct kind_draft, row.phase, outcome_key),
					KEY(VALUE_PATH, "word", struct kind_draft, row.word),
					OTHER("words", struct kind_draft, row.words, words_key),
					OTHER("conditions", struct kind_draft, row.conditions, conditions_key),
					OTHER("each", struct kind_draft, row.each, each_key),
					OTHER("counts", struct kind_draft, row.counts, counts_key),
					OTHER("suspended", struct kind_draft, row.suspended, suspended_key),
					KEY(VALUE_BOOL, "static", struct kind_draft, row.static_kind),
					KEY(VALUE_PATHS, "ignored", struct kind_draft, row.ignored),
					KEY(VALUE_BOOL, "serves", struct kind_draft, row.serves),
					KEY(VALUE_BOOL, "runsOnce", struct kind_draft, runs_once),
					OTHER("references", struct kind_draft, row.refs, refs_key),
					OTHER("waits", struct kind_draft, row.waits, waits_key),
					OTHER("flags", struct kind_draft, row.flags, flags_key),
					OTHER("version", struct kind_draft, version, version_key),
					OTHER("generation", struct kind_draft, generation, generation_key),
					OTHER("expires", struct kind_draft, row, expires_key),
					OTHER("partition", struct kind_draft, row.partition, partition_key),
					OTHER("runbook", struct kind_draft, row.runbook, address_key),
					{ NULL, VALUE_OTHER, 0, NULL, false } };

static bool says_something(const struct yaml_tree *node)
{
	for (const struct yaml_tree *k = meant(node)->first; k; k = k->next->next)
		if (!str_is(k->text, "kind") && !str_is(k->text, "group") && !str_is(k->text, "where") && !str_is(k->text, "unless"))
			return true;
	return false;
}

static void read_kind(struct reader *r, const struct yaml_tree *node, void *row)
{
	struct kind_draft d = { 0 };

	if (!read_map(r, node, kind_keys, &d)) {
		((struct kind_row *)row)->line = node->line;
		return;
	}
	if (!says_something(node))
		problem(r, node, "nothing is said of this kind");
	if (value_of(node, "phase") && !value_of(node, "where") && !value_of(node, "unless"))
		problem(r, node, "a phase needs \"where\" or \"unless\": when does it hold?");
	if (value_of(node, "phase") && value_of(node, "word"))
		problem(r, node, "\"phase\" and \"word\" exclude each other");
	if ((value_of(node, "word") != NULL) != (value_of(node, "words") != NULL))
		problem(r, node, "\"word\" and \"words\" belong together: the field, and what its words mean");
	d.row.line = node->line;
	d.row.file = kept(r, r->file);
	d.row.version_wanted = d.version.wanted;
	d.row.version_runs = d.version.is;
	d.row.generation_wanted = d.generation.wanted;
	d.row.generation_observed = d.generation.is;
	if (value_of(node, "runsOnce"))
		d.row.runs_once = d.runs_once ? 1 : -1;
	*(struct kind_row *)row = d.row;
}

static bool same_texts(const char *const *a, const char *const *b)
{
	if (!a || !b)
		return a == b;
	for (; *a && *b; a++, b++)
		if (strcmp(*a, *b) != 0)
			return false;
	return *a == *b;
}

/* Reports a word that an entry for the same objects and the same field has decided before. */
static void check_words_before(struct reader *r, const struct kind_row *rows, size_t i, const struct yaml_tree *at)
{
	for (size_t k = 0; k < i; k++) {
		if (!rows[k].word || !rows[i].word || strcmp(rows[k].word, rows[i].word) != 0 || rows[k].where || rows[k].unless ||
		    (rows[k].kinds && !same_texts(rows[k].kinds, rows[i].kinds)) || (rows[k].groups && !same_texts(rows[k].groups, rows[i].groups)))
			continue;
		for (const struct row_word *b = rows[i].words; b && b->word; b++)
			for (const struct row_word *a = rows[k].words; a && a->word; a++)
				if (strcmp(a->word, b->word) == 0)
					problem(r, at, "nothing gets here: line %u has decided the word \"%s\"", rows[k].line, b->word);
	}
}

struct document {
	const char *api_version, *kind, *title, *source;
	const char *const *groups;
	const struct controller_rule *controllers;
	const struct kind_row *rows;
	size_t nrows, ncontrollers;
};

static void kinds_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	void *rows;
	size_t n = read_rows(r, node, sizeof(struct kind_row), &rows, read_kind);
	const struct yaml_tree *at = meant(node)->type == TREE_SEQUENCE ? meant(node)->first : NULL;

	for (size_t i = 0; i < n; i++, at = at->next)
		check_words_before(r, rows, i, at);
	*(const struct kind_row **)member = rows;
}

/* ---- the document -------------------------------------------------------------- */

static const struct key controller_keys[] = { OTHER("group", struct controller_rule, group, group_key),
					      KEY(VALUE_TEXT, "kind", struct controller_rule, kind),
					      REQUIRED_KEY(VALUE_TEXT, "namespace", struct controller_rule, ns),
					      KEY(VALUE_TEXT, "deployment", struct controller_rule, deployment),
					      KEY(VALUE_TEXT, "lease", struct controller_rule, lease),
					      { NULL, VALUE_OTHER, 0, NULL, false } };

static void read_controller(struct reader *r, const struct yaml_tree *node, void *row)
{
	if (!read_map(r, node, controller_keys, row))
		return;
	if (!value_of(node, "deployment") && !value_of(node, "lease"))
		problem(r, node, "\"deployment\" is missing, or at least \"lease\"");
}

static void controllers_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	void *rows;

	read_rows(r, node, sizeof(struct controller_rule), &rows, read_controller);
	*(const struct controller_rule **)member = rows;
}

struct example_draft {
	const char *name, *reason, *wait, *flag, *as_of;
	enum phase phase;
	enum severity severity;
	const struct yaml_tree *object;
};

static void object_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	if (is_map(r, node))
		*(const struct yaml_tree **)member = node;
}

static const struct key example_keys[] = { KEY(VALUE_TEXT, "name", struct example_draft, name),
					   REQUIRED_OTHER("phase", struct example_draft, phase, phase_key),
					   OTHER("severity", struct example_draft, severity, severity_key),
					   KEY(VALUE_TEXT, "reason", struct example_draft, reason),
					   KEY(VALUE_TEXT, "wait", struct example_draft, wait),
					   KEY(VALUE_TEXT, "flag", struct example_draft, flag),
					   KEY(VALUE_TEXT, "asOf", struct example_draft, as_of),
					   REQUIRED_OTHER("object", struct example_draft, object, object_key),
					   { NULL, VALUE_OTHER, 0, NULL, false } };

#define EXAMPLE_NOW "2026-11-20T09:00:00Z"
#define EXAMPLE_BORN "2026-11-20T08:00:00Z"

/* Adds what an example may leave out: the group, a name, the time of creation. */
static void put_object(struct reader *r, const struct yaml_tree *object, struct buf *out)
{
	union {
		const struct yaml_tree *from;
		struct yaml_tree *to;
	} root = { object };
	struct buf json = { 0 };
	struct err err = { 0 };

	if (tree_to_json(root.to, &json, &err) < 0)
		problem(r, object, "%s", err.msg);
	buf_add_char(out, '{');
	if (!value_of(object, "apiVersion") && r->groups && r->groups[0])
		buf_printf(out, "\"apiVersion\":\"%s/v1\",", r->groups[0][0] == '*' ? r->groups[0] + 2 : r->groups[0]);
	if (!value_of(object, "metadata"))
		buf_add_cstr(out, "\"metadata\":{\"name\":\"example\",\"namespace\":\"default\",\"generation\":1,"
				  "\"creationTimestamp\":\"" EXAMPLE_BORN "\"},");
	buf_add(out, str_from(buf_str(&json), 1));
	buf_release(&json);
}

static void read_example(struct reader *r, const struct yaml_tree *node, void *row)
{
	struct rules_report *p = r->report;
	struct example_draft d = { 0 };
	struct buf json = { 0 };
	struct rules_example *e;

	(void)row;
	if (!read_map(r, node, example_keys, &d))
		return;
	if (!d.object)
		return;
	wants(r, d.object, "kind");
	p->examples = xreallocarray(p->examples, p->nexamples + 1, sizeof(*p->examples));
	e = &p->examples[p->nexamples++];
	put_object(r, d.object, &json);
	*e = (struct rules_example){
		.file = arena_str(&p->arena, r->file),
		.line = node->line,
		.name = arena_str(&p->arena, str_of(d.name)),
		.object = arena_str(&p->arena, buf_str(&json)),
		.reason = arena_str(&p->arena, str_of(d.reason)),
		.wait = arena_str(&p->arena, str_of(d.wait)),
		.flag = arena_str(&p->arena, str_of(d.flag)),
		.phase = d.phase,
		.has_severity = value_of(node, "severity") != NULL,
		.severity = d.severity,
		.as_of = time_parse(d.as_of ? str_of(d.as_of) : STR(EXAMPLE_NOW)),
	};
	if (e->as_of == 0)
		problem(r, value_of(node, "asOf"), "\"%s\" is not a time; write " EXAMPLE_NOW, d.as_of);
	buf_release(&json);
}

static void examples_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	void *rows;

	(void)member;
	read_rows(r, node, sizeof(char), &rows, read_example);
}

static const char *read_group(struct reader *r, const struct yaml_tree *node)
{
	const char *group = read_text(r, node, false);

	if (group && (strchr(group, '/') || strchr(group, ' ') || (strchr(group, '*') && strncmp(group, "*.", 2) != 0)))
		problem(r, node, "\"%s\" is not an API group; write it as widgets.example.org or *.example.org", group);
	return group;
}

static void groups_key(struct reader *r, const struct yaml_tree *node, void *member)
{
	struct rules_report *p = r->report;
	const char *const *groups = read_list(r, node, read_group);

	r->groups = groups;
	*(const char *const **)member = groups;
	for (; *groups; groups++) {
		p->groups = xreallocarray(p->groups, p->ngroups + 1, sizeof(*p->groups));
		p->groups[p->ngroups++] = arena_str(&p->arena, str_of(*groups));
	}
}

static const struct key document_keys[] = { REQUIRED_KEY(VALUE_TEXT, "apiVersion", struct document, api_version),
					    REQUIRED_KEY(VALUE_TEXT, "kind", struct document, kind),
					    KEY(VALUE_TEXT, "title", struct document, title),
					    KEY(VALUE_TEXTS, "source", struct document, source),
					    REQUIRED_OTHER("groups", struct document, groups, groups_key),
					    OTHER("controllers", struct document, controllers, controllers_key),
					    OTHER("kinds", struct document, rows, kinds_key),
					    OTHER("examples", struct document, title, examples_key),
					    { NULL, VALUE_OTHER, 0, NULL, false } };

static int read_document(void *ctx, struct yaml_tree *root, struct err *err)
{
	struct reader *r = ctx;
	struct document d = { 0 };
	struct rule_set set = { 0 };
	size_t before = r->problems;

	(void)err;
	r->groups = NULL;
	if (root->type == TREE_SCALAR && root->text.len == 0)
		return 0;
	if (!read_map(r, root, document_keys, &d))
		return 0;
	if (d.api_version && strcmp(d.api_version, "kubectl-status/v1") != 0)
		problem(r, value_of(root, "apiVersion"), "the apiVersion of rules is kubectl-status/v1");
	if (d.kind && strcmp(d.kind, "Rules") != 0)
		problem(r, value_of(root, "kind"), "this is no Rules");
	if (r->problems != before)
		return 0;
	while (d.rows && d.rows[set.nrows].line)
		set.nrows++;
	while (d.controllers && d.controllers[set.ncontrollers].ns)
		set.ncontrollers++;
	set.groups = d.groups;
	set.rows = d.rows;
	set.controllers = d.controllers;
	set.family = (struct family){
		.name = "generic",
		.id = kept(r, r->file),
		.title = d.title ? d.title : d.groups[0],
		.controllers = d.controllers,
	};
	r->document(r->ctx, set);
	return 0;
}

int rules_parse(struct arena *arena, struct str file, struct str text, struct rules_report *report,
		void (*document)(void *ctx, struct rule_set set), void *ctx)
{
	struct reader r = { .arena = arena, .file = file, .report = report, .document = document, .ctx = ctx };
	struct yaml_tree at = { .line = 1, .column = 1 };
	struct err err = { 0 };

	if (yaml_each_tree(text, read_document, &r, &err) < 0) {
		/* The prefix of libyaml's messages: "yaml: line 3: ...". */
		struct str msg = str_of(err.msg);
		int64_t line = 1;

		if (str_starts(msg, "yaml: line ")) {
			struct str rest = str_from(msg, 11), number;

			if (str_split(&rest, ':', &number) && str_to_int(number, &line))
				msg = str_trim(rest);
		}
		at.line = (uint32_t)line;
		problem(&r, &at, STR_FMT, STR_ARG(msg));
	}
	return r.problems ? -1 : 0;
}

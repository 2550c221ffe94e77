/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the rows of an operator to an object. */
#include "kube/evidence/fact.h"
#include "kube/evidence/leads.h"
#include "kube/evidence/version.h"
#include "kube/evidence/word_lists.h"

#include "kube/base/limits.h"
#include "kube/status/thresholds.h"

#include <stdlib.h>
#include <string.h>

/* ---- paths ---------------------------------------------------------------- */

/*
 * Returns "steps[status.index].pause" with the number in place of the field's name; the path itself where there is no
 * such field.
 */
static const char *with_index(struct verdict *v, const char *path)
{
	struct str p = str_of(path), field;
	size_t open = str_find_str(p, "[status."), close;

	if (open >= p.len)
		return path;
	close = open + str_find(str_from(p, open), ']');
	field = arena_str(verdict_arena(v), str_head(str_from(p, open + 1), close - open - 1));
	return ARENA_JOIN(verdict_arena(v), str_head(p, open), STR("["),
			  arena_printf(verdict_arena(v), "%lld", (long long)json_int(verdict_object(v), field.ptr, -1)),
			  str_from(p, close))
		.ptr;
}

static bool is_list_path(const char *path)
{
	return strstr(path, "[]") || strstr(path, "[*]");
}

static void each_value(struct verdict *v, const char *path,
		       void (*value)(struct verdict *v, struct json value, struct str via, const void *arg), const void *arg)
{
	if (is_list_path(path))
		verdict_each_value(v, path, value, arg);
	else
		value(v, json_at(verdict_object(v), with_index(v, path)), str_of(path), arg);
}

static struct str text_at(struct verdict *v, const char *path)
{
	return path ? json_str(verdict_object(v), with_index(v, path)) : STR_NONE;
}

/* ---- guards ---------------------------------------------------------------- */

struct wanted {
	const char *const *values;
	bool *found;
};

static bool is_something(struct json value)
{
	switch (json_type(value)) {
	case JSON_BOOL: return json_bool(value, "", false);
	case JSON_NUMBER: return json_number(value, "", 0) != 0;
	case JSON_STRING: return json_str(value, "").len > 0;
	case JSON_ARRAY:
	case JSON_OBJECT: return json_count(value) > 0;
	default: return false;
	}
}

/* Texts, booleans and numbers are compared as they are written. */
static bool is_value(struct verdict *v, struct json value, const char *wanted)
{
	int64_t n = json_int(value, "", INT64_MIN);

	if (json_type(value) == JSON_BOOL)
		return strcmp(wanted, json_bool(value, "", false) ? "true" : "false") == 0;
	if (n != INT64_MIN)
		return str_is(arena_printf(verdict_arena(v), "%lld", (long long)n), wanted);
	return json_type(value) == JSON_STRING && str_is(json_str(value, ""), wanted);
}

static void compare(struct verdict *v, struct json value, struct str via, const void *arg)
{
	const struct wanted *w = arg;

	(void)via;
	if (!w->values)
		*w->found |= is_something(value);
	for (size_t i = 0; w->values && w->values[i]; i++)
		*w->found |= is_value(v, value, w->values[i]);
}

static bool holds(struct verdict *v, const struct row_guard *g)
{
	bool found = false;

	each_value(v, g->path, compare, &(struct wanted){ g->values, &found });
	return found;
}

static bool guarded(struct verdict *v, const struct row_guard *where, const struct row_guard *unless)
{
	for (; where && where->path; where++)
		if (!holds(v, where))
			return false;
	for (; unless && unless->path; unless++)
		if (holds(v, unless))
			return false;
	return true;
}

static bool applies(struct verdict *v, const struct kind_row *row)
{
	const struct kind *kind = verdict_kind(v);

	return (!row->kinds || str_matches_any(kind->kind, row->kinds)) && (!row->groups || str_matches_any(kind->group, row->groups)) &&
	       guarded(v, row->where, row->unless);
}

#define EACH_ROW(row, rows) \
	for (const struct kind_row *const *row##_at = rows, *row; row##_at && (row = *row##_at); row##_at++)

const struct kind_row *const *rows_for(struct verdict *v, const struct kind_row *rows)
{
	const struct kind_row **mine = NULL;
	size_t n = 0, all = 0;

	for (const struct kind_row *row = rows; row && row->line; row++)
		all++;
	if (all)
		mine = arena_array(verdict_arena(v), all + 1, sizeof(*mine));
	for (size_t i = 0; i < all; i++)
		if (applies(v, &rows[i]))
			mine[n++] = &rows[i];
	return n ? mine : NULL;
}

static bool fits(const char *pattern, struct str value)
{
	return !pattern || str_eq_nocase(value, str_of(pattern));
}

static const struct condition *condition_like(struct verdict *v, const char *type, const char *status, const char *reason)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (str_is(c->type, type) && fits(status, c->status) && (!reason || str_is(c->reason, reason)))
			return c;
	}
	return NULL;
}

/* ---- what decides ---------------------------------------------------------- */

static struct str by_file(struct verdict *v, const struct kind_row *row, struct str what)
{
	return arena_printf(verdict_arena(v), STR_FMT ", by %s:%u", STR_ARG(what), row->file, row->line);
}

/* Returns true when it has lasted as long as the row asks for; else asks for another look at that time. */
static bool lasted(struct verdict *v, const struct row_condition *r, const struct condition *c)
{
	int64_t after = r->after_threshold ? *r->after_threshold : r->after;

	return after == 0 || (c->since && verdict_past(v, c->since + after));
}

static bool by_conditions(struct verdict *v, const struct kind_row *row, struct fact *out)
{
	for (const struct row_condition *r = row->conditions; r && r->type; r++) {
		const struct condition *c = r->decides ? condition_like(v, r->type, r->status, r->reason) : NULL;

		if (!c || !lasted(v, r, c))
			continue;
		*out = (struct fact){
			.of = FACT_CONDITION,
			.flags = (!row->where && !row->unless && !str_is(c->type, "Ready") ? IN_DETAIL : 0) | (r->reason ? NAMES_REASON : 0),
			.phase = r->outcome.phase,
			.level = r->outcome.severity,
			.runbook = r->outcome.runbook,
			.word = c->type,
			.reason = c->reason,
			.message = c->message,
			.where = by_file(v, row, facts_where_condition(verdict_arena(v), c)),
			.since = c->since,
		};
		return true;
	}
	return false;
}

/* Returns the map that has the field, because what stands beside a word explains it. */
static struct json around(struct verdict *v, const char *field)
{
	struct str path = str_of(field);
	struct str owner = arena_str(verdict_arena(v), str_head(path, str_rfind(path, '.')));

	return json_at(verdict_object(v), owner.ptr);
}

static const struct row_word *word_row(const struct row_word *words, struct str word)
{
	for (; words && words->word && word.len; words++)
		if (str_is(word, words->word))
			return words;
	return NULL;
}

/* A field may have a boolean or a number in place of a word. */
static struct str word_at(struct verdict *v, const char *path)
{
	struct json value = json_at(verdict_object(v), with_index(v, path));
	int64_t n = json_int(value, "", INT64_MIN);

	if (json_type(value) == JSON_BOOL)
		return json_bool(value, "", false) ? STR("true") : STR("false");
	if (n != INT64_MIN)
		return arena_printf(verdict_arena(v), "%lld", (long long)n);
	return json_str(value, "");
}

static bool by_word(struct verdict *v, const struct kind_row *row, struct fact *out)
{
	struct str word = row->word ? word_at(v, row->word) : STR_NONE;
	const struct row_word *r = word_row(row->words, word);

	if (!r)
		return false;
	*out = (struct fact){
		.of = FACT_WORD,
		.phase = r->outcome.phase,
		.level = r->outcome.severity,
		.runbook = r->outcome.runbook,
		.at = json_at(verdict_object(v), with_index(v, row->word)),
		.word = word,
		.reason = facts_reason(around(v, row->word)),
		.message = facts_explanation(around(v, row->word)),
		.where = by_file(v, row,
				arena_printf(verdict_arena(v), "field %s \"" STR_FMT "\"", row->word, STR_ARG(word))),
	};
	return true;
}

/* ---- parts ------------------------------------------------------------------ */

struct tally {
	size_t parts, bad, well;
	const struct row_each *each;
	const struct row_word *worst, *moving;
	struct json worst_part, moving_part;
};

static const struct row_word *part_row(struct verdict *v, struct json part, const struct row_each *each)
{
	struct str word = json_str(part, each->word);

	if (json_type(json_at(part, each->word)) == JSON_BOOL)
		word = json_bool(part, each->word, false) ? STR("true") : STR("false");
	else if (json_int(part, each->word, -1) >= 0)
		word = arena_printf(verdict_arena(v), "%lld", (long long)json_int(part, each->word, -1));
	return word_row(each->words, word);
}

static void count_part(struct verdict *v, struct json part, struct str via, const void *arg)
{
	struct tally *t = *(struct tally *const *)arg;
	const struct row_word *r = part_row(v, part, t->each);

	(void)via;
	t->parts++;
	if (!r)
		return;
	t->well += r->outcome.phase == PHASE_READY;
	if (phase_is_bad(r->outcome.phase)) {
		t->bad++;
		if (!t->worst || r->outcome.phase < t->worst->outcome.phase) {
			t->worst = r;
			t->worst_part = part;
		}
	} else if (r->outcome.phase != PHASE_READY && !t->moving) {
		t->moving = r;
		t->moving_part = part;
	}
}

static void each_part(struct verdict *v, const struct row_each *each,
		      void (*part)(struct verdict *v, struct json part, struct str via, const void *arg), const void *arg)
{
	bool list = json_is_array(json_at(verdict_object(v), each->path));

	if (is_list_path(each->path))
		verdict_each_value(v, each->path, part, arg);
	else
		verdict_each_value(v, arena_printf(verdict_arena(v), "%s%s", each->path, list ? "[]" : "[*]").ptr, part, arg);
}

static struct tally tally_parts(struct verdict *v, const struct row_each *each)
{
	struct tally t = { .each = each }, *where = &t;

	each_part(v, each, count_part, &where);
	return t;
}

static struct fact part_decision(struct verdict *v, const struct kind_row *row, struct json part, const struct row_word *r)
{
	const struct row_each *each = row->each;
	struct str said = json_str(part, each->operator_phase ? each->operator_phase : each->word);

	return (struct fact){
		.of = FACT_WORD,
		.phase = r->outcome.phase,
		.level = r->outcome.severity,
		.runbook = r->outcome.runbook,
		.word = said.len ? said : str_of(r->word),
		.reason = each->reason ? json_str(part, each->reason) : facts_reason(part),
		.message = each->message ? json_str(part, each->message) : facts_explanation(part),
		.where = by_file(v, row, arena_printf(verdict_arena(v), "field %s of %s \"%s\"", each->word, each->path, r->word)),
	};
}

/* Reports trouble or movement of parts. */
static bool by_parts(struct verdict *v, const struct kind_row *row, struct fact *out)
{
	struct tally t;
	const struct row_outcome *share;

	if (!row->each)
		return false;
	t = tally_parts(v, row->each);
	if (t.worst) {
		share = t.bad == t.parts ? row->each->all : row->each->some;
		*out = part_decision(v, row, t.worst_part, t.worst);
		if (!share && t.bad == t.parts)
			share = row->each->some;
		if (share) {
			out->phase = share->phase;
			out->level = share->severity;
			out->runbook = share->runbook ? share->runbook : out->runbook;
		}
		return true;
	}
	if (!t.moving)
		return false;
	*out = part_decision(v, row, t.moving_part, t.moving);
	return true;
}

bool rows_parts_well(struct verdict *v, const struct kind_row *const *rows, struct fact *out)
{
	EACH_ROW(row, rows)
	{
		struct tally t = row->each ? tally_parts(v, row->each) : (struct tally){ 0 };

		if (t.parts == 0 || t.well != t.parts)
			continue;
		*out = (struct fact){
			.phase = PHASE_READY,
			.where = by_file(v, row, arena_printf(verdict_arena(v), "all of %s are well", row->each->path)),
		};
		return true;
	}
	return false;
}

/* ---- what the general rules leave out ---------------------------------------- */

struct noted {
	struct ignored ignored;
	size_t cap;
	const struct row_each *each;
};

static void note_field(struct verdict *v, struct json field, struct str via, const void *arg)
{
	struct noted *n = *(struct noted *const *)arg;
	const struct json_node **nodes;

	(void)via;
	if (!field.node)
		return;
	if (n->ignored.n == n->cap) {
		n->cap = n->cap ? n->cap * 2 : 16;
		nodes = arena_array(verdict_arena(v), n->cap, sizeof(*nodes));
		for (size_t i = 0; i < n->ignored.n; i++)
			nodes[i] = n->ignored.nodes[i];
		n->ignored.nodes = nodes;
	}
	n->ignored.nodes[n->ignored.n++] = field.node;
}

static void note_part(struct verdict *v, struct json part, struct str via, const void *arg)
{
	const struct noted *n = *(struct noted *const *)arg;
	const struct row_word *r = part_row(v, part, n->each);

	if (r && !phase_is_bad(r->outcome.phase))
		note_field(v, json_at(part, n->each->word), via, arg);
}

static int compare_nodes(const void *x, const void *y)
{
	uintptr_t a = (uintptr_t)*(const struct json_node *const *)x, b = (uintptr_t)*(const struct json_node *const *)y;

	return a < b ? -1 : a > b;
}

struct ignored rows_ignored(struct verdict *v, const struct kind_row *const *rows)
{
	struct noted noted = { 0 }, *where = &noted;

	EACH_ROW(row, rows)
	{
		for (const char *const *path = row->ignored; path && *path; path++)
			each_value(v, *path, note_field, &where);
		noted.each = row->each;
		if (row->each)
			each_part(v, row->each, note_part, &where);
	}
	if (noted.ignored.n > 1)
		qsort(noted.ignored.nodes, noted.ignored.n, sizeof(*noted.ignored.nodes), compare_nodes);
	return noted.ignored;
}

bool ignored_has(const struct ignored *ignored, struct json field)
{
	return ignored->n &&
	       bsearch(&field.node, ignored->nodes, ignored->n, sizeof(*ignored->nodes), compare_nodes);
}

/* ---- counts ----------------------------------------------------------------- */

static void add_number(struct verdict *v, struct json value, struct str via, const void *arg)
{
	int64_t *sum = *(int64_t *const *)arg;
	int64_t n = json_int(value, "", -1);

	(void)v, (void)via;
	/* a list of those that are ready counts by its length */
	if (json_is_array(value))
		n = (int64_t)json_count(value);
	if (n >= 0 && n < INT32_MAX)
		*sum = *sum < 0 ? n : *sum + n;
}

static int64_t number_at(struct verdict *v, const char *const *paths)
{
	for (; *paths; paths++) {
		int64_t sum = -1, *where = &sum;

		each_value(v, *paths, add_number, &where);
		if (sum >= 0)
			return sum < INT32_MAX ? sum : INT32_MAX;
	}
	return -1;
}

bool rows_counts(struct verdict *v, const struct kind_row *const *rows, int *out_want, int *out_have)
{
	EACH_ROW(row, rows)
	{
		int64_t want = row->counts ? number_at(v, row->counts->want) : -1;
		int64_t have = want >= 0 ? number_at(v, row->counts->have) : -1;

		if (want < 0)
			continue;
		*out_want = (int)want;
		/* programs in Go leave out a 0 */
		*out_have = have < 0 ? 0 : (int)have;
		return true;
	}
	return false;
}

/* ---- one row, all rows ------------------------------------------------------ */

/* an example is "where: {status.totalViolations: "*"}" */
static bool by_guards(struct verdict *v, const struct kind_row *row, struct fact *out)
{
	struct json status = json_at(verdict_object(v), "status");

	if (!row->phase)
		return false;
	*out = (struct fact){
		.of = FACT_WORD,
		.phase = row->phase->phase,
		.level = row->phase->severity,
		.runbook = row->phase->runbook,
		.reason = facts_reason(status),
		.message = facts_explanation(status),
		.where = by_file(v, row, arena_printf(verdict_arena(v), "%s%s", row->where ? "field " : "without ",
						     row->where ? row->where->path : row->unless->path)),
	};
	return true;
}

/* A word for the whole counts more than its parts and their number, unless it is a good word. */
static bool by_row(struct verdict *v, const struct kind_row *row, struct fact *out)
{
	bool known;

	if (by_conditions(v, row, out))
		return true;
	known = by_word(v, row, out) || by_guards(v, row, out);
	if (known && out->phase != PHASE_READY)
		return true;
	return by_parts(v, row, out) || known;
}

bool rows_decide(struct verdict *v, const struct kind_row *const *rows, struct fact *out)
{
	EACH_ROW(row, rows)
		if (by_row(v, row, out))
			return true;
	return false;
}

bool rows_static(const struct kind_row *const *rows)
{
	EACH_ROW(row, rows)
		if (row->static_kind)
			return true;
	return false;
}

bool rows_serve(const struct kind_row *const *rows)
{
	EACH_ROW(row, rows)
		if (row->serves)
			return true;
	return false;
}

bool rows_suspended(struct verdict *v, const struct kind_row *const *rows, struct str *out_rule)
{
	EACH_ROW(row, rows)
		for (const struct row_guard *g = row->suspended; g && g->path; g++)
			if (holds(v, g)) {
				*out_rule = by_file(v, row, str_of(g->path));
				return true;
			}
	return false;
}

int rows_runs_once(const struct kind_row *const *rows)
{
	EACH_ROW(row, rows)
		if (row->runs_once)
			return row->runs_once;
	return 0;
}

bool rows_polarity(const struct kind_row *const *rows, struct str type, enum polarity *out, bool *out_ignored)
{
	const struct row_condition *others = NULL;
	bool named = false;

	EACH_ROW(row, rows)
		for (const struct row_condition *r = row->conditions; r && r->type; r++) {
			bool says = r->polarity != POLARITY_UNKNOWN || r->ignored;

			if (says && str_is(STR("*"), r->type))
				others = r;
			if (!str_is(type, r->type))
				continue;
			named = true;
			if (!says)
				continue;
			*out = r->polarity;
			*out_ignored = r->ignored;
			return true;
		}
	if (named || !others)
		return false;
	*out = others->polarity;
	*out_ignored = others->ignored;
	return true;
}

/* ---- references ------------------------------------------------------------- */

/* Most bytes of the name of a Kubernetes object. */
enum { LONGEST_NAME = 253 };

/*
 * Reads what stands for {kind}, {namespace} and {name} in the text, from left to right, in the part of it that is kept
 * and shown.
 */
static bool reads(struct str message, const char *says, struct str *kind, struct str *ns, struct str *name)
{
	struct str pattern = str_of(says), text = str_head(message, LIMIT_MESSAGE);
	struct str lead = str_head(pattern, str_find(pattern, '{'));

	for (size_t at = 0; at + lead.len <= text.len; at++) {
		struct str rest = str_from(text, at), p = pattern;
		bool ok = true;

		*kind = *ns = *name = STR_NONE;
		while (ok && p.len) {
			size_t open = str_find(p, '{'), close = str_find(p, '}');
			struct str lit = str_head(p, open), word, *out;
			size_t n = 0;
			char stop;

			ok = rest.len >= lit.len && str_eq(str_head(rest, lit.len), lit);
			if (!ok || open >= p.len)
				break;
			rest = str_from(rest, lit.len);
			word = str_head(str_from(p, open + 1), close - open - 1);
			out = str_is(word, "kind") ? kind : str_is(word, "namespace") ? ns : name;
			p = str_from(p, close + 1);
			stop = p.len && p.ptr[0] != '{' ? p.ptr[0] : ' ';
			while (n < rest.len && n <= LONGEST_NAME && rest.ptr[n] != stop && rest.ptr[n] != ' ')
				n++;
			*out = str_head(rest, n);
			ok = n > 0 && n <= LONGEST_NAME;
			rest = str_from(rest, n);
		}
		if (ok)
			return true;
	}
	return false;
}

static const struct condition *when_holds(struct verdict *v, const struct row_when *w)
{
	return w->type ? condition_like(v, w->type, w->status, w->reason) : NULL;
}

static struct str put_in(struct verdict *v, struct str text, const char *place, struct str word)
{
	size_t at = str_find_str(text, place);

	if (at >= text.len)
		return text;
	return ARENA_JOIN(verdict_arena(v), str_head(text, at), word, str_from(text, at + strlen(place)));
}

static struct str with_name(struct verdict *v, const struct row_ref *r, struct str ns, struct str name)
{
	struct str text = str_of(r->says);

	text = put_in(v, text, "{namespace}", ns.len ? ns : verdict_namespace(v));
	return put_in(v, text, "{name}", name);
}

/* The message of the condition says that the object waits for this one. */
static void wait_if_said(struct verdict *v, const struct row_ref *r, struct json value, struct str via)
{
	const struct condition *c = when_holds(v, &r->when);
	struct str ns = json_str(value, "namespace");
	struct str name = json_str(value, json_is_object(value) ? "name" : "");

	if (!c || name.len == 0 || name.len > LONGEST_NAME || verdict_is_full(v) ||
	    !str_contains(c->message, with_name(v, r, ns, name).ptr))
		return;
	verdict_waits_for(v, (struct ref){ .group = r->rule.group ? str_of(r->rule.group) : verdict_kind(v)->group,
					   .kind = json_str(value, "kind").len ? json_str(value, "kind") : str_of(r->rule.target),
					   .ns = ns,
					   .name = name,
					   .via = via,
					   .message = c->message });
}

/* sigs.k8s.io/cli-utils pkg/object writes a ':' of a name as "__". */
static struct str without_escapes(struct verdict *v, struct str name)
{
	char *text = arena_alloc(verdict_arena(v), name.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < name.len; i++, n++) {
		bool escaped = str_starts(str_from(name, i), "__");

		text[n] = escaped ? ':' : name.ptr[i];
		i += escaped;
	}
	return (struct str){ text, n };
}

static void inventory_ref(struct verdict *v, const struct row_ref *r, struct str id, struct str via)
{
	size_t first = str_find(id, '_'), last = str_rfind(id, '_');
	struct str middle = first < last ? str_head(str_from(id, first + 1), last - first - 1) : STR_NONE;
	size_t group = str_rfind(middle, '_');

	if (group >= middle.len || last >= id.len)
		return;
	verdict_ref(v, (struct ref){ .relation = r->rule.relation,
				     .flags = r->rule.flags,
				     .group = str_from(middle, group + 1),
				     .kind = str_from(id, last + 1),
				     .ns = str_head(id, first),
				     .name = without_escapes(v, str_head(middle, group)),
				     .via = via });
}

static void one_ref(struct verdict *v, struct json value, struct str via, const void *arg)
{
	const struct row_ref *r = arg;
	struct str name = json_str(value, "");
	size_t slash = str_find(name, '/');

	for (size_t i = 0; r->except && r->except[i]; i++)
		if (str_is(name, r->except[i]))
			return;
	if (r->form == FORM_INVENTORY) {
		inventory_ref(v, r, name, via);
	} else if (!r->ns && (r->form == FORM_NAME || slash >= name.len)) {
		verdict_ref_value(v, value, via, &r->rule);
	} else {
		verdict_ref(v, (struct ref){ .relation = r->rule.relation,
					     .flags = r->rule.flags & ~(unsigned)REF_CLUSTER_TWIN,
					     .group = r->rule.group ? str_of(r->rule.group) : verdict_kind(v)->group,
					     .kind = str_of(r->rule.target),
					     .ns = r->ns ? text_at(v, r->ns) : str_head(name, slash),
					     .name = r->ns ? name : str_from(name, slash + 1),
					     .guard = str_of(r->rule.guard),
					     .via = via });
	}
	if (r->rule.flags & REF_HEALTH)
		leads_note(v, json_str(value, "namespace"), json_str(value, "name"), json_at(value, "port"));
	if (r->says)
		wait_if_said(v, r, value, via);
}

/* A guard says nothing about what its field means otherwise: it is applied after the general rules. */
static void add_refs(struct verdict *v, const struct kind_row *row, bool guards)
{
	for (const struct row_ref *r = row->refs; r && r->rule.path; r++)
		if ((r->rule.relation == RELATION_GUARDS) == guards && guarded(v, r->where, r->unless))
			(is_list_path(r->rule.path) ? verdict_each : each_value)(v, r->rule.path, one_ref, r);
}

void rows_refs(struct verdict *v, const struct kind_row *const *rows)
{
	EACH_ROW(row, rows)
		add_refs(v, row, false);
}

/* ---- after the verdict ------------------------------------------------------ */

static void wait_for_object(struct verdict *v, const struct row_wait *w, const struct condition *c)
{
	struct str kind, ns, name;

	if (!c || !reads(c->message, w->says, &kind, &ns, &name))
		return;
	verdict_waits_for(v, (struct ref){ .flags = REF_ANY_GROUP | (unsigned)(w->missing ? REF_REPORTED_MISSING : REF_BLOCKS),
					   .kind = kind.len ? kind : str_of(w->kind),
					   .ns = ns,
					   .name = name,
					   .via = STR("status.conditions"),
					   .message = c->message });
}

/* The message of the condition names an object that the wait is for: nothing outside the cluster is needed. */
static bool names_an_object(const struct verdict *v, const struct condition *c)
{
	const struct ref *ref;

	for (size_t i = 0; c && (ref = verdict_ref_at(v, i)); i++)
		if ((ref->flags & REF_NAMED) && ref->message.len && str_eq(ref->message, c->message))
			return true;
	return false;
}

/* What writes the condition without a person, as cert-manager approves requests, does so within moments. */
#define MOMENTS SECONDS(10)

static void add_wait(struct verdict *v, const struct row_wait *w)
{
	const struct condition *c = when_holds(v, &w->when);

	if (w->without && !verdict_condition(v, w->without) && !verdict_past(v, verdict_created(v) + MOMENTS))
		return;
	if ((w->phases && !(w->phases & 1u << verdict_phase(v))) || (w->when.type && !c) ||
	    (w->without && verdict_condition(v, w->without)) || !guarded(v, w->where, w->unless))
		return;
	if (w->state == WAIT_NONE) {
		wait_for_object(v, w, c);
		return;
	}
	if (w->state == WAIT_EXTERNAL && names_an_object(v, c))
		return;
	verdict_waits_external(v, (struct external_wait){
					  .state = w->state,
					  .kind = w->kind_from ? text_at(v, w->kind_from) : str_of(w->kind),
					  .name = w->name_from ? text_at(v, w->name_from) : verdict_name(v),
					  .via = str_of(w->via),
					  .message = w->message_from ? text_at(v, w->message_from) : c ? c->message : STR_NONE });
}

bool rows_lag(struct verdict *v, const struct kind_row *const *rows, struct str *out_where)
{
	EACH_ROW(row, rows)
	{
		struct str wanted = row->generation_wanted ? word_at(v, row->generation_wanted) : STR_NONE;
		struct str seen = row->generation_observed ? word_at(v, row->generation_observed) : STR_NONE;

		if (wanted.len == 0 || seen.len == 0 || str_eq(wanted, seen))
			continue;
		*out_where = by_file(v, row, arena_printf(verdict_arena(v), "%s lags behind", row->generation_observed));
		return true;
	}
	return false;
}

bool rows_hold_back(struct verdict *v, const struct kind_row *const *rows, struct str *out_where)
{
	EACH_ROW(row, rows)
	{
		int64_t hold = row->partition ? number_at(v, row->partition->hold) : -1;
		int64_t want = hold > 0 ? number_at(v, row->partition->want) : -1;
		int64_t updated = hold > 0 ? number_at(v, row->partition->updated) : -1;

		if (updated < 0 || updated >= want || updated < want - hold)
			continue;
		*out_where = by_file(v, row, STR("the partition holds the rest back"));
		return true;
	}
	return false;
}

void rows_after(struct verdict *v, const struct kind_row *const *rows)
{
	EACH_ROW(row, rows)
	{
		int64_t expires = time_parse(text_at(v, row->expires_at));

		if (expires)
			verdict_expires(v, expires, time_parse(text_at(v, row->expires_from)), time_parse(text_at(v, row->expires_renewal)));
		if (row->runbook)
			verdict_particular(v, "runbook", str_of(row->runbook));
		add_refs(v, row, true);
		for (const struct row_flag *f = row->flags; f && f->flag; f++)
			if (guarded(v, f->where, f->unless))
				verdict_flag(v, f->flag);
		for (const struct row_wait *w = row->waits; w && (w->state || w->says); w++)
			add_wait(v, w);
	}
}

void rows_version(struct verdict *v, const struct kind_row *const *rows)
{
	EACH_ROW(row, rows)
	{
		struct str wanted = text_at(v, row->version_wanted), runs = text_at(v, row->version_runs);

		if (wanted.len && (runs.len == 0 || version_reached(wanted, runs)))
			verdict_version(v, STR_NONE, runs.len ? runs : wanted);
		else if (wanted.len)
			verdict_version(v, runs, wanted);
	}
}

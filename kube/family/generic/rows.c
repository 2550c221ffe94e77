/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of a widespread operator say before the generic rules are asked. */
#include "kube/family/generic/generic.h"

struct wanted {
	const char *text; /* NULL: any */
	bool *found;
};

static void compare(struct verdict *v, struct json value, struct str via, const void *arg)
{
	const struct wanted *w = arg;
	struct str text = json_str(value, "");

	(void)v, (void)via;
	*w->found |= w->text ? str_is(text, w->text) : text.len > 0;
}

static bool field_has(struct verdict *v, const char *field, const char *text)
{
	bool found = false;

	verdict_each(v, field, compare, &(struct wanted){ text, &found });
	return found;
}

static bool applies(struct verdict *v, const struct generic_kind *row)
{
	struct str kind = verdict_kind(v)->kind;

	if (row->kind && !(row->kind[0] == '*' ? str_ends(kind, row->kind + 1)
					       : str_is(kind, row->kind)))
		return false;
	return !row->field || field_has(v, row->field, row->value);
}

static bool is_end(const struct generic_kind *row)
{
	return !row->kind && !row->conditions && !row->words && !row->more && !row->static_kind &&
	       !row->serves;
}

static bool fits(const char *pattern, struct str value)
{
	return !pattern || str_is(value, pattern);
}

/* The first condition that the rule is about. */
static const struct condition *about(struct verdict *v, const struct cond_rule *r)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (fits(r->type, c->type) && fits(r->status, c->status) &&
		    fits(r->reason, c->reason) && fits(r->severity, c->severity))
			return c;
	}
	return NULL;
}

static bool by_conditions(struct verdict *v, const struct cond_rule *rules, struct ruling *out)
{
	for (const struct cond_rule *r = rules; r && r->type; r++) {
		const struct condition *c = about(v, r);

		if (!c)
			continue;
		*out = (struct ruling){
			.phase = r->phase,
			.level = r->level,
			.word = c->reason,
			.reason = c->reason,
			.message = c->message,
			.rule = generic_condition_rule(verdict_arena(v), c),
			.since = c->since,
		};
		return true;
	}
	return false;
}

/* The map that has the field: what stands beside a word explains it. */
static struct json around(struct verdict *v, const char *field)
{
	struct str path = str_of(field);
	struct str owner = arena_str(verdict_arena(v), str_head(path, str_rfind(path, '.')));

	return json_at(verdict_object(v), owner.ptr);
}

static bool by_word(struct verdict *v, const struct generic_kind *row, struct ruling *out)
{
	struct str word = row->words ? json_str(verdict_object(v), row->word) : STR_NONE;

	for (const struct word_rule *r = row->words; word.len && r->word; r++)
		if (str_is(word, r->word)) {
			*out = (struct ruling){
				.by_word = true,
				.phase = r->phase,
				.level = r->level,
				.word = word,
				.reason = generic_reason(around(v, row->word)),
				.message = generic_explanation(around(v, row->word)),
				.rule = arena_printf(verdict_arena(v),
						     "field %s \"" STR_FMT "\"", row->word,
						     STR_ARG(word)),
			};
			return true;
		}
	return false;
}

bool generic_rows_decide(struct verdict *v, const struct generic_kind *rows, struct ruling *out)
{
	for (const struct generic_kind *row = rows; row && !is_end(row); row++)
		if (applies(v, row) &&
		    (by_conditions(v, row->conditions, out) || by_word(v, row, out)))
			return true;
	return false;
}

bool generic_rows_static(struct verdict *v, const struct generic_kind *rows)
{
	for (const struct generic_kind *row = rows; row && !is_end(row); row++)
		if (row->static_kind && applies(v, row))
			return true;
	return false;
}

bool generic_rows_serve(struct verdict *v, const struct generic_kind *rows)
{
	for (const struct generic_kind *row = rows; row && !is_end(row); row++)
		if (row->serves && applies(v, row))
			return true;
	return false;
}

void generic_rows_more(struct verdict *v, const struct generic_kind *rows)
{
	for (const struct generic_kind *row = rows; row && !is_end(row); row++)
		if (row->more && applies(v, row))
			row->more(v);
}

struct str generic_label(struct verdict *v, const char *label)
{
	return json_str(json_member(json_at(verdict_object(v), "metadata.labels"), str_of(label)),
			"");
}

struct str generic_annotation(struct verdict *v, const char *annotation)
{
	struct json all = json_at(verdict_object(v), "metadata.annotations");

	return json_str(json_member(all, str_of(annotation)), "");
}

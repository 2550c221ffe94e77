/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the row of a family's table that holds. */
#include "kube/evidence/decision_table.h"

#ifdef RULES_SWITCH
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool table_is_off(const char *name)
{
	const char *off = getenv("RULES_OFF");

	return off && strcmp(off, name) == 0;
}

void table_row_holds(const char *name)
{
	const char *seen = getenv("RULES_SEEN");
	FILE *names = seen ? fopen(seen, "a") : NULL;

	if (!names)
		return;
	fprintf(names, "%s\n", name);
	fclose(names);
}
#endif

bool table_has_word(const char *list, struct str word)
{
	struct str rest = str_of(list), one;

	while (str_split(&rest, ' ', &one)) {
		bool begins = str_ends(one, "*");

		if (str_eq_nocase(begins ? str_head(word, one.len - 1) : word, begins ? str_head(one, one.len - 1) : one))
			return true;
	}
	return false;
}

static size_t condition_count(const struct reading *r)
{
	return r->d ? assess_status(r->d)->nconditions : verdict_condition_count(r->v);
}

static bool fits(const struct row *row, const struct condition *c)
{
	return (!row->status || str_is(c->status, row->status)) &&
	       (!row->reason || table_has_word(row->reason, c->reason));
}

/* Returns the first condition of the row's type, when it is as the row asks. */
static const struct condition *condition_of(const struct reading *r, const struct row *row)
{
	for (size_t i = 0; i < condition_count(r); i++) {
		const struct condition *c = r->d ? &assess_status(r->d)->conditions[i] : verdict_condition_at(r->v, i);

		if (str_is(c->type, row->type))
			return fits(row, c) ? c : NULL;
	}
	return NULL;
}

static bool holds(struct reading *r, const struct row *row)
{
	if ((r->is & row->is) != row->is || (r->is & row->not) || (row->word && !table_has_word(row->word, r->word)))
		return false;
	if (row->kind && !str_is((r->d ? assess_kind(r->d) : verdict_kind(r->v))->kind, row->kind))
		return false;
	if (row->type && !(r->condition = condition_of(r, row)))
		return false;
	return !row->holds || row->holds(r);
}

const struct row *table_find(struct reading *r, const struct row *rows)
{
	const struct reading before = *r;

	for (const struct row *row = rows; row->name; row++) {
		if (!table_is_off(row->name) && holds(r, row)) {
			table_row_holds(row->name);
			return row;
		}
		if (row->type || row->holds)
			*r = before;
	}
	return NULL;
}

const struct row *table_decide(struct reading *r, const struct row *rows)
{
	const struct reading before = *r;
	const struct row *row = table_find(r, rows);

	if (row)
		outcome_of_row(r, row);
	*r = before;
	return row;
}

bool row_decides(struct reading *r, const struct row *row)
{
	const struct reading before = *r;

	if (table_is_off(row->name))
		return false;
	table_row_holds(row->name);
	outcome_of_row(r, row);
	*r = before;
	return true;
}

bool table_assess(struct assessment *d, const struct row *row, struct str reason, struct str message)
{
	struct reading r = { .d = d, .usable = assess_status(d)->ever_ready, .reason = reason, .message = message };

	return row_decides(&r, row);
}

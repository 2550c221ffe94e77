/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what a verdict rests on: the fact that decided, those that agree with it, and those that it overrules. */
#include "kube/evidence/rules.h"


enum { FIELDS = 4000 }; /* fields of an object that are searched for the path of one */

/* Returns "status.nodes[2].state" for a field below the one that stands at path; "": it is not there, or too far. */
static struct str path_below(struct arena *a, struct json at, struct str path, struct json field, int *left)
{
	bool list = json_is_array(at);
	size_t i = 0;

	json_foreach(child, at)
	{
		struct str found;

		if (--*left < 0)
			return STR_NONE;
		if (child.node != field.node && !json_is_object(child) && !json_is_array(child)) {
			i++;
			continue;
		}
		found = list ? arena_printf(a, STR_FMT "[%zu]", STR_ARG(path), i) : ARENA_JOIN(a, path, STR("."), json_key(child));
		if (child.node != field.node)
			found = path_below(a, child, found, field, left);
		if (found.len)
			return found;
		i++;
	}
	return STR_NONE;
}

/* Returns the path of what the fact was read from: "status" where that is several fields, or too far to be found. */
static struct str path_of(struct facts *f, const struct fact *t)
{
	struct arena *a = verdict_arena(f->v);
	struct str path = STR_NONE;
	int left = FIELDS;

	if (str_starts(t->where, "spec.") || str_starts(t->where, "status."))
		return str_head(t->where, str_find(t->where, str_find(t->where, ',') < str_find(t->where, ' ') ? ',' : ' '));
	if (t->of == FACT_CONDITION && !t->at.node)
		return ARENA_JOIN(a, STR("status.conditions[type="), t->word, STR("]"));
	if (t->at.node)
		path = path_below(a, json_at(verdict_object(f->v), "status"), STR("status"), t->at, &left);
	return path.len ? path : STR("status");
}

/* The heaviest of the facts that have not been told, and that say what the one that decided does, or say something else. */
static const struct fact *next(const struct facts *f, const bool *told, bool agrees, enum word_class says)
{
	const struct fact *best = NULL;

	for (size_t i = 0; i < f->n; i++) {
		const struct fact *t = &f->all[i];
		bool same = t->says == says;

		if (told[i] || t->says == WORD_NONE || same != agrees || t->about == ABOUT_BESIDE || t->where.len == 0)
			continue;
		/* an object has many healthy details, and what overrules them is not told for each */
		if (!agrees && !(t->flags & SILENCED) && t->about != ABOUT_WHOLE && t->about != ABOUT_RULED)
			continue;
		if (!best || t->weight > best->weight)
			best = t;
	}
	return best;
}

static void tell(struct facts *f, bool *told, const struct fact *decided, bool agrees)
{
	const struct fact *t;

	while ((t = next(f, told, agrees, decided->says))) {
		for (size_t i = 0; i < f->n; i++)
			told[i] |= str_eq(f->all[i].where, t->where) || (t->at.node && f->all[i].at.node == t->at.node);
		if (!str_eq(t->where, decided->where))
			verdict_because(f->v, (struct because){ t->where, t->message, path_of(f, t), agrees ? BECAUSE_AGREES : BECAUSE_OVERRULED });
	}
}

void because_tell(struct facts *f, const struct ruling *r)
{
	bool *told;

	verdict_row(f->v, r->rule->name);
	/* what is well is most of what there is, and its rule is enough */
	if (verdict_phase(f->v) == PHASE_READY && verdict_severity(f->v) == SEVERITY_NONE)
		return;
	verdict_because(f->v, (struct because){ verdict_decided_by(f->v), r->message, path_of(f, r->fact), BECAUSE_DECIDES });
	told = arena_array(verdict_arena(f->v), f->n + 1, sizeof(*told));
	tell(f, told, r->fact, true);
	tell(f, told, r->fact, false);
}

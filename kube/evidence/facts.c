/* SPDX-License-Identifier: Apache-2.0 */
/* The list of facts: of those that say the same, only the heaviest is kept, so that a thousand parts make a few facts. */
#include "kube/evidence/fact.h"

enum { MOST = 256 }; /* facts that say different things; there are not so many combinations that occur */

static bool says_the_same(const struct fact *a, const struct fact *b)
{
	return a->of == b->of && a->about == b->about && a->says == b->says && a->flags == b->flags && a->level == b->level;
}

bool facts_want(const struct facts *f, const struct fact *fact)
{
	for (size_t i = 0; i < f->n; i++)
		if (says_the_same(&f->all[i], fact))
			return fact->weight > f->all[i].weight;
	return fact->says != WORD_NONE || (fact->flags & UNREAD);
}

void facts_add(struct facts *f, struct fact fact)
{
	size_t i = 0;

	if (!facts_want(f, &fact))
		return;
	while (i < f->n && !says_the_same(&f->all[i], &fact))
		i++;
	if (i == MOST)
		return;
	if (i == f->cap) {
		struct fact *more = arena_array(verdict_arena(f->v), f->cap + 16, sizeof(*more));

		for (size_t k = 0; k < f->n; k++)
			more[k] = f->all[k];
		f->all = more;
		f->cap += 16;
	}
	f->all[i] = fact;
	f->n += i == f->n;
}

bool fact_is_heavier(const struct fact *a, const struct fact *b)
{
	if (!b || (a->flags & BY_DEFAULT) != (b->flags & BY_DEFAULT))
		return !b || !(a->flags & BY_DEFAULT);
	return a->weight > b->weight;
}

const struct fact *facts_best(const struct facts *f, unsigned of, unsigned about, enum word_class says)
{
	const struct fact *best = NULL;

	for (size_t i = 0; i < f->n; i++)
		if ((f->all[i].of & of) && (f->all[i].about & about) && f->all[i].says == says && !(f->all[i].flags & SILENCED) && fact_is_heavier(&f->all[i], best))
			best = &f->all[i];
	return best;
}

const struct fact *facts_best_with(const struct facts *f, unsigned about, enum word_class says, unsigned flags)
{
	const struct fact *best = NULL;

	for (size_t i = 0; i < f->n; i++)
		if ((f->all[i].flags & flags) == flags && (f->all[i].about & about) && f->all[i].says == says && fact_is_heavier(&f->all[i], best))
			best = &f->all[i];
	return best;
}

enum word_class facts_part_class(struct facts *f, struct str word)
{
	size_t n = f->nseen < WORDS_SEEN ? f->nseen : WORDS_SEEN;

	for (size_t i = 0; i < n; i++)
		if (str_eq(f->seen[i].word, word))
			return f->seen[i].says;
	n = f->nseen++ % WORDS_SEEN;
	f->seen[n].word = word;
	f->seen[n].says = word_class(word);
	return f->seen[n].says;
}

struct str facts_where_condition(struct arena *arena, const struct condition *c)
{
	return ARENA_JOIN(arena, STR("condition "), condition_text(arena, c));
}

struct str facts_where_word(struct arena *arena, struct str key, struct str word, const char *behind)
{
	return ARENA_JOIN(arena, STR("field "), key, STR(" \""), word, STR("\""), str_of(behind));
}

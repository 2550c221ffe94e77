/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reason is carried: what explains an object whose own deciding fact is a bare word or a number.  The first that says something:
 * another fact that agrees, a condition that is not as it ought to be, a text beside the word in its status, the entry whose word
 * decided, and last a count.  Events and neighbours come in phase 2 (kube/graph/reason.c).
 */
#include "kube/evidence/rules.h"
#include "kube/evidence/word_lists.h"

/* ---- what says nothing --------------------------------------------------------------- */

/* Takes such a word out of a text, as long as it stands there alone. */
static struct str without(struct arena *arena, struct str text, struct str word)
{
	for (size_t at = 0; word.len && at + word.len <= text.len; at++) {
		size_t end = at + word.len;
		bool alone = (at == 0 || !is_alnum(text.ptr[at - 1])) && (end == text.len || !is_alnum(text.ptr[end]));

		if (alone && str_eq_nocase(str_head(str_from(text, at), word.len), word))
			return ARENA_JOIN(arena, str_head(text, at), STR(" "), str_from(text, end));
	}
	return text;
}

/* "Templating dir: exit status 1": that a program failed, and what it wrote stands elsewhere. */
static bool tells_exit_only(struct str text)
{
	text = str_trim(text);
	while (text.len && (is_digit(text.ptr[text.len - 1]) || text.ptr[text.len - 1] == '.'))
		text.len--;
	return str_ends(text, "exit status ") || str_ends(text, "exit code ");
}

/* "The Shop: market/fish is not ready." of the Shop fish, which has failed, says no more than its condition does. */
static bool says_why(struct verdict *v, struct str text)
{
	struct arena *arena = verdict_arena(v);

	if (being_is_surely_error(text))
		return true;
	if (!phrase_says_why(text) || tells_exit_only(text))
		return false;
	if (!phase_is_bad(verdict_phase(v)))
		return true;
	text = without(arena, without(arena, text, verdict_kind(v)->kind), verdict_name(v));
	return phrase_says_why(without(arena, text, verdict_namespace(v)));
}

/* ---- facts ------------------------------------------------------------------------- */

/* An error in words tells more than other sentences, and of these one that says the same as what decided. */
static int tells(const struct fact *t, const struct fact *decided)
{
	return 2 * being_tells_error(t->message) + (t->says == decided->says);
}

/* A fact of the same side: under way is also what is said to be not there, and is not known to be trouble. */
static bool agrees_with(const struct fact *t, const struct fact *decided)
{
	if (t->about == ABOUT_BESIDE || t->says == WORD_OK || (t->flags & EXCUSED))
		return false;
	return t->says == decided->says || decided->says == WORD_NONE || (decided->says != WORD_BAD && t->says == WORD_BAD);
}

static bool is_sentence(struct verdict *v, struct str text)
{
	(void)v;
	return str_find(str_trim(text), ' ') < str_trim(text).len;
}

/* Returns the heaviest fact that agrees with what decided, and whose message is such a text; NULL: there is none. */
static const struct fact *fact_that_tells(const struct facts *f, const struct fact *decided, bool (*is_told)(struct verdict *v, struct str text))
{
	const struct fact *best = NULL;

	for (size_t i = 0; i < f->n; i++) {
		const struct fact *t = &f->all[i];

		if (!is_told(f->v, t->message) || !agrees_with(t, decided))
			continue;
		if (!best || tells(t, decided) > tells(best, decided) || (tells(t, decided) == tells(best, decided) && fact_is_heavier(t, best)))
			best = t;
	}
	return best;
}

/* ---- conditions ---------------------------------------------------------------------- */

bool carried_is_as_it_ought_to_be(const struct condition *c)
{
	/* it may be at work and say why it cannot go on; "ProvisioningStarted" is a step that was made */
	if (c->polarity == POLARITY_TRANSITIONAL || (c->polarity != POLARITY_POSITIVE && word_class(facts_last_part(c->type)) == WORD_PROGRESS))
		return str_is(c->status, "False");
	return str_is(c->status, c->polarity == POLARITY_NEGATIVE ? "False" : "True");
}

/* Of several facts alike only one is kept: the conditions themselves are looked at again. */
static const struct condition *condition_that_tells(struct verdict *v)
{
	const struct condition *best = NULL;

	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (carried_is_as_it_ought_to_be(c) || !says_why(v, c->message) || word_class(c->message) == WORD_OK)
			continue;
		if (!best || (being_tells_error(c->message) && !being_tells_error(best->message)))
			best = c;
	}
	return best;
}

/* ---- texts beside the word -------------------------------------------------------------- */

/* A text that tells of trouble, not of what went well, in that field or in the map that it is. */
static struct str trouble_in(struct json field)
{
	struct str text = facts_error_text(field);

	return phrase_says_why(text) && !tells_exit_only(text) && word_class(text) != WORD_OK ? text : STR_NONE;
}

static bool ends(struct str key, const char *name)
{
	const char *const one[] = { name, NULL };

	return str_ends_any_nocase(key, one);
}

/* "lastError", "provisioningMessage", "lastOperation: {description}" */
static struct str text_beside(struct facts *f)
{
	struct json status = json_at(verdict_object(f->v), "status");
	struct str text = facts_explanation(status);

	if (phrase_says_why(text) && !tells_exit_only(text) && word_class(text) != WORD_OK)
		return text;
	for (const char *const *name = list_text_beside; *name; name++)
		json_foreach(field, status)
			if (ends(json_key(field), *name) && (text = trouble_in(field)).len)
				return text;
	/* an error in a field of any name, "buildlog", which is not about the last time */
	json_foreach(field, status)
		if (phase_is_bad(verdict_phase(f->v)) && !str_starts(json_key(field), "last") && being_tells_error(json_str(field, "")) &&
		    (text = trouble_in(field)).len)
			return text;
	return STR_NONE;
}

/* The error that an entry of the status has, at any depth, where the status itself has no text. */
static struct str error_below(struct json at, int depth)
{
	struct str text = STR_NONE;

	json_foreach(child, at)
	{
		if (text.len || (!json_is_object(child) && !json_is_array(child)) || str_contains_nocase(json_key(child), "histor"))
			continue;
		for (const char *const *name = list_part_errors; !text.len && *name; name++)
			text = trouble_in(json_member(child, str_of(*name)));
		if (!text.len && depth > 0)
			text = error_below(child, depth - 1);
	}
	return text;
}

/* ---- the bare word, or the number ---------------------------------------------------------- */

/* Returns the name of the entry of a list or a map in which the field stands: "m" of "members: [{name: m, state: Down}]". */
static struct str entry_of(struct json at, struct json field, int depth)
{
	json_foreach(child, at)
	{
		struct str name;

		if (!json_is_object(child) && !json_is_array(child))
			continue;
		json_foreach(grandchild, child)
			if (grandchild.node == field.node) {
				name = json_str(child, "name").len ? json_str(child, "name") : json_str(child, "id");
				return name.len ? name : json_key(child);
			}
		if (depth > 0 && (name = entry_of(child, field, depth - 1)).len)
			return name;
	}
	return STR_NONE;
}

/* The numbers, where they decided or the word did that they explain. */
static struct str count_of(const struct facts *f, const struct fact *decided)
{
	struct str best = STR_NONE;

	for (size_t i = 0; i < f->n; i++) {
		const struct fact *t = &f->all[i];

		if (t->of != FACT_COUNT || !(t->about & (ABOUT_NUMBERS | ABOUT_MEMBER)) || (t->says != WORD_BAD && t->says != decided->says))
			continue;
		if (!str_starts(t->where, "field "))
			return t->where;
		best = str_from(t->where, 6);
	}
	return best;
}

/* "aft Broken", where the word or boolean stands in an entry. */
static struct str entry_and_word(struct facts *f, const struct fact *t)
{
	enum { DEPTH = 4 };	/* levels below the status at which an entry is looked for */
	struct str entry;

	if (!(t->of & (FACT_WORD | FACT_TRUTH)) || !t->at.node || t->says != WORD_BAD)
		return STR_NONE;
	entry = json_str(t->at, "name");
	if (!entry.len)
		entry = entry_of(json_at(verdict_object(f->v), "status"), t->at, DEPTH);
	return entry.len ? ARENA_JOIN(verdict_arena(f->v), entry, STR(" "), t->of == FACT_WORD ? t->word : str_from(t->where, 6)) : STR_NONE;
}

static struct str bare(struct facts *f, const struct fact *t)
{
	struct str text = entry_and_word(f, t);

	for (size_t i = 0; !text.len && i < f->n; i++)
		if (agrees_with(&f->all[i], t))
			text = entry_and_word(f, &f->all[i]);
	if (!text.len)
		text = count_of(f, t);
	if (!text.len && t->of == FACT_WORD && t->says == WORD_BAD && f->phase.len && !str_eq(t->word, f->phase) && t->at.node)
		text = ARENA_JOIN(verdict_arena(f->v), json_key(t->at), STR(" "), t->word);
	return text;
}

/* ---- the order ------------------------------------------------------------------------ */

/* What it waits for has a message of its own, which phase 2 shows. */
static bool waits_in_words(const struct verdict *v)
{
	const struct ref *ref;

	for (size_t i = 0; (ref = verdict_ref_at(v, i)); i++)
		if ((ref->flags & REF_NAMED) && ref->message.len)
			return true;
	return false;
}

static void take(struct facts *f, struct str reason, struct str message)
{
	verdict_tell(f->v, verdict_told(f->v).reason.len ? verdict_told(f->v).reason : reason, message);
}

enum { DEPTH_OF_ERRORS = 4 };	/* levels below the status at which an entry's error is looked for */

/* The first of all these that says why; false: none does. */
static bool explain(struct facts *f, const struct fact *decided)
{
	const struct fact *t = fact_that_tells(f, decided, says_why);
	enum phase phase = verdict_phase(f->v);
	const struct condition *c;
	struct str text;

	if (t)
		take(f, t->reason, t->message);
	if (t || (!(phase_is_bad(phase)) && verdict_severity(f->v) < SEVERITY_WARNING))
		return t;
	c = condition_that_tells(f->v);
	text = text_beside(f);
	if (!text.len && phase_is_bad(phase))
		text = error_below(json_at(verdict_object(f->v), "status"), DEPTH_OF_ERRORS);
	if (c)
		take(f, c->reason, c->message);
	else if (text.len)
		take(f, STR_NONE, text);
	return c || text.len;
}

void carried_explain(struct facts *f, const struct ruling *r)
{
	struct told told = verdict_told(f->v);
	enum phase phase = verdict_phase(f->v);
	const struct fact *t;
	struct str text;

	/* some operators write into the reason what others write into the message */
	if (phase != PHASE_READY && !told.message.len && phrase_says_why(told.reason))
		verdict_tell(f->v, told.reason, told.reason);
	if (phase == PHASE_READY || (waits_in_words(f->v) && verdict_severity(f->v) < SEVERITY_ERROR) || says_why(f->v, told.message) || phrase_says_why(told.reason) ||
	    r->rule->then == OUTCOME_SILENCE)
		return;
	if (explain(f, r->fact) || told.message.len || phase == PHASE_SUSPENDED || phase == PHASE_UNKNOWN)
		return;
	t = fact_that_tells(f, r->fact, is_sentence);
	text = t ? t->message : STR_NONE;
	/* some write a sentence into the word for the state: "Error: the handshake did not complete" */
	if (!text.len && phase_is_bad(phase) && r->fact->of == FACT_WORD && phrase_says_why(r->fact->word))
		text = r->fact->word;
	if (!text.len)
		text = bare(f, r->fact);
	if (text.len)
		take(f, t ? t->reason : STR_NONE, text);
}

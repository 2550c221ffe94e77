/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/changes.h"

#include "tui/view/words.h"

const char *change_word(enum change_word word)
{
	static const char *const words[CHANGE_WORDS] = { "changed", "new", "gone", "healed" };

	return words[word];
}

struct str changed_words(const struct changed_object *c, struct arena *a)
{
	const char *from = c->from_known ? phase_name(c->from) : "?", *to = phase_name(c->to);

	switch (c->word) {
	case CHANGE_WORD_NEW:
		return arena_printf(a, "new, %s", to);
	case CHANGE_WORD_GONE:
		return c->from_known ? arena_printf(a, "%s → gone", from) : STR("gone");
	case CHANGE_WORD_HEALED:
		return arena_printf(a, "healed, was %s", from);
	case CHANGE_WORD_CHANGED:
	case CHANGE_WORDS:
		break;
	}
	return c->from == c->to ? str_of(to) : arena_printf(a, "%s → %s", from, to);
}

struct str changed_field_words(const struct changed_field *f, struct arena *a)
{
	if (f->added)
		return arena_printf(a, STR_FMT "  + " STR_FMT, STR_ARG(f->path), STR_ARG(f->after));
	if (f->removed)
		return arena_printf(a, STR_FMT "  - " STR_FMT, STR_ARG(f->path), STR_ARG(f->before));
	return arena_printf(a, STR_FMT "  " STR_FMT " → " STR_FMT, STR_ARG(f->path), STR_ARG(f->before), STR_ARG(f->after));
}

struct str changes_summary(const struct changes *c, struct arena *a)
{
	size_t changed = c->by_word[CHANGE_WORD_CHANGED] + c->by_word[CHANGE_WORD_HEALED];
	struct str out = arena_printf(a, "%zu object%s changed", changed, words_plural(changed));

	for (enum change_word word = CHANGE_WORD_NEW; word < CHANGE_WORDS; word++)
		if (c->by_word[word])
			out = arena_printf(a, STR_FMT ", %zu %s", STR_ARG(out), c->by_word[word], change_word(word));
	return out;
}

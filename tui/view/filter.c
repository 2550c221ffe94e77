/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/filter.h"

static bool contains(struct str field, struct str word)
{
	for (size_t i = 0; i + word.len <= field.len; i++)
		if (str_eq_nocase(str_head(str_from(field, i), word.len), word))
			return true;
	return false;
}

static bool any_contains(const struct str *fields, size_t n, struct str word)
{
	for (size_t i = 0; i < n; i++)
		if (contains(fields[i], word))
			return true;
	return false;
}

bool filter_matches(struct str filter, const struct str *fields, size_t nfields)
{
	struct str word;

	while (str_split(&filter, ' ', &word)) {
		bool without = str_starts(word, "!");

		if (without)
			word = str_from(word, 1);
		if (word.len && any_contains(fields, nfields, word) == without)
			return false;
	}
	return true;
}

bool filter_summary(struct str filter, const struct summary *s)
{
	/* "kind/name" is one field, so that "pod/web" finds web's pods. */
	char name[512];
	size_t n = 0;
	const struct str parts[] = { s->id.kind, STR("/"), s->id.name };
	struct str fields[8];

	if (filter.len == 0)
		return true;
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < parts[i].len && n < sizeof(name); k++)
			name[n++] = parts[i].ptr[k];
	fields[0] = (struct str){ name, n };
	fields[1] = s->id.ns;
	fields[2] = str_of(phase_name(s->phase));
	fields[3] = s->operator_phase;
	fields[4] = s->reason;
	fields[5] = s->message;
	fields[6] = s->id.cluster;
	fields[7] = s->id.group;
	return filter_matches(filter, fields, 8);
}

bool filter_line(struct str filter, const struct line *line)
{
	struct str fields[LINE_CELLS];

	for (size_t i = 0; i < line->ncells; i++)
		fields[i] = line->cells[i].str;
	return filter_matches(filter, fields, line->ncells);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/state/filter.h"

#include "kube/base/time.h"
#include "tui/words/words.h"

enum { TERMS = 24, NAME = 512, SUMMARY_FIELDS = 8 };

enum field {
	FIELD_WORD,
	FIELD_PHASE,
	FIELD_KIND,
	FIELD_NS,
	FIELD_CLUSTER,
	FIELD_CAUSE,
	FIELD_LABEL,
	FIELD_OWNER,
	FIELD_SINCE,
	FIELD_COUNT
};

static const char *const field_names[FIELD_COUNT] = {
	[FIELD_PHASE] = "phase",     [FIELD_KIND] = "kind",	[FIELD_NS] = "ns",     [FIELD_CLUSTER] = "cluster",
	[FIELD_CAUSE] = "cause",     [FIELD_LABEL] = "label",	[FIELD_OWNER] = "owner", [FIELD_SINCE] = "since",
};

struct term {
	enum field field;
	bool without;
	struct str value;
	const struct kind *kind; /* FIELD_KIND: the kind that the value names; NULL: none */
	/* FIELD_CAUSE: by slot, 1 for the root causes that match and for all that they block */
	uint8_t *concerned;
	int64_t age;		 /* FIELD_SINCE: the age to compare with, in ms */
	bool older;
};

struct filter {
	struct term terms[TERMS];
	size_t n;
	uint32_t nslots;
	int64_t now;
	const struct scene *scene;
};

static bool any_contains(const struct str *fields, size_t n, struct str word)
{
	for (size_t i = 0; i < n; i++)
		if (text_contains(fields[i], word))
			return true;
	return false;
}

/* ---- what was typed ---------------------------------------------------------------- */

/* Parses an age: "<10m", ">1h", or "10m", which means less than.  Returns false when it is no age. */
static bool parse_age(struct str value, struct term *t)
{
	t->older = str_starts(value, ">");
	if (t->older || str_starts(value, "<"))
		value = str_from(value, 1);
	t->age = time_duration(value);
	return t->age > 0;
}

static bool names_phase(struct str value)
{
	struct str name;

	while (str_split(&value, ',', &name)) {
		bool known = false;

		for (int p = 0; p < PHASE_COUNT; p++)
			known |= name.len && str_eq_nocase(str_head(str_of(phase_name((enum phase)p)), name.len), name);
		if (!known)
			return false;
	}
	return true;
}

static bool is_phase(struct str word)
{
	for (int p = 0; p < PHASE_COUNT; p++)
		if (str_eq_nocase(str_of(phase_name((enum phase)p)), word))
			return true;
	return false;
}

/* True for a plain word.  What stands before the colon of "ns:edge" names a field only when it is one. */
static bool is_field_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] < 'a' || name.ptr[i] > 'z')
			return false;
	return name.len > 0;
}

/* Parses one term of a filter.  Returns false when there is no such field, or when its value is not valid. */
static bool parse_term(struct str word, struct term *t)
{
	size_t colon;

	*t = (struct term){ .without = str_starts(word, "!") };
	t->value = t->without ? str_from(word, 1) : word;
	/* "!ready" excludes the phase Ready and not the word: many messages contain "not ready". */
	if (t->without && is_phase(t->value))
		t->field = FIELD_PHASE;
	colon = str_find(t->value, ':');
	if (str_starts(t->value, "owner="))	/* as it is written of a label */
		colon = strlen("owner");
	if (colon == t->value.len || !is_field_name(str_head(t->value, colon)))
		return true;
	for (int f = FIELD_PHASE; f < FIELD_COUNT; f++)
		if (str_is(str_head(t->value, colon), field_names[f]))
			t->field = (enum field)f;
	if (t->field == FIELD_WORD)
		return false;
	t->value = str_from(t->value, colon + 1);
	if (t->field == FIELD_SINCE && t->value.len)
		return parse_age(t->value, t);
	if (t->field == FIELD_PHASE && t->value.len)
		return names_phase(t->value);
	return true;
}

static struct str known_fields(struct arena *a)
{
	struct str out = STR_NONE;

	for (int f = FIELD_PHASE; f < FIELD_COUNT; f++)
		out = arena_printf(a, STR_FMT " %s:", STR_ARG(out), field_names[f]);
	return out;
}

struct str filter_problem(struct str text, struct arena *a)
{
	struct str word;
	struct term t;

	while (str_split(&text, ' ', &word)) {
		if (parse_term(word, &t))
			continue;
		if (t.field == FIELD_SINCE)
			return arena_printf(a, "since: wants an age such as <10m or >1h");
		if (t.field == FIELD_PHASE)
			return arena_printf(a, "there is no phase \"" STR_FMT "\"", STR_ARG(t.value));
		return ARENA_JOIN(a, STR("unknown field \""), str_head(t.value, str_find(t.value, ':')), STR(":\"; known:"),
				  known_fields(a));
	}
	return STR_NONE;
}

/* ---- what it means in this world ------------------------------------------------------ */

static bool kind_has_name(const struct kind *kind, struct str name)
{
	if (str_eq_nocase(kind->kind, name) || str_eq_nocase(kind->singular, name) || str_eq_nocase(kind->plural, name))
		return true;
	for (size_t i = 0; i < KIND_NAMES; i++)
		if (kind->short_names[i].len && str_eq_nocase(kind->short_names[i], name))
			return true;
	return false;
}

static const struct kind *kind_named(const struct kinds *kinds, struct str name)
{
	for (uint32_t i = 0; name.len && i < kinds->count; i++)
		if (kind_has_name(kinds->all[i], name))
			return kinds->all[i];
	return NULL;
}

static uint8_t *concerned_by(struct filter *f, struct str value, struct arena *a)
{
	const struct kinds *kinds = store_kinds(f->scene->store);
	uint8_t *concerned = arena_array(a, f->nslots + 1, 1);
	size_t n, ncauses = 0;
	const struct root_cause *roots = graph_roots(f->scene->graph, a, &n);
	uint32_t *causes = arena_array(a, n, sizeof(*causes));
	const uint32_t *blocked;

	for (size_t i = 0; i < n; i++)
		if (text_contains(words_id(kinds, &roots[i].id, a), value))
			causes[ncauses++] = roots[i].slot;
	blocked = graph_blocked(f->scene->graph, causes, ncauses, &n);
	for (size_t i = 0; i < ncauses; i++)
		concerned[causes[i]] = 1;
	for (size_t i = 0; i < n; i++)
		concerned[blocked[i]] = 1;
	return concerned;
}

const struct filter *filter_compile(struct str text, const struct scene *scene, struct arena *a)
{
	struct filter *f = arena_alloc(a, sizeof(*f));
	struct str word;

	f->scene = scene;
	f->now = scene->now;
	f->nslots = store_slots(scene->store);
	while (f->n < TERMS && str_split(&text, ' ', &word)) {
		struct term *t = &f->terms[f->n];

		/*
		 * A value that is not valid (yet, while it is typed) is left out; an unknown field is taken as a word.
		 */
		if (!parse_term(word, t)) {
			if (t->field == FIELD_SINCE || t->field == FIELD_PHASE)
				continue;
			t->field = FIELD_WORD;
		}
		if (!t->value.len)
			continue;
		if (t->field == FIELD_KIND)
			t->kind = kind_named(store_kinds(scene->store), t->value);
		if (t->field == FIELD_CAUSE)
			t->concerned = concerned_by(f, t->value, a);
		f->n++;
	}
	return f;
}

static bool phase_matches(const struct term *t, enum phase phase)
{
	struct str all = t->value, name;

	while (str_split(&all, ',', &name))
		if (name.len && str_eq_nocase(str_head(str_of(phase_name(phase)), name.len), name))
			return true;
	return false;
}

static bool since_matches(const struct filter *f, const struct term *t, int64_t since)
{
	if (!since)
		return false;
	return t->older ? f->now - since > t->age : f->now - since < t->age;
}

static bool kind_matches(const struct term *t, const struct summary *s)
{
	if (t->kind)
		return kind_has_name(s->kind ? s->kind : t->kind, t->value) && (!s->kind || str_eq(s->kind->kind, t->kind->kind));
	return text_contains(s->id.kind, t->value) || text_contains(s->id.group, t->value);
}

/*
 * True when the object is, or waits for, a root cause that the term names.  An object that does not exist has no slot:
 * then names are compared.
 */
static bool cause_matches(const struct filter *f, const struct term *t, const struct id *id)
{
	if (id->handle.slot)
		return id->handle.slot <= f->nslots && t->concerned[id->handle.slot];
	return text_contains(id->name, t->value) || text_contains(t->value, id->name);
}

static bool term_matches(const struct filter *f, const struct term *t, const struct summary *s,
			 const struct str *fields, size_t nfields)
{
	switch (t->field) {
	case FIELD_PHASE:
		return phase_matches(t, s->phase);
	case FIELD_KIND:
		return kind_matches(t, s);
	case FIELD_NS:
		return text_contains(s->id.ns, t->value);
	case FIELD_CLUSTER:
		return text_contains(s->id.cluster, t->value);
	case FIELD_CAUSE:
		return cause_matches(f, t, &s->id);
	case FIELD_SINCE:
		return since_matches(f, t, s->since);
	case FIELD_LABEL:
		return f->scene->labelled && f->scene->labelled(f->scene->labelled_ctx, s->id.handle, t->value);
	case FIELD_OWNER:
		return text_contains(graph_owner(f->scene->graph, s->id.handle), t->value);
	case FIELD_WORD:
	case FIELD_COUNT:
		break;
	}
	return any_contains(fields, nfields, t->value);
}

bool filter_line(const struct filter *f, const struct summary *s, const struct str *fields, size_t nfields)
{
	for (size_t i = 0; i < f->n; i++)
		if (term_matches(f, &f->terms[i], s, fields, nfields) == f->terms[i].without)
			return false;
	return true;
}

bool filter_summary(const struct filter *f, const struct summary *s)
{
	/* The kind and the name are one field, "kind/name", so that "pod/web" finds the pods of web. */
	char name[NAME];
	size_t n = 0;
	const struct str parts[] = { s->id.kind, STR("/"), s->id.name };
	struct str fields[SUMMARY_FIELDS];

	if (f->n == 0)
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
	return filter_line(f, s, fields, SUMMARY_FIELDS);
}

bool filter_narrows(struct str shorter, struct str longer)
{
	size_t word = str_rfind(shorter, ' ');

	word = word < shorter.len ? word + 1 : 0;
	/* A field may mean something else once it is typed completely, and "!ab" excludes fewer objects than "!a". */
	return shorter.len && str_eq(str_head(longer, shorter.len), shorter) && str_find(longer, ':') == longer.len &&
	       !str_starts(str_from(shorter, word), "!");
}

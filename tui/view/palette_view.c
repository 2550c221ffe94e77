/* SPDX-License-Identifier: Apache-2.0 */
/* What the palette finds, and the lines that show it. */
#include "tui/view/palette.h"

#include <stdlib.h>

#include "kube/base/assert.h"
#include "kube/base/map.h"
#include "kube/base/nearest.h"
#include "tui/view/views.h"
#include "tui/words/words.h"

enum {
	SCORE_LETTER = 1,
	SCORE_TOGETHER = 6, /* the letter stands directly behind the letter found before */
	SCORE_WORD = 8,	    /* the letter begins a word */
	SCORE_START = 4,
	SCORE_WHOLE = 40
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word_start(struct str text, size_t i)
{
	char before;

	if (i == 0)
		return true;
	before = text.ptr[i - 1];
	return before == '/' || before == '-' || before == '.' || before == ' ' || before == '_' || before == ':' ||
	       (before >= 'a' && before <= 'z' && text.ptr[i] >= 'A' && text.ptr[i] <= 'Z');
}

/* True when the whole pattern stands in the text at i. */
static bool matches_at(struct str pattern, struct str text, size_t i)
{
	if (text.len - i < pattern.len)
		return false;
	for (size_t k = 0; k < pattern.len; k++)
		if (lower(text.ptr[i + k]) != lower(pattern.ptr[k]))
			return false;
	return true;
}

/* Returns the score of the pattern as one piece, best at the beginning of a word; -1: the text does not contain it. */
static int piece_score(struct str pattern, struct str text)
{
	int best = -1, all = (int)pattern.len * (SCORE_LETTER + SCORE_TOGETHER);

	for (size_t i = 0; i + pattern.len <= text.len; i++) {
		int score;

		if (lower(text.ptr[i]) != lower(pattern.ptr[0]) || !matches_at(pattern, text, i))
			continue;
		score = all + (is_word_start(text, i) ? SCORE_WORD : 0) + (i == 0 ? SCORE_START : 0);
		if (score > best)
			best = score;
		if (i == 0)
			break;
	}
	return best;
}

/*
 * Returns how well the text matches: the letters of the pattern must stand in it in their order, and count more when
 * they stand together or begin words.  The case of ASCII letters is ignored; -1: no match.
 */
static int fuzzy_score(struct str pattern, struct str text)
{
	size_t k = 0, last = 0;
	int score = 0, piece;

	if (pattern.len == 0)
		return 0;
	if (pattern.len > text.len)
		return -1;
	if (pattern.len == text.len && matches_at(pattern, text, 0))
		return SCORE_WHOLE + (int)pattern.len * (SCORE_LETTER + SCORE_TOGETHER + SCORE_WORD);
	for (size_t i = 0; i < text.len && k < pattern.len; i++) {
		if (lower(text.ptr[i]) != lower(pattern.ptr[k]))
			continue;
		score += SCORE_LETTER;
		if (k && last + 1 == i)
			score += SCORE_TOGETHER;
		if (is_word_start(text, i))
			score += SCORE_WORD;
		last = i;
		k++;
	}
	if (k < pattern.len)
		return -1;
	piece = piece_score(pattern, text);
	/* Of two equal matches the shorter text is better, because the pattern is more of it. */
	return (piece > score ? piece : score) - (int)(text.len > 200 ? 10 : text.len / 20);
}

/* True when the pattern may be a mistyped form of the text, or a part of it. */
static bool is_near(struct str pattern, struct str text)
{
	struct nearest near = { .typed = pattern };

	nearest_offer(&near, text);
	return near.n || (pattern.len > 2 && piece_score(pattern, text) >= 0);
}

struct finding {
	const struct scene *scene;
	struct str text;
	struct arena *a;
	struct match *best; /* the best matches so far, not sorted; worst is the index of the worst of them */
	size_t n, worst;
};

static bool is_better(const struct match *a, const struct match *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	if (a->what != b->what)
		return a->what < b->what;
	return str_cmp(a->name, b->name) < 0;
}

/* Does the same as fuzzy_score(); where only such things are looked for mistyped texts are found, too, as the worst matches. */
static int near_score(const struct finding *f, struct str pattern, struct str text)
{
	int score = fuzzy_score(pattern, text);

	return score < 0 && pattern.len < f->text.len && is_near(pattern, text) ? 0 : score;
}

static void find_worst(struct finding *f)
{
	f->worst = 0;
	for (size_t i = 1; i < f->n; i++)
		if (is_better(&f->best[f->worst], &f->best[i]))
			f->worst = i;
}

static void offer(struct finding *f, const struct match *m)
{
	if (m->score < 0)
		return;
	assert(f->n <= PALETTE_MATCHES && (f->n < PALETTE_MATCHES || f->worst < f->n));
	if (f->n < PALETTE_MATCHES) {
		f->best[f->n++] = *m;
		if (f->n == PALETTE_MATCHES)
			find_worst(f);
	} else if (is_better(m, &f->best[f->worst])) {
		f->best[f->worst] = *m;
		find_worst(f);
	}
}

/*
 * True when the text begins with one of words, as in "ns edge", "ctx staging", "kind pod", "go network": only such
 * things are then looked for.
 */
static bool takes(struct str text, const char *const words[], struct str *out_rest)
{
	for (size_t i = 0; words[i]; i++) {
		struct str word = str_of(words[i]);

		if (str_eq_nocase(text, word)) {
			*out_rest = STR_NONE;
			return true;
		}
		if (text.len > word.len && str_eq_nocase(str_head(text, word.len), word) && text.ptr[word.len] == ' ') {
			*out_rest = str_trim(str_from(text, word.len));
			return true;
		}
	}
	return false;
}

/* The scores while nothing is typed: what the user most likely wants comes first. */
enum { LIKELY_NAMESPACE = 3000, LIKELY_CONTEXT = 2000, LIKELY_ACTION = 1000 };

static void find_actions(struct finding *f, struct str pattern)
{
	size_t n;
	const struct action_row *rows = action_rows(&n);
	struct match table = { .what = FOUND_ACTION, .name = STR("Show the table of all resources") };

	table.score = pattern.len ? fuzzy_score(pattern, STR("table")) : LIKELY_ACTION;
	offer(f, &table);

	for (size_t i = 0; i < n; i++) {
		struct match m = { .what = FOUND_ACTION, .action = rows[i].action };
		int by_text;

		if (rows[i].action == ACTION_NONE)
			continue;
		m.name = str_of(rows[i].text);
		m.score = rows[i].hint ? fuzzy_score(pattern, str_of(rows[i].hint)) : -1;
		by_text = pattern.len ? piece_score(pattern, m.name) : -1;
		if (by_text > m.score)
			m.score = by_text;
		if (!pattern.len)
			m.score = LIKELY_ACTION - 1 - (int)i;
		offer(f, &m);
	}
}

static bool has_namespace(const struct finding *f, struct str ns)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->best[i].what == FOUND_NAMESPACE && str_eq(f->best[i].name, ns))
			return true;
	return false;
}

/* Offers every namespace in which the store has objects, except the namespace but. */
static void find_namespaces(struct finding *f, struct str pattern, bool all_of_them, struct str but)
{
	struct map offered = { 0 };
	struct match everywhere = { .what = FOUND_NAMESPACE, .name = STR_NONE };
	struct str last = STR_NONE;

	everywhere.score = all_of_them ? fuzzy_score(pattern, STR("all namespaces")) : -1;
	offer(f, &everywhere);
	for (struct handle h = store_next(f->scene->store, 0); h.slot; h = store_next(f->scene->store, h.slot + 1)) {
		struct object_id id = store_node_id(f->scene->store, h.slot);
		struct str ns = str_is(id.kind->kind, "Namespace") && !id.kind->group.len ? id.name : id.ns;
		struct match m = { .what = FOUND_NAMESPACE, .name = ns };

		if (!ns.len || str_eq(ns, last) || str_eq(ns, but) || map_get(&offered, ns))
			continue;
		last = ns;
		map_set(&offered, ns, f);
		m.score = near_score(f, pattern, ns);
		offer(f, &m);
	}
	map_release(&offered);
}

/* Offers the contexts.  only: nothing else is looked for. */
static void find_contexts(struct finding *f, struct str pattern, bool only)
{
	const struct header *header = f->scene->header;

	for (size_t i = 0; i < f->scene->ncontexts; i++) {
		struct match m = { .what = FOUND_CONTEXT, .name = f->scene->contexts[i] };

		if (str_eq(m.name, header->opening.len ? header->opening : header->context))
			continue;
		m.score = pattern.len || only ? fuzzy_score(pattern, m.name) : LIKELY_CONTEXT;
		offer(f, &m);
	}
}

static int kind_score(struct str pattern, const struct kind *kind)
{
	int best = fuzzy_score(pattern, kind->kind), other = fuzzy_score(pattern, kind->plural);

	best = other > best ? other : best;
	for (size_t i = 0; i < KIND_NAMES && kind->short_names[i].len; i++) {
		other = fuzzy_score(pattern, kind->short_names[i]);
		best = other > best ? other : best;
	}
	return best;
}

static void find_kinds(struct finding *f, struct str pattern, bool all_of_them)
{
	const struct kinds *kinds = store_kinds(f->scene->store);
	uint8_t *by_kind = arena_alloc(f->a, kinds->count + 2);

	for (struct handle h = store_next(f->scene->store, 0); h.slot; h = store_next(f->scene->store, h.slot + 1))
		by_kind[store_node_id(f->scene->store, h.slot).kind->id] = 1;
	if (all_of_them)
		offer(f, &(struct match){ .what = FOUND_KIND, .score = fuzzy_score(pattern, STR("all kinds")) });
	for (uint32_t i = 0; i < kinds->count; i++) {
		struct match m = { .what = FOUND_KIND, .kind = kinds->all[i], .name = kinds->all[i]->kind };

		if (!by_kind[kinds->all[i]->id] && !(kinds->all[i]->flags & KIND_DISCOVERED && kinds->all[i]->flags & KIND_LIST))
			continue;
		m.score = kind_score(pattern, kinds->all[i]);
		if (m.score < 0)
			m.score = near_score(f, pattern, kinds->all[i]->plural);
		offer(f, &m);
	}
}

/*
 * Returns the score of "kind/name" without building that text; without a "/" the pattern is looked for in the name
 * alone.
 */
static int object_score(struct str pattern, const struct object_id *id)
{
	size_t slash = str_find(pattern, '/');
	int kind, name;

	if (slash == pattern.len)
		return fuzzy_score(pattern, id->name);
	kind = kind_score(str_head(pattern, slash), id->kind);
	name = fuzzy_score(str_from(pattern, slash + 1), id->name);
	return kind < 0 || name < 0 ? -1 : kind + name;
}

static void find_objects(struct finding *f, struct str pattern)
{
	if (!pattern.len)
		return;
	for (struct handle h = store_next(f->scene->store, 0); h.slot; h = store_next(f->scene->store, h.slot + 1)) {
		struct object_id id = store_node_id(f->scene->store, h.slot);
		struct match m = { .what = FOUND_OBJECT, .object = h, .name = id.name, .kind = id.kind };

		m.score = object_score(pattern, &id);
		/* The cheap score is computed first; whether the object is selected is asked only of matches. */
		if (m.score >= 0 && scene_selects(f->scene, h))
			offer(f, &m);
	}
}

static int compare_matches(const void *x, const void *y)
{
	const struct match *a = x, *b = y;

	return is_better(a, b) ? -1 : is_better(b, a);
}

/* Returns the namespace of the row from which the palette was opened; "" when only one namespace is shown. */
static struct str namespace_here(const struct ui *ui, const struct scene *scene)
{
	const struct place *from = &ui->places[ui->depth ? ui->depth - 1 : 0];
	struct handle h = from->object.slot ? from->object : from->subject;

	if (!ui->observer.many_namespaces || !store_knows(scene->store, h))
		return STR_NONE;
	return store_node_id(scene->store, h.slot).ns;
}

static const char *const ns[] = { "ns", "namespace", "namespaces", NULL };
static const char *const kind[] = { "kind", "kinds", NULL };

/* Returns the best matches of the typed text in the arena, the best first. */
static const struct match *palette_find(const struct ui *ui, const struct scene *scene, struct arena *a, size_t *out_n)
{
	static const char *const ctx[] = { "ctx", "context", "contexts", "cluster", NULL };
	static const char *const go[] = { "go", "object", NULL };
	struct finding f = { .scene = scene, .text = str_trim(str_of(ui->palette_text)), .a = a };
	struct str rest, here = namespace_here(ui, scene);

	f.best = arena_array(a, PALETTE_MATCHES, sizeof(*f.best));
	if (takes(f.text, ns, &rest)) {
		find_namespaces(&f, rest, true, STR_NONE);
		/* A namespace in which nothing was seen can be chosen, too. */
		if (rest.len && str_find(rest, ' ') == rest.len && !has_namespace(&f, rest))
			offer(&f, &(struct match){ .what = FOUND_NAMESPACE, .name = arena_str(a, rest), .score = 0 });
	} else if (takes(f.text, ctx, &rest)) {
		find_contexts(&f, rest, true);
	} else if (takes(f.text, kind, &rest)) {
		find_kinds(&f, rest, true);
	} else if (takes(f.text, go, &rest)) {
		find_objects(&f, rest);
	} else {
		find_actions(&f, f.text);
		if (!f.text.len && here.len)
			offer(&f, &(struct match){ .what = FOUND_NAMESPACE, .name = here, .score = LIKELY_NAMESPACE });
		find_namespaces(&f, f.text, f.text.len > 0, f.text.len ? STR_NONE : here);
		find_contexts(&f, f.text, false);
		find_kinds(&f, f.text, f.text.len > 0);
		find_objects(&f, f.text);
	}
	if (f.n)
		qsort(f.best, f.n, sizeof(*f.best), compare_matches);
	*out_n = f.n;
	return f.best;
}

/* True when the kind is called so, by kubectl, too: "pod", "pods", "po", "certificates.cert-manager.io". */
static bool is_kind_called(const struct kind *k, struct str name)
{
	struct str word = str_head(name, str_find(name, '.')), group = str_from(name, word.len + 1);
	bool called = str_eq_nocase(k->kind, word) || str_eq_nocase(k->plural, word) || str_eq_nocase(k->singular, word);

	for (size_t i = 0; i < KIND_NAMES && !called; i++)
		called = k->short_names[i].len && str_eq_nocase(k->short_names[i], word);
	return called && (word.len == name.len || str_eq_nocase(group, k->group));
}

/* True when all namespaces are known, so that one that is not among them does not exist. */
static bool namespaces_are_known(const struct scene *scene)
{
	const struct kind *namespaces = kinds_find(store_kinds(scene->store), STR_NONE, STR("Namespace"));

	return scene->header->link == LINK_FILES || scene->header->link == LINK_REPLAY ||
	       (namespaces && store_coverage(scene->store, 0, namespaces, STR_NONE) == COVERAGE_COMPLETE);
}

size_t palette_exact(const struct ui *ui, const struct scene *scene, struct str *out_missing)
{
	struct str text = str_trim(str_of(ui->palette_text)), name;
	bool of_ns = takes(text, ns, &name), asks;

	*out_missing = STR_NONE;
	if (ui_place_const(ui)->moved || !(of_ns || takes(text, kind, &name)) || !name.len)
		return ui_place_const(ui)->selected;
	asks = !of_ns || namespaces_are_known(scene);
	for (size_t i = 0; i < ui->nmatches; i++) {
		const struct match *m = &ui->matches[i];

		bool is_all = of_ns ? !m->name.len : !m->kind;

		if (is_all ? str_is(str_head(name, 3), "all") : of_ns ? str_eq(m->name, name) && (m->score || !asks) : is_kind_called(m->kind, name))
			return i;
	}
	*out_missing = str_from(text, (size_t)(name.ptr - text.ptr));
	for (size_t i = 0; i < ui->nmatches; i++)
		if (is_near(name, ui->matches[i].kind ? ui->matches[i].kind->plural : ui->matches[i].name) && !str_eq(ui->matches[i].name, name))
			return i;
	return ui->nmatches;
}

/* ---- the view --------------------------------------------------------------------- */

static struct str match_name(const struct scene *scene, const struct match *m, struct arena *a)
{
	const struct kinds *kinds = store_kinds(scene->store);
	struct summary s;

	switch (m->what) {
	case FOUND_KIND:
		return m->kind ? words_kind(kinds, m->kind->group, m->kind->kind, a) : STR("all kinds");
	case FOUND_OBJECT:
		return graph_summary(scene->graph, m->object, &s) ? words_id(kinds, &s.id, a) : m->name;
	case FOUND_NAMESPACE:
		return m->name.len ? m->name : STR("all namespaces");
	case FOUND_ACTION: /* the text up to the first ";" says what the action does; the rest is for the help */
		return str_head(m->name, str_find(m->name, ';'));
	case FOUND_CONTEXT:
		break;
	}
	return m->name;
}

/* Returns the last cell of a match: the keys of a command, or the phase and the namespace of an object. */
static struct str match_place(const struct ui *ui, const struct scene *scene, const struct match *m, struct arena *a)
{
	struct summary s;

	if (m->what == FOUND_ACTION)
		return bindings_keys(ui->bindings, m->action);
	if (m->what != FOUND_OBJECT || !graph_summary(scene->graph, m->object, &s))
		return STR_NONE;
	return arena_printf(a, "%s " STR_FMT "%s" STR_FMT, phase_appearance(s.phase)->glyph, STR_ARG(s.id.ns), s.id.cluster.len ? " · " : "",
			    STR_ARG(s.id.cluster));
}

static const char *match_title(const struct match *m)
{
	static const char *const titles[] = {
		[FOUND_ACTION] = "command", [FOUND_NAMESPACE] = "namespace", [FOUND_CONTEXT] = "context",
		[FOUND_KIND] = "kind",	    [FOUND_OBJECT] = "object",
	};

	switch ((int)m->action) {
	case ACTION_NONE: /* this is the table */
	case ACTION_WHY:
	case ACTION_TREE:
	case ACTION_PROBLEMS:
	case ACTION_TIMELINE:
	case ACTION_CHANGES:
		return m->what == FOUND_ACTION ? "view" : titles[m->what];
	default:
		return titles[m->what];
	}
}

static void palette_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	size_t n;
	const struct match *found = palette_find(ui, scene, &arena, &n);
	struct match *matches = arena_array(&ui->arena, n, sizeof(*matches));

	ui->ncolumns = 3;
	ui->columns[0] = (struct column){ .title = "", .min = 9, .want = 9, .max = 9 };
	ui->columns[1] = (struct column){ .title = "", .min = 16, .want = 40, .max = 100, .grow = 2, .clip = CLIP_MIDDLE };
	ui->columns[2] = (struct column){ .title = "", .min = 8, .want = 20, .rank = 1, .grow = 1 };
	for (size_t i = 0; i < n; i++) {
		matches[i] = found[i];
		matches[i].name = arena_str(&ui->arena, found[i].name);
		lines_add(lines)->key = key_mix(21, i);
		lines_cell(lines, str_of(match_title(&found[i])), STYLE_DIM);
		lines_cell(lines, match_name(scene, &found[i], &arena), STYLE_NORMAL);
		lines_cell(lines, match_place(ui, scene, &found[i], &arena), STYLE_DIM);
	}
	ui->matches = matches;
	ui->nmatches = n;
	arena_release(&arena);
}

const struct view view_palette = { .title = "go to", .build = palette_build, .lists = true };

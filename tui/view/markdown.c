/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/markdown.h"

#include "kube/base/utf8.h"
#include "tui/state/state.h"
#include "tui/view/bars.h"
#include "tui/view/blocked.h"
#include "tui/view/cause_facts.h"
#include "tui/words/explain.h"
#include "tui/words/words.h"

enum {
	CAUSES = 10, /* so many root causes are listed one by one: it is for a chat */
	REST = 10
};

/*
 * Texts of the cluster are only added by markdown_code(): in a chat a bare name could be a link or a picture, or could
 * notify people.
 */
struct markdown {
	const struct ui *ui;
	const struct scene *scene;
	const struct kinds *kinds;
	struct buf *out;
	struct arena *a;
};

void clean_text(struct buf *out, struct str s)
{
	char bytes[4];

	for (size_t at = 0; at < s.len;) {
		uint32_t rune = utf8_next(s, &at);
		bool space = rune == '\n' || rune == '\t' || rune == '\r';

		buf_add(out, space ? STR(" ") : (struct str){ bytes, utf8_put(utf8_hostile(rune) ? 0xFFFD : rune, bytes) });
	}
}

/*
 * True when blanks must be added at both ends, which are not part of the code:
 * https://spec.commonmark.org/0.31.2/#code-spans.
 */
static bool needs_blanks(struct str s)
{
	char first = s.ptr[0], last = s.ptr[s.len - 1];

	return first == '`' || last == '`' || (first == ' ' && last == ' ' && str_trim(s).len);
}

void markdown_code(struct buf *out, struct str s)
{
	struct buf clean = { 0 }, span = { 0 };
	size_t run = 0, longest = 0;

	if (!s.len)
		return;
	clean_text(&clean, s);
	for (size_t i = 0; i < clean.len; i++) {
		run = clean.ptr[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		buf_add_char(&span, '`');
	run = span.len;
	if (needs_blanks(buf_str(&clean)))
		BUF_JOIN(&span, STR(" "), buf_str(&clean), STR(" "));
	else
		buf_add(&span, buf_str(&clean));
	for (size_t i = 0; i < run; i++)
		buf_add_char(&span, '`');
	buf_add(out, buf_str(&span));	/* the code is added as a whole, or not at all when there is no room for it */
	buf_release(&clean);
	buf_release(&span);
}

/* Returns a time as "09:03"; when its day is not that of the incident, or with day, as "2026-11-19 09:03". */
static struct str clock_words(struct markdown *m, int64_t ms, bool day)
{
	struct str whole = words_moment(ms, day ? 0 : m->scene->now, m->a);

	return str_head(whole, whole.len - strlen(":00"));
}

static void add_since(struct markdown *m, int64_t since)
{
	if (!since)
		return;
	BUF_JOIN(m->out, STR(" since "), clock_words(m, since, false), STR(" ("), words_age(since, m->scene->now, m->a), STR(")"));
}

/* Adds "(`edge`, `prod-eu`, owner `team-network`)", as far as it is known. */
static void add_place(struct markdown *m, const struct id *id, struct str ns, struct str owner)
{
	const struct str parts[] = { ns, id->cluster, words_first_line(owner) };
	const char *before = " (";

	for (size_t i = 0; i < 3; i++) {
		if (!parts[i].len)
			continue;
		buf_add_cstr(m->out, before);
		buf_add_cstr(m->out, i == 2 ? LABEL_OWNER " " : "");
		markdown_code(m->out, parts[i]);
		before = ", ";
	}
	if (before[0] == ',')
		buf_add_char(m->out, ')');
}

/* Adds a name in bold. */
static void add_name(struct markdown *m, struct str name)
{
	buf_add_char(m->out, '*');
	markdown_code(m->out, name);
	buf_add_char(m->out, '*');
}

/* Adds the -L labels, which tell whom to call. */
static void add_labels(struct markdown *m, const struct root_cause *r)
{
	for (size_t i = 0; i < m->scene->nlabels; i++) {
		struct str value = cause_label(m->scene, r, i);

		if (!value.len)
			continue;
		buf_add_char(m->out, ' ');
		markdown_code(m->out, arena_printf(m->a, "%s=" STR_FMT, m->scene->labels[i], STR_ARG(value)));
	}
}

/* Adds what changed before the trouble of an object began, and what failed before it. */
static void add_before(struct markdown *m, struct handle h)
{
	struct cause_fact facts[FACTS_BEFORE];
	size_t n = facts_before(m->scene->graph, m->scene->store, h, facts, m->a);

	scene_look(m->scene, h);
	for (size_t i = 0; i < n; i++) {
		buf_printf(m->out, "  %s ", facts[i].label);
		markdown_code(m->out, facts[i].text);
		buf_add_char(m->out, '\n');
	}
}

static void add_shared(struct markdown *m, const struct cause_group *c)
{
	struct str words[FACTS_SHARED];
	size_t n = facts_shared(m->scene->graph, m->kinds, c->slots, c->n, words, m->a);

	for (size_t i = 0; i < n; i++) {
		buf_add_cstr(m->out, "  " LABEL_SHARE " ");
		markdown_code(m->out, words[i]);
		buf_add_char(m->out, '\n');
	}
}

static void add_runbook(struct markdown *m, struct str address)
{
	if (!address.len)
		return;
	buf_add_cstr(m->out, "  " LABEL_RUNBOOK " ");
	markdown_code(m->out, words_first_line(address));
	buf_add_char(m->out, '\n');
}

static void add_cause(struct markdown *m, const struct cause_group *c)
{
	const struct root_cause *r = &c->what;
	struct str blocked_kinds = cause_blocked_kinds(m->scene->graph, m->kinds, c, m->a), words = cause_words_beside_state(r, m->a);

	buf_add_cstr(m->out, "• ");
	add_name(m, cause_title(m->kinds, c, TITLE_WHOLE, m->a));
	add_place(m, &r->id, cause_where(c, m->a), cause_owner(m->scene->graph, c));
	add_labels(m, r);
	BUF_JOIN(m->out, STR(" "), cause_state_words(r));
	add_since(m, r->since);
	if (ui_acknowledged(m->ui, cause_key(c), cause_state(c)))
		buf_add_cstr(m->out, ", acknowledged");
	if (words.len) {
		buf_add_cstr(m->out, ": ");
		markdown_code(m->out, words);
	}
	if (r->nblocked) {
		BUF_JOIN(m->out, STR("; blocks "), words_count(r->nblocked, m->a), STR(" ("));
		markdown_code(m->out, blocked_kinds);
		buf_add_char(m->out, ')');
	}
	buf_add_char(m->out, '\n');
	if (!c->share.len)
		add_before(m, cause_changed(m->scene->graph, m->scene->store, r));
	add_shared(m, c);
	add_runbook(m, graph_runbook_of_root(m->scene->graph, r));
	buf_add_cstr(m->out, "  ");
	markdown_code(m->out, cause_command(m->scene->graph, r, READER_ELSEWHERE, m->a));
	buf_add_char(m->out, '\n');
}

static void add_head(struct markdown *m)
{
	const struct header *h = m->scene->header;

	buf_add_char(m->out, '*');
	markdown_code(m->out, h->context);
	if (h->ns.len) {
		buf_add_cstr(m->out, h->context.len ? " " : "");
		markdown_code(m->out, h->ns);
	}
	BUF_JOIN(m->out, str_of(h->context.len || h->ns.len ? ", " : ""), clock_words(m, m->scene->now, h->link == LINK_REPLAY),
		 STR(" UTC*: "));
}

/* Adds what is not known, for readers who do not see the dashboard. */
static void add_doubt(struct markdown *m)
{
	struct str doubt = doubt_words(m->scene, m->a);

	if (!doubt.len)
		return;
	buf_add_cstr(m->out, "Not all is known: ");
	markdown_code(m->out, doubt);	/* the text may contain names of contexts */
	buf_add_char(m->out, '\n');
}

/*
 * Adds what may be said when there is no root cause.  It looks at all selected objects, because what was noted for the
 * screen may be older.
 */
static void add_well(struct markdown *m)
{
	struct doubt doubt = doubt_of(m->scene, m->a);
	struct not_well not_well = { 0 };
	struct summary s;
	struct str words;

	for (struct handle h = store_next(m->scene->store, 0); h.slot; h = store_next(m->scene->store, h.slot + 1))
		if (scene_selects(m->scene, h) && graph_summary(m->scene->graph, h, &s))
			well_count(&not_well, &s, m->scene->now);
	words = well_words(&not_well, &doubt, m->a);
	clean_text(m->out, words);
}

static void add_object(struct markdown *m, const struct summary *s)
{
	struct str said = words_with_reason(s->reason, words_message(s->severity, s->message, m->a), m->a);

	buf_add_cstr(m->out, "• ");
	add_name(m, words_id(m->kinds, &s->id, m->a));
	add_place(m, &s->id, s->id.ns, graph_owner(m->scene->graph, s->id.handle));
	buf_printf(m->out, " %s", phase_name(s->phase));
	add_since(m, s->since);
	if (said.len) {
		buf_add_cstr(m->out, ": ");
		markdown_code(m->out, said);
	}
	buf_add_char(m->out, '\n');
	add_before(m, s->id.handle);
	add_runbook(m, graph_runbook(m->scene->graph, s->id.handle));
	buf_add_cstr(m->out, "  ");
	markdown_code(m->out, words_command(m->scene->graph, &s->id, WAIT_NONE, s->reason, READER_ELSEWHERE, m->a));
	buf_add_char(m->out, '\n');
}

static void add_rest(struct markdown *m, const struct cause_group *causes, size_t ncauses)
{
	size_t n, objects = 0;
	const struct blocked *rest = blocked_rest(m->scene, ui_shown(m->ui, m->scene), causes, ncauses, m->a, &n);

	for (size_t i = 0; i < n; i++)
		objects += rest[i].n;
	if (!objects)
		return;
	BUF_JOIN(m->out, STR("Also not ready ("), words_count(objects, m->a), STR(")"));
	for (size_t i = 0; i < n && i < REST; i++) {
		buf_add_cstr(m->out, i ? ", " : ": ");
		markdown_code(m->out, words_id(m->kinds, &rest[i].first.id, m->a));
		if (rest[i].n > 1)
			BUF_JOIN(m->out, STR(" and "), words_count(rest[i].n - 1, m->a), STR(" like it"));
		add_place(m, &rest[i].first.id, rest[i].first.id.ns, STR_NONE);
		buf_printf(m->out, " %s", phase_name(rest[i].first.phase));
		add_since(m, rest[i].first.since);
	}
	buf_add_cstr(m->out, n > REST ? ", and more\n" : "\n");
}

/* Adds the root causes in the order of Problems. */
static void add_causes(struct markdown *m, const struct cause_group *causes, size_t n)
{
	size_t listed = 0;

	for (enum cause_place place = 0; place < CAUSE_PLACES; place++)
		for (size_t i = 0; i < n && listed < CAUSES; i++)
			if (cause_place(m->ui, m->scene->store, &causes[i]) == place) {
				add_cause(m, &causes[i]);
				listed++;
			}
	if (n > listed)
		BUF_JOIN(m->out, STR("• +"), words_count(n - listed, m->a), STR(" more\n"));
}

void markdown_incident(const struct ui *ui, const struct scene *scene, struct buf *out)
{
	struct arena a = { 0 };
	struct markdown m = { ui, scene, store_kinds(scene->store), out, &a };
	size_t n, blocked;
	const struct cause_group *causes = cause_groups_selected(scene, &a, &n);

	cause_groups_blocked(scene->graph, causes, n, &a, &blocked);
	add_head(&m);
	if (n == 0) {
		add_well(&m);
	} else {
		buf_add(out, words_causes_block(n, cause_groups_under_way(causes, n), blocked, &a));
		clean_text(out, selection_words(scene->header, &a));
	}
	buf_add_char(out, '\n');
	add_causes(&m, causes, n);
	add_rest(&m, causes, n);
	if (n)
		add_doubt(&m);
	arena_release(&a);
}

bool markdown_object(const struct ui *ui, const struct scene *scene, struct handle h, struct buf *out)
{
	struct arena a = { 0 };
	struct markdown m = { ui, scene, store_kinds(scene->store), out, &a };
	struct summary s;
	size_t n, nadded = 0;
	const struct cause_group *causes;
	bool known = graph_summary(scene->graph, h, &s);

	if (known) {
		causes = cause_groups(scene->graph, &n);
		add_head(&m);
		markdown_code(out, words_id(m.kinds, &s.id, &a));
		buf_add(out, words_alike(ui_place_const(ui)->alike, &a));
		add_place(&m, &s.id, s.id.ns, STR_NONE);
		buf_printf(out, " is %s", phase_name(s.phase));
		add_since(&m, s.since);
		buf_add_char(out, '\n');
		for (size_t i = 0; i < n; i++)
			if (cause_concerns(scene->graph, &causes[i], h)) {
				add_cause(&m, &causes[i]);
				nadded++;
			}
		if (!nadded && s.phase != PHASE_READY)
			add_object(&m, &s);
		add_doubt(&m);
	}
	arena_release(&a);
	return known;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/brief.h"

#include "kube/base/time.h"
#include "kube/base/utf8.h"
#include "plugin/notices.h"
#include "tui/view/cause_facts.h"
#include "tui/view/markdown.h"
#include "tui/words/recovery.h"
#include "tui/words/words.h"

enum {
	NAME = 160,	/* the most bytes of each text */
	REASON = 280,
	REASON_SHORT = 100,
	OWNER = 80,
	CHANGE = 200,
	COMMAND = 400,	/* a longer command is left out: what is cut is none */
	TAIL = 300,	/* bytes that are kept free for what is said of the rest */
	CAUSE = 1300	/* of one root cause */
};

struct brief {
	struct world *w;
	const struct query *q;
	struct arena *a;
	const struct cause_group *causes;
	size_t n, most, begin;	/* begin: where in the output it does */
	struct buf *out;
};

static void add_code(const struct brief *b, struct str text, size_t most, struct buf *out)
{
	struct buf clean = { 0 };

	clean_text(&clean, words_first_line(text));	/* before it is cut, because that changes its length */
	markdown_code(out, utf8_cut(buf_str(&clean), most, b->a));
	buf_release(&clean);
}

/* Adds a line of a root cause while there is room for it. */
static void add_line(const struct brief *b, const char *label, struct str text, size_t most, struct buf *out)
{
	struct buf line = { 0 };

	if (!text.len)
		return;
	buf_printf(&line, "   %s ", label);
	add_code(b, text, most, &line);
	buf_add_char(&line, '\n');
	if (out->len + line.len <= CAUSE)
		buf_add(out, buf_str(&line));
	buf_release(&line);
}

/* Adds "1. `pod/a` in `shop`: Failed, since 2026-11-20T09:00:00Z (26m)". */
static void add_head(const struct brief *b, size_t number, const struct cause_group *c, struct buf *out)
{
	const struct root_cause *r = &c->what;
	char time[TIME_TEXT];

	buf_printf(out, "%zu. ", number);
	add_code(b, cause_title(store_kinds(b->w->store), c, false, b->a), NAME, out);
	if (r->id.ns.len) {
		buf_add_cstr(out, " in ");
		add_code(b, cause_where(c, b->a), NAME, out);
	}
	if (r->id.cluster.len) {
		buf_add_cstr(out, ", cluster ");
		add_code(b, r->id.cluster, OWNER, out);
	}
	BUF_JOIN(out, STR(": "), cause_state_words(r));
	if (r->since)
		BUF_JOIN(out, STR(", since "), str_of(time_format(r->since, time)), STR(" ("), words_age(r->since, b->w->now, b->a), STR(")"));
}

static void add_blocked(const struct brief *b, const struct cause_group *c, struct buf *out)
{
	struct str kinds;

	if (!c->what.nblocked)
		return;
	kinds = cause_blocked_kinds(b->w->graph, store_kinds(b->w->store), c, b->a);
	add_line(b, arena_printf(b->a, "blocks %zu:", c->what.nblocked).ptr, kinds, NAME, out);
}

static void add_changed(const struct brief *b, const struct cause_group *c, struct buf *out)
{
	struct cause_fact facts[FACTS_BEFORE];
	size_t n = facts_before(b->w->graph, b->w->store, cause_changed(b->w->graph, b->w->store, &c->what), facts, b->a);

	if (n)
		add_line(b, arena_printf(b->a, "%s:", facts[0].label).ptr, facts[0].text, CHANGE, out);
}

/* Makes a root cause with all that is told of it. */
static void whole_cause(const struct brief *b, size_t number, const struct cause_group *c, struct buf *out)
{
	struct str command = cause_command(b->w->graph, &c->what, READER_ELSEWHERE, b->a), recovery = STR_NONE;

	recovery_of_root(b->w->graph, &c->what, b->w->now, b->a, &recovery);
	buf_reset(out);
	add_head(b, number, c, out);
	buf_add_char(out, '\n');
	add_line(b, "reason:", cause_words_beside_state(&c->what, b->a), REASON, out);
	add_blocked(b, c, out);
	add_line(b, "owner:", graph_owner_of_root(b->w->graph, &c->what), OWNER, out);
	add_changed(b, c, out);
	add_line(b, "runbook:", graph_runbook_of_root(b->w->graph, &c->what), CHANGE, out);
	add_line(b, "recovery:", recovery, NAME, out);
	if (command.len <= COMMAND)
		add_line(b, "next:", command, COMMAND, out);
}

/* Makes the line of a root cause for which there is no more room. */
static void short_cause(const struct brief *b, size_t number, const struct cause_group *c, struct buf *out)
{
	struct str reason = cause_words_beside_state(&c->what, b->a);

	buf_reset(out);
	add_head(b, number, c, out);
	if (reason.len) {
		buf_add_cstr(out, ": ");
		add_code(b, reason, REASON_SHORT, out);
	}
	if (c->what.nblocked)
		buf_printf(out, ", blocks %zu", c->what.nblocked);
	buf_add_char(out, '\n');
}

/* Adds the root causes for which there is room, the worst with all that is known.  Returns their number. */
static size_t add_causes(const struct brief *b)
{
	size_t room = b->most - TAIL, whole = room * 2 / 3, i;
	struct buf text = { 0 };

	for (i = 0; i < b->n; i++) {
		size_t used = b->out->len - b->begin;

		whole_cause(b, i + 1, &b->causes[i], &text);
		if (used + text.len > (i ? whole : room))
			short_cause(b, i + 1, &b->causes[i], &text);
		if (used + text.len > room)
			break;
		buf_add(b->out, buf_str(&text));
	}
	buf_release(&text);
	return i;
}

/* ---- what is said of the rest ------------------------------------------------ */

/* Finds the root causes of the selected objects. */
static void find_causes(struct brief *b, const struct selected *items)
{
	b->causes = cause_groups_concerned(b->w->graph, status_list_concerned(b->w, items, b->a), b->a, &b->n);
}

/* Counts the objects that are not Ready and have none of the root causes. */
static size_t count_others(const struct brief *b, const struct selected *items)
{
	const uint8_t *told = cause_groups_marked(b->w->graph, b->causes, b->n, b->a);
	struct summary s;
	size_t n = 0;

	for (size_t i = 0; i < items->n; i++)
		n += graph_summary(b->w->graph, items->handles[i], &s) && s.phase != PHASE_READY && !phase_is_leftover(s.phase, s.severity) &&
		     !told[items->handles[i].slot];
	return n;
}

static void add_rest(const struct brief *b, size_t told, const struct selected *items)
{
	struct doubt doubt = notices_doubt(b->w, b->q, b->a);
	size_t blocked, others = count_others(b, items);

	cause_groups_blocked(b->w->graph, b->causes + told, b->n - told, b->a, &blocked);
	if (told < b->n)
		buf_printf(b->out, "... and %zu more root cause%s, which hold%s up %zu (-o why, -o json or --problems has all)\n", b->n - told,
			   words_plural(b->n - told), b->n - told == 1 ? "s" : "", blocked);
	if (others)
		buf_printf(b->out, "Also not ready: %zu\n", others);
	if (b->n && (doubt.unread.len || doubt.unsure.len)) {
		buf_add_cstr(b->out, "Not all is known: ");
		add_code(b, doubt.unread.len ? doubt.unread : doubt.unsure, OWNER, b->out);
		buf_add_char(b->out, '\n');
	}
}

static void add_sum(const struct brief *b, const struct selected *items)
{
	struct doubt doubt = notices_doubt(b->w, b->q, b->a);
	struct not_well not_well = { 0 };
	struct summary s;
	char time[TIME_TEXT];
	size_t blocked;

	cause_groups_blocked(b->w->graph, b->causes, b->n, b->a, &blocked);
	for (size_t i = 0; i < items->n; i++)
		if (graph_summary(b->w->graph, items->handles[i], &s))
			well_count(&not_well, &s, b->w->now);
	clean_text(b->out, b->n ? words_causes_block(b->n, cause_groups_under_way(b->causes, b->n), blocked, b->a) :
				  utf8_cut(well_words(&not_well, &doubt, b->a), NAME, b->a));
	if (b->q->ns.len) {
		buf_add_cstr(b->out, ", namespace ");
		add_code(b, b->q->ns, OWNER, b->out);
	}
	BUF_JOIN(b->out, STR(", at "), str_of(time_format(b->w->now, time)), STR("\n"));
}

void brief_print(struct world *w, const struct query *q, const struct selected *items, size_t most, struct buf *out)
{
	struct arena arena = { 0 };
	struct brief b = { .w = w, .q = q, .a = &arena, .most = most, .begin = out->len, .out = out };

	find_causes(&b, items);
	add_sum(&b, items);
	add_rest(&b, add_causes(&b), items);
	arena_release(&arena);
}

void brief_changes(struct world *w, const struct query *q, const struct selected *items, size_t most, struct buf *out)
{
	struct arena arena = { 0 };
	struct brief b = { .w = w, .q = q, .a = &arena, .most = most, .begin = out->len, .out = out };
	struct buf text = { 0 };

	find_causes(&b, items);
	for (size_t i = 0; i < b.n; i++) {
		size_t head;

		buf_reset(&text);
		add_head(&b, i + 1, &b.causes[i], &text);
		buf_add_char(&text, '\n');
		head = text.len;
		add_changed(&b, &b.causes[i], &text);
		if (text.len > head && out->len - b.begin + text.len <= most)
			buf_add(out, buf_str(&text));
	}
	if (out->len == b.begin)
		buf_add_cstr(out, b.n ? "nothing is known to have been changed shortly before the root causes began\n" : "there is no root cause\n");
	buf_release(&text);
	arena_release(&arena);
}

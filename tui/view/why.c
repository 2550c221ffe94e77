/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/why.h"

#include "tui/view/state.h"
#include "tui/view/words.h"

enum {
	CHAIN = 32,
	NARROW = 40 /* columns: below, texts do not stand behind their labels */
};

void why_fact(struct lines *l, const char *label, struct str text, enum style style, int width)
{
	static const char blanks[] = "            ";
	const size_t room = width < NARROW ? 3 : sizeof(blanks) - 1;
	char padded[64];
	size_t n = 1;

	if (str_empty(text))
		return;
	padded[0] = ' ';
	for (size_t i = 0; label[i] && n + 2 < sizeof(padded); i++)
		padded[n++] = label[i];
	do {
		padded[n++] = ' ';
	} while (n < room);
	lines_wrap(l, text, (struct text){ { padded, n }, { blanks, room }, style }, width);
}

struct explain {
	const struct why *w;
	const struct kinds *kinds;
	struct arena *a;
};

static struct str verdict_words(struct explain *e, const struct summary *s)
{
	struct str age = words_age(s->since, e->w->now, e->a);

	return arena_printf(e->a, "%s %s%s" STR_FMT "%s%s", phase_look(s->phase)->glyph,
			    phase_name(s->phase), age.len ? " for " : "", STR_ARG(age),
			    words_overdue(s, e->w->now) ? ", overdue" : "",
			    s->stale ? ", stale" : "");
}

static void add_message(struct explain *e, struct str message, const char *indent)
{
	if (message.len)
		lines_wrap(e->w->lines, message,
			   (struct text){ str_of(indent), str_of(indent), STYLE_NORMAL },
			   e->w->width);
}

/* "because network/net failed   spec.resource.networkRef" and what is said about it. */
static void add_wait(struct explain *e, const struct wait *wait, bool last)
{
	struct lines *l = e->w->lines;
	struct summary s;
	bool known = graph_summary(e->w->graph, wait->on.handle, &s);

	lines_add(l)->object = wait->on.handle;
	l->all[l->n - 1].flags = LINE_SPAN;
	l->all[l->n - 1].key = key_mix_str(key_mix(9, l->n), wait->on.name);
	lines_cell(l, STR("   because  "), STYLE_DIM);
	lines_cell(l, words_because(e->kinds, wait, e->a), last ? STYLE_STRONG : STYLE_NORMAL);
	if (known && s.since)
		lines_cell(l,
			   arena_printf(e->a, "  " STR_FMT,
					STR_ARG(words_age(s.since, e->w->now, e->a))),
			   STYLE_NORMAL);
	if (wait->via.len && !str_starts(wait->via, "metadata.ownerReferences"))
		lines_cell(l, arena_printf(e->a, "   " STR_FMT, STR_ARG(wait->via)), STYLE_DIM);
	if (known && last && s.reason.len)
		add_message(e,
			    arena_printf(e->a, STR_FMT "%s" STR_FMT, STR_ARG(s.reason),
					 s.message.len ? ": " : "", STR_ARG(s.message)),
			    "            ");
	else if (!known || (wait->state == WAIT_CONTROLLER && !str_eq(wait->message, s.message)))
		add_message(e, wait->message, "            ");
}

static void add_look(struct explain *e, const struct summary *s, const struct wait *root)
{
	struct str look;
	struct summary cause;

	if (s->phase == PHASE_READY && s->severity == SEVERITY_NONE)
		return;
	look = words_look(&s->id, WAIT_NONE, s->reason, e->a);
	if (root && graph_summary(e->w->graph, root->on.handle, &cause))
		look = words_look(&cause.id, root->state, cause.reason, e->a);
	else if (root && root->state == WAIT_MISSING)
		look = words_look(&root->on, root->state, STR_NONE, e->a);
	why_fact(e->w->lines, "look", look, STYLE_KEY, e->w->width);
}

static void add_name(struct explain *e, const struct summary *s)
{
	struct lines *l = e->w->lines;
	struct line *line = lines_add(l);

	line->flags = LINE_SPAN;
	line->object = s->id.handle;
	line->key = key_mix(10, key_of_handle(s->id.handle));
	lines_cell(l, arena_printf(e->a, " " STR_FMT, STR_ARG(words_id(e->kinds, &s->id, e->a))),
		   STYLE_STRONG);
	if (s->id.ns.len)
		lines_cell(l, arena_printf(e->a, " · " STR_FMT, STR_ARG(s->id.ns)), STYLE_DIM);
	lines_cell(l, arena_printf(e->a, "   " STR_FMT, STR_ARG(verdict_words(e, s))),
		   phase_look(s->phase)->style);
}

bool why_lines(const struct why *w, struct handle h)
{
	struct arena a = { 0 };
	struct explain e = { w, store_kinds(w->store), &a };
	struct wait *chain = arena_array(&a, CHAIN, sizeof(*chain));
	struct item item;
	size_t n;

	if (!graph_item(w->graph, h, &a, &item)) {
		arena_release(&a);
		return false;
	}
	n = words_chain_of(w->graph, h, chain, CHAIN, &a);
	add_name(&e, &item.s);
	for (size_t i = 0; i < n; i++)
		add_wait(&e, &chain[i], i + 1 == n);
	if (n == 0)
		why_fact(w->lines, "reason", item.s.reason, STYLE_STRONG, w->width);
	why_fact(w->lines, "says", item.s.message, STYLE_NORMAL, w->width);
	why_fact(w->lines, "decided", item.rule, STYLE_NORMAL, w->width);
	why_fact(w->lines, "heals", words_heals(w->graph, e.kinds, &item, &a), STYLE_NORMAL,
		 w->width);
	add_look(&e, &item.s, n ? &chain[n - 1] : NULL);
	arena_release(&a);
	return true;
}

/* The view: of the subject, or of all that is not well. */
void why_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct why w = { scene->graph, scene->store, scene->now, lines, ui->cols - 1 };

	ui->ncolumns = 0;
	if (!why_lines(&w, ui_place(ui)->subject))
		lines_note(lines, STR(" It does not exist any more."));
}

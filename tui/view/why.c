/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/why.h"

#include "tui/view/absent.h"
#include "tui/view/blocked.h"
#include "tui/view/cause_facts.h"
#include "tui/view/views.h"
#include "tui/words/explain.h"
#include "tui/words/recovery.h"
#include "tui/words/words.h"

#include <string.h>

enum {
	CAUSES = 8, /* so many other root causes are named */
	LABEL_COLS = 12, /* the columns of a label */
	NARROW_SCREEN = 40 /* columns: on narrower screens texts do not stand behind their labels */
};

void why_fact(struct lines *l, const char *label, struct str text, enum style style, int width)
{
	static const char blanks[] = "            ";
	const size_t room = width < NARROW_SCREEN ? 3 : sizeof(blanks) - 1;
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

enum { PRINTED = 16 };

struct explain {
	const struct why *w;
	const struct kinds *kinds;
	struct arena *a;
	struct str printed[PRINTED]; /* the messages that are in the lines already */
	size_t nprinted;
};

static bool is_printed(const struct explain *e, struct str message)
{
	for (size_t i = 0; i < e->nprinted; i++)
		if (str_eq(e->printed[i], message))
			return true;
	return false;
}

static void note_printed(struct explain *e, struct str message)
{
	if (e->nprinted < PRINTED)
		e->printed[e->nprinted++] = message;
}

static struct str verdict_words(struct explain *e, const struct summary *s)
{
	struct str age = words_when(s->since, e->w->now, e->w->absolute_time, e->a);
	const char *join = e->w->absolute_time ? " since " : " for ";

	return arena_printf(e->a, "%s %s%s" STR_FMT "%s%s", phase_appearance(s->phase)->glyph,
			    phase_name(s->phase), age.len ? join : "", STR_ARG(age),
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

/* True when words already contain the message of the wait, as in "subnet/a still refers to it". */
static bool repeats_message(struct str words, const struct item_wait *wait)
{
	size_t n = wait->message.len;

	return str_is(wait->on.kind, "Finalizer") ||
	       (wait->state == WAIT_FINALIZER && n && n < words.len && str_eq(str_from(words, words.len - n), wait->message));
}

/* Adds "because network/net failed   spec.resource.networkRef", and below it the reason and message. */
static void add_wait(struct explain *e, const struct item_wait *wait, bool last)
{
	struct str words = words_because(e->w->graph, e->kinds, wait, e->a);
	struct lines *l = e->w->lines;
	struct summary s;
	bool known = graph_summary(e->w->graph, wait->on.handle, &s);

	lines_add(l)->object = wait->on.handle;
	l->all[l->n - 1].flags = LINE_SPAN;
	l->all[l->n - 1].key = key_mix_str(key_mix(9, l->n), wait->on.name);
	lines_cell(l, STR("   because  "), STYLE_DIM);
	lines_cell(l, words, last ? STYLE_STRONG : STYLE_NORMAL);
	if (known && s.since)
		lines_cell(l,
			   ARENA_JOIN(e->a, STR("  "), words_when(s.since, e->w->now, e->w->absolute_time, e->a)),
			   STYLE_NORMAL);
	if (wait->via.len && !str_starts(wait->via, "metadata.ownerReferences"))
		lines_cell(l, arena_printf(e->a, "   " STR_FMT, STR_ARG(wait->via)), STYLE_DIM);
	if (repeats_message(words, wait))
		return;
	if (known && last && s.reason.len && s.phase != PHASE_READY) {
		add_message(e, str_eq(str_head(s.message, s.reason.len), s.reason) ? s.message :
				       ARENA_JOIN(e->a, s.reason, str_of(s.message.len ? ": " : ""), s.message), "            ");
		note_printed(e, s.message);
	} else if (!known || (last && s.phase == PHASE_READY) ||
		   (wait->state == WAIT_CONTROLLER && !str_eq(wait->message, s.message))) {
		add_message(e, wait->message, "            ");
		note_printed(e, wait->message);
	}
}

static struct str command_at_end(struct graph *g, const struct summary *s, const struct chain_ends *chain, enum command_reader reader,
				 struct arena *a)
{
	const struct item_wait *root = chain->n ? &chain->waits[chain->n - 1] : NULL;
	struct summary cause;

	if (root && graph_summary(g, root->on.handle, &cause))
		return words_command(g, &cause.id, root->state, cause.reason, reader, a);
	if (root && root->state == WAIT_MISSING && !words_kind_unknown(&root->on))
		return words_command(g, &root->on, root->state, STR_NONE, reader, a);
	if (root && chain->n > 1)
		return words_command(g, &root[-1].on, WAIT_NONE, STR_NONE, reader, a);
	return words_command(g, &s->id, WAIT_NONE, s->reason, reader, a);
}

struct str why_next_step(struct graph *g, const struct summary *s, enum command_reader reader, struct arena *a)
{
	struct chain_ends chain = words_chain_ends(g, s->id.handle, a);

	return command_at_end(g, s, &chain, reader, a);
}

static void add_name(struct explain *e, const struct summary *s)
{
	struct lines *l = e->w->lines;
	struct line *line = lines_add(l);

	line->flags = LINE_SPAN;
	line->object = s->id.handle;
	line->key = key_mix(10, key_of_handle(s->id.handle));
	lines_cell(l, ARENA_JOIN(e->a, STR(" "), words_id(e->kinds, &s->id, e->a), words_alike(e->w->alike, e->a)),
		   STYLE_STRONG);
	if (s->id.ns.len)
		lines_cell(l, arena_printf(e->a, " · " STR_FMT, STR_ARG(s->id.ns)), STYLE_DIM);
	lines_cell(l, ARENA_JOIN(e->a, STR("   "), verdict_words(e, s)),
		   phase_appearance(s->phase)->style);
}

static bool same_thing(const struct id *a, const struct id *b)
{
	if (a->handle.slot || b->handle.slot)
		return a->handle.slot == b->handle.slot;
	return str_eq(a->kind, b->kind) && str_eq(a->ns, b->ns) && str_eq(a->name, b->name);
}

static bool is_in_chain(const struct chain_ends *chain, const struct id *id)
{
	for (size_t i = 0; i < chain->n; i++)
		if (same_thing(id, &chain->waits[i].on))
			return true;
	return false;
}

/* Adds the root causes that are not in the chain: that one is shown as a whole, of the others only the end. */
static void add_other_causes(struct explain *e, const struct item *item, const struct chain_ends *chain)
{
	struct str out = STR_NONE;
	size_t shown = 0;

	for (size_t i = 0; i < item->nroots; i++) {
		const struct id *root = &item->roots[i];
		struct summary s;
		bool known = graph_summary(e->w->graph, root->handle, &s);

		if (is_in_chain(chain, root) || same_thing(root, &item->s.id))
			continue;
		if (shown++ == CAUSES)
			break;
		out = ARENA_JOIN(e->a, out, str_of(out.len ? ", " : ""), words_id(e->kinds, root, e->a), STR(" "),
				 str_of(known ? phase_name(s.phase) : "which is not in the cluster"));
	}
	if (shown > CAUSES)
		out = arena_printf(e->a, STR_FMT ", and more", STR_ARG(out));
	why_fact(e->w->lines, LABEL_ALSO, out, STYLE_NORMAL, e->w->width);
}

/* Adds the generation of the spec when the operator has not seen it yet. */
static void add_unseen(struct explain *e, const struct item *item)
{
	struct str words = words_generation(e->w->store, item, e->a);

	if (str_contains(words, ": "))
		why_fact(e->w->lines, LABEL_SPEC, arena_printf(e->a, "generation " STR_FMT, STR_ARG(words)),
			 STYLE_NORMAL, e->w->width);
}

/* Adds each finalizer with what it is for, and what removing it by hand would do. */
static void add_deletion(struct explain *e, const struct item *item)
{
	const struct deletion *d = item->deletion;
	bool stuck = false;

	for (size_t i = 0; d && i < d->nfinalizers; i++) {
		const struct finalizer *f = &d->finalizers[i];

		stuck |= str_is(f->state, "stuck");
		why_fact(e->w->lines, LABEL_HELD_BY,
			 ARENA_JOIN(e->a, STR("finalizer "), f->name, STR(": "), str_of(explain_finalizer(f->state))),
			 STYLE_NORMAL, e->w->width);
	}
	if (!d)
		return;
	why_fact(e->w->lines, LABEL_CONTROLLER, words_controllers(e->w->graph, e->kinds, item, e->a),
		 STYLE_NORMAL, e->w->width);
	if (stuck)
		why_fact(e->w->lines, LABEL_CAREFUL, STR(WORDING_CAREFUL), STYLE_NORMAL, e->w->width);
}

void why_before(struct lines *l, const struct store *store, struct graph *g, struct handle h, int width)
{
	struct cause_fact facts[FACTS_BEFORE];
	struct arena a = { 0 };
	size_t n = facts_before(g, store, h, facts, &a);

	for (size_t i = 0; i < n; i++)
		why_fact(l, i && strcmp(facts[i].label, facts[i - 1].label) == 0 ? "" : facts[i].label, facts[i].text, STYLE_NORMAL,
			 width);
	arena_release(&a);
}

struct str why_owner(struct graph *g, const struct kinds *kinds, struct handle h, struct arena *a)
{
	struct chain_ends chain = words_chain_ends(g, h, a);
	struct id end = { .handle = HANDLE_NONE }, self;
	struct str own = words_first_line(graph_owner(g, h)), of_end = STR_NONE;
	struct summary s;

	if (chain.n)
		end = chain.waits[chain.n - 1].on;
	if (end.handle.slot)
		of_end = words_first_line(graph_owner(g, end.handle));
	if (!of_end.len || str_eq(of_end, own) || !graph_summary(g, h, &s))
		return own;
	self = s.id;
	of_end = ARENA_JOIN(a, of_end, STR(" (of "), words_id(kinds, &end, a), STR(")"));
	return own.len ? ARENA_JOIN(a, of_end, STR(", "), own, STR(" (of "), words_id(kinds, &self, a), STR(")")) : of_end;
}

static void add_shared(struct explain *e, struct handle h)
{
	struct str words[FACTS_SHARED];
	size_t n = facts_shared_by(e->w->graph, e->kinds, h, words, e->a);

	for (size_t i = 0; i < n; i++)
		why_fact(e->w->lines, i ? "" : LABEL_SHARE, words[i], STYLE_NORMAL, e->w->width);
}

static void add_next_step(struct explain *e, struct str command)
{
	bool fits = !e->w->beside || text_width(command) <= e->w->width - LABEL_COLS;

	why_fact(e->w->lines, LABEL_NEXT, fits ? command : STR("Y copies the command, ! runs it"), STYLE_KEY, e->w->width);
}

bool why_lines(const struct why *w, struct handle h)
{
	struct arena a = { 0 };
	struct explain e = { .w = w, .kinds = store_kinds(w->store), .a = &a };
	const struct root_cause *root, *obstacle;
	struct chain_ends chain;
	struct str recovery;
	struct item item;
	size_t n;

	/*
	 * Besides CAUSES other ones the roots may contain the end of the chain and the object itself; one more tells
	 * whether there are others.
	 */
	if (!graph_item_brief(w->graph, h, CAUSES + 3, &a, &item)) {
		arena_release(&a);
		return false;
	}
	chain = words_chain_ends(w->graph, h, &a);
	n = chain.n;
	root = n ? NULL : graph_root(w->graph, h);
	obstacle = item.s.phase == PHASE_READY ? root : NULL;	/* it is well itself, and stands in the way of others */
	add_name(&e, &item.s);
	for (size_t i = 0; i < n; i++) {
		if (i == CHAIN_HEAD && chain.left_out)
			why_fact(w->lines, "", arena_printf(&a, "… %zu more waits …", chain.left_out),
				 STYLE_DIM, w->width);
		add_wait(&e, &chain.waits[i], i + 1 == n);
	}
	if (n)
		add_other_causes(&e, &item, &chain);
	if (n == 0 && !obstacle && !str_eq(item.s.reason, item.s.message))	/* some operators have one text for both */
		why_fact(w->lines, LABEL_REASON, item.s.reason, STYLE_STRONG, w->width);
	if (obstacle)
		why_fact(w->lines, LABEL_MESSAGE, ARENA_JOIN(&a, STR("stands in the way: "), cause_words_whole(obstacle, &a)), STYLE_STRONG, w->width);
	else if (!is_printed(&e, item.s.message) && !(item.deletion && item.deletion->nfinalizers && str_starts(item.s.message, "held by ")))
		why_fact(w->lines, LABEL_MESSAGE, item.s.message, STYLE_NORMAL, w->width);
	why_fact(w->lines, LABEL_BLOCKS, cause_blocks(w->graph, e.kinds, root, &a), STYLE_NORMAL, w->width);
	why_fact(w->lines, LABEL_VERSION, item.status.version_from.len ? words_version(&item, &a) : STR_NONE,
		 STYLE_NORMAL, w->width);
	why_fact(w->lines, LABEL_OWNER, why_owner(w->graph, e.kinds, h, &a), STYLE_NORMAL, w->width);
	why_fact(w->lines, LABEL_RUNBOOK, words_first_line(graph_runbook(w->graph, h)), STYLE_NORMAL, w->width);
	why_before(w->lines, w->store, w->graph, h, w->width);
	add_shared(&e, h);
	add_unseen(&e, &item);
	add_deletion(&e, &item);
	if (obstacle)
		recovery_of_root(w->graph, obstacle, w->now, &a, &recovery);
	else
		recovery_of(w->graph, &item, w->now, &a, &recovery);
	why_fact(w->lines, LABEL_RECOVERY, recovery, STYLE_NORMAL, w->width);
	if (item.s.phase != PHASE_READY || item.s.severity != SEVERITY_NONE || obstacle)
		add_next_step(&e, command_at_end(w->graph, &item.s, &chain, READER_HERE, &a));
	why_fact(w->lines, LABEL_RULE, words_rule(&item, &a), STYLE_DIM, w->width);
	why_fact(w->lines, LABEL_AGREES, words_facts(&item, BECAUSE_AGREES, &a), STYLE_DIM, w->width);
	why_fact(w->lines, LABEL_OVERRULED, words_facts(&item, BECAUSE_OVERRULED, &a), STYLE_DIM, w->width);
	arena_release(&a);
	return true;
}

/* Explains each root cause; of a root cause that does not exist, why an object waits for it. */
static void why_of_all(struct why *w, const struct scene *scene)
{
	enum { TOLD = 100 };
	struct arena a = { 0 };
	size_t n;
	const struct cause_group *causes = cause_groups_selected(scene, &a, &n);

	for (size_t i = 0; i < n && i < TOLD; i++) {
		if (w->lines->n)
			lines_blank(w->lines);
		w->alike = causes[i].n;
		scene_look(scene, cause_changed(w->graph, w->store, &causes[i].what));
		why_lines(w, cause_example(w->graph, &causes[i]));
	}
	if (n > TOLD)
		lines_note(w->lines, ARENA_JOIN(&a, STR(" and "), words_count(n - TOLD, &a), STR(" more root causes: p shows all of them")));
	arena_release(&a);
}

/* Builds the view: of the subject, or of all root causes. */
static void why_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct why w = { scene->graph, scene->store, scene->now, lines, ui->cols - 1, scene->absolute_time, false, 0 };

	ui->ncolumns = 0;
	scene_look(scene, ui_place(ui)->subject);
	if (!ui_place(ui)->subject.slot)
		why_of_all(&w, scene);
	else if (!why_lines(&w, ui_place(ui)->subject))
		lines_note(lines, absent_words(scene, ui_place(ui)->subject));
}

const struct view view_why = {
	.title = "why", .of_all = " of all root causes", .resumes = "why", .build = why_build, .ticks = true, .tells_well = true,
	.opens_by = ACTION_WHY, .of_subject = true,
};

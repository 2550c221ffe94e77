/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/facts.h"

#include "tui/words/explain.h"
#include "tui/words/words.h"

/* ---- what changed before ----------------------------------------------------------- */

/* Returns a change as "10s after node/rack-7 Ready → Failed". */
static struct str began_words(struct graph *g, const struct store *store, const struct change_before *c, int64_t began,
			      struct arena *a)
{
	struct str age = words_age(c->time < began ? c->time : began, began, a);
	struct str name = words_id(store_kinds(store), &c->id, a), version = STR_NONE;
	struct summary s;

	if (c->what == CHANGED_PHASE)
		return arena_printf(a, STR_FMT " after " STR_FMT " %s → %s", STR_ARG(age), STR_ARG(name),
				    phase_name(c->from), phase_name(c->to));
	if (c->what == CHANGED_SPEC && store_meta(store, c->id.handle).generation < 0)
		return arena_printf(a, STR_FMT " after " STR_FMT " was changed", STR_ARG(age), STR_ARG(name));
	if (c->what == CHANGED_SPEC && graph_summary(g, c->id.handle, &s))
		version = store_brief(store, c->id.handle).version_to;
	return arena_printf(a, STR_FMT " after " STR_FMT " %s%s" STR_FMT, STR_ARG(age), STR_ARG(name),
			    c->what == CHANGED_SPEC ? "spec changed" : c->what == CHANGED_CREATED ? "was created" : "was deleted",
			    version.len ? ", now " : "", STR_ARG(version));
}

static bool is_trouble(const struct summary *s)
{
	return s->phase != PHASE_READY && s->severity >= SEVERITY_WARNING;
}

static size_t changes_before(struct graph *g, const struct store *store, const struct summary *s, struct str *out, struct arena *a)
{
	size_t n;
	const struct change_before *c = graph_changes_before(g, s->id.handle, s->since, a, &n);

	n = n < FACTS_BEGAN ? n : FACTS_BEGAN;
	for (size_t i = 0; i < n; i++)
		out[i] = began_words(g, store, &c[i], s->since, a);
	return n;
}

size_t facts_began(struct graph *g, const struct store *store, struct handle h, struct str *out, struct arena *a)
{
	struct summary s, root;
	struct chain_ends chain;
	bool waits, trouble;
	size_t n = 0;

	if (!graph_summary(g, h, &s))
		return 0;
	chain = words_chain_ends(g, h, a);
	waits = chain.n && s.phase == PHASE_WAITING && graph_summary(g, chain.waits[chain.n - 1].on.handle, &root);
	trouble = is_trouble(&s) || (chain.n && chain.waits[chain.n - 1].state == WAIT_MISSING);
	if (!trouble && !(waits && is_trouble(&root)))
		return 0;
	if (waits)
		n = changes_before(g, store, &root, out, a);
	return n ? n : changes_before(g, store, &s, out, a);
}

/* ---- what broken objects share ------------------------------------------------------ */

/* Returns what the objects have, after "all 6": " on node rack-7". */
static struct str shared_thing(const struct kinds *kinds, const struct shared *s, struct arena *a)
{
	struct str name = s->on.name.len ? words_id(kinds, &s->on, a) : s->text;

	switch (s->what) {
	case SHARED_NODE:
		return ARENA_JOIN(a, STR("on node "), s->on.name);
	case SHARED_ZONE:
		return ARENA_JOIN(a, STR("in "), str_of(str_contains(s->text, "/zone=") ? "zone " : "region "),
				  str_from(s->text, str_find(s->text, '=') + 1));
	case SHARED_IMAGE:
		return ARENA_JOIN(a, STR("run image "), name);
	case SHARED_CLASS:
	case SHARED_ACCOUNT:
		return ARENA_JOIN(a, STR("use "), name);
	case SHARED_REFERENCE:
		return ARENA_JOIN(a, STR("refer to "), name);
	case SHARED_OWNER:
		return ARENA_JOIN(a, STR("belong to "), name);
	case SHARED_LABEL:
		break;
	}
	return ARENA_JOIN(a, STR("have label "), name);
}

static struct str shared_words(const struct kinds *kinds, const struct shared *s, struct arena *a)
{
	struct str who = s->broken == s->of ? arena_printf(a, "all %zu", s->of) : arena_printf(a, "%zu of %zu", s->broken, s->of);
	struct str healthy = s->healthy ? arena_printf(a, "%zu of %zu healthy", s->healthy, s->of_healthy) :
					  arena_printf(a, "none of %zu healthy", s->of_healthy);

	return ARENA_JOIN(a, who, str_of(s->reason.len ? " with reason " : ""), s->reason, STR(" "), shared_thing(kinds, s, a), STR(", "),
			  healthy);
}

size_t facts_shared(struct graph *g, const struct kinds *kinds, const uint32_t *slots, size_t n, struct str *out, struct arena *a)
{
	size_t listed, told = 0;
	const struct shared *s = graph_shared(g, slots, n, a, &listed);

	for (size_t i = 0; i < listed && told < FACTS_SHARED; i++)
		if (!s[i].same)
			out[told++] = shared_words(kinds, &s[i], a);
	return told;
}

size_t facts_shared_by(struct graph *g, const struct kinds *kinds, struct handle h, struct str *out, struct arena *a)
{
	struct chain_ends chain = words_chain_ends(g, h, a);
	struct handle end = chain.n ? chain.waits[chain.n - 1].on.handle : HANDLE_NONE;
	const struct root_cause *root = graph_root(g, end.slot ? end : h);

	return root ? facts_shared(g, kinds, &root->slot, 1, out, a) : 0;
}

/* ---- root causes -------------------------------------------------------------------- */

/* What the facts of a root cause are made from. */
struct cause_source {
	struct graph *graph;
	const struct store *store;
	const struct kinds *kinds;
	const struct cause_group *cause;
	struct arena *a;
};

/* The largest number of texts of one fact. */
enum { TEXTS = 3 };
_Static_assert((int)FACTS_BEGAN <= TEXTS && (int)FACTS_SHARED <= TEXTS, "texts of a fact have room");

static size_t fact_message(const struct cause_source *from, struct str *out)
{
	out[0] = from->cause->what.message;
	return 1;
}

static size_t fact_blocked(const struct cause_source *from, struct str *out)
{
	size_t n = from->cause->what.nblocked;

	if (n)
		out[0] = ARENA_JOIN(from->a, words_count(n, from->a), STR(": "), cause_blocked_kinds(from->graph, from->kinds, from->cause, from->a));
	return n > 0;
}

/* Tells what prevents the deletion, because the operator's message only names a finalizer. */
static size_t fact_holder(const struct cause_source *from, struct str *out)
{
	const struct root_cause *cause = &from->cause->what;
	struct item_wait w = { .state = WAIT_NONE };

	if (cause->cause == WAIT_FINALIZER && cause->id.handle.slot)
		w = graph_first_wait(from->graph, cause->id.handle);
	if (w.state != WAIT_NONE)
		out[0] = words_because(from->graph, from->kinds, &w, from->a);
	return w.state != WAIT_NONE;
}

/*
 * Tells what changed before the trouble began.  For a root cause that does not exist, it is what changed before the
 * nearest of the objects that wait for it began to wait.
 */
static size_t fact_began(const struct cause_source *from, struct str *out)
{
	struct handle h = from->cause->what.id.handle;
	const uint32_t *blocked;
	size_t n;

	if (!h.slot) {
		blocked = graph_blocked(from->graph, &from->cause->what.slot, 1, &n);
		h = n ? store_node_handle(from->store, blocked[0]) : h;
	}
	return facts_began(from->graph, from->store, h, out, from->a);
}

static size_t fact_shared(const struct cause_source *from, struct str *out)
{
	return facts_shared(from->graph, from->kinds, from->cause->slots, from->cause->n, out, from->a);
}

static size_t fact_next(const struct cause_source *from, struct str *out)
{
	out[0] = cause_command(from->graph, &from->cause->what, READER_HERE, from->a);
	return 1;
}

/*
 * The facts in the order in which they are told.  The first line of a printed paragraph already has the message, and
 * the row in Problems already has the number of objects that it blocks.
 */
static const struct {
	const char *label;
	unsigned places;
	/* makes at most TEXTS texts and returns their number */
	size_t (*make)(const struct cause_source *from, struct str *out);
} rows[] = {
	{ "", FACT_IN_PROBLEMS, fact_message },
	{ LABEL_BLOCKS " ", FACT_IN_PRINT, fact_blocked },
	{ LABEL_HELD_BY ": ", FACT_IN_PROBLEMS | FACT_IN_PRINT, fact_holder },
	{ LABEL_BEGAN " ", FACT_IN_PROBLEMS, fact_began },
	{ LABEL_SHARE " ", FACT_IN_PROBLEMS | FACT_IN_PRINT, fact_shared },
	{ LABEL_NEXT ": ", FACT_IN_PROBLEMS | FACT_IN_PRINT, fact_next },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct fact *cause_facts(struct graph *g, const struct store *store, const struct cause_group *c, enum fact_place place,
			       struct arena *a, size_t *out_n)
{
	const struct cause_source from = { g, store, store_kinds(store), c, a };
	struct fact *facts = arena_array(a, ROWS * TEXTS, sizeof(*facts));

	*out_n = 0;
	for (size_t i = 0; i < ROWS; i++) {
		struct str texts[TEXTS];
		size_t n = rows[i].places & place ? rows[i].make(&from, texts) : 0;

		for (size_t k = 0; k < n; k++)
			if (texts[k].len)
				facts[(*out_n)++] = (struct fact){ rows[i].label, texts[k] };
	}
	return facts;
}

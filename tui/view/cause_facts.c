/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/cause_facts.h"

#include "kube/base/time.h"
#include "tui/words/explain.h"
#include "tui/words/words.h"

#include <string.h>

/* ---- what changed before ----------------------------------------------------------- */

enum {
	FIELDS = 2,		/* fields of one change that are told */
	UNSEEN_FIELDS = 3,	/* of more fields whose values are not known, nobody can tell which ones have changed */
	VALUE = 60		/* columns of a value */
};

/* Returns a value; a text of several words is in quotes, so that it is seen where it begins and ends. */
static struct str value_words(struct str value, struct arena *a)
{
	struct str shown = text_middle(words_first_line(value), VALUE, a);
	bool plain = str_find(shown, ' ') == shown.len || str_find(STR("{[\""), shown.ptr[0]) < 3;

	return plain ? shown : ARENA_JOIN(a, STR("\""), shown, STR("\""));
}

static bool is_image(struct str path)
{
	return str_ends(path, "ontainers[0].image") || (str_contains(path, "ontainers[") && str_ends(path, "].image"));
}

struct str facts_field_name(struct str path, struct arena *a)
{
	static const char conditions[] = "status.conditions[type=";
	struct str rest = str_from(path, strlen(conditions));
	size_t end = str_find(rest, ']');

	if (is_image(path))
		return STR("image");
	if (str_is(path, "spec.replicas"))
		return STR("replicas");
	if (!str_starts(path, conditions) || end + 1 >= rest.len)
		return path;
	return ARENA_JOIN(a, str_head(rest, end), STR(" "), str_from(rest, end + 2));
}

/* Returns a field as "image search:8.0.3 → search:8.1.0". */
static struct str field_words(const struct changed_field *f, struct arena *a)
{
	struct str path = facts_field_name(f->path, a);

	if (f->unseen)
		return path;
	if (f->added)
		return ARENA_JOIN(a, path, STR(" set to "), value_words(f->after, a));
	if (f->removed)
		return ARENA_JOIN(a, path, STR(" removed, was "), value_words(f->before, a));
	return ARENA_JOIN(a, path, STR(" "), value_words(f->before, a), STR(" → "), value_words(f->after, a));
}

static struct str fields_words(const struct change_before *c, struct arena *a)
{
	struct str out = STR_NONE;
	size_t told = 0, all = c->nfields + c->more;

	if (all > UNSEEN_FIELDS && c->fields[0].unseen)
		return arena_printf(a, "some of %zu fields", all);
	for (int images = 1; images >= 0; images--)	/* an image says most */
		for (size_t i = 0; i < c->nfields && told < FIELDS; i++)
			if (is_image(c->fields[i].path) == images) {
				out = ARENA_JOIN(a, out, str_of(told ? ", " : ""), field_words(&c->fields[i], a));
				told++;
			}
	return all > told ? arena_printf(a, STR_FMT " and %zu more field%s", STR_ARG(out), all - told, words_plural(all - told)) : out;
}

static struct str what_words(const struct store *store, const struct change_before *c, struct arena *a)
{
	switch (c->what) {
	case CHANGED_PHASE:
		return arena_printf(a, "%s → %s", phase_name(c->from), phase_name(c->to));
	case CHANGED_CREATED:
		return STR("was created");
	case CHANGED_DELETED:
		return STR("was deleted");
	case CHANGED_SPEC:
		break;
	}
	if (c->nfields)
		return fields_words(c, a);
	return c->id.handle.slot && store_meta(store, c->id.handle).generation >= 0 && !str_is(c->id.kind, "Secret") ?
		       STR("its spec was changed, in which fields is not known") : STR("was changed");
}

struct str facts_by(const struct editor *by, struct arena *a)
{
	const char *tool = manager_tool(by->manager);
	struct str remarks[] = { by->person, STR_NONE, by->source }, said = STR_NONE;

	if (!by->manager.len || str_is(by->manager, "unknown")) /* as kube-apiserver calls a client that does not name itself */
		return STR_NONE;
	if (tool && !str_contains_nocase(by->manager, arena_str(a, str_head(str_of(tool), 4)).ptr))
		remarks[1] = str_of(tool);
	for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++)
		if (remarks[i].len)
			said = ARENA_JOIN(a, said, str_of(said.len ? ", " : ""), words_first_line(remarks[i]));
	return ARENA_JOIN(a, STR("by "), words_first_line(by->manager), str_of(said.len ? " (" : ""), said,
			  str_of(said.len ? ")" : ""));
}

/* Returns "12s", or "just", or with the time of day "08:54:12, 12s": for who reads it later. */
static struct str before_words(int64_t time, int64_t began, bool clock, struct arena *a)
{
	struct str age = began - time < SECONDS(1) ? STR("just") : words_age(time, began, a);

	return clock ? ARENA_JOIN(a, words_clock(time, a), STR(", "), age) : age;
}

/* Returns a change as "12s before  deployment/search  image search:8.0.3 → search:8.1.0  by argocd-controller". */
static struct cause_fact change_fact(const struct store *store, const struct change_before *c, int64_t began, bool clock, struct arena *a)
{
	struct str age = before_words(c->time, began, clock, a), by = facts_by(&c->by, a);

	return (struct cause_fact){
		c->what == CHANGED_PHASE ? LABEL_BEGAN : LABEL_CHANGED,
		ARENA_JOIN(a, age, str_of(c->what == CHANGED_PHASE ? " after " : " before  "),
			   words_id(store_kinds(store), &c->id, a), str_of(c->what == CHANGED_PHASE ? " " : "  "),
			   what_words(store, c, a), str_of(by.len ? "  " : ""), by),
	};
}

static bool is_trouble(const struct summary *s)
{
	return s->phase != PHASE_READY && s->severity >= SEVERITY_WARNING;
}

/* What is well and stands in another's way does so since that one has waited: a workload that was scaled to 0. */
static bool stands_in_the_way(struct graph *g, struct handle h, struct summary *out)
{
	const struct root_cause *cause = out->phase == PHASE_READY ? graph_root(g, h) : NULL;

	if (cause)
		out->since = cause->since;
	return cause != NULL;
}

/*
 * Returns true when the object is in trouble, or waits for what is: then *out_root is that, and else there is none, with
 * since 0.
 */
static bool in_trouble(struct graph *g, struct handle h, struct arena *a, struct summary *out, struct summary *out_root)
{
	struct summary root = { .since = 0 };
	struct chain_ends chain;
	bool trouble;

	*out_root = (struct summary){ .since = 0 };
	if (!graph_summary(g, h, out))
		return false;
	if (stands_in_the_way(g, h, out))
		return true;
	chain = words_chain_ends(g, h, a);
	if (chain.n && graph_summary(g, chain.waits[chain.n - 1].on.handle, &root) && (out->phase == PHASE_WAITING || root.since < out->since))
		*out_root = root;
	trouble = is_trouble(out) || (chain.n && chain.waits[chain.n - 1].state == WAIT_MISSING);
	return trouble || is_trouble(&root);
}

bool has_changes_before(struct graph *g, struct handle h)
{
	struct arena a = { 0 };
	struct summary s, root;
	bool trouble = in_trouble(g, h, &a, &s, &root);

	arena_release(&a);
	return trouble && (s.since || root.since);
}

const struct change_before *changes_before_trouble(struct graph *g, struct handle h, struct arena *a, int64_t *out_began,
						   size_t *out_n)
{
	const struct change_before *found = NULL;
	struct summary s, root;

	*out_n = 0;
	if (!in_trouble(g, h, a, &s, &root))
		return NULL;
	*out_began = root.since;
	if (root.since)
		found = graph_changes_before(g, root.id.handle, root.since, a, out_n);
	if (*out_n)
		return found;
	*out_began = s.since;
	return graph_changes_before(g, h, s.since, a, out_n);
}

static size_t facts_before_in(struct graph *g, const struct store *store, struct handle h, bool clock, struct cause_fact *out, struct arena *a)
{
	size_t n, told = 0;
	int64_t began;
	const struct change_before *c = changes_before_trouble(g, h, a, &began, &n);

	n = n < FACTS_BEFORE ? n : FACTS_BEFORE;
	for (int phases = 0; phases < 2; phases++)
		for (size_t i = 0; i < n; i++)
			if ((c[i].what == CHANGED_PHASE) == phases)
				out[told++] = change_fact(store, &c[i], began, clock, a);
	return told;
}

size_t facts_before(struct graph *g, const struct store *store, struct handle h, struct cause_fact *out, struct arena *a)
{
	return facts_before_in(g, store, h, false, out, a);
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
	enum cause_fact_place place;
	struct arena *a;
};

/* The largest number of texts of one fact. */
enum { TEXTS = 3 };
_Static_assert((int)FACTS_BEFORE <= TEXTS && (int)FACTS_SHARED <= TEXTS, "texts of a fact have room");

static size_t fact_message(const struct cause_source *from, struct cause_fact *out)
{
	out[0].text = from->cause->what.message;
	return 1;
}

static size_t fact_blocked(const struct cause_source *from, struct cause_fact *out)
{
	size_t n = from->cause->what.nblocked;

	if (n)
		out[0].text = ARENA_JOIN(from->a, words_count(n, from->a), STR(": "), cause_blocked_kinds(from->graph, from->kinds, from->cause, from->a));
	return n > 0;
}

static size_t fact_owner(const struct cause_source *from, struct cause_fact *out)
{
	out[0].text = cause_owner(from->graph, from->cause);
	return 1;
}

static size_t fact_runbook(const struct cause_source *from, struct cause_fact *out)
{
	out[0].text = words_first_line(graph_runbook_of_root(from->graph, &from->cause->what));
	return 1;
}

/* Tells what prevents the deletion, because the operator's message only names a finalizer. */
static size_t fact_holder(const struct cause_source *from, struct cause_fact *out)
{
	const struct root_cause *cause = &from->cause->what;
	struct item_wait w = { .state = WAIT_NONE };

	if (cause->cause == WAIT_FINALIZER && cause->id.handle.slot)
		w = graph_first_wait(from->graph, cause->id.handle);
	if (words_kept(&w))	/* the row says it */
		return 0;
	if (w.state != WAIT_NONE)
		out[0].text = words_because(from->graph, from->kinds, &w, from->a);
	return w.state != WAIT_NONE;
}

struct handle cause_changed(struct graph *g, const struct store *store, const struct root_cause *cause)
{
	const uint32_t *blocked;
	size_t n;

	if (cause->id.handle.slot)
		return cause->id.handle;
	blocked = graph_blocked(g, &cause->slot, 1, &n);
	return n ? store_node_handle(store, blocked[0]) : HANDLE_NONE;
}

static size_t fact_shared(const struct cause_source *from, struct cause_fact *out)
{
	struct str words[FACTS_SHARED];
	size_t n = facts_shared(from->graph, from->kinds, from->cause->slots, from->cause->n, words, from->a);

	for (size_t i = 0; i < n; i++)
		out[i].text = words[i];
	return n;
}

/* Tells what changed before the trouble began. */
static size_t fact_before(const struct cause_source *from, struct cause_fact *out)
{
	struct handle h = cause_changed(from->graph, from->store, &from->cause->what);

	if (from->cause->share.len)	/* what changed before the first of them need not concern the others */
		return 0;
	return facts_before_in(from->graph, from->store, h, from->place == FACT_IN_REPORT, out, from->a);
}

static size_t fact_next(const struct cause_source *from, struct cause_fact *out)
{
	out[0].text = cause_command(from->graph, &from->cause->what, READER_HERE, from->a);
	return 1;
}

enum { FACT_EVERYWHERE = FACT_IN_PROBLEMS | FACT_IN_PRINT | FACT_IN_REPORT };

/*
 * The facts in the order in which they are told.  The first line of a printed paragraph already has the message, the
 * row in Problems already has the number of objects that it blocks; the report has what was blocked over time, and the command
 * for others.
 */
static const struct {
	const char *label;
	unsigned places;
	/* makes at most TEXTS texts and returns their number */
	size_t (*make)(const struct cause_source *from, struct cause_fact *out);
} rows[] = {
	{ "", FACT_IN_PROBLEMS, fact_message },
	{ LABEL_BLOCKS " ", FACT_IN_PRINT, fact_blocked },
	{ LABEL_OWNER " ", FACT_IN_PROBLEMS | FACT_IN_PRINT, fact_owner },
	{ LABEL_RUNBOOK ": ", FACT_EVERYWHERE, fact_runbook },
	{ LABEL_HELD_BY ": ", FACT_EVERYWHERE, fact_holder },
	{ NULL, FACT_EVERYWHERE, fact_before },	/* each has a label of its own */
	{ LABEL_SHARE " ", FACT_EVERYWHERE, fact_shared },
	{ LABEL_NEXT ": ", FACT_IN_PROBLEMS | FACT_IN_PRINT, fact_next },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct cause_fact *cause_facts(struct graph *g, const struct store *store, const struct cause_group *c, enum cause_fact_place place,
			       struct arena *a, size_t *out_n)
{
	const struct cause_source from = { g, store, store_kinds(store), c, place, a };
	struct cause_fact *facts = arena_array(a, ROWS * TEXTS, sizeof(*facts));

	*out_n = 0;
	for (size_t i = 0; i < ROWS; i++) {
		struct cause_fact made[TEXTS];
		size_t n = rows[i].places & place ? rows[i].make(&from, made) : 0;

		for (size_t k = 0; k < n; k++)
			if (made[k].text.len)
				facts[(*out_n)++] = (struct cause_fact){
					rows[i].label ? rows[i].label : ARENA_JOIN(a, str_of(made[k].label), STR(" ")).ptr, made[k].text };
	}
	return facts;
}

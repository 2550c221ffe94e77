/* SPDX-License-Identifier: Apache-2.0 */
/* Runs --for: blocks until every selected object has one of the phases or the condition, is deleted, or exists. */
#include "plugin/clock.h"
#include "plugin/program.h"
#include "plugin/signals.h"
#include "plugin/unread.h"
#include "tui/words/words.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"

/* How many of the selected objects have reached the goal, and how many never will. */
struct goal_counts {
	size_t total, reached, unreachable;
	struct summary first;	/* an object that will never reach the goal, else the first that has not yet */
	bool unwell;		/* an object that has not reached the goal is Failed or Degraded */
};

/* With --for=delete: the objects that existed at first. */
struct deletion_targets {
	struct handle *all;
	size_t n;
	bool known;
};

static bool has_phase(const struct options *o, enum phase phase)
{
	struct str rest = str_of(o->wait_for), word;
	enum phase wanted;

	while (str_split(&rest, ',', &word))
		if (phase_parse(str_trim(word), &wanted) && wanted == phase)
			return true;
	return false;
}

/*
 * Returns the object's condition of the type that --for names, in the arena; NULL: it has none.  As in kubectl wait
 * case is ignored.
 */
static const struct condition *wanted_condition(struct program *p, struct handle h, struct arena *arena)
{
	struct item item;

	if (graph_item(p->world.graph, h, arena, &item))
		for (size_t i = 0; i < item.status.nconditions; i++)
			if (str_eq_nocase(item.status.conditions[i].type, p->options.condition))
				return &item.status.conditions[i];
	return NULL;
}

/* Returns true when the object has the condition.  A condition of an older generation does not count. */
static bool has_condition(struct program *p, struct handle h)
{
	struct arena arena = { 0 };
	const struct condition *c = wanted_condition(p, h, &arena);
	bool has = c && str_eq_nocase(c->status, p->options.condition_status) &&
		   (c->generation < 0 || c->generation >= store_meta(p->world.store, h).generation);

	arena_release(&arena);
	return has;
}

static bool is_reached(struct program *p, const struct summary *s)
{
	switch (p->options.goal) {
	case GOAL_PHASE:
		return has_phase(&p->options, s->phase);
	case GOAL_CONDITION:
		return has_condition(p, s->id.handle);
	case GOAL_CREATE:
		return true;
	case GOAL_DELETE:
	case GOAL_NONE:
		break;
	}
	return false;
}

/* Counts an object that has not reached the goal. */
static void note_late(struct goal_counts *st, const struct summary *s, bool unreachable)
{
	if (st->first.id.name.len == 0 || (unreachable && !st->unreachable))
		st->first = *s;
	st->unreachable += unreachable;
	st->unwell |= (s->phase == PHASE_FAILED || s->phase == PHASE_DEGRADED) && !phase_is_leftover(s->phase, s->severity);
}

static struct goal_counts look(struct program *p)
{
	struct goal_counts st = { 0 };

	for (struct handle h = store_next(p->world.store, 0); h.slot;
	     h = store_next(p->world.store, h.slot + 1)) {
		struct summary s;

		if (!query_selects(&p->query, &p->world, h) || !graph_summary(p->world.graph, h, &s))
			continue;
		st.total++;
		if (is_reached(p, &s))
			st.reached++;
		else
			note_late(&st, &s, s.phase == PHASE_FAILED && s.severity == SEVERITY_ERROR);
	}
	return st;
}

/*
 * Counts the deleted ones of the objects that existed at first.  An object that is created later with the same name is
 * another one.
 */
static struct goal_counts look_deleted(struct program *p, struct deletion_targets *d)
{
	struct goal_counts st = { 0 };

	if (!d->known) {
		d->all = xreallocarray(NULL, store_count(p->world.store) + 1, sizeof(*d->all));
		for (struct handle h = store_next(p->world.store, 0); h.slot;
		     h = store_next(p->world.store, h.slot + 1))
			if (query_selects(&p->query, &p->world, h))
				d->all[d->n++] = h;
		d->known = true;
	}
	for (size_t i = 0; i < d->n; i++) {
		struct summary s;

		st.total++;
		if (graph_summary(p->world.graph, d->all[i], &s))
			note_late(&st, &s, false);
		else
			st.reached++;
	}
	return st;
}

static struct str name_of(const struct program *p, const struct summary *s, struct arena *arena)
{
	struct str name = words_id(&p->world.kinds, &s->id, arena);

	return s->id.ns.len ? arena_printf(arena, STR_FMT " in namespace " STR_FMT, STR_ARG(name), STR_ARG(s->id.ns))
			    : name;
}

/* Returns what an error says of an object: "is Waiting", "has condition Ready=False". */
static struct str state_of(struct program *p, const struct summary *s, struct arena *arena)
{
	const struct condition *c;

	if (p->options.goal != GOAL_CONDITION)
		return arena_printf(arena, "is %s", phase_name(s->phase));
	c = wanted_condition(p, s->id.handle, arena);
	if (!c)
		return arena_printf(arena, "has no condition " STR_FMT, STR_ARG(p->options.condition));
	return arena_printf(arena, "has condition " STR_FMT "=" STR_FMT, STR_ARG(c->type), STR_ARG(c->status));
}

static void say_progress(struct program *p, const struct goal_counts *st, size_t *last_reached)
{
	struct arena arena = { 0 };
	const struct summary *s = &st->first;

	if (st->reached == *last_reached)
		return;
	*last_reached = st->reached;
	if (st->reached < st->total)
		say_redacted(ARENA_JOIN(&arena, arena_printf(&arena, "%zu", st->reached), STR(" of "),
					arena_printf(&arena, "%zu", st->total), STR("; "), name_of(p, s, &arena), STR(" "),
					state_of(p, s, &arena)));
	arena_release(&arena);
}

static void say_end(struct program *p, const struct goal_counts *st, const char *why)
{
	struct arena arena = { 0 };
	const struct summary *s = &st->first;

	say_redacted(ARENA_JOIN(&arena, STR("error: "), str_of(why), STR(": "), name_of(p, s, &arena), STR(" "),
			    state_of(p, s, &arena), str_of(s->message.len ? ": " : ""), s->message));
	arena_release(&arena);
}

static bool is_created(struct program *p, const struct goal_counts *st)
{
	struct buf names = { 0 };
	bool missing = program_missing(p, &names) > 0;

	buf_release(&names);
	return st->total && !missing;
}

static void say_not_created(struct program *p, const char *why)
{
	struct arena arena = { 0 };
	struct buf names = { 0 };
	size_t n = program_missing(p, &names);

	say_redacted(arena_printf(&arena, "error: %s: %s %s not created", why, n ? buf_cstr(&names) : "what is selected",
				  n > 1 ? "were" : "was"));
	buf_release(&names);
	arena_release(&arena);
}

/* Returns the exit status of a goal that is reached by all that could be read. */
static int reached(struct program *p)
{
	unread_note(p);
	return unread_say_some(p);
}

/* Returns the exit status when waiting has ended, -1 while it goes on. */
static int verdict(struct program *p, const struct goal_counts *st, bool settled)
{
	if (st->unreachable && p->options.goal != GOAL_DELETE) {
		say_end(p, st, "will not be reached");
		return 4;
	}
	if (!settled)
		return -1;
	if (unread_say(p))
		return 1;
	if (p->options.goal == GOAL_DELETE)
		return st->reached == st->total ? reached(p) : -1;
	if (p->options.goal == GOAL_CREATE)
		return is_created(p, st) ? 0 : -1;
	if (p->options.ignore_not_found && st->total == 0)
		return reached(p);
	if (!p->options.ignore_not_found && program_say_missing(p))
		return 1;
	if (st->total == 0) {
		say_line(STR("error: no matching resources found"));
		return 1;
	}
	return st->reached == st->total ? reached(p) : -1;
}

static void say_unanswered(struct program *p)
{
	struct arena arena = { 0 };
	struct header known = { .ns = STR_NONE };

	p->source->header(p, &known, &arena);
	say_line(ARENA_JOIN(&arena, STR("error: timed out waiting: "), known.why.len ? known.why : STR("the server has not answered yet")));
	arena_release(&arena);
}

/*
 * Prints what was not reached and returns the exit status.  In files and recordings nothing will change any more, so an
 * unhealthy object gives the status for failed ones.
 */
static int say_timeout(struct program *p, const struct goal_counts *st)
{
	const char *why = p->source->not_reached;
	bool by_health = p->options.goal == GOAL_PHASE || p->options.goal == GOAL_CONDITION;

	if (st && p->options.goal == GOAL_CREATE)
		say_not_created(p, why);
	else if (st && st->reached < st->total)
		say_end(p, st, why);
	else
		say_unanswered(p);
	return !p->source->asks && by_health && st && st->unwell ? 4 : 3;
}

/*
 * Returns when --timeout ends the waiting, ms; 0: never.  A timeout of 0 is no limit: it looks once, as kubectl wait
 * does.
 */
static int64_t wait_limit(const struct program *p)
{
	return p->options.timeout_ms ? p->started + p->options.timeout_ms : 0;
}

/* Returns the time until the limit, ms, not below 0; -1: there is no limit. */
static int64_t time_left(int64_t limit)
{
	int64_t now = clock_now();

	return !limit ? -1 : limit > now ? limit - now : 0;
}

static bool looks_once(const struct program *p)
{
	return !p->source->asks || (p->options.timeout && p->options.timeout_ms == 0);
}

bool wait_for_answer(void *ctx, struct live *l)
{
	struct program *p = ctx;
	int64_t limit = wait_limit(p);
	int fd = signals_fd();

	if (program_interrupted(p) || (limit && clock_now() >= limit))
		return false;
	live_wait(l, &fd, 1, limit ? time_left(limit) : SECONDS(1));
	return true;
}

int wait_unanswered(struct program *p)
{
	return p->signal ? 0 : say_timeout(p, NULL);
}

static int wait_for_goal(struct program *p, struct deletion_targets *targets, struct err *err)
{
	int64_t limit = wait_limit(p);
	size_t last_reached = SIZE_MAX;
	int fd = signals_fd();
	bool noticed = false;

	while (!program_interrupted(p)) {
		bool settled = p->source->facts(p).settled;
		struct goal_counts st = settled && p->options.goal == GOAL_DELETE ? look_deleted(p, targets) : look(p);
		int status = verdict(p, &st, settled && !p->source->facts(p).retries && !p->source->facts(p).lost.len);

		if (settled && !noticed)
			program_say_notices(p);
		noticed |= settled;
		if (status >= 0)
			return status;
		if (settled)
			say_progress(p, &st, &last_reached);
		if ((settled && looks_once(p)) || (limit && clock_now() >= limit))
			return say_timeout(p, &st);
		p->source->turn(p, &fd, 1, time_left(limit));
		world_forget(&p->world);
		if (p->source->failed(p, err))
			return -1;
	}
	return 0;
}

int run_wait(struct program *p, struct err *err)
{
	struct deletion_targets targets = { 0 };
	int status = wait_for_goal(p, &targets, err);

	xfree(targets.all);
	return status;
}

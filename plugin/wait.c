/* SPDX-License-Identifier: Apache-2.0 */
/* --for: blocks until every selected object has one of the phases. */
#include "plugin/clock.h"
#include "plugin/program.h"
#include "plugin/signals.h"
#include "tui/view/words.h"

#include "kube/base/time.h"

/* How it stands with everything that was selected. */
struct standing {
	size_t total, reached, hopeless;
	struct summary first;	/* that has not reached it yet; or the hopeless one */
};

static bool is_wanted(const struct options *o, enum phase phase)
{
	struct str rest = str_of(o->wait_for), word;
	enum phase wanted;

	while (str_split(&rest, ',', &word))
		if (phase_parse(word, &wanted) && wanted == phase)
			return true;
	return false;
}

static struct standing look(struct program *p)
{
	struct standing st = { 0 };
	bool have_first = false;

	for (struct handle h = store_next(p->world.store, 0); h.slot;
	     h = store_next(p->world.store, h.slot + 1)) {
		struct summary s;
		bool hopeless;

		if (!query_selects(&p->query, &p->world, h) || !graph_summary(p->world.graph, h, &s))
			continue;
		st.total++;
		if (is_wanted(&p->options, s.phase)) {
			st.reached++;
			continue;
		}
		hopeless = s.phase == PHASE_FAILED && s.severity == SEVERITY_ERROR;
		if (!have_first || (hopeless && st.hopeless == 0))
			st.first = s;
		have_first = true;
		st.hopeless += hopeless;
	}
	return st;
}

static struct str name_of(const struct program *p, const struct summary *s, struct arena *arena)
{
	struct str name = words_id(&p->world.kinds, &s->id, arena);

	return s->id.ns.len ? arena_printf(arena, STR_FMT " in namespace " STR_FMT, STR_ARG(name), STR_ARG(s->id.ns))
			    : name;
}

static void say_progress(const struct program *p, const struct standing *st, size_t *last_reached)
{
	struct arena arena = { 0 };
	const struct summary *s = &st->first;

	if (st->reached == *last_reached)
		return;
	*last_reached = st->reached;
	if (st->reached < st->total)
		say_line(arena_printf(&arena, "%zu of %zu; " STR_FMT " is %s", st->reached, st->total,
				      STR_ARG(name_of(p, s, &arena)), phase_name(s->phase)));
	arena_release(&arena);
}

static void say_end(const struct program *p, const struct standing *st, const char *why)
{
	struct arena arena = { 0 };
	const struct summary *s = &st->first;

	say_line(arena_printf(&arena, "error: %s: " STR_FMT " is %s%s" STR_FMT, why, STR_ARG(name_of(p, s, &arena)),
			      phase_name(s->phase), s->message.len ? ": " : "", STR_ARG(s->message)));
	arena_release(&arena);
}

/* -1: go on. */
static int verdict(struct program *p, const struct standing *st, bool settled)
{
	if (st->hopeless) {
		say_end(p, st, "will not be reached");
		return 4;
	}
	if (!settled)
		return -1;
	if (program_say_missing(p))
		return 1;
	if (st->total == 0) {
		say_line(STR("error: no matching resources found"));
		return 1;
	}
	return st->reached == st->total ? 0 : -1;
}

static int say_timeout(const struct program *p, const struct standing *st)
{
	if (st && st->total)
		say_end(p, st, p->live ? "timed out waiting" : "not reached in the files");
	else
		say_line(STR("error: timed out waiting: the server has not answered yet"));
	return 3;
}

/* A timeout of 0 looks once, as kubectl wait does: that is no time limit. */
static int64_t wait_limit(const struct program *p)
{
	return p->options.timeout_ms ? p->started + p->options.timeout_ms : 0;
}

static bool looks_once(const struct program *p)
{
	return !p->live || (p->options.timeout && p->options.timeout_ms == 0);
}

bool wait_for_answer(void *ctx, struct live *l)
{
	struct program *p = ctx;
	int64_t limit = wait_limit(p);
	int fd = signals_fd();

	if (program_interrupted(p) || (limit && clock_now() >= limit))
		return false;
	live_wait(l, &fd, 1, limit ? limit - clock_now() : SECONDS(1));
	return true;
}

int wait_unanswered(const struct program *p)
{
	return p->signal ? 0 : say_timeout(p, NULL);
}

int run_wait(struct program *p, struct err *err)
{
	int64_t limit = wait_limit(p);
	size_t last_reached = SIZE_MAX;
	int fd = signals_fd();

	while (!program_interrupted(p)) {
		bool settled = !p->live || live_settled(p->live);
		struct standing st = look(p);
		int status = verdict(p, &st, settled);

		if (status >= 0)
			return status;
		if (settled)
			say_progress(p, &st, &last_reached);
		if ((settled && looks_once(p)) || (limit && clock_now() >= limit))
			return say_timeout(p, &st);
		live_wait(p->live, &fd, 1, limit ? limit - clock_now() : -1);
		live_turn(p->live);
		if (live_failed(p->live, err))
			return -1;
	}
	return 0;
}

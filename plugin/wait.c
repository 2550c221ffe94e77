/* SPDX-License-Identifier: Apache-2.0 */
/* --for: blocks until every selected object has one of the phases. */
#include "plugin/clock.h"
#include "plugin/program.h"
#include "plugin/signals.h"

/* How it stands with everything that was selected. */
struct standing {
	size_t total, there, hopeless;
	struct summary first;	/* that is not there yet; or the hopeless one */
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
			st.there++;
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

static void say_progress(const struct standing *st, size_t *last_there)
{
	struct arena arena = { 0 };
	const struct summary *s = &st->first;

	if (st->there == *last_there)
		return;
	*last_there = st->there;
	if (st->there < st->total)
		say_line(arena_printf(&arena, "%zu of %zu; " STR_FMT "/" STR_FMT " is %s", st->there, st->total,
				      STR_ARG(s->kind->singular), STR_ARG(s->id.name), phase_name(s->phase)));
	arena_release(&arena);
}

static void say_end(const struct program *p, const struct standing *st, const char *why)
{
	struct arena arena = { 0 };
	const struct summary *s = &st->first;

	say_line(arena_printf(&arena, "error: %s: " STR_FMT "/" STR_FMT " is %s%s" STR_FMT, why,
			      STR_ARG(s->kind->singular), STR_ARG(s->id.name), phase_name(s->phase),
			      s->message.len ? ": " : "", STR_ARG(s->message)));
	(void)p;
	arena_release(&arena);
}

/* -1: go on. */
static int verdict(struct program *p, const struct standing *st, bool settled, struct err *err, bool *out_error)
{
	*out_error = false;
	if (st->hopeless) {
		say_end(p, st, "will not be reached");
		return 4;
	}
	if (!settled)
		return -1;
	if (st->total == 0) {
		err_set(err, ERR_INPUT, "no matching resources found");
		*out_error = true;
		return 1;
	}
	return st->there == st->total ? 0 : -1;
}

static int64_t wait_limit(const struct program *p, int64_t start)
{
	return p->options.timeout ? start + p->options.timeout_ms : 0;
}

int run_wait(struct program *p, struct err *err)
{
	int64_t start = clock_now(), limit = wait_limit(p, start);
	size_t last_there = SIZE_MAX;
	int fd = signals_fd();

	while (!program_interrupted(p)) {
		bool settled = !p->live || live_settled(p->live), is_error;
		struct standing st = look(p);
		int status = verdict(p, &st, settled, err, &is_error);

		if (is_error)
			return -1;
		if (status >= 0)
			return status;
		if (settled)
			say_progress(&st, &last_there);
		if (!p->live || (limit && clock_now() >= limit)) {
			if (st.total == 0)
				return err_set(err, ERR_NET, "timed out before the first list was complete");
			say_end(p, &st, p->live ? "timed out waiting" : "not reached in the files");
			return 3;
		}
		live_wait(p->live, &fd, 1, limit ? limit - clock_now() : -1);
		live_turn(p->live);
		if (live_failed(p->live, err))
			return -1;
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/past/phase_log.h"

#include "kube/journal/journal.h"

#include <stdlib.h>

/* A course that is being made. */
struct making {
	struct phase_step *steps;
	size_t n, cap;
};

static void step_add(struct making *m, int64_t time, enum phase phase, struct arena *a)
{
	if (m->n && m->steps[m->n - 1].phase == phase)
		return;
	if (m->n && m->steps[m->n - 1].time >= time) {	/* several within one moment: the last one counts */
		m->steps[m->n - 1].phase = phase;
		return;
	}
	m->steps = arena_grow(a, m->steps, m->n, &m->cap, sizeof(*m->steps));
	m->steps[m->n++] = (struct phase_step){ .time = time, .phase = phase };
}

static bool tells_phase(const struct journal_entry *e)
{
	return e->texts && (e->what == JOURNAL_CAME || e->what == JOURNAL_WENT || e->what == JOURNAL_PHASE);
}

/*
 * Adds the present phase of an object of which the journal says nothing, or another one: it changed while nobody watched,
 * since the time that its status tells, or by now.
 */
static void add_present(struct making *m, struct world *w, const struct logged_object *o, struct arena *a)
{
	enum phase last = m->n ? m->steps[m->n - 1].phase : PHASE_COUNT, phase = PHASE_COUNT;
	int64_t last_time = m->n ? m->steps[m->n - 1].time : 0;
	struct summary s = { .since = 0 };

	if (graph_summary(w->graph, store_find(w->store, &o->id), &s))
		phase = s.phase;
	/* what is not there is known to be gone only where all that is there is known */
	if (phase == last || (phase == PHASE_COUNT && store_was_let_go(w->store, store_find_node(w->store, &o->id))))
		return;
	if (!m->n) {
		step_add(m, s.since, phase, a);
		m->steps[0].unsure = !s.since;
		return;
	}
	step_add(m, s.since > last_time ? s.since : w->now, phase, a);
}

const struct phase_course *phase_courses(struct world *w, const struct logged_object *objects, size_t n, struct arena *a)
{
	const struct journal *j = graph_journal(w->graph);
	struct making *all = arena_array(a, n, sizeof(*all));
	struct phase_course *out = arena_array(a, n, sizeof(*out));
	struct arena scratch = { 0 };
	struct map by_name = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct object_id *id = &objects[i].id;

		map_set(&by_name, logged_name(id->cluster, id->kind->id, id->ns, id->name, &scratch), &all[i]);
	}
	for (uint64_t i = journal_first(j); i < journal_end(j); i++) {
		const struct journal_entry *e = journal_at(j, i);
		struct journal_texts texts = journal_texts(e);
		struct making *m = tells_phase(e) ? map_get(&by_name, logged_name(e->cluster, e->kind, texts.ns, texts.name, &scratch)) : NULL;

		if (m) {
			bool was_there = e->what != JOURNAL_CAME || e->replaced;

			/* of an object without an earlier entry the phase before this one is known, but not since when */
			if (!m->n && was_there)
				step_add(m, 0, (enum phase)e->from.phase, a);
			step_add(m, e->time, e->what == JOURNAL_WENT ? PHASE_COUNT : (enum phase)e->to.phase, a);
		}
		arena_reset(&scratch);
	}
	for (size_t i = 0; i < n; i++) {
		add_present(&all[i], w, &objects[i], a);
		out[i] = (struct phase_course){ all[i].steps, all[i].n };
	}
	map_release(&by_name);
	arena_release(&scratch);
	return out;
}

/* ---- several objects as one ----------------------------------------------------------- */

unsigned phase_badness(enum phase phase)
{
	static const uint8_t badness[PHASE_COUNT + 1] = {
		[PHASE_FAILED] = 11, [PHASE_WAITING] = 10, [PHASE_DEGRADED] = 9, [PHASE_DELETING] = 8, [PHASE_UNKNOWN] = 7,
		[PHASE_PROVISIONING] = 6, [PHASE_UPDATING] = 5, [PHASE_MAINTENANCE] = 4, [PHASE_SCALING] = 3, [PHASE_SUSPENDED] = 2,
		[PHASE_READY] = 1,
	};

	return badness[phase];
}

/* A step of one of several courses. */
struct course_change {
	int64_t time;
	uint32_t course;
	enum phase phase;
	bool unsure;
};

static int compare_changes(const void *x, const void *y)
{
	const struct course_change *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->course < b->course ? -1 : a->course > b->course;
}

static enum phase worst_of(const size_t *counts)
{
	enum phase worst = PHASE_COUNT;

	for (enum phase p = 0; p < PHASE_COUNT; p++)
		if (counts[p] && phase_badness(p) > phase_badness(worst))
			worst = p;
	return worst;
}

struct phase_course phase_course_worst(const struct phase_course *courses, size_t n, struct arena *a)
{
	size_t counts[PHASE_COUNT + 1] = { 0 }, all = 0, at = 0;
	enum phase *now = arena_array(a, n, sizeof(*now));
	struct making out = { 0 };
	struct course_change *changes;
	bool unsure = false;

	for (size_t i = 0; i < n; i++)
		all += courses[i].n;
	changes = arena_array(a, all, sizeof(*changes));
	for (size_t i = 0; i < n; i++) {
		now[i] = PHASE_COUNT;
		for (size_t k = 0; k < courses[i].n; k++)
			changes[at++] = (struct course_change){ courses[i].steps[k].time, (uint32_t)i, courses[i].steps[k].phase, courses[i].steps[k].unsure };
	}
	if (all)
		qsort(changes, all, sizeof(*changes), compare_changes);
	counts[PHASE_COUNT] = n;
	for (size_t i = 0; i < all; i++) {
		unsure |= changes[i].unsure;
		counts[now[changes[i].course]]--;
		counts[now[changes[i].course] = changes[i].phase]++;
		if (i + 1 == all || changes[i + 1].time != changes[i].time)
			step_add(&out, changes[i].time, worst_of(counts), a);
	}
	if (out.n && out.steps[0].time == 0)
		out.steps[0].unsure = unsure;
	return (struct phase_course){ out.steps, out.n };
}

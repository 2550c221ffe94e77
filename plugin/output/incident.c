/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/incident.h"

#include "kube/base/time.h"
#include "plugin/notices.h"
#include "plugin/output/chart.h"
#include "plugin/output/when.h"
#include "tui/view/well.h"
#include "tui/words/explain.h"
#include "tui/words/words.h"

#include <stdlib.h>

enum {
	CAUSES = 100,	/* so many root causes are told one by one */
	SPANS = 6,	/* so many times at which there was one are told */
	KINDS = 8,	/* so many kinds of what it blocked are named */
	NAMES = 6,	/* so many objects of one kind are named */
	REST = 20,	/* so many other objects that are not Ready are named */
	GAPS = 20,
	NOTICE_KINDS = 100
};

/* The report that is being made. */
struct making {
	const struct incident *in;
	struct blocks *out;
	struct arena *a;
	const struct logged_cause *causes;
	size_t n;
	size_t brief;		/* how many causes are not told, because they were brief */
	size_t held;		/* how many objects waited for one of them, each once */
	struct map met;		/* the objects of the causes, and what waited for them, by name */
	struct arena keys;
};

static void add_moment(struct making *m, int64_t time)
{
	blocks_time(m->out, when_clock(time, m->in->to, m->a), time);
}

/* ---- which objects ----------------------------------------------------------------------- */

static void choose_causes(struct making *m)
{
	size_t all;
	const struct logged_cause *causes = cause_log_causes(m->in->log, m->a, &all);
	struct logged_cause *chosen = arena_array(m->a, all, sizeof(*chosen));

	for (size_t i = 0; i < all; i++)
		if (!cause_is_brief(&causes[i]))
			chosen[m->n++] = causes[i];
	m->causes = chosen;
	m->brief = all - m->n;
}

static struct str key_of(struct making *m, const struct object_id *id)
{
	arena_reset(&m->keys);
	return arena_printf(&m->keys, "%u/%u/" STR_FMT "/" STR_FMT, id->cluster, id->kind->id, STR_ARG(id->ns), STR_ARG(id->name));
}

/* Counts the objects that waited for some cause and were none themselves. */
static void count_held(struct making *m)
{
	for (int members = 1; members >= 0; members--)
		for (size_t i = 0; i < m->n; i++) {
			const struct logged_objects *o = members ? &m->causes[i].members : &m->causes[i].held;

			for (size_t k = 0; k < o->n; k++)
				m->held += !map_set(&m->met, key_of(m, &o->all[k].id), m) && !members;
		}
}

/* Returns the span that began first; there is at least one cause. */
static const struct cause_span *first_span(const struct making *m)
{
	const struct cause_span *first = &m->causes[0].spans[0];

	for (size_t i = 1; i < m->n; i++)
		first = m->causes[i].spans[0].from < first->from ? &m->causes[i].spans[0] : first;
	return first;
}

/* Returns true when all that is known of when it began is that it was before the only look. */
static bool begin_unknown(const struct making *m, const struct cause_span *s)
{
	return s->began_before && m->in->from == m->in->to;
}

/* Returns when the last cause ended, ms; 0: one goes on. */
static int64_t ended(const struct making *m)
{
	int64_t last = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct logged_cause *c = &m->causes[i];

		if (c->goes_on)
			return 0;
		last = c->spans[c->nspans - 1].to > last ? c->spans[c->nspans - 1].to : last;
	}
	return last;
}

/* True when nobody knows whether one of the causes is over, as it was not watched any more. */
static bool any_lost(const struct making *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->causes[i].lost)
			return true;
	return false;
}

/* Returns the worst cause that goes on, which is told first; when all are over, the worst of all. */
static size_t lead_of(const struct making *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->causes[i].goes_on)
			return i;
	return 0;
}

/* ---- the head ---------------------------------------------------------------------------- */

/* Returns what makes unsure whether nothing has failed; "": nothing. */
static struct str unsure_words(const struct making *m)
{
	if (m->in->unread_yet)
		return STR("nothing had been read yet");
	if (m->in->never_met)
		return ARENA_JOIN(m->a, words_count(m->in->never_met, m->a), str_of(m->in->never_met == 1 ? " name was not found" : " names were not found"));
	return notices_unread(m->in->w) ? STR("not everything could be read") : STR_NONE;
}

/* Returns what may be said when there was no root cause; what could not be read is not healthy. */
static struct str well_title(struct making *m)
{
	struct not_well not_well = { 0 };
	struct summary s;
	struct doubt doubt = { .unread = well_forbidden(notices_forbidden(m->in->w, m->in->q), m->a),
			       .unsure = unsure_words(m) };

	for (struct handle h = store_next(m->in->w->store, 0); h.slot; h = store_next(m->in->w->store, h.slot + 1))
		if (query_selects(m->in->q, m->in->w, h) && graph_summary(m->in->w->graph, h, &s))
			well_count(&not_well, &s, m->in->w->now);
	return well_sentence(&not_well, &doubt, m->a);
}

static void add_title(struct making *m)
{
	const struct logged_cause *lead;

	blocks_add(m->out, BLOCK_TITLE);
	if (!m->n) {
		blocks_own(m->out, well_title(m));
		return;
	}
	lead = &m->causes[lead_of(m)];
	blocks_name(m->out, lead->title);
	if (m->n > 1)
		blocks_own(m->out, ARENA_JOIN(m->a, STR(" and "), words_count(m->n - 1, m->a), str_of(m->n == 2 ? " more root cause" : " more root causes")));
	if (m->held)
		blocks_own(m->out, ARENA_JOIN(m->a, STR(" blocked "), words_count(m->held, m->a), str_of(m->held == 1 ? " object" : " objects")));
	else if (m->n == 1)
		blocks_own(m->out, arena_printf(m->a, ": %s", lead->exists ? phase_name(lead->phase) : explain_cause(lead->cause)));
}

static void add_place(struct making *m)
{
	const struct incident *in = m->in;

	if (in->context.len) {
		blocks_text(m->out, in->context);
		blocks_own(m->out, STR(" · "));
	}
	if (in->q->ns.len) {
		blocks_own(m->out, STR("namespace "));
		blocks_text(m->out, in->q->ns);
	} else {
		blocks_own(m->out, STR("all namespaces"));
	}
	if (in->selection.len) {
		blocks_own(m->out, STR(" · only "));
		blocks_text(m->out, in->selection);
	}
}

static void add_observed(struct making *m)
{
	const struct incident *in = m->in;

	blocks_own(m->out, ARENA_JOIN(m->a, STR(" · "), when_day(in->to, m->a), STR(", ")));
	if (in->from < in->to) {
		add_moment(m, in->from);
		blocks_own(m->out, STR(" to "));
	}
	add_moment(m, in->to);
	blocks_own(m->out, STR(" UTC"));
}

/* Adds when the causes but that one began, which tells a chronic trouble from what has just begun. */
static void add_others(struct making *m, size_t but)
{
	int64_t first = INT64_MAX, last = 0;
	size_t known = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct cause_span *s = &m->causes[i].spans[0];

		if (i == but || begin_unknown(m, s))
			continue;
		known++;
		first = s->from < first ? s->from : first;
		last = s->from > last ? s->from : last;
	}
	if (!known)
		return;
	blocks_own(m->out, known < m->n - 1 ? arena_printf(m->a, "; of the other root causes %zu began ", known) :
			   str_of(m->n == 2 ? "; the other root cause began " : "; the other root causes began "));
	blocks_own(m->out, str_of(first == last ? "at " : "from "));
	add_moment(m, first);
	if (first < last) {
		blocks_own(m->out, STR(" to "));
		add_moment(m, last);
	}
}

/* Adds since when there was a root cause, and for how long: "Since 04:59:41, healed at 05:21:07, after 21 min 26 s". */
static void add_begin(struct making *m, const struct cause_span *s, int64_t to)
{
	if (begin_unknown(m, s)) {
		blocks_own(m->out, STR("It lasts, and since when is not known"));
		return;
	}
	blocks_own(m->out, ARENA_JOIN(m->a, str_of(to ? "Since " : "It has lasted since "), str_of(s->began_before ? "before " : "")));
	add_moment(m, s->from);
	if (to) {
		blocks_own(m->out, any_lost(m) ? STR(", not watched any more from ") : STR(", healed at "));
		add_moment(m, to);
	}
	blocks_own(m->out, ARENA_JOIN(m->a, str_of(to ? ", after " : ", for "), str_of(s->began_before ? "more than " : ""),
				      when_lasted((to ? to : m->in->to) - s->from, m->a)));
}

/* Tells that all is over, or that it goes on. */
static void add_outcome(struct making *m)
{
	size_t lead = lead_of(m), over = 0;
	int64_t to = ended(m);

	for (size_t i = 0; i < m->n; i++)
		over += !m->causes[i].goes_on && !m->causes[i].lost;
	blocks_add(m->out, BLOCK_LEAD)->tone = to && !any_lost(m) ? TONE_GOOD : TONE_BAD;
	add_begin(m, to ? first_span(m) : &m->causes[lead].spans[0], to);
	if (to)
		return;
	if (m->n > 1)
		add_others(m, lead);
	if (over)
		blocks_own(m->out, arena_printf(m->a, "; %zu of %zu root causes healed", over, m->n));
}

static void add_head(struct making *m)
{
	add_title(m);
	blocks_add(m->out, BLOCK_LEAD);
	add_place(m);
	add_observed(m);
	if (!m->n)
		return;
	add_outcome(m);
	blocks_add(m->out, BLOCK_LEAD);
	blocks_text(m->out, m->causes[lead_of(m)].words);
}

/* ---- the chart --------------------------------------------------------------------------- */

/* Returns where the chart of what was read once begins: so that most of the causes can be seen, and not the oldest alone. */
static int64_t chart_start_once(const struct making *m)
{
	int64_t *ages = arena_array(m->a, m->n, sizeof(*ages)), most;

	for (size_t i = 0; i < m->n; i++)
		ages[i] = m->in->to - m->causes[i].spans[0].from;
	qsort(ages, m->n, sizeof(*ages), time_compare);
	most = 12 * (ages[m->n / 2] > MINUTES(1) ? ages[m->n / 2] : MINUTES(1));
	for (size_t i = m->n; i-- > 0;)
		if (ages[i] <= most || i == 0)
			return m->in->to - ages[i] - ages[i] / 16 - SECONDS(5);
	return m->in->from;
}

/* A recording that is much longer than the incident is not shown whole, unless the user chose the part. */
static struct chart_time chart_time_of(const struct making *m)
{
	const struct incident *in = m->in;
	int64_t from = first_span(m)->from, to = ended(m), around;
	struct chart_time time = { in->from, in->to, in->gaps };

	if (in->from == in->to) {
		time.from = chart_start_once(m);
		return time;
	}
	to = to ? to : in->to;
	around = (to - from) / 8 + SECONDS(10);
	if (in->part || from < in->from || (to - from + 2 * around) > (in->to - in->from) / 2)
		return time;
	time.from = from - around > in->from ? from - around : in->from;
	time.to = to + around < in->to ? to + around : in->to;
	return time;
}

static void add_chart(struct making *m)
{
	struct chart_time time;

	if (!m->n)
		return;
	time = chart_time_of(m);
	blocks_say(m->out, BLOCK_SECTION, STR("Phases over time"));
	blocks_say(m->out, BLOCK_PARAGRAPH, STR("From "));
	add_moment(m, time.from);
	blocks_own(m->out, STR(" to "));
	add_moment(m, time.to);
	blocks_own(m->out, STR(" UTC: each root cause, and below it what it blocked. Of several objects in one row the worst phase is shown."));
	blocks_add(m->out, BLOCK_CHART)->chart = chart_make(m->in->w, m->causes, m->n, &time, m->a);
	if (m->n > CHART_CAUSES)
		blocks_say(m->out, BLOCK_NOTE, ARENA_JOIN(m->a, words_count(m->n - CHART_CAUSES, m->a), STR(" more root causes have no lane in the chart.")));
}

/* ---- a root cause -------------------------------------------------------------------------- */

static void add_span(struct making *m, const struct cause_span *s)
{
	if (begin_unknown(m, s)) {
		blocks_own(m->out, STR("nobody knows since when"));
		return;
	}
	blocks_own(m->out, ARENA_JOIN(m->a, str_of(s->to ? "" : "since "), str_of(s->began_before ? "before " : "")));
	add_moment(m, s->from);
	if (s->to) {
		blocks_own(m->out, STR(" to "));
		add_moment(m, s->to);
	}
	blocks_own(m->out, ARENA_JOIN(m->a, STR(" ("), str_of(s->began_before ? "more than " : ""),
				      when_lasted((s->to ? s->to : m->in->to) - s->from, m->a), STR(")")));
}

static void add_when(struct making *m, const struct logged_cause *c)
{
	size_t first = c->nspans > SPANS ? c->nspans - SPANS : 0;

	blocks_add(m->out, BLOCK_FACT)->label = "when";
	if (first)
		blocks_own(m->out, arena_printf(m->a, "%zu times, the last: ", c->nspans));
	for (size_t i = first; i < c->nspans; i++) {
		blocks_own(m->out, str_of(i > first ? ", " : ""));
		add_span(m, &c->spans[i]);
	}
	blocks_own(m->out, str_of(c->recovers ? ", under way again without an error" : c->goes_on ? ", goes on" : c->lost ? ", not watched since" : ", healed"));
}

/* Adds "6 subnet", and the names of some of them. */
static void add_held_kind(struct making *m, const struct logged_objects *held, const struct kind *kind, bool first)
{
	struct str names = STR_NONE;
	size_t n = 0, named = 0;

	for (size_t i = 0; i < held->n; i++)
		n += held->all[i].id.kind == kind;
	blocks_own(m->out, ARENA_JOIN(m->a, str_of(first ? "" : ", "), words_count(n, m->a), STR(" ")));
	blocks_text(m->out, words_kind(&m->in->w->kinds, kind->group, kind->kind, m->a));
	for (size_t i = 0; i < held->n && named < NAMES; i++)
		if (held->all[i].id.kind == kind)
			names = ARENA_JOIN(m->a, names, str_of(named++ ? ", " : ""), held->all[i].id.name);
	blocks_own(m->out, STR(" ("));
	blocks_text(m->out, ARENA_JOIN(m->a, names, str_of(n > named ? ", …" : "")));
	blocks_own(m->out, STR(")"));
}

static void add_held(struct making *m, const struct logged_cause *c)
{
	const struct kind *told[KINDS];
	size_t n = 0;

	if (!c->held.n)
		return;
	blocks_add(m->out, BLOCK_FACT)->label = c->goes_on ? "blocks" : "blocked";
	blocks_own(m->out, ARENA_JOIN(m->a, words_count(c->held.n, m->a), STR(": ")));
	for (size_t i = 0; i < c->held.n; i++) {
		const struct kind *kind = c->held.all[i].id.kind;
		size_t k = 0;

		while (k < n && told[k] != kind)
			k++;
		if (k < n)
			continue;
		if (n == KINDS) {
			blocks_own(m->out, STR(", and other kinds"));
			return;
		}
		told[n++] = kind;
		add_held_kind(m, &c->held, kind, n == 1);
	}
}

static void add_fact(struct making *m, const char *label, struct str text)
{
	if (!text.len)
		return;
	blocks_add(m->out, BLOCK_FACT)->label = label;
	blocks_text(m->out, text);
}

/* Returns a label without the colon that stands behind it where facts are printed. */
static const char *bare_label(struct making *m, const char *label)
{
	struct str bare = str_trim(str_of(label));

	return arena_str(m->a, str_head(bare, str_find(bare, ':'))).ptr;
}

static enum tone tone_of(const struct logged_cause *c)
{
	if (!c->goes_on)
		return TONE_GOOD;
	return c->severity == SEVERITY_ERROR ? TONE_BAD : c->severity == SEVERITY_WARNING ? TONE_WARN : TONE_PLAIN;
}

static void add_cause(struct making *m, const struct logged_cause *c)
{
	blocks_add(m->out, BLOCK_CAUSE)->tone = tone_of(c);
	if (c->exists && c->phase != PHASE_READY)
		blocks_phase(m->out, c->phase);
	else
		blocks_own(m->out, ARENA_JOIN(m->a, STR("✖ "), c->state));
	blocks_own(m->out, STR(" "));
	blocks_name(m->out, c->title);
	add_when(m, c);
	add_fact(m, LABEL_REASON, c->words);
	if (!str_eq(c->whole, c->words))
		add_fact(m, LABEL_MESSAGE, c->whole);
	add_fact(m, "namespace", c->where);
	add_fact(m, "cluster", c->cluster);
	add_fact(m, LABEL_OWNER, c->owner);
	add_held(m, c);
	for (size_t i = 0; i < c->nfacts; i++)
		add_fact(m, bare_label(m, c->facts[i].label), c->facts[i].text);
	if (c->command.len) {
		blocks_add(m->out, BLOCK_COMMAND);
		blocks_text(m->out, c->command);
	}
}

static void add_causes(struct making *m)
{
	if (m->n)
		blocks_say(m->out, BLOCK_SECTION, STR("Root causes"));
	for (size_t i = 0; i < m->n && i < CAUSES; i++)
		add_cause(m, &m->causes[i]);
	if (m->n > CAUSES)
		blocks_say(m->out, BLOCK_NOTE, ARENA_JOIN(m->a, STR("And "), words_count(m->n - CAUSES, m->a), STR(" more root causes.")));
}

/* ---- what is in no cause ------------------------------------------------------------------- */

static bool is_in_causes(struct making *m, struct handle h)
{
	struct object_id id = store_node_id(m->in->w->store, h.slot);

	return map_get(&m->met, key_of(m, &id)) != NULL;
}

static void add_rest_group(struct making *m, const struct summary *s, size_t n)
{
	const struct kinds *kinds = &m->in->w->kinds;
	struct str said = words_said(s, m->a);

	blocks_add(m->out, BLOCK_ITEM);
	blocks_phase(m->out, s->phase);
	blocks_own(m->out, STR(" "));
	blocks_name(m->out, n == 1 ? words_id(kinds, &s->id, m->a) :
				     ARENA_JOIN(m->a, words_kind(kinds, s->id.group, s->id.kind, m->a), STR(" ×"), words_count(n, m->a)));
	if (s->id.ns.len) {
		blocks_own(m->out, STR(" in "));
		blocks_text(m->out, s->id.ns);
	}
	if (s->since && n == 1) {
		blocks_own(m->out, STR(" since "));
		add_moment(m, s->since);
	}
	if (said.len) {
		blocks_own(m->out, STR(": "));
		blocks_text(m->out, said);
	}
}

static bool is_alike(const struct summary *a, const struct summary *b)
{
	return a->kind == b->kind && a->phase == b->phase && a->severity == b->severity && str_eq(a->id.ns, b->id.ns) && str_eq(a->id.cluster, b->id.cluster) &&
	       str_eq(a->reason, b->reason);
}

/* Moves *at to the next object that is not Ready and in no cause.  Returns false at the end. */
static bool next_of_rest(struct making *m, const struct handle *all, size_t n, size_t *at, struct summary *out)
{
	for (; *at < n; ++*at)
		if (graph_summary(m->in->w->graph, all[*at], out) && out->phase != PHASE_READY && out->phase != PHASE_SUSPENDED &&
		    !phase_is_leftover(out->phase, out->severity) && !is_in_causes(m, all[*at]))
			return true;
	return false;
}

/* Adds the other objects that are not Ready; equal ones that follow each other are one. */
static void add_rest(struct making *m)
{
	size_t n, at = 0, told = 0;
	const struct handle *all = query_collect(m->in->q, m->in->w, m->a, &n);
	struct summary first, next;
	bool any = next_of_rest(m, all, n, &at, &first);

	if (any)
		blocks_say(m->out, BLOCK_SECTION, STR("Also not ready at the end"));
	for (; any && told < REST; told++) {
		size_t alike = 1;

		for (at++; (any = next_of_rest(m, all, n, &at, &next)) && is_alike(&first, &next); at++)
			alike++;
		add_rest_group(m, &first, alike);
		first = next;
	}
	if (any)
		blocks_say(m->out, BLOCK_NOTE, STR("There are more, which are not listed."));
}

/* ---- how it was seen ------------------------------------------------------------------------- */

static void add_source(struct making *m)
{
	const struct incident *in = m->in;

	blocks_add(m->out, BLOCK_ITEM);
	switch (in->source) {
	case INCIDENT_RECORDING:
	case INCIDENT_HISTORY:
		blocks_own(m->out, str_of(in->source == INCIDENT_HISTORY ? "The history in " : "The recording "));
		blocks_text(m->out, in->recording);
		blocks_own(m->out, STR(" of "));
		break;
	case INCIDENT_FILES:
		blocks_own(m->out, STR("Files, without a cluster: "));
		break;
	case INCIDENT_CLUSTER:
		blocks_own(m->out, str_of(in->recording.len ? "Read once from the cluster, and of the time before it from the history in " :
							       "Read once from the cluster "));
		if (in->recording.len) {
			blocks_text(m->out, in->recording);
			blocks_own(m->out, STR(": "));
		}
		break;
	}
	add_place(m);
	add_observed(m);
	if (in->from < in->to)
		blocks_own(m->out, ARENA_JOIN(m->a, STR(" ("), when_lasted(in->to - in->from, m->a), STR(")")));
}

static void add_extent(struct making *m)
{
	const struct world *w = m->in->w;
	uint8_t *seen = arena_array(m->a, w->kinds.count + 1, 1);
	size_t objects = 0, kinds = 0;

	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1)) {
		const struct kind *kind = store_node_kind(w->store, h.slot);

		objects++;
		kinds += !seen[kind->id];
		seen[kind->id] = 1;
	}
	blocks_say(m->out, BLOCK_ITEM, ARENA_JOIN(m->a, words_count(objects, m->a), str_of(objects == 1 ? " object of " : " objects of "),
						  words_count(kinds, m->a), str_of(kinds == 1 ? " kind at the end." : " kinds at the end.")));
}

static void add_unread(struct making *m)
{
	size_t n;
	const struct notice_line *lines = notices_lines(m->in->w, NOTICE_KINDS, "", m->a, &n);
	unsigned forbidden = notices_forbidden(m->in->w, m->in->q);

	for (size_t i = 0; i < n; i++) {
		blocks_say(m->out, BLOCK_ITEM, STR("Notice: "));
		blocks_text(m->out, lines[i].text);
	}
	if (!n && forbidden)
		blocks_say(m->out, BLOCK_ITEM, arena_printf(m->a, "%u kind%s could not be read, because it is forbidden.", forbidden, words_plural(forbidden)));
	if (!n && !forbidden)
		blocks_say(m->out, BLOCK_ITEM, STR("No kind is known that could not be read."));
}

static void add_gaps(struct making *m)
{
	const struct incident *in = m->in;
	int64_t full = cause_log_full_since(in->log);

	if (full) {
		blocks_say(m->out, BLOCK_ITEM, STR("There were more root causes than this page has room for: not told are those from "));
		add_moment(m, full);
		blocks_own(m->out, STR(" on."));
	}
	for (size_t i = 0; i < in->gaps.n && i < GAPS; i++) {
		blocks_say(m->out, BLOCK_ITEM, i < in->recorded ? STR("A gap: nothing was recorded from ") : STR("A gap: not everything was watched from "));
		add_moment(m, in->gaps.all[i].from);
		blocks_own(m->out, STR(" to "));
		add_moment(m, in->gaps.all[i].to);
		blocks_own(m->out, ARENA_JOIN(m->a, STR(" ("), when_lasted(in->gaps.all[i].to - in->gaps.all[i].from, m->a), STR(").")));
	}
	if (in->gaps.n > GAPS)
		blocks_say(m->out, BLOCK_ITEM, arena_printf(m->a, "And %zu more gaps.", in->gaps.n - GAPS));
	if (!in->gaps.n && in->from < in->to)
		blocks_say(m->out, BLOCK_ITEM, STR("No gap: there is no time of more than two minutes without a record."));
}

static void add_how(struct making *m)
{
	blocks_say(m->out, BLOCK_SECTION, STR("How this was seen"));
	add_source(m);
	add_extent(m);
	add_unread(m);
	if (m->in->flaws.len) {
		blocks_add(m->out, BLOCK_ITEM);
		blocks_text(m->out, m->in->flaws);
	}
	add_gaps(m);
	if (m->brief)
		blocks_say(m->out, BLOCK_ITEM, arena_printf(m->a, "Not told: %zu wait%s that ended within a minute and never had a warning.",
							    m->brief, words_plural(m->brief)));
	blocks_say(m->out, BLOCK_ITEM, STR("Made by kubectl-status " VERSION ". Values of Secrets and credentials are left out, as in recordings."));
}

void incident_blocks(const struct incident *in, struct blocks *out)
{
	struct making m = { .in = in, .out = out, .a = out->arena };

	choose_causes(&m);
	count_held(&m);
	add_head(&m);
	add_chart(&m);
	add_causes(&m);
	add_rest(&m);
	incident_timeline(in, m.causes, m.n, out);
	incident_changes(in, out);
	add_how(&m);
	map_release(&m.met);
	arena_release(&m.keys);
}

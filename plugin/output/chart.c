/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/chart.h"

#include "kube/base/time.h"
#include "plugin/output/html.h"
#include "plugin/output/when.h"
#include "plugin/past/phase_log.h"
#include "tui/words/words.h"

#include <stdlib.h>

/* ---- bars ---------------------------------------------------------------------------- */

/* What a row is made of. */
struct row_source {
	struct phase_course course;
	const struct logged_cause *cause;	/* NULL: the row is about what it blocked */
	int64_t from, to;
	struct arena *a;
};

static int64_t within(const struct row_source *s, int64_t time)
{
	return time < s->from ? s->from : time > s->to ? s->to : time;
}

/* Returns the moments between which nothing changes, within the chart, in their order. */
static const int64_t *moments_of(const struct row_source *s, size_t *out_n)
{
	size_t nspans = s->cause ? s->cause->nspans : 0, n = 0;
	int64_t *times = arena_array(s->a, s->course.n + 2 * nspans + 2, sizeof(*times));

	times[n++] = s->from;
	times[n++] = s->to;
	for (size_t i = 0; i < s->course.n; i++)
		times[n++] = within(s, s->course.steps[i].time);
	for (size_t i = 0; i < nspans; i++) {
		times[n++] = within(s, s->cause->spans[i].from);
		times[n++] = within(s, s->cause->spans[i].to ? s->cause->spans[i].to : s->to);
	}
	qsort(times, n, sizeof(*times), time_compare);
	*out_n = n;
	return times;
}

/* Returns the step that holds at a time; NULL: nothing is known of it. */
static const struct phase_step *step_at(const struct phase_course *c, int64_t time)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->steps[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &c->steps[low - 1] : NULL;
}

/* Returns true while there is the root cause. */
static bool is_cause_at(const struct logged_cause *c, int64_t time)
{
	for (size_t i = 0; c && i < c->nspans; i++)
		if (c->spans[i].from <= time && (!c->spans[i].to || time < c->spans[i].to))
			return true;
	return false;
}

/* Fills in what holds from bar->from on.  Returns false when there is nothing to show. */
static bool bar_at(const struct row_source *s, struct chart_bar *bar)
{
	const struct phase_step *step = step_at(&s->course, bar->from);
	enum phase phase = step ? step->phase : PHASE_COUNT;

	/* a root cause that does not exist, or that is well itself and still in the way, such as a controller at rest */
	if ((phase == PHASE_COUNT || phase == PHASE_READY) && is_cause_at(s->cause, bar->from)) {
		bar->phase = PHASE_COUNT;
		bar->word = str_of(wait_state_name(s->cause->cause));
		return true;
	}
	bar->unsure = step && step->unsure;
	bar->since = step && step->time < s->from ? step->time : 0;
	bar->phase = phase;
	bar->word = phase < PHASE_COUNT ? str_of(phase_name(phase)) : STR_NONE;
	return phase < PHASE_COUNT;
}

static bool is_same(const struct chart_bar *a, const struct chart_bar *b)
{
	return a->phase == b->phase && str_eq(a->word, b->word) && a->to == b->from;
}

static unsigned bar_badness(const struct chart_bar *b)
{
	return b->phase == PHASE_COUNT ? phase_badness(PHASE_FAILED) : phase_badness(b->phase);
}

/* Leaves out what lasted for less than least: the next bar begins earlier instead.  Returns the new number. */
static size_t leave_out_short(struct chart_bar *bars, size_t n, int64_t least)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		bool next = i + 1 < n && bars[i + 1].from == bars[i].to;

		if (next && bars[i].to - bars[i].from < least)
			bars[i + 1].from = bars[i].from;
		else if (kept && is_same(&bars[kept - 1], &bars[i]))
			bars[kept - 1].to = bars[i].to;
		else
			bars[kept++] = bars[i];
	}
	return kept;
}

/* Makes at most CHART_BARS bars of more: each has the worst phase of its time. */
static size_t make_coarse(const struct row_source *s, const struct chart_bar *bars, size_t n, struct chart_bar *out)
{
	int64_t width = (s->to - s->from) / CHART_BARS + 1;
	size_t made = 0, first = 0;

	for (int64_t at = s->from; at < s->to; at += width) {
		struct chart_bar cell = { .phase = PHASE_COUNT };
		bool any = false;

		while (first < n && bars[first].to <= at)
			first++;
		for (size_t i = first; i < n && bars[i].from < at + width; i++) {
			if (!any || bar_badness(&bars[i]) > bar_badness(&cell))
				cell = bars[i];
			any = true;
		}
		cell.from = at;
		cell.to = at + width < s->to ? at + width : s->to;
		if (any && made && is_same(&out[made - 1], &cell))
			out[made - 1].to = cell.to;
		else if (any)
			out[made++] = cell;
	}
	return made;
}

/* Returns "" when no phase is known. */
static struct str phase_word_at(const struct phase_course *c, int64_t time)
{
	const struct phase_step *step = step_at(c, time);

	return step && step->phase < PHASE_COUNT ? str_of(phase_name(step->phase)) : STR_NONE;
}

static void make_bars(const struct row_source *s, struct chart_row *out)
{
	size_t ntimes, n = 0;
	const int64_t *times = moments_of(s, &ntimes);
	struct chart_bar *bars = arena_array(s->a, ntimes, sizeof(*bars));

	for (size_t i = 0; i + 1 < ntimes; i++) {
		struct chart_bar bar = { .from = times[i], .to = times[i + 1] };

		if (bar.from == bar.to || !bar_at(s, &bar))
			continue;
		if (n && is_same(&bars[n - 1], &bar))
			bars[n - 1].to = bar.to;
		else
			bars[n++] = bar;
	}
	n = leave_out_short(bars, n, SECONDS(1));
	if (n > CHART_BARS) {
		struct chart_bar *coarse = arena_array(s->a, CHART_BARS, sizeof(*coarse));

		n = make_coarse(s, bars, n, coarse);
		bars = coarse;
	}
	if (n && bars[0].from == s->from)
		bars[0].open = true;
	out->bars = bars;
	out->nbars = n;
	if (!n)
		out->at_end = phase_word_at(&s->course, s->to);
}

/* ---- rows ---------------------------------------------------------------------------- */

/* A row for what a cause blocked: the objects of one kind and namespace. */
struct held_row {
	const struct logged_object *first;
	struct phase_course *courses;
	size_t n;
};

static bool is_alike(const struct logged_object *a, const struct logged_object *b)
{
	return a->id.kind == b->id.kind && a->id.cluster == b->id.cluster && str_eq(a->id.ns, b->id.ns);
}

struct making {
	struct world *w;
	struct chart *chart;
	struct chart_row *rows;
	struct arena *a;
};

static struct chart_row *row_add(struct making *m)
{
	return &m->rows[m->chart->nrows++];
}

static struct str place(const struct logged_object *o, struct arena *a)
{
	return ARENA_JOIN(a, o->id.ns, str_of(o->id.ns.len && o->cluster.len ? " · " : ""), o->cluster);
}

static void add_held_row(struct making *m, const struct held_row *h)
{
	const struct object_id *id = &h->first->id;
	struct chart_row *row = row_add(m);
	struct row_source source = { phase_course_worst(h->courses, h->n, m->a), NULL, m->chart->from, m->chart->to, m->a };

	row->name = h->n == 1 ? words_id(&m->w->kinds, &(struct id){ .group = id->kind->group, .kind = id->kind->kind, .ns = id->ns, .name = id->name }, m->a) :
				ARENA_JOIN(m->a, words_kind(&m->w->kinds, id->kind->group, id->kind->kind, m->a), STR(" ×"), words_count(h->n, m->a));
	row->where = place(h->first, m->a);
	make_bars(&source, row);
}

/* Adds the rows for what a cause blocked, the nearest first.  Returns how many did not get one. */
static size_t add_held(struct making *m, const struct logged_objects *held)
{
	const struct phase_course *courses = phase_courses(m->w, held->all, held->n, m->a);
	struct held_row rows[CHART_HELD] = { 0 };
	size_t n = 0, left_out = 0;

	for (size_t i = 0; i < held->n; i++) {
		size_t k = 0;

		while (k < n && !is_alike(rows[k].first, &held->all[i]))
			k++;
		if (k == CHART_HELD) {
			left_out++;
			continue;
		}
		if (k == n) {
			rows[n++].first = &held->all[i];
			rows[k].courses = arena_array(m->a, held->n, sizeof(*rows[k].courses));
		}
		rows[k].courses[rows[k].n++] = courses[i];
	}
	for (size_t k = 0; k < n; k++)
		add_held_row(m, &rows[k]);
	return left_out;
}

static void add_marks(struct making *m, const struct logged_cause *c, struct chart_row *row)
{
	int64_t *marks = arena_array(m->a, FACTS_BEFORE, sizeof(*marks));

	for (size_t i = 0; i < FACTS_BEFORE && c->changed[i]; i++)
		if (c->changed[i] >= m->chart->from && c->changed[i] <= m->chart->to)
			marks[row->nmarks++] = c->changed[i];
	row->marks = marks;
}

static void add_cause(struct making *m, const struct logged_cause *c)
{
	struct chart_row *row = row_add(m);
	const struct phase_course *courses = phase_courses(m->w, c->members.all, c->members.n, m->a);
	struct row_source source = { phase_course_worst(courses, c->members.n, m->a), c, m->chart->from, m->chart->to, m->a };

	row->name = c->title;
	row->where = ARENA_JOIN(m->a, c->where, str_of(c->where.len && c->cluster.len ? " · " : ""), c->cluster);
	row->cause = true;
	make_bars(&source, row);
	add_marks(m, c, row);
	row->more = add_held(m, &c->held);
}

const struct chart *chart_make(struct world *w, const struct logged_cause *causes, size_t n, const struct chart_time *time, struct arena *a)
{
	struct chart *chart = arena_alloc(a, sizeof(*chart));
	struct making m = { w, chart, arena_array(a, (size_t)CHART_CAUSES * (1 + CHART_HELD), sizeof(struct chart_row)), a };

	*chart = (struct chart){ .from = time->from, .to = time->to > time->from ? time->to : time->from + 1, .rows = m.rows, .gaps = time->gaps };
	for (size_t i = 0; i < n && i < CHART_CAUSES; i++)
		add_cause(&m, &causes[i]);
	return chart;
}

/* ---- in words ------------------------------------------------------------------------- */

static struct str bar_words(const struct chart *c, const struct chart_bar *b, struct arena *a)
{
	struct str until = b->to == c->to ? STR("the end") : when_clock(b->to, c->to, a);

	if (b->unsure)
		return ARENA_JOIN(a, b->word, STR(", nobody knows since when, until "), until);
	if (b->open && b->since)
		return ARENA_JOIN(a, b->word, STR(" since "), when_clock(b->since, c->to, a), STR(" until "), until);
	if (b->open)
		return ARENA_JOIN(a, b->word, STR(" until "), until);
	return ARENA_JOIN(a, b->word, STR(" "), when_clock(b->from, c->to, a), STR(" to "), until);
}

struct str chart_words(const struct chart *c, const struct chart_row *row, struct arena *a)
{
	enum { TOLD = 24 };	/* of a row that changes all the time, the beginning tells it */
	struct str out = STR_NONE;

	for (size_t i = 0; i < row->nbars && i < TOLD; i++)
		out = ARENA_JOIN(a, out, str_of(i ? ", " : ""), bar_words(c, &row->bars[i], a));
	if (row->nbars > TOLD)
		out = ARENA_JOIN(a, out, STR(", and "), words_count(row->nbars - TOLD, a), STR(" more"));
	if (out.len)
		return out;
	return row->at_end.len ? ARENA_JOIN(a, row->at_end, STR(" at the end")) : STR("no phase is known");
}

/* ---- the axis ------------------------------------------------------------------------- */

const int64_t *chart_ticks(int64_t from, int64_t to, struct arena *a, size_t *out_n)
{
	static const int64_t steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };
	enum { STEPS = sizeof(steps) / sizeof(steps[0]), MOST = 6 };
	int64_t step = 0, *ticks = arena_array(a, MOST + 1, sizeof(*ticks));
	size_t n = 0;

	for (size_t i = 0; i < STEPS && (!step || (to - from) / step >= MOST); i++)
		step = SECONDS(steps[i]);
	while ((to - from) / step >= MOST)
		step *= 2;
	for (int64_t at = (from + step - 1) / step * step; at <= to && n < MOST; at += step)
		ticks[n++] = at;
	*out_n = n;
	return ticks;
}

/* Returns "05:00", with seconds where the ticks stand that close, and at midnight "21 Nov". */
static struct str tick_words(int64_t tick, int64_t step, struct arena *a)
{
	enum { MINUTE = 5 };

	if (tick % HOURS(24) == 0) {
		struct str day = when_day(tick, a);

		return str_head(day, str_rfind(day, ' '));
	}
	return step % MINUTES(1) == 0 ? str_head(when_clock(tick, tick, a), MINUTE) : when_clock(tick, tick, a);
}

/* ---- as SVG ---------------------------------------------------------------------------- */

enum { BAR_TOP = 3, BAR_HEIGHT = 18, ROW_HEIGHT = 24, TEXT_AT = 16 };	/* pixels */
/* the narrowest page gives a row so many pixels; a letter, and what surrounds a word, need at most so many */
enum { NARROW = 340, LETTER = 7, AROUND = 24, GLYPH = 16 };

/* Returns where a moment is, in hundredths of a percent of the width. */
static int64_t position(const struct chart *c, int64_t time)
{
	int64_t at = time < c->from ? c->from : time > c->to ? c->to : time;

	return (int64_t)((double)(at - c->from) * 10000 / (double)(c->to - c->from) + 0.5);
}

static void add_share(struct buf *out, const char *name, int64_t share)
{
	buf_printf(out, " %s=\"%lld.%02lld%%\"", name, (long long)(share / 100), (long long)(share % 100));
}

static void add_rect(struct buf *out, const char *class, const char *of, int64_t from, int64_t wide)
{
	buf_printf(out, "<rect class=\"%s%s\" y=\"%d\" height=\"%d\"", class, of, BAR_TOP, BAR_HEIGHT);
	add_share(out, "x", from);
	add_share(out, "width", wide);
	buf_add_cstr(out, "/>");
}

const char *chart_class(enum phase phase)
{
	static const char *const classes[PHASE_COUNT + 1] = {
		[PHASE_DELETING] = "deleting", [PHASE_FAILED] = "failed", [PHASE_WAITING] = "waiting", [PHASE_PROVISIONING] = "progress",
		[PHASE_UPDATING] = "progress", [PHASE_MAINTENANCE] = "progress", [PHASE_SCALING] = "progress", [PHASE_DEGRADED] = "degraded",
		[PHASE_SUSPENDED] = "suspended", [PHASE_READY] = "ready", [PHASE_UNKNOWN] = "unknown", [PHASE_COUNT] = "absent",
	};

	return classes[phase];
}

static void add_bar(const struct chart *c, const struct chart_bar *b, struct buf *out, struct arena *a)
{
	int64_t from = position(c, b->from), wide = position(c, b->to) - from, pixels = wide * NARROW / 10000;
	const char *glyph = b->phase < PHASE_COUNT ? phase_appearance(b->phase)->glyph : "✖", *class = chart_class(b->phase);
	bool word = pixels >= (int64_t)b->word.len * LETTER + AROUND;

	buf_add_cstr(out, b->unsure ? "<g class=\"unsure\"><title>" : "<g><title>");
	html_text(bar_words(c, b, a), out);
	buf_add_cstr(out, "</title>");
	add_rect(out, "f-", class, from, wide > 15 ? wide : 15);
	add_rect(out, "t-", class, from, wide > 15 ? wide : 15);
	if (pixels >= GLYPH) {
		buf_printf(out, "<text class=\"o-%s\" dx=\"5\" y=\"%d\"", class, TEXT_AT);
		add_share(out, "x", from);
		buf_printf(out, ">%s%s", glyph, word ? " " : "");
		if (word)
			html_text(b->word, out);
		buf_add_cstr(out, "</text>");
	}
	buf_add_cstr(out, "</g>");
}

static void add_row_mark(const struct chart *c, int64_t mark, struct buf *out, struct arena *a)
{
	buf_add_cstr(out, "<g><title>changed ");
	html_text(when_clock(mark, c->to, a), out);
	buf_printf(out, "</title><circle class=\"mark\" r=\"4\" cy=\"%d\"", ROW_HEIGHT / 2);
	add_share(out, "cx", position(c, mark));
	buf_add_cstr(out, "/></g>");
}

static void add_row(const struct chart *c, size_t number, struct buf *out, struct arena *a)
{
	const struct chart_row *row = &c->rows[number];

	buf_printf(out, "<div class=\"row%s\"><div class=\"label\"><bdi>", row->cause ? " of-cause" : "");
	html_text(row->name, out);
	buf_add_cstr(out, "</bdi>");
	if (row->where.len) {
		buf_add_cstr(out, " <bdi class=\"place\">");
		html_text(row->where, out);
		buf_add_cstr(out, "</bdi>");
	}
	buf_printf(out, "</div><svg role=\"img\" aria-labelledby=\"t%zu d%zu\" width=\"100%%\" height=\"%d\"><title id=\"t%zu\">", number, number,
		   ROW_HEIGHT, number);
	html_text(row->name, out);
	buf_printf(out, "</title><desc id=\"d%zu\">", number);
	html_text(chart_words(c, row, a), out);
	buf_add_cstr(out, "</desc>");
	for (size_t i = 0; i < row->nbars; i++)
		add_bar(c, &row->bars[i], out, a);
	for (size_t i = 0; i < row->nmarks; i++)
		add_row_mark(c, row->marks[i], out, a);
	buf_add_cstr(out, "</svg></div>\n");
}

/* Adds how many objects have no row, behind those of a root cause that have one. */
static void add_more(size_t more, struct buf *out, struct arena *a)
{
	if (more)
		BUF_JOIN(out, STR("<div class=\"row more\"><div class=\"label\">and "), words_count(more, a), STR(" more that it blocked</div></div>\n"));
}

/* Adds the moments at the axis, and behind the rows a line for each and the times in which nothing was observed. */
static void add_axis(const struct chart *c, struct buf *out, struct arena *a)
{
	size_t n;
	const int64_t *ticks = chart_ticks(c->from, c->to, a, &n);
	int64_t step = n > 1 ? ticks[1] - ticks[0] : MINUTES(1);

	buf_add_cstr(out, "<svg class=\"grid\" aria-hidden=\"true\" width=\"100%\" height=\"100%\"><g>");
	for (size_t i = 0; i < c->gaps.n; i++) {
		int64_t from = position(c, c->gaps.all[i].from);

		buf_add_cstr(out, "<rect class=\"gap\" y=\"18\" height=\"100%\"");
		add_share(out, "x", from);
		add_share(out, "width", position(c, c->gaps.all[i].to) - from);
		buf_add_cstr(out, "/>");
	}
	for (size_t i = 0; i < n; i++) {
		buf_add_cstr(out, "<line class=\"tick\" y1=\"18\" y2=\"100%\"");
		add_share(out, "x1", position(c, ticks[i]));
		add_share(out, "x2", position(c, ticks[i]));
		buf_add_cstr(out, "/>");
	}
	buf_add_cstr(out, "</g><g>");
	for (size_t i = 0; i < n; i++) {
		int64_t at = position(c, ticks[i]);

		buf_printf(out, "<text class=\"clock\" y=\"12\" text-anchor=\"%s\"", at < 700 ? "start" : at > 9300 ? "end" : "middle");
		add_share(out, "x", at);
		buf_add_cstr(out, ">");
		html_text(tick_words(ticks[i], step, a), out);
		buf_add_cstr(out, "</text>");
	}
	buf_add_cstr(out, "</g></svg>\n");
}

/* Adds what the patterns over the bars look like; they tell phases apart without their colours. */
static void add_patterns(struct buf *out)
{
	static const struct {
		const char *name, *path;
	} patterns[] = {
		{ "waiting", "M-2 2l4-4M0 8l8-8M6 10l4-4" }, { "degraded", "M-2 6l4 4M0 0l8 8M6-2l4 4" }, { "progress", "M1 4h3" },
		{ "deleting", "M4 0v8" }, { "unknown", "M0 8l8-8M0 0l8 8" }, { "suspended", "M0 4h8" }, { "absent", "M0 8l8-8M0 0l8 8" },
	};

	buf_add_cstr(out, "<svg class=\"patterns\" aria-hidden=\"true\" width=\"0\" height=\"0\"><defs>");
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		buf_printf(out, "<pattern id=\"p-%s\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path class=\"h-%s\" d=\"%s\"/></pattern>",
			   patterns[i].name, patterns[i].name, patterns[i].path);
	buf_add_cstr(out, "</defs></svg>\n");
}

/* Adds a sample of each phase that is in the chart. */
static void add_legend(const struct chart *c, struct buf *out)
{
	bool used[PHASE_COUNT + 1] = { false }, marks = false;

	for (size_t i = 0; i < c->nrows; i++) {
		for (size_t k = 0; k < c->rows[i].nbars; k++)
			used[c->rows[i].bars[k].phase] = true;
		marks |= c->rows[i].nmarks > 0;
	}
	buf_add_cstr(out, "<ul class=\"legend\">");
	for (enum phase p = 0; p < PHASE_COUNT; p++)
		if (used[p]) {
			buf_add_cstr(out, "<li><svg aria-hidden=\"true\" width=\"22\" height=\"24\">");
			add_rect(out, "f-", chart_class(p), 0, 10000);
			add_rect(out, "t-", chart_class(p), 0, 10000);
			buf_printf(out, "</svg> %s %s</li>", phase_appearance(p)->glyph, phase_name(p));
		}
	if (used[PHASE_COUNT])
		buf_add_cstr(out, "<li><svg aria-hidden=\"true\" width=\"22\" height=\"24\"><rect class=\"f-absent\" y=\"3\" width=\"22\" height=\"18\"/>"
				  "<rect class=\"t-absent\" y=\"3\" width=\"22\" height=\"18\"/></svg> ✖ a root cause that has no phase</li>");
	if (marks)
		buf_add_cstr(out, "<li><svg aria-hidden=\"true\" width=\"12\" height=\"24\"><circle class=\"mark\" r=\"4\" cx=\"6\" cy=\"12\"/></svg> changed</li>");
	if (c->gaps.n)
		buf_add_cstr(out, "<li><svg aria-hidden=\"true\" width=\"22\" height=\"24\"><rect class=\"gap\" width=\"22\" height=\"24\"/></svg> gap: nothing was recorded</li>");
	buf_add_cstr(out, "</ul>\n");
}

void chart_html(const struct chart *c, struct buf *out)
{
	struct arena a = { 0 };
	size_t more = 0;

	buf_add_cstr(out, "<figure>\n");
	add_patterns(out);
	buf_add_cstr(out, "<div class=\"lanes\">\n");
	add_axis(c, out, &a);
	for (size_t i = 0; i < c->nrows; i++) {
		if (c->rows[i].cause) {
			add_more(more, out, &a);
			more = c->rows[i].more;
		}
		add_row(c, i, out, &a);
	}
	add_more(more, out, &a);
	buf_add_cstr(out, "</div>\n");
	add_legend(c, out);
	buf_add_cstr(out, "</figure>\n");
	arena_release(&a);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The details of one object, tab by tab. */
#include "tui/view/detail.h"

#include "kube/status/family.h"

#include "kube/base/time.h"
#include "tui/view/absent.h"
#include "tui/view/blocked.h"
#include "tui/view/cause_facts.h"
#include "tui/view/layout.h"
#include "tui/view/place.h"
#include "tui/view/read_text.h"
#include "tui/view/views.h"
#include "tui/words/explain.h"
#include "tui/words/recovery.h"
#include "tui/words/words.h"

/* The state of the view. */
struct details {
	bool no_follow;		/* Logs does not follow the end of the log */
	size_t part;		/* 1 + the container, or the Pod of a workload, that Logs shows; 0: all */
};

static struct details *own(const struct ui *ui)
{
	return ui_own(ui, VIEW_DETAIL);
}

static void detail_overview(struct detail *d);
static void detail_conditions(struct detail *d);
static void detail_async(struct detail *d);
static void detail_dependencies(struct detail *d);
static void detail_deletion(struct detail *d);
static void detail_events(struct detail *d);
static void detail_yaml(struct detail *d);
static void detail_logs(struct detail *d);

static void (*const builders[TAB_COUNT])(struct detail *d) = {
	[TAB_OVERVIEW] = detail_overview,
	[TAB_CONDITIONS] = detail_conditions,
	[TAB_ASYNC] = detail_async,
	[TAB_DEPENDENCIES] = detail_dependencies,
	[TAB_DELETION] = detail_deletion,
	[TAB_EVENTS] = detail_events,
	[TAB_YAML] = detail_yaml,
	[TAB_LOGS] = detail_logs,
};

/* Adds a label and its text, wrapped; nothing when text is empty. */
static void add_fact(struct detail *d, const char *label, struct str text, enum style style)
{
	why_fact(d->lines, label, text, style, d->width);
}

/* Returns a time with its age: "2026-11-20T08:41:07Z, 14m ago"; "" when it is not known. */
static struct str detail_time(struct detail *d, int64_t ms)
{
	char text[TIME_TEXT];

	if (!ms)
		return STR_NONE;
	return ARENA_JOIN(d->a, str_of(time_format(ms, text)), STR(", "), words_age(ms, d->scene->now, d->a), STR(" ago"));
}

static struct str since_words(struct detail *d)
{
	struct str cause;

	if (d->item.s.since || d->item.s.phase == PHASE_READY)
		return detail_time(d, d->item.s.since);
	cause = detail_time(d, words_since_of_cause(d->scene->graph, d->item.s.id.handle, d->a));
	return cause.len ? arena_printf(d->a, "not known; of what it waits for " STR_FMT, STR_ARG(cause)) : cause;
}

static struct str replicas_words(struct detail *d)
{
	const struct replicas *r = &d->item.s.replicas;
	struct str out;

	if (r->ready < 0)
		return STR_NONE;
	out = r->wanted < 0 ? arena_printf(d->a, "%d ready", r->ready)
			    : arena_printf(d->a, "%d of %d ready", r->ready, r->wanted);
	if (r->updated >= 0)
		out = arena_printf(d->a, STR_FMT ", %d updated", STR_ARG(out), r->updated);
	return out;
}

static struct str chain_words(struct detail *d)
{
	enum { CHAIN = 16 };
	struct item_wait *chain = arena_array(d->a, CHAIN, sizeof(*chain));
	size_t n = words_chain_of(d->scene->graph, d->item.s.id.handle, chain, CHAIN);
	struct str out = STR_NONE;

	for (size_t i = 0; i < n; i++)
		out = ARENA_JOIN(d->a, out, str_of(i ? " → " : ""), words_because(d->scene->graph, d->kinds, &chain[i], d->a));
	return out;
}

static struct str part_of_words(struct detail *d)
{
	struct summary owner;

	if (!graph_summary(d->scene->graph, d->item.s.owner, &owner))
		return STR_NONE;
	return words_id(d->kinds, &owner.id, d->a);
}

static struct str flags_words(struct detail *d)
{
	struct str out = STR_NONE;

	for (size_t i = 0; i < d->item.status.nflags; i++)
		out = ARENA_JOIN(d->a, out, str_of(i ? "; " : ""), explain_flag(d->item.status.flags[i], d->a));
	return out;
}

static void add_shared(struct detail *d)
{
	struct str words[FACTS_SHARED];
	size_t n = facts_shared_by(d->scene->graph, d->kinds, d->item.s.id.handle, words, d->a);

	for (size_t i = 0; i < n; i++)
		add_fact(d, i ? "" : LABEL_SHARE, words[i], STYLE_NORMAL);
}

static void detail_overview(struct detail *d)
{
	const struct item *item = &d->item;
	struct str roots = STR_NONE, recovery;

	for (size_t i = 0; i < item->nroots; i++)
		roots = ARENA_JOIN(d->a, roots, str_of(i ? ", " : ""), words_id(d->kinds, &item->roots[i], d->a));
	add_fact(d, LABEL_NEXT, why_next_step(d->scene->graph, &item->s, READER_HERE, d->a), STYLE_KEY);
	add_fact(d, "why", chain_words(d), STYLE_STRONG);
	add_fact(d, LABEL_REASON, str_eq(item->s.reason, item->s.message) ? STR_NONE : item->s.reason, STYLE_NORMAL);
	add_fact(d, LABEL_MESSAGE, item->s.message,
		    severity_style(item->s.severity) == STYLE_DIM ? STYLE_DIM : STYLE_NORMAL);
	add_fact(d, LABEL_RULE, words_rule(item, d->a), STYLE_NORMAL);
	add_fact(d, LABEL_AGREES, words_facts(item, BECAUSE_AGREES, d->a), STYLE_NORMAL);
	add_fact(d, LABEL_OVERRULED, words_facts(item, BECAUSE_OVERRULED, d->a), STYLE_NORMAL);
	add_fact(d, "cause", roots, STYLE_NORMAL);
	add_fact(d, LABEL_BLOCKS, cause_blocks(d->scene->graph, d->kinds, graph_root(d->scene->graph, item->s.id.handle), d->a), STYLE_NORMAL);
	add_fact(d, LABEL_OWNER, why_owner(d->scene->graph, d->kinds, item->s.id.handle, d->a), STYLE_NORMAL);
	add_fact(d, LABEL_RUNBOOK, words_first_line(graph_runbook(d->scene->graph, item->s.id.handle)), STYLE_NORMAL);
	why_before(d->lines, d->scene->store, d->scene->graph, item->s.id.handle, d->width);
	add_shared(d);
	recovery_of(d->scene->graph, item, d->scene->now, d->a, &recovery);
	add_fact(d, LABEL_RECOVERY, recovery, STYLE_NORMAL);
	lines_blank(d->lines);
	if (!str_eq(item->s.operator_phase, item->s.reason))
		add_fact(d, "reported", item->s.operator_phase, STYLE_NORMAL);	/* verbatim: people search runbooks for it */
	add_fact(d, "since", since_words(d), STYLE_NORMAL);
	if (item->s.stale)
		add_fact(d, "stale", STR("the operator has not touched this status for long"),
			    STYLE_WARN);
	if (d->scene->header->forbidden && graph_unreadable(d->scene->graph, item->s.id.handle))
		add_fact(d, "unreadable", STR("it may not be read any more: this is how it was seen last"),
			    STYLE_WARN);
	add_fact(d, "replicas", replicas_words(d), STYLE_NORMAL);
	add_fact(d, LABEL_VERSION, words_version(item, d->a), STYLE_NORMAL);
	add_fact(d, "generation", words_generation(d->scene->store, item, d->a), STYLE_NORMAL);
	add_fact(d, "part of", part_of_words(d), STYLE_NORMAL);
	add_fact(d, "created", detail_time(d, item->s.created), STYLE_DIM);
	add_fact(d, "remarks", flags_words(d), STYLE_DIM);
	add_fact(d, "rules of", str_of(store_meta(d->scene->store, item->s.id.handle).family->title), STYLE_DIM);
	add_fact(d, "uid", item->uid, STYLE_DIM);
}

static const struct column dependency_columns[] = {
	{ .title = "RESOURCE", .min = 16, .want = 40, .max = 70, .grow = 1, .clip = CLIP_MIDDLE },
	{ .title = "PHASE", .min = 15, .want = 15, .max = 15 },
	{ .title = "RELATION", .min = 10, .want = 12, .max = 14 },
	{ .title = "FIELD", .min = 16, .want = 40, .rank = 1, .grow = 1 },
};

enum { DEPENDENCY_COLUMNS = sizeof(dependency_columns) / sizeof(dependency_columns[0]) };

static void set_columns(struct ui *ui, const struct column *columns, size_t n)
{
	ui->ncolumns = n;
	for (size_t i = 0; i < n; i++)
		ui->columns[i] = columns[i];
}

static void detail_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	struct arena arena = { 0 };
	struct place *place = ui_place(ui);
	struct detail d = {
		.scene = scene,
		.kinds = store_kinds(scene->store),
		.lines = lines,
		.a = &arena,
		.width = ui->cols - 1,
		.want = WANT_NOTHING,
	};
	struct handle h;

	ui->ncolumns = 0;
	d.ui = ui;
	d.want = ui_wants(ui, &h);
	ui->loading = false;
	if (graph_item(scene->graph, place->subject, &arena, &d.item)) {
		builders[place->tab](&d);
	} else if (is_absent(scene, place->subject) && tab_has_text(scene, place->subject, place->tab)) {
		d.item.s.id.handle = place->subject;
		ui->absence = ABSENCE_GONE;
		builders[place->tab](&d);
	} else if (is_absent(scene, place->subject)) {
		place->tab = TAB_DEPENDENCIES;
		set_columns(ui, dependency_columns, DEPENDENCY_COLUMNS);
		detail_absent(&d, place->subject);
	} else {
		lines_note(lines, absent_words(scene, place->subject));
	}
	arena_release(&arena);
}

/* Adds below a row the text that is too long for a column. */
static void below(struct detail *d, struct str text, enum style style)
{
	size_t first = d->lines->n;

	if (text.len)
		lines_wrap(d->lines, text, (struct text){ STR("      "), STR("      "), style },
			   d->width);
	for (size_t i = first; i < d->lines->n; i++)
		d->lines->all[i].flags |= LINE_HEADING;
}

/* ---- conditions ------------------------------------------------------------- */

static enum normality normality_of(const struct condition *c)
{
	bool yes = str_is(c->status, "True"), no = str_is(c->status, "False");

	if (c->polarity == POLARITY_UNKNOWN || (!yes && !no))
		return NORMALITY_UNKNOWN;
	if (c->polarity == POLARITY_POSITIVE)
		return yes ? NORMALITY_NORMAL : NORMALITY_ABNORMAL;
	if (c->polarity == POLARITY_NEGATIVE)
		return no ? NORMALITY_NORMAL : NORMALITY_ABNORMAL;
	return no ? NORMALITY_NORMAL : NORMALITY_UNKNOWN;
}

/*
 * True when the condition decided the phase: the rule begins with its type and status, or the summary has its reason
 * and message.
 */
static bool has_decided(const struct item *item, const struct condition *c)
{
	struct str rule = item->rule;

	if (rule.len > c->type.len && str_eq(str_head(rule, c->type.len), c->type) && rule.ptr[c->type.len] == '=')
		return str_eq(str_head(str_from(rule, c->type.len + 1), c->status.len), c->status);
	return c->reason.len && str_eq(c->reason, item->s.reason) && str_eq(c->message, item->s.message);
}

enum normality condition_normality(const struct item *item, const struct condition *c)
{
	enum normality normality = normality_of(c);
	bool bad = item->s.phase == PHASE_FAILED || item->s.phase == PHASE_DEGRADED;

	if (normality == NORMALITY_NORMAL && item->s.phase != PHASE_READY && has_decided(item, c))
		return bad ? NORMALITY_ABNORMAL : NORMALITY_UNKNOWN;
	return normality;
}

static const struct {
	const char *glyph;
	enum style style, text;
} normalities[] = {
	[NORMALITY_UNKNOWN] = { "·", STYLE_NORMAL, STYLE_NORMAL },
	[NORMALITY_NORMAL] = { "✔", STYLE_DIM, STYLE_DIM },
	[NORMALITY_ABNORMAL] = { "✖", STYLE_BAD, STYLE_NORMAL },
};

static void detail_conditions(struct detail *d)
{
	static const struct column columns[] = {
		{ .title = "TYPE", .min = 16, .want = 30, .max = 48, .grow = 1 },
		{ .title = "STATUS", .min = 7, .want = 7, .max = 12 },
		{ .title = "SINCE", .min = 5, .want = 5, .max = 5, .rank = 1, .right = true },
		{ .title = "SEVERITY", .min = 8, .want = 8, .max = 12, .rank = 3 },
		{ .title = "REASON", .min = 12, .want = 30, .rank = 2, .grow = 2 },
	};
	const struct status *s = &d->item.status;

	set_columns(d->ui, columns, sizeof(columns) / sizeof(columns[0]));
	if (s->nconditions == 0)
		lines_note(d->lines, STR(" It has no conditions."));
	for (size_t i = 0; i < s->nconditions; i++) {
		const struct condition *c = &s->conditions[i];
		enum normality normality = condition_normality(&d->item, c);
		enum style text = normalities[normality].text, style = normalities[normality].style;

		if (style == STYLE_BAD && d->item.s.severity != SEVERITY_ERROR)
			style = STYLE_WARN;

		lines_add(d->lines)->key = key_mix_str(key_mix(11, i), c->type);
		lines_cell(d->lines,
			   arena_printf(d->a, "%s " STR_FMT, normalities[normality].glyph,
					STR_ARG(c->type)),
			   style);
		lines_cell(d->lines, c->status, style);
		lines_cell(d->lines, words_age(c->since, d->scene->now, d->a), text);
		lines_cell(d->lines, c->severity, text);
		lines_cell(d->lines, c->reason, text);
		below(d, c->message, text);
	}
}

/* ---- async ------------------------------------------------------------------ */

static void detail_async(struct detail *d)
{
	const struct async *async = d->item.status.async;
	struct str state = STR_NONE;

	if (!async) {
		lines_note(d->lines, STR(" No asynchronous operation is known."));
		return;
	}
	if (async->percent >= 0)
		add_fact(d, "done", words_bar(async->percent, d->a), STYLE_PROGRESS);
	if (async->class.len || async->phase.len)
		state = arena_printf(d->a, STR_FMT "%s" STR_FMT, STR_ARG(async->phase),
				     async->phase.len && async->class.len ? " · " : "",
				     STR_ARG(async->class));
	add_fact(d, "operation", state, STYLE_STRONG);
	add_fact(d, "known from", explain_async_source(async->source), STYLE_NORMAL);
	add_fact(d, "updated", detail_time(d, async->updated), STYLE_NORMAL);
	add_fact(d, "verbatim",
		    async->raw_operation.len
			    ? arena_printf(d->a, STR_FMT " / " STR_FMT, STR_ARG(async->raw_status),
					   STR_ARG(async->raw_operation))
			    : async->raw_status,
		    STYLE_NORMAL);
	add_fact(d, "message", async->message, STYLE_NORMAL);
	add_fact(d, "work req", async->work_request_id, STYLE_NORMAL);
	add_fact(d, "request", async->request_id, STYLE_NORMAL);
	if (async->work_request_id.len || async->request_id.len)
		add_fact(d, "",
			    STR("y copies the id for the cloud's console or a support ticket"),
			    STYLE_DIM);
}

/* ---- dependencies ----------------------------------------------------------- */

static void add_dependency(struct detail *d, const struct dependency *dep, bool refers)
{
	struct text phase = dep->found ? words_phase(dep->phase, d->a) : words_absent(words_waits_missing(&d->item, &dep->on));
	struct line *line = lines_add(d->lines);
	bool well = dep->found && dep->phase == PHASE_READY;
	struct str name = words_id(d->kinds, &dep->on, d->a);

	line->key = key_mix_str(key_mix_str(key_mix_str(key_mix(12, refers), dep->on.kind),
					    dep->on.name),
				dep->via);
	line->object = dep->found ? dep->on.handle : HANDLE_NONE;
	if (!dep->found)
		line->texts = absent_texts(d->scene, d->item.s.id.handle, &dep->on, d->lines);
	if (dep->on.ns.len && !str_eq(dep->on.ns, d->item.s.id.ns))
		name = arena_printf(d->a, STR_FMT " · " STR_FMT, STR_ARG(name),
				    STR_ARG(dep->on.ns));
	lines_cell(d->lines, name, well ? STYLE_DIM : STYLE_NORMAL);
	lines_cell(d->lines, phase.str, phase.style);
	lines_cell(d->lines, str_of(words_relation(dep->relation, refers)), STYLE_DIM);
	lines_cell(d->lines, dep->via, STYLE_DIM);
}

static void add_waits(struct detail *d)
{
	if (d->item.nwaits == 0)
		return;
	lines_heading(d->lines, "  waits on");
	for (size_t i = 0; i < d->item.nwaits; i++) {
		const struct item_wait *w = &d->item.waits[i];
		struct line *line = lines_add(d->lines);

		line->key = key_mix_str(key_mix(13, i), w->on.name);
		line->object = w->on.handle;
		if (!w->on.handle.slot)
			line->texts = absent_texts(d->scene, d->item.s.id.handle, &w->on, d->lines);
		lines_cell(d->lines, words_on(d->kinds, w, d->a), STYLE_STRONG);
		lines_cell(d->lines, str_of(wait_state_name(w->state)), STYLE_WAIT);
		lines_cell(d->lines, STR("needs"), STYLE_DIM);
		lines_cell(d->lines, w->via, STYLE_DIM);
		below(d, w->message, STYLE_DIM);
	}
	lines_blank(d->lines);
}

static void detail_dependencies(struct detail *d)
{
	const struct item *item = &d->item;

	set_columns(d->ui, dependency_columns, DEPENDENCY_COLUMNS);
	add_waits(d);
	lines_heading(d->lines, "  refers to");
	for (size_t i = 0; i < item->ndependencies; i++)
		add_dependency(d, &item->dependencies[i], true);
	if (item->ndependencies == 0)
		lines_note(d->lines, STR("  nothing"));
	lines_blank(d->lines);
	lines_heading(d->lines, "  referred to by");
	for (size_t i = 0; i < item->ndependents; i++)
		add_dependency(d, &item->dependents[i], false);
	if (item->ndependents == 0)
		lines_note(d->lines, STR("  nothing"));
}

/* ---- deletion --------------------------------------------------------------- */

static void add_finalizers(struct detail *d, const struct deletion *deletion)
{
	struct str controllers = words_controllers(d->scene->graph, d->kinds, &d->item, d->a);

	for (size_t i = 0; i < deletion->nfinalizers; i++) {
		const struct finalizer *f = &deletion->finalizers[i];
		bool stuck = str_is(f->state, "stuck");

		lines_add(d->lines)->flags = LINE_HEADING;
		lines_cell(d->lines, f->name, STYLE_NORMAL);
		lines_cell(d->lines, f->state, stuck ? STYLE_BAD : STYLE_LEAVING);
		lines_cell(d->lines, f->held_for, STYLE_NORMAL);
		lines_cell(d->lines, str_of(explain_finalizer(f->state)), STYLE_DIM);
	}
	if (controllers.len) {
		lines_add(d->lines)->flags = LINE_SPAN | LINE_HEADING;
		lines_cell(d->lines, arena_printf(d->a, "  Served by " STR_FMT, STR_ARG(controllers)),
			   STYLE_DIM);
	}
	if (deletion->nblocked_by) {
		lines_blank(d->lines);
		lines_heading(d->lines, "  cannot go while these are there");
	}
	for (size_t i = 0; i < deletion->nblocked_by; i++) {
		lines_add(d->lines)->object = deletion->blocked_by[i].handle;
		d->lines->all[d->lines->n - 1].key =
			key_mix_str(key_mix(15, i), deletion->blocked_by[i].name);
		lines_cell(d->lines, words_id(d->kinds, &deletion->blocked_by[i], d->a),
			   STYLE_NORMAL);
	}
}

static void detail_deletion(struct detail *d)
{
	static const struct column columns[] = {
		{ .title = "FINALIZER", .min = 20, .want = 44, .max = 70, .grow = 1 },
		{ .title = "STATE", .min = 10, .want = 10, .max = 12 },
		{ .title = "HELD FOR", .min = 10, .want = 16, .max = 24, .rank = 1 },
		{ .title = "MEANS", .min = 16, .want = 40, .rank = 2, .grow = 1 },
	};
	const struct deletion *deletion = d->item.deletion;
	const struct status *s = &d->item.status;

	if (deletion) {
		set_columns(d->ui, columns, sizeof(columns) / sizeof(columns[0]));
		lines_add(d->lines)->flags = LINE_SPAN | LINE_HEADING;
		lines_cell(d->lines,
			   ARENA_JOIN(d->a, STR("  Being deleted for "), words_age(deletion->since, d->scene->now, d->a),
				      STR("."), str_of(deletion->nfinalizers ? " Held by:" : "")),
			   STYLE_LEAVING);
		add_finalizers(d, deletion);
		return;
	}
	lines_note(d->lines, STR(" It is not being deleted."));
	if (s->nfinalizers)
		lines_heading(d->lines, " When it is, it waits for these finalizers:");
	for (size_t i = 0; i < s->nfinalizers; i++)
		lines_note(d->lines, arena_printf(d->a, "   " STR_FMT, STR_ARG(s->finalizers[i])));
}

/* ---- what is fetched ---------------------------------------------------------- */

/* Returns true when there is a text to show; else adds a line that says why there is none. */
static bool is_fetched(struct detail *d, const struct fetched *f)
{
	d->ui->loading = !f || f->state == FETCH_LOADING;
	if (d->ui->loading)
		lines_note(d->lines, STR(" Reading …"));
	else if (f->state == FETCH_ERROR)
		add_fact(d, "not known", f->error, STYLE_WARN);
	else
		return true;
	return false;
}

/* Notes beside the title when the text was read: it does not come from the store and can be old. */
static void add_read(struct detail *d, const struct fetched *f, struct str more)
{
	struct str out = more, when = f->read ? words_clock(f->read, d->a) : STR_NONE;

	if (f->read)
		out = arena_printf(d->a, "read " STR_FMT "%s" STR_FMT, STR_ARG(when), more.len ? " · " : "",
				   STR_ARG(more));
	if (!store_alive(d->scene->store, f->handle))
		out = arena_printf(d->a, STR_FMT ", before it was %s%s", STR_ARG(out), absent_is_let_go(d->scene, f->handle) ? "not watched any more" :
				   store_was_deselected(d->scene->store, f->handle.slot) ? "not in the selection any more" : "deleted",
				   absent_successor(d->scene, f->handle).slot ? "; another one of that name is there" : "");
	if (f->read && d->scene->past)
		out = arena_printf(d->a, STR_FMT ", not of the moment that is shown", STR_ARG(out));
	d->ui->note = arena_str(&d->ui->arena, out);
}

/* Returns whose Events are shown besides those of the object: "with those of 8 parts, the worst of 20". */
static struct str parts_words(struct detail *d, const struct fetched *f)
{
	struct str out = f->parts ? arena_printf(d->a, "with those of %zu part%s", f->parts, words_plural(f->parts)) :
				    STR_NONE;

	return f->parts_left_out ? arena_printf(d->a, STR_FMT ", the worst of %zu", STR_ARG(out),
						f->parts + f->parts_left_out) :
				   out;
}

static struct str no_events_words(const struct detail *d)
{
	enum link link = d->scene->header->link;

	return link == LINK_FILES || link == LINK_REPLAY ?
		       STR(" No Events of it are here: it is not known whether there were any.") :
		       STR(" No Events (they are kept for an hour).");
}

static void add_event(struct detail *d, const struct event_row *e, bool of_parts)
{
	bool warning = str_is(e->type, "Warning");

	lines_add(d->lines)->key = key_mix_str(key_mix(16, (uint64_t)e->time), e->reason);
	lines_cell(d->lines, words_age(e->time, d->scene->now, d->a), STYLE_NORMAL);
	lines_cell(d->lines, e->type, warning ? STYLE_WARN : STYLE_DIM);
	lines_cell(d->lines, e->reason, STYLE_NORMAL);
	if (of_parts)
		lines_cell(d->lines, e->about.name.len ? words_id(d->kinds, &e->about, d->a) :
							 words_id(d->kinds, &d->item.s.id, d->a), STYLE_NORMAL);
	lines_cell(d->lines, e->count > 1 ? arena_printf(d->a, "×%u", e->count) : STR_NONE, STYLE_DIM);
	lines_cell(d->lines, e->source, STYLE_DIM);
	below(d, e->message, warning ? STYLE_NORMAL : STYLE_DIM);
}

static void detail_events(struct detail *d)
{
	static const struct column columns[] = {
		{ .title = "SINCE", .min = 5, .want = 5, .max = 5, .right = true },
		{ .title = "TYPE", .min = 8, .want = 8, .max = 10, .rank = 2 },
		{ .title = "REASON", .min = 12, .want = 24, .max = 32 },
		{ .title = "RESOURCE", .min = 16, .want = 24, .max = 60, .rank = 1, .grow = 2, .clip = CLIP_MIDDLE },
		{ .title = "TIMES", .min = 5, .want = 5, .max = 6, .rank = 3, .right = true },
		{ .title = "FROM", .min = 8, .want = 24, .max = 40, .rank = 4, .grow = 1 },
	};
	enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), RESOURCE = 3 };
	const struct fetched *f = scene_fetched(d->scene, d->item.s.id.handle, WANT_EVENTS);

	if (!is_fetched(d, f))
		return;
	set_columns(d->ui, columns, RESOURCE);
	for (size_t i = f->parts ? RESOURCE : RESOURCE + 1; i < COLUMNS; i++)
		d->ui->columns[d->ui->ncolumns++] = columns[i];
	if (f->nevents == 0)
		lines_note(d->lines, no_events_words(d));
	add_read(d, f, parts_words(d, f));
	for (size_t i = f->nevents; i-- > 0;)
		add_event(d, &f->events[i], f->parts > 0);
}

/* ---- YAML ---------------------------------------------------------------------- */

/* True for "key:" with nothing behind it: the lines that are indented further belong to it. */
static bool opens_block(struct str line)
{
	line = str_trim(line);
	return line.len > 1 && line.ptr[line.len - 1] == ':';
}

static size_t count_blanks(struct str line)
{
	size_t n = 0;

	while (n < line.len && line.ptr[n] == ' ')
		n++;
	return n;
}

/* Adds the lines of a YAML text, without the lines that are folded away. */
static void add_yaml(struct detail *d, struct str text)
{
	size_t hidden = SIZE_MAX, number = 0;
	struct str line;

	while (text.len && str_split(&text, '\n', &line)) {
		size_t blanks = count_blanks(line), first = d->lines->n;
		uint64_t key = key_mix(key_mix_str(key_mix(22, blanks), str_trim(line)), ++number);
		bool opens = opens_block(line), closed = opens && ui_toggled(d->ui, key);

		/* The items of a list may be indented as deep as its key. */
		if (blanks > hidden || (blanks == hidden && str_starts(str_from(line, blanks), "- ")))
			continue;
		hidden = closed ? blanks : SIZE_MAX;
		add_read_line(d->ui, d->lines, opens ? (struct text){ .style = STYLE_NORMAL } : READ_LEAD,
			      closed ? arena_printf(d->a, STR_FMT " …", STR_ARG(line)) : line, blanks + 2);
		if (!opens)
			continue;
		d->lines->all[first].key = key;
		d->lines->all[first].fold = closed ? FOLD_CLOSED : FOLD_OPEN;
	}
}

static void detail_yaml(struct detail *d)
{
	const struct fetched *f = scene_fetched(d->scene, d->item.s.id.handle, WANT_YAML);

	if (!is_fetched(d, f))
		return;
	add_read(d, f, STR_NONE);
	/* The tab has one column without a title, because the marks of folds need a column to stand in. */
	set_columns(d->ui, &(struct column){ .title = "", .min = 1, .grow = 1 }, 1);
	add_yaml(d, f->text);
	if (d->lines->n == 0)
		lines_note(d->lines, STR(" Nothing."));
}

/* ---- logs ---------------------------------------------------------------------- */

static bool is_log_heading(struct str line)
{
	return str_starts(line, "==> ") && str_ends(line, " <==");
}

size_t logs_parts(const struct fetched *f)
{
	struct str rest = f && f->want == WANT_LOGS && f->state == FETCH_OK ? f->text : STR_NONE, line;
	size_t n = 0;

	if (rest.len && f->npods)
		return f->npods + (f->stream > 0);
	while (rest.len && str_split(&rest, '\n', &line))
		n += is_log_heading(line);
	return n;
}

/* Returns the Pod of a workload whose lines alone are shown; NULL: all are, or the run that ended. */
static const struct log_pod *chosen_pod(const struct ui *ui, const struct fetched *f)
{
	size_t before = f->stream > 0, part = own(ui)->part;

	return part > before && part - before <= f->npods ? &f->pods[part - before - 1] : NULL;
}

/*
 * Returns the time that the server writes in front of a line of a log, and removes it from the line; 0: there is none.
 */
static int64_t split_time(struct str *line)
{
	enum { CLOCK_AT = 11 };	/* where the time of day begins in a time */
	size_t end = str_find(*line, ' ');
	int64_t time = end > CLOCK_AT ? time_parse(str_head(*line, end)) : 0;

	if (time)
		*line = str_from(*line, end < line->len ? end + 1 : end);
	return time;
}

/* The lines of a log: the day of the last one, and whose they are. */
struct log_lines {
	struct detail *d;
	const struct fetched *f;
	int64_t day;
	bool of_pods;	/* behind the time stands the name of the Pod, in so many columns */
	int name_width;
};

/* Returns the style of a Pod's name.  It only tells names apart: nothing there is about health. */
static enum style style_of_pod(const struct fetched *f, struct str name)
{
	static const enum style styles[] = { STYLE_KEY, STYLE_LEAVING, STYLE_PROGRESS, STYLE_UNKNOWN, STYLE_STRONG, STYLE_DIM };
	size_t at = 0;

	while (at < f->npods && !str_eq(f->pods[at].name, name))
		at++;
	return styles[at % (sizeof(styles) / sizeof(styles[0]))];
}

/*
 * Takes the name of the Pod off a line, and returns what stands before the line: the time and that name.  Returns nothing
 * for a line of a Pod that is not shown.
 */
static struct text take_pod(const struct log_lines *l, struct str *line, struct str clock)
{
	const struct log_pod *only = chosen_pod(l->d->ui, l->f);
	struct str name = str_head(*line, str_find(*line, ' '));

	*line = str_from(*line, name.len + 1);
	if (only && !str_eq(only->name, name))
		return (struct text){ .style = STYLE_NORMAL };
	return (struct text){ .str = arena_printf(l->d->a, "  " STR_FMT "%s%-*.*s ", STR_ARG(clock), clock.len ? " " : "", l->name_width,
						  (int)name.len, name.ptr),
			      .style = style_of_pod(l->f, name) };
}

/* Adds a line of a log as "09:00:00 line", with a heading above it when its day differs from the line before. */
static void add_log_line(struct log_lines *l, struct str line)
{
	struct detail *d = l->d;
	int64_t time = split_time(&line);
	struct str clock = time ? words_clock(time, d->a) : STR_NONE;
	struct text lead = l->of_pods ? take_pod(l, &line, clock) : READ_LEAD;

	if (!lead.str.len)
		return;
	if (time && time / HOURS(24) != l->day) {
		l->day = time / HOURS(24);
		lines_heading(d->lines, ARENA_JOIN(d->a, STR("  "), words_day(time, d->a)).ptr);
	}
	line = without_colours(line, d->a);
	if (time && !l->of_pods)
		line = ARENA_JOIN(d->a, clock, STR(" "), line);
	add_read_line(d->ui, d->lines, lead, line, l->of_pods ? (size_t)text_width(lead.str) - 2 : 2);
}

bool ui_follows(const struct ui *ui)
{
	return place_is_log(ui_place_const(ui)) && !own(ui)->no_follow && !ui_place_const(ui)->moved;
}

void logs_show_all(struct ui *ui)
{
	own(ui)->part = 0;
}

/*
 * Returns true when the log may be written to of which the view shows the end: that of the last part, or before the user went
 * there of the first one, which is in trouble; of any when all of them fit.
 */
static bool is_running(const struct ui *ui, const struct fetched *f)
{
	const struct log_pod *only = f->npods ? chosen_pod(ui, f) : NULL;
	size_t part = own(ui)->part;
	bool end = ui_place_const(ui)->end, fits = ui->lines.n <= (size_t)ui_layout(ui).list_rows, any = false;

	for (size_t i = 0; i < f->npods; i++)
		any |= f->pods[i].runs;
	if (f->npods)
		return only ? only->runs : any && !part && (end || fits || !f->stream);
	if (!part && fits)
		return f->running != 0;
	return f->running >> (part ? part - 1 : end ? logs_parts(f) - 1 : 0) & 1;
}

/*
 * Returns true ("following") when all of this is true: the view stands at the end of the log and stays there; the log
 * is read again and again, and the last attempt succeeded; the Pod exists; a container that is shown still runs.  A
 * container that has ended writes no more.
 */
bool logs_follow(const struct ui *ui, const struct scene *scene)
{
	const struct fetched *f = scene_fetched(scene, ui_place_const(ui)->subject, WANT_LOGS);

	if (!f || f->state != FETCH_OK || f->error.len || !ui_follows(ui) || !store_alive(scene->store, f->handle))
		return false;
	return is_running(ui, f);
}

/* Adds the logs that stand under headings: of all containers, or of the chosen one. */
static void add_containers(struct log_lines *l, struct str text)
{
	struct ui *ui = l->d->ui;
	size_t container = 0, part = own(ui)->part;
	struct str line;

	while (text.len && str_split(&text, '\n', &line)) {
		container += is_log_heading(line);
		if (part && container != part)
			continue;
		if (is_log_heading(line) && container == 2)
			ui->log_end = l->d->lines->n;
		if (is_log_heading(line)) {
			lines_heading(l->d->lines, arena_printf(l->d->a, " " STR_FMT, STR_ARG(line)).ptr);
			l->day = l->d->scene->now / HOURS(24);
			continue;
		}
		add_log_line(l, line);
	}
}

/* Adds the lines of the Pods of a workload, with remarks between them. */
static void add_stream(struct log_lines *l, struct str text)
{
	struct detail *d = l->d;
	struct str line;

	l->of_pods = true;
	l->day = d->scene->now / HOURS(24);
	for (size_t i = 0; i < l->f->npods; i++)
		l->name_width = text_widest(l->f->pods[i].name, l->name_width);
	while (text.len && str_split(&text, '\n', &line))
		if (is_log_heading(line))
			lines_wrap(d->lines, line, (struct text){ STR(" "), STR("     "), STYLE_HEADING }, d->width);
		else
			add_log_line(l, line);
}

static struct str parts_of_log_words(struct detail *d, const struct fetched *f)
{
	size_t part = own(d->ui)->part, n = logs_parts(f);
	const struct log_pod *only = f->npods ? chosen_pod(d->ui, f) : NULL;

	if (only)
		return ARENA_JOIN(d->a, STR("only "), only->name, arena_printf(d->a, ", %zu of %zu", part, n));
	if (part && f->npods)
		return arena_printf(d->a, "the run that ended, 1 of %zu", n);
	if (part)
		return arena_printf(d->a, "container %zu of %zu", part, n);
	if (f->npods && f->pods_there > f->pods_followed)
		return arena_printf(d->a, "%zu of %zu pods are followed, > shows one", f->pods_followed, f->pods_there);
	if (f->npods)
		return arena_printf(d->a, "%zu pod%s%s", f->pods_followed, words_plural(f->pods_followed), n > 1 ? ", > shows one" : "");
	if (n > 1)
		return arena_printf(d->a, "%zu containers, > shows one", n);
	return STR_NONE;
}

/*
 * Adds logs.  Of several, the view first shows the end of the first one, because that is in trouble; what the user sees at
 * the end of all is followed.
 */
static void detail_logs(struct detail *d)
{
	const struct fetched *f = scene_fetched(d->scene, d->item.s.id.handle, WANT_LOGS);
	struct log_lines l = { .d = d, .f = f };

	if (!is_fetched(d, f))
		return;
	if (own(d->ui)->part > logs_parts(f))
		own(d->ui)->part = 0;
	if (f->npods && ui_follows(d->ui) && !f->error.len && store_alive(d->scene->store, f->handle))
		d->ui->note = arena_str(&d->ui->arena, parts_of_log_words(d, f));	/* it is read again and again */
	else
		add_read(d, f, parts_of_log_words(d, f));
	d->ui->log_end = 0;
	add_containers(&l, f->npods ? str_head(f->text, f->stream) : f->text);
	if (f->npods && f->stream)
		d->ui->log_end = d->lines->n;
	if (f->npods && (!f->stream || own(d->ui)->part != 1))
		add_stream(&l, str_from(f->text, f->stream));
	if (!d->ui->log_end || own(d->ui)->part || ui_place(d->ui)->end)
		d->ui->log_end = d->lines->n;
	if (d->lines->n == 0)
		lines_note(d->lines, STR(" Nothing."));
}

/* ---- keys ---------------------------------------------------------------------- */

static unsigned next_tab(struct ui *ui, const struct scene *scene, enum action action)
{
	int tab = (int)ui_place(ui)->tab, step = action == ACTION_TAB_NEXT ? 1 : TAB_COUNT - 1;

	do {
		tab = (tab + step) % TAB_COUNT;
	} while (!tab_exists(scene, ui_place(ui)->subject, (enum tab)tab));
	return act_set_tab(ui, (enum tab)tab);
}

static unsigned follow(struct ui *ui, const struct scene *scene)
{
	if (ui_place(ui)->tab != TAB_LOGS)
		return act_say(ui, scene, "f follows in Logs");
	own(ui)->no_follow = !own(ui)->no_follow;
	if (!own(ui)->no_follow)
		ui_move_to(ui, ui->lines.n);
	act_say(ui, scene, own(ui)->no_follow	 ? "not following" :
			   logs_follow(ui, scene) ? "following" : "this is the end: the run that is shown writes no more");
	return act_moved(ui);
}

static unsigned choose_container(struct ui *ui, const struct scene *scene, bool next)
{
	size_t n = logs_parts(scene->fetched);

	if (ui_place(ui)->tab != TAB_LOGS)
		return act_say(ui, scene, "< and > choose the container, or the Pod of a workload, in Logs");
	if (n < 2)
		return act_say(ui, scene, scene->fetched && scene->fetched->npods ? "there is only one Pod" : "there is only one container");
	own(ui)->part = (own(ui)->part + (next ? 1 : n)) % (n + 1);
	ui_place(ui)->moved = ui_place(ui)->end = false;
	return act_moved(ui);
}

static bool detail_act(struct ui *ui, const struct scene *scene, enum action action, unsigned *out_effects)
{
	switch ((int)action) {
	case ACTION_TAB_NEXT:
	case ACTION_TAB_PREVIOUS:
		*out_effects = next_tab(ui, scene, action);
		return true;
	case ACTION_FOLLOW:
		*out_effects = follow(ui, scene);
		return true;
	case ACTION_CONTAINER_NEXT:
	case ACTION_CONTAINER_PREVIOUS:
		*out_effects = choose_container(ui, scene, action == ACTION_CONTAINER_NEXT);
		return true;
	default:
		return false;
	}
}

/* ---- the view ------------------------------------------------------------------- */

static enum want detail_wants(const struct ui *ui, struct handle *out_handle)
{
	(void)out_handle;
	return tab_wants(ui_place_const(ui)->tab);
}

const struct view view_detail = {
	.title = "details",
	.resumes = "details",
	.build = detail_build,
	.ticks = true,
	.act = detail_act,
	.wants = detail_wants,
	.state = sizeof(struct details),
};

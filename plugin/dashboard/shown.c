/* SPDX-License-Identifier: Apache-2.0 */
/* What is on the screen: the header, and the world of the moment that is shown. */
#include "plugin/dashboard/dashboard.h"

#include "kube/base/redact.h"
#include "plugin/clock.h"
#include "plugin/notices.h"
#include "plugin/unread.h"

#include <poll.h>
#include <string.h>

/* ---- the header ------------------------------------------------------------ */

static void add_notices(struct dashboard *d)
{
	enum { NAMES = 100 };
	struct header *h = &d->header;
	size_t n;
	const struct notice_line *lines = notices_lines(&d->p->world, NAMES, "", &d->texts, &n);

	while (h->nnotices < n && h->nnotices < sizeof(d->notices) / sizeof(d->notices[0])) {
		d->notices[h->nnotices] = lines[h->nnotices].text;
		h->nnotices++;
	}
	h->more_notices = n - h->nnotices;
}

/*
 * Returns what the header shows as the selection, such as "pods,jobs -l app=web"; "" when a namespace is shown
 * completely.
 */
static struct str selection_shown(const struct dashboard *d, struct arena *a)
{
	const struct options *o = &d->p->options;
	struct str all = STR_NONE;

	if (d->chosen.kinds == KINDS_ONE)
		all = d->chosen.only.kind->plural;
	for (size_t i = 0; d->chosen.kinds == KINDS_ASKED && i < o->nargs; i++)
		all = arena_printf(a, STR_FMT "%s%s", STR_ARG(all), all.len ? " " : "", o->args[i]);
	if (o->selector || o->field_selector)
		all = all.len ? all : STR("all");
	if (o->selector)
		all = arena_printf(a, STR_FMT " -l %s", STR_ARG(all), o->selector);
	if (o->field_selector)
		all = arena_printf(a, STR_FMT " --field-selector %s", STR_ARG(all), o->field_selector);
	return all;
}

bool shown_is_history(const struct dashboard *d)
{
	return d->p->shows && d->p->shows != d->p;
}

void shown_header(struct dashboard *d)
{
	struct program *p = d->p;
	struct header *h = &d->header;

	arena_reset(&d->texts);
	unread_note(p);
	*h = (struct header){ .ns = p->query.ns, .notices = d->notices };
	p->source->header(p, h, &d->texts);
	d->fresh = p->source->facts(p).fresh;
	if (d->chosen.opening) {
		h->opening = str_of(d->chosen.opening->context);
		h->opening_since = d->chosen.opening->started;
		h->opening_login = live_login(d->chosen.opening->live);
	}
	h->no_namespace = unread_no_namespace(p);
	h->nothing_read = h->forbidden && unread_everything(p);
	h->partly_read |= unread_some(p);
	add_notices(d);
	h->selection = selection_shown(d, &d->texts);
	history_header(p->past, p->world.now, shown_is_history(d) ? p->shown->now : 0, h, &d->texts);
}

/* ---- the scene --------------------------------------------------------------- */

bool shown_selects_live(const void *program, struct handle h)
{
	const struct program *p = program;

	return query_selects(&p->query, &p->world, h);
}

bool shown_selects(const void *program, struct handle h)
{
	const struct program *p = program;

	return query_selects(&p->query, p->shown, h);
}

/* Returns the time whose labels are shown, ms; INT64_MAX: the present ones. */
static int64_t labels_time(const struct program *p)
{
	return p->shown ? p->shown->now : INT64_MAX;
}

static bool is_labelled(const void *program, struct handle h, struct str label)
{
	const struct program *p = program;

	return p->world.labels && labels_match_at(p->world.labels, h, labels_time(p), label);
}

static struct str label_of(const void *ctx, struct handle h, size_t label)
{
	const struct dashboard *d = ctx;
	const struct program *p = d->p->shows ? d->p->shows : d->p;
	struct str value = STR_NONE;

	if (p->world.labels)
		labels_get_at(p->world.labels, h, labels_time(p), str_of(d->p->options.label_columns.values[label]), &value);
	return value;
}

/* Makes what changed name objects of the world that is shown, while that comes from a recording. */
static void show_changed(const struct dashboard *d, struct changed_object *o)
{
	const struct world *w = d->p->shown;
	struct object_id id = { o->cluster, kinds_find(&w->kinds, o->id.group, o->id.kind), o->id.ns, o->id.name };

	o->id.handle = id.kind ? store_find(w->store, &id) : HANDLE_NONE;
}

static struct changes changes_between(void *dashboard, int64_t from, int64_t to, struct arena *a)
{
	const struct dashboard *d = dashboard;
	struct program *p = d->p;
	struct changes changes = changelog_between(p->changelog, &p->world, &p->query, program_changes_from(p, from), to, a);
	struct changed_object *objects;

	if (!shown_is_history(d) || !changes.n)
		return changes;
	objects = arena_array(a, changes.n, sizeof(*objects));
	memcpy(objects, changes.objects, changes.n * sizeof(*objects));
	for (size_t i = 0; i < changes.n; i++)
		show_changed(d, &objects[i]);
	changes.objects = objects;
	return changes;
}

static void changed_fields(void *dashboard, struct changed_object *o, int64_t from, int64_t to, struct arena *a)
{
	struct program *p = ((const struct dashboard *)dashboard)->p;

	changelog_fields(p->changelog, &p->world, o, program_changes_from(p, from), to, a);
}

void shown_begin(struct dashboard *d)
{
	d->changes = (struct changes_source){ changes_between, changed_fields, d };
}

bool shown_has_key(const void *dashboard)
{
	const struct dashboard *d = dashboard;
	struct pollfd polled = { term_fd(d->term), POLLIN, 0 };

	return poll(&polled, 1, 0) > 0;
}

/* Returns how far back the user can go, ms.  A recording reaches back to its start, because it can be read again. */
static int64_t past_reaches(const struct program *p)
{
	int64_t from = graph_history_from(p->world.graph), start = p->source->facts(p).start;

	if (history_from(p->past))
		return history_from(p->past);
	return from && start ? start : from;
}

/*
 * Returns since when observed transitions are kept, ms.  A history that is known but not read has more of them than the session,
 * also before that has kept any.
 */
static int64_t transitions_reach(const struct program *p)
{
	int64_t from = graph_history_from(p->world.graph), earlier = history_entries_from(p->past);

	return earlier ? earlier : from || !history_from(p->past) ? from : p->world.now;
}

struct scene shown_live(struct dashboard *d)
{
	struct program *p = d->p;

	d->asks = (struct query_in){ &p->query, &p->world };
	return (struct scene){
		.store = p->world.store,
		.graph = p->world.graph,
		.header = &d->header,
		.fetched = fetch_result(d->fetch),
		.now = p->world.now,
		.clock = clock_now(),
		.selected = shown_selects_live,
		.selected_ctx = p,
		.watched = query_watched(&d->asks),
		.labelled = is_labelled,
		.labelled_ctx = p,
		.looked = p->source->asks ? &d->looked : NULL,
		.changes = p->changelog ? &d->changes : NULL,
		.interrupted = shown_has_key,
		.interrupted_ctx = d,
		.asked = p->query.what.n > 0,
		.logs = p->source->facts(p).logs,
		.recorded = p->recorder || p->flight || history_goes_on(p->past),
		.absolute_time = p->options.absolute_time,
		.contexts = d->chosen.contexts,
		.ncontexts = d->chosen.ncontexts,
		.labels = p->options.label_columns.values,
		.nlabels = p->options.label_columns.n,
		.label_of = label_of,
		.columns = p->options.columns,
		.label_ctx = d,
		.seeking = d->moments.seeking != SEEK_NONE,
		.reading = !history_from(p->past) && !history_rests(p->past),
		.waiting = d->moments.nlater > 0,
		.latest = p->world.now,
		.from = past_reaches(p),
		.history_from = transitions_reach(p),
		.until = p->source->facts(p).until,
	};
}

struct scene shown_scene(struct dashboard *d)
{
	struct scene scene = shown_live(d);
	const struct world *w = d->p->shown;

	if (!w)
		return scene;
	scene.store = w->store;
	scene.graph = w->graph;
	scene.now = w->now;
	scene.past = true;
	scene.selected = shown_selects;
	if (shown_is_history(d)) {
		scene.live_store = d->p->world.store;
		scene.live_graph = d->p->world.graph;
		scene.selected_ctx = scene.labelled_ctx = d->p->shows;
		scene.looked = NULL;
		scene.logs = false;
	}
	return scene;
}

/* ---- the screen ---------------------------------------------------------------- */

void shown_say_err(struct dashboard *d, const char *what, const struct err *err)
{
	struct str why = redact_copy(&d->frame, str_of(err->msg));

	ui_say(d->ui, arena_printf(&d->frame, "%s: " STR_FMT, what, STR_ARG(why)), clock_now());
}

void shown_resize(struct dashboard *d)
{
	int rows, cols;

	/* The size may have changed and changed back: then it is the same, but what the terminal shows is not. */
	if (term_resized(d->term)) {
		term_size(d->term, &rows, &cols);
		ui_resize(d->ui, rows, cols);
		canvas_resize(&d->canvas, rows, cols);
	}
	d->effects |= EFFECT_REPAINT | EFFECT_REDRAW;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Details of one resource: its tabs. */
#include "tui/view/detail.h"

#include "kube/base/time.h"
#include "tui/view/blocked.h"
#include "tui/view/words.h"

static const struct tab_row {
	const char *title, *brief;
	void (*build)(struct detail *d);
	bool lists;
} tabs[TAB_COUNT] = {
	[TAB_OVERVIEW] = { "Overview", "Over", detail_overview, false },
	[TAB_CONDITIONS] = { "Conditions", "Cond", detail_conditions, false },
	[TAB_ASYNC] = { "Async", "Async", detail_async, false },
	[TAB_DEPENDENCIES] = { "Dependencies", "Deps", detail_dependencies, true },
	[TAB_DELETION] = { "Deletion", "Del", detail_deletion, true },
	[TAB_EVENTS] = { "Events", "Events", detail_events, false },
	[TAB_YAML] = { "YAML", "YAML", detail_yaml, false },
	[TAB_LOGS] = { "Logs", "Logs", detail_yaml, false },
};

const char *tab_title(enum tab tab, bool brief)
{
	return brief ? tabs[tab].brief : tabs[tab].title;
}

bool tab_lists(enum tab tab)
{
	return tabs[tab].lists;
}

static bool is_pod(const struct kind *kind)
{
	return !kind->group.len && str_is(kind->kind, "Pod");
}

bool tab_exists(const struct ui *ui, const struct scene *scene, enum tab tab)
{
	struct handle h = ui_place_const(ui)->subject;

	if (tab != TAB_LOGS)
		return tab < TAB_COUNT;
	return scene->logs && store_alive(scene->store, h) && is_pod(store_node_id(scene->store, h.slot).kind);
}

/* What the open tab needs of the program. */
enum want ui_wants(const struct ui *ui, struct handle *out_handle)
{
	static const enum want wants[TAB_COUNT] = {
		[TAB_EVENTS] = WANT_EVENTS,
		[TAB_YAML] = WANT_YAML,
		[TAB_LOGS] = WANT_LOGS,
	};
	const struct place *place = ui_place_const(ui);

	*out_handle = place->subject;
	if (place->view == VIEW_TIMELINE && place->subject.slot)
		return WANT_EVENTS;
	return place->view == VIEW_DETAIL ? wants[place->tab] : WANT_NOTHING;
}

const struct fetched *detail_fetched(const struct scene *scene, struct handle h, enum want want)
{
	const struct fetched *f = scene->fetched;

	if (!f || f->want != want || f->handle.slot != h.slot || f->handle.gen != h.gen)
		return NULL;
	return f;
}

void detail_fact(struct detail *d, const char *label, struct str text, enum style style)
{
	why_fact(d->lines, label, text, style, d->width);
}

static struct str join(struct detail *d, const struct str *words, size_t n)
{
	struct str out = STR_NONE;

	for (size_t i = 0; i < n; i++)
		out = arena_printf(d->a, STR_FMT "%s" STR_FMT, STR_ARG(out), i ? ", " : "",
				   STR_ARG(words[i]));
	return out;
}

/* "2026-11-20T08:41:07Z, 14m ago" */
struct str detail_time(struct detail *d, int64_t ms)
{
	char text[TIME_TEXT];

	if (!ms)
		return STR_NONE;
	return arena_printf(d->a, "%s, " STR_FMT " ago", time_format(ms, text),
			    STR_ARG(words_age(ms, d->scene->now, d->a)));
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
	struct wait *chain = arena_array(d->a, CHAIN, sizeof(*chain));
	size_t n = words_chain_of(d->scene->graph, d->item.s.id.handle, chain, CHAIN);
	struct str out = STR_NONE;

	for (size_t i = 0; i < n; i++)
		out = arena_printf(d->a, STR_FMT "%s" STR_FMT, STR_ARG(out), i ? " → " : "",
				   STR_ARG(words_because(d->scene->graph, d->kinds, &chain[i], d->a)));
	return out;
}

static struct str owner_words(struct detail *d)
{
	struct summary owner;

	if (!graph_summary(d->scene->graph, d->item.s.owner, &owner))
		return STR_NONE;
	return words_id(d->kinds, &owner.id, d->a);
}

void detail_overview(struct detail *d)
{
	const struct item *item = &d->item;
	struct str roots = STR_NONE;

	for (size_t i = 0; i < item->nroots; i++)
		roots = arena_printf(d->a, STR_FMT "%s" STR_FMT, STR_ARG(roots), i ? ", " : "",
				     STR_ARG(words_id(d->kinds, &item->roots[i], d->a)));
	detail_fact(d, "why", chain_words(d), STYLE_STRONG);
	detail_fact(d, "reason", item->s.reason, STYLE_NORMAL);
	detail_fact(d, "message", item->s.message,
		    severity_style(item->s.severity) == STYLE_DIM ? STYLE_DIM : STYLE_NORMAL);
	detail_fact(d, "decided", item->rule, STYLE_NORMAL);
	detail_fact(d, "cause", roots, STYLE_NORMAL);
	detail_fact(d, "blocks", cause_blocks(d->scene->graph, d->kinds, item->s.id.handle, d->a), STYLE_NORMAL);
	detail_fact(d, "heals", words_heals(d->scene->graph, d->kinds, item, d->a), STYLE_NORMAL);
	lines_blank(d->lines);
	detail_fact(d, "operator",
		    item->s.operator_phase.len
			    ? arena_printf(d->a, "says " STR_FMT, STR_ARG(item->s.operator_phase))
			    : STR_NONE,
		    STYLE_NORMAL);
	detail_fact(d, "since", detail_time(d, item->s.since), STYLE_NORMAL);
	if (item->s.stale)
		detail_fact(d, "stale", STR("the operator has not touched this status for long"),
			    STYLE_WARN);
	if (d->scene->header->forbidden && graph_unreadable(d->scene->graph, item->s.id.handle))
		detail_fact(d, "unreadable", STR("it may not be read any more: this is how it was seen last"),
			    STYLE_WARN);
	detail_fact(d, "pace", words_pace(d->scene->graph, item, d->scene->now, d->a), STYLE_NORMAL);
	detail_fact(d, "turns", words_turns(d->scene->store, item, d->a), STYLE_WARN);
	detail_fact(d, "replicas", replicas_words(d), STYLE_NORMAL);
	detail_fact(d, "version", words_version(item, d->a), STYLE_NORMAL);
	detail_fact(d, "generation", words_generation(d->scene->store, item, d->a), STYLE_NORMAL);
	detail_fact(d, "owner", owner_words(d), STYLE_NORMAL);
	detail_fact(d, "created", detail_time(d, item->s.created), STYLE_DIM);
	detail_fact(d, "flags", join(d, item->status.flags, item->status.nflags), STYLE_DIM);
	detail_fact(d, "family", str_of(item->s.family), STYLE_DIM);
	detail_fact(d, "uid", item->uid, STYLE_DIM);
	detail_fact(d, "look", words_look(&item->s.id, WAIT_NONE, item->s.reason, d->a), STYLE_KEY);
}

void detail_build(struct ui *ui, const struct scene *scene, struct lines *lines)
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
	if (graph_item(scene->graph, place->subject, &arena, &d.item))
		tabs[place->tab].build(&d);
	else
		lines_note(lines, STR(" It does not exist any more."));
	arena_release(&arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/bars.h"

#include "kube/base/time.h"
#include "tui/view/blocked.h"
#include "tui/view/detail.h"
#include "tui/view/words.h"

enum {
	CAUSES = 5,	/* named in the line of root causes */
	NARROW = 50	/* below, the counts say more than where it is */
};

static struct text plain(struct str str, enum style style)
{
	return (struct text){ str, STR_NONE, style };
}

static void left(struct bar *bar, struct chip chip)
{
	if (bar->nleft < BAR_CHIPS)
		bar->left[bar->nleft++] = chip;
}

static void right(struct bar *bar, struct chip chip)
{
	if (bar->nright < BAR_CHIPS)
		bar->right[bar->nright++] = chip;
}

/* ---- head --------------------------------------------------------------------- */

static void add_count(struct bar *bar, enum phase phase, const char *noun, size_t n, struct arena *a)
{
	const struct look *look = phase_look(phase);
	struct str count = words_count(n, a);

	if (n == 0)
		return;
	left(bar, (struct chip){ plain(str_of(look->glyph), look->style),
				 { arena_printf(a, STR_FMT " %s", STR_ARG(count), noun), count, look->style },
				 (uint8_t)(20 + bar->nleft) });
}

static void add_counts(const struct ui *ui, struct bar *bar, struct arena *a)
{
	const size_t *n = ui->seen.by_phase;
	static const enum phase order[] = { PHASE_FAILED, PHASE_DELETING, PHASE_WAITING };
	static const enum phase rest[] = { PHASE_DEGRADED, PHASE_SUSPENDED, PHASE_UNKNOWN, PHASE_READY };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		add_count(bar, order[i], phase_look(order[i])->counted, n[order[i]], a);
	add_count(bar, PHASE_UPDATING, "under way",
		  n[PHASE_PROVISIONING] + n[PHASE_UPDATING] + n[PHASE_MAINTENANCE] + n[PHASE_SCALING], a);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		add_count(bar, rest[i], phase_look(rest[i])->counted, n[rest[i]], a);
}

static struct text replay_text(const struct header *h, int64_t now, struct arena *a)
{
	char time[TIME_TEXT];
	struct str clock = str_head(str_from(str_of(time_format(now, time)), 11), 8);

	if (h->paused)
		return plain(arena_printf(a, "replay " STR_FMT " ended", STR_ARG(clock)), STYLE_TITLE);
	return plain(arena_printf(a, "replay " STR_FMT " ×%g", STR_ARG(clock), h->speed), STYLE_TITLE);
}

static struct text link_text(const struct header *h, int64_t now, struct arena *a)
{
	int64_t wait = h->retry_at > now ? (h->retry_at - now + 999) / 1000 : 0;

	switch (h->link) {
	case LINK_CONNECTING:
		return plain(STR("connecting …"), STYLE_ALERT);
	case LINK_LIVE:
		return (struct text){ STR("live ●"), STR("●"), STYLE_GOOD };
	case LINK_RECONNECTING:
		if (wait == 0)
			return plain(STR("reconnecting …"), STYLE_ALERT);
		return plain(arena_printf(a, "reconnecting in %lld s", (long long)wait), STYLE_ALERT);
	case LINK_UNAUTHENTICATED:
		return plain(STR("not logged in"), STYLE_ALERT);
	case LINK_FAILED:
		return plain(STR("no connection"), STYLE_ALERT);
	case LINK_FILES:
		return plain(STR("files"), STYLE_DIM);
	case LINK_REPLAY:
		return replay_text(h, now, a);
	}
	return plain(STR_NONE, STYLE_NORMAL);
}

void bar_head(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct header *h = scene->header;
	struct text where = { STR_NONE, h->context, STYLE_TITLE };

	bar->gap = 2;
	where.str = arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(h->context), h->context.len ? " ▸ " : "",
				 STR_ARG(h->ns.len ? h->ns : STR("all namespaces")));
	if (h->link == LINK_FILES && !h->ns.len)
		where.str = h->context;
	left(bar, (struct chip){ { STR_NONE, STR_NONE, STYLE_NORMAL }, plain(STR("status"), STYLE_DIM), CHIP_ORNAMENT });
	left(bar, (struct chip){ { STR_NONE, STR_NONE, STYLE_NORMAL }, where, (uint8_t)(ui->cols < NARROW ? CHIP_ORNAMENT - 1 : 5) });
	add_counts(ui, bar, a);
	if (h->forbidden)
		right(bar, (struct chip){ .text = { arena_printf(a, "%u kind%s forbidden", h->forbidden,
								 words_plural(h->forbidden)),
						    arena_printf(a, "%u!", h->forbidden), STYLE_WARN }, .rank = 8 });
	if (h->throttled)
		right(bar, (struct chip){ .text = plain(STR("throttled"), STYLE_WARN), .rank = 7 });
	right(bar, (struct chip){ .text = link_text(h, scene->now, a), .rank = 1 });
}

/* ---- root causes ---------------------------------------------------------------- */

static bool loading(const struct header *h)
{
	return h->kinds_done < h->kinds_total;
}

static void add_progress(const struct header *h, struct bar *bar, struct arena *a)
{
	left(bar, (struct chip){ .text = plain(words_bar(100.0 * h->kinds_done / h->kinds_total, a), STYLE_PROGRESS) });
	left(bar, (struct chip){ .text = plain(arena_printf(a, "reading: %u of %u kinds, " STR_FMT " objects", h->kinds_done,
							    h->kinds_total, STR_ARG(words_count(h->items, a))), STYLE_DIM) });
}

static void add_cause(struct bar *bar, const struct scene *scene, const struct cause_group *c, struct arena *a)
{
	const struct root_cause *r = &c->what;
	struct wait w = { .on = r->id, .state = r->cause };
	struct str name = c->n > 1 ? cause_name(store_kinds(scene->store), c, a) :
				     words_wait(store_kinds(scene->store), &w, a);

	left(bar, (struct chip){ .text = plain(arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(name),
							    STR_ARG(words_count(r->nblocked, a))),
					       r->severity == SEVERITY_ERROR ? STYLE_BAD : STYLE_WAIT),
				 .rank = (uint8_t)(10 + bar->nleft) });
}

static size_t count_blocked(const struct scene *scene, const struct cause_group *causes, size_t n, struct arena *a)
{
	uint8_t *seen = arena_alloc(a, store_slots(scene->store) + 1);
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < causes[i].what.nblocked; k++) {
			uint32_t slot = causes[i].what.blocked[k].handle.slot;

			count += slot && !seen[slot];
			seen[slot] = 1;
		}
	return count;
}

/* Of those that hold something up; the rest is in the counts above. */
static void add_causes(const struct scene *scene, struct bar *bar, struct arena *a)
{
	size_t n, holding = 0, blocked;
	const struct cause_group *causes = cause_groups(scene->graph, scene->store, a, &n);

	for (size_t i = 0; i < n; i++)
		holding += causes[i].what.nblocked > 0;
	blocked = count_blocked(scene, causes, n, a);
	if (n == 0)
		left(bar, (struct chip){ .text = plain(STR("nothing has failed, nothing waits"), STYLE_DIM) });
	else if (holding == 0)
		left(bar, (struct chip){ .text = plain(arena_printf(a, "%zu problem%s, nothing else waits for %s", n,
								    words_plural(n), n == 1 ? "it" : "them"), STYLE_NORMAL) });
	else
		left(bar, (struct chip){ .text = plain(arena_printf(a, "%zu root cause%s hold%s up %zu:", holding,
								    words_plural(holding), holding == 1 ? "s" : "", blocked),
						       STYLE_NORMAL) });
	for (size_t i = 0, named = 0; i < n && named < CAUSES; i++)
		if (causes[i].what.nblocked) {
			add_cause(bar, scene, &causes[i], a);
			named++;
		}
}

void bar_causes(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct header *h = scene->header;

	(void)ui;
	bar->gap = 3;
	if (h->why.len && h->link != LINK_LIVE && h->link != LINK_FILES && h->link != LINK_REPLAY)
		left(bar, (struct chip){ .text = plain(h->why, STYLE_ALERT) });
	else if (loading(h))
		add_progress(h, bar, a);
	else
		add_causes(scene, bar, a);
}

/* ---- title and tabs -------------------------------------------------------------- */

static void title_of_object(const struct scene *scene, struct handle h, struct bar *bar, struct arena *a)
{
	struct item item = { 0 };
	const struct look *look;
	struct id id;

	if (graph_item(scene->graph, h, a, &item)) {
		look = phase_look(item.s.phase);
		id = item.s.id;
		right(bar, (struct chip){ plain(str_of(look->glyph), look->style),
					  plain(str_of(phase_name(item.s.phase)), look->style), 1 });
		if (item.s.since)
			right(bar, (struct chip){ .text = plain(arena_printf(a, STR_FMT "%s",
									     STR_ARG(words_age(item.s.since, scene->now, a)),
									     words_overdue(&item.s, scene->now) ? "!" : ""),
								STYLE_NORMAL), .rank = 2 });
		right(bar, (struct chip){ .text = plain(str_of(severity_name(item.s.severity)),
							severity_style(item.s.severity)), .rank = 8 });
	} else {
		struct object_id gone = store_node_id(scene->store, h.slot);

		id = (struct id){ .group = gone.kind->group, .kind = gone.kind->kind, .ns = gone.ns, .name = gone.name };
		right(bar, (struct chip){ .text = plain(STR("⊖ Gone"), STYLE_LEAVING), .rank = 1 });
	}
	left(bar, (struct chip){ .text = plain(words_id(store_kinds(scene->store), &id, a), STYLE_STRONG), .rank = 0 });
	if (id.ns.len)
		left(bar, (struct chip){ plain(STR("·"), STYLE_DIM), plain(id.ns, STYLE_NORMAL), 5 });
	if (id.cluster.len)
		left(bar, (struct chip){ plain(STR("·"), STYLE_DIM), plain(id.cluster, STYLE_NORMAL), 6 });
	if (item.api_version.len)
		left(bar, (struct chip){ plain(STR("·"), STYLE_DIM), plain(item.api_version, STYLE_DIM), 9 });
}

void bar_title(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	const char *title = view_of(place->view)->title;

	bar->gap = 1;
	if (place->view != VIEW_DETAIL)
		left(bar, (struct chip){ .text = plain(place->subject.slot ? arena_printf(a, "%s of", title) :
						       place->view == VIEW_HELP ? str_of(title) : arena_printf(a, "%s of all", title),
						       STYLE_HEADING), .rank = 4 });
	if (place->subject.slot)
		title_of_object(scene, place->subject, bar, a);
}

/* "1!" behind a tab where something is wrong. */
static size_t tab_alarms(const struct item *item, enum tab tab)
{
	size_t n = 0;

	switch ((int)tab) {
	case TAB_CONDITIONS:
		for (size_t i = 0; i < item->status.nconditions; i++)
			n += condition_normality(&item->status.conditions[i]) == NORMALITY_ABNORMAL;
		return n;
	case TAB_ASYNC:
		return item->status.async && str_is(item->status.async->class, "failed");
	case TAB_DEPENDENCIES:
		return item->nwaits;
	case TAB_DELETION:
		return item->deletion ? item->deletion->nfinalizers : 0;
	default:
		return 0;
	}
}

void bar_tabs(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	struct item item;
	bool known = place->view == VIEW_DETAIL && graph_item(scene->graph, place->subject, a, &item);

	bar->gap = 0;
	for (int i = 0; i < TAB_COUNT && place->view == VIEW_DETAIL; i++) {
		enum tab tab = (enum tab)i;
		bool open = tab == place->tab;
		size_t alarms = known ? tab_alarms(&item, tab) : 0;
		struct str alarm = alarms ? arena_printf(a, " %zu!", alarms) : STR_NONE;
		struct text text = { .style = open ? STYLE_TAB : alarms ? STYLE_WARN : STYLE_NORMAL };

		if (!tab_exists(ui, scene, tab))
			continue;
		text.str = arena_printf(a, "%s%s" STR_FMT "%s", open ? "[" : " ", tab_title(tab, false), STR_ARG(alarm),
					open ? "]" : " ");
		text.brief = arena_printf(a, "%s%s%s%s", open ? "[" : " ", tab_title(tab, true), alarms ? "!" : "",
					  open ? "]" : " ");
		left(bar, (struct chip){ .text = text,
					 .rank = (uint8_t)(open ? 0 : i > (int)place->tab ? i - (int)place->tab : (int)place->tab - i) });
	}
}

/* ---- foot ------------------------------------------------------------------------ */

static void add_hints(const struct ui *ui, struct bar *bar, struct arena *a)
{
	size_t n;
	const struct action_row *rows = action_rows(&n);

	for (size_t i = 0; i < n; i++) {
		struct str keys = str_of(rows[i].keys), key;

		if (!rows[i].hint || !(rows[i].where & 1u << ui_view(ui)) || !str_split(&keys, ' ', &key))
			continue;
		if (rows[i].action == ACTION_OPEN && !ui_line(ui))
			continue;
		if (rows[i].action == ACTION_NEXT_PROBLEM)
			key = STR("n/N");
		left(bar, (struct chip){ plain(arena_str(a, key), STYLE_KEY), plain(str_of(rows[i].hint), STYLE_DIM),
					 (uint8_t)(20 + bar->nleft) });
	}
}

static void add_position(const struct ui *ui, struct bar *bar, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	struct layout layout = ui_layout(ui);
	size_t rows = (size_t)layout.list_rows;

	if (ui_filter(ui).len && (1u << place->view & IN_FILTER))
		right(bar, (struct chip){ .text = plain(arena_printf(a, "%zu match", ui->matching), STYLE_NORMAL), .rank = 2 });
	if (ui->lines.n > rows && rows)
		right(bar, (struct chip){ .text = plain(arena_printf(a, "%zu/%zu", place->selected + 1, ui->lines.n), STYLE_DIM),
					  .rank = 3 });
}

static void add_freshness(const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct header *h = scene->header;

	if (h->link == LINK_FILES || h->link == LINK_REPLAY)
		return;
	right(bar, (struct chip){ .text = plain(arena_printf(a, STR_FMT " req", STR_ARG(words_count(h->requests, a))), STYLE_DIM),
				  .rank = 19 });
	if (h->last_event)
		right(bar, (struct chip){ .text = plain(arena_printf(a, STR_FMT " ago",
								     STR_ARG(words_age(h->last_event, scene->now, a))),
							STYLE_DIM), .rank = 18 });
}

void bar_foot(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	bool filtered = ui_filter(ui).len && (1u << ui_view(ui) & IN_FILTER);

	bar->gap = 2;
	if (ui->prompt || filtered)
		left(bar, (struct chip){ .text = plain(arena_printf(a, "/" STR_FMT, STR_ARG(ui_filter(ui))), STYLE_PROMPT) });
	if (ui->prompt) {
		left(bar, (struct chip){ plain(STR("Enter"), STYLE_KEY), plain(STR("keep"), STYLE_DIM), 20 });
		left(bar, (struct chip){ plain(STR("Esc"), STYLE_KEY), plain(STR("drop"), STYLE_DIM), 21 });
	} else if (scene->now < ui->say_until) {
		left(bar, (struct chip){ .text = plain(str_of(ui->say), STYLE_NORMAL) });
	} else {
		add_hints(ui, bar, a);
	}
	add_position(ui, bar, a);
	if (!ui->prompt)
		right(bar, (struct chip){ plain(STR("?"), STYLE_KEY), plain(STR("help"), STYLE_DIM), 4 });
	add_freshness(scene, bar, a);
}

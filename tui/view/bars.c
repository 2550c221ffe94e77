/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/bars.h"


#include "kube/base/assert.h"
#include "kube/base/time.h"
#include "tui/state/filter.h"
#include "tui/view/absent.h"
#include "tui/view/blocked.h"
#include "tui/view/density.h"
#include "tui/view/detail.h"
#include "tui/view/layout.h"
#include "tui/words/recovery.h"
#include "tui/words/words.h"

enum {
	NARROW_SCREEN = 50,  /* columns: on narrower screens the counts come before the context and namespace */
	/* columns of these names where there is little room */
	BRIEF_CONTEXT = 24, BRIEF_NAMESPACE = 16, BRIEF_SELECTION = 32,
	TITLE_REST = 34, /* columns for the verdict and a part of the namespace */
	TITLE_LEAST = 12,
	/*
	 * columns: on narrower screens there is no room for a name behind the number of root causes, nor for the colon
	 */
	CAUSES_ALONE = 48,
	/* columns: on narrower screens names of root causes replace the remark that nothing waits for them */
	CAUSES_BRIEF = 100,
	NAME_LEAST = 16 /* columns: to fewer ones the name of a root cause is not cut */
};

static struct text plain(struct str str, enum style style)
{
	return (struct text){ str, STR_NONE, style };
}

/* ---- head --------------------------------------------------------------------- */

static void add_count(struct bar *bar, enum phase phase, const char *noun, size_t n,
		      struct arena *a)
{
	const struct appearance *appearance = phase_appearance(phase);
	struct str count = words_count(n, a);
	struct chip chip = { .mark = plain(str_of(appearance->glyph), appearance->style) };

	if (n == 0)
		return;
	chip.text.str = arena_printf(a, STR_FMT " %s", STR_ARG(count), noun);
	chip.text.brief = count;
	chip.text.style = appearance->style;
	chip.rank = (uint8_t)(20 + bar->nleft);
	bar_left(bar, chip);
}

static void add_counts(const struct ui *ui, struct bar *bar, struct arena *a)
{
	static const enum phase first[] = { PHASE_FAILED, PHASE_DELETING, PHASE_WAITING };
	static const enum phase rest[] = { PHASE_DEGRADED, PHASE_SUSPENDED, PHASE_UNKNOWN,
					   PHASE_READY };
	const size_t *n = ui->shown_at ? ui->past_observer.by_phase : ui->observer.by_phase;

	if (ui->observer.scan_from && !ui->shown_at)
		return;	/* the scan has not counted all objects yet */
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		add_count(bar, first[i], phase_appearance(first[i])->counted, n[first[i]], a);
	add_count(bar, PHASE_UPDATING, "under way",
		  n[PHASE_PROVISIONING] + n[PHASE_UPDATING] + n[PHASE_MAINTENANCE] +
			  n[PHASE_SCALING],
		  a);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		add_count(bar, rest[i], phase_appearance(rest[i])->counted, n[rest[i]], a);
}

static struct str replay_words(const struct header *h, int64_t now, struct arena *a)
{
	struct str clock = words_clock(now, a);

	if (h->ended)
		return arena_printf(a, "replay " STR_FMT " ended", STR_ARG(clock));
	return arena_printf(a, "replay " STR_FMT " ×%g", STR_ARG(clock), h->speed);
}

static struct str reconnect_words(const struct header *h, int64_t now, struct arena *a)
{
	struct str since = STR_NONE;

	if (h->old_since)
		since = ARENA_JOIN(a, STR("; this is "), words_age(h->old_since, now, a), STR(" old"));
	if (h->retry_at <= now)
		return arena_printf(a, "reconnecting …" STR_FMT, STR_ARG(since));
	return arena_printf(a, "reconnecting in %lld s" STR_FMT,
			    (long long)((h->retry_at - now + 999) / 1000), STR_ARG(since));
}

/* Returns which kinds cannot be read because the server fails for them, and not because a right is missing. */
static struct str unread_words(const struct header *h, struct arena *a)
{
	unsigned more = h->kinds_unread - 1;

	if (more == 0)
		return arena_printf(a, STR_FMT " cannot be read", STR_ARG(h->unread));
	return arena_printf(a, STR_FMT " and %u more kind%s cannot be read", STR_ARG(h->unread), more, words_plural(more));
}

/* Returns what may be old on a live connection, and since when; "": nothing is. */
static struct str stale_words(const struct header *h, int64_t now, struct arena *a)
{
	unsigned n = h->kinds_old ? h->kinds_old : h->kinds_polled;
	struct str age;

	if (h->login_since)
		return arena_printf(a, "login pending %lld s", (long long)((now - h->login_since) / 1000));
	if (h->silent_since)
		return ARENA_JOIN(a, STR("no answer for "), words_age(h->silent_since, now, a));
	if (n == 0)
		return STR_NONE;
	age = words_age(h->old_since, now, a);
	if (h->kinds_old)
		return arena_printf(a, "%u kind%s " STR_FMT " old", n, n == 1 ? " is" : "s are", STR_ARG(age));
	return arena_printf(a, "%u kind%s not watched, read " STR_FMT " ago", n, words_plural(n), STR_ARG(age));
}

/* Returns what may be old, else which kinds cannot be read; "" when everything is known and up to date. */
static struct str old_words(const struct header *h, int64_t now, struct arena *a)
{
	struct str stale = h->kinds_old || !h->kinds_unread || h->login_since || h->silent_since ? stale_words(h, now, a) : STR_NONE;

	return !stale.len && h->kinds_unread ? unread_words(h, a) : stale;
}

struct str selection_words(const struct header *h, struct arena *a)
{
	if (!h->selection.len)
		return STR_NONE;
	return ARENA_JOIN(a, STR(" in this selection of "), text_middle(h->selection, BRIEF_SELECTION, a));
}

static bool is_bad(enum link link)
{
	return link == LINK_RECONNECTING || link == LINK_UNAUTHENTICATED || link == LINK_FAILED;
}

/* Returns the latest time.  While an earlier moment is shown, ages of the connection are still counted from now. */
static int64_t latest(const struct scene *scene)
{
	return scene->latest ? scene->latest : scene->now;
}

/* Returns why nothing at all could be read; "" where something was. */
static struct str nothing_words(const struct header *h, struct arena *a)
{
	if (h->no_namespace)
		return arena_printf(a, "there is no namespace \"" STR_FMT "\"", STR_ARG(h->ns));
	return h->nothing_read ? STR("nothing may be read") : STR_NONE;
}

struct doubt doubt_of(const struct scene *scene, struct arena *a)
{
	const struct header *h = scene->header;
	struct doubt doubt = { .selection = selection_words(h, a), .unread = well_forbidden(h->forbidden, a) };
	struct str old = STR_NONE, age = words_age(h->old_since, latest(scene), a);

	if (scene_is_unwatched(scene))
		old = STR("not watched then");
	else if (is_bad(h->link) && h->old_since)
		old = arena_printf(a, "no connection; this is " STR_FMT " old", STR_ARG(age));
	else if (is_bad(h->link))
		old = STR("no connection");
	else if (h->link == LINK_LIVE)
		old = stale_words(h, latest(scene), a);
	if (old.len && h->lost.len)
		old = arena_printf(a, STR_FMT ": " STR_FMT, STR_ARG(h->lost), STR_ARG(old));
	if (!old.len && (h->lists_done < h->lists_total || h->link == LINK_CONNECTING))
		old = STR("still reading");
	if (h->kinds_unread)
		old = ARENA_JOIN(a, old, str_of(old.len ? "; " : ""), unread_words(h, a));
	else if (h->partly_read)
		old = ARENA_JOIN(a, old, str_of(old.len ? "; " : ""), STR("not everything could be read"));
	if (h->in_gap)
		old = ARENA_JOIN(a, old, str_of(old.len ? "; " : ""), STR("nothing was recorded then"));
	doubt.unsure = old;
	/* where nothing at all could be read, no part of it is known either */
	if (h->nothing_read || h->no_namespace) {
		doubt.unsure = ARENA_JOIN(a, old, str_of(old.len ? "; " : ""), nothing_words(h, a));
		doubt.unread = STR_NONE;
	}
	return doubt;
}

struct str doubt_words(const struct scene *scene, struct arena *a)
{
	struct doubt doubt = doubt_of(scene, a);

	return arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(doubt.unsure), doubt.unsure.len && doubt.unread.len ? "; " : "",
			    STR_ARG(doubt.unread));
}

/*
 * Returns "live ●" when all of this is true: every cluster is connected; the first lists have ended; each kind that may
 * be read is watched, not polled, and the server has answered its watch; each server was heard of within 90 s (objects,
 * bookmarks and answers count); nothing waits for a login.  Otherwise returns what is old and since when, or that lists
 * are still being read.  The kinds that may not or could not be read are named beside it.
 */
static struct text live_text(const struct header *h, int64_t now, struct arena *a)
{
	struct str old = old_words(h, now, a);

	if (old.len)
		return plain(old, STYLE_WARN);
	if (h->lists_done < h->lists_total)
		return plain(STR("reading …"), STYLE_DIM);
	return (struct text){ STR("live ●"), STR("●"), STYLE_GOOD };
}

/*
 * Returns words about a connection that does not work; of several contexts with the names of those concerned: "b:
 * reconnecting in 3 s".
 */
static struct text bad_link(const struct header *h, struct str words, struct arena *a)
{
	if (h->lost.len)
		words = ARENA_JOIN(a, text_middle(h->lost, BRIEF_CONTEXT, a), STR(": "), words);
	return plain(words, STYLE_ALERT);
}

static struct text link_text(const struct header *h, int64_t now, struct arena *a)
{
	char time[TIME_TEXT];

	switch (h->link) {
	case LINK_CONNECTING:
		return bad_link(h, STR("connecting …"), a);
	case LINK_LIVE:
		return live_text(h, now, a);
	case LINK_RECONNECTING:
		return bad_link(h, reconnect_words(h, now, a), a);
	case LINK_UNAUTHENTICATED:
		return bad_link(h, STR("not logged in"), a);
	case LINK_FAILED:
		return bad_link(h, STR("no connection"), a);
	case LINK_FILES:
		if (h->files_of)
			return (struct text){ ARENA_JOIN(a, STR("files as of "), str_of(time_format(h->files_of, time))), STR("files"), STYLE_TITLE };
		return plain(STR("files"), STYLE_DIM);
	case LINK_REPLAY:
		return (struct text){ replay_words(h, now, a), STR("▸"), STYLE_TITLE };
	}
	return plain(STR_NONE, STYLE_NORMAL);
}

/* Returns "connecting to staging since 09:03:10 (5s): it has not answered yet; Esc cancels". */
static struct chip opening_chip(const struct scene *scene, struct arena *a)
{
	const struct header *h = scene->header;
	struct str clock = words_clock(h->opening_since, a);
	struct str age = words_age(h->opening_since, scene->clock, a), name = text_middle(h->opening, BRIEF_CONTEXT, a);
	struct str why = h->opening_login.len ? arena_printf(a, "waits for " STR_FMT, STR_ARG(h->opening_login)) : STR("it has not answered yet");
	const char *end = str_eq(h->opening, h->context) ? "quits" : "cancels";
	struct text text = { .style = STYLE_ALERT };

	text.str = arena_printf(a, "connecting to " STR_FMT " since " STR_FMT " (" STR_FMT "): " STR_FMT "; Esc %s", STR_ARG(h->opening),
				STR_ARG(clock), STR_ARG(age), STR_ARG(why), end);
	text.brief = arena_printf(a, "connecting to " STR_FMT " " STR_FMT "; Esc %s", STR_ARG(name), STR_ARG(age), end);
	return (struct chip){ .text = text, .rank = 2 };
}

static struct chip where_chip(const struct ui *ui, const struct header *h, struct arena *a)
{
	struct chip chip = { .rank = 5, .text = { STR_NONE, h->context, STYLE_TITLE } };
	/* cut, because the counts beside it need room */
	struct str selection = text_middle(h->selection, BRIEF_SELECTION, a);
	struct str ns = h->ns.len		? h->ns
			: h->link == LINK_FILES ? STR_NONE
			: h->narrowed		? STR("namespaces that may be read")
						: STR("all namespaces");

	if (ui->cols < NARROW_SCREEN)
		chip.rank = CHIP_ORNAMENT - 1;
	else if (h->context.len && ns.len)
		chip.text.brief = ARENA_JOIN(a, text_middle(h->context, BRIEF_CONTEXT, a), STR(" ▸ "),
					     h->ns.len ? text_middle(h->ns, BRIEF_NAMESPACE, a) : str_of(h->narrowed ? "some" : "all"),
					     str_of(h->selection.len ? " ▸ " : ""), text_middle(h->selection, BRIEF_NAMESPACE, a));
	chip.text.str = arena_printf(a, STR_FMT "%s" STR_FMT "%s" STR_FMT, STR_ARG(h->context),
				     h->context.len && ns.len ? " ▸ " : "", STR_ARG(ns),
				     h->selection.len && (h->context.len || ns.len) ? " ▸ " : "",
				     STR_ARG(selection));
	return chip;
}

void bar_head(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct header *h = scene->header;
	struct text forbidden = { .style = STYLE_WARN };

	if (ui->warning[0]) {
		bar_left_text(bar, text_head(str_of(ui->warning), ui->cols - 2), STYLE_WARN, 1);
		return;
	}
	bar->gap = 2;
	bar_left_text(bar, STR("status"), STYLE_DIM, CHIP_ORNAMENT);
	if (h->context.len || h->ns.len || h->selection.len || h->link != LINK_FILES)
		bar_left(bar, where_chip(ui, h, a));
	add_counts(ui, bar, a);
	if (h->forbidden) {
		forbidden.str = arena_printf(a, "%u kind%s forbidden", h->forbidden,
					     words_plural(h->forbidden));
		forbidden.brief = arena_printf(a, "%u forbidden", h->forbidden);
		bar_right(bar, (struct chip){ .text = forbidden, .rank = 8 });
	}
	/* in other cases this text stands in place of "live" */
	if (h->kinds_unread && (h->kinds_old || h->kinds_polled))
		bar_right_text(bar, arena_printf(a, "%u kind%s unread", h->kinds_unread, words_plural(h->kinds_unread)), STYLE_WARN, 8);
	if (h->partly_read && !h->kinds_unread)
		bar_right_text(bar, STR("partly read"), STYLE_WARN, 8);
	if (h->throttled)
		bar_right_text(bar, STR("throttled"), STYLE_WARN, 7);
	if (h->history.len)
		bar_right(bar, (struct chip){ .text = { h->history, h->history_brief, h->history_gap ? STYLE_WARN : STYLE_DIM }, .rank = 9 });
	if (h->opening.len && !ui_open_view(ui)->lists)	/* in a list the line below has this chip */
		bar_right(bar, opening_chip(scene, a));
	bar_right(bar, (struct chip){ .text = pause_is_shown(ui, scene) ? pause_words(ui, scene, a) :
									  link_text(h, scene->now, a), .rank = 1 });
}

/* ---- root causes ---------------------------------------------------------------- */

static void add_progress(const struct header *h, struct bar *bar, struct arena *a)
{
	uint64_t total = h->items + h->remaining;
	double done = h->remaining ? 100.0 * (double)h->items / (double)total :
				     100.0 * h->lists_done / h->lists_total;
	struct str of = h->remaining ? ARENA_JOIN(a, STR(" of "), words_count(total, a)) : STR_NONE;

	/* The length of a single list is not known when the server sends no remainingItemCount. */
	if (h->lists_done || h->remaining)
		bar_left_text(bar, words_bar(done, a), STYLE_PROGRESS, 0);
	bar_left_text(bar,
		      ARENA_JOIN(a, STR("reading: "), arena_printf(a, "%u", h->lists_done), STR(" of "),
				 arena_printf(a, "%u", h->lists_total), STR(" lists, "), words_count(h->items, a), of,
				 STR(" objects")),
		      STYLE_DIM, 0);
}

/*
 * Returns how many root causes there are, which are the rows of Problems, and how many objects they block.  When all of
 * them are merely under way, nothing is wrong: "3 wait for 1 that is under way".
 */
static struct str causes_words(const struct noted_causes *noted, bool narrow_screen, struct arena *a)
{
	if (noted->blocked == 0 && narrow_screen)
		return ARENA_JOIN(a, words_causes(noted->n, a), STR(":"));
	return ARENA_JOIN(a, words_causes_block(noted->n, noted->under_way, noted->blocked, a), STR(":"));
}

/* True when another root cause has the same kind and name: both are then shown with their namespaces. */
static bool has_namesake(const struct cause_group *causes, size_t n, const struct cause_group *c)
{
	const struct id *id = c->of.kind.len ? &c->of : &c->what.id;

	for (size_t i = 0; i < n; i++) {
		const struct id *other = causes[i].of.kind.len ? &causes[i].of : &causes[i].what.id;

		if (&causes[i] != c && !causes[i].share.len && str_eq(other->name, id->name) && str_eq(other->kind, id->kind))
			return true;
	}
	return false;
}

/* Returns the name of a root cause, with its kind's short name where there is little room: "network/net", "secret/db (missing)". */
static struct str cause_chip_name(const struct kinds *kinds, const struct cause_group *c, bool narrow_screen, struct arena *a)
{
	struct item_wait w = { .on = c->what.id, .state = c->what.cause };
	struct str name = words_wait(kinds, &w, a), id = words_id(kinds, &w.on, a);

	if (c->n > 1 || c->of.kind.len)
		return cause_title(kinds, c, TITLE_ALONE | (narrow_screen ? TITLE_SHORT : 0), a);
	return narrow_screen && str_starts(name, id.ptr) ? ARENA_JOIN(a, words_id_short(kinds, &w.on, a), str_from(name, id.len)) : name;
}

/* Returns a root cause with the number of objects that wait for it: "network/net 9", "deploy/cart 3". */
static struct text cause_chip(struct noted_causes *noted, const struct scene *scene, const struct cause_group *causes, const struct cause_group *c,
			      struct arena *a)
{
	const struct kinds *kinds = store_kinds(scene->store);
	struct arena *keep = &noted->arena;
	struct str rest = STR_NONE;

	if (!c->share.len && has_namesake(causes, noted->n, c))
		rest = arena_printf(a, " · " STR_FMT, STR_ARG(c->what.id.ns));
	if (c->what.id.cluster.len)
		rest = arena_printf(a, STR_FMT " · " STR_FMT, STR_ARG(rest), STR_ARG(c->what.id.cluster));
	if (c->what.nblocked)
		rest = ARENA_JOIN(a, rest, STR(" "), words_count(c->what.nblocked, a));
	return (struct text){ ARENA_JOIN(keep, cause_chip_name(kinds, c, false, a), rest), ARENA_JOIN(keep, cause_chip_name(kinds, c, true, a), rest),
			      c->what.severity == SEVERITY_ERROR ? STYLE_BAD : STYLE_WAIT };
}

/* Returns the causes with those first that were pinned, and those at the end that were acknowledged. */
static const struct cause_group *open_first(const struct ui *ui, const struct store *store, const struct cause_group *causes, size_t n, struct arena *a)
{
	struct cause_group *out = arena_array(a, n, sizeof(*out));
	size_t at = 0;

	for (enum cause_place place = 0; place < CAUSE_PLACES; place++)
		for (size_t i = 0; i < n; i++)
			if (cause_place(ui, store, &causes[i]) == place)
				out[at++] = causes[i];
	assert(at == n);
	return out;
}

bool bar_is_well(const struct ui *ui, const struct scene *scene)
{
	const struct noted_causes *noted = ui->noted_causes;
	struct arena a = { 0 };
	bool well = !noted->n && noted->well.from && well_counts_nothing(&noted->not_well) && ui->observer.total > 0 && !scene->past &&
		    !ui_filter(ui).len && !doubt_of(scene, &a).unsure.len;

	arena_release(&a);
	return well;
}

void note_causes(struct ui *ui, const struct scene *scene, const struct cause_group *causes, size_t n)
{
	struct noted_causes *noted = ui->noted_causes;
	struct arena a = { 0 };

	arena_reset(&noted->arena);
	noted->n = n;
	noted->nnamed = 0;
	noted->under_way = cause_groups_under_way(causes, n);
	noted->not_well = n ? (struct not_well){ 0 } : well_observed(ui_shown(ui, scene), scene->now);
	if (!scene->past)
		well_note(&noted->well, &ui->observer, scene, !n && well_counts_nothing(&noted->not_well));
	cause_groups_blocked(scene->graph, causes, n, &a, &noted->blocked);
	causes = open_first(ui, scene->store, causes, n, &a);
	for (size_t i = 0; i < n && i < BAR_CHIPS; i++) {
		noted->keys[i] = cause_key(&causes[i]);
		noted->named[noted->nnamed++] = cause_chip(noted, scene, causes, &causes[i], &a);
	}
	arena_release(&a);
}

/* Adds a name; a click on it goes to that cause in Problems. */
static void add_named(struct bar *bar, struct str name, enum style style, uint8_t rank, uint64_t cause)
{
	bar_left(bar, (struct chip){ .text = plain(name, style), .rank = rank, .click = { .cause = cause } });
}

static struct str more_words(size_t n, struct arena *a)
{
	return n ? ARENA_JOIN(a, STR("+"), words_count(n, a), STR(" more")) : STR_NONE;
}

/*
 * Adds names in the order of Problems as long as there is room, and how many more causes there are; a click on that
 * number goes to the first of these.  Returns the columns that are left.
 */
static int add_names(const struct ui *ui, struct bar *bar, struct arena *a)
{
	const struct noted_causes *noted = ui->noted_causes;
	int left = ui->cols - 2 - text_width(bar->left[0].text.str) - 2 * bar->gap;
	struct str more;
	size_t i;

	for (i = 0; i < noted->nnamed && bar->nleft + 1 < BAR_CHIPS; i++) {
		struct str name = ui->cols < CAUSES_BRIEF ? noted->named[i].brief : noted->named[i].str;
		int room;

		more = more_words(noted->n - i - 1, a);
		room = left - (more.len ? text_width(more) + bar->gap : 0);
		if (text_width(name) > room && (!i || (room >= NAME_LEAST && room * 4 >= text_width(name) * 3)))	/* the first one is always named */
			name = text_middle(name, room < NAME_LEAST ? NAME_LEAST : room, a);
		else if (text_width(name) > room)
			break;
		left -= text_width(name) + bar->gap;
		add_named(bar, name, noted->named[i].style, (uint8_t)(i ? 10 + bar->nleft : 5), noted->keys[i]);
	}
	if (i == noted->n)
		return left;
	more = more_words(noted->n - i, a);
	add_named(bar, more, STYLE_DIM, 6, noted->keys[i < noted->nnamed ? i : 0]);
	return left - text_width(more) - bar->gap;
}

/* Adds a counter, in few words where there is little room; names of causes come before it. */
static void add_counter(struct bar *bar, struct text words, uint8_t rank, int *left)
{
	struct str fits = text_width(words.str) <= *left ? words.str : words.brief;

	if (text_width(fits) > *left)
		return;
	bar_right_text(bar, fits, words.style, rank);
	*left -= text_width(fits) + bar->gap;
}

static void add_transition_counts(const struct ui *ui, const struct scene *scene, struct bar *bar, int left, struct arena *a)
{
	struct transition_counts counts = observe_counts(&ui->observer, ui_shown(ui, scene), scene, a);
	struct str healed = words_count(counts.healed, a), broke = words_count(counts.broke, a);

	if (counts.broke)
		add_counter(bar, (struct text){ ARENA_JOIN(a, broke, STR(" newly broken in 5m")), ARENA_JOIN(a, broke, STR(" new")), STYLE_WARN },
			    7, &left);
	if (counts.healed)
		add_counter(bar, (struct text){ ARENA_JOIN(a, healed, STR(" healed in 5m")), ARENA_JOIN(a, healed, STR(" healed")), STYLE_GOOD },
			    8, &left);
}

static void add_causes(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	struct doubt doubt = doubt_of(scene, a);
	struct str words = ui->noted_causes->n ? causes_words(ui->noted_causes, ui->cols < CAUSES_BRIEF, a) :
					 well_words(&ui->noted_causes->not_well, &doubt, a);

	if (ui->cols < CAUSES_ALONE && ui->noted_causes->n)
		words = str_head(words, words.len - 1);
	bar_left_text(bar, words, ui->noted_causes->n ? STYLE_NORMAL : STYLE_DIM, 0);
	add_transition_counts(ui, scene, bar, add_names(ui, bar, a), a);
}

void bar_causes(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct header *h = scene->header;

	bar->gap = 3;
	if (h->opening.len)
		bar_left(bar, opening_chip(scene, a));
	else if (h->why.len && is_bad(h->link) && !h->lost.len)
		bar_left_text(bar, h->why, STYLE_ALERT, 0);
	else if (scene->past && ui->seek_time)
		bar_density(ui, scene, bar, a);
	else if (h->lists_done < h->lists_total)
		add_progress(h, bar, a);
	else if (h->link == LINK_CONNECTING && h->lists_total == 0)
		bar_left_text(bar, STR("the server has not answered yet"), STYLE_DIM, 0);
	else
		add_causes(ui, scene, bar, a);
}

/* ---- foot ------------------------------------------------------------------------ */

static void add_key(struct bar *bar, struct str key, const char *word, uint8_t rank, struct click click)
{
	bar_left(bar, (struct chip){ .mark = plain(key, STYLE_KEY), .text = plain(str_of(word), STYLE_DIM), .rank = rank, .click = click });
}

/* Returns what Esc does now, in a word; NULL: nothing. */
static const char *back_word(const struct ui *ui, const struct header *h)
{
	const struct place *place = ui_place_const(ui);

	if (h->opening.len && (!ui->depth || !str_eq(h->opening, h->context)))
		return "cancel";
	if (place->filter[0] && (place->filtered || !ui->depth) && (1u << place->view & IN_FILTER))
		return "clear";
	if (place->search[0] && ui_reads_text(ui))
		return "clear";
	if (place->view == VIEW_TABLE && ui->group != GROUP_NONE && !ui->depth)
		return "ungroup";
	return ui->depth || ui->nformer ? "back" : NULL;
}

/* Returns the hint of an action that is only for some tabs or rows; NULL: not for the one that is open. */
static const char *fitting_hint(const struct ui *ui, const struct scene *scene, const struct action_row *row)
{
	const struct place *place = ui_place_const(ui);
	const struct line *line = ui_line(ui);
	bool reads = ui_reads_text(ui), detail = place->view == VIEW_DETAIL;

	switch ((int)row->action) {
	case ACTION_OPEN:
		if (ui_unfolds(ui))
			return line->fold == FOLD_OPEN ? "fold" : "unfold";
		return ui_selected(ui).slot || ui_absent(ui).slot || place->view == VIEW_WHY ? row->hint : NULL;
	case ACTION_LOG:
		return scene->logs && !place_is_log(place) ? row->hint : NULL;
	case ACTION_FILTER:
		return reads ? "search" : detail ? NULL : row->hint;
	case ACTION_NEXT_PROBLEM:
		return !reads ? row->hint : place->search[0] ? "next match" : NULL;
	case ACTION_FOLD:
		if (!ui_selects(ui))
			return NULL;
		return !detail || (line && line->fold != FOLD_NONE) ? row->hint : NULL;
	case ACTION_FOLLOW:
		return !place_is_log(place) ? NULL : ui_follows(ui) ? "stay here" : row->hint;
	case ACTION_CONTAINER_NEXT:
		return !place_is_log(place) || logs_parts(scene->fetched) < 2 ? NULL : scene->fetched->npods ? "pod" : row->hint;
	default:
		return row->hint;
	}
}

/*
 * The order of the hints: searching in a text, what only some views have, what all views have.  Lists of resources have
 * the order of the table of actions.
 */
enum hint_order { HINT_SEARCH, HINT_OWN, HINT_COMMON, HINT_ORDERS };

static enum hint_order order_of_hint(const struct ui *ui, const struct action_row *row)
{
	if (1u << ui_view(ui) & (IN_LISTS | IN_TREE))
		return HINT_OWN;
	if ((row->action == ACTION_FILTER || row->action == ACTION_NEXT_PROBLEM) && ui_reads_text(ui))
		return HINT_SEARCH;
	return row->action == ACTION_OPEN || (row->where != IN_SUBJECT && row->where != IN_ANY) ? HINT_OWN : HINT_COMMON;
}

static void add_hint(const struct ui *ui, const struct scene *scene, const struct action_row *row, struct bar *bar, struct arena *a)
{
	struct str keys = bindings_keys(ui->bindings, row->action), key, before = bindings_keys(ui->bindings, ACTION_CONTAINER_PREVIOUS),
		   previous;
	const char *word = row->action == ui_open_view(ui)->opens_by ? NULL : fitting_hint(ui, scene, row);

	if (!word || !str_split(&keys, ' ', &key))
		return;
	if (row->action == ACTION_NEXT_PROBLEM)
		key = STR("n/N");
	if (row->action == ACTION_CONTAINER_NEXT && str_split(&before, ' ', &previous))
		key = ARENA_JOIN(a, previous, STR(" "), key);
	/* The log comes early among the keys, but gives its room first. */
	add_key(bar, arena_str(a, key), word, (uint8_t)(row->action == ACTION_LOG ? 90 : 20 + bar->nleft), (struct click){ .action = row->action });
}

static void add_hints(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	size_t n;
	const struct action_row *rows = action_rows(&n);
	const char *back = back_word(ui, scene->header);

	if (back)
		add_key(bar, STR("Esc"), back, 19, (struct click){ .action = ACTION_BACK });
	for (int order = 0; order < HINT_ORDERS; order++)
		for (size_t i = 0; i < n; i++)
			if (rows[i].hint && rows[i].where & 1u << ui_view(ui) && (int)order_of_hint(ui, &rows[i]) == order)
				add_hint(ui, scene, &rows[i], bar, a);
}

/* Returns which of the lines with a match of the search was gone to last: "match 2 of 5". */
static struct str found_words(const struct ui *ui, struct arena *a)
{
	size_t n = 0, at = 0;

	for (size_t i = 0; i < ui->lines.n; i++) {
		const struct line *line = &ui->lines.all[i];
		bool has = false;

		for (size_t k = 0; k < line->ncells && !has; k++)
			has = line->cells[k].style == STYLE_MATCH;
		n += has;
		if (has && i < ui->found)
			at = n;
	}
	if (!at || !n)
		return arena_printf(a, "%zu match%s", n, n == 1 ? "" : "es");
	return arena_printf(a, "match %zu of %zu", at, n);
}

/*
 * Returns how many pass the filter, and of how many: objects in the table, rows in Problems and Changes, entries in the
 * timeline.
 */
static struct str match_words(const struct ui *ui, struct arena *a)
{
	enum view_id view = ui_view(ui);
	const size_t *by_phase = ui->shown_at ? ui->past_observer.by_phase : ui->observer.by_phase;
	struct str n = words_count(ui->matching, a);
	size_t of = view == VIEW_TABLE ? 0 : ui->unfiltered_rows;

	if (ui->cols < NARROW_SCREEN)
		return arena_printf(a, STR_FMT " match", STR_ARG(n));
	if (ui_open_view(ui)->matches)
		return ui_open_view(ui)->matches(ui, a);
	if (view == VIEW_TABLE)
		of = (ui->shown_at ? &ui->past_observer : &ui->observer)->leftovers;
	for (int i = 0; view == VIEW_TABLE && i < PHASE_COUNT; i++)
		of += by_phase[i];
	return ARENA_JOIN(a, n, STR(" of "), words_count(of, a), STR(" match"));
}

static void add_position(const struct ui *ui, struct bar *bar, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	size_t rows = (size_t)ui_layout(ui).list_rows;

	if (ui_filter(ui).len && (1u << place->view & IN_FILTER))
		bar_right_text(bar, match_words(ui, a), STYLE_NORMAL, 2);
	else if (place->search[0] && ui_reads_text(ui))
		bar_right_text(bar, found_words(ui, a), STYLE_NORMAL, 2);
	if (ui->lines.n > rows && rows)
		bar_right_text(bar, arena_printf(a, "%zu/%zu", place->selected + 1, ui->lines.n),
			       STYLE_DIM, 3);
}

/* Adds what differs from the default in the table: its order, its groups, and that it is scrolled to the right. */
static void add_order(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	static const char *const groups[GROUP_COUNT] = { NULL, "by cause", "by namespace", "by application",
							 "by node", NULL, "by owner" };

	if (ui_view(ui) != VIEW_TABLE)
		return;
	if (ui->sort != SORT_WORST || ui->reverse)
		bar_right_text(bar, arena_printf(a, "by %s%s", sort_name(ui->sort), ui->reverse ? ", reversed" : ""),
			       STYLE_PROMPT, 3);
	if (groups[ui->group])
		bar_right_text(bar, str_of(groups[ui->group]), STYLE_PROMPT, 3);
	else if (ui->group == GROUP_LABEL && ui->label < scene->nlabels)
		bar_right_text(bar, arena_printf(a, "by %s", scene->labels[ui->label]), STYLE_PROMPT, 3);
	if (ui->scroll)
		bar_right_text(bar, STR("◂ scrolled"), STYLE_PROMPT, 3);
}

/*
 * Adds how many requests were sent, and as "2s ago" when a server last sent an object, counted from now whatever moment
 * is shown.  From ten seconds on it goes by tens, so that a quiet screen stands still.
 */
static void add_freshness(const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct header *h = scene->header;
	int64_t ago = latest(scene) - h->last_event, coarse = ago >= SECONDS(10) && ago < MINUTES(1) ? ago % SECONDS(10) : 0;
	struct str age = words_age(h->last_event, latest(scene) - coarse, a);

	if (h->link == LINK_FILES || h->link == LINK_REPLAY)
		return;
	bar_right_text(bar, ARENA_JOIN(a, words_count(h->requests, a), STR(" req")),
		       STYLE_DIM, 19);
	if (age.len)
		bar_right_text(bar, arena_printf(a, STR_FMT " ago", STR_ARG(age)), STYLE_DIM, 18);
}

void bar_foot(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	bool filtered = ui_filter(ui).len && (1u << ui_view(ui) & IN_FILTER);
	bool searched = ui_place_const(ui)->search[0] && ui_reads_text(ui);

	bar->gap = 2;
	if (ui->prompt == PROMPT_PALETTE)
		bar_left_text(bar, arena_printf(a, ":%s", ui->palette_text), STYLE_PROMPT, 0);
	else if (ui->prompt == PROMPT_FILE)
		bar_left_text(bar, arena_printf(a, "write to: %s", ui->file), STYLE_PROMPT, 0);
	else if (ui->prompt == PROMPT_SEARCH || searched)
		bar_left_text(bar, arena_printf(a, "/%s", ui_place_const(ui)->search), STYLE_PROMPT, 0);
	else if (ui->prompt || filtered)
		bar_left_text(bar, ARENA_JOIN(a, STR("/"), ui_filter(ui)),
			      STYLE_PROMPT, 0);
	if (filtered && filter_problem(ui_filter(ui), a).len)
		bar_left_text(bar, filter_problem(ui_filter(ui), a), STYLE_WARN, 0);
	if (ui->prompt == PROMPT_PALETTE && scene->clock < ui->say_until) {
		bar_left_text(bar, str_of(ui->say), STYLE_WARN, 0);
	} else if (ui->prompt) {
		bool filters = ui->prompt == PROMPT_FILTER || ui->prompt == PROMPT_SEARCH;

		add_key(bar, STR("Enter"), filters ? "keep" : ui->prompt == PROMPT_FILE ? "write" : "go", 20, (struct click){ .input = INPUT_ENTER });
		add_key(bar, STR("Esc"), filters ? "drop" : "back", 21, (struct click){ .input = INPUT_ESCAPE });
	} else if (scene->clock < ui->say_until) {
		bar_left_text(bar, str_of(ui->say), STYLE_NORMAL, 0);
	} else {
		add_hints(ui, scene, bar, a);
	}
	add_position(ui, bar, a);
	add_order(ui, scene, bar, a);
	if (!ui->prompt)
		bar_right(bar, (struct chip){ .mark = plain(STR("?"), STYLE_KEY),
					      .text = plain(STR("help"), STYLE_DIM),
					      .rank = 4,
					      .click = { .action = ACTION_HELP } });
	add_freshness(scene, bar, a);
}

/* ---- title ---------------------------------------------------------------------- */

static void add_part(struct bar *bar, struct str part, enum style style, uint8_t rank)
{
	struct chip chip = {
		.mark = { STR("·"), STR_NONE, STYLE_DIM },
		.text = { part, STR_NONE, style },
		.rank = rank,
	};

	if (part.len)
		bar_left(bar, chip);
}

static void add_name(const struct ui *ui, const struct scene *scene, const struct id *id, struct bar *bar,
		     struct arena *a)
{
	struct str name = words_id(store_kinds(scene->store), id, a), alike = words_alike(ui_place_const(ui)->alike, a);
	int room = ui->cols > TITLE_REST + TITLE_LEAST ? ui->cols - TITLE_REST : TITLE_LEAST;

	/* The name is cut so that the verdict keeps its room. */
	room = alike.len && room > TITLE_LEAST + (int)alike.len ? room - (int)alike.len : room;
	bar_left_text(bar, ARENA_JOIN(a, text_middle(name, room, a), alike), STYLE_STRONG, 0);
	add_part(bar, id->ns, STYLE_NORMAL, 5);
	add_part(bar, id->cluster, STYLE_NORMAL, 6);
}

static void add_verdict(const struct scene *scene, const struct item *item, struct bar *bar, struct arena *a)
{
	const struct summary *s = &item->s;
	const struct appearance *appearance = phase_appearance(s->phase);
	struct str age = words_age(s->since, scene->now, a), recovery;
	const char *brief = recovery_brief(recovery_of(scene->graph, item, scene->now, a, &recovery));

	if (!age.len && s->phase != PHASE_READY) {
		age = words_age(words_since_of_cause(scene->graph, s->id.handle, a), scene->now, a);
		age = age.len ? arena_printf(a, "at least " STR_FMT, STR_ARG(age)) : age;
	}
	bar_right_text(bar, arena_printf(a, "%s %s", appearance->glyph, phase_name(s->phase)),
		       appearance->style, 1);
	if (age.len)
		bar_right_text(bar,
			       arena_printf(a, STR_FMT "%s", STR_ARG(age),
					    words_overdue(s, scene->now) ? "!" : ""),
			       STYLE_NORMAL, 2);
	if (*brief)
		bar_right_text(bar, str_of(brief), severity_style(s->severity), 8);
}

static void title_of_object(const struct ui *ui, const struct scene *scene, struct handle h, struct bar *bar,
			    struct arena *a)
{
	struct id id = absent_id(scene, h);
	struct item item;

	if (graph_item(scene->graph, h, a, &item)) {
		add_name(ui, scene, &item.s.id, bar, a);
		add_part(bar, item.api_version, STYLE_DIM, 9);
		add_verdict(scene, &item, bar, a);
		return;
	}
	add_name(ui, scene, &id, bar, a);
	if (observe_tombstone(&ui->observer, h) || ui->absence == ABSENCE_GONE)
		bar_right_text(bar, STR("⊖ Gone"), STYLE_LEAVING, 1);
	else if (ui->absence == ABSENCE_MISSING)
		bar_right_text(bar, STR("✖ missing"), STYLE_BAD, 1);
	else if (ui->absence == ABSENCE_UNREADABLE)
		bar_right_text(bar, STR("? unreadable"), STYLE_UNKNOWN, 1);
	else
		bar_right_text(bar, STR("? not looked up"), STYLE_UNKNOWN, 1);
}

/* Says why what was read before is not read again: where there is no room for the reason, that it is not. */
static void add_unread(const struct scene *scene, const struct place *place, struct bar *bar, struct arena *a)
{
	struct str why = place->view == VIEW_DETAIL && scene->fetched && store_alive(scene->store, place->subject) ? scene->fetched->error : STR_NONE;

	if (!scene->fetched || !scene->fetched->read || !why.len)
		return;
	add_part(bar, STR("cannot be read again"), STYLE_WARN, 3);
	bar_left_text(bar, ARENA_JOIN(a, STR("("), why, STR(")")), STYLE_WARN, 7);
}

void bar_title(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	const struct view *view = ui_open_view(ui);
	const char *of = place->subject.slot ? " of" : view->of_all ? view->of_all : "";

	bar->gap = 1;
	if (view->heading)
		bar_left_text(bar, view->heading(ui, a), STYLE_HEADING, 4);
	else if (place->view != VIEW_DETAIL)
		bar_left_text(bar, arena_printf(a, "%s%s", view->title, of), STYLE_HEADING, 4);
	if (place->subject.slot)
		title_of_object(ui, scene, place->subject, bar, a);
	add_part(bar, ui->note, view->notes_plainly ? STYLE_NORMAL : STYLE_WARN, 7);
	add_unread(scene, place, bar, a);
	if (logs_follow(ui, scene))
		add_part(bar, STR("following"), STYLE_WARN, 7);
}

/* ---- tabs ------------------------------------------------------------------------ */

/* Returns how many things are wrong in a tab, for "1!" behind its title. */
static size_t tab_alarms(const struct item *item, enum tab tab)
{
	size_t n = 0;

	switch ((int)tab) {
	case TAB_CONDITIONS:
		for (size_t i = 0; i < item->status.nconditions; i++)
			n += condition_normality(item, &item->status.conditions[i]) == NORMALITY_ABNORMAL;
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

/* True when a tab has nothing to show; what is read only when it is opened counts as something until then. */
static bool tab_is_empty(const struct scene *scene, const struct item *item, enum tab tab)
{
	const struct fetched *f;

	switch ((int)tab) {
	case TAB_CONDITIONS:
		return !item->status.nconditions;
	case TAB_ASYNC:
		return !item->status.async;
	case TAB_DEPENDENCIES:
		return !item->nwaits && !item->ndependencies && !item->ndependents;
	case TAB_DELETION:
		return !item->deletion;
	case TAB_EVENTS:
		f = scene_fetched(scene, item->s.id.handle, WANT_EVENTS);
		return f && f->state == FETCH_OK && !f->nevents;
	default:
		return false;
	}
}

/*
 * Returns a tab: "[Dependencies 1!]" for the open one.  Where there is little room, the tabs far from the open one are
 * shortened first.
 */
static struct chip tab_chip(enum tab tab, enum tab open, size_t alarms, bool empty, struct arena *a)
{
	const char *before = tab == open ? "[" : " ", *after = tab == open ? "]" : " ";
	struct chip chip = { .rank = (uint8_t)(tab > open ? tab - open : open - tab), .click = { .tab = (uint8_t)(tab + 1) } };
	struct str alarm = alarms ? arena_printf(a, " %zu!", alarms) : STR_NONE;

	chip.text.style = tab == open ? STYLE_TAB : alarms ? STYLE_WARN : empty ? STYLE_DIM : STYLE_NORMAL;
	chip.text.str = arena_printf(a, "%s%s" STR_FMT "%s", before, tab_title(tab, false),
				     STR_ARG(alarm), after);
	chip.text.brief =
		arena_printf(a, "%s%s%s%s", before, tab_title(tab, true), alarms ? "!" : "", after);
	return chip;
}

void bar_tabs(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	const struct place *place = ui_place_const(ui);
	struct item item;
	bool known;

	bar->gap = 0;
	if (place->view != VIEW_DETAIL)
		return;
	known = graph_item(scene->graph, place->subject, a, &item);
	for (int i = 0; i < TAB_COUNT; i++) {
		enum tab tab = (enum tab)i;

		if (tab_exists(scene, ui_place_const(ui)->subject, tab))
			bar_left(bar,
				 tab_chip(tab, place->tab, known ? tab_alarms(&item, tab) : 0, known && tab_is_empty(scene, &item, tab), a));
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/history.h"

#include "kube/api/backoff.h"
#include "kube/base/alloc.h"
#include "kube/base/map.h"
#include "kube/base/system.h"
#include "kube/base/time.h"
#include "kube/graph/observed.h"
#include "kube/journal/journal.h"
#include "plugin/clock.h"
#include "plugin/dashboard/earlier.h"
#include "plugin/history_source.h"

#include <string.h>

#define TURN 8			/* the milliseconds of work in one turn of the event loop */
/*
 * A recorder writes what it has observed at the latest half a second later; then all that happened before the lists of
 * this session were complete is in its file.
 */
#define WRITTEN_AFTER 700
/* So far back the journal is filled by itself, and farther as long as no more bytes than these have to be read. */
#define FILLED HOURS(1)
#define FILLED_BYTES MIB(64)
/* So long the answers of a service are waited for by what prints once. */
#define PATIENCE SECONDS(10)
#define LOOK_AGAIN SECONDS(2)	/* how often a directory is looked into */
enum { COMPARED = 20000 };	/* the most objects by which the two clusters are compared */
enum { ADOPTED = 500 };		/* the objects that are looked at between two looks at the clock */

struct history {
	struct program *p;
	struct history_source *source;
	const struct segments *segments;	/* borrowed; NULL: they are not known */
	/* waits for the lists of this session; for the list of segments; for a part of one; reads it; ...; tries again */
	enum { WAITS, LISTS, OPENS, READS, ADOPTS, RESTS, AWAY } state;
	int64_t again;		/* when AWAY ends, ms */
	bool again_at_once;	/* that was at once the last time, because the list may have changed */
	struct backoff backoff;
	struct buf away;	/* the notice that the source cannot be reached; "": there is none */
	bool once;		/* it is read for what prints once: the newest hour, and nothing is waited for that is being written */
	bool asked_before;	/* one more segment is wanted */
	bool waits;		/* history_go() waits for an answer */
	int64_t looked;		/* when the directory was looked into last, by the user's clock, ms */
	bool refused;		/* it is not of this cluster, or cannot be read */
	int64_t until;		/* when the lists of this session were complete: until then the history tells, ms */
	int64_t read_from;	/* the journal has what happened since, ms; 0: nothing was read so far */
	int64_t read_before;	/* what is read next begins before this, ms */
	int64_t reads_first;	/* the beginning of the segment that is being read, ms */
	off_t read;		/* the bytes of the segments that were read */
	bool full;		/* the journal has no room for more */
	struct earlier *reads;	/* the segment that is being read; NULL: none is */
	int64_t reads_to;
	uint32_t adopt_from;	/* the slot of the next object to adopt what was observed of it */
	struct earlier *newest;	/* has the versions of objects in the newest segment */
	uint64_t *entries;
	size_t nentries, entries_cap;
	struct buf said;	/* the last notice */
	struct buf lost;	/* the notice of the segments that cannot be read; "": there is none */
	size_t nlost;		/* how many those are */
	size_t ndamaged;	/* the segments that were read, but for some of their records */
	struct earlier *shows;	/* NULL: no moment is shown */
	struct earlier *former;	/* the world that was shown before it, until history_drop_former() */
	int64_t goes_to;	/* the moment to which shows is played, ms; 0: to none */
	struct segment shown;	/* the segment of shows, as it was when that was opened */
	int64_t shown_until;	/* shows has what was recorded in it before this time, ms; INT64_MAX: all */
};

struct history *history_new(struct program *p, const char *name, struct err *err)
{
	struct history_source *source = history_source_new(name, err);
	struct history *h;

	if (!source)
		return NULL;
	h = xcalloc(1, sizeof(*h));
	h->p = p;
	h->source = source;
	backoff_start(&h->backoff, system_random());
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	history_leave(h);
	if (h->p->changelog && h->newest)
		changelog_go_on_from(h->p->changelog, NULL, NULL, 0);
	earlier_free(h->reads);
	earlier_free(h->newest);
	history_source_free(h->source);
	xfree(h->entries);
	buf_release(&h->said);
	buf_release(&h->away);
	buf_release(&h->lost);
	xfree(h);
}

static void say(struct history *h, struct str what)
{
	buf_reset(&h->said);
	buf_printf(&h->said, "the history in %s " STR_FMT, history_source_called(h->source), STR_ARG(what));
	world_notice(&h->p->world, (struct notice){ .kind = STR("history"), .message = buf_str(&h->said) });
}

struct str history_said(const struct history *h)
{
	return buf_str(&h->said);
}

/* The source is reached again.  Returns a set of enum history_news. */
static unsigned come_back(struct history *h)
{
	h->again_at_once = false;
	backoff_reset(&h->backoff);
	if (!h->away.len)
		return 0;
	world_unnotice(&h->p->world, (struct notice){ .kind = STR("history"), .message = buf_str(&h->away) });
	buf_reset(&h->away);
	return HISTORY_SAYS;
}

static unsigned refuse(struct history *h, struct str why)
{
	come_back(h);
	say(h, why);
	h->refused = true;
	h->state = RESTS;
	earlier_free(h->reads);
	h->reads = NULL;
	return HISTORY_SAYS;
}

/* ---- a source that cannot be reached ----------------------------------------------- */

/* Returns true when another attempt may succeed: a service, or the way to it, did not answer as it should. */
static bool may_come_back(const struct err *err)
{
	return err->code != ERR_INPUT && err->code != ERR_PROTO && err->code != ERR_SYSTEM;
}

/* Says once that the source cannot be reached, and tries again after a while.  Returns a set of enum history_news. */
static unsigned go_away(struct history *h, const struct err *err)
{
	struct arena a = { 0 };
	int64_t now = clock_now();

	h->state = AWAY;
	h->again = now + backoff_next(&h->backoff, now);
	h->asked_before = false;
	if (h->away.len)
		return 0;
	say(h, arena_printf(&a, "cannot be read: %s", err->msg));
	buf_add(&h->away, buf_str(&h->said));
	arena_release(&a);
	return HISTORY_SAYS;
}

/* A part cannot be read.  Its segment may have gone: then it is not in a new list of the segments. */
static unsigned lose_part(struct history *h, const struct err *err)
{
	if (h->again_at_once)
		return go_away(h, err);
	h->state = AWAY;
	h->again = clock_now();
	h->again_at_once = true;
	return 0;
}

struct str history_away(const struct history *h)
{
	return h ? buf_str(&h->away) : STR_NONE;
}

/* ---- which segment -------------------------------------------------------------- */

/* Looks again which segments there are, if they are known at once: the recorder removes the oldest ones. */
static void look_again(struct history *h)
{
	int64_t now = clock_now();

	if (history_source_is_service(h->source) || (h->segments && now - h->looked < LOOK_AGAIN))
		return;
	h->looked = now;
	history_source_look_again(h->source);
	if (history_source_list(h->source, &h->segments, &(struct err){ 0 }) != 0)
		h->segments = NULL;
}

/*
 * Opens a part of a segment that tells of these times.  *out_until and the result are those of history_source_read().
 */
static int open_segment(struct history *h, const struct segment *s, const int64_t times[2], enum earlier_for why, struct earlier **out,
			int64_t *out_until, struct err *err)
{
	const char *path;
	int result = history_source_read(h->source, s, times[0], times[1], &path, out_until, err);

	if (result)
		return result;
	*out = earlier_new(h->p, path, times[0], why, history_source_context(h->source), err);
	return *out ? 0 : -1;
}

/* ---- is it of this cluster? --------------------------------------------------------- */

/* Returns the cluster of the other world that has the name of this cluster of w; -1: none has. */
static int32_t cluster_in(const struct world *w, uint16_t cluster, const struct world *other, size_t n)
{
	struct str name = graph_cluster_name(w->graph, cluster);

	for (size_t i = 0; i < n; i++)
		if (str_eq(graph_cluster_name(other->graph, (uint16_t)i), name))
			return (int32_t)i;
	return -1;
}

/* Finds the node that an object of the history has in the live store; 0: there is none. */
static uint32_t live_node(const struct history *h, const struct world *from, const struct object_id *id)
{
	struct object_id live = *id;
	size_t n;
	int32_t cluster;

	h->p->source->contexts(h->p, NULL, &n);
	cluster = cluster_in(from, id->cluster, &h->p->world, n);
	live.kind = kinds_find(&h->p->world.kinds, id->kind->group, id->kind->kind);
	if (cluster < 0 || !live.kind)
		return 0;
	live.cluster = (uint16_t)cluster;
	return store_find_node(h->p->world.store, &live);
}

static struct handle live_object(const struct history *h, const struct world *from, const struct object_id *id)
{
	uint32_t slot = live_node(h, from, id);

	return slot ? store_node_handle(h->p->world.store, slot) : HANDLE_NONE;
}

/* Returns true when both are one object, and not one that was made anew under the same name. */
static bool is_same_object(const struct history *h, struct handle live, const struct world *from, struct handle then)
{
	struct arena a = { 0 };
	struct str uid = store_uid(h->p->world.store, live, &a), was = store_uid(from->store, then, &a);
	bool same = uid.len && was.len ? str_eq(uid, was) :
					 store_meta(h->p->world.store, live).created == store_meta(from->store, then).created;

	arena_release(&a);
	return same;
}

/*
 * Compares the objects that both know by name.  One that is the same proves that the history is of this cluster; one that
 * is another although it existed then, that it is not.  Returns 1, -1, and 0 when neither is proved.
 */
static int compare_clusters(const struct history *h, const struct world *from)
{
	bool other = false;
	unsigned n = 0;

	for (struct handle then = store_next(from->store, 0); then.slot && n++ < COMPARED; then = store_next(from->store, then.slot + 1)) {
		struct object_id id = store_node_id(from->store, then.slot);
		struct handle live = live_object(h, from, &id);
		int64_t created = live.slot ? store_meta(h->p->world.store, live).created : 0;

		if (!live.slot || !created || !store_meta(from->store, then).created)
			continue;
		if (is_same_object(h, live, from, then))
			return 1;
		other |= created + SECONDS(1) < from->now;
	}
	return other ? -1 : 0;
}

/* A history of another cluster is never mixed with this one.  Returns a set of enum history_news. */
static unsigned check_cluster(struct history *h)
{
	struct program *p = earlier_program(h->reads);
	struct str recorded = replay_context(p->replay), context = h->p->source->facts(h->p).context;
	int compared = compare_clusters(h, &p->world);
	struct arena a = { 0 };
	unsigned news = 0;

	if (compared < 0) {
		news = refuse(h, arena_printf(&a, "is of another cluster (context \"" STR_FMT "\"): it is not used", STR_ARG(recorded)));
	} else if (compared == 0 && !history_source_may_have(h->source, h->p->live, recorded)) {
		say(h, arena_printf(&a, "is of context \"" STR_FMT "\", and nothing tells whether that is the cluster of \"" STR_FMT "\"",
				    STR_ARG(recorded), STR_ARG(context)));
		news = HISTORY_SAYS;
	}
	arena_release(&a);
	return news;
}

/* ---- entries of the journal ------------------------------------------------------------- */

/* cluster and kind are those of the live world. */
static void key_of(uint16_t cluster, uint32_t kind, const struct journal_texts *texts, struct buf *out)
{
	buf_reset(out);
	buf_printf(out, "%u/%u/" STR_FMT "/" STR_FMT, cluster, kind, STR_ARG(texts->ns), STR_ARG(texts->name));
}

/*
 * Notes which objects went while the lists of this session were read: the session tells of these itself, so that none is told
 * twice.  Of what else changed until then it does not tell.
 */
static void note_told(const struct history *h, struct map *told)
{
	const struct journal *j = graph_journal(h->p->world.graph);
	struct buf key = { 0 };

	for (uint64_t i = journal_first(j); i < journal_end(j) && journal_at(j, i)->time <= h->until; i++) {
		const struct journal_entry *e = journal_at(j, i);
		struct journal_texts texts = journal_texts(e);

		key_of(e->cluster, e->kind, &texts, &key);
		if (texts.name.len && e->what == JOURNAL_WENT)
			map_set(told, buf_str(&key), told);
	}
	buf_release(&key);
}

/* Returns the handle that the object of an entry has in the live store; of one that is gone, that of the former object. */
static struct handle handle_of(const struct history *h, const struct world *from, const struct journal_entry *e,
			       const struct object_id *id)
{
	uint32_t slot = live_node(h, from, id);
	struct handle live = slot ? store_node_handle(h->p->world.store, slot) : HANDLE_NONE, named;

	if (!slot)
		return HANDLE_NONE;
	if (live.slot && store_alive(from->store, e->object) && is_same_object(h, live, from, e->object))
		return live;
	named = store_node_named(h->p->world.store, slot);
	named.gen--;
	return named;
}

/* Returns true for an entry that says that something happened, and not that an object is only met. */
static bool is_transition(const struct journal_entry *e)
{
	return e->what == JOURNAL_CAME ? e->news : e->what != JOURNAL_SPEC;
}

/* Adds one entry.  Returns false when the journal has no room. */
static bool enter(struct history *h, const struct program *from, const struct journal_entry *e, const struct map *told)
{
	const struct kind *kind = from->world.kinds.all[e->kind - 1];
	struct object_id id = { .cluster = e->cluster, .kind = kind };
	struct journal_texts texts = journal_texts(e);
	struct journal_entry live = *e;
	struct buf key = { 0 };
	size_t n;
	int32_t cluster;
	bool known;

	if (!e->texts && e->object.slot) {
		id = store_node_id(from->world.store, e->object.slot);
		kind = id.kind;
	}
	if (!kind)
		return true;
	id.ns = e->texts ? texts.ns : id.ns;
	id.name = e->texts ? texts.name : id.name;
	h->p->source->contexts(h->p, NULL, &n);
	cluster = cluster_in(&from->world, e->cluster, &h->p->world, n);
	live.texts = NULL;
	live.kind = kinds_put(&h->p->world.kinds, kind->group, kind->kind)->id;
	live.cluster = (uint16_t)(cluster < 0 ? 0 : cluster);
	live.object = handle_of(h, &from->world, e, &id);
	key_of(live.cluster, live.kind, &texts, &key);
	known = e->time > h->p->started && texts.name.len && map_get(told, buf_str(&key));
	buf_release(&key);
	if (cluster < 0 || known)
		return true;
	if (!graph_add_earlier(h->p->world.graph, &live, e->texts ? &texts : NULL))
		return false;
	if (is_transition(e) && query_selects(&from->query, &from->world, e->object)) {
		h->entries = xgrow(h->entries, h->nentries, &h->entries_cap, sizeof(*h->entries));
		h->entries[h->nentries++] = journal_first(graph_journal(h->p->world.graph));
	}
	return true;
}

/* Takes over when a kind was watched in the segment that was read; to is at most the end of what was recorded. */
static void enter_watched(void *ctx, const struct watch_scope *scope, struct gap time)
{
	const struct history *h = ctx;
	const struct program *from = earlier_program(h->reads);
	const struct kind *kind = from->world.kinds.all[scope->kind - 1];
	int64_t end = replay_end(from->replay) < h->reads_to ? replay_end(from->replay) : h->reads_to;
	size_t n;
	int32_t cluster;

	h->p->source->contexts(h->p, NULL, &n);
	cluster = cluster_in(&from->world, scope->cluster, &h->p->world, n);
	time.to = time.to < end ? time.to : end;
	if (cluster >= 0)
		watched_add(journal_watched(graph_journal(h->p->world.graph)),
			    &(struct watch_scope){ (uint16_t)cluster, kinds_put(&h->p->world.kinds, kind->group, kind->kind)->id, scope->ns }, time);
}

static void reverse_entries(struct history *h)
{
	for (size_t i = 0; i < h->nentries / 2; i++) {
		uint64_t other = h->entries[h->nentries - 1 - i];

		h->entries[h->nentries - 1 - i] = h->entries[i];
		h->entries[i] = other;
	}
}

/* Puts what happened in the segment that was read before the entries of the live journal, the newest first. */
static void enter_all(struct history *h)
{
	const struct program *from = earlier_program(h->reads);
	const struct journal *j = graph_journal(from->world.graph);
	struct map told = { 0 };
	uint64_t i = journal_end(j);

	h->nentries = 0;
	replay_note_untold(from->replay, &earlier_program(h->reads)->world, earlier_from(h->reads));
	watched_each(journal_watched(j), enter_watched, h);
	if (!h->read_from)
		note_told(h, &told);
	while (i > journal_first(j)) {
		const struct journal_entry *e = journal_at(j, i - 1);

		/* evidence from before, which a keyframe holds without a kind, is read with the segment that it is from */
		if (e->kind && e->time >= earlier_from(h->reads) && e->time <= h->reads_to && !enter(h, from, e, &told))
			break;
		i--;
	}
	h->full = i > journal_first(j) || journal_from(j);
	h->read_from = h->full && i < journal_end(j) ? journal_at(j, i)->time : earlier_from(h->reads);
	/* a segment says in whole seconds when it begins; behind a keyframe its own beginning is read next */
	h->read_before = earlier_from(h->reads) - h->reads_first < SECONDS(1) ? h->reads_first : earlier_from(h->reads);
	h->p->earlier_from = h->read_from;
	reverse_entries(h);
	map_release(&told);
}

const uint64_t *history_entries(const struct history *h, size_t *out_n)
{
	*out_n = h->nentries;
	return h->entries;
}

/* ---- what was observed of objects that are there ------------------------------------------- */

static void adopt(const struct history *h, const struct world *from, struct handle then)
{
	struct object_id id = store_node_id(from->store, then.slot);
	struct handle live = live_object(h, from, &id);
	struct observed o;

	if (live.slot && graph_observed(from->graph, then, &o) && is_same_object(h, live, from, then))
		graph_add_observed(h->p->world.graph, live, &o);
}

/* Tells the live graph since when phases hold, as the recorder saw them begin.  Returns true when that is done. */
static bool adopt_some(struct history *h, int64_t until)
{
	const struct world *from = &earlier_program(h->reads)->world;
	struct handle then;

	for (unsigned n = 1; (then = store_next(from->store, h->adopt_from)).slot; n++) {
		adopt(h, from, then);
		h->adopt_from = then.slot + 1;
		if (n % ADOPTED == 0 && clock_now() >= until)
			return false;
	}
	return true;
}

/* ---- reading ------------------------------------------------------------------------------ */

int64_t history_deadline(const struct history *h)
{
	int64_t loaded = h ? h->p->source->facts(h->p).loaded : 0;

	if (!loaded)
		return 0;
	if (h->state == WAITS)
		return loaded;
	if (h->state == AWAY)
		return h->again;
	if (h->state == OPENS && !h->once && !h->read_from && clock_now() < loaded + WRITTEN_AFTER)
		return loaded + WRITTEN_AFTER;
	return h->state == READS || h->state == ADOPTS ? 1 : 0;
}

/* Returns the segment to read next; -1: there is none. */
static ssize_t next_segment(const struct history *h)
{
	return h->segments ? segments_at(h->segments, h->read_from ? h->read_before - 1 : h->until) : -1;
}

/* Opens the next segment, of which there is one.  Returns 0; 1: an answer is waited for; -1 with err. */
static int open_next(struct history *h, struct err *err)
{
	ssize_t next = next_segment(h);
	int64_t times[2] = { h->read_from ? 0 : h->until - FILLED, INT64_MAX };
	int64_t until;
	int result;

	h->reads_to = h->read_from ? h->read_from - 1 : h->until;
	if (h->read_from)	/* of the segment that was read from a keyframe on, what is before that */
		times[1] = h->reads_to;
	result = open_segment(h, &h->segments->all[next], times, EARLIER_TO_READ, &h->reads, &until, err);
	if (result)
		return result;
	h->reads_first = h->segments->all[next].first;
	h->read += h->segments->all[next].size;
	h->state = READS;
	return 0;
}

/* Returns true when the journal is to be filled further back. */
static bool goes_on(const struct history *h)
{
	off_t most = h->once || history_source_is_service(h->source) ? 0 : (off_t)FILLED_BYTES;
	ssize_t next = next_segment(h);

	if (next < 0 || h->full)
		return false;
	return h->asked_before || h->read_from > h->until - FILLED || h->read + h->segments->all[next].size <= most;
}

/* Forgets the segment that was read, but the versions of the newest one. */
static void close_segment(struct history *h)
{
	if (h->newest || !h->p->changelog) {
		earlier_free(h->reads);
	} else {
		h->newest = h->reads;
		earlier_keep_versions(h->newest);
		changelog_go_on_from(h->p->changelog, earlier_program(h->newest)->changelog,
				     &earlier_program(h->newest)->world.kinds, h->until);
	}
	h->reads = NULL;
	h->state = goes_on(h) ? OPENS : RESTS;
}

/* Says which segments cannot be read, if there are others than before.  Returns a set of enum history_news. */
static unsigned say_lost(struct history *h)
{
	const struct segments *s = h->segments;
	struct arena a = { 0 };

	if (!s || s->nbad == h->nlost)
		return 0;
	if (h->lost.len)
		world_unnotice(&h->p->world, (struct notice){ .kind = STR("history"), .message = buf_str(&h->lost) });
	buf_reset(&h->lost);
	h->nlost = s->nbad;
	if (s->nbad) {
		say(h, arena_printf(&a, "has %zu file%s that cannot be read, such as %s%s%s%s: %s left out", s->nbad, s->nbad == 1 ? "" : "s",
				    s->bad, s->why ? " (" : "", s->why ? s->why : "", s->why ? ")" : "", s->nbad == 1 ? "it is" : "they are"));
		buf_add(&h->lost, buf_str(&h->said));
	}
	arena_release(&a);
	return HISTORY_SAYS;
}

/* The segments are known. */
static unsigned begin_reading(struct history *h)
{
	unsigned news = HISTORY_SAYS;

	say_lost(h);
	h->state = OPENS;
	if (next_segment(h) < 0 && !h->read_from) {
		news = refuse(h, STR("has no recording from before this session"));
	} else if (h->read_from && !goes_on(h)) {
		h->state = RESTS;
		news |= come_back(h);
	}
	return news;
}

static unsigned list(struct history *h)
{
	struct arena a = { 0 };
	struct err err = { 0 };
	int result = history_source_list(h->source, &h->segments, &err);
	unsigned news = 0;

	if (result == 0) {
		news = begin_reading(h);
	} else if (result < 0 && may_come_back(&err)) {
		news = go_away(h, &err);
	} else if (result < 0) {
		h->segments = NULL;
		news = refuse(h, arena_printf(&a, "cannot be read: %s", err.msg));
	}
	arena_release(&a);
	return news;
}

/* There is nothing more to read. */
static unsigned rest(struct history *h)
{
	struct arena a = { 0 };
	unsigned news = 0;

	h->state = RESTS;
	h->asked_before = false;
	if (!h->read_from)
		news = refuse(h, arena_printf(&a, "cannot be read: %s", h->segments && h->segments->why ? h->segments->why : "it is gone"));
	arena_release(&a);
	return news;
}

/*
 * The next segment cannot be read, and will not be later.  It is left out, and those before it are read, unless the recorder has
 * removed it.
 */
static unsigned leave_out(struct history *h, const struct err *err)
{
	ssize_t next = next_segment(h);
	struct arena a = { 0 };
	struct str name = arena_str(&a, str_of(h->segments->all[next].name));

	h->looked = 0;
	look_again(h);
	next = next_segment(h);
	if (next >= 0 && str_is(name, h->segments->all[next].name))
		history_source_leave_out(h->source, (size_t)next, err->msg);
	h->again_at_once = false;
	h->state = !h->read_from || goes_on(h) ? OPENS : RESTS;
	arena_release(&a);
	return say_lost(h);
}

static unsigned open_part(struct history *h)
{
	struct err err = { 0 };
	int result;

	if (next_segment(h) < 0 || h->full)
		return rest(h);
	result = open_next(h, &err);
	if (result == 0)
		return come_back(h);
	if (result > 0)
		return 0;
	/* a refusal that comes again with a new list is about the segment */
	return may_come_back(&err) && !(h->again_at_once && history_source_lacks(&err)) ? lose_part(h, &err) : leave_out(h, &err);
}

static unsigned list_again(struct history *h)
{
	history_source_look_again(h->source);
	h->state = LISTS;
	return list(h);
}

static unsigned start(struct history *h)
{
	h->until = h->p->source->facts(h->p).loaded ? h->p->source->facts(h->p).loaded : clock_now();
	history_source_ask(h->source, h->p->live);
	return list_again(h);
}

/* Says what is missing of a segment that was played.  Returns a set of enum history_news. */
static unsigned say_damage(struct history *h)
{
	const struct replay *r = earlier_program(h->reads)->replay;
	char time[TIME_TEXT];
	struct buf flaws = { 0 };
	struct arena a = { 0 };

	if (!replay_has_unread(r))
		return 0;
	h->ndamaged++;
	replay_flaws(r, &flaws);
	say(h, arena_printf(&a, "is not whole in the part that begins at %s: %s", time_format(h->reads_first, time), buf_cstr(&flaws)));
	buf_release(&flaws);
	arena_release(&a);
	return HISTORY_SAYS;
}

/* The segment is played.  Returns what has changed. */
static unsigned end_reading(struct history *h)
{
	bool first = !h->read_from;
	unsigned news = first ? check_cluster(h) : 0;

	if (h->refused)
		return news;
	news |= say_damage(h);
	h->asked_before = false;
	enter_all(h);
	h->adopt_from = 0;
	h->state = ADOPTS;
	if (!first)
		close_segment(h);
	return news | HISTORY_ENTRIES;
}

unsigned history_step(struct history *h)
{
	int64_t now = clock_now(), until = now + TURN;

	if (!h)
		return 0;
	buf_reset(&h->said);
	switch (h->state) {
	case WAITS:
		return history_deadline(h) && now >= history_deadline(h) ? start(h) : 0;
	case LISTS:
		return list(h);
	case OPENS:
		return history_deadline(h) > now ? 0 : open_part(h);
	case READS:
		return earlier_play(h->reads, h->reads_to, until) ? end_reading(h) : 0;
	case ADOPTS:
		if (adopt_some(h, until))
			close_segment(h);
		return 0;
	case AWAY:
		return now >= h->again ? list_again(h) : 0;
	case RESTS:
		break;
	}
	return 0;
}

/* ---- for what prints once ------------------------------------------------------------------ */

/* Lets the answers of a service come.  Returns false when they were waited for long enough. */
static bool await_answer(struct history *h, int64_t limit)
{
	int64_t now = clock_now();

	if (now >= limit)
		return false;
	h->p->source->turn(h->p, NULL, 0, limit - now);
	return true;
}

/* Returns the earlier one of two times, ms, of which the second may be 0: none. */
static int64_t patience_until(int64_t until)
{
	return time_earlier(clock_now() + PATIENCE, until);
}

bool history_read_now(struct history *h, int64_t until)
{
	int64_t limit = patience_until(until);

	h->once = true;
	start(h);
	while (h->state != RESTS && !(h->state == AWAY && h->away.len)) {
		bool asked = h->state == LISTS, opens = h->state == OPENS;

		history_step(h);
		if (((asked && h->state == LISTS) || (opens && h->state == OPENS)) && !await_answer(h, limit))
			refuse(h, STR("cannot be read: it did not answer in time"));
	}
	world_settle(&h->p->world);
	return !h->refused && h->read_from;
}

struct str history_name(const struct history *h)
{
	return history_source_name(h->source);
}

struct earlier *history_open(struct history *h, int64_t time, int64_t *out_next, struct err *err)
{
	ssize_t at = h->segments ? segments_at(h->segments, time) : -1;
	const struct segment *all = at < 0 ? NULL : h->segments->all;
	const int64_t times[2] = { time, h->until };
	int64_t limit = patience_until(0);
	struct earlier *e = NULL;
	int64_t told;
	int result;

	if (at < 0)
		err_set(err, ERR_INPUT, "the history in %s has nothing of that time", history_source_called(h->source));
	while (at >= 0 && (result = open_segment(h, &all[at], times, EARLIER_TO_READ, &e, &told, err)) == 1)
		if (!await_answer(h, limit)) {
			err_set(err, ERR_INPUT, "the history in %s did not answer in time", history_source_called(h->source));
			break;
		}
	*out_next = e && (size_t)at + 1 < h->segments->n && all[at + 1].first <= h->until ? all[at + 1].first : 0;
	while (e && !earlier_play(e, 0, INT64_MAX))
		;
	return e;
}

bool history_read_before(struct history *h)
{
	if (!h || h->refused || h->full || h->away.len || (h->state == RESTS && next_segment(h) < 0))
		return false;
	h->asked_before = true;
	if (h->state == RESTS)
		h->state = OPENS;
	return true;
}

/* ---- what is known of it --------------------------------------------------------------------- */

int64_t history_from(const struct history *h)
{
	return h && !h->refused && h->until && h->segments && h->segments->n && h->segments->all[0].first <= h->until ? h->segments->all[0].first : 0;
}

int64_t history_entries_from(const struct history *h)
{
	if (!h || h->refused || !h->read_from)
		return 0;
	return !h->full && next_segment(h) < 0 ? history_from(h) : h->read_from;
}

/* Returns the time of the last record before this session, ms. */
static int64_t last_record(const struct history *h)
{
	ssize_t last = segments_at(h->segments, h->until);
	int64_t known = last >= 0 ? h->segments->all[last].last : 0;

	return known < h->until ? known : h->until;
}

const struct segments *history_segments(const struct history *h)
{
	return h->segments;
}

bool history_goes_on(const struct history *h)
{
	return history_from(h) && !is_gap(last_record(h), h->until, false);
}

/* Finds the gaps up to this session. */
static struct gaps find_gaps(const struct history *h)
{
	struct gaps gaps = { 0 };

	segments_gaps(h->segments, h->until, &gaps);
	gaps_note(&gaps, last_record(h), h->until, false);
	return gaps;
}

static struct gap longest_of(const struct gaps *gaps)
{
	struct gap longest = { 0, 0 };

	for (size_t i = 0; i < gaps->n; i++)
		if (gaps->all[i].to - gaps->all[i].from > longest.to - longest.from)
			longest = gaps->all[i];
	return longest;
}

/* Returns the clock of a moment: with seconds where the gap is shorter than a minute, and the date of another day. */
static struct str gap_time(int64_t time, bool seconds, int64_t now, struct arena *a)
{
	enum { DATE = 10, CLOCK = 11, MINUTE = 16, SECOND = 19 };
	char text[TIME_TEXT];
	struct str all = arena_str(a, str_of(time_format(time, text)));
	struct str clock = str_from(str_head(all, seconds ? SECOND : MINUTE), CLOCK);

	return now - time < HOURS(24) ? clock : ARENA_JOIN(a, str_from(str_head(all, DATE), 5), STR(" "), clock);
}

/* Returns what of it cannot be read: ", 1 part is not whole"; "": all can be, as far as is known. */
static struct str lost_words(const struct history *h, struct arena *a)
{
	size_t n = h->segments->nbad + h->ndamaged;

	return n ? arena_printf(a, ", %zu part%s not whole", n, n == 1 ? "" : "s") : STR_NONE;
}

static struct str gap_words(struct gap gap, int64_t now, struct arena *a)
{
	bool seconds = gap.to - gap.from < MINUTES(1);
	struct str from = gap_time(gap.from, seconds, now, a), to = gap_time(gap.to, seconds, now, a);

	return ARENA_JOIN(a, STR("gap "), from, STR("–"), to);
}

/* Returns ", gap 02:10–02:14 and 1 more"; "": there is none. */
static struct str gaps_words(const struct gaps *gaps, int64_t now, struct arena *a)
{
	struct str more = gaps->n > 1 ? arena_printf(a, " and %zu more", gaps->n - 1) : STR_NONE;

	return gaps->n ? ARENA_JOIN(a, STR(", "), gap_words(longest_of(gaps), now, a), more) : STR_NONE;
}

/* Returns where the history is: of several contexts with the one that has it. */
static struct str source_words(const struct history *h, struct arena *a)
{
	struct str name = history_source_name(h->source), context = history_source_context(h->source);
	size_t n;

	h->p->source->contexts(h->p, NULL, &n);
	return n > 1 && context.len ? ARENA_JOIN(a, name, STR(" in "), context) : name;
}

void history_header(const struct history *h, int64_t now, int64_t moment, struct header *out, struct arena *a)
{
	char age[TIME_TEXT];
	struct str reach, gap, name, lost;
	const struct gap *within;
	struct gaps gaps;

	if (!history_from(h))
		return;
	gaps = find_gaps(h);
	within = moment ? gaps_within(&gaps, moment, moment) : NULL;
	reach = arena_str(a, str_of(time_age(now - history_from(h), age)));
	gap = gaps_words(&gaps, now, a);
	lost = lost_words(h, a);
	name = source_words(h, a);
	out->history = arena_printf(a, "history " STR_FMT " (" STR_FMT ")" STR_FMT STR_FMT, STR_ARG(reach), STR_ARG(name), STR_ARG(gap),
				    STR_ARG(lost));
	out->history_brief = arena_printf(a, "history " STR_FMT "%s", STR_ARG(reach), gap.len ? ", gap" : lost.len ? ", not whole" : "");
	out->history_gap = gap.len || lost.len;
	if (within) {
		out->history = ARENA_JOIN(a, gap_words(*within, now, a), STR(": what was known before"));
		out->history_brief = STR("in a gap");
		out->in_gap = true;
	}
	gaps_release(&gaps);
}

/* ---- another moment ---------------------------------------------------------------------------- */

void history_drop_former(struct history *h)
{
	if (!h)
		return;
	earlier_free(h->former);
	h->former = NULL;
}

void history_leave(struct history *h)
{
	history_drop_former(h);
	if (!h)
		return;
	earlier_free(h->shows);
	xfree(h->shown.name);
	h->shows = NULL;
	h->shown.name = NULL;
	h->goes_to = 0;
}

/* Returns true when the world that is shown can show this moment of the segment, too. */
static bool is_open(const struct history *h, const struct segment *s, int64_t time)
{
	return h->shows && strcmp(h->shown.name, s->name) == 0 && earlier_reaches(h->shows, time) && time < h->shown_until &&
	       (time <= h->shown.last || h->shown.size == s->size);
}

/* Opens the segment that shows a moment, unless it is open.  Returns 0; 1: an answer is waited for; -1 with err. */
static int open_moment(struct history *h, int64_t time, struct err *err)
{
	const int64_t times[2] = { time, time };
	const struct segment *s;
	struct earlier *next;
	ssize_t at;
	int64_t until;
	int result;

	if (h->shows && h->goes_to == time)
		return 0;	/* it is on its way */
	look_again(h);
	at = h->segments ? segments_at(h->segments, time) : -1;
	if (at < 0)
		return err_set(err, ERR_INPUT, "that part of the history in %s is gone", history_source_called(h->source));
	s = &h->segments->all[at];
	h->goes_to = time;
	if (is_open(h, s, time))
		return 0;
	h->goes_to = 0;
	result = open_segment(h, s, times, EARLIER_TO_SHOW, &next, &until, err);
	if (result)
		return result;
	if (h->former)	/* its world was never shown */
		earlier_free(h->shows);
	else
		h->former = h->shows;
	h->shows = next;
	h->goes_to = time;
	xfree(h->shown.name);
	h->shown = *s;
	h->shown_until = until;
	h->shown.name = xstrdup(s->name);
	return 0;
}

int history_go(struct history *h, int64_t time, int64_t until, struct program **out, struct err *err)
{
	int result = open_moment(h, time, err);

	h->waits = result == 1;
	if (result < 0 && h->state == RESTS && may_come_back(err))
		lose_part(h, err);
	if (result)
		return result;
	if (!earlier_play(h->shows, time, until))
		return 1;
	*out = earlier_program(h->shows);
	h->goes_to = 0;
	return 0;
}

bool history_rests(const struct history *h)
{
	return !h || h->state == RESTS || (h->state == AWAY && h->away.len);
}

bool history_waits(const struct history *h)
{
	return h && h->waits;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/replay.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/feeds/due.h"
#include "kube/graph/observed.h"
#include "kube/journal/edits.h"
#include "kube/journal/journal.h"
#include "kube/model/framer.h"
#include "plugin/record/gaps.h"
#include "plugin/record/keyframe.h"
#include "plugin/record/latest.h"
#include "plugin/record/record.h"
#include "plugin/record/recorder.h"
#include "plugin/record/redact_object.h"
#include "plugin/record/segments.h"
#include "plugin/record/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCREEN_MAX KIB(256)	/* the most bytes of the record of what was on the screen */
/* So many keyframes are met that are not whole, such as a killed recorder leaves, before all is played from its beginning. */
enum { ATTEMPTS = 3 };

/* ---- the recording --------------------------------------------------------- */

/* What is known of the recording as a whole; playing adds to it. */
struct survey {
	int64_t start, end;	/* the times of the first and the latest record, ms */
	size_t bad, first_bad;	/* the number of records that cannot be read, and the line of the first of them */
	bool cut, damaged;
};

/* When the verdict on an object changes by time alone. */
struct lapse {
	struct due due;
	struct handle object;
};

struct replay {
	struct parts parts;
	struct source source;
	struct json header;
	struct record_contexts contexts;	/* those that the header names; its array is owned */
	struct json screen;	/* the record that says what was on the screen */
	struct str next;	/* the next line, "" at the end */
	int64_t next_time;
	struct survey known;
	bool keyframes;		/* there may be some */
	struct buf bad_lines;	/* a bit for each unreadable line that was counted */
	struct recorder *copies_to;	/* the recording to which played records are copied, borrowed; NULL: none */
	struct arena arena;	/* of the record that is read */
	int64_t loaded;		/* the time that replay_loaded() returns, ms */
	bool met;		/* an object was read, whether it is there or went */
	struct latest *latest;	/* the last record of each object, or only of those whose verdicts may lapse */
	bool forgets_texts;
	struct due_heap lapses;
	struct lapse **lapse_of;	/* by slot; NULL: its verdict never was one that changes by time */
	uint32_t nlapse_of;
	/* the numbers of segments whose header was read, and of those whose state is in the world */
	size_t begun, applied;
	bool grows;		/* a recorder may be writing to it still, so that it is no flaw when its end is cut off */
	bool loading;		/* a keyframe is being loaded: */
	struct keyframe from;
	struct keyframe torn[ATTEMPTS];	/* those that turned out not to be whole */
	unsigned ntorn;
	size_t nloaded;		/* the records of it that were read */
	bool in_state;		/* the next records belong to the state at the beginning of a segment */
	/*
	 * a recorder that was started anew has begun the segment before it knew anything: its first lists are the state
	 */
	bool in_lists;
	size_t nstated;		/* the objects of that state so far */
	int64_t segment_from;	/* the time of the segment's first record, ms */
	int64_t played;		/* the time of the last record that was played, ms; 0: none was, or a keyframe was loaded since */
	int64_t before_segment;	/* what that was when the segment began */
	uint8_t *in_segment;	/* by slot: the object is in that state */
	uint32_t nin_segment;
	uint8_t *met_of;	/* by the id of a kind: the recording has an object of it */
	uint32_t nmet_of;
	void (*on_object)(void *ctx, struct handle h, struct json object);
	void *ctx;
};

static bool is_header(struct str line)
{
	return str_starts(line, "{\"kind\":\"Recording\"");
}

/*
 * Reads the line of a record.  Where its object cannot be read, what names it is kept, so that it is Unknown, and not as
 * it was before; of any other record nothing is kept.  Returns false when it cannot be read.  Free out->whole in either case.
 */
static bool read_record(const struct replay *r, struct str line, struct arena *arena, struct record *out)
{
	struct buf reduced = { 0 };
	bool good;

	arena_reset(arena);
	*out = (struct record){ .whole = JSON_NONE };
	good = framer_read(&line, &reduced, &out->whole) == 0 && record_read(out->whole, &r->contexts, arena, out) &&
	       !(reduced.len && out->type == RECORD_BOOKMARK);
	buf_release(&reduced);
	return good;
}

static bool is_record(const struct replay *r, struct str line, struct arena *arena)
{
	struct record record;
	bool is = read_record(r, line, arena, &record);

	json_free(record.whole);
	return is;
}

#define COUNTED_LINES ((size_t)1 << 26)	/* the number of bits; in a longer recording two lines may count as one */

/* Counts an unreadable line once, however often it is played. */
static void count_bad(struct replay *r, size_t line)
{
	size_t byte = line % COUNTED_LINES / 8;

	while (r->bad_lines.len <= byte)
		buf_add_char(&r->bad_lines, 0);
	if (r->bad_lines.ptr[byte] & 1 << line % 8)
		return;
	r->bad_lines.ptr[byte] = (char)(r->bad_lines.ptr[byte] | 1 << line % 8);
	r->known.bad++;
	if (!r->known.first_bad || line < r->known.first_bad)
		r->known.first_bad = line;
}

/* Notes that the line that was taken last cannot be read. */
static void note_unread(struct replay *r)
{
	if (r->source.last_is_cut && r->source.ended)
		r->known.cut = true;
	else
		count_bad(r, r->source.number);
}

static bool tells_nothing(struct str line)
{
	return str_trim(line).len == 0 || is_header(line);
}

/* Reads up to the end, and notes the latest time, and whether the end is cut off or damaged.  Other flaws are found when it is played. */
static void find_end(struct replay *r, struct source *s)
{
	struct buf last = { 0 };	/* the line with the latest time */
	int64_t end = 0, before = 0;	/* before: the latest time of the lines before that one */
	struct str line;

	while (source_line(s, &line)) {
		int64_t t = is_header(line) ? 0 : record_time(line);

		if (s->last_is_cut && s->ended && !tells_nothing(line) && !is_record(r, line, &r->arena)) {
			r->known.cut = true;
			break;
		}
		if (t <= end)
			continue;
		before = end;
		end = t;
		buf_reset(&last);
		buf_add(&last, line);
	}
	r->known.end = is_record(r, buf_str(&last), &r->arena) ? end : before;
	r->known.damaged = s->damaged;
	r->known.cut |= s->gzip && !s->whole && !s->damaged;
	buf_release(&last);
}

/*
 * Takes the next record, in the order of the file.  Where the clock was set back, the time of the replay stands still.
 */
static void advance(struct replay *r)
{
	struct str line, ignored;

	while (source_line(&r->source, &line)) {
		int64_t t;

		if (keyframe_line(line, &ignored) != KEYFRAME_NONE)
			continue;
		t = is_header(line) ? 0 : record_time(line);
		r->begun += is_header(line);
		if (!t && !tells_nothing(line))
			note_unread(r);
		if (!t)
			continue;
		r->next = line;
		if (t > r->next_time)
			r->next_time = t;
		return;
	}
	r->next = STR_NONE;
}

static int read_header(struct replay *r, const char *name, struct source *s, struct err *err)
{
	struct str line, version;

	if (!source_line(s, &line) || json_parse(line, &r->header, err) < 0 || !str_is(json_str(r->header, "kind"), "Recording")) {
		err_set(err, ERR_INPUT, "%s is not a recording of kubectl status", name);
		return err_hint(err, "objects in YAML or JSON are read with -f");
	}
	version = json_str(r->header, "apiVersion");
	if (!str_is(version, "kubectl-status/v1"))
		return err_set(err, ERR_INPUT, "%s is a recording of another version: \"" STR_FMT "\"", name,
			       STR_ARG(version));
	r->contexts.all = xreallocarray(NULL, json_count(json_at(r->header, "contexts")) + 1, sizeof(*r->contexts.all));
	json_foreach(it, json_at(r->header, "contexts"))
		r->contexts.all[r->contexts.n++] = json_str(it, "");
	return 0;
}

bool replay_is_recording(const char *name)
{
	struct stat st;
	bool is;
	int fd;

	/* a pipe can be read only once: leave its bytes to others */
	if (stat(name, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	is = source_is_recording(&(struct parts){ .fds = &fd, .n = 1 });
	close(fd);
	return is;
}

/* Reads the recording in advance to find its end; when it has keyframes, only from the last one on. */
static void look_through(struct replay *r)
{
	struct source *s = xcalloc(1, sizeof(*s));
	struct keyframe last;

	source_open(s, &r->parts);
	r->keyframes = keyframe_find(&r->parts, INT64_MAX, &last);
	if (r->keyframes)
		source_go(s, last.part, last.at, last.line - 1);
	find_end(r, s);
	source_close(s);
	xfree(s);
}

/* Reads the first record when it says what was on the screen. */
static void read_screen(struct replay *r)
{
	if (r->next.len <= SCREEN_MAX && str_contains(r->next, "\"screen\"") &&
	    document_read(r->next, &r->screen, &(struct err){ 0 }) < 0)
		r->screen = JSON_NONE;
}

struct json replay_screen(const struct replay *r)
{
	return json_at(r->screen, "screen");
}

/* Begins to read the parts of r. */
static struct replay *begin_replay(struct replay *r, const char *name, struct err *err)
{
	r->latest = latest_new();
	source_open(&r->source, &r->parts);
	if (read_header(r, name, &r->source, err) == 0) {
		advance(r);
		read_screen(r);
		r->known.start = r->next_time;
		r->keyframes = true;
		return r;
	}
	replay_free(r);
	return NULL;
}

static struct replay *open_and_begin(const char *name, bool grows, struct err *err)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	r->grows = grows;
	if (parts_open(&r->parts, name, err) == 0)
		return begin_replay(r, name, err);
	replay_free(r);
	return NULL;
}

struct replay *replay_begin(const char *name, struct err *err)
{
	return open_and_begin(name, true, err);
}

static struct replay *looked_through(struct replay *r)
{
	if (r)
		look_through(r);
	return r;
}

struct replay *replay_open(const char *name, struct err *err)
{
	return looked_through(open_and_begin(name, false, err));
}

struct replay *replay_open_parts(const char *name, struct parts *parts, struct err *err)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	r->grows = true;
	r->parts = *parts;
	*parts = (struct parts){ 0 };
	return looked_through(begin_replay(r, name, err));
}

/* Reads the first line of a recording. */
static int first_line(int fd, struct json *out, struct err *err)
{
	struct source *s = xcalloc(1, sizeof(*s));
	struct parts one = { .fds = &fd, .n = 1 };
	struct str line;
	int result;

	source_open(s, &one);
	result = source_line(s, &line) ? json_parse(line, out, err) : err_set(err, ERR_INPUT, "one of the recordings is empty");
	source_close(s);
	xfree(s);
	return result;
}

int replay_order(struct parts *parts, struct err *err)
{
	struct begun {
		int64_t at;
		int fd;
	} *all = xcalloc(parts->n + 1, sizeof(*all)), one;
	char *context = NULL;
	int result = 0;

	for (size_t i = 0; i < parts->n && result == 0; i++) {
		struct json header = JSON_NONE;
		struct str of;
		size_t at = i;

		result = first_line(parts->fds[i], &header, err);
		of = json_str(header, "context");
		if (!context)
			context = xstrndup(of.ptr, of.len);
		else if (result == 0 && !str_is(of, context))
			result = err_set(err, ERR_INPUT, "the recordings are of several contexts: name those of one");
		for (one = (struct begun){ json_time(header, "startedAt"), parts->fds[i] }; at > 0 && all[at - 1].at > one.at; at--)
			all[at] = all[at - 1];
		all[at] = one;
		json_free(header);
	}
	for (size_t i = 0; i < parts->n && result == 0; i++)
		parts->fds[i] = all[i].fd;
	xfree(context);
	xfree(all);
	return result;
}

void replay_forget_texts(struct replay *r)
{
	r->forgets_texts = true;
}

static void forget_lapses(struct replay *r)
{
	due_release(&r->lapses);
	for (uint32_t i = 0; i < r->nlapse_of; i++)
		xfree(r->lapse_of[i]);
	xfree(r->lapse_of);
	r->lapse_of = NULL;
	r->nlapse_of = 0;
}

void replay_restart(struct replay *r)
{
	struct str header;

	source_close(&r->source);
	source_open(&r->source, &r->parts);
	(void)source_line(&r->source, &header);
	latest_free(r->latest);
	r->latest = latest_new();
	forget_lapses(r);
	r->next_time = 0;
	r->begun = r->applied = 0;
	r->played = 0;
	r->in_state = r->in_lists = false;
	advance(r);
}

/* ---- from a keyframe on ------------------------------------------------------ */

bool replay_is_nearer(const struct replay *r, int64_t now, int64_t time)
{
	struct keyframe last, before;

	return r->keyframes && time > now && keyframe_find(&r->parts, time, &last) && last.time > now &&
	       keyframe_find(&r->parts, last.time - 1, &before) && before.time > now;
}

static void apply(struct replay *r, struct world *w, struct query *q, struct record *record);

static bool is_torn(const struct replay *r, const struct keyframe *k)
{
	for (unsigned i = 0; i < r->ntorn; i++)
		if (r->torn[i].part == k->part && r->torn[i].at == k->at)
			return true;
	return false;
}

bool replay_load_begin(struct replay *r, struct world *w, int64_t time)
{
	struct keyframe k;
	bool found = r->keyframes && keyframe_find(&r->parts, time, &k);

	while (found && is_torn(r, &k))
		found = keyframe_find(&r->parts, k.time - 1, &k);
	if (!found)
		return false;
	source_go(&r->source, k.part, k.at, k.line - 1);
	w->now = r->next_time = k.time;
	r->played = 0;
	r->from = k;
	r->loading = k.at > 0;
	r->nloaded = 0;
	if (!r->loading)	/* the state that a part begins with is played */
		advance(r);
	return true;
}

/* The keyframe ends, or is cut off.  whole: all of it was read. */
static enum replay_load end_load(struct replay *r, bool whole)
{
	r->loading = false;
	if (!whole)
		r->torn[r->ntorn++] = r->from;
	r->keyframes = r->ntorn < ATTEMPTS;
	advance(r);
	return whole ? REPLAY_LOADED : REPLAY_NOT_WHOLE;
}

enum replay_load replay_load_some(struct replay *r, struct world *w, struct query *q, size_t most)
{
	struct str line, content;

	while (r->loading && most-- > 0) {
		enum keyframe_line is = source_line(&r->source, &line) ? keyframe_line(line, &content) : KEYFRAME_NONE;
		struct record record;
		bool good;

		if (is == KEYFRAME_NONE || is == KEYFRAME_END)
			return end_load(r, is == KEYFRAME_END && keyframe_records(content) == r->nloaded);
		if (is != KEYFRAME_RECORD)
			continue;	/* the first line of the keyframe is no record */
		r->next = content;
		good = read_record(r, content, &r->arena, &record);
		if (good)
			apply(r, w, q, &record);
		json_free(record.whole);
		if (!good)
			return end_load(r, false);
		r->nloaded++;
	}
	return r->loading ? REPLAY_LOADING : REPLAY_LOADED;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	json_free(r->header);
	xfree(r->contexts.all);
	arena_release(&r->arena);
	json_free(r->screen);
	latest_free(r->latest);
	forget_lapses(r);
	source_close(&r->source);
	parts_release(&r->parts);
	buf_release(&r->bad_lines);
	xfree(r->in_segment);
	xfree(r->met_of);
	xfree(r);
}

static void add_flaw(struct buf *out, const char *flaw)
{
	buf_printf(out, "%s%s", out->len ? "; " : "", flaw);
}

bool replay_has_unread(const struct replay *r)
{
	return r->known.bad || r->known.damaged || r->source.damaged || r->parts.nleft_out;
}

bool replay_flaws(const struct replay *r, struct buf *out)
{
	if (r->known.cut && !r->grows)
		add_flaw(out, "the recording is cut off");
	else if (r->known.damaged || r->source.damaged)
		add_flaw(out, "the recording is damaged: it does not match its checksum");
	/* by an early version, which did not record the cluster of each object */
	if (str_contains(json_str(r->header, "context"), ",") && !json_has(r->header, "contexts"))
		add_flaw(out, "the recording is of several clusters and does not say which object is of which: those of the same name are mixed up");
	if (r->known.bad)
		buf_printf(out, "%s%zu record%s of the recording cannot be read, the first in line %zu", out->len ? "; " : "",
			   r->known.bad, r->known.bad == 1 ? "" : "s", r->known.first_bad);
	if (r->parts.nleft_out)
		buf_printf(out, "%s%zu segment%s of the recording cannot be read, such as %s", out->len ? "; " : "", r->parts.nleft_out,
			   r->parts.nleft_out == 1 ? "" : "s", r->parts.left_out);
	if (out->len)
		buf_add_cstr(out, "; what is there is shown");
	return out->len > 0;
}

static void read_names(struct kinds *kinds, struct json array, struct str *out)
{
	size_t n = 0;

	json_foreach(it, array)
		if (n < KIND_NAMES)
			out[n++] = kinds_name(kinds, json_str(it, ""));
}

/* Takes over the kinds that the server serves; learned: the flags that stay, which objects told of them. */
static void read_kinds(struct kinds *kinds, struct json all, unsigned learned)
{
	json_foreach(it, all) {
		struct kind *k = kinds_put(kinds, json_str(it, "group"), json_str(it, "kind"));

		k->version = kinds_name(kinds, json_str(it, "version"));
		k->versions = k->version;
		k->plural = kinds_name(kinds, json_str(it, "plural"));
		k->singular = kinds_name(kinds, json_str(it, "singular"));
		k->flags = ((unsigned)json_int(it, "flags", 0) & KIND_FLAGS) | (k->flags & learned);
		read_names(kinds, json_at(it, "shortNames"), k->short_names);
		read_names(kinds, json_at(it, "categories"), k->categories);
	}
}

void replay_kinds(const struct replay *r, struct kinds *kinds)
{
	read_kinds(kinds, json_at(r->header, "kinds"), 0);
}

struct str replay_context(const struct replay *r)
{
	return json_str(r->header, "context");
}

/* Sets the coverage of old recordings, which do not have it: a part of each kind was read. */
static void begin_coverage(const struct replay *r, struct world *w, uint16_t cluster)
{
	if (!str_is(json_str(r->header, "coverage"), "recorded"))
		store_set_coverage(w->store, cluster, NULL, STR_NONE, COVERAGE_PARTIAL);
}

void replay_clusters(const struct replay *r, struct world *w)
{
	begin_coverage(r, w, 0);
	for (size_t i = 0; r->contexts.n > 1 && i < r->contexts.n && i <= UINT16_MAX; i++) {
		graph_name_cluster(w->graph, (uint16_t)i, r->contexts.all[i]);
		begin_coverage(r, w, (uint16_t)i);
	}
}

struct str replay_namespace(const struct replay *r)
{
	return json_str(r->header, "namespace");
}

int64_t replay_start(const struct replay *r)
{
	return r->known.start ? r->known.start : json_time(r->header, "startedAt");
}

int64_t replay_loaded(const struct replay *r)
{
	return r->loaded;
}

bool replay_met_something(const struct replay *r)
{
	return r->met || r->loaded;
}

int64_t replay_end(const struct replay *r)
{
	return r->known.end ? r->known.end : replay_start(r);
}

int64_t replay_next(const struct replay *r)
{
	return r->next.len ? r->next_time : 0;
}

static const struct kind *kind_named(struct world *w, const struct record_name *name)
{
	return kinds_put(&w->kinds, name->group, name->kind);
}

static void set_recent(struct world *w, const struct record_change *change, uint16_t cluster)
{
	struct change_seen c = change->is;
	struct object_id id = { cluster, kind_named(w, &change->of), change->of.ns, change->of.name };

	if (id.name.len)
		c.slot = store_find_node(w->store, &id);
	graph_set_recent(w->graph, &c);
}

static struct watched *watched_of(const struct world *w)
{
	return journal_watched(graph_journal(w->graph));
}

/* Notes that what is there is known as of that time (ms): the first lists were complete, or there is a state. */
static void note_loaded(struct replay *r, int64_t time)
{
	if (!r->loaded)
		r->loaded = time;
}

void replay_listen(struct replay *r, void (*object)(void *ctx, struct handle h, struct json object), void *ctx)
{
	r->on_object = object;
	r->ctx = ctx;
}

static void tell(const struct replay *r, struct handle h, struct json object)
{
	if (r->on_object && h.slot)
		r->on_object(r->ctx, h, object);
}

static struct handle object_of(const struct world *w, const struct record *record)
{
	struct object_id id = { record->cluster, engine_kind(w->engine, record->object), record->ns, record->name };

	return id.kind ? store_find(w->store, &id) : HANDLE_NONE;
}

static void let_go(const struct replay *r, struct world *w, struct handle h)
{
	store_let_go(w->store, h);
	tell(r, h, JSON_NONE);
}

/* Takes in what a BOOKMARK says of a kind, or of an object. */
static void apply_about(const struct replay *r, struct world *w, const struct record *record)
{
	struct object_id id = { record->cluster, NULL, record->ns, record->name };

	if (!record->says && !record->nedits && !record->unwatched)
		return;
	id.kind = engine_kind(w->engine, record->object);
	if (!id.kind)
		return;
	if (record->says & RECORD_SCHEMA)
		kinds_learn_status(&w->kinds, id.kind, record->schema_has_status);
	if (record->says & RECORD_COVERAGE) {
		store_set_coverage(w->store, id.cluster, id.kind, id.ns, record->coverage);
		graph_note_watched(w->graph, &id, record->coverage == COVERAGE_COMPLETE, record->time);
	} else if (record->says & RECORD_LOOKUP) {
		store_set_name_coverage(w->store, &id, record->lookup);
	}
	if (id.name.len)
		edits_put(w->changes.edits, &id, record->edits, record->nedits);
	if (record->unwatched)
		let_go(r, w, store_find(w->store, &id));
	else if (record->says & RECORD_WATCHED)
		graph_note_watched(w->graph, &id, record->watched, record->time);
}

static void apply_bookmark(struct replay *r, struct world *w, const struct record *record)
{
	for (size_t i = 0; i < record->nnames; i++) {
		const struct record_name *name = &record->names[i];
		struct object_id id = { record->cluster, kind_named(w, name), name->ns, name->name };

		if (id.name.len)
			store_add_name(w->store, &id);
	}
	if (record->loaded)
		note_loaded(r, record->time);
	for (size_t i = 0; i < record->nchanges; i++)
		set_recent(w, &record->changes[i], record->cluster);
	read_kinds(&w->kinds, record->kinds, KIND_FLAGS & ~(unsigned)RECORD_KIND_FLAGS);
	apply_about(r, w, record);
}

/* ---- the state that a segment begins with ------------------------------------- */

void replay_note_untold(const struct replay *r, struct world *w, int64_t from)
{
	for (uint32_t kind = 1; kind < r->nmet_of; kind++)
		for (uint16_t cluster = 0; r->met_of[kind] && (cluster == 0 || (cluster < r->contexts.n && cluster < UINT16_MAX)); cluster++)
			if (!watched_knows(watched_of(w), cluster, kind))
				watched_begin(watched_of(w), &(struct watch_scope){ .cluster = cluster, .kind = kind }, from);
}

bool replay_in_gap(const struct replay *r, int64_t time)
{
	return r->played && r->next.len && time > r->played && is_gap(r->played, r->next_time, false);
}

/* Nobody recorded in this time; goes_on: what was watched before is watched behind it. */
static void miss(const struct replay *r, struct world *w, struct gap time, bool goes_on)
{
	replay_note_untold(r, w, replay_start(r));
	watched_miss(watched_of(w), time, goes_on);
}

/*
 * Removes the objects that are not in the state: they were deleted between two segments, while nobody recorded.  A recorder
 * that was started anew may look at other kinds: where it does not, nothing is known of them any more.
 */
static void end_state(struct replay *r, struct world *w)
{
	bool in_lists = r->in_lists;

	r->in_state = r->in_lists = false;
	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1)) {
		struct object_id id = store_node_id(w->store, h.slot);
		/* a recorder with a selector does not tell which kinds it watches: those of which it has objects */
		bool untold = in_lists && store_coverage(w->store, id.cluster, id.kind, id.ns) == COVERAGE_NONE;
		if (h.slot < r->nin_segment && r->in_segment[h.slot]) {
			if (untold)
				watched_begin(watched_of(w), &(struct watch_scope){ .cluster = id.cluster, .kind = id.kind->id }, r->segment_from);
		} else if (untold) {
			let_go(r, w, h);
		} else {
			tell(r, h, JSON_NONE);
			store_remove(w->store, h);
		}
	}
}

struct forgotten {
	struct arena arena;
	struct object_id *ids;
	size_t n, cap;
};

static void add_forgotten(void *ctx, const struct object_id *id, enum coverage coverage)
{
	struct forgotten *f = ctx;

	(void)coverage;
	if (!id->kind)
		return;
	f->ids = xgrow(f->ids, f->n, &f->cap, sizeof(*f->ids));
	f->ids[f->n++] = (struct object_id){ id->cluster, id->kind, arena_str(&f->arena, id->ns), arena_str(&f->arena, id->name) };
}

/* Forgets the coverage of the previous segment, because each segment records its own. */
static void forget_coverage(struct world *w)
{
	struct forgotten f = { 0 };

	store_each_coverage(w->store, add_forgotten, &f);
	for (size_t i = 0; i < f.n; i++) {
		if (f.ids[i].name.len)
			store_set_name_coverage(w->store, &f.ids[i], COVERAGE_NONE);
		else
			store_set_coverage(w->store, f.ids[i].cluster, f.ids[i].kind, f.ids[i].ns, COVERAGE_NONE);
	}
	xfree(f.ids);
	arena_release(&f.arena);
}

static void begin_state(struct replay *r, struct world *w, bool state, int64_t time)
{
	r->in_lists = false;
	r->nstated = 0;
	r->segment_from = time;
	r->before_segment = r->played;
	r->applied = r->begun;
	r->in_state = state;
	if (r->nin_segment)
		memset(r->in_segment, 0, r->nin_segment);
	forget_coverage(w);
}

/*
 * Notices that a later segment begins, or that the state at its beginning is complete.  A segment of a recorder that was
 * started anew has an empty state, and then the first lists: objects that come back in them did not go.
 */
static void follow_segments(struct replay *r, struct world *w, const struct record *record)
{
	bool state = record->is_stated || record->type == RECORD_BOOKMARK;

	if (r->in_state && !r->in_lists && !state)
		end_state(r, w);
	if (r->applied != r->begun) {
		begin_state(r, w, state, record->time);
		if (!state) {	/* a recording of its own behind another one: its first lists are its state */
			r->in_state = r->in_lists = true;
			miss(r, w, (struct gap){ r->before_segment, record->time }, false);
		}
	}
	if (r->in_lists && (record->loaded || record->time > r->segment_from + LISTS_LAST))
		end_state(r, w);
	if (r->in_state && !r->in_lists && record->is_mark) {
		r->in_lists = r->nstated == 0;
		if (r->in_lists)
			miss(r, w, (struct gap){ r->before_segment, record->time }, false);
		else
			end_state(r, w);
	}
}

/* Notes when the verdict on the object is to be computed again.  Returns false when it stays as it is. */
static bool note_lapse(struct replay *r, const struct world *w, struct handle h)
{
	int64_t when = store_brief(w->store, h).revisit;
	struct lapse **lapse;

	if (!when && (h.slot >= r->nlapse_of || !r->lapse_of[h.slot]))
		return false;
	r->lapse_of = xgrow_zeroed(r->lapse_of, &r->nlapse_of, h.slot, sizeof(struct lapse *));
	lapse = &r->lapse_of[h.slot];
	if (!*lapse)
		*lapse = xcalloc(1, sizeof(**lapse));
	(*lapse)->object = h;
	due_set(&r->lapses, &(*lapse)->due, when);
	return when != 0;
}

/* Returns true when the uid of the object was added to the record, which left it out. */
static bool add_uid(const struct world *w, struct record *record)
{
	struct arena arena = { 0 };
	bool added = !json_has(record->object, "metadata.uid") && record_add_uid(record, store_uid(w->store, object_of(w, record), &arena));

	arena_release(&arena);
	return added;
}

static void apply_object(struct replay *r, struct world *w, struct query *q, struct record *record)
{
	/* when the verdict was made that a record of a state holds */
	int64_t judged = record->judged && record->judged < record->time ? record->judged : record->time;
	struct engine_source from = { .cluster = record->cluster, .met = r->in_lists || record->met, .before = record->before };
	struct buf whole = { 0 };
	bool added = add_uid(w, record), lapses;
	struct handle h;
	enum change change = engine_put(w->engine, &from, record->object, judged, &h);
	uint32_t kind;

	if (query_note(q, h, record->object, judged))
		store_touch(w->store, h);
	if (!h.slot)
		return;
	kind = store_node_id(w->store, h.slot).kind->id;
	r->met_of = xgrow_zeroed(r->met_of, &r->nmet_of, kind, sizeof(*r->met_of));
	r->met_of[kind] = 1;
	lapses = note_lapse(r, w, h);
	world_note_edits(w, h, record->object);
	if (r->in_state) {
		r->in_segment = xgrow_zeroed(r->in_segment, &r->nin_segment, h.slot, sizeof(*r->in_segment));
		r->in_segment[h.slot] = 1;
		r->nstated++;
	}
	if (lapses || !r->forgets_texts) {
		if (added)
			json_write(record->whole, &whole);
		latest_put(r->latest, h, kind, added ? buf_str(&whole) : r->next, judged);
		buf_release(&whole);
	}
	if (change == CHANGE_ADDED && record->was_observed)
		graph_set_observed(w->graph, h, &record->observed);
	if (record->is_stated)
		note_loaded(r, record->time);
	tell(r, h, record->object);
}

/* The record happens at the time of the replay, which stands still where the clock was set back. */
static void apply(struct replay *r, struct world *w, struct query *q, struct record *record)
{
	struct handle h;

	record->time = r->next_time;
	follow_segments(r, w, record);
	if (r->played && is_gap(r->played, record->time, false))
		miss(r, w, (struct gap){ r->played, record->time }, true);
	r->played = record->time;
	r->met |= record->type != RECORD_BOOKMARK;
	if (record->type == RECORD_BOOKMARK) {
		apply_bookmark(r, w, record);
	} else if (record->type == RECORD_DELETED) {
		h = object_of(w, record);
		tell(r, h, JSON_NONE);
		(record->deselected ? store_deselect : store_remove)(w->store, h);
	} else {
		apply_object(r, w, q, record);
	}
}

/* ---- a part of a recording ---------------------------------------------------- */

/* Copies a record, and who changed its object. */
static void copy(struct replay *r, const struct world *w, const struct record *record)
{
	struct handle h = HANDLE_NONE;
	struct object_id id;

	if (record->kinds.node) {
		recorder_kinds(r->copies_to, w);
		return;
	}
	if (json_has(record->object, "metadata.managedFields"))
		h = object_of(w, record);
	id = store_node_id(w->store, h.slot);
	recorder_copy(r->copies_to, w, record->whole, h.slot ? &id : NULL);
}

void replay_copy(struct replay *r, struct recorder *to)
{
	r->copies_to = to;
}

size_t replay_some(struct replay *r, struct world *w, struct query *q, int64_t time, size_t most)
{
	size_t n = 0;

	for (; r->next.len && r->next_time <= time && n < most; advance(r), n++) {
		struct record record;
		bool good = read_record(r, r->next, &r->arena, &record);

		if (!good)
			note_unread(r);
		else if (record.time > r->known.end)
			r->known.end = record.time;
		if (good)
			apply(r, w, q, &record);
		if (good && r->copies_to)
			copy(r, w, &record);
		json_free(record.whole);
	}
	return n;
}

static bool has_lapsed(const struct world *w, struct handle h, int64_t time)
{
	int64_t when = h.slot ? store_brief(w->store, h).revisit : 0;

	return when && when <= time;
}

/* Computes the verdict on an object again, unless its last record is later than the time.  Returns its handle then. */
static struct handle judge_again(const struct replay *r, struct world *w, struct handle h, int64_t time)
{
	struct engine_source from = { .again = true, .cluster = store_node_id(w->store, h.slot).cluster };
	struct handle again = HANDLE_NONE;
	struct buf line = { 0 };
	struct json doc;
	int64_t judged;

	if (latest_get(r->latest, h, &line, &judged) && record_time(buf_str(&line)) <= time && json_parse(buf_str(&line), &doc, NULL) == 0) {
		engine_put(w->engine, &from, json_at(doc, "object"), time, &again);
		json_free(doc);
	}
	buf_release(&line);
	return again;
}

/* Takes the objects whose verdicts have lapsed, in the order of their slots. */
static struct handle *take_lapsed(struct replay *r, int64_t time, size_t *out_n)
{
	struct handle *all = NULL;
	size_t n = 0, cap = 0;
	struct due *due;

	while ((due = due_first(&r->lapses)) && due->when <= time) {
		all = xgrow(all, n, &cap, sizeof(*all));
		all[n++] = ((struct lapse *)(void *)((char *)due - offsetof(struct lapse, due)))->object;
		due_set(&r->lapses, due, 0);
	}
	if (n)
		qsort(all, n, sizeof(*all), slot_compare);
	*out_n = n;
	return all;
}

void replay_recheck(struct replay *r, struct world *w, int64_t time)
{
	size_t n;
	struct handle *all = take_lapsed(r, time, &n);

	for (size_t i = 0; i < n; i++) {
		struct handle again = store_alive(w->store, all[i]) && has_lapsed(w, all[i], time) ? judge_again(r, w, all[i], time) : HANDLE_NONE;

		if (!again.slot)
			continue;
		latest_judged(r->latest, again, time);
		note_lapse(r, w, again);
	}
	xfree(all);
}

void replay_recheck_earlier(const struct replay *r, struct world *w, int64_t time)
{
	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1))
		if (has_lapsed(w, h, time))
			judge_again(r, w, h, time);
}

struct str replay_object(const struct replay *r, struct handle h, int64_t time, struct arena *arena)
{
	struct buf line = { 0 }, json = { 0 };
	struct str copy;
	struct json doc;
	int64_t judged;

	if (latest_get(r->latest, h, &line, &judged) && record_time(buf_str(&line)) <= time &&
	    json_parse(buf_str(&line), &doc, NULL) == 0) {
		redact_object(json_at(doc, "object"), NULL, &json);
		json_free(doc);
	}
	copy = arena_str(arena, buf_str(&json));
	buf_release(&line);
	buf_release(&json);
	return copy;
}

/* The search for the records of one object, and for its texts at two moments. */
struct text_search {
	const struct object_id *id;
	struct buf quoted;	/* the name as a recorder writes it: a line without it need not be parsed */
	struct arena record, *texts;
	int64_t from, to, latest;	/* ms; latest: the time of the search */
	struct buf text, uid;	/* at the time of the search */
	struct str before;	/* at from, once a change after it was met */
	bool passed;
};

static bool is_about(const struct record *record, const struct object_id *id)
{
	return record->type != RECORD_BOOKMARK && record->cluster == id->cluster && str_eq(record->name, id->name) &&
	       str_eq(record->ns, id->ns) && str_eq(json_str(record->object, "kind"), id->kind->kind) &&
	       kind_in_api(id->kind, json_str(record->object, "apiVersion"));
}

static void search_line(const struct replay *r, struct text_search *s, struct str line)
{
	int64_t t = is_header(line) ? 0 : record_time(line);
	struct record record;

	s->latest = t > s->latest ? t : s->latest;
	if (!t || s->latest > s->to || !str_contains(line, buf_cstr(&s->quoted)))
		return;
	if (read_record(r, line, &s->record, &record) && is_about(&record, s->id)) {
		if (s->latest > s->from && !s->passed)
			s->before = arena_str(s->texts, buf_str(&s->text));
		s->passed |= s->latest > s->from;
		record_add_uid(&record, buf_str(&s->uid));
		buf_reset(&s->uid);
		buf_add(&s->uid, json_str(record.object, "metadata.uid"));
		buf_reset(&s->text);
		if (record.type != RECORD_DELETED)
			redact_object(record.object, NULL, &s->text);
	}
	json_free(record.whole);
}

/* Searches from a keyframe on, NULL: from the beginning.  Returns false when the keyframe has not all the lines that it should have. */
static bool search_from(const struct replay *r, struct text_search *search, const struct keyframe *k)
{
	struct source *s = xcalloc(1, sizeof(*s));
	bool begins = k && k->at, whole = true;	/* begins: the lines are those of the keyframe */
	size_t records = 0;
	struct str line;

	buf_reset(&search->text);
	search->latest = 0;
	search->passed = false;
	source_open(s, &r->parts);
	if (k)
		source_go(s, k->part, k->at, k->line - 1);
	while (whole && search->latest <= search->to && source_line(s, &line)) {
		enum keyframe_line is = keyframe_line(line, &line);

		records += is == KEYFRAME_RECORD;
		whole = !begins || (is == KEYFRAME_END ? keyframe_records(line) == records : is != KEYFRAME_NONE);
		begins &= is != KEYFRAME_END;
		if (is == KEYFRAME_NONE || is == KEYFRAME_RECORD)
			search_line(r, search, line);
	}
	source_close(s);
	xfree(s);
	return whole && !begins;
}

void replay_object_between(const struct replay *r, const struct object_id *id, int64_t from, int64_t to, struct arena *arena,
			   struct str out[2])
{
	struct text_search s = { .id = id, .texts = arena, .from = from, .to = to };
	int64_t time = from;
	struct keyframe k;
	bool found = false;

	json_quote(&s.quoted, id->name, JSON_QUOTE_TERMINAL);
	for (int i = 0; i < ATTEMPTS && !found && r->keyframes && keyframe_find(&r->parts, time, &k); i++) {
		found = search_from(r, &s, &k);
		time = k.time - 1;
	}
	if (!found)
		search_from(r, &s, NULL);
	out[1] = arena_str(arena, buf_str(&s.text));
	out[0] = s.passed ? s.before : out[1];
	buf_release(&s.quoted);
	arena_release(&s.record);
	buf_release(&s.text);
	buf_release(&s.uid);
}

struct str replay_object_at(const struct replay *r, const struct object_id *id, int64_t time, struct arena *arena)
{
	struct str texts[2];

	replay_object_between(r, id, time, time, arena, texts);
	return texts[1];
}

const struct str *replay_contexts(const struct replay *r, struct arena *arena, size_t *out_n)
{
	struct str *names = arena_array(arena, r->contexts.n + 1, sizeof(*names));

	*out_n = r->contexts.n ? r->contexts.n : 1;
	names[0] = replay_context(r);
	for (size_t i = 0; i < r->contexts.n; i++)
		names[i] = r->contexts.all[i];
	return names;
}

struct latest *replay_latest(const struct replay *r)
{
	return r->latest;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/replay.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/feeds/due.h"
#include "kube/graph/observed.h"
#include "kube/journal/edits.h"
#include "plugin/record/keyframe.h"
#include "plugin/record/latest.h"
#include "plugin/record/record.h"
#include "plugin/record/recorder.h"
#include "plugin/record/redact.h"
#include "plugin/record/segments.h"
#include "plugin/record/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCREEN_MAX KIB(256)	/* the most bytes of the record of what was on the screen */

/* ---- the recording --------------------------------------------------------- */

/* What is known of the recording as a whole. */
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
	struct document header;
	struct document screen;	/* the record that says what was on the screen */
	struct str next;	/* the next line, "" at the end */
	int64_t next_time;
	struct survey known;
	bool partly;		/* only the end of the file was read in advance: playing adds to known */
	struct buf bad_lines;	/* with partly: a bit for each unreadable line that was counted */
	struct recorder *copies_to;	/* the recording to which played records are copied, borrowed; NULL: none */
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
	bool loading;		/* a keyframe is being loaded */
	size_t nloaded;		/* the records of it that were read */
	bool in_state;		/* the next records belong to the state at the beginning of a segment */
	/*
	 * a recorder that was started anew has begun the segment before it knew anything: its first lists are the state
	 */
	bool in_lists;
	size_t nstated;		/* the objects of that state so far */
	int64_t segment_from;	/* the time of the segment's first record, ms */
	uint8_t *in_segment;	/* by slot: the object is in that state */
	uint32_t nin_segment;
	void (*on_object)(void *ctx, struct handle h, struct json object);
	void *ctx;
};

/* Returns the time of a line, ms; 0: it has none.  Records start with their time, so that a line need not be parsed. */
static int64_t line_time(struct str line)
{
	struct json doc;
	int64_t t;

	if (str_starts(line, "{\"t\":\"")) {
		struct str rest = str_from(line, 6);

		return time_parse(str_head(rest, str_find(rest, '"')));
	}
	if (json_parse(line, &doc, NULL) < 0)
		return 0;
	t = json_time(doc, "t");
	json_free(doc);
	return t;
}

static bool is_header(struct str line)
{
	return str_starts(line, "{\"kind\":\"Recording\"");
}

/*
 * Finds the cluster of a record, which names its context when there are several clusters.  Returns false when the
 * header does not have that context.
 */
static bool record_cluster(const struct replay *r, struct json record, uint16_t *out)
{
	struct str name = json_str(record, "cluster");
	unsigned i = 0;

	*out = 0;
	if (name.len == 0)
		return true;
	document_foreach(it, document_at(r->header, "contexts")) {
		if (i <= UINT16_MAX && str_eq(document_str(it, ""), name)) {
			*out = (uint16_t)i;
			return true;
		}
		i++;
	}
	return false;
}

static bool is_record(const struct replay *r, struct json doc)
{
	uint16_t cluster;

	return record_is_valid(doc) && record_cluster(r, doc, &cluster);
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

/* Notes what the line that s took last says of the whole recording.  doc is JSON_NONE when the line cannot be read. */
static void survey_line(struct replay *r, const struct source *s, struct json doc)
{
	int64_t t;

	if (!doc.node || !is_record(r, doc)) {
		if (s->last_is_cut && s->ended)
			r->known.cut = true;
		else
			count_bad(r, s->number);
		return;
	}
	t = json_time(doc, "t");
	r->known.start = r->known.start ? r->known.start : t;
	r->known.end = t > r->known.end ? t : r->known.end;
}

static bool tells_nothing(struct str line)
{
	return str_trim(line).len == 0 || is_header(line);
}

static void survey_end(struct replay *r, const struct source *s)
{
	r->known.damaged = s->damaged;
	r->known.cut |= s->gzip && !s->whole && !s->damaged;
}

/* Reads all lines up to the end, and notes the latest time and the flaws. */
static void survey(struct replay *r, struct source *s)
{
	struct str line;

	while (source_line(s, &line)) {
		struct json doc;

		if (tells_nothing(line))
			continue;
		if (json_parse(line, &doc, NULL) < 0)
			doc = JSON_NONE;
		survey_line(r, s, doc);
		json_free(doc);
	}
	survey_end(r, s);
}

static bool is_record_line(const struct replay *r, struct str line)
{
	struct json doc;
	bool is;

	if (json_parse(line, &doc, NULL) < 0)
		return false;
	is = is_record(r, doc);
	json_free(doc);
	return is;
}

/*
 * Finds the latest time without parsing all lines, which is much quicker; other flaws are found when the lines are
 * played.  Returns false when the line with the latest time cannot be read, so that survey() must look at every line.
 */
static bool survey_times(struct replay *r, struct source *s)
{
	struct buf last = { 0 };	/* the line with the latest time */
	struct str line;
	int64_t end = 0;
	bool can_be_read;

	while (source_line(s, &line)) {
		int64_t t = is_header(line) ? 0 : line_time(line);

		if (s->last_is_cut && s->ended && !tells_nothing(line) && !is_record_line(r, line)) {
			r->known.cut = true;
			break;
		}
		if (t <= end)
			continue;
		end = t;
		buf_reset(&last);
		buf_add(&last, line);
	}
	can_be_read = is_record_line(r, buf_str(&last));
	if (can_be_read)
		r->known.end = end;
	survey_end(r, s);
	buf_release(&last);
	return can_be_read;
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
		t = is_header(line) ? 0 : line_time(line);
		r->begun += is_header(line);
		if (!t && r->partly && !tells_nothing(line))
			survey_line(r, &r->source, JSON_NONE);
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

	if (!source_line(s, &line) || document_read(line, &r->header, err) < 0 ||
	    !str_is(document_str(r->header, "kind"), "Recording")) {
		err_set(err, ERR_INPUT, "%s is not a recording of kubectl status", name);
		return err_hint(err, "objects in YAML or JSON are read with -f");
	}
	version = document_str(r->header, "apiVersion");
	if (!str_is(version, "kubectl-status/v1"))
		return err_set(err, ERR_INPUT, "%s is a recording of another version: \"" STR_FMT "\"", name,
			       STR_ARG(version));
	return 0;
}

bool replay_is_recording(const char *name)
{
	struct source s;
	struct stat st;
	struct str line;
	bool is = false;
	int fd;
	struct parts parts = { &fd, 1 };

	/* a pipe can be read only once: leave its bytes to others */
	if (stat(name, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	source_open(&s, &parts);
	line = str_head(source_beginning(&s), 1024);
	line = str_head(line, str_find(line, '\n'));
	is = str_starts(line, "{") && str_contains(line, "\"Recording\"") && str_contains(line, "\"kubectl-status/");
	source_close(&s);
	close(fd);
	return is;
}

/* Reads the recording in advance to find its end and its flaws; when it has keyframes, only from the last one on. */
static void look_through(struct replay *r)
{
	struct source *s = xcalloc(1, sizeof(*s));
	struct keyframe last;
	struct str header;

	source_open(s, &r->parts);
	r->partly = keyframe_find(&r->parts, INT64_MAX, &last);
	if (r->partly) {
		r->known.start = r->next_time;
		source_go(s, last.part, last.at, last.line - 1);
		if (!survey_times(r, s)) {
			source_go(s, last.part, last.at, last.line - 1);
			survey(r, s);
		}
	} else if (source_line(s, &header)) {
		survey(r, s);
	}
	source_close(s);
	xfree(s);
}

/* Reads the first record when it says what was on the screen. */
static void read_screen(struct replay *r)
{
	if (r->next.len <= SCREEN_MAX && str_contains(r->next, "\"screen\"") &&
	    document_read(r->next, &r->screen, &(struct err){ 0 }) < 0)
		r->screen = DOCUMENT_NONE;
}

struct document replay_screen(const struct replay *r)
{
	return document_at(r->screen, "screen");
}

/* Begins to read the parts of r. */
static struct replay *begin_replay(struct replay *r, const char *name, struct err *err)
{
	r->latest = latest_new();
	source_open(&r->source, &r->parts);
	if (read_header(r, name, &r->source, err) == 0) {
		advance(r);
		read_screen(r);
		r->partly = true;
		return r;
	}
	replay_free(r);
	return NULL;
}

struct replay *replay_begin(const char *name, struct err *err)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	if (parts_open(&r->parts, name, err) == 0)
		return begin_replay(r, name, err);
	replay_free(r);
	return NULL;
}

static struct replay *looked_through(struct replay *r)
{
	if (r)
		look_through(r);
	return r;
}

struct replay *replay_open(const char *name, struct err *err)
{
	return looked_through(replay_begin(name, err));
}

struct replay *replay_open_parts(const char *name, struct parts *parts, struct err *err)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	r->grows = true;
	r->parts = *parts;
	*parts = (struct parts){ 0 };
	return looked_through(begin_replay(r, name, err));
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
	r->in_state = r->in_lists = false;
	advance(r);
}

/* ---- from a keyframe on ------------------------------------------------------ */

enum { LOADED_AT_ONCE = 1 << 16 };	/* lines of a keyframe */
enum { ATTEMPTS = 3 };	/* how many incomplete keyframes are tried, such as a killed recorder leaves */

/* Returns true when the keyframe is complete and each of its lines can be read. */
static bool is_whole(const struct replay *r, const struct keyframe *k)
{
	struct source *s = xcalloc(1, sizeof(*s));
	struct str line, content = STR_NONE;
	enum keyframe_line is = KEYFRAME_NONE;
	size_t records = 0;
	bool whole;

	source_open(s, &r->parts);
	source_go(s, k->part, k->at, k->line - 1);
	if (source_line(s, &line))
		is = keyframe_line(line, &content);
	while ((is == KEYFRAME_BEGIN ? records == 0 : is == KEYFRAME_RECORD) && source_line(s, &line)) {
		struct json doc;
		bool can_be_read;

		is = keyframe_line(line, &content);
		if (is != KEYFRAME_RECORD || json_parse(content, &doc, NULL) < 0)
			break;
		can_be_read = is_record(r, doc);
		json_free(doc);
		if (!can_be_read)
			break;
		records++;
	}
	whole = is == KEYFRAME_END && keyframe_records(content) == records;
	source_close(s);
	xfree(s);
	return whole;
}

/* Finds the last usable keyframe at or before time (ms).  Returns false when there is none. */
static bool find_keyframe(const struct replay *r, int64_t time, struct keyframe *out)
{
	for (int i = 0; i < ATTEMPTS && r->partly && keyframe_find(&r->parts, time, out); i++) {
		if (!out->at || is_whole(r, out))
			return true;
		time = out->time - 1;
	}
	return false;
}

bool replay_is_nearer(const struct replay *r, int64_t now, int64_t time)
{
	struct keyframe last, before;

	return r->partly && time > now && keyframe_find(&r->parts, time, &last) && last.time > now &&
	       keyframe_find(&r->parts, last.time - 1, &before) && before.time > now;
}

static void apply(struct replay *r, struct world *w, struct query *q, struct json record, int64_t time);

static void begin_load(struct replay *r, struct world *w, const struct keyframe *k)
{
	source_go(&r->source, k->part, k->at, k->line - 1);
	w->now = r->next_time = k->time;
	r->loading = k->at > 0;
	r->nloaded = 0;
	if (!r->loading)	/* the state that a part begins with is played */
		advance(r);
}

bool replay_load_begin(struct replay *r, struct world *w, int64_t time)
{
	struct keyframe k;

	if (!r->partly || !keyframe_find(&r->parts, time, &k) || !k.at)
		return false;
	begin_load(r, w, &k);
	return true;
}

/* The keyframe ends, or is cut off.  whole: all of it was read. */
static enum replay_load end_load(struct replay *r, bool whole)
{
	r->loading = false;
	advance(r);
	return whole ? REPLAY_LOADED : REPLAY_NOT_WHOLE;
}

enum replay_load replay_load_some(struct replay *r, struct world *w, struct query *q, size_t most)
{
	struct str line, content;

	assert(r->loading);
	while (most-- > 0) {
		enum keyframe_line is = source_line(&r->source, &line) ? keyframe_line(line, &content) : KEYFRAME_NONE;
		struct json doc;

		if (is == KEYFRAME_NONE || is == KEYFRAME_END)
			return end_load(r, is == KEYFRAME_END && keyframe_records(content) == r->nloaded);
		if (is != KEYFRAME_RECORD || json_parse(content, &doc, NULL) < 0)
			continue;	/* the first line of the keyframe is no record */
		r->nloaded++;
		r->next = content;
		apply(r, w, q, doc, r->next_time);
		json_free(doc);
	}
	return REPLAY_LOADING;
}

bool replay_load(struct replay *r, struct world *w, struct query *q, int64_t time)
{
	struct keyframe k;

	if (!find_keyframe(r, time, &k))
		return false;
	begin_load(r, w, &k);
	while (r->loading)
		(void)replay_load_some(r, w, q, LOADED_AT_ONCE);
	return true;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	document_free(r->header);
	document_free(r->screen);
	latest_free(r->latest);
	forget_lapses(r);
	source_close(&r->source);
	parts_release(&r->parts);
	buf_release(&r->bad_lines);
	xfree(r->in_segment);
	xfree(r);
}

/*
 * Returns true for a recording of several clusters by an early version, which did not record the cluster of each
 * object.
 */
static bool mixes_clusters(const struct replay *r)
{
	return str_contains(document_str(r->header, "context"), ",") && !document_has(r->header, "contexts");
}

static void add_flaw(struct buf *out, const char *flaw)
{
	buf_printf(out, "%s%s", out->len ? "; " : "", flaw);
}

size_t replay_flaw_count(const struct replay *r)
{
	return r->known.bad + (r->known.cut && !r->grows) + (r->known.damaged || r->source.damaged) + mixes_clusters(r);
}

bool replay_flaws(const struct replay *r, struct buf *out)
{
	if (r->known.cut && !r->grows)
		add_flaw(out, "the recording is cut off");
	else if (r->known.damaged || r->source.damaged)
		add_flaw(out, "the recording is damaged: it does not match its checksum");
	if (mixes_clusters(r))
		add_flaw(out, "the recording is of several clusters and does not say which object is of which: those of the same name are mixed up");
	if (r->known.bad)
		buf_printf(out, "%s%zu record%s of the recording cannot be read, the first in line %zu", out->len ? "; " : "",
			   r->known.bad, r->known.bad == 1 ? "" : "s", r->known.first_bad);
	if (out->len)
		buf_add_cstr(out, "; what is there is shown");
	return out->len > 0;
}

static void read_names(struct kinds *kinds, struct document array, struct str *out)
{
	size_t n = 0;

	document_foreach(it, array)
		if (n < KIND_NAMES)
			out[n++] = kinds_name(kinds, document_str(it, ""));
}

static void read_kind(struct kinds *kinds, struct document it, unsigned learned)
{
	struct kind *k = kinds_put(kinds, document_str(it, "group"), document_str(it, "kind"));

	k->version = kinds_name(kinds, document_str(it, "version"));
	k->versions = k->version;
	k->plural = kinds_name(kinds, document_str(it, "plural"));
	k->singular = kinds_name(kinds, document_str(it, "singular"));
	k->flags = ((unsigned)document_int(it, "flags", 0) & KIND_FLAGS) | (k->flags & learned);
	read_names(kinds, document_at(it, "shortNames"), k->short_names);
	read_names(kinds, document_at(it, "categories"), k->categories);
}

void replay_kinds(const struct replay *r, struct kinds *kinds)
{
	document_foreach(it, document_at(r->header, "kinds"))
		read_kind(kinds, it, 0);
}

/* Takes over the kinds that the server has served since this record; what objects told of them before stays. */
static void apply_kinds(struct world *w, struct json kinds)
{
	struct buf text = { 0 };
	struct document doc;

	if (!kinds.node)
		return;
	json_write(kinds, &text);
	if (document_read(buf_str(&text), &doc, &(struct err){ 0 }) == 0) {
		document_foreach(it, doc)
			read_kind(&w->kinds, it, KIND_FLAGS & ~(unsigned)RECORD_KIND_FLAGS);
		document_free(doc);
	}
	buf_release(&text);
}

struct str replay_context(const struct replay *r)
{
	return document_str(r->header, "context");
}

/* Sets the coverage of old recordings, which do not have it: a part of each kind was read. */
static void begin_coverage(const struct replay *r, struct world *w, uint16_t cluster)
{
	if (!str_is(document_str(r->header, "coverage"), "recorded"))
		store_set_coverage(w->store, cluster, NULL, STR_NONE, COVERAGE_PARTIAL);
}

void replay_clusters(const struct replay *r, struct world *w)
{
	struct document contexts = document_at(r->header, "contexts");
	uint16_t n = 0;

	if (document_count(contexts) < 2)
		contexts = DOCUMENT_NONE;
	document_foreach(it, contexts) {
		graph_name_cluster(w->graph, n, document_str(it, ""));
		begin_coverage(r, w, n);
		if (n++ == UINT16_MAX)
			return;
	}
	if (n == 0)
		begin_coverage(r, w, 0);
}

struct str replay_namespace(const struct replay *r)
{
	return document_str(r->header, "namespace");
}

int64_t replay_start(const struct replay *r)
{
	return r->known.start ? r->known.start : document_time(r->header, "startedAt");
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

static void set_recent(struct world *w, struct json change, uint16_t cluster)
{
	struct recent_change c = {
		.time = json_int(change, "[0]", 0),
		.what = (enum changed)json_int(change, "[1]", 0),
		.from = (enum phase)json_int(change, "[2]", 0),
		.to = (enum phase)json_int(change, "[3]", 0),
		.gone = json_bool(change, "[4]", false),
	};
	struct object_id id = { cluster, kinds_put(&w->kinds, json_str(change, "[5]"), json_str(change, "[6]")),
				json_str(change, "[7]"), json_str(change, "[8]") };

	if (id.name.len)
		c.slot = store_find_node(w->store, &id);
	graph_set_recent(w->graph, &c);
}

static void apply_coverage(struct world *w, struct json record, uint16_t cluster)
{
	struct json object = json_at(record, "object");
	enum coverage list, lookup;
	struct object_id id = { .cluster = cluster, .ns = json_str(object, "metadata.namespace"),
				.name = json_str(object, "metadata.name") };

	if (coverage_parse(json_str(record, "coverage"), &list)) {
		id.kind = engine_kind(w->engine, object);
		store_set_coverage(w->store, cluster, id.kind, id.ns, list);
	} else if (coverage_parse(json_str(record, "lookup"), &lookup)) {
		id.kind = engine_kind(w->engine, object);
		store_set_name_coverage(w->store, &id, lookup);
	}
}

/* Notes who changed an object. */
static void apply_edits(struct world *w, struct json record, uint16_t cluster)
{
	struct json object = json_at(record, "object"), edits = json_at(record, "edits");
	struct object_id id = { cluster, edits.node ? engine_kind(w->engine, object) : NULL, json_str(object, "metadata.namespace"),
				json_str(object, "metadata.name") };
	struct arena arena = { 0 };
	struct edit all[EDITS];

	if (id.kind && id.name.len)
		edits_put(w->changes.edits, &id, all, record_read_edits(edits, &arena, all));
	arena_release(&arena);
}

static void apply_schema(struct world *w, struct json record)
{
	const struct kind *kind = engine_kind(w->engine, json_at(record, "object"));

	if (kind)
		kinds_learn_status(&w->kinds, kind, json_bool(record, "schemaHasStatus", false));
}

static bool says_loaded(struct json record)
{
	return json_has(json_at(record, "object"), "metadata.annotations['" RECORD_LOADED "']");
}

/* Notes that what is there is known as of that time (ms): the first lists were complete, or there is a state. */
static void note_loaded(struct replay *r, int64_t time)
{
	if (!r->loaded)
		r->loaded = time;
}

static void apply_bookmark(struct replay *r, struct world *w, struct json record, uint16_t cluster, int64_t time)
{
	json_foreach(it, json_at(record, "names")) {
		struct object_id id = { cluster, kinds_put(&w->kinds, json_str(it, "[0]"), json_str(it, "[1]")),
					json_str(it, "[2]"), json_str(it, "[3]") };

		if (id.name.len)
			store_add_name(w->store, &id);
	}
	if (says_loaded(record))
		note_loaded(r, time);
	json_foreach(it, json_at(record, "changes"))
		set_recent(w, it, cluster);
	if (json_has(record, "schemaHasStatus"))
		apply_schema(w, record);
	apply_kinds(w, json_at(record, "kinds"));
	apply_coverage(w, record, cluster);
	apply_edits(w, record, cluster);
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

/* Returns when the verdict was computed that a record of a state holds, ms; for other records time. */
static int64_t judged_at(struct json record, int64_t time)
{
	int64_t judged = json_int(record, "observed.judged", time);

	return judged > 0 && judged < time ? judged : time;
}

static void set_observed(struct world *w, struct handle h, struct json observed)
{
	struct observed o = {
		.since = json_int(observed, "since", 0),
		.since_seen = json_bool(observed, "sinceSeen", false),
		.was_ready = json_bool(observed, "wasReady", false),
		.phase_changes = (unsigned)json_int(observed, "phaseChanges", 0),
		.failures = (unsigned)json_int(observed, "failures", 0),
	};

	if (phase_parse(json_str(observed, "phase"), &o.phase))
		graph_set_observed(w->graph, h, &o);
}

static void read_named(struct json before, struct arena *arena, struct status *out)
{
	struct json named = json_at(before, "named");
	size_t n = json_count(named) < LIMIT_REFS ? json_count(named) : LIMIT_REFS;
	struct ref *refs = arena_array(arena, n, sizeof(*refs));

	json_foreach(it, named) {
		int64_t relation = json_int(it, "relation", -1);

		if (out->nrefs == n)
			break;
		if (relation < 0 || relation >= RELATION_COUNT || json_str(it, "kind").len == 0)
			continue;
		refs[out->nrefs++] = (struct ref){
			.relation = (enum relation)relation,
			.flags = (unsigned)json_int(it, "flags", 0) & UINT16_MAX,
			.group = json_str(it, "group"),
			.kind = json_str(it, "kind"),
			.ns = json_str(it, "namespace"),
			.name = json_str(it, "name"),
			.via = json_str(it, "via"),
			.message = json_str(it, "message"),
		};
	}
	out->refs = refs;
}

/* Reads what was known of the object before its present state; returns false when that is nothing. */
static bool read_before(struct json observed, struct arena *arena, struct conclusion *out_earlier, struct status *out)
{
	struct json before = json_at(observed, "before");
	int64_t severity = json_int(before, "severity", SEVERITY_NONE), blames = json_int(before, "blames", BLAME_NONE);

	*out_earlier = (struct conclusion){
		.severity = severity >= 0 && severity < SEVERITY_COUNT ? (enum severity)severity : SEVERITY_NONE,
		.reason = json_str(before, "reason"),
		.message = json_str(before, "message"),
		.rule = json_str(before, "rule"),
		.type = json_str(before, "type"),
		.status = json_str(before, "status"),
		.since = json_int(before, "since", 0),
		.attempt = json_int(before, "attempt", 0),
		.own_failure = json_bool(before, "ownFailure", false),
		.by_time = json_bool(before, "byTime", false),
		.blames = blames >= BLAME_NONE && blames <= BLAME_TOLD ? (enum blame)blames : BLAME_NONE,
	};
	*out = (struct status){ .phase = PHASE_UNKNOWN, .ever_ready = json_bool(observed, "wasReady", false), .replicas = REPLICAS_NONE };
	if (phase_parse(json_str(before, "phase"), &out_earlier->phase)) {
		out->earlier = out_earlier;
		out->retried = json_bool(observed, "retried", false);
		read_named(before, arena, out);
	}
	return out->earlier || out->ever_ready;
}

/* ---- the state that a segment begins with ------------------------------------- */

/* Returns the array of n elements by slot, made larger when the slot is not in it. */
static void *grown(void *array, uint32_t *n, uint32_t slot, size_t size)
{
	uint32_t more = slot + slot / 4 + 64;

	if (slot < *n)
		return array;
	array = xreallocarray(array, more, size);
	memset((char *)array + *n * size, 0, (more - *n) * size);
	*n = more;
	return array;
}

static void note_in_segment(struct replay *r, struct handle h)
{
	r->in_segment = grown(r->in_segment, &r->nin_segment, h.slot, sizeof(*r->in_segment));
	r->in_segment[h.slot] = 1;
	r->nstated++;
}

/* Removes the objects that are not in the state: they were deleted between two segments, while nobody recorded. */
static void end_state(struct replay *r, struct world *w)
{
	r->in_state = r->in_lists = false;
	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1)) {
		if (h.slot < r->nin_segment && r->in_segment[h.slot])
			continue;
		tell(r, h, JSON_NONE);
		store_remove(w->store, h);
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
	if (f->n == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 64;
		f->ids = xreallocarray(f->ids, f->cap, sizeof(*f->ids));
	}
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
static void follow_segments(struct replay *r, struct world *w, struct json record, int64_t time)
{
	bool state = json_at(record, "observed").node || str_is(json_str(record, "type"), "BOOKMARK");

	if (r->in_state && !r->in_lists && !state)
		end_state(r, w);
	if (r->applied != r->begun)
		begin_state(r, w, state, time);
	if (r->in_lists && (says_loaded(record) || time > r->segment_from + LISTS_LAST))
		end_state(r, w);
	if (r->in_state && !r->in_lists && record_is_mark(record)) {
		r->in_lists = r->nstated == 0;
		if (!r->in_lists)
			end_state(r, w);
	}
}

static struct handle object_of(const struct world *w, uint16_t cluster, struct json object)
{
	struct object_id id = { cluster, engine_kind(w->engine, object), json_str(object, "metadata.namespace"),
				json_str(object, "metadata.name") };

	return id.kind ? store_find(w->store, &id) : HANDLE_NONE;
}

/* Notes when the verdict on the object is to be computed again.  Returns false when it stays as it is. */
static bool note_lapse(struct replay *r, const struct world *w, struct handle h)
{
	int64_t when = store_brief(w->store, h).revisit;
	struct lapse **lapse;

	if (!when && (h.slot >= r->nlapse_of || !r->lapse_of[h.slot]))
		return false;
	r->lapse_of = grown(r->lapse_of, &r->nlapse_of, h.slot, sizeof(struct lapse *));
	lapse = &r->lapse_of[h.slot];
	if (!*lapse)
		*lapse = xcalloc(1, sizeof(**lapse));
	(*lapse)->object = h;
	due_set(&r->lapses, &(*lapse)->due, when);
	return when != 0;
}

static void apply(struct replay *r, struct world *w, struct query *q, struct json record, int64_t time)
{
	struct json object = json_at(record, "object");
	struct engine_source from = { 0 };
	struct arena arena = { 0 };
	struct conclusion earlier;
	struct status before;
	struct handle h, was;
	bool lapses;

	if (!record_is_valid(record) || !record_cluster(r, record, &from.cluster))
		return;		/* replay_flaws() reports it */
	follow_segments(r, w, record, time);
	if (str_is(json_str(record, "type"), "BOOKMARK")) {
		apply_bookmark(r, w, record, from.cluster, time);
		return;
	}
	r->met = true;
	if (str_is(json_str(record, "type"), "DELETED")) {
		h = object_of(w, from.cluster, object);
		tell(r, h, JSON_NONE);
		store_remove(w->store, h);
		return;
	}
	was = object_of(w, from.cluster, object);
	if (read_before(json_at(record, "observed"), &arena, &earlier, &before))
		from.before = &before;
	engine_put(w->engine, &from, object, judged_at(record, time), &h);
	arena_release(&arena);
	query_note(q, h, object, judged_at(record, time));
	if (!h.slot)
		return;
	lapses = note_lapse(r, w, h);
	world_note_edits(w, h, object);
	if (r->in_state)
		note_in_segment(r, h);
	if (lapses || !r->forgets_texts)
		latest_put(r->latest, h, store_node_id(w->store, h.slot).kind->id, r->next, judged_at(record, time));
	if (!handle_eq(was, h))
		set_observed(w, h, json_at(record, "observed"));
	if (json_at(record, "observed").node)
		note_loaded(r, time);
	tell(r, h, object);
}

/* ---- a part of a recording ---------------------------------------------------- */

/* Copies a record, and who changed its object. */
static void copy(struct replay *r, const struct world *w, struct json record)
{
	struct json object = json_at(record, "object");
	struct handle h = HANDLE_NONE;
	struct object_id id;
	uint16_t cluster;

	if (json_at(record, "kinds").node) {
		recorder_kinds(r->copies_to, w);
		return;
	}
	if (json_has(object, "metadata.managedFields") && record_cluster(r, record, &cluster))
		h = object_of(w, cluster, object);
	id = store_node_id(w->store, h.slot);
	recorder_copy(r->copies_to, w, record, h.slot ? &id : NULL);
}

void replay_copy(struct replay *r, struct recorder *to)
{
	r->copies_to = to;
}

size_t replay_until(struct replay *r, struct world *w, struct query *q, int64_t time)
{
	return replay_some(r, w, q, time, SIZE_MAX);
}

size_t replay_some(struct replay *r, struct world *w, struct query *q, int64_t time, size_t most)
{
	size_t n = 0;

	for (; r->next.len && r->next_time <= time && n < most; advance(r), n++) {
		struct json doc;

		if (json_parse(r->next, &doc, NULL) < 0)
			doc = JSON_NONE;
		if (r->partly)
			survey_line(r, &r->source, doc);
		if (doc.node)	/* replay_flaws() reports lines that cannot be read */
			apply(r, w, q, doc, r->next_time);
		if (r->copies_to && doc.node && is_record(r, doc))
			copy(r, w, doc);
		json_free(doc);
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

	if (latest_get(r->latest, h, &line, &judged) && line_time(buf_str(&line)) <= time && json_parse(buf_str(&line), &doc, NULL) == 0) {
		engine_put(w->engine, &from, json_at(doc, "object"), time, &again);
		json_free(doc);
	}
	buf_release(&line);
	return again;
}

static int compare_slots(const void *a, const void *b)
{
	const struct handle *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Takes the objects whose verdicts have lapsed, in the order of their slots. */
static struct handle *take_lapsed(struct replay *r, int64_t time, size_t *out_n)
{
	struct handle *all = NULL;
	size_t n = 0, cap = 0;
	struct due *due;

	while ((due = due_first(&r->lapses)) && due->when <= time) {
		if (n == cap) {
			cap = cap ? cap * 2 : 64;
			all = xreallocarray(all, cap, sizeof(*all));
		}
		all[n++] = ((struct lapse *)(void *)((char *)due - offsetof(struct lapse, due)))->object;
		due_set(&r->lapses, due, 0);
	}
	if (n)
		qsort(all, n, sizeof(*all), compare_slots);
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

	if (latest_get(r->latest, h, &line, &judged) && line_time(buf_str(&line)) <= time &&
	    json_parse(buf_str(&line), &doc, NULL) == 0) {
		redact_object(json_at(doc, "object"), NULL, &json);
		json_free(doc);
	}
	copy = arena_str(arena, buf_str(&json));
	buf_release(&line);
	buf_release(&json);
	return copy;
}

/*
 * Returns true for a record of that object, parsed into *out.  A line that does not have the name as a text cannot be
 * one, so most lines need not be parsed.
 */
static bool is_about(const struct replay *r, struct str line, const struct object_id *id, struct buf *quoted, struct json *out)
{
	struct json object;
	uint16_t cluster;

	buf_reset(quoted);
	json_quote(quoted, id->name, JSON_QUOTE_TERMINAL);	/* as a recorder writes it */
	if (!str_contains(line, buf_cstr(quoted)) || json_parse(line, out, NULL) < 0)
		return false;
	object = json_at(*out, "object");
	if (!str_is(json_str(*out, "type"), "BOOKMARK") && record_cluster(r, *out, &cluster) && cluster == id->cluster &&
	    str_eq(json_str(object, "metadata.name"), id->name) && str_eq(json_str(object, "metadata.namespace"), id->ns) &&
	    str_eq(json_str(object, "kind"), id->kind->kind) && kind_in_api(id->kind, json_str(object, "apiVersion")))
		return true;
	json_free(*out);
	return false;
}

void replay_object_between(const struct replay *r, const struct object_id *id, int64_t from, int64_t to, struct arena *arena,
			   struct str out[2])
{
	struct source *s = xcalloc(1, sizeof(*s));
	struct buf quoted = { 0 }, text = { 0 };
	struct keyframe k;
	struct str line;
	int64_t latest = 0;
	bool passed = false;	/* a change after from was met */

	source_open(s, &r->parts);
	if (find_keyframe(r, from, &k))
		source_go(s, k.part, k.at, k.line - 1);
	while (latest <= to && source_line(s, &line)) {
		enum keyframe_line is = keyframe_line(line, &line);
		int64_t t = is == KEYFRAME_BEGIN || is == KEYFRAME_END || is_header(line) ? 0 : line_time(line);
		struct json doc;

		latest = t > latest ? t : latest;
		if (!t || latest > to || !is_about(r, line, id, &quoted, &doc))
			continue;
		if (latest > from && !passed)
			out[0] = arena_str(arena, buf_str(&text));
		passed |= latest > from;
		buf_reset(&text);
		if (!str_is(json_str(doc, "type"), "DELETED"))
			redact_object(json_at(doc, "object"), NULL, &text);
		json_free(doc);
	}
	out[1] = arena_str(arena, buf_str(&text));
	out[0] = passed ? out[0] : out[1];
	source_close(s);
	xfree(s);
	buf_release(&quoted);
	buf_release(&text);
}

struct str replay_object_at(const struct replay *r, const struct object_id *id, int64_t time, struct arena *arena)
{
	struct str texts[2];

	replay_object_between(r, id, time, time, arena, texts);
	return texts[1];
}

const struct str *replay_contexts(const struct replay *r, struct arena *arena, size_t *out_n)
{
	struct document several = document_at(r->header, "contexts");
	size_t n = document_count(several);
	struct str *names = arena_array(arena, n ? n : 1, sizeof(*names));

	*out_n = n ? n : 1;
	names[0] = replay_context(r);
	n = 0;
	document_foreach(it, several)
		names[n++] = document_str(it, "");
	return names;
}

struct latest *replay_latest(const struct replay *r)
{
	return r->latest;
}

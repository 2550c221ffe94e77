/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/recording.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/deflate.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/feeds/due.h"
#include "kube/graph/observed.h"
#include "kube/journal/edits.h"
#include "kube/model/document.h"
#include "plugin/record/keyframe.h"
#include "plugin/record/latest.h"
#include "plugin/record/record.h"
#include "plugin/record/redact.h"
#include "plugin/record/segments.h"
#include "plugin/record/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* how long a record may wait until it is in the file, ms: what is lost when the program is killed */
#define FLUSH_AFTER 500
/*
 * In a idle time marks say that somebody was recording.  The next mark comes after a sixteenth of the idle time so
 * far, but after SOONEST_MARK at the earliest and LATEST_MARK at the latest.
 */
#define SOONEST_MARK SECONDS(1)
#define LATEST_MARK MINUTES(1)
enum { MARKS_SHARE = 16 };
#define CHUNK KIB(64)
/*
 * A reader of a damaged .gz can go on at certain flushes.  Each makes the file some 700 bytes larger, because what follows
 * may not refer to what is before it, so only in a small file it is each flush; later it is one after so many bytes of
 * records, or so much time.
 */
#define SMALL_FILE KIB(256)
#define RESTART_BYTES MIB(1)
#define RESTART_TIME MINUTES(1)
#define NAMES 500		/* the most names, changes or kinds in a record */
/* the bytes of copied records after which the copy is flushed, so that a reader can begin there */
#define COPIED KIB(256)
/*
 * How far two keyframes are from each other: the records between them take at least KEYFRAME_SHARE times as many bytes of
 * the file as a keyframe, and KEYFRAME_DISTANCE before compression.
 */
#define KEYFRAME_DISTANCE MIB(8)
enum { KEYFRAME_SHARE = 8 };
#define SCREEN_MAX KIB(256)	/* the most bytes of the record of what was on the screen */
#define SLICE KIB(256)	/* the bytes of a state that are written in one turn of the event loop */
#define WAITING_MAX MIB(4)	/* the most bytes of records that wait for the end of a state */

/* ---- writing ------------------------------------------------------------- */

struct recorder {
	int fd;
	char *name;
	const struct str *contexts;	/* the contexts by index of the cluster */
	size_t ncontexts;
	struct gzip_writer *gzip;	/* NULL: the file is not compressed */
	struct buf records;	/* the records that are not written yet */
	bool unflushed;		/* gzip holds data that is not in the file */
	size_t restart;		/* the value of text where a reader of a damaged file can begin last */
	int64_t restart_time;	/* the time of the last record before that, ms */
	int64_t flush_at;	/* when to flush, ms; 0: everything is in the file */
	int error;		/* the errno of a write that failed: nothing is written any more */
	int64_t last, happened;	/* the times of the last record and of the last one that is no mark, ms */
	int64_t unmarked;	/* when a mark was omitted because no cluster was connected, ms */
	bool marks;		/* idle times are marked */
	size_t written;		/* bytes in the file */
	size_t text;		/* bytes of records before compression */
	size_t lines;
	struct state *state;	/* the state that is being written, for whose end records wait; NULL: none is */
	bool in_state;		/* the record that is being written belongs to the state */
	bool tells_edits;	/* a state has who changed the objects */
	size_t stated;		/* the value of text when the last state was complete, and that of written */
	size_t stated_written;
	size_t state_size;	/* bytes of the last state in the file, and those of the texts of its objects; 0: there is none */
	size_t state_texts;
	size_t begun;		/* the value of written when the state at the beginning was complete */
	const uint8_t *only;	/* by slot: whether the recording is about it; NULL: it is about all */
	uint32_t nonly;
	struct segment_place newest;	/* the newest keyframe that is complete; time 0: none is */
	struct told_kind *told;	/* by the id of the kind - 1: what the recording says of it */
	uint32_t ntold;
};

struct told_kind {
	unsigned flags;		/* 0: nothing */
	bool late;		/* a record says it, not the header */
	const char *version;	/* the interned text */
};

/*
 * A state of the world that is being written, slice by slice.  What is known of the objects is copied at once, which is
 * quick; their texts are in a view.  The lines of a state are records; in a keyframe each of them is a member of another
 * record.
 */
struct state {
	bool is_keyframe;
	int64_t time;
	struct latest_view *texts;	/* of the objects */
	struct buf lines;	/* the lines that are written next */
	size_t at, line;	/* the byte of the file, and the line, at which it begins */
	size_t records;		/* the number of its lines */
	struct stated_object *objects;
	size_t nobjects, done;
	struct buf rest;	/* the lines after the objects */
};

struct stated_object {
	struct handle handle;
	uint16_t cluster;
	int64_t judged;
	bool was_observed;
	struct observed observed;
	char *attempt;		/* the members for the attempt that is in progress; NULL: there is none */
};

static void write_bytes(struct recorder *r, const char *bytes, size_t n)
{
	while (n > 0 && !r->error) {
		ssize_t done = write(r->fd, bytes, n);

		if (done < 0 && errno != EINTR)
			r->error = errno;
		if (done > 0) {
			bytes += done;
			n -= (size_t)done;
			r->written += (size_t)done;
		}
	}
}

/* Returns GZIP_RESTART when it is time for one instead of a GZIP_FLUSH. */
static enum gzip_flush flush_or_restart(struct recorder *r)
{
	if (r->written >= SMALL_FILE && r->text - r->restart < RESTART_BYTES && llabs(r->last - r->restart_time) < RESTART_TIME)
		return GZIP_FLUSH;
	r->restart = r->text;
	r->restart_time = r->last;
	return GZIP_RESTART;
}

static void write_text(struct recorder *r, struct buf *text, enum gzip_flush flush)
{
	struct buf packed = { 0 };

	r->text += text->len;
	if (flush == GZIP_FLUSH)
		flush = flush_or_restart(r);
	if (!r->gzip) {
		write_bytes(r, text->ptr, text->len);
	} else if (text->len || r->unflushed) {
		gzip_write(r->gzip, buf_str(text), flush, &packed);
		write_bytes(r, packed.ptr, packed.len);
		r->unflushed = flush == GZIP_LATER;
	}
	buf_release(&packed);
	buf_reset(text);
}

size_t recorder_written(const struct recorder *r)
{
	return r->written;
}

size_t recorder_lines(const struct recorder *r)
{
	return r->lines;
}

static void write_slice(struct recorder *r);

static void finish_state(struct recorder *r)
{
	while (r->state)
		write_slice(r);
}

void recorder_flush(struct recorder *r)
{
	if (!r)
		return;
	finish_state(r);
	write_text(r, &r->records, GZIP_FLUSH);
	r->flush_at = 0;
}

void recorder_run(struct recorder *r, int64_t now)
{
	if (r && r->state)
		write_slice(r);
	if (!r || r->state || (r->records.len == 0 && !r->unflushed))
		return;
	if (!r->flush_at)
		r->flush_at = now + FLUSH_AFTER;
	if (now >= r->flush_at)
		recorder_flush(r);
}

static int64_t next_mark(const struct recorder *r)
{
	int64_t wait = (r->last - r->happened) / MARKS_SHARE;

	wait = wait < SOONEST_MARK ? SOONEST_MARK : wait > LATEST_MARK ? LATEST_MARK : wait;
	return r->marks && !r->error ? (r->unmarked > r->last ? r->unmarked : r->last) + wait : 0;
}

void recorder_mark_idle(struct recorder *r, int64_t now, bool connected)
{
	if (!r)
		return;
	r->marks = true;
	if (!next_mark(r) || now < next_mark(r))
		return;
	if (connected)
		recorder_write_mark(r, now);
	else
		r->unmarked = now;
}

int64_t recorder_deadline(const struct recorder *r)
{
	int64_t mark = r ? next_mark(r) : 0;

	if (r && r->state)
		return 1;	/* a time in the past: the next slice is written at once */
	return mark && (!r->flush_at || mark < r->flush_at) ? mark : r ? r->flush_at : 0;
}

int64_t recorder_last(const struct recorder *r)
{
	return r->last;
}

bool recorder_keyframe(const struct recorder *r, struct segment_place *out)
{
	*out = r->newest;
	return r->newest.time > 0;
}

bool recorder_written_until(const struct recorder *r, struct segment_place *out)
{
	*out = (struct segment_place){ r->last, (off_t)r->written, 0 };
	return !r->state && !r->unflushed && !r->records.len;
}

bool recorder_is_full(const struct recorder *r)
{
	return r->error == ENOSPC || r->error == EDQUOT || r->error == EFBIG;
}

bool recorder_failed(const struct recorder *r, struct err *err)
{
	if (!r || !r->error)
		return false;
	err_set(err, ERR_SYSTEM, "cannot record to %s any more: %s", r->name, strerror(r->error));
	return true;
}

static bool is_in_keyframe(const struct recorder *r)
{
	return r->in_state && r->state->is_keyframe;
}

static void end_record(struct recorder *r)
{
	buf_add_cstr(&r->records, is_in_keyframe(r) ? "}\n" : "\n");
	r->lines++;
	if (r->in_state)
		r->state->records++;
	else if (r->error)
		buf_reset(&r->records);
	else if (r->state && r->records.len >= WAITING_MAX)
		finish_state(r);
	else if (!r->state && r->records.len >= CHUNK)
		write_text(r, &r->records, GZIP_LATER);
}

/* What discovery tells of a kind; the rest of its flags is learned from objects, which are in the recording. */
#define DISCOVERY_FLAGS (KIND_NAMESPACED | KIND_LIST | KIND_WATCH | KIND_GET | KIND_HAS_STATUS | KIND_DISCOVERED | KIND_CUSTOM)

/* Notes that the recording tells of the kind from now on.  Returns false when it does so already, or need not. */
static bool tell_kind(struct recorder *r, const struct kind *kind, bool late)
{
	unsigned flags = kind->flags & DISCOVERY_FLAGS;
	struct told_kind *told;

	if (!(flags & KIND_DISCOVERED))
		return false;
	if (kind->id > r->ntold) {
		uint32_t n = kind->id + kind->id / 4 + 64;

		r->told = xreallocarray(r->told, n, sizeof(*r->told));
		memset(r->told + r->ntold, 0, (n - r->ntold) * sizeof(*r->told));
		r->ntold = n;
	}
	told = &r->told[kind->id - 1];
	if (told->flags == flags && told->version == kind->version.ptr)
		return false;
	*told = (struct told_kind){ flags, late, kind->version.ptr };
	return true;
}

static void add_names(struct document d, const char *key, const struct str *names)
{
	struct document list = document_add_array(d, key);

	for (size_t i = 0; i < KIND_NAMES && names[i].len; i++)
		document_add_string(list, NULL, names[i]);
}

static void add_kind(struct document kinds, const struct kind *kind)
{
	struct document d = document_add_object(kinds, NULL);

	document_add_text(d, "group", kind->group);
	document_add_string(d, "version", kind->version);
	document_add_string(d, "kind", kind->kind);
	document_add_string(d, "plural", kind->plural);
	document_add_string(d, "singular", kind->singular);
	document_add_int(d, "flags", (int64_t)kind->flags);
	add_names(d, "shortNames", kind->short_names);
	add_names(d, "categories", kind->categories);
}

/*
 * Adds the contexts by cluster, when there are several, or when the name of the only one has a comma and looks like
 * several.
 */
static void add_contexts(struct document d, const struct recorder *r)
{
	struct document contexts;
	struct buf all = { 0 };

	for (size_t i = 0; i < r->ncontexts; i++)
		buf_printf(&all, "%s" STR_FMT, i ? "," : "", STR_ARG(r->contexts[i]));
	document_add_text(d, "context", buf_str(&all));
	if (r->ncontexts < 2 && !str_contains(buf_str(&all), ",")) {
		buf_release(&all);
		return;
	}
	buf_release(&all);
	contexts = document_add_array(d, "contexts");
	for (size_t i = 0; i < r->ncontexts; i++)
		document_add_string(contexts, NULL, r->contexts[i]);
}

static void write_header(struct recorder *r, const struct world *w, struct str ns)
{
	struct document d = document_object(), kinds;

	document_add_string(d, "kind", STR("Recording"));
	document_add_string(d, "apiVersion", STR("kubectl-status/v1"));
	document_add_time(d, "startedAt", w->now);
	add_contexts(d, r);
	document_add_text(d, "namespace", ns);
	if (store_coverage(w->store, 0, NULL, STR_NONE) == COVERAGE_NONE)
		document_add_string(d, "coverage", STR("recorded"));
	kinds = document_add_array(d, "kinds");
	for (uint32_t i = 0; i < w->kinds.count; i++)
		if (tell_kind(r, w->kinds.all[i], false))
			add_kind(kinds, w->kinds.all[i]);
	document_write(d, &r->records);
	document_free(d);
	end_record(r);
	r->last = r->happened = w->now;
}

static int open_new(const char *name, struct err *err)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0) {
		err_set(err, ERR_SYSTEM, "cannot record to %s: %s", name, strerror(errno));
		if (errno == EEXIST)
			err_hint(err, "recordings are not overwritten: choose another name");
	}
	return fd;
}

struct recorder *recorder_open(const char *name, const struct world *w, const struct str *contexts, size_t ncontexts,
			       struct str ns, struct err *err)
{
	int fd = open_new(name, err);
	struct recorder *r;

	if (fd < 0)
		return NULL;
	r = xcalloc(1, sizeof(*r));
	r->fd = fd;
	r->name = xstrdup(name);
	r->contexts = contexts;
	r->ncontexts = ncontexts;
	if (str_ends(str_of(name), ".gz"))
		r->gzip = gzip_writer_new();
	write_header(r, w, ns);
	recorder_flush(r);
	return r;
}

/*
 * Write members and elements of a record as text.  A record is not built as a document, because it holds an object of a
 * cluster, and a recording has one for each version of an object.
 */
static void add_open(struct buf *out, const char *key, char bracket)
{
	json_begin(out, key);
	buf_add_char(out, bracket);
}

static void add_text(struct buf *out, const char *key, struct str text)
{
	json_begin(out, key);
	json_quote(out, text, JSON_QUOTE_TERMINAL);
}

static void add_int(struct buf *out, const char *key, int64_t value)
{
	json_begin(out, key);
	buf_printf(out, "%lld", (long long)value);
}

static void add_bool(struct buf *out, const char *key, bool value)
{
	json_begin(out, key);
	buf_add_cstr(out, value ? "true" : "false");
}

static void begin_record(struct recorder *r, int64_t now, const char *type, uint16_t cluster)
{
	char time[TIME_TEXT];

	if (is_in_keyframe(r))
		keyframe_write_head(&r->records, now = r->state->time);
	else
		r->last = r->happened = now;
	buf_add_char(&r->records, '{');
	add_text(&r->records, "t", str_of(time_format_ms(now, time)));
	add_text(&r->records, "type", str_of(type));
	if (r->ncontexts > 1)
		add_text(&r->records, "cluster", r->contexts[cluster]);
	buf_add_cstr(&r->records, ",\"object\":");
}

void recorder_write(struct recorder *r, int64_t now, const char *type, uint16_t cluster, struct str object)
{
	begin_record(r, now, type, cluster);
	BUF_JOIN(&r->records, object, STR("}"));
	end_record(r);
}

static void write_mark(struct recorder *r, int64_t now)
{
	begin_record(r, now, "BOOKMARK", 0);
	buf_add_cstr(&r->records, "{}}");
	end_record(r);
}

void recorder_limit(struct recorder *r, const uint8_t *slots, uint32_t n)
{
	r->only = slots;
	r->nonly = n;
}

static bool is_about_slot(const struct recorder *r, uint32_t slot)
{
	return !r->only || (slot < r->nonly && r->only[slot]);
}

void recorder_write_screen(struct recorder *r, int64_t now, struct str screen)
{
	begin_record(r, now, "BOOKMARK", 0);
	BUF_JOIN(&r->records, STR("{},\"screen\":"), screen, STR("}"));
	end_record(r);
}

void recorder_write_mark(struct recorder *r, int64_t now)
{
	int64_t happened = r ? r->happened : 0;

	if (!r || now <= r->last)
		return;
	write_mark(r, now);
	r->happened = happened;
}

/* The annotation with which a server marks the end of the list in a watch that begins with one. */
#define LOADED "k8s.io/initial-events-end"

void recorder_write_loaded(struct recorder *r, int64_t now)
{
	begin_record(r, now, "BOOKMARK", 0);
	buf_add_cstr(&r->records, "{\"metadata\":{\"annotations\":{\"" LOADED "\":\"true\"}}}}");
	end_record(r);
}

/* Begins a record about an object, or about the objects of a kind in a namespace. */
static void begin_about(struct recorder *r, int64_t now, const struct object_id *id)
{
	char api_version[256];

	begin_record(r, now, "BOOKMARK", id->cluster);
	kind_api_version(id->kind, api_version, sizeof(api_version));
	buf_add_char(&r->records, '{');
	add_text(&r->records, "apiVersion", str_of(api_version));
	add_text(&r->records, "kind", id->kind->kind);
	add_open(&r->records, "metadata", '{');
	if (id->ns.len)
		add_text(&r->records, "namespace", id->ns);
	if (id->name.len)
		add_text(&r->records, "name", id->name);
	buf_add_char(&r->records, '}');
	buf_add_char(&r->records, '}');
}

void recorder_write_coverage(struct recorder *r, int64_t now, const struct object_id *id, enum coverage coverage)
{
	if (!id->kind)
		return;		/* the header says what is known of the cluster as a whole */
	begin_about(r, now, id);
	buf_printf(&r->records, ",\"%s\":\"%s\"}", id->name.len ? "lookup" : "coverage", coverage_name(coverage));
	end_record(r);
}

void recorder_write_edits(struct recorder *r, int64_t now, const struct object_id *id, const struct edit *all, size_t n)
{
	begin_about(r, now, id);
	json_begin(&r->records, "edits");
	record_edits(all, n, id->kind, &r->records);
	buf_add_char(&r->records, '}');
	end_record(r);
}

void recorder_tell_edits(struct recorder *r)
{
	r->tells_edits = true;
}

/* Writes who changed an object, as far as the world knows it. */
static void write_edits_of(struct recorder *r, const struct world *w, const struct object_id *id)
{
	struct arena arena = { 0 };
	const struct edit *all;
	size_t n = edits_of(w->changes.edits, id, &arena, &all);

	if (n)
		recorder_write_edits(r, w->now, id, all, n);
	arena_release(&arena);
}

struct edits_writer {
	struct recorder *r;
	const struct world *w;
};

static void on_edits(void *ctx, const struct object_id *id)
{
	const struct edits_writer *to = ctx;

	write_edits_of(to->r, to->w, id);
}

/* What was learned of kinds without a status subresource: whether the schemas of their definitions have a status. */
static void write_schemas(struct recorder *r, const struct world *w)
{
	char api_version[256];

	for (uint32_t i = 0; i < w->kinds.count; i++) {
		const struct kind *kind = w->kinds.all[i];

		if (!(kind->flags & KIND_SCHEMA_READ) || (kind->flags & KIND_HAS_STATUS) || kind->version.len == 0)
			continue;
		begin_record(r, w->now, "BOOKMARK", 0);
		kind_api_version(kind, api_version, sizeof(api_version));
		buf_add_char(&r->records, '{');
		add_text(&r->records, "apiVersion", str_of(api_version));
		add_text(&r->records, "kind", kind->kind);
		buf_add_char(&r->records, '}');
		buf_printf(&r->records, ",\"schemaHasStatus\":%s}", kind->flags & KIND_REPORTS ? "true" : "false");
		end_record(r);
	}
}

struct coverage_writer {
	struct recorder *r;
	int64_t now;
};

static void on_coverage(void *ctx, const struct object_id *id, enum coverage coverage)
{
	const struct coverage_writer *w = ctx;

	recorder_write_coverage(w->r, w->now, id, coverage);
}

static void write_name(struct buf *out, const struct object_id *id)
{
	add_text(out, NULL, id->kind->group);
	add_text(out, NULL, id->kind->kind);
	add_text(out, NULL, id->ns);
	add_text(out, NULL, id->name);
}

/*
 * Writes the names in the store in the order of their slots, also those of objects that do not exist.  A record has
 * names of one cluster.
 */
static void write_names(struct recorder *r, const struct world *w)
{
	uint32_t slot = 1;

	while (slot < store_slots(w->store)) {
		uint16_t cluster = store_node_id(w->store, slot).cluster;

		begin_record(r, w->now, "BOOKMARK", cluster);
		buf_add_cstr(&r->records, "{}");
		add_open(&r->records, "names", '[');
		for (size_t n = 0; slot < store_slots(w->store) && n < NAMES; slot++) {
			struct object_id id = store_node_id(w->store, slot);

			if (!id.name.len || !is_about_slot(r, slot))
				continue;
			if (id.cluster != cluster)
				break;
			n++;
			add_open(&r->records, NULL, '[');
			write_name(&r->records, &id);
			buf_add_char(&r->records, ']');
		}
		buf_add_char(&r->records, ']');
		buf_add_char(&r->records, '}');
		end_record(r);
	}
}

static bool is_told_late(const struct recorder *r, const struct kind *kind)
{
	return kind->id <= r->ntold && r->told[kind->id - 1].late;
}

/* Writes the kinds from *at on of which the header does not tell.  all: also those of which a record told before. */
static struct document take_kinds(struct recorder *r, const struct world *w, bool all, uint32_t *at)
{
	struct document kinds = document_array();

	for (size_t n = 0; *at < w->kinds.count && n < NAMES; ++*at) {
		const struct kind *kind = w->kinds.all[*at];

		if (!tell_kind(r, kind, true) && !(all && is_told_late(r, kind)))
			continue;
		add_kind(kinds, kind);
		n++;
	}
	return kinds;
}

static void write_kinds(struct recorder *r, const struct world *w, bool all)
{
	for (uint32_t at = 0; at < w->kinds.count;) {
		struct document kinds = take_kinds(r, w, all, &at);

		if (document_count(kinds)) {
			begin_record(r, w->now, "BOOKMARK", 0);
			buf_add_cstr(&r->records, "{},\"kinds\":");
			document_write(kinds, &r->records);
			buf_add_char(&r->records, '}');
			end_record(r);
		}
		document_free(kinds);
	}
}

void recorder_kinds(struct recorder *r, const struct world *w)
{
	if (r)
		write_kinds(r, w, false);
}

/*
 * Takes the next recent change that the recording is about.  The journal of a world at an earlier moment also has what
 * changed after it.
 */
static bool next_change(const struct recorder *r, const struct world *w, uint64_t *at, struct recent_change *out)
{
	while (graph_recent(w->graph, at, out))
		if (!r->only || (out->slot && is_about_slot(r, out->slot) && out->time <= w->now))
			return true;
	return false;
}

/* Writes the recent changes in their order.  A record has changes of one cluster. */
static void write_changes(struct recorder *r, const struct world *w)
{
	struct recent_change c;
	uint64_t at = 0, next = 0;

	while (next_change(r, w, &next, &c)) {
		uint16_t cluster = c.slot ? store_node_id(w->store, c.slot).cluster : 0;

		begin_record(r, w->now, "BOOKMARK", cluster);
		buf_add_cstr(&r->records, "{}");
		add_open(&r->records, "changes", '[');
		next = at;
		for (size_t n = 0; n < NAMES && next_change(r, w, &next, &c); n++, at = next) {
			struct object_id id = { .cluster = cluster };

			if (c.slot)
				id = store_node_id(w->store, c.slot);
			if (id.cluster != cluster)
				break;
			add_open(&r->records, NULL, '[');
			add_int(&r->records, NULL, c.time);
			add_int(&r->records, NULL, c.what);
			add_int(&r->records, NULL, c.from);
			add_int(&r->records, NULL, c.to);
			add_bool(&r->records, NULL, c.gone);
			if (c.slot)
				write_name(&r->records, &id);
			buf_add_char(&r->records, ']');
		}
		next = at;
		buf_add_char(&r->records, ']');
		buf_add_char(&r->records, '}');
		end_record(r);
	}
}

/* ---- a state ------------------------------------------------------------- */

static void state_free(struct state *s)
{
	if (!s)
		return;
	for (size_t i = s->done; i < s->nobjects; i++)
		xfree(s->objects[i].attempt);
	xfree(s->objects);
	buf_release(&s->lines);
	latest_view_free(s->texts);
	buf_release(&s->rest);
	xfree(s);
}

/* Writes what was observed of an object, without what its record has anyway. */
static void write_observed(struct buf *out, const struct stated_object *from)
{
	const struct observed *o = &from->observed;

	add_open(out, "observed", '{');
	if (from->was_observed) {
		add_text(out, "phase", str_of(phase_name(o->phase)));
		add_int(out, "since", o->since);
		add_bool(out, "sinceSeen", o->since_seen);
		add_bool(out, "wasReady", o->was_ready);
		add_int(out, "phaseChanges", o->phase_changes);
		add_int(out, "failures", o->failures);
		if (from->judged)
			add_int(out, "judged", from->judged);
		if (from->attempt) {
			json_begin(out, NULL);
			buf_add_cstr(out, from->attempt);
		}
	}
	buf_add_char(out, '}');
}

/* Writes what the failure names, where it is what is shown. */
static void add_named(struct buf *out, const struct status *st)
{
	add_open(out, "named", '[');
	for (size_t i = 0; st->earlier && i < st->nrefs; i++) {
		const struct ref *r = &st->refs[i];

		if (!(r->flags & REF_NAMED) || st->phase != st->earlier->phase)
			continue;
		add_open(out, NULL, '{');
		add_int(out, "relation", r->relation);
		add_int(out, "flags", r->flags);
		add_text(out, "group", r->group);
		add_text(out, "kind", r->kind);
		add_text(out, "namespace", r->ns);
		add_text(out, "name", r->name);
		add_text(out, "via", r->via);
		add_text(out, "message", r->message);
		buf_add_char(out, '}');
	}
	buf_add_char(out, ']');
}

/* Returns the members that tell of the attempt of an object, and of the verdict before it; NULL: nothing is known. */
static char *attempt_of(const struct world *w, struct handle h)
{
	struct arena arena = { 0 };
	struct buf out = { 0 };
	struct status st;
	struct conclusion c;
	char *text;

	if (!store_knows_attempt(w->store, h))
		return NULL;
	st = store_status(w->store, h, &arena);
	c = st.earlier ? *st.earlier :
			 (struct conclusion){ st.phase, st.severity, st.reason, st.message, st.rule, .since = st.since };
	add_bool(&out, "retried", st.retried);
	add_open(&out, "before", '{');
	add_text(&out, "phase", str_of(phase_name(c.phase)));
	add_int(&out, "severity", c.severity);
	add_text(&out, "reason", c.reason);
	add_text(&out, "message", c.message);
	add_text(&out, "rule", c.rule);
	add_text(&out, "type", c.type);
	add_text(&out, "status", c.status);
	add_int(&out, "since", c.since);
	add_int(&out, "attempt", c.attempt);
	add_bool(&out, "ownFailure", c.own_failure);
	add_bool(&out, "byTime", c.by_time);
	add_int(&out, "blames", c.blames);
	add_named(&out, &st);
	buf_add_char(&out, '}');
	text = xstrdup(buf_cstr(&out));
	buf_release(&out);
	arena_release(&arena);
	return text;
}

static void take_objects(struct state *s, const struct world *w, struct latest *latest)
{
	size_t cap = 0;

	s->texts = latest_view_new(latest);
	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1)) {
		struct stated_object o = { .handle = h, .cluster = store_node_id(w->store, h.slot).cluster };

		if (!latest_has(latest, h, &o.judged))
			continue;
		o.was_observed = graph_observed(w->graph, h, &o.observed);
		o.attempt = attempt_of(w, h);
		if (s->nobjects == cap) {
			cap = cap + cap / 4 + 64;
			s->objects = xreallocarray(s->objects, cap, sizeof(*s->objects));
		}
		s->objects[s->nobjects++] = o;
	}
}

static void swap(struct buf *a, struct buf *b)
{
	struct buf was = *a;

	*a = *b;
	*b = was;
}

static void start_state(struct recorder *r, const struct world *w, struct latest *latest, bool is_keyframe)
{
	struct coverage_writer known = { r, w->now };
	struct state *s;

	finish_state(r);
	write_text(r, &r->records, is_keyframe ? GZIP_END : GZIP_LATER);
	s = r->state = xcalloc(1, sizeof(*s));
	s->is_keyframe = is_keyframe;
	r->state_texts = latest_size(latest);
	s->time = is_keyframe && r->last > w->now ? r->last : w->now;
	s->at = r->written;
	s->line = r->lines + 1;
	if (is_keyframe) {
		if (r->gzip)
			gzip_write_mark(r->gzip, STR(KEYFRAME_MARK));
		keyframe_write_begin(&s->lines, s->time, ++r->lines);
	}
	r->in_state = true;
	swap(&r->records, &s->lines);
	write_schemas(r, w);
	write_kinds(r, w, true);
	write_names(r, w);
	swap(&r->records, &s->lines);
	take_objects(s, w, latest);
	swap(&r->records, &s->rest);
	if (!r->only)
		store_each_coverage(w->store, on_coverage, &known);
	if (r->tells_edits)
		edits_each(w->changes.edits, on_edits, &(struct edits_writer){ r, w });
	write_changes(r, w);
	if (!is_keyframe)
		write_mark(r, w->now);	/* the mark ends the state */
	swap(&r->records, &s->rest);
	r->in_state = false;
}

static void write_stated(struct recorder *r, struct state *s)
{
	struct stated_object *o = &s->objects[s->done++];
	struct buf text = { 0 };
	struct json doc;

	if (latest_view_get(s->texts, o->handle, &text) && json_parse(buf_str(&text), &doc, NULL) == 0) {
		begin_record(r, s->time, "ADDED", o->cluster);
		record_object(json_at(doc, "object"), NULL, &r->records);
		write_observed(&r->records, o);
		buf_add_char(&r->records, '}');
		end_record(r);
		json_free(doc);
	}
	xfree(o->attempt);
	buf_release(&text);
}

static void complete_state(struct recorder *r, struct state *s)
{
	r->state = NULL;
	r->stated = r->text;
	r->stated_written = r->written;
	r->state_size = r->written - s->at;
	if (s->is_keyframe) {
		r->newest = (struct segment_place){ s->time, (off_t)s->at, s->line };
	} else {
		r->begun = r->written;
	}
	state_free(s);
}

static void write_slice(struct recorder *r)
{
	struct state *s = r->state;
	bool ends;

	r->in_state = true;
	swap(&r->records, &s->lines);
	while (s->done < s->nobjects && r->records.len < SLICE)
		write_stated(r, s);
	swap(&r->records, &s->lines);
	r->in_state = false;
	ends = s->done == s->nobjects;
	if (ends) {
		buf_add(&s->lines, buf_str(&s->rest));
		if (s->is_keyframe)
			keyframe_write_end(&s->lines, s->time, s->records);
		r->lines += s->is_keyframe;
	}
	write_text(r, &s->lines, ends ? GZIP_FLUSH : GZIP_LATER);
	if (ends)
		complete_state(r, s);
}

void recorder_begin_state(struct recorder *r, const struct world *w, struct latest *latest)
{
	start_state(r, w, latest, false);
}

void recorder_write_state(struct recorder *r, const struct world *w, struct latest *latest)
{
	start_state(r, w, latest, false);
	finish_state(r);
}

/* Returns about the bytes that a state would take in the file: as the last state did, or as all records did. */
static double state_size(const struct recorder *r, const struct latest *latest)
{
	double size = (double)latest_size(latest);

	return r->state_texts ? size * (double)r->state_size / (double)r->state_texts : size * (double)r->written / (double)(r->text + 1);
}

void recorder_settled(struct recorder *r, const struct world *w, struct latest *latest)
{
	size_t records = r->text + r->records.len - r->stated;

	if (!r->state && !r->error && records >= KEYFRAME_DISTANCE &&
	    (double)(r->written - r->stated_written) >= state_size(r, latest) * KEYFRAME_SHARE)
		start_state(r, w, latest, true);
}

size_t recorder_begun(const struct recorder *r)
{
	return r->begun;
}

int recorder_close(struct recorder *r, struct err *err)
{
	int result = 0;

	if (!r)
		return 0;
	finish_state(r);
	r->unflushed = true;	/* the end of the gzip data must be written in any case */
	write_text(r, &r->records, GZIP_END);
	gzip_writer_free(r->gzip);
	if (close(r->fd) < 0 && !r->error)
		r->error = errno;
	if (r->error)
		result = err_set(err, ERR_SYSTEM, "cannot write all of %s: %s", r->name, strerror(r->error));
	xfree(r->name);
	xfree(r->told);
	buf_release(&r->records);
	xfree(r);
	return result;
}

/* ---- reading ------------------------------------------------------------- */

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
	size_t copied;		/* the bytes that were copied up to its last flush */
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
			read_kind(&w->kinds, it, KIND_FLAGS & ~(unsigned)DISCOVERY_FLAGS);
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
	return json_has(json_at(record, "object"), "metadata.annotations['" LOADED "']");
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

/* Writes who changed the object of a copied record, as its managedFields tell it, which are not copied. */
static void copy_edits(const struct replay *r, const struct world *w, struct json record)
{
	struct json object = json_at(record, "object");
	struct object_id id;
	struct handle h;
	uint16_t cluster;

	if (!json_has(object, "metadata.managedFields") || !record_cluster(r, record, &cluster))
		return;
	h = object_of(w, cluster, object);
	id = store_node_id(w->store, h.slot);
	if (h.slot)
		write_edits_of(r->copies_to, w, &id);
}

/* Copies a record, without what must not be recorded. */
static void copy(struct replay *r, const struct world *w, struct json record)
{
	struct recorder *to = r->copies_to;

	if (json_at(record, "kinds").node) {
		recorder_kinds(to, w);
		return;
	}
	buf_add_char(&to->records, '{');
	json_foreach(it, record) {
		struct buf value = { 0 };

		if (str_is(json_key(it), "object"))
			record_object(it, NULL, &value);
		else
			json_write(it, &value);
		json_begin(&to->records, json_key(it).ptr);
		buf_add(&to->records, buf_str(&value));
		buf_release(&value);
	}
	buf_add_char(&to->records, '}');
	end_record(to);
	copy_edits(r, w, record);
	if (to->text - r->copied < COPIED)
		return;
	recorder_flush(to);
	r->copied = to->text;
}

void replay_copy(struct replay *r, struct recorder *to)
{
	r->copies_to = to;
	r->copied = to->text;
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/recorder.h"

#include "kube/base/alloc.h"
#include "kube/base/deflate.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/graph/observed.h"
#include "kube/journal/edits.h"
#include "kube/model/document.h"
#include "plugin/record/keyframe.h"
#include "plugin/record/latest.h"
#include "plugin/record/record.h"
#include "plugin/record/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* how long a record may wait until it is in the file, ms: what is lost when the program is killed */
#define FLUSH_AFTER 500
/*
 * In an idle time marks say that somebody was recording.  The next mark comes after a sixteenth of the idle time so
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
#define SLICE KIB(256)	/* the bytes of a state that are written in one turn of the event loop */
#define WAITING_MAX MIB(4)	/* the most bytes of records that wait for the end of a state */

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
	size_t copied;		/* the value of text when copied records were flushed last */
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
	int64_t due;	/* when to write the next slice: the time of the turn that wrote the last one, so that each turn has another */
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
	if (r && r->state) {
		r->state->due = now;
		write_slice(r);
	}
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
		return r->state->due;
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

/* Notes that the recording tells of the kind from now on.  Returns false when it does so already, or need not. */
static bool tell_kind(struct recorder *r, const struct kind *kind, bool late)
{
	unsigned flags = kind->flags & RECORD_KIND_FLAGS;
	struct told_kind *told;

	if (!(flags & KIND_DISCOVERED))
		return false;
	r->told = xgrow_zeroed(r->told, &r->ntold, kind->id - 1U, sizeof(*r->told));
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
	else if (!r->in_state || now > r->last)	/* a state is written in slices, while later records wait for its end */
		r->last = r->happened = now;
	buf_add_char(&r->records, '{');
	add_text(&r->records, "t", str_of(time_format_ms(now, time)));
	add_text(&r->records, "type", str_of(type));
	if (r->ncontexts > 1)
		add_text(&r->records, "cluster", r->contexts[cluster]);
	buf_add_cstr(&r->records, ",\"object\":");
}

void recorder_write(struct recorder *r, int64_t now, enum recorded_as what, uint16_t cluster, struct str object)
{
	static const struct {
		const char *type, *more;
	} words[] = {
		[RECORDED_ADDED] = { "ADDED", "}" },
		[RECORDED_MET] = { "ADDED", ",\"met\":true}" },
		[RECORDED_MODIFIED] = { "MODIFIED", "}" },
		[RECORDED_DELETED] = { "DELETED", "}" },
		[RECORDED_DESELECTED] = { "DELETED", ",\"deselected\":true}" },
	};

	begin_record(r, now, words[what].type, cluster);
	BUF_JOIN(&r->records, object, str_of(words[what].more));
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

void recorder_write_loaded(struct recorder *r, int64_t now)
{
	begin_record(r, now, "BOOKMARK", 0);
	buf_add_cstr(&r->records, "{\"metadata\":{\"annotations\":{\"" RECORD_LOADED "\":\"true\"}}}}");
	end_record(r);
}

/* Begins a record that names an object, or the objects of a kind in a namespace. */
static void begin_about(struct recorder *r, int64_t now, const char *type, const struct object_id *id)
{
	char api_version[256];

	begin_record(r, now, type, id->cluster);
	kind_api_version(id->kind, api_version, sizeof(api_version));
	buf_add_char(&r->records, '{');
	add_text(&r->records, "apiVersion", str_of(api_version));
	add_text(&r->records, "kind", id->kind->kind);
	add_open(&r->records, "metadata", '{');
	if (id->ns.len)
		add_text(&r->records, "namespace", id->ns);
	if (id->name.len)
		add_text(&r->records, "name", id->name);
	buf_add_cstr(&r->records, "}}");
}

/* Writes what such a record says: true or false. */
static void write_truth(struct recorder *r, int64_t now, const struct object_id *id, const char *key, bool value)
{
	begin_about(r, now, "BOOKMARK", id);
	add_bool(&r->records, key, value);
	buf_add_char(&r->records, '}');
	end_record(r);
}

void recorder_write_gone(struct recorder *r, int64_t now, const struct object_id *id, bool deselected)
{
	begin_about(r, now, "DELETED", id);
	buf_add_cstr(&r->records, deselected ? ",\"deselected\":true}" : "}");
	end_record(r);
}

void recorder_write_coverage(struct recorder *r, int64_t now, const struct object_id *id, enum coverage coverage)
{
	if (!id->kind)
		return;		/* the header says what is known of the cluster as a whole */
	begin_about(r, now, "BOOKMARK", id);
	buf_printf(&r->records, ",\"%s\":\"%s\"}", id->name.len ? "lookup" : "coverage", coverage_name(coverage));
	end_record(r);
}

void recorder_write_watched(struct recorder *r, int64_t now, const struct object_id *id, bool is_watched)
{
	write_truth(r, now, &(struct object_id){ id->cluster, id->kind, id->ns, STR_NONE }, "watched", is_watched);
}

void recorder_write_let_go(struct recorder *r, int64_t now, const struct object_id *id)
{
	write_truth(r, now, id, "unwatched", true);
}

void recorder_write_edits(struct recorder *r, int64_t now, const struct object_id *id, const struct edit *all, size_t n)
{
	begin_about(r, now, "BOOKMARK", id);
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

/* Where the functions that go through all edits and through what was read write them. */
struct writer {
	struct recorder *r;
	const struct world *w;
};

static void on_edits(void *ctx, const struct object_id *id)
{
	const struct writer *to = ctx;

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

static void on_coverage(void *ctx, const struct object_id *id, enum coverage coverage)
{
	const struct writer *to = ctx;

	recorder_write_coverage(to->r, to->w->now, id, coverage);
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

/* Writes the kinds from *at on of which the header does not tell.  all: also those of which a record told before. */
static struct document take_kinds(struct recorder *r, const struct world *w, bool all, uint32_t *at, size_t *out_n)
{
	struct document kinds = document_array();
	size_t n = 0;

	for (; *at < w->kinds.count && n < NAMES; ++*at) {
		const struct kind *kind = w->kinds.all[*at];

		if (!tell_kind(r, kind, true) && !(all && kind->id <= r->ntold && r->told[kind->id - 1].late))
			continue;
		add_kind(kinds, kind);
		n++;
	}
	*out_n = n;
	return kinds;
}

static void write_kinds(struct recorder *r, const struct world *w, bool all)
{
	for (uint32_t at = 0; at < w->kinds.count;) {
		size_t n;
		struct document kinds = take_kinds(r, w, all, &at, &n);

		if (n) {
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
static bool next_change(const struct recorder *r, const struct world *w, uint64_t *at, struct change_seen *out)
{
	while (graph_recent(w->graph, at, out))
		if (!r->only || (out->slot && is_about_slot(r, out->slot) && out->time <= w->now))
			return true;
	return false;
}

/* Writes the recent changes in their order.  A record has changes of one cluster. */
static void write_changes(struct recorder *r, const struct world *w)
{
	struct change_seen c;
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
		s->objects = xgrow(s->objects, s->nobjects, &cap, sizeof(*s->objects));
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
	struct writer to = { r, w };
	struct state *s;

	finish_state(r);
	write_text(r, &r->records, is_keyframe ? GZIP_END : GZIP_LATER);
	s = r->state = xcalloc(1, sizeof(*s));
	s->is_keyframe = is_keyframe;
	r->state_texts = latest_size(latest);
	s->time = is_keyframe && r->last > w->now ? r->last : w->now;
	s->due = w->now;
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
		store_each_coverage(w->store, on_coverage, &to);
	if (r->tells_edits)
		edits_each(w->changes.edits, on_edits, &to);
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

/* ---- a copy ----------------------------------------------------------------- */

void recorder_copy(struct recorder *r, const struct world *w, struct json record, const struct object_id *edited)
{
	buf_add_char(&r->records, '{');
	json_foreach(it, record) {
		struct buf value = { 0 };

		if (str_is(json_key(it), "object"))
			record_object(it, NULL, &value);
		else
			json_write(it, &value);
		json_begin(&r->records, json_key(it).ptr);
		buf_add(&r->records, buf_str(&value));
		buf_release(&value);
	}
	buf_add_char(&r->records, '}');
	end_record(r);
	if (edited)
		write_edits_of(r, w, edited);
	if (r->text - r->copied < COPIED)
		return;
	recorder_flush(r);
	r->copied = r->text;
}

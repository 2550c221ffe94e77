/* SPDX-License-Identifier: Apache-2.0 */
/* The one file that knows zlib. */
#include "plugin/record/recording.h"

#include "kube/base/alloc.h"
#include "kube/base/system.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/graph/observed.h"
#include "kube/model/document.h"
#include "plugin/files_paths.h"
#include "plugin/record/latest.h"
#include "plugin/record/record.h"
#include "plugin/record/redact.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define FLUSH_AFTER 500		/* ms: so old is what a death takes along at most */
/*
 * While nothing happens a mark tells that somebody was there: after a sixteenth of the time for which it has been quiet,
 * but not more often than SOONEST_MARK nor more seldom than LATEST_MARK.
 */
#define SOONEST_MARK SECONDS(1)
#define LATEST_MARK MINUTES(1)
enum { MARKS_SHARE = 16 };
#define CHUNK KIB(64)
#define NAMES 500		/* in a record */
#define COPIED KIB(256)		/* of records that are copied at once: a reader can begin behind each */
#define GZIP 16			/* added to the window's bits */

/* ---- writing ------------------------------------------------------------- */

struct recorder {
	int fd;
	char *name;
	bool compressed;
	const struct str *contexts;	/* by cluster */
	size_t ncontexts;
	z_stream zip;
	struct buf records;	/* not written yet */
	bool unflushed;		/* zip holds some that are not in the file */
	int64_t flush_at;	/* ms; 0: all is in the file */
	int error;		/* errno: nothing is written any more */
	int64_t last, happened;	/* ms, of the last record, and of the last one that is no mark */
	int64_t unmarked;	/* ms, when a mark was due and nobody could say that nothing happened */
	bool marks;		/* of a quiet time are written */
	size_t written;		/* bytes in the file */
	size_t text;		/* bytes that were given to it */
	size_t lines;
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

static void write_compressed(struct recorder *r, int flush)
{
	unsigned char out[4096];

	r->zip.next_in = (unsigned char *)r->records.ptr;
	r->zip.avail_in = (unsigned)r->records.len;
	do {
		r->zip.next_out = out;
		r->zip.avail_out = sizeof(out);
		(void)deflate(&r->zip, flush);
		write_bytes(r, (const char *)out, sizeof(out) - r->zip.avail_out);
	} while (r->zip.avail_out == 0);
	r->unflushed = flush == Z_NO_FLUSH;
}

/* flush is deflate()'s.  Behind a full one a reader can begin, whatever is broken before it. */
static void write_records(struct recorder *r, int flush)
{
	r->text += r->records.len;
	if (!r->compressed)
		write_bytes(r, r->records.ptr, r->records.len);
	else if (r->records.len || r->unflushed || flush == Z_FINISH)
		write_compressed(r, flush);
	buf_reset(&r->records);
}

size_t recorder_written(const struct recorder *r)
{
	return r->written;
}

size_t recorder_lines(const struct recorder *r)
{
	return r->lines;
}

void recorder_flush(struct recorder *r)
{
	if (!r)
		return;
	write_records(r, Z_FULL_FLUSH);
	r->flush_at = 0;
}

void recorder_run(struct recorder *r, int64_t now)
{
	if (!r || (r->records.len == 0 && !r->unflushed))
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

void recorder_mark_quiet(struct recorder *r, int64_t now, bool sees)
{
	if (!r)
		return;
	r->marks = true;
	if (!next_mark(r) || now < next_mark(r))
		return;
	if (sees)
		recorder_write_mark(r, now);
	else
		r->unmarked = now;
}

int64_t recorder_deadline(const struct recorder *r)
{
	int64_t mark = r ? next_mark(r) : 0;

	return mark && (!r->flush_at || mark < r->flush_at) ? mark : r ? r->flush_at : 0;
}

bool recorder_failed(const struct recorder *r, struct err *err)
{
	if (!r || !r->error)
		return false;
	err_set(err, ERR_SYSTEM, "cannot record to %s any more: %s", r->name, strerror(r->error));
	return true;
}

static void end_record(struct recorder *r)
{
	buf_add_char(&r->records, '\n');
	r->lines++;
	if (r->error)
		buf_reset(&r->records);
	else if (r->records.len >= CHUNK)
		write_records(r, Z_NO_FLUSH);
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

/* Which context is which cluster's, where there are several, or one looks like several. */
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
		if (w->kinds.all[i]->flags & KIND_DISCOVERED)
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

static struct recorder *open_recorder(const char *name, int level, const struct world *w, const struct str *contexts,
				      size_t ncontexts, struct str ns, struct err *err)
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
	r->compressed = str_ends(str_of(name), ".gz");
	if (r->compressed && deflateInit2(&r->zip, level, Z_DEFLATED, MAX_WBITS + GZIP, 8,
					  Z_DEFAULT_STRATEGY) != Z_OK)
		r->error = ENOMEM;
	write_header(r, w, ns);
	recorder_flush(r);
	return r;
}

struct recorder *recorder_open(const char *name, const struct world *w, const struct str *contexts, size_t ncontexts,
			       struct str ns, struct err *err)
{
	return open_recorder(name, Z_DEFAULT_COMPRESSION, w, contexts, ncontexts, ns, err);
}

struct recorder *recorder_open_quick(const char *name, const struct world *w, const struct str *contexts, size_t ncontexts,
				     struct str ns, struct err *err)
{
	return open_recorder(name, Z_BEST_SPEED, w, contexts, ncontexts, ns, err);
}

/*
 * Members and elements of records.  A record is no document: it holds an object of a cluster, and recordings have one for
 * each of its versions.
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

	r->last = r->happened = now;
	buf_add_char(&r->records, '{');
	add_text(&r->records, "t", str_of(time_format_ms(now, time)));
	add_text(&r->records, "type", str_of(type));
	if (r->ncontexts > 1)
		add_text(&r->records, "cluster", r->contexts[cluster]);
	json_begin(&r->records, "object");
}

void recorder_write(struct recorder *r, int64_t now, const char *type, uint16_t cluster, const struct kind *kind,
		    struct json object)
{
	begin_record(r, now, type, cluster);
	record_object(object, kind, &r->records);
	buf_add_char(&r->records, '}');
	end_record(r);
}

void recorder_write_mark(struct recorder *r, int64_t now)
{
	int64_t happened = r ? r->happened : 0;

	if (!r || now <= r->last)
		return;
	begin_record(r, now, "BOOKMARK", 0);
	buf_add_cstr(&r->records, "{}}");
	end_record(r);
	r->happened = happened;
}

/* As a server marks it in a watch that begins with a list. */
#define LOADED "k8s.io/initial-events-end"

void recorder_write_loaded(struct recorder *r, int64_t now)
{
	begin_record(r, now, "BOOKMARK", 0);
	buf_add_cstr(&r->records, "{\"metadata\":{\"annotations\":{\"" LOADED "\":\"true\"}}}}");
	end_record(r);
}

void recorder_write_coverage(struct recorder *r, int64_t now, const struct object_id *id, enum coverage coverage)
{
	struct buf *out = &r->records;
	char api_version[256];

	if (!id->kind)
		return;		/* stands in the header */
	begin_record(r, now, "BOOKMARK", id->cluster);
	kind_api_version(id->kind, api_version, sizeof(api_version));
	buf_add_char(out, '{');
	add_text(out, "apiVersion", str_of(api_version));
	add_text(out, "kind", id->kind->kind);
	add_open(out, "metadata", '{');
	if (id->ns.len)
		add_text(out, "namespace", id->ns);
	if (id->name.len)
		add_text(out, "name", id->name);
	buf_add_cstr(out, "}}");
	add_text(out, id->name.len ? "lookup" : "coverage", str_of(coverage_name(coverage)));
	buf_add_char(out, '}');
	end_record(r);
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

/* Its members, but for those that stand in a record of a state anyway. */
static void add_observed(struct buf *out, const struct world *w, struct handle h, int64_t judged)
{
	struct observed o;

	add_open(out, "observed", '{');
	if (graph_observed(w->graph, h, &o)) {
		add_text(out, "phase", str_of(phase_name(o.phase)));
		add_int(out, "since", o.since);
		add_bool(out, "sinceSeen", o.since_seen);
		add_bool(out, "wasReady", o.was_ready);
		add_int(out, "phaseChanges", o.phase_changes);
		add_int(out, "failures", o.failures);
		if (judged)
			add_int(out, "judged", judged);
	}
	buf_add_char(out, '}');
}

static void add_id(struct buf *out, const struct object_id *id)
{
	add_text(out, NULL, id->kind->group);
	add_text(out, NULL, id->kind->kind);
	add_text(out, NULL, id->ns);
	add_text(out, NULL, id->name);
}

/* Whoever was met, in that order; also names of what is not there (any more).  A record is of one cluster. */
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

			if (!id.name.len)
				continue;
			if (id.cluster != cluster)
				break;
			n++;
			add_open(&r->records, NULL, '[');
			add_id(&r->records, &id);
			buf_add_char(&r->records, ']');
		}
		buf_add_cstr(&r->records, "]}");
		end_record(r);
	}
}

void recorder_write_recent(struct recorder *r, const struct world *w)
{
	struct recent_change c;

	for (size_t i = 0; graph_recent(w->graph, i, &c); i++) {
		struct object_id id = { 0 };

		if (c.slot)
			id = store_node_id(w->store, c.slot);
		begin_record(r, w->now, "BOOKMARK", id.cluster);
		buf_add_cstr(&r->records, "{}");
		add_open(&r->records, "recent", '[');
		add_int(&r->records, NULL, c.time);
		add_int(&r->records, NULL, c.what);
		add_int(&r->records, NULL, c.from);
		add_int(&r->records, NULL, c.to);
		add_bool(&r->records, NULL, c.gone);
		if (c.slot)
			add_id(&r->records, &id);
		buf_add_cstr(&r->records, "]}");
		end_record(r);
	}
}

void recorder_write_state(struct recorder *r, const struct world *w, const struct latest *latest)
{
	struct coverage_writer known = { r, w->now };
	struct buf line = { 0 };
	int64_t judged = 0;

	write_names(r, w);
	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1)) {
		struct json doc;

		buf_reset(&line);
		if (!latest_get(latest, h, &line, &judged) || json_parse(buf_str(&line), &doc, NULL) < 0)
			continue;
		begin_record(r, w->now, "ADDED", store_node_id(w->store, h.slot).cluster);
		record_object(json_at(doc, "object"), NULL, &r->records);
		add_observed(&r->records, w, h, judged);
		buf_add_char(&r->records, '}');
		end_record(r);
		json_free(doc);
	}
	buf_release(&line);
	store_each_coverage(w->store, on_coverage, &known);
	/* the state is complete */
	begin_record(r, w->now, "BOOKMARK", 0);
	buf_add_cstr(&r->records, "{}}");
	end_record(r);
}

int recorder_close(struct recorder *r, struct err *err)
{
	int result = 0;

	if (!r)
		return 0;
	write_records(r, Z_FINISH);
	if (r->compressed)
		deflateEnd(&r->zip);
	if (close(r->fd) < 0 && !r->error)
		r->error = errno;
	if (r->error)
		result = err_set(err, ERR_SYSTEM, "cannot write all of %s: %s", r->name, strerror(r->error));
	xfree(r->name);
	buf_release(&r->records);
	xfree(r);
	return result;
}

/* ---- lines of a file ----------------------------------------------------- */

/* The file, or the segments of a flight recording. */
struct parts {
	int *fds;
	size_t n;
};

/* Behind a flush a reader of a compressed file can begin: at that byte of the file, that one of the text. */
struct restart {
	off_t offset;
	size_t text;
};
enum { RESTARTS = 8, FLUSH_MARK = 4 };	/* the bytes 0, 0, 255, 255 */

/* One way through a recording: what was read is let go. */
struct source {
	const struct parts *parts;	/* shared */
	size_t part;		/* that is read */
	off_t offset;
	bool compressed, ended;
	bool damaged;		/* something did not decompress, or not to its checksum */
	bool whole;		/* the compressed file came to its end */
	z_stream zip;
	unsigned char in[CHUNK];
	struct buf text;	/* from at on: not taken yet, without a newline up to searched */
	size_t at, searched;
	size_t dropped;		/* bytes of the text before it */
	struct restart restarts[RESTARTS];	/* the last ones that were passed */
	size_t nrestarts;
	size_t number;		/* of the line that was taken last, from 1 */
	bool last_is_cut;	/* the one that was taken last has no newline */
};

static void source_open(struct source *s, const struct parts *parts)
{
	unsigned char magic[2] = { 0 };

	*s = (struct source){ .parts = parts };
	s->compressed = pread(parts->fds[0], magic, 2, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
	s->ended = s->compressed && inflateInit2(&s->zip, MAX_WBITS + GZIP) != Z_OK;
}

static void source_close(struct source *s)
{
	if (s->compressed)
		inflateEnd(&s->zip);
	buf_release(&s->text);
}

/* One that is cut off ends where it ends; the next one begins with all that is needed. */
static bool next_part(struct source *s)
{
	if (s->part + 1 >= s->parts->n)
		return false;
	s->part++;
	s->offset = 0;
	buf_add_char(&s->text, '\n');
	return !s->compressed || inflateReset(&s->zip) == Z_OK;
}

static size_t read_more(struct source *s)
{
	ssize_t n;

	do {
		n = pread(s->parts->fds[s->part], s->in, sizeof(s->in), s->offset);
	} while (n <= 0 && next_part(s));
	s->offset += n > 0 ? n : 0;
	return n > 0 ? (size_t)n : 0;
}

/* Looks for where a reader can begin again.  What the break tore apart becomes two lines. */
static void skip_damage(struct source *s)
{
	s->damaged = true;
	buf_add_char(&s->text, '\n');
	while (inflateSync(&s->zip) != Z_OK) {
		s->zip.next_in = s->in;
		s->zip.avail_in = (unsigned)read_more(s);
		if (s->zip.avail_in == 0) {
			s->ended = true;
			return;
		}
	}
}

/* The decompressor is between two blocks.  A mark that spans two chunks is not found. */
static void note_restart(struct source *s)
{
	const unsigned char *at = s->zip.next_in;

	if ((s->zip.data_type & 128) && at - s->in >= FLUSH_MARK && memcmp(at - FLUSH_MARK, "\0\0\377\377", FLUSH_MARK) == 0)
		s->restarts[s->nrestarts++ % RESTARTS] =
			(struct restart){ s->offset - (off_t)s->zip.avail_in, s->dropped + s->text.len };
}

static void inflate_more(struct source *s)
{
	unsigned char out[CHUNK];
	int result;

	if (s->zip.avail_in == 0) {
		s->zip.next_in = s->in;
		s->zip.avail_in = (unsigned)read_more(s);
		s->ended = s->zip.avail_in == 0;
		if (s->ended)
			return;
	}
	s->zip.next_out = out;
	s->zip.avail_out = sizeof(out);
	result = inflate(&s->zip, Z_BLOCK);
	buf_add(&s->text, (struct str){ (const char *)out, sizeof(out) - s->zip.avail_out });
	if (result == Z_OK)
		note_restart(s);
	s->whole = result == Z_STREAM_END;
	if (result == Z_STREAM_END)
		s->ended = inflateReset(&s->zip) != Z_OK;	/* another may follow */
	else if (result != Z_OK && result != Z_BUF_ERROR)
		skip_damage(s);
}

static void source_fill(struct source *s)
{
	size_t n;

	if (s->at > 0) {
		buf_consume(&s->text, s->at);
		s->dropped += s->at;
		s->searched -= s->at;
		s->at = 0;
	}
	if (s->compressed) {
		inflate_more(s);
		return;
	}
	n = read_more(s);
	buf_add(&s->text, (struct str){ (const char *)s->in, n });
	s->ended = n == 0;
}

/* False at the end.  A line that is longer than any record comes in pieces.  Borrowed until the next call. */
static bool source_line(struct source *s, struct str *out)
{
	for (;;) {
		struct str rest = str_from(buf_str(&s->text), s->searched);
		size_t newline = s->searched + str_find(rest, '\n');
		bool found = newline < s->text.len;

		if (found || s->text.len - s->at > LIMIT_OBJECT || (s->ended && s->text.len > s->at)) {
			*out = str_from(str_head(buf_str(&s->text), newline), s->at);
			s->at = s->searched = found ? newline + 1 : newline;
			s->number++;
			s->last_is_cut = !found;
			return true;
		}
		s->searched = newline;
		if (s->ended)
			return false;
		source_fill(s);
	}
}

/* Where that line, which was taken last, begins in the file; -1: nobody can begin there. */
static off_t source_place(const struct source *s, struct str line)
{
	size_t at = (size_t)(line.ptr - s->text.ptr);

	if (!s->compressed)
		return s->offset - (off_t)(s->text.len - at);
	for (size_t i = 0; i < RESTARTS && i < s->nrestarts; i++)
		if (s->restarts[i].text == s->dropped + at)
			return s->restarts[i].offset;
	return -1;
}

/* Goes on at a place.  No checksum is compared from there on: what is before it is missing. */
static bool source_seek(struct source *s, off_t place)
{
	unsigned char header[10] = { 0x1F, 0x8B, Z_DEFLATED, [9] = 255 };
	unsigned char none;

	buf_reset(&s->text);
	s->at = s->searched = s->dropped = s->nrestarts = 0;
	s->ended = s->damaged = false;
	s->offset = place;
	if (!s->compressed)
		return true;
	s->offset -= FLUSH_MARK;
	s->zip.next_in = header;
	s->zip.avail_in = sizeof(header);
	s->zip.next_out = &none;
	s->zip.avail_out = 1;
	if (inflateReset(&s->zip) != Z_OK || inflate(&s->zip, Z_BLOCK) != Z_OK)
		return false;
	s->zip.next_in = s->in;
	s->zip.avail_in = (unsigned)read_more(s);
	return inflateSync(&s->zip) == Z_OK;
}

/* ---- reading ------------------------------------------------------------- */

struct replay {
	struct parts parts;
	struct source source;
	struct document header;
	struct str next;	/* the line to come, "" at the end */
	int64_t next_time;
	struct replay_survey known;
	bool surveys;		/* known comes from playing */
	int64_t loaded;		/* of replay_loaded() */
	struct latest *latest;	/* the last record of each object */
	size_t begun, applied;	/* segments whose header was read, whose state is in the world */
	bool in_state;		/* the records of such a state come */
	uint8_t *in_segment;	/* by slot: it is in that state */
	uint32_t nin_segment;
	void (*on_object)(void *ctx, struct handle h, struct json object);
	void *ctx;
};

/* Records start with their time, so that a line need not be parsed to know it. */
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

/* Of recordings of several clusters each record names its own by its context.  False: the header does not name it. */
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

/* What the line that s took last tells of the whole.  doc: JSON_NONE when it cannot be read. */
static void survey_line(struct replay *r, const struct source *s, struct json doc)
{
	int64_t t;

	if (!doc.node || !is_record(r, doc)) {
		r->known.cut |= s->last_is_cut && s->ended;
		r->known.first_bad = r->known.bad++ || r->known.cut ? r->known.first_bad : s->number;
		r->known.bad -= r->known.cut;
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

/* Once through the whole: when it ends, and what of it cannot be used. */
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
	r->known.damaged = s->damaged;
	r->known.cut |= s->compressed && !s->whole && !s->damaged;
}

/* In the order in which they came: where the clock was set back it stands. */
static void advance(struct replay *r)
{
	struct str line;

	while (source_line(&r->source, &line)) {
		int64_t t = is_header(line) ? 0 : line_time(line);

		r->begun += is_header(line);
		if (!t && r->surveys && !tells_nothing(line))
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

static bool write_whole(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno != EINTR)
			return false;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

/* 0, or errno; -1: there is more than LIMIT_PIPE. */
static int copy_pipe(int from, int to)
{
	char *chunk = xmalloc(CHUNK);
	size_t total = 0;
	ssize_t n;
	int code = 0;

	do {
		n = read(from, chunk, CHUNK);
		total += n > 0 ? (size_t)n : 0;
		if (total > LIMIT_PIPE)
			code = -1;
		else if (n < 0 && errno != EINTR)
			code = errno;
		else if (n > 0 && !write_whole(to, chunk, (size_t)n))
			code = errno;
	} while (n != 0 && !code);
	xfree(chunk);
	return code;
}

/* What cannot be read twice, a pipe, is kept as it is. */
static int keep_pipe(int from, const char *name, struct err *err)
{
	int fd = system_memory_file(), code = fd < 0 ? errno : copy_pipe(from, fd);

	close(from);
	if (!code)
		return fd;
	if (fd >= 0)
		close(fd);
	if (code < 0)
		err_set(err, ERR_INPUT, "a recording of more than %zu MiB cannot be read from a pipe (%s)", LIMIT_PIPE / MIB(1), name);
	else
		err_set(err, ERR_SYSTEM, "read %s: %s", name, strerror(code));
	return err_hint(err, "write it to a file, and replay that");
}

static int open_file(const char *name, struct err *err)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? err_set(err, ERR_INPUT, "the path \"%s\" does not exist", name) :
					 err_set(err, ERR_SYSTEM, "open %s: %s", name, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return err_set(err, ERR_SYSTEM, "open %s: %s", name, strerror(EISDIR));
	}
	return S_ISREG(st.st_mode) ? fd : keep_pipe(fd, name, err);
}

bool replay_is_recording(const char *name)
{
	struct source s;
	struct stat st;
	struct str line;
	bool is = false;
	int fd;
	struct parts parts = { &fd, 1 };

	/* what cannot be read twice is left alone */
	if (stat(name, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	source_open(&s, &parts);
	/* a compressed one gives nothing at its first block */
	while (s.text.len == 0 && !s.ended)
		source_fill(&s);
	line = str_head(buf_str(&s.text), 1024);
	line = str_head(line, str_find(line, '\n'));
	is = str_starts(line, "{") && str_contains(line, "\"Recording\"") && str_contains(line, "\"kubectl-status/");
	source_close(&s);
	close(fd);
	return is;
}

static void add_part(struct parts *parts, int fd)
{
	parts->fds = xreallocarray(parts->fds, parts->n + 1, sizeof(*parts->fds));
	parts->fds[parts->n++] = fd;
}

/* One that was removed meanwhile was the oldest: the rest is there. */
static int open_segments(struct parts *parts, const char *folder, struct err *err)
{
	struct path_list list = { 0 };
	int result = path_list_segments(&list, folder);

	for (size_t i = 0; i < list.n; i++) {
		int fd = open(list.all[i].path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			add_part(parts, fd);
	}
	path_list_release(&list);
	if (result < 0)
		return err_set(err, ERR_SYSTEM, "open %s: %s", folder, strerror(errno));
	if (parts->n)
		return 0;
	err_set(err, ERR_INPUT, "%s has no recording of kubectl status", folder);
	return err_hint(err, "a directory to replay is one that --flight wrote: flight-*.jsonl.gz");
}

static int open_parts(struct parts *parts, const char *name, struct err *err)
{
	struct stat st;
	int fd;

	if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
		return open_segments(parts, name, err);
	fd = open_file(name, err);
	if (fd < 0)
		return -1;
	add_part(parts, fd);
	return 0;
}

struct replay *replay_begin(const char *name, struct err *err)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	r->latest = latest_new();
	if (open_parts(&r->parts, name, err) == 0) {
		source_open(&r->source, &r->parts);
		if (read_header(r, name, &r->source, err) == 0) {
			advance(r);
			return r;
		}
	}
	replay_free(r);
	return NULL;
}

void replay_look_through(struct replay *r)
{
	struct source *s = xcalloc(1, sizeof(*s));
	struct str header;

	source_open(s, &r->parts);
	if (source_line(s, &header))
		survey(r, s);
	source_close(s);
	xfree(s);
}

bool replay_survey_as_it_plays(struct replay *r)
{
	r->surveys = !r->source.compressed;
	if (r->surveys)
		replay_restart(r);
	return r->surveys;
}

struct replay *replay_open(const char *name, struct err *err)
{
	struct replay *r = replay_begin(name, err);

	if (r)
		replay_look_through(r);
	return r;
}

const struct replay_survey *replay_known(const struct replay *r)
{
	return &r->known;
}

void replay_set_known(struct replay *r, const struct replay_survey *known)
{
	r->known = *known;
}

int replay_file(const struct replay *r)
{
	return r->parts.n == 1 ? r->parts.fds[0] : -1;
}

void replay_header(const struct replay *r, struct buf *out)
{
	document_write(r->header, out);
}

/* ---- from a state on -------------------------------------------------------- */

bool replay_place(const struct replay *r, struct replay_place *out)
{
	*out = (struct replay_place){ r->next.len ? source_place(&r->source, r->next) : -1, r->next_time };
	return out->offset >= 0 && !r->begun && !r->source.damaged;
}

void replay_restart(struct replay *r)
{
	struct str header;

	source_close(&r->source);
	source_open(&r->source, &r->parts);
	(void)source_line(&r->source, &header);
	latest_free(r->latest);
	r->latest = latest_new();
	r->next_time = 0;
	r->begun = r->applied = 0;
	r->in_state = false;
	advance(r);
}

bool replay_go(struct replay *r, const struct replay_place *place)
{
	if (!source_seek(&r->source, (off_t)place->offset))
		return false;
	r->source.number -= r->surveys;	/* the line to come is taken again */
	r->next_time = place->time;
	advance(r);
	return true;
}

bool replay_is_damaged(const struct replay *r)
{
	return r->source.damaged;
}

static void apply(struct replay *r, struct world *w, struct query *q, struct json record, int64_t time);

void replay_load(struct replay *r, struct world *w, struct query *q, int fd, size_t at, size_t lines)
{
	struct parts parts = { &fd, 1 };
	struct source *s = xcalloc(1, sizeof(*s));
	struct str after = r->next;

	source_open(s, &parts);
	if (source_seek(s, (off_t)at))
		for (; lines > 0 && source_line(s, &r->next); lines--) {
			struct json doc;

			if (json_parse(r->next, &doc, NULL) < 0)
				continue;
			apply(r, w, q, doc, json_time(doc, "t"));
			json_free(doc);
		}
	r->next = after;
	source_close(s);
	xfree(s);
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	document_free(r->header);
	latest_free(r->latest);
	source_close(&r->source);
	for (size_t i = 0; i < r->parts.n; i++)
		close(r->parts.fds[i]);
	xfree(r->parts.fds);
	xfree(r->in_segment);
	xfree(r);
}

/* Of several clusters, by a version that did not write down which object is of which. */
static bool mixes_clusters(const struct replay *r)
{
	return str_contains(document_str(r->header, "context"), ",") && !document_has(r->header, "contexts");
}

static void add_flaw(struct buf *out, const char *flaw)
{
	buf_printf(out, "%s%s", out->len ? "; " : "", flaw);
}

bool replay_flaws(const struct replay *r, struct buf *out)
{
	if (r->known.cut)
		add_flaw(out, "the recording is cut off");
	else if (r->known.damaged)
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

void replay_kinds(const struct replay *r, struct kinds *kinds)
{
	document_foreach(it, document_at(r->header, "kinds")) {
		struct kind *k = kinds_put(kinds, document_str(it, "group"), document_str(it, "kind"));

		k->version = kinds_name(kinds, document_str(it, "version"));
		k->versions = k->version;
		k->plural = kinds_name(kinds, document_str(it, "plural"));
		k->singular = kinds_name(kinds, document_str(it, "singular"));
		k->flags = (unsigned)document_int(it, "flags", 0) & KIND_FLAGS;
		read_names(kinds, document_at(it, "shortNames"), k->short_names);
		read_names(kinds, document_at(it, "categories"), k->categories);
	}
}

struct str replay_context(const struct replay *r)
{
	return document_str(r->header, "context");
}

/* Where it is not recorded how much of a kind was read, as in old recordings, some of each was. */
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

static void apply_bookmark(struct replay *r, struct world *w, struct json record, uint16_t cluster, int64_t time)
{
	json_foreach(it, json_at(record, "names")) {
		struct object_id id = { cluster, kinds_put(&w->kinds, json_str(it, "[0]"), json_str(it, "[1]")),
					json_str(it, "[2]"), json_str(it, "[3]") };

		if (id.name.len)
			store_meet(w->store, &id);
	}
	if (!r->loaded && json_has(json_at(record, "object"), "metadata.annotations['" LOADED "']"))
		r->loaded = time;
	if (json_at(record, "recent").node)
		set_recent(w, json_at(record, "recent"), cluster);
	apply_coverage(w, record, cluster);
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

/* Of a record that a recording begins with: the state of then, and when it was judged. */
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

/* ---- the state that a segment begins with ------------------------------------- */

static void note_in_segment(struct replay *r, struct handle h)
{
	if (h.slot >= r->nin_segment) {
		uint32_t n = h.slot + h.slot / 4 + 64;

		r->in_segment = xreallocarray(r->in_segment, n, sizeof(*r->in_segment));
		memset(r->in_segment + r->nin_segment, 0, n - r->nin_segment);
		r->nin_segment = n;
	}
	r->in_segment[h.slot] = 1;
}

/* What is not in it went between the segments, while nobody recorded. */
static void end_state(struct replay *r, struct world *w)
{
	r->in_state = false;
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

/* Each segment tells anew which lists were complete. */
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

static void begin_state(struct replay *r, struct world *w, bool state)
{
	r->applied = r->begun;
	r->in_state = state;
	if (r->nin_segment)
		memset(r->in_segment, 0, r->nin_segment);
	forget_coverage(w);
}

/* A later segment begins, or the state that it begins with is complete. */
static void follow_segments(struct replay *r, struct world *w, struct json record)
{
	bool state = json_at(record, "observed").node || str_is(json_str(record, "type"), "BOOKMARK");

	if (r->in_state && !state)
		end_state(r, w);
	if (r->applied != r->begun)
		begin_state(r, w, state);
	if (r->in_state && record_is_mark(record))
		end_state(r, w);
}

static struct handle object_of(const struct world *w, uint16_t cluster, struct json object)
{
	struct object_id id = { cluster, engine_kind(w->engine, object), json_str(object, "metadata.namespace"),
				json_str(object, "metadata.name") };

	return id.kind ? store_find(w->store, &id) : HANDLE_NONE;
}

static void apply(struct replay *r, struct world *w, struct query *q, struct json record, int64_t time)
{
	struct json object = json_at(record, "object");
	struct engine_source from = { 0 };
	struct handle h, was;

	if (!record_is_valid(record) || !record_cluster(r, record, &from.cluster))
		return;		/* reported by replay_flaws() */
	follow_segments(r, w, record);
	if (str_is(json_str(record, "type"), "BOOKMARK")) {
		apply_bookmark(r, w, record, from.cluster, time);
		return;
	}
	if (str_is(json_str(record, "type"), "DELETED")) {
		h = object_of(w, from.cluster, object);
		tell(r, h, JSON_NONE);
		store_remove(w->store, h);
		return;
	}
	was = object_of(w, from.cluster, object);
	engine_put(w->engine, &from, object, judged_at(record, time), &h);
	query_note(q, h, object, judged_at(record, time));
	if (!h.slot)
		return;
	if (r->in_state)
		note_in_segment(r, h);
	latest_put(r->latest, h, store_node_id(w->store, h.slot).kind->id, r->next, judged_at(record, time));
	if (!handle_eq(was, h))
		set_observed(w, h, json_at(record, "observed"));
	tell(r, h, object);
}

size_t replay_until(struct replay *r, struct world *w, struct query *q, int64_t time)
{
	size_t n = 0;

	for (; r->next.len && r->next_time <= time; advance(r), n++) {
		struct json doc;

		if (json_parse(r->next, &doc, NULL) < 0)
			doc = JSON_NONE;
		if (r->surveys)
			survey_line(r, &r->source, doc);
		if (doc.node)	/* else replay_flaws() reports it */
			apply(r, w, q, doc, r->next_time);
		json_free(doc);
	}
	return n;
}

static bool has_lapsed(const struct world *w, struct handle h, int64_t time)
{
	int64_t when = h.slot ? store_brief(w->store, h).revisit : 0;

	return when && when <= time;
}

/* then: w is that of another time than where the replay stands.  What was recorded after it is of no use there. */
static void recheck(const struct replay *r, struct world *w, int64_t time, bool then)
{
	struct buf line = { 0 };
	int64_t judged;

	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1)) {
		struct engine_source from = { .again = true, .cluster = store_node_id(w->store, h.slot).cluster };
		struct handle again;
		struct json doc;

		buf_reset(&line);
		if (!has_lapsed(w, h, time) || !latest_get(r->latest, h, &line, &judged) ||
		    (then && line_time(buf_str(&line)) > time) || json_parse(buf_str(&line), &doc, NULL) < 0)
			continue;
		engine_put(w->engine, &from, json_at(doc, "object"), time, &again);
		if (!then)
			latest_judged(r->latest, again, time);
		json_free(doc);
	}
	buf_release(&line);
}

void replay_recheck(const struct replay *r, struct world *w, int64_t time)
{
	recheck(r, w, time, false);
}

void replay_recheck_then(const struct replay *r, struct world *w, int64_t time)
{
	recheck(r, w, time, true);
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

/* Compact JSON holds a name as it is: a line without it is about others. */
static bool is_about(const struct replay *r, struct str line, const struct object_id *id, struct buf *quoted, struct json *out)
{
	struct json object;
	uint16_t cluster;

	buf_reset(quoted);
	buf_printf(quoted, "\"" STR_FMT "\"", STR_ARG(id->name));
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

bool replay_find(const struct replay *r, struct replay_lines lines, const struct object_id *id, int64_t until, struct buf *out)
{
	struct parts other = { &lines.fd, 1 };
	struct source *s = xcalloc(1, sizeof(*s));
	struct buf quoted = { 0 };
	struct str line;
	bool found = false;
	int64_t time = 0;

	source_open(s, lines.fd < 0 ? &r->parts : &other);
	if (!lines.at || source_seek(s, (off_t)lines.at))
		for (size_t i = 0; (!lines.n || i < lines.n) && time <= until && source_line(s, &line); i++) {
			int64_t t = is_header(line) ? 0 : line_time(line);
			struct json doc;

			time = t > time ? t : time;
			if (!t || time > until || !is_about(r, line, id, &quoted, &doc))
				continue;
			buf_reset(out);
			if (!str_is(json_str(doc, "type"), "DELETED"))
				redact_object(json_at(doc, "object"), NULL, out);
			json_free(doc);
			found = true;
		}
	source_close(s);
	xfree(s);
	buf_release(&quoted);
	return found;
}

/* A record as it is, but for what must not be written down. */
static void copy_record(struct recorder *to, struct json record)
{
	buf_add_char(&to->records, '{');
	json_foreach(it, record) {
		json_begin(&to->records, json_key(it).ptr);
		if (str_is(json_key(it), "object"))
			record_object(it, NULL, &to->records);
		else
			json_write(it, &to->records);
	}
	buf_add_char(&to->records, '}');
	end_record(to);
}

void replay_copy(struct replay *r, int64_t until, struct recorder *to)
{
	size_t unflushed = to->text;

	for (; r->next.len && r->next_time <= until; advance(r)) {
		struct json doc;

		if (json_parse(r->next, &doc, NULL) < 0)
			continue;
		if (is_record(r, doc))
			copy_record(to, doc);
		json_free(doc);
		if (to->text - unflushed >= COPIED) {
			recorder_flush(to);
			unflushed = to->text;
		}
	}
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

const struct latest *replay_latest(const struct replay *r)
{
	return r->latest;
}

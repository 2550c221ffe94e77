/* SPDX-License-Identifier: Apache-2.0 */
/* The one file that knows zlib. */
#include "plugin/recording.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "plugin/jsonw.h"
#include "plugin/redact.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

/* ---- writing ------------------------------------------------------------- */

struct recorder {
	gzFile file;
	char *name;
	struct buf line;
	bool failed;
};

static void write_line(struct recorder *r)
{
	buf_add_char(&r->line, '\n');
	if (gzwrite(r->file, buf_cstr(&r->line), (unsigned)r->line.len) <= 0)
		r->failed = true;
	buf_reset(&r->line);
}

static void write_kind(struct jsonw *w, const struct kind *kind)
{
	jsonw_open(w, NULL, '{');
	jsonw_text(w, "group", kind->group);
	jsonw_string(w, "version", kind->version);
	jsonw_string(w, "kind", kind->kind);
	jsonw_string(w, "plural", kind->plural);
	jsonw_string(w, "singular", kind->singular);
	jsonw_int(w, "flags", (int64_t)kind->flags);
	jsonw_open(w, "shortNames", '[');
	for (size_t i = 0; i < KIND_NAMES && kind->short_names[i].len; i++)
		jsonw_string(w, NULL, kind->short_names[i]);
	jsonw_close(w, ']');
	jsonw_open(w, "categories", '[');
	for (size_t i = 0; i < KIND_NAMES && kind->categories[i].len; i++)
		jsonw_string(w, NULL, kind->categories[i]);
	jsonw_close(w, ']');
	jsonw_close(w, '}');
}

static void write_header(struct recorder *r, const struct world *w, struct str context)
{
	struct jsonw j = { .out = &r->line };

	jsonw_open(&j, NULL, '{');
	jsonw_string(&j, "kind", STR("Recording"));
	jsonw_string(&j, "apiVersion", STR("kubectl-status/v1"));
	jsonw_time(&j, "startedAt", w->now);
	jsonw_text(&j, "context", context);
	jsonw_open(&j, "kinds", '[');
	for (uint32_t i = 0; i < w->kinds.count; i++)
		if (w->kinds.all[i]->flags & KIND_DISCOVERED)
			write_kind(&j, w->kinds.all[i]);
	jsonw_close(&j, ']');
	jsonw_close(&j, '}');
	write_line(r);
}

struct recorder *recorder_open(const char *name, const struct world *w, struct str context, struct err *err)
{
	bool compressed = str_ends(str_of(name), ".gz");
	gzFile file = gzopen(name, compressed ? "wbe" : "wbeT");
	struct recorder *r;

	if (!file) {
		err_set(err, ERR_SYSTEM, "cannot record to %s: %s", name, strerror(errno));
		return NULL;
	}
	r = xcalloc(1, sizeof(*r));
	r->file = file;
	r->name = xstrdup(name);
	write_header(r, w, context);
	return r;
}

void recorder_write(struct recorder *r, int64_t now, const char *type, const struct kind *kind, struct json object)
{
	char time[TIME_TEXT];

	buf_printf(&r->line, "{\"t\":\"%s\",\"type\":\"%s\",\"object\":", time_format_ms(now, time), type);
	if (object.node)
		redact_object(object, kind, &r->line);
	else
		buf_add_cstr(&r->line, "{}");
	buf_add_char(&r->line, '}');
	write_line(r);
}

int recorder_close(struct recorder *r, struct err *err)
{
	int result = 0;

	if (!r)
		return 0;
	if (gzclose(r->file) != Z_OK || r->failed)
		result = err_set(err, ERR_SYSTEM, "cannot write all of %s: %s", r->name,
				 errno ? strerror(errno) : "write error");
	xfree(r->name);
	buf_release(&r->line);
	xfree(r);
	return result;
}

/* ---- reading ------------------------------------------------------------- */

struct record {
	int64_t time;
	size_t at, len;	/* of the line */
};

struct replay {
	struct buf text;
	struct record *records;
	size_t n, cap, next;
	struct json header;
	bool truncated;
};

bool replay_is_recording(const char *name)
{
	char head[1024];
	struct stat st;
	gzFile file;
	struct str text;
	int n;

	/* what cannot be read twice is left alone */
	if (stat(name, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	file = gzopen(name, "rbe");
	if (!file)
		return false;
	n = gzread(file, head, sizeof(head));
	gzclose_r(file);
	text = (struct str){ head, n > 0 ? (size_t)n : 0 };
	text = str_head(text, str_find(text, '\n'));
	return str_starts(text, "{") && str_contains(text, "\"Recording\"") && str_contains(text, "\"kubectl-status/");
}

static int read_file(struct replay *r, const char *name, struct err *err)
{
	gzFile file = gzopen(name, "rbe");
	char *chunk;
	int n;

	if (!file)
		return errno == ENOENT ? err_set(err, ERR_INPUT, "the path \"%s\" does not exist", name) :
					 err_set(err, ERR_SYSTEM, "open %s: %s", name, strerror(errno));
	r->text.max = LIMIT_FILE;
	chunk = xmalloc(MIB(1));
	while ((n = gzread(file, chunk, (unsigned)MIB(1))) > 0 && !r->text.failed)
		buf_add(&r->text, (struct str){ chunk, (size_t)n });
	if (n < 0)
		r->truncated = true;
	if (gzclose_r(file) != Z_OK)
		r->truncated = true;
	xfree(chunk);
	if (r->text.failed)
		return err_set(err, ERR_INPUT, "%s is larger than %zu MiB", name, LIMIT_FILE / MIB(1));
	return 0;
}

/* Records start with their time, so that a line need not be parsed to know it. */
static int64_t line_time(struct str line)
{
	struct json doc;
	struct err ignored;
	int64_t t;

	if (str_starts(line, "{\"t\":\"")) {
		struct str rest = str_from(line, 6);

		return time_parse(str_head(rest, str_find(rest, '"')));
	}
	if (json_parse(line, &doc, &ignored) < 0)
		return 0;
	t = json_time(doc, "t");
	json_free(doc);
	return t;
}

static void add_record(struct replay *r, struct str line)
{
	int64_t time = line_time(line);

	if (str_trim(line).len == 0)
		return;
	if (!time || !str_ends(str_trim(line), "}")) {
		r->truncated = true;
		return;
	}
	if (r->n == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 256;
		r->records = xreallocarray(r->records, r->cap, sizeof(*r->records));
	}
	r->records[r->n++] = (struct record){ time, (size_t)(line.ptr - r->text.ptr), line.len };
}

static int index_lines(struct replay *r, const char *name, struct err *err)
{
	struct str rest = buf_str(&r->text), line;

	if (!str_split(&rest, '\n', &line) || json_parse(line, &r->header, err) < 0 ||
	    !str_is(json_str(r->header, "kind"), "Recording")) {
		err_set(err, ERR_INPUT, "%s is no recording of kubectl status", name);
		return err_hint(err, "objects in YAML or JSON are read with -f");
	}
	if (!str_is(json_str(r->header, "apiVersion"), "kubectl-status/v1"))
		return err_set(err, ERR_INPUT, "%s is a recording of another version: \"" STR_FMT "\"", name,
			       STR_ARG(json_str(r->header, "apiVersion")));
	while (str_split(&rest, '\n', &line))
		add_record(r, line);
	return 0;
}

struct replay *replay_open(const char *name, struct err *err)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	if (read_file(r, name, err) == 0 && index_lines(r, name, err) == 0)
		return r;
	replay_free(r);
	return NULL;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	json_free(r->header);
	buf_release(&r->text);
	xfree(r->records);
	xfree(r);
}

static void read_names(struct kinds *kinds, struct json array, struct str *out)
{
	size_t n = 0;

	json_foreach(it, array)
		if (n < KIND_NAMES)
			out[n++] = kinds_name(kinds, json_str(it, ""));
}

void replay_kinds(const struct replay *r, struct kinds *kinds)
{
	json_foreach(it, json_at(r->header, "kinds")) {
		struct kind *k = kinds_put(kinds, json_str(it, "group"), json_str(it, "kind"));

		k->version = kinds_name(kinds, json_str(it, "version"));
		k->versions = k->version;
		k->plural = kinds_name(kinds, json_str(it, "plural"));
		k->singular = kinds_name(kinds, json_str(it, "singular"));
		k->flags = (unsigned)json_int(it, "flags", 0);
		read_names(kinds, json_at(it, "shortNames"), k->short_names);
		read_names(kinds, json_at(it, "categories"), k->categories);
	}
}

struct str replay_context(const struct replay *r)
{
	return json_str(r->header, "context");
}

int64_t replay_start(const struct replay *r)
{
	return r->n ? r->records[0].time : json_time(r->header, "startedAt");
}

int64_t replay_end(const struct replay *r)
{
	return r->n ? r->records[r->n - 1].time : replay_start(r);
}

int64_t replay_next(const struct replay *r)
{
	return r->next < r->n ? r->records[r->next].time : 0;
}

bool replay_truncated(const struct replay *r)
{
	return r->truncated;
}

static struct str record_line(const struct replay *r, size_t i)
{
	return (struct str){ r->text.ptr + r->records[i].at, r->records[i].len };
}

static void apply(struct world *w, struct query *q, struct json record, int64_t time)
{
	struct json object = json_at(record, "object");
	struct engine_source from = { 0 };
	struct handle h;

	if (str_is(json_str(record, "type"), "BOOKMARK"))
		return;
	if (str_is(json_str(record, "type"), "DELETED")) {
		struct object_id id = { 0, engine_kind(w->engine, object), json_str(object, "metadata.namespace"),
					json_str(object, "metadata.name") };

		if (id.kind)
			store_remove(w->store, store_find(w->store, &id));
		return;
	}
	engine_put(w->engine, &from, object, time, &h);
	query_note(q, h, object);
}

size_t replay_until(struct replay *r, struct world *w, struct query *q, int64_t time)
{
	struct err ignored;
	size_t n = 0;

	for (; r->next < r->n && r->records[r->next].time <= time; r->next++, n++) {
		struct json doc;

		if (json_parse(record_line(r, r->next), &doc, &ignored) < 0) {
			r->truncated = true;
			continue;
		}
		apply(w, q, doc, r->records[r->next].time);
		json_free(doc);
	}
	return n;
}

static bool has_lapsed(const struct world *w, struct handle h, int64_t time)
{
	int64_t when = h.slot ? store_brief(w->store, h).revisit : 0;

	return when && when <= time;
}

void replay_lapse(const struct replay *r, struct world *w, int64_t time)
{
	size_t lapsed = 0;

	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1))
		lapsed += has_lapsed(w, h, time);
	for (size_t i = r->next; i-- > 0 && lapsed;) {
		struct engine_source from = { .again = true };
		struct err ignored;
		struct json doc, object;
		struct object_id id = { 0 };
		struct handle h;

		if (json_parse(record_line(r, i), &doc, &ignored) < 0)
			continue;
		object = json_at(doc, "object");
		id.kind = engine_kind(w->engine, object);
		id.ns = json_str(object, "metadata.namespace");
		id.name = json_str(object, "metadata.name");
		if (id.kind && !str_is(json_str(doc, "type"), "DELETED") &&
		    has_lapsed(w, store_find(w->store, &id), time)) {
			engine_put(w->engine, &from, object, time, &h);
			lapsed--;
		}
		json_free(doc);
	}
}

static bool is_object(struct json o, const struct object_id *id)
{
	return str_eq(json_str(o, "metadata.name"), id->name) && str_eq(json_str(o, "metadata.namespace"), id->ns) &&
	       str_eq(json_str(o, "kind"), id->kind->kind) && kind_in_api(id->kind, json_str(o, "apiVersion"));
}

struct str replay_object(const struct replay *r, const struct object_id *id, struct arena *arena)
{
	struct buf json = { 0 };
	struct err ignored;

	for (size_t i = r->next; i-- > 0 && json.len == 0;) {
		struct json doc;

		if (json_parse(record_line(r, i), &doc, &ignored) < 0)
			continue;
		if (is_object(json_at(doc, "object"), id))
			redact_object(json_at(doc, "object"), NULL, &json);
		json_free(doc);
	}
	if (json.len) {
		struct str copy = arena_str(arena, buf_str(&json));

		buf_release(&json);
		return copy;
	}
	return STR_NONE;
}

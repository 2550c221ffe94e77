/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/files.h"

#include "kube/base/alloc.h"
#include "kube/base/deflate.h"
#include "kube/base/file.h"
#include "kube/base/limits.h"
#include "kube/base/system.h"
#include "kube/model/framer.h"
#include "kube/model/yaml.h"
#include "plugin/archive.h"
#include "plugin/files_paths.h"
#include "plugin/record/replay.h"
#include "plugin/record/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- bytes --------------------------------------------------------------- */

/*
 * Appends the content of a file, or of standard input ("-"), to out.  Returns -1 with err: ERR_SYSTEM, or ERR_INPUT
 * above LIMIT_FILE.
 */
static int read_bytes(const char *name, struct buf *out, struct err *err)
{
	int fd = strcmp(name, "-") == 0 ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC);

	out->max = LIMIT_FILE;
	if (fd < 0 && errno == ENOENT)
		return err_set(err, ERR_INPUT, "the path \"%s\" does not exist", name);
	if (fd < 0)
		return err_set(err, ERR_SYSTEM, "open %s: %s", name, strerror(errno));
	return gzip_read_file(fd, name, out, err);
}

int files_read_regular(const char *name, struct buf *out, struct err *err)
{
	int ignored, fd = strcmp(name, "-") == 0 ? dup(STDIN_FILENO) : file_open(name, &ignored, err);

	if (fd < 0)
		return strcmp(name, "-") == 0 ? err_set(err, ERR_SYSTEM, "open -: %s", strerror(errno)) : -1;
	return gzip_read_file(fd, name, out, err);
}

/* ---- texts --------------------------------------------------------------- */

struct splitter {
	const struct object_ops *ops;
	void *ctx;
	struct str list_kind;
	struct buf *as_json;	/* each YAML document is also added here, as a line of JSON; may be NULL */
	bool managed;		/* managedFields are not left out */
};

static int one_value(struct splitter *s, struct json value, struct err *err);

/* Returns the kind of the items of a list, "Pod" for "PodList"; "" for "List", which does not say it. */
static struct str item_kind(struct str kind)
{
	return str_ends(kind, "List") ? str_head(kind, kind.len - 4) : STR_NONE;
}

/*
 * Returns true for a list of objects.  An empty list may be without "items"; a custom resource whose kind ends with
 * "List" is no list, and has a name.
 */
static bool is_list(struct json value)
{
	return str_ends(json_str(value, "kind"), "List") &&
	       (json_is_array(json_at(value, "items")) ||
		json_str(value, "metadata.name").len == 0);
}

/* Returns true for an item of a StatusList, which has the name of an object beside our verdict, and no metadata. */
static bool is_printed_item(struct json value)
{
	return !json_has(value, "metadata") && json_str(value, "family").len && json_str(value, "phase").len && json_str(value, "severity").len;
}

/* Sets the error for a document of this program's own, which is not objects of a cluster.  Returns 0 for any other. */
static int refuse_own(struct json value, struct err *err)
{
	bool own = str_starts(json_str(value, "apiVersion"), "kubectl-status/");
	struct str kind = json_str(value, "kind");

	if (is_printed_item(value) || (own && str_is(kind, "StatusList"))) {
		err_set(err, ERR_INPUT, "this is what kubectl status prints (kind: StatusList), not the objects themselves");
		return err_hint(err, "save these with kubectl get -o yaml, or record them with --record");
	}
	if (own && str_is(kind, "Recording"))
		return err_set(err, ERR_INPUT, "a recording cannot be read together with other files");
	if (own && str_is(kind, "Rules")) {
		err_set(err, ERR_INPUT, "these are rules for operators, not objects");
		return err_hint(err, "--rules reads them");
	}
	return own ? err_set(err, ERR_INPUT, STR_FMT " of kubectl status are no objects of a cluster", STR_ARG(kind)) : 0;
}

static int one_value(struct splitter *s, struct json value, struct err *err)
{
	struct str kind = json_str(value, "kind"), message = json_str(value, "message");
	struct splitter inner = { s->ops, s->ctx, item_kind(kind), NULL, false };

	if (!json_is_object(value))
		return err_set(err, ERR_INPUT, "not a Kubernetes object: no map with kind and metadata");
	if (refuse_own(value, err) < 0)
		return -1;
	if (str_is(kind, "Status") && str_is(json_str(value, "apiVersion"), "v1") && !json_str(value, "metadata.name").len)
		return err_set(err, ERR_INPUT, "not an object but an answer of an API server: " STR_FMT,
			       STR_ARG(message));
	if (!is_list(value))
		return s->ops->object(s->ctx, value, s->list_kind, err);
	json_foreach(item, json_at(value, "items"))
		if (one_value(&inner, item, err) < 0)
			return -1;
	return 0;
}

/* An object that cannot be read as a whole is taken with its name alone. */
static int one_text(struct splitter *s, struct str json, struct err *err)
{
	struct buf reduced = { 0 };
	struct str piece = json;
	struct json doc;
	int result;

	if (framer_read(&piece, &reduced, &doc) == 0) {
		result = one_value(s, doc, err);
		json_free(doc);
	} else {
		result = json_parse(json, &doc, err);
	}
	buf_release(&reduced);
	return result;
}

static int on_piece(void *ctx, struct str piece, struct err *err)
{
	return one_text(ctx, piece, err);
}

static int skip_piece(void *ctx, struct str piece, struct err *err)
{
	(void)ctx, (void)piece, (void)err;
	return 0;
}

/* Cuts a text into pieces.  envelope may be NULL; so may s: then the pieces are not read. */
static int feed(enum framer_mode mode, struct splitter *s, struct str text, struct buf *envelope, struct err *err)
{
	static const struct framer_ops reads = { on_piece }, skips = { skip_piece };
	struct framer *f = framer_new(mode, s ? &reads : &skips, s);
	int result;

	if (s && s->managed)
		framer_keep_managed(f);
	result = framer_feed(f, text, err);
	if (result == 0)
		result = framer_end(f, err);
	if (result == 0 && s && framer_scalars(f))
		result = one_value(s, JSON_NONE, err);
	if (result == 0 && envelope)
		buf_add(envelope, framer_envelope(f));
	framer_free(f);
	return result;
}

/*
 * Takes one list item by item, so that a dump of a large cluster fits into memory, and that an item which cannot be read
 * hides no other.  The kind of the list may stand at its end, so that a first pass over the text looks for it.
 */
static int each_in_list(struct splitter *s, struct str text, bool *out_is_list, struct err *err)
{
	struct buf envelope = { 0 };
	struct json doc = JSON_NONE;
	struct err ignored;
	int result = 0;

	*out_is_list = false;
	if (feed(FRAMER_LIST, NULL, text, &envelope, &ignored) == 0 &&
	    json_parse(buf_str(&envelope), &doc, &ignored) == 0 && str_ends(json_str(doc, "kind"), "List") &&
	    json_is_array(json_at(doc, "items"))) {
		*out_is_list = true;
		result = one_value(s, doc, err);
		s->list_kind = item_kind(json_str(doc, "kind"));
		if (result == 0)
			result = feed(FRAMER_LIST, s, text, NULL, err);
		s->list_kind = STR_NONE;
	}
	json_free(doc);
	buf_release(&envelope);
	return result;
}

/* Calls back with each object in a text of JSON: of a list, or of several values one after the other. */
static int each_json(struct splitter *s, struct str text, struct err *err)
{
	bool is_list;
	int result = each_in_list(s, text, &is_list, err);

	if (is_list)
		return result;
	return str_starts(text, "{") ? feed(FRAMER_STREAM, s, text, NULL, err) : one_text(s, text, err);
}

static int on_document(void *ctx, struct str json, struct err *err)
{
	struct splitter *s = ctx;

	if (s->as_json) {
		buf_add(s->as_json, json);
		buf_add_char(s->as_json, '\n');
	}
	return each_json(s, json, err);
}

/* Leaves out the logs of containers, which "kubectl cluster-info dump" writes between its lists. */
static void leave_out_logs(struct str text, struct buf *out)
{
	bool in_log = false;
	struct str line;

	out->max = LIMIT_FILE;
	while (str_split(&text, '\n', &line)) {
		bool ends = str_starts(line, FILES_LOG_ENDS);

		in_log |= str_starts(line, FILES_LOG_STARTS);
		if (!in_log && !ends) {
			buf_add(out, line);
			buf_add_char(out, '\n');
		}
		in_log &= !ends;
	}
}

/* Returns true for JSON, whose member names are quoted.  YAML in braces need not be JSON: {kind: Pod}. */
static bool is_json(struct str head)
{
	struct str first;

	if (!str_starts(head, "{"))
		return false;
	first = str_trim(str_from(head, 1));
	return first.len == 0 || str_starts(first, "\"") || str_starts(first, "}");
}

/*
 * Returns true for UTF-16 without a byte order mark, as Windows may write it.  With the mark libyaml reads it, as
 * go-yaml does; without it both refuse the NULs.
 */
static bool is_unmarked_utf16(struct str text)
{
	return text.len >= 2 && !text.ptr[0] != !text.ptr[1];
}

static int each_yaml(struct splitter *s, struct str text, struct err *err)
{
	static const struct yaml_ops yaml = { on_document };

	if (yaml_each(text, &yaml, s, err) == 0)
		return 0;
	return is_unmarked_utf16(text) ? err_hint(err, "it looks like UTF-16: save it as UTF-8") : -1;
}

static int each_value(struct splitter s, struct str text, struct err *err)
{
	struct str head;

	if (str_starts(text, "\xEF\xBB\xBF"))
		text = str_from(text, 3);
	head = str_trim(str_head(text, 4096));
	if (!is_json(head) || str_contains(text, "\n---"))
		return each_yaml(&s, text, err);
	return each_json(&s, str_trim(text), err);
}

/* Calls back with each object in a text of YAML or JSON, and with each item of a list. */
static int text_each(struct splitter s, struct str text, struct err *err)
{
	struct buf rest = { 0 };
	int result;

	if (!str_contains(text, FILES_LOG_STARTS))
		return each_value(s, text, err);
	leave_out_logs(text, &rest);
	result = each_value(s, buf_str(&rest), err);
	buf_release(&rest);
	return result;
}

/* ---- files and folders --------------------------------------------------- */

/* the most bytes of JSON that the first pass caches for the second, of all YAML documents together */
#define CACHED_MAX MIB(64)

/* What the first pass keeps of a file, or of one in an archive, for the second. */
struct kept {
	struct buf text, json;
	char *name;		/* of a file in an archive */
	uint32_t first, end;	/* of an archive: the numbers of its files among all in archives */
	bool reread;		/* of an archive: not all of it was kept, so it is read again */
};

struct loader {
	struct world *w;
	struct query *q;
	const char *name;
	struct buf label;	/* the name of a file in an archive, with that of the archive */
	struct kept *inner;	/* the files in archives, in the order in which they are read */
	size_t ninner, inner_cap;
	size_t npaths;
	bool dates;		/* the newest time may be the present */
	struct files_found *found;
	bool of_cluster;	/* an object has what only a server writes */
	int64_t newest;		/* the newest time that objects hold and that is not after now, ms */
	uint32_t file;
	bool kinds_only;
	bool dump;		/* the file is part of a dump and need not hold objects */
	size_t taken, nameless;	/* numbers of objects: all, and those without a name */
	size_t skipped;		/* number of files that could not be read, or are no objects */
	bool recordings;	/* an archive has files that are named as recordings */
	bool has_text;		/* a file is not empty, or is one that is empty on purpose (/dev/null) */
	size_t cached;		/* bytes of JSON that the first pass caches for the second */
	struct err first;	/* why the first file was skipped; ERR_SYSTEM: it could not be read, and may have held objects */
	struct err first_nameless;
};

/*
 * Returns the kind of an object.  An item of a typed list does not say its kind: the list does.  NULL, with err, when
 * neither says it.
 */
static const struct kind *kind_of_item(struct loader *l, struct json object, struct str list_kind, struct err *err)
{
	bool has_kind = json_str(object, "kind").len > 0, has_version = json_str(object, "apiVersion").len > 0;

	if (has_kind && has_version)
		return engine_kind(l->w->engine, object);
	for (uint32_t i = 0; i < l->w->kinds.count && list_kind.len; i++)
		if (str_eq(l->w->kinds.all[i]->kind, list_kind) && l->w->kinds.all[i]->version.len)
			return l->w->kinds.all[i];
	err_set(err, ERR_INPUT, "Object '%s' is missing", has_kind ? "apiVersion" : "Kind");
	return NULL;
}

/*
 * Returns a name to show an object by that has none, and counts it for a notice.  No server would have accepted such an
 * object.
 */
static struct str stand_in_name(struct loader *l, const struct kind *kind)
{
	if (l->nameless++ == 0)
		err_set(&l->first_nameless, ERR_INPUT, STR_FMT " in %s", STR_ARG(kind->kind), l->name);
	return arena_printf(&l->q->arena, l->nameless == 1 ? "unnamed" : "unnamed-%zu", l->nameless);
}

/* Returns true for a field whose time is in the past: not when a certificate ends, or a schedule goes on. */
static bool is_past(struct str field)
{
	static const char *const fields[] = {
		"creationTimestamp", "lastTransitionTime", "lastUpdateTime", "lastHeartbeatTime", "lastProbeTime", "lastTimestamp", "eventTime",
		"startedAt", "finishedAt", "startTime", "completionTime", "renewTime", "lastScheduleTime", "lastSuccessfulTime", "time", NULL,
	};

	return str_is_any(field, fields);
}

static void note_times(struct loader *l, struct json value)
{
	json_foreach(it, value) {
		int64_t time = is_past(json_key(it)) ? json_time(it, "") : 0;

		if (time > l->newest && time <= l->w->now)
			l->newest = time;
		note_times(l, it);
	}
}

/* A line each: the name of the subject, a tab, the object. */
static void keep_event(struct json event, struct buf *out)
{
	buf_add(out, json_str(event, json_has(event, "regarding") ? "regarding.name" : "involvedObject.name"));
	buf_add_char(out, '\t');
	json_write(event, out);
	buf_add_char(out, '\n');
}

void files_each_event(struct str events, bool (*wants)(void *ctx, struct str name), const struct object_ops *ops, void *ctx)
{
	struct str line, name;
	struct json event;
	struct err ignored;

	while (str_split(&events, '\n', &line)) {
		if (!str_split(&line, '\t', &name) || !wants(ctx, name) || json_parse(line, &event, &ignored) < 0)
			continue;
		ops->object(ctx, event, STR("Event"), &ignored);
		json_free(event);
	}
}

static int on_object(void *ctx, struct json object, struct str list_kind, struct err *err)
{
	struct loader *l = ctx;
	const struct kind *kind = kind_of_item(l, object, list_kind, err);
	struct engine_source from = { .kind = kind, .file = l->file };
	struct handle h;

	if (!kind)
		return -1;
	if (l->kinds_only) {
		l->of_cluster |= json_has(object, "metadata.uid") || json_has(object, "metadata.resourceVersion");
		note_times(l, object);
		return 0;
	}
	if (str_is(kind->kind, "Event"))
		keep_event(object, &l->found->events);
	if (json_str(object, "metadata.name").len == 0)
		from.name = stand_in_name(l, kind);
	l->taken++;
	engine_put(l->w->engine, &from, object, l->w->now, &h);
	query_note(l->q, h, object, 0);
	if (query_tells_changes(l->q))
		world_note_edits(l->w, h, object);
	return 0;
}

static const struct object_ops loading = { on_object };

/* Loads the objects of a text; json: where YAML is kept as JSON in the first pass. */
static int load_text(struct loader *l, struct str text, struct buf *json, struct err *err)
{
	bool logs = l->kinds_only && str_contains(text, FILES_LOG_STARTS);
	const char *foreign = archive_foreign(text);
	struct splitter s = { &loading, l, STR_NONE, l->kinds_only && l->cached < CACHED_MAX ? json : NULL,
			      !l->kinds_only && query_tells_changes(l->q) };

	l->found->logs |= logs;
	if (foreign)
		return err_set(err, ERR_INPUT, "%s is compressed by %s, which is not read: unpack it first", l->name, foreign);
	if (text_each(s, text, err) == 0)
		return 0;
	if (replay_is_recording(l->name))
		return err_set(err, ERR_INPUT, "%s is a recording, which cannot be read together with other files", l->name);
	return err_context(err, "error parsing %s", l->name);
}

/* Loads the objects of a YAML file from the JSON that the first pass made of it, one document a line. */
static int load_json(struct loader *l, struct str lines, struct err *err)
{
	struct splitter s = { &loading, l, STR_NONE, NULL, !l->kinds_only && query_tells_changes(l->q) };
	struct str line;

	while (str_split(&lines, '\n', &line))
		if (each_json(&s, line, err) < 0)
			return err_context(err, "error parsing %s", l->name);
	return 0;
}

/* lost: it may have held objects; else it was read, and is none. */
static void skip(struct loader *l, const struct err *why, bool lost)
{
	if (l->skipped++ == 0 || (lost && l->first.code != ERR_SYSTEM))
		l->first = *why;
	if (lost)
		l->first.code = ERR_SYSTEM;
}

static bool read_twice(const char *name)
{
	struct stat st;

	return strcmp(name, "-") != 0 && stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

/* ---- archives -------------------------------------------------------------- */

static size_t wants_objects(void *ctx, struct str name)
{
	(void)ctx;
	return path_is_known(name) ? ARCHIVE_WHOLE : 0;
}

static void name_inner(struct loader *l, const char *archive, struct str name)
{
	struct buf label = { 0 };

	if (str_starts(name, "./"))
		name = str_from(name, 2);
	buf_printf(&label, "%s/" STR_FMT, archive, STR_ARG(name));
	buf_release(&l->label);
	l->label = label;
	l->name = buf_cstr(&l->label);
}

/* The archive that is read. */
struct inside {
	struct loader *l;
	const char *path;
	struct kept *from;
};

static size_t wants_inner(void *ctx, struct str name)
{
	const struct inside *in = ctx;

	in->l->found->logs |= path_is_log(name);
	in->l->recordings |= path_is_recording(name);
	return wants_objects(ctx, name);
}

static void flaw_inside(void *ctx, struct str name, const struct err *why)
{
	const struct inside *in = ctx;
	struct err named = *why;

	if (!in->l->kinds_only)
		return;
	name_inner(in->l, in->path, name);
	err_context(&named, "%s", in->l->name);
	skip(in->l, &named, true);
}

/* Loads a file of an archive, in the second pass from what the first has kept.  As in the folder of a dump it need not hold objects. */
static void load_inner(struct loader *l, const char *path, size_t at, struct str text)
{
	struct kept *from = &l->inner[at];
	struct err why = { 0 };
	int result;

	name_inner(l, path, str_of(from->name));
	l->file = (uint32_t)(l->npaths + at + 1);
	if (!l->kinds_only && from->json.len)
		result = load_json(l, buf_str(&from->json), &why);
	else
		result = load_text(l, text, &from->json, &why);
	if (!l->kinds_only && result < 0 && str_trim(text).len)
		skip(l, &why, false);
	if (!l->kinds_only || result < 0 || from->json.failed)
		buf_release(&from->json);
}

/* Takes a file of an archive.  What was kept of it as JSON, or else its text, counts as cached. */
static int file_inside(void *ctx, struct str name, struct str text, struct err *err)
{
	struct inside *in = ctx;
	struct loader *l = in->l;
	struct kept *from;

	(void)err;
	if (!l->kinds_only) {
		load_inner(l, in->path, in->from->first++, text);
		return 0;
	}
	l->inner = xgrow(l->inner, l->ninner, &l->inner_cap, sizeof(*l->inner));
	l->inner[l->ninner] = (struct kept){ .name = xstrndup(name.ptr, name.len) };
	l->inner[l->ninner++].json.max = CACHED_MAX - l->cached;
	load_inner(l, in->path, l->ninner - 1, text);
	from = &l->inner[l->ninner - 1];
	from->text.max = CACHED_MAX - l->cached;
	if (!from->json.len)
		buf_add(&from->text, text);
	in->from->reread |= from->text.failed;
	if (from->text.failed)
		buf_release(&from->text);
	l->cached += from->json.len + from->text.len;
	return 0;
}

/* Loads an archive: a file, or text that has been read.  One that is damaged hides nothing that was read of it. */
static void load_archive(struct loader *l, const char *path, struct str text, struct kept *from)
{
	static const struct archive_ops ops = { wants_inner, file_inside, flaw_inside };
	struct inside in = { l, path, from };
	struct err why = { 0 };
	int result = 0;

	l->has_text = true;
	if (l->kinds_only)
		from->first = (uint32_t)l->ninner;
	if (l->kinds_only || from->reread)
		result = text.len ? archive_each_in(text, &ops, &in, &why) : archive_each(path, &ops, &in, &why);
	else
		for (; from->first < from->end; from->first++)
			load_inner(l, path, from->first, buf_str(&l->inner[from->first].text));
	if (!l->kinds_only)
		return;
	from->end = (uint32_t)l->ninner;
	if (result < 0)
		err_context(&why, "%s cannot be read", path);
	else if (from->end == from->first)
		result = err_set(&why, ERR_INPUT, "%s holds no file that ends in .json, .yaml or .yml, nor a recording (.jsonl, .jsonl.gz)", path);
	if (result < 0)
		skip(l, &why, true);
}

/*
 * Reads a file, or takes its text from the first pass.  The first pass keeps the text of what cannot be read again
 * (standard input, a pipe), and YAML as JSON, because parsing YAML takes long.
 */
static int read_source(struct loader *l, struct kept *from, struct err *err)
{
	bool again = read_twice(l->name);
	int result = l->kinds_only || again ? read_bytes(l->name, &from->text, err) : 0;

	l->has_text |= str_trim(buf_str(&from->text)).len > 0 || strcmp(l->name, "/dev/null") == 0;
	from->json.max = CACHED_MAX - l->cached;
	if (result == 0 && archive_begins(buf_str(&from->text)))
		load_archive(l, l->name, buf_str(&from->text), from);
	else if (result == 0)
		result = load_text(l, buf_str(&from->text), &from->json, err);
	if (result < 0 || from->json.failed)
		buf_release(&from->json);
	l->cached += from->json.len;
	if (!l->kinds_only || again || from->json.len)
		buf_release(&from->text);
	return result;
}

static int load_path(struct loader *l, const struct path_entry *entry, struct kept *from, struct err *err)
{
	int result;

	l->name = entry->path;
	l->dump = entry->dump;
	l->found->logs |= entry->log;
	if (entry->log)
		return 0;
	if (archive_is_name(str_of(entry->path))) {
		load_archive(l, entry->path, STR_NONE, from);
		return 0;
	}
	result = l->kinds_only || !from->json.len ? read_source(l, from, err) : load_json(l, buf_str(&from->json), err);
	if (!l->kinds_only)
		buf_release(&from->json);
	if (result == 0 || !entry->dump)
		return result;
	if (!l->kinds_only)
		skip(l, err, err->code == ERR_SYSTEM);
	err->code = ERR_NONE;
	return 0;
}

/* Loads all files in two passes: references between objects can be resolved once the first pass has found all kinds. */
static int load_paths(struct loader *l, const struct path_list *list, struct err *err)
{
	struct kept *sources = xcalloc(list->n, sizeof(*sources));
	int result = 0;

	for (int pass = 0; pass < 2 && result == 0; pass++) {
		l->kinds_only = pass == 0;
		if (pass == 1 && l->dates && l->of_cluster && l->newest && l->w->now - l->newest > FILES_OLD)
			l->found->newest = l->w->now = l->newest;
		for (size_t i = 0; i < list->n && result == 0; i++) {
			l->file = (uint32_t)i + 1;
			result = load_path(l, &list->all[i], &sources[i], err);
		}
	}
	for (size_t i = 0; i < list->n; i++) {
		buf_release(&sources[i].text);
		buf_release(&sources[i].json);
	}
	for (size_t i = 0; i < l->ninner; i++) {
		buf_release(&l->inner[i].text);
		buf_release(&l->inner[i].json);
		xfree(l->inner[i].name);
	}
	xfree(l->inner);
	buf_release(&l->label);
	xfree(sources);
	return result;
}

static void tell(struct world *w, size_t n, const char *one, const char *several, const struct err *first)
{
	struct buf text = { 0 };

	if (n == 0)
		return;
	buf_printf(&text, "%zu %s", n, n == 1 ? one : several);
	if (first)
		buf_printf(&text, ", the first: %s", first->msg);
	world_notice(w, (struct notice){ .kind = str_of(first && first->code == ERR_SYSTEM ? "unreadable" : "unavailable"),
					 .resource = STR("files"), .message = buf_str(&text) });
	buf_release(&text);
}

/*
 * Adds one notice for all files that were left out and one for all objects without a name.  When no object at all was found, the
 * first problem is the error.
 */
static int report_flaws(struct loader *l, struct err *err)
{
	if (l->taken == 0 && l->skipped) {
		*err = l->first;
		return -1;
	}
	if (!l->has_text && l->file == 1)
		return err_set(err, ERR_INPUT, "no objects passed to status: %s is empty", l->name);
	if (!l->has_text && l->file)
		return err_set(err, ERR_INPUT, "no objects passed to status: all files are empty");
	tell(l->w, l->skipped, "file was left out", "files were left out", &l->first);
	tell(l->w, l->nameless, "object has no metadata.name", "objects have no metadata.name", &l->first_nameless);
	return 0;
}

/* ---- recordings ----------------------------------------------------------------- */

enum { RECORDINGS = 256 };

/* The recordings that were met; those of archives are in memory. */
struct recordings {
	struct parts parts;
	const char *archive;	/* the one that is read */
	struct err first;	/* the name of the first */
	size_t bytes;		/* of those in memory */
};

static size_t wants_recording(void *ctx, struct str name)
{
	(void)ctx;
	return path_is_recording(name) ? ARCHIVE_WHOLE : 0;
}

static int add_recording(struct recordings *r, const char *path, struct str name, struct err *err)
{
	if (r->parts.n == 0)
		err_set(&r->first, ERR_INPUT, "%s%s" STR_FMT, r->archive ? r->archive : "", r->archive ? "/" : "", STR_ARG(name));
	if (r->parts.n == RECORDINGS)
		return err_set(err, ERR_INPUT, "more than %d recordings", RECORDINGS);
	return parts_add(&r->parts, path, err);
}

static int keep_recording(void *ctx, struct str name, struct str text, struct err *err)
{
	struct recordings *r = ctx;
	int fd = system_unnamed_file(), result = -1;
	char path[64];

	snprintf(path, sizeof(path), SOURCE_DESCRIPTOR "%d", fd);
	r->bytes += text.len + 1;
	if (r->bytes > LIMIT_PIPE)
		err_set(err, ERR_INPUT, "the recordings in it have more than %zu MiB", LIMIT_PIPE / MIB(1));
	else if (fd < 0 || file_write_all(fd, text))
		err_set(err, ERR_SYSTEM, "a file in memory: %s", strerror(errno));
	else
		result = source_is_recording(&(struct parts){ .fds = &fd, .n = 1 }) ? add_recording(r, path, name, err) : 0;
	if (fd >= 0)
		close(fd);
	return result;
}

static void ignore_flaw(void *ctx, struct str name, const struct err *why)
{
	(void)ctx, (void)name, (void)why;
}

/* Adds what an argument of -f has of recordings.  Returns -1 with err when that cannot be done. */
static int add_recordings(struct recordings *r, const char *name, struct err *err)
{
	static const struct archive_ops ops = { wants_recording, keep_recording, ignore_flaw };
	struct path_list list = { 0 };
	int result = 0;

	r->archive = archive_is_name(str_of(name)) ? name : NULL;
	if (r->archive)
		return archive_each(name, &ops, r, err) < 0 && r->bytes ? -1 : 0;	/* why it is no archive was told before */
	if (replay_is_recording(name))
		return add_recording(r, name, str_of(name), err);
	if (path_list_recordings(&list, name) < 0)
		return 0;
	for (size_t i = 0; i < list.n && result == 0; i++)
		if (replay_is_recording(list.all[i].path))
			result = add_recording(r, list.all[i].path, str_of(list.all[i].path), err);
	path_list_release(&list);
	return result;
}

static bool is_packed(int fd)
{
	char magic[2];

	return pread(fd, magic, 2, 0) == 2 && memcmp(magic, "\x1F\x8B", 2) == 0;
}

/* Unpacks those that are compressed into memory where others are not: all parts are of one form. */
static int unpack(struct recordings *r, struct err *err)
{
	size_t packed = 0;

	for (size_t i = 0; i < r->parts.n; i++)
		packed += is_packed(r->parts.fds[i]);
	for (size_t i = 0; i < r->parts.n && packed < r->parts.n; i++) {
		struct buf text = BUF_MAX(LIMIT_PIPE - (r->bytes < LIMIT_PIPE ? r->bytes : LIMIT_PIPE));
		int fd = is_packed(r->parts.fds[i]) ? r->parts.fds[i] : -1, result = 0;

		if (fd >= 0) {
			r->parts.fds[i] = system_unnamed_file();
			result = gzip_read_file(fd, "a recording", &text, err);
		}
		if (result == 0 && fd >= 0 && file_write_all(r->parts.fds[i], buf_str(&text)))
			result = err_set(err, ERR_SYSTEM, "a file in memory: %s", strerror(errno));
		r->bytes += text.len;
		buf_release(&text);
		if (result < 0)
			return -1;
	}
	return 0;
}

int files_recordings(const struct files *f, struct parts *out, struct err *err)
{
	struct recordings r = { .bytes = 0 };
	int result = 0;
	bool all = true;

	for (size_t i = 0; f->names[i] && result == 0 && all; i++) {
		size_t before = r.parts.n;

		result = add_recordings(&r, f->names[i], err);
		all = r.parts.n > before;
	}
	if (result == 0 && all)
		result = unpack(&r, err) < 0 ? -1 : replay_order(&r.parts, err);
	if (result < 0 || !all)
		parts_release(&r.parts);
	*out = r.parts;
	return result;
}

static int collect_paths(const struct files *f, struct path_list *list, struct err *err)
{
	for (size_t i = 0; f->names[i]; i++)
		if (path_list_add(list, f->names[i], f->recursive, err) < 0)
			return -1;
	return 0;
}

/* Adds a notice of the recordings that lie beside files of objects, in folders and archives: they are not played then. */
static void tell_recordings(const struct loader *l, const struct files *f)
{
	struct recordings r = { .bytes = 0 };
	struct err ignored = { 0 };

	for (size_t i = 0; f->names[i]; i++)
		if (l->recordings || !archive_is_name(str_of(f->names[i])))
			add_recordings(&r, f->names[i], &ignored);
	tell(l->w, r.parts.n, "recording is not played, because files of objects are there, too",
	     "recordings are not played, because files of objects are there, too", &r.first);
	parts_release(&r.parts);
}

int files_load(const struct files *f, struct world *w, struct query *q, struct files_found *out, struct err *err)
{
	struct loader l = { .w = w, .q = q, .dates = f->dates, .found = out };
	struct path_list list = { 0 };
	int result = collect_paths(f, &list, err);

	*out = (struct files_found){ .events = BUF_MAX(LIMIT_FILE_EVENTS) };
	l.npaths = list.n;
	store_set_coverage(w->store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	if (result == 0)
		result = load_paths(&l, &list, err);
	if (result == 0)
		result = report_flaws(&l, err);
	if (result == 0)
		tell_recordings(&l, f);
	path_list_release(&list);
	return result;
}

void files_tell_manifests(struct world *w, const struct query *q)
{
	struct arena arena = { 0 };
	size_t n = 0;

	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1)) {
		n += query_selects(q, w, h) && store_status(w->store, h, &arena).manifest;
		arena_reset(&arena);
	}
	tell(w, n, "object was never in a cluster", "objects were never in a cluster", NULL);
	arena_release(&arena);
}

struct each {
	const struct object_ops *ops;
	void *ctx;
};

int files_text_each(struct str text, const struct object_ops *ops, void *ctx, struct err *err)
{
	return text_each((struct splitter){ ops, ctx, STR_NONE, NULL, true }, text, err);
}

static int each_text(void *ctx, struct str name, struct str text, struct err *err)
{
	const struct each *each = ctx;

	(void)name;
	if (files_text_each(text, each->ops, each->ctx, err) < 0)
		err->code = ERR_NONE;
	return 0;
}

/* Reads the last bytes of a file. */
static int read_end(const char *path, size_t last, struct buf *out, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);

	if (size < 0 || lseek(fd, (uint64_t)size > last ? size - (off_t)last : 0, SEEK_SET) < 0) {
		if (fd >= 0)
			close(fd);
		return err_set(err, ERR_SYSTEM, "open %s: %s", path, strerror(errno));
	}
	out->max = LIMIT_FILE;
	return gzip_read_file(fd, path, out, err);
}

void files_each_file(const struct files *f, size_t (*wants)(void *ctx, struct str name),
		     int (*file)(void *ctx, struct str name, struct str text, struct err *err), void *ctx)
{
	const struct archive_ops inside = { wants, file, ignore_flaw };
	struct path_list list = { 0 };
	struct err ignored = { 0 };
	int result = collect_paths(f, &list, &ignored);

	for (size_t i = 0; i < list.n && result == 0; i++) {
		struct buf text = { 0 };
		const char *path = list.all[i].path;
		bool archive = archive_is_name(str_of(path));
		size_t last = archive || strcmp(path, "-") == 0 ? 0 : list.all[i].dump ? wants(ctx, str_of(path)) : ARCHIVE_WHOLE;

		if (archive)
			result = archive_each(path, &inside, ctx, &ignored);
		else if (last == ARCHIVE_WHOLE)
			result = read_bytes(path, &text, &ignored);
		else if (last)
			result = read_end(path, last, &text, &ignored);
		if (result == 0 && archive_begins(buf_str(&text)))
			result = archive_each_in(buf_str(&text), &inside, ctx, &ignored);
		else if (result == 0 && last)
			result = file(ctx, str_of(path), buf_str(&text), &ignored);
		result = 0;	/* what cannot be read was told when it was read first */
		buf_release(&text);
	}
	path_list_release(&list);
}

void files_each(const struct files *f, const struct object_ops *ops, void *ctx)
{
	files_each_file(f, wants_objects, each_text, &(struct each){ ops, ctx });
}

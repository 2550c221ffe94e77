/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/fetch.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/redact.h"
#include "kube/base/unanswered.h"
#include "kube/base/url.h"
#include "plugin/clock.h"
#include "kube/model/yaml.h"
#include "plugin/dashboard/fetch_logs.h"
#include "plugin/dashboard/workload_logs.h"
#include "plugin/files.h"
#include "plugin/record/redact_object.h"

#include <stdlib.h>
#include <string.h>

/* The most Events that are shown, the newest ones, and the most pages that are read of one cluster's Events. */
enum { EVENTS = 500, EVENT_PAGES = 20 };
/* The most objects whose Events are read together: the object itself and its worst parts.  Each costs one request. */
enum { EVENT_SOURCES = 9 };

/* The log of a container's run that has ended.  It does not change, so it is requested only once. */
struct ended_log {
	struct buf name, text;	/* name: the container and when the run ended; "": nothing is kept */
};

struct fetch {
	struct program *p;
	struct fetched result;
	struct arena arena;	/* the texts of the result */
	struct arena before;	/* the texts of the result that is shown while the same is read again */
	struct buf text;
	struct buf building;	/* the text of the logs as far as they have been read */
	bool again;		/* the previous result stays until the answer is complete */
	struct log_source sources[LOG_SOURCES];
	size_t nsources, logs_asked;	/* with WANT_LOGS: the number of logs, and of those requested so far */
	unsigned lines[LOG_SOURCES];	/* how many lines of each log are requested; 0: LIMIT_LOG_LINES */
	struct buf why;			/* why the result could not be read again */
	struct ended_log ended[LOG_SOURCES];
	struct workload_logs *workload;	/* with WANT_LOGS of what is no Pod; else NULL */
	struct handle about[EVENT_SOURCES];	/* with WANT_EVENTS: the objects whose Events are read */
	size_t nabout, about_asked;
	struct event_row *events;	/* the Events received so far; room for twice EVENTS */
	size_t nevents;
	/* for the Events of all objects: the cluster that is being read, and of the namespaces those that are still to be read */
	uint16_t cluster;
	struct str namespaces;
	unsigned pages;		/* the number of its pages read so far */
	unsigned question;	/* the number of the present request */
	struct unanswered *asked;
	bool changed;
};

/* Returns the program that what is shown comes from. */
static const struct program *shown_program(const struct fetch *f)
{
	return f->p->shows ? f->p->shows : f->p;
}

static struct session *session_of(const struct fetch *f, uint16_t cluster)
{
	return f->p->source->session(f->p, cluster);
}

/* Returns the world that handles belong to, which may be that of an earlier moment. */
static const struct world *shown(const struct fetch *f)
{
	return f->p->shown ? f->p->shown : &f->p->world;
}

/* A request.  Its answer may come when something else is shown already; then the number differs. */
struct question {
	struct unanswered unanswered;
	struct fetch *f;
	unsigned number;
};

static void forget_ended(struct fetch *f)
{
	for (size_t i = 0; i < LOG_SOURCES; i++) {
		buf_release(&f->ended[i].name);
		buf_release(&f->ended[i].text);
	}
}

struct fetch *fetch_new(struct program *p)
{
	struct fetch *f = xcalloc(1, sizeof(*f));

	f->p = p;
	return f;
}

void fetch_free(struct fetch *f)
{
	if (!f)
		return;
	unanswered_free(&f->asked);
	workload_logs_free(f->workload);
	arena_release(&f->arena);
	arena_release(&f->before);
	buf_release(&f->text);
	buf_release(&f->building);
	buf_release(&f->why);
	forget_ended(f);
	xfree(f);
}

bool fetch_changed(struct fetch *f)
{
	bool changed = f->workload ? workload_logs_changed(f->workload) : f->changed;

	f->changed = false;
	return changed;
}

const struct fetched *fetch_result(const struct fetch *f)
{
	return f->result.want == WANT_NOTHING ? NULL : &f->result;
}

static bool wants_events(const struct fetch *f)
{
	return f->result.want == WANT_EVENTS || f->result.want == WANT_OWN_EVENTS;
}

/* ---- answers ------------------------------------------------------------- */

/* Notes that an answer is complete, and replaces the result shown until now. */
static void answered(struct fetch *f)
{
	f->again = false;
	f->changed = true;
	f->result.error = STR_NONE;
	f->result.read = f->p->source->asks ? clock_now() : 0;
}

/* Keeps the previous result, because reading it again failed.  why may be a text of the arena that is released. */
static void keep_shown(struct fetch *f, struct str why)
{
	f->again = false;
	f->changed = true;
	buf_reset(&f->why);
	buf_add(&f->why, why);
	f->result.error = buf_str(&f->why);
	arena_release(&f->arena);
	f->arena = f->before;
	f->before = (struct arena){ 0 };
}

static void answer_error(struct fetch *f, struct str why)
{
	if (f->again && f->result.state == FETCH_OK && f->result.text.len) {
		keep_shown(f, why);
		return;
	}
	answered(f);
	f->result.state = FETCH_ERROR;
	f->result.error = arena_str(&f->arena, why);
	f->result.nevents = 0;	/* those of the answer before go with its arena */
}

static void answer_object(struct fetch *f, struct json object, const struct kind *kind)
{
	struct buf clean = { 0 }, told = { 0 };
	struct json doc;

	buf_reset(&f->text);
	if (!kind_fits(kind, object) || !json_str(object, "metadata.name").len) {
		answer_error(f, STR("the server's answer is not the object that was asked for"));
		return;
	}
	redact_object(object, kind, &clean);
	if (json_parse_verbatim(buf_str(&clean), &doc, &(struct err){ 0 }) == 0) {
		conceal_write(&(struct conceal_place){ 0 }, doc, &told);
		json_free(doc);
	}
	if (json_parse_verbatim(buf_str(&told), &doc, &(struct err){ 0 }) == 0) {
		yaml_from_json(doc, &f->text);
		json_free(doc);
	}
	buf_release(&clean);
	buf_release(&told);
	f->result.text = buf_str(&f->text);
	f->result.state = FETCH_OK;
	answered(f);
}

static int64_t event_time(struct json e)
{
	static const char *const paths[] = { "series.lastObservedTime", "lastTimestamp", "eventTime",
					     "metadata.creationTimestamp" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (json_time(e, paths[i]))
			return json_time(e, paths[i]);
	return 0;
}

/* Returns the object that an Event is about, with its handle when the store has it. */
static struct id event_about(struct fetch *f, struct json e)
{
	struct json about = json_at(e, json_has(e, "regarding") ? "regarding" : "involvedObject");
	struct str api = json_str(about, "apiVersion");
	size_t slash = str_find(api, '/');
	struct id id = {
		.group = arena_str(&f->arena, slash < api.len ? str_head(api, slash) : STR_NONE),
		.kind = arena_str(&f->arena, json_str(about, "kind")),
		.ns = arena_str(&f->arena, json_str(about, "namespace")),
		.name = arena_str(&f->arena, json_str(about, "name")),
	};
	struct object_id key = { .kind = kinds_find(&shown(f)->kinds, id.group, id.kind), .ns = id.ns, .name = id.name };

	key.cluster = f->result.handle.slot ? store_node_id(shown(f)->store, f->result.handle.slot).cluster : f->cluster;
	if (key.kind)
		id.handle = store_find(shown(f)->store, &key);
	return id;
}

static struct event_row event_of(struct fetch *f, struct json e)
{
	struct arena *arena = &f->arena;

	int64_t count = json_int(e, "series.count", json_int(e, "count", 1));
	struct str source = json_str(e, "source.component");

	return (struct event_row){
		.about = event_about(f, e),
		.time = event_time(e),
		.type = arena_str(arena, json_str(e, "type")),
		.reason = arena_str(arena, json_str(e, "reason")),
		.message = arena_str(arena, json_str(e, "message")),
		.source = arena_str(arena, source.len ? source : json_str(e, "reportingComponent")),
		.count = count > 0 ? (unsigned)count : 1,
	};
}

static int by_time(const void *x, const void *y)
{
	const struct event_row *a = x, *b = y;

	return a->time < b->time ? -1 : a->time > b->time;
}

/* Sorts the Events by time and drops all but the newest EVENTS. */
static void keep_newest(struct fetch *f)
{
	size_t over = f->nevents > EVENTS ? f->nevents - EVENTS : 0;

	qsort(f->events, f->nevents, sizeof(*f->events), by_time);
	memmove(f->events, f->events + over, (f->nevents - over) * sizeof(*f->events));
	f->nevents -= over;
	f->result.more |= over > 0;
}

static void add_event(struct fetch *f, struct json event)
{
	assert(f->nevents <= 2 * EVENTS);
	if (f->nevents == 2 * EVENTS)
		keep_newest(f);
	f->events[f->nevents++] = event_of(f, event);
}

static void add_events(struct fetch *f, struct json items)
{
	json_foreach(e, items)
		add_event(f, e);
	keep_newest(f);
}

static void show_events(struct fetch *f)
{
	f->result.events = f->events;
	f->result.nevents = f->nevents;
	f->result.state = FETCH_OK;
	answered(f);
}

/* ---- from a cluster ------------------------------------------------------ */

static void ask(struct fetch *f, const char *path);

static void name_ended(const struct log_source *source, struct buf *out)
{
	buf_reset(out);
	if (source->previous && source->ended.len)
		buf_printf(out, STR_FMT " " STR_FMT, STR_ARG(source->container), STR_ARG(source->ended));
}

/* Returns the log of an ended run that was read before; NULL when it was not. */
static const struct buf *ended_text(struct fetch *f, const struct log_source *source)
{
	const struct buf *found = NULL;
	struct buf name = { 0 };

	name_ended(source, &name);
	for (size_t i = 0; name.len && i < LOG_SOURCES && !found; i++)
		if (str_eq(buf_str(&f->ended[i].name), buf_str(&name)))
			found = &f->ended[i].text;
	buf_release(&name);
	return found;
}

static void keep_ended(struct fetch *f, size_t i, struct str text)
{
	name_ended(&f->sources[i], &f->ended[i].name);
	buf_reset(&f->ended[i].text);
	buf_add(&f->ended[i].text, text);
}

static unsigned lines_of(const struct fetch *f, size_t source)
{
	return f->lines[source] ? f->lines[source] : LIMIT_LOG_LINES;
}

static unsigned running_sources(const struct fetch *f)
{
	unsigned running = 0;

	for (size_t i = 0; i < f->logs_asked; i++)
		running |= f->sources[i].runs ? 1u << i : 0;
	return running;
}

/* Adds the complete log of one container.  When logs are read again, all of them replace the shown text at once. */
static void add_log(struct fetch *f, struct str text, bool failed)
{
	bool last = f->logs_asked == f->nsources;
	size_t source = f->logs_asked - 1, shown;

	log_heading(&f->sources[source], lines_of(f, source), failed, &f->building);
	shown = f->building.len;
	log_text(text.len ? text : STR("(nothing written)"), &f->building);
	redact_log(&f->building, shown);
	if (!f->again || last) {
		buf_reset(&f->text);
		buf_add(&f->text, buf_str(&f->building));
		f->result.text = buf_str(&f->text);
		f->result.state = FETCH_OK;
		f->result.running = running_sources(f);
		f->changed = true;
	}
	if (last)
		answered(f);
}

static void ask_next_events(struct fetch *f)
{
	struct kind events = { .version = STR("v1"), .plural = STR("events"), .flags = KIND_NAMESPACED };
	struct handle h = f->about[f->about_asked++];
	struct object_id id = store_node_id(shown(f)->store, h.slot);
	struct buf path = { 0 };

	session_path(session_of(f, id.cluster), &events, id.ns.len ? id.ns : STR("default"), STR_NONE, &path);
	buf_printf(&path, "?fieldSelector=involvedObject.kind%%3D" STR_FMT "%%2CinvolvedObject.name%%3D" STR_FMT
			  "&limit=500", STR_ARG(id.kind->kind), STR_ARG(id.name));
	ask(f, buf_cstr(&path));
	buf_release(&path);
}

/* Requests a page of the Events of all objects in the shown namespace. */
static void ask_page(struct fetch *f, struct str token)
{
	struct kind events = { .version = STR("v1"), .plural = STR("events"), .flags = KIND_NAMESPACED };
	struct buf path = { 0 };

	f->pages = token.len ? f->pages + 1 : 1;
	session_path(session_of(f, f->cluster), &events, str_head(f->namespaces, str_find(f->namespaces, ',')), STR_NONE, &path);
	url_add_query(&path, "limit", STR("500"));
	url_add_query(&path, "continue", token);
	ask(f, buf_cstr(&path));
	buf_release(&path);
}

/* Goes to the next namespace, after the last one to the next cluster.  Returns false after the last cluster. */
static bool next_namespace(struct fetch *f)
{
	f->namespaces = str_from(f->namespaces, str_find(f->namespaces, ',') + 1);
	if (f->namespaces.len)
		return true;
	f->namespaces = f->p->query.ns;
	return session_of(f, ++f->cluster) != NULL;
}

/*
 * Takes a page of Events and requests the next one, of each namespace and cluster in turn.  The Events received so far are shown
 * meanwhile.
 */
static void answer_all_events(struct fetch *f, struct json list)
{
	struct str token = json_str(list, "metadata.continue");
	bool again = f->again;

	add_events(f, json_at(list, "items"));
	f->result.more |= !json_has(list, "items");
	if (token.len && f->pages >= EVENT_PAGES) {
		f->result.more = true;
		token = STR_NONE;
	}
	if (!token.len && !next_namespace(f)) {
		show_events(f);
		return;
	}
	if (!again)
		show_events(f);
	f->again = again;
	ask_page(f, token);
}

/*
 * Takes the Events of one object and requests those of the next.  The object's own are shown before those of its parts
 * have come.
 */
static void answer_events(struct fetch *f, struct json items)
{
	bool last;

	add_events(f, items);
	f->result.more |= !json_is_array(items);
	while (f->about_asked < f->nabout && !store_knows(shown(f)->store, f->about[f->about_asked]))
		f->about_asked++;
	last = f->about_asked >= f->nabout;
	if (last || !f->again) {
		bool again = f->again && !last;

		show_events(f);
		f->again = again;
	}
	if (!last)
		ask_next_events(f);
}

static void ask_log(struct fetch *f, size_t source)
{
	struct object_id pod;
	struct buf path = { 0 };

	if (!store_alive(shown(f)->store, f->result.handle))
		return;
	pod = store_node_id(shown(f)->store, f->result.handle.slot);
	log_path(session_of(f, pod.cluster), &pod, &f->sources[source], lines_of(f, source), &path);
	url_add_query(&path, "timestamps", STR("true"));
	ask(f, buf_cstr(&path));
	buf_release(&path);
}

static void ask_next_log(struct fetch *f)
{
	while (f->logs_asked < f->nsources && ended_text(f, &f->sources[f->logs_asked])) {
		const struct buf *known = ended_text(f, &f->sources[f->logs_asked++]);

		add_log(f, buf_str(known), false);
	}
	if (f->logs_asked < f->nsources)
		ask_log(f, f->logs_asked++);
}

static void answer_pod(struct fetch *f, struct json pod)
{
	f->nsources = log_sources(pod, &f->arena, f->sources);
	if (!f->nsources)
		answer_error(f, STR("no container of it has started"));
	ask_next_log(f);
}

/*
 * Takes the log of one container, or the server's reason why there is none, and requests the next one in either case.
 */
static void answer_log(struct fetch *f, int http_status, struct str body)
{
	struct json problem = JSON_NONE;
	size_t source = f->logs_asked - 1;
	unsigned fewer = http_status < 300 ? log_fewer_lines(lines_of(f, source), body.len) : 0;

	if (fewer) {
		f->lines[source] = fewer;
		ask_log(f, source);
		return;
	}
	if (http_status >= 300 && json_parse(body, &problem, &(struct err){ 0 }) == 0)
		body = json_str(problem, "message");
	else if (http_status < 300)
		keep_ended(f, source, body);
	add_log(f, body, http_status >= 300);
	json_free(problem);
	ask_next_log(f);
}

/*
 * Returns true when some Events have come already.  They stay when a part, a cluster or a further page may not be read.
 */
static bool has_events(const struct fetch *f)
{
	return wants_events(f) && (f->about_asked > 1 || f->pages > 1 || f->cluster);
}

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	struct question *q = ctx;
	struct fetch *f = q->f;
	struct json doc = JSON_NONE;
	struct err parse = { 0 };

	if (q->number != f->question)
		;
	else if (err)
		answer_error(f, redact_copy(&f->arena, str_of(err->msg)));
	else if (f->result.want == WANT_LOGS && f->logs_asked)
		answer_log(f, http_status, body);
	else if (json_parse(body, &doc, &parse) < 0)
		answer_error(f, str_of(parse.msg));
	else if (http_status >= 300 && !has_events(f))
		answer_error(f, json_str(doc, "message"));
	else if (wants_events(f) && !f->result.handle.slot)
		answer_all_events(f, doc);
	else if (wants_events(f))
		answer_events(f, json_at(doc, "items"));
	else if (f->result.want == WANT_LOGS)
		answer_pod(f, doc);
	else
		answer_object(f, doc, store_node_id(shown(f)->store, f->result.handle.slot).kind);
	json_free(doc);
	unanswered_end(&f->asked, q);
}

static void ask(struct fetch *f, const char *path)
{
	struct question *q = unanswered_add(&f->asked, sizeof(*q));
	uint16_t cluster = f->result.handle.slot ?
				   store_node_id(shown(f)->store, f->result.handle.slot).cluster : f->cluster;

	q->f = f;
	q->number = f->question;
	if (f->logs_asked)
		session_get_text(session_of(f, cluster), path, on_answer, q);
	else
		session_get(session_of(f, cluster), path, on_answer, q);
}

/* Chooses whose Events are read: those of the object itself, and of its parts with WANT_EVENTS. */
static void choose_sources(struct fetch *f)
{
	enum { PARTS = EVENT_SOURCES - 1 };
	size_t parts = f->result.want == WANT_EVENTS ? graph_parts(shown(f)->graph, f->result.handle, NULL, f->about + 1, PARTS) : 0;

	f->about[0] = f->result.handle;
	f->result.parts = parts < PARTS ? parts : PARTS;
	f->result.parts_left_out = parts - f->result.parts;
	f->nabout = f->result.parts + 1;
}

static void ask_cluster(struct fetch *f, const struct object_id *id)
{
	const struct session *session = session_of(f, id->cluster);
	struct buf path = { 0 };

	if (wants_events(f) && f->result.handle.slot) {
		choose_sources(f);
		ask_next_events(f);
		return;
	}
	if (wants_events(f)) {
		ask_page(f, STR_NONE);
		return;
	}
	session_path(session, id->kind, id->ns, id->name, &path);
	ask(f, buf_cstr(&path));
	buf_release(&path);
}

/* ---- from what is kept ---------------------------------------------------------- */

struct search {
	struct fetch *f;
	struct object_id id;
	bool found;
};

/* Returns true for the object with that id.  An item of a typed list does not say its kind; list_kind does. */
static bool is_it(struct json object, struct str list_kind, const struct object_id *id)
{
	struct str kind = json_str(object, "kind");

	return str_eq(json_str(object, "metadata.name"), id->name) &&
	       str_eq(json_str(object, "metadata.namespace"), id->ns) &&
	       str_eq(kind.len ? kind : list_kind, id->kind->kind) &&
	       (!kind.len || kind_in_api(id->kind, json_str(object, "apiVersion")));
}

static struct json subject_of(struct json event)
{
	return json_at(event, json_has(event, "regarding") ? "regarding" : "involvedObject");
}

static bool is_event(struct json object, struct str list_kind)
{
	struct str kind = json_str(object, "kind");

	return str_is(kind.len ? kind : list_kind, "Event");
}

static bool is_about(struct json event, struct str list_kind, const struct object_id *id)
{
	struct json about = subject_of(event);

	return is_event(event, list_kind) && str_eq(json_str(about, "name"), id->name) &&
	       str_eq(json_str(about, "kind"), id->kind->kind) &&
	       (!id->ns.len || str_eq(json_str(about, "namespace"), id->ns));
}

static int on_object(void *ctx, struct json object, struct str list_kind, struct err *err)
{
	struct search *s = ctx;

	(void)err;
	if (s->f->result.want == WANT_YAML && is_it(object, list_kind, &s->id)) {
		answer_object(s->f, object, s->id.kind);
		s->found = true;
	}
	if (s->f->result.want == WANT_EVENTS && !s->f->result.handle.slot && is_event(object, list_kind) &&
	    str_in_scope(json_str(subject_of(object), "namespace"), s->f->p->query.ns))
		add_event(s->f, object);
	for (size_t i = 0; wants_events(s->f) && i < s->f->nabout; i++) {
		struct object_id id = store_node_id(shown(s->f)->store, s->f->about[i].slot);

		if (is_about(object, list_kind, &id))
			add_event(s->f, object);
	}
	return 0;
}

static bool is_of_source(void *ctx, struct str name)
{
	const struct search *s = ctx;
	bool all = !s->f->result.handle.slot;

	for (size_t i = 0; i < s->f->nabout && !all; i++)
		all = str_eq(name, store_node_id(shown(s->f)->store, s->f->about[i].slot).name);
	return all;
}

/* Takes what is wanted from what the source keeps.  Of recordings that is the object alone: its Events are in no record of it. */
static void ask_kept(struct fetch *f, const struct object_id *id)
{
	static const struct object_ops ops = { on_object };
	const struct program *p = shown_program(f);
	struct search s = { .f = f, .id = *id };

	if (wants_events(f) && f->result.handle.slot && p->source->each_event)
		choose_sources(f);
	if (!wants_events(f))
		p->source->each_object(p, f->result.handle, &ops, &s);
	else if (p->source->each_event)
		p->source->each_event(p, is_of_source, &ops, &s);
	if (wants_events(f)) {
		f->result.more |= p->files_events.failed;
		keep_newest(f);
		show_events(f);
	} else if (!s.found) {
		answer_error(f, str_of(p->source->no_object));
	}
	f->changed = true;
}

/* Takes the logs that the source keeps of a Pod, or of the worst Pods of a workload. */
static void ask_kept_logs(struct fetch *f, const struct object_id *id)
{
	const struct program *p = shown_program(f);
	struct handle pods[LIMIT_LOG_PODS] = { f->result.handle };
	struct file_pod *found = arena_array(&f->arena, LIMIT_LOG_PODS, sizeof(*found));
	struct file_log *logs = arena_array(&f->arena, FILE_LOGS, sizeof(*logs));
	bool one = str_is(id->kind->kind, "Pod");
	size_t n = one ? 1 : graph_parts(shown(f)->graph, f->result.handle, "Pod", pods, LIMIT_LOG_PODS), nlogs;

	n = n < LIMIT_LOG_PODS ? n : LIMIT_LOG_PODS;
	for (size_t i = 0; i < n; i++) {
		struct object_id pod = store_node_id(shown(f)->store, pods[i].slot);

		found[i].ns = pod.ns;
		found[i].name = pod.name;
	}
	nlogs = p->source->logs ? p->source->logs(p, found, n, &f->arena, logs) : 0;
	for (size_t i = 0; i < nlogs && f->building.len < LIMIT_LOG_SHOWN; i++) {
		struct log_source source = logs[i].source;
		size_t from;

		if (!one)
			source.container = ARENA_JOIN(&f->arena, found[logs[i].pod].name, STR(" "), source.container);
		log_heading(&source, logs[i].lines, false, &f->building);
		from = f->building.len;
		log_text(logs[i].text, &f->building);
		redact_log(&f->building, from);
	}
	if (!nlogs) {
		answer_error(f, STR("the files have no log of it, or cannot be read again"));
		return;
	}
	f->result.text = buf_str(&f->building);
	f->result.state = FETCH_OK;
	answered(f);
}

static void begin(struct fetch *f)
{
	struct object_id id = { .cluster = 0 };

	f->question++;
	f->nsources = f->logs_asked = f->nabout = f->about_asked = f->nevents = 0;
	f->cluster = 0;
	f->namespaces = f->p->query.ns;
	f->pages = 0;
	f->result.more = false;
	if (wants_events(f))
		f->events = arena_array(&f->arena, 2 * EVENTS, sizeof(*f->events));
	buf_reset(&f->building);
	if (f->result.handle.slot)
		id = store_node_id(shown(f)->store, f->result.handle.slot);
	if (shown_program(f)->source->asks && f->result.want == WANT_LOGS && !str_is(id.kind->kind, "Pod"))
		f->workload = workload_logs_new(f->p, &f->result);
	else if (shown_program(f)->source->asks)
		ask_cluster(f, &id);
	else if (f->result.want == WANT_LOGS)
		ask_kept_logs(f, &id);
	else
		ask_kept(f, &id);
}

void fetch_want(struct fetch *f, struct handle h, enum want want)
{
	if (f->result.want == want && handle_eq(f->result.handle, h))
		return;
	f->question++;
	f->again = false;
	workload_logs_free(f->workload);
	f->workload = NULL;
	forget_ended(f);
	for (size_t i = 0; i < LOG_SOURCES; i++)
		f->lines[i] = 0;
	buf_reset(&f->text);
	arena_reset(&f->arena);
	arena_reset(&f->before);
	f->result = (struct fetched){ .handle = h, .want = want, .state = FETCH_LOADING };
	if (want == WANT_NOTHING || (!h.slot && want != WANT_EVENTS))
		return;
	begin(f);
}

void fetch_again(struct fetch *f)
{
	if (f->p->source->whole || f->again || f->result.want == WANT_NOTHING || (f->result.state == FETCH_LOADING && !f->workload))
		return;
	if (f->result.handle.slot && !store_alive(shown(f)->store, f->result.handle))
		return;	/* the object does not exist any more: nothing further can be read of it */
	if (f->workload) {
		workload_logs_read(f->workload);
		return;
	}
	f->again = true;
	arena_release(&f->before);
	f->before = f->arena;
	f->arena = (struct arena){ 0 };
	begin(f);
}

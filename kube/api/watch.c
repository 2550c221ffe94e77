/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next request, its answer read into objects, and what follows from it and when.
 */
#include "kube/api/watch.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/api/answer.h"
#include "kube/api/backoff.h"
#include "kube/api/resource_path.h"
#include "kube/base/url.h"
#include "kube/model/framer.h"
#include "kube/model/kind.h"

/* ---- after a failure: the rules of client-go's reflector, where a dashboard has no reason to differ ---- */

enum step {
	STEP_LIST = 1,
	STEP_WATCH = 2,
	STEP_GET = 4,
	STEP_DONE = 8,
	STEP_STREAM = 16	/* a watch that begins with what there is: the streaming list */
};

enum then {
	THEN_SAME,	/* the same request again */
	THEN_LIST,	/* list anew */
	THEN_WHOLE,	/* list anew, in one page: a page's token expired */
	THEN_POLL,	/* list now and then: it cannot be watched */
	THEN_GET	/* the one object, by its name */
};

enum wait {
	WAIT_NOT,	/* once in a row of failures; then as the next */
	WAIT_BACKOFF,
	WAIT_LONG	/* nothing tells when it may succeed: a long time */
};

/* code ERR_NONE and status 0 fit all; the last row of the table does. */
struct watch_rule {
	unsigned steps;
	enum errc code;
	int status;
	bool named;		/* only when one object is asked for by name */
	enum then then;
	enum wait wait;
	enum subscription_state state;
};

enum { STEP_ANY = STEP_LIST | STEP_WATCH | STEP_GET | STEP_STREAM };

static const struct watch_rule after[] = {
	{ STEP_ANY,   ERR_THROTTLED,  0,   false, THEN_SAME,  WAIT_BACKOFF, SUBSCRIPTION_BACKOFF },
	{ STEP_ANY,   ERR_AUTH,       0,   false, THEN_SAME,  WAIT_LONG,    SUBSCRIPTION_BACKOFF },
	{ STEP_LIST,  ERR_GONE,       0,   false, THEN_WHOLE, WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_LIST,  ERR_FORBIDDEN,  0,   true,  THEN_GET,   WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_LIST,  ERR_SERVER,     400, true,  THEN_GET,   WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_LIST,  ERR_SERVER,     405, true,  THEN_GET,   WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_LIST,  ERR_FORBIDDEN,  0,   false, THEN_LIST,  WAIT_LONG,    SUBSCRIPTION_FORBIDDEN },
	{ STEP_GET,   ERR_FORBIDDEN,  0,   false, THEN_LIST,  WAIT_LONG,    SUBSCRIPTION_FORBIDDEN },
	{ STEP_LIST,  ERR_NOT_SERVED, 0,   false, THEN_LIST,  WAIT_LONG,    SUBSCRIPTION_NOT_SERVED },
	{ STEP_LIST,  ERR_SERVER,     405, false, THEN_LIST,  WAIT_LONG,    SUBSCRIPTION_NOT_SERVED },
	{ STEP_WATCH, ERR_GONE,       0,   false, THEN_LIST,  WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_WATCH, ERR_FORBIDDEN,  0,   false, THEN_POLL,  WAIT_NOT,     SUBSCRIPTION_LIVE },
	{ STEP_WATCH, ERR_NOT_SERVED, 0,   false, THEN_POLL,  WAIT_NOT,     SUBSCRIPTION_LIVE },
	{ STEP_WATCH, ERR_SERVER,     400, false, THEN_POLL,  WAIT_NOT,     SUBSCRIPTION_LIVE },
	{ STEP_WATCH, ERR_SERVER,     405, false, THEN_POLL,  WAIT_NOT,     SUBSCRIPTION_LIVE },
	{ STEP_WATCH, ERR_SERVER,     422, false, THEN_POLL,  WAIT_NOT,     SUBSCRIPTION_LIVE },
	/* Whatever is wrong with a streaming list: pages work everywhere. */
	{ STEP_STREAM, ERR_NONE,      0,   false, THEN_LIST,  WAIT_NOT,     SUBSCRIPTION_LISTING },
	{ STEP_ANY,   ERR_NONE,       0,   false, THEN_SAME,  WAIT_BACKOFF, SUBSCRIPTION_BACKOFF },
};

static bool fits(const struct watch_rule *r, enum step step, const struct err *why, bool named)
{
	return (r->steps & step) && (r->code == ERR_NONE || r->code == why->code) &&
	       (!r->status || r->status == why->http_status) && (!r->named || named);
}

/* The first row that fits; there is always one.  named: one object is asked for. */
static const struct watch_rule *rule_for(enum step step, const struct err *why, bool named)
{
	const struct watch_rule *r = after;

	assert(why->code != ERR_NONE && (step & STEP_ANY));
	while (!fits(r, step, why, named))
		r++;
	assert(r < after + sizeof(after) / sizeof(after[0]));
	return r;
}

/* ---- requests: parameters in alphabetical order, as kubectl sends them ------------ */

enum { PAGE = 500 };

struct watch_question {
	const struct subscribe *what;
	enum step step;
	struct str version;	/* to watch from */
	struct str token;	/* of the page, "" for the first one */
	bool whole;		/* a list without pages */
	int64_t seconds;	/* that a watch may last */
};

static void add_number(struct buf *out, const char *key, int64_t n)
{
	struct buf text = { 0 };

	buf_printf(&text, "%lld", (long long)n);
	url_add_query(out, key, buf_str(&text));
	buf_release(&text);
}

static void add_selectors(const struct subscribe *what, struct buf *out)
{
	struct buf text = { 0 };

	if (!str_empty(what->name))
		buf_printf(&text, "metadata.name=" STR_FMT, STR_ARG(what->name));
	if (!str_empty(what->field_selector)) {
		buf_add_cstr(&text, text.len ? "," : "");
		buf_add(&text, what->field_selector);
	}
	url_add_query(out, "fieldSelector", buf_str(&text));
	url_add_query(out, "labelSelector", what->label_selector);
	buf_release(&text);
}

static void add_list(const struct watch_question *q, struct buf *out)
{
	url_add_query(out, "continue", q->token);
	add_selectors(q->what, out);
	if (!q->whole)
		add_number(out, "limit", PAGE);
}

static void add_watch(const struct watch_question *q, struct buf *out)
{
	url_add_query(out, "allowWatchBookmarks", STR("true"));
	add_selectors(q->what, out);
	if (q->step == STEP_STREAM) {
		url_add_query(out, "resourceVersionMatch", STR("NotOlderThan"));
		url_add_query(out, "sendInitialEvents", STR("true"));
	} else {
		url_add_query(out, "resourceVersion", q->version);
	}
	add_number(out, "timeoutSeconds", q->seconds);
	url_add_query(out, "watch", STR("true"));
}

static void question_path(const struct watch_question *q, struct buf *out)
{
	const struct subscribe *what = q->what;
	struct resource_path object = { what->kind, what->version, what->ns,
				     q->step == STEP_GET ? what->name : STR_NONE };

	resource_path_add(out, &object);
	if (q->step == STEP_LIST)
		add_list(q, out);
	else if (q->step != STEP_GET)
		add_watch(q, out);
}

const char *watch_metadata_accept(bool list)
{
	return list ? "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json" :
		      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
}

/* ---- answers: one object is parsed at a time, so that a list of any length needs the memory of one ---- */

enum watch_body {
	READ_LIST,
	READ_EVENTS,
	READ_INITIAL,	/* the same, but all objects come first, reported as a list; its list_end() is called */
	READ_OBJECT	/* one object, reported as a list of one */
};

/* What stands around the items of a page. */
struct watch_page {
	struct buf version, token;
	int64_t remaining;	/* -1 unknown */
};

struct watch_reader {
	const struct watch_ops *ops;
	void *ctx;
	const struct subscribe *what;
	struct framer *list, *stream;
	enum watch_body body;
	bool versions_count;	/* of ADDED events */
	bool initial;		/* events tell what there is, until the marker */
	bool looked;		/* for the token of the page under way */
	int64_t items;
	uint64_t events;
	struct buf *version;
	struct buf token;	/* of the next page, as soon as it is known */
};

static int on_item(void *ctx, struct str piece, struct err *err);
static int on_value(void *ctx, struct str piece, struct err *err);

static struct watch_reader *reader_new(const struct subscribe *what, const struct watch_ops *ops, void *ctx)
{
	static const struct framer_ops items = { .piece = on_item }, values = { .piece = on_value };
	struct watch_reader *r = xcalloc(1, sizeof(*r));

	r->ops = ops;
	r->ctx = ctx;
	r->what = what;
	r->list = framer_new(FRAMER_LIST, &items, r);
	r->stream = framer_new(FRAMER_STREAM, &values, r);
	return r;
}

/* Forgets how many items there were: a list begins. */
static void reader_restart(struct watch_reader *r)
{
	r->items = 0;
}

/*
 * A body begins.  from_version: ADDED events tell of changes; else they tell what
 * there was, in no order, and their versions say nothing.
 */
static void reader_begin(struct watch_reader *r, enum watch_body body, bool from_version)
{
	r->body = body;
	r->versions_count = from_version;
	r->initial = body == READ_INITIAL;
	r->looked = false;
	r->events = 0;
	buf_reset(&r->token);
	framer_reset(r->list);
	framer_reset(r->stream);
}

/* Since the restart. */
static int64_t reader_items(const struct watch_reader *r)
{
	return r->items;
}

/* Since the last begin, also bookmarks. */
static uint64_t reader_events(const struct watch_reader *r)
{
	return r->events;
}

/* An item that cannot be read is reported without its content; where it cannot be named either, as no object. */
static int report_item(struct watch_reader *r, struct str piece, struct err *err)
{
	struct buf reduced = { 0 };
	struct json doc = JSON_NONE;
	int rc = 0;

	if (framer_read(&piece, &reduced, &doc) < 0)
		doc = JSON_NONE;
	if (r->body == READ_OBJECT && (!kind_fits(r->what->kind, doc) || !str_eq(json_str(doc, "metadata.name"), r->what->name)))
		rc = err_set(err, ERR_PROTO, "the answer is not the object that was asked for");
	if (rc == 0) {
		r->items++;
		r->ops->object(r->ctx, OBJECT_LISTED, doc, doc.node ? piece : STR_NONE);
	}
	json_free(doc);
	buf_release(&reduced);
	return rc;
}

/* kube-apiserver writes metadata before items: where the list goes on is known at the first of them. */
static void look_for_token(struct watch_reader *r)
{
	struct buf so_far = { 0 };
	struct json list;
	struct err ignored;

	r->looked = true;
	buf_add(&so_far, framer_envelope(r->list));
	buf_add_cstr(&so_far, "]}");
	if (document_read(buf_str(&so_far), &list, &ignored) == 0) {
		buf_add(&r->token, json_str(list, "metadata.continue"));
		json_free(list);
	}
	buf_release(&so_far);
}

static int on_item(void *ctx, struct str piece, struct err *err)
{
	struct watch_reader *r = ctx;

	if (!r->looked)
		look_for_token(r);
	return report_item(r, piece, err);
}

/* --- events ----------------------------------------------------------------- */

/* Behind the string whose quote stands at open. */
static size_t skip_string(struct str s, size_t open)
{
	size_t i = open + 1;

	for (; i < s.len && s.ptr[i] != '"'; i++)
		if (s.ptr[i] == '\\')
			i++;
	return i + 1;
}

/* At the comma or bracket behind the value that begins at from. */
static size_t skip_value(struct str s, size_t from)
{
	size_t i = from, depth = 0;

	while (i < s.len) {
		char c = s.ptr[i];

		if (c == '"') {
			i = skip_string(s, i);
			continue;
		}
		if (depth == 0 && (c == ',' || c == '}'))
			break;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		i++;
	}
	return i;
}

/* The text of the member "object" of an event that is known to be valid JSON. */
static struct str object_text(struct str event)
{
	size_t at = 0;

	while (at < event.len) {
		size_t open = at + str_find(str_from(event, at), '"');
		size_t close = skip_string(event, open);
		size_t start = close + str_find(str_from(event, close), ':') + 1;

		at = skip_value(event, start);
		if (str_is(str_head(str_from(event, open), close - open), "\"object\""))
			return str_trim(str_head(str_from(event, start), at - start));
	}
	return STR_NONE;
}

static void keep_version(struct watch_reader *r, struct json object)
{
	struct str version = json_str(object, "metadata.resourceVersion");

	if (str_empty(version))
		return;
	buf_reset(r->version);
	buf_add(r->version, version);
}

/* text: the Status object of an ERROR event. */
static int read_failure(struct str text, struct err *err)
{
	static const struct answer answer = { .status = 500 };
	struct json status;

	if (document_read(text, &status, err) < 0)
		return err_context(err, "unable to decode an event from the watch stream");
	answer_status(status, &answer, err);
	json_free(status);
	return -1;
}

static const struct {
	const char *type;
	enum object_event event;
} changes[] = { { "ADDED", OBJECT_ADDED }, { "MODIFIED", OBJECT_MODIFIED }, { "DELETED", OBJECT_DELETED } };

static void report_change(struct watch_reader *r, enum object_event event, struct json object, struct str raw)
{
	if (r->initial && event != OBJECT_DELETED) {
		event = OBJECT_LISTED;
		r->items++;
	}
	r->ops->object(r->ctx, event, object, raw);
}

/* The bookmark behind what there was: from here on the events tell of changes. */
static void end_of_initial(struct watch_reader *r, struct json bookmark)
{
	struct str end = json_str(bookmark, "metadata.annotations['k8s.io/initial-events-end']");

	if (!r->initial || !str_is(end, "true"))
		return;
	assert(r->body == READ_INITIAL);
	r->initial = false;
	r->versions_count = true;
	r->ops->list_end(r->ctx);
}

static int report_event(struct watch_reader *r, struct json doc, struct str piece, struct err *err)
{
	struct str type = json_str(doc, "type");
	struct json object = json_at(doc, "object");
	struct str unread = json_str(json_member(doc, STR(FRAMER_UNREAD)), "");

	/* nobody can say what such an event has changed */
	if (unread.len)
		return err_set(err, ERR_PROTO, "unable to decode an event from the watch stream: " STR_FMT, STR_ARG(unread));
	if (!json_is_object(object))
		return err_set(err, ERR_PROTO, "unable to decode an event from the watch stream: no object");
	if (str_is(type, "ERROR"))
		return read_failure(object_text(piece), err);
	r->events++;
	if (!str_is(type, "ADDED") && !r->initial)
		r->versions_count = true;
	if (r->versions_count || str_is(type, "BOOKMARK"))
		keep_version(r, object);
	if (str_is(type, "BOOKMARK")) {
		end_of_initial(r, object);
		return 0;
	}
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (str_is(type, changes[i].type)) {
			report_change(r, changes[i].event, object, object_text(piece));
			return 0;
		}
	type = str_head(type, 40);
	return err_set(err, ERR_PROTO, "unable to decode an event from the watch stream: invalid type \"" STR_FMT "\"",
		       STR_ARG(type));
}

static int on_value(void *ctx, struct str piece, struct err *err)
{
	struct watch_reader *r = ctx;
	struct buf reduced = { 0 };
	struct json doc;
	int rc;

	if (r->body == READ_OBJECT)
		return report_item(r, piece, err);
	rc = framer_read(&piece, &reduced, &doc);
	if (rc < 0) {
		err_set(err, ERR_PROTO, "unable to decode an event from the watch stream: it is not JSON");
	} else {
		rc = report_event(r, doc, piece, err);
		json_free(doc);
	}
	buf_release(&reduced);
	return rc;
}

/* version: of a watch, is kept up to date.  -1 also after an ERROR event. */
static int reader_feed(struct watch_reader *r, struct str bytes, struct buf *version, struct err *err)
{
	r->version = version;
	return framer_feed(r->body == READ_LIST ? r->list : r->stream, bytes, err);
}

/* The body is complete. */
static int reader_end(struct watch_reader *r, struct err *err)
{
	if (r->body == READ_OBJECT && r->items == 0)
		return err_set(err, ERR_PROTO, "unexpected end of JSON input");
	return framer_end(r->body == READ_LIST ? r->list : r->stream, err);
}

/* Returns true for the name of the lists of that kind: a definition may have called them "Widgetlist" or "WidgetsList". */
static bool names_list(const struct kind *kind, struct str name)
{
	return name.len >= kind->kind.len + 4 && str_eq_nocase(str_from(name, name.len - 4), STR("List")) &&
	       str_eq_nocase(str_head(name, kind->kind.len), kind->kind);
}

/* Returns true for a list of what was asked for: else it would be taken for an empty one. */
static bool is_asked_list(const struct subscribe *what, struct json list)
{
	struct str kind = json_str(list, "kind"), api = json_str(list, "apiVersion"), group = str_head(api, str_find(api, '/'));
	enum json_type items = json_type(json_at(list, "items"));

	if (items != JSON_ARRAY && items != JSON_NULL && items != JSON_ABSENT)
		return false;
	if (str_is(kind, "List"))
		return true;
	if (str_is(kind, "PartialObjectMetadataList"))
		return str_is(group, "meta.k8s.io");
	group = group.len < api.len ? group : STR_NONE;
	return names_list(what->kind, kind) && (!api.len || str_eq(group, what->kind->group));
}

static int read_page(const struct subscribe *what, struct json list, struct watch_page *out, struct err *err)
{
	struct str kind = str_head(json_str(list, "kind"), 80);

	if (answer_is_failure(list))
		return answer_status(list, &(struct answer){ .status = 500 }, err);
	if (!is_asked_list(what, list))
		return err_set(err, ERR_PROTO, "the answer is not a list of " STR_FMT "%s" STR_FMT, STR_ARG(what->kind->plural),
			       kind.len ? ", but a " : "", STR_ARG(kind));
	buf_add(&out->version, json_str(list, "metadata.resourceVersion"));
	buf_add(&out->token, json_str(list, "metadata.continue"));
	out->remaining = json_int(list, "metadata.remainingItemCount", -1);
	return 0;
}

/* The same of a list's page.  The caller releases the buffers. */
static int reader_page(struct watch_reader *r, struct watch_page *out, struct err *err)
{
	struct json list;
	int rc;

	if (framer_end(r->list, err) < 0 || document_read(framer_envelope(r->list), &list, err) < 0)
		return err_context(err, "the list");
	rc = read_page(r->what, list, out, err);
	json_free(list);
	for (size_t i = framer_scalars(r->list); rc == 0 && i > 0; i--)
		r->ops->object(r->ctx, OBJECT_LISTED, JSON_NONE, STR_NONE);
	framer_reset(r->list);
	return rc;
}

/* ---- what comes next --------------------------------------------------------------- */

enum {
	TRIES_FROM_VERSION = 3,	/* of a watch from where it was, then list */
	TRIES_BRIEF = 3,	/* of watches that end at once, then list now and then */
	TRIES_ONCE = 10
};

static const int64_t long_wait = SECONDS(60);
static const int64_t settling = SECONDS(15);	  /* a server that has just come back may refuse what it will allow */
static const int64_t settling_wait = 500;
static const int64_t answer_max = SECONDS(30);	  /* to a watch, unless there is --request-timeout */
static const int64_t list_silence_max = SECONDS(75); /* kube-apiserver ends such a request after 60 s */
static const int64_t short_watch = SECONDS(1);
static const int64_t silence_max = SECONDS(90);	  /* a bookmark comes every 60 s */
static const int64_t marker_max = SECONDS(10);	  /* after the last object of a streaming list; within an event */
static const int64_t renewal_max = SECONDS(5);	  /* of a watch that has ended as it should */
static const int64_t poll_interval = SECONDS(15);

struct watch {
	const struct subscribe *what;
	const struct watch_ops *ops;
	void *ctx;
	struct backoff backoff;
	enum step step;
	enum subscription_state state;
	bool in_flight, can_watch, can_stream, whole, polls, crowded;
	bool answered;		/* a success began to arrive since the request was sent */
	int64_t not_before, began, refused_at;
	int64_t opened;		/* when the watch began to be answered */
	int64_t last_received;  /* a byte of the answer */
	bool throttled;	/* by Retry-After */
	bool refused;	/* 401 */
	int64_t listed, current; /* when the list under way began; up to when all changes are known, 0: nothing is */
	int64_t renewed;	/* when the last watch ended as it should, 0: it did not */
	int64_t failing;	/* since when nothing but failures, 0: not so */
	int64_t settles;	/* until when the server may still refuse what it will allow */
	int64_t timeout;	/* ms, of --request-timeout */
	unsigned failures;	/* in a row; a watch that lived ends it */
	unsigned brief;		/* watches in a row that ended at once, as behind a proxy that does not let them through */
	unsigned at_once;	/* bits of the rules that were followed without a wait since the first of them */
	unsigned broken;	/* watches of those that may have been so for their version */
	struct watch_reader *reader;
	struct buf version;	/* to watch from */
	struct buf token;	/* of the next page */
	struct buf landmark;	/* the token of an earlier page */
	unsigned pages, empty_pages; /* of the list under way; without an object, in a row */
	int64_t items;		/* when the page under way began */
	bool endless;		/* the last list's pages led nowhere */
	struct buf sent_version;
	int64_t remaining;	/* items after this page, -1 unknown */
};

struct watch *watch_new(const struct watch_config *config, const struct watch_ops *ops, void *ctx)
{
	struct watch *w = xcalloc(1, sizeof(*w));

	w->what = config->what;
	w->ops = ops;
	w->ctx = ctx;
	backoff_start(&w->backoff, config->seed);
	w->can_watch = config->can_watch;
	w->can_stream = config->can_stream;
	w->timeout = config->timeout;
	w->polls = !config->can_watch;
	w->step = STEP_LIST;
	w->state = SUBSCRIPTION_IDLE;
	w->remaining = -1;
	w->reader = reader_new(w->what, ops, ctx);
	return w;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	framer_free(w->reader->list);
	framer_free(w->reader->stream);
	buf_release(&w->reader->token);
	xfree(w->reader);
	buf_release(&w->version);
	buf_release(&w->token);
	buf_release(&w->landmark);
	buf_release(&w->sent_version);
	xfree(w);
}

static void change(struct watch *w, enum subscription_state state, const struct err *why)
{
	bool same = w->state == state && !why;

	w->state = state;
	if (!same)
		w->ops->changed(w->ctx, state, why);
}

/* ms without a byte; 0: none.  A list that is read once waits as long as kubectl's, and --request-timeout has its own. */
static int64_t silence_limit(const struct watch *w)
{
	if (!watch_streams(w))
		return w->what->once || w->timeout ? 0 : list_silence_max;
	if (!w->answered)
		return w->timeout ? w->timeout : answer_max;
	/* an event has begun to arrive, and not ended */
	return w->step == STEP_STREAM || framer_within(w->reader->stream) ? marker_max : silence_max;
}

enum watch_next watch_next(const struct watch *w, int64_t now)
{
	if (w->in_flight)
		return silence_limit(w) && now - w->last_received >= silence_limit(w) ? WATCH_CUT : WATCH_WAIT;
	if (w->step == STEP_DONE)
		return WATCH_WAIT;
	return now >= w->not_before ? WATCH_SEND : WATCH_WAIT;
}

int64_t watch_deadline(const struct watch *w)
{
	if (w->in_flight)
		return silence_limit(w) ? w->last_received + silence_limit(w) : 0;
	if (w->step == STEP_DONE)
		return 0;
	return w->not_before > 0 ? w->not_before : 1;
}

bool watch_lists(const struct watch *w)
{
	return w->step == STEP_LIST;
}

bool watch_begins(const struct watch *w)
{
	return w->step == STEP_GET || (w->step == STEP_LIST && w->token.len == 0);
}

bool watch_streams(const struct watch *w)
{
	return w->step == STEP_WATCH || w->step == STEP_STREAM;
}

enum subscription_state watch_state(const struct watch *w)
{
	return w->state;
}

bool watch_is_live(const struct watch *w)
{
	return w->step == STEP_WATCH && w->in_flight && w->answered;
}

static bool has_moved(const struct watch *w)
{
	return !str_eq(buf_str(&w->version), buf_str(&w->sent_version));
}

/*
 * The open watch tells of all changes: after those that failed, or ended at once, only when it has told of one, or was open
 * for a while.
 */
static bool is_proven(const struct watch *w, int64_t now)
{
	return watch_is_live(w) && ((!w->failures && !w->brief) || has_moved(w) || now - w->opened >= short_watch);
}

static bool is_polled(const struct watch *w, int64_t now)
{
	return (w->polls && !is_proven(w, now)) || w->crowded || w->step == STEP_GET || w->step == STEP_DONE;
}

static enum freshness freshness_of(const struct watch *w, int64_t now)
{
	if (w->state == SUBSCRIPTION_FORBIDDEN || w->state == SUBSCRIPTION_NOT_SERVED)
		return FRESH_REFUSED;
	if (!w->current)
		return FRESH_LISTING;
	if (is_polled(w, now))
		return w->state == SUBSCRIPTION_LIVE ? FRESH_POLLED : FRESH_RECONNECTING;
	if (watch_is_live(w))
		return is_proven(w, now) ? FRESH_WATCHED : FRESH_RECONNECTING;
	return w->renewed && now - w->renewed < renewal_max ? FRESH_WATCHED : FRESH_RECONNECTING;
}

struct subscription_freshness watch_freshness(const struct watch *w, int64_t now)
{
	return (struct subscription_freshness){ freshness_of(w, now), is_proven(w, now) ? w->last_received : w->current };
}

bool watch_waits_for_retry(const struct watch *w)
{
	return w->state == SUBSCRIPTION_BACKOFF && !w->in_flight;
}

bool watch_is_refused(const struct watch *w)
{
	return w->refused;
}

void watch_progress(const struct watch *w, int64_t *out_have, int64_t *out_total)
{
	*out_have = reader_items(w->reader);
	if (w->step == STEP_STREAM)
		*out_total = w->remaining;
	else
		*out_total = w->remaining < 0 ? -1 : *out_have + w->remaining;
}

static struct watch_question next_question(const struct watch *w)
{
	return (struct watch_question){ .what = w->what, .step = w->step, .version = buf_str(&w->version),
					.token = buf_str(&w->token), .whole = w->whole };
}

const char *watch_accept(const struct watch *w)
{
	struct watch_question q = next_question(w);

	if (!q.what->metadata_only)
		return "application/json";
	return watch_metadata_accept(q.step == STEP_LIST);
}

void watch_path(struct watch *w, struct buf *out)
{
	struct watch_question q = next_question(w);

	if (watch_streams(w))
		q.seconds = 300 + backoff_jitter(&w->backoff, 301);
	question_path(&q, out);
}

/* A list that is long is asked for as a stream, where the server has that. */
static bool may_stream(const struct watch *w)
{
	return w->can_stream && w->can_watch && !w->polls && !w->crowded && !w->what->once;
}

bool watch_next_page_path(const struct watch *w, struct buf *out)
{
	struct watch_question q = next_question(w);

	/* of the page under way, when its metadata came before its items: where the list goes on; else "" */
	q.token = buf_str(&w->reader->token);
	if (w->step != STEP_LIST || !w->in_flight || !w->answered || may_stream(w) || str_empty(q.token) ||
	    str_eq(q.token, buf_str(&w->token)))
		return false;
	question_path(&q, out);
	return true;
}

void watch_sent(struct watch *w, int64_t now)
{
	assert(w->step != STEP_DONE);
	w->in_flight = true;
	w->answered = false;
	w->began = w->last_received = now;
	if (w->step == STEP_WATCH) {
		buf_reset(&w->sent_version);
		buf_add(&w->sent_version, buf_str(&w->version));
	} else if (w->state != SUBSCRIPTION_LIVE) {
		change(w, SUBSCRIPTION_LISTING, NULL);
	}
}

static enum watch_body body_of(enum step step)
{
	return step == STEP_GET ? READ_OBJECT : step == STEP_STREAM ? READ_INITIAL : READ_LIST;
}

void watch_answered(struct watch *w, int64_t now)
{
	assert(w->in_flight);
	w->answered = true;
	w->refused = false;
	w->failing = 0;
	w->last_received = now;
	w->opened = now;
	if (w->step == STEP_WATCH) {
		w->polls &= w->brief > 0;
		w->renewed = 0;
		reader_begin(w->reader, READ_EVENTS, !str_empty(buf_str(&w->sent_version)));
		change(w, SUBSCRIPTION_LIVE, NULL);
		return;
	}
	if (str_empty(buf_str(&w->token))) {
		reader_restart(w->reader);
		w->listed = now;
		w->pages = w->empty_pages = 0;
		buf_reset(&w->landmark);
		w->ops->list_begin(w->ctx);
	}
	w->items = reader_items(w->reader);
	reader_begin(w->reader, body_of(w->step), false);
}

/* All of the list has come, and its stream goes on as a watch. */
static void caught_up(struct watch *w)
{
	assert(w->step == STEP_STREAM);
	w->step = STEP_WATCH;
	w->current = w->opened = w->last_received;
	w->remaining = 0;
	buf_reset(&w->sent_version);
	buf_add(&w->sent_version, buf_str(&w->version));
	change(w, SUBSCRIPTION_LIVE, NULL);
}

/* Up to its last byte the watch has told of all changes, if it works. */
static void note_life(struct watch *w, int64_t now)
{
	if (!is_proven(w, now))
		return;
	w->current = w->last_received;
	w->polls = false;
	w->brief = 0;
}

int watch_feed(struct watch *w, struct str bytes, int64_t now, struct err *err)
{
	assert(w->in_flight && w->answered);
	w->last_received = now;
	if (reader_feed(w->reader, bytes, &w->version, err) < 0)
		return -1;
	/* the marker behind what there is has not come yet */
	if (w->step == STEP_STREAM && !w->reader->initial)
		caught_up(w);
	note_life(w, now);
	if (w->step == STEP_WATCH && reader_events(w->reader) > 0)
		w->failures = w->broken = 0;
	return 0;
}

/* --- ends ------------------------------------------------------------------- */

static void list_anew(struct watch *w, bool whole)
{
	w->step = STEP_LIST;
	w->broken = 0;
	w->whole = whole;
	w->remaining = -1;
	buf_reset(&w->token);
}

static void poll_later(struct watch *w, int64_t now)
{
	w->failures = 0;
	w->not_before = now + poll_interval + (w->crowded ? 0 : backoff_jitter(&w->backoff, poll_interval / 3));
	if (w->step != STEP_GET)
		list_anew(w, false);
}

/* All objects have been reported. */
static void list_complete(struct watch *w, int64_t now)
{
	bool may_watch = w->can_watch && !w->crowded && w->step != STEP_GET;

	assert(w->step == STEP_LIST || w->step == STEP_GET);
	w->remaining = 0;
	w->current = w->listed;
	w->renewed = w->failures || w->brief ? 0 : now;
	w->endless = false;
	buf_reset(&w->token);
	w->ops->list_end(w->ctx);
	change(w, SUBSCRIPTION_LIVE, NULL);
	if (w->what->once)
		w->step = STEP_DONE;
	else if (!may_watch || (w->polls && now - w->refused_at < long_wait))
		poll_later(w, now);
	else
		w->step = STEP_WATCH;
}

/* The first page was only the beginning: the server has less to do when it streams all of it. */
static void stream_instead(struct watch *w)
{
	w->step = STEP_STREAM;
	if (w->remaining >= 0)
		w->remaining += reader_items(w->reader);
	buf_reset(&w->token);
}

/*
 * -1 where the pages lead nowhere: the token of the next one was there before, or there are too many.  The landmark is
 * set anew at pages 1, 2, 4, 8 and so on: tokens that go round in a circle meet it (Brent).
 */
static int follow_token(struct watch *w, struct str token, struct err *err)
{
	w->pages++;
	w->empty_pages = reader_items(w->reader) > w->items ? 0 : w->empty_pages + 1;
	w->endless = true;
	if (str_eq(token, buf_str(&w->token)) || str_eq(token, buf_str(&w->landmark)))
		return err_set(err, ERR_PROTO, "the server's continue token leads to the same page again and again");
	if (w->empty_pages >= LIMIT_EMPTY_PAGES)
		return err_set(err, ERR_PROTO, "%u pages of the list one after the other have no object, and there are more",
			       w->empty_pages);
	if (w->pages >= LIMIT_LIST_PAGES)
		return err_set(err, ERR_PROTO, "the list has more than %u pages", w->pages);
	w->endless = false;
	if ((w->pages & (w->pages - 1)) == 0) {
		buf_reset(&w->landmark);
		buf_add(&w->landmark, token);
	}
	return 0;
}

static int page_complete(struct watch *w, int64_t now, struct err *err)
{
	struct watch_page page = { 0 };
	int rc = 0;

	if (reader_page(w->reader, &page, err) < 0)
		return -1;
	if (str_empty(buf_str(&w->token))) {
		buf_reset(&w->version);
		buf_add(&w->version, buf_str(&page.version));
	}
	if (page.token.len)
		rc = follow_token(w, buf_str(&page.token), err);
	if (rc < 0)
		buf_reset(&page.token);
	buf_reset(&w->token);
	buf_add(&w->token, buf_str(&page.token));
	w->remaining = page.remaining;
	if (rc == 0 && !page.token.len)
		list_complete(w, now);
	else if (rc == 0 && may_stream(w))
		stream_instead(w);
	buf_release(&page.version);
	buf_release(&page.token);
	return rc;
}

/* Somebody between here and the server lets no watch through: it is asked for again as seldom as one that is refused. */
static void poll_after_brief(struct watch *w, int64_t now)
{
	struct err why = { 0 };

	err_set(&why, ERR_PROTO, "the server, or a proxy before it, ends each watch at once");
	w->polls = true;
	w->refused_at = now;
	poll_later(w, now);
	change(w, SUBSCRIPTION_LIVE, &why);
}

/* A watch that ended at once without an event is not sent again at once. */
static void end_briefly(struct watch *w, int64_t now)
{
	bool had_events = reader_events(w->reader) > 0;

	w->brief++;
	if (w->brief >= TRIES_BRIEF) {
		poll_after_brief(w, now);
		return;
	}
	w->not_before = now + backoff_next(&w->backoff, now);
	change(w, SUBSCRIPTION_BACKOFF, NULL);
	if (!had_events)
		list_anew(w, false);
}

static int stream_complete(struct watch *w, int64_t now, struct err *err)
{
	if (reader_end(w->reader, err) < 0)
		return -1;
	if (now - w->opened < short_watch && !has_moved(w)) {
		end_briefly(w, now);
	} else {
		w->current = w->renewed = now;
		w->failures = w->broken = w->brief = 0;
		w->polls = false;
	}
	if (w->step == STEP_WATCH && str_empty(buf_str(&w->version)))
		list_anew(w, false);
	return 0;
}

static int complete(struct watch *w, int64_t now, struct err *err)
{
	if (w->step == STEP_LIST)
		return page_complete(w, now, err);
	if (w->step == STEP_WATCH)
		return stream_complete(w, now, err);
	if (w->step == STEP_STREAM)
		return err_set(err, ERR_PROTO, "the streaming list ended too early");
	if (reader_end(w->reader, err) < 0)
		return -1;
	list_complete(w, now);
	return 0;
}

/* While nobody answers, its version is not to blame. */
static bool blame_version(struct watch *w, const struct err *why)
{
	if (w->step == STEP_WATCH && (w->answered || why->code != ERR_NET))
		w->broken++;
	return w->broken > TRIES_FROM_VERSION;
}

static void go(struct watch *w, enum then then, const struct err *why, int64_t now)
{
	if (w->step == STEP_STREAM && then != THEN_SAME && (why->code != ERR_NET || w->failures > 1))
		w->can_stream = false;
	switch (then) {
	case THEN_SAME:
		if (blame_version(w, why))
			list_anew(w, false);
		break;
	case THEN_LIST:
	case THEN_WHOLE:
		list_anew(w, then == THEN_WHOLE);
		break;
	case THEN_POLL:
		w->polls = true;	/* briefly at first: a server that has just begun knows no rights */
		w->refused_at = now - w->refused_at > 2 * long_wait ? now - long_wait + poll_interval : now;
		list_anew(w, false);
		break;
	case THEN_GET:
		list_anew(w, false);
		w->step = STEP_GET;
		break;
	}
}

static bool goes_at_once(struct watch *w, const struct watch_rule *r)
{
	unsigned bit = 1u << (r - after);

	assert(w->failures > 0);
	if (w->failures == 1)
		w->at_once = 0;
	if (r->wait != WAIT_NOT || (w->at_once & bit))
		return false;
	w->at_once |= bit;
	return true;
}

/* A one-shot list follows kubectl: again only when the server says when, or the line broke. */
static void failed_once(struct watch *w, const struct watch_rule *r, const struct err *why, int64_t retry_in, int64_t now)
{
	if (goes_at_once(w, r)) {
		go(w, r->then, why, now);
	} else if (retry_in >= 0 && w->failures <= TRIES_ONCE && !(w->timeout && retry_in > w->timeout)) {
		w->not_before = now + retry_in;
		change(w, SUBSCRIPTION_BACKOFF, why);
	} else {
		w->step = STEP_DONE;
		change(w, r->wait == WAIT_LONG && r->state != SUBSCRIPTION_BACKOFF ? r->state : SUBSCRIPTION_FAILED,
		       why);
	}
}

static int64_t wait_after(struct watch *w, const struct err *why, int64_t retry_in, int64_t now)
{
	const struct watch_rule *r = rule_for(w->step, why, !str_empty(w->what->name));
	int64_t wait;

	if (r->wait == WAIT_LONG || w->endless)
		return long_wait + backoff_jitter(&w->backoff, long_wait / 4);
	if (goes_at_once(w, r))
		return 0;
	wait = backoff_next(&w->backoff, now);
	return wait > retry_in ? wait : retry_in;
}

/* Of a server that has just come back Retry-After is enough: its storage opens one kind after the other. */
static void wait_until_settled(struct watch *w, const struct err *why, int64_t retry_in, int64_t now)
{
	int64_t wait = retry_in > settling_wait ? retry_in : settling_wait;

	w->not_before = now + wait + backoff_jitter(&w->backoff, settling_wait);
	if (w->step == STEP_STREAM)
		list_anew(w, false);
	change(w, SUBSCRIPTION_BACKOFF, why);
}

static void failed(struct watch *w, const struct err *why, int64_t retry_in, int64_t now)
{
	const struct watch_rule *r = rule_for(w->step, why, !str_empty(w->what->name));

	/* One object that is asked for by GET and is not there: an empty list. */
	if (w->step == STEP_GET && why->code == ERR_NOT_SERVED) {
		reader_restart(w->reader);
		w->ops->list_begin(w->ctx);
		list_complete(w, now);
		return;
	}
	/* A watch that was open as long as others wait for their next list ends a row of failures, however it ended. */
	if (w->step == STEP_WATCH && w->answered && now - w->began >= poll_interval)
		w->failures = 0;
	w->failures++;
	if (!w->failing)
		w->failing = now;
	if (w->what->once) {
		failed_once(w, r, why, retry_in, now);
		return;
	}
	if (retry_in < SECONDS(why->retry_after))
		retry_in = SECONDS(why->retry_after);
	/* What was read before will be allowed again, and served. */
	if (now < w->settles && w->current && why->code != ERR_GONE && why->code != ERR_AUTH) {
		wait_until_settled(w, why, retry_in, now);
		return;
	}
	w->not_before = now + wait_after(w, why, retry_in, now);
	go(w, r->then, why, now);
	change(w, r->state, why);
}

void watch_ended(struct watch *w, const struct err *why, int64_t retry_in, int64_t now)
{
	struct err err = { 0 };

	assert(w->step != STEP_DONE);
	if (why || now - w->opened >= short_watch)
		note_life(w, now);
	w->in_flight = false;
	w->not_before = 0;
	w->throttled = why && why->retry_after > 0;
	w->refused = why && why->code == ERR_AUTH;
	w->renewed = 0;
	if (!why && complete(w, now, &err) < 0)
		why = &err;
	if (why)
		failed(w, why, retry_in, now);
}

bool watch_cut(struct watch *w, int64_t now)
{
	struct err why = { 0 };

	if (!w->answered || !watch_streams(w)) {
		err_set(&why, ERR_NET, "the server did not answer within %lld s", (long long)(silence_limit(w) / 1000));
		watch_ended(w, &why, -1, now);
		return true;
	}
	assert(w->in_flight);
	note_life(w, now);
	w->in_flight = false;
	w->not_before = now;
	w->renewed = w->step == STEP_WATCH ? now : 0;
	if (w->step == STEP_STREAM) {
		w->can_stream = false;
		list_anew(w, false);
	}
	return false;
}

void watch_repeat(struct watch *w, int64_t now)
{
	w->in_flight = false;
	w->not_before = now;
}

void watch_wake(struct watch *w, int64_t now)
{
	if (w->in_flight || w->throttled || w->state == SUBSCRIPTION_LIVE)
		return;
	w->not_before = now;
	backoff_reset(&w->backoff);
}

bool watch_server_back(struct watch *w, int64_t before, int64_t at)
{
	if (!w->failing || w->failing < before || w->step == STEP_DONE)
		return false;
	w->settles = at + settling;
	backoff_reset(&w->backoff);
	if (w->in_flight || w->throttled)
		return false;
	if (at < w->not_before)
		w->not_before = at;
	return true;
}

void watch_settled(struct watch *w)
{
	w->settles = 0;
}

void watch_clock_back(struct watch *w, int64_t by)
{
	int64_t *const times[] = { &w->not_before, &w->began, &w->opened, &w->refused_at, &w->last_received, &w->listed,
				   &w->current, &w->renewed, &w->failing, &w->settles };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (*times[i] > by)
			*times[i] -= by;
}

void watch_poll(struct watch *w, int64_t now)
{
	note_life(w, now);
	w->crowded = true;
	w->in_flight = false;
	w->renewed = 0;
	if (w->step == STEP_STREAM)
		list_anew(w, false);
	else if (w->step == STEP_WATCH)
		poll_later(w, now);
}

bool watch_wants_room(const struct watch *w)
{
	return w->crowded && !w->polls && !w->in_flight && w->step == STEP_LIST && w->state == SUBSCRIPTION_LIVE &&
	       !str_empty(buf_str(&w->version));
}

void watch_resume(struct watch *w, int64_t now)
{
	assert(w->crowded && !w->in_flight && w->can_watch);
	w->crowded = false;
	w->step = STEP_WATCH;
	w->not_before = now;
	w->renewed = w->current;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Parses one object at a time, so that a list of any length needs the memory of one. */
#include "kube/api/watch_read.h"

#include "kube/base/alloc.h"
#include "kube/api/answer.h"
#include "kube/model/framer.h"

#include <string.h>

struct watch_reader {
	const struct watch_ops *ops;
	void *ctx;
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

struct watch_reader *watch_reader_new(const struct watch_ops *ops, void *ctx)
{
	static const struct framer_ops items = { .piece = on_item }, values = { .piece = on_value };
	struct watch_reader *r = xcalloc(1, sizeof(*r));

	r->ops = ops;
	r->ctx = ctx;
	r->list = framer_new(FRAMER_LIST, &items, r);
	r->stream = framer_new(FRAMER_STREAM, &values, r);
	return r;
}

void watch_reader_free(struct watch_reader *r)
{
	framer_free(r->list);
	framer_free(r->stream);
	buf_release(&r->token);
	xfree(r);
}

void watch_reader_restart(struct watch_reader *r)
{
	r->items = 0;
}

void watch_reader_begin(struct watch_reader *r, enum watch_body body, bool from_version)
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

int64_t watch_reader_items(const struct watch_reader *r)
{
	return r->items;
}

uint64_t watch_reader_events(const struct watch_reader *r)
{
	return r->events;
}

static int tell_item(struct watch_reader *r, struct str piece, struct err *err)
{
	struct json doc;

	if (json_parse(piece, &doc, err) < 0)
		return err_context(err, "an object of the list");
	r->items++;
	r->ops->object(r->ctx, OBJECT_LISTED, doc, piece);
	json_free(doc);
	return 0;
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
	if (json_parse(buf_str(&so_far), &list, &ignored) == 0) {
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
	return tell_item(r, piece, err);
}

struct str watch_reader_token(const struct watch_reader *r)
{
	return buf_str(&r->token);
}

bool watch_reader_initial(const struct watch_reader *r)
{
	return r->initial;
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

static int told_failure(struct json object, struct err *err)
{
	static const struct answer answer = { .status = 500 };

	return answer_status(object, &answer, err);
}

static const struct {
	const char *type;
	enum object_event event;
} changes[] = { { "ADDED", OBJECT_ADDED }, { "MODIFIED", OBJECT_MODIFIED }, { "DELETED", OBJECT_DELETED } };

static void tell_change(struct watch_reader *r, enum object_event event, struct json object, struct str raw)
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
	r->initial = false;
	r->versions_count = true;
	r->ops->list_end(r->ctx);
}

static int tell_event(struct watch_reader *r, struct json doc, struct str piece, struct err *err)
{
	struct str type = json_str(doc, "type");
	struct json object = json_at(doc, "object");

	if (!json_is_object(object))
		return err_set(err, ERR_PROTO, "unable to decode an event from the watch stream: no object");
	if (str_is(type, "ERROR"))
		return told_failure(object, err);
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
			tell_change(r, changes[i].event, object, object_text(piece));
			return 0;
		}
	return err_set(err, ERR_PROTO, "unable to decode an event from the watch stream: invalid type \"" STR_FMT "\"",
		       STR_ARG(str_head(type, 40)));
}

static int on_value(void *ctx, struct str piece, struct err *err)
{
	struct watch_reader *r = ctx;
	struct json doc;
	int rc;

	if (r->body == READ_OBJECT)
		return tell_item(r, piece, err);
	if (json_parse(piece, &doc, err) < 0)
		return err_context(err, "unable to decode an event from the watch stream");
	rc = tell_event(r, doc, piece, err);
	json_free(doc);
	return rc;
}

int watch_reader_feed(struct watch_reader *r, struct str bytes, struct buf *version, struct err *err)
{
	r->version = version;
	return framer_feed(r->body == READ_LIST ? r->list : r->stream, bytes, err);
}

int watch_reader_end(struct watch_reader *r, struct err *err)
{
	if (r->body == READ_OBJECT && r->items == 0)
		return err_set(err, ERR_PROTO, "unexpected end of JSON input");
	return framer_end(r->body == READ_LIST ? r->list : r->stream, err);
}

static int read_page(struct json list, struct watch_page *out, struct err *err)
{
	if (answer_is_failure(list))
		return told_failure(list, err);
	if (!str_ends(json_str(list, "kind"), "List") && !json_is_array(json_at(list, "items")))
		return err_set(err, ERR_PROTO, "the answer is not a list");
	buf_add(&out->version, json_str(list, "metadata.resourceVersion"));
	buf_add(&out->token, json_str(list, "metadata.continue"));
	out->remaining = json_int(list, "metadata.remainingItemCount", -1);
	return 0;
}

int watch_reader_page(struct watch_reader *r, struct watch_page *out, struct err *err)
{
	struct json list;
	int rc;

	if (framer_end(r->list, err) < 0 || json_parse(framer_envelope(r->list), &list, err) < 0)
		return err_context(err, "the list");
	rc = read_page(list, out, err);
	json_free(list);
	framer_reset(r->list);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/history_source.h"

#include "kube/base/alloc.h"
#include "kube/base/arena.h"
#include "kube/base/limits.h"
#include "kube/base/system.h"
#include "kube/model/document.h"
#include "plugin/record/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK MIB(4)	/* the bytes of one request */
enum { IN_FLIGHT = 4 };	/* the most requests for one part at a time */
/* The beginning of a segment has the header of the recording, which a part from later on needs, too. */
#define HEADER KIB(128)
enum { PARTS = 3 };	/* the parts that are kept */

/* A part of a segment that was asked for: a file without a name that has its bytes at their place, and nothing before. */
struct part {
	struct history_source *source;
	char *segment;
	off_t size;		/* the size of the segment, as the index had it */
	off_t from, to;
	bool grows;		/* the part goes on to the end of the segment, which may be farther than the index says */
	off_t next;		/* the next byte to ask for */
	unsigned pending;	/* requests without an answer */
	bool ended;		/* the end of the segment was met */
	int fd;
	char path[40];
	struct err why;		/* why it cannot be read */
	uint64_t used;
};

/* A segment that cannot be read, as large as it was then. */
struct left_out {
	char *segment, *why;
	off_t size;
};

struct history_source {
	char *name, *dir;	/* dir: NULL for a service */
	char *base;		/* of a service: the path before the names of its files */
	struct live *live;	/* borrowed; NULL: nobody is asked */
	uint16_t cluster;	/* the cluster that is asked for the service */
	bool found;		/* the service has answered there: no other cluster is asked any more */
	struct segments segments;
	enum { LIST_UNKNOWN, LIST_ASKED, LIST_REFUSED, LIST_KNOWN, LIST_FAILED } list;
	struct err refused;	/* why the cluster that was asked last has not answered */
	struct err why;		/* why there is no list */
	struct left_out *left_out;
	size_t nleft_out;
	struct part *parts[PARTS];
	uint64_t used, taken;
	char *path;
};

/* ---- what it is ------------------------------------------------------------------- */

static bool is_label(struct str s)
{
	enum { LABEL = 63 };

	for (size_t i = 0; i < s.len; i++)
		if (!((s.ptr[i] >= 'a' && s.ptr[i] <= 'z') || (s.ptr[i] >= '0' && s.ptr[i] <= '9') || (s.ptr[i] == '-' && i && i + 1 < s.len)))
			return false;
	return s.len && s.len <= LABEL;
}

/* Returns true for NAMESPACE/SERVICE[:PORT], with the path of the service behind the API server. */
static bool read_service(const char *name, struct buf *out_path)
{
	struct str ns, service, rest = str_of(name), port = STR_NONE;
	size_t slash = str_find(rest, '/'), colon;

	if (slash == rest.len)
		return false;
	ns = str_head(rest, slash);
	service = str_from(rest, slash + 1);
	colon = str_find(service, ':');
	if (colon < service.len) {
		port = str_from(service, colon + 1);
		service = str_head(service, colon);
		if (!is_label(port))
			return false;
	}
	if (!is_label(ns) || !is_label(service))
		return false;
	buf_printf(out_path, "/api/v1/namespaces/" STR_FMT "/services/" STR_FMT "%s" STR_FMT "/proxy/", STR_ARG(ns), STR_ARG(service),
		   port.len ? ":" : "", STR_ARG(port));
	return true;
}

struct history_source *history_source_new(const char *name, struct err *err)
{
	struct history_source *s = xcalloc(1, sizeof(*s));
	struct buf base = { 0 };
	struct stat st;

	s->name = xstrdup(name);
	if (stat(name, &st) < 0 && read_service(name, &base)) {
		s->base = xstrdup(buf_cstr(&base));
		buf_release(&base);
		return s;
	}
	buf_release(&base);
	s->dir = xstrdup(name);
	if (segments_directory(name, err) == 0)
		return s;
	history_source_free(s);
	return NULL;
}

static void part_free(struct part *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	xfree(p->segment);
	xfree(p);
}

void history_source_free(struct history_source *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < PARTS; i++)
		part_free(s->parts[i]);
	for (size_t i = 0; i < s->nleft_out; i++) {
		xfree(s->left_out[i].segment);
		xfree(s->left_out[i].why);
	}
	xfree(s->left_out);
	segments_release(&s->segments);
	xfree(s->name);
	xfree(s->dir);
	xfree(s->base);
	xfree(s->path);
	xfree(s);
}

bool history_source_is_service(const struct history_source *s)
{
	return s->base != NULL;
}

void history_source_ask(struct history_source *s, struct live *live)
{
	s->live = live;
}

struct str history_source_context(const struct history_source *s)
{
	size_t n;
	const struct str *contexts = s->live && s->found ? live_used_contexts(s->live, &n) : NULL;

	return contexts ? contexts[s->cluster] : STR_NONE;
}

bool history_source_may_have(const struct history_source *s, struct live *live, struct str recorded)
{
	struct str found = history_source_context(s);
	size_t n;
	const struct str *contexts = live_used_contexts(live, &n);
	bool agrees = !recorded.len || !live_context(live).len || str_eq(recorded, live_context(live));

	for (size_t i = 0; i < n && !agrees; i++)
		agrees = str_eq(recorded, contexts[i]) && (!found.len || str_eq(found, recorded));
	return agrees;
}

const char *history_source_called(const struct history_source *s)
{
	return s->name;
}

struct str history_source_name(const struct history_source *s)
{
	struct str path = str_of(s->name), name;

	if (s->base)
		return path;
	while (path.len > 1 && str_ends(path, "/"))
		path = str_head(path, path.len - 1);
	name = path;
	for (size_t i = 0; i + 1 < path.len; i++)
		if (path.ptr[i] == '/')
			name = str_from(path, i + 1);
	return name;
}

/* ---- its list --------------------------------------------------------------------- */

static enum errc code_of(int http_status)
{
	enum { FORBIDDEN = 403, NOT_FOUND = 404 };

	return http_status == FORBIDDEN ? ERR_FORBIDDEN : http_status == NOT_FOUND ? ERR_NOT_SERVED : ERR_SERVER;
}

/* Sets why a request was refused, in one line. */
static void refusal(int http_status, struct str body, const struct err *err, struct err *out)
{
	struct json doc = JSON_NONE;
	struct str message = STR_NONE;

	if (!err && document_read(body, &doc, &(struct err){ 0 }) == 0)
		message = json_str(doc, "message");
	if (err) {
		*out = *err;
	} else if (message.len) {
		err_set(out, code_of(http_status), STR_FMT, STR_ARG(message));
	} else {
		err_set(out, code_of(http_status), "its web server answers with %d", http_status);
	}
	json_free(doc);
}

void history_source_leave_out(struct history_source *s, size_t i, const char *why)
{
	const struct segment *one = &s->segments.all[i];

	s->left_out = xreallocarray(s->left_out, s->nleft_out + 1, sizeof(*s->left_out));
	s->left_out[s->nleft_out++] = (struct left_out){ xstrdup(one->name), xstrdup(why), one->size };
	segments_leave_out(&s->segments, i, why);
}

bool history_source_lacks(const struct err *err)
{
	return err->code == ERR_INPUT || err->code == ERR_PROTO || err->code == ERR_SYSTEM || err->code == ERR_NOT_SERVED ||
	       err->code == ERR_FORBIDDEN;
}

/* Takes over a list of the segments, without those that could not be read. */
static void take_list(struct history_source *s, const struct segments *found)
{
	segments_release(&s->segments);
	s->segments = *found;
	s->list = LIST_KNOWN;
	for (size_t k = 0; k < s->nleft_out; k++)
		for (size_t i = s->segments.n; i-- > 0;)
			if (strcmp(s->segments.all[i].name, s->left_out[k].segment) == 0 && s->segments.all[i].size == s->left_out[k].size)
				segments_leave_out(&s->segments, i, s->left_out[k].why);
}

static void on_index(void *ctx, int http_status, struct str body, const struct err *err)
{
	struct history_source *s = ctx;
	struct segments found;

	s->list = LIST_REFUSED;
	if (err || http_status != 200) {
		refusal(http_status, body, err, &s->refused);
	} else if (segments_read_index(&found, body, &s->refused) == 0) {
		take_list(s, &found);
		s->found = true;
	}
}

static void ask_index(struct history_source *s)
{
	struct buf path = { 0 };

	buf_printf(&path, "%s" SEGMENTS_INDEX, s->base);
	s->list = LIST_ASKED;
	session_get_text(live_session(s->live, s->cluster), buf_cstr(&path), on_index, s);
	buf_release(&path);
}

/*
 * The service did not answer in the cluster that was asked: asks the next one, unless it was found before.  What is told
 * when it answers in none is the first refusal that says more than that it does not exist there.
 */
static void look_in_next_cluster(struct history_source *s)
{
	size_t n;
	const struct str *contexts = live_used_contexts(s->live, &n);

	if (n > 1)
		err_context(&s->refused, "context \"" STR_FMT "\"", STR_ARG(contexts[s->cluster]));
	if (s->found || s->cluster == 0 || (s->why.code == ERR_NOT_SERVED && s->refused.code != ERR_NOT_SERVED))
		s->why = s->refused;
	s->list = LIST_FAILED;
	if (s->found)
		return;
	s->cluster = s->cluster + 1u < n ? s->cluster + 1 : 0;
	if (s->cluster)
		ask_index(s);
}

static void scan_again(struct history_source *s)
{
	struct segments found;

	s->list = LIST_FAILED;
	if (segments_scan(&found, s->dir, &s->why) == 0)
		take_list(s, &found);
}

void history_source_look_again(struct history_source *s)
{
	if (s->list != LIST_ASKED)
		s->list = LIST_UNKNOWN;
}

int history_source_list(struct history_source *s, const struct segments **out, struct err *err)
{
	*out = &s->segments;
	if (s->list == LIST_UNKNOWN && s->dir)
		scan_again(s);
	else if (s->list == LIST_UNKNOWN && s->live)
		ask_index(s);
	else if (s->list == LIST_REFUSED)
		look_in_next_cluster(s);
	if (s->list == LIST_KNOWN)
		return 0;
	if (s->list != LIST_FAILED)
		return 1;
	*err = s->why;
	return -1;
}

/* ---- parts of a segment -------------------------------------------------------------- */

/* One request for bytes of a part. */
struct asked {
	struct part *part;
	off_t at;
	size_t n;
};

static bool is_complete(const struct part *p)
{
	return !p->pending && (p->ended || (p->next >= p->to && !p->grows));
}

/* Writes bytes at their place in the file.  Returns -1 with err. */
static int write_at(int fd, struct str bytes, off_t at, struct err *err)
{
	while (bytes.len) {
		ssize_t n = pwrite(fd, bytes.ptr, bytes.len, at);

		if (n < 0 && errno != EINTR)
			return err_set(err, ERR_SYSTEM, "keep a part of the history: %s", strerror(errno));
		if (n > 0) {
			bytes = str_from(bytes, (size_t)n);
			at += n;
		}
	}
	return 0;
}

static void ask_more(struct part *p);

static void take_bytes(struct asked *a, int http_status, struct str body, const struct err *err)
{
	enum { BEYOND = 416 };
	struct part *p = a->part;
	off_t end = a->at + (off_t)body.len;
	bool beyond = http_status == BEYOND, shorter = beyond || body.len < a->n;
	off_t has = beyond ? a->at : end;

	if (!beyond && (err || (http_status != 200 && http_status != 206))) {
		refusal(http_status, body, err, &p->why);
	} else if (shorter && has < p->to) {
		err_set(&p->why, ERR_PROTO, "its web server has less of a segment than its " SEGMENTS_INDEX " says");
	} else {
		p->ended |= shorter;
		if (!beyond)
			write_at(p->fd, body, a->at, &p->why);
	}
}

static void on_bytes(void *ctx, int http_status, struct str body, const struct err *err)
{
	struct asked *a = ctx;
	struct part *p = a->part;

	p->pending--;
	if (p->source)
		p->source->taken += body.len;
	take_bytes(a, http_status, body, err);
	xfree(a);
	if (p->source)
		ask_more(p);
	else if (!p->pending)
		part_free(p);
}

static void ask_bytes(struct part *p, off_t at, size_t n)
{
	struct buf path = { 0 };
	struct asked *a = xcalloc(1, sizeof(*a));

	*a = (struct asked){ p, at, n };
	p->pending++;
	buf_printf(&path, "%s%s", p->source->base, p->segment);
	session_get_bytes(live_session(p->source->live, p->source->cluster), buf_cstr(&path), (uint64_t)at, n, on_bytes, a);
	buf_release(&path);
}

/* Returns true, with err, when so much is not kept in memory. */
static bool is_too_large(off_t from, off_t to, struct err *err)
{
	if (to - from < (off_t)LIMIT_HISTORY_PART)
		return false;
	err_set(err, ERR_PROTO, "more than %zu MiB of it would have to be read", LIMIT_HISTORY_PART / MIB(1));
	return true;
}

/* Asks for the next bytes, several at a time; beyond what the index says for one after the other. */
static void ask_more(struct part *p)
{
	while (p->why.code == ERR_NONE && !p->ended && p->pending < IN_FLIGHT) {
		bool beyond = p->next >= p->to;
		off_t left = p->to - p->next;

		if (beyond && (!p->grows || p->pending))
			return;
		if (is_too_large(p->from, p->next, &p->why))
			return;
		ask_bytes(p, p->next, beyond || left > (off_t)CHUNK || p->grows ? CHUNK : (size_t)left);
		p->next += beyond || left > (off_t)CHUNK || p->grows ? (off_t)CHUNK : left;
	}
}

/* The bytes of a segment that tell of some time. */
struct extent {
	off_t from, to;
	int64_t until;	/* they tell all that was recorded before this time, ms; INT64_MAX: all up to the end of the segment */
};

/* The extent may end at a place if it tells of to nevertheless. */
static void end_at(struct extent *e, const struct segment_place *place, int64_t to)
{
	if (place->time > to && place->at > e->from && place->at < e->to) {
		e->to = place->at;
		e->until = place->time;
	}
}

static struct extent extent_of(const struct segment *s, int64_t from, int64_t to)
{
	struct extent e = { 0, s->size, INT64_MAX };

	for (size_t i = 0; i < s->keyframes.n; i++)
		if (s->keyframes.all[i].time <= from)
			e.from = s->keyframes.all[i].at;
	for (size_t i = 0; i < s->keyframes.n; i++)
		end_at(&e, &s->keyframes.all[i], to);
	for (size_t i = 0; i < s->times.n; i++)
		end_at(&e, &s->times.all[i], to);
	return e;
}

/* A part without requests is freed now, another one with its last answer. */
static void drop_part(struct history_source *s, size_t i)
{
	struct part *p = s->parts[i];

	s->parts[i] = NULL;
	if (!p)
		return;
	p->source = NULL;
	if (!p->pending)
		part_free(p);
}

/* Returns the place of the part that was used the longest ago. */
static size_t oldest_part(const struct history_source *s)
{
	size_t oldest = 0;

	for (size_t i = 0; i < PARTS; i++) {
		if (!s->parts[i])
			return i;
		if (s->parts[i]->used < s->parts[oldest]->used)
			oldest = i;
	}
	return oldest;
}

static struct part *begin_part(struct history_source *s, const struct segment *segment, off_t from, off_t to, struct err *err)
{
	size_t i = oldest_part(s);
	int fd = system_unnamed_file();
	struct part *p;

	if (fd < 0) {
		err_set(err, ERR_SYSTEM, "keep a part of the history: %s", strerror(errno));
		return NULL;
	}
	drop_part(s, i);
	p = s->parts[i] = xcalloc(1, sizeof(*p));
	p->source = s;
	p->segment = xstrdup(segment->name);
	p->size = segment->size;
	p->from = p->next = from;
	p->to = to;
	p->grows = to == segment->size;
	p->fd = fd;
	snprintf(p->path, sizeof(p->path), SOURCE_DESCRIPTOR "%d", fd);
	if (from > 0)
		ask_bytes(p, 0, from < (off_t)HEADER ? (size_t)from : HEADER);
	ask_more(p);
	return p;
}

/*
 * Returns the part that has these bytes; a part that begins with the same byte is made longer.  One up to the end of a
 * segment is read anew when the segment has grown.
 */
static struct part *find_part(const struct history_source *s, const struct segment *segment, const struct extent *e)
{
	bool to_the_end = e->to == segment->size;

	for (size_t i = 0; i < PARTS; i++) {
		struct part *p = s->parts[i];

		if (!p || strcmp(p->segment, segment->name) != 0 || p->from != e->from || (to_the_end && (!p->grows || p->size != segment->size)))
			continue;
		if (!p->grows && p->to < e->to) {
			p->to = e->to;
			ask_more(p);
		}
		return p;
	}
	return NULL;
}

static int read_service_part(struct history_source *s, const struct segment *segment, const struct extent *e, const char **out_path,
			     struct err *err)
{
	struct part *p;

	if (is_too_large(e->from, e->to, err))
		return -1;
	p = find_part(s, segment, e);
	if (!p)
		p = begin_part(s, segment, e->from, e->to, err);
	if (!p)
		return -1;
	p->used = ++s->used;
	if (p->why.code != ERR_NONE && p->pending)
		return 1;
	if (p->why.code != ERR_NONE) {
		*err = p->why;
		for (size_t i = 0; i < PARTS; i++)
			if (s->parts[i] == p)
				drop_part(s, i);
		return -1;
	}
	*out_path = p->path;
	return is_complete(p) ? 0 : 1;
}

int history_source_read(struct history_source *s, const struct segment *segment, int64_t from, int64_t to, const char **out_path,
			int64_t *out_until, struct err *err)
{
	struct extent e = extent_of(segment, from, to);
	struct buf path = { 0 };

	*out_until = s->base ? e.until : INT64_MAX;
	if (s->base)
		return read_service_part(s, segment, &e, out_path, err);
	buf_printf(&path, "%s/%s", s->dir, segment->name);
	xfree(s->path);
	s->path = xstrdup(buf_cstr(&path));
	buf_release(&path);
	*out_path = s->path;
	return 0;
}

uint64_t history_source_taken(const struct history_source *s)
{
	return s->taken;
}

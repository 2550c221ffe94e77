/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/workload_logs.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"
#include "kube/base/redact.h"
#include "kube/base/time.h"
#include "kube/base/unanswered.h"
#include "kube/base/url.h"
#include "plugin/clock.h"
#include "plugin/dashboard/fetch_logs.h"

#include <ctype.h>
#include <string.h>

enum { LISTED = 64, NAMED = 40 };	/* Pods beside those that are followed: how many are looked at, and how many are named */

/* The log of one run of the container, without what looks like credentials. */
struct run_log {
	struct buf text;
	struct buf last;	/* the last line, as the server wrote it */
	struct buf error;	/* why it cannot be read; "": it can */
	unsigned lines;		/* how many lines are requested; 0: LIMIT_LOG_LINES */
	bool read;		/* an answer has come */
};

struct pod_log {
	struct handle handle;
	struct buf name, container;
	struct buf error;	/* why there is none; "": there is one */
	unsigned edits;		/* the store_edits() of the Pod that was read */
	bool known;		/* the Pod was read */
	bool gone;		/* it does not exist any more */
	bool present;		/* the container has a log of its present run, or of the last one that nothing followed */
	bool runs;		/* that run goes on */
	bool crashed;		/* the run before explains its state */
	struct buf ended;	/* when the run before ended */
	struct run_log now, before;
};

struct workload_logs {
	struct program *p;
	struct fetched *out;
	struct pod_log pods[LIMIT_LOG_PODS_KEPT];	/* those that were the worst when they came, first */
	size_t n;
	size_t there;		/* how many Pods there are */
	struct buf others;	/* the names of those that are not followed */
	struct buf text;
	struct arena names;	/* of out->pods */
	struct handle worst;	/* the Pod whose run that ended stands before the lines of all; HANDLE_NONE: there is none */
	bool shown;		/* every Pod was asked once, so that worst stays as it is */
	struct unanswered *asked;
	size_t waiting;		/* how many requests have no answer yet */
	bool changed;
};

/* What is asked of a Pod, in this order. */
enum step { STEP_POD, STEP_BEFORE, STEP_NOW };

struct question {
	struct unanswered unanswered;
	struct workload_logs *w;
	size_t pod;
	enum step step;
};

static const struct world *world_of(const struct workload_logs *w)
{
	return w->p->shown ? w->p->shown : &w->p->world;
}

static void forget(struct pod_log *pod)
{
	struct buf *const all[] = { &pod->name, &pod->container, &pod->error, &pod->ended, &pod->now.text, &pod->now.last,
				    &pod->before.text, &pod->before.last, &pod->now.error, &pod->before.error };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		buf_release(all[i]);
}

static void set_text(struct buf *b, struct str text)
{
	buf_reset(b);
	buf_add(b, text);
}

/* ---- what comes ---------------------------------------------------------------------- */

/* Removes the oldest lines from what is longer than max. */
static void keep_newest(struct buf *text, size_t max)
{
	size_t cut = text->len > max ? text->len - max : 0;

	if (cut)
		buf_consume(text, cut + str_find(str_from(buf_str(text), cut), '\n') + 1);
}

/*
 * Returns what stands in an answer behind the last line that is known.  *out_gap: that line is not in it though the answer
 * has all lines that were requested, so that there were more between.
 */
static struct str news_of(const struct run_log *run, struct str body, bool *out_gap)
{
	struct str rest = body, news = body, line;
	unsigned lines = 0;
	bool found = false;

	while (run->last.len && rest.len && str_split(&rest, '\n', &line)) {
		lines++;
		if (!str_eq(line, buf_str(&run->last)))
			continue;
		news = rest;
		found = true;
	}
	*out_gap = run->last.len && !found && lines >= (run->lines ? run->lines : LIMIT_LOG_LINES);
	return news;
}

static void add_lines(struct run_log *run, struct str body)
{
	bool gap;
	struct str news = news_of(run, body, &gap), line = STR_NONE;

	if (gap)
		buf_add_cstr(&run->text, "==> lines are left out here: there were too many at once <==\n");
	log_text(news, &run->text);
	redact_log(&run->text, 0);
	keep_newest(&run->text, LIMIT_LOG_KEPT);
	while (news.len && str_split(&news, '\n', &line))
		set_text(&run->last, line);
}

/* Chooses the container of a Pod, and which of its runs there are. */
static void take_pod(struct pod_log *pod, struct json object)
{
	struct arena a = { 0 };
	struct log_source sources[LOG_SOURCES], *telling;
	size_t n = log_sources(object, &a, sources);

	pod->known = true;
	pod->present = pod->runs = pod->crashed = false;
	buf_reset(&pod->error);
	if (!n) {
		buf_add_cstr(&pod->error, "no container of it has started");
		arena_release(&a);
		return;
	}
	telling = &sources[log_telling(object, sources, n)];
	if (!str_eq(buf_str(&pod->container), telling->container))
		buf_reset(&pod->now.last);
	set_text(&pod->container, telling->container);
	for (size_t i = 0; i < n; i++) {
		if (!str_eq(sources[i].container, telling->container) || sources[i].previous)
			continue;
		pod->present = true;
		pod->runs = sources[i].runs;
	}
	pod->now.read = false;
	pod->crashed = telling->previous;
	if (pod->crashed && (!telling->ended.len || !str_eq(buf_str(&pod->ended), telling->ended))) {
		set_text(&pod->ended, telling->ended);
		pod->before.read = false;
	}
	arena_release(&a);
}

/* Takes an answer with a log.  When its newest lines were cut off, it is left unread, and fewer lines are to be requested. */
static void take_log(struct pod_log *pod, struct run_log *run, struct str body)
{
	unsigned fewer = log_fewer_lines(run->lines ? run->lines : LIMIT_LOG_LINES, body.len);

	if (fewer) {
		run->lines = fewer;
		return;
	}
	if (run == &pod->before) {
		buf_reset(&run->text);
		buf_reset(&run->last);
	}
	buf_reset(&run->error);
	add_lines(run, body);
	run->read = true;
}

/* Keeps why something cannot be read, in one line. */
static void take_refusal(struct buf *out, struct str body, const struct err *err)
{
	struct json problem = JSON_NONE;
	struct arena a = { 0 };
	struct str why = err ? redact_copy(&a, str_of(err->msg)) : STR_NONE;

	if (!err && json_parse(body, &problem, &(struct err){ 0 }) == 0)
		why = json_str(problem, "message");
	set_text(out, why.len ? str_head(why, str_find(why, '\n')) : STR("the server does not say why"));
	json_free(problem);
	arena_release(&a);
}

/* Takes an answer; run NULL: about the Pod.  Returns false when it is a refusal. */
static bool take(struct pod_log *pod, struct run_log *run, int http_status, struct str body, const struct err *err)
{
	struct json doc = JSON_NONE;
	struct err parse = { 0 };

	if (err || http_status >= 300) {
		take_refusal(run ? &run->error : &pod->error, body, err);
		if (run)
			run->read = !err && http_status < 500;	/* what it may not read, or does not have, is the same the next time */
		return false;
	}
	if (run) {
		take_log(pod, run, body);
		return true;
	}
	if (json_parse(body, &doc, &parse) < 0)
		take_refusal(&pod->error, STR_NONE, &parse);
	else
		take_pod(pod, doc);
	json_free(doc);
	return !pod->error.len;
}

/* ---- what is asked ------------------------------------------------------------------- */

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err);

/* Writes the time of the last line that came, with which the next request begins; "": it has none. */
static struct str time_of_last(const struct run_log *run)
{
	struct str stamp = str_head(buf_str(&run->last), str_find(buf_str(&run->last), ' '));

	return time_parse(stamp) ? stamp : STR_NONE;
}

static void ask(struct workload_logs *w, size_t i, enum step step)
{
	struct pod_log *pod = &w->pods[i];
	struct object_id id = store_node_id(world_of(w)->store, pod->handle.slot);
	struct session *session = w->p->source->session(w->p, id.cluster);
	const struct run_log *run = step == STEP_BEFORE ? &pod->before : &pod->now;
	struct log_source source = { .container = buf_str(&pod->container), .previous = step == STEP_BEFORE,
				     .since = step == STEP_NOW ? time_of_last(run) : STR_NONE };
	struct question *q = unanswered_add(&w->asked, sizeof(*q));
	struct buf path = { 0 };

	*q = (struct question){ q->unanswered, w, i, step };
	w->waiting++;
	if (step == STEP_POD) {
		session_path(session, id.kind, id.ns, id.name, &path);
		session_get(session, buf_cstr(&path), on_answer, q);
	} else {
		log_path(session, &id, &source, run->lines ? run->lines : LIMIT_LOG_LINES, &path);
		url_add_query(&path, "timestamps", STR("true"));
		session_get_text(session, buf_cstr(&path), on_answer, q);
	}
	buf_release(&path);
}

/* Requests what is missing of a Pod from that step on. */
static void ask_next(struct workload_logs *w, size_t i, enum step from)
{
	struct pod_log *pod = &w->pods[i];

	if (from == STEP_POD)
		ask(w, i, STEP_POD);
	else if (from == STEP_BEFORE && pod->crashed && !pod->before.read)
		ask(w, i, STEP_BEFORE);
	else if (pod->present && (pod->runs || !pod->now.read))
		ask(w, i, STEP_NOW);
}

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	struct question *q = ctx;
	struct workload_logs *w = q->w;
	struct pod_log *pod = &w->pods[q->pod];
	struct run_log *run = q->step == STEP_POD ? NULL : q->step == STEP_BEFORE ? &pod->before : &pod->now;
	bool taken;

	assert(w->waiting > 0 && q->pod < w->n);
	w->waiting--;
	w->changed = true;
	taken = take(pod, run, http_status, body, err);
	if (taken && run && !run->read)
		ask(w, q->pod, q->step);
	else if (taken && !run)
		ask_next(w, q->pod, STEP_BEFORE);
	else if (q->step == STEP_BEFORE)
		ask_next(w, q->pod, STEP_NOW);
	unanswered_end(&w->asked, q);
}

/* ---- which Pods ---------------------------------------------------------------------- */

static size_t followed(const struct workload_logs *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += !w->pods[i].gone;
	return n;
}

static bool has(const struct workload_logs *w, struct handle pod)
{
	for (size_t i = 0; i < w->n; i++)
		if (handle_eq(w->pods[i].handle, pod))
			return true;
	return false;
}

static void add_pod(struct workload_logs *w, struct handle pod)
{
	size_t at = 0;

	if (w->n == LIMIT_LOG_PODS_KEPT) {
		while (!w->pods[at].gone)
			at++;
		forget(&w->pods[at]);
		memmove(&w->pods[at], &w->pods[at + 1], (--w->n - at) * sizeof(w->pods[0]));
	}
	w->pods[w->n] = (struct pod_log){ .handle = pod };
	set_text(&w->pods[w->n++].name, store_node_id(world_of(w)->store, pod.slot).name);
}

static void note_gone(struct workload_logs *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct pod_log *pod = &w->pods[i];

		if (pod->gone || store_alive(world_of(w)->store, pod->handle))
			continue;
		pod->gone = w->changed = true;
		pod->runs = false;
		buf_reset(&pod->error);
		if (pod->now.text.len)
			BUF_JOIN(&pod->now.text, STR("==> "), buf_str(&pod->name), STR(" is gone <==\n"));
	}
}

/* Gives the places that are free to the worst Pods that are not followed yet. */
static void choose_pods(struct workload_logs *w)
{
	struct handle all[LISTED];
	size_t named = 0;

	note_gone(w);
	w->there = graph_parts(world_of(w)->graph, w->out->handle, "Pod", all, LISTED);
	buf_reset(&w->others);
	for (size_t i = 0; i < w->there && i < LISTED; i++) {
		if (has(w, all[i]))
			continue;
		if (followed(w) < LIMIT_LOG_PODS)
			add_pod(w, all[i]);
		else if (named++ < NAMED)
			BUF_JOIN(&w->others, str_of(named > 1 ? ", " : ""), store_node_id(world_of(w)->store, all[i].slot).name);
	}
	if (w->there > followed(w) + NAMED)
		buf_printf(&w->others, " and %zu more", w->there - followed(w) - NAMED);
}

/* ---- the text ------------------------------------------------------------------------ */

/* A log that is merged, and its next line. */
struct cursor {
	struct str name, rest, line;
	int64_t ms;
	uint32_t ns;	/* beyond ms */
};

/* Returns the nanoseconds beyond the millisecond of a time of RFC 3339, of which each digit may be missing. */
static uint32_t ns_of(struct str stamp)
{
	struct str digits = str_from(stamp, str_find(stamp, '.') + 1);
	uint32_t ns = 0;

	for (size_t i = 0; i < 9; i++) {
		if (i < digits.len && !isdigit((unsigned char)digits.ptr[i]))
			digits.len = i;
		ns = ns * 10 + (i < digits.len ? (uint32_t)(digits.ptr[i] - '0') : 0);
	}
	return ns % 1000000;
}

/* Goes to the next line; one without a time has that of the line before.  Returns false at the end. */
static bool next_line(struct cursor *c)
{
	struct str stamp;
	int64_t ms;

	if (!c->rest.len || !str_split(&c->rest, '\n', &c->line))
		return false;
	stamp = str_head(c->line, str_find(c->line, ' '));
	ms = time_parse(stamp);
	if (ms) {
		c->ms = ms;
		c->ns = ns_of(stamp);
	}
	return true;
}

static bool is_earlier(const struct cursor *a, const struct cursor *b)
{
	return a->ms != b->ms ? a->ms < b->ms : a->ns < b->ns;
}

/* Writes "TIME NAME line"; a remark as it is. */
static void write_line(struct buf *out, const struct cursor *c)
{
	size_t blank = str_find(c->line, ' ');
	struct str stamp = time_parse(str_head(c->line, blank)) ? str_head(c->line, blank + (blank < c->line.len)) : STR_NONE;

	if (str_starts(c->line, "==> "))
		BUF_JOIN(out, c->line, STR("\n"));
	else
		BUF_JOIN(out, stamp, str_of(stamp.len && blank == c->line.len ? " " : ""), c->name, STR(" "), str_from(c->line, stamp.len), STR("\n"));
}

/* Writes the lines of n logs in the order of their times; what is beyond the ceiling is left out, the oldest first. */
static void merge(struct cursor *all, size_t n, struct buf *out)
{
	size_t skip = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		skip += all[i].rest.len;
	skip = skip > LIMIT_LOG_SHOWN ? skip - LIMIT_LOG_SHOWN : 0;
	for (size_t i = 0; i < n;)
		if (next_line(&all[i]))
			i++;
		else
			all[i] = all[--n];
	while (n) {
		for (size_t i = 0; i < n; i++)
			if (is_earlier(&all[i], &all[at]))
				at = i;
		if (skip > all[at].line.len)
			skip -= all[at].line.len + 1;
		else
			write_line(out, &all[at]);
		if (!next_line(&all[at])) {
			all[at] = all[--n];
			at = 0;
		}
	}
}

/* Returns how long the beginning is that all names share, with a "-" at its end; of a single name all but its last part. */
static size_t common_length(const struct workload_logs *w)
{
	struct str first = buf_str(&w->pods[0].name);
	size_t n = first.len;

	for (size_t i = 1; i < w->n; i++) {
		struct str name = buf_str(&w->pods[i].name);
		size_t same = 0;

		while (same < n && same < name.len && name.ptr[same] == first.ptr[same])
			same++;
		n = same;
	}
	while (n && (n == first.len || first.ptr[n - 1] != '-'))
		n--;
	return n;
}

/* Names the Pods by what differs in their names. */
static void name_pods(struct workload_logs *w)
{
	struct log_pod *pods;
	size_t common = common_length(w);

	arena_reset(&w->names);
	pods = arena_array(&w->names, w->n, sizeof(*pods));
	for (size_t i = 0; i < w->n; i++)
		pods[i] = (struct log_pod){ arena_str(&w->names, str_from(buf_str(&w->pods[i].name), common)), w->pods[i].runs };
	w->out->pods = pods;
	w->out->npods = w->n;
}

/*
 * Returns the Pod whose run that ended stands before the lines of all; NULL: there is none.  That is the worst that has one
 * when the logs are opened: who reads it does not lose it to another Pod that crashes meanwhile.
 */
static const struct pod_log *worst_crashed(struct workload_logs *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct pod_log *pod = &w->pods[i];
		bool has_it = pod->before.text.len || (pod->before.read && !pod->before.error.len);

		if (!has_it || (w->worst.slot ? !handle_eq(w->worst, pod->handle) : w->shown))
			continue;
		w->worst = pod->handle;
		return pod;
	}
	return NULL;
}

static void write_crashed(struct workload_logs *w, const struct pod_log *pod)
{
	struct log_source source = { .container = ARENA_JOIN(&w->names, buf_str(&pod->name), STR(" · "), buf_str(&pod->container)), .previous = true };
	struct str text = buf_str(&pod->before.text);

	log_heading(&source, pod->before.lines ? pod->before.lines : LIMIT_LOG_LINES, false, &w->text);
	buf_add(&w->text, text.len ? text : STR("(nothing written)\n"));
}

static void write_unread(struct workload_logs *w, const struct pod_log *pod, const char *what, const struct buf *why)
{
	if (why->len)
		BUF_JOIN(&w->text, STR("==> "), buf_str(&pod->name), str_of(what), STR(" cannot be read: "), buf_str(why), STR(" <==\n"));
}

static void write_heading(struct workload_logs *w)
{
	size_t n = followed(w);

	if (w->there > n) {
		buf_printf(&w->text, "==> %zu of %zu pods are followed <==\n", n, w->there);
		BUF_JOIN(&w->text, STR("==> not followed: "), buf_str(&w->others), STR(" <==\n"));
	} else {
		buf_printf(&w->text, "==> %zu pod%s <==\n", n, n == 1 ? "" : "s");
	}
	for (size_t i = 0; i < w->n; i++) {
		const struct pod_log *pod = &w->pods[i];

		write_unread(w, pod, "", &pod->error);
		write_unread(w, pod, ", the run that ended,", &pod->before.error);
		write_unread(w, pod, "", &pod->now.error);
	}
}

/* Returns why the first one cannot be read again when that is so of all Pods of which something was read; else "". */
static struct str why_old(const struct workload_logs *w)
{
	struct str why = STR_NONE;

	for (size_t i = 0; i < w->n; i++) {
		const struct pod_log *pod = &w->pods[i];

		if (pod->gone || !pod->now.text.len)
			continue;
		if (!pod->now.error.len && !pod->error.len)
			return STR_NONE;
		if (!why.len)
			why = buf_str(pod->now.error.len ? &pod->now.error : &pod->error);
	}
	return why;
}

static void write_all(struct workload_logs *w)
{
	struct cursor all[2 * LIMIT_LOG_PODS_KEPT] = { { .ms = 0 } };
	const struct pod_log *worst = worst_crashed(w);
	size_t n = 0;

	name_pods(w);
	buf_reset(&w->text);
	if (worst)
		write_crashed(w, worst);
	w->out->stream = w->text.len;
	write_heading(w);
	for (size_t i = 0; i < w->n; i++) {
		const struct pod_log *pod = &w->pods[i];

		if (pod != worst && pod->before.text.len)
			all[n++] = (struct cursor){ .name = w->out->pods[i].name, .rest = buf_str(&pod->before.text) };
		all[n++] = (struct cursor){ .name = w->out->pods[i].name, .rest = buf_str(&pod->now.text) };
	}
	merge(all, n, &w->text);
	w->out->text = buf_str(&w->text);
	w->out->pods_followed = followed(w);
	w->out->pods_there = w->there;
	w->out->state = FETCH_OK;
	w->out->error = why_old(w);
	if (w->waiting)
		return;
	w->shown = true;
	if (!w->out->error.len)
		w->out->read = clock_now();
}

/* ---- from outside -------------------------------------------------------------------- */

struct workload_logs *workload_logs_new(struct program *p, struct fetched *out)
{
	struct workload_logs *w = xcalloc(1, sizeof(*w));

	w->p = p;
	w->out = out;
	workload_logs_read(w);
	return w;
}

void workload_logs_free(struct workload_logs *w)
{
	if (!w)
		return;
	unanswered_free(&w->asked);
	for (size_t i = 0; i < w->n; i++)
		forget(&w->pods[i]);
	buf_release(&w->others);
	buf_release(&w->text);
	arena_release(&w->names);
	xfree(w);
}

void workload_logs_read(struct workload_logs *w)
{
	if (w->waiting)
		return;
	choose_pods(w);
	w->changed |= !w->n;
	for (size_t i = 0; i < w->n; i++) {
		struct pod_log *pod = &w->pods[i];
		unsigned edits = store_edits(world_of(w)->store, pod->handle);

		if (pod->gone)
			continue;
		if (pod->known && pod->edits == edits) {
			ask_next(w, i, STEP_BEFORE);
			continue;
		}
		pod->edits = edits;
		ask_next(w, i, STEP_POD);
	}
}

bool workload_logs_changed(struct workload_logs *w)
{
	bool changed = w->changed;

	w->changed = false;
	if (changed && w->n) {
		write_all(w);
	} else if (changed) {
		w->out->state = FETCH_ERROR;
		w->out->error = STR("no Pod of it is known");
	}
	return changed;
}

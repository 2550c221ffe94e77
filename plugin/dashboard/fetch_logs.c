/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/fetch_logs.h"

#include "kube/base/limits.h"
#include "kube/base/url.h"

#include <stdio.h>

enum trouble { TROUBLED, STARTED, COMPLETED, TROUBLES, NEVER_STARTED = TROUBLES };

static enum trouble trouble_of(struct json status)
{
	struct json state = json_at(status, "state");
	bool restarted = json_has(status, "lastState.terminated");

	if (json_has(state, "terminated"))
		return json_int(state, "terminated.exitCode", 0) == 0 ? COMPLETED : TROUBLED;
	if (json_has(state, "waiting"))
		return restarted ? TROUBLED : NEVER_STARTED;
	if (!json_has(state, "running"))
		return NEVER_STARTED;
	return json_bool(status, "ready", true) ? STARTED : TROUBLED;
}

/*
 * Adds the present run of a container and the previous one, as far as they have logs.  Returns the new number of
 * sources.
 */
static size_t add_runs(struct json status, enum trouble trouble, struct arena *arena, struct log_source out[LOG_SOURCES],
		       size_t n)
{
	bool runs = !json_has(status, "state.waiting"),
	     again = json_has(status, "state.running") && json_has(status, "lastState.terminated");
	struct log_source this = { .container = arena_str(arena, json_str(status, "name")), .troubled = trouble == TROUBLED },
			  before = this;

	this.runs = json_has(status, "state.running");
	before.previous = true;
	before.ended = arena_str(arena, json_str(status, "lastState.terminated.finishedAt"));
	if (runs && (!again || trouble == STARTED))
		out[n++] = this;
	if ((!runs || again) && n < LOG_SOURCES)
		out[n++] = before;
	if (again && trouble == TROUBLED && n < LOG_SOURCES)
		out[n++] = this;
	return n;
}

static size_t add(struct json statuses, enum trouble wanted, struct arena *arena,
		  struct log_source out[LOG_SOURCES], size_t n)
{
	json_foreach(c, statuses) {
		if (n == LOG_SOURCES || !json_str(c, "name").len || trouble_of(c) != wanted)
			continue;
		n = add_runs(c, wanted, arena, out, n);
	}
	return n;
}

size_t log_sources(struct json pod, struct arena *arena, struct log_source out[LOG_SOURCES])
{
	static const char *const lists[] = { "status.initContainerStatuses", "status.containerStatuses",
					     "status.ephemeralContainerStatuses" };
	size_t n = 0;

	for (enum trouble t = TROUBLED; t < TROUBLES; t++) {
		if (t == COMPLETED && n)
			break;
		for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
			n = add(json_at(pod, lists[i]), t, arena, out, n);
	}
	return n;
}

size_t log_telling(struct json pod, const struct log_source *sources, size_t n)
{
	struct str usual = json_str(pod, "metadata.annotations['kubectl.kubernetes.io/default-container']");

	if (sources[0].troubled)
		return 0;
	if (!usual.len)
		usual = json_str(pod, "spec.containers[0].name");
	for (size_t i = 0; i < n; i++)
		if (str_eq(sources[i].container, usual))
			return i;
	return 0;
}

static void add_number(struct buf *path, const char *name, size_t value)
{
	char number[24];

	snprintf(number, sizeof(number), "%zu", value);
	url_add_query(path, name, str_of(number));
}

void log_path(const struct session *s, const struct object_id *pod, const struct log_source *source,
	      unsigned lines, struct buf *out)
{
	session_path(s, pod->kind, pod->ns, pod->name, out);
	buf_add(out, STR("/log"));
	url_add_query(out, "container", source->container);
	add_number(out, "tailLines", lines);
	add_number(out, "limitBytes", LIMIT_LOG_READ);
	url_add_query(out, "previous", source->previous ? STR("true") : STR_NONE);
	url_add_query(out, "sinceTime", source->since);
}

unsigned log_fewer_lines(unsigned lines, size_t len)
{
	return len >= LIMIT_LOG_READ && lines >= 10 ? lines / 10 : 0;
}

void log_heading(const struct log_source *source, unsigned lines, bool failed, struct buf *out)
{
	buf_printf(out, "%s==> " STR_FMT "%s", out->len ? "\n" : "", STR_ARG(source->container),
		   source->previous ? " (the run that ended)" : "");
	if (failed)
		buf_add_cstr(out, " (cannot be read)");
	else if (lines && lines != LIMIT_LOG_LINES)
		buf_printf(out, " (the last %u lines)", lines);
	buf_add_cstr(out, " <==\n");
}

void log_text(struct str text, struct buf *out)
{
	struct str line;

	while (text.len && str_split(&text, '\n', &line))
		buf_printf(out, "%s" STR_FMT "\n", str_starts(line, "==> ") ? " " : "", STR_ARG(line));
}

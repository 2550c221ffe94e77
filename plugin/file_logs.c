/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/file_logs.h"

#include "kube/base/limits.h"
#include "plugin/archive.h"
#include "plugin/files_paths.h"

#include <string.h>

struct search {
	struct file_pod *pods;
	size_t npods;
	struct arena *arena;
	struct file_log *out;
	size_t n;
};

static size_t pod_named(const struct search *s, struct str ns, struct str name)
{
	size_t i = 0;

	while (i < s->npods && !(str_eq(s->pods[i].name, name) && str_eq(s->pods[i].ns, ns)))
		i++;
	return i;
}

/* Returns the log of that run, which is added where it was not met yet; NULL: there is no room. */
static struct file_log *log_of(struct search *s, size_t pod, struct str container, bool previous)
{
	size_t i = 0;

	while (i < s->n && !(s->out[i].pod == pod && s->out[i].source.previous == previous && str_eq(s->out[i].source.container, container)))
		i++;
	if (i == FILE_LOGS)
		return NULL;
	if (i == s->n)
		s->out[s->n++] = (struct file_log){ .pod = pod, .source = { .container = arena_str(s->arena, container), .previous = previous } };
	return &s->out[i];
}

/* Takes a log, or its end.  Of two files for one run, as a bundle may have, the longer one counts. */
static void take_log(struct search *s, const struct log_place *at, struct str text, bool cut)
{
	size_t pod = pod_named(s, at->ns, at->pod), over = text.len > LIMIT_LOG_READ ? text.len - LIMIT_LOG_READ : 0;
	struct file_log *log = pod < s->npods && text.len ? log_of(s, pod, at->container, at->previous) : NULL;

	if (!log)
		return;
	text = str_from(text, over);
	cut |= over > 0;
	if (cut)
		text = str_from(text, str_find(text, '\n') + 1);
	if (text.len <= log->text.len)
		return;
	log->text = arena_str(s->arena, text);
	log->lines = 0;
	for (size_t i = 0; cut && i < text.len; i++)
		log->lines += text.ptr[i] == '\n';
}

/* ---- logs in one text ------------------------------------------------------------ */

/* Reads "container NAME of pod NAMESPACE/NAME ====" behind the beginning of a line. */
static bool read_mark(struct str line, const char *begins, struct log_place *out)
{
	static const char between[] = " of pod ";
	struct str rest = str_starts(line, begins) ? str_from(line, strlen(begins)) : STR_NONE;
	size_t at = str_find_str(rest, between), slash;
	struct str pod = str_from(rest, at + strlen(between));

	slash = str_find(pod, '/');
	*out = (struct log_place){ .container = str_head(rest, at), .ns = str_head(pod, slash), .pod = str_from(pod, slash + 1) };
	out->pod = str_head(out->pod, str_find(out->pod, ' '));
	return out->container.len && out->ns.len && out->pod.len;
}

/* Takes the logs that stand between lines that name them; cut: text is only the end of a file. */
static void take_marked(struct search *s, struct str text, bool cut)
{
	struct log_place at;
	struct str rest = text, line, log = text;
	bool inside = cut;

	while (str_split(&rest, '\n', &line)) {
		if (!inside && read_mark(line, FILES_LOG_STARTS, &at)) {
			log = rest;
			inside = true;
		} else if (inside && read_mark(line, FILES_LOG_ENDS, &at)) {
			take_log(s, &at, str_head(log, (size_t)(line.ptr - log.ptr)), cut);
			inside = cut = false;
		}
	}
}

/* ---- files ------------------------------------------------------------------------ */

static size_t wants(void *ctx, struct str name)
{
	const struct search *s = ctx;
	struct log_place at;

	if (log_place(name, &at))
		return pod_named(s, at.ns, at.pod) == s->npods ? 0 : at.container.len ? LIMIT_LOG_READ + 1 : LIMIT_LOGS_READ;
	return path_is_known(name) ? ARCHIVE_WHOLE : 0;
}

static int on_pod(void *ctx, struct json object, struct str list_kind, struct err *err)
{
	struct search *s = ctx;
	struct str kind = json_str(object, "kind");
	size_t pod = pod_named(s, json_str(object, "metadata.namespace"), json_str(object, "metadata.name"));

	(void)err;
	if (pod < s->npods && str_is(kind.len ? kind : list_kind, "Pod"))
		s->pods[pod].nsources = log_sources(object, s->arena, s->pods[pod].sources);
	return 0;
}

/* Reading YAML takes long: only of what has the name of a Pod. */
static bool names_a_pod(const struct search *s, struct str text)
{
	for (size_t i = 0; i < s->npods; i++)
		if (str_find_str(text, s->pods[i].name.ptr) < text.len)
			return true;
	return false;
}

static int on_file(void *ctx, struct str name, struct str text, struct err *err)
{
	static const struct object_ops ops = { on_pod };
	struct search *s = ctx;
	struct log_place at;

	if (log_place(name, &at) && at.container.len) {
		take_log(s, &at, text, false);
	} else if (log_place(name, &at)) {
		take_marked(s, text, text.len == LIMIT_LOGS_READ);
	} else if (names_a_pod(s, text)) {
		take_marked(s, text, false);
		if (files_text_each(text, &ops, s, err) < 0)
			err->code = ERR_NONE;
	}
	return 0;
}

/* ---- their order --------------------------------------------------------------------- */

/* What explains the state of a Pod comes first; another run of the same container follows it. */
static size_t rank(const struct file_pod *pod, const struct log_source *source)
{
	size_t best = 2 * pod->nsources;

	for (size_t i = pod->nsources; i-- > 0;)
		if (str_eq(pod->sources[i].container, source->container))
			best = pod->sources[i].previous == source->previous ? 2 * i : best < 2 * pod->nsources ? best : 2 * i + 1;
	return best;
}

size_t file_logs_read(const struct files *f, struct file_pod *pods, size_t npods, struct arena *arena, struct file_log out[FILE_LOGS])
{
	struct search s = { pods, npods, arena, out, 0 };

	for (size_t i = 0; i < npods; i++)
		pods[i].name = arena_str(arena, pods[i].name);	/* str_find_str() wants it to end with a NUL */
	files_each_file(f, wants, on_file, &s);
	/* insertion sort: it is stable, and there are few */
	for (size_t i = 1; i < s.n; i++)
		for (size_t k = i; k > 0; k--) {
			struct file_log *a = &out[k - 1], *b = &out[k], log = *b;
			size_t before = rank(&pods[a->pod], &a->source), after = rank(&pods[b->pod], &b->source);

			if (a->pod < b->pod || (a->pod == b->pod && before <= after))
				break;
			*b = *a;
			*a = log;
		}
	return s.n;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/mcp_tools.h"

#include "kube/base/redact.h"
#include "kube/base/time.h"
#include "kube/base/utf8.h"
#include "plugin/dashboard/fetch_logs.h"
#include "plugin/notices.h"
#include "plugin/output/brief.h"
#include "plugin/output/plain.h"
#include "plugin/output/show.h"
#include "tui/view/markdown.h"


enum { LINES = 60, LINES_MOST = 200, NOTICES = 8 };

void mcp_fail(struct mcp_answer *out, struct str why)
{
	out->failed = true;
	clean_text(&out->text, utf8_head(why, MCP_BYTES / 4));	/* which can make three bytes of each */
}

/* ---- texts of a cluster -------------------------------------------------------- */

/*
 * Appends lines, each behind "| " and sanitized, as many as there is room for until out has so many bytes; last: those at the end.  Of a line
 * that is too long the middle is left out: the innermost of wrapped errors stands at its end.
 */
static void add_lines(struct buf *out, struct str text, bool last, size_t most)
{
	static const char cut[] = "| (more is left out)\n";
	struct arena arena = { 0 };
	struct buf lines = { 0 };
	struct str line, rest = text;
	size_t room = most > out->len ? most - out->len : 0, end;

	while (str_split(&rest, '\n', &line)) {
		buf_add_cstr(&lines, "| ");
		plain_safe(utf8_cut(line, MCP_BYTES / 4, &arena), &lines);
		buf_add_char(&lines, '\n');
	}
	rest = buf_str(&lines);
	if (rest.len <= room) {
		buf_add(out, rest);
	} else if (room >= sizeof(cut) && last) {
		rest = str_from(rest, rest.len - (room - sizeof(cut)));
		buf_add_cstr(out, cut);
		buf_add(out, str_from(rest, str_find(rest, '\n') + 1));
	} else if (room >= sizeof(cut)) {
		rest = str_head(rest, room - sizeof(cut));
		end = str_rfind(rest, '\n');
		buf_add(out, str_head(rest, end < rest.len ? end + 1 : 0));
		buf_add_cstr(out, cut);
	}
	buf_release(&lines);
	arena_release(&arena);
}

/* Appends what could not be read, so that nobody takes silence for health. */
static void add_notices(struct program *p, struct buf *out)
{
	struct arena arena = { 0 };
	size_t n;
	const struct notice_line *lines = notices_lines(&p->world, NOTICES, "", &arena, &n);

	for (size_t i = 0; i < n && out->len < MCP_BYTES - 300; i++)
		add_lines(out, utf8_cut(ARENA_JOIN(&arena, STR("notice: "), lines[i].text), 200, &arena), false, MCP_BYTES);
	arena_release(&arena);
}

/* ---- which object ---------------------------------------------------------------- */

static size_t matches(const struct program *p, const struct selection *s, struct str ns, struct handle *out)
{
	size_t n = 0;

	for (struct handle h = store_next(p->world.store, 0); h.slot; h = store_next(p->world.store, h.slot + 1)) {
		struct object_id id = store_node_id(p->world.store, h.slot);

		if (id.kind != s->kind || !str_eq(id.name, s->name) || (ns.len && id.ns.len && !str_eq(id.ns, ns)))
			continue;
		*out = h;
		n++;
	}
	return n;
}

/* Finds the object that the arguments name.  Returns false, with the answer, when there is none. */
static bool find_object(struct program *p, struct json arguments, struct handle *out, struct mcp_answer *answer)
{
	struct str text = json_str(arguments, "resource"), ns = json_str(arguments, "namespace");
	struct arena arena = { 0 };
	const char *args[] = { arena_str(&arena, text).ptr, NULL };
	struct resolve_request request = { .kinds = &p->world.kinds, .args = args, .nargs = 1,
					   .source = query_lacks(&p->options) };
	struct resolution found = { .n = 0 };
	struct err err = { 0 };
	size_t n = 0;

	if (str_find(text, '/') == text.len)
		err_set(&err, ERR_USAGE, "resource must be TYPE/NAME, such as pod/web-0");
	else if (resolve_args(&request, &arena, &found, &err) == 0 && found.n == 1)
		n = matches(p, &found.list[0], ns, out);
	if (err.msg[0])
		mcp_fail(answer, str_of(err.msg));
	else if (n != 1)
		mcp_fail(answer, ARENA_JOIN(&arena, text, str_of(n ? " is in several namespaces: name one" : " was not found"),
					    str_of(ns.len ? " in namespace " : ""), ns));
	arena_release(&arena);
	return n == 1;
}

/* ---- problems ---------------------------------------------------------------------- */

/*
 * Finds the selected objects, with namespace only those in it.  Returns false, with the answer, when a namespace is named that has none: that
 * is not healthy, it may as well not exist.
 */
static bool select_objects(struct program *p, struct json arguments, struct arena *arena, struct selected *out, struct mcp_answer *answer)
{
	struct str ns = json_str(arguments, "namespace");
	struct selected items;
	const struct handle *all = query_collect(&p->query, &p->world, arena, &items.n);
	struct handle *some = arena_array(arena, items.n, sizeof(*some));
	size_t n = 0;

	for (size_t i = 0; i < items.n; i++)
		if (!ns.len || str_eq(store_node_id(p->world.store, all[i].slot).ns, ns))
			some[n++] = all[i];
	*out = (struct selected){ some, n };
	if (ns.len && !n)
		mcp_fail(answer, ARENA_JOIN(arena, STR("nothing was found in namespace "), ns, STR(": it does not exist, it is empty, or the flags do not choose it")));
	return !ns.len || n;
}

/*
 * Appends the list of -o json without items: as many root causes as there is room for; only_changed: those before which
 * something changed.
 */
static void add_causes(struct program *p, const struct selected *items, bool only_changed, struct buf *out)
{
	struct document d = document_object(), list;
	struct arena arena = { 0 };
	struct buf text = { 0 };
	size_t n, used = 600, left = 0;
	const struct root_cause *causes = status_list_causes(&p->world, items, &arena, &n);

	document_add_string(d, "apiVersion", STR("kubectl-status/v1"));
	document_add_string(d, "kind", STR("StatusList"));
	document_add_time(d, "asOf", p->world.now);
	document_add(d, "summary", status_list_summary(&p->world, items));
	list = document_add_array(d, "rootCauses");
	for (size_t i = 0; i < n; i++) {
		/* what is left out are the last ones */
		struct document cause = !left ? status_list_cause(&p->world, &causes[i]) : DOCUMENT_NONE;

		buf_reset(&text);
		if (cause.node)
			document_write(cause, &text);
		if (only_changed && cause.node && !str_contains(buf_str(&text), "\"changed\":"))
			text.len = 0;
		else if (!cause.node || used + text.len > MCP_BYTES)
			left++;
		else
			document_add_raw(list, NULL, buf_str(&text));
		used += cause.node && used + text.len <= MCP_BYTES ? text.len + 1 : 0;
		document_free(cause);
	}
	if (left)
		document_add_int(d, "moreRootCauses", (int64_t)left);
	document_write(d, out);
	document_free(d);
	buf_release(&text);
	arena_release(&arena);
}

static void run_problems(struct program *p, struct json arguments, struct mcp_answer *out)
{
	struct arena arena = { 0 };
	struct selected items;

	if (select_objects(p, arguments, &arena, &items, out)) {
		brief_print(&p->world, &p->query, &items, MCP_BYTES - 600, &out->text);
		add_notices(p, &out->text);
		add_causes(p, &items, false, &out->data);
	}
	arena_release(&arena);
}

/* ---- why ------------------------------------------------------------------------------ */

/* Adds the item of -o json, where it fits; else what a row shows, or only what it is. */
static void add_item(struct program *p, struct handle h, struct mcp_answer *out)
{
	status_list_item(&p->world, h, ITEM_WHOLE, &out->data);
	if (out->data.len > MCP_BYTES) {
		buf_reset(&out->data);
		status_list_item(&p->world, h, ITEM_OF_ROW, &out->data);
	}
	if (out->data.len > MCP_BYTES || !str_starts(buf_str(&out->data), "{"))
		buf_reset(&out->data);
}

static void run_why(struct program *p, struct json arguments, struct mcp_answer *out)
{
	struct plain plain = show_plain(&p->world, &p->query, &p->out);
	struct buf text = { 0 };
	struct handle h;

	if (!find_object(p, arguments, &h, out))
		return;
	plain.color = false;
	plain.listing.width = 0;
	plain_why(&plain, &h, 1, &text);
	add_lines(&out->text, buf_str(&text), false, MCP_BYTES);
	add_item(p, h, out);
	buf_release(&text);
}

/* ---- what changed, and the timeline ------------------------------------------------------ */

static int64_t since_of(const struct program *p, struct json arguments, int64_t usual)
{
	int64_t minutes = json_int(arguments, "minutes", usual);

	return p->world.now - (minutes > 0 && minutes < 100000 ? minutes : usual) * SECONDS(60);
}

/* Keeps of the changes those of one object, or of one namespace. */
static void only_of(struct program *p, struct changes *changes, struct handle h, struct str ns)
{
	struct id wanted = h.slot ? graph_id(p->world.graph, h.slot) : (struct id){ .ns = ns };
	struct changed_object *kept = (struct changed_object *)(uintptr_t)changes->objects;
	size_t n = 0;

	for (size_t i = 0; i < changes->n; i++)
		if ((!wanted.ns.len || str_eq(kept[i].id.ns, wanted.ns)) &&
		    (!h.slot || (str_eq(kept[i].id.name, wanted.name) && str_eq(kept[i].id.kind, wanted.kind))))
			kept[n++] = kept[i];
	changes->n = n;
}

/* Adds the changes that were seen, of the object or of all that the arguments choose. */
static void add_seen(struct program *p, struct json arguments, struct handle h, bool each, struct mcp_answer *out)
{
	struct arena arena = { 0 };
	int64_t from = program_changes_from(p, since_of(p, arguments, 60));
	struct buf text = { 0 };
	struct changes changes = { .n = 0 };

	if (p->changelog) {
		changes = (each ? changelog_timeline : changelog_compare)(p->changelog, &p->world, &p->query, from, p->world.now, &arena);
		only_of(p, &changes, h, json_str(arguments, "namespace"));
		changes_table(&changes, &p->world, &text);
	}
	if (!changes.n)
		buf_add_cstr(&text, p->changelog ? "nothing was seen to change in that time\n" : "files tell of one moment: nothing was seen to change\n");
	add_lines(&out->text, buf_str(&text), true, MCP_BYTES);
	buf_release(&text);
	arena_release(&arena);
}

static void run_changed(struct program *p, struct json arguments, struct mcp_answer *out)
{
	struct arena arena = { 0 };
	struct handle h = HANDLE_NONE;
	struct selected items = { &h, 1 };

	if (json_has(arguments, "resource") ? find_object(p, arguments, &h, out) : select_objects(p, arguments, &arena, &items, out)) {
		add_causes(p, &items, true, &out->data);
		brief_changes(&p->world, &p->query, &items, MCP_BYTES / 2, &out->text);
		add_seen(p, arguments, h, false, out);
	}
	arena_release(&arena);
}

/* Adds when the conditions of an object got what they say, the newest last. */
static void add_conditions(struct program *p, struct handle h, struct mcp_answer *out)
{
	struct arena arena = { 0 };
	struct buf text = { 0 };
	struct item it;
	char time[TIME_TEXT];

	if (graph_item(p->world.graph, h, &arena, &it)) {
		for (size_t i = 0; i < it.status.nconditions; i++) {
			const struct condition *c = &it.status.conditions[i];

			if (c->since)
				buf_printf(&text, "%s condition " STR_FMT "=" STR_FMT " " STR_FMT "\n",
					   time_format(c->since, time), STR_ARG(c->type),
					   STR_ARG(c->status), STR_ARG(c->reason));
		}
		if (it.s.since)
			buf_printf(&text, "%s %s\n", time_format(it.s.since, time), phase_name(it.s.phase));
	}
	add_lines(&out->text, buf_str(&text), false, MCP_BYTES / 2);
	buf_release(&text);
	arena_release(&arena);
}

static void run_timeline(struct program *p, struct json arguments, struct mcp_answer *out)
{
	struct handle h = HANDLE_NONE;

	if (json_has(arguments, "resource")) {
		if (!find_object(p, arguments, &h, out))
			return;
		add_conditions(p, h, out);
		add_item(p, h, out);
	}
	add_seen(p, arguments, h, true, out);
}

/* ---- logs ------------------------------------------------------------------------------ */

static unsigned lines_of(struct json arguments)
{
	int64_t lines = json_int(arguments, "lines", LINES);

	return (unsigned)(lines < 1 ? LINES : lines > LINES_MOST ? LINES_MOST : lines);
}

static struct str last_lines(struct str text, unsigned n)
{
	size_t at = text.len;

	for (; at && n; n--)
		for (at--; at && text.ptr[at - 1] != '\n';)
			at--;
	return str_from(text, at);
}

/* Answers with a log that the source keeps: of the run that is wanted, else of the run that explains the state of the Pod. */
static void take_kept_log(struct program *p, const struct object_id *pod, struct json arguments, struct mcp_answer *out)
{
	struct str container = json_str(arguments, "container");
	struct arena arena = { 0 };
	struct file_log *logs = arena_array(&arena, FILE_LOGS, sizeof(*logs)), *found = NULL;
	struct file_pod of = { .ns = pod->ns, .name = pod->name };
	size_t n = p->source->logs(p, &of, 1, &arena, logs);

	for (size_t i = 0; i < n && !found; i++) {
		bool wanted = !json_has(arguments, "previous") || json_bool(arguments, "previous", false) == logs[i].source.previous;

		found = wanted && (!container.len || str_eq(container, logs[i].source.container)) ? &logs[i] : NULL;
	}
	if (found)
		mcp_take_log(last_lines(found->text, lines_of(arguments)), out);
	else
		mcp_fail(out, str_of(n ? "the files have no log of that run of that container" : "the files have no log of it, or cannot be read again"));
	arena_release(&arena);
}

bool mcp_log_path(struct program *p, struct json arguments, struct session **out_session, struct buf *path, struct mcp_answer *out)
{
	struct object_id pod;
	struct handle h;

	if (!p->source->facts(p).logs) {
		mcp_fail(out, str_of(p->source->whole ? "there are no logs: these files contain none" : "there are no logs: a recording contains none"));
		return false;
	}
	if (!find_object(p, arguments, &h, out))
		return false;
	pod = store_node_id(p->world.store, h.slot);
	if (!str_is(pod.kind->kind, "Pod")) {
		mcp_fail(out, STR("logs are of a pod: the tool why names the pod that explains it"));
		return false;
	}
	if (p->source->logs) {
		take_kept_log(p, &pod, arguments, out);
		return false;
	}
	*out_session = p->source->session(p, pod.cluster);
	log_path(*out_session, &pod, &(struct log_source){ .container = json_str(arguments, "container"),
							    .previous = json_bool(arguments, "previous", false) },
		 lines_of(arguments), path);
	return true;
}

void mcp_take_log(struct str log, struct mcp_answer *out)
{
	struct buf text = { 0 };

	buf_add(&text, log);
	redact_log(&text, 0);
	add_lines(&out->text, buf_str(&text), true, MCP_BYTES);
	if (!log.len)
		buf_add_cstr(&out->text, out->failed ? "the server does not say why there is no log\n" : "the log is empty\n");
	buf_release(&text);
}

/* ---- the table --------------------------------------------------------------------------- */

#define RESOURCE "\"resource\":{\"type\":\"string\",\"description\":\"TYPE/NAME as kubectl takes it, such as pod/web-0 or deployment/web\"}"
#define NAMESPACE "\"namespace\":{\"type\":\"string\",\"description\":\"its namespace\"}"
#define HOW_FAR "\"minutes\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"how far back, at most; default 60\"}"

/* Returns what is wrong with an argument that the schema of a tool has as property; "": nothing. */
static const char *wrong_with(struct json argument, struct json property)
{
	struct str type = json_str(property, "type");
	enum json_type is = json_type(argument);

	if (!type.len)
		return "is unknown";
	if (str_is(type, "string"))
		return is == JSON_STRING ? "" : "must be a text";
	if (str_is(type, "boolean"))
		return is == JSON_BOOL ? "" : "must be true or false";
	return is == JSON_NUMBER && json_int(argument, "", 0) >= 1 ? "" : "must be an integer from 1 on";
}

bool mcp_arguments_fit(const struct mcp_tool *tool, struct json arguments, struct mcp_answer *out)
{
	struct arena arena = { 0 };
	struct json schema = JSON_NONE;
	enum json_type type = json_type(arguments);

	if (type != JSON_ABSENT && type != JSON_NULL && type != JSON_OBJECT)
		mcp_fail(out, STR("arguments must be an object"));
	else if (document_read(ARENA_JOIN(&arena, STR("{"), str_of(tool->properties), STR("}")), &schema, &(struct err){ 0 }) == 0)
		json_foreach(it, arguments) {
			const char *wrong = out->failed ? "" : wrong_with(it, json_member(schema, json_key(it)));

			if (*wrong)
				mcp_fail(out, ARENA_JOIN(&arena, STR("the argument "), utf8_head(json_key(it), 100), STR(" "), str_of(wrong)));
		}
	json_free(schema);
	arena_release(&arena);
	return !out->failed;
}

const struct mcp_tool *mcp_tools(void)
{
	static const struct mcp_tool tools[] = {
		{ "problems", "Root causes", "What is broken, by root cause, the worst first: since when, the reason, what it blocks, whose it is, what was "
		  "changed before, what has to happen, and the next command. What merely waits for a root cause is counted with it.",
		  NAMESPACE, "", run_problems },
		{ "why", "Why an object is not ready", "The state of one object and why: the chain of waits down to the root cause, the facts that decided, what "
		  "has to happen.", RESOURCE "," NAMESPACE, "\"resource\"", run_why },
		{ "changed", "What was changed", "What was changed shortly before each root cause began, and by whom; then what was seen to change, in objects or of one, "
		  "with the fields that differ.", RESOURCE "," NAMESPACE "," HOW_FAR, "", run_changed },
		{ "timeline", "What happened", "Each change of a phase, severity or cause that was seen, with its time; of one object also when its conditions "
		  "changed.", RESOURCE "," NAMESPACE "," HOW_FAR, "", run_timeline },
		{ "logs", "The log of a pod", "The last lines of a container's log; previous: of the run before, which a crashed container needs.",
		  RESOURCE "," NAMESPACE ",\"container\":{\"type\":\"string\"},\"previous\":{\"type\":\"boolean\"},"
		  "\"lines\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":200}", "\"resource\"", NULL },
		{ NULL, NULL, NULL, NULL, NULL, NULL },
	};

	return tools;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that several modes of the program share. */
#include "plugin/program.h"

#include "kube/journal/journal.h"
#include "plugin/notices.h"
#include "plugin/output/show.h"
#include "plugin/signals.h"
#include "plugin/unread.h"

bool program_interrupted(struct program *p)
{
	int number;

	while ((number = signals_next()) != 0)
		if (signals_ends(number))
			p->signal = number;
	return p->signal != 0;
}

bool program_wants_dashboard(const struct program *p)
{
	const struct options *o = &p->options;

	return o->format == FORMAT_NONE && !o->watch && !o->wait_for && !o->exit_code && !o->problems && !o->report && o->screen;
}

/* ---- what was asked for and is not there --------------------------------- */

static bool is_there(struct program *p, const struct selection *s)
{
	for (struct handle h = store_next(p->world.store, 0); h.slot; h = store_next(p->world.store, h.slot + 1)) {
		struct object_id id = store_node_id(p->world.store, h.slot);

		if (id.kind == s->kind && str_eq(id.name, s->name) && query_selects(&p->query, &p->world, h))
			return true;
	}
	return false;
}

static bool is_readable(struct program *p, const struct selection *s)
{
	struct object_id id = { 0, s->kind, STR_NONE, s->name };
	struct str rest = s->kind->flags & KIND_NAMESPACED ? p->query.ns : STR_NONE;

	do {
		str_split(&rest, ',', &id.ns);
		if (store_name_coverage(p->world.store, &id) != COVERAGE_FORBIDDEN)
			return true;
	} while (rest.len);
	return false;
}

/* Appends a name as kubectl's errors write it: widgets.example.org "w". */
static void add_name(const struct selection *s, struct buf *out)
{
	buf_printf(out, STR_FMT "%s" STR_FMT " \"" STR_FMT "\"", STR_ARG(s->kind->plural), s->kind->group.len ? "." : "",
		   STR_ARG(s->kind->group), STR_ARG(s->name));
}

/* Returns true when an object of that name came, changed or went since from (ms). */
static bool was_met(const struct program *p, const struct selection *s, int64_t from)
{
	const struct journal *j = graph_journal(p->world.graph);

	for (uint64_t i = journal_first(j); i < journal_end(j); i++) {
		const struct journal_entry *e = journal_at(j, i);
		struct journal_texts texts = journal_texts(e);

		if (e->time >= from && e->kind == s->kind->id && str_eq(texts.name, s->name) &&
		    (!texts.ns.len || str_in_scope(texts.ns, p->query.ns)))
			return true;
	}
	return false;
}

/* Prints kubectl's NotFound error, unless the name could not be read, which is told elsewhere. */
static void say_missing(struct program *p, const struct selection *s)
{
	struct arena arena = { 0 };
	struct buf line = { 0 };
	struct str missing, ns;

	if (!is_readable(p, s))
		return;
	buf_add_cstr(&line, p->source->error);
	add_name(s, &line);
	buf_add_cstr(&line, " not found");
	missing = unread_namespaces(p, &arena);
	while (str_split(&missing, ',', &ns))
		buf_printf(&line, " (there is no namespace \"" STR_FMT "\")", STR_ARG(ns));
	say_redacted(buf_str(&line));
	arena_release(&arena);
	buf_release(&line);
}

/* Returns true when an object was asked for by name, is not there, and was not met since from (ms). */
static bool is_missing(struct program *p, const struct selection *s, int64_t from)
{
	return s->name.len && !is_there(p, s) && !was_met(p, s, from);
}

size_t program_never_met(struct program *p, int64_t from)
{
	size_t n = 0;

	for (size_t i = 0; i < p->query.what.n; i++)
		n += is_missing(p, &p->query.what.list[i], from);
	return n;
}

/* Prints an error for each name that is_missing().  Returns true when there was one. */
static bool say_all_missing(struct program *p, int64_t from)
{
	bool missing = false;

	for (size_t i = 0; i < p->query.what.n; i++) {
		const struct selection *s = &p->query.what.list[i];

		if (is_missing(p, s, from)) {
			missing = true;
			say_missing(p, s);
		}
	}
	return missing;
}

bool program_say_missing(struct program *p)
{
	if (p->query.alert)	/* program_settle_alert() has told of it */
		return false;
	return say_all_missing(p, INT64_MAX);
}

int program_part_status(struct program *p, int64_t from)
{
	bool unread = unread_say(p) || unread_say_some(p);

	if ((!p->options.ignore_not_found && say_all_missing(p, from)) || unread)
		return 1;
	return p->options.exit_code ? show_health(&p->world, &p->query) : 0;
}

size_t program_missing(struct program *p, struct buf *names)
{
	size_t n = 0;

	for (size_t i = 0; i < p->query.what.n; i++)
		if (p->query.what.list[i].name.len && !is_there(p, &p->query.what.list[i])) {
			buf_add_cstr(names, n++ ? ", " : "");
			add_name(&p->query.what.list[i], names);
		}
	return n;
}

/* ---- notices and marks ---------------------------------------------------- */

/* Returns true when notices of that kind were printed at the time they came. */
static bool was_said(const struct program *p, struct str kind)
{
	return str_is(kind, "throttled") || (str_is(kind, "recording") && p->source->facts(p).told_record_failed);
}

void program_say_notices(struct program *p)
{
	enum { NAMES = 8 };
	struct arena arena = { 0 };
	size_t n;
	const struct notice_line *lines = notices_lines(&p->world, NAMES, " (-o json has all)", &arena, &n);

	for (size_t i = 0; i < n; i++)
		if (!was_said(p, lines[i].kind))
			say_redacted(arena_printf(&arena, "%s: " STR_FMT, str_is(lines[i].kind, "warning") ? "Warning" : "notice",
						  STR_ARG(lines[i].text)));
	arena_release(&arena);
}

int64_t program_changes_from(const struct program *p, int64_t from)
{
	int64_t loaded = p->source->facts(p).loaded;

	if (p->earlier_from && p->earlier_from < loaded)
		loaded = p->earlier_from;
	return from > loaded ? from : loaded;
}

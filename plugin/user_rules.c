/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/user_rules.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "plugin/files.h"
#include "plugin/files_paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- loading -------------------------------------------------------------- */

/* Adds a problem for each group of the file that code of this program reads: rules cannot replace that. */
static void check_groups(struct world *w, struct str file, struct rules_report *report)
{
	for (size_t i = 0; i < report->ngroups; i++) {
		struct str group = report->groups[i];
		const struct family *f;

		if (str_starts(group, "*."))
			continue;
		f = engine_family(w->engine, kinds_put(&w->kinds, group, STR("Anything")), JSON_NONE);
		if (!f->groups)
			continue;
		report->problems = xreallocarray(report->problems, report->nproblems + 1, sizeof(*report->problems));
		report->problems[report->nproblems++] = arena_printf(
			&report->arena, STR_FMT ":1:1: rules cannot replace what is built in for the group \"" STR_FMT "\" (%s)",
			STR_ARG(file), STR_ARG(group), f->title);
	}
}

static void read_file(struct world *w, const char *name, bool keep, struct rules_report *report)
{
	struct buf text = BUF_MAX(LIMIT_ENVELOPE);
	struct err err = { 0 };

	if (files_read_regular(name, &text, &err) < 0) {
		report->problems = xreallocarray(report->problems, report->nproblems + 1, sizeof(*report->problems));
		report->problems[report->nproblems++] = arena_printf(&report->arena, "%s:1:1: %s", name, err.msg);
	} else if (rules_read(str_of(name), buf_str(&text), keep, report) == 0) {
		check_groups(w, str_of(name), report);
	}
	buf_release(&text);
}

static void load_file(struct world *w, const char *name)
{
	struct rules_report report = { 0 };
	struct arena arena = { 0 };
	struct str more = STR_NONE;

	read_file(w, name, true, &report);
	if (report.nproblems > 1)
		more = arena_printf(&arena, " (%zu more: see \"rules check %s\")", report.nproblems - 1, name);
	if (report.nproblems)
		world_notice(w, (struct notice){ .kind = STR("rules"), .resource = str_of(name),
						 .message = arena_printf(&arena, "these rules are not used: " STR_FMT STR_FMT,
									 STR_ARG(report.problems[0]), STR_ARG(more)) });
	rules_report_release(&report);
	arena_release(&arena);
}

static int load_path(struct world *w, const char *name, struct err *err)
{
	struct path_list list = { 0 };
	struct stat st;

	if (stat(name, &st) < 0)
		return err_set(err, ERR_INPUT, "the path \"%s\" does not exist", name);
	if (path_list_add(&list, name, false, err) < 0) {
		path_list_release(&list);
		return -1;
	}
	for (size_t i = 0; i < list.n; i++)
		load_file(w, list.all[i].path);
	path_list_release(&list);
	return 0;
}

int rules_load(struct program *p, struct err *err)
{
	const char *home = getenv("HOME");
	struct buf folder = { 0 };
	struct err ignored = { 0 };
	struct stat st;

	if (home && *home)
		buf_printf(&folder, "%s/.kube/kubectl-status.d", home);
	/* an empty folder is no error */
	if (folder.len && stat(buf_cstr(&folder), &st) == 0 && S_ISDIR(st.st_mode) &&
	    load_path(&p->world, buf_cstr(&folder), &ignored) < 0 && ignored.code != ERR_INPUT)
		world_notice(&p->world, (struct notice){ .kind = STR("rules"), .resource = buf_str(&folder), .message = str_of(ignored.msg) });
	buf_release(&folder);
	for (size_t i = 0; i < p->options.rules.n; i++)
		if (load_path(&p->world, p->options.rules.values[i], err) < 0)
			return err_context(err, "--rules");
	return 0;
}

/* ---- check ----------------------------------------------------------------- */

struct checked {
	size_t examples, failed;
};

static bool has_wait(const struct item *item, struct str wanted)
{
	for (size_t i = 0; i < item->nwaits; i++)
		if (str_is(wanted, wait_state_name(item->waits[i].state)))
			return true;
	return false;
}

static struct str short_of(struct arena *arena, const struct rules_example *e, const struct item *item)
{
	const char *phase = phase_name(item->s.phase), *severity = severity_name(item->s.severity);

	if (item->s.phase != e->phase)
		return arena_printf(arena, "the phase is %s, not %s", phase, phase_name(e->phase));
	if (e->has_severity && item->s.severity != e->severity)
		return arena_printf(arena, "the severity is %s, not %s", severity, severity_name(e->severity));
	if (e->reason.len && !str_eq(e->reason, item->s.reason))
		return arena_printf(arena, "the reason is \"" STR_FMT "\", not \"" STR_FMT "\"", STR_ARG(item->s.reason),
				    STR_ARG(e->reason));
	if (e->wait.len && !has_wait(item, e->wait))
		return arena_printf(arena, "it has no wait \"" STR_FMT "\"", STR_ARG(e->wait));
	if (e->flag.len && !status_has_flag(&item->status, arena_str(arena, e->flag).ptr))
		return arena_printf(arena, "it has no flag \"" STR_FMT "\"", STR_ARG(e->flag));
	return STR_NONE;
}

/* Judges the object of an example in a world of its own, as if a file held nothing else, and compares. */
static void run_example(const struct rules_example *e, struct checked *sum)
{
	struct engine_source from = { .name = STR("example") };
	struct handle h = HANDLE_NONE;
	struct arena arena = { 0 };
	struct json object = JSON_NONE;
	struct str wrong = STR("the object cannot be read");
	struct world w;
	struct item item;
	struct err err = { 0 };

	world_init(&w, true);
	w.now = e->as_of;
	store_set_coverage(w.store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	if (json_parse(e->object, &object, &err) == 0 && engine_put(w.engine, &from, object, w.now, &h) != CHANGE_NONE) {
		world_settle(&w);
		if (graph_item(w.graph, h, &arena, &item)) {
			wrong = short_of(&arena, e, &item);
			if (wrong.len && item.rule.len)
				wrong = arena_printf(&arena, STR_FMT " (decided: " STR_FMT ")", STR_ARG(wrong), STR_ARG(item.rule));
		}
	}
	sum->examples++;
	if (wrong.len) {
		sum->failed++;
		say_line(arena_printf(&arena, STR_FMT ":%u: example \"" STR_FMT "\": " STR_FMT, STR_ARG(e->file), e->line,
				      STR_ARG(e->name), STR_ARG(wrong)));
	}
	json_free(object);
	world_release(&w);
	arena_release(&arena);
}

static int check_files(struct program *p, struct err *err)
{
	struct path_list list = { 0 };
	struct rules_report report = { 0 };
	struct checked sum = { 0 };
	int result = 0;

	for (size_t i = 2; result == 0 && i < p->options.nargs; i++)
		result = path_list_add(&list, p->options.args[i], false, err);
	for (size_t i = 0; result == 0 && i < list.n; i++)
		read_file(&p->world, list.all[i].path, true, &report);
	for (size_t i = 0; i < report.nproblems; i++)
		say_line(report.problems[i]);
	for (size_t i = 0; result == 0 && report.nproblems == 0 && i < report.nexamples; i++)
		run_example(&report.examples[i], &sum);
	if (result == 0) {
		buf_printf(&p->out.buf, "%zu %s, %zu %s", list.n, list.n == 1 ? "file" : "files", report.nexamples,
			   report.nexamples == 1 ? "example" : "examples");
		if (report.nproblems)
			buf_printf(&p->out.buf, ", %zu %s\n", report.nproblems, report.nproblems == 1 ? "problem" : "problems");
		else
			buf_printf(&p->out.buf, ", %zu failed\n", sum.failed);
		output_flush(&p->out);
		result = report.nproblems || sum.failed ? 1 : 0;
	}
	rules_report_release(&report);
	path_list_release(&list);
	return result;
}

/* ---- the subcommand ---------------------------------------------------------- */

bool rules_asked(const struct options *o)
{
	return o->nargs > 0 && strcmp(o->args[0], "rules") == 0;
}

int rules_command(struct program *p, struct err *err)
{
	const struct options *o = &p->options;
	const char *what = o->nargs > 1 ? o->args[1] : "";

	if (strcmp(what, "check") == 0 && o->nargs > 2)
		return check_files(p, err);
	err_set(err, ERR_USAGE, "rules needs: check FILE...");
	return err_hint(err, "see '%s --help'", o->command);
}

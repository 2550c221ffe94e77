/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the command line as pflag does: --x=v, --x v, -nv, -n v, flags and arguments mixed, "--" ends the flags. */
#include "plugin/options.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/nearest.h"
#include "kube/base/quantity.h"
#include "kube/base/time.h"
#include "kube/model/status.h"
#include "tui/state/sort.h"
#include "tui/view/columns.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least and the largest value of --flight-size, bytes. */
#define FLIGHT_LEAST MIB(1)
#define FLIGHT_MOST 1e15
enum { LABEL_COLUMNS = 8 };	/* the most columns of -L: a row has no room for more */

enum type { TYPE_SWITCH, TYPE_TEXT, TYPE_LIST, TYPE_LEVEL };

static const struct row {
	const char *name;
	size_t offset;
	enum type type;
	char letter;
} rows[] = {
#define GROUP(title)
#define OPTION(field, name, letter, type, arg, help) { name, offsetof(struct options, field), TYPE_##type, letter },
#include "plugin/options.def"
#undef OPTION
#undef GROUP
};

#define NROWS (sizeof(rows) / sizeof(rows[0]))

const struct option_row *options_rows(size_t *out_n)
{
	static const struct option_row public_rows[] = {
#define GROUP(title) { title, NULL, 0, false, NULL, NULL },
#define OPTION(field, name, letter, type, arg, help) { NULL, name, letter, TYPE_##type != TYPE_SWITCH, arg, help },
#include "plugin/options.def"
#undef OPTION
#undef GROUP
	};

	*out_n = sizeof(public_rows) / sizeof(public_rows[0]);
	return public_rows;
}

/* Returns the row of a flag by its long name, in which "_" and "-" are the same; NULL: there is none. */
static const struct row *row_by_name(struct str name)
{
	for (size_t i = 0; i < NROWS; i++) {
		size_t k = 0;

		if (strlen(rows[i].name) != name.len)
			continue;
		while (k < name.len && (name.ptr[k] == '_' ? '-' : name.ptr[k]) == rows[i].name[k])
			k++;
		if (k == name.len)
			return &rows[i];
	}
	return NULL;
}

static const struct row *row_by_letter(char letter)
{
	for (size_t i = 0; i < NROWS; i++)
		if (rows[i].letter == letter)
			return &rows[i];
	return NULL;
}

static void list_append(struct option_list *list, const char *value)
{
	list->values = xreallocarray(list->values, list->n + 2, sizeof(*list->values));
	list->values[list->n++] = value;
	list->values[list->n] = NULL;
}

static bool parse_bool(struct str s, bool *out)
{
	static const char *const yes[] = { "1", "t", "T", "true", "TRUE", "True" };
	static const char *const no[] = { "0", "f", "F", "false", "FALSE", "False" };

	for (size_t i = 0; i < 6; i++) {
		if (str_is(s, yes[i]) || str_is(s, no[i])) {
			*out = str_is(s, yes[i]);
			return true;
		}
	}
	return false;
}

static int store_value(struct options *o, const struct row *r, const char *value, struct err *err)
{
	char *field = (char *)o + r->offset;
	int64_t level;

	switch (r->type) {
	case TYPE_SWITCH:
		if (!parse_bool(str_of(value), (bool *)field))
			return err_set(err, ERR_USAGE, "invalid argument \"%s\" for \"--%s\" flag: not true or false",
				       value, r->name);
		return 0;
	case TYPE_TEXT:
		memcpy(field, &value, sizeof(value));
		return 0;
	case TYPE_LIST:
		list_append((struct option_list *)(void *)field, value);
		return 0;
	case TYPE_LEVEL:
		if (!str_to_int(str_of(value), &level) || level > 99)
			return err_set(err, ERR_USAGE, "invalid argument \"%s\" for \"-v\" flag: not a number", value);
		*(int *)(void *)field = (int)level;
		return 0;
	}
	return 0;
}

struct cursor {
	char **argv;
	int argc, at;
};

/* Sets a flag that has no "=value": a switch becomes true, others take the next argument. */
static int lone_flag(struct options *o, const struct row *r, struct cursor *c, const char *shown, struct err *err)
{
	int64_t level;

	if (r->type == TYPE_SWITCH)
		return store_value(o, r, "true", err);
	if (r->type == TYPE_LEVEL &&
	    (c->at + 1 >= c->argc || !str_to_int(str_of(c->argv[c->at + 1]), &level)))
		return store_value(o, r, "1", err);
	if (c->at + 1 >= c->argc)
		return err_set(err, ERR_USAGE, "flag needs an argument: %s", shown);
	return store_value(o, r, c->argv[++c->at], err);
}

static int unknown_flag(const struct options *o, struct str name, struct err *err)
{
	struct nearest near = { .typed = name };
	char hint[sizeof(err->hint)];

	for (size_t i = 0; i < NROWS; i++)
		if (rows[i].name[1])
			nearest_offer(&near, str_of(rows[i].name));
	err_set(err, ERR_USAGE, "unknown flag: --" STR_FMT, STR_ARG(name));
	if (!near.n)
		return err_hint(err, "see '%s --help'", o->command);
	snprintf(hint, sizeof(hint), "did you mean --" STR_FMT "?", STR_ARG(near.best[0].word));
	return err_hint(err, "%s", hint);
}

static int long_flag(struct options *o, struct cursor *c, struct err *err)
{
	const char *arg = c->argv[c->at];
	struct str body = str_from(str_of(arg), 2);
	size_t eq = str_find(body, '=');
	const struct row *r = row_by_name(str_head(body, eq));

	if (!r)
		return unknown_flag(o, str_head(body, eq), err);
	if (eq < body.len)
		return store_value(o, r, arg + 2 + eq + 1, err);
	return lone_flag(o, r, c, arg, err);
}

/* Reads an argument of short flags: "-A", "-n x", "-nx", "-n=x", "-Rf x". */
static int short_flags(struct options *o, struct cursor *c, struct err *err)
{
	const char *arg = c->argv[c->at];
	char shown[] = "-?";

	for (const char *p = arg + 1; *p; p++) {
		const struct row *r = row_by_letter(*p);

		if (!r) {
			err_set(err, ERR_USAGE, "unknown shorthand flag: '%c' in %s", *p, arg);
			return err_hint(err, "see '%s --help'", o->command);
		}
		shown[1] = *p;
		if (p[1] == '=')
			return store_value(o, r, p + 2, err);
		if (r->type != TYPE_SWITCH && p[1])
			return store_value(o, r, p + 1, err);
		if (lone_flag(o, r, c, shown, err) < 0)
			return -1;
		if (r->type != TYPE_SWITCH)
			return 0;
	}
	return 0;
}

/* ---- words: each list is a function, NULL after the last ----------------- */

typedef const char *word_at(size_t i);

static const struct {
	const char *name;
	enum format format;
} formats[] = { { "table", FORMAT_TABLE }, { "wide", FORMAT_WIDE }, { "tree", FORMAT_TREE }, { "why", FORMAT_WHY },
		{ "json", FORMAT_JSON },   { "yaml", FORMAT_YAML }, { "kyaml", FORMAT_KYAML }, { "name", FORMAT_NAME },
		{ "brief", FORMAT_BRIEF }, { "openmetrics", FORMAT_OPENMETRICS } };

const char *options_format(size_t i)
{
	return i < sizeof(formats) / sizeof(formats[0]) ? formats[i].name : NULL;
}

const char *options_color(size_t i)
{
	static const char *const colors[] = { "auto", "always", "never" };

	return i < sizeof(colors) / sizeof(colors[0]) ? colors[i] : NULL;
}

const char *options_phase(size_t i)
{
	return i < PHASE_COUNT ? phase_name((enum phase)i) : NULL;
}

const char *options_sort_key(size_t i)
{
	return i < SORT_COUNT ? sort_name((enum sort)i) : NULL;
}

static bool is_word(word_at *at, struct str word)
{
	for (size_t i = 0; at(i); i++)
		if (str_eq_nocase(word, str_of(at(i))))
			return true;
	return false;
}

static int unknown_word(const char *what, const char *flag, struct str word, word_at *at, struct err *err)
{
	struct nearest near = { .typed = word };
	char all[sizeof(err->hint)] = "known: ";
	size_t n = strlen(all);

	for (size_t i = 0; at(i) && n < sizeof(all); i++) {
		nearest_offer(&near, str_of(at(i)));
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s", i ? ", " : "", at(i));
	}
	err_set(err, ERR_USAGE, "unknown %s \"" STR_FMT "\" for --%s", what, STR_ARG(word), flag);
	return nearest_hint(&near, err, all);
}

static int check_list(const char *what, const char *flag, const char *list, word_at *at, struct err *err)
{
	struct str rest = str_of(list), word;

	while (str_split(&rest, ',', &word))
		if (!is_word(at, str_trim(word)))
			return unknown_word(what, flag, str_trim(word), at, err);
	return 0;
}

/* Those formats of kubectl that pick fields, which this program does not support. */
static const char *const pick_fields[] = { "jsonpath",	      "go-template",	    "template",		   "templatefile",
					   "custom-columns",  "jsonpath-as-json",   "custom-columns-file", "go-template-file",
					   "jsonpath-file",   NULL };

static int check_format(struct options *o, struct err *err)
{
	struct str format = str_of(o->output);

	if (!o->output)
		return 0;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (str_is(format, formats[i].name))
			o->format = formats[i].format;
	if (o->format != FORMAT_NONE)
		return 0;
	if (!str_is_any(str_head(format, str_find(format, '=')), pick_fields)) {
		struct nearest near = { .typed = format };

		for (size_t i = 0; options_format(i); i++)
			nearest_offer(&near, str_of(options_format(i)));
		err_set(err, ERR_USAGE, "unable to match a printer suitable for the output format \"%s\", allowed formats "
			"are: brief,json,kyaml,name,openmetrics,table,tree,why,wide,yaml", o->output);
		return near.n ? nearest_hint(&near, err, "") : -1;
	}
	format = str_head(format, str_find(format, '='));
	err_set(err, ERR_USAGE, "-o " STR_FMT " is not supported", STR_ARG(format));
	if (str_starts(format, "custom-columns"))
		return err_hint(err, "--columns chooses columns; -o json and jq choose any field");
	return err_hint(err, "use -o json and jq: %s -o json | jq -r '.items[].name'", o->command);
}

/* Checks the names of -n A,B,C: an empty one would ask for all namespaces. */
static int check_namespaces(const struct options *o, struct err *err)
{
	struct str rest = str_of(o->namespace), ns;

	if (str_ends(rest, ","))
		return err_set(err, ERR_USAGE, "invalid --namespace value \"%s\": the name behind the last comma is missing", o->namespace);
	while (str_split(&rest, ',', &ns))
		if (!ns.len)
			return err_set(err, ERR_USAGE, "invalid --namespace value \"%s\": a name is missing", o->namespace);
	return 0;
}

static int check_duration(const char *flag, const char *text, int64_t *out_ms, struct err *err)
{
	if (!text || !text[0])
		return 0;
	*out_ms = time_duration(str_of(text));
	if (*out_ms < 0 && strcmp(flag, "request-timeout") == 0)	/* the message is kubectl's */
		return err_set(err, ERR_USAGE, "Invalid timeout value. Timeout must be a single integer in seconds, or an "
			       "integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)");
	if (*out_ms < 0)
		return err_set(err, ERR_USAGE,
			       "invalid --%s value \"%s\": it must be a single integer in seconds, or an integer followed "
			       "by a corresponding time unit (e.g. 1s | 2m | 3h)", flag, text);
	return 0;
}

static int check_words(const struct options *o, struct err *err)
{
	enum sort sort;

	if (o->columns && !*o->columns)
		return err_set(err, ERR_USAGE, "--columns needs the name of a column, such as name");
	if (check_list("column", "columns", o->columns, column_name, err) < 0 ||
	    check_list("value", "color", o->color, options_color, err) < 0)
		return -1;
	if (o->sort_by && !sort_parse(str_of(o->sort_by), &sort))
		return unknown_word("sort key", "sort-by", str_of(o->sort_by), options_sort_key, err);
	return 0;
}

bool options_show_use(const struct options *o, const char *column)
{
	bool table = o->format == FORMAT_NONE || o->format == FORMAT_TABLE || o->format == FORMAT_WIDE;

	if (o->format == FORMAT_NONE && (o->problems || o->wait_for))
		return false;
	return table && columns_have(o->columns, column);
}

int options_check_sort(const struct options *o, struct err *err)
{
	enum sort sort;

	if (!o->sort_by || !sort_parse(str_of(o->sort_by), &sort) || !sort_by_use(sort) || options_show_use(o, sort_name(sort)))
		return 0;
	return err_set(err, ERR_USAGE, "--sort-by %s needs its column: --columns name,%s", sort_name(sort), sort_name(sort));
}

/* Reads --for: a phase, or as kubectl wait has it condition=TYPE[=STATUS], delete, create. */
static int check_goal(struct options *o, struct err *err)
{
	struct str text = str_of(o->wait_for), condition;

	if (!o->wait_for)
		return 0;
	if (str_empty(text))
		return err_set(err, ERR_USAGE, "--for needs a phase, such as Ready");
	o->goal = GOAL_PHASE;
	if (str_eq_nocase(text, STR("delete")))
		o->goal = GOAL_DELETE;
	else if (str_eq_nocase(text, STR("create")))
		o->goal = GOAL_CREATE;
	else if (str_starts(text, "condition="))
		o->goal = GOAL_CONDITION;
	else if (str_starts(text, "jsonpath=")) {
		err_set(err, ERR_USAGE, "--for=jsonpath is not supported");
		return err_hint(err, "wait for a phase, such as --for Ready, or for condition=TYPE[=STATUS]");
	}
	if (o->goal == GOAL_PHASE)
		return check_list("phase", "for", o->wait_for, options_phase, err);
	condition = str_from(text, sizeof("condition=") - 1);
	o->condition = str_head(condition, str_find(condition, '='));
	o->condition_status = str_from(condition, o->condition.len + 1);
	if (str_empty(o->condition_status))
		o->condition_status = STR("True");
	if (o->goal == GOAL_CONDITION && str_empty(o->condition))
		return err_set(err, ERR_USAGE, "--for=condition= needs the type of a condition, such as condition=Ready");
	return 0;
}

/* Returns the ms since midnight of "05:01" or "05:01:30", as the screen shows times; -1 for other texts. */
static int64_t clock_time(struct str text)
{
	char day[sizeof("1970-01-01T00:00:00Z")];
	int64_t time;

	if (text.len != 5 && text.len != 8)
		return -1;
	snprintf(day, sizeof(day), "1970-01-02T" STR_FMT "%sZ", STR_ARG(text), text.len == 5 ? ":00" : "");
	time = time_parse(str_of(day));
	return time ? time - HOURS(24) : -1;
}

static int check_moment(const char *flag, struct str text, struct moment_option *out, struct err *err)
{
	out->time = time_parse(text);
	out->clock = clock_time(text);
	out->by_clock = out->clock >= 0;
	out->back = out->time || out->by_clock ? 0 : time_duration(text);
	if (out->time || out->by_clock || out->back > 0 || str_is(text, "0") || str_is(text, "0s"))
		return 0;
	return err_set(err, ERR_USAGE, "invalid --%s value \"" STR_FMT "\": not a time such as 2026-11-20T09:00:00Z or 09:00:00 "
		       "(UTC), nor a duration back such as 10m", flag, STR_ARG(text));
}

/* Reads --diff T1,T2. */
static int check_diff(struct options *o, struct err *err)
{
	struct str text = str_of(o->diff);
	size_t comma = str_find(text, ',');

	if (!o->diff)
		return 0;
	if (comma == text.len)
		return err_set(err, ERR_USAGE, "--diff needs two moments, such as 10m,0s or "
			       "2026-11-20T09:00:00Z,2026-11-20T09:10:00Z");
	if (check_moment("diff", str_head(text, comma), &o->diff_moments[0], err) < 0 ||
	    check_moment("diff", str_from(text, comma + 1), &o->diff_moments[1], err) < 0)
		return -1;
	return 0;
}

int options_need_recording(const struct options *o, struct err *err)
{
	if (o->diff) {
		err_set(err, ERR_USAGE, "--diff needs --replay or --history: it compares two moments of a recording");
		return err_hint(err, "the dashboard shows what changed since it started: press C there");
	}
	return err_set(err, ERR_USAGE, "--%s needs --replay or --history: it chooses a part of a recording", o->from ? "from" : "to");
}

bool options_is_document(enum format format)
{
	return format == FORMAT_JSON || format == FORMAT_YAML || format == FORMAT_KYAML;
}

bool options_is_moment(enum format format)
{
	return format == FORMAT_BRIEF || format == FORMAT_OPENMETRICS;
}

static int check_range(struct options *o, struct err *err)
{
	if ((o->from && check_moment("from", str_of(o->from), &o->from_moment, err) < 0) ||
	    (o->to && check_moment("to", str_of(o->to), &o->to_moment, err) < 0))
		return -1;
	if ((!o->diff && !o->from && !o->to) || o->format == FORMAT_NONE || o->format == FORMAT_TABLE || options_is_document(o->format))
		return 0;
	return err_set(err, ERR_USAGE, "%s prints -o table, json, yaml or kyaml, not %s", o->diff ? "--diff" : "a timeline", o->output);
}

const char *options_cache_dir(const struct options *o, struct arena *arena)
{
	const char *dir = getenv("KUBECACHEDIR"), *home = getenv("HOME");

	if (o->cache_dir)
		return o->cache_dir;
	if (dir && *dir)
		return dir;
	return home && *home ? arena_printf(arena, "%s/.kube/cache", home).ptr : NULL;
}

int64_t moment_of(struct moment_option m, int64_t end)
{
	int64_t today = end - end % HOURS(24) + m.clock;

	if (m.by_clock)
		return today <= end ? today : today - HOURS(24);
	return m.time ? m.time : end - m.back;
}

int64_t options_moment(const struct options *o, int64_t otherwise)
{
	return moment_of(o->as_of_moment, otherwise);
}

/* Checks --report, which writes one file and then ends. */
static int check_report(const struct options *o, struct err *err)
{
	struct str name = str_of(o->report);

	if (!o->report)
		return 0;
	if (!str_ends(name, ".html") && !str_ends(name, ".md")) {
		err_set(err, ERR_USAGE, "invalid --report value \"%s\": the ending tells the form, and must be .html or .md", o->report);
		return err_hint(err, "such as --report incident.html");
	}
	return 0;
}

/* Flags that contradict each other: one, and each of the others. */
static const struct contradiction {
	const char *one, *others;
	const char *why;	/* NULL: "only one of ... can be specified" */
	const char *hint;
} contradictions[] = {
	{ "replay", "filename", NULL, NULL },
	{ "history", "replay filename", NULL, NULL },
	{ "report", "output watch for diff flight", NULL, NULL },
	{ "from", "diff as-of watch for", NULL, NULL },
	{ "to", "diff as-of watch for", NULL, NULL },
	{ "record", "filename", "--record needs a cluster: -f reads files", NULL },
	{ "flight", "replay filename", "--flight needs a cluster: --replay and -f read files", NULL },
	{ "watch", "filename", "--watch needs a cluster or --replay: files do not change", NULL },
	{ "watch", "for", NULL, NULL },
	{ "diff", "watch for as-of problems", NULL, NULL },
	{ "contexts", "all-contexts", NULL, NULL },
	{ "context", "contexts all-contexts", NULL, NULL },
	{ "alert", "diff from to", NULL, "the labels of the alert choose what is shown" },
};

static bool is_given(const struct options *o, const struct row *r)
{
	const char *field = (const char *)o + r->offset;

	switch (r->type) {
	case TYPE_SWITCH: return *(const bool *)field;
	case TYPE_TEXT: return *(const char *const *)(const void *)field;
	case TYPE_LIST: return ((const struct option_list *)(const void *)field)->n > 0;
	case TYPE_LEVEL: return *(const int *)(const void *)field > 0;
	}
	return false;
}

static int refuse_both(const struct contradiction *c, const struct row *other, struct err *err)
{
	if (c->why)
		err_set(err, ERR_USAGE, "%s", c->why);
	else
		err_set(err, ERR_USAGE, "only one of --%s or --%s can be specified", c->one, other->name);
	return c->hint ? err_hint(err, "%s", c->hint) : -1;
}

static int check_contradictions(const struct options *o, struct err *err)
{
	for (size_t i = 0; i < sizeof(contradictions) / sizeof(contradictions[0]); i++) {
		const struct contradiction *c = &contradictions[i];
		struct str rest = str_of(c->others), name;

		while (is_given(o, row_by_name(str_of(c->one))) && str_split(&rest, ' ', &name))
			if (is_given(o, row_by_name(name)))
				return refuse_both(c, row_by_name(name), err);
	}
	return 0;
}

/* Refuses what more than two flags, a value, or a flag that is not given make wrong. */
static int check_together(const struct options *o, struct err *err)
{
	bool range = o->from || o->to;

	if (o->replay && o->record && !range) {
		err_set(err, ERR_USAGE, "only one of --replay or --record can be specified");
		return err_hint(err, "--from and --to copy a part of a recording");
	}
	if (o->report && o->replay && o->record)
		return err_set(err, ERR_USAGE, "only one of --report or --record can be specified");
	if ((o->diff || range) && o->filename.n)
		return options_need_recording(o, err);
	if (range && o->problems && !o->report)
		return err_set(err, ERR_USAGE, "only one of --%s or --problems can be specified", o->from ? "from" : "to");
	if (range && o->record && o->output)
		return err_set(err, ERR_USAGE, "only one of --record or -o can be specified with --from and --to");
	if (o->watch && options_is_moment(o->format))
		return err_set(err, ERR_USAGE, "--watch prints each change, and -o %s a moment: only one of them can be specified", o->output);
	if (o->timeout && !o->wait_for)
		return err_set(err, ERR_USAGE, "--timeout needs --for");
	if (o->alert && o->nargs) {
		err_set(err, ERR_USAGE, "only one of --alert or TYPE and NAME can be specified");
		return err_hint(err, "the labels of the alert choose what is shown");
	}
	return 0;
}

static int check_speed(struct options *o, const char *text, struct err *err)
{
	char *end = NULL;

	o->speed = 1;
	if (!text)
		return 0;
	o->speed = strtod(text, &end);
	if (end == text || *end || !(o->speed > 0) || o->speed > 1e6)
		return err_set(err, ERR_USAGE, "invalid --speed value \"%s\": a number above 0", text);
	if (!o->replay)
		return err_set(err, ERR_USAGE, "--speed needs --replay");
	return 0;
}

/* Reads --flight-size as Kubernetes writes sizes: 256Mi, 1G, or a number of bytes. */
static int check_flight(struct options *o, struct err *err)
{
	double bytes = quantity_read(str_of(o->flight_size));

	if (!o->flight_size)
		return 0;
	if (!o->flight)
		return err_set(err, ERR_USAGE, "--flight-size needs --flight");
	if (!(bytes >= FLIGHT_LEAST) || bytes > FLIGHT_MOST)
		return err_set(err, ERR_USAGE, "invalid --flight-size value \"%s\": a size of at least 1Mi, such as 256Mi",
			       o->flight_size);
	o->flight_bytes = (size_t)bytes;
	return 0;
}

/* Splits the values of a list at their commas, as kubectl does. */
static void split_list(struct option_list *list)
{
	struct option_list all = { 0 };

	for (size_t i = 0; i < list->n; i++) {
		struct str rest = str_of(list->values[i]), name;

		while (str_split(&rest, ',', &name)) {
			char *end = (char *)(uintptr_t)(name.ptr + name.len);

			if (*end)
				*end = 0;	/* argv may be changed */
			list_append(&all, name.ptr);
		}
		if (list->values[i][0] == 0)
			list_append(&all, list->values[i]);
	}
	xfree(list->values);
	*list = all;
}

const char *options_file_name(const char *program)
{
	const char *slash = strrchr(program, '/');

	return slash ? slash + 1 : program;
}

struct command_name options_command(const char *file)
{
	struct command_name out;

	snprintf(out.text, sizeof(out.text), "%s", file);
	if (str_starts(str_of(file), "kubectl-"))
		for (char *p = out.text; *p; p++)
			*p = *p == '-' ? ' ' : *p == '_' ? '-' : *p;
	return out;
}

/* Reads the words of the command line, without checking what the values say. */
static int read_words(int argc, char **argv, struct options *out, struct err *err)
{
	struct cursor c = { argv, argc, 1 };
	struct option_list args = { 0 };
	bool flags = true;
	int result = 0;

	for (; c.at < c.argc && result == 0; c.at++) {
		const char *arg = argv[c.at];

		if (flags && strcmp(arg, "--") == 0)
			flags = false;
		else if (flags && strncmp(arg, "--", 2) == 0)
			result = long_flag(out, &c, err);
		else if (flags && arg[0] == '-' && arg[1])
			result = short_flags(out, &c, err);
		else
			list_append(&args, arg);
	}
	out->args = args.values;
	out->nargs = args.n;
	return result;
}

static int check_values(struct options *o, struct err *err)
{
	if (check_format(o, err) < 0 || check_namespaces(o, err) < 0 || check_words(o, err) < 0 || check_goal(o, err) < 0 ||
	    (o->as_of && check_moment("as-of", str_of(o->as_of), &o->as_of_moment, err) < 0) ||
	    check_diff(o, err) < 0 || check_range(o, err) < 0 || check_duration("timeout", o->timeout, &o->timeout_ms, err) < 0 ||
	    check_duration("request-timeout", o->request_timeout, &o->request_timeout_ms, err) < 0 ||
	    check_speed(o, o->speed_text, err) < 0 || check_flight(o, err) < 0 || check_report(o, err) < 0)
		return -1;
	if (o->label_columns.n > LABEL_COLUMNS)
		return err_set(err, ERR_USAGE, "at most %d labels for -L", LABEL_COLUMNS);
	return check_contradictions(o, err) < 0 ? -1 : check_together(o, err);
}

int options_parse(int argc, char **argv, struct options *out, struct err *err)
{
	const char *file = options_file_name(argc ? argv[0] : "kubectl-status");
	int result;

	*out = (struct options){ .file = file };
	snprintf(out->command, sizeof(out->command), "%s", options_command(file).text);
	result = read_words(argc, argv, out, err);
	if (result == 0) {
		split_list(&out->filename);
		split_list(&out->label_columns);
		out->watch |= out->watch_only;
		result = check_values(out, err);
	}
	if (result < 0)
		options_release(out);
	return result;
}

void options_release(struct options *o)
{
	xfree(o->args);
	xfree(o->filename.values);
	xfree(o->label_columns.values);
	xfree(o->as_group.values);
	xfree(o->as_user_extra.values);
	*o = (struct options){ 0 };
}

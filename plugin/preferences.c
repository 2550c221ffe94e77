/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/preferences.h"

#include "kube/base/limits.h"
#include "kube/base/file.h"
#include "kube/base/nearest.h"
#include "kube/family/families.h"
#include "kube/model/yaml.h"
#include "kube/status/thresholds.h"
#include "tui/view/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Durations are strings; a bare number is one of seconds, or a count. */
static int read_threshold(struct json member, struct err *err)
{
	struct buf number = { 0 };
	int64_t n = json_int(member, "", -1);
	int result;

	if (n >= 0)
		buf_printf(&number, "%lld", (long long)n);
	result = thresholds_set(families_all, json_key(member), n >= 0 ? buf_str(&number) : json_str(member, ""), err);
	buf_release(&number);
	return result;
}

static int check_kind(struct json preferences, struct err *err)
{
	if (!json_is_object(preferences))
		return err_set(err, ERR_INPUT, "the file must be a map");
	if (!str_is(json_str(preferences, "apiVersion"), "kubectl-status/v1") || !str_is(json_str(preferences, "kind"), "Preferences")) {
		err_set(err, ERR_INPUT, "this version of Preferences is not known");
		return err_hint(err, "begin it with apiVersion: kubectl-status/v1 and kind: Preferences");
	}
	return 0;
}

/* What is read, and where: the keys of the member that is wrong. */
struct reading {
	struct preferences *out;
	struct str map, key;	/* map "": at the top */
};

static int read_theme(struct reading *r, struct json value, struct err *err)
{
	if (theme_parse(json_str(value, ""), &r->out->theme))
		return 0;
	return err_set(err, ERR_INPUT, "unknown theme \"" STR_FMT "\"; known: %s", STR_ARG(json_str(value, "")),
		       theme_names());
}

static int read_bell(struct reading *r, struct json value, struct err *err)
{
	bool yes = json_bool(value, "", false);

	if (json_bool(value, "", true) != yes)
		return err_set(err, ERR_INPUT, "bell must be true or false");
	r->out->silent = !yes;
	return 0;
}

static int read_history(struct reading *r, struct json value, struct err *err)
{
	int64_t mb = json_int(value, "", 0);

	if (mb < 1 || mb > 4096)
		return err_set(err, ERR_INPUT, "history must be a number of MB, 1 to 4096");
	r->out->history = (unsigned)mb;
	return 0;
}

static int add_column(struct preferences *out, struct str name, struct err *err)
{
	size_t had = strlen(out->columns), i = 0;

	while (report_column_name(i) && !str_eq_nocase(name, str_of(report_column_name(i))))
		i++;
	if (!report_column_name(i)) {
		struct nearest near = { .typed = name };

		for (i = 0; report_column_name(i); i++)
			nearest_offer(&near, str_of(report_column_name(i)));
		err_set(err, ERR_INPUT, "unknown column \"" STR_FMT "\"", STR_ARG(name));
		return nearest_hint(&near, err, "the manual names them under COLUMNS");
	}
	if (had + name.len + 2 > sizeof(out->columns))
		return err_set(err, ERR_INPUT, "too many columns");
	if (had)
		out->columns[had++] = ',';
	memcpy(out->columns + had, name.ptr, name.len);
	out->columns[had + name.len] = '\0';
	return 0;
}

/* A list, or a text as --columns takes it. */
static int read_columns(struct reading *r, struct json value, struct err *err)
{
	struct str rest = json_str(value, ""), name;

	while (str_split(&rest, ',', &name))
		if (add_column(r->out, str_trim(name), err) < 0)
			return -1;
	if (json_is_array(value))
		json_foreach(it, value)
			if (add_column(r->out, json_str(it, ""), err) < 0)
				return -1;
	return r->out->columns[0] ? 0 : err_set(err, ERR_INPUT, "columns must be a list of names, such as [name, phase, message]");
}

static int read_keys(struct reading *r, struct json value, struct err *err)
{
	if (!json_is_object(value))
		return err_set(err, ERR_INPUT, "keys must be a map");
	json_foreach(it, value) {
		r->map = STR("keys");
		r->key = json_key(it);
		if (bindings_set(&r->out->keys, json_key(it), json_str(it, ""), err) < 0)
			return -1;
	}
	return 0;
}

static int read_thresholds(struct reading *r, struct json value, struct err *err)
{
	if (!json_is_object(value))
		return err_set(err, ERR_INPUT, "thresholds must be a map");
	json_foreach(it, value) {
		r->map = STR("thresholds");
		r->key = json_key(it);
		if (read_threshold(it, err) < 0)
			return -1;
	}
	return 0;
}

static int read_nothing(struct reading *r, struct json value, struct err *err)
{
	(void)r;
	(void)value;
	(void)err;
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct reading *r, struct json value, struct err *err);
} members[] = {
	{ "apiVersion", read_nothing }, { "kind", read_nothing },	  { "theme", read_theme },
	{ "bell", read_bell },		{ "history", read_history },	  { "columns", read_columns },
	{ "keys", read_keys },		{ "thresholds", read_thresholds },
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

static int read_member(struct reading *r, struct json it, struct err *err)
{
	struct nearest near = { .typed = json_key(it) };

	r->map = STR_NONE;
	r->key = json_key(it);
	for (size_t i = 0; i < MEMBERS; i++)
		if (str_is(json_key(it), members[i].name))
			return members[i].read(r, it, err);
	for (size_t i = 0; i < MEMBERS; i++)
		nearest_offer(&near, str_of(members[i].name));
	err_set(err, ERR_INPUT, "unknown field \"" STR_FMT "\"", STR_ARG(json_key(it)));
	return nearest_hint(&near, err, "known: theme, bell, history, columns, keys, thresholds");
}

static int read_preferences(struct reading *r, struct json preferences, struct err *err)
{
	if (check_kind(preferences, err) < 0)
		return -1;
	json_foreach(it, preferences)
		if (read_member(r, it, err) < 0)
			return -1;
	return 0;
}

/* ---- where it stands ------------------------------------------------------------ */

static bool ends_a_key(struct str rest)
{
	while (rest.len && (rest.ptr[0] == ' ' || rest.ptr[0] == '"' || rest.ptr[0] == '\''))
		rest = str_from(rest, 1);
	return rest.len && rest.ptr[0] == ':';
}

static bool begins_a_key(struct str text, size_t at)
{
	char before = at ? text.ptr[at - 1] : '\n';

	return before == '\n' || before == ' ' || before == '\t' || before == '{' || before == ',' || before == '"' ||
	       before == '\'';
}

/* The key from there on; text.len when it is not found (it may be written in another way). */
static size_t find_key(struct str text, size_t from, struct str key)
{
	for (size_t at = from; key.len && at + key.len <= text.len; at++)
		if (str_eq(str_head(str_from(text, at), key.len), key) && begins_a_key(text, at) &&
		    ends_a_key(str_from(text, at + key.len)))
			return at;
	return text.len;
}

/* "mine.yaml: line 4, column 9" */
static int say_where(const char *name, struct str text, const struct reading *r, struct err *err)
{
	size_t from = r->map.len ? find_key(text, 0, r->map) : 0, at, line = 1, column = 1;

	at = find_key(text, from < text.len ? from : 0, r->key);
	if (at == text.len)
		return err_context(err, "%s", name);
	for (size_t i = 0; i < at; i++) {
		column = text.ptr[i] == '\n' ? 1 : column + 1;
		line += text.ptr[i] == '\n';
	}
	return err_context(err, "%s: line %zu, column %zu", name, line, column);
}

static int read_text(const char *name, struct str text, struct preferences *out, struct err *err)
{
	struct buf bytes = { 0 };
	struct json preferences = JSON_NONE;
	struct reading r = { .out = out };
	int result = yaml_first_to_json(text, &bytes, err);

	if (result == 0 && bytes.len)
		result = json_parse(buf_str(&bytes), &preferences, err);
	if (result < 0)
		result = err_context(err, "%s", name);
	else if (bytes.len && read_preferences(&r, preferences, err) < 0)
		result = say_where(name, text, &r, err);
	json_free(preferences);
	buf_release(&bytes);
	return result;
}

static int read_file(const char *name, bool wanted, struct preferences *out, struct err *err)
{
	struct buf text = BUF_MAX(LIMIT_ENVELOPE);
	int why = 0, result = file_read(str_of(name), &text, &why, err);

	if (result < 0 && !wanted && (why == ENOENT || why == ENOTDIR))
		result = 0;
	else if (result < 0)
		result = err_hint(err, "your preferences%s", wanted ? ": $KUBECTL_STATUS_CONFIG names that file" : "");
	else if (result == 0)
		result = read_text(name, buf_str(&text), out, err);
	buf_release(&text);
	return result;
}

int preferences_load(struct preferences *out, struct err *err)
{
	const char *named = getenv("KUBECTL_STATUS_CONFIG"), *home = getenv("HOME");
	struct buf name = { 0 };
	int result;

	if (named && *named)
		return read_file(named, true, out, err);
	if (!home || !*home)
		return 0;
	buf_printf(&name, "%s/.kube/kubectl-status.yaml", home);
	result = read_file(buf_cstr(&name), false, out, err);
	buf_release(&name);
	return result;
}

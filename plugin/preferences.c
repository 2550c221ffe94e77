/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/preferences.h"

#include "kube/base/limits.h"
#include "kube/base/file.h"
#include "kube/family/families.h"
#include "kube/model/yaml.h"
#include "kube/status/thresholds.h"

#include <errno.h>
#include <stdlib.h>

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
		return err_set(err, ERR_INPUT, "no map, so no Preferences");
	if (!str_is(json_str(preferences, "apiVersion"), "kubectl-status/v1") || !str_is(json_str(preferences, "kind"), "Preferences")) {
		err_set(err, ERR_INPUT, "no Preferences of a version that is known");
		return err_hint(err, "begin it with apiVersion: kubectl-status/v1 and kind: Preferences");
	}
	return 0;
}

static int read_preferences(struct json preferences, struct err *err)
{
	struct json changed = json_at(preferences, "thresholds");

	if (check_kind(preferences, err) < 0)
		return -1;
	json_foreach(it, preferences)
		if (!str_is(json_key(it), "apiVersion") && !str_is(json_key(it), "kind") &&
		    !str_is(json_key(it), "thresholds"))
			return err_set(err, ERR_INPUT, "unknown field \"" STR_FMT "\"", STR_ARG(json_key(it)));
	if (json_has(preferences, "thresholds") && !json_is_object(changed))
		return err_set(err, ERR_INPUT, "thresholds is no map");
	if (json_is_object(changed))
		json_foreach(it, changed)
			if (read_threshold(it, err) < 0)
				return -1;
	return 0;
}

static int read_text(struct str text, struct err *err)
{
	struct buf bytes = { 0 };
	struct json preferences = JSON_NONE;
	int result = yaml_first_to_json(text, &bytes, err);

	if (result == 0 && bytes.len)
		result = json_parse(buf_str(&bytes), &preferences, err);
	if (result == 0 && bytes.len)
		result = read_preferences(preferences, err);
	json_free(preferences);
	buf_release(&bytes);
	return result;
}

static int read_file(const char *name, bool wanted, struct err *err)
{
	struct buf text = BUF_MAX(LIMIT_ENVELOPE);
	int why = 0, result = file_read(str_of(name), &text, &why, err);

	if (result < 0 && !wanted && (why == ENOENT || why == ENOTDIR))
		result = 0;
	else if (result < 0)
		result = err_hint(err, "your preferences%s", wanted ? ": $KUBECTL_STATUS_CONFIG names that file" : "");
	else if (result == 0 && read_text(buf_str(&text), err) < 0)
		result = err_context(err, "%s", name);
	buf_release(&text);
	return result;
}

int preferences_load(struct err *err)
{
	const char *named = getenv("KUBECTL_STATUS_CONFIG"), *home = getenv("HOME");
	struct buf name = { 0 };
	int result;

	if (named && *named)
		return read_file(named, true, err);
	if (!home || !*home)
		return 0;
	buf_printf(&name, "%s/.kube/kubectl-status.yaml", home);
	result = read_file(buf_cstr(&name), false, err);
	buf_release(&name);
	return result;
}

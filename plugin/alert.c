/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/alert.h"

#include "kube/base/time.h"
#include "kube/model/document.h"

#include <string.h>

enum { LABELS = 200, DEPTH = 40 };	/* more of these are left out */

/*
 * The labels that name an object, and its TYPE.  Those of kube-state-metrics are named after the kind (docs/metrics of
 * kubernetes/kube-state-metrics); "job_name" is the Job there, and "job" what Prometheus scraped.
 */
static const struct {
	const char *label, *type;
	bool weak;	/* it may as well be of what was scraped: it counts where no other label names an object */
} names[] = {
	{ "pod", "pods", false },
	{ "deployment", "deployments.apps", false },
	{ "statefulset", "statefulsets.apps", false },
	{ "daemonset", "daemonsets.apps", false },
	{ "replicaset", "replicasets.apps", false },
	{ "job_name", "jobs.batch", false },
	{ "cronjob", "cronjobs.batch", false },
	{ "persistentvolumeclaim", "persistentvolumeclaims", false },
	{ "persistentvolume", "persistentvolumes", false },
	{ "horizontalpodautoscaler", "horizontalpodautoscalers.autoscaling", false },
	{ "poddisruptionbudget", "poddisruptionbudgets.policy", false },
	{ "ingress", "ingresses.networking.k8s.io", false },
	{ "resourcequota", "resourcequotas", false },
	{ "node", "nodes", false },
	{ "service", "services", true },
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

/* Labels that hold the kind of the object that the label "name" names, and its group. */
static const char *const kinds[] = { "customresource_kind", "kind", "resource_kind", NULL };
static const char *const groups[] = { "customresource_group", "group", NULL };

struct label {
	struct str key, value;
};

/* One alert. */
struct labels {
	struct label all[LABELS];
	size_t n;
};

struct reading {
	struct alert *out;
	bool resolved;	/* resolved alerts are taken, and not those that fire */
	struct labels labels;
	size_t depth;
};

/* ---- what labels mean ---------------------------------------------------------- */

/* Returns a label of the object itself: where a metric was scraped from another place, it is called exported_pod. */
static struct str label_of(const struct labels *l, const char *key)
{
	struct str plain = STR_NONE;

	for (size_t i = 0; i < l->n; i++) {
		if (str_starts(l->all[i].key, "exported_") && str_is(str_from(l->all[i].key, strlen("exported_")), key))
			return l->all[i].value;
		if (str_is(l->all[i].key, key))
			plain = l->all[i].value;
	}
	return plain;
}

static struct str label_of_any(const struct labels *l, const char *const *keys)
{
	struct str value = STR_NONE;

	for (size_t i = 0; keys[i] && !value.len; i++)
		value = label_of(l, keys[i]);
	return value;
}

static void add_word(struct alert *a, struct str *list, struct str word)
{
	bool fits = word.len && str_find(word, ',') == word.len && !str_is_listed(word, *list);

	if (fits)
		*list = list->len ? ARENA_JOIN(&a->arena, *list, STR(","), word) : arena_str(&a->arena, word);
}

static void add_object(struct alert *a, struct alert_object object)
{
	for (size_t i = 0; i < a->n; i++)
		if (str_eq(a->objects[i].type, object.type) && str_eq(a->objects[i].ns, object.ns) && str_eq(a->objects[i].name, object.name))
			return;
	a->objects = arena_grow(&a->arena, a->objects, a->n, &a->cap, sizeof(*a->objects));
	a->objects[a->n++] = (struct alert_object){ object.label, arena_str(&a->arena, object.type), arena_str(&a->arena, object.ns),
						    arena_str(&a->arena, object.name), object.runbook };
}

static void add_objects(struct alert *a, const struct labels *l, struct str ns, struct str runbook)
{
	struct str kind = label_of_any(l, kinds), name = label_of(l, "name"), group = label_of_any(l, groups);
	size_t before = a->n;

	if (kind.len && name.len)
		add_object(a, (struct alert_object){ "name", ARENA_JOIN(&a->arena, kind, str_of(group.len ? "." : ""), group), ns, name, runbook });
	for (size_t i = 0; i < NAMES; i++) {
		name = label_of(l, names[i].label);
		if (name.len && (!names[i].weak || a->n == before))
			add_object(a, (struct alert_object){ names[i].label, str_of(names[i].type), ns, name, runbook });
	}
}

/* Takes an alert whose labels were read; since: ms or 0. */
static void take(struct reading *r, int64_t since, struct str runbook)
{
	const struct labels *l = &r->labels;
	struct alert *a = r->out;
	struct str ns = label_of(l, "namespace");

	if (!l->n)
		return;
	if (++a->alerts > ALERTS_READ)
		return;
	runbook = str_is_address(runbook) ? arena_str(&a->arena, runbook) : STR_NONE;
	add_word(a, &a->namespaces, ns);
	add_word(a, &a->clusters, label_of(l, "cluster"));
	add_objects(a, l, ns, runbook);
	if (!a->name.len)
		a->name = arena_str(&a->arena, label_of(l, "alertname"));
	if (!a->runbook.len)
		a->runbook = runbook;
	if (since > 0 && (!a->since || since < a->since))	/* Go's time zero, of the year 1, is none */
		a->since = since;
}

static void add_label(struct reading *r, struct str key, struct str value)
{
	if (r->labels.n < LABELS)
		r->labels.all[r->labels.n++] = (struct label){ key, value };
}

/* ---- texts with pairs ------------------------------------------------------------ */

static bool is_key_part(char c)
{
	return is_alnum(c) || c == '_';
}

/* Takes a value in quotes off the front of *s, in which a \ stands before what is meant as it is; false: it is empty. */
static bool take_quoted(struct str *s, struct str *out, struct arena *arena)
{
	char quote = s->ptr[0];
	struct buf value = { 0 };
	size_t i = 1;

	for (; i < s->len && s->ptr[i] != quote; i++) {
		if (s->ptr[i] == '\\' && i + 1 < s->len)
			i++;
		buf_add_char(&value, s->ptr[i]);
	}
	*out = arena_take(arena, &value);
	*s = str_from(*s, i + 1);
	return out->len > 0;
}

/* Takes the next pair off a text: key="value" anywhere, and key = value on a line of its own that begins with "-". */
static bool take_pair(struct str *text, struct label *out, struct arena *arena)
{
	bool in_list = false;

	while (text->len) {
		size_t n = 0, end;
		struct str rest;

		while (n < text->len && is_key_part(text->ptr[n]))
			n++;
		out->key = str_head(*text, n);
		rest = str_from(*text, n);
		while (rest.len && n && (rest.ptr[0] == ' ' || rest.ptr[0] == '\t'))
			rest = str_from(rest, 1);
		if (!n || !rest.len || rest.ptr[0] != '=') {
			in_list = n ? false : text->ptr[0] == '-' || (in_list && text->ptr[0] == ' ');
			*text = str_from(*text, n ? n : 1);
			continue;
		}
		rest = str_from(rest, 1);
		while (rest.len && (rest.ptr[0] == ' ' || rest.ptr[0] == '\t'))
			rest = str_from(rest, 1);
		*text = rest;
		if (rest.len && (rest.ptr[0] == '"' || rest.ptr[0] == '\'') && take_quoted(text, &out->value, arena))
			return true;
		end = str_find(rest, '\n');
		out->value = str_trim(str_head(rest, end));
		if (in_list && out->value.len) {
			*text = str_from(rest, end);
			return true;
		}
		in_list = false;
	}
	return false;
}

static bool is_read(const struct labels *l, struct str key)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->all[i].key, key))
			return true;
	return false;
}

/* Takes the alerts of a text: another one begins where a label comes again. */
static void take_text(struct reading *r, struct str text)
{
	struct str runbook = STR_NONE;
	struct label pair;
	int64_t since = 0;

	r->labels.n = 0;
	while (take_pair(&text, &pair, &r->out->arena)) {
		if (is_read(&r->labels, pair.key)) {
			take(r, since, runbook);
			r->labels.n = 0;
			runbook = STR_NONE;
			since = 0;
		}
		if (str_is(pair.key, "runbook_url"))
			runbook = pair.value;
		else if (str_is(pair.key, "startsAt"))
			since = time_parse(pair.value);
		else
			add_label(r, pair.key, pair.value);
	}
	take(r, since, runbook);
}

/* ---- JSON --------------------------------------------------------------------------- */

static bool names_something(struct str key)
{
	if (str_is(key, "namespace"))
		return true;
	for (size_t i = 0; i < NAMES; i++)
		if (str_is(key, names[i].label))
			return true;
	return false;
}

/* Takes the members of an object that are texts. */
static void take_map(struct reading *r, struct json labels, int64_t since, struct str runbook)
{
	r->labels.n = 0;
	json_foreach(it, labels)
		if (json_str(it, "").len)
			add_label(r, json_key(it), json_str(it, ""));
	take(r, since, runbook);
}

static struct str runbook_of(struct json annotations)
{
	struct str url = json_str(annotations, "runbook_url");

	return url.len ? url : json_str(annotations, "runbook");
}

/* Takes an alert that has a map of labels, as Alertmanager and Grafana write it, wherever it stands. */
static void take_labelled(struct reading *r, struct json value)
{
	struct json labels = json_at(value, "labels");

	if (r->depth >= DEPTH)
		return;
	if (json_type(value) == JSON_OBJECT && json_type(labels) == JSON_OBJECT) {
		if (str_is(json_str(value, "status"), "resolved") == r->resolved)
			take_map(r, labels, json_time(value, "startsAt"), runbook_of(json_at(value, "annotations")));
		return;
	}
	r->depth++;
	json_foreach(it, value)
		take_labelled(r, it);
	r->depth--;
}

/* Takes a map that has labels among its members, as the details of an incident of PagerDuty may be, wherever it stands. */
static void take_details(struct reading *r, struct json value, int64_t since)
{
	static const char *const times[] = { "created_at", "timestamp", "startsAt", NULL };
	bool named = false;

	if (r->depth >= DEPTH)
		return;
	for (size_t i = 0; times[i] && json_type(value) == JSON_OBJECT; i++)
		since = json_time(value, times[i]) ? json_time(value, times[i]) : since;
	json_foreach(it, value)
		named |= json_type(value) == JSON_OBJECT && json_str(it, "").len && names_something(json_key(it));
	if (named) {
		take_map(r, value, since, runbook_of(value));
		return;
	}
	r->depth++;
	json_foreach(it, value)
		take_details(r, it, since);
	r->depth--;
}

/* Takes the pairs in texts, as Alertmanager writes them into the details of an incident of PagerDuty. */
static void take_texts(struct reading *r, struct json value)
{
	if (r->depth >= DEPTH)
		return;
	if (json_type(value) == JSON_STRING)
		take_text(r, json_str(value, ""));
	r->depth++;
	json_foreach(it, value)
		take_texts(r, it);
	r->depth--;
}

static int read_json(struct reading *r, struct str text, struct err *err)
{
	struct json doc;

	if (document_read(text, &doc, err) < 0)
		return -1;
	for (int resolved = 0; resolved < 2 && !r->out->alerts; resolved++) {
		r->resolved = resolved;
		take_labelled(r, doc);
	}
	if (!r->out->alerts)
		take_details(r, doc, 0);
	if (!r->out->alerts)
		take_texts(r, doc);
	json_free(doc);
	return 0;
}

/* {alertname="x"} is none. */
static bool is_json(struct str text)
{
	struct str first = str_trim(str_from(text, 1));

	return str_starts(text, "[") || (str_starts(text, "{") && (str_starts(first, "\"") || str_starts(first, "}")));
}

int alert_read(struct str text, struct alert *out, struct err *err)
{
	struct reading r = { .out = out };
	struct str trimmed;

	*out = (struct alert){ .cap = 0 };
	if (str_starts(text, "\xEF\xBB\xBF"))
		text = str_from(text, 3);
	trimmed = str_trim(text);
	if (!trimmed.len)
		return err_set(err, ERR_INPUT, "it is empty");
	if (is_json(trimmed)) {
		if (read_json(&r, trimmed, err) < 0)
			return -1;
	} else {
		take_text(&r, text);
	}
	if (out->alerts)
		return 0;
	err_set(err, ERR_INPUT, "it has no labels");
	return err_hint(err, "JSON of Alertmanager, PagerDuty or Grafana, or text with pairs such as namespace=\"shop\" pod=\"web-0\"");
}

void alert_release(struct alert *a)
{
	arena_release(&a->arena);
	*a = (struct alert){ .cap = 0 };
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/record.h"

#include "kube/base/limits.h"
#include "kube/base/redact.h"
#include "kube/base/time.h"
#include "kube/model/conceal.h"
#include "plugin/record/redact_object.h"

enum { TEXT = 1024 };	/* the most bytes of a text that tells of an edit; what managed_edits() makes has less */
#define LAST_TIME ((int64_t)253402300799999)	/* the end of the year 9999, ms */

/* ---- what a record says ---------------------------------------------------- */

/* A map or an array whose members are read.  bad: one of them is not as a recorder writes it. */
struct members {
	struct json of;
	bool bad;
};

/* Returns a member, which is bad when it has another type. */
static struct json member(struct members *m, const char *path, enum json_type type)
{
	struct json value = json_at(m->of, path);

	m->bad |= value.node && json_type(value) != type;
	return value;
}

/* Return a member; 0, false and "" when it is absent. */
static int64_t whole(struct members *m, const char *path, int64_t most)
{
	struct json value = member(m, path, JSON_NUMBER);
	int64_t n = json_int(value, "", value.node ? -1 : 0);

	m->bad |= n < 0 || n > most;
	return n;
}

static bool truth(struct members *m, const char *path)
{
	return json_bool(member(m, path, JSON_BOOL), "", false);
}

static struct str text(struct members *m, const char *path)
{
	struct str value = json_str(member(m, path, JSON_STRING), "");

	m->bad |= value.len > TEXT;
	return value;
}

static bool has(struct json from, const char *path)
{
	return json_at(from, path).node != NULL;
}

/* Returns false when the word is no phase. */
static bool read_phase(struct json from, enum phase *out)
{
	return phase_parse(json_str(from, "phase"), out);
}

static void read_named(struct json named, struct arena *arena, struct status *out)
{
	size_t n = json_count(named) < LIMIT_REFS ? json_count(named) : LIMIT_REFS;
	struct ref *refs = arena_array(arena, n, sizeof(*refs));

	json_foreach(it, named) {
		int64_t relation = json_int(it, "relation", -1);

		if (out->nrefs == n)
			break;
		if (relation < 0 || relation >= RELATION_COUNT || json_str(it, "kind").len == 0)
			continue;
		refs[out->nrefs++] = (struct ref){
			.relation = (enum relation)relation,
			.flags = (unsigned)json_int(it, "flags", 0) & UINT16_MAX,
			.group = json_str(it, "group"),
			.kind = json_str(it, "kind"),
			.ns = json_str(it, "namespace"),
			.name = json_str(it, "name"),
			.via = json_str(it, "via"),
			.message = json_str(it, "message"),
		};
	}
	out->refs = refs;
}

/* Reads the verdict before an attempt. */
static bool read_before(struct json before, struct arena *arena, struct status *out)
{
	struct conclusion *c = arena_alloc(arena, sizeof(*c));
	struct members m = { .of = before };
	int64_t blames = json_int(before, "blames", BLAME_NONE);

	*c = (struct conclusion){
		.severity = (enum severity)whole(&m, "severity", SEVERITY_COUNT - 1),
		.reason = json_str(before, "reason"),
		.message = json_str(before, "message"),
		.rule = json_str(before, "rule"),
		.type = json_str(before, "type"),
		.status = json_str(before, "status"),
		.since = whole(&m, "since", LAST_TIME),
		.attempt = whole(&m, "attempt", LAST_TIME),
		.own_failure = truth(&m, "ownFailure"),
		.by_time = truth(&m, "byTime"),
		.blames = blames >= BLAME_NONE && blames <= BLAME_TOLD ? (enum blame)blames : BLAME_NONE,
	};
	out->earlier = c;
	read_named(json_at(before, "named"), arena, out);
	return json_is_object(before) && read_phase(before, &c->phase) && !m.bad;
}

/* Reads what was known of an object in a state. */
static bool read_observed(struct json observed, struct arena *arena, struct record *out)
{
	struct members m = { .of = observed };
	struct json before = json_at(observed, "before");
	struct status *st = arena_alloc(arena, sizeof(*st));
	int64_t judged = whole(&m, "judged", LAST_TIME);

	out->is_stated = true;
	out->was_observed = has(observed, "phase");
	out->observed = (struct observed){
		.since = whole(&m, "since", LAST_TIME),
		.since_seen = truth(&m, "sinceSeen"),
		.was_ready = truth(&m, "wasReady"),
	};
	if (judged)
		out->judged = judged;
	*st = (struct status){ .phase = PHASE_UNKNOWN, .ever_ready = out->observed.was_ready, .replicas = REPLICAS_NONE,
			       .retried = truth(&m, "retried") && before.node };
	if (before.node || st->ever_ready)
		out->before = st;
	return json_is_object(observed) && (!out->was_observed || read_phase(observed, &out->observed.phase)) &&
	       (!before.node || read_before(before, arena, st)) && !m.bad;
}

/* Reads the group, the kind, the namespace and the name at the end of an array. */
static bool read_name(struct json from, struct record_name *out)
{
	struct str *texts[] = { &out->group, &out->kind, &out->ns, &out->name };
	size_t n = 0;

	for (; from.node && n < 4 && json_type(from) == JSON_STRING; from = json_next(from))
		*texts[n++] = json_str(from, "");
	return n == 4 && !from.node;
}

static bool read_names(struct json names, struct arena *arena, struct record *out)
{
	struct record_name *all = arena_array(arena, json_count(names), sizeof(*all));

	out->names = all;
	json_foreach(it, names)
		if (!json_is_array(it) || !read_name(json_first(it), &all[out->nnames++]))
			return false;
	return json_is_array(names);
}

static bool read_change(struct json change, struct record_change *out)
{
	struct members m = { .of = change };
	struct json name = json_at(change, "[5]");

	*out = (struct record_change){ .is = {
		.time = whole(&m, "[0]", LAST_TIME),
		.what = (enum changed)whole(&m, "[1]", CHANGED_DELETED),
		.from = (enum phase)whole(&m, "[2]", PHASE_COUNT - 1),
		.to = (enum phase)whole(&m, "[3]", PHASE_COUNT - 1),
		.gone = truth(&m, "[4]"),
	} };
	return json_is_array(change) && has(change, "[4]") && (!name.node || read_name(name, &out->of)) && !m.bad;
}

static bool read_changes(struct json changes, struct arena *arena, struct record *out)
{
	struct record_change *all = arena_array(arena, json_count(changes), sizeof(*all));

	out->changes = all;
	json_foreach(it, changes)
		if (!read_change(it, &all[out->nchanges++]))
			return false;
	return json_is_array(changes);
}

static bool read_edit(struct json from, struct arena *arena, struct edit *out)
{
	struct members m = { .of = from };
	struct str *fields = arena_array(arena, EDIT_FIELDS, sizeof(*fields));

	*out = (struct edit){
		.time = whole(&m, "time", LAST_TIME),
		.by = { text(&m, "manager"), text(&m, "person"), text(&m, "source") },
		.made = truth(&m, "made"),
		.more = (size_t)whole(&m, "more", UINT32_MAX),
		.fields = fields,
	};
	json_foreach(it, json_at(from, "fields")) {
		struct members field = { .of = it };
		struct str name = text(&field, "");

		m.bad |= field.bad;
		if (out->nfields < EDIT_FIELDS)
			fields[out->nfields++] = name;
	}
	return has(from, "time") && has(from, "manager") && !m.bad;
}

static bool read_edits(struct json edits, struct arena *arena, struct record *out)
{
	struct edit *all = arena_array(arena, EDITS + 1, sizeof(*all));

	out->edits = all;
	json_foreach(it, edits) {
		if (!read_edit(it, arena, &all[out->nedits]))
			return false;
		out->nedits += out->nedits < EDITS;
	}
	return json_is_array(edits);
}

static bool read_coverage(struct json record, const char *key, enum coverage *out)
{
	return !has(record, key) || coverage_parse(json_str(record, key), out);
}

static bool are_kinds(struct json kinds)
{
	json_foreach(it, kinds)
		if (!json_is_object(it) || json_str(it, "kind").len == 0)
			return false;
	return json_is_array(kinds);
}

/* Reads the lists of a BOOKMARK, which are about nothing, or about the object that it names. */
static bool read_lists(struct json record, struct arena *arena, struct record *out)
{
	struct json names = json_at(record, "names"), changes = json_at(record, "changes"), edits = json_at(record, "edits");

	out->kinds = json_at(record, "kinds");
	return (!names.node || read_names(names, arena, out)) && (!changes.node || read_changes(changes, arena, out)) &&
	       (!edits.node || read_edits(edits, arena, out)) && (!out->kinds.node || are_kinds(out->kinds));
}

static bool read_bookmark(struct json record, struct arena *arena, struct record *out)
{
	struct members m = { .of = record };
	bool of_name = has(record, "lookup") || has(record, "edits");
	bool of_kind = of_name || has(record, "coverage") || has(record, "schemaHasStatus");

	member(&m, "screen", JSON_OBJECT);
	out->schema_has_status = truth(&m, "schemaHasStatus");
	out->unwatched = truth(&m, "unwatched");
	out->watched = truth(&m, "watched");
	out->loaded = json_has(out->object, "metadata.annotations['" RECORD_LOADED "']");
	out->says = (has(record, "lookup") ? RECORD_LOOKUP : 0) | (has(record, "coverage") ? RECORD_COVERAGE : 0) |
		    (has(record, "schemaHasStatus") ? RECORD_SCHEMA : 0) | (has(record, "watched") ? RECORD_WATCHED : 0);
	return !m.bad && read_coverage(record, "lookup", &out->lookup) && read_coverage(record, "coverage", &out->coverage) &&
	       (!of_kind || json_str(out->object, "kind").len) && (!of_name || out->name.len) && read_lists(record, arena, out);
}

static bool read_object(struct json record, struct arena *arena, struct record *out)
{
	struct members m = { .of = record };
	struct json observed = json_at(record, "observed");

	out->met = truth(&m, "met");
	out->deselected = json_bool(record, "deselected", false);
	return !m.bad && json_str(out->object, "kind").len && json_str(out->object, "apiVersion").len && out->name.len &&
	       (!observed.node || read_observed(observed, arena, out));
}

static bool is_mark(struct json record)
{
	json_foreach(it, record) {
		struct str key = json_key(it);

		if (!str_is(key, "t") && !str_is(key, "type") && !str_is(key, "cluster") && !str_is(key, "object"))
			return false;
	}
	return json_count(json_at(record, "object")) == 0;
}

static bool read_cluster(struct json record, const struct record_contexts *contexts, uint16_t *out)
{
	struct json cluster = json_at(record, "cluster");
	struct str name = json_str(cluster, "");

	*out = 0;
	for (size_t i = 0; name.len && i < contexts->n && i <= UINT16_MAX; i++) {
		*out = (uint16_t)i;
		if (str_eq(contexts->all[i], name))
			return true;
	}
	return !name.len && (!cluster.node || json_type(cluster) == JSON_STRING);
}

/* Records start with their time, so that a line need not be parsed. */
int64_t record_time(struct str line)
{
	static const char before[] = "{\"t\":\"";
	struct str rest = str_from(line, sizeof(before) - 1);
	struct json doc;
	int64_t t;

	if (str_starts(line, before))
		return time_parse(str_head(rest, str_find(rest, '"')));
	if (json_parse(line, &doc, NULL) < 0)
		return 0;
	t = json_time(doc, "t");
	json_free(doc);
	return t;
}

bool record_read(struct json record, const struct record_contexts *contexts, struct arena *arena, struct record *out)
{
	static const char *const types[] = { "BOOKMARK", "ADDED", "MODIFIED", "DELETED" };
	struct str type = json_str(record, "type");
	size_t n = sizeof(types) / sizeof(types[0]), i = 0;

	while (i < n && !str_is(type, types[i]))
		i++;
	*out = (struct record){ .type = (enum record_type)i, .time = json_time(record, "t"), .object = json_at(record, "object"), .whole = record };
	out->ns = json_str(out->object, "metadata.namespace");
	out->name = json_str(out->object, "metadata.name");
	if (i == n || !out->time || !json_is_object(out->object) || !read_cluster(record, contexts, &out->cluster))
		return false;
	out->is_mark = out->type == RECORD_BOOKMARK && is_mark(record);
	return out->type == RECORD_BOOKMARK ? read_bookmark(record, arena, out) : read_object(record, arena, out);
}

/* ---- definitions ------------------------------------------------------------ */

/* Where a value stands in a CustomResourceDefinition.  Of what is behind ONE_VERSION only those members are written that have a row. */
enum place { WHOLE, DEFINITION, SPEC, ONE_VERSION, SCHEMA, TOP, PROPERTIES, STATUS, FIELDS, FIELD, EMPTY, LEFT_OUT };

static enum place place_of(enum place parent, struct str key)
{
	static const struct {
		enum place parent;
		const char *key;	/* NULL: any other one */
		enum place place;
	} places[] = {
		{ DEFINITION, "spec", SPEC },
		{ SPEC, "versions", ONE_VERSION },
		{ SPEC, "validation", SCHEMA },	/* of all versions, as v1beta1 had it */
		{ ONE_VERSION, "schema", SCHEMA },
		{ SCHEMA, "openAPIV3Schema", TOP },
		{ TOP, "x-kubernetes-preserve-unknown-fields", WHOLE },
		{ TOP, "properties", PROPERTIES },
		{ PROPERTIES, "status", STATUS },
		{ PROPERTIES, NULL, EMPTY },
		{ STATUS, "type", WHOLE },
		{ STATUS, "properties", FIELDS },
		{ FIELDS, NULL, FIELD },
		{ FIELD, "type", WHOLE },
		{ FIELD, "enum", WHOLE },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i].parent == parent && (!places[i].key || str_is(key, places[i].key)))
			return places[i].place;
	return parent <= ONE_VERSION ? WHOLE : LEFT_OUT;
}

/* Writes a value of a definition; the elements of an array stand where it does. */
static void write_definition(enum place at, struct json value, struct buf *out)
{
	bool object = json_is_object(value);

	if (at == WHOLE || (!object && !json_is_array(value))) {
		json_write(value, out);
		return;
	}
	buf_add_char(out, object ? '{' : '[');
	json_foreach(it, value) {
		enum place place = object ? place_of(at, json_key(it)) : at;

		if (place == LEFT_OUT)
			continue;
		json_begin(out, object ? json_key(it).ptr : NULL);
		write_definition(place, it, out);
	}
	buf_add_char(out, object ? '}' : ']');
}

/*
 * Returns where a member of an object stands for conceal_write(); false: it stays as it is, because it identifies the object.
 * Only what was asked for may have a credential within a text: verdicts are made of the texts beside it, as those of a status, and
 * what these must not tell was hidden when they were read.
 */
static bool may_conceal(struct json object, struct json member, struct conceal_place *out)
{
	struct str key = json_key(member);

	*out = (struct conceal_place){ .key = key, .owner = object, .names_only = !str_is(key, "spec") && !str_is(key, "data") };
	return !str_is(key, "metadata") && !str_is(key, "kind") && !str_is(key, "apiVersion");
}

/* Writes an object of which everything else is left out already, without what its fields' names or texts tell to be credentials. */
static void write_concealed(struct json object, struct buf *out)
{
	struct conceal_place place;

	buf_add_char(out, '{');
	json_foreach(it, object) {
		json_begin(out, json_key(it).ptr);
		if (may_conceal(object, it, &place))
			conceal_write(&place, it, out);
		else
			json_write(it, out);
	}
	buf_add_char(out, '}');
}

static bool holds_credential(struct json object)
{
	struct conceal_place place;

	json_foreach(it, object)
		if (may_conceal(object, it, &place) && conceal_finds(&place, it))
			return true;
	return false;
}

static void write_whole(struct json object, const struct kind *kind, struct buf *out)
{
	struct buf text = { 0 };
	struct json clean;

	if (!holds_credential(object)) {
		redact_object(object, kind, out);
		return;
	}
	redact_object(object, kind, &text);
	if (json_parse(buf_str(&text), &clean, &(struct err){ 0 }) == 0) {
		write_concealed(clean, out);
		json_free(clean);
	} else {
		buf_add_cstr(out, "{}");
	}
	buf_release(&text);
}

void record_object(struct json object, const struct kind *kind, struct buf *out)
{
	struct buf text = { 0 };
	struct json reduced;

	if (!str_is(kind ? kind->kind : json_str(object, "kind"), "CustomResourceDefinition")) {
		write_whole(object, kind, out);
		return;
	}
	write_definition(DEFINITION, object, &text);
	if (json_parse(buf_str(&text), &reduced, &(struct err){ 0 }) == 0) {
		redact_object(reduced, kind, out);
		json_free(reduced);
	} else {
		redact_object(object, kind, out);
	}
	buf_release(&text);
}

void record_without_uid(struct str object, struct str uid, struct buf *out)
{
	struct buf member = { 0 };
	struct str rest;
	bool once;
	size_t at;

	buf_printf(&member, "\"uid\":\"" STR_FMT "\"", STR_ARG(uid));
	at = str_find_str(object, buf_cstr(&member));
	rest = str_from(object, at + member.len);
	/* where it stands twice, nobody can tell which is that of the metadata */
	once = at < object.len && object.ptr[at - 1] == ',' && !str_contains(rest, buf_cstr(&member));
	BUF_JOIN(out, once ? str_head(object, at - 1) : object, once ? rest : STR_NONE);
	buf_release(&member);
}

bool record_add_uid(struct record *record, struct str uid)
{
	struct json metadata = json_at(record->object, "metadata");

	if (record->type != RECORD_MODIFIED || !uid.len || json_member(metadata, STR("uid")).node)
		return false;
	json_add_text(record->whole, metadata, "uid", uid);
	return true;
}

/* ---- who changed it ------------------------------------------------------------ */

static void open_member(struct buf *out, const char *key, char bracket)
{
	json_begin(out, key);
	buf_add_char(out, bracket);
}

static void add_edit_text(struct buf *out, const char *key, struct str text, struct arena *a)
{
	if (key && !text.len)
		return;
	json_begin(out, key);
	json_quote(out, redact_copy(a, text), JSON_QUOTE_TERMINAL);
}

static void write_edit(const struct edit *e, bool secret, struct buf *out)
{
	struct arena a = { 0 };

	open_member(out, NULL, '{');
	json_begin(out, "time");
	buf_printf(out, "%lld", (long long)e->time);
	add_edit_text(out, "manager", e->by.manager, &a);
	add_edit_text(out, "person", secret ? STR_NONE : e->by.person, &a);
	add_edit_text(out, "source", secret ? STR_NONE : e->by.source, &a);
	if (e->made)
		buf_add_cstr(out, ",\"made\":true");
	if (e->nfields)
		open_member(out, "fields", '[');
	for (size_t i = 0; i < e->nfields; i++)
		add_edit_text(out, NULL, e->fields[i], &a);
	if (e->nfields)
		buf_add_char(out, ']');
	if (e->more)
		buf_printf(out, ",\"more\":%zu", e->more);
	buf_add_char(out, '}');
	arena_release(&a);
}

void record_edits(const struct edit *all, size_t n, const struct kind *kind, struct buf *out)
{
	buf_add_char(out, '[');
	for (size_t i = 0; i < n; i++)
		write_edit(&all[i], str_is(kind->kind, "Secret"), out);
	buf_add_char(out, ']');
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/record.h"

#include "kube/base/redact.h"
#include "kube/graph/graph.h"
#include "plugin/record/redact.h"

enum { EDIT_TEXT = 1024 };	/* the most bytes of a text that tells of an edit; what managed_edits() makes has less */
#define LAST_TIME ((int64_t)253402300799999)	/* the end of the year 9999, ms */

/* ---- what a record may say ------------------------------------------------- */

static bool is_text(struct json value)
{
	return json_type(value) == JSON_STRING;
}

static bool is_whole(struct json value, int64_t most)
{
	int64_t n = json_type(value) == JSON_NUMBER ? json_int(value, "", -1) : -1;

	return n >= 0 && n <= most;
}

static bool is_count(struct json value, int64_t most)
{
	return !value.node || is_whole(value, most);
}

static bool is_truth(struct json value)
{
	return !value.node || json_type(value) == JSON_BOOL;
}

static bool is_verdict_before(struct json before)
{
	enum phase phase;

	return json_is_object(before) && phase_parse(json_str(before, "phase"), &phase) &&
	       is_count(json_at(before, "severity"), SEVERITY_COUNT - 1) && is_count(json_at(before, "since"), LAST_TIME) &&
	       is_count(json_at(before, "attempt"), LAST_TIME) && is_truth(json_at(before, "ownFailure")) &&
	       is_truth(json_at(before, "byTime"));
}

static bool is_observed(struct json observed)
{
	struct json phase = json_at(observed, "phase");
	struct json before = json_at(observed, "before");
	enum phase parsed;

	return json_is_object(observed) && (!phase.node || phase_parse(json_str(phase, ""), &parsed)) &&
	       is_count(json_at(observed, "since"), LAST_TIME) && is_count(json_at(observed, "judged"), LAST_TIME) &&
	       is_count(json_at(observed, "phaseChanges"), UINT32_MAX) && is_count(json_at(observed, "failures"), UINT32_MAX) &&
	       is_truth(json_at(observed, "sinceSeen")) && is_truth(json_at(observed, "wasReady")) &&
	       is_truth(json_at(observed, "retried")) && (!before.node || is_verdict_before(before));
}

/* Returns true when the rest of the array is a group, a kind, a namespace and a name. */
static bool is_name(struct json group)
{
	size_t n = 0;

	for (struct json it = group; it.node; it = json_next(it), n++)
		if (!is_text(it))
			return false;
	return n == 4;
}

static bool are_names(struct json names)
{
	json_foreach(it, names)
		if (!json_is_array(it) || !is_name(json_first(it)))
			return false;
	return json_is_array(names);
}

static bool is_change(struct json change)
{
	struct json group = json_at(change, "[5]");

	return json_is_array(change) && is_whole(json_at(change, "[0]"), LAST_TIME) &&
	       is_whole(json_at(change, "[1]"), CHANGED_DELETED) && is_whole(json_at(change, "[2]"), PHASE_COUNT - 1) &&
	       is_whole(json_at(change, "[3]"), PHASE_COUNT - 1) && json_type(json_at(change, "[4]")) == JSON_BOOL &&
	       (!group.node || is_name(group));
}

static bool are_changes(struct json changes)
{
	json_foreach(it, changes)
		if (!is_change(it))
			return false;
	return json_is_array(changes);
}

static bool are_kinds(struct json kinds)
{
	json_foreach(it, kinds)
		if (!json_is_object(it) || json_str(it, "kind").len == 0)
			return false;
	return json_is_array(kinds);
}

static bool is_edit_text(struct json text)
{
	return is_text(text) && json_str(text, "").len <= EDIT_TEXT;
}

static bool is_edit(struct json edit)
{
	struct json person = json_at(edit, "person"), source = json_at(edit, "source");

	json_foreach(it, json_at(edit, "fields"))
		if (!is_edit_text(it))
			return false;
	return is_whole(json_at(edit, "time"), LAST_TIME) && is_edit_text(json_at(edit, "manager")) && (!person.node || is_edit_text(person)) &&
	       (!source.node || is_edit_text(source)) && is_truth(json_at(edit, "made")) && is_count(json_at(edit, "more"), UINT32_MAX);
}

static bool are_edits(struct json edits, struct json of)
{
	json_foreach(it, edits)
		if (!is_edit(it))
			return false;
	return json_is_array(edits) && json_str(of, "kind").len && json_str(of, "metadata.name").len;
}

static bool is_coverage(struct json word, struct json of)
{
	enum coverage parsed;

	return coverage_parse(json_str(word, ""), &parsed) && json_str(of, "kind").len;
}

static bool tells_what_is_known(struct json record)
{
	struct json names = json_at(record, "names"), changes = json_at(record, "changes"), kinds = json_at(record, "kinds");
	struct json schema = json_at(record, "schemaHasStatus"), screen = json_at(record, "screen");
	struct json coverage = json_at(record, "coverage"), lookup = json_at(record, "lookup"), of = json_at(record, "object");
	struct json edits = json_at(record, "edits");

	return (!screen.node || json_is_object(screen)) && (!coverage.node || is_coverage(coverage, of)) &&
	       (!lookup.node || (is_coverage(lookup, of) && json_str(of, "metadata.name").len)) &&
	       (!schema.node || (json_type(schema) == JSON_BOOL && json_str(of, "kind").len)) &&
	       (!edits.node || are_edits(edits, of)) && (!names.node || are_names(names)) && (!changes.node || are_changes(changes)) && (!kinds.node || are_kinds(kinds));
}

static bool tells_of_an_object(struct json record)
{
	struct json observed = json_at(record, "observed");

	return json_str(record, "object.kind").len && json_str(record, "object.apiVersion").len &&
	       json_str(record, "object.metadata.name").len && (!observed.node || is_observed(observed));
}

bool record_is_valid(struct json record)
{
	struct json cluster = json_at(record, "cluster");
	struct str type = json_str(record, "type");

	if (json_time(record, "t") == 0 || !json_is_object(json_at(record, "object")) || (cluster.node && !is_text(cluster)))
		return false;
	if (str_is(type, "BOOKMARK"))
		return tells_what_is_known(record);
	return (str_is(type, "ADDED") || str_is(type, "MODIFIED") || str_is(type, "DELETED")) && tells_of_an_object(record);
}

bool record_is_mark(struct json record)
{
	json_foreach(it, record) {
		struct str key = json_key(it);

		if (!str_is(key, "t") && !str_is(key, "type") && !str_is(key, "cluster") && !str_is(key, "object"))
			return false;
	}
	return str_is(json_str(record, "type"), "BOOKMARK") && json_count(json_at(record, "object")) == 0;
}

/* ---- definitions ------------------------------------------------------------ */

/* Copies a member of an object unchanged. */
static void copy_member(struct buf *out, struct json member)
{
	json_begin(out, json_key(member).ptr);
	json_write(member, out);
}

static void open_member(struct buf *out, const char *key, char bracket)
{
	json_begin(out, key);
	buf_add_char(out, bracket);
}

static void write_field(struct buf *out, struct json field)
{
	open_member(out, json_key(field).ptr, '{');
	json_foreach(it, field)
		if (str_is(json_key(it), "type") || str_is(json_key(it), "enum"))
			copy_member(out, it);
	buf_add_char(out, '}');
}

/* Writes that there is a status, and which words it may have. */
static void write_status(struct buf *out, struct json status)
{
	struct json type = json_at(status, "type");

	open_member(out, "status", '{');
	if (json_str(type, "").len)
		copy_member(out, type);
	open_member(out, "properties", '{');
	json_foreach(it, json_at(status, "properties"))
		write_field(out, it);
	buf_add_cstr(out, "}}");
}

static void write_schema(struct buf *out, struct json schema)
{
	struct json open = json_at(schema, "openAPIV3Schema.x-kubernetes-preserve-unknown-fields");

	open_member(out, json_key(schema).ptr, '{');
	open_member(out, "openAPIV3Schema", '{');
	if (open.node)
		copy_member(out, open);
	open_member(out, "properties", '{');
	json_foreach(it, json_at(schema, "openAPIV3Schema.properties")) {
		if (str_is(json_key(it), "status")) {
			write_status(out, it);
		} else {
			open_member(out, json_key(it).ptr, '{');
			buf_add_char(out, '}');
		}
	}
	buf_add_cstr(out, "}}}");
}

/* Writes a version of a definition: its "schema", or the "validation" of all versions, as v1beta1 had it. */
static void write_version(struct buf *out, struct json version)
{
	open_member(out, NULL, '{');
	json_foreach(it, version) {
		if (json_is_object(it) && str_is(json_key(it), "schema"))
			write_schema(out, it);
		else
			copy_member(out, it);
	}
	buf_add_char(out, '}');
}

static void write_spec(struct buf *out, struct json spec)
{
	open_member(out, "spec", '{');
	json_foreach(it, spec) {
		if (json_is_object(it) && str_is(json_key(it), "validation")) {
			write_schema(out, it);
		} else if (json_is_array(it) && str_is(json_key(it), "versions")) {
			open_member(out, "versions", '[');
			json_foreach(version, it)
				write_version(out, version);
			buf_add_char(out, ']');
		} else {
			copy_member(out, it);
		}
	}
	buf_add_char(out, '}');
}

static void write_definition(struct json definition, struct buf *out)
{
	buf_add_char(out, '{');
	json_foreach(it, definition) {
		if (json_is_object(it) && str_is(json_key(it), "spec"))
			write_spec(out, it);
		else
			copy_member(out, it);
	}
	buf_add_char(out, '}');
}

void record_object(struct json object, const struct kind *kind, struct buf *out)
{
	struct buf text = { 0 };
	struct json reduced;

	if (!str_is(kind ? kind->kind : json_str(object, "kind"), "CustomResourceDefinition")) {
		redact_object(object, kind, out);
		return;
	}
	write_definition(object, &text);
	if (json_parse(buf_str(&text), &reduced, &(struct err){ 0 }) == 0) {
		redact_object(reduced, kind, out);
		json_free(reduced);
	} else {
		redact_object(object, kind, out);
	}
	buf_release(&text);
}

/* ---- who changed it ------------------------------------------------------------ */

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

static struct edit read_edit(struct json from, struct arena *arena)
{
	struct json fields = json_at(from, "fields");
	struct edit e = {
		.time = json_int(from, "time", 0),
		.by = { json_str(from, "manager"), json_str(from, "person"), json_str(from, "source") },
		.more = (size_t)json_int(from, "more", 0),
		.made = json_bool(from, "made", false),
	};
	struct str *all = arena_array(arena, EDIT_FIELDS, sizeof(*all));

	json_foreach(it, fields)
		if (e.nfields < EDIT_FIELDS)
			all[e.nfields++] = json_str(it, "");
	e.fields = all;
	return e;
}

size_t record_read_edits(struct json edits, struct arena *arena, struct edit out[EDITS])
{
	size_t n = 0;

	json_foreach(it, edits)
		if (n < EDITS)
			out[n++] = read_edit(it, arena);
	return n;
}

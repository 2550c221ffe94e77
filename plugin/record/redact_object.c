/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/redact_object.h"


/* What is known of a map before its members are written. */
enum about {
	SECRET = 1 << 0,	/* it is a Secret, whatever its kind says */
	IDENTIFIED = 1 << 1,	/* its apiVersion and kind have been written */
	METADATA = 1 << 2,
	SECRETS = 1 << 3,	/* its items are Secrets */
	PLAIN = 1 << 4		/* nothing in it is hidden */
};

/* Returns true for annotations whose key has one of these words, and for kubectl's copy of the object. */
static bool is_secret_annotation(struct str key)
{
	static const char *const words[] = { "token", "password", "secret-", "credential", "resume-token", "apikey",
					     "api-key", "private-key", NULL };

	if (str_is(key, "kubectl.kubernetes.io/last-applied-configuration"))
		return true;
	return !str_is(key, "serviceoperator.azure.com/credential-from") && str_contains_any_nocase(key, words);
}

/* ---- is there anything -------------------------------------------------- */

/* Returns true when any member "kind" has that value: of several, nobody knows which one counts. */
static bool has_kind(struct json object, const char *kind)
{
	json_foreach(it, object)
		if (str_is(json_key(it), "kind") && str_is(json_str(it, ""), kind))
			return true;
	return false;
}

static bool hides_annotation(struct json annotations)
{
	json_foreach(it, annotations)
		if (is_secret_annotation(json_key(it)))
			return true;
	return false;
}

static bool hides(struct json value)
{
	if (json_is_object(value) && (has_kind(value, "Secret") || has_kind(value, "SecretList")))
		return true;
	json_foreach(it, value)
		if (hides(it) || (json_is_object(it) && str_is(json_key(it), "annotations") && hides_annotation(it)))
			return true;
	return false;
}

bool redact_hides(struct json object, const struct kind *kind)
{
	return (kind && str_is(kind->kind, "Secret")) || hides(object);
}

/* ---- values -------------------------------------------------------------- */

static void write_value(struct buf *out, struct json value, unsigned about);
static void write_member(struct buf *out, struct json member, unsigned about);

static void write_annotations(struct buf *out, struct json annotations, unsigned about)
{
	if (has_kind(annotations, "Secret"))
		about |= SECRET;
	buf_add_char(out, '{');
	json_foreach(it, annotations)
		if (!(about & SECRET) && !is_secret_annotation(json_key(it)))
			write_member(out, it, 0);
	buf_add_char(out, '}');
}

/* Writes the name of each key without its value. */
static void write_secret_data(struct buf *out, struct json data)
{
	buf_add_char(out, '{');
	if (json_is_object(data))
		json_foreach(it, data) {
			json_begin(out, json_key(it).ptr);
			buf_add_cstr(out, "\"\"");
		}
	buf_add_char(out, '}');
}

static void write_members(struct buf *out, struct json object, unsigned about)
{
	if (!(about & PLAIN) && has_kind(object, "Secret"))
		about |= SECRET;
	if (!(about & PLAIN) && has_kind(object, "SecretList"))
		about |= SECRETS;
	json_foreach(it, object)
		write_member(out, it, about);
}

static void write_map(struct buf *out, struct json object, unsigned about)
{
	buf_add_char(out, '{');
	write_members(out, object, about);
	buf_add_char(out, '}');
}

static void write_secrets(struct buf *out, struct json items)
{
	buf_add_char(out, '[');
	json_foreach(it, items) {
		json_begin(out, NULL);
		if (json_is_object(it))
			write_map(out, it, SECRET);
		else
			write_value(out, it, 0);
	}
	buf_add_char(out, ']');
}

static void write_member(struct buf *out, struct json member, unsigned about)
{
	struct str key = json_key(member);

	if ((about & IDENTIFIED) && (str_is(key, "apiVersion") || str_is(key, "kind")))
		return;
	if ((about & METADATA) && str_is(key, "managedFields"))
		return;
	json_begin(out, key.ptr);
	if (str_is(key, "metadata") && json_is_object(member))
		write_map(out, member, (about & (SECRET | PLAIN)) | METADATA);
	else if (about & PLAIN)
		write_value(out, member, PLAIN);
	else if (str_is(key, "annotations") && ((about & SECRET) || json_is_object(member)))
		write_annotations(out, member, about);
	else if ((about & SECRET) && (str_is(key, "data") || str_is(key, "stringData")))
		write_secret_data(out, member);
	else if ((about & SECRETS) && str_is(key, "items") && json_is_array(member))
		write_secrets(out, member);
	else
		write_value(out, member, 0);
}

/* about: PLAIN or nothing. */
static void write_value(struct buf *out, struct json value, unsigned about)
{
	if (json_is_object(value)) {
		write_map(out, value, about);
	} else if (json_is_array(value)) {
		buf_add_char(out, '[');
		json_foreach(it, value) {
			json_begin(out, NULL);
			write_value(out, it, about);
		}
		buf_add_char(out, ']');
	} else {
		json_write(value, out);
	}
}

static unsigned open_object(struct buf *out, const struct kind *kind)
{
	char api_version[256];

	buf_add_char(out, '{');
	if (!kind)
		return 0;
	kind_api_version(kind, api_version, sizeof(api_version));
	json_begin(out, "apiVersion");
	json_quote(out, str_of(api_version), JSON_QUOTE_TERMINAL);
	json_begin(out, "kind");
	json_quote(out, kind->kind, JSON_QUOTE_TERMINAL);
	return str_is(kind->kind, "Secret") ? IDENTIFIED | SECRET : IDENTIFIED;
}

void redact_object(struct json object, const struct kind *kind, struct buf *out)
{
	write_members(out, object, open_object(out, kind));
	buf_add_char(out, '}');
}

void redact_plain(struct json object, const struct kind *kind, struct buf *out)
{
	write_members(out, object, (open_object(out, kind) & ~(unsigned)SECRET) | PLAIN);
	buf_add_char(out, '}');
}

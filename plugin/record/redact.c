/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/redact.h"

#include "plugin/output/jsonw.h"

#include <string.h>

/* What is known of a map before its members are looked at. */
enum about {
	SECRET = 1 << 0,	/* whatever its kind says */
	IDENTIFIED = 1 << 1,	/* its apiVersion and kind have been written */
	METADATA = 1 << 2,
	ARRAY = 1 << 3,		/* no map: its members have no names */
	SECRETS = 1 << 4	/* the items of it are Secrets */
};

/* Annotations of any key that has one of these words; and kubectl's copy of the object. */
static bool is_secret_annotation(struct str key)
{
	static const char *const words[] = { "token", "password", "secret-", "credential", "resume-token", "apikey",
					     "api-key", "private-key" };

	if (str_is(key, "kubectl.kubernetes.io/last-applied-configuration"))
		return true;
	if (str_is(key, "serviceoperator.azure.com/credential-from"))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_contains_nocase(key, words[i]))
			return true;
	return false;
}

/* ---- is there anything -------------------------------------------------- */

static bool is_secret(struct json object)
{
	json_foreach(it, object)
		if (str_is(json_key(it), "kind") && (str_is(json_str(it, ""), "Secret") || str_is(json_str(it, ""), "SecretList")))
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
	if (json_is_object(value) && is_secret(value))
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

static void write_value(struct jsonw *w, const char *key, struct json value);
static void write_member(struct jsonw *w, struct json member, unsigned about);

/* Whichever of several members of that name counts. */
static bool has_kind(struct json object, const char *kind)
{
	json_foreach(it, object)
		if (str_is(json_key(it), "kind") && str_is(json_str(it, ""), kind))
			return true;
	return false;
}

static void write_annotations(struct jsonw *w, struct json annotations, unsigned about)
{
	if (has_kind(annotations, "Secret"))
		about |= SECRET;
	jsonw_open(w, "annotations", '{');
	json_foreach(it, annotations)
		if (!(about & SECRET) && !is_secret_annotation(json_key(it)))
			write_member(w, it, 0);
	jsonw_close(w, '}');
}

/* Keeps the name of each key, not its value. */
static void write_secret_data(struct jsonw *w, const char *key, struct json data)
{
	jsonw_open(w, key, '{');
	if (json_is_object(data))
		json_foreach(it, data)
			jsonw_string(w, json_key(it).ptr, STR(""));
	jsonw_close(w, '}');
}

static void write_members(struct jsonw *w, struct json object, unsigned about);

static void write_secrets(struct jsonw *w, const char *key, struct json items)
{
	jsonw_open(w, key, '[');
	json_foreach(it, items) {
		if (json_is_object(it)) {
			jsonw_open(w, NULL, '{');
			write_members(w, it, SECRET);
			jsonw_close(w, '}');
		} else {
			write_value(w, NULL, it);
		}
	}
	jsonw_close(w, ']');
}

static void write_member(struct jsonw *w, struct json member, unsigned about)
{
	struct str key = json_key(member);

	if ((about & IDENTIFIED) && (str_is(key, "apiVersion") || str_is(key, "kind")))
		return;
	if ((about & METADATA) && str_is(key, "managedFields"))
		return;
	if (str_is(key, "metadata") && json_is_object(member)) {
		jsonw_open(w, key.ptr, '{');
		write_members(w, member, (about & SECRET) | METADATA);
		jsonw_close(w, '}');
	} else if (str_is(key, "annotations") && ((about & SECRET) || json_is_object(member))) {
		write_annotations(w, member, about);
	} else if ((about & SECRET) && (str_is(key, "data") || str_is(key, "stringData"))) {
		write_secret_data(w, key.ptr, member);
	} else if ((about & SECRETS) && str_is(key, "items") && json_is_array(member)) {
		write_secrets(w, key.ptr, member);
	} else {
		write_value(w, key.ptr, member);
	}
}

static void write_members(struct jsonw *w, struct json object, unsigned about)
{
	if (has_kind(object, "Secret"))
		about |= SECRET;
	if (has_kind(object, "SecretList"))
		about |= SECRETS;
	json_foreach(it, object)
		write_member(w, it, about);
}

static void write_value(struct jsonw *w, const char *key, struct json value)
{
	switch (json_type(value)) {
	case JSON_OBJECT:
		jsonw_open(w, key, '{');
		write_members(w, value, 0);
		jsonw_close(w, '}');
		break;
	case JSON_ARRAY:
		jsonw_open(w, key, '[');
		json_foreach(it, value)
			write_value(w, NULL, it);
		jsonw_close(w, ']');
		break;
	case JSON_STRING:
		jsonw_string(w, key, json_str(value, ""));
		break;
	case JSON_NUMBER:
		jsonw_raw(w, key, json_digits(value));
		break;
	case JSON_BOOL:
		jsonw_bool(w, key, json_bool(value, "", false));
		break;
	case JSON_NULL:
	case JSON_ABSENT:
		jsonw_raw(w, key, STR("null"));
		break;
	}
}

static unsigned open_object(struct jsonw *w, const struct kind *kind)
{
	char api_version[256];

	jsonw_open(w, NULL, '{');
	if (!kind)
		return 0;
	kind_api_version(kind, api_version, sizeof(api_version));
	jsonw_string(w, "apiVersion", str_of(api_version));
	jsonw_string(w, "kind", kind->kind);
	return str_is(kind->kind, "Secret") ? IDENTIFIED | SECRET : IDENTIFIED;
}

void redact_object(struct json object, const struct kind *kind, struct buf *out)
{
	struct jsonw w = { .out = out };
	unsigned about = open_object(&w, kind);

	write_members(&w, object, about);
	jsonw_close(&w, '}');
}

/* ---- where nothing is hidden --------------------------------------------- */

static void plain_members(struct jsonw *w, struct json object, unsigned about)
{
	json_foreach(it, object) {
		struct str key = json_key(it);
		const char *name = about & ARRAY ? NULL : key.ptr;

		if ((about & IDENTIFIED) && (str_is(key, "apiVersion") || str_is(key, "kind")))
			continue;
		if ((about & METADATA) && str_is(key, "managedFields"))
			continue;
		if (json_is_object(it)) {
			jsonw_open(w, name, '{');
			plain_members(w, it, name && str_is(key, "metadata") ? METADATA : 0);
			jsonw_close(w, '}');
		} else if (json_is_array(it)) {
			jsonw_open(w, name, '[');
			plain_members(w, it, ARRAY);
			jsonw_close(w, ']');
		} else if (json_type(it) == JSON_STRING) {
			jsonw_string(w, name, json_str(it, ""));
		} else {
			write_value(w, name, it);
		}
	}
}

void redact_plain(struct json object, const struct kind *kind, struct buf *out)
{
	struct jsonw w = { .out = out };
	unsigned about = open_object(&w, kind);

	plain_members(&w, object, about);
	jsonw_close(&w, '}');
}

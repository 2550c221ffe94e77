/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/redact.h"

#include "plugin/jsonw.h"

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

static void write_value(struct jsonw *w, const char *key, struct json value);

static void write_members(struct jsonw *w, struct json object)
{
	json_foreach(it, object)
		write_value(w, json_key(it).ptr, it);
}

static void write_value(struct jsonw *w, const char *key, struct json value)
{
	switch (json_type(value)) {
	case JSON_OBJECT:
		jsonw_open(w, key, '{');
		write_members(w, value);
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
		jsonw_number(w, key, json_number(value, "", 0));
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

static void write_annotations(struct jsonw *w, struct json annotations)
{
	jsonw_open(w, "annotations", '{');
	json_foreach(it, annotations)
		if (!is_secret_annotation(json_key(it)))
			write_value(w, json_key(it).ptr, it);
	jsonw_close(w, '}');
}

static void write_metadata(struct jsonw *w, struct json metadata)
{
	jsonw_open(w, "metadata", '{');
	json_foreach(it, metadata) {
		if (str_is(json_key(it), "managedFields"))
			continue;
		if (str_is(json_key(it), "annotations"))
			write_annotations(w, it);
		else
			write_value(w, json_key(it).ptr, it);
	}
	jsonw_close(w, '}');
}

/* That there is a key is told, not what it holds. */
static void write_secret_data(struct jsonw *w, const char *key, struct json data)
{
	jsonw_open(w, key, '{');
	json_foreach(it, data)
		jsonw_string(w, json_key(it).ptr, STR(""));
	jsonw_close(w, '}');
}

static bool is_secret(struct json object, const struct kind *kind)
{
	struct str name = kind ? kind->kind : json_str(object, "kind");
	struct str group = kind ? kind->group : STR_NONE;

	return str_is(name, "Secret") && group.len == 0 &&
	       (kind || str_is(json_str(object, "apiVersion"), "v1"));
}

void redact_object(struct json object, const struct kind *kind, struct buf *out)
{
	struct jsonw w = { .out = out };
	bool secret = is_secret(object, kind);
	char api_version[256];

	jsonw_open(&w, NULL, '{');
	if (kind) {
		kind_api_version(kind, api_version, sizeof(api_version));
		jsonw_string(&w, "apiVersion", str_of(api_version));
		jsonw_string(&w, "kind", kind->kind);
	}
	json_foreach(it, object) {
		struct str key = json_key(it);

		if (kind && (str_is(key, "apiVersion") || str_is(key, "kind")))
			continue;
		if (str_is(key, "metadata"))
			write_metadata(&w, it);
		else if (secret && (str_is(key, "data") || str_is(key, "stringData")))
			write_secret_data(&w, key.ptr, it);
		else
			write_value(&w, key.ptr, it);
	}
	jsonw_close(&w, '}');
}

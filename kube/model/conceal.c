/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/model/conceal.h"

#include "kube/base/redact.h"

#include <string.h>

/* Returns true for an element before which there is a flag that takes it: ["--password", "..."]. */
static bool follows_flag(struct json before)
{
	struct str flag = json_str(before, "");

	return str_starts(flag, "-") && redact_names_credential(flag);
}

/* The value of an entry is what the entry's own name says: {name: A, value: B}; else what the key of the entry says. */
static struct str name_of(const struct conceal_place *place)
{
	struct str name;

	if (!str_is(place->key, "value"))
		return place->key;
	name = json_str(place->owner, "name");
	name = name.len ? name : json_str(place->owner, "key");
	return name.len ? name : place->owner_key;
}

/* {secretName: A, secretKey: B}, {secretKey: B, remoteRef: ...}: it says which entry of a Secret is meant. */
static bool names_entry(const struct conceal_place *place)
{
	return str_is(place->key, "secretKey") &&
	       (json_has(place->owner, "remoteRef") || json_has(place->owner, "secretName") || json_has(place->owner, "name"));
}

bool conceal_hides(const struct conceal_place *place, struct json value)
{
	struct str name = name_of(place), text = json_str(value, "");
	enum json_type type = json_type(value);

	if (type == JSON_STRING && str_contains(text, "PRIVATE KEY-----"))
		return true;
	if (type == JSON_ARRAY) {
		json_foreach(it, value)
			if (json_type(it) != JSON_STRING)
				return false;
		return (str_ends(name, "s") || str_ends(name, "S")) && redact_names_credential(str_head(name, name.len - 1)) && json_count(value) > 0;
	}
	/* an entry of the environment may take the value of another one */
	return ((type == JSON_STRING && !str_starts(text, "$(")) || (type == JSON_NUMBER && !place->names_only)) && redact_names_credential(name) &&
	       !names_entry(place);
}

static bool text_hides(struct str text)
{
	struct buf told = { 0 };
	bool hides;

	/* what is given to a name stands behind one of these */
	if (!text.len || (!memchr(text.ptr, '=', text.len) && !memchr(text.ptr, ':', text.len) && !memchr(text.ptr, '-', text.len)))
		return false;
	redact_assigned(text, &told);
	hides = !str_eq(text, buf_str(&told));
	buf_release(&told);
	return hides;
}

static struct conceal_place place_in(const struct conceal_place *place, struct json owner, struct json value)
{
	return json_is_object(owner) ? (struct conceal_place){ json_key(value), owner, place->key, place->names_only } : *place;
}

bool conceal_finds(const struct conceal_place *place, struct json value)
{
	struct json before = JSON_NONE;

	if (conceal_hides(place, value))
		return true;
	json_foreach(it, value) {
		struct conceal_place at = place_in(place, value, it);

		if (conceal_finds(&at, it) || (json_is_array(value) && follows_flag(before) && json_type(it) == JSON_STRING))
			return true;
		before = it;
	}
	return json_type(value) == JSON_STRING && !place->names_only && text_hides(json_str(value, ""));
}

static void write_string(struct str text, struct buf *out)
{
	struct buf told = { 0 };

	redact_assigned(text, &told);
	json_quote(out, buf_str(&told), JSON_QUOTE_TERMINAL);
	buf_release(&told);
}

static void write_elements(const struct conceal_place *place, struct json array, struct buf *out)
{
	struct json before = JSON_NONE;

	json_foreach(it, array) {
		json_begin(out, NULL);
		if (follows_flag(before) && json_type(it) == JSON_STRING)
			json_quote(out, CONCEALED, JSON_QUOTE_TERMINAL);
		else
			conceal_write(place, it, out);
		before = it;
	}
}

void conceal_write(const struct conceal_place *place, struct json value, struct buf *out)
{
	if (conceal_hides(place, value)) {
		json_quote(out, CONCEALED, JSON_QUOTE_TERMINAL);
	} else if (json_is_object(value)) {
		buf_add_char(out, '{');
		json_foreach(it, value) {
			struct conceal_place at = place_in(place, value, it);

			json_begin(out, json_key(it).ptr);
			conceal_write(&at, it, out);
		}
		buf_add_char(out, '}');
	} else if (json_is_array(value)) {
		buf_add_char(out, '[');
		write_elements(place, value, out);
		buf_add_char(out, ']');
	} else if (json_type(value) == JSON_STRING && !place->names_only) {
		write_string(json_str(value, ""), out);
	} else {
		json_write(value, out);
	}
}

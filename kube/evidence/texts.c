/* SPDX-License-Identifier: Apache-2.0 */
/* The texts by which operators explain the state of an object, or of a part of it: messages, reasons, errors. */
#include "kube/evidence/fact.h"
#include "kube/evidence/word_lists.h"

/* Returns the first field with text, among the names that operators use for the explanation of a phase. */
static struct str beside(struct json owner, const char *const *names)
{
	for (; *names; names++) {
		struct json value = json_member(owner, str_of(*names));

		if (json_is_array(value))
			value = json_first(value);
		if (json_str(value, "").len)
			return json_str(value, "");
		if (json_str(value, "message").len)
			return json_str(value, "message");
	}
	return STR_NONE;
}

struct str facts_explanation(struct json status)
{
	return beside(status, list_message_names);
}

struct str facts_reason(struct json status)
{
	return beside(status, list_reason_names);
}

bool facts_explains(struct str key)
{
	return str_is_any_nocase(key, list_message_names) || str_is_any_nocase(key, list_reason_names);
}

struct str facts_error_text(struct json value)
{
	struct str text;

	if (json_is_array(value))
		value = json_first(value);
	if (json_type(value) == JSON_ABSENT)
		return STR_NONE;
	text = json_str(value, "").len ? json_str(value, "") : beside(value, list_error_text);
	return str_is_any_nocase(text, list_nothings) ? STR_NONE : text;
}

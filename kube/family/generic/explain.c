/* SPDX-License-Identifier: Apache-2.0 */
/* The texts by which operators explain the state of an object, or of a part of it: messages, reasons, errors. */
#include "kube/family/generic/generic.h"

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

static const char *const message_names[] = { "message",	     "statusMessage", "errorMessage",
					     "phaseMessage", "stateMessage",  "failureMessage",
					     "statusReason", "phaseReason",   "description",
					     "error",	     "errors",	      "details",
					     "lastError",    "reasonMessage", "msg",
					     "Message",	     					     NULL };
static const char *const reason_names[] = { "reason",	   "phaseReason",   "statusReason",
					    "stateReason", "failureReason", "errorReason",
					    "errorCode",   "code",	    "Reason",
					    NULL };

struct str generic_explanation(struct json status)
{
	return beside(status, message_names);
}

struct str generic_reason(struct json status)
{
	return beside(status, reason_names);
}

bool generic_explains(struct str key)
{
	return str_is_any_nocase(key, message_names) || str_is_any_nocase(key, reason_names);
}

/* Texts that programs print where there is no error. */
static const char *const nothings[] = { "none", "nil", "<nil>", "null", "ok", "no error", NULL };

struct str generic_error_text(struct json value)
{
	static const char *const names[] = { "message", "error", "errorMessage", "description", "reason", "userMessage", "debugMessage", NULL };
	struct str text;

	if (json_is_array(value))
		value = json_first(value);
	if (json_type(value) == JSON_ABSENT)
		return STR_NONE;
	text = json_str(value, "").len ? json_str(value, "") : beside(value, names);
	return str_is_any_nocase(text, nothings) ? STR_NONE : text;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Events: they have no state of their own, they tell about others. */
#include "kube/family/core.h"

static int64_t last_told(struct json event)
{
	static const char *const paths[] = { "series.lastObservedTime", "lastTimestamp",
					     "deprecatedLastTimestamp", "eventTime",
					     "metadata.creationTimestamp" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (json_time(event, paths[i]))
			return json_time(event, paths[i]);
	return 0;
}

/* The object that it is about; older writers leave its apiVersion out. */
static void ref_about(struct verdict *v, const char *path)
{
	struct json about = json_at(verdict_object(v), path);
	unsigned group = json_has(about, "apiVersion") ? 0 : REF_ANY_GROUP;
	struct ref_rule rule = { .path = path,
				 .group = "",
				 .target = "",
				 .relation = RELATION_NEEDS,
				 .flags = REF_TELLS | group };

	if (json_str(about, "kind").len)
		verdict_ref_value(v, &rule, about, str_of(path));
}

static void core_event(struct verdict *v)
{
	struct json event = verdict_object(v);
	struct str message = json_str(event, "message");

	verdict_set(v, PHASE_READY, SEVERITY_NONE, json_str(event, "reason"),
		    message.len ? message : json_str(event, "note"));
	verdict_rule(v, STR("it tells about another object"));
	verdict_since(v, last_told(event));
	ref_about(v, "involvedObject");
	ref_about(v, "regarding");
}

const struct core_kind core_event_kinds[] = {
	{ "Event", core_event },
	{ NULL, NULL },
};

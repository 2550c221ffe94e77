/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/family/common/pod_selector.h"

#include <stdlib.h>

const struct alias_rule selector_aliases[] = { { "Selector", true }, { 0 } };

enum { LABELS = 16 };

static int by_key(const void *a, const void *b)
{
	return str_cmp(json_key(*(const struct json *)a), json_key(*(const struct json *)b));
}

/* "app=web,tier=front", by key; "" for what is no plain set of labels. */
static struct str labels_text(struct arena *a, struct json selector)
{
	struct json labels[LABELS], from = json_at(selector, "matchLabels");
	struct str text = STR_NONE;
	size_t n = 0;

	if (json_count(json_at(selector, "matchExpressions")))
		return STR_NONE;
	if (!json_is_object(from)) /* Istio */
		from = json_at(selector, "labels");
	json_foreach(it, json_is_object(from) ? from : selector)
	{
		if (n == LABELS || json_type(it) != JSON_STRING)
			return STR_NONE;
		labels[n++] = it;
	}
	qsort(labels, n, sizeof(labels[0]), by_key);
	for (size_t i = 0; i < n; i++)
		text = ARENA_JOIN(a, text, str_of(i ? "," : ""), json_key(labels[i]), STR("="), json_str(labels[i], ""));
	return text;
}

static void add(struct verdict *v, struct json selector, enum relation relation, unsigned flags, struct str via)
{
	struct str labels = labels_text(verdict_arena(v), selector);

	if (labels.len)
		verdict_ref(v, (struct ref){ .relation = relation, .flags = flags, .kind = STR("Selector"),
					     .name = labels, .via = via });
}

void selector_is_mine(struct verdict *v)
{
	struct json spec = json_at(verdict_object(v), "spec"), selector = json_at(spec, "selector");

	if (json_is_object(json_at(spec, "template")) && json_is_object(json_at(selector, "matchLabels")))
		add(v, selector, RELATION_MANAGES, REF_HIDDEN, STR("spec.selector"));
}

void selector_refers(struct verdict *v, struct json selector, struct str via)
{
	add(v, selector, RELATION_NEEDS, REF_IF_FOUND, via);
}

bool selector_workload(struct assessment *d, const char *path, struct neighbour *out)
{
	for (size_t i = 0; assess_target(d, i, out); i++)
		if (out->presence == PRESENCE_FOUND && str_is(out->via, path))
			return true;
	return false;
}

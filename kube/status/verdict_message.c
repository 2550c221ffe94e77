/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every operator passes on verbatim: the API server's own words on a
 * webhook that it cannot call, and on a budget that forbids an eviction.
 */
#include "kube/status/verdict.h"

/* From after the lead to the first of the ends. */
static struct str between(struct str text, const char *lead, const char *ends)
{
	size_t at = str_find_str(text, lead), n = 0;
	struct str rest, set = str_of(ends);

	if (at >= text.len)
		return STR_NONE;
	rest = str_from(text, at + str_of(lead).len);
	while (n < rest.len && str_find(set, rest.ptr[n]) == set.len)
		n++;
	return str_head(rest, n);
}

/*
 * k8s.io/apiserver, plugin/pkg/admission and conversion: 'failed calling webhook
 * "x": failed to call webhook: Post "https://name.ns.svc:443/path": service
 * "name" not found', 'conversion webhook for g, Kind=K failed: Post ...'.
 */
static void webhook(struct verdict *v, struct str message)
{
	struct str rest = between(message, "https://", ":/?\" "), name, ns, svc;
	bool missing = str_contains(message, "\" not found");

	if (!str_contains(message, "failed calling webhook") &&
	    !str_contains(message, "conversion webhook for "))
		return;
	if (!str_split(&rest, '.', &name) || !str_split(&rest, '.', &ns) ||
	    !str_split(&rest, '.', &svc) || !str_is(svc, "svc"))
		return;
	verdict_waits_for(v, (struct ref){
				     .relation = RELATION_NEEDS,
				     .flags = missing ? REF_SAYS_MISSING : 0,
				     .kind = STR("Service"),
				     .ns = ns,
				     .name = name,
				     .via = STR("status.conditions"),
				     .message = message,
			     });
}

/*
 * The eviction API, k8s.io/kubernetes pkg/registry/core/pod/storage/eviction.go:
 * "Cannot evict pod as it would violate the pod's disruption budget. The
 * disruption budget web needs 2 healthy pods and has 2 currently"; drains put
 * the pod before it.
 */
static void budget(struct verdict *v, struct str message)
{
	struct str name = between(message, "The disruption budget ", " \n"),
		   pod = between(message, "Pod ", ":, \n"), ns = between(message, "-n \"", "\""),
		   word;

	if (name.len == 0)
		return;
	if (ns.len == 0 && str_find(pod, '/') < pod.len && str_split(&pod, '/', &word))
		ns = word;
	verdict_waits_for(v, (struct ref){
				     .relation = RELATION_NEEDS,
				     .flags = REF_STANDS,
				     .group = STR("policy"),
				     .kind = STR("PodDisruptionBudget"),
				     .ns = ns,
				     .name = name,
				     .via = STR("status.conditions"),
				     .message = message,
			     });
}

void verdict_read_messages(struct verdict *v)
{
	webhook(v, v->status.message);
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		struct str message = verdict_condition_at(v, i)->message;

		if (message.len < 40)
			continue; /* neither text is that short */
		webhook(v, message);
		budget(v, message);
	}
}

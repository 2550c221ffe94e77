/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads messages that every operator passes on word for word: what the API server says of a webhook that it cannot
 * call, of a budget that forbids an eviction, and of a quota or limits that refuse something.
 */
#include "kube/status/verdict.h"

const char *const webhook_names[] = { "ValidatingWebhook", "MutatingWebhook", NULL };

/* Returns the text between the lead and the first of the ends. */
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

struct str phrase_webhook(struct str message)
{
	return between(message, "failed calling webhook \"", "\"\n");
}

/* The configurations that have the webhook are found by its name. */
static void its_configuration(struct verdict *v, struct str name)
{
	for (const char *const *kind = webhook_names; *kind; kind++)
		verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_HIDDEN, .kind = str_of(*kind), .name = name,
					     .via = STR("status.conditions") });
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
	its_configuration(v, phrase_webhook(message));
	if (!str_split(&rest, '.', &name) || !str_split(&rest, '.', &ns) ||
	    !str_split(&rest, '.', &svc) || !str_is(svc, "svc"))
		return;
	verdict_waits_for(v, (struct ref){
				     .flags = missing ? REF_REPORTED_MISSING : 0,
				     .kind = STR("Service"),
				     .ns = ns,
				     .name = name,
				     .via = STR("status.conditions"),
				     .message = message,
			     });
}

static void wait_for_budget(struct verdict *v, struct str ns, struct str name, struct str message)
{
	verdict_waits_for(v, (struct ref){
				     .flags = REF_STANDS,
				     .group = STR("policy"),
				     .kind = STR("PodDisruptionBudget"),
				     .ns = ns,
				     .name = name,
				     .via = STR("status.conditions"),
				     .message = message,
			     });
}

/* Returns the text from the last occurrence of the lead on, or all of it when there is none. */
static struct str after_last(struct str text, const char *lead)
{
	size_t n = str_of(lead).len;

	for (size_t at = str_find_str(text, lead); at < text.len; at = str_find_str(text, lead))
		text = str_from(text, at + n);
	return text;
}

/*
 * The eviction API, k8s.io/kubernetes pkg/registry/core/pod/storage/eviction.go:
 * "Cannot evict pod as it would violate the pod's disruption budget. The
 * disruption budget web needs 2 healthy pods and has 2 currently"; drains put
 * the pods before it: "* Pods shop/web-0, shop/web-1, and 3 more: Cannot ...",
 * one line for each refusal.
 */
static void budgets(struct verdict *v, struct str message)
{
	static const char lead[] = "The disruption budget ";
	const char *line_end = message.ptr;	/* the end of the line with the last lead */
	size_t at;

	while ((at = str_find_str(message, lead)) < message.len) {
		struct str before = str_head(message, at), ns = between(before, "-n \"", "\""),
			   name = between(message, lead, " \n"), words, pods, one;
		bool said = false;

		words = str_from(message, at);
		if (line_end <= words.ptr)
			line_end = words.ptr + str_find(words, '\n');
		words = str_trim(str_head(words, (size_t)(line_end - words.ptr)));
		message = str_from(message, at + sizeof(lead) - 1);
		if (name.len == 0)
			continue;
		pods = after_last(after_last(before, "Pods "), "Pod ");
		pods = str_head(pods, str_find(pods, ':'));
		while (ns.len == 0 && str_split(&pods, ',', &one)) {
			one = str_trim(one);
			if (str_find(one, '/') == one.len)
				continue;
			wait_for_budget(v, str_head(one, str_find(one, '/')), name, words);
			said = true;
		}
		if (!said)
			wait_for_budget(v, ns, name, words);
	}
}

/*
 * "Cannot evict pod as it would violate the pod's disruption budget." without the name of the budget, and "This pod has more than one
 * PodDisruptionBudget, which the eviction subresource does not support.", of one who drains a node: the node knows which budgets hold its pods.
 */
static void budget_of_its_node(struct verdict *v, struct str message)
{
	static const char *const unnamed[] = { "violate the pod's disruption budget", "more than one PodDisruptionBudget", NULL };
	const struct ref *ref;

	if (!str_contains_any(message, unnamed) || str_contains(message, "The disruption budget "))
		return;
	for (size_t i = 0; (ref = verdict_ref_at(v, i)); i++) {
		struct ref node = *ref;

		if (node.relation != RELATION_NEEDS || !str_is(node.kind, "Node") || node.group.len)
			continue;
		node.flags |= REF_STANDS;
		node.message = message;
		verdict_waits_for(v, node);
	}
}

/*
 * kubernetes staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go: "exceeded quota: compute, requested: ...",
 * "failed quota: compute: must specify limits.memory for: app".
 */
struct str phrase_quota(struct str message)
{
	struct str exceeded = between(message, "exceeded quota: ", ",\n");

	return str_trim(exceeded.len ? exceeded : between(message, "failed quota: ", ":\n"));
}

/* kubernetes plugin/pkg/admission/limitranger/admission.go: "maximum memory usage per Container is 1Gi, but limit is 2Gi" */
bool phrase_breaks_limits(struct str message)
{
	static const char *const per[] = { " usage per Container is ", " usage per Pod is ", " usage per PersistentVolumeClaim is ",
					   " limit to request ratio per ", NULL };

	return str_contains(message, "forbidden: ") && str_contains_any(message, per);
}

/* What it makes is refused: who tries that again and again is not on the happy path. */
static void refused(struct verdict *v)
{
	if (v->status.severity == SEVERITY_INFO && phase_under_way(v->status.phase))
		v->status.severity = SEVERITY_WARNING;
}

static void limits(struct verdict *v, struct str message, const char *via)
{
	struct str quota = phrase_quota(message);

	if ((quota.len || phrase_breaks_limits(message)) && !verdict_namespace(v).len) {
		refused(v);	/* it makes things in namespaces, and its words do not tell in which */
	} else if (quota.len) {
		verdict_waits_for(v, (struct ref){ .flags = REF_STANDS,
						   .kind = STR("ResourceQuota"),
						   .name = quota,
						   .via = str_of(via),
						   .message = message });
		refused(v);
	} else if (phrase_breaks_limits(message)) {
		/* the words do not name the limits: those of the namespace are found by this name */
		verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
					     .flags = REF_HIDDEN,
					     .kind = STR("LimitRanges"),
					     .name = STR("all"),
					     .via = STR("metadata.namespace") });
		refused(v);
	}
}

void verdict_read_messages(struct verdict *v)
{
	webhook(v, v->status.message);
	limits(v, v->status.message, "status");
	budget_of_its_node(v, v->status.message);
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		struct str message = verdict_condition_at(v, i)->message;

		if (message.len < 40)
			continue; /* no such text is as short as that */
		webhook(v, message);
		budgets(v, message);
		budget_of_its_node(v, message);
		limits(v, message, "status.conditions");
	}
}

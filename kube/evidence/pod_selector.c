/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/evidence/pod_selector.h"

#include "kube/base/nearest.h"

#include <stdlib.h>

enum {
	LABELS = 16,
	LABELS_NAMED = 8,	/* labels of one object that are names, too */
	LOOKED_AT = 300		/* who shares one name is looked at up to that number */
};

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

	if (!labels.len)
		return;
	verdict_ref(v, (struct ref){ .relation = relation, .flags = flags, .kind = STR("Selector"), .name = labels, .via = via });
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_HIDDEN | REF_CLUSTER, .kind = STR("SelectorAnywhere"),
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

/* ---- single labels -------------------------------------------------------- */

/* Labels that controllers give to each revision or pod: nobody selects by them across revisions. */
static const char *const of_one_revision[] = { "pod-template-hash", "controller-revision-hash", "pod-template-generation",
					       "controller-uid", "batch.kubernetes.io/controller-uid",
					       "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index", NULL };

static void name_label(struct verdict *v, const char *kind, struct str name, struct str via)
{
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_HIDDEN, .kind = str_of(kind), .name = name, .via = via });
}

/* Returns how many there are. */
static size_t note_labels(struct verdict *v, struct json labels, const char *what, struct str via)
{
	size_t n = 0;

	json_foreach(it, labels)
	{
		struct str pair = ARENA_JOIN(verdict_arena(v), json_key(it), STR("="), json_str(it, ""));

		if (str_is_any(json_key(it), of_one_revision))
			continue;
		if (n++ == LABELS_NAMED)
			break;
		verdict_particular(v, what, pair);
		name_label(v, "PodLabel", pair, via);
		name_label(v, "PodLabelKey", json_key(it), via);
		name_label(v, "PodLabelValue", json_str(it, ""), via);
	}
	return n;
}

void selector_is_carried(struct verdict *v, struct json labels)
{
	note_labels(v, labels, "label", STR("metadata.labels"));
}

void selector_asks(struct verdict *v, struct json labels)
{
	/* a Service of one pod */
	if (note_labels(v, labels, "selects", STR("spec.selector")) == 0)
		json_foreach(it, labels)
			verdict_particular(v, "selects", ARENA_JOIN(verdict_arena(v), json_key(it), STR("="), json_str(it, "")));
}

/* Returns the value that st's pods have for the key of a pair "key=value"; has: whether they have the key. */
static struct str value_for(const struct status *st, struct str pair, bool *has)
{
	struct str key = str_head(pair, str_find(pair, '=') + 1), label;
	size_t at = 0;

	while ((label = status_particular(st, "label", &at)).len)
		if (str_eq(str_head(label, key.len), key)) {
			*has = true;
			return str_from(label, key.len);
		}
	*has = false;
	return STR_NONE;
}

/* Returns a label of st's pods, "app=web", that has the value of a pair for another key; "": none has. */
static struct str under_another_key(const struct status *st, struct str pair)
{
	struct str value = str_from(pair, str_find(pair, '=') + 1), label;
	size_t at = 0;

	while (value.len && (label = status_particular(st, "label", &at)).len)
		if (str_eq(str_from(label, str_find(label, '=') + 1), value))
			return label;
	return STR_NONE;
}

static bool carries(const struct status *st, struct str pair)
{
	bool has;
	struct str value = value_for(st, pair, &has);

	return has && str_eq(value, str_from(pair, str_find(pair, '=') + 1));
}

static bool carries_all(struct assessment *d, const struct status *st)
{
	size_t at = 0;
	struct str pair;

	while ((pair = status_particular(assess_status(d), "selects", &at)).len)
		if (!carries(st, pair))
			return false;
	return true;
}

/* Makers have labels; those that only ask for them are found at the same name. */
static bool is_maker(const struct neighbour *n)
{
	size_t at = 0;

	return n->presence == PRESENCE_FOUND && status_particular(&n->status, "label", &at).len;
}

/* Finds the name, of that pseudo kind, that the fewest share. */
static bool rarest_name(struct assessment *d, const char *kind, struct neighbour *out)
{
	size_t least = SIZE_MAX;
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++) {
		size_t shared = str_is(n.kind->kind, kind) ? assess_referrers(d, &n) : SIZE_MAX;

		if (shared < least) {
			least = shared;
			*out = n;
		}
	}
	return least != SIZE_MAX;
}

/* Adds it in the order of names; what goes beyond max falls off at the end. */
static void keep_by_name(struct neighbour *all, size_t *n, size_t max, const struct neighbour *one)
{
	size_t at = *n;

	while (at > 0 && str_cmp(one->name, all[at - 1].name) < 0)
		at--;
	if (at == max)
		return;
	*n += *n < max;
	for (size_t i = *n - 1; i > at; i--)
		all[i] = all[i - 1];
	all[at] = *one;
}

size_t selector_makers(struct assessment *d, struct neighbour *out, size_t max)
{
	struct neighbour name, n;
	size_t found = 0;

	if (!rarest_name(d, "PodLabel", &name))
		return 0;
	for (size_t i = 0; i < LOOKED_AT && assess_referrer_of(d, &name, i, &n); i++)
		if (is_maker(&n) && carries_all(d, &n.status)) {
			n.via = STR("spec.selector");
			keep_by_name(out, &found, max, &n);
		}
	return found;
}

/* ---- the nearest ---------------------------------------------------------- */

struct likeness {
	size_t same, far;
	unsigned letters;	/* in which the values differ */
};

static struct likeness likeness(struct assessment *d, const struct status *st)
{
	struct likeness l = { 0 };
	struct str pair, value;
	size_t at = 0;
	bool has;

	while ((pair = status_particular(assess_status(d), "selects", &at)).len) {
		struct nearest near = { .typed = str_from(pair, str_find(pair, '=') + 1) };

		value = value_for(st, pair, &has);
		if (has && str_eq(value, near.typed)) {
			l.same++;
			continue;
		}
		nearest_offer(&near, value);
		l.far += near.n == 0;
		l.letters += near.n ? near.best[0].distance : 0;
	}
	return l;
}

static bool is_liker(const struct likeness *a, const struct likeness *b)
{
	if (a->same != b->same)
		return a->same > b->same;
	return a->far != b->far ? a->far < b->far : a->letters < b->letters;
}

static struct str differences(struct assessment *d, const struct status *st)
{
	struct str have = STR_NONE, lack = STR_NONE, asks = STR_NONE, pair;
	struct arena *a = assess_arena(d);
	size_t at = 0;
	bool has;

	while ((pair = status_particular(assess_status(d), "selects", &at)).len) {
		struct str key = str_head(pair, str_find(pair, '=')), value = value_for(st, pair, &has);

		if (carries(st, pair))
			continue;
		value = has ? ARENA_JOIN(a, key, STR("="), value) : under_another_key(st, pair);
		if (value.len)
			have = ARENA_JOIN(a, have, str_of(have.len ? "," : ""), value);
		if (!has)
			lack = ARENA_JOIN(a, lack, str_of(lack.len ? ", " : ""), key);
		asks = ARENA_JOIN(a, asks, str_of(asks.len ? "," : ""), pair);
	}
	return ARENA_JOIN(a, str_of(have.len ? "have " : ""), have, str_of(have.len && lack.len ? " and " : ""),
			  str_of(lack.len ? "have no label " : ""), lack, STR(", the selector asks "), asks);
}

/* Its pods have all the values that are asked for, some of them for another key. */
static bool has_all_values(struct assessment *d, const struct status *st)
{
	struct str pair;
	size_t at = 0;

	while ((pair = status_particular(assess_status(d), "selects", &at)).len)
		if (!carries(st, pair) && !under_another_key(st, pair).len)
			return false;
	return true;
}

static bool nearest_by_values(struct assessment *d, struct neighbour *out)
{
	struct neighbour name, n;
	bool any = false;

	if (!rarest_name(d, "PodLabelValue", &name))
		return false;
	for (size_t i = 0; i < LOOKED_AT && assess_referrer_of(d, &name, i, &n); i++)
		if (is_maker(&n) && has_all_values(d, &n.status) && (!any || str_cmp(n.name, out->name) < 0)) {
			*out = n;
			any = true;
		}
	return any;
}

bool selector_nearest(struct assessment *d, struct neighbour *out, struct str *out_differs)
{
	struct likeness best = { 0 };
	struct neighbour name, n;
	bool any = false;

	for (size_t k = 0; assess_target(d, k, &name); k++)
		for (size_t i = 0; i < LOOKED_AT && str_is(name.kind->kind, "PodLabelKey") && assess_referrer_of(d, &name, i, &n); i++) {
			struct likeness l = is_maker(&n) ? likeness(d, &n.status) : (struct likeness){ .far = SIZE_MAX };

			if ((l.same == 0 && l.far) ||
			    (any && !is_liker(&l, &best) && (is_liker(&best, &l) || str_cmp(n.name, out->name) >= 0)))
				continue;
			best = l;
			*out = n;
			any = true;
		}
	any = any || nearest_by_values(d, out);
	if (any)
		*out_differs = differences(d, &out->status);
	return any;
}

bool selector_elsewhere(struct assessment *d, struct neighbour *out)
{
	struct neighbour name, n;
	bool any = false;

	if (!rarest_name(d, "SelectorAnywhere", &name))
		return false;
	for (size_t i = 0; i < LOOKED_AT && assess_referrer_of(d, &name, i, &n); i++)
		if (is_maker(&n) && !str_eq(n.ns, assess_namespace(d)) && (!any || str_cmp(n.ns, out->ns) < 0)) {
			*out = n;
			any = true;
		}
	return any;
}

struct str selector_asked(struct assessment *d)
{
	struct str text = STR_NONE, pair;
	size_t at = 0;

	while ((pair = status_particular(assess_status(d), "selects", &at)).len)
		text = ARENA_JOIN(assess_arena(d), text, str_of(text.len ? "," : ""), pair);
	return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/status/usage.h"

#include "kube/base/alloc.h"
#include "kube/base/buf.h"
#include "kube/base/map.h"
#include "kube/base/quantity.h"

struct noted {
	struct used used;
	int64_t at;	/* ms */
};

struct usage {
	struct map noted;	/* by cluster, kind, namespace and name: struct noted */
};

struct usage *usage_new(void)
{
	return xcalloc(1, sizeof(struct usage));
}

void usage_free(struct usage *u)
{
	if (!u)
		return;
	for (struct map_entry *e = map_next(&u->noted, NULL); e; e = map_next(&u->noted, e))
		xfree(map_value(e));
	map_release(&u->noted);
	xfree(u);
}

bool usage_tells(const struct kind *kind)
{
	return str_is(kind->group, "metrics.k8s.io") && (str_is(kind->kind, "PodMetrics") || str_is(kind->kind, "NodeMetrics"));
}

/* The beginning of the keys of all objects of a kind in a namespace ("": in all); metrics are of pods, or of nodes. */
static void add_scope(struct buf *key, uint16_t cluster, bool of_pods, struct str ns)
{
	buf_printf(key, "%u %s ", cluster, of_pods ? "pod" : "node");
	if (ns.len)
		BUF_JOIN(key, ns, STR("/"));
}

/* Returns false, and adds nothing, when the text is no quantity. */
static bool add_quantity(double *sum, struct str text)
{
	double value = quantity_read(text);

	if (value >= 0)
		*sum += value;
	return value >= 0;
}

/* Of a pod each container tells, of a node the object itself. */
static bool read_used(struct json object, bool of_pods, struct used *out)
{
	bool known = false;

	*out = (struct used){ 0, 0 };
	if (!of_pods)
		return add_quantity(&out->memory, json_str(object, "usage.memory")) && add_quantity(&out->cpu, json_str(object, "usage.cpu"));
	json_foreach(container, json_at(object, "containers")) {
		known = true;
		if (!add_quantity(&out->memory, json_str(container, "usage.memory")) || !add_quantity(&out->cpu, json_str(container, "usage.cpu")))
			return false;
	}
	return known;
}

void usage_note(struct usage *u, uint16_t cluster, const struct kind *kind, struct json object, int64_t now)
{
	bool of_pods = str_is(kind->kind, "PodMetrics");
	struct noted *noted;
	struct used used;
	struct buf key = { 0 };

	if (!read_used(object, of_pods, &used))
		return;
	add_scope(&key, cluster, of_pods, json_str(object, "metadata.namespace"));
	buf_add(&key, json_str(object, "metadata.name"));
	noted = map_get(&u->noted, buf_str(&key));
	if (!noted) {
		noted = xcalloc(1, sizeof(*noted));
		map_set(&u->noted, buf_str(&key), noted);
	}
	*noted = (struct noted){ used, now };
	buf_release(&key);
}

void usage_forget(struct usage *u, const struct object_id *scope, int64_t since)
{
	struct buf begin = { 0 };
	struct map_entry *next;

	add_scope(&begin, scope->cluster, str_is(scope->kind->kind, "PodMetrics"), scope->ns);
	for (struct map_entry *e = map_next(&u->noted, NULL); e; e = next) {
		struct noted *noted = map_value(e);

		next = map_next(&u->noted, e);
		if (noted->at >= since || !str_starts(map_key(e), buf_cstr(&begin)))
			continue;
		map_remove(&u->noted, map_key(e));
		xfree(noted);
	}
	buf_release(&begin);
}

bool usage_of(const struct usage *u, const struct object_id *id, struct used *out)
{
	bool of_pods = str_is(id->kind->kind, "Pod");
	const struct noted *noted;
	struct buf key = { 0 };

	if (id->kind->group.len || !(of_pods || str_is(id->kind->kind, "Node")))
		return false;
	add_scope(&key, id->cluster, of_pods, id->ns);
	buf_add(&key, id->name);
	noted = map_get(&u->noted, buf_str(&key));
	buf_release(&key);
	if (noted)
		*out = noted->used;
	return noted != NULL;
}

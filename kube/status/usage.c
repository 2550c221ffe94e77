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
	struct map noted;	/* by cluster, what it is of, namespace and name: struct noted */
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

static bool is_of_claims(const struct kind *kind)
{
	return str_is(kind->kind, "PersistentVolumeClaim");
}

/* The beginning of the keys of all objects of a kind in a namespace ("": in all); metrics are of pods, or of nodes. */
static void add_scope(struct buf *key, uint16_t cluster, const struct kind *kind, struct str ns)
{
	buf_printf(key, "%u %s ", cluster, is_of_claims(kind) ? "claim" : str_starts(kind->kind, "Pod") ? "pod" : "node");
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

	*out = (struct used){ .memory = 0 };
	if (!of_pods)
		return add_quantity(&out->memory, json_str(object, "usage.memory")) && add_quantity(&out->cpu, json_str(object, "usage.cpu"));
	json_foreach(container, json_at(object, "containers")) {
		known = true;
		if (!add_quantity(&out->memory, json_str(container, "usage.memory")) || !add_quantity(&out->cpu, json_str(container, "usage.cpu")))
			return false;
	}
	return known;
}

static void note(struct usage *u, const struct object_id *id, const struct used *used, int64_t now)
{
	struct buf key = { 0 };
	struct noted *noted;

	add_scope(&key, id->cluster, id->kind, id->ns);
	buf_add(&key, id->name);
	noted = map_get(&u->noted, buf_str(&key));
	if (!noted) {
		noted = xcalloc(1, sizeof(*noted));
		map_set(&u->noted, buf_str(&key), noted);
	}
	*noted = (struct noted){ *used, now };
	buf_release(&key);
}

void usage_note(struct usage *u, uint16_t cluster, const struct kind *kind, struct json object, int64_t now)
{
	struct object_id id = { cluster, kind, json_str(object, "metadata.namespace"), json_str(object, "metadata.name") };
	struct used used;

	if (read_used(object, str_is(kind->kind, "PodMetrics"), &used))
		note(u, &id, &used, now);
}

/* A block device tells how large it is, and not how much of it is used; some file systems have no fixed number of inodes. */
static bool read_volume(struct json volume, struct used *out)
{
	static const double at_most = (double)((int64_t)1 << 53);
	double inodes = json_number(volume, "inodesUsed", -1), most = json_number(volume, "inodes", 0);

	*out = (struct used){ .filled = json_number(volume, "usedBytes", -1), .room = json_number(volume, "capacityBytes", 0) };
	if (out->filled < 0 || out->room <= 0 || out->filled > at_most || out->room > at_most)
		return false;
	if (inodes >= 0 && most > 0 && most <= at_most && inodes <= most && inodes / most > out->filled / out->room)
		*out = (struct used){ .filled = inodes, .room = most, .inodes = true };
	return true;
}

void usage_note_claims(struct usage *u, const struct object_id *scope, struct json summary, int64_t now)
{
	struct object_id id = *scope;
	struct used used;

	json_foreach(pod, json_at(summary, "pods"))
		json_foreach(volume, json_at(pod, "volume")) {
			id.ns = json_str(volume, "pvcRef.namespace");
			id.name = json_str(volume, "pvcRef.name");
			if (id.name.len && read_volume(volume, &used))
				note(u, &id, &used, now);
		}
}

void usage_forget(struct usage *u, const struct object_id *scope, int64_t since)
{
	struct buf begin = { 0 };
	struct map_entry *next;

	add_scope(&begin, scope->cluster, scope->kind, scope->ns);
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
	const struct noted *noted;
	struct buf key = { 0 };

	if (id->kind->group.len || !(str_is(id->kind->kind, "Pod") || str_is(id->kind->kind, "Node") || is_of_claims(id->kind)))
		return false;
	add_scope(&key, id->cluster, id->kind, id->ns);
	buf_add(&key, id->name);
	noted = map_get(&u->noted, buf_str(&key));
	buf_release(&key);
	if (noted)
		*out = noted->used;
	return noted != NULL;
}

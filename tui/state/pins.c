/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/state/pins.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"

#include <string.h>

enum { TEXT = 253, OWNERS = 4 };	/* bytes of a name at most; how many owners above an object are looked at */

static struct str copy(char **at, struct str s)
{
	struct str out = { *at, s.len };

	if (s.len)
		memcpy(*at, s.ptr, s.len);
	*at += s.len;
	return out;
}

bool pins_add(struct pins *p, const struct id *id)
{
	struct pin *pin = &p->all[p->n];
	char *at;

	assert(p->n <= PINS);
	if (p->n == PINS || !id->name.len || !id->kind.len || id->name.len > TEXT || id->kind.len > TEXT || id->ns.len > TEXT ||
	    id->group.len > TEXT || id->cluster.len > 4 * TEXT)
		return false;
	*pin = (struct pin){ .texts = xmalloc(id->name.len + id->kind.len + id->ns.len + id->group.len + id->cluster.len) };
	at = pin->texts;
	pin->id = (struct id){ .group = copy(&at, id->group), .kind = copy(&at, id->kind), .ns = copy(&at, id->ns), .name = copy(&at, id->name),
			       .cluster = copy(&at, id->cluster) };
	pin->is_namespace = !pin->id.group.len && str_is(pin->id.kind, "Namespace");
	p->n++;
	return true;
}

void pins_remove(struct pins *p, size_t at)
{
	assert(at < p->n);
	xfree(p->all[at].texts);
	memmove(&p->all[at], &p->all[at + 1], (--p->n - at) * sizeof(p->all[0]));
}

void pins_release(struct pins *p)
{
	while (p->n)
		pins_remove(p, p->n - 1);
}

void pins_find(struct pins *p, const struct scene *scene)
{
	for (size_t i = 0; i < p->n; i++) {
		struct pin *pin = &p->all[i];

		pin->known = scene_find_cluster(scene, pin->id.cluster, &pin->cluster);
		pin->id.handle = scene_find(scene, &pin->id);
	}
}

size_t pins_of(const struct pins *p, struct handle h)
{
	size_t i = 0;

	while (i < p->n && !(h.slot && handle_eq(p->all[i].id.handle, h)))
		i++;
	return i;
}

size_t pins_of_namespace(const struct pins *p, struct str cluster, struct str ns)
{
	size_t i = 0;

	while (i < p->n && !(p->all[i].is_namespace && str_eq(p->all[i].id.name, ns) && str_eq(p->all[i].id.cluster, cluster)))
		i++;
	return i;
}

size_t pins_over(const struct pins *p, const struct store *store, uint32_t slot)
{
	struct object_id id;
	uint32_t at = slot;

	if (!p->n || !slot)
		return p->n;
	for (unsigned depth = 0; at && depth < OWNERS; depth++, at = graph_controller(store, at))
		for (size_t i = 0; i < p->n; i++)
			if (p->all[i].id.handle.slot == at)
				return i;
	id = store_node_id(store, slot);
	for (size_t i = 0; i < p->n && id.ns.len; i++)
		if (p->all[i].is_namespace && p->all[i].known && p->all[i].cluster == id.cluster && str_eq(p->all[i].id.name, id.ns))
			return i;
	return p->n;
}

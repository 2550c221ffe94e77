/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds who reconciles an object: from its kind to the definition, from there to the operator's CSV or package revision
 * and to its Deployments, and to the Service that converts versions.  Where that leads to nothing, well-known names are
 * tried.
 */
#include "kube/graph/graph_private.h"
#include "kube/base/assert.h"
#include "kube/status/thresholds.h"

#include <stdio.h>

enum role { ROLE_LINK, ROLE_WORKLOAD, ROLE_WEBHOOK, ROLE_LEASE };

struct found {
	struct object_id id;
	uint32_t slot; /* 0: the name was never met */
	enum role role;
	struct str via;
	uint32_t of; /* for a lease: the workload that should renew it */
};

enum { FOUND = 32 };

struct search {
	struct graph *g;
	struct arena *arena;
	struct found found[FOUND];
	size_t n, nworkloads;
};

static const struct kind *kind_of(const struct graph *g, const char *group, const char *name)
{
	return kinds_find(store_kinds(g->store), str_of(group), str_of(name));
}

static const struct kind *definition_kind(const struct graph *g)
{
	return kind_of(g, "apiextensions.k8s.io", "CustomResourceDefinition");
}

static bool is_workload(const struct kind *kind)
{
	return str_is(kind->group, "apps") &&
	       (str_is(kind->kind, "Deployment") || str_is(kind->kind, "StatefulSet") ||
		str_is(kind->kind, "DaemonSet"));
}

static void add(struct search *s, struct object_id id, enum role role, struct str via)
{
	uint32_t slot = store_find_node(s->g->store, &id);

	for (size_t i = 0; i < s->n; i++)
		if (slot && s->found[i].slot == slot)
			return;
	assert(s->n <= FOUND && s->nworkloads <= s->n);
	if (s->n == FOUND)
		return;
	s->found[s->n++] = (struct found){ .id = id, .slot = slot, .role = role, .via = via };
	s->nworkloads += role == ROLE_WORKLOAD;
}

/* ---- by well-known names ------------------------------------------------- */

static void by_rules(struct search *s, uint32_t slot)
{
	struct object_id id = store_node_id(s->g->store, slot);
	const struct family *f =
		store_meta(s->g->store, store_node_handle(s->g->store, slot)).family;
	const struct kind *deployment = kind_of(s->g, "apps", "Deployment"),
			  *stateful = kind_of(s->g, "apps", "StatefulSet"),
			  *lease = kind_of(s->g, "coordination.k8s.io", "Lease");

	for (const struct controller_rule *r = f ? f->controllers : NULL; r && r->ns; r++) {
		struct str ns = controller_rule_name(r->ns, id.kind, s->arena);
		struct object_id at = { id.cluster, deployment, ns,
					controller_rule_name(r->deployment, id.kind, s->arena) };
		bool seen;

		if (!controller_rule_matches(r, id.kind))
			continue;
		if (r->deployment && stateful && !store_find(s->g->store, &at).slot) {
			at.kind = stateful;
			if (!store_find(s->g->store, &at).slot)
				at.kind = deployment;
		}
		seen = r->deployment && at.kind && store_find(s->g->store, &at).slot;
		if (r->deployment && at.kind)
			add(s, at, ROLE_WORKLOAD, STR_NONE);
		at = (struct object_id){ id.cluster, lease, ns, str_of(r->lease) };
		if (r->lease && lease)
			add(s, at, ROLE_LEASE, STR_NONE);
		if (seen)
			return;	/* the first one that exists is taken */
	}
}

/* An operator may install workloads that reconcile nothing, beside its controller. */
static bool is_aside(struct str name)
{
	static const char *const words[] = { "console", "dashboard", "metrics", "exporter",
					     "plugin",	"-ui",	     NULL };

	return str_contains_any(name, words);
}

/* ---- by the definition --------------------------------------------------- */

static void add_managed_workloads(struct search *s, uint32_t csv, struct str via)
{
	add(s, store_node_id(s->g->store, csv), ROLE_LINK, via);
	for (size_t i = 0; i < store_edge_count(s->g->store, csv); i++) {
		struct edge e = store_edge(s->g->store, csv, i);
		struct object_id id = store_node_id(s->g->store, e.target);

		if (e.relation == RELATION_MANAGES && is_workload(id.kind) && !is_aside(id.name))
			add(s, id, ROLE_WORKLOAD, via);
	}
}

/* For a package revision: finds the Deployments that it owns. */
static void add_owned_workloads(struct search *s, uint32_t owner, struct str via)
{
	size_t n;
	const uint32_t *in;

	add(s, store_node_id(s->g->store, owner), ROLE_LINK, via);
	in = store_referrers(s->g->store, owner, &n);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; is_workload(store_node_id(s->g->store, in[i]).kind) &&
				   k < store_edge_count(s->g->store, in[i]);
		     k++) {
			struct edge e = store_edge(s->g->store, in[i], k);

			if (e.target == owner && e.relation == RELATION_OWNS)
				add(s, store_node_id(s->g->store, in[i]), ROLE_WORKLOAD, via);
		}
}

/* Finds the object that says that the definition belongs to it. */
static void by_managers(struct search *s, uint32_t definition)
{
	size_t n;
	const uint32_t *in = store_referrers(s->g->store, definition, &n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < store_edge_count(s->g->store, in[i]); k++) {
			struct edge e = store_edge(s->g->store, in[i], k);

			if (e.target == definition && e.relation == RELATION_MANAGES)
				add_managed_workloads(s, in[i], e.via);
		}
}

static void by_owners(struct search *s, uint32_t definition)
{
	for (size_t i = 0; i < store_edge_count(s->g->store, definition); i++) {
		struct edge e = store_edge(s->g->store, definition, i);
		struct object_id id = store_node_id(s->g->store, e.target);

		if (e.relation == RELATION_OWNS) {
			add_owned_workloads(s, e.target, e.via);
			if (graph_is_alive(s->g, e.target))
				by_rules(s, e.target);
		} else if (str_starts(e.via, "spec.conversion.") &&
			   str_is(id.kind->kind, "Service")) {
			add(s, id, ROLE_WEBHOOK, e.via);
		}
	}
}

static void by_definition(struct search *s, const struct object_id *of)
{
	const struct kind *kind = definition_kind(s->g);
	struct object_id id = { of->cluster, kind, STR_NONE, STR_NONE };
	uint32_t slot;

	if (!kind || !(of->kind->flags & KIND_CUSTOM))
		return;
	id.name = arena_printf(s->arena, STR_FMT "." STR_FMT, STR_ARG(of->kind->plural),
			       STR_ARG(of->kind->group));
	add(s, id, ROLE_LINK, STR_NONE);
	slot = store_find_node(s->g->store, &id);
	if (!slot)
		return;
	by_managers(s, slot);
	by_owners(s, slot);
}

/* The lease of a leader names its pod, and the name of the pod begins with that of the workload. */
static void add_leases(struct search *s, size_t workload)
{
	struct found w = s->found[workload];
	const struct kind *kind = kind_of(s->g, "coordination.k8s.io", "Lease");
	size_t n, before;
	const uint32_t *slots = store_in_namespace(s->g->store, w.id.cluster, w.id.ns, &n);

	for (size_t i = 0; kind && i < n; i++) {
		struct object_id id = store_node_id(s->g->store, slots[i]);

		for (size_t k = 0; id.kind == kind && k < store_edge_count(s->g->store, slots[i]);
		     k++) {
			struct edge e = store_edge(s->g->store, slots[i], k);
			struct str pod = store_node_id(s->g->store, e.target).name;

			if (!str_is(e.via, "spec.holderIdentity") || pod.len <= w.id.name.len ||
			    !str_eq(str_head(pod, w.id.name.len), w.id.name) ||
			    pod.ptr[w.id.name.len] != '-')
				continue;
			before = s->n;
			add(s, id, ROLE_LEASE, w.via);
			if (s->n > before)
				s->found[before].of = w.slot;
		}
	}
}

static void search(struct search *s, uint32_t slot)
{
	struct object_id id = store_node_id(s->g->store, slot);

	by_definition(s, &id);
	if (s->nworkloads == 0)
		by_rules(s, slot);
	for (size_t i = 0, n = s->n; i < n; i++)
		if (s->found[i].role == ROLE_WORKLOAD && s->found[i].slot &&
		    graph_is_alive(s->g, s->found[i].slot))
			add_leases(s, i);
}

/* ---- how they are -------------------------------------------------------- */

static enum controller_health workload_health(const struct graph *g, uint32_t slot)
{
	struct status st = graph_status(g, slot, NULL);

	if (!graph_is_alive(g, slot))
		return CONTROLLER_ABSENT;
	if (st.phase == PHASE_DELETING)
		return CONTROLLER_DELETING;
	if (st.replicas.wanted == 0)
		return CONTROLLER_ZERO;
	if ((st.replicas.wanted > 0 && st.replicas.ready == 0) ||
	    (st.phase == PHASE_FAILED && st.replicas.ready <= 0))
		return CONTROLLER_DOWN;
	return CONTROLLER_FINE;
}

static enum controller_health service_health(const struct graph *g, uint32_t slot)
{
	enum phase phase = graph_phase(g, slot);

	if (!graph_is_alive(g, slot))
		return graph_presence(g, slot, 0) == PRESENCE_MISSING ? CONTROLLER_MISSING : CONTROLLER_FINE;
	return phase_is_bad(phase) ? CONTROLLER_NO_ENDPOINT : CONTROLLER_FINE;
}

/* A lease that nobody has renewed for days is not used any more, or the whole world is a recording of another day. */
static bool is_expired(const struct graph *g, uint32_t slot, struct arena *arena)
{
	struct status st = graph_status(g, slot, arena);

	for (size_t i = 0; i < st.nflags; i++)
		if (str_is(st.flags[i], "expired"))
			return graph_is_alive(g, slot) && g->now - st.since < thresholds.lease_forgotten;
	return false;
}

static enum controller_health health_of(const struct graph *g, uint32_t slot, enum role role,
				 struct arena *arena)
{
	switch (role) {
	case ROLE_WORKLOAD:
		return workload_health(g, slot);
	case ROLE_WEBHOOK:
		return service_health(g, slot);
	case ROLE_LEASE:
		return is_expired(g, slot, arena) ? CONTROLLER_LEASE : CONTROLLER_FINE;
	case ROLE_LINK:
		break;
	}
	return CONTROLLER_LINK;
}

static bool is_trouble(enum controller_health health)
{
	return health > CONTROLLER_LINK;
}

static struct str words_of(const struct search *s, const struct found *f, enum controller_health health)
{
	static const char *const words[] = {
		[CONTROLLER_ZERO] = "the controller is scaled to zero",
		[CONTROLLER_DOWN] = "the controller has no ready pod",
		[CONTROLLER_IDLE] = "the controller runs, and does not touch it",
		[CONTROLLER_DELETING] = "the controller is being deleted",
		[CONTROLLER_NO_ENDPOINT] = "nothing serves the webhook that converts its versions",
		[CONTROLLER_MISSING] =
			"the service of the webhook that converts its versions does not exist",
	};

	if (health == CONTROLLER_LEASE)
		return arena_printf(s->arena,
				    "the controller does not renew lease " STR_FMT "/" STR_FMT,
				    STR_ARG(f->id.ns), STR_ARG(f->id.name));
	return str_of(words[health]);
}

/* ---- who must look again ------------------------------------------------- */

static bool leads_to_controllers(const struct graph *g, uint32_t slot)
{
	const struct kind *definition = definition_kind(g);

	if (store_node_id(g->store, slot).kind == definition)
		return true;
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge_ends(g->store, slot, i);
		bool link = e.relation == RELATION_MANAGES || e.relation == RELATION_OWNS;

		if (link && (g->nodes[e.target].seen_as == CONTROLLER_LINK + 1 ||
			     (definition && store_node_id(g->store, e.target).kind == definition)))
			return true;
	}
	return false;
}

/* An object looked for the controller at a time when its name had not been met. */
static bool is_looked_for(struct graph *g, uint32_t slot)
{
	struct object_id id = store_node_id(g->store, slot);
	struct str key =
		arena_printf(&g->arena, STR_FMT "/" STR_FMT, STR_ARG(id.ns), STR_ARG(id.name));
	bool found = map_get(&g->unmet_controllers, key) != NULL;

	arena_reset(&g->arena);
	return found;
}

/* A pod that has a node does not need the scheduler any more. */
static bool is_scheduled(const struct graph *g, uint32_t slot)
{
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++)
		if (str_is(store_node_id(g->store, store_edge_target(g->store, slot, i)).kind->kind,
			   "Node"))
			return true;
	return false;
}

/* The controller has not had the time to handle every object yet. */
static bool just_came_up(const struct graph *g, uint32_t slot)
{
	struct status st = graph_status(g, slot, NULL);

	return st.phase == PHASE_READY && g->now - st.since < thresholds.young;
}

size_t control_troubles(struct graph *g, uint32_t slot, bool untouched, struct control_trouble *out,
			struct arena *arena)
{
	struct search s = { .g = g, .arena = arena };
	struct object_id self = store_node_id(g->store, slot);
	bool down = false;
	size_t n = 0;

	if (str_is(self.kind->kind, "Pod") && self.kind->group.len == 0 && is_scheduled(g, slot))
		return 0;
	search(&s, slot);
	for (size_t i = 0; i < s.n; i++) {
		struct found *f = &s.found[i];
		enum controller_health health;

		if (!f->slot)
			map_set(&g->unmet_controllers,
				arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(f->id.ns), STR_ARG(f->id.name)), g);
		if (!f->slot || f->slot == slot)
			continue;
		health = health_of(g, f->slot, f->role, arena);
		graph_note_before(g, f->slot);
		g->nodes[f->slot].seen_as = (uint8_t)(health + 1);
		if (untouched && f->role == ROLE_WORKLOAD && health == CONTROLLER_FINE && !just_came_up(g, f->slot))
			health = CONTROLLER_IDLE;
		if (!is_trouble(health) || n == CONTROL_TROUBLES || (down && f->role == ROLE_LEASE))
			continue; /* a controller that does not run renews no lease */
		down |= f->role == ROLE_WORKLOAD;
		out[n++] = (struct control_trouble){ f->role == ROLE_LEASE && f->of ? f->of : f->slot,
					     health, f->via, words_of(&s, f, health) };
	}
	return n;
}

bool control_concerned(struct graph *g, uint32_t slot)
{
	const struct kind *kind = store_node_id(g->store, slot).kind;
	uint8_t seen = g->nodes[slot].seen_as;
	enum role role = is_workload(kind)		 ? ROLE_WORKLOAD
			 : str_is(kind->kind, "Lease")	 ? ROLE_LEASE
			 : str_is(kind->kind, "Service") ? ROLE_WEBHOOK
							 : ROLE_LINK;
	enum controller_health health;

	if (role == ROLE_LINK)
		return seen || leads_to_controllers(g, slot);
	health = health_of(g, slot, role, &g->arena);
	arena_reset(&g->arena);
	if (role == ROLE_LEASE && is_trouble(health))
		return true; /* another workload may hold the lease now */
	if (role == ROLE_WORKLOAD && leads_to_controllers(g, slot))
		return true;
	if (seen)
		return seen != health + 1;
	return role != ROLE_WEBHOOK && is_looked_for(g, slot);
}

/* ---- the other way: from a definition to its objects --------------------- */

/* Returns the next controller from that slot on; 0: there is none. */
static uint32_t next_instance(const struct graph *g, const struct object_id *definition, uint32_t from)
{
	struct str plural = str_head(definition->name, str_find(definition->name, '.')),
		   group = str_from(definition->name, plural.len + 1);

	for (struct handle h = store_next(g->store, from); h.slot; h = store_next(g->store, h.slot + 1)) {
		struct object_id id = store_node_id(g->store, h.slot);

		if (id.cluster == definition->cluster && str_eq(id.kind->group, group) && str_eq(id.kind->plural, plural))
			return h.slot;
	}
	return 0;
}

size_t control_instances(struct graph *g, uint32_t definition, uint32_t *out, size_t cap)
{
	struct object_id id = store_node_id(g->store, definition);
	size_t n = 0;

	if (id.kind != definition_kind(g))
		return 0;
	g->definition_deleting = true;
	for (uint32_t slot = next_instance(g, &id, 0); slot; slot = next_instance(g, &id, slot + 1))
		graph_keep_first(g, out, &n, cap, slot);
	return n;
}

bool control_has_instances(struct graph *g, uint32_t definition)
{
	struct object_id id = store_node_id(g->store, definition);

	if (id.kind != definition_kind(g))
		return false;
	g->definition_deleting = true;
	return next_instance(g, &id, 0) != 0;
}

uint32_t control_waiting_definition(const struct graph *g, uint32_t slot)
{
	struct object_id self = store_node_id(g->store, slot);
	char name[512];
	struct object_id id = { self.cluster, definition_kind(g), STR_NONE, STR_NONE };

	if (!g->definition_deleting || !id.kind || self.kind->group.len == 0)
		return 0;
	snprintf(name, sizeof(name), STR_FMT "." STR_FMT, STR_ARG(self.kind->plural),
		 STR_ARG(self.kind->group));
	id.name = str_of(name);
	return store_find(g->store, &id).slot;
}

/* ---- for views ----------------------------------------------------------- */

const struct controller *graph_controllers(struct graph *g, struct handle h, struct arena *arena,
					   size_t *out_n)
{
	struct search s = { .g = g, .arena = arena };
	struct controller *all;

	*out_n = 0;
	if (!store_alive(g->store, h))
		return NULL;
	search(&s, h.slot);
	all = arena_array(arena, s.n, sizeof(*all));
	for (size_t i = 0; i < s.n; i++) {
		const struct found *f = &s.found[i];

		all[i].id = (struct id){ .group = f->id.kind->group,
					 .kind = f->id.kind->kind,
					 .ns = f->id.ns,
					 .name = f->id.name };
		if (f->slot)
			all[i].id = graph_id(g, f->slot);
		all[i].workload = f->role == ROLE_WORKLOAD;
		all[i].down = f->slot && is_trouble(health_of(g, f->slot, f->role, arena));
	}
	*out_n = s.n;
	return all;
}

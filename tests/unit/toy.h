/* SPDX-License-Identifier: Apache-2.0 */
/* A family that does what its objects say, so that a test can make any world. */
#ifndef TESTS_UNIT_TOY_H
#define TESTS_UNIT_TOY_H

#include "kube/base/alloc.h"
#include "kube/base/buf.h"
#include "kube/base/time.h"
#include "kube/status/engine.h"
#include "kube/status/family.h"
#include "kube/graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NINE 1795165200000 /* 2026-11-20T09:00:00Z, when every world begins */

static inline unsigned toy_flags(struct str words)
{
	static const struct {
		const char *word;
		unsigned flag;
	} rows[] = {
		{ "blocks", REF_BLOCKS },
		{ "exists", REF_EXISTS },
		{ "named", REF_NAMED },
		{ "missing", REF_REPORTED_MISSING },
		{ "any-group", REF_ANY_GROUP },
		{ "any-kind", REF_ANY_KIND },
		{ "contents", REF_CONTENTS },
		{ "always", REF_ALWAYS },
		{ "controller", REF_CONTROLLER },
		{ "copy", REF_COPY },
		{ "cluster", REF_CLUSTER },
	};
	struct str word;
	unsigned flags = 0;

	while (str_split(&words, ' ', &word))
		for (size_t i = 0; i < COUNT(rows); i++)
			if (str_is(word, rows[i].word))
				flags |= rows[i].flag;
	return flags;
}

/* spec.refs[]: kind, name, ns, group, flags, relation, via, guard, message */
static inline void toy_refs(struct verdict *v)
{
	json_foreach (r, json_at(verdict_object(v), "spec.refs")) {
		struct ref ref = {
			.flags = toy_flags(json_str(r, "flags")),
			.group = json_has(r, "group") ? json_str(r, "group") : STR("toy.example"),
			.kind = json_str(r, "kind"),
			.ns = json_str(r, "ns"),
			.name = json_str(r, "name"),
			.via = json_has(r, "via") ? json_str(r, "via") : STR("spec.ref"),
			.guard = json_str(r, "guard"),
			.message = json_str(r, "message"),
		};

		for (int i = 0; i < RELATION_COUNT; i++)
			if (str_is(json_str(r, "relation"), relation_name((enum relation)i)))
				ref.relation = (enum relation)i;
		verdict_ref(v, ref);
	}
}

/* status: phase, severity, reason, message, word, since, flags[], external[] */
static inline void toy_inspect(struct verdict *v)
{
	static const enum severity usual[PHASE_COUNT] = {
		[PHASE_FAILED] = SEVERITY_ERROR,      [PHASE_DEGRADED] = SEVERITY_WARNING,
		[PHASE_WAITING] = SEVERITY_INFO,      [PHASE_UPDATING] = SEVERITY_INFO,
		[PHASE_PROVISIONING] = SEVERITY_INFO, [PHASE_SCALING] = SEVERITY_INFO,
		[PHASE_SUSPENDED] = SEVERITY_INFO,    [PHASE_DELETING] = SEVERITY_INFO,
	};
	struct json st = json_at(verdict_object(v), "status");
	enum phase phase = PHASE_UNKNOWN;
	enum severity severity;

	phase_parse(json_str(st, "phase"), &phase);
	severity = usual[phase];
	for (int i = 0; i < SEVERITY_COUNT; i++)
		if (str_is(json_str(st, "severity"), severity_name((enum severity)i)))
			severity = (enum severity)i;
	verdict_set(v, phase, severity, json_str(st, "reason"), json_str(st, "message"));
	verdict_word(v, json_str(st, "word"));
	verdict_since(v, json_time(st, "since"));
	json_foreach (f, json_at(st, "flags"))
		verdict_flag(v, arena_str(verdict_arena(v), json_str(f, "")).ptr);
	json_foreach (e, json_at(st, "external"))
		for (int i = 0; i < WAIT_COUNT; i++)
			if (str_is(json_str(e, "state"), wait_state_name((enum wait_state)i)))
				verdict_waits_external(
					v, (struct external_wait){
						   (enum wait_state)i, json_str(e, "kind"),
						   json_str(e, "name"), json_str(e, "via"),
						   json_str(e, "message") });
	toy_refs(v);
}

static inline bool toy_has(const struct status *st, const char *flag)
{
	for (size_t i = 0; i < st->nflags; i++)
		if (str_is(st->flags[i], flag))
			return true;
	return false;
}

/* "looks": counts who failed two steps away; "echo": a flag tells its first target's phase. */
static inline void toy_assess(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n, far;
	size_t down = 0, up = 0, inside = 0;

	if (toy_has(st, "echo") && assess_target(d, 0, &n) && n.presence == PRESENCE_FOUND)
		assess_flag(d, phase_name(n.status.phase));
	if (!toy_has(st, "looks"))
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		for (size_t k = 0; n.presence == PRESENCE_FOUND && assess_target_of(d, &n, k, &far);
		     k++)
			down += far.presence == PRESENCE_FOUND && far.status.phase == PHASE_FAILED;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		for (size_t k = 0; assess_referrer_of(d, &n, k, &far); k++)
			up += far.status.phase == PHASE_FAILED;
	for (size_t i = 0; assess_content(d, i, &n); i++)
		inside += n.status.phase == PHASE_FAILED;
	assess_set(d, st->phase, st->severity, STR("Looked"),
		   arena_printf(assess_arena(d), "%zu down, %zu up, %zu inside", down, up, inside));
}

/* "toy.example/net" is held for Net. */
static inline bool toy_finalizer(struct str finalizer, struct str *out_kind)
{
	if (!str_is(finalizer, "toy.example/net") && !str_is(finalizer, "toy.example/sub"))
		return false;
	*out_kind = str_is(finalizer, "toy.example/net") ? STR("Net") : STR("Sub");
	return true;
}

static inline bool toy_own_finalizer(const struct kind *kind, struct str finalizer)
{
	return kind->kind.len && str_is(finalizer, "toy.example/own");
}

static const struct controller_rule toy_controllers[] = {
	{ "toy.example", "Net", "home", "net-controller", NULL },
	{ "*.example", "Port", "home", NULL, "port-lease" },
	{ 0 }
};
static const char *const toy_groups[] = { "toy.example", NULL };
static const struct alias_rule toy_aliases[] = { { .kind = "Ocid" }, { 0 } };
static const char *const toy_shared[] = { NULL };
static const struct family toy_family = {
	.name = "toy",
	.title = "Toys",
	.groups = toy_groups,
	.inspect = toy_inspect,
	.assess = toy_assess,
	.finalizer = toy_finalizer,
	.own_finalizer = toy_own_finalizer,
	.controllers = toy_controllers,
	.aliases = toy_aliases,
	.shared_condition_kinds = toy_shared,
};
static const struct family toy_generic = { .name = "generic",
					   .title = "Anything",
					   .inspect = toy_inspect,
					   .shared_condition_kinds = toy_shared };
static const struct family *const toy_families[] = { &toy_family, &toy_generic, NULL };

struct toy_world {
	struct kinds kinds;
	struct store *store;
	struct engine *engine;
	struct graph *graph;
	struct arena arena; /* of what was asked for */
	int64_t now;
};

static inline void toy_open(struct toy_world *w)
{
	*w = (struct toy_world){ .now = NINE };
	kinds_add_builtin(&w->kinds);
	w->store = store_new(&w->kinds);
	w->engine = engine_new(toy_families, w->store);
	w->graph = graph_new(w->store, toy_families);
}

static inline void toy_close(struct toy_world *w)
{
	graph_free(w->graph);
	engine_free(w->engine);
	store_free(w->store);
	kinds_release(&w->kinds);
	arena_release(&w->arena);
}

static inline int toy_setup(void **state)
{
	struct toy_world *w = xmalloc(sizeof(*w));

	toy_open(w);
	*state = w;
	return 0;
}

static inline int toy_teardown(void **state)
{
	toy_close(*state);
	xfree(*state);
	return 0;
}

/* JSON with ' for ". */
static inline struct json toy_json(const char *text)
{
	char *copy = xstrdup(text);
	struct json doc;
	struct err err;

	for (char *c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	if (json_parse(str_of(copy), &doc, &err) < 0)
		fail_msg("%s: %s", copy, err.msg);
	xfree(copy);
	return doc;
}

static inline struct handle toy_put_json(struct toy_world *w, const char *text)
{
	struct engine_source from = { 0 };
	struct json doc = toy_json(text);
	struct handle h;

	engine_put(w->engine, &from, doc, w->now, &h);
	json_free(doc);
	return h;
}

/* Members of status, of spec, of metadata; each may be NULL. */
#define MORE(status, spec, metadata) ((const char *const[3]){ status, spec, metadata })

/* id: "Kind/ns/name" */
static inline struct handle toy_put(struct toy_world *w, const char *id, const char *phase,
				    const char *const *more)
{
	static const char *const nothing[3] = { NULL };
	struct str rest = str_of(id), kind, ns, name;
	struct buf b = { 0 };
	struct handle h;

	more = more ? more : nothing;
	str_split(&rest, '/', &kind);
	str_split(&rest, '/', &ns);
	name = rest;
	/* of equal members the last counts, so what is given wins */
	buf_printf(&b,
		   "{'apiVersion':'toy.example/v1','kind':'" STR_FMT "','spec':{%s},"
		   "'status':{'phase':'%s','since':'2026-11-20T08:55:00Z'%s%s},"
		   "'metadata':{'creationTimestamp':'2026-11-20T08:50:00Z','name':'" STR_FMT "','namespace':'" STR_FMT "'%s%s}}",
		   STR_ARG(kind), more[1] ? more[1] : "", phase, more[0] ? "," : "", more[0] ? more[0] : "",
		   STR_ARG(name), STR_ARG(ns), more[2] ? "," : "", more[2] ? more[2] : "");
	h = toy_put_json(w, buf_cstr(&b));
	buf_release(&b);
	return h;
}

static inline struct handle toy_find(struct toy_world *w, const char *id)
{
	struct str rest = str_of(id), kind, ns;
	struct object_id oid = { 0 };

	str_split(&rest, '/', &kind);
	str_split(&rest, '/', &ns);
	oid.kind = kinds_find(&w->kinds, STR("toy.example"), kind);
	oid.ns = ns;
	oid.name = rest;
	return oid.kind ? store_find(w->store, &oid) : HANDLE_NONE;
}

static inline void toy_remove(struct toy_world *w, const char *id)
{
	assert_int_equal(store_remove(w->store, toy_find(w, id)), CHANGE_REMOVED);
}

/* Nothing of that kind may be hidden. */
static inline void toy_complete(struct toy_world *w, const char *kind)
{
	store_set_coverage(w->store, 0, kinds_put(&w->kinds, STR("toy.example"), str_of(kind)),
			   STR_NONE, COVERAGE_COMPLETE);
}

/* The k-th of those that wait for a cause. */
static inline struct id toy_blocked(struct toy_world *w, const struct root_cause *r, size_t k)
{
	size_t n;
	const uint32_t *slots = graph_blocked(w->graph, &r->slot, 1, &n);

	assert_int_equal(n, r->nblocked);
	assert_true(k < n);
	return graph_id(w->graph, slots[k]);
}

static inline struct item toy_item(struct toy_world *w, const char *id)
{
	struct item it;

	graph_settle(w->graph, w->now);
	if (!graph_item(w->graph, toy_find(w, id), &w->arena, &it))
		fail_msg("no %s", id);
	return it;
}

#endif

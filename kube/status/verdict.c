/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 1: what a family says of one object is gathered here. */
#include "kube/status/verdict.h"

#include "kube/base/buf.h"
#include "kube/base/limits.h"

#include <string.h>

void *list_add(struct list *l, struct arena *arena, size_t size, size_t limit)
{
	if (l->n >= limit)
		return NULL;
	if (l->n == l->cap) {
		size_t cap = l->cap ? (size_t)l->cap * 2 : 4;
		void *bigger = arena_array(arena, cap, size);

		if (l->n)
			memcpy(bigger, l->items, l->n * size);
		l->items = bigger;
		l->cap = (uint16_t)cap;
	}
	return (char *)l->items + (size_t)l->n++ * size;
}

/* ---- reading ------------------------------------------------------------- */

struct json verdict_object(const struct verdict *v)
{
	return v->object;
}

const struct kind *verdict_kind(const struct verdict *v)
{
	return v->kind;
}

int64_t verdict_now(const struct verdict *v)
{
	return v->now;
}

struct arena *verdict_arena(struct verdict *v)
{
	return v->arena;
}

struct str verdict_name(const struct verdict *v)
{
	return v->name;
}

struct str verdict_namespace(const struct verdict *v)
{
	return v->ns;
}

int64_t verdict_created(const struct verdict *v)
{
	return v->created;
}

int64_t verdict_deleting(const struct verdict *v)
{
	return v->deleting;
}

int64_t verdict_generation(const struct verdict *v)
{
	return v->generation;
}

size_t verdict_condition_count(const struct verdict *v)
{
	return v->conditions.n;
}

const struct condition *verdict_condition_at(const struct verdict *v, size_t i)
{
	return i < v->conditions.n ? (const struct condition *)v->conditions.items + i : NULL;
}

const struct condition *verdict_condition(const struct verdict *v, const char *type)
{
	for (size_t i = 0; i < v->conditions.n; i++)
		if (str_is(verdict_condition_at(v, i)->type, type))
			return verdict_condition_at(v, i);
	return NULL;
}

bool condition_is(const struct condition *c, const char *status)
{
	return c && str_is(c->status, status);
}

void verdict_add_condition(struct verdict *v, struct condition c)
{
	struct condition *slot = list_add(&v->conditions, v->arena, sizeof(c), LIMIT_CONDITIONS);

	if (slot)
		*slot = c;
}

void verdict_clear_conditions(struct verdict *v)
{
	v->conditions.n = 0;
}

void verdict_polarity(struct verdict *v, const char *type, enum polarity polarity)
{
	struct condition *c = v->conditions.items;

	for (size_t i = 0; i < v->conditions.n; i++)
		if (str_is(c[i].type, type))
			c[i].polarity = polarity;
}

/* ---- the verdict --------------------------------------------------------- */

void verdict_set(struct verdict *v, enum phase phase, enum severity severity, struct str reason, struct str message)
{
	v->status.phase = phase;
	v->status.severity = severity;
	v->status.reason = reason;
	v->status.message = message;
}

enum phase verdict_phase(const struct verdict *v)
{
	return v->status.phase;
}

enum severity verdict_severity(const struct verdict *v)
{
	return v->status.severity;
}

void verdict_set_severity(struct verdict *v, enum severity severity)
{
	v->status.severity = severity;
}

static bool matches(const char *pattern, struct str value)
{
	return !pattern || str_is(value, pattern);
}

static bool row_matches(const struct cond_rule *r, const struct condition *c)
{
	return matches(r->type, c->type) && matches(r->status, c->status) && matches(r->reason, c->reason) &&
	       matches(r->severity, c->severity);
}

static void take_condition(struct verdict *v, const struct cond_rule *r, const struct condition *c)
{
	verdict_set(v, r->phase, r->level, c->reason, c->message);
	verdict_since(v, c->since);
	verdict_rule(v, arena_printf(v->arena, STR_FMT "=" STR_FMT "%s" STR_FMT, STR_ARG(c->type),
				     STR_ARG(c->status), c->reason.len ? " " : "", STR_ARG(c->reason)));
}

bool verdict_by_conditions(struct verdict *v, const struct cond_rule *rules)
{
	for (const struct cond_rule *r = rules; r->type; r++)
		for (size_t i = 0; i < v->conditions.n; i++)
			if (row_matches(r, verdict_condition_at(v, i))) {
				take_condition(v, r, verdict_condition_at(v, i));
				return true;
			}
	return false;
}

bool verdict_by_word(struct verdict *v, struct str word, struct str reason, const struct word_rule *rules)
{
	for (const struct word_rule *r = rules; r->word; r++)
		if (str_is(word, r->word) && matches(r->reason, reason)) {
			v->status.phase = r->phase;
			v->status.severity = r->level;
			v->status.reason = reason;
			return true;
		}
	return false;
}

void verdict_word(struct verdict *v, struct str operator_phase)
{
	v->status.operator_phase = operator_phase;
}

void verdict_rule(struct verdict *v, struct str rule)
{
	v->status.rule = rule;
}

void verdict_since(struct verdict *v, int64_t since)
{
	v->status.since = since;
}

void verdict_revisit(struct verdict *v, int64_t when)
{
	if (when > v->now && (v->status.revisit == 0 || when < v->status.revisit))
		v->status.revisit = when;
}

void verdict_stale(struct verdict *v)
{
	v->status.stale = true;
}

void verdict_ever_ready(struct verdict *v)
{
	v->status.ever_ready = true;
}

void verdict_complete(struct verdict *v)
{
	v->status.complete = true;
}

void verdict_replicas(struct verdict *v, struct replicas replicas)
{
	v->status.replicas = replicas;
}

void verdict_version(struct verdict *v, struct str from, struct str to)
{
	v->status.version_from = from;
	v->status.version_to = to;
}

void verdict_flag(struct verdict *v, const char *flag)
{
	struct str *flags = v->flags.items, *slot;

	for (size_t i = 0; i < v->flags.n; i++)
		if (str_is(flags[i], flag))
			return;
	slot = list_add(&v->flags, v->arena, sizeof(*slot), LIMIT_CONDITIONS);
	if (slot)
		*slot = arena_str(v->arena, str_of(flag));
}

void verdict_history(struct verdict *v, struct transition t)
{
	struct transition *slot = list_add(&v->history, v->arena, sizeof(t), LIMIT_CONDITIONS);

	if (slot)
		*slot = t;
}

struct async *verdict_async(struct verdict *v)
{
	if (!v->status.async) {
		v->async.percent = -1;
		v->status.async = &v->async;
	}
	return &v->async;
}

/* ---- references ---------------------------------------------------------- */

static bool same_target(const struct ref *a, const struct ref *b)
{
	bool group = str_eq(a->group, b->group) || ((a->flags | b->flags) & REF_ANY_GROUP);
	bool kind = str_eq_nocase(a->kind, b->kind) || ((a->flags | b->flags) & REF_ANY_KIND);
	bool ns = str_eq(a->ns, b->ns) || a->ns.len == 0 || b->ns.len == 0;

	return group && kind && ns && str_eq(a->name, b->name);
}

void verdict_ref(struct verdict *v, struct ref ref)
{
	struct ref *refs = v->refs.items, *slot;

	if (ref.name.len == 0)
		return;
	for (size_t i = 0; i < v->refs.n; i++)
		if (refs[i].relation == ref.relation && str_eq(refs[i].via, ref.via) &&
		    same_target(&refs[i], &ref))
			return;
	slot = list_add(&v->refs, v->arena, sizeof(ref), LIMIT_REFS);
	if (slot)
		*slot = ref;
}

static struct str group_of(struct str api_version)
{
	size_t slash = str_find(api_version, '/');

	return slash < api_version.len ? str_head(api_version, slash) : STR_NONE;
}

void verdict_ref_value(struct verdict *v, const struct ref_rule *rule, struct json value, struct str via)
{
	struct ref ref = {
		.relation = rule->relation,
		.flags = rule->flags,
		.group = rule->group ? str_of(rule->group) : v->kind->group,
		.kind = str_of(rule->target),
		.name = json_str(value, ""),
		.via = via,
		.guard = str_of(rule->guard),
	};

	if (json_is_object(value)) {
		ref.name = json_str(value, "name");
		ref.ns = json_str(value, "namespace");
		if (json_str(value, "kind").len)
			ref.kind = json_str(value, "kind");
		if (json_str(value, "group").len)
			ref.group = json_str(value, "group");
		if (json_str(value, "apiVersion").len)
			ref.group = group_of(json_str(value, "apiVersion"));
	}
	verdict_ref(v, ref);
}

struct walk {
	struct verdict *v;
	void (*value)(struct verdict *v, struct json value, struct str via, const void *arg);
	const void *arg;
	struct buf via;
};

static void walk(struct walk *w, struct json at, struct str rest);

static void walk_elements(struct walk *w, struct json at, struct str rest, bool members)
{
	size_t mark = w->via.len, i = 0;

	json_foreach(it, at) {
		if (members)
			buf_printf(&w->via, "[" STR_FMT "]", STR_ARG(json_key(it)));
		else
			buf_printf(&w->via, "[%zu]", i++);
		walk(w, it, rest);
		w->via.len = mark;
	}
}

static void walk(struct walk *w, struct json at, struct str rest)
{
	size_t n = 0, mark = w->via.len;

	if (!at.node)
		return;
	if (rest.len == 0) {
		w->value(w->v, at, arena_str(w->v->arena, buf_str(&w->via)), w->arg);
		return;
	}
	if (str_starts(rest, "[]") && json_is_array(at)) {
		walk_elements(w, at, str_from(rest, 2), false);
		return;
	}
	if (str_starts(rest, "[*]") && json_is_object(at)) {
		walk_elements(w, at, str_from(rest, 3), true);
		return;
	}
	if (rest.ptr[0] == '.')
		rest = str_from(rest, 1);
	while (n < rest.len && rest.ptr[n] != '.' && rest.ptr[n] != '[')
		n++;
	if (n == 0)
		return;
	if (mark)
		buf_add_char(&w->via, '.');
	buf_add(&w->via, str_head(rest, n));
	walk(w, json_member(at, str_head(rest, n)), str_from(rest, n));
	w->via.len = mark;
}

void verdict_each(struct verdict *v, const char *path,
		  void (*value)(struct verdict *v, struct json value, struct str via, const void *arg), const void *arg)
{
	struct walk w = { v, value, arg, { 0 } };

	walk(&w, v->object, str_of(path));
	buf_release(&w.via);
}

static void ref_row_value(struct verdict *v, struct json value, struct str via, const void *arg)
{
	verdict_ref_value(v, arg, value, via);
}

static void apply_ref_rows(struct verdict *v)
{
	for (const struct ref_rule *r = v->family->refs; r && r->path; r++)
		if (matches(r->kind, v->kind->kind))
			verdict_each(v, r->path, ref_row_value, r);
}

void verdict_waits_for(struct verdict *v, struct ref on)
{
	struct ref *refs = v->refs.items;
	bool found = false;

	for (size_t i = 0; i < v->refs.n; i++) {
		if (!same_target(&refs[i], &on) || refs[i].relation == RELATION_GUARDS)
			continue;
		refs[i].flags |= (on.flags & ~(unsigned)(REF_ANY_GROUP | REF_ANY_KIND)) | REF_NAMED;
		if (on.message.len)
			refs[i].message = on.message;
		found = true;
	}
	on.flags |= REF_NAMED | REF_BLOCKS;
	if (!found)
		verdict_ref(v, on);
}

void verdict_waits_external(struct verdict *v, struct external_wait wait)
{
	struct external_wait *slot = list_add(&v->external, v->arena, sizeof(wait), LIMIT_CONDITIONS);

	if (slot)
		*slot = wait;
}

/* ---- begin and finish ---------------------------------------------------- */

/* Types whose True is trouble or movement; everything else is good when True. */
static enum polarity usual_polarity(struct str type)
{
	static const char *const bad[] = { "Failed",   "Failure",  "Error",	"Degraded", "Stalled",
					   "Pressure", "Unavailable", "Unhealthy", "Deprecated", "Conflict",
					   "Terminal", "Invalid",  "NotReady",	"Missing",  "Blocked" };
	static const char *const moving[] = { "Progressing", "Reconciling", "Pending",	"Updating",
					      "Provisioning", "Terminating", "Unpacking", "Downloading",
					      "Paused",	     "Suspended" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (str_ends(type, bad[i]))
			return POLARITY_NEGATIVE;
	for (size_t i = 0; i < sizeof(moving) / sizeof(moving[0]); i++)
		if (str_ends(type, moving[i]))
			return POLARITY_TRANSITIONAL;
	return POLARITY_POSITIVE;
}

/* status may be a YAML boolean where somebody wrote it by hand. */
static struct str status_text(struct json c)
{
	if (json_type(json_at(c, "status")) == JSON_BOOL)
		return json_bool(c, "status", false) ? STR("True") : STR("False");
	return json_str(c, "status");
}

static void read_conditions(struct verdict *v)
{
	const char *path = v->family->conditions_path ? v->family->conditions_path : "status.conditions";

	json_foreach(c, json_at(v->object, path)) {
		if (!json_is_object(c) || json_str(c, "type").len == 0)
			continue;
		verdict_add_condition(v, (struct condition){
			.type = json_str(c, "type"),
			.status = status_text(c),
			.reason = json_str(c, "reason"),
			.message = json_str(c, "message"),
			.severity = json_str(c, "severity"),
			.since = json_time(c, "lastTransitionTime"),
			.generation = json_int(c, "observedGeneration", -1),
			.polarity = usual_polarity(json_str(c, "type")),
		});
	}
}

static void read_owners(struct verdict *v)
{
	json_foreach(o, json_at(v->object, "metadata.ownerReferences")) {
		struct ref ref = {
			.relation = RELATION_OWNS,
			.flags = json_bool(o, "controller", false) ? REF_CONTROLLER : 0,
			.group = group_of(json_str(o, "apiVersion")),
			.kind = json_str(o, "kind"),
			.name = json_str(o, "name"),
			.via = STR("metadata.ownerReferences"),
		};

		if (ref.kind.len)
			verdict_ref(v, ref);
	}
}

static void read_finalizers(struct verdict *v)
{
	json_foreach(f, json_at(v->object, "metadata.finalizers")) {
		struct str *slot = list_add(&v->finalizers, v->arena, sizeof(*slot), LIMIT_CONDITIONS);

		if (slot)
			*slot = json_str(f, "");
	}
}

void verdict_begin(struct verdict *v)
{
	v->name = json_str(v->object, "metadata.name");
	v->ns = json_str(v->object, "metadata.namespace");
	v->created = json_time(v->object, "metadata.creationTimestamp");
	v->deleting = json_time(v->object, "metadata.deletionTimestamp");
	v->generation = json_int(v->object, "metadata.generation", 0);
	v->status = (struct status){ .phase = PHASE_UNKNOWN, .replicas = REPLICAS_NONE };
	read_conditions(v);
	read_owners(v);
	read_finalizers(v);
	apply_ref_rows(v);
}

static void finish_deletion(struct verdict *v)
{
	struct status *st = &v->status;

	if (!v->deleting)
		return;
	if (st->phase != PHASE_DELETING) {
		enum severity severity = st->severity;

		verdict_set(v, PHASE_DELETING, severity == SEVERITY_ERROR ? severity : SEVERITY_INFO,
			    STR_NONE, STR_NONE);
		st->rule = STR("metadata.deletionTimestamp");
	}
	if (st->severity == SEVERITY_NONE)
		st->severity = SEVERITY_INFO;
	st->since = v->deleting;
}

void verdict_finish(struct verdict *v)
{
	struct status *st = &v->status;

	finish_deletion(v);
	st->conditions = v->conditions.items;
	st->refs = v->refs.items;
	st->external = v->external.items;
	st->history = v->history.items;
	st->flags = v->flags.items;
	st->finalizers = v->finalizers.items;
	st->nconditions = v->conditions.n;
	st->nrefs = v->refs.n;
	st->nexternal = v->external.n;
	st->nhistory = v->history.n;
	st->nflags = v->flags.n;
	st->nfinalizers = v->finalizers.n;
}

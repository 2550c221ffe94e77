/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 1: collects what a family says of one object. */
#include "kube/status/verdict.h"

#include "kube/base/limits.h"


/* ---- reading ------------------------------------------------------------- */

struct json verdict_object(const struct verdict *v)
{
	return v->object;
}

const struct kind *verdict_kind(const struct verdict *v)
{
	return v->kind;
}

const struct kinds *verdict_kinds(const struct verdict *v)
{
	return v->kinds;
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

bool verdict_sibling_reports(const struct verdict *v)
{
	return v->sibling_reports;
}

int64_t verdict_generation(const struct verdict *v)
{
	return v->generation;
}

void verdict_edited_by(struct verdict *v, struct str mark)
{
	if (v->generation == 0 && mark.len)
		v->generation = -1 - (int64_t)(str_hash(mark) & INT16_MAX);
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

bool verdict_condition_outdated(const struct verdict *v, const struct condition *c)
{
	return c && c->generation >= 0 && c->generation < verdict_generation(v);
}

void verdict_add_condition(struct verdict *v, struct condition c)
{
	struct condition *slot = arena_list_add(&v->conditions, v->arena, sizeof(c), LIMIT_CONDITIONS);

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

struct str verdict_pointed_at(const struct verdict *v, struct str message)
{
	static const char points[] = "see .status.";
	struct str name = str_from(message, str_find_str(message, points)), text;
	size_t n = 0;

	if (name.len == 0)
		return message;
	name = str_from(name, sizeof(points) - 1);
	while (n < name.len && ((name.ptr[n] | 32) >= 'a' && (name.ptr[n] | 32) <= 'z'))
		n++;
	text = json_str(json_member(json_at(v->object, "status"), str_head(name, n)), "");
	return text.len ? text : message;
}

void verdict_set(struct verdict *v, enum phase phase, enum severity severity, struct str reason, struct str message)
{
	v->status.phase = phase;
	v->status.severity = severity;
	v->status.reason = reason;
	v->status.message = message;
}

struct told verdict_told(const struct verdict *v)
{
	return (struct told){ v->status.reason, v->status.message };
}

void verdict_tell(struct verdict *v, struct str reason, struct str message)
{
	v->status.reason = reason;
	v->status.message = message;
}

void verdict_set_phase(struct verdict *v, enum phase phase, enum severity severity)
{
	v->status.phase = phase;
	v->status.severity = severity;
}

enum phase verdict_phase(const struct verdict *v)
{
	return v->status.phase;
}

enum severity verdict_severity(const struct verdict *v)
{
	return v->status.severity;
}

struct str condition_text(struct arena *arena, const struct condition *c)
{
	return arena_printf(arena, STR_FMT "=" STR_FMT "%s" STR_FMT, STR_ARG(c->type), STR_ARG(c->status), c->reason.len ? " " : "",
			    STR_ARG(c->reason));
}

void verdict_word(struct verdict *v, struct str operator_phase)
{
	v->status.operator_phase = operator_phase;
}

void verdict_rule(struct verdict *v, struct str rule)
{
	v->status.rule = rule;
	v->status.row = STR_NONE;
}

struct str verdict_decided_by(const struct verdict *v)
{
	return v->status.rule;
}

void verdict_unknown_word(struct verdict *v, const char *what, struct str word)
{
	struct str rule = v->status.rule;

	if (word.len)
		v->status.rule = arena_printf(v->arena, STR_FMT "%s%s " STR_FMT " is not known here: the general rules decide",
					      STR_ARG(rule), rule.len ? "; " : "", what, STR_ARG(word));
}

void verdict_since(struct verdict *v, int64_t since)
{
	v->status.since = since;
}

void verdict_by_time(struct verdict *v)
{
	v->status.by_time = true;
}

void verdict_revisit(struct verdict *v, int64_t when)
{
	if (when > v->now && (v->status.revisit == 0 || when < v->status.revisit))
		v->status.revisit = when;
}

bool verdict_past(struct verdict *v, int64_t time)
{
	verdict_revisit(v, time);
	return v->now >= time;
}

void verdict_stale(struct verdict *v)
{
	v->status.stale = true;
}

void verdict_own_failure(struct verdict *v)
{
	v->status.own_failure = true;
}

void verdict_blames(struct verdict *v, enum blame blames)
{
	v->status.blames = blames;
}

void verdict_ever_ready(struct verdict *v)
{
	v->status.ever_ready = true;
}

void verdict_contradicted(struct verdict *v)
{
	v->contradicted = true;
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
	slot = arena_list_add(&v->flags, v->arena, sizeof(*slot), LIMIT_CONDITIONS);
	if (slot)
		*slot = arena_str(v->arena, str_of(flag));
}

void verdict_particular(struct verdict *v, const char *what, struct str value)
{
	struct str one = ARENA_JOIN(v->arena, str_of(what), STR(" "), value), *all = v->particulars.items, *slot;

	for (size_t i = 0; i < v->particulars.n; i++)
		if (str_eq(all[i], one))
			return;
	slot = arena_list_add(&v->particulars, v->arena, sizeof(*slot), LIMIT_CONDITIONS);
	if (slot)
		*slot = one;
}

void verdict_may_fill(struct verdict *v)
{
	v->status.runs_out = true;
}

void verdict_expires(struct verdict *v, int64_t at, int64_t from, int64_t renewal)
{
	v->status.runs_out = true;
	verdict_particular(v, "expires", arena_printf(v->arena, "%lld %lld %lld", (long long)at, (long long)from, (long long)renewal));
}

void verdict_nearly_used(struct verdict *v, struct str what)
{
	v->status.runs_out = true;
	verdict_particular(v, "nearly-used", what);
}

void verdict_history(struct verdict *v, struct transition t)
{
	struct transition *slot = arena_list_add(&v->history, v->arena, sizeof(t), LIMIT_CONDITIONS);

	if (slot)
		*slot = t;
}

void verdict_row(struct verdict *v, const char *name)
{
	v->status.row = str_of(name);
}

void verdict_because(struct verdict *v, struct because because)
{
	struct because *slot = arena_list_add(&v->because, v->arena, sizeof(because), LIMIT_BECAUSE);

	if (slot)
		*slot = because;
}

struct async *verdict_async(struct verdict *v)
{
	if (!v->status.async) {
		v->async.percent = -1;
		v->status.async = &v->async;
	}
	return &v->async;
}

void verdict_waits_external(struct verdict *v, struct external_wait wait)
{
	struct external_wait *slot = arena_list_add(&v->external, v->arena, sizeof(wait), LIMIT_CONDITIONS);

	if (slot)
		*slot = wait;
}

void verdict_finalizer(struct verdict *v, struct str name)
{
	struct str *slot = arena_list_add(&v->finalizers, v->arena, sizeof(*slot), LIMIT_CONDITIONS);

	if (slot)
		*slot = name;
}

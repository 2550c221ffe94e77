/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses that somebody asks for: a field of the spec, an annotation, a label. */
#include "kube/evidence/fact.h"
#include "kube/evidence/word_lists.h"

/* "reconciliationLoop: disabled": its controller ignores the object. */
static bool stops_reconciling(struct str name, struct str value)
{
	/* Flux puts kustomize.toolkit.fluxcd.io/reconcile on objects that it leaves to others */
	if (!str_contains_nocase(facts_last_part(name), "reconcil") ||
	    str_contains(name, ".toolkit.fluxcd.io/"))
		return false;
	return str_is_any_nocase(value, list_stops_reconciling);
}

/* Reads spec.updateStrategy.paused, spec.strategy.rollingUpdate.paused, ... */
static bool pause_in_strategy(struct json spec)
{
	json_foreach(part, spec)
	{
		bool about = str_contains_nocase(json_key(part), "strategy") ||
			     str_contains_nocase(json_key(part), "rollingupdate") ||
			     str_contains_nocase(json_key(part), "lifecycle");

		if (about && (json_bool(part, "paused", false) || json_bool(part, "pause", false) ||
			      pause_in_strategy(part)))
			return true;
	}
	return false;
}

/* Annotations of most operators, and a label of RabbitMQ's ("rabbitmq.com/pauseReconciliation"). */
static bool pause_by_mark(struct verdict *v, const char *path, const char *what, struct str *out_rule)
{
	json_foreach(mark, json_at(verdict_object(v), path))
	{
		struct str name = facts_last_part(json_key(mark)), value = json_str(mark, "");
		bool pauses = str_starts(name, "pause") || str_starts(name, "suspend") || str_ends(name, "paused");
		bool is_on = str_eq_nocase(value, STR("true")) ||
			     (str_is(name, "paused") && json_type(mark) == JSON_STRING && value.len == 0);

		if (!stops_reconciling(json_key(mark), value) && !(pauses && is_on))
			continue;
		*out_rule = ARENA_JOIN(verdict_arena(v), str_of(what), json_key(mark));
		return true;
	}
	return false;
}

static bool pause_asked(struct verdict *v, const struct kind_row *const *rows, struct str *out_rule)
{
	if (rows_suspended(v, rows, out_rule))
		return true;
	for (const char *const *f = list_pause_fields; *f; f++)
		if (json_bool(verdict_object(v), *f, false)) {
			*out_rule = str_of(*f);
			return true;
		}
	for (const char *const *f = list_enable_fields; *f; f++)
		if (json_type(json_at(verdict_object(v), *f)) == JSON_BOOL && !json_bool(verdict_object(v), *f, true)) {
			*out_rule = ARENA_JOIN(verdict_arena(v), str_of(*f), STR(" is false"));
			return true;
		}
	if (word_class(json_str(verdict_object(v), "spec.powerState")) == WORD_SUSPENDED ||
	    str_starts(json_str(verdict_object(v), "spec.powerState"), "Hibernat")) {
		*out_rule = STR("spec.powerState");
		return true;
	}
	if (pause_in_strategy(json_at(verdict_object(v), "spec"))) {
		*out_rule = STR("the strategy in the spec is paused");
		return true;
	}
	return pause_by_mark(v, "metadata.annotations", "annotation ", out_rule) || pause_by_mark(v, "metadata.labels", "label ", out_rule);
}

void facts_of_pause(struct facts *f)
{
	struct fact fact = { .of = FACT_PAUSE, .about = ABOUT_WHOLE, .says = WORD_SUSPENDED, .weight = -1 };

	if (!pause_asked(f->v, f->rows, &fact.where))
		return;
	f->is |= IS_PAUSED;
	facts_add(f, fact);
}

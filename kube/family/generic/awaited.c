/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells whether what an object says it waits for is something else, or its own work: "WaitingForDependency" and
 * "WaitingForPods".  Names of objects in messages are read in mention.c; this reads the word alone.
 */
#include "kube/family/generic/generic.h"

/* What others give: objects that are not its own, people, suppliers. */
static const char of_others[] =
	"dependency dependencies dependent dependson prerequisite* precondition* predecessor* parent* "
	"owner* upstream* external* secret* configmap* credential* user* human* admin* administrator* "
	"quota* capacity license* licence* permission* reference* issuer* sibling* peer* lock lease turn "
	"slot*";
/* What an object makes or does itself. */
static const char of_its_own[] =
	"pod pods replica* deployment* statefulset* stateful daemonset* set sets rollout* container* "
	"ready readiness available availability healthy health node* machine* worker* member* broker* "
	"instance* shard* component* child children job* complet* finish* sync* start* creat* delet* "
	"remov* terminat* drain* provision* initial* bootstrapped resource* service* operator* workload* "
	"part parts condition* operation* receiver* schedul* next interval* change* quorum leader* "
	"election* first update* upgrade* reconcil* result* status propagat* volume* address* ip "
	"endpoint* validat* verif* response* recover* cleanup retry backoff time* delay* trigger* event* "
	"task* work message* request* commit* revision*";

/* Returns what stands behind "WaitingFor", "Awaiting", "waiting for"; "": the text begins with none of them. */
static struct str behind_wait(struct str text)
{
	static const char *const begins[] = {
		"WaitingFor", "WaitingOn", "WaitingTo", "AwaitingFor", "WaitFor", "WaitOn", "Waiting for",
		"Waiting on", "Waiting", "Awaiting", NULL
	};

	for (const char *const *begin = begins; *begin; begin++) {
		struct str b = str_of(*begin);

		if (text.len > b.len && str_eq_nocase(str_head(text, b.len), b))
			return str_from(text, b.len);
	}
	return STR_NONE;
}

enum awaited generic_awaited(struct str telling, struct str message)
{
	struct str what = behind_wait(telling);

	/* "Waiting: waiting for the parent zone" */
	if (what.len == 0 && (str_eq_nocase(telling, STR("waiting")) || telling.len == 0))
		return phrase_has(behind_wait(message), of_others) ? AWAITED_OF_OTHERS : AWAITED_NOTHING;
	if (what.len == 0)
		return AWAITED_NOTHING;
	if (phrase_has(what, of_others) || (phrase_has(what, "data") && phrase_has(what, "bootstrap*")))
		return AWAITED_OF_OTHERS;
	if (phrase_has(what, of_its_own))
		return AWAITED_NOTHING;
	return phrase_has(message, "pod pods replica replicas deployment statefulset daemonset container containers") ? AWAITED_NOTHING :
														      AWAITED_OF_ANYONE;
}

/* One of the parts that the object has made is in progress, and nothing is wrong with it. */
static bool makes_a_part(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_MANAGES && n.presence == PRESENCE_FOUND && assess_own_work(d, &n))
			return true;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND && assess_own_work(d, &n))
			return true;
	return false;
}

void generic_own_part_is_awaited(struct assessment *d)
{
	const struct status *st = assess_status(d);

	if (st->phase != PHASE_WAITING || assess_waits(d) || generic_awaited(st->reason, st->message) != AWAITED_OF_ANYONE)
		return;
	if (makes_a_part(d))
		assess_set(d, PHASE_PROVISIONING, st->severity, st->reason, st->message);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ports of a Service beside those that its pods declare.  How a named port is looked for: kubernetes/endpointslice,
 * utils.go (FindPort); one that a pod does not have is left out of its slice.
 */
#include "kube/family/core/core.h"
#include "kube/evidence/leads.h"

static bool is_number(struct str s)
{
	int64_t n;

	return str_to_int(s, &n);
}

/* ---- what a Service leads to ------------------------------------------------- */

/* Returns true when slices tell which ports the addresses have; reached: this port is among them. */
static bool slices_tell(struct assessment *d, const struct noted_port *wanted, bool *reached)
{
	struct neighbour n;
	struct noted_port p;
	bool tell = false;

	*reached = false;
	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		size_t at = 0;

		if (!core_is_slice(&n) || !status_has_flag(&n.status, "lists-ports"))
			continue;
		tell = true;
		while (noted_port_next(&n.status, &at, &p))
			*reached |= str_eq(p.name, wanted->name) && str_eq(p.protocol, wanted->protocol);
	}
	return tell;
}

/* Old pods have other containers than the template until the rollout is over. */
static bool is_rolling(const struct neighbour *maker)
{
	const struct replicas *r = &maker->status.replicas;

	return maker->status.phase == PHASE_UPDATING || maker->status.phase == PHASE_PROVISIONING || (r->updated >= 0 && r->updated < r->current);
}

static bool mentions(const struct status *st, struct str number)
{
	struct str one;
	size_t at = 0;

	while ((one = status_particular(st, "listens", &at)).len)
		if (str_eq(one, number))
			return true;
	return false;
}

/* What the containers of a maker say of a port that is asked for. */
enum answer { ANSWER_NONE, ANSWER_HAS, ANSWER_OTHER_PROTOCOL, ANSWER_LACKS };

static enum answer ask(const struct neighbour *maker, const struct noted_port *wanted)
{
	bool named = !is_number(wanted->target), any = false, other = false;
	struct noted_port p;
	size_t at = 0;

	if (is_rolling(maker))
		return ANSWER_NONE;
	while (noted_port_next(&maker->status, &at, &p)) {
		bool same = str_eq(named ? p.name : p.number, wanted->target);

		any = true;
		if (same && str_eq(p.protocol, wanted->protocol))
			return ANSWER_HAS;
		other |= same;
	}
	if (other)
		return ANSWER_OTHER_PROTOCOL;
	/* declaring no port contradicts no number, and neither does one that arguments or variables mention */
	return !named && (!any || mentions(&maker->status, wanted->target)) ? ANSWER_NONE : ANSWER_LACKS;
}

/* Every maker says that it has no such port. */
static enum answer ask_all(const struct neighbour *makers, size_t n, const struct noted_port *wanted)
{
	enum answer all = ANSWER_NONE;

	for (size_t i = 0; i < n; i++) {
		enum answer one = ask(&makers[i], wanted);

		if (one == ANSWER_NONE || one == ANSWER_HAS)
			return one;
		all = one;
	}
	return all;
}

static const struct row rows[] = {
	{ "one of its ports leads to a port that its pods do not have", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flag = "contradiction" },
	{ 0 }
};

static void leads_nowhere(struct assessment *d, const struct noted_port *p, const struct neighbour *maker, enum answer answer)
{
	struct arena *a = assess_arena(d);
	struct str who = maker ? leads_called(d, maker) : STR("its pods"), have = maker ? noted_ports(d, &maker->status) : STR_NONE;
	struct str text = ARENA_JOIN(a, STR("port "), p->number, STR("/"), p->protocol, STR(" leads to targetPort "), p->target, STR(", and "));

	if (answer == ANSWER_OTHER_PROTOCOL)
		text = ARENA_JOIN(a, text, STR("the containers of "), who, STR(" have it with another protocol ("), have, STR(")"));
	else
		text = ARENA_JOIN(a, text, STR("no container of "), who, STR(" has a port of that "),
				  str_of(is_number(p->target) ? "number" : "name"), have.len ? ARENA_JOIN(a, STR(" (they have "), have, STR(")")) : STR_NONE);
	table_assess(d, rows, STR_NONE, text);
	assess_rule(d, ARENA_JOIN(a, STR("spec.ports: targetPort "), p->target, STR(" is no port of its pods")));
	if (maker)
		assess_because(d, ARENA_JOIN(a, STR("containers have "), have.len ? have : STR("no port")), STR_NONE,
			       ARENA_JOIN(a, maker->kind->kind, STR("/"), maker->name));
}

void core_check_ports(struct assessment *d, const struct neighbour *makers, size_t n)
{
	const struct status *st = assess_status(d);
	struct noted_port p;
	size_t at = 0;

	/* a name for addresses of pods is no port of its own */
	if (status_has_flag(st, "without-address"))
		return;
	while (noted_port_next(st, &at, &p)) {
		enum answer answer = ask_all(makers, n, &p);
		bool named = !is_number(p.target), reached, told = named && slices_tell(d, &p, &reached);

		if (answer == ANSWER_HAS || (told && reached) || (answer == ANSWER_NONE && (!told || n)))
			continue;
		leads_nowhere(d, &p, n ? &makers[0] : NULL, answer);
		return;
	}
}

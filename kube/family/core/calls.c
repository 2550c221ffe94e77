/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads that are given the address of a Service which does not exist, or of a port that it does not have. */
#include "kube/family/core/core.h"
#include "kube/evidence/leads.h"

#include "kube/status/thresholds.h"

/* One address, as pod_template_note() has noted it. */
struct called {
	struct str name, ns, port, how, text, field;
};

static bool next_call(const struct status *st, size_t *at, struct called *out)
{
	struct str text = status_particular(st, "calls", at), host;
	size_t dot;

	*out = (struct called){ .name = STR_NONE };
	if (!text.len)
		return false;
	str_split(&text, ' ', &host);
	str_split(&text, ' ', &out->how);
	str_split(&text, ' ', &out->text);
	out->field = text;
	out->port = str_from(host, str_rfind(host, ':') + 1);
	host = str_head(host, str_rfind(host, ':'));
	dot = str_find(host, '.');
	out->name = str_head(host, dot);
	out->ns = str_from(host, dot + 1);
	return true;
}

static bool find_service(struct assessment *d, const struct called *c, struct neighbour *out)
{
	for (size_t at = 0; assess_next_target(d, "Service", &at, out);)
		if (out->relation == RELATION_NEEDS && str_eq(out->name, c->name) && str_eq(out->ns, c->ns))
			return true;
	return false;
}

/* Where there is no such namespace, there is no such Service. */
static bool is_missing(struct assessment *d, const struct called *c, const struct neighbour *service)
{
	struct neighbour ns;

	if (service->presence != PRESENCE_UNKNOWN)
		return service->presence == PRESENCE_MISSING;
	return assess_find(d, "", "Namespace", STR_NONE, c->ns, &ns) && ns.presence == PRESENCE_MISSING;
}

/* The API server makes this one itself; a dump may be without it. */
static bool is_always_there(const struct called *c)
{
	return str_is(c->name, "kubernetes") && str_is(c->ns, "default");
}

/* Says what is wrong with an address; false: nothing is known to be. */
static bool is_wrong(struct assessment *d, const struct called *c, const struct neighbour *service, struct str *out_words)
{
	struct arena *a = assess_arena(d);

	if (is_missing(d, c, service) && !is_always_there(c)) {
		*out_words = ARENA_JOIN(a, STR("there is no service/"), c->name, STR(" in the namespace "), c->ns);
		return true;
	}
	return service->presence == PRESENCE_FOUND && !str_is(c->how, "pod") && leads_lacks_port(d, service, c->port, out_words);
}

/* "env[DB_ADDR]" is "the variable DB_ADDR". */
static struct str spoken(struct arena *a, struct str field)
{
	size_t open = str_find(field, '[');

	return open == field.len ? field : ARENA_JOIN(a, STR("the variable "), str_from(str_head(field, field.len - 1), open + 1));
}

enum { STARTS, NO_SERVICE, NO_PORT };

static const struct row rows[] = {
	[STARTS] = { "it starts, and is given an address that does not exist", .then = OUTCOME_MOVEMENT, .flags = STAYS | RETRIED | AT_LEAST },
	[NO_SERVICE] = { "it is given the address of a Service that does not exist", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
			 .flags = UNDATED },
	[NO_PORT] = { "it is given a port that the Service does not have", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flags = UNDATED },
	{ 0 }
};

static void calls_wrongly(struct assessment *d, const struct called *c, const struct neighbour *service, struct str words)
{
	bool missing = service->presence != PRESENCE_FOUND;
	const struct status *st = assess_status(d);
	struct arena *a = assess_arena(d);
	struct str field = spoken(a, c->field), text = ARENA_JOIN(a, field, STR(" says "), c->text, STR(", and "), words);

	assess_wait(d, service, missing ? WAIT_MISSING : WAIT_NOT_READY, text);
	assess_because(d, text, STR_NONE, ARENA_JOIN(a, STR("Service/"), service->name));
	if (!missing)
		assess_flag(d, "contradiction");
	if (st->phase == PHASE_FAILED || st->phase == PHASE_DELETING || st->phase == PHASE_DEGRADED || st->phase == PHASE_WAITING)
		return;
	if (st->phase == PHASE_PROVISIONING) {
		table_assess(d, &rows[STARTS], STR_NONE, text);
		return;
	}
	table_assess(d, &rows[missing ? NO_SERVICE : NO_PORT], STR_NONE, text);
	assess_rule(d, ARENA_JOIN(a, field, STR(" names "), missing ? STR("a Service that does not exist") : STR("a port that the Service does not have")));
}

void core_assess_calls(struct assessment *d)
{
	const struct status *st = assess_status(d);
	int64_t created = assess_created(d);
	struct neighbour service;
	struct called c;
	struct str words;
	size_t at = 0;

	if (st->complete || st->nparticulars == 0 || status_has_flag(st, "scaled-to-zero"))
		return;
	while (next_call(st, &at, &c)) {
		if (!find_service(d, &c, &service) || !is_wrong(d, &c, &service, &words))
			continue;
		/* what is made together comes one after the other */
		assess_revisit(d, created + thresholds.young);
		if (created && assess_now(d) - created < thresholds.young)
			continue;
		calls_wrongly(d, &c, &service, words);
	}
}

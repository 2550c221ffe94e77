/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/evidence/leads.h"
#include "kube/evidence/decision_table.h"

#include "kube/status/thresholds.h"

/* ---- names and ports --------------------------------------------------------- */

struct str leads_called(struct assessment *d, const struct neighbour *n)
{
	bool elsewhere = n->ns.len && assess_namespace(d).len && !str_eq(n->ns, assess_namespace(d));

	return ARENA_JOIN(assess_arena(d), n->kind->singular, STR("/"), n->name, str_of(elsewhere ? " in " : ""),
			  elsewhere ? n->ns : STR_NONE);
}

bool noted_port_next(const struct status *st, size_t *at, struct noted_port *out)
{
	struct str text = status_particular(st, "port", at);

	*out = (struct noted_port){ .name = STR_NONE };
	if (!text.len)
		return false;
	str_split(&text, '/', &out->name);
	str_split(&text, '/', &out->number);
	str_split(&text, '/', &out->protocol);
	str_split(&text, '/', &out->target);
	return true;
}

struct str noted_ports(struct assessment *d, const struct status *st)
{
	struct arena *a = assess_arena(d);
	struct str text = STR_NONE;
	struct noted_port p;
	size_t at = 0;

	while (noted_port_next(st, &at, &p))
		text = ARENA_JOIN(a, text, str_of(text.len ? ", " : ""), p.name, str_of(p.name.len ? " " : ""), p.number, STR("/"), p.protocol);
	return text;
}

bool leads_lacks_port(struct assessment *d, const struct neighbour *service, struct str port, struct str *out_words)
{
	struct noted_port p;
	size_t at = 0;
	bool any = false;

	if (status_has_flag(&service->status, "without-address"))
		return false;
	while (noted_port_next(&service->status, &at, &p)) {
		any = true;
		if (str_eq(p.number, port) || str_eq(p.name, port))
			return false;
	}
	*out_words = ARENA_JOIN(assess_arena(d), leads_called(d, service), STR(" has no port "), port, STR(" (it has "),
				noted_ports(d, &service->status), STR(")"));
	return any;
}

/* ---- certificates ------------------------------------------------------------- */

/* k8s.io/api core/v1: the keys of a Secret of type kubernetes.io/tls, which controllers ask of every one that a tls field names. */
void leads_note_secret(struct verdict *v)
{
	static const char *const keys[] = { "tls.crt", "tls.key", NULL };
	struct json data = json_at(verdict_object(v), "data");

	/* without any keys nobody has read it */
	for (const char *const *key = keys; json_count(data) && *key; key++)
		if (!json_member(data, str_of(*key)).node) {
			verdict_particular(v, "no-certificate", ARENA_JOIN(verdict_arena(v), str_of(*key), STR("/"), json_str(verdict_object(v), "type")));
			return;
		}
}

/* Writes what such a Secret lacks: "secret/web has no tls.key, it is of type Opaque". */
static bool holds_no_certificate(struct assessment *d, const struct neighbour *secret, struct str *out_words)
{
	struct str key, type = secret->presence == PRESENCE_FOUND ? status_first_particular(&secret->status, "no-certificate") : STR_NONE;

	if (!str_split(&type, '/', &key))
		return false;
	*out_words = ARENA_JOIN(assess_arena(d), leads_called(d, secret), STR(" has no "), key, str_of(type.len ? ", it is of type " : ""), type);
	return true;
}

/* ---- the object alone ---------------------------------------------------------- */

/* "backend NAMESPACE/NAME/PORT" */
void leads_note(struct verdict *v, struct str ns, struct str name, struct json port)
{
	struct arena *a = verdict_arena(v);
	struct str text = json_str(port, "");
	int number = (int)json_int(port, "", 0);

	if (number > 0)
		text = arena_printf(a, "%d", number);
	if (text.len && name.len)
		verdict_particular(v, "backend", ARENA_JOIN(a, ns.len ? ns : verdict_namespace(v), STR("/"), name, STR("/"), text));
}

/* ---- beside its Services ---------------------------------------------------------- */

static bool is_backend(const struct neighbour *n)
{
	return (n->flags & REF_HEALTH) && n->kind->group.len == 0 && str_is(n->kind->kind, "Service");
}

enum { REFUSES_ALL, LEADS_NOWHERE, NO_SUCH_PORT, NO_CERTIFICATE };

static const struct row rows[] = {
	[REFUSES_ALL] = { "a Service that has to answer first does not", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED },
	[LEADS_NOWHERE] = { "a Service to which it leads does not answer", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[NO_SUCH_PORT] = { "it names a port that its Service does not have", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[NO_CERTIFICATE] = { "it names a certificate that is not there", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ 0 }
};

/* What is on its way to its goal, or has another trouble already, says that first. */
static void degrade(struct assessment *d, const struct row *row, const struct neighbour *service, struct str message)
{
	enum phase now = assess_status(d)->phase;

	if (now != PHASE_READY && now != PHASE_WAITING && now != PHASE_DEGRADED)
		return;
	table_assess(d, row, service->status.reason, message);
	assess_since(d, service->status.phase == PHASE_READY ? 0 : service->status.since);
}

/* A webhook that has to be asked refuses everything while its Service cannot answer. */
static bool is_required(struct assessment *d, const struct neighbour *service)
{
	return status_has_particular(assess_status(d), "required", ARENA_JOIN(assess_arena(d), service->ns, STR("/"), service->name));
}

static void look_at_service(struct assessment *d, const struct neighbour *n)
{
	bool missing = n->presence == PRESENCE_MISSING;
	struct arena *a = assess_arena(d);

	if (!missing && (n->presence != PRESENCE_FOUND || !phase_is_bad(n->status.phase)))
		return;
	assess_wait(d, n, missing ? WAIT_MISSING : n->status.phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY, n->status.message);
	degrade(d, &rows[is_required(d, n) ? REFUSES_ALL : LEADS_NOWHERE], n,
		missing ? ARENA_JOIN(a, STR("there is no "), leads_called(d, n)) : n->status.message);
	assess_rule(d, arena_printf(a, "Service " STR_FMT " %s", STR_ARG(n->name), missing ? "does not exist" : "serves nothing"));
}

static void look_at_port(struct assessment *d, const struct neighbour *n)
{
	struct str one, ns, name, words;
	size_t at = 0;

	while (n->presence == PRESENCE_FOUND && (one = status_particular(assess_status(d), "backend", &at)).len) {
		str_split(&one, '/', &ns);
		str_split(&one, '/', &name);
		if (!str_eq(ns, n->ns) || !str_eq(name, n->name) || !leads_lacks_port(d, n, one, &words))
			continue;
		assess_wait(d, n, WAIT_NOT_READY, words);
		assess_flag(d, "contradiction");
		degrade(d, &rows[is_required(d, n) ? REFUSES_ALL : NO_SUCH_PORT], n, words);
		assess_rule(d, STR("it names a port that its Service does not have"));
	}
}

/* A certificate that is ordered for a new object takes its time. */
static void look_at_secret(struct assessment *d, const struct neighbour *n)
{
	int64_t expected = assess_created(d) + thresholds.pod_start_grace;
	bool missing = n->presence == PRESENCE_MISSING;
	struct str words;

	if (missing) {
		assess_revisit(d, expected);
		if (assess_now(d) < expected)
			return;
		words = ARENA_JOIN(assess_arena(d), STR("there is no "), leads_called(d, n));
	} else if (!holds_no_certificate(d, n, &words)) {
		return;
	}
	assess_wait(d, n, missing ? WAIT_MISSING : WAIT_NOT_READY, words);
	if (!missing)
		assess_flag(d, "contradiction");
	if (assess_status(d)->phase == PHASE_READY)
		degrade(d, &rows[NO_CERTIFICATE], n, words);
}

void leads_to_services(struct assessment *d)
{
	struct neighbour n;

	if (assess_status(d)->phase == PHASE_UNKNOWN)
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (is_backend(&n)) {
			look_at_service(d, &n);
			look_at_port(d, &n);
		} else if ((n.flags & REF_HEALTH) && n.kind->group.len == 0 && str_is(n.kind->kind, "Secret")) {
			look_at_secret(d, &n);
		}
}

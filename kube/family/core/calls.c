/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workloads that are given the address of a Service which does not exist, or of a port that it does not have, and init
 * containers that ask for a Service until it answers.
 */
#include "kube/family/core/core.h"
#include "kube/evidence/leads.h"
#include "kube/evidence/pod_template.h"
#include "kube/evidence/service_address.h"

#include "kube/base/time.h"
#include "kube/status/thresholds.h"

enum { LONGEST_SCRIPT = 4096, LONGEST_HOST = 253, MOST_VARIABLES = 32 };

/* ---- the object alone --------------------------------------------------------- */

static struct str variable(struct json container, struct str name)
{
	json_foreach(variable, json_at(container, "env"))
		if (str_eq(json_str(variable, "name"), name))
			return json_str(variable, "value");
	return STR_NONE;
}

/* Puts the container's own variables in the place of $NAME, ${NAME}, $(NAME) and ${NAME:-otherwise}. */
static struct str with_variables(struct arena *a, struct json container, struct str script)
{
	struct str out = STR_NONE, value;

	for (int i = 0; script.len && i < MOST_VARIABLES; i++) {
		size_t at = str_find(script, '$'), begin = at + 1, end;
		bool braces = begin < script.len && (script.ptr[begin] == '{' || script.ptr[begin] == '(');

		begin += braces;
		for (end = begin; end < script.len && (is_alnum(script.ptr[end]) || script.ptr[end] == '_');)
			end++;
		value = variable(container, str_from(str_head(script, end), begin));
		value = value.len <= LONGEST_HOST ? value : STR_NONE;
		while (value.len && braces && end < script.len && script.ptr[end - 1] != '}' && script.ptr[end - 1] != ')')
			end++;
		out = ARENA_JOIN(a, out, str_head(script, value.len ? at : at + 1), value);
		script = str_from(script, value.len ? end : at + 1);
	}
	return ARENA_JOIN(a, out, script);
}

static void note_awaited(struct verdict *v, struct json container, const struct service_address *to)
{
	struct str ns = to->ns.len ? to->ns : verdict_namespace(v), name = json_str(container, "name");
	struct arena *a = verdict_arena(v);
	struct str port = to->port ? arena_printf(a, "%d", (int)to->port) : STR_NONE;

	if (to->perhaps ? !str_eq(to->ns, verdict_namespace(v)) : !to->ns.len && pod_has_own_names(json_at(verdict_object(v), "spec")))
		return;
	verdict_particular(v, "awaits", ARENA_JOIN(a, to->service, STR("."), ns, STR(":"), port, str_of(to->of_pod ? " pod " : " sure "),
						  to->text, str_of(port.len ? ":" : ""), port, STR(" "), name));
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_EXISTS, .kind = STR("Service"), .ns = ns, .name = to->service,
				     .via = ARENA_JOIN(a, STR("spec.initContainers[name="), name, STR("]")) });
}

void core_note_awaited(struct verdict *v, struct str name)
{
	static const char *const lists[] = { "command", "args" };
	struct json container = core_container_spec(v, name);
	struct service_address to;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		json_foreach(word, json_at(container, lists[i]))
		{
			struct str script = json_str(word, "");
			size_t at = 0;

			if (script.len > LONGEST_SCRIPT)
				continue;
			script = with_variables(verdict_arena(v), container, script);
			while (service_address_asked_for(script, &at, &to))
				note_awaited(v, container, &to);
			for (at = 0; service_address_next(script, &at, &to);)
				note_awaited(v, container, &to);
		}
}

/* ---- beside its Services ------------------------------------------------------ */

/* One address, as pod_template_note() or core_note_awaited() has noted it. */
struct called {
	struct str name, ns, port, how, text, field;
};

static bool next_call(const struct status *st, const char *noted, size_t *at, struct called *out)
{
	struct str text = status_particular(st, noted, at), host;
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

/* Where there is no such namespace, there is no such Service; files without the one that every cluster has do not hold all of them. */
static bool is_missing(struct assessment *d, const struct called *c, const struct neighbour *service)
{
	struct neighbour ns, always;

	if (service->presence != PRESENCE_UNKNOWN)
		return service->presence == PRESENCE_MISSING;
	return assess_find(d, "", "Namespace", STR_NONE, c->ns, &ns) && ns.presence == PRESENCE_MISSING &&
	       assess_find(d, "", "Namespace", STR_NONE, STR("default"), &always) && always.presence == PRESENCE_FOUND;
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
	return service->presence == PRESENCE_FOUND && c->port.len && !str_is(c->how, "pod") && leads_lacks_port(d, service, c->port, out_words);
}

/* "env[DB_ADDR]" is "the variable DB_ADDR". */
static struct str spoken(struct arena *a, struct str field)
{
	size_t open = str_find(field, '[');

	return open == field.len ? field : ARENA_JOIN(a, STR("the variable "), str_from(str_head(field, field.len - 1), open + 1));
}

enum { STARTS, NO_SERVICE, NO_PORT, AWAITS };

static const struct row rows[] = {
	[STARTS] = { "it starts, and is given an address that does not exist", .then = OUTCOME_MOVEMENT, .flags = STAYS | RETRIED | AT_LEAST },
	[NO_SERVICE] = { "it is given the address of a Service that does not exist", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
			 .flags = UNDATED },
	[NO_PORT] = { "it is given a port that the Service does not have", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flags = UNDATED },
	[AWAITS] = { "an init container asks for a Service that does not answer", .then = OUTCOME_WAIT, .flags = RETRIED | AT_LEAST },
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

static void awaits(struct assessment *d, const struct called *c, const struct neighbour *service, struct str words)
{
	bool missing = service->presence != PRESENCE_FOUND;
	struct str text = ARENA_JOIN(assess_arena(d), STR("init container "), c->field, STR(" asks for "), c->text, STR(", and "), words);

	assess_wait(d, service, missing ? WAIT_MISSING : service->status.phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY, text);
	if (!missing && !phase_is_bad(service->status.phase))
		assess_flag(d, "contradiction");
	if (assess_status(d)->phase != PHASE_PROVISIONING)
		return;
	table_assess(d, &rows[AWAITS], STR_NONE, text);
	assess_rule(d, ARENA_JOIN(assess_arena(d), STR("init container "), c->field, STR(" asks for "), c->text));
}

/* What is made together comes one after the other. */
static bool is_young(struct assessment *d)
{
	int64_t created = assess_created(d);

	assess_revisit(d, created + thresholds.young);
	return created && assess_now(d) - created < thresholds.young;
}

static void assess_awaited(struct assessment *d)
{
	struct neighbour service;
	struct called c;
	struct str words;

	for (size_t at = 0; next_call(assess_status(d), "awaits", &at, &c);) {
		if (!find_service(d, &c, &service))
			continue;
		if (service.presence == PRESENCE_FOUND && phase_is_bad(service.status.phase))
			words = ARENA_JOIN(assess_arena(d), leads_called(d, &service), STR(" serves nothing"));
		else if (!is_wrong(d, &c, &service, &words))
			continue;
		if (!is_young(d))
			awaits(d, &c, &service, words);
	}
}

/* Host and port in two variables may be of something that is not used: they count where the object is not well. */
static void assess_call(struct assessment *d, const struct called *c, const struct neighbour *service)
{
	bool counts = !str_is(c->how, "apart") || assess_status(d)->phase != PHASE_READY;
	struct str words;

	if (counts && is_wrong(d, c, service, &words) && !is_young(d))
		calls_wrongly(d, c, service, words);
}

/* The addresses in a ConfigMap; entry: one of it, or "": all. */
static void assess_entries(struct assessment *d, const struct neighbour *config, struct str entry, struct str variable)
{
	struct neighbour n;
	struct called c;

	for (size_t at = 0; next_call(&config->status, "tells", &at, &c);) {
		if (entry.len && !str_eq(c.field, entry))
			continue;
		c.field = ARENA_JOIN(assess_arena(d), STR("the variable "), variable.len ? variable : c.field, STR(" of "), leads_called(d, config));
		for (size_t i = 0; assess_target_of(d, config, i, &n); i++)
			if (core_is_kind(&n, "Service") && str_eq(n.name, c.name) && str_eq(n.ns, c.ns)) {
				assess_call(d, &c, &n);
				break;
			}
	}
}

static void assess_told(struct assessment *d)
{
	struct str text, name, entry;
	struct neighbour config;

	for (size_t at = 0; (text = status_particular(assess_status(d), "told", &at)).len;) {
		str_split(&text, ' ', &name);
		entry = STR_NONE;
		str_split(&text, ' ', &entry);
		for (size_t i = 0; assess_next_target(d, "ConfigMap", &i, &config);)
			if (config.presence == PRESENCE_FOUND && str_eq(config.name, name)) {
				assess_entries(d, &config, entry, text);
				break;
			}
	}
}

/* ---- the last words of its pods ------------------------------------------------ */

/* "lookup db-0.db.hall.svc: no such host" has the name db, and "mydb" has not. */
static bool has_host(struct str words, struct str name)
{
	size_t begin = 0;

	for (size_t i = 0; i <= words.len; i++) {
		if (i < words.len && (is_alnum(words.ptr[i]) || words.ptr[i] == '-' || words.ptr[i] == '_'))
			continue;
		if (str_eq(str_from(str_head(words, i), begin), name))
			return true;
		begin = i + 1;
	}
	return false;
}

/* What its workload is told to call does not exist, and that is what it said when it ended. */
static bool ended_for_want_of(struct assessment *d, const struct neighbour *workload)
{
	struct neighbour service;
	struct called c;

	for (size_t at = 0; next_call(&workload->status, "calls", &at, &c);)
		for (size_t i = 0; has_host(assess_message(d), c.name) && assess_target_of(d, workload, i, &service); i++)
			if (core_is_kind(&service, "Service") && str_eq(service.name, c.name) && str_eq(service.ns, c.ns) &&
			    is_missing(d, &c, &service)) {
				service.via = c.field;
				assess_wait(d, &service, WAIT_MISSING, assess_message(d));
				return true;
			}
	return false;
}

static void assess_last_words(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour owner, above;

	if (!str_is(assess_kind(d)->kind, "Pod") || !phase_is_bad(st->phase) || st->severity < SEVERITY_WARNING || assess_waits(d))
		return;
	/* nobody tells a pod of what its workload calls */
	assess_revisit(d, assess_now(d) + MINUTES(1));
	for (size_t i = 0; assess_target(d, i, &owner); i++) {
		if (owner.relation != RELATION_OWNS || owner.presence != PRESENCE_FOUND || ended_for_want_of(d, &owner))
			continue;
		for (size_t k = 0; core_is_kind(&owner, "ReplicaSet") && assess_target_of(d, &owner, k, &above); k++)
			if (above.relation == RELATION_OWNS && above.presence == PRESENCE_FOUND)
				ended_for_want_of(d, &above);
	}
}

void core_assess_calls(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour service;
	struct called c;
	size_t at = 0;

	assess_last_words(d);
	if (st->complete || st->nparticulars == 0 || status_has_flag(st, "scaled-to-zero"))
		return;
	assess_awaited(d);
	while (next_call(st, "calls", &at, &c))
		if (find_service(d, &c, &service))
			assess_call(d, &c, &service);
	assess_told(d);
}

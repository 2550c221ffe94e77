/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/evidence/pod_template.h"

#include "kube/base/redact.h"
#include "kube/evidence/pod_selector.h"
#include "kube/evidence/service_address.h"

enum {
	PORTS = 24, MENTIONED = 16, ADDRESSES = 24,	/* most of them that are noted */
	LONGEST_TEXT = 4096	/* a longer argument is a script or a file */
};

struct template {
	struct verdict *v;
	struct json spec;	/* of the pods */
	const char *path;	/* of spec, in the object */
	struct json container;
	size_t ports, mentioned, addresses;
	struct json data;	/* of a ConfigMap, in the place of containers */
	bool apart;		/* host and port stand in two variables */
	bool passes;		/* the container comes to its end before the pod serves: what it asks for is of no matter any more then */
	bool own_names;		/* the pods do not ask the cluster's DNS, or ask others, too */
};

/* ---- ports ---------------------------------------------------------------- */

static void declared_ports(struct template *t)
{
	json_foreach(port, json_at(t->container, "ports"))
	{
		struct str protocol = json_str(port, "protocol");
		int number = (int)json_int(port, "containerPort", 0);

		if (t->ports++ < PORTS)
			verdict_particular(t->v, "port", ARENA_JOIN(verdict_arena(t->v), json_str(port, "name"),
								    arena_printf(verdict_arena(t->v), "/%d/", number),
								    protocol.len ? protocol : STR("TCP")));
	}
}

/* Numbers that may be ports: ":8443", "--port=8443", "8443"; of what may be a credential, nothing. */
static void mentioned_ports(struct template *t, struct str name, struct str text)
{
	bool may_be_told = false;

	for (size_t i = 0, end; i < text.len && text.len <= LONGEST_TEXT && t->mentioned < MENTIONED; i = end + 1) {
		int64_t number;

		for (end = i; end < text.len && is_digit(text.ptr[end]);)
			end++;
		if (end - i < 2 || end - i > 5 || !str_to_int(str_from(str_head(text, end), i), &number))
			continue;
		/* most texts have no such number, and what their names mean takes longer to find out */
		may_be_told = may_be_told || !(redact_names_credential(str_head(name, str_find(name, '='))) || str_find(text, '@') < text.len);
		if (!may_be_told)
			return;
		t->mentioned++;
		verdict_particular(t->v, "listens", str_from(str_head(text, end), i));
	}
}

static void probed_ports(struct template *t)
{
	static const char *const paths[] = { "httpGet.port", "tcpSocket.port", "grpc.port" };
	static const char *const probes[] = { "readinessProbe", "livenessProbe", "startupProbe" };

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		for (size_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++) {
			int port = (int)json_int(json_at(t->container, probes[i]), paths[k], 0);

			if (port > 0)
				mentioned_ports(t, STR("port"), arena_printf(verdict_arena(t->v), "%d", port));
		}
}

/* ---- addresses ------------------------------------------------------------- */

/* Names that the DNS of the cluster need not know: those of the pod's own file of hosts. */
static bool is_own_name(const struct template *t, struct str host)
{
	json_foreach(alias, json_at(t->spec, "hostAliases"))
		json_foreach(name, json_at(alias, "hostnames"))
			if (str_eq(json_str(name, ""), host))
				return true;
	return false;
}

static void note_namespace(struct verdict *v, struct str name, struct str via)
{
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_EXISTS | REF_CLUSTER | REF_HIDDEN, .kind = STR("Namespace"),
				     .name = name, .via = via });
}

/* What is noted of an address: "SERVICE.NAMESPACE:PORT HOW WRITTEN FIELD". */
static struct str noted(const struct template *t, const struct service_address *to, struct str ns, struct str field)
{
	struct arena *a = verdict_arena(t->v);
	const char *how = to->of_pod ? " pod " : t->apart ? " apart " : " sure ";

	return ARENA_JOIN(a, to->service, STR("."), ns, STR(":"), arena_printf(a, "%d", (int)to->port), str_of(how), to->text, STR(" "), field);
}

static void call(struct template *t, const struct service_address *to, struct str field)
{
	struct arena *a = verdict_arena(t->v);
	struct str ns = to->ns.len ? to->ns : verdict_namespace(t->v);
	struct str via = t->data.node ? ARENA_JOIN(a, STR("data["), field, STR("]")) :
			 ARENA_JOIN(a, str_of(t->path), STR(".containers[name="), json_str(t->container, "name"), STR("]."), field);

	/* NAME.NAMESPACE may be a host of any domain: it tells who calls a Service that is there, and nothing where there is none */
	if (!to->perhaps && !t->passes)
		verdict_particular(t->v, t->data.node ? "tells" : "calls", noted(t, to, ns, field));
	verdict_ref(t->v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_EXISTS | (to->perhaps || t->passes ? REF_IF_FOUND : 0),
				       .kind = STR("Service"), .ns = ns, .name = to->service, .via = via });
	if (to->perhaps || t->passes || t->data.node || str_eq(ns, verdict_namespace(t->v)))
		return;
	note_namespace(t->v, ns, via);
	note_namespace(t->v, STR("default"), via);
}

static void addresses(struct template *t, struct str text, struct str field)
{
	/* in a script anything may stand before a colon */
	bool script = str_find(text, '\n') < text.len || str_find(text, ' ') < text.len;
	struct service_address one;
	size_t at = 0;

	while (text.len <= LONGEST_TEXT && t->addresses < ADDRESSES && service_address_next(text, &at, &one)) {
		bool full = one.ns.len && !one.perhaps;

		t->addresses++;
		if (!full && (t->own_names || is_own_name(t, one.service) || (script && !one.in_url)))
			continue;
		call(t, &one, field);
	}
}

/* Variables whose values have a colon and a number for another reason, or are nobody's business. */
static bool is_no_address(struct str name, struct str value)
{
	static const char *const others[] = { "IMAGE", "IMG", "LISTEN", "BIND", "USER", "OWNER", "UID", "GID", "CHOWN", "GROUP",
					      "TIMEOUT", "WEIGHT", "RATIO", NULL };

	return !str_contains(value, "://") && (str_contains_any_nocase(name, others) || redact_names_credential(name));
}

/* Returns what the variable, or the entry of a ConfigMap, of that name says. */
static struct str value_of(const struct template *t, struct str name)
{
	json_foreach(variable, json_at(t->container, "env"))
		if (str_eq(json_str(variable, "name"), name))
			return json_str(variable, "value");
	return t->data.node ? json_str(json_member(t->data, name), "") : STR_NONE;
}

/* DB_HOST is of one address with DB_PORT; what a program itself listens on often stands in SERVER_HOST. */
static void address_apart(struct template *t, struct str name, struct str host, struct str field)
{
	static const char *const own[] = { "SERVER_", "APP_", "HTTP_", "GRPC_", "NODE_", "POD_", "WEB_", NULL };
	struct str prefix = str_head(name, name.len - 4), port;
	struct arena *a = verdict_arena(t->v);

	if (!str_ends(name, "_HOST") || str_is_any(prefix, own) || str_find(host, ':') < host.len)
		return;
	port = value_of(t, ARENA_JOIN(a, prefix, STR("PORT")));
	if (!host.len || !port.len)
		return;
	t->apart = true;
	addresses(t, ARENA_JOIN(a, host, STR(":"), port), field);
	t->apart = false;
}

static void variable_says(struct template *t, struct str name, struct str value, struct str field)
{
	if (str_find(value, ':') < value.len && !is_no_address(name, value))
		addresses(t, value, field);
	address_apart(t, name, value, field);
}

/* A variable has the value of an entry of a ConfigMap, or each entry is a variable: "told CONFIGMAP ENTRY VARIABLE", "told CONFIGMAP". */
static void told(struct template *t, struct str config, struct str entry, struct str variable)
{
	struct arena *a = verdict_arena(t->v);

	if (t->passes || !config.len)
		return;
	verdict_particular(t->v, "told", ARENA_JOIN(a, config, str_of(entry.len ? " " : ""), entry, str_of(entry.len ? " " : ""), variable));
	verdict_ref(t->v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_EXISTS | REF_IF_FOUND, .kind = STR("ConfigMap"), .name = config,
				       .via = ARENA_JOIN(a, str_of(t->path), STR(".containers[name="), json_str(t->container, "name"), STR("].env")) });
}

static void read_container(struct template *t, bool serves)
{
	static const char *const lists[] = { "command", "args" };

	if (serves) {
		declared_ports(t);
		probed_ports(t);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		json_foreach(word, json_at(t->container, lists[i]))
		{
			mentioned_ports(t, json_str(word, ""), json_str(word, ""));
			addresses(t, json_str(word, ""), str_of(lists[i]));
		}
	json_foreach(variable, json_at(t->container, "env"))
	{
		struct str name = json_str(variable, "name"), value = json_str(variable, "value");

		mentioned_ports(t, name, value);
		variable_says(t, name, value, ARENA_JOIN(verdict_arena(t->v), STR("env["), name, STR("]")));
		told(t, json_str(variable, "valueFrom.configMapKeyRef.name"), json_str(variable, "valueFrom.configMapKeyRef.key"), name);
	}
	json_foreach(source, json_at(t->container, "envFrom"))
		told(t, json_str(source, "configMapRef.name"), STR_NONE, STR_NONE);
}

/* ---- the template ----------------------------------------------------------- */

/* Which DNS a pod asks: kubernetes/kubernetes pkg/kubelet/network/dns/dns.go. */
static bool asks_other_dns(struct json spec)
{
	struct str policy = json_str(spec, "dnsPolicy");

	if (json_count(json_at(spec, "dnsConfig.searches")) || str_is(policy, "Default") || str_is(policy, "None"))
		return true;
	return json_bool(spec, "hostNetwork", false) && !str_is(policy, "ClusterFirstWithHostNet");
}

bool pod_has_own_names(struct json spec)
{
	return asks_other_dns(spec) || json_count(json_at(spec, "hostAliases")) > 0;
}

static void read_template(struct template *t, struct json labels)
{
	t->own_names = asks_other_dns(t->spec);
	selector_is_carried(t->v, labels);
	json_foreach(container, json_at(t->spec, "containers"))
	{
		t->container = container;
		read_container(t, true);
	}
	json_foreach(container, json_at(t->spec, "initContainers"))
	{
		t->container = container;
		t->passes = !str_is(json_str(container, "restartPolicy"), "Always");
		read_container(t, !t->passes);
	}
}

/* Another object's controller made it, and that object has its template: all but pods that an operator makes to run for ever. */
static bool is_made_by_another(struct json object, bool pod)
{
	static const char *const workloads[] = { "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", NULL };

	json_foreach(owner, json_at(object, "metadata.ownerReferences"))
		if (json_bool(owner, "controller", false))
			return !pod || str_is_any(json_str(owner, "kind"), workloads) ||
			       !str_is(json_str(object, "spec.restartPolicy"), "Always");
	return false;
}

void pod_template_note(struct verdict *v)
{
	static const char *const paths[][3] = {
		{ "spec.template.spec", "spec.template.metadata.labels", "" },
		{ "spec.jobTemplate.spec.template.spec", "spec.jobTemplate.spec.template.metadata.labels", "CronJob" },
		{ "spec", "metadata.labels", "Pod" },
	};
	static const char *const parts[] = { "Pod", "ReplicaSet", "ReplicationController", "Job", NULL };
	struct json object = verdict_object(v);
	struct str kind = verdict_kind(v)->kind;

	if (str_is_any(kind, parts) && is_made_by_another(object, str_is(kind, "Pod")))
		return;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct template t = { .v = v, .spec = json_at(object, paths[i][0]), .path = paths[i][0] };

		if ((*paths[i][2] && !str_is(kind, paths[i][2])) || !json_is_array(json_at(t.spec, "containers")))
			continue;
		read_template(&t, json_at(object, paths[i][1]));
		return;
	}
}

void pod_template_note_entries(struct verdict *v)
{
	struct template t = { .v = v, .data = json_at(verdict_object(v), "data") };

	json_foreach(entry, t.data)
	{
		struct str value = str_trim(json_str(entry, ""));

		/* a file is written in its own language */
		if (value.len <= LONGEST_TEXT && str_find(value, '\n') == value.len)
			variable_says(&t, json_key(entry), value, json_key(entry));
	}
}

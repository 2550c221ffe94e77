/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/model/kind.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/buf.h"
#include "kube/base/limits.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NS KIND_NAMESPACED
#define ST KIND_HAS_STATUS

/* group, version, kind, plural, short names, categories, flags */
static const struct {
	const char *group, *version, *kind, *plural, *shorts, *categories;
	unsigned flags;
} builtin[] = {
	{ "", "v1", "Pod", "pods", "po", "all", NS | ST },
	{ "", "v1", "Service", "services", "svc", "all", NS | ST },
	{ "", "v1", "ReplicationController", "replicationcontrollers", "rc", "all", NS | ST },
	{ "", "v1", "ConfigMap", "configmaps", "cm", "", NS },
	{ "", "v1", "Secret", "secrets", "", "", NS },
	{ "", "v1", "Event", "events", "ev", "", NS },
	{ "", "v1", "Endpoints", "endpoints", "ep", "", NS },
	{ "", "v1", "LimitRange", "limitranges", "limits", "", NS },
	{ "", "v1", "ResourceQuota", "resourcequotas", "quota", "", NS | ST },
	{ "", "v1", "ServiceAccount", "serviceaccounts", "sa", "", NS },
	{ "", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc", "", NS | ST },
	{ "", "v1", "PersistentVolume", "persistentvolumes", "pv", "", ST },
	{ "", "v1", "PodTemplate", "podtemplates", "", "", NS },
	{ "", "v1", "Namespace", "namespaces", "ns", "", ST },
	{ "", "v1", "Node", "nodes", "no", "", ST },
	{ "apps", "v1", "Deployment", "deployments", "deploy", "all", NS | ST },
	{ "apps", "v1", "ReplicaSet", "replicasets", "rs", "all", NS | ST },
	{ "apps", "v1", "StatefulSet", "statefulsets", "sts", "all", NS | ST },
	{ "apps", "v1", "DaemonSet", "daemonsets", "ds", "all", NS | ST },
	{ "apps", "v1", "ControllerRevision", "controllerrevisions", "", "", NS },
	{ "batch", "v1", "Job", "jobs", "", "all", NS | ST },
	{ "batch", "v1", "CronJob", "cronjobs", "cj", "all", NS | ST },
	{ "autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa", "all", NS | ST },
	{ "policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "pdb", "", NS | ST },
	{ "networking.k8s.io", "v1", "Ingress", "ingresses", "ing", "", NS | ST },
	{ "networking.k8s.io", "v1", "IngressClass", "ingressclasses", "", "", 0 },
	{ "networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", "netpol", "", NS },
	{ "discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", "", "", NS },
	{ "storage.k8s.io", "v1", "StorageClass", "storageclasses", "sc", "", 0 },
	{ "storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", "", "", ST },
	{ "storage.k8s.io", "v1", "CSIDriver", "csidrivers", "", "", 0 },
	{ "storage.k8s.io", "v1", "CSINode", "csinodes", "", "", 0 },
	{ "node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", "", "", 0 },
	{ "rbac.authorization.k8s.io", "v1", "Role", "roles", "", "", NS },
	{ "rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", "", "", NS },
	{ "rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", "", "", 0 },
	{ "rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", "", "", 0 },
	{ "scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "pc", "", 0 },
	{ "coordination.k8s.io", "v1", "Lease", "leases", "", "", NS },
	{ "certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", "csr", "", ST },
	{ "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", "crd,crds",
	  "api-extensions", ST },
	{ "apiregistration.k8s.io", "v1", "APIService", "apiservices", "", "api-extensions", ST },
	{ "admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration",
	  "validatingwebhookconfigurations", "", "api-extensions", 0 },
	{ "admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations",
	  "", "api-extensions", 0 },
};

/* Names that a server tells and files do not: what people type who have only a dump. */
static const struct {
	/* kind NULL: the row is for every kind of the group */
	const char *group, *kind, *plural, *shorts, *categories;
} widespread[] = {
	{ "operators.coreos.com", "ClusterServiceVersion", NULL, "csv,csvs", "olm" },
	{ "operators.coreos.com", "Subscription", NULL, "sub,subs", "olm" },
	{ "operators.coreos.com", "InstallPlan", NULL, "ip", "olm" },
	{ "operators.coreos.com", "CatalogSource", NULL, "catsrc", "olm" },
	{ "operators.coreos.com", "OperatorGroup", NULL, "og", "olm" },
	{ "operators.coreos.com", "OperatorCondition", NULL, "condition", "olm" },
	{ "operators.coreos.com", NULL, NULL, "", "olm" },
	{ "openstack.k-orc.cloud", NULL, NULL, "", "openstack" },
	{ "vshn.appcat.vshn.io", "VSHNRedis", "vshnredis", "", "" },
	{ "vshn.appcat.vshn.io", "XVSHNRedis", "xvshnredis", "", "" },
	{ "vshn.appcat.vshn.io", "VSHNForgejo", "vshnforgejoes", "", "" },
	{ "vshn.appcat.vshn.io", "XVSHNForgejo", "xvshnforgejoes", "", "" },
};

static void names_of(struct kinds *k, const char *list, struct str *out)
{
	struct str rest = str_of(list), name;
	size_t n = 0;

	while (n < KIND_NAMES && str_split(&rest, ',', &name))
		out[n++] = kinds_name(k, name);
}

struct str kinds_name(struct kinds *k, struct str name)
{
	return intern_str(&k->names, intern_id(&k->names, name));
}

/*
 * The plural of a kind by English rules, as controller-gen makes it; the guess of apimachinery
 * (UnsafeGuessKindToResource) would be "gatewaies", which no cluster has.
 */
static void guess_plural(struct kinds *k, struct kind *kind)
{
	static const char *const hissing[] = { "s", "x", "z", "ch", "sh", NULL };
	static const char *const vowels[] = { "ay", "ey", "oy", "uy", NULL };
	struct buf b = { 0 };

	for (size_t i = 0; i < kind->kind.len; i++)
		buf_add_char(&b, (char)tolower((unsigned char)kind->kind.ptr[i]));
	kind->singular = kinds_name(k, buf_str(&b));
	if (str_ends(kind->singular, "endpoints")) {
		;
	} else if (str_ends_any(kind->singular, hissing)) {
		buf_add_cstr(&b, "es");
	} else if (str_ends(kind->singular, "y") && !str_ends_any(kind->singular, vowels)) {
		b.len--;
		buf_add_cstr(&b, "ies");
	} else {
		buf_add_char(&b, 's');
	}
	kind->plural = kinds_name(k, buf_str(&b));
	buf_release(&b);
}

static void take_widespread(struct kinds *k, struct kind *kind)
{
	for (size_t i = 0; i < sizeof(widespread) / sizeof(widespread[0]); i++) {
		if (!str_is(kind->group, widespread[i].group) ||
		    (widespread[i].kind && !str_is(kind->kind, widespread[i].kind)))
			continue;
		if (widespread[i].plural)
			kind->plural = kinds_name(k, str_of(widespread[i].plural));
		names_of(k, widespread[i].shorts, kind->short_names);
		names_of(k, widespread[i].categories, kind->categories);
		return;
	}
}

static struct str key_of(struct buf *b, struct str group, struct str kind)
{
	buf_add(b, group);
	buf_add_char(b, '/');
	buf_add(b, kind);
	return buf_str(b);
}

static struct kind *kinds_find_long(const struct kinds *k, struct str group, struct str kind)
{
	struct buf b = { 0 };
	struct kind *found = map_get(&k->by_name, key_of(&b, group, kind));

	buf_release(&b);
	return found;
}

/* Every reference looks up the name of a kind: a key of usual length needs no heap. */
struct kind *kinds_find(const struct kinds *k, struct str group, struct str kind)
{
	char key[192];
	size_t len = group.len + 1 + kind.len;

	if (len > sizeof(key))
		return kinds_find_long(k, group, kind);
	memcpy(key, group.len ? group.ptr : "", group.len);
	key[group.len] = '/';
	memcpy(key + group.len + 1, kind.len ? kind.ptr : "", kind.len);
	return map_get(&k->by_name, (struct str){ key, len });
}

const struct kind *kinds_find_nocase(const struct kinds *k, struct str group, struct str kind)
{
	const struct kind *found = kinds_find(k, group, kind);

	for (uint32_t i = 0; i < k->count && !(found && found->version.len); i++)
		if (str_eq_nocase(k->all[i]->kind, kind) && str_eq(k->all[i]->group, group) &&
		    (!found || k->all[i]->version.len))
			found = k->all[i];
	return found;
}

static bool is_called(const struct kind *kind, struct str name)
{
	return str_eq_nocase(kind->plural, name) || str_eq_nocase(kind->kind, name) || str_eq_nocase(kind->singular, name);
}

/* Returns ".aws.example" for "iam.aws.example". */
static struct str domain_of(struct str group)
{
	return str_from(group, str_find(group, '.'));
}

/* Returns how far a kind is from the group near; less is nearer. */
static int distance(const struct kind *kind, struct str near)
{
	if (str_eq(kind->group, near))
		return 0;
	if (!(kind->flags & KIND_CUSTOM))
		return 1;
	return domain_of(near).len && str_eq(domain_of(kind->group), domain_of(near)) ? 2 : 3;
}

const struct kind *kinds_called(const struct kinds *k, struct str name, struct str group, struct str near)
{
	const struct kind *found = NULL;
	int best = 0;

	for (uint32_t i = 0; i < k->count && name.len; i++) {
		const struct kind *kind = k->all[i];
		int d;

		if (!kind->version.len || !is_called(kind, name) || (group.len && !str_eq(kind->group, group)))
			continue;
		d = distance(kind, near);
		if (found && (d > best || (d == best && str_cmp(kind->group, found->group) >= 0)))
			continue;
		found = kind;
		best = d;
	}
	return found;
}

const struct kind *kinds_ending(const struct kinds *k, struct str end, struct str near)
{
	const struct kind *found[3] = { NULL };
	int n[3] = { 0 };

	for (uint32_t i = 0; i < k->count && end.len; i++) {
		const struct kind *kind = k->all[i];
		int d = distance(kind, near);

		if (!kind->version.len || d > 2 || kind->kind.len <= end.len ||
		    !str_eq(str_from(kind->kind, kind->kind.len - end.len), end))
			continue;
		found[d] = kind;
		n[d]++;
	}
	for (size_t d = 0; d < 3; d += 2)
		if (n[d])
			return n[d] == 1 ? found[d] : NULL;
	return NULL;
}

/* The groups of Kubernetes itself have no dot, or end with .k8s.io and are not those of a project with CRDs. */
const char *const kinds_builtin_groups[] = {
	"", "apps", "batch", "autoscaling", "policy", "extensions", "networking.k8s.io",
	"discovery.k8s.io", "storage.k8s.io", "rbac.authorization.k8s.io", "scheduling.k8s.io",
	"coordination.k8s.io", "certificates.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io",
	"admissionregistration.k8s.io", "events.k8s.io", "node.k8s.io", "flowcontrol.apiserver.k8s.io",
	"internal.apiserver.k8s.io", "authentication.k8s.io", "authorization.k8s.io", "resource.k8s.io",
	"storagemigration.k8s.io", "metrics.k8s.io", NULL
};

static bool group_is_builtin(struct str group)
{
	return str_find(group, '.') == group.len || str_is_any(group, kinds_builtin_groups);
}

struct kind *kinds_put(struct kinds *k, struct str group, struct str kind)
{
	struct kind *found = kinds_find(k, group, kind);
	struct buf key = { 0 };

	assert(!found || k->all[found->id - 1] == found);
	if (found)
		return found;
	k->all = xgrow(k->all, k->count, &k->cap, sizeof(struct kind *));
	found = xcalloc(1, sizeof(*found));
	k->all[k->count++] = found;
	found->id = k->count;
	found->group = kinds_name(k, group);
	found->kind = kinds_name(k, kind);
	found->flags = group_is_builtin(group) ? 0 : KIND_CUSTOM;
	guess_plural(k, found);
	take_widespread(k, found);
	map_set(&k->by_name, key_of(&key, group, kind), found);
	buf_release(&key);
	return found;
}

struct kind *kinds_referred(struct kinds *k, struct str group, struct str kind)
{
	enum { GROUP = 253, KIND = 63 };	/* the API server accepts no longer ones */
	struct kind *found = kinds_find(k, group, kind);

	if (found)
		return found;
	if (group.len > GROUP || kind.len > KIND || k->referred >= LIMIT_KINDS_REFERRED)
		return kinds_put(k, STR_NONE, STR("?"));
	k->referred++;
	return kinds_put(k, group, kind);
}

void kinds_add_builtin(struct kinds *k)
{
	for (size_t i = 0; i < sizeof(builtin) / sizeof(builtin[0]); i++) {
		struct kind *kind = kinds_put(k, str_of(builtin[i].group), str_of(builtin[i].kind));

		kind->version = kinds_name(k, str_of(builtin[i].version));
		kind->versions = kind->version;
		kind->plural = kinds_name(k, str_of(builtin[i].plural));
		kind->flags |= builtin[i].flags | KIND_LIST | KIND_WATCH | KIND_GET;
		names_of(k, builtin[i].shorts, kind->short_names);
		names_of(k, builtin[i].categories, kind->categories);
	}
}

bool kinds_builtin_has_status(struct str group, struct str kind)
{
	for (size_t i = 0; i < sizeof(builtin) / sizeof(builtin[0]); i++)
		if ((builtin[i].flags & ST) && str_is(group, builtin[i].group) && str_is(kind, builtin[i].kind))
			return true;
	return false;
}

/* Interns the strings of a list into KIND_NAMES places; places that are not used are empty. */
static void kinds_names(struct kinds *k, struct json list, struct str *out)
{
	size_t n = 0;

	memset(out, 0, KIND_NAMES * sizeof(*out));
	json_foreach(it, list)
		if (n < KIND_NAMES && json_str(it, "").len)
			out[n++] = kinds_name(k, json_str(it, ""));
}

void kinds_add_version(struct kinds *k, struct kind *kind, struct str version)
{
	struct str rest = kind->versions, one;
	struct buf versions = { 0 };
	size_t n = 0;

	for (; str_split(&rest, ',', &one); n++)
		if (str_eq(one, version))
			return;
	if (n >= LIMIT_KIND_VERSIONS || version.len > LIMIT_VERSION)
		return;
	buf_printf(&versions, STR_FMT "," STR_FMT, STR_ARG(kind->versions), STR_ARG(version));
	kind->versions = kinds_name(k, buf_str(&versions));
	buf_release(&versions);
}

static bool is_something(struct json map)
{
	json_foreach(it, map)
		return true;
	return false;
}

/* A schema that leaves its fields open does not tell whether there is a status. */
static bool is_open(struct json schema)
{
	return !is_something(json_at(schema, "properties")) || json_bool(schema, "x-kubernetes-preserve-unknown-fields", false);
}

static unsigned learn(struct json version, const char *schema_at)
{
	struct json schema = json_at(version, schema_at);

	/* a status without fields is where a framework keeps its own notes, as kopf does: nobody promises a report */
	if (is_something(json_at(schema, "properties.status.properties")) || json_at(version, "subresources.status").node)
		return KIND_SCHEMA_READ | KIND_REPORTS;
	return is_open(schema) ? 0 : KIND_SCHEMA_READ;
}

/* apiextensions.k8s.io/v1beta1 has one schema for all versions. */
static void learn_status(struct kind *kind, struct json spec)
{
	unsigned learned = learn(spec, "validation.openAPIV3Schema");

	json_foreach(version, json_at(spec, "versions"))
		learned |= learn(version, "schema.openAPIV3Schema");
	kind->flags |= learned;
}

void kinds_learn_status(struct kinds *k, const struct kind *kind, bool has_status)
{
	assert(kind->id > 0 && kind->id <= k->count);
	k->all[kind->id - 1]->flags |= KIND_SCHEMA_READ | (has_status ? (unsigned)KIND_REPORTS : 0);
}

bool kinds_note_status(struct kinds *k, const struct kind *kind, struct json object)
{
	struct json status = json_at(object, "status");

	assert(kind->id > 0 && kind->id <= k->count);
	if (json_str(status, "").len == 0 && (!json_is_object(status) || !is_something(status)))
		return false;
	k->all[kind->id - 1]->flags |= KIND_REPORTS;
	return true;
}

void kinds_define(struct kinds *k, struct json definition)
{
	struct json spec = json_at(definition, "spec");
	struct str name = json_str(spec, "names.kind"), plural = json_str(spec, "names.plural");
	struct kind *kind;

	if (name.len == 0 || plural.len == 0)
		return;
	kind = kinds_put(k, json_str(spec, "group"), name);
	learn_status(kind, spec);
	if (kind->flags & KIND_DISCOVERED)
		return;
	kind->plural = kinds_name(k, plural);
	if (json_str(spec, "names.singular").len)
		kind->singular = kinds_name(k, json_str(spec, "names.singular"));
	if (str_is(json_str(spec, "scope"), "Namespaced"))
		kind->flags |= KIND_NAMESPACED;
	kinds_names(k, json_at(spec, "names.shortNames"), kind->short_names);
	kinds_names(k, json_at(spec, "names.categories"), kind->categories);
}

bool kind_in_category(const struct kind *kind, const char *category)
{
	for (size_t i = 0; i < KIND_NAMES && kind->categories[i].len; i++)
		if (str_is(kind->categories[i], category))
			return true;
	return false;
}

void kind_api_version(const struct kind *kind, char *out, size_t size)
{
	if (kind->group.len)
		snprintf(out, size, STR_FMT "/" STR_FMT, STR_ARG(kind->group), STR_ARG(kind->version));
	else
		snprintf(out, size, STR_FMT, STR_ARG(kind->version));
}

bool kind_in_api(const struct kind *kind, struct str api_version)
{
	size_t slash = str_find(api_version, '/');

	return str_eq(slash < api_version.len ? str_head(api_version, slash) : STR_NONE, kind->group);
}

/* Returns true when another kind has that name, and was more than guessed from a reference. */
static bool is_ambiguous(const struct kinds *k, const struct kind *kind)
{
	for (uint32_t i = 0; i < k->count; i++)
		if (k->all[i] != kind && k->all[i]->version.len && str_eq(k->all[i]->kind, kind->kind))
			return true;
	return false;
}

bool kind_is_secret(const struct kind *kind)
{
	return kind->group.len == 0 && str_is(kind->kind, "Secret");
}

void kind_display(const struct kinds *k, const struct kind *kind, char *out, size_t size)
{
	if (kind->group.len && is_ambiguous(k, kind))
		snprintf(out, size, STR_FMT "." STR_FMT, STR_ARG(kind->singular), STR_ARG(kind->group));
	else
		snprintf(out, size, STR_FMT, STR_ARG(kind->singular));
}

static bool has_name(const struct kind *kind, struct str name)
{
	for (size_t i = 0; i < KIND_NAMES && kind->short_names[i].len; i++)
		if (str_eq(kind->short_names[i], name))
			return true;
	/* most names are longer, which costs less to see */
	return (name.len == kind->kind.len || name.len == kind->singular.len || name.len == kind->plural.len) && is_called(kind, name);
}

void kind_display_short(const struct kinds *k, const struct kind *kind, char *out, size_t size)
{
	struct str name = kind->short_names[0];
	bool taken = false;

	kind_display(k, kind, out, size);
	for (uint32_t i = 0; i < k->count && name.len && !taken; i++)
		taken = k->all[i] != kind && k->all[i]->version.len && has_name(k->all[i], name);
	if (name.len && name.len + (taken ? 1 + kind->group.len : 0) < strlen(out))
		snprintf(out, size, STR_FMT "%s" STR_FMT, STR_ARG(name), taken && kind->group.len ? "." : "",
			 STR_ARG(taken ? kind->group : STR_NONE));
}

void kinds_release(struct kinds *k)
{
	for (uint32_t i = 0; i < k->count; i++)
		xfree(k->all[i]);
	xfree(k->all);
	map_release(&k->by_name);
	intern_release(&k->names);
	*k = (struct kinds){ 0 };
}

bool kind_fits(const struct kind *kind, struct json object)
{
	struct str name = json_str(object, "kind"), api = json_str(object, "apiVersion"), group = str_head(api, str_find(api, '/'));

	if (str_is(name, "PartialObjectMetadata") && str_is(group, "meta.k8s.io"))
		return true;
	group = group.len < api.len ? group : STR_NONE;
	return (!name.len || str_eq(name, kind->kind)) && (!api.len || str_eq(group, kind->group));
}

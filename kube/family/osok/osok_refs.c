/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What OCI service operator objects refer to.  The operator has no references between its objects: an OCID in a spec is
 * a reference when another object has this OCID.
 */
#include "kube/family/common/field.h"
#include "kube/family/osok/osok.h"

#define OCID "ocid1."

#define OCIDS_MAX 100

#define SECRET(path) { NULL, path, "", "Secret", RELATION_NEEDS, REF_EXISTS, NULL }

static const struct ref_rule input_secrets[] = {
	SECRET("spec.adminPassword.secret.secretName"),
	SECRET("spec.adminUsername.secret.secretName"),
	SECRET("spec.wallet.walletPassword.secret.secretName"),
	{ 0 }
};

#define TERMS "metadata.annotations['marketplacepublisher.oracle.com/term-version-content-secret']"

/* Names within one load balancer; the objects may have other names. */
static const struct name_rule {
	const char *kind, *path, *target;
} balancer_names[] = {
	{ "Backend", "spec.backendSetName", "BackendSet" },
	{ "Listener", "spec.defaultBackendSetName", "BackendSet" },
	{ "Listener", "spec.hostnameNames[]", "Hostname" },
	{ "Listener", "spec.pathRouteSetName", "PathRouteSet" },
	{ "Listener", "spec.routingPolicyName", "RoutingPolicy" },
	{ "Listener", "spec.ruleSetNames[]", "RuleSet" },
	{ NULL, NULL, NULL }
};

static const char *const balancer_ids[] = {
	"spec.loadBalancerId", "spec.networkLoadBalancerId",
	"metadata.annotations['loadbalancer.oracle.com/load-balancer-id']",
	"metadata.annotations['networkloadbalancer.oracle.com/network-load-balancer-id']",
	"metadata.annotations['loadbalancer.oracle.com/loadBalancerId']",
	"metadata.annotations['networkloadbalancer.oracle.com/networkLoadBalancerId']", NULL
};

/* Kinds whose controller writes a Secret with the object's name when the resource exists. */
static const struct {
	const char *group, *kind;
} writes_secret[] = {
	{ "queue.oracle.com", "Queue" },
	{ "streaming.oracle.com", "Stream" },
	{ "mysql.oracle.com", "DbSystem" },
	{ "functions.oracle.com", "Function" },
	{ "oci.oracle.com", "Stream" },
	{ "oci.oracle.com", "MySqlDbSystem" },
	{ NULL, NULL }
};

/* ---- OCIDs --------------------------------------------------------------- */

struct scan {
	struct verdict *v;
	unsigned flags;			/* flags of the references that are added */
	struct str own;			/* the OCID of the object itself */
	struct str seen[OCIDS_MAX];
	size_t nseen;
};

static bool is_seen(struct scan *s, struct str ocid)
{
	for (size_t i = 0; i < s->nseen; i++)
		if (str_eq(s->seen[i], ocid))
			return true;
	if (s->nseen == OCIDS_MAX)
		return true;
	s->seen[s->nseen++] = ocid;
	return false;
}

/*
 * A compartment or tenancy is only the place of the resource: the object does not wait for it, and it is shown only
 * where an object stands for it.
 */
static bool is_scope(struct str ocid)
{
	return str_starts(ocid, OCID "compartment.") || str_starts(ocid, OCID "tenancy.");
}

static struct ref alias(enum relation relation, unsigned flags, struct str name, struct str via)
{
	return (struct ref){ .relation = relation,
			     .flags = flags | REF_ANY_GROUP | REF_ANY_KIND,
			     .kind = STR("Ocid"),
			     .name = name,
			     .via = via };
}

static void add_ocid(struct scan *s, struct str ocid, const struct field *at)
{
	unsigned flags = is_scope(ocid) ? REF_IF_FOUND : s->flags;

	if (str_eq(ocid, s->own) || is_seen(s, ocid))
		return;
	verdict_ref(s->v, alias(RELATION_NEEDS, flags, ocid, field_text(verdict_arena(s->v), at)));
}

static bool ends_ocid(char c)
{
	return str_find(STR(" \t\n\r;,'\""), c) < sizeof(" \t\n\r;,'\"") - 1;
}

/* One string may hold several: "ocid1.subnet.oc1..aaaa;10.0.0.0/16". */
static void scan_text(struct scan *s, struct str text, const struct field *at)
{
	for (size_t from; (from = str_find_str(text, OCID)) < text.len;) {
		size_t n = 0, type;

		text = str_from(text, from);
		while (n < text.len && !ends_ocid(text.ptr[n]))
			n++;
		type = str_find(str_from(str_head(text, n), sizeof(OCID) - 1), '.');
		if (type > 0 && type + sizeof(OCID) - 1 < n)
			add_ocid(s, str_head(text, n), at);
		text = str_from(text, n);
	}
}

static void scan_value(struct scan *s, struct json value, const struct field *at)
{
	size_t i = 0;

	if (at->depth > FIELD_DEPTH)
		return;
	if (json_type(value) == JSON_STRING)
		scan_text(s, json_str(value, ""), at);
	json_foreach(it, value) {
		struct field below = { at, json_key(it), i++, at->depth + 1 };

		scan_value(s, it, &below);
	}
}

static void scan_annotations(struct scan *s)
{
	struct field root = { .key = STR("metadata.annotations") };

	json_foreach(it, json_at(verdict_object(s->v), "metadata.annotations")) {
		struct field at = { &root, json_key(it), 0, 1 };

		/* this is kubectl's copy of a spec that may be outdated */
		if (!str_is(at.key, "kubectl.kubernetes.io/last-applied-configuration"))
			scan_value(s, it, &at);
	}
}

/*
 * Beside what the operator writes of its own work, most kinds mirror what the cloud answers, its id among that: it stays
 * while the first is written anew.
 */
static struct ref own_ocid(const struct verdict *v)
{
	static const char *const paths[] = { "status.status.ocid", "status.id" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct str ocid = json_str(verdict_object(v), paths[i]);

		/* some kinds keep a name in this field */
		if (str_starts(ocid, OCID))
			return alias(RELATION_MANAGES, 0, ocid, str_of(paths[i]));
	}
	return (struct ref){ 0 };
}

static void ref_ocids(struct verdict *v, unsigned flags)
{
	struct ref own = own_ocid(v);
	struct scan s = { .v = v, .flags = flags, .own = own.name };
	struct field spec = { .key = STR("spec") };

	scan_value(&s, json_at(verdict_object(v), "spec"), &spec);
	scan_annotations(&s);
	if (own.name.len)
		verdict_ref(v, own);
}

/* ---- names within a load balancer ---------------------------------------- */

/* Returns the name of a part of the load balancer, as the cloud knows it. */
static struct str balancer_name(struct verdict *v, const char *kind, struct str name)
{
	struct str id = STR_NONE;

	for (size_t i = 0; balancer_ids[i] && id.len == 0; i++)
		id = json_str(verdict_object(v), balancer_ids[i]);
	if (id.len == 0 || name.len == 0)
		return STR_NONE;
	return ARENA_JOIN(verdict_arena(v), id, STR(" "), verdict_kind(v)->group, STR(" "), str_of(kind), STR(" "), name);
}

struct balancer_row {
	const struct name_rule *rule;
	unsigned flags;
};

static void ref_balancer_name(struct verdict *v, struct json value, struct str via, const void *arg)
{
	const struct balancer_row *row = arg;
	struct str name = balancer_name(v, row->rule->target, json_str(value, ""));

	verdict_ref(v, alias(RELATION_NEEDS, row->flags, name, via));
}

static void ref_balancer(struct verdict *v, unsigned flags)
{
	struct str own = json_str(verdict_object(v), "spec.name");
	struct str kind = verdict_kind(v)->kind;

	if (!str_ends(verdict_kind(v)->group, "loadbalancer.oracle.com"))
		return;
	for (const struct name_rule *r = balancer_names; r->kind; r++) {
		struct balancer_row row = { r, flags };

		if (str_is(kind, r->kind))
			verdict_each(v, r->path, ref_balancer_name, &row);
		if (str_is(kind, r->target))
			verdict_ref(v, alias(RELATION_MANAGES, 0, balancer_name(v, r->target, own),
					     STR("spec.name")));
	}
}

/* ---- Secrets ------------------------------------------------------------- */

static struct ref secret(enum relation relation, unsigned flags, struct str name, struct str via)
{
	return (struct ref){ .relation = relation,
			     .flags = flags,
			     .kind = STR("Secret"),
			     .name = name,
			     .via = via };
}

static void ref_input_secrets(struct verdict *v, unsigned flags)
{
	for (const struct ref_rule *r = input_secrets; r->path; r++) {
		struct ref_rule row = *r;

		row.flags |= flags;
		verdict_each(v, r->path, verdict_ref_value, &row);
	}
	verdict_ref(v, secret(RELATION_NEEDS, REF_EXISTS | flags,
			      json_str(verdict_object(v), TERMS), STR(TERMS)));
}

static void ref_written_secret(struct verdict *v)
{
	const struct kind *kind = verdict_kind(v);
	struct json wallet = json_at(verdict_object(v), "spec.wallet");
	struct str name = json_str(wallet, "walletName");

	for (size_t i = 0; writes_secret[i].group; i++)
		if (str_is(kind->group, writes_secret[i].group) &&
		    str_is(kind->kind, writes_secret[i].kind))
			verdict_ref(v, secret(RELATION_MANAGES, 0, verdict_name(v),
					      STR("metadata.name")));
	if (!str_is(kind->group, "oci.oracle.com") || !json_is_object(wallet))
		return;
	if (name.len == 0)
		name = ARENA_JOIN(verdict_arena(v), verdict_name(v), STR("-wallet"));
	verdict_ref(v, secret(RELATION_MANAGES, 0, name, STR("spec.wallet.walletName")));
}

/* ---- the operator -------------------------------------------------------- */

/*
 * An object that has failed waits for nothing, unless it says so; an object that was active has everything that it
 * needs.
 */
void osok_refs(struct verdict *v, const struct osok *o)
{
	unsigned flags = o->state == OSOK_FAILED || o->was_active ? 0 : REF_BLOCKS;

	ref_ocids(v, flags);
	ref_balancer(v, flags);
	ref_input_secrets(v, flags);
	if (o->state == OSOK_ACTIVE)
		ref_written_secret(v);
	if (verdict_deleting(v) ? o->delete_failed : o->state == OSOK_FAILED)
		evidence_mentions(v, STR_NONE, o->say_message);
}

void osok_ref_definition(struct verdict *v)
{
	const struct kind *kind = verdict_kind(v);
	struct str name = arena_printf(verdict_arena(v), STR_FMT "." STR_FMT, STR_ARG(kind->plural),
				       STR_ARG(kind->group));

	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_CLUSTER,
				     .group = STR("apiextensions.k8s.io"),
				     .kind = STR("CustomResourceDefinition"),
				     .name = name,
				     .via = STR("kind") });
}

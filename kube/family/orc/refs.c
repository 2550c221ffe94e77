/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What OpenStack resource controller objects refer to: other objects by their names, in their own namespace.  Most
 * controllers guard the objects that they refer to: they put the finalizer of their own kind on them.  A reference is
 * read until the resource exists in OpenStack; few references are read again later.
 */
#include "kube/family/common/field.h"
#include "kube/family/orc/orc.h"

#include "kube/base/limits.h"

/* When the field is read: until the resource exists, or also for every later change. */
#define ONCE 0
#define AGAIN REF_ALWAYS

#define CREDENTIALS(kind, controller)                                             \
	{ kind, ORC_CREDENTIALS, "", "Secret", RELATION_NEEDS, REF_EXISTS | AGAIN, \
	  ORC_FINALIZER controller }
#define IMPORT(kind, field, target) \
	{ kind, "spec.import.filter." field, NULL, target, RELATION_NEEDS, ONCE, NULL }
#define GUARDED(kind, field, target, when, controller)                     \
	{ kind, "spec.resource." field, NULL, target, RELATION_NEEDS, when, \
	  ORC_FINALIZER controller }
#define FREE(kind, field, target, when) \
	{ kind, "spec.resource." field, NULL, target, RELATION_NEEDS, when, NULL }
#define SECRET(kind, field, when) \
	{ kind, "spec.resource." field, "", "Secret", RELATION_NEEDS, REF_EXISTS | (when), NULL }

static const struct ref_rule refs[] = {
	CREDENTIALS("AddressScope", "addressscope"),
	IMPORT("AddressScope", "projectRef", "Project"),
	GUARDED("AddressScope", "projectRef", "Project", ONCE, "addressscope"),
	CREDENTIALS("ApplicationCredential", "applicationcredential"),
	IMPORT("ApplicationCredential", "userRef", "User"),
	GUARDED("ApplicationCredential", "accessRules[].serviceRef", "Service", ONCE,
		"applicationcredential"),
	GUARDED("ApplicationCredential", "roleRefs[]", "Role", ONCE, "applicationcredential"),
	SECRET("ApplicationCredential", "secretRef", ONCE),
	GUARDED("ApplicationCredential", "userRef", "User", ONCE, "applicationcredential"),
	CREDENTIALS("Domain", "domain"),
	CREDENTIALS("Endpoint", "endpoint"),
	IMPORT("Endpoint", "serviceRef", "Service"),
	GUARDED("Endpoint", "serviceRef", "Service", ONCE, "endpoint"),
	CREDENTIALS("Flavor", "flavor"),
	CREDENTIALS("FloatingIP", "floatingip"),
	IMPORT("FloatingIP", "floatingNetworkRef", "Network"),
	IMPORT("FloatingIP", "portRef", "Port"),
	IMPORT("FloatingIP", "projectRef", "Project"),
	GUARDED("FloatingIP", "floatingNetworkRef", "Network", ONCE, "floatingip"),
	GUARDED("FloatingIP", "floatingSubnetRef", "Subnet", ONCE, "floatingip"),
	GUARDED("FloatingIP", "portRef", "Port", ONCE, "floatingip"),
	GUARDED("FloatingIP", "projectRef", "Project", ONCE, "floatingip"),
	CREDENTIALS("Group", "group"),
	IMPORT("Group", "domainRef", "Domain"),
	GUARDED("Group", "domainRef", "Domain", ONCE, "group"),
	CREDENTIALS("Image", "image"),
	CREDENTIALS("KeyPair", "keypair"),
	CREDENTIALS("Network", "network"),
	IMPORT("Network", "projectRef", "Project"),
	GUARDED("Network", "projectRef", "Project", ONCE, "network"),
	CREDENTIALS("Port", "port"),
	IMPORT("Port", "networkRef", "Network"),
	IMPORT("Port", "projectRef", "Project"),
	GUARDED("Port", "addresses[].subnetRef", "Subnet", ONCE, "port"),
	FREE("Port", "hostID.serverRef", "Server", ONCE),
	GUARDED("Port", "networkRef", "Network", ONCE, "port"),
	GUARDED("Port", "projectRef", "Project", ONCE, "port"),
	GUARDED("Port", "securityGroupRefs[]", "SecurityGroup", AGAIN, "port"),
	CREDENTIALS("Project", "project"),
	IMPORT("Project", "domainRef", "Domain"),
	GUARDED("Project", "domainRef", "Domain", ONCE, "project"),
	CREDENTIALS("RoleAssignment", "roleassignment"),
	IMPORT("RoleAssignment", "domainRef", "Domain"),
	IMPORT("RoleAssignment", "groupRef", "Group"),
	IMPORT("RoleAssignment", "projectRef", "Project"),
	IMPORT("RoleAssignment", "roleRef", "Role"),
	IMPORT("RoleAssignment", "userRef", "User"),
	GUARDED("RoleAssignment", "domainRef", "Domain", ONCE, "roleassignment"),
	GUARDED("RoleAssignment", "groupRef", "Group", ONCE, "roleassignment"),
	GUARDED("RoleAssignment", "projectRef", "Project", ONCE, "roleassignment"),
	GUARDED("RoleAssignment", "roleRef", "Role", ONCE, "roleassignment"),
	GUARDED("RoleAssignment", "userRef", "User", ONCE, "roleassignment"),
	CREDENTIALS("Role", "role"),
	IMPORT("Role", "domainRef", "Domain"),
	GUARDED("Role", "domainRef", "Domain", ONCE, "role"),
	{ "RouterInterface", ORC_ROUTER_OF_INTERFACE, NULL, "Router", RELATION_NEEDS, ONCE,
	  ORC_FINALIZER "routerinterface" },
	{ "RouterInterface", ORC_SUBNET_OF_INTERFACE, NULL, "Subnet", RELATION_NEEDS,
	  REF_EXISTS | ONCE, ORC_FINALIZER "routerinterface" },
	CREDENTIALS("Router", "router"),
	IMPORT("Router", "projectRef", "Project"),
	GUARDED("Router", "externalGateways[].networkRef", "Network", ONCE, "router"),
	GUARDED("Router", "projectRef", "Project", ONCE, "router"),
	CREDENTIALS("SecurityGroup", "securitygroup"),
	IMPORT("SecurityGroup", "projectRef", "Project"),
	GUARDED("SecurityGroup", "projectRef", "Project", AGAIN, "securitygroup"),
	CREDENTIALS("ServerGroup", "servergroup"),
	CREDENTIALS("Server", "server"),
	GUARDED("Server", "bootVolume.volumeRef", "Volume", ONCE, "server"),
	FREE("Server", "flavorRef", "Flavor", ONCE),
	GUARDED("Server", "imageRef", "Image", ONCE, "server"),
	FREE("Server", "keypairRef", "KeyPair", ONCE),
	GUARDED("Server", "ports[].portRef", "Port", AGAIN, "server"),
	FREE("Server", "schedulerHints.differentHostServerRefs[]", "Server", ONCE),
	FREE("Server", "schedulerHints.sameHostServerRefs[]", "Server", ONCE),
	FREE("Server", "schedulerHints.serverGroupRef", "ServerGroup", ONCE),
	SECRET("Server", "userData.secretRef", ONCE),
	GUARDED("Server", "volumes[].volumeRef", "Volume", AGAIN, "server"),
	CREDENTIALS("Service", "service"),
	CREDENTIALS("ShareNetwork", "sharenetwork"),
	GUARDED("ShareNetwork", "networkRef", "Network", ONCE, "sharenetwork"),
	GUARDED("ShareNetwork", "subnetRef", "Subnet", ONCE, "sharenetwork"),
	CREDENTIALS("Subnet", "subnet"),
	IMPORT("Subnet", "networkRef", "Network"),
	IMPORT("Subnet", "projectRef", "Project"),
	GUARDED("Subnet", "networkRef", "Network", ONCE, "subnet"),
	GUARDED("Subnet", "projectRef", "Project", ONCE, "subnet"),
	GUARDED("Subnet", "routerRef", "Router", AGAIN, "subnet"),
	CREDENTIALS("Trunk", "trunk"),
	IMPORT("Trunk", "portRef", "Port"),
	IMPORT("Trunk", "projectRef", "Project"),
	GUARDED("Trunk", "portRef", "Port", ONCE, "trunk"),
	GUARDED("Trunk", "projectRef", "Project", ONCE, "trunk"),
	GUARDED("Trunk", "subports[].portRef", "Port", AGAIN, "trunk-subport"),
	CREDENTIALS("User", "user"),
	IMPORT("User", "domainRef", "Domain"),
	GUARDED("User", "defaultProjectRef", "Project", ONCE, "user"),
	GUARDED("User", "domainRef", "Domain", ONCE, "user"),
	SECRET("User", "passwordRef", AGAIN),
	CREDENTIALS("Volume", "volume"),
	FREE("Volume", "imageRef", "Image", ONCE),
	GUARDED("Volume", "volumeTypeRef", "VolumeType", ONCE, "volume"),
	CREDENTIALS("VolumeType", "volumetype"),
	{ 0 }
};

/* Every kind of this release; fields of other kinds are read by the convention of their names. */
static const char *const kinds[] = {
	"AddressScope", "ApplicationCredential", "Domain", "Endpoint", "Flavor", "FloatingIP",
	"Group", "Image", "KeyPair", "Network", "Port", "Project", "Role", "RoleAssignment",
	"Router", "RouterInterface", "SecurityGroup", "Server", "ServerGroup", "Service",
	"ShareNetwork", "Subnet", "Trunk", "User", "Volume", "VolumeType", NULL
};

/* Fields whose name is not that of the kind they refer to: the part before Ref or Refs. */
static const struct {
	const char *prefix, *target;
} odd_names[] = {
	{ "floatingNetwork", "Network" },   { "floatingSubnet", "Subnet" },
	{ "defaultProject", "Project" },    { "keypair", "KeyPair" },
	{ "secret", "Secret" },		    { "password", "Secret" },
	{ "cloudCredentials", "Secret" },   { "sameHostServer", "Server" },
	{ "differentHostServer", "Server" }, { NULL, NULL }
};

struct str orc_kind(struct str name)
{
	if (str_eq_nocase(name, STR("Secret")))
		return STR("Secret");
	for (size_t i = 0; kinds[i]; i++)
		if (str_eq_nocase(name, str_of(kinds[i])))
			return str_of(kinds[i]);
	return name;
}

static bool is_known(struct str kind)
{
	return str_is_any(kind, kinds);
}

/* ---- finalizers ---------------------------------------------------------- */

/* The suffix of a finalizer is its kind in lower case, except for the finalizer of subports. */
bool orc_finalizer(struct str finalizer, struct str *out_kind)
{
	struct str suffix = str_from(finalizer, sizeof(ORC_FINALIZER) - 1);

	if (!str_starts(finalizer, ORC_FINALIZER) || suffix.len == 0)
		return false;
	*out_kind = str_is(suffix, "trunk-subport") ? STR("Trunk") : orc_kind(suffix);
	return true;
}

/* The finalizer of a kind also guards objects of other kinds: on a Subnet "…/port" is the guard of a Port. */
bool orc_own_finalizer(const struct kind *kind, struct str finalizer)
{
	return str_starts(finalizer, ORC_FINALIZER) &&
	       str_eq_nocase(str_from(finalizer, sizeof(ORC_FINALIZER) - 1), kind->kind);
}

/* ---- rows ---------------------------------------------------------------- */

/* Returns true when the controller reads the field for what it does next. */
static bool is_consulted(const struct orc *o, const struct ref_rule *r)
{
	bool import = str_starts(str_of(r->path), "spec.import.");
	bool resource = str_starts(str_of(r->path), "spec.resource.");

	if (o->stopped || (o->created && !(r->flags & REF_ALWAYS)))
		return false;
	return o->unmanaged ? !resource : !import;
}

static void ref_row(struct verdict *v, const struct orc *o, const struct ref_rule *r)
{
	struct ref_rule row = *r;

	row.flags = (r->flags & ~(unsigned)REF_ALWAYS) | (is_consulted(o, r) ? REF_BLOCKS : 0);
	verdict_each(v, r->path, verdict_ref_value, &row);
}

/* ---- kinds of a newer release: by the names of the fields ---------------- */

struct scan {
	struct verdict *v;
	const struct orc *o;
};

static struct str target_of(struct arena *arena, struct str prefix)
{
	struct str name;
	char first;

	for (size_t i = 0; odd_names[i].prefix; i++)
		if (str_is(prefix, odd_names[i].prefix))
			return str_of(odd_names[i].target);
	first = prefix.ptr[0];
	if (first >= 'a' && first <= 'z')
		first = (char)(first - 'a' + 'A');
	name = ARENA_JOIN(arena, arena_printf(arena, "%c", first), str_from(prefix, 1));
	return orc_kind(name);
}

static struct str guard_of(struct verdict *v)
{
	struct str kind = verdict_kind(v)->kind;
	char *lower = arena_alloc(verdict_arena(v), kind.len + 1);

	for (size_t i = 0; i < kind.len; i++) {
		bool upper = kind.ptr[i] >= 'A' && kind.ptr[i] <= 'Z';

		lower[i] = upper ? (char)(kind.ptr[i] - 'A' + 'a') : kind.ptr[i];
	}
	return arena_printf(verdict_arena(v), ORC_FINALIZER "%s", lower);
}

/*
 * "vipSubnetRef" may name a Subnet, and a message that waits for "Subnet/x" tells that it does.  Only such a message
 * tells it: a SecurityService is no Service.
 */
static struct str target_in_text(const struct scan *s, struct str target, struct str name)
{
	struct str text = s->o->progressing ? str_head(s->o->progressing->message, LIMIT_MESSAGE) : STR_NONE;

	for (size_t i = 0; kinds[i] && !is_known(target); i++)
		if (str_ends(target, kinds[i]) &&
		    str_contains(text, arena_printf(verdict_arena(s->v), "for %s/" STR_FMT " to be",
						    kinds[i], STR_ARG(name))
					       .ptr))
			return str_of(kinds[i]);
	return target;
}

static void scan_name(const struct scan *s, struct str target, struct json value,
		      const struct field *at)
{
	struct arena *arena = verdict_arena(s->v);
	bool secret = str_is(target, "Secret");
	struct ref ref = { .relation = RELATION_NEEDS,
			   .flags = secret ? REF_EXISTS : 0,
			   .group = secret ? STR_NONE : STR(ORC_GROUP),
			   .kind = target,
			   .name = json_str(value, ""),
			   .via = field_text(arena, at) };
	struct ref_rule row = { .path = arena_str(arena, ref.via).ptr };

	if (json_is_object(value)) {
		ref.name = json_str(value, secret ? "secretName" : "name");
		if (secret && ref.name.len)
			ref.via = arena_printf(arena, STR_FMT ".secretName", STR_ARG(ref.via));
	}
	ref.kind = target_in_text(s, target, ref.name);
	if (str_is(ref.via, ORC_CREDENTIALS))
		row.flags = REF_ALWAYS;
	if (is_consulted(s->o, &row))
		ref.flags |= REF_BLOCKS;
	if (!str_starts(ref.via, "spec.import.") && (!secret || row.flags))
		ref.guard = guard_of(s->v);
	verdict_ref(s->v, ref);
}

static void scan_refs(const struct scan *s, struct json value, const struct field *at)
{
	size_t suffix = str_ends(at->key, "s") ? sizeof("Refs") - 1 : sizeof("Ref") - 1, i = 0;
	struct str target = target_of(verdict_arena(s->v), str_head(at->key, at->key.len - suffix));

	if (!json_is_array(value)) {
		scan_name(s, target, value, at);
		return;
	}
	json_foreach(it, value) {
		struct field below = { at, STR_NONE, i++, at->depth + 1 };

		if (verdict_is_full(s->v))
			return;
		scan_name(s, target, it, &below);
	}
}

static void scan_spec(const struct scan *s, struct json value, const struct field *at)
{
	size_t i = 0;

	if (at->depth > FIELD_DEPTH || verdict_is_full(s->v))
		return;
	json_foreach(it, value) {
		struct field below = { at, json_key(it), i++, at->depth + 1 };

		if ((str_ends(below.key, "Ref") && below.key.len > 3) ||
		    (str_ends(below.key, "Refs") && below.key.len > 4))
			scan_refs(s, it, &below);
		else
			scan_spec(s, it, &below);
	}
}

void orc_refs(struct verdict *v, const struct orc *o)
{
	struct scan s = { v, o };
	struct field spec = { .key = STR("spec") };

	for (const struct ref_rule *r = refs; r->path; r++)
		if (str_is(verdict_kind(v)->kind, r->kind))
			ref_row(v, o, r);
	if (!is_known(verdict_kind(v)->kind))
		scan_spec(&s, json_at(o->object, "spec"), &spec);
}

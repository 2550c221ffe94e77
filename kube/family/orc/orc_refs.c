/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What OpenStack resource controller objects refer to: other objects by their names, in their own namespace, in fields
 * that end in "Ref" or "Refs".  Most controllers guard the objects that they refer to: they put the finalizer of their own
 * kind on them.  A reference is read until the resource exists in OpenStack; few references are read again later.
 */
#include "kube/family/common/field.h"
#include "kube/family/orc/orc.h"

#include "kube/base/limits.h"

/* References that are other than most. */
static const struct odd_ref {
	const char *kind, *via;	/* via: how the field begins */
	unsigned flags;		/* REF_ALWAYS: it is read for every later change, too */
	bool free;		/* the target is not guarded */
	const char *guard;	/* NULL: the finalizer of the kind */
} odd_refs[] = {
	{ "Port", "spec.resource.hostID.serverRef", 0, true, NULL },
	{ "Port", "spec.resource.securityGroupRefs[", REF_ALWAYS, false, NULL },
	{ "RouterInterface", ORC_SUBNET_OF_INTERFACE, REF_EXISTS, false, NULL },
	{ "SecurityGroup", "spec.resource.projectRef", REF_ALWAYS, false, NULL },
	{ "Server", "spec.resource.flavorRef", 0, true, NULL },
	{ "Server", "spec.resource.keypairRef", 0, true, NULL },
	{ "Server", "spec.resource.ports[", REF_ALWAYS, false, NULL },
	{ "Server", "spec.resource.schedulerHints.", 0, true, NULL },
	{ "Server", "spec.resource.volumes[", REF_ALWAYS, false, NULL },
	{ "Subnet", "spec.resource.routerRef", REF_ALWAYS, false, NULL },
	{ "Trunk", "spec.resource.subports[", REF_ALWAYS, false, ORC_FINALIZER "trunk-subport" },
	{ "User", "spec.resource.passwordRef", REF_ALWAYS, false, NULL },
	{ "Volume", "spec.resource.imageRef", 0, true, NULL },
};

/* Every kind of this release. */
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

/* ---- fields -------------------------------------------------------------- */

/* Returns true when the controller reads the field for what it does next. */
static bool is_consulted(const struct orc *o, struct str via, unsigned flags)
{
	if (o->stopped || (o->created && !(flags & REF_ALWAYS)))
		return false;
	return o->unmanaged ? !str_starts(via, "spec.resource.") : !str_starts(via, "spec.import.");
}

static struct odd_ref odd_of(struct str kind, struct str via)
{
	if (str_is(via, ORC_CREDENTIALS))
		return (struct odd_ref){ .flags = REF_ALWAYS };
	for (size_t i = 0; i < sizeof(odd_refs) / sizeof(odd_refs[0]); i++)
		if (str_is(kind, odd_refs[i].kind) && str_starts(via, odd_refs[i].via))
			return odd_refs[i];
	return (struct odd_ref){ .flags = 0 };
}

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

	for (size_t i = 0; kinds[i] && !str_is_any(target, kinds); i++)
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
			   .name = json_str(value, ""),
			   .via = field_text(arena, at) };
	struct odd_ref odd;

	if (json_is_object(value)) {
		ref.name = json_str(value, secret ? "secretName" : "name");
		if (secret && ref.name.len)
			ref.via = arena_printf(arena, STR_FMT ".secretName", STR_ARG(ref.via));
	}
	ref.kind = target_in_text(s, target, ref.name);
	odd = odd_of(verdict_kind(s->v)->kind, ref.via);
	ref.flags |= (odd.flags & ~(unsigned)REF_ALWAYS) | (is_consulted(s->o, ref.via, odd.flags) ? REF_BLOCKS : 0);
	if (!odd.free && !str_starts(ref.via, "spec.import.") && (!secret || str_is(ref.via, ORC_CREDENTIALS)))
		ref.guard = odd.guard ? str_of(odd.guard) : guard_of(s->v);
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

	scan_spec(&s, json_at(o->object, "spec"), &spec);
}

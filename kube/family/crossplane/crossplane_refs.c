/* SPDX-License-Identifier: Apache-2.0 */
/* What Crossplane's resources refer to: composites, compositions, configurations. */
#include "kube/family/crossplane/crossplane.h"

#define EXTENSIONS "apiextensions.crossplane.io"

/* The target is a part of the object: its health is the object's health, and without it the object has none. */
#define PART (REF_HEALTH | REF_BLOCKS | REF_EXISTS)
/* The finalizer that an Object puts on the objects that it refers to, with its uid. */
#define REFERRED_BY "kubernetes.crossplane.io/referred-by-object-"
/* The target is needed, whether the object was ready before or not. */
#define INPUT (REF_BLOCKS | REF_EXISTS)

/* The composition, chosen or pinned, and the functions in the pipeline of a Composition. */
#define COMPOSITION(path, kind)                                                                    \
	{ NULL, path, EXTENSIONS, kind, RELATION_NEEDS, REF_BLOCKS | REF_CLUSTER, NULL }

/* The credentials of a provider: the objects that use them say when they are missing. */
#define CREDENTIALS(kind, path) { kind, path, "", "Secret", RELATION_NEEDS, 0, NULL }

const struct ref_rule crossplane_ref_rows[] = {
	COMPOSITION("spec.compositionRef", "Composition"),
	COMPOSITION("spec.compositionRevisionRef", "CompositionRevision"),
	COMPOSITION("spec.crossplane.compositionRef", "Composition"),
	COMPOSITION("spec.crossplane.compositionRevisionRef", "CompositionRevision"),
	CREDENTIALS("ProviderConfig", "spec.credentials.secretRef"),
	CREDENTIALS("ProviderConfig", "spec.identity.secretRef"),
	CREDENTIALS("ClusterProviderConfig", "spec.credentials.secretRef"),
	CREDENTIALS("ClusterProviderConfig", "spec.identity.secretRef"),
	{ NULL, "spec.pipeline[].functionRef", "pkg.crossplane.io", "Function", RELATION_NEEDS,
	  REF_HEALTH | REF_CLUSTER, NULL },
	{ 0 },
};

int crossplane_count(struct json from, const char *path, int absent)
{
	int64_t n = json_int(from, path, absent);

	return n >= 0 && n <= INT32_MAX ? (int)n : absent;
}

/* A reference with apiVersion and kind of its own. */
static void typed_ref(struct verdict *v, struct json value, struct str via, const void *arg)
{
	const struct ref *like = arg;
	struct ref ref = *like;

	ref.kind = json_str(value, "kind");
	ref.group = verdict_group_of(json_str(value, "apiVersion"));
	ref.ns = json_str(value, "namespace");
	ref.name = json_str(value, "name");
	ref.via = arena_str(verdict_arena(v), via);
	if (ref.kind.len)
		verdict_ref(v, ref);
}

void crossplane_links(struct verdict *v)
{
	static const struct {
		const char *path;
		struct ref like;
	} links[] = {
		{ "spec.resourceRef",
		  { .relation = RELATION_MANAGES, .flags = PART | REF_CLUSTER } },
		{ "spec.resourceRefs[]", { .relation = RELATION_MANAGES, .flags = PART } },
		{ "spec.crossplane.resourceRefs[]",
		  { .relation = RELATION_MANAGES, .flags = PART } },
		{ "spec.claimRef", { .relation = RELATION_OWNS, .flags = REF_CONTROLLER } },
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		verdict_each(v, links[i].path, typed_ref, &links[i].like);
}

/* ---- managed resources ----------------------------------------------------- */

/*
 * Providers divide their API by service ("s3.aws.upbound.io") and keep the configuration in the group above
 * ("aws.upbound.io"); "m" marks the generation with namespaces.
 */
static struct str provider_group(struct str group)
{
	static const char *const domains[] = { ".upbound.io", ".crossplane.io" };

	for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++) {
		struct str labels, last;
		size_t dot;

		if (!str_ends(group, domains[i]))
			continue;
		labels = str_head(group, group.len - str_of(domains[i]).len);
		dot = str_rfind(labels, '.');
		last = dot < labels.len ? str_from(labels, dot + 1) : labels;
		if (str_is(last, "sql"))
			return group;
		if (dot < labels.len && (str_is(last, "m") || str_is(last, "jet")))
			dot = str_rfind(str_head(labels, dot), '.');
		if (dot < labels.len && labels.ptr[dot] == '.')
			return str_from(group, dot + 1);
		return group;
	}
	return group;
}

static void config_ref(struct verdict *v)
{
	struct json value = json_at(verdict_object(v), "spec.providerConfigRef");
	struct str kind = json_str(value, "kind"), group = verdict_kind(v)->group;
	bool own = str_is(kind, "") || str_is(kind, "ProviderConfig");
	/* Only the generation with namespaces names the kind in the reference; its ProviderConfig has a namespace. */
	bool cluster = !own || verdict_namespace(v).len == 0;

	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.flags = INPUT | REF_ALWAYS | (cluster ? REF_CLUSTER : 0),
		.group = provider_group(group),
		.kind = kind.len ? kind : STR("ProviderConfig"),
		.name = json_str(value, "name"),
		.via = STR("spec.providerConfigRef"),
	});
}

static void secret_ref(struct verdict *v, struct json value, struct str via)
{
	bool secret = str_ends(via, "SecretRef") || str_ends(via, "secretKeyRef");

	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.flags = json_bool(value, "optional", false) ? 0 : INPUT,
		.kind = secret ? STR("Secret") : STR("ConfigMap"),
		.ns = json_str(value, "namespace"),
		.name = json_str(value, "name"),
		.via = arena_str(verdict_arena(v), via),
	});
}

/* Every provider names the fields of its inputs fooSecretRef, at the first level of forProvider. */
static void input_refs(struct verdict *v)
{
	struct arena *arena = verdict_arena(v);

	json_foreach(it, json_at(verdict_object(v), "spec.forProvider")) {
		struct str key = json_key(it);

		if (str_ends(key, "SecretRef") && json_is_object(it))
			secret_ref(v, it,
				   arena_printf(arena, "spec.forProvider." STR_FMT, STR_ARG(key)));
	}
}

/* ---- other managed resources, by the names of fields ------------------------ */

enum { FIELDS_DEEP = 6 };

/* A field that refers to other objects. */
struct field {
	struct str stem, via;
	bool resolved;
};

static struct str without(struct str s, const char *ending)
{
	return str_ends(s, ending) ? str_head(s, s.len - str_of(ending).len) : s;
}

/* Returns "subnet" for subnetIdRef and subnetIdRefs, "role" for roleArnRef; "" for a field that is no reference. */
static struct str stem_of(struct str field)
{
	static const char *const parts[] = { "Ids", "Id", "IDs", "ID", "Arns", "Arn", "ARN",
					     "Names", "Name", "SelfLink", "Link", "Url" };
	struct str stem = without(field, str_ends(field, "Refs") ? "Refs" : "Ref");

	if (stem.len == field.len || str_ends(stem, "Secret"))
		return STR_NONE;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (stem.len > str_of(parts[i]).len && str_ends(stem, parts[i]))
			return without(stem, parts[i]);
	return stem;
}

/*
 * The field beside the reference (vpcId beside vpcIdRef, subnetIds beside subnetIdRefs) is filled in when the target
 * was found.
 */
static bool is_resolved(struct json fields, struct str field)
{
	bool many = str_ends(field, "Refs");
	struct str stem = without(field, many ? "Refs" : "Ref");

	json_foreach(it, fields) {
		struct str key = json_key(it);

		if (key.len >= stem.len && str_eq(str_head(key, stem.len), stem) &&
		    str_is(str_from(key, stem.len), many ? "s" : ""))
			return json_str(it, "").len || json_count(it) > 0;
	}
	return false;
}

/* The object needs the external name of the target, which the target has when it is ready. */
static void field_ref(struct verdict *v, struct json value, struct field field)
{
	struct str stem = field.stem, via = field.via;
	struct str kind = json_str(value, "kind"), api = json_str(value, "apiVersion");
	char first = stem.ptr[0];

	if (first >= 'a' && first <= 'z')
		first = (char)(first - 'a' + 'A');
	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.flags = (field.resolved ? 0U : (unsigned)REF_BLOCKS) |
			 (api.len ? 0U : (unsigned)REF_NEAR_GROUP),
		.group = api.len ? verdict_group_of(api) : verdict_kind(v)->group,
		.kind = kind.len ? kind :
				   ARENA_JOIN(verdict_arena(v), arena_printf(verdict_arena(v), "%c", first), str_from(stem, 1)),
		.ns = json_str(value, "namespace"),
		.name = json_str(value, "name"),
		.via = via,
	});
}

static void field_ref_list(struct verdict *v, struct json list, struct field field)
{
	struct str via = field.via;
	size_t i = 0;

	json_foreach(it, list) {
		field.via = arena_printf(verdict_arena(v), STR_FMT "[%zu]", STR_ARG(via), i++);
		field_ref(v, it, field);
	}
}

static void field_refs(struct verdict *v, struct json in, struct str via, int depth)
{
	struct arena *arena = verdict_arena(v);
	bool list = json_is_array(in);
	size_t i = 0;

	if (depth == FIELDS_DEEP)
		return;
	json_foreach(it, in) {
		struct str at = list ? arena_printf(arena, STR_FMT "[%zu]", STR_ARG(via), i++) :
				       ARENA_JOIN(arena, via, STR("."), json_key(it));
		struct field field = { list ? STR_NONE : stem_of(json_key(it)), at, false };

		if (field.stem.len)
			field.resolved = is_resolved(in, json_key(it));
		if (field.stem.len && json_is_object(it))
			field_ref(v, it, field);
		else if (field.stem.len && json_is_array(it))
			field_ref_list(v, it, field);
		else if (json_is_object(it) || json_is_array(it))
			field_refs(v, it, at, depth + 1);
	}
}

/* ---- provider-helm --------------------------------------------------------- */

/* Adds secretKeyRef and configMapKeyRef of one source of values. */
static void key_refs(struct verdict *v, struct json source, struct str via, const void *arg)
{
	(void)arg;
	json_foreach(it, source) {
		struct str key = json_key(it);

		if (str_is(key, "secretKeyRef") || str_is(key, "configMapKeyRef"))
			secret_ref(v, it,
				   arena_printf(verdict_arena(v), STR_FMT "." STR_FMT, STR_ARG(via),
						STR_ARG(key)));
	}
}

static void release_refs(struct verdict *v)
{
	static const char *const sources[] = {
		"spec.forProvider.valuesFrom[]",
		"spec.forProvider.set[].valueFrom",
		"spec.forProvider.patchesFrom[]",
	};
	struct json forced = json_at(verdict_object(v), "spec.forProvider");

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		verdict_each(v, sources[i], key_refs, NULL);
	if (json_is_object(json_at(forced, "chart.pullSecretRef")))
		secret_ref(v, json_at(forced, "chart.pullSecretRef"),
			   STR("spec.forProvider.chart.pullSecretRef"));
	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.flags = REF_CLUSTER |
			 (json_bool(forced, "skipCreateNamespace", false) ? INPUT : 0) |
			 REF_CONTENTS,
		.kind = STR("Namespace"),
		.name = json_str(forced, "namespace"),
		.via = STR("spec.forProvider.namespace"),
	});
	/* This name is no object: it leads to the pods of the release. */
	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.flags = REF_HIDDEN | REF_CLUSTER,
		.group = STR("helm.sh"),
		.kind = STR("Release"),
		.name = json_str(verdict_object(v), CROSSPLANE_EXTERNAL_NAME),
		.via = STR(CROSSPLANE_EXTERNAL_NAME),
	});
}

/* ---- provider-kubernetes --------------------------------------------------- */

/* The provider only reads what the object refers to, so the target needs only to exist. */
static void object_reference(struct verdict *v, struct json value, struct str via, const void *arg)
{
	struct str api = json_str(value, "apiVersion"), kind = json_str(value, "kind");
	struct str uid = json_str(verdict_object(v), "metadata.uid");
	struct arena *arena = verdict_arena(v);
	(void)arg;

	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.flags = INPUT,
		.group = api.len ? verdict_group_of(api) : verdict_kind(v)->group,
		.kind = kind.len ? kind : STR("Object"),
		.ns = json_str(value, "namespace"),
		.name = json_str(value, "name"),
		.via = arena_str(arena, via),
		.guard = uid.len ? arena_printf(arena, REFERRED_BY STR_FMT,
						STR_ARG(uid)) :
				   STR_NONE,
	});
}

static void object_refs(struct verdict *v)
{
	struct json object = verdict_object(v),
		    wrapped = json_at(object, "spec.forProvider.manifest");
	struct str name = json_str(wrapped, "metadata.name");

	verdict_each(v, "spec.references[].dependsOn", object_reference, NULL);
	verdict_each(v, "spec.references[].patchesFrom", object_reference, NULL);
	if (!name.len)
		name = json_str(object, CROSSPLANE_EXTERNAL_NAME);
	if (!json_str(wrapped, "kind").len || str_is(json_str(wrapped, "kind"), "Secret"))
		return;
	verdict_ref(v, (struct ref){
		.relation = RELATION_MANAGES,
		.group = verdict_group_of(json_str(wrapped, "apiVersion")),
		.kind = json_str(wrapped, "kind"),
		.ns = json_str(wrapped, "metadata.namespace"),
		.name = name,
		.via = STR("spec.forProvider.manifest"),
	});
}

void crossplane_managed_refs(struct verdict *v)
{
	const struct kind *kind = verdict_kind(v);

	config_ref(v);
	input_refs(v);
	if (str_is(kind->kind, "Release") && str_starts(kind->group, "helm."))
		release_refs(v);
	else if (str_is(kind->kind, "Object") && str_starts(kind->group, "kubernetes."))
		object_refs(v);
	else
		field_refs(v, json_at(verdict_object(v), "spec.forProvider"),
			   STR("spec.forProvider"), 0);
}

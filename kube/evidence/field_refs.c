/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References of kinds that nobody described, by the names of their fields:
 * fooRef, fooRefs, fooReference, secretName, {apiVersion, kind, name}.  They
 * are edges to look along; they hold nothing up unless the object says so.
 */
#include "kube/evidence/evidence.h"
#include "kube/evidence/pod_selector.h"
#include "kube/evidence/word_lists.h"

#include "kube/base/limits.h"

#include <string.h>

enum {
	MAX_REFS = 24,
	MAX_DEPTH = 7,
	VIA_KEY = 317	/* bytes of a key in via, which is copied for each value below: no label has a longer one */
};

/* Fields that hold a name, or a map with one, of a kind of Kubernetes itself. */
static const struct name_row {
	const char *field, *group, *kind;
	unsigned flags;
} names[] = {
	{ "secretName", "", "Secret", REF_EXISTS },
	{ "secretRef", "", "Secret", REF_EXISTS },
	{ "secretKeyRef", "", "Secret", REF_EXISTS },
	{ "configMapName", "", "ConfigMap", REF_EXISTS },
	{ "configMapRef", "", "ConfigMap", REF_EXISTS },
	{ "configMapKeyRef", "", "ConfigMap", REF_EXISTS },
	{ "serviceAccountName", "", "ServiceAccount", REF_EXISTS },
	{ "serviceAccountRef", "", "ServiceAccount", REF_EXISTS },
	{ "claimName", "", "PersistentVolumeClaim", 0 },
	{ "persistentVolumeClaimName", "", "PersistentVolumeClaim", 0 },
	{ "storageClassName", "storage.k8s.io", "StorageClass", REF_EXISTS },
	{ "serviceRef", "", "Service", 0 },
	{ "nodeRef", "", "Node", 0 },
	{ "namespaceRef", "", "Namespace", REF_EXISTS },
	{ "nodeName", "", "Node", 0 },
	{ "ingressClassName", "networking.k8s.io", "IngressClass", REF_EXISTS },
	{ "priorityClassName", "scheduling.k8s.io", "PriorityClass", REF_EXISTS },
	{ "runtimeClassName", "node.k8s.io", "RuntimeClass", REF_EXISTS },
	{ "snapshotClassName", "snapshot.storage.k8s.io", "VolumeSnapshotClass", REF_EXISTS },
	{ "imagePullSecrets", "", "Secret", REF_EXISTS },
	{ "secretSelector", "", "Secret", REF_EXISTS },
	{ "configMapSelector", "", "ConfigMap", REF_EXISTS },
	{ "secretKeySelector", "", "Secret", REF_EXISTS },
	{ "configMapKeySelector", "", "ConfigMap", REF_EXISTS },
};

/* The same where a map with a name stands; as text it would be something else, even a password. */
static const struct name_row maps[] = {
	{ "secret", "", "Secret", REF_EXISTS },
	{ "configMap", "", "ConfigMap", REF_EXISTS },
};

bool evidence_could_not_get(struct str message)
{
	for (const char *const *not = list_could_not; *not; not++) {
		struct str verb = str_from(message, str_find_str(message, *not)), word;

		verb = str_from(verb, str_of(*not).len);
		if (str_split(&verb, ' ', &word) && str_is_any(word, list_could_not_get))
			return true;
	}
	return false;
}

struct place {
	struct verdict *v;
	struct str via;	    /* the field so far */
	struct str message; /* why the object is not at its goal, in its own words */
	int depth;
	size_t *found;
	bool *absent;	    /* the message says of one of them that it does not exist */
	bool tried;	    /* the message says that something could not be got */
};

/* {name: a}, and not {matchLabels: ...} or labels that happen to have a "name". */
static bool is_named_map(struct json value)
{
	return json_str(value, "name").len && (json_has(value, "key") || json_count(value) == 1 ||
					       json_has(value, "items") ||
					       json_has(value, "optional") ||
					       json_has(value, "namespace"));
}

static const struct name_row *row_of_map(struct str key, struct json value)
{
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		if (str_is(key, maps[i].field) && json_is_object(value) && is_named_map(value))
			return &maps[i];
	return NULL;
}

static const struct name_row *row_of(struct str key)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_is(key, names[i].field))
			return &names[i];
	/* passwordSecretRef, caConfigMapRef, adminSecretName, ... */
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i].field);

		if (key.len > n &&
		    str_eq_nocase(str_from(key, key.len - n), str_of(names[i].field)))
			return &names[i];
	}
	return NULL;
}

/* "issuer" of issuerRef, issuerRefs, issuerReference; "" when the key is no reference. */
static struct str stem_of(struct str key)
{
	for (const char *const *e = list_stem_of; *e; e++)
		if (key.len > strlen(*e) && str_ends(key, *e))
			return str_head(key, key.len - strlen(*e));
	return STR_NONE;
}

/* The kind that a field is named after: "Issuer" of issuerRef, "" when its name tells a role. */
static struct str kind_by_stem(struct arena *a, struct str stem)
{
	struct str kind;
	char *first;

	if (str_is_any(stem, list_roles))
		return STR_NONE;
	kind = arena_printf(a, STR_FMT, STR_ARG(stem));
	first = arena_alloc(a, kind.len + 1);
	memcpy(first, kind.ptr, kind.len);
	if (first[0] >= 'a' && first[0] <= 'z')
		first[0] = (char)(first[0] - 'a' + 'A');
	return (struct str){ first, kind.len };
}

/* "classRef" of a Cluster: the only kind of its group whose name ends so is meant, where no kind has just that name. */
static void settle_stem(const struct place *p, struct ref *ref)
{
	const struct kinds *kinds = verdict_kinds(p->v);
	struct str own = verdict_kind(p->v)->group;
	const struct kind *kind = kinds_find(kinds, own, ref->kind);

	if ((kind && kind->version.len) || ref->kind.len == 0)
		return;
	/* "dnsRecordRef" of a DNSRecord */
	kind = kinds_find_nocase(kinds, own, ref->kind);
	if (!kind || !kind->version.len)
		kind = kinds_called(kinds, ref->kind, STR_NONE, own) ? NULL : kinds_ending(kinds, ref->kind, own);
	if (!kind)
		return;
	ref->kind = kind->kind;
	ref->group = kind->group;
	ref->flags &= ~(unsigned)REF_ANY_GROUP;
}

/*
 * The kind of the object's own group that a field is named after: a text "clusterName" anywhere, "cluster" only at the
 * top of the spec, or a map cluster: {name: a}.  NULL: there is none.
 */
static const struct kind *kind_of_name(const struct place *p, struct str key, struct json value)
{
	enum { LONGEST_KIND = 63 };
	const struct kind *own = verdict_kind(p->v), *kind;
	char name[LONGEST_KIND];

	if (json_type(value) == JSON_STRING && key.len > 4 && str_ends(key, "Name"))
		key.len -= 4;
	else if (json_type(value) == JSON_STRING ? p->depth < MAX_DEPTH : !json_is_object(value) || !is_named_map(value))
		return NULL;
	if (key.len == 0 || key.len > LONGEST_KIND || key.ptr[0] < 'a' || key.ptr[0] > 'z')
		return NULL;
	memcpy(name, key.ptr, key.len);
	name[0] = (char)(name[0] - 'a' + 'A');
	kind = kinds_find_nocase(verdict_kinds(p->v), own->group, (struct str){ name, key.len });
	/* the only kind of the group that is a cluster of something */
	if ((!kind || !kind->version.len) && str_is(key, "cluster") && own->group.len)
		kind = kinds_ending(verdict_kinds(p->v), STR("Cluster"), own->group);
	return kind && kind->version.len && kind != own && own->group.len ? kind : NULL;
}

/* Fills what value itself tells: name, namespace, kind, group. */
static void read_target(struct json value, struct ref *ref)
{
	/* AWS controllers: {from: {name: a}} */
	if (json_is_object(json_at(value, "from")) && json_str(value, "name").len == 0)
		value = json_at(value, "from");
	/* what else is needed stands beside it: {ref: {name: a}, listenerName: b} */
	if (json_is_object(json_at(value, "ref")) && json_str(value, "name").len == 0)
		value = json_at(value, "ref");
	ref->name = json_str(value, "").len ? json_str(value, "") : json_str(value, "name");
	ref->ns = json_str(value, "namespace");
	if (json_str(value, "kind").len == 0)
		return;
	ref->kind = json_str(value, "kind");
	ref->flags &= ~(unsigned)(REF_ANY_KIND | REF_ANY_GROUP);
	if (json_str(value, "apiVersion").len)
		ref->group = verdict_group_of(json_str(value, "apiVersion"));
	else if (json_type(json_at(value, "group")) == JSON_STRING)
		ref->group = json_str(value, "group");
	else if (json_type(json_at(value, "apiGroup")) == JSON_STRING)
		ref->group = json_str(value, "apiGroup");
	else
		ref->flags |= REF_ANY_GROUP;
}

static bool in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_';
}

/* Where name stands alone, in quotes or after a '/' or ':'; a bare word could be any word. */
static size_t find_name(struct str message, struct str name)
{
	for (size_t at = 0; at + name.len <= message.len; at++) {
		char before = at ? message.ptr[at - 1] : ' ';
		size_t end = at + name.len;
		char after = end < message.len ? message.ptr[end] : ' ';

		if (!str_eq(str_head(str_from(message, at), name.len), name))
			continue;
		if (in_name(before) || (in_name(after) && after != '.'))
			continue;
		if (before == '"' || before == '\'' || before == '`' || before == '/' ||
		    before == ':' || name.len >= 8)
			return at;
	}
	return message.len;
}

/* "... not found", right behind the name, or "no such secret ..." right before it. */
static bool calls_absent(struct str message, size_t at, size_t len)
{
	struct str tail = str_from(message, at + len), head;
	size_t from = at > 60 ? at - 60 : 0;

	while (tail.len && (tail.ptr[0] == '"' || tail.ptr[0] == '\'' || tail.ptr[0] == '`' ||
			    tail.ptr[0] == ' ' || tail.ptr[0] == ':'))
		tail = str_from(tail, 1);
	if (str_starts_any(tail, list_absent))
		return true;
	head = str_head(str_from(message, from), at - from);
	for (size_t i = 0; i < head.len; i++)
		if (str_starts_any(str_from(head, i), list_absent_before) &&
		    str_find(str_from(head, i), ',') + i >= head.len &&
		    str_find(str_from(head, i), ';') + i >= head.len)
			return true;
	return false;
}

/* s without word at its end, and without the quotes, slashes and blanks that are left there. */
static struct str without(struct str s, struct str word)
{
	if (word.len && s.len > word.len &&
	    str_eq_nocase(str_from(s, s.len - word.len), word) &&
	    !in_name(s.ptr[s.len - word.len - 1]))
		s.len -= word.len;
	while (s.len && strchr(" \"'`/", s.ptr[s.len - 1]))
		s.len--;
	return s;
}

/* "Creating Secret shop/db": it is at work on it, and waits for nobody. */
static bool is_being_made(const struct place *p, const struct ref *ref, size_t at)
{
	struct str before = without(str_head(p->message, at), STR_NONE);

	before = without(before, ref->ns.len ? ref->ns : verdict_namespace(p->v));
	return str_ends_any_nocase(without(before, ref->kind), list_being_made);
}

/* The name of the field, "clusterRef", only suggests a kind: the message that names the object knows it better. */
static void take_kind_of_message(const struct place *p, struct ref *ref)
{
	size_t at = ref->name.len ? find_name(p->message, ref->name) : p->message.len;
	struct str word = at < p->message.len ? mentions_kind_before(p->message, at) : STR_NONE;

	if (word.len && !kinds_called(verdict_kinds(p->v), word, STR_NONE, verdict_kind(p->v)->group))
		ref->kind = word;
}

static void add(const struct place *p, struct ref ref)
{
	size_t at;

	if (ref.name.len == 0 || ref.name.len > 253 || *p->found >= MAX_REFS)
		return;
	ref.relation = RELATION_NEEDS;
	ref.via = p->via;
	++*p->found;
	at = find_name(p->message, ref.name);
	if (p->tried && ref.group.len == 0 && (ref.flags & REF_EXISTS))
		ref.flags |= REF_BLOCKS; /* the Secret that is to be read */
	if (at >= p->message.len || is_being_made(p, &ref, at)) {
		/* a row of the family knows better what stands there */
		if (!verdict_has_ref_via(p->v, p->via))
			verdict_ref(p->v, ref);
		return;
	}
	if (ref.flags & REF_GUESSED)
		ref.flags &= ~(unsigned)(REF_IF_FOUND | REF_EXISTS);
	ref.flags |= REF_BLOCKS;
	ref.message = p->message;
	if (calls_absent(p->message, at, ref.name.len)) {
		ref.flags |= REF_REPORTED_MISSING;
		*p->absent = true;
	}
	verdict_waits_for(p->v, ref);
}

static bool is_triple(struct json value)
{
	return json_str(value, "kind").len && json_str(value, "name").len &&
	       (json_str(value, "apiVersion").len || json_str(value, "apiGroup").len ||
		json_str(value, "group").len);
}

/* {kind: Builder, name: java}, perhaps with a namespace, and nothing else: an object of a kind in any group. */
static bool is_pair(struct json value)
{
	struct str kind = json_str(value, "kind");

	return kind.len && kind.ptr[0] >= 'A' && kind.ptr[0] <= 'Z' && json_str(value, "name").len &&
	       json_count(value) == (json_has(value, "namespace") ? 3 : 2);
}

/* "backupRef" of a Database, where its group has a kind Backup. */
static bool is_of_own_group(const struct place *p, const struct ref *ref)
{
	struct str own = verdict_kind(p->v)->group;
	const struct kind *kind = own.len && ref->kind.len ? kinds_find(verdict_kinds(p->v), own, ref->kind) : NULL;

	return kind && kind->version.len && kind != verdict_kind(p->v);
}

static void one_reference(const struct place *p, struct json value, struct str key)
{
	const struct name_row *row = row_of(key);
	struct ref ref = { .group = STR_NONE };
	struct str stem;

	if (json_bool(value, "optional", false))
		return;
	if (!row)
		row = row_of_map(key, value);
	if (row) {
		ref.group = str_of(row->group);
		ref.kind = str_of(row->kind);
		ref.flags = row->flags;
	} else {
		stem = stem_of(key);
		ref.kind = kind_by_stem(verdict_arena(p->v), stem);
		ref.flags = ref.kind.len ? REF_ANY_GROUP : REF_ANY_GROUP | REF_ANY_KIND;
		if (json_str(value, "kind").len == 0)
			settle_stem(p, &ref);
	}
	read_target(value, &ref);
	if (!row && ref.kind.len && (ref.flags & REF_ANY_GROUP) && json_str(value, "kind").len == 0)
		take_kind_of_message(p, &ref);
	/* exactly that object is meant, by three fields or by the name of its field: nothing goes on before it is there */
	if (is_triple(value) || (!row && is_of_own_group(p, &ref)))
		ref.flags |= ref.flags & REF_EXISTS ? REF_BLOCKS : REF_BLOCKS | REF_EXISTS | REF_GUESSED;
	if (verdict_has_ref_via(p->v, p->via))
		ref.flags |= REF_ANY_GROUP | REF_ANY_KIND;
	add(p, ref);
}

/*
 * A text is the name of an object, perhaps: it is a reference only where there is one, or the message says that there is
 * none.  A map with a name is one.
 */
static void by_name(const struct place *p, struct json value, const struct kind *kind)
{
	struct ref ref = { .group = kind->group, .kind = kind->kind };

	ref.flags = REF_GUESSED | (json_is_object(value) ? REF_BLOCKS | REF_EXISTS : REF_IF_FOUND);
	read_target(value, &ref);
	add(p, ref);
}

static struct place below(const struct place *p, struct json member, size_t index)
{
	struct place next = *p;
	struct arena *a = verdict_arena(p->v);

	next.depth--;
	if (json_key(member).len)
		next.via = ARENA_JOIN(a, p->via, STR("."), str_head(json_key(member), VIA_KEY));
	else
		next.via = arena_printf(a, STR_FMT "[%zu]", STR_ARG(p->via), index);
	return next;
}

static void each_reference(const struct place *p, struct json array, struct str key)
{
	size_t index = 0;

	json_foreach(element, array)
	{
		struct place next;

		if (*p->found >= MAX_REFS)
			return;
		next = below(p, element, index++);
		one_reference(&next, element, key);
	}
}

/* What goes before it: others of its own kind by their names, dependsOn: [{name: first}], or of the kind that stands there. */
static void each_before_it(const struct place *p, struct json list)
{
	const struct kind *own = verdict_kind(p->v);
	size_t index = 0;

	json_foreach(element, list)
	{
		struct place next = below(p, element, index++);
		struct ref ref = { .relation = RELATION_NEEDS, .flags = REF_BLOCKS | REF_IF_FOUND, .group = own->group, .kind = own->kind,
				   .via = next.via };

		read_target(element, &ref);
		if (ref.name.len && !(str_eq(ref.name, verdict_name(p->v)) && str_eq(ref.kind, own->kind)))
			verdict_ref(p->v, ref);
	}
}

static void search(const struct place *p, struct json at)
{
	size_t index = 0;

	if (p->depth == 0)
		return;
	json_foreach(it, at)
	{
		struct str key = json_key(it);
		bool names_one = key.len && (row_of(key) || stem_of(key).len || row_of_map(key, it));
		const struct kind *named;
		struct place next;

		if (*p->found >= MAX_REFS)
			return;
		named = names_one ? NULL : kind_of_name(p, key, it);
		if (!names_one && !named && json_type(it) != JSON_OBJECT && json_type(it) != JSON_ARRAY) {
			index++;
			continue;
		}
		next = below(p, it, index++);
		if (str_is(key, "podSelector") || str_is(key, "workloadSelector"))
			selector_refers(p->v, it, next.via);
		else if (str_is(key, "dependsOn") && json_is_array(it) && p->depth == MAX_DEPTH) {
			each_before_it(&next, it);
		} else if (named) {
			by_name(&next, it, named);
		} else if (names_one && json_is_array(it)) {
			each_reference(&next, it, key);
		} else if (names_one) {
			one_reference(&next, it, key);
		} else if (is_triple(it) || is_pair(it)) {
			one_reference(&next, it, STR_NONE);
		} else {
			search(&next, it);
		}
	}
}

bool evidence_refs(struct verdict *v, struct str message)
{
	size_t found = 0;
	bool absent = false;
	/* each reference is searched for in what is kept of the message */
	struct place p = { v, STR("spec"), str_head(message, LIMIT_MESSAGE), MAX_DEPTH, &found, &absent, evidence_could_not_get(message) };

	search(&p, json_at(verdict_object(v), "spec"));
	return absent;
}

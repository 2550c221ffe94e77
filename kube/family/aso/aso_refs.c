/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an Azure resource refers to, and which of these references its condition means: the conditions of the operator
 * name objects only in their messages.
 */
#include "kube/family/aso/aso.h"

#include "kube/base/limits.h"
#include "kube/family/common/field.h"

/* ---- words in messages -------------------------------------------------- */

static bool is_separator(char c)
{
	const struct str separators = STR(" \t\n\"'\\,;:()[]{}");

	return str_find(separators, c) < separators.len;
}

/* Takes the next word of a sentence, without quotes and without the full stop. */
static bool next_word(struct str *rest, struct str *out)
{
	size_t from = 0, end;

	while (from < rest->len && is_separator(rest->ptr[from]))
		from++;
	end = from;
	while (end < rest->len && !is_separator(rest->ptr[end]))
		end++;
	*out = str_head(str_from(*rest, from), end - from);
	*rest = str_from(*rest, end);
	if (str_ends(*out, "."))
		*out = str_head(*out, out->len - 1);
	return end > from;
}

static bool begins_upper(struct str s)
{
	return s.len && is_upper(s.ptr[0]);
}

/* Reads "network.azure.com/VirtualNetwork" or "VirtualNetwork.network.azure.com", written as one word. */
static bool split_kind(struct str word, struct str *out_group, struct str *out_kind)
{
	size_t slash = str_find(word, '/'), cut = slash < word.len ? slash : str_find(word, '.');
	struct str head = str_head(word, cut), tail = str_from(word, cut + 1);
	struct str group = slash < word.len ? head : tail, kind = slash < word.len ? tail : head;

	/* Reads "network.azure.com/VirtualNetwork/name". */
	kind = str_head(kind, str_find(kind, '/'));
	if (!begins_upper(kind) || !str_contains(group, "."))
		return false;
	*out_group = group;
	*out_kind = kind;
	return true;
}

/* The same is also written as  Group: "network.azure.com", Kind: "VirtualNetwork". */
static bool next_kind(struct str *rest, struct str *out_group, struct str *out_kind)
{
	struct str word, before = STR_NONE, group = STR_NONE;

	for (; next_word(rest, &word); before = word) {
		if (split_kind(word, out_group, out_kind))
			return true;
		if (str_eq_nocase(before, STR("Group")) && str_contains(word, "."))
			group = word;
		if (group.len == 0 || !str_eq_nocase(before, STR("Kind")) || !begins_upper(word))
			continue;
		*out_group = group;
		*out_kind = word;
		return true;
	}
	return false;
}

enum kind_named { NAMES_NO_KIND,
		  NAMES_OTHER_KINDS,
		  NAMES_THIS_KIND };

/* Returns true when the message names the kind of ref. */
static enum kind_named kind_named_in(struct str message, const struct ref *ref)
{
	enum kind_named named = NAMES_NO_KIND;
	struct str group, kind;

	while (next_kind(&message, &group, &kind)) {
		if (str_eq(group, ref->group) && str_eq(kind, ref->kind))
			return NAMES_THIS_KIND;
		named = NAMES_OTHER_KINDS;
	}
	return named;
}

bool aso_names_key(struct str message)
{
	struct str word;

	while (next_word(&message, &word))
		if (str_eq_nocase(word, STR("key")) || str_eq_nocase(word, STR("keys")))
			return true;
	return false;
}

/* Words behind which no name of an object stands, but the name of a part, of a place or of a kind. */
static bool names_no_object(struct str before)
{
	static const char *const words[] = { "key", "keys", "namespace", "group", "kind", NULL };

	return str_is_any_nocase(before, words);
}

/* Returns true when name is a word of the message, alone or as "namespace/name". */
static bool message_names(struct str message, struct str name)
{
	struct str word, before = STR_NONE;

	for (; next_word(&message, &word); before = word) {
		if (str_eq(word, name) && !names_no_object(before))
			return true;
		if (str_eq(str_from(word, str_rfind(word, '/') + 1), name) && !str_eq(word, name))
			return true;
	}
	return false;
}

/*
 * Returns true for a name that Kubernetes allows: camelCase is a field, and a word with several slashes is an id of
 * Azure.
 */
static bool is_object_name(struct str word)
{
	for (size_t i = 0; i < word.len; i++) {
		char c = word.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '.')
			return false;
	}
	return word.len > 0;
}

/* Returns true when name, or its beginning, stands in quotes that do not begin a quoted sentence. */
static bool is_quoted(struct str message, struct str word)
{
	const struct str after = STR("\"\\,");
	size_t at = (size_t)(word.ptr - message.ptr), end = at + word.len;

	return at > 0 && message.ptr[at - 1] == '"' && end < message.len &&
	       str_find(after, message.ptr[end]) < after.len;
}

/* Returns the first "namespace/name" of a message, or else its first quoted name. */
static struct str name_in_message(struct str message, struct str ns)
{
	struct str rest = message, word, before = STR_NONE, quoted = STR_NONE;

	for (; next_word(&rest, &word); before = word) {
		size_t slash = str_find(word, '/');
		struct str name = str_from(word, slash + 1);

		if (slash < word.len && str_eq(str_head(word, slash), ns) && is_object_name(name))
			return name;
		if (quoted.len == 0 && is_object_name(word) && is_quoted(message, word) &&
		    !names_no_object(before))
			quoted = word;
	}
	return quoted;
}

/* The message usually says "cannot be found"; the same reasons also stand for "not ready" and for a missing key. */
static unsigned named_flags(enum aso_reading reading, struct str message)
{
	bool there = reading == ASO_BLOCKED || str_contains_nocase(message, "not ready") ||
		     str_contains_nocase(message, "does not contain") ||
		     str_contains_nocase(message, "doesn't contain");

	return there ? REF_NAMED : REF_NAMED | REF_REPORTED_MISSING;
}

/* ---- what the spec refers to -------------------------------------------- */

/* References are collected first: which of them a condition means is known only when all were read. */
struct found {
	struct verdict *v;
	struct ref *refs;
	size_t n, room;
};

static bool add(struct found *f, struct ref ref)
{
	if (f->n == LIMIT_REFS || ref.name.len == 0)
		return false;
	f->refs = arena_grow(verdict_arena(f->v), f->refs, f->n, &f->room, sizeof(*f->refs));
	f->refs[f->n++] = ref;
	return true;
}

static bool is_config(struct str group, struct str kind)
{
	return group.len == 0 && (str_is(kind, "Secret") || str_is(kind, "ConfigMap"));
}

/* Words that end with s and are no plural, or whose singular is more than the word without its s. */
static bool is_singular(struct str word)
{
	return str_ends(word, "Dns") || str_ends(word, "ies") || str_ends(word, "is") ||
	       str_ends(word, "us") || str_ends(word, "ss");
}

/*
 * The kind of a part begins with the plural of the resource that it belongs to: a VirtualNetworksSubnet belongs to a
 * VirtualNetwork.  Returns "" for a kind that is no part.
 */
static struct str implied_owner(struct str kind)
{
	for (size_t i = kind.len; i-- > 2;) {
		struct str head = str_head(kind, i);

		if (!begins_upper(str_from(kind, i)) || !str_ends(head, "s"))
			continue;
		if (!is_singular(head))
			return str_head(head, head.len - 1);
	}
	return STR_NONE;
}

/*
 * Finds the kind of an owner that is given by its name alone; nearly always the object names this kind in another
 * place, too.
 */
static void owner_kind(struct verdict *v, struct str message, struct ref *owner)
{
	struct str rest = message;

	json_foreach(it, json_at(verdict_object(v), "metadata.ownerReferences")) {
		struct str api = json_str(it, "apiVersion");
		struct str group = str_head(api, str_find(api, '/'));

		/* other operators (Cluster API) make resources for objects of the same name, and own those, too */
		if (!str_eq(json_str(it, "name"), owner->name) || json_str(it, "kind").len == 0 ||
		    !str_ends(group, ".azure.com"))
			continue;
		owner->group = group;
		owner->kind = json_str(it, "kind");
		return;
	}
	if (next_kind(&rest, &owner->group, &owner->kind))
		return;
	owner->group = verdict_kind(v)->group;
	owner->kind = implied_owner(verdict_kind(v)->kind);
	if (owner->kind.len)
		return;
	owner->group = STR("resources.azure.com");
	owner->kind = STR("ResourceGroup");
	/*
	 * most resources belong to a resource group, so a missing owner is taken for one; an owner that exists may be
	 * of any kind
	 */
	if (message.len == 0 || !(named_flags(ASO_OWNER, message) & REF_REPORTED_MISSING))
		owner->flags |= REF_ANY_KIND | REF_ANY_GROUP;
}

static void find_owner(struct found *f, const struct condition *ready)
{
	struct json owner = json_at(verdict_object(f->v), "spec.owner");
	bool waits = ready && str_is(ready->reason, "WaitingForOwner");
	struct ref ref = {
		.relation = RELATION_NEEDS,
		.flags = REF_BLOCKS,
		.group = json_str(owner, "group"),
		.kind = json_str(owner, "kind"),
		.name = json_str(owner, "name"),
		.via = STR("spec.owner"),
	};

	if (ref.name.len && ref.kind.len == 0)
		owner_kind(f->v, waits ? ready->message : STR_NONE, &ref);
	add(f, ref);
}

static void find_credential(struct found *f)
{
	add(f, (struct ref){
		.relation = RELATION_NEEDS,
		.flags = REF_BLOCKS | REF_EXISTS,
		.kind = STR("Secret"),
		.name = json_str(verdict_object(f->v), ASO_ANNOTATION("credential-from")),
		.via = STR("metadata.annotations[" ASO_OURS "credential-from]"),
	});
}

static bool is_reference(struct str key)
{
	struct str end = str_ends(key, "s") ? str_head(key, key.len - 1) : key;

	return str_ends(end, "Reference") || str_is(end, "reference");
}

/* Returns the key of a member; of an element the key of its array. */
static struct str key_of(const struct field *at)
{
	while (at->up && !at->key.len)
		at = at->up;
	return at->key;
}

/*
 * {group, kind, name} refers to an object, {name, key} to a Secret or ConfigMap; an armId refers to nothing in the
 * cluster.
 */
static bool find_here(struct found *f, struct json value, const struct field *at)
{
	struct ref ref = {
		.relation = RELATION_NEEDS,
		.flags = REF_BLOCKS,
		.group = json_str(value, "group"),
		.kind = json_str(value, "kind"),
		.name = json_str(value, "name"),
	};

	if (ref.name.len == 0)
		return false;
	if (ref.kind.len == 0 && json_str(value, "key").len && json_count(value) == 2)
		ref.kind = str_ends(key_of(at), "FromConfig") ? STR("ConfigMap") : STR("Secret");
	else if (ref.kind.len == 0 && str_is(key_of(at), "protectedSettings") && json_count(value) == 1)
		ref.kind = STR("Secret");	/* the reference is to all keys of the Secret */
	else if (ref.kind.len == 0 || !is_reference(key_of(at)))
		return false;
	if (is_config(ref.group, ref.kind))
		ref.flags |= REF_EXISTS;
	ref.via = field_text(verdict_arena(f->v), at);
	add(f, ref);
	return true;
}

/* Members that the operator writes, and the owner, which has a rule of its own. */
static bool is_apart(const struct field *at)
{
	static const char *const written[] = {
		"secrets",
		"configMaps",
		"configmaps",	/* the spelling of entra.azure.com */
		"secretExpressions",
		"configMapExpressions",
		NULL,
	};

	if (at->depth == 1)
		return str_is(at->key, "owner");
	return at->depth == 2 && str_is(at->up->key, "operatorSpec") && str_is_any(at->key, written);
}

/* The depth is bounded, because a spec may have any content. */
static void find_below(struct found *f, struct json value, const struct field *at)
{
	size_t i = 0;

	if (at->depth > FIELD_DEPTH || is_apart(at) || find_here(f, value, at))
		return;
	json_foreach(it, value) {
		struct field below = { at, json_key(it), i++, at->depth + 1 };

		if (json_is_array(it) || json_is_object(it))
			find_below(f, it, &below);
	}
}

/* ---- which of them the condition means ---------------------------------- */

static bool is_owner(const struct ref *ref)
{
	return str_is(ref->via, "spec.owner");
}

static bool fits(enum aso_reading reading, const struct ref *ref, struct str message)
{
	bool config = is_config(ref->group, ref->kind);
	enum kind_named named;

	switch (reading) {
	case ASO_OWNER:
		return is_owner(ref);
	case ASO_REFERENCE:
		named = kind_named_in(message, ref);
		return !config && (is_owner(ref) ? named == NAMES_THIS_KIND : named != NAMES_OTHER_KINDS);
	case ASO_SECRET:
		return config && str_is(ref->kind, "Secret");
	case ASO_CONFIGMAP:
		return config && str_is(ref->kind, "ConfigMap");
	case ASO_BLOCKED:
		return true;
	default:
		return false;
	}
}

/* Marks the references that the message names.  Returns false when it names none. */
static bool mark_named(struct found *f, enum aso_reading reading, struct str message)
{
	bool marked = false;

	for (size_t i = 0; i < f->n; i++) {
		struct ref *ref = &f->refs[i];

		if (!message_names(message, ref->name) || !fits(reading, ref, message))
			continue;
		ref->flags |= named_flags(reading, message);
		ref->message = message;
		marked = true;
	}
	return marked;
}

/* Marks the only reference that a message without a name can mean.  Returns false when there are several, or none. */
static bool mark_only(struct found *f, enum aso_reading reading, struct str message)
{
	bool owner_word = str_contains_nocase(message, "owner") || str_contains_nocase(message, "owning");
	struct ref *only = NULL;

	for (size_t i = 0; i < f->n; i++) {
		struct ref *ref = &f->refs[i];

		if (!fits(reading, ref, message) || (reading == ASO_REFERENCE && is_owner(ref)) ||
		    (reading == ASO_BLOCKED && !(owner_word && is_owner(ref))))
			continue;
		if (only)
			return false;
		only = ref;
	}
	if (!only)
		return false;
	only->flags |= named_flags(reading, message);
	only->message = message;
	return true;
}

/* Adds what the message names and no field of the spec does. */
static bool add_named(struct found *f, enum aso_reading reading, struct str message,
		      struct str name)
{
	struct ref ref = {
		.relation = RELATION_NEEDS,
		.flags = REF_BLOCKS | named_flags(reading, message),
		.name = name,
		.via = STR("status.conditions"),
		.message = message,
	};
	struct str rest = message;

	if (reading == ASO_SECRET || reading == ASO_CONFIGMAP) {
		ref.kind = reading == ASO_SECRET ? STR("Secret") : STR("ConfigMap");
		ref.flags |= REF_EXISTS;
	} else if (!next_kind(&rest, &ref.group, &ref.kind)) {
		return false;
	}
	return add(f, ref);
}

static bool settle_wait(struct found *f, enum aso_reading reading, const struct condition *c)
{
	/* the message is read once for each reference, so no more of it than is kept */
	struct str message = str_head(c->message, LIMIT_MESSAGE);
	struct str name = name_in_message(message, verdict_namespace(f->v));

	if (mark_named(f, reading, message))
		return true;
	if (name.len == 0)
		return mark_only(f, reading, message);
	/* what only an older spec referred to blocks nothing any more */
	return verdict_condition_outdated(f->v, c) || add_named(f, reading, message, name);
}

bool aso_refer(struct verdict *v, const struct condition *waiting, enum aso_reading reading)
{
	const struct field spec = { .key = STR("spec") };
	struct found f = { .v = v };
	bool settled;

	find_owner(&f, waiting);
	find_credential(&f);
	find_below(&f, json_at(verdict_object(v), "spec"), &spec);
	settled = waiting && reading >= ASO_OWNER && settle_wait(&f, reading, waiting);
	for (size_t i = 0; i < f.n; i++)
		verdict_ref(v, f.refs[i]);
	return settled;
}

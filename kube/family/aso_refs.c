/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom an Azure resource refers to, and which of them its condition means: the
 * conditions of the operator name things in prose only.
 */
#include "kube/family/aso.h"

enum { MAX_REFS = 64, MAX_DEPTH = 24 };

/* ---- words in messages -------------------------------------------------- */

static bool is_separator(char c)
{
	const struct str separators = STR(" \t\n\"'\\,;:()[]{}");

	return str_find(separators, c) < separators.len;
}

/* The next word of a sentence, without quotes and without the full stop. */
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

static bool is_upper(struct str s)
{
	return s.len && s.ptr[0] >= 'A' && s.ptr[0] <= 'Z';
}

/* "network.azure.com/VirtualNetwork", as a word of a message. */
static bool split_kind(struct str word, struct str *out_group, struct str *out_kind)
{
	size_t slash = str_find(word, '/');
	struct str kind = str_from(word, slash + 1);

	if (slash >= word.len || !is_upper(kind) || !str_contains(str_head(word, slash), "."))
		return false;
	*out_group = str_head(word, slash);
	*out_kind = kind;
	return true;
}

/* Also written as  Group: "network.azure.com", Kind: "VirtualNetwork". */
static bool kind_in_message(struct str message, struct str *out_group, struct str *out_kind)
{
	struct str word, before = STR_NONE, group = STR_NONE, kind = STR_NONE;

	for (; next_word(&message, &word); before = word) {
		if (split_kind(word, out_group, out_kind))
			return true;
		if (str_eq_nocase(before, STR("Group")) && str_contains(word, "."))
			group = word;
		if (str_eq_nocase(before, STR("Kind")) && is_upper(word))
			kind = word;
	}
	if (group.len == 0 || kind.len == 0)
		return false;
	*out_group = group;
	*out_kind = kind;
	return true;
}

bool aso_says_key(struct str message)
{
	struct str word;

	while (next_word(&message, &word))
		if (str_eq_nocase(word, STR("key")) || str_eq_nocase(word, STR("keys")))
			return true;
	return false;
}

/* Is name a word of the message, alone or as "namespace/name"? */
static bool message_names(struct str message, struct str name)
{
	struct str word;

	while (next_word(&message, &word))
		if (str_eq(word, name) || str_eq(str_from(word, str_rfind(word, '/') + 1), name))
			return true;
	return false;
}

/* The first "namespace/name" of a message, else its first quoted word. */
static struct str name_in_message(struct str message)
{
	struct str rest = message, word, group, kind;
	size_t quote = str_find(message, '"');

	while (next_word(&rest, &word)) {
		size_t slash = str_find(word, '/');

		if (slash > 0 && slash + 1 < word.len && !str_is(word, "Group/Kind") &&
		    !split_kind(word, &group, &kind))
			return str_from(word, slash + 1);
	}
	rest = str_from(message, quote + 1);
	return quote < message.len && next_word(&rest, &word) ? word : STR_NONE;
}

/* Usually "cannot be found"; the same reasons stand for "not ready" and for an absent key. */
static unsigned named_flags(enum aso_reading reading, struct str message)
{
	bool there = reading == ASO_BLOCKED || str_contains_nocase(message, "not ready") ||
		     str_contains_nocase(message, "does not contain") ||
		     str_contains_nocase(message, "doesn't contain");

	return there ? REF_NAMED : REF_NAMED | REF_SAYS_MISSING;
}

/* ---- what the spec refers to -------------------------------------------- */

/* Gathered first: which of them a condition means is known only when all are seen. */
struct found {
	struct verdict *v;
	struct ref refs[MAX_REFS];
	size_t n;
};

static void add(struct found *f, struct ref ref)
{
	if (f->n < MAX_REFS && ref.name.len)
		f->refs[f->n++] = ref;
}

static bool is_config(struct str group, struct str kind)
{
	return group.len == 0 && (str_is(kind, "Secret") || str_is(kind, "ConfigMap"));
}

/* Words in s that are no plural, or whose singular needs more than the s taken off. */
static bool is_singular(struct str word)
{
	return str_ends(word, "Dns") || str_ends(word, "Redis") || str_ends(word, "ies") ||
	       str_ends(word, "ss");
}

/*
 * A part of a resource is called after what it is part of: a VirtualNetworksSubnet
 * belongs to a VirtualNetwork.  "" for what stands alone.
 */
static struct str implied_owner(struct str kind)
{
	for (size_t i = kind.len; i-- > 2;) {
		struct str head = str_head(kind, i);

		if (!is_upper(str_from(kind, i)) || !str_ends(head, "s"))
			continue;
		if (!is_singular(head))
			return str_head(head, head.len - 1);
	}
	return STR_NONE;
}

/* The kind of an owner that is told by name alone; it is nearly always told elsewhere too. */
static void owner_kind(struct verdict *v, struct str message, struct ref *owner)
{
	json_foreach(it, json_at(verdict_object(v), "metadata.ownerReferences")) {
		struct str api = json_str(it, "apiVersion");

		if (!str_eq(json_str(it, "name"), owner->name) || json_str(it, "kind").len == 0)
			continue;
		owner->group = str_head(api, str_find(api, '/'));
		owner->kind = json_str(it, "kind");
		return;
	}
	if (kind_in_message(message, &owner->group, &owner->kind))
		return;
	owner->group = verdict_kind(v)->group;
	owner->kind = implied_owner(verdict_kind(v)->kind);
	if (owner->kind.len)
		return;
	owner->group = STR("resources.azure.com");
	owner->kind = STR("ResourceGroup");
	/* most things belong to one, so that is what is absent; what is there may be of any kind */
	if (message.len == 0 || !(named_flags(ASO_OWNER, message) & REF_SAYS_MISSING))
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

/* Where a walk is: the member it came through (of an array: the array's) and the way to it. */
struct place {
	struct str key, path;
	int depth;
};

/* {group, kind, name} is an object, {name, key} a Secret or ConfigMap; an armId is not here. */
static bool find_here(struct found *f, struct json value, const struct place *at)
{
	struct ref ref = {
		.relation = RELATION_NEEDS,
		.flags = REF_BLOCKS,
		.group = json_str(value, "group"),
		.kind = json_str(value, "kind"),
		.name = json_str(value, "name"),
		.via = at->path,
	};

	if (ref.name.len == 0)
		return false;
	if (ref.kind.len == 0 && json_str(value, "key").len && json_count(value) == 2)
		ref.kind = str_ends(at->key, "FromConfig") ? STR("ConfigMap") : STR("Secret");
	else if (ref.kind.len == 0 || !is_reference(at->key))
		return false;
	if (is_config(ref.group, ref.kind))
		ref.flags |= REF_EXISTS;
	add(f, ref);
	return true;
}

/* What the operator writes, and the owner, which has a rule of its own. */
static bool is_apart(struct str path)
{
	static const char *const paths[] = {
		"spec.owner",
		"spec.operatorSpec.secrets",
		"spec.operatorSpec.configMaps",
		"spec.operatorSpec.secretExpressions",
		"spec.operatorSpec.configMapExpressions",
		NULL,
	};

	for (size_t i = 0; paths[i]; i++)
		if (str_is(path, paths[i]))
			return true;
	return false;
}

/* i: which of its siblings the child is. */
static struct place place_below(struct arena *arena, const struct place *at, struct json child,
				size_t i)
{
	struct place below = { json_key(child), at->path, at->depth + 1 };

	if (below.key.len) {
		below.path = arena_printf(arena, STR_FMT "." STR_FMT, STR_ARG(at->path),
					  STR_ARG(below.key));
	} else {
		below.path = arena_printf(arena, STR_FMT "[%zu]", STR_ARG(at->path), i);
		below.key = at->key;
	}
	return below;
}

/* Depth is bounded: specs are foreign. */
static void find_below(struct found *f, struct json value, const struct place *at)
{
	size_t i = 0;

	if (at->depth > MAX_DEPTH || is_apart(at->path) || find_here(f, value, at))
		return;
	json_foreach(it, value) {
		if (json_is_array(it) || json_is_object(it)) {
			struct place below = place_below(verdict_arena(f->v), at, it, i);

			find_below(f, it, &below);
		}
		i++;
	}
}

/* ---- which of them the condition means ---------------------------------- */

static bool fits(enum aso_reading reading, const struct ref *ref)
{
	bool owner = str_is(ref->via, "spec.owner"), config = is_config(ref->group, ref->kind);

	switch (reading) {
	case ASO_OWNER:
		return owner;
	case ASO_REFERENCE:
		return !config && !owner;
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

/* Marks those that the message names, else the only one it can mean.  False when there is none. */
static bool mark(struct found *f, enum aso_reading reading, struct str message)
{
	struct ref *only = NULL;
	size_t fitting = 0, marked = 0;
	bool owner_word = str_contains_nocase(message, "owner");

	for (size_t i = 0; i < f->n; i++) {
		struct ref *ref = &f->refs[i];

		if (!fits(reading, ref))
			continue;
		if (reading != ASO_BLOCKED || (owner_word && str_is(ref->via, "spec.owner"))) {
			only = ref;
			fitting++;
		}
		if (!message_names(message, ref->name))
			continue;
		ref->flags |= named_flags(reading, message);
		ref->message = message;
		marked++;
	}
	if (marked == 0 && fitting == 1) {
		only->flags |= named_flags(reading, message);
		only->message = message;
	}
	return marked > 0 || fitting == 1;
}

/* What no field of the spec names, but the message does. */
static bool add_from_message(struct found *f, enum aso_reading reading, struct str message)
{
	struct ref ref = {
		.relation = RELATION_NEEDS,
		.flags = REF_BLOCKS | named_flags(reading, message),
		.name = name_in_message(message),
		.via = STR("status.conditions"),
		.message = message,
	};

	if (ref.name.len == 0)
		return false;
	if (reading == ASO_SECRET || reading == ASO_CONFIGMAP) {
		ref.kind = reading == ASO_SECRET ? STR("Secret") : STR("ConfigMap");
		ref.flags |= REF_EXISTS;
	} else if (!kind_in_message(message, &ref.group, &ref.kind)) {
		return false;
	}
	add(f, ref);
	return true;
}

bool aso_refer(struct verdict *v, const struct condition *waiting, enum aso_reading reading)
{
	struct found *f = arena_alloc(verdict_arena(v), sizeof(*f));
	const struct place spec = { .path = STR("spec") };
	bool named = false;

	f->v = v;
	find_owner(f, waiting);
	find_credential(f);
	find_below(f, json_at(verdict_object(v), "spec"), &spec);
	if (waiting && reading != ASO_OTHER)
		named = mark(f, reading, waiting->message) ||
			add_from_message(f, reading, waiting->message);
	for (size_t i = 0; i < f->n; i++)
		verdict_ref(v, f->refs[i]);
	return named;
}

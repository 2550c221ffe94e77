/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/journal/edits.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/intern.h"
#include "kube/base/map.h"

enum { CONCERNING = 500 };	/* the most objects that concern others */
enum { COVERED = 64 };		/* the most resources in the rules of a webhook configuration of which it is known */

struct kept_edit {
	int64_t time;
	uint32_t manager, person, source;	/* ids of words */
	uint32_t first, nfields, more;		/* its fields are some of those of the object */
	bool made;
};

struct kept {
	uint16_t cluster;
	const struct kind *kind;
	struct str key;		/* in the map */
	size_t n, nfields;
	struct kept_edit *edits;
	uint32_t *fields;	/* ids of words, of all edits */
	uint32_t *covered;	/* ids of words: "apps/deployments", of a webhook configuration */
	size_t ncovered;
	bool has_rules;		/* else it is not known what it covers */
};

struct edits {
	struct map by_name;	/* struct kept, in the order in which objects were noted last */
	struct intern words;
	size_t ceiling, size;	/* bytes; size is without those of words */
	const struct kept *concerning[CONCERNING];
	size_t nconcerning;
};

struct edits *edits_new(size_t ceiling)
{
	struct edits *e = xcalloc(1, sizeof(*e));

	e->ceiling = ceiling;
	return e;
}

static void kept_free(struct kept *k)
{
	if (!k)
		return;
	xfree(k->edits);
	xfree(k->fields);
	xfree(k->covered);
	xfree(k);
}

void edits_free(struct edits *e)
{
	if (!e)
		return;
	for (struct map_entry *it = map_next(&e->by_name, NULL); it; it = map_next(&e->by_name, it))
		kept_free(map_value(it));
	map_release(&e->by_name);
	intern_release(&e->words);
	xfree(e);
}

size_t edits_count(const struct edits *e)
{
	return map_count(&e->by_name);
}

size_t edits_size(const struct edits *e)
{
	return e->size + intern_size(&e->words);
}

bool edits_concern_others(const struct kind *kind)
{
	static const char *const kinds[] = { "ResourceQuota", "LimitRange", "ValidatingWebhookConfiguration",
					     "MutatingWebhookConfiguration", "CustomResourceDefinition", NULL };

	return str_is_any(kind->kind, kinds);
}

/* Returns whose edits these are; the texts are borrowed from the key. */
static struct object_id id_of(const struct kept *k)
{
	struct str name = str_from(k->key, str_find(k->key, ' ') + 1);

	name = str_from(name, str_find(name, ' ') + 1);
	return (struct object_id){ k->cluster, k->kind, str_head(name, str_find(name, '/')), str_from(name, str_find(name, '/') + 1) };
}

bool edits_concerning(const struct edits *e, size_t number, struct object_id *out)
{
	if (number >= e->nconcerning)
		return false;
	*out = id_of(e->concerning[number]);
	return true;
}

/* The key is in the arena. */
static struct str key_of(const struct object_id *id, struct arena *a)
{
	return arena_printf(a, "%u %u " STR_FMT "/" STR_FMT, id->cluster, id->kind->id, STR_ARG(id->ns), STR_ARG(id->name));
}

static void keep(struct edits *e, struct kept *k, const struct edit *from)
{
	struct kept_edit *to = &k->edits[k->n++];

	*to = (struct kept_edit){
		.time = from->time,
		.manager = intern_use(&e->words, from->by.manager),
		.person = intern_use(&e->words, from->by.person),
		.source = intern_use(&e->words, from->by.source),
		.first = (uint32_t)k->nfields,
		.nfields = (uint32_t)from->nfields,
		.more = (uint32_t)from->more,
		.made = from->made,
	};
	for (size_t i = 0; i < from->nfields; i++)
		k->fields[k->nfields++] = intern_use(&e->words, from->fields[i]);
}

static size_t kept_size(const struct kept *k)
{
	return sizeof(*k) + map_entry_size(k->key.len) + k->n * sizeof(*k->edits) + (k->nfields + 1 + k->ncovered) * sizeof(*k->fields) +
	       (k->ncovered ? 5u : 4u) * ALLOC_OVERHEAD;
}

static void drop_words(struct edits *e, const struct kept *k)
{
	for (size_t i = 0; i < k->n; i++) {
		intern_drop(&e->words, k->edits[i].manager);
		intern_drop(&e->words, k->edits[i].person);
		intern_drop(&e->words, k->edits[i].source);
	}
	for (size_t i = 0; i < k->nfields; i++)
		intern_drop(&e->words, k->fields[i]);
	for (size_t i = 0; i < k->ncovered; i++)
		intern_drop(&e->words, k->covered[i]);
}

/* "deployments" of a rule; a rule for "deployments/scale" covers no object as a whole. */
static struct str covered_resource(struct str resource)
{
	size_t slash = str_find(resource, '/');

	return slash == resource.len || str_is(resource, "*/*") ? str_head(resource, slash) : STR_NONE;
}

static size_t covered_by(struct json configuration, struct arena *a, struct str *out)
{
	size_t n = 0;

	json_foreach(webhook, json_member(configuration, STR("webhooks")))
		json_foreach(rule, json_member(webhook, STR("rules")))
			json_foreach(group, json_member(rule, STR("apiGroups")))
				json_foreach(resource, json_member(rule, STR("resources"))) {
					struct str of = covered_resource(json_str(resource, ""));

					if (of.len && n < COVERED)
						out[n++] = ARENA_JOIN(a, json_str(group, ""), STR("/"), of);
				}
	return n;
}

bool edits_cover(const struct edits *e, const struct object_id *webhooks, const struct kind *kind)
{
	struct arena keys = { 0 };
	const struct kept *k = map_get(&e->by_name, key_of(webhooks, &keys));
	bool covers = !k || !k->has_rules || k->ncovered == COVERED;

	for (size_t i = 0; !covers && i < k->ncovered; i++) {
		struct str rest = intern_str(&e->words, k->covered[i]), group;

		covers = str_split(&rest, '/', &group) && (str_is(group, "*") || str_eq(group, kind->group)) &&
			 (str_is(rest, "*") || str_eq(rest, kind->plural));
	}
	arena_release(&keys);
	return covers;
}

/* Keeps these edits in place of those before. */
static void keep_all(struct edits *e, struct kept *k, const struct edit *all, size_t n)
{
	struct kept before = *k;
	size_t nfields = 0;

	for (size_t i = 0; i < n; i++)
		nfields += all[i].nfields;
	k->edits = xreallocarray(NULL, n, sizeof(*k->edits));
	k->fields = xreallocarray(NULL, nfields + 1, sizeof(*k->fields));
	k->covered = NULL;
	k->has_rules = false;
	k->n = k->nfields = k->ncovered = 0;
	for (size_t i = 0; i < n; i++)
		keep(e, k, &all[i]);
	drop_words(e, &before);
	xfree(before.edits);
	xfree(before.fields);
	xfree(before.covered);
}

static void keep_covered(struct edits *e, struct kept *k, struct json configuration, struct arena *a)
{
	struct str covered[COVERED];

	k->has_rules = json_has(configuration, "webhooks");
	k->ncovered = covered_by(configuration, a, covered);
	if (k->ncovered)
		k->covered = xreallocarray(NULL, k->ncovered, sizeof(*k->covered));
	for (size_t i = 0; i < k->ncovered; i++)
		k->covered[i] = intern_use(&e->words, covered[i]);
}

static void forget(struct edits *e, struct kept *k)
{
	size_t n = 0;

	e->size -= kept_size(k);
	drop_words(e, k);
	for (size_t i = 0; i < e->nconcerning; i++)
		if (e->concerning[i] != k)
			e->concerning[n++] = e->concerning[i];
	e->nconcerning = n;
	map_remove(&e->by_name, k->key);
	kept_free(k);
}

/* Returns the edits that are kept of the object, as those that were noted last. */
static struct kept *renewed(struct edits *e, const struct object_id *id, struct str key)
{
	struct kept *k = map_remove(&e->by_name, key);

	if (k) {
		e->size -= kept_size(k);
	} else {
		k = xcalloc(1, sizeof(*k));
		k->cluster = id->cluster;
		k->kind = id->kind;
		if (edits_concern_others(id->kind) && e->nconcerning < CONCERNING)
			e->concerning[e->nconcerning++] = k;
	}
	map_set(&e->by_name, key, k);
	k->key = map_key(map_entry_of(&e->by_name, key));
	return k;
}

/* object: what they are the edits of; JSON_NONE: it is not known. */
static void put(struct edits *e, const struct object_id *id, const struct edit *all, size_t n, struct json object)
{
	struct arena a = { 0 };
	struct kept *k;

	if (n == 0)
		return;
	k = renewed(e, id, key_of(id, &a));
	keep_all(e, k, all, n);
	if (edits_concern_others(id->kind))
		keep_covered(e, k, object, &a);
	e->size += kept_size(k);
	while (edits_size(e) > e->ceiling && map_count(&e->by_name))
		forget(e, map_value(map_next(&e->by_name, NULL)));
	arena_release(&a);
}

void edits_put(struct edits *e, const struct object_id *id, const struct edit *all, size_t n)
{
	put(e, id, all, n, JSON_NONE);
}

void edits_note(struct edits *e, const struct object_id *id, struct json object)
{
	struct arena a = { 0 };
	const struct edit *found;
	size_t n = managed_edits(object, &a, &found);

	put(e, id, found, n, object);
	arena_release(&a);
}

static struct edit edit_of(const struct edits *e, const struct kept *k, size_t at, struct arena *arena)
{
	const struct kept_edit *from = &k->edits[at];
	struct str *fields = arena_array(arena, from->nfields, sizeof(*fields));

	assert(from->first + from->nfields <= k->nfields);
	for (size_t i = 0; i < from->nfields; i++)
		fields[i] = intern_str(&e->words, k->fields[from->first + i]);
	return (struct edit){
		.time = from->time,
		.by = { intern_str(&e->words, from->manager), intern_str(&e->words, from->person),
			intern_str(&e->words, from->source) },
		.fields = fields,
		.nfields = from->nfields,
		.more = from->more,
		.made = from->made,
	};
}

size_t edits_of(const struct edits *e, const struct object_id *id, struct arena *arena, const struct edit **out)
{
	struct arena keys = { 0 };
	const struct kept *k = map_count(&e->by_name) ? map_get(&e->by_name, key_of(id, &keys)) : NULL;
	struct edit *all = k ? arena_array(arena, k->n, sizeof(*all)) : NULL;

	arena_release(&keys);
	for (size_t i = 0; k && i < k->n; i++)
		all[i] = edit_of(e, k, i, arena);
	*out = all;
	return k ? k->n : 0;
}

void edits_each(const struct edits *e, void (*visit)(void *ctx, const struct object_id *id), void *ctx)
{
	for (struct map_entry *it = map_next(&e->by_name, NULL); it; it = map_next(&e->by_name, it)) {
		struct object_id id = id_of(map_value(it));

		visit(ctx, &id);
	}
}

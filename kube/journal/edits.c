/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/journal/edits.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/intern.h"
#include "kube/base/map.h"

enum { CONCERNING = 500 };	/* the most objects that concern others */

struct kept_edit {
	int64_t time;
	uint32_t manager, person, source;	/* ids of words */
	uint32_t first, nfields, more;		/* its fields are some of those of the object */
	bool made;
};

struct kept {
	uint16_t cluster;
	const struct kind *kind;
	size_t n, nfields;
	struct kept_edit *edits;
	uint32_t *fields;	/* ids of words, of all edits */
};

struct edits {
	struct map by_name;	/* struct kept */
	struct intern words;
	size_t ceiling, size;
	struct object_id concerning[CONCERNING];
	size_t nconcerning;
	struct arena names;	/* of concerning */
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
	arena_release(&e->names);
	xfree(e);
}

size_t edits_count(const struct edits *e)
{
	return map_count(&e->by_name);
}

size_t edits_size(const struct edits *e)
{
	return e->size;
}

bool edits_concern_others(const struct kind *kind)
{
	static const char *const kinds[] = { "ResourceQuota", "LimitRange", "ValidatingWebhookConfiguration",
					     "MutatingWebhookConfiguration", "CustomResourceDefinition", NULL };

	return str_is_any(kind->kind, kinds);
}

bool edits_concerning(const struct edits *e, size_t number, struct object_id *out)
{
	if (number >= e->nconcerning)
		return false;
	*out = e->concerning[number];
	return true;
}

/* The key is in the arena. */
static struct str key_of(const struct object_id *id, struct arena *a)
{
	return arena_printf(a, "%u %u " STR_FMT "/" STR_FMT, id->cluster, id->kind->id, STR_ARG(id->ns), STR_ARG(id->name));
}

static uint32_t word(struct edits *e, struct str s)
{
	size_t before = intern_count(&e->words);
	uint32_t id = intern_id(&e->words, s);

	e->size += intern_count(&e->words) > before ? map_entry_size(s.len) : 0;
	return id;
}

static void keep(struct edits *e, struct kept *k, const struct edit *from)
{
	struct kept_edit *to = &k->edits[k->n++];

	*to = (struct kept_edit){
		.time = from->time,
		.manager = word(e, from->by.manager),
		.person = word(e, from->by.person),
		.source = word(e, from->by.source),
		.first = (uint32_t)k->nfields,
		.nfields = (uint32_t)from->nfields,
		.more = (uint32_t)from->more,
		.made = from->made,
	};
	for (size_t i = 0; i < from->nfields; i++)
		k->fields[k->nfields++] = word(e, from->fields[i]);
}

static size_t kept_size(const struct kept *k)
{
	return k->n * sizeof(*k->edits) + k->nfields * sizeof(*k->fields);
}

static void keep_all(struct edits *e, struct kept *k, const struct edit *all, size_t n)
{
	size_t nfields = 0;

	for (size_t i = 0; i < n; i++)
		nfields += all[i].nfields;
	e->size -= kept_size(k);
	k->edits = xreallocarray(k->edits, n, sizeof(*k->edits));
	k->fields = xreallocarray(k->fields, nfields + 1, sizeof(*k->fields));
	k->n = k->nfields = 0;
	for (size_t i = 0; i < n; i++)
		keep(e, k, &all[i]);
	e->size += kept_size(k);
}

static void note_concerning(struct edits *e, const struct object_id *id)
{
	if (!edits_concern_others(id->kind) || e->nconcerning == CONCERNING)
		return;
	e->concerning[e->nconcerning++] = (struct object_id){ id->cluster, id->kind, arena_str(&e->names, id->ns),
							      arena_str(&e->names, id->name) };
}

void edits_put(struct edits *e, const struct object_id *id, const struct edit *all, size_t n)
{
	struct arena a = { 0 };
	struct str key = key_of(id, &a);
	struct kept *k = n ? map_get(&e->by_name, key) : NULL;

	if (n && !k && e->size < e->ceiling) {
		k = xcalloc(1, sizeof(*k));
		k->cluster = id->cluster;
		k->kind = id->kind;
		map_set(&e->by_name, key, k);
		e->size += map_entry_size(key.len) + sizeof(*k);
		note_concerning(e, id);
	}
	if (k)
		keep_all(e, k, all, n);
	arena_release(&a);
}

void edits_note(struct edits *e, const struct object_id *id, struct json object)
{
	struct arena a = { 0 };
	const struct edit *found;
	size_t n = managed_edits(object, &a, &found);

	edits_put(e, id, found, n);
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

/* Returns whose edits these are, by their key; the texts are borrowed from it. */
static struct object_id id_of(const struct kept *k, struct str key)
{
	struct str name = str_from(key, str_find(key, ' ') + 1);

	name = str_from(name, str_find(name, ' ') + 1);
	return (struct object_id){ k->cluster, k->kind, str_head(name, str_find(name, '/')), str_from(name, str_find(name, '/') + 1) };
}

void edits_each(const struct edits *e, void (*visit)(void *ctx, const struct object_id *id), void *ctx)
{
	for (struct map_entry *it = map_next(&e->by_name, NULL); it; it = map_next(&e->by_name, it)) {
		struct object_id id = id_of(map_value(it), map_key(it));

		visit(ctx, &id);
	}
}

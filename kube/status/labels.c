/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/status/labels.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/buf.h"
#include "kube/base/map.h"
#include "kube/base/utf8.h"


/*
 * Ends each text "key=value" of a set, which begins with a byte for what it is (enum trait): no label, and no name of
 * an annotation, contains this byte.
 */
enum { SEP = '\x1f' };
/* Bytes of a set beyond which only what the user asked for is added; containers and bytes of a name that count. */
enum { SET_MOST = 16384, CONTAINERS = 32, NAME_MOST = 512 };
/* Bytes of a value that are kept: annotations may have many. */
enum { VALUE_MOST = 4096 };

/* A set of labels that some objects have; sets that are equal are kept once. */
struct set {
	struct str text;	/* the key in the map */
	size_t objects;
};

/* The set that the object in a slot had from a certain time on. */
struct labelled {
	int64_t since;
	uint64_t before;	/* 1 + the number of the entry that the slot had before; 0: it had none */
	struct set *set;	/* NULL: no labels */
	uint32_t gen;
};

struct labels {
	struct map sets;	/* by their text */
	struct map wanted;	/* names of annotations that count as labels */
	struct labelled *slots;
	uint32_t nslots;
	struct labelled *before;	/* a ring of LABELS_BEFORE entries that were replaced; NULL: none was */
	/* how many entries were replaced so far; the last LABELS_BEFORE of them are in the ring */
	uint64_t nbefore;
	struct buf text;	/* the text of the set that is being noted */
	uint64_t changes;
};

struct labels *labels_new(void)
{
	return xcalloc(1, sizeof(struct labels));
}

void labels_free(struct labels *l)
{
	if (!l)
		return;
	for (struct map_entry *e = map_next(&l->sets, NULL); e; e = map_next(&l->sets, e))
		xfree(map_value(e));
	map_release(&l->sets);
	map_release(&l->wanted);
	buf_release(&l->text);
	xfree(l->slots);
	xfree(l->before);
	xfree(l);
}

void labels_want(struct labels *l, struct str key)
{
	map_set(&l->wanted, key, l);
}

static void add(struct labels *l, enum trait what, struct str key, struct str value)
{
	bool much = l->text.len + key.len + value.len > SET_MOST;

	if (str_find(key, SEP) < key.len || str_find(value, SEP) < value.len || (much && !map_get(&l->wanted, key)))
		return;
	value = utf8_head(value, VALUE_MOST);
	buf_add_char(&l->text, (char)what);
	buf_add(&l->text, key);
	buf_add_char(&l->text, '=');
	buf_add(&l->text, value);
	buf_add_char(&l->text, SEP);
}

static void add_images(struct labels *l, struct json containers)
{
	int n = 0;

	json_foreach(container, containers) {
		struct str image = json_str(container, "image");

		if (image.len && image.len <= NAME_MOST)
			add(l, TRAIT_IMAGE, STR_NONE, image);
		if (++n == CONTAINERS)
			break;
	}
}

/* Adds what the pods of an object run, and the account that they have, wherever it has their template. */
static void add_pods(struct labels *l, struct json object)
{
	struct json spec = json_at(object, "spec"), pod = json_at(spec, "template.spec");
	struct str account, ns = json_str(object, "metadata.namespace");

	pod = json_is_object(pod) ? pod : json_at(spec, "jobTemplate.spec.template.spec");
	pod = json_is_object(pod) ? pod : spec;
	add_images(l, json_at(pod, "containers"));
	add_images(l, json_at(pod, "initContainers"));
	account = json_str(pod, "serviceAccountName");
	if (account.len && account.len <= NAME_MOST && !str_is(account, "default"))
		add(l, TRAIT_ACCOUNT, ns, account);
}

static void collect(struct labels *l, const struct kind *kind, struct json object)
{
	struct json labels = json_at(object, "metadata.labels"), annotations = json_at(object, "metadata.annotations");

	buf_reset(&l->text);
	add_pods(l, object);
	if (json_is_object(labels))
		json_foreach(it, labels)
			add(l, TRAIT_LABEL, json_key(it), json_str(it, ""));
	if (str_is(kind->kind, "Secret") || map_count(&l->wanted) == 0 || !json_is_object(annotations))
		return;
	json_foreach(it, annotations)
		if (map_get(&l->wanted, json_key(it)))
			add(l, TRAIT_ANNOTATION, json_key(it), json_str(it, ""));
}

static struct set *set_of(struct labels *l, struct str text)
{
	struct set *set = map_get(&l->sets, text);

	if (!set) {
		set = xcalloc(1, sizeof(*set));
		map_set(&l->sets, text, set);
		set->text = map_key(map_entry_of(&l->sets, text));
	}
	set->objects++;
	return set;
}

static void release(struct labels *l, struct set *set)
{
	if (!set)
		return;
	assert(set->objects);
	if (--set->objects)
		return;
	map_remove(&l->sets, set->text);
	xfree(set);
}

/* Puts the replaced entry where labels_get_at() finds it. */
static uint64_t keep_before(struct labels *l, struct labelled was)
{
	struct labelled *at;

	if (!was.gen && !was.set && !was.since)
		return 0;
	if (!l->before)
		l->before = xcalloc(LABELS_BEFORE, sizeof(*l->before));
	at = &l->before[l->nbefore % LABELS_BEFORE];
	assert(!was.set || was.set->objects > 0);
	release(l, at->set);
	*at = was;
	return ++l->nbefore;
}

bool labels_note(struct labels *l, struct handle h, const struct kind *kind, struct json object, int64_t now)
{
	struct labelled *slot;
	struct set *set;

	l->slots = xgrow_zeroed(l->slots, &l->nslots, h.slot, sizeof(*l->slots));
	slot = &l->slots[h.slot];
	collect(l, kind, object);
	if (slot->since && slot->gen == h.gen && str_eq(slot->set ? slot->set->text : STR_NONE, buf_str(&l->text)))
		return false;
	l->changes++;
	set = l->text.len ? set_of(l, buf_str(&l->text)) : NULL;
	*slot = (struct labelled){ now, keep_before(l, *slot), set, h.gen };
	return true;
}

static const struct labelled *before(const struct labels *l, const struct labelled *slot)
{
	bool kept = slot->before && slot->before + LABELS_BEFORE > l->nbefore;

	return kept ? &l->before[(slot->before - 1) % LABELS_BEFORE] : NULL;
}

static struct str text_then(const struct labels *l, struct handle h, int64_t then)
{
	const struct labelled *slot = h.slot < l->nslots ? &l->slots[h.slot] : NULL;

	while (slot && (slot->since > then || slot->gen > h.gen))
		slot = before(l, slot);
	return slot && slot->gen == h.gen && slot->set ? slot->set->text : STR_NONE;
}

static struct str text_of(const struct labels *l, struct handle h)
{
	return text_then(l, h, INT64_MAX);
}

bool trait_next(struct str *set, struct trait_value *out)
{
	struct str one, pair;
	size_t eq;

	if (!str_split(set, SEP, &one) || !one.len)
		return false;
	pair = str_from(one, 1);
	eq = str_find(pair, '=');
	*out = (struct trait_value){ (enum trait)one.ptr[0], str_head(pair, eq), str_from(pair, eq + 1), one };
	return true;
}

static bool value_in(struct str set, struct str key, struct str *out_value)
{
	struct trait_value it;

	while (trait_next(&set, &it)) {
		if ((it.what != TRAIT_LABEL && it.what != TRAIT_ANNOTATION) || !str_eq(it.key, key))
			continue;
		*out_value = it.value;
		return true;
	}
	return false;
}

bool labels_get(const struct labels *l, struct handle h, struct str key, struct str *out_value)
{
	return value_in(text_of(l, h), key, out_value);
}

bool labels_get_at(const struct labels *l, struct handle h, int64_t then, struct str key, struct str *out_value)
{
	return value_in(text_then(l, h, then), key, out_value);
}

struct str labels_traits(const struct labels *l, struct handle h, int64_t then)
{
	return text_then(l, h, then);
}

uint64_t labels_changes(const struct labels *l)
{
	return l->changes;
}

struct str labels_text(const struct labels *l, struct handle h, struct arena *arena)
{
	struct str set = text_of(l, h);
	struct trait_value it;
	struct buf text = { 0 };

	while (trait_next(&set, &it))
		if (it.what == TRAIT_LABEL)
			BUF_JOIN(&text, str_of(text.len ? "," : ""), str_from(it.text, 1));
	return arena_take(arena, &text);
}

bool labels_match_at(const struct labels *l, struct handle h, int64_t then, struct str label)
{
	size_t eq = str_find(label, '=');
	struct str value;

	return labels_get_at(l, h, then, str_head(label, eq), &value) &&
	       (eq == label.len || str_eq(value, str_from(label, eq + 1)));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/status/labels.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/buf.h"
#include "kube/base/map.h"

#include <string.h>

/*
 * Stands before each text "key=value" of a set, and after the last: no label, and no name of an annotation, contains
 * this byte.
 */
enum { LABEL = 'l', ANNOTATION = 'a', SEP = '\x1f' };

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

static void add(struct labels *l, char what, struct json pair)
{
	struct str key = json_key(pair), value = json_str(pair, "");

	if (str_find(key, SEP) < key.len || str_find(value, SEP) < value.len)
		return;
	buf_add_char(&l->text, what);
	buf_add(&l->text, key);
	buf_add_char(&l->text, '=');
	buf_add(&l->text, value);
	buf_add_char(&l->text, SEP);
}

static void collect(struct labels *l, const struct kind *kind, struct json object)
{
	struct json labels = json_at(object, "metadata.labels"), annotations = json_at(object, "metadata.annotations");

	buf_reset(&l->text);
	if (json_is_object(labels))
		json_foreach(it, labels)
			add(l, LABEL, it);
	if (str_is(kind->kind, "Secret") || map_count(&l->wanted) == 0 || !json_is_object(annotations))
		return;
	json_foreach(it, annotations)
		if (map_get(&l->wanted, json_key(it)))
			add(l, ANNOTATION, it);
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

void labels_note(struct labels *l, struct handle h, const struct kind *kind, struct json object, int64_t now)
{
	struct labelled *slot;
	struct set *set;

	if (h.slot >= l->nslots) {
		uint32_t n = h.slot * 2 + 64;

		l->slots = xreallocarray(l->slots, n, sizeof(*l->slots));
		memset(l->slots + l->nslots, 0, (n - l->nslots) * sizeof(*l->slots));
		l->nslots = n;
	}
	slot = &l->slots[h.slot];
	collect(l, kind, object);
	if (slot->since && slot->gen == h.gen && str_eq(slot->set ? slot->set->text : STR_NONE, buf_str(&l->text)))
		return;
	set = l->text.len ? set_of(l, buf_str(&l->text)) : NULL;
	*slot = (struct labelled){ now, keep_before(l, *slot), set, h.gen };
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

static bool value_in(struct str text, struct str key, struct str *out_value)
{
	struct str one;

	while (str_split(&text, SEP, &one)) {
		struct str pair = str_from(one, 1);
		size_t eq = str_find(pair, '=');

		if (!str_eq(str_head(pair, eq), key))
			continue;
		*out_value = str_from(pair, eq + 1);
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

struct str labels_text(const struct labels *l, struct handle h, struct arena *arena)
{
	struct str rest = text_of(l, h), one, out = STR_NONE;
	struct buf text = { 0 };

	while (str_split(&rest, SEP, &one))
		if (one.len && one.ptr[0] == LABEL)
			BUF_JOIN(&text, str_of(text.len ? "," : ""), str_from(one, 1));
	out = arena_str(arena, buf_str(&text));
	buf_release(&text);
	return out;
}

bool labels_match_at(const struct labels *l, struct handle h, int64_t then, struct str label)
{
	size_t eq = str_find(label, '=');
	struct str value;

	return labels_get_at(l, h, then, str_head(label, eq), &value) &&
	       (eq == label.len || str_eq(value, str_from(label, eq + 1)));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of one kind resemble each other: each version is kept as its difference from the first object of its kind. */
#include "kube/journal/versions.h"

#include "kube/base/alloc.h"
#include "kube/base/deflate.h"
#include "kube/base/map.h"
#include "kube/model/json_diff.h"

#include "kube/base/assert.h"
#include <string.h>

struct version {
	struct version *older, *newer;	/* versions of the same object */
	struct version *next;	/* the version that was superseded after this one */
	struct chain *chain;
	int64_t time;
	uint32_t n;
	bool gone;		/* the object does not exist from then on, */
	bool let_go;		/* or nobody looks at it: then gone is true, too */
	uint8_t first;		/* enum version_first, for a version without an older one, and behind one that was let go */
	char bytes[];		/* its difference from the sample of its kind */
};

/* The versions of one object. */
struct chain {
	struct version *newest;	/* NULL only until the first version is added */
	uint64_t digest;	/* a hash of the newest version */
	uint16_t cluster;
	uint32_t kind;
	uint32_t ns_len, key_len;
	char key[];		/* the key in the map: numbers, namespace, name */
};

/* The object of a kind from which the others are stored as differences. */
struct sample {
	struct buf text;
	size_t objects;		/* number of objects whose present version is kept */
	size_t chains;		/* number of objects of which versions are kept; without any the text is not kept, either */
};

struct versions {
	const struct version_redactor *redactor;
	struct map chains, samples;
	struct version *oldest, *latest;	/* the versions that were superseded, in that order */
	size_t bytes, ceiling;
	size_t objects, looked_at;
	int64_t from;
	struct delta_coder *coder;
	struct buf key, text, before, delta;
};

struct versions *versions_new(size_t ceiling, const struct version_redactor *redactor)
{
	struct versions *v = xcalloc(1, sizeof(*v));

	v->redactor = redactor;
	v->ceiling = ceiling;
	v->coder = delta_coder_new();
	return v;
}

/* Behind enum version_first: the object was not looked at in between, and was there again. */
enum { FIRST_AGAIN = FIRST_LATE + 1 };

static size_t size_of(const struct version *version)
{
	return sizeof(*version) + version->n + ALLOC_OVERHEAD;
}

static size_t size_of_chain(const struct chain *chain)
{
	return sizeof(*chain) + chain->key_len + map_entry_size(chain->key_len) + 2 * ALLOC_OVERHEAD;
}

void versions_free(struct versions *v)
{
	if (!v)
		return;
	for (struct map_entry *e = map_next(&v->chains, NULL); e; e = map_next(&v->chains, e)) {
		struct chain *chain = map_value(e);

		for (struct version *it = chain->newest, *older; it; it = older) {
			older = it->older;
			xfree(it);
		}
		xfree(chain);
	}
	for (struct map_entry *e = map_next(&v->samples, NULL); e; e = map_next(&v->samples, e)) {
		buf_release(&((struct sample *)map_value(e))->text);
		xfree(map_value(e));
	}
	map_release(&v->chains);
	map_release(&v->samples);
	delta_coder_free(v->coder);
	buf_release(&v->key);
	buf_release(&v->text);
	buf_release(&v->before);
	buf_release(&v->delta);
	xfree(v);
}

/* ---- who ------------------------------------------------------------------------ */

static struct str key_of(struct versions *v, const struct object_id *id)
{
	uint32_t head[3] = { id->cluster, id->kind->id, (uint32_t)id->ns.len };

	buf_reset(&v->key);
	buf_add(&v->key, (struct str){ (const char *)head, sizeof(head) });
	buf_add(&v->key, id->ns);
	buf_add(&v->key, id->name);
	return buf_str(&v->key);
}

static struct str kind_key(const uint32_t *kind)
{
	return (struct str){ (const char *)kind, sizeof(*kind) };
}

static struct sample *sample_of(struct versions *v, uint32_t kind)
{
	struct sample *sample = map_get(&v->samples, kind_key(&kind));

	if (sample)
		return sample;
	sample = xcalloc(1, sizeof(*sample));
	map_set(&v->samples, kind_key(&kind), sample);
	return sample;
}

static struct chain *chain_of(struct versions *v, const struct object_id *id)
{
	struct str key = key_of(v, id);
	struct chain *chain = map_get(&v->chains, key);

	if (chain)
		return chain;
	chain = xcalloc(1, sizeof(*chain) + key.len);
	chain->cluster = id->cluster;
	chain->kind = id->kind->id;
	chain->ns_len = (uint32_t)id->ns.len;
	chain->key_len = (uint32_t)key.len;
	memcpy(chain->key, key.ptr, key.len);
	map_set(&v->chains, key, chain);
	sample_of(v, chain->kind)->chains++;
	v->bytes += size_of_chain(chain);
	return chain;
}

/* ---- what ----------------------------------------------------------------------- */

static void drop_chain(struct versions *v, struct chain *chain)
{
	struct sample *sample = sample_of(v, chain->kind);

	if (--sample->chains == 0) {
		v->bytes -= sample->text.len;
		buf_release(&sample->text);
	}
	v->bytes -= size_of_chain(chain);
	map_remove(&v->chains, (struct str){ chain->key, chain->key_len });
	xfree(chain);
}

/* Versions of one object are superseded in the order of time, so this one has no older version. */
static void drop_oldest(struct versions *v)
{
	struct version *drop = v->oldest;
	struct chain *chain = drop->chain;
	/* before the next version's time the content is unknown */
	int64_t until = drop->newer ? drop->newer->time : drop->time;

	assert(!drop->older && v->bytes >= size_of(drop));
	v->looked_at++;
	v->from = until > v->from ? until : v->from;
	if (drop->newer)
		drop->newer->older = NULL;
	else
		chain->newest = NULL;
	v->oldest = drop->next;
	v->latest = v->oldest ? v->latest : NULL;
	v->bytes -= size_of(drop);
	xfree(drop);
	if (!chain->newest)
		drop_chain(v, chain);
}

/* Drops the present version of an object, of which there is no other one. */
static void drop_present(struct versions *v, struct chain *chain, int64_t now)
{
	assert(!chain->newest->older && !chain->newest->gone);
	v->from = now > v->from ? now : v->from;
	v->bytes -= size_of(chain->newest);
	v->objects--;
	sample_of(v, chain->kind)->objects--;
	xfree(chain->newest);
	drop_chain(v, chain);
}

static void supersede(struct versions *v, struct version *version)
{
	version->next = NULL;
	if (v->latest)
		v->latest->next = version;
	else
		v->oldest = version;
	v->latest = version;
}

static void keep_ceiling(struct versions *v, int64_t now)
{
	while (v->ceiling && v->bytes > v->ceiling && v->oldest)
		drop_oldest(v);
	/* objects that are known may grow, so that their present versions alone are too much: that of the longest known goes */
	while (v->ceiling && v->bytes > v->ceiling && map_count(&v->chains))
		drop_present(v, map_value(map_next(&v->chains, NULL)), now);
}

static bool is_there(const struct chain *chain)
{
	return chain->newest && !chain->newest->gone;
}

static void add(struct versions *v, struct chain *chain, const struct version *what, struct str bytes)
{
	struct version *now = xmalloc(sizeof(*now) + bytes.len), *before = chain->newest;
	bool was = is_there(chain);

	*now = *what;
	now->chain = chain;
	now->older = before;
	if (before)
		before->newer = now;
	now->n = (uint32_t)bytes.len;
	if (bytes.len)
		memcpy(now->bytes, bytes.ptr, bytes.len);
	chain->newest = now;
	v->bytes += size_of(now);
	v->objects += (size_t)!what->gone - (size_t)was;
	sample_of(v, chain->kind)->objects += (size_t)!what->gone - (size_t)was;
	if (was)
		supersede(v, before);
	if (what->gone)
		supersede(v, now);	/* the name of an object that is gone need not be kept for ever */
	keep_ceiling(v, what->time);
}

static void unpack(struct versions *v, const struct version *version, struct buf *out)
{
	delta_decode(v->coder, buf_str(&sample_of(v, version->chain->kind)->text), (struct str){ version->bytes, version->n }, out);
}

/* Hashes what may be kept of the object: a change of what is hidden is no difference. */
static uint64_t digest_of(struct versions *v, const struct object_id *id, struct json object, bool hides)
{
	struct json redacted;
	uint64_t digest;

	if (!hides)
		return json_digest(object);
	buf_reset(&v->text);
	v->redactor->write(object, id->kind, true, &v->text);
	if (json_parse(buf_str(&v->text), &redacted, &(struct err){ 0 }) < 0)
		return json_digest(object);
	digest = json_digest(redacted);
	json_free(redacted);
	return digest;
}

bool versions_full(const struct versions *v)
{
	/* the rest is for objects that grow */
	return v->ceiling && v->bytes >= v->ceiling - v->ceiling / 32 && !v->oldest;
}

/* What a version means for the time between it and the one before. */
static uint8_t first_again(const struct version *before, enum version_first first)
{
	return before->let_go && first == FIRST_KNOWN ? FIRST_AGAIN : FIRST_NEW;
}

bool versions_put(struct versions *v, const struct object_id *id, struct json object, int64_t now,
		  enum version_first first)
{
	struct sample *sample;
	struct chain *chain;
	uint64_t digest;
	bool hides;

	if (versions_full(v) && !versions_has(v, id))
		return false;
	chain = chain_of(v, id);
	hides = v->redactor->hides(object, id->kind);
	digest = digest_of(v, id, object, hides);
	if (is_there(chain) && chain->digest == digest)
		return false;
	chain->digest = digest;
	sample = sample_of(v, id->kind->id);
	buf_reset(&v->text);
	v->redactor->write(object, id->kind, hides, &v->text);
	if (!sample->text.len) {
		buf_add(&sample->text, delta_base(buf_str(&v->text)));
		v->bytes += sample->text.len;
	}
	buf_reset(&v->delta);
	delta_encode(v->coder, buf_str(&sample->text), buf_str(&v->text), &v->delta);
	add(v, chain, &(struct version){ .time = now, .first = chain->newest ? first_again(chain->newest, first) : (uint8_t)first },
	    buf_str(&v->delta));
	return true;
}

void versions_gone(struct versions *v, const struct object_id *id, int64_t now)
{
	struct chain *chain = chain_of(v, id);

	if (!chain->newest || !chain->newest->gone)
		add(v, chain, &(struct version){ .time = now, .gone = true }, STR_NONE);
}

void versions_let_go(struct versions *v, const struct object_id *id, int64_t now)
{
	struct chain *chain = map_get(&v->chains, key_of(v, id));

	if (chain && is_there(chain))
		add(v, chain, &(struct version){ .time = now, .gone = true, .let_go = true }, STR_NONE);
}

/* ---- looking back ----------------------------------------------------------------- */

static enum version_state find(const struct versions *v, const struct chain *chain, int64_t time,
			       const struct version **out)
{
	const struct version *it = chain ? chain->newest : NULL, *first = NULL;

	for (; it && it->time > time; it = it->older)
		first = it;
	if (!it && first && first->first == FIRST_KNOWN)
		it = first;	/* the object was the same before it was read first */
	*out = it;
	if (it)
		return it->let_go ? VERSION_UNKNOWN : it->gone ? VERSION_ABSENT : VERSION_THERE;
	/* all versions that are kept began later: was the oldest of them the first of all? */
	return first && !first->gone && first->first == FIRST_NEW && time >= v->from ? VERSION_ABSENT : VERSION_UNKNOWN;
}

enum version_state versions_at(struct versions *v, const struct object_id *id, int64_t time, struct arena *arena,
			       struct str *out)
{
	const struct version *found;
	enum version_state state = find(v, map_get(&v->chains, key_of(v, id)), time, &found);

	*out = STR_NONE;
	if (state != VERSION_THERE)
		return state;
	buf_reset(&v->before);
	unpack(v, found, &v->before);
	*out = arena_str(arena, buf_str(&v->before));
	return state;
}

const struct version_text *versions_between(struct versions *v, const struct object_id *id, int64_t from, int64_t to,
					    struct arena *arena, size_t *out_n)
{
	const struct chain *chain = map_get(&v->chains, key_of(v, id));
	const struct version *last = chain ? chain->newest : NULL;
	struct version_text *all;
	size_t n = 0;

	while (last && last->time > to)
		last = last->older;
	for (const struct version *it = last; it && it->time > from; it = it->older)
		n++;
	*out_n = n;
	all = arena_array(arena, n, sizeof(*all));
	for (const struct version *it = last; n; it = it->older) {
		buf_reset(&v->before);
		if (!it->gone)
			unpack(v, it, &v->before);
		all[--n] = (struct version_text){ it->time, it->gone && !it->let_go, it->let_go,
						  it->first == FIRST_AGAIN || it->first == FIRST_KNOWN,
						  arena_str(arena, buf_str(&v->before)) };
	}
	return all;
}

bool versions_went(struct versions *v, const struct object_id *id, int64_t time)
{
	const struct chain *chain = map_get(&v->chains, key_of(v, id));
	const struct version *it = chain ? chain->newest : NULL;

	while (it && (it->time > time || (it->time == time && !it->gone)))
		it = it->older;
	return it && it->time == time && !it->let_go;
}

/* Returns when the object changed last, up to that time; 0: it is as it was when it was seen first. */
static int64_t last_change(const struct chain *chain, int64_t until)
{
	const struct version *it = chain->newest;

	/* what came before it was not looked at counts, and not that it was looked at again */
	while (it && (it->time > until || it->let_go || it->first == FIRST_AGAIN))
		it = it->older;
	return it && it->first != FIRST_KNOWN ? it->time : 0;
}

const struct version_id *versions_changed(struct versions *v, int64_t from, int64_t to, struct arena *arena,
					  size_t *out_n)
{
	struct version_id *all = arena_array(arena, map_count(&v->chains), sizeof(*all));

	*out_n = 0;
	for (struct map_entry *e = map_next(&v->chains, NULL); e; e = map_next(&v->chains, e)) {
		const struct chain *chain = map_value(e);
		struct str names = { chain->key, chain->key_len };
		int64_t changed = last_change(chain, to);

		if (changed <= from)
			continue;
		names = str_from(names, 3 * sizeof(uint32_t));
		all[(*out_n)++] = (struct version_id){ chain->cluster, chain->kind, str_head(names, chain->ns_len),
						       str_from(names, chain->ns_len), changed };
	}
	return all;
}

int64_t versions_from(const struct versions *v)
{
	return v->from;
}

bool versions_has(struct versions *v, const struct object_id *id)
{
	const struct chain *chain = map_get(&v->chains, key_of(v, id));

	return chain && chain->newest;
}

size_t versions_count(const struct versions *v, const struct kind *kind)
{
	const struct sample *sample = kind ? map_get(&v->samples, kind_key(&kind->id)) : NULL;

	if (kind)
		return sample ? sample->objects : 0;
	return v->objects;
}

size_t versions_bytes(const struct versions *v)
{
	return v->bytes;
}

size_t versions_looked_at(const struct versions *v)
{
	return v->looked_at;
}

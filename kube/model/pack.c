/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/model/pack.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/buf.h"
#include "kube/base/utf8.h"

#include <string.h>

_Static_assert(LIMIT_CONDITIONS <= UINT8_MAX && LIMIT_REFS <= UINT8_MAX, "counts have a byte each");

#define INTERNED 0x80000000u
/* A vocabulary is small: a text beyond these limits is somebody's sentence and not a word. */
#define WORD_LENGTH 64
#define WORDS 50000u
/* A text that was written before within one record is looked for among that many last texts. */
#define RECENT 8

struct packed_rare {
	int64_t deleting, revisit;
	struct replicas replicas;
	uint32_t version, version_from, version_to;
	uint32_t file;
};

/* What the conditions of many objects have in common is one interned word, as with edges. */
struct condition_shape {
	uint32_t type, status, reason, severity, polarity;
};

struct packed_condition {
	uint32_t since[2];	/* an int64_t that need not be aligned */
	int32_t generation;
	uint32_t shape, message;
};

/* An edge without its ends and its message.  It has no padding, because it is compared byte by byte. */
struct edge_shape {
	uint32_t via, guard;
	uint32_t flags : 16, relation : 16;
};

/*
 * The other arrays of a status are packed member by member, as these tables say: a text as a number, everything else byte by
 * byte.
 */
enum member_is { IS_VALUE, IS_WORD, IS_TEXT };

struct member {
	size_t offset;
	uint8_t size;		/* in the record */
	enum member_is is;
};

#define VALUE(type, name) { offsetof(type, name), sizeof(((type *)0)->name), IS_VALUE }
#define WORD(type, name) { offsetof(type, name), sizeof(uint32_t), IS_WORD }
#define TEXT(type, name) { offsetof(type, name), sizeof(uint32_t), IS_TEXT }

static const struct member async_members[] = {
	VALUE(struct async, percent),	/* the first: packed_percent() reads it alone */
	VALUE(struct async, updated),
	WORD(struct async, source),
	WORD(struct async, phase),
	WORD(struct async, class),
	WORD(struct async, raw_status),
	WORD(struct async, raw_operation),
	TEXT(struct async, work_request_id),
	TEXT(struct async, request_id),
	TEXT(struct async, message),
};
static const struct member conclusion_members[] = {
	VALUE(struct conclusion, phase),
	VALUE(struct conclusion, severity),
	WORD(struct conclusion, reason),
	TEXT(struct conclusion, message),
	WORD(struct conclusion, rule),
	WORD(struct conclusion, type),
	WORD(struct conclusion, status),
	VALUE(struct conclusion, since),
	VALUE(struct conclusion, attempt),
	VALUE(struct conclusion, blames),
	VALUE(struct conclusion, own_failure),
	VALUE(struct conclusion, by_time),
};
static const struct member external_members[] = {
	VALUE(struct external_wait, state), WORD(struct external_wait, kind), TEXT(struct external_wait, name),
	WORD(struct external_wait, via),    TEXT(struct external_wait, message),
};
static const struct member transition_members[] = {
	VALUE(struct transition, time), WORD(struct transition, what), WORD(struct transition, reason), TEXT(struct transition, message),
};
static const struct member because_members[] = {
	WORD(struct because, what), TEXT(struct because, message), WORD(struct because, from), VALUE(struct because, role),
};
static const struct member string_members[] = { { 0, sizeof(uint32_t), IS_WORD } };

/* An array of a status. */
struct section {
	const struct member *members;
	size_t nmembers, size;	/* size: of an element of the array */
	size_t array, count;	/* where struct status has it, and the number of its elements; count 0: there is one, or none */
};

#define SECTION(type, name, members) \
	{ members, sizeof(members) / sizeof((members)[0]), sizeof(type), offsetof(struct status, name), offsetof(struct status, n##name) }
#define SECTION_OF_ONE(type, name, members) \
	{ members, sizeof(members) / sizeof((members)[0]), sizeof(type), offsetof(struct status, name), 0 }

static const struct section sections[PACKED_SECTIONS] = {
	SECTION_OF_ONE(struct async, async, async_members),
	SECTION_OF_ONE(struct conclusion, earlier, conclusion_members),
	SECTION(struct transition, history, transition_members),
	SECTION(struct external_wait, external, external_members),
	SECTION(struct because, because, because_members),
	SECTION(struct str, flags, string_members),
	SECTION(struct str, finalizers, string_members),
	SECTION(struct str, particulars, string_members),
};

struct packer {
	struct intern *words;
	struct buf text;
	uint32_t recent[RECENT];
	size_t nrecent;
};

/* ---- in ------------------------------------------------------------------ */

static struct str text_at(const struct buf *text, uint32_t at)
{
	uint32_t len;

	assert(at + sizeof(len) <= text->len);
	memcpy(&len, text->ptr + at, sizeof(len));
	assert(len <= text->len - at - sizeof(len));
	return (struct str){ text->ptr + at + sizeof(len), len };
}

static uint32_t pack_short(struct packer *p, struct str s)
{
	uint32_t len, at;

	for (size_t i = 0; i < p->nrecent && i < RECENT; i++)
		if (str_eq(text_at(&p->text, p->recent[i]), s))
			return p->recent[i];
	if (p->text.len == 0)
		buf_add_char(&p->text, '\0');	/* offset 0 stands for the empty text */
	at = (uint32_t)p->text.len;
	len = (uint32_t)s.len;
	buf_add(&p->text, (struct str){ (const char *)&len, sizeof(len) });
	buf_add(&p->text, s);
	p->recent[p->nrecent++ % RECENT] = at;
	return at;
}

/* Of a text that is too long the middle is left out: wrapped errors have their innermost one at the end. */
static uint32_t pack_text(struct packer *p, struct str s)
{
	struct arena arena = { 0 };
	uint32_t at = s.len ? pack_short(p, utf8_cut(s, LIMIT_MESSAGE, &arena)) : 0;

	arena_release(&arena);
	return at;
}

static uint32_t pack_word(struct packer *p, struct str s)
{
	if (s.len > WORD_LENGTH || (intern_count(p->words) >= WORDS && !intern_find(p->words, s)))
		return pack_text(p, s);
	return s.len ? intern_use(p->words, s) | INTERNED : 0;
}

static uint32_t pack_shape(struct packer *p, const void *shape, size_t size)
{
	return intern_use(p->words, (struct str){ shape, size });
}

static uint8_t capped(size_t n)
{
	return (uint8_t)(n < LIMIT_CONDITIONS ? n : LIMIT_CONDITIONS);
}

/* ---- uids ------------------------------------------------------------------ */

static bool is_dash(size_t at)
{
	return at == 8 || at == 13 || at == 18 || at == 23;
}

/*
 * Reads "0f8fad5b-d9cb-469f-a165-70867728950e"; returns false for another spelling, which could not be restored from
 * the bytes.
 */
static bool uid_bytes(struct str s, uint8_t out[UID_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	if (s.len != 36)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		const char *digit = s.ptr[i] ? strchr(digits, s.ptr[i]) : NULL;

		if (is_dash(i) ? s.ptr[i] != '-' : !digit)
			return false;
		if (is_dash(i))
			continue;
		out[n / 2] = (uint8_t)(out[n / 2] << 4 | (digit - digits));
		n++;
	}
	return true;
}

static void pack_uid(struct packer *p, struct str s, struct packed *out)
{
	uint32_t text;

	if (s.len == 0)
		return;
	if (uid_bytes(s, out->uid)) {
		out->uid_form = UID_BYTES;
		return;
	}
	text = pack_text(p, s);
	memset(out->uid, 0, sizeof(out->uid));
	memcpy(out->uid, &text, sizeof(text));
	out->uid_form = UID_TEXT;
}

/* ---- arrays ------------------------------------------------------------------ */

static const char *array_in(const struct status *st, const struct section *s)
{
	const char *array;

	memcpy(&array, (const char *)st + s->array, sizeof(array));
	return array;
}

static uint8_t count_in(const struct status *st, const struct section *s)
{
	uint16_t n;

	if (!s->count)
		return array_in(st, s) != NULL;
	memcpy(&n, (const char *)st + s->count, sizeof(n));
	return capped(n);
}

/* Of async and earlier there is one at most, which has a bit. */
static void set_count(struct packed *p, size_t section, uint8_t n)
{
	if (section == 0)
		p->nasync = n > 0;
	else if (section == 1)
		p->nearlier = n > 0;
	else
		p->counts[section - 2] = n;
}

static uint8_t count_of(const struct packed *p, size_t section)
{
	return section == 0 ? p->nasync : section == 1 ? p->nearlier : p->counts[section - 2];
}

static bool is_rare(const struct object_meta *meta, const struct status *st)
{
	const struct replicas none = REPLICAS_NONE;

	return meta->deleting || st->revisit || meta->file || st->version_from.len || st->version_to.len ||
	       !str_eq(meta->version, meta->id.kind->version) || memcmp(&st->replicas, &none, sizeof(none)) != 0;
}

static void pack_head(struct packer *p, const struct object_meta *meta, const struct status *st,
		      struct packed *out)
{
	out->family = meta->family;
	out->created = meta->created;
	out->generation = meta->generation;
	pack_uid(p, meta->uid, out);
	out->since = st->since;
	out->operator_phase = pack_word(p, st->operator_phase);
	out->reason = pack_word(p, st->reason);
	out->message = pack_text(p, st->message);
	out->rule = pack_word(p, st->rule);
	out->row = pack_word(p, st->row);
	out->phase = (uint8_t)st->phase;
	out->severity = (uint8_t)st->severity;
	out->stale = st->stale;
	out->ever_ready = st->ever_ready;
	out->complete = st->complete;
	out->untouched = st->untouched;
	out->manifest = st->manifest;
	out->own_failure = st->own_failure;
	out->by_time = st->by_time;
	out->runs_out = st->runs_out;
	out->blames = (uint8_t)(st->blames & 3);
	out->retried = st->retried;
	out->nrare = is_rare(meta, st);
	out->nedges = (uint8_t)(st->nrefs < LIMIT_REFS ? st->nrefs : LIMIT_REFS);
	out->nconditions = capped(st->nconditions);
	for (size_t i = 0; i < PACKED_SECTIONS; i++)
		set_count(out, i, count_in(st, &sections[i]));
}

static void append(struct buf *b, const void *bytes, size_t size)
{
	buf_add(b, (struct str){ bytes, size });
}

static void pack_rare(struct packer *p, const struct object_meta *meta, const struct status *st, struct buf *out)
{
	struct packed_rare r;

	memset(&r, 0, sizeof(r));
	r.deleting = meta->deleting;
	r.revisit = st->revisit;
	r.replicas = st->replicas;
	r.version = pack_word(p, str_eq(meta->version, meta->id.kind->version) ? STR_NONE : meta->version);
	r.version_from = pack_word(p, st->version_from);
	r.version_to = pack_word(p, st->version_to);
	r.file = meta->file;
	append(out, &r, sizeof(r));
}

static void pack_edges(struct packer *p, const struct status *st, const uint32_t *targets, size_t n,
		       struct buf *out)
{
	assert(n <= st->nrefs);
	for (size_t i = 0; i < n; i++) {
		const struct ref *r = &st->refs[i];
		struct edge_shape shape = { pack_word(p, r->via), pack_word(p, r->guard), r->flags & 0xFFFF,
					    r->relation };
		struct packed_edge e = { targets[i], pack_shape(p, &shape, sizeof(shape)), pack_text(p, r->message) };

		append(out, &e, sizeof(e));
	}
}

static void pack_conditions(struct packer *p, const struct status *st, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct condition *c = &st->conditions[i];
		struct condition_shape shape = { pack_word(p, c->type), pack_word(p, c->status), pack_word(p, c->reason),
						 pack_word(p, c->severity), c->polarity };
		struct packed_condition pc;

		memcpy(pc.since, &c->since, sizeof(pc.since));
		pc.generation = c->generation < INT32_MAX ? (int32_t)c->generation : INT32_MAX;
		pc.shape = pack_shape(p, &shape, sizeof(shape));
		pc.message = pack_text(p, c->message);
		append(out, &pc, sizeof(pc));
	}
}

static void pack_section(struct packer *p, const struct section *s, const char *from, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++, from += s->size)
		for (size_t k = 0; k < s->nmembers; k++) {
			const struct member *m = &s->members[k];
			struct str text;
			uint32_t r;

			if (m->is == IS_VALUE) {
				append(out, from + m->offset, m->size);
				continue;
			}
			memcpy(&text, from + m->offset, sizeof(text));
			r = m->is == IS_WORD ? pack_word(p, text) : pack_text(p, text);
			append(out, &r, sizeof(r));
		}
}

struct packed *pack(struct intern *words, const struct object_meta *meta, const struct status *st,
		    const uint32_t *targets)
{
	struct packer p = { .words = words };
	struct packed head, *out;
	struct buf body = { 0 };

	buf_reserve(&p.text, 512);
	buf_reserve(&body, 1024);
	memset(&head, 0, sizeof(head));
	pack_head(&p, meta, st, &head);
	append(&body, &head, sizeof(head));
	if (head.nrare)
		pack_rare(&p, meta, st, &body);
	pack_conditions(&p, st, head.nconditions, &body);
	pack_edges(&p, st, targets, head.nedges, &body);
	for (size_t i = 0; i < PACKED_SECTIONS; i++)
		pack_section(&p, &sections[i], array_in(st, &sections[i]), count_of(&head, i), &body);
	assert(body.len + p.text.len < UINT32_MAX);
	head.text = (uint32_t)body.len;
	head.size = (uint32_t)(body.len + p.text.len);
	memcpy(body.ptr, &head, sizeof(head));
	out = xmalloc(head.size);
	memcpy(out, body.ptr, body.len);
	if (p.text.len)
		memcpy((char *)out + body.len, p.text.ptr, p.text.len);
	buf_release(&body);
	buf_release(&p.text);
	return out;
}

struct packed *packed_copy(const struct packed *p)
{
	return p ? memcpy(xmalloc(p->size), p, p->size) : NULL;
}

bool packed_equal(const struct packed *a, const struct packed *b)
{
	return a->size == b->size && memcmp(a, b, a->size) == 0;
}

/* ---- out ----------------------------------------------------------------- */

/* Computes where the arrays start, in their order; each array ends where the next one begins. */
struct layout {
	const struct packed_rare *rare;
	const struct packed_condition *conditions;
	const struct packed_edge *edges;
	const char *sections;	/* not aligned */
};

static struct layout layout_of(const struct packed *p)
{
	struct layout l;

	l.rare = (const void *)(p + 1);
	l.conditions = (const void *)(l.rare + p->nrare);
	l.edges = (const void *)(l.conditions + p->nconditions);
	l.sections = (const void *)(l.edges + p->nedges);
	return l;
}

const struct packed_edge *packed_edges(const struct packed *p)
{
	return layout_of(p).edges;
}

static struct edge_shape edge_shape_of(const struct intern *words, const struct packed_edge *e)
{
	struct str word = intern_str(words, e->shape);
	struct edge_shape shape;

	assert(word.len == sizeof(shape));
	memcpy(&shape, word.ptr, sizeof(shape));
	return shape;
}

static struct condition_shape condition_shape_of(const struct intern *words, const struct packed_condition *c)
{
	struct str word = intern_str(words, c->shape);
	struct condition_shape shape;

	assert(word.len == sizeof(shape));
	memcpy(&shape, word.ptr, sizeof(shape));
	return shape;
}

double packed_percent(const struct packed *p)
{
	double percent = -1;

	if (p->nasync)
		memcpy(&percent, layout_of(p).sections, sizeof(percent));
	return percent;
}

static struct str unpack_text(const struct intern *words, const struct packed *p, uint32_t r)
{
	const char *at = (const char *)p + p->text + r;
	uint32_t len;

	if (r == 0)
		return STR_NONE;
	if (r & INTERNED)
		return intern_str(words, r & ~INTERNED);
	assert(p->text + r + sizeof(len) <= p->size);
	memcpy(&len, at, sizeof(len));
	assert(len <= p->size - p->text - r - sizeof(len));
	return (struct str){ at + sizeof(len), len };
}

void unpack_meta(const struct intern *words, const struct packed *p, struct object_meta *out)
{
	out->created = p->created;
	out->generation = p->generation;
	out->family = p->family;
	if (p->nrare) {
		const struct packed_rare *r = layout_of(p).rare;

		out->version = unpack_text(words, p, r->version);
		out->deleting = r->deleting;
		out->file = r->file;
	}
}

struct str unpack_uid(const struct intern *words, const struct packed *p, struct arena *arena)
{
	static const char digits[] = "0123456789abcdef";
	char text[36];
	uint32_t at;

	if (p->uid_form == UID_TEXT) {
		memcpy(&at, p->uid, sizeof(at));
		return unpack_text(words, p, at);
	}
	if (p->uid_form == UID_NONE)
		return STR_NONE;
	for (size_t i = 0, n = 0; i < sizeof(text); i++) {
		if (is_dash(i)) {
			text[i] = '-';
			continue;
		}
		text[i] = digits[n % 2 ? p->uid[n / 2] & 15 : p->uid[n / 2] >> 4];
		n++;
	}
	return arena_str(arena, (struct str){ text, sizeof(text) });
}

void unpack_brief(const struct intern *words, const struct packed *p, struct status *out)
{
	out->phase = (enum phase)p->phase;
	out->severity = (enum severity)p->severity;
	out->operator_phase = unpack_text(words, p, p->operator_phase);
	out->reason = unpack_text(words, p, p->reason);
	out->message = unpack_text(words, p, p->message);
	out->rule = unpack_text(words, p, p->rule);
	out->row = unpack_text(words, p, p->row);
	out->since = p->since;
	out->stale = p->stale;
	out->ever_ready = p->ever_ready;
	out->complete = p->complete;
	out->untouched = p->untouched;
	out->manifest = p->manifest;
	out->own_failure = p->own_failure;
	out->by_time = p->by_time;
	out->runs_out = p->runs_out;
	out->blames = (enum blame)p->blames;
	out->retried = p->retried;
	out->replicas = REPLICAS_NONE;
	if (p->nrare) {
		const struct packed_rare *r = layout_of(p).rare;

		out->revisit = r->revisit;
		out->replicas = r->replicas;
		out->version_from = unpack_text(words, p, r->version_from);
		out->version_to = unpack_text(words, p, r->version_to);
	}
}

/* ---- words that a record uses -------------------------------------------- */

/* What is done with the words of a record: they are dropped, or their memory is counted. */
struct words {
	struct intern *drops;	/* NULL: they are counted */
	const struct intern *words;
	size_t share;		/* bytes */
};

static void meet_id(struct words *w, uint32_t id)
{
	if (w->drops)
		intern_drop(w->drops, id);
	else
		w->share += intern_share(w->words, id);
}

static void meet(struct words *w, uint32_t r)
{
	if (r & INTERNED)
		meet_id(w, r & ~INTERNED);
}

static void meet_conditions(struct words *w, const struct packed_condition *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct condition_shape shape = condition_shape_of(w->words, &c[i]);

		meet(w, shape.type);
		meet(w, shape.status);
		meet(w, shape.reason);
		meet(w, shape.severity);
		meet_id(w, c[i].shape);
	}
}

/* Meets the words of n elements; returns where the next section begins. */
static const char *meet_section(struct words *w, const struct section *s, const char *at, size_t n)
{
	for (; n > 0; n--)
		for (size_t k = 0; k < s->nmembers; at += s->members[k++].size) {
			uint32_t r;

			if (s->members[k].is != IS_WORD)
				continue;
			memcpy(&r, at, sizeof(r));
			meet(w, r);
		}
	return at;
}

static void meet_all(struct words *w, const struct packed *p)
{
	struct layout l = layout_of(p);
	const char *at = l.sections;

	meet(w, p->operator_phase);
	meet(w, p->reason);
	meet(w, p->rule);
	meet(w, p->row);
	if (p->nrare) {
		meet(w, l.rare->version);
		meet(w, l.rare->version_from);
		meet(w, l.rare->version_to);
	}
	meet_conditions(w, l.conditions, p->nconditions);
	for (size_t i = 0; i < p->nedges; i++) {
		struct edge_shape shape = edge_shape_of(w->words, &l.edges[i]);

		meet(w, shape.via);
		meet(w, shape.guard);
		meet_id(w, l.edges[i].shape);
	}
	for (size_t i = 0; i < PACKED_SECTIONS; i++)
		at = meet_section(w, &sections[i], at, count_of(p, i));
	assert(at == (const char *)p + p->text && p->text <= p->size);
}

void packed_free(struct intern *words, struct packed *p)
{
	if (p)
		meet_all(&(struct words){ words, words, 0 }, p);
	xfree(p);
}

size_t packed_words_size(const struct intern *words, const struct packed *p)
{
	struct words w = { NULL, words, 0 };

	if (p)
		meet_all(&w, p);
	return w.share;
}

/* ---- out, array by array -------------------------------------------------- */

static void unpack_conditions(const struct intern *w, const struct packed *p, struct arena *arena,
			      struct status *out)
{
	const struct packed_condition *pc = layout_of(p).conditions;
	struct condition *c = arena_array(arena, p->nconditions, sizeof(*c));

	for (size_t i = 0; i < p->nconditions; i++) {
		struct condition_shape shape = condition_shape_of(w, &pc[i]);

		c[i] = (struct condition){ unpack_text(w, p, shape.type), unpack_text(w, p, shape.status),
					   unpack_text(w, p, shape.reason), unpack_text(w, p, pc[i].message),
					   unpack_text(w, p, shape.severity), .generation = pc[i].generation,
					   .polarity = (enum polarity)shape.polarity };
		memcpy(&c[i].since, pc[i].since, sizeof(c[i].since));
	}
	out->conditions = c;
	out->nconditions = p->nconditions;
}

/* Unpacks an array into out; returns where the next section begins. */
static const char *unpack_section(const struct intern *w, const struct packed *p, size_t section, const char *at, struct arena *arena,
				  struct status *out)
{
	const struct section *s = &sections[section];
	uint16_t n = count_of(p, section);
	char *array = n ? arena_array(arena, n, s->size) : NULL;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < s->nmembers; at += s->members[k++].size) {
			const struct member *m = &s->members[k];
			char *to = array + i * s->size + m->offset;
			struct str text;
			uint32_t r;

			if (m->is == IS_VALUE) {
				memcpy(to, at, m->size);
				continue;
			}
			memcpy(&r, at, sizeof(r));
			text = unpack_text(w, p, r);
			memcpy(to, &text, sizeof(text));
		}
	memcpy((char *)out + s->array, &array, sizeof(array));
	if (s->count)
		memcpy((char *)out + s->count, &n, sizeof(n));
	return at;
}

void unpack_arrays(const struct intern *words, const struct packed *p, struct arena *arena, struct status *out)
{
	const char *at = layout_of(p).sections;

	unpack_conditions(words, p, arena, out);
	for (size_t i = 0; i < PACKED_SECTIONS; i++)
		at = unpack_section(words, p, i, at, arena, out);
}

struct edge unpack_edge_ends(const struct intern *words, const struct packed *p, size_t i)
{
	const struct packed_edge *e = &layout_of(p).edges[i];
	struct edge_shape shape = edge_shape_of(words, e);

	return (struct edge){ .target = e->target, .relation = (enum relation)shape.relation, .flags = shape.flags };
}

struct edge unpack_edge(const struct intern *words, const struct packed *p, size_t i)
{
	const struct packed_edge *e = &layout_of(p).edges[i];
	struct edge_shape shape = edge_shape_of(words, e);

	return (struct edge){ e->target, (enum relation)shape.relation, shape.flags,
			      unpack_text(words, p, shape.via), unpack_text(words, p, shape.guard),
			      unpack_text(words, p, e->message) };
}

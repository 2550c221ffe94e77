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

struct packed_async {
	int64_t updated;
	double percent;
	uint32_t source, phase, class, raw_status, raw_operation, work_request_id, request_id, message;
};

/* An edge without its ends and its message.  It has no padding, because it is compared byte by byte. */
struct edge_shape {
	uint32_t via, guard;
	uint32_t flags : 16, relation : 16;
};

struct packed_conclusion {
	int64_t since, attempt;
	uint32_t reason, message, rule, type, status;
	uint8_t phase, severity;
	uint8_t own_failure : 1, by_time : 1, blames : 2;
	uint8_t padding;
};

struct packed_external {
	uint32_t kind, name, via, message;
	uint8_t state;
};

struct packed_transition {
	int64_t time;
	uint32_t what, reason, message;
};

struct packed_because {
	uint32_t what, message, from, role;
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

static uint32_t pack_text(struct packer *p, struct str s)
{
	uint32_t len, at;

	if (s.len == 0)
		return 0;
	if (s.len > LIMIT_MESSAGE)
		s = utf8_head(s, LIMIT_MESSAGE);
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
	out->nearlier = st->earlier != NULL;
	out->nasync = st->async != NULL;
	out->nrare = is_rare(meta, st);
	out->nedges = (uint8_t)(st->nrefs < LIMIT_REFS ? st->nrefs : LIMIT_REFS);
	out->nconditions = capped(st->nconditions);
	out->nexternal = capped(st->nexternal);
	out->nhistory = capped(st->nhistory);
	out->nbecause = capped(st->nbecause);
	out->nflags = capped(st->nflags);
	out->nfinalizers = capped(st->nfinalizers);
	out->nparticulars = capped(st->nparticulars);
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

static void pack_async(struct packer *p, const struct async *a, struct buf *out)
{
	struct packed_async pa;

	if (!a)
		return;
	memset(&pa, 0, sizeof(pa));
	pa.updated = a->updated;
	pa.percent = a->percent;
	pa.source = pack_word(p, a->source);
	pa.phase = pack_word(p, a->phase);
	pa.class = pack_word(p, a->class);
	pa.raw_status = pack_word(p, a->raw_status);
	pa.raw_operation = pack_word(p, a->raw_operation);
	pa.work_request_id = pack_text(p, a->work_request_id);
	pa.request_id = pack_text(p, a->request_id);
	pa.message = pack_text(p, a->message);
	append(out, &pa, sizeof(pa));
}

static void pack_conclusion(struct packer *p, const struct conclusion *c, struct buf *out)
{
	struct packed_conclusion pc;

	if (!c)
		return;
	memset(&pc, 0, sizeof(pc));
	pc.since = c->since;
	pc.attempt = c->attempt;
	pc.reason = pack_word(p, c->reason);
	pc.message = pack_text(p, c->message);
	pc.rule = pack_word(p, c->rule);
	pc.type = pack_word(p, c->type);
	pc.status = pack_word(p, c->status);
	pc.phase = (uint8_t)c->phase;
	pc.severity = (uint8_t)c->severity;
	pc.own_failure = c->own_failure;
	pc.by_time = c->by_time;
	pc.blames = (uint8_t)(c->blames & 3);
	append(out, &pc, sizeof(pc));
}

static void pack_external(struct packer *p, const struct status *st, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct external_wait *w = &st->external[i];
		struct packed_external pe;

		memset(&pe, 0, sizeof(pe));
		pe.kind = pack_word(p, w->kind);
		pe.name = pack_text(p, w->name);
		pe.via = pack_word(p, w->via);
		pe.message = pack_text(p, w->message);
		pe.state = (uint8_t)w->state;
		append(out, &pe, sizeof(pe));
	}
}

static void pack_history(struct packer *p, const struct status *st, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct transition *t = &st->history[i];
		struct packed_transition pt;

		memset(&pt, 0, sizeof(pt));
		pt.time = t->time;
		pt.what = pack_word(p, t->what);
		pt.reason = pack_word(p, t->reason);
		pt.message = pack_text(p, t->message);
		append(out, &pt, sizeof(pt));
	}
}

static void pack_because(struct packer *p, const struct status *st, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct because *b = &st->because[i];
		struct packed_because pb = { pack_word(p, b->what), pack_text(p, b->message), pack_word(p, b->from), b->role };

		append(out, &pb, sizeof(pb));
	}
}

static void pack_strings(struct packer *p, const struct str *strings, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t r = pack_word(p, strings[i]);

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
	pack_conclusion(&p, st->earlier, &body);
	pack_async(&p, st->async, &body);
	pack_history(&p, st, head.nhistory, &body);
	pack_external(&p, st, head.nexternal, &body);
	pack_because(&p, st, head.nbecause, &body);
	pack_conditions(&p, st, head.nconditions, &body);
	pack_edges(&p, st, targets, head.nedges, &body);
	pack_strings(&p, st->flags, head.nflags, &body);
	pack_strings(&p, st->finalizers, head.nfinalizers, &body);
	pack_strings(&p, st->particulars, head.nparticulars, &body);
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
	const struct packed_conclusion *earlier;
	const struct packed_async *async;
	const struct packed_transition *history;
	const struct packed_external *external;
	const struct packed_because *because;
	const struct packed_condition *conditions;
	const struct packed_edge *edges;
	const uint32_t *flags, *finalizers, *particulars;
};

static struct layout layout_of(const struct packed *p)
{
	struct layout l;

	l.rare = (const void *)(p + 1);
	l.earlier = (const void *)(l.rare + p->nrare);
	l.async = (const void *)(l.earlier + p->nearlier);
	l.history = (const void *)(l.async + p->nasync);
	l.external = (const void *)(l.history + p->nhistory);
	l.because = (const void *)(l.external + p->nexternal);
	l.conditions = (const void *)(l.because + p->nbecause);
	l.edges = (const void *)(l.conditions + p->nconditions);
	l.flags = (const void *)(l.edges + p->nedges);
	l.finalizers = l.flags + p->nflags;
	l.particulars = l.finalizers + p->nfinalizers;
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
	return p->nasync ? layout_of(p).async->percent : -1;
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

static void meet_all(struct words *w, const struct packed *p)
{
	struct layout l = layout_of(p);

	assert((const char *)(l.particulars + p->nparticulars) == (const char *)p + p->text && p->text <= p->size);
	meet(w, p->operator_phase);
	meet(w, p->reason);
	meet(w, p->rule);
	meet(w, p->row);
	if (p->nrare) {
		meet(w, l.rare->version);
		meet(w, l.rare->version_from);
		meet(w, l.rare->version_to);
	}
	if (p->nearlier) {
		meet(w, l.earlier->reason);
		meet(w, l.earlier->rule);
		meet(w, l.earlier->type);
		meet(w, l.earlier->status);
	}
	if (p->nasync) {
		meet(w, l.async->source);
		meet(w, l.async->phase);
		meet(w, l.async->class);
		meet(w, l.async->raw_status);
		meet(w, l.async->raw_operation);
	}
	meet_conditions(w, l.conditions, p->nconditions);
	for (size_t i = 0; i < p->nhistory; i++) {
		meet(w, l.history[i].what);
		meet(w, l.history[i].reason);
	}
	for (size_t i = 0; i < p->nexternal; i++) {
		meet(w, l.external[i].kind);
		meet(w, l.external[i].via);
	}
	for (size_t i = 0; i < p->nbecause; i++) {
		meet(w, l.because[i].what);
		meet(w, l.because[i].from);
	}
	for (size_t i = 0; i < p->nedges; i++) {
		struct edge_shape shape = edge_shape_of(w->words, &l.edges[i]);

		meet(w, shape.via);
		meet(w, shape.guard);
		meet_id(w, l.edges[i].shape);
	}
	for (size_t i = 0; i < p->nflags; i++)
		meet(w, l.flags[i]);
	for (size_t i = 0; i < p->nfinalizers; i++)
		meet(w, l.finalizers[i]);
	for (size_t i = 0; i < p->nparticulars; i++)
		meet(w, l.particulars[i]);
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

static void unpack_async(const struct intern *w, const struct packed *p, struct arena *arena, struct status *out)
{
	const struct packed_async *pa = layout_of(p).async;
	struct async *a;

	if (!p->nasync)
		return;
	a = arena_alloc(arena, sizeof(*a));
	*a = (struct async){ unpack_text(w, p, pa->source), unpack_text(w, p, pa->phase),
			     unpack_text(w, p, pa->class), unpack_text(w, p, pa->raw_status),
			     unpack_text(w, p, pa->raw_operation), unpack_text(w, p, pa->work_request_id),
			     unpack_text(w, p, pa->request_id), unpack_text(w, p, pa->message),
			     pa->percent, pa->updated };
	out->async = a;
}

static void unpack_conclusion(const struct intern *w, const struct packed *p, struct arena *arena, struct status *out)
{
	const struct packed_conclusion *pc = layout_of(p).earlier;
	struct conclusion *c;

	if (!p->nearlier)
		return;
	c = arena_alloc(arena, sizeof(*c));
	*c = (struct conclusion){
		.phase = (enum phase)pc->phase,
		.severity = (enum severity)pc->severity,
		.reason = unpack_text(w, p, pc->reason),
		.message = unpack_text(w, p, pc->message),
		.rule = unpack_text(w, p, pc->rule),
		.type = unpack_text(w, p, pc->type),
		.status = unpack_text(w, p, pc->status),
		.since = pc->since,
		.attempt = pc->attempt,
		.own_failure = pc->own_failure,
		.by_time = pc->by_time,
		.blames = (enum blame)pc->blames,
	};
	out->earlier = c;
}

static void unpack_external(const struct intern *w, const struct packed *p, struct arena *arena,
			    struct status *out)
{
	const struct packed_external *pe = layout_of(p).external;
	struct external_wait *e = arena_array(arena, p->nexternal, sizeof(*e));

	for (size_t i = 0; i < p->nexternal; i++)
		e[i] = (struct external_wait){ (enum wait_state)pe[i].state, unpack_text(w, p, pe[i].kind),
					       unpack_text(w, p, pe[i].name), unpack_text(w, p, pe[i].via),
					       unpack_text(w, p, pe[i].message) };
	out->external = e;
	out->nexternal = p->nexternal;
}

static void unpack_history(const struct intern *w, const struct packed *p, struct arena *arena,
			   struct status *out)
{
	const struct packed_transition *pt = layout_of(p).history;
	struct transition *t = arena_array(arena, p->nhistory, sizeof(*t));

	for (size_t i = 0; i < p->nhistory; i++)
		t[i] = (struct transition){ pt[i].time, unpack_text(w, p, pt[i].what),
					    unpack_text(w, p, pt[i].reason), unpack_text(w, p, pt[i].message) };
	out->history = t;
	out->nhistory = p->nhistory;
}

static void unpack_because(const struct intern *w, const struct packed *p, struct arena *arena, struct status *out)
{
	const struct packed_because *pb = layout_of(p).because;
	struct because *b = arena_array(arena, p->nbecause, sizeof(*b));

	for (size_t i = 0; i < p->nbecause; i++)
		b[i] = (struct because){ unpack_text(w, p, pb[i].what), unpack_text(w, p, pb[i].message),
					 unpack_text(w, p, pb[i].from), (enum because_role)pb[i].role };
	out->because = b;
	out->nbecause = p->nbecause;
}

static const struct str *unpack_strings(const struct intern *w, const struct packed *p, const uint32_t *refs,
					struct arena *arena, size_t n)
{
	struct str *out = arena_array(arena, n, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = unpack_text(w, p, refs[i]);
	return out;
}

void unpack_arrays(const struct intern *words, const struct packed *p, struct arena *arena, struct status *out)
{
	struct layout l = layout_of(p);

	unpack_conclusion(words, p, arena, out);
	unpack_async(words, p, arena, out);
	unpack_conditions(words, p, arena, out);
	unpack_history(words, p, arena, out);
	unpack_external(words, p, arena, out);
	unpack_because(words, p, arena, out);
	out->flags = unpack_strings(words, p, l.flags, arena, p->nflags);
	out->nflags = p->nflags;
	out->finalizers = unpack_strings(words, p, l.finalizers, arena, p->nfinalizers);
	out->nfinalizers = p->nfinalizers;
	out->particulars = unpack_strings(words, p, l.particulars, arena, p->nparticulars);
	out->nparticulars = p->nparticulars;
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

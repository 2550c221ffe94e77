/* SPDX-License-Identifier: Apache-2.0 */
/* What phase 2 made of an object: compared, and kept in one allocation. */
#include "kube/base/alloc.h"
#include "kube/graph/graph_private.h"

#include <string.h>

bool graph_wants_events(const struct graph *g, struct handle h)
{
	return store_alive(g->store, h) && h.slot < g->nslots && (g->asks[h.slot] & ASKS_WHY);
}

static bool same_waits(const struct health *a, const struct health *b)
{
	if (a->nwaits != b->nwaits)
		return false;
	for (size_t i = 0; i < a->nwaits; i++) {
		const struct health_wait *x = &a->waits[i], *y = &b->waits[i];

		if (x->target != y->target || x->state != y->state || x->blocks != y->blocks ||
		    !str_eq(x->message, y->message) || !str_eq(x->via, y->via) ||
		    !str_eq(x->kind, y->kind) || !str_eq(x->name, y->name))
			return false;
	}
	return true;
}

static bool same_flags(const struct health *a, const struct health *b)
{
	if (a->nflags != b->nflags)
		return false;
	for (size_t i = 0; i < a->nflags; i++)
		if (!str_eq(a->flags[i], b->flags[i]))
			return false;
	return true;
}

bool health_same(const struct health *a, const struct health *b)
{
	return a->phase == b->phase && a->severity == b->severity && a->since == b->since &&
	       str_eq(a->operator_phase, b->operator_phase) && str_eq(a->reason, b->reason) &&
	       str_eq(a->message, b->message) && str_eq(a->rule, b->rule) && same_flags(a, b) &&
	       str_eq(a->version_from, b->version_from) && str_eq(a->version_to, b->version_to) &&
	       same_waits(a, b);
}

static struct str keep(char **at, struct str s)
{
	struct str copy = { *at, s.len };

	if (s.len)
		memcpy(*at, s.ptr, s.len);
	*at += s.len;
	return s.len ? copy : STR_NONE;
}

static size_t text_size(const struct health *d)
{
	size_t n = d->operator_phase.len + d->reason.len + d->message.len + d->rule.len + d->version_from.len +
		   d->version_to.len;

	for (size_t i = 0; i < d->nwaits; i++)
		n += d->waits[i].via.len + d->waits[i].message.len + d->waits[i].kind.len +
		     d->waits[i].name.len;
	for (size_t i = 0; i < d->nflags; i++)
		n += d->flags[i].len;
	return n;
}

/* One allocation, as the store does: record, waits, flags, text. */
struct health *health_keep(const struct health *d)
{
	size_t waits = d->nwaits * sizeof(struct health_wait), flags = d->nflags * sizeof(struct str);
	char *block = xmalloc(sizeof(*d) + waits + flags + text_size(d)), *at;
	struct health *copy = (void *)block;
	struct health_wait *w = (void *)(block + sizeof(*d));
	struct str *f = (void *)(block + sizeof(*d) + waits);

	*copy = *d;
	at = block + sizeof(*d) + waits + flags;
	copy->operator_phase = keep(&at, d->operator_phase);
	copy->reason = keep(&at, d->reason);
	copy->message = keep(&at, d->message);
	copy->rule = keep(&at, d->rule);
	copy->version_from = keep(&at, d->version_from);
	copy->version_to = keep(&at, d->version_to);
	for (size_t i = 0; i < d->nwaits; i++) {
		w[i] = d->waits[i];
		w[i].via = keep(&at, d->waits[i].via);
		w[i].message = keep(&at, d->waits[i].message);
		w[i].kind = keep(&at, d->waits[i].kind);
		w[i].name = keep(&at, d->waits[i].name);
	}
	for (size_t i = 0; i < d->nflags; i++)
		f[i] = keep(&at, d->flags[i]);
	copy->waits = w;
	copy->flags = f;
	return copy;
}

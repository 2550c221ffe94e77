/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/journal/journal.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/ring.h"
#include "kube/base/utf8.h"

#include <string.h>

enum {
	NAME_BYTES = 1024,	/* the API server accepts no longer names; a recording may contain any */
	MESSAGE_BYTES = 300
};

/* The number of the first entry that is added, so that there are numbers for those that are added before it. */
#define FIRST_NUMBER ((uint64_t)1 << 32)

struct journal {
	struct ring ring;	/* struct journal_entry, the oldest first */
	uint64_t first;		/* the number of the oldest entry */
	size_t ceiling, texts;	/* bytes; texts: of those of all entries */
	int64_t from;
	struct watched *watched;
};

struct journal *journal_new(size_t ceiling)
{
	struct journal *j = xcalloc(1, sizeof(*j));

	j->ring.item = sizeof(struct journal_entry);
	j->ceiling = ceiling;
	j->first = FIRST_NUMBER;
	j->watched = watched_new(WATCHED_CEILING);
	return j;
}

static struct journal_entry *entry(const struct journal *j, size_t i)
{
	return ring_item(&j->ring, i);
}

void journal_free(struct journal *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->ring.n; i++)
		xfree(entry(j, i)->texts);
	watched_free(j->watched);
	ring_release(&j->ring);
	xfree(j);
}

static size_t texts_size(const struct journal_entry *e)
{
	return (size_t)e->ns_len + e->name_len + e->reason_len + e->message_len;
}

static size_t size_of(const struct journal_entry *e)
{
	return e->texts ? texts_size(e) + 1 + ALLOC_OVERHEAD : 0;
}

static void drop_oldest(struct journal *j)
{
	struct journal_entry *e = entry(j, 0);

	assert(j->texts >= size_of(e));
	j->texts -= size_of(e);
	/* the maximum, because the clock of a computer may be set back */
	j->from = e->time > j->from ? e->time : j->from;
	xfree(e->texts);
	ring_drop_first(&j->ring);
	j->first++;
}

static void keep_ceiling(struct journal *j)
{
	while (j->ceiling && journal_size(j) > j->ceiling && j->ring.n)
		drop_oldest(j);
	assert(j->ring.n || j->texts == 0);
}

void journal_limit(struct journal *j, size_t ceiling)
{
	j->ceiling = ceiling;
	keep_ceiling(j);
}

/* Returns true when one more entry with texts of so many bytes goes beyond the ceiling. */
static bool is_too_much(const struct journal *j, size_t texts)
{
	return j->ceiling && j->texts + texts + ring_next_size(&j->ring) > j->ceiling;
}

static uint16_t put_text(struct journal_entry *e, size_t *at, struct str s)
{
	if (s.len)
		memcpy(e->texts + *at, s.ptr, s.len);
	*at += s.len;
	return (uint16_t)s.len;
}

static void keep_texts(struct journal_entry *e, const struct journal_texts *texts)
{
	struct str ns = utf8_head(texts->ns, NAME_BYTES), name = utf8_head(texts->name, NAME_BYTES);
	struct str reason = utf8_head(texts->reason, NAME_BYTES), message = utf8_head(texts->message, MESSAGE_BYTES);
	size_t at = 0;

	e->texts = xmalloc(ns.len + name.len + reason.len + message.len + 1);
	e->ns_len = put_text(e, &at, ns);
	e->name_len = put_text(e, &at, name);
	e->reason_len = put_text(e, &at, reason);
	e->message_len = put_text(e, &at, message);
}

uint64_t journal_add(struct journal *j, const struct journal_entry *e, const struct journal_texts *texts)
{
	struct journal_entry *added;

	assert(e->what <= JOURNAL_DESELECTED && !e->texts);
	while (j->ring.n && is_too_much(j, 0))
		drop_oldest(j);
	added = ring_add_last(&j->ring);
	*added = *e;
	added->ns_len = added->name_len = added->reason_len = added->message_len = 0;
	if (texts)
		keep_texts(added, texts);
	j->texts += size_of(added);
	keep_ceiling(j);
	return journal_end(j) - 1;
}

bool journal_add_before(struct journal *j, const struct journal_entry *e, const struct journal_texts *texts)
{
	struct journal_entry whole = *e;

	assert(e->what <= JOURNAL_DESELECTED && !e->texts);
	if (j->first == 0 || j->from)
		return false;
	whole.ns_len = whole.name_len = whole.reason_len = whole.message_len = 0;
	if (texts)
		keep_texts(&whole, texts);
	if (is_too_much(j, size_of(&whole))) {
		xfree(whole.texts);
		return false;
	}
	j->first--;
	*(struct journal_entry *)ring_add_first(&j->ring) = whole;
	j->texts += size_of(&whole);
	return true;
}

uint64_t journal_first(const struct journal *j)
{
	return j->first;
}

uint64_t journal_end(const struct journal *j)
{
	return j->first + j->ring.n;
}

const struct journal_entry *journal_at(const struct journal *j, uint64_t number)
{
	assert(number >= j->first && number < journal_end(j));
	return entry(j, (size_t)(number - j->first));
}

struct journal_texts journal_texts(const struct journal_entry *e)
{
	struct str all = { e->texts, texts_size(e) };
	struct journal_texts out;

	out.ns = str_head(all, e->ns_len);
	all = str_from(all, e->ns_len);
	out.name = str_head(all, e->name_len);
	all = str_from(all, e->name_len);
	out.reason = str_head(all, e->reason_len);
	out.message = str_from(all, e->reason_len);
	return out;
}

struct watched *journal_watched(const struct journal *j)
{
	return j->watched;
}

int64_t journal_from(const struct journal *j)
{
	return j->from;
}

size_t journal_size(const struct journal *j)
{
	return j->texts + ring_size(&j->ring);
}

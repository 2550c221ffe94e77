/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal and the undo log, with entries of any size: within their ceilings the newest entries are as they were
 * added, settles are dropped as a whole, and no word is left behind.
 */
#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/journal/journal.h"
#include "kube/journal/undo.h"
#include "kube/model/pack.h"
#include "tests/fuzz/steps.h"

#include <string.h>

enum { ENTRIES = 6000 };

struct run {
	struct journal *journal;
	struct undo_log *undo;
	struct intern words;
	size_t ceiling;
	uint64_t first, end;	/* of the entries that were added to the journal */
	int64_t time;
	int64_t journal_times[2 * ENTRIES];	/* by number, from the middle on */
	int64_t undo_times[ENTRIES];		/* of marks; 0: another entry */
	uint64_t undo_end;
	struct buf text;
};

/* ---- the journal ---------------------------------------------------------- */

static struct journal_texts texts_of(struct run *r, int64_t time)
{
	size_t n = (size_t)(time * 37 % 200);

	version_text(1, (unsigned)time, n, &r->text);
	return (struct journal_texts){ str_head(buf_str(&r->text), n / 3), str_head(buf_str(&r->text), n / 2 + 1), STR_NONE,
				       str_head(buf_str(&r->text), n) };
}

static int64_t *journal_time(struct run *r, uint64_t number)
{
	return &r->journal_times[ENTRIES + (int64_t)(number - r->first)];
}

static void check_journal(struct run *r)
{
	uint64_t first = journal_first(r->journal), end = journal_end(r->journal);

	expect(!r->ceiling || journal_size(r->journal) <= r->ceiling, "the ceiling of the journal");
	expect(end == r->end, "the last entry");
	for (uint64_t i = first; i < end; i += 1 + (end - first) / 8) {
		const struct journal_entry *e = journal_at(r->journal, i);
		struct journal_texts found = journal_texts(e), wanted = texts_of(r, e->time);

		expect(e->time == *journal_time(r, i), "an entry of the journal");
		expect(!e->texts || (str_eq(found.ns, wanted.ns) && str_eq(found.name, wanted.name) && str_eq(found.message, wanted.message)),
		       "the texts of an entry");
	}
}

static void add_to_journal(struct run *r, bool before, bool texts)
{
	struct journal_entry e = { .time = ++r->time, .what = JOURNAL_CAME };
	struct journal_texts t = texts_of(r, r->time);

	if (!before) {
		expect(journal_add(r->journal, &e, texts ? &t : NULL) == r->end, "the number of an entry");
		*journal_time(r, r->end++) = r->time;
	} else if (journal_add_before(r->journal, &e, texts ? &t : NULL)) {
		*journal_time(r, journal_first(r->journal)) = r->time;
	}
}

/* ---- the undo log ---------------------------------------------------------- */

static struct packed *record(struct run *r, uint8_t arg)
{
	static const struct kind kind = { .id = 1, .kind = { "Widget", 6 } };
	struct arena a = { 0 };
	struct condition conditions[8] = { 0 };
	struct object_meta meta = { .id = { 0, &kind, STR_NONE, STR("a") } };
	struct status st = { .conditions = conditions, .nconditions = arg % 8, .replicas = REPLICAS_NONE };
	struct packed *p;

	for (unsigned i = 0; i < st.nconditions; i++)
		conditions[i] = (struct condition){ .type = arena_printf(&a, "Type%u", i), .status = STR("True"),
						    .reason = arena_printf(&a, "Reason%lld", (long long)r->time + i) };
	p = pack(&r->words, &meta, &st, NULL);
	arena_release(&a);
	return p;
}

static void add_to_undo(struct run *r, uint8_t what, uint8_t arg)
{
	struct undo_entry e = { .what = what % 2 ? UNDO_NODE : UNDO_HEALTH, .slot = (uint32_t)r->undo_end };

	e.state_size = arg + 1u;
	e.state = memset(xmalloc(e.state_size), arg, e.state_size);
	if (what % 2) {
		struct packed *p = record(r, arg);

		e.record = p;
		e.size = p->size;
	}
	undo_add(r->undo, &e);
	r->undo_times[r->undo_end++] = 0;
}

static void mark(struct run *r)
{
	bool news = r->undo_end && r->undo_times[r->undo_end - 1] == 0;

	undo_mark(r->undo, ++r->time);
	if (news || undo_end(r->undo) > r->undo_end)
		r->undo_times[r->undo_end++] = r->time;
}

static void take(struct run *r)
{
	struct undo_entry e;

	if (!undo_take(r->undo, &e))
		return;
	expect(--r->undo_end == undo_end(r->undo), "the entry that was taken");
	undo_drop(r->undo, &e);
}

static void check_undo(struct run *r)
{
	uint64_t first = undo_first(r->undo), end = undo_end(r->undo);

	expect(!r->ceiling || undo_size(r->undo) <= r->ceiling, "the ceiling of the undo log");
	expect(end == r->undo_end && first <= end, "the last entry");
	for (uint64_t i = first; i < end; i += 1 + (end - first) / 8) {
		const struct undo_entry *e = undo_at(r->undo, i);

		expect((e->what == UNDO_MARK) == (r->undo_times[i] != 0), "a mark");
		expect(e->what == UNDO_MARK ? e->time == r->undo_times[i] : e->slot == i, "an entry of the undo log");
	}
	expect(first == end || !undo_from(r->undo) || undo_from(r->undo) == r->undo_times[first - 1], "the oldest mark");
}

static void step(struct run *r, struct steps *in)
{
	uint8_t what = step_byte(in), arg = step_byte(in);
	unsigned times = what % 8 == 6 ? arg : 1;

	for (; times && r->end - r->first < ENTRIES - 1 && r->undo_end < ENTRIES - 1 && r->time < ENTRIES; times--) {
		if (what % 8 < 3)
			add_to_journal(r, what % 8 == 0, arg % 2);
		else if (what % 8 < 5)
			add_to_undo(r, what, arg);
		else if (what % 8 == 5)
			mark(r);
		else if (what % 8 == 6)
			what & 8 ? add_to_undo(r, what, arg) : add_to_journal(r, false, what & 16);
		else
			take(r);
	}
	check_journal(r);
	check_undo(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run r;
	struct steps in = { data, size, 0 };
	uint8_t how = step_byte(&in);

	r = (struct run){ .ceiling = how % 4 ? (size_t)1000 << how / 4 % 7 : 0 };
	r.journal = journal_new(r.ceiling);
	r.undo = undo_new(&r.words, r.ceiling);
	r.first = r.end = journal_end(r.journal);
	while (steps_left(&in))
		step(&r, &in);
	journal_limit(r.journal, 1);
	expect(journal_first(r.journal) == journal_end(r.journal) && journal_size(r.journal) == 0, "an empty journal");
	journal_free(r.journal);
	undo_free(r.undo);
	expect(intern_count(&r.words) == 0, "words that are left");
	intern_release(&r.words);
	buf_release(&r.text);
	return 0;
}

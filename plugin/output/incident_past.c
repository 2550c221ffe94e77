/* SPDX-License-Identifier: Apache-2.0 */
/* What happened, and what was changed, for the report.  Equal things that happened to several objects share a row. */
#include "plugin/output/incident.h"

#include "kube/base/time.h"
#include "tui/words/words.h"

#include <stdlib.h>

enum {
	ROWS = 400,		/* so many rows of the timeline */
	CHANGED = 200,		/* so many rows of what was changed */
	FIELDS = 6,		/* so many fields of one object */
	NAMES = 4,		/* so many objects that share a row are named */
	VALUE = 120		/* columns of a value */
};
#define TOGETHER MINUTES(1)	/* what happens equally within this time shares a row */

/* Something that happened to one object or to several equal ones. */
struct row {
	struct str time, what, said;	/* said: the reason and the message */
	const struct changed_object *first;
	const struct timeline_entry *entry;
	int64_t began, last;
	size_t n;
	struct str names;
	unsigned rank;		/* the higher, the more it has to do with the root causes */
	size_t number;		/* of the row, in the order of time */
};

struct rows {
	const struct incident *in;
	struct arena *a;
	struct row *all;
	size_t n;
	struct map alike;	/* by what is equal: the newest such row */
	struct map met;		/* by that and the name of an object: the newest row that has the object */
	struct arena keys;
};

static void add_row_name(struct rows *rows, struct row *r, struct str name)
{
	r->n++;
	if (r->n <= NAMES)
		r->names = r->n == 1 ? name : ARENA_JOIN(rows->a, r->names, STR(", "), name);
}

/* Returns the row that shares this key and began a moment ago; NULL: there is none. */
static struct row *row_shared(struct rows *rows, struct str key, int64_t time)
{
	struct row *r = map_get(&rows->alike, key);

	return r && time - r->began <= TOGETHER ? r : NULL;
}

static struct row *row_add(struct rows *rows, struct str key, int64_t time)
{
	struct row *r = &rows->all[rows->n];

	*r = (struct row){ .began = time, .number = rows->n++ };
	map_set(&rows->alike, key, r);
	return r;
}

static struct str key_of(struct rows *rows, const struct changed_object *o)
{
	arena_reset(&rows->keys);
	return arena_printf(&rows->keys, "%d %d %d %u " STR_FMT "/" STR_FMT "/" STR_FMT, o->word, (int)o->from, (int)o->to, o->cluster, STR_ARG(o->id.group),
			    STR_ARG(o->id.kind), STR_ARG(o->id.ns));
}

/* ---- the timeline ---------------------------------------------------------------------------- */

static void rank_objects(struct map *ranks, const struct logged_objects *objects, uintptr_t rank, struct arena *keys)
{
	for (size_t i = 0; i < objects->n; i++) {
		const struct object_id *id = &objects->all[i].id;
		struct str key = arena_printf(keys, "%u/" STR_FMT "/" STR_FMT "/" STR_FMT, id->cluster, STR_ARG(id->kind->kind), STR_ARG(id->ns), STR_ARG(id->name));

		if (!map_get(ranks, key))
			map_set(ranks, key, (void *)rank);
		arena_reset(keys);
	}
}

static unsigned rank_of(const struct map *ranks, const struct changed_object *o, struct arena *keys)
{
	struct str key = arena_printf(keys, "%u/" STR_FMT "/" STR_FMT "/" STR_FMT, o->cluster, STR_ARG(o->id.kind), STR_ARG(o->id.ns), STR_ARG(o->id.name));
	uintptr_t rank = (uintptr_t)map_get(ranks, key);

	arena_reset(keys);
	return (unsigned)rank + (o->to == PHASE_FAILED || o->to == PHASE_DEGRADED);
}

static void collect(struct rows *rows, const struct changes *c, const struct map *ranks)
{
	struct arena keys = { 0 }, names = { 0 };

	rows->all = arena_array(rows->a, c->n, sizeof(*rows->all));
	for (size_t i = 0; i < c->n; i++) {
		const struct changed_object *o = &c->objects[i];
		struct str key = key_of(rows, o);
		struct str own = ARENA_JOIN(&names, key, STR("/"), o->id.name);
		struct row *r = row_shared(rows, key, o->time);
		unsigned rank = rank_of(ranks, o, &keys);

		if (!r || map_get(&rows->met, own) == r) {	/* to one object it happened again */
			r = row_add(rows, key, o->time);
			r->first = o;
			r->said = o->word == CHANGE_WORD_GONE ? STR_NONE : words_first_line(o->message);
		}
		r->last = o->time;
		r->rank = rank > r->rank ? rank : r->rank;
		add_row_name(rows, r, o->id.name);
		map_set(&rows->met, own, r);
		arena_reset(&names);
	}
	arena_release(&keys);
	arena_release(&names);
}

/* Leaves out the rows beyond ROWS that have least to do with the root causes.  Returns how many. */
static size_t leave_out(struct rows *rows)
{
	size_t before = rows->n, by_rank[8] = { 0 }, kept = 0, room = ROWS;
	unsigned least = 7;

	for (size_t i = 0; i < rows->n; i++)
		by_rank[rows->all[i].rank & 7]++;
	while (least > 0 && by_rank[least] <= room)
		room -= by_rank[least--];
	for (size_t i = 0; i < rows->n; i++) {
		bool fits = rows->all[i].rank > least || (rows->all[i].rank == least && room > 0);

		room -= fits && rows->all[i].rank == least;
		if (fits)
			rows->all[kept++] = rows->all[i];
	}
	rows->n = kept;
	return before - kept;
}

static void add_where(struct blocks *out, const struct id *id)
{
	blocks_text(out, id->ns);
	if (id->ns.len && id->cluster.len)
		blocks_own(out, STR(" · "));
	blocks_text(out, id->cluster);
}

static void add_clock(const struct incident *in, int64_t from, int64_t to, struct blocks *out)
{
	blocks_time(out, words_moment(from, in->to, out->arena), from);
	if (to / SECONDS(1) > from / SECONDS(1)) {
		blocks_own(out, STR("–"));
		blocks_time(out, words_moment(to, from, out->arena), to);
	}
}

static void add_names(const struct kinds *kinds, const struct row *r, const struct id *id, struct blocks *out)
{
	if (r->n == 1) {
		blocks_name(out, words_id(kinds, id, out->arena));
		return;
	}
	blocks_name(out, ARENA_JOIN(out->arena, words_kind(kinds, id->group, id->kind, out->arena), STR(" ×"), words_count(r->n, out->arena)));
	blocks_own(out, STR(" "));
	blocks_text(out, ARENA_JOIN(out->arena, r->names, str_of(r->n > NAMES ? ", …" : "")));
}

/* Adds how the phase changed, as changed_words() does. */
static void add_step(const struct changed_object *o, struct blocks *out)
{
	switch (o->word) {
	case CHANGE_WORD_NEW:
		blocks_own(out, STR("new, "));
		blocks_phase(out, o->to);
		return;
	case CHANGE_WORD_GONE:
		blocks_own(out, changed_words(o, out->arena));
		return;
	case CHANGE_WORD_HEALED:
	case CHANGE_WORD_CHANGED:
	case CHANGE_WORDS:
		break;
	}
	if (o->from_known && o->from != o->to)
		blocks_own(out, arena_printf(out->arena, "%s → ", phase_name(o->from)));
	else if (o->from_known)
		blocks_own(out, STR("still "));	/* its severity is another one */
	blocks_phase(out, o->to);
	blocks_own(out, o->word == CHANGE_WORD_HEALED ? STR(" (healed)") : STR_NONE);
}

static void add_change_row(const struct incident *in, const struct row *r, struct blocks *out)
{
	const struct changed_object *o = r->first;

	blocks_add(out, BLOCK_ROW);
	add_clock(in, r->began, r->last, out);
	blocks_cell(out);
	add_names(&in->w->kinds, r, &o->id, out);
	blocks_cell(out);
	add_where(out, &o->id);
	blocks_cell(out);
	add_step(o, out);
	if (r->said.len) {
		blocks_own(out, STR(" "));
		blocks_text(out, r->said);
	}
}

static void add_left_out(const struct incident *in, size_t n, const char *what, struct blocks *out)
{
	char from[TIME_TEXT], to[TIME_TEXT];

	if (!n)
		return;
	blocks_say(out, BLOCK_NOTE, ARENA_JOIN(out->arena, words_count(n, out->arena), STR(" more "), str_of(what), STR(" left out here. ")));
	if (!in->recording.len)
		return;
	blocks_own(out, STR("All are printed by "));
	blocks_text(out, arena_printf(out->arena, "kubectl status --%s --from %s --to %s", in->source == INCIDENT_RECORDING ? "replay RECORDING" : "history HISTORY",
				      time_format(in->from, from), time_format(in->to, to)));
}

static void add_past(const struct incident *in, const struct logged_cause *causes, size_t n, struct blocks *out)
{
	struct rows rows = { .in = in, .a = out->arena };
	struct changes changes = changelog_timeline(in->changelog, in->w, in->q, in->changes_from, in->to, out->arena);
	struct map ranks = { 0 };
	size_t left_out;

	for (size_t i = 0; i < n; i++)
		rank_objects(&ranks, &causes[i].members, 4, &rows.keys);
	for (size_t i = 0; i < n; i++)
		rank_objects(&ranks, &causes[i].held, 2, &rows.keys);
	collect(&rows, &changes, &ranks);
	left_out = leave_out(&rows);
	for (size_t i = 0; i < rows.n; i++)
		add_change_row(in, &rows.all[i], out);
	if (!rows.n)
		blocks_say(out, BLOCK_PARAGRAPH, STR("No phase changed in this time."));
	add_left_out(in, left_out, left_out == 1 ? "entry of the timeline is" : "entries of the timeline are", out);
	map_release(&ranks);
	map_release(&rows.met);
	map_release(&rows.alike);
	arena_release(&rows.keys);
}

/* Adds what the objects themselves tell of the time before they were read. */
static void add_entries(const struct incident *in, struct blocks *out)
{
	size_t first = in->nentries > ROWS ? in->nentries - ROWS : 0;

	blocks_say(out, BLOCK_PARAGRAPH, STR("This was read once: what the objects themselves tell of the time before."));
	for (size_t i = first; i < in->nentries; i++) {
		const struct timeline_entry *e = &in->entries[i];

		blocks_add(out, BLOCK_ROW);
		blocks_time(out, words_moment(e->time, in->to, out->arena), e->time);
		blocks_cell(out);
		blocks_name(out, e->name);
		blocks_cell(out);
		add_where(out, &e->id);
		blocks_cell(out);
		blocks_text(out, e->what);
		blocks_own(out, arena_printf(out->arena, " (%s)", e->source));
	}
	add_left_out(in, first, first == 1 ? "earlier entry is" : "earlier entries are", out);
}

void incident_timeline(const struct incident *in, const struct logged_cause *causes, size_t n, struct blocks *out)
{
	if (!in->changelog && !in->nentries)
		return;
	blocks_say(out, BLOCK_SECTION, STR("Timeline"));
	if (in->changelog)
		add_past(in, causes, n, out);
	else
		add_entries(in, out);
}

/* ---- what was changed ------------------------------------------------------------------------- */

/* Returns true for a field that somebody sets; a status tells what came of it, and the timeline has that. */
static bool is_setting(const struct changed_field *f)
{
	static const char *const noise[] = { "status", "metadata.resourceVersion", "metadata.generation", "metadata.managedFields",
					     "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds", NULL };

	return !str_starts_any(f->path, noise);
}

static size_t count_settings(const struct changed_object *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->nfields; i++)
		n += is_setting(&o->fields[i]);
	return n;
}

/* Returns when the specs of objects were last edited, by slot, ms; 0: not in this time. */
static const int64_t *edits_by_slot(const struct incident *in, struct arena *a)
{
	const struct journal *j = graph_journal(in->w->graph);
	uint32_t slots = store_slots(in->w->store) + 1;
	int64_t *times = arena_array(a, slots, sizeof(*times));

	for (uint64_t i = journal_first(j); i < journal_end(j); i++) {
		const struct journal_entry *e = journal_at(j, i);

		if (e->what == JOURNAL_SPEC && e->time > in->changes_from && e->time <= in->to && e->object.slot < slots)
			times[e->object.slot] = e->time;
	}
	return times;
}

static struct changed_field brief(const struct changed_field *f, struct arena *a)
{
	struct changed_field out = *f;

	out.before = text_middle(f->before, VALUE, a);
	out.after = text_middle(f->after, VALUE, a);
	return out;
}

static void add_fields(const struct changed_object *o, struct blocks *out)
{
	size_t told = 0, all = count_settings(o);

	for (size_t i = 0; i < o->nfields && told < FIELDS; i++) {
		struct changed_field f = brief(&o->fields[i], out->arena);

		if (!is_setting(&f))
			continue;
		blocks_own(out, str_of(told++ ? ", " : " "));
		blocks_text(out, changed_field_words(&f, out->arena));
	}
	if (all > told)
		blocks_own(out, arena_printf(out->arena, ", and %zu more field%s", all - told, words_plural(all - told)));
}

static bool is_told(const struct changed_object *o)
{
	return o->word == CHANGE_WORD_NEW || o->word == CHANGE_WORD_GONE || count_settings(o);
}

static int compare_rows(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->began != b->began)
		return a->began < b->began ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Collects what came, went or was changed; objects that came or went share rows.  Returns how many only have another status. */
static size_t collect_changed(struct rows *rows, const struct changes *c)
{
	const int64_t *edits = edits_by_slot(rows->in, rows->a);
	size_t status = 0;

	rows->all = arena_array(rows->a, c->n, sizeof(*rows->all));
	for (size_t i = 0; i < c->n; i++) {
		const struct changed_object *o = &c->objects[i];
		bool edited = o->word == CHANGE_WORD_CHANGED || o->word == CHANGE_WORD_HEALED;
		int64_t edit = o->id.handle.slot ? edits[o->id.handle.slot] : 0, time = edited && edit ? edit : o->time;
		struct str key = key_of(rows, o);
		struct row *r = edited ? NULL : row_shared(rows, key, time);

		if (!is_told(o)) {
			status++;
			continue;
		}
		if (!r) {
			r = row_add(rows, key, time);
			r->first = o;
			r->what = edited ? STR("changed") : str_of(change_word(o->word));
		}
		r->last = r->last > time ? r->last : time;
		add_row_name(rows, r, o->id.name);
	}
	if (rows->n)
		qsort(rows->all, rows->n, sizeof(*rows->all), compare_rows);
	return status;
}

static void add_changed_row(const struct incident *in, const struct row *r, struct blocks *out)
{
	blocks_add(out, BLOCK_ROW);
	add_clock(in, r->began, r->last, out);
	blocks_cell(out);
	add_names(&in->w->kinds, r, &r->first->id, out);
	blocks_cell(out);
	add_where(out, &r->first->id);
	blocks_cell(out);
	blocks_own(out, r->what);
	if (r->n == 1)
		add_fields(r->first, out);
}

static void add_changed(const struct incident *in, struct blocks *out)
{
	struct rows rows = { .in = in, .a = out->arena };
	struct changes changes = changelog_compare(in->changelog, in->w, in->q, in->changes_from, in->to, out->arena);
	size_t status = collect_changed(&rows, &changes);

	blocks_say(out, BLOCK_PARAGRAPH, ARENA_JOIN(out->arena, changes_summary(&changes, out->arena), STR(" between the beginning and the end.")));
	if (status)
		blocks_own(out, ARENA_JOIN(out->arena, STR(" Of "), words_count(status, out->arena), STR(" only the status changed; the timeline tells that.")));
	for (size_t i = 0; i < rows.n && i < CHANGED; i++)
		add_changed_row(in, &rows.all[i], out);
	if (rows.n > CHANGED)
		add_left_out(in, rows.n - CHANGED, "changes are", out);
	map_release(&rows.alike);
	arena_release(&rows.keys);
}

void incident_changes(const struct incident *in, struct blocks *out)
{
	blocks_say(out, BLOCK_SECTION, STR("Changes"));
	if (in->changelog) {
		add_changed(in, out);
		return;
	}
	blocks_say(out, BLOCK_PARAGRAPH, STR("This was read once, so what was changed before is known only where the root causes tell it. "
			    "Of a recording the report has every change."));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/state/observe.h"

#include <string.h>

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/time.h"
#include "kube/base/utf8.h"
#include "tui/words/words.h"

#define FLASH SECONDS(4)
#define TOMBSTONE SECONDS(30)
#define HEALED SECONDS(30)
#define WAITED MINUTES(1) /* an object that waits for another one for so long is in trouble */
#define RECENT MINUTES(5)
#define NO_ENTRY UINT64_MAX

/* ---- transitions ---------------------------------------------------------- */

const struct journal_entry *observe_transition(const struct observer *o, const struct scene *scene, size_t i)
{
	const struct journal *j = scene_journal(scene);

	return o->transitions[i].entry < journal_first(j) ? NULL : journal_at(j, o->transitions[i].entry);
}

size_t observe_oldest(const struct observer *o, const struct scene *scene)
{
	uint64_t first = journal_first(scene_journal(scene));
	size_t low = 0, high = o->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->transitions[middle].entry < first)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Makes room for one more transition.  Those whose journal entries were dropped are removed first. */
static void transitions_make_room(struct observer *o, const struct scene *scene)
{
	size_t dropped = observe_oldest(o, scene);

	if (o->count < o->cap)
		return;
	if (dropped > o->cap / 4) {
		o->count -= dropped;
		memmove(o->transitions, o->transitions + dropped, o->count * sizeof(*o->transitions));
		return;
	}
	o->cap = o->cap ? o->cap * 2 : 256;
	o->transitions = xreallocarray(o->transitions, o->cap, sizeof(*o->transitions));
}

static void transition_add(struct observer *o, const struct scene *scene, uint64_t entry, enum transition_kind kind)
{
	assert(o->count == 0 || o->transitions[o->count - 1].entry < entry);
	transitions_make_room(o, scene);
	o->transitions[o->count++] = (struct observed_transition){ entry, kind };
	o->added++;
}

/* True for an object in trouble, and not for one that is merely being created or changed. */
static bool is_trouble(enum phase phase, enum severity severity)
{
	return (phase == PHASE_FAILED && severity != SEVERITY_NONE) || phase == PHASE_DEGRADED || phase == PHASE_WAITING ||
	       severity >= SEVERITY_WARNING;
}

static bool is_well(enum phase phase, enum severity severity)
{
	return phase == PHASE_READY && severity == SEVERITY_NONE;
}

/* Returns what the entry tells when the state of the object before it is not known but from the entry itself. */
static enum transition_kind kind_by_entry(const struct journal_entry *e)
{
	bool was = is_trouble((enum phase)e->from.phase, (enum severity)e->from.severity);
	bool is = is_trouble((enum phase)e->to.phase, (enum severity)e->to.severity);

	if (e->what == JOURNAL_CAME)
		return is ? TRANSITION_BROKE : TRANSITION_OTHER;
	if (e->what != JOURNAL_PHASE || was == is)
		return TRANSITION_OTHER;
	if (is)
		return TRANSITION_BROKE;
	return is_well((enum phase)e->to.phase, (enum severity)e->to.severity) ? TRANSITION_HEALED : TRANSITION_OTHER;
}

void observe_earlier(struct observer *o, const struct scene *scene, const uint64_t *entries, size_t n)
{
	const struct journal *j = scene_journal(scene);

	if (!n)
		return;
	assert(!o->count || o->transitions[0].entry > entries[n - 1]);
	if (o->count + n > o->cap) {
		o->cap = o->count + n + 256;
		o->transitions = xreallocarray(o->transitions, o->cap, sizeof(*o->transitions));
	}
	memmove(o->transitions + n, o->transitions, o->count * sizeof(*o->transitions));
	for (size_t i = 0; i < n; i++)
		o->transitions[i] = (struct observed_transition){ entries[i], kind_by_entry(journal_at(j, entries[i])) };
	o->count += n;
}

struct str observe_name(const struct journal_entry *e, const struct scene *scene, struct arena *a)
{
	const struct kinds *kinds = scene_journal_kinds(scene);
	const struct kind *kind = kinds->all[e->kind - 1];
	struct journal_texts texts = journal_texts(e);

	return utf8_head(words_id(kinds, &(struct id){ .group = kind->group, .kind = kind->kind, .ns = texts.ns, .name = texts.name }, a),
			 TRANSITION_NAME);
}

/*
 * Returns "Ready → Failed  InvalidConfiguration: quota exceeded": phase_before, what, then the phase, the reason and
 * the message.
 */
static struct str verdict_words(const char *phase_before, const char *what, const struct journal_entry *e, struct arena *a)
{
	struct journal_texts texts = journal_texts(e);
	struct str message = words_message((enum severity)e->to.severity, texts.message, a),
		   said = words_with_reason(texts.reason, message, a);

	return ARENA_JOIN(a, str_of(phase_before), str_of(what), str_of(phase_name((enum phase)e->to.phase)),
			  str_of(said.len ? "  " : ""), said);
}

static struct str whole_words(const struct journal_entry *e, struct arena *a)
{
	const char *before = phase_name((enum phase)e->from.phase), *after = phase_name((enum phase)e->to.phase);

	switch ((enum journal_what)e->what) {
	case JOURNAL_CAME:
	case JOURNAL_SELECTED:
		return verdict_words("", "appeared  ", e, a);
	case JOURNAL_WENT:
	case JOURNAL_DESELECTED:
		return arena_printf(a, "%s  was %s", e->deselected || e->what == JOURNAL_DESELECTED ? "left the selection" : "gone", before);
	case JOURNAL_PHASE:
		return verdict_words(before, " → ", e, a);
	case JOURNAL_SEVERITY:
		return arena_printf(a, "%s, severity %s → %s", after, severity_name((enum severity)e->from.severity),
				    severity_name((enum severity)e->to.severity));
	case JOURNAL_PROGRESS:
		return arena_printf(a, "%s %d %% → %d %%", after, e->from.percent < 0 ? 0 : e->from.percent, e->to.percent);
	case JOURNAL_REASON:
	case JOURNAL_SPEC:
		break;
	}
	return verdict_words("", "", e, a);
}

struct str observe_words(const struct journal_entry *e, struct arena *a)
{
	return utf8_head(whole_words(e, a), TRANSITION_WORDS);
}

enum phase observe_phase(const struct journal_entry *e)
{
	bool gone = e->what == JOURNAL_WENT || e->what == JOURNAL_DESELECTED;

	return (enum phase)(gone ? e->from.phase : e->to.phase);
}

void observer_release(struct observer *o)
{
	xfree(o->slots);
	xfree(o->recent);
	xfree(o->transitions);
	intern_release(&o->clusters);
	*o = (struct observer){ 0 };
}

void observer_copy(const struct observer *o, struct observer *out)
{
	*out = (struct observer){ .nslots = o->nslots, .scan = o->scan, .silent = true, .total = o->total };
	out->slots = xreallocarray(NULL, (size_t)o->nslots + 1, sizeof(*out->slots));
	for (uint32_t i = 0; i < o->nslots; i++) {
		out->slots[i] = o->slots[i];
		out->slots[i].recent = out->slots[i].cluster = 0;
	}
	out->leftovers = o->leftovers;
	out->run_out = o->run_out;
	memcpy(out->by_phase, o->by_phase, sizeof(out->by_phase));
	memcpy(out->by_severity, o->by_severity, sizeof(out->by_severity));
}

void observer_begin(struct observer *o)
{
	xfree(o->slots);
	xfree(o->recent);
	o->slots = NULL;
	o->recent = NULL;
	o->nslots = o->nrecent = o->free_recent = 0;
	o->recent_cap = 0;
	o->ntombs = 0;
	o->scan_from = 0;
	o->expires = 0;
	o->total = o->leftovers = o->run_out = 0;
	memset(o->by_phase, 0, sizeof(o->by_phase));
	memset(o->by_severity, 0, sizeof(o->by_severity));
	o->settled = o->many_namespaces = o->many_clusters = false;
	o->a_namespace = 0;
}

/* The observer, and the scene that it observes. */
struct observing {
	struct observer *o;
	const struct scene *scene;
	struct arena *arena;
};

static bool is_trouble_verdict(struct journal_verdict v)
{
	return is_trouble((enum phase)v.phase, (enum severity)v.severity);
}

static bool is_well_verdict(struct journal_verdict v)
{
	return is_well((enum phase)v.phase, (enum severity)v.severity);
}

/*
 * True when an object was in trouble, so that becoming Ready means that it healed.  An object that was only created,
 * changed, or waiting for a moment did not heal.
 */
static bool was_in_trouble(const struct snapshot *snapshot, int64_t now)
{
	enum phase phase = (enum phase)snapshot->phase;

	if (phase == PHASE_WAITING && snapshot->severity < SEVERITY_WARNING)
		return snapshot->since && now - snapshot->since >= WAITED;
	return is_trouble(phase, (enum severity)snapshot->severity);
}

/* ---- what happened lately ------------------------------------------------- */

static struct recent_change *recent_of(struct observer *o, uint32_t slot)
{
	struct snapshot *snapshot = &o->slots[slot];

	if (snapshot->recent)
		return &o->recent[snapshot->recent - 1];
	if (o->free_recent) {
		snapshot->recent = o->free_recent;
		o->free_recent = o->recent[snapshot->recent - 1].next;
	} else {
		o->recent = xgrow(o->recent, o->nrecent, &o->recent_cap, sizeof(*o->recent));
		snapshot->recent = ++o->nrecent;
	}
	o->recent[snapshot->recent - 1] = (struct recent_change){ .slot = slot };
	return &o->recent[snapshot->recent - 1];
}

static void recent_forget(struct observer *o, struct snapshot *snapshot)
{
	if (!snapshot->recent)
		return;
	o->recent[snapshot->recent - 1] = (struct recent_change){ .next = o->free_recent };
	o->free_recent = snapshot->recent;
	snapshot->recent = 0;
}

static void expires(struct observer *o, int64_t when)
{
	if (!o->expires || when < o->expires)
		o->expires = when;
}

static void note_change(struct observer *o, uint32_t slot, int64_t clock)
{
	recent_of(o, slot)->changed = clock;
	expires(o, clock + FLASH);
}

/*
 * True when an object that has become Ready healed, as the row "✔ Ready, was Failed 14m" and "2 healed in 5m" claim: it
 * has no severity now, and it was in trouble before, directly or with being created or changed once more in between.
 */
static bool heals(const struct observer *o, const struct snapshot *snapshot, struct journal_verdict verdict, int64_t time)
{
	bool recovers = snapshot->recent && o->recent[snapshot->recent - 1].recovers;

	return is_well_verdict(verdict) && (recovers || was_in_trouble(snapshot, time));
}

/*
 * Notes that an object healed.  Its row stays in its place for a while, so that the eye finds it and the selection does
 * not move.
 */
static void note_healed(struct observing *n, uint32_t slot, struct snapshot *snapshot, struct journal_verdict verdict, int64_t time)
{
	bool trouble = was_in_trouble(snapshot, time), healed = heals(n->o, snapshot, verdict, time);
	struct recent_change *recent;

	if (!trouble && !snapshot->recent)
		return;
	recent = recent_of(n->o, slot);
	if (trouble) {
		recent->bad_phase = snapshot->phase;
		recent->bad_severity = snapshot->severity;
		recent->bad_for = snapshot->since ? time - snapshot->since : 0;
	}
	recent->healed = healed ? n->scene->clock : 0;
	recent->recovers = !is_well_verdict(verdict) && !is_trouble_verdict(verdict) && (trouble || recent->recovers);
	if (healed)
		expires(n->o, n->scene->clock + HEALED);
}

static enum transition_kind transition_kind_of(const struct observer *o, const struct snapshot *snapshot, struct journal_verdict verdict, int64_t time)
{
	bool was = is_trouble((enum phase)snapshot->phase, (enum severity)snapshot->severity);

	if (is_well_verdict(verdict))
		return heals(o, snapshot, verdict, time) ? TRANSITION_HEALED : TRANSITION_OTHER;
	return !was && is_trouble_verdict(verdict) ? TRANSITION_BROKE : TRANSITION_OTHER;
}

static void count_one(struct observer *o, const struct snapshot *snapshot, int more)
{
	o->total += (size_t)more;
	if (phase_is_leftover((enum phase)snapshot->phase, (enum severity)snapshot->severity))
		o->leftovers += (size_t)more;
	else
		o->by_phase[snapshot->phase] += (size_t)more;
	if (snapshot->runs_out)
		o->run_out += (size_t)more;
	o->by_severity[snapshot->severity] += (size_t)more;
}

/* True when a recording shows an object for the first time that is older than the recording. */
static bool is_older(const struct observing *n, const struct summary *s)
{
	return scene_is_replay(n->scene) && s->created && s->created < n->scene->from;
}

/*
 * Notes an object that was not there before.  entry: the number of the journal entry that says so; NO_ENTRY: the object
 * came into the selection in another way.
 */
static void observe_new(struct observing *n, struct snapshot *snapshot, const struct summary *s, uint64_t entry)
{
	struct journal_entry selected = { .what = JOURNAL_SELECTED, .time = n->scene->now, .object = s->id.handle,
					  .from = { PHASE_UNKNOWN, SEVERITY_NONE, -1 },
					  .to = { (uint8_t)s->phase, (uint8_t)s->severity, -1 } };

	*snapshot = (struct snapshot){ .known = true, .gen = s->id.handle.gen };
	snapshot->cluster = intern_id(&n->o->clusters, s->id.cluster);
	if (!n->o->settled || is_older(n, s) || store_is_met(n->scene->store, s->id.handle))
		return;
	if (entry == NO_ENTRY)
		entry = graph_write_selected(n->scene->graph, &selected);
	transition_add(n->o, n->scene, entry, is_trouble(s->phase, s->severity) ? TRANSITION_BROKE : TRANSITION_OTHER);
	note_change(n->o, s->id.handle.slot, n->scene->clock);
}

/* What one owner had is one tombstone, however many there are: a rollout of many pods leaves one row. */
static void tombstone_add(struct observer *o, const struct store *store, const struct tombstone *t)
{
	const struct kind *kind = store_node_kind(store, t->handle.slot);

	for (size_t i = 0; t->owner && i < o->ntombs; i++) {
		struct tombstone *one = &o->tombs[i];
		uint32_t alike = one->alike;

		if (one->owner != t->owner || store_node_kind(store, one->handle.slot) != kind)
			continue;
		if (one->time < t->time || one->handle.slot < t->handle.slot)
			*one = *t;
		one->alike = alike + 1;
		return;
	}
	if (o->ntombs == TOMBSTONES) {
		memmove(o->tombs, o->tombs + 1, (TOMBSTONES - 1) * sizeof(o->tombs[0]));
		o->ntombs--;
	}
	o->tombs[o->ntombs++] = *t;
}

struct id observe_gone_id(const struct observer *o, const struct store *store,
			  const struct tombstone *t)
{
	struct object_id id = store_node_id(store, t->handle.slot);

	return (struct id){
		.group = id.kind->group,
		.kind = id.kind->kind,
		.ns = id.ns,
		.name = id.name,
		.cluster = intern_str(&o->clusters, t->cluster),
		.handle = t->handle,
	};
}

/* True when nobody looked at the object of that slot for a time, so that nothing is known of it, or no more than is there now. */
static bool was_let_go(const struct store *store, uint32_t slot)
{
	return store_was_let_go(store, slot) || store_is_met(store, store_node_handle(store, slot));
}

/*
 * Notes that an object is gone.  entry: the number of the journal entry that says so; NO_ENTRY: the object left the
 * selection in another way.
 */
static void observe_gone(struct observing *n, uint32_t slot, struct snapshot *snapshot, uint64_t entry)
{
	struct tombstone t = {
		.handle = { slot, snapshot->gen },
		.time = n->scene->now,
		.clock = n->scene->clock,
		.phase = (enum phase)snapshot->phase,
		.severity = (enum severity)snapshot->severity,
		.cluster = snapshot->cluster,
		.owner = store_node_handle(n->scene->store, snapshot->owner).slot ? snapshot->owner : 0,
		.alike = 1,
	};
	struct journal_entry deselected = { .what = JOURNAL_DESELECTED, .time = t.time, .object = t.handle,
					    .from = { snapshot->phase, snapshot->severity, -1 },
					    .to = { PHASE_UNKNOWN, SEVERITY_NONE, -1 } };

	if (!n->o->silent && !was_let_go(n->scene->store, slot)) {
		if (entry == NO_ENTRY)
			entry = graph_write_selected(n->scene->graph, &deselected);
		transition_add(n->o, n->scene, entry, TRANSITION_OTHER);
		if (!snapshot->minor)
			tombstone_add(n->o, n->scene->store, &t);
	}
	count_one(n->o, snapshot, -1);
	recent_forget(n->o, snapshot);
	*snapshot = (struct snapshot){ 0 };
}

static void note_places(struct observer *o, const struct summary *s)
{
	if (s->id.cluster.len)
		o->many_clusters = true;
	if (!s->id.ns.len)
		return;
	if (!o->a_namespace)
		o->a_namespace = str_hash(s->id.ns);
	else if (!o->many_namespaces && o->a_namespace != str_hash(s->id.ns))
		o->many_namespaces = true;
}

/*
 * Compares an object with its state at the last scan.  Returns true when it was not there before.  entry: as in
 * observe_new().
 */
static bool observe_one(struct observing *n, const struct summary *s, uint64_t entry)
{
	struct observer *o = n->o;
	uint32_t slot = s->id.handle.slot;
	struct snapshot *snapshot = &o->slots[slot];
	bool new;

	if (snapshot->known && snapshot->gen != s->id.handle.gen)
		observe_gone(n, slot, snapshot, NO_ENTRY);
	new = !snapshot->known;
	if (!new)
		count_one(o, snapshot, -1);
	if (new)
		observe_new(n, snapshot, s, entry);
	snapshot->scan = o->scan;
	snapshot->journal_end = (uint32_t)journal_end(scene_journal(n->scene));
	snapshot->phase = (uint8_t)s->phase;
	snapshot->severity = (uint8_t)s->severity;
	snapshot->since = s->since;
	snapshot->runs_out = s->runs_out;
	snapshot->owner = s->owner.slot;
	snapshot->minor = s->owner.slot && s->severity == SEVERITY_NONE;
	count_one(o, snapshot, 1);
	note_places(o, s);
	return new;
}

/*
 * True when the first lists are complete.  Before they are asked for, no kind is counted yet and nothing counts as new.
 */
static bool all_loaded(const struct header *h)
{
	bool asked = h->link == LINK_LIVE || h->link == LINK_FILES || h->link == LINK_REPLAY;

	return asked && h->lists_done >= h->lists_total;
}

bool observe_settle(struct observer *o, const struct header *header)
{
	if (o->settled || o->silent || !all_loaded(header))
		return false;
	o->settled = true;
	return true;
}

/* Scans the objects that owner owns again: they were scanned before it, when their owner was not known. */
static void observe_parts(struct observing *n, uint32_t owner)
{
	size_t parts;
	const uint32_t *slots = store_referrers(n->scene->store, owner, &parts);
	struct summary s;

	for (size_t i = 0; i < parts; i++) {
		struct snapshot *snapshot = slots[i] < n->o->nslots ? &n->o->slots[slots[i]] : NULL;

		if (snapshot && snapshot->known && !snapshot->owner && snapshot->gen == store_node_handle(n->scene->store, slots[i]).gen &&
		    graph_summary(n->scene->graph, store_node_handle(n->scene->store, slots[i]), &s) &&
		    s.owner.slot == owner)
			observe_one(n, &s, NO_ENTRY);
	}
}

static void observe_slot(struct observing *n, uint32_t slot, uint64_t entry)
{
	struct handle h = store_node_handle(n->scene->store, slot);
	struct summary s;

	if (h.slot && scene_selects(n->scene, h) && graph_summary(n->scene->graph, h, &s)) {
		if (observe_one(n, &s, entry))
			observe_parts(n, slot);
	} else if (slot < n->o->nslots && n->o->slots[slot].known) {
		observe_gone(n, slot, &n->o->slots[slot], NO_ENTRY);
	}
	arena_reset(n->arena);
}

/* ---- the journal ---------------------------------------------------------- */

/* Notes that an object of the selection that was there before has another verdict. */
static void observe_change(struct observing *n, const struct journal_entry *e, uint64_t number)
{
	struct observer *o = n->o;
	struct snapshot *snapshot = &o->slots[e->object.slot];
	enum transition_kind kind = TRANSITION_OTHER;

	if (e->what == JOURNAL_PHASE) {
		kind = transition_kind_of(o, snapshot, e->to, e->time);
		note_healed(n, e->object.slot, snapshot, e->to, e->time);
	}
	transition_add(o, n->scene, number, kind);
	count_one(o, snapshot, -1);
	if (e->what == JOURNAL_PHASE)
		snapshot->since = e->time;	/* this time holds until the object itself is looked at */
	snapshot->phase = e->to.phase;
	snapshot->severity = e->to.severity;
	count_one(o, snapshot, 1);
	if (e->what != JOURNAL_PROGRESS)	/* a row does not flash for progress */
		note_change(o, e->object.slot, n->scene->clock);
}

static void observe_entry(struct observing *n, const struct journal_entry *e, uint64_t number)
{
	uint32_t slot = e->object.slot;
	struct snapshot *snapshot = slot && slot < n->o->nslots ? &n->o->slots[slot] : NULL;
	bool is_known = snapshot && snapshot->known && snapshot->gen == e->object.gen;
	bool is_new = is_known && (int32_t)((uint32_t)number - snapshot->journal_end) >= 0;

	switch ((enum journal_what)e->what) {
	case JOURNAL_CAME:
		if (snapshot && !snapshot->known && n->o->settled && handle_eq(store_node_handle(n->scene->store, slot), e->object))
			observe_slot(n, slot, number);
		break;
	case JOURNAL_WENT:
		if (is_known)
			observe_gone(n, slot, snapshot, number);
		break;
	case JOURNAL_PHASE:
	case JOURNAL_REASON:
	case JOURNAL_SEVERITY:
	case JOURNAL_PROGRESS:
		if (is_new && n->o->settled && scene_selects(n->scene, e->object))
			observe_change(n, e, number);
		break;
	case JOURNAL_SPEC:
	case JOURNAL_SELECTED:
	case JOURNAL_DESELECTED:
		break;
	}
}

/*
 * Reads the journal entries that were written since the last time.  While a scan is not complete because a key
 * interrupted it, they are read again.
 */
static void read_journal(struct observing *n)
{
	const struct journal *j = scene_journal(n->scene);
	uint64_t first = journal_first(j), end = journal_end(j);

	if (n->o->silent)
		return;
	assert(n->o->read <= end);
	for (uint64_t i = n->o->read < first ? first : n->o->read; i < end; i++)
		if (i >= journal_first(j))	/* writing an entry about the selection may drop old entries */
			observe_entry(n, journal_at(j, i), i);
	if (n->o->settled || !all_loaded(n->scene->header))
		n->o->read = journal_end(j);
}

/* An object whose owner is gone is a part of nothing any more.  One whose owner goes at the same time still is. */
static void check_owner(struct observer *o, const struct store *store, uint32_t slot)
{
	struct snapshot *snapshot = slot < o->nslots ? &o->slots[slot] : NULL;

	if (snapshot && snapshot->minor && !o->slots[snapshot->owner].known && !store_node_handle(store, snapshot->owner).slot)
		snapshot->minor = false;
}

void observe_slots(struct observer *o, const struct scene *scene, const uint32_t *slots, size_t n)
{
	struct arena arena = { 0 };
	struct observing context = { o, scene, &arena };

	o->slots = xgrow_zeroed(o->slots, &o->nslots, store_slots(scene->store), sizeof(*o->slots));
	for (size_t i = 0; i < n; i++)
		check_owner(o, scene->store, slots[i]);
	read_journal(&context);
	for (size_t i = 0; i < n; i++)
		observe_slot(&context, slots[i], NO_ENTRY);
	arena_release(&arena);
}

bool observe_scan(struct observer *o, const struct scene *scene, bool interruptible)
{
	enum { MANY = 1024 };
	struct arena arena = { 0 };
	struct observing context = { o, scene, &arena };
	struct summary s;
	struct handle h;
	unsigned n = 0;

	o->scan += o->scan_from == 0;
	o->slots = xgrow_zeroed(o->slots, &o->nslots, store_slots(scene->store), sizeof(*o->slots));
	read_journal(&context);
	for (h = store_next(scene->store, o->scan_from); h.slot; h = store_next(scene->store, h.slot + 1)) {
		if (interruptible && ++n % MANY == 0 && scene->interrupted && scene->interrupted(scene->interrupted_ctx))
			break;
		if (!scene_selects(scene, h) || !graph_summary(scene->graph, h, &s))
			continue;
		observe_one(&context, &s, NO_ENTRY);
		arena_reset(&arena);
	}
	o->scan_from = h.slot;
	if (o->scan_from) {
		arena_release(&arena);
		return false;
	}
	for (uint32_t i = 0; i < o->nslots; i++)
		if (o->slots[i].known && o->slots[i].scan != o->scan)
			observe_gone(&context, i, &o->slots[i], NO_ENTRY);
	observe_settle(o, scene->header);
	arena_release(&arena);
	return true;
}

/* Ends the flashes and healed rows whose time is over.  Returns true when a row moves to its usual place. */
static bool expire_recent(struct observer *o, int64_t clock)
{
	bool moves = false;

	o->expires = 0;
	for (uint32_t i = 0; i < o->nrecent; i++) {
		struct recent_change *l = &o->recent[i];

		if (!l->slot)
			continue;
		if (l->changed && clock - l->changed >= FLASH)
			l->changed = 0;
		if (l->healed && clock - l->healed >= HEALED) {
			l->healed = 0;
			moves = true;
		}
		if (l->changed)
			expires(o, l->changed + FLASH);
		if (l->healed)
			expires(o, l->healed + HEALED);
		if (!l->changed && !l->healed && !l->recovers)
			recent_forget(o, &o->slots[l->slot]);
	}
	return moves;
}

bool observe_expire(struct observer *o, int64_t clock)
{
	size_t keep = 0;
	bool expired;

	for (size_t i = 0; i < o->ntombs; i++) {
		if (clock - o->tombs[i].clock < TOMBSTONE)
			o->tombs[keep++] = o->tombs[i];
	}
	expired = keep < o->ntombs;
	o->ntombs = keep;
	if (o->expires && clock >= o->expires)
		expired |= expire_recent(o, clock);
	return expired;
}

/*
 * Returns the state of an object at the last scan, or at the scan before while the present one is not complete; NULL:
 * it is not known.
 */
static const struct snapshot *known(const struct observer *o, struct handle h)
{
	const struct snapshot *snapshot = h.slot < o->nslots ? &o->slots[h.slot] : NULL;

	return snapshot && snapshot->known && snapshot->gen == h.gen ? snapshot : NULL;
}

const struct snapshot *observe_snapshot(const struct observer *o, struct handle h)
{
	const struct snapshot *snapshot = known(o, h);

	return snapshot && snapshot->scan == o->scan && !o->hidden ? snapshot : NULL;
}

/* Returns what happened to an object a moment ago; NULL: nothing did. */
static const struct recent_change *recent_find(const struct observer *o, struct handle h)
{
	const struct snapshot *snapshot = known(o, h);

	return snapshot && snapshot->recent && !o->hidden ? &o->recent[snapshot->recent - 1] : NULL;
}

const struct recent_change *observe_healed(const struct observer *o, struct handle h)
{
	const struct recent_change *recent = recent_find(o, h);

	return recent && recent->healed ? recent : NULL;
}

struct str observe_healed_words(const struct recent_change *healed, struct arena *a)
{
	struct str lasted = healed->bad_for ? words_age(1, healed->bad_for + 1, a) : STR_NONE;

	return arena_printf(a, "✔ Ready, was %s%s" STR_FMT, phase_name((enum phase)healed->bad_phase), lasted.len ? " " : "",
			    STR_ARG(lasted));
}

bool observe_recovers(const struct observer *o, struct handle h)
{
	const struct recent_change *recent = recent_find(o, h);

	return recent && recent->recovers;
}

/*
 * "2 healed in 5m": two of the objects on the screen became well after trouble, and neither is in trouble again.  "2
 * new in 5m": two came into trouble, and both still are.
 */
struct transition_counts observe_counts(const struct observer *o, const struct observer *shown, const struct scene *scene, struct arena *a)
{
	struct transition_counts out = { 0, 0 };
	uint8_t *counted = arena_array(a, (size_t)shown->nslots + 1, 1);

	for (size_t i = o->count; i-- > 0;) {
		const struct journal_entry *e = observe_transition(o, scene, i);
		enum transition_kind kind = o->transitions[i].kind;
		struct handle object = e ? scene_from_journal(scene, e->object) : HANDLE_NONE;
		const struct snapshot *snapshot = known(shown, object);
		bool trouble;

		if (!e || scene->now - e->time > RECENT)
			break;
		if (e->time > scene->now || kind == TRANSITION_OTHER || !snapshot || counted[object.slot])
			continue;
		counted[object.slot] = 1;
		trouble = is_trouble((enum phase)snapshot->phase, (enum severity)snapshot->severity);
		out.healed += kind == TRANSITION_HEALED && !trouble;
		out.broke += kind == TRANSITION_BROKE && trouble;
	}
	return out;
}

bool observe_flashes(const struct observer *o, struct handle h, int64_t clock)
{
	const struct recent_change *recent = recent_find(o, h);

	return recent && recent->changed && clock - recent->changed < FLASH;
}

bool observe_was_there(const struct observer *o, const struct scene *scene, struct handle h, int64_t until)
{
	h = scene_to_journal(scene, h);
	for (size_t i = observe_oldest(o, scene); i < o->count; i++) {
		const struct journal_entry *e = observe_transition(o, scene, i);

		if (e->time > until)
			break;
		if (handle_eq(e->object, h))
			return true;
	}
	return false;
}

const struct tombstone *observe_tombstone(const struct observer *o, struct handle h)
{
	for (size_t i = o->ntombs; h.slot && !o->hidden && i-- > 0;)
		if (handle_eq(o->tombs[i].handle, h))
			return &o->tombs[i];
	return NULL;
}

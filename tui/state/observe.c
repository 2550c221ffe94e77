/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/state/observe.h"

#include <stdio.h>
#include <string.h>

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "tui/words/words.h"

#define FLASH SECONDS(4)
#define TOMBSTONE SECONDS(30)
#define HEALED SECONDS(30)
#define WAITED MINUTES(1) /* that long on another object is trouble */
#define RECENT MINUTES(5)
/* Progress in smaller steps is shown in the row alone, not in the timeline. */
enum { PERCENT_STEP = 10 };

const struct moment *observe_moment(const struct observer *o, size_t i)
{
	return o->ring[(o->first + i) & (o->cap - 1)];
}

/* With what malloc() itself takes, and its place in the ring, which is up to half empty. */
static size_t cost_of(const struct moment *m)
{
	return m->size + 16 + 2 * sizeof(m);
}

/* The oldest. */
static void moment_drop(struct observer *o)
{
	struct moment *m = o->ring[o->first];

	o->bytes -= cost_of(m);
	o->first = (o->first + 1) & (o->cap - 1);
	o->count--;
	xfree(m);
}

static void moments_grow(struct observer *o)
{
	size_t cap = o->cap ? o->cap * 2 : 256;
	struct moment **ring = xreallocarray(NULL, cap, sizeof(struct moment *));

	for (size_t i = 0; i < o->count; i++)
		ring[i] = o->ring[(o->first + i) & (o->cap - 1)];
	xfree(o->ring);
	o->ring = ring;
	o->cap = cap;
	o->first = 0;
}

void observer_release(struct observer *o)
{
	xfree(o->slots);
	xfree(o->lately);
	while (o->count)
		moment_drop(o);
	xfree(o->ring);
	intern_release(&o->clusters);
	*o = (struct observer){ 0 };
}

void observer_copy(const struct observer *o, struct observer *out)
{
	*out = (struct observer){ .nslots = o->nslots, .scan = o->scan, .silent = true, .total = o->total };
	out->slots = xreallocarray(NULL, (size_t)o->nslots + 1, sizeof(*out->slots));
	for (uint32_t i = 0; i < o->nslots; i++) {
		out->slots[i] = o->slots[i];
		out->slots[i].lately = out->slots[i].cluster = 0;
	}
	memcpy(out->by_phase, o->by_phase, sizeof(out->by_phase));
	memcpy(out->by_severity, o->by_severity, sizeof(out->by_severity));
}

static void count_reset(struct observer *o)
{
	o->total = 0;
	memset(o->by_phase, 0, sizeof(o->by_phase));
	memset(o->by_severity, 0, sizeof(o->by_severity));
}

void observer_begin(struct observer *o)
{
	xfree(o->slots);
	xfree(o->lately);
	o->slots = NULL;
	o->lately = NULL;
	o->nslots = o->nlately = o->lately_cap = o->free_lately = 0;
	o->ntombs = 0;
	o->scan_from = 0;
	o->expires = 0;
	count_reset(o);
	o->settled = o->many_namespaces = o->many_clusters = false;
	o->a_namespace = 0;
}

/* Texts of it stand one after the other behind it; returns where the next one begins. */
static char *put_text(char *at, const char **out, struct str s)
{
	if (s.len)
		memcpy(at, s.ptr, s.len);
	at[s.len] = '\0';
	*out = at;
	return at + s.len + 1;
}

/* Its beginning, and no part of a character. */
static struct str beginning(struct str s, size_t most)
{
	size_t len = s.len < most ? s.len : most;

	while (len < s.len && len && ((unsigned char)s.ptr[len] & 0xC0) == 0x80)
		len--;
	return str_head(s, len);
}

/* No API server accepts longer names than MOMENT_NAME; a recording may hold any. */
static struct moment *moment_add(struct observer *o, int64_t now, const struct id *id, struct str name, struct str what)
{
	struct str ns = beginning(id->ns, MOMENT_NAME), cluster = beginning(id->cluster, MOMENT_NAME);
	size_t texts;
	struct moment *m;
	char *at;

	name = beginning(name, MOMENT_NAME);
	what = beginning(what, MOMENT_WHAT);
	texts = name.len + ns.len + cluster.len + what.len + 4;
	m = xmalloc(sizeof(*m) + texts);
	at = (char *)(m + 1);

	*m = (struct moment){ .time = now, .object = id->handle, .size = (uint32_t)(sizeof(*m) + texts) };
	at = put_text(at, &m->name, name);
	at = put_text(at, &m->ns, ns);
	at = put_text(at, &m->cluster, cluster);
	put_text(at, &m->what, what);
	if (o->count == o->cap)
		moments_grow(o);
	o->ring[(o->first + o->count++) & (o->cap - 1)] = m;
	o->bytes += cost_of(m);
	o->added++;
	while (o->bytes > MOMENTS_SIZE)
		moment_drop(o);
	return m;
}

/* What is compared with what was seen before, and where what differs goes. */
struct observing {
	struct observer *o;
	const struct scene *scene;
	struct arena *arena;
};

static struct moment *note_moment(struct observing *n, const struct summary *s, struct str what)
{
	struct moment *m = moment_add(n->o, n->scene->now, &s->id, words_id(store_kinds(n->scene->store), &s->id, n->arena), what);

	m->phase = s->phase;
	return m;
}

/* "Failed  InvalidConfiguration: quota exceeded" */
static struct str verdict_words(const struct summary *s, struct arena *a)
{
	struct str message = words_first_line(s->message);

	if (s->reason.len && message.len)
		return arena_printf(a, "%s  " STR_FMT ": " STR_FMT, phase_name(s->phase),
				    STR_ARG(s->reason), STR_ARG(message));
	return arena_printf(a, "%s%s" STR_FMT STR_FMT, phase_name(s->phase), s->reason.len || message.len ? "  " : "",
			    STR_ARG(s->reason), STR_ARG(message));
}

static int8_t percent_of(const struct summary *s)
{
	return s->percent >= 0 && s->percent <= 100 ? (int8_t)s->percent : -1;
}

/* Trouble, and not just work that is under way. */
static bool is_trouble(enum phase phase, enum severity severity)
{
	return phase == PHASE_FAILED || phase == PHASE_DEGRADED || phase == PHASE_WAITING ||
	       severity >= SEVERITY_WARNING;
}

static bool is_well(enum phase phase, enum severity severity)
{
	return phase == PHASE_READY && severity == SEVERITY_NONE;
}

/*
 * It was in trouble, so that being Ready is a healing.  What was only made, changed or waited for a moment
 * has come up, no more.
 */
static bool was_in_trouble(const struct seen *seen, int64_t now)
{
	enum phase phase = (enum phase)seen->phase;

	if (phase == PHASE_WAITING && seen->severity < SEVERITY_WARNING)
		return seen->since && now - seen->since >= WAITED;
	return is_trouble(phase, (enum severity)seen->severity);
}

/* ---- what happened lately ------------------------------------------------- */

static struct lately *lately_of(struct observer *o, uint32_t slot)
{
	struct seen *seen = &o->slots[slot];

	if (seen->lately)
		return &o->lately[seen->lately - 1];
	if (o->free_lately) {
		seen->lately = o->free_lately;
		o->free_lately = o->lately[seen->lately - 1].next;
	} else {
		if (o->nlately == o->lately_cap) {
			o->lately_cap = o->lately_cap ? o->lately_cap * 2 : 64;
			o->lately = xreallocarray(o->lately, o->lately_cap, sizeof(*o->lately));
		}
		seen->lately = ++o->nlately;
	}
	o->lately[seen->lately - 1] = (struct lately){ .slot = slot };
	return &o->lately[seen->lately - 1];
}

static void lately_forget(struct observer *o, struct seen *seen)
{
	if (!seen->lately)
		return;
	o->lately[seen->lately - 1] = (struct lately){ .next = o->free_lately };
	o->free_lately = seen->lately;
	seen->lately = 0;
}

static void expires(struct observer *o, int64_t when)
{
	if (!o->expires || when < o->expires)
		o->expires = when;
}

static void note_change(struct observer *o, uint32_t slot, int64_t clock)
{
	lately_of(o, slot)->changed = clock;
	expires(o, clock + FLASH);
}

static void note_trouble(struct lately *lately, const struct seen *seen, int64_t now)
{
	lately->was = seen->phase;
	lately->was_severity = seen->severity;
	lately->was_for = seen->since ? now - seen->since : 0;
}

/*
 * True (a claim of the row "✔ Ready, was Failed 14m" and of "2 healed in 5m"): it is Ready and nothing is said against
 * it, and it was in trouble before, at once or by way of being made or changed once more.
 */
static bool heals(const struct observer *o, const struct seen *seen, const struct summary *s, int64_t now)
{
	bool recovers = seen->lately && o->lately[seen->lately - 1].recovers;

	return is_well(s->phase, s->severity) && (recovers || was_in_trouble(seen, now));
}

/* What healed stays where it was for a while: the eye finds it, and the cursor does not move. */
static void note_healed(struct observing *n, struct seen *seen, const struct summary *s)
{
	bool trouble = was_in_trouble(seen, n->scene->now), healed = heals(n->o, seen, s, n->scene->now);
	struct lately *lately;

	if (!trouble && !seen->lately)
		return;
	lately = lately_of(n->o, s->id.handle.slot);
	if (trouble)
		note_trouble(lately, seen, n->scene->now);
	lately->healed = healed ? n->scene->clock : 0;
	lately->recovers = !is_well(s->phase, s->severity) && !is_trouble(s->phase, s->severity) && (trouble || lately->recovers);
	if (healed)
		expires(n->o, n->scene->clock + HEALED);
}

static uint32_t reason_of(const struct summary *s)
{
	return (uint32_t)str_hash(s->reason);
}

static enum turn turn_of(const struct observer *o, const struct seen *seen, const struct summary *s, int64_t now)
{
	bool was = is_trouble((enum phase)seen->phase, (enum severity)seen->severity);

	if (is_well(s->phase, s->severity))
		return heals(o, seen, s, now) ? TURN_HEALED : TURN_OTHER;
	return !was && is_trouble(s->phase, s->severity) ? TURN_BROKE : TURN_OTHER;
}

static void observe_change(struct observing *n, struct seen *seen, const struct summary *s)
{
	struct arena *a = n->arena;
	int8_t percent = percent_of(s);

	if (seen->phase != (uint8_t)s->phase) {
		note_moment(n, s,
			    ARENA_JOIN(a, str_of(phase_name((enum phase)seen->phase)), STR(" → "), verdict_words(s, a)))
			->turn = turn_of(n->o, seen, s, n->scene->now);
		note_healed(n, seen, s);
		seen->percent = percent;
	} else if (seen->reason != reason_of(s)) {
		note_moment(n, s, verdict_words(s, a));
	} else if (seen->severity != (uint8_t)s->severity) {
		note_moment(n, s,
			    arena_printf(a, "%s, severity %s → %s", phase_name(s->phase),
					 severity_name((enum severity)seen->severity),
					 severity_name(s->severity)));
	} else if (percent >= 0 &&
		   (percent >= seen->percent + PERCENT_STEP || percent < seen->percent)) {
		note_moment(n, s,
			    arena_printf(a, "%s %d %% → %d %%", phase_name(s->phase),
					 seen->percent < 0 ? 0 : seen->percent, percent));
		seen->percent = percent;
		return; /* progress does not flash */
	} else {
		return;
	}
	note_change(n->o, s->id.handle.slot, n->scene->clock);
}

static void observe_new(struct observing *n, struct seen *seen, const struct summary *s)
{
	*seen = (struct seen){ .known = true, .gen = s->id.handle.gen, .percent = percent_of(s) };
	seen->cluster = intern_id(&n->o->clusters, s->id.cluster);
	if (!n->o->settled)
		return;
	note_moment(n, s,
		    ARENA_JOIN(n->arena, STR("appeared  "), verdict_words(s, n->arena)))
		->turn = is_trouble(s->phase, s->severity) ? TURN_BROKE : TURN_OTHER;
	note_change(n->o, s->id.handle.slot, n->scene->clock);
}

static void tombstone_add(struct observer *o, const struct tombstone *t)
{
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

static void count_one(struct observer *o, const struct seen *seen, int more)
{
	o->total += (size_t)more;
	o->by_phase[seen->phase] += (size_t)more;
	o->by_severity[seen->severity] += (size_t)more;
}

static void observe_gone(struct observing *n, uint32_t slot, struct seen *seen)
{
	struct tombstone t = {
		.handle = { slot, seen->gen },
		.time = n->scene->now,
		.clock = n->scene->clock,
		.phase = (enum phase)seen->phase,
		.severity = (enum severity)seen->severity,
		.cluster = seen->cluster,
	};
	struct summary s = { .id = observe_gone_id(n->o, n->scene->store, &t), .phase = t.phase };

	if (!n->o->silent) {
		note_moment(n, &s, arena_printf(n->arena, "gone  was %s", phase_name(t.phase)));
		if (!seen->minor)
			tombstone_add(n->o, &t);
	}
	count_one(n->o, seen, -1);
	lately_forget(n->o, seen);
	*seen = (struct seen){ 0 };
}

static void grow_slots(struct observer *o, uint32_t n)
{
	if (n <= o->nslots)
		return;
	n += n / 4 + 64;
	o->slots = xreallocarray(o->slots, n, sizeof(*o->slots));
	memset(o->slots + o->nslots, 0, (n - o->nslots) * sizeof(*o->slots));
	o->nslots = n;
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

/* True when it was not there before. */
static bool observe_one(struct observing *n, const struct summary *s)
{
	struct observer *o = n->o;
	uint32_t slot = s->id.handle.slot;
	struct seen *seen = &o->slots[slot];
	bool new;

	if (seen->known && seen->gen != s->id.handle.gen)
		observe_gone(n, slot, seen);
	new = !seen->known;
	if (!new)
		count_one(o, seen, -1);
	if (new)
		observe_new(n, seen, s);
	else if (o->settled)
		observe_change(n, seen, s);
	else
		seen->percent = percent_of(s);
	seen->scan = o->scan;
	seen->phase = (uint8_t)s->phase;
	seen->severity = (uint8_t)s->severity;
	seen->since = s->since;
	seen->owner = s->owner.slot;
	seen->reason = reason_of(s);
	seen->minor = s->owner.slot && s->severity == SEVERITY_NONE;
	count_one(o, seen, 1);
	note_places(o, s);
	return new;
}

/* Before the first lists are asked for there is nothing to load, and nothing is new. */
static bool all_loaded(const struct header *h)
{
	bool asked = h->link == LINK_LIVE || h->link == LINK_FILES || h->link == LINK_REPLAY;

	return asked && h->kinds_done >= h->kinds_total;
}

bool observe_settle(struct observer *o, const struct header *header)
{
	if (o->settled || o->silent || !all_loaded(header))
		return false;
	o->settled = true;
	return true;
}

/* Whoever it owns was seen before it, without an owner. */
static void observe_parts(struct observing *n, uint32_t owner)
{
	size_t parts;
	const uint32_t *slots = store_referrers(n->scene->store, owner, &parts);
	struct summary s;

	for (size_t i = 0; i < parts; i++) {
		struct seen *seen = slots[i] < n->o->nslots ? &n->o->slots[slots[i]] : NULL;

		if (seen && seen->known && !seen->owner &&
		    graph_summary(n->scene->graph, store_node_handle(n->scene->store, slots[i]), &s) &&
		    s.owner.slot == owner)
			observe_one(n, &s);
	}
}

static void observe_slot(struct observing *n, uint32_t slot)
{
	struct handle h = store_node_handle(n->scene->store, slot);
	struct summary s;

	if (h.slot && scene_selects(n->scene, h) && graph_summary(n->scene->graph, h, &s)) {
		if (observe_one(n, &s))
			observe_parts(n, slot);
	} else if (slot < n->o->nslots && n->o->slots[slot].known) {
		observe_gone(n, slot, &n->o->slots[slot]);
	}
	arena_reset(n->arena);
}

/* What lost its owner before is no part of anything any more, and what goes together with it still is. */
static void check_owner(struct observer *o, const struct store *store, uint32_t slot)
{
	struct seen *seen = slot < o->nslots ? &o->slots[slot] : NULL;

	if (seen && seen->minor && !o->slots[seen->owner].known && !store_node_handle(store, seen->owner).slot)
		seen->minor = false;
}

void observe_slots(struct observer *o, const struct scene *scene, const uint32_t *slots, size_t n)
{
	struct arena arena = { 0 };
	struct observing context = { o, scene, &arena };

	grow_slots(o, store_slots(scene->store) + 1);
	for (size_t i = 0; i < n; i++)
		check_owner(o, scene->store, slots[i]);
	for (size_t i = 0; i < n; i++)
		observe_slot(&context, slots[i]);
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
	grow_slots(o, store_slots(scene->store) + 1);
	for (h = store_next(scene->store, o->scan_from); h.slot; h = store_next(scene->store, h.slot + 1)) {
		if (interruptible && ++n % MANY == 0 && scene->interrupted && scene->interrupted(scene->interrupted_ctx))
			break;
		if (!scene_selects(scene, h) || !graph_summary(scene->graph, h, &s))
			continue;
		observe_one(&context, &s);
		arena_reset(&arena);
	}
	o->scan_from = h.slot;
	if (o->scan_from) {
		arena_release(&arena);
		return false;
	}
	for (uint32_t i = 0; i < o->nslots; i++)
		if (o->slots[i].known && o->slots[i].scan != o->scan)
			observe_gone(&context, i, &o->slots[i]);
	observe_settle(o, scene->header);
	arena_release(&arena);
	return true;
}

/* True when something that healed goes to its own place. */
static bool expire_lately(struct observer *o, int64_t clock)
{
	bool moves = false;

	o->expires = 0;
	for (uint32_t i = 0; i < o->nlately; i++) {
		struct lately *l = &o->lately[i];

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
			lately_forget(o, &o->slots[l->slot]);
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
		expired |= expire_lately(o, clock);
	return expired;
}

/* Also of a scan before, while the present one is not complete. */
static const struct seen *known(const struct observer *o, struct handle h)
{
	const struct seen *seen = h.slot < o->nslots ? &o->slots[h.slot] : NULL;

	return seen && seen->known && seen->gen == h.gen ? seen : NULL;
}

const struct seen *observe_seen(const struct observer *o, struct handle h)
{
	const struct seen *seen = known(o, h);

	return seen && seen->scan == o->scan && !o->hidden ? seen : NULL;
}

/* NULL: nothing happened to it lately. */
static const struct lately *lately_seen(const struct observer *o, struct handle h)
{
	const struct seen *seen = known(o, h);

	return seen && seen->lately && !o->hidden ? &o->lately[seen->lately - 1] : NULL;
}

const struct lately *observe_healed(const struct observer *o, struct handle h)
{
	const struct lately *lately = lately_seen(o, h);

	return lately && lately->healed ? lately : NULL;
}

struct str observe_healed_words(const struct lately *healed, struct arena *a)
{
	struct str lasted = healed->was_for ? words_age(1, healed->was_for + 1, a) : STR_NONE;

	return arena_printf(a, "✔ Ready, was %s%s" STR_FMT, phase_name((enum phase)healed->was), lasted.len ? " " : "",
			    STR_ARG(lasted));
}

bool observe_recovers(const struct observer *o, struct handle h)
{
	const struct lately *lately = lately_seen(o, h);

	return lately && lately->recovers;
}

/*
 * "2 healed in 5m": that many objects that are on the screen became well after trouble, and none of them is in trouble
 * again.  "2 new in 5m": that many came into trouble, and all of them still are.
 */
struct turn_counts observe_turns(const struct observer *o, const struct observer *shown, int64_t now, struct arena *a)
{
	struct turn_counts out = { 0, 0 };
	uint8_t *counted = arena_array(a, (size_t)shown->nslots + 1, 1);

	for (size_t i = o->count; i-- > 0;) {
		const struct moment *m = observe_moment(o, i);
		const struct seen *seen = known(shown, m->object);
		bool trouble;

		if (now - m->time > RECENT)
			break;
		if (m->time > now || m->turn == TURN_OTHER || !seen || counted[m->object.slot])
			continue;
		counted[m->object.slot] = 1;
		trouble = is_trouble((enum phase)seen->phase, (enum severity)seen->severity);
		out.healed += m->turn == TURN_HEALED && !trouble;
		out.broke += m->turn == TURN_BROKE && trouble;
	}
	return out;
}

bool observe_flashes(const struct observer *o, struct handle h, int64_t clock)
{
	const struct lately *lately = lately_seen(o, h);

	return lately && lately->changed && clock - lately->changed < FLASH;
}

bool observe_was_there(const struct observer *o, struct handle h, int64_t until)
{
	for (size_t i = 0; i < o->count && observe_moment(o, i)->time <= until; i++)
		if (handle_eq(observe_moment(o, i)->object, h))
			return true;
	return false;
}

const struct tombstone *observe_tombstone(const struct observer *o, struct handle h)
{
	for (size_t i = o->ntombs; h.slot && !o->hidden && i-- > 0;)
		if (handle_eq(o->tombs[i].handle, h))
			return &o->tombs[i];
	return NULL;
}

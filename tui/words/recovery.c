/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "By itself" is said only while something moves: a step was made within MOVING, and nothing that the object needs or is
 * made of is broken.  "Retried" is said where a controller or the kubelet is known to try again, "a person must" where
 * nothing heals without one, "once X" where another object is named, with what is known of that one behind it.
 */
#include "tui/words/recovery.h"

#include "kube/base/time.h"
#include "tui/words/words.h"

#define MOVING MINUTES(10)	/* what made no step for longer than this is not said to go on by itself */
#define SILENT MINUTES(5)	/* nor what nobody has said anything of for so long since it was made */
enum { PARTS = 100 };		/* the most parts, and parts of parts, that are looked at */

/* What is asked, and for whom. */
struct asked {
	struct graph *g;
	struct arena *a;
	int64_t now;
	int depth;		/* objects between this one and the one that was asked for */
};

struct told {
	enum recovery what;
	struct str words;
};

static struct told told_by(const struct asked *q, const struct item *item);
static struct told told_of_obstacle(const struct asked *q, const struct id *id);

const char *recovery_brief(enum recovery recovery)
{
	static const char *const words[] = {
		[RECOVERY_NOTHING] = "",	       [RECOVERY_SELF] = "heals by itself",
		[RECOVERY_RETRIED] = "retried",	       [RECOVERY_PERSON] = "needs a person",
		[RECOVERY_OTHER] = "heals with its cause", [RECOVERY_UNKNOWN] = "recovery not known",
	};

	return words[recovery];
}

const char *recovery_name(enum recovery recovery)
{
	static const char *const names[] = {
		[RECOVERY_NOTHING] = "nothing", [RECOVERY_SELF] = "self",   [RECOVERY_RETRIED] = "retried",
		[RECOVERY_PERSON] = "person",	[RECOVERY_OTHER] = "other", [RECOVERY_UNKNOWN] = "unknown",
	};

	return names[recovery];
}

static struct told person(const char *what)
{
	return (struct told){ RECOVERY_PERSON, str_of(what) };
}

/* ---- what moves, and what is broken ------------------------------------------------ */

/* What was seen of an object, its parts and what it needs. */
struct look {
	int64_t moved;		/* when the last step was made, ms; 0: that is not known */
	struct summary broken;	/* the worst part; without a handle: none is broken */
	size_t left;		/* parts that may still be looked at */
};

static void note_step(struct look *l, int64_t time)
{
	l->moved = time > l->moved ? time : l->moved;
}

static bool is_broken(const struct summary *s)
{
	if (phase_is_leftover(s->phase, s->severity))
		return false;
	return s->phase == PHASE_FAILED || s->phase == PHASE_DEGRADED || (s->phase != PHASE_READY && s->severity >= SEVERITY_WARNING);
}

static void note_broken(struct look *l, const struct summary *s)
{
	if (is_broken(s) && (!l->broken.id.handle.slot || summary_compare(s, &l->broken) < 0))
		l->broken = *s;
}

/* The steps of which an object itself tells. */
static void look_at_steps(struct look *l, const struct item *item)
{
	note_step(l, item->s.created);
	note_step(l, item->s.since);
	note_step(l, item->s.phase == PHASE_DELETING && item->deletion ? item->deletion->since : 0);
	note_step(l, item->status.async ? item->status.async->updated : 0);
	for (size_t i = 0; i < item->status.nconditions; i++)
		note_step(l, item->status.conditions[i].since);
	for (size_t i = 0; i < item->status.nhistory; i++)
		note_step(l, item->status.history[i].time);
}

static void look_at(const struct asked *q, struct look *l, const struct item *item);

/* The part waits for something that does not come by itself: what it is a part of may not know that yet. */
static bool is_held_up(const struct asked *q, const struct item *part)
{
	struct chain_ends chain;

	if (part->s.phase != PHASE_WAITING)
		return false;
	chain = words_chain_ends(q->g, part->s.id.handle, q->a);
	if (chain.n == 0)
		return false;
	switch (chain.waits[chain.n - 1].state) {
	case WAIT_MISSING:
	case WAIT_FAILED:
	case WAIT_APPROVAL:
	case WAIT_CYCLE:
	case WAIT_CONTROLLER:
		return true;
	case WAIT_NONE:
	case WAIT_NOT_READY:
	case WAIT_DELETING:
	case WAIT_FINALIZER:
	case WAIT_EXTERNAL:
	case WAIT_COUNT:
		break;
	}
	return false;
}

static void look_at_part(const struct asked *q, struct look *l, const struct dependency *d)
{
	struct item part;

	if (!l->left || !d->found || !graph_item_brief(q->g, d->on.handle, 0, q->a, &part))
		return;
	l->left--;
	if (is_held_up(q, &part))
		part.s.severity = SEVERITY_WARNING;
	note_broken(l, &part.s);
	look_at(q, l, &part);
}

/* Looks at an object, what it owns and manages, and whether what it needs is broken. */
static void look_at(const struct asked *q, struct look *l, const struct item *item)
{
	struct summary needed;

	look_at_steps(l, item);
	for (size_t i = 0; i < item->ndependents; i++)
		if (item->dependents[i].relation == RELATION_OWNS)
			look_at_part(q, l, &item->dependents[i]);
	for (size_t i = 0; i < item->ndependencies; i++) {
		const struct dependency *d = &item->dependencies[i];

		if (d->relation == RELATION_MANAGES)
			look_at_part(q, l, d);
		else if (d->relation == RELATION_NEEDS && d->found && graph_summary(q->g, d->on.handle, &needed))
			note_broken(l, &needed);
	}
}

/* ---- an object alone --------------------------------------------------------------- */

/* It is not as what it waits for is: its operator has given it up, or replaces it. */
static bool is_given_up(const struct item *item, struct told *out)
{
	static const struct {
		const char *flag, *words;
	} rows[] = {
		{ "no-retry", "a person must change its spec: the operator tries again only then" },
		{ "update-rejected", "a person must correct its spec: the change was refused, and the state before it serves" },
		{ "not-restarted", "a person must find out why it failed: it is not started again" },
		{ "refused", "a person must change what it asks for, or what refuses it" },
		{ "suits-no-node", "a person must change what it asks of nodes, or add a node that has it" },
		{ "at-maximum", "a person must raise its maximum, where no less is asked of it" },
		{ "contradiction", "a person must correct it: it names or selects what the other side does not have" },
		{ "external-delete", "a person must decide: it is deleted outside of the cluster while it is still wanted here" },
	};

	if (status_has_flag(&item->status, "tried-again")) {
		*out = (struct told){ RECOVERY_RETRIED, STR("retried: the controller of the Job makes another pod") };
		return true;
	}
	for (size_t i = 0; !item->deletion && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (status_has_flag(&item->status, rows[i].flag)) {
			*out = person(rows[i].words);
			return true;
		}
	return false;
}

/* Who tries again what this object is about; "": nobody is known to. */
static struct str who_retries(const struct asked *q, const struct item *item)
{
	static const char *const silent[] = { "Node", "Service", "PersistentVolume", "PodDisruptionBudget", "Ingress", "Namespace", "Lease", NULL };
	const struct controller *all;
	size_t n;

	/*
	 * Of a container that runs and is not ready the kubelet only asks again whether it is; without a word of what went wrong,
	 * or without a node, nobody is known to try anything.
	 */
	if (str_is(str_of(item->s.family), "core") && str_is(item->s.id.kind, "Pod")) {
		bool nothing_said = item->s.reason.len == 0 || str_is(item->s.reason, "ContainersNotReady") || str_is(item->s.operator_phase, "Running");

		return str_is(item->s.reason, "Unschedulable") ? STR("the scheduler") : nothing_said ? STR_NONE : STR("the kubelet");
	}
	/* it has passed its time over already */
	if (status_has_flag(&item->status, "not-scheduled"))
		return STR_NONE;
	if (str_is(str_of(item->s.family), "core"))
		return str_is_any(item->s.id.kind, silent) ? STR_NONE : STR("its controller");
	all = graph_controllers(q->g, item->s.id.handle, q->a, &n);
	for (size_t i = 0; i < n; i++)
		if (all[i].workload && all[i].id.handle.slot && !all[i].down)
			return words_id(store_kinds(graph_store(q->g)), &all[i].id, q->a);
	return STR("its controller");
}

static struct told stands_still(const struct asked *q, const struct look *l)
{
	struct str age = words_age(l->moved, q->now, q->a);

	return (struct told){ RECOVERY_UNKNOWN, age.len ? ARENA_JOIN(q->a, STR("not known: nothing has moved for "), age) :
							  STR("not known: nothing tells when it last moved") };
}

/* Says "once X is ready", and behind it how X recovers. */
static struct told once(const struct asked *q, struct str name, const char *what, struct told of_that)
{
	struct str words = ARENA_JOIN(q->a, STR("once "), name, STR(" "), str_of(what));

	if (of_that.words.len)
		words = ARENA_JOIN(q->a, words, STR(" ("), of_that.words, STR(")"));
	return (struct told){ RECOVERY_OTHER, words };
}

/* How the object that another one waits for recovers; it is not followed without an end. */
static struct told of_object(const struct asked *q, struct handle h)
{
	enum { DEPTH = 2 };
	struct asked next = *q;
	struct item item;

	if (++next.depth > DEPTH || !graph_item_brief(q->g, h, 0, q->a, &item))
		return (struct told){ RECOVERY_UNKNOWN, STR_NONE };
	return told_by(&next, &item);
}

/* Its controller has written something, made a part, or told of it by an Event: more is known of it than that it was made. */
static bool was_heard_of(const struct item *item, const struct look *l)
{
	return item->status.nconditions || item->status.nhistory || item->status.async || item->s.reason.len || item->s.message.len ||
	       item->s.since > item->s.created || l->left < PARTS;
}

static bool sets_limits(const struct id *id)
{
	return str_is(id->kind, "ResourceQuota") || str_is(id->kind, "LimitRange");
}

static struct told told_alone(const struct asked *q, const struct item *item)
{
	const struct summary *s = &item->s;
	struct look l = { .left = PARTS };
	struct str who;

	if (sets_limits(&s->id))
		return told_of_obstacle(q, &s->id);
	if (status_has_flag(&item->status, "warned-again"))
		return (struct told){ RECOVERY_RETRIED, STR("retried: the warning comes back with each try") };
	if (status_has_flag(&item->status, "image-refused"))
		return person("a person must correct the image, or who may pull it: the registry refuses it");
	/* also what cannot succeed as it is, is started again by the kubelet: that is known, and whether it helps is not */
	if (str_is(s->operator_phase, "CrashLoopBackOff") || status_has_flag(&item->status, "crash-loop"))
		return (struct told){ RECOVERY_RETRIED, STR("retried: the kubelet starts it again") };
	if (s->severity == SEVERITY_ERROR)
		return person("a person must fix it");
	if (s->phase == PHASE_SUSPENDED)
		return person("a person must resume it");
	if (s->phase == PHASE_READY)
		return told_of_obstacle(q, &s->id);
	if (s->phase == PHASE_UNKNOWN)
		return (struct told){ RECOVERY_UNKNOWN, STR("not known: its status does not say enough") };
	look_at(q, &l, item);
	if (l.broken.id.handle.slot && !handle_eq(l.broken.id.handle, s->id.handle))
		return once(q, words_id(store_kinds(graph_store(q->g)), &l.broken.id, q->a), "works", of_object(q, l.broken.id.handle));
	if (s->stale || words_overdue(s, q->now))
		return stands_still(q, &l);
	if (s->phase == PHASE_DELETING && s->severity == SEVERITY_WARNING && !s->reason.len && !status_has_flag(&item->status, "delete-blocked"))
		return stands_still(q, &l);
	if (s->severity == SEVERITY_WARNING) {
		who = was_heard_of(item, &l) ? who_retries(q, item) : STR_NONE;
		return who.len ? (struct told){ RECOVERY_RETRIED, ARENA_JOIN(q->a, STR("retried: "), who, STR(" tries again")) } : stands_still(q, &l);
	}
	if (s->phase == PHASE_WAITING)
		return (struct told){ RECOVERY_UNKNOWN, STR("not known: it waits, and its status does not name what it waits for") };
	if (status_has_flag(&item->status, "at-work"))
		return (struct told){ RECOVERY_SELF, STR("by itself: what it made runs") };
	if (!l.moved || q->now - l.moved > (was_heard_of(item, &l) ? MOVING : SILENT))
		return stands_still(q, &l);
	return (struct told){ RECOVERY_SELF, s->phase == PHASE_DELETING ? STR("by itself: it is being deleted") : STR("by itself: it is under way") };
}

/* ---- an object that waits ---------------------------------------------------------- */

/* It is well as it is, and what waits for it needs it to run. */
static bool is_at_zero(const struct asked *q, struct handle h)
{
	struct item item;

	return graph_item_brief(q->g, h, 0, q->a, &item) && item.s.phase == PHASE_READY && status_has_flag(&item.status, "scaled-to-zero");
}

/* What a person has to change about an object that is well as it is and lets something else not go on. */
static struct told told_of_obstacle(const struct asked *q, const struct id *id)
{
	if (sets_limits(id))
		return person("a person must raise it, or ask for less");
	if (str_is(id->kind, "PodDisruptionBudget"))
		return person("a person must run more pods than it keeps, or change it");
	if (is_at_zero(q, id->handle))
		return person("a person must scale it up");
	if (str_is(id->kind, "Service") || str_is(id->kind, "Secret"))
		return person("a person must correct it, or what names it");
	if (str_is(id->kind, "Lease"))
		return person("a person must make run again what held it");
	return (struct told){ RECOVERY_UNKNOWN, STR("not known: it is at its goal, and something beside it went wrong") };
}

/* The object that is waited for is being deleted: the one that waits for it goes, too, or needs it again. */
static struct told told_of_going(const struct asked *q, struct str name, const struct summary *root, bool to_be_gone)
{
	if (!to_be_gone && !root->owner.slot)
		return (struct told){ RECOVERY_PERSON, ARENA_JOIN(q->a, STR("a person must create "), name, STR(" again, which is being deleted")) };
	return once(q, name, "is gone", of_object(q, root->id.handle));
}

static struct told told_of_object(const struct asked *q, const struct item_wait *root, struct str name, bool to_be_gone)
{
	struct summary s = { .severity = SEVERITY_NONE };
	bool known = graph_summary(q->g, root->on.handle, &s);

	if (known && is_at_zero(q, root->on.handle))
		return (struct told){ RECOVERY_PERSON, ARENA_JOIN(q->a, STR("a person must scale "), name, STR(" up")) };
	if (known && s.phase == PHASE_DELETING)
		return told_of_going(q, name, &s, to_be_gone);
	if (words_in_the_way(q->g, root))
		return once(q, name, "allows it", told_of_obstacle(q, &root->on));
	if (!known)
		return once(q, name, root->state == WAIT_FAILED ? "works" : "is ready", (struct told){ RECOVERY_UNKNOWN, STR_NONE });
	return once(q, name, s.phase == PHASE_SUSPENDED ? "is resumed" : is_broken(&s) ? "works" : "is ready", of_object(q, root->on.handle));
}

/* Who has to do what about a root cause; name is that of the object that is waited for. */
static struct told told_of_root(const struct asked *q, const struct item_wait *root, struct str name, bool to_be_gone)
{
	struct summary s = { .severity = SEVERITY_NONE };
	bool known = graph_summary(q->g, root->on.handle, &s);

	switch (root->state) {
	case WAIT_APPROVAL:
		return (struct told){ RECOVERY_PERSON, ARENA_JOIN(q->a, STR("a person must approve "), name) };
	case WAIT_MISSING:
		return once(q, name, "exists", person("a person must create it"));
	case WAIT_EXTERNAL:
		return once(q, name, "is there", (struct told){ RECOVERY_UNKNOWN, STR_NONE });
	case WAIT_CYCLE:
		return person("a person must break the cycle in which they wait for each other");
	case WAIT_CONTROLLER:
		return once(q, name, "runs again", known && s.phase != PHASE_READY ? of_object(q, root->on.handle) : person("a person must make it run"));
	case WAIT_FINALIZER:
		if (words_refers(root) && known && s.phase == PHASE_DELETING)
			break;
		if (words_refers(root))
			return once(q, name, "is gone", person("a person must delete it"));
		if (words_kept(root))
			return (struct told){ RECOVERY_RETRIED, STR("retried: its controller tries again, and says what it waits for") };
		return (struct told){ RECOVERY_PERSON, ARENA_JOIN(q->a, STR("a person must find out why nobody removes "),
								  str_of(str_is(root->on.kind, "Finalizer") ? "" : "the finalizer of "), name) };
	case WAIT_NONE:
	case WAIT_NOT_READY:
	case WAIT_FAILED:
	case WAIT_DELETING:
	case WAIT_COUNT:
		break;
	}
	return told_of_object(q, root, name, to_be_gone);
}

/*
 * Returns true when the object that waits for the root cause, which is the one before the end of the chain, waits for it to be gone: it is
 * being deleted, too, or it is a pod whose volume is still elsewhere.
 */
static bool needs_it_gone(const struct asked *q, const struct item *item, const struct chain_ends *chain)
{
	struct str root = chain->waits[chain->n - 1].on.kind;
	struct summary s = item->s;

	if (chain->n >= 2 && !graph_summary(q->g, chain->waits[chain->n - 2].on.handle, &s))
		return false;
	return s.phase == PHASE_DELETING || (str_is(s.id.kind, "Pod") && (str_is(root, "Pod") || str_is(root, "VolumeAttachment")));
}

static struct told told_by(const struct asked *q, const struct item *item)
{
	const struct item_wait *root;
	struct chain_ends chain;
	struct told told;

	if ((item->s.phase == PHASE_READY && item->s.severity == SEVERITY_NONE) || phase_is_leftover(item->s.phase, item->s.severity))
		return (struct told){ RECOVERY_NOTHING, STR("nothing to do") };
	if (is_given_up(item, &told))
		return told;
	chain = words_chain_ends(q->g, item->s.id.handle, q->a);
	if (chain.n == 0)
		return told_alone(q, item);
	root = &chain.waits[chain.n - 1];
	/* an approval, a finalizer: the object waits for something about itself */
	if (handle_eq(root->on.handle, item->s.id.handle) && root->state != WAIT_APPROVAL && root->state != WAIT_CYCLE &&
	    root->state != WAIT_FINALIZER && root->state != WAIT_EXTERNAL)
		return told_alone(q, item);
	return told_of_root(q, root, words_on(store_kinds(graph_store(q->g)), root, q->a), needs_it_gone(q, item, &chain));
}

enum recovery recovery_of(struct graph *g, const struct item *item, int64_t now, struct arena *a, struct str *out_words)
{
	struct asked q = { g, a, now, 0 };
	struct told told = told_by(&q, item);

	*out_words = told.words;
	return told.what;
}

enum recovery recovery_of_root(struct graph *g, const struct root_cause *root, int64_t now, struct arena *a, struct str *out_words)
{
	struct asked q = { g, a, now, 0 };
	struct item_wait wait = { .on = root->id, .state = root->cause };
	struct item item;
	struct told told;

	if (root->id.handle.slot && graph_item_brief(g, root->id.handle, 0, a, &item))
		told = item.s.phase == PHASE_READY ? told_of_obstacle(&q, &root->id) : told_by(&q, &item);
	else if (root->cause == WAIT_MISSING)
		told = person("a person must create it");
	else
		told = told_of_root(&q, &wait, words_on(store_kinds(graph_store(g)), &wait, a), false);
	*out_words = told.words;
	return told.what;
}

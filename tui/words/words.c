/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/words/words.h"


#include "kube/base/shell.h"
#include "kube/base/time.h"
#include "kube/status/thresholds.h"
#include "tui/words/explain.h"
#include "tui/words/innermost.h"

enum { CHAIN = 16, CHAIN_WHOLE = 12, LONG_NAME = 24, NAME_TAIL = 6, KIND_NAME = 256 };

static struct str lower(struct str s, struct arena *a)
{
	struct str copy = arena_str(a, s);
	char *p = (char *)(uintptr_t)copy.ptr;

	for (size_t i = 0; i < copy.len; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] - 'A' + 'a');
	return copy;
}

struct str words_kind(const struct kinds *kinds, struct str group, struct str kind, struct arena *a)
{
	const struct kind *known = kinds_find(kinds, group, kind);
	char name[KIND_NAME];

	if (!known)
		return lower(kind, a);
	kind_display(kinds, known, name, sizeof(name));
	return arena_str(a, str_of(name));
}

struct str words_kind_short(const struct kinds *kinds, struct str group, struct str kind, struct arena *a)
{
	const struct kind *known = kinds_find(kinds, group, kind);
	char text[KIND_NAME];
	struct str name;
	size_t dot, next;

	if (!known)
		return lower(kind, a);
	kind_display_short(kinds, known, text, sizeof(text));
	name = str_of(text);
	dot = str_find(name, '.');
	next = dot < name.len ? dot + 1 + str_find(str_from(name, dot + 1), '.') : name.len;
	return arena_str(a, known->short_names[0].len ? name : str_head(name, next));
}

/* Shortens a name that an outside system gave: it is long, and its end tells most. */
static struct str short_name(struct str name, struct arena *a)
{
	if (name.len <= LONG_NAME)
		return name;
	return ARENA_JOIN(a, STR("…"), str_from(name, name.len - NAME_TAIL));
}

struct str words_id(const struct kinds *kinds, const struct id *id, struct arena *a)
{
	struct str kind = words_kind(kinds, id->group, id->kind, a);

	if (str_empty(id->name))
		return kind;
	/* The kind is not known: the name stands alone. */
	if (str_empty(kind) || str_is(kind, "?") || id->alias)
		return short_name(id->name, a);
	return arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(kind), STR_ARG(id->name));
}

struct str words_id_short(const struct kinds *kinds, const struct id *id, struct arena *a)
{
	struct str whole = words_id(kinds, id, a), kind = words_kind(kinds, id->group, id->kind, a);

	if (!str_eq(str_head(whole, kind.len), kind) || !id->name.len)
		return whole;
	return ARENA_JOIN(a, words_kind_short(kinds, id->group, id->kind, a), str_from(whole, kind.len));
}

struct str words_place(const struct kinds *kinds, const struct id *id, bool ns, struct arena *a)
{
	struct str out = words_id(kinds, id, a);

	if (ns && id->ns.len)
		out = arena_printf(a, STR_FMT " · " STR_FMT, STR_ARG(out), STR_ARG(id->ns));
	if (id->cluster.len)
		out = arena_printf(a, STR_FMT " · " STR_FMT, STR_ARG(out), STR_ARG(id->cluster));
	return out;
}

struct str words_alike(size_t alike, struct arena *a)
{
	return alike > 1 ? ARENA_JOIN(a, STR(" (1 of "), words_count(alike, a), STR(")")) : STR_NONE;
}

struct str words_age(int64_t since, int64_t now, struct arena *a)
{
	static const struct {
		int64_t below, unit; /* in seconds */
		const char *name;
	} steps[] = {
		{ 60, 1, "s" },
		{ 3600, 60, "m" },
		{ 48 * 3600, 3600, "h" },
		{ 2 * 365 * 86400, 86400, "d" },
		{ INT64_MAX, 365 * 86400, "y" },
	};
	int64_t s = (now - since) / 1000;
	size_t i = 0;

	if (since == 0)
		return STR_NONE;
	if (s < 0)
		s = 0;
	while (s >= steps[i].below)
		i++;
	return arena_printf(a, "%lld%s", (long long)(s / steps[i].unit), steps[i].name);
}

/* Returns bytes of a time such as "2026-11-20T09:00:00Z". */
static struct str part_of_time(int64_t time, size_t from, size_t n, struct arena *a)
{
	char text[TIME_TEXT];

	return arena_str(a, str_head(str_from(str_of(time_format(time, text)), from), n));
}

struct str words_day(int64_t time, struct arena *a)
{
	return part_of_time(time, 0, 10, a);
}

struct str words_clock(int64_t time, struct arena *a)
{
	return part_of_time(time, 11, 8, a);
}

struct str words_moment(int64_t time, int64_t near, struct arena *a)
{
	struct str clock = words_clock(time, a);

	return time / HOURS(24) == near / HOURS(24) ? clock : ARENA_JOIN(a, words_day(time, a), STR(" "), clock);
}

struct str words_when(int64_t since, int64_t now, bool absolute, struct arena *a)
{
	char text[TIME_TEXT];

	return absolute && since ? arena_str(a, str_of(time_format(since, text))) : words_age(since, now, a);
}

struct str words_count(uint64_t n, struct arena *a)
{
	if (n < 1000)
		return arena_printf(a, "%u", (unsigned)n);
	if (n < 1000000)
		return arena_printf(a, "%u %03u", (unsigned)(n / 1000), (unsigned)(n % 1000));
	return arena_printf(a, "%llu %03u %03u", (unsigned long long)(n / 1000000),
			    (unsigned)(n / 1000 % 1000), (unsigned)(n % 1000));
}

struct str words_size(double bytes, struct arena *a)
{
	static const char *const units[] = { "Mi", "Gi", "Ti" };
	size_t unit = 0;

	for (bytes /= 1 << 20; bytes >= 1024 && unit < 2; unit++)
		bytes /= 1024;
	return arena_printf(a, unit ? "%.1f%s" : "%.0f%s", bytes, units[unit]);
}

struct str words_causes(size_t n, struct arena *a)
{
	return ARENA_JOIN(a, words_count(n, a), str_of(n == 1 ? " root cause" : " root causes"));
}

struct str words_causes_block(size_t n, size_t under_way, size_t blocked, struct arena *a)
{
	struct str causes = words_causes(n, a);

	if (blocked && under_way == n)
		return ARENA_JOIN(a, words_count(blocked, a), str_of(blocked == 1 ? " waits for " : " wait for "), words_count(n, a),
				  str_of(n == 1 ? " that is under way" : " that are under way"));
	if (!blocked)
		return ARENA_JOIN(a, causes, STR(", nothing else waits for "), str_of(n == 1 ? "it" : "them"));
	return ARENA_JOIN(a, causes, str_of(n == 1 ? " blocks " : " block "), words_count(blocked, a));
}

const char *words_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

struct str words_first_line(struct str s)
{
	return str_trim(str_head(s, str_find(s, '\n')));
}

struct text words_phase(enum phase phase, struct arena *a)
{
	const struct appearance *appearance = phase_appearance(phase);

	return (struct text){ arena_printf(a, "%s %s", appearance->glyph, phase_name(phase)), STR_NONE, appearance->style };
}

struct text words_absent(bool missing)
{
	return missing ? (struct text){ STR("✖ missing"), STR_NONE, STYLE_BAD } :
			 (struct text){ STR("? not looked up"), STR_NONE, STYLE_UNKNOWN };
}

bool words_waits_missing(const struct item *item, const struct id *on)
{
	for (size_t i = 0; i < item->nwaits; i++) {
		const struct id *missing = &item->waits[i].on;

		if (item->waits[i].state == WAIT_MISSING && str_eq(missing->kind, on->kind) && str_eq(missing->group, on->group) &&
		    str_eq(missing->ns, on->ns) && str_eq(missing->name, on->name))
			return true;
	}
	return false;
}

struct str words_bar(double percent, struct arena *a)
{
	static const char full[] = "▓▓▓▓▓▓▓▓▓▓", empty[] = "░░░░░░░░░░";
	enum { CELLS = 10, BYTES = 3 };
	int filled;

	if (!(percent >= 0))
		percent = 0;
	if (percent > 100)
		percent = 100;
	filled = (int)percent / CELLS;
	return arena_printf(a, "%.*s%.*s %d %%", filled * BYTES, full, (CELLS - filled) * BYTES,
			    empty, (int)percent);
}

/* Returns the word behind the name of what is waited for; NULL: there is none, because its own row tells its state. */
static const char *state_suffix(enum wait_state state)
{
	static const char *const suffixes[WAIT_COUNT] = {
		[WAIT_MISSING] = "missing",   [WAIT_DELETING] = "being deleted",
		[WAIT_CYCLE] = "cycle",	      [WAIT_FINALIZER] = "finalizer",
		[WAIT_APPROVAL] = "approval", [WAIT_CONTROLLER] = "controller",
	};

	return state < WAIT_COUNT ? suffixes[state] : NULL;
}

/*
 * Something outside of the cluster, such as "OpenStack 7d", or a finalizer has no kind that kubectl could be asked for.
 */
struct str words_on(const struct kinds *kinds, const struct item_wait *w, struct arena *a)
{
	bool outside = (w->state == WAIT_EXTERNAL || w->state == WAIT_APPROVAL) && !w->on.handle.slot;

	if (str_is(w->on.kind, "Finalizer"))
		return arena_printf(a, "finalizer " STR_FMT, STR_ARG(w->on.name));
	if (!outside || str_empty(w->on.name) || str_is(w->on.kind, "?"))
		return words_id(kinds, &w->on, a);
	if (str_is(w->on.kind, "Scheduler") && str_is(w->on.name, "node"))
		return ARENA_JOIN(a, STR("a "), w->on.name, STR(" for the pod"));
	return ARENA_JOIN(a, w->on.kind, STR(" "), short_name(w->on.name, a));
}

struct str words_wait(const struct kinds *kinds, const struct item_wait *w, struct arena *a)
{
	const char *suffix = state_suffix(w->state);
	struct str id = words_on(kinds, w, a);

	return suffix ? arena_printf(a, STR_FMT " (%s)", STR_ARG(id), suffix) : id;
}

bool words_refers(const struct item_wait *w)
{
	return w->state == WAIT_FINALIZER && w->on.handle.slot && !str_is(w->message, GRAPH_NOBODY_REMOVES);
}

bool words_kept(const struct item_wait *w)
{
	return w->state == WAIT_FINALIZER && str_is(w->on.kind, "Finalizer") && str_is(w->via, "metadata.finalizers") &&
	       !str_is(w->message, GRAPH_NOBODY_REMOVES);
}

bool words_in_the_way(struct graph *g, const struct item_wait *w)
{
	struct summary s;

	return w->state == WAIT_NOT_READY && graph_summary(g, w->on.handle, &s) && s.phase == PHASE_READY;
}

struct str words_because(struct graph *g, const struct kinds *kinds, const struct item_wait *w,
			 struct arena *a)
{
	struct str id = words_on(kinds, w, a);

	if (words_kept(w))
		return ARENA_JOIN(a, id, STR(" stays: "), w->message);
	if (str_is(w->on.kind, "Finalizer"))
		return arena_printf(a, "nobody removes " STR_FMT, STR_ARG(id));
	if (words_refers(w))
		return arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(id), STR_ARG(w->message));
	if (words_in_the_way(g, w))
		return arena_printf(a, STR_FMT " is ready, but %s", STR_ARG(id),
				    str_is(w->on.kind, "PodDisruptionBudget") ? "does not allow it yet" : "not as it is needed");
	return arena_printf(a, STR_FMT " %s", STR_ARG(id), explain_cause(w->state));
}

struct str words_number(const struct kinds *kinds, size_t n, const struct kind *kind, struct arena *a)
{
	struct str name = words_kind(kinds, kind->group, kind->kind, a);

	if (n != 1 && kind->plural.len)
		name = ARENA_JOIN(a, kind->plural, str_from(name, str_find(name, '.')));
	return ARENA_JOIN(a, words_count(n, a), STR(" "), name);
}

struct str words_times(const struct kinds *kinds, size_t n, const struct kind *kind, struct arena *a)
{
	return ARENA_JOIN(a, STR("×"), words_number(kinds, n, kind, a));
}

struct str words_parts(struct graph *g, struct handle of, size_t n, struct arena *a)
{
	struct summary part;

	if (n < 2)
		return STR_NONE;
	if (!of.slot || !graph_summary(g, of, &part))
		return arena_printf(a, " ×%zu", n);
	return ARENA_JOIN(a, STR(" "), words_times(store_kinds(graph_store(g)), n, part.kind, a));
}

struct handle words_top_owner(struct graph *g, struct handle h)
{
	enum { OWNERS = 8 };
	struct summary s;

	for (int i = 0; i < OWNERS && graph_summary(g, h, &s) && s.owner.slot; i++)
		h = s.owner;
	return h;
}

bool words_makes_pods(const struct id *id)
{
	return str_is(id->group, "apps") || str_is(id->group, "batch") || (!id->group.len && str_is(id->kind, "ReplicationController"));
}

struct str words_node(const struct store *store, uint32_t slot)
{
	for (size_t i = 0; slot && i < store_edge_count(store, slot); i++) {
		struct object_id id = store_node_id(store, store_edge_target(store, slot, i));

		if (str_is(id.kind->kind, "Node") && !id.kind->group.len)
			return id.name;
	}
	return STR_NONE;
}

uint32_t words_workload(struct graph *g, uint32_t slot)
{
	enum { OWNERS = 8 };
	struct id id = graph_id(g, slot);
	bool in = words_makes_pods(&id);

	if (!in && (!slot || id.group.len || !str_is(id.kind, "Pod")))
		return 0;
	for (int i = 0; i < OWNERS; i++) {
		uint32_t owner = graph_controller(graph_store(g), slot);

		id = graph_id(g, owner);
		if (!owner || (in && !words_makes_pods(&id)))
			break;
		in = true;
		slot = owner;
	}
	return in ? slot : 0;
}

/*
 * Joins the end of a chain: when an object waits for itself, that wait only says more about the wait that led to the
 * object.
 */
static size_t join_end(struct item_wait *chain, size_t n)
{
	if (n < 2 || !chain[n - 1].on.handle.slot || !handle_eq(chain[n - 1].on.handle, chain[n - 2].on.handle))
		return n;
	chain[n - 2].state = chain[n - 1].state;
	return n - 1;
}

size_t words_chain_of(struct graph *g, struct handle h, struct item_wait *out, size_t cap)
{
	return join_end(out, graph_chain(g, h, out, cap));
}

struct chain_ends words_chain_ends(struct graph *g, struct handle h, struct arena *a)
{
	struct item_wait *chain = arena_array(a, CHAIN, sizeof(*chain)), tail[CHAIN_TAIL];
	size_t n = words_chain_of(g, h, chain, CHAIN_WHOLE + 1), all, ntail;

	if (n <= CHAIN_WHOLE)
		return (struct chain_ends){ chain, n, 0 };
	all = graph_chain_tail(g, h, tail);
	ntail = join_end(tail, CHAIN_TAIL);
	chain[CHAIN_HEAD] = tail[ntail - 2];
	chain[CHAIN_HEAD + 1] = tail[ntail - 1];
	n = CHAIN_HEAD + 2;
	return (struct chain_ends){ chain, n, all - (CHAIN_TAIL - ntail) - n };
}

static bool is_own_part(struct graph *g, struct handle part, struct handle whole)
{
	enum { OWNERS = 8 };	/* so many levels of owners are followed */
	struct summary s;

	for (int i = 0; i < OWNERS && graph_summary(g, part, &s) && s.owner.slot; i++) {
		if (handle_eq(s.owner, whole))
			return true;
		part = s.owner;
	}
	return false;
}

bool words_telling_part(struct graph *g, struct handle h, struct arena *a, struct summary *out)
{
	struct chain_ends chain = words_chain_ends(g, h, a);

	for (size_t i = chain.n; i-- > 0;)
		if (is_own_part(g, chain.waits[i].on.handle, h))
			return graph_summary(g, chain.waits[i].on.handle, out);
	return false;
}

struct str words_reason(const struct summary *s)
{
	return s->reason.len ? s->reason : s->operator_phase;
}

/*
 * Leaves out which Pod the kubelet speaks of, "... failed container=app pod=web-1_shop(8f0b...)": that repeats the row,
 * and the end of a text is what is shown of it where there is little room.
 */
static struct str without_pod(struct str message)
{
	size_t pod = str_find_str(message, " pod=");
	struct str behind = str_from(message, pod + 1);

	return str_starts(message, "back-off ") && str_find(behind, ' ') == behind.len ? str_head(message, pod) : message;
}

struct str words_message(enum severity severity, struct str message, struct arena *a)
{
	return without_pod(severity >= SEVERITY_WARNING ? innermost_part(message, a) : innermost_line(message));
}

/* True for a message that begins with a code of its own, such as "OverQuota: Quota exceeded". */
static bool begins_with_code(struct str message)
{
	size_t colon = str_find(message, ':');
	struct str code = str_head(message, colon);

	return colon + 1 < message.len && message.ptr[colon + 1] == ' ' && code.len && str_find(code, ' ') == code.len &&
	       ((code.ptr[0] >= 'A' && code.ptr[0] <= 'Z') || (code.ptr[0] >= '0' && code.ptr[0] <= '9'));
}

struct str words_with_reason(struct str reason, struct str message, struct arena *a)
{
	if (!reason.len || !message.len)
		return message.len ? message : reason;
	if (begins_with_code(message) || text_contains(message, reason))
		return message;
	return arena_printf(a, STR_FMT ": " STR_FMT, STR_ARG(reason), STR_ARG(message));
}

struct str words_rollout(const struct summary *s, struct arena *a)
{
	const struct replicas *r = &s->replicas;

	if (s->phase != PHASE_UPDATING || r->wanted < 1 || r->updated < 0 || r->updated > r->wanted || !words_makes_pods(&s->id))
		return STR_NONE;
	return arena_printf(a, "%d of %d updated", r->updated, r->wanted);
}

struct str words_said(const struct summary *s, struct arena *a)
{
	struct str rollout = words_rollout(s, a), message = words_message(s->severity, s->message, a);

	if (rollout.len)
		return rollout;
	return message.len ? words_with_reason(s->reason, message, a) : words_reason(s);
}

int64_t words_since_of_cause(struct graph *g, struct handle h, struct arena *a)
{
	struct chain_ends chain = words_chain_ends(g, h, a);
	struct summary cause;

	for (size_t i = 0; i < chain.n; i++)
		if (graph_summary(g, chain.waits[i].on.handle, &cause) && cause.since)
			return cause.since;
	return 0;
}

struct text words_chain(struct graph *g, const struct kinds *kinds, struct handle h,
			struct arena *a)
{
	struct item_wait *chain = arena_array(a, CHAIN, sizeof(*chain));
	size_t n = words_chain_of(g, h, chain, CHAIN);
	struct text text = { STR_NONE, STR_NONE, STYLE_NORMAL };
	struct str first, last;

	if (n == 0)
		return text;
	if (h.slot && handle_eq(chain[0].on.handle, h)) {
		text.str = chain[0].state == WAIT_EXTERNAL ? STR("waits for something outside of the cluster") :
							     str_of(explain_cause(chain[0].state));
		return text;
	}
	first = words_wait(kinds, &chain[0], a);
	text.str = first;
	if (n == 1 || chain[0].state == WAIT_CYCLE)
		return text;
	last = words_wait(kinds, &chain[n - 1], a);
	text.str = arena_printf(a, STR_FMT " %s" STR_FMT, STR_ARG(first), n > 2 ? "→ … → " : "→ ",
				STR_ARG(last));
	text.brief = arena_printf(a, "→ " STR_FMT, STR_ARG(last));
	return text;
}

/* Returns the kind for kubectl: "network.openstack.k-orc.cloud".  Built-in kinds stand without their group. */
static struct str command_type(const struct id *id, struct arena *a)
{
	struct str kind = lower(id->kind, a);

	if (str_find(id->group, '.') == id->group.len || str_ends(id->group, ".k8s.io"))
		return shell_word(kind, a);
	return shell_word(arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(kind), STR_ARG(id->group)),
			  a);
}

static struct str command_flags(const struct graph *g, const struct id *id, enum command_reader reader, struct arena *a)
{
	struct str target = graph_target_flags(g, id->cluster, reader, a);

	if (!id->ns.len)
		return target;
	return ARENA_JOIN(a, STR(" -n "), shell_word(id->ns, a), target);
}

bool words_kind_unknown(const struct id *id)
{
	return id->alias || (str_is(id->kind, "Object") && id->group.len == 0);
}

static struct str command_line(const char *verb, struct str what, struct str flags, const struct id *id, struct arena *a)
{
	/* What kubectl would read as a flag stands behind "--", after the flags. */
	if (str_starts(id->kind, "-") || str_starts(id->name, "-"))
		return arena_printf(a, "kubectl %s" STR_FMT " -- " STR_FMT, verb, STR_ARG(flags), STR_ARG(what));
	return arena_printf(a, "kubectl %s " STR_FMT STR_FMT, verb, STR_ARG(what), STR_ARG(flags));
}

struct str words_command(const struct graph *g, const struct id *id, enum wait_state cause, struct str reason,
			 enum command_reader reader, struct arena *a)
{
	struct str type = command_type(id, a), flags = command_flags(g, id, reader, a), name = shell_word(id->name, a);

	if (cause == WAIT_MISSING) /* the command lists the objects of the kind that exist */
		return command_line("get", type, flags, id, a);
	if (str_is(id->kind, "Pod") && str_is(reason, "CrashLoopBackOff")) {
		flags = arena_printf(a, STR_FMT " --all-containers --previous", STR_ARG(flags));
		return command_line("logs", name, flags, id, a);
	}
	name = arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(type), STR_ARG(name));
	return command_line("describe", name, flags, id, a);
}

const char *words_relation(enum relation relation, bool refers)
{
	/* A needs B; B owns A; A manages B; A guards B; A replaces B: the first column says what B is to A. */
	static const char *const words[RELATION_COUNT][2] = {
		[RELATION_NEEDS] = { "needs", "needed by" },
		[RELATION_OWNS] = { "owned by", "owns" },
		[RELATION_MANAGES] = { "manages", "managed by" },
		[RELATION_GUARDS] = { "guards", "guarded by" },
		[RELATION_REPLACES] = { "replaces", "replaced by" },
	};

	return relation < RELATION_COUNT ? words[relation][refers ? 0 : 1] : "";
}

bool words_overdue(const struct summary *s, int64_t now)
{
	return (phase_under_way(s->phase) || s->phase == PHASE_DELETING) && s->severity >= SEVERITY_WARNING && s->since &&
	       now - s->since > thresholds.overdue;
}

/* ---- facts about one object -------------------------------------------------------- */

struct str words_rule(const struct item *item, struct arena *a)
{
	bool said = item->rule.len >= item->row.len && str_eq(str_from(item->rule, item->rule.len - item->row.len), item->row);
	bool says_no_more = str_starts(item->row, GRAPH_ROW_FAMILY) || str_is(item->row, GRAPH_ROW_DELETION) || said;
	bool condition = item->nbecause && str_starts(item->because[0].from, "status.conditions[") && !str_starts(item->rule, "condition ");
	struct str rule = condition && item->rule.len ? ARENA_JOIN(a, STR("condition "), item->rule) : item->rule;

	if (rule.len == 0 || says_no_more)
		return rule;
	return ARENA_JOIN(a, rule, STR(" ("), item->row, STR(")"));
}

/* The chain of waits says it already. */
static bool is_wait(const struct item *item, struct str from)
{
	for (size_t i = 0; i < item->nwaits; i++) {
		const struct id *on = &item->waits[i].on;

		if (from.len == on->kind.len + 1 + on->name.len && str_eq(str_head(from, on->kind.len), on->kind) &&
		    str_eq(str_from(from, on->kind.len + 1), on->name))
			return true;
	}
	return false;
}

/* A condition with the same message as the fact that decided. */
static bool repeats_first(const struct item *item, size_t i)
{
	return i > 0 && str_starts(item->because[i].from, "status.conditions[") && item->because[i].message.len && str_eq(item->because[i].message, item->because[0].message);
}

struct str words_facts(const struct item *item, enum because_role role, struct arena *a)
{
	struct str out = STR_NONE;

	for (size_t i = 0; i < item->nbecause; i++)
		if (item->because[i].role == role && !is_wait(item, item->because[i].from) && !repeats_first(item, i) &&
		    !str_contains(item->s.message, arena_printf(a, STR_FMT, STR_ARG(item->because[i].what)).ptr))
			out = ARENA_JOIN(a, out, str_of(out.len ? "; " : ""), item->because[i].what);
	return out;
}

struct str words_version(const struct item *item, struct arena *a)
{
	const struct status *s = &item->status;
	const struct replicas *r = &item->s.replicas;
	struct str out;

	if (s->version_from.len == 0 || s->version_to.len == 0)
		return s->version_to.len ? s->version_to : s->version_from;
	out = arena_printf(a, STR_FMT " → " STR_FMT, STR_ARG(s->version_from),
			   STR_ARG(s->version_to));
	if (r->wanted > 0 && r->updated >= 0)
		out = arena_printf(a, STR_FMT ", %d of %d updated", STR_ARG(out), r->updated,
				   r->wanted);
	return out;
}

struct str words_generation(const struct store *store, const struct item *item, struct arena *a)
{
	int64_t generation = store_meta(store, item->s.id.handle).generation, observed = -1;

	for (size_t i = 0; i < item->status.nconditions; i++)
		if (item->status.conditions[i].generation > observed)
			observed = item->status.conditions[i].generation;
	if (generation <= 0)
		return STR_NONE;
	if (observed < 0)
		return arena_printf(a, "%lld", (long long)generation);
	return arena_printf(a, "%lld, observed %lld%s", (long long)generation, (long long)observed,
			    observed < generation ? ": the operator has not seen the latest spec"
						  : "");
}

struct str words_controllers(struct graph *g, const struct kinds *kinds, const struct item *item,
			     struct arena *a)
{
	size_t n;
	const struct controller *all = graph_controllers(g, item->s.id.handle, a, &n);
	struct str out = STR_NONE;

	for (size_t i = 0; i < n; i++) {
		if (!all[i].workload || !all[i].id.handle.slot)
			continue;
		out = ARENA_JOIN(a, out, str_of(out.len ? "; " : ""), words_id(kinds, &all[i].id, a), STR(" · "), all[i].id.ns,
				 STR(", "), str_of(all[i].down ? "which does not work" : "which runs"));
	}
	return out;
}

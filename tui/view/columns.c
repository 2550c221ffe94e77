/* SPDX-License-Identifier: Apache-2.0 */
/* How the cells of columns.def are made from an object, and which columns are shown. */
#include "tui/view/columns.h"

#include "kube/base/assert.h"

#include "kube/base/quantity.h"
#include "kube/base/time.h"
#include "kube/graph/shared.h"
#include "tui/state/sort.h"
#include "tui/view/runs_out.h"
#include "tui/words/words.h"

#include <math.h>

_Static_assert((int)COLUMN_COUNT <= (int)LINE_CELLS, "a line has a cell for each column");

static struct text plain(struct str str, enum style style)
{
	return (struct text){ str, STR_NONE, style };
}

/* ---- names -------------------------------------------------------------------- */

static struct text cell_cluster(const struct cell_facts *f)
{
	return plain(f->s->id.cluster, STYLE_DIM);
}

static struct text cell_namespace(const struct cell_facts *f)
{
	return plain(f->s->id.ns, STYLE_DIM);
}

static struct text cell_name(const struct cell_facts *f)
{
	return plain(words_id(f->kinds, &f->s->id, f->a), f->style);
}

/* Where kinds do not have their short names anyhow, one has that does not fit. */
static struct text named(const struct cell_facts *f, struct str name, struct str short_name)
{
	return (struct text){ f->screen->short_names ? short_name : name, f->screen->short_names ? STR_NONE : short_name, f->style };
}

static struct text screen_name(const struct cell_facts *f)
{
	const struct cell_screen *screen = f->screen;
	const struct id *id = &f->s->id;
	struct summary owner;
	struct str name = cell_name(f).str, brief = words_id_short(f->kinds, id, f->a), count;

	if (screen->count == 0) {
		struct str parts = words_parts(f->graph, screen->of, screen->parts, f->a);

		return named(f, ARENA_JOIN(f->a, name, parts), ARENA_JOIN(f->a, brief, parts));
	}
	count = ARENA_JOIN(f->a, STR(" ×"), words_count(screen->count, f->a));
	name = ARENA_JOIN(f->a, words_kind(f->kinds, id->group, id->kind, f->a), count);
	brief = ARENA_JOIN(f->a, words_kind_short(f->kinds, id->group, id->kind, f->a), count);
	if (!screen->of.slot || !graph_summary(f->graph, screen->of, &owner))
		return named(f, name, brief);
	return named(f, ARENA_JOIN(f->a, name, STR(" of "), words_id(f->kinds, &owner.id, f->a)),
		     ARENA_JOIN(f->a, brief, STR(" of "), owner.id.name));
}

/* ---- the verdict ---------------------------------------------------------------- */

static struct text cell_phase(const struct cell_facts *f)
{
	if (f->gone)
		return plain(str_of(f->gone), STYLE_NORMAL);
	return plain(str_of(phase_name(f->s->phase)), phase_appearance(f->s->phase)->style);
}

static struct text screen_phase(const struct cell_facts *f)
{
	struct text phase;

	if (f->screen->gone)
		return (struct text){ f->screen->cols < GLYPH_BELOW ? STR("⊖") : STR("⊖ Gone"), STR("⊖"), STYLE_DIM };
	phase = words_phase(f->s->phase, f->a);
	phase.brief = str_of(phase_appearance(f->s->phase)->glyph);
	if (f->screen->cols < GLYPH_BELOW)
		phase.str = phase.brief;
	return phase;
}

static struct text cell_operator_phase(const struct cell_facts *f)
{
	return plain(f->s->operator_phase, f->style);
}

static struct text cell_severity(const struct cell_facts *f)
{
	return plain(str_of(severity_name(f->s->severity)), severity_style(f->s->severity));
}

static struct text cell_family(const struct cell_facts *f)
{
	return plain(str_of(f->s->family), STYLE_DIM);
}

static struct text cell_owner(const struct cell_facts *f)
{
	return plain(words_first_line(graph_owner(f->graph, f->s->id.handle)), f->style);
}

/* ---- of what it is made ---------------------------------------------------------- */

/* Of a pod its containers, of a workload its pods: "2/3". */
static struct text cell_ready(const struct cell_facts *f)
{
	const struct replicas *r = &f->s->replicas;

	if (r->wanted < 0 || r->ready < 0)
		return plain(STR_NONE, f->style);
	return plain(arena_printf(f->a, "%d/%d", r->ready, r->wanted), r->ready < r->wanted ? STYLE_WARN : f->style);
}

static struct text cell_restarts(const struct cell_facts *f)
{
	struct str n = STR_NONE;
	struct item item;

	if (str_is(f->s->id.kind, "Pod") && graph_item_brief(f->graph, f->s->id.handle, 0, f->a, &item)) {
		n = status_first_particular(&item.status, "restarts");
		n = n.len ? arena_str(f->a, n) : STR("0");
	}
	return plain(n, f->style);
}

static struct text cell_node(const struct cell_facts *f)
{
	return plain(words_node(graph_store(f->graph), f->s->id.handle.slot), f->style);
}

static struct text cell_image(const struct cell_facts *f)
{
	return plain(graph_image(f->graph, f->s->id.handle.slot), f->style);
}

/* Returns how much a pod or a node may use of a resource: its limit, or what can be allocated on it; 0: there is none. */
static double may_use(const struct cell_facts *f, const char *resource)
{
	struct item item;

	if (!graph_item_brief(f->graph, f->s->id.handle, 0, f->a, &item))
		return 0;
	return quantity_read(status_first_particular(&item.status, arena_printf(f->a, "may-use-%s", resource).ptr));
}

/* Returns "250Mi 98%": what is used, in the units and with the roundings of kubectl top, and the share of what may be used. */
static struct text use(const struct cell_facts *f, bool known, struct str amount, double used, const char *resource)
{
	enum { NEARLY_ALL = 90, OUT_OF_SIGHT = 100000 };	/* percent */
	double most, share;

	if (!known)
		return plain(str_is(f->s->id.kind, "Pod") || str_is(f->s->id.kind, "Node") ? STR("-") : STR_NONE, STYLE_DIM);
	most = may_use(f, resource);
	if (most <= 0)
		return plain(amount, f->style);
	share = fmin(used / most * 100, OUT_OF_SIGHT);
	return plain(arena_printf(f->a, STR_FMT " %d%%", STR_ARG(amount), (int)share), share >= NEARLY_ALL ? STYLE_WARN : f->style);
}

static struct text cell_mem(const struct cell_facts *f)
{
	struct used used = { .memory = 0 };
	bool known = graph_used(f->graph, f->s->id.handle.slot, &used);

	return use(f, known, arena_printf(f->a, "%.0fMi", floor(used.memory / 1048576)), used.memory, "memory");
}

static struct text cell_cpu(const struct cell_facts *f)
{
	struct used used = { .memory = 0 };
	bool known = graph_used(f->graph, f->s->id.handle.slot, &used);

	return use(f, known, arena_printf(f->a, "%.0fm", ceil(used.cpu * 1000 - 1e-6)), used.cpu, "cpu");
}

/* Returns "9.1Gi 91%", or "inodes 91%" where these are what there is less of: of a claim's volume. */
static struct text cell_used(const struct cell_facts *f)
{
	struct used used;
	bool is_claim = !f->s->id.group.len && str_is(f->s->id.kind, "PersistentVolumeClaim");

	if (!is_claim || !graph_used(f->graph, f->s->id.handle.slot, &used))
		return plain(is_claim ? STR("-") : STR_NONE, STYLE_DIM);
	return plain(arena_printf(f->a, STR_FMT " %d%%", STR_ARG(used.inodes ? STR("inodes") : words_size(used.filled, f->a)),
				  (int)fmin(used.filled / used.room * 100, 999)),
		     runs_out_of_room(&used) ? STYLE_WARN : f->style);
}

static struct text cell_async(const struct cell_facts *f)
{
	if (f->s->percent < 0 || f->s->percent > 100)
		return plain(STR_NONE, f->style);
	return plain(arena_printf(f->a, "%d%%", (int)f->s->percent), f->screen ? STYLE_PROGRESS : STYLE_NORMAL);
}

/* ---- times ---------------------------------------------------------------------- */

/* Returns an age: as kubectl prints it, but on the screen in one unit, so that it seldom changes. */
static struct str time_words(const struct cell_facts *f, int64_t ms)
{
	char text[TIME_TEXT];

	if (f->absolute_time || f->screen || !ms)
		return words_when(ms, f->now, f->absolute_time, f->a);
	return arena_str(f->a, str_of(time_age(f->now - ms, text)));
}

static struct text cell_age(const struct cell_facts *f)
{
	return plain(time_words(f, f->s->created), STYLE_DIM);
}

static struct text cell_since(const struct cell_facts *f)
{
	return plain(time_words(f, f->s->since), words_overdue(f->s, f->now) ? STYLE_WARN : STYLE_NORMAL);
}

/*
 * Returns an age for an object that has no time of its own: it has waited at least for as long as the object it waits
 * for has had its phase.
 */
static struct str since_of_cause(const struct cell_facts *f)
{
	struct str age;

	if (f->screen->gone || f->s->phase == PHASE_READY || f->absolute_time)
		return STR_NONE;
	age = words_age(words_since_of_cause(f->graph, f->s->id.handle, f->a), f->now, f->a);
	return age.len ? arena_printf(f->a, STR_FMT "+", STR_ARG(age)) : STR_NONE;
}

static struct text screen_since(const struct cell_facts *f)
{
	struct str age = time_words(f, f->s->since);
	bool overdue = !f->screen->gone && words_overdue(f->s, f->now);

	if (age.len == 0)
		return plain(since_of_cause(f), f->style);
	/* The column keeps one place for the mark of overdue objects, so that the numbers stay aligned. */
	return plain(arena_printf(f->a, STR_FMT "%s", STR_ARG(age), overdue ? "!" : " "), overdue ? STYLE_WARN : f->style);
}

/* ---- why it is so ----------------------------------------------------------------- */

static struct text cell_waits_on(const struct cell_facts *f)
{
	return plain(words_chain(f->graph, f->kinds, f->s->id.handle, f->a).str, STYLE_NORMAL);
}

/* True when the row is read for its reason: something failed or may fail.  What only waits or is under way is dim. */
static bool needs_attention(const struct summary *s)
{
	return s->severity >= SEVERITY_WARNING && s->phase != PHASE_READY && s->phase != PHASE_WAITING;
}

/*
 * Returns the facts from which it is told why: those of the part that failed, for which *of_part and *part are room,
 * else those of the object.
 */
static const struct cell_facts *telling(const struct cell_facts *f, struct cell_facts *of_part, struct summary *part)
{
	if (f->screen->gone || f->screen->healed.len || !words_telling_part(f->graph, f->s->id.handle, f->a, part) ||
	    !(needs_attention(f->s) || needs_attention(part)))
		return f;
	if (!part->message.len && !part->reason.len && graph_first_wait(f->graph, part->id.handle).state == WAIT_NONE)
		return f; /* its name is all that can be told, and the object waits for it by name */
	*of_part = *f;
	of_part->s = part;
	return of_part;
}

static struct text screen_waits_on(const struct cell_facts *f)
{
	const struct summary *s = f->s;
	struct text chain = { STR_NONE, STR_NONE, STYLE_NORMAL };

	if (f->screen->gone)
		return chain;
	chain = words_chain(f->graph, f->kinds, s->id.handle, f->a);
	chain.style = needs_attention(s) ? STYLE_NORMAL : STYLE_DIM;
	/* A narrow screen has no room for the progress of an object that has failed. */
	if (chain.str.len == 0 && s->percent >= 0 && s->phase != PHASE_READY &&
	    (s->phase != PHASE_FAILED || f->screen->cols >= WHY_BELOW))
		return plain(words_bar(s->percent, f->a), STYLE_PROGRESS);
	return chain;
}

static struct text cell_reason(const struct cell_facts *f)
{
	return plain(f->s->reason, f->style);
}

/* Returns the reason, unless the message beside it tells it, too. */
static struct text screen_reason(const struct cell_facts *object)
{
	struct cell_facts of_part;
	struct summary part;
	const struct cell_facts *f = telling(object, &of_part, &part);
	struct str reason = f->s->phase == PHASE_READY ? f->s->reason : words_reason(f->s),
		   message = words_message(f->s->severity, f->s->message, f->a);

	if (message.len && str_eq(words_with_reason(reason, message, f->a), message))
		return plain(STR_NONE, f->style);
	return plain(reason, f->style);
}

static struct text cell_message(const struct cell_facts *f)
{
	return plain(words_first_line(f->s->message), STYLE_NORMAL);
}

/* Returns "1.0.0 → 2.0.0" while the version changes, else "". */
static struct str version_words(const struct cell_facts *f)
{
	struct item item;

	if (!phase_under_way(f->s->phase) || !graph_item_brief(f->graph, f->s->id.handle, 0, f->a, &item) ||
	    !item.status.version_from.len || !item.status.version_to.len)
		return STR_NONE;
	return arena_printf(f->a, STR_FMT " → " STR_FMT, STR_ARG(item.status.version_from), STR_ARG(item.status.version_to));
}

/*
 * Returns what is said about an object.  Of a Pod the reason comes first, because it says more than the message:
 * "CrashLoopBackOff: back-off 5m0s ...".
 */
static struct str reason_and_message(const struct cell_facts *f)
{
	const struct summary *s = f->s;
	struct str message = words_message(s->severity, s->message, f->a), rollout = words_rollout(s, f->a);

	if (rollout.len)
		return rollout;
	if (message.len == 0)
		return s->phase == PHASE_READY ? s->reason : words_reason(s);
	return str_is(s->id.kind, "Pod") && s->severity >= SEVERITY_WARNING ? words_with_reason(s->reason, message, f->a) : message;
}

/* Returns the end of "0/3 nodes are available: 3 Insufficient cpu.", which is what counts when there is little room. */
static struct str what_is_lacking(struct str message)
{
	static const char before[] = "nodes are available: ";

	for (size_t i = 0; i + sizeof(before) <= message.len; i++)
		if (str_starts(str_from(message, i), before))
			return str_from(message, i + sizeof(before) - 1);
	return STR_NONE;
}

/* Returns what decided the phase of an object that says nothing itself: "Ready=False". */
static struct str rule_words(const struct cell_facts *f)
{
	struct item item;

	return graph_item_brief(f->graph, f->s->id.handle, 0, f->a, &item) ? item.rule : STR_NONE;
}

static struct text said(const struct cell_facts *f)
{
	const struct summary *s = f->s;
	struct str message, version;

	if (f->screen->gone)
		return plain(arena_printf(f->a, "%s, was %s", f->screen->deselected ? "left the selection" : "gone", phase_name(s->phase)), STYLE_DIM);
	if (f->screen->healed.len)
		return plain(f->screen->healed, STYLE_GOOD);
	message = f->screen->cols >= REASON_FROM && !words_rollout(s, f->a).len ? words_message(s->severity, s->message, f->a) :
										   reason_and_message(f);
	if (!message.len && needs_attention(s) && !words_reason(s).len)
		message = rule_words(f);
	version = version_words(f);
	if (version.len)
		message = arena_printf(f->a, STR_FMT "%s" STR_FMT, STR_ARG(version), message.len ? "  " : "", STR_ARG(message));
	if (s->stale)
		message = arena_printf(f->a, "stale: " STR_FMT, STR_ARG(message));
	if (f->screen->forbidden && graph_unreadable(f->graph, s->id.handle))
		message = arena_printf(f->a, "unreadable now: " STR_FMT, STR_ARG(message));
	return (struct text){ message, what_is_lacking(message), needs_attention(s) ? STYLE_NORMAL : STYLE_DIM };
}

static struct text screen_message(const struct cell_facts *f)
{
	struct cell_facts of_part;
	struct summary part;
	const struct cell_facts *of = telling(f, &of_part, &part);

	return said(of->s->message.len ? of : f);
}

/*
 * True when what the object waits for cannot be opened, or is well and in the way, and the object's own message says more:
 * "Insufficient cpu", "exceeded quota: team".
 */
static bool message_says_more(const struct cell_facts *f)
{
	struct item_wait w = graph_first_wait(f->graph, f->s->id.handle);
	struct summary on;
	bool well = w.state == WAIT_NOT_READY && graph_summary(f->graph, w.on.handle, &on) && on.phase == PHASE_READY;

	return (w.state == WAIT_EXTERNAL || well) && f->s->message.len;
}

/*
 * Adds the reason of what failed to the only wait of an object that failed of it, where the line has room:
 * "pod/db-1 CrashLoopBackOff".
 */
static struct text with_reason(const struct cell_facts *f, struct text waits)
{
	struct chain_ends chain = words_chain_ends(f->graph, f->s->id.handle, f->a);
	struct summary end;

	if (!waits.str.len || chain.n != 1 || chain.waits[0].state != WAIT_FAILED || !needs_attention(f->s) ||
	    !graph_summary(f->graph, chain.waits[0].on.handle, &end) || !end.reason.len)
		return waits;
	waits.brief = waits.str;
	waits.str = ARENA_JOIN(f->a, waits.str, STR(" "), end.reason);
	return waits;
}

/* Returns what the object, or the part of it that failed, waits for; when it waits for nothing, its message. */
static struct text screen_why(const struct cell_facts *object)
{
	struct cell_facts of_part;
	struct summary part;
	const struct cell_facts *f = telling(object, &of_part, &part);
	struct text waits = with_reason(f, screen_waits_on(f));

	return waits.str.len && !message_says_more(f) && !f->screen->healed.len ? waits : said(f);
}

/* ---- the table --------------------------------------------------------------------- */

static const struct column_row rows[COLUMN_COUNT] = {
#define COLUMN(id, name_, sort_, ...) [COLUMN_##id] = { .name = name_, .sort = sort_, __VA_ARGS__ },
#include "tui/state/columns.def"
#undef COLUMN
};

const struct column_row *column_row(size_t id)
{
	assert(id < COLUMN_COUNT);
	return &rows[id];
}

struct column column_on_screen(size_t id)
{
	struct column column = rows[id].screen_column;

	if (!column.title)
		column.title = rows[id].title;
	column.sort = rows[id].sort;
	return column;
}

struct text column_cell(size_t id, const struct cell_facts *f)
{
	assert(id < COLUMN_COUNT);
	if (f->gone && !rows[id].of_gone)
		return plain(STR_NONE, STYLE_NORMAL);
	assert(f->screen || rows[id].cell);
	return f->screen && rows[id].screen_cell ? rows[id].screen_cell(f) : rows[id].cell(f);
}

const char *column_name(size_t i)
{
	for (size_t id = 0; id < COLUMN_COUNT; id++)
		if (rows[id].name && i-- == 0)
			return rows[id].name;
	return NULL;
}

bool columns_have(const char *names, const char *name)
{
	struct str rest = str_of(names), one;

	while (str_split(&rest, ',', &one))
		if (str_eq_nocase(str_trim(one), str_of(name)))
			return true;
	return false;
}

struct column label_column(const char *key, struct arena *a)
{
	struct str name = str_from(str_of(key), str_rfind(str_of(key), '/') + 1);
	struct column column = { .min = 6, .want = 10, .max = 24, .rank = 3, .clip = CLIP_MIDDLE };
	char *title;

	if (name.len == 0 || str_rfind(str_of(key), '/') == str_of(key).len)
		name = str_of(key);
	title = arena_alloc(a, name.len + 1);
	for (size_t i = 0; i < name.len; i++)
		title[i] = name.ptr[i] >= 'a' && name.ptr[i] <= 'z' ? (char)(name.ptr[i] - 'a' + 'A') : name.ptr[i];
	column.title = title;
	return column;
}

/* ---- which columns are shown -------------------------------------------------------- */

static bool is_shown(const struct column_row *row, const struct columns_wanted *w)
{
	if (w->cols && (!row->screen_place || w->cols < row->from_cols || (row->below_cols && w->cols >= row->below_cols)))
		return false;
	switch (row->shown) {
	case SHOWN_ALWAYS:
		return true;
	case SHOWN_WIDE:
		return w->wide;
	case SHOWN_ASKED:
		return false;
	case SHOWN_OF_CLUSTERS:
		return w->clusters;
	case SHOWN_OF_NAMESPACES:
		return w->namespaces;
	case SHOWN_ON_SCREEN:
		return w->cols > 0;
	}
	return false;
}

/*
 * Returns the i-th column from the left when all are shown: in the order of columns.def when they are printed, by
 * screen_place on the screen.
 */
static size_t column_at(const struct columns_wanted *w, size_t i)
{
	size_t id = i;

	if (w->cols)
		for (id = 0; id < COLUMN_COUNT && rows[id].screen_place != i + 1;)
			id++;
	return id;
}

static void choose(struct columns_shown *out, size_t id)
{
	if (out->n < LINE_CELLS)
		out->at[out->n++] = id;
}

static void choose_named(struct columns_shown *out, const char *names)
{
	struct str rest = str_of(names), name;

	while (str_split(&rest, ',', &name))
		for (size_t id = 0; id < COLUMN_COUNT; id++)
			if (rows[id].name && str_eq_nocase(str_trim(name), str_of(rows[id].name)))
				choose(out, id);
}

/*
 * Adds the columns of labels.  On the screen they take at most half of the columns, so that those that explain the
 * phase have room.
 */
static void choose_labels(struct columns_shown *out, const struct columns_wanted *w)
{
	size_t most = w->cols ? LINE_CELLS / 2 : LINE_CELLS;

	for (size_t i = 0; i < w->nlabels && out->n < most; i++)
		choose(out, COLUMN_LABEL + i);
}

/*
 * Chooses the default columns.  Labels, such as the team of an object, stand before the columns that explain the phase,
 * which take the rest of the line.
 */
static void choose_usual(struct columns_shown *out, const struct columns_wanted *w)
{
	bool labels = false;

	for (size_t i = 0; column_at(w, i) < COLUMN_COUNT; i++) {
		size_t id = column_at(w, i);

		if (rows[id].explains && !labels) {
			choose_labels(out, w);
			labels = true;
		}
		if (is_shown(&rows[id], w))
			choose(out, id);
	}
}

struct columns_shown columns_choose(const struct columns_wanted *w)
{
	struct columns_shown out = { .n = 0 };

	if (w->names)
		choose_named(&out, w->names);
	else
		choose_usual(&out, w);
	if (w->names)
		choose_labels(&out, w);
	if (w->all_labels)
		choose(&out, COLUMN_LABEL + w->nlabels);
	return out;
}

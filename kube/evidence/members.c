/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts that contradict "Ready" in the same status: counts below what is wanted, members that are down, a boolean or a
 * word beside it that says no.  A number that is absent is not zero, and what is over says nothing about the present.
 */
#include "kube/evidence/field_name.h"
#include "kube/evidence/fact.h"
#include "kube/evidence/word_lists.h"

enum {
	DEPTH = 3,	/* levels below the status that are read */
	SPEC = 40,	/* fields of a larger map in the spec are not searched for */
	WANTED = 16,	/* wanted numbers of one map that are compared */
	SHORT = 60	/* bytes; a longer text is no word for a state */
};

/* ---- what was found ------------------------------------------------------------ */

struct search {
	struct facts *f;
	struct fact *best; /* the heaviest contradiction */
	int in_use;	/* replicas that are used, and not counted as ready */
};

/* One map of the status, and where it stands. */
struct place {
	struct json map;
	struct json spec;  /* the map in the spec that asks for it, if any */
	bool alive;	   /* the name of the map, or of the list around it, is what lives */
	bool member;	   /* one of several */
	int depth;	   /* 0: the status itself */
};

/* The heaviest contradiction explains the verdict. */
static void object(const struct search *s, struct fact fact, const struct place *at, struct str rule)
{
	if (s->best->says != WORD_NONE && s->best->weight >= fact.weight)
		return;
	fact.about = ABOUT_MEMBER;
	fact.at = fact.at.node ? fact.at : at->map;
	fact.reason = facts_reason(at->map);
	fact.message = facts_explanation(at->map);
	fact.where = rule;
	*s->best = fact;
}

/* Fewer are there than are wanted. */
static void too_few(const struct search *s, int weight, const struct place *at, struct json field, int64_t n, int64_t wanted)
{
	struct str key = json_key(field);

	object(s, (struct fact){ .of = FACT_COUNT, .says = WORD_BAD, .weight = weight, .word = key }, at,
	       arena_printf(verdict_arena(s->f->v), "field " STR_FMT ": %lld of %lld", STR_ARG(key), (long long)n, (long long)wanted));
}

/* ---- counts ---------------------------------------------------------------------- */

enum { WEIGHT_COUNT = 30, WEIGHT_SAME = 28, WEIGHT_BROKEN = 25, WEIGHT_WORD = 20, WEIGHT_TRUTH = 15, WEIGHT_CONDITION = 12, WEIGHT_MOVING = 5 };

/* Returns a number, or how many a list names; -1: neither. */
static int64_t amount(struct json field)
{
	int64_t n = json_int(field, "", -1);

	if (json_is_array(field))
		return (int64_t)json_count(field);
	return n >= 0 && n < INT32_MAX ? n : -1;
}

struct goal {
	struct field_count count;
	struct str key;
	int64_t n;
};

struct goals {
	struct goal all[WANTED];
	size_t n;
	bool supply;  /* it tells how much of something is used */
	bool updated; /* it tells how many have the new state: "current" are those with the old one */
};

static void read_goals(struct goals *g, struct json map)
{
	g->n = 0;
	g->updated = g->supply = false;
	json_foreach(field, map)
	{
		struct goal goal = { .key = json_key(field), .n = amount(field) };

		g->updated |= str_starts(goal.key, "updated");
		g->supply |= str_is_any_nocase(goal.key, list_read_goals);
		if (goal.n < 0 || g->n == WANTED)
			continue;
		goal.count = field_count(goal.key);
		if (goal.count.role != ROLE_WANTED && (goal.count.role != ROLE_PLAIN || (goal.count.n && !goal.count.alive)))
			continue;
		g->all[g->n++] = goal;
	}
}

/* How well a wanted number belongs to a count; 0: not at all. */
static int fits(const struct field_count *have, const struct goal *goal)
{
	bool told = goal->count.role == ROLE_WANTED, same = field_same_unit(have, &goal->count);

	if (have->current && !told)
		return 0;
	if (same)
		return told ? 4 : 3;
	if (goal->count.n == 0 && have->alive)
		return told ? 2 : 1;
	return have->n == 0 && goal->count.alive && told ? 1 : 0;
}

static const struct goal *goal_for(const struct goals *g, const struct field_count *have)
{
	const struct goal *best = NULL;
	int how = 0;

	for (size_t i = 0; i < g->n; i++)
		if (fits(have, &g->all[i]) > how) {
			best = &g->all[i];
			how = fits(have, best);
		}
	return best;
}

static bool is_surely_wanted(const struct goal *goal)
{
	return str_contains_any_nocase(goal->key, list_surely_wanted);
}

/* "available: 3, total: 10" may be addresses that are left. */
static bool may_be_supply(const struct field_count *have, const struct goal *goal, const struct place *at, const struct goals *here)
{
	return have->ambiguous && !have->alive && (!at->alive || here->supply) && !is_surely_wanted(goal);
}

/* "unreadyNodes: 1" beside "readyNodes: 2" makes 3; -1: there is no such number. */
static int64_t beside_broken(struct json map, const struct field_count *have, int64_t n)
{
	json_foreach(field, map)
	{
		struct field_count c = field_count(json_key(field));

		if (c.role == ROLE_BROKEN && field_same_unit(have, &c) && json_int(field, "", -1) >= 0)
			return n + json_int(field, "", 0);
	}
	return -1;
}

static bool is_scaler(const struct facts *f)
{
	return str_contains_nocase(verdict_kind(f->v)->kind, "scal");
}

/* Somebody else sets the number that runs, and the one in the spec may be old. */
static bool is_autoscaled(struct json spec)
{
	json_foreach(field, spec)
		if (str_contains_nocase(json_key(field), "autoscal") &&
		    (json_type(field) != JSON_BOOL || json_bool(field, "", false)) && json_bool(field, "enabled", true))
			return true;
	return false;
}

static void compare(const struct search *s, const struct place *at, struct json field, const struct field_count *have,
		    const struct goals *here, const struct goals *spec)
{
	const struct goal *goal = goal_for(here, have);
	const struct goal *asked = goal_for(spec, have);
	int64_t n = amount(field);

	if (n >= 0 && have->n == 0 && at->depth == 0)
		n += s->in_use;
	if (have->current && (here->updated || is_scaler(s->f)))
		return;
	if (asked && (!goal || goal->count.role != ROLE_WANTED))
		goal = asked;
	if (!goal || n < 0 || n >= goal->n || may_be_supply(have, goal, at, here))
		return;
	too_few(s, WEIGHT_COUNT, at, field, n, goal->n);
}

/* "instances: 1" beside "instances: 3" of the spec. */
static void compare_same(const struct search *s, const struct place *at, struct json field, const struct goals *spec)
{
	int64_t n = json_int(field, "", -1);

	for (size_t i = 0; n >= 0 && i < spec->n; i++)
		if (str_eq(spec->all[i].key, json_key(field)) && n < spec->all[i].n)
			too_few(s, WEIGHT_SAME, at, field, n, spec->all[i].n);
}

/* What is down is counted, or listed by its names. */
static void count_broken(const struct search *s, const struct place *at, struct json field, const struct field_count *c, bool beside)
{
	int64_t n = json_is_object(field) ? (int64_t)json_count(field) : amount(field);
	bool sure = c->role == ROLE_BROKEN || c->alive || beside;
	struct str key = json_key(field);

	if (n <= 0 || !sure)
		return;
	object(s, (struct fact){ .of = FACT_COUNT, .says = WORD_BAD, .weight = WEIGHT_BROKEN, .word = key }, at,
	       arena_printf(verdict_arena(s->f->v), "field " STR_FMT ": %lld", STR_ARG(key), (long long)n));
}

static bool is_number_or_list(struct json field)
{
	return json_type(field) == JSON_NUMBER || json_is_array(field) || json_is_object(field);
}

static void counts(const struct search *s, const struct place *at)
{
	struct goals here, spec = { .n = 0 };
	bool beside = false;

	read_goals(&here, at->map);
	if (at->spec.node && !is_autoscaled(at->spec))
		read_goals(&spec, at->spec);
	json_foreach(field, at->map)
	{
		struct field_count c;

		if (!is_number_or_list(field) || ignored_has(&s->f->ignored, field))
			continue;
		c = field_count(json_key(field));
		beside |= c.role == ROLE_THERE && (!c.ambiguous || json_is_array(field));
		if (c.role == ROLE_THERE && !json_is_object(field))
			compare(s, at, field, &c, &here, &spec);
		else if (c.role == ROLE_PLAIN)
			compare_same(s, at, field, &spec);
		else if (c.role >= ROLE_BROKEN)
			count_broken(s, at, field, &c, beside);
	}
}

/* Reads "2/3", a count as text. */
static void share(const struct search *s, const struct place *at, struct json field)
{
	struct str rest = json_str(field, ""), part, whole;
	struct field_count c;
	int64_t n, all;

	if (rest.len == 0 || rest.len > 20 || str_find(rest, '/') >= rest.len)
		return;
	c = field_count(json_key(field));
	/* the keys of "replicaStatus: {data: 1/2, meta: 3/3}" are names */
	if ((c.role != ROLE_THERE && !c.alive && !(at->alive && !at->member)) || c.role == ROLE_NO_COUNT)
		return;
	if (!str_split(&rest, '/', &part) || !str_split(&rest, '/', &whole) || !str_to_int(part, &n) || !str_to_int(whole, &all) ||
	    n < 0 || n >= all)
		return;
	too_few(s, WEIGHT_COUNT, at, field, n, all);
}

/* ---- booleans ---------------------------------------------------------------------- */

static void boolean(const struct search *s, const struct place *at, struct json field)
{
	struct str key = json_key(field);
	int is = facts_truth(field);
	enum role role;

	if (is < 0)
		return;
	role = field_count(key).role;
	if (is ? role < ROLE_BROKEN : !field_should_be_true(key) || role >= ROLE_BROKEN)
		return;
	object(s, (struct fact){ .of = FACT_TRUTH, .says = WORD_BAD, .weight = WEIGHT_TRUTH, .word = key }, at,
	       arena_printf(verdict_arena(s->f->v), "field " STR_FMT " is %s", STR_ARG(key), is ? "true" : "false"));
}

/* ---- words ------------------------------------------------------------------------- */

/* The words for the state of what is down, also at the end of "DEPLOY_FAILED". */
static bool is_down(struct str word)
{
	size_t last = str_rfind(word, '_');

	return str_is_any_nocase(word, list_members_down) ||
	       (last < word.len && word_class(word) == WORD_BAD && str_is_any_nocase(str_from(word, last + 1), list_members_down));
}

static bool is_state(struct str key)
{
	return str_ends_any_nocase(key, list_member_words) && !str_starts(key, "desired") && !str_starts(key, "expected") &&
	       !str_starts(key, "target");
}

/* "modeCode: ALL_NODES_OFFLINE" */
static void code(const struct search *s, const struct place *at, struct json field)
{
	struct str key = json_key(field), text = json_str(field, "");
	struct fact fact = { .of = FACT_RECORD, .says = WORD_BAD, .weight = WEIGHT_WORD, .word = text };

	if (!str_ends(key, "Code") || str_starts(key, "last") || text.len == 0 || text.len > SHORT || word_class(text) != WORD_BAD)
		return;
	object(s, fact, at, ARENA_JOIN(verdict_arena(s->f->v), STR("field "), key, STR(" \""), text, STR("\"")));
}

/* A member is down, or beside others in progress: "state: Processing". */
static void word(const struct search *s, const struct place *at, struct json field, bool words)
{
	struct str key = json_key(field), text = json_str(field, "");
	bool state = is_state(key), down = is_down(text);
	struct fact fact = { .says = WORD_BAD, .weight = WEIGHT_WORD, .word = text, .of = FACT_WORD, .flags = at->member || !state ? OF_MEMBER : 0,
			     .at = at->depth == 0 ? field : JSON_NONE };

	/* the mode of a member is its state: "mode: ERR" */
	if (text.len == 0 || text.len > SHORT || facts_explains(key) || (!field_tells_state(key) && !(at->member && str_is(key, "mode"))))
		return;
	if (!down && (!state || !at->member || !at->alive || word_class(text) != WORD_PROGRESS))
		return;
	if (down && at->depth > 0 && !state && !words)
		return;
	if (!down) {
		fact.says = WORD_PROGRESS;
		fact.weight = WEIGHT_MOVING;
	}
	object(s, fact, at,
	       arena_printf(verdict_arena(s->f->v), "field " STR_FMT " \"" STR_FMT "\"", STR_ARG(key), STR_ARG(text)));
}

/* ---- the whole status -------------------------------------------------------------- */

/* The condition of a part says no. */
static void nested_condition(const struct search *s, struct json c)
{
	struct condition read = { .type = json_str(c, "type"), .status = json_str(c, "status"), .reason = json_str(c, "reason") };

	if (!facts_denies_health(s->f, &read))
		return;
	object(s, (struct fact){ .says = WORD_BAD, .of = FACT_CONDITION, .weight = WEIGHT_CONDITION, .word = read.type, .since = json_time(c, "lastTransitionTime") },
	       &(struct place){ .map = c }, facts_where_condition(verdict_arena(s->f->v), &read));
}

/* One of the conditions says that somebody has stopped the part: "Stopped=True". */
static bool is_stopped(struct json conditions)
{
	json_foreach(c, conditions)
		if (word_class(json_str(c, "type")) == WORD_SUSPENDED && str_is(json_str(c, "status"), "True"))
			return true;
	return false;
}

/* Returns JSON_NONE for a map with many fields, which would be searched again and again. */
static struct json member_of_few(struct json map, struct str key)
{
	size_t n = 0;

	json_foreach(field, map)
	{
		if (n++ == SPEC)
			break;
		if (str_eq(json_key(field), key) && json_is_object(field))
			return field;
	}
	return JSON_NONE;
}

/* "health: Healthy" of a part, by whoever knows the part better than its numbers tell. */
static bool is_called_healthy(struct json part)
{
	return word_class(json_str(part, "health")) == WORD_OK;
}

static void look(const struct search *s, const struct place *at);

static void look_into(const struct search *s, const struct place *at, struct json field)
{
	struct str key = json_key(field);
	bool list = json_is_array(at->map);
	struct place in = { .map = field,
			    .spec = list ? JSON_NONE : member_of_few(at->spec, key),
			    .alive = at->alive || field_is_alive(key),
			    .member = list || at->alive,
			    .depth = at->depth + 1 };

	if (!list && str_is(key, "conditions") && json_is_array(field)) {
		if (at->depth > 0 && !is_stopped(field))
			json_foreach(c, field) nested_condition(s, c);
		return;
	}
	/* a map of conditions by their types */
	if (!list && str_is(key, "conditions") && at->depth == 0)
		return;
	if (list || !field_is_aside(key))
		look(s, &in);
}

static void look(const struct search *s, const struct place *at)
{
	bool list = json_is_array(at->map);

	/* a part that nobody wants, or that is healthy */
	if (!list && at->depth > 0 && (!json_bool(at->map, "enabled", true) || is_called_healthy(at->map)))
		return;
	if (!list)
		counts(s, at);
	json_foreach(field, at->map)
	{
		if (ignored_has(&s->f->ignored, field))
			continue;
		if ((json_is_object(field) || json_is_array(field)) && at->depth <= DEPTH) {
			look_into(s, at, field);
		} else if (!list) {
			boolean(s, at, field);
			share(s, at, field);
			word(s, at, field, at->alive);
			code(s, at, field);
		}
	}
}

/* "example.org/upgrade-state: failed": an operator says of the object what its status does not. */
static void label(const struct search *s, struct json field)
{
	struct str key = json_key(field), text = json_str(field, "");
	struct str name = str_from(key, str_find(key, '/') < key.len ? str_find(key, '/') + 1 : key.len);
	struct fact fact = { .of = FACT_RECORD, .says = WORD_BAD, .weight = WEIGHT_WORD, .word = text };

	if (!str_ends_any(name, list_label) || str_contains_any_nocase(name, list_label_other) || !is_down(text))
		return;
	object(s, fact, &(struct place){ .map = JSON_NONE }, ARENA_JOIN(verdict_arena(s->f->v), STR("label "), key, STR(" \""), text, STR("\"")));
}

bool facts_named_counts(const struct facts *f, int *out_wanted, int *out_ready)
{
	struct json status = json_at(verdict_object(f->v), "status"), spec = json_at(verdict_object(f->v), "spec");
	struct goals here, asked = { .n = 0 };
	int all = 0, there_are = 0, searches = WANTED;

	read_goals(&here, status);
	if (!is_autoscaled(spec))
		read_goals(&asked, spec);
	json_foreach(field, status)
	{
		int64_t n = json_int(field, "", -1), wanted;
		const struct goal *goal;
		struct field_count have;

		if (n < 0 || n > INT32_MAX / 2)
			continue;
		have = field_count(json_key(field));
		if (have.role != ROLE_THERE || have.current)
			continue;
		if (searches-- == 0)
			break;
		goal = goal_for(&here, &have);
		goal = goal && goal->count.role == ROLE_WANTED ? goal : goal_for(&asked, &have);
		if (have.ambiguous && !(goal && is_surely_wanted(goal)))
			continue;
		wanted = goal ? goal->n : beside_broken(status, &have, n);
		if (wanted <= 0 || wanted > INT32_MAX / 2 || (all && n * all >= wanted * there_are))
			continue;
		all = (int)wanted;
		there_are = n < wanted ? (int)n : (int)wanted;
	}
	if (all == 0)
		return false;
	*out_wanted = all;
	*out_ready = there_are;
	return true;
}

void facts_of_members(struct facts *f)
{
	struct fact best = { .says = WORD_NONE };
	struct search s = { .f = f, .best = &best };
	struct place status = { .map = json_at(verdict_object(f->v), "status"), .spec = json_at(verdict_object(f->v), "spec") };

	s.in_use = facts_in_use(status.map);
	json_foreach(field, json_at(verdict_object(f->v), "metadata.labels")) label(&s, field);
	if (!(f->is & RUNS_ONCE) && json_is_object(status.map))
		look(&s, &status);
	facts_add(f, best);
}

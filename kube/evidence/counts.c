/* SPDX-License-Identifier: Apache-2.0 */
/* How many replicas are wanted, there, ready and of the new state, by the usual names of numbers. */
#include "kube/evidence/field_name.h"
#include "kube/evidence/fact.h"
#include "kube/evidence/word_lists.h"

static int number(struct json from, const char *const *names)
{
	for (; *names; names++) {
		int64_t n = json_int(json_member(from, str_of(*names)), "", -1);

		if (n >= 0 && n < INT32_MAX)
			return (int)n;
	}
	return -1;
}

/* Reads "nodeSets: [{count: 3}, {count: 2}]": the first list of the spec whose elements all have a size. */
static int sum_of_list(struct json spec)
{
	json_foreach(list, spec)
	{
		int sum = 0;

		if (!json_is_array(list) || json_count(list) == 0)
			continue;
		json_foreach(element, list)
		{
			int n = number(element, list_sum_of_list);

			sum = sum < 0 || n < 0 || sum > INT32_MAX - n ? -1 : sum + n;
		}
		if (sum >= 0)
			return sum;
	}
	return -1;
}

/* Returns the wanted number that belongs to "readyMembers": members, desiredMembers, ... */
static int wanted_beside(struct arena *a, struct json part, struct str what, bool ready)
{
	const char *names[4] = { NULL };
	char *first;

	if (what.len == 0)
		return ready ? number(part, list_wanted_beside) : -1;
	names[0] = arena_printf(a, "desired" STR_FMT, STR_ARG(what)).ptr;
	names[1] = arena_printf(a, "expected" STR_FMT, STR_ARG(what)).ptr;
	if (ready) {
		first = arena_alloc(a, what.len + 1);
		for (size_t i = 0; i < what.len; i++)
			first[i] = what.ptr[i];
		if (first[0] >= 'A' && first[0] <= 'Z')
			first[0] = (char)(first[0] - 'A' + 'a');
		names[2] = first;
	}
	return number(part, names);
}

/*
 * The wanted number is searched for among all fields of the part, so this is done only for as many counts as a part
 * usually has.
 */
enum { PART_COUNTS = 16 };

/* Reads podStatus: {ready: [a], starting: [b, c]}: what lives, in a list for each state. */
static bool lists_by_state(struct facts *f, struct json part)
{
	int ready = -1;
	size_t all = 0;

	if (!field_is_alive(json_key(part)))
		return false;
	json_foreach(field, part)
	{
		if (json_type(field) != JSON_NULL && !json_is_array(field))
			return false;
		all += json_count(field);
		if (str_is(json_key(field), "ready") && all < INT32_MAX / 2)
			ready = (int)json_count(field);
	}
	if (ready < 0 || all > INT32_MAX / 2 || f->parts.wanted > INT32_MAX / 2)
		return false;
	f->parts.wanted += (int)all;
	f->parts.ready += ready;
	return true;
}

void facts_of_parts(struct facts *f, struct json part)
{
	int searches = PART_COUNTS;

	if (!json_is_object(part) || lists_by_state(f, part))
		return;
	json_foreach(field, part)
	{
		struct str key = json_key(field);
		bool ready = str_starts(key, "ready"), available = str_starts(key, "available");
		int64_t have = json_int(field, "", -1);
		int wanted;

		if ((!ready && !available) || have < 0 || have > INT32_MAX / 2)
			continue;
		if (searches-- == 0)
			return;
		wanted = wanted_beside(verdict_arena(f->v), part, str_from(key, ready ? 5 : 9), ready);
		if (wanted < 0 || wanted > INT32_MAX / 2 || f->parts.wanted > INT32_MAX / 2)
			continue;
		/* a part with more than it wants does not make up for another one */
		f->parts.wanted += wanted;
		f->parts.ready += have < wanted ? (int)have : wanted;
	}
}

/* Reads updateStrategy: {type: OnDelete}: what runs is updated only when somebody deletes it. */
static bool is_updated_by_hand(struct json spec)
{
	json_foreach(field, spec)
		if (str_contains_nocase(json_key(field), "strategy") &&
		    (str_is(json_str(field, ""), "OnDelete") || str_is(json_str(field, "type"), "OnDelete")))
			return true;
	return false;
}

/* Reads updateStrategy: {rollingUpdate: {partition: 2}}: so many keep the old state until somebody lowers it; 0: none do. */
static int partition(struct json spec)
{
	json_foreach(strategy, spec)
	{
		int held = number(strategy, list_partition);

		if (!str_contains_nocase(json_key(strategy), "strategy"))
			continue;
		json_foreach(part, strategy)
			if (held < 0)
				held = number(part, list_partition);
		if (held > 0)
			return held;
	}
	return 0;
}

int facts_in_use(struct json map)
{
	int a = number(map, list_in_use), b = number(map, list_in_use_reserved);

	return (a > 0 && a < INT32_MAX / 4 ? a : 0) + (b > 0 && b < INT32_MAX / 4 ? b : 0);
}

void facts_of_numbers(struct facts *f, struct json status)
{
	struct json spec = json_at(verdict_object(f->v), "spec");
	struct replicas *r = &f->replicas;

	r->wanted = number(spec, list_wanted_in_spec);
	f->is |= r->wanted == 0 ? WANTS_NONE : 0;
	if (r->wanted < 0) {
		r->wanted = number(status, list_wanted_in_status);
		f->is |= r->wanted >= 0 ? WANTED_BY_STATUS : 0;
	}
	f->partition = partition(spec);
	r->ready = number(status, list_ready_names);
	if (r->ready < 0 && (number(spec, list_wanted_of_parts) >= 0 || number(status, list_wanted_of_parts) >= 0))
		r->ready = number(status, list_numbers_available_name);
	if (r->ready >= 0 && r->ready < INT32_MAX / 4)
		r->ready += facts_in_use(status);
	r->updated = is_updated_by_hand(spec) ? -1 : number(status, list_numbers);
	r->current = number(status, list_numbers_current);
	/* programs in Go leave out a 0: what is counted as unavailable tells how many are left */
	if (r->ready < 0 && r->current >= 0 && number(status, list_numbers_unavailable) > 0)
		r->ready = r->current > number(status, list_numbers_unavailable) ? r->current - number(status, list_numbers_unavailable) : 0;
	if (r->wanted < 0 && r->ready >= 0)
		r->wanted = r->current;
	if (r->wanted < 0 && r->ready >= 0)
		r->wanted = sum_of_list(spec);
	if (r->wanted >= 0)
		verdict_replicas(f->v, *r);
}

void facts_of_shares(struct facts *f)
{
	struct replicas *r = &f->replicas;

	if (r->wanted >= 0 && r->ready >= 0)
		return;
	/* "stacks: 2, readyStacks: 1" of the status itself */
	if (f->parts.wanted == 0)
		facts_of_parts(f, json_at(verdict_object(f->v), "status"));
	if (f->parts.wanted > 0) {
		r->wanted = f->parts.wanted;
		r->ready = f->parts.ready;
	} else if (f->share.wanted > 0) {
		r->wanted = f->share.wanted;
		r->ready = f->share.ready;
	} else {
		return;
	}
	verdict_replicas(f->v, *r);
}

void facts_member_words(struct facts *f, struct json list)
{
	enum { MOST = 64 }; /* members that are read: more than that are counted by their operator */
	int ready = 0;

	if (!field_is_alive(json_key(list)) || json_count(list) == 0 || json_count(list) > MOST)
		return;
	json_foreach(member, list)
	{
		struct str word = STR_NONE;

		for (const char *const *name = list_member_words; *name && word.len == 0; name++)
			word = json_str(member, *name);
		if (word.len == 0)
			return;
		ready += word_class(word) == WORD_OK;
	}
	f->members.wanted += (int)json_count(list);
	f->members.ready += ready;
}

/* ---- lists ------------------------------------------------------------------------ */

/*
 * What the spec lists is compared with what the status has assigned of it, for an object that says nothing else: two addresses
 * are asked for, and one of them is on a node.
 */
enum { LISTED = 64 }; /* entries of a list that are compared */

/* One of the entries has that text as a value. */
static bool has_value(struct json list, struct str text)
{
	json_foreach(entry, list)
		json_foreach(value, entry)
			if (str_eq(json_str(value, ""), text))
				return true;
	return false;
}

/* How many texts of the list of the spec the list of the status has; -1: the lists are about something else. */
static int assigned_of(struct json wanted, struct json list)
{
	int n = 0;

	if (json_count(wanted) == 0 || json_count(wanted) > LISTED || json_count(list) > LISTED)
		return -1;
	json_foreach(text, wanted)
	{
		if (json_str(text, "").len == 0)
			return -1;
		n += has_value(list, json_str(text, ""));
	}
	return n;
}

static void assigned(struct facts *f, struct json wanted, struct json list)
{
	struct fact fact = { .of = FACT_COUNT, .about = ABOUT_DETAIL, .weight = 1, .word = json_key(wanted) };
	int n = assigned_of(wanted, list), all = (int)json_count(wanted);

	/* that none is there may mean that the list is about something else */
	if (n <= 0 || (size_t)n < json_count(list))
		return;
	fact.says = n < all ? WORD_BAD : WORD_OK;
	f->is |= n < all ? IS_USABLE : 0;
	fact.where = arena_printf(verdict_arena(f->v), "%d of %d in spec." STR_FMT " are in the status", n, all, STR_ARG(fact.word));
	facts_add(f, fact);
}

void facts_of_assigned(struct facts *f)
{
	struct json spec = json_at(verdict_object(f->v), "spec"), status = json_at(verdict_object(f->v), "status");
	int pairs = LISTED;

	if ((f->is & HAS_SPOKEN) || (f->is & RUNS_ONCE))
		return;
	json_foreach(wanted, spec)
		json_foreach(list, status)
			if (json_is_array(wanted) && json_is_array(list) && !ignored_has(&f->ignored, list) && pairs-- > 0)
				assigned(f, wanted, list);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares what the spec lists with what the status has assigned of it, for an object that says nothing else: two addresses
 * are asked for, and one of them is on a node.
 */
#include "kube/family/generic/generic.h"

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

static void assigned(struct evidence *e, struct json wanted, struct json list)
{
	struct sign sign = { .weight = 1, .word = json_key(wanted) };
	int n = assigned_of(wanted, list), all = (int)json_count(wanted);

	/* that none is there may mean that the list is about something else */
	if (n <= 0 || (size_t)n < json_count(list))
		return;
	sign.class = n < all ? WORD_BAD : WORD_OK;
	e->usable |= n < all;
	sign.rule = arena_printf(verdict_arena(e->v), "%d of %d in spec." STR_FMT " are in the status", n, all, STR_ARG(sign.word));
	generic_add_sign(e, WEAK, sign);
}

void generic_assigned(struct evidence *e)
{
	struct json spec = json_at(verdict_object(e->v), "spec"), status = json_at(verdict_object(e->v), "status");
	int pairs = LISTED;

	if (e->any || e->runs_once)
		return;
	json_foreach(wanted, spec)
		json_foreach(list, status)
			if (json_is_array(wanted) && json_is_array(list) && !ignored_has(&e->ignored, list) && pairs-- > 0)
				assigned(e, wanted, list);
}

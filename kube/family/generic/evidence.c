/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which signs of an object's state are kept, which rule the sign of a condition names, and which words tell an error. */
#include "kube/family/generic/generic.h"

bool generic_outweighs(const struct evidence *e, enum strength strength, struct sign s)
{
	const struct sign *best = &e->best[strength][s.class];

	if (s.class == WORD_NONE)
		return false;
	if (best->class != WORD_NONE && best->soft != s.soft)
		return best->soft;
	return best->class == WORD_NONE || s.weight > best->weight;
}

void generic_add_sign(struct evidence *e, enum strength strength, struct sign s)
{
	if (generic_outweighs(e, strength, s))
		e->best[strength][s.class] = s;
}

struct str generic_condition_rule(struct arena *arena, const struct condition *c)
{
	return arena_printf(arena, "condition " STR_FMT "=" STR_FMT "%s" STR_FMT, STR_ARG(c->type),
			    STR_ARG(c->status), c->reason.len ? " " : "", STR_ARG(c->reason));
}

/* "400: the name is too long", "HTTP 409 Conflict": the answer of a server that refused. */
static bool begins_with_refusal(struct str message)
{
	struct str code = str_starts(message, "HTTP ") ? str_from(message, 5) : message;

	if (code.len < 4 || (code.ptr[0] != '4' && code.ptr[0] != '5') || code.ptr[1] < '0' || code.ptr[1] > '9' || code.ptr[2] < '0' || code.ptr[2] > '9')
		return false;
	return code.ptr[3] == ':' || (code.ptr[3] == ' ' && code.len > 4 && code.ptr[4] >= 'A' && code.ptr[4] <= 'Z');
}

bool generic_tells_error(struct str message)
{
	if (begins_with_refusal(message))
		return true;
	return !phrase_has(message, "waiting") && phrase_has(message, "err error* errors fail* cannot unable denied forbidden refused timeout* timed invalid exceeded");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What OpenStack resource controller objects wait for.  The message of Progressing has one line for each wait (releases
 * before 2.1 put "; " between the waits).  The controller wakes up only when a dependency becomes available, so the
 * text may be outdated: orc_neighbours.c examines the objects that it names.
 */
#include "kube/family/orc/orc.h"

/* ---- the text ------------------------------------------------------------ */

bool orc_next_line(struct str *rest, struct str *out)
{
	size_t newline = str_find(*rest, '\n'), semicolon = str_find_str(*rest, "; ");
	size_t end = newline < semicolon ? newline : semicolon;

	if (rest->len == 0)
		return false;
	*out = str_trim(str_head(*rest, end));
	*rest = str_from(*rest, end + (end == newline ? 1 : 2));
	return true;
}

/* Splits "Waiting for <what> to be <goal>". */
static bool parse_wait(struct str line, struct str *out_what, struct str *out_goal)
{
	struct str rest = str_from(line, sizeof("Waiting for ") - 1);
	size_t to_be = str_find_str(rest, " to be ");

	if (!str_starts(line, "Waiting for ") || to_be == rest.len)
		return false;
	*out_what = str_head(rest, to_be);
	*out_goal = str_from(rest, to_be + sizeof(" to be ") - 1);
	return true;
}

static bool is_goal(struct str goal)
{
	return str_is(goal, "created") || str_is(goal, "ready") || str_is(goal, "deleted") ||
	       str_is(goal, "updated");
}

static bool is_word(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!((s.ptr[i] >= 'a' && s.ptr[i] <= 'z') || (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z')))
			return false;
	return s.len > 0;
}

static void wait_for_object(struct verdict *v, struct str line, struct str what, struct str goal)
{
	size_t slash = str_find(what, '/');
	struct str kind = str_head(what, slash), name = str_from(what, slash + 1);
	struct ref on = { .relation = RELATION_NEEDS, .flags = REF_NAMED, .message = line };

	if (!is_word(kind) || name.len == 0 || str_find(name, ' ') < name.len || !is_goal(goal))
		return;
	on.kind = orc_kind(kind);
	on.name = name;
	if (str_is(on.kind, "Secret"))
		on.flags |= REF_EXISTS;
	else
		on.group = STR(ORC_GROUP);
	if (str_is(goal, "created"))
		on.flags |= REF_REPORTED_MISSING;
	verdict_waits_for(v, on);
}

/* The resource is unmanaged: somebody has to make it in OpenStack. */
static void wait_for_somebody(struct verdict *v, const struct orc *o, struct str line)
{
	struct str name = json_str(o->object, "spec.import.filter.name");
	bool import = json_has(o->object, "spec.import");

	verdict_waits_external(v, (struct external_wait){
					  .state = WAIT_EXTERNAL,
					  .kind = STR("OpenStack"),
					  .name = name.len ? name : verdict_name(v),
					  .via = import ? STR("spec.import") : STR_NONE,
					  .message = line,
				  });
}

static void wait_line(struct verdict *v, const struct orc *o, struct str line)
{
	struct str what, goal;

	if (str_is(line, "Waiting for glance image content to be uploaded externally"))
		wait_for_somebody(v, o, line);
	else if (!parse_wait(line, &what, &goal))
		return;
	else if (str_is(what, "OpenStack resource") && str_is(goal, "created externally"))
		wait_for_somebody(v, o, line);
	else
		wait_for_object(v, line, what, goal);
}

void orc_waits(struct verdict *v, const struct orc *o)
{
	const struct condition *p = o->progressing;
	struct str rest, line;

	/*
	 * An error hides the waits.  Waits of another generation, or from before a deletion, may be for objects that
	 * are not needed any more.  An object that has failed waits for nothing.
	 */
	if (!condition_is(p, "True") || !str_is(p->reason, "Progressing") || !o->fresh || o->left ||
	    verdict_phase(v) == PHASE_FAILED)
		return;
	rest = p->message;
	while (orc_next_line(&rest, &line))
		wait_line(v, o, line);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What several tests of the graph expect of an object, in one line of text. */
#ifndef TESTS_UNIT_TOY_CHECK_H
#define TESTS_UNIT_TOY_CHECK_H

#include "tests/unit/toy.h"

#define REFS(list) MORE(NULL, "'refs':[" list "]", NULL)
#define NET(flags) "{'kind':'Net','name':'n','flags':'" flags "'}"

/* "missing Net/a/n; failed Net/a/m" */
static inline void check_waits(struct toy_world *w, const char *id, const char *expected)
{
	struct item it = toy_item(w, id);
	struct buf b = { 0 };

	for (size_t i = 0; i < it.nwaits; i++)
		buf_printf(&b, "%s%s " STR_FMT "/" STR_FMT "/" STR_FMT, i ? "; " : "",
			   wait_state_name(it.waits[i].state), STR_ARG(it.waits[i].on.kind),
			   STR_ARG(it.waits[i].on.ns), STR_ARG(it.waits[i].on.name));
	assert_string_equal(buf_cstr(&b), expected);
	buf_release(&b);
}

static inline void check_phase(struct toy_world *w, const char *id, const char *expected)
{
	struct item it = toy_item(w, id);
	char got[64];

	snprintf(got, sizeof(got), "%s %s", phase_name(it.s.phase), severity_name(it.s.severity));
	assert_string_equal(got, expected);
}

#endif

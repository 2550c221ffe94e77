/* SPDX-License-Identifier: Apache-2.0 */
/* The one order of every list. */
#include "kube/graph/graph.h"

uint32_t graph_rank(enum phase phase, enum severity severity, size_t holds)
{
	enum { PHASE_AT = 26, HOLDS_AT = 2, HOLDS_MAX = (1 << 24) - 1, HANGING = 1, UNDER_WAY = 5, LEFT_OVER = 7 };
	static const uint8_t by_phase[PHASE_COUNT] = {
		[PHASE_FAILED] = 0,	    [PHASE_DEGRADED] = 2,	   [PHASE_UNKNOWN] = 3,	  [PHASE_WAITING] = 4,
		[PHASE_PROVISIONING] = UNDER_WAY, [PHASE_UPDATING] = UNDER_WAY, [PHASE_MAINTENANCE] = UNDER_WAY,
		[PHASE_SCALING] = UNDER_WAY, [PHASE_DELETING] = UNDER_WAY, [PHASE_SUSPENDED] = 6, [PHASE_READY] = 8,
	};
	uint32_t place = by_phase[phase];

	if (phase == PHASE_DELETING && severity >= SEVERITY_WARNING)
		place = HANGING;
	else if (phase_is_leftover(phase, severity))
		place = LEFT_OVER;
	return place << PHASE_AT | (uint32_t)(HOLDS_MAX - (holds < HOLDS_MAX ? holds : HOLDS_MAX)) << HOLDS_AT |
	       (uint32_t)(SEVERITY_ERROR - severity);
}

int id_compare(const struct id *a, const struct id *b)
{
	int c = str_cmp(a->cluster, b->cluster);

	c = c ? c : str_cmp(a->ns, b->ns);
	c = c ? c : str_cmp(a->kind, b->kind);
	c = c ? c : str_cmp(a->name, b->name);
	return c ? c : str_cmp(a->group, b->group);
}

int summary_compare(const struct summary *a, const struct summary *b)
{
	uint32_t x = graph_rank(a->phase, a->severity, 0), y = graph_rank(b->phase, b->severity, 0);

	return x != y ? (x < y ? -1 : 1) : id_compare(&a->id, &b->id);
}

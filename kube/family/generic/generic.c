/* SPDX-License-Identifier: Apache-2.0 */
/* Every object that no other family takes: the general rules decide. */
#include "kube/evidence/evidence.h"

static void inspect(struct verdict *v)
{
	evidence_inspect(v, NULL);
}

const struct family family_generic = {
	.name = "generic",
	.title = "any resource",
	.inspect = inspect,
	.assess = evidence_assess,
	.workloads_speak = true,
	.provisions_once = true,
};

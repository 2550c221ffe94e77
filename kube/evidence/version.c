/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From which version to which: the field that says what is wanted, and the one
 * that says what runs.
 */
#include "kube/evidence/version.h"

static const struct {
	const char *wanted, *runs;
} rows[] = {
	{ "spec.version", "status.version" }, /* KubeadmControlPlane and many others */
	{ "spec.version", "status.nodeInfo.kubeletVersion" }, /* Machine */
	{ "status.lastAttemptedRevision",
	  "status.lastAppliedRevision" }, /* Kustomization, HelmRelease v2beta */
};

/* "16" is there when "16.3" runs, "1.30.1" when "v1.30.1" does. */
bool version_reached(struct str wanted, struct str runs)
{
	if (str_starts(runs, "v") && !str_starts(wanted, "v"))
		runs = str_from(runs, 1);
	return str_eq(str_head(runs, wanted.len), wanted) &&
	       (runs.len == wanted.len || runs.ptr[wanted.len] == '.' ||
		runs.ptr[wanted.len] == '-' || runs.ptr[wanted.len] == '+');
}

/* helm.toolkit.fluxcd.io/v2: the newest release first, each with its status. */
static struct str chart_before(struct json object, struct str wanted)
{
	json_foreach (it, json_at(object, "status.history")) {
		struct str version = json_str(it, "chartVersion");

		if (version.len && !str_eq(version, wanted))
			return version;
	}
	return STR_NONE;
}

void evidence_version(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct str wanted, runs;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wanted = json_str(object, rows[i].wanted);
		runs = json_str(object, rows[i].runs);
		if (wanted.len == 0 || runs.len == 0)
			continue;
		if (version_reached(wanted, runs))
			verdict_version(v, STR_NONE, runs);
		else
			verdict_version(v, runs, wanted);
		return;
	}
	wanted = json_str(object, "status.lastAttemptedRevision");
	if (wanted.len && json_has(object, "status.history"))
		verdict_version(v,
				verdict_phase(v) == PHASE_READY ? STR_NONE
								: chart_before(object, wanted),
				wanted);
}

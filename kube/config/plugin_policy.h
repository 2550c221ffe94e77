/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CONFIG_PLUGIN_POLICY_H
#define KUBE_CONFIG_PLUGIN_POLICY_H

#include "kube/config/kubeconfig.h"

/*
 * Which credential plugins the user allows: $KUBERC or ~/.kube/kuberc, as
 * kubectl reads it (kubectl/pkg/kuberc).  Fills policy and allowlist.  ERR_INPUT
 * when the policy makes no sense, or the file that $KUBERC names cannot be read.
 */
int plugin_policy_load(struct arena *arena, struct exec_config *out, struct err *err) MUST_USE;

/* ERR_AUTH when the plugin may not run.  resolved: where it was found, "" if it was not. */
int plugin_policy_check(const struct exec_config *exec, struct str resolved, struct arena *arena,
			struct err *err) MUST_USE;

#endif

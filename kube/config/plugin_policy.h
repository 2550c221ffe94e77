/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CONFIG_PLUGIN_POLICY_H
#define KUBE_CONFIG_PLUGIN_POLICY_H

#include "kube/config/kubeconfig.h"

/*
 * Reads which credential plugins the user allows from $KUBERC or ~/.kube/kuberc, as kubectl does (kubectl/pkg/kuberc),
 * into policy and allowlist.  ERR_INPUT when the policy is invalid, or the file that $KUBERC names cannot be read.
 */
int plugin_policy_load(struct arena *arena, struct exec_config *out, struct err *err) MUST_USE;

/* Returns ERR_AUTH when the plugin may not run.  resolved: the path where it was found, "" if it was not found. */
int plugin_policy_check(const struct exec_config *exec, struct str resolved, struct arena *arena,
			struct err *err) MUST_USE;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CONFIG_CONFIG_MERGE_H
#define KUBE_CONFIG_CONFIG_MERGE_H

#include "kube/config/config_file.h"

/*
 * The files that the flags and $KUBECONFIG name, or ~/.kube/config, merged as
 * client-go/tools/clientcmd/loader.go does: of entries with the same name the
 * first one counts, whole.  Relative paths are made absolute.  Missing files
 * are no error, unless one was named by flag.
 */
int config_merge_files(const struct config_flags *flags, struct arena *arena,
		       struct config_file *out, struct err *err) MUST_USE;

/* NULL when there is none. */
const struct config_cluster *config_merge_cluster(const struct config_file *f, struct str name);
const struct config_user *config_merge_user(const struct config_file *f, struct str name);
const struct config_context *config_merge_context(const struct config_file *f, struct str name);

#endif

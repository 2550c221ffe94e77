/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CONFIG_CONFIG_FINISH_H
#define KUBE_CONFIG_CONFIG_FINISH_H

#include "kube/config/config_validate.h"

/*
 * From validated entries to what a session needs: reads the files that they
 * point at, leaves out every credential unless the server is https, and of
 * several ways to authenticate takes the one that kubectl takes.
 */
int config_finish(const struct config_choice *choice, bool in_cluster, struct arena *arena,
		  struct client_config *out, struct err *err) MUST_USE;
/* How kubectl is to be called to refresh an oidc token of this configuration. */
void config_finish_oidc_flags(const struct config_flags *flags, struct arena *arena,
			      struct client_config *config);

#endif

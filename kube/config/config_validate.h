/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CONFIG_CONFIG_VALIDATE_H
#define KUBE_CONFIG_CONFIG_VALIDATE_H

#include "kube/config/config_file.h"

/* What is to be used: entries with flags and defaults applied, and their names. */
struct config_choice {
	struct str context, cluster_name, user_name, namespace;
	bool context_missing;		/* it was named and is nowhere */
	bool cluster_found, user_found;
	bool server_defaulted;		/* nobody named a server */
	struct config_cluster cluster;
	struct config_user user;
};

/*
 * The checks of client-go/tools/clientcmd/validation.go, all at once: with
 * several problems the message is "Error in configuration: a; b".
 */
int config_validate(const struct config_choice *choice, struct arena *arena,
		    struct err *err) MUST_USE;

#endif

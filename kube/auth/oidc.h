/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users of the "oidc" auth provider.  kubectl, and not this program, refreshes an expired token: whoever refreshes must
 * also store the new refresh token, and this program never writes a kubeconfig.
 */
#ifndef KUBE_AUTH_OIDC_H
#define KUBE_AUTH_OIDC_H

#include "kube/base/child.h"
#include "kube/config/kubeconfig.h"

/* When a token expires, in ms since 1970, less some leeway.  ERR_AUTH when it is no JWT. */
int oidc_expiry(struct str token, int64_t *out, struct err *err) MUST_USE;
/* Lets kubectl send a request, after which the kubeconfig has a new token. */
int oidc_refresh(const struct client_config *config, struct child **out, struct err *err) MUST_USE;
/* Returns the token that is in the kubeconfig now. */
int oidc_reload(const struct client_config *config, struct arena *arena, struct str *out_token,
		struct err *err) MUST_USE;

#endif

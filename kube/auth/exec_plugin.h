/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of an exec credential plugin (client.authentication.k8s.io v1 and v1beta1): its input and its answer.  The
 * rules are those of client-go/plugin/pkg/client/auth/exec.
 */
#ifndef KUBE_AUTH_EXEC_PLUGIN_H
#define KUBE_AUTH_EXEC_PLUGIN_H

#include "kube/base/buf.h"
#include "kube/base/child.h"
#include "kube/config/kubeconfig.h"

/* What the plugin has given; it borrows from an arena. */
struct exec_credential {
	struct str token, cert_pem, key_pem;
	int64_t expires;	/* ms; 0: it is valid until the server refuses it */
};

/*
 * Starts the plugin without a shell.  terminal: it may use the terminal.  ERR_AUTH with kubectl's words when it is not
 * installed, not allowed, or cannot be started.
 */
int exec_plugin_start(const struct client_config *config, bool terminal, struct child **out,
		      struct err *err) MUST_USE;
/* Reads its exit status and output, after child_run() has returned true. */
int exec_plugin_result(const struct client_config *config, const struct child *child,
		       struct arena *arena, struct exec_credential *out, struct err *err) MUST_USE;

/* Makes the value of KUBERNETES_EXEC_INFO. */
void exec_plugin_info(const struct client_config *config, bool interactive, struct buf *out);
/* Reads an ExecCredential, JSON or YAML.  Errors never contain its text. */
int exec_plugin_decode(const struct client_config *config, struct str text, struct arena *arena,
		       struct exec_credential *out, struct err *err) MUST_USE;

#endif

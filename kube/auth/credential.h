/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What proves to a server who we are, kept fresh: token files, rotating
 * certificates, exec credential plugins.  Never blocks and never prompts; the
 * clock is the caller's.
 */
#ifndef KUBE_AUTH_CREDENTIAL_H
#define KUBE_AUTH_CREDENTIAL_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/config/kubeconfig.h"

struct credential;

enum credential_state {
	CREDENTIAL_READY,	/* requests can be sent */
	CREDENTIAL_RUNNING,	/* nothing valid: a plugin runs, or is still to be started */
	CREDENTIAL_FAILED	/* credential_error() says why; credential_start() tries again */
};

/*
 * config is borrowed and must live as long.  interactive: a plugin may use the
 * terminal now, for questions (stdin) and messages (stderr).
 */
struct credential *credential_new(const struct client_config *config, bool interactive);
/* Kills a running plugin and overwrites what was secret. */
void credential_free(struct credential *c);
/* When a dashboard takes the terminal (false) or hands it back to log in again (true). */
void credential_set_interactive(struct credential *c, bool interactive);

/*
 * Before each request: starts the plugin when nothing valid is there, at most
 * once a second; reads files again that may have changed.  now in ms.
 */
enum credential_state credential_start(struct credential *c, int64_t now);
/*
 * When credential_fd() is readable or credential_deadline() is reached: reads
 * what the plugin printed, and refreshes ahead of expiry once it was started.
 */
enum credential_state credential_run(struct credential *c, int64_t now);
enum credential_state credential_state(const struct credential *c);
/* Since when nothing can be sent because a plugin runs, ms; 0: it can, or none runs. */
int64_t credential_waited_since(const struct credential *c);
/* Why it failed (ERR_AUTH or ERR_INPUT); NULL unless CREDENTIAL_FAILED. */
const struct err *credential_error(const struct credential *c);
/* To wait for while a plugin runs, also while the old credential is still READY; -1: none. */
int credential_fd(const struct credential *c);
/* When credential_run() wants to be called without an event, ms; 0: never. */
int64_t credential_deadline(const struct credential *c);

/* Counts the credentials that a plugin has given; what a request was sent with. */
uint32_t credential_serial(const struct credential *c);
/*
 * After a 401 to the credential of that serial: true when there is another one, or a plugin runs
 * again for one, so that the same request makes sense once more as soon as the state is READY.
 */
bool credential_rejected(struct credential *c, uint32_t serial, int64_t now);

/* Adds the value of the Authorization header, "Bearer ...", "Basic ..."; or nothing. */
void credential_authorization(const struct credential *c, struct buf *out);
/* PEM texts, "" when there is none.  Borrowed until the next start, run or rejected. */
struct str credential_cert(const struct credential *c);
struct str credential_key(const struct credential *c);
/* The CAs to trust, PEM; with config->ca_given they alone, even when empty. */
struct str credential_ca(const struct credential *c);
/* Changes with certificate, key or CAs: what was dialled before must be dialled again. */
uint32_t credential_generation(const struct credential *c);
/* Something the user should know ("the plugin returns expired credentials"), or "". */
const char *credential_notice(const struct credential *c);

/*
 * Calls back with each header of the impersonation, "Impersonate-User: x", in the
 * arena; none without --as.  They belong on every request.
 */
void credential_headers(const struct client_config *config, struct arena *arena,
			void (*header)(void *ctx, struct str line), void *ctx);

#endif

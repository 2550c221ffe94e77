/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's credentials for a server, kept fresh: token files, certificates that are renewed, exec credential plugins.
 * It never blocks and never prompts; the caller gives the time.
 */
#ifndef KUBE_AUTH_CREDENTIAL_H
#define KUBE_AUTH_CREDENTIAL_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/config/kubeconfig.h"

struct credential;

enum credential_state {
	CREDENTIAL_READY,	/* requests can be sent */
	CREDENTIAL_RUNNING,	/* there is no valid credential: a plugin runs, or is going to be started */
	CREDENTIAL_FAILED	/* credential_error() says why; credential_start() tries again */
};

/*
 * config is borrowed and must live as long.  interactive: a plugin may use the terminal now, for questions (standard
 * input) and messages (standard error).
 */
struct credential *credential_new(const struct client_config *config, bool interactive);
/* Kills a plugin that runs, and overwrites what was secret. */
void credential_free(struct credential *c);
/* Call it when a dashboard takes the terminal (false), or gives it back for a login (true). */
void credential_set_interactive(struct credential *c, bool interactive);

/*
 * Call it before each request: starts the plugin when there is no valid credential, at most once a second, and reads
 * files again that may have changed.  now: ms.
 */
enum credential_state credential_start(struct credential *c, int64_t now);
/*
 * Call it when credential_fd() is readable or credential_deadline() has come: reads what the plugin has printed, and
 * refreshes before expiry once credential_start() was called.
 */
enum credential_state credential_run(struct credential *c, int64_t now);
enum credential_state credential_state(const struct credential *c);
/* Since when nothing can be sent because a plugin runs, ms; 0: requests can be sent, or no plugin runs. */
int64_t credential_waited_since(const struct credential *c);
/* Why it failed (ERR_AUTH or ERR_INPUT); NULL unless CREDENTIAL_FAILED. */
const struct err *credential_error(const struct credential *c);
/* The descriptor to wait for while a plugin runs, also while the old credential is still READY; -1: none. */
int credential_fd(const struct credential *c);
/* When credential_run() has to be called without an event, ms; 0: never. */
int64_t credential_deadline(const struct credential *c);

/*
 * The serial number of the credential with which requests are sent: it counts the credentials that a plugin has given.
 */
uint32_t credential_serial(const struct credential *c);
/*
 * Call it after a 401 for the credential with that serial number.  Returns true when there is another credential, or a
 * plugin runs for one, so that the same request can be sent again as soon as the state is READY.
 */
bool credential_rejected(struct credential *c, uint32_t serial, int64_t now);

/* Adds the value of the Authorization header, "Bearer ..." or "Basic ..."; adds nothing when there is none. */
void credential_authorization(const struct credential *c, struct buf *out);
/* PEM texts, "" when there is none.  They are borrowed until the next start, run or rejection. */
struct str credential_cert(const struct credential *c);
struct str credential_key(const struct credential *c);
/*
 * The certificate authorities to trust, as PEM; with config->ca_given they are the only ones, even when the text is
 * empty.
 */
struct str credential_ca(const struct credential *c);
/* A number that changes with certificate, key or certificate authorities: then new connections must be made. */
uint32_t credential_generation(const struct credential *c);
/* A remark for the user ("the plugin returns expired credentials"), or "". */
const char *credential_notice(const struct credential *c);

/*
 * Calls back with each header of the impersonation, "Impersonate-User: x", in the arena; there are none without --as.
 * They belong to every request.
 */
void credential_headers(const struct client_config *config, struct arena *arena,
			void (*header)(void *ctx, struct str line), void *ctx);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of Services, as people write them into environment variables and arguments: HOST:PORT, also inside a URL. */
#ifndef KUBE_EVIDENCE_SERVICE_ADDRESS_H
#define KUBE_EVIDENCE_SERVICE_ADDRESS_H

#include "kube/base/str.h"

#include <stdint.h>

/* Its texts are borrowed from the text that was read. */
struct service_address {
	struct str text;	/* HOST:PORT as it is written; never user or password */
	struct str service;
	struct str ns;		/* "": the namespace of whoever says it */
	int64_t port;
	bool perhaps;		/* NAME.NAMESPACE: perhaps a host of another domain */
	bool of_pod;		/* POD.NAME.NAMESPACE.svc: one pod behind a headless Service */
	bool in_url;		/* a scheme stands before it */
};

/*
 * Finds the next address from *at on, which is 0 at first and counts on.  HOST is one label, NAME.NAMESPACE, or ends in .svc or
 * .svc.cluster.local, as the DNS of a cluster answers (kubernetes/dns, docs/specification.md); a host of another domain, one
 * without a port, an image with its tag and this very machine are none.  Returns false when there is none any more.
 */
bool service_address_next(struct str text, size_t *at, struct service_address *out);
/*
 * Finds the next host that a script asks for, until it is known or answers: "until nslookup db; do sleep 2; done",
 * "nc -z db 5432", "pg_isready -h db"; *at and the hosts are as above, text is the host.  port: 0 where the script says none.
 */
bool service_address_asked_for(struct str script, size_t *at, struct service_address *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What leads to Services: Ingresses, routes, webhooks.  Each is as healthy as the Services behind it, which are those of its
 * references with REF_HEALTH, and a port that it names has to be one of theirs.  A Secret among these has to hold a certificate.
 */
#ifndef KUBE_EVIDENCE_LEADS_H
#define KUBE_EVIDENCE_LEADS_H

#include "kube/status/family.h"

/* Notes that the object leads to that port of a Service; ns "": of its own namespace; port: a number, a name, or absent. */
void leads_note(struct verdict *v, struct str ns, struct str name, struct json port);
/*
 * An object that leads to a Service which does not exist, serves nothing, or does not have that port is Degraded, and waits for
 * it; a webhook that has to be asked (particular "required NAMESPACE/NAME") has Failed then.
 */
void leads_to_services(struct assessment *d);

/* Notes of a Secret that is read with its keys that it holds no certificate, and which key it lacks. */
void leads_note_secret(struct verdict *v);

/* A port as a Service, an EndpointSlice or a pod has it; target is only that of a Service.  The texts are borrowed. */
struct noted_port {
	struct str name, number, protocol, target;
};

/* Returns the next particular "port name/number/protocol/target"; *at is 0 at first.  False: there is none any more. */
bool noted_port_next(const struct status *st, size_t *at, struct noted_port *out);
/* Writes all of them: "http 8080/TCP, 9090/TCP". */
struct str noted_ports(struct assessment *d, const struct status *st);
/* Returns true when the Service has other ports, and not this one, which is a number or a name; says both sides. */
bool leads_lacks_port(struct assessment *d, const struct neighbour *service, struct str port, struct str *out_words);
/* Returns "deployment/web", with its namespace where that is another one: "deployment/web in shop". */
struct str leads_called(struct assessment *d, const struct neighbour *n);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Which proxy is used for a server, by the rules of Go and not those of libcurl. */
#ifndef KUBE_HTTP_PROXY_H
#define KUBE_HTTP_PROXY_H

#include "kube/base/url.h"

/*
 * Adds the URL of the proxy to use to out, nothing for a direct connection.
 * configured is the cluster's proxy-url: it is used whatever NO_PROXY says.
 * Else HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment count, never for
 * loopback (golang.org/x/net/http/httpproxy).  ERR_INPUT on an unusable proxy.
 */
int proxy_choose(struct str configured, const struct url *server, struct buf *out, struct err *err) MUST_USE;

#endif

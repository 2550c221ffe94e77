/* SPDX-License-Identifier: Apache-2.0 */
/* URL, name and headers of a request as they are handed to libcurl. */
#ifndef KUBE_HTTP_HTTP_REQUEST_H
#define KUBE_HTTP_HTTP_REQUEST_H

#include "kube/http/http.h"

/* True when another name than the URL's host is used in TLS. */
bool http_has_name(const struct http_server *s);
/* What is asked for, with that name in it. */
void http_add_url(const struct http_request *r, struct buf *out);
/* "name:port:host:port": where that name really leads. */
void http_add_connect_to(const struct http_server *s, struct buf *out);
/* False for what would begin another header. */
bool http_header_ok(const char *line);

#endif

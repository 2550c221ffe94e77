/* SPDX-License-Identifier: Apache-2.0 */
/* URL, names and headers of a request in the form that libcurl takes. */
#ifndef KUBE_HTTP_HTTP_REQUEST_H
#define KUBE_HTTP_HTTP_REQUEST_H

#include "kube/http/http.h"

/* Returns true when TLS uses another name than the host of the URL. */
bool http_has_name(const struct http_server *s);
/* Returns the URL that is requested, with that name in it. */
void http_add_url(const struct http_request *r, struct buf *out);
/* Returns "name:port:host:port", which tells where that name leads. */
void http_add_connect_to(const struct http_server *s, struct buf *out);
/* Returns false for a header with a line end in it, which would begin another header. */
bool http_header_ok(const char *line);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What http_error() needs beyond libcurl's error codes. */
#ifndef KUBE_HTTP_HTTP_ERROR_H
#define KUBE_HTTP_HTTP_ERROR_H

#include "kube/http/http.h"

/* The same code of libcurl means several failures: told apart by os_error, verify and text of end. */
enum http_failure http_refine(enum http_failure failure, const struct http_end *end);

/* Of "X509v3 Subject Alternative Name:DNS:a, DNS:b" adds "a, b"; of other lines nothing. */
void http_add_names(struct str line, struct buf *out);

#endif

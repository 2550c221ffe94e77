/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of failures that the error codes of libcurl do not tell apart. */
#ifndef KUBE_HTTP_HTTP_ERROR_H
#define KUBE_HTTP_HTTP_ERROR_H

#include "kube/http/http.h"

/* One code of libcurl stands for several failures; os_error, verify and text of end tell them apart. */
enum http_failure http_refine(enum http_failure failure, const struct http_end *end);

/* Adds "a, b" for "X509v3 Subject Alternative Name:DNS:a, DNS:b", and nothing for other lines. */
void http_add_names(struct str line, struct buf *out);

#endif

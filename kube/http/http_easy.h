/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a request that need libcurl but no state: a part of http.c. */
#ifndef KUBE_HTTP_HTTP_EASY_H
#define KUBE_HTTP_HTTP_EASY_H

#include "kube/http/http.h"

/* easy: a CURL *. */
void http_easy_set(void *easy, const struct http_request *r);

#endif

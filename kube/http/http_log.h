/* SPDX-License-Identifier: Apache-2.0 */
/* The lines about requests that -v prints; they hold no secrets. */
#ifndef KUBE_HTTP_HTTP_LOG_H
#define KUBE_HTTP_HTTP_LOG_H

#include "kube/http/http.h"

struct http_log {
	int verbosity;
	void (*line)(void *ctx, const char *line);
	void *ctx;
};

bool http_log_wants(const struct http_log *log, int verbosity);
/* Prints "  > Name: value" with the value of Authorization masked. */
void http_log_header(const struct http_log *log, const char *arrow, struct str line);
void http_log_end(const struct http_log *log, const char *url, const struct http_end *end, int64_t ms,
		  int64_t bytes);

#endif

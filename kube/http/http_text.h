/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of http.c that need no libcurl: what is sent and logged, and the socket. */
#ifndef KUBE_HTTP_HTTP_TEXT_H
#define KUBE_HTTP_HTTP_TEXT_H

#include "kube/http/http.h"

struct http_log {
	int verbosity;
	void (*line)(void *ctx, const char *line);
	void *ctx;
};

bool http_log_wants(const struct http_log *log, int verbosity);
/* "  > Name: value"; what authorizes is masked. */
void http_log_header(const struct http_log *log, const char *arrow, struct str line);
void http_log_end(const struct http_log *log, const char *url, const struct http_end *end, int64_t ms,
		  int64_t bytes);

/* What http_wait() waits for beside connections and its caller's. */
enum { HTTP_FDS = 32 };
struct http_fds {
	struct {
		const void *owner;
		int fd;
	} all[HTTP_FDS];
	size_t n;
};
void http_fds_set(struct http_fds *fds, const void *owner, int fd);

/* True when another name than the URL's host is used in TLS. */
bool http_has_name(const struct http_server *s);
/* What is asked for, with that name in it. */
void http_add_url(const struct http_request *r, struct buf *out);
/* "name:port:host:port": where that name really leads. */
void http_add_connect_to(const struct http_server *s, struct buf *out);
/* False for what would begin another header. */
bool http_header_ok(const char *line);

/* What libcurl does not tell apart: by os_error, verify and text of end. */
enum http_failure http_refine(enum http_failure failure, const struct http_end *end);

/* Of "X509v3 Subject Alternative Name:DNS:a, DNS:b" adds "a, b"; of other lines nothing. */
void http_add_names(struct str line, struct buf *out);

/* The file of the system's certificate authorities; NULL when there is none. */
const char *http_system_roots(void);
/* So that a connection to nowhere is noticed: probes, and a limit without acknowledgement. */
void http_keep_alive(int fd);

#endif

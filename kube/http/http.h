/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP requests that do not block: bytes are handed over as they arrive, a
 * bounded number of them per http_run().  http.c owns libcurl.
 */
#ifndef KUBE_HTTP_HTTP_H
#define KUBE_HTTP_HTTP_H

#include "kube/base/url.h"

struct http;	/* the one curl multi handle, shared by all servers */
struct transfer;

struct http *http_new(void);
void http_free(struct http *h);
/* Sleeps until bytes, a readable fd of fds, or timeout_ms (-1: no limit). */
void http_wait(struct http *h, const int *fds, size_t nfds, int64_t timeout_ms);
/* Requests sent since the start. */
uint64_t http_requests(const struct http *h);
/* Logs every request to this function, as -v does, credentials masked; NULL: none. */
void http_log(struct http *h, int verbosity, void (*log)(void *ctx, const char *line), void *ctx);

/* A server and how to reach it.  Borrowed while transfers to it exist. */
struct http_server {
	struct url url;
	struct str tls_server_name;	/* "" : the host of the URL */
	struct str ca_pem;		/* the only trusted ones */
	bool ca_given;			/* they count even when there are none; else "" is the system's */
	const char *proxy;		/* "" : none */
	bool insecure, compress, http1_only;
};

struct http_request {
	const struct http_server *server;
	struct str path;		/* below the server's URL, with the query */
	const char *const *headers;	/* "Name: value", ends with NULL */
	struct str cert_pem, key_pem;	/* the client's, or "" */
	int64_t timeout;		/* ms for all of it, 0: none */
	bool stream;			/* a watch: may be silent for long */
	bool fresh;			/* on no connection that was there before */
};

enum http_failure {
	HTTP_ANSWERED,		/* complete; status says how */
	HTTP_REFUSED,
	HTTP_UNREACHABLE,	/* no connection for another reason: os_error */
	HTTP_NO_HOST,		/* the name does not resolve */
	HTTP_NO_PROXY,		/* that of the proxy */
	HTTP_TIMEOUT_CONNECT,
	HTTP_TIMEOUT_TLS,
	HTTP_TIMEOUT,
	HTTP_UNTRUSTED,		/* the server's certificate: verify */
	HTTP_WRONG_NAME,	/* is valid, for others: names */
	HTTP_TLS,		/* any other failure of TLS */
	HTTP_CLIENT_CERT,	/* the client's certificate or key cannot be used */
	HTTP_BAD_CA,
	HTTP_LOST,		/* the connection broke: the same may be tried again */
	HTTP_STOPPED,		/* body() returned -1 */
	HTTP_FAILED		/* anything else: text */
};

struct http_end {
	enum http_failure failure;
	int status;		/* 0 when no answer began */
	int os_error;		/* errno of the connection */
	long verify;		/* OpenSSL's X509_V_... */
	bool multiplexed;	/* the connection can carry further requests */
	bool of_proxy;		/* verify is about the certificate of an https proxy */
	const char *text;	/* libcurl's words */
	struct str names;	/* in the server's certificate: "a, b" */
};

struct http_ops {
	/* One header of the final answer; before it, status is known. */
	void (*header)(void *ctx, struct str name, struct str value);
	/* All headers are there. */
	void (*head)(void *ctx, int status);
	/* Returns -1 to stop the transfer. */
	int (*body)(void *ctx, struct str bytes);
	/* The transfer is gone when this is called.  end is borrowed. */
	void (*end)(void *ctx, const struct http_end *end);
};

/* NULL when it could not be begun.  Not to be called by header(), head() and body(). */
struct transfer *http_send(struct http *h, const struct http_request *r, const struct http_ops *ops, void *ctx);
/* Nothing more is called back.  hang_up: no later request may use its connection. */
void http_cancel(struct transfer *t, bool hang_up);
/* Does what can be done without blocking, once between two waits or with another now (ms). */
void http_run(struct http *h, int64_t now);
/* Sends new requests before more of any answer is read. */
void http_send_first(struct http *h);
/* http_wait() also wakes up when fd is readable; -1: not any more.  One for each owner. */
void http_watch_fd(struct http *h, const void *owner, int fd);

/* Fills *err in kubectl's words and returns -1. */
int http_error(const struct http_end *end, const struct http_server *server, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP requests that do not block: bytes are handed over as they arrive, a
 * bounded number of them per http_run().  http.c owns libcurl.
 */
#ifndef KUBE_HTTP_HTTP_H
#define KUBE_HTTP_HTTP_H

#include "kube/base/url.h"

struct http;	/* the one multi handle of libcurl, which all servers share */
struct transfer;

struct http *http_new(void);
void http_free(struct http *h);
/* Sleeps until bytes arrive, a descriptor of fds is readable, or timeout_ms have passed (-1: no limit). */
void http_wait(struct http *h, const int *fds, size_t nfds, int64_t timeout_ms);
/* The number of requests that were sent since the start. */
uint64_t http_requests(const struct http *h);
/* Logs every request to this function, as -v asks for, with credentials masked; NULL ends that. */
void http_log(struct http *h, int verbosity, void (*log)(void *ctx, const char *line), void *ctx);

/* A server, and how it is reached.  It is borrowed while there are transfers to it. */
struct http_server {
	struct url url;
	struct str tls_server_name;	/* "": the host of the URL */
	struct str ca_pem;		/* the only certificate authorities that are trusted */
	/* ca_pem counts even when it is empty; else an empty ca_pem means the system's authorities */
	bool ca_given;
	const char *proxy;		/* "": no proxy */
	bool insecure, compress, http1_only;
};

struct http_request {
	const struct http_server *server;
	struct str path;		/* with the query; it is appended to the path of the server's URL */
	const char *const *headers;	/* "Name: value", ends with NULL */
	struct str cert_pem, key_pem;	/* those of the client, or "" */
	int64_t timeout;		/* ms for the whole transfer, 0: no limit */
	bool stream;			/* a watch or a log, which may be silent for a long time */
	bool fresh;			/* on a new connection */
	bool as_it_is;			/* not compressed: a part of something is asked for */
};

enum http_failure {
	HTTP_ANSWERED,		/* the answer is complete; status tells which it is */
	HTTP_REFUSED,
	HTTP_UNREACHABLE,	/* no connection could be made, for another reason: os_error */
	HTTP_NO_HOST,		/* the name of the server cannot be resolved */
	HTTP_NO_PROXY,		/* the name of the proxy cannot be resolved */
	HTTP_TIMEOUT_CONNECT,
	HTTP_TIMEOUT_TLS,
	HTTP_TIMEOUT,
	HTTP_UNTRUSTED,		/* the certificate of the server is not trusted: verify */
	HTTP_WRONG_NAME,	/* the certificate of the server is valid for other names: names */
	HTTP_TLS,		/* every other failure of TLS */
	HTTP_CLIENT_CERT,	/* the certificate or key of the client cannot be used */
	HTTP_BAD_CA,
	HTTP_LOST,		/* the connection broke: the same request may be tried again */
	HTTP_STOPPED,		/* body() returned -1 */
	HTTP_FAILED		/* every other failure: text */
};

struct http_end {
	enum http_failure failure;
	int status;		/* 0 when no answer has begun */
	int os_error;		/* the errno of the connection */
	long verify;		/* a code of OpenSSL, X509_V_... */
	bool multiplexed;	/* the connection can carry further requests at the same time */
	bool of_proxy;		/* verify is about the certificate of an https proxy */
	const char *text;	/* what libcurl says */
	struct str names;	/* the names in the certificate of the server: "a, b" */
};

struct http_ops {
	/* Called for each header of the final answer; status is known by then. */
	void (*header)(void *ctx, struct str name, struct str value);
	/* Called when all headers were read. */
	void (*head)(void *ctx, int status);
	/* Called with bytes of the body.  Returning -1 stops the transfer. */
	int (*body)(void *ctx, struct str bytes);
	/* Called at the end.  The transfer does not exist any more; end is borrowed. */
	void (*end)(void *ctx, const struct http_end *end);
};

/* Begins a transfer.  Returns NULL when that is not possible.  It must not be called by header(), head() and body(). */
struct transfer *http_send(struct http *h, const struct http_request *r, const struct http_ops *ops, void *ctx);
/* Ends a transfer; nothing is called back any more.  hang_up: no later request may use its connection. */
void http_cancel(struct transfer *t, bool hang_up);
/* Does what can be done without blocking.  Call it once between two waits, or again with another time.  now: ms. */
void http_run(struct http *h, int64_t now);
/* Sends new requests before more of any answer is read. */
void http_send_first(struct http *h);
/* From now on http_wait() also wakes up when fd is readable; -1 ends that.  Each owner has one descriptor. */
void http_watch_fd(struct http *h, const void *owner, int fd);

/* Fills in *err in kubectl's words and returns -1. */
int http_error(const struct http_end *end, const struct http_server *server, struct err *err);

#endif

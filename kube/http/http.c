/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owns libcurl: one multi handle, so that all watches of a cluster share one
 * HTTP/2 connection.  How much is handed over in one run is bounded; what is
 * beyond it is kept for the next run, and until it is gone nothing more is read,
 * so that in the end it stays with the server.
 *
 * A libcurl before 8 may lose the wake-up of a transfer for which another one on the same HTTP/2 connection has read
 * (add_next_timeout() in lib/multi.c drops a timer that is set within a millisecond of the run's beginning), and then holds
 * its bytes until something else happens.  So there is always one more call of it, in which nothing is received, before
 * http_wait() sleeps; and no transfer is ever paused, because that makes it much more frequent.
 */
#include "kube/http/http.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"
#include "kube/base/system.h"
#include "kube/http/http_error.h"
#include "kube/http/http_log.h"
#include "kube/http/http_request.h"

#include <curl/curl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RUN_BYTES = 128 * 1024,		/* bytes that one http_run() hands to body() */
	WAIT_MAX_MS = 3600 * 1000,
	STREAMS_MAX = 1000,		/* streams of one connection */
	/* from that many streams on a connection may be full: servers allow a hundred and more */
	STREAMS_MANY = 64,
	/*
	 * from that many transfers on, not counting watches, answers are gathered: libcurl examines every transfer in
	 * each run
	 */
	GATHER_FROM = 32,
	GATHER_MS = 5,			/* for how long answers are gathered then */
	BUFFER_LIST = 64 * 1024, BUFFER_STREAM = 16 * 1024,
	CONNECT_MS = 30 * 1000,
	/*
	 * after that time without a byte an answer that is not a watch has failed; the limit of the API server itself
	 */
	STALL_SECONDS = 60,
	PROBE_SECONDS = 30,
	/*
	 * after that time a connection that leads nowhere is given up; the HTTP/2 client of Go sends a ping after 30 s
	 * and waits 15 s for its answer
	 */
	UNACKED_MS = 45000,
	ERROR_TEXT = CURL_ERROR_SIZE
};

/* What http_wait() waits for, beside the connections and what its caller names. */
struct owned_fd {
	const void *owner;
	int fd;
};

/* A server, for as long as there are requests to it. */
struct host {
	const struct http_server *server;
	size_t active;			/* transfers that were handed to libcurl */
	struct transfer *opening;	/* the transfer for which a connection is being made */
	bool single;			/* each connection carries one transfer at a time (HTTP/1.1) */
	bool given;			/* a held transfer was handed to libcurl in this run */
	bool broken;			/* a connection failed as HTTP/2 and must not be used again */
};

struct http {
	CURLM *multi;
	struct transfer *first, *last;
	size_t count, streams;		/* all transfers, and those of them that are watches or logs */
	struct owned_fd *fds;
	size_t nfds, fds_cap;
	struct curl_waitfd *wait;	/* an argument of http_wait() */
	size_t wait_cap;
	size_t allowance;		/* bytes that this run may still hand over */
	size_t cancelled, ended;	/* numbers of transfers */
	size_t waiting;			/* bytes of all transfers that were received and not handed over yet */
	struct host *hosts;
	size_t nhosts, hosts_cap;
	size_t held;			/* transfers that were not handed to libcurl yet */
	int64_t run_at;
	uint64_t requests;
	bool in_curl;			/* libcurl is being called and may call back */
	bool send_first;		/* requests are sent before more of any answer is read */
	bool busy;			/* the last call of libcurl received something, or the next call may */
	struct http_log log;
	const char *roots;		/* the result of system_roots(), once it was called */
	bool roots_known;
};

struct transfer {
	struct http *http;
	struct transfer *next, *before;
	CURL *easy;
	struct curl_slist *headers, *connect_to;
	const struct http_ops *ops;
	void *ctx;
	size_t host;		/* index in hosts */
	bool held, added, stream;
	struct buf url;
	int status;
	bool head_done, cancelled, refused;
	struct buf waiting;	/* bytes that were received; those before taken were handed over */
	size_t taken;
	/* the transfer has ended with this code, which is reported when no bytes wait any more */
	bool ended;
	CURLcode code;
	bool tls_began;		/* TLS has begun, so a timeout is not one of the TCP connection */
	bool sent;		/* there is a connection, and the request goes out on it */
	bool proxied;
	char text[ERROR_TEXT];
};

struct http *http_new(void)
{
	struct http *h = xcalloc(1, sizeof(*h));

	curl_global_init_mem(CURL_GLOBAL_SSL, xmalloc, xfree, xrealloc, xstrdup, xcalloc);
	h->multi = curl_multi_init();
	curl_multi_setopt(h->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
	/* the API server has its own limit for these */
	curl_multi_setopt(h->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)STREAMS_MAX);
#if LIBCURL_VERSION_NUM >= 0x081400
	/* since 8.20 the threads that resolve names belong to this handle: see CURLOPT_QUICK_EXIT */
	curl_multi_setopt(h->multi, CURLMOPT_QUICK_EXIT, 1L);
#endif
	h->allowance = RUN_BYTES;
	h->run_at = -1;
	return h;
}

static void append(struct http *h, struct transfer *t)
{
	assert(!h->last == !h->first && !h->last == !h->count);
	t->before = h->last;
	t->next = NULL;
	*(h->last ? &h->last->next : &h->first) = t;
	h->last = t;
	h->count++;
}

static void unlink_transfer(struct http *h, struct transfer *t)
{
	assert(h->count > 0 && (t->before ? t->before->next : h->first) == t && (t->next ? t->next->before : h->last) == t);
	*(t->before ? &t->before->next : &h->first) = t->next;
	*(t->next ? &t->next->before : &h->last) = t->before;
	h->count--;
}

static void drop_waiting(struct transfer *t)
{
	assert(t->taken <= t->waiting.len && t->waiting.len - t->taken <= t->http->waiting);
	t->http->waiting -= t->waiting.len - t->taken;
	t->taken = 0;
	buf_release(&t->waiting);
}

static void transfer_free(struct transfer *t)
{
	struct http *h = t->http;

	assert(h->streams >= t->stream && h->ended >= t->ended && h->cancelled >= t->cancelled && h->held >= t->held);
	assert(t->host < h->nhosts && h->hosts[t->host].active >= t->added);
	drop_waiting(t);
	unlink_transfer(h, t);
	h->streams -= t->stream;
	h->ended -= t->ended;
	h->cancelled -= t->cancelled;
	h->held -= t->held;
	h->hosts[t->host].active -= t->added;
	if (h->hosts[t->host].opening == t)
		h->hosts[t->host].opening = NULL;
	if (t->added)
		curl_multi_remove_handle(h->multi, t->easy);
	if (t->easy)
		curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	curl_slist_free_all(t->connect_to);
	buf_release(&t->url);
	xfree(t);
}

void http_free(struct http *h)
{
	if (!h)
		return;
	while (h->first)
		transfer_free(h->first);
	assert(h->count == 0 && h->streams == 0 && h->held == 0 && h->waiting == 0 && h->ended == 0 && h->cancelled == 0);
	curl_multi_cleanup(h->multi);
	curl_global_cleanup();
	xfree(h->fds);
	xfree(h->wait);
	xfree(h->hosts);
	xfree(h);
}

uint64_t http_requests(const struct http *h)
{
	return h->requests;
}

void http_log(struct http *h, int verbosity, void (*log)(void *ctx, const char *line), void *ctx)
{
	h->log = (struct http_log){ verbosity, log, ctx };
}

/* --- libcurl calls back ----------------------------------------------------- */

static void take_header(struct transfer *t, struct str line)
{
	size_t colon = str_find(line, ':');

	if (http_log_wants(&t->http->log, 8))
		http_log_header(&t->http->log, "<", line);
	if (colon < line.len && t->ops->header)
		t->ops->header(t->ctx, str_head(line, colon), str_trim(str_from(line, colon + 1)));
}

static size_t on_header(char *ptr, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	struct str line = str_trim((struct str){ ptr, size * n });
	long status = 0;

	t->http->busy = true;
	if (t->cancelled)
		return 0;
	if (t->head_done) /* this header is a trailer */
		return size * n;
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	t->status = (int)status;
	if (status < 200)
		return size * n;
	if (str_empty(line)) {
		t->head_done = true;
		if (t->ops->head)
			t->ops->head(t->ctx, t->status);
	} else if (!str_starts(line, "HTTP/")) {
		take_header(t, line);
	}
	return t->cancelled ? 0 : size * n;
}

/* Hands bytes to body().  Returns -1 when the transfer has to be stopped. */
static int hand_over(struct transfer *t, struct str bytes)
{
	struct http *h = t->http;

	h->allowance -= bytes.len < h->allowance ? bytes.len : h->allowance;
	if (t->ops->body && t->ops->body(t->ctx, bytes) < 0)
		t->refused = true;
	return t->refused || t->cancelled ? -1 : 0;
}

/* Hands over at most that many of the bytes that wait. */
static int hand_over_waiting(struct transfer *t, size_t most)
{
	struct str bytes = str_head(str_from(buf_str(&t->waiting), t->taken), most);
	int result;

	assert(bytes.len <= t->http->waiting);
	t->taken += bytes.len;
	t->http->waiting -= bytes.len;
	result = hand_over(t, bytes);
	if (result < 0 || t->taken == t->waiting.len)
		drop_waiting(t);
	return result;
}

static size_t on_body(char *ptr, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	struct http *h = t->http;
	struct str bytes = { ptr, size * n };

	h->busy = true;
	if (t->cancelled || t->refused)
		return 0;
	if ((h->allowance == 0 || t->waiting.len) && h->waiting + bytes.len <= LIMIT_RECEIVED) {
		buf_add(&t->waiting, bytes);
		h->waiting += bytes.len;
		return bytes.len;
	}
	if (t->waiting.len && hand_over_waiting(t, t->waiting.len) < 0)
		return 0;
	return hand_over(t, bytes) < 0 ? 0 : bytes.len;
}

/* --- options of a request --------------------------------------------------- */

/*
 * Returns the file of the system's certificate authorities, or NULL.  The order of the places is that of Go
 * (crypto/x509/root_linux.go).
 */
static const char *find_roots(void)
{
	static const char *const files[] = {
		"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem", "/etc/pki/tls/cacert.pem",
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
	};
	const char *named = getenv("SSL_CERT_FILE");

	if (named && named[0])
		return named;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (access(files[i], R_OK) == 0)
			return files[i];
	return NULL;
}

static const char *system_roots(struct http *h)
{
	if (!h->roots_known)
		h->roots = find_roots();
	h->roots_known = true;
	return h->roots;
}

/* Returns true also where there is nothing to set. */
static bool set_pem(CURL *easy, CURLoption option, struct str pem)
{
	struct curl_blob blob = { .len = pem.len, .flags = CURL_BLOB_COPY };

	/* libcurl takes the bytes as void * and does not change them */
	memcpy(&blob.data, &pem.ptr, sizeof(blob.data));
	return str_empty(pem) || curl_easy_setopt(easy, option, &blob) == CURLE_OK;
}

/* Go has one TLS configuration for both: an https proxy is trusted as the server is. */
static bool set_trust(struct http *h, CURL *easy, const struct http_server *s, bool proxy)
{
	CURLoption roots = proxy ? CURLOPT_PROXY_CAINFO : CURLOPT_CAINFO;

	curl_easy_setopt(easy, proxy ? CURLOPT_PROXY_SSL_VERIFYPEER : CURLOPT_SSL_VERIFYPEER, s->insecure ? 0L : 1L);
	curl_easy_setopt(easy, proxy ? CURLOPT_PROXY_SSL_VERIFYHOST : CURLOPT_SSL_VERIFYHOST, s->insecure ? 0L : 2L);
	if (s->ca_given || s->ca_pem.len) {
		curl_easy_setopt(easy, proxy ? CURLOPT_PROXY_CAPATH : CURLOPT_CAPATH, NULL);
		curl_easy_setopt(easy, roots, NULL);
		return set_pem(easy, proxy ? CURLOPT_PROXY_CAINFO_BLOB : CURLOPT_CAINFO_BLOB, s->ca_pem);
	}
	if (!s->insecure && system_roots(h))
		curl_easy_setopt(easy, roots, system_roots(h));
	return true;
}

static bool set_tls(struct http *h, CURL *easy, const struct http_request *r)
{
	const struct http_server *s = r->server;
	bool ok;

	if (!s->url.https)
		return true;
	curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	/* asks for the names in the certificate, for the message when none of them matches */
	curl_easy_setopt(easy, CURLOPT_CERTINFO, 1L);
	ok = set_trust(h, easy, s, false);
	if (r->cert_pem.len) {
		ok = ok && set_pem(easy, CURLOPT_SSLCERT_BLOB, r->cert_pem) &&
		     set_pem(easy, CURLOPT_SSLKEY_BLOB, r->key_pem);
		/* without a callback of ours libcurl asks for a password on the terminal */
		curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");
	}
	return ok;
}

static int on_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
	struct transfer *t = ctx;

	(void)purpose;
	t->http->hosts[t->host].opening = t;
	system_keep_alive(fd, PROBE_SECONDS, UNACKED_MS);
	return CURL_SOCKOPT_OK;
}

static bool set_proxy(struct http *h, CURL *easy, const struct http_server *s)
{
	curl_easy_setopt(easy, CURLOPT_PROXY, s->proxy);
	curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
	curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	return !str_starts(str_of(s->proxy), "https://") || set_trust(h, easy, s, true);
}

static bool multiplexes(const struct http_request *r)
{
	return r->server->url.https && !r->server->http1_only && !r->fresh;
}

static void set_connection(CURL *easy, const struct http_request *r)
{
	const struct http_server *s = r->server;

	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	/* a cancelled transfer does not wait for a name server that does not answer */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, s->url.https ? "https" : "http");
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
			 s->http1_only ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS);
	/*
	 * whether one connection carries all transfers is known when TLS has agreed on a protocol; without TLS each
	 * connection carries one
	 */
	curl_easy_setopt(easy, CURLOPT_PIPEWAIT, multiplexes(r) ? 1L : 0L);
	curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, r->fresh ? 1L : 0L);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, r->stream ? (long)BUFFER_STREAM : (long)BUFFER_LIST);
	if (s->compress && !r->as_it_is)
		curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
	if (r->stream)
		return;
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)r->timeout);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)STALL_SECONDS);
}

/* --- a request -------------------------------------------------------------- */

static void add_header(struct transfer *t, const char *line)
{
	if (!http_header_ok(line))
		return;
	t->headers = curl_slist_append(t->headers, line);
	if (http_log_wants(&t->http->log, 7))
		http_log_header(&t->http->log, ">", str_of(line));
}

/*
 * The name for TLS goes into the URL, the address into CONNECT_TO, and the true name into the header Host, because
 * libcurl has no option for the TLS name alone.
 */
static void set_name(struct transfer *t, const struct http_server *s)
{
	struct buf text = { 0 };

	http_add_connect_to(s, &text);
	t->connect_to = curl_slist_append(NULL, buf_cstr(&text));
	curl_easy_setopt(t->easy, CURLOPT_CONNECT_TO, t->connect_to);
	buf_reset(&text);
	buf_add_cstr(&text, "Host: ");
	url_authority(&s->url, &text);
	add_header(t, buf_cstr(&text));
	buf_release(&text);
}

/* libcurl calls this when TLS is about to begin; its own figures are known only at the end. */
static CURLcode on_tls(CURL *easy, void *tls, void *ctx)
{
	struct transfer *t = ctx;

	(void)easy;
	(void)tls;
	t->tls_began = true;
	return CURLE_OK;
}

/* libcurl calls this when there is a connection, new or old; from 8.23 on its own figures are set by a failure, too. */
static int on_connected(void *ctx, char *ip, char *local_ip, int port, int local_port)
{
	struct transfer *t = ctx;

	(void)ip;
	(void)local_ip;
	(void)port;
	(void)local_port;
	t->sent = true;
	return CURL_PREREQFUNC_OK;
}

static void set_callbacks(struct transfer *t)
{
	curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->text);
	curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_SOCKOPTDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_SSL_CTX_FUNCTION, on_tls);
	curl_easy_setopt(t->easy, CURLOPT_SSL_CTX_DATA, t);
	curl_easy_setopt(t->easy, CURLOPT_PREREQFUNCTION, on_connected);
	curl_easy_setopt(t->easy, CURLOPT_PREREQDATA, t);
}

static size_t host_of(struct http *h, const struct http_server *server)
{
	for (size_t i = 0; i < h->nhosts; i++)
		if (h->hosts[i].server == server)
			return i;
	h->hosts = xgrow(h->hosts, h->nhosts, &h->hosts_cap, sizeof(*h->hosts));
	h->hosts[h->nhosts] = (struct host){ .server = server };
	return h->nhosts++;
}

static bool is_busy(const struct transfer *t)
{
	return t->http->hosts[t->host].active >= STREAMS_MANY;
}

/* Returns false when libcurl does not take the request. */
static bool give(struct transfer *t)
{
	struct host *host = &t->http->hosts[t->host];

	assert(!t->added && t->http->held >= t->held);
	t->http->held -= t->held;
	t->held = false;
	if (host->broken)
		curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 1L);
	host->broken = false;
	t->added = curl_multi_add_handle(t->http->multi, t->easy) == CURLM_OK;
	host->active += t->added;
	return t->added;
}

static bool hold(struct transfer *t)
{
	t->held = true;
	t->http->held++;
	return true;
}

struct transfer *http_send(struct http *h, const struct http_request *r, const struct http_ops *ops, void *ctx)
{
	struct transfer *t = xcalloc(1, sizeof(*t));
	bool ready;

	t->http = h;
	t->ops = ops;
	t->ctx = ctx;
	t->host = host_of(h, r->server);
	t->stream = r->stream;
	append(h, t);
	h->streams += t->stream;
	t->easy = curl_easy_init();
	http_add_url(r, &t->url);
	curl_easy_setopt(t->easy, CURLOPT_URL, buf_cstr(&t->url));
	if (http_has_name(r->server))
		set_name(t, r->server);
	set_connection(t->easy, r);
	ready = set_tls(h, t->easy, r) && set_proxy(h, t->easy, r->server);	/* false: libcurl does not take the certificates */
	t->proxied = r->server->proxy && r->server->proxy[0];
	for (size_t i = 0; r->headers[i]; i++)
		add_header(t, r->headers[i]);
	set_callbacks(t);
	if (ready && (is_busy(t) && multiplexes(r) && !h->hosts[t->host].single ? hold(t) : give(t))) {
		h->requests++;
		return t;
	}
	transfer_free(t);
	return NULL;
}

void http_cancel(struct transfer *t, bool hang_up)
{
	if (hang_up)
		curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L);
	if (!t->http->in_curl) {
		transfer_free(t);
		return;
	}
	t->http->cancelled += !t->cancelled;
	t->cancelled = true;
}

/* --- the end of a request --------------------------------------------------- */

/* Classifies the error codes of libcurl; those that are not in the table are HTTP_FAILED. */
static const struct {
	CURLcode code;
	enum http_failure failure;
} failures[] = {
	{ CURLE_OK, HTTP_ANSWERED },
	{ CURLE_COULDNT_CONNECT, HTTP_UNREACHABLE },
	{ CURLE_COULDNT_RESOLVE_HOST, HTTP_NO_HOST },
	{ CURLE_COULDNT_RESOLVE_PROXY, HTTP_NO_PROXY },
	{ CURLE_OPERATION_TIMEDOUT, HTTP_TIMEOUT },
	{ CURLE_PEER_FAILED_VERIFICATION, HTTP_UNTRUSTED },
	{ CURLE_SSL_CERTPROBLEM, HTTP_CLIENT_CERT },
	{ CURLE_SSL_CACERT_BADFILE, HTTP_BAD_CA },
	{ CURLE_SSL_CONNECT_ERROR, HTTP_TLS },
	{ CURLE_WRITE_ERROR, HTTP_STOPPED },
	{ CURLE_GOT_NOTHING, HTTP_LOST },
	{ CURLE_RECV_ERROR, HTTP_LOST },
	{ CURLE_SEND_ERROR, HTTP_LOST },
	{ CURLE_PARTIAL_FILE, HTTP_LOST },
	{ CURLE_HTTP2, HTTP_LOST },
	{ CURLE_HTTP2_STREAM, HTTP_LOST },
};

static enum http_failure timeout_of(const struct transfer *t)
{
	curl_off_t connected = 0, secured = 0;

	curl_easy_getinfo(t->easy, CURLINFO_CONNECT_TIME_T, &connected);
	curl_easy_getinfo(t->easy, CURLINFO_APPCONNECT_TIME_T, &secured);
	if (t->sent)
		return HTTP_TIMEOUT;
	if (t->tls_began && secured == 0)
		return HTTP_TIMEOUT_TLS;
	return connected == 0 ? HTTP_TIMEOUT_CONNECT : HTTP_TIMEOUT;
}

static enum http_failure failure_of(struct transfer *t, CURLcode code, const struct http_end *end)
{
	enum http_failure failure = HTTP_FAILED;

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (failures[i].code == code)
			failure = failures[i].failure;
	if (failure == HTTP_TIMEOUT && !t->head_done)
		return timeout_of(t);
	if (failure == HTTP_LOST && t->proxied && !t->sent)
		return HTTP_FAILED;	/* the proxy refused to open a tunnel */
	return http_refine(failure, end);
}

static void certificate_names(CURL *easy, struct buf *out)
{
	struct curl_certinfo *info = NULL;

	curl_easy_getinfo(easy, CURLINFO_CERTINFO, &info);
	if (!info || info->num_of_certs < 1)
		return;
	for (const struct curl_slist *s = info->certinfo[0]; s; s = s->next)
		http_add_names(str_of(s->data), out);
}

static void log_end(const struct transfer *t, const struct http_end *end)
{
	curl_off_t us = 0, bytes = 0;

	if (!http_log_wants(&t->http->log, 6))
		return;
	curl_easy_getinfo(t->easy, CURLINFO_TOTAL_TIME_T, &us);
	curl_easy_getinfo(t->easy, CURLINFO_SIZE_DOWNLOAD_T, &bytes);
	http_log_end(&t->http->log, buf_cstr(&t->url), end, us / 1000, bytes);
}

static void transfer_end(struct transfer *t, CURLcode code)
{
	const struct http_ops *ops = t->ops;
	void *ctx = t->ctx;
	bool silent = t->cancelled;
	long os_error = 0, version = 0, proxy_verify = 0;
	struct http_end end = { .status = t->status };
	struct buf names = { 0 };
	char text[ERROR_TEXT];	/* a copy, because the transfer is freed before its end is reported */

	curl_easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &os_error);
	curl_easy_getinfo(t->easy, CURLINFO_HTTP_VERSION, &version);
	curl_easy_getinfo(t->easy, CURLINFO_SSL_VERIFYRESULT, &end.verify);
	curl_easy_getinfo(t->easy, CURLINFO_PROXY_SSL_VERIFYRESULT, &proxy_verify);
	end.of_proxy = proxy_verify && !end.verify;
	if (end.of_proxy)
		end.verify = proxy_verify;
	snprintf(text, sizeof(text), "%s", t->text[0] || code == CURLE_OK ? t->text : curl_easy_strerror(code));
	end.os_error = (int)os_error;
	end.multiplexed = version == CURL_HTTP_VERSION_2_0;
	end.text = text;
	end.failure = t->refused ? HTTP_STOPPED : failure_of(t, code, &end);
	t->http->hosts[t->host].broken |= code == CURLE_HTTP2;
	if (end.failure == HTTP_ANSWERED)
		t->http->hosts[t->host].single = !end.multiplexed;
	if (end.failure == HTTP_WRONG_NAME)
		certificate_names(t->easy, &names);
	end.names = buf_str(&names);
	log_end(t, &end);
	transfer_free(t);
	if (!silent)
		ops->end(ctx, &end);
	buf_release(&names);
}

/* --- runs ------------------------------------------------------------------- */

/*
 * Returns true when no connection to the server of t is being made and no other transfer to it was handed over in this
 * run.
 */
static bool can_be_given(const struct transfer *t)
{
	struct host *host = &t->http->hosts[t->host];

	if (host->opening && host->opening->sent)
		host->opening = NULL;
	return t->held && !t->cancelled && !host->opening && (!host->given || !is_busy(t));
}

static bool some_can_be_given(struct http *h)
{
	for (size_t i = 0; i < h->nhosts; i++)
		h->hosts[i].given = false;
	for (const struct transfer *t = h->first; t && h->held; t = t->next)
		if (can_be_given(t))
			return true;
	return false;
}

/*
 * libcurl would open a connection for each request that finds all connections full.  So such requests are handed over
 * one by one, and none while a connection is being made for an earlier one.
 */
static void give_held(struct http *h)
{
	struct transfer *next;

	for (size_t i = 0; i < h->nhosts; i++)
		h->hosts[i].given = false;
	for (struct transfer *t = h->first; t && h->held; t = next) {
		next = t->next;
		if (!can_be_given(t))
			continue;
		h->hosts[t->host].given = true;
		if (!give(t)) {
			transfer_end(t, CURLE_FAILED_INIT);
			/* the callback may have cancelled other transfers, so the list is not read on */
			return;
		}
	}
}

static void end_with(struct transfer *t, CURLcode code)
{
	t->http->ended += !t->ended;
	t->ended = true;
	t->code = code;
}

/* Each transfer that was served goes to the end of the list, so that all get their share. */
static void hand_over_all_waiting(struct http *h)
{
	struct transfer *t = h->first, *next;

	for (size_t n = h->count; n > 0 && h->allowance > 0 && h->waiting > 0; n--, t = next) {
		next = t->next ? t->next : t;
		if (!t->waiting.len || t->cancelled)
			continue;
		unlink_transfer(h, t);
		append(h, t);
		if (hand_over_waiting(t, h->allowance) < 0 && !t->cancelled)
			end_with(t, CURLE_WRITE_ERROR);
	}
}

/* Reports the end of transfers of which no bytes wait any more. */
static void report_ended(struct http *h)
{
	struct transfer *t = h->first;

	while (t && h->ended > 0) {
		if (!t->ended || t->waiting.len) {
			t = t->next;
			continue;
		}
		transfer_end(t, t->code);
		/* the callback may have cancelled other transfers, so the list is read from its beginning */
		t = h->first;
	}
}

static void bury_cancelled(struct http *h)
{
	struct transfer *next;

	for (struct transfer *t = h->first; t && h->cancelled > 0; t = next) {
		next = t->next;
		if (t->cancelled)
			transfer_free(t);
	}
}

static void note_ended(struct http *h)
{
	struct CURLMsg *msg;
	int n;

	while ((msg = curl_multi_info_read(h->multi, &n))) {
		char *private = NULL;	/* libcurl writes through a char ** */

		curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &private);
		if (msg->msg == CURLMSG_DONE && private)
			end_with((struct transfer *)(void *)private, msg->data.result);
	}
}

static void perform(struct http *h)
{
	int n;

	h->busy = false;
	curl_multi_perform(h->multi, &n);
}

void http_run(struct http *h, int64_t now)
{
	bool again;

	/* several sessions share this object: one call between two waits is enough */
	if (now == h->run_at)
		return;
	assert(!h->in_curl);
	give_held(h);
	h->in_curl = true;
	if (h->send_first) {
		h->send_first = false;
		h->allowance = 0;
		perform(h);
	}
	h->allowance = RUN_BYTES;
	h->run_at = now;
	hand_over_all_waiting(h);
	again = h->busy;
	if (h->waiting == 0)
		perform(h);
	if (h->waiting == 0 && (again || h->busy))
		perform(h);
	h->in_curl = false;
	bury_cancelled(h);
	note_ended(h);
	report_ended(h);
}

void http_send_first(struct http *h)
{
	h->send_first = true;
	h->allowance = 0;
	h->run_at = -1;
}

void http_watch_fd(struct http *h, const void *owner, int fd)
{
	size_t i = 0;

	while (i < h->nfds && h->fds[i].owner != owner)
		i++;
	if (fd < 0) {
		if (i < h->nfds)
			h->fds[i] = h->fds[--h->nfds];
		return;
	}
	h->fds = xgrow(h->fds, i, &h->fds_cap, sizeof(*h->fds));
	h->fds[i] = (struct owned_fd){ owner, fd };
	h->nfds += i == h->nfds;
}

/* the caller's descriptor (a key was pressed, for example) is served at once */
static bool any_ready(const struct curl_waitfd *wait, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (wait[i].revents)
			return true;
	return false;
}

/* The answers of many lists are gathered for a moment; a key is not delayed by that. */
static void sleep_at_most(struct http *h, struct curl_waitfd *wait, unsigned n, int64_t timeout_ms)
{
	int ready = 0;

	curl_multi_poll(h->multi, wait, n, (int)timeout_ms, &ready);
	h->busy |= ready > 0;
	if (ready && h->count - h->streams >= GATHER_FROM && timeout_ms && !any_ready(wait, n))
		poll(NULL, 0, GATHER_MS);
}

void http_wait(struct http *h, const int *fds, size_t nfds, int64_t timeout_ms)
{
	unsigned n = 0;

	if (h->wait_cap < nfds + h->nfds) {
		h->wait_cap = nfds + h->nfds;
		h->wait = xreallocarray(h->wait, h->wait_cap, sizeof(*h->wait));
	}
	for (size_t i = 0; i < nfds; i++)
		h->wait[n++] = (struct curl_waitfd){ .fd = fds[i], .events = CURL_WAIT_POLLIN };
	for (size_t i = 0; i < h->nfds; i++)
		h->wait[n++] = (struct curl_waitfd){ .fd = h->fds[i].fd, .events = CURL_WAIT_POLLIN };
	if (h->waiting > 0 || h->ended > 0 || h->busy || some_can_be_given(h))
		timeout_ms = 0;
	if (timeout_ms < 0 || timeout_ms > WAIT_MAX_MS)
		timeout_ms = WAIT_MAX_MS;
	sleep_at_most(h, h->wait, n, timeout_ms);
	h->run_at = -1;
}

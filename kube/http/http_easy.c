/* SPDX-License-Identifier: Apache-2.0 */
/* What libcurl is told of one request: TLS, proxy, connection. */
#include "kube/http/http_easy.h"

#include "kube/http/http_text.h"

#include <curl/curl.h>
#include <string.h>

enum {
	BUFFER_LIST = 64 * 1024, BUFFER_STREAM = 16 * 1024,
	CONNECT_MS = 30 * 1000,
	STALL_SECONDS = 60		/* of an answer that is no watch; the server's own limit */
};

static void set_blob(CURL *easy, CURLoption option, struct str pem)
{
	struct curl_blob blob = { .len = pem.len, .flags = CURL_BLOB_COPY };

	/* libcurl takes the bytes as void * and does not write to them */
	memcpy(&blob.data, &pem.ptr, sizeof(blob.data));
	if (pem.len)
		curl_easy_setopt(easy, option, &blob);
}

static void set_tls(CURL *easy, const struct http_request *r)
{
	const struct http_server *s = r->server;

	curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, s->insecure ? 0L : 1L);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, s->insecure ? 0L : 2L);
	curl_easy_setopt(easy, CURLOPT_CERTINFO, 1L); /* the names, should none of them match */
	if (s->ca_given || s->ca_pem.len) {
		curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
		curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
		set_blob(easy, CURLOPT_CAINFO_BLOB, s->ca_pem);
	} else if (!s->insecure && http_system_roots()) {
		curl_easy_setopt(easy, CURLOPT_CAINFO, http_system_roots());
	}
	if (s->url.https && r->cert_pem.len) {
		set_blob(easy, CURLOPT_SSLCERT_BLOB, r->cert_pem);
		set_blob(easy, CURLOPT_SSLKEY_BLOB, r->key_pem);
		/* without one libcurl reads a password from nowhere */
		curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");
	}
}

static int on_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
	(void)ctx;
	(void)purpose;
	http_keep_alive(fd);
	return CURL_SOCKOPT_OK;
}

/* Go has one configuration of TLS for both: who is trusted as the server is trusted as an https proxy. */
static void set_proxy_tls(CURL *easy, const struct http_server *s)
{
	curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYPEER, s->insecure ? 0L : 1L);
	curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYHOST, s->insecure ? 0L : 2L);
	if (s->ca_given || s->ca_pem.len) {
		curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, NULL);
		curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, NULL);
		set_blob(easy, CURLOPT_PROXY_CAINFO_BLOB, s->ca_pem);
	} else if (!s->insecure && http_system_roots()) {
		curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, http_system_roots());
	}
}

static void set_proxy(CURL *easy, const struct http_server *s)
{
	curl_easy_setopt(easy, CURLOPT_PROXY, s->proxy);
	curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
	curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	if (str_starts(str_of(s->proxy), "https://"))
		set_proxy_tls(easy, s);
}

static void set_connection(CURL *easy, const struct http_request *r)
{
	const struct http_server *s = r->server;

	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, s->url.https ? "https" : "http");
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
			 s->http1_only ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS);
	curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, r->stream ? (long)BUFFER_STREAM : (long)BUFFER_LIST);
	if (s->compress)
		curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
	if (r->stream)
		return;
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)r->timeout);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)STALL_SECONDS);
}

void http_easy_set(void *easy, const struct http_request *r)
{
	set_tls(easy, r);
	set_proxy(easy, r->server);
	set_connection(easy, r);
}

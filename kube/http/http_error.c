/* SPDX-License-Identifier: Apache-2.0 */
/* Says why there was no answer as kubectl, a Go program, says it: people search for these sentences. */
#include "kube/http/http_error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define UNABLE "Unable to connect to the server: "
#define UNVERIFIED UNABLE "tls: failed to verify certificate: x509: "

static const char other_authority[] = "certificate-authority in the kubeconfig is not the one that signed the server's certificate";

/* The codes of OpenSSL (x509_vfy.h) for which a person has to do different things. */
static const struct {
	long first, last;
	const char *words, *hint;
} verdicts[] = {
	{ 9, 9, "certificate has expired or is not yet valid", "the server's certificate begins in the future: compare the clocks" },
	{ 10, 10, "certificate has expired or is not yet valid", "the server's certificate must be renewed" },
	{ 18, 21, "certificate signed by unknown authority", other_authority },
	{ 2, 2, "certificate signed by unknown authority", other_authority },
	{ 23, 23, "certificate has been revoked", "" },
	{ 24, 24, "certificate is not authorized to sign other certificates", "" },
};

/* What libcurl says, and what Go says in the same case. */
static const struct {
	const char *needle, *words, *hint;
} translations[] = {
	{ "wrong version number", "http: server gave HTTP response to HTTPS client",
	  "the server does not speak TLS on this port" },
	{ "alert certificate expired", "remote error: tls: expired certificate",
	  "the client certificate of this kubeconfig user has expired" },
	{ "alert certificate revoked", "remote error: tls: revoked certificate",
	  "the client certificate of this kubeconfig user was revoked" },
	{ "alert bad certificate", "remote error: tls: bad certificate",
	  "the server does not accept the client certificate of this kubeconfig user" },
	{ "alert unknown ca", "remote error: tls: unknown certificate authority",
	  "the server does not know who signed the client certificate of this kubeconfig user" },
	{ "alert certificate required", "remote error: tls: certificate required",
	  "the server wants a client certificate" },
	{ "alert certificate unknown", "remote error: tls: unknown certificate",
	  "the server does not accept the client certificate of this kubeconfig user" },
	{ "alert protocol version", "remote error: tls: protocol version not supported",
	  "the server only speaks versions of TLS that are not safe any more" },
	{ "unsupported protocol", "tls: server selected unsupported protocol version",
	  "the server only speaks versions of TLS that are not safe any more" },
	{ "alert handshake failure", "remote error: tls: handshake failure", "" },
	{ "unexpected eof", "EOF", "" },
	{ "reset by peer", "read: connection reset by peer", "" },
	{ "SSL_ERROR_SYSCALL", "EOF", "" },
};

static int untrusted(const struct http_end *end, const struct http_server *server, struct err *err)
{
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		const char *hint = verdicts[i].hint;

		if (end->verify < verdicts[i].first || end->verify > verdicts[i].last)
			continue;
		if (hint == other_authority && !server->ca_given)
			hint = "no certificate-authority is configured, and none of this system signed the server's certificate";
		err_set(err, ERR_NET, UNVERIFIED "%s", verdicts[i].words);
		return err_hint(err, "%s", hint);
	}
	return err_set(err, ERR_NET, UNVERIFIED "%s", end->text);
}

/* As in Go, the proxy stands between "Unable to connect" and the reason. */
static int untrusted_proxy(const struct http_end *end, const struct http_server *server, struct err *err)
{
	struct err why = { 0 };

	untrusted(end, server, &why);
	err_set(err, ERR_NET, UNABLE "proxyconnect tcp: %s", why.msg + sizeof(UNABLE) - 1);
	return err_hint(err, "this is the certificate of the proxy (proxy-url or HTTPS_PROXY): its CA must be trusted, too");
}

static int wrong_name(const struct http_end *end, const struct url *server, struct err *err)
{
	if (str_empty(end->names))
		err_set(err, ERR_NET, UNVERIFIED "certificate is not valid for " STR_FMT,
			STR_ARG(server->host));
	else
		err_set(err, ERR_NET, UNVERIFIED "certificate is valid for " STR_FMT ", not " STR_FMT,
			STR_ARG(end->names), STR_ARG(server->host));
	return err_hint(err, "use a name that the certificate has, or --tls-server-name");
}

static int in_other_words(const struct http_end *end, struct err *err)
{
	for (size_t i = 0; i < sizeof(translations) / sizeof(translations[0]); i++)
		if (str_contains(str_of(end->text), translations[i].needle)) {
			err_set(err, ERR_NET, UNABLE "%s", translations[i].words);
			return err_hint(err, "%s", translations[i].hint);
		}
	return err_set(err, ERR_NET, UNABLE "%s", end->text[0] ? end->text : "the connection was lost");
}

static int unreachable(const struct http_end *end, const char *way, const char *authority, struct err *err)
{
	char words[128];

	if (!end->os_error)
		return in_other_words(end, err);
	snprintf(words, sizeof(words), "%s", strerror(end->os_error));
	if (words[0] >= 'A' && words[0] <= 'Z')
		words[0] = (char)(words[0] - 'A' + 'a');
	return err_set(err, ERR_NET, UNABLE "%sdial tcp %s: connect: %s", way, authority, words);
}

static int timed_out(const char *what, const char *authority, struct err *err)
{
	err_set(err, ERR_NET, UNABLE "%s", what);
	return err_hint(err, "%s did not answer in time", authority);
}

/* OpenSSL gets the certificate first, and refuses the key in both cases. */
static int client_cert(const struct http_end *end, struct err *err)
{
	if (str_contains(str_of(end->text), "rivate key")) {
		err_set(err, ERR_INPUT, "tls: private key does not match public key");
		return err_hint(err, "or the client key of this kubeconfig user cannot be parsed");
	}
	return err_set(err, ERR_INPUT, "tls: the client certificate or its key cannot be used: %s", end->text);
}

static int explain(const struct http_end *end, const struct http_server *asked, const struct url *server,
		   const char *authority, struct err *err)
{
	switch (end->failure) {
	case HTTP_REFUSED:
		return err_set(err, ERR_NET,
			       "The connection to the server %s was refused - did you specify the right host or port?",
			       authority);
	case HTTP_UNREACHABLE:
		return unreachable(end, "", authority, err);
	case HTTP_NO_HOST:
		err_set(err, ERR_NET, UNABLE "dial tcp: lookup " STR_FMT ": no such host", STR_ARG(server->host));
		return err_hint(err, "check the server in the kubeconfig, DNS, and the VPN");
	case HTTP_NO_PROXY:
		return err_set(err, ERR_NET, UNABLE "proxyconnect tcp: dial tcp: lookup of the proxy: no such host");
	case HTTP_TIMEOUT_CONNECT:
		err_set(err, ERR_NET, UNABLE "dial tcp %s: i/o timeout", authority);
		return err_hint(err, "a firewall, a VPN or a proxy may be in the way");
	case HTTP_TIMEOUT_TLS:
		return timed_out("net/http: TLS handshake timeout", authority, err);
	case HTTP_TIMEOUT:
		return timed_out("context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
				 authority, err);
	case HTTP_UNTRUSTED:
		return end->of_proxy ? untrusted_proxy(end, asked, err) : untrusted(end, asked, err);
	case HTTP_WRONG_NAME:
		return wrong_name(end, server, err);
	case HTTP_CLIENT_CERT:
		return client_cert(end, err);
	case HTTP_BAD_CA:
		return err_set(err, ERR_INPUT, "unable to load root certificates: %s", end->text);
	case HTTP_ANSWERED:
	case HTTP_TLS:
	case HTTP_LOST:
	case HTTP_STOPPED:
	case HTTP_FAILED:
		break;
	}
	return in_other_words(end, err);
}

/* Failures on the way to a proxy are not failures of the server. */
static bool is_of_proxy(const struct http_end *end, const struct http_server *server)
{
	return server->proxy && server->proxy[0] &&
	       (end->failure == HTTP_REFUSED || end->failure == HTTP_UNREACHABLE || end->failure == HTTP_TIMEOUT_CONNECT);
}

static int proxy_error(const struct http_end *end, const struct http_server *server, struct err *err)
{
	struct buf authority = { 0 };
	struct url url;

	if (url_parse(str_of(server->proxy), &url, err) == 0)
		url_authority(&url, &authority);
	if (end->failure == HTTP_TIMEOUT_CONNECT)
		err_set(err, ERR_NET, UNABLE "proxyconnect tcp: dial tcp %s: i/o timeout", buf_cstr(&authority));
	else
		unreachable(end, "proxyconnect tcp: ", buf_cstr(&authority), err);
	buf_release(&authority);
	return err_hint(err, "a proxy stands in front of the server: proxy-url in the kubeconfig, or HTTPS_PROXY");
}

int http_error(const struct http_end *end, const struct http_server *server, struct err *err)
{
	struct url url = server->url;
	struct buf authority = { 0 };

	if (end->failure == HTTP_WRONG_NAME && server->tls_server_name.len)
		url.host = server->tls_server_name;
	url_authority(&url, &authority);
	if (is_of_proxy(end, server))
		proxy_error(end, server, err);
	else
		explain(end, server, &url, buf_cstr(&authority), err);
	buf_release(&authority);
	return -1;
}

enum http_failure http_refine(enum http_failure failure, const struct http_end *end)
{
	if (failure == HTTP_UNREACHABLE && end->os_error == ECONNREFUSED)
		return HTTP_REFUSED;
	/* libcurl compares the names before OpenSSL verifies, so the result of OpenSSL is still "unspecified" here */
	if (failure == HTTP_UNTRUSTED && end->verify <= 1)
		return HTTP_WRONG_NAME;
	/* with TLS 1.3 the first read tells that the certificate of the client was refused */
	if (failure == HTTP_LOST && strstr(end->text, "alert"))
		return HTTP_TLS;
	/* libcurl 8.23 calls a key that does not fit a bad argument */
	if (failure == HTTP_FAILED && strstr(end->text, "private key"))
		return HTTP_CLIENT_CERT;
	return failure;
}

void http_add_names(struct str line, struct buf *out)
{
	static const char title[] = "Subject Alternative Name:";
	size_t at = str_find_str(line, title);
	struct str rest = str_from(line, at + sizeof(title) - 1), name;

	while (at < line.len && str_split(&rest, ',', &name))
		BUF_JOIN(out, str_of(out->len ? ", " : ""), str_from(name, str_find(name, ':') + 1));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps http.c to what only libcurl's owner can do. */
#include "kube/http/http_text.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	PROBE_SECONDS = 30,
	UNACKED_MS = 45000	/* as Go's HTTP/2: a ping after 30 s, 15 s for its answer */
};

bool http_log_wants(const struct http_log *log, int verbosity)
{
	return log->line && log->verbosity >= verbosity;
}

static void add_masked(struct buf *out, struct str name, struct str value)
{
	static const char *const secret[] = { "authorization", "proxy-authorization", "cookie", "set-cookie" };

	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
		if (str_eq_nocase(name, str_of(secret[i]))) {
			size_t blank = str_find(value, ' ');

			if (i < 2 && blank < value.len)
				buf_add(out, str_head(value, blank + 1));
			buf_add_cstr(out, "<masked>");
			return;
		}
	buf_add(out, value);
}

void http_log_header(const struct http_log *log, const char *arrow, struct str line)
{
	size_t colon = str_find(line, ':');
	struct buf out = { 0 };

	buf_printf(&out, "  %s " STR_FMT ": ", arrow, STR_ARG(str_head(line, colon)));
	add_masked(&out, str_head(line, colon), str_trim(str_from(line, colon + 1)));
	log->line(log->ctx, buf_cstr(&out));
	buf_release(&out);
}

void http_log_end(const struct http_log *log, const char *url, const struct http_end *end, int64_t ms,
		  int64_t bytes)
{
	struct buf out = { 0 };

	buf_printf(&out, "GET %s", url);
	if (end->status)
		buf_printf(&out, " %d", end->status);
	if (end->failure != HTTP_ANSWERED)
		buf_printf(&out, " (%s)", end->text);
	buf_printf(&out, " in %lld milliseconds, %lld bytes%s", (long long)ms, (long long)bytes,
		   end->multiplexed ? ", HTTP/2" : "");
	log->line(log->ctx, buf_cstr(&out));
	buf_release(&out);
}

void http_fds_set(struct http_fds *fds, const void *owner, int fd)
{
	size_t i = 0;

	while (i < fds->n && fds->all[i].owner != owner)
		i++;
	if (fd < 0 && i < fds->n) {
		fds->all[i] = fds->all[--fds->n];
	} else if (fd >= 0 && i < HTTP_FDS) {
		fds->all[i].owner = owner;
		fds->all[i].fd = fd;
		fds->n += i == fds->n;
	}
}

bool http_has_name(const struct http_server *s)
{
	return s->url.https && s->tls_server_name.len > 0;
}

void http_add_url(const struct http_request *r, struct buf *out)
{
	const struct http_server *s = r->server;

	buf_add_cstr(out, s->url.https ? "https://" : "http://");
	if (http_has_name(s))
		buf_printf(out, STR_FMT ":%d", STR_ARG(s->tls_server_name), s->url.port);
	else
		url_authority(&s->url, out);
	buf_add(out, s->url.path);
	buf_add(out, r->path);
}

void http_add_connect_to(const struct http_server *s, struct buf *out)
{
	buf_printf(out, STR_FMT ":%d:", STR_ARG(s->tls_server_name), s->url.port);
	url_authority(&s->url, out);
}

bool http_header_ok(const char *line)
{
	for (const char *p = line; *p; p++)
		if ((unsigned char)*p < ' ' && *p != '\t')
			return false;
	return true;
}

enum http_failure http_refine(enum http_failure failure, const struct http_end *end)
{
	if (failure == HTTP_UNREACHABLE && end->os_error == ECONNREFUSED)
		return HTTP_REFUSED;
	/* libcurl compares the names before it asks OpenSSL, whose result is still "unspecified" then */
	if (failure == HTTP_UNTRUSTED && end->verify <= 1)
		return HTTP_WRONG_NAME;
	/* TLS 1.3 tells of a client's certificate with the first read */
	if (failure == HTTP_LOST && strstr(end->text, "alert"))
		return HTTP_TLS;
	return failure;
}

void http_add_names(struct str line, struct buf *out)
{
	static const char title[] = "Subject Alternative Name:";
	size_t at = str_find_str(line, title);
	struct str rest = str_from(line, at + sizeof(title) - 1), name;

	while (at < line.len && str_split(&rest, ',', &name))
		buf_printf(out, "%s" STR_FMT, out->len ? ", " : "",
			   STR_ARG(str_from(name, str_find(name, ':') + 1)));
}

/* The order is Go's (crypto/x509/root_linux.go). */
const char *http_system_roots(void)
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

static void set_option(int fd, int level, int option, int value)
{
	/* one that the system refuses only makes a lost connection show later */
	(void)setsockopt(fd, level, option, &value, sizeof(value));
}

void http_keep_alive(int fd)
{
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
	set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, PROBE_SECONDS);
#endif
#ifdef TCP_KEEPINTVL
	set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_SECONDS);
#endif
#ifdef TCP_USER_TIMEOUT
	set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKED_MS);
#elif defined(TCP_RXT_CONNDROPTIME)
	set_option(fd, IPPROTO_TCP, TCP_RXT_CONNDROPTIME, UNACKED_MS / 1000);
#endif
}

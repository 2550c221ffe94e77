/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/http/http_request.h"

bool http_has_name(const struct http_server *s)
{
	return s->url.https && s->tls_server_name.len > 0;
}

/* An IPv6 address stands in brackets. */
static void add_name(const struct http_server *s, struct buf *out)
{
	buf_printf(out, str_contains(s->tls_server_name, ":") ? "[" STR_FMT "]:%d" : STR_FMT ":%d",
		   STR_ARG(s->tls_server_name), s->url.port);
}

void http_add_url(const struct http_request *r, struct buf *out)
{
	const struct http_server *s = r->server;

	buf_add_cstr(out, s->url.https ? "https://" : "http://");
	if (http_has_name(s))
		add_name(s, out);
	else
		url_authority(&s->url, out);
	buf_add(out, s->url.path);
	buf_add(out, r->path);
}

void http_add_connect_to(const struct http_server *s, struct buf *out)
{
	add_name(s, out);
	buf_add_char(out, ':');
	url_authority(&s->url, out);
}

bool http_header_ok(const char *line)
{
	for (const char *p = line; *p; p++)
		if ((unsigned char)*p < ' ' && *p != '\t')
			return false;
	return true;
}

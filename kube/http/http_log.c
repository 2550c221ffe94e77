/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/http/http_log.h"

#include "kube/base/redact.h"

bool http_log_wants(const struct http_log *log, int verbosity)
{
	return log->line && log->verbosity >= verbosity;
}

static void log_line(const struct http_log *log, struct buf *line)
{
	log->line(log->ctx, buf_cstr(line));
	buf_release(line);
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

	BUF_JOIN(&out, STR("  "), str_of(arrow), STR(" "), str_head(line, colon), STR(": "));
	add_masked(&out, str_head(line, colon), str_trim(str_from(line, colon + 1)));
	redact_buf(&out, 0);
	log_line(log, &out);
}

static void add_redacted(struct buf *out, struct str text)
{
	size_t from = out->len;

	buf_add(out, text);
	redact_buf(out, from);
}

/* The path, which holds names of objects, is not redacted; the server and the query are. */
static void add_url(struct buf *out, struct str url)
{
	size_t query = str_find(url, '?'), host = str_find_str(url, "://") + 3;
	struct str named = str_head(url, query);
	size_t path = host + str_find(str_from(named, host), '/');

	add_redacted(out, str_head(named, path));
	buf_add(out, str_from(named, path));
	add_redacted(out, str_from(url, query));
}

void http_log_end(const struct http_log *log, const char *url, const struct http_end *end, int64_t ms,
		  int64_t bytes)
{
	struct buf out = { 0 };

	buf_add_cstr(&out, "GET ");
	add_url(&out, str_of(url));
	if (end->status)
		buf_printf(&out, " %d", end->status);
	/* libcurl may repeat the URL of a proxy as it was given, with its password */
	if (end->failure != HTTP_ANSWERED) {
		buf_add_cstr(&out, " (");
		add_redacted(&out, str_of(end->text));
		buf_add_char(&out, ')');
	}
	buf_printf(&out, " in %lld milliseconds, %lld bytes%s", (long long)ms, (long long)bytes,
		   end->multiplexed ? ", HTTP/2" : "");
	log_line(log, &out);
}

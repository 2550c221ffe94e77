/* SPDX-License-Identifier: Apache-2.0 */
/*
 * URLs are read here and not by libcurl, because kubectl's rules decide which server is asked, through which proxy and
 * under which name.
 */
#include "kube/base/url.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static bool host_ok(struct str host)
{
	if (host.len == 0 || host.len > 255)
		return false;
	for (size_t i = 0; i < host.len; i++) {
		unsigned char c = (unsigned char)host.ptr[i];

		if (c <= ' ' || c == 0x7f || strchr("/\\?#@<>^|\"`{}", c))
			return false;
	}
	return true;
}

/* Takes "scheme://" off text; without a scheme it is http. */
static struct str take_scheme(struct str *text)
{
	size_t at = str_find_str(*text, "://");
	struct str scheme = str_head(*text, at);

	if (at == text->len)
		return STR("http");
	*text = str_from(*text, at + 3);
	return scheme;
}

static int take_port(struct str port, struct url *out)
{
	int64_t n = 0;

	if (str_empty(port))
		return 0;
	if (!str_to_int(port, &n) || n < 1 || n > 65535)
		return -1;
	out->port = (int)n;
	return 0;
}

/* Reads host, host:port, [v6] or [v6]:port. */
static int take_authority(struct str text, struct url *out)
{
	size_t at = str_rfind(text, '@');
	size_t end;

	out->userinfo = STR_NONE;
	if (at < text.len) {
		out->userinfo = str_head(text, at);
		text = str_from(text, at + 1);
	}
	if (str_starts(text, "[")) {
		end = str_find(text, ']');
		if (end == text.len)
			return -1;
		out->host = str_head(str_from(text, 1), end - 1);
		out->ipv6 = true;
		text = str_from(text, end + 1);
		if (text.len && text.ptr[0] != ':')
			return -1;
		return host_ok(out->host) ? take_port(str_from(text, 1), out) : -1;
	}
	end = str_find(text, ':');
	out->host = str_head(text, end);
	return host_ok(out->host) ? take_port(str_from(text, end + 1), out) : -1;
}

static struct str trim_slashes(struct str path)
{
	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

/* No message shows a password. */
static size_t after_userinfo(struct str text)
{
	size_t at = str_rfind(text, '@');

	return at < text.len ? at + 1 : 0;
}

int url_parse(struct str text, struct url *out, struct err *err)
{
	struct str rest = text;
	struct url u = { .scheme = take_scheme(&rest) };
	size_t end;

	u.https = str_eq_nocase(u.scheme, STR("https"));
	u.port = u.https ? 443 : 80;
	rest = str_head(rest, str_find(rest, '?'));
	rest = str_head(rest, str_find(rest, '#'));
	end = str_find(rest, '/');
	u.path = trim_slashes(str_from(rest, end));
	if (take_authority(str_head(rest, end), &u) < 0) {
		rest = str_from(text, after_userinfo(text));
		return err_set(err, ERR_INPUT, "\"" STR_FMT "\" is not a valid URL", STR_ARG(rest));
	}
	*out = u;
	return 0;
}

void url_authority(const struct url *u, struct buf *out)
{
	buf_printf(out, u->ipv6 ? "[" STR_FMT "]:%d" : STR_FMT ":%d", STR_ARG(u->host), u->port);
}

unsigned url_ip(struct str host, unsigned char *out16)
{
	char text[INET6_ADDRSTRLEN + 1];

	if (host.len >= sizeof(text))
		return 0;
	memcpy(text, host.ptr, host.len);
	text[host.len] = '\0';
	if (inet_pton(AF_INET, text, out16) == 1)
		return 32;
	return inet_pton(AF_INET6, text, out16) == 1 ? 128 : 0;
}

bool url_host_is_loopback(const struct url *u)
{
	static const unsigned char v6[16] = { [15] = 1 };
	unsigned char bytes[16];
	unsigned bits = url_ip(u->host, bytes);

	if (str_eq_nocase(u->host, STR("localhost")))
		return true;
	return (bits == 32 && bytes[0] == 127) || (bits == 128 && memcmp(bytes, v6, sizeof(v6)) == 0);
}

static bool unreserved(char c)
{
	return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

static void add_escaped(struct buf *out, char c)
{
	buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
}

int url_check_segment(const char *what, struct str name, struct err *err)
{
	static const char *const parts[] = { "/", "%" };

	if (str_is(name, ".") || str_is(name, ".."))
		return err_set(err, ERR_INPUT, "invalid %s \"" STR_FMT "\": [may not be '" STR_FMT "']", what,
			       STR_ARG(name), STR_ARG(name));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (str_contains(name, parts[i]))
			return err_set(err, ERR_INPUT, "invalid %s \"" STR_FMT "\": [may not contain '%s']", what,
				       STR_ARG(name), parts[i]);
	return 0;
}

void url_add_segment(struct buf *out, struct str segment)
{
	bool dots = str_is(segment, ".") || str_is(segment, "..");

	for (size_t i = 0; i < segment.len; i++) {
		char c = segment.ptr[i];

		if (!dots && (unreserved(c) || (c && strchr(":@&=+$,;", c))))
			buf_add_char(out, c);
		else
			add_escaped(out, c);
	}
}

void url_add_query(struct buf *out, const char *key, struct str value)
{
	if (str_empty(value))
		return;
	buf_add_char(out, str_find(buf_str(out), '?') < out->len ? '&' : '?');
	buf_add_cstr(out, key);
	buf_add_char(out, '=');
	for (size_t i = 0; i < value.len; i++) {
		if (unreserved(value.ptr[i]))
			buf_add_char(out, value.ptr[i]);
		else if (value.ptr[i] == ' ')
			buf_add_char(out, '+');
		else
			add_escaped(out, value.ptr[i]);
	}
}

/* ---- percent encoding ---------------------------------------------------- */

void url_decode(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '%' && i + 2 < text.len && hex_digit(text.ptr[i + 1]) >= 0 && hex_digit(text.ptr[i + 2]) >= 0) {
			buf_add_char(out, (char)(hex_digit(text.ptr[i + 1]) * 16 + hex_digit(text.ptr[i + 2])));
			i += 2;
		} else {
			buf_add_char(out, text.ptr[i]);
		}
	}
}

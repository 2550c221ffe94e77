/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl could take URLs apart as well, but who is asked, by which proxy and
 * in whose name must follow kubectl's rules, so they are ours.
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

/* Takes "scheme://" off text; http when there is none. */
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

/* host, host:port, [v6], [v6]:port */
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

/* A password is never part of a message. */
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
	if (take_authority(str_head(rest, end), &u) < 0)
		return err_set(err, ERR_INPUT, "\"" STR_FMT "\" is not a valid URL",
			       STR_ARG(str_from(text, after_userinfo(text))));
	*out = u;
	return 0;
}

void url_authority(const struct url *u, struct buf *out)
{
	buf_printf(out, u->ipv6 ? "[" STR_FMT "]:%d" : STR_FMT ":%d", STR_ARG(u->host), u->port);
}

static bool parse_ip(struct str host, unsigned char *out16, int *out_family)
{
	char text[INET6_ADDRSTRLEN + 1];

	if (host.len >= sizeof(text))
		return false;
	memcpy(text, host.ptr, host.len);
	text[host.len] = '\0';
	*out_family = AF_INET;
	if (inet_pton(AF_INET, text, out16) == 1)
		return true;
	*out_family = AF_INET6;
	return inet_pton(AF_INET6, text, out16) == 1;
}

bool url_host_is_loopback(const struct url *u)
{
	static const unsigned char v6[16] = { [15] = 1 };
	unsigned char bytes[16];
	int family;

	if (str_eq_nocase(u->host, STR("localhost")))
		return true;
	if (!parse_ip(u->host, bytes, &family))
		return false;
	return family == AF_INET ? bytes[0] == 127 : memcmp(bytes, v6, sizeof(v6)) == 0;
}

static bool unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_' || c == '~';
}

static void add_escaped(struct buf *out, char c)
{
	buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
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

/* ---- credentials in texts ------------------------------------------------ */

static bool ends_url(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'<>`", c);
}

static bool is_port(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	return true;
}

/*
 * How many bytes behind "://" are credentials.  A password may hold what it must
 * not, a slash for one: then that there is no port tells it from a host.
 */
static size_t userinfo_length(struct str s)
{
	size_t end = 0, authority, at;

	while (end < s.len && !ends_url(s.ptr[end]))
		end++;
	s = str_head(s, end);
	for (authority = 0; authority < s.len && !strchr("/?#", s.ptr[authority]); authority++)
		;
	at = str_rfind(str_head(s, authority), '@');
	if (at < authority)
		return at;
	at = str_find(str_head(s, authority), ':');
	if (at == authority || s.ptr[0] == '[' || is_port(str_head(str_from(s, at + 1), authority - at - 1)))
		return 0;
	at = str_rfind(s, '@');
	return at < s.len ? at : 0;
}

/* git@ of ssh is no secret; the digest of an image is no host. */
static bool is_credential(struct str before, struct str userinfo, struct str after)
{
	if (str_starts(after, "@sha256:") || str_starts(after, "@sha512:"))
		return false;
	return str_find(userinfo, ':') < userinfo.len || str_ends(before, "http") || str_ends(before, "https") ||
	       str_ends(before, "HTTP") || str_ends(before, "HTTPS");
}

/* What is not "user" in "user:password@host": of Google's IAM members, and mail. */
static bool is_principal(struct str word)
{
	static const char *const words[] = { "serviceAccount", "serviceaccount", "group", "domain", "mailto", "email" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_ends(word, words[i]))
			return true;
	return false;
}

/* Where in s, which ends before an '@', "user:password" begins; s.len: nowhere. */
static size_t bare_userinfo(struct str s)
{
	size_t start = s.len, colon, last;

	while (start > 0 && !ends_url(s.ptr[start - 1]) && s.ptr[start - 1] != '/' && s.ptr[start - 1] != '@')
		start--;
	colon = start + str_find(str_from(s, start), ':');
	for (size_t i = start; i < colon; i++)
		if (strchr("=,;([{", s.ptr[i]))
			start = i + 1;
	last = str_rfind(s, ':');
	if (colon + 1 >= s.len || is_port(str_head(str_from(s, start), colon - start)) || is_principal(str_head(s, last)))
		return s.len;
	return start;
}

/* "user:password@host" without a scheme. */
static void hide_bare(char *text, size_t len)
{
	char *at = text, *end = text + len;

	for (; (at = memchr(at, '@', (size_t)(end - at))); at++) {
		struct str before = { text, (size_t)(at - text) }, after = { at, (size_t)(end - at) };
		size_t start = bare_userinfo(before);

		if (start < before.len && after.len > 1 && (unreserved(at[1]) || at[1] == '[') &&
		    !str_starts(after, "@sha256:") && !str_starts(after, "@sha512:"))
			memset(text + start, '*', before.len - start);
	}
}

void url_hide_credentials(char *text, size_t len)
{
	static const char *const marks[] = { "://", ":\\/\\/" };

	if (!len || !memchr(text, '@', len))
		return;
	for (size_t m = 0; m < sizeof(marks) / sizeof(marks[0]); m++) {
		char *at = text, *end = text + len;

		while ((at = memmem(at, (size_t)(end - at), marks[m], strlen(marks[m])))) {
			struct str before = { text, (size_t)(at - text) }, rest;
			size_t n;

			at += strlen(marks[m]);
			rest = (struct str){ at, (size_t)(end - at) };
			n = userinfo_length(rest);
			if (n && is_credential(before, str_head(rest, n), str_from(rest, n)))
				memset(at, '*', n);
		}
	}
	hide_bare(text, len);
}

/* ---- percent encoding ---------------------------------------------------- */

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

void url_decode(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '%' && i + 2 < text.len && hex(text.ptr[i + 1]) >= 0 &&
		    hex(text.ptr[i + 2]) >= 0) {
			buf_add_char(out, (char)(hex(text.ptr[i + 1]) * 16 + hex(text.ptr[i + 2])));
			i += 2;
		} else {
			buf_add_char(out, text.ptr[i]);
		}
	}
}

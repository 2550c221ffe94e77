/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config/config_server.h"

#include "kube/base/buf.h"
#include "kube/config/path.h"
#include "kube/base/url.h"

#include <ctype.h>
#include <string.h>

/* The parts of scheme://userinfo@host/path?query#fragment, as they are written. */
struct pieces {
	struct str scheme, userinfo, host, path;
	bool userinfo_given;
};

static bool is_scheme(struct str s)
{
	if (s.len == 0 || !isalpha((unsigned char)s.ptr[0]))
		return false;
	for (size_t i = 1; i < s.len; i++)
		if (!isalnum((unsigned char)s.ptr[i]) && !strchr("+-.", s.ptr[i]))
			return false;
	return true;
}

static size_t find_any(struct str s, const char *set)
{
	size_t i = 0;

	while (i < s.len && (s.ptr[i] == '\0' || !strchr(set, s.ptr[i])))
		i++;
	return i;
}

static struct pieces split(struct str text)
{
	size_t colon = str_find_str(text, "://"), end, at;
	struct pieces p = { .scheme = STR_NONE, .userinfo = STR_NONE };

	if (colon < text.len && is_scheme(str_head(text, colon))) {
		p.scheme = str_head(text, colon);
		text = str_from(text, colon + 3);
	}
	end = find_any(text, "/?#");
	p.path = str_from(text, end);
	p.path = str_head(p.path, find_any(p.path, "?#"));
	p.host = str_head(text, end);
	at = str_rfind(p.host, '@');
	if (at < p.host.len) {
		p.userinfo_given = true;
		p.userinfo = str_head(p.host, at);
		p.host = str_from(p.host, at + 1);
	}
	return p;
}

struct str config_server_masked(struct str url, struct arena *arena)
{
	struct pieces p = split(url);
	size_t start;

	if (!p.userinfo_given)
		return url;
	start = (size_t)(p.userinfo.ptr - url.ptr);
	return ARENA_JOIN(arena, str_head(url, start), STR("***"), str_from(url, start + p.userinfo.len));
}

/* Returns the position of the first byte that no host may have (shouldEscape() of net/url), or host.len. */
static size_t bad_host_byte(struct str host)
{
	size_t i = 0;

	while (i < host.len) {
		unsigned char c = (unsigned char)host.ptr[i];

		if (c < 0x80 && !isalnum(c) && (c == '\0' || !strchr("-_.~!$&'()*+,;=:[]<>\"%", c)))
			break;
		i++;
	}
	return i;
}

static bool escapes_ok(struct str path)
{
	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] == '%' && (i + 2 >= path.len || !isxdigit((unsigned char)path.ptr[i + 1]) ||
					   !isxdigit((unsigned char)path.ptr[i + 2])))
			return false;
	return true;
}

static int check_host(struct str text, const struct pieces *p, struct arena *arena, struct err *err)
{
	size_t bad = bad_host_byte(p->host);
	struct str masked = config_server_masked(text, arena);
	struct url ignored;

	if (bad < p->host.len)
		return err_set(err, ERR_INPUT, "invalid character \"%c\" in host name", p->host.ptr[bad]);
	if ((str_empty(p->scheme) && !str_empty(p->path) && !str_is(p->path, "/")) || !escapes_ok(p->path))
		goto no_url;
	if (url_parse(arena_printf(arena, "https://" STR_FMT, STR_ARG(p->host)), &ignored,
		      err) == 0)
		return 0;
no_url:
	return err_set(err, ERR_INPUT, "host must be a URL or a host:port pair: \"" STR_FMT "\"",
		       STR_ARG(masked));
}

static struct str decoded(struct str text, struct arena *arena)
{
	struct buf b = { 0 };

	url_decode(text, &b);
	return arena_take(arena, &b);
}

/* Writes the path as Go sends it: decoded, without empty and dotted segments, encoded again. */
static struct str base_path(struct str path, struct arena *arena)
{
	struct str rest, segment;
	struct buf b = { 0 };

	if (str_empty(path))
		return STR_NONE;
	rest = str_from(path_clean(arena, decoded(path, arena)), 1);
	while (str_split(&rest, '/', &segment)) {
		buf_add_char(&b, '/');
		url_add_segment(&b, segment);
	}
	path = str_is(buf_str(&b), "/") ? STR_NONE : arena_str(arena, buf_str(&b));
	buf_release(&b);
	return path;
}

int config_server_parse(struct str text, struct arena *arena, struct config_server *out,
			struct err *err)
{
	struct pieces p = split(text);
	bool https = str_eq_nocase(p.scheme, STR("https"));
	size_t colon = str_find(p.userinfo, ':');

	if (check_host(text, &p, arena, err) < 0)
		return err_hint(err, "a server looks like https://HOST:PORT");
	if (!https && !str_empty(p.scheme) && !str_eq_nocase(p.scheme, STR("http")))
		return err_set(err, ERR_INPUT, "unsupported protocol scheme \"" STR_FMT "\"",
			       STR_ARG(p.scheme));
	*out = (struct config_server){
		.https = https,
		.userinfo = p.userinfo_given,
		.username = decoded(str_head(p.userinfo, colon), arena),
		.password = decoded(str_from(p.userinfo, colon + 1), arena),
		.url = ARENA_JOIN(arena, str_of(https ? "https" : "http"), STR("://"), p.host, base_path(p.path, arena)),
	};
	return 0;
}

int config_server_proxy(struct str text, struct arena *arena, struct str *out, struct err *err)
{
	static const char *const schemes[] = { "http", "https", "socks5" };
	size_t colon = str_find(text, ':');
	struct str scheme = colon < text.len ? str_head(text, colon) : STR_NONE;
	struct str host = split(text).host, masked = config_server_masked(text, arena);

	if (!is_scheme(scheme))
		scheme = STR_NONE;
	if (colon == 0 || bad_host_byte(host) < host.len)
		return err_set(err, ERR_INPUT, "could not parse: " STR_FMT, STR_ARG(masked));
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (!str_eq_nocase(scheme, str_of(schemes[i])))
			continue;
		text = str_from(text, scheme.len);
		*out = arena_printf(arena, "%s" STR_FMT, schemes[i], STR_ARG(text));
		return 0;
	}
	return err_set(err, ERR_INPUT,
		       "unsupported scheme \"" STR_FMT "\", must be http, https, or socks5",
		       STR_ARG(scheme));
}

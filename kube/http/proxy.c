/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proxies as Go chooses them.  libcurl would use one for loopback, too, reads HTTP_PROXY in small letters only, knows no
 * port and no "*." in NO_PROXY, and tells only since 8.7 whether it went through the proxy, which an error must name.
 */
#include "kube/http/proxy.h"

#include <stdlib.h>
#include <string.h>

/* Returns true when host and network are addresses of one kind whose first bits are the same. */
static bool in_network(struct str host, struct str network, unsigned bits)
{
	unsigned char a[16], b[16];
	unsigned size = url_ip(host, a), whole = bits / 8, rest = bits % 8;

	if (!size || url_ip(network, b) != size || bits > size)
		return false;
	return memcmp(a, b, whole) == 0 && (rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0);
}

static bool cidr_matches(struct str entry, struct str host)
{
	size_t slash = str_find(entry, '/');
	int64_t bits;

	return str_to_int(str_from(entry, slash + 1), &bits) && bits >= 0 && bits <= 128 &&
	       in_network(host, str_head(entry, slash), (unsigned)bits);
}

/* Takes ":port" off entry; returns 0 when there is none. */
static int64_t take_port(struct str *entry)
{
	unsigned char ip[16];
	size_t colon = str_rfind(*entry, ':');
	int64_t port = 0;

	if (url_ip(*entry, ip) == 128 || colon == entry->len)
		return 0;
	if (!str_to_int(str_from(*entry, colon + 1), &port))
		return 0;
	*entry = str_head(*entry, colon);
	return port;
}

static struct str strip_brackets(struct str s)
{
	if (s.len >= 2 && s.ptr[0] == '[' && s.ptr[s.len - 1] == ']')
		return (struct str){ s.ptr + 1, s.len - 2 };
	return s;
}

/* "example.com" matches itself and the names below it; ".example.com" and "*.example.com" only the names below it. */
static bool domain_matches(struct str entry, struct str host)
{
	struct str name = str_starts(entry, "*.") ? str_from(entry, 2) : str_starts(entry, ".") ? str_from(entry, 1) : entry;
	size_t before = host.len - name.len;

	if (str_empty(name) || host.len < name.len || !str_eq_nocase(str_from(host, before), name))
		return false;
	return before ? host.ptr[before - 1] == '.' : name.len == entry.len;
}

static bool entry_matches(struct str entry, const struct url *server)
{
	unsigned char ip[16];
	unsigned bits = url_ip(server->host, ip);
	int64_t port;

	if (str_is(entry, "*"))
		return true;
	if (str_contains(entry, "/"))
		return cidr_matches(entry, server->host);
	port = take_port(&entry);
	if (port && port != server->port)
		return false;
	entry = strip_brackets(entry);
	return bits ? in_network(server->host, entry, bits) : domain_matches(entry, server->host);
}

/* Returns true when no_proxy, a comma-separated list, has an entry that fits the server. */
static bool is_excepted(struct str no_proxy, const struct url *server)
{
	struct str entry;

	while (str_split(&no_proxy, ',', &entry)) {
		entry = str_trim(entry);
		if (!str_empty(entry) && entry_matches(entry, server))
			return true;
	}
	return false;
}

static struct str env(const char *upper, const char *lower)
{
	struct str value = str_of(getenv(upper));

	return str_empty(value) ? str_of(getenv(lower)) : value;
}

/* Go lets a socks5 proxy resolve names, which libcurl calls socks5h. */
static int add_proxy(struct str proxy, struct buf *out, struct err *err)
{
	static const char *const schemes[][2] = {
		{ "http://", "http://" },
		{ "https://", "https://" },
		{ "socks5://", "socks5h://" },
		{ "socks5h://", "socks5h://" },
	};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (str_eq_nocase(str_head(proxy, strlen(schemes[i][0])), str_of(schemes[i][0]))) {
			buf_add_cstr(out, schemes[i][1]);
			buf_add(out, str_from(proxy, strlen(schemes[i][0])));
			return 0;
		}
	if (str_find_str(proxy, "://") == proxy.len) {
		buf_add_cstr(out, "http://");
		buf_add(out, proxy);
		return 0;
	}
	proxy = str_head(proxy, str_find_str(proxy, "://"));
	return err_set(err, ERR_INPUT, "unsupported scheme \"" STR_FMT "\", must be http, https, or socks5", STR_ARG(proxy));
}

/* Refuses what libcurl would refuse with a message that holds the password. */
static int check(struct str url, struct err *err)
{
	struct url parsed;

	for (size_t i = 0; i < url.len; i++)
		if ((unsigned char)url.ptr[i] <= ' ' || url.ptr[i] == 0x7f)
			return err_set(err, ERR_INPUT, "a space or a control character in it");
	return url_parse(url, &parsed, err);
}

static int take_proxy(struct str proxy, const char *source, struct buf *out, struct err *err)
{
	if (add_proxy(proxy, out, err) == 0 && check(buf_str(out), err) == 0)
		return 0;
	err_context(err, "the proxy of %s cannot be used", source);
	return err_hint(err, "such as http://proxy.example.com:3128");
}

int proxy_choose(struct str configured, const struct url *server, struct buf *out, struct err *err)
{
	struct str proxy;

	if (!str_empty(configured))
		return take_proxy(configured, "proxy-url in the kubeconfig", out, err);
	proxy = server->https ? env("HTTPS_PROXY", "https_proxy") : env("HTTP_PROXY", "http_proxy");
	if (str_empty(proxy) || url_host_is_loopback(server) ||
	    is_excepted(env("NO_PROXY", "no_proxy"), server))
		return 0;
	return take_proxy(proxy, server->https ? "HTTPS_PROXY" : "HTTP_PROXY", out, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proxies as Go chooses them: libcurl would use a proxy for loopback, too, and reads HTTP_PROXY in small letters only.
 */
#include "kube/http/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct ip {
	unsigned char bytes[16];
	unsigned bits;		/* 32 or 128; 0: it is not an address */
};

static struct ip ip_of(struct str s)
{
	char text[INET6_ADDRSTRLEN + 1];
	struct ip ip = { .bits = 0 };

	if (s.len >= sizeof(text))
		return ip;
	memcpy(text, s.ptr, s.len);
	text[s.len] = '\0';
	if (inet_pton(AF_INET, text, ip.bytes) == 1)
		ip.bits = 32;
	else if (inet_pton(AF_INET6, text, ip.bytes) == 1)
		ip.bits = 128;
	return ip;
}

static bool in_network(const struct ip *ip, const struct ip *net, unsigned prefix)
{
	unsigned whole = prefix / 8, rest = prefix % 8;

	if (ip->bits != net->bits || prefix > net->bits)
		return false;
	if (memcmp(ip->bytes, net->bytes, whole) != 0)
		return false;
	return rest == 0 || ((ip->bytes[whole] ^ net->bytes[whole]) >> (8 - rest)) == 0;
}

static bool cidr_matches(struct str entry, const struct ip *ip)
{
	size_t slash = str_find(entry, '/');
	struct ip net = ip_of(str_head(entry, slash));
	int64_t prefix;

	return ip->bits && net.bits && str_to_int(str_from(entry, slash + 1), &prefix) &&
	       prefix <= 128 && in_network(ip, &net, (unsigned)prefix);
}

/* Takes ":port" off entry; returns 0 when there is none. */
static int64_t take_port(struct str *entry)
{
	size_t colon = str_rfind(*entry, ':');
	int64_t port = 0;

	if (ip_of(*entry).bits == 128 || colon == entry->len)
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

/* "example.com" matches itself and the names below it; ".example.com" only the names below it. */
static bool domain_matches(struct str entry, struct str host)
{
	bool itself = true;
	struct str tail;

	if (str_starts(entry, "*."))
		entry = str_from(entry, 1);
	if (str_starts(entry, ".")) {
		itself = false;
		entry = str_from(entry, 1);
	}
	if (str_eq_nocase(entry, host))
		return itself;
	if (str_empty(entry) || host.len <= entry.len + 1)
		return false;
	tail = str_from(host, host.len - entry.len);
	return host.ptr[host.len - entry.len - 1] == '.' && str_eq_nocase(tail, entry);
}

static bool entry_matches(struct str entry, const struct url *server)
{
	struct ip ip = ip_of(server->host), other;
	int64_t port;

	if (str_is(entry, "*"))
		return true;
	if (str_find(entry, '/') < entry.len)
		return cidr_matches(entry, &ip);
	port = take_port(&entry);
	if (port && port != server->port)
		return false;
	entry = strip_brackets(entry);
	other = ip_of(entry);
	if (other.bits)
		return in_network(&ip, &other, other.bits);
	return !ip.bits && domain_matches(entry, server->host);
}

bool proxy_excepted(struct str no_proxy, const struct url *server)
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
	    proxy_excepted(env("NO_PROXY", "no_proxy"), server))
		return 0;
	return take_proxy(proxy, server->https ? "HTTPS_PROXY" : "HTTP_PROXY", out, err);
}

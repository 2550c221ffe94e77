/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/evidence/service_address.h"

enum {
	LABELS = 8,
	LONGEST_LABEL = 63,
	LAST_PORT = 65535,
	/* what stands behind a name and a colon is below this rather the version of an image, a weight or a number of seconds */
	LEAST_PORT = 1024
};

/* The ports below that which services of a cluster have (IANA's registry of service names): mail, DNS, the web, directories, files. */
static const int64_t known_ports[] = { 21, 22, 25, 53, 69, 80, 81, 88, 110, 111, 123, 139, 143, 161, 389, 443, 445, 465, 514, 587, 636, 853, 873, 993, 995 };

/* What stands before a port and is no host of its own. */
static const char *const no_hosts[] = { "localhost", "tcp",  "udp",  "http", "https", "grpc", "port", "root", "all",  "any",
					"listen",    "addr", "host", "unix", "user",  "none", "true", "false", "info", "debug",
					/* users with their group, and names of versions with a year */
					"nobody",    "daemon", "stable", "latest", "release", "nightly", NULL };

static bool in_host(char c)
{
	return is_lower(c) || is_digit(c) || c == '-' || c == '.';
}

static bool one_of(char c, const char *set)
{
	return str_find(str_of(set), c) < str_of(set).len;
}

/* What is a label of a Service: a letter first, a letter or digit last (RFC 1035, as the API server demands). */
static bool is_label(struct str s)
{
	return s.len && s.len <= LONGEST_LABEL && is_lower(s.ptr[0]) && s.ptr[s.len - 1] != '-';
}

static size_t labels_of(struct str host, struct str *labels)
{
	size_t n = 0;

	while (host.len) {
		if (n == LABELS || !str_split(&host, '.', &labels[n]))
			return 0;
		if (!is_label(labels[n++]))
			return 0;
	}
	return n;
}

static struct str without(struct str s, const char *end)
{
	return str_ends(s, end) ? str_head(s, s.len - str_of(end).len) : s;
}

/* Fills service and namespace. */
static bool read_host(struct str host, struct service_address *out)
{
	struct str labels[LABELS];
	bool full;
	size_t n;

	host = without(without(host, "."), ".cluster.local");
	full = str_ends(host, ".svc");
	n = labels_of(without(host, ".svc"), labels);
	out->perhaps = !full && n == 2;
	out->of_pod = full && n == 3;
	if (n == 0 || n > 3 || (full ? n == 1 : n == 3))
		return false;
	out->service = labels[out->of_pod ? 1 : 0];
	out->ns = n == 1 ? STR_NONE : labels[n - 1];
	return true;
}

static bool is_known_port(int64_t port)
{
	for (size_t i = 0; i < sizeof(known_ports) / sizeof(known_ports[0]); i++)
		if (known_ports[i] == port)
			return true;
	return false;
}

static bool is_plausible(const struct service_address *a)
{
	if (str_is(a->service, "localhost"))
		return false;
	if (a->in_url || (a->ns.len && !a->perhaps))
		return true;
	return !str_is_any(a->service, no_hosts) && (a->port >= LEAST_PORT || is_known_port(a->port));
}

/* Reads the address whose colon is there. */
static bool read_at(struct str text, size_t colon, struct service_address *out)
{
	size_t begin = colon, end = colon + 1;

	*out = (struct service_address){ .perhaps = false };
	while (begin > 0 && in_host(text.ptr[begin - 1]))
		begin--;
	while (end < text.len && is_digit(text.ptr[end]))
		end++;
	out->in_url = begin >= 3 && str_ends(str_head(text, begin), "://");
	if (begin > 0 && !out->in_url && !one_of(text.ptr[begin - 1], "@,;= (\"'[\n"))
		return false;
	/* behind a credential the scheme stands before that */
	out->in_url |= begin > 0 && text.ptr[begin - 1] == '@' && str_contains(str_head(text, begin), "://");
	if (end < text.len && !one_of(text.ptr[end], "/,; ?\"')]#&\n"))
		return false;
	/* "mon:0900" is a time */
	if (text.ptr[colon + 1] == '0' || !str_to_int(str_from(str_head(text, end), colon + 1), &out->port) || out->port < 1 || out->port > LAST_PORT)
		return false;
	out->text = str_from(str_head(text, end), begin);
	return read_host(str_from(str_head(text, colon), begin), out) && is_plausible(out);
}

bool service_address_next(struct str text, size_t *at, struct service_address *out)
{
	for (; *at < text.len; ++*at)
		if (text.ptr[*at] == ':' && *at + 1 < text.len && is_digit(text.ptr[*at + 1]) && read_at(text, *at, out)) {
			++*at;
			return true;
		}
	return false;
}

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
	/* "dns:///db:80" names no server of names (grpc/grpc, doc/naming.md) */
	out->in_url = begin >= 3 && (str_ends(str_head(text, begin), "://") || str_ends(str_head(text, begin), "dns:///"));
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

/* ---- in scripts ------------------------------------------------------------- */

#define BLANKS	" \t\"'[]<>"
#define ENDS	"\n;|&`()" /* of a command */

/* Programs that ask for a host; by_option: it stands behind -h or --host, and its port behind -p, -P or --port. */
static const struct {
	const char *name;
	bool by_option;
} askers[] = { { "nslookup", false },	{ "getent", false }, { "dig", false },	  { "ping", false },   { "nc", false },
	       { "ncat", false },	{ "telnet", false }, { "cqlsh", false },  { "psql", true },    { "pg_isready", true },
	       { "mysqladmin", true },	{ "mysql", true },   { "mongosh", true }, { "mongo", true },   { "redis-cli", true } };

/* Returns the next word, "" at the end; *out_begins: a command ended before it. */
static struct str next_word(struct str script, size_t *at, bool *out_begins)
{
	size_t begin;

	*out_begins = *at == 0;
	for (; *at < script.len && one_of(script.ptr[*at], BLANKS ENDS); ++*at)
		*out_begins |= one_of(script.ptr[*at], ENDS);
	for (begin = *at; *at < script.len && !one_of(script.ptr[*at], BLANKS ENDS);)
		++*at;
	return str_from(str_head(script, *at), begin);
}

/* Reads the host; that of the documentation's example, "db.$(cat .../serviceaccount/namespace).svc", is of the pod's namespace. */
static bool read_asked(struct str host, struct service_address *out)
{
	out->text = without(host, ".$");
	for (size_t i = 0; i < out->text.len; i++)
		if (!in_host(out->text.ptr[i]))
			return false;
	return read_host(out->text, out) && !str_is_any(out->service, no_hosts);
}

/* The shell's own way to a host, "/dev/tcp/db/5432" (bash, REDIRECTION). */
static bool read_device(struct str word, struct service_address *out)
{
	struct str rest = str_from(word, sizeof("/dev/tcp/") - 1), host = STR_NONE;

	*out = (struct service_address){ .perhaps = false };
	return str_starts(word, "/dev/tcp/") && str_split(&rest, '/', &host) && str_to_int(rest, &out->port) && out->port > 0 &&
	       out->port <= LAST_PORT && read_asked(host, out);
}

/* Of "--host=db" and "-hdb" *out_value is "db", of "-h" alone "". */
static bool is_option(struct str word, const char *const *names, struct str *out_value)
{
	for (; *names; names++) {
		struct str rest = str_from(word, str_of(*names).len);

		if (!str_starts(word, *names) || (str_starts(word, "--") && rest.len && rest.ptr[0] != '='))
			continue;
		*out_value = str_starts(rest, "=") ? str_from(rest, 1) : rest;
		return true;
	}
	return false;
}

/* Reads the arguments of a program that asks, up to the end of the command. */
static bool read_arguments(struct str script, size_t *at, bool by_option, struct service_address *out)
{
	static const char *const hosts[] = { "--host", "-h", NULL }, *const ports[] = { "--port", "-p", "-P", NULL };
	enum { NOTHING, HOST, PORT } awaited = by_option ? NOTHING : HOST;
	bool found = false, begins;
	struct str word, value;
	size_t next = *at;

	*out = (struct service_address){ .perhaps = false };
	for (; (word = next_word(script, &next, &begins)).len && !begins; *at = next) {
		int64_t number;

		value = word;
		if (by_option && str_starts(word, "-"))
			awaited = is_option(word, hosts, &value) ? HOST : is_option(word, ports, &value) ? PORT : NOTHING;
		if (!value.len || str_starts(value, "-"))
			continue;
		if (str_to_int(value, &number)) {
			out->port = awaited == PORT && number > 0 && number <= LAST_PORT ? number : out->port;
		} else if (awaited == HOST && !found && !str_is(value, "hosts")) {
			found = read_asked(value, out);
			awaited = by_option || !found ? awaited : PORT;
		}
	}
	return found;
}

/* What stands before a program that is run, beside the end of the command before. */
static bool runs_what_follows(struct str word)
{
	static const char *const words[] = { "until", "while", "if", "!", "do", "then", "else", "exec", "-c", NULL };
	int64_t seconds;	/* of "timeout 5" */

	return str_is_any(word, words) || str_to_int(word, &seconds);
}

bool service_address_asked_for(struct str script, size_t *at, struct service_address *out)
{
	struct str word, before = STR_NONE;
	bool begins;

	for (; (word = next_word(script, at, &begins)).len; before = word) {
		struct str name = str_from(word, str_rfind(word, '/') == word.len ? 0 : str_rfind(word, '/') + 1);

		if (read_device(word, out))
			return true;
		for (size_t i = 0; (begins || runs_what_follows(before)) && i < sizeof(askers) / sizeof(askers[0]); i++)
			if (str_is(name, askers[i].name) && read_arguments(script, at, askers[i].by_option, out))
				return true;
	}
	return false;
}

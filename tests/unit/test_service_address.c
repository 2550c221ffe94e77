/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of Services in variables and arguments, and what only looks like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kube/evidence/service_address.h"

/* Writes "service.ns:port flags" for each address, with a blank between two. */
static void read_all(const char *text, char *out, size_t size)
{
	struct service_address a;
	size_t at = 0;

	*out = '\0';
	while (service_address_next(str_of(text), &at, &a))
		snprintf(out + strlen(out), size - strlen(out), "%s" STR_FMT ".%.*s:%d%s%s%s", *out ? " " : "", STR_ARG(a.service),
			 (int)a.ns.len, a.ns.len ? a.ns.ptr : "", (int)a.port, a.perhaps ? "?" : "", a.of_pod ? "!" : "", a.in_url ? "/" : "");
}

static const struct {
	const char *text, *addresses;
} rows[] = {
	{ "db:5432", "db.:5432" },
	{ "a:8080,b:8080", "a.:8080 b.:8080" },
	{ "--to=cache:6379", "cache.:6379" },
	{ "http://api/v1", "" },
	{ "http://api:1/v1", "api.:1/" },
	{ "postgres://u:p4ss@db.shop.svc:5432/x?y=1", "db.shop:5432/" },
	{ "postgres://u:99@db:5432", "db.:5432/" },
	{ "db.shop.svc.cluster.local.:5432", "db.shop:5432" },
	{ "db-0.db.shop.svc:5432", "db.shop:5432!" },
	{ "db.shop:5432", "db.shop:5432?" },
	{ "user:pw@tcp(db:3306)/x", "db.:3306" },
	{ "mail:25", "mail.:25" },
	{ "dns:///db:5432", "db.:5432/" },
	{ "file:///db:5432", "" },
	/* of another domain, of this machine, without a port, an image, a time, a protocol */
	{ "db.example.test:5432", "" },
	{ "db.example.svc.cluster.test:5432", "" },
	{ "localhost:80", "" },
	{ "http://localhost:80", "" },
	{ "db", "" },
	{ "db:", "" },
	{ "postgres:16", "" },
	{ "registry/app:8080", "" },
	{ "tcp:8080", "" },
	{ "10.0.0.1:80", "" },
	{ "[::1]:80", "" },
	{ ":8080", "" },
	{ "db:543210", "" },
	{ "db:0", "" },
	{ "db:5432x", "" },
	{ "DB:5432", "" },
	{ "db-:5432", "" },
	{ "-db:5432", "" },
	{ "svc:8080", "svc.:8080" },
	{ ".svc:8080", "" },
	{ "a..svc:8080", "" },
	{ "12:30:45", "" },
	{ "", "" },
};

static void an_address_is_read_and_nothing_else(void **state)
{
	char got[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		read_all(rows[i].text, got, sizeof(got));
		if (strcmp(got, rows[i].addresses) != 0)
			print_error("%s: %s\n", rows[i].text, got);
		assert_string_equal(got, rows[i].addresses);
	}
}

/* Writes "service.ns:port flags" for each host, with a blank between two. */
static void read_asked_for(const char *script, char *out, size_t size)
{
	struct service_address a;
	size_t at = 0;

	*out = '\0';
	while (service_address_asked_for(str_of(script), &at, &a))
		snprintf(out + strlen(out), size - strlen(out), "%s" STR_FMT ".%.*s:%d%s", *out ? " " : "", STR_ARG(a.service), (int)a.ns.len,
			 a.ns.len ? a.ns.ptr : "", (int)a.port, a.perhaps ? "?" : "");
}

static const struct {
	const char *script, *hosts;
} scripts[] = {
	{ "until nslookup db; do echo waiting for db; sleep 2; done", "db.:0" },
	{ "until nslookup db.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace).svc.cluster.local; do sleep 2; done", "db.:0" },
	{ "until getent hosts db.shop.svc; do sleep 1; done", "db.shop:0" },
	{ "while ! nc -z -w 2 db 5432; do sleep 1; done", "db.:5432" },
	{ "nc -vz db 5432 && nc -z cache 6379", "db.:5432 cache.:6379" },
	{ "until pg_isready -p 5433 -h db -U postgres; do sleep 1; done", "db.:5433" },
	{ "mysqladmin ping --host=db --port=3307 -psecret", "db.:3307" },
	{ "sh -c 'timeout 5 /usr/bin/ping -c 1 db'", "db.:0" },
	{ "dig +short db.shop", "db.shop:0?" },
	{ "until (echo >/dev/tcp/db/5432) 2>/dev/null; do sleep 1; done", "db.:5432" },
	/* no program is run that asks, no host of a cluster, this very machine */
	{ "echo the ping failed; sleep 1", "" },
	{ "echo nc -z db 5432", "" },
	{ "nslookup db.example.test.org", "" },
	{ "until nc -z localhost 5432; do sleep 1; done", "" },
	{ "until nc -z 10.0.0.1 5432; do sleep 1; done", "" },
	{ "until nc -z ${DB_HOST:-db} 5432; do sleep 1; done", "" },
	{ "cat </dev/tcp/db/x", "" },
	{ "nslookup", "" },
	{ "pg_isready -h", "" },
	{ "", "" },
};

static void a_script_asks_for_hosts(void **state)
{
	char got[256];

	(void)state;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		read_asked_for(scripts[i].script, got, sizeof(got));
		if (strcmp(got, scripts[i].hosts) != 0)
			print_error("%s: %s\n", scripts[i].script, got);
		assert_string_equal(got, scripts[i].hosts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(an_address_is_read_and_nothing_else), cmocka_unit_test(a_script_asks_for_hosts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(an_address_is_read_and_nothing_else) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

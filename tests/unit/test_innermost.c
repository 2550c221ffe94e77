/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a message that says why, of errors as operators, servers and libraries write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kube/base/alloc.h"
#include "tui/words/innermost.h"

static void assert_part(const char *message, const char *part)
{
	struct arena a = { 0 };
	struct str found = innermost_part(str_of(message), &a);

	assert_string_equal(arena_str(&a, found).ptr, part);
	arena_release(&a);
}

static void the_answer_of_a_server(void **state)
{
	(void)state;
	assert_part("invalid configuration creating resource: Expected HTTP response code [201] when accessing [POST https://n.example.org], "
		    "but got 409 instead: {\"NeutronError\": {\"type\": \"OverQuota\", \"message\": \"Quota exceeded for resources: "
		    "['network'].\", \"detail\": \"\"}}",
		    "OverQuota: Quota exceeded for resources: ['network'].");
	assert_part("got 403: {\"error\":{\"code\":403,\"message\":\"Required permission is missing\",\"status\":\"DENIED\"}}",
		    "403: Required permission is missing");
	assert_part("{\"error\":{\"code\":\"DeploymentFailed\",\"message\":\"See the details\",\"details\":[{\"message\":\"Cores left: 4\","
		    "\"code\":\"QuotaExceeded\"}]}}",
		    "QuotaExceeded: Cores left: 4");
	assert_part("PUT https://a.example.org\n---\nRESPONSE 409\n---\n{\n  \"error\": {\n    \"code\": \"InUse\",\n    \"message\": \"The "
		    "subnet is in use\"\n  }\n}\n",
		    "InUse: The subnet is in use");
	assert_part("failed: {\"kind\":\"Status\",\"message\":\"Forbidden: not yours at all\",\"reason\":\"Forbidden\",\"code\":403}",
		    "Forbidden: not yours at all");
}

static void an_answer_that_was_quoted(void **state)
{
	(void)state;
	assert_part("server said \"{\\\"error\\\": {\\\"code\\\": \\\"NoSpace\\\", \\\"message\\\": \\\"pool \\\\\\\"fast\\\\\\\" is "
		    "full\\\"}}\"",
		    "NoSpace: pool \"fast\" is full");
	assert_part("{\"message\": \"cannot apply: {\\\"reason\\\": \\\"Denied\\\", \\\"message\\\": \\\"policy says no\\\"}\"}",
		    "Denied: policy says no");
	assert_part("{\"message\": \"caf\\u00e9 is\\tclosed\\nuntil Monday\"}", "café is\tclosed");
	assert_part("{\"message\": \"half \\ud800 of it\"}", "half \xef\xbf\xbd of it");
}

static void an_answer_that_was_cut(void **state)
{
	(void)state;
	assert_part("got 409: {\"NeutronError\": {\"type\": \"OverQuota\", \"message\": \"Quota exceeded for res",
		    "OverQuota: Quota exceeded for res");
	assert_part("got 409: {\"NeutronError\": {\"type\": \"Over", "got 409: {\"NeutronError\": {\"type\": \"Over");
	assert_part("{\"message\": \"", "{\"message\": \"");
	assert_part("{\"message\": \"a\\", "a\\");
	assert_part("{{{\"", "{{{\"");
	assert_part("}}{\"code\":7}", "}}{\"code\":7}");
}

static void the_end_of_a_chain(void **state)
{
	(void)state;
	assert_part("cannot create: cannot apply: OverQuota: Quota exceeded", "OverQuota: Quota exceeded");
	assert_part("Internal error occurred: failed calling webhook \"policy.example.org\": failed to call webhook: Post "
		    "\"https://policy.policy-system.svc:443/?timeout=10s\": service \"policy\" not found",
		    "service \"policy\" not found");
	assert_part("pods \"app-758c\" is forbidden: exceeded quota: team, requested: pods=1, used: pods=3, limited: pods=3",
		    "exceeded quota: team, requested: pods=1, used: pods=3, limited: pods=3");
	assert_part("create failed: operation error S3: CreateBucket, https response error StatusCode: 403, RequestID: 7, api error "
		    "AccessDenied: User web is not allowed to",
		    "AccessDenied: User web is not allowed to");
	assert_part("rpc error: code = Internal desc = rpc error: code = NotFound desc = volume v1 does not exist",
		    "volume v1 does not exist");
	assert_part("install failed: 1 error occurred:\n\t* timed out waiting for the condition\n\n", "timed out waiting for the condition");
}

/* What stands before the end stays where the end alone says nothing, and where it is no wrapper. */
static void what_is_kept(void **state)
{
	(void)state;
	assert_part("", "");
	assert_part("EOF", "EOF");
	assert_part("cannot upgrade release: exceeded quota", "cannot upgrade release: exceeded quota");
	assert_part("failed to resolve \"shop/db:2\": not found", "failed to resolve \"shop/db:2\": not found");
	assert_part("Quota exceeded for resources: ['network']", "Quota exceeded for resources: ['network']");
	assert_part("Back-off pulling image \"shop/db:2\"", "Back-off pulling image \"shop/db:2\"");
	assert_part("0/3 nodes are available: 3 Insufficient cpu.", "0/3 nodes are available: 3 Insufficient cpu.");
	assert_part("spec.replicas: Invalid value: -1: must be at least 0", "spec.replicas: Invalid value: -1: must be at least 0");
	assert_part("Waiting for Network/net to be ready\nfailed: not this line at all", "Waiting for Network/net to be ready");
	assert_part("the value {a} is not known", "the value {a} is not known");
}

/* A line that ends with a colon is the heading of the lines below it. */
static void a_list_below_a_heading(void **state)
{
	(void)state;
	assert_part("* NodeHealthy:\n  * Node.Ready: container runtime is down\n* HealthCheckSucceeded:\n  * no",
		    "Node.Ready: container runtime is down");
	assert_part("* Machine a-1:\n  * NodeHealthy:\n    * runtime is down\n", "runtime is down");
	assert_part("NodeHealthy:", "NodeHealthy:");
	assert_true(str_is(innermost_line(STR("* Machine a-1:\n  * InfrastructureReady: it is not there")), "InfrastructureReady: it is not there"));
	assert_true(str_is(innermost_line(STR("failed to apply: no quota is left\nmore")), "failed to apply: no quota is left"));
	assert_true(str_is(innermost_line(STR("")), ""));
}

/* A password whose address was written with backslashes in JSON is hidden, too. */
static void what_is_hidden(void **state)
{
	(void)state;
	assert_part("{\"message\": \"cannot reach https:\\/\\/bob:geheim@db.example.org now\"}",
		    "cannot reach https://**********@db.example.org now");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_answer_of_a_server), cmocka_unit_test(an_answer_that_was_quoted),
		cmocka_unit_test(an_answer_that_was_cut), cmocka_unit_test(the_end_of_a_chain),
		cmocka_unit_test(what_is_kept),		  cmocka_unit_test(a_list_below_a_heading),
		cmocka_unit_test(what_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

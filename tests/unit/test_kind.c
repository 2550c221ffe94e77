/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds are met in three ways: built in, told by a server, only named by a reference. */
#include "kube/model/kind.h"
#include "kube/model/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_put_and_find(void **state)
{
	struct kinds k = { 0 };
	char group[] = "queue.oracle.com";
	struct kind *queue, *other;

	(void)state;
	assert_null(kinds_find(&k, STR("queue.oracle.com"), STR("Queue")));
	queue = kinds_put(&k, str_of(group), STR("Queue"));
	memset(group, 'x', strlen(group)); /* names are copied */
	assert_true(str_is(queue->group, "queue.oracle.com") && str_is(queue->kind, "Queue"));
	assert_int_equal(queue->id, 1);
	assert_int_equal(queue->version.len, 0);
	assert_int_equal(queue->flags, KIND_CUSTOM);
	assert_ptr_equal(kinds_put(&k, STR("queue.oracle.com"), STR("Queue")), queue);
	assert_ptr_equal(kinds_find(&k, STR("queue.oracle.com"), STR("Queue")), queue);
	assert_null(kinds_find(&k, STR("queue.oracle.com"), STR("queue")));
	assert_null(kinds_find(&k, STR_NONE, STR("Queue")));
	other = kinds_put(&k, STR_NONE, STR("Queue"));
	assert_ptr_not_equal(other, queue);
	assert_int_equal(other->id, 2);
	assert_ptr_equal(k.all[0], queue);
	assert_ptr_equal(k.all[1], other);
	kinds_release(&k);
	assert_int_equal(k.count, 0);
	assert_null(kinds_find(&k, STR_NONE, STR("Queue")));
	kinds_release(&k);
}

/* Pointers stay while the table grows. */
static void test_many(void **state)
{
	struct kinds k = { 0 };
	struct kind *first = kinds_put(&k, STR("g.example"), STR("First"));
	char name[16];

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "K%u", i);
		assert_int_equal(kinds_put(&k, STR("g.example"), str_of(name))->id, i + 2);
	}
	assert_ptr_equal(kinds_find(&k, STR("g.example"), STR("First")), first);
	assert_true(str_is(kinds_find(&k, STR("g.example"), STR("K999"))->plural, "k999s"));
	kinds_release(&k);
}

/* What controller-gen would name them. */
static void test_guessed_plurals(void **state)
{
	static const char *const rows[][3] = {
		{ "Network", "network", "networks" },
		{ "Policy", "policy", "policies" },
		{ "Gateway", "gateway", "gateways" },
		{ "Bus", "bus", "buses" },
		{ "Ingress", "ingress", "ingresses" },
		{ "Redis", "redis", "redises" },
		{ "VSHNPostgreSQL", "vshnpostgresql", "vshnpostgresqls" },
		{ "Box", "box", "boxes" },
		{ "Patch", "patch", "patches" },
		{ "TsigKey", "tsigkey", "tsigkeys" },
		{ "S", "s", "ses" },
		{ "Y", "y", "ies" },
		{ "Endpoints", "endpoints", "endpoints" },
		{ "MyEndpoints", "myendpoints", "myendpoints" },
		{ "Endpoint", "endpoint", "endpoints" },
	};
	struct kinds k = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct kind *kind = kinds_put(&k, STR("x.example"), str_of(rows[i][0]));

		if (!str_is(kind->singular, rows[i][1]) || !str_is(kind->plural, rows[i][2]))
			fail_msg("%s: " STR_FMT ", " STR_FMT, rows[i][0], STR_ARG(kind->singular),
				 STR_ARG(kind->plural));
	}
	assert_non_null(kinds_put(&k, STR_NONE, STR_NONE)); /* an object may say kind: "" */
	kinds_release(&k);
}

static void test_builtin(void **state)
{
	struct kinds k = { 0 };
	const struct kind *pod, *node, *deploy, *ingress;

	(void)state;
	kinds_put(&k, STR("apps"), STR("Deployment")); /* was only named so far */
	kinds_add_builtin(&k);
	pod = kinds_find(&k, STR_NONE, STR("Pod"));
	node = kinds_find(&k, STR_NONE, STR("Node"));
	deploy = kinds_find(&k, STR("apps"), STR("Deployment"));
	ingress = kinds_find(&k, STR("networking.k8s.io"), STR("Ingress"));
	assert_true(pod && node && deploy && ingress);
	assert_true(pod->flags & KIND_NAMESPACED && !(node->flags & KIND_NAMESPACED));
	assert_false((pod->flags | node->flags | deploy->flags | ingress->flags) & KIND_CUSTOM);
	assert_true(str_is(pod->version, "v1") && str_is(pod->short_names[0], "po") &&
		    pod->short_names[1].len == 0);
	assert_true(str_is(deploy->version, "v1") && str_is(deploy->versions, "v1"));
	assert_true(kind_in_category(deploy, "all") && !kind_in_category(node, "all"));
	assert_false(kind_in_category(deploy, ""));
	assert_true(str_is(ingress->plural, "ingresses"));
	assert_true(str_is(kinds_find(&k, STR_NONE, STR("Endpoints"))->plural, "endpoints"));
	assert_true(
		str_is(kinds_find(&k, STR("apiextensions.k8s.io"), STR("CustomResourceDefinition"))
			       ->short_names[1],
		       "crds"));
	for (uint32_t i = 0; i < k.count; i++) {
		assert_int_equal(k.all[i]->id, i + 1);
		assert_true(k.all[i]->plural.len && k.all[i]->singular.len &&
			    k.all[i]->version.len);
		assert_int_equal(k.all[i]->flags & (KIND_LIST | KIND_WATCH | KIND_GET),
				 KIND_LIST | KIND_WATCH | KIND_GET);
	}
	kinds_release(&k);
}

static void test_custom_or_not(void **state)
{
	static const char *const custom[] = { "x.example", "gateway.networking.k8s.io",
					      "snapshot.storage.k8s.io", "cluster.x-k8s.io",
					      "policy.x.io" };
	static const char *const builtin[] = { "",
					       "apps",
					       "batch",
					       "storage.k8s.io",
					       "events.k8s.io",
					       "resource.k8s.io",
					       "flowcontrol.apiserver.k8s.io",
					       "extensions" };
	struct kinds k = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(custom); i++)
		assert_true(kinds_put(&k, str_of(custom[i]), STR("Thing"))->flags & KIND_CUSTOM);
	for (size_t i = 0; i < COUNT(builtin); i++)
		assert_false(kinds_put(&k, str_of(builtin[i]), STR("Thing"))->flags & KIND_CUSTOM);
	kinds_release(&k);
}

static void test_names(void **state)
{
	struct kinds k = { 0 };
	struct kind *queue = kinds_put(&k, STR("queue.oracle.com"), STR("Queue")), *other;
	char out[64], tiny[6];

	(void)state;
	queue->version = kinds_name(&k, STR("v1beta1"));
	kind_api_version(queue, out, sizeof(out));
	assert_string_equal(out, "queue.oracle.com/v1beta1");
	kind_api_version(queue, tiny, sizeof(tiny));
	assert_string_equal(tiny, "queue");
	kind_display(&k, queue, out, sizeof(out));
	assert_string_equal(out, "queue");
	other = kinds_put(&k, STR("rabbit.example"), STR("Queue"));
	kind_display(&k, queue, out, sizeof(out));
	assert_string_equal(out, "queue"); /* the other one is only a name in a reference */
	other->version = kinds_name(&k, STR("v1"));
	kind_display(&k, queue, out, sizeof(out));
	assert_string_equal(out, "queue.queue.oracle.com");
	kind_display(&k, other, out, sizeof(out));
	assert_string_equal(out, "queue.rabbit.example");
	kinds_add_builtin(&k);
	kind_display(&k, kinds_find(&k, STR_NONE, STR("Pod")), out, sizeof(out));
	assert_string_equal(out, "pod");
	kind_api_version(kinds_find(&k, STR_NONE, STR("Pod")), out, sizeof(out));
	assert_string_equal(out, "v1");
	assert_int_equal(kinds_name(&k, STR_NONE).len, 0);
	assert_ptr_equal(kinds_name(&k, STR("abc")).ptr, kinds_name(&k, str_of("abc")).ptr);
	kinds_release(&k);
}

/* ---- the words of the contract ------------------------------------------- */

static void test_words(void **state)
{
	static const char *const phases[] = { "Deleting",  "Failed",	  "Waiting", "Provisioning",
					      "Updating",  "Maintenance", "Scaling", "Degraded",
					      "Suspended", "Ready",	  "Unknown" };
	static const char *const waits[] = { "",	 "missing",   "not-ready", "failed",
					     "deleting", "cycle",     "finalizer", "approval",
					     "external", "controller" };
	enum phase phase = PHASE_FAILED;

	(void)state;
	assert_int_equal(COUNT(phases), PHASE_COUNT);
	assert_int_equal(COUNT(waits), WAIT_COUNT);
	for (int i = 0; i < PHASE_COUNT; i++) {
		assert_string_equal(phase_name((enum phase)i), phases[i]);
		assert_true(phase_parse(str_of(phases[i]), &phase) && phase == (enum phase)i);
		assert_int_equal(phase_under_way((enum phase)i), i >= 2 && i <= 6);
	}
	for (int i = 0; i < WAIT_COUNT; i++)
		assert_string_equal(wait_state_name((enum wait_state)i), waits[i]);
	assert_true(phase_parse(STR("rEADY"), &phase) && phase == PHASE_READY);
	assert_false(phase_parse(STR("Read"), &phase) || phase_parse(STR_NONE, &phase) ||
		     phase_parse(STR("Readyy"), &phase));
	assert_int_equal(phase, PHASE_READY); /* left alone */
	assert_string_equal(severity_name(SEVERITY_NONE), "none");
	assert_string_equal(severity_name(SEVERITY_INFO), "info");
	assert_string_equal(severity_name(SEVERITY_WARNING), "warning");
	assert_string_equal(severity_name(SEVERITY_ERROR), "error");
	assert_string_equal(relation_name(RELATION_NEEDS), "needs");
	assert_string_equal(relation_name(RELATION_OWNS), "owns");
	assert_string_equal(relation_name(RELATION_MANAGES), "manages");
	assert_string_equal(relation_name(RELATION_GUARDS), "guards");
	assert_string_equal(relation_name(RELATION_REPLACES), "replaces");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_and_find),	cmocka_unit_test(test_many),
		cmocka_unit_test(test_guessed_plurals), cmocka_unit_test(test_builtin),
		cmocka_unit_test(test_custom_or_not),	cmocka_unit_test(test_names),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which objects the labels of an alert mean, in all forms in which alerts come. */
#include "plugin/alert.h"

#include "kube/base/buf.h"
#include "kube/base/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Returns "pods/a@shop,nodes/n1@": what a text names. */
static struct buf named(const char *text, struct alert *out)
{
	struct buf all = { 0 };
	struct err err = { 0 };

	if (alert_read(str_of(text), out, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	for (size_t i = 0; i < out->n; i++)
		buf_printf(&all, "%s" STR_FMT "/" STR_FMT "@" STR_FMT, i ? "," : "", STR_ARG(out->objects[i].type), STR_ARG(out->objects[i].name),
			   STR_ARG(out->objects[i].ns));
	return all;
}

static void check(const char *text, const char *wanted)
{
	struct alert alert;
	struct buf all = named(text, &alert);

	if (!str_is(buf_str(&all), wanted))
		fail_msg("%s names %s, not %s", text, buf_cstr(&all), wanted);
	buf_release(&all);
	alert_release(&alert);
}

static void test_labels(void **state)
{
	(void)state;
	check("{namespace=\"shop\", pod=\"a\"}", "pods/a@shop");
	check("pod=\"scraper\" namespace=\"monitoring\" exported_pod=\"a\" exported_namespace=\"shop\"", "pods/a@shop");
	check("namespace=\"shop\" job=\"kube-state-metrics\" job_name=\"nightly\" service=\"kube-state-metrics\"", "jobs.batch/nightly@shop");
	check("namespace=\"shop\" service=\"web\"", "services/web@shop");
	check("node=\"n1\"", "nodes/n1@");
	check("namespace=\"shop\" customresource_group=\"example.org\" customresource_kind=\"Widget\" name=\"w\"", "Widget.example.org/w@shop");
	check("kind=\"Kustomization\" name=\"apps\" exported_namespace=\"flux\" namespace=\"flux-system\"", "Kustomization/apps@flux");
	check("name=\"without a kind\" namespace=\"shop\"", "");
	check("deployment=\"a\" statefulset=\"b\" daemonset=\"c\" persistentvolumeclaim=\"d\" horizontalpodautoscaler=\"e\" namespace=\"x\"",
	      "deployments.apps/a@x,statefulsets.apps/b@x,daemonsets.apps/c@x,persistentvolumeclaims/d@x,horizontalpodautoscalers.autoscaling/e@x");
}

static void test_texts(void **state)
{
	(void)state;
	check("Labels:\n - alertname = A\n - namespace = shop\n - pod = web-0\nSource: x=y\n", "pods/web-0@shop");
	check("{pod=\"a\",namespace=\"x\"} and {pod=\"b\",namespace=\"y\"}", "pods/a@x,pods/b@y");
	check("pod=\"a\" namespace=\"x\"\npod=\"a\" namespace=\"x\"\n", "pods/a@x");
	check("pod='it\\'s' namespace = \"x\"", "pods/it's@x");
	check("pod=unquoted namespace=\"x\"", "");
	check("pod=\"open", "pods/open@");
}

static void test_json(void **state)
{
	struct alert alert;
	struct buf all = named("{\"alerts\":[{\"status\":\"resolved\",\"labels\":{\"pod\":\"old\",\"namespace\":\"x\"}},"
			       "{\"status\":\"firing\",\"labels\":{\"pod\":\"a\",\"namespace\":\"x\",\"cluster\":\"eu1\",\"alertname\":\"Down\"},"
			       "\"annotations\":{\"runbook_url\":\"https://r.example/a\"},\"startsAt\":\"2026-01-01T00:00:10Z\"},"
			       "{\"status\":\"firing\",\"labels\":{\"pod\":\"b\",\"namespace\":\"y\",\"cluster\":\"eu1\"},"
			       "\"annotations\":{\"runbook_url\":\"javascript:alert(1)\"},\"startsAt\":\"2026-01-01T00:00:00Z\"}],"
			       "\"commonLabels\":{\"pod\":\"none\"}}", &alert);

	(void)state;
	assert_true(str_is(buf_str(&all), "pods/a@x,pods/b@y"));
	assert_true(str_is(alert.namespaces, "x,y") && str_is(alert.clusters, "eu1") && str_is(alert.name, "Down"));
	assert_true(str_is(alert.objects[0].runbook, "https://r.example/a") && alert.objects[1].runbook.len == 0);
	assert_int_equal(alert.since, time_parse(STR("2026-01-01T00:00:00Z")));
	buf_release(&all);
	alert_release(&alert);
	check("{\"status\":\"resolved\",\"alerts\":[{\"status\":\"resolved\",\"labels\":{\"pod\":\"old\",\"namespace\":\"x\"}}]}", "pods/old@x");
	check("[{\"labels\":{\"node\":\"n1\"},\"status\":{\"state\":\"active\"}}]", "nodes/n1@");
	check("{\"payload\":{\"custom_details\":{\"namespace\":\"shop\",\"deployment\":\"web\"}}}", "deployments.apps/web@shop");
	check("{\"event\":{\"data\":{\"body\":{\"details\":{\"firing\":\"Labels:\\n - namespace = shop\\n - pod = a\\n\"}}}}}", "pods/a@shop");
}

static void test_no_alert(void **state)
{
	static const char *const texts[] = { "", " \n", "hello", "{}", "[]", "{\"a\":", "{\"labels\":{}}", "[[[[]]]]", "a = b", "=\"x\"" };
	struct alert alert;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(alert_read(str_of(texts[i]), &alert, &err), -1);
		assert_int_not_equal(err.msg[0], 0);
		alert_release(&alert);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_no_alert),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

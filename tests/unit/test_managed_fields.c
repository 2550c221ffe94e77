/* SPDX-License-Identifier: Apache-2.0 */
/* Who wrote which fields of an object, by its managedFields; what does not count, and what is damaged. */
#include "kube/journal/edits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kube/base/limits.h"
#include "kube/base/time.h"

#define CREATED "2026-11-01T00:00:00Z"
#define ENTRY(manager, time, fields) \
	"{\"manager\":\"" manager "\",\"operation\":\"Update\",\"time\":\"2026-11-20T" time "Z\",\"fieldsV1\":" fields "}"

static struct json object_of(const char *metadata, const char *entries)
{
	struct buf text = { 0 };
	struct json out;
	struct err err = { 0 };

	buf_printf(&text, "{\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"" CREATED "\"%s,\"managedFields\":[%s]}}", metadata, entries);
	if (json_parse(buf_str(&text), &out, &err) < 0)
		fail_msg("%s: %s", err.msg, buf_cstr(&text));
	buf_release(&text);
	return out;
}

static void tell(const struct edit *e, struct buf *out)
{
	char time[TIME_TEXT];

	buf_printf(out, "%s " STR_FMT, time_format(e->time, time) + 11, STR_ARG(e->by.manager));
	if (e->by.person.len)
		buf_printf(out, " person=" STR_FMT, STR_ARG(e->by.person));
	if (e->by.source.len)
		buf_printf(out, " source=" STR_FMT, STR_ARG(e->by.source));
	if (e->made)
		buf_add_cstr(out, " made");
	for (size_t i = 0; i < e->nfields; i++)
		buf_printf(out, " " STR_FMT, STR_ARG(e->fields[i]));
	if (e->more)
		buf_printf(out, " +%zu", e->more);
	buf_add_char(out, '\n');
}

/* The edits, a line each: "08:54:12Z manager person=... source=... made fields +more". */
static void assert_edits(const char *metadata, const char *entries, const char *expected)
{
	struct json object = object_of(metadata, entries);
	struct arena arena = { 0 };
	struct buf told = { 0 };
	const struct edit *all;
	size_t n = managed_edits(object, &arena, &all);

	for (size_t i = 0; i < n; i++)
		tell(&all[i], &told);
	assert_string_equal(buf_cstr(&told), expected);
	json_free(object);
	buf_release(&told);
	arena_release(&arena);
}

static void test_paths(void **state)
{
	(void)state;
	assert_edits("", ENTRY("kubectl-set", "08:54:12", "{\"f:spec\":{\"f:template\":{\"f:spec\":{\"f:containers\":"
						"{\"k:{\\\"name\\\":\\\"app\\\"}\":{\".\":{},\"f:image\":{}}}}}}}"),
		     "08:54:12Z kubectl-set spec.template.spec.containers[name=app].image\n");
	assert_edits("", ENTRY("m", "08:54:12", "{\"f:spec\":{\"f:ports\":{\"k:{\\\"port\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{\".\":{}}},"
						"\"f:words\":{\"v:\\\"one\\\"\":{}}},\"f:data\":{\".\":{},\"f:a.b\":{}}}"),
		     "08:54:12Z m spec.ports[port=80,protocol=TCP] spec.words[\"one\"] data['a.b']\n");
}

static void test_the_newest_first(void **state)
{
	(void)state;
	assert_edits("", ENTRY("one", "08:00:00", "{\"f:spec\":{\"f:a\":{}}}") "," ENTRY("two", "09:00:00", "{\"f:spec\":{\"f:b\":{}}}"),
		     "09:00:00Z two spec.b\n08:00:00Z one spec.a\n");
}

static void test_what_does_not_count(void **state)
{
	(void)state;
	/* the status, by its subresource or by the field; what the server and controllers write for themselves */
	assert_edits("", "{\"manager\":\"m\",\"subresource\":\"status\",\"time\":\"2026-11-20T08:00:00Z\",\"fieldsV1\":{\"f:spec\":{\"f:a\":{}}}}", "");
	assert_edits("", ENTRY("m", "08:00:00", "{\"f:status\":{\"f:phase\":{}}}"), "");
	assert_edits("", ENTRY("m", "08:00:00", "{\"f:metadata\":{\"f:finalizers\":{\".\":{},\"v:\\\"x\\\"\":{}}}}"), "");
	/* requests to look again, and kubectl's copy */
	assert_edits("", ENTRY("flux", "08:00:00", "{\"f:metadata\":{\"f:annotations\":{\".\":{},\"f:reconcile.fluxcd.io/requestedAt\":{}}}}"), "");
	assert_edits("", ENTRY("kubectl-client-side-apply", "08:00:00", "{\"f:metadata\":{\"f:annotations\":"
				     "{\"f:kubectl.kubernetes.io/last-applied-configuration\":{},\"f:team\":{}}},\"f:spec\":{\"f:a\":{}}}"),
		     "08:00:00Z kubectl-client-side-apply spec.a metadata.annotations.team\n");
	/* the controllers of Kubernetes note in metadata what they have done */
	assert_edits("", ENTRY("kube-controller-manager", "08:00:00",
			       "{\"f:metadata\":{\"f:annotations\":{\"f:deployment.kubernetes.io/revision\":{}}},\"f:status\":{\"f:a\":{}}}"), "");
}

static void test_who(void **state)
{
	static const char fields[] = "{\"f:spec\":{\"f:a\":{}}}";
	static const struct {
		const char *metadata, *manager, *expected;
	} rows[] = {
		{ ",\"annotations\":{\"argocd.argoproj.io/tracking-id\":\"shop:apps/Deployment:ns/a\"}", "argocd-controller", "source=application/shop" },
		{ ",\"labels\":{\"argocd.argoproj.io/instance\":\"shop\"}", "argocd-controller", "source=application/shop" },
		{ ",\"labels\":{\"kustomize.toolkit.fluxcd.io/name\":\"apps\",\"kustomize.toolkit.fluxcd.io/namespace\":\"flux\"}",
		  "kustomize-controller", "source=kustomization/flux/apps" },
		{ ",\"labels\":{\"helm.toolkit.fluxcd.io/name\":\"redis\"}", "helm-controller", "source=helmrelease/redis" },
		{ ",\"annotations\":{\"meta.helm.sh/release-name\":\"redis\"}", "helm", "source=release/redis" },
		{ ",\"annotations\":{\"example.org/last-modified-by\":\"ada\"}", "kubectl-edit", "person=ada" },
		{ ",\"annotations\":{\"example.org/last-modified-by\":\"ada\"}", "argocd-controller", "" },
		{ ",\"annotations\":{\"example.org/created-by\":\"ada\"}", "kubectl-edit", "" },
	};
	struct buf entry = { 0 }, expected = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_reset(&entry);
		buf_reset(&expected);
		buf_printf(&entry, "{\"manager\":\"%s\",\"time\":\"2026-11-20T08:00:00Z\",\"fieldsV1\":%s}", rows[i].manager, fields);
		buf_printf(&expected, "08:00:00Z %s%s%s spec.a\n", rows[i].manager, *rows[i].expected ? " " : "", rows[i].expected);
		assert_edits(rows[i].metadata, buf_cstr(&entry), buf_cstr(&expected));
	}
	buf_release(&entry);
	buf_release(&expected);
	assert_edits(",\"annotations\":{\"example.org/created-by\":\"ada\"}",
		     "{\"manager\":\"kubectl-create\",\"time\":\"" CREATED "\",\"fieldsV1\":{\"f:spec\":{\"f:a\":{}}}}",
		     "00:00:00Z kubectl-create person=ada made\n");
}

static void test_tools(void **state)
{
	(void)state;
	assert_string_equal(manager_tool(STR("argocd-application-controller")), "Argo CD");
	assert_string_equal(manager_tool(STR("kustomize-controller")), "Flux");
	assert_string_equal(manager_tool(STR("helm-controller")), "Flux");
	assert_string_equal(manager_tool(STR("helm")), "Helm");
	assert_string_equal(manager_tool(STR("kubectl-client-side-apply")), "kubectl");
	assert_string_equal(manager_tool(STR("kube-controller-manager")), "Kubernetes");
	assert_null(manager_tool(STR("ada")));
	assert_true(manager_is_controller(STR("orc-controller-manager")));
	assert_false(manager_is_controller(STR("kubectl-edit")));
}

static void test_damaged(void **state)
{
	static const char good[] = ENTRY("m", "08:00:00", "{\"f:spec\":{\"f:a\":{}}}");
	static const char *const bad[] = {
		"null", "7", "\"x\"", "[]", "{}",
		"{\"manager\":\"m\",\"fieldsV1\":{\"f:spec\":{\"f:a\":{}}}}",
		"{\"manager\":\"m\",\"time\":\"yesterday\",\"fieldsV1\":{\"f:spec\":{\"f:a\":{}}}}",
		"{\"manager\":7,\"time\":\"2026-11-20T09:00:00Z\",\"fieldsV1\":{\"f:spec\":{\"f:a\":{}}}}",
		"{\"manager\":\"m\",\"time\":\"2026-11-20T09:00:00Z\",\"fieldsV1\":\"{}\"}",
		"{\"manager\":\"m\",\"time\":\"2026-11-20T09:00:00Z\"}",
	};
	struct buf entries = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		buf_reset(&entries);
		buf_printf(&entries, "%s,%s", bad[i], good);
		assert_edits("", buf_cstr(&entries), "08:00:00Z m spec.a\n");
	}
	buf_release(&entries);
	/* the fields of an entry are damaged: who and when still count */
	assert_edits("", ENTRY("m", "08:00:00", "{\"f:spec\":7}"), "08:00:00Z m\n");
	assert_edits("", ENTRY("m", "08:00:00", "{\"f:spec\":{\"k:{{\":{}}}"), "08:00:00Z m\n");
	assert_edits("", ENTRY("m", "08:00:00", "{\"x\":{}}"), "08:00:00Z m\n");
}

/* An entry with so many fields, or that is so deep. */
static void add_entry(struct buf *out, size_t fields, size_t depth)
{
	buf_add_cstr(out, "{\"manager\":\"m\",\"time\":\"2026-11-20T08:00:00Z\",\"fieldsV1\":");
	for (size_t i = 0; i < depth; i++)
		buf_add_cstr(out, "{\"f:d\":");
	buf_add_cstr(out, "{\"f:spec\":{");
	for (size_t i = 0; i < fields; i++)
		buf_printf(out, "%s\"f:a%zu\":{}", i ? "," : "", i);
	buf_add_cstr(out, "}}");
	for (size_t i = 0; i < depth; i++)
		buf_add_char(out, '}');
	buf_add_char(out, '}');
}

static void test_huge(void **state)
{
	struct buf entries = { 0 };
	struct arena arena = { 0 };
	const struct edit *all;
	struct json object;

	(void)state;
	for (size_t round = 0; round < 4; round++) {
		buf_reset(&entries);
		add_entry(&entries, round == 0 ? 100 : round == 1 ? 50000 : 1, round == 2 ? 100 : 0);
		for (size_t i = 0; round == 3 && i < 1000; i++) {
			buf_add_char(&entries, ',');
			add_entry(&entries, 1, 0);
		}
		object = object_of("", buf_cstr(&entries));
		assert_int_equal(managed_edits(object, &arena, &all), round == 3 ? EDITS : 1);
		assert_int_equal(all[0].nfields, round == 0 ? EDIT_FIELDS : round == 3 ? 1 : 0);
		assert_int_equal(all[0].more, round == 0 ? 100 - EDIT_FIELDS : 0);
		json_free(object);
	}
	buf_release(&entries);
	arena_release(&arena);
}

static void test_book(void **state)
{
	struct kind kinds[] = { { .id = 1, .kind = STR("Widget"), .plural = STR("widgets") },
				{ .id = 2, .kind = STR("ResourceQuota"), .plural = STR("resourcequotas") } };
	struct object_id a = { 0, &kinds[0], STR("ns"), STR("a") }, q = { 0, &kinds[1], STR("ns"), STR("q") }, found;
	struct edits *e = edits_new(KIB(64));
	struct json object = object_of("", ENTRY("one", "08:00:00", "{\"f:spec\":{\"f:a\":{}}}"));
	struct json later = object_of("", ENTRY("two", "09:00:00", "{\"f:spec\":{\"f:b\":{}}}"));
	struct json none = object_of("", "");
	struct arena arena = { 0 };
	const struct edit *all;

	(void)state;
	edits_note(e, &a, object);
	edits_note(e, &a, later);
	edits_note(e, &a, none);	/* nothing new is known */
	edits_note(e, &q, object);
	assert_int_equal(edits_of(e, &a, &arena, &all), 1);
	assert_true(str_is(all[0].by.manager, "two") && str_is(all[0].fields[0], "spec.b"));
	a.cluster = 1;
	assert_int_equal(edits_of(e, &a, &arena, &all), 0);
	assert_true(edits_concerning(e, 0, &found) && str_is(found.name, "q"));
	assert_false(edits_concerning(e, 1, &found));
	/* within the ceiling */
	for (size_t i = 0; i < 10000; i++) {
		a.name = arena_printf(&arena, "a%zu", i);
		edits_note(e, &a, object);
	}
	assert_in_range(edits_size(e), KIB(60), KIB(64));
	assert_in_range(edits_count(e), 100, 1000);
	assert_int_equal(edits_of(e, &a, &arena, &all), 1);	/* the newest is kept */
	assert_int_equal(edits_of(e, &q, &arena, &all), 0);	/* the oldest is not */
	assert_false(edits_concerning(e, 0, &found));
	edits_free(e);
	json_free(object);
	json_free(later);
	json_free(none);
	arena_release(&arena);
}

/* Words that nobody uses any more are no longer kept, whether one object has had them or many. */
static void test_ceiling_of_words(void **state)
{
	struct kind kind = { .id = 1, .kind = STR("ResourceQuota"), .plural = STR("resourcequotas") };
	struct edits *e = edits_new(KIB(100));
	struct arena arena = { 0 };
	const struct edit *all;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct str fields[EDIT_FIELDS], name = i % 3 ? STR("same") : arena_printf(&arena, "%u", i);
		struct object_id id = { 0, &kind, STR("ns"), name };

		for (unsigned k = 0; k < EDIT_FIELDS; k++)
			fields[k] = arena_printf(&arena, "spec.field-%u-%u", i, k);
		edits_put(e, &id, &(struct edit){ .time = i, .by = { .manager = name }, .fields = fields, .nfields = EDIT_FIELDS }, 1);
		assert_in_range(edits_size(e), 1, KIB(100));
		assert_int_equal(edits_of(e, &id, &arena, &all), 1);
		assert_true(all[0].time == i && str_eq(all[0].by.manager, name) && str_eq(all[0].fields[EDIT_FIELDS - 1], fields[EDIT_FIELDS - 1]));
		arena_reset(&arena);
	}
	assert_true(edits_count(e) > 5);
	edits_free(e);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_ceiling_of_words),
		cmocka_unit_test(test_the_newest_first),
		cmocka_unit_test(test_what_does_not_count),
		cmocka_unit_test(test_who),
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_book),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

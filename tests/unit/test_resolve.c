/* SPDX-License-Identifier: Apache-2.0 */
/* TYPE and NAME arguments must mean what they mean to kubectl. */
#include "kube/api/resolve.h"
#include "kube/api/type_map.h"
#include "kube/base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct world {
	struct kinds kinds;
	struct arena arena;
	struct resolution got;
	struct err err;
	bool all_namespaces, has_selector;
};

/* Neither list nor get, as with kinds that are only created. */
#define CREATE_ONLY (1u << 31)

/* What a server tells of itself, in its order. */
static const struct {
	const char *group, *kind, *plural, *singular, *shorts, *categories, *versions;
	unsigned flags;
} served[] = {
	{ "", "Pod", "pods", "pod", "po", "all", "v1", KIND_NAMESPACED },
	{ "", "Service", "services", "service", "svc", "all", "v1", KIND_NAMESPACED },
	{ "", "Event", "events", "event", "ev", "", "v1", KIND_NAMESPACED },
	{ "", "Namespace", "namespaces", "namespace", "ns", "", "v1", 0 },
	{ "apps", "Deployment", "deployments", "deployment", "deploy", "all", "v1,v1beta1",
	 KIND_NAMESPACED },
	{ "apps", "ReplicaSet", "replicasets", "replicaset", "rs", "all", "v1", KIND_NAMESPACED },
	{ "storage.k8s.io", "StorageClass", "storageclasses", "storageclass", "sc", "", "v1", 0 },
	{ "events.k8s.io", "Event", "events", "event", "ev", "", "v1", KIND_NAMESPACED },
	{ "b.example.com", "Widget", "widgets", "wdg", "w,wi", "all,things", "v2,v1",
	 KIND_NAMESPACED },
	{ "a.example.com", "Wheel", "wheels", "wheel", "w", "things", "v1", KIND_NAMESPACED },
	{ "a.example.com", "Deployment", "deployments", "deployment", "", "", "v1",
	 KIND_NAMESPACED },
	{ "authentication.k8s.io", "TokenReview", "tokenreviews", "tokenreview", "", "", "v1", CREATE_ONLY },
};

static void add_names(struct kinds *k, const char *list, struct str *out)
{
	struct str rest = str_of(list), name;

	for (size_t n = 0; n < KIND_NAMES && str_split(&rest, ',', &name); n++)
		out[n] = kinds_name(k, name);
}

static int setup(void **state)
{
	struct world *w = test_calloc(1, sizeof(*w));

	kinds_add_builtin(&w->kinds);
	for (size_t i = 0; i < sizeof(served) / sizeof(served[0]); i++) {
		struct kind *kind = kinds_put(&w->kinds, str_of(served[i].group),
					      str_of(served[i].kind));
		struct str versions = kinds_name(&w->kinds, str_of(served[i].versions));

		kind->versions = versions;
		kind->version = kinds_name(&w->kinds, str_head(versions, str_find(versions, ',')));
		kind->plural = kinds_name(&w->kinds, str_of(served[i].plural));
		kind->singular = kinds_name(&w->kinds, str_of(served[i].singular));
		memset(kind->short_names, 0, sizeof(kind->short_names));
		memset(kind->categories, 0, sizeof(kind->categories));
		add_names(&w->kinds, served[i].shorts, kind->short_names);
		add_names(&w->kinds, served[i].categories, kind->categories);
		kind->flags = KIND_DISCOVERED;
		if (served[i].flags != CREATE_ONLY)
			kind->flags |= served[i].flags | KIND_LIST | KIND_GET;
	}
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	kinds_release(&w->kinds);
	arena_release(&w->arena);
	test_free(w);
	return 0;
}

/* line: arguments with a blank between them. */
static int resolve(struct world *w, const char *line)
{
	struct str rest = str_of(line), arg;
	const char *args[16];
	struct resolve_request request = {
		.kinds = &w->kinds, .args = args,
		.all_namespaces = w->all_namespaces, .has_selector = w->has_selector
	};

	while (request.nargs < 16 && str_split(&rest, ' ', &arg))
		args[request.nargs++] = arena_printf(&w->arena, STR_FMT, STR_ARG(arg)).ptr;
	w->err = (struct err){ 0 };
	return resolve_args(&request, &w->arena, &w->got, &w->err);
}

/* expected: "plural.version.group/name" with a blank after each but the last. */
static void gives(struct world *w, const char *line, const char *expected)
{
	struct buf b = { 0 };

	if (resolve(w, line) < 0)
		fail_msg("%s: %s", line, w->err.msg);
	for (size_t i = 0; i < w->got.n; i++) {
		const struct selection *s = &w->got.list[i];

		buf_printf(&b, "%s" STR_FMT "." STR_FMT "." STR_FMT "/" STR_FMT, i ? " " : "",
			   STR_ARG(s->kind->plural),
			   STR_ARG(s->version), STR_ARG(s->kind->group), STR_ARG(s->name));
	}
	assert_string_equal(buf_cstr(&b), expected);
	buf_release(&b);
}

static void fails(struct world *w, const char *line, enum errc code, const char *message)
{
	assert_int_equal(resolve(w, line), -1);
	assert_string_equal(w->err.msg, message);
	assert_int_equal(w->err.code, code);
}

#define PODS "pods.v1./"
#define APPS "deployments.v1.apps/"

static void spellings(void **state)
{
	static const char *const words[] = { "po", "pod", "pods", "Pod", "PODS", "pods.",
					    "pods.v1." };
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		gives(w, words[i], PODS);
	fails(w, "PO", ERR_NOT_SERVED, "the server doesn't have a resource type \"PO\"");
	assert_string_equal(w->err.hint, "did you mean \"po\"?");
}

static void groups_and_versions(void **state)
{
	struct world *w = *state;

	gives(w, "deploy.ap", APPS);
	gives(w, "deployments.apps", APPS);
	gives(w, "deployments.v1.apps", APPS);
	gives(w, "deployments.v1beta1.apps", "deployments.v1beta1.apps/");
	gives(w, "deployments.a.example.com", "deployments.v1.a.example.com/");
	gives(w, "deployments.v1.a.example.com", "deployments.v1.a.example.com/");
	gives(w, "pods.v1.", PODS);
	gives(w, "storageclass.storage", "storageclasses.v1.storage.k8s.io/");
	gives(w, "sc.storage", "storageclasses.v1.storage.k8s.io/");
	gives(w, "widgets.v1.b.example.com", "widgets.v1.b.example.com/");
	gives(w, "widgets", "widgets.v2.b.example.com/");
	/* a version that is not served is no version, but the first part of a group */
	fails(w, "deployments.v9.apps", ERR_NOT_SERVED,
	      "the server doesn't have a resource type \"deployments\"");
}

#define NOT_ALLOWED                                                                                          \
	"Error from server (MethodNotAllowed): the server does not allow this method on the requested resource: " \
	"tokenreviews cannot be listed"

static void unknown_types(void **state)
{
	struct world *w = *state;

	fails(w, "foos", ERR_NOT_SERVED, "the server doesn't have a resource type \"foos\"");
	fails(w, "foos.v1.apps", ERR_NOT_SERVED,
	      "the server doesn't have a resource type \"foos\"");
	fails(w, "foo/bar", ERR_NOT_SERVED, "the server doesn't have a resource type \"foo\"");
	fails(w, "pods,foos", ERR_NOT_SERVED, "the server doesn't have a resource type \"foos\"");
	fails(w, "pods,", ERR_NOT_SERVED, "the server doesn't have a resource type \"\"");
	fails(w, "pods.apps", ERR_NOT_SERVED, "the server doesn't have a resource type \"pods\"");
	/* served, and still without an answer */
	fails(w, "tokenreviews", ERR_SERVER, NOT_ALLOWED);
	fails(w, "pods,tokenreviews", ERR_SERVER, NOT_ALLOWED);
	fails(w, "tokenreview/a", ERR_SERVER, NOT_ALLOWED);
	/* built in, but not served here */
	fails(w, "cronjobs", ERR_NOT_SERVED,
	      "the server doesn't have a resource type \"cronjobs\"");
}

static void what_was_meant(void **state)
{
	static const char *const typos[][2] = {
		{ "pdos", "did you mean \"pods\"?" },
		{ "deploymnets", "did you mean \"deployments\"?" },
		{ "strageclass", "did you mean \"storageclasses\"?" },
		{ "podss", "did you mean \"pods\"?" },
		{ "zzzzzzzz", "\"kubectl api-resources\" lists the types" },
		{ "deploymint.apps", "did you mean \"deployments\"?" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(typos) / sizeof(typos[0]); i++) {
		assert_int_equal(resolve(w, typos[i][0]), -1);
		assert_string_equal(w->err.hint, typos[i][1]);
	}
}

static void ambiguous_short_names(void **state)
{
	struct world *w = *state;

	gives(w, "w", "widgets.v2.b.example.com/");
	assert_string_equal(w->got.warning.ptr, "short name \"w\" could also match lower priority "
			    "resource wheels.a.example.com");
	gives(w, "w.a.example.com", "wheels.v1.a.example.com/");
	assert_int_equal(w->got.warning.len, 0);
	gives(w, "wi", "widgets.v2.b.example.com/");
	assert_int_equal(w->got.warning.len, 0);
}

static void core_comes_first(void **state)
{
	struct world *w = *state;

	gives(w, "events", "events.v1./");
	gives(w, "ev", "events.v1./");
	gives(w, "events.events.k8s.io", "events.v1.events.k8s.io/");
	gives(w, "deployments", APPS);
}

static void by_kind(void **state)
{
	struct world *w = *state;

	gives(w, "Widget.b.example.com", "widgets.v2.b.example.com/");
	gives(w, "widget.b.example.com", "widgets.v2.b.example.com/");
	gives(w, "Widget.v1.b.example.com", "widgets.v1.b.example.com/");
	gives(w, "Widget", "widgets.v2.b.example.com/");
	gives(w, "widget", "widgets.v2.b.example.com/");
	gives(w, "wdg", "widgets.v2.b.example.com/");
	fails(w, "WIDGET.b.example.com", ERR_NOT_SERVED,
	      "the server doesn't have a resource type \"WIDGET\"");
	/* no prefixes of groups here */
	fails(w, "widget.b.example", ERR_NOT_SERVED,
	      "the server doesn't have a resource type \"widget\"");
}

static void products_are_not_made_unique(void **state)
{
	struct world *w = *state;

	gives(w, "pods,po,pod p1", PODS "p1 " PODS "p1 " PODS "p1");
	gives(w, "pods,svc a b", PODS "a " PODS "b services.v1./a services.v1./b");
	gives(w, "pods,pods a", PODS "a");
}

static void lists_are_made_unique(void **state)
{
	struct world *w = *state;

	gives(w, "pods,po", PODS);
	gives(w, "po,svc,pods,pod", PODS " services.v1./");
}

static void test_categories(void **state)
{
	struct world *w = *state;
	const char *all = PODS " services.v1./ " APPS " replicasets.v1.apps/ "
						      "widgets.v2.b.example.com/";

	gives(w, "all", all);
	gives(w, "all,pods,all", all);
	gives(w, "things,ns", "widgets.v2.b.example.com/ wheels.v1.a.example.com/ namespaces.v1./");
	fails(w, "all p1", ERR_USAGE, "you must specify only one resource");
	/* a category has no objects of its own */
	fails(w, "things/x", ERR_NOT_SERVED, "the server doesn't have a resource type \"things\"");
}

#define MIXED "there is no need to specify a resource type as a separate argument when passing " \
	"arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of " \
	"'kubectl get resource resource/<resource_name>'"

static void grammar(void **state)
{
	struct world *w = *state;

	fails(w, "pods pod/a", ERR_USAGE, MIXED);
	fails(w, "pod/a b", ERR_USAGE, MIXED);
	fails(w, "a/b/c", ERR_USAGE,
	      "arguments in resource/name form may not have more than one slash");
	fails(w, "foo/a a/b/c", ERR_USAGE,
	      "arguments in resource/name form may not have more than one slash");
	fails(w, "pod/", ERR_USAGE,
	      "arguments in resource/name form must have a single resource and name");
	fails(w, "/a", ERR_USAGE,
	      "arguments in resource/name form must have a single resource and name");
	fails(w, "pods,svc/a", ERR_USAGE,
	      "arguments in resource/name form must have a single resource and name");
	fails(w, "pods, a", ERR_USAGE,
	      "arguments in resource/name form must have a single resource and name");
	w->all_namespaces = true;
	fails(w, "pod p1", ERR_USAGE,
	      "a resource cannot be retrieved by name across all namespaces");
	fails(w, "pod/p1", ERR_USAGE,
	      "a resource cannot be retrieved by name across all namespaces");
	gives(w, "ns default", "namespaces.v1./default");
	gives(w, "pods", PODS);
	w->all_namespaces = false;
	w->has_selector = true;
	fails(w, "pod p1", ERR_USAGE, "name cannot be provided when a selector is specified");
	fails(w, "pod/p1", ERR_USAGE,
	      "selectors and the all flag cannot be used when passing resource/name arguments");
	gives(w, "pods,svc", PODS " services.v1./");
}

static void forms(void **state)
{
	struct world *w = *state;

	gives(w, "", "");
	gives(w, "pod p1 p2 p1", PODS "p1 " PODS "p2 " PODS "p1");
	gives(w, "pod/p1 svc/s deploy/d pod/p1", PODS "p1 services.v1./s " APPS "d " PODS "p1");
}

static void names(void **state)
{
	struct world *w = *state;

	gives(w, "ns system:node", "namespaces.v1./system:node");
	gives(w, "pod a?b", PODS "a?b");
	fails(w, "pod a%2Fb", ERR_INPUT, "invalid resource name \"a%2Fb\": [may not contain '%']");
	fails(w, "pod/..", ERR_INPUT, "invalid resource name \"..\": [may not be '..']");
}

/* As one types it to kubectl itself. */
static void verbs(void **state)
{
	struct world *w = *state;

	fails(w, "get pods", ERR_NOT_SERVED, "the server doesn't have a resource type \"get\"");
	assert_string_equal(w->err.hint, "leave out \"get\": kubectl status pods");
	fails(w, "describe pod p1", ERR_NOT_SERVED, "the server doesn't have a resource type \"describe\"");
	assert_string_equal(w->err.hint, "leave out \"describe\": kubectl status pod");
	fails(w, "get", ERR_NOT_SERVED, "the server doesn't have a resource type \"get\"");
	assert_null(strstr(w->err.hint, "leave out"));
}

/* "kubectl status pods $POD", where that is empty. */
static void empty_names(void **state)
{
	struct world *w = *state;

	fails(w, "pods  ", ERR_USAGE, "resource name may not be empty");
	fails(w, "pods  p", ERR_USAGE, "resource name may not be empty");
}

static void without_a_server(void **state)
{
	struct world *w = *state;

	for (uint32_t i = 0; i < w->kinds.count; i++)
		w->kinds.all[i]->flags &= ~(unsigned)KIND_DISCOVERED;
	gives(w, "cj", "cronjobs.v1.batch/");
	gives(w, "widgets", "widgets.v2.b.example.com/");
}

static void one_type(void **state)
{
	struct world *w = *state;
	struct arena arena = { 0 };
	struct type_map types = type_map_of(&w->kinds, &arena);
	struct str version;

	assert_ptr_equal(type_map_find(&types, STR("deploy.apps"), &version),
			 kinds_find(&w->kinds, STR("apps"), STR("Deployment")));
	assert_null(type_map_find(&types, STR("nope"), &version));
	assert_null(type_map_find(&types, STR("all"), &version));
	assert_null(type_map_find(&types, STR(""), &version));
	arena_release(&arena);
}

static void odd_arguments(void **state)
{
	static const char *const odd[] = { ".", "..", "...", ",", ",,", "/", "//", "a.b.c.d.e",
					  ".v1.", "\xff\xfe" };
	struct world *w = *state;
	char longest[300];

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_int_equal(resolve(w, odd[i]), -1);
	memset(longest, 'p', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(resolve(w, longest), -1);
}

static const char *hint_for(struct world *w, const char *text)
{
	assert_int_equal(resolve(w, text), -1);
	return w->err.hint;
}

static void nearest_names(void **state)
{
	struct world *w = *state;

	assert_string_equal(hint_for(w, "wheel5"), "did you mean \"wheels\"?");
	assert_string_equal(hint_for(w, "n"), "did you mean \"ns\"?");
	/* the same word is no suggestion: its groups are */
	assert_string_equal(hint_for(w, "wheels.b.example.com"), "did you mean \"wheels.a.example.com\"?");
	assert_string_equal(hint_for(w, "deploy.nowhere.example"), "did you mean \"deployments.apps\"?");
	assert_string_equal(hint_for(w, "pods.nowhere.example"), "did you mean \"pods\"?");
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(spellings), T(groups_and_versions), T(unknown_types),
		T(what_was_meant),
		T(ambiguous_short_names), T(core_comes_first), T(by_kind),
		T(products_are_not_made_unique), T(lists_are_made_unique),
		T(test_categories), T(grammar),
		T(forms), T(names), T(verbs), T(empty_names), T(without_a_server), T(one_type), T(odd_arguments),
		T(nearest_names),
	};

	return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}

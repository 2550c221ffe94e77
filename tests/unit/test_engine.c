/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 1: who judges an object, what is read before it does, where its references point. */
#include "kube/evidence/decision_table.h"
#include "tests/unit/toy.h"

/* ---- which family -------------------------------------------------------- */

static bool claims_db(const struct kind *kind, struct json object)
{
	(void)object;
	return str_is(kind->kind, "Database");
}

static bool claims_shape(const struct kind *kind, struct json object)
{
	(void)kind;
	return json_has(object, "spec.shape");
}

static void test_family_by_specificity(void **state)
{
	static const char *const suffix[] = { "*.cloud.example", NULL },
				 *const exact[] = { "a.cloud.example", "b.cloud.example", NULL },
				 *const both[] = { "*.both.example", "x.both.example", NULL };
	static const struct family by_suffix = { .name = "suffix", .groups = suffix },
				   by_exact = { .name = "exact", .groups = exact },
				   by_both = { .name = "both", .groups = both },
				   picky = { .name = "picky",
					     .groups = exact,
					     .claims = claims_db },
				   shape = { .name = "shape", .claims = claims_shape },
				   generic = { .name = "generic" };
	static const struct family *const all[] = { &shape,   &by_suffix, &picky, &by_exact,
						    &by_both, &generic,	  NULL };
	static const struct {
		const char *group, *kind, *object, *family;
	} rows[] = {
		{ "a.cloud.example", "Database", "{}", "picky" },
		{ "a.cloud.example", "Other", "{}", "exact" },
		{ "c.cloud.example", "Database", "{}", "suffix" },
		{ "x.y.cloud.example", "Other", "{'spec':{'shape':1}}", "suffix" },
		{ "cloud.example", "Other", "{}", "generic" },
		{ "xcloud.example", "Other", "{'spec':{'shape':1}}", "shape" },
		{ "x.both.example", "Other", "{}", "both" },
		{ "y.both.example", "Other", "{}", "both" },
		{ "", "Pod", "{}", "generic" },
		{ "", "Pod", "{'spec':{'shape':null}}", "generic" },
		{ "", "Pod", "{'spec':{'shape':[]}}", "shape" },
	};
	struct kinds kinds = { 0 };
	struct store *store = store_new(&kinds);
	struct engine *e = engine_new(all, store);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct json object = toy_json(rows[i].object);

		assert_string_equal(engine_family(e,
						  kinds_put(&kinds, str_of(rows[i].group),
							    str_of(rows[i].kind)),
						  object)
					    ->name,
				    rows[i].family);
		json_free(object);
	}
	engine_free(e);
	engine_free(NULL);
	store_free(store);
	store_free(NULL);
	kinds_release(&kinds);
}

/* ---- identity ------------------------------------------------------------ */

static void test_identity(void **state)
{
	struct toy_world *w = *state;
	struct engine_source from = { .cluster = 2, .name = STR("stand-in"), .file = 4 };
	struct json doc = toy_json("{'apiVersion':'toy.example/"
				   "v1beta1','kind':'Thing','metadata':{'namespace':'a','uid':'u-1'"
				   ","
				   "'generation':3,'creationTimestamp':'2026-11-20T08:00:00Z','"
				   "deletionTimestamp':'2026-11-20T08:30:00Z'}}");
	struct object_meta meta;
	struct handle h;

	assert_int_equal(engine_put(w->engine, &from, doc, NINE, &h), CHANGE_ADDED);
	meta = store_meta(w->store, h);
	assert_true(str_is(meta.id.name, "stand-in") && str_is(meta.id.ns, "a") &&
		    str_is(store_uid(w->store, h, &w->arena), "u-1"));
	assert_true(meta.id.cluster == 2 && meta.file == 4 && meta.generation == 3);
	assert_true(meta.created == NINE - HOURS(1) && meta.deleting == NINE - MINUTES(30));
	assert_ptr_equal(meta.family, &toy_family);
	assert_true(str_is(meta.id.kind->version, "v1beta1"));
	assert_int_equal(meta.id.kind->flags, KIND_CUSTOM | KIND_NAMESPACED);
	assert_ptr_equal(engine_kind(w->engine, doc), meta.id.kind);
	assert_int_equal(engine_put(w->engine, &from, doc, NINE, &h), CHANGE_NONE);
	assert_true(store_alive(w->store, h));
	from.name = STR_NONE;
	assert_int_equal(engine_put(w->engine, &from, doc, NINE, &h), CHANGE_NONE);
	assert_int_equal(h.slot, 0); /* nameless */
	json_free(doc);
	doc = toy_json("{'metadata':{'name':'n'}}");
	assert_int_equal(engine_put(w->engine, &from, doc, NINE, &h), CHANGE_NONE);
	assert_null(engine_kind(w->engine, doc));
	from.kind = kinds_find(&w->kinds, STR_NONE, STR("Pod"));
	assert_int_equal(engine_put(w->engine, &from, doc, NINE, &h), CHANGE_ADDED);
	assert_ptr_equal(store_meta(w->store, h).family, &toy_generic);
	json_free(doc);
	assert_int_equal(store_count(w->store), 2);
}

static void test_same_name_other_object(void **state)
{
	struct toy_world *w = *state;
	struct engine_source from = { .cluster = 0 };
	struct json first = toy_json("{'apiVersion':'toy.example/v1','kind':'Thing',"
				     "'metadata':{'name':'n','namespace':'a','uid':'u-1'}}");
	struct json second = toy_json("{'apiVersion':'toy.example/v1','kind':'Thing',"
				      "'metadata':{'name':'n','namespace':'a','uid':'u-2'}}");
	struct json untold = toy_json("{'apiVersion':'toy.example/v1','kind':'Thing',"
				      "'metadata':{'name':'n','namespace':'a'}}");
	struct handle old, new, same;

	assert_int_equal(engine_put(w->engine, &from, first, NINE, &old), CHANGE_ADDED);
	assert_int_equal(engine_put(w->engine, &from, second, NINE, &new), CHANGE_ADDED);
	assert_false(store_alive(w->store, old));
	assert_true(store_alive(w->store, new) && store_count(w->store) == 1);
	assert_int_equal(engine_put(w->engine, &from, untold, NINE, &same), CHANGE_UPDATED);
	assert_true(store_alive(w->store, new));
	json_free(first);
	json_free(second);
	json_free(untold);
}

static void test_wrong_types(void **state)
{
	static const char *const rows[] = {
		"null",
		"7",
		"'x'",
		"[]",
		"{}",
		"{'kind':'K','metadata':7}",
		"{'kind':7,'apiVersion':7,'metadata':{'name':7}}",
		"{'kind':'K','metadata':{'name':['x']}}",
		"{'kind':'K','metadata':[{'name':'x'}]}",
		"[{'kind':'K'}]",
	};
	static const char *const odd[] = {
		"{'kind':'K','metadata':{'name':'x'}}",
		"{'kind':'K','apiVersion':'/','metadata':{'name':'x'}}",
		"{'kind':'K','apiVersion':'a/b/c','metadata':{'name':'x','namespace':{}}}",
		"{'kind':'K','metadata':{'name':'x','ownerReferences':{'kind':'K'},'finalizers':'f'"
		",'generation':'1'}}",
		"{'kind':'K','metadata':{'name':'x','ownerReferences':[null,7,'x',[],{},{'kind':7},"
		"{'kind':'K'},{'name':'y'}]}}",
		"{'kind':'K','metadata':{'name':'x','finalizers':[null,7,{},[],'']}}",
		"{'kind':'K','metadata':{'name':'x','deletionTimestamp':true},'status':{'"
		"conditions':{'type':'Ready'}}}",
		"{'kind':'K','metadata':{'name':'x'},'status':{'conditions':[null,7,'x',[],{},{'"
		"type':7},{'type':''},{'type':'T','status':{}}]}}",
		"{'kind':'K','metadata':{'name':'x'},'spec':[],'status':'Ready'}",
	};
	struct toy_world *w = *state;
	struct arena arena = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(toy_put_json(w, rows[i]).slot, 0);
	assert_int_equal(store_count(w->store), 0);
	for (size_t i = 0; i < COUNT(odd); i++) {
		struct handle h = toy_put_json(w, odd[i]);
		struct status st = store_status(w->store, h, &arena);

		assert_true(store_alive(w->store, h));
		assert_int_equal(st.phase, PHASE_UNKNOWN);
		assert_int_equal(st.severity, SEVERITY_NONE);
		assert_true(st.nconditions <= 1 && st.nrefs <= 1);
	}
	arena_release(&arena);
}

/* ---- what is read of every object ----------------------------------------- */

static void inspect_conditions(struct verdict *v)
{
	static const struct row rows[] = {
		{ "quota", .type = "Ready", .status = "False", .reason = "Quota", .then = OUTCOME_MOVEMENT },
		{ "given up", .type = "Ready", .status = "False", .is = 1, .not = 2, .then = OUTCOME_TROUBLE, .flags = FINAL },
		{ "moves", .type = "Ready", .then = OUTCOME_MOVEMENT },
		{ 0 },
	};
	struct reading r = { .v = v, .is = 3 };
	const struct condition *c = verdict_condition(v, "Ready");

	assert_true(verdict_phase(v) == PHASE_UNKNOWN && verdict_severity(v) == SEVERITY_NONE);
	assert_true(verdict_now(v) == NINE && str_is(verdict_name(v), "x") &&
		    str_is(verdict_namespace(v), "a"));
	assert_true(str_is(verdict_kind(v)->kind, "K") && json_has(verdict_object(v), "metadata"));
	assert_true(verdict_created(v) == NINE - HOURS(1) && verdict_deleting(v) == 0 &&
		    verdict_generation(v) == 9);
	assert_int_equal(verdict_condition_count(v), 3);
	assert_null(verdict_condition_at(v, 3));
	assert_ptr_equal(verdict_condition_at(v, 1), c);
	assert_true(condition_is(c, "False") && !condition_is(c, "True") &&
		    !condition_is(NULL, "False"));
	assert_true(c->since == NINE - MINUTES(5) && c->generation == 8 &&
		    str_is(c->severity, "Error"));
	assert_null(verdict_condition(v, "Nothing"));
	assert_int_equal(verdict_condition_at(v, 0)->generation, -1);
	assert_int_equal(verdict_condition_at(v, 0)->polarity, POLARITY_TRANSITIONAL);
	assert_true(condition_is(verdict_condition_at(v, 0), "True")); /* was a boolean */
	assert_int_equal(verdict_condition_at(v, 2)->polarity, POLARITY_NEGATIVE);
	verdict_polarity(v, "Ready", POLARITY_UNKNOWN);
	assert_int_equal(c->polarity, POLARITY_UNKNOWN);
	assert_null(table_decide(&r, rows + 3));
	assert_ptr_equal(table_decide(&r, rows), &rows[2]);
	r.is = 1;
	assert_ptr_equal(table_decide(&r, rows), &rows[1]);
	assert_null(r.condition);	/* what a row rests on is forgotten behind it */
	verdict_add_condition(v, (struct condition){ .type = STR("Added"), .generation = -1 });
}

static void test_conditions(void **state)
{
	static const struct family reader = { .name = "generic",
					      .inspect = inspect_conditions,
					      .conditions_path = "status.conds" };
	static const struct family *const all[] = { &reader, NULL };
	struct toy_world *w = *state;
	struct arena arena = { 0 };
	struct status st;

	engine_free(w->engine);
	w->engine = engine_new(all, w->store);
	st = store_status(w->store,
			  toy_put_json(w, "{'apiVersion':'v1','kind':'K','metadata':{'name':'x','"
					  "namespace':'a','generation':9,"
					  "'creationTimestamp':'2026-11-20T08:00:00Z'},'status':{'"
					  "conditions':[{'type':'Wrong'}],'conds':[{'type':'"
					  "Progressing',"
					  "'status':true},{'type':'Ready','status':'False','reason'"
					  ":'Boom','message':'it is so','severity':'Error',"
					  "'lastTransitionTime':'2026-11-20T08:55:00Z','"
					  "observedGeneration':8},{'type':'Stalled'}]}}"),
			  &arena);
	assert_true(st.phase == PHASE_FAILED && st.severity == SEVERITY_ERROR);
	assert_true(str_is(st.reason, "Boom") && str_is(st.message, "it is so"));
	assert_true(st.since == NINE - MINUTES(5) && st.nconditions == 4);
	assert_true(str_contains(st.rule, "Ready=False"));
	arena_release(&arena);
}

static void inspect_words(struct verdict *v)
{
	static const struct row rows[] = {
		{ "stopped, as wanted", .word = "Stopped Halted", .is = 1, .then = OUTCOME_PAUSE },
		{ "stopped", .word = "stop*", .then = OUTCOME_TROUBLE, .flags = FINAL_IF_DOWN },
		{ 0 },
	};

	assert_null(table_decide(&(struct reading){ .v = v, .word = STR("Runs") }, rows));
	assert_true(table_decide(&(struct reading){ .v = v, .word = STR("halted"), .is = 1 }, rows) && verdict_phase(v) == PHASE_SUSPENDED);
	assert_true(table_decide(&(struct reading){ .v = v, .word = STR("Stopped"), .usable = true }, rows) &&
		    verdict_phase(v) == PHASE_DEGRADED && verdict_severity(v) == SEVERITY_WARNING);
	assert_true(table_decide(&(struct reading){ .v = v, .word = STR("Stopped"), .reason = STR("Other") }, rows) &&
		    verdict_phase(v) == PHASE_FAILED && verdict_severity(v) == SEVERITY_ERROR);
	verdict_word(v, STR("Stopped"));
	verdict_revisit(v, NINE - 1);
	verdict_revisit(v, NINE + 500);
	verdict_revisit(v, NINE + 200);
	verdict_revisit(v, NINE + 900);
	verdict_flag(v, "a");
	verdict_flag(v, "b");
	verdict_flag(v, "a");
	verdict_stale(v);
	verdict_ever_ready(v);
	verdict_complete(v);
	verdict_replicas(v, (struct replicas){ 3, 2, 1, 0 });
	verdict_version(v, STR("1"), STR("2"));
	verdict_rule(v, STR("a rule"));
	verdict_async(v)->source = STR("poller");
	assert_true(verdict_async(v)->percent < 0 && str_is(verdict_async(v)->source, "poller"));
	for (int i = 0; i < 500; i++)
		verdict_history(v, (struct transition){ .time = i });
	verdict_clear_conditions(v);
}

static void test_words(void **state)
{
	static const struct family words = { .name = "generic", .inspect = inspect_words };
	static const struct family *const all[] = { &words, NULL };
	struct toy_world *w = *state;
	struct arena arena = { 0 };
	struct status st;

	engine_free(w->engine);
	w->engine = engine_new(all, w->store);
	st = store_status(w->store,
			  toy_put_json(w, "{'kind':'K','metadata':{'name':'x'},'status':{'"
					  "conditions':[{'type':'T'}]}}"),
			  &arena);
	assert_true(st.phase == PHASE_FAILED && str_is(st.reason, "Other") &&
		    str_is(st.operator_phase, "Stopped"));
	assert_int_equal(st.revisit, NINE + 200);
	assert_true(st.nflags == 2 && st.nconditions == 0 && st.nhistory == 100);
	assert_true(st.stale && st.ever_ready && st.complete && st.replicas.updated == 1);
	assert_true(str_is(st.version_from, "1") && str_is(st.version_to, "2") &&
		    str_is(st.rule, "a rule"));
	assert_true(str_is(st.async->source, "poller") && st.async->percent < 0);
	arena_release(&arena);
}

static void test_deletion(void **state)
{
	static const char going[] = "'deletionTimestamp':'2026-11-20T08:30:00Z'";
	struct toy_world *w = *state;
	struct status st;

	st = store_brief(w->store,
			 toy_put(w, "K/a/x", "Ready", MORE("'message':'fine'", NULL, going)));
	assert_true(st.phase == PHASE_DELETING && st.severity == SEVERITY_INFO &&
		    st.message.len == 0);
	assert_int_equal(st.since, NINE - MINUTES(30));
	st = store_brief(w->store, toy_put(w, "K/a/x", "Failed", MORE(NULL, NULL, going)));
	assert_true(st.phase == PHASE_DELETING && st.severity == SEVERITY_ERROR);
	st = store_brief(w->store, toy_put(w, "K/a/x", "Deleting",
					   MORE("'reason':'R','message':'m','severity':'none'",
						NULL, going)));
	assert_true(st.phase == PHASE_DELETING && st.severity == SEVERITY_INFO &&
		    str_is(st.reason, "R") && str_is(st.message, "m"));
	st = store_brief(w->store,
			 toy_put(w, "K/a/x", "Deleting", NULL)); /* the operator alone says so */
	assert_true(st.phase == PHASE_DELETING && st.since == NINE - MINUTES(5));
}

/* ---- references ----------------------------------------------------------- */

static void inspect_nothing(struct verdict *v)
{
	(void)v;
}

/* "needs toy.example/Net a/n spec.x" for each reference, in their order. */
static void check_refs(struct toy_world *w, struct handle h, const char *expected)
{
	struct status st = store_status(w->store, h, &w->arena);
	struct buf b = { 0 };

	for (size_t i = 0; i < st.nrefs; i++) {
		const struct ref *r = &st.refs[i];

		buf_printf(&b, "%s " STR_FMT "/" STR_FMT " " STR_FMT "/" STR_FMT " " STR_FMT "\n",
			   relation_name(r->relation), STR_ARG(r->group), STR_ARG(r->kind),
			   STR_ARG(r->ns), STR_ARG(r->name), STR_ARG(r->via));
	}
	assert_string_equal(buf_cstr(&b), expected);
	buf_release(&b);
}

static void test_reference_rows(void **state)
{
	static const struct ref_rule rows[] = {
		{ "K", "spec.netRef", NULL, "Net", RELATION_NEEDS, REF_BLOCKS, NULL },
		{ "K", "spec.ports[].netRef", NULL, "Net", RELATION_NEEDS, REF_BLOCKS, "g" },
		{ "K", "spec.secrets[*].name", "", "Secret", RELATION_NEEDS, REF_EXISTS, NULL },
		{ NULL, "spec.list[]", "o.example", "Other", RELATION_MANAGES, 0, NULL },
		{ "Else", "spec.else", NULL, "Net", RELATION_NEEDS, 0, NULL },
		{ 0 },
	};
	static const struct family f = { .name = "generic",
					 .inspect = inspect_nothing,
					 .refs = rows };
	static const struct family *const all[] = { &f, NULL };
	struct toy_world *w = *state;
	struct handle h;

	engine_free(w->engine);
	w->engine = engine_new(all, w->store);
	h = toy_put_json(w, "{'apiVersion':'toy.example/"
			    "v1','kind':'K','metadata':{'name':'x','namespace':'a','"
			    "ownerReferences':[{'apiVersion':"
			    "'toy.example/"
			    "v1','kind':'P','name':'p','controller':true},{'apiVersion':'v1','kind'"
			    ":'Node','name':'no'}]},"
			    "'spec':{'netRef':'n','else':'e','ports':[{'netRef':'n'},{'netRef':{'"
			    "name':'m','namespace':'b'}},{'netRef':7},{},{'netRef':''}],"
			    "'secrets':{'one':{'name':'s1'},'two':{'name':'s2'},'three':'s3'},'"
			    "list':['l',{'name':'k','kind':'Kind','group':'g.example'},"
			    "{'name':'v','apiVersion':'v.example/v2'},null]}}");
	check_refs(w, h,
		   "owns toy.example/P a/p metadata.ownerReferences\n"
		   "owns /Node /no metadata.ownerReferences\n"
		   "needs toy.example/Net a/n spec.netRef\n"
		   "needs toy.example/Net a/n spec.ports[0].netRef\n"
		   "needs toy.example/Net b/m spec.ports[1].netRef\n"
		   "needs /Secret a/s1 spec.secrets[one].name\n"
		   "needs /Secret a/s2 spec.secrets[two].name\n"
		   "manages o.example/Other a/l spec.list[0]\n"
		   "manages g.example/Kind a/k spec.list[1]\n"
		   "manages v.example/Other a/v spec.list[2]\n");
}

static void test_where_references_point(void **state)
{
	struct toy_world *w = *state;
	struct handle h;

	toy_put_json(w, "{'apiVersion':'o.example/"
			"v1','kind':'Far','metadata':{'name':'f','namespace':'a'}}");
	toy_put_json(w, "{'apiVersion':'o.example/v1','kind':'Wide','metadata':{'name':'w'}}");
	h = toy_put(
		w, "K/a/x", "Ready",
		MORE(NULL,
		     "'refs':["
		     "{'kind':'pod','group':'','name':'p'},"			  /* lower case */
		     "{'kind':'Far','group':'','name':'f','flags':'any-group'},"  /* group left out
										   */
		     "{'kind':'Near','group':'','name':'f','flags':'any-group'}," /* nowhere known
										   */
		     "{'kind':'Wide','group':'o.example','name':'w','ns':'b'}," /* cluster-scoped */
		     "{'kind':'New','name':'n'},"
		     "{'kind':'New','name':'n','via':'spec.other','flags':'cluster'},"
		     "{'kind':'New','name':'n','ns':'b','via':'spec.b'},"
		     "{'kind':'Ocid','group':'','name':'ocid1.x','ns':'b'},"
		     "{'kind':'Any','name':'q','flags':'any-kind'},"
		     "{'kind':'','name':''},"
		     "{'kind':'New','name':'n'}]",
		     NULL)); /* twice */
	check_refs(w, h,
		   "needs /Pod a/p spec.ref\n"
		   "needs o.example/Far a/f spec.ref\n"
		   "needs toy.example/Near a/f spec.ref\n"
		   "needs o.example/Wide /w spec.ref\n"
		   "needs toy.example/New a/n spec.ref\n"
		   "needs toy.example/New /n spec.other\n"
		   "needs toy.example/New b/n spec.b\n"
		   "needs /Ocid /ocid1.x spec.ref\n"
		   "needs /? a/q spec.ref\n");
}

static void inspect_waits(struct verdict *v)
{
	toy_refs(v);
	verdict_waits_for(v, (struct ref){ .group = STR("toy.example"),
					   .kind = STR("net"),
					   .name = STR("n"),
					   .message = STR("told") });
	verdict_waits_for(v, (struct ref){ .group = STR("toy.example"),
					   .kind = STR("Net"),
					   .name = STR("other"),
					   .via = STR("status") });
	verdict_waits_for(v,
			  (struct ref){ .kind = STR("?"),
					.name = STR("n"),
					.flags = REF_ANY_KIND | REF_ANY_GROUP | REF_REPORTED_MISSING });
}

static void test_waits_for_marks_references(void **state)
{
	static const struct family f = { .name = "generic", .inspect = inspect_waits };
	static const struct family *const all[] = { &f, NULL };
	struct toy_world *w = *state;
	struct status st;

	engine_free(w->engine);
	w->engine = engine_new(all, w->store);
	st = store_status(w->store,
			  toy_put(w, "K/a/x", "Ready",
				  MORE(NULL,
				       "'refs':[{'kind':'Net','name':'n','via':'spec.netRef','"
				       "message':'old'},{'kind':'Net','name':'n','relation':'"
				       "guards'}]",
				       NULL)),
			  &w->arena);
	assert_int_equal(st.nrefs, 3);
	assert_int_equal(st.refs[0].flags, REF_NAMED | REF_REPORTED_MISSING);
	assert_true(str_is(st.refs[0].message, "told") && str_is(st.refs[0].via, "spec.netRef"));
	assert_int_equal(st.refs[1].flags, 0);
	assert_int_equal(st.refs[2].flags, REF_NAMED | REF_BLOCKS);
	assert_true(str_is(st.refs[2].name, "other") && st.refs[2].relation == RELATION_NEEDS);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, toy_setup, toy_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_family_by_specificity),
		TEST(test_identity),
		TEST(test_same_name_other_object),
		TEST(test_wrong_types),
		TEST(test_conditions),
		TEST(test_words),
		TEST(test_deletion),
		TEST(test_reference_rows),
		TEST(test_where_references_point),
		TEST(test_waits_for_marks_references),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Controllers as causes: found by name, by CSV, by package revision, by lease and
 * by webhook; and whatever came and went, the result is that of a new graph.
 */
#include "tests/unit/look.h"

#define EVENTS 10000
#define EVERY 50

/* What may be there, each in several forms; %s: a phase of its own. */
#define NET(n)                                                                                     \
	"{'apiVersion':'toy.example/v1','kind':'Net','metadata':{'name':'" n                       \
	"','namespace':'a'},'status':{'phase':'%s'}}"
#define SUB(n)                                                                                     \
	"{'apiVersion':'toy.example/v1','kind':'Sub','metadata':{'name':'" n                       \
	"','namespace':'a'},'spec':{'refs':[{'kind':'Net','name':'n0','flags':'blocks'}]},'"       \
	"status':{'phase':'%s'}}"
#define PORT(n)                                                                                    \
	"{'apiVersion':'toy.example/v1','kind':'Port','metadata':{'name':'" n                      \
	"','namespace':'a','finalizers':['x'],'deletionTimestamp':'2026-11-20T08:59:00Z'},'"       \
	"status':{'phase':'%s'}}"
#define DEFINITION(more)                                                                           \
	"{'apiVersion':'apiextensions.k8s.io/"                                                     \
	"v1','kind':'CustomResourceDefinition','metadata':{'name':'subs.toy.example'},'spec':{'"   \
	"refs':[" more "]},'status':{'phase':'%s'}}"
#define DEFINITION_GOING                                                                           \
	"{'apiVersion':'apiextensions.k8s.io/"                                                     \
	"v1','kind':'CustomResourceDefinition','metadata':{'name':'subs.toy.example','"            \
	"deletionTimestamp':'2026-11-20T08:40:00Z','finalizers':['customresourcecleanup."          \
	"apiextensions.k8s.io']},'status':{'phase':'%s'}}"
#define USAGE                                                                                      \
	"{'apiVersion':'toy.example/"                                                              \
	"v1','kind':'Usage','metadata':{'name':'u','namespace':'a'},'spec':{'refs':[{'relation':'" \
	"guards','kind':'Part','name':'part'}]},'status':{'phase':'%s'}}"
#define USED                                                                                       \
	"{'apiVersion':'toy.example/"                                                              \
	"v1','kind':'Part','metadata':{'name':'part','namespace':'a','ownerReferences':[{'"        \
	"apiVersion':'toy.example/"                                                                \
	"v1','kind':'Whole','name':'whole','controller':true,'blockOwnerDeletion':true}]},'"    \
	"status':{'phase':'%s'}}"
#define PARENT                                                                                     \
	"{'apiVersion':'toy.example/"                                                              \
	"v1','kind':'Whole','metadata':{'name':'whole','namespace':'a','finalizers':['"            \
	"foregroundDeletion'],'deletionTimestamp':'2026-11-20T08:50:00Z'},'status':{'phase':'%s'}" \
	"}"
#define OWNER                                                                                      \
	"{'relation':'owns','kind':'Rev','name':'r','flags':'cluster','via':'metadata."            \
	"ownerReferences'}"
#define CONVERSION                                                                                 \
	"{'group':'','kind':'Service','ns':'home','name':'svc','flags':'exists','via':'spec."      \
	"conversion.service'}"
#define CSV(n, deployment)                                                                         \
	"{'apiVersion':'toy.example/v1','kind':'Csv','metadata':{'name':'" n                       \
	"','namespace':'home'},'spec':{'refs':[{'relation':'manages','group':'apiextensions.k8s."  \
	"io','kind':'CustomResourceDefinition','name':'subs.toy.example','flags':'cluster','via':" \
	"'spec.owned[0]'},{'relation':'manages','group':'apps','kind':'Deployment','name':"        \
	"'" deployment "','via':'spec.install'}]},'status':{'phase':'%s'}}"
#define DEPLOYMENT(n, refs)                                                                        \
	"{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'" n                       \
	"','namespace':'home'},'spec':{'refs':[" refs "]},'status':{'phase':'%s'}}"
#define LEASE(n, pod, flags)                                                                       \
	"{'apiVersion':'coordination.k8s.io/v1','kind':'Lease','metadata':{'name':'" n             \
	"','namespace':'home'},'spec':{'refs':[{'group':'','kind':'Pod','name':'" pod              \
	"','via':'spec.holderIdentity'}]},'status':{'phase':'%s','since':'2026-11-20T08:55:00Z','flags':[" flags "]}}"
#define SERVICE                                                                                    \
	"{'apiVersion':'v1','kind':'Service','metadata':{'name':'svc','namespace':'home'},'"       \
	"status':{'phase':'%s'}}"
#define REVISION                                                                                   \
	"{'apiVersion':'toy.example/"                                                              \
	"v1','kind':'Rev','metadata':{'name':'r'},'status':{'phase':'%s'}}"
#define OWNED                                                                                      \
	"{'relation':'owns','kind':'Rev','name':'r','flags':'cluster "                             \
	"controller','via':'metadata.ownerReferences'}"

static const char *const things[] = {
	NET("n0"),
	NET("n1"),
	SUB("s0"),
	SUB("s1"),
	PORT("p0"),
	PORT("p1"),
	DEFINITION(""),
	DEFINITION_GOING,
	USAGE,
	USED,
	PARENT,
	DEFINITION(OWNER),
	DEFINITION(CONVERSION),
	DEFINITION(OWNER "," CONVERSION),
	CSV("c0", "d0"),
	CSV("c0", "d1"),
	CSV("c1", "d1"),
	DEPLOYMENT("d0", ""),
	DEPLOYMENT("d1", ""),
	DEPLOYMENT("d2", OWNED),
	DEPLOYMENT("d2", ""),
	DEPLOYMENT("net-controller", ""),
	LEASE("l", "d0-x", ""),
	LEASE("l", "d0-x", "'expired'"),
	LEASE("l", "net-controller-x", "'expired'"),
	LEASE("port-lease", "elsewhere", ""),
	LEASE("port-lease", "elsewhere", "'expired'"),
	SERVICE,
	REVISION,
};

struct world {
	struct toy_world w;
	uint64_t random;
	char *texts[COUNT(things)]; /* by the first thing of that name */
};

static unsigned below(struct world *m, unsigned n)
{
	m->random = m->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((m->random >> 33) % n);
}

static struct handle put(struct toy_world *w, const char *thing, const char *phase)
{
	struct buf b = { 0 };
	struct handle h;
	const char *at = strstr(thing, "%s");

	buf_add(&b, (struct str){ thing, (size_t)(at - thing) });
	buf_add_cstr(&b, phase);
	buf_add_cstr(&b, at + 2);
	h = toy_put_json(w, buf_cstr(&b));
	buf_release(&b);
	return h;
}

static void complete(struct toy_world *w)
{
	toy_open(w);
	store_set_coverage(w->store, 0, kinds_find(&w->kinds, STR_NONE, STR("Service")), STR_NONE,
			   COVERAGE_COMPLETE);
}

/* ---- one after the other --------------------------------------------------- */

static void check(struct toy_world *w, const char *id, const char *should_be)
{
	struct item it = toy_item(w, id);
	struct buf b = { 0 };

	for (size_t i = 0; i < it.nwaits; i++)
		buf_printf(&b, "%s%s " STR_FMT, i ? ", " : "", wait_state_name(it.waits[i].state),
			   STR_ARG(it.waits[i].on.name));
	assert_string_equal(buf_cstr(&b), should_be);
	buf_release(&b);
}

static void test_well_known(void **state)
{
	struct toy_world *w = *state;
	struct handle h;

	put(w, NET("n0"), "Provisioning");
	check(w, "Net/a/n0", ""); /* not seen: it may run elsewhere */
	h = put(w, DEPLOYMENT("net-controller", ""), "Failed");
	check(w, "Net/a/n0", "controller net-controller");
	assert_int_equal(toy_item(w, "Net/a/n0").s.phase, PHASE_WAITING);
	put(w, DEPLOYMENT("net-controller", ""), "Ready");
	check(w, "Net/a/n0", "");
	put(w, LEASE("l", "net-controller-x", "'expired'"), "Ready");
	check(w, "Net/a/n0", "controller net-controller");
	put(w, LEASE("l", "net-controllers-x", "'expired'"), "Ready"); /* of another */
	check(w, "Net/a/n0", "");
	put(w, DEPLOYMENT("net-controller", ""), "Failed");
	put(w, NET("n0"), "Failed"); /* by itself */
	check(w, "Net/a/n0", "");
	put(w, NET("n0"), "Ready");
	check(w, "Net/a/n0", "");
	put(w, NET("n0"), "Updating");
	check(w, "Net/a/n0", "controller net-controller");
	store_remove(w->store, h);
	check(w, "Net/a/n0", "");
}

static void test_by_definition(void **state)
{
	struct toy_world *w = *state;
	struct handle csv, definition;

	put(w, SUB("s0"), "Provisioning");
	put(w, DEPLOYMENT("d0", ""), "Failed");
	check(w, "Sub/a/s0", "");
	csv = put(w, CSV("c0", "d0"), "Ready");
	check(w, "Sub/a/s0", "controller d0");
	put(w, CSV("c0", "d1"), "Ready");
	check(w, "Sub/a/s0", "");
	put(w, DEPLOYMENT("d1", ""), "Failed");
	check(w, "Sub/a/s0", "controller d1");
	store_remove(w->store, csv);
	check(w, "Sub/a/s0", "");
	definition = put(w, DEFINITION(OWNER), "Ready");
	put(w, REVISION, "Ready");
	put(w, DEPLOYMENT("d2", OWNED), "Failed");
	check(w, "Sub/a/s0", "controller d2");
	store_remove(w->store, definition);
	check(w, "Sub/a/s0", "");
	put(w, DEFINITION(CONVERSION), "Ready");
	check(w, "Sub/a/s0", "missing svc");
	put(w, SERVICE, "Degraded");
	check(w, "Sub/a/s0", "controller svc");
	put(w, SERVICE, "Ready");
	check(w, "Sub/a/s0", "");
}

static void test_cause(void **state)
{
	struct toy_world *w = *state;
	const struct root_cause *r;
	size_t n;

	put(w, NET("n0"), "Provisioning");
	put(w, SUB("s0"), "Provisioning");
	put(w, DEPLOYMENT("net-controller", ""), "Failed");
	graph_settle(w->graph, w->now);
	r = graph_roots(w->graph, &w->arena, &n);
	assert_int_equal(n, 1);
	assert_int_equal(r->cause, WAIT_CONTROLLER);
	assert_true(str_is(r->id.name, "net-controller"));
	assert_int_equal(r->nblocked, 2);
}

/* ---- at random --------------------------------------------------------------- */

/* The first thing of the same kind and name: forms of one object share a place. */
static unsigned place_of(unsigned thing)
{
	struct json own = toy_json(things[thing]);
	unsigned place;

	for (place = 0; place < thing; place++) {
		struct json other = toy_json(things[place]);
		bool same =
			str_eq(json_str(own, "metadata.name"), json_str(other, "metadata.name")) &&
			str_eq(json_str(own, "kind"), json_str(other, "kind"));

		json_free(other);
		if (same)
			break;
	}
	json_free(own);
	return place;
}

/*
 * Provisioning is not among the phases: an object that was Ready before is Updating then (kube/status/retry.h), and the
 * world that is built anew for the comparison has not seen it Ready.
 */
static void event(struct world *m)
{
	static const char *const phases[] = { "Ready", "Waiting", "Updating", "Failed", "Degraded", "Updating" };
	unsigned i = below(m, COUNT(things)), place = place_of(i);
	const char *phase = phases[below(m, COUNT(phases))], *at = strstr(things[i], "%s");
	struct buf b = { 0 };
	struct handle h;
	size_t roots;

	buf_add(&b, (struct str){ things[i], (size_t)(at - things[i]) });
	buf_add_cstr(&b, phase);
	buf_add_cstr(&b, at + 2);
	h = toy_put_json(&m->w, buf_cstr(&b));
	xfree(m->texts[place]);
	m->texts[place] = NULL;
	if (below(m, 100) < 30)
		store_remove(m->w.store, h);
	else
		m->texts[place] = xstrdup(buf_cstr(&b));
	if (below(m, 100) < 70)
		settle_anew(&m->w);
	if (below(m, 100) < 20) /* causes that may have to be forgotten */
		graph_roots(m->w.graph, &m->w.arena, &roots);
	buf_release(&b);
}

static bool compare(struct world *m)
{
	static struct lines got, fresh;
	struct toy_world w;
	bool same;

	complete(&w);
	for (unsigned i = 0; i < COUNT(m->texts); i++)
		if (m->texts[i])
			toy_put_json(&w, m->texts[i]);
	look(&m->w, &got);
	look(&w, &fresh);
	same = !lines_differ(&got, &fresh);
	lines_clear(&got);
	lines_clear(&fresh);
	toy_close(&w);
	return same;
}

static void test_any_order(void **state)
{
	struct world m = { .random = 5 };
	bool same = true;
	unsigned i;

	(void)state;
	complete(&m.w);
	for (i = 1; i <= EVENTS && same; i++) {
		event(&m);
		if (i % EVERY == 0)
			same = compare(&m);
	}
	for (unsigned k = 0; k < COUNT(m.texts); k++)
		xfree(m.texts[k]);
	toy_close(&m.w);
	if (!same)
		fail_msg("after event %u", i - 1);
}

static int setup(void **state)
{
	struct toy_world *w = xmalloc(sizeof(*w));

	complete(w);
	*state = w;
	return 0;
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, toy_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_well_known),
		TEST(test_by_definition),
		TEST(test_cause),
		cmocka_unit_test(test_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a family says of an object comes out of the store as it went in. */
#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/utf8.h"
#include "kube/model/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct world {
	struct kinds kinds;
	struct store *store;
	struct arena arena;
};

static int setup(void **state)
{
	static struct world w;

	w = (struct world){ 0 };
	w.store = store_new(&w.kinds);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	store_free(w->store);
	kinds_release(&w->kinds);
	arena_release(&w->arena);
	return 0;
}

static enum change put(struct world *w, const struct status *st, struct handle *h)
{
	struct object_meta meta = { .id = { 0, kinds_put(&w->kinds, STR("x"), STR("X")), STR("ns"),
					    STR("x") } };

	return store_put(w->store, &meta, st, h);
}

static struct status stored(struct world *w, const struct status *st)
{
	struct handle h;

	put(w, st, &h);
	return store_status(w->store, h, &w->arena);
}

static void same(struct str a, struct str b)
{
	if (!str_eq(a, b))
		fail_msg("\"" STR_FMT "\" and not \"" STR_FMT "\"", STR_ARG(a), STR_ARG(b));
	assert_non_null(a.ptr);
}

static struct str long_text(struct world *w, size_t n, char c)
{
	char *text = arena_alloc(&w->arena, n);

	memset(text, c, n);
	return (struct str){ text, n };
}

/* ---- everything ---------------------------------------------------------- */

static void test_meta(void **state)
{
	struct world *w = *state;
	const struct kind *kind = kinds_put(&w->kinds, STR("g.example"), STR("Thing"));
	struct object_meta in = { .id = { 3, kind, STR("ns"), STR("name") },
				  .uid = STR("11111111-2222-3333-4444-555555555555"),
				  .created = 123456789012,
				  .deleting = -5,
				  .generation = INT64_MAX,
				  .family = (const struct family *)(const void *)w,
				  .file = 7 },
			   out;
	struct status st = { .phase = PHASE_READY };
	struct handle h;

	store_put(w->store, &in, &st, &h);
	out = store_meta(w->store, h);
	assert_int_equal(out.id.cluster, 3);
	assert_ptr_equal(out.id.kind, kind);
	same(out.id.ns, in.id.ns);
	same(out.id.name, in.id.name);
	same(store_uid(w->store, h, &w->arena), in.uid);
	assert_true(out.created == in.created && out.deleting == in.deleting &&
		    out.generation == in.generation);
	assert_ptr_equal(out.family, in.family);
	assert_int_equal(out.file, 7);
	in.generation--;
	assert_int_equal(store_put(w->store, &in, &st, &h), CHANGE_UPDATED);
	in.uid = STR("11111111-2222-3333-4444-555555555556");
	assert_int_equal(store_put(w->store, &in, &st, &h), CHANGE_UPDATED);
}

/* Whatever it looks like, it comes back as it was. */
static void test_uids(void **state)
{
	static const char *const uids[] = {
		"0f8fad5b-d9cb-469f-a165-70867728950e", "0F8FAD5B-D9CB-469F-A165-70867728950E",
		"0f8fad5b-d9cb-469f-a165-70867728950g", "0f8fad5bXd9cb-469f-a165-70867728950e",
		"0f8fad5b-d9cb-469f-a165-70867728950",	"other", "",
	};
	struct world *w = *state;
	const struct kind *kind = kinds_put(&w->kinds, STR("g.example"), STR("Thing"));
	struct object_meta in = { .id = { 0, kind, STR("ns"), STR("uids") } };
	struct status st = { .phase = PHASE_READY };
	struct handle h;

	for (size_t i = 0; i < sizeof(uids) / sizeof(uids[0]); i++) {
		in.uid = str_of(uids[i]);
		assert_int_equal(store_put(w->store, &in, &st, &h), i ? CHANGE_UPDATED : CHANGE_ADDED);
		same(store_uid(w->store, h, &w->arena), in.uid);
		assert_int_equal(store_put(w->store, &in, &st, &h), CHANGE_NONE);
	}
}

static const struct status scalars = {
	.phase = PHASE_MAINTENANCE,
	.severity = SEVERITY_WARNING,
	.operator_phase = { "CrashLoopBackOff", 16 },
	.reason = { "Why", 3 },
	.message = { "A message", 9 },
	.rule = { "Ready=False", 11 },
	.row = { "trouble of the whole", 20 },
	.since = 1795165200001,
	.revisit = 1795165200002,
	.stale = true,
	.ever_ready = true,
	.complete = true,
	.replicas = { 5, 4, 0, -1 },
	.version_from = { "1.0.0", 5 },
	.version_to = { "2.0.0", 5 },
};

static void test_scalars(void **state)
{
	struct world *w = *state;
	struct status out = stored(w, &scalars), brief;
	struct handle h;

	assert_int_equal(put(w, &scalars, &h), CHANGE_NONE);
	brief = store_brief(w->store, h);
	for (int i = 0; i < 2; i++, out = brief) {
		assert_true(out.phase == PHASE_MAINTENANCE && out.severity == SEVERITY_WARNING);
		same(out.operator_phase, scalars.operator_phase);
		same(out.reason, scalars.reason);
		same(out.message, scalars.message);
		same(out.rule, scalars.rule);
		same(out.row, scalars.row);
		same(out.version_from, scalars.version_from);
		same(out.version_to, scalars.version_to);
		assert_true(out.since == scalars.since && out.revisit == scalars.revisit);
		assert_true(out.stale && out.ever_ready && out.complete);
		assert_memory_equal(&out.replicas, &scalars.replicas, sizeof(out.replicas));
		assert_null(out.async);
		assert_int_equal(out.nconditions + out.nrefs + out.nexternal + out.nhistory + out.nbecause +
					 out.nflags + out.nfinalizers + out.nparticulars,
				 0);
	}
	assert_true(store_percent(w->store, h) < 0);
}

/* Each field alone makes an update. */
static void test_any_difference_is_a_change(void **state)
{
	struct world *w = *state;
	struct status v[15];
	struct handle h;

	for (size_t i = 0; i < COUNT(v); i++)
		v[i] = scalars;
	v[0].phase = PHASE_READY;
	v[1].severity = SEVERITY_ERROR;
	v[2].operator_phase = STR("Other");
	v[3].reason = STR_NONE;
	v[4].message = STR("A messagf");
	v[5].rule = STR("x");
	v[6].since++;
	v[7].revisit++;
	v[8].stale = false;
	v[9].ever_ready = false;
	v[10].complete = false;
	v[11].replicas.current = 0;
	v[12].version_from = STR("1");
	v[13].version_to = STR("1");
	v[14].row = STR("a row");
	for (size_t i = 0; i < COUNT(v); i++) {
		put(w, &scalars, &h);
		assert_int_equal(put(w, &v[i], &h), CHANGE_UPDATED);
		assert_int_equal(put(w, &v[i], &h), CHANGE_NONE);
	}
}

static void test_conditions(void **state)
{
	struct condition in[] = {
		{ STR("Ready"), STR("False"), STR("R"), STR("M"), STR("Error"), 11, 3,
		  POLARITY_NEGATIVE },
		{ STR("Synced"), STR("True"), STR_NONE, STR("M"), STR_NONE, 0, -1,
		  POLARITY_TRANSITIONAL },
	};
	struct status st = scalars, out;

	st.conditions = in, st.nconditions = 2;
	out = stored(*state, &st);
	assert_int_equal(out.nconditions, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct condition *c = &out.conditions[i];

		same(c->type, in[i].type);
		same(c->status, in[i].status);
		same(c->reason, in[i].reason);
		same(c->message, in[i].message);
		same(c->severity, in[i].severity);
		assert_true(c->since == in[i].since && c->generation == in[i].generation);
		assert_int_equal(c->polarity, in[i].polarity);
	}
}

static void test_references(void **state)
{
	struct ref in[] = {
		{ RELATION_REPLACES, 0xFFF, STR("g"), STR("K"), STR("n"), STR("a"), STR("via"),
		  STR("guard"), STR("msg") },
		{ RELATION_NEEDS, 0, STR_NONE, STR("Node"), STR_NONE, STR("b"), STR_NONE, STR_NONE,
		  STR_NONE },
	};
	struct status st = scalars, out;
	struct handle h;

	st.refs = in, st.nrefs = 2;
	out = stored(*state, &st);
	assert_int_equal(out.nrefs, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct ref *r = &out.refs[i];

		assert_true(r->relation == in[i].relation && r->flags == in[i].flags);
		same(r->group, in[i].group);
		same(r->kind, in[i].kind);
		same(r->ns, in[i].ns);
		same(r->name, in[i].name);
		same(r->via, in[i].via);
		same(r->guard, in[i].guard);
		same(r->message, in[i].message);
	}
	in[0].flags = 1;
	assert_int_equal(put(*state, &st, &h), CHANGE_UPDATED);
}

static void test_lists(void **state)
{
	struct external_wait external[] = { { WAIT_APPROVAL, STR("Plan"), STR("p"),
					      STR("spec.approved"), STR("approve") } };
	struct transition history[] = { { 5, STR("Pending"), STR("R"), STR("m") },
					{ 6, STR("Ready"), STR_NONE, STR_NONE } };
	struct str flags[] = { STR("unmanaged"), STR("copied") },
		   finalizers[] = { STR("x.example/f"), STR_NONE },
		   particulars[] = { STR("port http/8080/TCP"), STR("port admin/9090/TCP"), STR("label app=shop") };
	struct because because[] = { { STR("condition Ready=False"), STR("m"), STR("status.conditions[type=Ready]"), BECAUSE_DECIDES },
				     { STR("field lastError"), STR_NONE, STR_NONE, BECAUSE_OVERRULED } };
	struct status st = scalars, out;
	struct handle h;
	size_t at;

	st.external = external, st.nexternal = 1;
	st.because = because, st.nbecause = 2;
	st.history = history, st.nhistory = 2;
	st.flags = flags, st.nflags = 2;
	st.finalizers = finalizers, st.nfinalizers = 2;
	st.particulars = particulars, st.nparticulars = 3;
	out = stored(*state, &st);
	assert_true(out.nexternal == 1 && out.nhistory == 2 && out.nbecause == 2 && out.nflags == 2 &&
		    out.nfinalizers == 2 && out.nparticulars == 3);
	at = 0;
	same(status_particular(&out, "label", &at), STR("app=shop"));
	same(status_particular(&out, "label", &at), STR_NONE);
	at = 0;
	same(status_particular(&out, "port", &at), STR("http/8080/TCP"));
	same(status_particular(&out, "port", &at), STR("admin/9090/TCP"));
	same(status_particular(&out, "port", &at), STR_NONE);
	for (size_t i = 0; i < 2; i++) {
		assert_true(out.history[i].time == history[i].time);
		same(out.history[i].what, history[i].what);
		same(out.history[i].reason, history[i].reason);
		same(out.history[i].message, history[i].message);
		same(out.flags[i], flags[i]);
		same(out.finalizers[i], finalizers[i]);
		same(out.because[i].what, because[i].what);
		same(out.because[i].message, because[i].message);
		same(out.because[i].from, because[i].from);
		assert_int_equal(out.because[i].role, because[i].role);
	}
	assert_int_equal(out.external[0].state, WAIT_APPROVAL);
	same(out.external[0].kind, external[0].kind);
	same(out.external[0].name, external[0].name);
	same(out.external[0].via, external[0].via);
	same(out.external[0].message, external[0].message);
	assert_int_equal(put(*state, &st, &h), CHANGE_NONE);
	because[1].role = BECAUSE_AGREES;
	assert_int_equal(put(*state, &st, &h), CHANGE_UPDATED);
}

static void test_async(void **state)
{
	struct world *w = *state;
	struct async async = { STR("workrequest"),
			       STR("create"),
			       STR("pending"),
			       STR("IN_PROGRESS"),
			       STR("CREATE_QUEUE"),
			       STR("ocid1.workrequest.1"),
			       STR("req-1"),
			       STR("busy"),
			       42.5,
			       99 };
	struct status st = scalars, out;
	struct handle h;

	st.async = &async;
	out = stored(w, &st);
	same(out.async->source, async.source);
	same(out.async->phase, async.phase);
	same(out.async->class, async.class);
	same(out.async->raw_status, async.raw_status);
	same(out.async->raw_operation, async.raw_operation);
	same(out.async->work_request_id, async.work_request_id);
	same(out.async->request_id, async.request_id);
	same(out.async->message, async.message);
	assert_true(out.async->updated == 99 && out.async->percent > 42 && out.async->percent < 43);
	assert_int_equal(put(w, &st, &h), CHANGE_NONE);
	assert_true(store_percent(w->store, h) > 42);
	async.percent = 43.5;
	assert_int_equal(put(w, &st, &h), CHANGE_UPDATED);
}

/* ---- limits -------------------------------------------------------------- */

static void test_more_than_the_limits(void **state)
{
	struct world *w = *state;
	struct condition conditions[LIMIT_CONDITIONS + 50];
	struct transition history[LIMIT_CONDITIONS + 50];
	struct str flags[LIMIT_CONDITIONS + 50];
	struct status in = scalars, out;
	char name[COUNT(flags)][8];

	for (size_t i = 0; i < COUNT(flags); i++) {
		snprintf(name[i], sizeof(name[i]), "t%zu", i);
		flags[i] = str_of(name[i]);
		conditions[i] = (struct condition){ .type = flags[i],
						    .message = flags[i],
						    .generation = (int64_t)i };
		history[i] = (struct transition){ .time = (int64_t)i, .what = flags[i] };
	}
	in.conditions = conditions, in.nconditions = COUNT(conditions);
	in.history = history, in.nhistory = COUNT(history);
	in.flags = flags, in.nflags = COUNT(flags);
	in.finalizers = flags, in.nfinalizers = COUNT(flags);
	out = stored(w, &in);
	assert_int_equal(out.nconditions, LIMIT_CONDITIONS);
	assert_int_equal(out.nhistory, LIMIT_CONDITIONS);
	assert_int_equal(out.nflags, LIMIT_CONDITIONS);
	assert_int_equal(out.nfinalizers, LIMIT_CONDITIONS);
	for (size_t i = 0; i < LIMIT_CONDITIONS; i++) {
		same(out.conditions[i].type, flags[i]);
		same(out.conditions[i].message, flags[i]);
		assert_int_equal(out.conditions[i].generation, i);
		same(out.history[i].what, flags[i]);
		same(out.flags[i], flags[i]);
		same(out.finalizers[i], flags[i]);
	}
	same(out.message, scalars.message);
}

static void test_long_texts(void **state)
{
	struct world *w = *state;
	struct status in = scalars, out;

	in.message = long_text(w, LIMIT_MESSAGE, 'm');
	in.reason = long_text(w, 300, 'r');
	in.operator_phase = long_text(w, LIMIT_MESSAGE + 1000, 'o');
	out = stored(w, &in);
	same(out.message, in.message);
	same(out.reason, in.reason);
	assert_int_equal(out.operator_phase.len, LIMIT_MESSAGE);
	assert_true(str_contains(out.operator_phase, "o…o"));
	in.message = (struct str){ "a\0b", 3 };
	same(stored(w, &in).message, in.message);
}

/* A text is cut between two characters, in its middle. */
static void test_cut_is_still_utf8(void **state)
{
	struct world *w = *state;

	for (size_t before = 0; before < 8; before++) {
		char text[LIMIT_MESSAGE * 2];
		struct status in = scalars, out;
		size_t at = 0;

		memset(text, 'x', sizeof(text));
		memcpy(text + LIMIT_MESSAGE * 2 / 3 - before, "\xF0\x9F\x98\x80", 4);
		memcpy(text + sizeof(text) - LIMIT_MESSAGE / 3 - before + 4, "\xF0\x9F\x98\x80", 4);
		in.message = (struct str){ text, sizeof(text) };
		out = stored(w, &in);
		assert_true(out.message.len <= LIMIT_MESSAGE &&
			    out.message.len >= LIMIT_MESSAGE - 8);
		while (at < out.message.len)
			assert_int_not_equal(utf8_next(out.message, &at), 0xFFFD);
	}
}

/* More words than a vocabulary has, each a reason of its own. */
static void test_many_words(void **state)
{
	struct world *w = *state;
	char reason[32];

	for (unsigned i = 0; i < 60000; i++) {
		struct status in = scalars;
		struct handle h;

		snprintf(reason, sizeof(reason), "Reason%u", i);
		in.reason = str_of(reason);
		put(w, &in, &h);
		if (!str_eq(store_brief(w->store, h).reason, in.reason))
			fail_msg("%s", reason);
		assert_int_equal(put(w, &in, &h), CHANGE_NONE);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_meta),
		TEST(test_uids),
		TEST(test_scalars),
		TEST(test_any_difference_is_a_change),
		TEST(test_conditions),
		TEST(test_references),
		TEST(test_lists),
		TEST(test_async),
		TEST(test_more_than_the_limits),
		TEST(test_long_texts),
		TEST(test_cut_is_still_utf8),
		TEST(test_many_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

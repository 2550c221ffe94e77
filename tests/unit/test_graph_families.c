/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worlds of tests/family once more, but as they come about in a cluster: one
 * object after the other, in any order, gone and there again.  In the end they
 * must look as if everything had been there at once.  Run from the root of the tree.
 */
#include "tests/unit/look.h"

#include "kube/family/families.h"
#include "kube/model/yaml.h"

#include <glob.h>

#define OBJECTS 200
#define ROUNDS 3

struct world_file {
	const char *name;
	struct json objects[OBJECTS];
	bool there[OBJECTS];
	struct handle at[OBJECTS];
	unsigned n;
	int64_t now;
	uint64_t random;
};

static unsigned below(struct world_file *f, unsigned n)
{
	f->random = f->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((f->random >> 33) % n);
}

static char *read_file(const char *name)
{
	struct buf b = { 0 };
	char part[4096];
	FILE *in = fopen(name, "r");
	size_t n;

	if (!in)
		fail_msg("%s cannot be opened", name);
	while ((n = fread(part, 1, sizeof(part), in)) > 0)
		buf_add(&b, (struct str){ part, n });
	fclose(in);
	return b.ptr ? b.ptr : xstrdup("");
}

/* Every item of a List is a document of its own; the copy is ours. */
static void add_object(struct world_file *f, struct str json)
{
	struct json doc;
	struct err err;

	if (json_parse(json, &doc, &err) < 0)
		fail_msg("%s: %s", f->name, err.msg);
	assert_true(f->n < OBJECTS);
	f->objects[f->n++] = doc;
}

static int on_document(void *ctx, struct str json, struct err *err)
{
	(void)err;
	add_object(ctx, json);
	return 0;
}

/* "# now: 2026-11-20T09:00:00Z" */
static int64_t now_of(struct str text)
{
	size_t at = str_find_str(text, "# now: ");

	return at < text.len ? time_parse(str_head(str_from(text, at + 7), 20)) : NINE;
}

static bool load(struct world_file *f, const char *name)
{
	static const struct yaml_ops ops = { on_document };
	char *text = read_file(name);
	struct err err;
	int result;

	*f = (struct world_file){ .name = name, .now = now_of(str_of(text)), .random = 7 };
	result = yaml_each(str_of(text), &ops, f, &err);
	xfree(text);
	return result == 0;
}

static void unload(struct world_file *f)
{
	for (unsigned i = 0; i < f->n; i++)
		json_free(f->objects[i]);
}

/* As files are read: first every kind is known, then the objects come. */
static void open_world(struct toy_world *w, const struct world_file *f)
{
	toy_open(w);
	engine_free(w->engine);
	w->engine = engine_new(families_all, w->store);
	w->now = f->now;
	store_set_coverage(w->store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	for (unsigned i = 0; i < f->n; i++)
		engine_kind(w->engine, f->objects[i]);
}

static struct handle put_again(struct toy_world *w, struct world_file *f, unsigned i, bool again)
{
	struct engine_source from = { .file = 1, .again = again };
	struct handle h;

	engine_put(w->engine, &from, f->objects[i], w->now, &h);
	f->there[i] = true;
	return f->at[i] = h;
}

static struct handle put(struct toy_world *w, struct world_file *f, unsigned i)
{
	return put_again(w, f, i, false);
}

/* Two documents may be the same object: then the later one must come last. */
static bool has_twins(struct toy_world *w, struct world_file *f)
{
	struct handle all[OBJECTS];

	for (unsigned i = 0; i < f->n; i++) {
		all[i] = put(w, f, i);
		for (unsigned k = 0; k < i; k++)
			if (all[i].slot && all[i].slot == all[k].slot)
				return true;
	}
	return false;
}

static void live(struct toy_world *w, struct world_file *f)
{
	for (unsigned i = f->n; i-- > 0;) {
		put(w, f, i);
		settle_anew(w);
	}
	for (unsigned n = 4 * f->n; n > 0; n--) {
		unsigned i = below(f, f->n);
		struct handle h = put(w, f, i);

		if (below(f, 2)) {
			store_remove(w->store, h);
			f->there[i] = false;
		}
		if (below(f, 3))
			settle_anew(w);
	}
	for (unsigned i = 0; i < f->n; i++)
		if (!f->there[i]) {
			put(w, f, i);
			settle_anew(w);
		}
}

static unsigned check_file(struct world_file *f)
{
	static struct lines at_once, one_by_one;
	struct toy_world w;
	unsigned wrong = 0;

	open_world(&w, f);
	if (f->n > 0 && !has_twins(&w, f)) {
		look(&w, &at_once);
		for (int round = 0; round < ROUNDS && !wrong; round++) {
			toy_close(&w);
			open_world(&w, f);
			live(&w, f);
			look(&w, &one_by_one);
			wrong = lines_differ(&one_by_one, &at_once);
			if (wrong)
				print_error("  in %s\n", f->name);
			lines_clear(&one_by_one);
		}
		lines_clear(&at_once);
	}
	toy_close(&w);
	return wrong;
}

/* Whom phase 1 wants to see again by now is shown to it again. */
static void put_due(struct toy_world *w, struct world_file *f)
{
	for (unsigned i = 0; i < f->n; i++) {
		int64_t due = f->at[i].slot ? store_brief(w->store, f->at[i]).revisit : 0;

		if (due && due <= w->now)
			put_again(w, f, i, true);
	}
}

/* An hour passes without an event; the other world is met only then. */
static unsigned check_ageing(struct world_file *f)
{
	static struct lines aged, later;
	struct toy_world w;
	unsigned wrong;

	open_world(&w, f);
	for (unsigned i = 0; i < f->n; i++)
		put(&w, f, i);
	for (int minutes = 0; minutes < 60; minutes++) {
		graph_settle(w.graph, w.now);
		w.now += MINUTES(1);
		put_due(&w, f);
	}
	look(&w, &aged);
	toy_close(&w);
	f->now += HOURS(1);
	open_world(&w, f);
	for (unsigned i = 0; i < f->n; i++)
		put(&w, f, i);
	look(&w, &later);
	toy_close(&w);
	wrong = lines_differ(&aged, &later);
	if (wrong)
		print_error("  in %s\n", f->name);
	lines_clear(&aged);
	lines_clear(&later);
	return wrong;
}

/* except: a file that differs for a reason, or NULL. */
static void check_all(unsigned (*check)(struct world_file *f), const char *except)
{
	static struct world_file f;
	unsigned wrong = 0, files = 0;
	glob_t names;

	if (glob("tests/family/*/*.yaml", 0, NULL, &names) != 0)
		skip();
	for (size_t i = 0; i < names.gl_pathc; i++)
		if (!(except && strstr(names.gl_pathv[i], except)) && load(&f, names.gl_pathv[i])) {
			files++;
			wrong += check(&f);
			unload(&f);
		}
	globfree(&names);
	print_message("%u worlds\n", files);
	assert_int_equal(wrong, 0);
}

static void test_one_by_one(void **state)
{
	(void)state;
	check_all(check_file, NULL);
}

static void test_ageing(void **state)
{
	(void)state;
	/* the operator does not tell since when a spec is not observed: it is first seen now */
	check_all(check_ageing, "orc/spec-not-observed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_by_one),
		cmocka_unit_test(test_ageing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

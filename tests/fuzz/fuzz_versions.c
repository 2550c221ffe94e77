/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions of few objects and of many, with a ceiling and without: what is said of a moment is what was then, and
 * without a ceiling it is always said.
 */
#include "kube/base/limits.h"
#include "kube/journal/versions.h"
#include "tests/fuzz/steps.h"

#include <string.h>

enum { OBJECTS = 100, MOMENTS = 4000, KINDS = 3 };
enum { NEVER = 0, GONE = -1 };	/* instead of the number of a version */

struct run {
	struct versions *versions;
	struct kinds kinds;
	const struct kind *kind[KINDS];
	unsigned nobjects;
	int now, version;
	size_t ceiling;
	struct buf text, words;
	int present[OBJECTS];
	int16_t was[MOMENTS][OBJECTS];
};

static bool hides(struct json object, const struct kind *kind)
{
	(void)object, (void)kind;
	return false;
}

static void write(struct json object, const struct kind *kind, bool hidden, struct buf *out)
{
	(void)kind, (void)hidden;
	json_write(object, out);
}

static const struct version_redactor redactor = { hides, write };

static struct object_id id_of(const struct run *r, unsigned object, struct arena *a)
{
	return (struct object_id){ (uint16_t)(object % 2), r->kind[object % KINDS], STR("ns"), arena_printf(a, "o%u", object) };
}

static void put(struct run *r, unsigned object, size_t size)
{
	struct arena a = { 0 };
	struct object_id id = id_of(r, object, &a);
	bool was = r->present[object] != NEVER;
	struct json doc;

	version_text(object, (unsigned)++r->version, size, &r->words);
	buf_reset(&r->text);
	buf_printf(&r->text, "{\"n\":%d,\"text\":", r->version);
	BUF_JOIN(&r->text, buf_str(&r->words), STR("}"));
	expect(json_parse(buf_str(&r->text), &doc, NULL) == 0, "the object can be parsed");
	if (!versions_put(r->versions, &id, doc, r->now, was && !versions_has(r->versions, &id) ? FIRST_LATE : FIRST_NEW))
		expect(r->ceiling != 0, "every version differs");
	json_free(doc);
	r->present[object] = r->version;
	arena_release(&a);
}

static void gone(struct run *r, unsigned object)
{
	struct arena a = { 0 };
	struct object_id id = id_of(r, object, &a);

	if (r->present[object] != NEVER)
		versions_gone(r->versions, &id, r->now);
	r->present[object] = r->present[object] != NEVER ? GONE : NEVER;
	arena_release(&a);
}

static void look(struct run *r, unsigned object, int time)
{
	struct arena a = { 0 };
	struct object_id id = id_of(r, object, &a);
	int was = r->was[time][object];
	struct json doc;
	struct str text;

	switch (versions_at(r->versions, &id, time, &a, &text)) {
	case VERSION_UNKNOWN:
		expect(r->ceiling || was == NEVER, "without a ceiling everything is known");
		break;
	case VERSION_ABSENT:
		expect(was == GONE || was == NEVER, "it was not there");
		break;
	case VERSION_THERE:
		expect(json_parse(text, &doc, NULL) == 0 && json_int(doc, "n", 0) == was, "the version of that time");
		json_free(doc);
		break;
	}
	arena_release(&a);
}

/* All versions that are kept of an object, in their order. */
static void look_between(struct run *r, unsigned object, int from)
{
	struct arena a = { 0 };
	struct object_id id = id_of(r, object, &a);
	size_t n;
	const struct version_text *all = versions_between(r->versions, &id, from, r->now, &a, &n);

	for (size_t i = 0; i < n; i++) {
		int was = r->was[all[i].time][object];

		expect(all[i].time > from && all[i].time <= r->now, "the time of a version");
		if (i + 1 < n && all[i + 1].time == all[i].time)
			continue;	/* of several at one moment the last one counts */
		expect(all[i].gone == (was == GONE), "whether it was gone");
		expect(all[i].gone || str_contains(all[i].text, "\"n\":"), "the text of a version");
	}
	arena_release(&a);
}

static void step(struct run *r, struct steps *in)
{
	uint8_t what = step_byte(in), arg = step_byte(in);
	unsigned object = step_byte(in) % r->nobjects;

	if (what % 4 == 0)
		gone(r, object);
	else
		put(r, object, (size_t)arg << what % 4);
	for (unsigned i = 0; i < r->nobjects; i++)
		r->was[r->now][i] = (int16_t)r->present[i];
	expect(!r->ceiling || versions_bytes(r->versions) <= r->ceiling, "the ceiling");
	look(r, object, r->now);
	look(r, arg % r->nobjects, r->now * what / 256);
	look_between(r, object, r->now * what / 256);
	r->now += what % 8 != 7;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned objects[] = { 1, 3, 12, OBJECTS };
	static const char *const names[KINDS] = { "A", "B", "C" };
	static struct run r;
	struct steps in = { data, size, 0 };
	uint8_t how = step_byte(&in);

	r = (struct run){ .nobjects = objects[how % 4], .ceiling = how / 4 % 2 ? (size_t)1000 << how / 8 % 8 : 0, .now = 1 };
	r.versions = versions_new(r.ceiling, &redactor);
	for (unsigned i = 0; i < KINDS; i++)
		r.kind[i] = kinds_put(&r.kinds, STR("example.org"), str_of(names[i]));
	while (steps_left(&in) && r.now < MOMENTS)
		step(&r, &in);
	for (int time = 1; time < r.now; time += 1 + r.now / 50)
		for (unsigned i = 0; i < r.nobjects; i++)
			look(&r, i, time);
	versions_free(r.versions);
	kinds_release(&r.kinds);
	buf_release(&r.text);
	buf_release(&r.words);
	return 0;
}

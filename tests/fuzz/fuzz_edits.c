/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who wrote to objects, noted in any order with words of any length, old ones and new ones: within the ceiling, what is
 * kept is what was noted last, and of those objects that were noted last.
 */
#include "kube/base/limits.h"
#include "kube/journal/edits.h"
#include "tests/fuzz/steps.h"

#include <string.h>

enum { OBJECTS = 200 };

struct known {
	unsigned noted;	/* the number of the note; 0: never */
	uint8_t n, nfields, length;
};

struct run {
	struct edits *edits;
	struct known known[OBJECTS];
	unsigned nobjects, notes;
	size_t ceiling;
};

static const struct kind kinds[] = { { .id = 1, .kind = { "Widget", 6 } }, { .id = 2, .kind = { "LimitRange", 10 } } };

static struct object_id id_of(unsigned object, struct arena *a)
{
	return (struct object_id){ (uint16_t)(object % 2), &kinds[object / 2 % 2], object % 3 ? STR("ns") : STR_NONE, arena_printf(a, "o%u", object) };
}

static struct str word(struct arena *a, const struct known *k, unsigned at)
{
	/* every fourth one is the same for all notes, and the managers of one object are always the same */
	return arena_printf(a, "%0*u", 1 + k->length, at % 4 ? k->noted * 1000 + at : at);
}

static const struct edit *edits_known(const struct known *k, struct arena *a)
{
	struct edit *all = arena_array(a, k->n, sizeof(*all));

	for (unsigned i = 0; i < k->n; i++) {
		struct str *fields = arena_array(a, k->nfields, sizeof(*fields));

		for (unsigned f = 0; f < k->nfields; f++)
			fields[f] = word(a, k, i * 40 + f);
		all[i] = (struct edit){ .time = k->noted, .by = { word(a, k, i), i % 2 ? word(a, k, 900 + i) : STR_NONE, STR_NONE },
					.fields = fields, .nfields = k->nfields, .made = i % 3 == 0 };
	}
	return all;
}

static bool is_kept(struct run *r, unsigned object)
{
	const struct known *k = &r->known[object];
	struct arena a = { 0 };
	struct object_id id = id_of(object, &a);
	const struct edit *found, *all = edits_known(k, &a);
	size_t n = edits_of(r->edits, &id, &a, &found);

	expect(n == 0 || (n == k->n && k->noted), "how many edits there are");
	for (size_t i = 0; i < n; i++) {
		expect(found[i].time == all[i].time && found[i].made == all[i].made && found[i].nfields == all[i].nfields, "an edit");
		expect(str_eq(found[i].by.manager, all[i].by.manager) && str_eq(found[i].by.person, all[i].by.person), "who made it");
		for (size_t f = 0; f < all[i].nfields; f++)
			expect(str_eq(found[i].fields[f], all[i].fields[f]), "its fields");
	}
	arena_release(&a);
	return n > 0;
}

static void put(struct run *r, unsigned object, uint8_t what, uint8_t length)
{
	struct arena a = { 0 };
	struct object_id id = id_of(object, &a);

	r->known[object] = (struct known){ ++r->notes, (uint8_t)(1 + what % EDITS), (uint8_t)(what / EDITS % (EDIT_FIELDS + 1)), length };
	edits_put(r->edits, &id, edits_known(&r->known[object], &a), r->known[object].n);
	expect(edits_size(r->edits) <= r->ceiling, "the ceiling");
	is_kept(r, object);
	arena_release(&a);
}

static void count(void *ctx, const struct object_id *id)
{
	expect(id->name.len > 1 && id->name.ptr[0] == 'o', "a name");
	++*(size_t *)ctx;
}

/* What is forgotten was noted before everything that is kept. */
static void check_all(struct run *r)
{
	unsigned newest_forgotten = 0, oldest_kept = UINT32_MAX;
	size_t kept = 0, told = 0, nconcerning = 0;
	struct object_id id;

	for (unsigned i = 0; i < r->nobjects; i++) {
		unsigned noted = r->known[i].noted;

		if (is_kept(r, i)) {
			kept++;
			nconcerning += i / 2 % 2;
			oldest_kept = noted < oldest_kept ? noted : oldest_kept;
		} else {
			newest_forgotten = noted > newest_forgotten ? noted : newest_forgotten;
		}
	}
	expect(newest_forgotten < oldest_kept, "the oldest are forgotten first");
	expect(edits_count(r->edits) == kept, "how many objects are kept");
	edits_each(r->edits, count, &told);
	expect(told == kept, "how many objects are told");
	for (told = 0; edits_concerning(r->edits, told, &id); told++)
		expect(edits_concern_others(id.kind) && id.name.len > 1, "an object that concerns others");
	expect(told == nconcerning, "how many objects concern others");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned objects[] = { 1, 3, 20, OBJECTS };
	struct steps in = { data, size, 0 };
	uint8_t how = step_byte(&in);
	struct run r = { .nobjects = objects[how % 4], .ceiling = KIB(12) << how / 4 % 6 };

	r.edits = edits_new(r.ceiling);
	for (size_t n = 0; steps_left(&in); n++) {
		unsigned object = step_byte(&in) % r.nobjects;
		uint8_t what = step_byte(&in);

		put(&r, object, what, step_byte(&in) % 100);
		if (n % 64 == 0)
			check_all(&r);
	}
	check_all(&r);
	edits_free(r.edits);
	return 0;
}

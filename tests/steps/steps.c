/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the steps of judging an object while one part of it grows: twice the bytes may need at most RATIO times the
 * steps, and no byte more than CEILING.  A step is a basic block, or eight bytes that a function of the C library touches:
 * counted, not timed, so that a busy machine changes nothing.  The library was compiled for it (STEPS in the Makefile).
 *   steps [--all]	--all: each path of each kind, which takes long; also the worst that are within bounds
 */
#include "tests/steps/shapes.h"

#include "tests/steps/count.h"
#include "tests/steps/readers.h"

/* FRESH: that many new blocks, and a sample is looked at whole */
enum { WORST = 40, DOUBLED = 6, FRESH = 40 };
#define RATIO 2.2
#define CEILING 600.0

struct measured {
	char what[200];
	double ratio, per_byte;
};

struct run {
	struct shapes shapes;
	struct measured ratios[WORST], costs[WORST];
	size_t measured, failed;
};

static void keep_worst(struct measured *list, const struct measured *m, bool by_ratio)
{
	size_t at = WORST;

	while (at > 0 && (by_ratio ? list[at - 1].ratio < m->ratio : list[at - 1].per_byte < m->per_byte))
		at--;
	if (at == WORST)
		return;
	memmove(&list[at + 1], &list[at], (WORST - 1 - at) * sizeof(*list));
	list[at] = *m;
}

/* What is measured: an object of a sample with one part grown, or a text of a reader. */
struct subject {
	const struct reader *reader;	/* NULL: a sample is judged */
	const char *path;
	size_t sample;
	struct growth growth;
};

static uint64_t read_steps(const struct subject *s, struct str text)
{
	count_begin();
	s->reader->read(text);
	return count_end();
}

static uint64_t judge_steps(struct run *r, const struct subject *s, struct str text)
{
	struct world w;
	uint64_t steps;

	shape_world(&w, &r->shapes.samples, s->sample);
	count_begin();
	shape_judge(&w, text);
	steps = count_end();
	world_release(&w);
	return steps;
}

/* A text of a reader without an object: its piece as it is. */
static void make_text(struct run *r, const struct subject *s, struct buf *out)
{
	if (s->growth.how == GROW_TEXT && !s->growth.at)
		add_repeated(out, s->growth.piece, s->growth.bytes);
	else
		grow_value(out, r->shapes.samples.all[s->sample].object, &s->growth);
}

static uint64_t steps_of(struct run *r, const struct subject *s, size_t *out_len)
{
	struct buf text = { 0 };
	uint64_t steps;

	make_text(r, s, &text);
	steps = s->reader ? read_steps(s, buf_str(&text)) : judge_steps(r, s, buf_str(&text));
	*out_len = text.len;
	buf_release(&text);
	return steps;
}

static void name_subject(const struct run *r, const struct subject *s, struct measured *m)
{
	const struct sample *from = &r->shapes.samples.all[s->sample];
	const struct growth *g = &s->growth;

	snprintf(m->what, sizeof(m->what), "%s %.40s %s %.60s '%s'", s->reader ? s->reader->name : from->file,
		 json_str(from->object, "kind").ptr, grow_names[g->how], s->path, g->piece ? g->piece : "");
}

/*
 * Where a list gets as long as is looked at, the steps jump once, and so do they where more memory is taken; where they
 * grow faster than the input, they do so at each doubling.
 */
static void measure_subject(struct run *r, struct subject s)
{
	struct measured m = { .ratio = 0 };
	size_t len, len2;
	uint64_t one, two = steps_of(r, &s, &len2);

	for (int doubled = 0; doubled == 0 || (m.ratio > RATIO && doubled < DOUBLED); doubled++) {
		one = two;
		len = len2;
		s.growth.bytes *= 2;
		two = steps_of(r, &s, &len2);
		m.ratio = (double)two / (double)(one ? one : 1);
		m.per_byte = (double)(two > one ? two - one : 0) / (double)(len2 > len ? len2 - len : 1);
	}
	if (len2 <= len)
		return;
	name_subject(r, &s, &m);
	keep_worst(r->ratios, &m, true);
	keep_worst(r->costs, &m, false);
	r->measured++;
	if (m.ratio > RATIO || m.per_byte > CEILING)
		r->failed++;
}

static void measure(void *ctx, size_t sample, struct growth g, const char *path)
{
	struct run *r = ctx;

	measure_subject(r, (struct subject){ NULL, path, sample, g });
}

/* All shapes of what does something that no sample did before, else those of its new paths. */
static void measure_sample(struct run *r, size_t sample)
{
	struct growth as_it_is = { .at = (const void *)r, .how = GROW_TEXT };	/* no value of it grows */
	size_t len;

	count_forget();
	steps_of(r, &(struct subject){ NULL, "", sample, as_it_is }, &len);
	shapes_each(&r->shapes, sample, count_new() >= FRESH);
}

/* An object like most, in which a text, a key, a list and a map grow. */
static void measure_readers(struct run *r)
{
	static const char object[] = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"annotations\":{\"b\":\"c\"}},"
				     "\"data\":{\"d\":\"e\"},\"list\":[{\"name\":\"f\",\"value\":\"g\"}]}";
	struct subject s = { .path = "", .sample = r->shapes.samples.n };
	struct json doc;

	add_sample(&r->shapes.samples, str_of(object));
	doc = r->shapes.samples.all[s.sample].object;
	for (size_t i = 0; i < NREADERS; i++) {
		s.reader = &readers[i];
		for (size_t k = 0; k < NPIECES; k++) {
			s.growth = (struct growth){ json_at(doc, "data.d").node, GROW_TEXT, pieces[k], SHAPE_TEXT };
			measure_subject(r, s);
			s.growth.at = json_at(doc, "metadata.annotations").node;
			s.growth.how = GROW_KEY;
			measure_subject(r, s);
			s.growth = (struct growth){ NULL, GROW_TEXT, pieces[k], SHAPE_TEXT };
			if (s.reader->raw)
				measure_subject(r, s);
		}
		s.growth = (struct growth){ json_at(doc, "list").node, GROW_COPIES, NULL, SHAPE_LIST };
		measure_subject(r, s);
		s.growth.how = GROW_NAMED;
		measure_subject(r, s);
		s.growth = (struct growth){ json_at(doc, "data").node, GROW_MEMBERS, NULL, SHAPE_LIST };
		measure_subject(r, s);
	}
}

static void print_worst(const struct measured *list)
{
	for (size_t i = 0; i < WORST && list[i].ratio > 0; i++)
		printf("%6.2f times, %7.1f steps a byte: %s\n", list[i].ratio, list[i].per_byte, list[i].what);
}

/* What must be found: the rest of a text is searched from each of its bytes on. */
static uint64_t square(size_t bytes)
{
	struct buf text = { 0 };
	struct str rest;
	uint64_t steps;

	add_repeated(&text, "a", bytes);
	count_begin();
	for (rest = buf_str(&text); rest.len; rest = str_from(rest, 1))
		if (str_find(rest, 'b') < rest.len)
			break;
	steps = count_end();
	buf_release(&text);
	return steps;
}

int main(int argc, char **argv)
{
	static struct run r;
	size_t samples;

	if ((double)square(2000) < RATIO * (double)square(1000)) {
		printf("the counter does not see a square\n");
		return 1;
	}
	r.shapes = (struct shapes){ .each = measure, .ctx = &r, .of_kinds = argc > 1 && strcmp(argv[1], "--all") == 0 };
	shapes_read(&r.shapes);
	measure_readers(&r);
	samples = r.shapes.samples.n - 1;	/* the last one is the readers' */
	for (size_t i = 0; i < samples; i++)
		measure_sample(&r, i);
	printf("%zu samples, %zu shapes, %zu beyond bounds\n", samples, r.measured, r.failed);
	if (argc > 1 || r.failed) {
		print_worst(r.ratios);
		print_worst(r.costs);
	}
	return r.failed > 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the largest object takes that the API server stores, 1.5 MB, of whatever shape: all shapes are judged at 32 KB,
 * the slowest of them in full size.  Prints figures for "make bench", in CPU time; judges nothing.
 */
#include "tests/steps/shapes.h"

#include <time.h>

enum { SMALL = 32 * 1024, LARGE = 1536 * 1024, SLOWEST = 24 };

struct slow {
	size_t sample;
	struct growth growth;
	char path[100];
	double seconds;
};

struct bench {
	struct shapes shapes;
	struct slow slowest[SLOWEST];
};

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds to judge an object that was grown to about that many bytes. */
static double judge(struct bench *b, size_t sample, struct growth g, size_t bytes)
{
	struct json object = b->shapes.samples.all[sample].object;
	size_t parts = g.how == GROW_ALL_LISTS ? count_lists(object) : g.how == GROW_ALL_TEXTS ? 8 : 1;
	struct buf text = { 0 };
	struct world w;
	double start, took;

	g.bytes = g.how == GROW_DEPTH ? g.bytes : bytes / (parts ? parts : 1);
	grow_value(&text, object, &g);
	shape_world(&w, &b->shapes.samples, sample);
	start = cpu();
	shape_judge(&w, buf_str(&text));
	took = cpu() - start;
	world_release(&w);
	buf_release(&text);
	return took;
}

static void note(void *ctx, size_t sample, struct growth g, const char *path)
{
	struct bench *b = ctx;
	struct slow now = { sample, g, "", judge(b, sample, g, SMALL) };
	size_t at = SLOWEST;

	snprintf(now.path, sizeof(now.path), "%s", path);
	while (at > 0 && b->slowest[at - 1].seconds < now.seconds)
		at--;
	if (at == SLOWEST)
		return;
	memmove(&b->slowest[at + 1], &b->slowest[at], (SLOWEST - 1 - at) * sizeof(*b->slowest));
	b->slowest[at] = now;
}

int main(int argc, char **argv)
{
	static struct bench b;
	const struct slow *worst = &b.slowest[0];
	char what[120];

	b.shapes.each = note;
	b.shapes.ctx = &b;
	shapes_read(&b.shapes);
	for (size_t i = 0; i < b.shapes.samples.n; i++)
		shapes_each(&b.shapes, i, false);
	for (size_t i = 0; i < SLOWEST; i++) {
		struct slow *s = &b.slowest[i];
		double again = judge(&b, s->sample, s->growth, LARGE);

		/* what another program does meanwhile only makes it longer */
		s->seconds = judge(&b, s->sample, s->growth, LARGE);
		s->seconds = again < s->seconds ? again : s->seconds;
		if (s->seconds > worst->seconds || i == 0)
			worst = s;
		if (argc > 1)
			printf("%6.1f ms %s %s %s\n", s->seconds * 1e3, b.shapes.samples.all[s->sample].file, grow_names[s->growth.how], s->path);
	}
	(void)argv;
	snprintf(what, sizeof(what), "1.5 MB of the slowest shape, %s of %.50s (ms CPU)", grow_names[worst->growth.how], worst->path);
	printf("%-66s %.0f (at most 100)\n", what, worst->seconds * 1e3);
	return 0;
}

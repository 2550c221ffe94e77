/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a key costs in a world of a hundred thousand pods, of which a thousand crash and others change all the time: from the key
 * to its picture, without a cluster and without a terminal, in the processor's time, so that a busy machine does not count.
 * Prints figures for "make bench"; judges nothing.
 */
#include "tests/screen/stage.h"

#include <time.h>

enum { PODS = 100000, ROUNDS = 21, AT_ONCE = 30 };

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void put_pod(struct stage *s, struct buf *b, unsigned i, bool ready)
{
	unsigned owner = i / 50;

	buf_reset(b);
	buf_printf(b,
		   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"api-%u-7c9f5d6b84-%05u\",\"namespace\":\"load-%u\",\"uid\":"
		   "\"p%u\",\"creationTimestamp\":\"2026-11-20T08:00:00Z\",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":"
		   "\"ReplicaSet\",\"name\":\"api-%u-7c9f5d6b84\",\"uid\":\"r%u\",\"controller\":true}]},\"spec\":{\"nodeName\":\"node-%u\","
		   "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]},\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\","
		   "\"status\":\"%s\",\"lastTransitionTime\":\"2026-11-20T08:01:00Z\"}],\"containerStatuses\":[{\"name\":\"c\",\"ready\":%s,"
		   "\"restartCount\":%u,\"state\":{%s}}]}}",
		   owner, i, owner / 10, i, owner, owner, i / 100, ready ? "True" : "False", ready ? "true" : "false", ready ? 0 : i % 9 + 1,
		   ready ? "\"running\":{\"startedAt\":\"2026-11-20T08:00:30Z\"}" :
			   "\"waiting\":{\"reason\":\"CrashLoopBackOff\",\"message\":\"back-off 5m0s restarting failed container\"}");
	if (stage_document(s, buf_str(b), &(struct err){ 0 }) < 0)
		exit(1);
}

/* As much as happens in a picture's time at a thousand changes a second. */
static void change(struct stage *s, struct buf *b, unsigned *seed)
{
	for (int i = 0; i < AT_ONCE; i++) {
		*seed = *seed * 1664525 + 1013904223;
		put_pod(s, b, (*seed >> 8) % (PODS / 50) * 50, *seed >> 30 & 1);
	}
	s->now += 33;
	graph_settle(s->graph, s->now);
	ui_changed(s->ui);
	stage_paint(s);
}

/* How long it takes to look at every object once: what all else is told in, too, because that is the same on any machine. */
static double look_at_all(struct stage *s)
{
	double before = cpu_ms();
	struct summary sum;

	for (struct handle h = store_next(s->store, 0); h.slot; h = store_next(s->store, h.slot + 1))
		graph_summary(s->graph, h, &sum);
	return cpu_ms() - before;
}

/* From the key to its picture, and until the picture has all that the key asked for: typed text is shown before what it finds. */
static void press(struct stage *s, const char *key, double *first, double *whole)
{
	enum { PICTURES = 9 };
	struct key k = key_parse(str_of(key));
	double before = cpu_ms();

	stage_key(s, &k);
	stage_paint(s);
	*first = cpu_ms() - before;
	for (int i = 0; i < PICTURES && ui_lags(s->ui); i++)
		stage_paint(s);
	*whole = cpu_ms() - before;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static const struct {
	const char *name, *key;
} keys[] = {
	{ "down", "j" }, { "the last row", "G" }, { "why", "w" }, { "back from why", "Esc" }, { "timeline", "T" }, { "back from timeline", "Esc" },
	{ "details", "Enter" }, { "back from details", "Esc" }, { "the first row", "g" }, { "next problem", "n" }, { "previous problem", "N" },
	{ "problems", "p" }, { "back from problems", "Esc" }, { "copy as Markdown", "M" }, { "tree", "t" }, { "back from tree", "Esc" },
	{ "changes", "C" }, { "back from changes", "Esc" }, { "filter", "/" }, { "filter: a letter", "a" }, { "filter: the next", "p" },
	{ "filter: Esc", "Esc" }, { "sort", "s" }, { "group", "z" },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

int main(void)
{
	static double took[KEYS][2][ROUNDS], looks[ROUNDS];
	struct buf b = { 0 };
	struct stage s;
	unsigned seed = 1;

	stage_init(&s);
	stage_size(&s, 40, 120);
	for (unsigned i = 0; i < PODS; i++)
		put_pod(&s, &b, i, i % 100 != 0);
	store_set_coverage(s.store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < KEYS; i++) {
			change(&s, &b, &seed);
			press(&s, keys[i].key, &took[i][0][round], &took[i][1][round]);
		}
		looks[round] = look_at_all(&s);
	}
	qsort(looks, ROUNDS, sizeof(double), compare);
	printf("a look at %d objects: %.1f ms of CPU; keys in ms, and as parts of that: median, 95 of 100; the same until all is shown\n", PODS,
	       looks[ROUNDS / 2]);
	for (size_t i = 0; i < KEYS; i++) {
		printf("  %-20s", keys[i].name);
		for (int whole = 0; whole < 2; whole++) {
			double *all = took[i][whole], look = looks[ROUNDS / 2];

			qsort(all, ROUNDS, sizeof(double), compare);
			printf("  %6.1f, %6.1f (%.2f, %.2f)", all[ROUNDS / 2], all[ROUNDS * 95 / 100], all[ROUNDS / 2] / look,
			       all[ROUNDS * 95 / 100] / look);
		}
		printf("\n");
	}
	stage_release(&s);
	buf_release(&b);
	return 0;
}

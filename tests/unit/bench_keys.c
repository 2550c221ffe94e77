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

static double press(struct stage *s, const char *key)
{
	struct key k = key_parse(str_of(key));
	double before = cpu_ms();

	stage_key(s, &k);
	stage_paint(s);
	return cpu_ms() - before;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static const struct {
	const char *name, *key, *back;
} keys[] = {
	{ "down", "j", NULL }, { "the last row", "G", NULL }, { "why", "w", "Esc" }, { "timeline of one", "T", "Esc" }, { "details", "Enter", "Esc" },
	{ "the first row", "g", NULL }, { "next problem", "n", NULL }, { "previous problem", "N", NULL }, { "problems", "p", "Esc" },
	{ "copy as Markdown", "M", NULL }, { "tree", "t", "Esc" }, { "group", "z", NULL }, { "sort", "s", NULL },
};

int main(void)
{
	static double took[sizeof(keys) / sizeof(keys[0])][2][ROUNDS];
	struct buf b = { 0 };
	struct stage s;
	unsigned seed = 1;

	stage_init(&s);
	stage_size(&s, 40, 120);
	for (unsigned i = 0; i < PODS; i++)
		put_pod(&s, &b, i, i % 100 != 0);
	store_set_coverage(s.store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			change(&s, &b, &seed);
			took[i][0][round] = press(&s, keys[i].key);
			change(&s, &b, &seed);
			took[i][1][round] = keys[i].back ? press(&s, keys[i].back) : 0;
		}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		for (int back = 0; back < 1 + (keys[i].back != NULL); back++) {
			qsort(took[i][back], ROUNDS, sizeof(double), compare);
			printf("%-20s%-10s median %6.1f, 95 of 100 below %6.1f ms of CPU\n", keys[i].name, back ? ", Esc" : "", took[i][back][ROUNDS / 2],
			       took[i][back][ROUNDS * 95 / 100]);
		}
	stage_release(&s);
	buf_release(&b);
	return 0;
}

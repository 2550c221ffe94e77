/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the graph costs: a hundred thousand objects with three references each.
 * Prints figures for "make bench"; judges nothing.
 */
#include "tests/unit/toy.h"
#include "kube/base/limits.h"
#include "kube/graph/past.h"
#include "kube/graph/shared.h"
#include "kube/status/labels.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OBJECTS 100000
#define CHANGES 2001

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* MB in use, as the kernel sees it now. */
static double resident(void)
{
	long total = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%ld %ld", &total, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * 4096 / 1048576;
}

/*
 * Layers of a thousand, each object on three of the layer below, so that waits
 * are a hundred deep: the worst shape that still looks like a cluster.  One in
 * a thousand at the bottom has failed; half of the rest is on its way.
 */
static void put_object(struct toy_world *w, int i, const char *phase)
{
	char id[48], refs[400];
	int layer = i / 1000, at = i % 1000;

	snprintf(id, sizeof(id), "N/ns%d/n%d", at % 50, i);
	if (layer == 0)
		refs[0] = '\0';
	else
		snprintf(
			refs, sizeof(refs),
			"'refs':[{'kind':'N','name':'n%d','ns':'ns%d','flags':'blocks'},{'kind':'N'"
			",'name':'n%d',"
			"'ns':'ns%d','flags':'blocks'},{'kind':'S','name':'s%d','flags':'exists'}]",
			i - 1000, at % 50, (layer - 1) * 1000 + (at * 7 + 1) % 1000,
			(at * 7 + 1) % 1000 % 50, at);
	toy_put(w, id, phase,
		MORE(NULL,
		     layer ? refs
			   : "'refs':[{'kind':'S','name':'a'},{'kind':'S','name':'b'},{'kind':'S','"
			     "name':'c'}]",
		     NULL));
}

static const char *phase_of(int i)
{
	if (i < 1000)
		return i == 500 ? "Failed" : "Ready";
	return i % 2 ? "Provisioning" : "Ready";
}

static int by_size(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

static void one_change(struct toy_world *w)
{
	double *took = xmalloc(CHANGES * sizeof(*took)), sum = 0;

	for (int i = 0; i < CHANGES; i++) {
		int object = (int)((uint64_t)i * 7919 % OBJECTS);
		double start;

		put_object(w, object, i % 2 ? phase_of(object) : "Degraded");
		start = cpu();
		graph_settle(w->graph, w->now);
		took[i] = cpu() - start;
		sum += took[i];
	}
	qsort(took, CHANGES, sizeof(*took), by_size);
	printf("one changed object settled: median, p99, worst (ms of CPU)      %.3f, %.3f, %.3f\n",
	       took[CHANGES / 2] * 1e3, took[CHANGES * 99 / 100] * 1e3, took[CHANGES - 1] * 1e3);
	xfree(took);
}

/* ---- memory ------------------------------------------------------------------- */

/* In a process of its own: prints what is resident after it beyond what was before. */
static void memory_of(const char *what, double limit, void (*run)(struct toy_world *w))
{
	struct toy_world w;
	double before;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child > 0)
		waitpid(child, NULL, 0);
	if (child)
		return;
	toy_open(&w);
	before = resident();
	run(&w);
	printf("%-62s %.1f (at most %.0f)\n", what, resident() - before, limit);
	fflush(stdout);
	_exit(0);
}

enum { NAMES = 1000000, ALIVE = 1000 };

static void forget(struct toy_world *w)
{
	arena_reset(&w->arena);
	graph_settle(w->graph, w->now);
	graph_forget(w->graph);
}

static void churn(struct toy_world *w, int alive)
{
	char id[64];

	for (int i = 0; i < NAMES + alive; i++) {
		if (i < NAMES) {
			snprintf(id, sizeof(id), "N/ns%d/object-with-a-name-%d", i % 50, i);
			toy_put(w, id, i % 3 ? "Ready" : "Failed", NULL);
		}
		if (i >= alive) {
			snprintf(id, sizeof(id), "N/ns%d/object-with-a-name-%d", (i - alive) % 50, i - alive);
			toy_remove(w, id);
		}
		if (i % ALIVE == 0 && alive == ALIVE)
			forget(w);
	}
	forget(w);
}

static void a_thousand_at_a_time(struct toy_world *w)
{
	churn(w, ALIVE);
}

static void all_at_once(struct toy_world *w)
{
	churn(w, NAMES);
}

static void chain(struct toy_world *w)
{
	enum { OWNERS = 4000 };
	size_t n;

	for (int i = 0; i < OWNERS; i++) {
		char owner[32], id[48], refs[128];

		snprintf(owner, sizeof(owner), "o%d", i);
		snprintf(id, sizeof(id), "N/a/%s", owner);
		snprintf(refs, sizeof(refs),
			 "'refs':[{'kind':'N','name':'o%d','flags':'blocks'},{'kind':'L','name':'l%d','flags':'blocks'}]",
			 i + 1, i);
		toy_put(w, id, "Provisioning", MORE(NULL, refs, NULL));
		snprintf(id, sizeof(id), "L/a/l%d", i);
		toy_put(w, id, "Failed", NULL);
	}
	arena_release(&w->arena);
	graph_settle(w->graph, w->now);
	graph_roots(w->graph, &w->arena, &n);
}

static void missing_secrets(struct toy_world *w)
{
	enum { PODS = 20000, SECRETS = 60 };
	struct buf refs = { 0 };
	size_t n;

	toy_complete(w, "S");
	buf_add_cstr(&refs, "'refs':[");
	for (int i = 0; i < SECRETS; i++)
		buf_printf(&refs, "%s{'kind':'S','name':'s%d','flags':'blocks exists','via':'spec.volumes[%d].secret'}",
			   i ? "," : "", i, i);
	buf_add_char(&refs, ']');
	for (int i = 0; i < PODS; i++) {
		char id[32];

		snprintf(id, sizeof(id), "P/a/p%d", i);
		toy_put(w, id, "Provisioning", MORE(NULL, buf_cstr(&refs), NULL));
		arena_reset(&w->arena);
	}
	graph_settle(w->graph, w->now);
	graph_roots(w->graph, &w->arena, &n);
	buf_release(&refs);
}

enum { EVENTS = 10000 };

/* Seconds of CPU for so many changes, a second apart, each judged. */
static double many_changes(struct toy_world *w, int round)
{
	static const char *const phases[] = { "Ready", "Failed", "Degraded" };
	double start = cpu();

	for (int i = 0; i < EVENTS; i++) {
		w->now += SECONDS(1);
		put_object(w, (i * 7919) % OBJECTS, phases[(i + round) % 3]);
		graph_settle(w->graph, w->now);
	}
	return cpu() - start;
}

/* What the undo log costs an event, and how long another moment takes. */
static void back_in_time(struct toy_world *w)
{
	double without, with, start;
	struct past *p;
	int64_t from;

	many_changes(w, 0);
	without = many_changes(w, 1);
	graph_keep_history(w->graph, MIB(32));
	with = many_changes(w, 2);
	printf("a change with what was before kept: us more, of us           %.2f %.2f\n", (with - without) * 1e6 / EVENTS,
	       without * 1e6 / EVENTS);
	printf("what was before, of %d changes (MB)                       %.1f\n", EVENTS,
	       (double)graph_history_size(w->graph) / (1 << 20));
	from = graph_history_from(w->graph);
	start = cpu();
	p = past_new(w->graph);
	past_move(p, from);
	graph_settle(past_graph(p), from);
	printf("the world copied, and back to the oldest moment (s of CPU)     %.3f\n", cpu() - start);
	start = cpu();
	past_move(p, from + SECONDS(1));
	graph_settle(past_graph(p), from + SECONDS(1));
	printf("one second on (s of CPU)                                       %.3f\n", cpu() - start);
	past_free(p);
}

/* One of a hundred thousand pods, 40 of each set, on 2,000 nodes; those with a number below broken have failed. */
static void put_pod(struct toy_world *w, int i, int broken, struct buf *b)
{
	int set = i / 40;

	buf_reset(b);
	buf_printf(b,
		   "{'apiVersion':'toy.example/v1','kind':'Pod','metadata':{'name':'app-%d-%d','namespace':'ns%d','creationTimestamp':"
		   "'2026-11-20T08:50:00Z','labels':{'app':'app-%d','tier':'t%d','pod-template-hash':'%x','team':'team-%d','stable':'yes'},"
		   "'ownerReferences':[{'apiVersion':'toy.example/v1','kind':'Set','name':'set-%d','uid':'s%d','controller':true}]},"
		   "'spec':{'serviceAccountName':'app-%d','containers':[{'image':'registry.example/team/app-%d:1.%d'},{'image':'proxy:2'}],"
		   "'refs':[{'kind':'Node','group':'','name':'node-%d','flags':'cluster','via':'spec.nodeName'},"
		   "{'kind':'Cfg','name':'cfg-%d','ns':'ns%d','via':'spec.cfg'},{'kind':'Cfg','name':'ca','ns':'ns%d','via':'spec.ca'},"
		   "{'kind':'Sec','name':'sec-%d','ns':'ns%d','via':'spec.sec'}]},'status':{'phase':'%s','reason':'CrashLoopBackOff',"
		   "'message':'it ended with %d','since':'2026-11-20T08:55:00Z'}}",
		   set, i % 40, set % 200, set, set % 4, set * 7919, set % 30, set, set, set, set, set % 9,
		   i < broken ? 2000 : i % 2000, set, set % 200, set % 200, set, set % 200, i < broken ? "Failed" : "Ready", i);
	toy_put_json(w, buf_cstr(b));
}

/* What broken objects share, with so many of a hundred thousand broken: the median of what the first answer takes. */
static void share(const char *what, int broken)
{
	enum { TIMES = 9 };
	struct toy_world w;
	struct labels *labels = labels_new();
	struct buf b = { 0 };
	double took[TIMES], start;
	size_t n = 0;

	toy_open(&w);
	engine_note_labels(w.engine, labels);
	graph_use_labels(w.graph, labels);
	for (int i = 0; i < OBJECTS; i++)
		put_pod(&w, i, broken, &b);
	graph_settle(w.graph, w.now);
	for (int i = 0; i < TIMES; i++) {
		const struct root_cause *roots;

		put_pod(&w, OBJECTS - 1, i % 2 ? OBJECTS : 0, &b);
		graph_settle(w.graph, w.now);
		roots = graph_roots(w.graph, &w.arena, &n);
		start = cpu();
		graph_shared(w.graph, &roots[0].slot, 1, &w.arena, &n);
		took[i] = cpu() - start;
		arena_reset(&w.arena);
	}
	qsort(took, TIMES, sizeof(*took), by_size);
	printf("%-62s %.1f, %zu\n", what, took[TIMES / 2] * 1e3, n);
	toy_close(&w);
	labels_free(labels);
	buf_release(&b);
}

int main(void)
{
	struct toy_world w;
	double start, before, put;
	size_t n, edges = 0;

	memory_of("1 M objects, 1,000 at a time, all gone (MB left)", 8, a_thousand_at_a_time);
	memory_of("1 M objects at once, all gone (MB left)", 8, all_at_once);
	memory_of("chain of 4,000, each with a failed leaf, and causes (MB)", 40, chain);
	memory_of("20,000 objects that need 60 missing ones, and causes (MB)", 60, missing_secrets);
	before = resident();
	toy_open(&w);
	start = cpu();
	for (int i = 0; i < OBJECTS; i++)
		put_object(&w, i, phase_of(i));
	put = cpu() - start;
	for (uint32_t slot = 1; slot < store_slots(w.store); slot++)
		edges += store_edge_count(w.store, slot);
	printf("graph: %d objects, %zu edges put (s of CPU)             %.2f\n", OBJECTS, edges,
	       put);
	start = cpu();
	graph_settle(w.graph, w.now);
	printf("full settle (s of CPU)                                         %.3f\n",
	       cpu() - start);
	start = cpu();
	graph_roots(w.graph, &w.arena, &n);
	printf("root causes of all of it, %zu (s of CPU)                      %.3f\n", n,
	       cpu() - start);
	printf("memory of store and graph (MB)                                 %.1f\n",
	       resident() - before);
	one_change(&w);
	start = cpu();
	graph_roots(w.graph, &w.arena, &n);
	printf("root causes after a change (s of CPU)                          %.3f\n",
	       cpu() - start);
	back_in_time(&w);
	toy_close(&w);
	share("what 600 of 100,000 share: ms of CPU (at most 5), how many", 600);
	share("what 60,000 of 100,000 share: ms of CPU, how many", 60000);
	return 0;
}

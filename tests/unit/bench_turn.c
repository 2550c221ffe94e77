/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One turn of the program, for tests/instructions.sh to count: two thousand objects are
 * taken in, their graph is settled, and a frame of the dashboard is made.  A change of
 * one of them follows, settled and painted again.
 */
#include "tests/screen/stage.h"

enum { PODS = 1800, DEPLOYMENTS = 200 };

#define COUNTED __attribute__((noinline)) static

static void deployment(struct buf *b, unsigned i)
{
	buf_printf(b,
		   "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d%u\",\"namespace\":\"ns%u\",\"uid\":"
		   "\"d%u\",\"generation\":1,\"creationTimestamp\":\"2026-11-20T08:00:00Z\"},\"spec\":{\"replicas\":9},\"status\":{"
		   "\"observedGeneration\":1,\"replicas\":9,\"updatedReplicas\":9,\"readyReplicas\":%u,\"availableReplicas\":%u,"
		   "\"conditions\":[{\"type\":\"Available\",\"status\":\"True\",\"lastTransitionTime\":\"2026-11-20T08:01:00Z\"}]}}",
		   i, i % 20, i, i % 10 ? 9 : 8, i % 10 ? 9 : 8);
}

static void pod(struct buf *b, unsigned i, bool ready)
{
	unsigned d = i % DEPLOYMENTS;

	buf_printf(b,
		   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%u\",\"namespace\":\"ns%u\",\"uid\":\"p%u\","
		   "\"creationTimestamp\":\"2026-11-20T08:00:00Z\",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":"
		   "\"Deployment\",\"name\":\"d%u\",\"uid\":\"d%u\",\"controller\":true}]},\"spec\":{\"nodeName\":\"n%u\",\"containers\":"
		   "[{\"name\":\"c\",\"image\":\"i\"}],\"volumes\":[{\"name\":\"v\",\"secret\":{\"secretName\":\"s%u\"}}]},\"status\":{"
		   "\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\",\"lastTransitionTime\":"
		   "\"2026-11-20T08:01:00Z\"}],\"containerStatuses\":[{\"name\":\"c\",\"ready\":%s,\"restartCount\":%u,\"state\":{%s}}]}}",
		   i, d % 20, i, d, d, i % 50, d, ready ? "True" : "False", ready ? "true" : "false", ready ? 0 : 7,
		   ready ? "\"running\":{\"startedAt\":\"2026-11-20T08:00:30Z\"}" :
			   "\"waiting\":{\"reason\":\"CrashLoopBackOff\",\"message\":\"back-off 5m0s\"}");
}

static void put(struct stage *s, struct buf *b)
{
	struct err err = { 0 };

	if (stage_document(s, buf_str(b), &err) < 0)
		exit(1);
	buf_reset(b);
}

COUNTED void turn_ingest(struct stage *s, struct buf *b)
{
	for (unsigned i = 0; i < DEPLOYMENTS; i++) {
		deployment(b, i);
		put(s, b);
	}
	for (unsigned i = 0; i < PODS; i++) {
		pod(b, i, i % 90 != 0);
		put(s, b);
	}
}

COUNTED void turn_settle(struct stage *s)
{
	graph_settle(s->graph, s->now);
}

COUNTED void turn_frame(struct stage *s)
{
	ui_changed(s->ui);
	stage_paint(s);
}

COUNTED void turn_change(struct stage *s, struct buf *b)
{
	for (unsigned i = 0; i < 100; i++) {
		pod(b, i * 17, i % 2);
		put(s, b);
		graph_settle(s->graph, s->now);
	}
}

int main(void)
{
	struct stage s;
	struct buf b = { 0 };

	stage_init(&s);
	turn_ingest(&s, &b);
	store_set_coverage(s.store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	turn_settle(&s);
	turn_frame(&s);
	turn_change(&s, &b);
	stage_release(&s);
	buf_release(&b);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads how much is used, while a column shows that, once a minute.  What cannot be read is a notice.  NULL is a reader that
 * reads nothing.  Of pods and nodes the metrics API of each cluster tells (metrics.k8s.io): a list of each kind that was asked
 * for, in the namespaces that are shown.  Of the volumes of claims the kubelets tell (nodes/proxy, stats/summary): of those
 * nodes on which pods run that use the claims which are shown, 20 of a cluster at a time, and one after it was forbidden.
 */
#ifndef PLUGIN_USAGE_READER_H
#define PLUGIN_USAGE_READER_H

#include "plugin/query.h"
#include "plugin/world.h"

struct session;
struct usage_reader;

/* A cluster that is asked; its index is that of the objects. */
struct usage_cluster {
	struct session *session;
	struct str context;	/* its name, where there are several */
};

struct usage_reader_options {
	const struct usage_cluster *clusters;
	size_t n;
	struct world *world;
	const struct query *query;
	bool once;	/* it is requested once */
	bool of_claims;	/* it reads what is used of claims, else of pods and nodes */
};

/* All is borrowed. */
struct usage_reader *usage_reader_new(const struct usage_reader_options *options);
/* Call it when the sessions were freed: requests that they have not answered are forgotten here. */
void usage_reader_free(struct usage_reader *r);
/* A column is on the screen, or not; at first it is. */
void usage_reader_show(struct usage_reader *r, bool shown);
/* Requests what is due, and reads some of what was answered.  Of claims the claims and their pods should be known by then. */
void usage_reader_run(struct usage_reader *r, int64_t now);
/* When usage_reader_run() has to be called again without an event, ms; 0: never. */
int64_t usage_reader_deadline(const struct usage_reader *r);
/* Returns true until the first lists were read, or are so late that what is printed does not wait for them. */
bool usage_reader_awaited(const struct usage_reader *r);
/* Returns true when other values are known than at the last call. */
bool usage_reader_came(struct usage_reader *r);

#endif

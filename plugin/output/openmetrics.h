/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -o openmetrics: what is not Ready, the root causes, and the numbers of objects, for Prometheus, as OpenMetrics 1.0 has it
 * (https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md).
 */
#ifndef PLUGIN_OUTPUT_OPENMETRICS_H
#define PLUGIN_OUTPUT_OPENMETRICS_H

#include "plugin/output/status_list.h"
#include "plugin/query.h"

/* Prints the metrics of these objects. */
void openmetrics_print(struct world *w, const struct selected *items, struct output *out);
/*
 * Replaces the file "metrics" in a directory by the metrics of all selected objects, so that a reader never meets half of
 * them.  A file that cannot be written, as on a full disk, stays as it was: it tells when.
 */
void openmetrics_file(const char *dir, struct world *w, const struct query *q);

enum { OPENMETRICS_EVERY = 15000 };	/* how often that is done beside a flight recorder, ms */

#endif
